//! Native code that a process made is found by the next ones before any pass runs.
//!
//! A process of its own is this file's binary again, which runs [`a_module_answers`] alone.

#![cfg(target_os = "linux")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use pullback_embed::{Allowed, Asked, Failure, Gave, Given, Kind, Module, Options, What};

/// The variable with the folder of a test, in a process that it starts.
const FOLDER: &str = "PULLBACK_TEST_FOLDER";

/// What is asked of a module: a definition, what of it, and a number that it is given last.
struct Question<'q> {
    name: &'q str,
    kind: Kind,
    options: Options,
    given: Vec<Given<'q>>,
}

fn question<'q>(name: &'q str, kind: Kind, given: Vec<Given<'q>>) -> Question<'q> {
    let options = Options { engine: Some("native".to_owned()), ..Options::default() };
    Question { name, kind, options, given }
}

/// All that is asked of a module, if it has such definitions.
fn questions() -> Vec<Question<'static>> {
    let numbers: Given<'_> = Given::Reals(&[1.0, 2.0], &[2]);
    let strict = Options { is_strict: true, ..question("", Kind::Value, vec![]).options };
    let threaded = Options { threads: 2, ..question("", Kind::Value, vec![]).options };
    let f = || question("f", Kind::Grad, vec![Given::Real(0.5)]);
    vec![
        f(),
        question("f", Kind::Value, vec![Given::Real(0.5)]),
        Question { options: strict, ..f() },
        Question { options: threaded, ..f() },
        question("read", Kind::Grad, vec![numbers, Given::Int(1)]),
        question("read", Kind::Grad, vec![numbers, Given::Int(7)]),
        question("solved", Kind::Jvp, vec![Given::Real(3.0), Given::Real(1.0)]),
        question("solved", Kind::Value, vec![Given::Real(1.0)]),
        question("stops", Kind::Value, vec![Given::Real(2.0)]),
        question("words", Kind::Value, vec![Given::Text("ß"), Given::Real(-1.0)]),
        question("deep", Kind::Value, vec![Given::Int(1000), Given::Real(1.0)]),
    ]
}

/// The answers of the module in a folder, which are written there if a test has started this process.
#[test]
fn a_module_answers() {
    if let Some(folder) = std::env::var_os(FOLDER).map(PathBuf::from) {
        let module = Module::load(&folder.join("program.pull")).expect("a program");
        fs::write(folder.join("answers"), answers(&module)).expect("a file");
    } else if pullback_codegen::compiler().is_some() {
        let text = "def f (x: Real): Real = 2.0 * x\n";
        let module = Module::compile("program.pull", text).expect("a program");
        assert_eq!(answers(&module), "1.0 2.0\n1.0\n1.0 2.0\n1.0 2.0\n");
    }
}

/// The answers of a module to the questions about what it defines, a line each; errors have several.
fn answers(module: &Module) -> String {
    let is_defined = |name: &str| module.definitions().iter().any(|known| known.name == name);
    let mut text = String::new();
    for Question { name, kind, options, given } in questions() {
        if is_defined(name) {
            let what = What::Definition(name.to_owned());
            let asked = Asked { what, names: None, kind, wrt: vec![], options };
            let gave = module.function(&asked).expect("code").call(&given, &Allowed::default());
            text += &told(gave);
        }
    }
    text
}

fn told(gave: Result<Vec<Gave>, Failure>) -> String {
    match gave {
        Ok(gave) => {
            let words = gave.iter().map(|one| match one {
                Gave::Real(x) => format!("{x:?}"),
                Gave::Reals(items, sizes) => format!("{:?} {sizes:?}", &items[..]),
                Gave::Texts(texts, sizes) => format!("{texts:?} {sizes:?}"),
                Gave::Int(_)
                | Gave::Bool(_)
                | Gave::Ints(..)
                | Gave::Bools(..)
                | Gave::Text(_)
                | Gave::Absent => panic!("Reals or Strings, not {one:?}"),
            });
            words.collect::<Vec<_>>().join(" ") + "\n"
        }
        Err(failure) => format!("{failure}\n"),
    }
}

/// A folder of a test, with a compiler that keeps a list of its compilations; nothing where there is none.
fn folder(name: &str) -> Option<PathBuf> {
    pullback_codegen::compiler()?;
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("embed-memo").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder");
    let compiler = folder.join("compiler");
    let (list, own) = (folder.join("list"), std::env::var("CC").unwrap_or("cc".to_owned()));
    let text = format!(
        "#!/bin/sh\n[ \"$1\" = --version ] || echo asked >> '{}'\nexec {own} \"$@\"\n",
        list.display()
    );
    fs::write(&compiler, text).expect("a file");
    fs::set_permissions(&compiler, fs::Permissions::from_mode(0o755)).expect("it is ours");
    Some(folder)
}

/// How often the compiler of a test has been asked.
fn compiled(folder: &Path) -> usize {
    fs::read_to_string(folder.join("list")).unwrap_or_default().lines().count()
}

