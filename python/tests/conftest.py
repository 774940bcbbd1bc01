"""What the tests share."""

import pathlib

import pytest

import pullback as pb

SOURCE = r"""
-- | A model of two inputs.
type Model = { w: [2]Real, b: Real }
type Cell = { pos: [3]Real, id: Int, on: Bool }

-- | The squared error.
def loss [n] (xs: [n][2]Real) (ys: [n]Real) (m: Model): Real =
  sum [ (m.w[0] * xs[i, 0] + m.w[1] * xs[i, 1] + m.b - ys[i]) ^ 2 | i < n ]

def cube (x: Real): Real = x ^ 3
def norm2 [n] (x: [n]Real): Real = sum [ x[i] ^ 2 | i < n ]
def rosenbrock [n] (x: [n]Real): Real =
  sum [ 100 * (x[i + 1] - x[i] ^ 2) ^ 2 + (1 - x[i]) ^ 2 | i < n - 1 ]
def squares [n] (x: [n]Real): [n]Real = map (\t -> t ^ 2) x
def product [n] [m] (a: [n][m]Real) (x: [m]Real): [n]Real = a @ x
def same [n] (x: [n]Real): [n]Real = x
def count (n: Int): [n]Real = [ real i | i < n ]
def add [n] (a: [n]Int) (k: Int): [n]Int = map (\x -> x + k) a
def negate [n] (a: [n]Bool): [n]Bool = map not a
def pair (p: (Real, Int)): (Real, [2]Real) = (p.0 * 2, [p.0, real p.1])
def cells [n] (cs: [n]Cell) (k: Int): Real = sum [ sum cs[i].pos * real (cs[i].id + k) | i < n ]
def at [n] (x: [n]Real) (i: Int): Real = x[i]
def halves [n] (x: [n + n]Real) (y: [n]Real): Real = sum x + sum y
def slow (n: Int) (x: Real): Real = loop s = x for i < n do sin s + x
def deep (n: Int): Int = if n < 1 then 0 else 1 + deep (n - 1)
def large (n: Int): Real = sum (scan (+) 0.0 [ real i | i < n ])
def refuses (x: Real): Real = if x > 0 then x else error "x must be positive"
def seven: Int = 7
def lambda (x: Real): Real = 2 * x
"""


@pytest.fixture(scope="session")
def m():
    return pb.compile(SOURCE)


@pytest.fixture
def source():
    return SOURCE


@pytest.fixture(scope="session")
def examples():
    return pathlib.Path(__file__).parents[2] / "examples"
