//! Forms of engines as programs of the language, which can be saved, tested and run.
//!
//! Input: a program that an engine made, or a form that it shows. Output: the text of a module, and a line of expectation
//! that compares its entry with the derivative that the language takes.

pub mod calculus;
pub mod expectation;
pub mod words;
