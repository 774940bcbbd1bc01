//! Text to tree and back: lexer, parser, formatter. Pure and total: any text gives a tree.

pub mod ast;

mod brackets;
mod dump;
mod errors;
mod grammar;
mod height;
mod lexer;
mod parser;
mod token;

pub use dump::{dump_ast, dump_tokens};
pub use parser::{Parse, parse, parse_expr, parse_expr_at, parse_type, parse_type_at};
