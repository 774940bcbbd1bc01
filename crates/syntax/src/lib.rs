//! Text to tree and back: lexer, parser, formatter. Pure and total: any text gives a tree.

pub mod ast;

mod brackets;
mod classes;
mod doc;
mod dump;
mod errors;
mod format;
mod grammar;
mod height;
mod lexer;
mod operator;
mod parser;
mod scan;
mod token;
mod width;

pub use classes::{Class, classes};
pub use dump::{dump_ast, dump_shape, dump_tokens};
pub use format::{format, format_file};
pub use parser::{Parse, parse, parse_expr, parse_expr_at, parse_type, parse_type_at};
