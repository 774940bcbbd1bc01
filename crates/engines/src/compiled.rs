//! The forms that the compiler shows, as stages of the engines `ir` and `native`.

use pullback_ad::Until;
use pullback_compile::stages;
use pullback_engine::Stage;

/// The forms of `ir`.
pub(crate) const STAGES: &[Stage] = &[
    Stage {
        name: "ir",
        about: "first-order code over arrays, before derivatives are made",
        needs_argument: false,
        show: |program, def, _| Ok(stages::ir(program, def)),
    },
    Stage {
        name: "jvp",
        about: "that code, simplified, with tangents beside its values",
        needs_argument: false,
        show: |program, def, _| stages::derived(program, def, Until::Jvp),
    },
    Stage {
        name: "unzip",
        about: "the values, with what is saved of them, and the linear part",
        needs_argument: false,
        show: |program, def, _| stages::derived(program, def, Until::Unzip),
    },
    Stage {
        name: "transpose",
        about: "the values, with what is saved of them, and the transposed linear part",
        needs_argument: false,
        show: |program, def, _| stages::derived(program, def, Until::Transpose),
    },
    Stage {
        name: "opt",
        about: "the value and the cotangents of the parameters, optimised",
        needs_argument: false,
        show: |program, def, _| stages::optimised(program, def),
    },
];

/// The form of `native`.
pub(crate) const NATIVE_STAGES: &[Stage] = &[Stage {
    name: "c",
    about: "the C code of the value and the cotangents of the parameters, without its runtime",
    needs_argument: false,
    show: |program, def, _| stages::c(program, def),
}];
