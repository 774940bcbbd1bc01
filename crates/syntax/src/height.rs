//! Heights of trees, which the parser keeps below [`MAX_DEPTH`](crate::ast::MAX_DEPTH).
//!
//! Input: a node whose children are built. Output: its height (a leaf's is 1). Expressions and
//! patterns are looked up by id, so a node costs its number of children; types carry no ids and are
//! walked once, where they are attached.

use crate::ast::{
    Access, Clause, Def, Expr, ExprKind, LoopForm, NodeId, Param, Pattern, PatternKind, SlicePart,
    TypeExpr, TypeExprKind,
};
use pullback_base::{Id, IdVec};

/// The heights of all expressions and patterns built so far.
#[derive(Debug, Default)]
pub(crate) struct Heights {
    of: IdVec<NodeId, u16>,
}

impl Heights {
    /// The id of the next node, whose height is `height`.
    pub fn push(&mut self, height: usize) -> NodeId {
        self.of.push(u16::try_from(height).unwrap_or(u16::MAX))
    }
    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.of.len()
    }
    fn expr(&self, expr: &Expr) -> usize {
        self.id(expr.id)
    }
    fn id(&self, id: NodeId) -> usize {
        self.of.get(NodeId::from_index(id.index())).map_or(1, |height| usize::from(*height))
    }
    fn exprs<'e>(&self, exprs: impl IntoIterator<Item = &'e Expr>) -> usize {
        exprs.into_iter().map(|expr| self.expr(expr)).max().unwrap_or(0)
    }
    fn pattern(&self, pattern: &Pattern) -> usize {
        self.id(pattern.id)
    }
    fn maybe_ty(&self, ty: Option<&TypeExpr>) -> usize {
        ty.map_or(0, |ty| self.ty(ty))
    }
    fn params(&self, params: &[Param]) -> usize {
        let of =
            |param: &Param| self.pattern(&param.pattern).max(self.maybe_ty(param.ty.as_deref()));
        params.iter().map(of).max().unwrap_or(0)
    }

    /// The height of a definition.
    pub fn def(&self, def: &Def) -> usize {
        self.expr(&def.body).max(self.params(&def.params)).max(self.maybe_ty(def.result.as_ref()))
    }

    /// The height of a type.
    pub fn ty(&self, ty: &TypeExpr) -> usize {
        1 + match &ty.kind {
            TypeExprKind::Var(_) | TypeExprKind::Error => 0,
            TypeExprKind::Named { sizes, args, .. } => self.exprs(sizes).max(self.types(args)),
            TypeExprKind::Array { size, element } => {
                self.exprs(size.as_deref()).max(self.ty(element))
            }
            TypeExprKind::Tuple(parts) => self.types(parts),
            TypeExprKind::Record(fields) => {
                fields.iter().map(|(_, ty)| self.ty(ty)).max().unwrap_or(0)
            }
            TypeExprKind::Fun(from, to) => self.ty(from).max(self.ty(to)),
        }
    }
    fn types(&self, types: &[TypeExpr]) -> usize {
        types.iter().map(|ty| self.ty(ty)).max().unwrap_or(0)
    }

    /// The height of a pattern of this kind.
    pub fn of_pattern(&self, kind: &PatternKind) -> usize {
        1 + match kind {
            PatternKind::Wildcard
            | PatternKind::Var(_)
            | PatternKind::Lit { .. }
            | PatternKind::Error => 0,
            PatternKind::Tuple(parts) | PatternKind::Con { args: parts, .. } => {
                parts.iter().map(|part| self.pattern(part)).max().unwrap_or(0)
            }
            PatternKind::Record(fields) => {
                let patterns = fields.iter().filter_map(|(_, pattern)| pattern.as_ref());
                patterns.map(|pattern| self.pattern(pattern)).max().unwrap_or(0)
            }
            PatternKind::Ascribe { pattern, ty } => self.pattern(pattern).max(self.ty(ty)),
            PatternKind::As { pattern, .. } | PatternKind::Paren(pattern) => self.pattern(pattern),
        }
    }

    /// The height of an expression of this kind.
    pub fn of_expr(&self, kind: &ExprKind) -> usize {
        1 + match kind {
            ExprKind::Name(_) | ExprKind::Lit(_) | ExprKind::Operator(_) | ExprKind::Error => 0,
            ExprKind::Tuple(parts) | ExprKind::Array(parts) => self.exprs(parts),
            ExprKind::Record(fields) => self.exprs(fields.iter().map(|(_, value)| value)),
            ExprKind::Comprehension { body, clauses } => clauses
                .iter()
                .map(|clause| self.clause(clause))
                .max()
                .unwrap_or(0)
                .max(self.expr(body)),
            ExprKind::App { fun, args } => self.exprs(args).max(self.expr(fun)),
            ExprKind::Lambda { params, body } => self.params(params).max(self.expr(body)),
            ExprKind::Binary { lhs, rhs, .. } => self.expr(lhs).max(self.expr(rhs)),
            ExprKind::Negate(inner)
            | ExprKind::Paren(inner)
            | ExprKind::Field { base: inner, .. }
            | ExprKind::TupleField { base: inner, .. } => self.expr(inner),
            ExprKind::Index { base, indices } => self.exprs(indices).max(self.expr(base)),
            ExprKind::Slice { base, parts } => {
                self.exprs(parts.iter().flat_map(SlicePart::exprs)).max(self.expr(base))
            }
            ExprKind::With { base, place, value } => {
                let steps = place.iter().map(|access| self.access(access)).max().unwrap_or(0);
                steps.max(self.expr(base)).max(self.expr(value))
            }
            ExprKind::If { cond, then, otherwise } => self.exprs([&**cond, &**then, &**otherwise]),
            ExprKind::Match { scrutinee, arms } => {
                let arm =
                    |arm: &crate::ast::Arm| self.pattern(&arm.pattern).max(self.expr(&arm.body));
                arms.iter().map(arm).max().unwrap_or(0).max(self.expr(scrutinee))
            }
            ExprKind::Let { pattern, ty, value, body } => {
                let head = self.pattern(pattern).max(self.maybe_ty(ty.as_deref()));
                head.max(self.expr(value)).max(self.expr(body))
            }
            ExprKind::LetFun { defs, body, .. } => {
                defs.iter().map(|def| self.def(def)).max().unwrap_or(0).max(self.expr(body))
            }
            ExprKind::Loop { pattern, ty, init, form, checkpoint, body } => {
                let steps = checkpoint.as_deref().map_or(0, |steps| self.expr(steps));
                let head = self.pattern(pattern).max(self.maybe_ty(ty.as_deref())).max(steps);
                let head = head.max(self.form(form));
                head.max(self.expr(init)).max(self.expr(body))
            }
            ExprKind::Ascribe { expr, ty } => self.expr(expr).max(self.ty(ty)),
        }
    }
    fn clause(&self, clause: &Clause) -> usize {
        match clause {
            Clause::Range { bound, .. } => self.expr(bound),
            Clause::In { pattern, source } => self.pattern(pattern).max(self.expr(source)),
        }
    }
    fn access(&self, access: &Access) -> usize {
        match access {
            Access::Index(indices, _) => self.exprs(indices),
            Access::Field(_) => 0,
        }
    }
    fn form(&self, form: &LoopForm) -> usize {
        match form {
            LoopForm::For { bound, .. } => self.expr(bound),
            LoopForm::While(cond) => self.expr(cond),
        }
    }
}
