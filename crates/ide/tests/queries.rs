//! Questions about files: `tests/ide/NAME.pull` holds a program with the cursor at `¦`, and `NAME.answers` what is said.
//!
//! A line `-- ask: hover complete` names the questions; without it all are asked. `BLESS=1` writes the answers.

use std::fmt::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};

use pullback_engine::BUILT_IN;
use pullback_ide::{
    Edit, File, LensKind, actions, check_call, complete, definition, folds, format, format_part,
    highlights, hints, hover, lenses, outline, problems, references, renamable, rename, signature,
    test_line, tokens,
};
use pullback_session::{Memory, STACK_BYTES, Session, Settings, stdlib};

const QUESTIONS: [&str; 16] = [
    "problems",
    "hover",
    "definition",
    "references",
    "highlights",
    "rename",
    "complete",
    "signature",
    "hints",
    "outline",
    "folds",
    "actions",
    "lenses",
    "format",
    "format_part",
    "tokens",
];

const HELPER: &str = "-- Helps.\n\n-- | Squares a number.\ndef square (x: Real): Real = x * x\n\ntype Pair = { left: Real, right: Real }\n\ntype Side = Left | Right Real\n";

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/ide")
}

#[test]
fn every_question_is_answered() {
    let work = || {
        let bless = std::env::var_os("BLESS").is_some();
        let mut paths: Vec<PathBuf> = std::fs::read_dir(folder())
            .expect("a folder of questions")
            .map(|entry| entry.expect("a file").path())
            .filter(|path| path.extension().is_some_and(|ending| ending == "pull"))
            .collect();
        paths.sort();
        let mut wrong = vec![];
        for path in &paths {
            let found = answers(&std::fs::read_to_string(path).expect("text"));
            let expected = path.with_extension("answers");
            let known = std::fs::read_to_string(&expected).unwrap_or_default();
            if bless && found != known {
                std::fs::write(&expected, &found).expect("written");
            } else if found != known {
                wrong.push(format!("{}:\n{found}", path.display()));
            }
        }
        assert!(!paths.is_empty());
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    };
    let worker = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(work);
    worker.expect("a thread").join().expect("all is as it was");
}

#[test]
fn a_part_of_what_is_formatted_stays() {
    let work = || {
        for name in ["linalg", "optim", "signal"] {
            let text = stdlib::module(name).expect("a module");
            let path = Path::new("main.pull");
            let files = Memory::default().with(path, text);
            let mut session = Session::with(Settings::default(), BUILT_IN, Box::new(files));
            let file = File::new(session.load(path)).expect("a file that can be read");
            for offset in (0..text.len()).step_by(499) {
                assert_eq!(format_part(&file, offset..offset), None, "{name} at {offset}");
            }
            assert_eq!(format_part(&file, 0..text.len()), None, "{name}");
        }
    };
    let worker = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(work);
    worker.expect("a thread").join().expect("nothing changes");
}

fn answers(marked: &str) -> String {
    let offset = marked.find('¦').expect("a cursor");
    let text = marked.replace('¦', "");
    let asked = text.lines().find_map(|line| line.strip_prefix("-- ask: "));
    let is_asked = |name: &&&str| asked.is_none_or(|list| list.split(' ').any(|it| it == **name));
    let path = Path::new("main.pull");
    let files = Memory::default().with(path, text.clone()).with("helper.pull", HELPER);
    let mut session = Session::with(Settings::default(), BUILT_IN, Box::new(files));
    let file = File::new(session.load(path)).expect("a file that can be read");
    let helper = File::new(session.load(Path::new("helper.pull"))).expect("another");
    let asker =
        Asker { session: &session, path, file: &file, helper: &helper, text: &text, offset };
    let mut out = String::new();
    for name in QUESTIONS.iter().filter(is_asked) {
        let answer = asker.answer(name);
        let _ = writeln!(out, "== {name}\n{}\n", answer.trim_end());
    }
    out.trim_end().to_owned() + "\n"
}

struct Asker<'a> {
    session: &'a Session,
    path: &'a Path,
    file: &'a File,
    helper: &'a File,
    text: &'a str,
    offset: usize,
}

