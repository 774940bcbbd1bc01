//! Static cost model: what an operation takes at run time, what it takes to do it again, how often loops run, and how
//! much code a body is. One table ([`work`]) says what each operation of the IR costs; whoever decides something by it
//! has a limit of its own.
//!
//! Input: operations and blocks. Output: numbers. A number counts multiplications of Reals, unless its function says
//! otherwise: the weights of primitives are those of the primitive table. Statements are counted by
//! [`Block::size`](pullback_ir::Block::size).
//!
//! ```text
//! y.2: f64 = exp(x.1)                       work 8
//! s.3: f64 = select(p.0, y.2, 0.0)          work 1
//! a.4: []f64 = for i.5 < n.6 { … 9 … }      work 1, and 9 as often as `n.6` says
//! ```
//!
//! Law: costs hang on the program alone, and never on a measurement. They are estimates: they decide which of several
//! equal programs is made, and never what a program gives.

use std::ops::AddAssign;

use pullback_base::IdVec;
use pullback_ir::{Atom, Block, FuncId, Loop, LoopForm, Op, Program, Stmt, Type};
use pullback_prim::{Prim, PrimTy};
use rustc_hash::FxHashMap;

use crate::call_graph::run_by;

/// How often a loop is taken to run of which the count is not known.
pub const USUAL: f64 = 32.0;
/// From this weight on a primitive is slow: a division, a root, and what the library of C computes.
const SLOW: u64 = 4;
/// From this weight on a primitive is what the library of C computes.
const CALLED: u64 = 8;

/// As often as it stands in the program native code may write a loop: for several vectors at once, for one, and for what is
/// left over.
const WRITTEN: usize = 3;

/// How many statements native code has of a body.
pub fn code(body: &Block) -> usize {
    body.stmts.iter().map(code_for).sum()
}

/// How many it has of a statement.
pub fn code_for(stmt: &Stmt) -> usize {
    let is_for = matches!(&stmt.op, Op::Loop(Loop { form: LoopForm::For { .. }, .. }));
    let inside = |block: &Block| if is_for { WRITTEN * block.size() } else { code(block) };
    1 + stmt.op.blocks().into_iter().map(inside).sum::<usize>()
}

/// What an operation takes, what its blocks and its callee take left out. Of an operation on whole arrays it is what one
/// element takes.
pub fn work(op: &Op) -> u64 {
    match op {
        // These give a value that is there already.
        Op::Copy(_) | Op::Undef | Op::Stop(_) => 0,
        Op::Prim(prim, _) => prim.row().weight,
        Op::Select(..)
        | Op::MulZero(..)
        | Op::Call(..)
        | Op::If(..)
        | Op::Match(_)
        | Op::Loop(_)
        | Op::Array(_)
        | Op::Index(..)
        | Op::Update(..)
        | Op::Slice(..)
        | Op::Concat(..)
        | Op::Flatten(_)
        | Op::Dim(..)
        | Op::Sized(..)
        | Op::CheckSize(..)
        | Op::CheckCount(_)
        | Op::Sum(_)
        | Op::Argsort(_)
        | Op::Shape(..)
        | Op::Con(..)
        | Op::Zero(_)
        | Op::Plus(..)
        | Op::Unpack { .. }
        | Op::ToTangent(..)
        | Op::FromTangent(..)
        | Op::NewAcc(_)
        | Op::AddAcc(..)
        | Op::AtAcc(..)
        | Op::PartAcc(..)
        | Op::ReadAcc(_)
        | Op::Tell(_)
        | Op::Fail(..)
        | Op::Custom { .. }
        | Op::Jvp(..)
        | Op::Linearize(..)
        | Op::Apply(..) => 1,
    }
}

/// Whether a primitive takes long beside sums and products.
pub fn is_slow(prim: Prim) -> bool {
    prim.row().weight >= SLOW
}

/// Whether statements, or those inside them, compute what the library of C computes (`exp`): in a vector that takes a
/// fraction of the time, which pays for one more walk over the arrays.
pub fn calls_library<'s>(stmts: impl IntoIterator<Item = &'s Stmt>) -> bool {
    stmts.into_iter().any(|stmt| {
        matches!(&stmt.op, Op::Prim(prim, _) if prim.row().weight >= CALLED)
            || stmt.op.blocks().into_iter().any(|block| calls_library(&block.stmts))
    })
}

