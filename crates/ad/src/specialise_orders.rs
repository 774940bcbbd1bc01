//! Polyvariant specialisation (Bulyonkov, 1984) of functions that differentiate what they are given.
//!
//! A function that is data is applied by a match on its tag, which calls all functions of this type. So each request
//! seems to lead to itself through that match, though the derivatives that a program takes inside each other may be
//! finitely many. Here each function becomes one for each list of *forms* of its arguments (`form`). A form says
//! which number an argument is, or which constructors it may have, with the forms of their fields, down to a bounded
//! depth (`limit::REACHES`); what lies deeper is known by its type alone. A match keeps the arms that the form of its
//! scrutinee has, and a conditional keeps the branch that a known truth value takes (`stmt`).
//!
//! ```text
//! d f = the derivative of f      d (d exp)      =>      d1 = the derivative of exp      d2 = the derivative of d1
//! ```
//!
//! Type: `(Program with requests) -> Program with requests`, of which no request leads to itself.
//! Law: the program computes what it did, and asks for derivatives of the same functions at the same places. What a
//! request saves becomes a sum with a constructor for each copy of its function, and applying it becomes a match.
//! Where a request led to itself and does no more, its derivatives end at a bounded order: the forms get smaller on
//! the way in, or a known number says how often. A request that still leads to itself is refused, with the limits
//! that were reached (`limit`).
//! Cost: one copy of a function for each list of forms, at most [`FUNCTIONS`] more functions than before. Only
//! programs in which a request leads to itself are changed. Where numbers make too many copies, they are not told
//! apart.

mod form;
mod limit;
mod stmt;
mod unroll;

use std::collections::BTreeSet;

use pullback_base::{Diagnostic, Span, bug};
use pullback_ir::{
    Atom, Block, Constructor, Data, DataId, Func, FuncId, Mode, Program, Request, RequestId, Type,
    VarId,
};
use rustc_hash::FxHashMap;

use crate::name::NAME;
use crate::orders::reaches_itself;
use crate::state::{Between, Result};
use form::{FormId, Forms, tag};
use limit::{FUNCTIONS, Limit, Limits, REACHES, Reach, refusal};
use pullback_analysis::call_graph::reachable;

/// Specialises functions if a request leads to itself. Fails if one still does then.
pub(crate) fn told_apart(
    program: Program,
    roots: &mut [FuncId],
    between: &mut Between<'_>,
) -> Result<Program> {
    let Some(at) = reaches_itself(&program, roots) else { return Ok(program) };
    let [near, far] = REACHES;
    within(&program, roots, near, at, between).or_else(|(problem, limits)| {
        // If only the number of copies was the limit, a larger reach would not help.
        if limits.iter().all(|limit| *limit == Limit::Functions) {
            return Err(problem);
        }
        within(&program, roots, far, at, between).map_err(|(problem, _)| problem)
    })
}

/// Specialises functions within some reach. If there are too many copies, the request that led to itself before is
/// reported.
fn within(
    program: &Program,
    roots: &mut [FuncId],
    reach: Reach,
    (func, span): (FuncId, Span),
    between: &mut Between<'_>,
) -> Result<Program, (Box<Diagnostic>, Limits)> {
    let mut program = program.clone();
    let mut limits = Limits::new();
    let funcs = reachable(&program, roots);
    for func in &funcs {
        unroll::loops(&mut program, *func, reach.iterations, &mut limits);
    }
    let refused = |func: &Func, span, limits: Limits| {
        Err((Box::new(refusal(func, span, &limits, &reach)), limits))
    };
    for has_literals in [true, false] {
        let mut ctx = SpecialiseOrders::new(program.clone(), has_literals, reach);
        let copies: Vec<usize> = roots.iter().map(|root| ctx.root(*root)).collect();
        let has_room = ctx.solve(funcs.len() + FUNCTIONS);
        limits.append(&mut ctx.forms.limits);
        if !has_room {
            limits.insert(Limit::Functions);
            continue;
        }
        let mut copies: Vec<FuncId> =
            copies.into_iter().map(|copy| ctx.copies[copy].func).collect();
        let told = between(ctx.finished(), &mut copies);
        if let Some((func, span)) = reaches_itself(&told, &copies) {
            return refused(&told.funcs[func], span, limits);
        }
        roots.copy_from_slice(&copies);
        return Ok(told);
    }
    refused(&program.funcs[func], span, limits)
}

