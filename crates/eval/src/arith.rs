//! Primitives on values, at any level of differentiation, and the context they run in: the levels
//! that are open, the limits, the counts.
//!
//! A primitive works at the highest level among its arguments. The engine of that level computes the
//! primal by applying the same primitive one level down, and does its derivative arithmetic through
//! [`Ctx::apply`] too; so derivatives nest to any order and in any mixture of modes, and the numbers of
//! different activations are never confused.

use std::rc::Rc;
use std::time::{Duration, Instant};

use pullback_prim::{Class, MAX_SHARED, Prim, RealFn, Smooth, Term};

use super::discrete;
use super::fault::{Fault, MAX_NESTING, Request};
use super::hooks::{Engine, Level};
use super::memory::{self, Charge};
use super::numeric::Plain;
use super::value::{Active, Value};
use super::watch::{Watch, compares};

/// Limits and conventions of an evaluation.
#[derive(Clone, Debug)]
pub struct Options {
    /// The most bytes that values, frames and tapes may take together.
    pub max_memory: usize,
    /// The most time an evaluation may take.
    pub timeout: Option<Duration>,
    /// From when the limits of time and memory count, if that is before the evaluation.
    pub since: Option<Since>,
    /// Strict domain: ties of followed Reals and primitives without a derivative are errors.
    pub strict_domain: bool,
    /// What is shown the primitives of an image made for it.
    pub watch: Option<Rc<Watch>>,
    /// The most steps, for engines that may need unreasonably many.
    pub budget: Option<Budget>,
}

/// A moment, for limits to count from.
#[derive(Clone, Copy, Debug)]
pub struct Since {
    /// The time.
    pub time: Instant,
    /// What the values of this thread held.
    pub bytes: usize,
}

impl Since {
    /// This moment.
    pub fn now() -> Self {
        Self { time: Instant::now(), bytes: memory::live() }
    }
    /// The bytes that values made since then hold. Those made before may be free again.
    #[inline]
    pub fn bytes(&self) -> usize {
        memory::live().wrapping_sub(self.bytes).cast_signed().max(0).cast_unsigned()
    }
}

/// How many steps an engine may take before it has to say that another is better suited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    /// The most calls and iterations of loops, to within some ten thousand.
    pub steps: u64,
    /// What to say beyond.
    pub exceeded: &'static str,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            max_memory: 4 << 30,
            timeout: None,
            since: None,
            strict_domain: false,
            watch: None,
            budget: None,
        }
    }
}

/// How many operations were executed, first by number, then by weight.
///
/// An operation is a primitive, or a product with a number of a derivative, with the addition of the
/// product if there is something to add it to. A factor that the table says is 1 is not multiplied, and
/// the first contribution to a sum is not added; neither is counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Scalar primitives of the program itself: arithmetic of Reals and Ints, and comparisons. An
    /// array primitive that computes counts its length.
    pub primitives: u64,
    /// Operations of differentiation: each primitive in a partial derivative, and each multiplication
    /// of a partial by a tangent or cotangent with the addition of the product.
    pub derivative: u64,
    /// By how much the weights of all these ([`crate::Row::weight`]) exceed one each.
    pub surcharge: u64,
    /// Elements of arrays that were copied because an array was shared where an element was replaced.
    pub copied: u64,
}

impl Counts {
    /// The number of all operations.
    pub fn total(self) -> u64 {
        self.primitives + self.derivative
    }

    /// The weight of all operations: a multiplication counts one, what is dearer more.
    pub fn weight(self) -> u64 {
        self.total() + self.surcharge
    }

    /// One primitive in a partial derivative.
    #[inline]
    pub fn differentiate(&mut self, prim: Prim) {
        self.derivative += 1;
        self.surcharge += surcharge(prim);
    }

    /// These operations and those.
    #[inline]
    pub fn add(&mut self, other: Self) {
        self.primitives += other.primitives;
        self.derivative += other.derivative;
        self.surcharge += other.surcharge;
        self.copied += other.copied;
    }
}

