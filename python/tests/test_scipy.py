"""SciPy's solvers on functions of Pullback, against solutions in closed form."""

import gc

import numpy as np
import pytest

import pullback as pb

scipy = pytest.importorskip("scipy")
import scipy.integrate  # noqa: E402
import scipy.optimize  # noqa: E402
from scipy.sparse.linalg import cg  # noqa: E402

SOURCE = r"""
type Fit = { scale: Real, rate: Real }
def decay [n] (ts: [n]Real) (ys: [n]Real) (p: Fit): [n]Real = [ p.scale * exp (-p.rate * ts[i]) - ys[i] | i < n ]
def circle (x: Real) (y: Real): (Real, Real) = (x ^ 2 + y ^ 2 - 4, x - y)
def energy (q: { b: Real, a: [2]Real }) (k: Real): Real = k * (q.a[0] ^ 2 + 3 * q.a[1] ^ 2) + exp q.b - q.b
def kepler (s: { q: [2]Real, v: [2]Real }): { q: [2]Real, v: [2]Real } =
  let r = sqrt (dot s.q s.q) in { q = s.v, v = [ -x / r ^ 3 | x <- s.q ] }
def forced (t: Real) (y: [2]Real) (k: Real): [2]Real = [y[1], cos t - k * y[0]]
def stiff (y: [3]Real): [3]Real =
  let fast = 3e7 * y[1] ^ 2 in let slow = 1e4 * y[1] * y[2] in
  [-0.04 * y[0] + slow, 0.04 * y[0] - slow - fast, fast]
def bell (x: Real) (s: Real): Real = if x > 5 then error "too far" else exp (-s * x ^ 2)
"""


@pytest.fixture(scope="module")
def s():
    return pb.compile(SOURCE)


def test_least_squares(s):
    ts = np.linspace(0.0, 2.0, 20)
    p = s.decay.bind(ts=ts, ys=3.0 * np.exp(-0.7 * ts)).flat({"rate": 1.0, "scale": 1.0})
    r = scipy.optimize.least_squares(p.residuals, p.x0, jac=p.jacobian)
    model = p.unflatten(r.x)
    assert model["rate"] == pytest.approx(0.7) and model["scale"] == pytest.approx(3.0)
    e = np.exp(-ts)
    np.testing.assert_allclose(p.jacobian(p.x0), np.stack([e, -ts * e], axis=1))
    lazy = scipy.optimize.least_squares(p.residuals, p.x0, jac=p.linear_operator, method="trf")
    np.testing.assert_allclose(lazy.x, r.x, rtol=1e-6)
    fitted, _ = scipy.optimize.curve_fit(lambda t, *x: p.residuals(x), ts, 0 * ts, p0=p.x0, jac=lambda t, *x: p.jacobian(x))
    np.testing.assert_allclose(fitted, r.x, rtol=1e-6)


def test_root(s):
    p = s.circle.bind().flat(1.0, 0.5)
    r = scipy.optimize.root(p.residuals, p.x0, jac=p.jacobian)
    np.testing.assert_allclose(r.x, [np.sqrt(2.0)] * 2)
    np.testing.assert_allclose(p.jacobian([1.0, 2.0]), [[2.0, 4.0], [1.0, -1.0]])


def test_minimize_whatever_the_order_of_a_dictionary(s):
    for start in ({"a": [1.0, 2.0], "b": 0.5}, {"b": 0.5, "a": np.array([1, 2])}):
        p = s.energy.bind(k=2.0).flat(start)
        assert p.x0.tolist() == [0.5, 1.0, 2.0]
        np.testing.assert_allclose(p.grad(p.x0), [np.exp(0.5) - 1, 4.0, 24.0])
        np.testing.assert_allclose(p.hessian(p.x0), np.diag([np.exp(0.5), 4.0, 12.0]))
        for options in ({"method": "BFGS"}, {"method": "trust-ncg", "hessp": p.hvp}, {"method": "trust-exact", "hess": p.hessian}):
            r = scipy.optimize.minimize(p.value_and_grad, p.x0, jac=True, tol=1e-8, **options)
            np.testing.assert_allclose(r.x, 0.0, atol=1e-5)
        assert s.energy.check_grad({"a": [1.0, 2.0], "b": 0.5}, 2.0)
        step, _ = cg(p.linear_operator(p.x0), p.grad(p.x0))
        np.testing.assert_allclose(step, np.linalg.solve(p.hessian(p.x0), p.grad(p.x0)), rtol=1e-4)


