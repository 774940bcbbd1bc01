//! What a line does.

use crate::commands::command;
use crate::prompt::{Next, Prompt};
use crate::reading::{Line, line};
use crate::said::Tell;

impl Prompt {
    /// Does what a line says. Whatever is wrong leaves the prompt as it was.
    pub fn line(&mut self, text: &str, tell: Tell<'_>) -> Next {
        self.watch().resume();
        self.watch().tell(None);
        match line(text) {
            Line::Empty => {}
            Line::Command(name, rest) => return command(self, name, rest, tell),
            Line::Items => self.define(text, tell),
            Line::Expression => self.evaluate(text, tell),
        }
        Next::More
    }
}
