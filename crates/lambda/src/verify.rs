//! The verifier: whether a program keeps the calculus's invariants. It runs after every pass in tests;
//! what it finds is a bug of that pass, so it speaks of nodes, not of the user's text.
//!
//! Checked: the type of every node, arity and types of primitives and differentiation operators,
//! binders bound once in the whole program and in scope where they are used, arms of matches, that
//! recursive bindings are functions, that definitions are closed, and that arrays are regular: where the terms of
//! an array of arrays tell that the sizes of its rows differ, a check of these sizes follows; and what holds from
//! some [`Stage`] on.

mod regular;

use std::collections::BTreeSet;

use regular::Arrays;

use crate::signature::admits;
use crate::tangent::wrong_tangent;
use crate::{
    AdOp, Arm, Datas, DefId, Expr, ExprKind, Lit, LoopForm, Program, Type, TypeKind, VarId, ad_type,
};

/// What holds of a program beside the rules of the calculus, by the pass that made it.
#[derive(Clone, Copy, Debug)]
pub enum Stage<'a> {
    /// Nothing more.
    Any,
    /// What these definitions reach holds no `vjp`, `jvp` or `linearize`.
    Closed(&'a [DefId]),
    /// The bodies of these definitions are functions of one parameter.
    Unary(&'a [DefId]),
}

/// Checks a program; the errors are sentences that name definition and node.
pub fn verify(program: &Program, stage: Stage<'_>) -> Result<(), Vec<String>> {
    let mut ctx = Ctx {
        program,
        datas: program.datas.clone(),
        bound: BTreeSet::new(),
        scope: BTreeSet::new(),
        def: None,
        errors: Vec::new(),
    };
    if let Some(data) = wrong_tangent(&program.datas) {
        ctx.error(format!("`{}` has a sum as its tangent that is not", program.datas[data].name));
    }
    let mut arrays = Arrays::of(program);
    for (id, def) in program.defs.iter_enumerated() {
        ctx.def = Some(id);
        ctx.check(&def.body);
        ctx.same(&def.ty, &def.body.ty, "the body of the definition");
        arrays.irregular(&def.body).into_iter().for_each(|text| ctx.error(text));
    }
    ctx.check_stage(stage);
    if ctx.errors.is_empty() { Ok(()) } else { Err(ctx.errors) }
}

struct Ctx<'a> {
    program: &'a Program,
    /// A copy, as tangent types may have to be declared to be compared.
    datas: Datas,
    bound: BTreeSet<VarId>,
    scope: BTreeSet<VarId>,
    def: Option<DefId>,
    errors: Vec<String>,
}

