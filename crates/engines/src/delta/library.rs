//! What translated programs call: the `Delta` types and their functions, written in the calculus itself.
//!
//! Input: a program. Output: the same program with the library of one translation at its end, and the
//! places of its types and functions. In the library's text `$x` is a variable and `@f` a definition;
//! they get the numbers that the textual form wants when the text is read.

use std::cell::RefCell;
use std::collections::BTreeMap;

use pullback_base::{FileId, Id, Span};
use pullback_lambda::{
    DataId, DefId, Expr, ExprKind, LoopForm, Program, Type, TypeKind, VarId, parse,
};
use pullback_prim::Prim;

use super::version::Version;

/// What a program that a library stops says, told in words by the caller.
pub(super) const TOO_LARGE: &str = "TOO_LARGE";

thread_local! {
    /// The libraries that were read before.
    static READ: RefCell<BTreeMap<Version, Program>> = RefCell::default();
}

/// A sum of deltas, with factors, that is bound in one step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Row {
    /// `scale a u`
    Scale,
    /// `plus u v`
    Add,
    /// `plus u (scale b v)`
    Step,
    /// `plus (scale a u) (scale b v)`
    Both,
}

/// The types and functions of a library in a program.
#[derive(Clone, Debug)]
pub(super) struct Library {
    first_data: usize,
    datas: usize,
    /// Whether tangents stand where the others have deltas.
    forward: bool,
    defs: BTreeMap<String, DefId>,
}

impl Library {
    /// Appends the library of a translation to a program.
    pub(super) fn add(program: &mut Program, version: Version) -> Self {
        READ.with_borrow_mut(|read| {
            append(program, version, read.entry(version).or_insert_with(|| Self::read(version)))
        })
    }

    fn read(version: Version) -> Program {
        let common = match version {
            Version::Forward => "",
            Version::One | Version::Two | Version::Final => include_str!("common.lambda"),
        };
        let (datas, defs) = match version {
            Version::Forward => ("", include_str!("forward.lambda")),
            Version::One => (include_str!("delta1.lambda"), include_str!("delta1_defs.lambda")),
            Version::Two => (include_str!("delta2.lambda"), include_str!("delta2_defs.lambda")),
            Version::Final => (include_str!("delta.lambda"), include_str!("delta_defs.lambda")),
        };
        let text = format!("{datas}\n{common}\n{defs}").replace(TOO_LARGE, &version.too_large());
        parse(&numbered(&text), FileId::from_index(0))
            .expect("the text of the library is well-formed: tests read every version")
    }
    /// `Maybe`: a slot of a map that may be empty; a number where there are no maps.
    pub(super) fn maybe(&self) -> Type {
        self.data(0)
    }
    /// `Delta`; a tangent in forward mode.
    pub(super) fn delta(&self) -> Type {
        self.data(1)
    }
    /// `Work`: deltas still to be evaluated; their sum in forward mode.
    pub(super) fn work(&self) -> Type {
        self.data(2)
    }
    /// The state of the monad, `{ next : Int, binds : DeltaBinds }`.
    pub(super) fn state(&self) -> Type {
        let binds = Type::new(TypeKind::Data(self.bindings()));
        Type::new(TypeKind::Record(vec![("next".into(), Type::int()), ("binds".into(), binds)]))
    }
    /// `DeltaBinds`
    fn bindings(&self) -> DataId {
        DataId::from_index(self.first_data + 3)
    }
    /// Says where the faults of its functions are told. Limits are reached somewhere in the run of a
    /// function; the function is the place that its author knows.
    pub(super) fn place_faults(&self, program: &mut Program, place: Span) {
        for def in self.defs.values() {
            program.defs[*def].body.rewrite(&mut |node| {
                if let ExprKind::Prim(Prim::EngineLimit, _) = node.kind {
                    node.span = place;
                }
            });
        }
    }
    fn data(&self, index: usize) -> Type {
        if self.forward {
            return Type::real();
        }
        debug_assert!(index < self.datas);
        Type::new(TypeKind::Data(DataId::from_index(self.first_data + index)))
    }
    /// A function of the library.
    pub(super) fn def(&self, name: &str) -> DefId {
        self.defs[name]
    }
    /// Its functions that bind a row in one step, with what a row is written as.
    pub(super) fn rows(&self) -> BTreeMap<DefId, Row> {
        let rows = [
            ("letScale", Row::Scale),
            ("letAdd", Row::Add),
            ("letStep", Row::Step),
            ("letRow", Row::Both),
        ];
        rows.into_iter().filter_map(|(name, row)| Some((*self.defs.get(name)?, row))).collect()
    }
    /// All its functions.
    pub(super) fn functions(&self) -> impl Iterator<Item = DefId> + '_ {
        self.defs.values().copied()
    }
    /// All its types.
    pub(super) fn types(&self) -> Vec<Type> {
        (0..self.datas).map(|index| self.data(index)).collect()
    }
}

