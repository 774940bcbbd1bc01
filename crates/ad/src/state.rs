//! The state of differentiation: the program, and the tables that the passes share.
//!
//! What has been derived is looked up by function, parameters that move, and use (`Key`). Linear parts are looked up
//! by the function that stands for them.
//! Invariants: between two orders all tables are made anew (`after`), since the optimiser may have changed any
//! function; only what was counted stays.

use pullback_base::Diagnostic;
use pullback_ir::{Atom, Boxes, DataId, FuncId, Program, RequestId, Type, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::activity::Summaries;
use crate::tally::Tally;

/// What runs between the orders of derivatives: it may change all but what the program computes. The roots may have
/// other numbers afterwards.
pub type Between<'b> = dyn FnMut(Program, &mut [FuncId]) -> Program + 'b;

/// What a derivation is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    /// Value and tangent at once.
    Jvp,
    /// A value, then its linear map.
    Push,
    /// A value, then the transpose of that.
    Pull,
}

/// What a derivation gives.
#[derive(Clone, Debug)]
pub(crate) struct Derived {
    /// From arguments (and tangents, for [`Kind::Jvp`]) to values (and tangents, or residuals).
    pub(crate) forward: FuncId,
    /// From residuals and tangents to tangents. For [`Kind::Pull`] it is only a name, by which linear parts call the
    /// derivation.
    pub(crate) push: FuncId,
    /// From residuals, cotangents of results and accumulators to the other cotangents.
    pub(crate) pull: FuncId,
    /// The types of the residuals.
    pub(crate) residuals: Vec<Type>,
    /// For each parameter that moves, whether its cotangent is accumulated.
    pub(crate) accs: Vec<bool>,
}

/// What is derived, or why it cannot be.
pub(crate) type Result<T, E = Box<Diagnostic>> = std::result::Result<T, E>;
pub(crate) type Key = (FuncId, Vec<bool>, Kind, bool);

/// The state of differentiation.
pub(crate) struct Ad {
    pub(crate) program: Program,
    pub(crate) summaries: Summaries,
    pub(crate) derived: FxHashMap<Key, Derived>,
    /// Derivations by the name of their linear part.
    pub(crate) linear: FxHashMap<FuncId, Derived>,
    /// Derivations of checkpoints, which save nothing but arguments.
    pub(crate) again: FxHashMap<(FuncId, Vec<bool>), Derived>,
    /// Transposes of checkpoints whose `debug` is not muted yet.
    pub(crate) ran_again: Vec<FuncId>,
    pub(crate) boxes: Boxes,
    /// Which parameters are arrays that are only read.
    pub(crate) reads: FxHashMap<FuncId, Vec<bool>>,
    /// The contents of residuals that one function makes and only applies: they get no boxes.
    pub(crate) held: FxHashMap<VarId, Vec<Atom>>,
    /// The requests that are made now.
    pub(crate) requests: FxHashSet<RequestId>,
    /// The data types of residuals whose fields are known.
    pub(crate) filled: FxHashSet<DataId>,
    /// Whether tangents keep their marks of linearity, for people to see.
    pub(crate) keeps_marks: bool,
    /// What the passes did.
    pub(crate) tally: Tally,
    /// How many statements they make at most.
    pub(crate) most: usize,
    /// The order of the derivatives that are made now.
    pub(crate) order: usize,
}

impl Ad {
    pub(crate) fn new(program: Program) -> Self {
        Self {
            program,
            summaries: Summaries::default(),
            derived: FxHashMap::default(),
            linear: FxHashMap::default(),
            again: FxHashMap::default(),
            ran_again: vec![],
            boxes: Boxes::default(),
            reads: FxHashMap::default(),
            held: FxHashMap::default(),
            requests: FxHashSet::default(),
            filled: FxHashSet::default(),
            keeps_marks: false,
            tally: Tally::default(),
            most: usize::MAX,
            order: 0,
        }
    }
    /// The state for the next order: what is known of functions need not be true of those that the optimiser leaves.
    pub(crate) fn after(self, roots: &mut [FuncId], between: &mut Between<'_>) -> Self {
        let Self { tally, most, order, .. } = self;
        Self { tally, most, order, ..Self::new(between(self.program, roots)) }
    }
}
