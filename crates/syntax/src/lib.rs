//! Text to tree and back: lexer, parser, formatter. Pure and total: any text gives a tree.

pub mod ast;
