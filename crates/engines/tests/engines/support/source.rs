//! Programs for tests, from Pullback source with the prelude in scope.

use pullback_base::{Diagnostic, SourceMap, Style, render};
use pullback_engines::{EngineInfo, How, trace_engine};
use pullback_eval::{Machine, Options, Value, compile};
use pullback_lambda::{DefId, Program, Stage, verify};
use pullback_types::{Source, elaborate, infer};

/// The program of a file, with its definitions of these names.
pub fn source(text: &str, names: &[&str]) -> (Program, Vec<DefId>) {
    files(&[("main", text)], names)
}

/// The program of files given as (name, text), each importing all before it; the names are of the last.
pub fn files(files: &[(&str, &str)], names: &[&str]) -> (Program, Vec<DefId>) {
    let mut sources = SourceMap::default();
    let mut texts = vec![("prelude", include_str!("../../../../../lib/prelude.pull"))];
    texts.extend(files);
    let mut parses = vec![];
    for (name, text) in &texts {
        let file = sources.add(format!("{name}.pull"), *text);
        let parse = pullback_syntax::parse(text, file);
        refuse(&sources, &parse.diagnostics);
        parses.push((*name, file, parse));
    }
    let modules: Vec<Source<'_>> = parses
        .iter()
        .enumerate()
        .map(|(index, (name, file, parse))| Source {
            name: (*name).into(),
            file: *file,
            module: &parse.module,
            imports: (1..index).map(|other| (parses[other].0.into(), other)).collect(),
            prelude: index == 0,
            library: index == 0,
            unread: vec![],
        })
        .collect();
    let (typed, scopes, diagnostics) = infer(&modules);
    refuse(&sources, &diagnostics);
    let main = texts.len() - 1;
    let roots: Vec<_> = names
        .iter()
        .map(|name| scopes.global(main, name).unwrap_or_else(|| panic!("no definition {name}")))
        .collect();
    let mut elaborated = elaborate(&typed, &roots);
    elaborated.program.verify_passes = true;
    refuse(&sources, &elaborated.diagnostics);
    let defs = roots.iter().map(|root| elaborated.roots[root]).collect();
    verify(&elaborated.program, Stage::Any).unwrap_or_else(|problems| panic!("{problems:?}"));
    (elaborated.program, defs)
}

fn refuse(sources: &SourceMap, diagnostics: &[Diagnostic]) {
    let errors = diagnostics.iter().filter(|diagnostic| diagnostic.is_error());
    let text: String =
        errors.map(|diagnostic| render(sources, diagnostic, Style::Plain) + "\n").collect();
    assert!(text.is_empty(), "{text}");
}

/// A function of one argument from `tests/forms`, with its points.
pub struct Form {
    /// The file and the name after `of_`.
    pub name: String,
    /// The program of the file.
    pub program: Program,
    /// The function in it.
    pub def: DefId,
    /// Where to differentiate it.
    pub points: Vec<Value>,
}

/// The functions of `tests/forms` whose text satisfies a condition; programs of every form of the language.
pub fn forms(wanted: impl Fn(&str) -> bool) -> Vec<Form> {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/forms");
    let entries = std::fs::read_dir(root).expect("the folder is there");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("readable").path()).collect();
    paths.sort();
    let mut forms = vec![];
    for path in paths {
        let text = std::fs::read_to_string(&path).expect("readable");
        if !wanted(&text) {
            continue;
        }
        let way = |line: &str| Some(line.strip_prefix("def of_")?.split_once(' ')?.0.to_owned());
        let ways: Vec<String> = text.lines().filter_map(way).collect();
        let names = ways.iter().flat_map(|way| [format!("of_{way}"), format!("at_{way}")]);
        let names: Vec<String> = names.collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let (program, defs) = source(&text, &names);
        let image = compile(&program);
        for (way, pair) in ways.iter().zip(defs.chunks(2)) {
            let mut machine = Machine::new(&image, trace_engine(), Options::default());
            let at = machine.global(pair[1]).expect("points");
            let points = at.as_array().map_or_else(
                || at.as_tuple().expect("points").to_vec(),
                |items| items.iter().collect(),
            );
            let name = format!("{} {way}", path.display());
            forms.push(Form { name, program: program.clone(), def: pair[0], points });
        }
    }
    assert!(!forms.is_empty());
    forms
}

/// The value of a definition, derivatives by a runtime engine of the table.
pub fn value(engine: &EngineInfo, program: &Program, def: DefId) -> Result<Value, Box<Diagnostic>> {
    let How::Runtime(make) = engine.how else {
        panic!("{} does not run in the machine", engine.name)
    };
    Machine::new(&compile(program), make(), Options::default()).global(def)
}

/// A definition `wanted` for each expectation `--@ A = B`, `--@ A ~= B` or `--@ A fails …` of a text:
/// the value of its left side. Gives the text with these definitions, and their names.
pub fn expectations(text: &str) -> (String, Vec<String>) {
    let mut out = text.to_owned();
    let mut names = vec![];
    for line in text.lines() {
        let Some(line) = line.strip_prefix("--@ ") else { continue };
        if line.starts_with("type ") || line.starts_with("engines ") {
            continue;
        }
        let side = [" ~= ", " = ", " fails "].iter().find_map(|sign| line.split_once(sign));
        let Some((left, _)) = side else { continue };
        // A `=` inside braces, brackets or a `let` is no sign of equality.
        let open = |c: char| left.matches(c).count();
        if open('{') != open('}')
            || open('[') != open(']')
            || open('(') != open(')')
            || left.contains("let ")
            || left.contains("loop ")
        {
            continue;
        }
        let name = format!("wanted_{}", names.len());
        out.push_str(&format!("\ndef {name} = {left}"));
        names.push(name);
    }
    (out, names)
}
