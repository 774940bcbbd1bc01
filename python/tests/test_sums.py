"""Values of sum types: classes with `match`, in and out of functions and derivatives."""

import pickle

import numpy as np
import pytest

import pullback as pb

TEXT = """
type Shape = Circle Real | Rect Real Real | Dots ([]Real) Int Bool
type Tree a = Leaf | Fork (Tree a) a (Tree a)
type Rose = Rose Real ([]Rose)
type Mode = Up | Down
type Item = { shape: Shape, w: Real }
def area (s: Shape): Real =
  match s with
  | Circle r -> 3.0 * r ^ 2
  | Rect w h -> w * h
  | Dots xs k up -> real k * (if up then sum xs else -sum xs)
def areas [n] (shapes: [n]Shape) (w: [n]Real): Real = sum [ w[i] * area shapes[i] | i < n ]
def items [n] (all: [n]Item) (mode: Mode): Real =
  let total = sum [ all[i].w * area all[i].shape | i < n ] in
  match mode with
  | Up -> total
  | Down -> -total
def total (t: Tree Real): Real =
  match t with
  | Leaf -> 0.0
  | Fork l x r -> total l + exp x + total r
def doubled (t: Tree Real): Tree Real =
  match t with
  | Leaf -> Leaf
  | Fork l x r -> Fork (doubled l) (2.0 * x) (doubled r)
def count (t: Tree Int): Int =
  match t with
  | Leaf -> 0
  | Fork l x r -> count l + x + count r
def grown (t: Rose): Rose =
  match t with
  | Rose x kids -> Rose (x * x) ([ grown kid | kid <- kids ])
def head (xs: []Real): Option Real = if size xs == 0 then None else Some xs[0]
def or_zero (x: Option Real): Real =
  match x with
  | None -> 0.0
  | Some x -> x ^ 2
def scaled (s: Shape) (x: Real): { shape: Shape, all: []Shape, first: Option Real, mode: Mode } =
  let bigger = match s with
    | Circle r -> Circle (x * r)
    | Rect w h -> Rect (x * w) h
    | Dots xs k up -> Dots ([ x * y | y <- xs ]) (k + 1) (not up)
  in { shape = bigger, all = [s, bigger], first = Some x, mode = Down }
def applied (f: Real -> Real) (x: Real): Real = f x
"""

OPTIONS = [{}, {"engine": "ir"}, {"fp": "strict"}]


@pytest.fixture(scope="module")
def s():
    return pb.compile(TEXT, name="sums.pull")


def test_constructors_are_classes_for_match(s):
    match s.Rect(2.0, 5.0):
        case s.Circle(r):
            raise AssertionError(r)
        case s.Rect(w, h):
            assert (w, h) == (2.0, 5.0)
    assert issubclass(s.Circle, s.Shape) and isinstance(s.Up(), s.Mode)
    assert s.Circle(1.0) == s.Circle(1.0) != s.Circle(2.0) and s.Up() != s.Down()
    assert repr(s.Rect(2.0, 5.0)) == "Rect(2.0, 5.0)"
    with pytest.raises(AttributeError):
        s.Circle(1.0)._0 = 2.0
    tree = s.Fork(s.Leaf(), 1.0, s.Leaf())
    assert pickle.loads(pickle.dumps(tree)) == tree
    assert "Circle" in dir(s)


@pytest.mark.parametrize("options", OPTIONS)
def test_values_and_gradients(s, options):
    value, bar = s.area.value_and_grad(s.Rect(2.0, 5.0), **options)
    assert value == 10.0 and bar == s.Rect(5.0, 2.0)
    value, bar = s.area.value_and_grad(s.Dots([1, 2, 4], 3, True), **options)
    assert value == 21.0 and bar == s.Dots(np.full(3, 3.0), None, None)
    shapes = [s.Circle(1.0), s.Rect(2.0, 3.0), s.Circle(2)]
    value, (bar, w) = s.areas.value_and_grad(shapes, [1.0, 10.0, 100.0], **options)
    assert value == 3.0 + 60.0 + 1200.0
    assert bar == (s.Circle(6.0), s.Rect(30.0, 20.0), s.Circle(1200.0))
    np.testing.assert_array_equal(w, [3.0, 6.0, 12.0])
    assert s.area.jvp((s.Rect(2.0, 5.0),), (s.Rect(1.0, 10.0),), **options) == (10.0, 25.0)
    assert s.area.hvp(s.Rect(2.0, 5.0), s.Rect(1.0, 10.0), **options) == s.Rect(10.0, 1.0)


