//! `run`, `grad`, `vjp`, `jvp`: values and derivatives of an entry.
//!
//! Input: a [`Call`]. Output: an [`Answer`], to be printed as text or JSON, or nothing if errors were
//! reported to the query.

use pullback_base::{Diagnostic, Span};
use pullback_compile::Mode;
use pullback_data::output::{
    Layout, is_array, is_table, no_numbers, push_json_string, to_csv, to_json, to_npy, to_npz,
    to_rows, to_text,
};
use pullback_data::shape::tangent_like;
use pullback_eval::Value;
use pullback_lambda::Type;

use crate::arguments::Inputs;
use crate::bug::bug;
use crate::call::{Direction, Prepared, Purpose, in_order, prepare, prepare_in};
use crate::counts;
use crate::engine::{Code, Engine};
use crate::knossos::{self, Form};
use crate::load::load;
use crate::matrix::Matrix;
use crate::parts::{Part, components, whole};
use crate::query::{Query, Stop};
use crate::settings::{Call, Format};
use crate::watch::{Run, watch};

/// A value, and what was asked for beside it.
pub struct Answer {
    code: Code,
    value: Value,
    ty: Type,
    derivative: Option<Derivative>,
    /// A sparse matrix, which then is the whole answer.
    matrix: Option<Matrix>,
    form: Form,
}

struct Derivative {
    /// What text and JSON call it.
    noun: &'static str,
    /// One a parameter, or a single one without a name.
    parts: Vec<(Option<String>, Value, Type)>,
}

/// Evaluates an entry.
pub fn run(query: &mut Query<'_>, call: &Call) -> Result<Answer, Stop> {
    let engine = Engine::with_tiers(query, &call.settings)?;
    let modules = load(query, &call.file)?;
    let (call, form) = knossos::main_call(modules.main().knossos.as_deref(), call);
    let (call, mut inputs) = (&*call, Inputs::shared_by(1));
    let prepared = prepare_in(query, &modules, call, &mut inputs, &engine, &Purpose::Value)?;
    check_output(query, call, &prepared, "")?;
    let value = watched(query, call, &engine, &prepared, &Mode::Value)?.value;
    let Prepared { code, result, .. } = prepared;
    Ok(Answer { code, value, ty: result, derivative: None, matrix: None, form })
}

/// Value and gradient of a Real-valued entry with respect to the parameters named, or all.
pub fn grad(query: &mut Query<'_>, call: &Call, wrt: &[String]) -> Result<Answer, Stop> {
    let engine = Engine::with_tiers(query, &call.settings)?;
    let purpose = Purpose::Derivative { wrt, scalar: true, direction: None };
    let prepared = prepare(query, call, &engine, &purpose)?;
    backwards(query, call, &engine, prepared, Value::Real(1.0), ("gradient", wrt))
}

/// Value of an entry and the cotangents of its parameters for a cotangent of its result.
pub fn vjp(
    query: &mut Query<'_>,
    call: &Call,
    wrt: &[String],
    cotangent: &str,
) -> Result<Answer, Stop> {
    let engine = Engine::with_tiers(query, &call.settings)?;
    let direction = Some(Direction::Cotangent(cotangent));
    let purpose = Purpose::Derivative { wrt, scalar: false, direction };
    let mut prepared = prepare(query, call, &engine, &purpose)?;
    let cotangent = prepared.take_direction();
    backwards(query, call, &engine, prepared, cotangent, ("pullback", wrt))
}

/// Value of an entry and the tangent of its result for a tangent of its parameters.
pub fn jvp(
    query: &mut Query<'_>,
    call: &Call,
    wrt: &[String],
    tangent: &str,
) -> Result<Answer, Stop> {
    let engine = Engine::with_tiers(query, &call.settings)?;
    let direction = Some(Direction::Tangent(tangent));
    let purpose = Purpose::Derivative { wrt, scalar: false, direction };
    let mut prepared = prepare(query, call, &engine, &purpose)?;
    check_output(query, call, &prepared, "value")?;
    let given = prepared.take_direction();
    let mode = Mode::Jvp(whole_tangent(&prepared, &given, wrt));
    let (value, y_dot) = watched(query, call, &engine, &prepared, &mode)?.with_derivative();
    let Prepared { code, result, result_tangent, value: own, .. } = prepared;
    let value = own.unwrap_or(value);
    let result_tangent =
        result_tangent.unwrap_or_else(|| bug("the result of a derivative is data"));
    let derivative =
        Some(Derivative { noun: "tangent", parts: vec![(None, y_dot, result_tangent)] });
    Ok(Answer { code, value, ty: result, derivative, matrix: None, form: Form::Pullback })
}

