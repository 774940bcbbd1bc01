//! Array of structures to structure of arrays (unboxing): an array of boxes becomes one array for each field.
//!
//! ```text
//! s = for i < n {                       p, q = for i < n {
//!   b = Saved(x, row)                     collect x, row
//!   collect b                    =>     }
//! }                                     y = p[k]
//! c = s[k]                              r = q[k]
//! z = match c { Saved(y, r) => … }      …
//! ```
//!
//! So the residuals that iterations save become dense arrays, also where one function saves them and another one takes
//! them.
//!
//! Law: all values keep their bits. It applies where the type has one constructor, and the fields of all boxes of an
//! array are of one size each. The arrays of one type that are made of boxes or of each other, that are states of
//! loops or chosen by branches, that calls hand on, and of which elements and rows are taken, are replaced together:
//! all of them or none. An array stays that stands in another value, or that is a parameter or a result of a function
//! that is held: a root, or one that a rule, a request or a routine names. Rows that are not there keep their sizes
//! (`sized`).

use pullback_ir::{Atom, Block, DataId, Elem, Func, FuncId, Loop, Op, Program, Stmt, Type, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::pass::{Pass, Phase, Scope, bodies, take};
use pullback_analysis::facts::FuncFacts;
use pullback_analysis::flow::{Place, Way, arrivals, departures};
use pullback_analysis::horn::Horn;
use pullback_analysis::{Analyses, Changed};

pub(crate) const PASS: Pass = Pass {
    name: "unbox",
    phase: Phase::Simplify,
    scope: Scope::Anywhere,
    runs_last: false,
    runs_in_trial: false,
    about: "makes an array of boxes several arrays, of what is in the boxes",
    law: "x = [C(a, b) | i < n]; x[k] = C(y[k], z[k]) with y = [a | i < n], z = [b | i < n], if C is the only \
          constructor and the rows of a and b are of one size each; so also where x is a state of a loop, and where a \
          call hands x on",
    run,
};

fn run(program: &mut Program, roots: &mut [FuncId], analyses: &mut Analyses) -> Changed {
    if !program.datas.ids().any(|data| is_box(program, data)) {
        return Changed::Nothing;
    }
    let facts = analyses.facts(program);
    let graph = analyses.call_graph(program, roots);
    let mut survey = Survey::of(program);
    for (id, func) in program.funcs.iter_enumerated() {
        survey.func(func, facts.func(id), graph.is_held[id] || func.is_constant);
    }
    let (arrays, boxes, sizes) = (survey.replaceable(), survey.boxes, survey.sizes);
    if arrays.is_empty() {
        return Changed::Nothing;
    }
    Unbox { program, arrays, boxes, sizes, fields: FxHashMap::default() }.funcs()
}

/// Which arrays of boxes there are, and which belong together.
struct Survey<'p> {
    program: &'p Program,
    /// Which arrays belong together.
    together: Horn<VarId>,
    /// All arrays that are made of boxes.
    built: Vec<VarId>,
    /// The arrays that stay.
    kept: Vec<VarId>,
    /// What is in the boxes that the function makes.
    boxes: FxHashMap<VarId, Vec<Atom>>,
    /// The boxes that are elements, with the arrays that they are of.
    elements: FxHashMap<VarId, VarId>,
    /// For each array that is made, and each field, the operations that give the sizes of the field's contents.
    sizes: FxHashMap<VarId, Vec<Vec<Option<Op>>>>,
}

impl<'p> Survey<'p> {
    fn of(program: &'p Program) -> Self {
        Self {
            program,
            together: Horn::default(),
            built: vec![],
            kept: vec![],
            boxes: FxHashMap::default(),
            elements: FxHashMap::default(),
            sizes: FxHashMap::default(),
        }
    }

    /// The variable that an atom is, if it is an array of boxes.
    fn array(&self, atom: Atom) -> Option<VarId> {
        let var = atom.var()?;
        let ty = self.program.vars[var].ty;
        let Elem::Data(data) = ty.elem else { return None };
        (ty.rank > 0 && !ty.is_acc && is_box(self.program, data)).then_some(var)
    }

    fn keep(&mut self, atom: Atom) {
        self.kept.extend(self.array(atom));
    }

    /// Looks at a function. One that is held keeps its parameters and results.
    fn func(&mut self, func: &Func, facts: &FuncFacts, is_held: bool) {
        self.block(&func.body, facts);
        if is_held {
            let params = func.params.iter().copied().map(Atom::Var);
            params.chain(func.body.results.iter().copied()).for_each(|atom| self.keep(atom));
        }
    }

