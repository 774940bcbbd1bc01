//! The grammar's rules, one file per area of the language; the EBNF is in `parser.rs`.

mod atom;
mod binding;
mod control;
mod expr;
mod item;
mod pattern;
mod ty;
