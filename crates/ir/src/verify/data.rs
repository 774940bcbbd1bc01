//! Rules on declarations: data types and their tangent types, signatures, requests and rules of users.
//!
//! Input: the tables of a program. Output: breaches; and the questions which types have tangents ([`tangent_of`]),
//! answered without declaring anything. Code is looked at only after this, so that it may look up what declarations
//! name.

use super::{Ctx, VerifierRule};
use crate::program::{Data, FuncId, Mode, Program, Rule, holds_real};
use crate::ty::{DataId, Elem, Type};

impl Ctx<'_> {
    /// Checks everything but code.
    pub(super) fn declarations(&mut self) {
        let program = self.program;
        for data in program.datas.iter() {
            for constructor in &data.constructors {
                for field in &constructor.fields {
                    self.check_declared(*field, "a field");
                    self.demand(!field.is_acc, VerifierRule::Data, |_| {
                        format!("a field of `{}` is an accumulator", data.name)
                    });
                    let is_lone_unit = field.elem == Elem::Unit && !field.is_array();
                    self.demand(!is_lone_unit, VerifierRule::Types, |_| {
                        format!("a field of `{}` is a unit", data.name)
                    });
                }
            }
            if let Some(tangent) = data.tangent {
                self.check_declared(Type::data(tangent), "a tangent type");
            }
        }
        for var in program.vars.iter() {
            self.check_declared(var.ty, "a variable");
        }
        for (id, func) in program.funcs.iter_enumerated() {
            self.func = Some(id);
            for result in &func.results {
                self.check_declared(*result, "a result");
                self.demand(!result.is_acc, VerifierRule::AccPlaces, |_| {
                    "a result is an accumulator".to_string()
                });
            }
        }
        self.func = None;
        if self.breaches.is_empty() {
            for (id, data) in program.datas.iter_enumerated() {
                self.check_data(id, data);
            }
        }
        for (id, request) in program.requests.iter_enumerated() {
            if let Mode::Push(residual) | Mode::Pull(residual) = request.mode {
                self.check_declared(Type::data(residual), "a residual");
            }
            if !self.check_declared_func(request.func) || !self.breaches.is_empty() {
                continue;
            }
            let params = &program.funcs[request.func].params;
            let moves = |(active, param): (&bool, &_)| {
                !active || tangent_of(program, program.vars[*param].ty).is_some()
            };
            let known = params.iter().all(|param| program.vars.get(*param).is_some());
            let fits = known
                && request.active.len() == params.len()
                && request.active.iter().zip(params).all(moves);
            self.demand(fits, VerifierRule::Requests, |program| {
                let func = program.print_func_name(request.func);
                format!("{id:?} does not say of the parameters of `{func}` which of them move")
            });
        }
        for rule in program.rules.iter() {
            match rule {
                Rule::Vjp { value, forward, pullback } => {
                    for func in [value, forward, pullback] {
                        self.check_declared_func(*func);
                    }
                }
                Rule::Jvp { value, forward } => {
                    for func in [value, forward] {
                        self.check_declared_func(*func);
                    }
                }
            }
        }
    }

    fn check_declared(&mut self, ty: Type, what: &str) {
        if let Elem::Data(data) = ty.elem {
            let is_known = self.program.datas.get(data).is_some();
            self.demand(is_known, VerifierRule::Declared, |_| {
                format!("{what} names {data:?}, which is not declared")
            });
        }
    }

    /// Whether a function is in the table.
    pub(super) fn check_declared_func(&mut self, func: FuncId) -> bool {
        let is_known = self.program.funcs.get(func).is_some();
        self.demand(is_known, VerifierRule::Declared, |_| format!("{func:?} is not declared"));
        is_known
    }

    /// Checks a data type against its tangent type.
    fn check_data(&mut self, id: DataId, data: &Data) {
        if data.is_tangent {
            let is_own = data.tangent.is_none_or(|tangent| tangent == id);
            let has_zero = data.constructors.last().is_some_and(|zero| zero.fields.is_empty());
            let is_vector = data.constructors.iter().flat_map(|constructor| &constructor.fields);
            let is_vector =
                is_vector.copied().all(|field| tangent_of(self.program, field) == Some(field));
            return self.demand(is_own && has_zero && is_vector, VerifierRule::Data, |_| {
                format!("`{}` is no type of tangents", data.name)
            });
        }
        let Some(tangent) = data.tangent else { return };
        let tangent = &self.program.datas[tangent];
        let mut wanted: Vec<Option<Vec<Type>>> = vec![];
        for constructor in &data.constructors {
            let moving =
                constructor.fields.iter().filter(|field| has_tangent(self.program, **field));
            wanted.push(moving.map(|field| tangent_of(self.program, *field)).collect());
        }
        wanted.push(Some(vec![]));
        let declared = tangent.constructors.iter().map(|constructor| Some(&constructor.fields));
        let fits = tangent.is_tangent && declared.eq(wanted.iter().map(Option::as_ref));
        self.demand(fits, VerifierRule::Data, |_| {
            format!("`{}` is not the type of the tangents of `{}`", tangent.name, data.name)
        });
    }
}

/// Whether values of a type have tangents.
pub(super) fn has_tangent(program: &Program, ty: Type) -> bool {
    holds_real(&program.datas, ty.elem)
}

/// The type of the tangents of values of a type, if there are any and it is declared.
pub(super) fn tangent_of(program: &Program, ty: Type) -> Option<Type> {
    let elem = match ty.elem {
        Elem::Real => Elem::Real,
        Elem::Int | Elem::Bool | Elem::Str | Elem::Unit => return None,
        Elem::Data(data) if program.datas[data].is_tangent => Elem::Data(data),
        Elem::Data(_) if !has_tangent(program, ty) => return None,
        Elem::Data(data) => Elem::Data(program.datas[data].tangent?),
    };
    Some(Type { elem, ..ty })
}
