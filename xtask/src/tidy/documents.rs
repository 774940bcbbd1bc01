//! Documents stay true: the paths they name exist, every code has its page.

use pullback_base::CODES;

use super::repository::Repository;

/// Paths in ARCHITECTURE.md, written in backquotes with a slash or an ending, that do not exist.
pub fn architecture(repository: &Repository) -> Vec<String> {
    const FILE: &str = "ARCHITECTURE.md";
    let Some(text) = repository.text(FILE) else { return vec![format!("{FILE}: is missing")] };
    let mut breaches = Vec::new();
    let mut fenced = false;
    for (number, line) in text.lines().enumerate() {
        if line.starts_with("```") {
            fenced = !fenced;
        }
        if fenced {
            continue;
        }
        for quoted in line.split('`').skip(1).step_by(2) {
            if is_path(quoted) && !repository.root.join(quoted).exists() {
                breaches.push(format!("{FILE}:{}: there is no `{quoted}`", number + 1));
            }
        }
    }
    breaches
}

/// Tests that docs/GUARANTEES.md names in backquotes, as `file` or `file::function`, and that do not exist.
pub fn guarantees(repository: &Repository) -> Vec<String> {
    const FILE: &str = "docs/GUARANTEES.md";
    let Some(text) = repository.text(FILE) else { return vec![format!("{FILE}: is missing")] };
    let mut breaches = Vec::new();
    for (number, line) in text.lines().enumerate() {
        for quoted in line.split('`').skip(1).step_by(2) {
            let (path, function) = quoted.split_once("::").unwrap_or((quoted, ""));
            if !is_path(path) {
                continue;
            }
            let is_there = if function.is_empty() {
                repository.root.join(path).exists()
            } else {
                let test = format!("#[test]\nfn {function}()");
                repository.text(path).is_some_and(|source| source.contains(&test))
            };
            if !is_there {
                breaches.push(format!("{FILE}:{}: there is no test `{quoted}`", number + 1));
            }
        }
    }
    breaches
}

fn is_path(text: &str) -> bool {
    let plain = text.chars().all(|c| c.is_ascii_alphanumeric() || "._-/".contains(c));
    let ends = [".rs", ".md", ".toml", ".pull"].iter().any(|ending| text.ends_with(ending));
    plain && (ends || text.contains('/')) && !text.starts_with(['/', '.', '-'])
}

/// Codes without a page, pages without a code.
pub fn codes(repository: &Repository) -> Vec<String> {
    let mut breaches = Vec::new();
    for (code, _) in CODES {
        let page = format!("docs/errors/{code}.md");
        if repository.text(&page).is_none() {
            breaches.push(format!("{page}: the page of {code} is missing"));
        }
    }
    for (path, _) in &repository.files {
        let page = path.strip_prefix("docs/errors/").and_then(|name| name.strip_suffix(".md"));
        if let Some(code) = page
            && code != "README"
            && !CODES.iter().any(|(known, _)| *known == code)
        {
            breaches.push(format!("{path}: there is no code {code}"));
        }
    }
    breaches
}

/// The change log starts with what is not released yet.
pub fn changelog(repository: &Repository) -> Vec<String> {
    let has_section =
        repository.text("CHANGELOG.md").is_some_and(|text| text.contains("## [Unreleased]"));
    if has_section { vec![] } else { vec!["CHANGELOG.md: has no `## [Unreleased]`".to_owned()] }
}
