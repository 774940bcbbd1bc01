//! Values of Python as leaves, and leaves as values of Python, along a form.
//!
//! Input: a form, and an object or leaves. Output: the other. Records are instances of the classes that the package
//! makes for them; dictionaries, data frames, and other objects with the fields as attributes are taken too.

use pullback_embed::{Elem, Form, Gave, Items, Sum, Written};
use pyo3::exceptions::PyTypeError;
use pyo3::intern;
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
    /// A value with sums, as Ints, Reals and Strings; a `Codec` of the package knows the way.
    Sum { ints: usize, reals: Option<usize>, strings: Option<usize>, codec: Py<PyAny> },
    /// The tangent of one, as Reals. The Ints are those of the value: of what is given, or of what comes back.
    SumTangent { reals: usize, ints: usize, is_of_value: bool, codec: Py<PyAny> },
}

/// The leaves that a call gave, each of which is shown once, beside those that it was given.
pub struct Answer<'py> {
    pub gave: Vec<Option<Gave>>,
    pub taken: Vec<Taken<'py>>,
    /// The Ints of sums that have been shown.
    ints: Vec<(usize, Bound<'py, PyAny>)>,
}

impl<'py> Answer<'py> {
    pub fn new(gave: Vec<Gave>, taken: Vec<Taken<'py>>) -> Self {
        Self { gave: gave.into_iter().map(Some).collect(), taken, ints: vec![] }
    }

    fn leaf(&mut self, py: Python<'py>, at: usize) -> PyResult<Bound<'py, PyAny>> {
        let leaf = self.gave.get_mut(at).and_then(Option::take).unwrap_or(Gave::Absent);
        crate::arrays::shown(py, leaf)
    }

    /// The Ints of a sum that this call was given or gave.
    fn ints(&mut self, py: Python<'py>, at: usize, of_value: bool) -> PyResult<Bound<'py, PyAny>> {
        if !of_value {
            return Ok(match self.taken.get(at) {
                Some(Taken::Ints(ints)) => ints.clone().into_any(),
                _ => py.None().into_bound(py),
            });
        }
        if let Some((_, ints)) = self.ints.iter().find(|(known, _)| *known == at) {
            return Ok(ints.clone());
        }
        let ints = self.leaf(py, at)?;
        self.ints.push((at, ints.clone()));
        Ok(ints)
    }
}

/// The type of a value that is written as numbers, as the package has it.
fn written<'py>(
    py: Python<'py>,
    ty: &Written,
    record: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let list = |items: &[Written]| -> PyResult<Bound<'py, PyList>> {
        let items = items.iter().map(|item| written(py, item, record));
        PyList::new(py, items.collect::<PyResult<Vec<_>>>()?)
    };
    Ok(match ty {
        Written::One(elem) => word(*elem).into_pyobject(py)?.into_any(),
        Written::Tuple(items) => ("tuple", list(items)?).into_pyobject(py)?.into_any(),
        Written::Record(name, fields) => {
            let names: Vec<&str> = fields.iter().map(|(name, _)| name.as_str()).collect();
            let class = record.call1((name, PyTuple::new(py, names)?))?;
            let items = fields.iter().map(|(_, item)| written(py, item, record));
            let items = PyList::new(py, items.collect::<PyResult<Vec<_>>>()?)?;
            ("record", class, items).into_pyobject(py)?.into_any()
        }
        Written::Array(rank, element) => {
            ("array", *rank, written(py, element, record)?).into_pyobject(py)?.into_any()
        }
        Written::Sum(number) => ("sum", *number).into_pyobject(py)?.into_any(),
    })
}

/// What the package has of the sum types of a function.
pub fn described_sums<'py>(
    py: Python<'py>,
    sums: &[Sum],
    record: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let sums = sums.iter().map(|sum| {
        let constructors = sum.constructors.iter().map(|(name, fields)| {
            let fields = fields.iter().map(|field| written(py, field, record));
            Ok((name, fields.collect::<PyResult<Vec<_>>>()?))
        });
        Ok((&sum.name, constructors.collect::<PyResult<Vec<_>>>()?))
    });
    sums.collect::<PyResult<Vec<_>>>()?.into_pyobject(py)
}

fn word(elem: Elem) -> &'static str {
    match elem {
        Elem::Real => "Real",
        Elem::Int => "Int",
        Elem::Bool => "Bool",
        Elem::Str => "String",
    }
}

/// What the shapes of a function are made with.
pub struct Classes<'a, 'py> {
    /// Gives the class of a record by its name and fields.
    pub record: &'a Bound<'py, PyAny>,
    /// The sum types.
    pub sums: Bound<'py, PyAny>,
}

