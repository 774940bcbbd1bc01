//! The language of the notes (figure 1, with figures 2, 3 and 12): first-order terms over numbers,
//! tuples and vectors, in which linear maps are values like others.
//!
//! Binders are unique ([`Sym`]), so substitution never captures; a term that is to occur twice is
//! copied by [`Book::copy`].

use std::collections::{BTreeMap, BTreeSet};

use pullback_lambda::{DefId, Lit, Type};
use pullback_prim::Prim;

/// A variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Sym(pub(super) u32);

/// Which function made from a definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Form {
    /// `f`
    Original,
    /// `∂f`
    Jacobian,
    /// `fwd$f`
    Forward,
    /// `∂ᴿf`
    Transposed,
    /// `rev$f`
    Reverse,
    /// `∂f` of figure 7
    Tupled,
    /// `∂f` of figure 8
    Polymorphic,
    /// `∂_R f̄`: figure 8 with all maps turned around
    PolymorphicTransposed,
}

/// An operator beside the primitives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Op {
    /// The zero of any space.
    Zero,
    /// `0`
    LmZero,
    /// `1`
    LmOne,
    /// `S(k)`
    LmScale,
    /// `m ∘ n`
    LmCompose,
    /// `m ⊕ n`
    LmAdd,
    /// `m × … × n`
    LmVCat,
    /// `m ⋈ … ⋈ n`
    LmHCat,
    /// `V(v)`
    LmVCatV,
    /// `H(v)`
    LmHCatV,
    /// `L(λi. m)` for the indices below a bound, as the vector of its values.
    LmLambda,
    /// Its transpose `L'`.
    LmLambdaT,
    /// `mᵀ`
    LmTranspose,
    /// `lmOmit(i)`: `1` on vectors, but `0` at index `i`, which is inside their bounds.
    LmOmit,
    /// `m ⊙ x`
    LmApply,
    /// `r ⊙ᴿ m`
    LmReverseApply,
    /// `∂p(x, …)`
    D(Prim),
    /// `∂π(x)`: a component of that many.
    DProj(usize, usize),
    /// `deltaVec(n, i, x)`: zero but for `x` at `i`.
    DeltaVec,
    /// `j == i`, where `j` ranges over a vector and `i` is one of its indices: a condition of the
    /// program promises no such thing.
    Here,
    /// `stop_gradient(x)`: the same value, with the derivative `0`.
    Stop,
    /// `Φ`: a vector of pairs as a pair of vectors.
    Unzip,
}

/// A term.
#[derive(Clone, Debug, PartialEq)]
pub enum Term {
    /// A constant.
    Lit(Lit),
    /// A variable.
    Var(Sym),
    /// A primitive.
    Prim(Prim, Vec<Term>),
    /// An operator.
    Op(Op, Vec<Term>),
    /// A call of a function made from a definition.
    Call(DefId, Form, Vec<Term>),
    /// A tuple.
    Tuple(Vec<Term>),
    /// A component: of which term, which one, of how many.
    Proj(Box<Term>, usize, usize),
    /// A vector.
    Array(Vec<Term>),
    /// `let { x = e } b`
    Let(Sym, Box<Term>, Box<Term>),
    /// `if c then a else b`
    If(Box<Term>, Box<Term>, Box<Term>),
    /// `build(n, \i -> e)`
    Build(Box<Term>, Sym, Box<Term>),
    /// A fold over the indices, and what becomes of it (figures 12 to 15).
    Fold(Box<Fold>),
}

/// `loop state = init for index < count do body`, differentiated in one of several ways.
#[derive(Clone, Debug, PartialEq)]
pub struct Fold {
    /// The index.
    pub index: Sym,
    /// The state.
    pub state: Sym,
    /// How often.
    pub count: Term,
    /// The first state.
    pub init: Term,
    /// The next state.
    pub body: Term,
    /// Whether it goes on while this holds, which sees the state; `count` is then not used.
    pub cond: Option<Term>,
    /// What is done with the derivative of the body.
    pub kind: FoldKind,
}

