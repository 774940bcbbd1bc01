//! Functions of one vector as function pointers, for libraries that call C.
//!
//! Input: a compiled function, its arguments in place, and where the numbers of the vector go. Output: addresses of
//! functions, and of the data that they are given with each call. A failure is kept until somebody asks for it.
//!
//! Invariants. A call reads as many numbers as the vector has, and no call unwinds. The interpreter is not needed, so any
//! thread may call.
#![expect(unsafe_code, reason = "callers hand over pointers")]

use std::ffi::{c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};

use pullback_embed::{Allowed, Failure, Function, Gave, Given};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use crate::arrays::lent;
use crate::code::Code;
use crate::errors::{When, raised};
use crate::interrupt;

/// An argument that stays, or the place in the vector of one that moves.
enum Leaf {
    Moves(usize, Option<Vec<usize>>),
    Real(f64),
    Int(i64),
    Bool(bool),
    Reals(Vec<f64>, Vec<usize>),
    Ints(Vec<i64>, Vec<usize>),
    Bools(Vec<bool>, Vec<usize>),
    Text(String),
    Texts(Vec<String>, Vec<usize>),
    Absent(Vec<usize>),
}

impl Leaf {
    fn of(given: &Given<'_>) -> Self {
        match given {
            Given::Real(x) => Self::Real(*x),
            Given::Int(n) => Self::Int(*n),
            Given::Bool(b) => Self::Bool(*b),
            Given::Reals(items, sizes) => Self::Reals(items.to_vec(), sizes.to_vec()),
            Given::Ints(items, sizes) => Self::Ints(items.to_vec(), sizes.to_vec()),
            Given::Bools(items, sizes) => Self::Bools(items.to_vec(), sizes.to_vec()),
            Given::Text(text) => Self::Text((*text).to_owned()),
            Given::Texts(texts, sizes) => Self::Texts(texts.to_vec(), sizes.to_vec()),
            Given::Absent(sizes) => Self::Absent(sizes.to_vec()),
        }
    }

    fn given<'t>(&'t self, x: &'t [f64]) -> Given<'t> {
        match self {
            Self::Moves(from, None) => Given::Real(x[*from]),
            Self::Moves(from, Some(sizes)) => {
                let count: usize = sizes.iter().product();
                Given::Reals(&x[*from..from + count], sizes)
            }
            Self::Real(x) => Given::Real(*x),
            Self::Int(n) => Given::Int(*n),
            Self::Bool(b) => Given::Bool(*b),
            Self::Reals(items, sizes) => Given::Reals(items, sizes),
            Self::Ints(items, sizes) => Given::Ints(items, sizes),
            Self::Bools(items, sizes) => Given::Bools(items, sizes),
            Self::Text(text) => Given::Text(text),
            Self::Texts(texts, sizes) => Given::Texts(texts, sizes),
            Self::Absent(sizes) => Given::Absent(sizes),
        }
    }
}

/// A function of one vector that C calls.
#[pyclass(frozen, module = "pullback._native")]
pub struct Callback {
    data: Box<Data>,
}

/// What a function pointer is given with each call.
struct Data {
    function: Arc<Function>,
    leaves: Vec<Leaf>,
    size: usize,
    /// Where in the vector the parts of the gradient go.
    places: Vec<usize>,
    failure: Mutex<Option<Wrong>>,
}

enum Wrong {
    Size(usize),
    Failed(Failure),
    Bug,
}

