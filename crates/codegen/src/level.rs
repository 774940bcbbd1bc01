//! Levels of optimisation of the C compiler.
//!
//! Input: what code is for, and how much text it is. Output: a [`Level`], with its flags and the registers that code is
//! scheduled for.

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
            Self::Portable => Registers::WIDE,
        }
    }

    pub(crate) fn flags(self) -> &'static [&'static str] {
        match self {
            Self::Quick => &["-O1"],
            Self::Fast => NATIVE,
            Self::Large => LARGE,
            Self::Portable => &["-O3", "-DPB_PORTABLE"],
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
