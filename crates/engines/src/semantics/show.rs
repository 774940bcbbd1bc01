//! The paper's view of one evaluation: its trace term and derivative, and its numbered steps.

use std::fmt::Write;
use std::rc::Rc;

use pullback_base::Diagnostic;
use pullback_lambda::eval::Value;
use pullback_lambda::{DefId, Program};

use super::convert::{Foreign, Paper, paper, to_val};
use super::evaluate::{Functions, MAX_DEPTH, MAX_STEPS, Run, Step, Stuck, enter};
use super::print::{Printer, ty_text};
use super::reverse::reverse;
use super::sweep::sweep;
use super::term::{Function, Supply, Term, Ty, Val, Var};
use crate::source::specialise;

/// Derivatives by figure 6 are shown up to this size.
const SHOWN: usize = 400;
/// How many steps of each evaluation are listed.
const LISTED: usize = 500;
/// How wide a step is.
const WIDTH: usize = 110;

/// The trace term of a function at an argument and its derivative for the cotangent 1 (in all
/// components), in linear form and, where it is small, as figure 6 prints it; with fuel, that of the
/// approximant (§6.2). `None` if the program is not one of the paper's.
pub fn show_terms(
    program: &Program,
    def: DefId,
    argument: &Value,
    fuel: Option<u64>,
) -> Option<Result<String, Box<Diagnostic>>> {
    let (Ok(paper), Some(point)) = (converted(program, def), to_val(argument)) else { return None };
    Some(terms(bounded(paper, fuel), &point).map_err(|stuck| placed(stuck, program, def)))
}

/// The paper's program, or its approximant if there is a bound.
fn bounded(paper: Paper, fuel: Option<u64>) -> Paper {
    match fuel {
        Some(fuel) => paper.approximant(fuel),
        None => paper,
    }
}

fn terms(paper: Paper, point: &Val) -> Result<String, Box<Diagnostic>> {
    let (mut supply, functions, entry) = taken(paper)?;
    let (x, trace, value) = traced(&mut supply, &functions, &entry, point, &mut None)?;
    let w = ones(&value.ty());
    let ty = entry.from.clone();
    let linear = sweep(&mut supply, &w, point, x, &ty, &trace);
    let literal = reverse(&mut supply, &w.to_term(), &point.to_term(), x, &ty, &trace, SHOWN);
    let mut out = String::new();
    let mut printer = Printer::new(&supply);
    let name = printer.var(x);
    // Writing to a string cannot fail.
    let _ = writeln!(out, "trace term C, {name}:{} = {}:", ty_text(&ty), printer.value(point));
    out.push_str(&printer.block(&trace, 2));
    let _ = writeln!(out, "value: {}", printer.value(&value));
    let head = format!("{}.R_{}({name}. C)", printer.value(&w), printer.value(point));
    let forms = [("by the whole environment at once", linear), ("as in figure 6", literal)];
    for (form, term) in forms {
        let Some(term) = term else { continue };
        let _ = writeln!(out, "\n{head}, {form}:");
        out.push_str(&Printer::new(&supply).block(&term, 2));
        let mut names = supply.clone();
        let value = Run::new(&mut names, false).evaluate(&Functions::default(), &term);
        let value = value.map_err(|stuck| explain(stuck, &supply))?;
        let _ = writeln!(out, "value: {}", Printer::new(&supply).value(&value));
    }
    Ok(out)
}

/// The numbered steps of evaluating `W.rd_V(x:S. f(x))`, or of `f` itself if it has no numbers.
pub fn show_run(program: &Program, def: DefId, argument: Value) -> Result<String, Box<Diagnostic>> {
    steps_of(program, def, &argument, None).map_err(|stuck| placed(stuck, program, def))
}

/// As [`show_run`], with recursion bounded as in figure 8: `letrec_n` for `letrec`.
pub fn show_run_bounded(
    program: &Program,
    def: DefId,
    argument: Value,
    fuel: u64,
) -> Result<String, Box<Diagnostic>> {
    steps_of(program, def, &argument, Some(fuel)).map_err(|stuck| placed(stuck, program, def))
}

/// What went wrong, at the entry if it has no place: terms of the paper have none.
fn placed(fault: Box<Diagnostic>, program: &Program, def: DefId) -> Box<Diagnostic> {
    if fault.labels.is_empty() {
        return Box::new(fault.label(program.defs[def].span, "evaluated from here"));
    }
    fault
}

