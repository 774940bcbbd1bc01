//! The precompiled part of the runtime: functions that are compiled with this crate, and which programs that run in its
//! process call by a table.
//!
//! ```text
//! runtime    PB_PRECOMPILED void pb_free(pb_ctx *c, pb_block *b) { … }
//! here       { …, (void *)pb_free, … }                                       built once, with Pullback
//! programs   #define pb_free ((void (*)(pb_ctx *c, pb_block *b))pb_precompiled[7])
//! ```
//!
//! Functions of vectors are compiled for each kind of vectors that processors have, and programs call those of theirs: what moves
//! rows of lanes always, and elementary functions in long texts, which call them anyway instead of expanding them.
//!
//! ```text
//! runtime    PB_LANES void pb_put_rows(double *p, …) { … }     PB_MATHS pb_p pb_p_Exp(pb_p x) { … }
//! programs   #if defined(PB_WIDE)                              #if defined(PB_WIDE) && defined(PB_LARGE) && …
//!            #define pb_put_rows (… pb_precompiled[70])        #define pb_p_Exp (… pb_precompiled[74])
//!            #else … the function itself                       #else … the function itself
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
pub const NUMBERS: &str = include_str!("../runtime/numbers.c");
pub const LANES: &str = include_str!("../runtime/lanes.c");
pub const PRODUCTS: &str = include_str!("../runtime/products.c");
pub const MATHS: &str = include_str!("../runtime/maths.c");
pub const ANGLES: &str = include_str!("../runtime/angles.c");
pub const POWERS: &str = include_str!("../runtime/powers.c");
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

/// The files with functions of vectors, and before them what these need.
pub const LANE_FILES: [(&str, &str); 8] = [
    ("heap.c", HEAP),
    ("arrays.c", ARRAYS),
    ("numbers.c", NUMBERS),
    ("lanes.c", LANES),
    ("products.c", PRODUCTS),
    ("maths.c", MATHS),
    ("angles.c", ANGLES),
    ("powers.c", POWERS),
];

/// The block of arrays that nothing looks at: known by its address, so that there is one. It is first in the table.
pub const UNDEFINED: &str = "pb_undef";

/// What the heads of such functions begin with: those that programs call, and those that the host does.
const CALLED: &str = "PB_PRECOMPILED ";
pub const HOST: &str = "__attribute__((visibility(\"default\"))) ";

/// What the heads of functions of vectors begin with: of those that every program calls, and of those that long texts call.
const ROWS: &str = "PB_LANES ";
const ELEMENTARY: &str = "PB_MATHS ";

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
    with_heads(text, [CALLED, HOST]).map(|(_, function)| function)
}

/// The functions of vectors that a text defines, and whether only long texts call them.
pub fn lane_functions(text: &str) -> impl Iterator<Item = (bool, Function<'_>)> {
    with_heads(text, [ROWS, ELEMENTARY]).map(|(head, function)| (head == ELEMENTARY, function))
}

/// The functions whose heads begin with one of these words, and with which.
fn with_heads<'t>(
    text: &'t str,
    heads: [&'static str; 2],
) -> impl Iterator<Item = (&'static str, Function<'t>)> {
    let mut at = 0;
    let lines = text.split_inclusive('\n').map(move |line| {
        let from = at;
        at += line.len();
        from
    });
    lines.filter_map(move |from| {
        let text = &text[from..];
        let head = heads.into_iter().find(|head| text.starts_with(head))?;
        Some((head, function(&text[head.len()..])?))
    })
}

/// The function with which a text begins.
fn function(head: &str) -> Option<Function<'_>> {
    let head = head.strip_prefix("PB_APART ").unwrap_or(head);
    let (head, _) = head.split_once('{')?;
    let (before, params) = head.split_once('(')?;
    let (params, _) = params.rsplit_once(')')?;
    let start = before.rfind(|c: char| !c.is_ascii_alphanumeric() && c != '_')? + 1;
    let (result, name) = before.split_at(start);
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    Some(Function { name, result: words(result), params: words(params) })
}

/// The names of the functions of vectors, in the order in which they stand in the table behind the others and the size of a
/// context.
pub fn lane_table() -> &'static [&'static str] {
    static READ: OnceLock<Vec<&str>> = OnceLock::new();
    read_once(&READ, || {
        let functions = LANE_FILES.iter().flat_map(|(_, text)| lane_functions(text));
        functions.map(|(_, function)| function.name).collect()
    })
    .as_slice()
}

/// The names in the table, in order.
pub fn table() -> &'static [&'static str] {
    static READ: OnceLock<Vec<&str>> = OnceLock::new();
    read_once(&READ, || {
        let functions = FILES.iter().flat_map(|(_, text)| functions(text));
        std::iter::once(UNDEFINED).chain(functions.map(|function| function.name)).collect()
    })
    .as_slice()
}

/// What has been read, or is now. Nobody waits for another thread: in a process that forked from one that reads it would never
/// be done.
pub fn read_once<T>(place: &'static OnceLock<T>, read: impl FnOnce() -> T) -> &'static T {
    if let Some(known) = place.get() {
        return known;
    }
    let value = read();
    place.get_or_init(|| value)
}