#[pymethods]
impl Callback {
    /// `args` are all arguments; `moves` has for each leaf of them its place in the vector, or none; `places` has the place
    /// of each leaf of the gradient.
    #[new]
    fn new(
        code: &Code,
        args: &Bound<'_, PyTuple>,
        moves: Vec<Option<usize>>,
        places: Vec<usize>,
        size: usize,
    ) -> PyResult<Self> {
        let taken = code.leaves(args, None, &[])?;
        let given = lent(&taken);
        if moves.len() != given.len() {
            return Err(PyValueError::new_err("the places of all leaves must be given"));
        }
        let mut leaves = vec![];
        for (given, place) in given.iter().zip(moves) {
            let Some(from) = place else {
                leaves.push(Leaf::of(given));
                continue;
            };
            let (count, sizes) = match given {
                Given::Real(_) => (1, None),
                Given::Reals(items, sizes) => (items.len(), Some(sizes.to_vec())),
                Given::Int(_)
                | Given::Bool(_)
                | Given::Ints(..)
                | Given::Bools(..)
                | Given::Text(_)
                | Given::Texts(..)
                | Given::Absent(_) => {
                    return Err(PyValueError::new_err("only Reals can move"));
                }
            };
            if from + count > size {
                return Err(PyValueError::new_err("the vector is too short for the arguments"));
            }
            leaves.push(Leaf::Moves(from, sizes));
        }
        let function = code.function().clone();
        let failure = Mutex::new(None);
        Ok(Self { data: Box::new(Data { function, leaves, size, places, failure }) })
    }
    /// The address of `double f(int n, double *x, void *data)`.
    #[getter]
    fn value_address(&self) -> usize {
        value as unsafe extern "C" fn(c_int, *const f64, *mut c_void) -> f64 as usize
    }
    /// The address of `int f(size_t n, const double *x, double *gradient, double *value, void *data)`.
    #[getter]
    fn gradient_address(&self) -> usize {
        gradient
            as unsafe extern "C" fn(usize, *const f64, *mut f64, *mut f64, *mut c_void) -> c_int
            as usize
    }
    /// The address of the data.
    #[getter]
    fn data_address(&self) -> usize {
        std::ptr::from_ref::<Data>(&self.data) as usize
    }
    /// Raises the last failure, if there was one since somebody asked.
    fn check(&self, py: Python<'_>) -> PyResult<()> {
        let failure = self.data.failure.lock().unwrap_or_else(PoisonError::into_inner).take();
        let size = self.data.size;
        match failure {
            None => Ok(()),
            Some(Wrong::Size(found)) => Err(PyValueError::new_err(format!(
                "a vector of {found} numbers was given, but there must be {size}"
            ))),
            Some(Wrong::Failed(failure)) => Err(raised(py, &failure, When::Call)),
            Some(Wrong::Bug) => Err(PyValueError::new_err("this is a bug in Pullback")),
        }
    }
}

/// The results at a vector; none if there are none, which the data remembers.
///
/// # Safety
/// The data must be those of a callback that lives, and there must be as many numbers as is said.
unsafe fn results(
    n: usize,
    x: *const f64,
    data: *mut c_void,
) -> Option<(Vec<Gave>, &'static Data)> {
    // SAFETY: as the caller promises.
    let data: &'static Data = unsafe { &*data.cast::<Data>() };
    let keep = |wrong| {
        *data.failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(wrong);
        None
    };
    if n != data.size {
        return keep(Wrong::Size(n));
    }
    // SAFETY: as the caller promises.
    let x = if n == 0 { &[] } else { unsafe { std::slice::from_raw_parts(x, n) } };
    let call = || {
        let given: Vec<Given<'_>> = data.leaves.iter().map(|leaf| leaf.given(x)).collect();
        let allowed = Allowed { watch: interrupt::watch(), ..Allowed::default() };
        data.function.call(&given, &allowed)
    };
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(Ok(gave)) => Some((gave, data)),
        Ok(Err(failure)) => keep(Wrong::Failed(failure)),
        Err(_) => keep(Wrong::Bug),
    }
}

fn first_real(gave: &[Gave]) -> f64 {
    match gave.first() {
        Some(Gave::Real(x)) => *x,
        _ => f64::NAN,
    }
}

/// # Safety
/// As for [`results`].
unsafe extern "C" fn value(n: c_int, x: *const f64, data: *mut c_void) -> f64 {
    let n = usize::try_from(n).unwrap_or(0);
    // SAFETY: as the caller promises.
    unsafe { results(n, x, data) }.map_or(f64::NAN, |(gave, _)| first_real(&gave))
}

/// # Safety
/// As for [`results`]; there must be room for the value, and for a gradient of as many numbers.
unsafe extern "C" fn gradient(
    n: usize,
    x: *const f64,
    to: *mut f64,
    to_value: *mut f64,
    data: *mut c_void,
) -> c_int {
    // SAFETY: as the caller promises.
    unsafe {
        let Some((gave, data)) = results(n, x, data) else { return 1 };
        *to_value = first_real(&gave);
        let parts = gave.iter().skip(1).filter(|part| !matches!(part, Gave::Absent));
        for (part, place) in parts.zip(&data.places) {
            match part {
                Gave::Real(x) if *place < n => *to.add(*place) = *x,
                Gave::Reals(items, _) if place + items.len() <= n => {
                    std::ptr::copy_nonoverlapping(items.as_ptr(), to.add(*place), items.len());
                }
                Gave::Real(_)
                | Gave::Int(_)
                | Gave::Bool(_)
                | Gave::Reals(..)
                | Gave::Ints(..)
                | Gave::Bools(..)
                | Gave::Text(_)
                | Gave::Texts(..)
                | Gave::Absent => return 1,
            }
        }
    }
    0
}
