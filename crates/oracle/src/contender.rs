//! Whoever runs programs with differentiation operators in them: the reference evaluator with one of
//! its engines, or any other way from a program and arguments to a result.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt;
use std::rc::Rc;

use pullback_base::Diagnostic;
use pullback_eval::{Engine, Image, Limits, Machine, Options, Value, compile};
use pullback_lambda::{DefId, Program};

use crate::{Data, ErrorKind};

/// Why a contender has no result.
#[derive(Clone, Debug, PartialEq)]
pub enum Failure {
    /// The program failed, as programs may.
    RunTime(ErrorKind),
    /// The program is outside what the contender can do, and it said so.
    Refused(String),
    /// Anything else, which is a bug.
    Other(String),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::RunTime(kind) => write!(f, "run-time error {kind:?}"),
            Failure::Refused(why) => write!(f, "refused: {why}"),
            Failure::Other(why) => write!(f, "{why}"),
        }
    }
}

/// What a contender makes of a definition applied to arguments.
pub type Outcome = Result<Data<f64>, Failure>;

/// A definition that is ready to be applied to arguments.
pub type Ready = Box<dyn Fn(&[Data<f64>]) -> Outcome>;

/// A program whose definitions can be made ready.
pub type Opened = Box<dyn Fn(DefId) -> Ready>;

/// What opens several programs at once, each for these definitions.
type OpenAll = Box<dyn Fn(&[(&Program, &[DefId])]) -> Vec<Opened>>;

/// What is ready, by mode as text.
type ByMode = BTreeMap<String, Ready>;

/// Whoever runs programs with differentiation operators in them.
pub struct Contender {
    /// Its name in reports.
    pub name: String,
    /// Whether it takes long over derivatives of derivatives.
    pub costly: bool,
    /// How far a number may be from the same one inside another program, beside its size: 0 unless constants are
    /// computed otherwise than the same operations in a run, as C compilers do.
    pub rounding: f64,
    /// Whether results below the smallest normal number are 0 for it, as they are with `--fp fast`.
    pub flushes: bool,
    open: Box<dyn Fn(&Program) -> Opened>,
    open_all: Option<OpenAll>,
    /// What is ready for the case of the table that is being walked, by mode.
    pub(crate) ready: RefCell<(String, ByMode)>,
}

impl Contender {
    /// A contender that does what it can for a program, then what it can for a definition, before it is
    /// given arguments.
    pub fn new(name: impl Into<String>, open: impl Fn(&Program) -> Opened + 'static) -> Self {
        let ready = RefCell::default();
        let (name, open) = (name.into(), Box::new(open));
        Self { name, costly: false, rounding: 0.0, flushes: false, open, open_all: None, ready }
    }

    /// The contender, with a way of opening several programs at once that is faster than one after the other.
    pub fn batched(
        self,
        open_all: impl Fn(&[(&Program, &[DefId])]) -> Vec<Opened> + 'static,
    ) -> Self {
        Self { open_all: Some(Box::new(open_all)), ..self }
    }

    /// Whether it is faster to open several programs at once.
    pub fn is_batched(&self) -> bool {
        self.open_all.is_some()
    }

    /// The reference evaluator with an engine.
    pub fn machine(name: impl Into<String>, engine: Rc<dyn Engine>) -> Self {
        Self::new(name, move |program| {
            let (image, engine) = (Rc::new(compile(program)), engine.clone());
            Box::new(move |def| {
                let (image, engine) = (image.clone(), engine.clone());
                Box::new(move |args| on_image(&image, def, args, engine.clone()))
            })
        })
    }

    /// The contender, marked as costly.
    pub fn costly(self) -> Self {
        Self { costly: true, ..self }
    }

    /// The contender, the numbers of which may be so far from the same inside another program.
    pub fn rounding(self, rounding: f64) -> Self {
        Self { rounding, ..self }
    }

    /// The contender, for which results below the smallest normal number are 0.
    pub fn flushing(self) -> Self {
        Self { flushes: true, ..self }
    }

