//! What is known of sizes and Ints: which operations cannot fail, and what tells a size.
//!
//! One sweep forward. A size is a symbol: a number, the size of a dimension of some array variable, or an Int
//! variable. Inner sizes of an array are known on the condition that it has rows there; `is_exact` says that they
//! are known without that. Of an Int its bounds are known, by numbers and by a symbol. A loop is swept with its
//! states as large as they begin, and again with those of unknown size that change theirs.
//!
//! Statements are numbered over the whole program in the order in which they stand, each before those inside it.

mod range;
mod size;

use pullback_ir::{Atom, Block, Loop, LoopForm, Op, Program, Stmt, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

/// What is known of the statements of a program, by their numbers.
#[derive(Default)]
pub(crate) struct Facts {
    /// Whether a statement cannot fail itself, for reasons that it alone does not show.
    pub proven: Vec<bool>,
    /// What a statement of one result gives, by an operation that is cheaper.
    pub known: FxHashMap<usize, Op>,
}

impl Facts {
    /// What is known of a program.
    pub fn of(program: &Program) -> Self {
        let mut facts = Self::default();
        for func in program.funcs.iter() {
            let mut ctx = Ctx {
                program,
                facts,
                next: 0,
                depth: 0,
                dims: FxHashMap::default(),
                ranges: FxHashMap::default(),
                equal: vec![],
                seen: FxHashSet::default(),
            };
            ctx.next = ctx.facts.proven.len();
            func.params.iter().for_each(|param| ctx.unknown(*param));
            ctx.block(&func.body);
            facts = ctx.facts;
        }
        facts
    }
}

/// A size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Size {
    /// What it is, if there are any rows there.
    symbol: Symbol,
    /// Whether it is that also without rows.
    is_exact: bool,
}

/// A number that is known by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Symbol {
    /// A number.
    Number(i64),
    /// The size of a dimension of an array.
    Dim(VarId, u8),
    /// An Int.
    Int(VarId),
}

/// What is known of an Int.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Range {
    /// It is not smaller.
    lo: i64,
    /// It is not larger.
    hi: i64,
    /// It is the sum of these.
    is: Option<(Symbol, i64)>,
    /// It is not larger than the sum of these.
    below: Option<(Symbol, i64)>,
}

/// Loops that are nested deeper are swept once.
const DEEPEST: usize = 4;

struct Ctx<'p> {
    program: &'p Program,
    facts: Facts,
    /// The number of the next statement.
    next: usize,
    /// How many loops are around.
    depth: usize,
    /// The sizes of arrays and accumulators.
    dims: FxHashMap<VarId, Vec<Size>>,
    /// The bounds of Ints.
    ranges: FxHashMap<VarId, Range>,
    /// Symbols that have been found to be equal, the first replaced by the second.
    equal: Vec<(Symbol, Symbol)>,
    /// The variables that are seen.
    seen: FxHashSet<VarId>,
}

impl<'p> Ctx<'p> {
    /// Nothing is known of a variable but its type.
    fn unknown(&mut self, var: VarId) {
        self.seen.insert(var);
        self.ranges.remove(&var);
        let rank = self.program.vars[var].ty.rank;
        let dims = (0..rank).map(|k| Size { symbol: Symbol::Dim(var, k), is_exact: true });
        self.dims.insert(var, dims.collect());
    }

    fn block(&mut self, block: &'p Block) {
        for stmt in &block.stmts {
            let number = self.next;
            self.next += 1;
            if self.facts.proven.len() <= number {
                self.facts.proven.resize(number + 1, false);
            }
            self.stmt(stmt, number);
        }
    }

    /// Sweeps a block, and forgets what it binds and finds equal.
    fn inner(&mut self, block: &'p Block) {
        let equal = self.equal.len();
        self.block(block);
        self.equal.truncate(equal);
        for var in block.stmts.iter().flat_map(|stmt| &stmt.vars) {
            self.seen.remove(var);
        }
    }

    fn forget(&mut self, vars: &[VarId]) {
        for var in vars {
            self.seen.remove(var);
        }
    }

