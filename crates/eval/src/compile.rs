//! Compiles a program of the calculus to bytecode.
//!
//! Every definition and every lambda becomes one [`Code`]; `build` and `loop` are compiled inside the
//! frame of their function. Registers are handed out like a stack. Tuples whose components alone are
//! used live in registers of their own and are never built. At the end [`liveness`] marks last uses,
//! so that values are moved and unshared arrays change in place.

mod call;
mod captures;
mod constructor;
mod expr;
mod liveness;
mod prim;
mod uses;

use std::rc::Rc;

use pullback_base::{Name, Span, Text};
use rustc_hash::FxHashMap;

use pullback_lambda::{Expr, ExprKind, Lit, Program, Type, TypeKind, VarId};

use pullback_prim::Routine;

use super::code::{Code, Image, Instr, Packing, Place, Reg};
use captures::Captures;
use uses::Uses;

/// Compiles a whole program.
pub fn compile(program: &Program) -> Image {
    let uses = Uses::of(program);
    let captures = Captures::of_program(program);
    let image = Image {
        library: program.library.clone(),
        definitions: program.defs.iter().map(|def| def.span).collect(),
        ..Image::default()
    };
    let routines = FxHashMap::default();
    let mut shared = Shared { program, uses, captures, routines, image };
    // Places first: definitions refer to each other.
    for def in program.defs.iter() {
        let code = shared.reserve();
        let place = if matches!(def.body.kind, ExprKind::Lam(..)) {
            Place::Function(code)
        } else {
            let slot = shared.image.constants.len() as u32;
            shared.image.constants.push(code);
            Place::Constant { code, slot }
        };
        shared.image.places.push(place);
        // Callers need the arity before the body is compiled.
        shared.image.codes[code as usize].arity = uncurried(&def.body).0.len() as u32;
    }
    for (def, routine) in &program.routines {
        if let Place::Function(code) = shared.image.places[def.0 as usize] {
            shared.routines.insert(code, *routine);
        }
    }
    for (index, def) in program.defs.iter().enumerate() {
        let (Place::Function(code) | Place::Constant { code, .. }) = shared.image.places[index];
        let (params, body) = uncurried(&def.body);
        function(&mut shared, code, def.name.clone(), &params, body, &Captured::default());
    }
    shared.image
}

/// The parameters of directly nested lambdas, and the body of the innermost.
fn uncurried(expr: &Expr) -> (Vec<VarId>, &Expr) {
    let mut params = vec![];
    let mut body = expr;
    while let ExprKind::Lam(vars, inner) = &body.kind {
        params.extend(vars);
        body = inner;
    }
    (params, body)
}

/// What all functions of a program share while it is compiled.
struct Shared<'p> {
    program: &'p Program,
    uses: Uses,
    captures: Captures,
    /// The codes that a routine computes where it can.
    routines: FxHashMap<u32, Routine>,
    image: Image,
}

impl Shared<'_> {
    /// A place for code that is still to come.
    fn reserve(&mut self) -> u32 {
        self.image.codes.push(Code {
            name: Name::default(),
            arity: 0,
            captures: 0,
            registers: 0,
            instrs: vec![],
            spans: vec![],
            tables: vec![],
        });
        (self.image.codes.len() - 1) as u32
    }

    fn string(&mut self, text: &Rc<str>) -> u32 {
        self.image.strings.push(Rc::new(Text::new(&[text])));
        (self.image.strings.len() - 1) as u32
    }
}

/// Where a variable lives.
#[derive(Clone, Debug)]
enum Loc {
    /// In a register.
    Reg(Reg),
    /// A tuple in pieces: each component that is used in its own register.
    Parts(Vec<Option<Reg>>),
    /// A function of a recursive group: its code, and a register with any closure of the group.
    Member { code: u32, via: Reg },
}

/// What a function finds in its closure, in order, and the members of its own recursive group.
#[derive(Clone, Debug, Default)]
struct Captured {
    vars: Vec<(VarId, CapturedLoc)>,
    members: Vec<(VarId, u32)>,
}

/// How a captured variable was laid out.
#[derive(Clone, Debug)]
enum CapturedLoc {
    Whole,
    /// The components that were there.
    Parts(Vec<bool>),
}

/// Where a value is wanted.
#[derive(Clone, Debug)]
enum Dst {
    /// In a register.
    Reg(Reg),
    /// As a tuple in pieces; components that nobody uses may be dropped.
    Parts(Vec<Option<Reg>>),
    /// As the result of the function.
    Return,
}

/// The compiler of one function.
struct Function<'s, 'p> {
    shared: &'s mut Shared<'p>,
    name: Name,
    instrs: Vec<Instr>,
    spans: Vec<Span>,
    tables: Vec<Vec<u32>>,
    locs: FxHashMap<VarId, Loc>,
    next: Reg,
    registers: Reg,
    span: Span,
    /// The latest instruction that some jump leads to: what stands before may not be rewritten.
    barrier: usize,
    /// Whether this is code in the place of a call.
    is_in_place: bool,
}

