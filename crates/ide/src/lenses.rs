//! What can be run on the lines of expectation: the test, the value, and the gradient where there is one; and the test
//! of one line, which is that of `pullback test`.

use std::ops::Range;
use std::path::Path;

use pullback_base::{Diagnostic, Style, render};
use pullback_session::{ExpectationKind, Findings, Query, Session, Stop};
use pullback_syntax::ast::{Expr, ExprKind};

use crate::file::File;

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
}

/// What can be run on the lines of a file.
pub fn lenses(file: &File, session: &Session, path: &Path) -> Vec<Lens> {
    let mut found = vec![];
    let mut gradients = vec![];
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
        gradients.extend(gradient(file, left).map(|text| (range, text)));
    }
    let texts: Vec<String> = gradients.iter().map(|(_, text)| text.clone()).collect();
    let types = if texts.is_empty() { vec![] } else { session.types_of(path, &texts) };
    for ((range, text), ty) in gradients.into_iter().zip(types) {
        found.extend(ty.map(|_| Lens { range, kind: LensKind::Gradient(text) }));
    }
    found.sort_by_key(|lens| lens.range.start);
    found
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

/// The gradient of a call of one argument, as an expression.
fn gradient(file: &File, call: &Expr) -> Option<String> {
    let ExprKind::App { fun, args } = &call.kind else { return None };
    let (last, before) = args.split_last()?;
    let from = fun.span.to(before.last().map_or(fun.span, |arg| arg.span));
    let applied = file.slice(from);
    let applied = if before.is_empty() { applied.to_owned() } else { format!("({applied})") };
    let is_derivative = matches!(&fun.kind, ExprKind::Name(name)
        if matches!(name.as_str(), "grad" | "vjp" | "jvp" | "hessian" | "jacobian"));
    (!is_derivative && file.keeps("grad"))
        .then(|| format!("grad {applied} {}", file.slice(last.span)))
}
