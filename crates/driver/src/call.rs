//! A call made ready: the program with a function `S -> T` for the entry, and its argument.
//!
//! Input: a [`Call`]. Output: a [`Prepared`] program. `S` is the tuple of the data the entry is given
//! (the datum itself if there is one only); arguments that are functions are captured. The definition
//! that stands for the call is
//!
//! ```text
//! def __call = match ARG with
//!              | a -> match \a b -> ENTRY a FUNCTION b with
//!                     | ENTRY -> (ENTRY, (a, …))
//! ```
//!
//! so that all its parts are typed together: the literal in `grad f 3` is a Real if `f` wants one.

use std::collections::BTreeMap;

use pullback_base::{Diagnostic, Span};
use pullback_eval::Value;
use pullback_lambda::{Def, DefId, Expr as Term, ExprKind as TermKind, Program, Type};
use pullback_reduce::with_fuel;
use pullback_syntax::ast::{Expr, ExprKind, Path, TypeExpr, TypeExprKind};
use pullback_types::tir::{Constraint, Global, ParamId};
use pullback_types::ty::Ty;

use crate::arguments::{Arguments, expressions};
use crate::engine::{Code, Engine};
use crate::entry::{Entry, Given};
use crate::load::{Modules, load};
use crate::pipeline::{Inferred, typed};
use crate::request::{Call, Settings};
use crate::session::{Session, Stop};
use crate::sizes::{with_declared_sizes, wrong_size};
use crate::synth::{app, bind, bind_in, bind_tuple, def, demand, expr, ident, lambda, tuple, var};
use crate::watch::watch_constant;

/// What a call is made ready for.
pub enum Purpose<'a> {
    /// Its value.
    Value,
    /// A derivative with respect to parameters: all that have Reals, or those named.
    Derivative {
        /// The names; none means all.
        wrt: &'a [String],
        /// Whether the result must be a Real.
        scalar: bool,
        /// A cotangent of the result or a tangent of the parameters, as an expression.
        direction: Option<Direction<'a>>,
    },
}

