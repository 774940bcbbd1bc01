//! The text of an `einsum`: the indices of each operand, and those of the result.
//!
//! Input: a text, such as `ij,jk->ik`. Output: a [`Subscripts`], or a [`Fault`] with its place in the text. Blanks are
//! left out. As in NumPy, a text without `->` stands for one whose result has the indices that occur once in all,
//! upper-case letters before lower-case ones.
//!
//! Invariants: every index of the result is one of an operand and occurs once there; there are at least one and at most
//! [`MOST`] operands, and an operand has at most [`MOST`] indices.

use std::ops::Range;

/// How many operands there may be, and how many indices of one: as many as in NumPy.
pub(super) const MOST: usize = 64;

/// What a text says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Subscripts {
    /// The indices of each operand, outermost first.
    pub operands: Vec<Vec<char>>,
    /// The indices of the result, outermost first.
    pub result: Vec<char>,
}

/// What is wrong with a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Fault {
    pub kind: FaultKind,
    /// The bytes of the text that are wrong.
    pub place: Range<usize>,
}

/// How a text can be wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FaultKind {
    /// There is nothing in it.
    Empty,
    /// A character that is neither a letter nor a blank nor one of `,` and `->`.
    NoLetter(char),
    /// `...`
    Ellipsis,
    /// A second `->`.
    SecondArrow,
    /// A comma behind `->`.
    SecondResult,
    /// An index of the result that no operand has.
    OfNoOperand(char),
    /// An index that stands twice in the result.
    Twice(char),
    /// More operands, or more indices of one, than [`MOST`].
    TooMany,
}

/// A letter where it stands.
type Placed = (usize, char);

impl Subscripts {
    /// What a text says.
    pub fn read(text: &str) -> Result<Self, Fault> {
        if text.chars().all(|char| char == ' ') {
            return Err(Fault { kind: FaultKind::Empty, place: 0..text.len() });
        }
        let arrow = text.find("->");
        let operands = indices(&text[..arrow.unwrap_or(text.len())], 0)?;
        let is_too_long = |list: &Vec<Placed>| list.len() > MOST;
        if operands.len() > MOST || operands.iter().any(is_too_long) {
            return Err(Fault { kind: FaultKind::TooMany, place: 0..text.len() });
        }
        let letters =
            |list: &Vec<Placed>| -> Vec<char> { list.iter().map(|(_, letter)| *letter).collect() };
        let result = arrow.map(|arrow| result(text, arrow + 2, &operands)).transpose()?;
        let operands: Vec<Vec<char>> = operands.iter().map(letters).collect();
        let result = result.as_ref().map_or_else(|| once_in_all(&operands), letters);
        Ok(Self { operands, result })
    }

    /// All indices, in the order in which the operands name them.
    pub fn indices(&self) -> Vec<char> {
        distinct(self.operands.iter().flatten().copied())
    }
}

/// The characters without those that came before.
pub(super) fn distinct(letters: impl IntoIterator<Item = char>) -> Vec<char> {
    let mut seen = Vec::new();
    for letter in letters {
        if !seen.contains(&letter) {
            seen.push(letter);
        }
    }
    seen
}

/// The lists of indices between commas of a part of the text that begins at `start`.
fn indices(part: &str, start: usize) -> Result<Vec<Vec<Placed>>, Fault> {
    let mut lists = vec![vec![]];
    for (at, char) in part.char_indices() {
        let place = start + at;
        match char {
            ' ' => {}
            ',' => lists.push(vec![]),
            'a'..='z' | 'A'..='Z' => lists.last_mut().into_iter().for_each(|list| {
                list.push((place, char));
            }),
            '.' if part[at..].starts_with("...") => {
                return Err(Fault { kind: FaultKind::Ellipsis, place: place..place + 3 });
            }
            _ => {
                let kind = FaultKind::NoLetter(char);
                return Err(Fault { kind, place: place..place + char.len_utf8() });
            }
        }
    }
    Ok(lists)
}

/// The indices behind the arrow, which ends at `start`.
fn result(text: &str, start: usize, operands: &[Vec<Placed>]) -> Result<Vec<Placed>, Fault> {
    let part = &text[start..];
    let fault = |kind, at: usize, length: usize| Err(Fault { kind, place: at..at + length });
    if let Some(second) = part.find("->") {
        return fault(FaultKind::SecondArrow, start + second, 2);
    }
    if let Some(comma) = part.find(',') {
        return fault(FaultKind::SecondResult, start + comma, 1);
    }
    let result: Vec<Placed> = indices(part, start)?.into_iter().flatten().collect();
    for (before, (place, letter)) in result.iter().enumerate() {
        if result[..before].iter().any(|(_, known)| known == letter) {
            return fault(FaultKind::Twice(*letter), *place, 1);
        }
        if !operands.iter().flatten().any(|(_, known)| known == letter) {
            return fault(FaultKind::OfNoOperand(*letter), *place, 1);
        }
    }
    Ok(result)
}

