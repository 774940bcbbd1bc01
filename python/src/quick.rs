//! Methods of functions that have been called before without options: calls by position go straight to the code, and all
//! others to the method as it is written in Python.
//!
//! Input: arguments. Output: what the method gives. A function keeps one of these in the place of its method.

use pyo3::exceptions::PyAttributeError;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};

use crate::code::Code;

/// A method that gives the value and the derivative.
#[pyclass(frozen, module = "pullback._native")]
pub struct Quick {
    code: Py<Code>,
    /// The method, bound to its function.
    method: Py<PyAny>,
}

#[pymethods]
impl Quick {
    #[new]
    fn new(code: Py<Code>, method: Py<PyAny>) -> Self {
        Self { code, method }
    }
    #[pyo3(signature = (*args, **kwargs))]
    fn __call__<'py>(
        &self,
        py: Python<'py>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        match kwargs {
            None => self.code.get().both(py, args),
            Some(_) => self.method.bind(py).call(args, kwargs),
        }
    }
    /// What else a method has: its name, its documentation, its function.
    fn __getattr__<'py>(
        &self,
        py: Python<'py>,
        name: &Bound<'py, PyString>,
    ) -> PyResult<Bound<'py, PyAny>> {
        match self.method.bind(py).getattr_opt(name)? {
            Some(found) => Ok(found),
            None => Err(PyAttributeError::new_err(name.to_string())),
        }
    }
    #[getter]
    fn __wrapped__<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        self.method.bind(py).clone()
    }
    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(self.method.bind(py).repr()?.to_string())
    }
    /// It is pickled as the method is: by the function and its own name.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.method.bind(py).call_method0("__reduce__")
    }
    /// The function holds this, and the method holds the function.
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.method)
    }
}
