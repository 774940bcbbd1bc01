//! The one table of engines: `--engine`, the stages of `pullback show`, the tests and `docs/engines.md` are
//! made from it.

use pullback_compile::Back;
use pullback_engine::{
    EngineInfo, How, Letter, LetterFn, Page, Pullbacks, Registry, ShowFn, Stage, Variant,
    dual_engine, needed, show_dual, trace_engine,
};
use pullback_reduce::{ForwardFn, TransformFn};

use crate::linear_maps::notes::term::Form;
use crate::linear_maps::notes::tupled_source;
use crate::{categories, compiled, curry, delta, linear_maps, semantics, show_trace};

/// What the engines that transform programs refuse, then what one of them refuses beyond.
macro_rules! transforming {
    ($beyond:literal) => {
        concat!(
            "derivatives of a function within itself beyond the order at which the program has more than 15000 terms; ",
            $beyond
        )
    };
}

const SDPL: &str = "*A Simple Differentiable Programming Language* (Abadi, Plotkin) [1, §3]";
const LINEAR: &str = "a constant times the program";
const SAME_COST: &str =
    "`vjp` and `jvp`: a constant times the program; memory linear in the operations executed";
const ON_VALUES: &str =
    "`vjp : (S -> T) -> S -> (T, T' -> S')` and `jvp : (S -> T) -> (S, S') -> (T, T')`";

/// Every engine, the one to use unless told otherwise first.
pub const ENGINES: &[EngineInfo] = &[
    TRACE,
    DUAL,
    DELTA1,
    DELTA2,
    DELTA,
    CURRY_LIST,
    CURRY_ENV,
    LINEAR_MAPS,
    CATEGORIES,
    IR,
    NATIVE,
];

/// The engines, for whoever runs programs.
pub const REGISTRY: Registry = Registry { engines: ENGINES, variant, has_all: true };

/// The stages that have the variants of the paper's semantics: for `--fuel` its bounded recursion, for
/// `--domain strict` its partial operations and predicates.
pub const LETTERS: &[(&str, LetterFn)] =
    &[("trace", show_trace), ("trace-run", semantics::show_run)];

/// The stages that `--as-source` writes as programs.
pub const SOURCES: &[(&str, ShowFn)] = &[
    ("jacobian", linear_maps::notes::jacobian_source),
    ("poly-tupled", |program, def, point| tupled_source(program, def, point, Form::Polymorphic)),
    ("poly-transposed", |program, def, point| {
        tupled_source(program, def, point, Form::PolymorphicTransposed)
    }),
    ("forward", linear_maps::notes::forward_source),
    ("reverse", linear_maps::notes::reverse_source),
    ("cl-rev", categories::reverse_source),
    ("cl-fwd", categories::forward_source),
];

/// By transformations that take all rules of the program's own.
const fn transform(vjp: TransformFn, jvp: ForwardFn) -> How {
    How::Transform { vjp, jvp, reverse: Pullbacks::Any, budget: None }
}

const TRACE: EngineInfo = EngineInfo {
    name: "trace",
    summary: "records the executed primitives and sweeps over the record",
    page: Page {
        file: "trace.md",
        paper: SDPL,
        ty: ON_VALUES,
        law: "a run leaves a record, its *trace term* `C`, without conditionals, calls and loops; \
              `W.R_V(x:T. C)` is the derivative of `x ↦ C` at `V` (Theorem 6.1), and `C` means what the \
              program means around `V` (Theorem 6.2)",
        cost: "`vjp` and `jvp`: a constant times the program; memory of `vjp` linear in the operations \
               executed, of `jvp` that of the program",
        reverse: LINEAR,
        covers: "the whole language",
        limits: "none; the forms in the letter of the paper are those of its language",
        teaches: "what a derivative of a program with branches means",
        example: "show tests/stages/cube.pull square 3.0 --stage trace",
    },
    how: How::Runtime(trace_engine),
    stages: &[
        Stage::at_argument(
            "trace",
            "the trace term of one evaluation and its derivative",
            |program, def, argument| show_trace(program, def, needed(argument)?, Letter::default()),
        ),
        Stage::at_argument(
            "trace-run",
            "the numbered steps of evaluation and differentiation, by the paper's rules",
            |program, def, argument| {
                semantics::show_run(program, def, needed(argument)?, Letter::default())
            },
        ),
    ],
};

