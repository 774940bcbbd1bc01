//! Functions of text, asked for values and derivatives, against the oracle.
//!
//! A file defines `of_NAME`, a function of one argument, and `at_NAME`, an array or tuple of points. At every
//! point, along random directions, value, first and second derivatives (forward, reverse and the four
//! mixtures) must be the oracle's, which evaluates the calculus over Taylor series and complex numbers, knows
//! no rule of differentiation, and evaluates a function with a custom rule as the function alone. Where the
//! function itself takes derivatives, which the oracle cannot, differences of values stand in.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;

use pullback_base::{SourceMap, Style, render};
use pullback_engines::{REGISTRY, trace_engine};
use pullback_lambda::{DefId, Program};
use pullback_oracle::{
    Contender, Data, ErrorKind, Failure, Opened, Outcome, Ready, difference_quotients, eval_f64,
    jvp_complex_step, taylor,
};
use pullback_session::{Call, Disk, Overlay, Query};
use pullback_tools::show;

use crate::held::rendered;

/// How far derivatives may be from the oracle's, beside their size.
const TOLERANCE: f64 = 1e-9;
/// The same where the oracle can only take differences.
const DIFFERENCE_TOLERANCE: f64 = 1e-6;

/// The names after `of_` in a text, in order.
pub fn ways(text: &str) -> Vec<String> {
    let name = |line: &str| Some(line.strip_prefix("def of_")?.split_once(' ')?.0.to_owned());
    text.lines().filter_map(name).collect()
}

/// The functions of a text as a program, with the derivatives that are asked for.
pub struct Questions {
    program: Program,
    defs: BTreeMap<String, DefId>,
    /// The evaluator with `trace`, for points and differences.
    reference: Asked,
}

/// A contender with a program, and the definitions that are ready to be applied.
pub struct Asked {
    /// Its name.
    pub name: String,
    opened: Opened,
    ready: RefCell<BTreeMap<DefId, Ready>>,
}

impl Asked {
    fn new(contender: &Contender, program: &Program) -> Self {
        let name = contender.name.clone();
        Self { name, opened: contender.open(program), ready: RefCell::default() }
    }

    fn run(&self, def: DefId, args: &[Data<f64>]) -> Outcome {
        let mut ready = self.ready.borrow_mut();
        ready.entry(def).or_insert_with(|| (self.opened)(def))(args)
    }
}

/// Why a contender does not answer as it should.
#[derive(Debug)]
pub enum Wrong {
    /// It said that the program is outside what it can do.
    Refused,
    /// It gave something else, or failed.
    Answer(String),
}

impl From<String> for Wrong {
    fn from(told: String) -> Self {
        Self::Answer(told)
    }
}

impl Questions {
    /// The questions to the functions of a text, which stands at this path.
    pub fn new(path: &Path, text: &str) -> Result<Self, String> {
        let mut text = text.to_owned();
        for way in ways(&text) {
            text.push_str(&format!(
                "
def jvp_{way} p v = jvp of_{way} p v
def rd_{way} p u = rd of_{way} p u
def ff_{way} p v = (jvp (\\q -> (jvp of_{way} q v).1) p v).1
def fr_{way} p u v = (jvp (\\q -> rd of_{way} q u) p v).1
def rf_{way} p u v = rd (\\q -> (jvp of_{way} q v).1) p u
def rr_{way} p u v = rd (\\q -> rd of_{way} q u) p v
"
            ));
        }
        let mut files = Overlay::over(Box::new(Disk));
        files.put(path, text);
        let mut query = Query::new(&files, REGISTRY);
        let call = Call { file: path.to_owned(), ..Call::default() };
        let Ok(text) = show(&mut query, &call, "lambda") else {
            return Err(rendered(&query, &query.diagnostics));
        };
        let mut sources = SourceMap::default();
        let file = sources.add("<lambda>", text.clone());
        let mut program = pullback_lambda::parse(&text, file)
            .map_err(|problem| render(&sources, &problem, Style::Plain))?;
        program.verify_passes = true;
        let defs = program.defs.ids().map(|id| (program.defs[id].name.to_string(), id)).collect();
        let reference = Asked::new(&Contender::machine("trace", trace_engine()), &program);
        Ok(Self { program, defs, reference })
    }