@pytest.mark.parametrize("options", OPTIONS)
def test_recursive_values(s, options):
    tree = s.Fork(s.Fork(s.Leaf(), 1.0, s.Leaf()), 2.0, s.Leaf)
    value, bar = s.total.value_and_grad(tree, **options)
    assert value == pytest.approx(np.exp(1.0) + np.exp(2.0))
    match bar:
        case s.Fork(s.Fork(s.Leaf(), x, _), y, s.Leaf()):
            assert (x, y) == pytest.approx((np.exp(1.0), np.exp(2.0)))
        case _:
            raise AssertionError(bar)
    twice, pull = s.doubled.vjp(tree, **options)
    assert twice == s.Fork(s.Fork(s.Leaf(), 2.0, s.Leaf()), 4.0, s.Leaf())
    assert pull(tree) == twice
    assert s.doubled.jvp((tree,), (tree,), **options)[1] == twice
    assert s.count(s.Fork(s.Leaf(), 5, s.Fork(s.Leaf(), -2, s.Leaf())), **options) == 3
    rose = s.Rose(2.0, (s.Rose(3.0, ()), s.Rose(4.0, [s.Rose(5.0, ())])))
    assert s.grown(rose, **options) == s.Rose(4.0, (s.Rose(9.0, ()), s.Rose(16.0, (s.Rose(25.0, ()),))))


@pytest.mark.parametrize("options", OPTIONS)
def test_options_records_and_arrays(s, options):
    assert s.head([3.0, 4.0], **options) == s.Some(3.0) and s.head([], **options) is None
    assert s.or_zero(s.Some(3.0), **options) == 9.0 and s.or_zero(None, **options) == 0.0
    assert s.or_zero.grad(s.Some(3.0), **options) == s.Some(6.0) and s.or_zero.grad(None, **options) is None
    shape = s.Dots([1.0, 2.0], 4, True)
    found = s.scaled(shape, 3.0, **options)
    bigger = s.Dots(np.array([3.0, 6.0]), 5, False)
    assert found.shape == bigger and found.all == (s.Dots(np.array([1.0, 2.0]), 4, True), bigger)
    assert found.first == s.Some(3.0) and found.mode == s.Down()
    both = {"shape": [s.Circle(1.0), s.Rect(2.0, 3.0)], "w": [1.0, 2.0]}
    value, bar = s.items.value_and_grad(both, s.Down, **options)
    assert value == -15.0 and bar.shape == (s.Circle(-6.0), s.Rect(-6.0, -4.0))
    np.testing.assert_array_equal(bar.w, [-3.0, -6.0])


def test_engines_agree_to_the_bit(s):
    random = np.random.default_rng(1)

    def grown(depth):
        if depth == 0:
            return s.Leaf()
        return s.Fork(grown(depth - 1), random.standard_normal(), grown(depth - 1))

    tree = grown(9)
    assert s.total.value_and_grad(tree, fp="strict") == s.total.value_and_grad(tree, engine="ir")


def test_problems_of_one_vector(s):
    minimize = pytest.importorskip("scipy.optimize").minimize
    m = pb.compile(TEXT + "def off (t: Tree Real): Real = match t with\n  | Leaf -> 0.0\n  | Fork l x r -> off l + (x - 3.0) ^ 2 + off r\n")
    start = m.Fork(m.Fork(m.Leaf(), 1.0, m.Leaf()), 2.0, m.Leaf())
    p = m.off.bind().flat(start)
    np.testing.assert_array_equal(p.x0, [1.0, 2.0])
    r = minimize(p.value_and_grad, p.x0, jac=True, hessp=p.hvp, method="trust-ncg")
    match p.unflatten(r.x):
        case m.Fork(m.Fork(m.Leaf(), x, m.Leaf()), y, m.Leaf()):
            assert (x, y) == pytest.approx((3.0, 3.0))
    np.testing.assert_allclose(p.hessian(p.x0), 2.0 * np.eye(2))
    assert m.off.check_grad(start) and m.area.check_grad(m.Dots([1.0, 2.0], 3, False))


