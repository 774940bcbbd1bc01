//! The machine: an interpreter that runs bytecode on an explicit stack of frames. This file is its fast half, one flat
//! `match`; what is more than a line is below or in [`super::core`].
//!
//! Input: an [`Image`], a function and its arguments. Output: its results, or the error with the calls that led to it.
//!
//! Invariants. The registers of a function are a window of one stack. A call that failed leaves an empty stack;
//! constants that were computed stay. Dispatch is one `match` on the instruction, so an instruction costs one jump.

mod arrays;
mod data;
mod registers;
mod routines;
mod scalars;
mod strips;

use pullback_base::{Budget, Diagnostic, Id, Limits, bug};
use pullback_machine::{Body, Counts, DIVISION, Failed, InStrips, STOP, stacks};
use pullback_prim::{Fault, Prim, values};

use super::code::{Code, Image, Instr};
use super::core::{Core, Dependences, Frame};
use super::lanes::{Lanes, Strips};
use super::value::Value;
use crate::program::{FuncId, Program};
use registers::{Running, Window};

/// What a function of a program gives, and what that took. Whoever calls several should compile the program
/// once and keep a [`Machine`].
pub fn evaluate(
    program: &Program,
    func: FuncId,
    args: Vec<Value>,
    limits: Limits,
) -> Result<(Vec<Value>, Counts), Box<Diagnostic>> {
    let image = Image::new(program);
    let mut machine = Machine::new(&image, limits);
    let results = machine.call(func, args)?;
    Ok((results, machine.counts()))
}

/// Evaluates functions of a compiled program. Constants are evaluated at most once.
pub struct Machine<'i> {
    stack: Vec<Value>,
    core: Core<'i>,
}

impl<'i> Machine<'i> {
    /// A machine for a program.
    pub fn new(image: &'i Image<'i>, limits: Limits) -> Self {
        Self { stack: vec![], core: Core::new(image, limits) }
    }

    /// The same with so many steps at most.
    #[must_use]
    pub fn within(mut self, budget: Option<Budget>) -> Self {
        self.core.meter.budget = budget;
        self
    }

    /// The same, which does so much at most, in steps that take as long.
    #[must_use]
    pub fn with_quota(mut self, quota: Budget) -> Self {
        self.core.meter.quota = Some(quota);
        self
    }

    /// The same, whose loops run in such strips.
    #[must_use]
    pub fn in_strips(mut self, strips: Strips) -> Self {
        self.core.lanes = Lanes::of(strips);
        self
    }

    /// The same, which asks what depends on what.
    #[must_use]
    pub fn asking(mut self, dependences: Dependences) -> Self {
        self.core.dependences = Some(dependences);
        self
    }

    /// What has been done so far.
    pub fn counts(&self) -> Counts {
        let counts = self.core.meter.read();
        Counts { steps: counts.steps + self.core.fuel.burnt(), ..counts }
    }

    /// How many steps take as long as what has been done so far.
    pub fn effort(&self) -> u64 {
        self.core.meter.effort(InStrips::default()) + self.core.fuel.burnt()
    }

    /// How many strips have run.
    pub fn strips_run(&self) -> u64 {
        self.core.lanes.run
    }

    /// Applies a function.
    pub fn call(&mut self, func: FuncId, args: Vec<Value>) -> Result<Vec<Value>, Box<Diagnostic>> {
        let is_constant = self.core.image.codes[func].is_constant;
        if let (true, Some(values)) = (is_constant, self.core.constants.get(func.index())) {
            return Ok(values.clone());
        }
        let results = self.start(func, args).map_err(|failed| {
            let diagnostic = self.core.frames.diagnostic(failed, self.core.image);
            self.reset();
            diagnostic
        })?;
        if is_constant {
            self.core.constants.finish(func.index(), results.clone());
        }
        Ok(results)
    }

    fn start(&mut self, func: FuncId, args: Vec<Value>) -> Result<Vec<Value>, Failed> {
        let Self { stack, core } = self;
        let code = &core.image.codes[func];
        let at_entry = |fault| (fault, Some((func.0, 0)));
        if code.is_constant {
            core.constants.begin(func.index(), &code.name).map_err(at_entry)?;
        }
        let bottom = Frame { code: STOP, pc: 0, results: 0, base: 0 };
        core.push_frame(bottom).map_err(at_entry)?;
        let needed = args.len().max(code.registers as usize);
        core.ensure(stack, needed).map_err(at_entry)?;
        for (slot, arg) in stack.iter_mut().zip(args) {
            *slot = arg;
        }
        run(core, stack, func)
    }