    fn block(&mut self, block: &Block, facts: &FuncFacts) {
        block.stmts.iter().for_each(|stmt| self.stmt(stmt, facts));
    }

    fn stmt(&mut self, stmt: &Stmt, facts: &FuncFacts) {
        #[expect(clippy::wildcard_enum_match_arm, reason = "of others all arrays stay")]
        match &stmt.op {
            Op::Dim(_, _) | Op::Shape(_, _) | Op::Undef => return,
            Op::Copy(a) | Op::Stop(a) | Op::Slice(a, _, _) | Op::Sized(a, _, _)
                if self.array(*a).is_some() =>
            {
                return self.join_all([stmt.vars[0].into(), *a]);
            }
            Op::Index(a, _) => {
                let Some(a) = self.array(*a) else { return };
                match self.array(stmt.vars[0].into()) {
                    Some(row) => self.together.equate(a, row),
                    None => drop(self.elements.insert(stmt.vars[0], a)),
                }
                return;
            }
            Op::Array(items) if self.array(stmt.vars[0].into()).is_some() => {
                return self.make(stmt.vars[0], items, facts.regular.get(&(stmt.id, 0)));
            }
            Op::Update(a, _, v) if self.array(*a).is_some() => {
                self.join_all([stmt.vars[0].into(), *a]);
                return self.make(stmt.vars[0], &[*v], facts.regular.get(&(stmt.id, 0)));
            }
            Op::If(..) | Op::Loop(_) => return self.inside(stmt, facts),
            Op::Call(callee, args) => {
                let callee = &self.program.funcs[*callee];
                let params = callee.params.iter().copied().map(Atom::Var).zip(args.iter().copied());
                let results = stmt.vars.iter().copied().map(Atom::Var);
                let results = results.zip(callee.body.results.iter().copied());
                return params.chain(results).for_each(|(one, other)| self.join_all([one, other]));
            }
            Op::Con(_, fields) => {
                self.boxes.insert(stmt.vars[0], fields.clone());
            }
            _ => {}
        }
        let mut atoms: Vec<Atom> = stmt.vars.iter().map(|var| (*var).into()).collect();
        atoms.extend(stmt.op.inner_params().into_iter().map(Atom::Var));
        stmt.op.for_each_atom(&mut |atom| atoms.push(atom));
        for inner in stmt.op.blocks() {
            self.block(inner, facts);
            atoms.extend(&inner.results);
        }
        atoms.into_iter().for_each(|atom| self.keep(atom));
    }

    /// Joins arrays that flow into each other.
    fn join_all<const N: usize>(&mut self, atoms: [Atom; N]) {
        let arrays: Vec<VarId> = atoms.iter().filter_map(|atom| self.array(*atom)).collect();
        for pair in arrays.windows(2) {
            self.together.equate(pair[0], pair[1]);
        }
    }

    /// An array that is made of these, which are boxes that are known, or arrays of them.
    /// `sizes` are those of the contents of its boxes, if they are known.
    fn make(&mut self, array: VarId, of: &[Atom], sizes: Option<&Vec<Vec<Option<Op>>>>) {
        self.built.push(array);
        let mut is_known = sizes.is_some();
        self.sizes.extend(sizes.map(|sizes| (array, sizes.clone())));
        for item in of {
            if let Some(row) = self.array(*item) {
                self.together.equate(array, row);
            } else if let Some(from) = item.var().and_then(|item| self.elements.get(&item)) {
                self.together.equate(array, *from);
            } else {
                is_known &= item.var().is_some_and(|item| self.boxes.contains_key(&item));
            }
        }
        if !is_known {
            self.kept.push(array);
        }
    }

    /// Looks at branches or a loop, joins the arrays that come to one place and leave it, and notes those that the
    /// loop collects.
    fn inside(&mut self, stmt: &Stmt, facts: &FuncFacts) {
        stmt.op.blocks().into_iter().for_each(|inner| self.block(inner, facts));
        let program = self.program;
        arrivals(program, stmt, &mut |atom, place, way| {
            if let (Place::Var(var), true) = (place, way != Way::Row) {
                self.join_all([var.into(), atom]);
            }
        });
        departures(stmt, &mut |var, place| {
            if let Place::Var(state) = place {
                self.join_all([var.into(), state.into()]);
            }
        });
        let Op::Loop(form) = &stmt.op else { return };
        for at in form.states.len()..stmt.vars.len() {
            if let Some(array) = self.array(stmt.vars[at].into()) {
                self.make(array, &[form.body.results[at]], facts.regular.get(&(stmt.id, at)));
            }
        }
    }

