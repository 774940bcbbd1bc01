//! Tests of lowering and of differentiation as text: a program of the stage before, and after `--- becomes` what is made
//! of it.
//!
//! `tests/lower` has definitions of the calculus, and the IR of them, or of the one in the line `--@ root NAME`.
//! `tests/jvp`, `tests/unzip` and `tests/transpose`
//! have a program of the IR. The first function of it, or that of the line `--@ function @f`, is differentiated by all
//! parameters that have tangents. Unzipping and transposition show what comes in too, under `--- from`: the function
//! with tangents, or its halves.
//!
//! Each file of a derivative is also run, where all parameters and results are numbers or arrays of them: what is made
//! keeps the law of its pass at one point, in one direction.

use pullback_ad::{Until, derivation};
use pullback_ir::eval::{Image, Items, Limits, Machine, Shape, Value};
use pullback_ir::{Elem, FuncId, Program, Stage, Type, trimmed};
use pullback_lower::lower;

use crate::ir_text::{keeps_rules, read};

const FROM: &str = "--- from\n";
const BECOMES: &str = "--- becomes\n";

/// The text that a test of lowering should be, from the one that it is.
pub fn lower_test(text: &str) -> Result<String, String> {
    let before = text.split(BECOMES).next().unwrap_or_default();
    let code: String = before
        .lines()
        .filter(|line| !line.starts_with("--"))
        .map(|line| format!("{line}\n"))
        .collect();
    let source = crate::calculus::read(&code)?;
    let named = before.lines().find_map(|line| line.strip_prefix("--@ root "));
    let is_root = |name: &str| named.is_none_or(|root| root == name);
    let defs = source.defs.iter_enumerated().filter(|(_, def)| is_root(def.name.as_str()));
    let roots: Vec<_> = defs.map(|(id, _)| id).collect();
    let lowered = lower(&source, &roots);
    keeps_rules(&lowered.program, Stage::default())?;
    Ok(format!("{}\n\n{BECOMES}{}", before.trim_end(), lowered.program.print()))
}

/// The text that a test of forward mode should be.
pub fn jvp_test(text: &str) -> Result<String, String> {
    let case = Case::read(text)?;
    let becomes = case.text(Until::Jvp)?;
    case.is_derivative()?;
    Ok(format!("{}\n\n{BECOMES}{becomes}", case.before))
}

/// The text that a test of unzipping should be.
pub fn unzip_test(text: &str) -> Result<String, String> {
    let case = Case::read(text)?;
    let (from, becomes) = (case.text(Until::Jvp)?, case.text(Until::Unzip)?);
    case.is_split()?;
    Ok(format!("{}\n\n{FROM}{from}\n{BECOMES}{becomes}", case.before))
}

/// The text that a test of transposition should be.
pub fn transpose_test(text: &str) -> Result<String, String> {
    let case = Case::read(text)?;
    let (from, becomes) = (case.text(Until::Unzip)?, case.text(Until::Transpose)?);
    case.is_adjoint()?;
    Ok(format!("{}\n\n{FROM}{from}\n{BECOMES}{becomes}", case.before))
}

/// A function to differentiate.
struct Case<'t> {
    before: &'t str,
    program: Program,
    func: FuncId,
}

impl<'t> Case<'t> {
    fn read(text: &'t str) -> Result<Self, String> {
        let before = text.split(FROM).next().unwrap_or_default();
        let before = before.split(BECOMES).next().unwrap_or_default().trim_end();
        let program = read(before)?;
        keeps_rules(&program, Stage::default())?;
        let name = before.lines().find_map(|line| line.strip_prefix("--@ function @"));
        let is_named =
            |func: &FuncId| name.is_none_or(|name| program.funcs[*func].name.as_str() == name);
        let func = program.funcs.ids().find(is_named).ok_or("there is no such function")?;
        Ok(Self { before, program, func })
    }

    /// What is made of the function, and which functions those are.
    fn made(&self, until: Until) -> Result<(Program, Vec<FuncId>), String> {
        let made = derivation(self.program.clone(), self.func, until, &mut |code, _| code);
        let (program, roots) = made.map_err(|problem| problem.title)?;
        keeps_rules(&program, Stage { resolved: true, linear: until == Until::Jvp })?;
        Ok((program, roots))
    }

    fn text(&self, until: Until) -> Result<String, String> {
        let (program, roots) = self.made(until)?;
        Ok(trimmed(&program, &roots).0.print())
    }

    /// Arguments of the function, if these and the results are numbers and arrays of them.
    fn point(&self) -> Option<Vec<Value>> {
        let func = &self.program.funcs[self.func];
        let types: Vec<Type> = func.params.iter().map(|var| self.program.vars[*var].ty).collect();
        let results = func.results.iter().all(|ty| ty.elem == Elem::Real);
        values(&types, 0.6).filter(|_| results)
    }

    /// A direction for arguments: the tangents of those that have any.
    fn direction(&self) -> Vec<Value> {
        let func = &self.program.funcs[self.func];
        let types = func.params.iter().map(|var| self.program.vars[*var].ty);
        let moving: Vec<Type> = types.filter(|ty| ty.elem == Elem::Real).collect();
        values(&moving, -0.9).unwrap_or_default()
    }

