//! The slow half of the machine: whatever is not one instruction in one frame. Applying unknown
//! functions, differentiation operators, continuations of engines, constants, growth, limits.

use std::rc::Rc;

use pullback_base::{Name, Span, bug};
use pullback_machine::stacks::{self, Full};
use pullback_machine::{CONSTANT, Constants, Frame, Frames, Listing, NATIVE, STOP};

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

/// What the fast half does next.
pub(super) enum Next {
    /// Run this code in a window that starts at this place of the stack.
    Enter(u32, usize),
    /// Go on with this frame.
    Resume(Frame),
    /// The bottom frame has its result.
    Stop(Value),
}

/// How many values functions without a place in the program may have on the stack, whatever the limit.
const LEADING: usize = 1024;
/// What a continuation takes, with its place in the stack of continuations.
const NATIVE_BYTES: usize = 64;

pub(super) struct Core<'i> {
    pub image: &'i Image,
    pub frames: Frames,
    pub natives: Vec<Box<dyn Then>>,
    pub constants: Constants<Value>,
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
    /// The result of a call is in `stack[base]`: passes it to the frame on top.
    pub(super) fn returned(&mut self, stack: &mut Vec<Value>, base: usize) -> Result<Next, Fault> {
        let Some(frame) = self.frames.pop() else { return Err(Fault::internal("no frame")) };
        match frame.code {
            STOP => Ok(Next::Stop(std::mem::take(&mut stack[base]))),
            CONSTANT => {
                self.constants.finish(frame.pc as usize, std::mem::take(&mut stack[base]));
                // Below it stands the frame that asked.
                match self.frames.pop_code() {
                    Some(frame) => Ok(Next::Resume(frame)),
                    None => Err(Fault::internal("nobody asked for a constant")),
                }
            }
            NATIVE => {
                let value = std::mem::take(&mut stack[base]);
                let Some(then) = self.natives.pop() else {
                    return Err(Fault::internal("no continuation"));
                };
                self.ctx.is_outermost = self.frames.depth() <= 1;
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
                    if let Some(Frame { code: NATIVE, base, .. }) = self.frames.last()
                        && base == at
                    {
                        self.frames.pop();
                        let Some(then) = self.natives.pop() else {
                            return Err(Fault::internal("no continuation"));
                        };
                        self.ctx.is_outermost = self.frames.depth() <= 1;
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
                | Value::IntOf(..)
                | Value::RealOf(..)
                | Value::Chain(..)
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
        let pushed = stacks::push(&mut self.natives, then, NATIVE_BYTES, &mut self.ctx.meter);
        pushed.map_err(|Full| self.too_deep())?;
        self.push_frame(Frame::new(NATIVE, 0, base))
    }

    /// Puts a frame on top.
    #[inline(always)]
    pub(super) fn push_frame(&mut self, frame: Frame) -> Result<(), Fault> {
        self.frames.push(frame, &mut self.ctx.meter, self.image)
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
            AdOp::DifferentiatedAs => {
                let (value, differentiated) = (arg(), arg());
                let function = if ctx.differentiates() { differentiated } else { value };
                Step::Tail { function, args: vec![Value::Unit] }
            }
            AdOp::Checkpoint => bug("eval", "checkpoints to be compiled as applications"),
        };
        self.perform(stack, step, at)
    }

    /// Starts to compute a constant; the asking frame has been pushed, to ask again.
    pub(super) fn constant(&mut self, slot: u32, at: usize) -> Result<Next, Fault> {
        let code = self.image.constants[slot as usize];
        self.constants.begin(slot as usize, &self.image.codes[code as usize].name)?;
        self.push_frame(Frame::new(CONSTANT, slot, at))?;
        Ok(Next::Enter(code, at))
    }

    /// Makes the stack at least `len` long.
    pub(super) fn ensure(&mut self, stack: &mut Vec<Value>, len: usize) -> Result<(), Fault> {
        self.frames.ensure(stack, len, 0, (&mut self.ctx.meter, self.image))
    }

    /// Makes the stack this long, which the account of memory knows before.
    pub(super) fn resize_stack(&mut self, stack: &mut Vec<Value>, len: usize) {
        stacks::resize(stack, len, &mut self.ctx.meter);
    }

    /// Why there is no room for more frames.
    fn too_deep(&self) -> Fault {
        self.frames.too_deep(&self.ctx.meter, self.image)
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
        if !self.frames.call_span(self.image).is_none() {
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
        let at = self.image.span(code, pc);
        WatchedPlace { call: self.frames.call_into_library(at, self.image).unwrap_or(at), at }
    }

    /// Whether this is the code of a constant of the library.
    fn is_library_constant(&self, code: u32, pc: usize) -> bool {
        self.image.constants.contains(&code) && self.image.in_library(self.image.span(code, pc))
    }

    /// An empty array with room for the size in `n`.
    pub(super) fn start_array(&self, n: &Value, packing: Packing) -> Result<Value, Fault> {
        let Some(size) = n.as_int() else { return Err(Fault::internal("a size that is no Int")) };
        let Ok(count) = usize::try_from(size) else {
            return Err(Fault::Negative { number: size, what: "the size of an array" });
        };
        let bytes = if packing == Packing::Values { 16 } else { 8 };
        self.ctx.meter.reserve(count as u128 * bytes)?;
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
                self.ctx.meter.reserve(array.len() as u128 * element_bytes(array))?;
                self.ctx.meter.counts.copied += array.len() as u64;
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

impl Listing for Image {
    fn name(&self, code: u32) -> &Name {
        &self.codes[code as usize].name
    }
    fn place(&self, code: u32, at: usize) -> Span {
        self.codes[code as usize].spans[at]
    }
    fn in_library(&self, place: Span) -> bool {
        in_library(&self.library, place)
    }
    fn is_definition(&self, place: Span) -> bool {
        self.definitions.contains(&place)
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
