//! Definitions that a caller adds to an inferred program: a call from a command line, a line of expectation.
//!
//! Input: expressions that stand in no module, to be read in the scope of one, and ids. Output: definitions
//! that no scope knows. Only the expressions are looked up by name: whatever a module defines, the rest means
//! what the caller means by it.

use pullback_base::{Diagnostic, Name, Span, bug};
use pullback_syntax::ast::Expr;

use super::bindings::Binder;
use super::call::is_lambda;
use super::mismatch::Why;
use super::scheme::Member;
use super::state::Infer;
use super::table::Table;
use super::tangent::tangent;
use crate::resolve::{self, Scopes, Shelf, Source, deps};
use crate::tir::{Constraint, Global, GlobalId, TExpr, TExprKind, Typed};
use crate::ty::Ty;

/// A program whose types are inferred, to which definitions can be added.
pub struct Inference<'a>(Infer<'a>);

/// A call of a definition from outside of the program.
#[derive(Debug)]
pub struct Call<'a> {
    /// The definition.
    pub entry: GlobalId,
    /// What its first parameters are given; it has at least as many.
    pub arguments: Vec<Argument<'a>>,
    /// Whether the result must be a Real.
    pub real_result: bool,
    /// Whether the result must be first-order data.
    pub data_result: bool,
    /// What a derivative of the call is taken along.
    pub direction: Option<Direction<'a>>,
}

/// What a parameter is given.
#[derive(Debug)]
pub struct Argument<'a> {
    /// An expression; none for a value that has whatever type the parameter has.
    pub expr: Option<&'a Expr>,
    /// Where the expression or the value is written.
    pub span: Span,
    /// Whether a derivative is taken where it stands: unless it is a function, which is captured, it must be
    /// first-order data.
    pub is_data: bool,
}