/// What a fold gives.
#[derive(Clone, Debug, PartialEq)]
pub enum FoldKind {
    /// The last state.
    Value,
    /// `lmFold`: the map `(s, a) ⊸ a` from the map of the body, `(s, a) ⊸ a` too.
    Map(Term),
    /// `FFold`: the tangent of the last state, from the tangents of the environment and of the first
    /// state; `tangent` is bound in the tangent of the body.
    Forward {
        /// The tangent of the state.
        tangent: Sym,
        /// The tangent of the next state.
        body: Term,
        /// The tangent of the first state.
        init: Term,
    },
    /// `RFold`: the cotangents of environment and first state, as a pair.
    Reverse {
        /// The cotangent of the next state.
        cotangent: Sym,
        /// The cotangents of environment and state, as a pair.
        body: Term,
        /// The cotangent of the last state.
        last: Term,
    },
}

/// A function.
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    /// Its parameters.
    pub params: Vec<Sym>,
    /// Its body.
    pub body: Term,
}

/// What is known of a variable.
#[derive(Clone, Debug)]
pub(super) struct Known {
    /// A name to print, made unique there.
    pub name: String,
    /// Whether values of it can hold a Real.
    pub active: bool,
    /// The variable that this one is the derivative of; it prints as `D` and that one's name.
    pub of: Option<Sym>,
}

/// Variables, and the functions made so far.
#[derive(Clone, Debug, Default)]
pub struct Book {
    pub(super) syms: Vec<Known>,
    /// Names of definitions.
    pub(super) names: BTreeMap<DefId, String>,
    /// Functions.
    pub functions: BTreeMap<(DefId, Form), Function>,
    /// Definitions, callees first.
    pub order: Vec<DefId>,
    /// Definitions whose value can hold no Real.
    pub(super) inactive: BTreeSet<DefId>,
    /// The sizes of vectors that are bound and of their rows, by depth, where they are written out.
    pub(super) sizes: BTreeMap<(Sym, usize), Term>,
    /// The bounds of indices.
    pub(super) bounds: BTreeMap<Sym, Term>,
    /// The types of the parameters and of the result of each definition.
    pub(in crate::linear_maps) signatures: BTreeMap<DefId, (Vec<Type>, Type)>,
    /// The variables that are bound where the optimiser is at work.
    pub(super) scope: BTreeSet<Sym>,
}

impl Book {
    /// A new variable.
    pub fn fresh(&mut self, name: &str, active: bool) -> Sym {
        self.syms.push(Known { name: name.to_string(), active, of: None });
        Sym(self.syms.len() as u32 - 1)
    }
    /// The variable of the derivative of another.
    pub fn fresh_of(&mut self, of: Sym) -> Sym {
        self.syms.push(Known { name: String::new(), active: true, of: Some(of) });
        Sym(self.syms.len() as u32 - 1)
    }
    pub(super) fn known(&self, sym: Sym) -> &Known {
        &self.syms[sym.0 as usize]
    }
    /// A new index below a bound.
    pub(super) fn fresh_index(&mut self, name: &str, bound: Term) -> Sym {
        let sym = self.fresh(name, false);
        self.bounds.insert(sym, bound);
        sym
    }
    /// A copy in which every binder is fresh.
    pub fn copy(&mut self, term: &Term) -> Term {
        self.replace(term, &BTreeMap::new())
    }
    /// A copy in which every binder is fresh and free variables are replaced.
    pub fn replace(&mut self, term: &Term, by: &BTreeMap<Sym, Term>) -> Term {
        if !term.binds() && by.is_empty() {
            return term.clone();
        }
        let mut copy = term.clone();
        let mut binders = vec![];
        copy.visit(&mut |node| binders.extend(node.binders()));
        let mut renamed = BTreeMap::new();
        for sym in binders {
            let known = self.known(sym).clone();
            self.syms.push(known);
            renamed.insert(sym, Sym(self.syms.len() as u32 - 1));
        }
        copy.rename(&renamed, by);
        self.carry_sizes(&renamed, by);
        copy
    }
}

