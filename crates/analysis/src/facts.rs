//! Value-range analysis (Harrison 1977) with symbolic bounds, and shape analysis of arrays: what is known of sizes and
//! Ints, which operations cannot fail because of it, and what gives a size more cheaply.
//!
//! Input: a program. Output: [`Facts`], by the ids of statements.
//!
//! ```text
//! n.1: i64 = dim(x.0, 0)
//! for i.2 < n.1 { e.3 = x.0[i.2] }       0 <= i.2 <= n.1 - 1, and n.1 is the size of x.0: the index cannot fail
//! m.4: i64 = int_mul(n.1, n.1)           0 <= m.4, and no more: bounds have one symbol and a number
//! ```
//!
//! One sweep forward through each function, whatever becomes of others. A size is a symbol: a number, the size of a
//! dimension, or an Int variable. Inner sizes are known on the condition that there are rows, if not `is_exact`. A loop
//! is swept with its states as they begin, then without what changed, until what was assumed holds.
//!
//! Law: what is proved holds in every run that reaches the statement: with [`Facts::of`] wherever its operands are,
//! with [`Facts::in_place`] only where it stands.

mod boxes;
mod branch;
mod condition;
mod counter;
mod given;
mod range;
mod size;
mod symbol;

use std::rc::Rc;

use pullback_base::{Id, IdVec};
use pullback_ir::{
    Atom, Block, Func, FuncId, Loop, LoopForm, Op, Precondition, Program, Stmt, StmtId, VarId,
};
use rustc_hash::{FxHashMap, FxHashSet};

use self::condition::Condition;
pub use self::given::{Given, GivenSizes};
pub use self::symbol::{Handed, Symbol};
use self::symbol::{Size, of_own};

/// What is known of the statements of a program, function by function. They have the ids that they had then.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    funcs: IdVec<FuncId, Rc<FuncFacts>>,
}

/// What is known of the statements of a function.
#[derive(Debug, Default)]
pub struct FuncFacts {
    /// Whether a statement cannot fail itself, for reasons that it alone does not show.
    proven: Vec<bool>,
    /// The statements among those that cannot fail inside loops around them, but could before these: inside how many.
    pub inside: FxHashMap<StmtId, usize>,
    /// The others among those that cannot fail before the branches around them either.
    pub anywhere: FxHashSet<StmtId>,
    /// What a statement of one result gives, by an operation that is cheaper.
    pub known: FxHashMap<StmtId, Op>,
    /// What else the count of a loop is.
    pub counts: FxHashMap<StmtId, Atom>,
    /// What a loop collects that is an array already: the place among its results, and the array.
    pub copies: FxHashMap<StmtId, Vec<(usize, Atom)>>,
    /// The loops, by index, of which the count is known not to be negative.
    pub counted: FxHashSet<VarId>,
    /// How many zeros a statement gives that takes their number from an array of units: what computes it.
    pub zeros: FxHashMap<StmtId, Op>,
    /// The loops, by index, that have an iteration for each row of an accumulator that they add to, or of an array that
    /// they read.
    pub covers: FxHashSet<(VarId, VarId)>,
    /// What is known of the arguments of each call.
    pub calls: FxHashMap<StmtId, Vec<Handed>>,
    /// What is known of the results of the function.
    pub results: Vec<Handed>,
    /// Results that are arrays of boxes with contents of one size: what gives the sizes of each field as one array.
    pub regular: FxHashMap<(StmtId, usize), Vec<Vec<Option<Op>>>>,
}

impl Facts {
    /// What is known of a program, wherever its statements may be moved.
    pub fn of(program: &mut Program) -> Self {
        Self::each(program, |program, func| FuncFacts::of(program, func, Moves::Anywhere))
    }

    /// What is known of a program whose statements stay where they are: also what holds only because a branch that
    /// fails was not taken before.
    pub fn in_place(program: &mut Program) -> Self {
        Self::each(program, |program, func| FuncFacts::of(program, func, Moves::Nowhere))
    }

