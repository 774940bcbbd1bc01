//! What flows back to functions at run time: lists of calls or tagged packages, made visible.
//!
//! Lists are compared by the paper's equivalence (§4.1): calls at equal arguments are one call with
//! the sum of the cotangents, and a call with a zero cotangent is no call.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::rc::Rc;

use pullback_base::{Diagnostic, Name};
use pullback_lambda::eval::{Machine, NoEngine, Options, Value, compile, equal, walk};
use pullback_lambda::{DefId, Program, Type, TypeKind, VarId};

use super::code::{Code, Style};
use super::types::{APPEND, CALL, SOME, ZERO, owned_components};

/// A cotangent as data.
#[derive(Clone, Debug, PartialEq)]
pub enum Seen {
    /// The structural zero.
    Zero,
    /// A number.
    Real(f64),
    /// The components of a tuple.
    Parts(Vec<Seen>),
    /// Anything else, as the evaluator has it.
    Other(String),
}

/// What has arrived at a function that a program made with `curry`.
#[derive(Clone, Debug)]
pub enum Arrived {
    /// Arguments with the cotangents of their results.
    Calls(Vec<(Value, Seen)>),
    /// A package: the tag of the `curry` it belongs to, and the environment's cotangents by name.
    Environment {
        /// The tag.
        tag: usize,
        /// The components.
        fields: Vec<(Name, Seen)>,
    },
}

/// What arrives at each function that the body of a definition names and that captures something,
/// when the cotangent of the result is 1 everywhere: names and tangents, the last function first.
pub fn function_tangents(
    program: &Program,
    def: DefId,
    argument: Value,
    style: Style,
) -> Result<Vec<(Name, Arrived)>, Box<Diagnostic>> {
    let mut program = program.clone();
    let def = crate::source::unary(&mut program, def);
    let (from, to) = super::signature(&program, def);
    let mut code = Code::new(&mut program, style);
    if !code.is_active(&from) || !code.is_active(&to) {
        return Ok(vec![]);
    }
    let (watching, watched, names) = watching(&mut code, def, &to);
    if let Some(problem) = code.problem.take() {
        return Err(problem);
    }
    let image = compile(&program);
    let mut machine = Machine::new(&image, Rc::new(NoEngine), Options::default());
    let plain = machine.global(def)?;
    let value = machine.call(plain, vec![argument.clone()])?;
    let count = walk::real_leaves(&value).map_or(0, |leaves| leaves.len());
    let Ok(ones) = walk::tangent_of(&value, (0..count).map(|_| Value::Real(1.0))) else {
        return Ok(vec![]);
    };
    let function = machine.global(watching)?;
    let found = machine.call(function, vec![argument, ones])?;
    let found = match (found.as_tuple(), watched.len()) {
        (_, 1) => vec![found],
        (Some(items), _) => items.to_vec(),
        (None, _) => vec![],
    };
    let mut arrived = vec![];
    for ((site, ty), value) in watched.into_iter().zip(found) {
        let name = program.vars[site].name.clone();
        arrived.push((name, decoded(&value, &ty, &names, style)));
    }
    Ok(arrived)
}

/// The captured names of a package, by tag.
type Names = BTreeMap<usize, Vec<(Name, Type)>>;

