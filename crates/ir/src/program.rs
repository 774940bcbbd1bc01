//! The forms of the IR: programs of first-order functions over scalars, dense arrays and boxed data, in A-normal form
//! with structured control flow.
//!
//! A function has several parameters and several results. Its body is a [`Block`]: statements `vars = op(atoms)`, then
//! the atoms that are its results. Blocks nest inside statements, and a block sees the variables of those around it.
//! Every variable is bound exactly once in a program, so code is moved without capture; who copies code renames what it
//! binds ([`crate::rename`]).
//!
//! There are no tuples, records or functions: they have become several variables, and tagged data. The sizes of an
//! array are not in its type: [`Op::Dim`] reads them, and what is known of them is found by analysis.
//!
//! Effects are three: an operation may fail, [`Op::AddAcc`] adds to an accumulator, and [`Op::Tell`] tells a line.
//! Everything else is a value.

use std::collections::BTreeSet;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use pullback_base::{FileId, Id, IdVec, Name, Span, id_type};
use pullback_prim::{Prim, Routine};

use crate::ty::{DataId, Elem, Type};

id_type!(
    /// A variable, bound exactly once in its program.
    pub VarId, "v"
);
id_type!(
    /// A function.
    pub FuncId, "f"
);
id_type!(
    /// A statement, by its place in its function when that was numbered ([`Func::number`]). What is known of
    /// statements is kept by these; nothing prints or compares them.
    pub StmtId, "n"
);
id_type!(
    /// A text of the program's table, for messages and Strings.
    pub StrId, "s"
);
id_type!(
    /// A derivation that a program asks for.
    pub RequestId, "q"
);
id_type!(
    /// A rule of differentiation that a user wrote.
    pub RuleId, "r"
);

/// A program.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// The boxed sum types.
    pub datas: IdVec<DataId, Data>,
    /// Every variable's name and type.
    pub vars: IdVec<VarId, Var>,
    /// Every function. All may call all.
    pub funcs: IdVec<FuncId, Func>,
    /// The texts.
    pub strings: IdVec<StrId, Arc<str>>,
    /// The derivations that [`Op::Jvp`], [`Op::Linearize`] and [`Op::Apply`] ask for.
    pub requests: IdVec<RequestId, Request>,
    /// The rules that [`Op::Custom`] goes by.
    pub rules: IdVec<RuleId, Rule>,
    /// The files of the library: errors there are told with the call from outside that led there.
    pub library: BTreeSet<FileId>,
}

/// A boxed sum type. Its values are immutable and may be shared.
#[derive(Clone, Debug, PartialEq, Hash)]
pub struct Data {
    /// What people call it.
    pub name: Name,
    /// Its constructors: tag = position. Empty for residuals of a derivation that is yet to be made.
    pub constructors: Vec<Constructor>,
    /// The type of its tangents, once asked for; that of a tangent type is the type itself.
    pub tangent: Option<DataId>,
    /// Whether it is a type of tangents. Such a value is a vector: only [`Op::Con`], [`Op::Unpack`],
    /// [`Op::Plus`], [`Op::Zero`] and the conversions look into it, and its last constructor, without
    /// fields, is the zero vector of any shape.
    pub is_tangent: bool,
}

/// A constructor of a [`Data`].
#[derive(Clone, Debug, PartialEq, Hash)]
pub struct Constructor {
    /// Its name.
    pub name: Name,
    /// The types of its fields.
    pub fields: Vec<Type>,
    /// The arrays of Ints, Bools, strings and units that the tangents which programs see have nothing for, by their
    /// positions: another field holds more of the same array of the source, and tells its sizes. The data
    /// `Box ([](Int, Real))` has the fields `[]i64` and `[]f64`, its tangent `Box ([]((), Real))` has `[]f64`.
    pub unseen: Vec<usize>,
}

impl Constructor {
    /// A constructor whose arrays are all seen.
    pub fn new(name: Name, fields: Vec<Type>) -> Self {
        Self { name, fields, unseen: vec![] }
    }