    /// As if nothing were known of a program.
    pub fn nothing(program: &mut Program) -> Self {
        Self::each(program, |_, _| FuncFacts::default())
    }

    /// What some function finds out of each function of a program, whose statements are numbered before.
    fn each(program: &mut Program, of: impl Fn(&Program, FuncId) -> FuncFacts) -> Self {
        number(program);
        let program = &*program;
        program.funcs.ids().map(|func| Rc::new(of(program, func))).collect()
    }

    /// What is known of a function.
    pub fn func(&self, func: FuncId) -> &Rc<FuncFacts> {
        &self.funcs[func]
    }
}

impl FromIterator<Rc<FuncFacts>> for Facts {
    fn from_iter<I: IntoIterator<Item = Rc<FuncFacts>>>(funcs: I) -> Self {
        Self { funcs: funcs.into_iter().collect() }
    }
}

/// Gives the statements of all functions their ids.
pub(crate) fn number(program: &mut Program) {
    for func in program.funcs.ids() {
        program.funcs[func].body.number();
    }
}

/// Where statements may be moved, so that what is known of them still holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Moves {
    /// They stay where they are.
    Nowhere,
    /// Wherever their operands are there.
    Anywhere,
}

impl FuncFacts {
    /// Whether a statement cannot fail itself, for reasons that it alone does not show. What it says of a collecting
    /// loop is that the loop itself cannot: its count and its rows.
    pub fn is_proven(&self, stmt: &Stmt) -> bool {
        self.proven.get(stmt.id.index()).copied().unwrap_or(false)
    }

    /// What is known of a function, whose statements are numbered.
    pub(crate) fn of(program: &Program, func: FuncId, moves: Moves) -> Self {
        let Func { params, preconditions, body, .. } = &program.funcs[func];
        Ctx::swept(program, (params, preconditions), body, moves).facts
    }
}

/// The sizes of the fields of boxes; of arrays of boxes, of all contents of a field as one array.
type Contents = Vec<Vec<Size>>;

/// The sizes of a state that iterations keep.
type Kept = Vec<Option<Size>>;

/// What is known of an Int.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Range {
    /// The Int is at least this.
    lo: i64,
    /// The Int is at most this.
    hi: i64,
    /// The Int is the sum of these.
    is: Option<(Symbol, i64)>,
    /// The Int is at most the sum of these.
    below: Option<(Symbol, i64)>,
}

/// Loops that are nested deeper are swept once.
const DEEPEST: usize = 4;

/// Of how many arrays at most it is looked up what holds where they have rows, or where elements have been read.
const NEAREST: usize = 256;

struct Ctx<'p> {
    program: &'p Program,
    /// Whether statements stay where they are.
    in_place: bool,
    facts: FuncFacts,
    /// How many loops are around.
    depth: usize,
    /// The sizes of arrays and accumulators.
    dims: FxHashMap<VarId, Vec<Size>>,
    /// The sizes of the fields of boxes, and of all fields of arrays of boxes as one array.
    contents: FxHashMap<VarId, Contents>,
    /// The arrays that have the rows of another one: that one, and a bit for each dimension that is surely as large.
    row_copies: FxHashMap<VarId, (VarId, u64)>,
    /// The bounds of Ints.
    ranges: FxHashMap<VarId, Range>,
    /// Bools that say something of Ints.
    conditions: FxHashMap<VarId, Condition<'p>>,
    /// What was known of Ints before the branches around, each before those inside it.
    supposed: Vec<(VarId, Option<Range>)>,
    /// Where elements have been read, if statements stay where they are: there arrays have some.
    looked: Vec<(Atom, &'p [Atom])>,
    /// Ints that are the larger of an Int and 0.
    at_least_zero: Vec<(VarId, Atom)>,
    /// Symbols that have been found to be equal, the first replaced by the second.
    equal: Vec<(Symbol, Symbol)>,
    /// The sizes that dimensions of arrays have if there are any rows there.
    if_rows: Vec<(VarId, u8, Symbol)>,
    /// What is not 0 here, and inside how many loops (the counts of those); `usize::MAX`: by a condition, in its block.
    positive: Vec<(Symbol, usize)>,
    /// The variables that are in scope.
    seen: FxHashSet<VarId>,
}