const DUAL: EngineInfo = EngineInfo {
    name: "dual",
    summary: "computes with dual numbers; reverse mode makes one forward pass for each input",
    page: Page {
        file: "dual.md",
        paper: "*Provably Correct, Asymptotically Efficient, Higher-Order Reverse-Mode AD* (Krawiec and \
                others) [2, §4 and §9.1]",
        ty: "`F{f} : (S, S') -> (T, T')` around `D→{f} : D→{S} -> D→{T}`, with `D→{Real} = (Real, Real)`",
        law: "if `Γ ⊢ e : A` then `D→{Γ} ⊢ D→{e} : D→{A}`; the first components are what `e` computes, the \
              second their tangents (Proposition 2)",
        cost: "`jvp`: a constant times the program in time and memory; `vjp`: `n` such passes; \
               derivatives nested `k` deep: `2^k` numbers for each Real",
        reverse: "one forward pass for each input",
        covers: "the whole language, if rules of the program's own are linear",
        limits: "rules of `custom_vjp` whose pullback is not linear",
        teaches: "forward mode",
        example: "show examples/papers/higher_order.pull section_8_7 2.0 --stage dual-source",
    },
    how: How::Runtime(dual_engine),
    stages: &[
        Stage::at_argument("dual", "the program over dual numbers", |program, def, argument| {
            show_dual(program, def, needed(argument)?)
        }),
        Stage::form(
            "dual-source",
            "the translation to programs over dual numbers, and its wrapper",
            |program, def, _| delta::show_forward(program, def),
        ),
    ],
};

const DELTA1: EngineInfo = EngineInfo {
    name: "delta1",
    summary: "translates to numbers that carry the vector of their derivatives",
    page: Page {
        file: "delta.md",
        paper: "*Provably Correct, Asymptotically Efficient, Higher-Order Reverse-Mode AD* (Krawiec and \
                others) [2, §5.1, figures 5 and 6]",
        ty: "`R¹{f} : S -> (T, T' -> S')` around `D¹{f}`, with `D¹{Real} = (Real, δS)`",
        law: "the delta of a Real is the vector of its derivatives by all inputs",
        cost: "`vjp` and `jvp`: `n` times the program in time and memory",
        reverse: "the program times the number of inputs",
        covers: "the whole language, up to 512 inputs",
        limits: transforming!(
            "more than 512 inputs; rules of `custom_vjp` whose pullback is not linear; a program whose \
             translation has more than a million nodes"
        ),
        teaches: "why dual numbers with gradients are slow",
        example: "show examples/papers/higher_order.pull section_8_7 2.0 --stage delta1",
    },
    how: How::Transform {
        vjp: delta::delta1_vjp,
        jvp: delta::delta1_jvp,
        reverse: Pullbacks::Linear,
        budget: None,
    },
    stages: delta::DELTA1_STAGES,
};

const DELTA2: EngineInfo = EngineInfo {
    name: "delta2",
    summary: "translates to numbers that carry a tree of deltas",
    page: Page {
        file: "delta.md",
        paper: "*Provably Correct, Asymptotically Efficient, Higher-Order Reverse-Mode AD* (Krawiec and \
                others) [2, §5.2, figures 7 and 8]",
        ty: "`R²{f} : S -> (T, T' -> S')` around `D²{f}`, with `D²{Real} = (Real, Delta)`",
        law: "the delta of a Real is a tree of `Zero`, `OneHot`, `Scale` and `Add` that describes the \
              vector of its derivatives",
        cost: "`vjp` and `jvp`: exponential in the depth of sharing",
        reverse: "exponential in the depth of sharing",
        covers: "the whole language, small runs",
        limits: transforming!(
            "trees that have more than 200000 nodes when they are evaluated; rules of `custom_vjp` whose \
             pullback is not linear; a program whose translation has more than a million nodes"
        ),
        teaches: "why sharing must be kept",
        example: "show examples/papers/higher_order.pull section_8_7 2.0 --stage delta2",
    },
    how: How::Transform {
        vjp: delta::delta2_vjp,
        jvp: delta::delta2_jvp,
        reverse: Pullbacks::Linear,
        budget: None,
    },
    stages: delta::DELTA2_STAGES,
};

