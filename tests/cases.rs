//! Cases of differentiation in the repository's programs: every application in an expectation, of a definition
//! to arguments, and of a derivative operator to a function and a point.

use std::path::{Path, PathBuf};

use pullback_base::SourceMap;
use pullback_engines::REGISTRY;
use pullback_session::{Call, ExpectationKind, Memory, Query, Settings, expectations};
use pullback_syntax::ast::{self, ExprKind, Literal};

use crate::corpus::{asks_for_all, corpus, root};

/// One case in so many of a file is asked, where not all are.
const ONE_IN: usize = 4;

/// What takes a function and the point to differentiate it at, in this order.
const OPERATORS: &[&str] =
    &["grad", "value_and_grad", "vjp", "jvp", "linearize", "rd", "jacobian", "hessian", "hvp"];

/// A function applied to arguments, as text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Case {
    /// The function.
    pub function: String,
    /// Its arguments.
    pub args: Vec<String>,
}

/// The cases in an expression. What is under a binder may not be closed, so it is left out.
fn cases(text: &str, expr: &ast::Expr, found: &mut Vec<Case>) {
    let of = |expr: &ast::Expr| text[expr.span.range()].to_owned();
    let mut inside: Vec<&ast::Expr> = vec![];
    if let ExprKind::App { fun, args } = &expr.kind {
        let head = if let ExprKind::Name(name) = &fun.kind { name.as_str() } else { "" };
        let mut defined = text.lines().filter_map(|line| line.strip_prefix("def "));
        let is_own = defined.any(|def| def.split_whitespace().next() == Some(head));
        if OPERATORS.contains(&head) && !is_own {
            if let [function, point, ..] = args.as_slice() {
                found.push(Case { function: of(function), args: vec![of(point)] });
            }
        } else if !head.starts_with(char::is_uppercase) {
            // The text of `einsum` says which function it is, and of how many arguments.
            let is_text = |arg: &ast::Expr| matches!(arg.kind, ExprKind::Lit(Literal::Str(_)));
            let is_einsum = head == "einsum" && !is_own && args.first().is_some_and(is_text);
            let (texts, args) = args.split_at(usize::from(is_einsum));
            let args: Vec<String> = args.iter().map(of).collect();
            if let [subscripts] = texts {
                if args.len() == 1 + of(subscripts).matches(',').count() {
                    found.push(Case { function: format!("({head} {})", of(subscripts)), args });
                }
            } else {
                found.push(Case { function: of(fun), args });
            }
        }
        inside.push(fun);
        inside.extend(args);
    } else if let ExprKind::Tuple(items) | ExprKind::Array(items) = &expr.kind {
        inside.extend(items);
    } else if let ExprKind::Record(fields) = &expr.kind {
        inside.extend(fields.iter().map(|(_, value)| value));
    } else if let ExprKind::Binary { lhs, rhs, .. } = &expr.kind {
        inside.extend([&**lhs, rhs]);
    } else if let ExprKind::Negate(base)
    | ExprKind::Field { base, .. }
    | ExprKind::TupleField { base, .. }
    | ExprKind::Slice { base, .. }
    | ExprKind::Index { base, .. }
    | ExprKind::Let { value: base, .. } = &expr.kind
    {
        inside.push(base);
    }
    for part in inside {
        cases(text, part, found);
    }
}

/// A file with its cases.
pub struct Cases {
    path: PathBuf,
    /// The path in the repository.
    pub name: String,
    text: String,
    /// What is differentiated in it.
    pub cases: Vec<Case>,
    /// Whether its expectations hold with dual numbers too; else reverse mode alone is counted.
    pub forward: bool,
}

impl Cases {
    /// Reads a file.
    pub fn read(path: PathBuf) -> Self {
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        let name = path.strip_prefix(root()).unwrap_or(&path).to_string_lossy().into_owned();
        let mut sources = SourceMap::default();
        let file = sources.add("file", text.clone());
        let module = pullback_syntax::parse(&text, file).module;
        let (mut found, mut forward) = (vec![], true);
        for line in expectations(&sources, &module).0 {
            match line.kind {
                ExpectationKind::Equal(left, right) | ExpectationKind::Close(left, right, _) => {
                    cases(&text, &left, &mut found);
                    cases(&text, &right, &mut found);
                }
                ExpectationKind::Engines(names) => forward &= names.iter().any(|n| n == "dual"),
                ExpectationKind::Fails(..) | ExpectationKind::Type(..) => {}
            }
        }
        found.sort();
        found.dedup();
        Self { path, name, text, cases: found, forward }
    }

    /// The cases that a test asks: all where that is asked for, and else those of which it says something and one in
    /// [`ONE_IN`] of the others.
    pub fn part(&self, is_named: impl Fn(&Case) -> bool) -> impl Iterator<Item = &Case> {
        let cases = self.cases.iter().enumerate();
        let is_asked = move |(place, case): &(usize, &Case)| {
            asks_for_all() || place.is_multiple_of(ONE_IN) || is_named(case)
        };
        cases.filter(is_asked).map(|(_, case)| case)
    }

    /// How many of so many cases a test asks at least.
    pub fn least(all: usize) -> usize {
        if asks_for_all() { all } else { all / ONE_IN }
    }

    /// Does something with a call of the case, with each mode on the engine of these settings.
    pub fn with<T>(
        &self,
        case: &Case,
        settings: Settings,
        work: impl FnOnce(&mut Query<'_>, &Call) -> T,
    ) -> T {
        let params: Vec<String> = (0..case.args.len()).map(|i| format!("law__{i}")).collect();
        let params = params.join(" ");
        let text = format!("{}\ndef law__ {params} = ({}) {params}\n", self.text, case.function);
        // The modules that it imports lie beside it.
        let mut files = Memory::default();
        let folder = self.path.parent().and_then(|folder| folder.strip_prefix(root()).ok());
        for module in corpus(&[folder.and_then(Path::to_str).unwrap_or_default()], "pull") {
            files = files.with(&module, std::fs::read_to_string(&module).unwrap_or_default());
        }
        let files = files.with(&self.path, text);
        let mut query = Query::new(&files, REGISTRY);
        let call = Call {
            file: self.path.clone(),
            entry: "law__".to_owned(),
            args: case.args.clone(),
            settings,
            ..Call::default()
        };
        work(&mut query, &call)
    }
}
