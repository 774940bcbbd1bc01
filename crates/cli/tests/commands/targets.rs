//! `build --target all`: a library with code for several micro-architecture levels, of which it chooses one when it is
//! loaded. As in [`super::build`], there is nothing to test where there is no C compiler, or where it does not know the levels.

use std::process::Command;

use super::build::{Folder, STRICT, built, compiled, ran, takes};
use super::{output, root};

/// The levels that this machine has, the highest first, by what the system says of its processor.
fn levels_here() -> Vec<&'static str> {
    let told = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let flags = told.lines().find_map(|line| line.strip_prefix("flags")).unwrap_or_default();
    let has = |words: &str| words.split(' ').all(|word| flags.split(' ').any(|flag| flag == word));
    let v3 =
        "avx avx2 bmi1 bmi2 f16c fma abm movbe xsave sse4_1 sse4_2 ssse3 pni popcnt cx16 lahf_lm";
    let v4 = "avx512f avx512bw avx512cd avx512dq avx512vl";
    let mut levels = vec!["portable"];
    if has(v3) {
        levels.insert(0, "x86-64-v3");
        if has(v4) {
            levels.insert(0, "x86-64-v4");
        }
    }
    levels
}

/// Whether a library with all targets can be made and loaded here.
fn can_be_made() -> bool {
    cfg!(all(target_os = "linux", target_arch = "x86_64")) && takes("cc", "c", "-march=x86-64-v4")
}

/// What a program prints, a line each, if the environment names this target.
fn told(program: &str, target: Option<&str>) -> Vec<String> {
    let mut command = Command::new(program);
    command.env_remove("PULLBACK_TARGET");
    if let Some(target) = target {
        command.env("PULLBACK_TARGET", target);
    }
    let done = command.output().expect("a program");
    assert!(done.status.success(), "{target:?}: {done:?}");
    String::from_utf8(done.stdout).expect("text").lines().map(str::to_owned).collect()
}

/// Compiles a program in C with a library of these options.
fn program(library: &str, options: &str, check: &str, folder: &Folder) -> String {
    let (own, program) = (folder.path(""), folder.path("check"));
    built(&format!("tests/embed/{library}.pull {options} --emit so"), folder);
    let so = folder.path(&format!("{library}.so"));
    let main = format!("tests/embed/{check}.c {so} -Wl,-rpath,{own}");
    compiled("cc", &format!("-std=gnu11 -O1 -Wall -Wextra -Werror -I{own} {main} -o {program}"));
    program
}

/// The value and the gradient that the evaluator of the array code gives.
fn evaluated(entry: &str) -> Vec<f64> {
    let line = format!("grad tests/embed/same.pull {entry} 'point 1000' --engine ir --json");
    let (code, told, errors) = output(&line);
    assert_eq!(code, "0", "{errors:?}");
    let is_part = |c: char| c.is_ascii_digit() || "+-.e".contains(c);
    let words = told[0].split(|c| !is_part(c));
    let numbers: Vec<f64> = words.filter_map(|word| word.parse().ok()).collect();
    assert_eq!(numbers.len(), 1001, "{}", told[0]);
    numbers
}

/// The numbers of which these lines are the bits.
fn numbers(lines: &[String]) -> Vec<f64> {
    let bits = lines.iter().map(|line| u64::from_str_radix(line, 16).expect("bits"));
    bits.map(f64::from_bits).collect()
}

const SAME: &str = "point rosenbrock mixture --derivatives grad --target all";