/// Replaces `$x` by `x.n` and `@f` by `@f.n`.
fn numbered(text: &str) -> String {
    let names = text.lines().filter_map(|line| line.strip_prefix("def "));
    let defs: Vec<&str> = names.filter_map(|rest| rest.split_whitespace().next()).collect();
    let mut vars: BTreeMap<&str, usize> = BTreeMap::new();
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['$', '@']) {
        out.push_str(&rest[..at]);
        let is_def = rest[at..].starts_with('@');
        let tail = &rest[at + 1..];
        let end = tail.find(|c: char| !c.is_alphanumeric()).unwrap_or(tail.len());
        let name = &tail[..end];
        if is_def {
            let index = defs.iter().position(|def| *def == name).unwrap_or(defs.len());
            out.push_str(&format!("@{name}.{index}"));
        } else {
            let fresh = vars.len();
            out.push_str(&format!("{name}.{}", vars.entry(name).or_insert(fresh)));
        }
        rest = &tail[end..];
    }
    out.push_str(rest);
    for (index, name) in defs.iter().enumerate() {
        out = out.replacen(&format!("def {name} "), &format!("def {name}.{index} "), 1);
    }
    out
}

/// Appends a program to another, with its numbers shifted.
fn append(program: &mut Program, version: Version, library: &Program) -> Library {
    let shift =
        Shift { datas: program.datas.len(), vars: program.vars.len(), defs: program.defs.len() };
    let datas = library.datas.len();
    for mut data in library.datas.iter().cloned() {
        for constructor in &mut data.constructors {
            for field in &mut constructor.fields {
                *field = shift.ty(field);
            }
        }
        data.tangent = data.tangent.map(|tangent| shift.data(tangent));
        program.datas.push(data);
    }
    for mut var in library.vars.iter().cloned() {
        var.ty = shift.ty(&var.ty);
        program.vars.push(var);
    }
    let mut defs = BTreeMap::new();
    for mut def in library.defs.iter().cloned() {
        def.ty = shift.ty(&def.ty);
        def.body.rewrite(&mut |node| shift.node(node));
        let name = def.name.to_string();
        defs.insert(name, program.defs.push(def));
    }
    let library =
        Library { first_data: shift.datas, datas, forward: version == Version::Forward, defs };
    if version == Version::Final {
        program.states.insert(library.bindings());
    }
    if matches!(version, Version::Two | Version::Final) {
        program.packed.extend((0..datas).map(|data| DataId::from_index(shift.datas + data)));
    }
    library
}

/// By how much the numbers of a program move when it is appended to another.
struct Shift {
    datas: usize,
    vars: usize,
    defs: usize,
}

impl Shift {
    fn data(&self, data: DataId) -> DataId {
        DataId::from_index(data.index() + self.datas)
    }

    fn ty(&self, ty: &Type) -> Type {
        match ty.kind() {
            TypeKind::Real | TypeKind::Int | TypeKind::Bool | TypeKind::Str => ty.clone(),
            TypeKind::Tuple(items) => Type::tuple(items.iter().map(|item| self.ty(item)).collect()),
            TypeKind::Record(fields) => {
                let fields = fields.iter().map(|(name, field)| (name.clone(), self.ty(field)));
                Type::new(TypeKind::Record(fields.collect()))
            }
            TypeKind::Data(data) => Type::new(TypeKind::Data(self.data(*data))),
            TypeKind::Array(element) => Type::array(self.ty(element)),
            TypeKind::Fun(from, to) => Type::fun(self.ty(from), self.ty(to)),
        }
    }

    fn var(&self, var: &mut VarId) {
        *var = VarId::from_index(var.index() + self.vars);
    }

    fn node(&self, node: &mut Expr) {
        node.ty = self.ty(&node.ty);
        node.span = Span::NONE;
        match &mut node.kind {
            ExprKind::Var(var) | ExprKind::Let(var, _, _) | ExprKind::Build { var, .. } => {
                self.var(var);
            }
            ExprKind::Global(def) => *def = DefId::from_index(def.index() + self.defs),
            ExprKind::Lam(params, _) => params.iter_mut().for_each(|var| self.var(var)),
            ExprKind::LetRec(functions, _) => {
                functions.iter_mut().for_each(|(var, _)| self.var(var));
            }
            ExprKind::Match(_, arms, _) => {
                arms.iter_mut().flat_map(|arm| &mut arm.vars).for_each(|var| self.var(var));
            }
            ExprKind::Loop { var, form, .. } => {
                self.var(var);
                if let LoopForm::For { var, .. } = form {
                    self.var(var);
                }
            }
            ExprKind::Lit(_)
            | ExprKind::Prim(..)
            | ExprKind::App(..)
            | ExprKind::If(..)
            | ExprKind::Tuple(_)
            | ExprKind::Proj(..)
            | ExprKind::Con(..)
            | ExprKind::Array(_)
            | ExprKind::Ad(..) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_library_is_well_formed_wherever_it_stands() {
        for version in [Version::Forward, Version::One, Version::Two, Version::Final] {
            let mut program = Program::default();
            Library::add(&mut program, version);
            let library = Library::add(&mut program, version);
            assert_eq!(
                pullback_lambda::verify(&program, pullback_lambda::Stage::Any),
                Ok(()),
                "{version:?}"
            );
            assert!(library.functions().any(|def| def == library.def("primals")));
            assert!(library.def("primals").index() >= library.defs.len());
        }
    }
}
