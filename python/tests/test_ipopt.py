"""Ipopt on problems whose solutions are known."""

import numpy as np
import pytest

import pullback as pb

pytest.importorskip("cyipopt")

SOURCE = r"""
def cost (x: [4]Real): Real = x[0] * x[3] * (x[0] + x[1] + x[2]) + x[2]
def both (x: [4]Real): (Real, Real) = (x[0] * x[1] * x[2] * x[3], sum [ t ^ 2 | t <- x ])
def wood (p: { b: Real, a: [2]Real }): Real = (p.a[0] - 1) ^ 2 + (p.a[1] - p.b) ^ 4 + (p.b - 2) ^ 2
def root (x: Real): Real = if x < 0 then error "negative" else x - sqrt x
def never (x: Real): Real = error "never"
def least [n] (x: [n]Real): Real = -(sum x)
def circles [n] (x: [n]Real): []Real = [ x[2 * i] ^ 2 + x[2 * i + 1] ^ 2 | i < n / 2 ]
def neighbours [n] (x: [n]Real): Real = sum [ (x[i + 1] - x[i] * x[i]) ^ 2 | i < n - 1 ] + (x[0] - 1.0) ^ 2
def steep (x: [40]Real): Real = sum [ if t > 0.0 then t ^ 4 else t ^ 2 | t <- x ]
"""


@pytest.fixture(scope="module")
def s():
    return pb.compile(SOURCE)


def test_constraints(s):
    """Problem 71 of Hock and Schittkowski."""
    start = np.array([1.0, 5.0, 5.0, 1.0])
    f, g = s.cost.bind().flat(start), s.both.bind().flat(start)
    r = pb.ipopt.minimize(f, g, bounds=(1.0, 5.0), constraint_bounds=([25.0, 40.0], [np.inf, 40.0]))
    assert r.is_solved and r.value == pytest.approx(17.0140173, rel=1e-6)
    np.testing.assert_allclose(r.x, [1.0, 4.7429994, 3.8211503, 1.3794082], rtol=1e-5)
    np.testing.assert_allclose(r.multipliers, [-0.55229366, 0.16146857], rtol=1e-5)
    # Newton's method needs few steps: the second derivatives are right.
    assert r.iterations < 12


def test_large_problems_are_sparse(s):
    """Points on circles, as far as they go: as dense matrices, these would not fit into memory."""
    start = np.full(40_000, 0.5) + 0.1 * np.sin(np.arange(40_000.0))
    f, g = s.least.bind().flat(start), s.circles.bind().flat(start)
    r = pb.ipopt.minimize(f, g, constraint_bounds=(2.0, 2.0), tol=1e-10)
    assert r.is_solved and r.value == pytest.approx(-40_000.0)
    np.testing.assert_allclose(r.x, 1.0, rtol=1e-6)
    # -1 + 2 x times the multiplier is 0.
    np.testing.assert_allclose(r.multipliers, 0.5, rtol=1e-6)
    assert r.iterations < 15


def test_sparse_and_dense_matrices_lead_to_the_same(s, monkeypatch):
    start = np.linspace(0.5, 1.4, 60)
    f, g = s.neighbours.bind().flat(start), s.circles.bind().flat(start)
    many = pb.ipopt.minimize(f, g, constraint_bounds=(1.9, 2.0))
    monkeypatch.setattr(pb.ipopt, "_SMALL", 61)
    one = pb.ipopt.minimize(f, g, constraint_bounds=(1.9, 2.0))
    assert many.is_solved and one.is_solved and many.iterations == one.iterations
    np.testing.assert_allclose(many.x, one.x, rtol=1e-9)
    np.testing.assert_allclose(many.multipliers, one.multipliers, rtol=1e-6, atol=1e-12)


def test_entries_that_move_are_dense(s):
    r = pb.ipopt.minimize(s.steep.bind().flat(np.linspace(-1.0, 1.0, 40)), tol=1e-12)
    assert r.is_solved and abs(r.value) < 1e-6


def test_records(s):
    r = pb.ipopt.minimize(s.wood.bind().flat({"b": 0.0, "a": [0.0, 0.0]}), tol=1e-10)
    assert r.is_solved and r.arguments["b"] == pytest.approx(2.0)
    np.testing.assert_allclose(r.arguments["a"], [1.0, 2.0], atol=1e-2)
    r = pb.ipopt.minimize(s.root.bind().flat(4.0), bounds=(1e-3, np.inf))
    assert r.x[0] == pytest.approx(0.25)


def test_what_is_wrong(s):
    f = s.cost.bind().flat(np.ones(4))
    with pytest.raises(TypeError, match="whose value is a Real"):
        pb.ipopt.minimize(s.both.bind().flat(np.ones(4)))
    with pytest.raises(TypeError, match="the same 4 numbers"):
        pb.ipopt.minimize(f, s.root.bind().flat(1.0))
    with pytest.raises(ValueError, match="`bounds`"):
        pb.ipopt.minimize(f, bounds=([1.0, 2.0], [3.0, 4.0]))
    with pytest.raises(TypeError):
        pb.ipopt.minimize(f, no_such_option=1)
