//! `jacobian` and `hessian`: matrices of all numbers of a result by all numbers of the parameters.
//!
//! Input: a [`Call`]. Output: an [`Answer`], whose matrix is dense or sparse. A sparse one takes three steps: the pattern, by
//! the tracer; a plan, by colourings; and a sweep of the engine for each colour. A dense one takes a sweep for each column,
//! or for each row if these are fewer.

use std::cell::OnceCell;

use pullback_base::{Diagnostic, Limits};
use pullback_compile::{Answer as Run, Asked, Compiled, Mode, Packing, gradient};
use pullback_data::shape::tangent_like;
use pullback_engine::How;
use pullback_eval::{Value, walk};
use pullback_prim::{Fault, Request};
use pullback_sparse::{Pattern, Plan, Sweep, Way};

use crate::call::{Prepared, Purpose, in_order, prepare};
use crate::derive::{Answer, check_output, watched};
use crate::engine::{Code, Engine};
use crate::matrix::Matrix;
use crate::parts::components;
use crate::query::{Query, Stop};
use crate::settings::{Call, Format};

/// Which matrix is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// The derivative.
    Jacobian,
    /// The second derivative of one Real.
    Hessian,
}

/// The matrix of first derivatives of an entry, or of second ones, with respect to the parameters named or all.
pub fn jacobian(
    query: &mut Query<'_>,
    call: &Call,
    wrt: &[String],
    wanted: Wanted,
    is_sparse: bool,
) -> Result<Answer, Stop> {
    let engine = Engine::with_tiers(query, &call.settings)?;
    let scalar = wanted == Wanted::Hessian;
    let purpose = Purpose::Derivative { wrt, scalar, direction: None };
    let mut prepared = prepare(query, call, &engine, &purpose)?;
    check_result(query, &prepared)?;
    check_file(query, call, &prepared, is_sparse)?;
    if scalar {
        let mut program = prepared.code.program().clone();
        prepared.function = gradient(&mut program, prepared.function);
        prepared.code = Code::new(program);
    }
    let zeros = tangent_like(&prepared.argument, &mut |_| 0.0);
    let value = watched(query, call, &engine, &prepared, &Mode::Jvp(zeros))?.value;
    let space = Space::of(&prepared, &value, wrt, wanted);
    let found = if is_sparse {
        sparse(&engine, &prepared, &value, &space, wanted)
    } else {
        dense(&engine, &prepared, &value, &space, wanted)
    };
    match found {
        Ok(Found::Sparse(matrix)) => Ok(Answer::sparse(prepared.code, matrix)),
        Ok(Found::Dense(rows)) => Ok(Answer::dense(prepared.code, rows)),
        Err(fault) => query.fail(*fault),
    }
}

/// A matrix.
enum Found {
    Sparse(Matrix),
    Dense(Value),
}

/// Refuses a result that has no tangents.
fn check_result(query: &mut Query<'_>, prepared: &Prepared) -> Result<(), Stop> {
    if prepared.result_tangent.is_some() {
        return Ok(());
    }
    let ty = prepared.code.program().show_type(&prepared.result);
    let title = format!("the result is of the type `{ty}`, which is no data");
    query.fail(
        Diagnostic::error("E0810", prepared.entry, title, "defined here")
            .note("a Jacobian is the derivative of numbers by numbers")
            .hint("give the definition all its arguments"),
    )
}

/// Refuses a file that has no place for the matrix.
fn check_file(
    query: &mut Query<'_>,
    call: &Call,
    prepared: &Prepared,
    is_sparse: bool,
) -> Result<(), Stop> {
    match call.output {
        Some(Format::Npy | Format::Csv) if is_sparse => {
            let title = "the output file has no place for a sparse matrix";
            let diagnostic = Diagnostic::error("E0826", prepared.entry, title, "this is asked for");
            query.fail(diagnostic.hint(
                "write a file that ends in `.npz`, which SciPy's `load_npz` reads, or in `.json`",
            ))
        }
        Some(Format::Json) => check_output(query, call, prepared, ""),
        Some(Format::Npz | Format::Npy | Format::Csv) | None => Ok(()),
    }
}

/// The rows and the columns of the matrix among the Reals of the result and of the argument.
struct Space {
    rows: Vec<usize>,
    columns: Vec<usize>,
    parameters: Vec<(String, usize, usize)>,
    /// How many Reals the argument has.
    inputs: usize,
    /// How many the result has.
    outputs: usize,
}

