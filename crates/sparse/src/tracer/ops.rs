//! Operations without blocks: what each gives, and what that depends on.
//!
//! Input: an operation and the registers. Output: its value, or a fault. Rules. A Real depends on what the Reals that it is
//! computed from depend on; Ints, Bools and Strings depend on nothing, and carry a taint instead. A selection by data
//! depends on both sides, so that it decides no pattern. Where a tainted Int says where something is, the pattern is local.

use std::rc::Rc;

use pullback_base::bug;
use pullback_ir::eval::Shape;
use pullback_ir::{Atom, Op};
use pullback_prim::{Failure, Fault, Prim, RealFn, Scalar, ScalarFault};

use super::array::check_sizes;
use super::build::Builder;
use super::machine::Machine;
use super::tangent;
use super::value::{Acc, Array, Buffer, Items, Value, zero};
use crate::prepare::ReadyStmt;
use crate::sets::{Set, Sets};

impl Machine<'_, '_> {
    /// What an operation without blocks gives; nothing that is looked at, if it has no result.
    pub fn operation(&mut self, op: &Op, ready: &ReadyStmt<'_>) -> Result<Value, Fault> {
        let ty = ready.stmt.vars.first().map(|var| self.ready.program.vars[*var].ty);
        let value = match op {
            Op::Prim(prim, args) => self.primitive(*prim, args)?,
            Op::Copy(a) | Op::Stop(a) => self.get(*a),
            Op::MulZero(a, b) => {
                let ((x, one, s), (y, other, t)) = (self.real(*a), self.real(*b));
                let product = if x == 0.0 { 0.0 } else { x * y };
                Value::Real(product, self.sets.union(one, other), s || t)
            }
            Op::Select(c, a, b) => self.selected(*c, *a, *b),
            Op::Undef | Op::Tell(_) => Value::Undef,
            Op::CheckSize(..) | Op::CheckCount(_) => self.check(op)?,
            Op::Fail(prim, text) => {
                let Value::Str(text, _) = self.get(*text) else { bug("sparse", "a text") };
                return Err(Fault::stop(*prim, &text));
            }
            Op::Con(tag, fields) => {
                let fields = self.get_all(fields);
                self.end(&ready.ends);
                Value::data(*tag, fields)
            }
            Op::Zero(a) => self.zero(&self.get(*a), ty),
            Op::Plus(a, b) => {
                let (one, other) = (self.get(*a), self.get(*b));
                self.end(&ready.ends);
                tangent::plus(self, one, other)?
            }
            Op::ToTangent(_, a, b) => {
                let ty = self.type_of(*a);
                tangent::taken(self, self.get(*a), self.get(*b), ty, 0)?
            }
            Op::FromTangent(a, b) => {
                let ty = self.type_of(*a);
                tangent::seen(self, self.get(*a), Some(self.get(*b)), ty, 0)?
            }
            Op::NewAcc(_) | Op::AddAcc(..) | Op::AtAcc(..) | Op::PartAcc(..) | Op::ReadAcc(_) => {
                return self.accumulator(op, ready);
            }
            Op::Array(_)
            | Op::Index(..)
            | Op::Update(..)
            | Op::Slice(..)
            | Op::Concat(..)
            | Op::Flatten(_)
            | Op::Dim(..)
            | Op::Sized(..)
            | Op::Sum(_)
            | Op::Argsort(_)
            | Op::Shape(..) => return self.array(op, ready),
            Op::Jvp(..) | Op::Linearize(..) | Op::Apply(..) => {
                bug("sparse", "code in which all derivations are made")
            }
            Op::If(..)
            | Op::Match(_)
            | Op::Loop(_)
            | Op::Call(..)
            | Op::Custom { .. }
            | Op::Unpack { .. } => bug("sparse", "an operation without blocks"),
        };
        self.end(&ready.ends);
        Ok(value)
    }

    /// The zero tangent of a type in the shape of a value.
    pub fn zero(&self, like: &Value, ty: Option<pullback_ir::Type>) -> Value {
        let Some(ty) = ty else { bug("sparse", "a result of a type") };
        zero(like, ty, |data| self.ready.program.zero_tag(data))
    }

