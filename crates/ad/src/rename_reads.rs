//! Renaming (array privatisation): a matrix of which a product reads elements gets a name for each way in which it is
//! read, if there are several, or if the product is inside a loop.
//!
//! ```text
//! for i < n {                            b_dot = a_dot
//!   for j < n {                          c_dot = a_dot
//!     for k < n {                        for i < n {
//!       x_dot = a_dot[i, k]                for j < n {
//!       y_dot = a_dot[k, j]        =>        for k < n {
//!       …                                      x_dot = b_dot[i, k]
//!     }                                        y_dot = c_dot[k, j]
//!   }                                          …
//! }
//! ```
//!
//! Transposed, each way has an accumulator of its own, which begins with zeros before the product and to which one
//! statement adds. So the optimiser makes a product of matrices of it (`interchange_loops`): the cotangent of `a @ a` is
//! a sum of two products instead of a loop that scatters twice, and what a step of a loop adds to the cotangent of
//! weights is a product.
//!
//! Type: a linear part to a linear part. Law: it computes what it did. It applies to three loops inside each other that
//! do nothing else with a matrix than read elements at indices of these loops, at least once in the innermost. Loops
//! that are known to be short are left alone.

use pullback_ir::{Atom, Block, Loop, LoopForm, Op, Program, Stmt, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

/// How many loops a product of matrices has.
const LOOPS: usize = 3;
/// The largest known count of a short loop.
const SHORT: i64 = 16;

/// Renames what the products of a linear part read. New tangents belong to the values of the old ones.
pub(crate) fn rename_reads(
    program: &mut Program,
    block: &mut Block,
    primals: &mut FxHashMap<VarId, Atom>,
) {
    in_block(program, block, primals, false);
}

fn in_block(
    program: &mut Program,
    block: &mut Block,
    primals: &mut FxHashMap<VarId, Atom>,
    is_in_loop: bool,
) {
    let mut own: FxHashSet<VarId> = FxHashSet::default();
    for mut stmt in std::mem::take(&mut block.stmts) {
        let is_loop = matches!(stmt.op, Op::Loop(_));
        for inner in stmt.op.blocks_mut() {
            in_block(program, inner, primals, is_in_loop || is_loop);
        }
        if is_loop {
            for (tangent, places) in read_by_products(program, &stmt) {
                let is_of_this_step = !is_in_loop || own.contains(&tangent);
                if places.len() == 1 && is_of_this_step {
                    continue;
                }
                let mut names = vec![];
                for place in places {
                    let name = program.fresh_like(tangent);
                    if let Some(primal) = primals.get(&tangent).copied() {
                        primals.insert(name, primal);
                    }
                    block.stmts.push(Stmt::new(vec![name], Op::Copy(tangent.into()), stmt.span));
                    names.push((place, name));
                }
                stmt.op.blocks_mut().into_iter().for_each(|inner| rename(inner, tangent, &names));
            }
        }
        own.extend(&stmt.vars);
        block.stmts.push(stmt);
    }
}

/// How a nest uses a tangent.
#[derive(Default)]
struct Reads {
    /// The indices at which it reads elements, each once.
    places: Vec<Vec<Atom>>,
    /// Whether the innermost of three loops reads it.
    is_in_product: bool,
    /// Whether the nest does anything else with it.
    is_used_otherwise: bool,
}

/// The matrices of tangents of which the product of a nest reads elements, with the places.
fn read_by_products(program: &Program, stmt: &Stmt) -> Vec<(VarId, Vec<Vec<Atom>>)> {
    let mut nest = Nest { program, loops: vec![], bound: FxHashSet::default(), reads: vec![] };
    nest.stmt(stmt);
    let Nest { bound, reads, .. } = nest;
    reads
        .into_iter()
        .filter(|(tangent, reads)| {
            reads.is_in_product && !reads.is_used_otherwise && !bound.contains(tangent)
        })
        .map(|(tangent, reads)| (tangent, reads.places))
        .collect()
}

struct Nest<'p> {
    program: &'p Program,
    /// The indices and counts of the loops around, from outside.
    loops: Vec<(VarId, Atom)>,
    bound: FxHashSet<VarId>,
    /// In the order in which they come, so that the same program always becomes the same code.
    reads: Vec<(VarId, Reads)>,
}

impl Nest<'_> {
    fn stmt(&mut self, stmt: &Stmt) {
        self.bound.extend(&stmt.vars);
        if let Op::Index(Atom::Var(array), at) = &stmt.op {
            let is_product = self.loops.len() == LOOPS && !self.loops.iter().all(is_short);
            let is_element = self.are_indices(at) && self.program.vars[*array].ty.rank == 2;
            let is_too_deep = self.loops.len() > LOOPS;
            let reads = self.reads(*array);
            reads.is_in_product |= is_product;
            reads.is_used_otherwise |= !is_element || is_too_deep;
            if !reads.places.contains(at) {
                reads.places.push(at.clone());
            }
            return;
        }
        stmt.op.for_each_atom(&mut |atom| self.use_otherwise(atom));
        if let Op::Loop(Loop { form: LoopForm::For { index, count, .. }, states, body, .. }) =
            &stmt.op
        {
            self.bound.extend(states);
            self.loops.push((*index, *count));
            self.block(body);
            self.loops.pop();
            return;
        }
        for inner in stmt.op.blocks() {
            self.block(inner);
        }
    }

    fn block(&mut self, block: &Block) {
        block.stmts.iter().for_each(|stmt| self.stmt(stmt));
        block.results.iter().for_each(|atom| self.use_otherwise(*atom));
    }

    /// Whether these are the indices of two of the loops around.
    fn are_indices(&self, at: &[Atom]) -> bool {
        let is_index = |atom: &Atom| self.loops.iter().any(|(index, _)| *atom == (*index).into());
        matches!(at, [row, column] if row != column && is_index(row) && is_index(column))
    }

    fn use_otherwise(&mut self, atom: Atom) {
        if let Atom::Var(var) = atom {
            self.reads(var).is_used_otherwise = true;
        }
    }

    /// What is known of a variable; only tangents matter.
    fn reads(&mut self, var: VarId) -> &mut Reads {
        let known = self.reads.iter().position(|(known, _)| *known == var);
        let at = known.unwrap_or_else(|| {
            let is_used_otherwise = !self.program.vars[var].linear;
            self.reads.push((var, Reads { is_used_otherwise, ..Reads::default() }));
            self.reads.len() - 1
        });
        &mut self.reads[at].1
    }
}

/// Whether a loop is known to be short.
fn is_short((_, count): &(VarId, Atom)) -> bool {
    matches!(count, Atom::Int(count) if *count <= SHORT)
}

/// Reads each place under its own name.
fn rename(block: &mut Block, tangent: VarId, names: &[(Vec<Atom>, VarId)]) {
    block.visit_mut(&mut |stmt| {
        if let Op::Index(array, at) = &mut stmt.op
            && *array == Atom::Var(tangent)
            && let Some((_, name)) = names.iter().find(|(place, _)| place == at)
        {
            *array = Atom::Var(*name);
        }
    });
}
