//! Code in pages for a browser: words in the colours of what they are.
//!
//! Input: text of the language, or of types. Output: HTML. Law: without its tags and escapes, it is the text.

use pullback_syntax::{Class, classes};

use super::text::escaped;

/// The part of a page's style that colours code.
pub const STYLE: &str = ".k{color:#8b2a8b}.t{color:#00609a}.n{color:#7a5200}.s{color:#2e6b2e}.o{color:#444}.c{color:#666}";

/// The text with its words marked.
pub fn coloured(text: &str) -> String {
    let mut html = String::new();
    let mut at = 0;
    for (range, class) in classes(text) {
        html.push_str(&escaped(&text[at..range.start]));
        let word = escaped(&text[range.clone()]);
        match style(class) {
            Some(style) => html.push_str(&format!("<span class=\"{style}\">{word}</span>")),
            None => html.push_str(&word),
        }
        at = range.end;
    }
    html.push_str(&escaped(&text[at..]));
    html
}

/// How a word looks; none if as plain text.
fn style(class: Class) -> Option<&'static str> {
    match class {
        Class::Keyword | Class::Truth => Some("k"),
        Class::Upper => Some("t"),
        Class::Number => Some("n"),
        Class::Text => Some("s"),
        Class::Operator => Some("o"),
        Class::Comment(_) => Some("c"),
        Class::Lower | Class::Punctuation | Class::Unknown => None,
    }
}

#[cfg(test)]
mod tests {
    use super::coloured;

    #[test]
    fn words_are_marked_and_the_rest_stays() {
        let html = "<span class=\"k\">def</span> f (x: <span class=\"t\">Real</span>) \
                    <span class=\"o\">=</span> x <span class=\"o\">&lt;</span> <span class=\"n\">2.0</span>";
        assert_eq!(coloured("def f (x: Real) = x < 2.0"), html);
    }
}
