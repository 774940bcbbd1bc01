"""Strings: in and out of functions, in arrays, records and sums, beside numbers that move."""

import pickle

import numpy as np
import pytest

import pullback as pb

TEXT = """
type Unit = Plain | Named String Real | Group ([]Unit) | Tagged ([]String) Int
type Row = { name: String, w: Real }
def joined (one: String) (other: String): String = one ++ other
def shown (x: Real): String = string x
def scale (unit: String) (x: Real): Real = if unit == "km" then 1000.0 * x else x
def total [n] (units: [n]String) (xs: [n]Real): Real = sum [ scale units[i] xs[i] * xs[i] | i < n ]
def reversed [n] (texts: [n]String): [n]String = [ texts[n - 1 - i] | i < n ]
def swapped [n] [m] (texts: [n][m]String): [m][n]String = [ [ texts[i][j] | i < n ] | j < m ]
def heavier [n] (rows: [n]Row) (unit: String): [n]Row = [ { name = row.name ++ unit, w = 2.0 * row.w } | row <- rows ]
def weight (u: Unit): Real =
  match u with
  | Plain -> 1.0
  | Named name x -> scale name x * x
  | Group all -> sum [ weight u | u <- all ]
  | Tagged tags k -> real (k * size tags)
def doubled (u: Unit): Unit =
  match u with
  | Plain -> Plain
  | Named name x -> Named (name ++ name) (2.0 * x)
  | Group all -> Group ([ doubled u | u <- all ])
  | Tagged tags k -> Tagged ([ tag ++ "!" | tag <- tags ]) (2 * k)
def found (name: String) (x: Real): Option String = if x > 0.0 then Some name else None
def refused (why: String) (x: Real): Real = if x > 0.0 then error why else x
def greeting: String = "hello π"
"""

OPTIONS = [{}, {"engine": "ir"}, {"engine": "native"}, {"fp": "strict"}]
HOSTILE = ["", "\0", "a\0b\0", "🙂", "\U0010ffff", "\ufffe", "é" * 1000, "\r\n\t\"\\", "x" * 3_000_000]


@pytest.fixture(scope="module")
def s():
    return pb.compile(TEXT, name="strings.pull")


@pytest.mark.parametrize("options", OPTIONS)
def test_strings_are_str(s, options):
    for one, other in zip(HOSTILE, HOSTILE[::-1]):
        assert s.joined(one, other, **options) == one + other
    assert s.shown(2.5, **options) == "2.5" and s.greeting == "hello π"
    assert s.scale.value_and_grad("km", 2.0, **options) == (2000.0, 1000.0)
    assert s.scale.jvp(("m", 2.0), (3.0,), **options) == (2.0, 3.0)
    assert s.scale.hvp("m", 2.0, 3.0, **options) == 0.0


@pytest.mark.parametrize("options", OPTIONS)
def test_arrays_of_strings(s, options):
    found = s.reversed(HOSTILE, **options)
    assert isinstance(found, np.ndarray) and found.dtype == object and found.tolist() == HOSTILE[::-1]
    for given in (("a", "b"), np.array(["a", "b"]), np.array(["a", "b"], dtype=object), np.array(["a", "b", "c", "d"])[:2]):
        assert s.reversed(given, **options).tolist() == ["b", "a"]
    assert s.reversed([], **options).shape == (0,)
    rows = s.swapped([["a", "b", "c"], ["d", "e", "f"]], **options)
    assert rows.tolist() == [["a", "d"], ["b", "e"], ["c", "f"]]
    assert s.swapped(np.empty((0, 3), dtype=object), **options).shape == (3, 0)
    value, bar = s.total.value_and_grad(["km", "m"], [2.0, 3.0], **options)
    assert value == 4009.0 and bar.tolist() == [4000.0, 6.0]
    heavy = s.heavier({"name": ["a", "b"], "w": [1.0, 2.0]}, "!", **options)
    assert heavy.name.tolist() == ["a!", "b!"] and heavy.w.tolist() == [2.0, 4.0]
    value, pull = s.heavier.vjp({"name": ["a", "b"], "w": [1.0, 2.0]}, "!", **options)
    assert pull({"name": None, "w": [1.0, 3.0]}).w.tolist() == [2.0, 6.0]


