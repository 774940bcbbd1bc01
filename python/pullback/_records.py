"""Classes of records: a frozen dataclass for each name with its fields."""

from __future__ import annotations

import dataclasses
import keyword
from collections.abc import Callable

import numpy as np

_CLASSES: dict[tuple[str, tuple[str, ...]], type] = {}
_LISTENERS: list[Callable[[type], None]] = []


def listen(told: Callable[[type], None]) -> None:
    """Has a function told of each class, those that there are and those to come."""
    _LISTENERS.append(told)
    for known in _CLASSES.values():
        told(known)



def _same(a, b) -> bool:
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return np.array_equal(a, b)
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(map(_same, a, b))
    return bool(a == b)


def _eq(self, other):
    if type(self) is not type(other):
        return NotImplemented
    return all(_same(getattr(self, name), getattr(other, name)) for name in self._fields)


def _asdict(self) -> dict:
    """The fields by name, those of records inside too."""
    values = ((name, getattr(self, name)) for name in self._fields)
    return {name: value._asdict() if hasattr(value, "_asdict") else value for name, value in values}


def _replace(self, **fields):
    """A copy with other values of some fields."""
    return dataclasses.replace(self, **fields)


def _made(name: str, fields: tuple[str, ...], values: tuple):
    return record(name, fields)(*values)


def _reduce(self):
    values = tuple(getattr(self, name) for name in self._fields)
    return _made, (type(self).__name__, self._fields, values)


def _called(fields: tuple[str, ...]) -> tuple[str, ...]:
    """The names of fields in Python: `x'` is `x_`, and `lambda` is `lambda_`."""
    names: list[str] = []
    for field in fields:
        name = "".join(letter if letter.isalnum() or letter == "_" else "_" for letter in field)
        while keyword.iskeyword(name) or name in names or not name.isidentifier():
            name += "_"
        names.append(name)
    return tuple(names)


def record(name: str, fields: tuple[str, ...]) -> type:
    """The class of a record with these fields, the same one each time."""
    fields = _called(tuple(fields))
    key = (name, fields)
    if key not in _CLASSES:
        namespace = {
            "__doc__": f"A record: {', '.join(fields)}.",
            "__eq__": _eq,
            "__hash__": None,
            "__reduce__": _reduce,
            "_asdict": _asdict,
            "_replace": _replace,
            "_fields": fields,
        }
        made = dataclasses.make_dataclass(
            name, fields, frozen=True, eq=False, namespace=namespace
        )
        made.__module__ = "pullback.records"
        setattr(made, "__match_args__", fields)
        _CLASSES[key] = made
        for told in _LISTENERS:
            told(made)
    return _CLASSES[key]