/// The indices that occur once in all, in the order of their letters.
fn once_in_all(operands: &[Vec<char>]) -> Vec<char> {
    let all = || operands.iter().flatten();
    let mut once: Vec<char> = all()
        .copied()
        .filter(|letter| all().filter(|other| *other == letter).count() == 1)
        .collect();
    once.sort_unstable();
    once
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(subscripts: &Subscripts) -> String {
        let list = |letters: &Vec<char>| letters.iter().collect::<String>();
        let operands: Vec<String> = subscripts.operands.iter().map(list).collect();
        format!("{}->{}", operands.join(","), list(&subscripts.result))
    }

    #[test]
    fn what_is_left_out_is_as_in_numpy() {
        // The results are those of NumPy's own rule, `sorted` over the letters that occur once.
        for (short, long) in [
            ("ij,jk", "ij,jk->ik"),
            (" i j , j k -> i k ", "ij,jk->ik"),
            ("ba", "ba->ab"),
            ("bA,aB", "bA,aB->ABab"),
            ("ii", "ii->"),
            ("iij", "iij->j"),
            ("i,i", "i,i->"),
            (",i", ",i->i"),
            ("->", "->"),
            (",", ",->"),
            ("ij->", "ij->"),
        ] {
            assert_eq!(Subscripts::read(short).map(|read| text(&read)), Ok(long.to_owned()));
        }
    }

    #[test]
    fn every_text_is_read_or_told() {
        let parts = ["i", "j", "Z", ",", "->", " ", "-", ">", ".", "...", "\u{e9}", "\""];
        let mut texts = vec![String::new()];
        for _ in 0..4 {
            let longer = |text: &String| parts.map(|part| format!("{text}{part}"));
            texts.extend(texts.clone().iter().flat_map(longer));
            texts.sort_unstable();
            texts.dedup();
        }
        let mut read = 0;
        for text in &texts {
            match Subscripts::read(text) {
                Ok(Subscripts { operands, result }) => {
                    read += 1;
                    assert_eq!(
                        operands.len(),
                        text.split("->").next().map_or(0, |it| it.split(',').count())
                    );
                    assert_eq!(distinct(result.iter().copied()), result, "{text}");
                    assert!(
                        result.iter().all(|it| operands.iter().flatten().any(|other| other == it))
                    );
                }
                Err(Fault { place, .. }) => assert!(text.get(place).is_some(), "{text}"),
            }
        }
        assert!(read > 500, "{read} of {} texts", texts.len());
    }

    #[test]
    fn faults_are_told_with_their_places() {
        for (text, kind, place) in [
            ("", FaultKind::Empty, 0..0),
            ("  ", FaultKind::Empty, 0..2),
            ("i1->i", FaultKind::NoLetter('1'), 1..2),
            ("i,\u{e9}->i", FaultKind::NoLetter('\u{e9}'), 2..4),
            ("i-j", FaultKind::NoLetter('-'), 1..2),
            ("i.j", FaultKind::NoLetter('.'), 1..2),
            ("i->j>k", FaultKind::NoLetter('>'), 4..5),
            ("...i->i", FaultKind::Ellipsis, 0..3),
            ("i->...i", FaultKind::Ellipsis, 3..6),
            ("i->i->i", FaultKind::SecondArrow, 4..6),
            ("ij->i,j", FaultKind::SecondResult, 5..6),
            ("ij->ik", FaultKind::OfNoOperand('k'), 5..6),
            ("ij->iji", FaultKind::Twice('i'), 6..7),
        ] {
            assert_eq!(Subscripts::read(text), Err(Fault { kind, place }), "{text}");
        }
        let many = |count| Subscripts::read(&vec!["i"; count].join(",")).map(|_| ());
        assert_eq!(many(MOST), Ok(()));
        let place = 0..2 * MOST + 1;
        assert_eq!(many(MOST + 1), Err(Fault { kind: FaultKind::TooMany, place }));
        assert!(Subscripts::read(&"i".repeat(MOST)).is_ok());
        assert!(Subscripts::read(&"i".repeat(MOST + 1)).is_err());
    }
}
