//! Calls of the evaluator of the array code, where there is no C compiler or none is wanted.
//!
//! Input: the texts of a module and what is asked for. Output: an [`Evaluated`] function. Its code is made by the first call
//! that needs it, unless it is there, and kept. Code is made and run on threads with large stacks.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use pullback_base::{Diagnostic, Limits, Progress, Since, SourceMap};
use pullback_codegen::{Allowed, Gave, Given, Items, Watch};
use pullback_engine::BUILT_IN;
use pullback_ir::eval::{Image, Items as Elements, Machine, Shape, Value};
use pullback_ir::{Elem, FuncId, Program};
use pullback_session::{Findings, Query, Stop, on_large_stack};
use pullback_sparse::{Given as Argument, Plan, Way, dependences, told};
use pullback_tools::{Kind, Routines};

use crate::asked::{Asked, Source};
use crate::bug::bug;
use crate::code::with_code;
use crate::failure::Failure;

/// The engines that run calls from outside.
pub const ENGINES: &[&str] = &["native", "ir"];

/// A function that is evaluated.
#[derive(Debug)]
pub(crate) struct Evaluated {
    source: Arc<Source>,
    asked: Asked,
    /// The code that calls routines, and the code in which routines are texts.
    called: OnceLock<Code>,
    texts: OnceLock<Code>,
}

/// Code that has been made.
#[derive(Debug)]
pub(crate) struct Code {
    code: Program,
    root: FuncId,
    /// What was found on the way, and the texts of places.
    warnings: Vec<Diagnostic>,
    sources: Arc<SourceMap>,
}

impl Code {
    pub fn new(
        code: Program,
        root: FuncId,
        warnings: Vec<Diagnostic>,
        sources: Arc<SourceMap>,
    ) -> Self {
        Self { code, root, warnings, sources }
    }
}

/// How often whoever watches is asked.
const LOOK: Duration = Duration::from_millis(10);

impl Evaluated {
    /// A function of which there may be code already.
    pub fn new(source: Arc<Source>, asked: Asked, code: Option<Code>) -> Self {
        let called = code.map_or_else(OnceLock::new, OnceLock::from);
        Self { source, asked, called, texts: OnceLock::new() }
    }

