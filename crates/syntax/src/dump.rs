//! placeholder
use crate::ast::Module;
/// x
pub fn dump_tokens(_: &str) -> String { String::new() }
/// x
pub fn dump_ast(_: &str, _: &Module) -> String { String::new() }
