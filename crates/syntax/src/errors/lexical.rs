//! Mistakes inside a token.

use pullback_base::{Diagnostic, FileId, Fix, Span};

use super::code;
use crate::scan::Found;
use crate::token::TokenKind;

/// What a callback of the scanner noticed; its offsets are relative to `base`.
pub(crate) fn found(text: &str, file: FileId, base: usize, found: Found) -> Diagnostic {
    match found {
        Found::OpenString { lo, hi } => open_string(Span::new(file, base + lo, base + hi)),
        Found::ForeignComment { lo } => {
            let len = if text[base + lo..].starts_with('#') { 1 } else { 2 };
            let span = Span::new(file, base + lo, base + lo + len);
            let diagnostic = foreign_comment(span);
            if is_division(text, base + lo) {
                diagnostic.fix(
                    "if this divides: `/` does, and of Ints it gives the quotient rounded down",
                    span,
                    "/",
                )
            } else {
                diagnostic
            }
        }
        Found::BadNumber { lo, hi } => {
            bad_number(&text[base + lo..base + hi], Span::new(file, base + lo, base + hi))
        }
    }
}

/// Whether `//` stands where an operator could: after an operand on its line.
fn is_division(text: &str, at: usize) -> bool {
    let before = text[..at].rsplit('\n').next().map_or("", str::trim_end);
    let is_operand = |c: char| c.is_alphanumeric() || matches!(c, '_' | '\'' | ')' | ']');
    text[at..].starts_with("//") && before.ends_with(is_operand)
}

fn open_string(span: Span) -> Diagnostic {
    Diagnostic::error(
        code::OPEN_STRING,
        span,
        "this string is never closed",
        "no `\"` before the end of the line",
    )
    .note("a string ends on the line it starts on")
    .fix("add the closing `\"`; write a line break as `\\n`", span.end(), "\"")
}

/// A comment of another language.
pub(crate) fn foreign_comment(span: Span) -> Diagnostic {
    Diagnostic::error(
        code::FOREIGN_COMMENT,
        span,
        "this is not how a comment starts",
        "not a comment here",
    )
    .fix("comments start with `--` and end with the line", span, "--")
}

fn bad_number(text: &str, span: Span) -> Diagnostic {
    let made = |label: &str| {
        Diagnostic::error(code::BAD_NUMBER, span, format!("`{text}` is not a number"), label)
    };
    let digits = text.trim_end_matches(|c: char| !c.is_ascii_digit());
    if text.starts_with("0x") || text.starts_with("0b") || text.starts_with("0o") {
        return made("only decimal numbers exist").fixes(
            "write the number in decimal",
            in_decimal(text).map(|number| Fix::new(span, number)),
        );
    }
    if let Some(whole) = text.strip_suffix('.') {
        return made("no digit after the point").fix(
            format!("write `{whole}.0` for a Real, `{whole}` for an Int"),
            span,
            format!("{whole}.0"),
        );
    }
    if text.ends_with('_') && !text.contains(|c: char| c.is_ascii_alphabetic()) {
        let digits = text.trim_end_matches('_');
        let hint = format!("underscores stand between digits: write `{digits}`");
        return made("an underscore at the end").fix(hint, span, digits);
    }
    let rest = &text[text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len())..];
    if rest == "e" || rest == "E" {
        return made("no digit after the exponent's `e`")
            .hint(format!("write the exponent, as in `{text}3`"));
    }
    if rest.is_empty() || digits.is_empty() {
        return made("not a number").hint("numbers look like `42`, `1_000`, `2.5` or `1e-3`");
    }
    let number = &text[..text.len() - rest.len()];
    let product = format!("{number} * {rest}");
    made("the number runs into a name").fix(
        format!("for a product, write `{product}`"),
        span,
        product,
    )
}

