//! Every question at many places of programs with every mistake that there is a message for: each has some answer.

use std::path::{Path, PathBuf};

use pullback_engine::BUILT_IN;
use pullback_ide::{
    File, actions, complete, definition, folds, format_part, highlights, hints, hover, lenses,
    outline, problems, references, rename, signature, tokens,
};
use pullback_session::{Memory, STACK_BYTES, Session, Settings};

/// How many bytes lie between two places.
const PACE: usize = 23;

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

#[test]
fn no_place_of_a_wrong_program_is_without_an_answer() {
    let work = || {
        let mut paths = vec![];
        programs(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/errors"), &mut paths);
        paths.sort();
        for (number, path) in paths.iter().enumerate() {
            let Ok(text) = std::fs::read_to_string(path) else { continue };
            ask(&text, number);
            // As somebody writes it.
            let half = text.char_indices().map(|(at, _)| at).take_while(|at| 2 * at < text.len());
            ask(&text[..half.last().unwrap_or(0)], number);
        }
    };
    let worker = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(work);
    worker.expect("a thread").join().expect("nothing panics");
}

fn ask(text: &str, number: usize) {
    let path = Path::new("main.pull");
    let files = Memory::default().with(path, text);
    let mut session = Session::with(Settings::default(), BUILT_IN, Box::new(files));
    let Some(file) = File::new(session.load(path)) else { return };
    let whole = 0..text.len();
    for problem in problems(&file) {
        assert!(text.get(problem.range.clone()).is_some(), "{problem:?}");
        for fix in &problem.fixes {
            let ranges = fix.edits.iter().map(|edit| edit.range.clone());
            assert!(ranges.clone().all(|range| text.get(range).is_some()), "{fix:?}");
            assert!(ranges.clone().zip(ranges.skip(1)).all(|(a, b)| a.end <= b.start), "{fix:?}");
        }
    }
    tokens(&file).iter().for_each(|it| assert!(text.get(it.range.clone()).is_some(), "{it:?}"));
    outline(&file);
    folds(&file);
    hints(&file, whole.clone());
    actions(&file, whole);
    if number.is_multiple_of(16) {
        lenses(&file, &session, path);
    }
    let places = text.char_indices().map(|(at, _)| at).chain([text.len()]);
    for (count, offset) in places.step_by(PACE).enumerate() {
        definition(&file, offset);
        format_part(&file, offset..offset);
        references(&file, &[], offset);
        highlights(&file, offset);
        signature(&file, offset);
        drop(rename(&file, &[], offset, "renamed"));
        if (count + number).is_multiple_of(32) {
            hover(&file, &session, path, offset);
            complete(&session, path, text, offset);
        }
    }
}
