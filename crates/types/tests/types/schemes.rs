//! The inferred types of small definitions, as they are shown.

use crate::support::infer_files;

/// Checks `name : type` for the definitions of a program.
fn check(text: &str, types: &[(&str, &str)]) {
    let inferred = infer_files(&[("test", text)], true);
    assert!(inferred.diagnostics.is_empty(), "{}", inferred.messages());
    for (name, expected) in types {
        assert_eq!(inferred.scheme(name), *expected, "the type of `{name}` in\n{text}");
    }
}

#[test]
fn arithmetic_is_overloaded() {
    check(
        "def double x = x + x\ndef succ x = x + 1\ndef half x = x / 2.0\ndef three = 3\ndef vec = [1, 2.0]\ndef less a b = a < b\ndef same a b = a == b",
        &[
            ("double", "Num a => a -> a"),
            ("succ", "Num a => a -> a"),
            ("half", "Real -> Real"),
            ("three", "Int"),
            ("vec", "[2]Real"),
            ("less", "Ord a => a -> a -> Bool"),
            ("same", "Eq a => a -> a -> Bool"),
        ],
    );
}

#[test]
fn sizes_are_inferred() {
    check(
        "def add2 xs ys = map2 (+) xs ys\n\
         def twice xs = concat xs xs\n\
         def flat xs = flatten xs\n\
         def mine n = iota (n + 1)\n\
         def tail [n] (xs: [n]a) = xs[1:]\n\
         def table n m = [ i * j | i < n, j < m ]\n\
         def mv a x = a @ x\n\
         def both c = if c then [1.0] else [1.0, 2.0]\n\
         def pos xs = filter (\\x -> x > 0.0) xs\n\
         def copy xs = [ x | x <- xs ]\n\
         def pair [n] (xs: [2 * n]Real) = [ xs[i] | i < n ]",
        &[
            ("add2", "Num a => [n]a -> [n]a -> [n]a"),
            ("twice", "[n]a -> [2 * n]a"),
            ("flat", "[n][m]a -> [n * m]a"),
            ("mine", "(n: Int) -> [n + 1]Int"),
            ("tail", "[n]a -> [n - 1]a"),
            ("table", "(n: Int) -> (m: Int) -> [n][m]Int"),
            ("both", "Bool -> []Real"),
            ("pos", "[]Real -> []Real"),
            ("copy", "[n]a -> [n]a"),
            ("pair", "[2 * n]Real -> [n]Real"),
        ],
    );
}

#[test]
fn let_bound_functions_are_polymorphic() {
    check(
        "def f = let pair x = (x, x) in (pair 1, pair true)\n\
         def g = let pair = \\x -> (x, x) in (pair 1.0, pair \"a\")\n\
         def h y = let k x = (x, y) in (k 1, k true)\n\
         def r = let rec even n = n == 0 || odd (n - 1) and odd n = n != 0 && even (n - 1) in even",
        &[
            ("f", "((Int, Int), (Bool, Bool))"),
            ("g", "((Real, Real), (String, String))"),
            ("h", "Num b => a -> ((b, a), (Bool, a))"),
        ],
    );
}

#[test]
fn records_are_structural() {
    check(
        "type Model = { w: [3]Real, b: Real }\n\
         def m = { b = 1.0, w = [1.0, 2.0, 3.0] }\n\
         def w r = r.w\n\
         def use = w m\n\
         def first t = t.0\n\
         def one = first (1, 2)",
        &[("m", "{ w: [3]Real, b: Real }"), ("use", "[3]Real"), ("one", "Int")],
    );
}

#[test]
fn derivatives_have_tangent_types() {
    check(
        "type Shape = Circle Real | Named Int Real\n\
         type Tree = Leaf Real | Node Tree Tree\n\
         def area s = match s with | Circle r -> r * r | Named _ x -> x\n\
         def sum_tree t = match t with | Leaf x -> x | Node l r -> sum_tree l + sum_tree r\n\
         def d s = grad area s\n\
         def dt t = grad sum_tree t\n\
         def pick s = match grad area s with | Circle r -> r | Named () x -> x\n\
         def same = grad area (Named 1 2.0) == Named () 1.0\n\
         def step f x = x - 0.1 *. grad f x\n\
         def jac [n] [m] (f: [n]Real -> [m]Real) (x: [n]Real) = jacobian f x\n\
         def hess [n] (f: [n]Real -> Real) (x: [n]Real) = hessian f x\n\
         def line f x = linearize f x\n\
         def mine f x = (vjp f x).1 1.0\n\
         def ints (x: (Int, Real)) = grad (\\p -> p.1) x",
        &[
            ("d", "Shape -> T Shape"),
            ("dt", "Tree -> Tree"),
            ("pick", "Shape -> Real"),
            ("jac", "([n]Real -> [m]Real) -> [n]Real -> [m][n]Real"),
            ("hess", "([n]Real -> Real) -> [n]Real -> [n][n]Real"),
            ("mine", "Diff a => (a -> Real) -> a -> T a"),
            ("ints", "(Int, Real) -> ((), Real)"),
        ],
    );
}

#[test]
fn recursion_instantiates_sizes() {
    check(
        "def total [n] (xs: [n]Real): Real = if n == 0 then 0.0 else xs[0] + total xs[1:n]\n\
         def grow xs = if size xs > 9 then xs else grow (concat xs [1.0])",
        &[("total", "[n]Real -> Real"), ("grow", "[n]Real -> []Real")],
    );
}

#[test]
fn modules_are_qualified() {
    let inferred = infer_files(
        &[
            ("la", "type V = [3]Real\ntype Box a = Box a\ndef norm2 (v: V): Real = dot v v"),
            (
                "main",
                "def f (v: la.V) = la.norm2 v\ndef g = la.Box 1.0\ndef h b = match b with | la.Box x -> x",
            ),
        ],
        true,
    );
    assert!(inferred.diagnostics.is_empty(), "{}", inferred.messages());
    assert_eq!(inferred.scheme("f"), "[3]Real -> Real");
    assert_eq!(inferred.scheme("g"), "Box Real");
    assert_eq!(inferred.scheme("h"), "Box a -> a");
}
