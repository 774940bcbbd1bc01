//! Compiled functions for Python.
//!
//! Input: arguments by position or by name, and directions. Output: the value, and the parts of the derivative. The
//! interpreter runs other threads during a call.

use std::sync::Arc;
use std::time::Duration;

use pullback_embed::{Allowed, Elem, Failure, Form, Function, Input, Sweep, Watch};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString, PyTuple};

use crate::arrays::{Taken, lent};
use crate::errors::{When, raised};
use crate::form::{Answer, Classes, Shape, described_sums};
use crate::interrupt;
use crate::progress::Telling;

/// A function, compiled.
#[pyclass(frozen, module = "pullback._native")]
pub struct Code {
    function: Arc<Function>,
    names: Vec<Py<PyString>>,
    params: Vec<Shape>,
    directions: Vec<Shape>,
    value: Option<Shape>,
    derivative: Vec<Shape>,
}

impl Code {
    pub fn new<'py>(
        py: Python<'py>,
        function: Arc<Function>,
        record: &Bound<'py, PyAny>,
    ) -> PyResult<Self> {
        let sums = described_sums(py, &function.sums, record)?;
        let classes = Classes { record, sums };
        let shapes = |inputs: &[Input]| -> PyResult<Vec<Shape>> {
            inputs.iter().map(|input| Shape::of(py, &input.form, &classes)).collect()
        };
        let names = function.params.iter().map(|param| PyString::intern(py, &param.name).unbind());
        let value =
            function.value.as_ref().map(|form| Shape::of(py, form, &classes)).transpose()?;
        Ok(Self {
            names: names.collect(),
            params: shapes(&function.params)?,
            directions: shapes(&function.directions)?,
            value,
            derivative: shapes(&function.derivative)?,
            function,
        })
    }

    /// The function.
    pub fn function(&self) -> &Arc<Function> {
        &self.function
    }

    /// The leaves of arguments.
    pub fn leaves<'py>(
        &self,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
        directions: &[Bound<'py, PyAny>],
    ) -> PyResult<Vec<Taken<'py>>> {
        let py = args.py();
        let mut leaves = Vec::with_capacity(self.function.leaves);
        let count = args.len();
        if count > self.params.len() {
            return Err(PyTypeError::new_err(format!(
                "{} given, but the function takes {}",
                counted(count),
                self.params.len()
            )));
        }
        let mut used = 0;
        for (at, shape) in self.params.iter().enumerate() {
            let name = self.names[at].bind(py);
            let by_name = match kwargs {
                Some(kwargs) => kwargs.get_item(name)?,
                None => None,
            };
            let given = match (at < count, by_name) {
                (true, None) => args.get_item(at)?,
                (true, Some(_)) => {
                    return Err(PyTypeError::new_err(format!("`{name}` is given twice")));
                }
                (false, Some(given)) => {
                    used += 1;
                    given
                }
                (false, None) => {
                    return Err(PyTypeError::new_err(format!("`{name}` is not given")));
                }
            };
            shape.take(&given, &|| name.to_string(), &mut leaves)?;
        }
        if let Some(kwargs) = kwargs
            && kwargs.len() > used
        {
            return Err(self.unknown(kwargs)?);
        }
        if directions.len() != self.directions.len() {
            return Err(PyTypeError::new_err(format!(
                "{} directions given, but there are {}",
                directions.len(),
                self.directions.len()
            )));
        }
        let inputs = self.function.directions.iter();
        for ((shape, given), input) in self.directions.iter().zip(directions).zip(inputs) {
            let before = leaves.len();
            shape.take(given, &|| input.name.clone(), &mut leaves)?;
            self.insert_absent(before, &mut leaves);
        }
        Ok(leaves)
    }

    /// Calls the code, while the interpreter runs other threads.
    fn run<'py>(
        &self,
        py: Python<'py>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
        directions: &[Bound<'py, PyAny>],
        allowed: Allowed,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Answer<'py>> {
        let leaves = self.leaves(args, kwargs, directions)?;
        let given = lent(&leaves);
        let telling = progress.map(|told| Telling::new(told, interrupt::watch()));
        let watch = match &telling {
            Some(telling) => Some(telling.clone() as Arc<dyn Watch>),
            None => interrupt::watch(),
        };
        let allowed = Allowed { watch, tells: telling.is_some(), ..allowed };
        let function = &self.function;
        let found = py.detach(|| function.call(&given, &allowed));
        if let Some(error) = telling.and_then(|telling| telling.raised()) {
            return Err(error);
        }
        let gave = Self::outcome(py, found)?;
        Ok(Answer::new(gave, leaves))
    }

    /// What a call gave, or what is raised.
    fn outcome<T>(py: Python<'_>, found: Result<T, Failure>) -> PyResult<T> {
        match found {
            Ok(gave) => Ok(gave),
            Err(failure) => {
                py.check_signals()?;
                Err(raised(py, &failure, When::Call))
            }
        }
    }

    /// The value and the derivative, one part or a tuple of several, of arguments by position.
    pub fn both<'py>(
        &self,
        py: Python<'py>,
        args: &Bound<'py, PyTuple>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let mut gave = self.run(py, args, None, &[], Allowed::default(), None)?;
        let value = self.shown_value(py, &mut gave)?;
        let part = match self.derivative.as_slice() {
            [part] => part.show(py, &mut gave)?,
            parts => shown_parts(py, parts, &mut gave)?,
        };
        Ok((value, part).into_pyobject(py)?.into_any())
    }

    fn shown_value<'py>(
        &self,
        py: Python<'py>,
        gave: &mut Answer<'py>,
    ) -> PyResult<Bound<'py, PyAny>> {
        match &self.value {
            Some(shape) => shape.show(py, gave),
            None => Ok(py.None().into_bound(py)),
        }
    }

    /// Puts leaves without contents to their places, where they are the next ones.
    fn insert_absent(&self, before: usize, leaves: &mut Vec<Taken<'_>>) {
        for (at, like) in &self.function.absent {
            if *at >= before && *at <= leaves.len() {
                leaves.insert(*at, Taken::Like(*like));
            }
        }
    }

    fn unknown(&self, kwargs: &Bound<'_, PyDict>) -> PyResult<PyErr> {
        let py = kwargs.py();
        for key in kwargs.keys() {
            if !self.names.iter().any(|name| key.eq(name.bind(py)).unwrap_or(false)) {
                let known: Vec<String> =
                    self.names.iter().map(|name| format!("`{}`", name.bind(py))).collect();
                let known = known.join(", ");
                return Ok(PyTypeError::new_err(format!(
                    "there is no parameter `{key}`: the parameters are {known}"
                )));
            }
        }
        Ok(PyTypeError::new_err("a parameter is given twice"))
    }
}

