//! Search in the reference: for who knows a part of a name, the name that another language has, or a word of what a
//! definition does.
//!
//! Input: words. Output: the definitions that fit all of them, the closest first.

use pullback_types::foreign_value;

use super::read::{Entry, Module};
use super::text::first_sentence;

/// How many definitions are told.
const MOST: usize = 8;

/// Shorter words than this fit beginnings of names only.
const LEAST: usize = 3;

/// The definitions that fit.
pub fn search<'m>(modules: &'m [Module], asked: &str) -> Vec<(&'m Module, &'m Entry)> {
    let words: Vec<String> = asked.split_whitespace().map(str::to_lowercase).collect();
    if words.is_empty() {
        return vec![];
    }
    let all = modules.iter().flat_map(|it| it.entries.iter().map(move |entry| (it, entry)));
    let mut fitting: Vec<(u32, usize, (&Module, &Entry))> = all
        .filter_map(|(module, entry)| {
            let ranks = words.iter().map(|word| rank(module, entry, word));
            let rank = ranks.sum::<Option<u32>>()?;
            Some((rank, entry.name.len(), (module, entry)))
        })
        .collect();
    fitting.sort_by_key(|(rank, length, _)| (*rank, *length));
    // Descriptions are told where no name fits.
    let in_names = fitting.iter().filter(|(rank, ..)| *rank < IN_WORDS).count();
    fitting.truncate(if in_names > 0 { in_names.min(MOST) } else { MOST });
    fitting.into_iter().map(|(_, _, place)| place).collect()
}

/// The rank of a definition whose description has the word.
const IN_WORDS: u32 = 10;

/// How far a definition is from a word; none if it does not fit.
fn rank(module: &Module, entry: &Entry, word: &str) -> Option<u32> {
    let name = entry.name.to_lowercase();
    let has_begin = |text: &str| text.split('_').any(|part| part.starts_with(word));
    if name == *word {
        return Some(0);
    }
    // A message about that name says what to write instead.
    let instead = foreign_value(word).unwrap_or("");
    let qualified = format!("{}.{}", module.name, entry.name);
    let mut quoted = instead.split('`').skip(1).step_by(2);
    let called = if module.in_scope { &entry.name } else { &qualified };
    if quoted.any(|code| code.split([' ', '(', ')']).any(|part| part == called)) {
        return Some(if name.starts_with(word) { 1 } else { 2 });
    }
    if name.starts_with(word) {
        return Some(3);
    }
    if has_begin(&name) {
        return Some(4);
    }
    if word.chars().count() < LEAST {
        return None;
    }
    if name.contains(word) {
        return Some(5);
    }
    if module.name.contains(word) {
        return Some(6);
    }
    let begins = |text: &str| {
        text.to_lowercase().split(|c: char| !c.is_alphanumeric()).any(|part| part.starts_with(word))
    };
    if begins(first_sentence(&entry.comment).as_ref()) {
        return Some(IN_WORDS);
    }
    begins(&entry.comment).then_some(IN_WORDS + 1)
}