    /// A Real, what it depends on, and whether it is tainted.
    pub fn real(&self, atom: Atom) -> (f64, Set, bool) {
        let value = self.get(atom);
        if let Value::Real(x, set, tainted) = value {
            (x, set, tainted)
        } else if let Value::Undef = value {
            (0.0, Sets::EMPTY, false)
        } else {
            bug("sparse", format_args!("a Real, not {value:?}"))
        }
    }

    fn primitive(&mut self, prim: Prim, args: &[Atom]) -> Result<Value, Fault> {
        let row = prim.row();
        if let Some(smooth) = row.smooth() {
            match (smooth.value, args) {
                (RealFn::Real1(f), [a]) => {
                    let (x, set, tainted) = self.real(*a);
                    return Ok(Value::Real(f(x), set, tainted));
                }
                (RealFn::Real2(f), [a, b]) => {
                    let ((x, one, s), (y, other, t)) = (self.real(*a), self.real(*b));
                    return Ok(Value::Real(f(x, y), self.sets.union(one, other), s || t));
                }
                (
                    RealFn::Real1(_) | RealFn::Real2(_) | RealFn::RealInt(_) | RealFn::IntReal(_),
                    _,
                ) => {}
            }
        }
        let (mut set, mut tainted) = (Sets::EMPTY, false);
        let mut scalars: Vec<Scalar> = Vec::with_capacity(args.len());
        for atom in args {
            let value = self.get(*atom);
            tainted |= value.is_tainted();
            scalars.push(match value {
                Value::Real(x, other, _) => {
                    set = self.sets.union(set, other);
                    Scalar::Real(x)
                }
                Value::Int(n, _) => Scalar::Int(n),
                Value::Bool(truth, _) => Scalar::Bool(truth),
                Value::Str(text, _) => Scalar::Str(text),
                Value::Undef => return Ok(Value::Undef),
                other @ (Value::Data(_) | Value::Array(_) | Value::Acc(_)) => {
                    bug("sparse", format_args!("a scalar, not {other:?}"))
                }
            });
        }
        match prim.eval_scalar(&scalars) {
            Ok(Scalar::Real(x)) => Ok(Value::Real(x, set, tainted)),
            Ok(Scalar::Int(n)) => Ok(Value::Int(n, tainted)),
            Ok(Scalar::Bool(truth)) => Ok(Value::Bool(truth, tainted)),
            Ok(Scalar::Str(text)) => Ok(Value::Str(text, tainted)),
            Err(ScalarFault::Fails(failure)) => Err(fault(prim, failure, &scalars)),
            Err(ScalarFault::NotScalar) => {
                bug("sparse", format_args!("a primitive on scalars, not {prim:?} on {scalars:?}"))
            }
        }
    }

    fn selected(&mut self, c: Atom, a: Atom, b: Atom) -> Value {
        let Value::Bool(truth, tainted) = self.get(c) else { return Value::Undef };
        if !tainted {
            return self.get(if truth { a } else { b });
        }
        self.chosen((truth, tainted), self.get(a), self.get(b))
    }

    /// One of two values by a Bool, as something that depends on both.
    pub fn chosen(&mut self, (truth, tainted): (bool, bool), one: Value, other: Value) -> Value {
        let (chosen, rest) = if truth { (one, other) } else { (other, one) };
        match (chosen, rest) {
            (Value::Real(x, set, s), Value::Real(_, other, t)) => {
                Value::Real(x, self.sets.union(set, other), tainted || s || t)
            }
            (Value::Real(x, set, s), _) => Value::Real(x, set, tainted || s),
            (Value::Int(n, s), other) => Value::Int(n, tainted || s || other.is_tainted()),
            (Value::Bool(n, s), other) => Value::Bool(n, tainted || s || other.is_tainted()),
            (Value::Str(n, s), other) => Value::Str(n, tainted || s || other.is_tainted()),
            // At another point the other one may be chosen.
            (Value::Undef, rest) => rest,
            (chosen @ (Value::Data(_) | Value::Array(_) | Value::Acc(_)), _) => {
                self.is_local |= tainted;
                chosen
            }
        }
    }

