//! Typing rules of operations: what each takes, and what it gives.
//!
//! Input: a statement whose operands are declared. Output: breaches. Every form of [`Op`] has its rule here, in `acc`
//! or in `derivation`; there is no default, so a new form has to get one. Blocks inside a statement are checked against
//! what stands around them.

use std::collections::BTreeSet;

use pullback_prim::{Class, Prim, PrimTy};

use super::data::tangent_of;
use super::{Ctx, VerifierRule};
use crate::program::{Atom, Data, FuncId, Loop, LoopForm, Match, Op, Stmt};
use crate::ty::{Elem, Type};

impl<'a> Ctx<'a> {
    /// Checks an operation, whose operands are all declared.
    pub(super) fn check_op(&mut self, stmt: &'a Stmt) {
        match &stmt.op {
            Op::Copy(a) | Op::Stop(a) => self.gives(stmt, &[self.type_of(*a)]),
            Op::Undef => self.check_one_result(stmt),
            Op::Prim(prim, args) => self.check_prim(stmt, *prim, args),
            Op::Select(cond, a, b) => {
                let ty = self.type_of(*a);
                self.operand(*cond, Type::BOOL);
                self.operand(*b, ty);
                self.gives(stmt, &[ty]);
            }
            Op::MulZero(a, b) => {
                self.operand(*a, Type::REAL);
                self.operand(*b, Type::REAL);
                self.gives(stmt, &[Type::REAL]);
            }
            Op::Call(func, args) => self.check_call(stmt, *func, args),
            Op::If(cond, then, other) => {
                self.operand(*cond, Type::BOOL);
                let results = self.bound_types(stmt);
                self.check_block(then, &results, "the first branch");
                self.check_block(other, &results, "the second branch");
            }
            Op::Match(cases) => self.check_match(stmt, cases),
            Op::Loop(form) => self.check_loop(stmt, form),
            Op::Con(tag, fields) => self.check_con(stmt, *tag, fields),
            Op::Zero(a) => {
                let ty = self.type_of(*a);
                if ty.elem == Elem::Unit {
                    self.check_zero_of_sizes(stmt, ty);
                } else if let Some(tangent) = self.check_moves(ty) {
                    self.gives(stmt, &[tangent]);
                }
            }
            Op::Plus(a, b) => {
                let ty = self.type_of(*a);
                let is_vector = tangent_of(self.program, ty) == Some(ty);
                self.demand(is_vector, VerifierRule::Tangents, |program| {
                    format!("{} is no type of tangents", program.print_type(ty))
                });
                self.operand(*b, ty);
                self.gives(stmt, &[ty]);
            }
            Op::Unpack { tangent, tag, like } => self.check_unpack(stmt, *tangent, *tag, like),
            Op::ToTangent(_, x, u) => self.check_conversion(stmt, *x, Some(*u), None),
            Op::FromTangent(x, t) => self.check_conversion(stmt, *x, None, Some(*t)),
            Op::Fail(prim, text) => {
                let fails = matches!(prim.row().class, Class::Fail);
                self.demand(fails, VerifierRule::Operands, |_| {
                    format!("`{}` may give a value", prim.row().name)
                });
                self.operand(*text, Type::STR);
            }
            Op::Tell(text) => {
                self.operand(*text, Type::STR);
                self.gives(stmt, &[]);
            }
            Op::NewAcc(init) => self.check_new_acc(stmt, self.type_of(*init)),
            Op::AddAcc(acc, at, value) => {
                if let Some(part) = self.check_part(*acc, at) {
                    self.operand(*value, part.value());
                }
                self.gives(stmt, &[]);
            }
            Op::AtAcc(acc, at) => {
                if let Some(part) = self.check_part(*acc, at) {
                    self.check_acc_part(stmt, *acc, part);
                }
            }
            Op::PartAcc(acc, lo, hi) => {
                self.ints(&[*lo, *hi]);
                let ty = self.check_rank(*acc, 1);
                self.check_acc_part(stmt, *acc, ty);
            }
            Op::ReadAcc(acc) => self.check_read_acc(stmt, *acc),
            Op::Custom { rule, value_captured, rule_captured, args } => {
                self.check_custom(stmt, *rule, value_captured, rule_captured, args);
            }
            Op::Jvp(request, args, tangents) => self.check_jvp(stmt, *request, args, tangents),
            Op::Linearize(request, args) => self.check_linearize(stmt, *request, args),
            Op::Apply(request, residual, args) => {
                self.check_apply(stmt, *request, *residual, args);
            }
            Op::Array(_)
            | Op::Index(_, _)
            | Op::Update(_, _, _)
            | Op::Slice(_, _, _)
            | Op::Concat(_, _)
            | Op::Flatten(_)
            | Op::Dim(_, _)
            | Op::Sized(_, _, _)
            | Op::CheckSize(_, _, _, _)
            | Op::CheckCount(_)
            | Op::Sum(_)
            | Op::Argsort(_)
            | Op::Shape(_, _) => self.check_array_op(stmt),
        }
    }

