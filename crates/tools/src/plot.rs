//! `plot`: functions with their derivatives over a range, histories, and functions of two numbers as heat maps.
//!
//! Input: a [`Call`] without its entry, and a [`Plot`]: entries and ranges (`range`). Output: a [`Figure`], which is drawn as SVG or
//! in a terminal. A parameter that the call gives nothing to goes through the range; an entry that lacks nothing is a
//! history. Where a value is NaN or infinite there is a gap.

mod figure;
mod range;
mod scale;

mod svg;
mod terminal;

use pullback_base::{Diagnostic, Span};
use pullback_compile::{Asked, Mode, Packing};
use pullback_engines::How;
use pullback_eval::Value;
use pullback_lambda::TypeKind;

use crate::bug::bug;
use crate::timed::Timed;
use pullback_data::shape::tangent_like;
use pullback_data::value::{View, view};
use pullback_session::arguments::Inputs;
use pullback_session::call::{Prepared, Purpose, prepare_in};
use pullback_session::engine::Engine;
use pullback_session::load::load;
use pullback_session::parts::{components, whole};
use pullback_session::{Call, Query, Settings, Stop};

pub use figure::Figure;
use figure::{Curve, Heat, Points, Stroke};
use range::{Range, range};

/// The most curves of an entry that gives an array.
const CURVES: usize = 8;

/// What is plotted.
#[derive(Clone, Debug)]
pub struct Plot {
    /// The definitions.
    pub entries: Vec<String>,
    /// The range of the parameter that is given nothing: two expressions in the scope of the file.
    pub range: Option<(String, String)>,
    /// The range of the second one, if it is another.
    pub second: Option<(String, String)>,
    /// At how many places a function is evaluated.
    pub points: usize,
    /// At how many places each way a function of two numbers is evaluated.
    pub grid: (usize, usize),
    /// Whether derivatives are drawn.
    pub derivatives: bool,
}

/// What one entry adds to the figure.
enum Drawn {
    /// Curves over the range of a parameter.
    Over(String, Vec<Curve>),
    /// Curves over the index.
    History(Vec<Curve>),
    /// A heat map.
    Heat(Heat),
}

/// Evaluates what is to be drawn.
pub fn plot(query: &mut Query<'_>, call: &Call, asked: &Plot) -> Result<Figure, Stop> {
    // The function is run at many points, of which nobody wants to hear.
    let settings = Settings { tell: None, ..call.settings.clone() };
    let engine = Engine::resolve(query, &settings)?;
    let modules = load(query, &call.file)?;
    let mut found = Vec::new();
    for texts in asked.range.iter().chain(&asked.second) {
        found.push(range(query, &modules, &engine.evaluated(), texts)?);
    }
    let ranges = found.first().map(|first| [*first, *found.last().unwrap_or(first)]);
    let mut inputs = Inputs::shared_by(asked.entries.len());
    let (mut drawn, mut place) = (Vec::new(), Span::NONE);
    for entry in &asked.entries {
        let free = ranges.map_or(vec![], |[x, y]| vec![x.0, y.0]);
        let call = Call { entry: entry.clone(), free, ..call.clone() };
        let purpose = Purpose::Samples;
        let prepared = prepare_in(query, &modules, &call, &mut inputs, &engine, &purpose)?;
        place = prepared.entry;
        drawn.push(draw(query, (&engine, &prepared), entry, asked, ranges)?);
    }
    joined(query, drawn, ranges, place)
}

impl Figure {
    /// The plot as SVG.
    pub fn svg(&self) -> String {
        match self {
            Self::Curves { name, range, curves } => svg::curves(name, *range, curves),
            Self::Heat(heat) => svg::heat(heat),
        }
    }
    /// The plot in text of so many columns and lines, in colours or without.
    pub fn text(&self, size: (usize, usize), colours: bool) -> String {
        match self {
            Self::Curves { name, range, curves } => {
                terminal::curves(name, *range, curves, size, colours)
            }
            Self::Heat(heat) => terminal::heat(heat, size),
        }
    }
}

fn refuse<T>(query: &mut Query<'_>, span: Span, title: String, why: &str) -> Result<T, Stop> {
    query.fail(Diagnostic::error("E0828", span, title, "defined here").note(why))
}

/// One figure of what the entries gave.
fn joined(
    query: &mut Query<'_>,
    drawn: Vec<Drawn>,
    ranges: Option<[Range; 2]>,
    place: Span,
) -> Result<Figure, Stop> {
    let count = drawn.len();
    let (mut names, mut curves, mut histories, mut heats) = (vec![], vec![], 0, vec![]);
    for entry in drawn {
        match entry {
            Drawn::Over(name, more) => {
                names.push(name);
                curves.extend(more);
            }
            Drawn::History(more) => {
                histories += 1;
                curves.extend(more);
            }
            Drawn::Heat(heat) => heats.push(heat),
        }
    }
    let figure = match (heats.pop(), histories) {
        (Some(heat), _) if count == 1 => Figure::Heat(heat),
        (None, 0) => {
            let name = if names.iter().all(|name| *name == names[0]) { &names[0] } else { "x" };
            let [range, _] = ranges.unwrap_or_else(|| bug("what varies has a range"));
            Figure::Curves { name: name.to_owned(), range, curves }
        }
        (None, histories) if histories == count => {
            let last = curves.iter().map(|curve| curve.points.len()).max().unwrap_or(0);
            let range = (0.0, last.saturating_sub(1).max(1) as f64);
            Figure::Curves { name: "index".to_owned(), range, curves }
        }
        (Some(_), _) | (None, _) => {
            let title = "these do not go into one plot".to_owned();
            let why = "functions go with functions of one number, histories with histories, and a heat map stands alone";
            return refuse(query, Span::NONE, title, why);
        }
    };
    if figure.has_values() {
        return Ok(figure);
    }
    let title = "there is no finite value to draw".to_owned();
    refuse(query, place, title, "each value in the range is NaN or infinite")
}

