//! The syntax tree: what the user wrote, every node with a span, expressions and patterns with ids.
//!
//! The parser never fails: where the text is wrong it leaves `Error` nodes, which later stages pass
//! over in silence. Sugar is kept (the formatter needs it); `types` takes it apart.
//! The nesting depth of every tree is at most [`MAX_DEPTH`], which bounds every recursion over it.

use pullback_base::{Name, Span, Spanned, id_type};

pub use crate::operator::{Arithmetic, BinaryOp, NumberSide};

/// The deepest tree the parser builds; deeper text is a diagnostic.
pub const MAX_DEPTH: usize = 1000;
/// How many parts a construct may have whose parts are no data: parameters, arguments, fields,
/// components, clauses, indices, functions of one `let rec`. Arrays and `match` have no such limit.
pub const MAX_PARTS: usize = 1000;

id_type!(
    /// An expression or pattern of one module, dense from 0.
    pub NodeId, "n"
);

/// A name where it was written.
pub type Ident = Spanned<Name>;

/// One file.
#[derive(Clone, Debug, Default)]
pub struct Module {
    /// The top-level items, in source order.
    pub items: Vec<Item>,
    /// Every comment, in source order (the formatter puts them back).
    pub comments: Vec<Comment>,
    /// How many [`NodeId`]s the module uses.
    pub node_count: usize,
}

/// A comment, with its `--`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comment {
    /// Where it stands, from `--` to the end of the line (newline excluded).
    pub span: Span,
    /// Plain `-- …`, documentation `-- | …`, or an expectation `--@ …`.
    pub kind: CommentKind,
}

/// What a comment is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommentKind {
    /// `-- …`
    Plain,
    /// `-- | …` (and the plain comment lines directly below it): documents the next item.
    Doc,
    /// `--@ …`: an expectation for `pullback test`.
    Expectation,
}

/// A top-level item.
#[derive(Clone, Debug)]
pub struct Item {
    /// What it is.
    pub kind: ItemKind,
    /// From its keyword to its end.
    pub span: Span,
    /// Its documentation, without comment marks; empty if there is none.
    pub doc: String,
}

/// What a top-level item is.
#[derive(Clone, Debug)]
pub enum ItemKind {
    /// `import "linalg" as la`; without `as`, the qualifier is the file's stem.
    Import(Import),
    /// `type …`
    Type(TypeDecl),
    /// `def …`
    Def(Def),
    /// Text that is no item.
    Error,
}

/// `import "path" as alias`
#[derive(Clone, Debug)]
pub struct Import {
    /// The path as written, without `.pull`.
    pub path: Spanned<String>,
    /// The qualifier, if one was given.
    pub alias: Option<Ident>,
}

/// `type Name [n] a b = … with tangent U by retract, local`
#[derive(Clone, Debug)]
pub struct TypeDecl {
    /// Upper-case name.
    pub name: Ident,
    /// Size parameters `[n]`.
    pub sizes: Vec<Ident>,
    /// Type parameters.
    pub params: Vec<Ident>,
    /// The right-hand side.
    pub body: TypeBody,
    /// The tangent type that it names for its values, if it names one.
    pub tangent: Option<Box<TangentClause>>,
}

/// `with tangent U by retract, local`: the type of tangents, how a tangent moves a value, and which tangent leads from
/// a value to another.
#[derive(Clone, Debug)]
pub struct TangentClause {
    /// `U`
    pub ty: TypeExpr,
    /// The name of a definition `T -> U -> T`.
    pub retract: Expr,
    /// The name of a definition `T -> T -> U`.
    pub local: Expr,
    /// The whole clause.
    pub span: Span,
}

/// The right-hand side of a type declaration.
#[derive(Clone, Debug)]
pub enum TypeBody {
    /// A type expression. (`type T = Foo Real` where no type `Foo` exists declares one constructor;
    /// name resolution decides.)
    Alias(TypeExpr),
    /// `Leaf a | Node (Tree a) (Tree a)`; a leading `|` is allowed.
    Sum(Vec<Constructor>),
}

