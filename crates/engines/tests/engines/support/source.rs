//! Programs for tests, from Pullback source with the prelude in scope.

use pullback_base::{Diagnostic, SourceMap, Style, render};
use pullback_engines::{EngineInfo, How};
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
