//! Dependence test for loop parallelisation outside kernels: which loops threads may share out, and what of their
//! iterations is done in order.
//!
//! Input: a program; then a loop, and which statements of it cannot fail. Output: a [`ParallelLoop`] if threads may run the
//! iterations: what the loop needs from outside, and the statements to do in order afterwards. `parallel_loops_text`
//! writes it, and has the example.
//!
//! Law: iterations may hang on each other only by a few numbers, through statements that cannot fail and give numbers
//! (a fold). The loop collects numbers, rows of numbers, or data that holds no array and no String. It tells nothing,
//! since lines have an order. It adds to an accumulator only in the part that its index names, or to sums that need not
//! keep their order. It calls nothing that uses a constant with counted cells, as their counts are not for several
//! threads.

use std::rc::Rc;

use pullback_base::IdVec;
use pullback_ir::{
    Atom, Block, DataId, Elem, FuncId, Loop, LoopForm, Op, Program, Stmt, Type, VarId,
};
use pullback_prim::Prim;
use rustc_hash::FxHashSet;

use crate::layout::with_cells;
use pullback_analysis::access::{Access, Roots, accumulators};
use pullback_analysis::call_graph::{reaching, run_by, runs};
use pullback_analysis::cost::is_straight;
use pullback_analysis::datas::holds;
use pullback_analysis::effects::debug::Tells;
use pullback_analysis::facts::FuncFacts;

/// How many numbers an iteration may leave for what is done in order.
const LEFT: usize = 16;

/// How a loop is shared out.
pub(super) struct ParallelLoop {
    /// The variables from outside, in the order of their first use.
    pub outside: Vec<VarId>,
    /// The variables of statements that are done in order, after the iterations.
    pub folded: FxHashSet<VarId>,
    /// The numbers of each iteration that these statements need.
    pub left: Vec<VarId>,
    /// The accumulators that all iterations add to: each piece of the loop adds to a place of its own.
    pub summed: Vec<VarId>,
    /// Whether it collects values with cells, which then lie in the memory of a thread.
    pub keeps: bool,
}

/// What the dependence test knows of the functions of a program.
pub(super) struct ParallelLoops {
    tells: Tells,
    /// Whether a function reaches a constant that holds cells, which count for all threads.
    meets_cells: IdVec<FuncId, bool>,
    /// Whether a function reaches any constant.
    meets_constants: IdVec<FuncId, bool>,
    /// Which data types hold no array and no String, however deep.
    bare: IdVec<DataId, bool>,
    /// Whether a function is reached from elsewhere than such loops, so that its own may be shared out.
    holds: IdVec<FuncId, bool>,
    whole_accs: Rc<FxHashSet<VarId>>,
    /// Whether what is added up keeps its order.
    is_ordered: bool,
}

impl ParallelLoops {
    pub fn of(
        program: &Program,
        roots: &[FuncId],
        whole_accs: &Rc<FxHashSet<VarId>>,
        is_ordered: bool,
    ) -> Self {
        let has_cells = with_cells(&program.datas);
        let is_uncounted = |ty: &Type| match ty.elem {
            Elem::Real | Elem::Int | Elem::Bool | Elem::Unit => true,
            Elem::Data(data) => !ty.is_array() && !has_cells[data],
            Elem::Str => false,
        };
        let meets_cells =
            reaching(program, |func| func.is_constant && !func.results.iter().all(is_uncounted));
        let mut parallel_loops = Self {
            tells: Tells::of(program),
            meets_cells,
            meets_constants: reaching(program, |func| func.is_constant),
            bare: bare(program),
            holds: program.funcs.iter().map(|_| false).collect(),
            whole_accs: Rc::clone(whole_accs),
            is_ordered,
        };
        let mut todo = roots.to_vec();
        while let Some(func) = todo.pop() {
            if !std::mem::replace(&mut parallel_loops.holds[func], true) {
                parallel_loops.callees(program, &program.funcs[func].body, &mut todo);
            }
        }
        parallel_loops
    }

    /// Whether a function may have loops that are shared out.
    pub fn holds(&self, func: FuncId) -> bool {
        self.holds[func]
    }

    /// The functions that a block calls outside loops that may be shared out.
    fn callees(&self, program: &Program, block: &Block, to: &mut Vec<FuncId>) {
        for stmt in &block.stmts {
            #[expect(clippy::wildcard_enum_match_arm, reason = "all others are treated alike")]
            match &stmt.op {
                Op::Loop(looped)
                    if self.parallel_loop(program, looped, &FuncFacts::default()).is_some() => {}
                Op::Loop(Loop { form: LoopForm::While(cond), body, .. }) => {
                    self.callees(program, cond, to);
                    self.callees(program, body, to);
                }
                _ if stmt.op.blocks().is_empty() => {
                    to.extend(run_by(program, &stmt.op));
                }
                op => op.blocks().into_iter().for_each(|inner| self.callees(program, inner, to)),
            }
        }
    }

