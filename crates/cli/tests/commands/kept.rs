//! `--output`: what is written is read back as it was, and nothing is lost where it cannot be written.

use super::build::Folder;
use super::output;

const PROGRAM: &str = r#"
type Shape = Dot | Box Real Int
type Layer = { weights: [2][3]Real, on: Bool, name: (Int, ()) }
type Model = { layers: [2]Layer, rate: Real }

def model: Model = {
  layers = [
    { weights = [[0.1, -0.0, 1.0e300], [nan, inf, -inf]], on = true, name = (1, ()) },
    { weights = [[1.0, 2.0, 3.0], [4.0, 5.0, 0.1 + 0.2]], on = false, name = (-9223372036854775807, ()) }
  ],
  rate = 1.0e-320
}
def same_model (x: Model): Model = x
def numbers: [2][2]Int = [[1, 2], [3, 4]]
def same_numbers (x: [2][2]Int): [2][2]Int = x
def absent: [0][3]Real = ([] : [0][3]Real)
def same_absent [n] [m] (x: [n][m]Real): [n][m]Real = x
def none: []{ a: [2]Real, b: Int } = ([] : [0]{ a: [2]Real, b: Int })
def same_none (x: []{ a: [2]Real, b: Int }): []{ a: [2]Real, b: Int } = x
def pair: ([2](Real, Bool), Real) = ([(1.0, true), (2.0, false)], 0.5)
def same_pair (x: ([2](Real, Bool), Real)): ([2](Real, Bool), Real) = x
def number: Real = -0.0
def same_number (x: Real): Real = x
def shapes: [2](Shape, String) = [(Dot, "a,\"b\""), (Box (-0.0) 3, "")]
def same_shapes (x: [2](Shape, String)): [2](Shape, String) = x
def scale (a: Real) (x: Real): Real = a * x
def loss (m: { w: [2]Real, k: Int }) (b: Real): Real = sum m.w * b
def gradient_of (gradient: { m: { w: [2]Real, k: () }, b: Real }) (value: Real): Real = value + gradient.b
"#;

#[test]
fn answers_are_read_back_to_the_last_bit() {
    let folder = Folder::new("output");
    let program = folder.path("p.pull");
    std::fs::write(&program, PROGRAM).expect("a file");
    for name in ["model", "numbers", "absent", "none", "pair", "number", "shapes"] {
        let (code, direct, errors) = output(&format!("run {program} {name}"));
        assert_eq!(code, "0", "{name}: {errors:?}");
        for ending in ["json", "npz"] {
            let file = folder.path(&format!("{name}.{ending}"));
            let (code, printed, errors) = output(&format!("run {program} {name} --output {file}"));
            if (name, ending) == ("shapes", "npz") {
                assert!(code == "1" && errors[0].starts_with("error[E0826]"), "{errors:?}");
                assert!(!std::path::Path::new(&file).exists());
                continue;
            }
            assert_eq!((code.as_str(), printed.len(), errors.len()), ("0", 0, 0), "{errors:?}");
            let (_, again, errors) = output(&format!("run {program} same_{name} --input x={file}"));
            // JSON has no sizes of absent rows, and this parameter's type says none.
            if (name, ending) != ("absent", "json") {
                assert_eq!(again, direct, "{name}.{ending}: {errors:?}");
            }
        }
    }
}

#[test]
fn derivatives_are_kept_by_name() {
    let folder = Folder::new("output-grad");
    let program = folder.path("p.pull");
    std::fs::write(&program, PROGRAM).expect("a file");
    for ending in ["json", "npz"] {
        let file = folder.path(&format!("g.{ending}"));
        let line = format!("grad {program} loss '{{ w = [1.0, 2.0], k = 3 }}' 0.5 -o {file}");
        let (code, _, errors) = output(&line);
        assert_eq!(code, "0", "{errors:?}");
        let (_, read, errors) = output(&format!("run {program} gradient_of --input {file}"));
        assert_eq!((read, errors), (vec!["4.5".to_owned()], vec![]));
        // A later run that fails leaves the file as it is.
        let (code, _, _) = output(&format!("run {program} nothing -o {file}"));
        assert_eq!(code, "2");
        let (_, read, _) = output(&format!("run {program} gradient_of --input {file}"));
        assert_eq!(read, ["4.5"]);
    }
}

