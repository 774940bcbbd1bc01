//! Expectations: the `--@` lines of a file.
//!
//! Input: a module's comments. Output: one [`Expectation`] a line, with the trees of its expressions,
//! or diagnostics that point into the line. The forms:
//!
//! ```text
//! --@ EXPR = EXPR                     equal (NaN equals NaN)
//! --@ EXPR ~= EXPR                    equal up to 1e-9, relative and absolute
//! --@ EXPR ~= EXPR within 1e-12      equal up to that
//! --@ EXPR fails E0701                ends in that error
//! --@ type NAME = TYPE                has that inferred type
//! --@ engines trace dual              run this file's lines on these engines only
//! ```

mod failure;

use std::ops::Range;

use pullback_base::{CODES, Diagnostic, SourceMap, Span};
use pullback_syntax::ast::{CommentKind, Expr, Module};
use pullback_syntax::parse_expr_at;

use pullback_base::did_you_mean;

pub use failure::{Failure, NO_COMPARISON, Reason};

/// A line of expectation.
#[derive(Clone, Debug)]
pub struct Expectation {
    /// The line without `--@`.
    pub span: Span,
    /// What it says.
    pub kind: ExpectationKind,
}

/// What a line of expectation says.
#[derive(Clone, Debug)]
pub enum ExpectationKind {
    /// `left = right`
    Equal(Box<Expr>, Box<Expr>),
    /// `left ~= right within tolerance`
    Close(Box<Expr>, Box<Expr>, f64),
    /// `expr fails code`
    Fails(Box<Expr>, String),
    /// `type name = text`
    Type(String, String),
    /// `engines name …`
    Engines(Vec<String>),
}

impl ExpectationKind {
    /// The expressions that it is about.
    pub fn expressions(&self) -> Vec<&Expr> {
        match self {
            Self::Equal(left, right) | Self::Close(left, right, _) => vec![left, right],
            Self::Fails(expr, _) => vec![expr],
            Self::Type(..) | Self::Engines(_) => vec![],
        }
    }
}

const TOLERANCE: f64 = 1e-9;

/// Reads the expectations of a module.
pub fn expectations(sources: &SourceMap, module: &Module) -> (Vec<Expectation>, Vec<Diagnostic>) {
    let mut found = Vec::new();
    let mut diagnostics = Vec::new();
    for comment in &module.comments {
        if comment.kind != CommentKind::Expectation {
            continue;
        }
        let text = sources.text(comment.span.file);
        let range = comment.span.range();
        let line =
            Line { text, range: trimmed(text, range.start + 3..range.end), span: comment.span };
        match line.read() {
            Ok(kind) => found.push(Expectation { span: line.span_of(line.range.clone()), kind }),
            Err(problems) => diagnostics.extend(problems),
        }
    }
    (found, diagnostics)
}

struct Line<'t> {
    text: &'t str,
    range: Range<usize>,
    span: Span,
}

type Read<T> = Result<T, Vec<Diagnostic>>;

impl Line<'_> {
    fn read(&self) -> Read<ExpectationKind> {
        let body = &self.text[self.range.clone()];
        if let Some(names) = body.strip_prefix("engines ") {
            let names = names.split_whitespace().map(str::to_owned).collect();
            return Ok(ExpectationKind::Engines(names));
        }
        if let Some(claim) = body.strip_prefix("type ") {
            return self.claim(claim);
        }
        let marks = marks(body);
        if let Some(at) = marks.iter().find(|mark| mark.what == What::Close).map(|mark| mark.at) {
            return self.close(at);
        }
        if let Some(fails) = self.fails(body) {
            return fails;
        }
        self.equal(marks.iter().rev().map(|mark| mark.at).collect())
    }
    fn claim(&self, claim: &str) -> Read<ExpectationKind> {
        match claim.split_once('=') {
            Some((name, ty)) if !ty.trim().is_empty() && !name.trim().is_empty() => {
                Ok(ExpectationKind::Type(name.trim().to_owned(), ty.trim().to_owned()))
            }
            _ => Err(vec![self.unreadable("a type is expected as `type NAME = TYPE`")]),
        }
    }
    fn close(&self, at: usize) -> Read<ExpectationKind> {
        let left = self.range.start..self.range.start + at;
        let mut right = self.range.start + at + 2..self.range.end;
        let mut tolerance = TOLERANCE;
        let text = &self.text[right.clone()];
        if let Some(word) = text.rfind(" within ") {
            let number = text[word + " within ".len()..].trim();
            tolerance = match number.parse::<f64>() {
                Ok(number) if number >= 0.0 => number,
                _ => return Err(vec![self.unreadable("after `within` stands a number")]),
            };
            right.end = right.start + word;
        }
        Ok(ExpectationKind::Close(self.expr(left)?, self.expr(right)?, tolerance))
    }
    fn fails(&self, body: &str) -> Option<Read<ExpectationKind>> {
        let at = body.rfind(" fails ")?;
        let code = body[at + " fails ".len()..].trim();
        if !code.starts_with('E') || code.contains(char::is_whitespace) {
            return None;
        }
        if pullback_base::title_of(code).is_none() {
            let known = CODES.iter().map(|(code, _)| *code).filter(|code| code.starts_with("E07"));
            let hint = did_you_mean("run-time error", code, known);
            return Some(Err(vec![
                self.unreadable(&format!("there is no error {code}")).hint(hint),
            ]));
        }
        let code = code.to_owned();
        let expr = self.expr(self.range.start..self.range.start + at);
        Some(expr.map(|expr| ExpectationKind::Fails(expr, code)))
    }
    /// Splits at the last `=` that leaves an expression on either side: `let x = 1 in f x = 2`.
    fn equal(&self, places: Vec<usize>) -> Read<ExpectationKind> {
        let mut problems = None;
        for at in places {
            let left = self.expr(self.range.start..self.range.start + at);
            let right = self.expr(self.range.start + at + 1..self.range.end);
            match (left, right) {
                (Ok(left), Ok(right)) => return Ok(ExpectationKind::Equal(left, right)),
                (Err(found), _) | (_, Err(found)) => problems = problems.or(Some(found)),
            }
        }
        Err(problems.unwrap_or_else(|| vec![self.unreadable("nothing is compared here")]))
    }
    fn expr(&self, range: Range<usize>) -> Read<Box<Expr>> {
        let range = trimmed(self.text, range);
        if range.is_empty() {
            return Err(vec![self.unreadable("an expression is missing here")]);
        }
        let (expr, problems) = parse_expr_at(self.text, range, self.span.file);
        if problems.is_empty() { Ok(Box::new(expr)) } else { Err(problems) }
    }
    fn span_of(&self, range: Range<usize>) -> Span {
        Span::new(self.span.file, range.start, range.end)
    }
    fn unreadable(&self, label: &str) -> Diagnostic {
        Diagnostic::error("E0815", self.span, "cannot read this expectation", label)
            .note("a comment that starts with `--@` says what must hold; `pullback test` checks it")
            .hint("write `--@ EXPR = EXPR`, `--@ EXPR ~= EXPR`, `--@ EXPR fails E0701` or `--@ type NAME = TYPE`")
    }
}

