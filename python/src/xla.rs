//! Calls from XLA, which JAX compiles to: the handler of `jax.ffi`, without the interpreter.
//!
//! Input: a call frame of XLA's C interface for foreign functions. Output: its results written in place, or an error of
//! XLA's. A function is registered once, and stays for the life of the process: an executable of XLA may call it as long.
//!
//! Attributes of a call: `code`, the number of the function; `skip`, how many of its results are left out; `batch`, the
//! size of the leading axis, or -1 if there is none; `batched`, a digit for each argument that says whether it has that
//! axis.
//!
//! Invariants. The structures have the layout of version 0 of that interface, which is said to XLA when it asks. Only
//! fields that all minor versions have are read. Nothing unwinds into XLA.
#![expect(unsafe_code, reason = "XLA hands over pointers")]

use std::borrow::Cow;
use std::ffi::{CString, c_char, c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use pullback_embed::{Allowed, Elem, Form, Function, Gave, Given};
use pyo3::prelude::*;

use crate::code::Code;
use crate::interrupt;

/// The header that structures of the interface begin with.
#[repr(C)]
struct Head {
    size: usize,
    extension: *const Extension,
}

#[repr(C)]
struct Extension {
    size: usize,
    kind: c_int,
    next: *const Extension,
}

#[repr(C)]
struct MetadataExtension {
    base: Extension,
    metadata: *mut Metadata,
}

#[repr(C)]
struct Metadata {
    size: usize,
    version: Version,
    traits: u32,
}

#[repr(C)]
struct Version {
    head: Head,
    major: c_int,
    minor: c_int,
}

#[repr(C)]
struct Api {
    head: Head,
    version: Version,
    internal: *const c_void,
    create_error: extern "C" fn(*const NewError) -> *mut c_void,
}

#[repr(C)]
struct NewError {
    head: Head,
    message: *const c_char,
    code: c_int,
}

/// Arguments, results or attributes.
#[repr(C)]
struct List {
    head: Head,
    count: i64,
    kinds: *const c_int,
    items: *const *const c_void,
}

#[repr(C)]
struct Attributes {
    head: Head,
    count: i64,
    kinds: *const c_int,
    names: *const *const Bytes,
    items: *const *const c_void,
}

#[repr(C)]
struct Bytes {
    data: *const u8,
    count: usize,
}

#[repr(C)]
struct Scalar {
    dtype: c_int,
    value: *const c_void,
}

#[repr(C)]
struct Buffer {
    head: Head,
    dtype: c_int,
    data: *mut c_void,
    rank: i64,
    sizes: *const i64,
}

#[repr(C)]
pub struct Frame {
    head: Head,
    api: *const Api,
    context: *const c_void,
    stage: c_int,
    arguments: List,
    results: List,
    attributes: Attributes,
}

/// The extension that asks for the version.
const METADATA: c_int = 1;
const SCALAR: c_int = 3;
const STRING: c_int = 4;
const PRED: c_int = 1;
const S32: c_int = 4;
const S64: c_int = 5;
const F32: c_int = 11;
const F64: c_int = 12;

/// A function that XLA calls.
struct Registered {
    function: Arc<Function>,
    takes: Vec<(Elem, usize)>,
    /// The number of each result among all, those without contents included.
    gives: Vec<usize>,
    timeout: Option<Duration>,
    max_memory: Option<usize>,
}

static FUNCTIONS: RwLock<Vec<Arc<Registered>>> = RwLock::new(vec![]);

fn leaves(form: &Form, to: &mut Vec<(usize, Elem, usize)>) {
    match form {
        Form::Leaf { at, elem, rank } => to.push((*at, *elem, *rank)),
        // The package wraps no function with sums.
        Form::Nothing | Form::Sum { .. } | Form::SumTangent { .. } => {}
        Form::Tuple(items) => items.iter().for_each(|item| leaves(item, to)),
        Form::Record(_, fields) => fields.iter().for_each(|(_, field)| leaves(field, to)),
    }
}

/// Registers a function; gives its number.
#[pyfunction]
#[pyo3(signature = (code, timeout=None, max_memory=None))]
pub fn xla_register(code: &Code, timeout: Option<f64>, max_memory: Option<usize>) -> usize {
    let function = code.function().clone();
    let (mut takes, mut gives) = (vec![], vec![]);
    let inputs = function.params.iter().chain(&function.directions);
    inputs.for_each(|input| leaves(&input.form, &mut takes));
    let derivative = function.derivative.iter().map(|part| &part.form);
    function.value.iter().chain(derivative).for_each(|form| leaves(form, &mut gives));
    let registered = Registered {
        takes: takes.into_iter().map(|(_, elem, rank)| (elem, rank)).collect(),
        gives: gives.into_iter().map(|(at, ..)| at).collect(),
        timeout: timeout.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok()),
        max_memory,
        function,
    };
    let mut functions = FUNCTIONS.write().unwrap_or_else(PoisonError::into_inner);
    functions.push(Arc::new(registered));
    functions.len() - 1
}

