//! Knossos programs (`.ks`): read, checked, and written as Pullback.
//!
//! Input: the text of a file. Output: a [`Translation`], the text of a module of Pullback that does the same, with the
//! places that its parts come from; or diagnostics that point into the `.ks` text. All that a command does with a
//! program it does with that module: engines, derivatives and native code know nothing of Knossos.
//!
//! A call of a derivative is one of Pullback's operators: `[fwd f]` is `jvp`, `[rev f]` and `[sufrev f]` are `rd`. So no
//! linear map is ever made, and the reverse of a chain of `n` calls costs `n` steps.

mod reader;
mod token;

mod ast;
mod ty;

mod parse;

mod layout;

mod tree;

mod check;

mod translation;

mod emit;

pub mod legible;

use pullback_base::{Diagnostic, FileId};

pub use translation::{Named, Translation};

/// Translates a program. Without errors among the diagnostics there is a translation.
pub fn translate(text: &str, file: FileId) -> (Option<Translation>, Vec<Diagnostic>) {
    let (nodes, mut diagnostics) = reader::read(text, file);
    if diagnostics.is_empty() {
        let (decls, problems) = parse::program(&nodes.items);
        diagnostics = problems;
        if diagnostics.is_empty() {
            match check::check(&decls) {
                Ok(program) => return (Some(emit::emit(&program)), diagnostics),
                Err(problems) => diagnostics = problems,
            }
        }
    }
    (None, diagnostics)
}

/// A program in the usual layout, comments kept; diagnostics if it cannot be read.
pub fn format(text: &str, file: FileId) -> Result<String, Vec<Diagnostic>> {
    let (nodes, diagnostics) = reader::read(text, file);
    if !diagnostics.is_empty() {
        return Err(diagnostics);
    }
    let (_, problems) = parse::program(&nodes.items);
    if problems.is_empty() { Ok(layout::layout(&nodes)) } else { Err(problems) }
}
