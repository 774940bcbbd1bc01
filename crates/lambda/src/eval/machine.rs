//! The machine: runs bytecode on an explicit stack of frames. This file is its fast half, one flat
//! `match`; whatever leaves the frame or is rare is in [`super::core`].

use std::rc::Rc;

use pullback_base::Diagnostic;

use crate::{Class, DefId, Prim, RealFn};

use super::arith::{Counts, Ctx, Options};
use super::code::{Code, Image, Instr, KILL, Place, Reg};
use super::core::{CONSTANT, Core, Frame, Memo, Next, STOP, array_of};
use super::discrete::{self, position};
use super::fault::Fault;
use super::hooks::Engine;
use super::structure::Fields;
use super::value::Value;

/// How many calls and loop iterations pass between two looks at the limits.
const TICK: u32 = 1 << 16;

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
            frames: vec![],
            natives: vec![],
            memo: vec![Memo::Unset; image.constants.len()],
            ctx: Ctx::new(engine, options),
        };
        Self { stack: vec![], core }
    }

    /// The value of a definition: a function, or a constant, which is evaluated at most once.
    pub fn global(&mut self, def: DefId) -> Result<Value, Box<Diagnostic>> {
        match self.core.image.places[def.0 as usize] {
            Place::Function(code) => Ok(Value::Closure(code, None)),
            Place::Constant { code, slot } => {
                if let Memo::Done(value) = &self.core.memo[slot as usize] {
                    return Ok(value.clone());
                }
                self.core.memo[slot as usize] = Memo::Running;
                let value = self.start(|core, stack| {
                    core.ensure(stack, 1)?;
                    Ok(Next::Enter(code, 0))
                })?;
                self.core.memo[slot as usize] = Memo::Done(value.clone());
                Ok(value)
            }
        }
    }

    /// Applies a function to arguments.
    pub fn call(&mut self, function: Value, args: Vec<Value>) -> Result<Value, Box<Diagnostic>> {
        self.perform(|_| Ok(super::hooks::Step::Tail { function, args }))
    }

    /// Does what an engine asks for: the way to differentiate from outside the program.
    pub fn perform(
        &mut self,
        step: impl FnOnce(&mut Ctx) -> Result<super::hooks::Step, Fault>,
    ) -> Result<Value, Box<Diagnostic>> {
        self.start(|core, stack| {
            core.ensure(stack, 1)?;
            let step = step(&mut core.ctx)?;
            core.perform(stack, step, 0)
        })
    }

    /// The operations executed so far.
    pub fn counts(&self) -> Counts {
        self.core.ctx.counts
    }

    /// The context primitives run in.
    pub fn ctx(&mut self) -> &mut Ctx {
        &mut self.core.ctx
    }

    fn start(
        &mut self,
        first: impl FnOnce(&mut Core<'i>, &mut Vec<Value>) -> Result<Next, Fault>,
    ) -> Result<Value, Box<Diagnostic>> {
        self.core.frames.push(Frame { code: STOP, pc: 0, base: 0 });
        let result = match first(&mut self.core, &mut self.stack) {
            Ok(next) => self.run(next),
            Err(fault) => Err((fault, None)),
        };
        result.map_err(|(fault, place)| {
            let span = match place {
                Some((code, pc)) => self.core.span(code, pc),
                None => self.core.call_span(),
            };
            self.reset();
            Box::new(fault.diagnostic(span))
        })
    }

    /// Forgets an evaluation that failed.
    fn reset(&mut self) {
        self.stack.clear();
        self.core.frames.clear();
        self.core.natives.clear();
        self.core.ctx.close_all();
        for memo in &mut self.core.memo {
            if matches!(memo, Memo::Running) {
                *memo = Memo::Unset;
            }
        }
    }

    #[expect(clippy::too_many_lines, reason = "one flat match over the instructions")]
    #[expect(clippy::cognitive_complexity, reason = "one flat match over the instructions")]
    fn run(&mut self, mut next: Next) -> Result<Value, (Fault, Option<(u32, usize)>)> {
        let Self { stack, core } = self;
        let image = core.image;
        let mut fuel = TICK;
        let mut primitives = 0u64;
        // Every turn of this loop enters or resumes one frame.
        'frame: loop {
            core.ctx.counts.primitives += std::mem::take(&mut primitives);
            let (mut code_id, mut pc, mut base) = match next {
                Next::Enter(code, base) => (code, 0, base),
                Next::Resume(frame) => (frame.code, frame.pc as usize, frame.base),
                Next::Stop(value) => return Ok(value),
            };
            let mut code: &Code = &image.codes[code_id as usize];
            if base + code.registers as usize > stack.len()
                && let Err(fault) = core.ensure(stack, base + code.registers as usize)
            {
                core.ctx.counts.primitives += primitives;
                return Err((fault, None));
            }
            let mut instrs: &[Instr] = &code.instrs;
            let mut regs: &mut [Value] = &mut stack[base..base + code.registers as usize];

            macro_rules! fail {
                ($fault:expr) => {{
                    core.ctx.counts.primitives += primitives;
                    return Err(($fault, Some((code_id, pc))));
                }};
            }
            macro_rules! check {
                ($result:expr) => {
                    match $result {
                        Ok(value) => value,
                        Err(fault) => fail!(fault),
                    }
                };
            }
            macro_rules! reg {
                ($reg:expr) => {
                    regs[$reg as usize]
                };
            }
            macro_rules! real2 {
                ($d:expr, $x:expr, $y:expr, $op:tt, $prim:ident) => {{
                    primitives += 1;
                    if let (Value::Real(x), Value::Real(y)) = ($x, $y) {
                        let z = x $op y;
                        set_real(&mut reg!($d), z);
                    } else {
                        let z = check!(core.ctx.apply(Prim::$prim, &[$x.clone(), $y.clone()]));
                        reg!($d) = z;
                    }
                }};
            }
            macro_rules! int2 {
                ($d:expr, $x:expr, $y:expr, $op:ident, $prim:ident) => {{
                    primitives += 1;
                    let (m, n) = (int($x), $y);
                    match m.$op(n) {
                        Some(z) => set_int(&mut reg!($d), z),
                        None => fail!(discrete::int_fault(Prim::$prim, m, n)),
                    }
                }};
            }
            macro_rules! jump_real {
                ($a:expr, $y:expr, $to:expr, $prim:ident, |$x:ident, $k:ident| $test:expr) => {{
                    primitives += 1;
                    if let (Value::Real($x), Value::Real($k)) = (&reg!($a), $y) {
                        if $test {
                            pc = $to as usize;
                        }
                    } else {
                        let (x, y) = (&reg!($a), $y);
                        if core.ctx.strict_domain() {
                            check!(core.ctx.check_tie(Prim::$prim, &[x.clone(), y.clone()]));
                        }
                        let ($x, $k) = (&x.as_real().unwrap_or(f64::NAN), &y.as_real().unwrap_or(f64::NAN));
                        if $test {
                            pc = $to as usize;
                        }
                    }
                }};
            }
            macro_rules! jump_int {
                ($a:expr, $op:tt, $n:expr, $to:expr) => {{
                    primitives += 1;
                    if int(&reg!($a)) $op $n {
                        pc = $to as usize;
                    }
                }};
            }
            macro_rules! burn {
                () => {{
                    fuel -= 1;
                    if fuel == 0 {
                        fuel = TICK;
                        check!(core.tick(stack));
                        regs = &mut stack[base..base + code.registers as usize];
                    }
                }};
            }
            // Leaves the frame for good or for a while.
            macro_rules! leave {
                ($next:expr) => {{
                    next = check!($next);
                    continue 'frame;
                }};
            }
            macro_rules! save {
                () => {
                    core.frames.push(Frame { code: code_id, pc: pc as u32, base })
                };
            }
            // Enters the window of a callee whose arguments are in place.
            macro_rules! enter {
                ($code:expr, $base:expr) => {{
                    code_id = $code;
                    base = $base;
                    code = &image.codes[code_id as usize];
                    pc = 0;
                    instrs = &code.instrs;
                    if base + code.registers as usize > stack.len() {
                        if let Err(fault) = core.ensure(stack, base + code.registers as usize) {
                            core.ctx.counts.primitives += primitives;
                            return Err((fault, None));
                        }
                    }
                    regs = &mut stack[base..base + code.registers as usize];
                }};
            }
            macro_rules! slide {
                ($first:expr, $n:expr) => {{
                    for index in 0..=$n as usize {
                        let moved = std::mem::take(&mut regs[$first as usize + index]);
                        regs[index] = moved;
                    }
                    clear(&mut regs[$n as usize + 1..]);
                }};
            }

            loop {
                let instr = instrs[pc];
                pc += 1;
                match instr {
                    Instr::Move { d, a } => reg!(d) = take(regs, a),
                    Instr::Unit { d } => reg!(d) = Value::Unit,
                    Instr::Bool { d, value } => reg!(d) = Value::Bool(value),
                    Instr::Int { d, n } => set_int(&mut reg!(d), n),
                    Instr::Real { d, x } => set_real(&mut reg!(d), x),
                    Instr::Str { d, index } => reg!(d) = Value::Str(image.strings[index as usize].clone()),
                    Instr::Tag { d, tag } => reg!(d) = Value::Tag(tag),
                    Instr::Fun { d, code } => reg!(d) = Value::Closure(code, None),
                    Instr::Global { d, constant } => {
                        if let Memo::Done(value) = &core.memo[constant as usize] {
                            reg!(d) = value.clone();
                        } else {
                            // The frame asks again when the constant is there.
                            pc -= 1;
                            save!();
                            leave!(core.constant(constant, base + code.registers as usize));
                        }
                    }
                    Instr::RealAdd { d, a, b } => real2!(d, &reg!(a), &reg!(b), +, Add),
                    Instr::RealSub { d, a, b } => real2!(d, &reg!(a), &reg!(b), -, Sub),
                    Instr::RealMul { d, a, b } => real2!(d, &reg!(a), &reg!(b), *, Mul),
                    Instr::RealDiv { d, a, b } => real2!(d, &reg!(a), &reg!(b), /, Div),
                    Instr::RealAddK { d, a, k } => real2!(d, &reg!(a), &Value::Real(k), +, Add),
                    Instr::RealSubK { d, a, k } => real2!(d, &reg!(a), &Value::Real(k), -, Sub),
                    Instr::RealMulK { d, a, k } => real2!(d, &reg!(a), &Value::Real(k), *, Mul),
                    Instr::RealDivK { d, a, k } => real2!(d, &reg!(a), &Value::Real(k), /, Div),
                    Instr::RealAddR { d, a, k } => real2!(d, &Value::Real(k), &reg!(a), +, Add),
                    Instr::RealSubR { d, a, k } => real2!(d, &Value::Real(k), &reg!(a), -, Sub),
                    Instr::RealMulR { d, a, k } => real2!(d, &Value::Real(k), &reg!(a), *, Mul),
                    Instr::RealDivR { d, a, k } => real2!(d, &Value::Real(k), &reg!(a), /, Div),
                    Instr::RealNeg { d, a } => {
                        primitives += 1;
                        if let Value::Real(x) = reg!(a) {
                            set_real(&mut reg!(d), -x);
                        } else {
                            reg!(d) = check!(core.ctx.apply(Prim::Neg, &[reg!(a).clone()]));
                        }
                    }
                    Instr::Real1 { prim, d, a } => {
                        primitives += 1;
                        match (&reg!(a), &prim.row().class) {
                            (Value::Real(x), Class::Smooth(smooth)) => {
                                if let RealFn::Real1(f) = smooth.value {
                                    let z = f(*x);
                                    set_real(&mut reg!(d), z);
                                }
                            }
                            _ => reg!(d) = check!(core.ctx.apply(prim, &[reg!(a).clone()])),
                        }
                    }
                    Instr::IntAdd { d, a, b } => int2!(d, &reg!(a), int(&reg!(b)), checked_add, IntAdd),
                    Instr::IntSub { d, a, b } => int2!(d, &reg!(a), int(&reg!(b)), checked_sub, IntSub),
                    Instr::IntMul { d, a, b } => int2!(d, &reg!(a), int(&reg!(b)), checked_mul, IntMul),
                    Instr::IntAddK { d, a, k } => int2!(d, &reg!(a), k, checked_add, IntAdd),
                    Instr::IntSubK { d, a, k } => int2!(d, &reg!(a), k, checked_sub, IntSub),
                    Instr::IntMulK { d, a, k } => int2!(d, &reg!(a), k, checked_mul, IntMul),
                    Instr::ToReal { d, a } => {
                        primitives += 1;
                        let n = int(&reg!(a));
                        set_real(&mut reg!(d), n as f64);
                    }
                    Instr::Prim1 { prim, d, a } => {
                        primitives += u64::from(counts(prim));
                        reg!(d) = check!(core.ctx.apply(prim, std::slice::from_ref(&reg!(a))));
                    }
                    Instr::Prim2 { prim, d, a, b } => {
                        primitives += u64::from(counts(prim));
                        reg!(d) = check!(prim2(&mut core.ctx, prim, &reg!(a), &reg!(b)));
                    }
                    Instr::Prim3 { prim, d, first } => {
                        let args = &regs[first as usize..first as usize + 3];
                        reg!(d) = check!(core.ctx.apply(prim, args));
                    }
                    Instr::Jump { to } => pc = to as usize,
                    Instr::Again { to } => {
                        pc = to as usize;
                        burn!();
                    }
                    Instr::JumpIf { a, to } => {
                        if let Value::Bool(true) = reg!(a) {
                            pc = to as usize;
                        }
                    }
                    Instr::JumpUnless { a, to } => {
                        if let Value::Bool(false) = reg!(a) {
                            pc = to as usize;
                        }
                    }
                    Instr::JRealLt { a, b, to } => jump_real!(a, &reg!(b), to, Lt, |x, y| x < y),
                    Instr::JRealLe { a, b, to } => jump_real!(a, &reg!(b), to, Le, |x, y| x <= y),
                    Instr::JRealEq { a, b, to } => jump_real!(a, &reg!(b), to, Eq, |x, y| x == y),
                    Instr::JRealNe { a, b, to } => jump_real!(a, &reg!(b), to, Ne, |x, y| x != y),
                    Instr::JRealNotLt { a, b, to } => jump_real!(a, &reg!(b), to, Lt, |x, y| !(x < y)),
                    Instr::JRealNotLe { a, b, to } => jump_real!(a, &reg!(b), to, Le, |x, y| !(x <= y)),
                    Instr::JRealLtK { a, to, k } => jump_real!(a, &Value::Real(k), to, Lt, |x, y| x < y),
                    Instr::JRealLeK { a, to, k } => jump_real!(a, &Value::Real(k), to, Le, |x, y| x <= y),
                    Instr::JRealGtK { a, to, k } => jump_real!(a, &Value::Real(k), to, Gt, |x, y| x > y),
                    Instr::JRealGeK { a, to, k } => jump_real!(a, &Value::Real(k), to, Ge, |x, y| x >= y),
                    Instr::JRealNotLtK { a, to, k } => jump_real!(a, &Value::Real(k), to, Lt, |x, y| !(x < y)),
                    Instr::JRealNotLeK { a, to, k } => jump_real!(a, &Value::Real(k), to, Le, |x, y| !(x <= y)),
                    Instr::JRealNotGtK { a, to, k } => jump_real!(a, &Value::Real(k), to, Gt, |x, y| !(x > y)),
                    Instr::JRealNotGeK { a, to, k } => jump_real!(a, &Value::Real(k), to, Ge, |x, y| !(x >= y)),
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
                    Instr::JNotTag { a, tag, to } => {
                        if tag_of(&reg!(a)) != tag {
                            pc = to as usize;
                        }
                    }
                    Instr::Switch { a, table } => {
                        let table = &code.tables[table as usize];
                        let tag = tag_of(&reg!(a)) as usize;
                        pc = table[tag.min(table.len() - 1)] as usize;
                    }
                    Instr::JumpIfNone { n, to } => {
                        if int(&reg!(n)) <= 0 {
                            pc = to as usize;
                        }
                    }
                    Instr::ForNext { i, n, to } => {
                        let next_i = int(&reg!(i)) + 1;
                        set_int(&mut reg!(i), next_i);
                        if next_i < int(&reg!(n)) {
                            pc = to as usize;
                            burn!();
                        }
                    }
                    Instr::Tuple { d, first, n } => {
                        let items = regs[first as usize..(first + n) as usize].iter_mut().map(std::mem::take);
                        reg!(d) = Value::Tuple(Fields::collect(0, n as usize, items));
                    }
                    Instr::Pair { d, a, b } => {
                        let items = [take(regs, a), take(regs, b)];
                        reg!(d) = Value::Tuple(Fields::collect(0, 2, items.into_iter()));
                    }
                    Instr::Con { d, tag, first, n } => {
                        let items = regs[first as usize..(first + n) as usize].iter_mut().map(std::mem::take);
                        reg!(d) = Value::Data(Fields::collect(u32::from(tag), n as usize, items));
                    }
                    Instr::Con1 { d, tag, a } => {
                        let item = take(regs, a);
                        reg!(d) = Value::Data(Fields::collect(u32::from(tag), 1, std::iter::once(item)));
                    }
                    Instr::Con2 { d, tag, a, b } => {
                        let items = [take(regs, a), take(regs, b)];
                        reg!(d) = Value::Data(Fields::collect(u32::from(tag), 2, items.into_iter()));
                    }
                    Instr::Field { d, a, index } => reg!(d) = field(regs, a, index),
                    Instr::Array { d, packing, first, n } => reg!(d) = array_of(regs, packing, first, n),
                    Instr::BuildStart { d, packing, n } => {
                        reg!(d) = check!(core.start_array(&reg!(n), packing));
                    }
                    Instr::Push { d, v } => {
                        let value = take(regs, v);
                        if let Value::Array(array) = &mut reg!(d)
                            && let Some(array) = Rc::get_mut(array)
                        {
                            array.push(value);
                        }
                    }
                    Instr::Size { d, a } => {
                        let size = if let Value::Array(array) = &reg!(a) { array.len() } else { 0 };
                        set_int(&mut reg!(d), size as i64);
                    }
                    Instr::Index { d, a, i } => {
                        let index = int(&reg!(i));
                        let Value::Array(array) = &reg!(a & !KILL) else {
                            fail!(Fault::internal("an index of no array"))
                        };
                        let value = match (array.reals(), usize::try_from(index)) {
                            (Some(reals), Ok(at)) if at < reals.len() => Value::Real(reals[at]),
                            _ => match position(array, index) {
                                Ok(at) => array.get(at).unwrap_or_default(),
                                Err(fault) => fail!(fault),
                            },
                        };
                        if a & KILL != 0 {
                            reg!(a & !KILL) = Value::Unit;
                        }
                        reg!(d) = value;
                    }
                    Instr::Update { d, i, v } => {
                        let index = [reg!(i).clone()];
                        let value = take(regs, v);
                        check!(core.update(&mut reg!(d), &index, value));
                    }
                    Instr::UpdatePath { d, first, n } => {
                        let path = &mut regs[first as usize..=(first + n) as usize];
                        let mut path: Vec<Value> = path.iter_mut().map(std::mem::take).collect();
                        let value = path.pop().unwrap_or_default();
                        check!(core.update(&mut reg!(d), &path, value));
                    }
                    Instr::Sum { d, a } => {
                        let size = if let Value::Array(array) = &reg!(a) { array.len() } else { 0 };
                        primitives += size as u64;
                        reg!(d) = check!(core.ctx.sum(&reg!(a)));
                    }
                    Instr::Closure { d, code, first } => {
                        let n = image.codes[code as usize].captures;
                        let items = regs[first as usize..(first + n) as usize].iter_mut().map(std::mem::take);
                        let captured = Fields::collect(0, n as usize, items);
                        reg!(d) = Value::Closure(code, Some(captured));
                    }
                    Instr::Sibling { d, code, a } => {
                        let captured = if let Value::Closure(_, captured) = &reg!(a) { captured.clone() } else { None };
                        reg!(d) = Value::Closure(code, captured);
                    }
                    Instr::LoadCaptured { first } => {
                        if let Value::Closure(_, Some(captured)) = &reg!(0) {
                            let captured = captured.clone();
                            for (slot, value) in regs[first as usize..].iter_mut().zip(captured.items()) {
                                *slot = value.clone();
                            }
                        }
                    }
                    Instr::Call { code, first } => {
                        save!();
                        enter!(code, base + first as usize);
                        burn!();
                    }
                    Instr::TailCall { code: callee, first } => {
                        let n = image.codes[callee as usize].arity;
                        slide!(first, n);
                        enter!(callee, base);
                        burn!();
                    }
                    Instr::CallValue { first, n } => {
                        save!();
                        burn!();
                        if let Value::Closure(callee, _) = reg!(first)
                            && image.codes[callee as usize].arity == n
                        {
                            enter!(callee, base + first as usize);
                        } else {
                            leave!(core.apply(stack, base + first as usize, n as usize));
                        }
                    }
                    Instr::TailCallValue { first, n } => {
                        slide!(first, n);
                        burn!();
                        if let Value::Closure(callee, _) = reg!(0)
                            && image.codes[callee as usize].arity == n
                        {
                            enter!(callee, base);
                        } else {
                            leave!(core.apply(stack, base, n as usize));
                        }
                    }
                    Instr::Return { a } => {
                        let value = std::mem::take(&mut reg!(a));
                        clear(&mut regs[1..]);
                        reg!(0) = value;
                        match core.frames.last() {
                            Some(frame) if frame.code < CONSTANT => {
                                code_id = frame.code;
                                pc = frame.pc as usize;
                                base = frame.base;
                                core.frames.pop();
                                code = &image.codes[code_id as usize];
                                instrs = &code.instrs;
                                regs = &mut stack[base..base + code.registers as usize];
                            }
                            Some(_) | None => leave!(core.returned(stack, base)),
                        }
                    }
                    Instr::Ad { op, first, n } => {
                        save!();
                        leave!(core.ad(stack, op, base + first as usize, n as usize));
                    }
                }
            }
        }
    }
}

