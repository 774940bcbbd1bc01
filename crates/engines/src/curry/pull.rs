//! Pullbacks while code is made: a description of a linear map, `T b -o T Δ`.

use pullback_lambda::{Expr, Type, VarId};
use pullback_prim::Prim;

/// A pullback.
#[derive(Debug)]
pub enum Pull {
    /// Nothing flows back.
    None,
    /// To a component of the environment.
    Var(VarId),
    /// Of a tuple: to each component.
    Parts(Vec<Pull>),
    /// Of a component of a tuple of this type.
    Field(Box<Pull>, usize, Type),
    /// Of a chain of bindings: the body's, then those of the bindings from last to first.
    Chain(Vec<(VarId, Pull, Type)>, Box<Pull>),
    /// Of a smooth primitive: by its partial derivatives at these arguments.
    Smooth {
        /// The primitive.
        prim: Prim,
        /// Its arguments.
        args: Vec<Expr>,
        /// Its value.
        result: Expr,
        /// Those of its arguments.
        pulls: Vec<Pull>,
    },
    /// Of a sum of this many numbers.
    Sum {
        /// How many.
        size: Expr,
        /// That of the array.
        base: Box<Pull>,
    },
    /// Of an element.
    Index {
        /// Its index.
        index: Expr,
        /// That of the array.
        base: Box<Pull>,
        /// The type of the array.
        ty: Type,
    },
    /// Of an array with one element replaced.
    Update {
        /// The size of the array.
        size: Expr,
        /// The index.
        index: Expr,
        /// That of the array.
        base: Box<Pull>,
        /// That of the element.
        element: Box<Pull>,
    },
    /// Of a slice.
    Slice {
        /// Where it begins.
        from: Expr,
        /// That of the array.
        base: Box<Pull>,
    },
    /// Of two arrays one after the other.
    Concat {
        /// Their sizes.
        sizes: [Expr; 2],
        /// That of the first.
        left: Box<Pull>,
        /// That of the second.
        right: Box<Pull>,
    },
    /// Of an array of arrays made one.
    Flatten {
        /// The sizes of the inner arrays.
        sizes: Expr,
        /// That of the array of arrays.
        base: Box<Pull>,
        /// Its type.
        ty: Type,
    },
    /// Of an array literal.
    Array(Vec<Pull>),
    /// Of a constructor with fields of these types.
    Con(usize, Vec<Pull>, Vec<Type>),
    /// By a closure made at run time, whose packed results go on.
    Opaque(Expr, Vec<Fed>),
    /// Of `eval` with list tangents.
    Eval {
        /// The pullback of the call.
        pullback: Expr,
        /// The argument, as the list records it.
        argument: Expr,
        /// That of the function, and its type.
        function: Box<Fed>,
        /// That of the argument, and its type.
        base: Box<Fed>,
    },
    /// Of `curry` with list tangents.
    CurryList {
        /// The uncurried function, over the environment as it was.
        uncurried: Expr,
        /// The components of the environment, each with its type.
        captured: Vec<VarId>,
        /// The name it was given, for who watches.
        site: VarId,
    },
    /// Of `curry` with environment tangents.
    CurryEnv {
        /// The tag of its package.
        tag: usize,
        /// The components of the environment.
        captured: Vec<VarId>,
        /// The name it was given, for who watches.
        site: VarId,
    },
    /// Of `build`: by a closure for each element.
    Build {
        /// Pairs of value and closure.
        pairs: Expr,
        /// The components of the environment.
        sinks: Vec<VarId>,
    },
    /// Of a loop: by the closures of its iterations, the last first.
    Loop {
        /// The list of closures.
        closures: Expr,
        /// That of the first state, and its type.
        init: Box<Fed>,
        /// The components of the environment.
        sinks: Vec<VarId>,
    },
    /// By the rule of a function with a derivative of its own.
    Rule(Box<Rule>),
}

/// A pullback with the type of what it takes a cotangent of.
#[derive(Debug)]
pub struct Fed {
    /// The pullback.
    pub pull: Pull,
    /// The type.
    pub ty: Type,
}

/// The rule of a function with a derivative of its own.
#[derive(Debug)]
pub struct Rule {
    /// Whether it is a rule of forward mode, to be transposed.
    pub forward: bool,
    /// A rule of forward mode with a pullback to its tangent alone, if it could be made.
    pub linear: Option<Expr>,
    /// The rule, as a rep-function.
    pub rule: Expr,
    /// The argument.
    pub argument: Expr,
    /// The value of the function.
    pub value: Expr,
    /// The type of the rule.
    pub ty: Type,
    /// The argument's pullback, and its type.
    pub base: Fed,
    /// The function itself, for what it captured: its value, pullback and type.
    pub function: Expr,
    /// See `function`.
    pub captured: Fed,
}

impl Pull {
    /// Whether nothing flows back.
    pub fn is_none(&self) -> bool {
        matches!(self, Self::None)
    }

    /// Nothing if nothing flows back from any.
    pub fn all(pulls: Vec<Pull>, make: impl FnOnce(Vec<Pull>) -> Pull) -> Self {
        if pulls.iter().all(Pull::is_none) { Self::None } else { make(pulls) }
    }
}
