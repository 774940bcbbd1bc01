//! A function that is called from outside: code, and how leaves make up what it takes and gives.
//!
//! Input: the texts of a module, and what is asked for. Output: a [`Function`]. Its calls check the sizes of what they are
//! given before anything runs.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use pullback_analysis::effects::Effects;
use pullback_analysis::facts::Facts;
use pullback_base::{Diagnostic, Instant, SourceMap, Span};
use pullback_codegen::{
    Allowed, Callable, Draft, Failure as NoCode, Fit, Fp, Gave, Given, Level, compiler,
};
use pullback_engine::BUILT_IN;
use pullback_ir::{FuncId, Program};
use pullback_session::{Findings, Query, Stop, on_large_stack};
use pullback_sparse::Plan;
use pullback_tools::{Routines, Single};

use crate::asked::{Asked, Source};
use crate::bug::bug;
use crate::code::{Input, Layout, with_code};
use crate::coming::{Coming, Until, uncompiled};
use crate::evaluated::{Code, ENGINES, Evaluated};
use crate::failure::Failure;
use crate::form::{Absent, Form, Sum};

/// A function, compiled.
#[derive(Debug)]
pub struct Function {
    /// The parameters.
    pub params: Vec<Input>,
    /// The directions that a derivative takes: tangents of parameters, or the cotangent of the value.
    pub directions: Vec<Input>,
    /// The form of the value, if it is given.
    pub value: Option<Form>,
    /// The derivative: a part for each parameter that it is with respect to, or the tangent of the value alone.
    pub derivative: Vec<Input>,
    /// The sum types that forms name by their numbers.
    pub sums: Vec<Sum>,
    /// How many leaves a call is given.
    pub leaves: usize,
    /// The name of the engine that runs it.
    pub engine: &'static str,
    /// The leaves without contents, and those whose sizes they have.
    pub absent: Vec<Absent>,
    fits: Vec<Fit>,
    span: Span,
    sources: Arc<SourceMap>,
    code: Runs,
    /// What it is made of, for what is not asked of each call.
    origin: Evaluated,
}

#[derive(Debug)]
enum Runs {
    Native(Arc<Coming>),
    Evaluated,
}

/// What leaves the thread that compiles.
struct Made {
    layout: Layout,
    fits: Vec<Fit>,
    span: Span,
    native: Option<Native>,
    /// The array code, unless only native code was found.
    code: Option<(Program, FuncId)>,
}

/// Native code, or what it is to be compiled from.
enum Native {
    /// Code that was made before.
    There(Arc<Callable>),
    /// A draft, and whether calls wait for it.
    Coming(Box<Draft>, bool),
}

impl Function {
    pub(crate) fn new(source: &Arc<Source>, asked: &Asked) -> Result<Self, Failure> {
        let engine = match asked.options.engine.as_deref() {
            None if compiler().is_some() => ENGINES[0],
            None => ENGINES[1],
            Some(name) => match ENGINES.iter().find(|known| **known == name) {
                Some(known) => known,
                None => return Err(no_engine(name)),
            },
        };
        let is_native = engine == ENGINES[0];
        if is_native && compiler().is_none() {
            return Err(Failure::of(&SourceMap::default(), &uncompiled(NoCode::NoCompiler)));
        }
        let (made, findings) = on_large_stack(|| {
            let mut query = Query::new(&source.files, BUILT_IN);
            let made = make(&mut query, source, asked, is_native);
            (made, Findings { diagnostics: query.diagnostics, sources: query.sources })
        });
        let Ok(Made { layout, fits, span, native, code: array_code }) = made else {
            return Err(findings.into());
        };
        let sources = Arc::new(findings.sources);
        let array_code = array_code
            .map(|(code, root)| Code::new(code, root, findings.diagnostics, sources.clone()));
        let code = match native {
            Some(Native::There(code)) => Runs::Native(Coming::there(code, sources.clone())),
            Some(Native::Coming(draft, is_awaited)) => {
                Runs::Native(Coming::new(*draft, sources.clone(), is_awaited))
            }
            None => Runs::Evaluated,
        };
        let origin = Evaluated::new(source.clone(), asked.clone(), array_code);
        let Layout { params, directions, value, derivative, leaves, absent, sums } = layout;
        Ok(Self {
            params,
            directions,
            value,
            derivative,
            sums,
            leaves,
            engine,
            absent,
            fits,
            span,
            sources,
            code,
            origin,
        })
    }

