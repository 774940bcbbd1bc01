//! The trace as text: what ran, in order, with values and partial derivatives.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::rc::Rc;

use pullback_base::Diagnostic;
use pullback_eval::{Chunks, Limits, Machine, Options, Step, Value, compile, walk};
use pullback_lambda::{DefId, Program};

use super::engine::engine;
use super::tape::{Line, NONE, Recorder, node};
use super::vjp::record_on;

/// The most that a record takes: several million lines.
const MEMORY: usize = 1 << 30;

/// The record of a function of one argument. One line for each primitive that ran on numbers that
/// depend on the argument: its node, what it computed from which nodes and constants, its value, and
/// its partial derivatives by those nodes; then what each node's cotangent adds to those of its
/// arguments, backwards, for the cotangent 1 of every Real of the result. In the strict domain a tie or an edge is an error.
pub fn show_record(
    program: &Program,
    function: DefId,
    argument: Value,
    is_strict: bool,
) -> Result<String, Box<Diagnostic>> {
    let image = compile(program);
    let options = Options {
        strict_domain: is_strict,
        limits: Limits { max_memory: MEMORY, ..Limits::default() },
        ..Options::default()
    };
    let mut machine = Machine::new(&image, engine(), options);
    let function = machine.global(function)?;
    let recorder = Rc::new(Recorder::talkative());
    let text = Rc::new(RefCell::new(String::new()));
    let (noted, shown) = (recorder.clone(), text.clone());
    let shown_all = machine.perform(move |ctx| {
        record_on(ctx, recorder, function, argument, move |_, record| {
            let mut out = shown.borrow_mut();
            let lines = noted.lines();
            for (index, leaf) in walk::real_leaves(&record.x)?.iter().enumerate() {
                // Writing to a string cannot fail.
                let _ = writeln!(out, "{}", beside(&format!("v{index} = input"), leaf));
            }
            for line in lines.iter() {
                let _ = writeln!(out, "{}", shown_line(line));
            }
            let leaves = walk::real_leaves(&record.y)?;
            for (output, leaf) in record.outputs.iter().zip(&leaves) {
                let _ = match *output {
                    NONE => writeln!(out, "output {}", number(leaf)),
                    output => writeln!(out, "output v{output} = {}", number(leaf)),
                };
            }
            out.push_str(&backwards(&lines, &record.outputs));
            Ok(Step::Return(Value::unit()))
        })
    });
    match shown_all {
        Ok(_) => Ok(text.take()),
        Err(mut fault) => {
            if fault.code == "E0709" {
                fault.hints.clear();
                let hint =
                    "show it at an argument for which it ends sooner: the record is kept whole";
                fault = Box::new(fault.hint(hint));
            }
            Err(fault)
        }
    }
}

/// What a node is, and its value in a column.
fn beside(head: &str, value: &Value) -> String {
    format!("{head:<24} = {}", number(value))
}

fn shown_line(line: &Line) -> String {
    let args: Vec<String> = line.args.iter().map(argument_text).collect();
    let head = format!("v{} = {} {}", line.node, line.name, args.join(" "));
    let mut text = beside(&head, &line.value);
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

/// The reverse sweep over the lines, if all partial derivatives are plain numbers.
fn backwards(lines: &Chunks<Line>, outputs: &[u32]) -> String {
    let mut bars: BTreeMap<u32, f64> = BTreeMap::new();
    for output in outputs.iter().filter(|output| **output != NONE) {
        *bars.entry(*output).or_default() += 1.0;
    }
    let mut text = String::new();
    for line in lines.iter().rev() {
        let Some(bar) = bars.get(&line.node).copied() else { continue };
        if line.partials.is_empty() {
            let _ = writeln!(text, "then the rule of its own that made v{}", line.node);
            return text;
        }
        // A sum notes one partial derivative for all its arguments.
        let partial = |index: usize| line.partials.get(index).or(line.partials.first());
        let items = line.args.iter().enumerate().map(|(index, arg)| (arg, partial(index)));
        for (arg, partial) in items {
            let (Value::Active(arg), Some(Some(Value::Real(partial)))) = (arg, partial) else {
                continue;
            };
            let to = node(&arg.tangent);
            *bars.entry(to).or_default() += partial * bar;
            // Writing to a string cannot fail.
            let _ = writeln!(text, "v̄{to} += v̄{} * {partial:?}", line.node);
        }
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
