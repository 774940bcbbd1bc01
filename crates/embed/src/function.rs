//! A function that is called from outside: code, and how leaves make up what it takes and gives.
//!
//! Input: the texts of a module, and what is asked for. Output: a [`Function`]. Its calls check the sizes of what they are
//! given before anything runs.

use std::sync::Arc;

use pullback_analysis::facts::Facts;
use pullback_base::{Diagnostic, Instant, SourceMap, Span};
use pullback_codegen::{
    Allowed, Callable, Failure as NoCode, Fit, Fp, Gave, Given, Level, cannot_be_made, compiler,
};
use pullback_engine::BUILT_IN;
use pullback_session::{Findings, Query, Stop, on_large_stack};
use pullback_sparse::Plan;
use pullback_tools::Single;

use crate::asked::{Asked, Source};
use crate::bug::bug;
use crate::code::{Input, Layout, with_code};
use crate::evaluated::{ENGINES, Evaluated};
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
    code: Code,
    /// What it is made of, for what is not asked of each call.
    origin: Evaluated,
}

#[derive(Debug)]
enum Code {
    Native(Arc<Callable>),
    Evaluated,
}

/// What leaves the thread that compiles.
struct Made {
    layout: Layout,
    fits: Vec<Fit>,
    span: Span,
    native: Option<Arc<Callable>>,
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
        let (made, findings) = on_large_stack(|| {
            let mut query = Query::new(&source.files, BUILT_IN);
            let made = make(&mut query, source, asked, engine == "native");
            (made, Findings { diagnostics: query.diagnostics, sources: query.sources })
        });
        let Ok(Made { layout, fits, span, native }) = made else { return Err(findings.into()) };
        let code = match native {
            Some(native) => Code::Native(native),
            None => Code::Evaluated,
        };
        let origin = Evaluated::new(source.clone(), asked.clone());
        let Layout { params, directions, value, derivative, leaves, absent, sums } = layout;
        let sources = Arc::new(findings.sources);
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
        match &self.code {
            Code::Native(code) => code.call(given, allowed).map_err(|fault| failed(&fault)),
            Code::Evaluated => Ok(self.origin.call(given, allowed)?.0),
        }
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
    with_code(query, source, asked, |query, mut single, layouts| {
        let layout = layouts.layout(asked.kind, &single);
        let native = if is_native { Some(native(query, &mut single, asked)?) } else { None };
        Ok(Made { layout, fits: single.fits, span: layouts.span, native })
    })
}

fn native(
    query: &mut Query<'_>,
    single: &mut Single,
    asked: &Asked,
) -> Result<Arc<Callable>, Stop> {
    let facts = Facts::of(&mut single.code);
    let fp = if asked.options.is_strict { Fp::Strict } else { Fp::Fast };
    let how = (Level::Fast, fp, asked.options.threads.max(1));
    let until: Option<Instant> = None;
    match Callable::new(&single.code, single.root, &facts, how, until) {
        Ok(code) => Ok(code),
        Err(NoCode::NoCompiler) => query.fail(
            Diagnostic::error("E0823", Span::NONE, "there is no C compiler", "")
                .note("native code needs the command that `CC` names, or `cc`")
                .hint("install a C compiler, or choose the engine `ir`"),
        ),
        Err(NoCode::Late) => bug("code is compiled without a limit of time"),
        Err(NoCode::Unsupported(told) | NoCode::Refused(told)) => {
            query.fail(cannot_be_made(told, "the engine `ir`"))
        }
    }
}
