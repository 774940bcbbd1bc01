//! Legality of the overwrite log (the tape of overwritten values; Hascoët & Pascual 2013): which arrays a loop saves
//! that could be restored, and by which steps it changes them.
//!
//! ```text
//! forward    b, saved = for i < n with a = m { e = a with [p] = x; yield e  collect a }     saves each array
//! backward   for down j < n { s = saved[j]; …  s[q] … }                                     reads the last first
//! ```
//!
//! A loop, the *forward* one, changes an array that is its state, and saves it in every iteration: the array before
//! the iteration, after it, or between two changes. Another loop, the *backward* one, runs over the same iterations
//! from the last to the first and reads what is saved. Among the changes may be loops inside. The array may be saved
//! in one of them: then a loop inside the backward one reads it.
//!
//! Input: two loops of one block. Output: the steps of an iteration (`steps`), where the array is saved (`saved`),
//! how the backward loop reads it (`reading`), and which indices of the two loops are the same (`Pair`).
//! Invariants: each step takes the array that the step before gives, beginning with the state and ending with its
//! next value. Nothing but the reads that `reading` describes looks at what is saved.

use pullback_analysis::affine::Inside;
use pullback_base::bug;
use pullback_ir::{Atom, Block, Elem, Loop, LoopForm, Match, Op, Program, Stmt, VarId};
use pullback_prim::Prim;
use rustc_hash::{FxHashMap, FxHashSet};

/// A part of how an iteration of the forward loop changes the array.
pub(super) struct Step {
    /// Which statement it is.
    pub place: usize,
    pub change: Change,
}

pub(super) enum Change {
    /// `v1 = v0 with [i] = x`.
    Update,
    /// A loop that has the array as this state.
    Loop(usize, Vec<Step>),
    /// The steps of either branch that give this result. Nothing is saved in branches.
    If(usize, [Vec<Step>; 2]),
}

/// Where the array is saved.
pub(super) struct Saved {
    /// Which result of the forward loop has it for all iterations.
    pub result: usize,
    /// Whether each of them is in a box.
    pub is_boxed: bool,
    pub what: What,
}

pub(super) enum What {
    /// The array after so many steps.
    Version(usize),
    /// What the loop inside that is this step saves.
    Inner(usize, Box<Saved>),
}

/// Where the backward loop finds what iterations saved: an array, or a part of one at the indices of iterations
/// around.
#[derive(Clone, PartialEq)]
pub(super) struct Base {
    pub var: VarId,
    /// The iterations around.
    pub at: Vec<Atom>,
}

impl Base {
    /// What an iteration saved.
    pub fn of(&self, index: VarId) -> Vec<Atom> {
        [self.at.as_slice(), &[Atom::Var(index)]].concat()
    }
}

/// How iterations of the forward loops and of the backward ones correspond.
pub(super) struct Pair<'b> {
    /// Indices of backward loops by those of forward ones.
    pub indices: FxHashMap<VarId, VarId>,
    /// What the forward loop binds.
    pub inside: Inside,
    /// What variables are, in the block around.
    pub defs: FxHashMap<VarId, &'b Op>,
}

/// How deep expressions of indices are looked into.
const DEPTH: usize = 6;

impl<'b> Pair<'b> {
    /// For a forward loop of a block.
    pub fn of(block: &'b Block, forward: &Stmt) -> Self {
        let mut defs = FxHashMap::default();
        define(block, &mut defs);
        let Op::Loop(looped) = &forward.op else {
            bug("overwrite_log", "a loop that changes an array")
        };
        Self { indices: FxHashMap::default(), inside: Inside::of(looped), defs }
    }

    /// Whether an atom of the forward loop and one of the backward loop have the same value in corresponding
    /// iterations, since they are computed alike. Which form they have does not matter.
    pub fn same(&self, forward: Atom, backward: Atom) -> bool {
        self.same_to(forward, backward, DEPTH)
    }

