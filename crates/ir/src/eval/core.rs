//! The slow half of the machine: frames and their growth, constants, and places of errors.
//!
//! Input: what the fast half ([`super::machine`]) cannot do in a line. Output: frames, or a [`Fault`] with its place.
//!
//! Invariants. Frames and registers take at most half of the memory that is allowed, so recursion without end leaves
//! room to tell it. Limits are looked at every so many calls and iterations. A constant is unset, running or done; one
//! that is asked for while it runs is a cycle.

use pullback_base::memory::Charge;
use pullback_base::{Id, Name, Span};
use pullback_prim::Fault;

use super::build::Builder;
use super::code::{Image, ListId};
use super::meter::{Limits, Meter};
use super::value::Value;
use crate::program::FuncId;

/// Where a call returns to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    /// The function, or one of the special numbers below.
    pub code: u32,
    /// The next instruction, or the number of a constant.
    pub pc: u32,
    /// The registers that the results go to.
    pub dests: ListId,
    /// Where its registers start in the stack.
    pub base: usize,
}

/// The frame below all others.
pub(super) const STOP: u32 = u32::MAX;
/// The results are those of a constant, to be stored.
pub(super) const CONSTANT: u32 = u32::MAX - 1;

/// How many frames are searched for the call that led into the library.
const MOST_FRAMES: usize = 200;
/// How many calls are told that led to an error.
const MOST_CALLS: usize = 3;
/// A function with so many calls that have not returned counts as recursive.
const RECURSION: usize = 8;
/// How many frames there may be whatever the limit.
const FEWEST_FRAMES: usize = 64;
/// How many values there may be on the stack whatever the limit.
const FEWEST_VALUES: usize = 1024;

/// How many calls and iterations pass between two looks at the limits.
const TICK: u32 = 1 << 16;

/// The state of a constant.
#[derive(Clone, Debug)]
pub(super) enum Memo {
    /// Not asked for yet.
    Unset,
    /// Being computed.
    Running,
    /// Known.
    Done(Vec<Value>),
}

/// An error, and the function and next instruction that it arose at, if it is not the caller's.
pub(super) type Failed = (Fault, Option<(u32, usize)>);

pub(super) struct Core<'i> {
    pub image: &'i Image<'i>,
    pub frames: Vec<Frame>,
    /// The arrays that loops under way collect.
    pub builders: Vec<Builder>,
    pub memo: Vec<Memo>,
    pub meter: Meter,
    /// How many steps are left until the next look at the limits.
    pub fuel: u32,
    /// Room for the indices of one operation.
    pub indices: Vec<i64>,
    /// Room for the arguments of one call.
    pub args: Vec<Value>,
    /// The bytes of frames and of the stack, in the account of memory.
    held: Charge,
}

impl<'i> Core<'i> {
    pub fn new(image: &'i Image<'i>, limits: Limits) -> Self {
        Self {
            image,
            frames: vec![],
            builders: vec![],
            memo: vec![Memo::Unset; image.codes.len()],
            meter: Meter::new(limits),
            fuel: TICK,
            indices: vec![],
            args: vec![],
            held: Charge::default(),
        }
    }

