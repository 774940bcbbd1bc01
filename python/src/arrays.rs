//! Leaves and NumPy arrays: what is given is borrowed where it lies as compiled code wants it, and what comes back keeps
//! the memory that the code made.
//!
//! Input: an object that stands for a leaf, or a leaf. Output: the other. What is no dense array of the right type is
//! converted by `pullback._convert`, or refused there.
#![expect(unsafe_code, reason = "elements of arrays are read where they lie")]

use numpy::ndarray::{ArrayViewD, IxDyn};
use numpy::{Element, PyArrayDyn, PyArrayMethods, PyUntypedArray, PyUntypedArrayMethods};
use pullback_embed::{Elem, Gave, Given, Items};
use pyo3::exceptions::PyValueError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyFloat, PyList, PyString};

/// A leaf that was given, which holds its array.
pub enum Taken<'py> {
    /// A Real.
    Real(f64),
    /// An Int.
    Int(i64),
    /// A truth value.
    Bool(bool),
    /// Reals.
    Reals(Bound<'py, PyArrayDyn<f64>>),
    /// Ints.
    Ints(Bound<'py, PyArrayDyn<i64>>),
    /// Truth values.
    Bools(Bound<'py, PyArrayDyn<bool>>),
    /// A String.
    Text(String),
    /// Strings, row by row, of these sizes.
    Texts(Vec<String>, Vec<usize>),
    /// An array without contents, with the sizes of this leaf.
    Like(usize),
}

/// A leaf of an object.
pub fn given<'py>(
    object: &Bound<'py, PyAny>,
    elem: Elem,
    rank: usize,
    name: &dyn Fn() -> String,
) -> PyResult<Taken<'py>> {
    if elem == Elem::Str {
        return strings(object, rank, name);
    }
    if rank == 0 {
        if let (Elem::Real, Ok(x)) = (elem, object.cast_exact::<PyFloat>()) {
            return Ok(Taken::Real(x.value()));
        }
        if let (Elem::Bool, Ok(b)) = (elem, object.cast_exact::<PyBool>()) {
            return Ok(Taken::Bool(b.is_true()));
        }
        let scalar = convert(object, "scalar", elem, rank, name)?;
        return Ok(match elem {
            Elem::Real => Taken::Real(scalar.extract()?),
            Elem::Int => Taken::Int(scalar.extract()?),
            Elem::Bool => Taken::Bool(scalar.extract()?),
            Elem::Str => Taken::Text(scalar.extract()?),
        });
    }
    match elem {
        Elem::Real => Ok(Taken::Reals(array(object, elem, rank, name)?)),
        Elem::Int => Ok(Taken::Ints(array(object, elem, rank, name)?)),
        Elem::Bool => Ok(Taken::Bools(array(object, elem, rank, name)?)),
        Elem::Str => strings(object, rank, name),
    }
}

/// A String, or an array of them, which are copied.
fn strings<'py>(
    object: &Bound<'py, PyAny>,
    rank: usize,
    name: &dyn Fn() -> String,
) -> PyResult<Taken<'py>> {
    let copied = |text: &Bound<'py, PyAny>| -> PyResult<String> {
        let text = text.cast::<PyString>()?;
        text.to_str().map(str::to_owned).map_err(|error| {
            let title = format!("`{}` has half of a surrogate pair, which no String has", name());
            let told = PyValueError::new_err(title);
            told.set_cause(object.py(), Some(error));
            told
        })
    };
    if rank == 0 {
        if object.is_instance_of::<PyString>() {
            return copied(object).map(Taken::Text);
        }
        return copied(&convert(object, "scalar", Elem::Str, rank, name)?).map(Taken::Text);
    }
    let array = convert(object, "array", Elem::Str, rank, name)?;
    let py = object.py();
    let sizes: Vec<usize> = array.getattr(intern!(py, "shape"))?.extract()?;
    let items = array.call_method0(intern!(py, "ravel"))?.call_method0(intern!(py, "tolist"))?;
    let items = items.cast::<PyList>()?.iter().map(|item| copied(&item));
    Ok(Taken::Texts(items.collect::<PyResult<_>>()?, sizes))
}

fn array<'py, T: Element>(
    object: &Bound<'py, PyAny>,
    elem: Elem,
    rank: usize,
    name: &dyn Fn() -> String,
) -> PyResult<Bound<'py, PyArrayDyn<T>>> {
    // What is made of arrays may mean more than its elements, such as those that are masked.
    if object.is_exact_instance_of::<PyUntypedArray>()
        && let Ok(array) = object.cast::<PyArrayDyn<T>>()
        && array.ndim() == rank
        && lies_well(array)
    {
        return Ok(array.clone());
    }
    let array = convert(object, "array", elem, rank, name)?;
    Ok(array.cast_into::<PyArrayDyn<T>>()?)
}

