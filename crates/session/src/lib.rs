//! Programs loaded, inferred, asked about and run under limits, without printing and without globals.
//!
//! A [`Session`] is what a prompt, an editor and another language stand on: files with texts over them, questions, and
//! answers that are plain data. It asks by [`Query`]s. A query holds the sources and the diagnostics of one question;
//! the operations [`run`], [`grad`], [`vjp`], [`jvp`], [`check`], [`fmt`] and [`explain`] are functions of it, which
//! return their answer, or [`Stop`] after reporting to the query why there is none. A command stands on queries. The
//! modules that are public are what tools are made of. No engine of the papers is needed here: who wants one hands in a
//! [`Registry`](pullback_engine::Registry).

mod bug;

mod files;
pub mod stdlib;

mod limits;
mod query;
mod settings;

pub mod knossos;
pub mod load;
pub mod pipeline;

mod input_file;

pub mod arguments;
pub mod call;
mod charts;
pub mod engine;
pub mod entry;
pub mod parts;
pub mod sizes;
pub mod tiers;
pub mod wrap;

pub mod watch;

mod counts;
mod derive;
mod jacobian;
mod matrix;

pub mod expect;
pub mod expected;

mod check;

mod findings;
mod index;
mod worker;

mod session;

pub use check::{check, explain, fmt};
pub use derive::{Answer, grad, jvp, run, vjp};
pub use expect::{Expectation, ExpectationKind, Failure, Reason, expectations};
pub use files::{
    Disk, Files, MAX_SOURCE_BYTES, Memory, Overlay, bound, lexically_normal, read_bounded,
};
pub use findings::{Findings, Place};
pub use index::{Index, Item};
pub use jacobian::{Wanted, jacobian};
pub use limits::{Clock, stopped_late};
pub use matrix::Matrix;
pub use pullback_data::output::{Layout, to_text};
pub use pullback_engine::Variant;
pub use query::{Progress, Query, Stop};
pub use session::{Analysis, Definition, Outcome, Question, Session, TypeAt};
pub use settings::{Call, Format, Fp, Input, Settings, Target};
pub use worker::{STACK_BYTES, on_large_stack};
