//! The reference of the library as files: `docs/library` is what `pullback doc --markdown` writes now
//! (`BLESS=1` writes it), and the pages for a browser link to what is there.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::{output, root};

fn pages(folder: &Path) -> BTreeMap<String, String> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    entries
        .map(|entry| {
            let entry = entry.expect("an entry");
            let text = std::fs::read_to_string(entry.path()).expect("text");
            (entry.file_name().to_string_lossy().into_owned(), text)
        })
        .collect()
}

/// An empty folder for one test.
fn fresh(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("pullback-doc-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    folder
}

#[test]
fn the_reference_of_the_library_is_up_to_date() {
    let kept = root().join("docs/library");
    if std::env::var_os("BLESS").is_some() {
        let _ = std::fs::remove_dir_all(&kept);
        let (code, ..) = output("doc --markdown docs/library");
        assert_eq!(code, "0");
        return;
    }
    let folder = fresh("markdown");
    let (code, written, _) = output(&format!("doc --markdown {}", folder.display()));
    assert_eq!(code, "0");
    let now = pages(&folder);
    assert_eq!(written.len(), now.len());
    let kept = pages(&kept);
    let names = now.keys().chain(kept.keys());
    let changed: Vec<&String> = names.filter(|name| now.get(*name) != kept.get(*name)).collect();
    assert!(changed.is_empty(), "{changed:?} differ: BLESS=1 writes docs/library");
    std::fs::remove_dir_all(&folder).expect("the folder can be removed");
}

#[test]
fn the_pages_for_a_browser_link_to_what_is_there() {
    let folder = fresh("html");
    let (code, ..) = output(&format!("doc --html {}", folder.display()));
    assert_eq!(code, "0");
    let pages = pages(&folder);
    let mut links = 0;
    for (name, text) in &pages {
        assert!(text.starts_with("<!doctype html>"), "{name}");
        for link in text.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next()) {
            links += 1;
            match link.strip_prefix('#') {
                Some(anchor) => {
                    let target = format!("id=\"{anchor}\"");
                    assert_eq!(text.matches(&target).count(), 1, "{name}: {link}");
                }
                None => assert!(pages.contains_key(link), "{name}: {link}"),
            }
        }
    }
    assert!(links > 300, "only {links} links");
    std::fs::remove_dir_all(&folder).expect("the folder can be removed");
}
