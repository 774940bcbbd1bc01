//! `jacobian f x`: a linear map applied to every one-hot direction of the smaller side, in the structure of the
//! result.
//!
//! Type: `(a -> b) -> a -> b[T a]`, where `b[T a]` is `b` with every Real replaced by `T a` and every
//! other base type by `()`; `b` is made of these by tuples, records and arrays.
//! Law: the entry at a Real of the result is the pullback of the cotangent that is 1 there and zero elsewhere
//! (rows), or that component of the pushforwards of all tangents that are 1 at one Real of the argument (columns).
//! Cost: the function once for its sizes unless the types tell them, one linearisation, and one sweep for each Real of
//! the argument or of the result, whichever has fewer.

use pullback_base::Span;
use pullback_lambda::{AdOp, Expr, ExprKind, Type, TypeKind};
use pullback_prim::Prim;

use super::state::Elab;
use super::types::bug;

/// A step from a structure to a part of it.
enum Step {
    /// To a component of a tuple or record, an atom.
    Part(usize, Expr),
    /// To an element of an array, of which there are zero tangents if directions are made.
    At(Expr, Option<Expr>),
}

/// What stands at a Real, by the way to it.
type Entry<'e, 't> = dyn FnMut(&mut Elab<'t>, &[Step]) -> Expr + 'e;

/// By what a Jacobian is made.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    /// A pullback for each Real of the result.
    Rows,
    /// A pushforward for each Real of the argument.
    Columns,
    /// The latter if the argument has fewer Reals.
    Smaller,
}

impl<'t> Elab<'t> {
    /// `jacobian f x`
    pub(super) fn jacobian(&mut self, args: [Expr; 2], span: Span) -> Expr {
        self.flat(args, span, |this, args| this.flat_jacobian(args, span))
    }

    fn flat_jacobian(&mut self, [f, x]: [Expr; 2], span: Span) -> Expr {
        let (from, to) = self.boundary(&f, span);
        let side = match (static_reals(&from), static_reals(&to)) {
            _ if !has_places(&from) => Side::Rows,
            (_, Some(..=1)) => Side::Rows,
            (Some(..=1), _) => Side::Columns,
            (Some(from), Some(to)) if from < to => Side::Columns,
            (Some(_), Some(_)) => Side::Rows,
            (None, _) | (_, None) => Side::Smaller,
        };
        self.jacobian_by(side, [f, x], span)
    }

    /// `jacobian_forward f x`; pullbacks where the argument is of a sum type, whose places no types name.
    pub(super) fn jacobian_forward(&mut self, args: [Expr; 2], span: Span) -> Expr {
        self.flat(args, span, |this, args| this.flat_jacobian_forward(args, span))
    }

    fn flat_jacobian_forward(&mut self, [f, x]: [Expr; 2], span: Span) -> Expr {
        let side = if has_places(&x.ty) { Side::Columns } else { Side::Rows };
        self.jacobian_by(side, [f, x], span)
    }

    /// `jacobian_reverse f x`
    pub(super) fn jacobian_reverse(&mut self, args: [Expr; 2], span: Span) -> Expr {
        self.flat(args, span, |this, args| this.flat_jacobian_reverse(args, span))
    }

    fn flat_jacobian_reverse(&mut self, [f, x]: [Expr; 2], span: Span) -> Expr {
        self.jacobian_by(Side::Rows, [f, x], span)
    }

    /// The Jacobian of a gradient, which has as many Reals as its argument: pushing it forward is cheaper than
    /// pulling back through a pullback.
    pub(super) fn jacobian_of_gradient(&mut self, args: [Expr; 2], span: Span) -> Expr {
        self.jacobian_forward(args, span)
    }

    /// `body` of a function and a point between which and the result there are no charts.
    fn flat(
        &mut self,
        args: [Expr; 2],
        span: Span,
        body: impl FnOnce(&mut Self, [Expr; 2]) -> Expr,
    ) -> Expr {
        self.with_flat_result(args, span, |this, args| this.in_chart(args, span, body))
    }

    fn jacobian_by(&mut self, side: Side, [f, x]: [Expr; 2], span: Span) -> Expr {
        // A function that is written out stays where the engines see it, if it is used once.
        let stays = side != Side::Smaller && matches!(f.kind, ExprKind::Lam(..));
        let bound = if stays { vec![x] } else { vec![f.clone(), x] };
        self.bind_all(bound, "arg", |this, mut args| {
            let x = args.pop().expect("the argument was given last");
            // It has not been bound if it is written out.
            let f = args.pop().unwrap_or(f);
            match side {
                Side::Rows => this.jacobian_by_rows(f, &x, span),
                Side::Columns => this.jacobian_by_columns(f, &x, span),
                Side::Smaller => {
                    let value = Expr::app(f.clone(), vec![x.clone()], span);
                    let is_tall = this.bind(value, "y", |this, y| {
                        let sides = [this.reals(x.clone(), span), this.reals(y, span)];
                        Expr::prim(Prim::IntLt, sides, span)
                    });
                    let columns = this.jacobian_by_columns(f.clone(), &x, span);
                    let rows = this.jacobian_by_rows(f, &x, span);
                    Expr::if_(is_tall, columns, rows, span)
                }
            }
        })
    }

