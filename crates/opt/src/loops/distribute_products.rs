//! Loop fission (loop distribution; Kennedy and McKinley, 1990) around products: a vector times a matrix, inside a loop
//! over rows, gets a loop over rows of its own.
//!
//! ```text
//! y = for r < b {                       c = for r < b {
//!   h = for j < m {                       h = for j < m {
//!     s = for k < p with t = 0.0 {          s = for k < p with t = 0.0 {
//!       … x[r, k] * w[k, j] …                 … x[r, k] * w[k, j] …
//!     }                                     }
//!     collect s                    =>       collect s
//!   }                                     }
//!   z = for j < m { … h[j] … }            collect h
//!   collect z                           }
//! }                                     y = for q < b {
//!                                         h' = c[q]
//!                                         z = for j < m { … h'[j] … }
//!                                         collect z
//!                                       }
//! ```
//!
//! All rows times the matrix are then a product of matrices, of which native code computes several rows at once, so
//! that it reads the matrix once for them. A network that is written for one input and mapped runs like one that is
//! written for many.
//!
//! Law: values, their bits and failures stay. It applies to loops whose statements fall into parts, of which the last one
//! alone looks at states, that
//! touch different accumulators, or elements of them that no other iteration touches, and of which one at most fails or
//! tells something. What a later part needs is collected:
//! numbers, and rows of numbers that have one size. Elements that are at hand are read again.

use pullback_base::{Span, bug};
use pullback_ir::{Atom, Block, Elem, FuncId, Loop, LoopForm, Op, Program, Stmt, Type, VarId};
use pullback_prim::Prim;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::pass::{Pass, Phase, Scope, each_func, take};
use pullback_analysis::access::{Roots, accumulators};
use pullback_analysis::cost::is_straight;
use pullback_analysis::effects::FuncEffects;
use pullback_analysis::effects::debug::Tells;
use pullback_analysis::reorder::Info;
use pullback_analysis::{Analyses, Changed};

pub(crate) const PASS: Pass = Pass {
    name: "distribute_products",
    phase: Phase::Schedule,
    scope: Scope::Anywhere,
    runs_last: false,
    runs_in_trial: false,
    about: "gives a vector times a matrix, inside a loop over rows, a loop over rows of its own",
    law: "y = for r < b { h = x[r] * w; s; collect z } = c = for r < b { h = x[r] * w; collect h }; y = for q < b { \
          h' = c[q]; s with h' for h; collect z }, if one of both at most fails, and both touch no accumulator, or only elements \
          that no other iteration touches",
    run,
};

/// A loop that is known to have no more iterations is left alone, and so is a product of no more numbers in each
/// dimension.
const TINY: i64 = 16;

fn run(program: &mut Program, _: &mut [FuncId], analyses: &mut Analyses) -> Changed {
    let (facts, effects) = (analyses.facts_in_place(program), analyses.effects_in_place(program));
    let (tells, undefined) = (analyses.tells(program), analyses.undefined(program));
    let aliased = analyses.aliased(program);
    each_func(program, |program, func, body| {
        let roots = Roots::within(program, &program.funcs[func].params, body, aliased[func]);
        let (effects, counted) = (effects.func(func), &facts.func(func).counted);
        let (tells, undefined) = (&tells, &undefined);
        let mut ctx = Distribute { program, effects, counted, tells, undefined, roots };
        ctx.block(body)
    })
}

struct Distribute<'a> {
    program: &'a mut Program,
    effects: FuncEffects<'a>,
    /// The indices of loops whose counts are not negative.
    counted: &'a FxHashSet<VarId>,
    tells: &'a Tells,
    undefined: &'a FxHashSet<VarId>,
    roots: Roots,
}

