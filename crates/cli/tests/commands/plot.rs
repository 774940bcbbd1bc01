//! `pullback plot --output FILE.svg`: what the file has in it.

use std::io::Write;
use std::process::{Command, Stdio};

use crate::build::Folder;
use crate::output;

/// The file that a command line makes.
fn svg(folder: &Folder, line: &str) -> String {
    let file = folder.path("plot.svg");
    let (code, printed, errors) = output(&format!("plot {line} --output {file}"));
    assert!(code == "0" && printed.is_empty() && errors.is_empty(), "{line}: {errors:?}");
    let svg = std::fs::read_to_string(file).expect("a file");
    let count = |what: &str| svg.matches(what).count();
    assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
    assert_eq!(count("<"), count(">"));
    assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    svg
}

#[test]
fn curves_have_axes_a_legend_and_gaps() {
    let folder = Folder::new("plot-curves");
    let line = "tests/cli/programs/curves.pull lg sc --arg a=3 --from -1 --to 1";
    let (code, _, errors) = output(&format!("plot {line} --output {}", folder.path("a.svg")));
    assert_eq!(code, "1", "only `sc` has a parameter `a`: {errors:?}");

    let line = "tests/cli/programs/curves.pull lg cst --from -1 --to 1";
    let drawn = svg(&folder, line);
    assert_eq!(drawn, svg(&folder, line), "the same numbers give the same bytes");
    for label in ["lg", "lg'", "cst", "cst'", "x", "−1.0", "−0.5", "0", "0.5", "1.0"] {
        assert!(drawn.contains(&format!(">{label}</text>")), "{label}");
    }
    let curve = |name: &str| -> Vec<&str> {
        let colour = if name == "lg" { "#3b82c4" } else { "#e07b1a" };
        let lines = drawn.lines().filter(|line| line.contains("clip-path"));
        lines.filter(|line| line.contains(colour) && !line.contains("dasharray")).collect()
    };
    // There is no logarithm on the left half, and an infinite one at 0.
    let points = |name: &str| curve(name)[0].matches(['M', 'L']).count();
    assert_eq!((points("lg"), points("cst")), (200, 401));
    assert_eq!(drawn.matches("stroke-dasharray").count(), 4, "two curves and their legends");
}

#[test]
fn a_pole_and_a_missing_value_part_a_curve() {
    let folder = Folder::new("plot-gaps");
    let parts = |line: &str| {
        let drawn = svg(&folder, line);
        let curve = drawn.lines().find(|line| line.contains("clip-path"));
        curve.expect("a curve").matches('M').count()
    };
    let program = "tests/cli/programs/curves.pull";
    assert_eq!(parts(&format!("{program} inv --no-derivative --points 200 --from -1 --to 1")), 2);
    assert_eq!(parts(&format!("{program} cst --no-derivative --from -1 --to 1")), 1);
    let drawn = svg(&folder, &format!("{program} hist"));
    assert_eq!(drawn.matches("<circle ").count(), 1, "a value without neighbours is a dot");
}

/// How often each cell of a heat map is painted, by column and row: the rectangles `M4 7h2v1H4z` of its paths.
fn painted(drawn: &str, cells: usize) -> Vec<Vec<u32>> {
    let mut painted = vec![vec![0; cells]; cells];
    for line in drawn.lines().filter(|line| line.starts_with("<path fill=\"#")) {
        let (_, path) = line.split_once(" d=\"").expect("a path");
        for part in path.trim_end_matches("\"/>").split('M').skip(1) {
            let numbers: Vec<usize> = part
                .split(|c: char| !c.is_ascii_digit())
                .filter_map(|number| number.parse().ok())
                .collect();
            let [column, row, width, 1, back] = numbers[..] else { panic!("{part}") };
            assert_eq!(column, back, "{part}");
            painted[row][column..column + width].iter_mut().for_each(|times| *times += 1);
        }
    }
    painted
}

#[test]
fn a_heat_map_leaves_out_what_has_no_value() {
    let folder = Folder::new("plot-heat");
    let cells = |entry: &str| {
        let line = format!("tests/cli/programs/curves.pull {entry} --points 2 --from -1 --to 1");
        let drawn = svg(&folder, &line);
        assert!(drawn.contains("rotate(-90)"));
        painted(&drawn, 2)
    };
    assert_eq!(cells("two"), [[1, 1], [1, 1]]);
    // The logarithm of a product: both factors are negative, or both are positive.
    assert_eq!(cells("hole"), [[1, 0], [0, 1]]);
}

#[test]
fn a_heat_map_is_small() {
    let folder = Folder::new("plot-small");
    let line = "tests/cli/programs/curves.pull two --from -1 --to 1";
    let drawn = svg(&folder, line);
    assert!(painted(&drawn, 80).iter().flatten().all(|times| *times == 1));
    // Each cell as a rectangle of its own, with a colour, would take 60 bytes or more.
    assert!(drawn.len() < 60 * 80 * 80 / 6, "{} bytes", drawn.len());
}

/// What a command prints that is given text on its standard input, without a word on standard error.
fn piped(args: &[&str], input: &str) -> String {
    let mut child = Command::new(env!("CARGO_BIN_EXE_pullback"))
        .args(args)
        .current_dir(crate::root())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    child.stdin.take().expect("an input").write_all(input.as_bytes()).expect("room");
    let output = child.wait_with_output().expect("an end");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn a_file_from_standard_input_is_read_once_for_all_entries() {
    let program = "def f (x: Real): Real = x * x\ndef g (x: Real): Real = sin x\n";
    let drawn = piped(&["plot", "-", "f", "g", "--from", "0", "--to", "1"], program);
    assert!(drawn.contains("╴╴╴ g'"), "{drawn}");
}

#[test]
fn values_from_standard_input_are_read_once_for_all_entries() {
    let file = "tests/cli/programs/curves.pull";
    let range = ["--from", "0", "--to", "1"];
    let from_input = [&["plot", file, "sc", "cs", "--input", "-"], range.as_slice()].concat();
    let by_name = [&["plot", file, "sc", "cs", "--arg", "a=9.0"], range.as_slice()].concat();
    let drawn = piped(&from_input, "{\"a\": 9.0}");
    assert!(drawn.contains("╴╴╴ cs'"), "{drawn}");
    assert_eq!(drawn, piped(&by_name, ""));
}
