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