    fn check(&mut self, op: &Op) -> Result<Value, Fault> {
        if let Op::CheckCount(n) = op {
            let number = self.position_of(*n);
            if number < 0 {
                return Err(Fault::Negative { number, what: "the size of an array" });
            }
        } else if let Op::CheckSize(array, dimension, n, what) = op {
            let needed = self.position_of(*n);
            let value = self.get(*array);
            let found = if let Value::Int(n, _) = value {
                n
            } else if let Value::Array(array) = value {
                let (sizes, at) = (array.shape.sizes(), usize::from(*dimension));
                if sizes[..at].contains(&0) { needed } else { sizes[at] as i64 }
            } else {
                needed
            };
            if found != needed {
                let what = if let Value::Str(text, _) = self.get(*what) {
                    text.to_string()
                } else {
                    String::new()
                };
                return Err(Fault::Size { found, needed, what });
            }
        }
        Ok(Value::Undef)
    }

    fn indices(&mut self, at: &[Atom]) -> Vec<i64> {
        at.iter().map(|index| self.position_of(*index)).collect()
    }

    /// An array, unless nothing looks at it.
    fn array_of(&self, atom: Atom) -> Option<Rc<Array>> {
        let value = self.get(atom);
        if let Value::Array(array) = value {
            Some(array)
        } else if let Value::Undef = value {
            None
        } else {
            bug("sparse", format_args!("an array, not {value:?}"))
        }
    }

    fn array(&mut self, op: &Op, ready: &ReadyStmt<'_>) -> Result<Value, Fault> {
        #[expect(clippy::wildcard_enum_match_arm, reason = "those on arrays")]
        match op {
            Op::Array(elements) => {
                let Some(var) = ready.stmt.vars.first() else { bug("sparse", "an array") };
                let ty = self.ready.program.vars[*var].ty;
                let mut builder = Builder::new(ty, elements.len(), &self.meter)?;
                for element in elements {
                    builder.push(self.get(*element), &self.meter)?;
                }
                Ok(builder.finish(false))
            }
            Op::Index(a, at) => {
                let at = self.indices(at);
                self.array_of(*a).map_or(Ok(Value::Undef), |array| array.at(&at))
            }
            Op::Update(a, at, v) => {
                let (at, value) = (self.indices(at), self.get(*v));
                let Some(array) = self.array_of(*a) else { return Ok(Value::Undef) };
                self.end(&ready.ends);
                Array::with(array, &at, value, &self.meter)
            }
            Op::Slice(a, from, to) => {
                let (from, to) = (self.position_of(*from), self.position_of(*to));
                self.array_of(*a).map_or(Ok(Value::Undef), |array| array.range(from, to))
            }
            Op::Concat(a, b) => {
                let (Some(one), Some(other)) = (self.array_of(*a), self.array_of(*b)) else {
                    return Ok(Value::Undef);
                };
                self.end(&ready.ends);
                Array::append(one, &other, &self.meter)
            }
            Op::Flatten(a) => Ok(self.array_of(*a).map_or(Value::Undef, |array| {
                let [outer, inner, rest @ ..] = array.shape.sizes() else {
                    bug("sparse", "an array of two dimensions to flatten")
                };
                array.reshaped(Shape::of_rows(outer.saturating_mul(*inner), rest))
            })),
            Op::Dim(a, dimension) => Ok(match self.array_of(*a) {
                Some(array) => {
                    Value::Int(array.shape.sizes()[usize::from(*dimension)] as i64, false)
                }
                None => Value::Int(0, false),
            }),
            Op::Sized(a, dimension, n) => {
                let size = self.position_of(*n);
                Ok(self.array_of(*a).map_or(Value::Undef, |array| {
                    let (mut sizes, at) = (array.shape.sizes().to_vec(), usize::from(*dimension));
                    if sizes[..at].contains(&0) {
                        sizes[at] = usize::try_from(size).unwrap_or(0);
                    }
                    array.reshaped(Shape::new(&sizes))
                }))
            }
            Op::Sum(a) => Ok(self.sum(*a)),
            Op::Argsort(a) => Ok(self.argsort(*a)),
            Op::Shape(a, rank) => {
                let rank = usize::from(*rank);
                let sizes = self.array_of(*a).map(|array| array.shape.sizes()[..rank].to_vec());
                let shape = Shape::new(&sizes.unwrap_or(vec![0; rank]));
                Ok(Value::array(shape, Buffer::new(Items::Unit, None, false)))
            }
            other => bug("sparse", format_args!("an operation on arrays, not {other:?}")),
        }
    }

