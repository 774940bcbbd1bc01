//! The forms that the compiler shows, as stages of the engines `ir` and `native`.

use pullback_ad::Until;
use pullback_compile::stages;
use pullback_engine::Stage;

/// The forms of `ir`.
pub(crate) const STAGES: &[Stage] = &[
    Stage::form(
        "ir",
        "first-order code over arrays, before derivatives are made",
        |program, def, _| Ok(stages::ir(program, def)),
    ),
    Stage::form(
        "jvp",
        "that code, simplified, with tangents beside its values",
        |program, def, _| stages::derived(program, def, Until::Jvp),
    ),
    Stage::form(
        "unzip",
        "the values, with what is saved of them, and the linear part",
        |program, def, _| stages::derived(program, def, Until::Unzip),
    ),
    Stage::form(
        "transpose",
        "the values, with what is saved of them, and the transposed linear part",
        |program, def, _| stages::derived(program, def, Until::Transpose),
    ),
    Stage::form(
        "opt",
        "the value and the cotangents of the parameters, optimised",
        |program, def, _| stages::optimised(program, def),
    ),
];

/// The form of `native`.
pub(crate) const NATIVE_STAGES: &[Stage] = &[Stage::form(
    "c",
    "the C code of the value and the cotangents of the parameters, without its runtime",
    |program, def, _| stages::c(program, def),
)];
