//! The machine: runs bytecode on an explicit stack of frames. This file is its fast half, one flat
//! `match`; whatever leaves the frame or is rare is in [`super::core`].

#[macro_use]
mod steps;
mod registers;

use std::rc::Rc;

use pullback_base::Diagnostic;

use pullback_lambda::DefId;
use pullback_machine::{Body, Constants, Counts, DIVISION, Failed, Frame, Frames, Fuel, STOP};
use pullback_prim::{Prim, values};

use super::code::{Code, Image, Instr, Place};
use super::core::{Core, Next, array_of};
use super::hooks::{Ctx, Engine, Step};
use super::options::Options;
use super::routines::routine_of;
use super::value::{Chain, Value};
use crate::Fault;
use registers::*;

/// Evaluates definitions of a compiled program.
pub struct Machine<'i> {
    stack: Vec<Value>,
    core: Core<'i>,
}

impl<'i> Machine<'i> {
    /// A machine for `image` that differentiates with `engine`.
    pub fn new(image: &'i Image, engine: Rc<dyn Engine>, options: Options) -> Self {
        let core = Core {
            image,
            frames: Frames::default(),
            natives: vec![],
            constants: Constants::new(image.constants.len()),
            ctx: Ctx::new(engine, options),
        };
        Self { stack: vec![], core }
    }

    /// The value of a definition: a function, or a constant, which is evaluated at most once.
    pub fn global(&mut self, def: DefId) -> Result<Value, Box<Diagnostic>> {
        match self.core.image.places[def.0 as usize] {
            Place::Function(code) => Ok(Value::Closure(code, None)),
            Place::Constant { code, slot } => {
                let number = slot as usize;
                if let Some(value) = self.core.constants.get(number) {
                    return Ok(value.clone());
                }
                let value = self.start(|core, _| {
                    core.constants.begin(number, &core.image.codes[code as usize].name)?;
                    Ok(Next::Enter(code, 0))
                })?;
                self.core.constants.finish(number, value.clone());
                Ok(value)
            }
        }
    }

    /// Applies a function to arguments.
    pub fn call(&mut self, function: Value, args: Vec<Value>) -> Result<Value, Box<Diagnostic>> {
        self.perform(|_| Ok(Step::Tail { function, args }))
    }

    /// Does what an engine asks for: the way to differentiate from outside the program.
    pub fn perform(
        &mut self,
        step: impl FnOnce(&mut Ctx) -> Result<Step, Fault>,
    ) -> Result<Value, Box<Diagnostic>> {
        self.start(|core, stack| {
            if stack.is_empty() {
                core.resize_stack(stack, 1);
            }
            let step = step(&mut core.ctx)?;
            core.perform(stack, step, 0)
        })
    }

    /// The operations executed so far.
    pub fn counts(&self) -> Counts {
        self.core.ctx.meter.read()
    }

    /// The context primitives run in.
    pub fn ctx(&mut self) -> &mut Ctx {
        &mut self.core.ctx
    }

