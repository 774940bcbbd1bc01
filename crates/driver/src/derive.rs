//! `run`, `grad`, `vjp`, `jvp`: values and derivatives of an entry.
//!
//! Input: a [`Call`]. Output: an [`Answer`], to be printed as text or JSON, or nothing if errors were
//! reported to the session.

use pullback_base::Name;
use pullback_engines::Mode;
use pullback_eval::Value;
use pullback_lambda::{
    AdOp, Def, DefId, Expr as Term, ExprKind as TermKind, Program, Type, tangent,
};

use crate::call::{Direction, Part, Prepared, Purpose, components, prepare};
use crate::engine::{Code, Engine};
use crate::output::{push_json_string, to_json, to_text};
use crate::request::Call;
use crate::session::{Session, Stop};
use crate::watch::{Run, watch};

/// A value, and what was asked for beside it.
pub struct Answer {
    program: Program,
    value: Value,
    ty: Type,
    derivative: Option<Derivative>,
}

struct Derivative {
    /// What text and JSON call it.
    noun: &'static str,
    /// One a parameter, or a single one without a name.
    parts: Vec<(Option<String>, Value, Type)>,
}

/// Evaluates an entry.
pub fn run(session: &mut Session<'_>, call: &Call) -> Result<Answer, Stop> {
    let engine = Engine::resolve(session, &call.settings)?;
    let prepared = prepare(session, call, &engine, &Purpose::Value)?;
    let watches = call.settings.warn_kinks || call.settings.trace_nan;
    if let Some(value) = prepared.value.clone().filter(|_| !watches) {
        let Prepared { program, result, .. } = prepared;
        return Ok(Answer { program, value, ty: result, derivative: None });
    }
    let found = watched(session, call, &engine, &prepared, &Mode::Value);
    let Prepared { program, result, .. } = prepared;
    let value = found?.0;
    Ok(Answer { program, value, ty: result, derivative: None })
}

/// Value and gradient of a Real-valued entry with respect to the parameters named, or all.
pub fn grad(session: &mut Session<'_>, call: &Call, wrt: &[String]) -> Result<Answer, Stop> {
    let engine = Engine::resolve(session, &call.settings)?;
    let purpose = Purpose::Derivative { wrt, scalar: true, direction: None };
    let prepared = prepare(session, call, &engine, &purpose)?;
    backwards(session, call, &engine, prepared, Value::Real(1.0), "gradient")
}

/// Value of an entry and the cotangents of its parameters for a cotangent of its result.
pub fn vjp(
    session: &mut Session<'_>,
    call: &Call,
    wrt: &[String],
    cotangent: &str,
) -> Result<Answer, Stop> {
    let engine = Engine::resolve(session, &call.settings)?;
    let direction = Some(Direction::Cotangent(cotangent));
    let purpose = Purpose::Derivative { wrt, scalar: false, direction };
    let mut prepared = prepare(session, call, &engine, &purpose)?;
    let (cotangent, _) = prepared.direction.take().ok_or(Stop)?;
    backwards(session, call, &engine, prepared, cotangent, "pullback")
}

/// Value of an entry and the tangent of its result for a tangent of its parameters.
pub fn jvp(
    session: &mut Session<'_>,
    call: &Call,
    wrt: &[String],
    tangent: &str,
) -> Result<Answer, Stop> {
    let engine = Engine::resolve(session, &call.settings)?;
    let direction = Some(Direction::Tangent(tangent));
    let purpose = Purpose::Derivative { wrt, scalar: false, direction };
    let mut prepared = prepare(session, call, &engine, &purpose)?;
    let (given, _) = prepared.direction.take().ok_or(Stop)?;
    let x_dot = whole_tangent(session, &engine, &mut prepared, &given)?;
    let mode = Mode::Jvp(x_dot);
    let (value, y_dot) = watched(session, call, &engine, &prepared, &mode)?;
    let Prepared { mut program, result, .. } = prepared;
    let ty = tangent_of(&mut program, &result)?;
    let derivative = Some(Derivative { noun: "tangent", parts: vec![(None, y_dot, ty)] });
    Ok(Answer { program, value, ty: result, derivative })
}

fn backwards(
    session: &mut Session<'_>,
    call: &Call,
    engine: &Engine,
    prepared: Prepared,
    cotangent: Value,
    noun: &'static str,
) -> Result<Answer, Stop> {
    let mode = Mode::Vjp(cotangent);
    let (value, x_bar) = watched(session, call, engine, &prepared, &mode)?;
    let Prepared { mut program, result, parts, .. } = prepared;
    let cotangents = components(Some(&x_bar), parts.len());
    let mut shown = Vec::new();
    for (Part { name, ty, wrt }, cotangent) in parts.into_iter().zip(cotangents) {
        if wrt {
            shown.push((Some(name), cotangent, tangent_of(&mut program, &ty)?));
        }
    }
    let derivative = Some(Derivative { noun, parts: shown });
    Ok(Answer { program, value, ty: result, derivative })
}

