//! Values as NumPy archives and arrays, in the form that `--input` reads back.
//!
//! Input: values with their names and types. Output: the bytes of an `.npz` or `.npy` file, or a part that is no
//! numbers. `m.w` is the field `w` of the record `m`, `t.0` the first component of the tuple `t`; an
//! array of records is an array for each field; `()` is an array of size 0. Recursion is over types and
//! the depth of arrays.

use std::io::{Cursor, Write};
use std::rc::Rc;

use npyz::{AutoSerialize, WriteOptions, WriterBuilder};
use pullback_eval::{Array, Value};
use pullback_lambda::{Program, Type, TypeKind};
use zip::ZipWriter;
use zip::write::FileOptions;

use crate::bug::bug;
use crate::input::{dotted, parts};
use crate::value::{View, view};

/// The part of a type that no array of numbers holds: its name and its type in words.
pub fn no_numbers(program: &Program, name: &str, ty: &Type) -> Option<(String, String)> {
    if let Some(parts) = parts(ty) {
        return parts.iter().find_map(|(part, ty)| no_numbers(program, &dotted(name, part), ty));
    }
    match ty.kind() {
        TypeKind::Array(element) => no_numbers(program, name, element),
        TypeKind::Real | TypeKind::Int | TypeKind::Bool => None,
        TypeKind::Tuple(_) | TypeKind::Record(_) => None,
        TypeKind::Str | TypeKind::Data(_) | TypeKind::Fun(..) => {
            Some((name.to_owned(), program.show_type(ty)))
        }
    }
}

/// Whether values of a type are arrays of numbers, of any rank.
pub fn is_array(ty: &Type) -> bool {
    match ty.kind() {
        TypeKind::Array(element) => is_array(element),
        TypeKind::Real | TypeKind::Int | TypeKind::Bool => true,
        TypeKind::Tuple(_)
        | TypeKind::Record(_)
        | TypeKind::Str
        | TypeKind::Data(_)
        | TypeKind::Fun(..) => false,
    }
}

/// The array of a value of such a type.
pub fn to_npy(value: &Value, ty: &Type) -> Vec<u8> {
    let (mut element, mut depth) = (ty, 0);
    while let TypeKind::Array(inner) = element.kind() {
        (element, depth) = (inner, depth + 1);
    }
    let mut bytes = Vec::new();
    leaf(&mut bytes, value, element, depth);
    bytes
}

/// The archive of these values, all of whose parts are numbers. The empty name is that of the whole file.
pub fn to_npz<'v>(values: impl Iterator<Item = (String, &'v Value, &'v Type)>) -> Vec<u8> {
    let mut archive = Archive(ZipWriter::new(Cursor::new(Vec::new())));
    for (name, value, ty) in values {
        archive.add(&name, value.clone(), ty, 0);
    }
    in_memory(archive.0.finish()).into_inner()
}

/// The archive of a sparse matrix by columns, as SciPy's `load_npz` reads it.
pub fn to_sparse_npz(shape: [i64; 2], starts: &[i64], rows: &[i64], values: &[f64]) -> Vec<u8> {
    let mut archive = Archive(ZipWriter::new(Cursor::new(Vec::new())));
    let mut format = b"\x93NUMPY\x01\x00".to_vec();
    let header = "{'descr': '|S3', 'fortran_order': False, 'shape': (), }";
    format.extend(118_u16.to_le_bytes());
    format.extend(format!("{header:<117}\ncsc").into_bytes());
    archive.file("format", &format);
    let mut bytes = vec![];
    array(&mut bytes, &[2], &shape);
    archive.file("shape", &bytes);
    for (name, ints) in [("indptr", starts), ("indices", rows)] {
        bytes.clear();
        array(&mut bytes, &[ints.len() as u64], ints);
        archive.file(name, &bytes);
    }
    bytes.clear();
    array(&mut bytes, &[values.len() as u64], values);
    archive.file("data", &bytes);
    in_memory(archive.0.finish()).into_inner()
}

/// What is written to memory alone is written.
fn in_memory<T, E>(written: Result<T, E>) -> T {
    written.unwrap_or_else(|_| bug("an archive in memory can be written"))
}

struct Archive(ZipWriter<Cursor<Vec<u8>>>);

