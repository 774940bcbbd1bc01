//! The calls under way, and what they tell of: where an error arose, which calls led there, and who recurses.

use std::collections::BTreeMap;

use pullback_base::{Diagnostic, Label, Name, Span, Stand};
use pullback_prim::Fault;

use super::meter::Meter;
use super::stacks::{self, Full};

/// Where a call returns to.
#[derive(Clone, Copy, Debug)]
pub struct Frame<R = ()> {
    /// The code, or one of the special numbers below.
    pub code: u32,
    /// The next instruction, or the number of a constant.
    pub pc: u32,
    /// Where the results go, if that is not always the same place.
    pub results: R,
    /// Where its registers start in the stack.
    pub base: usize,
}

/// The frame below all others.
pub const STOP: u32 = u32::MAX;
/// What waits for the result is no code of the program.
pub const NATIVE: u32 = u32::MAX - 1;
/// The result is a constant, to be stored.
pub const CONSTANT: u32 = u32::MAX - 2;

/// How many frames are searched for the call that led into the library.
const MOST_FRAMES: usize = 200;
/// How many calls are told that led to an error.
const MOST_CALLS: usize = 3;
/// From how many calls under way on a function counts as recursive.
const RECURSION: usize = 8;
/// How many of the latest calls are searched for the function that recurses.
const LATEST: usize = 1000;
/// How many calls under way are searched for a loop.
const MOST_OUTER: usize = 64;

/// An error, and the code and next instruction that it arose at, if it is not the caller's.
pub type Failed = (Fault, Option<(u32, usize)>);

/// What is to be known of bytecode to tell of places in it.
pub trait Listing {
    /// The name of a code.
    fn name(&self, code: u32) -> &Name;
    /// The place of an instruction.
    fn place(&self, code: u32, at: usize) -> Span;
    /// Whether a place is in the library, or nowhere.
    fn in_library(&self, place: Span) -> bool;
    /// Whether a place is that of a definition: the command calls from there.
    fn is_definition(&self, place: Span) -> bool;
    /// The place of the instruction before the next one.
    fn span(&self, code: u32, pc: usize) -> Span {
        self.place(code, pc.saturating_sub(1))
    }
}

impl<R> Frame<R> {
    /// Whether it is a frame of code of the program.
    #[inline(always)]
    pub fn is_code(&self) -> bool {
        self.code < CONSTANT
    }
}

impl Frame {
    /// The frame of a code, or of what a special number means.
    #[inline(always)]
    pub fn new(code: u32, pc: u32, base: usize) -> Self {
        Self { code, pc, results: (), base }
    }
}

/// The calls under way, the latest last.
#[derive(Debug)]
pub struct Frames<R = ()>(Vec<Frame<R>>);

impl<R> Default for Frames<R> {
    fn default() -> Self {
        Self(vec![])
    }
}

impl<R: Copy> Frames<R> {
    /// Puts a frame on top.
    #[inline(always)]
    pub fn push(
        &mut self,
        frame: Frame<R>,
        meter: &mut Meter,
        listing: &impl Listing,
    ) -> Result<(), Fault> {
        if self.0.len() == self.0.capacity() {
            self.grow(meter, listing)?;
        }
        self.0.push(frame);
        Ok(())
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, meter: &mut Meter, listing: &impl Listing) -> Result<(), Fault> {
        let grown = stacks::grow(&mut self.0, size_of::<Frame<R>>(), meter);
        grown.map_err(|Full| self.too_deep(meter, listing))
    }

    /// Makes a stack of registers at least `len` long; so many are always affordable.
    #[inline(always)]
    pub fn ensure<V: Clone + Default>(
        &self,
        registers: &mut Vec<V>,
        len: usize,
        always: usize,
        (meter, listing): (&mut Meter, &impl Listing),
    ) -> Result<(), Fault> {
        if len <= registers.len() {
            return Ok(());
        }
        self.lengthen(registers, len, always, (meter, listing))
    }

    #[cold]
    #[inline(never)]
    fn lengthen<V: Clone + Default>(
        &self,
        registers: &mut Vec<V>,
        len: usize,
        always: usize,
        (meter, listing): (&mut Meter, &impl Listing),
    ) -> Result<(), Fault> {
        let longer = stacks::lengthen(registers, len, always, meter);
        longer.map_err(|Full| self.too_deep(meter, listing))
    }

    /// Takes the frame on top.
    #[inline(always)]
    pub fn pop(&mut self) -> Option<Frame<R>> {
        self.0.pop()
    }

