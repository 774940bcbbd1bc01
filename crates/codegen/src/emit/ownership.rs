//! Reference counting with precise last uses (Perceus, Reinking et al. 2021): who gives a count back, what a statement
//! takes over, and who may borrow.
//!
//! ```text
//! IR  y.2 = f(x.1), the last use of x.1       C   R1 v2 = f0(c, v1);
//! IR  y.2 = f(x.1), x.1 is used again         C   pb_inc(v1.b);  R1 v2 = f0(c, v1);
//! IR  the branch that does not use x.1        C   pb_dec_plain(c, v1.b);
//! ```
//!
//! Input: an operand, and the variables that die in the statement ([`Dead`]). Output: the operand's C, after a line
//! that adds a count if one is needed; and lines for what dies and is not taken over.
//!
//! Law: each owner gives its one count back or hands it on, exactly once on each way through a block. A variable
//! borrows only from an owner that outlives the block it is bound in.

use pullback_base::{Id, bug};
use pullback_ir::{Atom, Elem, Type, VarId};
use rustc_hash::FxHashSet;

use super::body::{Body, Own};

/// The variables that nothing needs after a statement, and which of them it has taken over.
pub(super) struct Dead<'d> {
    pub dying: &'d [VarId],
    moved: FxHashSet<VarId>,
}

impl<'d> Dead<'d> {
    pub fn new(dying: &'d [VarId]) -> Self {
        Self { dying, moved: FxHashSet::default() }
    }
    /// Whether the statement may take this variable's count over.
    pub fn can_move(&self, var: VarId) -> bool {
        self.dying.contains(&var) && !self.moved.contains(&var)
    }
    pub fn mark(&mut self, var: VarId) {
        self.moved.insert(var);
    }
}

impl Body<'_, '_> {
    /// Whether a variable owns a count, borrows, or has none.
    pub fn own(&self, var: VarId) -> Own {
        self.owns.get(&var).copied().unwrap_or(Own::Plain)
    }

    /// Notes that a variable has a count, if it is counted.
    pub fn bind_owned(&mut self, var: VarId) {
        let own = if self.emit.is_counted(self.ty(var)) { Own::Owned } else { Own::Plain };
        self.owns.insert(var, own);
    }

    /// The owner of which a variable bound in this block may borrow a part of another one.
    pub fn lender(&self, of: Atom) -> Option<VarId> {
        let var = of.var()?;
        match self.own(var) {
            Own::Borrowed(root) => Some(root),
            Own::Owned if !self.mortal.contains(&var) => Some(var),
            Own::Owned | Own::Plain => None,
        }
    }

    /// The value of an atom, with a count for whoever keeps it. `later` are atoms that the statement still needs.
    pub fn take(&mut self, atom: Atom, later: &[Atom], dead: &mut Dead<'_>) -> String {
        let text = self.atom(atom);
        if let Some(var) = atom.var()
            && self.own(var) != Own::Plain
        {
            let is_last =
                self.own(var) == Own::Owned && dead.can_move(var) && !later.contains(&atom);
            if is_last {
                dead.mark(var);
            } else {
                self.retain(&text, self.ty(var));
            }
        }
        text
    }

    /// As [`Body::take`] for several, in order.
    pub fn take_all(&mut self, atoms: &[Atom], dead: &mut Dead<'_>) -> Vec<String> {
        (0..atoms.len()).map(|at| self.take(atoms[at], &atoms[at + 1..], dead)).collect()
    }

    /// Adds a count.
    pub fn retain(&mut self, text: &str, ty: Type) {
        if !self.emit.is_counted(ty) {
            return;
        }
        if ty.is_array() {
            self.line(format_args!("pb_inc({text}.b);"));
        } else if let Elem::Data(_) | Elem::Str = ty.elem {
            self.line(format_args!("pb_inc_data({text});"));
        } else {
            bug("codegen", "a counted value");
        }
    }

    /// Gives a count back.
    pub fn release(&mut self, text: &str, ty: Type) {
        if !self.emit.is_counted(ty) {
            return;
        }
        if ty.is_array() {
            // Elements that are boxes have counts of their own.
            let give = match ty.elem {
                Elem::Data(_) | Elem::Str => "pb_dec",
                _ if self.is_once() => "pb_dec_plain_once",
                Elem::Real | Elem::Int | Elem::Bool | Elem::Unit => "pb_dec_plain",
            };
            self.line(format_args!("{give}(c, {text}.b);"));
        } else {
            self.line(format_args!("pb_dec_data(c, {text});"));
        }
    }

    /// Gives back the count of a variable that dies.
    pub fn drop_var(&mut self, var: VarId) {
        if self.own(var) == Own::Owned {
            self.release(&format!("v{}", var.index()), self.ty(var));
        }
    }

    /// Gives back what died in a statement and was not taken over.
    pub fn bury(&mut self, dead: &Dead<'_>) {
        for var in dead.dying {
            if !dead.moved.contains(var) {
                self.drop_var(*var);
            }
        }
    }
}