fn draw(
    query: &mut Query<'_>,
    (engine, prepared): (&Engine, &Prepared),
    entry: &str,
    asked: &Plot,
    ranges: Option<[Range; 2]>,
) -> Result<Drawn, Stop> {
    let free: Vec<usize> =
        (0..prepared.parts.len()).filter(|at| prepared.parts[*at].is_free).collect();
    let kind = Kind::of(prepared);
    let fits = match (kind, free.len()) {
        (Some(Kind::Real | Kind::Int), 1 | 2) | (Some(Kind::Array), 0 | 1) => true,
        (Some(Kind::Real | Kind::Int), _) | (Some(Kind::Array), _) | (None, _) => false,
    };
    let Some(kind) = kind.filter(|_| fits) else {
        let ty = prepared.code.program().show_type(&prepared.result);
        let (title, why) = match free.len() {
            0 => (
                format!("`{entry}` is `{ty}`, which is no history"),
                "without a parameter that varies, an array of numbers is drawn against its index",
            ),
            1 => (
                format!("`{entry}` gives `{ty}`, which is no curve"),
                "a function of one number gives a number, or an array of numbers",
            ),
            _ => (
                format!("`{entry}` gives `{ty}`, which has no colour"),
                "a function of two numbers gives a number",
            ),
        };
        return refuse(query, prepared.entry, title, why);
    };
    if free.is_empty() && ranges.is_some() {
        let title = format!("`{entry}` has no parameter left that could vary");
        return refuse(query, prepared.entry, title, "`--from` and `--to` are its range");
    }
    let differentiated = kind == Kind::Real && free.len() == 1 && asked.derivatives;
    let sampler = Sampler::new(query, engine, (prepared, kind), free, differentiated)?;
    let ranges = ranges.unwrap_or([(0.0, 1.0); 2]);
    match sampler.free.as_slice() {
        [] => history(query, &sampler, entry),
        [x] => {
            let name = prepared.parts[*x].name.clone();
            let curves = curves(query, &sampler, entry, ranges[0], asked.points)?;
            Ok(Drawn::Over(name, curves))
        }
        [x, y, ..] => {
            let names = [*x, *y].map(|at| prepared.parts[at].name.clone());
            let heat = heat(query, &sampler, (entry, names), ranges, asked.grid)?;
            Ok(Drawn::Heat(heat))
        }
    }
}

/// What an entry gives.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Real,
    Int,
    Array,
}

impl Kind {
    fn of(prepared: &Prepared) -> Option<Self> {
        match prepared.result.kind() {
            TypeKind::Real => Some(Self::Real),
            TypeKind::Int => Some(Self::Int),
            TypeKind::Array(element)
                if matches!(element.kind(), TypeKind::Real | TypeKind::Int) =>
            {
                Some(Self::Array)
            }
            TypeKind::Array(_) | TypeKind::Bool | TypeKind::Str | TypeKind::Tuple(_) => None,
            TypeKind::Record(_) | TypeKind::Data(_) | TypeKind::Fun(..) => None,
        }
    }
}

/// Evaluates an entry at places; engines that compile do so once.
struct Sampler<'a> {
    engine: &'a Engine,
    prepared: &'a Prepared,
    kind: Kind,
    code: Option<Timed>,
    /// Which components of the argument vary.
    free: Vec<usize>,
    /// The tangent of the first of these.
    direction: Option<Value>,
}

