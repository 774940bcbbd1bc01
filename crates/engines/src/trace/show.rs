//! The trace as text: what ran, in order, with values and partial derivatives.

use std::cell::RefCell;
use std::fmt::Write;
use std::rc::Rc;

use pullback_base::Diagnostic;
use pullback_lambda::eval::{Machine, Options, Step, Value, compile, walk};
use pullback_lambda::{DefId, Program};

use super::tape::{Line, NONE, Recorder};
use super::{node, record_on};

/// The trace of a function of one argument. One line for each primitive that ran on numbers that
/// depend on the argument: its node, what it computed from which nodes and constants, its value, and
/// its partial derivatives by those nodes.
pub fn show_trace(
    program: &Program,
    function: DefId,
    argument: Value,
) -> Result<String, Box<Diagnostic>> {
    let image = compile(program);
    let mut machine = Machine::new(&image, super::engine(), Options::default());
    let function = machine.global(function)?;
    let recorder = Rc::new(Recorder::talkative());
    let text = Rc::new(RefCell::new(String::new()));
    let (noted, shown) = (recorder.clone(), text.clone());
    machine.perform(move |ctx| {
        record_on(ctx, recorder, function, argument, move |_, record| {
            let mut out = shown.borrow_mut();
            for (index, leaf) in walk::real_leaves(&record.x)?.iter().enumerate() {
                // Writing to a string cannot fail.
                let _ = writeln!(out, "v{index} = input            = {}", number(leaf));
            }
            for line in noted.lines() {
                let _ = writeln!(out, "{}", shown_line(&line));
            }
            let leaves = walk::real_leaves(&record.y)?;
            for (output, leaf) in record.outputs.iter().zip(&leaves) {
                let _ = match *output {
                    NONE => writeln!(out, "output {}", number(leaf)),
                    output => writeln!(out, "output v{output} = {}", number(leaf)),
                };
            }
            Ok(Step::Return(Value::unit()))
        })
    })?;
    Ok(text.take())
}

fn shown_line(line: &Line) -> String {
    let args: Vec<String> = line.args.iter().map(argument_text).collect();
    let head = format!("v{} = {} {}", line.node, line.name, args.join(" "));
    let mut text = format!("{head:<24} = {}", number(&line.value));
    let partials: Vec<String> = line
        .partials
        .iter()
        .zip(&args)
        .filter_map(|(partial, arg)| Some(format!("d/d{arg} = {}", number(partial.as_ref()?))))
        .collect();
    if !partials.is_empty() {
        text = format!("{text:<40}  {}", partials.join(", "));
    }
    text
}

/// A node by its number, a constant by its value.
fn argument_text(arg: &Value) -> String {
    if let Value::Active(active) = arg {
        return format!("v{}", node(&active.tangent));
    }
    arg.as_int().map_or_else(|| number(arg), |n| n.to_string())
}

fn number(value: &Value) -> String {
    value.as_real().map_or_else(|| "…".to_string(), |x| format!("{x:?}"))
}
