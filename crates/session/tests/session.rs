//! What a prompt, an editor and another language ask of a session.

use std::path::Path;
use std::time::{Duration, Instant};

use pullback_engine::BUILT_IN;
use pullback_session::{Disk, Memory, Question, Session, Settings};

const SQUARES: &str = "\
import \"helper\" as helper

-- | Adds up squares.
def loss [n] (xs: [n]Real) (scale: Real): Real =
  sum [ helper.square (scale * xs[i]) | i < n ]

type Shape = Circle Real | Square Real

def area (shape: Shape): Real =
  let twice = \\x -> x + x in
  match shape with
  | Circle radius -> 3.0 * radius * radius
  | Square side -> twice side
";

const HELPER: &str = "def square (x: Real): Real = x * x\n";

/// A run that nobody waits for.
const ENDLESS: &str = "def endless (x: Real): Real = loop a = x while a > 0.0 do a + 1e-9\n";

fn session(settings: Settings) -> Session {
    let files = Memory::default()
        .with("squares.pull", SQUARES)
        .with("helper.pull", HELPER)
        .with("endless.pull", ENDLESS);
    Session::with(settings, BUILT_IN, Box::new(files))
}

fn squares() -> &'static Path {
    Path::new("squares.pull")
}

/// The offset of the n-th place where this is written.
fn offset(text: &str, n: usize) -> usize {
    SQUARES.match_indices(text).nth(n).expect("the text has it").0
}

#[test]
fn definitions_have_types_and_places_in_the_order_of_the_text() {
    let definitions = session(Settings::default()).definitions(squares());
    let names: Vec<&str> = definitions.iter().map(|found| found.name.as_str()).collect();
    assert_eq!(names, ["loss", "area"]);
    assert_eq!(definitions[0].ty, "[n]Real -> Real -> Real");
    assert_eq!(definitions[0].doc.trim(), "Adds up squares.");
    let place = definitions[0].place.as_ref().unwrap();
    assert_eq!(&SQUARES[place.range.clone()], "loss");
    assert_eq!((place.start.line, place.start.column, place.end.column), (4, 5, 9));
}

#[test]
fn every_name_has_its_type() {
    let mut session = session(Settings::default());
    let mut at = |text: &str, n: usize| {
        let found = session.type_at(squares(), offset(text, n)).unwrap();
        (SQUARES[found.place.range].to_owned(), found.ty)
    };
    let two = |name: &str, ty: &str| (name.to_owned(), ty.to_owned());
    // A parameter, its use, an index, a definition, a local function, a variable of a pattern.
    assert_eq!(at("scale", 0), two("scale", "Real"));
    assert_eq!(at("scale", 1), two("scale", "Real"));
    assert_eq!(at("i < n", 0), two("i", "Int"));
    assert_eq!(at("loss", 0), two("loss", "[n]Real -> Real -> Real"));
    assert_eq!(at("twice side", 0).1, "Real -> Real");
    assert_eq!(at("radius", 0), two("radius", "Real"));
    assert_eq!(at("shape with", 0), two("shape", "Shape"));
}

#[test]
fn what_stands_nowhere_has_no_type() {
    let mut session = session(Settings::default());
    assert_eq!(session.type_at(squares(), 0), None);
    assert_eq!(session.type_at(squares(), SQUARES.len() + 7), None);
}

#[test]
fn every_name_leads_to_its_definition() {
    let mut session = session(Settings::default());
    let mut at = |text: &str, n: usize| {
        let place = session.definition_at(squares(), offset(text, n)).unwrap();
        (place.file, place.range)
    };
    let here = |text: &str, n: usize, len: usize| {
        let start = offset(text, n);
        ("squares.pull".to_owned(), start..start + len)
    };
    assert_eq!(at("scale *", 0), here("scale", 0, 5));
    assert_eq!(at("i]) |", 0), here("i < n", 0, 1));
    assert_eq!(at("radius * radius", 0), here("radius", 0, 6));
    assert_eq!(at("twice side", 0), here("twice", 0, 5));
    assert_eq!(at("Circle radius", 0), here("Shape", 0, 5));
    // Across files.
    let square = at("square (scale", 0);
    assert_eq!(square, ("helper.pull".to_owned(), 4..10));
    // What is built in has no definition in a text.
    assert_eq!(session.definition_at(squares(), offset("* radius", 0)), None);
}