    /// Forgets an evaluation that failed.
    fn reset(&mut self) {
        stacks::resize(&mut self.stack, 0, &mut self.core.meter);
        self.core.frames.clear();
        self.core.builders.clear();
        self.core.args.clear();
        self.core.constants.abandon();
    }
}

impl Body for Code {
    type Instr = Instr;

    #[inline(always)]
    fn instrs(&self) -> &[Instr] {
        &self.instrs
    }
    #[inline(always)]
    fn registers(&self) -> u32 {
        self.registers
    }
}

/// Runs a function, whose arguments are in place, until the bottom frame has its results. One line for each
/// instruction; what does not fit into a line is a function of `registers`, `scalars`, `arrays` or `data`.
#[rustfmt::skip]
#[expect(clippy::too_many_lines, reason = "one flat match over the instructions")]
fn run(core: &mut Core<'_>, stack: &mut Vec<Value>, func: FuncId) -> Result<Vec<Value>, Failed> {
    let image = core.image;
    let consts = image.tables.consts.as_slice();
    let mut w = Running::of(&image.codes[func], func.0, 0, 0);
    'frame: loop {
        let mut r = Window { regs: &mut stack[w.base..w.end()], consts, code: w.code };
        macro_rules! check { ($result:expr) => { match $result { Ok(value) => value, Err(fault) => return Err((fault, Some((w.id, w.pc)))) } }; }
        macro_rules! tick { () => {{ check!(core.tick()); core.tell_stand(stack, w.frame(0)) }}; }
        macro_rules! step { () => {{ if core.fuel.burn() { tick!(); r = Window { regs: &mut stack[w.base..w.end()], consts, code: w.code } } }}; }
        macro_rules! real { ($d:expr, $a:expr, $b:expr, $op:tt) => {{ core.meter.counts.operations += 1; let x = r.real($a) $op r.real($b); r.set_real($d, x) }}; }
        macro_rules! truth { ($d:expr, $truth:expr) => {{ core.meter.counts.operations += 1; let truth = $truth; r.set($d, Value::Bool(truth)) }}; }
        macro_rules! whole { ($d:expr, $a:expr, $b:expr, $op:path, $prim:ident) => {{ core.meter.counts.operations += 1; let (m, n) = (r.int($a), r.int($b)); match $op(m, n) { Some(n) => r.set_int($d, n), None => check!(Err(Fault::of_ints(Prim::$prim, &[m, n]))) } }}; }
        macro_rules! put { ($d:expr, $result:expr) => {{ let value = check!($result); r.set($d, value) }}; }
        loop {
            let instr = w.instrs[w.pc];
            w.pc += 1;
            match instr {
                Instr::Move { d, a } => r.transfer(d, a),
                Instr::Drop { a } => r.set(a, Value::Undef),
                Instr::RealAdd { d, a, b } => real!(d, a, b, +),
                Instr::RealSub { d, a, b } => real!(d, a, b, -),
                Instr::RealMul { d, a, b } => real!(d, a, b, *),
                Instr::RealDiv { d, a, b } => { core.meter.counts.surcharge += DIVISION; real!(d, a, b, /) }
                Instr::RealNeg { d, a } => { core.meter.counts.operations += 1; let x = -r.real(a); r.set_real(d, x) }
                Instr::Real1 { d, a, function } => { let x = r.function(core, a, function); r.set_real(d, x) }
                Instr::RealLt { d, a, b } => truth!(d, r.real(a) < r.real(b)),
                Instr::RealLe { d, a, b } => truth!(d, r.real(a) <= r.real(b)),
                Instr::RealGt { d, a, b } => truth!(d, r.real(a) > r.real(b)),
                Instr::RealGe { d, a, b } => truth!(d, r.real(a) >= r.real(b)),
                Instr::RealEq { d, a, b } => truth!(d, r.real(a) == r.real(b)),
                Instr::RealNe { d, a, b } => truth!(d, r.real(a) != r.real(b)),
                Instr::IntAdd { d, a, b } => whole!(d, a, b, i64::checked_add, IntAdd),
                Instr::IntSub { d, a, b } => whole!(d, a, b, i64::checked_sub, IntSub),
                Instr::IntMul { d, a, b } => whole!(d, a, b, i64::checked_mul, IntMul),
                Instr::IntDiv { d, a, b } => whole!(d, a, b, values::int_div, IntDiv),
                Instr::IntRem { d, a, b } => whole!(d, a, b, values::int_rem, IntRem),
                Instr::IntLt { d, a, b } => truth!(d, r.int(a) < r.int(b)),
                Instr::IntLe { d, a, b } => truth!(d, r.int(a) <= r.int(b)),
                Instr::IntGt { d, a, b } => truth!(d, r.int(a) > r.int(b)),
                Instr::IntGe { d, a, b } => truth!(d, r.int(a) >= r.int(b)),
                Instr::IntEq { d, a, b } => truth!(d, r.int(a) == r.int(b)),
                Instr::IntNe { d, a, b } => truth!(d, r.int(a) != r.int(b)),
                Instr::Not { d, a } => truth!(d, !r.flag(a)),
                Instr::ToReal { d, a } => { core.meter.counts.operations += 1; let x = r.int(a) as f64; r.set_real(d, x) }
                Instr::Prim { d, prim, args } => put!(d, r.primitive(core, prim, args)),
                Instr::Select { d, c, a, b } => { let chosen = if r.flag(c) { a } else { b }; r.transfer(d, chosen) }
                Instr::MulZero { d, a, b } => { core.meter.counts.operations += 1; let x = r.strong_product(a, b); r.set_real(d, x) }
                Instr::Jump { to } => w.pc = to as usize,
                Instr::JumpUnless { a, to } => if !r.flag(a) { w.pc = to as usize },
                Instr::Switch { a, table } => w.pc = r.case(a, table),
                Instr::Fields { a, dests } => r.fields(a, dests),
                Instr::ForUp { i, n, to } => if r.int(n) > 0 { r.set_int(i, 0) } else { w.pc = to as usize },
                Instr::ForDown { i, n, to } => { let n = r.int(n); if n > 0 { r.set_int(i, n - 1) } else { w.pc = to as usize } }
                Instr::NextUp { i, n, to } => { let next = r.int(i) + 1; step!(); if next < r.int(n) { r.set_int(i, next); w.pc = to as usize } }
                Instr::NextDown { i, to, .. } => { let next = r.int(i) - 1; step!(); if next >= 0 { r.set_int(i, next); w.pc = to as usize } }
                Instr::ForStrip { strip } => { strips::run(core, stack, &mut w, strip).map_err(|(fault, pc)| (fault, Some((w.id, pc))))?; r = Window { regs: &mut stack[w.base..w.end()], consts, code: w.code } }
                Instr::Again { i, to } => { let n = r.int(i) + 1; r.set_int(i, n); w.pc = to as usize; step!() }
                Instr::Build { kind, rank, n } => check!(r.build(core, kind, rank, n)),
                Instr::Grow { kind, rank } => check!(r.grow(core, kind, rank)),
                Instr::Push { nth, a } => check!(r.push(core, nth, a)),
                Instr::Built { d, is_reversed } => r.built(core, d, is_reversed),
                Instr::Array { d, kind, rank, args } => put!(d, r.make_array(core, kind, rank, args)),
                Instr::Index1 { d, a, i } => check!(r.index(d, a, [i])),
                Instr::Index2 { d, a, i, j } => check!(r.index(d, a, [i, j])),
                Instr::Index { d, a, at } => put!(d, r.index_all(core, a, at)),
                Instr::Update { d, a, at, v } => put!(d, r.update(core, a, at, v)),
                Instr::Slice { d, a, from, to } => put!(d, r.slice(a, from, to)),
                Instr::Concat { d, a, b } => put!(d, r.concat(core, a, b)),
                Instr::Join { d, a, b } => put!(d, r.join(core, a, b)),
                Instr::Flatten { d, a } => { let value = r.flatten(a); r.set(d, value) }
                Instr::Dim { d, a, dimension } => { let n = r.dim(a, dimension); r.set_int(d, n) }
                Instr::Sized { d, a, dimension, n } => { let value = r.sized(a, dimension, n); r.set(d, value) }
                Instr::CheckSize { a, dimension, n, what } => check!(r.check_size(a, dimension, n, what)),
                Instr::CheckEqual { a, n, what } => check!(r.check_equal(a, n, what)),
                Instr::CheckCount { n } => check!(r.count(n).map(drop)),
                Instr::Sum { d, a } => { let x = r.sum(core, a); r.set_real(d, x) }
                Instr::Argsort { d, a } => put!(d, r.argsort(core, a)),
                Instr::Shape { d, a, rank } => { let value = r.shape(a, rank); r.set(d, value) }
                Instr::Con { d, tag, args } => { let value = r.con(tag, args); r.set(d, value) }
                Instr::Zero { d, a, ty } => put!(d, r.zero(core, a, ty)),
                Instr::Plus { d, a, b, ty } => put!(d, r.plus(core, a, b, ty)),
                Instr::Unpack { a, tag, zero, like, dests } => check!(r.unpack(core, a, [tag, zero], like, dests)),
                Instr::ToTangent { role, d, a, b, ty } => put!(d, r.taken_in(core, role, [a, b], ty)),
                Instr::FromTangent { d, a, b, ty } => put!(d, r.given_out(core, a, b, ty)),
                Instr::NewAcc { d, a } => put!(d, r.new_acc(core, a)),
                Instr::AddAcc { a, at, v, ty } => check!(r.add_acc(core, a, at, v, ty)),
                Instr::AtAcc { d, a, at } => put!(d, r.at_acc(core, a, at)),
                Instr::PartAcc { d, a, from, to } => put!(d, r.part_acc(a, from, to)),
                Instr::ReadAcc { d, a } => { let value = r.read_acc(a); r.set(d, value) }
                Instr::Tell { a } => (core.meter.limits.tell)(r.text(a)),
                Instr::Fail { prim, a } => check!(Err(Fault::stop(image.tables.prims[prim as usize], r.text(a)))),
                Instr::Unresolved => bug("ir", "a program without derivations that are still to be made"),
                Instr::Call { func, args, dests } => {
                    if core.fuel.burn() { tick!() }
                    let callee = Running::of(&image.codes[func], func.0, 0, w.end());
                    check!(core.push_frame(w.frame(dests)));
                    if callee.end() > stack.len() { core.ensure(stack, callee.end()).map_err(|fault| (fault, None))?; }
                    let (lower, upper) = stack.split_at_mut(callee.base);
                    Window { regs: &mut lower[w.base..], consts, code: w.code }.pass(args, upper);
                    w = callee;
                    continue 'frame;
                }
                Instr::TailCall { func, args } => {
                    step!();
                    r.pass_aside(args, &mut core.args);
                    w = Running::of(&image.codes[func], func.0, 0, w.base);
                    if w.end() > stack.len() { core.ensure(stack, w.end()).map_err(|fault| (fault, Some((w.id, 1))))?; }
                    for (slot, arg) in stack[w.base..].iter_mut().zip(core.args.drain(..)) { *slot = arg; }
                    continue 'frame;
                }
                Instr::Constant { func, dests } => {
                    if let Some(values) = core.constants.get(func.index()) { r.constants(values, dests); continue; }
                    let callee = Running::of(&image.codes[func], func.0, 0, w.end());
                    check!(core.push_frame(w.frame(dests)));
                    check!(core.constant(func, callee.base));
                    if callee.end() > stack.len() { core.ensure(stack, callee.end()).map_err(|fault| (fault, None))?; }
                    w = callee;
                    continue 'frame;
                }
                Instr::Routine { routine, dests, to } => if !check!(r.routine(core, (routine, FuncId(w.id)), dests)) { w.pc = to as usize }
                Instr::Return { results } => {
                    let Some(frame) = core.frames.pop() else { bug("ir", "a frame to return to") };
                    if frame.is_code() {
                        let caller = Running::of(&image.codes[FuncId(frame.code)], frame.code, frame.pc as usize, frame.base);
                        let (lower, upper) = stack.split_at_mut(w.base);
                        let mut from = Window { regs: upper, consts, code: w.code };
                        let mut to = Window { regs: &mut lower[caller.base..], consts, code: caller.code };
                        from.give(results, &mut to, frame.results);
                        w = caller;
                        continue 'frame;
                    }
                    let values = r.taken(results);
                    if frame.code == STOP { return Ok(values); }
                    let Some(asking) = core.frames.pop() else { bug("ir", "a frame that asked for a constant") };
                    w = Running::of(&image.codes[FuncId(asking.code)], asking.code, asking.pc as usize, asking.base);
                    Window { regs: &mut stack[w.base..], consts, code: w.code }.constants(&values, asking.results);
                    core.constants.finish(frame.pc as usize, values);
                    continue 'frame;
                }
            }
        }
    }
}