def test_matrices_by_sums(s):
    rect = s.Rect(2.0, 5.0)
    np.testing.assert_array_equal(s.area.hessian(rect, sparse=True).toarray(), [[0.0, 1.0], [1.0, 0.0]])
    with pytest.raises(pb.CompileError, match="has no Jacobian"):
        s.doubled.jacobian(s.Fork(s.Leaf(), 2.0, s.Leaf()))
    with pytest.raises(pb.CompileError, match="there is no Hessian by"):
        pb.hessian(s.area)(rect)
    with pytest.raises(pb.CompileError) as told:
        s.area.hessian(rect)
    assert "sparse=True" in str(told.value) and any("sparse=True" in hint for hint in told.value.hints)


def test_long_values(s):
    tree = s.Leaf()
    for at in range(50_000):
        tree = s.Fork(s.Leaf(), 1e-5 * at, tree)
    value, bar = s.total.value_and_grad(tree)
    assert value == pytest.approx(np.exp(1e-5 * np.arange(50_000.0)).sum())
    assert bar._1 == pytest.approx(np.exp(1e-5 * 49_999))
    assert s.doubled(tree)._1 == pytest.approx(2e-5 * 49_999)


def test_what_is_no_value_is_refused(s):
    other = pb.compile("type Shape = Circle Real | Ring Real\ndef f (x: Real): Real = x")
    for wrong, words in [
        (1.0, "float where there must be a Shape"),
        (None, "NoneType where there must be a Shape"),
        (s.Up(), "Up where there must be a Shape"),
        (other.Circle(1.0), "Circle where there must be a Shape"),
        (s.Shape, "the class Shape where"),
        (s.Circle, "the class Circle where there must be a value of it"),
        (s.Circle("1"), "must be a Real, not str"),
        (s.Circle(1j), "must be a Real, not complex"),
        (s.Circle([1.0]), "must be a Real, not list"),
        (s.Dots([1.0], 1.5, True), "must be an Int, not float"),
        (s.Dots([1.0], True, True), "must be an Int, not bool"),
        (s.Dots([1.0], 1, 1), "must be a truth value, not int"),
        (s.Dots(["a"], 1, True), "must be an array of Reals"),
    ]:
        with pytest.raises(TypeError, match="`s`") as told:
            s.area(wrong)
        assert words in str(told.value), wrong
    with pytest.raises(pb.SizeError):
        s.area(s.Dots([[1.0]], 1, True))
    with pytest.raises(OverflowError):
        s.area(s.Dots([1.0], 2**63, True))
    with pytest.raises(TypeError):
        s.Circle()
    with pytest.raises(TypeError, match="a list or a tuple"):
        s.grown(s.Rose(1.0, s.Rose(1.0, ())))
    with pytest.raises(pb.SizeError):
        s.areas([s.Circle(1.0)], [1.0, 2.0])
    with pytest.raises(pb.SizeError):
        s.area.jvp((s.Rect(1.0, 2.0),), (s.Circle(1.0),))
    holds_itself = []
    holds_itself.append(s.Rose(1.0, holds_itself))
    with pytest.raises(ValueError, match="holds itself"):
        s.grown(holds_itself[0])
    with pytest.raises(pb.CompileError, match="function"):
        s.applied(abs, 1.0)


def test_other_libraries_refuse_sums(s):
    for name in ("jax", "torch"):
        if pytest.importorskip(name):
            with pytest.raises(TypeError, match="sum types"):
                getattr(pb, name).wrap(s.area)(s.Circle(1.0))
