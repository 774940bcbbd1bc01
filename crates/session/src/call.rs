//! A call made ready: the program with a function `S -> T` for the entry, and its argument.
//!
//! Input: a [`Call`]. Output: a [`Prepared`] program. `S` is the tuple of the data the entry is given
//! (the datum itself if there is one only); arguments that are functions are captured. Inference types
//! the entry, its arguments and the direction together, so that the literal in `grad f 3` is a Real if
//! `f` wants one; [`crate::wrap`] then makes the function in the calculus. Nothing is added as text: the
//! expressions of the command line are all that is looked up by name.

use pullback_base::{Diagnostic, Name, Span};
use pullback_compile::Mode;
use pullback_eval::Value;
use pullback_lambda::{DefId, Program, Type, tangent};
use pullback_reduce::with_fuel;
use pullback_syntax::ast::Expr;
use pullback_types::tir::{Global, GlobalId};
use pullback_types::ty::Ty;
use pullback_types::{Argument, Call as Question, Direction as Along, InCharts};

use crate::arguments::{Arguments, Inputs, expressions};
use crate::bug::bug;
use crate::charts;
use crate::engine::{Code, Engine};
use crate::entry::{Entry, Given};
use crate::load::{Modules, load};
use crate::parts::{Part, Slot, components, whole};
use crate::pipeline::typed;
use crate::query::{Query, Stop};
use crate::settings::{Call, Settings};
use crate::sizes::{with_declared_sizes, wrong_size};
use crate::watch::watch_constant;
use crate::wrap::{Wrapped, wrap};

/// What a call is made ready for.
pub enum Purpose<'a> {
    /// Its value.
    Value,
    /// Its values and derivatives, as numbers vary.
    Samples,
    /// What it takes to compute it, and derivatives of it if it has any: with respect to parameters as below.
    Times(&'a [String]),
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
    pub code: Code,
    /// `S -> T`
    pub function: DefId,
    /// `S`
    pub argument: Value,
    /// `T`
    pub result: Type,
    /// The type of tangents of the result, if it is data.
    pub result_tangent: Option<Type>,
    /// The parameters in `S`.
    pub parts: Vec<Part>,
    /// The value of the entry, where the function gives the displacement from it.
    pub value: Option<Value>,
    /// Where the entry is defined.
    pub entry: Span,
    /// Where the direction is written.
    pub along: Span,
    /// The value of the direction.
    direction: Option<Value>,
}

impl Prepared {
    /// The direction of a call that was made ready with one.
    pub fn take_direction(&mut self) -> Value {
        self.direction.take().unwrap_or_else(|| bug("the call was made ready with a direction"))
    }
    /// The same call of a program that differs in the bodies of definitions.
    pub fn with_program(&self, program: Program) -> Self {
        Self {
            code: Code::new(program),
            function: self.function,
            argument: self.argument.clone(),
            result: self.result.clone(),
            result_tangent: self.result_tangent.clone(),
            parts: self.parts.clone(),
            value: self.value.clone(),
            entry: self.entry,
            along: self.along,
            direction: self.direction.clone(),
        }
    }
}

/// Makes a call ready.
pub fn prepare(
    query: &mut Query<'_>,
    call: &Call,
    engine: &Engine,
    purpose: &Purpose<'_>,
) -> Result<Prepared, Stop> {
    let modules = load(query, &call.file)?;
    prepare_in(query, &modules, call, &mut Inputs::shared_by(1), engine, purpose)
}

/// Makes a call ready in modules that are loaded, as calls share them and their input files: a stream can be read only once.
pub fn prepare_in(
    query: &mut Query<'_>,
    modules: &Modules,
    call: &Call,
    inputs: &mut Inputs,
    engine: &Engine,
    purpose: &Purpose<'_>,
) -> Result<Prepared, Stop> {
    let mut inferred = typed(query, modules);
    query.stop_on_errors()?;
    let expr = match &call.expression {
        Some(text) => expressions(query, "expression", std::slice::from_ref(text))?.pop(),
        None => None,
    };
    let id = match &expr {
        Some(expr) => inferred.asked(query, expr)?,
        None => inferred.entry(query, &call.entry)?,
    };
    let global = inferred.typed().globals[id].clone();
    let module = expr.is_none().then_some(&modules.main().module);
    let entry = Entry::new(inferred.typed(), module, &global);
    let mut arguments = Arguments::read(query, call, inputs, &engine.limits())?;
    let derivative = matches!(purpose, Purpose::Derivative { .. } | Purpose::Times(_));
    let given = entry.give(query, &mut arguments)?;
    let slots = slots(query, &entry, given, &arguments, purpose)?;
    check_result(query, &entry, purpose)?;
    let direction = direction(query, purpose)?;
    let question = question(id, &slots, purpose, direction.as_ref());
    let (root, charts) = inferred.call(query, &question)?;
    let types = parameters(&inferred.typed().globals[root], slots.len());
    check_open(query, &entry, &slots, &types)?;
    let slots = capture_functions(query, &entry, slots.clone(), &types, purpose)?;
    let slots = charts::with_values(slots, &charts);
    let (mut program, roots) = inferred.program(query, &[root])?;
    let wrapped = wrap(&mut program, roots[0], &slots, &charts, derivative);
    let value = wrapped.value;
    if let Some(fuel) = call.settings.fuel {
        with_fuel(&mut program, fuel);
    }
    let ready = (program, wrapped);
    let settings = (engine, &call.settings);
    let mut prepared = assemble(query, settings, arguments, ready, (&entry, &slots))?;
    prepared.argument = with_sizes(query, &global, (&slots, &charts), &prepared)?;
    if let Some(value) = value {
        hold(query, engine, &mut prepared, value)?;
    }
    prepared.along = direction.map_or(Span::NONE, |direction| direction.span);
    Ok(prepared)
}

