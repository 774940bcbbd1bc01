//! Values and environments of the evaluator.

use std::rc::Rc;

use pullback_lambda::weights::{phase, weight};
use pullback_lambda::{Expr, VarId};

use crate::{Binary, Data, Error, ErrorKind, Scalar};

/// A value; closures borrow their code from the program.
#[derive(Clone, Debug)]
pub(crate) enum Value<'p, S> {
    Real(S),
    Int(i64),
    Bool(bool),
    Str(Rc<str>),
    Tuple(Rc<Vec<Value<'p, S>>>),
    Con(usize, Rc<Vec<Value<'p, S>>>),
    Array(Rc<Vec<Value<'p, S>>>),
    /// An empty array, with the sizes its rows would have; one without such sizes has rows of size 0.
    Absent(Rc<[i64]>),
    Fun(Rc<Closure<'p, S>>),
}

/// A function with the arguments it has already got, fewer than its parameters.
#[derive(Clone, Debug)]
pub(crate) struct Closure<'p, S> {
    pub params: &'p [VarId],
    pub body: &'p Expr,
    pub env: Env<'p, S>,
    pub given: Vec<Value<'p, S>>,
}

/// The variables in scope: a list, so that closures share their tails. Its length is bounded by the
/// nesting of the text, never by data.
#[derive(Clone, Debug)]
pub(crate) struct Env<'p, S>(Option<Rc<Node<'p, S>>>);

#[derive(Debug)]
struct Node<'p, S> {
    binding: Binding<'p, S>,
    rest: Env<'p, S>,
}

#[derive(Debug)]
enum Binding<'p, S> {
    One(VarId, Value<'p, S>),
    /// Mutually recursive functions, made into closures over this very node when looked up.
    Recursive(&'p [(VarId, Expr)]),
}

impl<'p, S: Clone> Env<'p, S> {
    pub fn empty() -> Self {
        Self(None)
    }

    pub fn bind(&self, var: VarId, value: Value<'p, S>) -> Self {
        self.with(Binding::One(var, value))
    }

    pub fn bind_recursive(&self, functions: &'p [(VarId, Expr)]) -> Self {
        self.with(Binding::Recursive(functions))
    }

    fn with(&self, binding: Binding<'p, S>) -> Self {
        Self(Some(Rc::new(Node { binding, rest: self.clone() })))
    }

    /// What a variable is bound to that is no recursive function.
    fn bound(&self, wanted: VarId) -> Option<Value<'p, S>> {
        let mut here = self;
        while let Some(node) = &here.0 {
            match &node.binding {
                Binding::One(var, value) if *var == wanted => return Some(value.clone()),
                Binding::One(..) | Binding::Recursive(_) => here = &node.rest,
            }
        }
        None
    }

    pub fn lookup(&self, wanted: VarId) -> Result<Value<'p, S>, Error> {
        let mut here = self;
        while let Some(node) = &here.0 {
            match &node.binding {
                Binding::One(var, value) if *var == wanted => return Ok(value.clone()),
                Binding::One(..) => {}
                Binding::Recursive(functions) => {
                    if let Some((_, function)) = functions.iter().find(|(var, _)| *var == wanted) {
                        return close(function, here);
                    }
                }
            }
            here = &node.rest;
        }
        Err(Error::new(ErrorKind::Malformed, format!("no variable {wanted:?} in scope")))
    }
}

/// The closure of a `Lam`.
pub(crate) fn close<'p, S: Clone>(
    function: &'p Expr,
    env: &Env<'p, S>,
) -> Result<Value<'p, S>, Error> {
    let pullback_lambda::ExprKind::Lam(params, body) = &function.kind else {
        return Err(Error::new(ErrorKind::Malformed, "a recursive binding that is no function"));
    };
    Ok(Value::Fun(Rc::new(Closure { params, body, env: env.clone(), given: vec![] })))
}

impl<'p, S: Clone> Value<'p, S> {
    pub fn unit() -> Self {
        Value::Tuple(Rc::new(vec![]))
    }

    pub fn of_data(data: &Data<S>) -> Self {
        let all = |items: &[Data<S>]| Rc::new(items.iter().map(Self::of_data).collect());
        match data {
            Data::Real(x) => Value::Real(x.clone()),
            Data::Int(n) => Value::Int(*n),
            Data::Bool(b) => Value::Bool(*b),
            Data::Str(text) => Value::Str(text.as_str().into()),
            Data::Tuple(items) => Value::Tuple(all(items)),
            Data::Con(tag, items) => Value::Con(*tag, all(items)),
            Data::Array(items) => Value::Array(all(items)),
        }
    }

