//! Loops of which the state holds the state of a translation: what they carry becomes one flat tuple, so that an iteration makes no
//! pair and no record of what the next one takes apart.
//!
//! Type: `Program -> Program`. Law: every definition has the same meaning; its primitives are executed in the same order.
//! Before: the states of a translation ([`Program::states`]) are known. After: such a loop goes round with numbers, deltas and
//! bindings side by side; a small function of the translation's library stands in it where it was called.
//!
//! ```text
//! loop st = ((x, u), s) for i < n do let p = letRow a st.0.1 b v st.1 in ((y, p.0), p.1)
//! =>
//! loop st = (x, u, s.next, s.binds) for i < n do
//!   let p = match st.1 with Var i -> … (Var st.2, st.2 + 1, LetRow … st.3) … in (y, p.0, p.1, p.2)
//! ```

use pullback_base::{Id, Span, bug};
use pullback_lambda::{
    Arm, DefId, Expr, ExprKind, LoopForm, Program, Stage, Type, TypeKind, VarId,
};
use rustc_hash::FxHashMap;

/// The size up to which a function of a library is put where it is called.
const SMALL: usize = 64;

/// What is known of [`pieces`].
pub const PIECES: pullback_lambda::Pass = pullback_lambda::Pass {
    name: "pieces",
    ty: "Program -> Program",
    law: "every definition has the same meaning; a loop that goes round with the state of a translation makes no tuple of it",
};

/// Flattens the loops of all definitions.
pub fn pieces(program: &mut Program) {
    if program.states.is_empty() {
        return;
    }
    for index in 0..program.defs.len() {
        let def = DefId::from_index(index);
        let mut has_loop = false;
        program.defs[def].body.visit(&mut |node| {
            has_loop |=
                matches!(node.kind, ExprKind::Loop { .. }) && is_with_state(program, &node.ty);
        });
        if has_loop {
            let body = program.defs[def].body.clone();
            let mut pass = Pieces { program, known: FxHashMap::default(), is_in_place: false };
            let body = pass.term(body);
            program.defs[def].body = body;
        }
    }
    PIECES.verified(program, Stage::Any);
}

struct Pieces<'p> {
    program: &'p mut Program,
    /// Variables that are atoms, or tuples of atoms.
    known: FxHashMap<VarId, Expr>,
    /// Whether this is code in the place of a call: what it calls itself is called.
    is_in_place: bool,
}

/// Whether it is a tuple with a state of a translation.
fn is_with_state(program: &Program, ty: &Type) -> bool {
    matches!(ty.kind(), TypeKind::Tuple(items) if items.iter().any(|item| program.is_state(item)))
}

/// The components of a tuple's components, side by side.
fn flat(ty: &Type) -> Type {
    let mut pieces = vec![];
    for part in ty.parts() {
        match inner(part) {
            Some(parts) => pieces.extend(parts.into_iter().cloned()),
            None => pieces.push(part.clone()),
        }
    }
    Type::tuple(pieces)
}

/// The components of a component that is taken apart.
fn inner(part: &Type) -> Option<Vec<&Type>> {
    part.components().filter(|parts| !parts.is_empty())
}

/// The tuple of this type, from a variable that holds its pieces.
fn joined(pieces: &Expr, ty: &Type, span: Span) -> Expr {
    let mut next = 0;
    let mut piece = || {
        next += 1;
        Expr::proj(pieces.clone(), next - 1, span)
    };
    let parts = ty.parts().into_iter().map(|part| match inner(part) {
        Some(parts) => {
            let parts = parts.iter().map(|_| piece()).collect();
            Expr::record(parts, part.clone(), span)
        }
        None => piece(),
    });
    Expr::record(parts.collect(), ty.clone(), span)
}

/// Whether repeating it repeats no work.
fn is_atom(expr: &Expr) -> bool {
    if let ExprKind::Proj(base, _) = &expr.kind { is_atom(base) } else { expr.is_atom() }
}

fn is_known(expr: &Expr) -> bool {
    if let ExprKind::Tuple(items) = &expr.kind { items.iter().all(is_known) } else { is_atom(expr) }
}

/// What a term is to become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Whole,
    Flat,
}