    /// Whether the tangents that programs see have something for a field.
    pub fn is_seen(&self, field: usize) -> bool {
        match self.fields[field].elem {
            Elem::Real | Elem::Data(_) => true,
            Elem::Int | Elem::Bool | Elem::Str | Elem::Unit => {
                self.fields[field].is_array() && !self.unseen.contains(&field)
            }
        }
    }
}

/// A variable.
#[derive(Clone, Debug, PartialEq)]
pub struct Var {
    /// The source name, or a hint.
    pub name: Name,
    /// Its type.
    pub ty: Type,
    /// Whether it is a tangent or cotangent that the code around it must use linearly.
    pub linear: bool,
}

/// A function.
#[derive(Clone, Debug, Hash)]
pub struct Func {
    /// The source name, or a hint.
    pub name: Name,
    /// What it takes.
    pub params: Vec<VarId>,
    /// The types of its results.
    pub results: Vec<Type>,
    /// What it does.
    pub body: Block,
    /// Whether it is a constant: without parameters, evaluated at most once.
    pub is_constant: bool,
    /// Whether it is a checkpoint: reverse mode saves nothing of a call but its arguments, and calls it again. No
    /// pass puts its body in the place of a call, so that what runs again meets nothing that it could be
    /// merged with.
    pub is_checkpoint: bool,
    /// The routine that does the same, if there is one: whoever runs the code may call that instead. No pass changes the
    /// parameters and results, nor puts the body in the place of a call.
    pub routine: Option<Routine>,
    /// What is so of its parameters in every call.
    pub preconditions: Vec<Precondition>,
    /// Where its name was written.
    pub span: Span,
}

impl Func {
    /// Forgets the preconditions that speak of what is no parameter any more.
    pub fn keep_preconditions(&mut self) {
        let params = &self.params;
        let is_param = |var: &VarId| params.contains(var);
        self.preconditions.retain(|known| is_param(&known.array) && is_param(&known.size.0));
    }
}

/// That the size at a dimension of a parameter is another size, or an Int, that comes to the same call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Precondition {
    /// The parameter, an array or an accumulator.
    pub array: VarId,
    /// Which dimension of it.
    pub dimension: u8,
    /// What its size is: a parameter that is an Int, or the size at a dimension of one that has any.
    pub size: (VarId, Option<u8>),
    /// Whether that is so also without rows there.
    pub is_exact: bool,
}

/// Statements, then results. What a block binds is not seen outside it.
#[derive(Clone, Debug, Default, Hash)]
pub struct Block {
    /// In the order of evaluation.
    pub stmts: Vec<Stmt>,
    /// What it gives.
    pub results: Vec<Atom>,
}

/// A statement.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// What it binds: as many variables as the operation has results.
    pub vars: Vec<VarId>,
    /// What it does.
    pub op: Op,
    /// Where it comes from: run-time errors point there.
    pub span: Span,
    /// Which statement of its function it is: [`StmtId::NEW`] until that is numbered.
    pub id: StmtId,
}

/// A statement is what it does: its number changes nothing.
impl Hash for Stmt {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let Self { vars, op, span, id: _ } = self;
        (vars, op, span).hash(state);
    }
}

/// An operand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Atom {
    /// A variable.
    Var(VarId),
    /// A Real.
    Real(f64),
    /// An Int.
    Int(i64),
    /// A Bool.
    Bool(bool),
    /// A String.
    Str(StrId),
}

/// Reals are the same if their bits are.
impl Hash for Atom {
    fn hash<H: Hasher>(&self, state: &mut H) {
        std::mem::discriminant(self).hash(state);
        match self {
            Self::Var(var) => var.hash(state),
            Self::Real(x) => x.to_bits().hash(state),
            Self::Int(n) => n.hash(state),
            Self::Bool(truth) => truth.hash(state),
            Self::Str(text) => text.hash(state),
        }
    }
}

