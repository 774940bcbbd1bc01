//! The pipeline: the stages from text to a runnable program, as functions.
//!
//! Input: loaded modules. Output: [`Inferred`], then a `lambda` program for the definitions wanted.
//! Every stage reports to the query; the next one runs only if there are no errors.

use std::collections::BTreeMap;
use std::path::Path;

use pullback_base::{Diagnostic, Name, Span, did_you_mean};
use pullback_knossos::Translation;
use pullback_lambda::{DefId, Program, Stage as LambdaStage};
use pullback_prim::Routine;
use pullback_syntax::ast::Expr;
use pullback_types::tir::{Global, GlobalId, Typed};
use pullback_types::{Call, ELABORATE, InCharts, Inference, Source, check_patterns, elaborate};

use crate::knossos;
use crate::load::Modules;
use crate::query::{Query, Stop};
use crate::stdlib::SHELF;

/// A program whose types are known, to which a query may add definitions.
pub struct Inferred<'m> {
    inference: Inference<'m>,
    /// Which module was asked for.
    main: usize,
    /// What it was made of, if that is a program of Knossos.
    knossos: Option<&'m Translation>,
    /// How many definitions have had their patterns checked.
    checked: usize,
}

/// Infers the types of all modules. Everything found is reported; see [`Query::has_errors`].
pub fn typed<'m>(query: &mut Query<'_>, modules: &'m Modules) -> Inferred<'m> {
    let sources: Vec<Source<'m>> = modules
        .list
        .iter()
        .map(|module| Source {
            name: module.name.clone(),
            file: module.file,
            module: &module.module,
            imports: module
                .imports
                .iter()
                .filter_map(|(name, index)| index.map(|index| (name.clone(), index)))
                .collect(),
            unread: module
                .imports
                .iter()
                .filter(|(_, index)| index.is_none())
                .map(|(name, _)| name.clone())
                .collect(),
            prelude: module.prelude,
            library: query.library.contains(&module.file),
        })
        .collect();
    let main = modules.list.len() - 1;
    let knossos = modules.main().knossos.as_deref();
    let inference = Inference::new(&sources, SHELF);
    let mut inferred = Inferred { inference, main, knossos, checked: 0 };
    inferred.report(query);
    inferred
}

impl<'m> Inferred<'m> {
    /// The typed tree.
    pub fn typed(&self) -> &Typed {
        self.inference.typed()
    }
    /// The definitions of the module that was asked for.
    pub fn globals(&self) -> impl Iterator<Item = (&Name, GlobalId)> {
        self.inference.scopes().globals(self.main)
    }
    /// The definition of this name in the module that was asked for.
    pub fn global(&self, name: &str) -> Option<(GlobalId, &Global)> {
        let id = self.inference.scopes().global(self.main, name)?;
        Some((id, &self.typed().globals[id]))
    }
    /// Adds the parts of a call to the program, with expressions in the scope of the module that was asked
    /// for; see [`Inference::call`].
    pub fn call(
        &mut self,
        query: &mut Query<'_>,
        call: &Call<'m>,
    ) -> Result<(GlobalId, InCharts), Stop> {
        let added = self.inference.call(self.main, call);
        self.report(query);
        query.stop_on_errors()?;
        Ok(added)
    }
    /// Adds the two sides of an expectation as a pair.
    pub fn sides(&mut self, left: &'m Expr, right: &'m Expr, span: Span) -> GlobalId {
        self.inference.sides(self.main, left, right, span)
    }
    /// Adds an expression.
    pub fn expression(&mut self, expr: &'m Expr) -> GlobalId {
        self.inference.expression(self.main, expr)
    }
    /// Adds an expression that the command line asks for.
    pub fn asked(&mut self, query: &mut Query<'_>, expr: &'m Expr) -> Result<GlobalId, Stop> {
        let id = self.expression(expr);
        self.report(query);
        query.stop_on_errors()?;
        Ok(id)
    }
    /// Adds an expression that is a Real.
    pub fn real(&mut self, query: &mut Query<'_>, expr: &'m Expr) -> Result<GlobalId, Stop> {
        let id = self.inference.real(self.main, expr);
        self.report(query);
        query.stop_on_errors()?;
        Ok(id)
    }
    /// Reports what is wrong with the definitions added since the last report.
    pub fn report(&mut self, query: &mut Query<'_>) {
        query.diagnostics.extend(self.inference.take_diagnostics());
        query.diagnostics.extend(check_patterns(self.inference.typed(), self.checked));
        self.checked = self.inference.typed().globals.len();
        query.sort_diagnostics();
    }
    /// The definition of this name, or a diagnostic that lists what there is.
    pub fn entry(&self, query: &mut Query<'_>, name: &str) -> Result<GlobalId, Stop> {
        let name = match self.knossos {
            Some(translation) => knossos::named(query, translation, name)?,
            None => name,
        };
        if let Some((id, _)) = self.global(name) {
            return Ok(id);
        }
        let known: Vec<&str> = self.names().collect();
        let title = format!("there is no definition `{name}`");
        let diagnostic = Diagnostic::error("E0809", Span::NONE, title, "");
        query.fail(if known.is_empty() {
            diagnostic.hint("the file defines nothing: add a `def`")
        } else {
            diagnostic.hint(did_you_mean("definition", name, known))
        })
    }
    /// The names that the user's module defines.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.globals().map(|(name, _)| name.as_str())
    }
    /// Elaborates these definitions and all they need.
    pub fn program(
        &self,
        query: &mut Query<'_>,
        roots: &[GlobalId],
    ) -> Result<(Program, Vec<DefId>), Stop> {
        query.stop_on_errors()?;
        let mut elaborated = elaborate(self.typed(), roots);
        query.diagnostics.extend(elaborated.diagnostics);
        query.stop_on_errors()?;
        elaborated.program.library.clone_from(&query.library);
        elaborated.program.routines = routines(&elaborated.program, query);
        elaborated.program.verify_passes = query.verify_passes;
        elaborated.program.without_passes.clone_from(&query.without_passes);
        ELABORATE.verified(&elaborated.program, LambdaStage::Any);
        let defs = roots.iter().map(|root| elaborated.roots[root]).collect();
        Ok((elaborated.program, defs))
    }
}

/// The definitions of the library that a routine computes: those of its files that the table names.
fn routines(program: &Program, query: &Query<'_>) -> BTreeMap<DefId, Routine> {
    let mut routines = BTreeMap::new();
    for (id, def) in program.defs.iter_enumerated() {
        if !query.library.contains(&def.span.file) {
            continue;
        }
        let path = Path::new(query.sources.name(def.span.file));
        let module = path.file_stem().and_then(|module| module.to_str());
        if let Some(routine) = module.and_then(|module| Routine::of(module, &def.name)) {
            routines.insert(id, routine);
        }
    }
    routines
}
