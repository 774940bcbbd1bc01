//! The translation of types: `D{Real} = (Real, Delta)`, everything else componentwise; functions go to
//! monadic functions in the final translation, `D{A -> B} = D{A} -> M D{B}`.
//!
//! A type without Reals (and, in the final translation, without functions) is its own translation. Sums
//! get a companion `D Name`, made on first demand.
//!
//! What was translated before has states of its own: `D{A -> S -> B} = D{A} -> D{S} -> M D{B}`. A state is
//! always given together with the argument before it, so the two parameters need one new state and not one
//! each; otherwise every order would double the parameters of a function, and what it costs to call it.

use pullback_base::Name;
use pullback_lambda::{Constructor, Data, DataId, Type, TypeKind};

use super::translation::Translation;
use super::version::Version;

impl Translation<'_> {
    /// `(Real, Delta)`
    pub(super) fn dual_real(&self) -> Type {
        Type::tuple(vec![Type::real(), self.library.delta()])
    }

    /// The type of computations that give this type: itself where there is no state, and the type
    /// `State -> (a, State)` without its parameter otherwise.
    pub(super) fn outcome(&self, ty: Type) -> Type {
        if self.version == Version::Final {
            Type::tuple(vec![ty, self.library.state()])
        } else {
            ty
        }
    }

    /// The translation of a type.
    pub(super) fn ty(&mut self, ty: &Type) -> Type {
        match ty.kind() {
            TypeKind::Real => self.dual_real(),
            TypeKind::Int | TypeKind::Bool | TypeKind::Str => ty.clone(),
            TypeKind::Tuple(items) => Type::tuple(items.iter().map(|item| self.ty(item)).collect()),
            TypeKind::Record(fields) => {
                let fields = fields.iter().map(|(name, ty)| (name.clone(), self.ty(ty)));
                Type::new(TypeKind::Record(fields.collect()))
            }
            TypeKind::Array(element) => Type::array(self.ty(element)),
            TypeKind::Fun(from, to) => {
                let (mut params, mut result) = (vec![self.ty(from)], to);
                while let Some((state, rest)) = result.as_fun()
                    && self.program.is_state(state)
                {
                    params.push(self.ty(state));
                    result = rest;
                }
                let result = self.ty(result);
                self.function(params, result)
            }
            TypeKind::Data(data) => Type::new(TypeKind::Data(self.data(*data))),
        }
    }

    /// The type of a function of several parameters that are given at once, from translated types.
    pub(super) fn function(&self, mut params: Vec<Type>, result: Type) -> Type {
        if self.version == Version::Final {
            params.push(self.library.state());
        }
        let result = self.outcome(result);
        Type::funs(params, result)
    }

    fn data(&mut self, data: DataId) -> DataId {
        if let Some(known) = self.datas.get(&data) {
            return *known;
        }
        if self.is_fixed(&Type::new(TypeKind::Data(data))) {
            self.datas.insert(data, data);
            return data;
        }
        let name = &self.program.datas[data].name;
        let name: Name =
            if name.contains(' ') { format!("D ({name})") } else { format!("D {name}") }.into();
        let made = self.program.datas.push(Data::new(name, vec![]));
        self.datas.insert(data, made);
        if self.program.states.contains(&data) {
            self.program.states.insert(made);
        }
        let mut constructors = vec![];
        for Constructor { name, fields } in self.program.datas[data].constructors.clone() {
            let fields = fields.iter().map(|field| self.ty(field)).collect();
            constructors.push(Constructor { name, fields });
        }
        self.program.datas[made].constructors = constructors;
        made
    }

    /// Whether a type is its own translation.
    pub(super) fn is_fixed(&self, ty: &Type) -> bool {
        let mut seen = vec![];
        let mut todo = vec![ty.clone()];
        while let Some(ty) = todo.pop() {
            match ty.kind() {
                TypeKind::Real => return false,
                TypeKind::Int | TypeKind::Bool | TypeKind::Str => {}
                TypeKind::Tuple(items) => todo.extend(items.iter().cloned()),
                TypeKind::Record(fields) => todo.extend(fields.iter().map(|(_, ty)| ty.clone())),
                TypeKind::Array(element) => todo.push(element.clone()),
                TypeKind::Fun(from, to) => {
                    if self.version == Version::Final {
                        return false;
                    }
                    todo.extend([from.clone(), to.clone()]);
                }
                TypeKind::Data(data) => {
                    if !seen.contains(data) {
                        seen.push(*data);
                        let constructors = &self.program.datas[*data].constructors;
                        todo.extend(constructors.iter().flat_map(|con| con.fields.iter().cloned()));
                    }
                }
            }
        }
        true
    }
}
