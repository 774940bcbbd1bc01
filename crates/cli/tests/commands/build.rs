//! `build`: libraries for C, compiled and called by programs in C. Where there is no C compiler there is nothing to
//! test; where it has no sanitizers, or no C++, those parts are left out.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use super::{output, root, words};

/// A folder for the files of a test, gone when this is dropped.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new(name: &str) -> Self {
        let name = format!("pullback-build-{}-{name}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).expect("a folder");
        Self(path)
    }
    pub fn path(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }
    pub fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.0.join(name)).expect("a text")
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What cannot be removed stays with other temporary files.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Runs a program in the repository's root; nothing if there is no such program.
pub fn ran(program: impl AsRef<Path>, line: &str) -> Option<Output> {
    Command::new(program.as_ref()).args(words(line)).current_dir(root()).output().ok()
}

/// Whether a compiler takes a text with these options.
pub fn takes(compiler: &str, ending: &str, options: &str) -> bool {
    let folder = Folder::new(&format!("takes-{ending}"));
    let (source, object) = (folder.path(&format!("a.{ending}")), folder.path("a"));
    std::fs::write(&source, "int main(void) { return 0; }\n").expect("a file");
    let done = ran(compiler, &format!("{options} {source} -o {object}"));
    done.is_some_and(|done| done.status.success())
}

/// Compiles and links without a word from the compiler.
pub fn compiled(compiler: &str, line: &str) {
    let done = ran(compiler, line).expect("a compiler");
    let told = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success() && told.is_empty(), "{compiler} {line}\n{told}");
}

/// Builds into a folder; nothing is told but what is left out.
pub fn built(line: &str, folder: &Folder) -> Vec<String> {
    let (code, _, told) = output(&format!("build {line} -o {}", folder.path("")));
    let is_note = |line: &String| line.starts_with("note: ") && line.contains(" left out: ");
    assert!(code == "0" && told.iter().all(is_note), "{told:?}");
    told
}

/// The numbers of a text, in order.
fn numbers(text: &str) -> Vec<f64> {
    let is_part = |c: char| c.is_ascii_digit() || "+-.e".contains(c);
    text.split(|c| !is_part(c)).filter_map(|word| word.parse().ok()).collect()
}

/// Warnings for what emitted code may have: names that nothing uses.
pub const STRICT: &str = "-std=gnu11 -Wall -Wextra -Werror -Wno-psabi -Wno-unused-variable -Wno-unused-but-set-variable -Wno-unused-parameter \
                      -fno-strict-aliasing -ffp-contract=off";

#[test]
fn the_example_prints_the_gradient() {
    if !takes("cc", "c", "-std=gnu11") {
        return;
    }
    let folder = Folder::new("gmm");
    let (own, program) = (folder.path(""), folder.path("embed"));
    built("examples/gmm.pull objective --wrt alpha,mu,q,l --emit c", &folder);
    let object = folder.path("gmm.o");
    compiled("cc", &format!("{STRICT} -O2 -c {} -o {object}", folder.path("gmm.c")));
    let warnings = "-std=c11 -Wall -Wextra -Werror -pedantic -Wconversion -Wshadow";
    let source = "examples/embed-c/main.c";
    compiled("cc", &format!("{warnings} -I{own} {source} {object} -lm -o {program}"));
    let printed = String::from_utf8(ran(&program, "").expect("a program").stdout).expect("text");
    let line = "grad examples/gmm.pull objective 2 3 10 points 0 1.0 alpha mu q l \
                --wrt alpha,mu,q,l --json";
    let (_, wanted, _) = output(line);
    let (found, wanted) = (numbers(&printed), numbers(&wanted[0]));
    assert_eq!((found.len(), wanted.len()), (19, 19), "{printed}");
    let agree = |(x, y): (&f64, &f64)| (x - y).abs() <= 1e-12 * (1.0 + y.abs());
    assert!(found.iter().zip(&wanted).all(agree), "{printed}\n{wanted:?}");
}

