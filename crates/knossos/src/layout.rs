//! The usual layout of a program: what fits on a line stands on one, and comments stay before what they stood before.
//!
//! Input: nodes as they were read. Output: text that reads as the same nodes.

use crate::reader::{List, Node, NodeKind};

const WIDTH: usize = 100;

/// A program in the usual layout.
pub fn layout(program: &List) -> String {
    let mut writer = Writer { text: String::new() };
    for (at, node) in program.items.iter().enumerate() {
        // Definitions stand apart; what asks for derivatives of the one before stands below it.
        let is_wanted = head(node) == Some("gdef");
        let follows = at > 0 && is_wanted && node.before.is_empty();
        if at > 0 && !(follows && matches!(head(&program.items[at - 1]), Some("gdef" | "edef"))) {
            writer.text.push('\n');
        }
        writer.comments(&node.before, 0);
        writer.node(node, 0, 0);
        writer.text.push('\n');
    }
    writer.comments(&program.after, 0);
    writer.text
}

fn head(node: &Node) -> Option<&str> {
    node.round()?.first()?.word()
}

struct Writer {
    text: String,
}

impl Writer {
    /// Comments, each on a line of its own, up to the place where the next node begins.
    fn comments(&mut self, comments: &[(String, bool)], indent: usize) {
        for (comment, _) in comments {
            self.text.push_str(comment);
            self.line(indent);
        }
    }
    fn line(&mut self, indent: usize) {
        self.text.push('\n');
        self.text.push_str(&" ".repeat(indent));
    }
    fn column(&self) -> usize {
        let line = self.text.rfind('\n').map_or(0, |end| end + 1);
        self.text[line..].chars().count()
    }
    /// A node that begins here; so many brackets close behind it.
    fn node(&mut self, node: &Node, indent: usize, closing: usize) {
        if let Some(text) = on_one_line(node)
            && self.column() + text.chars().count() + closing <= WIDTH
        {
            self.text.push_str(&text);
            return;
        }
        match &node.kind {
            NodeKind::Round(list) => self.list('(', list, ')', indent, closing),
            NodeKind::Square(list) => self.list('[', list, ']', indent, closing),
            NodeKind::Int(_) | NodeKind::Float(_) | NodeKind::Str(_) | NodeKind::Word(_) => {
                self.text.push_str(&atom(node));
            }
        }
    }
    fn list(&mut self, open: char, list: &List, close: char, indent: usize, closing: usize) {
        self.text.push(open);
        let begin = self.column();
        let word = list.items.first().and_then(Node::word);
        // What belongs to the head stands beside it.
        let beside = match word {
            Some("def") => 4,
            Some("edef" | "gdef" | "rule" | "lam" | "let" | "if" | "assert") => 2,
            Some(_) => 1,
            None => 0,
        };
        let inner = if word.is_some() { indent + 2 } else { begin };
        let mut is_beside = true;
        for (at, node) in list.items.iter().enumerate() {
            if at > 0 {
                let fits = at < beside && is_beside && node.before.is_empty();
                if fits {
                    self.text.push(' ')
                } else {
                    self.line(inner)
                }
                is_beside &= fits;
            }
            self.comments(&node.before, inner);
            let is_last = at + 1 == list.items.len() && list.after.is_empty();
            let column = self.column();
            let place = if at > 0 && word == Some("let") && at == 1 { column } else { inner };
            let place = if at == 0 { begin } else { place };
            self.node(node, place, if is_last { closing + 1 } else { 0 });
        }
        if !list.after.is_empty() {
            self.line(inner);
            for (comment, _) in &list.after {
                self.text.push_str(comment);
                self.line(inner);
            }
        }
        self.text.push(close);
    }
}

/// A node without line breaks; none if there are comments in it.
fn on_one_line(node: &Node) -> Option<String> {
    let (open, list, close) = match &node.kind {
        NodeKind::Round(list) => ('(', list, ')'),
        NodeKind::Square(list) => ('[', list, ']'),
        NodeKind::Int(_) | NodeKind::Float(_) | NodeKind::Str(_) | NodeKind::Word(_) => {
            return Some(atom(node));
        }
    };
    if !list.after.is_empty() {
        return None;
    }
    let mut text = String::from(open);
    for (at, item) in list.items.iter().enumerate() {
        if !item.before.is_empty() {
            return None;
        }
        if at > 0 {
            text.push(' ');
        }
        text.push_str(&on_one_line(item)?);
        if text.len() > 4 * WIDTH {
            return None;
        }
    }
    text.push(close);
    Some(text)
}

fn atom(node: &Node) -> String {
    match &node.kind {
        NodeKind::Int(value) => value.to_string(),
        NodeKind::Float(value) => format!("{value:?}"),
        NodeKind::Word(word) => word.clone(),
        NodeKind::Str(text) => literal(text),
        NodeKind::Round(_) | NodeKind::Square(_) => String::new(),
    }
}

/// A text as Knossos writes it.
fn literal(text: &str) -> String {
    let mut out = String::from("\"");
    let mut after_code = false;
    for c in text.chars() {
        // `\&` keeps a digit out of the code before it.
        if after_code && c.is_ascii_digit() {
            out.push_str("\\&");
        }
        after_code = false;
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            _ if c.is_control() => {
                out.push_str(&format!("\\{}", u32::from(c)));
                after_code = true;
            }
            _ => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use pullback_base::FileId;

    use crate::reader::read;

    #[test]
    fn what_is_printed_reads_as_the_same_and_prints_as_itself() {
        let long = "x ".repeat(60);
        let text = format!(
            "; first\n(def f Float ; why\n (x : Float) (let ((y \"a\\n\\1\\&2\") ; z\n (z 1.0)) (g {long} ; end\n)))\n(gdef fwd [f Float]) ; last\n"
        );
        let once = super::layout(&read(&text, FileId(0)).0);
        let twice = super::layout(&read(&once, FileId(0)).0);
        assert_eq!(once, twice);
        let words = |text: &str| {
            format!(
                "{:?}",
                crate::token::tokens(text, FileId(0))
                    .0
                    .iter()
                    .map(|token| token.kind.clone())
                    .filter(|kind| !matches!(kind, crate::token::TokenKind::Comment(..)))
                    .collect::<Vec<_>>()
            )
        };
        assert_eq!(words(&text), words(&once));
    }
}