#[test]
fn diagnostics_are_data_with_places() {
    let mut session = session(Settings::default());
    assert_eq!(session.check(squares()).codes(), Vec::<&str>::new());
    session.edit(squares(), "def f (x: Real): Real =\n  x + true\n");
    let findings = session.check(squares());
    assert!(findings.has_errors());
    let place = findings.place(&findings.diagnostics[0]).unwrap();
    assert_eq!((place.file.as_str(), place.start.line), ("squares.pull", 2));
    assert!(findings.to_string().contains(findings.diagnostics[0].code), "{findings}");
    // A file that is not there is a finding too.
    let findings = session.check(Path::new("nowhere.pull"));
    assert_eq!(findings.codes(), ["E0801"]);
}

#[test]
fn what_is_known_survives_mistakes_elsewhere() {
    let mut session = session(Settings::default());
    session.edit(squares(), "def good (x: Real): Real = x\ndef bad (x: Real): Real = y\n");
    assert_eq!(session.check(squares()).codes(), ["E0201"]);
    assert_eq!(session.type_at(squares(), 5).unwrap().ty, "Real -> Real");
}

#[test]
fn a_text_takes_the_place_of_a_file_on_the_disk_until_it_is_discarded() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("overlay");
    std::fs::create_dir_all(&folder).unwrap();
    let (main, helper) = (folder.join("main.pull"), folder.join("helper.pull"));
    std::fs::write(&main, "import \"helper\" as helper\ndef main: Int = helper.one\n").unwrap();
    std::fs::write(&helper, "def one: Int = 1\n").unwrap();
    let mut session = Session::with(Settings::default(), BUILT_IN, Box::new(Disk));
    let value = |session: &Session| {
        session.call(&session.call_of(&main, "main"), &Question::Value).unwrap().text
    };
    assert_eq!(value(&session), "1");
    assert_eq!(session.definitions(&helper).len(), 1);
    session.edit(&helper, "def one: Int = 11\ndef two: Int = 2\n");
    assert_eq!(value(&session), "11");
    assert_eq!(session.definitions(&helper).len(), 2);
    session.discard(&helper);
    assert_eq!(value(&session), "1");
    assert_eq!(session.definitions(&helper).len(), 1);
    // What has changed on the disk is seen after reloading.
    std::fs::write(&helper, "def one: Int = 1\ndef three: Int = 3\ndef four: Int = 4\n").unwrap();
    assert_eq!(session.definitions(&helper).len(), 1);
    session.reload();
    assert_eq!(session.definitions(&helper).len(), 3);
}

#[test]
fn expressions_are_evaluated_in_the_scope_of_a_file() {
    let session = session(Settings::default());
    let value = |text: &str| session.expression(squares(), text).unwrap().text;
    assert_eq!(value("loss [1.0, 2.0] 3.0"), "45.0");
    assert_eq!(value("grad (loss [1.0, 2.0]) 3.0"), "30.0");
    assert_eq!(session.type_of(squares(), "\\x -> loss [x] x").unwrap(), "Real -> Real");
    let findings = session.expression(squares(), "loss 1.0").unwrap_err();
    let place = findings.place(&findings.diagnostics[0]).unwrap();
    assert_eq!(place.file, "<expression>");
}

