//! Parses and infers small programs, with or without the prelude.

use pullback_base::{Diagnostic, SourceMap, Style, render};
use pullback_types::tir::Typed;
use pullback_types::{Scopes, Source, infer, show_scheme};

/// A program that has been inferred.
pub struct Inferred {
    pub typed: Typed,
    pub scopes: Scopes,
    pub diagnostics: Vec<Diagnostic>,
    pub sources: SourceMap,
    /// The index of the program's own module.
    pub main: usize,
}

/// Infers files given as (name, text), each importing all before it under their names.
pub fn infer_files(files: &[(&str, &str)], prelude: bool) -> Inferred {
    let mut sources = SourceMap::default();
    let mut texts: Vec<(&str, &str)> = Vec::new();
    if prelude {
        texts.push(("prelude", include_str!("../../../../lib/prelude.pull")));
    }
    texts.extend(files);
    let mut parses = Vec::new();
    for (name, text) in &texts {
        let file = sources.add(format!("{name}.pull"), *text);
        let parse = pullback_syntax::parse(text, file);
        if let Some(diagnostic) = parse.diagnostics.first() {
            panic!("{}", render(&sources, diagnostic, Style::Plain));
        }
        parses.push((*name, file, parse));
    }
    let modules: Vec<Source<'_>> = parses
        .iter()
        .enumerate()
        .map(|(index, (name, file, parse))| Source {
            name: (*name).into(),
            file: *file,
            module: &parse.module,
            imports: (usize::from(prelude)..index)
                .map(|other| (parses[other].0.into(), other))
                .collect(),
            unread: vec![],
            prelude: prelude && index == 0,
            library: false,
        })
        .collect();
    let (typed, scopes, diagnostics) = infer(&modules);
    Inferred { typed, scopes, diagnostics, sources, main: texts.len() - 1 }
}

impl Inferred {
    /// All diagnostics as text.
    pub fn messages(&self) -> String {
        self.diagnostics.iter().map(|d| render(&self.sources, d, Style::Plain) + "\n").collect()
    }
    /// The type of a definition.
    pub fn scheme(&self, name: &str) -> String {
        self.scopes
            .global(self.main, name)
            .map_or_else(|| "?".into(), |id| show_scheme(&self.typed, id))
    }
}
