//! What a prompt has to say.

use pullback_session::Findings;

/// Something to say.
#[derive(Clone, Debug)]
pub enum Said {
    /// The answer to a line.
    Answer(String),
    /// What was defined, which nobody needs to hear who reads no prompt.
    Defined(String),
    /// A line that is worked on from now on, until its end is told.
    Begun,
    /// The end of what was begun.
    Ended,
    /// Something beside the answer.
    Note(String),
    /// What is wrong, or worth a warning.
    Findings(Findings),
}

/// Who is told.
pub type Tell<'t> = &'t mut dyn FnMut(Said);
