"""The generalised gradient of a function at a point (Clarke 1975), as the command `clarke` tells it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import numpy as np

from ._noticed import argument_files, arguments


@dataclass(frozen=True)
class Piece:
    """A smooth piece that has the point inside or on its border: its value there, its gradient by the names of parameters,
    and each tie with its place and the side that the piece is on, "above", "below" or "equal"."""

    value: float
    gradient: dict[str, Any]
    ties: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Clarke:
    """The derivatives of the smooth pieces that meet at a point. `low` and `high` are the bounds of their convex hull, Real by
    Real, and `convention` is what `grad` gives, all by the names of parameters: a number or an array of numbers in its
    shape, and of any other parameter the vector of its Reals. `is_inside` says whether that is in the hull,
    `jumps` whether the pieces differ in their values, so that there is no generalised gradient. `undecided` are the places of
    ties whose sides the first order does not decide: then the hull may be too large."""

    low: dict[str, Any]
    high: dict[str, Any]
    pieces: tuple[Piece, ...]
    convention: dict[str, Any]
    is_inside: bool
    jumps: bool
    undecided: tuple[str, ...]


def clarke(function, args: tuple, kwargs: dict[str, Any], wrt) -> Clarke:
    """The generalised gradient of a function whose value is a Real."""
    from ._function import _names

    given = arguments(function, args, kwargs)
    files = argument_files(function, given)
    found = json.loads(function._module._native.clarke(function._what, list(_names(wrt)), files))
    hull = {name: np.array(bounds, dtype=np.float64).reshape(-1, 2) for name, bounds in found["hull"].items()}

    def parts(numbers) -> dict[str, Any]:
        """What is flat, by parameter. A number or an array of numbers has its own shape."""
        vector, at, by_name = np.array(numbers, dtype=np.float64), 0, {}
        for name, bounds in hull.items():
            part = vector[at : at + len(bounds)]
            at += len(bounds)
            form = function._forms.get(name)
            if isinstance(form, tuple):
                by_name[name] = part.reshape(np.shape(given[name])) if form[1] else float(part[0])
            else:
                by_name[name] = part
        return by_name

    def piece(one: dict[str, Any]) -> Piece:
        ties = tuple((tie["at"], tie["side"]) for tie in one["ties"])
        return Piece(float(one["value"]), parts(one["gradient"]), ties)

    both = np.concatenate([*hull.values(), np.zeros((0, 2))])
    return Clarke(
        parts(both[:, 0]),
        parts(both[:, 1]),
        tuple(map(piece, found["pieces"])),
        parts(found["convention"]),
        found["inside"],
        found["jumps"],
        tuple(found["undecided"]),
    )
