//! Failures as exceptions, which the package defines in Python.
//!
//! Input: a [`Failure`]. Output: what `pullback._errors.failure` makes of its problems, as a Python error.

use pullback_embed::{Failure, Place};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

/// At which point something failed.
#[derive(Clone, Copy, Debug)]
pub enum When {
    /// While a text was loaded, or a function compiled.
    Compile,
    /// While a function was called.
    Call,
}

/// The exception of a failure.
pub fn raised(py: Python<'_>, failure: &Failure, when: When) -> PyErr {
    exception(py, failure, when).unwrap_or_else(|error| error)
}

fn exception(py: Python<'_>, failure: &Failure, when: When) -> PyResult<PyErr> {
    let when = match when {
        When::Compile => "compile",
        When::Call => "call",
    };
    let make = py.import("pullback._errors")?.getattr("failure")?;
    let made = make.call1((when, problems(py, failure)?, failure.to_string()))?;
    Ok(PyErr::from_value(made))
}

/// The problems as dictionaries.
pub fn problems<'py>(py: Python<'py>, failure: &Failure) -> PyResult<Bound<'py, PyList>> {
    let list = PyList::empty(py);
    for problem in &failure.problems {
        let item = PyDict::new(py);
        item.set_item("code", problem.code)?;
        item.set_item("severity", if problem.is_error { "error" } else { "warning" })?;
        item.set_item("message", &problem.message)?;
        let labels = PyList::empty(py);
        for (at, text) in &problem.labels {
            labels.append((place(py, at)?, text))?;
        }
        item.set_item("labels", labels)?;
        item.set_item("notes", &problem.notes)?;
        item.set_item("hints", &problem.hints)?;
        item.set_item("rendered", &problem.rendered)?;
        list.append(item)?;
    }
    Ok(list)
}

/// A place as a dictionary.
pub fn place<'py>(py: Python<'py>, place: &Place) -> PyResult<Bound<'py, PyDict>> {
    let item = PyDict::new(py);
    item.set_item("file", &place.file)?;
    item.set_item("line", place.start.line)?;
    item.set_item("column", place.start.column)?;
    item.set_item("end_line", place.end.line)?;
    item.set_item("end_column", place.end.column)?;
    Ok(item)
}