#[test]
fn a_header_is_one_for_cpp_too() {
    if !takes("c++", "cpp", "-std=c++11") {
        return;
    }
    let folder = Folder::new("cpp");
    built("tests/embed/library.pull --emit header", &folder);
    let source = folder.path("main.cpp");
    let text = "#include \"library.h\"\n#include \"library.h\"\n\
                int main() { library_reals_1 xs = {nullptr, {0}}; return xs.size[0] != 0; }\n";
    std::fs::write(&source, text).expect("a file");
    let warnings = "-std=c++11 -Wall -Wextra -Werror -pedantic";
    compiled("c++", &format!("{warnings} -c {source} -o {}", folder.path("main.o")));
}

#[test]
fn calls_that_go_wrong_end_well() {
    if !takes("cc", "c", "-std=gnu11") {
        return;
    }
    let folder = Folder::new("check");
    let (own, program) = (folder.path(""), folder.path("check"));
    built("tests/embed/library.pull --emit c", &folder);
    let sanitizers = "-fsanitize=address,undefined -fno-sanitize-recover=all";
    let mut ways = vec!["-O2".to_owned()];
    if takes("cc", "c", sanitizers) {
        // Every block is one of the system's, so that each of its bytes is watched.
        ways.push(format!("-O0 -g {sanitizers} -DPB_SMALL=0"));
    }
    for way in ways {
        let options = format!("{STRICT} -Wno-trigraphs {way} -I{own}");
        compiled("cc", &format!("{options} tests/embed/check.c -lm -o {program}"));
        let done = ran(&program, "").expect("a program");
        let told = String::from_utf8_lossy(&done.stdout).into_owned();
        let errors = String::from_utf8_lossy(&done.stderr).into_owned();
        assert_eq!((told.as_str(), errors.as_str()), ("0 wrong\n", ""), "{way}");
    }
}

#[test]
fn the_same_program_gives_the_same_files() {
    let (one, two) = (Folder::new("one"), Folder::new("two"));
    for folder in [&one, &two] {
        built("tests/embed/library.pull", folder);
    }
    for name in ["library.c", "library.h", "library.json"] {
        assert!(one.text(name) == two.text(name), "{name} differs");
    }
    // Nothing of the texts in the program stands in the C file, nor of its own names.
    let source = one.text("library.c");
    for word in ["quoted", "pairs", "x'"] {
        let declared = source.replace("pairs_", "");
        assert!(!declared.contains(word), "the C file has `{word}`");
    }
    let manifest = one.text("library.json");
    assert!(
        manifest.contains("{\"entry\": \"table\", \"reason\": \"it takes nothing\"}"),
        "{manifest}"
    );
}

#[test]
fn a_shared_object_has_its_functions_alone() {
    if !takes("cc", "c", "-std=gnu11") || ran("nm", "--version").is_none() {
        return;
    }
    let folder = Folder::new("so");
    built("tests/embed/library.pull element --emit so", &folder);
    let path = folder.path("library.so");
    let symbols = ran("nm", &format!("-D --defined-only {path}")).expect("symbols").stdout;
    let symbols = String::from_utf8(symbols).expect("text");
    let mut names: Vec<&str> =
        symbols.lines().filter_map(|line| line.split(' ').next_back()).collect();
    names.retain(|name| !name.starts_with('_'));
    let fixed = ["open", "close", "message", "limit", "stop", "deadline", "progress", "watch"];
    let mut wanted: Vec<String> = fixed
        .into_iter()
        .chain(["element", "element_jvp", "element_vjp", "element_grad", "element_hvp"])
        .map(|name| format!("library_{name}"))
        .collect();
    names.sort_unstable();
    wanted.sort_unstable();
    assert_eq!(names, wanted);
}

#[test]
fn a_library_has_the_derivatives_that_are_wanted() {
    for (wanted, functions) in [
        ("grad", &["element", "element_grad"][..]),
        ("vjp,jvp", &["element", "element_jvp", "element_vjp"]),
        ("hvp", &["element", "element_hvp"]),
        ("none", &["element"]),
    ] {
        let folder = Folder::new("wanted");
        built(&format!("tests/embed/library.pull element --derivatives {wanted}"), &folder);
        let header = folder.text("library.h");
        let declared = header.lines().filter_map(|line| line.strip_prefix("int library_element"));
        let declared: Vec<_> = declared.filter_map(|line| line.split('(').next()).collect();
        let functions: Vec<_> = functions.iter().map(|name| &name["element".len()..]).collect();
        assert_eq!(declared, functions, "{wanted}:\n{header}");
    }
}