/// What a statement does. Arrays are dense and row-major; `i…` are Int atoms, outermost index first, and
/// may be fewer than the array has dimensions: they pick an array of the remaining ones.
#[derive(Clone, Debug, Hash)]
pub enum Op {
    /// The atom itself.
    Copy(Atom),
    /// A value of the variable's type that nothing looks at, such as a residual of a branch not taken.
    Undef,
    /// A primitive of the table on scalars: of the classes Smooth and Discrete.
    Prim(Prim, Vec<Atom>),
    /// The second or third, by the first; both are there already.
    Select(Atom, Atom, Atom),
    /// The product of a (co)tangent, which comes first and may be absent, with a number: 0 where the
    /// (co)tangent is 0, whatever the number is.
    MulZero(Atom, Atom),
    /// The value, with zero derivative.
    Stop(Atom),
    /// The function applied.
    Call(FuncId, Vec<Atom>),
    /// One of two blocks, by a Bool.
    If(Atom, Block, Block),
    /// One of several blocks, by the tag of a data value.
    Match(Match),
    /// A loop; without state it is parallel, and a comprehension.
    Loop(Loop),

    /// An array of these elements, all of one type and size.
    Array(Vec<Atom>),
    /// `a[i…]`
    Index(Atom, Vec<Atom>),
    /// `a with [i…] = v`, in place where nothing else sees the array.
    Update(Atom, Vec<Atom>, Atom),
    /// `a[lo:hi]` along the first dimension.
    Slice(Atom, Atom, Atom),
    /// One array after the other, along the first dimension.
    Concat(Atom, Atom),
    /// The first two dimensions as one.
    Flatten(Atom),
    /// The size of a dimension, 0 being the outermost, also of rows that are absent.
    Dim(Atom, u8),
    /// The same array; its size at this dimension is this if it has no rows there, since a dimension
    /// further out has size 0.
    Sized(Atom, u8, Atom),
    /// Fails unless the size at a dimension, if there are any rows there, is this one; the text says what is
    /// compared. In place of an array there may be an Int: the outermost size of one that is not needed itself. No
    /// result.
    CheckSize(Atom, u8, Atom, Atom),
    /// Fails if an Int is negative, which is no number of elements. No result.
    CheckCount(Atom),
    /// The sum of an array of Reals of one dimension, from left to right.
    Sum(Atom),
    /// The indices of an array of Reals in stable ascending order, NaN last.
    Argsort(Atom),
    /// The sizes of the first dimensions of an array, as an array of units with so many dimensions.
    Shape(Atom, u8),

    /// A data value of the variable's type: tag and fields.
    Con(u32, Vec<Atom>),

    /// The zero tangent of a value, or of any values with the sizes that an array of units has.
    Zero(Atom),
    /// The sum of two tangents of one shape, of any type.
    Plus(Atom, Atom),
    /// The fields of a data tangent, as many as constructor `tag` of its type has. The zero vector has zero
    /// fields; `like` has an atom for each, of which only the sizes of arrays are looked at.
    Unpack {
        /// The tangent.
        tangent: Atom,
        /// The tag of the value.
        tag: u32,
        /// For each field that is an array, an array with its sizes.
        like: Vec<Atom>,
    },
    /// The tangent of a value, from a data value (or array of them) with the same constructors that a
    /// program made; fails if it has another shape. Of arrays of numbers only the sizes are looked at.
    ToTangent(Role, Atom, Atom),
    /// What a program sees of the tangent of a value: the opposite of [`Op::ToTangent`].
    FromTangent(Atom, Atom),

    /// A new accumulator that starts from this tangent: a Real, an array of Reals, data, or an array of it.
    NewAcc(Atom),
    /// Adds a value to an accumulator, at `[i…]`. The one effect inside the IR. No result.
    AddAcc(Atom, Vec<Atom>, Atom),
    /// The part `[i…]` of an accumulator, itself an accumulator.
    AtAcc(Atom, Vec<Atom>),
    /// The part `[lo:hi]` of an accumulator, itself an accumulator.
    PartAcc(Atom, Atom, Atom),
    /// What has been accumulated. Ends the accumulator: nothing adds to it any more.
    ReadAcc(Atom),

    /// Tells a line, a String, to whoever runs the program. The one effect that is seen outside. No result.
    Tell(Atom),
    /// Always a run-time error: a primitive of the class Fail, and its text. It may bind variables.
    Fail(Prim, Atom),

