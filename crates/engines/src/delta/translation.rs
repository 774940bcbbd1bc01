//! The state of a translation of the definitions of a program.

use std::collections::{BTreeMap, BTreeSet};

use pullback_base::{Diagnostic, Span};
use pullback_lambda::{DataId, DefId, Program, Type, VarId};
use pullback_reduce::outside_fragment;
use rustc_hash::FxHashMap;

use super::applied::applied;
use super::block::Val;
use super::library::Library;
use super::op::Made;
use super::version::Version;

/// A definition that was made, or why it cannot be.
pub(super) type Transformed = Result<DefId, Box<Diagnostic>>;

/// What was made, or why it cannot be.
pub(super) type Outcome<T> = Result<T, Box<Diagnostic>>;

/// How many nodes the translated definitions of one program may have.
pub(super) const MAX_SIZE: usize = 1_000_000;

/// A translation of the definitions of a program.
pub(super) struct Translation<'p> {
    pub program: &'p mut Program,
    pub version: Version,
    pub library: Library,
    /// Whether functions are fused where that helps.
    pub fuse: bool,
    /// Whether Real literals are bound to names, as in figure 12.
    pub bind_constants: bool,
    /// Whether operands run from right to left, as in figure 12.
    pub right_to_left: bool,
    /// The function that is differentiated: where faults of what is made around it are told.
    pub place: Span,
    /// The functions that the wrapper runs.
    pub roots: BTreeSet<DefId>,
    /// Translated sums.
    pub datas: BTreeMap<DataId, DataId>,
    /// What variables became.
    pub vars: BTreeMap<VarId, Val>,
    /// Variables that are functions of all parameters and the state at once, with their arity.
    pub known: BTreeMap<VarId, usize>,
    /// Translated definitions.
    pub defs: BTreeMap<DefId, DefId>,
    /// Those without a body yet.
    pub todo: Vec<DefId>,
    /// The nodes made.
    pub size: usize,
    pub polys: Made,
    pub sequences: FxHashMap<(Type, Type), DefId>,
}

impl<'p> Translation<'p> {
    pub fn new(program: &'p mut Program, version: Version) -> Self {
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
    pub fn fuse_around(&mut self, def: DefId, fuse: bool) {
        self.fuse = fuse;
        self.roots.insert(def);
        self.roots.extend(applied(self.program, def).map(|(inner, _)| inner));
    }

    pub fn too_large(&self, span: Span) -> Box<Diagnostic> {
        let what = format!("a program whose translation has more than {MAX_SIZE} nodes");
        outside_fragment(self.version.name(), &what, span)
    }
}
