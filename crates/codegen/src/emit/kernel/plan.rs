//! Legality of a kernel: whether a nest of loops is one, and what is known of it before its text is made.
//!
//! ```text
//! for i.3 < n.1 { a.4 = x.0[i.3]; collect exp(a.4) }          a kernel: loop_versioning asks whether x.0 has n.1 elements
//! for i.3 < n.1 { a.4 = @f(i.3); collect a.4 }                none: `no kernel has a.4 = @f(i.3)`
//! ```
//!
//! Input: a loop with a count, its results, and which of the statements in it cannot fail. Output: a [`Plan`], or the
//! statement because of which the loop is no kernel.
//!
//! A kernel is a loop with a count, and all that is inside it, which only computes numbers and arrays of numbers.
//! Arrays come from outside, or are made inside with sizes that have bounds known before the loop. Nothing in it can
//! fail except what [`super::loop_versioning`] can ask before the loop. A loop that ends by a condition may stand
//! inside if nothing in it can fail and it keeps only numbers: then lanes may run on when they have ended.
//!
//! Invariants. Statements are known by their ids, loops by their indices. `sizes` has an entry for each array or
//! accumulator that the nest names.

use std::rc::Rc;

use pullback_analysis::cost::calls_library;
use pullback_analysis::facts::FuncFacts;
use pullback_analysis::sizes::{Size, Sizes};
use pullback_base::Id;
use pullback_ir::{Atom, Block, Elem, Loop, LoopForm, Op, Program, Stmt, StmtId, Type, VarId};
use pullback_prim::{Prim, PrimTy};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::transformations::{Which, Without};

/// What is known where a loop stands, and how it may be written.
#[derive(Clone, Default)]
pub(super) struct Given {
    /// The products that are not to be rounded with a difference at once.
    pub rounded: Rc<FxHashSet<VarId>>,
    /// The sizes of arrays from outside that have been checked, at a dimension.
    pub known: Rc<FxHashMap<(VarId, u8), i64>>,
    /// The transformations that are left out.
    pub without: Without,
}

/// A kernel.
pub(super) struct Plan<'k> {
    pub program: &'k Program,
    /// The loop.
    pub looped: &'k Loop,
    /// Its results.
    pub vars: &'k [VarId],
    pub given: Given,
    /// What binds a variable inside.
    pub defs: FxHashMap<VarId, &'k Stmt>,
    /// The loops inside whose index or state a variable is, and the loop itself.
    pub loops: FxHashMap<VarId, &'k Loop>,
    /// The variables bound inside.
    pub local: FxHashSet<VarId>,
    /// The statements that may fail.
    pub unproven: FxHashSet<StmtId>,
    /// Whether the loop itself may fail, its count being negative.
    pub count_is_unproven: bool,
    /// The arrays and accumulators from outside, in the order of their use.
    pub inputs: Vec<VarId>,
    /// The exact sizes of the arrays that are made inside, and of the accumulators, by what comes from outside.
    pub sizes: FxHashMap<VarId, Vec<Size>>,
    /// The sizes of what is made inside.
    made: Sizes,
    /// Whether the guard reads arrays to know indices. That is a second walk over them, which pays where functions
    /// of C's library then run in vectors, and where no loop inside could be the kernel in place of this one.
    reads_ahead: bool,
    /// The innermost statement because of which the loop is no kernel.
    refused: Option<&'k Stmt>,
}

impl<'k> Plan<'k> {
    /// Whether a variable is zeros that the loop makes, which are nowhere in memory.
    pub fn is_zero(&self, var: VarId) -> bool {
        self.defs.get(&var).is_some_and(|stmt| matches!(stmt.op, Op::Zero(_)))
    }

