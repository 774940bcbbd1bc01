//! The Jacobian as a matrix (*Working notes*, section 2.5): made only where it is asked for, one column
//! at a time, by applying the linear map to each unit vector.

use std::fmt::Write;

use pullback_base::{Diagnostic, bug};
use pullback_engine::parts;
use pullback_eval::{Fault, Machine, Options, Value, compile, walk};
use pullback_lambda::{DefId, Program};

/// Its rows are the Reals of the result, its columns those of the argument.
pub fn matrix(
    program: &Program,
    function: DefId,
    argument: &Value,
) -> Result<Vec<Vec<f64>>, Box<Diagnostic>> {
    let image = compile(program);
    let engine = super::engine();
    let mut machine = Machine::new(&image, engine.clone(), Options::default());
    let function = machine.global(function)?;
    let point = argument.clone();
    let pair = machine.perform(move |ctx| engine.linearize(ctx, function, point))?;
    let (y, pushforward) = &parts(pair);
    let count = |value: &Value| walk::real_leaves(value).map_or(0, |leaves| leaves.len());
    let (rows, columns) = (count(y), count(argument));
    let mut entries = vec![Vec::with_capacity(columns); rows];
    for column in 0..columns {
        let unit = (0..columns).map(|at| Value::Real(f64::from(at == column)));
        let x_dot = walk::tangent_of(argument, unit).map_err(told)?;
        let y_dot = machine.call(pushforward.clone(), vec![x_dot])?;
        let leaves = walk::real_leaves(&y_dot).map_err(told)?;
        for (row, leaf) in entries.iter_mut().zip(leaves) {
            row.push(leaf.as_real().unwrap_or_else(|| bug("linear-maps", "a Real")));
        }
    }
    Ok(entries)
}

fn told(fault: Fault) -> Box<Diagnostic> {
    Box::new(fault.diagnostic(pullback_base::Span::NONE))
}

/// The matrix as text, columns aligned.
pub fn show_matrix(
    program: &Program,
    function: DefId,
    argument: &Value,
) -> Result<String, Box<Diagnostic>> {
    let entries = matrix(program, function, argument)?;
    let cells: Vec<Vec<String>> =
        entries.iter().map(|row| row.iter().map(|x| format!("{x:?}")).collect()).collect();
    let width = cells.iter().flatten().map(String::len).max().unwrap_or(0);
    let mut out = String::new();
    for row in &cells {
        // Writing to a string cannot fail.
        let _ = write!(out, "[");
        for cell in row {
            let _ = write!(out, " {cell:>width$}");
        }
        let _ = writeln!(out, " ]");
    }
    if out.is_empty() {
        out.push_str("-- the result holds no Real\n");
    }
    Ok(out)
}
