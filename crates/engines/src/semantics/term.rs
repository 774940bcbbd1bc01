//! Types, terms, values and variables of the paper's language (§2 and §3).

use std::rc::Rc;

use pullback_base::{IdVec, Name, id_type};
use pullback_lambda::Prim;

id_type!(
    /// An ordinary variable, bound once.
    pub Var, "x"
);
id_type!(
    /// A function variable, bound once.
    pub Fun, "f"
);

/// A type: `real`, or a product of any number of types; `unit` is the empty one.
#[derive(Clone, Debug, PartialEq)]
pub enum Ty {
    /// `real`
    Real,
    /// `T₀ × … × Tₙ₋₁`
    Tuple(Vec<Ty>),
}

/// A term `M`. The trace terms `C` are those without functions and `rd`, and without conditionals
/// except where a partial derivative of the table has one.
#[derive(Clone, Debug)]
pub enum Term {
    /// A variable.
    Var(Var),
    /// A number.
    Real(f64),
    /// An exponent or an order: part of the operation symbol it is an argument of.
    Int(i64),
    /// `op(M₀, …)`, addition among them.
    Op(Prim, Vec<Term>),
    /// `W.op_r(M₀, …)`: the reverse-mode derivative of an operation at these arguments for the
    /// cotangent `W`, the last field. A tuple, one component an argument, unless it has only one.
    Reverse(Prim, Vec<Term>, Box<Term>),
    /// `let x:T = M in N`
    Let(Var, Ty, Box<Term>, Box<Term>),
    /// `⟨M₀, …⟩`
    Tuple(Vec<Term>),
    /// A component of a term of this product type: `fst` and `snd` for pairs.
    Proj(usize, Vec<Ty>, Box<Term>),
    /// `if B then M else N`
    If(Box<Test>, Box<Term>, Box<Term>),
    /// `letrec f(x:T):U = M in N`
    Letrec(Rc<Function>, Box<Term>),
    /// `f(M)`
    Call(Fun, Box<Term>),
    /// `M.rd_L(x:T. N)`
    Rd {
        /// `M`, the cotangent.
        cotangent: Box<Term>,
        /// `L`, the point.
        at: Box<Term>,
        /// `x`
        var: Var,
        /// `T`
        ty: Ty,
        /// `N`
        body: Rc<Term>,
    },
}

/// A boolean term `B`; the paper has no connectives but names none as impossible.
#[derive(Clone, Debug)]
pub enum Test {
    /// `pred(M₀, …)`
    Pred(Prim, Vec<Term>),
    /// `true` or `false`
    Known(bool),
    /// `if B then B else B`, which is how `&&`, `||` and `not` are spelled.
    If(Box<Test>, Box<Test>, Box<Test>),
}

/// `f(x:T):U = M`
#[derive(Debug)]
pub struct Function {
    /// `f`
    pub name: Fun,
    /// `x`
    pub param: Var,
    /// `T`
    pub from: Ty,
    /// `U`
    pub to: Ty,
    /// `M`
    pub body: Rc<Term>,
    /// `n` of `letrec_n` (figure 8): how deep calls of `f` may nest.
    pub fuel: Option<u64>,
}

/// A closed value `V`.
#[derive(Clone, Debug, PartialEq)]
pub enum Val {
    /// A number.
    Real(f64),
    /// A tuple.
    Tuple(Rc<Vec<Val>>),
}

/// Names for variables, and new variables.
#[derive(Clone, Debug, Default)]
pub struct Supply {
    /// What each variable is called, and its type.
    pub vars: IdVec<Var, (Name, Ty)>,
    /// What each function is called, and the type of its result.
    pub funs: IdVec<Fun, (Name, Ty)>,
}

impl Supply {
    /// A new variable.
    pub fn fresh(&mut self, name: impl Into<Name>, ty: Ty) -> Var {
        self.vars.push((name.into(), ty))
    }
    /// The type of a trace term.
    pub fn type_of(&self, trace: &Term) -> Ty {
        match trace {
            Term::Var(var) => self.vars[*var].1.clone(),
            Term::Real(_) | Term::Op(_, _) => Ty::Real,
            Term::Int(_) => Ty::unit(),
            Term::Reverse(prim, args, _) => operand_type(*prim, args),
            Term::Let(_, _, _, body) | Term::Letrec(_, body) => self.type_of(body),
            Term::Tuple(items) => Ty::Tuple(items.iter().map(|item| self.type_of(item)).collect()),
            Term::Proj(index, tys, _) => tys[*index].clone(),
            Term::If(_, then, _) => self.type_of(then),
            Term::Call(fun, _) => self.funs[*fun].1.clone(),
            Term::Rd { ty, .. } => ty.clone(),
        }
    }
}

