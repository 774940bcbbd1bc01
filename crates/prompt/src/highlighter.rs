//! The colours of a line while it is written.

use nu_ansi_term::{Color, Style};
use pullback_syntax::{Class, classes};
use reedline::{Highlighter, StyledText};

/// Colours a line by the classes of its words.
pub struct Colours;

impl Highlighter for Colours {
    fn highlight(&self, line: &str, _cursor: usize) -> StyledText {
        let mut text = StyledText::new();
        let mut end = 0;
        for (range, class) in classes(line) {
            text.push((Style::new(), line[end..range.start].to_owned()));
            end = range.end;
            text.push((style(class), line[range].to_owned()));
        }
        text.push((Style::new(), line[end..].to_owned()));
        text
    }
}

fn style(class: Class) -> Style {
    match class {
        Class::Keyword => Style::new().fg(Color::Purple).bold(),
        Class::Upper => Style::new().fg(Color::Yellow),
        Class::Number | Class::Truth => Style::new().fg(Color::Cyan),
        Class::Text => Style::new().fg(Color::Green),
        Class::Comment(_) => Style::new().dimmed(),
        Class::Unknown => Style::new().fg(Color::Red),
        Class::Lower | Class::Operator | Class::Punctuation => Style::new(),
    }
}
