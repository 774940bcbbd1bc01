//! The paper's view of one evaluation: its trace term and derivative, and its numbered steps.

use std::fmt::Write;
use std::rc::Rc;

use pullback_base::{Diagnostic, Span};
use pullback_engine::Letter;
use pullback_eval::{FUEL_HINT, FUEL_NOTE, OUT_OF_FUEL, Value};
use pullback_lambda::{DefId, Program};

use super::convert::{Foreign, Paper, paper, to_val};
use super::evaluate::{Functions, MAX_DEPTH, MAX_STEPS, Run, enter};
use super::print::{Printer, shortened};
use super::reverse::reverse;
use super::step::{LISTED, SHOWN, Step};
use super::stuck::{Stuck, Undefined, Why};
use super::sweep::sweep;
use super::term::{Binder, Function, Supply, Term, Ty, Val};
use pullback_reduce::specialise;

/// How many rules figure 6 may take to say how large the derivative is.
const COUNTED: usize = 20_000;
/// How many lines of a term are shown.
const LINES: usize = 500;
/// How wide a step is.
const WIDTH: usize = 110;
/// The stack for terms that nest as deep as the evaluation of a program does at most.
const STACK: usize = 256 << 20;

/// The trace term of a function at an argument and its derivative for the cotangent 1 (in all
/// components), in linear form and, where it is small, as figure 6 prints it; with fuel, that of the
/// approximant (§6.2). `None` if the program is not one of the paper's, or its trace is no small term.
pub fn show_terms(
    program: &Program,
    def: DefId,
    argument: &Value,
    letter: Letter,
) -> Option<Result<String, Box<Diagnostic>>> {
    let (Ok(paper), Some(point)) = (converted(program, def), to_val(argument)) else { return None };
    let span = paper.span;
    let is_strict = letter.is_strict;
    stacker::grow(STACK, || match Forms::of(bounded(paper, letter), &point, is_strict, false) {
        Ok(forms) => Some(Ok(forms.text(&mut Printer::new(&forms.supply)))),
        Err((Stuck::Steps | Stuck::Depth | Stuck::Trace, _)) => None,
        Err((stuck, supply)) => Some(Err(explain(stuck, &supply, span))),
    })
}

/// The paper's program, or its approximant if there is a bound.
fn bounded(paper: Paper, letter: Letter) -> Paper {
    match letter.fuel {
        Some(fuel) => paper.approximant(fuel),
        None => paper,
    }
}

/// The numbered steps of evaluating `W.rd_V(x:S. f(x))`, or of `f` itself if it has no numbers. With fuel, recursion is
/// bounded as in figure 8: `letrec_n` for `letrec`.
pub fn show_run(
    program: &Program,
    def: DefId,
    argument: Value,
    letter: Letter,
) -> Result<String, Box<Diagnostic>> {
    let paper =
        converted(program, def).map_err(|foreign| foreign_construct(program, def, foreign))?;
    let Some(point) = to_val(&argument) else {
        let foreign = ("this argument".to_owned(), program.defs[def].span);
        return Err(foreign_construct(program, def, foreign));
    };
    let span = paper.span;
    stacker::grow(STACK, || {
        Forms::of(bounded(paper, letter), &point, letter.is_strict, true)
            .and_then(|forms| forms.steps(letter.is_strict))
            .map_err(|(stuck, supply)| explain(stuck, &supply, span))
    })
}

/// What figure 6 gives.
enum Literal {
    /// A term that is small enough to be shown, and its value.
    Shown(Term, Val),
    /// How many nodes it has.
    Counted(usize),
    /// More than can be made.
    Huge,
}

/// The trace term of a function at a point and its derivative, in both forms.
struct Forms {
    supply: Supply,
    point: Val,
    x: Binder,
    trace: Term,
    value: Val,
    w: Val,
    linear: (Term, Val),
    literal: Literal,
    /// The steps of symbolic evaluation.
    log: Vec<Step>,
    /// Where the table of conventions gave a value that the paper does not give, first, and how often.
    convention: Option<(Box<Undefined>, usize)>,
}

/// Why there are no forms, with the names.
type Failure = (Stuck, Supply);

