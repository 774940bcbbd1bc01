//! `repl` and `lsp`: a session that somebody talks to, line by line or from an editor.

use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::sync::Arc;

use pullback_engines::REGISTRY;
use pullback_prompt::{Page, Prompt, Said, read_in_terminal, read_plainly};
use pullback_session::{Disk, Session, Settings};

use crate::exit::{SUCCESS, WRONG_USAGE};
use crate::lines::progress_line;
use crate::options::{Color, PAGE};
use crate::terminal::{draws_colours, error_line, page_width, print, report};
use crate::watcher::Watcher;

/// Serves a prompt; the exit code.
pub fn repl(color: Color, file: Option<PathBuf>, settings: Settings) -> u8 {
    let session = Session::with(settings, REGISTRY, Box::new(Disk));
    let colours = draws_colours(color);
    let page = Page { width: page_width().unwrap_or(PAGE), colours };
    let mut prompt = Prompt::new(session, page);
    let is_terminal = io::stdin().is_terminal();
    let watch = prompt.watch();
    let mut watcher = None;
    let mut tell = |said: Said| match said {
        Said::Begun => watcher = Watcher::over(watch.clone()),
        Said::Ended => watcher = None,
        Said::Defined(_) if !is_terminal => {}
        Said::Answer(_) | Said::Defined(_) | Said::Note(_) | Said::Findings(_) => say(said, color),
    };
    if let Some(file) = file {
        prompt.load(file, &mut tell);
    }
    if !is_terminal {
        read_plainly(&mut prompt, io::stdin().lock(), &mut tell);
        return SUCCESS;
    }
    print("Pullback. `:help` lists the commands, `:quit` ends it.");
    match read_in_terminal(prompt, colours, &mut tell) {
        Ok(()) => SUCCESS,
        Err(why) => {
            error_line(&format!("error: cannot read from the terminal: {why}"));
            WRONG_USAGE
        }
    }
}

fn say(said: Said, color: Color) {
    match said {
        Said::Begun | Said::Ended => {}
        // Whoever reads no answers is told no errors of theirs.
        Said::Answer(text) | Said::Defined(text) => {
            progress_line(None);
            print(&text);
        }
        Said::Note(text) => error_line(&text),
        Said::Findings(found) => report(&found.sources, &found.diagnostics, color),
    }
}

/// Serves an editor; the exit code.
pub fn lsp() -> u8 {
    let make = || Session::with(Settings::default(), REGISTRY, Box::new(Disk));
    match pullback_lsp::serve_stdio(Arc::new(make)) {
        Ok(()) => SUCCESS,
        Err(error) => {
            error_line(&format!("error: the editor breaks the protocol: {error}"));
            WRONG_USAGE
        }
    }
}