/// The address of the handler.
#[pyfunction]
pub fn xla_handler() -> usize {
    handle as unsafe extern "C" fn(*const Frame) -> *mut c_void as usize
}

/// What is wrong, with its code among those of XLA.
struct Wrong(c_int, String);

const INVALID_ARGUMENT: c_int = 3;
const DEADLINE_EXCEEDED: c_int = 4;
const RESOURCE_EXHAUSTED: c_int = 8;
const FAILED_PRECONDITION: c_int = 9;
const INTERNAL: c_int = 13;

fn invalid<T>(message: impl Into<String>) -> Result<T, Wrong> {
    Err(Wrong(INVALID_ARGUMENT, message.into()))
}

/// # Safety
/// The frame must be one of XLA's, which outlives the call.
unsafe extern "C" fn handle(frame: *const Frame) -> *mut c_void {
    // SAFETY: as the caller promises.
    let Some(frame) = (unsafe { frame.as_ref() }) else { return std::ptr::null_mut() };
    // SAFETY: the first extension, if there is one, is as long as its kind says.
    if unsafe { told_version(frame) } {
        return std::ptr::null_mut();
    }
    // SAFETY: as the caller promises.
    let done = catch_unwind(AssertUnwindSafe(|| unsafe { execute(frame) }));
    let Wrong(code, message) = match done {
        Ok(Ok(())) => return std::ptr::null_mut(),
        Ok(Err(wrong)) => wrong,
        Err(_) => Wrong(INTERNAL, "this is a bug in Pullback".to_owned()),
    };
    let message = CString::new(message.replace('\0', " ")).unwrap_or_default();
    let head = Head { size: size_of::<NewError>(), extension: std::ptr::null() };
    let error = NewError { head, message: message.as_ptr(), code };
    // SAFETY: calls that execute have the interface.
    unsafe { ((*frame.api).create_error)(&error) }
}

/// Answers the question for the version, if this is it.
///
/// # Safety
/// As for [`handle`].
unsafe fn told_version(frame: &Frame) -> bool {
    // SAFETY: as the caller promises.
    unsafe {
        let Some(extension) = frame.head.extension.as_ref() else { return false };
        if extension.kind != METADATA {
            return false;
        }
        let extension = frame.head.extension.cast::<MetadataExtension>();
        let minor = frame.api.as_ref().map_or(0, |api| api.version.minor);
        if let Some(metadata) = (*extension).metadata.as_mut() {
            (metadata.version.major, metadata.version.minor) = (0, minor);
            metadata.traits = 0;
        }
        true
    }
}

/// The attributes of a call.
#[derive(Default)]
struct Asked<'f> {
    code: i64,
    skip: i64,
    batch: i64,
    batched: &'f [u8],
}

/// # Safety
/// As for [`handle`].
unsafe fn asked(frame: &Frame) -> Asked<'_> {
    let mut asked = Asked { code: -1, batch: -1, ..Asked::default() };
    let attributes = &frame.attributes;
    for at in 0..usize::try_from(attributes.count).unwrap_or(0) {
        // SAFETY: as the caller promises: there are so many kinds, names and items.
        unsafe {
            let (kind, item) = (*attributes.kinds.add(at), *attributes.items.add(at));
            let name = &**attributes.names.add(at);
            let name = slice(name.data, name.count);
            if kind == STRING {
                let text = &*item.cast::<Bytes>();
                if name == b"batched" {
                    asked.batched = slice(text.data, text.count);
                }
            } else if kind == SCALAR {
                let scalar = &*item.cast::<Scalar>();
                if scalar.dtype == S64 {
                    let value = *scalar.value.cast::<i64>();
                    match name {
                        b"code" => asked.code = value,
                        b"skip" => asked.skip = value,
                        b"batch" => asked.batch = value,
                        _ => {}
                    }
                }
            }
        }
    }
    asked
}

/// # Safety
/// There must be so many elements, unless there are none.
unsafe fn slice<'t, T>(data: *const T, count: usize) -> &'t [T] {
    if count == 0 || data.is_null() {
        return &[];
    }
    // SAFETY: as the caller promises.
    unsafe { std::slice::from_raw_parts(data, count) }
}

/// The elements of an argument.
enum Elements<'f> {
    Reals(Cow<'f, [f64]>),
    Ints(Cow<'f, [i64]>),
    Bools(Vec<bool>),
}

/// An argument: its sizes for one call, and how far it moves for the next.
struct Argument<'f> {
    elements: Elements<'f>,
    sizes: Vec<usize>,
    stride: usize,
}

