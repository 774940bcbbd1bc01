"""Bounds of a function and its derivatives on a box, as the command `bounds` tells them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from ._noticed import argument_files, arguments


@dataclass(frozen=True)
class Range:
    """The numbers from `low` to `high`, and NaN if it may arise. Where nothing but NaN is, `low` is above `high`."""

    low: float
    high: float
    nan: bool


@dataclass(frozen=True)
class Bounds:
    """The bounds of a Real of the value, of its derivatives by the Reals of each parameter, and of the difference of two of its
    values on the box."""

    value: Range
    derivatives: dict[str, tuple[Range, ...]]
    change: float


@dataclass(frozen=True)
class Box:
    """The bounds of each Real of the value, and in how many ways the program goes on the box: they are the hulls of these."""

    bounds: tuple[Bounds, ...]
    ways: int


def bounds(function, args: tuple, kwargs: dict[str, Any], wrt, intervals, radius: float) -> Box:
    """What a function and its derivatives are on a box."""
    from ._function import _names

    files = argument_files(function, arguments(function, args, kwargs, intervals))
    named = [(name, float(low), float(high)) for name, (low, high) in intervals.items()]
    for name, low, high in named:
        if not low <= high:
            raise ValueError(f"the interval of `{name}` goes from {low} to {high}: the least number comes first")
    if not radius >= 0.0:
        raise ValueError("a radius is a number that is not negative")
    native = function._module._native
    found = json.loads(native.bounds(function._what, list(_names(wrt)), files, named, float(radius)))

    def of(one: dict[str, Any]) -> Range:
        low, high = one["interval"] or (float("inf"), float("-inf"))
        return Range(float(low), float(high), one["nan"])

    def bound(one: dict[str, Any]) -> Bounds:
        slopes = {name: tuple(map(of, parts)) for name, parts in one["derivatives"].items()}
        return Bounds(of(one["value"]), slopes, float(one["change"]))

    return Box(tuple(map(bound, found["bounds"])), found["ways"])