    /// Takes the frame on top if it is one of code of the program.
    #[inline(always)]
    pub fn pop_code(&mut self) -> Option<Frame<R>> {
        match self.0.last() {
            Some(frame) if frame.is_code() => self.0.pop(),
            Some(_) | None => None,
        }
    }

    /// The frame on top.
    pub fn last(&self) -> Option<Frame<R>> {
        self.0.last().copied()
    }

    /// How many there are.
    pub fn depth(&self) -> usize {
        self.0.len()
    }

    /// Forgets all, after an error.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Those of code of the program, the latest first.
    fn latest(&self, most: usize) -> impl Iterator<Item = Frame<R>> {
        self.0.iter().rev().take(most).filter(|frame| frame.is_code()).copied()
    }

    /// Why there is no room for more frames.
    #[cold]
    #[inline(never)]
    pub fn too_deep(&self, meter: &Meter, listing: &impl Listing) -> Fault {
        match self.deepest() {
            // A few calls are no recursion: the limit is small, or something else takes the memory.
            Some((code, calls)) if calls >= RECURSION && !listing.name(code).is_empty() => {
                Fault::Recursion {
                    limit: meter.limits.max_memory,
                    function: listing.name(code).clone(),
                    calls: Some(self.0.len()),
                }
            }
            Some(_) | None => meter.out_of_memory(),
        }
    }

    /// The code with the most calls among the latest, and their number.
    fn deepest(&self) -> Option<(u32, usize)> {
        let mut counts = BTreeMap::new();
        for frame in self.latest(LATEST) {
            *counts.entry(frame.code).or_insert(0usize) += 1;
        }
        counts.into_iter().max_by_key(|(_, count)| *count)
    }

    /// The place of the latest call under way.
    pub fn call_span(&self, listing: &impl Listing) -> Span {
        let frame = self.latest(usize::MAX).next();
        frame.map_or(Span::NONE, |frame| listing.span(frame.code, frame.pc as usize))
    }

    /// The latest call under way from outside of the library into it, for a place in the library.
    pub fn call_into_library(&self, at: Span, listing: &impl Listing) -> Option<Span> {
        if listing.in_library(at) { self.calls_outside(listing).next() } else { None }
    }

    /// The calls under way that led to a place outside of the library, the latest first.
    fn calls_to(&self, at: Span, listing: &impl Listing) -> Vec<Span> {
        let mut calls: Vec<Span> = Vec::new();
        for call in self.calls_outside(listing) {
            let is_around = |inner: &Span| {
                call.file == inner.file && call.lo <= inner.lo && inner.hi <= call.hi
            };
            let is_new =
                !listing.is_definition(call) && !is_around(&at) && !calls.iter().any(is_around);
            if is_new && calls.len() < MOST_CALLS {
                calls.push(call);
            }
        }
        calls
    }

    /// The calls under way outside of the library, the latest first; the frames are searched as far as it
    /// may well be.
    fn calls_outside(&self, listing: &impl Listing) -> impl Iterator<Item = Span> {
        let spans =
            self.latest(MOST_FRAMES).map(|frame| listing.span(frame.code, frame.pc as usize));
        spans.filter(|span| !span.is_none() && !listing.in_library(*span))
    }

    /// The error in the user's words: with its place, or in the library the call that led there, and with the calls
    /// before.
    pub fn diagnostic(&self, (fault, at): Failed, listing: &impl Listing) -> Box<Diagnostic> {
        let span = match at {
            Some((code, pc)) => listing.span(code, pc),
            None => self.call_span(listing),
        };
        let mut diagnostic = fault.diagnostic(span);
        let call = self.call_into_library(span, listing);
        if let Some(call) = call {
            diagnostic.labels.insert(0, Label { span: call, text: "in this call".to_owned() });
        }
        for call in self.calls_to(call.unwrap_or(span), listing) {
            diagnostic = diagnostic.label(call, "called here");
        }
        Box::new(diagnostic)
    }

