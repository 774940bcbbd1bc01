//! `base with place = value`: a copy with one place changed.
//!
//! Cost: `a with [i, j] = v` becomes an update of `a` by an update of the very element `a[i]`, written
//! out as `update a i (update (index a i) j v)`, so that the evaluator can walk down to the place and
//! change it there if nothing else holds the array. An array inside a record is held by the record: it
//! is copied unless the evaluator sees that the record is not used again.

use pullback_base::Span;
use pullback_lambda::Expr;
use pullback_prim::Prim;

use super::state::Elab;
use crate::tir::{TAccess, TExpr};
use crate::ty::Ty;

/// A step with its index evaluated.
enum Step {
    Index(Expr),
    Part(String),
}

impl<'t> Elab<'t> {
    /// Base, indices and value are evaluated in this order, but a base that is a variable is mentioned
    /// last, so that the evaluator can see that nothing else holds it.
    pub(super) fn with(
        &mut self,
        base: &'t TExpr,
        place: &'t [TAccess],
        value: &'t TExpr,
        span: Span,
    ) -> Expr {
        // Where only a constraint says what the base is, the place has the type of the new value: inference
        // has made them agree.
        let types = [&value.ty, place_type(&base.ty, place).unwrap_or(&value.ty)];
        let base = self.expr(base);
        self.bind(base, "base", |this, base| {
            let mut indices = Vec::new();
            for access in place {
                if let TAccess::Index(index) = access {
                    indices.push(this.expr(index));
                }
            }
            let mut values = indices;
            values.push(this.expr(value));
            this.bind_all(values, "new", |this, mut values| {
                let value = values.pop().expect("the value was pushed last");
                let mut indices = values.into_iter();
                let steps: Vec<_> = place
                    .iter()
                    .map(|access| match access {
                        TAccess::Index(_) => {
                            Step::Index(indices.next().expect("one index for each index step"))
                        }
                        TAccess::Field(name) => Step::Part(name.to_string()),
                    })
                    .collect();
                this.updated(base, &steps, (value, types), span)
            })
        })
    }

    /// `base`, an element of a variable, with the place replaced.
    fn updated(&mut self, base: Expr, steps: &[Step], new: (Expr, [&Ty; 2]), span: Span) -> Expr {
        let Some((step, rest)) = steps.split_first() else { return new.0 };
        match step {
            Step::Index(index) => {
                let place = if index.span.is_none() { span } else { index.span };
                let element = Expr::index(base.clone(), index.clone(), place);
                let element = if rest.is_empty() {
                    self.fitting_row(new.0, new.1, &element, place)
                } else {
                    self.updated(element, rest, new, span)
                };
                Expr::prim(Prim::Update, vec![base, index.clone(), element], place)
            }
            Step::Part(name) => self.bind(base, "record", |this, record| {
                let part = Self::field_index(&record.ty, name);
                let mut parts = record.parts(span);
                let inner = parts[part].clone();
                parts[part] = match rest.first() {
                    None => new.0,
                    Some(Step::Part(_)) => this.updated(inner, rest, new, span),
                    Some(Step::Index(_)) => {
                        this.bind(inner, "part", |this, inner| this.updated(inner, rest, new, span))
                    }
                };
                Expr::record(parts, record.ty, span)
            }),
        }
    }
}

/// The type of a place in a value of type `ty`.
fn place_type<'a>(ty: &'a Ty, place: &[TAccess]) -> Option<&'a Ty> {
    let Some((access, rest)) = place.split_first() else { return Some(ty) };
    match (access, ty) {
        (TAccess::Index(_), Ty::Array(_, element)) => place_type(element, rest),
        (TAccess::Field(name), Ty::Record(fields)) => {
            let (_, field) = fields.iter().find(|(known, _)| known == name)?;
            place_type(field, rest)
        }
        (TAccess::Index(_) | TAccess::Field(_), _) => None,
    }
}
