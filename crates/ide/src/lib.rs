//! What an editor and a prompt ask about a program: a position in, plain data out.
//!
//! Input: a [`File`], which is what a session knows of one, and an offset in bytes. Output: data that any protocol can
//! carry. A file with mistakes answers wherever the text around the question is sound. Making a [`File`] recurses over
//! trees, so it belongs on a thread with a large stack
//! ([`STACK_BYTES`](pullback_session::STACK_BYTES)); the questions themselves recurse over nothing.

mod edit;
mod walk;

mod declared;
mod file;
mod meaning;

mod words;

mod actions;
mod completion;
mod definition;
mod diagnostics;
mod formatting;
mod hints;
mod hover;
mod imports;
mod layout;
mod lenses;
mod outline;
mod references;
mod rename;
mod signature;
mod tokens;

pub use actions::{Action, actions};
pub use completion::{Candidate, CandidateKind, Completions, complete};
pub use definition::definition;
pub use diagnostics::{Problem, ProposedFix, Related, problems};
pub use edit::Edit;
pub use file::File;
pub use formatting::{change, format, format_part};
pub use hints::{Hint, hints};
pub use hover::{Hover, hover};
pub use lenses::{Lens, LensKind, check_call, lenses, test_line};
pub use meaning::Meaning;
pub use outline::{Fold, FoldKind, Symbol, SymbolKind, folds, outline};
pub use references::{highlights, references};
pub use rename::{Refusal, renamable, rename};
pub use signature::{Signature, signature};
pub use tokens::{Token, TokenKind, tokens};
