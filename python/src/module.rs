//! Modules for Python: texts that were loaded.
//!
//! Input: paths and texts. Output: a [`Module`], which gives its definitions as dictionaries, and functions compiled.

use std::path::Path;
use std::sync::Arc;

use pullback_embed::{ArgumentFile, Around, Asked, Kind, Look, Named, Options, What};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::code::Code;
use crate::errors::{When, place, problems, raised};

/// A text that was loaded.
#[pyclass(frozen, module = "pullback._native")]
pub struct Module {
    inner: Arc<pullback_embed::Module>,
}

fn loaded(
    py: Python<'_>,
    load: impl FnOnce() -> Result<pullback_embed::Module, pullback_embed::Failure> + Send,
) -> PyResult<Module> {
    let found = py.detach(load);
    match found {
        Ok(inner) => Ok(Module { inner: Arc::new(inner) }),
        Err(failure) => Err(raised(py, &failure, When::Compile)),
    }
}

/// Names a compiler that runs where there is no other: a command and its first arguments.
#[pyfunction]
pub fn spare_compiler(name: std::ffi::OsString, args: Vec<std::ffi::OsString>) {
    pullback_embed::spare_compiler(name, args);
}

/// Loads a file.
#[pyfunction]
pub fn load(py: Python<'_>, path: &str) -> PyResult<Module> {
    loaded(py, || pullback_embed::Module::load(Path::new(path)))
}

/// Loads a text.
#[pyfunction]
pub fn compile(py: Python<'_>, name: &str, text: &str) -> PyResult<Module> {
    loaded(py, || pullback_embed::Module::compile(name, text))
}

/// Loads texts that a module had.
#[pyfunction]
pub fn of_texts(py: Python<'_>, path: &str, texts: Vec<(String, String)>) -> PyResult<Module> {
    loaded(py, || pullback_embed::Module::of_texts(path, &texts))
}

/// The name of a parameter, if it is that one's value, whether it is an archive, and its bytes.
type Argument = (Option<String>, bool, Vec<u8>);

fn argument_files(arguments: Vec<Argument>) -> Vec<ArgumentFile> {
    let files = arguments.into_iter().map(|(parameter, is_archive, bytes)| {
        let ending = if is_archive { "npz" } else { "json" };
        ArgumentFile { parameter, ending, bytes }
    });
    files.collect()
}

fn kind(name: &str) -> PyResult<Kind> {
    let kinds = [Kind::Value, Kind::Jvp, Kind::Vjp, Kind::Grad, Kind::Hvp];
    let found = kinds.into_iter().find(|kind| kind.name() == name);
    found.ok_or_else(|| PyValueError::new_err(format!("no kind of function is `{name}`")))
}

#[pymethods]
impl Module {
    /// The path, as it was given.
    #[getter]
    fn path(&self) -> String {
        self.inner.path().display().to_string()
    }
    /// The file and what it imports: paths and texts.
    #[getter]
    fn texts(&self) -> Vec<(String, String)> {
        self.inner.texts().to_vec()
    }
    /// The type of an expression.
    fn type_of(&self, py: Python<'_>, text: &str) -> PyResult<String> {
        let found = py.detach(|| self.inner.type_of(text));
        found.map_err(|failure| raised(py, &failure, When::Compile))
    }
    /// The record types that have names, with the names of their fields.
    #[getter]
    fn records(&self) -> Vec<(String, Vec<String>)> {
        self.inner.records().cloned().collect()
    }
    /// The sum types, with their constructors and how many fields these have.
    #[getter]
    fn sums(&self) -> Vec<(String, Vec<(String, usize)>)> {
        self.inner.sums().to_vec()
    }
    /// Warnings.
    #[getter]
    fn warnings<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        problems(py, self.inner.warnings())
    }
    /// The definitions, as dictionaries.
    #[getter]
    fn definitions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let list = PyList::empty(py);
        for definition in self.inner.definitions() {
            let item = PyDict::new(py);
            item.set_item("name", &definition.name)?;
            item.set_item("type", &definition.ty)?;
            item.set_item("doc", &definition.doc)?;
            item.set_item("place", definition.place.as_ref().map(|at| place(py, at)).transpose()?)?;
            let params =
                definition.params.iter().map(|param| (param.name.clone(), param.ty.clone()));
            item.set_item("params", params.collect::<Vec<_>>())?;
            item.set_item("result", &definition.result)?;
            list.append(item)?;
        }
        Ok(list)
    }
    /// What a run of a definition meets, as dictionaries: `look` is "kinks" or "nan". Arguments are files: the name of a
    /// parameter, if it is that one's value, whether it is an archive, and its bytes.
    fn noticed<'py>(
        &self,
        py: Python<'py>,
        definition: &str,
        wrt: Option<Vec<String>>,
        arguments: Vec<Argument>,
        look: &str,
    ) -> PyResult<Bound<'py, PyList>> {
        let look = if look == "kinks" { Look::Kinks } else { Look::FirstNan };
        let files = argument_files(arguments);
        let found = py.detach(|| self.inner.noticed(definition, wrt.as_deref(), &files, look));
        problems(py, &found.map_err(|failure| raised(py, &failure, When::Call))?)
    }
    /// The derivatives of all smooth pieces that meet at a point, as JSON.
    fn clarke(
        &self,
        py: Python<'_>,
        definition: &str,
        wrt: Vec<String>,
        arguments: Vec<Argument>,
    ) -> PyResult<String> {
        let files = argument_files(arguments);
        let found = py.detach(|| self.inner.clarke(definition, &wrt, &files));
        found.map_err(|failure| raised(py, &failure, When::Call))
    }
    /// What a definition and its derivatives are on a box, as JSON. Intervals are names of parameters with two numbers.
    fn bounds(
        &self,
        py: Python<'_>,
        definition: &str,
        wrt: Vec<String>,
        arguments: Vec<Argument>,
        intervals: Vec<(String, f64, f64)>,
        radius: f64,
    ) -> PyResult<String> {
        let files = argument_files(arguments);
        let named = |(name, low, high)| Named { name, low, high };
        let around = Around { intervals: intervals.into_iter().map(named).collect(), radius };
        let found = py.detach(|| self.inner.bounds(definition, &wrt, &files, &around));
        found.map_err(|failure| raised(py, &failure, When::Call))
    }
    /// A function, compiled. `record` gives the class of a record type by its name and the names of its fields.
    #[pyo3(signature = (what, is_expression, kind, wrt, names, engine, strict, threads, record))]
    #[expect(clippy::too_many_arguments, reason = "they are the fields of what is asked")]
    fn function(
        &self,
        py: Python<'_>,
        what: String,
        is_expression: bool,
        kind: &str,
        wrt: Vec<String>,
        names: Option<Vec<String>>,
        engine: Option<String>,
        strict: bool,
        threads: usize,
        record: &Bound<'_, PyAny>,
    ) -> PyResult<Code> {
        let what = if is_expression { What::Expression(what) } else { What::Definition(what) };
        let options = Options { engine, is_strict: strict, threads };
        let asked = Asked { what, names, kind: self::kind(kind)?, wrt, options };
        let found = py.detach(|| self.inner.function(&asked));
        py.check_signals()?;
        let function = found.map_err(|failure| raised(py, &failure, When::Compile))?;
        Code::new(py, function, record)
    }
}
