//! Traversals of code: the atoms and blocks of an operation, what it binds, free variables, substitution, and copies
//! with fresh names (alpha-renaming).
//!
//! Input: an operation or block. Output: what is asked, or the changed code.
//!
//! Invariants. The forms that look and those that change go through the same atoms in the same order. Blocks inside an
//! operation are left out of [`Op::for_each_atom`], and in [`Block::visit_atoms`]. A new operation has to say here what
//! it uses and binds; then all passes see it.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::program::{Atom, Block, Loop, LoopForm, Op, Program, Stmt, VarId};

impl Op {
    /// Calls `each` on every operand that stands directly in this operation, blocks inside it left out.
    pub fn for_each_atom(&self, each: &mut dyn FnMut(Atom)) {
        match self {
            Self::Undef => {}
            Self::Copy(a)
            | Self::Stop(a)
            | Self::If(a, _, _)
            | Self::Flatten(a)
            | Self::Dim(a, _)
            | Self::Sum(a)
            | Self::Argsort(a)
            | Self::Shape(a, _)
            | Self::Zero(a)
            | Self::NewAcc(a)
            | Self::ReadAcc(a)
            | Self::Tell(a)
            | Self::CheckCount(a)
            | Self::Fail(_, a) => each(*a),
            Self::MulZero(a, b)
            | Self::Concat(a, b)
            | Self::Plus(a, b)
            | Self::Sized(a, _, b)
            | Self::ToTangent(_, a, b)
            | Self::FromTangent(a, b) => [*a, *b].into_iter().for_each(each),
            Self::Select(a, b, c)
            | Self::Slice(a, b, c)
            | Self::PartAcc(a, b, c)
            | Self::CheckSize(a, _, b, c) => [*a, *b, *c].into_iter().for_each(each),
            Self::Prim(_, args) | Self::Call(_, args) | Self::Array(args) | Self::Con(_, args) => {
                args.iter().copied().for_each(each);
            }
            Self::Linearize(_, args) => args.iter().copied().for_each(each),
            Self::Index(a, at) | Self::AtAcc(a, at) => {
                each(*a);
                at.iter().copied().for_each(each);
            }
            Self::Update(a, at, v) | Self::AddAcc(a, at, v) => {
                each(*a);
                at.iter().copied().for_each(&mut *each);
                each(*v);
            }
            Self::Unpack { tangent, like, .. } => {
                each(*tangent);
                like.iter().copied().for_each(each);
            }
            Self::Custom { value_captured, rule_captured, args, .. } => {
                value_captured.iter().chain(rule_captured).chain(args).copied().for_each(each);
            }
            Self::Jvp(_, args, tangents) => args.iter().chain(tangents).copied().for_each(each),
            Self::Apply(_, residual, args) => {
                each(*residual);
                args.iter().copied().for_each(each);
            }
            Self::Match(cases) => each(cases.scrutinee),
            Self::Loop(Loop { form, init, .. }) => {
                if let LoopForm::For { count, .. } = form {
                    each(*count);
                }
                init.iter().copied().for_each(each);
            }
        }
    }