/// Ints of 64 bits, as NumPy reads them from a buffer.
fn ints(py: Python<'_>, ints: impl Iterator<Item = usize>) -> Bound<'_, PyBytes> {
    let bytes: Vec<u8> = ints.flat_map(|int| (int as i64).to_ne_bytes()).collect();
    PyBytes::new(py, &bytes)
}

fn counted(count: usize) -> String {
    if count == 1 { "1 argument".to_owned() } else { format!("{count} arguments") }
}

#[pymethods]
impl Code {
    /// The names of the parameters.
    #[getter]
    fn params(&self) -> Vec<String> {
        self.function.params.iter().map(|param| param.name.clone()).collect()
    }
    /// The names of the parameters that hold Reals.
    #[getter]
    fn reals(&self) -> Vec<String> {
        let params = self.function.params.iter().filter(|param| param.has_reals());
        params.map(|param| param.name.clone()).collect()
    }
    /// Whether the value is a Real.
    #[getter]
    fn gives_real(&self) -> bool {
        matches!(self.function.value, Some(Form::Leaf { elem: Elem::Real, rank: 0, .. }))
    }
    /// The names of what the derivative has a part for.
    #[getter]
    fn wrt(&self) -> Vec<String> {
        self.function.derivative.iter().map(|part| part.name.clone()).collect()
    }
    /// The forms of the parameters, the directions, the value and the parts of the derivative.
    #[getter]
    fn forms<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let list = |shapes: &[Shape]| -> PyResult<Bound<'py, PyTuple>> {
            let forms = shapes.iter().map(|shape| shape.described(py));
            PyTuple::new(py, forms.collect::<PyResult<Vec<_>>>()?)
        };
        let value = match &self.value {
            Some(shape) => shape.described(py)?,
            None => py.None().into_bound(py),
        };
        let (params, directions) = (list(&self.params)?, list(&self.directions)?);
        let derivative = list(&self.derivative)?;
        (params, directions, value, derivative).into_pyobject(py)
    }
    /// The engine that runs it.
    #[getter]
    fn engine(&self) -> &'static str {
        self.function.engine
    }
    /// Whether calls run native code by now: until it is compiled the evaluator answers, if no engine was named.
    #[getter]
    fn is_native(&self) -> bool {
        self.function.is_native()
    }
    /// The array code that it was compiled from, as text.
    fn text(&self, py: Python<'_>) -> PyResult<String> {
        let function = &self.function;
        Self::outcome(py, py.detach(|| function.text()))
    }
    /// The plan of a sparse matrix, of a function along directions whose Reals are the numbers of inputs: where its rows
    /// begin and its columns, as Ints of 64 bits; whether the pattern holds for all Reals; and for each sweep whether it goes
    /// forward, the columns or rows along which it goes, the entries that it tells, and where.
    #[pyo3(signature = (args, directions))]
    fn plan<'py>(
        &self,
        py: Python<'py>,
        args: &Bound<'py, PyTuple>,
        directions: Vec<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let leaves = self.leaves(args, None, &directions)?;
        let given = lent(&leaves);
        let allowed = Allowed { watch: interrupt::watch(), ..Allowed::default() };
        let function = &self.function;
        let (plan, everywhere) = Self::outcome(py, py.detach(|| function.plan(&given, &allowed)))?;
        let mut sweeps = vec![];
        for (at, sweep) in plan.sweeps().iter().enumerate() {
            let (is_forward, lines) = match sweep {
                Sweep::Forward(lines) => (true, lines),
                Sweep::Reverse(lines) => (false, lines),
            };
            let lines = ints(py, lines.iter().map(|line| *line as usize));
            let entries = ints(py, plan.told(at).map(|(entry, _)| entry));
            let places = ints(py, plan.told(at).map(|(_, place)| place as usize));
            sweeps.push((is_forward, lines, entries, places));
        }
        let pattern = plan.pattern();
        let starts = ints(py, pattern.starts().iter().copied());
        let columns = ints(py, pattern.entries().iter().map(|column| *column as usize));
        (starts, columns, everywhere, sweeps).into_pyobject(py)
    }
    /// How many operations the evaluator counts.
    #[pyo3(signature = (args, kwargs=None, directions=vec![]))]
    fn cost(
        &self,
        py: Python<'_>,
        args: &Bound<'_, PyTuple>,
        kwargs: Option<&Bound<'_, PyDict>>,
        directions: Vec<Bound<'_, PyAny>>,
    ) -> PyResult<u64> {
        let leaves = self.leaves(args, kwargs, &directions)?;
        let given = lent(&leaves);
        let allowed = Allowed { watch: interrupt::watch(), ..Allowed::default() };
        let function = &self.function;
        Self::outcome(py, py.detach(|| function.cost(&given, &allowed)))
    }
    /// The value, of arguments by position.
    #[pyo3(signature = (*args))]
    fn quick_value<'py>(
        &self,
        py: Python<'py>,
        args: &Bound<'py, PyTuple>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let mut gave = self.run(py, args, None, &[], Allowed::default(), None)?;
        self.shown_value(py, &mut gave)
    }
    /// The value and the derivative, one part or a tuple of several, of arguments by position.
    #[pyo3(signature = (*args))]
    fn quick_both<'py>(
        &self,
        py: Python<'py>,
        args: &Bound<'py, PyTuple>,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.both(py, args)
    }
    /// The value, if there is one, and the parts of the derivative.
    #[pyo3(signature = (args, kwargs=None, directions=vec![], timeout=None, max_memory=None, progress=None))]
    #[expect(clippy::too_many_arguments, reason = "they are the options of a call")]
    fn call<'py>(
        &self,
        py: Python<'py>,
        args: &Bound<'py, PyTuple>,
        kwargs: Option<&Bound<'py, PyDict>>,
        directions: Vec<Bound<'py, PyAny>>,
        timeout: Option<f64>,
        max_memory: Option<usize>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let timeout = timeout.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        let allowed = Allowed { max_memory, timeout, ..Allowed::default() };
        let mut gave = self.run(py, args, kwargs, &directions, allowed, progress)?;
        Ok((self.shown_value(py, &mut gave)?, shown_parts(py, &self.derivative, &mut gave)?))
    }
}

fn shown_parts<'py>(
    py: Python<'py>,
    parts: &[Shape],
    gave: &mut Answer<'py>,
) -> PyResult<Bound<'py, PyAny>> {
    let parts = parts.iter().map(|shape| shape.show(py, gave)).collect::<PyResult<Vec<_>>>()?;
    Ok(PyTuple::new(py, parts)?.into_any())
}