impl Distribute<'_> {
    fn block(&mut self, block: &mut Block) -> bool {
        let mut changed = false;
        for mut stmt in take(block) {
            for inner in stmt.op.blocks_mut() {
                changed |= self.block(inner);
            }
            let cuts = self.cuts(&stmt);
            if cuts.is_empty() {
                block.stmts.push(stmt);
            } else {
                changed = true;
                self.distribute(stmt, &cuts, &mut block.stmts);
            }
        }
        changed
    }

    /// The places in the body of a loop where it falls into parts, in their order.
    fn cuts(&self, stmt: &Stmt) -> Vec<usize> {
        let Op::Loop(looped @ Loop { form, states, body, .. }) = &stmt.op else { return vec![] };
        let LoopForm::For { index, count, .. } = *form else { return vec![] };
        let is_long = !matches!(count, Atom::Int(n) if n <= TINY);
        if !is_long || !self.counted.contains(&index) {
            return vec![];
        }
        let products: Vec<usize> = (0..body.stmts.len())
            .filter(|at| is_product(looped, index, &body.stmts[*at]))
            .collect();
        if products.is_empty() {
            return vec![];
        }
        let infos: Vec<Info> = body
            .stmts
            .iter()
            .map(|stmt| Info::of(self.program, self.tells, &self.roots, stmt))
            .collect();
        let bound = body.bound();
        // What iterations add to elements of their own comes there in the same order, in one loop or in several.
        let touched = accumulators(self.program, &self.roots, looped).into_iter();
        let own = touched.filter(|(_, access)| access.is_own()).map(|(root, _)| root).collect();
        let mut cuts: Vec<usize> = products.iter().flat_map(|at| [*at, at + 1]).collect();
        cuts.dedup();
        cuts.retain(|cut| self.may_cut(body, (index, &bound), (&infos, &own), *cut));
        // States stay with the last part.
        let next = &body.results[..states.len()];
        let is_of_states = |at: &usize| {
            states.iter().any(|state| infos[*at].uses.contains(state))
                || body.stmts[*at].vars.iter().any(|var| next.contains(&Atom::Var(*var)))
        };
        let first = (0..infos.len()).find(is_of_states).unwrap_or(infos.len());
        cuts.retain(|cut| *cut <= first);
        let cuts = between_loops(body, cuts);
        let parts = ends(&cuts, body.stmts.len());
        let is_calm = |(from, to): (usize, usize)| {
            body.stmts[from..to]
                .iter()
                .all(|stmt| self.effects.is_calm_throughout(self.program, stmt))
        };
        if parts.iter().filter(|part| !is_calm(**part)).count() > 1 { vec![] } else { cuts }
    }

    /// Whether what stands behind a place of a body can come by itself after what stands before it.
    fn may_cut(
        &self,
        body: &Block,
        (index, bound): (VarId, &FxHashSet<VarId>),
        (infos, own): (&[Info], &FxHashSet<VarId>),
        cut: usize,
    ) -> bool {
        let (before, after) = infos.split_at(cut);
        let is_shared = before.iter().any(|info| {
            after.iter().any(|other| info.shared_accs(other).any(|root| !own.contains(&root)))
        });
        let is_needed = |var: &VarId| after.iter().any(|info| info.uses.contains(var));
        !is_shared
            && body.stmts[..cut].iter().all(|stmt| {
                let mut needed = stmt.vars.iter().filter(|var| is_needed(var));
                needed.all(|var| {
                    is_at_hand(stmt, index, bound) || self.can_be_collected(body, stmt, *var, bound)
                })
            })
    }

    /// Whether a loop can collect what a statement of its body binds: a number, or a row of numbers of one size.
    fn can_be_collected(
        &self,
        body: &Block,
        stmt: &Stmt,
        var: VarId,
        bound: &FxHashSet<VarId>,
    ) -> bool {
        let ty = self.program.vars[var].ty;
        let is_of_numbers = matches!(ty.elem, Elem::Real | Elem::Int | Elem::Bool) && !ty.is_acc;
        let is_outside = |atom: Atom| atom.var().is_none_or(|var| !bound.contains(&var));
        #[expect(clippy::wildcard_enum_match_arm, reason = "the sizes of others are not known")]
        let has_one_size = match &stmt.op {
            Op::Loop(Loop { form: LoopForm::For { count, .. }, states, .. }) => {
                is_outside(*count) && stmt.vars[states.len()..].contains(&var)
            }
            Op::ReadAcc(acc) => body.stmts.iter().any(|begin| {
                let begins = begin.vars.first().map(|var| Atom::Var(*var)) == Some(*acc);
                matches!(begin.op, Op::NewAcc(init) if begins && is_outside(init))
            }),
            _ => false,
        };
        let is_there = !self.undefined.contains(&var);
        is_there && is_of_numbers && (ty.rank == 0 || ty.rank == 1 && has_one_size)
    }

    /// A loop for each part of a body. What later parts need is collected, or read again.
    fn distribute(&mut self, stmt: Stmt, cuts: &[usize], out: &mut Vec<Stmt>) {
        let Stmt { vars, op: Op::Loop(Loop { form, states, init, body }), span, .. } = stmt else {
            bug(PASS.name, "a loop")
        };
        let last_states: Vec<VarId> = vars[..states.len()].to_vec();
        let mut recurrence = Some((states, init));
        let LoopForm::For { index, count, down } = form else {
            bug(PASS.name, "a loop that counts")
        };
        let bound = body.bound();
        let ends = ends(cuts, body.stmts.len());
        let mut results: Vec<(VarId, Atom)> = vars.into_iter().zip(body.results).collect();
        let mut stmts = body.stmts.into_iter();
        let mut parts: Vec<Vec<Stmt>> =
            ends.iter().map(|(from, to)| stmts.by_ref().take(to - from).collect()).collect();
        // What each part is given by those before it, as it is bound there.
        let mut known: Vec<Given> = vec![];
        for at in 0..parts.len() {
            let own: Vec<Stmt> = std::mem::take(&mut parts[at]);
            let is_last = at + 1 == ends.len();
            let made: FxHashSet<VarId> = own.iter().flat_map(|stmt| &stmt.vars).copied().collect();
            let (ours, others) = results.into_iter().partition(|(var, result)| {
                let is_made = result.var().is_some_and(|var| made.contains(&var));
                is_last || is_made && !last_states.contains(var)
            });
            results = others;
            let ours: Vec<(VarId, Atom)> = ours;
            let needed = names(&parts[at + 1..]);
            let mut body =
                Block { stmts: vec![], results: ours.iter().map(|(_, atom)| *atom).collect() };
            let mut vars: Vec<VarId> = ours.iter().map(|(var, _)| *var).collect();
            let uses = names(std::slice::from_ref(&own));
            let results_of_it: FxHashSet<VarId> =
                body.results.iter().filter_map(|a| a.var()).collect();
            let i = if at == 0 { index } else { self.program.fresh_like(index) };
            let mut atoms = FxHashMap::from_iter([(index, Atom::Var(i))]);
            for given in &known {
                if uses.contains(&given.var) || results_of_it.contains(&given.var) {
                    let local = self.program.fresh_like(given.var);
                    let mut op = given.op.clone();
                    op.for_each_atom_mut(&mut |atom| {
                        if *atom == Atom::Var(index) {
                            *atom = Atom::Var(i);
                        }
                    });
                    body.stmts.push(Stmt::new(vec![local], op, given.span));
                    atoms.insert(given.var, Atom::Var(local));
                }
            }
            for stmt in &own {
                for var in stmt.vars.iter().filter(|var| needed.contains(var)) {
                    let op = if is_at_hand(stmt, index, &bound) {
                        stmt.op.clone()
                    } else {
                        let ty: Type = self.program.vars[*var].ty;
                        let array = self.program.fresh("rows", ty.array());
                        vars.push(array);
                        body.results.push((*var).into());
                        Op::Index(array.into(), vec![index.into()])
                    };
                    known.push(Given { var: *var, op, span: stmt.span });
                }
            }
            body.stmts.extend(own);
            if at > 0 {
                body.substitute(&atoms);
            }
            let form = LoopForm::For { index: i, count, down };
            let (states, init) = recurrence.take_if(|_| is_last).unwrap_or_default();
            let op = Op::Loop(Loop { form, states, init, body });
            out.push(Stmt::new(vars, op, span));
        }
    }
}

