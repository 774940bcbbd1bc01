//! Strong products become plain products where the (co)tangent is never absent: a forward dataflow analysis of
//! absence.
//!
//! ```text
//! t = mul(y_bar, p)            t = mul(y_bar, p)
//! u = mul_zero(t, q)    =>     u = mul(t, q)
//! ```
//!
//! A (co)tangent may be absent, with a zero in its place, where it comes from a zero, from an accumulator to which
//! perhaps nothing was added, or from a branch that gives one. What is computed from numbers that are present is
//! present, and a sum is present if one of its parts is: so is all of an accumulator to which a whole array was added,
//! or something at each row, and the sum of an array of which one element is. The analysis starts with everything
//! present and marks what may be absent until nothing changes; it goes through calls, fields of data, and states of
//! loops.
//!
//! Law: `mul_zero(t, x) = t * x` if `t` is present. Where `t` is present and is the number 0, and `x` is infinite or
//! NaN, the result is NaN as for any other product. A parameter of a function that a rule or a request names may be
//! absent; that of a root is present.

use pullback_ir::{Atom, Block, DataId, Elem, FuncId, Loop, LoopForm, Op, Program, Stmt, VarId};
use pullback_prim::Prim;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::pass::{Pass, Phase, Scope, each_body};

use pullback_analysis::flow::{Place, arrivals, departures, returns};
use pullback_analysis::horn::Horn;
use pullback_analysis::{Analyses, Changed};

pub(crate) const PASS: Pass = Pass {
    name: "drop_strong_zeros",
    phase: Phase::Simplify,
    scope: Scope::Anywhere,
    runs_last: false,
    runs_in_trial: false,
    about: "makes products of strong products with what is never absent",
    law: "mul_zero(t, x) = t * x, if t is a (co)tangent that is there",
    run,
};

fn run(program: &mut Program, roots: &mut [FuncId], analyses: &mut Analyses) -> Changed {
    let facts = analyses.facts(program);
    let (horn, read) = (Horn::default(), FxHashSet::default());
    let mut absence = Absence { program, horn, facts: vec![], read };
    let graph = analyses.call_graph(program, roots);
    for (id, func) in program.funcs.iter_enumerated() {
        if graph.is_held[id] && !roots.contains(&id) {
            absence.facts.extend(func.params.iter().copied().map(Value::Var));
        }
        returns(id, func, &mut |atom, place, _| absence.follows(atom, of_place(place)));
        absence.block(&func.body, &facts.func(id).covers);
    }
    let absent = absence.horn.consequences(absence.facts);
    each_body(program, |_, body| {
        let mut changed = false;
        body.visit_mut(&mut |stmt| {
            if let Op::MulZero(t, x) = stmt.op
                && !is_absent(&absent, t)
            {
                stmt.op = Op::Prim(Prim::Mul, vec![t, x]);
                changed = true;
            }
        });
        changed
    })
}

/// What may be absent, or may have a part that is.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Value {
    Var(VarId),
    Result(FuncId, usize),
    /// A field of a constructor of a type, in any value.
    Field(DataId, u32, usize),
    /// All elements of an array at once.
    All(VarId),
    /// What is read of an accumulator, if only some of what was added to it counts: so many of the summands, and
    /// whether it is about all elements at once.
    Part(VarId, usize, bool),
}

fn of_place(place: Place) -> Value {
    match place {
        Place::Var(var) => Value::Var(var),
        Place::Result(func, at) => Value::Result(func, at),
    }
}

fn is_absent(absent: &FxHashSet<Value>, atom: Atom) -> bool {
    match atom {
        Atom::Var(var) => absent.contains(&Value::Var(var)),
        Atom::Real(x) => x == 0.0,
        Atom::Int(_) | Atom::Bool(_) | Atom::Str(_) => false,
    }
}

/// What is absent where other values are.
struct Absence<'p> {
    program: &'p Program,
    horn: Horn<Value>,
    /// What may be absent by itself.
    facts: Vec<Value>,
    /// What is read of accumulators to which something was added for sure.
    read: FxHashSet<VarId>,
}

/// Something that is added to an accumulator for sure: the summand, and whether each element gets a part of it.
type Summand = (Atom, bool);

