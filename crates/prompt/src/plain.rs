//! Lines from anything that is no terminal.

use std::io::BufRead;

use crate::interrupt::Interrupt;
use crate::prompt::{Next, Prompt};
use crate::reading::goes_on;
use crate::said::Said;

/// Does what the lines say, one after the other, until they end or one says so. A line that begins with white space goes
/// on with the one before, and so does one behind a beginning, until an empty line.
pub fn read_plainly(prompt: &mut Prompt, lines: impl BufRead, tell: &mut dyn FnMut(Said)) {
    let _interrupt = Interrupt::stopping(prompt.watch());
    let mut waiting = String::new();
    for (number, line) in lines.split(b'\n').map_while(Result::ok).enumerate() {
        let Ok(mut line) = String::from_utf8(line) else {
            if prompt.line(&std::mem::take(&mut waiting), tell) == Next::Quit {
                return;
            }
            let told = format!("line {} is no text in UTF-8, and is passed over", number + 1);
            tell(Said::Note(told));
            continue;
        };
        if line.ends_with('\r') {
            line.pop();
        }
        let is_more = line.starts_with(char::is_whitespace) && !line.trim().is_empty();
        let joins = !waiting.is_empty() && (is_more || (goes_on(&waiting) && !line.is_empty()));
        if joins {
            waiting.push('\n');
            waiting.push_str(&line);
            continue;
        }
        if prompt.line(&waiting, tell) == Next::Quit {
            return;
        }
        waiting = line;
    }
    prompt.line(&waiting, tell);
}
