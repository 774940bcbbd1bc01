//! The slow half of the machine: what it keeps beside its registers. Calls and arrays that are not complete, constants,
//! the meter, and places of errors.
//!
//! Input: what the fast half ([`super::machine`]) cannot do in a line. Output: frames, or a [`Fault`] with its place.
//! Frames, constants and the meter are those of both evaluators (`pullback_machine`).

use pullback_base::{Id, Limits, Name, Span};
use pullback_machine::stacks::FEWEST_REGISTERS;
use pullback_machine::{CONSTANT, Constants, Frames, Fuel, Listing, Meter};
use pullback_prim::Fault;

use super::build::Builder;
use super::code::{Image, ListId};
use super::lanes::Lanes;
use super::value::Value;
use crate::program::{FuncId, Program};

/// Which elements of the result of a function depend on which of its last argument: where the columns of each row begin, and
/// the columns. The function is the one that calls the given one, whose arguments these are; nothing if the text is to
/// run.
pub type Dependences = fn(&Program, FuncId, &[Value], &Limits) -> Option<(Vec<i64>, Vec<i64>)>;

/// Where a call returns to, with the registers that the results go to.
pub(super) type Frame = pullback_machine::Frame<ListId>;

pub(super) struct Core<'i> {
    pub image: &'i Image<'i>,
    pub frames: Frames<ListId>,
    /// The arrays that loops under way collect.
    pub builders: Vec<Builder>,
    pub constants: Constants<Vec<Value>>,
    pub meter: Meter,
    pub fuel: Fuel,
    /// Room for the indices of one operation.
    pub indices: Vec<i64>,
    /// Room for the arguments of one call.
    pub args: Vec<Value>,
    /// What strips of iterations hold.
    pub lanes: Lanes,
    /// Who reads off code what depends on what.
    pub dependences: Option<Dependences>,
}

impl<'i> Core<'i> {
    pub fn new(image: &'i Image<'i>, limits: Limits) -> Self {
        Self {
            image,
            frames: Frames::default(),
            builders: vec![],
            constants: Constants::new(image.codes.len()),
            meter: Meter::new(limits),
            fuel: Fuel::default(),
            indices: vec![],
            args: vec![],
            lanes: Lanes::default(),
            dependences: None,
        }
    }

    /// Puts a frame on top.
    #[inline(always)]
    pub fn push_frame(&mut self, frame: Frame) -> Result<(), Fault> {
        self.frames.push(frame, &mut self.meter, self.image)
    }

    /// Makes the stack at least `len` long.
    #[inline(always)]
    pub fn ensure(&mut self, stack: &mut Vec<Value>, len: usize) -> Result<(), Fault> {
        self.frames.ensure(stack, len, FEWEST_REGISTERS, (&mut self.meter, self.image))
    }

    /// Starts to compute a constant; the asking frame has been pushed, to ask again.
    #[inline(never)]
    pub fn constant(&mut self, func: FuncId, at: usize) -> Result<(), Fault> {
        self.constants.begin(func.index(), &self.image.codes[func].name)?;
        self.push_frame(Frame { code: CONSTANT, pc: func.0, results: 0, base: at })
    }

    /// Looks at the limits every so often.
    #[cold]
    #[inline(never)]
    pub fn tick(&mut self) -> Result<(), Fault> {
        self.meter.count_steps()?;
        self.meter.check()
    }
}

impl Listing for Image<'_> {
    fn name(&self, code: u32) -> &Name {
        &self.codes[FuncId(code)].name
    }
    fn place(&self, code: u32, at: usize) -> Span {
        self.codes[FuncId(code)].spans.get(at).copied().unwrap_or(Span::NONE)
    }
    fn in_library(&self, place: Span) -> bool {
        place.is_none() || self.program.library.contains(&place.file)
    }
    fn is_definition(&self, place: Span) -> bool {
        self.program.funcs.iter().any(|func| func.span == place)
    }
}
