"""Classes of sum types, and their values as numbers and Strings.

Each constructor is a class whose base is that of its type; `match` takes its fields apart. Compiled code has a value as
arrays, of Ints, of Reals and of Strings, parts first to last: a sum is its tag and then its fields, an array its sizes and
then its elements.

A type is "Real", "Int", "Bool" or "String"; or a tuple: ("tuple", items), ("record", class, items), ("array", dimensions, element),
("sum", number).
"""

from __future__ import annotations

import dataclasses
import keyword
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from ._convert import array, scalar, strings
from ._records import _asdict, _eq, _replace

# Constructors, each with how many fields it has.
Constructors = tuple[tuple[str, int], ...]

_BASES: dict[tuple[str, Constructors], type] = {}

# No value nests deeper: one that does holds itself, or takes more stack than there is.
_DEEP = 1_000_000


def _made(name: str, constructors: Constructors, tag: int, values: tuple) -> Any:
    return base(name, constructors)._constructors[tag](*values)  # type: ignore[attr-defined]


def _reduce(self):
    key = type(self)._key
    return _made, (*key, self._tag, tuple(getattr(self, name) for name in self._fields))


def _repr(self) -> str:
    values = ", ".join(repr(getattr(self, name)) for name in self._fields)
    return f"{type(self).__name__}({values})"


def base(name: str, constructors: Constructors) -> type:
    """The class of a sum type, the same one each time; `_constructors` has those of its constructors."""
    key = (name, tuple(constructors))
    if key in _BASES:
        return _BASES[key]
    whole = type(name, (), {"__doc__": f"A sum: {', '.join(one for one, _ in constructors)}.", "_key": key})
    whole.__module__ = "pullback.sums"
    classes = []
    for tag, (one, count) in enumerate(constructors):
        fields = tuple(f"_{at}" for at in range(count))
        namespace = {
            "__doc__": f"A constructor of {name} with {count} fields.",
            "__eq__": _eq,
            "__hash__": None,
            "__reduce__": _reduce,
            "__repr__": _repr,
            "_asdict": _asdict,
            "_replace": _replace,
            "_fields": fields,
            "_tag": tag,
        }
        called = one + "_" if keyword.iskeyword(one) else one
        made = dataclasses.make_dataclass(
            called, fields, bases=(whole,), frozen=True, eq=False, repr=False, namespace=namespace
        )
        made.__module__ = "pullback.sums"
        setattr(made, "__match_args__", fields)
        classes.append(made)
    whole._constructors = tuple(classes)  # type: ignore[attr-defined]
    _BASES[key] = whole
    return whole


def is_option(name: str, constructors: Constructors) -> bool:
    """Whether `None` of Python stands for `None` of the type."""
    return name == "Option" and sorted(constructors) == [("None", 0), ("Some", 1)]


class _Frame:
    """A value under construction: the types of its parts, those that there are, and what makes it of them."""

    __slots__ = ("types", "items", "make")

    def __init__(self, types: Sequence[Any], make: Callable[[list], Any]):
        self.types, self.make = types, make
        self.items: list[Any] = []