/// A function for arguments of some forms.
struct Copy {
    /// The function that it is a copy of.
    source: FuncId,
    /// The forms of its arguments.
    args: Vec<FormId>,
    /// The copy.
    func: FuncId,
    /// The forms of its results, as far as they are known.
    results: Vec<FormId>,
    /// Its body, with the variables of the source.
    body: Block,
    /// The copies that use its results.
    users: BTreeSet<usize>,
    /// Whether it is in `todo`.
    is_waiting: bool,
}

/// A request for a copy of the function of another request.
#[derive(Clone, Copy)]
struct Variant {
    /// The request before specialisation.
    source: RequestId,
    /// The request for the copy.
    request: RequestId,
    /// The type of what it saves.
    data: DataId,
}

struct SpecialiseOrders {
    program: Program,
    forms: Forms,
    copies: Vec<Copy>,
    by_args: FxHashMap<(FuncId, Vec<FormId>), usize>,
    /// The numbers that functions are given, by the place of the argument.
    literals: FxHashMap<(FuncId, usize), Vec<FormId>>,
    /// How many numbers are told apart as one argument.
    most_literals: usize,
    /// The variants by the type that the request saved, in the order of its constructors.
    variants: FxHashMap<DataId, Vec<Variant>>,
    /// The forms of the variables of the current body; of others nothing is known.
    env: FxHashMap<VarId, FormId>,
    /// The copy that is looked at.
    current: usize,
    /// The copies whose bodies are to be made again, the next one last.
    todo: Vec<usize>,
    /// Whether any form has grown in this round.
    changed: bool,
}

impl SpecialiseOrders {
    fn new(program: Program, has_literals: bool, reach: Reach) -> Self {
        Self {
            forms: Forms::new(&program, has_literals, reach.height),
            most_literals: reach.literals,
            program,
            copies: vec![],
            by_args: FxHashMap::default(),
            literals: FxHashMap::default(),
            variants: FxHashMap::default(),
            env: FxHashMap::default(),
            current: 0,
            todo: vec![],
            changed: false,
        }
    }

    /// A function that is called from outside, with data of any form.
    fn root(&mut self, func: FuncId) -> usize {
        let params = self.program.funcs[func].params.clone();
        for param in &params {
            let ty = self.program.vars[*param].ty;
            self.forms.open(&self.program, ty);
        }
        self.copy(func, vec![Forms::ANY; params.len()])
    }

    /// Finds the least forms that agree with the program. Says whether there was room for the copies.
    ///
    /// The body of a copy is made again when the results of what it calls have grown. Facts that all copies use, such
    /// as the constructors that a type has, may have grown too: so all bodies are made again in the end, until nothing
    /// changes.
    fn solve(&mut self, most: usize) -> bool {
        loop {
            self.changed = false;
            (0..self.copies.len()).rev().for_each(|at| self.look_later(at));
            while let Some(at) = self.todo.pop() {
                self.copies[at].is_waiting = false;
                self.look(at);
                if self.copies.len() > most {
                    return false;
                }
            }
            if !self.changed && !self.forms.take_changed() {
                return true;
            }
        }
    }

    /// Puts a copy into `todo`, if it is not there.
    fn look_later(&mut self, at: usize) {
        if !std::mem::replace(&mut self.copies[at].is_waiting, true) {
            self.todo.push(at);
        }
    }

    /// The forms of a copy's results, which the current copy uses.
    fn results(&mut self, copy: usize) -> Vec<FormId> {
        self.copies[copy].users.insert(self.current);
        self.copies[copy].results.clone()
    }

    /// Makes the body of a copy, as far as forms are known now.
    fn look(&mut self, at: usize) {
        let Func { params, body, .. } = &self.program.funcs[self.copies[at].source];
        let (params, mut body) = (params.clone(), body.clone());
        self.env = params.into_iter().zip(self.copies[at].args.iter().copied()).collect();
        self.current = at;
        self.block(&mut body);
        let forms: Vec<FormId> = body.results.iter().map(|atom| self.form_of(*atom)).collect();
        let known = self.copies[at].results.clone();
        let joined: Vec<FormId> =
            known.iter().zip(forms).map(|(known, form)| self.forms.join(*known, form)).collect();
        if joined != known {
            self.changed = true;
            self.copies[at].results = joined;
            for user in std::mem::take(&mut self.copies[at].users) {
                self.look_later(user);
            }
        }
        self.copies[at].body = body;
    }

