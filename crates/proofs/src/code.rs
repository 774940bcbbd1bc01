//! Functions of the IR as Coq definitions.
//!
//! A statement becomes a `let`. An accumulator is a value that is bound anew by what adds to it; a part of an
//! accumulator is a place in it. A loop passes on its states and the accumulators that its body adds to. Arrays of
//! units, which only have sizes, are left out. A data type becomes an inductive type; its names begin with that of the
//! sample.

use std::collections::{BTreeMap, BTreeSet};

use pullback_base::bug;
use pullback_ir::{
    Atom, Block, DataId, Elem, FuncId, Loop, LoopForm, Match, Op, Program, Stmt, Type, VarId,
};
use pullback_prim::Prim;

/// A function of this sample, under the name that `named` gives; calls are of the names that it gives too.
pub(crate) fn definition(
    program: &Program,
    sample: &str,
    func: FuncId,
    named: &dyn Fn(FuncId) -> String,
) -> String {
    let types = Types { program, sample };
    let (names, places) = (BTreeMap::new(), BTreeMap::new());
    let mut printer = Printer { program, types, named, names, places, sizes: vec![] };
    let source = &program.funcs[func];
    let mut head = format!("Definition {}", named(func));
    for param in &source.params {
        let ty = program.vars[*param].ty;
        if ty.elem != Elem::Unit {
            head += &format!(" ({} : {})", printer.bind(*param), types.ty(ty));
        }
    }
    let results: Vec<String> = source.results.iter().map(|ty| factor(types.ty(*ty))).collect();
    let body = printer.block(&source.body, "  ", &[]);
    for size in &printer.sizes {
        head += &format!(" ({size} : nat)");
    }
    let result = match source.results[..] {
        [result] => types.ty(result),
        _ => format!("({})%type", results.join(" * ")),
    };
    format!("{head} : {result} :=\n{body}.\n")
}

/// The data types that functions of this sample use, as inductive types.
pub(crate) fn inductive_types(program: &Program, sample: &str, funcs: &[FuncId]) -> Vec<String> {
    let types = Types { program, sample };
    let mut used = BTreeSet::new();
    let mut note = |ty: Type| {
        if let Elem::Data(data) = ty.elem {
            used.insert(data);
        }
    };
    for func in funcs {
        let source = &program.funcs[*func];
        source.params.iter().for_each(|param| note(program.vars[*param].ty));
        source.body.visit(&mut |stmt| stmt.vars.iter().for_each(|var| note(program.vars[*var].ty)));
    }
    used.into_iter().map(|data| types.inductive(data)).collect()
}

/// A type as a factor of a product.
fn factor(ty: String) -> String {
    if ty.contains(' ') { format!("({ty})") } else { ty }
}

/// How types are printed.
#[derive(Clone, Copy)]
struct Types<'a> {
    program: &'a Program,
    sample: &'a str,
}

impl Types<'_> {
    fn ty(self, ty: Type) -> String {
        let elem = match ty.elem {
            Elem::Real => "R",
            Elem::Int => "nat",
            Elem::Bool => "bool",
            Elem::Data(data) => &self.data(data),
            Elem::Str | Elem::Unit => bug("proofs", "samples without text"),
        };
        format!("{}{elem}", "nat -> ".repeat(ty.rank.into()))
    }

    fn data(self, data: DataId) -> String {
        format!("{}_{}", self.sample, word(self.program.datas[data].name.as_str()))
    }

    fn constructor(self, data: DataId, tag: u32) -> String {
        let name = &self.program.constructors(data)[tag as usize].name;
        format!("{}_{}", self.data(data), word(name.as_str()))
    }

    fn inductive(self, data: DataId) -> String {
        let mut out = format!("Inductive {} :=", self.data(data));
        for (tag, constructor) in (0..).zip(self.program.constructors(data)) {
            out += &format!("\n  | {}", self.constructor(data, tag));
            for (place, field) in constructor.fields.iter().enumerate() {
                out += &format!(" (x{place} : {})", self.ty(*field));
            }
        }
        out + ".\n"
    }

    /// The zero of a type without a shape.
    fn zero(self, ty: Type) -> String {
        match ty.elem {
            Elem::Data(data) if ty.rank == 0 => {
                let last = self.program.constructors(data).len() as u32 - 1;
                self.constructor(data, last)
            }
            Elem::Real if ty.rank == 0 => "0".to_owned(),
            Elem::Real | Elem::Int | Elem::Bool | Elem::Str | Elem::Unit | Elem::Data(_) => {
                format!("zero{}", ty.rank)
            }
        }
    }
}

