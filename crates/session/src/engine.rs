//! The engines as a query uses them: chosen by name, run under limits, faults told as diagnostics.
//!
//! Input: a program, a definition, values. Output: values, or a diagnostic. Each evaluation has a
//! machine of its own, so constants are computed once an evaluation.

use std::cell::OnceCell;
use std::rc::Rc;

use pullback_base::{Diagnostic, Limits, Span, did_you_mean};
use pullback_compile::{Answer, Mode, compiler};
use pullback_engine::{
    Batch, Bounds, EngineInfo, How, Registry, Variant, bounds, choose, evaluate, follow, placed,
    run, run_in_machine,
};
use pullback_eval::boxes::Boxes;
use pullback_eval::ties::Ties;
use pullback_eval::watch::Watch;
use pullback_eval::{Budget, Image, Machine, Options, Since, Value, compile};
use pullback_lambda::{DefId, Program};
use pullback_prim::interval::Interval;

use crate::limits::{Clock, limits};
use crate::query::{Query, Stop};
use crate::settings::{Fp, Settings, Target};
use crate::tiers::{Codes, Tier, Told, Work, climb};

/// An engine with its limits.
pub struct Engine {
    info: &'static EngineInfo,
    /// The engines that it was chosen of.
    registry: Registry,
    options: Options,
    /// Whether the settings name it.
    is_named: bool,
    /// Whether a long run goes on as native code, and what was told of the latest one.
    tiers: Option<Rc<Told>>,
}

/// A program to be evaluated many times. It is compiled once, and only for engines of the evaluator.
pub struct Code {
    program: Rc<Program>,
    image: OnceCell<Image>,
    is_watched: bool,
    codes: Codes,
}

impl Code {
    /// The code of a program.
    pub fn new(program: Program) -> Self {
        Self::of(Rc::new(program), false)
    }
    /// The same program, to be run under a watch.
    pub fn watched(&self) -> Self {
        Self::of(self.program.clone(), true)
    }
    fn of(program: Rc<Program>, is_watched: bool) -> Self {
        Self { program, image: OnceCell::new(), is_watched, codes: Codes::default() }
    }
    /// The program.
    pub fn program(&self) -> &Program {
        &self.program
    }
    /// The program, to be kept.
    pub fn shared(&self) -> Rc<Program> {
        self.program.clone()
    }
    fn image(&self) -> &Image {
        self.image.get_or_init(|| {
            let image = compile(&self.program);
            if self.is_watched { image.watched() } else { image }
        })
    }
}

/// The engine where none is named: the first one, or for checkpoints and for strict arithmetic by themselves one that
/// compiles, to native code if it can. So strict arithmetic has the same bits however long a run takes: those of
/// libraries and of every binding.
fn asked_for(registry: &Registry, settings: &Settings) -> &'static EngineInfo {
    let compiles = settings.max_tape.is_some() || settings.fp == Some(Fp::Strict);
    // To ask the C compiler takes time.
    let makes_native = compiles && settings.steps.is_none() && compiler().is_some();
    let compiled = if compiles { registry.compiler(makes_native) } else { None };
    compiled.unwrap_or_else(|| registry.first())
}

/// An engine does not have the variant that is asked for.
fn no_variant(name: &str, variant: Variant) -> Diagnostic {
    let (option, engine) = variant.option();
    let title = format!("the engine `{name}` has no {} mode", variant.adjective());
    Diagnostic::error("E0812", Span::NONE, title, "")
        .note(format!("`{option}` is a way of running `{engine}`"))
        .hint(format!("add `--engine {engine}`, or leave out `{option}`"))
}

