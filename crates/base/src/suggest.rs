//! "Did you mean": the known name nearest to a misspelt one.

/// The candidate nearest to `name`, if one is near enough to be meant: the first of [`nearest_few`].
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    nearest_few(name, candidates).first().copied()
}

/// The candidates nearest to `name` that are near enough to be meant: of its letters at most a third
/// differ. Of candidates as near, those with the same letters in another order, then those with the same first letter,
/// then the shorter ones: a letter too many is the commoner slip. Those that nothing tells apart are all given, up to three, one whose letters
/// are neighbours on the keyboard first.
pub fn nearest_few<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    // One letter changed makes another word of a short name: only its case may differ.
    let allowed = (name.chars().count() / 3).min(MOST);
    let mut best: Option<(usize, bool, bool, usize)> = None;
    let mut few: Vec<&str> = Vec::new();
    let near = candidates
        .into_iter()
        .filter(|candidate| *candidate != name)
        // The lengths are those of bytes, of which a letter has at most four.
        .filter(|candidate| name.len().abs_diff(candidate.len()) <= 4 * allowed)
        .filter_map(|candidate| Some((distance(name, candidate, allowed)?, candidate)));
    for (distance, candidate) in near {
        let has_other_letters = !same_letters(candidate, name);
        let begins_otherwise = candidate.chars().next() != name.chars().next();
        let key = (distance, has_other_letters, begins_otherwise, candidate.len());
        if best.is_none_or(|best| key < best) {
            best = Some(key);
            few.clear();
        }
        if best == Some(key) && !few.contains(&candidate) {
            few.push(candidate);
        }
    }
    few.sort_by_key(|candidate| far_keys(name, candidate));
    few.truncate(3);
    few
}

/// How many letters stand for others that are no neighbours on the keyboard.
fn far_keys(name: &str, candidate: &str) -> usize {
    let pairs = name.chars().zip(candidate.chars());
    let far = |(a, b): &(char, char)| {
        let (Some((row, column)), Some((other_row, other))) = (key(*a), key(*b)) else {
            return a != b;
        };
        row.abs_diff(other_row) > 1 || column.abs_diff(other) > 2
    };
    pairs.filter(far).count()
}

/// The row of a letter's key, and twice its place in the row: each row begins half a key further right.
fn key(letter: char) -> Option<(usize, usize)> {
    let letter = letter.to_ascii_lowercase();
    let mut rows = ["qwertyuiop", "asdfghjkl", "zxcvbnm"].iter().enumerate();
    rows.find_map(|(row, keys)| Some((row, 2 * keys.find(letter)? + row)))
}

/// A sentence that names the nearest of the known names, or lists them all.
pub fn did_you_mean<'a>(
    noun: &str,
    name: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> String {
    let known: Vec<&str> = known.into_iter().collect();
    let near = nearest_few(name, known.iter().copied());
    if !near.is_empty() {
        let near: Vec<String> = near.iter().map(|name| format!("`{name}`")).collect();
        return format!("did you mean {}?", near.join(" or "));
    }
    if known.is_empty() {
        return format!("there is no {noun} to choose");
    }
    let more = if known.len() > 12 { ", …" } else { "" };
    let shown: Vec<String> = known.iter().take(12).map(|name| format!("`{name}`")).collect();
    let plural = if noun.ends_with('s') { "es" } else { "s" };
    format!("there are the {noun}{plural} {}{more}", shown.join(", "))
}

/// Whether two names have the same letters, in whatever order and case.
pub fn same_letters(one: &str, other: &str) -> bool {
    sorted(one) == sorted(other)
}

/// The letters in alphabetic order, without their case.
fn sorted(name: &str) -> Vec<char> {
    let mut letters: Vec<char> = name.chars().map(|letter| letter.to_ascii_lowercase()).collect();
    letters.sort_unstable();
    letters
}

/// How many letters may differ in a long name.
const MOST: usize = 3;

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
    use super::{did_you_mean, nearest, nearest_few};

    #[test]
    fn what_nothing_tells_apart_is_all_given() {
        assert_eq!(nearest_few("sun", ["sin", "sum", "sun", "sum"]), ["sin", "sum"]);
        assert_eq!(nearest_few("sun", ["sun0", "sin"]), ["sin"]);
        // `k` lies beside `l`, and `q` far from it.
        assert_eq!(nearest_few("wakk", ["waqk", "walk"]), ["walk", "waqk"]);
        assert_eq!(nearest_few("abc", ["abd", "abe", "abf", "abx"]).len(), 3);
        assert_eq!(did_you_mean("command", "sun", ["sin", "sum"]), "did you mean `sin` or `sum`?");
        assert_eq!(did_you_mean("command", "", ["sin"]), "there are the commands `sin`");
    }

    #[test]
    fn finds_what_was_meant() {
        assert_eq!(nearest("lenght", ["length", "size"]), Some("length"));
        assert_eq!(nearest("deltaa", ["delta1", "delta"]), Some("delta"));
        assert_eq!(nearest("sni", ["snd", "sin"]), Some("sin"));
        assert_eq!(nearest("grd", ["rd", "grad"]), Some("grad"));
        assert_eq!(nearest("x", ["y", "z"]), None);
        assert_eq!(nearest("sumn", ["snum", "sum"]), Some("sum"));
        assert_eq!(nearest("tanhx", ["tnahx"]), Some("tnahx"));
        assert_eq!(nearest("softmx", ["softmax", "softplus"]), Some("softmax"));
    }

    #[test]
    fn near_names_are_found_and_far_ones_listed() {
        let known = ["loss", "predict", "train"];
        assert_eq!(did_you_mean("definition", "lsos", known), "did you mean `loss`?");
        assert_eq!(did_you_mean("definition", "Loss", known), "did you mean `loss`?");
        assert_eq!(
            did_you_mean("definition", "quux", known),
            "there are the definitions `loss`, `predict`, `train`"
        );
        assert_eq!(did_you_mean("pass", "quux", ["cse"]), "there are the passes `cse`");
    }
}