impl<'py> Classes<'_, 'py> {
    fn codec(&self, py: Python<'py>, ty: &Written) -> PyResult<Py<PyAny>> {
        let codec = py.import(intern!(py, "pullback._sums"))?.getattr("Codec")?;
        Ok(codec.call1((written(py, ty, self.record)?, &self.sums))?.unbind())
    }
}

impl Shape {
    /// The shape of a form.
    pub fn of<'py>(py: Python<'py>, form: &Form, classes: &Classes<'_, 'py>) -> PyResult<Self> {
        Ok(match form {
            Form::Leaf { at, elem, rank } => Self::Leaf { at: *at, elem: *elem, rank: *rank },
            Form::Nothing => Self::Nothing,
            Form::Tuple(items) => {
                let items = items.iter().map(|item| Self::of(py, item, classes));
                Self::Tuple(items.collect::<PyResult<_>>()?)
            }
            Form::Record(name, fields) => {
                let names: Vec<&str> = fields.iter().map(|(name, _)| name.as_str()).collect();
                let class = classes.record.call1((name, PyTuple::new(py, names)?))?;
                // Names that Python does not allow are other ones there.
                let names: Vec<String> = class.getattr("_fields")?.extract()?;
                let fields = names.iter().zip(fields).map(|(name, (_, form))| {
                    Ok((PyString::intern(py, name).unbind(), Self::of(py, form, classes)?))
                });
                let fields = fields.collect::<PyResult<_>>()?;
                Self::Record { class: class.unbind(), fields }
            }
            Form::Sum { ints, reals, strings, ty } => {
                let (ints, reals, strings) = (*ints, *reals, *strings);
                Self::Sum { ints, reals, strings, codec: classes.codec(py, ty)? }
            }
            Form::SumTangent { reals, ints, is_of_value, ty } => {
                let (reals, ints, is_of_value) = (*reals, *ints, *is_of_value);
                Self::SumTangent { reals, ints, is_of_value, codec: classes.codec(py, ty)? }
            }
        })
    }

    /// The shape as Python data: `(elem, rank)` of a leaf, `None` of nothing, a list of the items of a tuple, and
    /// `{"class": …, "fields": […]}` of a record, `{"codec": …, "has_reals": …, "has_strings": …}` of a value with sums.
    pub fn described<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(match self {
            Self::Leaf { elem, rank, .. } => (word(*elem), *rank).into_pyobject(py)?.into_any(),
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
            Self::Sum { codec, .. } | Self::SumTangent { codec, .. } => {
                let has_reals = !matches!(self, Self::Sum { reals: None, .. });
                let has_strings = matches!(self, Self::Sum { strings: Some(_), .. });
                let described = PyDict::new(py);
                described.set_item("codec", codec.bind(py))?;
                described.set_item("has_reals", has_reals)?;
                described.set_item("has_strings", has_strings)?;
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
            Self::Sum { reals, strings, codec, .. } => {
                let py = object.py();
                let codec = codec.bind(py);
                let all = codec.call_method1(intern!(py, "encode"), (object, name()))?;
                leaves.push(given(&all.get_item(0)?, Elem::Int, 1, name)?);
                if reals.is_some() {
                    leaves.push(given(&all.get_item(1)?, Elem::Real, 1, name)?);
                }
                if strings.is_some() {
                    leaves.push(given(&all.get_item(2)?, Elem::Str, 1, name)?);
                }
                Ok(())
            }
            Self::SumTangent { codec, .. } => {
                let py = object.py();
                let codec = codec.bind(py);
                let all = codec.call_method1(intern!(py, "encode_tangent"), (object, name()))?;
                leaves.push(given(&all, Elem::Real, 1, name)?);
                Ok(())
            }
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
        leaves: &mut Answer<'py>,
    ) -> PyResult<Bound<'py, PyAny>> {
        match self {
            Self::Leaf { at, .. } => leaves.leaf(py, *at),
            Self::Nothing => Ok(py.None().into_bound(py)),
            Self::Sum { ints, reals, strings, codec } => {
                let ints = leaves.ints(py, *ints, true)?;
                let reals = match reals {
                    Some(at) => leaves.leaf(py, *at)?,
                    None => crate::arrays::shown(py, Gave::Reals(Items::Own(vec![]), vec![0]))?,
                };
                let strings = match strings {
                    Some(at) => leaves.leaf(py, *at)?,
                    None => PyTuple::empty(py).into_any(),
                };
                codec.bind(py).call_method1(intern!(py, "decode"), (ints, reals, strings))
            }
            Self::SumTangent { reals, ints, is_of_value, codec } => {
                let ints = leaves.ints(py, *ints, *is_of_value)?;
                let reals = leaves.leaf(py, *reals)?;
                codec.bind(py).call_method1(intern!(py, "decode_tangent"), (ints, reals))
            }
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