    /// As [`Op::for_each_atom`], to change them.
    pub fn for_each_atom_mut(&mut self, each: &mut dyn FnMut(&mut Atom)) {
        match self {
            Self::Undef => {}
            Self::Copy(a)
            | Self::Stop(a)
            | Self::If(a, _, _)
            | Self::Flatten(a)
            | Self::Dim(a, _)
            | Self::Sum(a)
            | Self::Argsort(a)
            | Self::Shape(a, _)
            | Self::Zero(a)
            | Self::NewAcc(a)
            | Self::ReadAcc(a)
            | Self::Tell(a)
            | Self::CheckCount(a)
            | Self::Fail(_, a) => each(a),
            Self::MulZero(a, b)
            | Self::Concat(a, b)
            | Self::Plus(a, b)
            | Self::Sized(a, _, b)
            | Self::ToTangent(_, a, b)
            | Self::FromTangent(a, b) => [a, b].into_iter().for_each(each),
            Self::Select(a, b, c)
            | Self::Slice(a, b, c)
            | Self::PartAcc(a, b, c)
            | Self::CheckSize(a, _, b, c) => [a, b, c].into_iter().for_each(each),
            Self::Prim(_, args) | Self::Call(_, args) | Self::Array(args) | Self::Con(_, args) => {
                args.iter_mut().for_each(each);
            }
            Self::Linearize(_, args) => args.iter_mut().for_each(each),
            Self::Index(a, at) | Self::AtAcc(a, at) => {
                each(a);
                at.iter_mut().for_each(each);
            }
            Self::Update(a, at, v) | Self::AddAcc(a, at, v) => {
                each(a);
                at.iter_mut().for_each(&mut *each);
                each(v);
            }
            Self::Unpack { tangent, like, .. } => {
                each(tangent);
                like.iter_mut().for_each(each);
            }
            Self::Custom { value_captured, rule_captured, args, .. } => {
                value_captured.iter_mut().chain(rule_captured).chain(args).for_each(each);
            }
            Self::Jvp(_, args, tangents) => args.iter_mut().chain(tangents).for_each(each),
            Self::Apply(_, residual, args) => {
                each(residual);
                args.iter_mut().for_each(each);
            }
            Self::Match(cases) => each(&mut cases.scrutinee),
            Self::Loop(Loop { form, init, .. }) => {
                if let LoopForm::For { count, .. } = form {
                    each(count);
                }
                init.iter_mut().for_each(each);
            }
        }
    }

    /// The blocks inside, in order.
    pub fn blocks(&self) -> Vec<&Block> {
        #[expect(clippy::wildcard_enum_match_arm, reason = "only these four have blocks")]
        match self {
            Self::If(_, then, other) => vec![then, other],
            Self::Match(cases) => {
                cases.arms.iter().map(|arm| &arm.block).chain(&cases.default).collect()
            }
            Self::Loop(looped) => looped.blocks().collect(),
            _ => vec![],
        }
    }

    /// As [`Op::blocks`], to change them.
    pub fn blocks_mut(&mut self) -> Vec<&mut Block> {
        #[expect(clippy::wildcard_enum_match_arm, reason = "only these four have blocks")]
        match self {
            Self::If(_, then, other) => vec![then, other],
            Self::Match(cases) => {
                cases.arms.iter_mut().map(|arm| &mut arm.block).chain(&mut cases.default).collect()
            }
            Self::Loop(Loop { form: LoopForm::While(cond), body, .. }) => vec![cond, body],
            Self::Loop(Loop { body, .. }) => vec![body],
            _ => vec![],
        }
    }

    /// The variables that blocks inside are given: loop indices and states, fields of constructors.
    pub fn inner_params(&self) -> Vec<VarId> {
        #[expect(clippy::wildcard_enum_match_arm, reason = "only these two bind")]
        match self {
            Self::Match(cases) => cases.arms.iter().flat_map(|arm| &arm.params).copied().collect(),
            Self::Loop(Loop { form, states, .. }) => {
                let index =
                    if let LoopForm::For { index, .. } = form { Some(*index) } else { None };
                index.into_iter().chain(states.iter().copied()).collect()
            }
            _ => vec![],
        }
    }

    /// The variables that it reads and does not bind, at any depth.
    pub fn free(&self) -> FxHashSet<VarId> {
        let mut free = FxHashSet::default();
        self.for_each_atom(&mut |atom| free.extend(atom.var()));
        for block in self.blocks() {
            free.extend(block.free());
        }
        for param in self.inner_params() {
            free.remove(&param);
        }
        free
    }

    /// As [`Op::inner_params`], to change them.
    pub fn for_each_inner_param_mut(&mut self, each: &mut dyn FnMut(&mut VarId)) {
        if let Self::Match(cases) = self {
            cases.arms.iter_mut().flat_map(|arm| &mut arm.params).for_each(each);
        } else if let Self::Loop(Loop { form, states, .. }) = self {
            if let LoopForm::For { index, .. } = form {
                each(index);
            }
            states.iter_mut().for_each(each);
        }
    }
}

impl Block {
    /// Calls `each` on every statement, those of blocks inside after the one that they are in.
    pub fn visit(&self, each: &mut dyn FnMut(&Stmt)) {
        for stmt in &self.stmts {
            each(stmt);
            for block in stmt.op.blocks() {
                block.visit(each);
            }
        }
    }

