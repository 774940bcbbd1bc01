//! `einsum "ij,jk->ik"`: a function that is written as the indices of its operands and of its result.
//!
//! Input: the text. Output: a function of the typed tree. Before and after:
//!
//! ```text
//! einsum "ij,jk->ik"
//! \(a: [i][j]Real) (b: [j][k]Real) -> [ sum [ a[i, j] * b[j, k] | j < J ] | i < I, k < K ]
//! ```
//!
//! where `I`, `J` and `K` are the sizes `i`, `j` and `k`. They are those of a function with size parameters: each use has
//! fresh variables for them, and entry to the function measures and checks them. So sizes that disagree, partial
//! application, derivatives and code come from functions and comprehensions. [`plan`] orders more than two operands.
//!
//! Invariants: a [`Builtin::Einsum`] is replaced here, or reported. What is made refers to variables by their ids and to
//! built-ins by themselves, so no name of the program reaches it.

mod plan;
mod report;
mod text;

use pullback_base::{Name, Span, bug};
use pullback_syntax::ast::{Expr, ExprKind, Literal};

use self::plan::{Step, plan};
use self::text::Subscripts;
use super::binding::{sized, strip};
use super::names::Head;
use super::state::Infer;
use crate::builtins;
use crate::show::letter;
use crate::tir::{Builtin, LocalId, SizedDim, TExpr, TExprKind, TLam, TParam, TPat, TPatKind};
use crate::ty::{Atom, Poly, Size, Ty};

/// An index: its letter, the variable that holds its size, and its size where the function is used.
struct Index {
    letter: char,
    size: LocalId,
    outer: Size,
}

/// A function while it is made.
struct Made {
    indices: Vec<Index>,
    /// The operands, then what the steps make: each with its indices.
    values: Vec<(LocalId, Vec<char>)>,
    span: Span,
}

impl Infer<'_> {
    /// The function that `einsum` and its text are, where `name` stands; nothing if that has been reported.
    pub(super) fn einsum(&mut self, name: Span, args: &[&Expr]) -> Option<Head> {
        let reports = &mut self.unifier.reports;
        let Some(first) = args.first() else {
            reports.report_no_text(name, "stands without its text");
            return None;
        };
        let ExprKind::Lit(Literal::Str(text)) = &strip(first).kind else {
            reports.report_other_text(name, first);
            return None;
        };
        let literal = strip(first).span;
        let subscripts = match Subscripts::read(text) {
            Ok(subscripts) => subscripts,
            Err(fault) => {
                reports.report_fault(&fault, text, literal);
                return None;
            }
        };
        let expr = self.function(&subscripts, name.to(first.span));
        let written = TExpr { kind: TExprKind::StrLit(text.clone()), ty: Ty::Str, span: literal };
        let ty = Ty::Fun(Ty::Str.into(), expr.ty.clone().into());
        let called = TExpr { kind: TExprKind::Builtin(Builtin::Einsum), ty, span: name };
        self.typed.salvaged.extend([written, called]);
        // A longer text would hide the message around it.
        let called = if text.len() <= 40 { format!("einsum \"{text}\"") } else { "einsum".into() };
        Some(Head::plain(expr, Some(called.into())))
    }

    /// Whether an expression is `einsum` with a text and nothing more: a function that is written out.
    pub(super) fn is_einsum(&self, expr: &Expr) -> bool {
        let ExprKind::App { fun, args } = &strip(expr).kind else { return false };
        let (ExprKind::Name(name), [text]) = (&strip(fun).kind, args.as_slice()) else {
            return false;
        };
        builtins::lookup(name) == Some(Builtin::Einsum)
            && self.scope.binding(name).is_none()
            && self.declared.scopes.value(self.scope.module(), name).is_none()
            && matches!(strip(text).kind, ExprKind::Lit(Literal::Str(_)))
    }

    fn function(&mut self, subscripts: &Subscripts, span: Span) -> TExpr {
        let letters = subscripts.indices();
        let sizes: Vec<(char, Size)> =
            letters.into_iter().map(|letter| (letter, self.unifier.fresh_size())).collect();
        let (lambda, made) = self.scoped(|this| {
            let indices = sizes.into_iter().map(|(letter, outer)| {
                let size = this.local(&name_of(letter), Span::NONE, Ty::Int);
                this.bindings.make_rigid(size);
                Index { letter, size, outer }
            });
            let mut made = Made { indices: indices.collect(), values: vec![], span };
            let operands = subscripts.operands.iter().enumerate();
            let params = operands
                .map(|(at, indices)| this.operand(letter(at, b'a').into(), indices, &mut made))
                .collect();
            let body = this.contracted(&plan(subscripts), &mut made);
            let sizes = made.indices.iter().map(|index| index.size).collect();
            (TLam { sizes, params, body }, made)
        });
        let outer = |indices: &[char]| made.array(indices, |index| index.outer.clone());
        let ty = subscripts.operands.iter().rev().fold(outer(&subscripts.result), |to, operand| {
            Ty::Fun(outer(operand).into(), to.into())
        });
        TExpr { kind: TExprKind::Lam(Box::new(lambda)), ty, span }
    }

    fn operand(&mut self, name: Name, indices: &[char], made: &mut Made) -> TParam {
        let (ty, span) = (made.inner(indices), made.span);
        let local = self.local(&name, Span::NONE, ty.clone());
        made.values.push((local, indices.to_vec()));
        let dims = indices.iter().enumerate().map(|(depth, letter)| SizedDim {
            path: vec![],
            depth,
            size: made.int(made.index(*letter).size),
        });
        let pattern = TPat { kind: TPatKind::Var(local), ty: ty.clone(), span };
        TParam { pattern, ty, sized: sized(dims.collect()) }
    }

    /// The value of the last of these steps.
    fn contracted(&mut self, steps: &[Step], made: &mut Made) -> TExpr {
        let Some((step, rest)) = steps.split_first() else {
            bug("infer", "a step of each contraction")
        };
        let value = self.multiplied(step, made);
        if rest.is_empty() {
            return value;
        }
        let ty = value.ty.clone();
        let local = self.local(&"product".into(), Span::NONE, ty.clone());
        made.values.push((local, step.kept.clone()));
        let pattern = TPat { kind: TPatKind::Var(local), ty, span: made.span };
        let body = self.contracted(rest, made);
        let (ty, span) = (body.ty.clone(), body.span);
        TExpr { kind: TExprKind::Let(pattern, Box::new(value), Box::new(body)), ty, span }
    }

    /// `[ sum [ left * right | summed ] | kept ]`
    fn multiplied(&mut self, step: &Step, made: &Made) -> TExpr {
        let bound = |infer: &mut Self, letter: &char| {
            (*letter, infer.local(&name_of(*letter), Span::NONE, Ty::Int))
        };
        let kept: Vec<_> = step.kept.iter().map(|letter| bound(self, letter)).collect();
        let summed: Vec<_> = step.summed.iter().map(|letter| bound(self, letter)).collect();
        let factors = step.factors.iter().map(|value| made.element(*value, [&kept, &summed]));
        let product =
            factors.reduce(|left, right| TExpr::built(Builtin::Mul, vec![left, right], Ty::Real));
        let product = product.unwrap_or_else(|| bug("infer", "a factor of each step"));
        let term = if summed.is_empty() {
            product
        } else {
            TExpr::built(Builtin::Sum, vec![made.comprehension(product, &summed)], Ty::Real)
        };
        made.comprehension(term, &kept)
    }
}