/// By how much the weight of a primitive exceeds that of a multiplication.
#[inline]
pub(super) fn surcharge(prim: Prim) -> u64 {
    prim.row().weight.saturating_sub(1)
}

/// The values of the terms that the partial derivatives of one application share, as far as they have
/// been asked for.
#[derive(Default)]
pub struct Known([Option<Value>; MAX_SHARED]);

/// What primitives and engines need to know and to keep.
pub struct Ctx {
    /// Operations so far.
    pub counts: Counts,
    /// The engine that differentiates.
    pub engine: Rc<dyn Engine>,
    pub(super) options: Options,
    /// What the machine's own stacks take.
    pub(super) frames: Charge,
    deadline: Option<Instant>,
    /// Open levels, ascending.
    open: Vec<(u64, Rc<dyn Level>)>,
    /// How many of them test whether a function is linear.
    pub(super) linearity_tests: usize,
    /// Whether the last of them takes plain numbers.
    takes_plain: bool,
    last_level: u64,
    /// From when memory counts.
    since: Since,
    /// What the account of this thread may reach.
    ceiling: usize,
    /// Calls and iterations so far, as far as they have been counted.
    steps: u64,
}

impl Ctx {
    pub(super) fn new(engine: Rc<dyn Engine>, options: Options) -> Self {
        let since = options.since.unwrap_or_else(Since::now);
        let deadline = options.timeout.and_then(|timeout| since.time.checked_add(timeout));
        Self {
            counts: Counts::default(),
            engine,
            ceiling: since.bytes.saturating_add(options.max_memory),
            options,
            frames: Charge::default(),
            deadline,
            open: vec![],
            linearity_tests: 0,
            takes_plain: false,
            last_level: 0,
            since,
            steps: 0,
        }
    }

    /// Opens a level, higher than all before.
    pub fn open(&mut self, level: Rc<dyn Level>) -> u64 {
        self.last_level += 1;
        self.linearity_tests += usize::from(level.tests_linearity());
        self.open.push((self.last_level, level));
        self.last_changed();
        self.last_level
    }