/// What a derivative of a call is taken along.
#[derive(Debug)]
pub enum Direction<'a> {
    /// A cotangent of the result.
    Cotangent(&'a Expr),
    /// A tangent of the parameters at these positions, with their names, that are no functions: a tuple if there are
    /// several, in this order.
    Tangent(&'a Expr, Vec<(usize, Name)>),
}

/// What stands between a call and its entry where types name their tangent types.
#[derive(Clone, Debug, Default)]
pub struct InCharts {
    /// The parameters whose values the program does not know. Each takes the tangent that moves the value; the value is that
    /// of a further parameter, behind all others and in this order.
    pub held: Vec<usize>,
    /// Whether the entry gives `(y, \from -> displacement from y)` in place of its result `y`.
    pub result: bool,
}

impl<'a> Inference<'a> {
    /// Infers all modules; they are in dependency order. `shelf` is what they could import.
    pub fn new(modules: &[Source<'a>], shelf: Shelf) -> Self {
        let mut diagnostics = Vec::new();
        let declared = resolve::declare(modules, &mut diagnostics);
        let mut infer = Infer::new(declared, shelf, diagnostics);
        infer.unifier.library =
            modules.iter().filter(|source| source.library).map(|source| source.file).collect();
        // Sizes in types may mention definitions.
        infer.declare_globals(modules);
        infer.declare_types();
        for module in 0..modules.len() {
            infer.scope.enter_module(module);
            for group in deps::groups(&infer.declared, module) {
                if !infer.unifier.reports.has_stopped() {
                    infer.global_group(&group);
                }
            }
        }
        if !infer.unifier.reports.has_stopped() {
            infer.find_charts();
        }
        infer.check_sizes_in_types();
        Self(infer)
    }
    /// What has been inferred.
    pub fn typed(&self) -> &Typed {
        &self.0.typed
    }
    /// The names of every module.
    pub fn scopes(&self) -> &Scopes {
        &self.0.declared.scopes
    }
    /// The program and its names, when nothing more is added.
    pub fn finish(self) -> (Typed, Scopes) {
        (self.0.typed, self.0.declared.scopes)
    }
    /// What has been found since this was asked last, in source order.
    pub fn take_diagnostics(&mut self) -> Vec<Diagnostic> {
        self.0.unifier.reports.take()
    }
    /// Adds a definition for a call: a tuple of the entry as it is used by the call, of the functions that give zeros for what
    /// is held, of the arguments that are expressions, and of the direction if there is one. Expressions are in the scope of
    /// a module.
    pub fn call(&mut self, module: usize, call: &Call<'a>) -> (GlobalId, InCharts) {
        let Global { name, span, .. } = self.0.typed.globals[call.entry].clone();
        let mut charts = InCharts::default();
        let id = self.0.added(name, module, span, |infer| {
            let (parts, in_charts) = infer.parts_of_call(call, span);
            charts = in_charts;
            parts
        });
        (id, charts)
    }
    /// Adds a definition for the two sides of an expectation: a pair of values of the same type.
    pub fn sides(
        &mut self,
        module: usize,
        left: &'a Expr,
        right: &'a Expr,
        span: Span,
    ) -> GlobalId {
        self.0.added("expectation".into(), module, span, |infer| {
            let left = infer.infer(left);
            let why = Why::Side(left.span);
            let right = infer.later_branch(right, None, &left.ty, &why);
            let both = infer.solver().join_branch(&left.ty, &right, &why);
            let ty = Ty::Tuple([left.ty.clone(), both].into());
            TExpr { kind: TExprKind::Tuple(vec![left, right]), ty, span }
        })
    }
    /// Adds a definition for an expression.
    pub fn expression(&mut self, module: usize, expr: &'a Expr) -> GlobalId {
        self.0.added("expectation".into(), module, expr.span, |infer| infer.infer(expr))
    }
    /// Adds a definition for an expression that is a Real.
    pub fn real(&mut self, module: usize, expr: &'a Expr) -> GlobalId {
        let name = "expectation".into();
        self.0.added(name, module, expr.span, |infer| infer.check(expr, &Ty::Real, &Why::Number))
    }
}

impl Table {
    /// The types of so many parameters of a function, and of what it gives then.
    pub(super) fn curried(&mut self, ty: &Ty, count: usize) -> (Vec<Ty>, Ty) {
        let mut rest = ty.clone();
        let mut params = Vec::with_capacity(count);
        for _ in 0..count {
            let Ty::Fun(from, to) = self.head(&rest) else {
                bug("infer", "no more arguments of a call than its entry has parameters")
            };
            params.push(from.as_ref().clone());
            rest = to.as_ref().clone();
        }
        (params, rest)
    }
}

impl<'a> Infer<'a> {
    /// A definition that is in no scope, with the body that is made in the scope of a module.
    fn added(
        &mut self,
        name: Name,
        module: usize,
        span: Span,
        body: impl FnOnce(&mut Self) -> TExpr,
    ) -> GlobalId {
        self.scope.enter_module(module);
        self.unifier.reports.enter_owner(String::new(), Span::NONE);
        let id = self.typed.globals.push(Global {
            name,
            module: Name::new(""),
            params: vec![],
            sizes: vec![],
            constraints: vec![],
            ty: Ty::Error,
            body: TExpr::error(span),
            span,
            doc: String::new(),
        });
        self.bindings.declare_global();
        let first_local = self.begin_group();
        let start = self.unifier.constraints.len();
        self.unifier.enter_binding();
        let outer = self.enter_binder();
        let body = body(self);
        self.leave_binder(outer);
        self.unifier.leave_binding();
        let is_function = matches!(self.unifier.table.head(&body.ty), Ty::Fun(..));
        let member = Member {
            ty: body.ty.clone(),
            rigid: vec![],
            decided: vec![],
            own: vec![],
            is_function,
        };
        let scheme = self.generalise_one(member, start);
        self.set_scheme(Binder::Global(id), scheme);
        self.end_group(vec![(id, body)], first_local);
        id
    }

    /// See [`Inference::call`].
    fn parts_of_call(&mut self, call: &Call<'a>, span: Span) -> (TExpr, InCharts) {
        let head = self.global_head(call.entry, span);
        let (wanted, result) = self.unifier.table.curried(&head.expr.ty, call.arguments.len());
        if call.real_result {
            self.solver().agree(&result, &Ty::Real, span, &Why::Plain);
        }
        let mut checked = super::call::Call::new(&head, call.arguments.len());
        let arguments = || call.arguments.iter().zip(&wanted).enumerate();
        // As in any call, functions wait until the other arguments have told what they take.
        for functions in [false, true] {
            for (index, (argument, from)) in arguments() {
                if let Some(expr) = argument.expr
                    && is_lambda(expr) == functions
                {
                    self.argument(&head, index, expr, from, &mut checked);
                }
            }
        }
        let is_value =
            |at: usize| call.arguments.get(at).is_none_or(|argument| argument.expr.is_none());
        let unknown: Vec<_> =
            head.dependents.iter().copied().filter(|(position, _)| is_value(*position)).collect();
        self.unifier.table.forget_dependents(&unknown, 0);
        let is_captured: Vec<bool> = wanted
            .iter()
            .map(|from| matches!(self.unifier.table.head(from), Ty::Fun(..)))
            .collect();
        for (index, (argument, from)) in arguments() {
            if argument.is_data && !is_captured[index] {
                self.solver().require_at(argument.span, Constraint::Diff(from.clone()));
            }
        }
        if call.data_result {
            self.solver().require_at(span, Constraint::Diff(result.clone()));
        }
        let mut typed = checked.typed;
        let charted = self.entry_in_charts(head.expr, &mut typed, call, &wanted);
        let mut parts = vec![charted.entry];
        parts.extend(charted.zeros);
        parts.extend(typed.into_iter().flatten());
        parts.extend(call.direction.as_ref().map(|direction| match direction {
            Direction::Cotangent(expr) if !checked.wrong => {
                self.check(expr, &tangent(&result), &Why::Cotangent)
            }
            Direction::Tangent(expr, positions) if !checked.wrong => {
                let data = || positions.iter().filter(|(at, _)| !is_captured[*at]);
                let mut types: Vec<Ty> = data().map(|(at, _)| tangent(&wanted[*at])).collect();
                let names = data().map(|(_, name)| name.clone()).collect();
                let ty = match types.as_mut_slice() {
                    [only] => std::mem::take(only),
                    _ => Ty::Tuple(types.into()),
                };
                self.check(expr, &ty, &Why::Tangent(names))
            }
            // What it must be is not known, but there may be more mistakes in it.
            Direction::Cotangent(expr) | Direction::Tangent(expr, _) => self.infer(expr),
        }));
        let ty = Ty::Tuple(parts.iter().map(|part| part.ty.clone()).collect());
        (TExpr { kind: TExprKind::Tuple(parts), ty, span }, charted.charts)
    }
}
