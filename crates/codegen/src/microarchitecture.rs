//! Micro-architecture levels: the sets of instructions that a library can be compiled for beside those that all processors of
//! a kind have. Names are those of the x86-64 psABI, as gcc, Clang and glibc know them.
//!
//! ```text
//! portable    what every processor of this kind has
//! x86-64-v3   AVX2 and FMA: Intel since 2013, AMD since 2015
//! x86-64-v4   AVX-512 F, BW, CD, DQ and VL
//! ```

use crate::level::Level;

/// A micro-architecture level, the lowest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Microarchitecture {
    /// That of every processor of this kind.
    Portable,
    /// With AVX2 and FMA.
    V3,
    /// With AVX-512.
    V4,
}

impl Microarchitecture {
    /// All that there are for the kind of processor that this runs on.
    pub const ALL: &[Self] = if cfg!(target_arch = "x86_64") {
        &[Self::Portable, Self::V3, Self::V4]
    } else {
        &[Self::Portable]
    };

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Portable => "portable",
            Self::V3 => "x86-64-v3",
            Self::V4 => "x86-64-v4",
        }
    }

    /// The level at which code for it is compiled.
    pub fn level(self) -> Level {
        match self {
            Self::Portable => Level::Portable,
            Self::V3 => Level::V3,
            Self::V4 => Level::V4,
        }
    }

    /// The number by which `dispatch.c` knows it.
    pub(crate) fn number(self) -> u8 {
        match self {
            Self::Portable => 0,
            Self::V3 => 3,
            Self::V4 => 4,
        }
    }

    /// What the C compiler defines where code is for it.
    pub(crate) fn is_compiled_for(self) -> Option<&'static str> {
        match self {
            Self::Portable => None,
            Self::V3 => Some("__AVX2__"),
            Self::V4 => Some("__AVX512F__"),
        }
    }
}
