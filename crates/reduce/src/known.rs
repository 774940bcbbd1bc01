//! What is known of a value that is or holds a function while a program is specialised.

use std::collections::BTreeMap;
use std::rc::Rc;

use pullback_base::Span;
use pullback_lambda::{DefId, Expr, Type, VarId};

/// What is known of a value.
#[derive(Clone)]
pub(super) enum Known {
    /// Nothing but the term that gives it: an atom, unless it is first-order and about to be bound.
    Dynamic(Expr),
    /// A definition.
    Global(DefId, Type, Span),
    /// A function with what it captured.
    Function(Rc<Closure>),
    /// A function of a recursive group.
    Recursive(Rc<Group>, usize),
    /// A function that lacks arguments.
    Partial(Rc<Known>, Vec<Known>),
    /// A tuple or record.
    Tuple(Vec<Known>, Type, Span),
    /// A constructor.
    Con(usize, Vec<Known>, Type, Span),
    /// One of two values that need no evaluation, by a condition that is an atom.
    Either(Expr, Rc<Known>, Rc<Known>),
}

/// Outlines of calls are at most this long.
pub(super) const LONGEST: usize = 400;

/// What variables stand for.
pub(super) type Env = BTreeMap<VarId, Known>;

/// A function with what it captured.
pub(super) struct Closure {
    pub params: Vec<VarId>,
    pub body: Expr,
    pub ty: Type,
    pub env: Env,
    /// Where it is written.
    pub span: Span,
}

/// Mutually recursive functions with what they captured (not themselves).
pub(super) struct Group {
    pub functions: Vec<(VarId, Expr)>,
    pub env: Env,
}

/// A piece of the outline of a [`Known`]: what is equal in two calls that one definition can serve.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Piece {
    /// A dynamic part with its type.
    Hole(Type),
    Global(DefId),
    /// A function by its first parameter, and how much it captured.
    Function(VarId, usize),
    /// The same of a function of a recursive group, by its name.
    Recursive(VarId, usize),
    /// How many arguments are held.
    Partial(usize),
    Tuple(usize),
    Con(usize, usize),
    Either,
}

impl Piece {
    /// Of how many parts the outlines follow: it is the outline of a tree, node by node.
    pub fn parts(&self) -> usize {
        match self {
            Piece::Hole(_) | Piece::Global(_) => 0,
            Piece::Function(_, parts)
            | Piece::Recursive(_, parts)
            | Piece::Tuple(parts)
            | Piece::Con(_, parts) => *parts,
            Piece::Partial(held) => 1 + held,
            Piece::Either => 3,
        }
    }
}

impl Known {
    /// Its type.
    pub fn ty(&self) -> Type {
        match self {
            Known::Dynamic(expr) => expr.ty.clone(),
            Known::Global(_, ty, _) | Known::Tuple(_, ty, _) | Known::Con(_, _, ty, _) => {
                ty.clone()
            }
            Known::Function(closure) => closure.ty.clone(),
            Known::Recursive(group, index) => group.functions[*index].1.ty.clone(),
            Known::Partial(function, held) => {
                function.ty().after(held.len()).expect("it has been applied to these")
            }
            Known::Either(_, then, _) => then.ty(),
        }
    }

    /// Where it is written.
    pub fn span(&self) -> Span {
        match self {
            Known::Dynamic(expr) | Known::Either(expr, ..) => expr.span,
            Known::Global(_, _, span) | Known::Tuple(_, _, span) | Known::Con(_, _, _, span) => {
                *span
            }
            Known::Function(closure) => closure.span,
            Known::Recursive(group, index) => group.functions[*index].1.span,
            Known::Partial(function, _) => function.span(),
        }
    }

    /// Whether its outline is too long to be carried further.
    pub fn is_long(&self) -> bool {
        let mut pieces = vec![];
        self.outline(&mut pieces);
        pieces.len() > LONGEST / 4
    }

    /// The outline: equal for values that differ in their dynamic parts only. It ends soon after it
    /// has become too long.
    pub fn outline(&self, pieces: &mut Vec<Piece>) {
        if pieces.len() > LONGEST {
            return;
        }
        match self {
            Known::Dynamic(expr) => pieces.push(Piece::Hole(expr.ty.clone())),
            Known::Global(def, _, _) => pieces.push(Piece::Global(*def)),
            Known::Function(closure) => {
                pieces.push(Piece::Function(closure.params[0], closure.env.len()));
                closure.env.values().for_each(|known| known.outline(pieces));
            }
            Known::Recursive(group, index) => {
                pieces.push(Piece::Recursive(group.functions[*index].0, group.env.len()));
                group.env.values().for_each(|known| known.outline(pieces));
            }
            Known::Partial(function, held) => {
                pieces.push(Piece::Partial(held.len()));
                function.outline(pieces);
                held.iter().for_each(|known| known.outline(pieces));
            }
            Known::Tuple(items, _, _) => {
                pieces.push(Piece::Tuple(items.len()));
                items.iter().for_each(|known| known.outline(pieces));
            }
            Known::Con(tag, items, _, _) => {
                pieces.push(Piece::Con(*tag, items.len()));
                items.iter().for_each(|known| known.outline(pieces));
            }
            Known::Either(cond, then, other) => {
                pieces.push(Piece::Either);
                Known::Dynamic(cond.clone()).outline(pieces);
                then.outline(pieces);
                other.outline(pieces);
            }
        }
    }

    /// The same value with its dynamic parts replaced, in the order of the outline.
    pub fn with_holes(&self, fill: &mut dyn FnMut(&Expr) -> Expr) -> Known {
        match self {
            Known::Dynamic(expr) => Known::Dynamic(fill(expr)),
            Known::Global(def, ty, span) => Known::Global(*def, ty.clone(), *span),
            Known::Function(closure) => Known::Function(Rc::new(Closure {
                params: closure.params.clone(),
                body: closure.body.clone(),
                ty: closure.ty.clone(),
                env: filled(&closure.env, fill),
                span: closure.span,
            })),
            Known::Recursive(group, index) => {
                let functions = group.functions.clone();
                let env = filled(&group.env, fill);
                Known::Recursive(Rc::new(Group { functions, env }), *index)
            }
            Known::Partial(function, held) => {
                let function = function.with_holes(fill);
                Known::Partial(Rc::new(function), all(held, fill))
            }
            Known::Tuple(items, ty, span) => Known::Tuple(all(items, fill), ty.clone(), *span),
            Known::Con(tag, items, ty, span) => {
                Known::Con(*tag, all(items, fill), ty.clone(), *span)
            }
            Known::Either(cond, then, other) => {
                let cond = fill(cond);
                let then = then.with_holes(fill);
                Known::Either(cond, Rc::new(then), Rc::new(other.with_holes(fill)))
            }
        }
    }
}

fn all(items: &[Known], fill: &mut dyn FnMut(&Expr) -> Expr) -> Vec<Known> {
    items.iter().map(|item| item.with_holes(fill)).collect()
}

fn filled(env: &Env, fill: &mut dyn FnMut(&Expr) -> Expr) -> Env {
    env.iter().map(|(var, known)| (*var, known.with_holes(fill))).collect()
}
