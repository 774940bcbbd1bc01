//! The reference as text for a terminal.

use super::read::{Entry, Module};

/// How wide lines of prose are.
const WIDTH: usize = 90;

/// The modules with a line each.
pub fn overview(modules: &[Module]) -> String {
    let width = modules.iter().map(|module| module.name.len()).max().unwrap_or(0);
    let mut text = String::from(
        "The library. `pullback doc MODULE` and `pullback doc MODULE.NAME` tell more.\n\n",
    );
    for module in modules {
        let line = format!("{:width$}  {}", module.name, first_sentence(&module.about));
        text.push_str(&wrapped(&line, 2, width + 4));
    }
    text
}

/// A module: what it is for, then its definitions with their types and first sentences.
pub fn module(module: &Module) -> String {
    let mut text = format!("{}\n", module.name);
    if !module.about.is_empty() {
        text.push('\n');
        text.push_str(&prose(&module.about, 0));
    }
    for entry in &module.entries {
        if let Some(section) = &entry.section {
            text.push_str(&format!("\n{section}\n"));
        }
        text.push('\n');
        text.push_str(&summary(&one_line(&entry.head), entry));
    }
    text
}

/// A definition: its signature, its comment and its examples.
pub fn entry(module: &Module, entry: &Entry) -> String {
    let mut text = match module.name.as_str() {
        "built-in" => format!("{}, built in\n\n", entry.name),
        "prelude" => format!("{}, of the prelude\n\n", entry.name),
        name => format!("{name}.{}\n\n", entry.name),
    };
    for line in entry.head.lines() {
        text.push_str(&format!("  {line}\n"));
    }
    if !entry.comment.is_empty() {
        text.push('\n');
        text.push_str(&prose(&entry.comment, 0));
    }
    if !entry.examples.is_empty() {
        text.push_str("\nExamples, which are tests:\n\n");
        for example in &entry.examples {
            text.push_str(&format!("  {example}\n"));
        }
    }
    text
}

/// Definitions of the same name, with the modules they are in.
pub fn choice(places: &[(&Module, &Entry)]) -> String {
    let several = places.iter().map(|(module, entry)| {
        let head = one_line(&entry.head);
        let head = head.replacen(&entry.name, &format!("{}.{}", module.name, entry.name), 1);
        summary(&head, entry)
    });
    several.collect::<Vec<String>>().join("\n")
}

fn summary(head: &str, entry: &Entry) -> String {
    let line = wrapped(head, 2, 6);
    if entry.comment.is_empty() {
        return line;
    }
    line + &wrapped(&first_sentence(&entry.comment), 6, 6)
}

/// A signature without `def` on one line.
pub fn one_line(head: &str) -> String {
    let words: Vec<&str> = head.split_whitespace().collect();
    let line = words.join(" ");
    line.strip_prefix("def ").map(str::to_owned).unwrap_or(line)
}

/// The first sentence: up to a full stop before a space or at the end, outside of backticks.
pub fn first_sentence(text: &str) -> String {
    let paragraph = text.split("\n\n").next().unwrap_or("");
    let line = paragraph.split_whitespace().collect::<Vec<&str>>().join(" ");
    let mut quoted = false;
    for (at, c) in line.char_indices() {
        quoted ^= c == '`';
        if c == '.' && !quoted && line[at + 1..].chars().next().is_none_or(|next| next == ' ') {
            return line[..=at].to_owned();
        }
    }
    line
}

/// Paragraphs, broken anew; lines that are indented stay as they are.
fn prose(text: &str, indent: usize) -> String {
    let mut out = String::new();
    let mut paragraph: Vec<&str> = vec![];
    let flush = |paragraph: &mut Vec<&str>, out: &mut String| {
        if !paragraph.is_empty() {
            out.push_str(&wrapped(&paragraph.join(" "), indent, indent));
            paragraph.clear();
        }
    };
    for line in text.lines() {
        if line.is_empty() || line.starts_with("  ") {
            flush(&mut paragraph, &mut out);
            out.push_str(&format!("{line}\n"));
        } else {
            paragraph.push(line);
        }
    }
    flush(&mut paragraph, &mut out);
    out
}

/// Words in lines, the first one indented by `first` and the others by `rest`.
fn wrapped(text: &str, first: usize, rest: usize) -> String {
    let mut out = " ".repeat(first);
    let mut column = first;
    let mut begins = true;
    for word in text.split(' ') {
        let length = word.chars().count();
        if !begins && column + 1 + length > WIDTH {
            out = out.trim_end().to_owned() + "\n" + &" ".repeat(rest);
            column = rest;
            begins = true;
        }
        if !begins {
            out.push(' ');
            column += 1;
        }
        out.push_str(word);
        column += length;
        begins = false;
    }
    out.trim_end().to_owned() + "\n"
}

/// Text as HTML has it.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_ends_at_a_full_stop_before_a_space() {
        assert_eq!(
            first_sentence("Steps of `a . b` and 0.9 of\nit. More."),
            "Steps of `a . b` and 0.9 of it."
        );
        assert_eq!(first_sentence("No stop\n\n  import"), "No stop");
    }

    #[test]
    fn long_lines_are_broken_at_words() {
        let text = wrapped(&"word ".repeat(40), 2, 4);
        assert!(text.lines().all(|line| line.chars().count() <= WIDTH));
        assert_eq!(text.split_whitespace().count(), 40);
    }
}