    fn start(
        &mut self,
        first: impl FnOnce(&mut Core<'i>, &mut Vec<Value>) -> Result<Next, Fault>,
    ) -> Result<Value, Box<Diagnostic>> {
        let bottom = self.core.push_frame(Frame::new(STOP, 0, 0));
        let result = match bottom.and_then(|()| first(&mut self.core, &mut self.stack)) {
            Ok(next) => self.run(next),
            Err(fault) => Err((fault, None)),
        };
        // What is done is done, also if it is more than was to be.
        let _ = self.core.ctx.tell_effort();
        result.map_err(|failed| {
            let diagnostic = self.core.frames.diagnostic(failed, self.core.image);
            self.reset();
            diagnostic
        })
    }

    /// Forgets an evaluation that failed.
    fn reset(&mut self) {
        self.core.resize_stack(&mut self.stack, 0);
        self.core.frames.clear();
        self.core.natives.clear();
        self.core.ctx.close_all();
        self.core.constants.abandon();
    }

    /// Runs until the bottom frame has its result. One line for each instruction; what does not fit
    /// into a line is a function of `registers` or a macro of `steps`.
    #[rustfmt::skip]
    #[expect(clippy::too_many_lines, reason = "one flat match over the instructions")]
    #[expect(clippy::cognitive_complexity, reason = "one flat match over the instructions")]
    #[expect(clippy::neg_cmp_op_on_partial_ord, reason = "NaN is neither less nor not less")]
    fn run(&mut self, mut next: Next) -> Result<Value, Failed> {
        let Self { stack, core } = self;
        let image = core.image;
        let mut fuel = Fuel::default();
        let mut primitives = 0u64;
        // Every turn of this loop enters or resumes one frame.
        'frame: loop {
            core.ctx.meter.counts.operations += std::mem::take(&mut primitives);
            let frame = match next {
                Next::Enter(code, base) => Frame::new(code, 0, base),
                Next::Resume(frame) => frame,
                Next::Stop(value) => { core.ctx.meter.counts.steps += fuel.burnt(); return Ok(value) }
            };
            let mut w = resumed(image, frame);
            if let Err(fault) = core.ensure(stack, w.end()) { core.crowded(stack, w.id, w.end(), fault)?; }
            let mut regs: &mut [Value] = &mut stack[w.base..w.end()];

            // Names for the state of this function in the macros of `steps`.
            macro_rules! reg { ($r:expr) => { regs[$r as usize] }; }
            macro_rules! check { ($result:expr) => { checked!($result, core, primitives, w) }; }
            macro_rules! put { ($d:expr, $value:expr) => {{ let value = $value; put(&mut reg!($d), value) }}; }
            macro_rules! set { ($d:expr, $value:expr) => { put!($d, check!($value)) }; }
            macro_rules! real { ($($t:tt)*) => { real_operation!(core, primitives, w, regs, $($t)*) }; }
            macro_rules! whole { ($($t:tt)*) => { int_operation!(core, primitives, w, regs, $($t)*) }; }
            macro_rules! jump_real { ($($t:tt)*) => { real_jump!(core, primitives, w, regs, $($t)*) }; }
            macro_rules! jump_int { ($($t:tt)*) => { int_jump!(primitives, w, regs, $($t)*) }; }
            macro_rules! jump_if { ($test:expr, $to:expr) => { if $test { w.pc = $to as usize; } }; }
            macro_rules! burn { () => { burned!(fuel, core, primitives, w, stack, regs) }; }
            macro_rules! leave { ($next:expr) => {{ next = check!($next); continue 'frame; }}; }
            macro_rules! save { () => { check!(core.push_frame(w.frame(()))) }; }
            macro_rules! enter { ($code:expr, $base:expr) => { entered!($code, $base, image, stack, core, primitives, w, regs) }; }

            loop {
                let instr = w.instrs[w.pc];
                w.pc += 1;
                match instr {
                    Instr::Move { d, a } => transfer(regs, d, a),
                    Instr::Unit { d } => put!(d, Value::Unit),
                    Instr::Bool { d, value } => put!(d, Value::Bool(value)),
                    Instr::Int { d, n } => set_int(&mut reg!(d), n),
                    Instr::Real { d, x } => set_real(&mut reg!(d), x),
                    Instr::Str { d, index } => put!(d, Value::Str(image.strings[index as usize].clone())),
                    Instr::Tag { d, tag } => put!(d, Value::Tag(tag)),
                    Instr::Fun { d, code } => put!(d, Value::Closure(code, None)),
                    Instr::Global { d, constant } => match core.constants.get(constant as usize) {
                        Some(value) => put!(d, value.clone()),
                        // The frame asks again when the constant is there.
                        None => { w.pc -= 1; save!(); leave!(core.constant(constant, w.end())) }
                    },
                    Instr::RealAdd { d, a, b } => real!(d, &reg!(a), &reg!(b), +, Add),
                    Instr::RealSub { d, a, b } => real!(d, &reg!(a), &reg!(b), -, Sub),
                    Instr::RealMul { d, a, b } => real!(d, &reg!(a), &reg!(b), *, Mul),
                    Instr::RealDiv { d, a, b } => { core.ctx.meter.counts.surcharge += DIVISION; real!(d, &reg!(a), &reg!(b), /, Div) }
                    Instr::RealAddK { d, a, k } => real!(d, &reg!(a), &*constant(k), +, Add),
                    Instr::RealSubK { d, a, k } => real!(d, &reg!(a), &*constant(k), -, Sub),
                    Instr::RealMulK { d, a, k } => real!(d, &reg!(a), &*constant(k), *, Mul),
                    Instr::RealDivK { d, a, k } => { core.ctx.meter.counts.surcharge += DIVISION; real!(d, &reg!(a), &*constant(k), /, Div) }
                    Instr::RealAddR { d, a, k } => real!(d, &*constant(k), &reg!(a), +, Add),
                    Instr::RealSubR { d, a, k } => real!(d, &*constant(k), &reg!(a), -, Sub),
                    Instr::RealMulR { d, a, k } => real!(d, &*constant(k), &reg!(a), *, Mul),
                    Instr::RealDivR { d, a, k } => { core.ctx.meter.counts.surcharge += DIVISION; real!(d, &*constant(k), &reg!(a), /, Div) }
                    Instr::RealNeg { d, a } => { primitives += 1; set!(d, negated(&mut core.ctx, &reg!(a))) }
                    Instr::Real1 { prim, d, a } => { let op = &image.prims[prim]; primitives += 1; core.ctx.meter.counts.surcharge += op.surcharge; set!(d, prim1(&mut core.ctx, op.prim, &reg!(a))) }
                    Instr::IntAdd { d, a, b } => whole!(d, &reg!(a), int(&reg!(b)), i64::checked_add, IntAdd),
                    Instr::IntSub { d, a, b } => whole!(d, &reg!(a), int(&reg!(b)), i64::checked_sub, IntSub),
                    Instr::IntMul { d, a, b } => whole!(d, &reg!(a), int(&reg!(b)), i64::checked_mul, IntMul),
                    Instr::IntDiv { d, a, b } => whole!(d, &reg!(a), int(&reg!(b)), values::int_div, IntDiv),
                    Instr::IntRem { d, a, b } => whole!(d, &reg!(a), int(&reg!(b)), values::int_rem, IntRem),
                    Instr::IntAddK { d, a, k } => whole!(d, &reg!(a), k, i64::checked_add, IntAdd),
                    Instr::IntSubK { d, a, k } => whole!(d, &reg!(a), k, i64::checked_sub, IntSub),
                    Instr::IntMulK { d, a, k } => whole!(d, &reg!(a), k, i64::checked_mul, IntMul),
                    Instr::ToReal { d, a } => { primitives += 1; let n = int(&reg!(a)); set_real(&mut reg!(d), n as f64) }
                    Instr::Prim1 { prim, d, a } => { let op = &image.prims[prim]; primitives += op.counted; core.ctx.meter.counts.surcharge += op.surcharge; set!(d, core.ctx.apply(op.prim, std::slice::from_ref(&reg!(a)))) }
                    Instr::Prim2 { prim, d, a, b } => { let op = &image.prims[prim]; primitives += op.counted; core.ctx.meter.counts.surcharge += op.surcharge; set!(d, prim2(&mut core.ctx, op.prim, &reg!(a), &reg!(b))) }
                    Instr::PrimN { prim, d, first, n } => set!(d, core.ctx.apply(image.prims[prim].prim, &regs[first as usize..first as usize + usize::from(n)])),
                    Instr::CheckSize { a, n, what, depth } => check!(check_size(&reg!(a), depth, &reg!(n), || &image.strings[what as usize])),
                    Instr::Sized { d, a, n, depth } => { let n = int(&reg!(n)); let array = take(regs, a); reg!(d) = array.sized(usize::from(depth), n) }
                    Instr::Look1 { prim, a } => core.look(image.prims[prim].prim, &[&reg!(a)], w.id, w.pc),
                    Instr::Look2 { prim, a, b } => core.look(image.prims[prim].prim, &[&reg!(a), &reg!(b)], w.id, w.pc),
                    Instr::LookK { prim, left, a, k } => core.look_beside(image.prims[prim].prim, left, &reg!(a), k, w.id, w.pc),
                    Instr::Jump { to } => w.pc = to as usize,
                    Instr::Again { i, to } => { let n = int(&reg!(i)) + 1; set_int(&mut reg!(i), n); w.pc = to as usize; burn!() }
                    Instr::JumpIf { a, to } => jump_if!(matches!(reg!(a), Value::Bool(true)), to),
                    Instr::JumpUnless { a, to } => jump_if!(matches!(reg!(a), Value::Bool(false)), to),
                    Instr::JRealLt { a, b, to } => jump_real!(a, &reg!(b), to, Lt, |x, y| x < y),
                    Instr::JRealLe { a, b, to } => jump_real!(a, &reg!(b), to, Le, |x, y| x <= y),
                    Instr::JRealEq { a, b, to } => jump_real!(a, &reg!(b), to, Eq, |x, y| x == y),
                    Instr::JRealNe { a, b, to } => jump_real!(a, &reg!(b), to, Ne, |x, y| x != y),
                    Instr::JRealNotLt { a, b, to } => jump_real!(a, &reg!(b), to, Lt, |x, y| !(x < y)),
                    Instr::JRealNotLe { a, b, to } => jump_real!(a, &reg!(b), to, Le, |x, y| !(x <= y)),
                    Instr::JRealLtK { a, to, k } => jump_real!(a, &*constant(k), to, Lt, |x, y| x < y),
                    Instr::JRealLeK { a, to, k } => jump_real!(a, &*constant(k), to, Le, |x, y| x <= y),
                    Instr::JRealGtK { a, to, k } => jump_real!(a, &*constant(k), to, Gt, |x, y| x > y),
                    Instr::JRealGeK { a, to, k } => jump_real!(a, &*constant(k), to, Ge, |x, y| x >= y),
                    Instr::JRealNotLtK { a, to, k } => jump_real!(a, &*constant(k), to, Lt, |x, y| !(x < y)),
                    Instr::JRealNotLeK { a, to, k } => jump_real!(a, &*constant(k), to, Le, |x, y| !(x <= y)),
                    Instr::JRealNotGtK { a, to, k } => jump_real!(a, &*constant(k), to, Gt, |x, y| !(x > y)),
                    Instr::JRealNotGeK { a, to, k } => jump_real!(a, &*constant(k), to, Ge, |x, y| !(x >= y)),
                    Instr::JIntLt { a, b, to } => jump_int!(a, <, int(&reg!(b)), to),
                    Instr::JIntLe { a, b, to } => jump_int!(a, <=, int(&reg!(b)), to),
                    Instr::JIntEq { a, b, to } => jump_int!(a, ==, int(&reg!(b)), to),
                    Instr::JIntNe { a, b, to } => jump_int!(a, !=, int(&reg!(b)), to),
                    Instr::JIntLtK { a, to, k } => jump_int!(a, <, k, to),
                    Instr::JIntLeK { a, to, k } => jump_int!(a, <=, k, to),
                    Instr::JIntGtK { a, to, k } => jump_int!(a, >, k, to),
                    Instr::JIntGeK { a, to, k } => jump_int!(a, >=, k, to),
                    Instr::JIntEqK { a, to, k } => jump_int!(a, ==, k, to),
                    Instr::JIntNeK { a, to, k } => jump_int!(a, !=, k, to),
                    Instr::JNotTag { a, tag, to } => jump_if!(tag_of(&reg!(a)) != tag, to),
                    Instr::Switch { a, table } => w.pc = case(&w.code.tables[table as usize], &reg!(a)),
                    Instr::JumpIfNone { n, to } => jump_if!(int(&reg!(n)) <= 0, to),
                    Instr::ForNext { i, n, to } => if count_up(regs, i, n) { w.pc = to as usize; burn!() },
                    Instr::Tuple { d, first, n } => put!(d, Value::Tuple(gathered(regs, 0, first, n))),
                    Instr::Pair { d, a, b } => put!(d, Value::Tuple(pair(regs, 0, a, b))),
                    Instr::Con { d, tag, first, n } => put!(d, Value::Data(gathered(regs, tag, first, u32::from(n)))),
                    Instr::Con1 { d, tag, a } => put!(d, Value::Data(single(regs, u32::from(tag), a))),
                    Instr::Con2 { d, tag, a, b } => put!(d, Value::Data(pair(regs, u32::from(tag), a, b))),
                    Instr::Packed1 { d, tag, a } => pack(regs, d, u32::from(tag), a),
                    Instr::Packed2 { d, tag, a, b } => { core.ctx.meter.counts.nodes += 1; put!(d, Value::Data(pair(regs, u32::from(tag), a, b))) }
                    Instr::Cons { d, tag, first, n } => { core.ctx.meter.counts.nodes += 1; put!(d, Chain::cons(tag, &mut regs[first as usize..first as usize + usize::from(n)])) }
                    Instr::Field { d, a, index } => load_field(regs, d, a, index),
                    Instr::Fields { first, a, .. } => spread_fields(regs, first, a),
                    Instr::Array { d, packing, first, n } => put!(d, array_of(regs, packing, first, n)),
                    Instr::BuildStart { d, packing, n } => set!(d, core.start_array(&reg!(n), packing)),
                    Instr::Push { d, v } => push(regs, d, v),
                    Instr::Size { d, a } => { let n = size(&reg!(a)); set_int(&mut reg!(d), n as i64) }
                    Instr::Index { d, a, i } => check!(load(regs, d, a, i)),
                    Instr::Index2 { d, a, i, j } => check!(load2(regs, d, a, i, j)),
                    Instr::Update { d, i, v } => { let (i, value) = (reg!(i).clone(), take(regs, v)); check!(core.update(&mut reg!(d), &[i], value)) }
                    Instr::UpdatePath { d, first, n } => { let (path, value) = path(regs, first, n); check!(core.update(&mut reg!(d), &path, value)) }
                    Instr::Sum { d, a } => { primitives += size(&reg!(a)) as u64; set!(d, core.ctx.sum(&reg!(a))) }
                    Instr::Closure { d, code, first } => put!(d, Value::Closure(code, Some(gathered(regs, 0, first, image.codes[code as usize].captures)))),
                    Instr::Sibling { d, code, a } => put!(d, Value::Closure(code, captured(&reg!(a)))),
                    Instr::LoadCaptured { first } => spread(regs, first),
                    Instr::Call { code, first } => { save!(); enter!(code, w.base + first as usize); burn!() }
                    Instr::TailCall { code, first } => { slide(regs, first, image.codes[code as usize].arity); enter!(code, w.base); burn!() }
                    Instr::CallValue { first, n } => { save!(); burn!(); match code_of(image, &reg!(first), n) {
                        Some(code) => enter!(code, w.base + first as usize),
                        None => leave!(core.apply(stack, w.base + first as usize, n as usize)),
                    } }
                    Instr::TailCallValue { first, n } => { slide(regs, first, n); burn!(); match code_of(image, &reg!(0), n) {
                        Some(code) => enter!(code, w.base),
                        None => leave!(core.apply(stack, w.base, n as usize)),
                    } }
                    Instr::Routine { routine, n, d, to } => match check!(routine_of(&mut core.ctx, routine, &regs[1..=usize::from(n)])) { Some(value) => put!(d, value), None => w.pc = to as usize },
                    Instr::Return { a } => { give_back(regs, a); match core.frames.pop_code() {
                        Some(frame) => { w = resumed(image, frame); regs = &mut stack[w.base..w.end()]; }
                        None => leave!(core.returned(stack, w.base)),
                    } }
                    Instr::Ad { op, first, n } => { save!(); leave!(core.ad(stack, op, w.base + first as usize, n as usize)) }
                }
            }
        }
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

/// The running frame.
type Running<'i> = pullback_machine::Running<'i, Code>;

/// A frame that runs again.
#[inline(always)]
fn resumed(image: &Image, frame: Frame) -> Running<'_> {
    Running::of(&image.codes[frame.code as usize], frame.code, frame.pc as usize, frame.base)
}
