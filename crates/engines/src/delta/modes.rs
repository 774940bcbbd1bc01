//! Both modes of each translation, from `S -> T` to `S -> (T, T' -> S')` or `(S, S') -> (T, T')`.

use pullback_lambda::{DefId, Program};
use pullback_reduce::{ForwardFn, TransformFn};

use super::forward::{forward_jvp, forward_vjp};
use super::translation::{Transformed, Translation};
use super::version::Version;

/// The transformations of a translation.
pub(super) fn transforms(version: Version) -> (TransformFn, ForwardFn) {
    match version {
        Version::Forward => (forward_vjp, forward_jvp),
        Version::One => (delta1_vjp, delta1_jvp),
        Version::Two => (delta2_vjp, delta2_jvp),
        Version::Final => (delta_vjp, delta_jvp),
    }
}

/// Reverse and forward mode of a version.
macro_rules! modes {
    ($version:expr, $vjp:ident, $jvp:ident, $what:literal, $by:literal) => {
        #[doc = $what]
        pub fn $vjp(program: &mut Program, def: DefId) -> Transformed {
            Translation::new(program, $version).vjp(def)
        }

        #[doc = concat!("Forward mode by the ", $by, ".")]
        pub fn $jvp(program: &mut Program, def: DefId, held: usize) -> Transformed {
            Translation::new(program, $version).jvp(def, held)
        }
    };
}

modes!(Version::One, delta1_vjp, delta1_jvp, "`R¹`", "vectors of the first translation");
modes!(Version::Two, delta2_vjp, delta2_jvp, "`R²`", "trees of the second translation");
modes!(Version::Final, delta_vjp, delta_jvp, "`R`", "bindings of the final translation");

fn fused(program: &mut Program, def: DefId) -> Translation<'_> {
    let mut translation = Translation::new(program, Version::Final);
    translation.fuse_around(def, true);
    translation
}

/// `R` around fused functions.
pub fn fused_vjp(program: &mut Program, def: DefId) -> Transformed {
    fused(program, def).vjp(def)
}

/// Forward mode around fused functions.
pub fn fused_jvp(program: &mut Program, def: DefId, held: usize) -> Transformed {
    fused(program, def).jvp(def, held)
}
