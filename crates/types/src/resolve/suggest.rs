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
        let distance = distance(name, candidate);
        // A short name that shares no letter is no suggestion.
        let short = name.chars().count() <= 2 && name.chars().count() != candidate.chars().count();
        let too_far = short
            || distance > allowed
            || distance >= name.chars().count().max(candidate.chars().count());
        if !too_far && best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| Name::from(candidate))
}

/// Edit distance, a swap of neighbours counting as one; names are short.
fn distance(left: &str, right: &str) -> usize {
    let left: Vec<char> = left.chars().take(64).collect();
    let right: Vec<char> = right.chars().take(64).collect();
    let mut rows = vec![vec![0; right.len() + 1]; left.len() + 1];
    for (i, row) in rows.iter_mut().enumerate() {
        row[0] = i;
    }
    for (j, cell) in rows[0].iter_mut().enumerate() {
        *cell = j;
    }
    for i in 1..=left.len() {
        for j in 1..=right.len() {
            let differs = usize::from(!left[i - 1].eq_ignore_ascii_case(&right[j - 1]));
            let mut cost =
                (rows[i - 1][j] + 1).min(rows[i][j - 1] + 1).min(rows[i - 1][j - 1] + differs);
            if i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1] {
                cost = cost.min(rows[i - 2][j - 2] + 1);
            }
            rows[i][j] = cost;
        }
    }
    rows[left.len()][right.len()]
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn finds_what_was_meant() {
        assert_eq!(nearest("lenght", ["length", "size"]).as_deref(), Some("length"));
        assert_eq!(nearest("x", ["y", "z"]), None);
        assert_eq!(nearest("softmx", ["softmax", "softplus"]).as_deref(), Some("softmax"));
    }
}