    /// A function with a user's rule for its derivative: the value.
    Custom {
        /// The rule.
        rule: RuleId,
        /// What the value's function captured.
        value_captured: Vec<Atom>,
        /// What the rule captured.
        rule_captured: Vec<Atom>,
        /// The arguments, by which the rule differentiates.
        args: Vec<Atom>,
    },
    /// Results, then tangents of those results that have tangents, of a [`Mode::Jvp`] request: arguments,
    /// then tangents of the active ones.
    Jvp(RequestId, Vec<Atom>, Vec<Atom>),
    /// Results, then the residual, of a [`Mode::Push`] or [`Mode::Pull`] request.
    Linearize(RequestId, Vec<Atom>),
    /// The linear map of a residual: from tangents of the active arguments to those of the results, or from
    /// cotangents of the results to those of the active arguments.
    Apply(RequestId, Atom, Vec<Atom>),
}

/// What a vector that a program made is meant as: the error that it has another shape says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// A change of the value.
    Tangent,
    /// A change by the value.
    Cotangent,
}

impl Role {
    /// What people call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Tangent => "tangent",
            Self::Cotangent => "cotangent",
        }
    }
}

/// One-level case analysis.
#[derive(Clone, Debug, Hash)]
pub struct Match {
    /// The data value.
    pub scrutinee: Atom,
    /// By tag, each at most once.
    pub arms: Vec<Arm>,
    /// For all other tags.
    pub default: Option<Block>,
}

/// An arm of a [`Match`].
#[derive(Clone, Debug, Hash)]
pub struct Arm {
    /// The constructor.
    pub tag: u32,
    /// A variable for each field.
    pub params: Vec<VarId>,
    /// What it does.
    pub block: Block,
}

/// A loop. Its results are the final states, then for each collected value the array of all of them in
/// the order of the index: of one dimension more, rows of one size.
#[derive(Clone, Debug, Hash)]
pub struct Loop {
    /// When it ends.
    pub form: LoopForm,
    /// The state in an iteration.
    pub states: Vec<VarId>,
    /// The first state.
    pub init: Vec<Atom>,
    /// One iteration: its results are the next states, then the values that are collected.
    pub body: Block,
}

/// When a loop ends.
#[derive(Clone, Debug, Hash)]
pub enum LoopForm {
    /// For each index below a count; not at all if it is negative or 0. A count of a collecting loop must
    /// not be negative.
    For {
        /// The index.
        index: VarId,
        /// How many.
        count: Atom,
        /// Whether the index runs from the last to 0.
        down: bool,
    },
    /// As long as this block, which sees the states, gives true. Its collected arrays grow.
    While(Block),
}

/// A derivation: of which function, by which of its parameters, and what for. Equal ones are one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Request {
    /// The function.
    pub func: FuncId,
    /// For each parameter, whether it moves. Those that have no tangent type do not.
    pub active: Vec<bool>,
    /// What for.
    pub mode: Mode,
}

/// What a derivation is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// Value and tangent at once.
    Jvp,
    /// A value, and its linear map from tangents to tangents, of which the data type holds the residual.
    Push(DataId),
    /// A value, and the transpose of that map.
    Pull(DataId),
}

/// A user's rule of differentiation for the function `value : (captured…, x…) -> y…`. All tangents are in
/// the IR's own types.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Rule {
    /// `custom_vjp`
    Vjp {
        /// The value.
        value: FuncId,
        /// `(captured…, x…) -> (y…, residual…)`
        forward: FuncId,
        /// `(residual…, x…, y…, ȳ…) -> x̄…`, linear in `ȳ`.
        pullback: FuncId,
    },
    /// `custom_jvp`
    Jvp {
        /// The value.
        value: FuncId,
        /// `(captured…, x…, ẋ…) -> (y…, ẏ…)`, linear in `ẋ`.
        forward: FuncId,
    },
}

impl Rule {
    /// The function that computes the value.
    pub const fn value(&self) -> FuncId {
        let (Self::Vjp { value, .. } | Self::Jvp { value, .. }) = self;
        *value
    }
}