    /// Whether nothing comes after the block: it surely fails.
    pub fn surely_fails(&self) -> bool {
        self.stmts.iter().any(|stmt| matches!(stmt.op, Op::Fail(_, _)))
    }

    /// How many statements it has, those inside others counted.
    pub fn size(&self) -> usize {
        let mut size = 0;
        self.visit(&mut |_| size += 1);
        size
    }

    /// As [`Block::visit`], to change them; blocks inside before the statement that they are in.
    pub fn visit_mut(&mut self, each: &mut dyn FnMut(&mut Stmt)) {
        for stmt in &mut self.stmts {
            for block in stmt.op.blocks_mut() {
                block.visit_mut(each);
            }
            each(stmt);
        }
    }

    /// Calls `each` on every atom, at any depth.
    pub fn visit_atoms(&self, each: &mut dyn FnMut(Atom)) {
        for stmt in &self.stmts {
            stmt.op.for_each_atom(each);
            for block in stmt.op.blocks() {
                block.visit_atoms(each);
            }
        }
        self.results.iter().copied().for_each(each);
    }

    /// How often each variable is mentioned, at any depth.
    pub fn uses(&self) -> FxHashMap<VarId, usize> {
        let mut uses = FxHashMap::default();
        self.visit_atoms(&mut |atom| {
            if let Atom::Var(var) = atom {
                *uses.entry(var).or_insert(0) += 1;
            }
        });
        uses
    }

    /// How often a variable is mentioned, at any depth.
    pub fn mentions(&self, var: VarId) -> usize {
        let mut count = 0;
        self.visit_atoms(&mut |atom| count += usize::from(atom == Atom::Var(var)));
        count
    }

    /// As [`Block::visit_atoms`], to change them.
    pub fn visit_atoms_mut(&mut self, each: &mut dyn FnMut(&mut Atom)) {
        for stmt in &mut self.stmts {
            stmt.op.for_each_atom_mut(each);
            for block in stmt.op.blocks_mut() {
                block.visit_atoms_mut(each);
            }
        }
        self.results.iter_mut().for_each(each);
    }

    /// Replaces variables by atoms, at any depth.
    pub fn substitute(&mut self, atoms: &FxHashMap<VarId, Atom>) {
        self.visit_atoms_mut(&mut |atom| {
            if let Atom::Var(var) = atom
                && let Some(other) = atoms.get(var)
            {
                *atom = *other;
            }
        });
    }

    /// Everything that is bound inside, at any depth.
    pub fn bound(&self) -> FxHashSet<VarId> {
        let mut bound = FxHashSet::default();
        self.visit(&mut |stmt| {
            bound.extend(stmt.vars.iter().copied());
            bound.extend(stmt.op.inner_params());
        });
        bound
    }

    /// The variables from outside that it uses, in the order of their first use.
    pub fn free(&self) -> Vec<VarId> {
        let bound = self.bound();
        let mut seen = FxHashSet::default();
        let mut free = vec![];
        self.visit_atoms(&mut |atom| {
            if let Atom::Var(var) = atom
                && !bound.contains(&var)
                && seen.insert(var)
            {
                free.push(var);
            }
        });
        free
    }
}

/// A copy of a block in which everything that it binds has a new name; free variables are replaced as
/// `atoms` says, and `atoms` has what became of all others afterwards.
pub fn rename(program: &mut Program, block: &Block, atoms: &mut FxHashMap<VarId, Atom>) -> Block {
    let mut copy = block.clone();
    let fresh = |var: &mut VarId, program: &mut Program, atoms: &mut FxHashMap<VarId, Atom>| {
        let other = program.fresh_like(*var);
        atoms.insert(*var, Atom::Var(other));
        *var = other;
    };
    copy.visit_mut(&mut |stmt| {
        stmt.vars.iter_mut().for_each(|var| fresh(var, program, atoms));
        stmt.op.for_each_inner_param_mut(&mut |var| fresh(var, program, atoms));
    });
    copy.substitute(atoms);
    copy
}

/// Keeps the items that are marked: parameters, results, states, or what goes with them.
pub fn keep<T>(items: &mut Vec<T>, stays: &[bool]) {
    let mut at = 0;
    items.retain(|_| {
        at += 1;
        stays[at - 1]
    });
}