#[test]
fn what_cannot_be_written_is_told_before_the_work() {
    let folder = Folder::new("output-refused");
    let program = folder.path("p.pull");
    std::fs::write(&program, PROGRAM).expect("a file");
    let refused = |call: &str, file: &str| {
        let (code, printed, errors) = output(&format!("run {program} {call} --output {file}"));
        assert!(printed.is_empty());
        (code, errors[0].split(&[']', ':'][..]).next().unwrap_or("").to_owned())
    };
    let told = |code: &str, title: &str| (code.to_owned(), title.to_owned());
    assert_eq!(refused("number", &folder.path("a.txt")), told("2", "error[E0818"));
    assert_eq!(refused("number", &folder.path("a")), told("2", "error[E0818"));
    assert_eq!(refused("number", &folder.path("nowhere/a.json")), told("2", "error[E0801"));
    std::fs::create_dir(folder.path("folder.npz")).expect("a folder");
    assert_eq!(refused("number", &folder.path("folder.npz")), told("2", "error[E0801"));
    assert_eq!(refused("-e id", &folder.path("a.json")), told("1", "error[E0826"));
}

const TABLES: &str = r#"
type Kind = Cat | Dog
type Row = { x: Real, n: Int, ok: Bool, kind: Kind, note: String, maybe: Option Real, said: Option String }

def rows: [4]Row = [
  { x = 0.1, n = 1, ok = true, kind = Dog, note = "a, \"b\"; c\td", maybe = Some 1.5, said = Some "" },
  { x = nan, n = -9223372036854775807, ok = false, kind = Cat, note = "", maybe = None, said = None },
  { x = -inf, n = 0, ok = true, kind = Cat, note = "  spaces ", maybe = Some nan, said = Some "None" },
  { x = -0.0, n = 7, ok = false, kind = Dog, note = "two\nlines", maybe = Some inf, said = Some "NA" }
]
def same_rows (x: []Row): []Row = x
def matrix: [2][2]Real = [[1.0e300, -0.0], [5.0e-324, 0.1 + 0.2]]
def same_matrix (x: [][]Real): [][]Real = x
def special: [2][3]Real = [[nan, inf, -inf], [0.0, 1.0, 2.0]]
def same_special (x: [][]Real): [][]Real = x
def counts: [2][3]Int = [[0, 1, 2], [3, 4, 5]]
def same_counts (x: [][]Int): [][]Int = x
def vector: [3]Real = [1.0, 2.0, nan]
def same_vector (x: []Real): []Real = x
def truths: [2]Bool = [true, false]
def same_truths (x: []Bool): []Bool = x
def words: [3]String = ["nan", "", "1"]
def same_words (x: []String): []String = x
def pairs: [2](Real, Int) = [(1.0, 2), (inf, 3)]
def same_pairs (x: [](Real, Int)): [](Real, Int) = x
def columns: { a: [2]Real, b: { c: [2]Int, d: [2]String } } = { a = [1.5, 2.5], b = { c = [1, 2], d = ["x", ""] } }
def same_columns (x: { a: []Real, b: { c: []Int, d: []String } }): { a: []Real, b: { c: []Int, d: []String } } = x
def nested: [2]{ p: { q: Real, t: (Int, Int) }, r: Real } = [{ p = { q = 1.0, t = (1, 2) }, r = 2.0 }, { p = { q = 3.0, t = (3, 4) }, r = 4.0 }]
def same_nested (x: []{ p: { q: Real, t: (Int, Int) }, r: Real }): []{ p: { q: Real, t: (Int, Int) }, r: Real } = x
def nobody: []Row = ([] : [0]Row)
def same_nobody (x: []Row): []Row = x
def empty: []Real = ([] : [0]Real)
def same_empty (x: []Real): []Real = x
def flat: [0][3]Real = ([] : [0][3]Real)
def same_flat [n] [m] (x: [n][m]Real): ([n][m]Real, Int) = (x, m)
def cube: [2][1][2]Real = [[[1.0, nan]], [[-0.0, inf]]]
def same_cube (x: [][][]Real): [][][]Real = x
def number: Real = -0.0
def same_number (x: Real): Real = x
def thin: [2][0]Real = [[], []]
def uneven: { a: []Real, b: []Real } = { a = [1.0], b = [] }
"#;

