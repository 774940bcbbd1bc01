//! Validation of object files: whether a file is a shared object that is whole enough to be loaded. What a compiler
//! made is checked before the loader maps it, as a file that is shorter than it says it is ends the process that reads
//! it.
//!
//! Input: an open file. Output: what is wrong with it, in words. Only objects of the kind that Linux has (ELF, 64 bits)
//! are looked into; the others are left to their loaders.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};

/// The bytes of the header of an object of 64 bits, and of an entry in its table of segments.
const HEADER: usize = 64;
const ENTRY: u64 = 56;
/// The kind of a shared object, and that of a segment that is loaded.
const SHARED: u64 = 3;
const LOADED: u64 = 1;

/// Checks a file: an error says in words what it is instead of a whole object.
pub(crate) fn check(file: &File) -> Result<(), &'static str> {
    let size = file.metadata().map_err(|_| "a file without a size")?.len();
    if size == 0 {
        return Err("an empty file");
    }
    if !cfg!(all(target_os = "linux", target_pointer_width = "64", target_endian = "little")) {
        return Ok(());
    }
    let bytes = |at: u64, count: u64| {
        let mut bytes = vec![0; count as usize];
        let mut reader = file;
        reader.seek(SeekFrom::Start(at)).and_then(|_| reader.read_exact(&mut bytes)).ok()?;
        Some(bytes)
    };
    let Some(header) = bytes(0, HEADER as u64) else { return Err("a file that is too short") };
    if !header.starts_with(b"\x7fELF\x02\x01") || number(&header, 16, 2) != SHARED {
        return Err("something else");
    }
    let (table, entries) = (number(&header, 32, 8), number(&header, 56, 2));
    if number(&header, 54, 2) != ENTRY || entries == 0 {
        return Err("something that cannot be loaded");
    }
    let Some(table) = bytes(table, ENTRY * entries) else { return Err("a part of one") };
    for entry in table.chunks_exact(ENTRY as usize) {
        let end = number(entry, 8, 8).checked_add(number(entry, 32, 8));
        if number(entry, 0, 4) == LOADED && end.is_none_or(|end| end > size) {
            return Err("a part of one");
        }
    }
    // Nothing that has been read changes where the loader begins.
    let mut reader = file;
    reader.rewind().map_err(|_| "a file that cannot be read again")
}

/// A number of so many bytes, the least first.
fn number(bytes: &[u8], at: usize, count: usize) -> u64 {
    bytes[at..at + count].iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
}
