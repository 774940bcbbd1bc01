//! The format of a file, as the least change of its text.

use std::ops::Range;
use std::path::Path;

use pullback_session::{Findings, Session};

use crate::edit::Edit;
use crate::file::File;

/// The change that formats a file; none if it is formatted. A file with mistakes of syntax is not formatted.
pub fn format(session: &Session, path: &Path, text: &str) -> Result<Option<Edit>, Findings> {
    Ok(change(text, &session.format(path)?))
}

/// The change that formats what a part of a file touches: whole definitions, types and imports, with the comments before
/// them. Mistakes elsewhere do not matter; none if there is nothing to change, or if there are mistakes of syntax inside.
pub fn format_part(file: &File, part: Range<usize>) -> Option<Edit> {
    if file.main().knossos.is_some() {
        // What is shown is what the program was made of.
        return None;
    }
    let text = file.text();
    let items = &file.main().module.items;
    let end = |item: usize| items[item].span.range().end;
    // An item begins behind the line in which the one before ends.
    let begins = |item: usize| {
        let Some(before) = item.checked_sub(1).map(end) else { return 0 };
        let own = items.get(item).map_or(text.len(), |it| it.span.range().start);
        text[before..own].find('\n').map_or(own, |line| before + line + 1)
    };
    let first = (0..items.len()).find(|item| begins(item + 1) > part.start)?;
    let last = (first..items.len()).rev().find(|item| begins(*item) < part.end.max(part.start + 1));
    let (from, to) = (begins(first), begins(last.unwrap_or(first) + 1));
    // Blank lines around stay as they are.
    let blank = text[from..to].len() - text[from..to].trim_start().len();
    let from = text[from..from + blank].rfind('\n').map_or(from, |line| from + line + 1);
    let to = from + text[from..to].trim_end().len();
    let formatted = pullback_syntax::format(&text[from..to]).ok()?;
    let Edit { range, text } = change(&text[from..to], formatted.trim_end())?;
    Some(Edit { range: from + range.start..from + range.end, text })
}

/// The change from one text to another, without what they begin and end with alike.
pub fn change(before: &str, after: &str) -> Option<Edit> {
    if before == after {
        return None;
    }
    let alike = before.bytes().zip(after.bytes()).take_while(|(a, b)| a == b).count();
    let mut start = alike;
    while !(before.is_char_boundary(start) && after.is_char_boundary(start)) {
        start -= 1;
    }
    let most = before.len().min(after.len()) - start;
    let backwards = before.bytes().rev().zip(after.bytes().rev());
    let mut end = backwards.take(most).take_while(|(a, b)| a == b).count();
    let is_boundary = |end: usize| {
        before.is_char_boundary(before.len() - end) && after.is_char_boundary(after.len() - end)
    };
    while !is_boundary(end) {
        end -= 1;
    }
    let text = after[start..after.len() - end].to_owned();
    Some(Edit { range: start..before.len() - end, text })
}

#[cfg(test)]
mod tests {
    use super::change;

    #[test]
    fn a_change_is_as_small_as_can_be() {
        for (before, after) in
            [("a  b", "a b"), ("", "x"), ("aβc", "aγc"), ("aa", "aaa"), ("x", "")]
        {
            let edit = change(before, after).expect("they differ");
            let mut text = before.to_owned();
            text.replace_range(edit.range.clone(), &edit.text);
            assert_eq!(text, after);
            assert!(edit.range.len() <= 2 && edit.text.len() <= 2, "{edit:?}");
        }
        assert_eq!(change("same", "same"), None);
    }
}
