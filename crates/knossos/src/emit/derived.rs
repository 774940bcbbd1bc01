//! Calls of derivatives that Pullback makes.
//!
//! Tangents of Knossos are those of Pullback, unless something discrete stands in a tensor that is an element of another
//! one. Then the function is differentiated between the tangents that Knossos has: what is discrete is put back before
//! the function, and taken off behind it.

use super::code::{Code, cat, tuple};
use super::emitter::Emitter;
use super::expr::before_call;
use crate::ast::Derivation;
use crate::tree::{Callee, Expr};
use crate::ty::Type;

impl Emitter<'_> {
    /// What a function takes and gives.
    pub fn signature(&self, callee: &Callee) -> (Type, Type) {
        match callee {
            Callee::Function(id) => {
                let function = &self.program.functions[*id];
                (function.argument.clone(), function.result.clone())
            }
            Callee::BuiltIn(known) => {
                let argument = crate::check::takes(known);
                let known = crate::check::known(known.name, &argument);
                let result = known.map_or_else(Type::unit, |(_, result)| result);
                (argument, result)
            }
        }
    }
    /// A call of a derivative.
    pub fn derived(&mut self, derivation: Derivation, callee: &Callee, args: &[Expr]) -> Code {
        let (of, gives) = self.signature(callee);
        let is_plain = !of.has_boxed_discrete() && !gives.has_boxed_discrete();
        if derivation == Derivation::ForwardPass {
            let (_, args) = self.split(args, 1);
            return match (is_plain, &args[0]) {
                (true, at) => {
                    let function = self.of_one(callee);
                    cat![App; "vjp ", function.arg(), " ", at.arg()]
                }
                (false, at) => {
                    let (bind, at) = self.named("s", at.clone());
                    let (function, start) = self.between_tangents(callee, &at);
                    let value = self.at_point(callee, &at);
                    let pass = cat![Open; "(vjp ", function.arg(), " ", start.arg(), ").1"];
                    before_call(bind, tuple(&[value, pass]))
                }
            };
        }
        let (before, args) = self.split(args, 2);
        let [first, second] = &args[..] else { return before };
        let call = match derivation {
            Derivation::ReversePass => cat![App; second.arg(), " ", first.arg()],
            Derivation::Fwd | Derivation::Rev | Derivation::BothPasses => {
                let (bind, at) = if is_plain {
                    (Code::atom(""), first.clone())
                } else {
                    self.named("s", first.clone())
                };
                let (function, start) = if is_plain {
                    (self.of_one(callee), at)
                } else {
                    self.between_tangents(callee, &at)
                };
                let call = cat![App; function.arg(), " ", start.arg(), " ", second.arg()];
                let call = if derivation == Derivation::Fwd {
                    cat![Atom; "(jvp ", call, ").1"]
                } else {
                    cat![App; "rd ", call]
                };
                before_call(bind, call)
            }
            // The checker has resolved these.
            Derivation::ForwardPass | Derivation::D | Derivation::Shape | Derivation::Category => {
                Code::atom("()")
            }
        };
        before_call(before, call)
    }
    /// A function between the tangents of Knossos around a point, and that point.
    fn between_tangents(&mut self, callee: &Callee, at: &Code) -> (Code, Code) {
        let (of, gives) = self.signature(callee);
        let moved = Code::atom(self.names.fresh("r"));
        let whole = self.merged(&of, at.clone(), moved.clone());
        let value = self.at_point(callee, &whole);
        let value = self.stripped(&gives, value);
        (cat![Open; "\\", moved, " -> ", value], self.stripped(&of, at.clone()))
    }
    /// A function at one argument.
    pub fn at_point(&mut self, callee: &Callee, at: &Code) -> Code {
        let count = self.parameters(callee);
        match count {
            1 => self.applied(callee, std::slice::from_ref(at)),
            0 => self.applied(callee, &[]),
            _ => {
                let names: Vec<Code> =
                    (0..count).map(|_| Code::atom(self.names.fresh("c"))).collect();
                let call = self.applied(callee, &names);
                cat![Open; "let ", tuple(&names), " = ", at, " in ", call]
            }
        }
    }
}
