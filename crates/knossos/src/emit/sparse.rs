//! Tensors that values at indices add up to.

use super::code::{Code, cat, tuple};
use super::emitter::Emitter;
use super::expr::before_call;
use crate::tree::Expr;
use crate::ty::Type;

impl Emitter<'_> {
    /// One tensor, or a tuple of them: zeros of their shapes, to which a loop adds.
    pub fn sparse(&mut self, args: &[Expr], ty: &Type, is_tupled: bool) -> Code {
        let [shapes, size, function] = args else { return Code::atom("()") };
        let mut tensors = std::slice::from_ref(ty);
        if let Type::Tuple(items) = ty
            && is_tupled
        {
            tensors = items;
        }
        let shapes = self.expr(shapes);
        let zeros = if is_tupled { self.zero(ty, shapes) } else { self.zero(&tensors[0], shapes) };
        let rank = size.ty.rank().unwrap_or(1);
        let size = self.expr(size);
        let (bind_size, size) = self.named("n", size);
        let function = self.lam(function, false, false);
        let (bind, function) = self.named("f", function);
        let counter = Code::atom(self.names.fresh("i"));
        let (count, place) = self.places(rank, &size, &counter);
        let states: Vec<Code> = tensors.iter().map(|_| Code::atom(self.names.fresh("a"))).collect();
        let pairs: Vec<Code> = tensors.iter().map(|_| Code::atom(self.names.fresh("p"))).collect();
        let mut next = vec![];
        for ((ty, state), pair) in tensors.iter().zip(&states).zip(&pairs) {
            next.push(self.added(ty, state, pair));
        }
        let step = cat![
            Open;
            "let ", tuple(&pairs), " = ", function, " ", place.arg(), " in ", tuple(&next)
        ];
        let head = cat![Open; counter, " < ", count.operand()];
        let all = self.state_loop(ty, zeros, head, (tuple(&states), step));
        before_call(bind_size, cat![Open; bind, all])
    }
    /// A tensor to which a pair of index and value is added.
    fn added(&mut self, ty: &Type, state: &Code, pair: &Code) -> Code {
        let Type::Tensor(rank, inner) = ty else { return state.clone() };
        let at = Code::atom(self.names.fresh("at"));
        let place = if *rank == 1 {
            at.clone()
        } else {
            let places: Vec<Code> = (0..*rank).map(|k| cat![Atom; &at, format!(".{k}")]).collect();
            let first = places[0].clone();
            places[1..].iter().fold(first, |code, place| cat![Atom; code, ", ", place])
        };
        let old = self.unboxed(inner, cat![Atom; state, "[", &place, "]"]);
        let value = cat![Atom; pair, ".1"];
        let sum = cat![Open; old.operand(), " + ", value];
        let sum = self.boxed(inner, sum);
        cat![
            Atom;
            "(let ", at, " = ", pair, ".0 in ", state, " with [", place, "] = ", sum.operand(), ")"
        ]
    }
}
