//! `jacobian f x`: the pullback applied to every one-hot cotangent, in the structure of the result.
//!
//! Type: `(a -> b) -> a -> b[T a]`, where `b[T a]` is `b` with every Real replaced by `T a` and every
//! other base type by `()`; `b` is made of these by tuples, records and arrays.
//! Law: the entry at a Real of the result is the pullback of the cotangent that is 1 there and zero
//! elsewhere. Cost: one forward sweep and one backward sweep for each Real of the result.

use pullback_base::Span;
use pullback_lambda::{AdOp, Expr, ExprKind, TypeKind};
use pullback_prim::Prim;

use super::build;
use super::state::Elab;
use super::types::bug;

/// How a cotangent of a part becomes an entry of the Jacobian.
type Embed<'e, 't> = dyn Fn(&mut Elab<'t>, Expr) -> Expr + 'e;

impl<'t> Elab<'t> {
    /// `jacobian f x`
    pub(super) fn jacobian(&mut self, [f, x]: [Expr; 2], span: Span) -> Expr {
        // A function that is written out stays where the engines see it.
        let bound = if matches!(f.kind, ExprKind::Lam(..)) { vec![x] } else { vec![f.clone(), x] };
        self.bind_all(bound, "arg", |this, mut args| {
            let x = args.pop().expect("the argument was given last");
            // It has not been bound if it is written out.
            let f = args.pop().unwrap_or(f);
            let result = this.vjp(f, x.clone(), span);
            this.bind(result, "result", |this, result| {
                let pullback = Expr::proj(result.clone(), 1, span);
                this.bind(pullback, "pullback", |this, pullback| {
                    let embed = |_: &mut Elab<'t>, cotangent: Expr| {
                        Expr::app(pullback.clone(), vec![cotangent], span)
                    };
                    this.entries(Expr::proj(result, 0, span), &x, &embed, span)
                })
            })
        })
    }

    /// `value` with every Real replaced by its entry, which has the structure of `x`.
    fn entries(&mut self, value: Expr, x: &Expr, embed: &Embed<'_, 't>, span: Span) -> Expr {
        match value.ty.clone().kind() {
            TypeKind::Real => embed(self, Expr::real(1.0, span)),
            TypeKind::Int | TypeKind::Bool | TypeKind::Str => Expr::unit(span),
            TypeKind::Tuple(_) => self.bind(value, "y", |this, value| {
                let items = this.entries_of_parts(&value, x, embed, span);
                Expr::tuple(items, span)
            }),
            TypeKind::Record(fields) => self.bind(value, "y", |this, value| {
                let items = this.entries_of_parts(&value, x, embed, span);
                let names = fields.iter().map(|(name, _)| name.clone());
                let types = names.zip(items.iter().map(|item| item.ty.clone())).collect();
                let ty = pullback_lambda::Type::new(TypeKind::Record(types));
                Expr::record(items, ty, span)
            }),
            TypeKind::Array(_) => self.bind(value, "y", |this, value| {
                let zeros = this.zeros(value.clone(), span);
                this.bind(zeros, "zeros", |this, zeros| {
                    let size = build::size(value.clone(), span);
                    let depths = value.ty.nesting();
                    let array = this.build_array(size, span, |this, i| {
                        let element = build::index(value, i.clone(), span);
                        let at = |this: &mut Elab<'t>, cotangent: Expr| {
                            let args = vec![zeros.clone(), i.clone(), cotangent];
                            embed(this, Expr::prim(Prim::Update, args, span))
                        };
                        this.entries(element, x, &at, span)
                    });
                    (0..x.ty.nesting()).fold(array, |array, depth| {
                        let size = build::dim(x.clone(), depth, span);
                        array.sized(depths + depth, size)
                    })
                })
            }),
            TypeKind::Data(_) | TypeKind::Fun(..) => bug("a result that has a Jacobian", span),
        }
    }

    /// The entries of the parts of a tuple or record, an atom.
    fn entries_of_parts(
        &mut self,
        whole: &Expr,
        x: &Expr,
        embed: &Embed<'_, 't>,
        span: Span,
    ) -> Vec<Expr> {
        let cotangent_ty = self.tangent(&whole.ty);
        let items = build::parts(whole, span);
        let mut entries = Vec::new();
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
                embed(this, Expr::record(all, cotangent_ty.clone(), span))
            };
            entries.push(self.entries(item.clone(), x, &at, span));
        }
        entries
    }

    /// `zeros x`
    fn zeros(&mut self, x: Expr, span: Span) -> Expr {
        let ty = self.tangent(&x.ty);
        Expr::ad(AdOp::Zeros, vec![x], ty, span)
    }
}
