//! The compiler: from a program of the calculus to code that runs, and the code itself with what calls it.
//!
//! Input: a program and the definitions that are called from outside. Output: [`Compiled`] code, which the evaluator of
//! the IR or the processor runs. No engine of the papers is needed for that.
//!
//! ```text
//! calculus --specialise--> calculus --lower--> IR with requests --opt, ad, opt--> IR --codegen--> native code
//!                                                                                 `--> evaluator of the IR
//! ```

mod answer;
mod asked;
mod code;
mod convert;
mod memoised;
mod packing;
mod path;
mod settings;
pub mod stages;
mod threads;

pub use answer::{Answer, Back, Mode};
pub use asked::{Asked, gradient};
pub use code::{Compiled, counted, evaluate, run};
pub use memoised::{Memoised, Wanted, memoised};
pub use packing::Packing;
pub use path::{
    Form, JVP, LIMIT_TAPES, LOWER, Plan, Seen, TRANSPOSE, UNZIP, Work, compile, finished,
    optional_passes, resolve, simplified,
};
pub use pullback_codegen::{Failure, Fp, Level, More, Ran, compiler, may_compile};