/// The positions of the parameters that a derivative is with respect to, in the order in which they are named: so a
/// derivative has its parts. Where none are named, all are as the definition has them.
pub fn in_order<'n>(params: impl Iterator<Item = (&'n str, bool)>, named: &[String]) -> Vec<usize> {
    let mut positions: Vec<(Option<usize>, usize)> = params
        .enumerate()
        .filter(|(_, (_, is_wrt))| *is_wrt)
        .map(|(at, (name, _))| (named.iter().position(|other| other == name), at))
        .collect();
    positions.sort_unstable();
    positions.into_iter().map(|(_, at)| at).collect()
}

/// What inference is asked: the entry with what each parameter is given.
fn question<'s>(
    entry: GlobalId,
    slots: &'s [Slot],
    purpose: &Purpose<'_>,
    direction: Option<&'s Expr>,
) -> Question<'s> {
    let derivative = !matches!(purpose, Purpose::Value);
    let arguments = slots.iter().map(|slot| Argument {
        expr: match &slot.given {
            Given::Arg(expr) | Given::Free(expr) => Some(&**expr),
            Given::Input(_) | Given::Zeros(_) | Given::Message => None,
        },
        span: slot.span,
        is_data: derivative && slot.data,
    });
    let named: &[String] = match purpose {
        Purpose::Derivative { wrt, .. } => wrt,
        Purpose::Value | Purpose::Samples | Purpose::Times(_) => &[],
    };
    let wrt = in_order(slots.iter().map(|slot| (&*slot.name, slot.wrt)), named);
    let direction = direction.map(|direction| match purpose {
        Purpose::Derivative { direction: Some(Direction::Tangent(_)), .. } => {
            let named = |at: usize| (at, Name::new(&slots[at].name));
            Along::Tangent(direction, wrt.into_iter().map(named).collect())
        }
        Purpose::Derivative { .. } | Purpose::Value | Purpose::Samples | Purpose::Times(_) => {
            Along::Cotangent(direction)
        }
    });
    Question {
        entry,
        arguments: arguments.collect(),
        real_result: matches!(purpose, Purpose::Derivative { scalar: true, .. }),
        data_result: direction.is_some(),
        direction,
    }
}

fn slots(
    query: &mut Query<'_>,
    entry: &Entry,
    given: Vec<Given>,
    arguments: &Arguments,
    purpose: &Purpose<'_>,
) -> Result<Vec<Slot>, Stop> {
    let mut slots = Vec::new();
    for (given, param) in given.into_iter().zip(&entry.params) {
        let span = given.span();
        if !param.is_data && matches!(given, Given::Input(_)) {
            let title = format!("the parameter `{}` is a function", param.name);
            let diagnostic = Diagnostic::error("E0817", span, title, "a file holds data only")
                .hint("give it as an argument on the command line: any expression will do");
            return query.fail(diagnostic);
        }
        slots.push(Slot {
            name: param.name.clone(),
            span,
            given,
            data: param.is_data,
            wrt: param.is_data && param.has_reals,
        });
    }
    let varies = slots.iter().any(|slot| matches!(slot.given, Given::Free(_)));
    let has_data = arguments.has_input() || varies;
    match purpose {
        Purpose::Derivative { wrt, .. } => select(query, entry, &mut slots, wrt)?,
        Purpose::Times([]) if !slots.is_empty() => {}
        Purpose::Times(wrt) => select(query, entry, &mut slots, wrt)?,
        // Without a file all arguments are in the program, so they may stand where they are used.
        Purpose::Value | Purpose::Samples if !has_data => {
            slots.iter_mut().for_each(|slot| slot.data = false);
        }
        Purpose::Samples | Purpose::Value => {}
    }
    Ok(slots)
}

