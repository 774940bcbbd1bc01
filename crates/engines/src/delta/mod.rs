//! Reverse mode from dual numbers, in three steps: `delta1`, `delta2`, `delta`. And the translation that they
//! begin with, to dual numbers themselves, which `dual` shows.
//!
//! Type:  `vjp : (S -> T) -> S -> (T, T' -> S')` and `jvp : (S -> T) -> (S, S') -> (T, T')`, as programs:
//!        every definition is translated to an ordinary definition of the calculus, once.
//! Law:   every Real carries a delta, which stands for its derivative with respect to all inputs.
//!        `delta1`: the vector of derivatives itself (figure 5). `delta2`: a tree that describes it
//!        (figure 7). `delta`: a tree over names, in a monad that binds every new one (figure 9); the
//!        bindings are evaluated newest first into an array (figures 10, 11, 16).
//! Cost:  `delta1`: the program's operations times the number of inputs. `delta2`: exponential in the depth
//!        of sharing. `delta`: a constant times the program in time, memory linear in the operations
//!        executed (Theorem 5); fused, linear in those outside fused functions (figure 15). Nested
//!        derivatives: a power of their number.
//! Limits: the whole language. `delta1` refuses more than 512 inputs and `delta2` trees of more than
//!        200000 nodes when they are evaluated; a translation may not grow beyond a million nodes.
//! Needs: the primitive table (figure 14 from the partial derivatives of each row); elimination of
//!        derivatives inside programs, innermost first.
//!
//! *Provably Correct, Asymptotically Efficient, Higher-Order Reverse-Mode AD*, §5, §8, §9.2.

mod block;
mod custom;
mod forward;
mod fuse;
mod leaf;
mod library;
mod notation;
mod poly;
mod prim;
mod repeat;
mod show;
mod translate;
mod types;
mod wrap;

use std::collections::{BTreeMap, BTreeSet};

use pullback_base::{Diagnostic, Span};
use pullback_lambda::{DataId, DefId, Program, Type, VarId};
use rustc_hash::FxHashMap;

use block::Val;
pub use forward::{forward_jvp, forward_translation, forward_vjp, show_forward};
use library::Library;

use crate::engine::{ShowFn, Stage};
use pullback_reduce::outside_fragment;
use pullback_reduce::{ForwardFn, TransformFn};

/// How many nodes the translated definitions of one program may have.
const MAX_SIZE: usize = 1_000_000;

/// Which of the translations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Version {
    /// Tangents: the dual numbers of §4.
    Forward,
    /// Vectors.
    One,
    /// Trees.
    Two,
    /// Trees over names.
    Final,
}

impl Version {
    /// The name of its engine.
    fn name(self) -> &'static str {
        match self {
            Version::Forward => "dual",
            Version::One => "delta1",
            Version::Two => "delta2",
            Version::Final => "delta",
        }
    }
    /// Its transformations.
    fn transforms(self) -> (TransformFn, ForwardFn) {
        match self {
            Version::Forward => (forward_vjp, forward_jvp),
            Version::One => (delta1_vjp, delta1_jvp),
            Version::Two => (delta2_vjp, delta2_jvp),
            Version::Final => (delta_vjp, delta_jvp),
        }
    }
    /// What the names of translated definitions begin with.
    fn letter(self) -> &'static str {
        match self {
            Version::Forward => "D→",
            Version::One => "D1",
            Version::Two => "D2",
            Version::Final => "D",
        }
    }
    /// Why its library stops a program.
    fn too_large(self) -> String {
        let what = match self {
            Version::One => "more than 512 inputs",
            Version::Two => "a tree of deltas with more than 200000 nodes",
            // They have no limit.
            Version::Forward | Version::Final => "",
        };
        let name = self.name();
        format!("the engine `{name}` does not cover {what}, but `delta` does")
    }
}

