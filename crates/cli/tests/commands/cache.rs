//! Native code is compiled once and kept: a compiler that writes down how often it is asked says so.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use super::root;

/// A folder of a test, with a compiler that keeps a list of its compilations.
struct Place(PathBuf);

impl Place {
    fn new(name: &str) -> Self {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cache").join(name);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("a folder");
        let compiler = folder.join("compiler");
        let list = folder.join("list").display().to_string();
        let text = format!(
            "#!/bin/sh\n[ \"$1\" = --version ] || echo \"$@\" >> '{list}'\nexec cc \"$@\"\n"
        );
        fs::write(&compiler, text).expect("a file");
        fs::set_permissions(&compiler, fs::Permissions::from_mode(0o755)).expect("it is ours");
        Self(folder)
    }

    /// How often the compiler has been asked.
    fn asked(&self) -> usize {
        self.options().lines().count()
    }

    /// By which options, a line each time.
    fn options(&self) -> String {
        fs::read_to_string(self.0.join("list")).unwrap_or_default()
    }

    fn objects(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.0.join("base/pullback")).expect("the folder");
        entries.map(|entry| entry.expect("an entry").path()).collect()
    }

    /// Those with this ending.
    fn objects_of(&self, ending: &str) -> Vec<PathBuf> {
        let mut objects = self.objects();
        objects.retain(|path| path.extension().is_some_and(|own| own == ending));
        objects
    }

    fn start(&self, base: &str, cache: &str, target: &str) -> Child {
        Command::new(env!("CARGO_BIN_EXE_pullback"))
            .args([
                "grad",
                "tests/cli/programs/squares.pull",
                "loss",
                "[1.0,2.0,3.0]",
                "0.5",
                "--json",
            ])
            .args(["--engine", "native", "--target", target])
            .current_dir(root())
            .env("CC", self.0.join("compiler"))
            .env("XDG_CACHE_HOME", self.0.join(base))
            .env("PULLBACK_CACHE", cache)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the command starts")
    }

    fn run(&self, base: &str, cache: &str) {
        check(self.start(base, cache, "native"));
    }
}

/// The answer is the same, whether the code was kept or not.
fn check(child: Child) {
    let output = child.wait_with_output().expect("an end");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!((output.status.code(), &*errors), (Some(0), ""));
    let answer = String::from_utf8_lossy(&output.stdout);
    assert_eq!(
        answer,
        "{\"value\": 3.5, \"gradient\": {\"x\": [0.5, 1.0, 1.5], \"scale\": 14.0}}\n"
    );
}

#[test]
fn a_second_run_compiles_nothing() {
    let place = Place::new("hit");
    place.run("base", "");
    // Nothing is compiled for what the arguments are: they are short.
    let first = place.asked();
    assert_eq!(first, 1);
    assert_eq!(place.objects_of("so").len(), first);
    place.run("base", "");
    assert_eq!(place.asked(), first);
    place.run("base", "off");
    assert_eq!(place.asked(), 2 * first);
    assert_eq!(place.objects_of("so").len(), first);
}

#[test]
fn code_for_other_machines_is_kept_beside_that_for_this_one() {
    let place = Place::new("target");
    place.run("base", "");
    let first = place.asked();
    assert!(place.options().lines().all(|line| line.contains("-march=native")));
    for _ in 0..2 {
        check(place.start("base", "", "portable"));
        assert_eq!(place.asked(), 2 * first);
    }
    let options = place.options();
    assert!(options.lines().skip(first).all(|line| !line.contains("-march")), "{options}");
}

#[test]
fn what_is_damaged_is_made_again() {
    let place = Place::new("damage");
    place.run("base", "");
    let first = place.asked();
    for object in place.objects() {
        let mut bytes = fs::read(&object).expect("a file");
        let middle = bytes.len() / 2;
        bytes[middle..middle + 64].fill(0xcc);
        fs::write(&object, bytes).expect("a file");
    }
    place.run("base", "");
    assert_eq!(place.asked(), 2 * first);
    place.run("base", "");
    assert_eq!(place.asked(), 2 * first);
}

