//! The tests of the parser, as one program: what they share is compiled once.

mod common;
mod limits;
mod mistakes;
mod parse;