fn steps_of(
    program: &Program,
    def: DefId,
    argument: &Value,
    fuel: Option<u64>,
) -> Result<String, Box<Diagnostic>> {
    let paper =
        converted(program, def).map_err(|foreign| foreign_construct(program, def, foreign))?;
    let Some(point) = to_val(argument) else {
        let foreign = ("this argument".to_owned(), program.defs[def].span);
        return Err(foreign_construct(program, def, foreign));
    };
    let (mut supply, functions, entry) = taken(bounded(paper, fuel))?;
    let mut log = Some(vec![]);
    let (x, trace, value) = traced(&mut supply, &functions, &entry, &point, &mut log)?;
    let w = ones(&value.ty());
    let (w_term, v) = (w.to_term(), point.to_term());
    let literal = reverse(&mut supply, &w_term, &v, x, &entry.from, &trace, SHOWN);
    let (form, derivative) = match literal {
        Some(term) => ("as in figure 6", Some(term)),
        None => {
            let linear = sweep(&mut supply, &w, &point, x, &entry.from, &trace);
            ("by the whole environment at once", linear)
        }
    };
    let derivative = derivative.ok_or_else(|| explain(Stuck::Untyped, &supply))?;
    let mut names = supply.clone();
    let mut run = Run::new(&mut names, true);
    let result = run.evaluate(&Functions::default(), &derivative);
    let evaluation = run.log.take().unwrap_or_default();
    let result = result.map_err(|stuck| explain(stuck, &supply))?;

    let mut out = String::new();
    let mut number = 0;
    let mut section = |title: &str, steps: &[Step]| {
        let _ = writeln!(out, "{title}");
        for (index, step) in steps.iter().enumerate() {
            number += 1;
            if index >= LISTED {
                continue;
            }
            let indent = "  ".repeat(step.depth.min(20));
            let line = format!("{indent}{} {} {}", step.redex, step.relation, step.result);
            let _ = writeln!(out, "{number:>5}  {}", clipped(&line));
        }
        if steps.len() > LISTED {
            let _ = writeln!(out, "    …  {} more", steps.len() - LISTED);
        }
    };
    let mut printer = Printer::new(&names);
    let (name, at, seed) = (printer.var(x), printer.value(&point), printer.value(&w));
    section(&format!("symbolic evaluation at {name} = {at}"), &log.unwrap_or_default());
    let title = format!("\nordinary evaluation of {seed}.R_{at}({name}. C), {form}");
    section(&title, &evaluation);
    let (value, result) = (printer.value(&value), printer.value(&result));
    let _ = writeln!(out, "\nvalue      {value}\nderivative {result}");
    Ok(out)
}

fn clipped(line: &str) -> String {
    if line.chars().count() <= WIDTH {
        return line.to_owned();
    }
    let kept: String = line.chars().take(WIDTH - 1).collect();
    format!("{kept}…")
}

type Parts = (Supply, Functions, Rc<Function>);

/// The body of the entry with its φ, as a call of it finds them.
fn taken(paper: Paper) -> Result<Parts, Box<Diagnostic>> {
    let functions = Functions::of(&paper.functions, &paper.entry);
    let (functions, entry) =
        enter(&functions, paper.entry.name).map_err(|stuck| explain(stuck, &paper.supply))?;
    Ok((paper.supply, functions, entry))
}

/// `φ | x ↦ V ⊢ M ⤳ C` and `C ⇒` the value, for the body of the entry.
fn traced(
    supply: &mut Supply,
    functions: &Functions,
    entry: &Function,
    point: &Val,
    log: &mut Option<Vec<Step>>,
) -> Result<(Var, Term, Val), Box<Diagnostic>> {
    let mut run = Run::new(supply, log.is_some());
    run.bind(entry.param, point.clone());
    let trace = run.symbolic(functions, &entry.body);
    if let Some(log) = log {
        log.append(&mut run.log.take().unwrap_or_default());
    }
    run.log = None;
    let value = trace
        .as_ref()
        .map_err(|stuck| *stuck)
        .and_then(|trace| run.evaluate(&Functions::default(), trace));
    let (trace, value) = match (trace, value) {
        (Ok(trace), Ok(value)) => (trace, value),
        (Err(stuck), _) | (_, Err(stuck)) => return Err(explain(stuck, supply)),
    };
    Ok((entry.param, trace, value))
}

fn ones(ty: &Ty) -> Val {
    match ty {
        Ty::Real => Val::Real(1.0),
        Ty::Tuple(items) => Val::Tuple(Rc::new(items.iter().map(ones).collect())),
    }
}

fn converted(program: &Program, def: DefId) -> Result<Paper, Foreign> {
    paper(program, def).or_else(|foreign| {
        // Higher-order programs may be first-order once their functions are known.
        let (program, def) = specialise(program, def);
        paper(&program, def).map_err(|_| foreign)
    })
}

fn foreign_construct(program: &Program, def: DefId, (what, span): Foreign) -> Box<Diagnostic> {
    let span = if span.is_none() { program.defs[def].span } else { span };
    let title = format!("the language of the paper does not have {what}");
    Box::new(
        Diagnostic::error("E0717", span, title, "outside the fragment of this stage")
            .note("it has Reals, tuples, conditionals, recursive first-order functions and `rd`")
            .hint("use `--stage trace`, which shows the trace of any program"),
    )
}

fn explain(stuck: Stuck, supply: &Supply) -> Box<Diagnostic> {
    let small = "the rules of the paper are followed to the letter, for small terms";
    let large = "use `pullback grad`, which records the same trace in linear time";
    let (code, why, note, hint) = match stuck {
        Stuck::Steps => {
            ("E0717", format!("this evaluation takes more than {MAX_STEPS} steps"), small, large)
        }
        Stuck::Depth => {
            ("E0717", format!("this evaluation nests deeper than {MAX_DEPTH}"), small, large)
        }
        Stuck::Trace => {
            ("E0717", "the trace term or its derivative is too large".to_owned(), small, large)
        }
        Stuck::Fuel(fun) => (
            "E0708",
            format!(
                "`{}` is out of fuel: its calls nest deeper than `--fuel` allows",
                supply.funs[fun].0
            ),
            "a function of `letrec_n` has no value where its calls nest deeper than `n`",
            "give more fuel",
        ),
        Stuck::Untyped => ("E0799", "this trace term does not type check".to_owned(), small, large),
    };
    let span = pullback_base::Span::NONE;
    Box::new(Diagnostic::error(code, span, why, "").note(note).hint(hint))
}