#[inline(always)]
fn set_real(slot: &mut Value, x: f64) {
    if let Value::Real(old) = slot {
        *old = x;
    } else {
        *slot = Value::Real(x);
    }
}

#[inline(always)]
fn set_int(slot: &mut Value, n: i64) {
    if let Value::Int(old) = slot {
        *old = n;
    } else {
        *slot = Value::Int(n);
    }
}

/// An Int register. Types are checked before, so anything else cannot be there.
#[inline(always)]
fn int(value: &Value) -> i64 {
    if let Value::Int(n) = value { *n } else { 0 }
}

#[inline(always)]
fn tag_of(value: &Value) -> u32 {
    match value {
        Value::Tag(tag) => *tag,
        Value::Data(fields) => fields.tag(),
        _ => u32::MAX,
    }
}

/// The value of an operand: moved out at its last use, copied otherwise.
#[inline(always)]
fn take(regs: &mut [Value], a: Reg) -> Value {
    let slot = &mut regs[(a & !KILL) as usize];
    match slot {
        Value::Real(x) => Value::Real(*x),
        Value::Int(n) => Value::Int(*n),
        _ if a & KILL != 0 => std::mem::take(slot),
        _ => slot.clone(),
    }
}

/// A field of the structure in a register; moved out if this is the last use of its only owner.
#[inline]
fn field(regs: &mut [Value], a: Reg, index: u32) -> Value {
    let slot = &mut regs[(a & !KILL) as usize];
    let (Value::Tuple(fields) | Value::Data(fields)) = slot else { return Value::Unit };
    if a & KILL == 0 {
        return fields.items()[index as usize].clone();
    }
    let value = match Rc::get_mut(fields) {
        Some(owned) => std::mem::take(&mut owned.items_mut()[index as usize]),
        None => fields.items()[index as usize].clone(),
    };
    *slot = Value::Unit;
    value
}

#[inline(always)]
fn clear(regs: &mut [Value]) {
    for slot in regs {
        *slot = Value::Unit;
    }
}

/// A primitive of two arguments that has no instruction of its own.
#[inline]
fn prim2(ctx: &mut Ctx, prim: Prim, x: &Value, y: &Value) -> Result<Value, Fault> {
    if let (Value::Real(a), Value::Real(b)) = (x, y) {
        if let Class::Smooth(smooth) = &prim.row().class
            && let RealFn::Real2(f) = smooth.value
        {
            return Ok(Value::Real(f(*a, *b)));
        }
        return discrete::compare(prim, x, y);
    }
    ctx.apply(prim, &[x.clone(), y.clone()])
}

/// Whether a primitive counts as an operation on scalars.
#[inline]
fn counts(prim: Prim) -> bool {
    match prim.row().class {
        Class::Smooth(_) | Class::Sum => true,
        Class::Discrete => !matches!(prim, Prim::Size | Prim::Dim | Prim::Argsort),
        Class::Structural | Class::Control => false,
    }
}
