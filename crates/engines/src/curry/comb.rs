//! The categorical combinators of figure 1, as a tree.
//!
//! A combinator is an arrow `Δ ~> τ` from the variables in scope to a value. Environments are not
//! numbered but named, so that `proj x` is the projection that figure 1 writes `proj_i`; a `let` is
//! `prod id b ∘ c`, which gives the new component of the environment its name.

use pullback_base::Span;
use pullback_lambda::{DefId, Expr, Type, VarId};
use pullback_prim::Prim;

/// An arrow from the environment to a value of this type.
#[derive(Clone, Debug)]
pub struct Comb {
    /// What it is.
    pub kind: CombKind,
    /// The type of what it gives.
    pub ty: Type,
    /// Where it comes from.
    pub span: Span,
}

/// What an arrow is.
#[derive(Clone, Debug)]
pub enum CombKind {
    /// `proj x`: a component of the environment.
    Proj(VarId),
    /// `const c`: a literal or a closed definition; nothing flows back.
    Const(Expr),
    /// `prod a b … ∘ g`: a generator after a product.
    Then(Vec<Comb>, Arrow),
    /// `prod id a ∘ b`, where the environment of `b` has the new component under this name. A chain:
    /// the first binding is the outermost.
    Bind(Vec<(VarId, Comb)>, Box<Comb>),
    /// `curry b`, where `b` has one more component under this name.
    Curry(VarId, Box<Comb>),
    /// Recursive functions over the environment, used in the body by [`Arrow::Rec`].
    Fix(Vec<Recursive>, Box<Comb>),
    /// `cond c a b`
    Cond(Box<Comb>, Box<Comb>, Box<Comb>),
    /// `case s arms`
    Case(Box<Comb>, Vec<CaseArm>, Option<Box<Comb>>),
    /// `build n b`: `b` for each index.
    Build {
        /// How many elements.
        size: Box<Comb>,
        /// The index.
        var: VarId,
        /// The element.
        body: Box<Comb>,
    },
    /// `iterate`: a loop over a state.
    Loop {
        /// The state.
        var: VarId,
        /// The first state.
        init: Box<Comb>,
        /// When it ends.
        form: CombLoop,
        /// The next state.
        body: Box<Comb>,
    },
}

/// A function of a recursive group, uncurried.
#[derive(Clone, Debug)]
pub struct Recursive {
    /// Its name.
    pub name: VarId,
    /// Its parameters.
    pub params: Vec<VarId>,
    /// Its body, over the environment and the parameters.
    pub body: Comb,
}

/// An arm of a case analysis.
#[derive(Clone, Debug)]
pub struct CaseArm {
    /// The constructor's position.
    pub tag: usize,
    /// One variable a field.
    pub vars: Vec<VarId>,
    /// The value.
    pub body: Comb,
}

/// When a loop ends.
#[derive(Clone, Debug)]
pub enum CombLoop {
    /// `var` = 0, 1, …, `count` - 1.
    For {
        /// The index.
        var: VarId,
        /// How often.
        count: Box<Comb>,
    },
    /// While this holds of the state.
    While(Box<Comb>),
}

/// An arrow from a product, applied after `prod`.
#[derive(Clone, Debug)]
pub enum Arrow {
    /// `id` on the product: a tuple or record.
    Tuple,
    /// `proj_i` of a tuple.
    Field(usize),
    /// `eval`
    Eval,
    /// A primitive with its rep-function.
    Op(Prim),
    /// A constructor.
    Con(usize),
    /// An array literal.
    Array,
    /// A definition, uncurried.
    Call(DefId),
    /// A function of an enclosing [`CombKind::Fix`], uncurried.
    Rec(VarId),
    /// `stop_gradient`
    Stop,
    /// `zeros`
    Zeros,
    /// `custom_vjp` of function, rule and argument.
    CustomVjp,
    /// `custom_jvp` of function, rule and argument.
    CustomJvp,
    /// `vjp` of function and argument, as an operator of the program.
    Vjp,
    /// `jvp` of function, argument and tangent, as an operator of the program.
    Jvp,
    /// `linearize` of function and argument, as an operator of the program.
    Linearize,
}

impl Comb {
    /// An arrow.
    pub fn new(kind: CombKind, ty: Type, span: Span) -> Self {
        Self { kind, ty, span }
    }

    /// Visits the immediate parts in order of evaluation.
    pub fn for_each_child<'a>(&'a self, visit: &mut dyn FnMut(&'a Comb)) {
        match &self.kind {
            CombKind::Proj(_) | CombKind::Const(_) => {}
            CombKind::Then(args, _) => args.iter().for_each(visit),
            CombKind::Bind(bindings, body) => {
                bindings.iter().for_each(|(_, value)| visit(value));
                visit(body);
            }
            CombKind::Curry(_, body) => visit(body),
            CombKind::Fix(group, body) => {
                group.iter().for_each(|function| visit(&function.body));
                visit(body);
            }
            CombKind::Cond(cond, then, other) => {
                visit(cond);
                visit(then);
                visit(other);
            }
            CombKind::Case(scrutinee, arms, default) => {
                visit(scrutinee);
                arms.iter().for_each(|arm| visit(&arm.body));
                default.iter().for_each(|default| visit(default));
            }
            CombKind::Build { size, body, .. } => {
                visit(size);
                visit(body);
            }
            CombKind::Loop { init, form, body, .. } => {
                visit(init);
                match form {
                    CombLoop::For { count, .. } => visit(count),
                    CombLoop::While(cond) => visit(cond),
                }
                visit(body);
            }
        }
    }
}
