"""Values made of numbers, arrays, tuples and records: taken apart and put together."""

from __future__ import annotations

from dataclasses import is_dataclass

import numpy as np


def parts(value):
    """The parts of a structure, and what makes one of others; none if it is no structure."""
    if hasattr(value, "_fields") and (is_dataclass(value) or isinstance(value, tuple)):
        return [getattr(value, name) for name in value._fields], lambda items: type(value)(*items)
    if isinstance(value, dict):
        keys = list(value)
        return [value[key] for key in keys], lambda items: dict(zip(keys, items))
    if isinstance(value, tuple):
        return list(value), tuple
    return None


def leaves(value) -> list:
    """The leaves, in order."""
    found = parts(value)
    if found is None:
        return [value]
    return [leaf for part in found[0] for leaf in leaves(part)]


def named(name: str, value) -> list:
    """The leaves, in order, each with its name: that of the whole, and those of fields, items and keys after dots."""
    found = parts(value)
    if found is None:
        return [(name, value)]
    items = found[0]
    keys = value if isinstance(value, dict) else getattr(value, "_fields", range(len(items)))
    return [leaf for key, item in zip(keys, items) for leaf in named(f"{name}.{key}", item)]


def mapped(function, value):
    """The same structure with other leaves."""
    found = parts(value)
    if found is None:
        return function(value)
    items, make = found
    return make([mapped(function, item) for item in items])


def is_real(leaf) -> bool:
    """Whether a leaf holds Reals."""
    if leaf is None or isinstance(leaf, (bool, np.bool_)):
        return False
    return np.asarray(leaf).dtype.kind == "f" or isinstance(leaf, float)


def lengths(value) -> list[int]:
    """The sizes of the leading axes of all leaves."""
    sizes = []
    for leaf in leaves(value):
        shape = np.shape(leaf)
        if not shape:
            raise ValueError("a number has no axis to map over")
        sizes.append(shape[0])
    return sizes


def row(value, at: int):
    """The element of the leading axis of all leaves."""
    return mapped(lambda leaf: _array(leaf)[at], value)


def _array(leaf) -> np.ndarray:
    """A leaf as an array; Strings are objects, of which nothing is cut off."""
    found = np.asarray(leaf)
    return np.asarray(leaf, dtype=np.object_) if found.dtype.kind in "UT" else found


def stacked(values: list):
    """Values of one structure as one with a leading axis."""
    if not values:
        return np.zeros(0)
    found = parts(values[0])
    if found is None:
        return None if values[0] is None else np.stack([_array(value) for value in values])
    columns = zip(*(parts(value)[0] for value in values))
    return found[1]([stacked(list(column)) for column in columns])
