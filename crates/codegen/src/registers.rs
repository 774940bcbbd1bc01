//! The vector registers of a processor: how many iterations of a loop it can keep at work at once.
//!
//! Unroll-and-jam writes a loop for so many vectors that their sums stay in registers. With fewer registers than that
//! each step of the innermost loop moves sums to memory and back, and the C compiler takes long to say when.
//!
//! Law: what is computed is the same for all. What differs is the order in which sums are added up, which hangs on the
//! sizes and on this, and is not changed under `--fp strict`.

/// The vector registers of a processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Registers {
    /// How many vectors of eight Reals they hold, but for a few.
    pub(crate) at_hand: usize,
    /// How many of these may be kept from one step of an inner loop to the next.
    pub(crate) kept: usize,
}

impl Registers {
    /// Those of AVX-512: 32 of eight Reals.
    pub const WIDE: Self = Self { at_hand: 28, kept: 16 };
    /// As many bits as AVX2 has in 16, and NEON in 32: eight vectors of eight Reals. On processors with AVX2, sums of
    /// products that are written out are faster in all of these, though what is added to them takes registers from some.
    pub const NARROW: Self = Self { at_hand: 8, kept: 8 };

    /// Those of the processor on which this runs.
    pub(crate) fn here() -> Self {
        #[cfg(target_arch = "x86_64")]
        let is_wide = std::arch::is_x86_feature_detected!("avx512f");
        #[cfg(not(target_arch = "x86_64"))]
        let is_wide = false;
        if is_wide { Self::WIDE } else { Self::NARROW }
    }
}

/// The kinds of vectors for which functions of the runtime are compiled with this crate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Vectors {
    /// Those of x86-64-v3, with AVX2 and FMA.
    Narrow,
    /// Those of x86-64-v4, with AVX-512.
    Wide,
}

impl Vectors {
    /// Those of the processor on which this runs, if it has all of such a level.
    pub(crate) fn here() -> Option<Self> {
        #[cfg(target_arch = "x86_64")]
        {
            macro_rules! has {
                ($($feature:tt)*) => { $(std::arch::is_x86_feature_detected!($feature))&&* };
            }
            let is_third = has!("avx2" "fma" "bmi1" "bmi2" "f16c" "lzcnt" "movbe");
            if is_third && has!("avx512f" "avx512bw" "avx512cd" "avx512dq" "avx512vl") {
                return Some(Self::Wide);
            }
            is_third.then_some(Self::Narrow)
        }
        #[cfg(not(target_arch = "x86_64"))]
        None
    }
}