impl Asker<'_> {
    fn at(&self, range: &Range<usize>) -> String {
        let lines = pullback_base::Lines::of(self.text);
        let from = lines.position(range.start);
        format!("{}:{} {:?}", from.line + 1, from.column + 1, &self.text[range.clone()])
    }
    fn edits(&self, edits: &[Edit]) -> String {
        let shown = |edit: &Edit| format!("{} -> {:?}", self.at(&edit.range), edit.text);
        edits.iter().map(shown).collect::<Vec<_>>().join("; ")
    }
    fn answer(&self, question: &str) -> String {
        let (file, offset) = (self.file, self.offset);
        let mut out = String::new();
        match question {
            "problems" => {
                for it in problems(file) {
                    let _ = writeln!(out, "{} {}\n{}", it.code, self.at(&it.range), it.message);
                    for other in &it.related {
                        let _ = writeln!(out, "  {} {}", other.place.file, other.text);
                    }
                    for fix in &it.fixes {
                        let _ = writeln!(out, "  fix: {}", self.edits(&fix.edits));
                    }
                }
            }
            "hover" => {
                let found = hover(file, self.session, self.path, offset);
                if let Some(found) = found {
                    let _ = writeln!(out, "{}\n{}", self.at(&found.range), found.markdown());
                }
            }
            "definition" => {
                let place = definition(file, offset);
                out.extend(place.map(|it| format!("{} {:?}", it.file, it.range)));
            }
            "references" => {
                for it in references(file, &[self.helper], offset) {
                    let _ = writeln!(out, "{} {}:{}", it.file, it.start.line, it.start.column);
                }
            }
            "highlights" => {
                for (range, declares) in highlights(file, offset) {
                    let _ =
                        writeln!(out, "{}{}", self.at(&range), if declares { " !" } else { "" });
                }
            }
            "rename" => match (renamable(file, offset), rename(file, &[], offset, "renamed")) {
                (Err(why), _) | (Ok(_), Err(why)) => out.push_str(&why.0),
                (Ok(_), Ok(changes)) => out.push_str(&self.edits(&changes[0])),
            },
            "complete" => {
                let found = complete(self.session, self.path, self.text, offset);
                let word = &self.text[found.range.clone()];
                let fits = found.candidates.iter().filter(|it| it.text.starts_with(word));
                let fits: Vec<_> = fits.collect();
                for it in fits.iter().take(12) {
                    let _ = writeln!(out, "{:?} {} : {}", it.kind, it.text, it.detail);
                }
                let _ = writeln!(
                    out,
                    "{} in all",
                    if fits.len() > 12 {
                        "more than 12".to_owned()
                    } else {
                        fits.len().to_string()
                    }
                );
            }
            other => out = self.answer_more(other),
        }
        out
    }
    fn answer_more(&self, question: &str) -> String {
        let (file, offset) = (self.file, self.offset);
        let mut out = String::new();
        match question {
            "signature" => {
                if let Some(it) = signature(file, offset) {
                    let parameters = it.parameters.iter().map(|range| &it.label[range.clone()]);
                    let shown: Vec<_> = parameters.collect();
                    let _ = writeln!(out, "{}\n{shown:?} {:?}\n{}", it.label, it.active, it.doc);
                }
            }
            "hints" => {
                for it in hints(file, 0..self.text.len()) {
                    let _ = writeln!(out, "{} {}", self.at(&(it.offset..it.offset)), it.text);
                }
            }
            "outline" => {
                for it in outline(file) {
                    let _ = writeln!(out, "{:?} {} : {}", it.kind, it.name, it.detail);
                    for it in &it.children {
                        let _ = writeln!(out, "  {:?} {} : {}", it.kind, it.name, it.detail);
                    }
                }
            }
            "folds" => {
                let lines = pullback_base::Lines::of(self.text);
                for it in folds(file) {
                    let (from, to) = (lines.position(it.range.start), lines.position(it.range.end));
                    let _ = writeln!(out, "{:?} {}-{}", it.kind, from.line + 1, to.line + 1);
                }
            }
            "actions" => {
                for it in actions(file, offset..offset) {
                    let _ = writeln!(out, "{}: {}", it.title, self.edits(&it.edits));
                }
            }
            "lenses" => {
                let lines = pullback_base::Lines::of(self.text);
                for it in lenses(file, self.session, self.path) {
                    let shown = match &it.kind {
                        LensKind::Test => {
                            let line = lines.position(it.range.start).line as usize + 1;
                            format!("test: {}", test_line(self.session, self.path, line).1)
                        }
                        LensKind::Evaluate(text) => format!("evaluate {text}"),
                        LensKind::Gradient(text) => format!("gradient {text}"),
                        LensKind::Check(text) => {
                            let (holds, told) = check_call(self.session, self.path, text);
                            let told = told.lines().last().unwrap_or_default().to_owned();
                            format!("check {text}: {holds}, {told}")
                        }
                    };
                    let _ = writeln!(out, "{shown}");
                }
            }
            "format" => match format(self.session, self.path, self.text) {
                Ok(edit) => out.push_str(&self.edits(edit.as_slice())),
                Err(found) => {
                    let _ = writeln!(out, "{:?}", found.codes());
                }
            },
            "format_part" => {
                let edit = format_part(file, offset..offset);
                out.push_str(&self.edits(edit.as_slice()));
            }
            "tokens" => {
                for it in tokens(file) {
                    let mark = |is, mark| if is { mark } else { "" };
                    let _ = writeln!(
                        out,
                        "{:?}{}{}{} {:?}",
                        it.kind,
                        mark(it.declares, " declares"),
                        mark(it.of_library, " library"),
                        mark(it.documents, " documents"),
                        &self.text[it.range.clone()]
                    );
                }
            }
            other => panic!("there is no question {other}"),
        }
        out
    }
}
