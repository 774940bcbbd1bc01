//! The precompiled part of the runtime: functions that are compiled with this crate, and which programs that run in its
//! process call by a table.
//!
//! ```text
//! runtime    PB_PRECOMPILED void pb_free(pb_ctx *c, pb_block *b) { … }
//! here       { …, (void *)pb_free, … }                                       built once, with Pullback
//! programs   #define pb_free ((void (*)(pb_ctx *c, pb_block *b))pb_precompiled[7])
//! ```
//!
//! Input: the files of `runtime`. Output: for each such function its name, its type, and its place in the table. The script
//! that builds this crate reads this file too, so that both number the places alike.

use std::sync::OnceLock;

pub const HEAP: &str = include_str!("../runtime/heap.c");
pub const ARRAYS: &str = include_str!("../runtime/arrays.c");
pub const TANGENTS: &str = include_str!("../runtime/tangents.c");
pub const COPIES: &str = include_str!("../runtime/copies.c");
pub const THREADS: &str = include_str!("../runtime/threads.c");
pub const SPREAD: &str = include_str!("../runtime/spread.c");
pub const TEXT: &str = include_str!("../runtime/text.c");
pub const RUN: &str = include_str!("../runtime/run.c");

/// The files with such functions, in an order in which C can read them.
pub const FILES: [(&str, &str); 8] = [
    ("heap.c", HEAP),
    ("arrays.c", ARRAYS),
    ("tangents.c", TANGENTS),
    ("copies.c", COPIES),
    ("threads.c", THREADS),
    ("spread.c", SPREAD),
    ("text.c", TEXT),
    ("run.c", RUN),
];

/// The block of arrays that nothing looks at: known by its address, so that there is one. It is first in the table.
pub const UNDEFINED: &str = "pb_undef";

/// What the heads of such functions begin with: those that programs call, and those that the host does.
const CALLED: &str = "PB_PRECOMPILED ";
pub const HOST: &str = "__attribute__((visibility(\"default\"))) ";

/// A function of the table.
#[derive(Debug)]
pub struct Function<'t> {
    pub name: &'t str,
    /// The type of its result.
    pub result: String,
    /// Its parameters, without the parentheses.
    pub params: String,
}

/// The functions that a text defines.
pub fn functions(text: &str) -> impl Iterator<Item = Function<'_>> {
    let begins = |line: &&str| line.starts_with(CALLED) || line.starts_with(HOST);
    let mut at = 0;
    let places = text.split_inclusive('\n').filter_map(move |line| {
        let from = at;
        at += line.len();
        begins(&line).then_some(from)
    });
    places.filter_map(|from| function(&text[from..]))
}

/// The function with which a text begins.
fn function(text: &str) -> Option<Function<'_>> {
    let head = text.strip_prefix(CALLED).or_else(|| text.strip_prefix(HOST))?;
    let head = head.strip_prefix("PB_APART ").unwrap_or(head);
    let (head, _) = head.split_once('{')?;
    let (before, params) = head.split_once('(')?;
    let (params, _) = params.rsplit_once(')')?;
    let start = before.rfind(|c: char| !c.is_ascii_alphanumeric() && c != '_')? + 1;
    let (result, name) = before.split_at(start);
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    Some(Function { name, result: words(result), params: words(params) })
}

/// The names in the table, in order.
pub fn table() -> &'static [&'static str] {
    static READ: OnceLock<Vec<&str>> = OnceLock::new();
    READ.get_or_init(|| {
        let functions = FILES.iter().flat_map(|(_, text)| functions(text));
        std::iter::once(UNDEFINED).chain(functions.map(|function| function.name)).collect()
    })
}
