//! What an engine of automatic differentiation implements to run inside the machine, and the context
//! that primitives and engines share: the levels that are open, the limits, the counts.
//!
//! An engine never calls the machine. Where it needs a function of the program applied, it returns a
//! [`Step`] that says which and what to do with the result; the machine keeps these continuations in
//! its own stack of frames, so nothing grows on the native stack.

use std::rc::Rc;

use pullback_base::Stand;
use pullback_machine::Meter;
use pullback_prim::Prim;

use super::boxes::Boxes;
use super::numeric::Plain;
use super::options::{Effort, Options, Quota};
use super::ties::Ties;
use super::value::{Active, NativeFunction, NativeValue, Value};
use super::watch::Watch;
use crate::{Fault, MAX_NESTING, Ruled};

/// What happens next.
pub enum Step {
    /// This is the result.
    Return(Value),
    /// Apply the function, then go on with its result.
    Call {
        /// The function.
        function: Value,
        /// Its arguments.
        args: Vec<Value>,
        /// What to do with the result.
        then: Box<dyn Then>,
    },
    /// The result is that of this call.
    Tail {
        /// The function.
        function: Value,
        /// Its arguments.
        args: Vec<Value>,
    },
}

impl Step {
    /// Apply `function` to `args`, then go on with `then`.
    pub fn call(function: Value, args: Vec<Value>, then: impl Then + 'static) -> Self {
        Self::Call { function, args, then: Box::new(then) }
    }
}

/// What to do with the result of a call.
pub trait Then {
    /// Goes on.
    fn resume(self: Box<Self>, ctx: &mut Ctx, value: Value) -> Result<Step, Fault>;
}

/// A function of one argument that an engine made, such as a pullback.
pub trait Native {
    /// What it is, for messages.
    fn name(&self) -> &'static str;
    /// Applies it.
    fn call(&self, ctx: &mut Ctx, arg: Value) -> Result<Step, Fault>;
    /// Moves the functions it holds into `work`, so that long chains are freed without recursion.
    fn release(&mut self, work: &mut Vec<Value>);
}

/// A native function as values hold it.
struct Callable(Box<dyn Native>);

impl NativeFunction for Callable {
    fn name(&self) -> &'static str {
        self.0.name()
    }
    fn release(&mut self, work: &mut Vec<Value>) {
        self.0.release(work);
    }
}

impl NativeValue {
    /// The value of a native function.
    pub fn value(native: impl Native + 'static) -> Value {
        Value::Native(Rc::new(Self::new(Box::new(Callable(Box::new(native))))))
    }
    /// Applies it.
    pub(super) fn call(&self, ctx: &mut Ctx, arg: Value) -> Result<Step, Fault> {
        match self.made_of::<Callable>() {
            Some(function) => function.0.call(ctx, arg),
            None => Err(Fault::internal("a native function that cannot be called")),
        }
    }
}

/// One activation of a differentiation operator: it follows the Reals of its level.
pub trait Level {
    /// A smooth primitive with at least one argument of this level and none of a later one. The value
    /// must be that of the primitive on the primal arguments.
    fn smooth(&self, ctx: &mut Ctx, level: u64, prim: Prim, args: &[Value])
    -> Result<Value, Fault>;
    /// The sum of Reals of which at least one is of this level and none of a later one.
    fn sum(&self, ctx: &mut Ctx, level: u64, items: &[Value]) -> Result<Value, Fault>;
    /// The result of a function with its own rule: `value` at the argument `x`, with the derivative
    /// that `pullback : T b -> T a` gives. A level that goes [`Level::through_rules`] is never asked.
    fn custom_vjp(
        &self,
        _ctx: &mut Ctx,
        _level: u64,
        _x: Value,
        _value: Value,
        _pullback: Value,
    ) -> Result<Step, Fault> {
        Err(Fault::internal("this level asks for no rules"))
    }
    /// The result of a function with its own rule of forward mode: `value` at the argument `x`, with the
    /// derivative that `pushforward : T a -> T b` gives. A level that goes [`Level::through_rules`] is never asked.
    fn custom_jvp(
        &self,
        _ctx: &mut Ctx,
        _level: u64,
        _x: Value,
        _value: Value,
        _pushforward: Value,
    ) -> Result<Step, Fault> {
        Err(Fault::internal("this level asks for no rules"))
    }
    /// Whether it takes primitives at plain numbers by [`Level::plain`].
    fn takes_plain(&self) -> bool {
        false
    }
    /// As [`Level::smooth`] for a primitive whose value and partial derivatives are known, because its
    /// arguments are numbers that no earlier level follows.
    fn plain(&self, _: &mut Ctx, _: u64, _: &Plain<'_>) -> Result<Value, Fault> {
        Err(Fault::internal("this level takes no plain numbers"))
    }
    /// Whether it follows Reals through functions with their own rule, without the rule.
    fn through_rules(&self) -> bool {
        false
    }
    /// What it looks at if it tests whether a function is linear: then it is an error to compare its Reals, to
    /// make an Int of them, or to stop their derivatives.
    fn tests_linearity(&self) -> Option<Ruled> {
        None
    }
}