#[test]
fn nothing_is_kept_where_nothing_can_be() {
    let place = Place::new("nowhere");
    // A file is no folder, and this folder is open to others.
    for base in ["compiler/base", "open"] {
        let open = place.0.join("open/pullback");
        fs::create_dir_all(&open).expect("a folder");
        fs::set_permissions(&open, fs::Permissions::from_mode(0o777)).expect("it is ours");
        let before = place.asked();
        place.run(base, "");
        let once = place.asked() - before;
        place.run(base, "");
        assert_eq!(place.asked() - before, 2 * once);
        assert_eq!(fs::read_dir(&open).expect("the folder").count(), 0);
    }
    // What is there is used where nothing can be added.
    place.run("base", "");
    let before = place.asked();
    let folder = place.0.join("base/pullback");
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o500)).expect("it is ours");
    place.run("base", "");
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o700)).expect("it is ours");
    assert_eq!(place.asked(), before);
}

#[test]
fn processes_do_not_disturb_each_other() {
    let place = Place::new("together");
    let children: Vec<Child> = (0..4).map(|_| place.start("base", "", "native")).collect();
    children.into_iter().for_each(check);
    let asked = place.asked();
    place.run("base", "");
    assert_eq!(place.asked(), asked);
    let kept = |ending| place.objects_of(ending).len();
    assert_eq!(kept("so") + kept("memo"), place.objects().len(), "{:?}", place.objects());
}

/// So many that a change of one leaves most units as they were.
const LAYERS: u32 = 12;

/// Layers that are each large in C, with this number in the second one.
fn layers(number: f64) -> String {
    let mut text = String::new();
    for at in 0..LAYERS {
        let scale = if at == 1 { number } else { 1.5 + f64::from(at) };
        text.push_str(&format!(
            "def layer{at} [n] (x: [n]Real): [n]Real =\n  \
             let y = [ tanh (x[i] * {scale:?}) + {at}.25 | i < n ] in\n  \
             let m = sum [ y[i] * x[i] | i < n ] / real n in\n  \
             [ exp (-(y[i] - m) ^ 2) + x[n - 1 - i] | i < n ]\n\n"
        ));
    }
    text.push_str("def f [n] (x: [n]Real): Real =\n  let y = [ 2.0 * t | t <- x ] in\n");
    (0..LAYERS).for_each(|at| {
        text.push_str(&format!("  let x = layer{at} x in\n  let y = layer{at} y in\n"));
    });
    text + "  sum x + sum y\n"
}

/// The numbers of the value and the gradient of [`layers`] by an engine.
fn numbers(place: &Place, text: &str, engine: &str) -> Vec<f64> {
    let file = place.0.join("layers.pull");
    fs::write(&file, text).expect("a file");
    let output = Command::new(env!("CARGO_BIN_EXE_pullback"))
        .arg("grad")
        .arg(&file)
        .args(["f", "[1.0,2.0,3.0,0.5,0.25,0.1,0.7,0.9,0.3]", "--engine", engine])
        .env("CC", place.0.join("compiler"))
        .env("XDG_CACHE_HOME", place.0.join("base"))
        .env("PULLBACK_CACHE", "")
        .output()
        .expect("an end");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let words = text.split(|c: char| c.is_whitespace() || "[],".contains(c));
    words.filter_map(|word| word.parse().ok()).collect()
}

#[test]
fn after_a_change_only_what_has_changed_is_compiled() {
    let place = Place::new("units");
    let check = |number: f64| {
        let text = layers(number);
        let (native, expected) =
            (numbers(&place, &text, "native"), numbers(&place, &text, "trace"));
        assert_eq!((native.len(), expected.len()), (10, 10));
        let differs = |(a, b): (&f64, &f64)| (a - b).abs() > 1e-9 * b.abs().max(1.0);
        assert!(!native.iter().zip(&expected).any(differs), "{native:?} {expected:?}");
        native
    };
    let first = check(2.5);
    let (all, units) = (place.asked(), place.objects_of("o"));
    // Several units, and the linker.
    assert!(all >= 5 && units.len() == all - 1, "{all}");
    check(3.5);
    let changed = place.asked() - all;
    assert!((2..=all / 2).contains(&changed), "{changed} of {all}");
    // The bits do not depend on what was kept, and a unit that is damaged is made again.
    let least = units.iter().min_by_key(|path| fs::metadata(path).expect("a file").len());
    let least = least.expect("a unit");
    for asked in [1, 2] {
        place.objects_of("so").iter().for_each(|path| fs::remove_file(path).expect("it is ours"));
        let before = place.asked();
        assert_eq!(check(2.5), first);
        assert_eq!(place.asked() - before, asked);
        let mut bytes = fs::read(least).expect("a file");
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        fs::write(least, bytes).expect("a file");
    }
}