#[test]
fn tables_and_single_arrays_are_read_back_to_the_last_bit() {
    let folder = Folder::new("output-tables");
    let program = folder.path("p.pull");
    std::fs::write(&program, TABLES).expect("a file");
    let same = |name: &str, ending: &str| {
        let (code, direct, errors) = output(&format!("run {program} {name}"));
        assert_eq!(code, "0", "{name}: {errors:?}");
        let file = folder.path(&format!("{name}.{ending}"));
        let (code, printed, errors) = output(&format!("run {program} {name} --output {file}"));
        assert_eq!((code.as_str(), printed.len(), errors.len()), ("0", 0, 0), "{name}: {errors:?}");
        let (_, again, errors) = output(&format!("run {program} same_{name} --input x={file}"));
        let wanted =
            if name == "flat" { vec!["(([] : [0][3]Real), 3)".to_owned()] } else { direct };
        assert_eq!(again, wanted, "{name}.{ending}: {errors:?}");
    };
    let tables = ["rows", "matrix", "special", "counts", "vector", "truths", "words", "pairs"];
    for name in tables.into_iter().chain(["columns", "nested", "nobody", "empty", "flat"]) {
        same(name, "csv");
    }
    for name in
        ["matrix", "special", "counts", "vector", "truths", "empty", "flat", "cube", "number"]
    {
        same(name, "npy");
    }
    for (name, ending) in
        [("cube", "csv"), ("number", "csv"), ("thin", "csv"), ("uneven", "csv"), ("rows", "npy")]
    {
        let file = folder.path(&format!("{name}-refused.{ending}"));
        let (code, printed, errors) = output(&format!("run {program} {name} --output {file}"));
        assert!(code == "1" && printed.is_empty(), "{name}.{ending}");
        assert!(errors[0].starts_with("error[E0826]"), "{errors:?}");
        assert!(!std::path::Path::new(&file).exists());
    }
}

const ROUNDS: &str = r#"
def begin: { step: Int, x: Real } = { step = 0, x = 1.0 }
def go_on (run: { step: Int, x: Real }): { step: Int, x: Real } =
  run with step = run.step + 1 with x = 0.5 * run.x
def slow (run: { step: Int, x: Real }): { step: Int, x: Real } =
  run with step = run.step + 1 with x = (loop y = run.x for _i < 10000 do cos y)
"#;

#[test]
fn rounds_go_on_from_what_was_written() {
    let folder = Folder::new("output-rounds");
    let program = folder.path("p.pull");
    let state = folder.path("run.json");
    std::fs::write(&program, ROUNDS).expect("a file");
    assert_eq!(output(&format!("run {program} begin -o {state}")).0, "0");
    let go_on = format!("run {program} go_on --input run={state} -o {state} --rounds");
    let (code, _, errors) = output(&format!("{go_on} 5"));
    assert_eq!((code.as_str(), errors), ("0", vec![]));
    let text = std::fs::read_to_string(&state).expect("a file");
    assert_eq!(text.trim(), r#"{"step": 5, "x": 0.03125}"#);
    let other = folder.path("other.json");
    let (code, _, errors) =
        output(&format!("run {program} go_on --input run={state} -o {other} --rounds 2"));
    assert!(code == "2" && errors[0].starts_with("error[E0829]"), "{errors:?}");
    let (code, ..) = output(&format!("run {program} begin --rounds 2"));
    assert_eq!(code, "2");
}

#[test]
fn who_stops_the_command_keeps_the_last_round() {
    let folder = Folder::new("output-stopped");
    let program = folder.path("p.pull");
    let state = folder.path("run.json");
    std::fs::write(&program, ROUNDS).expect("a file");
    assert_eq!(output(&format!("run {program} begin -o {state}")).0, "0");
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_pullback"));
    command.args(["run", &program, "slow", "--input", &format!("run={state}"), "-o", &state]);
    let mut child = command.args(["--rounds", "1000000"]).spawn().expect("a process");
    let step = || {
        let text = std::fs::read_to_string(&state).expect("a file that is always there");
        assert!(text.starts_with("{\"step\": ") && text.ends_with("}\n"), "{text}");
        text["{\"step\": ".len()..]
            .split(',')
            .next()
            .and_then(|step| step.parse().ok())
            .unwrap_or(0)
    };
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(60);
    while step() < 3_u64 && std::time::Instant::now() < deadline {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    child.kill().expect("a process that runs");
    child.wait().expect("a process that was stopped");
    assert!(step() >= 3);
    // Another command goes on from there.
    let before = step();
    assert_eq!(output(&format!("run {program} go_on --input run={state} -o {state}")).0, "0");
    assert_eq!(step(), before + 1);
}