#[test]
fn the_highest_level_of_the_machine_runs_and_gives_the_values_of_the_evaluator() {
    if !can_be_made() {
        return;
    }
    let folder = Folder::new("targets");
    let program = program("same", SAME, "targets_check", &folder);
    let here = levels_here();
    let names = "\"targets\": [\"portable\", \"x86-64-v3\", \"x86-64-v4\"]";
    assert!(folder.text("same.json").contains(names), "{}", folder.text("same.json"));
    assert_eq!(told(&program, None)[0], here[0]);
    // What is no level forbids none, and what the machine lacks allows no more than it has.
    for (wanted, used) in [("x86-64-v9", here[0]), ("x86-64-v4", here[0]), ("", here[0])] {
        assert_eq!(told(&program, Some(wanted))[0], used, "{wanted}");
    }
    let wanted = [evaluated("rosenbrock"), evaluated("mixture")].concat();
    let mut texts = vec![];
    for level in &here {
        let told = told(&program, Some(level));
        assert_eq!(told[0], *level);
        let found = numbers(&told[1..]);
        let agree = |(x, y): (&f64, &f64)| (x - y).abs() <= 1e-12 * (1.0 + y.abs());
        assert!(found.len() == wanted.len() && found.iter().zip(&wanted).all(agree), "{level}");
        texts.push(told[1..].to_vec());
    }
    // Levels are codes of their own: one that rounds a product and a sum at once has other last places.
    texts.dedup();
    assert_eq!(texts.len() > 1, here.len() > 1);
}

#[test]
fn strict_code_has_the_bits_of_the_evaluator_at_each_level() {
    if !can_be_made() {
        return;
    }
    let folder = Folder::new("strict");
    let program = program("same", &format!("{SAME} --fp strict"), "targets_check", &folder);
    let wanted = [evaluated("rosenbrock"), evaluated("mixture")].concat();
    let wanted: Vec<String> = wanted.iter().map(|x| format!("{:016x}", x.to_bits())).collect();
    for level in levels_here() {
        assert!(told(&program, Some(level))[1..] == wanted, "{level}");
    }
}

#[test]
fn a_library_for_casadi_has_targets_too() {
    if !can_be_made() {
        return;
    }
    let folder = Folder::new("casadi-targets");
    let options = "scaled --abi casadi --size n=3,m=2 --target x86-64-v3";
    let program = program("matrices", options, "matrices_targets_check", &folder);
    let level = levels_here().into_iter().find(|level| *level != "x86-64-v4").expect("a level");
    for used in [level, "portable"] {
        let wanted = [used, "0.5", "8", "2", "12.5", "4.5", "18"];
        assert_eq!(told(&program, Some(used)), wanted);
    }
}

/// A library of several targets has the functions of one with a single target, and one more.
#[test]
fn a_library_with_targets_has_its_functions_alone() {
    if !can_be_made() || ran("nm", "--version").is_none() {
        return;
    }
    let folder = Folder::new("symbols");
    let symbols = |target: &str| {
        built(&format!("tests/embed/library.pull element --emit so --target {target}"), &folder);
        let line = format!("-D --defined-only {}", folder.path("library.so"));
        let told = String::from_utf8(ran("nm", &line).expect("symbols").stdout).expect("text");
        let names = told.lines().filter_map(|line| line.split(' ').next_back());
        names.filter(|name| !name.starts_with('_')).map(str::to_owned).collect::<Vec<_>>()
    };
    let (one, mut several) = (symbols("native"), symbols("all"));
    several.retain(|name| name != "library_target");
    assert!(one.len() > 10 && one == several, "{one:?}\n{several:?}");
}

/// The C files of a library with targets are compiled one by one, and say by which option.
#[test]
fn each_target_is_a_file_of_c() {
    if !can_be_made() {
        return;
    }
    let folder = Folder::new("files");
    built("tests/embed/library.pull element --derivatives none --target all", &folder);
    let main = "#include <stdio.h>\n#include \"library.h\"\nint main(void) { return puts(library_target()) < 0; }\n";
    std::fs::write(folder.path("main.c"), main).expect("a file");
    let mut objects = String::new();
    for (file, options) in [
        ("main", ""),
        ("library", ""),
        ("library.portable", "-DPB_PORTABLE"),
        ("library.x86-64-v3", "-march=x86-64-v3"),
        ("library.x86-64-v4", "-march=x86-64-v4"),
    ] {
        let object = folder.path(&format!("{file}.o"));
        let source = folder.path(&format!("{file}.c"));
        compiled("cc", &format!("{STRICT} -O1 {options} -c {source} -o {object}"));
        objects = format!("{objects} {object}");
    }
    let program = folder.path("main");
    compiled("cc", &format!("{objects} -lm -o {program}"));
    assert_eq!(told(&program, None), [levels_here()[0]]);
    let source = folder.path("library.x86-64-v3.c");
    let done = ran("cc", &format!("{STRICT} -c {source} -o {}", folder.path("wrong.o")));
    let errors = String::from_utf8(done.expect("a compiler").stderr).expect("text");
    assert!(errors.contains("this file is to be compiled with -march=x86-64-v3"), "{errors}");
}