/// A constructor of a sum type.
#[derive(Clone, Debug)]
pub struct Constructor {
    /// Upper-case name.
    pub name: Ident,
    /// The types of its fields.
    pub fields: Vec<TypeExpr>,
    /// The whole constructor.
    pub span: Span,
}

/// `def name [n] [m] p q: T = body`, also the bindings of `let` with parameters and of `let rec`.
#[derive(Clone, Debug)]
pub struct Def {
    /// The name it defines.
    pub name: Ident,
    /// Size parameters.
    pub sizes: Vec<Ident>,
    /// Parameters; empty for a constant.
    pub params: Vec<Param>,
    /// The declared result type.
    pub result: Option<TypeExpr>,
    /// The right-hand side.
    pub body: Expr,
    /// Whether there are mistakes before the right-hand side: then nothing is known of what they left out.
    pub is_broken: bool,
    /// From `def` (or the name, in a `let`) to the end of the body.
    pub span: Span,
}

/// A parameter: a pattern, with its type if one was given, as in `(x: [n]Real)`, `x`, `(a, b)`, `_`, `()`.
#[derive(Clone, Debug)]
pub struct Param {
    /// The pattern.
    pub pattern: Pattern,
    /// The declared type.
    pub ty: Option<Box<TypeExpr>>,
}

/// `name` or `module.name`.
#[derive(Clone, Debug)]
pub struct Path {
    /// The qualifier.
    pub module: Option<Box<Ident>>,
    /// The name.
    pub name: Ident,
}

impl Path {
    /// The whole path.
    pub fn span(&self) -> Span {
        self.module.as_ref().map_or(Span::NONE, |module| module.span).to(self.name.span)
    }
}

/// A type.
#[derive(Clone, Debug)]
pub struct TypeExpr {
    /// What it is.
    pub kind: TypeExprKind,
    /// Where it stands.
    pub span: Span,
}

/// What a type is.
#[derive(Clone, Debug)]
pub enum TypeExprKind {
    /// A lower-case type variable.
    Var(Name),
    /// `Real`, `Tree a`, `la.Matrix`, `Net [n] a`: a named type with its size and type arguments.
    Named {
        /// The type's name.
        path: Path,
        /// Size arguments `[n]`.
        sizes: Vec<Expr>,
        /// Type arguments.
        args: Vec<TypeExpr>,
    },
    /// `[n]a`, or `[]a` with any size.
    Array {
        /// The size; none is "some size".
        size: Option<Box<Expr>>,
        /// The element type.
        element: Box<TypeExpr>,
    },
    /// `(a, b)`; `()` has no components.
    Tuple(Vec<TypeExpr>),
    /// `{ w: a, b: c }`
    Record(Vec<(Ident, TypeExpr)>),
    /// `a -> b`
    Fun(Box<TypeExpr>, Box<TypeExpr>),
    /// Text that is no type.
    Error,
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// Its id in the module.
    pub id: NodeId,
    /// What it is.
    pub kind: ExprKind,
    /// Where it stands, parentheses included.
    pub span: Span,
}