/// What a process of its own answers about a text.
fn ask(folder: &Path, text: &str) -> String {
    fs::write(folder.join("program.pull"), text).expect("a file");
    let own = std::env::current_exe().expect("this test");
    let output = Command::new(own)
        .args(["--exact", "a_module_answers"])
        .env(FOLDER, folder)
        .env("CC", folder.join("compiler"))
        .env("XDG_CACHE_HOME", folder.join("base"))
        .env("PULLBACK_CACHE", "")
        .output()
        .expect("it starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    fs::read_to_string(folder.join("answers")).expect("answers")
}

/// The files of the cache that end so, in the order of their names.
fn kept(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder.join("base/pullback")).expect("the folder");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|own| own == ending));
    paths.sort();
    paths
}

#[test]
fn a_function_is_found_before_any_pass_runs() {
    let Some(folder) = folder("exchanged") else { return };
    let ask = |number: &str| ask(&folder, &format!("def stops (x: Real): Real = {number} * x\n"));
    let (one, other) = (ask("2.0"), ask("3.0"));
    assert_eq!((&*one, &*other), ("4.0\n", "6.0\n"));
    let [first, second] = &kept(&folder, "memo")[..] else { panic!("two memos") };
    // Whoever finds what is kept for the other function, answers as that one.
    let aside = folder.join("aside");
    for (from, to) in [(first, &aside), (second, first), (&aside, second)] {
        fs::rename(from, to).expect("it is ours");
    }
    assert_eq!((ask("2.0"), ask("3.0")), (other, one));
}

#[test]
fn what_is_gone_or_damaged_is_made_good() {
    let Some(folder) = folder("damaged") else { return };
    let text = "def stops (x: Real): Real = 2.0 * x\n";
    let names = || ["memo", "so"].map(|ending| kept(&folder, ending));
    assert_eq!(ask(&folder, text), "4.0\n");
    let whole = names();
    assert_eq!(whole.each_ref().map(Vec::len), [1, 1]);
    let is_object = |path: &Path| path.extension().is_some_and(|own| own == "so");
    for path in whole.iter().flatten() {
        let bytes = fs::read(path).expect("a file");
        let mut flipped = bytes.clone();
        flipped[bytes.len() / 2] ^= 1;
        for damage in [Some(flipped), Some(bytes[..bytes.len() / 2].to_vec()), Some(vec![]), None] {
            match &damage {
                Some(damaged) => fs::write(path, damaged),
                None => fs::remove_file(path),
            }
            .expect("it is ours");
            let before = compiled(&folder);
            assert_eq!((ask(&folder, text), names()), ("4.0\n".to_owned(), whole.clone()));
            assert_eq!(compiled(&folder) - before, usize::from(is_object(path)));
            // Compilers need not make the same bytes twice.
            let again = fs::read(path).expect("a file");
            assert!(is_object(path) || again == bytes);
            assert!(damage.is_none_or(|damage| again != damage));
        }
    }
}

#[test]
fn what_is_found_tells_what_was_told_before() {
    let Some(folder) = folder("told") else { return };
    let text = "import \"linalg\"\n\n\
        def f (x: Real): Real = sin x\n\
        def read (xs: []Real) (i: Int): Real = xs[i] * 2.0\n\
        def solved (x: Real): [2]Real = linalg.solve [[x, 1.0], [1.0, x]] [1.0, 2.0]\n\
        def stops (x: Real): Real = if x > 1.0 then error \"too large\" else x\n\
        def words (name: String) (x: Real): [3]String = [name, \"own\", string x]\n\
        def deep (n: Int) (x: Real): Real = if n < 1 then x else sin (deep (n - 1) (x + 1.0))\n";
    let ask = |text: &str| ask(&folder, text);
    let cold = ask(text);
    for words in [
        "0.479425538604203 0.8775825618903728\n",
        "4.0 [0.0, 2.0] [2]\n",
        "E0701",
        "program.pull:4:",
        "too large",
        "[\"ß\", \"own\", \"-1.0\"] [3]\n",
    ] {
        assert!(cold.contains(words), "{cold}");
    }
    let count = compiled(&folder);
    // Of what is asked of `f`, only the number of threads changes no code; two questions are about `read`.
    let memos = kept(&folder, "memo");
    assert_eq!(memos.len(), questions().len() - 2);
    let objects = kept(&folder, "so");
    assert_eq!(
        (ask(text), kept(&folder, "memo"), kept(&folder, "so")),
        (cold.clone(), memos, objects.clone())
    );
    // Places have moved: the code is the same, and errors are at the new ones.
    let moved = ask(&format!("-- One line more.\n{text}"));
    assert_eq!((kept(&folder, "so"), compiled(&folder)), (objects, count));
    let places = |told: &str| -> Vec<u32> {
        let rest = told.split("program.pull:").skip(1);
        rest.map(|rest| rest.split(':').next().unwrap_or("").parse().expect("a line")).collect()
    };
    let later: Vec<u32> = places(&cold).iter().map(|line| line + 1).collect();
    assert_eq!((places(&moved), later.is_empty()), (later, false));
    let answers = |told: &str| -> Vec<String> {
        let lines = told.lines().filter(|line| line.ends_with(']') && !line.contains(" | "));
        lines.map(str::to_owned).collect()
    };
    assert_eq!(answers(&moved), answers(&cold));
}