/// An expression that a derivative is taken along.
#[derive(Clone, Copy)]
pub enum Direction<'a> {
    /// Of the type of the result.
    Cotangent(&'a str),
    /// Of the type of the parameters: a tuple if there are several.
    Tangent(&'a str),
}

/// A program ready to run.
pub struct Prepared {
    /// The program.
    pub program: Program,
    /// `S -> T`
    pub function: DefId,
    /// `S`
    pub argument: Value,
    /// `T`
    pub result: Type,
    /// The parameters in `S`.
    pub parts: Vec<Part>,
    /// The value of the direction, with its type.
    pub direction: Option<(Value, Type)>,
    /// Where the direction is written.
    pub along: Span,
    /// `T` itself, where there is no `S`: the call was evaluated with its arguments.
    pub value: Option<Value>,
}

/// A parameter in `S`.
#[derive(Clone)]
pub struct Part {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// Whether the derivative is with respect to it.
    pub wrt: bool,
}

const CALL: &str = "__call";
const DIRECTION: &str = "__direction";

/// Makes a call ready.
pub fn prepare(
    session: &mut Session<'_>,
    call: &Call,
    engine: &Engine,
    purpose: &Purpose<'_>,
) -> Result<Prepared, Stop> {
    let mut modules = load(session, &call.file)?;
    let inferred = typed(session, &modules);
    session.stop_on_errors()?;
    let id = inferred.entry(session, &call.entry)?;
    let entry = Entry::new(&inferred.typed, &modules.main().module, &inferred.typed.globals[id]);
    let mut arguments = Arguments::read(session, call, engine.limits())?;
    let derivative = matches!(purpose, Purpose::Derivative { .. });
    let given = entry.give(session, &mut arguments, derivative)?;
    let slots = slots(session, &entry, given, &arguments, purpose)?;
    check_result(session, &entry, purpose)?;
    let direction = direction(session, purpose)?;
    let along = direction.as_ref().map_or(Span::NONE, |direction| direction.span);
    let item = def(CALL, definition(&entry, &slots, purpose, direction));
    modules.main_mut().module.items.push(item);
    let mut prepared = compile(session, &modules)?;
    if let Some(fuel) = call.settings.fuel {
        with_fuel(&mut prepared.program, fuel);
    }
    prepared.check_open(session, &entry, &slots)?;
    let global = &inferred.typed.globals[id];
    let made = assemble(session, (engine, &call.settings), arguments, prepared, &slots)?;
    let argument = with_sizes(session, global, &slots, &made)?;
    Ok(Prepared { along, argument, ..made })
}

/// A parameter and where its value comes from.
struct Slot {
    name: String,
    /// The name of its variable in the definition that stands for the call.
    var: String,
    span: Span,
    given: Given,
    data: bool,
    wrt: bool,
}

fn slots(
    session: &mut Session<'_>,
    entry: &Entry,
    given: Vec<Given>,
    arguments: &Arguments,
    purpose: &Purpose<'_>,
) -> Result<Vec<Slot>, Stop> {
    let mut slots = Vec::new();
    for (position, (given, param)) in given.into_iter().zip(&entry.params).enumerate() {
        let span = match &given {
            Given::Arg(arg) => arg.span,
            Given::Input(name) => arguments.span_of(name),
        };
        if !param.is_data && matches!(given, Given::Input(_)) {
            let title = format!("the parameter `{}` is a function", param.name);
            let diagnostic = Diagnostic::error("E0817", span, title, "a file holds data only")
                .hint("give it as an argument on the command line: any expression will do");
            return session.fail(diagnostic);
        }
        slots.push(Slot {
            name: param.name.clone(),
            var: format!("__argument_{}", position + 1),
            span,
            given,
            data: param.is_data,
            wrt: param.is_data && param.has_reals,
        });
    }
    match purpose {
        Purpose::Derivative { wrt, .. } => select(session, entry, &mut slots, wrt)?,
        // Without a file all arguments are in the program, so they may stand where they are used.
        Purpose::Value if !arguments.has_input() => {
            slots.iter_mut().for_each(|slot| slot.data = false);
        }
        Purpose::Value => {}
    }
    Ok(slots)
}

/// Keeps `wrt` at the parameters named, or at all that can be differentiated if none are named.
fn select(
    session: &mut Session<'_>,
    entry: &Entry,
    slots: &mut [Slot],
    names: &[String],
) -> Result<(), Stop> {
    let possible: Vec<String> =
        slots.iter().filter(|slot| slot.wrt).map(|slot| slot.name.clone()).collect();
    for name in names {
        if possible.contains(name) {
            continue;
        }
        let title = if slots.iter().any(|slot| slot.name == *name) {
            format!("cannot differentiate with respect to `{name}`: it holds no Reals")
        } else {
            format!("`{}` has no parameter `{name}`", entry.name)
        };
        let hint = crate::suggest::did_you_mean(
            "differentiable parameter",
            name,
            possible.iter().map(String::as_str),
        );
        let diagnostic = Diagnostic::error("E0811", entry.span, title, "defined here").hint(hint);
        return session.fail(diagnostic);
    }
    if possible.is_empty() {
        let title = format!("`{}` has no parameter with Reals in it", entry.name);
        let diagnostic = Diagnostic::error("E0811", entry.span, title, "defined here")
            .note("a derivative is taken with respect to parameters that hold Reals")
            .hint("give the definition a parameter of type `Real`, or evaluate it with `pullback run`");
        return session.fail(diagnostic);
    }
    if !names.is_empty() {
        for slot in slots {
            slot.wrt = names.contains(&slot.name);
        }
    }
    Ok(())
}

fn check_result(
    session: &mut Session<'_>,
    entry: &Entry,
    purpose: &Purpose<'_>,
) -> Result<(), Stop> {
    let Purpose::Derivative { scalar: true, .. } = purpose else { return Ok(()) };
    if matches!(entry.result, Ty::Real | Ty::Param(_)) {
        return Ok(());
    }
    let title = format!("`{}` gives `{}`, not a Real", entry.name, entry.result_text);
    session.fail(
        Diagnostic::error("E0810", entry.span, title, "defined here")
            .note("a gradient is the derivative of one Real; other results have a Jacobian")
            .hint("use `pullback vjp` or `pullback jvp`, or `jacobian` in the program"),
    )
}

fn direction(session: &mut Session<'_>, purpose: &Purpose<'_>) -> Result<Option<Expr>, Stop> {
    let (what, text) = match purpose {
        Purpose::Derivative { direction: Some(Direction::Cotangent(text)), .. } => {
            ("cotangent", text)
        }
        Purpose::Derivative { direction: Some(Direction::Tangent(text)), .. } => ("tangent", text),
        Purpose::Derivative { direction: None, .. } | Purpose::Value => return Ok(None),
    };
    let mut exprs = expressions(session, what, &[(*text).to_owned()])?;
    Ok(exprs.pop())
}

/// The body of the definition that stands for the call; see the head of this file.
fn definition(
    entry: &Entry,
    slots: &[Slot],
    purpose: &Purpose<'_>,
    direction: Option<Expr>,
) -> Expr {
    let span = entry.span;
    let derivative = matches!(purpose, Purpose::Derivative { .. });
    let args = slots.iter().map(|slot| match &slot.given {
        Given::Arg(arg) if !slot.data => Expr::clone(arg),
        Given::Arg(_) | Given::Input(_) => {
            let value = var(&slot.var, slot.span);
            if derivative && !slot.wrt {
                app(var("stop_gradient", slot.span), vec![value], slot.span)
            } else {
                value
            }
        }
    });
    let mut body = app(var(&entry.name, span), args.collect(), span);
    if matches!(purpose, Purpose::Derivative { scalar: true, .. }) && entry.result != Ty::Real {
        body = ascribed_real(body);
    }
    let data: Vec<&Slot> = slots.iter().filter(|slot| slot.data).collect();
    let patterns = data.iter().map(|slot| bind(&slot.var, span)).collect();
    let function = lambda(patterns, body);

    let args: Vec<&Slot> =
        data.iter().copied().filter(|slot| matches!(slot.given, Given::Arg(_))).collect();
    let given = args.iter().map(|slot| var(&slot.var, slot.span)).collect();
    let mut parts = vec![var(&entry.name, span), tuple(given, span)];
    let whole: Vec<Expr> = data.iter().map(|slot| placeholder(slot)).collect();
    let checks = vec![app(var(&entry.name, span), whole, span)];
    let mut typed = None;
    if let Some(direction) = direction {
        // `\d -> d` for a direction: what it is applied to is read as one.
        let place = direction.span;
        let given = demand(along(entry, purpose, &data, place), var(DIRECTION, place));
        let name = if is_cotangent(purpose) { "__cotangent" } else { "__tangent" };
        typed = Some((name, lambda(vec![bind(DIRECTION, place)], given)));
        parts.push(app(var(name, place), vec![direction], place));
    }
    let body = checks.into_iter().rev().fold(tuple(parts, span), |body, check| demand(check, body));
    let body = match typed {
        Some((name, typed)) => bind_in(name, typed, body),
        None => body,
    };
    bind_args(&args, bind_in(&entry.name, function, body))
}

fn is_cotangent(purpose: &Purpose<'_>) -> bool {
    matches!(purpose, Purpose::Derivative { direction: Some(Direction::Cotangent(_)), .. })
}

/// The value of a slot where only its type matters.
fn placeholder(slot: &Slot) -> Expr {
    match slot.given {
        Given::Arg(_) => var(&slot.var, slot.span),
        Given::Input(_) => {
            let text =
                expr(ExprKind::Lit(pullback_syntax::ast::Literal::Str(String::new())), slot.span);
            app(var("error", slot.span), vec![text], slot.span)
        }
    }
}

fn bind_args(args: &[&Slot], body: Expr) -> Expr {
    args.iter().rev().fold(body, |body, slot| match &slot.given {
        Given::Arg(arg) => bind_in(&slot.var, Expr::clone(arg), body),
        Given::Input(_) => body,
    })
}

/// An application whose typing says that the direction has the type it needs.
fn along(entry: &Entry, purpose: &Purpose<'_>, data: &[&Slot], place: Span) -> Expr {
    let span = entry.span;
    let given = var(DIRECTION, place);
    // Inside, the parameters of the derivative are bound anew; the others are as they are given.
    let arguments = data
        .iter()
        .map(|slot| if slot.wrt { var(&slot.var, slot.span) } else { placeholder(slot) });
    let body = app(var(&entry.name, span), arguments.collect(), span);
    let wrt: Vec<&Slot> = data.iter().copied().filter(|slot| slot.wrt).collect();
    let names: Vec<String> = wrt.iter().map(|slot| slot.var.clone()).collect();
    let function = lambda(vec![bind_tuple(&names, span)], body);
    let point = tuple(wrt.iter().map(|slot| placeholder(slot)).collect(), span);
    if !is_cotangent(purpose) {
        return app(var("jvp", span), vec![function, point, given], place);
    }
    let call = app(var("vjp", span), vec![function, point], span);
    let index = pullback_base::Spanned { node: 1, span };
    let pullback = expr(ExprKind::TupleField { base: Box::new(call), index }, span);
    app(pullback, vec![given], place)
}

fn ascribed_real(body: Expr) -> Expr {
    let span = body.span;
    let path = Path { module: None, name: ident("Real", span) };
    let ty = TypeExpr { kind: TypeExprKind::Named { path, sizes: vec![], args: vec![] }, span };
    expr(ExprKind::Ascribe { expr: Box::new(body), ty: Box::new(ty) }, span)
}

/// The program with the call, elaborated.
struct Compiled {
    inferred: Inferred,
    program: Program,
    root: DefId,
}

fn compile(session: &mut Session<'_>, modules: &Modules) -> Result<Compiled, Stop> {
    let inferred = typed(session, modules);
    session.stop_on_errors()?;
    let id = inferred.entry(session, CALL)?;
    let (program, roots) = inferred.program(session, &[id])?;
    Ok(Compiled { inferred, program, root: roots[0] })
}

impl Compiled {
    /// The types of values from the input file must be known from the program alone.
    fn check_open(
        &self,
        session: &mut Session<'_>,
        entry: &Entry,
        slots: &[Slot],
    ) -> Result<(), Stop> {
        let Some((_, call)) = self.inferred.global(CALL) else { return Ok(()) };
        for (slot, param) in slots.iter().zip(&entry.params) {
            if matches!(slot.given, Given::Input(_)) && self.is_open(call, &param.ty) {
                let title = format!("the type of the parameter `{}` is open", slot.name);
                let diagnostic = Diagnostic::error("E0816", entry.span, title, "defined here")
                    .label(slot.span, "given here")
                    .note("a value of a file is read as the type that the program declares")
                    .hint(format!("declare it, for example `({}: Real)`", slot.name));
                return session.fail(diagnostic);
            }
        }
        Ok(())
    }
    /// Whether a parameter's type is a variable of which nothing is known, also in the call.
    fn is_open(&self, call: &Global, ty: &Ty) -> bool {
        let Ty::Param(_) = ty else { return false };
        let free: Vec<&ParamId> = call.params.iter().filter(|id| !is_number(call, **id)).collect();
        !free.is_empty()
    }
}

/// Whether a quantified type must be made of numbers.
fn is_number(global: &Global, id: ParamId) -> bool {
    global.constraints.iter().any(|constraint| {
        if let Constraint::Num(ty)
        | Constraint::Vector(ty)
        | Constraint::Scalar(ty)
        | Constraint::Ord(ty) = constraint
        {
            *ty == Ty::Param(id)
        } else {
            false
        }
    })
}

/// Evaluates the arguments, decodes the input, and adds the function `S -> T`.
fn assemble(
    session: &mut Session<'_>,
    (engine, settings): (&Engine, &Settings),
    mut arguments: Arguments,
    compiled: Compiled,
    slots: &[Slot],
) -> Result<Prepared, Stop> {
    let Compiled { mut program, root, .. } = compiled;
    name_as_written(&mut program, root, slots);
    let call = program.defs[root].ty.clone();
    let data: Vec<&Slot> = slots.iter().filter(|slot| slot.data).collect();
    let (types, result) = curried(call.component(0).ok_or(Stop)?, data.len())?;
    let from = if types.len() == 1 { types[0].clone() } else { Type::tuple(types.clone()) };
    let entry = written_function(&mut program, root);
    let function = match called_definition(&program, &entry) {
        Some(function) => function,
        None => add_function(&mut program, root, entry, from, data.len()),
    };
    let made = match engine.value(&Code::new(&program), root) {
        Ok(made) => made,
        Err(fault) => {
            watch_constant(session, settings, engine, &program, root);
            return session.fail(*fault);
        }
    };
    let made = made.as_tuple().unwrap_or_default();
    let from_args = data.iter().filter(|slot| matches!(slot.given, Given::Arg(_))).count();
    let mut args = components(made.get(1), from_args).into_iter();
    let mut values = Vec::new();
    let mut parts = Vec::new();
    for (slot, ty) in data.into_iter().zip(types) {
        values.push(match &slot.given {
            Given::Arg(_) => args.next().ok_or(Stop)?,
            Given::Input(name) => arguments.decode(session, &program, name, &ty)?,
        });
        let wrt = slot.wrt && pullback_lambda::contains_real(&program.datas, &ty);
        parts.push(Part { name: slot.name.clone(), ty, wrt });
    }
    let value = made.first().filter(|_| values.is_empty()).cloned();
    let argument = whole(values);
    let direction = made.get(2).cloned().zip(call.component(2).cloned());
    let along = Span::NONE;
    Ok(Prepared { program, function, argument, result, parts, direction, along, value })
}

/// What stands for the call is named as its author would: forms of the program are shown to people.
fn name_as_written(program: &mut Program, root: DefId, slots: &[Slot]) {
    for id in program.vars.ids() {
        let var = &mut program.vars[id];
        if let Some(slot) = slots.iter().find(|slot| var.name == slot.var) {
            var.name = slot.name.as_str().into();
        }
    }
    let mut name = "call".to_owned();
    while program.defs.iter().any(|def| def.name == name) {
        name.push('\'');
    }
    program.defs[root].name = name.into();
}

/// The argument, whose sizes are those that the entry declares, also where rows are absent.
fn with_sizes(
    session: &mut Session<'_>,
    global: &Global,
    slots: &[Slot],
    prepared: &Prepared,
) -> Result<Value, Stop> {
    if slots.iter().all(|slot| matches!(slot.given, Given::Arg(_))) {
        return Ok(prepared.argument.clone());
    }
    let positions: Vec<usize> = (0..slots.len()).filter(|at| slots[*at].data).collect();
    let values = components(Some(&prepared.argument), positions.len());
    let values: Vec<(usize, Value)> = positions.into_iter().zip(values).collect();
    let Some(wrong) = wrong_size(global, &values) else {
        return Ok(whole(with_declared_sizes(global, &values)));
    };
    let slot = &slots[wrong.param];
    let title = format!("the value of `{}` does not fit its parameter", slot.name);
    session.fail(
        Diagnostic::error("E0804", slot.span, title, wrong.words)
            .label(global.span, "the sizes are declared here"),
    )
}

/// The types of this many parameters, and of what is left.
pub fn curried(ty: &Type, count: usize) -> Result<(Vec<Type>, Type), Stop> {
    let mut params = Vec::new();
    let mut rest = ty.clone();
    for _ in 0..count {
        let (from, to) = rest.as_fun().map(|(from, to)| (from.clone(), to.clone())).ok_or(Stop)?;
        params.push(from);
        rest = to;
    }
    Ok((params, rest))
}

/// The function of a call (the first component of its definition): its text if that is closed, so that
/// engines see it at once, else whatever its definition evaluates to.
fn written_function(program: &mut Program, root: DefId) -> Term {
    let mut bound = BTreeMap::new();
    let mut body = &program.defs[root].body;
    while let TermKind::Let(var, value, rest) = &body.kind {
        bound.insert(*var, &**value);
        body = rest;
    }
    if let TermKind::Tuple(items) = &body.kind
        && let Some(TermKind::Var(var)) = items.first().map(|item| &item.kind)
        && let Some(function) = bound.get(var)
        && function.free_vars().is_empty()
    {
        let function = (*function).clone();
        return program.copy(&function);
    }
    let span = program.defs[root].span;
    Term::proj(program.global(root, span), 0, span)
}

/// The definition that a function of one parameter does nothing but call.
fn called_definition(program: &Program, function: &Term) -> Option<DefId> {
    let TermKind::Lam(params, body) = &function.kind else { return None };
    let ([param], TermKind::App(called, args)) = (&params[..], &body.kind) else { return None };
    let ([arg], TermKind::Global(def)) = (&args[..], &called.kind) else { return None };
    let TermKind::Lam(taken, _) = &program.defs[*def].body.kind else { return None };
    let direct = matches!(arg.kind, TermKind::Var(var) if var == *param);
    (direct && taken.len() == 1 && body.ty.as_fun().is_none()).then_some(*def)
}

/// Adds `\s -> entry s.0 s.1 …` with the name of `root`.
pub fn add_function(
    program: &mut Program,
    root: DefId,
    entry: Term,
    from: Type,
    count: usize,
) -> DefId {
    let Def { span, name, .. } = program.defs[root].clone();
    let point = program.fresh("s", from);
    let mut body = entry;
    let arg = program.var(point, span);
    let args: Vec<Term> = match (count, arg.ty.components()) {
        (0, _) => vec![],
        (1, _) | (_, None) => vec![arg],
        (_, Some(types)) => (types.into_iter().cloned().enumerate())
            .map(|(at, ty)| Term::new(TermKind::Proj(Box::new(arg.clone()), at), ty, span))
            .collect(),
    };
    let all_taken = matches!(&body.kind, TermKind::Lam(params, _) if params.len() == args.len());
    if all_taken && let TermKind::Lam(params, inner) = body.kind {
        body = Term::lets(params.into_iter().zip(args), *inner);
    } else if !args.is_empty() {
        let result = body.ty.after(count).unwrap_or_else(Type::unit);
        body = Term::new(TermKind::App(Box::new(body), args), result, span);
    }
    let body = program.lam(vec![point], body);
    program.defs.push(Def { name, ty: body.ty.clone(), body, span })
}

/// The value that has these components; one component is the value itself.
pub fn whole(mut components: Vec<Value>) -> Value {
    if components.len() == 1 { components.remove(0) } else { Value::tuple(components) }
}

/// The components of a tuple of `count`; one component is the value itself.
pub fn components(value: Option<&Value>, count: usize) -> Vec<Value> {
    match (value, count) {
        (Some(value), 1) => vec![value.clone()],
        (Some(value), _) => value.as_tuple().unwrap_or_default().to_vec(),
        (None, _) => vec![],
    }
}