/// A translation of the definitions of a program.
struct Translation<'p> {
    program: &'p mut Program,
    version: Version,
    library: Library,
    /// Whether functions are fused where that helps.
    fuse: bool,
    /// Whether Real literals are bound to names, as in figure 12.
    bind_constants: bool,
    /// Whether operands run from right to left, as in figure 12.
    right_to_left: bool,
    /// The function that is differentiated: where faults of what is made around it are told.
    place: Span,
    /// The functions that the wrapper runs.
    roots: BTreeSet<DefId>,
    /// Translated sums.
    datas: BTreeMap<DataId, DataId>,
    /// What variables became.
    vars: BTreeMap<VarId, Val>,
    /// Variables that are functions of all parameters and the state at once, with their arity.
    known: BTreeMap<VarId, usize>,
    /// Translated definitions.
    defs: BTreeMap<DefId, DefId>,
    /// Those without a body yet.
    todo: Vec<DefId>,
    /// The nodes made.
    size: usize,
    polys: poly::Made,
    sequences: FxHashMap<(Type, Type), DefId>,
}

impl<'p> Translation<'p> {
    fn new(program: &'p mut Program, version: Version) -> Self {
        let library = Library::add(program, version);
        Self {
            program,
            version,
            library,
            fuse: false,
            bind_constants: false,
            right_to_left: false,
            place: Span::NONE,
            roots: BTreeSet::new(),
            datas: BTreeMap::new(),
            vars: BTreeMap::new(),
            known: BTreeMap::new(),
            defs: BTreeMap::new(),
            todo: vec![],
            size: 0,
            polys: FxHashMap::default(),
            sequences: FxHashMap::default(),
        }
    }

    /// Whether to fuse what a function calls. The function itself has nothing around it to gain from that.
    fn fuse_around(&mut self, def: DefId, fuse: bool) {
        self.fuse = fuse;
        self.roots.insert(def);
        self.roots.extend(wrap::applied(self.program, def).map(|(inner, _)| inner));
    }

    fn too_large(&self, span: Span) -> Box<Diagnostic> {
        let what = format!("a program whose translation has more than {MAX_SIZE} nodes");
        outside_fragment(self.version.name(), &what, span)
    }
}

type Transformed = Result<DefId, Box<Diagnostic>>;

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

/// What `delta1` shows.
pub const DELTA1_STAGES: &[Stage] = &[Stage {
    name: "delta1",
    about: "the translation to numbers with vectors of derivatives, and its wrapper",
    needs_argument: false,
    show: |program, def, _| show::translation(program, def, Version::One, false),
}];

/// What `delta2` shows.
pub const DELTA2_STAGES: &[Stage] = &[Stage {
    name: "delta2",
    about: "the translation to numbers with trees of deltas, and its wrapper",
    needs_argument: false,
    show: |program, def, _| show::translation(program, def, Version::Two, false),
}];

/// What `delta` shows.
pub const DELTA_STAGES: &[Stage] = &delta_stages(Forms {
    translation: |program, def, _| show::translation(program, def, Version::Final, false),
    library: |program, def, _| show::library(program, def, false),
    trace: |program, def, argument| show::chain(program, def, argument, true, false),
    lets: |program, def, argument| show::chain(program, def, argument, false, false),
});

/// What fused `delta` shows.
pub const FUSED_STAGES: &[Stage] = &delta_stages(Forms {
    translation: |program, def, _| show::translation(program, def, Version::Final, true),
    library: |program, def, _| show::library(program, def, true),
    trace: |program, def, argument| show::chain(program, def, argument, true, true),
    lets: |program, def, argument| show::chain(program, def, argument, false, true),
});

/// How the stages of `delta` are made.
struct Forms {
    translation: ShowFn,
    library: ShowFn,
    trace: ShowFn,
    lets: ShowFn,
}

const fn delta_stages(forms: Forms) -> [Stage; 5] {
    [
        Stage {
            name: "delta",
            about: "the monadic translation in do-notation, and its wrapper",
            needs_argument: false,
            show: forms.translation,
        },
        Stage {
            name: "delta-fused",
            about: "the monadic translation with fused functions",
            needs_argument: false,
            show: |program, def, _| show::translation(program, def, Version::Final, true),
        },
        Stage {
            name: "delta-library",
            about: "the types and functions that the monadic translation calls",
            needs_argument: false,
            show: forms.library,
        },
        Stage {
            name: "delta-trace",
            about: "the bindings of one run as nested Lets, in the order of figure 12",
            needs_argument: false,
            show: forms.trace,
        },
        Stage {
            name: "delta-lets",
            about: "the bindings of one run as nested Lets, as they run",
            needs_argument: false,
            show: forms.lets,
        },
    ]
}
