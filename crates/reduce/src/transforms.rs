//! What an engine that transforms programs provides.

use pullback_base::Diagnostic;
use pullback_lambda::{DefId, Program};

/// A transformation of a closed definition `S -> T` with first-order S and T: it appends definitions to
/// the program and gives the one that was asked for. There is no [`pullback_lambda::AdOp::Vjp`],
/// `Jvp` or `Linearize` left in what the definition reaches, and its body is a function of one parameter.
pub type TransformFn = fn(&mut Program, DefId) -> Result<DefId, Box<Diagnostic>>;
/// As a [`TransformFn`], to `(S, S') -> (T, T')`. If a number of components is held, `S` is a tuple with
/// one component more: those that are held come first and are constants, whose tangents are structurally
/// zero, and `S'` is the tangent type of the last component alone.
pub type ForwardFn = fn(&mut Program, DefId, usize) -> Result<DefId, Box<Diagnostic>>;

/// The two transformations of an engine, with its name.
#[derive(Clone, Copy, Debug)]
pub struct Transforms {
    /// The name of the engine.
    pub engine: &'static str,
    /// From `S -> T` to `S -> (T, T' -> S')`.
    pub vjp: TransformFn,
    /// From `S -> T` to `(S, S') -> (T, T')`.
    pub jvp: ForwardFn,
}
