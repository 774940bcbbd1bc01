//! What there is to know of a program without running it: mistakes, the words with their meaning, the definitions.

use std::path::Path;

use pullback_ide::{File, TokenKind, complete, hover, problems, tokens};
use pullback_session::entry::Entry;
use pullback_session::load::load;
use pullback_session::pipeline::typed;
use pullback_session::{Session, on_large_stack};
use pullback_syntax::ast::{Expr, ExprKind};
use pullback_types::ty::{Size, Ty};
use pullback_types::{show_scheme, show_type};
use serde_json::{Map, Value as Json, json};

use crate::offsets::Offsets;

/// Mistakes, words and definitions.
pub(crate) fn check(session: &mut Session, path: &Path, text: &str) -> Json {
    let analysis = session.load(path);
    let Some(file) = on_large_stack(|| File::new(analysis)) else { return json!({}) };
    let offsets = Offsets::of(text);
    let problems = problems(&file).into_iter().map(|problem| {
        let (from, to) = offsets.units(&problem.range);
        let fixes = problem.fixes.iter().map(|fix| {
            let edits = fix.edits.iter().map(|edit| {
                let (from, to) = offsets.units(&edit.range);
                json!({ "from": from, "to": to, "insert": edit.text })
            });
            json!({ "title": fix.title, "changes": edits.collect::<Json>() })
        });
        json!({
            "from": from, "to": to, "isError": problem.is_error, "code": problem.code,
            "message": problem.message, "fixes": fixes.collect::<Json>(),
            "line": text[..problem.range.start].matches('\n').count() + 1,
        })
    });
    let words = tokens(&file).into_iter().map(|token| {
        let (from, to) = offsets.units(&token.range);
        json!([from, to, class(token.kind, token.documents)])
    });
    json!({
        "problems": problems.collect::<Json>(),
        "words": words.collect::<Json>(),
        "definitions": definitions(session, path, &file),
    })
}

/// The class of a word, as style sheets name it.
fn class(kind: TokenKind, documents: bool) -> &'static str {
    match kind {
        TokenKind::Keyword => "keyword",
        TokenKind::Variable => "variable",
        TokenKind::Constant => "constant",
        TokenKind::Function => "function",
        TokenKind::Type => "type",
        TokenKind::TypeParameter => "parameter",
        TokenKind::Constructor => "constructor",
        TokenKind::Field => "field",
        TokenKind::Module => "module",
        TokenKind::Number => "number",
        TokenKind::Text => "text",
        TokenKind::Operator => "operator",
        TokenKind::Comment if documents => "documentation",
        TokenKind::Comment => "comment",
    }
}

/// The definitions of a program without mistakes; none of another, which a page takes as "as before".
fn definitions(session: &Session, path: &Path, file: &File) -> Option<Json> {
    if file.analysis.findings.has_errors() {
        return None;
    }
    let offsets = Offsets::of(file.text());
    on_large_stack(|| {
        let mut query = session.query();
        let modules = load(&mut query, path).ok()?;
        let inferred = typed(&mut query, &modules);
        query.stop_on_errors().ok()?;
        let found = inferred.globals().map(|(name, id)| {
            let global = &inferred.typed().globals[id];
            let entry = Entry::new(inferred.typed(), Some(&modules.main().module), global);
            let claimed = claimed(file, name.as_str(), entry.declared);
            let mut ty = &global.ty;
            let mut params = vec![];
            for (at, param) in entry.params.iter().enumerate().take(entry.declared) {
                let Ty::Fun(from, to) = ty else { break };
                let given = claimed.as_ref().map(|args| args[at].clone());
                params.push(json!({
                    "name": param.name,
                    "isNamed": param.named,
                    "type": show_type(inferred.typed(), from),
                    "isReal": matches!(**from, Ty::Real),
                    "hasReals": param.has_reals && param.is_data,
                    "example": given.or_else(|| example(from, &mut 0)).unwrap_or_default(),
                }));
                ty = to;
            }
            json!({
                "name": name.as_str(),
                "type": show_scheme(inferred.typed(), id),
                "at": offsets.unit(global.span.range().start),
                "params": params,
                "result": entry.result_text,
                "givesReal": matches!(entry.result, Ty::Real),
                "doc": global.doc,
            })
        });
        let mut found: Vec<Json> = found.collect();
        found.sort_by_key(|definition| definition["at"].as_u64());
        Some(Json::Array(found))
    })
}

