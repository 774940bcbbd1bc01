//! `bench`: how long an entry and its derivatives take, and what they cost.
//!
//! Input: a [`Call`] and how much is to be measured. Output: a [`BenchReport`]. A function is compiled once for each thing
//! that is asked of it; its arguments are put in place, it runs until it is warm, and then as often as was asked. Times
//! are medians of this machine; operations and bytes are counted by the evaluator of the array code, and are exact. That
//! takes many times as long as native code does, so without being asked it counts only what is short.

use std::time::Duration;

use pullback_base::Diagnostic;
use pullback_compile::{Asked, Packing};
use pullback_data::output::push_json_string;
use pullback_data::shape::tangent_like;
use pullback_eval::{Budget, Options, Value};
use pullback_lambda::TypeKind;
use pullback_session::call::{Prepared, Purpose, prepare};
use pullback_session::engine::Engine;
use pullback_session::parts::{components, whole};
use pullback_session::{Call, Query, Settings, Stop};

use crate::bug::bug;
use crate::table::{aligned, duration};
use crate::timed::{Account, Timed, is_timed};

/// How much is measured.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// The least number of runs.
    pub runs: usize,
    /// What the runs take together at least.
    pub time: Duration,
    /// Whether operations are counted however long that takes.
    pub count: bool,
}

/// What an entry and its derivatives take.
pub struct BenchReport {
    entry: String,
    engine: &'static str,
    rows: Vec<Row>,
}

/// What one of them takes.
struct Row {
    name: &'static str,
    /// The times of all runs, in order of length.
    times: Vec<Duration>,
    account: Option<Account>,
}

/// The steps, as those of the evaluator, that are counted without being asked: they take about a tenth of a second.
const FEW: u64 = 1_000_000;

/// As many runs tell all that there is to tell.
const ENOUGH: usize = 100_000;

/// What is measured: a name, and what is asked.
const ALL: [(&str, Asked); 4] =
    [("value", Asked::Value), ("jvp", Asked::Jvp), ("vjp", Asked::Vjp), ("grad", Asked::Gradient)];

/// Measures an entry. `progress` is told what is being done, and how much of all that is done.
pub fn bench(
    query: &mut Query<'_>,
    call: &Call,
    wrt: &[String],
    effort: Effort,
    progress: &mut dyn FnMut(&str, f64),
) -> Result<BenchReport, Stop> {
    let name = call.settings.engine.clone().unwrap_or_else(|| "native".to_owned());
    let settings = Settings { engine: Some(name), tell: None, ..call.settings.clone() };
    let engine = Engine::resolve(query, &settings)?;
    if let Err(diagnostic) = is_timed(&engine) {
        return query.fail(*diagnostic);
    }
    let prepared = prepare(query, call, &engine.for_preparation(), &Purpose::Times(wrt))?;
    let is_scalar = matches!(prepared.result.kind(), TypeKind::Real);
    let moves = prepared.parts.iter().any(|part| part.wrt);
    let all = match (moves, is_scalar) {
        (false, _) => &ALL[..1],
        (true, false) => &ALL[..3],
        (true, true) => &ALL[..],
    };
    let mut engine = if call.settings.engine.is_none() { engine.unnamed() } else { engine };
    let tangent = ones(&prepared);
    let (mut rows, mut cotangent) = (vec![], Value::Real(1.0));
    for (at, (name, asked)) in all.iter().enumerate() {
        let done = |part: f64| (at as f64 + part) / all.len() as f64;
        let direction = if *asked == Asked::Jvp { &tangent } else { &cotangent };
        progress(&format!("compiling {name}"), done(0.0));
        let code = prepared.code.shared();
        let along = (*asked == Asked::Jvp).then_some(direction);
        let packing = Packing::along(&code, prepared.function, &prepared.argument, along);
        let make =
            |engine: &Engine| Timed::new(engine, &code, prepared.function, *asked, packing.clone());
        let mut timed = make(&engine);
        if let Err(fault) = &timed
            && let Some(other) = engine.instead(query, fault)
        {
            engine = other;
            timed = make(&engine);
        }
        let measured = timed.and_then(|timed| {
            progress(&format!("counting {name}"), done(0.3));
            let account = counted(&timed, &engine, &prepared.argument, direction, effort)?;
            progress(&format!("running {name}"), done(0.5));
            let (times, value) = times(&timed, &engine, &prepared.argument, direction, effort)?;
            Ok((account, times, value))
        });
        let (account, times, value) = measured.or_else(|fault| query.fail(*fault))?;
        if *asked == Asked::Value {
            cotangent = tangent_like(&value, &mut |_| 1.0);
        }
        rows.push(Row { name, times, account });
    }
    progress("done", 1.0);
    Ok(BenchReport { entry: call.entry.clone(), engine: engine.name(), rows })
}

