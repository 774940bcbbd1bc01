//! Stable names: the text of a function depends on that function and on nothing beside it, so that it can be compiled
//! apart and kept (separate compilation, with interfaces by name).
//!
//! ```text
//! IR        fn @step.17(x.204: f64) -> f64 { y.205: f64 = mul(x.204, x.204) … }
//! C before  static double f17(pb_ctx *c, double v204) { double v205 = v204 * v204; … pb_fail_index(c, 31, …
//! C         static double f_0a1b2c3d(pb_ctx *c, double v0) { double v1 = v0 * v0; … pb_fail_index(c, 1184723, …
//! ```
//!
//! A function is known by a number that is the hash of its name, its type, and how many such functions come before it. A
//! place in the source is known by the hash of its function's number and how many places of that function come before
//! it. Local names are numbered in the order in which they stand (α-normalisation).
//!
//! Law: different functions of a program have different numbers, and so have different places. No global name is a
//! small letter and a number, as local names are.

use std::collections::hash_map::Entry;
use std::fmt::Write;

use pullback_base::{IdVec, Span};
use pullback_ir::{Elem, Func, FuncId, Program, Type};
use rustc_hash::{FxHashMap, FxHashSet};

/// A number below 2³¹ for these parts.
fn number(parts: &[&[u8]]) -> u32 {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    let [a, b, c, d, ..] = *hasher.finalize().as_bytes();
    u32::from_le_bytes([a, b, c, d]) >> 1
}

/// The numbers by which C and errors know functions.
pub(crate) fn function_numbers(program: &Program) -> IdVec<FuncId, u32> {
    let (mut before, mut taken) = (FxHashMap::<String, u32>::default(), FxHashSet::default());
    let numbers = program.funcs.iter().map(|func| {
        let kind = kind(program, func);
        let count = before.entry(kind.clone()).or_insert(0);
        loop {
            let number = number(&[kind.as_bytes(), &count.to_le_bytes()]);
            *count += 1;
            if taken.insert(number) {
                return number;
            }
        }
    });
    numbers.collect()
}

/// The name of something of this kind that belongs to a function of this number; names of its program begin with that.
pub(crate) fn named_by(prefix: &str, kind: &str, number: u32) -> String {
    format!("{prefix}{kind}_{number:08x}")
}

/// The name and the type of a function.
fn kind(program: &Program, func: &Func) -> String {
    let mut text = func.name.to_string();
    let params = func.params.iter().map(|param| program.vars[*param].ty);
    for ty in params.chain([Type::STR]).chain(func.results.iter().copied()) {
        text.push(',');
        match ty.elem {
            Elem::Real => text.push('R'),
            Elem::Int => text.push('I'),
            Elem::Bool => text.push('B'),
            Elem::Str => text.push('S'),
            Elem::Unit => text.push('U'),
            Elem::Data(data) => text.push_str(&program.datas[data].name),
        }
        text.push_str(&format!("{}{}", ty.rank, u8::from(ty.is_acc)));
    }
    text
}

/// The places in the source that errors name by number.
#[derive(Clone, Debug, Default)]
pub struct Sites {
    spans: FxHashMap<u32, Span>,
    numbers: FxHashMap<(Option<u32>, Span), u32>,
    /// How many places each function has so far.
    counts: FxHashMap<Option<u32>, u32>,
}

impl Sites {
    /// The number of a place in a function that is known by this number; or one of all places of a library, which has
    /// a table of them.
    pub(super) fn number(&mut self, function: Option<u32>, span: Span) -> u32 {
        if let Some(number) = self.numbers.get(&(function, span)) {
            return *number;
        }
        let count = self.counts.entry(function).or_insert(0);
        loop {
            let number = match function {
                Some(function) => number(&[&function.to_le_bytes(), &count.to_le_bytes()]),
                None => *count,
            };
            *count += 1;
            if let Entry::Vacant(free) = self.spans.entry(number) {
                free.insert(span);
                self.numbers.insert((function, span), number);
                return number;
            }
        }
    }

    /// The place of a number.
    pub(crate) fn span(&self, number: i64) -> Option<Span> {
        self.spans.get(&u32::try_from(number).ok()?).copied()
    }

    /// Those of these numbers.
    pub(crate) fn of(spans: impl Iterator<Item = (u32, Span)>) -> Self {
        Self { spans: spans.collect(), ..Self::default() }
    }

    /// All places with their numbers.
    pub(crate) fn all(&self) -> impl Iterator<Item = (u32, Span)> {
        self.spans.iter().map(|(number, span)| (*number, *span))
    }

