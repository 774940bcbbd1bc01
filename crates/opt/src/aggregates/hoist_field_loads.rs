//! Loop-invariant code motion of field loads: the arrays in a value that a loop does not change are read before it.
//!
//! ```text
//!                                       w = match d { Dense(u) => { yield u } else => { … undef } }
//! s = for i < n with t = 0.0 {          s = for i < n with t = 0.0 {
//!   x = match d {                         x = match d {
//!     Dense(u) => { … u[i] … }      =>      Dense(u) => { … w[i] … }
//!     else => { yield 3.0 }                 else => { yield 3.0 }
//!   }                                     }
//!   …                                     …
//! ```
//!
//! In the loop, a cotangent of an element of an array that stands in a field is a whole value with that array in it,
//! so that an iteration costs as much as the array is long. Of an array from before the loop the cotangent is one
//! number that is added to an accumulator, and one value of the type is made after the loop.
//!
//! Law: values and failures stay. A constructor that is not there gives `undef`, at which no arm of the loop looks.
//! It applies to values that surely are there: the loop may look at others only behind a branch, or not at all.
//! Fields are taken out through several constructors, and only if arrays are among them. Values that the loop changes are
//! left alone.

use std::collections::BTreeMap;

use pullback_base::{Span, bug};
use pullback_ir::{Arm, Atom, Block, Elem, FuncId, Match, Op, Program, Stmt, VarId, holds_real};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::pass::{Pass, Phase, Scope, each_stmt};
use pullback_analysis::affine::Inside;
use pullback_analysis::{Analyses, Changed};

pub(crate) const PASS: Pass = Pass {
    name: "hoist_field_loads",
    phase: Phase::Simplify,
    scope: Scope::Anywhere,
    runs_last: false,
    runs_in_trial: false,
    about: "takes arrays out of what a loop does not change before the loop",
    law: "for i { match d { C(x) => b; … } } = y = match d { C(x) => x; … => undef }; for i { match d { C(x) => b with \
          y for x; … } }",
    run,
};

fn run(program: &mut Program, _: &mut [FuncId], analyses: &mut Analyses) -> Changed {
    let undefined = analyses.undefined(program);
    each_stmt(program, |program, stmt, before| {
        matches!(stmt.op, Op::Loop(_))
            && HoistFieldLoads { program, undefined: &undefined }.take(stmt, before)
    })
}

struct HoistFieldLoads<'p> {
    program: &'p mut Program,
    /// The values that may be undefined.
    undefined: &'p FxHashSet<VarId>,
}

/// Whether a value is taken apart in a block.
fn has_match(block: &Block) -> bool {
    let is_match = |stmt: &Stmt| {
        matches!(stmt.op, Op::Match(_)) || stmt.op.blocks().into_iter().any(has_match)
    };
    block.stmts.iter().any(is_match)
}

/// Where a field is in a value: through which constructors, and which of their fields.
type Path = Vec<(u32, usize)>;

/// What a loop reads of a value from before it.
#[derive(Default)]
struct Wanted {
    /// The constructors that it matches in a place, each with variables for its fields.
    arms: BTreeMap<(Path, u32), Vec<VarId>>,
    /// The fields that it reads, numbers and arrays, each with the variables that the loop binds to it.
    fields: BTreeMap<Path, Vec<VarId>>,
}

