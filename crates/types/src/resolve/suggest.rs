//! "Did you mean": the known name nearest to a misspelt one.

use pullback_base::Name;

/// The candidate nearest to `name`, if one is near enough to be meant.
pub(crate) fn nearest<'a>(
    name: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<Name> {
    let allowed = match name.chars().count() {
        0..=1 => 0,
        2..=3 => 1,
        4..=6 => 2,
        _ => 3,
    };
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates {
        if candidate.starts_with("__") || candidate == name {
            continue;
        }
        let lengths = (name.len(), candidate.len());
        if lengths.0.abs_diff(lengths.1) > 4 * allowed {
            // The lengths are those of bytes, of which a letter has at most four.
            continue;
        }
        let Some(distance) = distance(name, candidate, allowed) else { continue };
        // A short name that shares no letter is no suggestion.
        let short = name.chars().count() <= 2 && name.chars().count() != candidate.chars().count();
        let too_far = short || distance >= name.chars().count().max(candidate.chars().count());
        if !too_far && best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| Name::from(candidate))
}

/// How much of a name is compared.
const COMPARED: usize = 64;

/// Edit distance, a swap of neighbours counting as one, if it is at most `allowed`.
fn distance(left: &str, right: &str, allowed: usize) -> Option<usize> {
    let (left, left_len) = letters(left);
    let (right, right_len) = letters(right);
    let mut last = [0; COMPARED + 1];
    let mut row: [usize; COMPARED + 1] = std::array::from_fn(|j| j);
    for i in 1..=left_len {
        let before = std::mem::replace(&mut last, row);
        row[0] = i;
        for j in 1..=right_len {
            let differs = usize::from(!left[i - 1].eq_ignore_ascii_case(&right[j - 1]));
            row[j] = (last[j] + 1).min(row[j - 1] + 1).min(last[j - 1] + differs);
            if i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1] {
                row[j] = row[j].min(before[j - 2] + 1);
            }
        }
        // No later row has anything smaller than the least of two neighbouring ones.
        let least = |row: &[usize]| row[..=right_len].iter().all(|cost| *cost > allowed);
        if least(&row) && least(&last) {
            return None;
        }
    }
    Some(row[right_len]).filter(|distance| *distance <= allowed)
}

/// The first letters of a name and how many they are.
fn letters(name: &str) -> ([char; COMPARED], usize) {
    let mut letters = ['\0'; COMPARED];
    let mut count = 0;
    for (place, letter) in letters.iter_mut().zip(name.chars()) {
        *place = letter;
        count += 1;
    }
    (letters, count)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn finds_what_was_meant() {
        assert_eq!(nearest("lenght", ["length", "size"]).as_deref(), Some("length"));
        assert_eq!(nearest("x", ["y", "z"]), None);
        assert_eq!(nearest("sumn", ["snum", "sum"]).as_deref(), Some("sum"));
        assert_eq!(nearest("tanhx", ["tnahx"]).as_deref(), Some("tnahx"));
        assert_eq!(nearest("softmx", ["softmax", "softplus"]).as_deref(), Some("softmax"));
    }
}
