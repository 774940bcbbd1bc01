//! Which sizes, and which Ints, are one number whenever they are there: a whole-program dataflow analysis.
//!
//! Input: a program and its roots. Output: for each dimension of each array or accumulator, for each Int, and for
//! each result of a function: no value, one number, or varying (`Known`).
//! Invariants: the analysis begins with no value at all and joins what each statement gives until nothing changes, so
//! that it finds the least solution. What a check of a size says holds behind the check, in its block. Roots and
//! rules get anything.

use pullback_base::IdVec;
use pullback_ir::{Atom, Block, FuncId, Loop, LoopForm, Op, Program, Stmt, VarId};

use crate::call_graph::{CallGraph, of_rule, request_of};
use crate::facts::array_like;

/// What is known of a size or an Int.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Known {
    /// There is no value.
    #[default]
    Never,
    /// It is this number whenever it is there.
    Is(i64),
    /// It may be any.
    Varies,
}

impl Known {
    fn join(self, other: Self) -> Self {
        match (self, other) {
            (Self::Never, known) | (known, Self::Never) => known,
            (Self::Is(a), Self::Is(b)) if a == b => self,
            (Self::Is(_) | Self::Varies, Self::Is(_) | Self::Varies) => Self::Varies,
        }
    }
}

/// What is known of the sizes of a program's arrays.
pub struct Sizes {
    /// For an array, or an accumulator of one, the size of each dimension; for an Int, its value.
    vars: IdVec<VarId, Vec<Known>>,
    /// The same for the results of functions.
    pub results: IdVec<FuncId, Vec<Vec<Known>>>,
}

impl Sizes {
    /// What is known of a program that is entered at these roots, below which this is the call graph.
    pub fn of(program: &Program, roots: &[FuncId], graph: &CallGraph) -> Self {
        let sizes = Self {
            vars: program.vars.iter().map(|var| vec![Known::Never; places(var.ty)]).collect(),
            results: program
                .funcs
                .iter()
                .map(|func| func.results.iter().map(|ty| vec![Known::Never; places(*ty)]).collect())
                .collect(),
        };
        let mut ctx = Ctx { program, sizes, checked: vec![], has_changed: true };
        let rules = program.rules.iter().flat_map(of_rule);
        for func in roots.iter().copied().chain(rules) {
            for param in &program.funcs[func].params {
                ctx.varies(*param);
            }
        }
        while std::mem::take(&mut ctx.has_changed) {
            for func in &graph.order {
                let body = &program.funcs[*func].body;
                ctx.stmts(body);
                for (at, result) in body.results.iter().enumerate() {
                    let known = ctx.known(*result);
                    let old = &mut ctx.sizes.results[*func][at];
                    ctx.has_changed |= join_into(old, &known);
                }
                ctx.checked.clear();
            }
        }
        ctx.sizes
    }

    /// The sizes of an array variable, or the value of an Int.
    pub fn var(&self, var: VarId) -> &[Known] {
        &self.vars[var]
    }

    /// The number that an Int is.
    pub fn number(&self, var: VarId) -> Option<i64> {
        if let [Known::Is(n)] = self.vars[var][..] { Some(n) } else { None }
    }
}

/// How many numbers are tracked for a value of a type.
fn places(ty: pullback_ir::Type) -> usize {
    if ty.rank > 0 { usize::from(ty.rank) } else { usize::from(ty == pullback_ir::Type::INT) }
}

fn join_into(old: &mut [Known], new: &[Known]) -> bool {
    let mut has_changed = false;
    for (old, new) in old.iter_mut().zip(new) {
        let joined = old.join(*new);
        has_changed |= joined != *old;
        *old = joined;
    }
    has_changed
}

struct Ctx<'p> {
    program: &'p Program,
    sizes: Sizes,
    /// The sizes that checks before this place have made sure of: the array, the dimension, and the number.
    checked: Vec<(VarId, usize, i64)>,
    has_changed: bool,
}

