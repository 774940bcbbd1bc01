//! Where inference is in the program: the names in scope, and what surrounds the expression at work.

use std::rc::Rc;

use pullback_base::{Name, Span, bug};

use crate::resolve::names::Names;
use crate::tir::{LocalId, TExpr};
use crate::ty::Ty;

/// What a name in a local scope stands for.
#[derive(Clone, Debug)]
pub(super) enum Binding {
    /// A variable.
    Local(LocalId),
    /// The size argument of an abbreviation that is being expanded, and how many parts it has.
    SizeArg(Rc<TExpr>, usize),
    /// A size parameter of a sum type: not tracked.
    AnySize,
}

/// The place at work.
#[derive(Debug, Default)]
pub(super) struct Scope {
    /// Local names, innermost last.
    names: Names<Binding>,
    /// Type variables of annotations in scope.
    type_vars: Vec<(Name, Ty)>,
    /// Names bound by a `let` without `rec` around this point, in whose own value they are not in scope.
    not_recursive: Vec<(Name, Span)>,
    /// The module whose definitions are being inferred.
    module: usize,
    /// The size in a type that is being inferred.
    size: Option<SizeAtWork>,
}

/// A size in a type, while it is being inferred.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct SizeAtWork {
    /// Whether it mentions a size that cannot be measured.
    pub saw_phantom: bool,
}

/// How much is in scope: names and type variables.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark {
    names: usize,
    type_vars: usize,
}

/// Names and type variables that were in scope.
#[derive(Debug, Default)]
pub(super) struct Taken {
    names: Vec<(Name, Binding)>,
    type_vars: Vec<(Name, Ty)>,
}

impl Scope {
    /// The module whose definitions are being inferred.
    pub fn module(&self) -> usize {
        self.module
    }

    /// Looks names up in another module from now on; gives the one so far.
    pub fn enter_module(&mut self, module: usize) -> usize {
        std::mem::replace(&mut self.module, module)
    }

    /// What came into scope since the mark leaves it.
    pub fn leave(&mut self, outer: Mark) {
        self.names.truncate(outer.names);
    }

    /// Brings a name into scope.
    pub fn bind(&mut self, name: Name, binding: Binding) {
        self.names.push(name, binding);
    }

    /// What a local name stands for.
    pub fn binding(&self, name: &Name) -> Option<&Binding> {
        self.names.get(name)
    }

    /// The local names, outermost first.
    pub fn names(&self) -> impl DoubleEndedIterator<Item = &Name> {
        self.names.iter()
    }

    /// Begins the value of a `let` without `rec` for these names; gives how many there were around it.
    pub fn enter_not_recursive(&mut self, names: impl IntoIterator<Item = (Name, Span)>) -> usize {
        let around = self.not_recursive.len();
        self.not_recursive.extend(names);
        around
    }

    pub fn leave_not_recursive(&mut self, around: usize) {
        self.not_recursive.truncate(around);
    }

    /// Where the name is bound by a `let` without `rec` of whose value this is a part.
    pub fn not_recursive_at(&self, name: &Name) -> Option<Span> {
        self.not_recursive.iter().find(|(bound, _)| bound == name).map(|(_, span)| *span)
    }

    pub fn mark(&self) -> Mark {
        Mark { names: self.names.len(), type_vars: self.type_vars.len() }
    }

    /// Takes out of scope what came into it since the mark.
    pub fn take_since(&mut self, mark: Mark) -> Taken {
        Taken {
            names: self.names.split_off(mark.names),
            type_vars: self.type_vars.split_off(mark.type_vars),
        }
    }

    /// Brings back what was taken.
    pub fn bring_back(&mut self, taken: Taken) {
        self.names.extend(taken.names);
        self.type_vars.extend(taken.type_vars);
    }

    /// Nothing is in scope from now on.
    pub fn clear(&mut self) {
        self.names.clear();
        self.type_vars.clear();
    }

    /// Has only these names and type variables in scope; gives what was.
    pub fn replace(&mut self, names: Names<Binding>, type_vars: Vec<(Name, Ty)>) -> Outer {
        Outer {
            names: std::mem::replace(&mut self.names, names),
            type_vars: std::mem::replace(&mut self.type_vars, type_vars),
        }
    }

    /// Undoes [`Scope::replace`].
    pub fn restore(&mut self, outer: Outer) {
        self.names = outer.names;
        self.type_vars = outer.type_vars;
    }

    /// What a type variable stands for, if it is in scope.
    pub fn type_var(&self, name: &Name) -> Option<&Ty> {
        self.type_vars.iter().rev().find(|(known, _)| known == name).map(|(_, ty)| ty)
    }

    pub fn add_type_var(&mut self, name: Name, ty: Ty) {
        self.type_vars.push((name, ty));
    }

    /// The type variables in scope, outermost first.
    pub fn type_var_names(&self) -> impl Iterator<Item = &Name> {
        self.type_vars.iter().map(|(name, _)| name)
    }

    /// Begins a size in a type; gives the one around it.
    pub fn enter_size(&mut self) -> Option<SizeAtWork> {
        self.size.replace(SizeAtWork::default())
    }

    /// Ends a size; gives what was seen in it.
    pub fn leave_size(&mut self, outer: Option<SizeAtWork>) -> SizeAtWork {
        let size = std::mem::replace(&mut self.size, outer);
        size.unwrap_or_else(|| bug("infer", "the end of a size after its beginning"))
    }

    /// Whether a size in a type is being inferred.
    pub fn in_size(&self) -> bool {
        self.size.is_some()
    }

    /// Notes that a size which cannot be measured is mentioned; whether that is in a size.
    pub fn see_phantom(&mut self) -> bool {
        if let Some(size) = &mut self.size {
            size.saw_phantom = true;
        }
        self.size.is_some()
    }
}

/// What was in scope around a declaration.
#[derive(Debug)]
pub(super) struct Outer {
    names: Names<Binding>,
    type_vars: Vec<(Name, Ty)>,
}