    fn check_array_op(&mut self, stmt: &Stmt) {
        #[expect(clippy::wildcard_enum_match_arm, reason = "`check_op` has all others")]
        match &stmt.op {
            Op::Array(items) => {
                let Some(ty) = self.bound_types(stmt).first().copied() else {
                    return self.check_one_result(stmt);
                };
                self.check_one_result(stmt);
                self.demand(ty.is_array(), VerifierRule::Results, |program| {
                    format!("an array is not {}", program.print_type(ty))
                });
                for item in items {
                    self.operand(*item, ty.with_rank(ty.rank.saturating_sub(1)));
                }
            }
            Op::Index(a, at) => {
                if let Some(part) = self.check_part(*a, at) {
                    self.gives(stmt, &[part]);
                }
            }
            Op::Update(a, at, value) => {
                if let Some(part) = self.check_part(*a, at) {
                    self.operand(*value, part);
                }
                self.gives(stmt, &[self.type_of(*a)]);
            }
            Op::Slice(a, lo, hi) => {
                self.ints(&[*lo, *hi]);
                let ty = self.check_rank(*a, 1);
                self.gives(stmt, &[ty]);
            }
            Op::Concat(a, b) => {
                let ty = self.check_rank(*a, 1);
                self.operand(*b, ty);
                self.gives(stmt, &[ty]);
            }
            Op::Flatten(a) => {
                let ty = self.check_rank(*a, 2);
                self.gives(stmt, &[ty.with_rank(ty.rank.saturating_sub(1))]);
            }
            Op::Dim(a, k) => {
                self.check_rank(*a, k.saturating_add(1));
                self.gives(stmt, &[Type::INT]);
            }
            Op::Sized(a, k, n) => {
                self.ints(&[*n]);
                self.demand(*k > 0, VerifierRule::Dimensions, |_| {
                    "the outermost dimension is never without rows around it".to_string()
                });
                let ty = self.check_rank(*a, k.saturating_add(1));
                self.gives(stmt, &[ty]);
            }
            Op::CheckSize(a, k, n, text) => {
                self.ints(&[*n]);
                self.operand(*text, Type::STR);
                if self.type_of(*a) != Type::INT || *k > 0 {
                    self.check_rank(*a, k.saturating_add(1));
                }
                self.gives(stmt, &[]);
            }
            Op::CheckCount(n) => {
                self.ints(&[*n]);
                self.gives(stmt, &[]);
            }
            Op::Sum(a) => {
                self.operand(*a, Type::REAL.array());
                self.gives(stmt, &[Type::REAL]);
            }
            Op::Argsort(a) => {
                self.operand(*a, Type::REAL.array());
                self.gives(stmt, &[Type::INT.array()]);
            }
            Op::Shape(a, k) => {
                self.check_rank(*a, (*k).max(1));
                self.gives(stmt, &[Type::scalar(Elem::Unit).with_rank(*k)]);
            }
            _ => {}
        }
    }

    /// The types of the variables that a statement binds.
    pub(super) fn bound_types(&self, stmt: &Stmt) -> Vec<Type> {
        stmt.vars.iter().map(|var| self.program.vars[*var].ty).collect()
    }

    fn check_one_result(&mut self, stmt: &Stmt) {
        self.demand(stmt.vars.len() == 1, VerifierRule::Results, |_| {
            format!("it has one result and binds {} variables", stmt.vars.len())
        });
    }

    fn ints(&mut self, atoms: &[Atom]) {
        for atom in atoms {
            self.operand(*atom, Type::INT);
        }
    }

    /// The type of an operand that has so many dimensions or more.
    fn check_rank(&mut self, atom: Atom, rank: u8) -> Type {
        let ty = self.type_of(atom);
        self.demand(ty.rank >= rank, VerifierRule::Dimensions, |program| {
            format!("{} has fewer dimensions than {rank}", program.print_type(ty))
        });
        ty
    }

    /// The type of what stands at these indices.
    fn check_part(&mut self, array: Atom, at: &[Atom]) -> Option<Type> {
        self.ints(at);
        let ty = self.type_of(array);
        let rank = usize::from(ty.rank).checked_sub(at.len()).and_then(|n| u8::try_from(n).ok());
        self.demand(rank.is_some(), VerifierRule::Dimensions, |program| {
            format!("{} indices into {}", at.len(), program.print_type(ty))
        });
        Some(ty.with_rank(rank?))
    }

