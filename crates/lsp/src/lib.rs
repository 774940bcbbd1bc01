//! The language server: thin over `pullback_ide`, which answers the questions.
//!
//! Input: a connection to an editor and a way to make sessions. Output: answers on the connection, until the editor says
//! that it is done. One thread reads and answers, and it wants a large stack
//! ([`STACK_BYTES`](pullback_session::STACK_BYTES)), since files are looked at there. Mistakes are told when the editor
//! has been quiet for a moment, so that of several edits the last one counts. A request that is cancelled while it waits
//! is not answered. What is run from a lens has a thread of its own, which the editor may stop.

mod capabilities;
mod convert;
mod documents;
mod uri;

mod state;

mod changes;

mod answers;
mod run;
mod server;

pub use lsp_server::{Connection, Message, Notification, Request, RequestId, Response};
pub use server::{MakeSession, serve, serve_stdio};