impl Space {
    fn of(prepared: &Prepared, value: &Value, wrt: &[String], wanted: Wanted) -> Self {
        let parts = &prepared.parts;
        let mut starts = vec![0];
        for component in components(&prepared.argument, parts.len()) {
            starts.push(starts[starts.len() - 1] + count(&component));
        }
        let (mut columns, mut parameters) = (vec![], vec![]);
        for at in in_order(parts.iter().map(|part| (&*part.name, part.wrt)), wrt) {
            let (from, to) = (starts[at], starts[at + 1]);
            parameters.push((parts[at].name.clone(), columns.len(), to - from));
            columns.extend(from..to);
        }
        let outputs = count(value);
        let rows = match wanted {
            Wanted::Jacobian => (0..outputs).collect(),
            // The gradient has the Reals of the argument.
            Wanted::Hessian => columns.clone(),
        };
        Self { rows, columns, parameters, inputs: starts[parts.len()], outputs }
    }
}

/// How many Reals a value has.
fn count(value: &Value) -> usize {
    let mut count = 0;
    walk::for_each_real(value, |_| count += 1);
    count
}

/// The Reals of a value.
fn reals(value: &Value) -> Vec<f64> {
    let mut found = vec![];
    walk::for_each_real(value, |x| found.extend(x.as_real()));
    found
}

/// A tangent of the shape of a value with these Reals.
fn filled(value: &Value, reals: &mut impl Iterator<Item = f64>) -> Value {
    if let Some(items) = value.as_tuple() {
        return Value::tuple(items.iter().map(|item| filled(item, reals)).collect());
    }
    if let Some(array) = value.as_array()
        && let Some(own) = array.reals()
    {
        return Value::reals(reals.take(own.len()).collect());
    }
    tangent_like(value, &mut |_| reals.next().unwrap_or(0.0))
}

/// A tangent with ones at some of its Reals, of so many.
fn seed(value: &Value, total: usize, places: impl Iterator<Item = usize>) -> Value {
    let mut ones = vec![0.0; total];
    places.for_each(|at| ones[at] = 1.0);
    filled(value, &mut ones.into_iter())
}

/// Runs of an engine: code that is compiled is kept for all of them.
struct Runs<'r> {
    engine: &'r Engine,
    prepared: &'r Prepared,
    forward: OnceCell<Compiled>,
    reverse: OnceCell<Compiled>,
}

impl Runs<'_> {
    fn run(&self, mode: &Mode) -> Result<Run, Box<Diagnostic>> {
        let Prepared { code, function, argument, .. } = self.prepared;
        let How::Compiled(back) = self.engine.how() else {
            return self.engine.try_run(code, *function, argument.clone(), mode);
        };
        let (kept, asked) = match mode {
            Mode::Vjp(_) => (&self.reverse, Asked::Vjp),
            Mode::Jvp(_) | Mode::Value => (&self.forward, Asked::Jvp),
        };
        let options = self.engine.options();
        if kept.get().is_none() {
            let packing = Packing::of(code.program(), *function, argument, mode);
            let packing = packing.as_promised(back, options);
            let made =
                Compiled::of_function(code.program(), *function, asked, packing, options, back)?;
            // The cell is empty, so this succeeds.
            let _ = kept.set(made);
        }
        match kept.get() {
            Some(compiled) => compiled.answer(argument.clone(), mode, options),
            None => crate::bug::bug("code that has been made is kept"),
        }
    }

    /// The Reals of a derivative.
    fn derivative(&self, mode: &Mode) -> Result<Vec<f64>, Box<Diagnostic>> {
        Ok(reals(&self.run(mode)?.with_derivative().1))
    }

    /// What a sweep tells: a number for each row or column.
    fn sweep(
        &self,
        value: &Value,
        space: &Space,
        sweep: &Sweep,
    ) -> Result<Vec<f64>, Box<Diagnostic>> {
        let Space { rows, columns, inputs, outputs, .. } = space;
        let (mode, places) = match sweep {
            Sweep::Forward(lines) => {
                let places = lines.iter().map(|column| columns[*column as usize]);
                (Mode::Jvp(seed(&self.prepared.argument, *inputs, places)), rows)
            }
            Sweep::Reverse(lines) => {
                let places = lines.iter().map(|row| rows[*row as usize]);
                (Mode::Vjp(seed(value, *outputs, places)), columns)
            }
        };
        let answer = self.derivative(&mode)?;
        Ok(places.iter().map(|at| answer[*at]).collect())
    }
}

