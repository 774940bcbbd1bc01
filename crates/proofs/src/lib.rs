//! What the proofs in `proofs` read of the compiler, as Coq text.
//!
//! Input: nothing but the compiler itself. Output: files of `proofs`: [`table`] is the primitive table, [`forms`] has the
//! forms of the array IR, [`pullbacks`] is the code that the passes of differentiation make of one linear statement of each form.
//! A test compares these texts with the files, so that a proof never speaks of an older compiler.

mod code;
pub mod forms;
pub mod pullbacks;
pub mod table;

/// The files that are made, by their names in `proofs`.
pub fn files() -> Vec<(&'static str, String)> {
    vec![("Table.v", table::coq()), ("Forms.v", forms::coq()), ("Pullbacks.v", pullbacks::coq())]
}