impl Book {
    /// What is known of sizes holds of renamed variables too.
    fn carry_sizes(&mut self, renamed: &BTreeMap<Sym, Sym>, by: &BTreeMap<Sym, Term>) {
        let new = |sym: &Sym| match (renamed.get(sym), by.get(sym)) {
            (Some(new), _) | (None, Some(Term::Var(new))) => *new,
            (None, _) => *sym,
        };
        let renew = |size: &Term| {
            if let Term::Var(sym) = size { Term::Var(new(sym)) } else { size.clone() }
        };
        let known = self.sizes.iter().filter(|((of, _), _)| new(of) != *of);
        let known: Vec<_> =
            known.map(|((of, depth), size)| ((new(of), *depth), renew(size))).collect();
        // An index that is put in the place of another has bounds of its own.
        let bounds =
            renamed.iter().filter_map(|(old, new)| Some((*new, renew(self.bounds.get(old)?))));
        let bounds: Vec<_> = bounds.collect();
        self.bounds.extend(bounds);
        self.sizes.extend(known);
    }
}

/// A Real constant.
pub fn real(x: f64) -> Term {
    Term::Lit(Lit::Real(x))
}
/// An Int constant.
pub fn int(n: i64) -> Term {
    Term::Lit(Lit::Int(n))
}
/// A variable.
pub fn var(sym: Sym) -> Term {
    Term::Var(sym)
}
/// An operator.
pub fn op(op: Op, args: Vec<Term>) -> Term {
    Term::Op(op, args)
}
/// A primitive.
pub fn prim(prim: Prim, args: Vec<Term>) -> Term {
    Term::Prim(prim, args)
}
/// `0`
pub fn lm_zero() -> Term {
    op(Op::LmZero, vec![])
}
/// `1`
pub fn lm_one() -> Term {
    op(Op::LmOne, vec![])
}
/// `S(k)`
pub fn lm_scale(k: Term) -> Term {
    op(Op::LmScale, vec![k])
}
/// `m ∘ n`
pub fn compose(m: Term, n: Term) -> Term {
    op(Op::LmCompose, vec![m, n])
}
/// `let { sym = value } body`
pub fn let_(sym: Sym, value: Term, body: Term) -> Term {
    Term::Let(sym, Box::new(value), Box::new(body))
}
/// `if cond then a else b`
pub fn if_(cond: Term, then: Term, other: Term) -> Term {
    Term::If(Box::new(cond), Box::new(then), Box::new(other))
}
/// `build(n, \i -> e)`
pub fn build(count: Term, index: Sym, body: Term) -> Term {
    Term::Build(Box::new(count), index, Box::new(body))
}
/// A component.
pub fn proj(base: Term, index: usize, of: usize) -> Term {
    Term::Proj(Box::new(base), index, of)
}

/// Visits the immediate parts of a term, by references that may or may not change them.
macro_rules! visit_children {
    ($term:ident, $visit:ident, $iter:ident, $reference:ident) => {
        match $term {
            Term::Lit(_) | Term::Var(_) => {}
            Term::Prim(_, items)
            | Term::Op(_, items)
            | Term::Call(_, _, items)
            | Term::Tuple(items)
            | Term::Array(items) => items.$iter().for_each($visit),
            Term::Proj(base, _, _) => $visit(base),
            Term::Let(_, first, second) | Term::Build(first, _, second) => {
                $visit(first);
                $visit(second);
            }
            Term::If(cond, then, other) => {
                $visit(cond);
                $visit(then);
                $visit(other);
            }
            Term::Fold(fold) => {
                let Fold { count, init, body, cond, kind, .. } = fold.$reference();
                $visit(count);
                $visit(init);
                $visit(body);
                cond.$iter().for_each(&mut *$visit);
                match kind {
                    FoldKind::Value => {}
                    FoldKind::Map(body) => $visit(body),
                    FoldKind::Forward { body, init: rest, .. }
                    | FoldKind::Reverse { body, last: rest, .. } => {
                        $visit(body);
                        $visit(rest);
                    }
                }
            }
        }
    };
}