fn sparse(
    engine: &Engine,
    prepared: &Prepared,
    value: &Value,
    space: &Space,
    wanted: Wanted,
) -> Result<Found, Box<Diagnostic>> {
    let (pattern, holds_everywhere, relation) = pattern(engine, prepared, space)?;
    let plan = match wanted {
        Wanted::Jacobian => Plan::of(pattern),
        Wanted::Hessian => Plan::symmetric(pattern.symmetric()),
    };
    let runs = Runs { engine, prepared, forward: OnceCell::new(), reverse: OnceCell::new() };
    let mut answers = plan.answers();
    for (at, sweep) in plan.sweeps().iter().enumerate() {
        answers.take(at, &runs.sweep(value, space, sweep)?);
    }
    Ok(Found::Sparse(Matrix {
        values: answers.values(),
        pattern: plan.pattern().clone(),
        sweeps: plan.counts(),
        holds_everywhere,
        relation,
        parameters: space.parameters.clone(),
    }))
}

/// The longest relation that is told.
const LONGEST: usize = 240;

/// Which entries of the matrix can be other than zero, whether that is so at each point, and the relation that says so.
fn pattern(
    engine: &Engine,
    prepared: &Prepared,
    space: &Space,
) -> Result<(Pattern, bool, Option<String>), Box<Diagnostic>> {
    let Prepared { code, function, argument, .. } = prepared;
    let mut numbers = vec![0.0; space.inputs];
    for (column, at) in space.columns.iter().enumerate() {
        numbers[*at] = (column + 1) as f64;
    }
    let inputs = filled(argument, &mut numbers.into_iter());
    let packing = Packing::along(code.program(), *function, argument, Some(&inputs));
    let traced = Compiled::to_be_traced(code.program(), *function, packing)?;
    let traced = traced.dependences(argument, &inputs, Way::Any, engine.options());
    let (tangent, found) = traced.map_err(without_pattern)?;
    let sets = reals(&tangent);
    let rows = space.rows.iter().map(|at| sets[*at] as u32);
    let limits: &Limits = &engine.options().limits;
    let pattern = found.pattern(rows, space.columns.len(), limits)?;
    let relation = found.relation(space.rows.len()).filter(|text| text.len() <= LONGEST);
    Ok((pattern, found.holds_everywhere, relation))
}

/// Says of what the tracer cannot follow what else there is.
fn without_pattern(mut fault: Box<Diagnostic>) -> Box<Diagnostic> {
    if fault.code == "E0717" {
        "there is no pattern of data that nests so deep".clone_into(&mut fault.title);
        fault.labels.iter_mut().for_each(|label| label.text.clear());
        fault.notes = vec!["constructors may nest 20,000 deep".to_owned()];
        fault.hints.clear();
        return Box::new(fault.hint("leave out `--sparse`"));
    }
    fault
}

fn dense(
    engine: &Engine,
    prepared: &Prepared,
    value: &Value,
    space: &Space,
    wanted: Wanted,
) -> Result<Found, Box<Diagnostic>> {
    let (rows, columns) = (space.rows.len(), space.columns.len());
    let limits = &engine.options().limits;
    let bytes = 24 * rows as u128 * columns as u128;
    if bytes > limits.room() as u128 {
        let request = Some(Request { bytes, used: limits.max_memory - limits.room() });
        let fault = Fault::Memory { limit: limits.max_memory, request };
        return Err(Box::new(fault.diagnostic(prepared.entry)));
    }
    let runs = Runs { engine, prepared, forward: OnceCell::new(), reverse: OnceCell::new() };
    let mut matrix = vec![vec![0.0; columns]; rows];
    if wanted == Wanted::Jacobian && rows < columns {
        for (row, line) in matrix.iter_mut().enumerate() {
            *line = runs.sweep(value, space, &Sweep::Reverse(vec![row as u32]))?;
        }
    } else {
        for column in 0..columns {
            let answer = runs.sweep(value, space, &Sweep::Forward(vec![column as u32]))?;
            for (line, x) in matrix.iter_mut().zip(answer) {
                line[column] = x;
            }
        }
    }
    if rows == 0 {
        let none = pullback_eval::Array::without_rows(&[columns]);
        return Ok(Found::Dense(Value::Array(std::rc::Rc::new(none))));
    }
    Ok(Found::Dense(Value::array(matrix.into_iter().map(Value::reals).collect())))
}
