//! "Did you mean": the known name nearest to one that is not known.

/// A sentence that names the nearest of the known names, or lists them all.
pub fn did_you_mean<'a>(
    noun: &str,
    name: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> String {
    let known: Vec<&str> = known.into_iter().collect();
    if let Some(near) = nearest(name, known.iter().copied()) {
        return format!("did you mean `{near}`?");
    }
    if known.is_empty() {
        return format!("there is no {noun} to choose");
    }
    let more = if known.len() > 12 { ", …" } else { "" };
    let shown: Vec<String> = known.iter().take(12).map(|name| format!("`{name}`")).collect();
    format!("there are the {noun}s {}{more}", shown.join(", "))
}

/// The name nearest to this one, if one is near enough to be meant.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let length = name.chars().count();
    // One letter changed makes another word of a short name: only its case may differ.
    let most = length.min(30) / 3;
    if length > 60 {
        return None;
    }
    known
        .into_iter()
        .map(|candidate| (distance(name, candidate), candidate))
        .filter(|(distance, _)| *distance <= most)
        // Of names as near, the shorter one: a letter too many is the commoner slip.
        .min_by_key(|(distance, candidate)| (*distance, candidate.len()))
        .map(|(_, candidate)| candidate)
}

/// Levenshtein's distance, where swapping two neighbours counts once.
fn distance(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.chars().flat_map(char::to_lowercase).collect();
    let b: Vec<char> = b.chars().flat_map(char::to_lowercase).collect();
    let mut rows = vec![(0..=b.len()).collect::<Vec<usize>>()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replace = rows[i - 1][j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = replace.min(rows[i - 1][j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(rows[i - 2][j - 2] + 1);
            }
            row.push(best);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_found_and_far_ones_listed() {
        let known = ["loss", "predict", "train"];
        assert_eq!(did_you_mean("definition", "lsos", known), "did you mean `loss`?");
        assert_eq!(did_you_mean("definition", "Loss", known), "did you mean `loss`?");
        assert_eq!(nearest("deltaa", ["delta1", "delta"]), Some("delta"));
        assert_eq!(
            did_you_mean("definition", "quux", known),
            "there are the definitions `loss`, `predict`, `train`"
        );
    }
}
