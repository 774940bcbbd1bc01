//! The slow half of the machine: whatever is not one instruction in one frame. Applying unknown
//! functions, differentiation operators, continuations of engines, constants, growth, limits.

use std::rc::Rc;

use pullback_base::{Name, Span, bug};

use pullback_lambda::{AdOp, in_library};
use pullback_prim::Prim;

use super::code::{Image, Packing, Reg};
use super::custom;
use super::discrete::{element_bytes, position, times};
use super::hooks::{Ctx, Step, Then};
use super::value::{Array, Fields, Items, Value};
use super::walk;
use super::watch::Place as WatchedPlace;
use crate::Fault;

/// Where a call returns to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    /// The code, or one of the special numbers below.
    pub code: u32,
    /// The next instruction, or the slot of a constant.
    pub pc: u32,
    /// Where the window starts in the stack.
    pub base: usize,
}

/// The frame below all others.
pub(super) const STOP: u32 = u32::MAX;
/// The continuation of an engine is on top of the natives.
pub(super) const NATIVE: u32 = u32::MAX - 1;
/// The result is a constant, to be stored.
pub(super) const CONSTANT: u32 = u32::MAX - 2;

/// How many frames are searched for the call that led into the library.
const MOST_FRAMES: usize = 200;
/// How many calls are told that led to an error.
const MOST_CALLS: usize = 3;

/// What a constant is.
#[derive(Clone, Debug)]
pub(super) enum Memo {
    /// Not asked for yet.
    Unset,
    /// Being computed.
    Running,
    /// Known.
    Done(Value),
}

/// What the fast half does next.
pub(super) enum Next {
    /// Run this code in a window that starts at this place of the stack.
    Enter(u32, usize),
    /// Go on with this frame.
    Resume(Frame),
    /// The bottom frame has its result.
    Stop(Value),
}

/// How many calls and loop iterations pass between two looks at the limits.
pub(super) const TICK: u32 = 1 << 16;

/// From how many calls under way on a function counts as recursive.
const RECURSION: usize = 8;

/// How many values functions without a place in the program may have on the stack, whatever the limit.
const LEADING: usize = 1024;
/// How many frames there may be whatever the limit.
const FEWEST_FRAMES: usize = 64;
/// What a continuation takes, with its place in the stack of continuations.
const NATIVE_BYTES: usize = 64;

pub(super) struct Core<'i> {
    pub image: &'i Image,
    pub frames: Vec<Frame>,
    pub natives: Vec<Box<dyn Then>>,
    pub memo: Vec<Memo>,
    pub ctx: Ctx,
}

/// The arguments a function returned a function for.
struct Rest(Vec<Value>);

impl Then for Rest {
    fn resume(self: Box<Self>, _: &mut Ctx, function: Value) -> Result<Step, Fault> {
        Ok(Step::Tail { function, args: self.0 })
    }
}

