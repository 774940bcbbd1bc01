"""Values and derivatives against closed forms."""

import gc
import inspect
import linecache
import pickle
import runpy
import weakref

import numpy as np
import pytest

import pullback as pb

M0 = {"w": [0.5, -1.0], "b": 2.0}
XS = np.array([[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]])
YS = np.array([1.0, -1.0, 0.5])


def expected():
    """The value of `loss`, and its gradients."""
    w, b = np.array(M0["w"]), M0["b"]
    r = XS @ w + b - YS
    return np.sum(r**2), 2 * np.outer(r, w), -2 * r, (2 * XS.T @ r, 2 * np.sum(r))


@pytest.mark.parametrize("options", [{}, {"engine": "ir"}, {"fp": "strict"}, {"threads": 2}])
def test_value_and_gradient(m, options):
    value, gxs, gys, (gw, gb) = expected()
    v, g = m.loss.value_and_grad(XS, YS, M0, wrt="m", **options)
    assert v == pytest.approx(value)
    np.testing.assert_allclose(g.w, gw)
    assert g.b == pytest.approx(gb)
    v, (gm, gx) = m.loss.value_and_grad(XS, ys=YS, m=M0, wrt=("m", "xs"), **options)
    np.testing.assert_allclose(gx, gxs)
    np.testing.assert_allclose(gm.w, gw)
    gx, gy, gm = m.loss.grad(XS, YS, M0, **options)
    np.testing.assert_allclose(gy, gys)


def test_records_are_taken_as_dicts_classes_and_other_objects(m):
    import types

    value = expected()[0]
    model = m.Model(np.array(M0["w"]), M0["b"])
    for given in (M0, model, types.SimpleNamespace(**M0)):
        assert m.loss(XS, YS, given) == pytest.approx(value)
    assert model == m.Model(np.array(M0["w"]), M0["b"]) and model != m.Model(np.zeros(2), 1.0)
    assert model._asdict()["b"] == 2.0 and model._replace(b=3.0).b == 3.0
    with pytest.raises(AttributeError):
        model.b = 1.0


def test_forward_and_reverse(m):
    x, x_dot, y_bar = np.array([1.0, -2.0]), np.array([3.0, 0.5]), np.array([1.0, 10.0])
    y, pull = m.squares.vjp(x)
    np.testing.assert_allclose(y, x**2)
    np.testing.assert_allclose(pull(y_bar), 2 * x * y_bar)
    y, y_dot = m.squares.jvp((x,), (x_dot,))
    np.testing.assert_allclose(y_dot, 2 * x * x_dot)
    a = np.arange(6.0).reshape(2, 3)
    z = np.array([1.0, 2.0, 3.0])
    _, pull = m.product.vjp(a, z, wrt=("x", "a"))
    gx, ga = pull([1.0, -1.0])
    np.testing.assert_allclose(gx, a[0] - a[1])
    np.testing.assert_allclose(ga, np.outer([1.0, -1.0], z))
    # Tangents are named in the order of `wrt`.
    _, t = m.product.jvp((a, z), (np.ones(3), np.zeros((2, 3))), wrt=("x", "a"))
    np.testing.assert_allclose(t, a.sum(axis=1))


def test_second_order(m):
    assert m.cube.hessian(2.0) == 12.0
    assert pb.grad(pb.grad(m.cube))(2.0) == 12.0
    assert pb.grad(pb.grad(pb.grad(m.cube)))(2.0) == 6.0
    np.testing.assert_allclose(m.norm2.hessian([1.0, 2.0, 3.0]), 2 * np.eye(3))
    np.testing.assert_allclose(m.norm2.hvp([1.0, 2.0], [3.0, 4.0]), [6.0, 8.0])
    np.testing.assert_allclose(m.squares.jacobian([1.0, 2.0]), np.diag([2.0, 4.0]))
    hm = m.loss.hvp(XS, YS, M0, {"w": [1.0, 0.0], "b": 0.0}, wrt="m")
    np.testing.assert_allclose(hm.w, 2 * XS.T @ XS[:, 0])
    jacobian = m.product.jacobian(np.eye(2), [1.0, 2.0], wrt="x")
    np.testing.assert_allclose(jacobian, np.eye(2))