impl<'p> Ctx<'p> {
    /// What is known behind a body, whose statements are numbered.
    fn swept(
        program: &'p Program,
        (params, preconditions): (&[VarId], &[Precondition]),
        body: &'p Block,
        moves: Moves,
    ) -> Self {
        let mut ctx = Self {
            program,
            in_place: moves == Moves::Nowhere,
            facts: FuncFacts { proven: vec![false; body.size()], ..FuncFacts::default() },
            depth: 0,
            dims: FxHashMap::default(),
            ranges: FxHashMap::default(),
            conditions: FxHashMap::default(),
            supposed: vec![],
            looked: vec![],
            at_least_zero: vec![],
            equal: vec![],
            if_rows: vec![],
            contents: FxHashMap::default(),
            row_copies: FxHashMap::default(),
            positive: vec![],
            seen: FxHashSet::default(),
        };
        params.iter().for_each(|param| ctx.unknown(*param));
        preconditions.iter().for_each(|known| ctx.require(known));
        ctx.block(body);
        ctx.facts.results = body.results.iter().map(|result| ctx.handed(*result)).collect();
        ctx
    }

    /// Nothing is known of a variable but its type.
    fn unknown(&mut self, var: VarId) {
        self.seen.insert(var);
        if !self.contents.is_empty() {
            self.contents.remove(&var);
        }
        if !self.row_copies.is_empty() {
            self.row_copies.remove(&var);
        }
        self.ranges.remove(&var);
        let rank = self.program.vars[var].ty.rank;
        if rank > 0 {
            let dims = (0..rank).map(|k| Size::exact(Symbol::Dim(var, k)));
            self.dims.insert(var, dims.collect());
        }
    }

    fn block(&mut self, block: &'p Block) {
        let (positive, looked, mut before) = (self.positive.len(), self.looked.len(), vec![]);
        for stmt in &block.stmts {
            self.stmt(stmt);
            before.extend(self.pass(stmt));
            if let (true, Op::Index(a, at)) = (self.in_place, &stmt.op) {
                self.looked.push((*a, at));
            }
        }
        self.restore(before);
        self.looked.truncate(looked);
        self.positive.truncate(positive);
    }

    /// Sweeps a block, and forgets what it binds and finds equal.
    fn inner(&mut self, block: &'p Block) {
        let (equal, if_rows) = (self.equal.len(), self.if_rows.len());
        self.block(block);
        self.equal.truncate(equal);
        self.if_rows.truncate(if_rows);
        for var in block.stmts.iter().flat_map(|stmt| &stmt.vars) {
            self.seen.remove(var);
        }
    }

    fn forget(&mut self, vars: &[VarId]) {
        for var in vars {
            self.seen.remove(var);
        }
    }

