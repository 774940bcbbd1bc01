//! The format of a file, as the least change of its text.

use std::path::Path;

use pullback_session::{Findings, Session};

use crate::edit::Edit;

/// The change that formats a file; none if it is formatted. A file with mistakes of syntax is not formatted.
pub fn format(session: &Session, path: &Path, text: &str) -> Result<Option<Edit>, Findings> {
    Ok(change(text, &session.format(path)?))
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