def test_other_types(m):
    np.testing.assert_array_equal(m.add([1, 2], 3), [4, 5])
    np.testing.assert_array_equal(m.negate([True, False]), [False, True])
    value, parts = m.pair((2.0, 3))
    assert value == 4.0 and parts.tolist() == [2.0, 3.0]
    assert m.seven == 7 and isinstance(m.seven, int)
    assert m.lambda_(2.0) == 4.0 and m["lambda"](2.0) == 4.0
    cells = {"pos": np.ones((2, 3)), "id": [1, 2], "on": [True, False]}
    for engine in ("native", "ir"):
        value, gradient = m.cells.value_and_grad(cells, 1, engine=engine)
        assert value == 15.0 and gradient.id is None and gradient.on is None
        np.testing.assert_allclose(gradient.pos, [[2.0] * 3, [3.0] * 3])
        h = m.cells.hvp(cells, 1, {"pos": np.ones((2, 3)), "id": None, "on": None}, engine=engine)
        np.testing.assert_allclose(h.pos, np.zeros((2, 3)))


def test_expressions(m):
    f = m.fn(r"\x y -> norm2 x * y")
    assert f([1.0, 2.0], 3.0) == 15.0
    assert f.parameters == ("x", "y")
    assert f(y=3.0, x=[1.0, 2.0]) == 15.0
    assert f.grad([1.0, 2.0], 3.0, wrt="y") == 5.0
    h = m.fn(r"\x -> hessian norm2 x")
    np.testing.assert_allclose(h([1.0, 2.0]), 2 * np.eye(2))


def test_files(examples, tmp_path):
    m = pb.load(examples / "gmm.pull")
    assert "objective" in dir(m)
    path = tmp_path / "a.pull"
    path.write_text("import \"b\"\ndef f (x: Real): Real = b.g x + 1")
    (tmp_path / "b.pull").write_text("def g (x: Real): Real = 2 * x")
    first = pb.load(path)
    (tmp_path / "b.pull").write_text("def g (x: Real): Real = 3 * x")
    second = pb.load(str(path))
    path.unlink()
    assert first.f(1.0) == 3.0 and second.f(1.0) == 4.0
    with pytest.raises(pb.CompileError):
        pb.load(path)


def test_problems(m):
    scipy = pytest.importorskip("scipy")
    import scipy.optimize

    p = m.loss.bind(xs=XS, ys=YS).flat(M0)
    assert p.size == 3
    value, gradient = p.value_and_grad(p.x0)
    want, _, _, (gw, gb) = expected()
    assert value == pytest.approx(want)
    np.testing.assert_allclose(gradient, [*gw, gb])
    r = scipy.optimize.minimize(p.value_and_grad, p.x0, jac=True, method="L-BFGS-B")
    assert r.success
    r = scipy.optimize.minimize(m.rosenbrock.value_and_grad, np.zeros(5), jac=True, hessp=m.rosenbrock.hvp, method="trust-ncg")
    np.testing.assert_allclose(r.x, np.ones(5), atol=1e-3)
    model = p.unflatten(np.arange(3.0))
    assert model["w"].tolist() == [0.0, 1.0] and model["b"] == 2.0
    h = p.linear_operator(p.x0)
    full = h @ np.eye(3)
    np.testing.assert_allclose(full, full.T)
    q = m.product.bind(a=np.arange(6.0).reshape(2, 3)).flat(np.zeros(3))
    j = q.linear_operator(q.x0)
    np.testing.assert_allclose(j @ np.eye(3), np.arange(6.0).reshape(2, 3))
    np.testing.assert_allclose(j.H @ np.eye(2), np.arange(6.0).reshape(2, 3).T)
    scipy.optimize.check_grad(m.norm2, m.norm2.grad, np.ones(4))
    for given in ([1j, 1.0, 1.0], "111", None, np.array([True, False, True])):
        with pytest.raises(TypeError, match="the vector must have Reals"):
            p.value_and_grad(given)
    with pytest.raises(TypeError, match="complex128"):
        h @ np.array([1j, 1.0, 1.0])


def test_batches_and_out(m):
    xs = np.arange(12.0).reshape(4, 3)
    for threads in (1, 3):
        np.testing.assert_allclose(m.squares.map(xs, threads=threads), xs**2)
    np.testing.assert_allclose(m.norm2.map(xs), np.sum(xs**2, axis=1))
    np.testing.assert_allclose(m.product.map(np.eye(3), xs, over="x"), xs)
    out = np.zeros(3)
    _, gradient = m.norm2.value_and_grad(xs[1], out=out)
    assert gradient is out and out.tolist() == [6.0, 8.0, 10.0]
    with pytest.raises(ValueError):
        m.squares(xs[0], out=np.zeros(2))


def test_looks_inside(m):
    assert "fn @" in m.norm2.show() and "fn @" in m.norm2.show("grad")
    counted = m.norm2.cost(np.ones(100))
    assert 100 <= counted["value"] <= counted["grad"] < 1000
    assert set(m.squares.cost([1.0])) == {"value"}
    with pytest.raises(ValueError):
        m.norm2.show("x")


