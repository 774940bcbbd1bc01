//! `jacobian f x`: the pullback applied to every one-hot cotangent, in the structure of the result.
//!
//! Type: `(a -> b) -> a -> b[T a]`, where `b[T a]` is `b` with every Real replaced by `T a`.
//! Law: the entry at a Real of the result is the pullback of the cotangent that is 1 there and zero
//! elsewhere. Cost: one forward sweep and one backward sweep for each Real of the result. Sums are
//! walked by local functions, so they may be recursive.

use pullback_base::Span;
use pullback_lambda::{AdOp, Arm, DataId, Expr, ExprKind, Prim, Type, TypeKind, VarId};
use rustc_hash::FxHashMap;

use super::{Elab, build};

/// How a cotangent of a part becomes a row of the Jacobian.
type Embed<'e, 't> = dyn Fn(&mut Elab<'t>, Expr) -> Expr + 'e;

/// The functions that walk sums.
struct Walk {
    /// `T a`, what stands in place of each Real.
    entry: Type,
    known: FxHashMap<DataId, VarId>,
    functions: Vec<(VarId, Expr)>,
    span: Span,
}

impl<'t> Elab<'t> {
    /// `jacobian f x`
    pub(super) fn jacobian(&mut self, [f, x]: [Expr; 2], span: Span) -> Expr {
        let (a, _) = self.boundary(&f, span);
        let entry = self.tangent(&a);
        let result = self.vjp(f, x, span);
        self.bind(result, "result", |this, result| {
            let pullback = Expr::proj(result.clone(), 1, span);
            this.bind(pullback, "pullback", |this, pullback| {
                let functions = vec![];
                let mut walk = Walk { entry, known: FxHashMap::default(), functions, span };
                let embed = |_: &mut Elab<'t>, cotangent: Expr| {
                    Expr::app(pullback.clone(), vec![cotangent], span)
                };
                let rows = this.rows_of(Expr::proj(result, 0, span), &embed, &mut walk);
                Expr::let_rec(walk.functions, rows)
            })
        })
    }

    /// `value` with every Real replaced by its row.
    fn rows_of(&mut self, value: Expr, embed: &Embed<'_, 't>, walk: &mut Walk) -> Expr {
        let span = walk.span;
        let ty = value.ty.clone();
        match ty.kind() {
            TypeKind::Real => embed(self, Expr::real(1.0, span)),
            TypeKind::Int | TypeKind::Bool | TypeKind::Str | TypeKind::Fun(..) => Expr::unit(span),
            TypeKind::Tuple(_) | TypeKind::Record(_) => self.bind(value, "y", |this, value| {
                let items = build::parts(&value, span);
                let rows = this.rows_of_all(&items, &ty, walk, |this, cotangents, ty| {
                    embed(this, Expr::record(cotangents, ty, span))
                });
                let ty = this.jacobian_type(&value.ty, &walk.entry);
                Expr::record(rows, ty, span)
            }),
            TypeKind::Array(_) => self.bind(value, "y", |this, value| {
                let zeros = this.zeros(value.clone(), span);
                this.bind(zeros, "zeros", |this, zeros| {
                    let size = build::size(value.clone(), span);
                    this.build_array(size, span, |this, i| {
                        let element = build::index(value, i.clone(), span);
                        let at = |this: &mut Elab<'t>, cotangent: Expr| {
                            let args = vec![zeros.clone(), i.clone(), cotangent];
                            embed(this, Expr::prim(Prim::Update, args, span))
                        };
                        this.rows_of(element, &at, walk)
                    })
                })
            }),
            TypeKind::Data(data) => {
                let function = self.walk_sum(*data, walk);
                let cotangent = self.tangent(&ty);
                let var = self.fresh("y_bar", cotangent);
                let y_bar = self.var(var, span);
                let body = embed(self, y_bar);
                let embed = self.program.lam(vec![var], body);
                let function = self.var(function, span);
                Expr::app(function, vec![value, embed], span)
            }
        }
    }

    /// Rows of the parts of a structure; `whole` puts the cotangents of all parts together.
    fn rows_of_all(
        &mut self,
        items: &[Expr],
        ty: &Type,
        walk: &mut Walk,
        whole: impl Fn(&mut Elab<'t>, Vec<Expr>, Type) -> Expr,
    ) -> Vec<Expr> {
        let span = walk.span;
        let cotangent_ty = self.tangent(ty);
        let mut rows = Vec::new();
        for (place, item) in items.iter().enumerate() {
            let at = |this: &mut Elab<'t>, cotangent: Expr| {
                let mut all = Vec::new();
                for (other, item) in items.iter().enumerate() {
                    all.push(if other == place {
                        cotangent.clone()
                    } else {
                        this.zeros(item.clone(), span)
                    });
                }
                whole(this, all, cotangent_ty.clone())
            };
            rows.push(self.rows_of(item.clone(), &at, walk));
        }
        rows
    }

    /// The function `\y embed -> rows of y` for a sum.
    fn walk_sum(&mut self, data: DataId, walk: &mut Walk) -> VarId {
        if let Some(&known) = walk.known.get(&data) {
            return known;
        }
        let span = walk.span;
        let ty = Type::new(TypeKind::Data(data));
        let rows_ty = self.jacobian_type(&ty, &walk.entry);
        let embed_ty = Type::fun(self.tangent(&ty), walk.entry.clone());
        let whole = Type::funs([ty.clone(), embed_ty.clone()], rows_ty.clone());
        let function = self.fresh("rows", whole);
        walk.known.insert(data, function);
        let params = vec![self.fresh("y", ty.clone()), self.fresh("embed", embed_ty)];
        let embed = self.var(params[1], span);
        let mut arms = Vec::new();
        for (tag, constructor) in
            self.program.datas[data].constructors.clone().into_iter().enumerate()
        {
            let vars: Vec<_> =
                constructor.fields.iter().map(|field| self.fresh("field", field.clone())).collect();
            let items: Vec<_> = vars.iter().map(|var| self.var(*var, span)).collect();
            let rows = self.rows_of_all(&items, &ty, walk, |_, cotangents, ty| {
                let cotangent = Expr::new(ExprKind::Con(tag, cotangents), ty, span);
                Expr::app(embed.clone(), vec![cotangent], span)
            });
            let body = Expr::new(ExprKind::Con(tag, rows), rows_ty.clone(), span);
            arms.push(Arm { tag, vars, body });
        }
        let y = self.var(params[0], span);
        let body = Expr::match_(y, arms, None, span);
        let lam = self.program.lam(params, body);
        walk.functions.push((function, lam));
        function
    }

    /// `zeros x`
    fn zeros(&mut self, x: Expr, span: Span) -> Expr {
        let ty = self.tangent(&x.ty);
        Expr::ad(AdOp::Zeros, vec![x], ty, span)
    }
}