/// What an operation takes where nobody may need it (speculation): none if it does more than compute a scalar, or if it
/// may have no value.
pub fn speculative(op: &Op) -> Option<u64> {
    let is_scalar = if let Op::Prim(prim, _) = op {
        prim.row().is_pure()
    } else {
        matches!(op, Op::Select(..) | Op::MulZero(..) | Op::Copy(_) | Op::Undef)
    };
    is_scalar.then(|| work(op))
}

/// What some blocks take together where nobody may need them: none if a statement of theirs must not run then.
pub fn all_speculative<'b>(blocks: impl IntoIterator<Item = &'b Block>) -> Option<u64> {
    blocks.into_iter().flat_map(|block| &block.stmts).map(|stmt| speculative(&stmt.op)).sum()
}

/// What it takes to have a value again whose operands are there (rematerialisation), by kind. Sizes and copies are at
/// hand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Again {
    /// Elements that are read.
    pub loads: u64,
    /// Operations on Ints and Bools. They cost next to nothing beside what is saved.
    pub ints: u64,
    /// Operations on Reals, comparisons of them included, in multiplications.
    pub reals: u64,
}

impl AddAssign for Again {
    fn add_assign(&mut self, other: Self) {
        self.loads += other.loads;
        self.ints += other.ints;
        self.reals += other.reals;
    }
}

/// What it takes to do an operation again of which the result has this type: none if it does more than read elements
/// and compute scalars. That it has a value is for others to say.
pub fn again(op: &Op, ty: Type) -> Option<Again> {
    let is_discrete = |ty: &PrimTy| matches!(ty, PrimTy::Int | PrimTy::Bool);
    #[expect(clippy::wildcard_enum_match_arm, reason = "others do more")]
    let of_reals = match op {
        Op::Copy(_) | Op::Dim(..) | Op::Shape(..) => return Some(Again::default()),
        Op::Index(..) => return Some(Again { loads: work(op), ..Again::default() }),
        Op::Select(..) => ty != Type::INT && ty != Type::BOOL,
        Op::Prim(prim, _) => !prim.row().params.iter().all(is_discrete),
        _ => return None,
    };
    Some(if of_reals {
        Again { reals: work(op), ..Again::default() }
    } else {
        Again { ints: work(op), ..Again::default() }
    })
}

/// Whether a block has no loops and calls inside, so that it takes little time.
pub fn is_straight(block: &Block) -> bool {
    let mut is_straight = true;
    block.visit(&mut |stmt| {
        is_straight &= !matches!(
            stmt.op,
            Op::Loop(_)
                | Op::Call(..)
                | Op::Custom { .. }
                | Op::Jvp(..)
                | Op::Linearize(..)
                | Op::Apply(..)
        );
    });
    is_straight
}

/// How often a block can be written, for that to be `most` statements at most.
pub fn copies(block: &Block, most: usize) -> usize {
    most / block.size().max(1)
}

/// What a block takes: what runs once, and what runs as often as loops say whose counts are no numbers.
#[derive(Debug)]
pub struct Work<'b> {
    /// What runs once, loops with a number for a count included.
    pub once: f64,
    /// The other loops, each with what an iteration takes.
    pub loops: Vec<(&'b Loop, Work<'b>)>,
}

impl<'b> Work<'b> {
    /// What a block takes, by what each statement takes without its blocks.
    pub fn of(block: &'b Block, of: &mut dyn FnMut(&Stmt) -> f64) -> Self {
        let mut work = Self { once: 0.0, loops: vec![] };
        for stmt in &block.stmts {
            work.once += of(stmt);
            for inner in stmt.op.blocks() {
                let inner = Self::of(inner, of);
                if let Op::Loop(looped) = &stmt.op {
                    work.loops.push((looped, inner));
                } else {
                    work.add(inner);
                }
            }
        }
        work
    }

    fn add(&mut self, other: Self) {
        self.once += other.once;
        self.loops.extend(other.loops);
    }

    /// All of it, if loops run as often as `times` says.
    pub fn total(&self, times: &mut dyn FnMut(&Loop) -> f64) -> f64 {
        let loops = self.loops.iter().map(|(looped, inner)| times(looped) * inner.total(times));
        self.once + loops.sum::<f64>()
    }
}

