//! Unmarshalling of results: values of the evaluator from the words that a run leaves.
//!
//! Input: a program, a type, and the address of the words of a value, in the memory of a run that is still open.
//! Output: the value, which shares nothing with that memory.
//!
//! Invariants. [`crate::layout`] says how the words lie. What is still to be made stands on a stack of tasks, so
//! nothing recurses over the data.
#![expect(unsafe_code, reason = "values are read where loaded code has them")]

use pullback_base::bug;
use pullback_ir::eval::{Items, Shape, Value};
use pullback_ir::{Elem, Program, Type};

use crate::layout::words;

/// What is still to be made of the words of a value.
enum Task {
    /// A value, at its words.
    Read(Type, *const i64),
    /// The latest values are the fields of this constructor.
    Con(u32, usize),
    /// The latest values are the elements of an array with these sizes.
    Array(Vec<usize>),
}

/// The value of words.
///
/// # Safety
/// The words must be those of a value of the type, in the memory of a run that is not closed.
pub(crate) unsafe fn read(program: &Program, ty: Type, words: *const i64) -> Value {
    let mut tasks = vec![Task::Read(ty, words)];
    let mut values: Vec<Value> = vec![];
    while let Some(task) = tasks.pop() {
        match task {
            // SAFETY: parts of a value are values too.
            Task::Read(ty, place) => unsafe {
                read_part(program, ty, place, &mut tasks, &mut values)
            },
            Task::Con(tag, count) => {
                let fields = values.split_off(values.len() - count);
                values.push(Value::data(tag, fields));
            }
            Task::Array(sizes) => {
                let shape = Shape::new(&sizes);
                let items = values.split_off(values.len() - shape.count());
                values.push(Value::array(shape, Items::Values(items)));
            }
        }
    }
    values.pop().unwrap_or_default()
}

/// # Safety
/// As [`read`].
unsafe fn read_part(
    program: &Program,
    ty: Type,
    place: *const i64,
    tasks: &mut Vec<Task>,
    values: &mut Vec<Value>,
) {
    if ty.is_array() {
        // SAFETY: as the caller promises.
        return unsafe { read_array(ty, place, tasks, values) };
    }
    // SAFETY: as the caller promises.
    let word = unsafe { place.read() };
    match ty.elem {
        Elem::Real => values.push(Value::Real(f64::from_bits(word as u64))),
        Elem::Int => values.push(Value::Int(word)),
        Elem::Bool => values.push(Value::Bool(word as u8 != 0)),
        // SAFETY: as the caller promises.
        Elem::Str => values.push(Value::str(&unsafe { string(&|at| literal(program, at), word) })),
        Elem::Unit => values.push(Value::Undef),
        Elem::Data(_) if word == 0 => values.push(Value::Undef),
        Elem::Data(_) if word & 1 == 1 => values.push(Value::data((word >> 1) as u32, vec![])),
        Elem::Data(data) => {
            let cell = word as *const i64;
            // SAFETY: a cell has its tag in the upper half of its second word, and its fields after that.
            let tag = (unsafe { cell.add(1).read() } >> 32) as u32;
            let fields = &program.datas[data].constructors[tag as usize].fields;
            tasks.push(Task::Con(tag, fields.len()));
            let mut parts = vec![];
            let mut at = 2;
            for field in fields {
                // SAFETY: as above.
                parts.push(Task::Read(*field, unsafe { cell.add(at) }));
                at += words(*field);
            }
            tasks.extend(parts.into_iter().rev());
        }
    }
}

/// # Safety
/// As [`read`].
unsafe fn read_array(ty: Type, place: *const i64, tasks: &mut Vec<Task>, values: &mut Vec<Value>) {
    // SAFETY: an array is its block, its first element and its sizes.
    let sizes: Vec<usize> =
        (0..usize::from(ty.rank)).map(|at| unsafe { place.add(2 + at).read() } as usize).collect();
    // SAFETY: as above.
    let items = unsafe { place.add(1).read() } as *const i64;
    let shape = Shape::new(&sizes);
    let count = if items.is_null() { 0 } else { shape.count() };
    // SAFETY: as many elements are there.
    let items = unsafe {
        match ty.elem {
            Elem::Real => Items::Real(copied(items.cast(), count)),
            Elem::Int => Items::Int(copied(items, count)),
            Elem::Bool => Items::Bool(copied(items.cast(), count)),
            Elem::Unit => Items::Unit,
            Elem::Str | Elem::Data(_) => {
                let element = ty.with_rank(0);
                tasks.push(Task::Array(sizes));
                tasks.extend((0..count).rev().map(|at| Task::Read(element, items.add(at))));
                return;
            }
        }
    };
    values.push(Value::array(shape, items));
}

/// # Safety
/// So many elements must be there.
unsafe fn copied<T: Copy>(items: *const T, count: usize) -> Vec<T> {
    if count == 0 {
        return vec![];
    }
    // SAFETY: as the caller promises; loaded code aligns elements.
    unsafe { std::slice::from_raw_parts(items, count) }.to_vec()
}

/// The text that has this place in the table of a program.
pub(crate) fn literal(program: &Program, at: usize) -> Option<String> {
    program.strings.iter().nth(at).map(ToString::to_string)
}

/// The String of a word: a literal of the program, or a block; of a word that nothing looks at it is empty.
///
/// # Safety
/// As [`read`].
pub(crate) unsafe fn string(literal: &dyn Fn(usize) -> Option<String>, word: i64) -> String {
    if word & 1 == 1 {
        return match literal((word >> 1) as usize) {
            Some(text) => text,
            None => bug("codegen", format_args!("a text of the table, not {word}")),
        };
    }
    if word == 0 {
        return String::new();
    }
    let block = word as *const i64;
    // SAFETY: after a head of four words come the length and the bytes.
    let text = unsafe { copied(block.add(5).cast::<u8>(), block.add(4).read() as usize) };
    String::from_utf8(text).unwrap_or_else(|_| bug("codegen", "a String in UTF-8"))
}