@pytest.mark.parametrize("options", OPTIONS)
def test_strings_in_sums(s, options):
    u = s.Group([s.Named("km", 1.0), s.Tagged(["a", "b\0"], 3), s.Group([s.Named("", 2.0)]), s.Plain])
    value, bar = s.weight.value_and_grad(u, **options)
    assert value == 1000.0 + 6.0 + 4.0 + 1.0
    assert bar == s.Group((s.Named(None, 2000.0), s.Tagged(None, None), s.Group((s.Named(None, 4.0),)), s.Plain()))
    twice = s.doubled(u, **options)
    words = np.array(["a!", "b\0!"], dtype=object)
    assert twice == s.Group((s.Named("kmkm", 2.0), s.Tagged(words, 6), s.Group((s.Named("", 4.0),)), s.Plain()))
    assert s.doubled.jvp((u,), (bar,), **options)[1] == bar._replace(_0=tuple(
        [s.Named(None, 4000.0), s.Tagged(None, None), s.Group((s.Named(None, 8.0),)), s.Plain()]
    ))
    assert s.found("me", 1.0, **options) == s.Some("me") and s.found("me", -1.0, **options) is None
    assert pickle.loads(pickle.dumps(twice)) == twice
    p = s.weight.bind().flat(u)
    assert p.x0.tolist() == [1.0, 2.0] and p.grad(p.x0).tolist() == [2000.0, 4.0]
    assert s.weight.check_grad(u) and s.total.check_grad(["km", "m"], [2.0, 3.0])


def test_what_is_no_string_is_refused(s):
    for wrong in (1, 1.0, None, b"bytes", ["a"], bytearray(b"a"), np.array(1.0), object(), {"a": 1}):
        with pytest.raises((TypeError, pb.SizeError), match="`one`"):
            s.joined(wrong, "a")
    for wrong in ("text", 1, None, ["a", 1], ["a", b"b"], [None], np.array([1.0]), {"a": 1}, np.array([b"a"]), ["a", np.nan]):
        with pytest.raises(TypeError, match="`texts`"):
            s.reversed(wrong)
    for wrong in (["a", ["b"]], [["a", "b"], ["c"]], [["a"]], np.array("a")):
        with pytest.raises((TypeError, pb.SizeError), match="`texts`"):
            s.reversed(wrong)
    with pytest.raises(ValueError, match="`one` has half of a surrogate pair"):
        s.joined("\ud800", "a")
    with pytest.raises(ValueError, match="`texts` has half of a surrogate pair"):
        s.reversed(["a", "\udfff"])
    with pytest.raises(ValueError, match="`u` has half of a surrogate pair"):
        s.weight(s.Named("\ud800", 1.0))
    with pytest.raises(TypeError, match="`u` must be a String, not bytes"):
        s.weight(s.Named(b"km", 1.0))
    with pytest.raises(pb.SizeError):
        s.total(["km"], [1.0, 2.0])
    with pytest.raises(pb.CompileError, match="holds no Reals"):
        s.scale.grad("km", 2.0, wrt="unit")
    with pytest.raises(pb.EvalError, match="no 🙂"):
        s.refused("no 🙂", 1.0)


def test_calls_do_not_grow_memory(s):
    resource = pytest.importorskip("resource")
    long = "x" * 100_000
    s.joined(long, long, engine="native")

    def calls():
        for _ in range(2_000):
            s.joined(long, long, engine="native")
            s.reversed([long, "b"], engine="native")
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    assert calls() >= calls() - 20_000


def test_what_else_takes_strings(s):
    from pullback._stubs import stubs

    assert "def __call__(self, texts: npt.ArrayLike, **options: Any) -> npt.NDArray[np.object_]" in stubs(s)
    assert s.reversed.map([["a", "b\0"], ["c", "d"]]).tolist() == [["b\0", "a"], ["d", "c"]]
    assert s.scale.bind(unit="km").flat(2.0).value_and_grad([3.0])[0] == 3000.0
    assert s.scale.kinks("km", 2.0) == [] and s.scale.trace_nan("km", 2.0) == []
    assert s.scale.cost("km", 2.0)["value"] > 0
    assert s.fn(r"\x -> scale (string x) x")(2.0) == 2.0
    assert pickle.loads(pickle.dumps(s.joined))("a", "b") == "ab"
    with pytest.raises(ValueError):
        s.reversed.map([["a"], ["b", "c"]])


@pytest.mark.parametrize("name", ["jax", "torch"])
def test_other_libraries_refuse_strings(s, name):
    pytest.importorskip(name)
    with pytest.raises(TypeError, match="no Strings: wrap a function that"):
        getattr(pb, name).wrap(s.scale)("km", 1.0)
    # What the message says to do.
    wrapped = getattr(pb, name).wrap(s.fn(r'\x -> scale "km" x'))
    import importlib

    given = importlib.import_module("torch").tensor(2.0) if name == "torch" else 2.0
    assert float(wrapped(given)) == 2000.0