impl Argument<'_> {
    fn given(&self, row: usize) -> Given<'_> {
        let count: usize = self.sizes.iter().product();
        let from = row * self.stride;
        let part = from..from + count;
        match (&self.elements, self.sizes.is_empty()) {
            (Elements::Reals(items), true) => Given::Real(items[from]),
            (Elements::Ints(items), true) => Given::Int(items[from]),
            (Elements::Bools(items), true) => Given::Bool(items[from]),
            (Elements::Reals(items), false) => Given::Reals(&items[part], &self.sizes),
            (Elements::Ints(items), false) => Given::Ints(&items[part], &self.sizes),
            (Elements::Bools(items), false) => Given::Bools(&items[part], &self.sizes),
        }
    }
}

/// # Safety
/// The buffer must be one of XLA's, which outlives the call.
unsafe fn argument(
    buffer: &Buffer,
    (elem, rank): (Elem, usize),
    batch: Option<usize>,
) -> Result<Argument<'_>, Wrong> {
    // SAFETY: a buffer has as many sizes as its rank says.
    let mut sizes = unsafe { sizes(buffer) };
    let count: usize = sizes.iter().product();
    if let Some(batch) = batch {
        if sizes.first() != Some(&batch) {
            return invalid("an argument has another leading axis than it should");
        }
        sizes.remove(0);
    }
    if sizes.len() != rank {
        return invalid(format!("an argument has {} dimensions, not {rank}", sizes.len()));
    }
    // SAFETY: a buffer has as many elements of its type as its sizes say.
    let elements = unsafe {
        match (elem, buffer.dtype) {
            (Elem::Real, F64) => Elements::Reals(slice(buffer.data.cast(), count).into()),
            (Elem::Real, F32) => {
                let items = slice::<f32>(buffer.data.cast(), count);
                Elements::Reals(items.iter().map(|item| f64::from(*item)).collect())
            }
            (Elem::Int, S64) => Elements::Ints(slice(buffer.data.cast(), count).into()),
            (Elem::Int, S32) => {
                let items = slice::<i32>(buffer.data.cast(), count);
                Elements::Ints(items.iter().map(|item| i64::from(*item)).collect())
            }
            (Elem::Bool, PRED) => {
                let items = slice::<u8>(buffer.data.cast(), count);
                Elements::Bools(items.iter().map(|item| *item != 0).collect())
            }
            // The package wraps no function with Strings.
            (Elem::Real | Elem::Int | Elem::Bool | Elem::Str, dtype) => {
                return invalid(format!("an argument has the unexpected type {dtype} of XLA"));
            }
        }
    };
    let stride = if batch.is_some() { sizes.iter().product() } else { 0 };
    Ok(Argument { elements, sizes, stride })
}

/// # Safety
/// As for [`argument`].
unsafe fn sizes(buffer: &Buffer) -> Vec<usize> {
    // SAFETY: as the caller promises.
    let sizes = unsafe { slice(buffer.sizes, usize::try_from(buffer.rank).unwrap_or(0)) };
    sizes.iter().map(|size| usize::try_from(*size).unwrap_or(0)).collect()
}

/// # Safety
/// As for [`handle`].
unsafe fn execute(frame: &Frame) -> Result<(), Wrong> {
    // SAFETY: as the caller promises.
    let asked = unsafe { asked(frame) };
    let functions = FUNCTIONS.read().unwrap_or_else(PoisonError::into_inner);
    let number = usize::try_from(asked.code).unwrap_or(usize::MAX);
    let Some(registered) = functions.get(number).cloned() else {
        return invalid("this process has not the function that is called: wrap it here");
    };
    drop(functions);
    // SAFETY: there are so many arguments and results, and all are buffers.
    let (arguments, results) = unsafe {
        let (arguments, results) = (&frame.arguments, &frame.results);
        (
            slice(arguments.items.cast::<&Buffer>(), usize::try_from(arguments.count).unwrap_or(0)),
            slice(results.items.cast::<&Buffer>(), usize::try_from(results.count).unwrap_or(0)),
        )
    };
    let skip = usize::try_from(asked.skip).unwrap_or(0);
    let gives = registered.gives.get(skip..).unwrap_or(&[]);
    if arguments.len() != registered.takes.len() || results.len() != gives.len() {
        return invalid("the function takes or gives another number of arrays");
    }
    let batch = usize::try_from(asked.batch).ok();
    let mut taken = Vec::with_capacity(arguments.len());
    for (at, (buffer, form)) in arguments.iter().zip(&registered.takes).enumerate() {
        let is_batched = asked.batched.get(at) == Some(&b'1');
        // SAFETY: as the caller promises.
        taken.push(unsafe { argument(buffer, *form, batch.filter(|_| is_batched)) }?);
    }
    for row in 0..batch.unwrap_or(1) {
        let gave = called(&registered, &taken, row)?;
        for (at, buffer) in gives.iter().zip(results) {
            // SAFETY: as the caller promises.
            unsafe { write(buffer, gave.get(*at), batch.map(|_| row)) }?;
        }
    }
    Ok(())
}

