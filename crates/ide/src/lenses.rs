//! What can be run on lines of expectation and on definitions: the test, the value, the gradient where there is one, and
//! the check of the derivative; the test of one line is that of `pullback test`, the check that of `pullback check-grad`.

use std::collections::HashMap;
use std::ops::Range;
use std::path::Path;

use pullback_base::{Diagnostic, Span, Style, render};
use pullback_session::{Call, ExpectationKind, Findings, Query, Session, Stop};
use pullback_syntax::ast::{Def, Expr, ExprKind, ItemKind};
use pullback_syntax::parse_expr;

use crate::file::File;
use crate::walk;
use crate::words::{is_function, scheme};

/// Something that can be run on a line.
#[derive(Clone, Debug, PartialEq)]
pub struct Lens {
    /// The line's bytes.
    pub range: Range<usize>,
    /// What it does.
    pub kind: LensKind,
}

/// What is run.
#[derive(Clone, Debug, PartialEq)]
pub enum LensKind {
    /// The test of the line ([`test_line`]).
    Test,
    /// The value of an expression.
    Evaluate(String),
    /// The gradient of a call, as an expression.
    Gradient(String),
    /// A check of the derivative of a call ([`check_call`]).
    Check(String),
}

/// What can be run on the lines of a file: on its expectations, and on definitions. A definition with parameters is run as
/// the first expectation calls it that does.
pub fn lenses(file: &File, session: &Session, path: &Path) -> Vec<Lens> {
    let mut found = vec![];
    // Those that are there if an expression has a type.
    let mut asked: Vec<(Lens, String)> = vec![];
    for line in &file.expectations {
        let range = line.span.range();
        let evaluated = match &line.kind {
            ExpectationKind::Equal(left, _)
            | ExpectationKind::Close(left, _, _)
            | ExpectationKind::Fails(left, _) => Some(left),
            ExpectationKind::Type(..) => None,
            ExpectationKind::Engines(_) => continue,
        };
        found.push(Lens { range: range.clone(), kind: LensKind::Test });
        let Some(left) = evaluated else { continue };
        let text = file.slice(left.span).to_owned();
        found.push(Lens { range: range.clone(), kind: LensKind::Evaluate(text) });
        let call = Applied::in_expression(file, left).filter(|call| !is_derivative(call.function));
        if let Some(gradient) = call.and_then(|call| call.derivative(file, "grad")) {
            let kind = LensKind::Gradient(gradient.clone());
            asked.push((Lens { range, kind }, gradient));
        }
    }
    let calls = calls(file);
    for def in definitions(file) {
        let range = def.name.span.range();
        let lens = |kind| Lens { range: range.clone(), kind };
        if def.params.is_empty() {
            let is_function = scheme(file, def).is_none_or(is_function);
            let is_value = !is_function && def.sizes.is_empty();
            found.extend(is_value.then(|| lens(LensKind::Evaluate(def.name.node.to_string()))));
            continue;
        }
        let key = (def.name.node.as_str(), def.params.len());
        let Some(call) = calls.get(&key) else { continue };
        found.push(lens(LensKind::Evaluate(call.text())));
        if let Some(gradient) = call.derivative(file, "grad") {
            asked.push((lens(LensKind::Gradient(gradient.clone())), gradient));
        }
        if let Some(pullback) = call.pullback(file) {
            asked.push((lens(LensKind::Check(call.text())), pullback));
        }
    }
    let (lenses, texts): (Vec<Lens>, Vec<String>) = asked.into_iter().unzip();
    let types = if texts.is_empty() { vec![] } else { session.types_of(path, &texts) };
    for (lens, ty) in lenses.into_iter().zip(types) {
        let is_there = match lens.kind {
            LensKind::Check(_) => ty.is_some_and(|ty| has_derivative(&ty)),
            LensKind::Test | LensKind::Evaluate(_) | LensKind::Gradient(_) => ty.is_some(),
        };
        found.extend(is_there.then_some(lens));
    }
    found.sort_by_key(|lens| lens.range.start);
    found
}

fn definitions(file: &File) -> impl Iterator<Item = &Def> {
    file.main().module.items.iter().filter_map(|item| match &item.kind {
        ItemKind::Def(def) => Some(def).filter(|def| !def.is_broken),
        ItemKind::Import(_) | ItemKind::Type(_) | ItemKind::Error => None,
    })
}

/// The first call of each function with so many arguments in the expectations, by its name and their count.
fn calls(file: &File) -> HashMap<(&str, usize), Applied<'_>> {
    let lines = file.expectations.iter().flat_map(|line| line.kind.expressions());
    let mut all = walk::all(lines);
    all.sort_by_key(|expr| expr.span.range().start);
    let mut first = HashMap::new();
    for expr in all {
        let Some(call) = Applied::in_expression(file, expr) else { continue };
        let call = call.without_derivative();
        first.entry((call.function, call.arguments.len())).or_insert(call);
    }
    first
}