impl Engine {
    /// The engine that the settings name, or the one that does what they ask for.
    pub fn resolve(query: &mut Query<'_>, settings: &Settings) -> Result<Self, Stop> {
        let registry = query.registry;
        let name =
            settings.engine.as_deref().unwrap_or_else(|| asked_for(&registry, settings).name);
        let Some(info) = registry.named(name) else {
            let title = format!("there is no engine `{name}`");
            let hint = did_you_mean("engine", name, registry.names());
            return query.fail(Diagnostic::error("E0812", Span::NONE, title, "").hint(hint));
        };
        let info = match settings.variant {
            Some(variant) => match (registry.variant)(info, variant) {
                Some(info) => info,
                None => return query.fail(no_variant(name, variant)),
            },
            None => info,
        };
        if info.needs_compiler() && compiler().is_none() {
            query.diagnostics.push(without_compiler());
        }
        if settings.steps.is_some() && info.needs_compiler() {
            let title = format!("the engine `{name}` counts no steps");
            let diagnostic = Diagnostic::error("E0812", Span::NONE, title, "")
                .note("`--steps` limits engines that transform programs or evaluate code")
                .hint("limit its time by `--timeout`, or choose `--engine ir`");
            return query.fail(diagnostic);
        }
        if settings.max_tape.is_some() && !matches!(info.how, How::Compiled(_)) {
            let title = format!("the engine `{name}` has no checkpoints");
            let diagnostic = Diagnostic::error("E0812", Span::NONE, title, "")
                .note("`--max-tape` chooses checkpoints in compiled code")
                .hint("add `--engine ir`, or limit all memory by `--max-memory`");
            return query.fail(diagnostic);
        }
        let options = Options {
            strict_domain: settings.strict,
            limits: Limits {
                tell: settings.tell.unwrap_or(|_| {}),
                progress: settings.progress.clone(),
                ..limits(settings, &query.clock)
            },
            max_tape: settings.max_tape,
            strict_fp: match settings.fp {
                Some(Fp::Strict) => true,
                Some(Fp::Fast) => false,
                // It must not show in a result which engine was chosen.
                None => settings.engine.is_none(),
            },
            portable: settings.target == Target::Portable,
            threads: settings.threads.unwrap_or(1),
            ..Options::default()
        };
        Ok(Self { info, registry, options, is_named: settings.engine.is_some(), tiers: None })
    }
    /// As [`Engine::resolve`]; where the settings leave the choice of an engine open and ask for nothing that is the
    /// evaluator's, a long run goes on as array code. Limits are: it takes other time and memory to compile.
    pub fn with_tiers(query: &mut Query<'_>, settings: &Settings) -> Result<Self, Stop> {
        let engine = Self::resolve(query, settings)?;
        let is_open = settings.engine.is_none()
            && settings.fp != Some(Fp::Strict)
            && settings.max_tape.is_none()
            && !settings.strict
            && settings.timeout.is_none()
            && settings.max_memory.is_none()
            && !settings.warn_kinks
            && !settings.trace_nan
            && !settings.counts;
        if !is_open {
            return Ok(engine);
        }
        Ok(Self { tiers: Some(Rc::default()), ..engine })
    }
    /// Which tier gave the latest answer.
    pub fn tier(&self) -> Option<Tier> {
        self.tiers.as_ref().and_then(|told| told.latest())
    }
    /// Who gave all answers so far, if there are tiers.
    pub fn tally(&self) -> Option<String> {
        self.tiers.as_ref().map(|told| told.tally())
    }
    /// The name of the engine that gave the latest answer.
    pub fn answered(&self) -> &'static str {
        let is_native = self.tier().is_some_and(|tier| tier.is_native());
        let native = self.registry.compiler(true).filter(|_| is_native);
        native.unwrap_or(self.info).name
    }
    /// The limits that it keeps.
    pub fn limits(&self) -> Limits {
        self.options.limits.clone()
    }
    /// The options of an evaluation.
    pub fn options(&self) -> &Options {
        &self.options
    }
    /// The same engine, with all the time of its limits left.
    pub fn afresh(&self, clock: &Clock) -> Self {
        clock.restart();
        let since = self.options.limits.since.unwrap_or_else(Since::now);
        let since = Some(Since { time: clock.started(), ..since });
        let mut options = self.options.clone();
        options.limits.since = since;
        Self {
            info: self.info,
            registry: self.registry,
            options,
            is_named: self.is_named,
            tiers: self.tiers.clone(),
        }
    }
    /// The first engine with the limits of this one: for what runs once and need not be compiled.
    pub fn evaluated(&self) -> Self {
        Self {
            info: self.registry.first(),
            registry: self.registry,
            options: self.options.clone(),
            is_named: false,
            tiers: None,
        }
    }
    /// The engine for the arguments of what is measured.
    pub fn for_preparation(&self) -> Self {
        if self.info.needs_compiler() { self.for_arguments() } else { self.evaluated() }
    }
    /// The same engine, which tells no lines of `debug`.
    pub fn quiet(mut self) -> Self {
        self.options.limits.tell = |_| {};
        self
    }
    /// The same engine, which was chosen for whoever named none.
    pub fn unnamed(self) -> Self {
        Self { is_named: false, ..self }
    }
    /// Whether it makes native code, unless there is no C compiler.
    pub fn is_native(&self) -> bool {
        self.info.needs_compiler()
    }
    /// The engine that answers where this one cannot make native code and nobody named it, which is told.
    pub fn instead(&self, query: &mut Query<'_>, fault: &Diagnostic) -> Option<Self> {
        let is_refused = fault.code == "E0823" && !self.is_named && self.info.needs_compiler();
        let info = self.registry.compiler(false).filter(|_| is_refused)?;
        let title = "native code cannot be made: `ir` runs instead";
        let mut warning = Diagnostic::warning("W0801", Span::NONE, title, "");
        warning.notes.clone_from(&fault.notes);
        query
            .diagnostics
            .push(warning.hint("check the C compiler and the folder for temporary files"));
        Some(Self {
            info,
            registry: self.registry,
            options: self.options.clone(),
            is_named: false,
            tiers: None,
        })
    }
    /// The engine for arguments: where this one needs a compiler, what is short is evaluated sooner than compiled.
    pub fn for_arguments(&self) -> Self {
        let (info, tiers) = if self.info.needs_compiler() {
            (self.registry.first(), Some(Rc::default()))
        } else {
            (self.info, self.tiers.clone())
        };
        Self {
            info,
            registry: self.registry,
            options: self.options.clone(),
            is_named: self.is_named,
            tiers,
        }
    }
    /// How it runs.
    pub fn how(&self) -> How {
        self.info.how
    }
    /// Its name.
    pub fn name(&self) -> &'static str {
        self.info.name
    }
    /// Whether it has this variant.
    pub fn has(&self, variant: Variant) -> bool {
        (self.registry.variant)(self.info, variant).is_some()
    }
    /// The value of a definition.
    pub fn value(&self, code: &Code, def: DefId) -> Result<Value, Box<Diagnostic>> {
        if let Some(told) = &self.tiers {
            return Ok(self.climb(code, Work::Value(def), told)?.value);
        }
        match self.info.how {
            How::Runtime(make) => {
                Machine::new(code.image(), make(), self.options.clone()).global(def)
            }
            How::Transform { .. } | How::Compiled(_) => {
                evaluate(self.info, code.program(), def, &self.options)
            }
        }
    }
    /// Definitions compiled together, if the engine needs a compiler; else, and where they cannot be, each is
    /// looked at on its own. No definitions need no code.
    pub fn batch<'c>(&self, code: &'c Code, defs: &[DefId]) -> Option<Batch<'c>> {
        let needs_code = self.info.needs_compiler() && !defs.is_empty();
        needs_code.then(|| Batch::new(code.program(), defs)).and_then(Result::ok)
    }
    /// The value of a function at an argument, with its derivative there if one is asked for.
    pub fn run(
        &self,
        query: &mut Query<'_>,
        code: &Code,
        function: DefId,
        argument: Value,
        mode: &Mode,
    ) -> Result<Answer, Stop> {
        self.try_run(code, function, argument, mode).or_else(|fault| query.fail(*fault))
    }
    /// As [`Engine::run`], without reporting faults to a query.
    pub fn try_run(
        &self,
        code: &Code,
        function: DefId,
        argument: Value,
        mode: &Mode,
    ) -> Result<Answer, Box<Diagnostic>> {
        if let Some(told) = &self.tiers {
            return self.climb(code, Work::Function(function, &argument, mode), told);
        }
        match self.info.how {
            How::Runtime(make) => {
                run_in_machine(make(), code.image(), function, argument, mode, &self.options)
                    .map_err(|fault| placed(code.program(), function, fault))
            }
            How::Transform { .. } | How::Compiled(_) => {
                run(self.info, code.program(), function, argument, mode, &self.options)
            }
        }
    }
    fn climb(&self, code: &Code, work: Work<'_>, told: &Told) -> Result<Answer, Box<Diagnostic>> {
        climb((code.program(), code.image()), &code.codes, work, &self.options, told)
    }
    /// The engine for tests, which gives up after so many steps.
    pub fn within(self, steps: u64) -> Self {
        let exceeded = "this takes more steps than it is given for a test";
        let budget = Some(Budget { steps, exceeded });
        Self { options: Options { budget, ..self.options }, tiers: None, ..self }
    }
    /// The engine for a run before or after the one that is asked for: nobody hears it.
    pub fn unheard(&self) -> Self {
        Self {
            info: self.info,
            registry: self.registry,
            options: self.options.unheard(),
            is_named: self.is_named,
            tiers: None,
        }
    }
    /// Who runs under a watch: this engine, or the first one if it cannot be watched.
    pub fn witness(&self) -> &'static str {
        self.watchable().name
    }
    fn watchable(&self) -> &'static EngineInfo {
        match self.info.how {
            How::Runtime(_) => self.info,
            How::Transform { .. } | How::Compiled(_) => self.registry.first(),
        }
    }
    /// The engine under a watch: the same, or the first one if it cannot be watched.
    pub fn watched(&self, watch: &Rc<Watch>) -> Self {
        let info = self.watchable();
        let options =
            Options { strict_domain: false, watch: Some(watch.clone()), ..self.options.unheard() };
        Self { info, registry: self.registry, options, is_named: self.is_named, tiers: None }
    }
    /// Runs a function with its argument followed; see [`pullback_engine::follow`].
    pub fn follow(
        &self,
        code: &Code,
        function: DefId,
        argument: Value,
    ) -> Result<(), Box<Diagnostic>> {
        follow(code.image(), function, argument, &self.options)
    }
    /// The derivative of a function in a direction, on these sides of its ties; see [`pullback_engine::choose`].
    pub fn choose(
        &self,
        code: &Code,
        function: DefId,
        (argument, direction): (Value, Value),
        ties: &Rc<Ties>,
    ) -> Result<Answer, Box<Diagnostic>> {
        choose(code.image(), function, argument, direction, (ties, &self.options))
    }
    /// What a function and its derivative are on a box; see [`pullback_engine::bounds`].
    pub fn bounds(
        &self,
        code: &Code,
        function: DefId,
        (argument, intervals): (&Value, &[Interval]),
        boxes: &Rc<Boxes>,
    ) -> Result<Bounds, Box<Diagnostic>> {
        bounds(code.image(), function, (argument, intervals), (boxes, &self.options))
    }
    /// The same engine in the strict domain: ties and edges of domains are faults.
    pub fn strict(&self) -> Self {
        let options = Options { strict_domain: true, ..self.options.unheard() };
        Self {
            info: self.info,
            registry: self.registry,
            options,
            is_named: self.is_named,
            tiers: None,
        }
    }
}

/// What is said where `native` cannot be.
fn without_compiler() -> Diagnostic {
    Diagnostic::warning("W0801", Span::NONE, "there is no C compiler: `ir` runs instead", "")
        .note("`--engine native` needs the command that `CC` names, or `cc`")
        .hint("install a C compiler, or choose `--engine ir`")
}