#[test]
fn a_definition_may_be_called_target() {
    let folder = Folder::new("target");
    let path = folder.path("m.pull");
    std::fs::write(&path, "def target (x: Real): Real = x * x\n").expect("a file");
    for (options, wanted) in [("", "m_target("), ("--target all", "m_target_2(")] {
        let options = format!("{path} --emit header --derivatives none {options}");
        built(&options, &folder);
        let header = folder.text("m.h");
        assert!(header.contains(&format!("int {wanted}m_context *context, double x")), "{header}");
        assert_eq!(header.contains("const char *m_target(void);"), !options.ends_with("none "));
    }
}

#[test]
fn what_is_no_target_is_told() {
    let folder = Folder::new("no-target");
    for (target, title) in [
        ("x86-64-v9", "there is no target `x86-64-v9` for this kind of processor"),
        ("portable,avx2", "there is no target `avx2` for this kind of processor"),
        ("portable,", "there is no target `` for this kind of processor"),
        ("native,portable", "`native` stands alone"),
        ("portable,all", "`all` stands alone"),
    ] {
        let options = format!("element --target {target} -o {}", folder.path(""));
        let (code, _, errors) = output(&format!("build tests/embed/library.pull {options}"));
        assert!(code == "2" && errors[0].contains(title), "{errors:?}");
        let lists = errors[0].contains("there are native, all, and of all one or more of portable");
        assert_eq!(lists, title.starts_with("there is no target"), "{errors:?}");
    }
}

/// The package of the example, without being installed. At zero the model misses by 4, 5, 6 and 7.
#[test]
fn the_example_of_a_wheel_calls_its_library() {
    if !can_be_made() || ran("python3", "--version").is_none() {
        return;
    }
    let folder = Folder::new("wheel");
    let package = folder.path("fitted");
    std::fs::create_dir_all(&package).expect("a folder");
    let text = root().join("examples/embed-wheel/fitted/__init__.py");
    std::fs::copy(text, folder.path("fitted/__init__.py")).expect("a file");
    let options = "loss --wrt m --derivatives grad --emit so --target all";
    let line = format!("build examples/least_squares.pull {options} -o {package}");
    assert_eq!(output(&line).0, "0");
    let script = "import fitted\n\
                  xs = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]\n\
                  print(fitted.target, *fitted.loss_and_gradient(xs, [4, 5, 6, 7], [0, 0, 0], 0))\n\
                  try:\n  fitted.loss_and_gradient(xs, [4], [0, 0, 0], 0)\n\
                  except ValueError as error:\n  print(error)\n";
    for level in levels_here() {
        let mut python = Command::new("python3");
        python
            .args(["-c", script])
            .env("PYTHONPATH", folder.path(""))
            .env("PULLBACK_TARGET", level);
        let done = python.output().expect("Python");
        let told = String::from_utf8(done.stdout).expect("text");
        let lines: Vec<&str> = told.lines().collect();
        let errors = String::from_utf8_lossy(&done.stderr);
        assert_eq!(lines[0], format!("{level} 31.5 [-2.5, -3.0, -3.5] -11.0"), "{errors}");
        assert!(lines[1].starts_with("E0804: the value of `ys` does not fit"), "{told}");
    }
}
