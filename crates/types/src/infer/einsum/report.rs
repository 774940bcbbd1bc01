//! What there is to say about an `einsum` without a text, and about one whose text is malformed.

use pullback_base::{Diagnostic, Span};
use pullback_syntax::ast::{Expr, ExprKind, Literal};

use super::text::{Fault, FaultKind, MOST};
use crate::infer::callee::CallPlaces;
use crate::infer::reports::Reports;

impl Reports {
    /// An `einsum` without a text that is a literal.
    pub(in crate::infer) fn report_no_text(&mut self, span: Span, label: &str) {
        self.add(
            Diagnostic::error("E0322", span, "`einsum` needs its text as a literal", label)
                .note("the indices in the text decide what types the operands and the result have")
                .hint("write the text at this place, as in `einsum \"ij,jk->ik\" a b`"),
        );
    }

    /// Something else where the text of an `einsum` stands.
    pub(super) fn report_other_text(&mut self, name: Span, first: &Expr) {
        if let ExprKind::Tuple(parts) = &first.kind
            && let Some(ExprKind::Lit(Literal::Str(_))) = parts.first().map(|part| &part.kind)
        {
            let title = "`einsum` takes its text and its operands one after the other";
            let fixes = CallPlaces::of(name, &[first]).out_of_the_tuple(first.span);
            let hint = "write `einsum \"ij,jk->ik\" a b`, without parentheses and commas";
            self.add(Diagnostic::error("E0322", first.span, title, "a tuple").fixes(hint, fixes));
            return;
        }
        self.report_no_text(first.span, "not a literal");
    }

    pub(super) fn report_fault(&mut self, fault: &Fault, text: &str, literal: Span) {
        // A literal with escapes is longer than its text: then the places of the text are not those of the literal.
        let is_plain = literal.range().len() == text.len() + 2;
        let start = literal.range().start + 1;
        let span = if is_plain && !fault.place.is_empty() {
            Span::new(literal.file, start + fault.place.start, start + fault.place.end)
        } else {
            literal
        };
        let error = |title: String, label: &str| Diagnostic::error("E0321", span, title, label);
        self.add(match fault.kind {
            FaultKind::Empty => error("the text of `einsum` is empty".into(), "names no indices")
                .hint("write the indices of each operand and of the result, as in `\"ij,jk->ik\"`"),
            FaultKind::NoLetter(char) => {
                let shown = if char.is_control() {
                    char.escape_debug().to_string()
                } else {
                    char.to_string()
                };
                error(format!("`{shown}` is no index of `einsum`"), "not a letter")
                    .note("an index is one letter from `a` to `z` or from `A` to `Z`")
                    .hint("separate operands by `,`, and put `->` before the result, as in `\"ij,jk->ik\"`")
            }
            FaultKind::Ellipsis => {
                error("`einsum` has no `...`".into(), "stands for no index here")
                    .note("each index names one dimension, so that the text says what the types are")
                    .hint("name every dimension, as in `\"bij,bjk->bik\"`, or `map` the function over the outer ones")
            }
            FaultKind::SecondArrow => {
                error("a text of `einsum` has one `->`".into(), "one too many")
                    .hint("let the indices of the result alone stand behind `->`")
            }
            FaultKind::SecondResult => {
                error("a text of `einsum` has one result".into(), "a second result would begin here")
                    .hint("write an `einsum` for each result")
            }
            FaultKind::OfNoOperand(char) => {
                error(format!("no operand has the index `{char}` of the result"), "in no operand")
                    .note("the size of an index is that of an operand")
                    .hint(format!("leave `{char}` out of the result, or name it in an operand"))
            }
            FaultKind::Twice(char) => {
                error(format!("the index `{char}` stands twice in the result"), "again here")
                    .hint(format!("leave one `{char}` out; `linalg.diagonal_matrix` makes a matrix of a diagonal"))
            }
            FaultKind::TooMany => {
                error("the text of `einsum` is too long".into(), "too many operands or indices")
                    .note(format!("there are at most {MOST} operands, and at most {MOST} indices of one"))
                    .hint("write it as several calls, one after the other")
            }
        });
    }
}