#[test]
fn calls_give_values_and_derivatives() {
    let session = session(Settings::default());
    let mut call = session.call_of(squares(), "loss");
    call.args = vec!["[1.0, 2.0]".to_owned(), "3.0".to_owned()];
    let json = |question: &Question| session.call(&call, question).unwrap().json;
    assert_eq!(json(&Question::Value), "45.0");
    assert_eq!(
        json(&Question::Gradient(vec![])),
        r#"{"value": 45.0, "gradient": {"xs": [18.0, 36.0], "scale": 30.0}}"#
    );
    assert_eq!(
        json(&Question::Pullback(vec!["scale".to_owned()], "2.0".to_owned())),
        r#"{"value": 45.0, "pullback": {"scale": 60.0}}"#
    );
    assert_eq!(
        json(&Question::Pushforward(vec!["scale".to_owned()], "1.0".to_owned())),
        r#"{"value": 45.0, "tangent": 30.0}"#
    );
}

#[test]
fn a_call_keeps_its_limits() {
    let session = session(Settings { timeout: Some(0.05), ..Settings::default() });
    let path = Path::new("endless.pull");
    let findings = session.expression(path, "endless 1.0").unwrap_err();
    assert_eq!(findings.codes(), ["E0711"]);
}

#[test]
fn another_thread_stops_a_run_on_every_engine() {
    for engine in [None, Some("trace"), Some("ir"), Some("native")] {
        let engine = engine.map(str::to_owned);
        let session = session(Settings { engine: engine.clone(), ..Settings::default() });
        let watch = session.watch();
        let findings = std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(Duration::from_millis(300));
                watch.stop();
            });
            let path = Path::new("endless.pull");
            session.expression(path, "endless 1.0").unwrap_err()
        });
        assert_eq!(findings.codes(), ["E0720"], "{engine:?}");
        // It holds until runs may begin again.
        let started = Instant::now();
        assert!(session.expression(Path::new("endless.pull"), "endless 1.0").is_err());
        assert!(started.elapsed() < Duration::from_secs(30));
        watch.resume();
        assert_eq!(session.expression(squares(), "1 + 1").unwrap().text, "2");
    }
}

#[test]
fn sessions_on_two_threads_do_not_disturb_each_other() {
    let work = |number: i64| {
        let mut session = session(Settings::default());
        for round in 0..8 {
            let wanted = number * 100 + round;
            session.edit(squares(), format!("def answer: Int = {wanted}\n"));
            assert_eq!(session.check(squares()).codes(), Vec::<&str>::new());
            assert_eq!(session.expression(squares(), "answer").unwrap().text, wanted.to_string());
        }
    };
    std::thread::scope(|scope| {
        (1..=2).for_each(|number| drop(scope.spawn(move || work(number))));
    });
}

#[test]
fn a_stop_is_that_of_one_session() {
    let (stopped, other) = (session(Settings::default()), session(Settings::default()));
    stopped.watch().stop();
    assert_eq!(other.expression(squares(), "loss [1.0] 2.0").unwrap().text, "4.0");
}

#[test]
fn a_session_and_what_it_gives_go_from_thread_to_thread() {
    fn is_free<T: Send + Sync>() {}
    is_free::<Session>();
    is_free::<pullback_session::Analysis>();
    is_free::<pullback_session::Outcome>();
    is_free::<pullback_session::Findings>();
    let mut session = session(Settings::default());
    let analysis = std::thread::spawn(move || session.load(squares())).join().unwrap();
    assert!(analysis.items().len() > 10);
}

#[test]
fn lines_for_engines_that_are_not_here_are_no_mistakes() {
    let mut session = session(Settings::default());
    session.edit(squares(), "def one: Int = 1\n--@ engines delta trace\n--@ one = 1\n");
    assert_eq!(session.check(squares()).codes(), Vec::<&str>::new());
    let call = session.call_of(squares(), "one");
    let settings = Settings { engine: Some("delta".to_owned()), ..call.settings.clone() };
    let call = pullback_session::Call { settings, ..call };
    assert_eq!(session.call(&call, &Question::Value).unwrap_err().codes(), ["E0812"]);
}

#[test]
fn files_are_formatted() {
    let mut session = session(Settings::default());
    session.edit(squares(), "def   f(x:Real):Real=x\n");
    assert_eq!(session.format(squares()).unwrap(), "def f (x: Real): Real = x\n");
    session.edit(squares(), "def f = = 1\n");
    assert!(session.format(squares()).unwrap_err().has_errors());
}