    pub fn to_data(&self) -> Result<Data<S>, Error> {
        let all = |items: &[Self]| items.iter().map(Self::to_data).collect::<Result<Vec<_>, _>>();
        Ok(match self {
            Value::Real(x) => Data::Real(x.clone()),
            Value::Int(n) => Data::Int(*n),
            Value::Bool(b) => Data::Bool(*b),
            Value::Str(text) => Data::Str(text.to_string()),
            Value::Tuple(items) => Data::Tuple(all(items)?),
            Value::Con(tag, items) => Data::Con(*tag, all(items)?),
            Value::Array(items) => Data::Array(all(items)?),
            Value::Absent(_) => Data::Array(vec![]),
            Value::Fun(_) => {
                return Err(Error::new(ErrorKind::Unsupported, "a function as a result"));
            }
        })
    }

    /// `perturb by self`: recursive functions are left alone.
    pub fn perturbed(&self, by: &S, whole: f64) -> Result<Self, Error>
    where
        S: Scalar,
    {
        let all = |items: &[Self]| {
            let items = items.iter().enumerate();
            items
                .map(|(index, item)| item.perturbed(by, phase(whole, index)))
                .collect::<Result<Vec<_>, Error>>()
        };
        Ok(match self {
            Value::Real(x) => {
                let change = S::binary(Binary::Mul, &S::from_f64(weight(whole)), by)?;
                Value::Real(S::binary(Binary::Add, &x.held(), &change)?)
            }
            Value::Int(_) | Value::Bool(_) | Value::Str(_) | Value::Absent(_) => self.clone(),
            Value::Tuple(items) => Value::Tuple(Rc::new(all(items)?)),
            Value::Con(tag, items) => Value::Con(*tag, Rc::new(all(items)?)),
            Value::Array(items) => Value::Array(Rc::new(all(items)?)),
            Value::Fun(closure) => {
                let mut env = closure.env.clone();
                let bound = closure.body.free_vars().into_iter();
                let bound = bound.filter_map(|var| Some((var, closure.env.bound(var)?)));
                for (index, (var, value)) in bound.enumerate() {
                    env = env.bind(var, value.perturbed(by, phase(whole, index))?);
                }
                let given = all(&closure.given)?;
                let Closure { params, body, .. } = **closure;
                Value::Fun(Rc::new(Closure { params, body, env, given }))
            }
        })
    }

    /// The same structure with every leaf (Real, Int, Bool, String) replaced.
    pub fn map_leaves(&self, leaf: &dyn Fn(&Self) -> Self) -> Result<Self, Error> {
        let all = |items: &[Self]| {
            let items = items.iter().map(|item| item.map_leaves(leaf));
            Ok(Rc::new(items.collect::<Result<_, Error>>()?))
        };
        Ok(match self {
            Value::Real(_) | Value::Int(_) | Value::Bool(_) | Value::Str(_) => leaf(self),
            Value::Tuple(items) => Value::Tuple(all(items)?),
            Value::Con(tag, items) => Value::Con(*tag, all(items)?),
            Value::Array(items) => Value::Array(all(items)?),
            Value::Absent(sizes) => Value::Absent(sizes.clone()),
            Value::Fun(_) => {
                return Err(Error::new(ErrorKind::Unsupported, "a function among data"));
            }
        })
    }

    pub fn real(self) -> Result<S, Error> {
        if let Value::Real(x) = self { Ok(x) } else { Err(wrong("a Real")) }
    }

    pub fn int(self) -> Result<i64, Error> {
        if let Value::Int(n) = self { Ok(n) } else { Err(wrong("an Int")) }
    }

    pub fn bool(self) -> Result<bool, Error> {
        if let Value::Bool(b) = self { Ok(b) } else { Err(wrong("a Bool")) }
    }

    pub fn str(self) -> Result<Rc<str>, Error> {
        if let Value::Str(text) = self { Ok(text) } else { Err(wrong("a String")) }
    }

    pub fn array(self) -> Result<Rc<Vec<Self>>, Error> {
        match self {
            Value::Array(items) => Ok(items),
            Value::Absent(_) => Ok(Rc::new(vec![])),
            Value::Real(_)
            | Value::Int(_)
            | Value::Bool(_)
            | Value::Str(_)
            | Value::Tuple(_)
            | Value::Con(..)
            | Value::Fun(_) => Err(wrong("an array")),
        }
    }

    /// The sizes of the rows of an array, outermost first; what is not there has size 0.
    pub fn row_sizes(&self) -> Vec<i64> {
        if let Value::Absent(sizes) = self {
            return sizes.to_vec();
        }
        let Value::Array(items) = self else { return vec![] };
        match items.first() {
            Some(row @ Value::Array(inner)) => {
                let mut sizes = vec![inner.len() as i64];
                sizes.extend(row.row_sizes());
                sizes
            }
            Some(row @ Value::Absent(_)) => [vec![0], row.row_sizes()].concat(),
            Some(_) | None => vec![],
        }
    }
}

pub(crate) fn wrong(wanted: &str) -> Error {
    Error::new(ErrorKind::Malformed, format!("expected {wanted}"))
}