/// `\x y_bar -> what arrives at functions`
fn watching(code: &mut Code<'_>, def: DefId, to: &Type) -> (DefId, Vec<(VarId, Type)>, Names) {
    let source = code.program.defs[def].clone();
    let span = source.span;
    code.span = span;
    let (params, body) = super::translate::uncurried(&source.body);
    let comb = super::translate::translate(code.program, body);
    let params: Vec<VarId> = params.iter().map(|var| code.parameter(*var)).collect();
    let bar_type = code.tangent(to);
    let (bar_var, given) = code.fresh("y_bar", bar_type);
    code.watched = Some(vec![]);
    code.open();
    let (value, pull) = code.forward(&comb);
    let pullback = code.pullback_to(&pull, to, &mut |code, zero| {
        let watched = code.watched.clone().unwrap_or_default();
        let mut items = vec![];
        for (_, ty, found) in watched {
            items.push(if zero { code.zero(&ty) } else { found });
        }
        code.pack(items)
    });
    let pullback = code.emit("pb", pullback);
    let y_bar = code.inject(value, given, to);
    let found = code.apply(pullback, vec![y_bar]);
    let body = code.close(found);
    let mut all = params;
    all.push(bar_var);
    let body = code.program.lam(all, body);
    let place = code.reserve("watched", body.ty.clone());
    code.program.defs[place].body = body;
    let sites: Vec<(VarId, Type)> = code
        .watched
        .take()
        .unwrap_or_default()
        .into_iter()
        .map(|(site, ty, _)| (site, ty))
        .collect();
    let mut names = Names::new();
    for (index, captured) in code.package_vars.clone().iter().enumerate() {
        let vars = captured.iter().map(|var| {
            let var = &code.program.vars[*var];
            (var.name.clone(), var.ty.clone())
        });
        names.insert(index + 1, vars.collect());
    }
    code.finish();
    (place, sites, names)
}

fn decoded(value: &Value, ty: &Type, names: &Names, style: Style) -> Arrived {
    if style == Style::Env {
        let Some((tag, items)) = value.as_data() else {
            return Arrived::Environment { tag: ZERO, fields: vec![] };
        };
        let named = names.get(&tag).cloned().unwrap_or_default();
        let fields = named.into_iter().zip(items);
        let fields = fields.map(|((name, ty), item)| (name, seen(item, &ty))).collect();
        return Arrived::Environment { tag, fields };
    }
    let result = ty.as_fun().map_or_else(Type::unit, |(_, to)| to.clone());
    let mut calls = vec![];
    let mut work = vec![value.clone()];
    while let Some(value) = work.pop() {
        if let Some((CALL, [argument, bar])) = value.as_data() {
            calls.push((argument.clone(), seen(bar, &result)));
        } else if let Some((APPEND, [left, right])) = value.as_data() {
            work.extend([right.clone(), left.clone()]);
        }
    }
    Arrived::Calls(calls)
}

/// A cotangent of this type as data.
fn seen(value: &Value, ty: &Type) -> Seen {
    match (ty.kind(), value.as_data()) {
        (_, Some((ZERO, _))) => Seen::Zero,
        (TypeKind::Real, Some((SOME, [number]))) => number.as_real().map_or(Seen::Zero, Seen::Real),
        (TypeKind::Tuple(_) | TypeKind::Record(_), Some((SOME, items)))
            if items.len() == owned_components(ty).len() =>
        {
            let types = owned_components(ty);
            Seen::Parts(items.iter().zip(&types).map(|(item, ty)| seen(item, ty)).collect())
        }
        _ => Seen::Other(format!("{value:?}")),
    }
}

impl Seen {
    /// Whether it is zero, structurally or by number.
    pub fn is_zero(&self) -> bool {
        match self {
            Self::Zero => true,
            Self::Real(x) => *x == 0.0,
            Self::Parts(parts) => parts.iter().all(Self::is_zero),
            Self::Other(_) => false,
        }
    }

    fn plus(self, other: Self) -> Self {
        match (self, other) {
            (Self::Zero, seen) | (seen, Self::Zero) => seen,
            (Self::Real(a), Self::Real(b)) => Self::Real(a + b),
            (Self::Parts(a), Self::Parts(b)) => {
                Self::Parts(a.into_iter().zip(b).map(|(a, b)| a.plus(b)).collect())
            }
            (a, b) => Self::Other(format!("{a:?} + {b:?}")),
        }
    }

    fn is_close(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Real(a), Self::Real(b)) => (a - b).abs() <= 1e-9 * (1.0 + b.abs()),
            (Self::Parts(a), Self::Parts(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.is_close(b))
            }
            (a, b) => a == b || (a.is_zero() && b.is_zero()),
        }
    }

    fn text(&self) -> String {
        match self {
            Self::Zero => "0".to_string(),
            Self::Real(x) => format!("{x:?}"),
            Self::Parts(parts) => {
                let parts: Vec<String> = parts.iter().map(Self::text).collect();
                format!("({})", parts.join(", "))
            }
            Self::Other(text) => text.clone(),
        }
    }
}