    /// The places of a library, in order.
    pub(crate) fn in_order(&self) -> impl Iterator<Item = Span> {
        (0..).map_while(|number| self.span(number))
    }
}

/// The text of a function with its local names numbered in the order in which they stand.
pub(super) fn normalised(text: &str) -> String {
    let bytes = text.as_bytes();
    let (mut to, mut at) = (String::with_capacity(text.len()), 0);
    let mut numbers = FxHashMap::<&str, usize>::default();
    while at < bytes.len() {
        let end = at + token(&bytes[at..]);
        let word = &text[at..end];
        if bytes[at].is_ascii_lowercase() && bytes.get(at + 1).is_some_and(u8::is_ascii_digit) {
            let mut rest = word;
            while !rest.is_empty() {
                let is_digit = rest.starts_with(|c: char| c.is_ascii_digit());
                let end = rest.find(|c: char| c.is_ascii_digit() != is_digit);
                let (part, others) = rest.split_at(end.unwrap_or(rest.len()));
                if is_digit {
                    let next = numbers.len();
                    // Writing to a String does not fail.
                    let _ = write!(to, "{}", numbers.entry(part).or_insert(next));
                } else {
                    to.push_str(part);
                }
                rest = others;
            }
        } else {
            to.push_str(word);
        }
        at = end;
    }
    to
}

/// How long the token of C is with which a text begins: a name, a number, a literal, or one byte.
fn token(bytes: &[u8]) -> usize {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    match bytes[0] {
        quote @ (b'"' | b'\'') => {
            let mut at = 1;
            while at < bytes.len() && bytes[at] != quote {
                at += if bytes[at] == b'\\' { 2 } else { 1 };
            }
            (at + 1).min(bytes.len())
        }
        byte if byte.is_ascii_digit() => {
            let end = bytes.iter().position(|byte| !is_word(byte) && *byte != b'.');
            end.unwrap_or(bytes.len())
        }
        byte if is_word(&byte) => {
            bytes.iter().position(|byte| !is_word(byte)).unwrap_or(bytes.len())
        }
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn local_names_are_numbered_as_they_stand() {
        let text = "static double f_12(pb_ctx *c, R2 v40) {\n  k7 = v40.p[7] + 0x1.8p3 * u7_40e; /* v9 */ s = \"v40\";\n}\n";
        let expected = "static double f_12(pb_ctx *c, R2 v0) {\n  k1 = v0.p[7] + 0x1.8p3 * u1_0e; /* v2 */ s = \"v40\";\n}\n";
        assert_eq!(normalised(text), expected);
        assert_eq!(normalised(expected), expected);
    }

    #[test]
    fn numbers_are_different_and_hang_on_the_function_alone() {
        let parse = |text: &str| {
            let mut sources = pullback_base::SourceMap::default();
            pullback_ir::parse(text, sources.add("names.ir", text)).expect("a program")
        };
        let one = parse("fn @f.0(x.0: f64) -> f64 { yield x.0 }\nfn @g.1() -> f64 { yield 1.0 }\n");
        let more = parse(
            "fn @h.0() -> f64 { yield 2.0 }\nfn @f.1(x.0: f64) -> f64 { yield x.0 }\n\
             fn @f.2(x.1: i64) -> f64 { yield 2.0 }\nfn @f.3(x.2: f64) -> f64 { yield 3.0 }\n\
             fn @g.4() -> f64 { yield 1.0 }\n",
        );
        let (one, more) = (function_numbers(&one), function_numbers(&more));
        assert_eq!((one[FuncId(0)], one[FuncId(1)]), (more[FuncId(1)], more[FuncId(4)]));
        let different: FxHashSet<u32> = more.iter().copied().collect();
        assert_eq!(different.len(), 5);
    }

    #[test]
    fn places_are_known_by_their_function() {
        let span = |lo: u32| Span { file: pullback_base::FileId(0), lo, hi: lo + 1 };
        let mut sites = Sites::default();
        let numbers = [(1, 5), (1, 7), (1, 5), (2, 5)]
            .map(|(function, start)| sites.number(Some(function), span(start)));
        assert_eq!(numbers[0], numbers[2]);
        assert!(numbers[0] != numbers[1] && numbers[0] != numbers[3]);
        assert_eq!(sites.span(numbers[1].into()), Some(span(7)));
        // Places that come before in the file change nothing.
        let mut moved = Sites::default();
        assert_eq!(moved.number(Some(2), span(50)), numbers[3]);
        assert_eq!(sites.number(None, span(9)), 0);
    }
}
