"""Derivatives against difference quotients."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ._forms import ordered, reals
from ._problem import _merged
from ._tree import leaves, mapped


@dataclass(frozen=True)
class Checked:
    """What a check found: errors relative to the size of the derivative."""

    forward: float
    reverse: float

    @property
    def worst(self) -> float:
        """The larger one."""
        return max(self.forward, self.reverse)

    def __bool__(self) -> bool:
        """Whether both are as small as rounding makes them."""
        return bool(self.forward < 1e-5 and self.reverse < 1e-9)


def _dot(a, b) -> float:
    pairs = zip(leaves(a), leaves(b))
    return float(sum(np.vdot(x, y) for x, y in pairs if x is not None and y is not None))


def _absolute(leaf):
    return None if leaf is None else np.abs(leaf)


def _moved(value, direction, step: float):
    moves = iter(leaves(direction))

    def moved(leaf):
        move = next(moves)
        return leaf if move is None else np.asarray(leaf, dtype=float) + step * np.asarray(move)

    return mapped(moved, value)


def check_grad(function, args, kwargs, wrt, seed) -> Checked:
    """Checks the tangent and the cotangents along a random direction."""
    names = function.parameters
    given = dict(zip(names, args)) | {name: value for name, value in kwargs.items() if name in names}
    given = {name: ordered(function._forms[name], value, name) for name, value in given.items()}
    options = {name: value for name, value in kwargs.items() if name not in names}
    moving = (wrt,) if isinstance(wrt, str) else tuple(wrt) if wrt else function._reals
    random = np.random.default_rng(seed)

    def normal(leaf):
        return None if leaf is None else random.standard_normal(np.shape(leaf))

    # What is given may be lists and whole numbers.
    numbers = {name: reals(function._forms[name], given[name]) for name in moving}
    point = {name: _merged(given[name], numbers[name]) if name in moving else given[name] for name in names}
    tangents = {name: mapped(normal, numbers[name]) for name in moving}
    primals = tuple(point[name] for name in names)
    value, tangent = function.jvp(primals, tuple(tangents[name] for name in moving), wrt=moving, **options)
    step = 1e-6
    ends = []
    for sign in (1.0, -1.0):
        at = {**point, **{name: _moved(point[name], tangents[name], sign * step) for name in moving}}
        ends.append(function(*(at[name] for name in names), **options))
    cotangent = mapped(lambda leaf: None if leaf is None else random.standard_normal(np.shape(leaf)), tangent)
    before, behind, here = (_dot(cotangent, one) for one in (*reversed(ends), value))
    quotient = (behind - before) / (2.0 * step)
    forward = _dot(cotangent, tangent)
    _, pullback = function.vjp(*primals, wrt=moving, **options)
    back = pullback(cotangent)
    reverse = sum(_dot(part, tangents[name]) for part, name in zip(back, moving))
    # Where the derivative vanishes, as at a minimum, what it changes by along the step is its size.
    size = max(abs(forward), abs(quotient), abs(behind - here) / step, abs(here - before) / step, 1e-12)
    # The values are rounded, and no derivative is to blame for that.
    rounded = 2.0 * float(np.finfo(float).eps) * _dot(mapped(_absolute, cotangent), mapped(_absolute, value)) / step
    return Checked(max(abs(forward - quotient) - rounded, 0.0) / size, abs(forward - reverse) / size)
