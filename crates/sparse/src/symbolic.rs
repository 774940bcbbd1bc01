//! Patterns by affine relations: which inputs each number depends on, for all indices of a loop at once.
//!
//! ```text
//! y_dot[i] = x_dot[i] * 2 x[i] + x_dot[i - 1] where i >= 1         row i: i, and i - 1 where i >= 1
//! ```
//!
//! Input: code that computes a directional derivative, the sizes and Ints of a point, and a direction whose Reals are the
//! numbers of inputs. Output: the relations of the results ([`Rows`]), and their members. Method: code is executed with a
//! symbol for the index of each loop, and an array is its element as a function of indices; so a loop is executed once,
//! whatever its count. Reals have no values here. What hangs on one, and what is no affine function of indices, gives
//! up, and so does too much work. Law: where it does not give up, no number depends on an input that is not told, at
//! any point with the same sizes, Ints and Bools. If it is to be exact, each number depends on all that is told, as a direction
//! of NaN would show.

#![expect(clippy::wildcard_enum_match_arm, reason = "whatever is not named gives up")]

mod acc;
mod given;
mod listing;
mod loops;
mod machine;
mod ops;
mod relation;
mod show;
mod value;

use pullback_base::{Limits, bug};
use pullback_ir::eval::{self, Shape};
use pullback_ir::{Elem, FuncId, Program, Type};

use crate::given::Given;
use crate::prepare::Ready;
use crate::sets::Sets;

use listing::listed;
use machine::Machine;
use relation::{Found, GaveUp, Sym};
use value::{Real, Value};

pub use show::Rows;

/// What a derivation found.
pub struct Derived {
    /// The results, in which each Real is the number of a set.
    pub results: Vec<eval::Value>,
    pub sets: Sets,
    /// The relations of the results that depend on inputs.
    pub relations: Vec<Rows>,
}

/// The bytes that an element's member takes while members are listed.
const MEMBER: usize = 16;

/// What the results of a function depend on, which follows so many inputs; nothing if it gives up. If it is to be exact, it
/// tells the first result alone.
pub fn derived(
    ready: &Ready<'_>,
    func: FuncId,
    arguments: &[Given<'_>],
    inputs: u32,
    (limits, is_exact): (&Limits, bool),
) -> Option<Derived> {
    let mut found = results(ready, func, arguments, is_exact).ok()?;
    found.truncate(if is_exact { 1 } else { found.len() });
    let most = limits.room() / MEMBER;
    let mut derived = Derived { results: vec![], sets: Sets::new(inputs), relations: vec![] };
    let types = ready.program.funcs[func].body.results.iter().map(|it| ready.program.type_of(*it));
    for (value, ty) in found.iter().zip(types) {
        let leaf = derived.told(ready.program, value, ty, most).ok()?;
        derived.results.push(leaf);
    }
    Some(derived)
}

fn results(
    ready: &Ready<'_>,
    func: FuncId,
    arguments: &[Given<'_>],
    is_exact: bool,
) -> Found<Vec<Value>> {
    let mut machine = Machine::new(ready, is_exact);
    let mut args = vec![];
    for argument in arguments {
        let (leaf, known) = argument.parts();
        args.push(Value::given(leaf, known, &mut machine.scope)?);
    }
    let results = machine.call(func, args)?;
    let mut told = vec![];
    for result in results {
        told.push(result.simplified(&mut machine.scope)?);
    }
    Ok(told)
}

impl Derived {
    /// A value in which each Real is the number of the set of what it depends on.
    fn told(
        &mut self,
        program: &Program,
        value: &Value,
        ty: Type,
        most: usize,
    ) -> Found<eval::Value> {
        Ok(match value {
            Value::Undef => eval::Value::Undef,
            Value::Real(real) => {
                self.note(&[], &[], real)?;
                let sets = listed(&real.by, (&[], &[]), &mut self.sets, most)?;
                eval::Value::Real(f64::from(sets[0]))
            }
            Value::Int(_) => eval::Value::Int(0),
            Value::Bool(_) => eval::Value::Bool(false),
            Value::Str => eval::Value::str(""),
            Value::Data(node) => {
                let Elem::Data(data) = ty.elem else { bug("sparse", "a data value of its type") };
                let types = &program.constructors(data)[node.tag as usize].fields;
                let mut fields = vec![];
                for (field, ty) in node.fields.iter().zip(types) {
                    fields.push(self.told(program, field, *ty, most)?);
                }
                eval::Value::data(node.tag, fields)
            }
            Value::Array(array) => {
                let sizes: Vec<usize> = array.sizes.iter().map(|size| *size as usize).collect();
                let shape = Shape::new(&sizes);
                let count = shape.count();
                if count > most {
                    return Err(GaveUp);
                }
                let items = match &array.element {
                    Value::Real(real) => {
                        self.note(&array.params, &array.sizes, real)?;
                        let place = (&array.params[..], &array.sizes[..]);
                        let sets = listed(&real.by, place, &mut self.sets, most)?;
                        eval::Items::Real(sets.into_iter().map(f64::from).collect())
                    }
                    Value::Int(_) => eval::Items::Int(vec![0; count]),
                    Value::Bool(_) => eval::Items::Bool(vec![false; count]),
                    Value::Undef if ty.elem == Elem::Real => eval::Items::Real(vec![0.0; count]),
                    Value::Undef if ty.elem == Elem::Unit => eval::Items::Unit,
                    _ => return Err(GaveUp),
                };
                eval::Value::array(shape, items)
            }
            Value::Unknown | Value::Acc(_) => return Err(GaveUp),
        })
    }

    /// Keeps a relation to be shown.
    fn note(&mut self, params: &[Sym], sizes: &[i64], real: &Real) -> Found<()> {
        if !real.by.is_empty() {
            self.relations.push(Rows::new(params, sizes, &real.by)?);
        }
        Ok(())
    }
}