/// The normal form of a list: each argument once, in order of first call, without zeros.
fn normal(calls: &[(Value, Seen)]) -> Vec<(Value, Seen)> {
    let mut merged: Vec<(Value, Seen)> = vec![];
    for (argument, seen) in calls {
        match merged.iter_mut().find(|(known, _)| equal(known, argument)) {
            Some((_, total)) => *total = std::mem::replace(total, Seen::Zero).plus(seen.clone()),
            None => merged.push((argument.clone(), seen.clone())),
        }
    }
    merged.retain(|(_, seen)| !seen.is_zero());
    merged
}

/// Whether two tangents of a function are equivalent: `[(x, 0)] ~ []` and
/// `[(x, g), (x, h)] ~ [(x, g + h)]`; packages by component.
pub fn equivalent(left: &Arrived, right: &Arrived) -> bool {
    match (left, right) {
        (Arrived::Calls(left), Arrived::Calls(right)) => {
            let (left, right) = (normal(left), normal(right));
            left.len() == right.len()
                && left.iter().all(|(argument, seen)| {
                    let other = right.iter().find(|(known, _)| equal(known, argument));
                    other.is_some_and(|(_, other)| seen.is_close(other))
                })
        }
        (Arrived::Environment { fields: left, .. }, Arrived::Environment { fields: right, .. }) => {
            let all_zero = |fields: &[(Name, Seen)]| fields.iter().all(|(_, seen)| seen.is_zero());
            (all_zero(left) && all_zero(right))
                || (left.len() == right.len()
                    && left.iter().zip(right).all(|((_, a), (_, b))| a.is_close(b)))
        }
        (Arrived::Calls(_), Arrived::Environment { .. })
        | (Arrived::Environment { .. }, Arrived::Calls(_)) => false,
    }
}

/// The stage of `curry-list`: the lists that arrive at the functions a definition names.
pub fn show_list(
    program: &Program,
    def: DefId,
    argument: Option<Value>,
) -> Result<String, Box<Diagnostic>> {
    show(program, def, argument, Style::List)
}

/// The stage of `curry-env`: the packages that arrive at the functions a definition names.
pub fn show_env(
    program: &Program,
    def: DefId,
    argument: Option<Value>,
) -> Result<String, Box<Diagnostic>> {
    show(program, def, argument, Style::Env)
}

fn show(
    program: &Program,
    def: DefId,
    argument: Option<Value>,
    style: Style,
) -> Result<String, Box<Diagnostic>> {
    let argument = crate::engine::needed(argument)?;
    let mut out = String::from("-- what flows back to functions when 1 flows back to the result\n");
    let found = function_tangents(program, def, argument, style)?;
    if found.is_empty() {
        out.push_str("-- this definition names no function that captures a differentiable value\n");
    }
    for (name, arrived) in found {
        let tangent = match arrived {
            Arrived::Calls(calls) => {
                let calls: Vec<String> = calls
                    .iter()
                    .map(|(argument, seen)| {
                        format!("({}, {})", argument_text(argument), seen.text())
                    })
                    .collect();
                format!("[{}]", calls.join(", "))
            }
            Arrived::Environment { tag, fields } => {
                let fields: Vec<String> =
                    fields.iter().map(|(name, seen)| format!("{name} = {}", seen.text())).collect();
                let package = if tag == ZERO { "0".to_string() } else { format!("Env{tag}") };
                format!("{package} {{{}}}", fields.join(", "))
            }
        };
        // Writing to a string cannot fail.
        let _ = writeln!(out, "{name}_bar = {tangent}");
    }
    Ok(out)
}

fn argument_text(value: &Value) -> String {
    if let Some(x) = value.as_real() {
        return format!("{x:?}");
    }
    if let Some(n) = value.as_int() {
        return n.to_string();
    }
    if let Some(items) = value.as_tuple() {
        let items: Vec<String> = items.iter().map(argument_text).collect();
        return format!("({})", items.join(", "));
    }
    if value.is_function() { "<function>".to_string() } else { format!("{value:?}") }
}