impl Absence<'_> {
    /// Looks at a block. `covers` are the loops that meet each row of an accumulator or array.
    fn block(&mut self, block: &Block, covers: &FxHashSet<(VarId, VarId)>) {
        let mut added: FxHashMap<VarId, Vec<Summand>> = FxHashMap::default();
        for stmt in &block.stmts {
            #[expect(clippy::wildcard_enum_match_arm, reason = "others add nothing for sure")]
            match &stmt.op {
                Op::NewAcc(_) => drop(added.insert(stmt.vars[0], vec![])),
                Op::AddAcc(Atom::Var(acc), at, summand) => {
                    let of = added.get_mut(acc);
                    of.into_iter().for_each(|of| of.push((*summand, at.is_empty())));
                }
                Op::Loop(form) => each_row(form, covers, &mut added),
                _ => {}
            }
            if let Op::ReadAcc(Atom::Var(acc)) = &stmt.op
                && let Some(summands) = added.get(acc).filter(|of| !of.is_empty())
            {
                self.sum(stmt.vars[0], *acc, summands);
            } else if let Op::Loop(form) = &stmt.op {
                self.loop_(stmt, form, covers);
            } else {
                self.stmt(stmt);
            }
            stmt.op.blocks().into_iter().for_each(|inner| self.block(inner, covers));
        }
    }

    /// States when what is read of an accumulator may be absent: only if all may be that was added.
    fn sum(&mut self, var: VarId, acc: VarId, summands: &[Summand]) {
        self.read.insert(var);
        for all in [false, true] {
            let mut last = Value::Var(acc);
            let counts = summands.iter().filter(|(_, is_whole)| *is_whole || all);
            for (at, (summand, _)) in counts.enumerate() {
                let next = Value::Part(var, at, all);
                match summand {
                    Atom::Var(summand) => {
                        self.horn.imply_jointly(last, Value::Var(*summand), next);
                    }
                    Atom::Real(0.0) => self.horn.imply(last, next),
                    Atom::Real(_) | Atom::Int(_) | Atom::Bool(_) | Atom::Str(_) => {}
                }
                last = next;
            }
            self.horn.imply(last, if all { Value::All(var) } else { Value::Var(var) });
        }
    }

    /// That all elements of an array may be absent at once.
    fn all(&self, array: VarId) -> Value {
        if self.read.contains(&array) { Value::All(array) } else { Value::Var(array) }
    }

    /// A loop. The sum of all elements of an array may be absent only if all of them may be.
    fn loop_(&mut self, stmt: &Stmt, form: &Loop, covers: &FxHashSet<(VarId, VarId)>) {
        let program = self.program;
        arrivals(program, stmt, &mut |atom, place, _| self.follows(atom, of_place(place)));
        let mut at = 0;
        departures(stmt, &mut |var, place| {
            match summed(form, at, covers) {
                Some(array) => {
                    let all = self.all(array);
                    self.horn.imply_jointly(of_place(place), all, Value::Var(var));
                }
                None => self.horn.imply(of_place(place), Value::Var(var)),
            }
            at += 1;
        });
    }

    /// A value may be absent if an atom may be.
    fn follows(&mut self, atom: Atom, value: Value) {
        match atom {
            Atom::Var(var) => self.horn.imply(Value::Var(var), value),
            Atom::Real(0.0) => self.facts.push(value),
            Atom::Real(_) | Atom::Int(_) | Atom::Bool(_) | Atom::Str(_) => {}
        }
    }

    /// A sum may be absent if both its terms may be.
    fn follows_both(&mut self, one: Atom, other: Atom, value: Value) {
        match (one, other) {
            (Atom::Var(one), Atom::Var(other)) => {
                self.horn.imply_jointly(Value::Var(one), Value::Var(other), value);
            }
            (Atom::Real(0.0), atom) | (atom, Atom::Real(0.0)) => self.follows(atom, value),
            _ => {}
        }
    }

    fn data(&self, atom: Atom) -> DataId {
        match self.program.type_of(atom).elem {
            Elem::Data(data) => data,
            Elem::Real | Elem::Int | Elem::Bool | Elem::Str | Elem::Unit => {
                pullback_base::bug("drop_strong_zeros", "a data value")
            }
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        let program = self.program;
        arrivals(program, stmt, &mut |atom, place, _| self.follows(atom, of_place(place)));
        departures(stmt, &mut |var, place| self.horn.imply(of_place(place), Value::Var(var)));
        #[expect(clippy::wildcard_enum_match_arm, reason = "others give one value")]
        match &stmt.op {
            Op::If(..) | Op::Loop(_) | Op::Call(..) => {}
            Op::Sum(Atom::Var(array)) => {
                let all = self.all(*array);
                self.horn.imply(all, Value::Var(stmt.vars[0]));
            }
            Op::Match(cases) => {
                let data = self.data(cases.scrutinee);
                for arm in &cases.arms {
                    for (at, param) in arm.params.iter().enumerate() {
                        self.horn.imply(Value::Field(data, arm.tag, at), Value::Var(*param));
                        self.follows(cases.scrutinee, Value::Var(*param));
                    }
                }
            }
            Op::Con(tag, fields) => {
                let data = self.data(stmt.vars[0].into());
                for (at, field) in fields.iter().enumerate() {
                    self.follows(*field, Value::Field(data, *tag, at));
                }
            }
            op => stmt.vars.iter().for_each(|var| self.value(op, Value::Var(*var))),
        }
    }

    /// States when the value of an operation without blocks may be absent.
    fn value(&mut self, op: &Op, value: Value) {
        #[expect(clippy::wildcard_enum_match_arm, reason = "others may always be")]
        match op {
            // A sum is there if a part of it is.
            Op::Prim(Prim::Add | Prim::Sub, args) => self.follows_both(args[0], args[1], value),
            Op::Plus(a, b) => self.follows_both(*a, *b, value),
            Op::MulZero(a, _) | Op::Index(a, _) => self.follows(*a, value),
            Op::Undef | Op::Dim(_, _) | Op::Shape(_, _) | Op::Argsort(_) => {}
            Op::Copy(_)
            | Op::Stop(_)
            | Op::Prim(_, _)
            | Op::Select(_, _, _)
            | Op::Array(_)
            | Op::Update(_, _, _)
            | Op::Slice(_, _, _)
            | Op::Concat(_, _)
            | Op::Flatten(_)
            | Op::Sized(_, _, _)
            | Op::Sum(_)
            | Op::NewAcc(_)
            | Op::AtAcc(_, _)
            | Op::PartAcc(_, _, _)
            | Op::ReadAcc(_) => op.for_each_atom(&mut |atom| self.follows(atom, value)),
            _ => self.facts.push(value),
        }
    }
}