    /// How a loop is shared out, if it may be. `facts` are what is known of its function.
    pub fn parallel_loop(
        &self,
        program: &Program,
        looped: &Loop,
        facts: &FuncFacts,
    ) -> Option<ParallelLoop> {
        let LoopForm::For { index, count, .. } = looped.form else { return None };
        let body = &looped.body;
        let is_single = matches!(count, Atom::Int(count) if count < 2);
        let states = looped.states.len();
        let mut results = body.results[states..].iter().map(|atom| program.type_of(*atom));
        let keeps = !results.clone().all(is_plain);
        let callees = runs(program, body);
        let meets = if keeps { &self.meets_constants } else { &self.meets_cells };
        let fits = !is_single
            && !is_straight(body)
            && results.all(|ty| is_plain(ty) || (!ty.is_array() && is_bare(&self.bare, ty)))
            && !self.tells.block(program, body)
            && !callees.iter().any(|callee| meets[*callee]);
        if !fits {
            return None;
        }
        let bound: FxHashSet<VarId> = body
            .free()
            .into_iter()
            .filter(|var| *var == index || looped.states.contains(var))
            .collect();
        let mut outside: Vec<VarId> = body.free();
        outside.retain(|var| !bound.contains(var));
        if let Some(count) = count.var().filter(|count| !outside.contains(count)) {
            outside.push(count);
        }
        // What is kept may hold parts of the copies that a thread has.
        if keeps && !outside.iter().all(|var| is_bare(&self.bare, program.vars[*var].ty)) {
            return None;
        }
        let is_acc = |var: &VarId| program.vars[*var].ty.is_acc;
        let mut summed: Vec<VarId> = outside.iter().copied().filter(is_acc).collect();
        if summed.iter().any(|acc| program.vars[*acc].ty.elem != Elem::Real) {
            return None;
        }
        if summed.len() < 2 || summed.iter().all(|acc| self.whole_accs.contains(acc)) {
            let roots = Roots::within(program, &[], body, false);
            let ways = accumulators(program, &roots, looped);
            summed.retain(|acc| {
                !program.vars[*acc].ty.is_array() || !ways.contains(&(*acc, Access::Own(*acc, 0)))
            });
        }
        if !summed.is_empty() && self.is_ordered {
            return None;
        }
        let (folded, left) = folds(program, looped, facts)?;
        Some(ParallelLoop { outside, folded, left, summed, keeps })
    }
}

/// The accumulators that are made in the functions that use them.
pub(super) fn whole_accs(program: &Program) -> FxHashSet<VarId> {
    let mut own = FxHashSet::default();
    for func in program.funcs.iter() {
        func.body.visit(&mut |stmt| {
            if let Op::NewAcc(_) = stmt.op {
                own.extend(&stmt.vars);
            }
        });
    }
    own
}

/// Which data types hold no array and no String, however deep.
fn bare(program: &Program) -> IdVec<DataId, bool> {
    let is_more = |ty: Type| ty.is_array() || ty.elem == Elem::Str;
    program.datas.ids().map(|data| !holds(program, data, is_more)).collect()
}

/// Whether the elements of a value are numbers, or data that holds no array and no String.
fn is_bare(bare: &IdVec<DataId, bool>, ty: Type) -> bool {
    match ty.elem {
        Elem::Real | Elem::Int | Elem::Bool | Elem::Unit => true,
        Elem::Data(data) => bare[data],
        Elem::Str => false,
    }
}

/// Whether a value is numbers alone.
fn is_plain(ty: Type) -> bool {
    matches!(ty.elem, Elem::Real | Elem::Int | Elem::Bool)
}

/// What statements bind that hang on the states, whatever shape these have, and what they need of the iteration, if all of that is a few numbers.
fn folds(
    program: &Program,
    looped: &Loop,
    facts: &FuncFacts,
) -> Option<(FxHashSet<VarId>, Vec<VarId>)> {
    let (body, states) = (&looped.body, looped.states.len());
    let is_number = |ty: Type| !ty.is_array() && !ty.is_acc && is_plain(ty);
    if !looped.states.iter().all(|state| is_number(program.vars[*state].ty)) {
        return None;
    }
    let mut folded: FxHashSet<VarId> = looped.states.iter().copied().collect();
    let mut bound: FxHashSet<VarId> = FxHashSet::default();
    let mut needed: Vec<VarId> = vec![];
    for stmt in &body.stmts {
        let mut atoms = vec![];
        stmt.op.for_each_atom(&mut |atom| atoms.extend(atom.var()));
        for block in stmt.op.blocks() {
            atoms.extend(block.free());
        }
        if atoms.iter().any(|var| folded.contains(var)) {
            let numbers =
                stmt.vars.iter().chain(&atoms).all(|var| is_number(program.vars[*var].ty));
            if !numbers || !is_fold(stmt, facts.is_proven(stmt)) {
                return None;
            }
            needed.extend(atoms);
            folded.extend(stmt.vars.iter().copied());
        } else {
            bound.extend(stmt.vars.iter().copied());
        }
    }
    if body.results[states..].iter().filter_map(|atom| atom.var()).any(|var| folded.contains(&var))
    {
        return None;
    }
    needed.extend(body.results[..states].iter().filter_map(|atom| atom.var()));
    let mut left: Vec<VarId> = vec![];
    for var in needed {
        if bound.contains(&var) && !left.contains(&var) {
            left.push(var);
        }
    }
    looped.states.iter().for_each(|state| {
        folded.remove(state);
    });
    (left.len() <= LEFT).then_some((folded, left))
}

/// Whether a statement is a step of numbers that does not fail.
fn is_fold(stmt: &Stmt, is_proven: bool) -> bool {
    #[expect(clippy::wildcard_enum_match_arm, reason = "others are not for numbers alone")]
    match &stmt.op {
        // Of primitives that may fail these are mere operators where they do not.
        Op::Prim(Prim::IntAdd | Prim::IntSub | Prim::IntMul, _) => is_proven,
        Op::Prim(prim, _) => prim.row().is_pure(),
        Op::Select(..) | Op::Copy(_) | Op::MulZero(..) => true,
        _ => false,
    }
}