    /// The arrays that can be replaced.
    fn replaceable(&mut self) -> FxHashSet<VarId> {
        let kept = self.together.consequences(self.kept.drain(..));
        let mut arrays = self.together.consequences(self.built.drain(..));
        arrays.retain(|array| !kept.contains(array));
        arrays
    }
}

/// Whether a type is a box: it has one constructor, with fields, and is no type of tangents.
fn is_box(program: &Program, data: DataId) -> bool {
    let known = &program.datas[data];
    let [constructor] = &known.constructors[..] else { return false };
    !known.is_tangent && !constructor.fields.is_empty()
}

struct Unbox<'p> {
    program: &'p mut Program,
    /// The arrays that are replaced.
    arrays: FxHashSet<VarId>,
    /// The contents of boxes.
    boxes: FxHashMap<VarId, Vec<Atom>>,
    /// For each array that is made, and each field, the operations that give the sizes of the field's contents.
    sizes: FxHashMap<VarId, Vec<Vec<Option<Op>>>>,
    /// The arrays, one for each field, that stand for an array of boxes.
    fields: FxHashMap<VarId, Vec<VarId>>,
}

impl Unbox<'_> {
    /// Rewrites all functions; what has become of the program.
    fn funcs(&mut self) -> Changed {
        let (mut changed, mut has_same_types) = (vec![], true);
        for id in self.program.funcs.ids() {
            let before = self.fields.len();
            has_same_types &= self.func(id);
            if self.fields.len() > before {
                changed.push(id);
            }
        }
        if has_same_types { bodies(changed) } else { Changed::All }
    }

    /// Rewrites a function; whether the types of its parameters and results are what they were.
    fn func(&mut self, id: FuncId) -> bool {
        let func = &mut self.program.funcs[id];
        let (mut params, mut body) =
            (std::mem::take(&mut func.params), std::mem::take(&mut func.body));
        let is_param = self.bind(&mut params);
        self.block(&mut body);
        let is_result: Vec<bool> =
            body.results.iter().map(|result| self.array(*result).is_some()).collect();
        if is_result.contains(&true) {
            self.spread(&mut body.results, &is_result);
            let types = body.results.iter().map(|result| self.program.type_of(*result));
            self.program.funcs[id].results = types.collect();
        }
        let func = &mut self.program.funcs[id];
        (func.params, func.body) = (params, body);
        !is_param.contains(&true) && !is_result.contains(&true)
    }

    fn block(&mut self, block: &mut Block) {
        for mut stmt in take(block) {
            stmt.op.blocks_mut().into_iter().for_each(|inner| self.block(inner));
            let is_built = |var: &VarId| self.arrays.contains(var) && self.sizes.contains_key(var);
            let built: Vec<VarId> = stmt.vars.iter().copied().filter(is_built).collect();
            let from = block.stmts.len();
            if !self.replaced(&mut stmt, &mut block.stmts) {
                block.stmts.push(stmt);
            }
            for array in built {
                self.size(array, from, &mut block.stmts);
            }
        }
    }

    /// Gives absent rows of an array the sizes that are known (`sized`). The statements from `from` on make the
    /// array.
    fn size(&mut self, array: VarId, from: usize, out: &mut Vec<Stmt>) {
        let (fields, sizes) = (self.fields(array), self.sizes[&array].clone());
        for (field, sizes) in fields.into_iter().zip(sizes) {
            let depths = sizes.into_iter().enumerate().skip(1);
            let mut known = depths.filter_map(|(k, size)| Some((k, size?))).peekable();
            if known.peek().is_none() {
                continue;
            }
            let mut sized = self.program.fresh_like(field);
            let makers = out[from..].iter_mut();
            let Some((var, span)) = makers
                .flat_map(|stmt| stmt.vars.iter_mut().map(|var| (var, stmt.span)))
                .find(|(var, _)| **var == field)
            else {
                pullback_base::bug("unbox", "the statement that makes an array")
            };
            *var = sized;
            while let Some((k, size)) = known.next() {
                let size = if let Op::Copy(size) = size {
                    size
                } else {
                    let size_var = self.program.fresh("n", Type::INT);
                    let mut stmt = Stmt::new(vec![size_var], size, span);
                    self.replaced(&mut stmt, out);
                    out.push(stmt);
                    size_var.into()
                };
                let last = known.peek().is_none();
                let now = if last { field } else { self.program.fresh_like(field) };
                let op = Op::Sized(sized.into(), k as u8, size);
                out.push(Stmt::new(vec![now], op, span));
                sized = now;
            }
        }
    }

    /// Rewrites a statement; whether other statements in `out` have taken its place.
    fn replaced(&mut self, stmt: &mut Stmt, out: &mut Vec<Stmt>) -> bool {
        let result = stmt.vars.first().copied().filter(|var| self.arrays.contains(var));
        #[expect(clippy::wildcard_enum_match_arm, reason = "others do the same to each field")]
        match &mut stmt.op {
            Op::Dim(a, _) | Op::Shape(a, _) => {
                if let Some(array) = self.array(*a) {
                    *a = self.fields(array)[0].into();
                }
                return false;
            }
            Op::Index(a, at) => {
                let Some(array) = self.array(*a) else { return false };
                let at = at.clone();
                self.element(stmt, array, &at, out);
            }
            Op::If(_, then, other) => {
                let branches = [then, other].map(|branch| &mut branch.results);
                self.choose(&mut stmt.vars, branches);
                return false;
            }
            Op::Loop(form) => {
                self.repeat(&mut stmt.vars, form);
                return false;
            }
            Op::Call(_, args) => {
                let are_replaced: Vec<bool> =
                    args.iter().map(|arg| self.array(*arg).is_some()).collect();
                self.spread(args, &are_replaced);
                self.bind(&mut stmt.vars);
                return false;
            }
            op => {
                let Some(result) = result else { return false };
                let fields = self.fields(result);
                for (at, var) in fields.into_iter().enumerate() {
                    let mut op = op.clone();
                    op.for_each_atom_mut(&mut |atom| *atom = self.field(*atom, at));
                    out.push(Stmt::new(vec![var], op, stmt.span));
                }
            }
        }
        true
    }

    /// The array that an atom is, if it is replaced.
    fn array(&self, atom: Atom) -> Option<VarId> {
        atom.var().filter(|var| self.arrays.contains(var))
    }

    /// What stands for an atom in the array of a field: the array of that field, or what the box has in it.
    fn field(&mut self, atom: Atom, at: usize) -> Atom {
        let Some(var) = atom.var() else { return atom };
        if self.arrays.contains(&var) {
            self.fields(var)[at].into()
        } else {
            self.boxes.get(&var).map_or(atom, |fields| fields[at])
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

    /// Reads a row of each field's array, or a box from an element of each.
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
            let fields: Vec<Atom> = to.into_iter().map(Atom::Var).collect();
            self.boxes.insert(var, fields.clone());
            out.push(Stmt::new(vec![var], Op::Con(0, fields), stmt.span));
        }
    }

    /// Replaces the arrays among some atoms by those of all their fields.
    fn spread(&mut self, atoms: &mut Vec<Atom>, are_replaced: &[bool]) {
        let mut spread = vec![];
        for (atom, is_replaced) in atoms.drain(..).zip(are_replaced) {
            match atom.var().filter(|_| *is_replaced) {
                None => spread.push(atom),
                Some(var) if self.arrays.contains(&var) => {
                    spread.extend(self.fields(var).into_iter().map(Atom::Var));
                }
                Some(var) => match self.boxes.get(&var) {
                    Some(fields) => spread.extend(fields),
                    None => pullback_base::bug("unbox", "boxes that are known"),
                },
            }
        }
        *atoms = spread;
    }

    /// Replaces the arrays among some variables by those of all their fields; says which were replaced.
    fn bind(&mut self, vars: &mut Vec<VarId>) -> Vec<bool> {
        let are_replaced: Vec<bool> = vars.iter().map(|var| self.arrays.contains(var)).collect();
        let mut bound = vec![];
        for (var, is_replaced) in vars.drain(..).zip(&are_replaced) {
            if *is_replaced {
                bound.extend(self.fields(var));
            } else {
                bound.push(var);
            }
        }
        *vars = bound;
        are_replaced
    }

    fn choose(&mut self, vars: &mut Vec<VarId>, branches: [&mut Vec<Atom>; 2]) {
        let are_replaced = self.bind(vars);
        for results in branches {
            self.spread(results, &are_replaced);
        }
    }

    fn repeat(&mut self, vars: &mut Vec<VarId>, form: &mut Loop) {
        let are_replaced = self.bind(vars);
        self.bind(&mut form.states);
        self.spread(&mut form.init, &are_replaced);
        self.spread(&mut form.body.results, &are_replaced);
    }
}
