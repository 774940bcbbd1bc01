//! Index-set splitting: the iterations at which an index wraps around or stops at an end get code of their own.
//!
//! ```text
//! y = for i < n {               e = int_sub(n, 1)
//!   j = int_add(i, 1)           y = for i < n {
//!   k = int_rem(j, n)             p = int_eq(i, e)
//!   x = a[k]               =>     z = if p { … yield x } else {
//!   collect x                       k = int_add(i, 1)
//! }                                 x = a[k]
//!                                   yield x
//!                                 }
//!                                 collect z
//!                               }
//! ```
//!
//! Places such as `(i + 1) % n` or `min (i + 1) (n - 1)` are neighbours of the index but for the first and the last
//! iterations. In all others the loop then reads and adds side by side.
//!
//! Law: values and failures stay; in the second side the remainder, minimum or maximum is the plain sum. It applies
//! to places at most four away from the index, in bodies without loops, calls and data, and where the count is not
//! negative.
//!
//! It runs at the end, since both sides hold the whole iteration: a derivative would save values for both.

use std::rc::Rc;

use pullback_base::Span;
use pullback_ir::{Atom, Block, FuncId, Loop, LoopForm, Op, Program, Stmt, Type, VarId, rename};
use pullback_prim::Prim;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::pass::{Pass, Phase, Scope, each_func, take};
use pullback_analysis::affine::Ints;
use pullback_analysis::cost::is_straight;
use pullback_analysis::{Analyses, Changed};

pub(crate) const PASS: Pass = Pass {
    name: "partition_loops",
    phase: Phase::Schedule,
    scope: Scope::Anywhere,
    runs_last: false,
    runs_in_trial: false,
    about: "sets apart the iterations at which a place wraps around or stops at an end",
    law: "for i < n { b } = for i < n { if i == n - 1 { b } else { b with i + 1 for (i + 1) % n } }, if n is not negative, and \
          the like for other distances, and for min and max",
    run,
};

/// The largest distance between the loop's index and an index that wraps around or stops.
const FARTHEST: i64 = 4;

/// The largest body, in statements, of which the pass makes two sides.
const LARGEST: usize = 128;

fn run(program: &mut Program, _: &mut [FuncId], analyses: &mut Analyses) -> Changed {
    let facts = analyses.facts(program);
    each_func(program, |program, func, body| {
        let counted = &facts.func(func).counted;
        let ints = analyses.ints(func, body);
        let mut ctx = PartitionLoops { program, counted, ints, changed: false };
        ctx.block(body);
        ctx.changed
    })
}

struct PartitionLoops<'p> {
    program: &'p mut Program,
    /// The indices of loops whose counts are not negative.
    counted: &'p FxHashSet<VarId>,
    ints: Rc<Ints>,
    changed: bool,
}

/// The statements of a body that compute an index near the loop's, each with its distance.
type Near = Vec<(usize, i64)>;

impl PartitionLoops<'_> {
    fn block(&mut self, block: &mut Block) {
        for mut stmt in take(block) {
            for inner in stmt.op.blocks_mut() {
                self.block(inner);
            }
            if let Op::Loop(Loop { form: LoopForm::For { index, count, .. }, body, .. }) =
                &mut stmt.op
                && self.counted.contains(index)
                && is_straight(body)
                && !has_data(body)
                && body.size() <= LARGEST
            {
                let near = self.near(body, *index, *count);
                if !near.is_empty() {
                    self.part(body, (*index, *count), &near, &mut block.stmts, stmt.span);
                    self.changed = true;
                }
            }
            block.stmts.push(stmt);
        }
    }

    fn near(&self, body: &Block, index: VarId, count: Atom) -> Near {
        let ahead = |atom: Atom| self.ints.distance(atom, index.into());
        let mut near = vec![];
        for (at, stmt) in body.stmts.iter().enumerate() {
            let Op::Prim(prim, args) = &stmt.op else { continue };
            let &[a, b] = args.as_slice() else { continue };
            #[expect(clippy::wildcard_enum_match_arm, reason = "others give no places")]
            let distance = match prim {
                Prim::IntRem if b == count => ahead(a).or_else(|| {
                    // Once around.
                    self.ints
                        .difference(a, count)?
                        .minus(&self.ints.form(index.into())?)?
                        .as_number()
                }),
                Prim::IntMin | Prim::IntMax => {
                    let is_min = *prim == Prim::IntMin;
                    let is_end = |other: Atom| {
                        let (from, last) = if is_min { (count, -1) } else { (Atom::Int(0), 0) };
                        self.ints.distance(other, from) == Some(last)
                    };
                    let place = [(a, b), (b, a)].into_iter().find(|(_, other)| is_end(*other));
                    let distance = place.and_then(|(place, _)| ahead(place));
                    distance.filter(|distance| (*distance > 0) == is_min)
                }
                _ => continue,
            };
            let is_near = |distance: &i64| *distance != 0 && distance.abs() <= FARTHEST;
            near.extend(distance.filter(is_near).map(|distance| (at, distance)));
        }
        near
    }

    /// Makes two sides of a body: one for the iterations at the ends, and one for all others. The ends are computed
    /// in `before`, which comes before the loop.
    fn part(
        &mut self,
        body: &mut Block,
        (index, count): (VarId, Atom),
        near: &Near,
        before: &mut Vec<Stmt>,
        span: Span,
    ) {
        let mut inner = body.clone();
        for (at, distance) in near {
            let (prim, by) =
                if *distance < 0 { (Prim::IntSub, -distance) } else { (Prim::IntAdd, *distance) };
            inner.stmts[*at].op = Op::Prim(prim, vec![index.into(), Atom::Int(by)]);
        }
        let inner = rename(self.program, &inner, &mut FxHashMap::default());
        let first = near.iter().map(|(_, distance)| -distance).max().unwrap_or_default();
        let last = near.iter().map(|(_, distance)| *distance).max().unwrap_or_default();
        let mut ends: Vec<Atom> = (0..first).map(Atom::Int).collect();
        for by in 1..=last {
            let end = self.program.fresh("end", Type::INT);
            let less = Op::Prim(Prim::IntSub, vec![count, Atom::Int(by)]);
            before.push(Stmt::new(vec![end], less, span));
            ends.push(end.into());
        }
        let mut stmts = vec![];
        let mut is_end = Atom::Bool(false);
        for end in ends {
            let is_this = self.program.fresh("t", Type::BOOL);
            let equal = Op::Prim(Prim::IntEq, vec![index.into(), end]);
            stmts.push(Stmt::new(vec![is_this], equal, span));
            if is_end == Atom::Bool(false) {
                is_end = is_this.into();
                continue;
            }
            let either = self.program.fresh("t", Type::BOOL);
            let op = Op::Select(is_end, Atom::Bool(true), is_this.into());
            stmts.push(Stmt::new(vec![either], op, span));
            is_end = either.into();
        }
        let types = body.results.iter().map(|result| self.program.type_of(*result));
        let types: Vec<Type> = types.collect();
        let results: Vec<VarId> = types.into_iter().map(|ty| self.program.fresh("x", ty)).collect();
        let outer = std::mem::take(body);
        stmts.push(Stmt::new(results.clone(), Op::If(is_end, outer, inner), span));
        *body = Block { stmts, results: results.into_iter().map(Atom::Var).collect() };
    }
}

/// Whether a block makes data or takes it apart.
fn has_data(block: &Block) -> bool {
    let mut has_data = false;
    block.visit(&mut |stmt| has_data |= matches!(stmt.op, Op::Match(_) | Op::Con(..)));
    has_data
}
