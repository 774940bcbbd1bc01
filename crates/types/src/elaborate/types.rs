//! Types: from those of inference, under a substitution of type variables, to those of the calculus.
//!
//! Laws: `lower` erases sizes; equal types become equal types; `T` and Jacobian types are worked out at
//! concrete types; a declared sum at type arguments becomes one [`Data`], its tangent another, unless
//! they are the same.

use pullback_base::Span;
use pullback_lambda::{Constructor, Data, Type, TypeKind, tangent};

use super::state::{Elab, Subst};
use crate::ty::{Ty, TypeDeclId};

impl Elab<'_> {
    /// A type under the substitution at work.
    pub(super) fn lower(&mut self, ty: &Ty) -> Type {
        let subst = std::mem::take(&mut self.subst);
        let lowered = self.lower_with(ty, &subst);
        self.subst = subst;
        lowered
    }

    /// A type under `subst`, which covers every type variable in it.
    pub(super) fn lower_with(&mut self, ty: &Ty, subst: &Subst) -> Type {
        match ty {
            Ty::Real => Type::real(),
            Ty::Int => Type::int(),
            Ty::Bool => Type::bool(),
            Ty::Str => Type::str(),
            Ty::Tuple(items) => {
                Type::tuple(items.iter().map(|item| self.lower_with(item, subst)).collect())
            }
            Ty::Record(fields) => {
                let fields =
                    fields.iter().map(|(n, field)| (n.clone(), self.lower_with(field, subst)));
                Type::new(TypeKind::Record(fields.collect()))
            }
            Ty::Sum(decl, args) => {
                let args = args.iter().map(|arg| self.lower_with(arg, subst)).collect();
                self.sum(*decl, args)
            }
            Ty::Array(_, element) => Type::array(self.lower_with(element, subst)),
            Ty::Fun(from, to) => {
                Type::fun(self.lower_with(from, subst), self.lower_with(to, subst))
            }
            Ty::Tangent(of) => {
                let of = self.lower_with(of, subst);
                self.tangent(&of)
            }
            Ty::Jacobian(of, input) => {
                let of = self.lower_with(of, subst);
                let of = if self.has_charts(&of) { self.tangent(&of) } else { of };
                let input = self.lower_with(input, subst);
                let entry = self.tangent(&input);
                Self::jacobian_type(&of, &entry)
            }
            Ty::Param(param) => match subst.get(param) {
                Some(known) => known.clone(),
                None => {
                    let name = &self.typed.params[*param];
                    bug(&format!("a type for the variable `{name}`"), self.place)
                }
            },
            Ty::Var(_) => bug("a type that is known", self.place),
            Ty::Error => bug("a type without errors", self.place),
        }
    }

    /// The instance of a declared sum.
    fn sum(&mut self, decl: TypeDeclId, args: Vec<Type>) -> Type {
        let source = &self.typed.types[decl];
        if let Some(&data) = self.tables.sums.get(&(decl, args.clone())) {
            return Type::new(TypeKind::Data(data));
        }
        let mut name = source.name.to_string();
        for arg in &args {
            name.push(' ');
            name.push_str(&self.type_name(arg, true));
        }
        let data = self.program.datas.push(Data::new(name, vec![]));
        let subst: Subst = source.params.iter().copied().zip(args.iter().cloned()).collect();
        self.tables.sums.insert((decl, args), data);
        if source.tangent.is_some() {
            self.tables.charts.insert(data, decl);
        }
        let mut constructors = Vec::new();
        for constructor in &source.constructors {
            let fields = constructor.fields.iter().map(|field| self.lower_with(field, &subst));
            let fields = fields.collect();
            constructors.push(Constructor { name: constructor.name.clone(), fields });
        }
        self.program.datas[data].constructors = constructors;
        Type::new(TypeKind::Data(data))
    }

    /// `T ty`; functions, which inference keeps away from derivatives, have none.
    pub(super) fn tangent(&mut self, ty: &Type) -> Type {
        let known = if let TypeKind::Data(data) = ty.kind() {
            self.tables.tangents.get(data)
        } else {
            None
        };
        if let Some(known) = known {
            return known.clone();
        }
        let tangent = if self.has_charts(ty) {
            self.charted_tangent(ty)
        } else {
            self.structural_tangent(ty)
        };
        if let TypeKind::Data(data) = ty.kind() {
            self.tables.tangents.insert(*data, tangent.clone());
        }
        tangent
    }

    /// The tangent type that the calculus gives to a type, whatever declarations name.
    pub(super) fn structural_tangent(&mut self, ty: &Type) -> Type {
        tangent(&mut self.program.datas, ty)
            .unwrap_or_else(|| bug("a type of first order, which has a tangent", self.place))
    }

    /// `ty` with every Real replaced by `entry`, and all other base types by `()`.
    fn jacobian_type(ty: &Type, entry: &Type) -> Type {
        match ty.kind() {
            TypeKind::Real => entry.clone(),
            TypeKind::Int | TypeKind::Bool | TypeKind::Str | TypeKind::Fun(..) => Type::unit(),
            TypeKind::Tuple(items) => {
                Type::tuple(items.iter().map(|item| Self::jacobian_type(item, entry)).collect())
            }
            TypeKind::Record(fields) => {
                let fields =
                    fields.iter().map(|(n, field)| (n.clone(), Self::jacobian_type(field, entry)));
                Type::new(TypeKind::Record(fields.collect()))
            }
            TypeKind::Array(element) => Type::array(Self::jacobian_type(element, entry)),
            TypeKind::Data(_) => bug("a type that has a Jacobian", Span::NONE),
        }
    }

    /// A type as the user writes it; `atom` asks for parentheses where an argument needs them.
    pub(super) fn type_name(&self, ty: &Type, atom: bool) -> String {
        match ty.kind() {
            TypeKind::Real => "Real".into(),
            TypeKind::Int => "Int".into(),
            TypeKind::Bool => "Bool".into(),
            TypeKind::Str => "String".into(),
            TypeKind::Tuple(items) => {
                let items: Vec<_> = items.iter().map(|item| self.type_name(item, false)).collect();
                format!("({})", items.join(", "))
            }
            TypeKind::Record(fields) => {
                let fields: Vec<_> = fields
                    .iter()
                    .map(|(name, field)| format!("{name}: {}", self.type_name(field, false)))
                    .collect();
                format!("{{ {} }}", fields.join(", "))
            }
            TypeKind::Data(data) => {
                let name = &self.program.datas[*data].name;
                if atom && name.contains(' ') { format!("({name})") } else { name.to_string() }
            }
            TypeKind::Array(element) => format!("[]{}", self.type_name(element, true)),
            TypeKind::Fun(from, to) => {
                let from_name = self.type_name(from, matches!(from.kind(), TypeKind::Fun(..)));
                let text = format!("{from_name} -> {}", self.type_name(to, false));
                if atom { format!("({text})") } else { text }
            }
        }
    }

    /// Where a record type has a field.
    pub(super) fn field_index(ty: &Type, name: &str) -> usize {
        let TypeKind::Record(fields) = ty.kind() else { bug("a record", Span::NONE) };
        let index = fields.iter().position(|(known, _)| known == name);
        index.unwrap_or_else(|| bug("a record with this field", Span::NONE))
    }
}

/// Stops: inference promised `what` and did not keep it.
#[track_caller]
pub(super) fn bug(what: &str, span: Span) -> ! {
    panic!("elaborate: expected {what} at {span:?}")
}

/// Whether a type has at most `budget` nodes; uses the budget up.
pub(super) fn fits(ty: &Type, budget: &mut usize) -> bool {
    if *budget == 0 {
        return false;
    }
    *budget -= 1;
    match ty.kind() {
        TypeKind::Real | TypeKind::Int | TypeKind::Bool | TypeKind::Str | TypeKind::Data(_) => true,
        TypeKind::Tuple(items) => items.iter().all(|item| fits(item, budget)),
        TypeKind::Record(fields) => fields.iter().all(|(_, field)| fits(field, budget)),
        TypeKind::Array(element) => fits(element, budget),
        TypeKind::Fun(from, to) => fits(from, budget) && fits(to, budget),
    }
}
