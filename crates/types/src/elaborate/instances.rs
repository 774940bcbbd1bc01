//! Instances: one for each definition at each list of types it is used at, and how many there may be.

use pullback_base::{Diagnostic, Name, Span};
use pullback_lambda::{Def, DefId, Type};

use super::build;
use super::state::{Elab, Subst};
use super::types::fits;
use crate::tir::GlobalId;

/// How often definitions and local functions may become code beyond the first time for each. The first
/// time is the code that was written, of which there may be any amount.
const MAX_COPIES: usize = 20_000;

/// The most nodes the types of one instance may have together.
const MAX_TYPES: usize = 1_000;

impl Elab<'_> {
    /// The instance of `global` at `types`; its body is made later by [`Elab::run`].
    pub(super) fn instance(&mut self, global: GlobalId, types: Vec<Type>) -> DefId {
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
    pub(super) fn count_instance(
        &mut self,
        is_first: bool,
        types: &[Type],
        name: &Name,
        span: Span,
    ) {
        self.copies += usize::from(!is_first);
        let mut budget = MAX_TYPES;
        let small = types.iter().all(|ty| fits(ty, &mut budget));
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
    pub(super) fn run(&mut self) {
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