/// The tangent that is one for all that the derivative is with respect to.
fn ones(prepared: &Prepared) -> Value {
    let values = components(&prepared.argument, prepared.parts.len());
    let along = values.iter().zip(&prepared.parts).map(|(value, part)| {
        let one = if part.wrt { 1.0 } else { 0.0 };
        tangent_like(value, &mut |_| one)
    });
    whole(along.collect())
}

/// What a run costs, unless it is long and nobody asked for it. What is measured in the evaluator takes no longer there.
fn counted(
    timed: &Timed,
    engine: &Engine,
    argument: &Value,
    direction: &Value,
    effort: Effort,
) -> Result<Option<Account>, Box<Diagnostic>> {
    let budget = Budget { steps: FEW, exceeded: "this takes more steps than are counted" };
    let is_short = !effort.count && engine.is_native();
    let options = engine.options().clone();
    let budget = if is_short { Some(budget) } else { options.budget };
    match timed.account(argument, direction, &Options { budget, ..options }) {
        Ok(account) => Ok(Some(account)),
        Err(fault) if is_short && fault.code == "E0719" => Ok(None),
        Err(fault) => Err(fault),
    }
}

/// The times of runs, shortest first, after some that warm up: as many as fit into a tenth of the time.
fn times(
    timed: &Timed,
    engine: &Engine,
    argument: &Value,
    direction: &Value,
    effort: Effort,
) -> Result<(Vec<Duration>, Value), Box<Diagnostic>> {
    let (mut warming, mut total, mut times) = (Duration::ZERO, Duration::ZERO, vec![]);
    let mut is_warm = false;
    let (value, _) = timed.run(argument, Some(direction), engine.options(), &mut |ran| {
        if !is_warm {
            warming += ran.time;
            is_warm = warming >= effort.time / 10;
            return true;
        }
        times.push(ran.time);
        total += ran.time;
        times.len() < effort.runs || (total < effort.time && times.len() < ENOUGH)
    })?;
    times.sort();
    Ok((times, value))
}

impl Row {
    fn at(&self, place: usize) -> Duration {
        *self.times.get(place).unwrap_or_else(|| bug("what is measured runs"))
    }
    fn median(&self) -> Duration {
        self.at(self.times.len() / 2)
    }
    /// The operations, the bytes that are allocated, and the most of them at once, as far as they are counted.
    fn counts(&self) -> [Option<u64>; 3] {
        let Some(Account { operations, bytes, peak }) = self.account else { return [None; 3] };
        [Some(operations), bytes, peak]
    }
}

impl BenchReport {
    fn ratio(&self, row: &Row) -> f64 {
        let value = self.rows.first().map_or(Duration::ZERO, Row::median);
        row.median().as_secs_f64() / value.as_secs_f64().max(1e-9)
    }

    /// A table.
    pub fn text(&self) -> String {
        let runs: Vec<String> = self.rows.iter().map(|row| row.times.len().to_string()).collect();
        let head = ["", "time", "ratio", "least", "operations", "bytes", "peak"];
        let mut table = vec![head.map(str::to_owned).to_vec()];
        for row in &self.rows {
            let [operations, bytes, peak] = row.counts();
            let or_dash =
                |count: Option<u64>| count.map_or_else(|| "-".to_owned(), |n| n.to_string());
            table.push(vec![
                row.name.to_owned(),
                duration(row.median()),
                format!("{:.2}", self.ratio(row)),
                duration(row.at(0)),
                or_dash(operations),
                or_dash(bytes),
                or_dash(peak),
            ]);
        }
        let (entry, engine, runs) = (&self.entry, self.engine, runs.join(", "));
        let is_whole = self.rows.iter().all(|row| row.account.is_some());
        let rest = if is_whole { "" } else { "\n`--count` counts what is long too" };
        format!("{entry} on {engine}: medians of {runs} runs\n{}{rest}", aligned(table).trim_end())
    }

    /// The same as JSON, with times in nanoseconds.
    pub fn json(&self) -> String {
        let mut text = String::from("{\"entry\": ");
        push_json_string(&mut text, &self.entry);
        text.push_str(&format!(", \"engine\": \"{}\"", self.engine));
        for row in &self.rows {
            let [operations, bytes, peak] = row.counts();
            let or_null =
                |count: Option<u64>| count.map_or_else(|| "null".to_owned(), |n| n.to_string());
            text.push_str(&format!(
                ", \"{}\": {{\"median\": {}, \"ratio\": {:.4}, \"least\": {}, \"runs\": {}, \
                 \"operations\": {}, \"bytes\": {}, \"peak\": {}}}",
                row.name,
                row.median().as_nanos(),
                self.ratio(row),
                row.at(0).as_nanos(),
                row.times.len(),
                or_null(operations),
                or_null(bytes),
                or_null(peak),
            ));
        }
        text.push('}');
        text
    }
}
