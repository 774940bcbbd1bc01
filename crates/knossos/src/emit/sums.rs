//! Primitives that make tensors and go through them.

use super::code::{Code, app, cat, open};
use super::emitter::Emitter;
use crate::tree::{Expr, ExprKind};
use crate::ty::Type;

impl Emitter<'_> {
    /// A function that a primitive takes, whose argument or result may be an element.
    pub fn lam(&mut self, function: &Expr, takes_element: bool, gives_element: bool) -> Code {
        let Type::Lam(from, to) = &function.ty else { return self.expr(function) };
        let header = |emitter: &mut Self, name: &str| {
            if takes_element && from.has_tensor() {
                let one = Code::atom(emitter.names.fresh("x"));
                let value = emitter.unboxed(from, one.clone());
                let name = emitter.names.local(name);
                cat![Open; "\\", one, " -> let ", name, " = ", value, " in "]
            } else {
                emitter.lambda(name, from)
            }
        };
        if let ExprKind::Lam(name, body) = &function.kind {
            let header = header(self, name);
            let body = if gives_element { self.boxed_expr(body) } else { self.expr(body) };
            return cat![Open; header, body];
        }
        let code = self.expr(function);
        let header = header(self, "x");
        let call = cat![App; code.arg(), " ", self.names.local("x")];
        let call = if gives_element { self.boxed(to, call) } else { call };
        cat![Open; header, call]
    }
    /// A tensor by a function of the index.
    pub fn build(&mut self, size: Code, function: Code, rank: usize, inner: &Type) -> Code {
        self.helpers.rank(rank);
        let of = if rank == 1 { "build".to_owned() } else { format!("ks_build{rank}") };
        let code = cat![App; of, " ", size.arg(), " ", function.arg()];
        self.array(rank, inner, code)
    }
    /// The size of a tensor, as one number.
    fn count(rank: usize, size: &Code) -> Code {
        if rank == 1 {
            return size.clone();
        }
        let sizes: Vec<Code> =
            (0..rank).map(|at| cat![Atom; size.arg(), format!(".{at}")]).collect();
        let first = sizes[0].clone();
        sizes[1..].iter().fold(first, |code, size| cat![Open; code, " * ", size])
    }
    /// How many places there are, and the one that a counter stands for.
    pub fn places(&mut self, rank: usize, size: &Code, counter: &Code) -> (Code, Code) {
        self.helpers.rank(rank);
        let place = if rank == 1 {
            counter.clone()
        } else {
            cat![App; format!("ks_place{rank} "), size.arg(), " ", counter]
        };
        (Self::count(rank, size), place)
    }
    /// The sum of a function of all indices below a size.
    pub fn sum_build(&mut self, size: &Expr, function: &Expr, ty: &Type) -> Code {
        let rank = size.ty.rank().unwrap_or(1);
        let size = self.expr(size);
        if matches!(ty, Type::Float | Type::Int) {
            let function = self.lam(function, false, true);
            let all = self.build(size, function, rank, ty);
            return cat![App; "sum ", all];
        }
        let (bind_size, size) = self.named("n", size);
        let function = self.lam(function, false, false);
        let (bind, function) = self.named("f", function);
        let counter = Code::atom(self.names.fresh("i"));
        let (count, place) = self.places(rank, &size, &counter);
        let term = cat![App; function, " ", place.arg()];
        let total = self.total(ty, count, counter, term);
        cat![Open; bind_size, bind, total]
    }
    /// The sum of all elements.
    pub fn sum(&mut self, tensor: &Expr, ty: &Type) -> Code {
        let rank = rank_of(&tensor.ty);
        let tensor = self.expr(tensor);
        if matches!(ty, Type::Float | Type::Int) {
            return cat![App; "sum ", tensor.arg()];
        }
        let (bind, tensor) = self.named("x", tensor);
        let size = self.size(rank, tensor.clone());
        let (bind_size, size) = self.named("n", size);
        let counter = Code::atom(self.names.fresh("i"));
        let (count, place) = self.places(rank, &size, &counter);
        let term = self.element(rank, ty, tensor, place);
        let total = self.total(ty, count, counter, term);
        cat![Open; bind, bind_size, total]
    }
    /// The sum of a term for each value of a counter. Of no tensors there is none, since nothing tells its shape.
    fn total(&mut self, ty: &Type, count: Code, counter: Code, term: Code) -> Code {
        let state = Code::atom(self.names.fresh("s"));
        if let Some(zero) = self.number(ty) {
            let next = cat![Open; &state, " + ", term.operand()];
            let head = cat![Open; counter, " < ", count.operand()];
            return self.state_loop(ty, zero, head, (state, next));
        }
        let (bind_count, count) = self.named("count", count);
        let function = Code::atom(self.names.fresh("f"));
        let bind = cat![Open; "let ", &function, " = \\", &counter, " -> ", term, " in "];
        let next = cat![Open; &state, " + ", &function, " (", &counter, " + 1)"];
        let head = cat![Open; counter, " < ", &count, " - 1"];
        let start = cat![App; function, " 0"];
        let all = self.state_loop(ty, start, head, (state, next));
        let none = app("error \"a sum of no tensors has no shape\"");
        cat![Open; bind_count, bind, "if ", count, " < 1 then ", none, " else ", all]
    }
    /// A state taken through a vector.
    pub fn fold(&mut self, function: &Expr, start: &Expr, vector: &Expr, ty: &Type) -> Code {
        let Type::Tensor(_, inner) = &vector.ty else { return self.expr(start) };
        let start = self.expr(start);
        let vector = self.expr(vector);
        let (bind, vector) = self.named("x", vector);
        let state = Code::atom(self.names.fresh("s"));
        let counter = Code::atom(self.names.fresh("i"));
        let one = self.element(1, inner, vector.clone(), counter.clone());
        let pair = super::code::tuple(&[state.clone(), one]);
        let (bind_function, next) = if let ExprKind::Lam(name, body) = &function.kind {
            let name = self.names.local(name);
            (open(""), cat![Open; "let ", name, " = ", pair, " in ", self.expr(body)])
        } else {
            let code = self.expr(function);
            let (bind, code) = self.named("f", code);
            (bind, cat![App; code, " ", pair])
        };
        let head = cat![Open; counter, " < size ", vector];
        let all = self.state_loop(ty, start, head, (state, next));
        cat![Open; bind, bind_function, all]
    }
    /// A function of each element.
    pub fn map(&mut self, function: &Expr, tensor: &Expr, ty: &Type) -> Code {
        let Type::Tensor(rank, inner) = ty else { return self.expr(tensor) };
        let function = self.lam(function, true, true);
        let tensor = self.expr(tensor);
        let code = self.mapped(*rank, function, tensor);
        self.array(*rank, inner, code)
    }
    /// A function of each pair of elements.
    pub fn map2(&mut self, function: &Expr, one: &Expr, other: &Expr, ty: &Type) -> Code {
        let (Type::Tensor(rank, to), Type::Tensor(_, from), Type::Tensor(_, second)) =
            (ty, &one.ty, &other.ty)
        else {
            return self.expr(one);
        };
        let function = self.lam(function, false, false);
        let (bind, function) = self.named("f", function);
        let tensors = (self.expr(one), self.expr(other));
        let all = self.each_two(
            *rank,
            (from, second),
            to,
            tensors,
            |_, one, other| cat![App; function, " ", super::code::tuple(&[one, other])],
        );
        cat![Open; bind, all]
    }
    /// An element by itself.
    pub fn element(&mut self, rank: usize, inner: &Type, tensor: Code, place: Code) -> Code {
        self.helpers.rank(rank);
        let one = if rank == 1 {
            cat![Atom; tensor.arg(), "[", place, "]"]
        } else {
            cat![App; format!("ks_index{rank} "), place.arg(), " ", tensor.arg()]
        };
        self.unboxed(inner, one)
    }
    /// Equal elements.
    pub fn const_vec(&mut self, size: &Expr, value: &Expr) -> Code {
        let rank = size.ty.rank().unwrap_or(1);
        let size = self.expr(size);
        let boxed = self.boxed_expr(value);
        let (bind, boxed) = self.named("e", boxed);
        let all = self.build(size, cat![Open; "\\_ -> ", boxed], rank, &value.ty);
        cat![Open; bind, all]
    }
    /// One element that is not zero; none where the index is out of range.
    pub fn delta_vec(&mut self, size: &Expr, at: &Expr, value: &Expr) -> Code {
        let rank = size.ty.rank().unwrap_or(1);
        let size = self.expr(size);
        let at = self.expr(at);
        let (bind_at, at) = self.named("at", at);
        let code = self.expr(value);
        let (bind, code) = self.named("v", code);
        let zero = self.zero(&value.ty, code.clone());
        let zero = self.boxed(&value.ty, zero);
        let (bind_zero, zero) = self.named("zero", zero);
        let one = self.boxed(&value.ty, code);
        let index = Code::atom(self.names.fresh("i"));
        let pick = cat![
            Open; "\\", &index, " -> if ", &index, " == ", at.operand(), " then ", one, " else ", zero
        ];
        let all = self.build(size, pick, rank, &value.ty);
        cat![Open; bind_at, bind, bind_zero, all]
    }
    /// A value if two indices are equal, else zero.
    pub fn delta(&mut self, one: &Expr, other: &Expr, value: &Expr) -> Code {
        let (one, other) = (self.expr(one), self.expr(other));
        let code = self.expr(value);
        let (bind, code) = self.named("v", code);
        let zero = self.zero(&value.ty, code.clone());
        let equal = cat![Open; one.operand(), " == ", other.operand()];
        cat![Open; bind, "if ", equal, " then ", code, " else ", zero]
    }
    /// A vector of these.
    pub fn vec_init(&mut self, items: &[Expr]) -> Code {
        let mut code = Code::atom("[");
        for (at, item) in items.iter().enumerate() {
            let comma = if at == 0 { "" } else { ", " };
            code = cat![Atom; code, comma, self.boxed_expr(item)];
        }
        let inner = items.first().map_or_else(Type::unit, |item| item.ty.clone());
        self.array(1, &inner, cat![Atom; code, "]"])
    }
    /// How far a reverse derivative is from a difference.
    pub fn check(&mut self, args: &[Expr]) -> Code {
        let [function, back, at, along, seed] = args else { return open("0.0") };
        let (Type::Lam(from, to), Type::Lam(..)) = (&function.ty, &back.ty) else {
            return open("0.0");
        };
        let mut code = open("");
        let mut words = vec![];
        for (stem, arg) in
            [("f", function), ("back", back), ("at", at), ("along", along), ("seed", seed)]
        {
            let value = self.expr(arg);
            let word = Code::atom(self.names.fresh(stem));
            code = cat![Open; code, "let ", &word, " = ", value, " in "];
            words.push(word);
        }
        let [f, back, at, along, seed] = &words[..] else { return code };
        let moved = self.moved(from, at.clone(), along.clone());
        let (here, there) = (cat![App; f, " ", at], cat![App; f, " ", moved.arg()]);
        let here = self.stripped(to, here);
        let there = self.stripped(to, there);
        let along_dot = along.clone();
        let bar = cat![App; back, " (", at, ", ", seed, ")"];
        let difference = cat![Open; there.operand(), " - ", here.operand()];
        let pushed = self.product(to, seed.clone(), difference);
        let pulled = self.product(from, bar, along_dot);
        let check = self.call("ks_check", &[pushed, pulled]);
        cat![Open; code, check]
    }
}

/// The rank of a type of tensors.
pub fn rank_of(ty: &Type) -> usize {
    if let Type::Tensor(rank, _) = ty { *rank } else { 1 }
}