    fn same_to(&self, forward: Atom, backward: Atom, depth: usize) -> bool {
        let (Atom::Var(one), Atom::Var(other)) = (forward, backward) else {
            return forward == backward;
        };
        if self.indices.get(&one) == Some(&other) || one == other && !self.inside.has(one) {
            return true;
        }
        let (Some(one), Some(other)) = (self.defs.get(&one), self.defs.get(&other)) else {
            return false;
        };
        match (one, other) {
            _ if depth == 0 => false,
            (Op::Prim(prim, args), Op::Prim(same, others)) => {
                let mut pairs = args.iter().zip(others);
                prim == same && pairs.all(|(one, other)| self.same_to(*one, *other, depth - 1))
            }
            (Op::Dim(one, k), Op::Dim(other, j)) => k == j && self.same_to(*one, *other, depth - 1),
            _ => false,
        }
    }

    /// Whether loops run as often. A loop that collects has a count that is not negative.
    fn same_counts(&self, forward: Atom, backward: Atom) -> bool {
        let no_less = forward.var().and_then(|var| match self.defs.get(&var) {
            Some(Op::Prim(Prim::IntMax, args)) if args[1] == Atom::Int(0) => Some(args[0]),
            _ => None,
        });
        self.same(forward, backward) || no_less.is_some_and(|count| self.same(count, backward))
    }

    /// Whether an index of the forward loop can be computed again in the backward loop.
    pub fn is_known(&self, program: &Program, atom: Atom) -> bool {
        self.is_known_to(program, atom, DEPTH)
    }

    fn is_known_to(&self, program: &Program, atom: Atom, depth: usize) -> bool {
        let Atom::Var(var) = atom else { return true };
        if self.indices.contains_key(&var) || !self.inside.has(var) {
            return true;
        }
        let ty = program.vars[var].ty;
        let is_int = matches!(ty.elem, Elem::Int | Elem::Bool) && !ty.is_array();
        let is_plain =
            matches!(self.defs.get(&var), Some(Op::Prim(..) | Op::Index(..) | Op::Dim(..)));
        let mut is_known = depth > 0 && is_int && is_plain;
        if let Some(op) = self.defs.get(&var)
            && is_known
        {
            op.for_each_atom(&mut |atom| is_known &= self.is_known_to(program, atom, depth - 1));
        }
        is_known
    }
}

fn define<'b>(block: &'b Block, defs: &mut FxHashMap<VarId, &'b Op>) {
    for stmt in &block.stmts {
        if let [var] = stmt.vars.as_slice() {
            defs.insert(*var, &stmt.op);
        }
        stmt.op.blocks().into_iter().for_each(|inner| define(inner, defs));
    }
}

/// The loop of a statement if it runs up or down as asked, with its index and count.
pub(super) fn counted(stmt: &Stmt, is_down: bool) -> Option<(&Loop, VarId, Atom)> {
    if let Op::Loop(repeat) = &stmt.op
        && let LoopForm::For { index, count, down } = repeat.form
        && down == is_down
    {
        return Some((repeat, index, count));
    }
    None
}

/// The steps by which a forward loop changes one of its states in an iteration, if these are only updates, inner
/// loops and branches.
pub(super) fn steps(program: &Program, stmt: &Stmt, state: usize) -> Option<Vec<Step>> {
    let (repeat, ..) = counted(stmt, false)?;
    let start = *repeat.states.get(state)?;
    let (steps, first) = steps_to(program, &repeat.body, repeat.body.results[state])?;
    (first == start && !steps.is_empty()).then_some(steps)
}

/// The steps of a block that lead to an array, and the array from outside with which they begin.
fn steps_to(program: &Program, block: &Block, last: Atom) -> Option<(Vec<Step>, VarId)> {
    let mut version = last.var()?;
    let ty = program.vars[version].ty;
    let mut steps_back = vec![];
    while let Some(place) = definition(block, version) {
        let stmt = &block.stmts[place];
        let position = stmt.vars.iter().position(|var| *var == version)?;
        #[expect(clippy::wildcard_enum_match_arm, reason = "others do not change an array")]
        let (before, change) = match &stmt.op {
            // What is written over is a number, or a row of them.
            Op::Update(before, at, _) if at.len() + 1 >= usize::from(ty.rank) => {
                (*before, Change::Update)
            }
            Op::Loop(repeat) => {
                let inner = steps(program, stmt, position)?;
                (repeat.init[position], Change::Loop(position, inner))
            }
            Op::If(_, then, other) if nothing(ty.elem).is_some() => {
                let [(then, before), (other, same)] = [
                    steps_to(program, then, then.results[position])?,
                    steps_to(program, other, other.results[position])?,
                ];
                if before != same {
                    return None;
                }
                (Atom::Var(before), Change::If(position, [then, other]))
            }
            _ => return None,
        };
        steps_back.push(Step { place, change });
        version = before.var()?;
    }
    steps_back.reverse();
    Some((steps_back, version))
}

