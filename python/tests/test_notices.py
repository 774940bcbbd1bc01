"""What runs meet, how far they are, and log-densities."""

import numpy as np
import pytest

import pullback as pb

TEXT = """
type Mode = Up | Down
type Model = { w: []Real, k: Int }
def size_of [n] (x: [n]Real): Real = sum [ abs t | t <- x ]
def ratio (x: Real) (y: Real): Real = (x - y) / (x - y)
def both (mode: Mode) (m: Model) (x: Real): Real =
  match mode with
  | Up -> abs x + m.w[m.k]
  | Down -> x
def states (k: Int) (x: Real): Real = loop y = x for _ < k do 3.7 * y * (1.0 - y)
def normal [n] (x: [n]Real): Real = -0.5 * sum [ t ^ 2 | t <- x ]
"""


@pytest.fixture(scope="module")
def w():
    return pb.compile(TEXT, name="noticed.pull")


def test_kinks(w):
    (one,) = w.size_of.kinks([1.0, 0.0, -2.0])
    assert one.code == "W0702" and one.span["line"] == 4 and "`abs 0.0`" in one.message and "W0702" in str(one)
    assert w.size_of.kinks([1.0, 2.0]) == []
    (one,) = w.both.kinks(w.Up(), {"w": [1.0, 2.0], "k": 1}, 0.0, wrt="x")
    assert one.code == "W0702"
    assert w.both.kinks(mode=w.Down(), m={"w": [1.0, 2.0], "k": 1}, x=0.0) == []


def test_trace_nan(w):
    (one,) = w.ratio.trace_nan(1.0, 1.0)
    assert one.code == "W0703" and one.span["line"] == 5 and "0.0 / 0.0" in one.message
    assert w.ratio.trace_nan(1.0, 2.0) == []
    assert [one.code for one in w.size_of.trace_nan([np.nan])] == ["W0705"]
    with pytest.raises(TypeError, match="there is no parameter `z`"):
        w.ratio.trace_nan(1.0, z=2.0)
    with pytest.raises(TypeError, match="`y` is not given"):
        w.ratio.trace_nan(1.0)
    with pytest.raises(TypeError, match="expressions"):
        w.fn(r"\x -> x + 1.0").kinks(0.0)


def test_clarke(w):
    found = w.size_of.clarke([1.0, 0.0, -2.0])
    # By hand: |t| has the slopes -1 and 1 at 0.
    assert found.low["x"].tolist() == [1.0, -1.0, -1.0] and found.high["x"].tolist() == [1.0, 1.0, -1.0]
    assert sorted(piece.gradient["x"].tolist() for piece in found.pieces) == [[1.0, -1.0, -1.0], [1.0, 1.0, -1.0]]
    assert {piece.ties[0][1] for piece in found.pieces} == {"above", "below"}
    assert all(piece.value == 3.0 and ":4:" in piece.ties[0][0] for piece in found.pieces)
    assert found.convention["x"].tolist() == [1.0, 0.0, -1.0] and found.is_inside
    assert not found.jumps and found.undecided == ()
    (only,) = w.size_of.clarke([1.0, 2.0]).pieces
    assert only.ties == ()
    both = w.both.clarke(w.Up(), {"w": [1.0, 2.0], "k": 1}, 0.0, wrt=("x", "m"))
    assert both.low["x"] == -1.0 and both.high["x"] == 1.0 and both.high["m"].tolist() == [0.0, 1.0]
    assert isinstance(both.low["x"], float)
    with pytest.raises(TypeError, match="expressions"):
        w.fn(r"\x -> x + 1.0").clarke(0.0)
    with pytest.raises(pb.PullbackError) as refused:
        pb.compile("def down (x: Real): Real = x * floor x").down.clarke(1.0)
    assert refused.value.code == "E0715"


def test_bounds(w):
    (one,) = w.states.bounds(1, intervals={"x": (0.25, 0.5)}).bounds
    # By hand: 3.7 x (1 - x) grows from 0.69375 to 0.925, with the slope 3.7 (1 - 2 x); each x alone goes from 1/4 to 1/2.
    assert one.value.low <= 0.69375 and 0.925 <= one.value.high <= 3.7 * 0.5 * 0.75 + 1e-12 and not one.value.nan
    (slope,) = one.derivatives["x"]
    assert slope.low <= 0.0 <= 1.85 <= slope.high and one.change <= one.value.high - one.value.low + 1e-12
    (nan,) = w.ratio.bounds(1.0, 1.0).bounds
    assert nan.value.nan and nan.value.low > nan.value.high
    both = w.size_of.bounds([1.0, -2.0], radius=0.5)
    assert both.ways == 1 and both.bounds[0].derivatives["x"][1].low == -1.0
    assert w.size_of.bounds([0.0], radius=1.0).bounds[0].derivatives["x"][0].high == 1.0
    with pytest.raises(pb.PullbackError) as refused:
        w.size_of.bounds(intervals={"x": (0.0, 1.0)})
    assert refused.value.code == "E0827"
    with pytest.raises(ValueError, match="least number"):
        w.ratio.bounds(1.0, intervals={"y": (1.0, 0.0)})


def test_progress(w, capfd):
    for engine, count in (("native", 600_000_000), ("ir", 30_000_000)):
        told = []
        w.states(count, 0.3, engine=engine, progress=lambda done, all: told.append((done, all)))
        assert told and all(of == count for _, of in told) and sorted(told) == told
        w.states(count, 0.3, engine=engine, progress=True)
        assert "states: " in capfd.readouterr().err

    def fails(done, all):
        raise RuntimeError("enough")

    for options in ({}, {"engine": "ir"}, {"engine": "native"}):
        with pytest.raises(RuntimeError, match="enough"):
            w.states(10**12, 0.3, progress=fails, **options)
    with pytest.raises(TypeError, match="progress"):
        w.states(1, 0.3, progress="yes")
    assert w.states(1, 0.5, engine="ir", progress=print) == pytest.approx(0.925)


def test_log_density(w):
    d = pb.log_density(w.normal.bind().flat([0.0, 0.0]))
    x = np.array([1.0, 2.0])
    assert d.param_num() == d.param_unc_num() == 2 and d.log_density(x) == -2.5
    value, gradient = d.log_density_gradient(x)
    assert value == -2.5 and gradient.tolist() == [-1.0, -2.0]
    assert d.log_density_hessian(x)[2].tolist() == [[-1.0, 0.0], [0.0, -1.0]]
    assert d.log_density_hessian_vector_product(x, np.array([1.0, 3.0]))[1].tolist() == [-1.0, -3.0]
    assert d.c_callback().value_address
    with pytest.raises(TypeError):
        pb.log_density(w.normal)