    /// The texts of the module.
    pub fn source(&self) -> &Source {
        &self.source
    }
    /// What is asked of it.
    pub fn asked(&self) -> &Asked {
        &self.asked
    }
    /// The results for these leaves, and how many operations were executed.
    pub fn call(&self, given: &[Given<'_>], allowed: &Allowed) -> Result<Ran, Failure> {
        let progress = Arc::<Progress>::default();
        let watch = allowed.watch.clone();
        let tells = allowed.tells;
        watched(watch, tells, &progress.clone(), || self.evaluate(given, allowed, progress))
    }

    /// Which sweeps tell the matrix of a tangent by its direction, or of the Hessian. The first leaves, so many, are the
    /// point, and the Reals of the others are the numbers of inputs from one on; the first results are the value.
    pub fn plan(
        &self,
        given: &[Given<'_>],
        (points, values): (usize, usize),
        allowed: &Allowed,
    ) -> Result<(Plan, bool), Failure> {
        let progress = Arc::<Progress>::default();
        let watch = allowed.watch.clone();
        watched(watch, false, &progress.clone(), || {
            // The tracer follows code, so routines are texts in it.
            self.on_code(Routines::Texts, |made| {
                let limits = limits(allowed, progress);
                planned(made, given, (points, values), self.asked.kind, &limits)
            })
        })
    }

    /// The code, as text.
    pub fn text(&self) -> Result<String, Failure> {
        self.on_code(Routines::Called, |made| Ok(made.code.print()))
    }

    fn evaluate(
        &self,
        given: &[Given<'_>],
        allowed: &Allowed,
        progress: Arc<Progress>,
    ) -> Result<Ran, Failure> {
        self.on_code(Routines::Called, |made| {
            let limits = limits(allowed, progress);
            let image = Image::new(&made.code);
            let mut machine = Machine::new(&image, limits).asking(told);
            let values = machine.call(made.root, given.iter().map(leaf).collect())?;
            let types = &made.code.funcs[made.root].results;
            let shown = values.iter().zip(types).map(|(value, ty)| shown(value, ty.elem));
            Ok((shown.collect(), machine.counts().total()))
        })
    }

    /// Works on the code, which is made if no call has done so.
    fn on_code<T: Send>(
        &self,
        routines: Routines,
        work: impl FnOnce(&Code) -> Result<T, Box<Diagnostic>> + Send,
    ) -> Result<T, Failure> {
        let kept = match routines {
            Routines::Called => &self.called,
            Routines::Texts => &self.texts,
        };
        on_large_stack(|| {
            let made = match kept.get() {
                Some(made) => made,
                None => {
                    let made = self.make(routines)?;
                    // Another thread may have made the same.
                    kept.get_or_init(|| made)
                }
            };
            work(made).map_err(|fault| {
                let mut diagnostics = made.warnings.clone();
                diagnostics.push(*fault);
                Findings { diagnostics, sources: (*made.sources).clone() }.into()
            })
        })
    }

    fn make(&self, routines: Routines) -> Result<Code, Failure> {
        let mut query = Query::new(&self.source.files, BUILT_IN);
        let (source, asked, whole) = (&self.source, &self.asked, (routines, None));
        let done = with_code(&mut query, source, asked, whole, |_, single, _| {
            Ok((single.code, single.root))
        });
        let Query { diagnostics, sources, .. } = query;
        match done {
            Ok((code, root)) => Ok(Code::new(code, root, diagnostics, Arc::new(sources))),
            Err(Stop) => Err(Findings { diagnostics, sources }.into()),
        }
    }
}

fn limits(allowed: &Allowed, progress: Arc<Progress>) -> Limits {
    let usual = Limits::default();
    Limits {
        max_memory: allowed.max_memory.unwrap_or(usual.max_memory),
        timeout: allowed.timeout,
        since: Some(Since::now()),
        progress: Some(progress),
        ..usual
    }
}

/// The plan of what the tracer finds, and whether its pattern holds for all Reals.
fn planned(
    made: &Code,
    given: &[Given<'_>],
    (points, values): (usize, usize),
    kind: Kind,
    limits: &Limits,
) -> Result<(Plan, bool), Box<Diagnostic>> {
    let leaves: Vec<Value> = given.iter().map(leaf).collect();
    let arguments = leaves
        .iter()
        .enumerate()
        .map(|(at, leaf)| if at < points { Argument::Point(leaf) } else { Argument::Inputs(leaf) });
    let arguments: Vec<Argument<'_>> = arguments.collect();
    let count = |given: &Given<'_>| match given {
        Given::Real(_) => 1,
        Given::Reals(items, _) => items.len(),
        Given::Int(_)
        | Given::Bool(_)
        | Given::Ints(..)
        | Given::Bools(..)
        | Given::Text(_)
        | Given::Texts(..)
        | Given::Absent(_) => 0,
    };
    let columns = given[points..].iter().map(count).sum();
    let found = dependences(&made.code, made.root, &arguments, Way::Any, (limits.clone(), None))?;
    let mut sets = vec![];
    for result in &found.results[values..] {
        sets.extend(result.as_real());
        sets.extend(result.as_array().and_then(|array| array.reals()).into_iter().flatten());
    }
    let pattern = found.pattern(sets.into_iter().map(|set| set as u32), columns, limits)?;
    let plan =
        if kind == Kind::Hvp { Plan::symmetric(pattern.symmetric()) } else { Plan::of(pattern) };
    Ok((plan, found.holds_everywhere))
}

/// The results of a call, and how many operations were executed.
pub(crate) type Ran = (Vec<Gave>, u64);

/// Works while somebody watches, from another thread; who is told how far the work is, if that is wanted.
fn watched<T: Send>(
    watch: Option<Arc<dyn Watch>>,
    tells: bool,
    progress: &Progress,
    work: impl FnOnce() -> T + Send,
) -> T {
    let Some(watch) = watch else { return work() };
    let (done, ended) = std::sync::mpsc::channel::<()>();
    let mut is_long = false;
    let answer = std::thread::scope(|scope| {
        let worker = scope.spawn(move || {
            let answer = work();
            drop(done);
            answer
        });
        while ended.recv_timeout(LOOK) == Err(std::sync::mpsc::RecvTimeoutError::Timeout) {
            if !std::mem::replace(&mut is_long, true) {
                watch.is_long();
            }
            if !watch.goes_on(progress.stand()) {
                progress.stop();
            }
            if tells {
                // The evaluator tells when it is asked, so this is what the next look finds.
                progress.ask();
            }
        }
        worker.join()
    });
    if is_long {
        watch.has_ended();
    }
    match answer {
        Ok(answer) => answer,
        Err(panic) => std::panic::resume_unwind(panic),
    }
}

fn leaf(given: &Given<'_>) -> Value {
    let array = |sizes: &[usize], items| Value::array(Shape::new(sizes), items);
    match given {
        Given::Real(x) => Value::Real(*x),
        Given::Int(n) => Value::Int(*n),
        Given::Bool(b) => Value::Bool(*b),
        Given::Reals(items, sizes) => array(sizes, Elements::Real(items.to_vec())),
        Given::Ints(items, sizes) => array(sizes, Elements::Int(items.to_vec())),
        Given::Bools(items, sizes) => array(sizes, Elements::Bool(items.to_vec())),
        Given::Absent(sizes) => array(sizes, Elements::Unit),
        Given::Text(text) => Value::str(text),
        Given::Texts(texts, sizes) => {
            let texts = texts.iter().map(|text| Value::str(text));
            array(sizes, Elements::Values(texts.collect()))
        }
    }
}

fn shown(value: &Value, elem: Elem) -> Gave {
    match (value, elem) {
        (_, Elem::Unit) => Gave::Absent,
        (Value::Real(x), _) => Gave::Real(*x),
        (Value::Int(n), _) => Gave::Int(*n),
        (Value::Bool(b), _) => Gave::Bool(*b),
        (Value::Str(text), _) => Gave::Text((***text).to_owned()),
        (value, Elem::Str) => {
            let Some(array) = value.as_array() else { bug("results are Strings and arrays") };
            let text = |value: &Value| match value {
                Value::Str(text) => (***text).to_owned(),
                // Nothing has looked at it.
                Value::Undef => String::new(),
                Value::Real(_)
                | Value::Int(_)
                | Value::Bool(_)
                | Value::Tag(_)
                | Value::Data(_)
                | Value::Array(_)
                | Value::Acc(_) => bug(&format!("a String, not {value:?}")),
            };
            let texts = array.values().unwrap_or_default().iter().map(text);
            Gave::Texts(texts.collect(), array.sizes().to_vec())
        }
        (value, _) => {
            let Some(array) = value.as_array() else { bug("results are numbers and arrays") };
            let sizes = array.sizes().to_vec();
            if let Some(reals) = array.reals() {
                Gave::Reals(Items::Own(reals.to_vec()), sizes)
            } else if let Some(ints) = array.ints() {
                Gave::Ints(Items::Own(ints.to_vec()), sizes)
            } else if let Some(bools) = array.bools() {
                Gave::Bools(Items::Own(bools.to_vec()), sizes)
            } else {
                bug("arrays of numbers")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::asked::{Options, What};
    use crate::module::Module;

    #[test]
    fn code_is_made_once_for_all_calls() {
        let module =
            Module::compile("a.pull", "def f (x: Real): Real = x * x\n").expect("a program");
        let what = What::Definition("f".to_owned());
        let options = Options { engine: Some("ir".to_owned()), ..Options::default() };
        let asked = Asked { what, names: None, kind: Kind::Grad, wrt: vec![], options };
        let function = Evaluated::new(module.source.clone(), asked, None);
        let call = |x: f64| function.call(&[Given::Real(x)], &Allowed::default()).map(|ran| ran.1);
        assert!(function.called.get().is_none());
        let first = call(3.0).expect("a gradient");
        let made: *const Code = function.called.get().expect("code that is kept");
        assert_eq!(call(4.0).expect("a gradient"), first);
        assert!(std::ptr::eq(made, function.called.get().expect("code that is kept")));
        assert!(function.texts.get().is_none());
    }
}