    fn stmt(&mut self, stmt: &'p Stmt, number: usize) {
        self.facts.known.remove(&number);
        for var in &stmt.vars {
            self.unknown(*var);
        }
        #[expect(clippy::wildcard_enum_match_arm, reason = "only these have blocks")]
        match &stmt.op {
            Op::If(_, then, other) => {
                self.inner(then);
                self.inner(other);
            }
            Op::Match(cases) => {
                for arm in &cases.arms {
                    arm.params.iter().for_each(|param| self.unknown(*param));
                    self.inner(&arm.block);
                    self.forget(&arm.params);
                }
                cases.default.iter().for_each(|block| self.inner(block));
            }
            Op::Loop(form) => return self.repeat(stmt, form, number),
            _ => {}
        }
        let proven = self.prove(stmt);
        self.facts.proven[number] = proven;
        self.learn_sizes(stmt);
        self.learn_range(stmt, number);
    }

    /// A loop. States have the sizes that they begin with, if an iteration keeps them.
    fn repeat(&mut self, stmt: &'p Stmt, form: &'p Loop, number: usize) {
        let first = self.next;
        let is_array = |state: &VarId| self.program.vars[*state].ty.is_array();
        let mut is_steady: Vec<bool> =
            form.states.iter().map(|state| self.depth < DEEPEST && is_array(state)).collect();
        self.depth += 1;
        loop {
            self.next = first;
            for (state, (init, is_steady)) in
                form.states.iter().zip(form.init.iter().zip(&is_steady))
            {
                self.unknown(*state);
                if let (true, Some(dims)) = (*is_steady, self.dims_of(*init)) {
                    self.dims.insert(*state, dims);
                }
            }
            if let LoopForm::For { index, count, .. } = &form.form {
                self.unknown(*index);
                let range = self.index_range(*count);
                self.ranges.insert(*index, range);
            }
            if let LoopForm::While(condition) = &form.form {
                self.inner(condition);
            }
            self.inner(&form.body);
            let mut is_stable = true;
            for (at, is_steady) in is_steady.iter_mut().enumerate() {
                let next = self.dims_of(form.body.results[at]);
                if *is_steady && next != self.dims_of(form.init[at]) {
                    (*is_steady, is_stable) = (false, false);
                }
            }
            if is_stable {
                break;
            }
        }
        self.depth -= 1;
        for (at, is_steady) in is_steady.iter().enumerate() {
            if let (true, Some(dims)) = (*is_steady, self.dims_of(form.init[at])) {
                self.dims.insert(stmt.vars[at], dims);
            }
        }
        self.forget(&stmt.op.inner_params());
        self.collect(stmt, form, number);
    }

    /// What a loop collects: as many rows as iterations, of their size if there are any.
    fn collect(&mut self, stmt: &Stmt, form: &Loop, number: usize) {
        let states = form.states.len();
        let count = match &form.form {
            LoopForm::For { count, .. } => Some(*count),
            LoopForm::While(_) => None,
        };
        let mut rows_are_known = true;
        for (at, var) in stmt.vars.iter().enumerate().skip(states) {
            let rank = self.program.vars[*var].ty.rank;
            let mut dims: Vec<Size> =
                (0..rank).map(|k| Size { symbol: Symbol::Dim(*var, k), is_exact: true }).collect();
            if let Some(count) = count {
                dims[0] = Size { symbol: self.symbol(count), is_exact: true };
            }
            let rows = self.dims_of(form.body.results[at]).unwrap_or_default();
            for (size, row) in dims[1..].iter_mut().zip(rows) {
                rows_are_known &= row.is_exact && self.is_seen(row.symbol);
                if self.is_seen(row.symbol) {
                    *size = Size { symbol: row.symbol, is_exact: false };
                }
            }
            self.dims.insert(*var, dims);
        }
        self.facts.proven[number] = self.counts(&form.form) && rows_are_known;
    }

    fn is_seen(&self, symbol: Symbol) -> bool {
        match symbol {
            Symbol::Number(_) => true,
            Symbol::Dim(var, _) | Symbol::Int(var) => self.seen.contains(&var),
        }
    }

    /// What is known of the sizes of an array.
    fn dims_of(&self, atom: Atom) -> Option<Vec<Size>> {
        self.dims.get(&atom.var()?).cloned()
    }
}
