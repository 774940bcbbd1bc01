//! The stage `rep`: the rep-functions of a definition and of what it calls, as they run.
//!
//! Type: `a ~> b = a -> (b, T b -o T a)`; with environment tangents the pullback of a function value is
//!       `T b -o (T a, T env)`.
//! Law:  what is printed is what reverse mode calls, after `tidy`: parses back as text of the calculus.

use std::collections::BTreeMap;
use std::fmt::Write;

use pullback_base::{Diagnostic, Id, Name};
use pullback_eval::Value;
use pullback_lambda::{DataId, DefId, Program};
use pullback_reduce::{Transforms, eliminate, reachable, tidy, unary};

use super::code::{Code, Helper, Package, Style};
use super::transform::{jvp_env, jvp_erased, jvp_list, vjp_env, vjp_erased, vjp_list};
use super::translate::uncurried;

/// The rep-functions with erased environments, each on its own: `tidy` would put one into another, and a cast beside
/// the constructor that it takes apart.
pub fn show_rep_erased(
    program: &Program,
    def: DefId,
    _: Option<Value>,
) -> Result<String, Box<Diagnostic>> {
    let made = Made::new(program, def, Style::Env(Package::Erased))?;
    Ok(made.text())
}

/// The code of a definition and of all that it calls, each on its own, as it is translated: name and text.
pub fn rep_functions(
    program: &Program,
    def: DefId,
    style: Style,
) -> Result<Vec<(Name, String)>, Box<Diagnostic>> {
    let Made { program, sources, .. } = Made::new(program, def, style)?;
    let texts =
        sources.into_keys().map(|id| (program.defs[id].name.clone(), program.print_def(id)));
    Ok(texts.collect())
}

/// The rep-functions with the tangents of a style.
pub fn show(program: &Program, def: DefId, style: Style) -> Result<String, Box<Diagnostic>> {
    let mut made = Made::new(program, def, style)?;
    tidy(&mut made.program, made.first, made.place);
    Ok(made.text())
}

/// The rep-functions of a definition and of what it calls.
struct Made {
    program: Program,
    /// The rep-function of the definition.
    place: DefId,
    /// The definition of each rep-function.
    sources: BTreeMap<DefId, DefId>,
    /// The sums of erased environments.
    sums_of_environments: Vec<DefId>,
    /// How many definitions and sum types there were before.
    first: usize,
    datas: usize,
}

impl Made {
    fn new(program: &Program, def: DefId, style: Style) -> Result<Self, Box<Diagnostic>> {
        let mut program = program.clone();
        let (vjp, jvp) = match style {
            Style::List => (vjp_list as _, jvp_list as _),
            Style::Env(Package::Tagged) => (vjp_env as _, jvp_env as _),
            Style::Env(Package::Erased) => (vjp_erased as _, jvp_erased as _),
        };
        let def = eliminate(&mut program, Transforms { engine: style.engine(), vjp, jvp }, def)?;
        let def = unary(&mut program, def);
        let (first, datas) = (program.defs.len(), program.datas.len());
        let mut code = Code::new(&mut program, style);
        let place = code.direct(def, &[false]);
        code.finish();
        if let Some(problem) = code.problem.take() {
            return Err(problem);
        }
        let sources = code.directs.iter().map(|((source, _), made)| (*made, *source)).collect();
        let helpers = code.helpers.iter().filter(|((helper, _), _)| *helper == Helper::Plus);
        let sums_of_environments = helpers.map(|(_, def)| *def).collect();
        Ok(Self { program, place, sources, sums_of_environments, first, datas })
    }

    fn text(&self) -> String {
        let program = &self.program;
        let mut out = String::new();
        for id in reachable(program, self.place) {
            let source = self.sources.get(&id);
            if source.is_none() && !self.sums_of_environments.contains(&id) {
                continue;
            }
            if !out.is_empty() {
                out.push('\n');
            }
            if let Some(source) = source {
                let (params, body) = uncurried(&program.defs[*source].body);
                let params = params.iter().map(|var| {
                    let var = &program.vars[*var];
                    format!("{}: {}", var.name, program.show_type(&var.ty))
                });
                let params: Vec<String> = params.collect();
                let (name, ty) = (&program.defs[*source].name, program.show_type(&body.ty));
                // Writing to a string cannot fail.
                let _ = writeln!(out, "-- {name} : ({}) ~> {ty}", params.join(", "));
            }
            out.push_str(&program.print_def(id));
        }
        let mut told = String::new();
        for id in program.datas.ids().filter(|id| id.index() >= self.datas) {
            if program.erased != Some(id) && out.contains(&*program.datas[id].name) {
                told.push_str(&sum_of(program, id));
            }
        }
        if !told.is_empty() {
            out.push_str("\n-- cotangents\n");
            out.push_str(&told);
        }
        out
    }
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