    fn stmt(&mut self, stmt: &'p Stmt) {
        self.facts.known.remove(&stmt.id);
        for var in &stmt.vars {
            self.unknown(*var);
        }
        #[expect(clippy::wildcard_enum_match_arm, reason = "only these have blocks")]
        match &stmt.op {
            Op::If(cond, then, other) => {
                self.inner_if(*cond, true, then);
                self.inner_if(*cond, false, other);
                for (at, var) in stmt.vars.iter().enumerate() {
                    let (one, other) = (then.results[at], other.results[at]);
                    self.join_ranges(*var, [one, other]);
                    let contents = self.either_contents(one, other);
                    self.contents.extend(contents.map(|contents| (*var, contents)));
                }
                self.join_sizes(stmt);
            }
            Op::Match(cases) => {
                for arm in &cases.arms {
                    arm.params.iter().for_each(|param| self.unknown(*param));
                    self.inner(&arm.block);
                    self.forget(&arm.params);
                }
                cases.default.iter().for_each(|block| self.inner(block));
                self.join_sizes(stmt);
            }
            Op::Loop(form) => return self.repeat(stmt, form),
            _ => {}
        }
        let is_proven = self.prove(stmt);
        let first = if is_proven { None } else { self.first_inside(&stmt.op) };
        self.facts.proven[stmt.id.index()] = is_proven || first.is_some();
        self.facts.inside.remove(&stmt.id);
        self.facts.inside.extend(first.map(|depth| (stmt.id, depth)));
        if is_proven && (self.supposed.is_empty() || self.prove_outside(stmt)) {
            self.facts.anywhere.insert(stmt.id);
        } else {
            self.facts.anywhere.remove(&stmt.id);
        }
        if let Op::Call(_, args) = &stmt.op {
            let handed = args.iter().map(|arg| self.handed(*arg)).collect();
            self.facts.calls.insert(stmt.id, handed);
        }
        self.learn_cover(&stmt.op);
        self.learn_condition(stmt);
        self.learn_sizes(stmt);
        self.learn_contents(stmt);
        self.learn_range(stmt);
    }

    /// A loop. States have the sizes that they begin with, as far as an iteration keeps them.
    fn repeat(&mut self, stmt: &'p Stmt, form: &'p Loop) {
        let (mut kept, mut contents) = (self.first_sizes(form), self.first_contents(form));
        let mut counters = self.counters(form);
        self.depth += 1;
        loop {
            for state in &form.states {
                self.unknown(*state);
            }
            self.take_kept(&form.states, &kept, &contents);
            if let LoopForm::For { index, count, down } = &form.form {
                self.unknown(*index);
                let range = self.index_range(*count, *down);
                self.ranges.insert(*index, range);
                self.learn_count(*count, stmt.id);
                if self.counts(&form.form) {
                    self.facts.counted.insert(*index);
                }
            }
            self.guess_counters(form, &counters);
            if let LoopForm::While(condition) = &form.form {
                self.inner(condition);
            }
            self.iteration(form);
            let are_counters = self.confirm_counters(form, &mut counters);
            let are_kept = self.confirm_sizes(form, &mut kept);
            if self.confirm_contents(form, &mut contents) && are_counters && are_kept {
                break;
            }
        }
        self.depth -= 1;
        self.take_kept(&stmt.vars, &kept, &contents);
        self.learn_counters(stmt, form, &counters);
        self.forget(&stmt.op.inner_params());
        self.collect(stmt, form);
    }

    /// States, or what is left of them, have the sizes that iterations keep.
    fn take_kept(&mut self, vars: &[VarId], kept: &[Option<Kept>], contents: &[Option<Contents>]) {
        for ((var, sizes), contents) in vars.iter().zip(kept).zip(contents) {
            self.dims.extend(sizes.iter().map(|sizes| (*var, of_own(*var, sizes))));
            self.contents.extend(contents.iter().map(|contents| (*var, contents.clone())));
        }
    }

    /// The sizes that states begin with, where it is looked at whether they stay.
    fn first_sizes(&self, form: &Loop) -> Vec<Option<Kept>> {
        let sizes = form.states.iter().zip(&form.init).map(|(state, init)| {
            let is_array = self.program.vars[*state].ty.is_array();
            let dims = self.dims_of(*init).filter(|_| is_array && self.depth < DEEPEST)?;
            Some(dims.into_iter().map(Some).collect())
        });
        sizes.collect()
    }

    /// Whether an iteration keeps the sizes of states. What it does not keep is taken back.
    fn confirm_sizes(&self, form: &Loop, kept: &mut [Option<Kept>]) -> bool {
        let mut holds = true;
        for (sizes, result) in kept.iter_mut().zip(&form.body.results) {
            let Some(sizes) = sizes else { continue };
            let next = self.dims_of(*result).unwrap_or_default();
            for (k, size) in sizes.iter_mut().enumerate() {
                let Some(before) = *size else { continue };
                *size = next.get(k).and_then(|next| self.either(before, *next));
                holds &= *size == Some(before);
            }
        }
        holds
    }