/// A name as one word.
fn word(name: &str) -> String {
    name.replace([' ', '`', '(', ')'], "_")
}

struct Printer<'a> {
    program: &'a Program,
    types: Types<'a>,
    named: &'a dyn Fn(FuncId) -> String,
    /// Variables by number, in the order in which they are bound.
    names: BTreeMap<VarId, String>,
    /// The sizes that operations need, which become parameters.
    sizes: Vec<String>,
    /// Parts of accumulators: of which one, and which part.
    places: BTreeMap<VarId, (VarId, String)>,
}

impl Printer<'_> {
    fn bind(&mut self, var: VarId) -> String {
        let number = self.names.len();
        let stem = word(self.program.vars[var].name.as_str());
        let name = format!("{stem}_{number}");
        self.names.insert(var, name.clone());
        name
    }

    fn bind_all(&mut self, vars: &[VarId]) -> Vec<String> {
        vars.iter().map(|var| self.bind(*var)).collect()
    }

    fn name(&self, var: VarId) -> String {
        self.names.get(&var).cloned().unwrap_or_else(|| bug("proofs", "a variable that is bound"))
    }

    fn atom(&self, atom: Atom) -> String {
        match atom {
            Atom::Var(var) => self.name(var),
            Atom::Real(x) if x == x.trunc() => format!("({x})"),
            Atom::Int(n) => format!("{n}%nat"),
            Atom::Bool(truth) => truth.to_string(),
            Atom::Real(_) | Atom::Str(_) => bug("proofs", "samples with whole numbers alone"),
        }
    }

    fn atoms(&self, atoms: &[Atom]) -> Vec<String> {
        atoms.iter().map(|atom| self.atom(*atom)).collect()
    }

    fn var(atom: Atom) -> VarId {
        atom.var().unwrap_or_else(|| bug("proofs", "an array or an accumulator in a variable"))
    }

    /// Statements, then results; accumulators that are passed on come last among these.
    fn block(&mut self, block: &Block, indent: &str, passed: &[VarId]) -> String {
        let lets: String = block.stmts.iter().map(|stmt| self.stmt(stmt, indent)).collect();
        let mut results = self.atoms(&block.results);
        results.extend(passed.iter().map(|acc| self.name(*acc)));
        format!("{lets}{indent}{}", tuple(&results))
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "all others are treated alike")]
    fn stmt(&mut self, stmt: &Stmt, indent: &str) -> String {
        if stmt.vars.iter().any(|var| self.program.vars[*var].ty.elem == Elem::Unit) {
            return String::new();
        }
        match &stmt.op {
            Op::AtAcc(acc, at) => {
                let steps = self.atoms(at).into_iter().map(|at| format!("at_place {at}"));
                let place = steps.collect::<Vec<_>>().join(" (");
                self.places.insert(stmt.vars[0], (Self::var(*acc), place));
                String::new()
            }
            Op::PartAcc(acc, lo, hi) => {
                let place = format!("range_place {} {}", self.atom(*lo), self.atom(*hi));
                self.places.insert(stmt.vars[0], (Self::var(*acc), place));
                String::new()
            }
            Op::AddAcc(acc, at, value) => {
                let rank = self.program.type_of(*value).rank;
                let (base, mut add) = self.base(Self::var(*acc));
                let depth = at.len();
                let value = self.atom(*value);
                let here = format!("add_at{depth}_{rank}");
                let args = [self.atoms(at), vec![value]].concat().join(" ");
                add = if add == "HERE" {
                    format!("{here} {args}")
                } else {
                    add.replace("HERE", &format!("({here} {args})"))
                };
                let name = self.name(base);
                format!("{indent}let {name} := {add} {name} in\n")
            }
            Op::Loop(repeat) => self.repeat(stmt, repeat, indent),
            Op::If(cond, then, other) => {
                let cond = self.atom(*cond);
                let deeper = format!("{indent}    ");
                let changed = self.changed(&[then, other]);
                let then = self.block(then, &deeper, &changed);
                let other = self.block(other, &deeper, &changed);
                let vars = [
                    self.bind_all(&stmt.vars),
                    changed.iter().map(|acc| self.name(*acc)).collect(),
                ]
                .concat();
                format!(
                    "{indent}let {} :=\n{indent}  if {cond} then\n{then}\n{indent}  else\n{other} in\n",
                    pattern(&vars)
                )
            }
            Op::Match(cases) => self.cases(stmt, cases, indent),
            op => {
                let value = self.operation(stmt, op);
                let vars = self.bind_all(&stmt.vars);
                format!("{indent}let {} := {value} in\n", pattern(&vars))
            }
        }
    }

    fn cases(&mut self, stmt: &Stmt, cases: &Match, indent: &str) -> String {
        let Elem::Data(data) = self.program.type_of(cases.scrutinee).elem else {
            bug("proofs", "a data value that is looked at")
        };
        let changed = self.changed(&stmt.op.blocks());
        let deeper = format!("{indent}      ");
        let mut arms = String::new();
        for arm in &cases.arms {
            let fields = self.bind_all(&arm.params);
            let head = [vec![self.types.constructor(data, arm.tag)], fields].concat().join(" ");
            let block = self.block(&arm.block, &deeper, &changed);
            arms += &format!("{indent}  | {head} =>\n{block}\n");
        }
        if let Some(block) = &cases.default {
            let block = self.block(block, &deeper, &changed);
            arms += &format!("{indent}  | _ =>\n{block}\n");
        }
        let scrutinee = self.atom(cases.scrutinee);
        let passed: Vec<String> = changed.iter().map(|acc| self.name(*acc)).collect();
        let vars = [self.bind_all(&stmt.vars), passed].concat();
        format!(
            "{indent}let {} := match {scrutinee} with\n{arms}{indent}  end in\n",
            pattern(&vars)
        )
    }

    /// The fields of a tangent of data, or zeros.
    fn unpacked(&self, stmt: &Stmt, tangent: Atom, tag: u32) -> String {
        let Elem::Data(data) = self.program.type_of(tangent).elem else {
            bug("proofs", "a tangent of data")
        };
        let fields: Vec<String> = (0..stmt.vars.len()).map(|place| format!("x{place}")).collect();
        let zeros = stmt.vars.iter().map(|var| self.types.zero(self.program.vars[*var].ty));
        format!(
            "match {} with {} {} => {} | _ => {} end",
            self.atom(tangent),
            self.types.constructor(data, tag),
            fields.join(" "),
            tuple(&fields),
            tuple(&zeros.collect::<Vec<_>>())
        )
    }

    /// The accumulator that a part belongs to, and how something is added to the part: `HERE` is what adds there.
    fn base(&self, acc: VarId) -> (VarId, String) {
        match self.places.get(&acc) {
            None => (acc, "HERE".to_string()),
            Some((outer, place)) => {
                let (base, add) = self.base(*outer);
                let close = ")".repeat(place.matches('(').count());
                (base, add.replace("HERE", &format!("{place} HERE{close}")))
            }
        }
    }

    /// The accumulators from outside that blocks add to.
    fn changed(&self, blocks: &[&Block]) -> Vec<VarId> {
        let mut changed = vec![];
        for block in blocks {
            block.visit(&mut |stmt| {
                if let Op::AddAcc(Atom::Var(acc), ..) = &stmt.op {
                    let mut base = *acc;
                    while let Some((outer, _)) = self.places.get(&base) {
                        base = *outer;
                    }
                    if self.names.contains_key(&base) && !changed.contains(&base) {
                        changed.push(base);
                    }
                }
            });
        }
        changed
    }

    fn repeat(&mut self, stmt: &Stmt, repeat: &Loop, indent: &str) -> String {
        let Loop { form: LoopForm::For { index, count, down }, states, init, body } = repeat else {
            bug("proofs", "loops with a count")
        };
        let count = self.atom(*count);
        let changed = self.changed(&[body]);
        let passed = |printer: &Self| -> Vec<String> {
            changed.iter().map(|acc| printer.name(*acc)).collect()
        };
        let start = [self.atoms(init), passed(self)].concat();
        let index = self.bind(*index);
        let deeper = format!("{indent}    ");
        let collects = stmt.vars.len() > states.len();
        if collects && states.is_empty() && changed.is_empty() {
            let body = self.block(body, &deeper, &[]);
            let vars = self.bind_all(&stmt.vars);
            return format!("{indent}let {} := fun {index} =>\n{body} in\n", pattern(&vars));
        }
        if collects {
            bug("proofs", "loops that either collect or pass something on")
        }
        let inside = [self.bind_all(states), passed(self)].concat();
        let body = self.block(body, &deeper, &changed);
        let vars = [self.bind_all(&stmt.vars), passed(self)].concat();
        let form = if *down { "loop_down" } else { "loop_up" };
        format!(
            "{indent}let {} := {form} {count} (fun {index} {} =>\n{body}) {} in\n",
            pattern(&vars),
            pattern(&inside),
            tuple(&start)
        )
    }

    /// The size of an array, as a parameter.
    fn size(&mut self, array: Atom, depth: u8) -> String {
        let size = format!("dim{depth}_{}", self.atom(array));
        if !self.sizes.contains(&size) {
            self.sizes.push(size.clone());
        }
        size
    }

    /// An operation without effects and blocks.
    #[expect(clippy::wildcard_enum_match_arm, reason = "all others are no part of a sample")]
    fn operation(&mut self, stmt: &Stmt, op: &Op) -> String {
        let size = match op {
            Op::Sum(a) | Op::Concat(a, _) => self.size(*a, 0),
            Op::Flatten(a) => self.size(*a, 1),
            _ => String::new(),
        };
        let all = |name: &str, atoms: &[Atom]| format!("{name} {}", self.atoms(atoms).join(" "));
        let rank = |atom: &Atom| self.program.type_of(*atom).rank;
        match op {
            Op::Copy(a) | Op::NewAcc(a) | Op::ReadAcc(a) => {
                let name = if matches!(op, Op::Copy(_)) {
                    "copy"
                } else if matches!(op, Op::NewAcc(_)) {
                    "new_acc"
                } else {
                    "read_acc"
                };
                all(name, &[*a])
            }
            Op::Sized(a, ..) => all("sized", &[*a]),
            Op::Prim(prim, args) => all(primitive(*prim), args),
            Op::Select(cond, a, b) => all("select", &[*cond, *a, *b]),
            Op::MulZero(a, b) => all("mul_zero", &[*a, *b]),
            Op::Plus(a, b) => all(&format!("plus{}", rank(a)), &[*a, *b]),
            Op::Array(items) => {
                format!("array{} [{}]", rank(&items[0]), self.atoms(items).join("; "))
            }
            Op::Index(a, at) => {
                all(&format!("index{}", at.len()), &[&[*a], at.as_slice()].concat())
            }
            Op::Update(a, at, v) => {
                all(&format!("update{}", at.len()), &[&[*a], at.as_slice(), &[*v]].concat())
            }
            Op::Slice(a, lo, hi) => all("slice", &[*a, *lo, *hi]),
            Op::Concat(a, b) => all(&format!("concat {size}"), &[*a, *b]),
            Op::Flatten(a) => all(&format!("flatten {size}"), &[*a]),
            Op::Sum(a) => all(&format!("sum {size}"), &[*a]),
            Op::Zero(_) | Op::Undef => self.types.zero(self.program.vars[stmt.vars[0]].ty),
            Op::Con(tag, fields) => {
                let Elem::Data(data) = self.program.vars[stmt.vars[0]].ty.elem else {
                    bug("proofs", "a data value that is made")
                };
                let head = self.types.constructor(data, *tag);
                if fields.is_empty() { head } else { all(&head, fields) }
            }
            Op::Unpack { tangent, tag, .. } => self.unpacked(stmt, *tangent, *tag),
            Op::Call(func, args) => {
                let args: Vec<Atom> = args
                    .iter()
                    .copied()
                    .filter(|arg| self.program.type_of(*arg).elem != Elem::Unit)
                    .collect();
                all(&(self.named)(*func), &args)
            }
            op => bug("proofs", format_args!("an operation of a sample, not {op:?}")),
        }
    }
}

/// The name in [`Ir`] of a primitive.
fn primitive(prim: Prim) -> &'static str {
    if prim == Prim::Not { "negb" } else { prim.row().name }
}

fn tuple(parts: &[String]) -> String {
    match parts {
        [] => "tt".to_string(),
        [one] => one.clone(),
        parts => format!("({})", parts.join(", ")),
    }
}

fn pattern(names: &[String]) -> String {
    match names {
        [] => "_".to_string(),
        [one] => one.clone(),
        names => format!("'({})", names.join(", ")),
    }
}