def test_checks(m):
    assert m.loss.check_grad(XS, YS, M0)
    assert m.loss.check_grad(XS, YS, M0, wrt="m")
    assert m.squares.check_grad([1.0, 2.0])
    # Where derivatives vanish, and where values are large beside them.
    assert m.norm2.check_grad([0.0, 0.0])
    n = pb.compile(
        r"""def high (x: Real): Real = 1e6 + x * x
        def wrong (x: Real): Real = custom_vjp (\y -> 1e6 + y * y) (\y -> (1e6 + y * y, \bar -> bar)) x"""
    )
    assert n.high.check_grad(0.0) and not n.wrong.check_grad(0.0)


def test_literals():
    # Some compilers make the second row of the first.
    m = pb.compile("def rows (x: Real): [4][3]Real = [[1.0, 1.0, 1.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]]")
    assert m.rows(0.0, engine="native").tolist() == [[1.0] * 3, [0.0] * 3, [0.0] * 3, [0.0] * 3]


def test_options_of_one_call_are_none_of_the_next(source):
    f = pb.compile(source).rosenbrock
    x = np.array([1.5, -0.5, 2.0])
    f.value_and_grad(x, engine="ir"), f(x, engine="ir")
    assert not f._quick_both and f._quick_value is None
    f.value_and_grad(x), f(x)
    assert f._quick_both and f._quick_value is not None


def test_methods_without_options_go_straight_to_the_code(source):
    f = pb.compile(source).rosenbrock
    x = np.array([1.5, -0.5, 2.0])
    value, gradient = f.value_and_grad(x, engine="ir")
    # Options of one call are none of the next.
    assert "value_and_grad" not in vars(f)
    f.value_and_grad(x)
    quick = vars(f)["value_and_grad"]
    for args, kwargs in [((x,), {}), ((x,), {"wrt": "x"}), ((), {"x": x}), ((x,), {"out": np.zeros(3)}), ((x,), {"timeout": 10})]:
        v, g = f.value_and_grad(*args, **kwargs)
        assert v == pytest.approx(value)
        np.testing.assert_allclose(g, gradient)
    np.testing.assert_allclose(f.grad(x), gradient)
    assert quick.__name__ == "value_and_grad" and "gradient" in quick.__wrapped__.__doc__
    assert list(inspect.signature(quick).parameters) == ["args", "wrt", "out", "kwargs"]
    for wrong in [(), (x, x), ("text",), (x.reshape(1, 3),)]:
        with pytest.raises((TypeError, ValueError)):
            f.value_and_grad(*wrong)
    v, g = pickle.loads(pickle.dumps(f.value_and_grad))(x)
    assert v == pytest.approx(value)
    gone = weakref.ref(f)
    del f, quick
    gc.collect()
    assert gone() is None


def test_messages_lead_into_the_python_file(tmp_path):
    mistaken = "def g (x: Real): Real =\n  x + true\n"
    path = tmp_path / "program.py"

    def span_of(script):
        path.write_text("import pullback as pb\n" + script, encoding="utf-8")
        linecache.checkcache()
        with pytest.raises(pb.CompileError) as caught:
            runpy.run_path(str(path))
        place = caught.value.span
        assert f"{place['file']}:{place['line']}:{place['column']}\n" in str(caught.value)
        return place["file"], place["line"], place["column"]

    assert span_of(f"x = 'ä'; m = pb.compile(r\"\"\"{mistaken}\"\"\")\n") == (str(path), 3, 7)
    assert span_of("TEXT = 'def g: Real = true'\n\ndef load(text):\n  pb.compile(text)\nload(TEXT)\n") == (str(path), 2, 23)
    # What stands there in another form, or twice, has no place there.
    assert span_of(f"pb.compile({mistaken!r})\n") == ("<text>", 2, 7)
    assert span_of("A = B = 'def g: Real = true'\nC = 'def g: Real = true'\npb.compile(A)\n") == ("<text>", 1, 15)
    # A name that is given counts, and what is sound knows its lines too.
    assert span_of("pb.compile('def g: Real = true', name='mine')\n") == ("mine", 1, 15)
    path.write_text("import pullback as pb\nm = pb.compile(\"\"\"\n\ndef f (x: Real): Real = x\n\"\"\")\n")
    linecache.checkcache()
    f = runpy.run_path(str(path))["m"].f
    assert f(2.0) == 2.0 and f"{path}:4" in repr(f) and pickle.loads(pickle.dumps(f))(3.0) == 3.0