/// The placeholder for a value of this type.
pub(super) fn nothing(elem: Elem) -> Option<Atom> {
    match elem {
        Elem::Real => Some(Atom::Real(0.0)),
        Elem::Int => Some(Atom::Int(0)),
        Elem::Bool => Some(Atom::Bool(false)),
        Elem::Str | Elem::Unit | Elem::Data(_) => None,
    }
}

/// The statement of a block that binds a variable.
fn definition(block: &Block, var: VarId) -> Option<usize> {
    block.stmts.iter().position(|stmt| stmt.vars.contains(&var))
}

/// Where a forward loop saves the array.
pub(super) fn saved(program: &Program, stmt: &Stmt, state: usize, steps: &[Step]) -> Vec<Saved> {
    let Some((repeat, ..)) = counted(stmt, false) else { return vec![] };
    let body = &repeat.body;
    let mut saved_rows = vec![];
    let mut version = repeat.states[state];
    for (at, step) in steps.iter().enumerate() {
        let what = |(result, is_boxed)| Saved { result, is_boxed, what: What::Version(at) };
        saved_rows.extend(collected(program, repeat, version).into_iter().map(what));
        let stmt = &body.stmts[step.place];
        let (position, inner) = match &step.change {
            Change::Update => (0, None),
            Change::If(position, _) => (*position, None),
            Change::Loop(position, inner) => (*position, Some(inner)),
        };
        version = stmt.vars[position];
        let Some(inner) = inner else { continue };
        for one in saved(program, stmt, position, inner) {
            let var = stmt.vars[one.result];
            if let [(result, is_boxed)] = *collected(program, repeat, var)
                && body.mentions(var) == 1
            {
                saved_rows.push(Saved { result, is_boxed, what: What::Inner(at, Box::new(one)) });
            }
        }
    }
    let what = |(result, is_boxed)| {
        let what = What::Version(steps.len());
        Saved { result, is_boxed, what }
    };
    saved_rows.extend(collected(program, repeat, version).into_iter().map(what));
    saved_rows
}

/// The results of a loop that collect a variable of its body, and whether it is in a box there.
fn collected(program: &Program, repeat: &Loop, what: VarId) -> Vec<(usize, bool)> {
    let results = repeat.body.results.iter().enumerate().skip(repeat.states.len());
    let as_saved = |(result, atom): (usize, &Atom)| {
        Some((result, is_saved(program, &repeat.body, atom.var()?, what)?))
    };
    results.filter_map(as_saved).collect()
}

/// If a collected variable holds `what`, perhaps with sizes for absent rows: whether it is in a box.
fn is_saved(program: &Program, body: &Block, var: VarId, what: VarId) -> Option<bool> {
    if var == what {
        return Some(false);
    }
    // It is made to be collected.
    let place = definition(body, var).filter(|_| body.mentions(var) == 1)?;
    #[expect(clippy::wildcard_enum_match_arm, reason = "others are other values")]
    match &body.stmts[place].op {
        Op::Sized(Atom::Var(array), ..) => is_saved(program, body, *array, what),
        Op::Con(0, fields) => {
            let [Atom::Var(field)] = fields.as_slice() else { return None };
            let Elem::Data(data) = program.vars[var].ty.elem else { return None };
            let is_box = program.datas[data].constructors.len() == 1;
            (is_box && is_saved(program, body, *field, what) == Some(false)).then_some(true)
        }
        _ => None,
    }
}

/// What a backward loop reads of what is saved.
pub(super) struct Reading {
    /// The loop inside that reads what the loop inside saved, the place of that in the body, and how it reads it.
    pub inner: Option<(usize, Base, Box<Reading>)>,
}