/// What an expression is.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A lower-case variable or an upper-case constructor.
    Name(Name),
    /// A literal.
    Lit(Literal),
    /// `(+)`, `(<=)`: an operator as a function.
    Operator(BinaryOp),
    /// `(a, b)`; `()` has no components.
    Tuple(Vec<Expr>),
    /// `{ w = a, b = c }`
    Record(Vec<(Ident, Expr)>),
    /// `[a, b, c]`
    Array(Vec<Expr>),
    /// `[ e | i < n, x <- xs ]`; the first clause is outermost (one array dimension each).
    Comprehension {
        /// The element.
        body: Box<Expr>,
        /// At least one clause.
        clauses: Vec<Clause>,
    },
    /// `f a b`
    App {
        /// The function.
        fun: Box<Expr>,
        /// At least one argument.
        args: Vec<Expr>,
    },
    /// `\x (y: Real) -> e`
    Lambda {
        /// At least one parameter.
        params: Vec<Param>,
        /// The body.
        body: Box<Expr>,
    },
    /// `a + b`
    Binary {
        /// The operator.
        op: Spanned<BinaryOp>,
        /// Left operand.
        lhs: Box<Expr>,
        /// Right operand.
        rhs: Box<Expr>,
    },
    /// `-a`
    Negate(Box<Expr>),
    /// `a[i]`, `a[i, j]`
    Index {
        /// The array.
        base: Box<Expr>,
        /// At least one index.
        indices: Vec<Expr>,
    },
    /// `a[lo:hi]`, `m[:, j]`, `a[lo:hi:step]`: at least one part is a range.
    Slice {
        /// The array.
        base: Box<Expr>,
        /// One part for each dimension, outermost first.
        parts: Vec<SlicePart>,
    },
    /// `r.field`, or `module.name` (name resolution decides).
    Field {
        /// The record or the module's qualifier.
        base: Box<Expr>,
        /// The field.
        field: Ident,
    },
    /// `t.0`
    TupleField {
        /// The tuple.
        base: Box<Expr>,
        /// Which component, from 0.
        index: Spanned<u32>,
    },
    /// `a with [i, j] = v`, `r with w = v`, `r with w[3] = v`: a copy with one place changed.
    With {
        /// The array or record.
        base: Box<Expr>,
        /// The place in it: at least one step.
        place: Vec<Access>,
        /// The new value.
        value: Box<Expr>,
    },
    /// `if c then a else b`
    If {
        /// The condition.
        cond: Box<Expr>,
        /// The value where it holds.
        then: Box<Expr>,
        /// The value where it does not.
        otherwise: Box<Expr>,
    },
    /// `match e with | p -> a | q -> b`
    Match {
        /// The value to take apart.
        scrutinee: Box<Expr>,
        /// The arms, tried in order.
        arms: Vec<Arm>,
    },
    /// `let p: T = e in body`
    Let {
        /// The pattern.
        pattern: Box<Pattern>,
        /// Its declared type.
        ty: Option<Box<TypeExpr>>,
        /// What it is bound to.
        value: Box<Expr>,
        /// Where it is in scope.
        body: Box<Expr>,
    },
    /// `let f x = e in body` (`recursive: false`, one def) and `let rec f x = e and g y = d in body`.
    LetFun {
        /// Whether the functions may call themselves and each other.
        recursive: bool,
        /// The functions.
        defs: Vec<Def>,
        /// Where they are in scope.
        body: Box<Expr>,
    },
    /// `loop p: T = init for i < n do body`, `loop p = init while cond do body`; `checkpoint k` before `do`
    Loop {
        /// The state's pattern.
        pattern: Box<Pattern>,
        /// The state's declared type.
        ty: Option<Box<TypeExpr>>,
        /// The first state.
        init: Box<Expr>,
        /// When it ends.
        form: LoopForm,
        /// How many steps lie between two checkpoints.
        checkpoint: Option<Box<Expr>>,
        /// The next state.
        body: Box<Expr>,
    },
    /// `(e : T)`
    Ascribe {
        /// The expression.
        expr: Box<Expr>,
        /// Its type.
        ty: Box<TypeExpr>,
    },
    /// `(e)`: kept for the formatter; means `e`.
    Paren(Box<Expr>),
    /// Text that is no expression.
    Error,
}

/// A literal.
#[derive(Clone, Debug, PartialEq)]
pub enum Literal {
    /// `42`, `1_000`: overloaded over Int and Real. (2^63 is allowed so that its negation is.)
    Int(u64),
    /// `1.0`, `1e-3`: a Real.
    Real(f64),
    /// `true`, `false`
    Bool(bool),
    /// `"text"`, escapes taken apart.
    Str(String),
}

