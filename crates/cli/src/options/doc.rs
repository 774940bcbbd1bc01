//! `doc`: what to tell about, and how.

use std::path::PathBuf;

use clap::Args;

/// What the help of `doc` ends with.
pub const SUBJECTS: &str = "\
Examples:
  pullback doc                    the modules of the library
  pullback doc linalg             what a module defines
  pullback doc linalg.cholesky    a definition: its type, what it does, examples
  pullback doc cholesky           the same, where the name is in one module or in scope everywhere
  pullback doc inv                what is near a name: a part of it, or what other languages call it
  pullback doc model.pull         what a file defines
  pullback doc --html reference   the reference of the library as pages";

/// What to tell about, and how.
#[derive(Debug, Args)]
pub struct DocArgs {
    /// A module of the library, a definition, or a file [default: the library].
    #[arg(value_name = "NAME|FILE")]
    pub subject: Option<String>,
    /// A definition of the module or the file.
    pub name: Option<String>,
    /// Write pages for a browser into this folder.
    #[arg(long, value_name = "DIR", conflicts_with = "name")]
    pub html: Option<PathBuf>,
    /// Write pages of Markdown into this folder.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["name", "html"])]
    pub markdown: Option<PathBuf>,
}
