//! `pullback build`: writes the files of a library.

use std::path::{Path, PathBuf};

use pullback_base::{Diagnostic, Span};
use pullback_session::{Query, Stop};
use pullback_tools::{Built, shared_object};

use crate::options::{BuildArgs, Emit};

/// Makes a library and writes it into a folder; gives the paths of what has been written, one a line.
pub fn build(query: &mut Query<'_>, asked: &BuildArgs) -> Result<String, Stop> {
    let BuildArgs { output: folder, emit, .. } = asked;
    let request = asked.request();
    let library = pullback_tools::build(query, &request)?;
    let Built { name, header, source, parts, manifest } = &library;
    if let Err(error) = std::fs::create_dir_all(folder) {
        return unwritten(query, folder, &error);
    }
    let path = |ending: &str| folder.join(format!("{name}.{ending}"));
    let mut written: Vec<PathBuf> = vec![];
    let mut texts = vec![];
    if *emit == Emit::So {
        shared_object(query, &request, &library, &path("so"))?;
        written.push(path("so"));
    }
    if *emit == Emit::C {
        texts.push(("c".to_owned(), source));
        texts.extend(parts.iter().map(|(of, text)| (format!("{}.c", of.name()), text)));
    }
    texts.push(("h".to_owned(), header));
    if *emit != Emit::Header {
        texts.push(("json".to_owned(), manifest));
    }
    for (ending, text) in texts {
        if let Err(error) = std::fs::write(path(&ending), text) {
            return unwritten(query, &path(&ending), &error);
        }
        written.push(path(&ending));
    }
    let lines: Vec<String> = written.iter().map(|path| path.display().to_string()).collect();
    Ok(lines.join("\n"))
}

/// Reports that something cannot be written into the folder that was named.
pub fn unwritten<T>(query: &mut Query<'_>, path: &Path, error: &std::io::Error) -> Result<T, Stop> {
    let title = format!("cannot write `{}`: {error}", path.display());
    query.report(Diagnostic::error("E0801", Span::NONE, title, "").hint("choose another folder"));
    Err(Stop)
}