/// A number such as `.5`.
pub(crate) fn no_leading_zero(span: Span) -> Diagnostic {
    Diagnostic::error(
        code::BAD_NUMBER,
        span,
        "a number cannot start with a point",
        "no digit before the point",
    )
    .fix("write the leading zero, as in `0.5`", span.start(), "0")
}

/// Numbers that do not fit.
pub(crate) fn too_large(text: &str, kind: TokenKind, span: Span) -> Option<Diagnostic> {
    let digits = text.replace('_', "");
    let made = |title: String, note: &str, hint: &str, instead: &str| {
        let told = Diagnostic::error(code::NUMBER_TOO_LARGE, span, title, "too large");
        told.note(note).fix(hint, span, instead)
    };
    if kind == TokenKind::Real {
        let infinite = digits.parse::<f64>().is_ok_and(f64::is_infinite);
        let title = "this number is too large for a Real".to_owned();
        return infinite.then(|| {
            let hint = "write `inf` if infinity is meant";
            made(title, "the largest Real is about 1.8e308", hint, "inf")
        });
    }
    let too_large = digits.bytes().all(|byte| byte.is_ascii_digit())
        && digits.parse::<u64>().map_or(true, |value| value > 1 << 63);
    let title = "this number is too large for an Int".to_owned();
    too_large.then(|| {
        made(
            title,
            "the largest Int is 9223372036854775807",
            "for a Real, write it with a point or an exponent, as in `1e20`",
            &format!("{text}.0"),
        )
    })
}

/// A backslash in a string with an unknown letter after it.
pub(crate) fn bad_escape(text: &str, span: Span) -> Diagnostic {
    Diagnostic::error(code::BAD_ESCAPE, span, format!("`{text}` means nothing in a string"), "unknown escape")
        .note("the escapes are `\\n`, `\\t`, `\\r`, `\\0`, `\\\"`, `\\\\` and `\\u{…}` with a character's number in hexadecimal")
        .fix("write `\\\\` for a backslash", span.start(), "\\")
}

/// The value of a number such as `0xff`.
fn in_decimal(text: &str) -> Option<String> {
    let radix = match text.get(..2)? {
        "0x" => 16,
        "0o" => 8,
        _ => 2,
    };
    let value = i64::from_str_radix(&text[2..].replace('_', ""), radix).ok()?;
    Some(value.to_string())
}

/// Characters outside the language, with the rest of their line.
pub(crate) fn bad_characters(text: &str, rest: &str, span: Span) -> Diagnostic {
    let short: String = text.chars().take(20).collect();
    let shown = short.escape_debug().to_string();
    let made = Diagnostic::error(
        code::BAD_CHARACTER,
        span,
        format!("`{shown}` is not part of the language"),
        "not understood",
    );
    let first = text.chars().next().unwrap_or(' ');
    let meant = LOOK_ALIKES.iter().find(|(like, _)| like.contains(first)).map(|(_, meant)| *meant);
    match (meant, first) {
        (Some(meant), _) if text.chars().count() == 1 => {
            made.fix(format!("write `{meant}`"), span, meant)
        }
        (Some(meant), _) => made
            .fixes(format!("write `{meant}`"), all_meant(text).map(|meant| Fix::new(span, meant))),
        (None, '\'') => made
            .fixes("strings are written with double quotes: `\"text\"`", quoted(text, rest, span)),
        (None, '\u{1b}') => {
            let parameters = rest.strip_prefix('[').map_or(0, |rest| {
                let digits = rest.find(|c: char| !c.is_ascii_digit() && c != ';');
                digits.map_or(0, |digits| digits + 2)
            });
            let command = Span { hi: span.hi + u32::try_from(parameters).unwrap_or(0), ..span };
            let command = if text.chars().count() == 1 { command } else { span };
            made.fix("delete this character and what belongs to it; it is a command to a terminal, such as a change of colour", command, "")
        }
        (None, '?') => made.hint("a choice is written `if c then a else b`"),
        (None, c) if c.is_numeric() => made.fixes(
            "write numbers with the digits 0 to 9",
            full_width(text).map(|digits| Fix::new(span, digits)),
        ),
        (None, c) if c.is_alphabetic() => {
            made.note("names are made of the letters a to z and A to Z, digits, `_` and `'`").fixes(
                "spell the letter out, as in `alpha`",
                spelt_out(text).map(|letters| Fix::new(span, letters)),
            )
        }
        (None, c)
            if c.is_whitespace() || c.is_control() || !c.is_ascii() && !c.is_alphanumeric() =>
        {
            let blank = if text.chars().all(char::is_whitespace) { " " } else { "" };
            let hint = "delete this character; it may be an invisible one from copying";
            made.fix(hint, span, blank)
        }
        (None, _) => made.fix("delete it", span, ""),
    }
}

