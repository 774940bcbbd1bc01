"""Columns of pandas and polars as arrays, and frames as arrays of records."""

import numpy as np
import pytest

import pullback as pb

SOURCE = r"""
type Trip = { hours: Real, seats: Int, paid: Bool }
def rate [n] (trips: [n]Trip) (a: Real): Real =
  sum [ if trips[i].paid then a * trips[i].hours * real trips[i].seats else 0 | i < n ]
def each [n] (trips: [n]Trip): [n]{ cost: Real, seats: Int } =
  [ { cost = 2 * trips[i].hours, seats = trips[i].seats } | i < n ]
def norm2 [n] (x: [n]Real): Real = sum [ t ^ 2 | t <- x ]
def count [n] (x: [n]Int): Int = sum x
def column [n] [k] (x: [n][k]Real): [k]Real = [ sum [ x[i, j] | i < n ] | j < k ]
"""
COLUMNS = {"hours": [1.5, 2.0, 4.0], "seats": [1, 2, 3], "paid": [True, False, True], "name": ["a", "b", "c"]}


@pytest.fixture(scope="module")
def t():
    return pb.compile(SOURCE)


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames(t, library):
    frames = pytest.importorskip(library)
    df = frames.DataFrame(COLUMNS)
    assert t.norm2(df["hours"]) == 22.25 and t.count(df["seats"]) == 6
    np.testing.assert_allclose(t.column(df[["hours", "seats"]]), [7.5, 6.0])
    value, gradient = t.rate.value_and_grad(df, 2.0)
    assert value == 27.0 and gradient[1] == 13.5
    np.testing.assert_allclose(gradient[0].hours, [2.0, 0.0, 6.0])
    assert t.rate.check_grad(df, 2.0)
    p = t.rate.bind(trips=df).flat(2.0)
    assert p.value([4.0]) == 54.0
    back = frames.DataFrame(t.each(df)._asdict())
    assert list(back.columns) == ["cost", "seats"] and list(back["cost"]) == [3.0, 4.0, 8.0]
    with pytest.raises(TypeError, match="`x` must be an array of Reals"):
        t.norm2(df["name"])
    with pytest.raises(TypeError, match="with a field `paid`"):
        t.rate(df[["hours", "seats"]], 1.0)
    with pytest.raises(TypeError, match="`x` must be an array of Ints"):
        t.count(df["hours"])


def test_what_is_missing(t):
    pandas = pytest.importorskip("pandas")
    with pytest.raises(TypeError, match="`x` must be an array of Ints"):
        t.count(pandas.Series([1, None], dtype="Int64"))
    assert t.count(pandas.Series([1, 2], dtype="Int64")) == 3
    assert np.isnan(t.norm2(pandas.Series([1.0, None])))
    polars = pytest.importorskip("polars")
    with pytest.raises(TypeError, match="`x` must be an array of Ints"):
        t.count(polars.Series([1, None]))
    assert np.isnan(t.norm2(polars.Series([1.0, None])))
