"""Functions in JAX against closed forms, and against the same functions written in JAX."""

import numpy as np
import pytest

import pullback as pb

jax = pytest.importorskip("jax")
jnp = jax.numpy

X = np.array([0.5, -1.0, 2.0])
MODEL = {"w": [0.5, -1.0], "b": 2.0}
XS = np.array([[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]])
YS = np.array([1.0, -1.0, 0.5])


@pytest.fixture(autouse=True)
def wide():
    with jax.enable_x64(True):
        yield


def rosenbrock(x):
    return jnp.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


def test_values_and_gradients(m):
    f = pb.jax.wrap(m.rosenbrock)
    assert f(X) == pytest.approx(float(rosenbrock(X)))
    for transform in (jax.grad, jax.hessian, jax.jacrev, jax.jacfwd):
        np.testing.assert_allclose(jax.jit(transform(f))(X), transform(rosenbrock)(X))
    v = np.array([1.0, 2.0, 3.0])
    hvp = lambda f: jax.jvp(jax.grad(f), (X,), (v,))[1]
    np.testing.assert_allclose(hvp(f), hvp(rosenbrock))
    third = lambda f: jax.grad(lambda x: jnp.sum(jax.grad(lambda x: jnp.sum(jax.grad(f)(x) ** 2))(x)))
    np.testing.assert_allclose(third(f)(X), third(rosenbrock)(X))


def test_arrays(m):
    f = pb.jax.wrap(m.squares)
    np.testing.assert_allclose(f(X), X**2)
    np.testing.assert_allclose(jax.jacrev(f)(X), np.diag(2 * X))
    np.testing.assert_allclose(jax.jacfwd(f)(X), np.diag(2 * X))
    np.testing.assert_allclose(jax.jacfwd(jax.jacrev(f))(X), jax.jacfwd(jax.jacrev(lambda x: x**2))(X))
    np.testing.assert_allclose(jax.jacrev(jax.jacfwd(f))(X), jax.jacfwd(jax.jacrev(lambda x: x**2))(X))
    a = np.arange(6.0).reshape(2, 3)
    product = pb.jax.wrap(m.product)
    loss = lambda f: lambda a, x: jnp.sum(jnp.sin(f(a, x)))
    for argnums in (0, 1, (0, 1)):
        ours = jax.grad(loss(product), argnums)(a, X)
        theirs = jax.grad(loss(jnp.matmul), argnums)(a, X)
        jax.tree.map(np.testing.assert_allclose, ours, theirs)
    ours = jax.hessian(loss(product), (0, 1))(a, X)
    jax.tree.map(np.testing.assert_allclose, ours, jax.hessian(loss(jnp.matmul), (0, 1))(a, X))


def test_batches(m):
    batch = np.arange(12.0).reshape(4, 3)
    f, squares, product = (pb.jax.wrap(one) for one in (m.rosenbrock, m.squares, m.product))
    np.testing.assert_allclose(jax.vmap(f)(batch), jax.vmap(rosenbrock)(batch))
    np.testing.assert_allclose(jax.jit(jax.vmap(jax.grad(f)))(batch), jax.vmap(jax.grad(rosenbrock))(batch))
    np.testing.assert_allclose(jax.vmap(squares, in_axes=1, out_axes=1)(batch), batch**2)
    a = np.arange(6.0).reshape(2, 3)
    np.testing.assert_allclose(jax.vmap(product, in_axes=(None, 0))(a, batch), batch @ a.T)
    # What is shared has the sum of the gradients.
    total = lambda f: lambda a, xs: jnp.sum(jax.vmap(f, in_axes=(None, 0))(a, xs) ** 2)
    for argnums in (0, 1):
        ours = jax.grad(total(product), argnums)(a, batch)
        np.testing.assert_allclose(ours, jax.grad(total(jnp.matmul), argnums)(a, batch))
    nested = jax.vmap(jax.vmap(product, in_axes=(None, 0)), in_axes=(0, None))
    many = np.stack([a, 2 * a, 3 * a])
    np.testing.assert_allclose(nested(many, batch), np.einsum("kij,bj->kbi", many, batch))
    scale = pb.jax.wrap(m.fn(r"\k x -> k * norm2 x"))
    shared = lambda k: jnp.sum(jax.vmap(scale, in_axes=(None, 0))(k, batch))
    assert jax.grad(shared)(2.0) == pytest.approx(float(np.sum(batch**2)))
    np.testing.assert_allclose(jax.hessian(lambda xs: shared(xs[0]))(jnp.ones(1)), [[0.0]])


