//! Functions with derivatives of their own: who calls such a function is differentiated by its rule.

use super::code::{Code, cat, tuple};
use super::emitter::Emitter;
use super::rules::Rules;
use crate::tree::{Callee, Function};
use crate::ty::Type;

impl Emitter<'_> {
    /// A function of one argument that has the values of the function named, and the derivatives of its rules.
    pub fn ruled(&mut self, plain: &str, function: &Function, rules: Rules) -> Code {
        let count = function.params.len();
        let names: Vec<Code> = (0..count).map(|_| Code::atom(self.names.fresh("s"))).collect();
        let ty = self.ty(&function.argument);
        let pattern = cat![Atom; "(", tuple(&names), format!(" : {ty})")];
        let value = names.iter().fold(Code::atom(plain), |code, name| cat![App; code, " ", name]);
        let itself = cat![Atom; "(\\", &pattern, " -> ", &value, ")"];
        let at = tuple(&names);
        let (of, gives) = (&function.argument, &function.result);
        if let (None, Some(forward), Some(reverse)) =
            (rules.rev, rules.forward_pass, rules.reverse_pass)
        {
            let saved = self.at_point(&Callee::Function(forward), &at);
            let (y, kept) = (self.fresh_word("y"), self.fresh_word("kept"));
            let bar = self.fresh_word("bar");
            let seed = self.seen(gives, &y, &bar);
            let pulled = self.at_point(&Callee::Function(reverse), &tuple(&[seed, kept.clone()]));
            let pulled = self.unseen(of, &at, pulled);
            return cat![
                App;
                "custom_vjp ", itself, " (\\", pattern, " -> let (", &y, ", ", kept, ") = ", saved,
                " in (", &y, ", \\", bar, " -> ", pulled, "))"
            ];
        }
        if let Some(reverse) = rules.rev {
            let bar = self.fresh_word("bar");
            let seed = self.seen(gives, &value, &bar);
            let pulled = self.at_point(&Callee::Function(reverse), &tuple(&[at.clone(), seed]));
            let pulled = self.unseen(of, &at, pulled);
            return cat![
                App;
                "custom_vjp ", itself, " (\\", pattern, " -> (", value, ", \\", bar, " -> ", pulled, "))"
            ];
        }
        let Some(forward) = rules.fwd else { return itself };
        let dot = self.fresh_word("dot");
        let along = self.seen(of, &at, &dot);
        let pushed = self.at_point(&Callee::Function(forward), &tuple(&[at, along]));
        let pushed = self.unseen(gives, &value, pushed);
        cat![
            App;
            "custom_jvp ", itself, " (\\", pattern, " ", dot, " -> (", value, ", ", pushed, "))"
        ]
    }
    fn fresh_word(&mut self, stem: &str) -> Code {
        Code::atom(self.names.fresh(stem))
    }
    /// A tangent of Pullback as Knossos has it.
    fn seen(&mut self, ty: &Type, at: &Code, tangent: &Code) -> Code {
        if !ty.has_boxed_discrete() {
            return tangent.clone();
        }
        let point = self.fresh_word("p");
        let stripped = self.stripped(ty, point.clone());
        cat![Atom; "(jvp (\\", point, " -> ", stripped, ") ", at.arg(), " ", tangent.arg(), ").1"]
    }
    /// A tangent of Knossos as Pullback has it.
    fn unseen(&mut self, ty: &Type, at: &Code, tangent: Code) -> Code {
        if !ty.has_boxed_discrete() {
            return tangent;
        }
        let point = self.fresh_word("r");
        let merged = self.merged(ty, at.clone(), point.clone());
        let start = self.stripped(ty, at.clone());
        cat![Atom; "(jvp (\\", point, " -> ", merged, ") ", start.arg(), " ", tangent.arg(), ").1"]
    }
}