    /// Closes a level: what is left of its Reals counts as constant from now on.
    pub fn close(&mut self, level: u64) {
        // Mostly it is the last one.
        if let Some(index) = self.open.iter().rposition(|(open, _)| *open == level) {
            let (_, closed) = self.open.remove(index);
            self.linearity_tests -= usize::from(closed.tests_linearity());
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
        self.check_memory()?;
        Ok(Active::value(level, primal, tangent))
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
        self.options.watch.as_ref()
    }

    /// Whether strict domain is asked for.
    pub fn strict_domain(&self) -> bool {
        self.options.strict_domain
    }

    /// The bytes in use.
    pub fn bytes(&self) -> usize {
        self.since.bytes()
    }

    /// An error if `bytes` more would be too many.
    pub fn reserve(&self, bytes: u128) -> Result<(), Fault> {
        let limit = self.options.max_memory;
        if bytes > 65_536 && bytes + self.bytes() as u128 > limit as u128 {
            let request = Request { bytes, used: self.bytes() };
            return Err(Fault::Memory { limit, request: Some(request) });
        }
        Ok(())
    }

    /// An error if memory has run out.
    #[inline]
    fn check_memory(&self) -> Result<(), Fault> {
        if memory::live() > self.ceiling { Err(self.out_of_memory()) } else { Ok(()) }
    }

    #[cold]
    pub(super) fn out_of_memory(&self) -> Fault {
        Fault::Memory { limit: self.options.max_memory, request: None }
    }

    /// Counts calls and iterations; an error if an engine may not take so many.
    pub(super) fn count_steps(&mut self, steps: u64) -> Result<(), Fault> {
        self.steps += steps;
        match self.options.budget {
            Some(budget) if self.steps > budget.steps => {
                Err(Fault::Unsupported { what: budget.exceeded.to_string() })
            }
            Some(_) | None => Ok(()),
        }
    }

    /// An error if time or memory has run out. Called every so often.
    pub fn check_limits(&self) -> Result<(), Fault> {
        self.check_memory()?;
        match (self.deadline, self.options.timeout) {
            (Some(deadline), Some(timeout)) if Instant::now() >= deadline => {
                Err(Fault::Time { seconds: timeout.as_secs_f64() })
            }
            _ => Ok(()),
        }
    }

    /// Applies any primitive but [`Prim::Update`] to values of any level.
    pub fn apply(&mut self, prim: Prim, args: &[Value]) -> Result<Value, Fault> {
        match &prim.row().class {
            Class::Smooth(smooth) => self.apply_smooth(prim, smooth, args),
            Class::Sum => self.sum(&args[0]),
            Class::Discrete | Class::Structural | Class::Control | Class::Fail => {
                if self.options.strict_domain {
                    self.check_tie(prim, args)?;
                    self.check_jump(prim, args)?;
                }
                if self.linearity_tests > 0 {
                    self.check_undecided(prim, args)?;
                }
                discrete::apply(self, prim, args)
            }
        }
    }

    fn apply_smooth(
        &mut self,
        prim: Prim,
        smooth: &Smooth,
        args: &[Value],
    ) -> Result<Value, Fault> {
        if let Some(x) = smooth_value(smooth.value, args) {
            return Ok(Value::Real(x));
        }
        let highest = args.iter().map(Value::level).max().unwrap_or(0);
        if highest == 0 {
            return Err(Fault::internal(format!("{prim:?} on {args:?}")));
        }
        let strict = self.options.strict_domain;
        if !strict && let Some(result) = self.plain(smooth, args) {
            return result;
        }
        let Some(level) = self.level(highest) else {
            let args: Vec<Value> = args.iter().map(|arg| primal(arg, highest).clone()).collect();
            return self.apply_smooth(prim, smooth, &args);
        };
        if strict {
            let numbers: Vec<f64> = args
                .iter()
                .map(|arg| arg.as_real().or(arg.as_int().map(|n| n as f64)).unwrap_or(f64::NAN))
                .collect();
            if !smooth.differentiable(&numbers, |by| self.is_followed(&args[by])) {
                return Err(Fault::NotSmooth { name: prim.written(), args: numbers });
            }
            if let Some(result) = self.plain(smooth, args) {
                return result;
            }
        }
        level.smooth(self, highest, prim, args)
    }

    /// Applies a smooth primitive of two Reals of which one or both are followed.
    #[inline(never)]
    pub(super) fn followed2(&mut self, prim: Prim, x: &Value, y: &Value) -> Result<Value, Fault> {
        if !self.options.strict_domain
            && let Class::Smooth(smooth) = &prim.row().class
            && let Some((last, level)) = self.plain_level()
            && let Some(plain) = Plain::binary(&mut self.counts, last, smooth, x, y)
        {
            return level.plain(self, last, &plain);
        }
        self.apply(prim, &[x.clone(), y.clone()])
    }

    /// Applies a smooth primitive the short way, if the last level takes plain numbers and these are.
    #[inline]
    fn plain(&mut self, smooth: &Smooth, args: &[Value]) -> Option<Result<Value, Fault>> {
        let (last, level) = self.plain_level()?;
        let plain = match args {
            [x] => Plain::unary(&mut self.counts, last, smooth, x)?,
            [x, y] => Plain::binary(&mut self.counts, last, smooth, x, y)?,
            _ => return None,
        };
        Some(level.plain(self, last, &plain))
    }

    /// The last open level, if it takes plain numbers.
    #[inline(always)]
    fn plain_level(&self) -> Option<(u64, Rc<dyn Level>)> {
        let (last, level) = self.open.last().filter(|_| self.takes_plain)?;
        Some((*last, level.clone()))
    }

    /// `total + partial * factor`, one operation of differentiation; `()` stands for a structural zero
    /// total. A partial that is exactly 1 is not multiplied.
    #[inline]
    pub fn add_product(
        &mut self,
        total: &Value,
        partial: &Value,
        factor: &Value,
    ) -> Result<Value, Fault> {
        if let (Value::Real(p), Value::Real(x)) = (partial, factor) {
            if let Value::Real(total) = total {
                self.counts.derivative += 1;
                return Ok(Value::Real(total + p * x));
            }
            if let Value::Unit = total {
                self.counts.derivative += u64::from(*p != 1.0);
                return Ok(Value::Real(p * x));
            }
        }
        match (total, partial) {
            (Value::Unit, Value::Real(1.0)) => Ok(factor.clone()),
            (Value::Unit, _) => {
                self.counts.derivative += 1;
                self.apply(Prim::Mul, &[partial.clone(), factor.clone()])
            }
            (_, Value::Real(1.0)) => {
                self.counts.derivative += 1;
                self.apply(Prim::Add, &[total.clone(), factor.clone()])
            }
            _ => {
                self.counts.derivative += 1;
                let product = self.apply(Prim::Mul, &[partial.clone(), factor.clone()])?;
                self.apply(Prim::Add, &[total.clone(), product])
            }
        }
    }

    /// The value of a partial derivative at `args` and `result`, all below the level that asks; `None`
    /// is the structural zero.
    pub fn term(
        &mut self,
        term: &Term,
        args: &[Value],
        result: &Value,
    ) -> Result<Option<Value>, Fault> {
        self.partial(&[], term, args, result, &mut Known::default())
    }

    /// As [`Ctx::term`], for several partials of one application: `known` keeps the values of the terms
    /// that they share ([`crate::Smooth::shared`]).
    pub fn partial(
        &mut self,
        shared: &[Term],
        term: &Term,
        args: &[Value],
        result: &Value,
        known: &mut Known,
    ) -> Result<Option<Value>, Fault> {
        Ok(Some(match term {
            Term::Arg(index) => args[*index].clone(),
            Term::Result => result.clone(),
            Term::Real(x) => Value::Real(*x),
            Term::Int(n) => Value::Int(*n),
            Term::Zero => return Ok(None),
            Term::Prim(prim, terms) => {
                let slot = shared.iter().position(|shared| shared == term);
                if let Some(value) = slot.and_then(|slot| known.0[slot].clone()) {
                    return Ok(Some(value));
                }
                let mut values = [Value::Unit, Value::Unit];
                for (slot, term) in values.iter_mut().zip(*terms) {
                    let value = self.partial(shared, term, args, result, known)?;
                    *slot = value.unwrap_or(Value::Real(0.0));
                }
                self.counts.differentiate(*prim);
                let values = &values[..terms.len().min(2)];
                let value = match &prim.row().class {
                    Class::Smooth(smooth) => self.apply_smooth(*prim, smooth, values)?,
                    Class::Discrete
                    | Class::Structural
                    | Class::Sum
                    | Class::Control
                    | Class::Fail => discrete::apply(self, *prim, values)?,
                };
                if let Some(slot) = slot {
                    known.0[slot] = Some(value.clone());
                }
                value
            }
            Term::If(cond, then, other) => {
                let truth = self.partial(shared, cond, args, result, known)?;
                let truth = truth.and_then(|truth| truth.as_bool()) == Some(true);
                let chosen = if truth { then } else { other };
                return self.partial(shared, chosen, args, result, known);
            }
        }))
    }

    /// The sum of an array of Reals of any level, from left to right.
    pub fn sum(&mut self, array: &Value) -> Result<Value, Fault> {
        let Value::Array(array) = array else {
            return Err(Fault::internal("sum of no array"));
        };
        if let Some(reals) = array.reals() {
            return Ok(Value::Real(reals.iter().fold(0.0, |total, x| total + x)));
        }
        let Some(items) = array.values() else { return Ok(Value::Real(0.0)) };
        self.sum_values(items)
    }

    /// The sum of Reals of any level, from left to right.
    pub fn sum_values(&mut self, items: &[Value]) -> Result<Value, Fault> {
        let highest = items.iter().map(Value::level).max().unwrap_or(0);
        if highest == 0 {
            let total = items.iter().try_fold(0.0, |total, item| Some(total + item.as_real()?));
            return total.map(Value::Real).ok_or_else(|| Fault::internal("sum of no Reals"));
        }
        if let Some(level) = self.level(highest) {
            return level.sum(self, highest, items);
        }
        let items: Vec<Value> = items.iter().map(|item| primal(item, highest).clone()).collect();
        self.sum_values(&items)
    }

    /// The numbers that a comparison of Reals of any level compares.
    #[cold]
    pub(super) fn compared(&self, prim: Prim, x: &Value, y: &Value) -> Result<(f64, f64), Fault> {
        if self.options.strict_domain {
            self.check_tie(prim, &[x.clone(), y.clone()])?;
        }
        if self.linearity_tests > 0 {
            self.check_undecided(prim, &[x.clone(), y.clone()])?;
        }
        match (x.as_real(), y.as_real()) {
            (Some(x), Some(y)) => Ok((x, y)),
            (None, _) | (_, None) => Err(Fault::internal("a comparison of no Reals")),
        }
    }

    /// Strict domain: an error if two equal Reals are compared and either is followed.
    pub(super) fn check_tie(&self, prim: Prim, args: &[Value]) -> Result<(), Fault> {
        if let ([x, y], true) = (args, compares(prim))
            && self.is_followed(x) | self.is_followed(y)
            && !same(x, y)
            && let (Some(x), Some(y)) = (x.as_real(), y.as_real())
            && x == y
        {
            return Err(Fault::Tie { number: x });
        }
        Ok(())
    }

    /// Strict domain: an error if a followed Real becomes an Int where that jumps.
    fn check_jump(&self, prim: Prim, args: &[Value]) -> Result<(), Fault> {
        if let (Prim::ToInt, [x]) = (prim, args)
            && let Some(number) = x.as_real()
            && jumps(number)
            && self.is_followed(x)
        {
            return Err(Fault::NotSmooth { name: prim.written(), args: vec![number] });
        }
        Ok(())
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

/// Whether these are one Real: comparing it with itself is a test for NaN.
pub(super) fn same(x: &Value, y: &Value) -> bool {
    matches!((x, y), (Value::Active(x), Value::Active(y)) if Rc::ptr_eq(x, y))
}

/// Whether cutting off towards zero jumps here: not at zero, as the numbers around it all become 0.
pub(super) fn jumps(x: f64) -> bool {
    x != 0.0 && x.fract() == 0.0
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

/// The value without the derivative of this level; the level must be the highest or absent.
#[inline]
pub fn primal(value: &Value, level: u64) -> &Value {
    if let Value::Active(active) = value
        && active.level == level
    {
        return &active.primal;
    }
    value
}

/// The value of a smooth primitive if nothing follows its arguments.
#[inline]
pub(super) fn smooth_value(function: RealFn, args: &[Value]) -> Option<f64> {
    match (function, args) {
        (RealFn::Real1(f), [Value::Real(x)]) => Some(f(*x)),
        (RealFn::Real2(f), [Value::Real(x), Value::Real(y)]) => Some(f(*x, *y)),
        (RealFn::RealInt(f), [Value::Real(x), Value::Int(n)]) => Some(f(*x, *n)),
        (RealFn::IntReal(f), [Value::Int(n), Value::Real(x)]) => Some(f(*n, *x)),
        (RealFn::Real1(_) | RealFn::Real2(_) | RealFn::RealInt(_) | RealFn::IntReal(_), _) => None,
    }
}
