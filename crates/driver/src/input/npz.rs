//! NumPy archives: names to arrays of numbers, in row-major order.
//!
//! Input: the bytes of an `.npz` file. Output: its arrays. A header is believed only as far as the
//! data behind it goes, so a lying one costs an error and no memory.

use std::io::{Cursor, Read};

use npyz::npz::NpzArchive;
use npyz::{DType, NpyFile, NpyHeader, Order, TypeChar};

use crate::files::MAX_FILE_BYTES;

/// An array of an archive.
#[derive(Debug, PartialEq)]
pub struct NpzArray {
    /// Its name.
    pub name: String,
    /// Its sizes, outermost first; none for a scalar.
    pub shape: Vec<usize>,
    /// Its elements, the last index running fastest.
    pub elements: Elements,
}

/// The elements of an array.
#[derive(Debug, PartialEq)]
pub enum Elements {
    /// Floating-point numbers.
    Reals(Vec<f64>),
    /// Integers.
    Ints(Vec<i64>),
    /// Truth values.
    Bools(Vec<bool>),
}

/// Headers longer than this are not of arrays of numbers.
const MAX_HEADER_BYTES: usize = 1 << 16;

/// Reads all arrays, in the order of their names, or says what is wrong with which.
pub fn read_npz(bytes: &[u8]) -> Result<Vec<NpzArray>, String> {
    let mut archive = NpzArchive::new(Cursor::new(bytes))
        .map_err(|error| format!("not a zip archive: {error}"))?;
    let mut names: Vec<String> = archive.array_names().map(str::to_owned).collect();
    names.sort();
    names.dedup();
    names
        .into_iter()
        .map(|name| {
            let member = npyz::npz::file_name_from_array_name(&name);
            let array = match archive.zip_archive().by_name(&member) {
                Ok(file) => read_member(file),
                Err(error) => Err(error.to_string()),
            };
            let (shape, elements) =
                array.map_err(|reason| format!("the array `{name}`: {reason}"))?;
            Ok(NpzArray { name, shape, elements })
        })
        .collect()
}

fn read_member(file: impl Read) -> Result<(Vec<usize>, Elements), String> {
    let mut bytes = Vec::new();
    file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err("it is larger than 1 GiB".to_owned());
    }
    check_header_text(&bytes)?;
    let mut data = bytes.as_slice();
    let header = NpyHeader::from_reader(&mut data).map_err(|error| error.to_string())?;
    let DType::Plain(number) = header.dtype() else {
        return Err(format!("its elements are {}, not numbers", header.dtype().descr()));
    };
    let shape = checked_shape(header.shape(), number.num_bytes().unwrap_or(0), data.len())?;
    let order = header.order();
    let kind = (number.type_char(), number.size_field());
    let file = NpyFile::with_header(header, data);
    let elements = match kind {
        (TypeChar::Float, 8) => Elements::Reals(numbers::<f64, _>(file, f64::from)?),
        (TypeChar::Float, 4) => Elements::Reals(numbers::<f32, _>(file, f64::from)?),
        (TypeChar::Int, 8) => Elements::Ints(numbers::<i64, _>(file, i64::from)?),
        (TypeChar::Int, 4) => Elements::Ints(numbers::<i32, _>(file, i64::from)?),
        (TypeChar::Int, 2) => Elements::Ints(numbers::<i16, _>(file, i64::from)?),
        (TypeChar::Int, 1) => Elements::Ints(numbers::<i8, _>(file, i64::from)?),
        (TypeChar::Uint, 8) => {
            let large: Vec<u64> = numbers(file, |number| number)?;
            let small = large.into_iter().map(i64::try_from).collect::<Result<_, _>>();
            Elements::Ints(small.map_err(|_| "a number is too large for an Int")?)
        }
        (TypeChar::Uint, 4) => Elements::Ints(numbers::<u32, _>(file, i64::from)?),
        (TypeChar::Uint, 2) => Elements::Ints(numbers::<u16, _>(file, i64::from)?),
        (TypeChar::Uint, 1) => Elements::Ints(numbers::<u8, _>(file, i64::from)?),
        (TypeChar::Bool, _) => Elements::Bools(numbers::<bool, _>(file, |truth| truth)?),
        _ => return Err(format!("its elements are of the kind '{number}', not numbers")),
    };
    Ok((shape.clone(), elements.in_rows(&shape, order)))
}

fn numbers<T: npyz::Deserialize, U>(
    file: NpyFile<&[u8]>,
    convert: impl Fn(T) -> U,
) -> Result<Vec<U>, String> {
    let numbers: Vec<T> = file.into_vec().map_err(|error| error.to_string())?;
    Ok(numbers.into_iter().map(convert).collect())
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
    if bytes > available as u64 {
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

impl Elements {
    fn in_rows(self, shape: &[usize], order: Order) -> Self {
        if order == Order::C || shape.len() < 2 {
            return self;
        }
        match self {
            Self::Reals(numbers) => Self::Reals(transposed(&numbers, shape)),
            Self::Ints(numbers) => Self::Ints(transposed(&numbers, shape)),
            Self::Bools(truths) => Self::Bools(transposed(&truths, shape)),
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
        assert!(checked_shape(&[u64::MAX, 2], 8, 100).is_err());
        assert!(checked_shape(&[1 << 40, 0], 8, 0).is_err());
        assert_eq!(checked_shape(&[0], 8, 0), Ok(vec![0]));
    }

    #[test]
    fn what_is_no_archive_is_refused() {
        assert!(read_npz(b"").is_err());
        assert!(read_npz(b"PK\x03\x04 and then nothing").is_err());
    }
}