impl Ctx<'_> {
    fn error(&mut self, text: String) {
        /// Further errors of one program say nothing new.
        const ENOUGH: usize = 20;
        if self.errors.len() < ENOUGH {
            let def =
                self.def.map_or_else(String::new, |id| self.program.defs[id].name.to_string());
            self.errors.push(format!("in `{def}`: {text}"));
        }
    }

    fn check_stage(&mut self, stage: Stage<'_>) {
        match stage {
            Stage::Any => {}
            Stage::Closed(roots) => {
                for def in self.program.reachable(roots) {
                    self.def = Some(def);
                    self.program.defs[def].body.visit(&mut |expr| {
                        if let ExprKind::Ad(
                            op @ (AdOp::Vjp | AdOp::Jvp | AdOp::Linearize | AdOp::Perturb),
                            _,
                        ) = expr.kind
                        {
                            self.error(format!("`{}` is left", op.name()));
                        }
                    });
                }
            }
            Stage::Unary(roots) => {
                for def in roots {
                    self.def = Some(*def);
                    let body = &self.program.defs[*def].body;
                    if !matches!(&body.kind, ExprKind::Lam(params, _) if params.len() == 1) {
                        self.error("the body is no function of one parameter".to_string());
                    }
                }
            }
        }
    }

    fn same(&mut self, expected: &Type, found: &Type, what: &str) {
        if expected != found {
            let (expected, found) = (self.shown(expected), self.shown(found));
            self.error(format!("{what} has type {found}, expected {expected}"));
        }
    }

    fn shown(&self, ty: &Type) -> String {
        self.program.print_type(ty)
    }

    fn bind(&mut self, var: VarId) {
        if self.program.vars.get(var).is_none() {
            self.error(format!("{var:?} is bound but not declared"));
        } else if !self.bound.insert(var) {
            self.error(format!("{var:?} is bound twice"));
        }
        self.scope.insert(var);
    }

    fn unbind(&mut self, vars: &[VarId]) {
        for var in vars {
            self.scope.remove(var);
        }
    }

    fn var_type(&self, var: VarId) -> Type {
        self.program.vars.get(var).map_or_else(Type::unit, |var| var.ty.clone())
    }

    fn check_all(&mut self, items: &[Expr]) {
        items.iter().for_each(|item| self.check(item));
    }

    /// Checks a term; chains of `let` without recursion in their length.
    fn check(&mut self, expr: &Expr) {
        let mut bound = Vec::new();
        let mut inner = expr;
        while let ExprKind::Let(var, value, body) = &inner.kind {
            self.check(value);
            self.same(&self.var_type(*var), &value.ty, &format!("the value of {var:?}"));
            self.same(&inner.ty, &body.ty, "the body of a let");
            self.bind(*var);
            bound.push(*var);
            inner = body;
        }
        self.check_node(inner);
        self.unbind(&bound);
    }

    fn check_node(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Var(var) => {
                if !self.scope.contains(var) {
                    self.error(format!("{var:?} is not in scope"));
                }
                self.same(&self.var_type(*var), &expr.ty, &format!("{var:?}"));
            }
            ExprKind::Global(def) => match self.program.defs.get(*def) {
                Some(def) => self.same(&def.ty, &expr.ty, &format!("`{}`", def.name)),
                None => self.error(format!("{def:?} is not defined")),
            },
            ExprKind::Lit(lit) => self.same(&lit_type(lit), &expr.ty, "a literal"),
            ExprKind::Prim(prim, args) => {
                self.check_all(args);
                let types: Vec<_> = args.iter().map(|arg| arg.ty.clone()).collect();
                if !admits(*prim, &types, &expr.ty) {
                    let types: Vec<_> = types.iter().map(|ty| self.shown(ty)).collect();
                    let (name, result) = (prim.row().name, self.shown(&expr.ty));
                    self.error(format!("`{name}` takes ({}) to {result}", types.join(", ")));
                }
            }
            ExprKind::Ad(op, args) => {
                self.check_all(args);
                let types: Vec<_> = args.iter().map(|arg| arg.ty.clone()).collect();
                match ad_type(&mut self.datas, *op, &types) {
                    Ok(ty) => self.same(&ty, &expr.ty, &format!("`{}`", op.name())),
                    Err(text) => self.error(text),
                }
            }
            ExprKind::Lam(params, body) => self.check_lam(params, body, &expr.ty),
            ExprKind::App(function, args) => self.check_app(function, args, &expr.ty),
            ExprKind::Let(_, _, _) => self.check(expr),
            ExprKind::LetRec(functions, body) => self.check_let_rec(functions, body, &expr.ty),
            ExprKind::If(cond, then, other) => {
                self.check(cond);
                self.same(&Type::bool(), &cond.ty, "a condition");
                for branch in [then, other] {
                    self.check(branch);
                    self.same(&expr.ty, &branch.ty, "a branch");
                }
            }
            ExprKind::Tuple(items) => self.check_tuple(items, &expr.ty),
            ExprKind::Proj(base, index) => {
                self.check(base);
                match base.ty.component(*index) {
                    Some(ty) => self.same(ty, &expr.ty, "a component"),
                    None => {
                        self.error(format!("{} has no component {index}", self.shown(&base.ty)))
                    }
                }
            }
            ExprKind::Con(tag, fields) => self.check_con(*tag, fields, &expr.ty),
            ExprKind::Match(scrutinee, arms, default) => {
                self.check_match(scrutinee, arms, default.as_deref(), &expr.ty);
            }
            ExprKind::Array(items) => {
                self.check_all(items);
                match expr.ty.element() {
                    Some(element) => {
                        items.iter().for_each(|item| self.same(element, &item.ty, "an element"));
                    }
                    None => self.error(format!("an array has type {}", self.shown(&expr.ty))),
                }
            }
            ExprKind::Build { size, var, body } => {
                self.check(size);
                self.same(&Type::int(), &size.ty, "the size of a build");
                self.same(&Type::int(), &self.var_type(*var), "the index of a build");
                self.bind(*var);
                self.check(body);
                self.unbind(&[*var]);
                self.same(&Type::array(body.ty.clone()), &expr.ty, "a build");
            }
            ExprKind::Loop { var, init, form, body } => {
                self.check_loop(*var, init, form, body, &expr.ty);
            }
        }
    }

    fn check_lam(&mut self, params: &[VarId], body: &Expr, ty: &Type) {
        if params.is_empty() {
            self.error("a function has no parameters".to_string());
        }
        params.iter().for_each(|var| self.bind(*var));
        self.check(body);
        self.unbind(params);
        let types: Vec<_> = params.iter().map(|var| self.var_type(*var)).collect();
        self.same(&Type::funs(types, body.ty.clone()), ty, "a function");
    }

    fn check_app(&mut self, function: &Expr, args: &[Expr], ty: &Type) {
        self.check(function);
        self.check_all(args);
        if args.is_empty() {
            self.error("an application has no arguments".to_string());
        }
        let mut rest = function.ty.clone();
        for arg in args {
            let Some((from, to)) = rest.as_fun() else {
                return self.error(format!("{} is applied", self.shown(&rest)));
            };
            self.same(from, &arg.ty, "an argument");
            rest = to.clone();
        }
        self.same(&rest, ty, "an application");
    }

    fn check_let_rec(&mut self, functions: &[(VarId, Expr)], body: &Expr, ty: &Type) {
        let vars: Vec<_> = functions.iter().map(|(var, _)| *var).collect();
        vars.iter().for_each(|var| self.bind(*var));
        for (var, function) in functions {
            if !matches!(function.kind, ExprKind::Lam(_, _)) {
                self.error(format!("{var:?} is recursive but not a function"));
            }
            self.check(function);
            self.same(&self.var_type(*var), &function.ty, &format!("the value of {var:?}"));
        }
        self.check(body);
        self.unbind(&vars);
        self.same(ty, &body.ty, "the body of a let rec");
    }

    fn check_tuple(&mut self, items: &[Expr], ty: &Type) {
        self.check_all(items);
        let Some(components) = ty.components() else {
            return self.error(format!("a tuple has type {}", self.shown(ty)));
        };
        if components.len() != items.len() {
            self.error(format!("{} components for type {}", items.len(), self.shown(ty)));
        }
        for (component, item) in components.into_iter().zip(items) {
            self.same(component, &item.ty, "a component");
        }
    }

    fn check_con(&mut self, tag: usize, fields: &[Expr], ty: &Type) {
        self.check_all(fields);
        let constructor = if let TypeKind::Data(data) = ty.kind() {
            self.program.datas.get(*data).and_then(|data| data.constructors.get(tag))
        } else {
            None
        };
        let Some(constructor) = constructor else {
            return self.error(format!("{} has no constructor {tag}", self.shown(ty)));
        };
        if constructor.fields.len() != fields.len() {
            self.error(format!("`{}` has {} fields", constructor.name, constructor.fields.len()));
        }
        for (expected, field) in constructor.fields.iter().zip(fields) {
            if !self.program.is_erased(expected) {
                self.same(expected, &field.ty, "a field");
            }
        }
    }

    fn check_match(&mut self, scrutinee: &Expr, arms: &[Arm], default: Option<&Expr>, ty: &Type) {
        self.check(scrutinee);
        let data = if let TypeKind::Data(data) = scrutinee.ty.kind() {
            self.program.datas.get(*data)
        } else {
            None
        };
        let Some(data) = data else {
            return self.error(format!("{} is matched on", self.shown(&scrutinee.ty)));
        };
        let mut tags = BTreeSet::new();
        for arm in arms {
            if !tags.insert(arm.tag) {
                self.error(format!("constructor {} has two arms", arm.tag));
            }
            let Some(constructor) = data.constructors.get(arm.tag) else {
                self.error(format!("`{}` has no constructor {}", data.name, arm.tag));
                continue;
            };
            if constructor.fields.len() != arm.vars.len() {
                self.error(format!(
                    "an arm binds {} fields of `{}`",
                    arm.vars.len(),
                    constructor.name
                ));
            }
            for (var, field) in arm.vars.iter().zip(&constructor.fields) {
                self.bind(*var);
                if !self.program.is_erased(field) {
                    self.same(field, &self.var_type(*var), &format!("{var:?}"));
                }
            }
            self.check(&arm.body);
            self.unbind(&arm.vars);
            self.same(ty, &arm.body.ty, "an arm");
        }
        if default.is_none() && (tags.len() < data.constructors.len() || arms.is_empty()) {
            self.error(format!("a match on `{}` lacks arms and has no default", data.name));
        }
        if let Some(default) = default {
            self.check(default);
            self.same(ty, &default.ty, "a default arm");
        }
    }

    fn check_loop(&mut self, var: VarId, init: &Expr, form: &LoopForm, body: &Expr, ty: &Type) {
        self.check(init);
        self.same(ty, &init.ty, "the first state of a loop");
        self.same(ty, &self.var_type(var), "the state of a loop");
        let mut bound = vec![var];
        match form {
            LoopForm::For { var: index, count } => {
                self.check(count);
                self.same(&Type::int(), &count.ty, "the count of a loop");
                self.same(&Type::int(), &self.var_type(*index), "the index of a loop");
                self.bind(var);
                self.bind(*index);
                bound.push(*index);
            }
            LoopForm::While(cond) => {
                self.bind(var);
                self.check(cond);
                self.same(&Type::bool(), &cond.ty, "the condition of a loop");
            }
        }
        self.check(body);
        self.same(ty, &body.ty, "the next state of a loop");
        self.unbind(&bound);
    }
}

fn lit_type(lit: &Lit) -> Type {
    match lit {
        Lit::Real(_) => Type::real(),
        Lit::Int(_) => Type::int(),
        Lit::Bool(_) => Type::bool(),
        Lit::Str(_) => Type::str(),
    }
}
