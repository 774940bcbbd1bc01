//! NumPy arrays: a shape and numbers, in row-major order.
//!
//! Input: the bytes of an `.npy` file. Output: the array. A header is believed only if the data behind it
//! is as long as it says.

use npyz::{DType, NpyFile, NpyHeader, Order, TypeChar};
use pullback_base::{Limits, MAX_FILE_BYTES};
use pullback_eval::memory::Charge;

use super::Stopped;
use super::table::Cells;

/// An array with a name.
#[derive(Clone, Debug)]
pub struct NamedArray {
    /// Its name; empty where it has none.
    pub name: String,
    /// Its sizes, outermost first; none for a scalar.
    pub shape: Vec<usize>,
    /// Its elements, the last index running fastest.
    pub elements: Elements,
    /// The memory of the elements.
    #[expect(dead_code, reason = "it is in the account while it lives")]
    held: Charge,
}

/// The elements of an array.
#[derive(Clone, Debug)]
pub enum Elements {
    /// Floating-point numbers.
    Reals(Vec<f64>),
    /// Integers.
    Ints(Vec<i64>),
    /// Truth values.
    Bools(Vec<bool>),
    /// Cells of a table, which are what the type wants them to be.
    Cells(Cells),
    /// No numbers, and why: an array that nobody uses may hold anything.
    Other(String),
}

/// Headers longer than this are not of arrays of numbers.
const MAX_HEADER_BYTES: usize = 1 << 16;

/// How many numbers are converted between two looks at the limits.
const TICK: usize = 1 << 16;

/// Reads an array, or says what is wrong with it.
pub fn read_npy(name: &str, bytes: &[u8], limits: &Limits) -> Result<NamedArray, Stopped<String>> {
    check_header_text(bytes)?;
    let mut data = bytes;
    let header = NpyHeader::from_reader(&mut data).map_err(|error| error.to_string())?;
    let other = |reason: String| {
        let (elements, held) = (Elements::Other(reason), Charge::default());
        Ok(NamedArray { name: name.to_owned(), shape: vec![], elements, held })
    };
    let DType::Plain(number) = header.dtype() else {
        return other(format!("its elements are {}, not numbers", header.dtype().descr()));
    };
    let kind = (number.type_char(), number.size_field());
    let strange = format!("its elements are of the kind '{number}', not numbers");
    let numeric =
        matches!(kind.0, TypeChar::Float | TypeChar::Int | TypeChar::Uint | TypeChar::Bool);
    let Some(width) = number.num_bytes().filter(|_| numeric) else { return other(strange) };
    let shape = checked_shape(header.shape(), width, data.len())?;
    let order = header.order();
    let file = NpyFile::with_header(header, data);
    let elements = match kind {
        (TypeChar::Float, 8) => Elements::Reals(numbers::<f64, _>(file, limits, Some)?),
        (TypeChar::Float, 4) => Elements::Reals(numbers(file, limits, widened::<f32, f64>)?),
        (TypeChar::Int, 8) => Elements::Ints(numbers::<i64, _>(file, limits, Some)?),
        (TypeChar::Int, 4) => Elements::Ints(numbers(file, limits, widened::<i32, i64>)?),
        (TypeChar::Int, 2) => Elements::Ints(numbers(file, limits, widened::<i16, i64>)?),
        (TypeChar::Int, 1) => Elements::Ints(numbers(file, limits, widened::<i8, i64>)?),
        (TypeChar::Uint, 8) => {
            Elements::Ints(numbers(file, limits, |number: u64| i64::try_from(number).ok())?)
        }
        (TypeChar::Uint, 4) => Elements::Ints(numbers(file, limits, widened::<u32, i64>)?),
        (TypeChar::Uint, 2) => Elements::Ints(numbers(file, limits, widened::<u16, i64>)?),
        (TypeChar::Uint, 1) => Elements::Ints(numbers(file, limits, widened::<u8, i64>)?),
        (TypeChar::Bool, _) => Elements::Bools(numbers::<bool, _>(file, limits, Some)?),
        _ => return other(strange),
    };
    let mut held = Charge::new(elements.bytes());
    if order == Order::Fortran && shape.len() > 1 {
        limits.check(elements.bytes())?;
    }
    let elements = elements.in_rows(&shape, order);
    held.set(elements.bytes());
    Ok(NamedArray { name: name.to_owned(), shape, elements, held })
}

/// A number that another type has too.
fn widened<T, U: From<T>>(number: T) -> Option<U> {
    Some(U::from(number))
}

/// The numbers of a file, each converted.
fn numbers<T: npyz::Deserialize, U>(
    file: NpyFile<&[u8]>,
    limits: &Limits,
    convert: impl Fn(T) -> Option<U>,
) -> Result<Vec<U>, Stopped<String>> {
    let count = usize::try_from(file.len()).map_err(|_| too_large())?;
    limits.check(count.saturating_mul(size_of::<U>()))?;
    let mut converted = Vec::with_capacity(count);
    for (at, number) in file.data::<T>().map_err(|error| error.to_string())?.enumerate() {
        if at % TICK == 0 {
            limits.check(0)?;
        }
        let number = convert(number.map_err(|error| error.to_string())?);
        converted.push(number.ok_or_else(|| "a number is too large for an Int".to_owned())?);
    }
    Ok(converted)
}