/// The results of one call.
fn called(registered: &Registered, taken: &[Argument<'_>], row: usize) -> Result<Vec<Gave>, Wrong> {
    let mut given: Vec<Given<'_>> = taken.iter().map(|argument| argument.given(row)).collect();
    for (at, like) in &registered.function.absent {
        let sizes = match given.get(*like) {
            Some(
                Given::Reals(_, sizes)
                | Given::Ints(_, sizes)
                | Given::Bools(_, sizes)
                | Given::Texts(_, sizes)
                | Given::Absent(sizes),
            ) => *sizes,
            Some(Given::Real(_) | Given::Int(_) | Given::Bool(_) | Given::Text(_)) | None => &[],
        };
        if *at <= given.len() {
            given.insert(*at, Given::Absent(sizes));
        }
    }
    let Registered { timeout, max_memory, .. } = registered;
    let watch = interrupt::watch();
    let allowed =
        Allowed { watch, timeout: *timeout, max_memory: *max_memory, ..Allowed::default() };
    registered.function.call(&given, &allowed).map_err(|failure| {
        let code = match failure.code() {
            "E0703" | "E0713" | "E0804" => INVALID_ARGUMENT,
            "E0709" => RESOURCE_EXHAUSTED,
            "E0711" => DEADLINE_EXCEEDED,
            _ => FAILED_PRECONDITION,
        };
        Wrong(code, failure.to_string())
    })
}

/// Writes a result to its place.
///
/// # Safety
/// The buffer must be one of XLA's, which outlives the call.
unsafe fn write(buffer: &Buffer, gave: Option<&Gave>, row: Option<usize>) -> Result<(), Wrong> {
    // SAFETY: as the caller promises.
    let mut wanted = unsafe { sizes(buffer) };
    if row.is_some() && !wanted.is_empty() {
        wanted.remove(0);
    }
    let found: &[usize] = match gave {
        Some(
            Gave::Reals(_, sizes)
            | Gave::Ints(_, sizes)
            | Gave::Bools(_, sizes)
            | Gave::Texts(_, sizes),
        ) => sizes,
        Some(Gave::Real(_) | Gave::Int(_) | Gave::Bool(_) | Gave::Text(_) | Gave::Absent)
        | None => &[],
    };
    if found != wanted {
        let text = format!("a result has the sizes {found:?}, but its type says {wanted:?}");
        return invalid(text);
    }
    let first = row.unwrap_or(0) * wanted.iter().product::<usize>();
    let narrow = |item: &i64| {
        i32::try_from(*item)
            .map_err(|_| Wrong(INVALID_ARGUMENT, format!("the Int {item} has more than 32 bits")))
    };
    // SAFETY: a buffer has as many elements of its type as its sizes say.
    unsafe {
        match (gave, buffer.dtype) {
            (Some(Gave::Real(x)), F64) => copy(buffer, first, &[*x]),
            (Some(Gave::Reals(items, _)), F64) => copy::<f64>(buffer, first, items),
            (Some(Gave::Real(x)), F32) => copy(buffer, first, &[*x as f32]),
            (Some(Gave::Reals(items, _)), F32) => {
                let items: Vec<f32> = items.iter().map(|item| *item as f32).collect();
                copy(buffer, first, &items);
            }
            (Some(Gave::Int(n)), S64) => copy(buffer, first, &[*n]),
            (Some(Gave::Ints(items, _)), S64) => copy::<i64>(buffer, first, items),
            (Some(Gave::Int(n)), S32) => copy(buffer, first, &[narrow(n)?]),
            (Some(Gave::Ints(items, _)), S32) => {
                let items = items.iter().map(narrow).collect::<Result<Vec<i32>, Wrong>>()?;
                copy(buffer, first, &items);
            }
            (Some(Gave::Bool(b)), PRED) => copy(buffer, first, &[*b]),
            (Some(Gave::Bools(items, _)), PRED) => copy::<bool>(buffer, first, items),
            (_, dtype) => return invalid(format!("a result has the unexpected type {dtype}")),
        }
    }
    Ok(())
}

/// # Safety
/// The buffer must have room for these elements from this one on.
unsafe fn copy<T: Copy>(buffer: &Buffer, first: usize, items: &[T]) {
    if !items.is_empty() {
        // SAFETY: as the caller promises.
        unsafe {
            let to = buffer.data.cast::<T>().add(first);
            std::ptr::copy_nonoverlapping(items.as_ptr(), to, items.len());
        }
    }
}