/// How a backward loop reads what is saved, if it does nothing else with it and runs over the same iterations.
pub(super) fn reading(
    program: &Program,
    (forward, backward): (&Stmt, &Stmt),
    steps: &[Step],
    saved: &Saved,
    base: &Base,
    pair: &mut Pair<'_>,
) -> Option<Reading> {
    let (repeat, forward_index, forward_count) = counted(forward, false)?;
    let (back, index, count) = counted(backward, true)?;
    if !pair.same_counts(forward_count, count) || back.init.contains(&Atom::Var(base.var)) {
        return None;
    }
    pair.indices.insert(forward_index, index);
    let at = base.of(index);
    let What::Inner(step, inner_saved) = &saved.what else {
        let mut reads = Reads { base, at: &at, boxes: FxHashSet::default() };
        return reads.block(&back.body, saved.is_boxed).then_some(Reading { inner: None });
    };
    let Step { place, change: Change::Loop(_, steps) } = &steps[*step] else { return None };
    let inner_base = inner_base(program, &back.body, base, &at, saved.is_boxed)?;
    let in_blocks = |stmt: &Stmt| -> usize {
        stmt.op.blocks().iter().map(|block| block.mentions(inner_base.var)).sum()
    };
    let stmts = &back.body.stmts;
    let reader = stmts.iter().position(|stmt| in_blocks(stmt) > 0)?;
    // Nothing else looks at it.
    if in_blocks(&stmts[reader]) != back.body.mentions(inner_base.var) {
        return None;
    }
    let loops = (&repeat.body.stmts[*place], &stmts[reader]);
    let inner = reading(program, loops, steps, inner_saved, &inner_base, pair)?;
    Some(Reading { inner: Some((reader, inner_base, Box::new(inner))) })
}

/// Where an iteration of a backward loop finds what a loop inside saved: taken out of its box or its array, or still
/// in the array of all iterations.
fn inner_base(
    program: &Program,
    body: &Block,
    base: &Base,
    at: &[Atom],
    is_boxed: bool,
) -> Option<Base> {
    let is_row =
        |op: &Op| matches!(op, Op::Index(Atom::Var(var), i) if *var == base.var && i == at);
    let row = body.stmts.iter().find(|stmt| is_row(&stmt.op));
    let Some(row) = row else {
        return (!is_boxed).then(|| Base { var: base.var, at: at.to_vec() });
    };
    if body.mentions(base.var) != 1 {
        return None;
    }
    let var = row.vars[0];
    if !is_boxed {
        return program.vars[var].ty.is_array().then(|| Base { var, at: vec![] });
    }
    let content = body.stmts.iter().find(|stmt| opened(&stmt.op, var))?.vars[0];
    (body.mentions(var) == 1).then(|| Base { var: content, at: vec![] })
}

/// Whether an operation takes out of a box what is in it.
pub(super) fn opened(op: &Op, of: VarId) -> bool {
    let Op::Match(Match { scrutinee, arms, default: None }) = op else { return false };
    let [arm] = arms.as_slice() else { return false };
    *scrutinee == Atom::Var(of)
        && arm.block.stmts.is_empty()
        && matches!((arm.params.as_slice(), arm.block.results.as_slice()), ([param], [result]) if *result == Atom::Var(*param))
}

/// The reads of what the same iteration saved.
struct Reads<'r> {
    base: &'r Base,
    at: &'r [Atom],
    boxes: FxHashSet<VarId>,
}

impl Reads<'_> {
    /// Whether a block looks at nothing else of what is saved.
    fn block(&mut self, block: &Block, is_boxed: bool) -> bool {
        let is_fine = block.stmts.iter().all(|stmt| {
            let mut is_named = false;
            stmt.op.for_each_atom(&mut |atom| {
                is_named |=
                    atom.var().is_some_and(|var| var == self.base.var || self.boxes.contains(&var));
            });
            if is_named && !self.is_read(stmt, is_boxed) {
                return false;
            }
            stmt.op.blocks().into_iter().all(|inner| self.block(inner, is_boxed))
        });
        let is_saved = |atom: &Atom| {
            atom.var().is_some_and(|var| var == self.base.var || self.boxes.contains(&var))
        };
        is_fine && !block.results.iter().any(is_saved)
    }

    fn is_read(&mut self, stmt: &Stmt, is_boxed: bool) -> bool {
        if let Op::Index(Atom::Var(var), at) = &stmt.op
            && *var == self.base.var
        {
            if is_boxed {
                self.boxes.extend(&stmt.vars);
            }
            return if is_boxed { at == self.at } else { at.starts_with(self.at) };
        }
        matches!(&stmt.op, Op::Match(Match { scrutinee: Atom::Var(var), .. }) if self.boxes.contains(var) && opened(&stmt.op, *var))
    }
}
