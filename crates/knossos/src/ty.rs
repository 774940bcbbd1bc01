//! Types of Knossos: what they are, how they print, their tangents and shapes.

use std::fmt;

/// A type.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Type {
    /// `Integer`
    Int,
    /// `Float`
    Float,
    /// `String`
    Str,
    /// `Bool`
    Bool,
    /// `(Tuple a b)`; there are tuples of none and of one.
    Tuple(Vec<Type>),
    /// `(Tensor d a)`: the rank is at least one.
    Tensor(usize, Box<Type>),
    /// `(Lam a b)`: what a function is that a primitive takes.
    Lam(Box<Type>, Box<Type>),
    /// `(LM a b)`: a linear map between tangents of these.
    Map(Box<Type>, Box<Type>),
    /// What `[suffwdpass f]` keeps for `[sufrevpass f]`, of a function between these.
    Pass(Box<Type>, Box<Type>),
}

/// The largest rank of a tensor.
pub const MAX_RANK: usize = 8;

impl Type {
    /// The unit, which is the tangent of all that is discrete.
    pub fn unit() -> Self {
        Self::Tuple(vec![])
    }
    /// A vector.
    pub fn vec(element: Self) -> Self {
        Self::Tensor(1, Box::new(element))
    }
    /// The type of sizes and indices of tensors of a rank.
    pub fn index(rank: usize) -> Self {
        if rank == 1 { Self::Int } else { Self::Tuple(vec![Self::Int; rank]) }
    }
    /// The rank of the tensors that have a value of this type as their size.
    pub fn rank(&self) -> Option<usize> {
        match self {
            Self::Int => Some(1),
            Self::Tuple(items)
                if (2..=MAX_RANK).contains(&items.len())
                    && items.iter().all(|item| *item == Self::Int) =>
            {
                Some(items.len())
            }
            Self::Tuple(_) | Self::Float | Self::Str | Self::Bool | Self::Tensor(..) => None,
            Self::Lam(..) | Self::Map(..) | Self::Pass(..) => None,
        }
    }
    /// What a function takes that is written with these arguments.
    pub fn of_arguments(mut types: Vec<Self>) -> Self {
        match (types.len(), types.pop()) {
            (1, Some(only)) => only,
            (_, last) => {
                types.extend(last);
                Self::Tuple(types)
            }
        }
    }
    /// The type of tangents; none of functions.
    pub fn tangent(&self) -> Option<Self> {
        Some(match self {
            Self::Float => Self::Float,
            Self::Int | Self::Str | Self::Bool => Self::unit(),
            Self::Tuple(items) => {
                Self::Tuple(items.iter().map(Self::tangent).collect::<Option<_>>()?)
            }
            Self::Tensor(rank, element) => Self::Tensor(*rank, Box::new(element.tangent()?)),
            Self::Lam(..) | Self::Map(..) | Self::Pass(..) => return None,
        })
    }
    /// The type of shapes, in which all that says nothing is left out; none of functions.
    pub fn shape(&self) -> Option<Self> {
        Some(match self {
            Self::Float | Self::Int | Self::Str | Self::Bool => Self::unit(),
            Self::Tuple(items) => {
                let shapes: Vec<Self> = items.iter().map(Self::shape).collect::<Option<_>>()?;
                if shapes.iter().all(|shape| *shape == Self::unit()) {
                    Self::unit()
                } else {
                    Self::Tuple(shapes)
                }
            }
            Self::Tensor(rank, element) => match element.shape()? {
                shape if shape == Self::unit() => Self::index(*rank),
                shape => Self::Tensor(*rank, Box::new(shape)),
            },
            Self::Lam(..) | Self::Map(..) | Self::Pass(..) => return None,
        })
    }
    /// The same structure with units in place of numbers: what `buildFromSparse` is told a shape by.
    pub fn skeleton(&self) -> Self {
        match self {
            Self::Tuple(items) => Self::Tuple(items.iter().map(Self::skeleton).collect()),
            Self::Tensor(rank, element) => Self::Tensor(*rank, Box::new(element.skeleton())),
            Self::Float | Self::Int | Self::Str | Self::Bool => Self::unit(),
            Self::Lam(..) | Self::Map(..) | Self::Pass(..) => self.clone(),
        }
    }
    /// Whether some leaf is so.
    pub fn any(&self, is_so: &dyn Fn(&Self) -> bool) -> bool {
        is_so(self)
            || match self {
                Self::Tuple(items) => items.iter().any(|item| item.any(is_so)),
                Self::Tensor(_, element) => element.any(is_so),
                Self::Lam(from, to) | Self::Map(from, to) | Self::Pass(from, to) => {
                    from.any(is_so) || to.any(is_so)
                }
                Self::Int | Self::Float | Self::Str | Self::Bool => false,
            }
    }
    /// Whether there are tensors in it.
    pub fn has_tensor(&self) -> bool {
        self.any(&|ty| matches!(ty, Self::Tensor(..)))
    }
    /// Whether there are Floats in it.
    pub fn has_float(&self) -> bool {
        self.any(&|ty| *ty == Self::Float)
    }
    /// Whether something in it cannot move.
    pub fn has_discrete(&self) -> bool {
        self.any(&|ty| matches!(ty, Self::Int | Self::Str | Self::Bool))
    }
    /// Whether there are functions in it.
    pub fn has_function(&self) -> bool {
        self.any(&|ty| matches!(ty, Self::Lam(..) | Self::Map(..) | Self::Pass(..)))
    }
    /// Whether a tensor that is an element of another one holds something that cannot move.
    pub fn has_boxed_discrete(&self) -> bool {
        match self {
            Self::Tuple(items) => items.iter().any(Self::has_boxed_discrete),
            Self::Tensor(_, element) => {
                element.any(&|ty| matches!(ty, Self::Tensor(..)) && ty.has_discrete())
            }
            Self::Int | Self::Float | Self::Str | Self::Bool => false,
            Self::Lam(..) | Self::Map(..) | Self::Pass(..) => false,
        }
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Int => write!(f, "Integer"),
            Self::Float => write!(f, "Float"),
            Self::Str => write!(f, "String"),
            Self::Bool => write!(f, "Bool"),
            Self::Tuple(items) => {
                write!(f, "(Tuple")?;
                items.iter().try_for_each(|item| write!(f, " {item}"))?;
                write!(f, ")")
            }
            Self::Tensor(1, element) => write!(f, "(Vec {element})"),
            Self::Tensor(rank, element) => write!(f, "(Tensor {rank} {element})"),
            Self::Lam(from, to) => write!(f, "(Lam {from} {to})"),
            Self::Map(from, to) => write!(f, "(LM {from} {to})"),
            Self::Pass(from, to) => write!(f, "(what is kept of a function from {from} to {to})"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tangents_and_shapes_keep_what_says_something() {
        let rows = Type::vec(Type::vec(Type::Float));
        let pair = Type::Tuple(vec![Type::Int, rows.clone(), Type::Float]);
        assert_eq!(
            pair.tangent().map(|ty| ty.to_string()).as_deref(),
            Some("(Tuple (Tuple) (Vec (Vec Float)) Float)")
        );
        assert_eq!(rows.shape(), Some(Type::vec(Type::Int)));
        assert_eq!(Type::Tuple(vec![Type::Float]).shape(), Some(Type::unit()));
        assert_eq!(Type::Tensor(2, Box::new(Type::Float)).shape(), Some(Type::index(2)));
        assert!(!pair.has_boxed_discrete() && Type::vec(Type::vec(Type::Int)).has_boxed_discrete());
    }
}
