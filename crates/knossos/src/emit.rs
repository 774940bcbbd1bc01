//! A checked program as a module of Pullback.
//!
//! Input: a [`Program`]. Output: a [`Translation`]. A function of several parameters becomes one that takes them one after
//! the other. A tensor of rank `d` becomes `d` nested arrays; one that is an element of something else stands in a sum
//! type of one constructor, so that rows may have sizes of their own. Every name that the text uses beside those of the
//! program is reserved: the program may define what it likes.

mod code;
mod custom;
mod definition;
mod derived;
mod emitter;
mod expr;
mod helpers;
mod names;
mod prim;
mod rules;
mod sparse;
mod structure;
mod sums;
mod text;
mod types;

use crate::tree::{Body, Program};
use crate::{Named, Translation};
use code::{Code, Text, open};
use definition::{is_main, printed, written};
use emitter::Emitter;

/// Writes a program.
pub fn emit(program: &Program) -> Translation {
    let mut emitter = Emitter::new(program);
    let mut definitions: Vec<Code> = vec![];
    let mut output = None;
    for (id, function) in program.functions.iter().enumerate() {
        if is_main(function)
            && let Body::Defined(body) = &function.body
            && let Some(count) = printed(body)
        {
            output = Some(emitter.names.global("main_output"));
            definitions.extend(emitter.output(function, body, output.as_deref(), count));
        } else {
            definitions.extend(emitter.function(id, function));
        }
    }
    let mut text = Text::default();
    text.add(&open(emitter.helpers.text()));
    for definition in &definitions {
        text.add(&open("\n"));
        text.add(definition);
        text.add(&open("\n"));
    }
    let names = program.functions.iter().zip(&emitter.functions);
    let names = names.map(|(function, name)| Named {
        written: written(function, &function.base),
        typed: written(function, &format!("[{} {}]", function.base, function.argument)),
        name: name.clone(),
    });
    let names = names.collect();
    let main = program.functions.iter().find(|function| is_main(function));
    let main = main.map(|function| function.span);
    Translation { text: text.text, marks: text.marks, names, output, main }
}
