//! Alias analysis of accumulators, and array section analysis of loops (Callahan & Kennedy 1988): which accumulator a
//! variable is a part of, and how the iterations of a loop touch an array or an accumulator.
//!
//! Input: a program and a function; a loop with an index. Output: the root of each accumulator ([`Roots`]), the functions
//! that may be given one accumulator twice ([`aliased`]), and how iterations touch accumulators ([`accumulators`]) and
//! arrays that they read ([`arrays`]), as an [`Access`].
//!
//! ```text
//! for i.3 < n.1 { acc.2[i.3, k.4] += x.5 }     acc.2: Own(acc.2, 0), as no two iterations touch one number
//! for i.3 < n.1 { acc.2[j.6] += x.5 }          acc.2: Affine, where j.6 is i.3 + 1, or k.4 - i.3
//! for i.3 < n.1 { acc.2[k.4] += x.5 }          acc.2: Uniform
//! for i.3 < n.1 { acc.2[y.7] += x.5 }          acc.2: Any, where y.7 is read from an array
//! ```
//!
//! Invariants. `Own` is said only if every access in the body, inner loops included, has the index at the same place of
//! the same variable; `Affine` and `Uniform` only if every access is so. Parts of accumulators count as what they are
//! parts of. What begins inside the body is left out.

use pullback_base::IdVec;
use pullback_ir::{Atom, Block, Func, FuncId, Loop, Op, Program, Stmt, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::affine::{Inside, Ints};

/// The functions that may be given the same accumulator twice.
pub fn aliased(program: &Program) -> IdVec<FuncId, bool> {
    let mut aliased: IdVec<FuncId, bool> = program.funcs.ids().map(|_| false).collect();
    let mut roots: IdVec<FuncId, Roots> =
        program.funcs.iter().map(|func| Roots::of(program, func, false)).collect();
    loop {
        let mut reached = vec![];
        for (id, func) in program.funcs.iter_enumerated() {
            func.body.visit(&mut |stmt| {
                let Op::Call(callee, args) = &stmt.op else { return };
                let mut seen = FxHashSet::default();
                let accs = args.iter().filter_map(|arg| arg.var());
                let mut accs = accs.filter(|var| program.vars[*var].ty.is_acc);
                if !accs.all(|var| seen.insert(roots[id].of_var(var))) && !aliased[*callee] {
                    reached.push(*callee);
                }
            });
        }
        if reached.is_empty() {
            return aliased;
        }
        for callee in reached {
            aliased[callee] = true;
            roots[callee] = Roots::of(program, &program.funcs[callee], true);
        }
    }
}

/// The accumulator of which each variable is a part, in one function.
pub struct Roots(FxHashMap<VarId, VarId>);

impl Roots {
    /// The roots in a function. `is_aliased` says that its parameters may be parts of one accumulator.
    pub fn of(program: &Program, func: &Func, is_aliased: bool) -> Self {
        Self::within(program, &func.params, &func.body, is_aliased)
    }

    /// Those of a function with such parameters and such a body.
    pub fn within(program: &Program, params: &[VarId], body: &Block, is_aliased: bool) -> Self {
        let mut roots = Self(FxHashMap::default());
        if is_aliased {
            let accs: Vec<VarId> =
                params.iter().copied().filter(|param| program.vars[*param].ty.is_acc).collect();
            roots.0.extend(accs.iter().map(|acc| (*acc, accs[0])));
        }
        body.visit(&mut |stmt| {
            if let (Op::AtAcc(Atom::Var(acc), _) | Op::PartAcc(Atom::Var(acc), _, _), [part]) =
                (&stmt.op, &stmt.vars[..])
            {
                let root = roots.of_var(*acc);
                roots.0.insert(*part, root);
            }
        });
        roots
    }

    /// The accumulator that a variable is a part of.
    pub fn of_var(&self, acc: VarId) -> VarId {
        self.0.get(&acc).copied().unwrap_or(acc)
    }
}

/// Whether an operation only looks at an array: it neither writes it, nor gives it or what holds all of it.
pub fn only_looks(op: &Op) -> bool {
    matches!(
        op,
        Op::Index(..)
            | Op::Slice(..)
            | Op::Dim(..)
            | Op::Sum(_)
            | Op::CheckSize(..)
            | Op::Shape(..)
            | Op::Zero(_)
    )
}

/// Whether the result of an operation may share memory with an operand.
pub fn may_share(op: &Op) -> bool {
    matches!(
        op,
        Op::Copy(_)
            | Op::Stop(_)
            | Op::Index(..)
            | Op::Slice(..)
            | Op::Flatten(_)
            | Op::Sized(..)
            | Op::Select(..)
    )
}

/// How the iterations of a loop touch an array or an accumulator from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Each only below the index of the iteration, which stands at this place among the indices of this
    /// variable: no two iterations touch the same number.
    Own(VarId, usize),
    /// All at the same places.
    Uniform,
    /// At places that move on with the index by fixed numbers: iterations may meet where others were before.
    Affine,
    /// At any places.
    Any,
}

impl Access {
    /// Whether no two iterations touch the same number.
    pub fn is_own(self) -> bool {
        matches!(self, Self::Own(..))
    }
}

/// How the iterations of a loop touch accumulators from outside: by root, in the order of first use.
pub fn accumulators(program: &Program, roots: &Roots, looped: &Loop) -> Vec<(VarId, Access)> {
    touched(looped, Tracked::Accs(program, roots))
}