/// Keeps `wrt` at the parameters named, or at all that can be differentiated if none are named.
fn select(
    query: &mut Query<'_>,
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
        let hint = pullback_base::did_you_mean(
            "differentiable parameter",
            name,
            possible.iter().map(String::as_str),
        );
        let diagnostic = Diagnostic::error("E0811", entry.span, title, "defined here").hint(hint);
        return query.fail(diagnostic);
    }
    if possible.is_empty() {
        let title = format!("`{}` has no parameter with Reals in it", entry.name);
        let diagnostic = Diagnostic::error("E0811", entry.span, title, "defined here")
            .note("a derivative is taken with respect to parameters that hold Reals")
            .hint("give the definition a parameter of type `Real`, or evaluate it with `pullback run`");
        return query.fail(diagnostic);
    }
    if !names.is_empty() {
        for slot in slots {
            slot.wrt = names.contains(&slot.name);
        }
    }
    Ok(())
}

fn check_result(query: &mut Query<'_>, entry: &Entry, purpose: &Purpose<'_>) -> Result<(), Stop> {
    let Purpose::Derivative { scalar: true, .. } = purpose else { return Ok(()) };
    if matches!(entry.result, Ty::Real | Ty::Param(_)) {
        return Ok(());
    }
    let title = format!("`{}` gives `{}`, not a Real", entry.name, entry.result_text);
    query.fail(
        Diagnostic::error("E0810", entry.span, title, "defined here")
            .note("a gradient is the derivative of one Real; other results have a Jacobian")
            .hint("use `pullback vjp` or `pullback jvp`, or `jacobian` in the program"),
    )
}

fn direction(query: &mut Query<'_>, purpose: &Purpose<'_>) -> Result<Option<Expr>, Stop> {
    let (what, text) = match purpose {
        Purpose::Derivative { direction: Some(Direction::Cotangent(text)), .. } => {
            ("cotangent", text)
        }
        Purpose::Derivative { direction: Some(Direction::Tangent(text)), .. } => ("tangent", text),
        Purpose::Derivative { direction: None, .. }
        | Purpose::Value
        | Purpose::Samples
        | Purpose::Times(_) => return Ok(None),
    };
    let mut exprs = expressions(query, what, &[(*text).to_owned()])?;
    Ok(exprs.pop())
}

/// The types that the parameters of an entry have in a call. `call` is what inference added for it, whose
/// first part is the entry as the call uses it.
fn parameters(call: &Global, count: usize) -> Vec<Ty> {
    let Ty::Tuple(parts) = &call.ty else { bug("a call is typed as the tuple of its parts") };
    let mut rest = &parts[0];
    let next = |_| {
        let Ty::Fun(from, to) = rest else { bug("an entry has a parameter for each argument") };
        rest = to;
        Ty::clone(from)
    };
    (0..count).map(next).collect()
}

/// The types of values from the input file must be known from the program alone.
fn check_open(
    query: &mut Query<'_>,
    entry: &Entry,
    slots: &[Slot],
    types: &[Ty],
) -> Result<(), Stop> {
    for (slot, ty) in slots.iter().zip(types) {
        if matches!(slot.given, Given::Input(_)) && matches!(ty, Ty::Param(_)) {
            let title = format!("the type of the parameter `{}` is open", slot.name);
            let diagnostic = Diagnostic::error("E0816", entry.span, title, "defined here")
                .label(slot.span, "given here")
                .note("a value of a file is read as the type that the program declares")
                .hint(format!("declare it, for example `({}: Real)`", slot.name));
            return query.fail(diagnostic);
        }
    }
    Ok(())
}

/// A parameter of any type that is given a function is captured, as one that is declared as a function is.
fn capture_functions(
    query: &mut Query<'_>,
    entry: &Entry,
    mut slots: Vec<Slot>,
    types: &[Ty],
    purpose: &Purpose<'_>,
) -> Result<Vec<Slot>, Stop> {
    for (slot, ty) in slots.iter_mut().zip(types) {
        if matches!(ty, Ty::Fun(..)) {
            (slot.data, slot.wrt) = (false, false);
        }
    }
    if let Purpose::Derivative { wrt, .. } = purpose {
        select(query, entry, &mut slots, wrt)?;
    }
    Ok(slots)
}