impl Core<'_> {
    /// Takes the frame on top if it is one of code of the program.
    #[inline(always)]
    pub(super) fn resumable(&mut self) -> Option<Frame> {
        match self.frames.last() {
            Some(frame) if frame.code < CONSTANT => self.frames.pop(),
            Some(_) | None => None,
        }
    }

    /// The result of a call is in `stack[base]`: passes it to the frame on top.
    pub(super) fn returned(&mut self, stack: &mut Vec<Value>, base: usize) -> Result<Next, Fault> {
        let Some(frame) = self.frames.pop() else { return Err(Fault::internal("no frame")) };
        match frame.code {
            STOP => Ok(Next::Stop(std::mem::take(&mut stack[base]))),
            CONSTANT => {
                self.memo[frame.pc as usize] = Memo::Done(std::mem::take(&mut stack[base]));
                // Below it stands the frame that asked.
                match self.frames.pop() {
                    Some(frame) if frame.code < CONSTANT => Ok(Next::Resume(frame)),
                    Some(_) | None => Err(Fault::internal("nobody asked for a constant")),
                }
            }
            NATIVE => {
                let value = std::mem::take(&mut stack[base]);
                let Some(then) = self.natives.pop() else {
                    return Err(Fault::internal("no continuation"));
                };
                self.ctx.is_outermost = self.frames.len() <= 1;
                let step = then.resume(&mut self.ctx, value)?;
                self.perform(stack, step, frame.base)
            }
            _ => Ok(Next::Resume(frame)),
        }
    }

    /// Does what an engine wants done, in a window that starts at `at`.
    pub(super) fn perform(
        &mut self,
        stack: &mut Vec<Value>,
        step: Step,
        at: usize,
    ) -> Result<Next, Fault> {
        // Steps that need no code of the program follow each other here, not on the native stack.
        let mut step = step;
        loop {
            let (function, args) = match step {
                Step::Return(value) => {
                    stack[at] = value;
                    if let Some(Frame { code: NATIVE, base, .. }) = self.frames.last().copied()
                        && base == at
                    {
                        self.frames.pop();
                        let Some(then) = self.natives.pop() else {
                            return Err(Fault::internal("no continuation"));
                        };
                        self.ctx.is_outermost = self.frames.len() <= 1;
                        step = then.resume(&mut self.ctx, std::mem::take(&mut stack[at]))?;
                        continue;
                    }
                    return self.returned(stack, at);
                }
                Step::Call { function, args, then } => {
                    self.push_native(then, at)?;
                    (function, args)
                }
                Step::Tail { function, args } => (function, args),
            };
            let count = args.len();
            self.ensure(stack, at + count + 1)?;
            stack[at] = function;
            for (slot, arg) in stack[at + 1..].iter_mut().zip(args) {
                *slot = arg;
            }
            match self.open_call(stack, at, count)? {
                Opened::Next(next) => return Ok(next),
                Opened::Step(next) => step = next,
            }
        }
    }

    /// Applies the function in `stack[at]` to the `count` arguments behind it.
    pub(super) fn apply(
        &mut self,
        stack: &mut Vec<Value>,
        at: usize,
        count: usize,
    ) -> Result<Next, Fault> {
        match self.open_call(stack, at, count)? {
            Opened::Next(next) => Ok(next),
            Opened::Step(step) => self.perform(stack, step, at),
        }
    }

    fn open_call(
        &mut self,
        stack: &mut Vec<Value>,
        at: usize,
        count: usize,
    ) -> Result<Opened, Fault> {
        let mut count = count;
        loop {
            match &stack[at] {
                Value::Closure(code, _) => {
                    let code = *code;
                    let arity = self.image.codes[code as usize].arity as usize;
                    if count < arity {
                        let held = stack[at..=at + count].iter_mut().map(std::mem::take);
                        let partial = Value::Partial(Fields::collect(0, count + 1, held));
                        return Ok(Opened::Step(Step::Return(partial)));
                    }
                    if count > arity {
                        self.set_aside(stack, at, arity, count)?;
                    }
                    return Ok(Opened::Next(Next::Enter(code, at)));
                }
                Value::Partial(held) => {
                    let held = held.clone();
                    let held = held.items();
                    let more = held.len() - 1;
                    self.ensure(stack, at + 1 + more + count)?;
                    for index in (at + 1..=at + count).rev() {
                        stack.swap(index, index + more);
                    }
                    stack[at..=at + more].clone_from_slice(held);
                    count += more;
                }
                Value::Native(native) => {
                    let native = native.clone();
                    if count > 1 {
                        self.set_aside(stack, at, 1, count)?;
                    }
                    let arg = std::mem::take(&mut stack[at + 1]);
                    stack[at] = Value::Unit;
                    return Ok(Opened::Step(native.call(&mut self.ctx, arg)?));
                }
                Value::Unit
                | Value::Bool(_)
                | Value::Int(_)
                | Value::Real(_)
                | Value::Tag(_)
                | Value::Active(_)
                | Value::Str(_)
                | Value::Tuple(_)
                | Value::Data(_)
                | Value::Array(_) => return Err(Fault::internal("no function is applied")),
            }
        }
    }

    /// Keeps the arguments after the first `arity` for the function that will be returned.
    fn set_aside(
        &mut self,
        stack: &mut [Value],
        at: usize,
        arity: usize,
        count: usize,
    ) -> Result<(), Fault> {
        let rest = stack[at + 1 + arity..=at + count].iter_mut().map(std::mem::take).collect();
        self.push_native(Box::new(Rest(rest)), at)
    }

    /// Puts a continuation on top, for the result of the window that starts at `base`.
    fn push_native(&mut self, then: Box<dyn Then>, base: usize) -> Result<(), Fault> {
        if self.natives.len() == self.natives.capacity() {
            self.grow_natives()?;
        }
        self.natives.push(then);
        self.push_frame(Frame { code: NATIVE, pc: 0, base })
    }

    /// Puts a frame on top.
    #[inline(always)]
    pub(super) fn push_frame(&mut self, frame: Frame) -> Result<(), Fault> {
        if self.frames.len() == self.frames.capacity() {
            self.grow_frames()?;
        }
        self.frames.push(frame);
        Ok(())
    }

    /// A differentiation operator on arguments of its window.
    pub(super) fn ad(
        &mut self,
        stack: &mut Vec<Value>,
        op: AdOp,
        at: usize,
        count: usize,
    ) -> Result<Next, Fault> {
        let mut args = stack[at + 1..=at + count].iter_mut().map(std::mem::take);
        let mut arg = || {
            args.next().unwrap_or_else(|| bug("eval", "as many arguments as the operator takes"))
        };
        let engine = self.ctx.engine.clone();
        let ctx = &mut self.ctx;
        let step = match op {
            AdOp::Vjp => engine.vjp(ctx, arg(), arg())?,
            AdOp::Jvp => engine.jvp(ctx, arg(), arg(), arg())?,
            AdOp::Linearize => engine.linearize(ctx, arg(), arg())?,
            AdOp::StopGradient => Step::Return(ctx.stopped(&arg())?),
            AdOp::Zeros => Step::Return(walk::zeros(&arg())?),
            AdOp::Perturb => Step::Return(ctx.perturbed(&arg(), &arg())?),
            AdOp::CustomVjp | AdOp::CustomJvp => custom::apply(ctx, op, arg(), arg(), arg())?,
            AdOp::AssumeLinear => custom::assume_linear(ctx, arg(), arg())?,
            AdOp::Checkpoint => bug("eval", "checkpoints to be compiled as applications"),
        };
        self.perform(stack, step, at)
    }

    /// Starts to compute a constant; the asking frame has been pushed, to ask again.
    pub(super) fn constant(&mut self, slot: u32, at: usize) -> Result<Next, Fault> {
        let code = self.image.constants[slot as usize];
        if matches!(self.memo[slot as usize], Memo::Running) {
            return Err(Fault::Cycle { name: self.image.codes[code as usize].name.clone() });
        }
        self.memo[slot as usize] = Memo::Running;
        self.push_frame(Frame { code: CONSTANT, pc: slot, base: at })?;
        Ok(Next::Enter(code, at))
    }

    /// Makes the stack at least `len` long.
    pub(super) fn ensure(&mut self, stack: &mut Vec<Value>, len: usize) -> Result<(), Fault> {
        if len <= stack.len() { Ok(()) } else { self.grow(stack, len) }
    }

    #[cold]
    fn grow(&mut self, stack: &mut Vec<Value>, len: usize) -> Result<(), Fault> {
        let held = size_of_val(&**stack);
        let affordable = self.affordable(held) / size_of::<Value>();
        if len > affordable {
            return Err(self.too_deep());
        }
        self.resize_stack(stack, (stack.len() * 2).max(len).max(1024).min(affordable));
        Ok(())
    }

    /// Makes the stack this long, which the account of memory knows before.
    pub(super) fn resize_stack(&mut self, stack: &mut Vec<Value>, len: usize) {
        self.resized(size_of_val(&**stack), len * size_of::<Value>());
        stack.truncate(len);
        stack.shrink_to(len);
        stack.reserve_exact(len - stack.len());
        stack.resize(len, Value::Unit);
    }

    #[cold]
    fn grow_frames(&mut self) -> Result<(), Fault> {
        let held = self.frames.capacity();
        let affordable = self.affordable(held * size_of::<Frame>()) / size_of::<Frame>();
        let affordable = affordable.max(FEWEST_FRAMES);
        if held >= affordable {
            return Err(self.too_deep());
        }
        let wanted = (held * 2).clamp(FEWEST_FRAMES, affordable);
        self.resized(held * size_of::<Frame>(), wanted * size_of::<Frame>());
        self.frames.reserve_exact(wanted - held);
        Ok(())
    }

    #[cold]
    fn grow_natives(&mut self) -> Result<(), Fault> {
        let held = self.natives.capacity();
        let affordable = self.affordable(held * NATIVE_BYTES) / NATIVE_BYTES;
        let affordable = affordable.max(FEWEST_FRAMES);
        if held >= affordable {
            return Err(self.too_deep());
        }
        let wanted = (held * 2).clamp(FEWEST_FRAMES, affordable);
        self.resized(held * NATIVE_BYTES, wanted * NATIVE_BYTES);
        self.natives.reserve_exact(wanted - held);
        Ok(())
    }

    /// How many bytes one of the machine's stacks, which takes `held` now, may take after it has grown.
    /// While it is copied the old one is there too.
    fn affordable(&self, held: usize) -> usize {
        let limit = self.ctx.options.max_memory;
        // Half of the memory is for frames, so that recursion without end leaves room for the rest.
        let others = self.ctx.frames.bytes() - held;
        (limit / 2).saturating_sub(others).min(limit.saturating_sub(self.ctx.bytes()))
    }

    /// Notes that one of the machine's stacks changes its size in bytes.
    fn resized(&mut self, from: usize, to: usize) {
        let all = self.ctx.frames.bytes() + to - from;
        self.ctx.frames.set(all);
    }

    /// Why there is no room for more frames.
    fn too_deep(&self) -> Fault {
        let (function, calls) = self.deepest();
        // A few calls are no recursion: the limit is small, or something else takes the memory.
        if calls < RECURSION || function.is_empty() {
            return self.ctx.out_of_memory();
        }
        let limit = self.ctx.options.max_memory;
        Fault::Recursion { limit, function, calls: Some(self.frames.len()) }
    }

    /// There is no room to enter a function. The fault is told at the call or else at the function itself;
    /// what has no place in a program, as it only leads there, is entered nevertheless.
    #[cold]
    pub(super) fn crowded(
        &mut self,
        stack: &mut Vec<Value>,
        code: u32,
        end: usize,
        fault: Fault,
    ) -> Result<(), (Fault, Option<(u32, usize)>)> {
        if !self.call_span().is_none() {
            return Err((fault, None));
        }
        let spans = &self.image.codes[code as usize].spans;
        match spans.iter().position(|span| !span.is_none()) {
            Some(at) => Err((fault, Some((code, at + 1)))),
            None if end <= LEADING => {
                self.resize_stack(stack, end);
                Ok(())
            }
            None => Err((fault, None)),
        }
    }

    /// The function with the most calls among the latest, and their number.
    fn deepest(&self) -> (Name, usize) {
        let mut counts = std::collections::BTreeMap::new();
        for frame in self.frames.iter().rev().take(1000) {
            if frame.code < CONSTANT {
                *counts.entry(frame.code).or_insert(0usize) += 1;
            }
        }
        let most = counts.iter().max_by_key(|(_, count)| **count);
        most.map_or_else(Default::default, |(code, count)| {
            (self.image.codes[*code as usize].name.clone(), *count)
        })
    }

    /// The place of the latest call under way.
    pub(super) fn call_span(&self) -> Span {
        let frame = self.frames.iter().rev().find(|frame| frame.code < CONSTANT);
        frame.map_or(Span::NONE, |frame| self.span(frame.code, frame.pc as usize))
    }

    /// The place of the instruction before `pc`.
    pub(super) fn span(&self, code: u32, pc: usize) -> Span {
        let spans = &self.image.codes[code as usize].spans;
        spans[pc.saturating_sub(1)]
    }

    /// Shows the watch a primitive that is about to run.
    #[cold]
    pub(super) fn look(&self, prim: Prim, args: &[&Value], code: u32, pc: usize) {
        let Some(watch) = self.ctx.watch() else { return };
        if self.is_library_constant(code, pc) {
            // What the library computes once is its own affair, but for the NaN that was asked for.
            if prim == Prim::Div && args.iter().all(|arg| arg.as_real() == Some(0.0)) {
                watch.look_at_constant(self.place(code, pc));
            }
            return;
        }
        let followed = |value: &Value| self.ctx.is_followed(value);
        watch.look(prim, args, &followed, &|| self.place(code, pc));
    }

    /// As [`Core::look`], with a constant as one argument.
    #[cold]
    pub(super) fn look_beside(
        &self,
        prim: Prim,
        left: bool,
        value: &Value,
        constant: f64,
        code: u32,
        pc: usize,
    ) {
        let constant = Value::Real(constant);
        let args = if left { [&constant, value] } else { [value, &constant] };
        self.look(prim, &args, code, pc);
    }

    /// The place of the instruction before `pc`, and where it is in the library the call that led there.
    fn place(&self, code: u32, pc: usize) -> WatchedPlace {
        let at = self.span(code, pc);
        WatchedPlace { call: self.call_into_library(at).unwrap_or(at), at }
    }

    /// The latest call under way from outside of the library into it, for a place in the library.
    pub(super) fn call_into_library(&self, at: Span) -> Option<Span> {
        if self.in_library(at) { self.calls_outside().next() } else { None }
    }

    /// The calls under way that led to a place outside of the library, the latest first.
    pub(super) fn calls_to(&self, at: Span) -> Vec<Span> {
        let mut calls: Vec<Span> = Vec::new();
        for call in self.calls_outside() {
            let is_around = |inner: &Span| {
                call.file == inner.file && call.lo <= inner.lo && inner.hi <= call.hi
            };
            // The command calls from where a definition is named.
            let is_command = self.image.definitions.contains(&call);
            let is_new = !is_command && !is_around(&at) && !calls.iter().any(is_around);
            if is_new && calls.len() < MOST_CALLS {
                calls.push(call);
            }
        }
        calls
    }

    /// The calls under way outside of the library, the latest first; the frames are searched as far as it
    /// may well be.
    fn calls_outside(&self) -> impl Iterator<Item = Span> {
        let frames = self.frames.iter().rev().take(MOST_FRAMES);
        let spans = frames
            .filter(|frame| frame.code < CONSTANT)
            .map(|frame| self.span(frame.code, frame.pc as usize));
        spans.filter(|span| !span.is_none() && !self.in_library(*span))
    }

    fn in_library(&self, span: Span) -> bool {
        in_library(&self.image.library, span)
    }

    /// Whether this is the code of a constant of the library.
    fn is_library_constant(&self, code: u32, pc: usize) -> bool {
        self.image.constants.contains(&code) && self.in_library(self.span(code, pc))
    }

    /// Called every so often: are the limits kept?
    #[cold]
    pub(super) fn tick(&mut self) -> Result<(), Fault> {
        self.ctx.count_steps(u64::from(TICK))?;
        self.ctx.check_limits()
    }

    /// An empty array with room for the size in `n`.
    pub(super) fn start_array(&self, n: &Value, packing: Packing) -> Result<Value, Fault> {
        let Some(size) = n.as_int() else { return Err(Fault::internal("a size that is no Int")) };
        let Ok(count) = usize::try_from(size) else {
            return Err(Fault::Negative { number: size, what: "the size of an array" });
        };
        let bytes = if packing == Packing::Values { 16 } else { 8 };
        self.ctx.reserve(count as u128 * bytes)?;
        Ok(Value::Array(Rc::new(Array::new(match packing {
            Packing::Real => Items::Real(Vec::with_capacity(count)),
            Packing::Int => Items::Int(Vec::with_capacity(count)),
            Packing::Values => Items::Values(Vec::with_capacity(count)),
        }))))
    }

    /// Replaces an element inside nested arrays, in place where nothing is shared.
    pub(super) fn update(
        &mut self,
        target: &mut Value,
        path: &[Value],
        value: Value,
    ) -> Result<(), Fault> {
        let mut slot = target;
        for (depth, index) in path.iter().enumerate() {
            let (Value::Array(array), Some(index)) = (slot, index.as_int()) else {
                return Err(Fault::internal("an update of no array"));
            };
            if Rc::get_mut(array).is_none() {
                self.ctx.reserve(array.len() as u128 * element_bytes(array))?;
                self.ctx.counts.copied += array.len() as u64;
                self.ctx.count_elements(array.len(), times(array))?;
                *array = Rc::new(array.copied());
            }
            let Some(array) = Rc::get_mut(array) else {
                return Err(Fault::internal("a shared copy"));
            };
            let position = position(array, index)?;
            if depth + 1 == path.len() {
                array.set(position, value);
                return Ok(());
            }
            let Some(items) = array.values_mut() else {
                return Err(Fault::internal("an update inside no array"));
            };
            slot = &mut items[position];
        }
        Ok(())
    }
}

enum Opened {
    Next(Next),
    Step(Step),
}

/// An array of the values taken from registers.
pub(super) fn array_of(regs: &mut [Value], packing: Packing, first: Reg, n: u32) -> Value {
    let items = &mut regs[first as usize..(first + n) as usize];
    let mut array = Array::new(match packing {
        Packing::Real => Items::Real(Vec::with_capacity(items.len())),
        Packing::Int => Items::Int(Vec::with_capacity(items.len())),
        Packing::Values => Items::Values(Vec::with_capacity(items.len())),
    });
    for item in items {
        array.push(std::mem::take(item));
    }
    Value::Array(Rc::new(array))
}
