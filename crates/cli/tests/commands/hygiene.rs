//! No command looks anything up by a name that the user's file may define.
//!
//! A program is run as it is, and again with a definition for every built-in and for every name of the prelude
//! beside it, each of them a String or made of Strings. The names come from the tables themselves, so a new one
//! is taken at once. What every command prints must be the same: where Pullback meant one of its own by name,
//! it would now get a String.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use pullback_base::SourceMap;
use pullback_syntax::ast::{ItemKind, TypeBody};
use pullback_types::builtins;

use crate::{output, root};

/// A program that uses the forms of the language, and names that neither the prelude nor a built-in has.
const PROGRAM: &str = r#"--@ f 3.0 4.0 = 12.0
--@ f 3.0 4.0 ~= 12.01 within 0.1
--@ third [1.0] fails E0701
--@ type f = Real -> Real -> Real
--@ area (Disk 2.0) = 12.0
type Shape = Disk Real | Slab Real Real

def f (x: Real) (y: Real): Real = x * y

def area (s: Shape): Real =
  match s with
  | Disk r -> 3.0 * r ^ 2
  | Slab a b -> a * b

def layer (w: [2][2]Real) (v: [2]Real): [2]Real = 2.0 *. (w @ v) - v * v

def third (xs: []Real): Real = xs[2]

def twice (g: Real -> Real) (x: Real): Real = x |> g |> g

def power (x: Real) (k: Int): Real = loop y = 1.0 for i < k do if i % 2 == 0 then x * y else y

def rows [n] (xs: [n]Real): [n][2]Real = [ [x, x ^ n] | x <- xs[0:n] ]

def changed (xs: [3]Real) (p: { a: Real, k: Int }): ([3]Real, Real) =
  let rec down (k: Int): Real = if k <= 0 || p.a != p.a then p.a else down (k - 1) in
  (xs with [1] = down p.k, -p.a)

def kinked (x: Real): Real = if x > 0.0 && x < 9.0 then x else 0.0

def same (x: a): a = x
"#;

/// Calls for each command, without the file, which comes first.
const CALLS: &[(&str, &[&str])] = &[
    (
        "run",
        &[
            "f 3.0 4.0",
            "area '(Slab 2.0 3.0)' --json",
            "layer '[[1.0, 2.0], [3.0, 4.0]]' '[1.0, 2.0]' --warn kinks --trace-nan",
            "twice '\\x -> f x x' 3.0",
            "rows '[1.0, 2.0]' --fuel 5",
            "changed '[1.0, 2.0, 3.0]' '{ a = 5.0, k = 3 }'",
            "third '[1.0]'",
            "f --input INPUT",
            "same '(f 2.0)'",
            "f true",
        ],
    ),
    (
        "grad",
        &[
            "f 3.0 4.0",
            "f 3.0 4.0 --wrt x",
            "f --input INPUT --wrt y",
            "area '(Slab 2.0 3.0)'",
            "twice '\\x -> f x x' 3.0 --json",
            "power 2.0 5",
            "kinked 0.0 --warn kinks",
            "kinked 0.0 --domain strict",
            "same 3",
            "same true",
            "same '0.0 / 0.0' --trace-nan",
        ],
    ),
    (
        "dev",
        &["f 3.0 4.0 --count", "f 3.0 4.0 --dump opt", "area '(Slab 2.0 3.0)' --dump ir --verify"],
    ),
    (
        "vjp",
        &[
            "layer '[[1.0, 2.0], [3.0, 4.0]]' '[1.0, 2.0]' --wrt v --cotangent '[1.0, 0.0]'",
            "changed '[1.0, 2.0, 3.0]' '{ a = 5.0, k = 3 }' --cotangent '([1.0, 2.0, 3.0], 1.0)'",
            "rows '[1.0, 2.0]' --cotangent '[[1.0, 1.0], [0.0, 1.0]]'",
            "f --input INPUT --cotangent 1",
            "f 3.0 4.0 --cotangent true",
        ],
    ),
    (
        "jvp",
        &[
            "layer '[[1.0, 2.0], [3.0, 4.0]]' '[1.0, 2.0]' --wrt v --tangent '[1.0, 0.0]'",
            "changed '[1.0, 2.0, 3.0]' '{ a = 5.0, k = 3 }' --tangent '([1.0, 2.0, 3.0], { a = 1.0, k = () })'",
            "f --input INPUT --tangent '(1, 2)'",
            "f 3.0 4.0 --wrt y --tangent 1",
            "f 3.0 4.0 --tangent 1",
        ],
    ),
    (
        "jacobian",
        &[
            "rows '[1.0, 2.0]'",
            "changed '[1.0, 2.0, 3.0]' '{ a = 5.0, k = 3 }' --sparse",
            "f --input INPUT --sparse --json",
            "third '[1.0]' --sparse",
        ],
    ),
    (
        "hessian",
        &["f 3.0 4.0", "f 3.0 4.0 --wrt x --sparse", "area '(Slab 2.0 3.0)' --sparse", "f 3.0"],
    ),
    (
        "check-grad",
        &[
            "f 3.0 4.0",
            "f 3.0 4.0 --wrt x",
            "area '(Disk 2.0)'",
            "layer '[[1.0, 2.0], [3.0, 4.0]]' '[1.0, 2.0]'",
            "kinked 0.0",
        ],
    ),
    ("bounds", &["f 3.0 4.0 --radius 0.5", "kinked 0.0 --interval x=[-1,1] --json"]),
    ("clarke", &["kinked 0.0", "f 3.0 4.0 --wrt y --json", "area '(Slab 2.0 3.0)'"]),
    (
        "plot",
        &[
            "f --from 1 --to 2",
            "f --arg x=3.0 --from 1 --to 2",
            "kinked --from -1 --to 1",
            "rows --from 1 --to 2",
        ],
    ),
    // Times differ from run to run.
    ("build", &[concat!("f -o ", env!("CARGO_TARGET_TMPDIR"), "/hygiene/out")]),
    ("bench", &["f 3.0 true"]),
    ("check", &[""]),
    ("fmt", &["--check"]),
    ("test", &["", "--warn kinks"]),
    ("demo", &["f"]),
    ("doc", &["f"]),
    (
        "show",
        &[
            "f --stage types",
            "rows --stage lambda",
            "changed --stage lambda",
            "f --stage reverse --as-source",
            "f --stage poly-tupled --as-source",
            "f --stage poly-transposed --as-source",
            "f --stage cl-rev --as-source",
        ],
    ),
    ("repl", &["< LINES"]),
    // They read no file, or none that is named.
    ("explain", &[]),
    ("lsp", &[]),
    ("gradbench", &[]),
];

