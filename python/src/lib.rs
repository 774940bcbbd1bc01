//! The extension module `pullback._native`: modules and functions of Pullback for Python.
//!
//! Input: Python objects. Output: Python objects. What the package shows to people is written in Python, in
//! `python/pullback`; here is what has to be fast: arguments become leaves without copies, calls let the interpreter
//! go, results become arrays. `unsafe` code is in [`arrays`] and [`interrupt`], and in
//! [`callback`] and [`xla`], which other libraries call.

mod arrays;
mod errors;
mod form;
mod interrupt;
mod module;
mod progress;

mod code;
mod quick;

mod callback;
mod xla;

use pyo3::prelude::*;

/// Compiled functions of Pullback.
#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<module::Module>()?;
    module.add_class::<code::Code>()?;
    module.add_class::<quick::Quick>()?;
    module.add_function(wrap_pyfunction!(module::load, module)?)?;
    module.add_function(wrap_pyfunction!(module::compile, module)?)?;
    module.add_function(wrap_pyfunction!(module::of_texts, module)?)?;
    module.add_function(wrap_pyfunction!(module::spare_compiler, module)?)?;
    module.add_function(wrap_pyfunction!(interrupt::after_fork, module)?)?;
    module.add_function(wrap_pyfunction!(interrupt::main_thread, module)?)?;
    module.add_class::<callback::Callback>()?;
    module.add_function(wrap_pyfunction!(xla::xla_register, module)?)?;
    module.add_function(wrap_pyfunction!(xla::xla_handler, module)?)?;
    module.add("ENGINES", pullback_embed::ENGINES.to_vec())?;
    Ok(())
}
