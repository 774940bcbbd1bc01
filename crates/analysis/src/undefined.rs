//! Which variables may have no value. Where a branch is not taken it gives none: so it is said that nothing looks at its
//! result.
//!
//! Input: a program. Output: variables. What comes out of a value without one, out of boxes and calls too, has none
//! either.

use pullback_ir::{Block, Elem, Op, Program, Stmt, VarId};
use rustc_hash::FxHashSet;

use crate::horn::Horn;

/// The arrays and data values that may have no value, which nothing may look at before its time. Numbers have
/// one, whichever it is.
pub fn undefined(program: &Program) -> FxHashSet<VarId> {
    let mut lack = Lack { program, horn: Horn::default(), facts: vec![], count: 0 };
    program.funcs.iter().for_each(|func| lack.block(&func.body, None));
    if lack.facts.is_empty() {
        return FxHashSet::default();
    }
    for func in program.funcs.iter() {
        lack.all(Claim::Boxes, &func.params);
    }
    let claims = lack.horn.consequences(lack.facts);
    let var = |claim: Claim| if let Claim::Var(var) = claim { Some(var) } else { None };
    claims.into_iter().filter_map(var).collect()
}

/// What may be said of a program.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Claim {
    /// A variable may have no value.
    Var(VarId),
    /// A statement, or one inside it, names such a variable.
    Names(usize),
    /// What a statement gives may have no value.
    Gives(usize),
    /// What is in boxes, and what functions are given, may have none.
    Boxes,
}

/// What lacks a value where others do.
struct Lack<'p> {
    program: &'p Program,
    horn: Horn<Claim>,
    facts: Vec<Claim>,
    /// How many statements there have been.
    count: usize,
}

impl Lack<'_> {
    /// The claims about those of some variables that are arrays or data values.
    fn large(&self, vars: impl IntoIterator<Item = VarId>) -> Vec<Claim> {
        let is_large = |var: &VarId| {
            let ty = self.program.vars[*var].ty;
            ty.is_array() || matches!(ty.elem, Elem::Data(_))
        };
        vars.into_iter().filter(is_large).map(Claim::Var).collect()
    }

    /// A claim implies that all these variables may have no value.
    fn all(&mut self, claim: Claim, vars: &[VarId]) {
        let vars = self.large(vars.iter().copied());
        vars.into_iter().for_each(|var| self.horn.imply(claim, var));
    }

    /// States what follows in a block, which is inside this statement.
    fn block(&mut self, block: &Block, around: Option<usize>) {
        for stmt in &block.stmts {
            self.stmt(stmt, around);
        }
        if let Some(around) = around {
            let results = self.large(block.results.iter().filter_map(|atom| atom.var()));
            results.into_iter().for_each(|var| self.horn.imply(var, Claim::Names(around)));
        }
    }

    fn stmt(&mut self, stmt: &Stmt, around: Option<usize>) {
        let number = self.count;
        self.count += 1;
        let (names, gives) = (Claim::Names(number), Claim::Gives(number));
        let mut operands = vec![];
        stmt.op.for_each_atom(&mut |atom| operands.extend(atom.var()));
        self.large(operands).into_iter().for_each(|var| self.horn.imply(var, names));
        around.into_iter().for_each(|around| self.horn.imply(names, Claim::Names(around)));
        stmt.op.blocks().into_iter().for_each(|inner| self.block(inner, Some(number)));
        self.horn.imply(names, gives);
        let bound = stmt.op.inner_params();
        self.all(gives, &stmt.vars);
        self.all(gives, &bound);
        if let Op::Undef = stmt.op {
            self.facts.push(gives);
        }
        if let Op::Call(callee, _) = &stmt.op {
            let results = &self.program.funcs[*callee].body.results;
            let results = self.large(results.iter().filter_map(|atom| atom.var()));
            results.into_iter().for_each(|var| self.horn.imply(var, gives));
        }
        if let Op::Call(..) | Op::Con(..) = stmt.op {
            self.horn.imply(gives, Claim::Boxes);
        }
        if let Op::Match(_) = stmt.op {
            self.all(Claim::Boxes, &bound);
        }
    }
}