    fn check_prim(&mut self, stmt: &Stmt, prim: Prim, args: &[Atom]) {
        let row = prim.row();
        let is_value = matches!(row.class, Class::Smooth(_) | Class::Discrete);
        let params: Option<Vec<_>> = row.params.iter().map(scalar).collect();
        let (Some(params), Some(result), true) = (params, scalar(&row.result), is_value) else {
            return self
                .breach(VerifierRule::Operands, format!("`{}` is not on scalars", row.name));
        };
        self.operands(args, &params, row.name);
        self.gives(stmt, &[result]);
    }

    fn check_call(&mut self, stmt: &Stmt, func: FuncId, args: &[Atom]) {
        if !self.check_declared_func(func) {
            return;
        }
        let what = self.program.print_func_name(func);
        let params = self.param_types(func);
        self.operands(args, &params, &what);
        let program = self.program;
        self.gives(stmt, &program.funcs[func].results);
    }

    /// The types of the parameters of a function.
    pub(super) fn param_types(&self, func: FuncId) -> Vec<Type> {
        // A parameter that is not declared is told where the function is checked.
        let params = self.program.funcs[func].params.iter();
        params.filter_map(|param| self.program.vars.get(*param)).map(|var| var.ty).collect()
    }

    /// The data type of a data value that is no array.
    fn data_of(&self, ty: Type) -> Option<&'a Data> {
        if let (Elem::Data(data), 0) = (ty.elem, ty.rank) {
            Some(&self.program.datas[data])
        } else {
            None
        }
    }

    fn check_con(&mut self, stmt: &Stmt, tag: u32, fields: &[Atom]) {
        self.check_one_result(stmt);
        let Some(ty) = self.bound_types(stmt).first().copied() else { return };
        let constructors = self.data_of(ty).map(|data| &data.constructors);
        let constructor = constructors.and_then(|constructors| constructors.get(tag as usize));
        match constructor {
            Some(constructor) => self.operands(fields, &constructor.fields, &constructor.name),
            None => {
                let ty = self.program.print_type(ty);
                self.breach(VerifierRule::Results, format!("{ty} has no constructor {tag}"));
            }
        }
    }

    fn check_match(&mut self, stmt: &'a Stmt, cases: &'a Match) {
        let results = self.bound_types(stmt);
        let ty = self.type_of(cases.scrutinee);
        let Some(data) = self.data_of(ty) else {
            let ty = self.program.print_type(ty);
            return self.breach(VerifierRule::Operands, format!("{ty} has no constructors"));
        };
        self.demand(!data.is_tangent, VerifierRule::Tangents, |_| {
            "this looks into a tangent".to_string()
        });
        let mut tags = BTreeSet::new();
        for arm in &cases.arms {
            let is_new = tags.insert(arm.tag);
            self.demand(is_new, VerifierRule::Arms, |program| {
                format!("{} has two arms", program.print_constructor(ty, arm.tag))
            });
            let params: Option<Vec<_>> =
                arm.params.iter().map(|var| Some(self.program.vars.get(*var)?.ty)).collect();
            let constructor = data.constructors.get(arm.tag as usize);
            let binds_fields = params.as_ref() == constructor.map(|known| &known.fields);
            self.demand(binds_fields, VerifierRule::Arms, |program| {
                let name = program.print_constructor(ty, arm.tag);
                format!("the arm of {name} does not bind its fields")
            });
            for param in &arm.params {
                self.bind(*param, false);
            }
            self.check_block(&arm.block, &results, "an arm");
            self.leave(&arm.params);
        }
        let is_covered = cases.default.is_some() || tags.len() >= data.constructors.len();
        let is_empty = cases.default.is_none() && tags.is_empty();
        self.demand(is_covered && !is_empty, VerifierRule::Arms, |_| {
            format!("a constructor of `{}` has no arm, and there is no default", data.name)
        });
        if let Some(default) = &cases.default {
            self.check_block(default, &results, "the default");
        }
    }

    fn check_loop(&mut self, stmt: &'a Stmt, form: &'a Loop) {
        let states: Vec<Type> =
            form.states.iter().filter_map(|var| Some(self.program.vars.get(*var)?.ty)).collect();
        self.operands(&form.init, &states, "the loop");
        let mut params = form.states.clone();
        if let LoopForm::For { index, count, .. } = &form.form {
            self.ints(&[*count]);
            let ty = self.program.vars.get(*index).map(|var| var.ty);
            self.demand(ty == Some(Type::INT), VerifierRule::Operands, |_| {
                "the index of a loop is an Int".to_string()
            });
            params.push(*index);
        }
        for param in &params {
            self.bind(*param, false);
        }
        if let LoopForm::While(cond) = &form.form {
            self.check_block(cond, &[Type::BOOL], "the condition");
        }
        let given = self.check_block_open(&form.body);
        self.leave(&params);
        let Some(given) = given else { return };
        let (next, collected) = given.split_at(states.len().min(given.len()));
        self.check_given(next, &states, "the body");
        let is_value = collected.iter().all(|ty| !ty.is_acc && ty.rank < u8::MAX);
        self.demand(is_value, VerifierRule::AccPlaces, |_| {
            "what is collected is no value".to_string()
        });
        if is_value {
            let arrays = collected.iter().map(|ty| ty.array());
            let results: Vec<_> = states.iter().copied().chain(arrays).collect();
            self.gives(stmt, &results);
        }
    }

    /// The tangents of values of a type, which must have some.
    fn check_moves(&mut self, ty: Type) -> Option<Type> {
        let tangent = tangent_of(self.program, ty);
        self.demand(tangent.is_some(), VerifierRule::Tangents, |program| {
            format!("{} has no tangents, or their type is not declared", program.print_type(ty))
        });
        tangent
    }

    fn check_unpack(&mut self, stmt: &Stmt, tangent: Atom, tag: u32, like: &[Atom]) {
        let ty = self.type_of(tangent);
        let data = self.data_of(ty).filter(|data| data.is_tangent);
        // The last constructor is the zero vector, which no value has.
        let constructors = data.and_then(|data| data.constructors.split_last());
        let Some(constructor) = constructors.and_then(|(_, all)| all.get(tag as usize)) else {
            let ty = self.program.print_type(ty);
            return self.breach(
                VerifierRule::Tangents,
                format!("{ty} is no tangent of values with the tag {tag}"),
            );
        };
        // Only the sizes of arrays are looked at.
        let fits = like.len() == constructor.fields.len()
            && like
                .iter()
                .zip(&constructor.fields)
                .all(|(like, field)| !field.is_array() || self.type_of(*like).rank == field.rank);
        self.demand(fits, VerifierRule::Tangents, |_| {
            "the fields that it belongs to have other sizes".to_string()
        });
        self.gives(stmt, &constructor.fields);
    }

    /// A zero of which only the sizes are given.
    fn check_zero_of_sizes(&mut self, stmt: &Stmt, sizes: Type) {
        self.check_one_result(stmt);
        let Some(ty) = self.bound_types(stmt).first().copied() else { return };
        let fits = ty.rank == sizes.rank && tangent_of(self.program, ty) == Some(ty);
        self.demand(fits, VerifierRule::Tangents, |program| {
            format!("{} is no array of tangents of these sizes", program.print_type(ty))
        });
    }

    /// A tangent of a value, from or to what a program has: a data value with the same constructors, or an
    /// array with the same sizes.
    fn check_conversion(&mut self, stmt: &Stmt, x: Atom, user: Option<Atom>, own: Option<Atom>) {
        let ty = self.type_of(x);
        self.check_one_result(stmt);
        let Some(bound) = self.bound_types(stmt).first().copied() else { return };
        let (user, own) = match (user, own) {
            (Some(user), _) => (self.type_of(user), bound),
            (None, Some(own)) => (bound, self.type_of(own)),
            (None, None) => return,
        };
        let same_rank = ty.rank == user.rank && ty.rank == own.rank;
        let fits = match ty.elem {
            Elem::Data(value) => {
                let tangent = &self.program.datas[value].tangent;
                let shown = self.data_of(user.with_rank(0));
                let constructors = self.program.datas[value].constructors.len();
                Some(own.elem) == tangent.map(Elem::Data)
                    && shown.is_some_and(|shown| {
                        !shown.is_tangent && shown.constructors.len() == constructors
                    })
            }
            Elem::Real | Elem::Int | Elem::Bool | Elem::Str | Elem::Unit => {
                user == own && matches!(user.elem, Elem::Real | Elem::Unit)
            }
        };
        self.demand(same_rank && fits, VerifierRule::Tangents, |program| {
            let (user, ty) = (program.print_type(user), program.print_type(ty));
            format!("a program does not have tangents of {ty} as {user}")
        });
    }
}

/// The scalar type that a primitive takes or gives.
fn scalar(ty: &PrimTy) -> Option<Type> {
    match ty {
        PrimTy::Real => Some(Type::REAL),
        PrimTy::Int => Some(Type::INT),
        PrimTy::Bool => Some(Type::BOOL),
        PrimTy::Str => Some(Type::STR),
        PrimTy::Unit | PrimTy::Elem | PrimTy::Array(_) | PrimTy::AnyArray => None,
    }
}