/// Refuses headers that would make the header's parser recurse deeply or multiply sizes beyond 2^64.
fn check_header_text(bytes: &[u8]) -> Result<(), String> {
    let Some(b"\x93NUMPY") = bytes.get(..6) else {
        return Err("it is not in NumPy's format".to_owned());
    };
    let (length, start) = match (bytes.get(6), bytes.get(8..10), bytes.get(8..12)) {
        (Some(1), Some(&[a, b]), _) => (usize::from(u16::from_le_bytes([a, b])), 10),
        (Some(2 | 3), _, Some(&[a, b, c, d])) => (u32::from_le_bytes([a, b, c, d]) as usize, 12),
        _ => return Err("it has an unknown version of NumPy's format".to_owned()),
    };
    let text =
        bytes.get(start..).and_then(|rest| rest.get(..length)).ok_or("its header is cut off")?;
    if length > MAX_HEADER_BYTES {
        return Err("its header is too long for an array of numbers".to_owned());
    }
    let mut depth = 0_usize;
    for byte in text {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > 8 {
            return Err("its header is nested too deeply for an array of numbers".to_owned());
        }
    }
    let text = String::from_utf8_lossy(text);
    let sizes = text.split_once("'shape'").map_or("", |(_, after)| after);
    let sizes = sizes.split_once('(').map_or("", |(_, inside)| inside);
    let sizes = sizes.split_once(')').map_or("", |(inside, _)| inside);
    sizes
        .split(',')
        .filter_map(|size| size.trim().trim_end_matches('L').parse::<u64>().ok())
        .try_fold(1_u64, u64::checked_mul)
        .map(|_| ())
        .ok_or_else(too_large)
}

/// The shape, if the data behind the header is as long as it says.
fn checked_shape(shape: &[u64], width: usize, available: usize) -> Result<Vec<usize>, String> {
    let mut elements = 1_u64;
    let mut most = 1_u64;
    for &size in shape {
        elements = elements.checked_mul(size).ok_or_else(too_large)?;
        most = most.max(elements);
    }
    let bytes = elements.checked_mul(width as u64).ok_or_else(too_large)?;
    if bytes != available as u64 {
        return Err(format!(
            "its header speaks of {bytes} bytes of numbers, but {available} bytes follow"
        ));
    }
    // An array such as 10^12 by 0 has no elements, but as a nested array 10^12 rows.
    if most > MAX_FILE_BYTES.min(elements.max(1 << 20)) {
        return Err(too_large());
    }
    shape.iter().map(|&size| usize::try_from(size).map_err(|_| too_large())).collect()
}

fn too_large() -> String {
    "its shape is larger than any memory".to_owned()
}

impl NamedArray {
    /// An array whose elements are cells of a table.
    pub fn of_cells(name: &str, shape: Vec<usize>, cells: Cells) -> Self {
        let (elements, held) = (Elements::Cells(cells), Charge::default());
        Self { name: name.to_owned(), shape, elements, held }
    }
}

impl Elements {
    fn bytes(&self) -> usize {
        match self {
            Self::Reals(numbers) => size_of_val(numbers.as_slice()),
            Self::Ints(numbers) => size_of_val(numbers.as_slice()),
            Self::Bools(truths) => size_of_val(truths.as_slice()),
            // The table is in the account itself.
            Self::Cells(_) | Self::Other(_) => 0,
        }
    }
    fn in_rows(self, shape: &[usize], order: Order) -> Self {
        if order == Order::C || shape.len() < 2 {
            return self;
        }
        match self {
            Self::Reals(numbers) => Self::Reals(transposed(&numbers, shape)),
            Self::Ints(numbers) => Self::Ints(transposed(&numbers, shape)),
            Self::Bools(truths) => Self::Bools(transposed(&truths, shape)),
            Self::Cells(_) | Self::Other(_) => self,
        }
    }
}

/// From column-major (first index fastest) to row-major order.
fn transposed<T: Copy>(items: &[T], shape: &[usize]) -> Vec<T> {
    let mut indices = vec![0; shape.len()];
    let mut result = Vec::with_capacity(items.len());
    for _ in 0..items.len() {
        let mut at = 0;
        for (index, size) in indices.iter().zip(shape).rev() {
            at = at * size + index;
        }
        result.push(items[at]);
        for (index, size) in indices.iter_mut().zip(shape).rev() {
            *index += 1;
            if *index < *size {
                break;
            }
            *index = 0;
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_become_rows() {
        // A 2 by 3 array with elements 10 * row + column, stored by columns.
        let stored = [0, 10, 1, 11, 2, 12];
        assert_eq!(transposed(&stored, &[2, 3]), [0, 1, 2, 10, 11, 12]);
    }

    #[test]
    fn shapes_are_believed_as_far_as_the_data_goes() {
        assert_eq!(checked_shape(&[2, 3], 8, 48), Ok(vec![2, 3]));
        assert!(checked_shape(&[2, 3], 8, 47).is_err());
        assert!(checked_shape(&[2, 3], 8, 56).is_err());
        assert!(checked_shape(&[u64::MAX, 2], 8, 100).is_err());
        assert!(checked_shape(&[1 << 40, 0], 8, 0).is_err());
        assert_eq!(checked_shape(&[0], 8, 0), Ok(vec![0]));
    }
}