/// A function with arguments, as they are written.
struct Applied<'f> {
    function: &'f str,
    arguments: Vec<&'f str>,
}

impl<'f> Applied<'f> {
    /// The one that an expression is.
    fn in_expression(file: &'f File, expr: &Expr) -> Option<Self> {
        let ExprKind::App { fun, args } = &expr.kind else { return None };
        let arguments = args.iter().map(|arg| file.slice(arg.span)).collect();
        Some(Self { function: file.slice(fun.span), arguments })
    }
    /// Of `grad f x` it is `f x`.
    fn without_derivative(self) -> Self {
        match self.arguments.split_first() {
            Some((function, rest)) if is_derivative(self.function) => {
                Self { function, arguments: rest.to_vec() }
            }
            Some(_) | None => self,
        }
    }
    fn text(&self) -> String {
        format!("{} {}", self.function, self.arguments.join(" "))
    }
    /// The pullback with respect to all arguments, if its name means that.
    fn pullback(&self, file: &File) -> Option<String> {
        let names: Vec<String> = (1..=self.arguments.len()).map(|it| format!("x{it}")).collect();
        let function = match names.as_slice() {
            [_] => self.function.to_owned(),
            _ => format!("(\\({}) -> {} {})", names.join(", "), self.function, names.join(" ")),
        };
        file.keeps("vjp").then(|| format!("vjp {function}"))
    }
    /// A derivative with respect to the last argument, if its name means that.
    fn derivative(&self, file: &File, name: &str) -> Option<String> {
        let (last, before) = self.arguments.split_last()?;
        let applied = if before.is_empty() {
            self.function.to_owned()
        } else {
            format!("({} {})", self.function, before.join(" "))
        };
        file.keeps(name).then(|| format!("{name} {applied} {last}"))
    }
}

/// Whether there is anything to differentiate by, where this is the type of a pullback: the tangents of whole numbers and of
/// conditions are empty.
fn has_derivative(pullback: &str) -> bool {
    let tangents = pullback.rsplit("-> ").next();
    tangents.is_some_and(|tangents| tangents.contains(char::is_uppercase))
}

fn is_derivative(function: &str) -> bool {
    matches!(function, "grad" | "vjp" | "jvp" | "hessian" | "jacobian")
}

/// Whether the derivative of a call is right, as `pullback check-grad` finds out, and what there is to say of it.
pub fn check_call(session: &Session, path: &Path, text: &str) -> (bool, String) {
    let (expr, _) = parse_expr(text, Span::NONE.file);
    let ExprKind::App { fun, args } = &expr.kind else {
        return (false, "only the derivative of a call can be checked".to_owned());
    };
    let slice = |expr: &Expr| text[expr.span.range()].to_owned();
    let args = args.iter().map(slice).collect();
    let mut call = Call { args, ..session.call_of(path, &slice(fun)) };
    call.settings.progress.get_or_insert_with(|| session.watch());
    let mut query = session.query();
    let report = pullback_tools::check_grad(&mut query, &call, &[]);
    let Query { diagnostics, sources, .. } = query;
    let told = Findings { diagnostics, sources }.to_string();
    match report {
        Ok(report) => {
            let told = (!told.is_empty()).then_some(told);
            let lines: Vec<String> = report.lines.into_iter().chain(told).collect();
            (report.passed, lines.join("\n"))
        }
        Err(Stop) => (false, told),
    }
}

/// Whether the expectation that begins in this line holds, which counts from 1, and what there is to say of it.
pub fn test_line(session: &Session, path: &Path, line: usize) -> (bool, String) {
    let mut query = session.query();
    let mut settings = session.call_of(path, "").settings;
    settings.progress.get_or_insert_with(|| session.watch());
    let report = pullback_tools::test_lines(&mut query, path, &settings, &|other| other == line);
    let Query { diagnostics, sources, .. } = query;
    match report {
        Err(Stop) => (false, Findings { diagnostics, sources }.to_string()),
        Ok(report) if !report.failed.is_empty() => {
            let shown = |it: Diagnostic| render(&sources, &it, Style::Plain);
            let failed = report.failed.iter().map(|failure| shown(failure.diagnostic()));
            (false, failed.collect::<Vec<_>>().join("\n\n"))
        }
        Ok(report) if report.passed > 0 => (true, "holds".to_owned()),
        Ok(report) if !report.too_long.is_empty() => (false, "takes too many steps".to_owned()),
        Ok(report) if report.not_covered > 0 => (false, "no engine covers this".to_owned()),
        Ok(_) => (false, "there is no expectation in this line".to_owned()),
    }
}
