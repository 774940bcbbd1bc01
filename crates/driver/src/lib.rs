//! The driver: from files and requests to answers, without printing and without globals.
//!
//! A [`Session`] holds the sources and the diagnostics; the operations [`run`], [`grad`], [`vjp`],
//! [`jvp`], [`check`], [`check_grad`], [`test`], [`show`], [`dev`], [`doc`], [`fmt`] and
//! [`explain`] are functions of it. They return
//! their answer, or [`Stop`] after reporting to the session why there is none.

mod files;
mod stdlib;
mod suggest;

mod limits;
mod request;
mod session;

mod load;
mod pipeline;

mod input;
mod output;
mod value;

mod input_file;

mod arguments;
mod call;
mod engine;
mod entry;
mod parts;
mod shape;
mod sizes;
mod tiers;
mod wrap;

mod compare;
mod expect;

mod check;
mod check_grad;
mod demo;
mod derive;
mod dev;
mod doc;
mod measure;
mod show;
mod test;
mod watch;

mod table;
mod timed;

mod bench;
mod gradbench;
mod library;
mod plot;

pub use bench::{BenchReport, Effort, bench};
pub use check::{check, explain, fmt};
pub use check_grad::{GradReport, check_grad};
pub use demo::demo;
pub use derive::{Answer, grad, jvp, run, vjp};
pub use dev::{Dev, dev};
pub use doc::{Markup, doc, reference};
pub use engine::engine_names;
pub use expect::{Expectation, ExpectationKind, expectations};
pub use files::{Disk, Files, MAX_FILE_BYTES, MAX_SOURCE_BYTES, Memory, bound, read_bounded};
pub use gradbench::{Gradbench, refused};
pub use library::{Abi, Build, Built, Derivative, build, shared_object};
pub use limits::{Clock, stopped_late};
pub use measure::{Cost, Operations, function, measure, operations};
pub use output::{Layout, to_text};
pub use pipeline::{STAGES, Stage, stages};
pub use plot::{Figure, Plot, plot};
pub use pullback_codegen::keep_memory;
pub use request::{Call, Format, Fp, Input, Settings, Target};
pub use session::{Progress, Session, Stop};
pub use show::{show, show_passes};
pub use test::{Failure, Reason, STEPS, TestReport, test};
