//! Types, terms, values and variables of the paper's language (§2 and §3).

use std::collections::BTreeMap;
use std::rc::Rc;

use pullback_base::{IdVec, Name, Span, id_type};
use pullback_prim::Prim;

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

/// An operation symbol `op`, or a predicate symbol `pred`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Symbol {
    /// Its primitive.
    pub prim: Prim,
    /// Where the program has it, or the operation whose derivative has it; none of sums that a rule of the paper adds.
    pub place: Span,
    /// Whether a partial derivative of the table has it. Predicates are total there: they tell apart formulas of one
    /// smooth function.
    pub is_in_table: bool,
}

impl Symbol {
    /// A symbol of the program.
    pub fn at(prim: Prim, place: Span) -> Self {
        Self { prim, place, is_in_table: false }
    }
    /// A symbol in a partial derivative of this one.
    pub fn in_table(self, prim: Prim) -> Self {
        Self { prim, place: self.place, is_in_table: true }
    }
}

impl From<Prim> for Symbol {
    fn from(prim: Prim) -> Self {
        Self::at(prim, Span::NONE)
    }
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
    Op(Symbol, Vec<Term>),
    /// `W.op_r(M₀, …)`: the reverse-mode derivative of an operation at these arguments for the
    /// cotangent `W`, the last field. A tuple, one component an argument, unless it has only one.
    Reverse(Symbol, Vec<Term>, Box<Term>),
    /// `let x:T = M in N`, or `let ⟨x₀:T₀, …⟩ = M in N`
    Let(Binder, Box<Term>, Box<Term>),
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
        /// `x:T`
        binder: Binder,
        /// `N`
        body: Rc<Term>,
    },
}

/// `x:T`, or `⟨x₀:T₀, …⟩` for the components of a tuple (§2).
#[derive(Clone, Debug, PartialEq)]
pub enum Binder {
    /// `x:T`
    Var(Var, Ty),
    /// `⟨x₀:T₀, …⟩`
    Tuple(Vec<(Var, Ty)>),
}

/// A boolean term `B`; the paper has no connectives but names none as impossible.
#[derive(Clone, Debug)]
pub enum Test {
    /// `pred(M₀, …)`
    Pred(Symbol, Vec<Term>),
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
    /// `x:T`
    pub param: Binder,
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
    /// Whose cotangent a variable is, of those that are called after another.
    pub bars: BTreeMap<Var, Var>,
}

impl Supply {
    /// A new variable.
    pub fn fresh(&mut self, name: impl Into<Name>, ty: Ty) -> Var {
        self.vars.push((name.into(), ty))
    }
    /// A new variable for a cotangent of another, to be called after it.
    pub fn bar(&mut self, of: Var, ty: Ty) -> Var {
        let bar = self.fresh("v\u{304}", ty);
        self.bars.insert(bar, of);
        bar
    }
    /// The type of a trace term.
    pub fn type_of(&self, trace: &Term) -> Ty {
        match trace {
            Term::Var(var) => self.vars[*var].1.clone(),
            Term::Real(_) | Term::Op(_, _) => Ty::Real,
            Term::Int(_) => Ty::unit(),
            Term::Reverse(_, args, _) => operand_type(args),
            Term::Let(_, _, body) | Term::Letrec(_, body) => self.type_of(body),
            Term::Tuple(items) => Ty::Tuple(items.iter().map(|item| self.type_of(item)).collect()),
            Term::Proj(index, tys, _) => tys[*index].clone(),
            Term::If(_, then, _) => self.type_of(then),
            Term::Call(fun, _) => self.funs[*fun].1.clone(),
            Term::Rd { binder, .. } => binder.ty(),
        }
    }
}

/// The arguments of an operation that are not part of its symbol, as exponents are.
pub fn operands(args: &[Term]) -> Vec<&Term> {
    args.iter().filter(|arg| !matches!(arg, Term::Int(_))).collect()
}

/// The type of the argument of an operation with these arguments: a product unless there is one.
pub fn operand_type(args: &[Term]) -> Ty {
    let operands = operands(args);
    if operands.len() == 1 { Ty::Real } else { Ty::Tuple(vec![Ty::Real; operands.len()]) }
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
        Self::bind(Binder::Var(var, ty), value, body)
    }
    /// `let x:T = M in N`, or `let ⟨x₀:T₀, …⟩ = M in N`
    pub fn bind(binder: Binder, value: Term, body: Term) -> Self {
        Self::Let(binder, Box::new(value), Box::new(body))
    }
    /// Whether it is a value: variables, numbers and tuples of values.
    pub fn is_value(&self) -> bool {
        if let Self::Tuple(items) = self {
            return items.iter().all(Self::is_value);
        }
        matches!(self, Self::Var(_) | Self::Real(_) | Self::Int(_))
    }
    /// The number that it is.
    pub fn real(&self) -> Option<f64> {
        if let Self::Real(x) = self { Some(*x) } else { None }
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
            Self::Let(_, value, body) => {
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
    /// Whether it has more nodes than this.
    pub fn is_larger(&self, limit: usize) -> bool {
        let (mut work, mut seen) = (vec![self], 0);
        while let Some(term) = work.pop() {
            seen += 1;
            if seen > limit {
                return true;
            }
            term.for_each_child(&mut |child| work.push(child));
        }
        false
    }
    /// How many nodes it has.
    pub fn size(&self) -> usize {
        let mut size = 1;
        self.for_each_child(&mut |child| size += child.size());
        size
    }
}

impl Binder {
    /// Its variables, from left to right.
    pub fn vars(&self) -> impl Iterator<Item = (Var, &Ty)> {
        let (one, many) = match self {
            Self::Var(var, ty) => (Some((*var, ty)), &[][..]),
            Self::Tuple(items) => (None, &items[..]),
        };
        one.into_iter().chain(many.iter().map(|(var, ty)| (*var, ty)))
    }
    /// The type of what is bound.
    pub fn ty(&self) -> Ty {
        match self {
            Self::Var(_, ty) => ty.clone(),
            Self::Tuple(items) => Ty::Tuple(items.iter().map(|(_, ty)| ty.clone()).collect()),
        }
    }
    /// What is bound, in terms of its variables.
    pub fn term(&self) -> Term {
        match self {
            Self::Var(var, _) => Term::Var(*var),
            Self::Tuple(items) => {
                Term::Tuple(items.iter().map(|(var, _)| Term::Var(*var)).collect())
            }
        }
    }
    /// The same with other variables.
    pub fn renamed(&self, mut rename: impl FnMut(Var, &Ty) -> Var) -> Self {
        match self {
            Self::Var(var, ty) => Self::Var(rename(*var, ty), ty.clone()),
            Self::Tuple(items) => {
                Self::Tuple(items.iter().map(|(var, ty)| (rename(*var, ty), ty.clone())).collect())
            }
        }
    }
    /// What each variable is when the whole is this value; nothing if it is no such tuple.
    pub fn taken(&self, value: &Val) -> Option<Vec<(Var, Val)>> {
        match (self, value) {
            (Self::Var(var, _), _) => Some(vec![(*var, value.clone())]),
            (Self::Tuple(items), Val::Tuple(values)) if items.len() == values.len() => {
                Some(items.iter().zip(values.iter()).map(|((x, _), v)| (*x, v.clone())).collect())
            }
            (Self::Tuple(_), Val::Tuple(_) | Val::Real(_)) => None,
        }
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