/// What several characters stand for, if each of them looks like something of the language.
fn all_meant(text: &str) -> Option<String> {
    let meant = |c: char| LOOK_ALIKES.iter().find(|(like, _)| like.contains(c));
    text.chars().map(|c| meant(c).map(|(_, meant)| *meant)).collect()
}

/// What makes `"text"` of `'text'`, if the rest of the line holds the second quote.
fn quoted(text: &str, rest: &str, span: Span) -> Option<Fix> {
    let inner = &rest[..rest.find('\'')?];
    if text != "'" || inner.contains('"') {
        return None;
    }
    let end = span.hi + u32::try_from(inner.len() + 1).ok()?;
    Some(Fix::new(Span { hi: end, ..span }, format!("\"{inner}\"")))
}

/// Digits of the width of Chinese characters as those of ASCII.
fn full_width(text: &str) -> Option<String> {
    let digit = |c: char| char::from_digit(u32::from(c).checked_sub(0xff10)?, 10);
    text.chars().map(digit).collect()
}

/// Greek letters by their names.
fn spelt_out(text: &str) -> Option<String> {
    let name = |c: char| GREEK.iter().find(|(letter, _)| *letter == c).map(|(_, name)| *name);
    text.chars().map(name).collect()
}

const GREEK: [(char, &str); 36] = [
    ('α', "alpha"),
    ('β', "beta"),
    ('γ', "gamma"),
    ('δ', "delta"),
    ('ε', "epsilon"),
    ('ζ', "zeta"),
    ('η', "eta"),
    ('θ', "theta"),
    ('ι', "iota"),
    ('κ', "kappa"),
    ('μ', "mu"),
    ('ν', "nu"),
    ('ξ', "xi"),
    ('π', "pi"),
    ('ρ', "rho"),
    ('σ', "sigma"),
    ('ς', "sigma"),
    ('τ', "tau"),
    ('υ', "upsilon"),
    ('φ', "phi"),
    ('χ', "chi"),
    ('ψ', "psi"),
    ('ω', "omega"),
    ('ϵ', "epsilon"),
    ('ϕ', "phi"),
    ('ϑ', "theta"),
    ('Γ', "Gamma"),
    ('Δ', "Delta"),
    ('Θ', "Theta"),
    ('Λ', "Lambda"),
    ('Ξ', "Xi"),
    ('Π', "Pi"),
    ('Σ', "Sigma"),
    ('Φ', "Phi"),
    ('Ψ', "Psi"),
    ('Ω', "Omega"),
];

/// Characters that editors and papers use for what the language spells in ASCII.
const LOOK_ALIKES: [(&str, &str); 15] = [
    ("λ", "\\"),
    ("→⟶↦", "->"),
    ("←", "<-"),
    ("×·∙⋅", "*"),
    ("÷", "/"),
    ("−–—", "-"),
    ("≤", "<="),
    ("≥", ">="),
    ("≠", "!="),
    ("∧", "&&"),
    ("∨", "||"),
    ("¬", "not"),
    ("“”„", "\""),
    ("‘’", "'"),
    ("²", "^ 2"),
];