/// Evaluates the arguments and the direction, and decodes the input.
fn assemble(
    query: &mut Query<'_>,
    (engine, settings): (&Engine, &Settings),
    mut arguments: Arguments,
    (mut program, wrapped): (Program, Wrapped),
    (entry, slots): (&Entry, &[Slot]),
) -> Result<Prepared, Stop> {
    let Wrapped { function, constants, zeros, types, result, derived, .. } = wrapped;
    let data: Vec<&Slot> = slots.iter().filter(|slot| slot.data).collect();
    let mut parts = Vec::new();
    for (slot, ty) in data.iter().zip(&types) {
        let Some(tangent) = tangent(&mut program.datas, ty) else {
            bug("what a derivative is taken with respect to is data")
        };
        let wrt = slot.wrt && pullback_lambda::contains_real(&program.datas, ty);
        let is_free = matches!(slot.given, Given::Free(_));
        parts.push(Part { name: slot.name.clone(), tangent, wrt, is_free });
    }
    let result_tangent = tangent(&mut program.datas, &derived);
    let code = Code::new(program);
    let mut constants = match constants {
        Some((def, count)) => match engine.for_arguments().value(&code, def) {
            Ok(values) => components(&values, count).into_iter(),
            Err(fault) => {
                watch_constant(query, settings, engine, &code, def);
                return query.fail(*fault);
            }
        },
        None => vec![].into_iter(),
    };
    let mut values = Vec::new();
    for (slot, ty) in data.iter().zip(&types) {
        values.push(match &slot.given {
            Given::Arg(_) | Given::Free(_) => {
                constants.next().unwrap_or_else(|| bug("each argument has been evaluated"))
            }
            Given::Input(offer) => arguments.decode(query, code.program(), offer, ty)?,
            // That of the value, which comes later.
            Given::Zeros(_) => Value::unit(),
            Given::Message => bug("a call of the command line is given no messages"),
        });
    }
    charts::fill_zeros(query, engine, &code, (&data, &zeros), &mut values)?;
    arguments.report_unused(query, &entry.name, &entry.parameter_names());
    let (argument, direction) = (whole(values), constants.next());
    let (entry, along) = (entry.span, Span::NONE);
    Ok(Prepared {
        code,
        function,
        argument,
        result,
        result_tangent,
        parts,
        value: None,
        entry,
        along,
        direction,
    })
}

/// Evaluates the entry and holds its value, from which the function gives the displacement.
fn hold(
    query: &mut Query<'_>,
    engine: &Engine,
    prepared: &mut Prepared,
    value_of: DefId,
) -> Result<(), Stop> {
    let argument = prepared.argument.clone();
    // The run of the derivative tells the lines of `debug`.
    let engine = engine.for_arguments().quiet();
    let value = match engine.try_run(&prepared.code, value_of, argument, &Mode::Value) {
        Ok(answer) => answer.value,
        Err(fault) => return query.fail(*fault),
    };
    let mut values = components(&prepared.argument, prepared.parts.len());
    values.push(value.clone());
    prepared.argument = whole(values);
    let mut program = prepared.code.program().clone();
    let Some(tangent) = tangent(&mut program.datas, &prepared.result) else {
        bug("a result with a tangent type is data")
    };
    prepared.code = Code::new(program);
    prepared.parts.push(Part { name: String::new(), tangent, wrt: false, is_free: false });
    prepared.value = Some(value);
    Ok(())
}

/// The argument, whose sizes are those that the entry declares, also where rows are absent.
fn with_sizes(
    query: &mut Query<'_>,
    global: &Global,
    (slots, charts): (&[Slot], &InCharts),
    prepared: &Prepared,
) -> Result<Value, Stop> {
    if slots.iter().all(|slot| matches!(slot.given, Given::Arg(_) | Given::Free(_))) {
        return Ok(prepared.argument.clone());
    }
    let data: Vec<usize> = (0..slots.len()).filter(|at| slots[*at].data).collect();
    let mut all = components(&prepared.argument, data.len());
    let of_entry = charts::of_entry(slots, charts, &data);
    let (positions, values) = of_entry.iter().map(|(at, param)| (*param, all[*at].clone())).unzip();
    let values: Vec<(usize, Value)> = std::iter::zip::<Vec<_>, Vec<_>>(positions, values).collect();
    let Some(wrong) = wrong_size(global, &values) else {
        for ((at, _), value) in of_entry.iter().zip(with_declared_sizes(global, &values)) {
            all[*at] = value;
        }
        return Ok(whole(all));
    };
    let slot = &slots[wrong.param];
    let title = format!("the value of `{}` does not fit its parameter", slot.name);
    query.fail(
        Diagnostic::error("E0804", slot.span, title, wrong.words)
            .label(global.span, "the sizes are declared here"),
    )
}