/// The type of the argument of an operation with these arguments: `unit` for those that are part of
/// its symbol.
pub fn operand_type(prim: Prim, args: &[Term]) -> Ty {
    let partials = prim.row().smooth().map_or(&[][..], |smooth| smooth.partials);
    let ty = |at| if matches!(partials.get(at), Some(None)) { Ty::unit() } else { Ty::Real };
    if args.len() == 1 { ty(0) } else { Ty::Tuple((0..args.len()).map(ty).collect()) }
}

impl Ty {
    /// `unit`
    pub fn unit() -> Self {
        Self::Tuple(vec![])
    }
    /// `0_T`
    pub fn zero(&self) -> Term {
        match self {
            Self::Real => Term::Real(0.0),
            Self::Tuple(items) => Term::Tuple(items.iter().map(Self::zero).collect()),
        }
    }
}

impl Term {
    /// `let x:T = M in N`
    pub fn let_(var: Var, ty: Ty, value: Term, body: Term) -> Self {
        Self::Let(var, ty, Box::new(value), Box::new(body))
    }
    /// Whether it is a value: variables, numbers and tuples of values.
    pub fn is_value(&self) -> bool {
        match self {
            Self::Var(_) | Self::Real(_) | Self::Int(_) => true,
            Self::Tuple(items) => items.iter().all(Self::is_value),
            Self::Op(_, _)
            | Self::Reverse(_, _, _)
            | Self::Let(_, _, _, _)
            | Self::Proj(_, _, _)
            | Self::If(_, _, _)
            | Self::Letrec(_, _)
            | Self::Call(_, _)
            | Self::Rd { .. } => false,
        }
    }
    /// Visits the immediate parts that are terms.
    pub fn for_each_child<'a>(&'a self, visit: &mut dyn FnMut(&'a Term)) {
        match self {
            Self::Var(_) | Self::Real(_) | Self::Int(_) => {}
            Self::Op(_, items) | Self::Tuple(items) => items.iter().for_each(visit),
            Self::Reverse(_, items, w) => {
                items.iter().for_each(&mut *visit);
                visit(w);
            }
            Self::Let(_, _, value, body) => {
                visit(value);
                visit(body);
            }
            Self::Proj(_, _, base) | Self::Call(_, base) => visit(base),
            Self::If(test, then, other) => {
                test.for_each_term(visit);
                visit(then);
                visit(other);
            }
            Self::Letrec(function, rest) => {
                visit(&function.body);
                visit(rest);
            }
            Self::Rd { cotangent, at, body, .. } => {
                visit(at);
                visit(cotangent);
                visit(body);
            }
        }
    }
    /// How many nodes it has.
    pub fn size(&self) -> usize {
        let mut size = 1;
        self.for_each_child(&mut |child| size += child.size());
        size
    }
}

impl Test {
    fn for_each_term<'a>(&'a self, visit: &mut dyn FnMut(&'a Term)) {
        match self {
            Self::Known(_) => {}
            Self::Pred(_, items) => items.iter().for_each(visit),
            Self::If(cond, then, other) => {
                cond.for_each_term(visit);
                then.for_each_term(visit);
                other.for_each_term(visit);
            }
        }
    }
}

impl Val {
    /// The value as a term.
    pub fn to_term(&self) -> Term {
        match self {
            Self::Real(x) => Term::Real(*x),
            Self::Tuple(items) => Term::Tuple(items.iter().map(Self::to_term).collect()),
        }
    }
    /// Its type.
    pub fn ty(&self) -> Ty {
        match self {
            Self::Real(_) => Ty::Real,
            Self::Tuple(items) => Ty::Tuple(items.iter().map(Self::ty).collect()),
        }
    }
    /// Its numbers, from left to right.
    pub fn reals(&self) -> Vec<f64> {
        match self {
            Self::Real(x) => vec![*x],
            Self::Tuple(items) => items.iter().flat_map(Self::reals).collect(),
        }
    }
}
