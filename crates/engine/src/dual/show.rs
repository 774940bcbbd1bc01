//! The dual evaluation as text: what ran, in order, on pairs of value and tangent.

use std::cell::RefCell;
use std::fmt::Write;
use std::rc::Rc;

use pullback_base::Diagnostic;
use pullback_eval::{Machine, Options, Step, Value, compile, walk};
use pullback_lambda::{DefId, Program};

use super::level::{Duals, Line};
use super::pass_on;

/// The dual evaluation of a function of one argument, once for each Real of the argument, which has
/// the tangent 1 there. One line for each primitive that ran on numbers that depend on it.
pub fn show_dual(
    program: &Program,
    function: DefId,
    argument: Value,
) -> Result<String, Box<Diagnostic>> {
    let image = compile(program);
    let mut machine = Machine::new(&image, super::engine(), Options::default());
    let function = machine.global(function)?;
    let text = Rc::new(RefCell::new(String::new()));
    let count = walk::real_leaves(&argument).map_or(0, |leaves| leaves.len());
    for current in 0..count {
        let (function, argument, shown) = (function.clone(), argument.clone(), text.clone());
        machine.perform(move |ctx| {
            let unit = (0..count).map(|index| Value::Real(f64::from(index == current)));
            let x_dot = walk::tangent_of(&argument, unit)?;
            let duals = Rc::new(Duals::noting_lines());
            let noted = duals.clone();
            // Writing to a string cannot fail.
            let _ = writeln!(shown.borrow_mut(), "-- tangent 1 on input {current}");
            pass_on(ctx, duals, function, &argument, &x_dot, move |_, y, y_dot| {
                let mut out = shown.borrow_mut();
                for line in noted.lines.as_ref().map(RefCell::take).unwrap_or_default() {
                    let _ = writeln!(out, "{}", shown_line(&line));
                }
                let (y, y_dot) = (walk::real_leaves(&y)?, walk::real_leaves(&y_dot)?);
                for (y, y_dot) in y.iter().zip(&y_dot) {
                    let _ = writeln!(out, "output ({}, {})", number(y), number(y_dot));
                }
                Ok(Step::Return(Value::unit()))
            })
        })?;
    }
    Ok(text.take())
}

fn shown_line(line: &Line) -> String {
    let args: Vec<String> = line.args.iter().map(pair).collect();
    format!("{} {} = {}", line.name, args.join(" "), pair(&line.result))
}

/// A followed number as value and tangent, any other by its value.
fn pair(value: &Value) -> String {
    if let Value::Active(active) = value {
        return format!("({}, {})", number(&active.primal), number(&active.tangent));
    }
    value.as_int().map_or_else(|| number(value), |n| n.to_string())
}

fn number(value: &Value) -> String {
    value.as_real().map_or_else(|| "…".to_string(), |x| format!("{x:?}"))
}
