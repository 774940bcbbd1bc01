//! `pullback dev`: what it prints is read back, its tables are tables.

use std::path::PathBuf;

use crate::output;

/// A file of its own for a test, in the folder of build products.
fn scratch(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name)
}

fn printed(line: &str) -> String {
    let (code, out, errors) = output(line);
    assert_eq!(code, "0", "{line}: {}", errors.join("\n"));
    out.join("\n") + "\n"
}

#[test]
fn a_printed_stage_goes_on_from_there() {
    let programs =
        [("tests/stages/loss.pull", "main"), ("examples/gradbench/llsq.pull", "gradient")];
    for (program, entry) in programs {
        let code = printed(&format!("dev {program} {entry} --dump ir"));
        let path = scratch("stage.ir");
        std::fs::write(&path, &code).expect("a file of this test");
        let read = |rest: &str| printed(&format!("dev {} {entry} {rest}", path.display()));
        assert!(read("--dump ir") == code, "{program}");
        // Derivatives are made of it as of the program.
        let of_program = printed(&format!("dev {program} {entry} --time"));
        assert_eq!(sizes(&read("--time")), sizes(&of_program)[2..], "{program}");
    }
}

/// The last column of a table, without its head.
fn sizes(table: &str) -> Vec<String> {
    let last = |line: &str| line.split_whitespace().last().map(str::to_owned);
    table.lines().skip(1).filter_map(last).collect()
}

/// The passes of the path in their order: so many, and then those of the optimiser.
const BEFORE_OPTIMISER: usize = 5;

/// The names of the passes, as `show --passes` lists them; what is decided on the way to C is no pass.
fn passes() -> Vec<String> {
    let listed = printed("show tests/stages/cube.pull --passes");
    let entries = listed.trim().split("\n\n").skip(1).filter(|entry| !entry.contains("IR -> C"));
    let names: Vec<String> =
        entries.filter_map(|entry| entry.lines().next()).map(str::to_owned).collect();
    let optimiser = names.iter().position(|name| name == "transpose").expect("a pass") + 1;
    let path = ["specialise", "lower", "jvp", "unzip", "transpose"];
    path.iter().map(|name| (*name).to_owned()).chain(names[optimiser..].to_vec()).collect()
}

#[test]
fn every_pass_has_its_line_in_the_table_of_times() {
    let table = printed("dev examples/gradbench/llsq.pull --time --verify");
    let lines: Vec<&str> = table.lines().take_while(|line| !line.is_empty()).collect();
    let names: Vec<&str> = lines.iter().filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(names[0], "pass");
    // Those that run only after derivatives have been made have their lines last.
    let mut order = passes();
    let listed = printed("show tests/stages/cube.pull --passes");
    let comes_late = |name: &String| {
        let entry = listed.split("\n\n").find(|entry| entry.trim().lines().next() == Some(name));
        let entry = entry.expect("an entry of the list");
        entry.contains("phase schedule") || entry.contains("scope code of which no derivative")
    };
    order.sort_by_key(comes_late);
    assert_eq!(names[1..], order);
    let width = lines[0].len();
    assert!(lines.iter().all(|line| line.len() == width), "{table}");
    // The gradient in the program is made of functions with statements.
    assert!(lines[1..].iter().all(|line| !line.ends_with(" 0")), "{table}");
    assert!(table.ends_with(&format!("the rules hold after {}\n", order.join(", "))), "{table}");
}

#[test]
fn every_pass_that_is_listed_can_be_stopped_after() {
    let passes = passes();
    assert!(passes.len() > BEFORE_OPTIMISER);
    for pass in passes {
        let stopped = printed(&format!("dev tests/stages/cube.pull square --stop-after {pass}"));
        assert!(stopped.contains("square"), "{stopped}");
    }
}

#[test]
fn a_pass_that_is_left_out_does_not_run() {
    let program = "dev tests/cli/programs/squares.pull loss";
    for pass in passes().iter().skip(BEFORE_OPTIMISER) {
        let table = printed(&format!("{program} --time --verify --without {pass}"));
        assert!(!table.lines().any(|line| line.split(' ').next() == Some(pass)), "{table}");
    }
    // Inlining makes one function of the two of `cube`.
    let code = |rest: &str| printed(&format!("dev tests/stages/cube.pull main --dump opt {rest}"));
    assert!(!code("").contains("@square.1"));
    assert!(code("--without inline").contains("@square.1"));
}

#[test]
fn a_transformation_that_is_left_out_is_in_no_schedule() {
    for (program, transformation, clause) in [
        ("benches/dense/dense.pull", "vectorise", ": lanes"),
        ("benches/dense/dense.pull", "pack_rows", "copies rows of"),
        ("benches/dense/dense.pull", "unroll_and_jam", ": lanes, 32 at once"),
        ("benches/dense/dense.pull", "tile_products", "tiles"),
        ("benches/dense/dense.pull", "pack_columns", "turns"),
        ("examples/gmm.pull", "jam_inner", ": one by one, 4 at once"),
        ("examples/gmm.pull", "loop_versioning", "asked beforehand"),
    ] {
        let loops = printed(&format!("dev {program} --dump loops"));
        assert!(loops.contains(clause), "{clause}: {loops}");
        let without = printed(&format!("dev {program} --dump loops --without {transformation}"));
        assert!(!without.contains(clause), "{transformation}: {without}");
    }
}

#[test]
fn a_printed_schedule_decides_what_was_decided() {
    let folder = scratch("schedule");
    std::fs::create_dir_all(&folder).expect("a folder");
    for program in [
        "tests/cli/programs/loops.pull",
        "benches/dense/dense.pull",
        "examples/gradbench/lstm.pull",
    ] {
        let path = folder.join("schedule.txt");
        let text = printed(&format!("dev {program} --dump loops"));
        assert!(text.contains(": lanes"), "{text}");
        std::fs::write(&path, text).expect("a file");
        let scheduled = format!("dev {program} --dump c --schedule {}", path.display());
        assert!(printed(&scheduled) == printed(&format!("dev {program} --dump c")), "{program}");
        // Nothing in lanes, and so no clauses.
        let text = printed(&format!("dev {program} --dump loops"));
        let one_by_one = |line: &str| match line.split_once(": ") {
            Some((head, rest)) if rest.starts_with("lanes") || rest.starts_with("one by one") => {
                format!("{head}: one by one\n")
            }
            _ => format!("{line}\n"),
        };
        std::fs::write(&path, text.lines().map(one_by_one).collect::<String>()).expect("a file");
        let without = printed(&format!("dev {program} --dump c --schedule {}", path.display()));
        assert!(!without.contains("pb_first"), "{without}");
    }
}