impl Loop {
    /// The index of a loop with a count.
    pub fn for_index(&self) -> Option<VarId> {
        if let LoopForm::For { index, .. } = self.form { Some(index) } else { None }
    }
    /// What a loop without a count asks before each iteration.
    pub fn condition(&self) -> Option<&Block> {
        if let LoopForm::While(cond) = &self.form { Some(cond) } else { None }
    }
    /// The blocks that an iteration runs: the condition, if there is one, and the body.
    pub fn blocks(&self) -> impl Iterator<Item = &Block> {
        self.condition().into_iter().chain([&self.body])
    }
    /// How often a loop with a count runs.
    pub fn for_count(&self) -> Option<Atom> {
        if let LoopForm::For { count, .. } = self.form { Some(count) } else { None }
    }
}

impl From<VarId> for Atom {
    fn from(var: VarId) -> Self {
        Self::Var(var)
    }
}

impl Atom {
    /// The variable, if it is one.
    pub fn var(self) -> Option<VarId> {
        if let Self::Var(var) = self { Some(var) } else { None }
    }
    /// Whether both are the same variable, or the same constant to the last bit.
    pub fn is_same(self, other: Self) -> bool {
        if let (Self::Real(x), Self::Real(y)) = (self, other) {
            x.to_bits() == y.to_bits()
        } else {
            self == other
        }
    }
}

impl StmtId {
    /// A statement that came into its function after that was numbered: nothing is known of it.
    pub const NEW: Self = Self(u32::MAX);
}

impl Stmt {
    /// A statement.
    pub fn new(vars: Vec<VarId>, op: Op, span: Span) -> Self {
        Self { vars, op, span, id: StmtId::NEW }
    }
}

impl Block {
    /// Numbers the statements. How many there are.
    pub fn number(&mut self) -> usize {
        let mut count = 0;
        self.visit_mut(&mut |stmt| {
            stmt.id = StmtId::from_index(count);
            count += 1;
        });
        count
    }
}

impl Program {
    /// A new variable.
    pub fn fresh(&mut self, name: impl Into<Name>, ty: Type) -> VarId {
        self.vars.push(Var { name: name.into(), ty, linear: false })
    }
    /// A new variable with the name, type and linearity of another.
    pub fn fresh_like(&mut self, var: VarId) -> VarId {
        let var = self.vars[var].clone();
        self.vars.push(var)
    }
    /// The type of an atom.
    pub fn type_of(&self, atom: Atom) -> Type {
        match atom {
            Atom::Var(var) => self.vars[var].ty,
            Atom::Real(_) => Type::REAL,
            Atom::Int(_) => Type::INT,
            Atom::Bool(_) => Type::BOOL,
            Atom::Str(_) => Type::STR,
        }
    }
    /// The number of a text in the table.
    pub fn string(&mut self, text: &str) -> StrId {
        let known = self.strings.iter_enumerated().find(|(_, known)| &***known == text);
        match known.map(|(id, _)| id) {
            Some(id) => id,
            None => self.strings.push(text.into()),
        }
    }
    /// The number of a derivation.
    pub fn request(&mut self, request: Request) -> RequestId {
        let known = self.requests.iter_enumerated().find(|(_, known)| **known == request);
        match known.map(|(id, _)| id) {
            Some(id) => id,
            None => self.requests.push(request),
        }
    }
    /// How many statements it has.
    pub fn size(&self) -> usize {
        self.funcs.iter().map(|func| func.body.size()).sum()
    }
    /// The constructors of a data type.
    pub fn constructors(&self, data: DataId) -> &[Constructor] {
        &self.datas[data].constructors
    }
}

/// Whether values of a data type can hold a Real: those have tangents.
pub fn holds_real(datas: &IdVec<DataId, Data>, elem: Elem) -> bool {
    let mut seen = vec![false; datas.len()];
    let mut todo = vec![elem];
    while let Some(elem) = todo.pop() {
        match elem {
            Elem::Real => return true,
            Elem::Int | Elem::Bool | Elem::Str | Elem::Unit => {}
            Elem::Data(data) => {
                if !std::mem::replace(&mut seen[data.index()], true) {
                    let fields = datas[data].constructors.iter().flat_map(|con| &con.fields);
                    todo.extend(fields.map(|field| field.elem));
                }
            }
        }
    }
    false
}
