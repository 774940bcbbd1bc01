//! What goes into the compiler's code and comes out of it.

use pullback_compile::Compiled;
use pullback_eval::{Options, Value, equal};

use crate::support::source::source;

const LISTS: &str = "
type List = Nil | Cons Real List
def total (xs: List): Real = match xs with Nil -> 0 | Cons x rest -> x * x + total rest
def slopes (xs: List): List = grad total xs
def swapped (xs: [](Int, List, []Bool)): [](List, (Int, []Bool)) = [ (l, (n, b)) | (n, l, b) <- xs ]
";

fn list(length: usize, element: impl Fn(usize) -> f64) -> Value {
    let mut list = Value::data(0, vec![]);
    for i in 0..length {
        list = Value::data(1, vec![Value::real(element(i)), list]);
    }
    list
}

#[test]
fn data_may_be_deep() {
    let (program, defs) = source(LISTS, &["slopes"]);
    let code = Compiled::new(&program, defs[0], 1).unwrap();
    let argument = list(1_000_000, |i| i as f64);
    let (slopes, _) = code.call(&[argument], &Options::default()).unwrap();
    assert!(equal(&slopes, &list(1_000_000, |i| 2.0 * i as f64)));
}

#[test]
fn arrays_hold_whatever_there_is() {
    let (program, defs) = source(LISTS, &["swapped"]);
    let code = Compiled::new(&program, defs[0], 1).unwrap();
    let parts = |i: usize| {
        let bools = Value::array(vec![Value::bool(i == 1); i]);
        (Value::int(i as i64), list(10_000 * i, |k| k as f64), bools)
    };
    let argument =
        Value::array((0..3).map(parts).map(|(n, l, b)| Value::tuple(vec![n, l, b])).collect());
    let expected =
        (0..3).map(parts).map(|(n, l, b)| Value::tuple(vec![l, Value::tuple(vec![n, b])]));
    let (value, _) = code.call(&[argument], &Options::default()).unwrap();
    assert!(equal(&value, &Value::array(expected.collect())));
    let (value, _) = code.call(&[Value::array(vec![])], &Options::default()).unwrap();
    assert!(equal(&value, &Value::array(vec![])));
}
