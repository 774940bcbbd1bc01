//! What a program becomes: text, and what leads from it back to the program.

use std::ops::Range;

use pullback_base::Span;

/// A module of Pullback made of a Knossos program.
#[derive(Clone, Debug)]
pub struct Translation {
    /// Its text.
    pub text: String,
    /// Which bytes of the text come from which place of the `.ks` file; inner places after those around them.
    pub marks: Vec<(Range<usize>, Span)>,
    /// Its functions in order of definition.
    pub names: Vec<Named>,
    /// The definition that holds what `main` prints, if `main` ends in `print`.
    pub output: Option<String>,
    /// Where `main` is defined.
    pub main: Option<Span>,
}

/// What a function is called.
#[derive(Clone, Debug)]
pub struct Named {
    /// In the program, as in `[rev f]`.
    pub written: String,
    /// In the program with the type of its argument, as in `[f Float]`: no other function is written so.
    pub typed: String,
    /// In the text.
    pub name: String,
}