impl Forms {
    /// `φ | x ↦ V ⊢ M ⤳ C` for the body of the entry, then `W.R_V(x. C)`.
    fn of(paper: Paper, point: &Val, is_strict: bool, talkative: bool) -> Result<Self, Failure> {
        let functions = Functions::of(&paper.functions, &paper.entry);
        let (name, mut supply) = (paper.entry.name, paper.supply);
        // The body of the entry with its φ, as a call of it finds them.
        let entered = enter(&functions, name);
        match entered.and_then(|(functions, entry)| {
            Self::at(&mut supply, &functions, &entry, point, (is_strict, talkative))
        }) {
            Ok(forms) => Ok(Self { supply, ..forms }),
            Err(stuck) => Err((stuck, supply)),
        }
    }

    fn at(
        supply: &mut Supply,
        functions: &Functions,
        entry: &Function,
        point: &Val,
        (is_strict, talkative): (bool, bool),
    ) -> Result<Self, Stuck> {
        let x = entry.param.clone();
        let mut run = Run::new(supply, talkative).strict(is_strict);
        run.bind(&x, point);
        let trace = run.symbolic(functions, &entry.body)?;
        let log = run.log.take().unwrap_or_default();
        let mut convention = run.conventions().cloned();
        let value = run.evaluate(&Functions::default(), &trace)?;
        let w = ones(&value.ty());
        let linear = sweep(supply, &w, point, &x, &trace).ok_or(Stuck::Untyped)?;
        let mut names = supply.clone();
        let mut run = Run::new(&mut names, false).strict(is_strict);
        let linear_value = run.evaluate(&Functions::default(), &linear)?;
        convention = convention.or_else(|| run.conventions().cloned());
        let literal = reverse(supply, &w.to_term(), &point.to_term(), &x, &trace, COUNTED);
        let literal = match literal {
            None => Literal::Huge,
            Some(term) if term.is_larger(SHOWN) => Literal::Counted(term.size()),
            Some(term) => {
                let value = closed(supply, &term, is_strict)?;
                Literal::Shown(term, value)
            }
        };
        let (linear, point) = ((linear, linear_value), point.clone());
        let supply = Supply::default();
        Ok(Self { supply, point, x, trace, value, w, linear, literal, log, convention })
    }

    /// `--stage trace`
    fn text(&self, printer: &mut Printer<'_>) -> String {
        let mut out = String::new();
        let point = printer.value(&self.point);
        // Writing to a string cannot fail.
        let _ = writeln!(out, "trace term C, {} = {point}:", printer.binder(&self.x));
        push_capped(&mut out, &printer.block(&self.trace, 2));
        let _ = writeln!(out, "value: {}", printer.value(&self.value));
        let head = self.head(printer);
        let (linear, result) = &self.linear;
        let _ = writeln!(out, "\n{head}, by the whole environment at once:");
        push_capped(&mut out, &printer.block(linear, 2));
        let _ = writeln!(out, "value: {}", printer.value(result));
        let _ = match &self.literal {
            Literal::Shown(term, result) => {
                let (block, result) = (printer.block(term, 2), printer.value(result));
                write!(out, "\n{head}, as in figure 6:\n{block}value: {result}\n")
            }
            Literal::Counted(nodes) => {
                writeln!(out, "\n{head}, as in figure 6: {nodes} nodes, not shown")
            }
            Literal::Huge => {
                writeln!(out, "\n{head}, as in figure 6: more than {COUNTED} nodes, not shown")
            }
        };
        out.push_str(&self.convention());
        out
    }

    /// The line that says where the table of conventions was used.
    fn convention(&self) -> String {
        let Some((first, count)) = &self.convention else { return String::new() };
        let more = if *count > 1 { format!(", the first of {count}") } else { String::new() };
        let (applied, reason) = (first.applied(), first.reason());
        format!(
            "\nby the table of conventions, since the paper leaves it undefined{more}: `{applied}` ({reason})\n"
        )
    }

    /// `W.R_V(x. C)`
    fn head(&self, printer: &mut Printer<'_>) -> String {
        let (w, v) = (printer.value(&self.w), printer.value(&self.point));
        format!("{w}.R_{v}({}. C)", printer.term(&self.x.term()))
    }

