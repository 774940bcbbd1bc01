//! The language suite: what its test binaries and `xtask` share.

mod blocks;
mod calculus;
mod cases;
mod configurations;
mod contenders;
mod corpus;
mod fuzz;
mod gradbench;
mod held;
mod ir_run;
mod ir_text;
mod mutants;
mod native_text;
mod opt_text;
mod passes;
mod questions;
mod snapshot;
mod stack;
mod stage_text;
mod threads_text;
mod values;

pub use blocks::{Block, blocks, tables};
pub use calculus::calculus_test;
pub use cases::{Case, Cases};
pub use configurations::{Configuration, in_repository};
pub use contenders::{contenders, random_programs, walk_table};
pub use corpus::{asks_for_all, corpus, input_at, root};
pub use fuzz::{Campaign, Report, fuzz};
pub use gradbench::{RECORDED, gradbench, recorded, replayed, tool};
pub use held::{engines_for, held, held_on, rendered};
pub use ir_run::ir_run_test;
pub use ir_text::{broken_rules, ir_broken_test, ir_text_test};
pub use native_text::{native_test, transformation_of};
pub use opt_text::{opt_test, pass_of};
pub use questions::{Asked, Questions, Random, Wrong, ways};
pub use snapshot::matches;
pub use stack::{deep, on_all_processors};
pub use stage_text::{jvp_test, lower_test, transpose_test, unzip_test};
pub use threads_text::threads_test;

/// Random programs are translated by the million: most of that time goes to small allocations.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;
