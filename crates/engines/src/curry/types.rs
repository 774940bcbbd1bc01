//! The types of rep-functions and the cotangent spaces of figure 6.
//!
//! `rep`: a function `a -> b` becomes `rep a -> (rep b, bar b -> bar a)`, with environment tangents
//! `rep a -> (rep b, bar b -> (bar a, package))`; everything else is kept.
//! `bar`: a cotangent is a sum whose first constructor is the structural zero; what nothing flows back
//! to has the unit type. The rest of the sum is the number, the components (of tuples, records and
//! constructors: those that something flows back to), for an array its elements in one of the forms
//! below, for a function the list of its calls or the tagged package of its environment.

use std::collections::BTreeSet;

use pullback_base::Name;
use pullback_lambda::{
    Constructor, Data, DataId, Def, DefId, Expr, Type, TypeKind, contains_real, is_first_order,
};

use super::code::{Code, Package, Style};

/// The tag of the structural zero.
pub const ZERO: usize = 0;
/// The tag of a number, or of the components of a tuple.
pub const SOME: usize = 1;
/// The tags of an array's cotangent: all elements with what is yet to be added to them, one element, a
/// sum, a shift by a number of places.
pub const DENSE: usize = 1;
/// See [`DENSE`].
pub const AT: usize = 2;
/// See [`DENSE`].
pub const PLUS: usize = 3;
/// See [`DENSE`].
pub const SHIFT: usize = 4;
/// The tags of a function's list: one call, two lists.
pub const CALL: usize = 1;
/// See [`CALL`].
pub const APPEND: usize = 2;