/// What later parts of a body are given.
struct Given {
    var: VarId,
    /// What gives it, in terms of the index of the first loop.
    op: Op,
    span: Span,
}

/// The variables that statements use, at any depth.
fn names(parts: &[Vec<Stmt>]) -> FxHashSet<VarId> {
    let mut names = FxHashSet::default();
    for stmt in parts.iter().flatten() {
        stmt.op.for_each_atom(&mut |atom| names.extend(atom.var()));
        for inner in stmt.op.blocks() {
            inner.visit_atoms(&mut |atom| names.extend(atom.var()));
        }
    }
    names
}

/// The beginnings and ends of the parts between places of a body.
fn ends(cuts: &[usize], size: usize) -> Vec<(usize, usize)> {
    let from = std::iter::once(0).chain(cuts.iter().copied());
    let to = cuts.iter().copied().chain(std::iter::once(size));
    from.zip(to).collect()
}

/// The places of which both sides have loops, up to the next place.
fn between_loops(body: &Block, cuts: Vec<usize>) -> Vec<usize> {
    let works = |from: usize, to: usize| {
        body.stmts[from..to].iter().any(|stmt| matches!(stmt.op, Op::Loop(_) | Op::Call(..)))
    };
    let mut kept: Vec<usize> = vec![];
    for cut in cuts {
        if works(kept.last().copied().unwrap_or(0), cut) {
            kept.push(cut);
        }
    }
    while let Some(cut) = kept.last()
        && !works(*cut, body.stmts.len())
    {
        kept.pop();
    }
    kept
}

