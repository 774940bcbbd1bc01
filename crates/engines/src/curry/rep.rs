//! The stage `rep`: the rep-functions of a definition and of what it calls, as they run.
//!
//! Type: `a ~> b = a -> (b, T b -o T a)`; with environment tangents the pullback of a function value is
//!       `T b -o (T a, T env)`.
//! Law:  what is printed is what reverse mode calls, after `tidy`: parses back as text of the calculus.

use std::fmt::Write;

use pullback_base::{Diagnostic, Id};
use pullback_eval::Value;
use pullback_lambda::{DataId, DefId, Program};
use pullback_reduce::{Transforms, eliminate, reachable, tidy, unary};

use super::code::{Code, Style};
use super::transform::{jvp_env, jvp_list, vjp_env, vjp_list};
use super::translate::uncurried;

/// The rep-functions with list tangents.
pub fn show_rep_list(
    program: &Program,
    def: DefId,
    _: Option<Value>,
) -> Result<String, Box<Diagnostic>> {
    show(program, def, Style::List)
}

/// The rep-functions with environment tangents.
pub fn show_rep_env(
    program: &Program,
    def: DefId,
    _: Option<Value>,
) -> Result<String, Box<Diagnostic>> {
    show(program, def, Style::Env)
}

fn show(program: &Program, def: DefId, style: Style) -> Result<String, Box<Diagnostic>> {
    let mut program = program.clone();
    let (vjp, jvp) = match style {
        Style::List => (vjp_list as _, jvp_list as _),
        Style::Env => (vjp_env as _, jvp_env as _),
    };
    let def = eliminate(&mut program, Transforms { engine: style.engine(), vjp, jvp }, def)?;
    let def = unary(&mut program, def);
    let (first, sums) = (program.defs.len(), program.datas.len());
    let mut code = Code::new(&mut program, style);
    let place = code.direct(def, &[false]);
    code.finish();
    if let Some(problem) = code.problem.take() {
        return Err(problem);
    }
    let mut sources: Vec<(DefId, DefId)> =
        code.directs.iter().map(|((source, _), made)| (*made, *source)).collect();
    sources.sort_unstable();
    tidy(&mut program, first, place);
    let mut out = String::new();
    for id in reachable(&program, place) {
        let source = sources.iter().find(|(made, _)| *made == id);
        let Some((_, source)) = source else { continue };
        if !out.is_empty() {
            out.push('\n');
        }
        let (params, body) = uncurried(&program.defs[*source].body);
        let params = params.iter().map(|var| {
            let var = &program.vars[*var];
            format!("{}: {}", var.name, program.show_type(&var.ty))
        });
        let params: Vec<String> = params.collect();
        let (name, ty) = (&program.defs[*source].name, program.show_type(&body.ty));
        // Writing to a string cannot fail.
        let _ = writeln!(out, "-- {name} : ({}) ~> {ty}", params.join(", "));
        out.push_str(&program.print_def(id));
    }
    let mut told = String::new();
    for id in program.datas.ids().filter(|id| id.index() >= sums) {
        let sum = sum_of(&program, id);
        if out.contains(&*program.datas[id].name) {
            told.push_str(&sum);
        }
    }
    if !told.is_empty() {
        out.push_str("\n-- cotangents\n");
        out.push_str(&told);
    }
    Ok(out)
}

/// `name = Con(field, …) | …`
fn sum_of(program: &Program, id: DataId) -> String {
    let data = &program.datas[id];
    let constructors = data.constructors.iter().map(|con| {
        let fields: Vec<String> = con.fields.iter().map(|ty| program.show_type(ty)).collect();
        if fields.is_empty() {
            return con.name.to_string();
        }
        format!("{}({})", con.name, fields.join(", "))
    });
    let constructors: Vec<String> = constructors.collect();
    format!("{} = {}\n", data.name, constructors.join(" | "))
}