/// The commands that take derivatives by an engine, with a call for each.
const BY_ENGINE: &[&str] = &[
    "run FILE f 3.0 4.0",
    "grad FILE f 3.0 4.0 --wrt x",
    "grad FILE f --input INPUT --wrt x",
    "vjp FILE twice 'f 2.0' 3.0 --cotangent 2.0",
    "jvp FILE f 3.0 4.0 --wrt x --tangent 1.0",
    "jacobian FILE f 3.0 4.0 --sparse",
    "hessian FILE f 3.0 4.0 --sparse",
    "check-grad FILE f 3.0 4.0 --wrt x",
    "clarke FILE kinked 0.0",
    "test FILE",
];

/// What a prompt is asked.
const LINES: &str = "f 3.0 4.0\n:type f\n:grad f 3.0 4.0\n:cost f 3.0 4.0\n:show f\n:doc f\n";

/// Names that stand in forms of the calculus, or might be chosen for what is added to a program.
const OTHERS: &[&str] =
    &["call", "s", "__call", "__argument_1", "__direction", "__left", "__expectation_0"];

/// The definitions that take every name, as text, and the names of values among them.
fn captures() -> (String, BTreeSet<String>) {
    let path = root().join("lib/prelude.pull");
    let text = std::fs::read_to_string(path).expect("the prelude");
    let mut sources = SourceMap::default();
    let file = sources.add("prelude.pull", text.clone());
    let prelude = pullback_syntax::parse(&text, file).module;
    let mut captures = String::new();
    let mut values: BTreeSet<String> =
        builtins::names().chain(OTHERS.iter().copied()).map(str::to_owned).collect();
    for item in &prelude.items {
        match &item.kind {
            ItemKind::Def(def) => drop(values.insert(def.name.node.to_string())),
            ItemKind::Type(decl) => {
                let TypeBody::Sum(constructors) = &decl.body else { panic!("an alias is no type") };
                let constructors: Vec<String> =
                    constructors.iter().map(|con| format!("{} String", con.name.node)).collect();
                captures.push_str(&format!(
                    "\ntype {} = {}\n",
                    decl.name.node,
                    constructors.join(" | ")
                ));
            }
            ItemKind::Import(_) | ItemKind::Error => panic!("the prelude has definitions only"),
        }
    }
    for name in &values {
        captures.push_str(&format!("\ndef {name}: String = \"captured\"\n"));
    }
    (captures, values)
}

/// A program of Knossos that uses what its translation stands on.
const KNOSSOS: &str = r#"
(def f_ Float ((x : Float) (n : Integer) (v : Vec (Vec Float)))
  (mul (pow x n) (add (max (exp (index 0 v))) (abs (sum (index 1 v))))))
(def root_ Float (x : Float) (sqrt x))
(def [rev root_] Float ((x : Float) (dt : Float)) (div dt (root_ x)))
(def main Integer ()
  (let ((v (Vec_init (Vec_init 1.0 2.0) (constVec 1 3.0)))
        (m (build (tuple 2 2) (lam (ij : Tuple Integer Integer) (to_float (get$1$2 ij)))))
        (w ([suffwdpass f_] 2.0 3 v))
        (n (print "said\n")))
    (print
      ([rev f_] (tuple 2.0 3 v) 1.0) " " ([fwd f_] (tuple 2.0 3 v) (tuple 1.0 (tuple) v)) " "
      (get$1$2 w) " " ([rev root_] 4.0 1.0) " " (mul m (Vec_init 1.0 2.0)) " " (div 7 -2) " "
      (shape v) " " (ts_add (tuple 1 2.0) (tuple (tuple) 1.0)) " " ($ranhashdoub 1) " "
      (deltaVec 2 1 1.5) " " (max 1.0 2.0) " " (eq 1 1) " " (imax (Vec_init 1.0 3.0)) " "
      (sum (Vec_init (tuple 1.0 (Vec_init 2.0)) (tuple 1.0 (Vec_init 2.0)))) " "
      (fold (lam (p : Tuple Float Float) (add (get$1$2 p) (get$2$2 p))) 0.0 (Vec_init 1.0 2.0)))))
