//! Values of Python as leaves, and leaves as values of Python, along a form.
//!
//! Input: a form, and an object or leaves. Output: the other. Records are instances of the classes that the package
//! makes for them; dictionaries, data frames, and other objects with the fields as attributes are taken too.

use pullback_embed::{Elem, Form, Gave};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};

use crate::arrays::{Taken, given};

/// A form with the classes of its records.
pub enum Shape {
    /// A number, a truth value, or an array.
    Leaf { at: usize, elem: Elem, rank: usize },
    /// Nothing: `None`.
    Nothing,
    /// A tuple.
    Tuple(Vec<Self>),
    /// A record.
    Record { class: Py<PyAny>, fields: Vec<(Py<PyString>, Self)> },
}

impl Shape {
    /// The shape of a form; `record` gives the class of a record by its name and fields.
    pub fn of(py: Python<'_>, form: &Form, record: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(match form {
            Form::Leaf { at, elem, rank } => Self::Leaf { at: *at, elem: *elem, rank: *rank },
            Form::Nothing => Self::Nothing,
            Form::Tuple(items) => {
                let items = items.iter().map(|item| Self::of(py, item, record));
                Self::Tuple(items.collect::<PyResult<_>>()?)
            }
            Form::Record(name, fields) => {
                let names: Vec<&str> = fields.iter().map(|(name, _)| name.as_str()).collect();
                let class = record.call1((name, PyTuple::new(py, names)?))?;
                // Names that Python does not allow are other ones there.
                let names: Vec<String> = class.getattr("_fields")?.extract()?;
                let fields = names.iter().zip(fields).map(|(name, (_, form))| {
                    Ok((PyString::intern(py, name).unbind(), Self::of(py, form, record)?))
                });
                let fields = fields.collect::<PyResult<_>>()?;
                Self::Record { class: class.unbind(), fields }
            }
        })
    }

    /// The shape as Python data: `(elem, rank)` of a leaf, `None` of nothing, a list of the items of a tuple, and
    /// `{"class": …, "fields": […]}` of a record.
    pub fn described<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(match self {
            Self::Leaf { elem, rank, .. } => {
                let elem = match elem {
                    Elem::Real => "Real",
                    Elem::Int => "Int",
                    Elem::Bool => "Bool",
                };
                (elem, *rank).into_pyobject(py)?.into_any()
            }
            Self::Nothing => py.None().into_bound(py),
            Self::Tuple(items) => {
                let items = items.iter().map(|item| item.described(py));
                PyList::new(py, items.collect::<PyResult<Vec<_>>>()?)?.into_any()
            }
            Self::Record { class, fields } => {
                let items = fields.iter().map(|(_, item)| item.described(py));
                let described = PyDict::new(py);
                described.set_item("class", class.bind(py))?;
                described
                    .set_item("fields", PyList::new(py, items.collect::<PyResult<Vec<_>>>()?)?)?;
                described.into_any()
            }
        })
    }

    /// Adds the leaves of an object that stands for a value; `name` is what messages call it.
    pub fn take<'py>(
        &self,
        object: &Bound<'py, PyAny>,
        name: &dyn Fn() -> String,
        leaves: &mut Vec<Taken<'py>>,
    ) -> PyResult<()> {
        match self {
            Self::Leaf { elem, rank, .. } => {
                leaves.push(given(object, *elem, *rank, name)?);
                Ok(())
            }
            Self::Nothing => Ok(()),
            Self::Tuple(items) => {
                let parts: Vec<Bound<'py, PyAny>> = match object.cast::<PyTuple>() {
                    Ok(tuple) => tuple.iter().collect(),
                    Err(_) if object.cast::<pyo3::types::PyList>().is_ok() => {
                        object.try_iter()?.collect::<PyResult<_>>()?
                    }
                    Err(_) => {
                        return Err(wrong(object, name, &format!("a tuple of {}", items.len())));
                    }
                };
                if parts.len() != items.len() {
                    let found = format!("{} items", parts.len());
                    let wanted = format!("a tuple of {}", items.len());
                    return Err(PyTypeError::new_err(format!(
                        "`{}` must be {wanted}, not one of {found}",
                        name()
                    )));
                }
                for (at, (item, part)) in items.iter().zip(&parts).enumerate() {
                    item.take(part, &|| format!("{}.{at}", name()), leaves)?;
                }
                Ok(())
            }
            Self::Record { class, fields } => {
                let dict = object.cast::<PyDict>().ok();
                if let Some(dict) = dict
                    && let Some(extra) = dict.keys().iter().find(|key| {
                        !fields
                            .iter()
                            .any(|(field, _)| key.eq(field.bind(key.py())).unwrap_or(false))
                    })
                {
                    return Err(PyTypeError::new_err(format!(
                        "`{}` has no field {}",
                        name(),
                        extra.repr()?
                    )));
                }
                let is_frame = dict.is_none()
                    && object.hasattr("columns")?
                    && object.hasattr("__getitem__")?;
                for (field, form) in fields {
                    let field = field.bind(object.py());
                    let part = match dict {
                        Some(dict) => dict.get_item(field)?,
                        None if is_frame => object.get_item(field).ok(),
                        None => object.getattr_opt(field)?,
                    };
                    let Some(part) = part else {
                        let class = class.bind(object.py()).getattr("__name__")?;
                        let wanted = format!("a {class} with a field `{field}`");
                        return Err(wrong(object, name, &wanted));
                    };
                    form.take(&part, &|| format!("{}.{field}", name()), leaves)?;
                }
                Ok(())
            }
        }
    }

    /// The value that leaves make up. Each leaf is used once.
    pub fn show<'py>(
        &self,
        py: Python<'py>,
        leaves: &mut [Option<Gave>],
    ) -> PyResult<Bound<'py, PyAny>> {
        match self {
            Self::Leaf { at, .. } => {
                let leaf = leaves.get_mut(*at).and_then(Option::take).unwrap_or(Gave::Absent);
                crate::arrays::shown(py, leaf)
            }
            Self::Nothing => Ok(py.None().into_bound(py)),
            Self::Tuple(items) => {
                let items = items.iter().map(|item| item.show(py, leaves));
                let items = items.collect::<PyResult<Vec<_>>>()?;
                Ok(PyTuple::new(py, items)?.into_any())
            }
            Self::Record { class, fields } => {
                let items = fields.iter().map(|(_, item)| item.show(py, leaves));
                let items = items.collect::<PyResult<Vec<_>>>()?;
                class.bind(py).call1(PyTuple::new(py, items)?)
            }
        }
    }
}

fn wrong(object: &Bound<'_, PyAny>, name: &dyn Fn() -> String, wanted: &str) -> PyErr {
    let found = object.get_type().name().map_or_else(|_| "?".to_owned(), |name| name.to_string());
    PyTypeError::new_err(format!("`{}` must be {wanted}, not {found}", name()))
}