/// A way to differentiate, at run time.
pub trait Engine {
    /// `vjp f x`
    fn vjp(&self, ctx: &mut Ctx, function: Value, x: Value) -> Result<Step, Fault>;
    /// `jvp f x x_dot`
    fn jvp(&self, ctx: &mut Ctx, function: Value, x: Value, x_dot: Value) -> Result<Step, Fault>;
    /// `linearize f x`
    fn linearize(&self, ctx: &mut Ctx, function: Value, x: Value) -> Result<Step, Fault>;
}

/// The engine of programs that differentiate nothing.
pub struct NoEngine;

impl NoEngine {
    fn refuse() -> Result<Step, Fault> {
        Err(Fault::Unsupported {
            what: "derivatives are switched off in this evaluation".to_string(),
        })
    }
}

impl Engine for NoEngine {
    fn vjp(&self, _: &mut Ctx, _: Value, _: Value) -> Result<Step, Fault> {
        Self::refuse()
    }
    fn jvp(&self, _: &mut Ctx, _: Value, _: Value, _: Value) -> Result<Step, Fault> {
        Self::refuse()
    }
    fn linearize(&self, _: &mut Ctx, _: Value, _: Value) -> Result<Step, Fault> {
        Self::refuse()
    }
}

/// What primitives and engines need to know and to keep.
pub struct Ctx {
    /// The limits, and operations so far.
    pub meter: Meter,
    /// The engine that differentiates.
    pub engine: Rc<dyn Engine>,
    pub(super) strict_domain: bool,
    watch: Option<Rc<Watch>>,
    ties: Option<Rc<Ties>>,
    boxes: Option<Rc<Boxes>>,
    quota: Option<Rc<Quota>>,
    /// Whether no call of the program waits for what the engine does.
    pub(super) is_outermost: bool,
    /// Open levels, ascending.
    open: Vec<(u64, Rc<dyn Level>)>,
    /// How many of them test whether a function is linear.
    pub(super) linearity_tests: usize,
    /// Whether the last of them takes plain numbers.
    takes_plain: bool,
    last_level: u64,
    /// What has been done so far, beside what the meter counts.
    effort: Effort,
}

impl Ctx {
    pub(super) fn new(engine: Rc<dyn Engine>, options: Options) -> Self {
        let Options { limits, budget, strict_domain, watch, ties, boxes, quota, .. } = options;
        let mut meter = Meter::new(limits);
        meter.budget = budget;
        Self {
            meter,
            engine,
            strict_domain,
            watch,
            ties,
            boxes,
            quota,
            is_outermost: false,
            open: vec![],
            linearity_tests: 0,
            takes_plain: false,
            last_level: 0,
            effort: Effort::default(),
        }
    }

    /// Opens a level, higher than all before.
    pub fn open(&mut self, level: Rc<dyn Level>) -> u64 {
        self.last_level += 1;
        self.linearity_tests += usize::from(level.tests_linearity().is_some());
        self.open.push((self.last_level, level));
        self.last_changed();
        self.last_level
    }

    /// Closes a level: what is left of its Reals counts as constant from now on.
    pub fn close(&mut self, level: u64) {
        // Mostly it is the last one.
        if let Some(index) = self.open.iter().rposition(|(open, _)| *open == level) {
            let (_, closed) = self.open.remove(index);
            self.linearity_tests -= usize::from(closed.tests_linearity().is_some());
        }
        self.last_changed();
    }

    /// Another level is the last of the open ones.
    fn last_changed(&mut self) {
        self.takes_plain = self.open.last().is_some_and(|(_, level)| level.takes_plain());
    }

    /// Closes all levels, after an error.
    pub(super) fn close_all(&mut self) {
        self.open.clear();
        self.linearity_tests = 0;
        self.last_changed();
    }