impl Fold {
    /// Visits what stands outside its binders: how often, and where it starts.
    pub(super) fn for_each_outside(&mut self, visit: &mut dyn FnMut(&mut Term)) {
        visit(&mut self.init);
        visit(&mut self.count);
        if let FoldKind::Forward { init: rest, .. } | FoldKind::Reverse { last: rest, .. } =
            &mut self.kind
        {
            visit(rest);
        }
    }
    /// Visits what stands inside of them: what is done at each index.
    pub(super) fn for_each_inside(&mut self, visit: &mut dyn FnMut(&mut Term)) {
        visit(&mut self.body);
        self.cond.iter_mut().for_each(&mut *visit);
        if let FoldKind::Map(body)
        | FoldKind::Forward { body, .. }
        | FoldKind::Reverse { body, .. } = &mut self.kind
        {
            visit(body);
        }
    }
}

impl Term {
    /// Whether it is a variable or a constant.
    pub fn is_atom(&self) -> bool {
        matches!(self, Term::Lit(_) | Term::Var(_))
            || matches!(self, Term::Op(_, args) if args.is_empty())
    }
    /// Whether it is this operator.
    pub fn is(&self, wanted: Op) -> bool {
        matches!(self, Term::Op(op, _) if *op == wanted)
    }
    /// The arguments of this operator.
    pub fn args_of(&self, wanted: Op) -> Option<&[Term]> {
        if let Term::Op(op, args) = self
            && *op == wanted
        {
            return Some(args);
        }
        None
    }
    /// Visits the immediate parts.
    pub fn for_each_child<'a>(&'a self, visit: &mut dyn FnMut(&'a Term)) {
        visit_children!(self, visit, iter, as_ref);
    }
    /// Visits the immediate parts; they may be replaced.
    pub fn for_each_child_mut(&mut self, visit: &mut dyn FnMut(&mut Term)) {
        visit_children!(self, visit, iter_mut, as_mut);
    }
    /// Visits this term and all its parts.
    pub fn visit<'a>(&'a self, visit: &mut dyn FnMut(&'a Term)) {
        visit(self);
        self.for_each_child(&mut |child| child.visit(visit));
    }
    /// The variables that this node itself binds.
    pub fn binders(&self) -> Vec<Sym> {
        if let Term::Let(sym, ..) | Term::Build(_, sym, _) = self {
            return vec![*sym];
        }
        let Term::Fold(fold) = self else { return vec![] };
        let mut syms = vec![fold.index, fold.state];
        if let FoldKind::Forward { tangent: sym, .. } | FoldKind::Reverse { cotangent: sym, .. } =
            &fold.kind
        {
            syms.push(*sym);
        }
        syms
    }
    /// Whether any part binds a variable.
    pub fn binds(&self) -> bool {
        let mut found = false;
        self.visit(&mut |node| found |= !node.binders().is_empty());
        found
    }
    /// How many nodes it has.
    pub fn size(&self) -> usize {
        let mut count = 0;
        self.visit(&mut |_| count += 1);
        count
    }
    /// How often a variable occurs.
    pub fn uses(&self, sym: Sym) -> usize {
        let mut count = 0;
        self.visit(&mut |node| count += usize::from(*node == Term::Var(sym)));
        count
    }
    /// The variables that occur free.
    pub fn free(&self) -> BTreeSet<Sym> {
        let (mut bound, mut found) = (BTreeSet::new(), BTreeSet::new());
        self.visit(&mut |node| {
            bound.extend(node.binders());
            if let Term::Var(sym) = node {
                found.insert(*sym);
            }
        });
        &found - &bound
    }

    fn rename(&mut self, renamed: &BTreeMap<Sym, Sym>, by: &BTreeMap<Sym, Term>) {
        if let Term::Var(sym) = self {
            if let Some(new) = renamed.get(sym) {
                *sym = *new;
            } else if let Some(term) = by.get(sym) {
                *self = term.clone();
            }
            return;
        }
        let new = |sym: &mut Sym| *sym = *renamed.get(sym).unwrap_or(sym);
        if let Term::Let(sym, ..) | Term::Build(_, sym, _) = self {
            new(sym);
        } else if let Term::Fold(fold) = self {
            new(&mut fold.index);
            new(&mut fold.state);
            if let FoldKind::Forward { tangent: sym, .. }
            | FoldKind::Reverse { cotangent: sym, .. } = &mut fold.kind
            {
                new(sym);
            }
        }
        self.for_each_child_mut(&mut |child| child.rename(renamed, by));
    }
}