def test_differential_equations(s):
    ode = s.kepler.bind().ivp({"v": [0.0, 1.0], "q": [1.0, 0.0]})
    assert ode.y0.tolist() == [1.0, 0.0, 0.0, 1.0]
    r = scipy.integrate.solve_ivp(ode.fun, (0.0, 1.0), ode.y0, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(r.y[:, -1], [np.cos(1.0), np.sin(1.0), -np.sin(1.0), np.cos(1.0)], rtol=1e-7)
    assert ode.unflatten(r.y[:, -1])["q"].shape == (2,)
    ode = s.stiff.bind().ivp([1.0, 0.0, 0.0])
    r = scipy.integrate.solve_ivp(ode.fun, (0.0, 40.0), ode.y0, method="Radau", jac=ode.jac, rtol=1e-8, atol=1e-10)
    # The values are those of Robertson's problem in the literature.
    np.testing.assert_allclose(r.y[:, -1], [0.7158271, 9.1855e-6, 0.2841638], rtol=1e-4)
    ode = s.forced.bind(k=1.0).ivp([0.0, 0.0], time="t")
    np.testing.assert_allclose(ode.jac(0.3, [1.0, 2.0]), [[0.0, 1.0], [-1.0, 0.0]])
    r = scipy.integrate.solve_ivp(ode.fun, (0.0, 3.0), ode.y0, rtol=1e-9, atol=1e-9)
    assert r.y[0, -1] == pytest.approx(1.5 * np.sin(3.0), rel=1e-6)
    with pytest.raises(TypeError, match="no parameter `u`"):
        s.forced.bind(k=1.0).ivp([0.0, 0.0], time="u")
    with pytest.raises(TypeError, match="one parameter must be left"):
        s.forced.bind().ivp([0.0, 0.0], time="t")
    with pytest.raises(ValueError, match="its derivative"):
        s.decay.bind(ts=[1.0], ys=[1.0]).ivp({"scale": 1.0, "rate": 1.0})


def test_function_pointers(s, m):
    call = s.bell.bind(s=1.0).flat(0.0).c_callback()
    gc.collect()
    area, _ = scipy.integrate.quad(call.low_level_callable(), -4.0, 4.0)
    assert area == pytest.approx(np.sqrt(np.pi), rel=1e-6)
    call.check()
    with pytest.warns(scipy.integrate.IntegrationWarning):
        area, _ = scipy.integrate.quad(call.low_level_callable(), 0.0, 9.0)
    assert np.isnan(area)
    with pytest.raises(pb.EvalError, match="too far"):
        call.check()
    call.check()
    # The pointer keeps what it points to.
    two = m.fn(r"\x y -> exp (-x ^ 2 - 2 * y ^ 2)").bind().flat(0.0, 0.0).c_callback().low_level_callable()
    gc.collect()
    area, _ = scipy.integrate.nquad(two, [(-6.0, 6.0), (-6.0, 6.0)])
    assert area == pytest.approx(np.pi / np.sqrt(2.0), rel=1e-6)
    p = s.energy.bind(k=2.0).flat({"a": [1.0, 2.0], "b": 0.5})
    value, gradient = p.c_callback()(p.x0)
    assert value == p.value(p.x0)
    np.testing.assert_allclose(gradient, p.grad(p.x0))
    with pytest.raises(ValueError, match="2 numbers"):
        p.c_callback()([1.0, 2.0])
    with pytest.raises(TypeError, match="must be a Real"):
        s.circle.bind().flat(1.0, 1.0).c_callback()