    /// `--stage trace-run`
    fn steps(self, is_strict: bool) -> Result<String, Failure> {
        let (form, derivative) = match &self.literal {
            Literal::Shown(term, _) => ("as in figure 6", term),
            Literal::Counted(_) | Literal::Huge => {
                ("by the whole environment at once", &self.linear.0)
            }
        };
        let mut names = self.supply.clone();
        let mut run = Run::new(&mut names, true).strict(is_strict);
        let result = run.evaluate(&Functions::default(), derivative);
        let evaluation = run.log.take().unwrap_or_default();
        let result = match result {
            Ok(result) => result,
            Err(stuck) => return Err((stuck, self.supply)),
        };

        let mut printer = Printer::new(&self.supply);
        // Every variable is called as `--stage trace` calls it.
        self.text(&mut printer);
        let (x, at) = (printer.term(&self.x.term()), printer.value(&self.point));
        let mut out = format!("symbolic evaluation at {x} = {at}\n");
        list(&mut out, &mut printer, 0, &self.log);
        let _ = writeln!(out, "\nordinary evaluation of {}, {form}", self.head(&mut printer));
        list(&mut out, &mut printer, self.log.len(), &evaluation);
        let (value, result) = (printer.value(&self.value), printer.value(&result));
        let _ = writeln!(out, "\nvalue      {value}\nderivative {result}");
        out.push_str(&self.convention());
        Ok(out)
    }
}

/// The first lines of a term, and how many more there are.
fn push_capped(out: &mut String, block: &str) {
    let lines: Vec<&str> = block.split_inclusive('\n').collect();
    out.extend(lines.iter().take(LINES).copied());
    if lines.len() > LINES {
        // Writing to a string cannot fail.
        let _ = writeln!(out, "  …  {} more lines", lines.len() - LINES);
    }
}

/// Steps, each with its number. Below a derivative stands what figure 6 makes of it, if that is a small term.
fn list(out: &mut String, printer: &mut Printer<'_>, before: usize, steps: &[Step]) {
    let mut is_cut = false;
    let mut line = |number: &str, indent: &str, text: &str| {
        let line = format!("{indent}{text}");
        let short = shortened(&line, WIDTH);
        is_cut |= short != line;
        // Writing to a string cannot fail.
        let _ = writeln!(out, "{number:>5}  {short}");
    };
    for (index, step) in steps.iter().take(LISTED).enumerate() {
        let indent = "  ".repeat(step.depth.min(20));
        let rule = printer.rule(&step.rule);
        line(&(before + index + 1).to_string(), &indent, &rule);
        if let Some(literal) = printer.literal(&step.rule) {
            line("", &indent, &format!("as in figure 6: {literal}"));
        }
    }
    if steps.len() > LISTED {
        let _ = writeln!(out, "    …  {} more", steps.len() - LISTED);
    }
    if is_cut {
        let _ = writeln!(out, "       (lines are cut after {WIDTH} characters, at …)");
    }
}

/// The value of a closed trace term.
fn closed(supply: &Supply, term: &Term, is_strict: bool) -> Result<Val, Stuck> {
    let mut names = supply.clone();
    Run::new(&mut names, false).strict(is_strict).evaluate(&Functions::default(), term)
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

/// Why there are no terms: at the operation that is undefined, else at the entry.
fn explain(stuck: Stuck, supply: &Supply, span: Span) -> Box<Diagnostic> {
    let small = "the rules of the paper are followed to the letter, for small terms";
    let large = "use `--stage trace`, which shows the record of an evaluation of any length";
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
        Stuck::Fuel(fun) => {
            ("E0708", format!("`{}` {OUT_OF_FUEL}", supply.funs[fun].0), FUEL_NOTE, FUEL_HINT)
        }
        Stuck::Undefined(undefined) => return undefined_at(&undefined, span),
        Stuck::Untyped => ("E0799", "this trace term does not type check".to_owned(), small, large),
    };
    Box::new(Diagnostic::error(code, span, why, "evaluated from here").note(note).hint(hint))
}

/// Where evaluation is stuck in the strict domain; the entry is `span`.
fn undefined_at(undefined: &Undefined, span: Span) -> Box<Diagnostic> {
    let code = match undefined.why {
        Why::Tie => "E0714",
        Why::Edge => "E0715",
        Why::Value(_) | Why::Slope(_) => "E0721",
    };
    let place = undefined.symbol.place;
    let place = if place.is_none() { span } else { place };
    let title = format!("evaluation is stuck: `{}` is undefined", undefined.applied());
    Box::new(
        Diagnostic::error(code, place, title, "stuck here")
            .note(undefined.reason())
            .note("under `--domain=strict` operations and predicates are partial, as in the paper")
            .hint("move the input off this point, or use `--domain=trace` for the table of conventions"),
    )
}
