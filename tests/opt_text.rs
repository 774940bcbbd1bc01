//! Tests of the optimiser as text: a program of the IR, and after `--- becomes` what a pass makes of it.
//!
//! `--@ pass NAME` names the pass, or `all` of them. `--@ roots @f @g` names the functions that are called from
//! outside; without that line all are.

use pullback_analysis::Analyses;
use pullback_ir::{FuncId, Program, Stage};
use pullback_opt::{Options, optimise, pass_named};

use crate::ir_text::{header, keeps_rules, read};

const BECOMES: &str = "--- becomes\n";

/// The text that the test of a pass should be, from the one that it is.
pub fn opt_test(text: &str) -> Result<String, String> {
    let before = text.split(BECOMES).next().unwrap_or_default();
    let mut program = read(before)?;
    keeps_rules(&program, Stage::default())?;
    let mut roots = roots(&program, before)?;
    match pass_of(before).ok_or("no line `--@ pass NAME` says which pass runs")? {
        "all" => {
            let mut options = Options { verify: true, ..Options::default() };
            program = optimise(program, &mut roots, &mut options);
        }
        name => {
            let pass = pass_named(name).ok_or_else(|| format!("there is no pass `{name}`"))?;
            (pass.run)(&mut program, &mut roots, &mut Analyses::default());
        }
    }
    keeps_rules(&program, Stage::default())?;
    Ok(format!("{}\n\n{BECOMES}{}", before.trim_end(), program.print()))
}

/// The pass that a test runs.
pub fn pass_of(text: &str) -> Option<&str> {
    header(text, "pass")
}

fn roots(program: &Program, text: &str) -> Result<Vec<FuncId>, String> {
    let Some(names) = header(text, "roots") else { return Ok(program.funcs.ids().collect()) };
    let named = |name: &str| {
        let name = name.trim_start_matches('@');
        let mut funcs = program.funcs.iter_enumerated();
        let func = funcs.find(|(_, func)| func.name.as_str() == name);
        func.map(|(id, _)| id).ok_or_else(|| format!("there is no function @{name}"))
    };
    names.split_whitespace().map(named).collect()
}
