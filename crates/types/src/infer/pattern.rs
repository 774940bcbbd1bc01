//! Patterns.

use pullback_base::{Diagnostic, Fix, Name, Span};
use pullback_syntax::ast::{Ident, Literal, Path, Pattern, PatternKind};

use super::mismatch::Why;
use super::reports::{Reported, Reports};
use super::scope::{Binding, Scope};
use super::solver::Solver;
use super::state::Infer;
use super::unifier::Unifier;
use crate::tir::{Constraint, LocalId, TPat, TPatKind};
use crate::ty::Ty;

/// A variable that a pattern binds.
#[derive(Clone, Debug)]
pub(super) struct Bound {
    pub name: Name,
    pub local: LocalId,
    pub span: Span,
}

impl Reports {
    fn report_pattern_arity(&mut self, path: &Path, wanted: usize, found: usize, span: Span) {
        let name = &path.name.node;
        let fields = if wanted == 1 { "1 field".to_string() } else { format!("{wanted} fields") };
        let example = format!("{name}{}", " _".repeat(wanted));
        let diagnostic = Diagnostic::error(
            "E0320",
            span,
            format!("`{name}` has {fields}, but the pattern has {found}"),
            "",
        )
        .fixes(
            format!("write `{example}`; a field's own pattern needs parentheses if it is several words, as in `Node (Leaf x) r`"),
            match found {
                0 => Some(Fix::new(path.name.span, format!("({example})"))),
                _ if found < wanted => Some(Fix::new(span.end(), " _".repeat(wanted - found))),
                _ => None,
            },
        );
        self.add(diagnostic);
    }
}

impl Scope {
    /// Puts variables in scope.
    pub(super) fn bring_in(&mut self, bound: &[Bound]) {
        for variable in bound {
            self.name_local(&variable.name, variable.local);
        }
    }

    /// Puts a variable in scope; `_` is no name.
    pub(super) fn name_local(&mut self, name: &Name, local: LocalId) {
        if name != "_" {
            self.bind(name.clone(), Binding::Local(local));
        }
    }
}

impl<'a> Infer<'a> {
    /// A pattern for values of type `ty`, its variables put in scope.
    pub(super) fn bind_pattern(&mut self, pattern: &'a Pattern, ty: &Ty, why: &Why) -> TPat {
        let mut bound = Vec::new();
        let typed = self.pattern(pattern, ty, why, &mut bound);
        self.scope.bring_in(&bound);
        typed
    }

    /// A pattern for values of type `ty`; its variables are added to `bound`.
    pub(super) fn pattern(
        &mut self,
        pattern: &'a Pattern,
        ty: &Ty,
        why: &Why,
        bound: &mut Vec<Bound>,
    ) -> TPat {
        let span = pattern.span;
        let kind = match &pattern.kind {
            PatternKind::Wildcard => TPatKind::Wild,
            PatternKind::Error => TPatKind::Error,
            PatternKind::Var(name) => TPatKind::Var(self.bind_variable(name, span, ty, bound)),
            PatternKind::Paren(inner) => {
                let inner = self.pattern(inner, ty, why, bound);
                return TPat { span, ..inner };
            }
            PatternKind::As { pattern, name } => {
                let inner = self.pattern(pattern, ty, why, bound);
                let local = self.bind_variable(&name.node, name.span, ty, bound);
                TPatKind::As(local, Box::new(inner))
            }
            PatternKind::Ascribe { pattern, ty: written } => {
                let (declared, _) = self.annotation(written);
                self.solver().agree(ty, &declared, span, &Why::Annotation(written.span));
                let inner = self.pattern(pattern, &declared, why, bound);
                return TPat { span, ..inner };
            }
            PatternKind::Lit { value, negative } => {
                self.solver().literal_pattern(value, *negative, span, ty, why)
            }
            PatternKind::Tuple(items) => self.tuple_pattern(items, span, ty, why, bound),
            PatternKind::Record(fields) => self.record_pattern(fields, span, ty, bound),
            PatternKind::Con { path, args } => {
                self.constructor_pattern(path, args, span, ty, why, bound)
            }
        };
        TPat { kind, ty: ty.clone(), span }
    }

    fn bind_variable(
        &mut self,
        name: &Name,
        span: Span,
        ty: &Ty,
        bound: &mut Vec<Bound>,
    ) -> LocalId {
        if let Some(first) = bound.iter().find(|first| first.name == *name && name != "_") {
            let diagnostic = Diagnostic::error(
                "E0209",
                span,
                format!("the variable `{name}` is bound twice"),
                "again here",
            )
            .label(first.span, "first here")
            .note("each variable of a pattern or of a parameter list is bound once")
            .hint("use two names and compare them with `==`");
            self.unifier.report(diagnostic);
        }
        let local = self.local(name, span, ty.clone());
        bound.push(Bound { name: name.clone(), local, span });
        local
    }