/// How often a loop runs: its count, if that is a number, or `usual`.
pub fn iterations(looped: &Loop, usual: f64) -> f64 {
    match looped.for_count() {
        Some(Atom::Int(count)) => count.max(0) as f64,
        Some(_) | None => usual,
    }
}

/// How often the innermost blocks of a nest of loops run at most, if all its counts are numbers. A loop that never runs
/// counts as one iteration.
pub fn iterations_of_nest(looped: &Loop) -> Option<i64> {
    let of = |looped: &Loop| match looped.for_count() {
        Some(Atom::Int(count)) => Some(count.max(1)),
        Some(_) | None => None,
    };
    let mut all = of(looped);
    looped.body.visit(&mut |stmt| {
        if let Op::Loop(inner) = &stmt.op {
            all = all.zip(of(inner)).map(|(all, own)| all.saturating_mul(own));
        }
    });
    all
}

/// What [`steps`] takes where nothing says how much it is.
#[derive(Clone, Copy, Debug)]
pub struct Unknown {
    /// How often a loop runs.
    pub iterations: f64,
    /// How many statements a call of a recursive function runs.
    pub recursion: f64,
}

/// How many statements a block runs, roughly, those of functions that it calls included.
pub fn steps(
    program: &Program,
    is_recursive: &IdVec<FuncId, bool>,
    unknown: Unknown,
    block: &Block,
) -> f64 {
    let known = FxHashMap::default();
    Steps { program, is_recursive, unknown, known }.block(block)
}

struct Steps<'p> {
    program: &'p Program,
    is_recursive: &'p IdVec<FuncId, bool>,
    unknown: Unknown,
    /// The statements of a call, by the function.
    known: FxHashMap<FuncId, f64>,
}

impl Steps<'_> {
    fn block(&mut self, block: &Block) -> f64 {
        let usual = self.unknown.iterations;
        let work = Work::of(block, &mut |stmt| {
            1.0 + run_by(self.program, &stmt.op).map_or(0.0, |callee| self.call(callee))
        });
        work.total(&mut |looped| iterations(looped, usual))
    }

    fn call(&mut self, callee: FuncId) -> f64 {
        if self.is_recursive[callee] {
            return self.unknown.recursion;
        }
        if let Some(known) = self.known.get(&callee) {
            return *known;
        }
        let program = self.program;
        let steps = self.block(&program.funcs[callee].body);
        self.known.insert(callee, steps);
        steps
    }
}

/// Where the lanes of a vector find the elements that they read or add to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lanes {
    /// All in one place.
    Together,
    /// In places beside each other.
    Beside,
    /// Anywhere.
    Scattered,
}

/// What it takes to read an element for each lane of a vector.
pub fn load(lanes: Lanes) -> f64 {
    match lanes {
        Lanes::Together => 1.0,
        Lanes::Beside => 1.5,
        Lanes::Scattered => 12.0,
    }
}

/// What it takes to add to an element for each lane of a vector.
pub fn accumulate(lanes: Lanes) -> f64 {
    match lanes {
        Lanes::Together => 4.0,
        Lanes::Beside => 3.0,
        Lanes::Scattered => 20.0,
    }
}

/// The bytes of a number.
pub const NUMBER: u64 = 8;
/// The bytes of a reference to an array or to data, with its head.
pub const REFERENCE: u64 = 64;

/// How many bytes a reverse sweep saves of a statement, what its blocks and its callee save left out: of a primitive on
/// Reals its operands, and of others their results. Sizes and Ints are computed again.
pub fn saved(program: &Program, stmt: &Stmt) -> u64 {
    let types = stmt.vars.iter().map(|var| program.vars[*var].ty);
    #[expect(clippy::wildcard_enum_match_arm, reason = "of others the results are saved")]
    match &stmt.op {
        Op::Prim(_, args) => {
            types.map(|ty| if ty == Type::INT { 0 } else { NUMBER * args.len() as u64 }).sum()
        }
        Op::Dim(..) => 0,
        _ => types.map(|ty| if ty.is_array() { REFERENCE } else { NUMBER }).sum(),
    }
}
