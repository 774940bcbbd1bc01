//! NumPy archives: names to arrays of numbers, in row-major order.
//!
//! Input: the bytes of an `.npz` file. Output: its arrays. Data is unpacked piece by piece as far as there
//! is room for it, so a small file that unpacks to a large one costs an error and no memory.

use std::io::{Cursor, Read};

use pullback_base::{Limits, MAX_FILE_BYTES};
use pullback_eval::memory::Charge;
use zip::ZipArchive;

use super::Stopped;
use super::npy::{NamedArray, read_npy};

/// How much is unpacked between two looks at the limits, in bytes.
const PIECE: u64 = 1 << 20;
/// Reads all arrays, in the order of their names, or says what is wrong with which.
pub fn read_npz(bytes: &[u8], limits: &Limits) -> Result<Vec<NamedArray>, Stopped<String>> {
    let mut archive = ZipArchive::new(Cursor::new(bytes))
        .map_err(|error| format!("not a zip archive: {error}"))?;
    let mut names: Vec<String> = archive.file_names().map(str::to_owned).collect();
    if listed(bytes).is_some_and(|count| count > names.len()) {
        return Err(Stopped::Wrong("two of its members have one name".to_owned()));
    }
    names.sort();
    let mut arrays = Vec::new();
    for member in names {
        let Some(name) = member.strip_suffix(".npy") else {
            let reason = format!("its member `{member}` is no array: the name must end in `.npy`");
            return Err(reason.into());
        };
        let array = match archive.by_name(&member) {
            Ok(file) => {
                unpack(file, limits).and_then(|(bytes, _held)| read_npy(name, &bytes, limits))
            }
            Err(error) => Err(Stopped::Wrong(error.to_string())),
        };
        let told = |reason| format!("the array `{name}`: {reason}");
        arrays.push(array.map_err(|stopped| stopped.map(told))?);
    }
    Ok(arrays)
}

/// How many members the archive's directory lists, those of one name too, if it is of the usual size.
fn listed(bytes: &[u8]) -> Option<usize> {
    let at = bytes.windows(4).rposition(|window| window == b"PK\x05\x06")?;
    let count = bytes.get(at + 10..at + 12)?;
    let count = usize::from(u16::from_le_bytes([count[0], count[1]]));
    (count < usize::from(u16::MAX)).then_some(count)
}

/// The bytes of a member, with their place in the account of memory.
fn unpack(mut file: impl Read, limits: &Limits) -> Result<(Vec<u8>, Charge), Stopped<String>> {
    let mut bytes = Vec::new();
    let mut held = Charge::default();
    loop {
        // The storage doubles when it is full, and is copied then.
        limits.check(if bytes.capacity() - bytes.len() < PIECE as usize {
            2 * bytes.len()
        } else {
            0
        })?;
        let piece = file.by_ref().take(PIECE).read_to_end(&mut bytes);
        if piece.map_err(|error| error.to_string())? == 0 {
            return Ok((bytes, held));
        }
        held.set(bytes.capacity());
        if bytes.len() as u64 > MAX_FILE_BYTES {
            return Err(Stopped::Wrong("it is larger than 1 GiB".to_owned()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::no_limits;
    use super::*;
    use pullback_base::Exceeded;

    #[test]
    fn what_is_no_archive_is_refused() {
        assert!(read_npz(b"", &no_limits()).is_err());
        assert!(read_npz(b"PK\x03\x04 and then nothing", &no_limits()).is_err());
    }

    #[test]
    fn a_small_archive_of_a_large_array_stops_at_the_limits() {
        let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
        let deflated = zip::write::FileOptions::default();
        let deflated = deflated.compression_method(zip::CompressionMethod::Deflated);
        archive.start_file("xs.npy", deflated).unwrap();
        std::io::copy(&mut std::io::repeat(0).take(20 << 20), &mut archive).unwrap();
        let bytes = archive.finish().unwrap().into_inner();
        assert!(bytes.len() < 1 << 16);
        let memory = Limits { max_memory: 10 << 20, ..no_limits() };
        assert_eq!(read_npz(&bytes, &memory).unwrap_err(), Stopped::Exceeded(Exceeded::Memory));
        let Stopped::Wrong(reason) = read_npz(&bytes, &no_limits()).unwrap_err() else { panic!() };
        assert!(reason.contains("not in NumPy's format"), "{reason}");
    }

    #[test]
    fn unpacking_stops_at_the_limits() {
        let zeros = || std::io::repeat(0).take(20 << 20);
        let memory = Limits { max_memory: 10 << 20, ..no_limits() };
        assert_eq!(unpack(zeros(), &memory).unwrap_err(), Stopped::Exceeded(Exceeded::Memory));
        let time = Limits { timeout: Some(std::time::Duration::ZERO), ..no_limits() };
        assert_eq!(unpack(zeros(), &time).unwrap_err(), Stopped::Exceeded(Exceeded::Time));
        assert_eq!(unpack(zeros(), &no_limits()).unwrap().0.len(), 20 << 20);
    }
}