fn backwards(
    query: &mut Query<'_>,
    call: &Call,
    engine: &Engine,
    prepared: Prepared,
    cotangent: Value,
    (noun, wrt): (&'static str, &[String]),
) -> Result<Answer, Stop> {
    check_output(query, call, &prepared, "value")?;
    let mode = Mode::Vjp(cotangent);
    let (value, x_bar) = watched(query, call, engine, &prepared, &mode)?.with_derivative();
    let Prepared { code, result, parts, value: own, .. } = prepared;
    let value = own.unwrap_or(value);
    let count = parts.len();
    let order = in_order(parts.iter().map(|part| (&*part.name, part.wrt)), wrt);
    let mut cotangents: Vec<Option<(Part, Value)>> =
        parts.into_iter().zip(components(&x_bar, count)).map(Some).collect();
    let shown = order.into_iter().filter_map(|at| cotangents[at].take());
    let shown = shown.map(|(part, cotangent)| (Some(part.name), cotangent, part.tangent)).collect();
    let derivative = Some(Derivative { noun, parts: shown });
    Ok(Answer { code, value, ty: result, derivative, matrix: None, form: Form::Pullback })
}

/// Refuses a result that the file which will keep it has no place for. What a derivative is with respect to is
/// data; its tangents hold numbers where the file's form wants them.
pub(crate) fn check_output(
    query: &mut Query<'_>,
    call: &Call,
    prepared: &Prepared,
    name: &str,
) -> Result<(), Stop> {
    let Some(format) = call.output else { return Ok(()) };
    let program = prepared.code.program();
    let own = || Some((name.to_owned(), program.show_type(&prepared.result)));
    let mut unfit = match format {
        Format::Json if prepared.result_tangent.is_none() => own(),
        Format::Json => None,
        Format::Npz => no_numbers(program, name, &prepared.result),
        Format::Npy if name.is_empty() && is_array(&prepared.result) => None,
        Format::Csv if name.is_empty() && is_table(program, &prepared.result) => None,
        Format::Npy | Format::Csv => own(),
    };
    if format == Format::Npz && !name.is_empty() {
        let parts = prepared.parts.iter().filter(|part| part.wrt);
        let unfit_part = |part: &Part| no_numbers(program, &part.name, &part.tangent);
        unfit = unfit.or_else(|| parts.into_iter().find_map(unfit_part));
    }
    let Some((part, ty)) = unfit else { return Ok(()) };
    let what = if part.is_empty() { "the answer".to_owned() } else { format!("`{part}`") };
    let is_derivative = !name.is_empty() && matches!(format, Format::Npy | Format::Csv);
    let title = if is_derivative {
        "the answer is a value and a derivative, for which the output file has no place".to_owned()
    } else {
        format!("{what} is of the type `{ty}`, for which the output file has no place")
    };
    let diagnostic = Diagnostic::error("E0826", prepared.entry, title, "this is asked for");
    query.fail(match format {
        Format::Json => diagnostic.hint("give the definition all its arguments: files keep data"),
        Format::Npz => diagnostic
            .note("a NumPy archive holds arrays of numbers and truth values")
            .hint("write a file that ends in `.json`"),
        Format::Npy => diagnostic
            .note("a single NumPy array holds numbers or truth values")
            .hint("write a file that ends in `.npz`, which holds several arrays by name, or in `.json`"),
        Format::Csv => diagnostic
            .note("a table is a vector or matrix, an array of records, or a record of vectors, whose cells are single values")
            .hint("write a file that ends in `.json`"),
    })
}

/// Runs a call and watches it as far as its settings ask for it.
pub(crate) fn watched(
    query: &mut Query<'_>,
    call: &Call,
    engine: &Engine,
    prepared: &Prepared,
    mode: &Mode,
) -> Result<pullback_compile::Answer, Stop> {
    let Prepared { code, function, argument, parts, .. } = prepared;
    let mut found = engine.try_run(code, *function, argument.clone(), mode);
    let other = found.as_ref().err().and_then(|fault| engine.instead(query, fault));
    let engine = other.as_ref().unwrap_or(engine);
    if other.is_some() {
        found = engine.try_run(code, *function, argument.clone(), mode);
    }
    if call.settings.verbose {
        let tier = engine.tier().map(|tier| tier.to_string());
        query
            .notes
            .push(tier.unwrap_or_else(|| format!("the engine `{}` answered", engine.name())));
    }
    let run = Run { engine, code, function: *function, argument, mode, parts };
    watch(query, &call.settings, &run, found.is_err());
    if let Ok(answer) = &found
        && call.settings.counts
        && !matches!(mode, Mode::Value)
    {
        counts::note(query, &call.settings, engine, prepared, mode, answer.counts)?;
    }
    match found {
        Ok(answer) => Ok(answer),
        // A direction of another shape is found where there is no place in the program.
        Err(fault) if fault.code == "E0713" && fault.labels.is_empty() => {
            query.fail(fault.label(prepared.along, "given here"))
        }
        Err(fault) => query.fail(*fault),
    }
}

/// The tangent of all parameters: what was given for those differentiated, zeros for the others.
fn whole_tangent(prepared: &Prepared, given: &Value, named: &[String]) -> Value {
    let order = in_order(prepared.parts.iter().map(|part| (&*part.name, part.wrt)), named);
    let values = components(&prepared.argument, prepared.parts.len());
    let mut tangents: Vec<Option<Value>> = vec![None; values.len()];
    for (at, tangent) in order.iter().zip(components(given, order.len())) {
        tangents[*at] = Some(tangent);
    }
    let zeros = |value: &Value| tangent_like(value, &mut |_| 0.0);
    let whole_of = values.iter().zip(tangents);
    whole(whole_of.map(|(value, tangent)| tangent.unwrap_or_else(|| zeros(value))).collect())
}

impl Answer {
    /// A matrix of all numbers, as an array.
    pub(crate) fn dense(code: Code, rows: Value) -> Self {
        let ty = Type::array(Type::array(Type::real()));
        Self { code, value: rows, ty, derivative: None, matrix: None, form: Form::Pullback }
    }
    /// The sparse matrix that it is, if it is one.
    pub fn matrix(&self) -> Option<&Matrix> {
        self.matrix.as_ref()
    }
    /// A sparse matrix.
    pub(crate) fn sparse(code: Code, matrix: Matrix) -> Self {
        let ty = Type::unit();
        Self {
            code,
            value: Value::unit(),
            ty,
            derivative: None,
            matrix: Some(matrix),
            form: Form::Pullback,
        }
    }
    /// The answer in Pullback notation: the value alone, or value and derivative on lines of their own. Each is in
    /// one line, or laid out in rows.
    pub fn text(&self, layout: Option<&Layout>) -> String {
        if let Some(matrix) = &self.matrix {
            return matrix.text(layout);
        }
        let program = self.code.program();
        if self.form != Form::Pullback {
            return self.form.text(&self.value, &to_text(program, &self.value, &self.ty));
        }
        let shown = |lead: &str, value: &Value, ty: &Type| {
            let text = match layout {
                Some(layout) => to_rows(program, value, ty, layout, lead.chars().count()),
                None => to_text(program, value, ty),
            };
            format!("{lead}{text}")
        };
        let Some(derivative) = &self.derivative else { return shown("", &self.value, &self.ty) };
        let mut lines = vec![shown("value: ", &self.value, &self.ty)];
        match derivative.parts.as_slice() {
            [(None, part, ty)] => lines.push(shown(&format!("{}: ", derivative.noun), part, ty)),
            parts => {
                lines.push(format!("{}:", derivative.noun));
                let named = |(name, part, ty): &(Option<String>, Value, Type)| {
                    let name = name.as_deref();
                    let name = name.unwrap_or_else(|| bug("each of several parts has a name"));
                    shown(&format!("  {name} = "), part, ty)
                };
                lines.extend(parts.iter().map(named));
            }
        }
        lines.join("\n")
    }
    /// The answer for a file: the value alone, or value and derivative by these names.
    pub fn file(&self, format: Format) -> Result<Vec<u8>, Diagnostic> {
        if let (Some(matrix), Format::Npz) = (&self.matrix, format) {
            return Ok(matrix.npz());
        }
        match format {
            Format::Json => return Ok((self.json() + "\n").into_bytes()),
            Format::Npy => return Ok(to_npy(&self.value, &self.ty)),
            Format::Csv => {
                let table = to_csv(self.code.program(), &self.value, &self.ty);
                return table.map(String::into_bytes).map_err(|reason| {
                    let title = format!("the answer is no table: {reason}");
                    Diagnostic::error("E0826", Span::NONE, title, "")
                        .hint("write a file that ends in `.json`")
                });
            }
            Format::Npz => {}
        }
        let value = if self.derivative.is_some() { "value" } else { "" };
        let derivative = self.derivative.iter().flat_map(|derivative| {
            derivative.parts.iter().map(|(name, part, ty)| {
                let noun = derivative.noun;
                let name = name.as_ref().map_or(noun.to_owned(), |name| format!("{noun}.{name}"));
                (name, part, ty)
            })
        });
        let value = (value.to_owned(), &self.value, &self.ty);
        Ok(to_npz(std::iter::once(value).chain(derivative)))
    }
    /// The answer as JSON: the value alone, or an object with value and derivative.
    pub fn json(&self) -> String {
        if let Some(matrix) = &self.matrix {
            return matrix.json();
        }
        let value = to_json(self.code.program(), &self.value, &self.ty);
        let Some(derivative) = &self.derivative else { return value };
        let mut text = format!("{{\"value\": {value}, \"{}\": ", derivative.noun);
        if let [(None, part, ty)] = derivative.parts.as_slice() {
            text.push_str(&to_json(self.code.program(), part, ty));
        } else {
            text.push('{');
            for (index, (name, part, ty)) in derivative.parts.iter().enumerate() {
                if index > 0 {
                    text.push_str(", ");
                }
                let name = name.as_deref();
                let name = name.unwrap_or_else(|| bug("each of several parts has a name"));
                push_json_string(&mut text, name);
                text.push_str(": ");
                text.push_str(&to_json(self.code.program(), part, ty));
            }
            text.push('}');
        }
        text.push('}');
        text
    }
}