impl Made {
    fn index(&self, letter: char) -> &Index {
        let index = self.indices.iter().find(|index| index.letter == letter);
        index.unwrap_or_else(|| bug("infer", "a size for each index"))
    }

    fn int(&self, local: LocalId) -> TExpr {
        TExpr { kind: TExprKind::Local(local, vec![]), ty: Ty::Int, span: self.span }
    }

    /// The type of an array with these indices.
    fn array(&self, indices: &[char], size: impl Fn(&Index) -> Size) -> Ty {
        let array = |row: Ty, letter: &char| Ty::Array(size(self.index(*letter)), row.into());
        indices.iter().rev().fold(Ty::Real, array)
    }

    /// [`Made::array`] inside of the function.
    fn inner(&self, indices: &[char]) -> Ty {
        self.array(indices, |index| Size::Poly(Poly::atom(Atom::Rigid(index.size)).into()))
    }

    /// The element of a value at the indices that are bound.
    fn element(&self, value: usize, bound: [&[(char, LocalId)]; 2]) -> TExpr {
        let (local, indices) = &self.values[value];
        let (kind, ty) = (TExprKind::Local(*local, vec![]), self.inner(indices));
        let whole = TExpr { kind, ty, span: self.span };
        indices.iter().enumerate().fold(whole, |array, (depth, letter)| {
            let at = bound.into_iter().flatten().find(|(known, _)| known == letter);
            let at = at.unwrap_or_else(|| bug("infer", "an index that a step keeps or sums"));
            let kind = TExprKind::Index(Box::new(array), Box::new(self.int(at.1)));
            TExpr { kind, ty: self.inner(&indices[depth + 1..]), span: self.span }
        })
    }

    /// `[ body | bound ]`
    fn comprehension(&self, body: TExpr, bound: &[(char, LocalId)]) -> TExpr {
        bound.iter().rev().fold(body, |row, (letter, local)| {
            let index = self.index(*letter);
            let size = Size::Poly(Poly::atom(Atom::Rigid(index.size)).into());
            let ty = Ty::Array(size, row.ty.clone().into());
            let kind = TExprKind::Build(*local, Box::new(self.int(index.size)), Box::new(row));
            TExpr { kind, ty, span: self.span }
        })
    }
}

fn name_of(letter: char) -> Name {
    Name::from(letter.to_string())
}