    /// The values are those of the function, and the tangents are what differences of values come near.
    fn is_derivative(&self) -> Result<(), String> {
        let Some(point) = self.point() else { return Ok(()) };
        let (program, roots) = self.made(Until::Jvp)?;
        let direction = self.direction();
        let both = run(&program, roots[0], [point.clone(), direction.clone()].concat())?;
        let (values, tangents) = both.split_at(both.len() / 2);
        let at = |step: f64| run(&self.program, self.func, moved(&point, &direction, step));
        let (ahead, behind) = (numbers(&at(1e-5)?), numbers(&at(-1e-5)?));
        let slopes: Vec<f64> = ahead.iter().zip(behind).map(|(a, b)| (a - b) / 2e-5).collect();
        are_near("the values", &numbers(values), &numbers(&at(0.0)?), 0.0)?;
        are_near("the tangents", &numbers(tangents), &slopes, 1e-6)
    }

    /// Both halves together give what the function with tangents gives.
    fn is_split(&self) -> Result<(), String> {
        let Some(point) = self.point() else { return Ok(()) };
        let direction = self.direction();
        let (program, roots) = self.made(Until::Jvp)?;
        let whole = run(&program, roots[0], [point.clone(), direction.clone()].concat())?;
        let (values, residuals, program, push) = self.forward(Until::Unzip, point)?;
        let tangents = run(&program, push, [residuals, direction].concat())?;
        are_near("both halves", &numbers(&[values, tangents].concat()), &numbers(&whole), 0.0)
    }

    /// `⟨u, L v⟩ = ⟨Lᵀ u, v⟩`
    fn is_adjoint(&self) -> Result<(), String> {
        let Some(point) = self.point() else { return Ok(()) };
        let direction = self.direction();
        let (_, residuals, program, push) = self.forward(Until::Unzip, point.clone())?;
        let tangents = run(&program, push, [residuals, direction.clone()].concat())?;
        let (values, residuals, program, pull) = self.forward(Until::Transpose, point)?;
        let cotangents = moved(&values, &values, 1.0);
        let adjoint = run(&program, pull, [residuals, cotangents.clone()].concat())?;
        let product = |one: &[Value], other: &[Value]| -> f64 {
            numbers(one).iter().zip(numbers(other)).map(|(x, y)| x * y).sum()
        };
        let (push, pull) = (product(&cotangents, &tangents), product(&adjoint, &direction));
        are_near("the products", &[pull], &[push], 1e-12)
    }

    /// The values and residuals of the first half, and the program with the second half.
    fn forward(
        &self,
        until: Until,
        point: Vec<Value>,
    ) -> Result<(Vec<Value>, Vec<Value>, Program, FuncId), String> {
        let (program, roots) = self.made(until)?;
        let mut values = run(&program, roots[0], point)?;
        let residuals = values.split_off(self.program.funcs[self.func].results.len());
        Ok((values, residuals, program, roots[1]))
    }
}

fn run(program: &Program, func: FuncId, args: Vec<Value>) -> Result<Vec<Value>, String> {
    let image = Image::new(program);
    let mut machine = Machine::new(&image, Limits::default());
    machine.call(func, args).map_err(|problem| problem.title)
}

/// Values of these types, if they are numbers or arrays of them: Ints are 2, and arrays have 3 rows.
fn values(types: &[Type], first: f64) -> Option<Vec<Value>> {
    let mut next = first;
    let mut number = || {
        next += 0.35;
        next
    };
    let value = |ty: &Type| match (ty.elem, ty.rank) {
        (Elem::Int, 0) => Some(Value::Int(2)),
        (Elem::Bool, 0) => Some(Value::Bool(true)),
        (Elem::Real, 0) => Some(Value::Real(number())),
        (Elem::Real, rank) => {
            let sizes = vec![3; usize::from(rank)];
            let items = (0..sizes.iter().product()).map(|_| number()).collect();
            Some(Value::array(Shape::new(&sizes), Items::Real(items)))
        }
        _ => None,
    };
    types.iter().map(value).collect()
}

/// A point moved along a direction, in which only Reals have a part.
fn moved(point: &[Value], direction: &[Value], step: f64) -> Vec<Value> {
    let mut parts = direction.iter();
    let value = |value: &Value| {
        if numbers(std::slice::from_ref(value)).is_empty() {
            return value.clone();
        }
        let part = numbers(&parts.next().cloned().into_iter().collect::<Vec<_>>());
        let items: Vec<f64> = numbers(std::slice::from_ref(value))
            .into_iter()
            .zip(part)
            .map(|(x, dx)| x + step * dx)
            .collect();
        match value.as_array() {
            Some(array) => Value::array(Shape::new(array.sizes()), Items::Real(items)),
            None => Value::Real(items[0]),
        }
    };
    point.iter().map(value).collect()
}

/// The Reals in values.
fn numbers(values: &[Value]) -> Vec<f64> {
    let of = |value: &Value| match value.as_array() {
        Some(array) => array.reals().map(<[f64]>::to_vec).unwrap_or_default(),
        None => value.as_real().into_iter().collect(),
    };
    values.iter().flat_map(of).collect()
}

fn are_near(what: &str, ours: &[f64], wanted: &[f64], within: f64) -> Result<(), String> {
    let is_near = |(x, y): (&f64, &f64)| (x - y).abs() <= within * y.abs().max(1.0);
    if ours.len() == wanted.len() && ours.iter().zip(wanted).all(is_near) {
        return Ok(());
    }
    Err(format!("{what} are {ours:?} and should be {wanted:?}"))
}
