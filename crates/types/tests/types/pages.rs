//! The pages of the codes that inference reports: each wrong example gives exactly the page's code, each
//! right one none. Examples with imports are tested where files are loaded.

use std::path::Path;

/// The blocks of a page behind this fence.
fn blocks<'p>(page: &'p str, fence: &str) -> Vec<&'p str> {
    let mut found = Vec::new();
    let mut rest = page;
    while let Some(start) = rest.find(fence) {
        let body = &rest[start + fence.len()..];
        let Some(end) = body.find("\n```") else { break };
        found.push(&body[..end + 1]);
        rest = &body[end..];
    }
    found
}

fn codes(text: &str) -> Vec<&'static str> {
    crate::support::infer_files(&[("page", text)], true)
        .diagnostics
        .iter()
        .map(|diagnostic| diagnostic.code)
        .collect()
}

#[test]
fn pages_show_their_code_and_its_cure() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/errors");
    let families = ["E02", "E03", "E04", "E06"];
    let mine = pullback_base::CODES
        .iter()
        .filter(|(code, _)| families.contains(&&code[..3]) && !code.starts_with("E022"));
    let mut wrong = Vec::new();
    for (code, title) in mine {
        let page = std::fs::read_to_string(root.join(format!("{code}.md"))).unwrap_or_default();
        if !page.starts_with(&format!("# {code}: {title}\n")) {
            wrong.push(format!("{code}: no page with its title"));
        }
        let (bad, good) = (blocks(&page, "```pull,fails\n"), blocks(&page, "```pull\n"));
        if bad.is_empty() || good.is_empty() {
            wrong.push(format!("{code}: an example is missing"));
        }
        for text in bad.into_iter().filter(|text| !text.contains("import ")) {
            if codes(text) != [*code] {
                wrong.push(format!("{code}: {:?} in\n{text}", codes(text)));
            }
        }
        for text in good.into_iter().filter(|text| !text.contains("import ")) {
            if !codes(text).is_empty() {
                wrong.push(format!("{code}: {:?} in the cure\n{text}", codes(text)));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
