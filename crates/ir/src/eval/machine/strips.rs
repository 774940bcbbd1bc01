//! Loops in strips of iterations: each instruction is done for all iterations of a strip before the next, so that its
//! dispatch is paid once and the processor works on vectors (vectorised interpretation: Boncz, Zukowski & Nes 2005).
//!
//! Input: a [`Strip`] and the registers of the running function. Output: the registers after as many iterations as ran,
//! and where to go on.
//!
//! ```text
//! Index1 { d: 4, a: 0, i: 3 }   register 4 holds x[0], x[1], … x[255], one for each iteration of the strip
//! ```
//!
//! Law: values, counts and errors are those of the iterations one by one. Where something fails in a strip, or iterations
//! take different branches, nothing of the strip has been done yet: its iterations run one by one from there on, and they
//! say what fails. Limits are looked at within a strip too.

mod addends;
mod arith;
mod places;
mod terms;

use pullback_machine::{DIVISION, InStrips, Meter, surcharge};
use pullback_prim::{Fault, RealFn, values};

use super::registers::{Running, Window};
use crate::eval::build::Builder;
use crate::eval::code::{Code, Image, Instr, Operand, Reg, Strip};
use crate::eval::core::Core;
use crate::eval::lanes::{Held, Lanes, Numbers, Outside, Stop};
use crate::eval::value::Value;

use addends::Addends;

/// After how many steps limits are looked at within a strip.
const STEPS: u64 = 1 << 16;

/// The iterations of a strip under way.
struct Lane<'s, 'i> {
    lanes: &'s mut Lanes,
    outside: Outside<'s>,
    code: &'s Code,
    core: &'s Core<'i>,
    /// How many there are.
    count: usize,
    operations: u64,
    surcharge: u64,
    steps: u64,
    /// Steps at the next look at the limits.
    due: u64,
    /// What is to be collected, latest array last.
    pushed: Vec<(u32, Operand)>,
    added: &'s mut Addends,
}

/// Runs iterations of a loop in strips, and says where the function goes on. An error has its place.
#[inline(never)]
pub fn run(
    core: &mut Core<'_>,
    stack: &mut [Value],
    w: &mut Running<'_>,
    nth: u32,
) -> Result<(), (Fault, usize)> {
    let strip = &core.image.tables.strips[nth as usize];
    let count = window(core.image, stack, w).int(strip.count);
    let is_long = usize::try_from(count).is_ok_and(|count| count >= core.lanes.strips.fewest);
    let mut done = 0;
    if is_long && core.lanes.is_worth(nth) {
        let mut lanes = std::mem::take(&mut core.lanes);
        lanes.begin(window(core.image, stack, w).outside(), w.end() - w.base, strip);
        let ran = in_strips(core, &mut lanes, stack, w, (nth, count));
        core.lanes = lanes;
        done = ran?;
    }
    if done < count {
        let next = if strip.is_down { count - 1 - done } else { done };
        window(core.image, stack, w).set_int(strip.index, next);
    }
    w.pc = if done < count { strip.body } else { strip.end } as usize;
    Ok(())
}

/// The registers of the running function.
fn window<'r>(image: &'r Image<'_>, stack: &'r mut [Value], w: &Running<'r>) -> Window<'r> {
    let consts = image.tables.consts.as_slice();
    Window { regs: &mut stack[w.base..w.end()], consts, code: w.code }
}

/// Runs as many of the iterations of a loop, so many, as can run in strips.
fn in_strips(
    core: &mut Core<'_>,
    lanes: &mut Lanes,
    stack: &mut [Value],
    w: &mut Running<'_>,
    (nth, count): (u32, i64),
) -> Result<i64, (Fault, usize)> {
    let strip = &core.image.tables.strips[nth as usize];
    let most = lanes.strips.size as i64;
    let mut done = 0;
    while done < count {
        let size = (count - done).min(most);
        let (first, step) = if strip.is_down { (count - 1 - done, -1) } else { (done, 1) };
        lanes.at(strip.index, Held::Steps { first, step });
        let mut r = window(core.image, stack, w);
        let looks = match ran(core, &mut r, lanes, strip, size as usize) {
            Ok(looks) => looks,
            Err(Stop::Limit(fault, pc)) => return Err((fault, pc)),
            Err(stop @ (Stop::OneByOne | Stop::Never)) => {
                lanes.failed(nth, matches!(stop, Stop::Never));
                break;
            }
        };
        (lanes.run, done) = (lanes.run + 1, done + size);
        if looks > 0 {
            r.set_int(strip.index, first);
            w.pc = strip.body as usize + 1;
            for _ in 0..looks {
                core.tick().map_err(|fault| (fault, w.pc))?;
            }
            core.tell_stand(stack, w.frame(0));
        }
    }
    Ok(done)
}