/// Compiles one function into its reserved place.
fn function(
    shared: &mut Shared<'_>,
    code: u32,
    name: Name,
    params: &[VarId],
    body: &Expr,
    captured: &Captured,
) {
    let arity = params.len() as u32;
    let mut f = Function {
        shared,
        name: name.clone(),
        instrs: vec![],
        spans: vec![],
        tables: vec![],
        locs: FxHashMap::default(),
        next: arity + 1,
        registers: arity + 1,
        span: body.span,
        barrier: 0,
        is_in_place: false,
    };
    if let Some(routine) = f.shared.routines.get(&code).copied() {
        let d = f.fresh();
        let jump = f.emit(Instr::Routine { routine, n: arity as u8, d, to: 0 });
        f.emit(Instr::Return { a: d });
        f.land(jump);
    }
    let captures = f.enter(params, captured);
    f.expr(body, &Dst::Return);
    let Function { instrs, spans, tables, registers, .. } = f;
    let mut done = Code { name, arity, captures, registers, instrs, spans, tables };
    let codes = &shared.image.codes;
    liveness::mark_last_uses(&mut done, &|code| {
        // Inner functions are compiled before this one ends, so their captures are known.
        codes.get(code as usize).map_or((0, 0), |code| (code.arity, code.captures))
    });
    shared.image.codes[code as usize] = done;
}

impl Function<'_, '_> {
    /// Binds parameters and captured variables; returns how many values are captured.
    fn enter(&mut self, params: &[VarId], captured: &Captured) -> u32 {
        let first = self.next;
        for (var, layout) in &captured.vars {
            let loc = match layout {
                CapturedLoc::Whole => Loc::Reg(self.fresh()),
                CapturedLoc::Parts(present) => Loc::Parts(
                    present.iter().map(|present| present.then(|| self.fresh())).collect(),
                ),
            };
            self.locs.insert(*var, loc);
        }
        let captures = self.next - first;
        if captures > 0 {
            self.emit(Instr::LoadCaptured { first });
        }
        for (var, code) in &captured.members {
            self.locs.insert(*var, Loc::Member { code: *code, via: 0 });
        }
        for (index, var) in params.iter().enumerate() {
            self.bind_register(*var, index as Reg + 1);
        }
        captures
    }

    /// Binds a variable to a value in a register: in pieces if only its components are used.
    fn bind_register(&mut self, var: VarId, reg: Reg) {
        let loc = match self.parts_of(var) {
            None => Loc::Reg(reg),
            Some(used) => {
                let parts: Vec<Option<Reg>> =
                    used.iter().map(|used| used.then(|| self.fresh())).collect();
                self.take_apart(reg, &parts);
                Loc::Parts(parts)
            }
        };
        self.locs.insert(var, loc);
    }

    /// Which components of a tuple variable are used, if it may live in pieces.
    fn parts_of(&self, var: VarId) -> Option<Vec<bool>> {
        let count = components(&self.shared.program.vars[var].ty)?;
        self.shared.uses.fields_only(var, count)
    }

    /// Moves components out of a tuple.
    fn take_apart(&mut self, tuple: Reg, parts: &[Option<Reg>]) {
        for (index, part) in parts.iter().enumerate() {
            if let Some(d) = part {
                self.emit(Instr::Field { d: *d, a: tuple, index: index as u32 });
            }
        }
    }

    fn emit(&mut self, instr: Instr) -> usize {
        self.instrs.push(instr);
        self.spans.push(self.span);
        self.instrs.len() - 1
    }

    /// The position of the next instruction, to be jumped to.
    fn label(&mut self) -> u32 {
        self.barrier = self.instrs.len();
        self.instrs.len() as u32
    }

    /// Makes a jump lead here.
    fn land(&mut self, jump: usize) {
        let here = self.label();
        if let Some(to) = self.instrs[jump].target_mut() {
            *to = here;
        }
    }

    fn land_all(&mut self, jumps: Vec<usize>) {
        for jump in jumps {
            self.land(jump);
        }
    }

    fn fresh(&mut self) -> Reg {
        let reg = self.next;
        self.next += 1;
        self.registers = self.registers.max(self.next);
        reg
    }

    fn constant(&mut self, d: Reg, lit: &Lit) {
        let instr = match lit {
            Lit::Real(x) => Instr::Real { d, x: *x },
            Lit::Int(n) => Instr::Int { d, n: *n },
            Lit::Bool(value) => Instr::Bool { d, value: *value },
            Lit::Str(text) => Instr::Str { d, index: self.shared.string(text) },
        };
        self.emit(instr);
    }
}

/// How many components a tuple or record type has.
fn components(ty: &Type) -> Option<usize> {
    let count = match ty.kind() {
        TypeKind::Tuple(items) => items.len(),
        TypeKind::Record(fields) => fields.len(),
        TypeKind::Real
        | TypeKind::Int
        | TypeKind::Bool
        | TypeKind::Str
        | TypeKind::Data(_)
        | TypeKind::Array(_)
        | TypeKind::Fun(..) => 0,
    };
    (count > 0).then_some(count)
}

/// How an empty array of this type is stored.
fn packing(ty: &Type) -> Packing {
    let TypeKind::Array(element) = ty.kind() else { return Packing::Values };
    match element.kind() {
        TypeKind::Real => Packing::Real,
        TypeKind::Int => Packing::Int,
        TypeKind::Bool
        | TypeKind::Str
        | TypeKind::Tuple(_)
        | TypeKind::Record(_)
        | TypeKind::Data(_)
        | TypeKind::Array(_)
        | TypeKind::Fun(..) => Packing::Values,
    }
}