    /// Tells how far the outermost loop is, if somebody asks: that of the first frame that is in a loop, down to the
    /// running one. The next instruction of every frame is the one after that under way.
    #[cold]
    #[inline(never)]
    pub fn tell_stand(
        &self,
        meter: &Meter,
        running: Frame<R>,
        stand_in: impl Fn(Frame<R>) -> Option<Stand>,
    ) {
        if let Some(progress) = meter.asked() {
            let frames = self.0.iter().copied().chain(std::iter::once(running));
            let mut of_code = frames.filter(Frame::is_code).take(MOST_OUTER);
            progress.tell(of_code.find_map(stand_in));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use pullback_base::{Counted, FileId, Limits, Progress};

    use super::*;

    const LIBRARY: FileId = FileId(1);

    /// Each instruction of code `n` has a place of one letter: in file 0, of code 7 in the library, of code 9 nowhere.
    struct Codes(Name);

    impl Listing for Codes {
        fn name(&self, _: u32) -> &Name {
            &self.0
        }
        fn place(&self, code: u32, at: usize) -> Span {
            let lo = 100 * code + at as u32;
            match code {
                7 => Span { file: LIBRARY, lo, hi: lo + 1 },
                9 => Span::NONE,
                _ => Span { file: FileId(0), lo, hi: lo + 1 },
            }
        }
        fn in_library(&self, place: Span) -> bool {
            place.is_none() || place.file == LIBRARY
        }
        fn is_definition(&self, place: Span) -> bool {
            place == self.place(2, 0)
        }
    }

    fn codes() -> Codes {
        Codes(Name::new("f"))
    }

    fn meter() -> Meter {
        Meter::new(Limits { max_memory: 1 << 20, ..Limits::default() })
    }

    fn frames(calls: &[(u32, u32)]) -> Frames {
        let (mut frames, mut meter) = (Frames::default(), meter());
        for (code, pc) in calls {
            frames.push(Frame::new(*code, *pc, 0), &mut meter, &codes()).expect("room");
        }
        frames
    }

    /// The places that an error tells of: how many letters into file 0, or 1000 more into the library.
    fn told(frames: &Frames, at: Option<(u32, usize)>) -> Vec<(u32, String)> {
        let diagnostic = frames.diagnostic((Fault::Nesting, at), &codes());
        let place = |label: Label| {
            (1000 * u32::from(label.span.file == LIBRARY) + label.span.lo, label.text)
        };
        diagnostic.labels.into_iter().map(place).filter(|(_, text)| text.contains("call")).collect()
    }

    #[test]
    fn an_error_tells_the_calls_that_led_to_it_the_latest_first() {
        let frames = frames(&[(STOP, 0), (2, 1), (3, 1), (4, 1), (NATIVE, 0), (5, 1)]);
        let called = |lo| (lo, "called here".to_owned());
        assert_eq!(told(&frames, Some((6, 1))), [called(500), called(400), called(300)]);
        // The call from where the definition is named is the command's.
        let inner = [called(500), called(400), called(300)];
        assert_eq!(told(&frames, Some((5, 3))), inner);
    }

    #[test]
    fn an_error_in_the_library_is_told_at_the_call_from_outside() {
        let frames = frames(&[(STOP, 0), (3, 1), (4, 1), (7, 1), (9, 1)]);
        assert_eq!(
            frames.call_into_library(codes().place(7, 5), &codes()),
            Some(codes().place(4, 0))
        );
        let wanted = [(400, "in this call".to_owned()), (300, "called here".to_owned())];
        assert_eq!(told(&frames, Some((7, 6))), wanted);
    }

    #[test]
    fn recursion_without_end_names_who_recurses() {
        let (mut frames, mut meter) = (Frames::default(), meter());
        let mut push = |code| frames.push(Frame::new(code, 1, 0), &mut meter, &codes());
        let fault = (0..).find_map(|depth| push(3 + depth % 2).err()).expect("no room");
        let function = Name::new("f");
        let calls = Some((1 << 19) / size_of::<Frame>());
        assert_eq!(fault, Fault::Recursion { limit: 1 << 20, function, calls });
    }

    #[test]
    fn few_calls_without_room_are_no_recursion() {
        let frames = frames(&[(STOP, 0), (3, 1), (4, 1)]);
        let mut registers: Vec<u64> = vec![];
        let mut meter = meter();
        let fault = frames.ensure(&mut registers, 1 << 20, 0, (&mut meter, &codes()));
        assert_eq!(fault, Err(meter.out_of_memory()));
    }

    #[test]
    fn the_stand_is_that_of_the_first_frame_in_a_loop() {
        let progress = Arc::new(Progress::default());
        let meter = Meter::new(Limits { progress: Some(progress.clone()), ..Limits::default() });
        let frames = frames(&[(STOP, 0), (3, 1), (NATIVE, 0), (4, 1)]);
        let stand = |done| Stand { counted: Counted::Iterations, done, all: None };
        let in_loop = |frame: Frame| (frame.code > 3).then(|| stand(u64::from(frame.code)));
        frames.tell_stand(&meter, Frame::new(5, 1, 0), in_loop);
        assert_eq!(progress.stand(), None, "nobody asks");
        progress.ask();
        frames.tell_stand(&meter, Frame::new(5, 1, 0), in_loop);
        assert_eq!(progress.stand(), Some(stand(4)));
    }
}