    /// The copy of a function for arguments of these forms.
    fn copy(&mut self, source: FuncId, mut args: Vec<FormId>) -> usize {
        for (place, form) in args.iter_mut().enumerate() {
            if self.forms.is_literal(*form) && !self.has_room_for(source, place, *form) {
                *form = Forms::ANY;
            }
        }
        if let Some(known) = self.by_args.get(&(source, args.clone())) {
            return *known;
        }
        let header = Func {
            params: vec![],
            preconditions: vec![],
            body: Block::default(),
            ..self.program.funcs[source].clone()
        };
        let results = header.results.iter().map(|ty| self.nothing(*ty)).collect();
        let func = self.program.funcs.push(header);
        let at = self.copies.len();
        self.by_args.insert((source, args.clone()), at);
        let (body, users) = (Block::default(), BTreeSet::new());
        self.copies.push(Copy { source, args, func, results, body, users, is_waiting: false });
        self.look_later(at);
        self.changed = true;
        at
    }

    /// Whether a function may be specialised to one number more as an argument.
    fn has_room_for(&mut self, source: FuncId, place: usize, literal: FormId) -> bool {
        let known = self.literals.entry((source, place)).or_default();
        if known.contains(&literal) {
            return true;
        }
        if known.len() == self.most_literals {
            self.forms.limits.insert(Limit::Literals);
            return false;
        }
        known.push(literal);
        true
    }

    /// The request for a copy, and the tag of the constructor that marks what this request saves.
    fn variant(&mut self, source: RequestId, copy: usize) -> (u32, Variant) {
        let Request { active, mode, .. } = self.program.requests[source].clone();
        let (Mode::Push(saved) | Mode::Pull(saved)) = mode else {
            bug(NAME, "a request for a linear map")
        };
        let func = self.copies[copy].func;
        let variants = self.variants.entry(saved).or_default();
        let is_known = |known: &Variant| {
            known.source == source && self.program.requests[known.request].func == func
        };
        if let Some(known) = variants.iter().position(is_known) {
            return (tag(known), variants[known]);
        }
        // Data that hold it are differentiated before its fields are known, so it has tangents from the start.
        let promised = Constructor::new("Residuals".into(), vec![Type::REAL]);
        let name = self.program.datas[saved].name.clone();
        let data = self.program.datas.push(Data {
            name: name.clone(),
            constructors: vec![promised],
            tangent: None,
            is_tangent: false,
        });
        let mode = if matches!(mode, Mode::Push(_)) { Mode::Push(data) } else { Mode::Pull(data) };
        let request = self.program.request(Request { func, active, mode });
        let variant = Variant { source, request, data };
        let constructor = Constructor::new(name, vec![Type::data(data)]);
        self.program.datas[saved].constructors.push(constructor);
        let tag = tag(variants.len());
        variants.push(variant);
        let args = self.copies[copy].args.iter();
        let height = args.map(|form| self.forms.height(*form)).max().unwrap_or(0);
        self.forms.set_height(saved, tag, height + 1);
        self.changed = true;
        (tag, variant)
    }

    /// The form of an atom.
    fn form_of(&mut self, atom: Atom) -> FormId {
        match atom {
            Atom::Var(var) => self.env.get(&var).copied().unwrap_or(Forms::ANY),
            Atom::Int(_) | Atom::Bool(_) | Atom::Real(_) | Atom::Str(_) => self.forms.literal(atom),
        }
    }

    /// The form of a value that never exists.
    fn nothing(&self, ty: Type) -> FormId {
        if self.forms.is_told(&self.program, ty) { Forms::NONE } else { Forms::ANY }
    }

    /// The program of the copies.
    fn finished(mut self) -> Program {
        for Copy { source, func, body, .. } in self.copies {
            let mut atoms = FxHashMap::default();
            let mut params = vec![];
            for param in self.program.funcs[source].params.clone() {
                let own = self.program.fresh_like(param);
                atoms.insert(param, Atom::Var(own));
                params.push(own);
            }
            let body = pullback_ir::rename(&mut self.program, &body, &mut atoms);
            self.program.funcs[func].params = params;
            self.program.funcs[func].body = body;
        }
        self.program
    }
}