    /// A Real that `level` follows from now on. An error if too many levels follow it already, or if
    /// memory has run out: what is followed may be a large structure, or grow a tape.
    #[inline]
    pub fn follow(&self, level: u64, primal: Value, tangent: Value) -> Result<Value, Fault> {
        if self.open.len() > MAX_NESTING && nesting(&primal) >= MAX_NESTING {
            return Err(Fault::Nesting);
        }
        self.meter.check_memory()?;
        self.effort.followed.set(self.effort.followed.get() + 1);
        Ok(Active::value(level, primal, tangent))
    }

    /// Whether anything is being differentiated.
    pub(super) fn differentiates(&self) -> bool {
        !self.open.is_empty()
    }

    /// The engine's part of an open level.
    #[inline]
    pub fn level(&self, level: u64) -> Option<Rc<dyn Level>> {
        match self.open.last() {
            Some((last, found)) if *last == level => Some(found.clone()),
            _ => {
                let index = self.open.binary_search_by_key(&level, |(open, _)| *open).ok()?;
                Some(self.open[index].1.clone())
            }
        }
    }

    /// The watch of this evaluation.
    pub fn watch(&self) -> Option<&Rc<Watch>> {
        self.watch.as_ref()
    }

    /// The sides of ties that are chosen.
    #[inline]
    pub(super) fn ties(&self) -> Option<&Rc<Ties>> {
        self.ties.as_ref()
    }

    /// The answers to comparisons of intervals.
    #[inline]
    pub(super) fn boxes(&self) -> Option<&Rc<Boxes>> {
        self.boxes.as_ref()
    }

    /// The lowest open level, that of the outermost derivative.
    pub(super) fn lowest_level(&self) -> Option<u64> {
        self.open.first().map(|(level, _)| *level)
    }

    /// Whether smooth primitives are looked at before they run: whether they are at an edge.
    #[inline]
    pub(super) fn minds_edges(&self) -> bool {
        self.strict_domain || self.ties.is_some()
    }

    /// Whether strict domain is asked for.
    pub fn strict_domain(&self) -> bool {
        self.strict_domain
    }

    /// Counts the steps since the last look at the limits, and looks: an error if steps, memory or time have run out.
    pub(super) fn tick(&mut self) -> Result<(), Fault> {
        self.meter.count_steps()?;
        self.tell_effort()?;
        self.meter.check()
    }

    /// Counts elements that an operation reads or writes, each so many times: an error if that is more than may be
    /// done. What reads few is noticed with the steps that it is in.
    #[inline]
    pub(super) fn count_elements(&self, elements: usize, times: u64) -> Result<(), Fault> {
        const MANY: usize = 4096;
        self.effort.elements.set(self.effort.elements.get() + elements as u64 * times);
        if elements < MANY { Ok(()) } else { self.tell_effort() }
    }

    /// Counts elements of a sum, as [`Ctx::count_elements`] does.
    pub(super) fn count_summed(&self, elements: usize, times: u64) -> Result<(), Fault> {
        self.effort.summed.set(self.effort.summed.get() + elements as u64);
        self.count_elements(elements, times)
    }

    /// Tells the quota what has been done; an error if it is too much.
    pub(super) fn tell_effort(&self) -> Result<(), Fault> {
        let Some(quota) = &self.quota else { return Ok(()) };
        quota.tell(self.effort.total(&self.meter.counts))
    }

    /// Tells how far the engine is, if somebody asks and this is what the whole run does.
    pub fn tell_stand(&self, stand: Stand) {
        if self.is_outermost
            && let Some(progress) = self.meter.asked()
        {
            progress.tell(Some(stand));
        }
    }

    /// The last open level, if it takes plain numbers.
    #[inline(always)]
    pub(super) fn plain_level(&self) -> Option<(u64, Rc<dyn Level>)> {
        let (last, level) = self.open.last().filter(|_| self.takes_plain)?;
        Some((*last, level.clone()))
    }

    /// Whether some open level follows this Real.
    pub fn is_followed(&self, value: &Value) -> bool {
        let mut value = value;
        while let Value::Active(active) = value {
            if self.level(active.level).is_some() {
                return true;
            }
            value = &active.primal;
        }
        false
    }
}

/// How many levels follow this Real.
fn nesting(value: &Value) -> usize {
    let mut depth = 0;
    let mut value = value;
    while let Value::Active(active) = value {
        depth += 1;
        value = &active.primal;
    }
    depth
}
