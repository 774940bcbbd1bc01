//! Native code: C from the IR, compiled by the system's compiler, loaded and run.
//!
//! [`emit`] makes one self-contained C file of a program without requests. [`Library`] compiles and loads it.
//! [`Native`] runs a function of it under limits, with the results and the errors of the evaluator of the IR, which is
//! what the code means. [`Interface`] and [`Casadi`] make libraries for other programs instead: a C file and its
//! header.
//!
//! ```text
//! Program of the IR --emit--> C --compiler--> object --load--> Library --call--> values or an error
//! ```
//!
//! [`Callable`] is one function that any thread may call, for hosts that keep it.
//!
//! Law: a run gives the values of the evaluator of the IR, bit for bit with `Fp::Strict`, or its error.
//!
//! This is the only crate of the compiler with `unsafe` code: `load`, `call`, `callable`, `read`, `guard` and, for a
//! question to the system, `folder` have all of it.

mod cache;
mod call;
mod callable;
mod casadi;
mod compiler;
mod discovery;
mod dispatch;
mod draft;
mod emit;
mod fault;
mod field;
mod fits;
mod folder;
mod functions;
mod guard;
mod layout;
mod level;
mod library;
mod limits;
mod load;
mod loader;
mod lookout;
mod memo;
mod microarchitecture;
mod object;
mod read;
mod registers;
mod routines;
mod schedule;
mod stack;
mod stamp;
mod strings;
mod transformations;

pub use call::{More, Native, Ran};
pub use callable::{Allowed, Callable, Gave, Given, Items, Lent};
pub use casadi::{Casadi, Compressed, Computes, Entries, Leaf, Sweep, Table};
pub use compiler::{Failure, Units, shared_object};
pub use discovery::{compiler, may_compile, spare_compiler};
pub use draft::Draft;
pub use emit::{Code, Cuts, Fp, Sites, Unit, emit, emit_all, emit_here, emit_scheduled};
pub use fault::cannot_be_made;
pub use field::Field;
pub use fits::{Fit, Known, Place, Wanted};
pub use level::Level;
pub use library::{Function, Interface};
pub use limits::{Limits, Threads, WORTH};
pub use load::{Library, Loaded, keep_memory};
pub use lookout::{Watch, forget, generation};
pub use memo::{Found, Memo, Outside};
pub use microarchitecture::Microarchitecture;
pub use registers::Registers;
pub use schedule::{Copied, Directive, Directives, Schedule, Way, read_directives};
pub use transformations::{Phase, TRANSFORMATIONS, Transformation, Which, Without, optional};
