//! The text of a prompt: a file that is loaded, and what was defined since.
//!
//! Law: a name that is defined anew takes the place of the one before, in the file too, where blanks take the place of its
//! text, so that lines keep their numbers.

use std::path::PathBuf;

use pullback_base::Span;
use pullback_syntax::ast::ItemKind;
use pullback_syntax::parse;

use crate::reading::declared;

/// The text of a prompt.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// The file that is loaded.
    pub file: Option<PathBuf>,
    base: String,
    added: Vec<String>,
}

impl Program {
    /// That of a file.
    pub fn of_file(file: PathBuf, base: String) -> Self {
        Self { file: Some(file), base, added: vec![] }
    }
    /// What the text is called.
    pub fn path(&self) -> PathBuf {
        self.file.clone().unwrap_or_else(|| PathBuf::from("<prompt>"))
    }
    /// The whole text.
    pub fn text(&self) -> String {
        let mut text = self.base.clone();
        for added in &self.added {
            if !text.is_empty() && !text.ends_with('\n') {
                text.push('\n');
            }
            text.push_str(added);
        }
        text
    }
    /// With some items more, and the offset at which they begin.
    pub fn with(&self, items: &str) -> (Self, usize) {
        let names = declared(items);
        let is_anew = |name: &(String, bool)| names.contains(name);
        let mut program = self.clone();
        program.base = without(&self.base, &is_anew);
        let kept = self.added.iter().map(|text| without(text, &is_anew));
        program.added = kept.filter(|text| !text.trim().is_empty()).collect();
        let start = program.text().len();
        program.added.push(format!("{}\n", items.trim()));
        (program, start)
    }
}

/// A text without the items of these names.
fn without(text: &str, is_gone: &dyn Fn(&(String, bool)) -> bool) -> String {
    let mut text = text.to_owned();
    for item in parse(&text.clone(), Span::NONE.file).module.items {
        let name = match &item.kind {
            ItemKind::Def(def) => (def.name.node.to_string(), false),
            ItemKind::Type(decl) => (decl.name.node.to_string(), true),
            ItemKind::Import(_) | ItemKind::Error => continue,
        };
        if is_gone(&name) {
            let range = item.span.range();
            let blank = |letter: char| {
                if letter == '\n' { "\n".to_owned() } else { " ".repeat(letter.len_utf8()) }
            };
            let blanks: String = text[range.clone()].chars().map(blank).collect();
            text.replace_range(range, &blanks);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::Program;

    #[test]
    fn what_is_defined_anew_takes_the_place_of_the_old() {
        let program = Program::of_file("a.pull".into(), "def f = 1\ndef g = f\n".to_owned());
        let (program, _) = program.with("def h = 3");
        let (program, start) = program.with("def f = 2");
        assert_eq!(program.text(), "         \ndef g = f\ndef h = 3\ndef f = 2\n");
        assert_eq!(&program.text()[start..], "def f = 2\n");
    }
}
