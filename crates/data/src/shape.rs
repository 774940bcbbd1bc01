//! Values as vectors: their Reals in order, tangents of the same shape, and points moved along them.
//! No recursion over the data.

use pullback_eval::Value;

use crate::bug::bug;
use crate::value::{View, view};

/// The Reals of a value, in order.
pub type Leaves = Vec<f64>;

/// The Reals of a value, in order; Ints, Bools and Strings have none.
pub fn leaves(value: &Value) -> Leaves {
    let mut found = Vec::new();
    let mut work = vec![value.clone()];
    while let Some(value) = work.pop() {
        match view(&value) {
            View::Real(x) => found.push(x),
            View::Tuple(items) | View::Data(_, items) => work.extend(items.iter().rev().cloned()),
            View::Array(array) => {
                let items: Vec<Value> = array.iter().collect();
                work.extend(items.into_iter().rev());
            }
            View::Bool(_) | View::Int(_) | View::Str(_) | View::Fun => {}
        }
    }
    found
}

/// A tangent of the shape of `value` whose Reals are `f` of those of the value.
pub fn tangent_like(value: &Value, f: &mut dyn FnMut(f64) -> f64) -> Value {
    rebuild(value, &mut |leaf| match leaf {
        Leaf::Real(x) => Value::Real(f(x)),
        Leaf::Other(_) => Value::Unit,
    })
}

/// `value + h * tangent`.
pub fn moved(value: &Value, tangent: &Value, h: f64) -> Value {
    let mut steps = leaves(tangent).into_iter();
    rebuild(value, &mut |leaf| match leaf {
        Leaf::Real(x) => {
            let Some(step) = steps.next() else {
                bug("a tangent has a Real for each of the point")
            };
            Value::Real(x + h * step)
        }
        Leaf::Other(value) => value.clone(),
    })
}

enum Leaf<'v> {
    Real(f64),
    Other(&'v Value),
}

/// What is under construction: how many values on the stack make it.
enum Task {
    Visit(Value),
    Tuple(usize),
    Data(usize, usize),
    Array(usize),
}

/// A value of the same shape with other leaves, which are made in order.
fn rebuild(value: &Value, f: &mut dyn FnMut(Leaf<'_>) -> Value) -> Value {
    let mut work = vec![Task::Visit(value.clone())];
    let mut done: Vec<Value> = Vec::new();
    while let Some(task) = work.pop() {
        let made = match task {
            Task::Visit(value) => match view(&value) {
                View::Real(x) => f(Leaf::Real(x)),
                View::Bool(_) | View::Int(_) | View::Str(_) | View::Fun => f(Leaf::Other(&value)),
                View::Tuple(items) => {
                    work.push(Task::Tuple(items.len()));
                    work.extend(items.iter().rev().cloned().map(Task::Visit));
                    continue;
                }
                View::Data(tag, items) => {
                    work.push(Task::Data(tag, items.len()));
                    work.extend(items.iter().rev().cloned().map(Task::Visit));
                    continue;
                }
                // An empty array of arrays keeps their sizes.
                View::Array(array) if array.is_empty() => value,
                View::Array(array) => {
                    work.push(Task::Array(array.len()));
                    let items: Vec<Value> = array.iter().collect();
                    work.extend(items.into_iter().rev().map(Task::Visit));
                    continue;
                }
            },
            Task::Tuple(count) => Value::tuple(done.split_off(done.len() - count)),
            Task::Data(tag, count) => Value::data(tag, done.split_off(done.len() - count)),
            Task::Array(count) => Value::array(done.split_off(done.len() - count)),
        };
        done.push(made);
    }
    done.pop().unwrap_or_else(|| bug("a value is made of its parts"))
}