    /// The plan of a loop, if it is a kernel, else what it has that no kernel has. `is_proven`: whether the loop itself cannot fail; `facts` are what is known of its function.
    pub fn of(
        program: &'k Program,
        looped: &'k Loop,
        vars: &'k [VarId],
        (is_proven, facts): (bool, &FuncFacts),
        given: Given,
    ) -> Result<Self, Option<&'k Stmt>> {
        let LoopForm::For { index, .. } = looped.form else { return Err(None) };
        let mut plan = Self {
            program,
            looped,
            vars,
            given,
            defs: FxHashMap::default(),
            loops: FxHashMap::default(),
            local: FxHashSet::default(),
            unproven: FxHashSet::default(),
            count_is_unproven: !is_proven && looped.body.results.len() > looped.states.len(),
            inputs: vec![],
            sizes: FxHashMap::default(),
            made: Sizes::of_loop(program, looped, vars),
            reads_ahead: !has_loops(looped) && calls_library(&looped.body.stmts),
            refused: None,
        };
        plan.loops.insert(index, looped);
        plan.local.insert(index);
        plan.local.extend(&looped.states);
        plan.loops.extend(looped.states.iter().map(|state| (*state, looped)));
        plan.bind(&looped.body);
        let is_made = |array: &VarId| plan.local.contains(array) || vars.contains(array);
        let is_known = |size: &Size| !matches!(size, Size::Of(array, _) if is_made(array));
        let known = plan.made.iter().filter(|(_, sizes)| sizes.iter().all(is_known));
        plan.sizes = known.map(|(array, sizes)| (array, sizes.to_vec())).collect();
        looped.body.visit(&mut |stmt| {
            if !facts.is_proven(stmt) && can_fail(stmt) {
                plan.unproven.insert(stmt.id);
            }
        });
        let states = looped.states.iter().chain(&vars[..looped.states.len()]);
        let are_scalars = states.copied().all(|state| plan.is_number(state));
        if are_scalars && plan.block(&looped.body) && plan.collects(looped, vars) {
            Ok(plan)
        } else {
            Err(plan.refused)
        }
    }

    fn bind(&mut self, block: &'k Block) {
        for stmt in &block.stmts {
            for var in &stmt.vars {
                self.defs.insert(*var, stmt);
                self.local.insert(*var);
            }
            if let Op::Loop(looped) = &stmt.op {
                if let LoopForm::For { index, .. } = looped.form {
                    self.loops.insert(index, looped);
                    self.local.insert(index);
                }
                self.loops.extend(looped.states.iter().map(|state| (*state, looped)));
                self.local.extend(&looped.states);
            }
            stmt.op.blocks().into_iter().for_each(|block| self.bind(block));
        }
    }

    /// Whether a transformation is to be asked.
    pub fn has(&self, which: Which) -> bool {
        !self.given.without.has(which)
    }

    pub fn ty(&self, atom: Atom) -> Type {
        self.program.type_of(atom)
    }

    /// Whether a variable is a number or a truth value.
    fn is_number(&self, var: VarId) -> bool {
        let ty = self.program.vars[var].ty;
        !ty.is_acc && !ty.is_array() && is_plain(ty.elem)
    }

    /// Whether all that a block does belongs into a kernel.
    fn block(&mut self, block: &'k Block) -> bool {
        block.stmts.iter().all(|stmt| {
            let mut are_known = true;
            stmt.op.for_each_atom(&mut |atom| are_known &= self.mention(atom));
            let has_place = are_known
                && stmt.vars.iter().all(|var| is_plain(self.program.vars[*var].ty.elem))
                && self.stmt(stmt)
                && (!self.unproven.contains(&stmt.id) || self.is_asked(stmt));
            if !has_place && self.refused.is_none() {
                self.refused = Some(stmt);
            }
            has_place
        }) && block
            .results
            .iter()
            .all(|atom| self.ty(*atom).elem != Elem::Str && self.mention(*atom))
    }

    /// Notes an array from outside. False for what no kernel has.
    fn mention(&mut self, atom: Atom) -> bool {
        let Atom::Var(var) = atom else { return true };
        let ty = self.program.vars[var].ty;
        let is_outside = !self.local.contains(&var);
        if is_outside && (ty.is_array() || ty.is_acc) && !self.inputs.contains(&var) {
            self.inputs.push(var);
            let sizes = (0..ty.rank).map(|at| Size::Of(var, at)).collect();
            self.sizes.insert(var, sizes);
        }
        is_plain(ty.elem)
    }

    fn stmt(&mut self, stmt: &'k Stmt) -> bool {
        match (&stmt.op, stmt.vars.as_slice()) {
            (Op::Prim(prim, _), &[_]) => !prim.row().params.contains(&PrimTy::Str),
            (Op::MulZero(..), _) => true,
            (Op::Undef, &[var]) => self.is_number(var),
            (Op::Copy(_) | Op::Stop(_), &[var]) => !self.program.vars[var].ty.is_acc,
            (Op::Select(_, a, _), _) => !self.ty(*a).is_array(),
            (Op::Index(..) | Op::AtAcc(..), &[_]) => true,
            (Op::Dim(..) | Op::Sum(_) | Op::CheckSize(..) | Op::CheckCount(_), _) => true,
            (Op::Fail(..), vars) => vars.iter().all(|var| self.is_number(*var)),
            (Op::Array(elements), &[_]) => self.are_alike(elements),
            (Op::Zero(a), &[var]) => {
                self.ty(*a).elem == Elem::Real && self.program.vars[var].ty.elem == Elem::Real
            }
            (Op::NewAcc(a) | Op::ReadAcc(a), &[var]) => {
                self.ty(*a).elem == Elem::Real
                    && self.has_room(var)
                    && a.var().is_none_or(|acc| !self.ty(*a).is_acc || self.local.contains(&acc))
            }
            (Op::AddAcc(acc, at, value), _) => {
                let rank = self.ty(*acc).rank;
                self.ty(*value).elem == Elem::Real && usize::from(rank) == at.len()
            }
            (Op::If(_, then, other), vars) => {
                vars.iter().all(|var| self.is_number(*var)) && self.block(then) && self.block(other)
            }
            (Op::Loop(looped), vars) if looped.condition().is_some() => {
                looped.states.len() == vars.len()
                    && vars.iter().all(|var| self.is_number(*var))
                    && looped.blocks().all(|block| self.may_end_early(block) && self.block(block))
            }
            (Op::Loop(looped), vars) => {
                let are_scalars = looped.states.iter().all(|state| self.is_number(*state));
                are_scalars
                    && self.block(&looped.body)
                    && self.collects(looped, vars)
                    && vars[looped.states.len()..].iter().all(|var| self.has_room(*var))
            }
            _ => false,
        }
    }

    /// Whether lanes may run a block that others have ended with: nothing in it can fail, and it keeps nothing in memory.
    fn may_end_early(&self, block: &Block) -> bool {
        let mut may_end = true;
        block.visit(&mut |stmt| {
            #[expect(clippy::wildcard_enum_match_arm, reason = "others make or keep something")]
            let is_known = match &stmt.op {
                Op::Prim(..) | Op::MulZero(..) | Op::Copy(_) | Op::Stop(_) | Op::Select(..) => true,
                Op::Undef | Op::Index(..) | Op::Dim(..) | Op::If(..) => true,
                Op::Loop(looped) => looped.states.len() == stmt.vars.len(),
                _ => false,
            };
            let is_proven = !self.unproven.contains(&stmt.id);
            may_end &= is_known && is_proven && stmt.vars.iter().all(|var| self.is_number(*var));
        });
        may_end
    }

    /// Whether the elements of an array are numbers, or rows of the same known sizes.
    fn are_alike(&self, elements: &[Atom]) -> bool {
        let rows: Vec<VarId> = elements
            .iter()
            .filter(|element| self.ty(**element).is_array())
            .filter_map(|row| row.var())
            .collect();
        let Some(first) = rows.first() else { return true };
        let Some(row) = self.sizes.get(first) else { return false };
        rows.len() == elements.len()
            && rows.iter().all(|other| self.sizes.get(other) == Some(row))
            && row.iter().all(|size| matches!(size, Size::Atom(Atom::Int(_))))
    }

    /// Whether a loop collects rows of one size, which is known before the loop.
    fn collects(&self, looped: &'k Loop, vars: &[VarId]) -> bool {
        vars[looped.states.len()..].iter().all(|var| self.sizes.contains_key(var))
    }

    /// Whether there can be room for an array before the loop.
    fn has_room(&self, var: VarId) -> bool {
        let ty = self.program.vars[var].ty;
        if !ty.is_array() {
            return true;
        }
        let sizes = self.sizes.get(&var);
        sizes.is_some_and(|sizes| sizes.iter().all(|size| self.bound(*size).is_some()))
    }

    /// A size that is known before the loop and at least this one.
    pub fn bound(&self, size: Size) -> Option<Size> {
        self.made.bound(size, &|var| !self.local.contains(&var))
    }

    /// Whether the guard can ask whether a statement fails.
    fn is_asked(&self, stmt: &Stmt) -> bool {
        #[expect(
            clippy::wildcard_enum_match_arm,
            reason = "others are asked by their operands alone"
        )]
        match &stmt.op {
            Op::Prim(prim, args) => {
                is_known_ahead(*prim) && args.iter().all(|arg| self.is_ahead(*arg))
            }
            Op::Index(array, at) | Op::AtAcc(array, at) | Op::AddAcc(array, at, _) => {
                at.iter().all(|at| self.is_ahead(*at)) && self.has_sizes_ahead(*array)
            }
            Op::CheckSize(count, _, n, _) if self.is_count(*count) => {
                self.is_ahead(*n) && self.is_ahead(*count)
            }
            Op::CheckSize(array, _, n, _) => self.is_ahead(*n) && self.has_sizes_ahead(*array),
            Op::CheckCount(n) => self.is_ahead(*n),
            Op::Loop(looped) => match looped.form {
                LoopForm::For { count, .. } => self.is_ahead(count),
                LoopForm::While(_) => false,
            },
            Op::Fail(..) => true,
            _ => false,
        }
    }

    /// Whether what a size is asked of is that size itself, in place of an array.
    pub fn is_count(&self, atom: Atom) -> bool {
        !self.ty(atom).is_array()
    }

    fn has_sizes_ahead(&self, array: Atom) -> bool {
        let sizes = array.var().and_then(|array| self.sizes.get(&array));
        sizes.is_some_and(|sizes| {
            sizes.iter().all(|size| match size {
                Size::Atom(atom) => self.is_ahead(*atom),
                Size::Of(..) => true,
            })
        })
    }

    /// Whether an Int or Bool follows from what is there before the loop and from the indices of loops. Elements of
    /// arrays are there.
    pub fn is_ahead(&self, atom: Atom) -> bool {
        let Atom::Var(var) = atom else { return true };
        if !self.local.contains(&var) {
            return true;
        }
        let Some(stmt) = self.defs.get(&var) else {
            return self.loops.get(&var).is_some_and(|looped| !looped.states.contains(&var));
        };
        #[expect(clippy::wildcard_enum_match_arm, reason = "others are not followed")]
        match &stmt.op {
            Op::Prim(prim, args) => {
                is_known_ahead(*prim) && args.iter().all(|arg| self.is_ahead(*arg))
            }
            Op::Copy(a) | Op::Stop(a) => self.is_ahead(*a),
            Op::Select(c, a, b) => [c, a, b].into_iter().all(|atom| self.is_ahead(*atom)),
            Op::Dim(array, _) => self.has_sizes_ahead(*array),
            Op::Index(array, at) => {
                let is_outside = array.var().is_some_and(|array| !self.local.contains(&array));
                let is_element = at.len() == usize::from(self.ty(*array).rank);
                self.reads_ahead
                    && is_outside
                    && is_element
                    && at.iter().all(|at| self.is_ahead(*at))
            }
            _ => false,
        }
    }
}

