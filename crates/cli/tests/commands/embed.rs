//! Libraries for C that are given wrong sizes, are stopped, or are compiled in several ways; and what `build` says that it
//! leaves out. As in [`super::build`], there is nothing to test where there is no C compiler.

use std::process::Command;

use super::build::{Folder, STRICT, built, compiled, ran, takes};
use super::{asks_for_all, output, root};

const SANITIZERS: &str = "-fsanitize=address,undefined -fno-sanitize-recover=all";

/// Compiles a program that holds a library, in the first of these ways, or in all where that is asked, and runs it: it finds
/// nothing wrong.
fn checked(library: &str, program: &str, ways: &[&str]) {
    let ways = if asks_for_all() { ways } else { &ways[..1] };
    if !takes("cc", "c", "-std=gnu11") {
        return;
    }
    let folder = Folder::new(program);
    built(&format!("tests/embed/{library}.pull --emit c"), &folder);
    let (own, object) = (folder.path(""), folder.path("check"));
    for way in ways.iter().filter(|way| takes("cc", "c", way)) {
        let options = format!("{STRICT} -Wno-trigraphs {way} -I{own}");
        compiled("cc", &format!("{options} tests/embed/{program}.c -lm -pthread -o {object}"));
        let done = ran(&object, "").expect("a program");
        let told = String::from_utf8_lossy(&done.stdout).into_owned();
        let errors = String::from_utf8_lossy(&done.stderr).into_owned();
        assert_eq!((told.as_str(), errors.as_str()), ("0 wrong\n", ""), "{way}");
    }
}

#[test]
fn all_sizes_are_looked_at() {
    let all = format!("-O0 -g {SANITIZERS} -DPB_SMALL=0");
    checked("sizes", "sizes_check", &["-O1", &all]);
}

#[test]
fn sums_cross_as_numbers() {
    let all = format!("-O0 -g {SANITIZERS} -DPB_SMALL=0");
    checked("sums", "sums_check", &["-O1", &all]);
}

#[test]
fn strings_cross_as_bytes() {
    let all = format!("-O0 -g {SANITIZERS} -DPB_SMALL=0");
    checked("strings", "strings_check", &["-O1", &all]);
}

#[test]
fn calls_end_when_they_are_told() {
    let (memory, threads) = (format!("-O0 -g {SANITIZERS}"), "-O0 -g -fsanitize=thread");
    checked("calls", "calls_check", &[threads, &memory, "-O3"]);
}

/// A library says of wrong sizes what the command says.
#[test]
fn words_are_those_of_the_command() {
    let check = std::fs::read_to_string(root().join("tests/embed/sizes_check.c")).expect("a file");
    for (entry, input, name, words) in [
        ("three", "{\"x\": [1, 2]}", "x", "it has size 2 where the size must be 3"),
        ("counted", "{\"n\": 2, \"x\": [1, 2, 3]}", "x", "it has size 3 where the size must be 2"),
    ] {
        let folder = Folder::new("words");
        let path = folder.path("input.json");
        std::fs::write(&path, input).expect("a file");
        let line = format!("run tests/embed/sizes.pull {entry} --input {path}");
        let (_, _, told) = output(&line);
        let title = format!("error[E0804]: the value of `{name}` does not fit its parameter");
        assert_eq!(told[0], title, "{told:?}");
        assert!(told.iter().any(|line| line.ends_with(words)), "{told:?}");
        assert!(check.contains(&format!("NOT_FIT(\"{name}\", \"{words}\")")), "{words}");
    }
}

#[test]
fn what_is_left_out_is_told() {
    let folder = Folder::new("left");
    let told = built("tests/embed/library.pull", &folder);
    let manifest = folder.text("library.json");
    for (line, entry) in [
        (
            "note: `applied` is left out: it has a function in what it takes or gives",
            "\"applied\", \"reason\": \"it has a function in what it takes or gives\"",
        ),
        (
            "note: `table` is left out: it takes nothing",
            "\"table\", \"reason\": \"it takes nothing\"",
        ),
        (
            "note: grad, hvp of `parts` left out: its value is no Real",
            "\"parts\", \"derivatives\": [\"grad\", \"hvp\"], \"reason\": \"its value is no Real\"",
        ),
        (
            "note: jvp, vjp, grad, hvp of `evens` left out: it takes no Reals",
            "\"evens\", \"derivatives\": [\"jvp\", \"vjp\", \"grad\", \"hvp\"], \"reason\": \"it takes no Reals\"",
        ),
    ] {
        assert!(told.iter().any(|told| told == line), "{told:?}");
        assert!(manifest.contains(&format!("{{\"entry\": {entry}}}")), "{manifest}");
    }
    // What nobody has asked for is not left out.
    let told = built("tests/embed/library.pull parts evens --derivatives none", &folder);
    assert!(told.is_empty(), "{told:?}");
}