    /// By the pullback of every one-hot cotangent.
    fn jacobian_by_rows(&mut self, f: Expr, x: &Expr, span: Span) -> Expr {
        let result = self.vjp(f, x.clone(), span);
        self.bind_pair(result, span, |this, y, pullback| {
            let mut row = |this: &mut Self, way: &[Step]| {
                Expr::app(pullback.clone(), vec![this.one_hot(way, span)], span)
            };
            this.entries(y, x, true, &mut vec![], &mut row, span)
        })
    }

    /// By the pushforward of every one-hot tangent; then the rows are read off these columns.
    fn jacobian_by_columns(&mut self, f: Expr, x: &Expr, span: Span) -> Expr {
        let (a, b) = self.boundary(&f, span);
        let (a_dot, b_dot) = (self.tangent(&a), self.tangent(&b));
        let ty = Type::tuple(vec![b, Type::fun(a_dot, b_dot)]);
        let result = Expr::ad(AdOp::Linearize, vec![f, x.clone()], ty, span);
        self.bind_pair(result, span, |this, y, pushforward| {
            this.bind(y, "y", |this, y| {
                let mut column = |this: &mut Self, way: &[Step]| {
                    Expr::app(pushforward.clone(), vec![this.one_hot(way, span)], span)
                };
                let columns = this.entries(x.clone(), &y, true, &mut vec![], &mut column, span);
                this.bind(columns, "columns", |this, columns| {
                    let mut row = |this: &mut Self, of_y: &[Step]| {
                        let number = Expr::real(0.0, span);
                        let mut entry = |_: &mut Self, of_x: &[Step]| {
                            follow(of_y, follow(of_x, columns.clone(), span), span)
                        };
                        this.entries(x.clone(), &number, false, &mut vec![], &mut entry, span)
                    };
                    this.entries(y, x, false, &mut vec![], &mut row, span)
                })
            })
        })
    }

    /// `body` of the components of a pair.
    fn bind_pair(
        &mut self,
        pair: Expr,
        span: Span,
        body: impl FnOnce(&mut Self, Expr, Expr) -> Expr,
    ) -> Expr {
        self.bind(pair, "result", |this, pair| {
            let map = Expr::proj(pair.clone(), 1, span);
            this.bind(map, "linear", |this, map| body(this, Expr::proj(pair, 0, span), map))
        })
    }

    /// `value` with every Real replaced by its entry, which has the structure of `inner`. The way to it says how
    /// directions are made if it `is_hot`.
    fn entries(
        &mut self,
        value: Expr,
        inner: &Expr,
        is_hot: bool,
        way: &mut Vec<Step>,
        entry: &mut Entry<'_, 't>,
        span: Span,
    ) -> Expr {
        match value.ty.clone().kind() {
            TypeKind::Real => entry(self, way),
            TypeKind::Int | TypeKind::Bool | TypeKind::Str => Expr::unit(span),
            TypeKind::Tuple(_) | TypeKind::Record(_) => self.bind(value, "y", |this, value| {
                let mut items = Vec::new();
                for (place, item) in value.parts(span).into_iter().enumerate() {
                    way.push(Step::Part(place, value.clone()));
                    items.push(this.entries(item, inner, is_hot, way, entry, span));
                    way.pop();
                }
                let TypeKind::Record(fields) = value.ty.kind() else {
                    return Expr::tuple(items, span);
                };
                let names = fields.iter().map(|(name, _)| name.clone());
                let types = names.zip(items.iter().map(|item| item.ty.clone())).collect();
                Expr::record(items, Type::new(TypeKind::Record(types)), span)
            }),
            TypeKind::Array(_) if is_hot => self.bind(value, "y", |this, value| {
                let zeros = this.zeros(value.clone(), span);
                this.bind(zeros, "zeros", |this, zeros| {
                    this.entries_of_array(value, inner, Some(zeros), way, entry, span)
                })
            }),
            TypeKind::Array(_) => self.bind(value, "y", |this, value| {
                this.entries_of_array(value, inner, None, way, entry, span)
            }),
            TypeKind::Data(_) | TypeKind::Fun(..) => bug("a side with places for numbers", span),
        }
    }

