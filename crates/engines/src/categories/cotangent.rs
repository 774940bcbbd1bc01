//! Tangents and cotangents under way: none, one that is there, one that may be absent, or the parts of a
//! tuple. What is known while code is made needs no case analysis when it runs.

use pullback_lambda::{Arm, Expr, ExprKind, Linearised, Slope, Type};
use pullback_prim::Prim;

use super::absence::{ABSENT, Arithmetic, PRESENT};
use super::flow::Access;
use super::plan::Halves;

/// A tangent or cotangent of a value.
#[derive(Clone, Debug)]
pub(super) enum Cot {
    /// Nothing.
    None,
    /// An atom of the tangent type: all of it is there.
    Sure(Expr),
    /// An atom of the type of what may be absent.
    Maybe(Expr),
    /// The parts of a tuple or record.
    Parts(Vec<Cot>),
}

impl Arithmetic<'_> {
    /// As a term that may be absent, of the shape of a value.
    pub fn whole(&mut self, cot: &Cot, value: &Expr) -> Expr {
        match cot {
            Cot::None => self.absent(value),
            Cot::Maybe(expr) => expr.clone(),
            Cot::Sure(expr) => self.inject(expr),
            Cot::Parts(parts) => {
                let mut items = vec![];
                for (at, part) in parts.iter().enumerate() {
                    let value = Expr::proj(value.clone(), at, self.span);
                    items.push(self.whole(part, &value));
                }
                Expr::tuple(items, self.span)
            }
        }
    }

    /// Whether all of it is there, for a value of a type.
    pub fn is_sure(&self, cot: &Cot, ty: &Type) -> bool {
        match cot {
            Cot::Sure(_) => true,
            Cot::None => !self.has_real(ty),
            Cot::Maybe(_) => false,
            Cot::Parts(parts) => {
                let types = ty.parts();
                parts.iter().zip(types).all(|(part, ty)| self.is_sure(part, ty))
            }
        }
    }

    /// As a term of the tangent type, if all of it is there.
    pub fn sure(&mut self, cot: &Cot, value: &Expr) -> Option<Expr> {
        if !self.is_sure(cot, &value.ty) {
            return None;
        }
        Some(match cot {
            Cot::Sure(expr) => expr.clone(),
            Cot::None | Cot::Maybe(_) => self.zeros(value),
            Cot::Parts(parts) => {
                let mut items = vec![];
                for (at, part) in parts.iter().enumerate() {
                    let value = Expr::proj(value.clone(), at, self.span);
                    items.push(self.sure(part, &value)?);
                }
                let dot = self.dot(&value.ty);
                Expr::record(items, dot, self.span)
            }
        })
    }

    /// As a term of the tangent type: zero where there is nothing.
    pub fn filled(&mut self, cot: &Cot, value: &Expr) -> Expr {
        if let Some(sure) = self.sure(cot, value) {
            return sure;
        }
        if matches!(cot, Cot::None) {
            return self.zeros(value);
        }
        let whole = self.whole(cot, value);
        let whole = self.bind("d", whole);
        self.extract(&whole, value)
    }

    /// As a term in one of the two forms, bound; whether all of it is there.
    pub fn form(&mut self, cot: &Cot, value: &Expr) -> (Expr, bool) {
        let (term, sure) = match self.sure(cot, value) {
            Some(term) => (term, true),
            None => (self.whole(cot, value), false),
        };
        (self.bind("dy", term), sure)
    }

    /// A term in one of the two forms.
    pub fn formed(&mut self, term: Expr, sure: bool) -> Cot {
        let atom = self.bind("d", term);
        if sure { Cot::Sure(atom) } else { Cot::Maybe(atom) }
    }

    /// The parts for a tuple of a type.
    pub fn parts(&mut self, cot: Cot, ty: &Type) -> Vec<Cot> {
        let types: Vec<Type> = ty.parts().into_iter().cloned().collect();
        match cot {
            Cot::None => types.iter().map(|_| Cot::None).collect(),
            Cot::Parts(parts) => parts,
            Cot::Sure(ref expr) | Cot::Maybe(ref expr) => {
                let sure = matches!(cot, Cot::Sure(_));
                let mut parts = vec![];
                for (at, ty) in types.iter().enumerate() {
                    parts.push(if self.has_real(ty) {
                        let part = Expr::proj(expr.clone(), at, self.span);
                        self.formed(part, sure)
                    } else {
                        Cot::None
                    });
                }
                parts
            }
        }
    }

    /// The sum of two, for a value of a type.
    pub fn add(&mut self, left: Cot, right: Cot, ty: &Type) -> Cot {
        match (left, right) {
            (Cot::None, cot) | (cot, Cot::None) => cot,
            (Cot::Sure(a), Cot::Sure(b)) => {
                let sum = self.sum(&a, &b);
                self.formed(sum, true)
            }
            (Cot::Maybe(a), Cot::Maybe(b)) => {
                let sum = self.sum(&a, &b);
                self.formed(sum, false)
            }
            (Cot::Maybe(a), Cot::Sure(b)) | (Cot::Sure(b), Cot::Maybe(a)) => {
                if b.ty == Type::real() {
                    let sum = self.plus(&a, &b);
                    return self.formed(sum, true);
                }
                let b = self.inject(&b);
                let b = self.bind("d", b);
                let sum = self.sum(&a, &b);
                self.formed(sum, false)
            }
            (a @ Cot::Parts(_), b) | (a, b @ Cot::Parts(_)) => {
                let types: Vec<Type> = ty.parts().into_iter().cloned().collect();
                let (a, b) = (self.parts(a, ty), self.parts(b, ty));
                let pairs = a.into_iter().zip(b).zip(&types);
                Cot::Parts(pairs.map(|((a, b), ty)| self.add(a, b, ty)).collect())
            }
        }
    }

    /// With a contribution to a part; `value` is what it is the cotangent of.
    pub fn deposit(&mut self, cot: Cot, path: &[Access], delta: Cot, value: &Expr) -> Cot {
        let span = self.span;
        match path {
            [] => self.add(cot, delta, &value.ty),
            [Access::Component(at), rest @ ..] => {
                let mut parts = self.parts(cot, &value.ty);
                let part = std::mem::replace(&mut parts[*at], Cot::None);
                parts[*at] = self.deposit(part, rest, delta, &Expr::proj(value.clone(), *at, span));
                Cot::Parts(parts)
            }
            [Access::Index(_), ..] => self.deposit_element(&cot, path, delta, value),
        }
    }

    /// Adds to an element in place.
    fn deposit_element(&mut self, cot: &Cot, path: &[Access], delta: Cot, value: &Expr) -> Cot {
        let span = self.span;
        let indices: Vec<Expr> = path
            .iter()
            .map_while(
                |access| if let Access::Index(at) = access { Some(at.clone()) } else { None },
            )
            .collect();
        let rest = &path[indices.len()..];
        let read = |from: &Expr, count: usize| {
            indices[..count]
                .iter()
                .fold(from.clone(), |array, at| Expr::index(array, at.clone(), span))
        };
        let element = read(value, indices.len());
        let sure = self.is_sure(cot, &value.ty) && matches!(delta, Cot::Sure(_));
        let current = match self.sure(cot, value) {
            Some(current) if sure => current,
            Some(_) | None => self.whole(cot, value),
        };
        let current = self.named("d", current);
        let old = self.formed(read(&current, indices.len()), sure);
        let new = self.deposit(old, rest, delta, &element);
        let new = match self.sure(&new, &element) {
            Some(new) if sure => new,
            Some(_) | None => self.whole(&new, &element),
        };
        let mut new = self.bind("new", new);
        for depth in (0..indices.len()).rev() {
            let args = vec![read(&current, depth), indices[depth].clone(), new];
            new = Expr::prim(Prim::Update, args, span);
        }
        self.formed(new, sure)
    }

    /// Binds to a variable, also what is an atom of another kind.
    fn named(&mut self, name: &str, expr: Expr) -> Expr {
        if matches!(expr.kind, ExprKind::Var(_)) {
            return expr;
        }
        let var = self.program.fresh(name, expr.ty.clone());
        let atom = self.program.var(var, expr.span);
        self.out.push(var, expr);
        atom
    }

    /// Code for a Real that may be absent: what is made of it where it is there, or nothing.
    pub fn where_present(
        &mut self,
        maybe: &Expr,
        absent: Expr,
        make: impl FnOnce(&mut Self, &Expr) -> Expr,
    ) -> Expr {
        let span = self.span;
        let x = self.program.fresh("d", Type::real());
        let number = self.program.var(x, span);
        let there = self.scope(|this| make(this, &number));
        let arms = vec![Arm::new(ABSENT, vec![], absent), Arm::new(PRESENT, vec![x], there)];
        Expr::match_(maybe.clone(), arms, None, span)
    }

    /// A partial derivative times a Real that is there: not bound yet. Where a branch of the partial
    /// derivative is a structural zero, the product is absent there.
    pub fn product(&mut self, slope: &Slope, factor: &Expr) -> Cot {
        let span = self.span;
        if let Slope::If(cond, then, other) = slope {
            let (then, other) = (self.product(then, factor), self.product(other, factor));
            return match (then, other) {
                (Cot::Sure(then), Cot::Sure(other)) => {
                    Cot::Sure(Expr::if_(cond.clone(), then, other, span))
                }
                (then, other) => {
                    let (then, other) = (self.whole(&then, factor), self.whole(&other, factor));
                    Cot::Maybe(Expr::if_(cond.clone(), then, other, span))
                }
            };
        }
        slope.times(factor, span).map_or(Cot::None, Cot::Sure)
    }

    /// The linearisation of a primitive; what its factors share is bound here.
    pub fn linearised(
        &mut self,
        prim: Prim,
        args: &[Expr],
        result: &Expr,
        wanted: impl Fn(usize) -> bool,
    ) -> Vec<Slope> {
        let Linearised { slopes, bindings } =
            self.program.linearise(prim, args, result, wanted, self.span);
        self.out.extend(bindings);
        slopes
    }

    /// What the first half of a rule's derivative saves where the last parameter is the zero of this: the rule is linear there.
    pub fn saved_at_zero(
        &mut self,
        halves: &Halves,
        args: &[Expr],
        (name, like): (&str, &Expr),
    ) -> Expr {
        let zeros = self.zeros(like);
        let zeros = self.bind(name, zeros);
        let given = args.iter().cloned().chain([zeros]).collect();
        let forward = self.program.global(halves.forward, self.span);
        let both = self.bind("both", Expr::app(forward, given, self.span));
        self.bind("saved", Expr::proj(both, 1, self.span))
    }

    /// What a rule of differentiation makes of it: `of` is the value that it belongs to, `result` that of
    /// what the rule gives. It is not asked where nothing is there.
    pub fn by_rule(
        &mut self,
        cot: &Cot,
        of: &Expr,
        result: &Expr,
        call: impl FnOnce(Expr) -> Expr,
    ) -> Cot {
        let span = self.span;
        let (given, sure) = self.form(cot, of);
        if sure {
            return self.formed(call(given), true);
        }
        let any = self.any(&given);
        let absent = self.absent(result);
        let found = self.scope(|this| {
            let filled = this.extract(&given, of);
            let filled = this.bind("d", filled);
            let found = this.bind("d", call(filled));
            this.inject(&found)
        });
        self.formed(Expr::if_(any, found, absent, span), false)
    }

    /// The form in which several are alike, for a value of a type.
    pub fn shape(&self, cots: &[&Cot], ty: &Type) -> Shape {
        if !self.has_real(ty) || cots.iter().all(|cot| matches!(cot, Cot::None)) {
            return Shape::None;
        }
        if cots.iter().any(|cot| matches!(cot, Cot::Parts(_))) {
            let types = ty.parts();
            let part = |cot: &Cot, at: usize| match cot {
                Cot::Parts(parts) => parts[at].clone(),
                Cot::None | Cot::Sure(_) | Cot::Maybe(_) => cot.clone(),
            };
            let parts = types.into_iter().enumerate().map(|(at, ty)| {
                let parts: Vec<Cot> = cots.iter().map(|cot| part(cot, at)).collect();
                self.shape(&parts.iter().collect::<Vec<_>>(), ty)
            });
            return Shape::Parts(parts.collect());
        }
        if cots.iter().all(|cot| self.is_sure(cot, ty)) { Shape::Sure } else { Shape::Maybe }
    }

    /// The terms that a form has.
    pub fn leaves(&mut self, cot: &Cot, shape: &Shape, value: &Expr, items: &mut Vec<Expr>) {
        match shape {
            Shape::None => {}
            Shape::Sure => {
                let filled = self.filled(cot, value);
                items.push(filled);
            }
            Shape::Maybe => {
                let whole = self.whole(cot, value);
                items.push(whole);
            }
            Shape::Parts(shapes) => {
                let parts = self.parts(cot.clone(), &value.ty);
                for (at, (part, shape)) in parts.iter().zip(shapes).enumerate() {
                    let value = Expr::proj(value.clone(), at, self.span);
                    self.leaves(part, shape, &value, items);
                }
            }
        }
    }

    /// The types of those terms.
    pub fn leaf_types(&mut self, shape: &Shape, ty: &Type) -> Vec<Type> {
        match shape {
            Shape::None => vec![],
            Shape::Sure => vec![self.dot(ty)],
            Shape::Maybe => vec![self.maybe_of(ty)],
            Shape::Parts(shapes) => {
                let types: Vec<Type> = ty.parts().into_iter().cloned().collect();
                let parts = shapes.iter().zip(&types);
                parts.flat_map(|(shape, ty)| self.leaf_types(shape, ty)).collect()
            }
        }
    }
}

/// Which parts there are, and in which form.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Shape {
    None,
    Sure,
    Maybe,
    Parts(Vec<Shape>),
}

impl Shape {
    /// How many terms it has.
    pub fn count(&self) -> usize {
        match self {
            Shape::None => 0,
            Shape::Sure | Shape::Maybe => 1,
            Shape::Parts(parts) => parts.iter().map(Shape::count).sum(),
        }
    }

    /// A cotangent of this form, from its terms.
    pub fn rebuilt(&self, parts: &mut dyn Iterator<Item = Expr>) -> Cot {
        match self {
            Shape::None => Cot::None,
            Shape::Sure => parts.next().map_or(Cot::None, Cot::Sure),
            Shape::Maybe => parts.next().map_or(Cot::None, Cot::Maybe),
            Shape::Parts(shapes) => {
                Cot::Parts(shapes.iter().map(|shape| shape.rebuilt(parts)).collect())
            }
        }
    }

    /// Something of this form, to be compared.
    pub fn given(&self) -> Cot {
        self.rebuilt(&mut std::iter::repeat(Expr::unit(pullback_base::Span::NONE)))
    }
}
