//! Functions of Pullback for other languages: what a binding stands on.
//!
//! A [`Module`] is a text that was loaded, with signatures as data. It gives [`Function`]s: a definition or an
//! expression, or a derivative of one, compiled once. Any thread may call a function; a call takes and gives the leaves
//! of values, which are numbers and dense arrays. A [`Form`] says how the leaves make up a value. What goes wrong is a
//! [`Failure`]: diagnostics as data, with the texts that they point into.
//!
//! ```text
//! text --Module--> signatures      Asked --Function--> code      leaves --call--> leaves, or a Failure
//! ```
//!
//! Law: a call gives what the program gives. Nothing here prints, and there are no globals but the lookout of calls
//! ([`forget`]). Programs of the calculus and values of the evaluators never leave the thread that made
//! them; array code does.

mod bug;

mod failure;
mod form;

mod asked;

mod code;

mod coming;
mod evaluated;
mod fits;
mod noticed;

mod function;

mod module;

pub use asked::{Asked, Options, What};
pub use code::Input;
pub use evaluated::ENGINES;
pub use failure::{Failure, Problem};
pub use form::{Elem, Form, Sum, Written};
pub use function::Function;
pub use module::{Definition, Module, Parameter};
pub use noticed::{ArgumentFile, Look};
pub use pullback_base::Stand;
pub use pullback_codegen::{Allowed, Gave, Given, Items, Lent, Watch, forget, spare_compiler};
pub use pullback_session::Place;
pub use pullback_sparse::{Plan, Sweep};
pub use pullback_tools::{Around, Kind, Named};