impl<'a> Sampler<'a> {
    fn new(
        query: &mut Query<'_>,
        engine: &'a Engine,
        (prepared, kind): (&'a Prepared, Kind),
        free: Vec<usize>,
        differentiated: bool,
    ) -> Result<Self, Stop> {
        let values = components(&prepared.argument, prepared.parts.len());
        let direction = differentiated.then(|| {
            let tangent = |(at, value): (usize, &Value)| {
                let number = if free.contains(&at) { 1.0 } else { 0.0 };
                tangent_like(value, &mut |_| number)
            };
            whole(values.iter().enumerate().map(tangent).collect())
        });
        let asked = if differentiated { Asked::Jvp } else { Asked::Value };
        let code = match engine.how() {
            How::Transform { .. } => None,
            How::Compiled(_) | How::Runtime(_) => {
                let Prepared { function, argument, .. } = prepared;
                let program = prepared.code.shared();
                let packing = Packing::along(&program, *function, argument, direction.as_ref());
                let code = Timed::new(engine, &program, *function, asked, packing);
                Some(code.or_else(|fault| query.fail(*fault))?)
            }
        };
        Ok(Self { engine, prepared, kind, code, free, direction })
    }
    /// The value at a place, and the derivative if there is one.
    fn at(&self, query: &mut Query<'_>, place: &[f64]) -> Result<(Value, Option<f64>), Stop> {
        let Prepared { argument, parts, code, function, .. } = self.prepared;
        let mut values = components(argument, parts.len());
        for (at, number) in self.free.iter().zip(place) {
            values[*at] = Value::Real(*number);
        }
        let argument = if self.free.is_empty() { argument.clone() } else { whole(values) };
        let found = if let Some(code) = &self.code {
            code.run(&argument, self.direction.as_ref(), self.engine.options(), &mut |_| false)
        } else {
            let mode = self.direction.clone().map_or(Mode::Value, Mode::Jvp);
            let answer = self.engine.try_run(code, *function, argument, &mode);
            answer.map(|answer| (answer.value, answer.derivative))
        };
        let (value, derivative) = found.or_else(|fault| query.fail(*fault))?;
        Ok((value, derivative.as_ref().map(number)))
    }
}

/// The number that a value is.
fn number(value: &Value) -> f64 {
    match view(value) {
        View::Real(real) => real,
        View::Int(int) => int as f64,
        View::Bool(_) | View::Str(_) | View::Tuple(_) | View::Data(..) | View::Array(_) => {
            bug("what is drawn is a number")
        }
        View::Fun => bug("what is drawn is data"),
    }
}

fn numbers(value: &Value) -> Vec<f64> {
    match value.as_array() {
        Some(array) => array.iter().map(|item| number(&item)).collect(),
        None => vec![number(value)],
    }
}

fn history(query: &mut Query<'_>, sampler: &Sampler<'_>, entry: &str) -> Result<Drawn, Stop> {
    let (value, _) = sampler.at(query, &[])?;
    let points = numbers(&value).into_iter().enumerate();
    let points = points.map(|(index, number)| (index as f64, number)).collect();
    let (name, stroke) = (entry.to_owned(), Stroke::Solid);
    Ok(Drawn::History(vec![Curve { name, stroke, colour_of_previous: false, points }]))
}

/// A place of a range, of so many: both ends are places.
fn place((from, to): (f64, f64), at: usize, count: usize) -> f64 {
    let part = at as f64 / (count - 1) as f64;
    if at + 1 == count { to } else { from + part * (to - from) }
}

fn curves(
    query: &mut Query<'_>,
    sampler: &Sampler<'_>,
    entry: &str,
    range: (f64, f64),
    count: usize,
) -> Result<Vec<Curve>, Stop> {
    let (mut values, mut slopes): (Vec<Points>, Points) = (vec![], vec![]);
    for at in 0..count {
        let x = place(range, at, count);
        let (value, slope) = sampler.at(query, &[x])?;
        let found = numbers(&value);
        if at == 0 {
            values = vec![vec![]; found.len()];
        }
        if found.len() != values.len() || found.is_empty() || found.len() > CURVES {
            let title = format!("`{entry}` gives {} numbers at {x:?}", found.len());
            let why = format!("each number is a curve: 1 to {CURVES} of them, the same everywhere");
            return refuse(query, sampler.prepared.entry, title, &why);
        }
        values.iter_mut().zip(found).for_each(|(curve, y)| curve.push((x, y)));
        slopes.extend(slope.map(|slope| (x, slope)));
    }
    let named = |(at, points): (usize, Points)| {
        let name =
            if sampler.kind == Kind::Array { format!("{entry}[{at}]") } else { entry.to_owned() };
        Curve { name, stroke: Stroke::Solid, colour_of_previous: false, points }
    };
    let mut curves: Vec<Curve> = values.into_iter().enumerate().map(named).collect();
    if !slopes.is_empty() {
        let (name, stroke) = (format!("{entry}'"), Stroke::Dashed);
        curves.push(Curve { name, stroke, colour_of_previous: true, points: slopes });
    }
    Ok(curves)
}

fn heat(
    query: &mut Query<'_>,
    sampler: &Sampler<'_>,
    (entry, names): (&str, [String; 2]),
    ranges: [(f64, f64); 2],
    (columns, rows): (usize, usize),
) -> Result<Heat, Stop> {
    // Each cell has the value of its middle.
    let middle = |(from, to): (f64, f64), at: usize, count: usize| {
        from + (at as f64 + 0.5) / count as f64 * (to - from)
    };
    let mut cells = Vec::with_capacity(rows);
    for row in 0..rows {
        let y = middle(ranges[1], row, rows);
        let mut line = Vec::with_capacity(columns);
        for column in 0..columns {
            let x = middle(ranges[0], column, columns);
            line.push(number(&sampler.at(query, &[x, y])?.0));
        }
        cells.push(line);
    }
    Ok(Heat { title: entry.to_owned(), names, ranges, cells })
}
