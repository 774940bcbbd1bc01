//! The categorical language CL (figure 9 of the *Working notes*): terms without variables, as arrows
//! from a tuple, the environment, to a type.
//!
//! Beyond the figure: functions take tuples of any size, and there are arrows for loops, case analysis
//! and array literals, so that every first-order definition of the calculus has its arrow. Binders keep
//! a variable, for its name only.

use std::collections::BTreeMap;

use pullback_base::{Name, Span};
use pullback_lambda::{AdOp, DefId, Lit, Type, VarId};
use pullback_prim::Prim;

/// The name of the engine.
pub(crate) const NAME: &str = "categories";

/// An arrow.
#[derive(Clone, Debug)]
pub struct Cl {
    /// What it is.
    pub kind: ClKind,
    /// Its target.
    pub to: Type,
    /// The term it comes from.
    pub span: Span,
}

/// What an arrow is.
#[derive(Clone, Debug)]
pub enum ClKind {
    /// `I`: the environment itself.
    Identity,
    /// `K(k)`: a constant, from any environment.
    Constant(Lit),
    /// `P[i₁, …, iₘ/n]`: some components of an environment of `n`, counted from 0 here.
    Prune(Vec<usize>, usize),
    /// `F(f)`: a function of the components of the environment.
    Function(Function),
    /// `c₁ ; c₂`: one after the other.
    Compose(Box<Cl>, Box<Cl>),
    /// `(c₁, …, cₙ)`: side by side.
    Tuple(Vec<Cl>),
    /// `IF(c₁, c₂, c₃)`
    If(Box<Cl>, Box<Cl>, Box<Cl>),
    /// `L(x, c_r, c_b)`: the body sees the environment with one more component.
    Let(VarId, Box<Cl>, Box<Cl>),
    /// `B(c_s, i, c_e)`: an array; the element sees its index.
    Build(Box<Cl>, VarId, Box<Cl>),
    /// `FOLD(x, c_i, i, c_n, c_b)`: a counted loop; the body sees state and index.
    Fold {
        /// The state.
        state: VarId,
        /// The first state.
        init: Box<Cl>,
        /// The index.
        index: VarId,
        /// How often.
        count: Box<Cl>,
        /// The next state.
        body: Box<Cl>,
    },
    /// `WHILE(x, c_i, c_c, c_b)`: condition and body see the state.
    While {
        /// The state.
        state: VarId,
        /// The first state.
        init: Box<Cl>,
        /// Whether it goes on.
        cond: Box<Cl>,
        /// The next state.
        body: Box<Cl>,
    },
    /// `CASE(c, …)`: each arm sees the fields of its constructor.
    Case(Box<Cl>, Vec<ClArm>, Option<Box<Cl>>),
}

/// An arm of a case analysis.
#[derive(Clone, Debug)]
pub struct ClArm {
    /// The constructor's position.
    pub tag: usize,
    /// Its fields.
    pub vars: Vec<VarId>,
    /// The value.
    pub body: Cl,
}

/// A function constant.
#[derive(Clone, Debug, PartialEq)]
pub enum Function {
    /// A definition.
    Def(DefId),
    /// A primitive.
    Prim(Prim),
    /// A component of the environment: `π`.
    Component(usize),
    /// A constructor of the target type.
    Con(usize),
    /// An array of the components.
    Array,
    /// The same value without derivative.
    StopGradient,
    /// The zero tangent.
    Zeros,
    /// A function with a derivative of its own; the last component is its argument.
    Custom(Custom),
}

/// A function with a derivative of its own.
#[derive(Clone, Debug, PartialEq)]
pub struct Custom {
    /// [`AdOp::CustomVjp`] or [`AdOp::CustomJvp`].
    pub op: AdOp,
    /// `(captured…, x) -> y`
    pub value: DefId,
    /// The rule, as the calculus wants it, over what it captured.
    pub rule: DefId,
    /// `(captured…, x, y') -> x'` for a rule of reverse mode, `(captured…, x, x') -> y'` otherwise.
    pub derivative: DefId,
}

/// A definition: `f : S => T = c`.
#[derive(Clone, Debug)]
pub struct ClDef {
    /// Its name.
    pub name: Name,
    /// Its parameters: the environment. None for a constant.
    pub params: Vec<VarId>,
    /// The types of the parameters.
    pub from: Vec<Type>,
    /// The type of the result.
    pub to: Type,
    /// The arrow.
    pub body: Cl,
    /// Where it was defined.
    pub span: Span,
}

/// Definitions by those of the program they come from.
pub type ClProgram = BTreeMap<DefId, ClDef>;

impl Cl {
    /// An arrow.
    pub fn new(kind: ClKind, to: Type, span: Span) -> Self {
        Self { kind, to, span }
    }
    /// `first ; second`
    pub fn then(self, second: ClKind, to: Type) -> Self {
        let span = self.span;
        let second = Self::new(second, to.clone(), span);
        Self::new(ClKind::Compose(Box::new(self), Box::new(second)), to, span)
    }
    /// The parts.
    pub fn children(&self) -> Vec<&Cl> {
        match &self.kind {
            ClKind::Identity | ClKind::Constant(_) | ClKind::Prune(_, _) | ClKind::Function(_) => {
                vec![]
            }
            ClKind::Compose(a, b) | ClKind::Let(_, a, b) | ClKind::Build(a, _, b) => vec![a, b],
            ClKind::Tuple(items) => items.iter().collect(),
            ClKind::If(a, b, c) => vec![a, b, c],
            ClKind::Fold { init, count, body, .. } => vec![init, count, body],
            ClKind::While { init, cond, body, .. } => vec![init, cond, body],
            ClKind::Case(scrutinee, arms, default) => {
                let arms = arms.iter().map(|arm| &arm.body);
                let default = default.iter().map(|default| &**default);
                [&**scrutinee].into_iter().chain(arms).chain(default).collect()
            }
        }
    }
    /// How many arrows it is made of.
    pub fn size(&self) -> usize {
        1 + self.children().into_iter().map(Cl::size).sum::<usize>()
    }
}
