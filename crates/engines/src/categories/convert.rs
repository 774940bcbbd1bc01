//! Conversion to CL (figure 10), with pruning or without.
//!
//! Input: a specialised program and a definition. Output: the arrows of all first-order definitions it
//! reaches; or the diagnostic of what is not first-order.

use pullback_base::{Diagnostic, Span};
use pullback_lambda::{
    AdOp, Arm, DefId, Expr, ExprKind, LoopForm, Program, Type, VarId, is_first_order,
};
use pullback_reduce::{outside_fragment, with_origin};

use crate::parameters::parameters;

use super::cl::NAME;
use super::cl::{Cl, ClArm, ClDef, ClKind, ClProgram, Function};
use super::custom;
use super::custom::Customs;

/// Converts a definition and all it reaches.
pub fn convert(
    program: &Program,
    customs: &Customs,
    def: DefId,
    prune: bool,
) -> Result<ClProgram, Box<Diagnostic>> {
    let root = def;
    let mut made = ClProgram::new();
    let mut todo = vec![root];
    while let Some(def) = todo.pop() {
        if made.contains_key(&def) {
            continue;
        }
        let mut converter = Converter { program, customs, prune, callees: vec![] };
        let arrow = converter.definition(def);
        let arrow = arrow.map_err(|refused| with_origin(refused, program, root, def))?;
        made.insert(def, arrow);
        todo.extend(converter.callees);
    }
    Ok(made)
}

struct Converter<'p> {
    program: &'p Program,
    customs: &'p Customs,
    prune: bool,
    callees: Vec<DefId>,
}

type Converted = Result<Cl, Box<Diagnostic>>;