/// Runs one strip, and says how often to look at the limits.
fn ran(
    core: &mut Core<'_>,
    r: &mut Window<'_>,
    lanes: &mut Lanes,
    strip: &Strip,
    count: usize,
) -> Result<u64, Stop> {
    let mut added = Addends::default();
    let mut lane = Lane {
        lanes,
        outside: r.outside(),
        code: r.code,
        core,
        count,
        operations: 0,
        surcharge: 0,
        steps: 0,
        due: STEPS,
        pushed: vec![],
        added: &mut added,
    };
    lane.body(strip)?;
    let Lane { operations, surcharge, steps, pushed, .. } = lane;
    // Room for what is collected may be the only thing that is not there.
    let last = strip.end as usize;
    let limit = |fault| Stop::Limit(fault, last);
    for (nth, a) in pushed {
        let nth = core.builders.len() - 1 - nth as usize;
        let Core { builders, meter, .. } = &mut *core;
        collect(lanes, r, a, count, &mut builders[nth], meter).map_err(limit)?;
    }
    added.add(r, count);
    for (state, total) in lanes.totals(strip) {
        r.set(state, total);
    }
    core.meter.counts.operations += operations;
    core.meter.counts.surcharge += surcharge;
    core.meter.in_strips.operations += operations;
    core.meter.in_strips.steps += steps + count as u64;
    Ok(core.fuel.burn_all(steps + count as u64))
}

impl Lane<'_, '_> {
    /// Runs the instructions of a body.
    #[expect(clippy::wildcard_enum_match_arm, reason = "those that the compiler lets into strips")]
    fn body(&mut self, strip: &Strip) -> Result<(), Stop> {
        let (code, end) = (self.code, strip.end as usize - 1);
        let mut pc = strip.body as usize;
        while pc < end {
            let instr = code.instrs[pc];
            pc += 1;
            match instr {
                Instr::Move { d, a } => self.copy(d, a)?,
                Instr::Drop { .. } => {}
                Instr::RealAdd { d, a, b } => self.real2(d, a, b, |x, y| x + y)?,
                Instr::RealSub { d, a, b } => self.real2(d, a, b, |x, y| x - y)?,
                Instr::RealMul { d, a, b } => self.real2(d, a, b, |x, y| x * y)?,
                Instr::RealDiv { d, a, b } => {
                    self.surcharge += DIVISION * self.count as u64;
                    self.real2(d, a, b, |x, y| x / y)?;
                }
                Instr::MulZero { d, a, b } => {
                    self.real2(d, a, b, |t, x| if t == 0.0 { 0.0 } else { t * x })?;
                }
                Instr::RealNeg { d, a } => self.real1(d, a, |x| -x)?,
                Instr::Real1 { d, a, function } => {
                    let function = &self.core.image.tables.functions[function as usize];
                    self.surcharge += function.surcharge * self.count as u64;
                    self.real1(d, a, function.value)?;
                }
                Instr::RealLt { d, a, b } => self.compare(d, a, b, |x, y| x < y)?,
                Instr::RealLe { d, a, b } => self.compare(d, a, b, |x, y| x <= y)?,
                Instr::RealGt { d, a, b } => self.compare(d, a, b, |x, y| x > y)?,
                Instr::RealGe { d, a, b } => self.compare(d, a, b, |x, y| x >= y)?,
                Instr::RealEq { d, a, b } => self.compare(d, a, b, |x, y| x == y)?,
                Instr::RealNe { d, a, b } => self.compare(d, a, b, |x, y| x != y)?,
                Instr::IntAdd { d, a, b } => self.int2(d, a, b, i64::checked_add)?,
                Instr::IntSub { d, a, b } => self.int2(d, a, b, i64::checked_sub)?,
                Instr::IntMul { d, a, b } => self.int_mul(d, a, b)?,
                Instr::IntDiv { d, a, b } => self.each_int(d, a, b, values::int_div)?,
                Instr::IntRem { d, a, b } => self.each_int(d, a, b, values::int_rem)?,
                Instr::IntLt { d, a, b } => self.compare_ints(d, a, b, |m, n| m < n)?,
                Instr::IntLe { d, a, b } => self.compare_ints(d, a, b, |m, n| m <= n)?,
                Instr::IntGt { d, a, b } => self.compare_ints(d, a, b, |m, n| m > n)?,
                Instr::IntGe { d, a, b } => self.compare_ints(d, a, b, |m, n| m >= n)?,
                Instr::IntEq { d, a, b } => self.compare_ints(d, a, b, |m, n| m == n)?,
                Instr::IntNe { d, a, b } => self.compare_ints(d, a, b, |m, n| m != n)?,
                Instr::Not { d, a } => self.not(d, a)?,
                Instr::ToReal { d, a } => self.as_real(d, a)?,
                Instr::Prim { d, prim, args } => {
                    let prim = self.core.image.tables.prims[prim as usize];
                    self.surcharge += surcharge(prim) * self.count as u64;
                    match (prim.row().smooth().map(|smooth| smooth.value), code.list(args)) {
                        (Some(RealFn::Real1(f)), [a]) => self.real1(d, *a, f)?,
                        (Some(RealFn::Real2(f)), [a, b]) => self.real2(d, *a, *b, f)?,
                        (_, args) => self.primitive(d, prim, args)?,
                    }
                }
                Instr::Select { d, c, a, b } => self.select(d, c, a, b)?,
                Instr::Jump { to } => pc = to as usize,
                Instr::JumpUnless { a, to } => {
                    if !self.agreed(a)? {
                        pc = to as usize;
                    }
                }
                Instr::ForUp { i, n, to } => pc = self.enter(i, n, false, pc, to)?,
                Instr::ForDown { i, n, to } => pc = self.enter(i, n, true, pc, to)?,
                Instr::ForStrip { strip } => {
                    let inner = &self.core.image.tables.strips[strip as usize];
                    let [body, end] = [pc, inner.end as usize];
                    pc = self.enter(inner.index, inner.count, inner.is_down, body, inner.end)?;
                    if pc == body && self.terms(inner, body)? {
                        pc = end;
                    }
                }
                Instr::NextUp { i, n, to } => {
                    self.step(pc)?;
                    let next = self.same_int(i)? + 1;
                    if next < self.same_int(n)? {
                        self.lanes.at(i, Held::int(next));
                        pc = to as usize;
                    }
                }
                Instr::NextDown { i, to, .. } => {
                    self.step(pc)?;
                    let next = self.same_int(i)? - 1;
                    if next >= 0 {
                        self.lanes.at(i, Held::int(next));
                        pc = to as usize;
                    }
                }
                Instr::Index1 { d, a, i } => self.index(d, a, &[i])?,
                Instr::Index2 { d, a, i, j } => self.index(d, a, &[i, j])?,
                Instr::Index { d, a, at } => self.index(d, a, code.list(at))?,
                Instr::Dim { d, a, dimension } => self.dim(d, a, dimension)?,
                Instr::Sum { d, a } => self.sum(d, a)?,
                Instr::CheckSize { a, dimension, n, .. } => self.check_size(a, dimension, n)?,
                Instr::CheckEqual { a, n, .. } => {
                    if self.same_int(a)? != self.same_int(n)? {
                        return Err(Stop::OneByOne);
                    }
                }
                Instr::CheckCount { n } => {
                    if self.same_int(n)? < 0 {
                        return Err(Stop::OneByOne);
                    }
                }
                Instr::Push { nth, a } => {
                    self.is_number(a)?;
                    self.pushed.push((nth, a));
                }
                Instr::AddAcc { a, at, v, ty } => self.add_acc(a, code.list(at), v, ty)?,
                other => pullback_base::bug("ir", format_args!("no {other:?} in a strip")),
            }
        }
        Ok(())
    }