    /// Sweeps the body of a loop, in which its count is not 0.
    fn iteration(&mut self, form: &'p Loop) {
        let (equal, positive) = (self.equal.len(), self.positive.len());
        let mut before = vec![];
        if let LoopForm::For { count, .. } = &form.form {
            self.positive.push((self.symbol(*count), self.depth));
            self.equate_rows();
            self.equate_larger(*count);
            before.extend(self.bound_larger(*count));
        }
        match form.condition() {
            Some(cond) => self.inner_if(cond.results[0], true, &form.body),
            None => self.inner(&form.body),
        }
        self.restore(before);
        self.equal.truncate(equal);
        self.positive.truncate(positive);
    }

    /// A count that is the larger of an Int and 0, and is not 0 here, is at most what that Int is. What was known of it
    /// before.
    fn bound_larger(&mut self, count: Atom) -> Option<(VarId, Option<Range>)> {
        let count = count.var()?;
        let (_, smaller) = self.at_least_zero.iter().find(|(larger, _)| *larger == count)?;
        let Range { is, below, .. } = self.range(*smaller);
        let range = Range { below: below.or(is), ..self.range(count.into()) };
        Some((count, self.ranges.insert(count, range)))
    }

    /// Arrays as large as the counts of the loops around have rows.
    fn equate_rows(&mut self) {
        for at in (self.if_rows.len().saturating_sub(NEAREST)..self.if_rows.len()).rev() {
            let (a, k, symbol) = self.if_rows[at];
            let has_rows = |j: usize| {
                let size = self.size(a.into(), j);
                size.is_some_and(|size| self.positive_inside(size.symbol).is_some())
            };
            if self.is_seen(symbol) && (0..usize::from(k)).all(has_rows) {
                self.equate(Symbol::Dim(a, k), symbol);
            }
        }
    }

    /// A count is not 0 here, so that the larger of it and 0 is the count.
    fn equate_larger(&mut self, count: Atom) {
        let count = self.symbol(count);
        let larger = self.at_least_zero.iter();
        let larger: Vec<VarId> = larger
            .filter(|(larger, smaller)| {
                self.seen.contains(larger) && self.same(self.symbol(*smaller), count)
            })
            .map(|(larger, _)| *larger)
            .collect();
        for larger in larger {
            self.equate(count, Symbol::Int(larger));
        }
    }

    /// What else a count is.
    fn learn_count(&mut self, count: Atom, of: StmtId) {
        let other = match self.symbol(count) {
            Symbol::Number(n) => Some(Atom::Int(n)),
            Symbol::Int(var) if self.seen.contains(&var) => Some(Atom::Var(var)),
            Symbol::Int(_) | Symbol::Dim(_, _) => None,
        };
        self.facts.counts.remove(&of);
        self.facts.counts.extend(other.filter(|other| *other != count).map(|other| (of, other)));
    }

    /// Whether a loop has an iteration for each row of what it adds to.
    fn learn_cover(&mut self, op: &Op) {
        let (Op::AddAcc(of, at, _) | Op::AtAcc(of, at) | Op::Index(of, at)) = op else { return };
        let (Atom::Var(of), Some(Atom::Var(index))) = (of, at.first()) else { return };
        let below = self.ranges.get(index).and_then(|range| range.below);
        let covers = below.is_some_and(|(count, offset)| {
            let size = self.size((*of).into(), 0);
            offset == -1 && size.is_some_and(|size| size.is_exact && self.same(size.symbol, count))
        });
        if covers {
            self.facts.covers.insert((*index, *of));
        } else {
            self.facts.covers.remove(&(*index, *of));
        }
    }

