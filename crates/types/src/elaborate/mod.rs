//! Elaboration: from the typed tree to the monomorphic calculus.
//!
//! Input: a typed program without errors and the definitions wanted. Output: a [`Program`] with one
//! instance of each definition for each list of types it is used at, reached from the wanted ones.
//! Overloaded operators, patterns, sizes and the derived differentiation operators are gone. Every
//! binder is fresh, every term has the span that run-time errors should point to. What inference must
//! have excluded is a bug here and panics.

mod ad;
mod arith;
mod build;
mod builtin;
mod equality;
mod expr;
mod function;
mod jacobian;
mod matching;
mod matmul;
mod place;
mod regular;
mod tree;
mod types;

use std::collections::BTreeMap;

use indexmap::IndexMap;
use pullback_base::{Diagnostic, Name, Span};
use pullback_lambda::{Def, DefId, Program, Type, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::tir::{Constraint, GlobalId, LocalId, ParamId, TExpr, Typed};

/// How often definitions and local functions may become code beyond the first time for each. The first
/// time is the code that was written, of which there may be any amount.
const MAX_COPIES: usize = 20_000;

/// The most nodes the types of one instance may have together.
const MAX_TYPES: usize = 1_000;

/// What elaboration makes.
#[derive(Debug)]
pub struct Elaborated {
    /// The program: everything the wanted definitions need.
    pub program: Program,
    /// Where each wanted definition is in it.
    pub roots: BTreeMap<GlobalId, DefId>,
    /// An error if definitions are needed at too many types, or if a wanted one is for any record or
    /// tuple with some part; the program is incomplete then.
    pub diagnostics: Vec<Diagnostic>,
}

/// Elaborates the definitions `roots` and all they need. A root that is polymorphic is taken at Real
/// in place of each type variable.
pub fn elaborate(typed: &Typed, roots: &[GlobalId]) -> Elaborated {
    let mut elab = Elab::new(typed);
    let mut found = BTreeMap::new();
    for &root in roots {
        if let Some(diagnostic) = open_record(typed, root) {
            elab.diagnostics.push(diagnostic);
            continue;
        }
        let types = vec![Type::real(); typed.globals[root].params.len()];
        let def = elab.instance(root, types);
        found.insert(root, def);
    }
    elab.run();
    Elaborated { program: elab.program, roots: found, diagnostics: elab.diagnostics }
}

/// The message for a definition that works on any record or tuple with some part: it has no code of
/// its own before a use says on which.
pub fn open_record(typed: &Typed, global: GlobalId) -> Option<Diagnostic> {
    let source = &typed.globals[global];
    let (what, part) = source.constraints.iter().find_map(|constraint| {
        if let Constraint::Field(_, name, _) = constraint {
            Some(("record", name.to_string()))
        } else if let Constraint::Component(_, index, _) = constraint {
            Some(("tuple", index.to_string()))
        } else {
            None
        }
    })?;
    let title = format!("it is not known which {what} `.{part}` belongs to");
    let label = format!("`{}` takes any {what} with such a part", source.name);
    let diagnostic = Diagnostic::error("E0318", source.span, title, label)
        .note("a definition becomes code when the types of its parameters are known")
        .hint("give the parameter's type, as in `(r: Model)`");
    Some(diagnostic)
}

/// Type variables and what they stand for in the instance at work.
type Subst = FxHashMap<ParamId, Type>;

/// The state of elaboration.
struct Elab<'t> {
    typed: &'t Typed,
    program: Program,
    diagnostics: Vec<Diagnostic>,
    /// Instances of definitions, in the order they were asked for; those from `done` on have no body.
    instances: IndexMap<(GlobalId, Vec<Type>), DefId>,
    done: usize,
    /// Definitions that have an instance.
    reached: FxHashSet<GlobalId>,
    /// How many instances there are beyond the first of each definition and local function.
    copies: usize,
    /// Whether there are too many, or one is at a huge type: the program stays incomplete.
    overflowed: bool,
    subst: Subst,
    /// The expression at work, for what is a bug.
    place: Span,
    /// Monomorphic locals in scope (those out of scope stay, unused).
    env: FxHashMap<LocalId, VarId>,
    /// The group of each function of `let` in scope.
    group_of: FxHashMap<LocalId, usize>,
    groups: Vec<Group<'t>>,
    /// Variables that some term mentions.
    used: FxHashSet<VarId>,
    tables: types::Tables,
    /// Structural equality of arrays and sums, by type.
    equalities: FxHashMap<Type, DefId>,
}

/// Functions bound together by one `let` or `let rec`, possibly generalised.
struct Group<'t> {
    members: Vec<(LocalId, &'t TExpr)>,
    params: Vec<ParamId>,
    /// The instances asked for, with the variables of the members.
    instances: IndexMap<Vec<Type>, Vec<VarId>>,
    /// The instance whose bodies are at work.
    current: Option<Vec<Type>>,
}

impl<'t> Elab<'t> {
    fn new(typed: &'t Typed) -> Self {
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
            tables: types::Tables::default(),
            equalities: FxHashMap::default(),
        }
    }

    /// The instance of `global` at `types`; its body is made later by [`Elab::run`].
    fn instance(&mut self, global: GlobalId, types: Vec<Type>) -> DefId {
        if let Some(&def) = self.instances.get(&(global, types.clone())) {
            return def;
        }
        let source = &self.typed.globals[global];
        let is_first = self.reached.insert(global);
        self.count_instance(is_first, &types, &source.name, source.span);
        let subst: Subst = source.params.iter().copied().zip(types.iter().cloned()).collect();
        let ty = self.lower_with(&source.ty, &subst);
        let def = self.stub(source.name.clone(), ty, source.span);
        self.instances.insert((global, types), def);
        def
    }

    /// Counts an instance that is about to be made at these types, and says so once if that is too much.
    fn count_instance(&mut self, is_first: bool, types: &[Type], name: &Name, span: Span) {
        self.copies += usize::from(!is_first);
        let mut budget = MAX_TYPES;
        let small = types.iter().all(|ty| types::fits(ty, &mut budget));
        if (!small || self.copies > MAX_COPIES) && !self.overflowed {
            self.overflowed = true;
            self.diagnostics.push(too_many_types(name, span));
        }
    }

    /// A definition whose body is still to come.
    fn stub(&mut self, name: Name, ty: Type, span: Span) -> DefId {
        let body = build::fail("a definition without a body", ty.clone(), span);
        self.program.defs.push(Def { name, ty, body, span })
    }

    /// Makes the bodies of all instances asked for, and of those they ask for.
    fn run(&mut self) {
        while let Some(((global, types), &def)) = self.instances.get_index(self.done) {
            if self.overflowed {
                return;
            }
            let source = &self.typed.globals[*global];
            self.subst = source.params.iter().copied().zip(types.iter().cloned()).collect();
            self.done += 1;
            self.env.clear();
            self.group_of.clear();
            self.groups.clear();
            self.program.defs[def].body = self.expr(&source.body);
        }
    }
}

/// The message for a definition that is needed at too many or too large types.
fn too_many_types(name: &Name, span: Span) -> Diagnostic {
    Diagnostic::error(
        "E0503",
        span,
        format!("`{name}` is needed at too many different types"),
        "the limit was reached here",
    )
    .note(format!(
        "a function becomes code of its own for every type it is used at; there may be {MAX_COPIES} such copies, and their types may not be huge"
    ))
    .hint("give the functions that call each other fixed types instead of type variables")
}