    /// A contender that is to be asked.
    pub fn ask(&self, contender: &Contender) -> Asked {
        Asked::new(contender, &self.program)
    }

    fn def(&self, kind: &str, way: &str) -> Result<DefId, String> {
        let name = format!("{kind}_{way}");
        self.defs.get(&name).copied().ok_or_else(|| format!("`{name}` is missing"))
    }

    fn known(&self, def: DefId, args: &[Data<f64>]) -> Result<Data<f64>, String> {
        self.reference.run(def, args).map_err(|failure| failure.to_string())
    }

    /// The points of a way.
    pub fn points(&self, way: &str) -> Result<Vec<Data<f64>>, String> {
        let at = self.known(self.def("at", way)?, &[])?;
        if let Data::Array(points) | Data::Tuple(points) = at
            && !points.is_empty()
        {
            return Ok(points);
        }
        Err("the points are neither an array nor a tuple".to_owned())
    }

    fn truth(&self, way: &str, point: &Data<f64>, direction: &[f64]) -> Result<Truth, String> {
        let (of, args) = (self.def("of", way)?, std::slice::from_ref(point));
        let series = match taylor(&self.program, of, args, direction, 2) {
            Ok(series) => series,
            Err(error) if matches!(error.kind, ErrorKind::Unsupported | ErrorKind::Limit) => {
                return self.differences(way, point, direction);
            }
            Err(error) => return Err(format!("the oracle: {error}")),
        };
        let value = eval_f64(&self.program, of, args).map_err(|error| error.to_string())?.leaves();
        let column = |k: usize, factor: f64| -> Vec<f64> {
            series.iter().map(|coefficients| coefficients[k] * factor).collect()
        };
        let (first, second) = (column(1, 1.0), column(2, 2.0));
        // The oracle's two ways must agree with each other; the complex step is no small step beside
        // numbers that are smaller.
        let tiny = point.leaves().iter().any(|x| *x != 0.0 && x.abs() < 1e-80);
        if let (Ok((_, slopes)), false) =
            (jvp_complex_step(&self.program, of, args, direction), tiny)
        {
            let size = 1e-60 + first.iter().fold(0.0, |size: f64, x| size.max(x.abs()));
            let apart = first.iter().zip(&slopes).any(|(a, b)| (a - b).abs() > TOLERANCE * size);
            if apart {
                return Err(format!("the oracle's ways differ: {first:?} and {slopes:?}"));
            }
        }
        Ok(Truth { value, first, second, tolerance: TOLERANCE })
    }

    /// The truth by differences, for functions that take derivatives themselves.
    fn differences(
        &self,
        way: &str,
        point: &Data<f64>,
        direction: &[f64],
    ) -> Result<Truth, String> {
        let moved = |t: f64| {
            let mut components = direction.iter();
            point.map(&mut |x| x + t * components.next().copied().unwrap_or_default())
        };
        let mut components = direction.iter();
        let tangent = Random(0).tangent(point).map(&mut |_| *components.next().unwrap_or(&0.0));
        let (of, jvp) = (self.def("of", way)?, self.def("jvp", way)?);
        let value = self.known(of, std::slice::from_ref(point))?.leaves();
        let at = |t: f64| -> Result<Vec<f64>, String> { Ok(self.known(of, &[moved(t)])?.leaves()) };
        let slope_at = |t: f64| -> Result<Vec<f64>, String> {
            let pair = self.known(jvp, &[moved(t), tangent.clone()])?;
            Ok(parts(&pair)?.1.leaves())
        };
        let first = difference_quotients(at, 0.01)?;
        let second = difference_quotients(slope_at, 0.01)?;
        let numbers = |estimates: Vec<pullback_oracle::Estimate>| {
            estimates.iter().map(|estimate| estimate.value).collect()
        };
        let (first, second) = (numbers(first), numbers(second));
        Ok(Truth { value, first, second, tolerance: DIFFERENCE_TOLERANCE })
    }

