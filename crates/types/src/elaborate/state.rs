//! The state of elaboration, which every part of it works on.

use indexmap::IndexMap;
use pullback_base::{Diagnostic, Span};
use pullback_lambda::{DataId, DefId, Program, Type, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::tir::{GlobalId, LocalId, ParamId, TExpr, Typed};
use crate::ty::TypeDeclId;

/// Type variables and what they stand for in the instance at work.
pub(super) type Subst = FxHashMap<ParamId, Type>;

/// The state of elaboration.
pub(super) struct Elab<'t> {
    pub typed: &'t Typed,
    pub program: Program,
    pub diagnostics: Vec<Diagnostic>,
    /// Instances of definitions, in the order they were asked for; those from `done` on have no body.
    pub instances: IndexMap<(GlobalId, Vec<Type>), DefId>,
    pub done: usize,
    /// Definitions that have an instance.
    pub reached: FxHashSet<GlobalId>,
    /// How many instances there are beyond the first of each definition and local function.
    pub copies: usize,
    /// Whether there are too many, or one is at a huge type: the program stays incomplete.
    pub overflowed: bool,
    pub subst: Subst,
    /// The expression at work, for what is a bug.
    pub place: Span,
    /// Monomorphic locals in scope (those out of scope stay, unused).
    pub env: FxHashMap<LocalId, VarId>,
    /// The group of each function of `let` in scope.
    pub group_of: FxHashMap<LocalId, usize>,
    pub groups: Vec<Group<'t>>,
    /// Variables that some term mentions.
    pub used: FxHashSet<VarId>,
    pub tables: Tables,
    /// Structural equality of arrays and sums, by type.
    pub equalities: FxHashMap<Type, DefId>,
    /// The texts of arrays and sums, by type.
    pub texts: FxHashMap<Type, DefId>,
}

/// Functions bound together by one `let` or `let rec`, possibly generalised.
pub(super) struct Group<'t> {
    pub members: Vec<(LocalId, &'t TExpr)>,
    pub params: Vec<ParamId>,
    /// The instances asked for, with the variables of the members.
    pub instances: IndexMap<Vec<Type>, Vec<VarId>>,
    /// The instance whose bodies are at work.
    pub current: Option<Vec<Type>>,
}

/// Types met so far.
#[derive(Default)]
pub(super) struct Tables {
    pub sums: FxHashMap<(TypeDeclId, Vec<Type>), DataId>,
    /// The sums whose declarations name their tangent types.
    pub charts: FxHashMap<DataId, TypeDeclId>,
    /// Tangent types of sums, as programs see them.
    pub tangents: FxHashMap<DataId, Type>,
}

impl<'t> Elab<'t> {
    pub fn new(typed: &'t Typed) -> Self {
        Self {
            typed,
            program: Program::default(),
            diagnostics: vec![],
            instances: IndexMap::new(),
            done: 0,
            reached: FxHashSet::default(),
            copies: 0,
            overflowed: false,
            subst: Subst::default(),
            place: Span::NONE,
            env: FxHashMap::default(),
            group_of: FxHashMap::default(),
            groups: vec![],
            used: FxHashSet::default(),
            tables: Tables::default(),
            equalities: FxHashMap::default(),
            texts: FxHashMap::default(),
        }
    }
}