    fn tuple_pattern(
        &mut self,
        items: &'a [Pattern],
        span: Span,
        ty: &Ty,
        why: &Why,
        bound: &mut Vec<Bound>,
    ) -> TPatKind {
        let head = self.unifier.table.head(ty);
        let parts: Vec<Ty> = if let Ty::Tuple(parts) = &head
            && parts.len() == items.len()
        {
            parts.to_vec()
        } else if let Ty::Error = &head {
            // Of a type that is wrong the parts are not known either, which has been told.
            vec![Ty::Error; items.len()]
        } else {
            let parts: Vec<Ty> = items.iter().map(|_| self.unifier.fresh()).collect();
            let tuple = Ty::Tuple(parts.clone().into());
            if self.solver().agree(&tuple, ty, span, why) {
                parts
            } else {
                vec![Ty::Error; items.len()]
            }
        };
        let items =
            items.iter().zip(&parts).map(|(item, part)| self.pattern(item, part, why, bound));
        TPatKind::Tuple(items.collect())
    }

    fn record_pattern(
        &mut self,
        fields: &'a [(Ident, Option<Pattern>)],
        span: Span,
        ty: &Ty,
        bound: &mut Vec<Bound>,
    ) -> TPatKind {
        self.unifier.reports.check_fields(fields.iter().map(|(name, _)| name));
        let mut typed = Vec::with_capacity(fields.len());
        for (name, inner) in fields {
            let part = self.solver().field_type(ty, span, name).unwrap_or_else(Reported::ty);
            let inner = match inner {
                Some(inner) => self.pattern(inner, &part, &Why::Plain, bound),
                None => {
                    let local = self.bind_variable(&name.node, name.span, &part, bound);
                    TPat { kind: TPatKind::Var(local), ty: part, span: name.span }
                }
            };
            typed.push((name.node.clone(), inner));
        }
        TPatKind::Record(typed)
    }

    fn constructor_pattern(
        &mut self,
        path: &'a Path,
        args: &'a [Pattern],
        span: Span,
        ty: &Ty,
        why: &Why,
        bound: &mut Vec<Bound>,
    ) -> TPatKind {
        let known = self.pattern_constructor(path).and_then(|(sum, tag)| {
            let of_tangent = self.unifier.table.is_tangent_of(ty, sum);
            let is_wrong = matches!(self.unifier.table.head(ty), Ty::Error);
            let param = |unifier: &mut Unifier| if is_wrong { Ty::Error } else { unifier.fresh() };
            let count = self.typed.types[sum].params.len();
            let params: Vec<Ty> = (0..count).map(|_| param(&mut self.unifier)).collect();
            let (fields, whole) =
                self.solver().constructor_types(span, (sum, tag), &params, of_tangent);
            self.solver().agree(&whole, ty, path.span(), why).then_some((sum, tag, fields))
        });
        match known {
            Some((sum, tag, fields)) if fields.len() == args.len() => {
                let args = args.iter().zip(&fields);
                let args = args.map(|(arg, field)| self.pattern(arg, field, &Why::Plain, bound));
                return TPatKind::Con(sum, tag, args.collect());
            }
            Some((_, _, fields)) => {
                self.unifier.reports.report_pattern_arity(path, fields.len(), args.len(), span);
                // What is wrong inside mostly follows, as some patterns are not where they should be.
                let told = self.unifier.reports.len();
                self.erroneous_patterns(args, bound);
                self.unifier.reports.truncate(told);
            }
            None => self.erroneous_patterns(args, bound),
        }
        TPatKind::Error
    }

    /// Patterns of which it is not known what they are for, so that their variables are in scope.
    fn erroneous_patterns(&mut self, patterns: &'a [Pattern], bound: &mut Vec<Bound>) {
        for pattern in patterns {
            self.pattern(pattern, &Reported.ty(), &Why::Plain, bound);
        }
    }
}

impl Solver<'_> {
    fn literal_pattern(
        &mut self,
        value: &Literal,
        negative: bool,
        span: Span,
        ty: &Ty,
        why: &Why,
    ) -> TPatKind {
        let (kind, wanted) = match value {
            Literal::Int(value) => {
                let head = self.unifier.table.head(ty);
                if !matches!(head, Ty::Int | Ty::Real | Ty::Error) {
                    if matches!(head, Ty::Var(_) | Ty::Param(_)) {
                        self.require_at(span, Constraint::Scalar(head));
                    } else {
                        self.report_mismatch(span, &Ty::Int, &head, why);
                        return TPatKind::Error;
                    }
                }
                return match signed(*value, negative) {
                    Some(value) => TPatKind::Int(value),
                    None => {
                        let diagnostic = Diagnostic::error(
                            "E0319",
                            span,
                            format!("`{value}` does not fit an Int"),
                            "",
                        )
                        .note(format!("the largest Int is {}", i64::MAX))
                        .hint("match on a smaller number");
                        self.unifier.report(diagnostic);
                        TPatKind::Error
                    }
                };
            }
            Literal::Real(value) => {
                (TPatKind::Real(if negative { -value } else { *value }), Ty::Real)
            }
            Literal::Bool(value) => (TPatKind::Bool(*value), Ty::Bool),
            Literal::Str(text) => (TPatKind::Str(text.clone()), Ty::Str),
        };
        if self.agree(&wanted, ty, span, why) { kind } else { TPatKind::Error }
    }
}

/// The number a literal pattern stands for.
fn signed(value: u64, negative: bool) -> Option<i64> {
    if negative { 0i64.checked_sub_unsigned(value) } else { i64::try_from(value).ok() }
}
