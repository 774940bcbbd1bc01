//! Arrays of boxes of one kind become arrays of what is in the boxes, one for each field, where the fields of all
//! boxes of an array are of one size: residuals that iterations save become dense arrays.
//!
//! The arrays of one data type in a function that are collected from boxes, or from each other, and of which
//! elements and rows are taken, are replaced together: all of them or none.

use pullback_ir::{
    Atom, Block, DataId, Elem, FuncId, Loop, LoopForm, Op, Program, Stmt, Type, VarId,
};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::facts::Facts;
use crate::pass::Pass;

pub(crate) const PASS: Pass = Pass {
    name: "unbox",
    about: "makes an array of boxes several arrays, of what is in the boxes",
    law: "x = [C(a, b) | i < n]; x[k] = C(y[k], z[k]) with y = [a | i < n], z = [b | i < n], if C is the only \
          constructor and the rows of a and b are of one size each",
    run,
};

fn run(program: &mut Program, _: &mut [FuncId]) -> bool {
    let facts = Facts::of(program);
    let (mut changed, mut number) = (false, 0);
    for func in program.funcs.ids() {
        let mut body = std::mem::take(&mut program.funcs[func].body);
        let mut survey = Survey::of(program, &facts, number);
        program.funcs[func].params.iter().for_each(|param| survey.keep((*param).into()));
        survey.block(&body);
        body.results.iter().for_each(|result| survey.keep(*result));
        number = survey.number;
        let (arrays, boxes) = (survey.replaceable(), survey.boxes);
        if !arrays.is_empty() {
            changed = true;
            Unbox { program, arrays, boxes, fields: FxHashMap::default() }.block(&mut body);
        }
        program.funcs[func].body = body;
    }
    changed
}

/// Which arrays of boxes there are, and which belong together.
struct Survey<'p> {
    program: &'p Program,
    facts: &'p Facts,
    /// The number of the next statement.
    number: usize,
    /// A forest of the arrays that belong together.
    groups: FxHashMap<VarId, VarId>,
    /// All arrays that are collected.
    collected: Vec<VarId>,
    /// The arrays that stay.
    kept: FxHashSet<VarId>,
    /// What is in the boxes that the function makes.
    boxes: FxHashMap<VarId, Vec<Atom>>,
}

impl<'p> Survey<'p> {
    fn of(program: &'p Program, facts: &'p Facts, number: usize) -> Self {
        Self {
            program,
            facts,
            number,
            groups: FxHashMap::default(),
            collected: vec![],
            kept: FxHashSet::default(),
            boxes: FxHashMap::default(),
        }
    }

    /// The variable that an atom is, if it is an array of boxes.
    fn array(&self, atom: Atom) -> Option<VarId> {
        let var = atom.var()?;
        let ty = self.program.vars[var].ty;
        let Elem::Data(data) = ty.elem else { return None };
        (ty.rank > 0 && !ty.is_acc && is_box(self.program, data)).then_some(var)
    }

    fn root(&self, mut var: VarId) -> VarId {
        while let Some(up) = self.groups.get(&var) {
            var = *up;
        }
        var
    }

    fn join(&mut self, one: VarId, other: VarId) {
        let (one, other) = (self.root(one), self.root(other));
        if one != other {
            self.groups.insert(one, other);
        }
    }

    fn keep(&mut self, atom: Atom) {
        self.kept.extend(self.array(atom));
    }

    fn block(&mut self, block: &Block) {
        for stmt in &block.stmts {
            let number = self.number;
            self.number += 1;
            self.stmt(stmt, number);
        }
    }

    fn stmt(&mut self, stmt: &Stmt, number: usize) {
        #[expect(clippy::wildcard_enum_match_arm, reason = "of others all arrays stay")]
        match &stmt.op {
            Op::Dim(_, _) => return,
            Op::Index(a, _) => {
                if let (Some(a), Some(row)) = (self.array(*a), self.array(stmt.vars[0].into())) {
                    self.join(a, row);
                }
                return;
            }
            Op::Loop(form) => return self.repeat(stmt, form, number),
            Op::Con(_, fields) => {
                self.boxes.insert(stmt.vars[0], fields.clone());
            }
            _ => {}
        }
        let mut atoms: Vec<Atom> = stmt.vars.iter().map(|var| (*var).into()).collect();
        atoms.extend(stmt.op.inner_params().into_iter().map(Atom::Var));
        stmt.op.for_each_atom(&mut |atom| atoms.push(atom));
        for inner in stmt.op.blocks() {
            self.block(inner);
            atoms.extend(&inner.results);
        }
        atoms.into_iter().for_each(|atom| self.keep(atom));
    }