    /// The results for these leaves.
    pub fn call(&self, given: &[Given<'_>], allowed: &Allowed) -> Result<Vec<Gave>, Failure> {
        let failed = |diagnostic: &Diagnostic| Failure::of(&self.sources, diagnostic);
        if let Some(misfit) = crate::fits::misfit(&self.fits, given, self.span) {
            return Err(failed(&misfit));
        }
        let native = |found: &Result<Arc<Callable>, Failure>, allowed: &Allowed| match found {
            Ok(code) => code.call(given, allowed).map_err(|fault| failed(&fault)),
            Err(failure) => Err(failure.clone()),
        };
        let coming = match &self.code {
            Runs::Native(coming) => coming,
            Runs::Evaluated => return Ok(self.origin.call(given, allowed)?.0),
        };
        if let Some(found) = coming.now() {
            return native(found, allowed);
        }
        if coming.is_lost() {
            coming.set_here(compiled(self.origin.source(), self.origin.asked()));
            return coming
                .now()
                .map_or_else(|| bug("what was set is there"), |found| native(found, allowed));
        }
        coming.begin();
        let started = Instant::now();
        // The evaluator needs other memory than native code.
        if !coming.is_awaited && allowed.max_memory.is_none() {
            let until = Until::new(coming.clone(), allowed.watch.clone());
            let watched = Allowed { watch: Some(until.clone()), ..allowed.clone() };
            match self.origin.call(given, &watched) {
                Ok((gave, _)) => return Ok(gave),
                Err(failure) => {
                    let is_late = failure.code() == "E0711";
                    if is_late || until.is_unwanted.load(Ordering::SeqCst) {
                        return Err(failure);
                    }
                }
            }
        }
        // What has failed may be a limit of the evaluator's: native code has the word.
        let Some(found) = coming.wait(allowed.watch.as_ref()) else {
            let title = "the call was stopped";
            return Err(failed(&Diagnostic::error(
                "E0720",
                self.span,
                title,
                "while it was compiled",
            )));
        };
        // Who names the engine gives a call the time that it runs.
        let spent = if coming.is_awaited { Duration::ZERO } else { started.elapsed() };
        let timeout = allowed.timeout.map(|timeout| timeout.saturating_sub(spent));
        native(found, &Allowed { timeout, ..allowed.clone() })
    }

    /// Whether calls run native code by now.
    pub fn is_native(&self) -> bool {
        matches!(&self.code, Runs::Native(coming) if coming.now().is_some())
    }

    /// How many operations the evaluator counts for these leaves, whatever runs otherwise.
    pub fn cost(&self, given: &[Given<'_>], allowed: &Allowed) -> Result<u64, Failure> {
        if let Some(misfit) = crate::fits::misfit(&self.fits, given, self.span) {
            return Err(Failure::of(&self.sources, &misfit));
        }
        Ok(self.origin.call(given, allowed)?.1)
    }

    /// Which sweeps tell the sparse matrix of a tangent by its direction, or the Hessian of a product with one, and whether
    /// its pattern holds for all Reals. The Reals of the directions are the numbers of inputs, from one on.
    pub fn plan(&self, given: &[Given<'_>], allowed: &Allowed) -> Result<(Plan, bool), Failure> {
        if let Some(misfit) = crate::fits::misfit(&self.fits, given, self.span) {
            return Err(Failure::of(&self.sources, &misfit));
        }
        let points = self.params.iter().map(|param| param.form.leaves()).sum();
        let values = self.value.as_ref().map_or(0, Form::leaves);
        self.origin.plan(given, (points, values), allowed)
    }

    /// The array code that it was compiled from, as text.
    pub fn text(&self) -> Result<String, Failure> {
        self.origin.text()
    }
}

fn no_engine(name: &str) -> Failure {
    let title = format!("there is no engine `{name}` for calls from outside");
    let hint = pullback_base::did_you_mean("engine", name, ENGINES.iter().copied());
    Failure::of(
        &SourceMap::default(),
        &Diagnostic::error("E0812", Span::NONE, title, "").hint(hint),
    )
}

fn make(
    query: &mut Query<'_>,
    source: &Source,
    asked: &Asked,
    is_native: bool,
) -> Result<Made, Stop> {
    let fp = if asked.options.is_strict { Fp::Strict } else { Fp::Fast };
    let how = (Level::Fast, fp);
    let wanted = is_native.then_some(how);
    with_code(query, source, asked, (Routines::Called, wanted), |query, mut single, layouts| {
        let layout = layouts.layout(asked.kind, &single);
        let native = if is_native { Some(native(query, &mut single, asked, how)?) } else { None };
        let is_whole = !matches!(native, Some(Native::There(_)));
        let code = is_whole.then_some((single.code, single.root));
        Ok(Made { layout, fits: single.fits, span: layouts.span, native, code })
    })
}

/// The native code that was made before, or what it is compiled from. Calls wait for it where its engine is named, where it
/// is kept and so takes no time, and where a run tells something, which is told once.
fn native(
    query: &mut Query<'_>,
    single: &mut Single,
    asked: &Asked,
    (level, fp): (Level, Fp),
) -> Result<Native, Stop> {
    let threads = asked.options.threads.max(1);
    if let Some(loaded) = single.native.take() {
        return Ok(Native::There(Callable::of(loaded, &single.code, single.root, threads)));
    }
    let effects = Effects::of(&mut single.code);
    let tells =
        effects.func(single.root).tells_in(&single.code, &single.code.funcs[single.root].body);
    let facts = Facts::of(&mut single.code);
    let memo = single.memo.take();
    match Draft::new(&single.code, single.root, &facts, (level, fp, threads), memo) {
        Ok(draft) => {
            let is_awaited = asked.options.engine.is_some() || tells || draft.is_kept();
            Ok(Native::Coming(Box::new(draft), is_awaited))
        }
        Err(why) => query.fail(uncompiled(why)),
    }
}

/// The native code of what is asked, compiled here and now.
fn compiled(source: &Source, asked: &Asked) -> Result<Arc<Callable>, Failure> {
    let (made, findings) = on_large_stack(|| {
        let mut query = Query::new(&source.files, BUILT_IN);
        let made = make(&mut query, source, asked, true).and_then(|made| match made.native {
            Some(Native::There(code)) => Ok(code),
            Some(Native::Coming(draft, _)) => {
                draft.compile(None).or_else(|why| query.fail(uncompiled(why)))
            }
            None => bug("native code was asked for"),
        });
        (made, Findings { diagnostics: query.diagnostics, sources: query.sources })
    });
    made.map_err(|Stop| findings.into())
}