/// The exit code, the answer and the messages of a command about a file with this text.
fn told(place: &Place, text: &str, args: &[&str]) -> (Option<i32>, String, String) {
    let file = place.0.join("program.pull");
    fs::write(&file, text).expect("a file");
    let (command, args) = args.split_first().expect("a command");
    let output = Command::new(env!("CARGO_BIN_EXE_pullback"))
        .arg(command)
        .arg(&file)
        .args(args)
        .args(["--engine", "native"])
        .env("CC", place.0.join("compiler"))
        .env("XDG_CACHE_HOME", place.0.join("base"))
        .env("PULLBACK_CACHE", "")
        .output()
        .expect("an end");
    let words = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), words(&output.stdout), words(&output.stderr))
}

#[test]
fn a_program_is_found_before_any_pass_runs() {
    let place = Place::new("memo");
    let text = |number: &str| format!("def f (x: Real): Real = {number} * sin x\n");
    let ask = |number| told(&place, &text(number), &["grad", "f", "0.0"]).1;
    let (one, other) = (ask("2.0"), ask("3.0"));
    assert!(one.contains("2.0") && other.contains("3.0"), "{one} {other}");
    let [first, second] = &place.objects_of("memo")[..] else { panic!("two memos") };
    // Whoever finds what is kept for the other program, answers as that one.
    let aside = place.0.join("aside");
    for (from, to) in [(first, &aside), (second, first), (&aside, second)] {
        fs::rename(from, to).expect("it is ours");
    }
    assert_eq!((ask("2.0"), ask("3.0")), (other.clone(), one.clone()));
    // Without them, and where an object is gone, the passes run again.
    let remove = |ending: &str| {
        let objects = place.objects_of(ending);
        objects.iter().for_each(|path| fs::remove_file(path).expect("it is ours"));
    };
    for ending in ["memo", "so"] {
        remove(ending);
        assert_eq!((ask("2.0"), ask("3.0")), (one.clone(), other.clone()));
    }
}

#[test]
fn what_is_found_tells_what_was_told_before() {
    let place = Place::new("told");
    let text = "import \"linalg\"\n\ntype Shape = Disc Real | Box { w: Real, name: String }\n\n\
        def read (xs: []Real) (i: Int): Real = xs[i] * 2.0\n\
        def solved (x: Real): [2]Real = linalg.solve [[x, 1.0], [1.0, x]] [1.0, 2.0]\n\
        def stops (x: Real): Real = if x > 1.0 then error \"too large\" else x\n\
        def box (x: Real) (name: String): (Shape, [2]String) =\n  \
        (if x > 0.0 then Box { w = x, name = name } else Disc x, [name, \"own\"])\n\
        def deep (n: Int) (x: Real): Real = if n < 1 then x else sin (deep (n - 1) (x + 1.0))\n";
    let asked: [&[&str]; 9] = [
        &["run", "read", "[1.0,2.0]", "1"],
        &["run", "read", "[1.0,2.0]", "7"],
        &["grad", "read", "[1.0,2.0]", "7"],
        &["run", "solved", "1.0"],
        &["jvp", "solved", "3.0", "--tangent", "1.0"],
        &["run", "stops", "2.0"],
        &["run", "box", "2.0", "\"its name\""],
        &["run", "box", "--", "-1.0", "\"ß\""],
        &["run", "deep", "100000", "1.0", "--max-memory", "2M"],
    ];
    let all = |text: &str| asked.map(|args| told(&place, text, args));
    let cold = all(text);
    assert!(cold[1].2.contains("read (xs: []Real) (i: Int): Real = xs[i]"), "{}", cold[1].2);
    let (compiled, memos) = (place.asked(), place.objects_of("memo").len());
    assert_eq!(all(text), cold);
    assert_eq!((place.asked(), place.objects_of("memo").len()), (compiled, memos));
    // Places have moved: the code is the same, and errors are at the new ones.
    let moved = all(&format!("-- One line more.\n{text}"));
    assert_eq!(place.asked(), compiled);
    for (moved, cold) in moved.iter().zip(&cold) {
        assert_eq!((moved.0, &moved.1), (cold.0, &cold.1));
        let line = |told: &str| {
            let place = told.split("program.pull:").nth(1).and_then(|rest| rest.split(':').next());
            place.map(|line| line.parse::<u32>().expect("a line"))
        };
        assert_eq!(line(&moved.2), line(&cold.2).map(|line| line + 1), "{}", moved.2);
    }
}
