//! Sums, arrays and the argument of the whole program.

use pullback_base::{Name, Span};
use pullback_lambda::{Arm, Constructor, Data as SumType, DataId, Expr, Type, TypeKind};
use pullback_prim::Prim;

use super::{Feature, Generator, Mode};
use crate::Data;

/// How many elements rows have.
pub(super) const ROW_SIZE: i64 = 2;

impl Generator<'_> {
    /// Two sum types: a flat one and a recursive one. A first constructor is never recursive.
    pub(super) fn declare_sums(&mut self) {
        let con = |name: &str, fields| Constructor { name: Name::new(name), fields };
        let real = Type::real;
        let mut flat = vec![con("Plain", vec![real()])];
        for name in ["Both", "Nothing", "Tagged"].iter().take(1 + self.entropy.below(3)) {
            flat.push(match *name {
                "Both" => con(name, vec![real(), real()]),
                "Nothing" => con(name, vec![]),
                _ => con(name, vec![Type::int(), Type::tuple(vec![real(), real()])]),
            });
        }
        self.program.datas.push(SumType::new("Shape", flat));
        let chain = Type::new(TypeKind::Data(self.program.datas.next_id()));
        let constructors = vec![con("End", vec![]), con("Link", vec![real(), chain])];
        self.program.datas.push(SumType::new("Chain", constructors));
    }

    pub(super) fn some_sum(&mut self) -> Type {
        self.note(Feature::Match);
        let ids: Vec<DataId> = self.program.datas.ids().collect();
        Type::new(TypeKind::Data(ids[self.entropy.below(ids.len())]))
    }

    pub(super) fn construct(&mut self, data: DataId, fuel: usize) -> Expr {
        let count = self.program.datas[data].constructors.len();
        let tag = self.entropy.below(count);
        let fields = self.program.datas[data].constructors[tag].fields.clone();
        let fields = fields.iter().map(|field| self.expr(field, fuel.saturating_sub(1))).collect();
        Expr::con(data, tag, fields, Span::NONE)
    }

    pub(super) fn match_form(&mut self, ty: &Type, fuel: usize) -> Expr {
        self.note(Feature::Match);
        let sum = self.some_sum();
        let TypeKind::Data(data) = sum.kind() else { return self.leaf(ty) };
        let scrutinee = self.expr(&sum, fuel.saturating_sub(1));
        let constructors = self.program.datas[*data].constructors.clone();
        let with_default = self.entropy.below(4) == 3;
        let covered = constructors.len() - usize::from(with_default);
        let mut arms = Vec::new();
        for (tag, constructor) in constructors.iter().enumerate().take(covered) {
            let fresh = |ty: &Type| self.program.fresh("field", ty.clone());
            let vars: Vec<_> = constructor.fields.iter().map(fresh).collect();
            let body = self.under(&vars, |this| this.expr(ty, fuel.saturating_sub(1)));
            arms.push(Arm { tag, vars, body });
        }
        let default = with_default.then(|| self.expr(ty, fuel.saturating_sub(1)));
        Expr::match_(scrutinee, arms, default, Span::NONE)
    }

    pub(super) fn array(&mut self, element: &Type, fuel: usize) -> Expr {
        self.note(Feature::Array);
        let array = Type::array(element.clone());
        match self.entropy.below(8) {
            0..2 => {
                let count = 1 + self.entropy.below(3);
                let items =
                    (0..count).map(|_| self.element(element, fuel.saturating_sub(1))).collect();
                Expr::array(items, element.clone(), Span::NONE)
            }
            2 => self.slice(&array, fuel),
            3 if *element == Type::int() => {
                let items = self.expr(&Type::array(Type::real()), fuel.saturating_sub(1));
                Expr::prim(Prim::Argsort, vec![items], Span::NONE)
            }
            5 if self.may(Feature::Update) => {
                self.note(Feature::Update);
                let (items, wrap) = self.shared(&array, fuel);
                let index = self.index_into(&items, fuel);
                let new = self.element(element, fuel.saturating_sub(1));
                let updated = Expr::prim(Prim::Update, vec![items, index, new], Span::NONE);
                Expr::lets(wrap, updated)
            }
            6 => {
                let sides = vec![
                    self.expr(&array, fuel.saturating_sub(1)),
                    self.expr(&array, fuel.saturating_sub(1)),
                ];
                Expr::prim(Prim::Concat, sides, Span::NONE)
            }
            7 if fuel > 1 => {
                let rows = self.expr(&Type::array(array), fuel.saturating_sub(2));
                Expr::prim(Prim::Flatten, vec![rows], Span::NONE)
            }
            _ => {
                let size = Expr::int(1 + self.entropy.below(4) as i64, Span::NONE);
                self.built(size, element, fuel)
            }
        }
    }

    fn built(&mut self, size: Expr, element: &Type, fuel: usize) -> Expr {
        let index = self.program.fresh("i", Type::int());
        let body = self.under(&[index], |this| this.element(element, fuel.saturating_sub(1)));
        let built = Expr::build(size, index, body, Span::NONE);
        // What makes an array of arrays has the sizes of its rows beside it.
        if element.nesting() > 0 { built.sized(1, Expr::int(ROW_SIZE, Span::NONE)) } else { built }
    }

    /// An element of an array: if it is a row, one of the size that all rows have, since arrays are regular.
    fn element(&mut self, ty: &Type, fuel: usize) -> Expr {
        let TypeKind::Array(inner) = ty.kind() else { return self.expr(ty, fuel) };
        if self.entropy.below(2) == 0 {
            let items = (0..ROW_SIZE).map(|_| self.element(inner, fuel.saturating_sub(1)));
            let items = items.collect();
            return Expr::array(items, inner.clone(), Span::NONE);
        }
        self.built(Expr::int(ROW_SIZE, Span::NONE), inner, fuel)
    }

    pub(super) fn index(&mut self, ty: &Type, fuel: usize) -> Expr {
        self.note(Feature::Array);
        let (items, wrap) = self.shared(&Type::array(ty.clone()), fuel);
        let index = self.index_into(&items, fuel);
        Expr::lets(wrap, Expr::prim(Prim::Index, vec![items, index], Span::NONE))
    }

    /// At least one element of an array, and no more than it has.
    fn slice(&mut self, array: &Type, fuel: usize) -> Expr {
        let op =
            |prim, a: &Expr, b: &Expr| Expr::prim(prim, vec![a.clone(), b.clone()], Span::NONE);
        let (items, bind_items) = self.shared(array, fuel);
        let start = self.index_into(&items, fuel);
        let (start, bind_start) = self.program.share("start", start);
        let size = Expr::prim(Prim::Size, vec![items.clone()], Span::NONE);
        let more = self.expr(&Type::int(), fuel.saturating_sub(2).min(2));
        let more = op(Prim::IntRem, &more, &op(Prim::IntSub, &size, &start));
        let last = op(Prim::IntAdd, &start, &more);
        let end = op(Prim::IntAdd, &last, &Expr::int(1, Span::NONE));
        let slice = Expr::prim(Prim::Slice, vec![items, start, end], Span::NONE);
        Expr::lets(bind_items, Expr::lets(bind_start, slice))
    }

    /// An expression bound so that it may be repeated.
    fn shared(&mut self, ty: &Type, fuel: usize) -> (Expr, Option<(pullback_lambda::VarId, Expr)>) {
        let expr = self.expr(ty, fuel.saturating_sub(1));
        self.program.share("items", expr)
    }

    /// An index into a shared array; in free mode it may be one that is not there.
    fn index_into(&mut self, items: &Expr, fuel: usize) -> Expr {
        let index = self.expr(&Type::int(), fuel.saturating_sub(2).min(2));
        if self.config.mode == Mode::Free && self.entropy.below(4) == 3 {
            return index;
        }
        let size = Expr::prim(Prim::Size, vec![items.clone()], Span::NONE);
        Expr::prim(Prim::IntRem, vec![index, size], Span::NONE)
    }

    /// The program's argument: a type, a point and a direction.
    pub(super) fn argument(&mut self) -> (Type, Data<f64>, Vec<f64>) {
        let real = Type::real;
        let record = |fields: [(&str, Type); 2]| {
            Type::new(TypeKind::Record(
                fields.into_iter().map(|(name, ty)| (Name::new(name), ty)).collect(),
            ))
        };
        let ty = match self.entropy.below(7) {
            0 => real(),
            1 | 2 => Type::tuple(vec![real(), real()]),
            3 | 4 if self.may(Feature::Array) => Type::array(real()),
            5 if self.may(Feature::Array) => {
                record([("b", real()), ("w", Type::array(Type::tuple(vec![real(), real()])))])
            }
            6 if self.may(Feature::Match) => {
                let sum = self.some_sum();
                Type::tuple(vec![real(), sum, Type::int()])
            }
            _ => Type::tuple(vec![real(), Type::tuple(vec![real(), real()])]),
        };
        let point = self.datum(&ty, 4);
        let count = point.leaves().len();
        let direction = (0..count)
            .map(|index| match self.entropy.below(4) {
                0 => 1.0,
                1 => -0.5 * (1.0 + (index % 3) as f64),
                2 => 0.0,
                _ => self.entropy.dyadic(),
            })
            .collect();
        (ty, point, direction)
    }

    fn datum(&mut self, ty: &Type, depth: usize) -> Data<f64> {
        match ty.kind() {
            TypeKind::Int => Data::Int(self.entropy.below(5) as i64 - 1),
            TypeKind::Bool => Data::Bool(self.entropy.below(2) == 1),
            TypeKind::Str => Data::Str("text".into()),
            TypeKind::Real | TypeKind::Fun(..) => Data::Real(match self.config.mode {
                Mode::Exact => self.entropy.dyadic(),
                Mode::Smooth => self.entropy.uneven(),
                Mode::Free => self.real_literal(),
            }),
            TypeKind::Tuple(items) => {
                Data::Tuple(items.iter().map(|item| self.datum(item, depth)).collect())
            }
            TypeKind::Record(fields) => {
                Data::Tuple(fields.iter().map(|(_, item)| self.datum(item, depth)).collect())
            }
            TypeKind::Array(element) => {
                let count = 1 + self.entropy.below(3);
                Data::Array((0..count).map(|_| self.datum(element, depth)).collect())
            }
            TypeKind::Data(data) => {
                let count = self.program.datas[*data].constructors.len();
                let tag = if depth == 0 { 0 } else { self.entropy.below(count) };
                let fields = self.program.datas[*data].constructors[tag].fields.clone();
                let below = depth.saturating_sub(1);
                Data::Con(tag, fields.iter().map(|field| self.datum(field, below)).collect())
            }
        }
    }
}