    /// A program, for its definitions to be applied many times.
    pub fn open(&self, program: &Program) -> Opened {
        (self.open)(program)
    }

    /// Several programs, each for these definitions to be applied.
    pub fn open_all(&self, programs: &[(&Program, &[DefId])]) -> Vec<Opened> {
        match &self.open_all {
            Some(open_all) => open_all(programs),
            None => programs.iter().map(|(program, _)| self.open(program)).collect(),
        }
    }

    /// Applies a definition to arguments.
    pub fn run(&self, program: &Program, def: DefId, args: &[Data<f64>]) -> Outcome {
        self.open(program)(def)(args)
    }
}

/// Applies a definition to arguments on the reference evaluator.
pub fn on_machine(
    program: &Program,
    def: DefId,
    args: &[Data<f64>],
    engine: Rc<dyn Engine>,
) -> Outcome {
    on_image(&compile(program), def, args, engine)
}

/// As [`on_machine`], for a program compiled before.
pub fn on_image(image: &Image, def: DefId, args: &[Data<f64>], engine: Rc<dyn Engine>) -> Outcome {
    let options = Options {
        limits: Limits { max_memory: 512 << 20, ..Limits::default() },
        ..Options::default()
    };
    let mut machine = Machine::new(image, engine, options);
    let function = machine.global(def).map_err(|diagnostic| failure(&diagnostic))?;
    if args.is_empty() {
        return of_value(&function);
    }
    let result = machine.call(function, args.iter().map(to_value).collect());
    of_value(&result.map_err(|diagnostic| failure(&diagnostic))?)
}

/// What a diagnostic means.
pub fn failure(diagnostic: &Diagnostic) -> Failure {
    let kind = match diagnostic.code {
        "E0701" | "E0702" => ErrorKind::Index,
        "E0703" => ErrorKind::Size,
        "E0704" => ErrorKind::Overflow,
        "E0705" => ErrorKind::DivisionByZero,
        "E0706" => ErrorKind::Negative,
        "E0707" => ErrorKind::NoInt,
        "E0708" => ErrorKind::Message,
        "E0709" | "E0710" | "E0711" => ErrorKind::Limit,
        code if code.starts_with("E06") || ["E0717", "E0718", "E0719"].contains(&code) => {
            return Failure::Refused(diagnostic.title.clone());
        }
        code => return Failure::Other(format!("{code}: {}", diagnostic.title)),
    };
    Failure::RunTime(kind)
}

/// First-order data as a value of the evaluator.
pub fn to_value(data: &Data<f64>) -> Value {
    let all = |items: &[Data<f64>]| items.iter().map(to_value).collect();
    match data {
        Data::Real(x) => Value::real(*x),
        Data::Int(n) => Value::int(*n),
        Data::Bool(b) => Value::bool(*b),
        Data::Str(text) => Value::str(text),
        Data::Tuple(items) => Value::tuple(all(items)),
        Data::Con(tag, items) => Value::data(*tag, all(items)),
        Data::Array(items) => Value::array(all(items)),
    }
}

/// A value of the evaluator as first-order data.
pub fn of_value(value: &Value) -> Outcome {
    let all = |items: &[Value]| items.iter().map(of_value).collect::<Result<Vec<_>, _>>();
    Ok(if let Some(x) = value.as_real() {
        Data::Real(x)
    } else if let Some(n) = value.as_int() {
        Data::Int(n)
    } else if let Some(b) = value.as_bool() {
        Data::Bool(b)
    } else if let Some(text) = value.as_str() {
        Data::Str(text.to_string())
    } else if let Some(items) = value.as_tuple() {
        Data::Tuple(all(items)?)
    } else if let Some((tag, items)) = value.as_data() {
        Data::Con(tag, all(items)?)
    } else if let Some(items) = value.as_array() {
        Data::Array(items.iter().map(|item| of_value(&item)).collect::<Result<_, _>>()?)
    } else {
        return Err(Failure::Other(format!("{} as a result", value.kind_name())));
    })
}