    /// Compares a contender with the oracle at a point along a random direction: the value, the first
    /// derivatives, and the second ones if they are wanted.
    pub fn check(
        &self,
        asked: &Asked,
        way: &str,
        point: &Data<f64>,
        random: &mut Random,
        second: bool,
    ) -> Result<(), Wrong> {
        let x_dot = random.tangent(point);
        let direction = x_dot.leaves();
        let truth = self.truth(way, point, &direction)?;
        let run = |kind: &str, args: &[&Data<f64>]| {
            let args: Vec<Data<f64>> = args.iter().map(|arg| (*arg).clone()).collect();
            asked.run(self.def(kind, way)?, &args).map_err(|failure| match failure {
                Failure::Refused(_) => Wrong::Refused,
                Failure::RunTime(_) | Failure::Other(_) => {
                    Wrong::Answer(format!("{kind}: {failure}"))
                }
            })
        };
        let near = |what: &str, answer: &[f64], expected: &[f64]| {
            let size = expected.iter().fold(0.0, |size: f64, x| size.max(x.abs()));
            let bound = truth.tolerance * (size + 1e-3);
            let near = answer.len() == expected.len()
                && answer.iter().zip(expected).all(|(a, b)| (a - b).abs() <= bound);
            if near {
                Ok(())
            } else {
                Err(format!("{what} along {direction:?} is {answer:?} and should be {expected:?}"))
            }
        };
        let forward = run("jvp", &[point, &x_dot])?;
        let (y, y_dot) = parts(&forward)?;
        near("the value", &y.leaves(), &truth.value)?;
        near("the derivative", &y_dot.leaves(), &truth.first)?;
        let u = random.tangent(y);
        let weights = u.leaves();
        let x_bar = run("rd", &[point, &u])?.leaves();
        adjoint(
            "reverse",
            dot(&x_bar, &direction),
            &products(&weights, &truth.first),
            truth.tolerance,
        )?;
        if !second {
            return Ok(());
        }
        near("the second derivative", &run("ff", &[point, &x_dot])?.leaves(), &truth.second)?;
        let terms = products(&weights, &truth.second);
        for kind in ["fr", "rf", "rr"] {
            let covector = run(kind, &[point, &u, &x_dot])?.leaves();
            adjoint(kind, dot(&covector, &direction), &terms, truth.tolerance)?;
        }
        Ok(())
    }
}

/// Numbers between -1 and 1, none of them near 0, the same every time.
pub struct Random(pub u64);

impl Random {
    /// The next one.
    pub fn number(&mut self) -> f64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let x = (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0;
        x + 0.1 * x.signum()
    }

    /// A random tangent of a value.
    fn tangent(&mut self, at: &Data<f64>) -> Data<f64> {
        let mut all = |items: &[Data<f64>]| items.iter().map(|item| self.tangent(item)).collect();
        match at {
            Data::Tuple(items) => Data::Tuple(all(items)),
            Data::Con(tag, items) => Data::Con(*tag, all(items)),
            Data::Array(items) => Data::Array(all(items)),
            Data::Real(_) => Data::Real(self.number()),
            Data::Int(_) | Data::Bool(_) | Data::Str(_) => Data::Tuple(vec![]),
        }
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// What the oracle knows of a function along a direction: its value, and the first and second
/// derivative, with how far off they may be.
struct Truth {
    value: Vec<f64>,
    first: Vec<f64>,
    second: Vec<f64>,
    tolerance: f64,
}

fn products(a: &[f64], b: &[f64]) -> Vec<f64> {
    a.iter().zip(b).map(|(x, y)| x * y).collect()
}

/// A number against the sum of some terms, on the scale of the terms.
fn adjoint(what: &str, answer: f64, terms: &[f64], tolerance: f64) -> Result<(), String> {
    let size: f64 = terms.iter().map(|term| term.abs()).sum();
    let expected: f64 = terms.iter().sum();
    if (answer - expected).abs() <= 10.0 * tolerance * (size + 1e-3) {
        Ok(())
    } else {
        Err(format!("{what}: the pairing is {answer} and should be {expected}"))
    }
}

/// The parts of a pair.
fn parts(pair: &Data<f64>) -> Result<(&Data<f64>, &Data<f64>), String> {
    if let Data::Tuple(items) = pair
        && let [first, second] = items.as_slice()
    {
        return Ok((first, second));
    }
    Err("no pair".to_owned())
}
