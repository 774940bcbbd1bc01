//! Lines from a terminal: with history, colours, completion and lines that go on.

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use reedline::{
    ColumnarMenu, Emacs, FileBackedHistory, KeyCode, KeyModifiers, MenuBuilder, Prompt as Marks,
    PromptEditMode, PromptHistorySearch, Reedline, ReedlineEvent, ReedlineMenu, Signal,
    ValidationResult, Validator, default_emacs_keybindings,
};

use crate::completer::Candidates;
use crate::highlighter::Colours;
use crate::interrupt::Interrupt;
use crate::prompt::{Next, Prompt};
use crate::reading::goes_on;
use crate::said::Said;

/// How many lines are kept.
const KEPT: usize = 10_000;
const MENU: &str = "candidates";
/// What stands before a line.
const MARK: &str = "> ";

/// Does what the lines say that somebody writes, until he ends it. Gives the reason if the terminal is none.
pub fn read_in_terminal(
    prompt: Prompt,
    colours: bool,
    tell: &mut dyn FnMut(Said),
) -> Result<(), String> {
    let watch = prompt.watch();
    let prompt = Arc::new(Mutex::new(prompt));
    let mut editor = editor(&prompt, colours);
    loop {
        match editor.read_line(&Mark) {
            Ok(Signal::Success(line)) => {
                // Ctrl-C stops runs from here on, and belongs to the line again afterwards.
                let interrupt = Interrupt::stopping(watch.clone());
                let mut prompt = prompt.lock().unwrap_or_else(PoisonError::into_inner);
                tell(Said::Begun);
                let next = prompt.line(&line, tell);
                tell(Said::Ended);
                drop(interrupt);
                if next == Next::Quit {
                    return Ok(());
                }
            }
            Ok(Signal::CtrlD) => return Ok(()),
            Ok(Signal::CtrlC | Signal::HostCommand(_) | Signal::ExternalBreak(_)) | Ok(_) => {}
            Err(error) => return Err(error.to_string()),
        }
    }
}

fn editor(prompt: &Arc<Mutex<Prompt>>, colours: bool) -> Reedline {
    let menu = Box::new(ColumnarMenu::default().with_name(MENU).with_marker(MARK));
    let mut keys = default_emacs_keybindings();
    let complete = ReedlineEvent::UntilFound(vec![
        ReedlineEvent::Menu(MENU.to_owned()),
        ReedlineEvent::MenuNext,
    ]);
    keys.add_binding(KeyModifiers::NONE, KeyCode::Tab, complete);
    let mut editor = Reedline::create()
        .with_validator(Box::new(Whole))
        .with_completer(Box::new(Candidates(prompt.clone())))
        .with_quick_completions(true)
        .with_partial_completions(true)
        .with_menu(ReedlineMenu::EngineCompleter(menu))
        .with_edit_mode(Box::new(Emacs::new(keys)))
        .with_ansi_colors(colours);
    if colours {
        editor = editor.with_highlighter(Box::new(Colours));
    }
    // Without a place for it there is a history of this time only.
    match history().and_then(|path| FileBackedHistory::with_file(KEPT, path).ok()) {
        Some(history) => editor.with_history(Box::new(history)),
        None => editor,
    }
}

/// Where lines are kept.
fn history() -> Option<PathBuf> {
    let own = std::env::var_os("XDG_STATE_HOME").map(PathBuf::from);
    let own = own.filter(|path| path.is_absolute());
    let state = own.or_else(|| {
        std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".local").join("state"))
    });
    Some(state?.join("pullback").join("history"))
}

/// A line that goes on is not done.
struct Whole;

impl Validator for Whole {
    fn validate(&self, line: &str) -> ValidationResult {
        // An empty line ends one that goes on.
        if goes_on(line) && !line.ends_with("\n") {
            ValidationResult::Incomplete
        } else {
            ValidationResult::Complete
        }
    }
}

/// What stands before lines.
struct Mark;

impl Marks for Mark {
    fn render_prompt_left(&self) -> Cow<'_, str> {
        Cow::Borrowed("")
    }
    fn render_prompt_right(&self) -> Cow<'_, str> {
        Cow::Borrowed("")
    }
    fn render_prompt_indicator(&self, _: PromptEditMode) -> Cow<'_, str> {
        Cow::Borrowed(MARK)
    }
    fn render_prompt_multiline_indicator(&self) -> Cow<'_, str> {
        Cow::Borrowed("| ")
    }
    fn render_prompt_history_search_indicator(&self, _: PromptHistorySearch) -> Cow<'_, str> {
        Cow::Borrowed("history> ")
    }
}