    fn repeat(&mut self, stmt: &Stmt, form: &Loop, number: usize) {
        if let LoopForm::While(condition) = &form.form {
            self.block(condition);
        }
        self.block(&form.body);
        let states = form.states.len();
        for at in 0..states {
            for atom in
                [stmt.vars[at].into(), form.states[at].into(), form.init[at], form.body.results[at]]
            {
                self.keep(atom);
            }
        }
        for at in states..stmt.vars.len() {
            let Some(array) = self.array(stmt.vars[at].into()) else { continue };
            let result = form.body.results[at];
            self.collected.push(array);
            let is_known = match self.array(result) {
                Some(row) => {
                    self.join(array, row);
                    true
                }
                None => result.var().is_some_and(|var| self.boxes.contains_key(&var)),
            };
            if !is_known || !self.facts.regular.contains(&(number, at)) {
                self.kept.insert(array);
            }
        }
    }

    /// The arrays that can be replaced.
    fn replaceable(&self) -> FxHashSet<VarId> {
        let kept: FxHashSet<VarId> = self.kept.iter().map(|var| self.root(*var)).collect();
        let members = self.groups.keys().chain(&self.collected).copied();
        let collected: FxHashSet<VarId> =
            self.collected.iter().map(|var| self.root(*var)).collect();
        let is_replaced = |var: &VarId| {
            let root = self.root(*var);
            collected.contains(&root) && !kept.contains(&root)
        };
        members.chain(collected.iter().copied()).filter(is_replaced).collect()
    }
}

/// Whether a type is a box: it has one constructor, with fields, and no tangents.
fn is_box(program: &Program, data: DataId) -> bool {
    let known = &program.datas[data];
    let [constructor] = &known.constructors[..] else { return false };
    known.tangent.is_none() && !known.is_tangent && !constructor.fields.is_empty()
}

struct Unbox<'p> {
    program: &'p mut Program,
    /// The arrays that are replaced.
    arrays: FxHashSet<VarId>,
    /// What is in boxes.
    boxes: FxHashMap<VarId, Vec<Atom>>,
    /// What stands for the arrays.
    fields: FxHashMap<VarId, Vec<VarId>>,
}

impl Unbox<'_> {
    fn block(&mut self, block: &mut Block) {
        for mut stmt in std::mem::take(&mut block.stmts) {
            stmt.op.blocks_mut().into_iter().for_each(|inner| self.block(inner));
            let replaced = |atom: &Atom| atom.var().filter(|var| self.arrays.contains(var));
            if let Op::Dim(a, _) = &mut stmt.op
                && let Some(array) = replaced(a)
            {
                *a = self.fields(array)[0].into();
            } else if let Op::Index(a, at) = &stmt.op
                && let Some(array) = replaced(a)
            {
                let at = at.clone();
                self.element(&stmt, array, &at, &mut block.stmts);
                continue;
            } else if let Op::Loop(form) = &mut stmt.op {
                self.repeat(&mut stmt.vars, form);
            }
            block.stmts.push(stmt);
        }
    }

    /// What stands for an array: an array for each field.
    fn fields(&mut self, array: VarId) -> Vec<VarId> {
        if let Some(fields) = self.fields.get(&array) {
            return fields.clone();
        }
        let rank = self.program.vars[array].ty.rank;
        let types = self.field_types(array);
        let fields =
            types.into_iter().map(|ty| self.program.fresh("saved", ty.with_rank(ty.rank + rank)));
        let fields: Vec<VarId> = fields.collect();
        self.fields.insert(array, fields.clone());
        fields
    }

    fn field_types(&self, of: VarId) -> Vec<Type> {
        let Elem::Data(data) = self.program.vars[of].ty.elem else {
            pullback_base::bug("unbox", "an array of boxes")
        };
        self.program.constructors(data)[0].fields.clone()
    }

    /// A row of each field, or a box of elements.
    fn element(&mut self, stmt: &Stmt, array: VarId, at: &[Atom], out: &mut Vec<Stmt>) {
        let var = stmt.vars[0];
        let from = self.fields(array);
        let is_row = self.arrays.contains(&var);
        let to = if is_row {
            self.fields(var)
        } else {
            let types = self.field_types(array);
            types.into_iter().map(|ty| self.program.fresh("saved", ty)).collect()
        };
        for (to, from) in to.iter().zip(from) {
            out.push(Stmt::new(vec![*to], Op::Index(from.into(), at.to_vec()), stmt.span));
        }
        if !is_row {
            let fields = to.into_iter().map(Atom::Var).collect();
            out.push(Stmt::new(vec![var], Op::Con(0, fields), stmt.span));
        }
    }

    fn repeat(&mut self, vars: &mut Vec<VarId>, form: &mut Loop) {
        let mut results = vec![];
        let mut bound = vec![];
        for (var, result) in vars.drain(..).zip(form.body.results.drain(..)) {
            if !self.arrays.contains(&var) {
                bound.push(var);
                results.push(result);
                continue;
            }
            bound.extend(self.fields(var));
            let Some(row) = result.var() else {
                pullback_base::bug("unbox", "a box to be a variable")
            };
            match self.boxes.get(&row) {
                Some(fields) => results.extend(fields),
                None => results.extend(self.fields(row).into_iter().map(Atom::Var)),
            }
        }
        (*vars, form.body.results) = (bound, results);
    }
}