/// Whether arrays of these can be in a kernel.
fn is_plain(elem: Elem) -> bool {
    matches!(elem, Elem::Real | Elem::Int | Elem::Bool)
}

/// Whether a primitive on Ints and Bools is computed by the guard.
fn is_known_ahead(prim: Prim) -> bool {
    matches!(
        prim,
        Prim::IntAdd
            | Prim::IntSub
            | Prim::IntMul
            | Prim::IntNeg
            | Prim::IntDiv
            | Prim::IntRem
            | Prim::IntMax
            | Prim::IntMin
            | Prim::IntLt
            | Prim::IntLe
            | Prim::IntGt
            | Prim::IntGe
            | Prim::IntEq
            | Prim::IntNe
            | Prim::BoolEq
            | Prim::Not
    )
}

/// Whether a statement of this kind can fail at all.
fn can_fail(stmt: &Stmt) -> bool {
    #[expect(clippy::wildcard_enum_match_arm, reason = "nothing else of a kernel fails")]
    match &stmt.op {
        Op::Prim(prim, _) => !prim.row().is_pure(),
        Op::AddAcc(_, at, _) | Op::AtAcc(_, at) => !at.is_empty(),
        Op::Index(..) | Op::CheckSize(..) | Op::CheckCount(_) | Op::Fail(..) => true,
        Op::Loop(looped) => looped.body.results.len() > looped.states.len(),
        _ => false,
    }
}

/// A name for a variable inside.
pub(super) fn local_name(var: VarId) -> String {
    format!("k{}", var.index())
}

/// Whether there are loops in the body of a loop.
pub(super) fn has_loops(looped: &Loop) -> bool {
    looped.body.stmts.iter().any(|stmt| matches!(stmt.op, Op::Loop(_)))
}