/// How the iterations of a loop read arrays from outside, in the order of first use. Who asks for a size touches
/// nothing.
pub fn arrays(looped: &Loop, arrays: &[VarId]) -> Vec<(VarId, Access)> {
    touched(looped, Tracked::Arrays(arrays))
}

fn touched(looped: &Loop, tracked: Tracked<'_>) -> Vec<(VarId, Access)> {
    let Some(index) = looped.for_index() else { return vec![] };
    let mut walk = Walk {
        tracked,
        index,
        parts: FxHashMap::default(),
        inner: FxHashSet::default(),
        touches: vec![],
    };
    walk.block(&looped.body);
    let mut ways = vec![];
    for touches in &walk.touches {
        let is_own = touches.all.iter().all(|touch| touch.own == touches.all[0].own);
        let way = match touches.all[0].own.filter(|_| is_own) {
            Some((var, at)) => Access::Own(var, at),
            None => meeting(looped, index, &touches.all),
        };
        ways.push((touches.root, way));
    }
    ways
}

/// How iterations touch something where some of them may meet.
fn meeting(looped: &Loop, index: VarId, touches: &[Touch]) -> Access {
    let (ints, inside) = (Ints::of(&looped.body), Inside::of(looped));
    let mut way = Access::Uniform;
    for touch in touches {
        let Some(place) = &touch.place else { return Access::Any };
        for atom in place {
            let Some(form) = ints.form(*atom) else { return Access::Any };
            if !form.without(index).all(|var| !inside.has(var)) {
                return Access::Any;
            }
            if form.coefficient(index) != 0 {
                way = Access::Affine;
            }
        }
    }
    way
}

/// What a walk looks at.
#[derive(Clone, Copy)]
enum Tracked<'t> {
    Accs(&'t Program, &'t Roots),
    Arrays(&'t [VarId]),
}

impl Tracked<'_> {
    /// The whole that a variable is a part of, if the walk looks at it.
    fn root(self, var: VarId) -> Option<VarId> {
        match self {
            Self::Accs(program, roots) => program.vars[var].ty.is_acc.then(|| roots.of_var(var)),
            Self::Arrays(arrays) => arrays.contains(&var).then_some(var),
        }
    }
}

/// A place where a loop touches something.
#[derive(Clone, Default)]
struct Touch {
    /// The place of the index, as in [`Access::Own`].
    own: Option<(VarId, usize)>,
    /// The indices, those of a part after those of what it is a part of; none if it may be any place.
    place: Option<Vec<Atom>>,
}

/// Where a loop touches one array or accumulator.
struct Touches {
    root: VarId,
    all: Vec<Touch>,
}

struct Walk<'w> {
    tracked: Tracked<'w>,
    index: VarId,
    /// The parts that the body takes.
    parts: FxHashMap<VarId, Touch>,
    /// The accumulators that begin inside.
    inner: FxHashSet<VarId>,
    touches: Vec<Touches>,
}

impl Walk<'_> {
    fn block(&mut self, block: &Block) {
        for stmt in &block.stmts {
            self.stmt(stmt);
            for inner in stmt.op.blocks() {
                self.block(inner);
            }
        }
        block.results.iter().for_each(|atom| self.note(*atom, None));
    }

    fn stmt(&mut self, stmt: &Stmt) {
        if let Op::NewAcc(_) = stmt.op {
            self.inner.extend(&stmt.vars);
        }
        if matches!((&stmt.op, self.tracked), (Op::Dim(..), Tracked::Arrays(_))) {
            return;
        }
        #[expect(clippy::wildcard_enum_match_arm, reason = "others touch all of it")]
        let mut touch = match &stmt.op {
            Op::Index(of, at) | Op::AddAcc(of, at, _) | Op::AtAcc(of, at) => {
                Some(self.touch(*of, at, true))
            }
            // The indices of a range are its own.
            Op::PartAcc(of, lo, _) => Some(self.touch(*of, std::slice::from_ref(lo), false)),
            _ => None,
        };
        let part = touch.clone();
        // The first operand is what is touched there.
        stmt.op.for_each_atom(&mut |atom| self.note(atom, touch.take()));
        if let (Op::AtAcc(..) | Op::PartAcc(..), [var]) = (&stmt.op, stmt.vars.as_slice()) {
            self.parts.extend(part.map(|part| (*var, part)));
        }
    }

    /// A place in an array, an accumulator or a part of one.
    fn touch(&self, of: Atom, at: &[Atom], is_whole: bool) -> Touch {
        let Atom::Var(var) = of else { return Touch::default() };
        if let Some(part) = self.parts.get(&var) {
            let place = part.place.as_ref().map(|place| [place, at].concat());
            return Touch { own: part.own, place };
        }
        let own = at.iter().position(|atom| *atom == Atom::Var(self.index));
        let own = own.filter(|_| is_whole).map(|place| (var, place));
        Touch { own, place: Some(at.to_vec()) }
    }

    fn note(&mut self, atom: Atom, touch: Option<Touch>) {
        let Some(var) = atom.var() else { return };
        let Some(root) = self.tracked.root(var) else { return };
        // Who does not say where touches all of it.
        let touch = touch.or_else(|| self.parts.get(&var).cloned()).unwrap_or_default();
        if self.inner.contains(&root) {
            return;
        }
        match self.touches.iter_mut().find(|touches| touches.root == root) {
            Some(touches) => touches.all.push(touch),
            None => self.touches.push(Touches { root, all: vec![touch] }),
        }
    }
}
