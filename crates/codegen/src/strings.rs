//! Marshalling of Strings: how those that a call is given lie in memory, as blocks that loaded code only looks at.
//!
//! Input: Strings. Output: words, appended to some that have room for them, so that addresses stay what they are.
//!
//! ```text
//! "pull"            head of 4 words, 4, p u l l 0 0 0 0
//! ["a", "b"]        head of 4 words, address of "a", address of "b"; and then both
//! ```

use pullback_ir::Elem;

use crate::layout::elem_number;

/// The count of a block that is the caller's: loaded code frees nothing that is counted so high.
pub(crate) const BORROWED: i64 = 1 << 60;

/// The words of a block that holds so many bytes of a String: a head, how many there are, and they.
pub(crate) fn block_words(text: &str) -> usize {
    5 + text.len().div_ceil(8)
}

/// The words of blocks that hold these Strings as an array.
pub(crate) fn array_words(texts: &[String]) -> usize {
    4 + texts.len() + texts.iter().map(|text| block_words(text)).sum::<usize>()
}

/// Appends the head of a block with this room in words, so many of which are data values; gives its address.
fn put_head(elem: Elem, room: usize, cells: usize, to: &mut Vec<i64>) -> i64 {
    let at = to.len();
    let kind = i64::from(u32::MAX) | i64::from(elem_number(elem)) << 32;
    to.extend([BORROWED, kind, 8 * room as i64, cells as i64]);
    to[at..].as_ptr() as i64
}

/// Appends a String, for which there is room; gives its word.
pub(crate) fn put_string(text: &str, to: &mut Vec<i64>) -> i64 {
    let word = put_head(Elem::Bool, block_words(text) - 4, 0, to);
    to.push(text.len() as i64);
    let padded = |part: &[u8]| {
        let mut bytes = [0; 8];
        bytes[..part.len()].copy_from_slice(part);
        i64::from_ne_bytes(bytes)
    };
    to.extend(text.as_bytes().chunks(8).map(padded));
    word
}

/// Appends an array of Strings; gives the words of its block and of its first element.
pub(crate) fn put_strings(texts: &[String], to: &mut Vec<i64>) -> [i64; 2] {
    let block = put_head(Elem::Str, texts.len(), texts.len(), to);
    let first = to.len();
    to.extend(texts.iter().map(|_| 0));
    for (at, text) in texts.iter().enumerate() {
        to[first + at] = put_string(text, to);
    }
    [block, to[first..].as_ptr() as i64]
}
