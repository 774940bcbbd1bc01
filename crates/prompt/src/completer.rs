//! What could be written on a line: commands, files, and what editors are told.

use std::sync::{Arc, Mutex, PoisonError};

use pullback_ide::complete;
use reedline::{Completer, CompletionResult, Span, Suggestion};

use crate::commands::COMMANDS;
use crate::prompt::Prompt;
use crate::reading::{Line, line};

/// Completes lines of a prompt.
pub struct Candidates(pub Arc<Mutex<Prompt>>);

impl Completer for Candidates {
    fn complete(&mut self, line: &str, position: usize) -> CompletionResult {
        let prompt = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        CompletionResult::fresh(suggestions(&prompt, line, position))
    }
}

fn suggestion(text: &str, about: &str, span: Span) -> Suggestion {
    let description = (!about.is_empty()).then(|| about.to_owned());
    Suggestion { value: text.to_owned(), description, span, ..Suggestion::default() }
}

/// What could be written at a place of a line.
pub fn suggestions(prompt: &Prompt, text: &str, position: usize) -> Vec<Suggestion> {
    let written = &text[..position];
    let mut before = 0;
    if written.trim_start().starts_with(':') {
        let start = written.len() - written.trim_start().len() + 1;
        let Some(space) = written[start..].find(char::is_whitespace) else {
            let fits = COMMANDS.iter().filter(|(name, ..)| name.starts_with(&written[start..]));
            let span = Span::new(start, position);
            return fits.map(|(name, _, about)| suggestion(name, about, span)).collect();
        };
        before = start + space;
    }
    // The line stands behind the text of the prompt: its items as they are, an expression as that of a definition.
    let items = before == 0 && line(text) == Line::Items;
    let head = if items { "" } else { "\ndef zz_line =\n " };
    let known = format!("{}\n{head}", prompt.text());
    let whole = format!("{known}{}", &text[before..]);
    let offset = known.len() + position - before;
    let found = complete(prompt.session(), &prompt.path(), &whole, offset);
    let back = |at: usize| (at + before).saturating_sub(known.len());
    let span = Span::new(back(found.range.start), back(found.range.end));
    let word = &whole[found.range];
    let fits =
        found.candidates.iter().filter(|it| it.text.starts_with(word) && it.text != "zz_line");
    fits.map(|it| suggestion(&it.text, &it.detail, span)).collect()
}
