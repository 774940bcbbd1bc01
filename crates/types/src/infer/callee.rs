//! What is applied in a call, as diagnostics speak of it.

use std::rc::Rc;

use pullback_base::{Fix, Name, Span};
use pullback_syntax::ast::{Expr, ExprKind};

use crate::builtins;
use crate::tir::Builtin;

/// What is applied in a call.
#[derive(Clone, Debug)]
pub(super) enum Callee {
    Builtin(Builtin),
    /// A definition, constructor or variable of this name, and what decided its parameters' types.
    Named(Name, Option<Rc<[Option<Span>]>>),
    /// Any other expression.
    Unnamed,
}

/// Where the parts of a call stand.
#[derive(Clone, Debug)]
pub(super) struct CallPlaces {
    head: Span,
    arguments: Vec<Span>,
    /// The arguments that are written as tuples, with the places of their components.
    tuples: Vec<(Span, Vec<Component>)>,
}

/// A component of a tuple: where it stands, and whether it needs no parentheses as an argument.
type Component = (Span, bool);

impl CallPlaces {
    pub fn of(head: Span, arguments: &[&Expr]) -> Self {
        let is_atom = |part: &Expr| {
            matches!(
                part.kind,
                ExprKind::Name(_)
                    | ExprKind::Lit(_)
                    | ExprKind::Paren(_)
                    | ExprKind::Tuple(_)
                    | ExprKind::Array(_)
                    | ExprKind::Record(_)
                    | ExprKind::Field { .. }
                    | ExprKind::Index { .. }
            )
        };
        let tuple = |argument: &&Expr| {
            let ExprKind::Tuple(parts) = &argument.kind else { return None };
            Some((argument.span, parts.iter().map(|part| (part.span, is_atom(part))).collect()))
        };
        let tuples = arguments.iter().filter_map(tuple).collect();
        Self { head, arguments: arguments.iter().map(|argument| argument.span).collect(), tuples }
    }

    /// Whether an argument stands there.
    pub fn has(&self, argument: Span) -> bool {
        self.arguments.contains(&argument)
    }

    /// What makes `map f xs` of `f xs`.
    pub fn mapped(&self) -> Vec<Fix> {
        vec![Fix::new(self.head.start(), "map ")]
    }

    /// What makes `f (x, y)` of `f x y`, from this argument on; nothing if there are not so many.
    pub fn in_a_tuple(&self, argument: Span, count: usize) -> Vec<Fix> {
        let Some(first) = self.arguments.iter().position(|place| *place == argument) else {
            return vec![];
        };
        let Some(parts) = self.arguments.get(first..first + count) else { return vec![] };
        let commas = parts.iter().zip(&parts[1..]);
        let commas = commas.map(|(left, right)| Fix::new(left.end().to(right.start()), ", "));
        let mut fixes: Vec<Fix> = commas.collect();
        let last = parts.last().copied().unwrap_or(argument);
        fixes.extend([Fix::new(argument.start(), "("), Fix::new(last.end(), ")")]);
        fixes
    }

    /// The parts of a call with so many arguments, whether they stand apart or in a tuple.
    fn parts(&self, count: usize) -> Option<Vec<Component>> {
        let follow = |(left, right): (&Span, &Span)| left.range().end <= right.range().start;
        let all: Vec<Span> = std::iter::once(self.head).chain(self.arguments.clone()).collect();
        if !all.iter().zip(&all[1..]).all(follow) {
            return None;
        }
        match (self.arguments.as_slice(), self.tuples.as_slice()) {
            ([_], [(_, parts)]) if parts.len() == count => Some(parts.clone()),
            (apart, _) if apart.len() == count => {
                Some(apart.iter().map(|place| (*place, true)).collect())
            }
            _ => None,
        }
    }

    /// What makes `(x + y)` of `add x y` and of `add (x, y)`; nothing if these are not the arguments.
    pub fn infix(&self, operator: &str) -> Vec<Fix> {
        let Some(parts) = self.parts(2) else { return vec![] };
        let [(left, is_plain_left), (right, is_plain_right)] = parts.as_slice() else {
            return vec![];
        };
        let open = |is_plain: bool| if is_plain { "" } else { "(" };
        let close = |is_plain: bool| if is_plain { "" } else { ")" };
        let between = format!("{} {operator} {}", close(*is_plain_left), open(*is_plain_right));
        let end = self.arguments.last().map_or(right.end(), |last| last.end());
        vec![
            Fix::new(self.head.to(left.start()), format!("({}", open(*is_plain_left))),
            Fix::new(left.end().to(right.start()), between),
            Fix::new(right.end().to(end), format!("{})", close(*is_plain_right))),
        ]
    }

    /// What makes `new x y z` of `f x y z` and of `f (x, y, z)`; nothing if there are not so many arguments.
    pub fn renamed(&self, name: &str, count: usize) -> Vec<Fix> {
        if self.parts(count).is_none() {
            return vec![];
        }
        let mut fixes = vec![Fix::new(self.head, name)];
        if let ([argument], 2..) = (self.arguments.as_slice(), count) {
            fixes.extend(self.out_of_the_tuple(*argument));
        }
        fixes
    }

    /// What makes `f x y` of `f (x, y)`, where this argument is the tuple.
    pub fn out_of_the_tuple(&self, argument: Span) -> Vec<Fix> {
        let Some((_, parts)) = self.tuples.iter().find(|(place, _)| *place == argument) else {
            return vec![];
        };
        let mut end = if self.arguments.first() == Some(&argument) {
            self.head.end()
        } else {
            argument.start()
        };
        let mut close = "";
        let mut fixes = vec![];
        for (part, is_atom) in parts {
            let open = if *is_atom { " " } else { " (" };
            fixes.push(Fix::new(end.to(part.start()), format!("{close}{open}")));
            close = if *is_atom { "" } else { ")" };
            end = part.end();
        }
        fixes.push(Fix::new(end.to(argument.end()), close));
        fixes
    }
}

impl Callee {
    /// What diagnostics call it.
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Builtin(builtin) => Some(builtins::name_of(*builtin)),
            Self::Named(name, _) => Some(name),
            Self::Unnamed => None,
        }
    }

    /// Whether it is a function of one number.
    pub fn takes_one_number(&self) -> bool {
        matches!(self, Self::Builtin(Builtin::Prim(prim)) if prim.row().params.len() == 1)
    }

    /// The place inside a definition without a signature that decided what its parameter at this position
    /// takes; that of an earlier parameter if this one's type is that one's.
    pub fn decided_at(&self, position: usize) -> Option<Span> {
        let Self::Named(_, Some(places)) = self else { return None };
        places.get(..=position)?.iter().rev().find_map(|place| *place)
    }
}

/// What a constraint is for, as diagnostics speak of it.
#[derive(Clone, Debug, Default)]
pub(super) struct Cause {
    /// The function or operator whose use gave rise to it.
    pub used: Option<Callee>,
    /// The place inside that function's definition that asks for it, if it is a definition.
    pub inside: Option<Span>,
    /// Where it is written, if it is an operator.
    pub operator: Option<Span>,
}
