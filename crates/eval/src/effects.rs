//! Which registers each instruction reads and writes.

use crate::code::{Instr, Reg};

/// What an instruction does with a register.
pub(super) enum Effect<'i> {
    /// Writes it.
    Write(Reg),
    /// Reads it; the operand may carry the mark of the last use.
    Read(&'i mut Reg),
    /// Reads it and leaves it as it is.
    Peek(Reg),
    /// Reads this many registers from the first.
    Run(Reg, u32),
}

/// Calls `f` on each effect in turn.
fn each<const N: usize>(f: &mut dyn FnMut(Effect<'_>), effects: [Effect<'_>; N]) {
    effects.into_iter().for_each(f);
}

impl Instr {
    /// Calls `f` on each effect: writes first, then reads in the reverse of the order in which they
    /// happen, so that of two reads of one register the later is met first. `arity` tells how many
    /// parameters a code takes and `captures` how many values it captures.
    pub(super) fn effects(
        &mut self,
        arity: &dyn Fn(u32) -> (u32, u32),
        own_captures: u32,
        f: &mut dyn FnMut(Effect<'_>),
    ) {
        use Effect::{Peek, Read, Run, Write};
        match self {
            Self::Jump { .. } => {}
            Self::Again { i, .. } => f(Peek(*i)),
            Self::Unit { d }
            | Self::Bool { d, .. }
            | Self::Int { d, .. }
            | Self::Real { d, .. }
            | Self::Str { d, .. }
            | Self::Tag { d, .. }
            | Self::Fun { d, .. }
            | Self::Global { d, .. } => f(Write(*d)),
            Self::Move { d, a }
            | Self::Field { d, a, .. }
            | Self::Con1 { d, a, .. }
            | Self::Packed1 { d, a, .. } => each(f, [Write(*d), Read(a)]),
            Self::RealAdd { d, a, b }
            | Self::RealSub { d, a, b }
            | Self::RealMul { d, a, b }
            | Self::RealDiv { d, a, b }
            | Self::IntAdd { d, a, b }
            | Self::IntSub { d, a, b }
            | Self::IntMul { d, a, b }
            | Self::IntDiv { d, a, b }
            | Self::IntRem { d, a, b }
            | Self::Prim2 { d, a, b, .. } => each(f, [Write(*d), Peek(*b), Peek(*a)]),
            Self::RealAddK { d, a, .. }
            | Self::RealSubK { d, a, .. }
            | Self::RealMulK { d, a, .. }
            | Self::RealDivK { d, a, .. }
            | Self::RealAddR { d, a, .. }
            | Self::RealSubR { d, a, .. }
            | Self::RealMulR { d, a, .. }
            | Self::RealDivR { d, a, .. }
            | Self::IntAddK { d, a, .. }
            | Self::IntSubK { d, a, .. }
            | Self::IntMulK { d, a, .. } => each(f, [Write(Reg::from(*d)), Peek(Reg::from(*a))]),
            Self::RealNeg { d, a }
            | Self::Real1 { d, a, .. }
            | Self::ToReal { d, a }
            | Self::Prim1 { d, a, .. }
            | Self::Size { d, a }
            | Self::Sum { d, a }
            | Self::Sibling { d, a, .. } => each(f, [Write(*d), Peek(*a)]),
            Self::Routine { d, n, .. } => each(f, [Write(*d), Run(1, u32::from(*n))]),
            Self::PrimN { d, first, n, .. } => each(f, [Write(*d), Run(*first, u32::from(*n))]),
            Self::Sized { d, a, n, .. } => each(f, [Write(*d), Read(a), Peek(*n)]),
            Self::CheckSize { a, n, .. } => each(f, [Peek(*n), Peek(*a)]),
            Self::JumpIf { a, .. }
            | Self::Look1 { a, .. }
            | Self::JumpUnless { a, .. }
            | Self::JNotTag { a, .. }
            | Self::Switch { a, .. }
            | Self::Return { a } => f(Peek(*a)),
            Self::JRealLt { a, b, .. }
            | Self::Look2 { a, b, .. }
            | Self::JRealLe { a, b, .. }
            | Self::JRealEq { a, b, .. }
            | Self::JRealNotLt { a, b, .. }
            | Self::JRealNotLe { a, b, .. }
            | Self::JRealNe { a, b, .. }
            | Self::JIntLt { a, b, .. }
            | Self::JIntLe { a, b, .. }
            | Self::JIntEq { a, b, .. }
            | Self::JIntNe { a, b, .. } => each(f, [Peek(*b), Peek(*a)]),
            Self::JIntLtK { a, .. }
            | Self::LookK { a, .. }
            | Self::JIntLeK { a, .. }
            | Self::JIntGtK { a, .. }
            | Self::JIntGeK { a, .. }
            | Self::JIntEqK { a, .. }
            | Self::JIntNeK { a, .. }
            | Self::JRealLtK { a, .. }
            | Self::JRealLeK { a, .. }
            | Self::JRealGtK { a, .. }
            | Self::JRealGeK { a, .. }
            | Self::JRealNotLtK { a, .. }
            | Self::JRealNotLeK { a, .. }
            | Self::JRealNotGtK { a, .. }
            | Self::JRealNotGeK { a, .. } => f(Peek(Reg::from(*a))),
            Self::JumpIfNone { n, .. } => f(Peek(*n)),
            Self::ForNext { i, n, .. } => each(f, [Peek(*i), Peek(*n)]),
            Self::Tuple { d, first, n } | Self::Array { d, first, n, .. } => {
                each(f, [Write(*d), Run(*first, *n)])
            }
            Self::Con { d, first, n, .. } | Self::Cons { d, first, n, .. } => {
                each(f, [Write(*d), Run(*first, u32::from(*n))])
            }
            Self::Pair { d, a, b } | Self::Con2 { d, a, b, .. } | Self::Packed2 { d, a, b, .. } => {
                each(f, [Write(*d), Read(b), Read(a)])
            }
            Self::BuildStart { d, n, .. } => each(f, [Write(*d), Peek(*n)]),
            Self::Push { d, v } => each(f, [Peek(*d), Read(v)]),
            Self::Index { d, a, i } => each(f, [Write(*d), Read(a), Peek(*i)]),
            Self::Index2 { d, a, i, j } => {
                f(Write(Reg::from(*d)));
                for reg in [j, i, a] {
                    f(Peek(Reg::from(*reg)));
                }
            }
            Self::Update { d, i, v } => each(f, [Peek(*d), Read(v), Peek(*i)]),
            Self::UpdatePath { d, first, n } => each(f, [Peek(*d), Run(*first, *n + 1)]),
            Self::Closure { d, code, first } => each(f, [Write(*d), Run(*first, arity(*code).1)]),
            Self::LoadCaptured { first } => {
                for reg in *first..*first + own_captures {
                    f(Write(reg));
                }
                f(Peek(0));
            }
            Self::Fields { first, a, n } => {
                for reg in *first..*first + *n {
                    f(Write(reg));
                }
                f(Read(a));
            }
            Self::Call { code, first } | Self::TailCall { code, first } => {
                // Register 0 of the window matters only to members of a group, which have just been
                // written there.
                f(Write(*first));
                f(Run(*first + 1, arity(*code).0));
            }
            Self::CallValue { first, n } | Self::TailCallValue { first, n } => {
                each(f, [Write(*first), Run(*first, 1 + *n)])
            }
            Self::Ad { first, n, .. } => each(f, [Write(*first), Run(*first + 1, *n)]),
        }
    }

    /// Where a jump leads.
    pub(super) fn target_mut(&mut self) -> Option<&mut u32> {
        #[expect(clippy::wildcard_enum_match_arm, reason = "the jumps among all instructions")]
        match self {
            Self::Jump { to }
            | Self::Again { to, .. }
            | Self::JumpIf { to, .. }
            | Self::JumpUnless { to, .. }
            | Self::JRealLt { to, .. }
            | Self::JRealLe { to, .. }
            | Self::JRealEq { to, .. }
            | Self::JRealNotLt { to, .. }
            | Self::JRealNotLe { to, .. }
            | Self::JRealNe { to, .. }
            | Self::JIntLt { to, .. }
            | Self::JIntLe { to, .. }
            | Self::JIntEq { to, .. }
            | Self::JIntNe { to, .. }
            | Self::JIntLtK { to, .. }
            | Self::JIntLeK { to, .. }
            | Self::JIntGtK { to, .. }
            | Self::JIntGeK { to, .. }
            | Self::JIntEqK { to, .. }
            | Self::JIntNeK { to, .. }
            | Self::JRealLtK { to, .. }
            | Self::JRealLeK { to, .. }
            | Self::JRealGtK { to, .. }
            | Self::JRealGeK { to, .. }
            | Self::JRealNotLtK { to, .. }
            | Self::JRealNotLeK { to, .. }
            | Self::JRealNotGtK { to, .. }
            | Self::JRealNotGeK { to, .. }
            | Self::JNotTag { to, .. }
            | Self::JumpIfNone { to, .. }
            | Self::Routine { to, .. }
            | Self::ForNext { to, .. } => Some(to),
            _ => None,
        }
    }

    /// Whether the next instruction is never reached from this one.
    pub(super) fn leaves(&self) -> bool {
        matches!(
            self,
            Self::Jump { .. }
                | Self::Again { .. }
                | Self::Switch { .. }
                | Self::Return { .. }
                | Self::TailCall { .. }
                | Self::TailCallValue { .. }
        )
    }

    /// Makes an instruction that writes `reg` write `d` instead; says whether it could.
    pub(super) fn retarget(&mut self, reg: Reg, d: Reg) -> bool {
        #[expect(
            clippy::wildcard_enum_match_arm,
            reason = "those that write one register last of all"
        )]
        match self {
            Self::Move { d: old, .. }
            | Self::Real { d: old, .. }
            | Self::Int { d: old, .. }
            | Self::Bool { d: old, .. }
            | Self::RealAdd { d: old, .. }
            | Self::RealSub { d: old, .. }
            | Self::RealMul { d: old, .. }
            | Self::RealDiv { d: old, .. }
            | Self::RealNeg { d: old, .. }
            | Self::Real1 { d: old, .. }
            | Self::IntAdd { d: old, .. }
            | Self::IntSub { d: old, .. }
            | Self::IntMul { d: old, .. }
            | Self::IntDiv { d: old, .. }
            | Self::IntRem { d: old, .. }
            | Self::ToReal { d: old, .. }
            | Self::Prim1 { d: old, .. }
            | Self::Prim2 { d: old, .. }
            | Self::Index { d: old, .. }
            | Self::Sized { d: old, .. }
            | Self::Field { d: old, .. }
            | Self::Pair { d: old, .. }
            | Self::Con1 { d: old, .. }
            | Self::Packed1 { d: old, .. }
            | Self::Con2 { d: old, .. }
            | Self::Packed2 { d: old, .. }
                if *old == reg =>
            {
                *old = d;
                true
            }
            Self::RealAddK { d: old, .. }
            | Self::RealSubK { d: old, .. }
            | Self::RealMulK { d: old, .. }
            | Self::RealDivK { d: old, .. }
            | Self::RealAddR { d: old, .. }
            | Self::RealSubR { d: old, .. }
            | Self::RealMulR { d: old, .. }
            | Self::RealDivR { d: old, .. }
            | Self::IntAddK { d: old, .. }
            | Self::IntSubK { d: old, .. }
            | Self::IntMulK { d: old, .. }
                if Reg::from(*old) == reg =>
            {
                let Ok(short) = u16::try_from(d) else { return false };
                *old = short;
                true
            }
            _ => false,
        }
    }
}