impl Ctx<'_> {
    fn varies(&mut self, var: VarId) {
        let count = self.sizes.vars[var].len();
        self.learn(var, &vec![Known::Varies; count]);
    }

    fn learn(&mut self, var: VarId, known: &[Known]) {
        self.has_changed |= join_into(&mut self.sizes.vars[var], known);
    }

    fn known(&self, atom: Atom) -> Vec<Known> {
        match atom {
            Atom::Int(n) => vec![Known::Is(n)],
            Atom::Var(var) => {
                let mut known = self.sizes.vars[var].clone();
                for (_, at, n) in self.checked.iter().filter(|(of, _, _)| *of == var) {
                    if known[*at] == Known::Varies {
                        known[*at] = Known::Is(*n);
                    }
                }
                known
            }
            Atom::Real(_) | Atom::Bool(_) | Atom::Str(_) => vec![],
        }
    }

    fn number(&self, atom: Atom) -> Known {
        self.known(atom).first().copied().unwrap_or_default()
    }

    fn block(&mut self, block: &Block) {
        let count = self.checked.len();
        self.stmts(block);
        self.checked.truncate(count);
    }

    fn stmts(&mut self, block: &Block) {
        for stmt in &block.stmts {
            self.stmt(stmt);
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match (&stmt.op, stmt.vars.as_slice()) {
            (Op::CheckSize(Atom::Var(array), at, n, _), _) => {
                if let Known::Is(n) = self.number(*n) {
                    self.checked.push((*array, usize::from(*at), n));
                }
            }
            (Op::Call(func, args), vars) => {
                self.enter(*func, args);
                for (at, var) in vars.iter().enumerate() {
                    let known = self.sizes.results[*func][at].clone();
                    self.learn(*var, &known);
                }
            }
            (Op::If(_, then, other), vars) => self.branches(&[then, other], vars),
            (Op::Match(arms), vars) => {
                let params = arms.arms.iter().flat_map(|arm| arm.params.iter().copied());
                params.for_each(|param| self.varies(param));
                let blocks: Vec<&Block> =
                    arms.arms.iter().map(|arm| &arm.block).chain(&arms.default).collect();
                self.branches(&blocks, vars);
            }
            (Op::Loop(looped), vars) => self.repeat(looped, vars),
            (Op::Fail(..) | Op::Undef, _) => {}
            (op, vars) => {
                if let Some(request) = request_of(op)
                    && let Op::Jvp(_, args, _) | Op::Linearize(_, args) = op
                {
                    self.enter(self.program.requests[request].func, args);
                }
                if vars.iter().all(|var| self.sizes.vars[*var].is_empty()) {
                    return;
                }
                match (self.plain(op), vars) {
                    (Some(known), &[var]) => self.learn(var, &known),
                    (_, vars) => vars.iter().for_each(|var| self.varies(*var)),
                }
            }
        }
    }

    /// Joins arguments into the parameters of a function.
    fn enter(&mut self, func: FuncId, args: &[Atom]) {
        for (param, arg) in self.program.funcs[func].params.iter().zip(args) {
            let known = self.known(*arg);
            self.learn(*param, &known);
        }
    }

    fn branches(&mut self, blocks: &[&Block], vars: &[VarId]) {
        for block in blocks {
            let count = self.checked.len();
            self.stmts(block);
            for (var, result) in vars.iter().zip(&block.results) {
                let known = self.known(*result);
                self.learn(*var, &known);
            }
            self.checked.truncate(count);
        }
    }

    fn repeat(&mut self, looped: &Loop, vars: &[VarId]) {
        for (state, init) in looped.states.iter().zip(&looped.init) {
            let known = self.known(*init);
            self.learn(*state, &known);
        }
        let count = match &looped.form {
            LoopForm::For { index, count, .. } => {
                self.varies(*index);
                self.number(*count)
            }
            LoopForm::While(condition) => {
                self.block(condition);
                Known::Varies
            }
        };
        let outer = self.checked.len();
        self.stmts(&looped.body);
        let results: Vec<Vec<Known>> =
            looped.body.results.iter().map(|result| self.known(*result)).collect();
        self.checked.truncate(outer);
        for (at, (var, known)) in vars.iter().zip(results).enumerate() {
            if let Some(state) = looped.states.get(at) {
                self.learn(*state, &known);
                let known = self.sizes.vars[*state].clone();
                self.learn(*var, &known);
            } else {
                // Where there is no iteration nothing is known of rows.
                let rows = if matches!(count, Known::Is(1..)) {
                    known
                } else {
                    vec![Known::Varies; known.len()]
                };
                let is_row = self.program.type_of(looped.body.results[at]).is_array();
                let sizes: Vec<Known> =
                    std::iter::once(count).chain(rows.into_iter().filter(|_| is_row)).collect();
                self.learn(*var, &sizes);
            }
        }
    }

    /// What an operation of one result, without blocks, gives.
    fn plain(&self, op: &Op) -> Option<Vec<Known>> {
        if let Some(a) = array_like(op).filter(|a| self.program.type_of(*a).is_array()) {
            return Some(self.known(a));
        }
        #[expect(clippy::wildcard_enum_match_arm, reason = "of others nothing is known")]
        match op {
            Op::Shape(a, _) | Op::ToTangent(_, a, _) | Op::FromTangent(a, _)
                if self.program.type_of(*a).is_array() =>
            {
                Some(self.known(*a))
            }
            Op::Sized(a, at, n) => {
                let (mut known, at) = (self.known(*a), usize::from(*at));
                let has_rows = known[..at].iter().all(|size| matches!(size, Known::Is(1..)));
                if !has_rows {
                    known[at] = known[at].join(self.number(*n));
                }
                Some(known)
            }
            Op::Copy(a) | Op::Stop(a) => Some(self.known(*a)),
            Op::Index(a, at) | Op::AtAcc(a, at) if self.program.type_of(*a).is_array() => {
                let known = self.known(*a).split_off(at.len());
                // The elements of an array of Ints are not followed.
                (!known.is_empty()).then_some(known)
            }
            Op::Array(items) => {
                let mut known = vec![Known::Is(i64::try_from(items.len()).ok()?)];
                if let Some(first) = items.first()
                    && self.program.type_of(*first).is_array()
                {
                    known.extend(self.known(*first));
                }
                let rank = 1 + items.first().map_or(0, |item| self.program.type_of(*item).rank);
                (known.len() == usize::from(rank) && !items.is_empty()).then_some(known)
            }
            Op::Concat(a, b) => {
                let (mut known, more) = (self.known(*a), self.known(*b));
                let both = known.iter_mut().zip(&more).enumerate();
                both.for_each(|(at, (one, other))| {
                    *one = match (*one, *other) {
                        (Known::Is(m), Known::Is(n)) if at == 0 => {
                            m.checked_add(n).map_or(Known::Varies, Known::Is)
                        }
                        (one, other) if at > 0 => one.join(other),
                        (Known::Never, _) | (_, Known::Never) => Known::Never,
                        _ => Known::Varies,
                    };
                });
                Some(known)
            }
            Op::Select(_, a, b) => {
                let mut known = self.known(*a);
                join_into(&mut known, &self.known(*b));
                Some(known)
            }
            Op::Dim(a, at) => Some(vec![*self.known(*a).get(usize::from(*at))?]),
            _ => None,
        }
    }
}
