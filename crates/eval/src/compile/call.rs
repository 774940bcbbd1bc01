//! Functions: calls, closures, recursive groups, differentiation operators.

use pullback_base::{Name, Span};
use pullback_lambda::{AdOp, DefId, Expr, ExprKind, Program, VarId};

use super::{Captured, CapturedLoc, Dst, Function, Loc, Reg, Shared, function, uncurried};
use crate::code::{Instr, Place};

/// The size up to which code is put in the place of a call.
const IN_PLACE: usize = 64;

impl<'p> Function<'_, 'p> {
    /// An application. Its window is laid out at the end of the frame: the function, then arguments.
    pub(super) fn app(&mut self, callee: &Expr, args: &[Expr], dst: &Dst) {
        if let ExprKind::App(inner, first_args) = &callee.kind {
            // `(f a) b` is `f a b`.
            let all: Vec<&Expr> = first_args.iter().chain(args).collect();
            return self.apply(inner, &all, dst);
        }
        self.apply(callee, &args.iter().collect::<Vec<_>>(), dst);
    }

    fn apply(&mut self, callee: &Expr, args: &[&Expr], dst: &Dst) {
        if let ExprKind::Lam(..) = callee.kind {
            let (params, body) = uncurried(callee);
            if params.len() == args.len() {
                // All arguments come before any parameter is taken apart, as in a call.
                let regs = args.iter().map(|arg| self.operand(arg)).collect();
                return self.inlined(&params, body, regs, dst);
            }
        }
        if let ExprKind::Global(def) = callee.kind
            && let Some((params, body)) = self.in_place(def)
            && params.len() == args.len()
        {
            let regs = args.iter().map(|arg| self.operand(arg)).collect();
            // The definition that is compiled may be this one, or one made of it, with variables of the same numbers.
            let outer = self.locs.clone();
            self.is_in_place = true;
            self.inlined(&params, body, regs, dst);
            self.is_in_place = false;
            self.locs = outer;
            return;
        }
        // The result comes back in the first register of the window: let it be the wanted one.
        let first = match dst {
            Dst::Reg(d) if *d + 1 == self.next => *d,
            Dst::Reg(_) | Dst::Parts(_) | Dst::Return => self.fresh(),
        };
        let known = self.known_code(callee);
        match known {
            Some(code) => {
                let arity = self.shared.image.codes[code as usize].arity as usize;
                if args.len() < arity {
                    // A partial application is made from the function as a value.
                    self.expr(callee, &Dst::Reg(first));
                    self.arguments(args);
                    return self.call_value(first, args.len(), dst);
                }
                self.enter_group(callee, first);
                self.arguments(&args[..arity]);
                if args.len() > arity {
                    self.emit(Instr::Call { code, first });
                    self.next = first + 1;
                    self.arguments(&args[arity..]);
                    return self.call_value(first, args.len() - arity, dst);
                }
                if matches!(dst, Dst::Return) && !self.enters_library(callee) {
                    self.emit(Instr::TailCall { code, first });
                } else {
                    self.emit(Instr::Call { code, first });
                    self.deliver(first, dst);
                }
            }
            None => {
                self.expr(callee, &Dst::Reg(first));
                self.arguments(args);
                self.call_value(first, args.len(), dst);
            }
        }
    }

    /// A definition whose code is put in the place of a call: a small one of an engine's own, so that no error tells of
    /// the call. What it calls itself is called.
    fn in_place(&self, def: DefId) -> Option<(Vec<VarId>, &'p Expr)> {
        let program: &'p Program = self.shared.program;
        let body = &program.defs[def].body;
        let is_small = !self.is_in_place && body.span.is_none() && body.size() <= IN_PLACE;
        let (params, inner) = uncurried(body);
        let mut is_straight = true;
        inner.visit(&mut |node| {
            let binds_functions = matches!(node.kind, ExprKind::Lam(..) | ExprKind::LetRec(..));
            is_straight &= !binds_functions && !matches!(node.kind, ExprKind::Loop { .. });
        });
        (is_small && is_straight && !params.is_empty()).then_some((params, inner))
    }

    /// The code of a function that is known where it is called.
    fn known_code(&self, callee: &Expr) -> Option<u32> {
        if let ExprKind::Global(def) = callee.kind {
            let place = self.shared.image.places[def.0 as usize];
            return if let Place::Function(code) = place { Some(code) } else { None };
        }
        if let ExprKind::Var(var) = callee.kind
            && let Some(Loc::Member { code, .. }) = self.locs.get(&var)
        {
            return Some(*code);
        }
        None
    }

    /// Whether this is a call from outside of the library into it. It leaves its frame, so that errors in
    /// the library can be told with the call that led there.
    fn enters_library(&self, callee: &Expr) -> bool {
        let Shared { program, image, .. } = &*self.shared;
        let inside = |span: Span| image.library.contains(&span.file);
        matches!(callee.kind, ExprKind::Global(def) if inside(program.defs[def].span))
            && !self.span.is_none()
            && !inside(self.span)
    }

    /// Gives a called member of a recursive group what the group captured.
    fn enter_group(&mut self, callee: &Expr, first: Reg) {
        if let ExprKind::Var(var) = callee.kind
            && let Some(Loc::Member { code, via }) = self.locs.get(&var)
        {
            let (code, via) = (*code, *via);
            self.emit(Instr::Sibling { d: first, code, a: via });
        }
    }

    fn arguments(&mut self, args: &[&Expr]) {
        for arg in args {
            let reg = self.fresh();
            self.expr(arg, &Dst::Reg(reg));
        }
    }

    fn call_value(&mut self, first: Reg, count: usize, dst: &Dst) {
        let n = count as u32;
        if matches!(dst, Dst::Return) {
            self.emit(Instr::TailCallValue { first, n });
        } else {
            self.emit(Instr::CallValue { first, n });
            self.deliver(first, dst);
        }
    }

    /// A function that is applied where it stands: its parameters are bound here.
    fn inlined(&mut self, params: &[VarId], body: &Expr, regs: Vec<Reg>, dst: &Dst) {
        for (param, reg) in params.iter().zip(regs) {
            self.bind_register(*param, reg);
        }
        self.expr(body, dst);
    }

    /// A definition as a value.
    pub(super) fn global(&mut self, def: DefId, d: Reg) {
        let instr = match self.shared.image.places[def.0 as usize] {
            Place::Function(code) => Instr::Fun { d, code },
            Place::Constant { slot, .. } => Instr::Global { d, constant: slot },
        };
        self.emit(instr);
    }

    /// A lambda as a value.
    pub(super) fn lambda(&mut self, expr: &Expr, d: Reg) {
        let (params, body) = uncurried(expr);
        let code = self.shared.reserve();
        let free = self.shared.captures.of(expr).to_vec();
        let (captured, first) = self.capture(&free);
        self.shared.image.codes[code as usize].arity = params.len() as u32;
        let name = Name::from(format!("a function in {}", self.name));
        let name = if self.name.starts_with("a function in") { self.name.clone() } else { name };
        function(self.shared, code, name, &params, body, &captured);
        self.emit(if captured.vars.is_empty() {
            Instr::Fun { d, code }
        } else {
            Instr::Closure { d, code, first }
        });
    }

    /// Lays captured variables out in fresh registers.
    fn capture(&mut self, vars: &[VarId]) -> (Captured, Reg) {
        let first = self.next;
        let mut captured = Captured::default();
        for var in vars {
            let layout = match self.locs.get(var).cloned() {
                Some(Loc::Parts(parts)) => {
                    for part in parts.iter().flatten() {
                        let d = self.fresh();
                        self.emit(Instr::Move { d, a: *part });
                    }
                    CapturedLoc::Parts(parts.iter().map(Option::is_some).collect())
                }
                Some(Loc::Reg(a)) => {
                    let d = self.fresh();
                    self.emit(Instr::Move { d, a });
                    CapturedLoc::Whole
                }
                Some(Loc::Member { code, via }) => {
                    let d = self.fresh();
                    self.emit(Instr::Sibling { d, code, a: via });
                    CapturedLoc::Whole
                }
                None => continue,
            };
            captured.vars.push((*var, layout));
        }
        (captured, first)
    }

    /// Binds a group of mutually recursive functions. They share one closure, which a register holds
    /// from now on.
    pub(super) fn let_rec(&mut self, functions: &[(VarId, Expr)]) {
        let free = self.shared.captures.of_group(functions);
        let codes: Vec<u32> = functions
            .iter()
            .map(|(_, function)| {
                let code = self.shared.reserve();
                let arity = uncurried(function).0.len() as u32;
                self.shared.image.codes[code as usize].arity = arity;
                code
            })
            .collect();
        let via = self.fresh();
        let mark = self.next;
        let (mut captured, first) = self.capture(&free);
        captured.members =
            functions.iter().zip(&codes).map(|((var, _), code)| (*var, *code)).collect();
        for ((var, expr), code) in functions.iter().zip(&codes) {
            let (params, body) = uncurried(expr);
            let name = self.shared.program.vars[*var].name.clone();
            function(self.shared, *code, name, &params, body, &captured);
            self.locs.insert(*var, Loc::Member { code: *code, via });
        }
        let Some(code) = codes.first().copied() else { return };
        self.emit(if captured.vars.is_empty() {
            Instr::Fun { d: via, code }
        } else {
            Instr::Closure { d: via, code, first }
        });
        self.next = mark;
    }

    /// A differentiation operator; laid out like a call.
    pub(super) fn ad(&mut self, op: AdOp, args: &[Expr], d: Reg) {
        let first = if d + 1 == self.next { d } else { self.fresh() };
        self.arguments(&args.iter().collect::<Vec<_>>());
        self.emit(Instr::Ad { op, first, n: args.len() as u32 });
        self.deliver(first, &Dst::Reg(d));
    }
}