    /// Puts a frame on top.
    #[inline(always)]
    pub fn push_frame(&mut self, frame: Frame) -> Result<(), Fault> {
        if self.frames.len() == self.frames.capacity() {
            self.grow_frames()?;
        }
        self.frames.push(frame);
        Ok(())
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

    /// Makes the stack at least `len` long.
    #[inline(always)]
    pub fn ensure(&mut self, stack: &mut Vec<Value>, len: usize) -> Result<(), Fault> {
        if len <= stack.len() { Ok(()) } else { self.grow(stack, len) }
    }

    #[cold]
    fn grow(&mut self, stack: &mut Vec<Value>, len: usize) -> Result<(), Fault> {
        let affordable = self.affordable(size_of_val(&**stack)) / size_of::<Value>();
        let affordable = affordable.max(FEWEST_VALUES);
        if len > affordable {
            return Err(self.too_deep());
        }
        let wanted = (stack.len() * 2).max(len).max(FEWEST_VALUES).min(affordable);
        self.resize_stack(stack, wanted);
        Ok(())
    }

    /// Makes the stack this long, which the account of memory knows before.
    pub fn resize_stack(&mut self, stack: &mut Vec<Value>, len: usize) {
        self.resized(size_of_val(&**stack), len * size_of::<Value>());
        stack.truncate(len);
        stack.shrink_to(len);
        stack.reserve_exact(len - stack.len());
        stack.resize(len, Value::Undef);
    }

    /// How many bytes the stack or the frames, which take `held` now, may take after they have grown.
    /// While they are copied the old ones are there too.
    fn affordable(&self, held: usize) -> usize {
        let limit = self.meter.limits.max_memory;
        // Half of the memory is for frames, so that recursion without end leaves room for the rest.
        let others = self.held.bytes() - held;
        (limit / 2).saturating_sub(others).min(limit.saturating_sub(self.meter.bytes()))
    }

    fn resized(&mut self, from: usize, to: usize) {
        let all = self.held.bytes() + to - from;
        self.held.set(all);
    }

    /// Why there is no room for more frames.
    fn too_deep(&self) -> Fault {
        let (function, calls) = self.deepest();
        // A few calls are no recursion: the limit is small, or something else takes the memory.
        if calls < RECURSION || function.is_empty() {
            return self.meter.out_of_memory();
        }
        let limit = self.meter.limits.max_memory;
        Fault::Recursion { limit, function, calls: Some(self.frames.len()) }
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
            (self.image.codes[FuncId(*code)].name.clone(), *count)
        })
    }

    /// Starts to compute a constant; the asking frame has been pushed, to ask again.
    pub fn constant(&mut self, func: FuncId, at: usize) -> Result<(), Fault> {
        let memo = &mut self.memo[func.index()];
        if matches!(memo, Memo::Running) {
            return Err(Fault::Cycle { name: self.image.codes[func].name.clone() });
        }
        *memo = Memo::Running;
        self.push_frame(Frame { code: CONSTANT, pc: func.0, dests: 0, base: at })
    }

    /// Looks at the limits every so often.
    #[cold]
    pub fn tick(&mut self) -> Result<(), Fault> {
        self.fuel = TICK;
        self.meter.tick(u64::from(TICK))
    }

    /// The steps since the last look at the limits.
    pub fn untold_steps(&self) -> u64 {
        u64::from(TICK - self.fuel)
    }

    /// The place of the latest call under way.
    pub fn call_span(&self) -> Span {
        let frame = self.frames.iter().rev().find(|frame| frame.code < CONSTANT);
        frame.map_or(Span::NONE, |frame| self.span(frame.code, frame.pc as usize))
    }

    /// The place of the instruction before `pc`.
    pub fn span(&self, code: u32, pc: usize) -> Span {
        let spans = &self.image.codes[FuncId(code)].spans;
        spans.get(pc.saturating_sub(1)).copied().unwrap_or(Span::NONE)
    }

    /// The latest call under way from outside of the library into it, for a place in the library.
    pub fn call_into_library(&self, at: Span) -> Option<Span> {
        if self.in_library(at) { self.calls_outside().next() } else { None }
    }

    /// The calls under way that led to a place outside of the library, the latest first.
    pub fn calls_to(&self, at: Span) -> Vec<Span> {
        let mut calls: Vec<Span> = Vec::new();
        for call in self.calls_outside() {
            let is_around = |inner: &Span| {
                call.file == inner.file && call.lo <= inner.lo && inner.hi <= call.hi
            };
            // The command calls from where a definition is named.
            let is_command = self.image.program.funcs.iter().any(|func| func.span == call);
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
        span.is_none() || self.image.program.library.contains(&span.file)
    }
}
