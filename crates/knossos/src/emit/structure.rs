//! What goes through the structure of a type: zeros, tangents of values, and values moved by tangents.

use super::code::{Code, app, cat, open, tuple};
use super::emitter::Emitter;
use crate::ty::Type;

impl Emitter<'_> {
    /// Some value.
    pub fn dummy(&mut self, ty: &Type) -> Code {
        match ty {
            Type::Float => Code::atom("0.0"),
            Type::Int => Code::atom("0"),
            Type::Bool => Code::atom("false"),
            Type::Str => Code::atom("\"\""),
            Type::Tuple(items) => {
                let items: Vec<Code> = items.iter().map(|item| self.dummy(item)).collect();
                tuple(&items)
            }
            Type::Tensor(rank, inner) => {
                self.helpers.rank(*rank);
                self.array(*rank, inner, Code::atom("[]"))
            }
            Type::Lam(..) | Type::Map(..) | Type::Pass(..) => Code::atom("()"),
        }
    }
    /// Zero, of the shape of a value or of a skeleton of one.
    pub fn zero(&mut self, ty: &Type, like: Code) -> Code {
        match ty {
            Type::Tuple(items) if ty.has_tensor() => {
                self.components(items, like, |emitter, ty, like| emitter.zero(ty, like))
            }
            Type::Tensor(rank, inner) => {
                self.each(*rank, inner, inner, like, |emitter, like| emitter.zero(inner, like))
            }
            Type::Float | Type::Int | Type::Bool | Type::Str | Type::Tuple(_) => self.dummy(ty),
            Type::Lam(..) | Type::Map(..) | Type::Pass(..) => like,
        }
    }
    /// A function of each element, which sees elements by themselves.
    pub fn each(
        &mut self,
        rank: usize,
        from: &Type,
        to: &Type,
        tensor: Code,
        body: impl FnOnce(&mut Self, Code) -> Code,
    ) -> Code {
        let name = Code::atom(self.names.fresh("x"));
        let one = self.unboxed(from, name.clone());
        let (bind, one) = self.named("e", one);
        let made = body(self, one);
        let made = self.boxed(to, made);
        let function = cat![Open; "\\", name, " -> ", bind, made];
        let code = self.mapped(rank, function, tensor);
        self.array(rank, to, code)
    }
    /// A function of each element as it is.
    pub fn mapped(&mut self, rank: usize, function: Code, tensor: Code) -> Code {
        if rank == 1 {
            return cat![App; "map ", function.arg(), " ", tensor.arg()];
        }
        let row = Code::atom(self.names.fresh("row"));
        let inner = self.mapped(rank - 1, function, row.clone());
        cat![App; "map (\\", row, " -> ", inner, ") ", tensor.arg()]
    }
    /// The Floats of a value as a tangent of Knossos: units for what is discrete.
    pub fn stripped(&mut self, ty: &Type, value: Code) -> Code {
        match ty {
            Type::Tuple(items) if ty.has_discrete() => {
                self.components(items, value, |emitter, ty, value| emitter.stripped(ty, value))
            }
            Type::Tensor(rank, inner) if ty.has_discrete() => {
                let to = inner.tangent().unwrap_or_else(Type::unit);
                self.each(*rank, inner, &to, value, |emitter, one| emitter.stripped(inner, one))
            }
            Type::Int | Type::Bool | Type::Str => Code::atom("()"),
            Type::Float | Type::Tuple(_) | Type::Tensor(..) => value,
            Type::Lam(..) | Type::Map(..) | Type::Pass(..) => value,
        }
    }
    /// A value with other Floats in the places of its own.
    pub fn merged(&mut self, ty: &Type, value: Code, floats: Code) -> Code {
        if !ty.has_discrete() {
            return floats;
        }
        match ty {
            Type::Tuple(items) => {
                if let [only] = &items[..] {
                    return self.merged(only, value, floats);
                }
                let one: Vec<Code> = self.words(items.len(), "c");
                let two: Vec<Code> = self.words(items.len(), "d");
                let both = one.iter().zip(&two).zip(items);
                let all: Vec<Code> = both
                    .map(|((one, two), ty)| self.merged(ty, one.clone(), two.clone()))
                    .collect();
                cat![
                    Open;
                    "let ", tuple(&one), " = ", value, " in let ", tuple(&two), " = ", floats, " in ",
                    tuple(&all)
                ]
            }
            Type::Tensor(rank, inner) => {
                let to = inner.tangent().unwrap_or_else(Type::unit);
                let inner = (**inner).clone();
                let of = inner.clone();
                self.each_two(*rank, (&inner, &to), &inner, (value, floats), |emitter, one, two| {
                    emitter.merged(&of, one, two)
                })
            }
            Type::Float => floats,
            Type::Int | Type::Bool | Type::Str => value,
            Type::Lam(..) | Type::Map(..) | Type::Pass(..) => value,
        }
    }
    fn words(&mut self, count: usize, stem: &str) -> Vec<Code> {
        (0..count).map(|_| Code::atom(self.names.fresh(stem))).collect()
    }
    /// A function of each pair of elements, which sees them by themselves.
    pub fn each_two(
        &mut self,
        rank: usize,
        (one, two): (&Type, &Type),
        to: &Type,
        (first, second): (Code, Code),
        body: impl FnOnce(&mut Self, Code, Code) -> Code,
    ) -> Code {
        let names = self.words(2, "x");
        let left = self.unboxed(one, names[0].clone());
        let right = self.unboxed(two, names[1].clone());
        let (bind_left, left) = self.named("e", left);
        let (bind_right, right) = self.named("e", right);
        let made = body(self, left, right);
        let made = self.boxed(to, made);
        let function =
            cat![Open; "\\", &names[0], " ", &names[1], " -> ", bind_left, bind_right, made];
        let code = self.mapped_two(rank, function, first, second);
        self.array(rank, to, code)
    }
    fn mapped_two(&mut self, rank: usize, function: Code, first: Code, second: Code) -> Code {
        if rank == 1 {
            return cat![App; "map2 ", function.arg(), " ", first.arg(), " ", second.arg()];
        }
        let rows = self.words(2, "row");
        let inner = self.mapped_two(rank - 1, function, rows[0].clone(), rows[1].clone());
        cat![
            App;
            "map2 (\\", &rows[0], " ", &rows[1], " -> ", inner, ") ", first.arg(), " ", second.arg()
        ]
    }
    /// A value moved by a tangent.
    pub fn moved(&mut self, ty: &Type, value: Code, tangent: Code) -> Code {
        if !ty.has_float() {
            return value;
        }
        if !ty.has_discrete() {
            return cat![Open; value.operand(), " + ", tangent.operand()];
        }
        if !ty.has_boxed_discrete() {
            return cat![App; "move ", value.arg(), " ", tangent.arg()];
        }
        let (bind, value) = self.named("v", value);
        let floats = self.stripped(ty, value.clone());
        let sum = cat![Open; floats.operand(), " + ", tangent.operand()];
        let moved = self.merged(ty, value, sum);
        cat![Open; bind, moved]
    }
    /// The inner product of two tangents.
    pub fn product(&mut self, ty: &Type, one: Code, other: Code) -> Code {
        if *ty == Type::Float {
            cat![Open; one.operand(), " * ", other.operand()]
        } else if ty.has_float() {
            cat![App; "dot ", one.arg(), " ", other.arg()]
        } else {
            Code::atom("0.0")
        }
    }
    /// The shape of a value.
    pub fn shape(&mut self, ty: &Type, value: Code) -> Code {
        let Some(shape) = ty.shape() else { return Code::atom("()") };
        if shape == Type::unit() {
            return Code::atom("()");
        }
        match ty {
            Type::Tuple(items) => {
                self.components(items, value, |emitter, ty, value| emitter.shape(ty, value))
            }
            Type::Tensor(rank, inner) => match inner.shape() {
                Some(inner_shape) if inner_shape != Type::unit() => {
                    self.each(*rank, inner, &inner_shape, value, |emitter, one| {
                        emitter.shape(inner, one)
                    })
                }
                _ => self.size(*rank, value),
            },
            Type::Int | Type::Float | Type::Str | Type::Bool => Code::atom("()"),
            Type::Lam(..) | Type::Map(..) | Type::Pass(..) => Code::atom("()"),
        }
    }
    /// How many elements there are.
    pub fn size(&mut self, rank: usize, value: Code) -> Code {
        self.helpers.rank(rank);
        let of = if rank == 1 { "size ".to_owned() } else { format!("ks_size{rank} ") };
        cat![App; of, value.arg()]
    }
    /// A number for an array's type, where the sum of none is wanted.
    pub fn number(&mut self, ty: &Type) -> Option<Code> {
        (!ty.has_tensor()).then(|| self.dummy(ty))
    }
    /// A loop whose state is of a type, from a start.
    pub fn state_loop(&mut self, ty: &Type, start: Code, head: Code, body: (Code, Code)) -> Code {
        let (state, next) = body;
        let ty = self.ty(ty);
        cat![Open; "loop ", state, format!(" : {ty} = "), start, open(" for "), head, app(" do "), next]
    }
}