/// One clause of a comprehension.
#[derive(Clone, Debug)]
pub enum Clause {
    /// `i < n`; `_ < n` has the name `_`.
    Range {
        /// The index.
        var: Ident,
        /// The bound, excluded.
        bound: Expr,
    },
    /// `p <- xs`
    In {
        /// The pattern, which must always match.
        pattern: Pattern,
        /// The array.
        source: Expr,
    },
}

/// What is taken of one dimension of an array.
#[derive(Clone, Debug)]
pub enum SlicePart {
    /// One index, and the dimension is gone.
    At(Expr),
    /// `lo:hi:step`, each of them optional.
    Range {
        /// The first index. If absent the first of all, or the last of all for a negative step.
        lo: Option<Box<Expr>>,
        /// The index that is not reached any more. If absent the range goes to the end.
        hi: Option<Box<Expr>>,
        /// From one index to the next; 1 if absent.
        step: Option<Box<Expr>>,
    },
}

impl SlicePart {
    /// Its expressions, as they are written.
    pub fn exprs(&self) -> impl Iterator<Item = &Expr> {
        let exprs = match self {
            Self::At(index) => [Some(index), None, None],
            Self::Range { lo, hi, step } => [lo.as_deref(), hi.as_deref(), step.as_deref()],
        };
        exprs.into_iter().flatten()
    }
}

/// One step into a place of `with`.
#[derive(Clone, Debug)]
pub enum Access {
    /// `[i, j]`
    Index(Vec<Expr>, Span),
    /// `field` or `.field`
    Field(Ident),
}

/// When a loop ends.
#[derive(Clone, Debug)]
pub enum LoopForm {
    /// `for i < n`
    For {
        /// The index; may be `_`.
        var: Ident,
        /// The bound, excluded; evaluated once.
        bound: Box<Expr>,
    },
    /// `while cond`, with the state in scope.
    While(Box<Expr>),
}

/// An arm of a `match`.
#[derive(Clone, Debug)]
pub struct Arm {
    /// The pattern.
    pub pattern: Pattern,
    /// The value.
    pub body: Expr,
    /// The whole arm.
    pub span: Span,
}

/// A pattern.
#[derive(Clone, Debug)]
pub struct Pattern {
    /// Its id in the module.
    pub id: NodeId,
    /// What it is.
    pub kind: PatternKind,
    /// Where it stands, parentheses included.
    pub span: Span,
}

/// What a pattern is.
#[derive(Clone, Debug)]
pub enum PatternKind {
    /// `_`
    Wildcard,
    /// `x`
    Var(Name),
    /// `0`, `-1`, `2.5`, `true`, `"s"`; `negative` says that a minus stood before it.
    Lit {
        /// The literal.
        value: Literal,
        /// Whether it is negated.
        negative: bool,
    },
    /// `(p, q)`; `()` has no components.
    Tuple(Vec<Pattern>),
    /// `{ w = p, b }`: a missing pattern binds the field's name; fields left out are not looked at.
    Record(Vec<(Ident, Option<Pattern>)>),
    /// `Node l r`, `la.Some x`, `Leaf`
    Con {
        /// The constructor.
        path: Path,
        /// Patterns of its fields.
        args: Vec<Pattern>,
    },
    /// `(p: T)`
    Ascribe {
        /// The pattern.
        pattern: Box<Pattern>,
        /// Its type.
        ty: Box<TypeExpr>,
    },
    /// `p as x`
    As {
        /// The pattern.
        pattern: Box<Pattern>,
        /// The name of the whole.
        name: Ident,
    },
    /// `(p)`: kept for the formatter; means `p`.
    Paren(Box<Pattern>),
    /// Text that is no pattern.
    Error,
}
