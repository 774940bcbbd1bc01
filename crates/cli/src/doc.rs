//! `pullback doc`: prints the reference, or writes its pages.

use std::path::Path;

use pullback_session::{Query, Stop};
use pullback_tools::{Markup, reference};

use crate::build::unwritten;
use crate::options::DocArgs;

/// What there is to say about a subject; of pages that were written, their paths, one a line.
pub fn doc(query: &mut Query<'_>, asked: &DocArgs) -> Result<String, Stop> {
    match (&asked.html, &asked.markdown) {
        (Some(folder), _) => pages(query, asked, Markup::Html, folder),
        (None, Some(folder)) => pages(query, asked, Markup::Markdown, folder),
        (None, None) => pullback_tools::doc(query, asked.subject.as_deref(), asked.name.as_deref()),
    }
}

fn pages(
    query: &mut Query<'_>,
    asked: &DocArgs,
    markup: Markup,
    folder: &Path,
) -> Result<String, Stop> {
    let pages = reference(query, asked.subject.as_deref(), markup)?;
    if let Err(error) = std::fs::create_dir_all(folder) {
        return unwritten(query, folder, &error);
    }
    let mut written = vec![];
    for (name, text) in pages {
        let path = folder.join(name);
        if let Err(error) = std::fs::write(&path, text) {
            return unwritten(query, &path, &error);
        }
        written.push(path.display().to_string());
    }
    Ok(written.join("\n"))
}
