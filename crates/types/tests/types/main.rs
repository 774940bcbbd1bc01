//! The tests of inference and elaboration, as one program: what they share is compiled once.

mod elaborate;
mod files;
mod hostile;
mod limits;
mod pages;
mod schemes;
mod support;
