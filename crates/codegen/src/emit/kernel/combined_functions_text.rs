//! The text of combined functions: what [`super::combined_functions`] finds and describes, with the example and the law.

use pullback_base::bug;
use pullback_ir::{Atom, VarId};

use super::text::Text;
use super::vectorise::Kind;

impl Text<'_, '_> {
    /// The value of a function that goes together with another one; their call is written where the first of them is.
    pub fn combined(&mut self, args: &[Atom], var: VarId) -> Option<String> {
        let pair = *self.combined.pairs.get(&var)?;
        let differ = |var: &VarId| self.kind(Atom::Var(*var)) == Kind::Varying;
        if self.is_strict || !pair.results.iter().all(differ) {
            return None;
        }
        let &[arg] = args else { bug("codegen", "a function of one argument") };
        let of = |var: VarId| format!("{}_of", self.name(var));
        let (value, [one, other]) = (of(var), pair.results.map(of));
        if !self.combined.there.contains(&value) {
            let (function, arg) = (pair.function, self.vector(arg));
            self.line(format_args!("pb_v {one}, {other}; {function}({arg}, &{one}, &{other});"));
            self.combined.there.extend([one, other]);
        }
        Some(value)
    }

    /// Writes what has braces of its own: values that are made in it are not there afterwards.
    pub fn within(&mut self, write: impl FnOnce(&mut Self)) {
        let there = self.combined.there.clone();
        write(self);
        self.combined.there = there;
    }
}