fn lies_well<T: Element>(array: &Bound<'_, PyArrayDyn<T>>) -> bool {
    array.is_c_contiguous() && (array.data() as usize).is_multiple_of(align_of::<T>())
}

fn convert<'py>(
    object: &Bound<'py, PyAny>,
    what: &str,
    elem: Elem,
    rank: usize,
    name: &dyn Fn() -> String,
) -> PyResult<Bound<'py, PyAny>> {
    let py = object.py();
    let elem = match elem {
        Elem::Real => "Real",
        Elem::Int => "Int",
        Elem::Bool => "Bool",
        Elem::Str => "String",
    };
    py.import(intern!(py, "pullback._convert"))?.getattr(what)?.call1((object, elem, rank, name()))
}

/// The leaves as a call takes them: their arrays are held by `leaves`, and what is held elsewhere too keeps its size.
pub fn lent<'t>(leaves: &'t [Taken<'_>]) -> Vec<Given<'t>> {
    let lend = |leaf: &'t Taken<'_>| match leaf {
        Taken::Real(x) => Given::Real(*x),
        Taken::Int(n) => Given::Int(*n),
        Taken::Bool(b) => Given::Bool(*b),
        // SAFETY: the elements lie one after the other, as was seen when the array was taken.
        Taken::Reals(array) => unsafe { Given::Reals(elements(array), array.shape()) },
        // SAFETY: as above.
        Taken::Ints(array) => unsafe { Given::Ints(elements(array), array.shape()) },
        // SAFETY: as above.
        Taken::Bools(array) => unsafe { Given::Bools(elements(array), array.shape()) },
        Taken::Text(text) => Given::Text(text),
        Taken::Texts(texts, sizes) => Given::Texts(texts, sizes),
        Taken::Like(at) => Given::Absent(leaves.get(*at).map_or(&[], Taken::sizes)),
    };
    leaves.iter().map(lend).collect()
}

impl Taken<'_> {
    fn sizes(&self) -> &[usize] {
        match self {
            Self::Real(_) | Self::Int(_) | Self::Bool(_) | Self::Text(_) | Self::Like(_) => &[],
            Self::Texts(_, sizes) => sizes,
            Self::Reals(array) => array.shape(),
            Self::Ints(array) => array.shape(),
            Self::Bools(array) => array.shape(),
        }
    }
}

/// # Safety
/// The elements must lie one after the other.
unsafe fn elements<'t, T: Element>(array: &'t Bound<'_, PyArrayDyn<T>>) -> &'t [T] {
    if array.len() == 0 {
        return &[];
    }
    // SAFETY: as the caller promises.
    unsafe { std::slice::from_raw_parts(array.data(), array.len()) }
}

/// What holds the elements of an array that a call gave.
#[pyclass(frozen, module = "pullback._native")]
struct Block {
    _items: Box<dyn std::any::Any + Send + Sync>,
}

/// The object of a leaf.
pub fn shown(py: Python<'_>, leaf: Gave) -> PyResult<Bound<'_, PyAny>> {
    Ok(match leaf {
        Gave::Real(x) => PyFloat::new(py, x).into_any(),
        Gave::Int(n) => n.into_pyobject(py)?.into_any(),
        Gave::Bool(b) => PyBool::new(py, b).to_owned().into_any(),
        Gave::Reals(items, sizes) => own(py, items, &sizes)?,
        Gave::Ints(items, sizes) => own(py, items, &sizes)?,
        Gave::Bools(items, sizes) => own(py, items, &sizes)?,
        Gave::Text(text) => PyString::new(py, &text).into_any(),
        Gave::Texts(texts, sizes) => {
            let made = py.import(intern!(py, "pullback._convert"))?.getattr("strings")?;
            made.call1((texts, sizes))?
        }
        Gave::Absent => py.None().into_bound(py),
    })
}

/// An array of elements: a copy in memory of NumPy's own if there are few, else of those themselves.
fn own<'py, T: Element + Copy + Send + Sync + 'static>(
    py: Python<'py>,
    mut items: Items<T>,
    sizes: &[usize],
) -> PyResult<Bound<'py, PyAny>> {
    if let Items::Own(items) = &items {
        // SAFETY: all elements are written before anybody sees the array.
        unsafe {
            let array = PyArrayDyn::<T>::new(py, sizes, false);
            if !items.is_empty() {
                std::ptr::copy_nonoverlapping(items.as_ptr(), array.data(), items.len());
            }
            return Ok(array.into_any());
        }
    }
    let data = items.as_mut_ptr();
    let block = Bound::new(py, Block { _items: Box::new(items) })?;
    // SAFETY: the block holds as many elements as the sizes say, for as long as the array holds the block.
    unsafe {
        let view = ArrayViewD::from_shape_ptr(IxDyn(sizes), data);
        Ok(PyArrayDyn::borrow_from_array(&view, block.into_any()).into_any())
    }
}