/// Whether a statement reads an element or a row of an array that is there before the loop, at its index.
fn is_at_hand(stmt: &Stmt, index: VarId, bound: &FxHashSet<VarId>) -> bool {
    let mut is_there = matches!(stmt.op, Op::Index(..));
    stmt.op.for_each_atom(&mut |atom| {
        is_there &= atom.var().is_none_or(|var| var == index || !bound.contains(&var));
    });
    is_there
}

/// Whether a statement of a loop over rows is a vector times a matrix: sums, for each of many places, of elements of a
/// matrix from outside the loop times elements of a row that hangs on the loop.
fn is_product(looped: &Loop, index: VarId, stmt: &Stmt) -> bool {
    let Op::Loop(Loop { form: LoopForm::For { index: j, count, .. }, body, .. }) = &stmt.op else {
        return false;
    };
    let is_tiny = |count: Atom| matches!(count, Atom::Int(n) if n <= TINY);
    let inside = looped.body.bound();
    body.stmts.iter().any(|stmt| {
        let Op::Loop(sum @ Loop { form: LoopForm::For { index: k, count: terms, .. }, .. }) =
            &stmt.op
        else {
            return false;
        };
        let (mut of_matrix, mut of_row, mut multiplies) = (vec![], vec![], false);
        sum.body.visit(&mut |stmt| {
            if let Op::Index(Atom::Var(array), at) = &stmt.op {
                let has = |var: VarId| at.contains(&Atom::Var(var));
                let is_inside = inside.contains(array);
                if !is_inside && has(*j) && has(*k) && !has(index) {
                    of_matrix.extend(&stmt.vars);
                }
                if has(*k) && !has(*j) && (is_inside || has(index)) {
                    of_row.extend(&stmt.vars);
                }
            } else if matches!(stmt.op, Op::Prim(Prim::Mul, _) | Op::MulZero(..)) {
                let (mut has_matrix, mut has_row) = (false, false);
                stmt.op.for_each_atom(&mut |atom| {
                    has_matrix |= atom.var().is_some_and(|var| of_matrix.contains(&var));
                    has_row |= atom.var().is_some_and(|var| of_row.contains(&var));
                });
                multiplies |= has_matrix && has_row;
            }
        });
        let reads_both = !of_matrix.is_empty() && !of_row.is_empty();
        let is_small = is_tiny(*count) && is_tiny(*terms);
        // A kernel that adds up distances, say, is as good without a matrix of them.
        !sum.states.is_empty() && is_straight(&sum.body) && reads_both && multiplies && !is_small
    })
}