class Codec:
    """The way between values of a type and numbers."""

    def __init__(self, ty: Any, sums: list[tuple[str, list[tuple[str, list[Any]]]]]):
        self._ty = ty
        self._sums = []
        for name, constructors in sums:
            key = tuple((one, len(fields)) for one, fields in constructors)
            nothing = next((tag for tag, one in enumerate(key) if one[0] == "None"), -1) if is_option(name, key) else -1
            self._sums.append((base(name, key), [fields for _, fields in constructors], nothing))

    def encode(self, value: Any, name: str) -> tuple[np.ndarray, np.ndarray, list[str]]:
        """The Ints, the Reals and the Strings of a value; `name` is what messages call it."""
        return self._encode(value, name, False)

    def encode_tangent(self, value: Any, name: str) -> np.ndarray:
        """The Reals of a tangent: a value with nothing where there are no Reals, or an array of these."""
        if isinstance(value, np.ndarray) and value.dtype.kind == "f" and value.ndim == 1:
            return array(value, "Real", 1, name)
        return self._encode(value, name, True)[1]

    def _encode(self, value: Any, name: str, is_tangent: bool) -> tuple[np.ndarray, np.ndarray, list[str]]:
        ints: list[int] = []
        reals: list[float] = []
        texts: list[str] = []
        stack: list[tuple[Any, Any, int]] = [(self._ty, value, 0)]
        while stack:
            ty, value, depth = stack.pop()
            if depth > _DEEP:
                raise ValueError(f"`{name}` nests too deep, or holds itself")
            if ty == "Real":
                reals.append(value if type(value) is float else scalar(value, ty, 0, name))
            elif ty == "String":
                if not is_tangent:
                    texts.append(scalar(value, ty, 0, name))
            elif isinstance(ty, str):
                if not is_tangent:
                    ints.append(int(scalar(value, ty, 0, name)))
            elif ty[0] == "array":
                self._encode_array(ty, value, depth, (ints, reals, texts, stack), name, is_tangent)
            else:
                tag, types, parts = self._parts(ty, value, name)
                if tag is not None:
                    ints.append(tag)
                stack.extend((one, part, depth + 1) for one, part in zip(reversed(types), reversed(parts)))
        return np.array(ints, dtype=np.int64), np.array(reals, dtype=np.float64), texts

    def _encode_array(self, ty, value, depth, to, name, is_tangent) -> None:
        ints, reals, texts, stack = to
        _, rank, element = ty
        if isinstance(element, str):
            if is_tangent and element != "Real":
                return
            found = array(value, element, rank, name)
            ints.extend(found.shape)
            {"Real": reals, "String": texts}.get(element, ints).extend(found.ravel().tolist())
            return
        rows, shape = [value], []
        for _ in range(rank):
            for row in rows:
                if not isinstance(row, (tuple, list)):
                    raise TypeError(f"`{name}` has {_called(row)} where there must be a list or a tuple of values")
            sizes = {len(row) for row in rows}
            if len(sizes) > 1:
                raise ValueError(f"`{name}` has rows of differing sizes")
            shape.append(sizes.pop() if sizes else 0)
            rows = [item for row in rows for item in row]
        ints.extend(shape)
        stack.extend((element, item, depth + 1) for item in reversed(rows))

    def _parts(self, ty, value, name) -> tuple[int | None, Sequence[Any], Sequence[Any]]:
        """The tag of a value if it is a sum, and its parts with their types."""
        if ty[0] == "tuple":
            if not isinstance(value, (tuple, list)) or len(value) != len(ty[1]):
                raise TypeError(f"`{name}` has {_called(value)} where there must be a tuple of {len(ty[1])}")
            return None, ty[1], value
        if ty[0] == "record":
            fields = ty[1]._fields
            if isinstance(value, dict):
                if set(value) != set(fields):
                    raise TypeError(f"`{name}` has {sorted(map(str, value))} where the fields must be {list(fields)}")
                return None, ty[2], [value[field] for field in fields]
            if not all(hasattr(value, field) for field in fields):
                raise TypeError(f"`{name}` has {_called(value)} where there must be a {ty[1].__name__}")
            return None, ty[2], [getattr(value, field) for field in fields]
        whole, constructors, nothing = self._sums[ty[1]]
        if value is None and nothing >= 0:
            return nothing, (), ()
        if isinstance(value, type) and issubclass(value, whole) and value is not whole:
            if value._fields:  # type: ignore[attr-defined]
                raise TypeError(f"`{name}` has the class {value.__name__} where there must be a value of it")
            return value._tag, (), ()  # type: ignore[attr-defined]
        if not isinstance(value, whole) or type(value) is whole:
            raise TypeError(f"`{name}` has {_called(value)} where there must be a {whole.__name__}")
        tag = value._tag  # type: ignore[attr-defined]
        return tag, constructors[tag], [getattr(value, field) for field in value._fields]  # type: ignore[attr-defined]

    def plain(self, value: Any, name: str) -> Any:
        """The value as JSON has it."""
        self.encode(value, name)
        return self._plain(self._ty, value)

    def _plain(self, ty: Any, value: Any) -> Any:
        if isinstance(ty, str):
            found = scalar(value, ty, 0, "")
            return found if not isinstance(found, float) or np.isfinite(found) else str(found).replace("inf", "Infinity").replace("nan", "NaN")
        if ty[0] == "array":

            def rows(row: Any, rank: int) -> Any:
                return self._plain(ty[2], row) if rank == 0 else [rows(item, rank - 1) for item in row]

            return rows(value, ty[1])
        tag, types, parts = self._parts(ty, value, "")
        plain = [self._plain(one, part) for one, part in zip(types, parts)]
        if ty[0] == "record":
            return dict(zip(ty[1]._fields, plain))
        if tag is None:
            return plain
        called = self._sums[ty[1]][0]._key[1][tag][0]
        return {called: plain[0] if len(plain) == 1 else plain}

    def decode(self, ints: np.ndarray, reals: np.ndarray, texts: Sequence[str] = ()) -> Any:
        """The value of these numbers and Strings, which are those of one."""
        return self._decode(ints, reals, list(texts))

    def decode_tangent(self, ints: np.ndarray, reals: np.ndarray) -> Any:
        """The tangent with these Reals of the value with these Ints: it has nothing where there are no Reals."""
        return self._decode(ints, reals, None)

    def _decode(self, ints: np.ndarray, reals: np.ndarray, texts: list[str] | None) -> Any:
        """The value; without Strings it is that of a tangent."""
        is_tangent = texts is None
        whole, numbers, words = ints.tolist(), reals.tolist(), texts or []
        i = r = t = 0
        stack = [_Frame((self._ty,), lambda items: items[0])]
        while True:
            frame = stack[-1]
            if len(frame.items) == len(frame.types):
                value = frame.make(frame.items)
                stack.pop()
                if not stack:
                    return value
                stack[-1].items.append(value)
                continue
            ty = frame.types[len(frame.items)]
            if ty == "Real":
                frame.items.append(numbers[r])
                r += 1
            elif ty == "String":
                frame.items.append(None if is_tangent else words[t])
                t += 1
            elif isinstance(ty, str):
                found = None if is_tangent else bool(whole[i]) if ty == "Bool" else whole[i]
                frame.items.append(found)
                i += 1
            elif ty[0] == "tuple":
                stack.append(_Frame(ty[1], tuple))
            elif ty[0] == "record":
                stack.append(_Frame(ty[2], _maker(ty[1])))
            elif ty[0] == "sum":
                classes, constructors, nothing = self._sums[ty[1]]
                tag = whole[i]
                i += 1
                if tag == nothing:
                    frame.items.append(None)
                else:
                    stack.append(_Frame(constructors[tag], _maker(classes._constructors[tag])))
            else:
                shape = tuple(whole[i : i + ty[1]])
                i += ty[1]
                count = int(np.prod(shape, dtype=np.int64))
                if not isinstance(ty[2], str):
                    stack.append(_Frame((ty[2],) * count, partial(_nested, shape)))
                elif ty[2] == "Real":
                    frame.items.append(reals[r : r + count].reshape(shape).copy())
                    r += count
                elif ty[2] == "String":
                    frame.items.append(None if is_tangent else strings(words[t : t + count], shape))
                    t += count
                else:
                    found = ints[i : i + count].reshape(shape)
                    found = None if is_tangent else found != 0 if ty[2] == "Bool" else found.copy()
                    frame.items.append(found)
                    i += count


def _maker(made: type) -> Callable[[list], Any]:
    return lambda items: made(*items)


def _nested(shape: tuple[int, ...], items: list) -> tuple:
    """Tuples in tuples, of these sizes."""
    for size in reversed(shape[1:]):
        items = [tuple(items[at : at + size]) for at in range(0, len(items), size)] if size else [()] * shape[0]
    return tuple(items)


def _called(value) -> str:
    if isinstance(value, (tuple, list)):
        return f"{type(value).__name__} of {len(value)}"
    return f"the class {value.__name__}" if isinstance(value, type) else type(value).__name__
