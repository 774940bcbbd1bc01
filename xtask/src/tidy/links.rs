//! Links of documents lead somewhere: to a file that exists, and to a heading that it has.
//!
//! Input: the repository. Output: the links that lead nowhere. Links to other hosts are not followed, and what stands in
//! code is no link.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

use super::repository::Repository;

/// Links to files or headings that do not exist.
pub fn links(repository: &Repository) -> Vec<String> {
    let documents = repository.files.iter().filter(|(path, _)| path.ends_with(".md"));
    let headings: BTreeMap<&str, BTreeSet<String>> =
        documents.clone().map(|(path, text)| (path.as_str(), anchors(text))).collect();
    let mut breaches = Vec::new();
    for (path, text) in documents {
        for (number, line) in prose(text) {
            for target in targets(&without_code(line)) {
                if !leads_somewhere(repository, &headings, path, target) {
                    breaches.push(format!("{path}:{number}: `{target}` leads nowhere"));
                }
            }
        }
    }
    breaches
}

/// The lines of a document outside blocks of code, with their numbers.
fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut is_code = false;
    let lines = text.lines().enumerate().map(|(at, line)| (at + 1, line));
    lines.filter(move |(_, line)| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        !is_fence && !is_code
    })
}

/// A line without what stands in backquotes.
fn without_code(line: &str) -> String {
    line.split('`').step_by(2).collect()
}

/// The targets of the links in a line, but for those on other hosts.
fn targets(line: &str) -> impl Iterator<Item = &str> {
    let after = line.split("](").skip(1);
    let targets = after.filter_map(|rest| rest.split_once(')').map(|(target, _)| target));
    targets.filter(|target| !target.contains([' ', ':']))
}

fn leads_somewhere(
    repository: &Repository,
    headings: &BTreeMap<&str, BTreeSet<String>>,
    from: &str,
    target: &str,
) -> bool {
    let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
    let to = if file.is_empty() { PathBuf::from(from) } else { beside(from, file) };
    let known = to.to_str().and_then(|to| headings.get(to));
    let has_anchor = anchor.is_empty() || known.is_none_or(|known| known.contains(anchor));
    has_anchor && repository.root.join(&to).exists()
}

/// The path of a file that another one names from where it lies.
fn beside(from: &str, file: &str) -> PathBuf {
    let mut path = Path::new(from).parent().map(Path::to_owned).unwrap_or_default();
    for part in Path::new(file).components() {
        if part == Component::ParentDir {
            path.pop();
        } else {
            path.push(part);
        }
    }
    path
}

/// The anchors of a document's headings: small letters, a hyphen for each space, and a number if one comes again.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut anchors = BTreeSet::new();
    for (_, line) in prose(text) {
        let title = line.trim_start_matches('#');
        if title.len() == line.len() || !title.starts_with(' ') {
            continue;
        }
        let plain = title.trim().to_lowercase().replace(' ', "-");
        let anchor: String =
            plain.chars().filter(|c| c.is_alphanumeric() || "-_".contains(*c)).collect();
        let numbered = (1..).map(|nth| format!("{anchor}-{nth}"));
        let free = std::iter::once(anchor.clone()).chain(numbered).find(|it| !anchors.contains(it));
        anchors.extend(free);
    }
    anchors
}

#[test]
fn headings_have_the_anchors_that_links_use() {
    let text = "# The `zero` of a type\n```\n# no heading\n```\n## Costs, twice\n## Costs, twice\n";
    let expected = ["costs-twice", "costs-twice-1", "the-zero-of-a-type"];
    assert!(anchors(text).iter().eq(&expected));
    let line = "see [this](../a.md#b) and [that](https://example.org), not `[x](y)`";
    assert_eq!(targets(&without_code(line)).collect::<Vec<_>>(), ["../a.md#b"]);
    assert_eq!(beside("docs/engines/native.md", "../ad.md"), Path::new("docs/ad.md"));
}