    fn sum(&mut self, a: Atom) -> Value {
        let Some(array) = self.array_of(a) else { return Value::Undef };
        let Some(reals) = array.reals() else { bug("sparse", "an array of Reals") };
        let mut set = Sets::EMPTY;
        if array.buffer.sets.is_some() {
            for at in 0..reals.len() {
                set = self.sets.union(set, array.set_at(at));
            }
        }
        Value::Real(reals.iter().sum(), set, array.buffer.tainted)
    }

    fn argsort(&self, a: Atom) -> Value {
        let Some(array) = self.array_of(a) else { return Value::Undef };
        let Some(keys) = array.reals() else { bug("sparse", "an array of Reals") };
        let mut order: Vec<i64> = (0..keys.len() as i64).collect();
        order.sort_by(|a, b| {
            let (a, b) = (keys[*a as usize], keys[*b as usize]);
            a.partial_cmp(&b).unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()))
        });
        let shape = Shape::new(&[order.len()]);
        Value::array(shape, Buffer::new(Items::Int(order), None, array.buffer.tainted))
    }

    fn acc_of(&self, atom: Atom) -> Option<Rc<Acc>> {
        let value = self.get(atom);
        if let Value::Acc(acc) = value {
            Some(acc)
        } else if let Value::Undef = value {
            None
        } else {
            bug("sparse", format_args!("an accumulator, not {value:?}"))
        }
    }

    fn accumulator(&mut self, op: &Op, ready: &ReadyStmt<'_>) -> Result<Value, Fault> {
        #[expect(clippy::wildcard_enum_match_arm, reason = "those on accumulators")]
        match op {
            Op::NewAcc(init) => {
                let init = self.get(*init);
                self.end(&ready.ends);
                Acc::start(init, &self.meter)
            }
            Op::AddAcc(a, at, v) => {
                let (at, value) = (self.indices(at), self.get(*v));
                if let Some(acc) = self.acc_of(*a) {
                    self.add_to(&acc, &at, value)?;
                }
                self.end(&ready.ends);
                Ok(Value::Undef)
            }
            Op::AtAcc(a, at) => {
                let at = self.indices(at);
                self.acc_of(*a).map_or(Ok(Value::Undef), |acc| acc.at(&at))
            }
            Op::PartAcc(a, from, to) => {
                let (from, to) = (self.position_of(*from), self.position_of(*to));
                self.acc_of(*a).map_or(Ok(Value::Undef), |acc| acc.range(from, to))
            }
            Op::ReadAcc(a) => Ok(self.acc_of(*a).map_or(Value::Undef, |acc| acc.read())),
            other => bug("sparse", format_args!("an operation on accumulators, not {other:?}")),
        }
    }

    fn add_to(&mut self, acc: &Acc, indices: &[i64], value: Value) -> Result<(), Fault> {
        let (at, rest) = super::array::place(acc.shape.sizes(), indices)?;
        let at = acc.offset + at;
        if let Value::Array(array) = &value {
            check_sizes(array.shape.sizes(), rest)?;
            for step in 0..array.shape.count() {
                self.add_at(acc, at + step, array.buffer.get(array.offset + step))?;
            }
            return Ok(());
        }
        self.add_at(acc, at, value)
    }

    fn add_at(&mut self, acc: &Acc, at: usize, value: Value) -> Result<(), Fault> {
        let before = {
            let mut buffer = acc.cell.borrow_mut();
            match &mut buffer.items {
                // What is added to moves out, so that it changes in place.
                Items::Values(items) => std::mem::take(&mut items[at]),
                Items::Unit => return Ok(()),
                Items::Real(_) | Items::Int(_) | Items::Bool(_) => buffer.get(at),
            }
        };
        let sum = tangent::plus(self, before, value)?;
        acc.cell.borrow_mut().set(at, sum);
        Ok(())
    }
}

fn fault(prim: Prim, failure: Failure, args: &[Scalar]) -> Fault {
    if let (Failure::NotAnInt, [Scalar::Real(number)]) = (failure, args) {
        return Fault::NoInt { number: *number };
    }
    let int = |scalar: &Scalar| if let Scalar::Int(n) = scalar { *n } else { 0 };
    Fault::of_ints(prim, &args.iter().map(int).collect::<Vec<_>>())
}
