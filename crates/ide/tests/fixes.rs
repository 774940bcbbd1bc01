//! Every change that a hint proposes, applied: the mistake that it came with is gone. And every hint without a change, in a
//! list that a reader can judge: each leaves a choice. `BLESS=1` writes the list.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use pullback_engine::BUILT_IN;
use pullback_ide::{Edit, File, problems};
use pullback_session::{Memory, STACK_BYTES, Session, Settings};

/// How hints begin that leave no choice.
const DEFINITE: [&str; 6] = [
    "did you mean",
    "or did you mean",
    "delete",
    "remove the arm",
    "comments start with",
    "write `<=`",
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests")
}

fn programs(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            programs(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "pull") {
            found.push(path);
        }
    }
}

fn on_large_stack(work: impl FnOnce() + Send + 'static) {
    let worker = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(work);
    worker.expect("a thread").join().expect("all holds");
}

fn texts() -> Vec<(String, String)> {
    let mut paths = vec![];
    programs(&folder().join("errors"), &mut paths);
    paths.sort();
    let text = |path: PathBuf| {
        let name = path.strip_prefix(folder()).expect("below").display().to_string();
        Some((name, std::fs::read_to_string(path).ok()?))
    };
    paths.into_iter().filter_map(text).collect()
}

fn file(text: &str) -> Option<File> {
    let path = Path::new("main.pull");
    let files = Memory::default().with(path, text);
    let mut session = Session::with(Settings::default(), BUILT_IN, Box::new(files));
    File::new(session.load(path))
}

fn applied(text: &str, edits: &[Edit]) -> String {
    let mut out = text.to_owned();
    for edit in edits.iter().rev() {
        out.replace_range(edit.range.clone(), &edit.text);
    }
    out
}

/// Where an offset is after edits.
fn moved(offset: usize, edits: &[Edit]) -> usize {
    let mut found = offset;
    for edit in edits.iter().take_while(|edit| edit.range.start <= offset) {
        let inside = edit.range.end.min(offset) - edit.range.start;
        found = found - inside + if edit.range.end <= offset { edit.text.len() } else { 0 };
    }
    found
}

fn is_of_parser(code: &str) -> bool {
    code.starts_with("E01")
}

#[test]
fn every_fix_mends_the_mistake_that_it_came_with() {
    on_large_stack(|| {
        let (mut tried, mut wrong) = (0, vec![]);
        for (name, text) in texts() {
            let Some(before) = file(&text).map(|file| problems(&file)) else { continue };
            for problem in &before {
                for fix in &problem.fixes {
                    tried += 1;
                    let mended = applied(&text, &fix.edits);
                    let after = file(&mended).map(|file| problems(&file)).unwrap_or_default();
                    let place = moved(problem.range.start, &fix.edits);
                    let is_left = after.iter().any(|it| {
                        let is_there = it.range.start == place;
                        is_there && (it.code, &it.message) == (problem.code, &problem.message)
                    });
                    // What the parser says of a text that it read before would be a worse one.
                    let spoilt = !before.iter().any(|it| is_of_parser(it.code))
                        && after.iter().any(|it| is_of_parser(it.code));
                    if is_left || spoilt {
                        let left: Vec<_> = after.iter().map(|it| &it.message).collect();
                        wrong.push(format!("{name}: {}\n{mended}\n{left:?}\n", fix.title));
                    }
                }
            }
        }
        assert!(wrong.is_empty(), "{} of {tried}:\n{}", wrong.len(), wrong.join("\n"));
        assert!(tried > 250, "{tried}");
    });
}

#[test]
fn every_hint_without_a_change_leaves_a_choice() {
    on_large_stack(|| {
        let mut choices = BTreeSet::new();
        for (_, text) in texts() {
            let Some(file) = file(&text) else { continue };
            let found = problems(&file);
            for problem in found {
                let hints = problem.message.lines().filter_map(|line| line.strip_prefix("help: "));
                let is_fixed = |hint: &str| problem.fixes.iter().any(|fix| fix.title == hint);
                let arms = problem.code == "E0501" && !problem.fixes.is_empty();
                choices.extend(hints.filter(|hint| !arms && !is_fixed(hint)).map(str::to_owned));
            }
        }
        for choice in &choices {
            let is_definite = DEFINITE.iter().any(|begin| choice.starts_with(begin));
            assert!(!is_definite, "a hint says what to write and carries no change: {choice}");
        }
        let list = folder().join("ide/choices.txt");
        let found: String = choices.iter().map(|choice| format!("{choice}\n")).collect();
        if std::env::var_os("BLESS").is_some() {
            std::fs::write(&list, &found).expect("written");
        }
        let known = std::fs::read_to_string(&list).unwrap_or_default();
        let news: Vec<_> =
            found.lines().filter(|hint| !known.lines().any(|it| it == *hint)).collect();
        assert!(
            news.is_empty(),
            "give these hints a change, or add them to {}:\n{}",
            list.display(),
            news.join("\n")
        );
        let gone: Vec<_> = known.lines().filter(|hint| !choices.contains(*hint)).collect();
        assert!(gone.is_empty(), "take these out of {}:\n{}", list.display(), gone.join("\n"));
    });
}