impl Pieces<'_> {
    fn term(&mut self, expr: Expr) -> Expr {
        self.form(expr, Form::Whole)
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "other terms are made of the same parts")]
    fn form(&mut self, mut expr: Expr, form: Form) -> Expr {
        let (span, ty) = (expr.span, expr.ty.clone());
        match expr.kind {
            ExprKind::Let(var, value, body) => self.let_(var, *value, *body, form),
            ExprKind::If(cond, then, other) if form == Form::Flat => {
                let cond = self.term(*cond);
                Expr::if_(cond, self.form(*then, form), self.form(*other, form), span)
            }
            ExprKind::Match(scrutinee, arms, default) if form == Form::Flat => {
                let scrutinee = self.term(*scrutinee);
                let arms = arms.into_iter();
                let arms = arms.map(|Arm { tag, vars, body }| {
                    let body = self.form(body, form);
                    Arm::new(tag, vars, body)
                });
                let arms = arms.collect();
                let default = default.map(|default| self.form(*default, form));
                Expr::match_(scrutinee, arms, default, span)
            }
            ExprKind::Loop { var, init, form: head, body } if is_with_state(self.program, &ty) => {
                let whole = self.loop_(var, *init, head, *body, span);
                if form == Form::Flat { whole } else { self.whole(whole, &ty, span) }
            }
            ExprKind::App(function, args) if form == Form::Flat => {
                match self.small(&function, args.len()).cloned() {
                    Some(lam) => self.in_place(&lam, args, form),
                    None => {
                        let call =
                            self.term(Expr::new(ExprKind::App(function, args), ty.clone(), span));
                        self.as_pieces(call, &ty, span)
                    }
                }
            }
            ExprKind::Tuple(items) if form == Form::Flat => {
                let items = items.into_iter().map(|item| self.term(item)).collect();
                self.flattened(items, &ty, span)
            }
            ExprKind::Proj(base, index) if form == Form::Whole => {
                let base = self.term(*base);
                match base.kind {
                    ExprKind::Tuple(mut items) if items.iter().all(is_known) => {
                        items.swap_remove(index)
                    }
                    kind => Expr::proj(Expr::new(kind, base.ty, base.span), index, span),
                }
            }
            ExprKind::Var(var) if self.known.contains_key(&var) => {
                let known = self.known[&var].clone();
                if form == Form::Flat { self.as_pieces(known, &ty, span) } else { known }
            }
            kind => {
                expr.kind = kind;
                if form == Form::Flat {
                    let whole = self.term(expr);
                    return self.as_pieces(whole, &ty, span);
                }
                expr.for_each_child_mut(&mut |child| {
                    let taken = std::mem::replace(child, Expr::unit(Span::NONE));
                    *child = self.term(taken);
                });
                expr
            }
        }
    }

    /// The pieces of a value that is there as a whole.
    fn as_pieces(&mut self, whole: Expr, ty: &Type, span: Span) -> Expr {
        if let ExprKind::Tuple(items) = whole.kind {
            return self.flattened(items, ty, span);
        }
        let var = self.program.fresh("r", ty.clone());
        let items = self.program.var(var, span).parts(span);
        let body = self.flattened(items, ty, span);
        Expr::let_(var, whole, body)
    }

    /// The pieces of a tuple's components.
    fn flattened(&mut self, items: Vec<Expr>, ty: &Type, span: Span) -> Expr {
        let (mut bindings, mut pieces) = (vec![], vec![]);
        let in_order = items.iter().all(is_known);
        for (item, part) in items.into_iter().zip(ty.parts()) {
            let item = if in_order || is_known(&item) {
                item
            } else {
                let var = self.program.fresh("y", item.ty.clone());
                bindings.push((var, item));
                self.program.var(var, span)
            };
            match (inner(part), item.kind) {
                (None, kind) => pieces.push(Expr::new(kind, item.ty, item.span)),
                (Some(_), ExprKind::Tuple(parts)) => pieces.extend(parts),
                (Some(_), kind) => pieces.extend(Expr::new(kind, item.ty, item.span).parts(span)),
            }
        }
        Expr::lets(bindings, Expr::tuple(pieces, span))
    }

    /// A value in pieces, as a whole.
    fn whole(&mut self, flat: Expr, ty: &Type, span: Span) -> Expr {
        let var = self.program.fresh("st", flat.ty.clone());
        let whole = joined(&self.program.var(var, span), ty, span);
        Expr::let_(var, flat, whole)
    }

    fn let_(&mut self, var: VarId, value: Expr, body: Expr, form: Form) -> Expr {
        let ty = value.ty.clone();
        if is_with_state(self.program, &ty) && self.makes(&value) {
            let span = value.span;
            let value = self.form(value, Form::Flat);
            let name = self.program.vars[var].name.clone();
            let pieces = self.program.fresh(name, value.ty.clone());
            let whole = joined(&self.program.var(pieces, span), &ty, span);
            self.known.insert(var, whole);
            return Expr::let_(pieces, value, self.form(body, form));
        }
        let is_alias = matches!(value.kind, ExprKind::Var(_) | ExprKind::Proj(..));
        let value = self.term(value);
        if is_alias && matches!(value.kind, ExprKind::Tuple(_)) && is_known(&value) {
            self.known.insert(var, value);
            return self.form(body, form);
        }
        Expr::let_(var, value, self.form(body, form))
    }

    /// Whether a term makes the tuple that it gives, on some path.
    #[expect(clippy::wildcard_enum_match_arm, reason = "other terms make no tuple")]
    fn makes(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Tuple(_) => true,
            ExprKind::Loop { .. } => is_with_state(self.program, &expr.ty),
            ExprKind::Let(_, _, body) | ExprKind::LetRec(_, body) => self.makes(body),
            ExprKind::If(_, then, other) => self.makes(then) || self.makes(other),
            ExprKind::Match(_, arms, default) => {
                arms.iter().any(|arm| self.makes(&arm.body))
                    || default.as_ref().is_some_and(|default| self.makes(default))
            }
            ExprKind::App(function, args) => self.small(function, args.len()).is_some(),
            _ => false,
        }
    }

    /// A small function of a library without functions and loops in it, which is called with all its arguments.
    fn small(&self, function: &Expr, count: usize) -> Option<&Expr> {
        let ExprKind::Global(def) = function.kind else { return None };
        let body = &self.program.defs[def].body;
        let ExprKind::Lam(params, inner) = &body.kind else { return None };
        if self.is_in_place || !body.span.is_none() || body.size_up_to(SMALL).is_none() {
            return None;
        }
        let mut is_straight = true;
        inner.visit(&mut |node| {
            is_straight &= !matches!(
                node.kind,
                ExprKind::Lam(..) | ExprKind::LetRec(..) | ExprKind::Loop { .. }
            );
        });
        (is_straight && params.len() == count).then_some(body)
    }

    /// A function where it is called.
    fn in_place(&mut self, lam: &Expr, args: Vec<Expr>, form: Form) -> Expr {
        let ExprKind::Lam(params, body) = self.program.copy(lam).kind else {
            bug("pieces", "a function")
        };
        let mut bindings = vec![];
        for (param, arg) in params.into_iter().zip(args) {
            let arg = self.term(arg);
            if is_known(&arg) {
                self.known.insert(param, arg);
            } else {
                bindings.push((param, arg));
            }
        }
        self.is_in_place = true;
        let body = self.form(*body, form);
        self.is_in_place = false;
        Expr::lets(bindings, body)
    }

    fn loop_(&mut self, var: VarId, init: Expr, head: LoopForm, body: Expr, span: Span) -> Expr {
        let ty = init.ty.clone();
        let init = self.form(init, Form::Flat);
        let name = self.program.vars[var].name.clone();
        let pieces = self.program.fresh(name, flat(&ty));
        let whole = joined(&self.program.var(pieces, span), &ty, span);
        self.known.insert(var, whole);
        let head = match head {
            LoopForm::For { var, count } => {
                LoopForm::For { var, count: Box::new(self.term(*count)) }
            }
            LoopForm::While(cond) => LoopForm::While(Box::new(self.term(*cond))),
        };
        let body = self.form(body, Form::Flat);
        let kind =
            ExprKind::Loop { var: pieces, init: Box::new(init), form: head, body: Box::new(body) };
        Expr::new(kind, flat(&ty), span)
    }
}
