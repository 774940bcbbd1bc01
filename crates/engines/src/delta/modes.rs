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

/// `R¹`
pub fn delta1_vjp(program: &mut Program, def: DefId) -> Transformed {
    Translation::new(program, Version::One).vjp(def)
}

/// Forward mode by the vectors of the first translation.
pub fn delta1_jvp(program: &mut Program, def: DefId, held: usize) -> Transformed {
    Translation::new(program, Version::One).jvp(def, held)
}

/// `R²`
pub fn delta2_vjp(program: &mut Program, def: DefId) -> Transformed {
    Translation::new(program, Version::Two).vjp(def)
}

/// Forward mode by the trees of the second translation.
pub fn delta2_jvp(program: &mut Program, def: DefId, held: usize) -> Transformed {
    Translation::new(program, Version::Two).jvp(def, held)
}

/// `R`
pub fn delta_vjp(program: &mut Program, def: DefId) -> Transformed {
    Translation::new(program, Version::Final).vjp(def)
}

/// Forward mode by the bindings of the final translation.
pub fn delta_jvp(program: &mut Program, def: DefId, held: usize) -> Transformed {
    Translation::new(program, Version::Final).jvp(def, held)
}

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