const DELTA: EngineInfo = EngineInfo {
    name: "delta",
    summary: "translates to a monad that names every delta, and evaluates the names once",
    page: Page {
        file: "delta.md",
        paper: "*Provably Correct, Asymptotically Efficient, Higher-Order Reverse-Mode AD* (Krawiec and \
                others) [2, §5.3, §8 and §9.2, figures 9 to 16]",
        ty: "`R{f} : S -> (T, T' -> S')` around `D{f} : D{S} -> M D{T}`, with `D{Real} = (Real, Delta)` and a \
             state monad `M` of bindings",
        law: "the delta of a Real is a tree over names, each bound to a tree once and evaluated once, \
              newest first (Theorem 5)",
        cost: SAME_COST,
        reverse: LINEAR,
        covers: "the whole language",
        limits: transforming!("a program whose translation has more than a million nodes"),
        teaches: "sharing by names in a monad; fusion with `--fuse`",
        example: "show examples/papers/higher_order.pull section_8_7 2.0 --stage delta",
    },
    how: transform(delta::delta_vjp, delta::delta_jvp),
    stages: delta::DELTA_STAGES,
};

const CURRY_LIST: EngineInfo = EngineInfo {
    name: "curry-list",
    summary: "composes functions with their pullbacks by combinators; the tangent of a function is a list of calls",
    page: Page {
        file: "curry.md",
        paper: "*The Differentiable Curry* (Abadi, Wei, Plotkin, Vytiniotis, Belov) [3, §3, §4 and §6.2]",
        ty: "rep-functions, `a ~> b = a -> (b, T b -o T a)`, with `T (a -> b) = [(a, T b)]`",
        law: "the laws of cartesian closed categories, up to `[(x, 0)] ~ []` and \
              `[(x, g), (x, h)] ~ [(x, g + h)]`",
        cost: "`vjp`: the program, run again for each nesting of functions that capture functions",
        reverse: "runs functions again for each call that flows back to them",
        covers: "the whole language, small runs",
        limits: transforming!("derivatives nested too deeply; runs of more than 30 million steps"),
        teaches: "tangents of functions as lists",
        example: "show examples/papers/differentiable_curry.pull summed_2 2.0 --stage curry-list",
    },
    how: How::Transform {
        vjp: curry::vjp_list,
        jvp: curry::jvp_list,
        reverse: Pullbacks::Any,
        budget: Some(curry::BUDGET),
    },
    stages: curry::STAGES_LIST,
};

const CURRY_ENV: EngineInfo = EngineInfo {
    name: "curry-env",
    summary: "composes functions with their pullbacks by combinators; the tangent of a function is that of its \
              environment, under a tag",
    page: Page {
        file: "curry.md",
        paper: "*The Differentiable Curry* (Abadi, Wei, Plotkin, Vytiniotis, Belov) [3, §3, §5 and §6.2]",
        ty: "rep-functions, `a ~> b = a -> (b, T b -o T a)`, with `T (a -> b)` the tangent of the \
             environment, under a tag",
        law: "the laws of cartesian closed categories, as they stand",
        cost: SAME_COST,
        reverse: LINEAR,
        covers: "the whole language, moderate code",
        limits: transforming!("derivatives nested too deeply"),
        teaches: "tangents of functions as tangents of environments; erased with `--erase`",
        example: "show examples/papers/differentiable_curry.pull summed_2 2.0 --stage curry-env",
    },
    how: transform(curry::vjp_env, curry::jvp_env),
    stages: curry::STAGES_ENV,
};

const LINEAR_MAPS: EngineInfo = EngineInfo {
    name: "linear-maps",
    summary: "builds the derivative as a linear map and applies it from either side",
    page: Page {
        file: "linear-maps.md",
        paper: "*Working notes on Automatic differentiation* (Ellis, Peyton Jones, Fitzgibbon) [4, §2 to §5, \
                §8 and §9]",
        ty: "`∂f : S -> (S ⊸ T)`; what runs is `∂f : ∀a. (S, a ⊸ S) -> (T, a ⊸ T)`",
        law: "`fwd$f(x, dx) = ∂f(x) ⊙ dx`, `rev$f(x, dr) = dr ⊙ᴿ ∂f(x)`, \
              `(r ⊙ᴿ m) • x = r • (m ⊙ x)`; the laws of figures 4 and 5",
        cost: SAME_COST,
        reverse: LINEAR,
        covers: "the whole language; its forms show first-order programs",
        limits: "none for running; the forms that are shown have no sums, functions as values, rules of the \
                 program's own or derivatives inside",
        teaches: "one linear map applied from either side",
        example: "show examples/papers/notes.pull f2 --stage reverse",
    },
    how: How::Runtime(linear_maps::engine),
    stages: linear_maps::STAGES,
};

