//! Code made ready for what executes it: registers for variables, and which of them end where.
//!
//! Input: a program of the IR. Output: its functions with a register for each variable, and for each statement the
//! registers whose values nothing needs after it. Invariant: a variable ends in its own block, or in a branch that it
//! is handed to; what a loop sees from outside lives on.

use pullback_base::IdVec;
use pullback_ir::{Atom, Block, Func, FuncId, Op, Program, Stmt, VarId};
use rustc_hash::FxHashSet;

/// A program made ready.
pub struct Ready<'p> {
    pub program: &'p Program,
    pub funcs: IdVec<FuncId, ReadyFunc<'p>>,
    /// The register of each variable, among those of its function.
    pub registers: IdVec<VarId, u32>,
}

/// A function: how many registers it needs, and its body.
pub struct ReadyFunc<'p> {
    pub registers: usize,
    pub body: ReadyBlock<'p>,
}

/// A block.
pub struct ReadyBlock<'p> {
    pub stmts: Vec<ReadyStmt<'p>>,
    pub results: &'p [Atom],
    /// The registers of results that end with the block.
    pub ends: Vec<u32>,
}

/// A statement with its blocks.
pub struct ReadyStmt<'p> {
    pub stmt: &'p Stmt,
    pub ends: Vec<u32>,
    pub blocks: Vec<ReadyBlock<'p>>,
    /// Of a branch, the variables from outside that its blocks look at.
    pub seen: Vec<VarId>,
    /// Of a branch, whether both blocks compute scalars from what there is, without effects, calls and loops.
    pub is_straight: bool,
}

impl<'p> Ready<'p> {
    /// Makes a program ready.
    pub fn new(program: &'p Program) -> Self {
        let mut registers: IdVec<VarId, u32> = program.vars.iter().map(|_| 0).collect();
        let mut counts = vec![];
        for func in program.funcs.iter() {
            let mut count = 0;
            let mut bind = |var: VarId| {
                registers[var] = count;
                count += 1;
            };
            func.params.iter().copied().for_each(&mut bind);
            func.body.visit(&mut |stmt| {
                stmt.vars.iter().copied().for_each(&mut bind);
                stmt.op.inner_params().into_iter().for_each(&mut bind);
            });
            counts.push(count as usize);
        }
        let ready = |(func, registers_needed): (&'p Func, usize)| {
            let body = block(&func.body, &func.params, &FxHashSet::default(), &registers);
            ReadyFunc { registers: registers_needed, body }
        };
        let funcs = program.funcs.iter().zip(counts).map(ready).collect();
        Self { program, funcs, registers }
    }
}

/// A block that is given these variables, and in which those of `ending` may end.
fn block<'p>(
    block: &'p Block,
    params: &[VarId],
    ending: &FxHashSet<VarId>,
    registers: &IdVec<VarId, u32>,
) -> ReadyBlock<'p> {
    let mut own = ending.clone();
    own.extend(params);
    own.extend(block.stmts.iter().flat_map(|stmt| &stmt.vars));
    let mut later: FxHashSet<VarId> = block.results.iter().filter_map(|atom| atom.var()).collect();
    let ends = later.iter().copied().filter(|var| own.contains(var));
    let mut ends: Vec<u32> = ends.map(|var| registers[var]).collect();
    ends.sort_unstable();
    let mut stmts: Vec<ReadyStmt<'p>> = vec![];
    for stmt in block.stmts.iter().rev() {
        stmts.push(statement(stmt, &own, &mut later, registers));
    }
    stmts.reverse();
    ReadyBlock { stmts, results: &block.results, ends }
}

/// A statement, in a block whose variables are these; `later` is what is needed after it, and then from it on.
fn statement<'p>(
    stmt: &'p Stmt,
    own: &FxHashSet<VarId>,
    later: &mut FxHashSet<VarId>,
    registers: &IdVec<VarId, u32>,
) -> ReadyStmt<'p> {
    let mut direct = vec![];
    stmt.op.for_each_atom(&mut |atom| direct.extend(atom.var()));
    let mut inside = FxHashSet::default();
    for inner in stmt.op.blocks() {
        inside.extend(inner.free());
    }
    let last = |var: &VarId| own.contains(var) && !later.contains(var);
    let mut ends: Vec<u32> = (direct.iter().filter(|var| last(var) && !inside.contains(var)))
        .map(|var| registers[*var])
        .collect();
    ends.sort_unstable();
    ends.dedup();
    let none = FxHashSet::default();
    let blocks = if let Op::Loop(looped) = &stmt.op {
        let mut blocks = vec![];
        if let Some(condition) = looped.condition() {
            blocks.push(block(condition, &[], &none, registers));
        }
        let index = looped.for_index();
        let params: Vec<VarId> = looped.states.iter().copied().chain(index).collect();
        blocks.push(block(&looped.body, &params, &none, registers));
        blocks
    } else {
        let ending: FxHashSet<VarId> = inside.iter().copied().filter(|var| last(var)).collect();
        let params = stmt.op.inner_params();
        let inner = stmt.op.blocks().into_iter();
        inner.map(|inner| block(inner, &params, &ending, registers)).collect()
    };
    let is_branch = matches!(stmt.op, Op::If(..));
    let mut seen: Vec<VarId> = inside.iter().copied().filter(|_| is_branch).collect();
    seen.sort_unstable();
    later.extend(direct);
    #[expect(clippy::iter_over_hash_type, reason = "into a set")]
    for var in inside {
        later.insert(var);
    }
    let is_straight = is_branch && is_straight(stmt);
    ReadyStmt { stmt, ends, blocks, seen, is_straight }
}

/// Whether a statement computes scalars alone, and so do all statements inside.
fn is_straight(stmt: &Stmt) -> bool {
    let is_simple = matches!(
        stmt.op,
        Op::Copy(_)
            | Op::Undef
            | Op::Prim(..)
            | Op::Select(..)
            | Op::MulZero(..)
            | Op::Stop(_)
            | Op::Index(..)
            | Op::Dim(..)
            | Op::If(..)
    );
    let mut blocks = stmt.op.blocks().into_iter();
    is_simple && blocks.all(|block| block.stmts.iter().all(is_straight))
}