    fn entries_of_array(
        &mut self,
        value: Expr,
        inner: &Expr,
        zeros: Option<Expr>,
        way: &mut Vec<Step>,
        entry: &mut Entry<'_, 't>,
        span: Span,
    ) -> Expr {
        let size = Expr::size_of(value.clone(), span);
        let depths = value.ty.nesting();
        let is_hot = zeros.is_some();
        let array = self.build_array(size, span, |this, i| {
            let element = Expr::index(value, i.clone(), span);
            way.push(Step::At(i, zeros));
            let entries = this.entries(element, inner, is_hot, way, entry, span);
            way.pop();
            entries
        });
        (0..inner.ty.nesting()).fold(array, |array, depth| {
            let size = Expr::dim(inner.clone(), depth, span);
            array.sized(depths + depth, size)
        })
    }

    /// The direction that is 1 at the end of a way, and 0 everywhere else.
    fn one_hot(&mut self, way: &[Step], span: Span) -> Expr {
        let mut direction = Expr::real(1.0, span);
        for step in way.iter().rev() {
            direction = match step {
                Step::Part(place, whole) => {
                    let ty = self.tangent(&whole.ty);
                    let mut all = Vec::new();
                    for (other, item) in whole.parts(span).into_iter().enumerate() {
                        let is_there = other == *place;
                        all.push(if is_there { direction.clone() } else { self.zeros(item, span) });
                    }
                    Expr::record(all, ty, span)
                }
                Step::At(index, Some(zeros)) => {
                    let args = vec![zeros.clone(), index.clone(), direction];
                    Expr::prim(Prim::Update, args, span)
                }
                Step::At(_, None) => bug("zeros beside a direction", span),
            };
        }
        direction
    }

    /// How many Reals are in a value that has places for them.
    fn reals(&mut self, value: Expr, span: Span) -> Expr {
        if let Some(count) = static_reals(&value.ty) {
            return Expr::int(count, span);
        }
        let TypeKind::Array(element) = value.ty.kind() else {
            return self.bind(value, "part", |this, value| {
                let parts = value.parts(span).into_iter();
                let counts = parts.map(|part| this.reals(part, span)).collect::<Vec<_>>();
                let add = |a, b| Expr::prim(Prim::IntAdd, vec![a, b], span);
                counts.into_iter().reduce(add).unwrap_or_else(|| Expr::int(0, span))
            });
        };
        let element = element.clone();
        self.bind(value, "part", |this, value| {
            let times = |a, b| Expr::prim(Prim::IntMul, vec![a, b], span);
            let depths = value.ty.nesting();
            let mut innermost = element;
            while let TypeKind::Array(element) = innermost.clone().kind() {
                innermost = element.clone();
            }
            if let Some(count) = static_reals(&innermost) {
                let dims = (0..depths).map(|depth| Expr::dim(value.clone(), depth, span));
                return dims.fold(Expr::int(count, span), times);
            }
            let size = Expr::size_of(value.clone(), span);
            let counts = this
                .build_array(size, span, |this, i| this.reals(Expr::index(value, i, span), span));
            this.int_sum([counts], span)
        })
    }
}

/// The part at the end of a way.
fn follow(way: &[Step], whole: Expr, span: Span) -> Expr {
    way.iter().fold(whole, |whole, step| match step {
        Step::Part(place, _) => Expr::proj(whole, *place, span),
        Step::At(index, _) => Expr::index(whole, index.clone(), span),
    })
}

/// How many Reals values of a type have, if all have the same number.
fn static_reals(ty: &Type) -> Option<i64> {
    match ty.kind() {
        TypeKind::Real => Some(1),
        TypeKind::Int | TypeKind::Bool | TypeKind::Str => Some(0),
        TypeKind::Tuple(items) => items.iter().map(static_reals).sum(),
        TypeKind::Record(fields) => fields.iter().map(|(_, ty)| static_reals(ty)).sum(),
        TypeKind::Array(_) | TypeKind::Data(_) | TypeKind::Fun(..) => None,
    }
}

/// Whether the way to every Real is known from the type and sizes: there is no sum in it.
fn has_places(ty: &Type) -> bool {
    match ty.kind() {
        TypeKind::Real | TypeKind::Int | TypeKind::Bool | TypeKind::Str => true,
        TypeKind::Tuple(items) => items.iter().all(has_places),
        TypeKind::Record(fields) => fields.iter().all(|(_, ty)| has_places(ty)),
        TypeKind::Array(element) => has_places(element),
        TypeKind::Data(_) | TypeKind::Fun(..) => false,
    }
}