const CATEGORIES: EngineInfo = EngineInfo {
    name: "categories",
    summary: "compiles to a categorical language and splits every arrow into two halves",
    page: Page {
        file: "categories.md",
        paper: "*Working notes on Automatic differentiation* (Ellis, Peyton Jones, Fitzgibbon) [4, §6, \
                figures 9 to 11]",
        ty: "`revf$f : S -> (T, X)` and `revr$f : (X, T') -> S'`; `fwd$f : (S, S') -> (T, T')`",
        law: "`e ◇ C⟦e⟧` means `e`; `revr$f` of what `revf$f` saved is the transposed derivative",
        cost: SAME_COST,
        reverse: LINEAR,
        covers: "the whole language, moderate code",
        limits: transforming!("programs of more than 100000 arrows; rules that need each other"),
        teaches: "what must be saved for the way back",
        example: "show examples/papers/notes.pull f2 --stage cl",
    },
    how: transform(categories::vjp, categories::jvp),
    stages: categories::STAGES,
};

const IR: EngineInfo = EngineInfo {
    name: "ir",
    summary: "compiles to first-order array code, and differentiates that in three passes",
    page: Page {
        file: "ir.md",
        paper: "*You Only Linearize Once* (Radul, Paszke, Frostig, Johnson, Maclaurin) [5], with the \
                environments of *The Differentiable Curry* [3, §5] and the split of the *Working notes* [4, §6]",
        ty: "`jvp : (S, T S) -> (T, T T)`; unzip: `S -> (T, X)` and `(X, T S) -> T T`; transpose: \
             `(X, T T) -> T S`",
        law: "the code means what the program means; `⟨u, L v⟩ = ⟨Lᵀ u, v⟩`, statement by statement",
        cost: SAME_COST,
        reverse: LINEAR,
        covers: "the whole language",
        limits: "derivatives nested to a depth that only the run knows, by a recursion, a loop or data",
        teaches: "how a compiler differentiates",
        example: "show examples/papers/notes.pull f2 --stage transpose",
    },
    how: How::Compiled(Back::Evaluator),
    stages: compiled::STAGES,
};

const NATIVE: EngineInfo = EngineInfo {
    name: "native",
    summary: "compiles as `ir` does, and then by way of C to native code",
    page: Page {
        file: "native.md",
        paper: "those of `ir`; its own page names the techniques that it takes from the literature",
        ty: "that of `ir`",
        law: "the C code gives what the evaluator of the array code gives, errors included; functions of the C \
              library may differ in the last places",
        cost: "that of `ir`, at the speed of C; the C compiler takes a part of a second",
        reverse: LINEAR,
        covers: "the whole language",
        limits: "what `ir` refuses; arrays of more than 16 dimensions; without a C compiler `ir` runs instead",
        teaches: "what the derivatives of a compiler cost",
        example: "grad examples/papers/notes.pull f2 2.0 --engine native",
    },
    how: How::Compiled(Back::Native),
    stages: compiled::NATIVE_STAGES,
};

/// `delta` with fused functions: a call leaves one binding for each Real of its result (§8.7).
static FUSED_DELTA: EngineInfo = EngineInfo {
    name: "delta --fuse",
    how: transform(delta::fused_vjp, delta::fused_jvp),
    stages: delta::FUSED_STAGES,
    ..DELTA
};

/// `curry-env` with environments whose type is erased. The tagged engine is its checked run.
static ERASED_CURRY: EngineInfo = EngineInfo {
    name: "curry-env --erase",
    how: transform(curry::vjp_erased, curry::jvp_erased),
    stages: curry::STAGES_ERASED,
    ..CURRY_ENV
};

/// The variant of an engine, if it has this one.
pub fn variant(engine: &EngineInfo, variant: Variant) -> Option<&'static EngineInfo> {
    let (of, info) = match variant {
        Variant::Fused => (DELTA.name, &FUSED_DELTA),
        Variant::Erased => (CURRY_ENV.name, &ERASED_CURRY),
    };
    (engine.name == of).then_some(info)
}

/// Every engine, `delta` fused too: what must agree. Engines that need a C compiler have tests of their own, and so have
/// erased environments.
pub fn modes() -> impl Iterator<Item = &'static EngineInfo> {
    let engines = ENGINES.iter().filter(|engine| !engine.needs_compiler());
    engines.flat_map(|engine| std::iter::once(engine).chain(variant(engine, Variant::Fused)))
}

/// The engine of this name.
pub fn engine_named(name: &str) -> Option<&'static EngineInfo> {
    REGISTRY.named(name)
}
