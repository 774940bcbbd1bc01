//! What can be run on the lines of expectation: the test, the value, and the gradient where there is one.

use std::ops::Range;
use std::path::Path;

use pullback_session::{ExpectationKind, Session};
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
    /// The test of the line: the two sides, and by how much they may differ; none where they must be equal.
    Test(String, String, Option<f64>),
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
        let (left, test) = match &line.kind {
            ExpectationKind::Equal(left, right) => (left, Some((right, None))),
            ExpectationKind::Close(left, right, by) => (left, Some((right, Some(*by)))),
            ExpectationKind::Fails(left, _) => (left, None),
            ExpectationKind::Type(..) | ExpectationKind::Engines(_) => continue,
        };
        let text = file.slice(left.span).to_owned();
        if let Some((right, by)) = test {
            let kind = LensKind::Test(text.clone(), file.slice(right.span).to_owned(), by);
            found.push(Lens { range: range.clone(), kind });
        }
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
