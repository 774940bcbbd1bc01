//! What a command does beside evaluation, each tool on its own: without printing and without globals.
//!
//! Input: a query and what is asked. Output: the answer, or [`Stop`](pullback_session::Stop) after reporting to the query
//! why there is none.

mod bug;
mod json;

mod stages;

mod show;

mod compare;
mod test;

mod rules;

mod bounds;
mod check_grad;
#[cfg(not(target_family = "wasm"))]
mod clarke;
mod demo;
mod dev;
mod doc;
mod measure;

mod table;
mod timed;

mod bench;
mod gradbench;
mod library;
mod plot;

pub use bench::{BenchReport, Effort, bench};
pub use bounds::{Around, Bound, Bounded, Named, bounds};
pub use check_grad::{GradReport, check_grad};
#[cfg(not(target_family = "wasm"))]
pub use clarke::{Clarke, Interval, Piece, clarke};
pub use demo::demo;
pub use dev::{Dev, dev};
pub use doc::{Markup, built_in, doc, reference};
pub use gradbench::{Gradbench, refused};
pub use library::{
    Abi, Build, Built, Derivative, Kind, Param, Routines, Shape, Single, Term, Whole, build,
    shared_object, single, term,
};
pub use measure::{Cost, Operations, function, measure, operations};
pub use plot::{Figure, Plot, plot};
pub use show::{show, show_passes, show_source};
pub use stages::{STAGES, Stage, stages};
pub use test::{STEPS, TestReport, test, test_lines};