impl Converter<'_> {
    fn definition(&mut self, id: DefId) -> Result<ClDef, Box<Diagnostic>> {
        let def = &self.program.defs[id];
        let (params, body) = parameters(&def.body);
        let from: Vec<Type> = params.iter().map(|var| self.program.vars[*var].ty.clone()).collect();
        for ty in from.iter().chain([&body.ty]) {
            if !is_first_order(&self.program.datas, ty) {
                let construct = format!(
                    "`{}`: it takes or gives a function that is not known before the program runs",
                    def.name
                );
                return Err(outside_fragment(NAME, &construct, def.span));
            }
        }
        let to = body.ty.clone();
        let (name, span) = (def.name.clone(), def.span);
        let body = self.term(body, params)?;
        Ok(ClDef { name, params: params.to_vec(), from, to, body, span })
    }

    /// `C⟦e⟧Γ`, pruned to the free variables if that is asked for.
    fn term(&mut self, expr: &Expr, scope: &[VarId]) -> Converted {
        if !self.prune || matches!(expr.kind, ExprKind::Var(_) | ExprKind::Lit(_)) {
            return self.node(expr, scope);
        }
        let free = expr.free_vars();
        let kept: Vec<usize> = (0..scope.len()).filter(|at| free.contains(&scope[*at])).collect();
        if kept.len() == scope.len() {
            return self.node(expr, scope);
        }
        let inner: Vec<VarId> = kept.iter().map(|at| scope[*at]).collect();
        let body = self.node(expr, &inner)?;
        let types = inner.iter().map(|var| self.program.vars[*var].ty.clone()).collect();
        let pruning = ClKind::Prune(kept, scope.len());
        let pruning = Cl::new(pruning, Type::tuple(types), expr.span);
        let to = body.to.clone();
        Ok(Cl::new(ClKind::Compose(Box::new(pruning), Box::new(body)), to, expr.span))
    }

    fn node(&mut self, expr: &Expr, scope: &[VarId]) -> Converted {
        let (ty, span) = (expr.ty.clone(), expr.span);
        let kind = match &expr.kind {
            ExprKind::Var(var) => {
                let at = scope.iter().position(|found| found == var);
                let Some(at) = at else { return Err(unknown("this variable", span)) };
                ClKind::Function(Function::Component(at))
            }
            ExprKind::Lit(lit) => ClKind::Constant(lit.clone()),
            ExprKind::Global(_) => return self.call(expr, &[], &ty, span, scope),
            ExprKind::App(function, args) => return self.call(function, args, &ty, span, scope),
            ExprKind::Prim(prim, args) => {
                return self.applied(Function::Prim(*prim), args, ty, span, scope);
            }
            ExprKind::Con(tag, fields) => {
                return self.applied(Function::Con(*tag), fields, ty, span, scope);
            }
            ExprKind::Array(items) => {
                return self.applied(Function::Array, items, ty, span, scope);
            }
            ExprKind::Ad(op, args) => return self.operator(*op, args, ty, span, scope),
            ExprKind::Proj(base, index) => {
                let base = self.term(base, scope)?;
                return Ok(base.then(ClKind::Function(Function::Component(*index)), ty));
            }
            ExprKind::Tuple(items) => ClKind::Tuple(self.terms(items, scope)?),
            ExprKind::If(cond, then, other) => ClKind::If(
                Box::new(self.term(cond, scope)?),
                Box::new(self.term(then, scope)?),
                Box::new(self.term(other, scope)?),
            ),
            ExprKind::Let(var, value, body) => {
                self.first_order(&value.ty, value.span)?;
                let value = self.term(value, scope)?;
                let body = self.under(body, scope, &[*var])?;
                ClKind::Let(*var, Box::new(value), Box::new(body))
            }
            ExprKind::Build { size, var, body } => {
                self.first_order(&body.ty, body.span)?;
                let size = self.term(size, scope)?;
                let body = self.under(body, scope, &[*var])?;
                ClKind::Build(Box::new(size), *var, Box::new(body))
            }
            ExprKind::Loop { var, init, form, body } => {
                self.first_order(&init.ty, init.span)?;
                self.loop_(*var, init, form, body, scope)?
            }
            ExprKind::Match(scrutinee, arms, default) => {
                self.first_order(&scrutinee.ty, scrutinee.span)?;
                self.case(scrutinee, arms, default.as_deref(), scope)?
            }
            ExprKind::Lam(..) => return Err(unknown("a function as a value", span)),
            ExprKind::LetRec(..) => {
                return Err(unknown("recursive functions that are used as values", span));
            }
        };
        Ok(Cl::new(kind, ty, span))
    }

    fn first_order(&self, ty: &Type, span: Span) -> Result<(), Box<Diagnostic>> {
        if is_first_order(&self.program.datas, ty) {
            return Ok(());
        }
        Err(unknown("a function that is not known before the program runs", span))
    }

    fn terms(&mut self, items: &[Expr], scope: &[VarId]) -> Result<Vec<Cl>, Box<Diagnostic>> {
        items.iter().map(|item| self.term(item, scope)).collect()
    }

    /// A body that sees further variables.
    fn under(&mut self, body: &Expr, scope: &[VarId], more: &[VarId]) -> Converted {
        let scope: Vec<VarId> = scope.iter().chain(more).copied().collect();
        self.term(body, &scope)
    }

    /// `(C⟦e₁⟧, …) ; F(f)`
    fn applied(
        &mut self,
        function: Function,
        args: &[Expr],
        to: Type,
        span: Span,
        scope: &[VarId],
    ) -> Converted {
        let args = self.terms(args, scope)?;
        let types = args.iter().map(|arg| arg.to.clone()).collect();
        let tuple = Cl::new(ClKind::Tuple(args), Type::tuple(types), span);
        Ok(tuple.then(ClKind::Function(function), to))
    }

    fn call(
        &mut self,
        function: &Expr,
        args: &[Expr],
        to: &Type,
        span: Span,
        scope: &[VarId],
    ) -> Converted {
        let ExprKind::Global(def) = function.kind else {
            return Err(unknown("a function that is not known before the program runs", span));
        };
        let wanted = parameters(&self.program.defs[def].body).0.len();
        if wanted != args.len() {
            return Err(unknown("a function that lacks arguments or gives a function", span));
        }
        self.callees.push(def);
        self.applied(Function::Def(def), args, to.clone(), span, scope)
    }

    fn operator(
        &mut self,
        op: AdOp,
        args: &[Expr],
        to: Type,
        span: Span,
        scope: &[VarId],
    ) -> Converted {
        match op {
            AdOp::StopGradient => self.applied(Function::StopGradient, args, to, span, scope),
            AdOp::Zeros => self.applied(Function::Zeros, args, to, span, scope),
            AdOp::Checkpoint | AdOp::AssumeLinear | AdOp::DifferentiatedAs => {
                pullback_engine::unseen_mark()
            }
            AdOp::Perturb => pullback_engine::unseen_perturbation(),
            AdOp::CustomVjp | AdOp::CustomJvp => {
                let Some((custom, captured)) = custom::look_up(self.customs, op, args) else {
                    let construct = "a function with a derivative of its own that is not known";
                    return Err(unknown(construct, span));
                };
                self.callees.extend([custom.value, custom.derivative]);
                let args: Vec<Expr> = captured.iter().chain(&args[2..]).cloned().collect();
                self.applied(Function::Custom(custom), &args, to, span, scope)
            }
            AdOp::Vjp | AdOp::Jvp | AdOp::Linearize => {
                Err(unknown("derivatives inside functions that are differentiated", span))
            }
        }
    }

    fn loop_(
        &mut self,
        state: VarId,
        init: &Expr,
        form: &LoopForm,
        body: &Expr,
        scope: &[VarId],
    ) -> Result<ClKind, Box<Diagnostic>> {
        let init = Box::new(self.term(init, scope)?);
        Ok(match form {
            LoopForm::For { var: index, count } => {
                let count = Box::new(self.term(count, scope)?);
                let body = Box::new(self.under(body, scope, &[state, *index])?);
                ClKind::Fold { state, init, index: *index, count, body }
            }
            LoopForm::While(cond) => {
                let cond = Box::new(self.under(cond, scope, &[state])?);
                let body = Box::new(self.under(body, scope, &[state])?);
                ClKind::While { state, init, cond, body }
            }
        })
    }

    fn case(
        &mut self,
        scrutinee: &Expr,
        arms: &[Arm],
        default: Option<&Expr>,
        scope: &[VarId],
    ) -> Result<ClKind, Box<Diagnostic>> {
        let scrutinee = self.term(scrutinee, scope)?;
        let mut made = vec![];
        for arm in arms {
            let body = self.under(&arm.body, scope, &arm.vars)?;
            made.push(ClArm { tag: arm.tag, vars: arm.vars.clone(), body });
        }
        let default = match default {
            Some(default) => Some(Box::new(self.term(default, scope)?)),
            None => None,
        };
        Ok(ClKind::Case(Box::new(scrutinee), made, default))
    }
}

fn unknown(construct: &str, span: Span) -> Box<Diagnostic> {
    outside_fragment(NAME, construct, span)
}