"#;

#[test]
fn programs_of_knossos_may_define_every_name() {
    let (_, names) = captures();
    let keywords = "type import as rec and in then else match with loop for while do";
    let names = names.iter().map(String::as_str).chain(keywords.split(' '));
    // Words of Knossos itself are no names there.
    let taken: String = names
        .filter(|name| !["assert", "call"].contains(name))
        .map(|name| format!("(def {name} String (ks_print : Integer) \"captured\")\n"))
        .collect();
    let folder = folder("knossos", PROGRAM);
    let mut texts = vec![];
    for text in [KNOSSOS.to_owned(), format!("{taken}{KNOSSOS}")] {
        std::fs::write(folder.join("program.ks"), text).expect("a file");
        let file = folder.join("program.ks").display().to_string();
        let mut printed = String::new();
        for call in ["run FILE", "run FILE --engine ir", "grad FILE root_ 4.0", "test FILE"] {
            let (code, out, _) = output(&call.replace("FILE", &file));
            printed.push_str(&format!("{code} {}\n", out.join("\n")));
        }
        let (code, out, _) = output(&format!("fmt --to pull {file}"));
        assert!(code == "0" && out.iter().any(|line| line.starts_with("def main: Int")), "{out:?}");
        texts.push(printed);
    }
    assert_eq!(texts[0], texts[1]);
    assert!(texts[0].contains("said"), "{}", texts[0]);
}

/// A folder with the program, alone or beside the definitions that take every name.
fn folder(name: &str, text: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("hygiene").join(name);
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(folder.join("program.pull"), text).expect("a file");
    std::fs::write(folder.join("input.json"), "{\"x\": 3.0, \"y\": 4.0}").expect("a file");
    std::fs::write(folder.join("lines.txt"), LINES).expect("a file");
    folder
}

/// What a command prints, with its files named alike wherever they are.
fn printed(folder: &Path, command: &str) -> String {
    let path = |name: &str| folder.join(name).display().to_string();
    let line = command.replace("FILE", &path("program.pull")).replace("INPUT", &path("input.json"));
    let line = line.replace("LINES", &path("lines.txt"));
    let (code, out, errors) = output(&line);
    let text = format!("exit {code}\n{}\n{}", out.join("\n"), errors.join("\n"));
    text.replace(&folder.display().to_string(), "")
}

/// The commands that `pullback --help` lists.
fn commands() -> Vec<String> {
    let (_, lines, _) = output("--help");
    let mut lines = lines.into_iter().skip_while(|line| line != "Commands:").skip(1);
    let listed = lines.by_ref().take_while(|line| !line.is_empty());
    let is_first = |line: &String| line.starts_with("  ") && !line.starts_with("   ");
    listed
        .filter(is_first)
        .filter_map(|line| Some(line.split_whitespace().next()?.into()))
        .collect()
}

#[test]
fn commands_mean_what_they_say_whatever_a_file_defines() {
    let (captures, names) = captures();
    let plain = folder("plain", PROGRAM);
    let captured = folder("captured", &format!("{PROGRAM}{captures}"));
    let known: Vec<&str> = CALLS.iter().map(|(command, _)| *command).collect();
    for command in commands() {
        assert!(known.contains(&command.as_str()), "add calls of `{command}` to this test");
    }
    let types = printed(&captured, "show FILE --stage types");
    for name in names {
        assert!(types.contains(&format!("\n{name} : String\n")), "`{name}` is not taken:\n{types}");
    }
    let mut lines: Vec<String> = Vec::new();
    for (command, calls) in CALLS {
        lines.extend(calls.iter().map(|call| format!("{command} FILE {call}")));
    }
    for engine in pullback_engines::REGISTRY.names() {
        lines.extend(BY_ENGINE.iter().map(|call| format!("{call} --engine {engine}")));
    }
    // The other stages are forms of the whole text.
    for stage in pullback_tools::stages().filter(|stage| !["tokens", "ast"].contains(&stage.name)) {
        lines.push(format!("show FILE f --stage {}", stage.name));
        lines.push(format!("show FILE f 3.0 4.0 --stage {}", stage.name));
    }
    let mut wrong = Vec::new();
    for line in lines {
        let (alone, beside) = (printed(&plain, &line), printed(&captured, &line));
        assert!(!alone.contains("exit 70") && !alone.contains("exit 2\n"), "{line}\n{alone}");
        if alone != beside {
            wrong.push(format!("$ pullback {line}\n{alone}\nwith every name taken:\n{beside}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}