/// Runs a call and watches it as far as its settings ask for it. Gives value and derivative.
fn watched(
    session: &mut Session<'_>,
    call: &Call,
    engine: &Engine,
    prepared: &Prepared,
    mode: &Mode,
) -> Result<(Value, Value), Stop> {
    let Prepared { program, function, argument, parts, .. } = prepared;
    let found = engine.try_run(&Code::new(program), *function, argument.clone(), mode);
    let run = Run { engine, program, function: *function, argument, mode, parts };
    watch(session, &call.settings, &run, found.is_err());
    match found {
        Ok(answer) => Ok((answer.value, answer.derivative.unwrap_or(Value::Unit))),
        // A direction of another shape is found where there is no place in the program.
        Err(fault) if fault.code == "E0713" && fault.labels.is_empty() => {
            session.fail(fault.label(prepared.along, "given here"))
        }
        Err(fault) => session.fail(*fault),
    }
}

fn tangent_of(program: &mut Program, ty: &Type) -> Result<Type, Stop> {
    tangent(&mut program.datas, ty).ok_or(Stop)
}

/// The tangent of all parameters: what was given for those differentiated, zeros for the others.
fn whole_tangent(
    session: &mut Session<'_>,
    engine: &Engine,
    prepared: &mut Prepared,
    given: &Value,
) -> Result<Value, Stop> {
    let wrt = prepared.parts.iter().filter(|part| part.wrt).count();
    let mut given = components(Some(given), wrt).into_iter();
    let zeros = add_zeros(&mut prepared.program, prepared.function)?;
    let argument = prepared.argument.clone();
    let code = Code::new(&prepared.program);
    let zeros = engine.run(session, &code, zeros, argument, &Mode::Value)?.value;
    let mut tangents = components(Some(&zeros), prepared.parts.len());
    for (tangent, part) in tangents.iter_mut().zip(&prepared.parts) {
        if part.wrt {
            *tangent = given.next().ok_or(Stop)?;
        }
    }
    Ok(if tangents.len() == 1 { tangents.remove(0) } else { Value::tuple(tangents) })
}

/// Adds `\s -> zeros s` for the parameter of a function.
fn add_zeros(program: &mut Program, function: DefId) -> Result<DefId, Stop> {
    let Def { ty, span, .. } = program.defs[function].clone();
    let (from, _) = ty.as_fun().ok_or(Stop)?;
    let to = tangent_of(program, from)?;
    let point = program.fresh("s", from.clone());
    let arg = program.var(point, span);
    let zeros = Term::new(TermKind::Ad(AdOp::Zeros, vec![arg]), to, span);
    let body = program.lam(vec![point], zeros);
    Ok(program.defs.push(Def { name: Name::new("__zeros"), ty: body.ty.clone(), body, span }))
}

impl Answer {
    /// The answer in Pullback notation: the value alone, or value and derivative on lines of their own.
    pub fn text(&self) -> String {
        let value = to_text(&self.program, &self.value, &self.ty);
        let Some(derivative) = &self.derivative else { return value };
        let mut text = format!("value: {value}\n{}:", derivative.noun);
        for (name, part, ty) in &derivative.parts {
            let part = to_text(&self.program, part, ty);
            match name {
                Some(name) => text.push_str(&format!("\n  {name} = {part}")),
                None => text.push_str(&format!(" {part}")),
            }
        }
        text
    }
    /// The answer as JSON: the value alone, or an object with value and derivative.
    pub fn json(&self) -> String {
        let value = to_json(&self.program, &self.value, &self.ty);
        let Some(derivative) = &self.derivative else { return value };
        let mut text = format!("{{\"value\": {value}, \"{}\": ", derivative.noun);
        if let [(None, part, ty)] = derivative.parts.as_slice() {
            text.push_str(&to_json(&self.program, part, ty));
        } else {
            text.push('{');
            for (index, (name, part, ty)) in derivative.parts.iter().enumerate() {
                if index > 0 {
                    text.push_str(", ");
                }
                push_json_string(&mut text, name.as_deref().unwrap_or_default());
                text.push_str(": ");
                text.push_str(&to_json(&self.program, part, ty));
            }
            text.push('}');
        }
        text.push('}');
        text
    }
}
