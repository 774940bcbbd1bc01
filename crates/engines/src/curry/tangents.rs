//! What flows back to functions at run time: lists of calls or tagged packages, made visible.
//!
//! Watched are the functions that the body of a definition makes as values, also in callees and in the branches that
//! the run takes ([`super::unfolding`]), outside other functions: one function of the text, one cotangent.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::rc::Rc;

use pullback_base::{Diagnostic, Name, bug};
use pullback_eval::{Machine, NoEngine, Options, Value, compile, walk};
use pullback_lambda::{DefId, Program, Type, VarId};

use super::code::{Code, Style};
use super::seen::{Arrived, Reader};
use super::transform::signature;
use super::unfolding::unfolded;

/// What arrives at each function that the body of a definition names and that captures something,
/// when the cotangent of the result is 1 everywhere: names and tangents, the last function first.
pub fn function_tangents(
    program: &Program,
    def: DefId,
    argument: Value,
    style: Style,
) -> Result<Vec<(Name, Arrived)>, Box<Diagnostic>> {
    let mut program = program.clone();
    let def = pullback_reduce::unary(&mut program, def);
    let def = unfolded(&mut program, def, &argument);
    let (from, to) = signature(&program, def);
    let mut code = Code::new(&mut program, style);
    if !code.is_active(&from) || !code.is_active(&to) {
        return Ok(vec![]);
    }
    let (watching, watched) = watching(&mut code, def, &to);
    if let Some(problem) = code.problem.take() {
        return Err(problem);
    }
    let packages = captured(&code);
    let active = std::mem::take(&mut code.active);
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
    let reader = Reader { program: &program, style, active, packages };
    let mut arrived = vec![];
    for ((site, ty), value) in watched.into_iter().zip(found) {
        let name = program.vars[site].name.clone();
        arrived.push((name, reader.function(&value, &ty, 0)));
    }
    Ok(arrived)
}

/// What packages hold, by tag.
fn captured(code: &Code<'_>) -> BTreeMap<usize, Vec<(Name, Type)>> {
    let vars = &code.program.vars;
    let named = |var: &VarId| (vars[*var].name.clone(), vars[*var].ty.clone());
    let packages = code.package_vars.iter().map(|captured| captured.iter().map(named).collect());
    (1..).zip(packages).collect()
}

/// `\x y_bar -> what arrives at functions`
fn watching(code: &mut Code<'_>, def: DefId, to: &Type) -> (DefId, Vec<(VarId, Type)>) {
    let source = code.program.defs[def].clone();
    let span = source.span;
    code.span = span;
    let (params, body) = super::translate::uncurried(&source.body);
    let comb = super::translate::translate(code.program, body);
    let params: Vec<VarId> = params.iter().map(|var| code.parameter(*var)).collect();
    let bar_type = code.tangent(to);
    let (bar_var, given) = code.fresh("y_bar", bar_type);
    code.open();
    let (value, pull) = code.forward(&comb);
    // From here on: what arrives inside the functions that are made is out of scope out here.
    code.watched = Some(vec![]);
    let pullback = code.pullback_to(&pull, to, &mut |code, zero| {
        let Some(watched) = code.watched.clone() else { bug("curry", "a watch") };
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
    let Some(watched) = code.watched.take() else { bug("curry", "a watch") };
    let sites: Vec<(VarId, Type)> = watched.into_iter().map(|(site, ty, _)| (site, ty)).collect();
    code.finish();
    (place, sites)
}

/// The lists or packages that arrive at the functions a definition names.
pub(super) fn show(
    program: &Program,
    def: DefId,
    argument: Option<Value>,
    style: Style,
) -> Result<String, Box<Diagnostic>> {
    let argument = pullback_engine::needed(argument)?;
    let mut out = String::from("-- what flows back to functions when 1 flows back to the result\n");
    let found = function_tangents(program, def, argument, style)?;
    if found.is_empty() {
        out.push_str(NONE_MADE);
    }
    for (name, arrived) in found {
        // Writing to a string cannot fail.
        let _ = writeln!(out, "{name}_bar = {}", arrived.text());
    }
    Ok(out)
}

/// Instead of tangents.
const NONE_MADE: &str = "\
-- none: the body of this definition makes no function as a value that captures what is differentiated
-- (recursive functions, and those that are called with all their parameters, take it as a parameter)
";