/// The range without white space at its ends.
fn trimmed(text: &str, range: Range<usize>) -> Range<usize> {
    let part = &text[range.clone()];
    let start = range.start + (part.len() - part.trim_start().len());
    start..(start + part.trim().len())
}

struct Mark {
    at: usize,
    what: What,
}

#[derive(PartialEq)]
enum What {
    Equal,
    Close,
}

/// Every lone `=` and every `~=` outside brackets and strings.
fn marks(body: &str) -> Vec<Mark> {
    let bytes = body.as_bytes();
    let mut marks = Vec::new();
    let mut depth = 0_usize;
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'"' => at = end_of_string(bytes, at),
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            b'~' if depth == 0 && bytes.get(at + 1) == Some(&b'=') => {
                marks.push(Mark { at, what: What::Close });
                at += 1;
            }
            b'=' if bytes.get(at + 1) == Some(&b'=') => at += 1,
            b'=' if depth == 0 && (at == 0 || !b"<>!~=".contains(&bytes[at - 1])) => {
                marks.push(Mark { at, what: What::Equal });
            }
            _ => {}
        }
        at += 1;
    }
    marks
}

/// The last byte of the string that starts here.
fn end_of_string(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while at < bytes.len() && bytes[at] != b'"' {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<ExpectationKind, String> {
        let mut sources = SourceMap::default();
        let file = sources.add("a.pull", line);
        let module = pullback_syntax::parse(line, file).module;
        let (mut found, problems) = expectations(&sources, &module);
        found.pop().map(|found| found.kind).ok_or_else(|| problems[0].title.clone())
    }

    #[test]
    fn every_form_is_read() {
        assert!(matches!(read("--@ f { a = 1 } = 2"), Ok(ExpectationKind::Equal(..))));
        assert!(matches!(read("--@ let x = 1 in x = 1"), Ok(ExpectationKind::Equal(..))));
        assert!(matches!(read("--@ 1 == 1 = true"), Ok(ExpectationKind::Equal(..))));
        assert!(matches!(read("--@ x ~= 1.0"), Ok(ExpectationKind::Close(_, _, 1e-9))));
        assert!(matches!(read("--@ x ~= 1.0 within 1e-3"), Ok(ExpectationKind::Close(_, _, 1e-3))));
        assert!(
            matches!(read("--@ engines trace dual"), Ok(ExpectationKind::Engines(names)) if names.len() == 2)
        );
        assert!(matches!(read("--@ type f = Real -> Real"), Ok(ExpectationKind::Type(..))));
    }

    #[test]
    fn what_is_no_expectation_is_said() {
        assert_eq!(read("--@ f =").unwrap_err(), "cannot read this expectation");
        assert_eq!(read("--@ = 1").unwrap_err(), "cannot read this expectation");
        assert_eq!(read("--@ f 2.0").unwrap_err(), "cannot read this expectation");
        assert!(read("--@ f 2.0 = = 4.0").is_err());
        assert_eq!(read("--@ f 2.0 fails E9999").unwrap_err(), "cannot read this expectation");
    }
}
