//! `pullback doc`: prints the reference, or writes its pages.

use std::path::Path;

use pullback_session::{Request, Stop};
use pullback_tools::{Markup, reference};

use crate::build::unwritten;
use crate::options::DocArgs;

/// What there is to say about a subject; of pages that were written, their paths, one a line.
pub fn doc(request: &mut Request<'_>, asked: &DocArgs) -> Result<String, Stop> {
    match (&asked.html, &asked.markdown) {
        (Some(folder), _) => pages(request, asked, Markup::Html, folder),
        (None, Some(folder)) => pages(request, asked, Markup::Markdown, folder),
        (None, None) => {
            pullback_tools::doc(request, asked.subject.as_deref(), asked.name.as_deref())
        }
    }
}

fn pages(
    request: &mut Request<'_>,
    asked: &DocArgs,
    markup: Markup,
    folder: &Path,
) -> Result<String, Stop> {
    let pages = reference(request, asked.subject.as_deref(), markup)?;
    if let Err(error) = std::fs::create_dir_all(folder) {
        return unwritten(request, folder, &error);
    }
    let mut written = vec![];
    for (name, text) in pages {
        let path = folder.join(name);
        if let Err(error) = std::fs::write(&path, text) {
            return unwritten(request, &path, &error);
        }
        written.push(path.display().to_string());
    }
    Ok(written.join("\n"))
}