#[test]
fn the_example_of_the_documentation_stops() {
    if !takes("cc", "c", "-std=gnu11") {
        return;
    }
    let text = std::fs::read_to_string(root().join("docs/c.md")).expect("a file");
    let (_, rest) = text.split_once("```c\n").expect("an example");
    let (example, _) = rest.split_once("```").expect("its end");
    let folder = Folder::new("example");
    let (source, program) = (folder.path("main.c"), folder.path("main"));
    std::fs::write(&source, example).expect("a file");
    built("tests/embed/calls.pull --emit c", &folder);
    let options = "-std=gnu11 -O2 -Wall -Wextra -Werror -Wno-psabi -fno-strict-aliasing";
    let own = folder.path("");
    let library = folder.path("calls.c");
    let quiet = "-Wno-unused-variable -Wno-unused-but-set-variable -Wno-unused-parameter";
    compiled("cc", &format!("{options} {quiet} -I{own} {source} {library} -lm -o {program}"));
    let done = ran(&program, "").expect("a program");
    let told = String::from_utf8_lossy(&done.stdout).into_owned();
    assert!(
        done.status.success() && told.contains("status 4: E0711: the time limit of 0.1 s is over"),
        "{told}"
    );
}

/// The bits of the numbers that a program prints, by what it is run with.
fn bits(program: &str, tunables: Option<&str>) -> Vec<String> {
    let mut command = Command::new(program);
    if let Some(tunables) = tunables {
        command.env("GLIBC_TUNABLES", tunables);
    }
    let done = command.output().expect("a program");
    assert!(done.status.success());
    String::from_utf8(done.stdout).expect("text").lines().map(str::to_owned).collect()
}

/// What a portable library computes has the same bits however it is compiled; and where nothing is added up, and no
/// function of C is called, those of strict code.
#[test]
fn portable_results_are_the_same() {
    if !takes("cc", "c", "-std=gnu11") {
        return;
    }
    let folder = Folder::new("same");
    let (own, program) = (folder.path(""), folder.path("same"));
    built("tests/embed/same.pull --emit so --target portable", &folder);
    let main = "tests/embed/same_check.c";
    let so = folder.path("same.so");
    compiled("cc", &format!("-std=gnu11 -O1 -I{own} {main} {so} -Wl,-rpath,{own} -o {program}"));
    let portable = bits(&program, None);
    let other = "glibc.cpu.hwcaps=-AVX2,-FMA,-AVX512F,-FMA4";
    assert_eq!(bits(&program, Some(other)), portable);
    built("tests/embed/same.pull --emit c", &folder);
    let common = "-std=gnu11 -fno-strict-aliasing -ffp-contract=off -DPB_PORTABLE -Wno-psabi";
    let ways = ["-O0", "-O3 -march=native", "-O1", "-O3"];
    for way in if asks_for_all() { &ways[..] } else { &ways[..2] } {
        let files = format!("{main} {} -lm -o {program}", folder.path("same.c"));
        compiled("cc", &format!("{common} {way} -I{own} {files}"));
        assert!(bits(&program, None) == portable, "{way}");
    }
    let line = "grad tests/embed/same.pull rosenbrock 'point 1000' --engine native --fp strict --target portable --json";
    let (_, told, _) = output(line);
    let (_, numbers) =
        told[0].split_once("\"x\": [").or(told[0].split_once("\"x\":[")).expect("a gradient");
    let (numbers, _) = numbers.split_once(']').expect("its end");
    let strict = numbers.split(',').map(|number| number.trim().parse::<f64>().expect("a number"));
    let strict: Vec<String> = strict.map(|number| format!("{:016x}", number.to_bits())).collect();
    assert_eq!(portable[1..=1000], strict[..]);
}
