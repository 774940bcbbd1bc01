//! What a function of a library computes, takes and gives.

use pullback_lambda::Type;

/// A derivative of a definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Derivative {
    /// Along a tangent of the parameters.
    Jvp,
    /// For a cotangent of the value.
    Vjp,
    /// The gradient of a Real.
    Grad,
    /// The Hessian of a Real, times a direction.
    Hvp,
}

/// What a function computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// The value.
    Value,
    /// The value, and the tangent of the result.
    Jvp,
    /// The value, and the cotangents of the parameters.
    Vjp,
    /// The value, a Real, and the gradient.
    Grad,
    /// The derivative of the gradient along a direction.
    Hvp,
    /// The tangents of the cotangents of the parameters.
    VjpJvp,
}

impl Kind {
    /// What it is called.
    pub fn name(self) -> &'static str {
        match self {
            Self::Value => "value",
            Self::Jvp => "jvp",
            Self::Vjp => "vjp",
            Self::Grad => "grad",
            Self::Hvp => "hvp",
            Self::VjpJvp => "vjp_jvp",
        }
    }
    /// The function of a derivative.
    pub fn of(derivative: Derivative) -> Self {
        match derivative {
            Derivative::Jvp => Self::Jvp,
            Derivative::Vjp => Self::Vjp,
            Derivative::Grad => Self::Grad,
            Derivative::Hvp => Self::Hvp,
        }
    }
    /// The derivative that it is of those that can be chosen.
    pub fn derivative(self) -> Option<Derivative> {
        match self {
            Self::Jvp => Some(Derivative::Jvp),
            Self::Vjp => Some(Derivative::Vjp),
            Self::Grad => Some(Derivative::Grad),
            Self::Hvp => Some(Derivative::Hvp),
            Self::Value | Self::VjpJvp => None,
        }
    }
    /// What the name of the function ends with.
    pub fn ending(self) -> String {
        if self == Self::Value { String::new() } else { format!("_{}", self.name()) }
    }
    /// What the function does.
    pub fn words(self) -> &'static str {
        match self {
            Self::Value => "the value",
            Self::Jvp => "the value, and its tangent for these tangents of the parameters",
            Self::Vjp => {
                "the value, and the cotangents of the parameters for this one of the value"
            }
            Self::Grad => "the value and the gradient",
            Self::Hvp => "the Hessian times these tangents of the parameters",
            Self::VjpJvp => {
                "the tangents of the cotangents of the parameters, for these of the parameters and of the \
                 cotangent of the value"
            }
        }
    }
}

/// What a function takes and gives.
pub struct Shape {
    /// What it computes.
    pub kind: Kind,
    /// The parameters of the definition.
    pub params: Vec<Param>,
    /// The type of its result.
    pub result: Type,
}

/// A parameter.
#[derive(Clone)]
pub struct Param {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// Whether derivatives are with respect to it.
    pub moves: bool,
}