impl Code<'_> {
    /// Whether something can flow back to a value of this type.
    pub fn is_active(&mut self, ty: &Type) -> bool {
        if let Some(known) = self.active.get(ty) {
            return *known;
        }
        let found = self.reaches_real(ty);
        self.active.insert(ty.clone(), found);
        found
    }

    /// A Real in the value, or in what its functions give.
    fn reaches_real(&self, ty: &Type) -> bool {
        let datas = &self.program.datas;
        if is_first_order(datas, ty) {
            return contains_real(datas, ty);
        }
        let mut seen = BTreeSet::new();
        let mut todo = vec![ty.clone()];
        while let Some(ty) = todo.pop() {
            match ty.kind() {
                TypeKind::Real => return true,
                TypeKind::Int | TypeKind::Bool | TypeKind::Str => {}
                TypeKind::Tuple(items) => todo.extend(items.iter().cloned()),
                TypeKind::Record(fields) => todo.extend(fields.iter().map(|(_, ty)| ty.clone())),
                TypeKind::Array(element) => todo.push(element.clone()),
                TypeKind::Fun(_, to) if !self.is_forward => todo.push(to.clone()),
                TypeKind::Fun(..) => {}
                TypeKind::Data(data) => {
                    if self.program.is_erased(&ty) {
                        return true;
                    }
                    if seen.insert(*data) {
                        let fields = datas[*data].constructors.iter().flat_map(|con| &con.fields);
                        todo.extend(fields.cloned());
                    }
                }
            }
        }
        false
    }

    /// The type of values here.
    pub fn rep(&mut self, ty: &Type) -> Type {
        if is_first_order(&self.program.datas, ty) {
            return ty.clone();
        }
        match ty.kind() {
            TypeKind::Real | TypeKind::Int | TypeKind::Bool | TypeKind::Str => ty.clone(),
            TypeKind::Tuple(items) => Type::tuple(items.iter().map(|ty| self.rep(ty)).collect()),
            TypeKind::Record(fields) => {
                let fields = fields.iter().map(|(name, ty)| (name.clone(), self.rep(ty)));
                Type::new(TypeKind::Record(fields.collect()))
            }
            TypeKind::Array(element) => Type::array(self.rep(element)),
            TypeKind::Fun(from, to) if self.is_forward => {
                let params = self.dual_parameter_types(from, false);
                let result = self.dual(to, true);
                Type::funs(params, result)
            }
            TypeKind::Fun(from, to) => {
                let result = self.rep_result(from, to);
                Type::fun(self.rep(from), result)
            }
            TypeKind::Data(data) => Type::new(TypeKind::Data(self.rep_data(*data))),
        }
    }

    /// What a rep-function gives.
    fn rep_result(&mut self, from: &Type, to: &Type) -> Type {
        let value = self.rep(to);
        if !self.is_active(to) {
            return value;
        }
        let answer = self.answer(from);
        let pullback = Type::fun(self.bar(to), answer);
        Type::tuple(vec![value, pullback])
    }

    /// What the pullback of a function with this parameter gives.
    pub fn answer(&mut self, from: &Type) -> Type {
        let argument = self.bar(from);
        match self.style {
            Style::List => argument,
            Style::Env(_) => {
                let (packages, _) = self.packages();
                Type::tuple(vec![argument, Type::new(TypeKind::Data(packages))])
            }
        }
    }

    fn rep_data(&mut self, data: DataId) -> DataId {
        if let Some(known) = self.reps.get(&data) {
            return *known;
        }
        let name = format!("Rep ({})", self.program.datas[data].name);
        let fresh = self.program.datas.push(Data::new(name, vec![]));
        self.reps.insert(data, fresh);
        let constructors = self.program.datas[data].constructors.clone();
        let constructors = constructors.into_iter().map(|con| Constructor {
            name: con.name,
            fields: con.fields.iter().map(|ty| self.rep(ty)).collect(),
        });
        let constructors = constructors.collect();
        self.program.datas[fresh].constructors = constructors;
        fresh
    }

    /// The type of cotangents of this type.
    pub fn bar(&mut self, ty: &Type) -> Type {
        if !self.is_active(ty) {
            return Type::unit();
        }
        Type::new(TypeKind::Data(self.bar_data(ty)))
    }

    /// The sum of cotangents of an active type.
    pub fn bar_data(&mut self, ty: &Type) -> DataId {
        if let Some(known) = self.bars.get(ty) {
            return *known;
        }
        let is_environment = matches!(self.style, Style::Env(_)) && ty.as_fun().is_some();
        if is_environment || self.is_package(ty) {
            let (packages, _) = self.packages();
            self.bars.insert(ty.clone(), packages);
            return packages;
        }
        let name = format!("Bar ({})", self.program.show_type(ty));
        let data = self.program.datas.push(Data::new(name, vec![]));
        self.program.cotangents.insert(data);
        self.bars.insert(ty.clone(), data);
        let own = Type::new(TypeKind::Data(data));
        let mut constructors = vec![constructor("Zero", vec![])];
        match ty.kind() {
            TypeKind::Real => constructors.push(constructor("Real", vec![Type::real()])),
            TypeKind::Tuple(_) | TypeKind::Record(_) => {
                let fields = self.bar_fields(&owned_components(ty));
                constructors.push(constructor("Parts", fields));
            }
            TypeKind::Data(data) => {
                for con in self.program.datas[*data].constructors.clone() {
                    let fields = self.bar_fields(&con.fields);
                    constructors.push(Constructor { name: con.name, fields });
                }
            }
            TypeKind::Array(element) => {
                let element = self.bar(element);
                let all = Type::array(element.clone());
                constructors.push(constructor("Dense", vec![all, own.clone()]));
                constructors.push(constructor("At", vec![Type::int(), element]));
                constructors.push(constructor("Plus", vec![own.clone(), own.clone()]));
                constructors.push(constructor("Shift", vec![Type::int(), own]));
            }
            TypeKind::Fun(from, to) => {
                let call = vec![self.rep(from), self.bar(to)];
                constructors.push(constructor("Call", call));
                constructors.push(constructor("Append", vec![own.clone(), own]));
            }
            TypeKind::Int | TypeKind::Bool | TypeKind::Str => {}
        }
        self.program.datas[data].constructors = constructors;
        data
    }

    /// The cotangents of those that something flows back to.
    fn bar_fields(&mut self, fields: &[Type]) -> Vec<Type> {
        let active: Vec<Type> = fields.iter().filter(|ty| self.is_active(ty)).cloned().collect();
        active.iter().map(|ty| self.bar(ty)).collect()
    }

    /// The type of all packages, and the definition that adds two of them.
    pub fn packages(&mut self) -> (DataId, DefId) {
        if let Some(known) = self.packages {
            return known;
        }
        let data = self.program.datas.push(Data::new("Environment", vec![]));
        let ty = Type::new(TypeKind::Data(data));
        let constructors = if self.style == Style::Env(Package::Erased) {
            self.erased_constructors(&ty)
        } else {
            vec![constructor("Zero", vec![])]
        };
        self.program.datas[data].constructors = constructors;
        let def = self.reserve("add_environments", Type::funs([ty.clone(), ty.clone()], ty));
        self.packages = Some((data, def));
        (data, def)
    }

    /// A place for a definition that is made later.
    pub fn reserve(&mut self, name: impl Into<Name>, ty: Type) -> DefId {
        let span = self.span;
        self.program.defs.push(Def { name: name.into(), ty, body: Expr::unit(span), span })
    }

    /// `Nil | Cons element list`
    pub fn list_of(&mut self, element: &Type) -> DataId {
        if let Some(known) = self.lists.get(element) {
            return *known;
        }
        let name = "List";
        let data = self.program.datas.push(Data::new(name, vec![]));
        let own = Type::new(TypeKind::Data(data));
        self.program.datas[data].constructors =
            vec![constructor("Nil", vec![]), constructor("Cons", vec![element.clone(), own])];
        self.lists.insert(element.clone(), data);
        data
    }
}

fn constructor(name: &str, fields: Vec<Type>) -> Constructor {
    Constructor { name: name.into(), fields }
}

/// The components of a tuple or record type.
pub fn owned_components(ty: &Type) -> Vec<Type> {
    ty.parts().into_iter().cloned().collect()
}
