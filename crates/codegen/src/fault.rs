//! Translation of failures: from the numbers that a failed run leaves to the error that the evaluator would tell.
//!
//! ```text
//! C         pb_fail_slice(c, 4, v1, v2, v0.d[0])       the kind, the number of the place, and the numbers of the message
//! told      E0702 at that place: slice [1:3] is out of range for an array of size 2
//! ```
//!
//! Input: what the run tells at its end ([`Report`]), the program, the places in the source by their numbers, and the
//! limits. Output: a diagnostic at the place of the failure. If that is in the library, the diagnostic also has the
//! place of the call into the library.
//!
//! Invariants. The kinds of failure have the numbers of `runtime/heap.c`. Words of messages are made here, by the
//! functions that the evaluator uses, and never in C.

use std::collections::BTreeSet;

use pullback_base::{Diagnostic, FileId, Label, Name, Span, bug};
use pullback_ir::{Program, Role};
use pullback_prim::{Fault, Prim, Request};
use rustc_hash::FxHashMap;

use crate::emit::{Sites, function_numbers};
use crate::limits::Limits;

/// What a run tells at its end: of a failure the kind, place, three operands, a Real's bits, and the place of the
/// call into the library; of any the bytes that are held.
pub(crate) type Report = [i64; 8];

/// What errors name of a program.
#[derive(Debug)]
pub(crate) struct Names {
    functions: FxHashMap<u32, Name>,
    /// The files of the library.
    library: BTreeSet<FileId>,
}

impl Names {
    pub fn of(program: &Program) -> Self {
        let names = program.funcs.iter().map(|func| func.name.clone());
        let functions = function_numbers(program).iter().copied().zip(names).collect();
        Self { functions, library: program.library.clone() }
    }
}

/// The error that native code could not be made, in the compiler's words; `instead` is what to choose otherwise.
pub fn cannot_be_made(told: String, instead: &str) -> Diagnostic {
    let hint =
        format!("check the C compiler and the folder for temporary files, or choose {instead}");
    Diagnostic::error("E0823", Span::NONE, "native code cannot be made", "").note(told).hint(hint)
}

/// The error of a run; `text` gives the String of a word.
pub(crate) fn diagnostic(
    told: &Report,
    text: &dyn Fn(i64) -> String,
    names: &Names,
    sites: &Sites,
    limits: &Limits,
) -> Box<Diagnostic> {
    let place = |number: i64| sites.span(number).unwrap_or(Span::NONE);
    let (span, outside) = (place(told[1]), place(told[6]));
    let is_library = |span: Span| span.is_none() || names.library.contains(&span.file);
    let mut diagnostic = fault(told, text, names, limits).diagnostic(span);
    if is_library(span) && !is_library(outside) {
        let label = Label { span: outside, text: "in this call".to_owned() };
        diagnostic.labels.insert(0, label);
    }
    Box::new(diagnostic)
}

fn fault(told: &Report, text: &dyn Fn(i64) -> String, names: &Names, limits: &Limits) -> Fault {
    let [kind, _, a, b, d, real, ..] = *told;
    let function = |number: i64| {
        let number = u32::try_from(number).ok();
        number.and_then(|number| names.functions.get(&number).cloned()).unwrap_or_default()
    };
    match kind {
        1 => Fault::Index { index: a, size: b as usize },
        2 => Fault::Slice { from: a, to: b, size: d as usize },
        3 => Fault::Size { found: a, needed: b, what: what(d, text) },
        4 => match Prim::ALL.get(a as usize) {
            Some(prim) => Fault::of_ints(*prim, &[b, d][..prim.row().params.len()]),
            None => broken(told),
        },
        5 => Fault::Negative { number: a, what: "the size of an array" },
        6 => Fault::NoInt { number: f64::from_bits(real as u64) },
        7 => match Prim::ALL.get(a as usize) {
            Some(prim) => Fault::stop(*prim, &text(b)),
            None => broken(told),
        },
        8 => {
            let (bytes, used) = (u128::from(a as u64) * d as u128, b as usize);
            let request = (bytes > LARGE).then_some(Request { bytes, used });
            Fault::Memory { limit: limits.max_memory, request }
        }
        9 => Fault::Recursion { limit: limits.max_memory, function: function(a), calls: None },
        10 if limits.progress.as_ref().is_some_and(|progress| progress.is_stopped()) => {
            Fault::Stopped
        }
        10 => Fault::Time { seconds: limits.timeout.map_or(0.0, |time| time.as_secs_f64()) },
        11 => Fault::Cycle { name: function(a) },
        12 => Fault::Shape {
            what: if d == 0 { Role::Tangent } else { Role::Cotangent }.name(),
            primal: format!("an array of size {a}"),
            found: format!("one of size {b}"),
        },
        13 => Fault::Shape {
            what: if d == 0 { Role::Tangent } else { Role::Cotangent }.name(),
            primal: format!("constructor number {}", a + 1),
            found: format!("constructor number {}", b + 1),
        },
        _ => broken(told),
    }
}

/// From how many bytes on a request is told.
const LARGE: u128 = 1 << 16;

/// What sizes are compared.
fn what(word: i64, text: &dyn Fn(i64) -> String) -> String {
    match word {
        -1 => "the sizes of the rows".to_owned(),
        -2 => "the sizes of the new row and of the old one".to_owned(),
        word => text(word),
    }
}

fn broken(told: &Report) -> ! {
    bug("codegen", format_args!("a run without broken promises, not {told:?}"))
}