impl HoistFieldLoads<'_> {
    /// Takes fields out before a loop, which then reads what was taken out; whether there were any.
    fn take(&mut self, repeat: &mut Stmt, before: &mut Vec<Stmt>) -> bool {
        if !repeat.op.blocks().into_iter().any(has_match) {
            return false;
        }
        let mut atoms = FxHashMap::default();
        for (value, wanted) in &self.wanted(repeat) {
            let taken = self.taken(wanted, &[], *value, repeat.span);
            for (old, new) in wanted.fields.values().zip(&taken.vars) {
                atoms.extend(old.iter().map(|old| (*old, Atom::Var(*new))));
            }
            before.push(taken);
        }
        repeat.op.blocks_mut().into_iter().for_each(|block| block.substitute(&atoms));
        !atoms.is_empty()
    }

    /// The fields that a loop reads of values from before it, for values with arrays among these fields.
    fn wanted(&self, repeat: &Stmt) -> Vec<(Atom, Wanted)> {
        let Op::Loop(looped) = &repeat.op else { return vec![] };
        let inside = Inside::of(looped);
        let mut used = FxHashSet::default();
        looped.blocks().for_each(|block| block.visit_atoms(&mut |atom| used.extend(atom.var())));
        let mut candidates: Vec<(Atom, Wanted)> = vec![];
        // For each variable that is a field, which value it is of, and the path to it.
        let mut places: FxHashMap<VarId, (usize, Path)> = FxHashMap::default();
        let mut look = |stmt: &Stmt| {
            let Op::Match(cases) = &stmt.op else { return };
            let value = cases.scrutinee;
            let Some(var) = value.var().filter(|var| !self.undefined.contains(var)) else { return };
            let (at, path) = if let Some(place) = places.get(&var) {
                place.clone()
            } else if inside.has(var) {
                return;
            } else {
                let known = candidates.iter().position(|(other, _)| *other == value);
                let new = candidates.len();
                candidates.extend(known.is_none().then(|| (value, Wanted::default())));
                (known.unwrap_or(new), vec![])
            };
            for arm in &cases.arms {
                let wanted = &mut candidates[at].1;
                wanted.arms.entry((path.clone(), arm.tag)).or_insert_with(|| arm.params.clone());
                for (place, param) in arm.params.iter().enumerate() {
                    let path = [path.as_slice(), &[(arm.tag, place)]].concat();
                    let ty = self.program.vars[*param].ty;
                    if !holds_real(&self.program.datas, ty.elem) {
                        continue;
                    }
                    if ty.is_array() || ty.elem == Elem::Real {
                        if used.contains(param) {
                            wanted.fields.entry(path).or_default().push(*param);
                        }
                    } else {
                        places.insert(*param, (at, path));
                    }
                }
            }
        };
        looped.blocks().for_each(|block| block.visit(&mut look));
        let is_array = |vars: &Vec<VarId>| self.program.vars[vars[0]].ty.is_array();
        candidates.retain(|(_, wanted)| wanted.fields.values().any(is_array));
        candidates
    }

    /// The match that takes out of the value in a place the fields that are below the place.
    fn taken(&mut self, wanted: &Wanted, place: &[(u32, usize)], value: Atom, span: Span) -> Stmt {
        let below = wanted.fields.iter().filter(|(path, _)| path.starts_with(place));
        let vars = below.map(|(_, vars)| self.program.fresh_like(vars[0])).collect();
        let mut arms = vec![];
        for ((path, tag), params) in &wanted.arms {
            if path != place {
                continue;
            }
            let params: Vec<VarId> =
                params.iter().map(|var| self.program.fresh_like(*var)).collect();
            let mut block = Block::default();
            let mut known = FxHashMap::default();
            for (at, param) in params.iter().enumerate() {
                let inner = [place, &[(*tag, at)]].concat();
                if wanted.fields.contains_key(&inner) {
                    known.insert(inner, *param);
                } else if wanted.fields.keys().any(|path| path.starts_with(&inner)) {
                    let stmt = self.taken(wanted, &inner, Atom::Var(*param), span);
                    let paths = wanted.fields.keys().filter(|path| path.starts_with(&inner));
                    known.extend(paths.cloned().zip(stmt.vars.iter().copied()));
                    block.stmts.push(stmt);
                }
            }
            self.give(wanted, place, &known, &mut block, span);
            arms.push(Arm { tag: *tag, params, block });
        }
        let Elem::Data(data) = self.program.type_of(value).elem else {
            bug(PASS.name, "a branch by a value of a data type")
        };
        let has_all = arms.len() == self.program.datas[data].constructors.len();
        let default = (!has_all).then(|| {
            let mut block = Block::default();
            self.give(wanted, place, &FxHashMap::default(), &mut block, span);
            block
        });
        Stmt::new(vars, Op::Match(Match { scrutinee: value, arms, default }), span)
    }

    /// Adds to the results of a block the fields below a place: those that are known, and `undef` for the others.
    fn give(
        &mut self,
        wanted: &Wanted,
        place: &[(u32, usize)],
        known: &FxHashMap<Path, VarId>,
        block: &mut Block,
        span: Span,
    ) {
        for (path, vars) in wanted.fields.iter().filter(|(path, _)| path.starts_with(place)) {
            let var = known.get(path).copied().unwrap_or_else(|| {
                let nothing = self.program.fresh_like(vars[0]);
                block.stmts.push(Stmt::new(vec![nothing], Op::Undef, span));
                nothing
            });
            block.results.push(Atom::Var(var));
        }
    }
}