/// The arguments that a line of expectation gives a definition: those of `f 1.0`, or of `grad f 1.0`.
fn claimed(file: &File, name: &str, count: usize) -> Option<Vec<String>> {
    let is_it = |expr: &Expr| file.slice(expr.span) == name;
    let lines = file.expectations.iter().flat_map(|line| line.kind.expressions());
    let calls = lines.filter_map(|expr| {
        let ExprKind::App { fun, args } = &expr.kind else { return None };
        let operators = ["grad", "value_and_grad"];
        let is_operator = operators.contains(&file.slice(fun.span));
        match args.as_slice() {
            all if is_it(fun) => Some(all),
            [first, rest @ ..] if is_operator && is_it(first) => Some(rest),
            [..] => None,
        }
    });
    let mut fits = calls.filter(|args| args.len() == count && count > 0);
    Some(fits.next()?.iter().map(|arg| file.slice(arg.span).to_owned()).collect())
}

/// A value of a type, of numbers that differ; none of a type whose values are not written down so simply.
fn example(ty: &Ty, count: &mut u32) -> Option<String> {
    /// How many elements an array gets whose size is free.
    const SIZE: i64 = 3;
    /// The most elements that anyone wants to see.
    const MOST: i64 = 8;
    let joined = |parts: Vec<String>| parts.join(", ");
    Some(match ty {
        Ty::Real => {
            *count += 1;
            format!("{:?}", f64::from(*count))
        }
        Ty::Int => "3".to_owned(),
        Ty::Bool => "true".to_owned(),
        Ty::Str => "\"text\"".to_owned(),
        Ty::Tuple(parts) => {
            let parts = parts.iter().map(|part| example(part, count));
            format!("({})", joined(parts.collect::<Option<_>>()?))
        }
        Ty::Record(fields) => {
            let field = |(name, ty): &(_, Ty)| Some(format!("{name} = {}", example(ty, count)?));
            let fields = fields.iter().map(field);
            format!("{{ {} }}", joined(fields.collect::<Option<_>>()?))
        }
        Ty::Array(size, element) => {
            let size = match size {
                Size::Poly(size) => size.as_constant().unwrap_or(SIZE),
                Size::Any => SIZE,
            };
            let parts = (0..size.clamp(0, MOST)).map(|_| example(element, count));
            format!("[{}]", joined(parts.collect::<Option<_>>()?))
        }
        Ty::Sum(..)
        | Ty::Fun(..)
        | Ty::Tangent(_)
        | Ty::Jacobian(..)
        | Ty::Param(_)
        | Ty::Var(_)
        | Ty::Error => return None,
    })
}

/// What there is to say about what stands at an offset.
pub(crate) fn about_place(session: &mut Session, path: &Path, at: usize) -> Json {
    let analysis = session.load(path);
    let session = &*session;
    let found = on_large_stack(|| {
        let file = File::new(analysis)?;
        let offsets = Offsets::of(file.text());
        let hover = hover(&file, session, path, offsets.byte(at))?;
        let (from, to) = offsets.units(&hover.range);
        Some(json!({
            "from": from, "to": to,
            "code": hover.code, "derivatives": hover.derivatives, "doc": hover.doc,
        }))
    });
    found.unwrap_or_else(|| Json::Object(Map::new()))
}

/// What could be written at an offset.
pub(crate) fn completions(session: &Session, path: &Path, text: &str, at: usize) -> Json {
    let offsets = Offsets::of(text);
    let found = on_large_stack(|| complete(session, path, text, offsets.byte(at)));
    let (from, to) = offsets.units(&found.range);
    let candidates = found.candidates.iter().map(|candidate| {
        json!({ "label": candidate.text, "detail": candidate.detail, "info": candidate.doc })
    });
    json!({ "from": from, "to": to, "options": candidates.collect::<Json>() })
}
