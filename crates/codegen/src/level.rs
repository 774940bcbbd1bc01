//! How hard the C compiler tries, and for which processors: the options of each level of native code.
//!
//! Input: a level, and what numbers may differ in. Output: options, and the vector registers that code is for.
//!
//! Invariant: a level's options hang on nothing but the level and the kind of processor that Pullback itself is for.

use crate::emit::Fp;
use crate::registers::Registers;

/// How hard the compiler tries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Level {
    /// For code that runs once, such as tests.
    Quick,
    /// For code that runs long, on this machine.
    Fast,
    /// As [`Level::Fast`], for so much code that the compiler would take longer over it than most runs do.
    Large,
    /// For code that runs long, on every machine of this kind.
    Portable,
    /// For code that runs long, on every machine with AVX2 and FMA: the level x86-64-v3.
    V3,
    /// For code that runs long, on every machine with AVX-512: the level x86-64-v4.
    V4,
}

/// How long a text may be, in bytes, that is compiled with all that the compiler has. At `-O3` gcc's time grows faster than
/// the text: 160 kB take 7.3 s and 570 kB 44 s, and 4.5 and 17 s at [`LARGE`].
const LONG: usize = 75_000;

impl Level {
    /// The level for a text as long as this one. It hangs on the text alone, so that a program has one code.
    pub(crate) fn of_text(self, text: &str) -> Self {
        if self == Self::Fast && text.len() > LONG { Self::Large } else { self }
    }

    /// The registers that code is for: those of this processor, or the same for all machines, which are promised the bits of
    /// a C file.
    pub fn registers(self) -> Registers {
        match self {
            Self::Quick | Self::Fast | Self::Large => Registers::here(),
            Self::Portable | Self::V4 => Registers::WIDE,
            Self::V3 => Registers::NARROW,
        }
    }

    /// The options, as gcc and Clang spell them.
    pub(crate) fn flags(self) -> &'static [&'static str] {
        match self {
            Self::Quick => &["-O1"],
            Self::Fast => NATIVE,
            Self::Large => LARGE,
            Self::Portable => &["-O3", "-DPB_PORTABLE"],
            Self::V3 => &["-O3", "-march=x86-64-v3", "-mtune=generic"],
            Self::V4 => &["-O3", "-march=x86-64-v4", "-mtune=generic"],
        }
    }

    /// The same as Zig spells them. It takes the processor that it should tune for as the one that it compiles for, and
    /// compiles for this machine where none is named.
    pub(crate) fn flags_of_zig(self) -> Vec<&'static str> {
        let spelled = |flag: &'static str| match flag {
            "-march=x86-64-v3" => "-march=x86_64_v3",
            "-march=x86-64-v4" => "-march=x86_64_v4",
            _ => flag,
        };
        let flags = self.flags().iter().filter(|flag| !flag.starts_with("-mtune"));
        let named = (self == Self::Portable).then_some("-march=baseline");
        flags.map(|flag| spelled(flag)).chain(named).collect()
    }
}

/// How products and sums are rounded: each, where bits are to be those of another engine or machine, or once both.
pub(crate) fn rounding(fp: Fp, level: Level) -> &'static [&'static str] {
    match (fp, level) {
        (Fp::Strict, _) | (Fp::Fast, Level::Portable) => &["-ffp-contract=off"],
        (Fp::Fast, Level::Quick | Level::Fast | Level::Large | Level::V3 | Level::V4) => {
            &["-ffp-contract=fast", "-DPB_CONTRACTS"]
        }
    }
}

/// What is asked for code that runs long here. Where the compiler knows a processor by an older one it takes it for
/// slow at wide vectors, and spends registers of those on addresses: so it is told to tune for none.
const NATIVE: &[&str] = if cfg!(target_arch = "x86_64") {
    &["-O3", "-march=native", "-mtune=generic"]
} else {
    &["-O3", "-march=native"]
};

/// What is asked for much code: the passes that are worth their time. Kernels are vectors already, so that what is missed is
/// in scalar code: of fourteen programs with gradients most run as fast as at `-O3`, and the slowest takes 1.1 times as long.
/// Small arrays of a few vectors become registers only where loops over them are peeled. Clang and Zig refuse options that
/// they do not know, and know these. The runtime calls its longer functions of vectors then, instead of expanding them.
const LARGE: &[&str] = &[
    "-O1",
    "-DPB_LARGE",
    "-finline-functions",
    "-finline-small-functions",
    "-fexpensive-optimizations",
    "-foptimize-sibling-calls",
    "-ftree-vrp",
    "-fpeel-loops",
    "-march=native",
    if cfg!(target_arch = "x86_64") { "-mtune=generic" } else { "-march=native" },
];

/// What is asked of every compiler.
pub(crate) const FLAGS: &[&str] = &[
    "-std=gnu11",
    "-fPIC",
    "-fvisibility=hidden",
    "-fno-math-errno",
    "-fno-trapping-math",
    "-fno-strict-aliasing",
    "-w",
    // The assembler reads while the compiler writes.
    "-pipe",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zig_is_told_the_same_in_its_words() {
        assert_eq!(Level::Portable.flags_of_zig(), ["-O3", "-DPB_PORTABLE", "-march=baseline"]);
        assert_eq!(Level::V3.flags_of_zig(), ["-O3", "-march=x86_64_v3"]);
        assert_eq!(Level::V4.flags_of_zig(), ["-O3", "-march=x86_64_v4"]);
        assert_eq!(Level::Fast.flags_of_zig(), ["-O3", "-march=native"]);
    }
}