impl Archive {
    /// Adds the arrays of a value that is so many arrays of values of a type.
    fn add(&mut self, name: &str, value: Value, ty: &Type, depth: usize) {
        if let TypeKind::Array(element) = ty.kind() {
            return self.add(name, value, element, depth + 1);
        }
        let Some(parts) = parts(ty) else {
            return self.leaf(if name.is_empty() { "value" } else { name }, &value, ty, depth);
        };
        for (position, (part, ty)) in parts.iter().enumerate() {
            self.add(&dotted(name, part), component(&value, position, depth), ty, depth);
        }
    }
    fn leaf(&mut self, name: &str, value: &Value, ty: &Type, depth: usize) {
        let mut bytes = Vec::new();
        leaf(&mut bytes, value, ty, depth);
        self.file(name, &bytes);
    }
    fn file(&mut self, name: &str, bytes: &[u8]) {
        let large = bytes.len() as u64 > u64::from(u32::MAX / 2);
        let options = FileOptions::default()
            .compression_method(zip::CompressionMethod::Stored)
            .large_file(large);
        in_memory(self.0.start_file(format!("{name}.npy"), options));
        in_memory(self.0.write_all(bytes));
    }
}

/// Writes the array of a value that is so many arrays of values of a type without parts.
fn leaf(out: &mut Vec<u8>, value: &Value, ty: &Type, depth: usize) {
    let mut shape = sizes(value, depth);
    let mut flat = Flat::default();
    flat.add(value, depth);
    match ty.kind() {
        TypeKind::Real => array(out, &shape, &flat.reals),
        TypeKind::Int => array(out, &shape, &flat.ints),
        TypeKind::Bool => array(out, &shape, &flat.bools),
        TypeKind::Tuple(_) | TypeKind::Record(_) => {
            shape.push(0);
            array::<f64>(out, &shape, &[]);
        }
        TypeKind::Str | TypeKind::Data(_) | TypeKind::Fun(..) | TypeKind::Array(_) => {
            bug("what is written as arrays has been found to be numbers")
        }
    }
}

fn array<T: AutoSerialize + Copy>(out: &mut Vec<u8>, shape: &[u64], elements: &[T]) {
    let writer = WriteOptions::new().default_dtype().shape(shape).writer(out);
    let mut writer = in_memory(writer.begin_nd());
    in_memory(writer.extend(elements.iter().copied()));
    in_memory(writer.finish());
}

/// The component at a position of each of the tuples or records in an array of so many dimensions.
fn component(value: &Value, position: usize, depth: usize) -> Value {
    match view(value) {
        View::Array(items) if depth > 0 && items.is_empty() => {
            let rows = items.row_sizes();
            Value::Array(Rc::new(Array::without_rows(&rows[..rows.len().min(depth - 1)])))
        }
        View::Array(items) if depth > 0 => {
            Value::array(items.iter().map(|item| component(&item, position, depth - 1)).collect())
        }
        View::Tuple(items) => items[position].clone(),
        View::Array(_)
        | View::Bool(_)
        | View::Int(_)
        | View::Real(_)
        | View::Str(_)
        | View::Data(..)
        | View::Fun => bug("values fit their types"),
    }
}

/// The sizes of an array of so many dimensions, also where rows are absent.
fn sizes(value: &Value, depth: usize) -> Vec<u64> {
    let mut sizes = Vec::new();
    let mut value = value.clone();
    while sizes.len() < depth {
        let View::Array(items) = view(&value) else { bug("values fit their types") };
        sizes.push(items.len() as u64);
        let Some(first) = items.get(0) else {
            sizes.extend(items.row_sizes().iter().map(|size| *size as u64));
            // Sizes that are not known are those of rows that are not there.
            sizes.resize(depth, 0);
            break;
        };
        value = first;
    }
    sizes
}

/// Elements in order, of one kind.
#[derive(Default)]
struct Flat {
    reals: Vec<f64>,
    ints: Vec<i64>,
    bools: Vec<bool>,
}

impl Flat {
    fn add(&mut self, value: &Value, depth: usize) {
        match view(value) {
            View::Array(items) if depth > 0 => {
                if let Some(reals) = items.reals() {
                    self.reals.extend(reals);
                } else if let Some(ints) = items.ints() {
                    self.ints.extend(ints);
                } else {
                    items.iter().for_each(|item| self.add(&item, depth - 1));
                }
            }
            View::Real(real) => self.reals.push(real),
            View::Int(int) => self.ints.push(int),
            View::Bool(truth) => self.bools.push(truth),
            View::Tuple([]) => {}
            View::Tuple(_) | View::Array(_) | View::Str(_) | View::Data(..) | View::Fun => {
                bug("values fit their types")
            }
        }
    }
}
