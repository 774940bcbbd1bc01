//! `==` and `!=` on first-order data, by structure. Arrays of different sizes are unequal. Arrays and
//! sums get one definition for each type, called in tail position where they end a comparison.

use pullback_base::{Name, Span};
use pullback_lambda::{Arm, DataId, Def, DefId, Expr, ExprKind, LoopForm, Type, TypeKind};
use pullback_prim::Prim;

use super::build;
use super::state::Elab;
use super::types::bug;

impl Elab<'_> {
    /// `a == b`
    pub(super) fn equal(&mut self, a: Expr, b: Expr, span: Span) -> Expr {
        let ty = a.ty.clone();
        match ty.kind() {
            TypeKind::Real => Expr::prim(Prim::Eq, [a, b], span),
            TypeKind::Int => Expr::prim(Prim::IntEq, [a, b], span),
            TypeKind::Bool => Expr::prim(Prim::BoolEq, [a, b], span),
            TypeKind::Str => Expr::prim(Prim::StrEq, [a, b], span),
            TypeKind::Tuple(_) | TypeKind::Record(_) => {
                self.bind_operands(vec![a, b], |this, operands| {
                    let xs = operands[0].parts(span);
                    let ys = operands[1].parts(span);
                    this.all_equal(xs, ys, span)
                })
            }
            TypeKind::Array(_) | TypeKind::Data(_) => {
                let def = self.equality_of(&ty, span);
                Expr::app(self.program.global(def, span), vec![a, b], span)
            }
            TypeKind::Fun(..) => bug("operands that are data", span),
        }
    }

    /// `a != b`
    pub(super) fn unequal(&mut self, a: Expr, b: Expr, span: Span) -> Expr {
        match a.ty.kind() {
            TypeKind::Real => Expr::prim(Prim::Ne, [a, b], span),
            TypeKind::Int => Expr::prim(Prim::IntNe, [a, b], span),
            TypeKind::Bool
            | TypeKind::Str
            | TypeKind::Tuple(_)
            | TypeKind::Record(_)
            | TypeKind::Array(_)
            | TypeKind::Data(_)
            | TypeKind::Fun(..) => {
                let equal = self.equal(a, b, span);
                Expr::prim(Prim::Not, [equal], span)
            }
        }
    }

    /// Whether all pairs are equal; stops at the first that is not.
    fn all_equal(&mut self, xs: Vec<Expr>, ys: Vec<Expr>, span: Span) -> Expr {
        let mut tests = Vec::new();
        for (x, y) in xs.into_iter().zip(ys) {
            tests.push(self.equal(x, y, span));
        }
        let Some(last) = tests.pop() else { return Expr::bool(true, span) };
        tests
            .into_iter()
            .rev()
            .fold(last, |rest, test| Expr::if_(test, rest, Expr::bool(false, span), span))
    }

    /// The definition that compares values of an array or sum type.
    fn equality_of(&mut self, ty: &Type, span: Span) -> DefId {
        if let Some(&def) = self.equalities.get(ty) {
            return def;
        }
        let whole = Type::funs([ty.clone(), ty.clone()], Type::bool());
        let body = build::fail("a definition without a body", whole.clone(), span);
        let def = self.program.defs.push(Def { name: Name::new("equal"), ty: whole, body, span });
        self.equalities.insert(ty.clone(), def);
        let params = vec![self.fresh("x", ty.clone()), self.fresh("y", ty.clone())];
        let (x, y) = (self.var(params[0], span), self.var(params[1], span));
        let body = match ty.kind() {
            TypeKind::Data(data) => self.equal_sums(*data, x, y, span),
            TypeKind::Array(_) => self.equal_arrays(x, y, span),
            TypeKind::Real
            | TypeKind::Int
            | TypeKind::Bool
            | TypeKind::Str
            | TypeKind::Tuple(_)
            | TypeKind::Record(_)
            | TypeKind::Fun(..) => bug("an array or a sum", span),
        };
        self.program.defs[def].body = self.program.lam(params, body);
        def
    }

    fn equal_sums(&mut self, data: DataId, x: Expr, y: Expr, span: Span) -> Expr {
        let constructors = self.program.datas[data].constructors.clone();
        let count = constructors.len();
        let mut arms = Vec::new();
        for (tag, constructor) in constructors.into_iter().enumerate() {
            let mut fresh = |hint: &str| -> Vec<_> {
                constructor.fields.iter().map(|field| self.fresh(hint, field.clone())).collect()
            };
            let (vars, others) = (fresh("x"), fresh("y"));
            let xs = vars.iter().map(|var| self.var(*var, span)).collect();
            let ys = others.iter().map(|var| self.var(*var, span)).collect();
            let same = Arm { tag, vars: others, body: self.all_equal(xs, ys, span) };
            let default = (count > 1).then(|| Expr::bool(false, span));
            let body = Expr::match_(y.clone(), vec![same], default, span);
            arms.push(Arm::new(tag, vars, body));
        }
        Expr::match_(x, arms, None, span)
    }

    /// Counts equal elements from the front: the arrays are equal if that reaches the end.
    fn equal_arrays(&mut self, x: Expr, y: Expr, span: Span) -> Expr {
        let (m, n) = (Expr::size_of(x.clone(), span), Expr::size_of(y.clone(), span));
        self.bind_all(vec![m, n], "size", |this, sizes| {
            let [m, n] = [sizes[0].clone(), sizes[1].clone()];
            let var = this.fresh("i", Type::int());
            let i = this.var(var, span);
            let inside = Expr::prim(Prim::IntLt, [i.clone(), m.clone()], span);
            let xi = Expr::index(x, i.clone(), span);
            let yi = Expr::index(y, i.clone(), span);
            let same = this.equal(xi, yi, span);
            let cond = Expr::if_(inside, same, Expr::bool(false, span), span);
            let next = Expr::prim(Prim::IntAdd, [i, Expr::int(1, span)], span);
            let kind = ExprKind::Loop {
                var,
                init: Box::new(Expr::int(0, span)),
                form: LoopForm::While(Box::new(cond)),
                body: Box::new(next),
            };
            let reached = Expr::new(kind, Type::int(), span);
            let all = Expr::prim(Prim::IntEq, [reached, m.clone()], span);
            let sizes = Expr::prim(Prim::IntEq, [m, n], span);
            Expr::if_(sizes, all, Expr::bool(false, span), span)
        })
    }
}