def test_records_are_pytrees(m):
    loss = pb.jax.wrap(m.loss)
    theirs = lambda xs, ys, m: jnp.sum((xs @ m["w"] + m["b"] - ys) ** 2)
    model = {"w": jnp.array(MODEL["w"]), "b": 2.0}
    want = jax.grad(theirs, 2)(XS, YS, model)
    for given in (model, {"b": 2.0, "w": model["w"]}):
        got = jax.jit(jax.grad(loss, 2))(XS, YS, given)
        assert got["b"] == pytest.approx(float(want["b"]))
        np.testing.assert_allclose(got["w"], want["w"])
    got = jax.grad(loss, 2)(XS, YS, m.Model(np.array(MODEL["w"]), 2.0))
    assert isinstance(got, m.Model)
    np.testing.assert_allclose(got.w, want["w"])
    np.testing.assert_allclose(loss(xs=XS, m=MODEL, ys=YS), theirs(XS, YS, model))
    step = jax.tree.map(lambda x: 2 * x, m.Model(jnp.ones(2), jnp.array(1.0)))
    assert isinstance(step, m.Model) and step.b == 2.0


def test_whole_numbers_and_truth_values(m):
    add, pair, at, cells = (pb.jax.wrap(one) for one in (m.add, m.pair, m.at, m.cells))
    np.testing.assert_array_equal(jax.jit(add)(np.array([1, 2]), 3), [4, 5])
    np.testing.assert_array_equal(pb.jax.wrap(m.negate)([True, False]), [False, True])
    value, parts = pair((2.0, 3))
    assert value == 4.0 and parts.tolist() == [2.0, 3.0]
    got = jax.grad(lambda x: jnp.sum(pair((x, 3))[1]) + pair((x, 3))[0])(2.0)
    assert got == 3.0
    np.testing.assert_allclose(jax.jit(jax.grad(at))(X, 1), [0.0, 1.0, 0.0])
    given = {"pos": np.ones((2, 3)), "id": np.array([1, 2]), "on": np.array([True, False])}
    moved = lambda pos: cells({**given, "pos": pos}, 1)
    np.testing.assert_allclose(jax.grad(moved)(given["pos"]), [[2.0] * 3, [3.0] * 3])
    np.testing.assert_allclose(jax.hessian(moved)(given["pos"]), np.zeros((2, 3, 2, 3)))
    assert pb.jax.wrap(m.count)(3).tolist() == [0.0, 1.0, 2.0]
    with pytest.raises(TypeError, match="must be known when JAX compiles"):
        jax.jit(pb.jax.wrap(m.count))(3)


def test_narrow_numbers(m):
    with jax.enable_x64(False):
        f = pb.jax.wrap(m.rosenbrock)
        x = jnp.asarray(X)
        assert x.dtype == np.float32 and f(x).dtype == np.float32
        np.testing.assert_allclose(jax.jit(jax.grad(f))(x), jax.grad(rosenbrock)(x), rtol=1e-5)
        assert pb.jax.wrap(m.add)(np.array([1, 2]), 3).dtype == np.int32
        with pytest.raises(OverflowError):
            pb.jax.wrap(m.add)(np.array([2**40]), 3)


def test_loops_of_jax(m):
    f = pb.jax.wrap(m.rosenbrock)
    step = lambda x, _: (x - 1e-3 * jax.grad(f)(x), f(x))
    theirs = lambda x, _: (x - 1e-3 * jax.grad(rosenbrock)(x), rosenbrock(x))
    _, ours = jax.jit(lambda x: jax.lax.scan(step, x, None, length=20))(X)
    np.testing.assert_allclose(ours, jax.lax.scan(theirs, X, None, length=20)[1])


def test_a_nan_is_told_where_jax_looks_for_them(m):
    f = pb.jax.wrap(m.squares)
    with jax.debug_nans(True):
        for call in (f, jax.jit(lambda x: f(x) + 1.0)):
            with pytest.raises(FloatingPointError):
                call(np.array([1.0, np.nan]))


def test_what_is_wrong_is_refused(m):
    f = pb.jax.wrap(m.norm2)
    for given, error in [
        ("x", TypeError),
        (None, TypeError),
        (np.array([1j]), TypeError),
        (np.array([True]), TypeError),
        (1.0, ValueError),
        (np.ones((2, 2)), ValueError),
    ]:
        with pytest.raises(error, match="`x`"):
            f(given)
    with pytest.raises(TypeError, match="no parameter `y`"):
        f(y=1.0)
    with pytest.raises(TypeError, match="not given"):
        f()
    with pytest.raises(TypeError, match="takes a function"):
        pb.jax.wrap(lambda x: x)
    with pytest.raises(TypeError, match="field"):
        pb.jax.wrap(m.loss)(XS, YS, {"w": [1.0, 2.0]})
    with pytest.raises(Exception, match="E0804"):
        jax.block_until_ready(pb.jax.wrap(m.loss)(XS, YS[:2], MODEL))
    with pytest.raises(Exception, match="x must be positive"):
        jax.block_until_ready(jax.jit(pb.jax.wrap(m.refuses))(-1.0))
    with pytest.raises(Exception, match="E0711"):
        jax.block_until_ready(pb.jax.wrap(m.slow, timeout="50ms")(2_000_000_000, 1.0))