    /// What a loop collects: as many rows as iterations, of their size if there are any.
    fn collect(&mut self, stmt: &Stmt, form: &Loop) {
        let states = form.states.len();
        let count = match &form.form {
            LoopForm::For { count, .. } => Some(*count),
            LoopForm::While(_) => None,
        };
        let mut rows_are_known = true;
        for (at, var) in stmt.vars.iter().enumerate().skip(states) {
            let rank = self.program.vars[*var].ty.rank;
            let mut dims: Vec<Size> =
                (0..rank).map(|k| Size::exact(Symbol::Dim(*var, k))).collect();
            if let Some(count) = count {
                dims[0] = Size::exact(self.symbol(count));
            }
            let rows = self.dims_of(form.body.results[at]).unwrap_or_default();
            for (k, (size, row)) in dims[1..].iter_mut().zip(rows).enumerate() {
                rows_are_known &= row.is_decided() && self.is_seen(row.symbol);
                if self.is_seen(row.symbol) {
                    let or_zero = row.is_decided();
                    *size = Size { symbol: row.symbol, is_exact: false, or_zero };
                    self.if_rows.push((*var, k as u8 + 1, row.symbol));
                }
            }
            self.dims.insert(*var, dims);
        }
        self.facts.proven[stmt.id.index()] = self.counts(&form.form) && rows_are_known;
        self.collect_boxes(stmt, form);
        self.learn_copies(stmt, form);
    }

    /// The array whose rows another one has, once the sizes of absent rows are the same too.
    fn learn_row_copy(&mut self, stmt: &Stmt) -> Option<Atom> {
        let Op::Sized(Atom::Var(copy), k, n) = stmt.op else { return None };
        let (array, dims) = *self.row_copies.get(&copy)?;
        let size = self.size(array.into(), usize::from(k))?;
        let is_same = size.is_exact && self.same(size.symbol, self.symbol(n));
        if !is_same || !self.seen.contains(&array) {
            return None;
        }
        let dims = dims | 1 << k;
        self.row_copies.insert(stmt.vars[0], (array, dims));
        let rank = self.program.vars[array].ty.rank;
        (dims.count_ones() == u32::from(rank)).then_some(array.into())
    }

    /// What a loop collects that is all of an array, element by element.
    fn learn_copies(&mut self, stmt: &Stmt, form: &Loop) {
        self.facts.copies.remove(&stmt.id);
        let LoopForm::For { index, count, .. } = form.form else { return };
        let mut copies = vec![];
        for at in form.states.len()..stmt.vars.len() {
            let Some(element) = form.body.results[at].var() else { continue };
            let read = form.body.stmts.iter().find(|stmt| stmt.vars == [element]);
            let Some(Op::Index(Atom::Var(array), place)) = read.map(|stmt| &stmt.op) else {
                continue;
            };
            let has_all = self
                .size((*array).into(), 0)
                .is_some_and(|size| size.is_exact && self.same(size.symbol, self.symbol(count)));
            if !has_all || *place != [index.into()] || !self.seen.contains(array) {
                continue;
            }
            if self.program.vars[*array].ty.rank == 1 {
                copies.push((at, Atom::Var(*array)));
            } else if u32::from(self.program.vars[*array].ty.rank) <= u64::BITS {
                self.row_copies.insert(stmt.vars[at], (*array, 1));
            }
        }
        if !copies.is_empty() {
            self.facts.copies.insert(stmt.id, copies);
        }
    }

    fn is_seen(&self, symbol: Symbol) -> bool {
        match symbol {
            Symbol::Number(_) => true,
            Symbol::Dim(var, _) | Symbol::Int(var) => self.seen.contains(&var),
        }
    }

    /// What is known of the sizes of an array; a number has none.
    fn dims_of(&self, atom: Atom) -> Option<Vec<Size>> {
        let var = atom.var()?;
        if self.program.vars[var].ty.rank == 0 {
            Some(vec![])
        } else {
            self.dims.get(&var).cloned()
        }
    }
}
