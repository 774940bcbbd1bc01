//! Alias analysis of accumulators, and dependence analysis of loops that add to them: which accumulator a variable is a
//! part of, and by which index a loop touches it.
//!
//! Input: a program, a function, and the body of a loop with its index. Output: the root of each accumulator
//! ([`Roots`]), the functions that may be given one accumulator twice ([`aliased`]), and for each root how iterations
//! touch it ([`Access`]).
//!
//! ```text
//! for i.3 < n.1 { acc.2[i.3, k.4] += x.5 }     acc.2: Own(acc.2, 0), as no two iterations touch one number
//! for i.3 < n.1 { acc.2[k.4] += x.5 }          acc.2: Shared
//! ```
//!
//! Invariants. `Own` is said only if every access in the body, inner loops included, has the index at the same place of
//! the same variable. Parts of accumulators count as what they are parts of. What begins inside the body is left out.

use pullback_base::IdVec;
use pullback_ir::{Atom, Block, Func, FuncId, Op, Program, Stmt, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

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

/// How the iterations of a loop touch an accumulator from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Each only below the index of the iteration, which stands at this place among the indices of this
    /// variable: no two iterations touch the same number.
    Own(VarId, usize),
    /// Several iterations may touch the same number.
    Shared,
}

/// How the iterations of the body of a loop touch accumulators from outside: by root, in the order of first use.
pub fn lanes(program: &Program, roots: &Roots, index: VarId, body: &Block) -> Vec<(VarId, Access)> {
    let mut walk = Walk {
        program,
        index,
        own: FxHashMap::default(),
        inner: FxHashSet::default(),
        lanes: vec![],
    };
    walk.block(body, roots);
    walk.lanes
}

struct Walk<'p> {
    program: &'p Program,
    index: VarId,
    /// How the loop touches the parts that the body takes.
    own: FxHashMap<VarId, Access>,
    /// The accumulators that begin inside.
    inner: FxHashSet<VarId>,
    lanes: Vec<(VarId, Access)>,
}

impl Walk<'_> {
    fn block(&mut self, block: &Block, roots: &Roots) {
        for stmt in &block.stmts {
            self.stmt(stmt, roots);
            for inner in stmt.op.blocks() {
                self.block(inner, roots);
            }
        }
    }

    fn stmt(&mut self, stmt: &Stmt, roots: &Roots) {
        if let Op::NewAcc(_) = stmt.op {
            self.inner.extend(&stmt.vars);
        }
        let mut touched = vec![];
        stmt.op.for_each_atom(&mut |atom| {
            touched.extend(atom.var().filter(|var| self.program.vars[*var].ty.is_acc));
        });
        for acc in touched {
            let root = roots.of_var(acc);
            if self.inner.contains(&root) {
                continue;
            }
            let lane = self.lane(&stmt.op, acc);
            self.note(root, lane);
            if let Op::AtAcc(_, _) | Op::PartAcc(_, _, _) = stmt.op {
                self.own.insert(stmt.vars[0], lane);
            }
        }
    }

    fn lane(&self, op: &Op, acc: VarId) -> Access {
        if let Some(lane) = self.own.get(&acc) {
            return *lane;
        }
        let (Op::AddAcc(_, at, _) | Op::AtAcc(_, at)) = op else { return Access::Shared };
        match at.iter().position(|index| *index == Atom::Var(self.index)) {
            Some(place) => Access::Own(acc, place),
            None => Access::Shared,
        }
    }

    fn note(&mut self, root: VarId, lane: Access) {
        match self.lanes.iter_mut().find(|(known, _)| *known == root) {
            Some((_, known)) if *known == lane => {}
            Some((_, known)) => *known = Access::Shared,
            None => self.lanes.push((root, lane)),
        }
    }
}