    /// Begins a loop inside: its first iteration, or what is behind it.
    fn enter(
        &mut self,
        i: Reg,
        n: Operand,
        is_down: bool,
        body: usize,
        end: u32,
    ) -> Result<usize, Stop> {
        let n = self.same_int(n)?;
        if n <= 0 {
            return Ok(end as usize);
        }
        self.lanes.at(i, Held::int(if is_down { n - 1 } else { 0 }));
        Ok(body)
    }

    /// Counts an iteration of a loop inside, which each iteration of the strip has.
    fn step(&mut self, pc: usize) -> Result<(), Stop> {
        self.steps += self.count as u64;
        if self.steps < self.due {
            return Ok(());
        }
        self.due = self.steps + STEPS;
        let meter = &self.core.meter;
        let under_way = InStrips { operations: self.operations, steps: self.steps };
        meter.check_budget(under_way).map_err(|fault| Stop::Limit(fault, pc))?;
        meter.check().map_err(|fault| Stop::Limit(fault, pc))
    }
}

/// Adds what the iterations of a strip collect to an array.
fn collect(
    lanes: &Lanes,
    r: &Window<'_>,
    a: Operand,
    count: usize,
    builder: &mut Builder,
    meter: &mut Meter,
) -> Result<(), Fault> {
    if let Some(Numbers::Each(items)) = lanes.reals(r.outside(), a, count) {
        return builder.push_reals(items, meter);
    }
    for nth in 0..count {
        builder.push(lanes.value(r.outside(), a, nth), meter)?;
    }
    Ok(())
}