/// Notes what a loop adds to each row of an accumulator.
fn each_row(
    form: &Loop,
    covers: &FxHashSet<(VarId, VarId)>,
    added: &mut FxHashMap<VarId, Vec<Summand>>,
) {
    let LoopForm::For { index, .. } = form.form else { return };
    for stmt in &form.body.stmts {
        if let Op::AddAcc(Atom::Var(acc), at, summand) = &stmt.op
            && at[..] == [Atom::Var(index)]
            && covers.contains(&(index, *acc))
            && let Some(of) = added.get_mut(acc)
        {
            of.push((*summand, true));
        }
    }
}

/// The array, if any, all of whose elements a loop adds to a state or subtracts from it.
fn summed(form: &Loop, state: usize, covers: &FxHashSet<(VarId, VarId)>) -> Option<VarId> {
    let LoopForm::For { index, .. } = form.form else { return None };
    let made_by = |atom: Atom| {
        let var = atom.var()?;
        let mut makers = form.body.stmts.iter().filter(|stmt| stmt.vars == [var]);
        makers.next().map(|stmt| &stmt.op)
    };
    let own = Atom::Var(form.states[state]);
    let Op::Prim(prim @ (Prim::Add | Prim::Sub), args) = made_by(form.body.results[state])? else {
        return None;
    };
    let element = match args[..] {
        [state, element] if state == own => element,
        [element, state] if state == own && *prim == Prim::Add => element,
        _ => return None,
    };
    let mut op = made_by(element)?;
    if let Op::Prim(Prim::Neg, args) = op {
        op = made_by(args[0])?;
    }
    let Op::Index(Atom::Var(array), at) = op else { return None };
    (at[..] == [Atom::Var(index)] && covers.contains(&(index, *array))).then_some(*array)
}
