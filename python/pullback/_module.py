"""Modules: texts that were loaded, whose definitions are attributes."""

from __future__ import annotations

import keyword
import os
import sys
import warnings
from typing import Any

from . import _native
from ._function import Function
from ._origin import placed
from ._records import record
from ._sums import base


class Module:
    """The definitions of a file or a text. `m.f` is the function `f`, or the value of the constant `f`; `m.Model` is the
    class of a record type, `m.Shape` that of a sum type, `m.Circle` that of a constructor. What becomes of the file later changes nothing."""

    def __init__(self, native: _native.Module) -> None:
        self._native = native
        self._definitions = {one["name"]: one for one in native.definitions}
        self._records = {name: fields for name, fields in native.records}
        self._sums: dict[str, type] = {}
        for name, constructors in native.sums:
            # The file's own types come last, and hide others of their names.
            sum_class = base(name, tuple(constructors))
            self._sums.update({name: sum_class} | {one.__name__: one for one in sum_class._constructors})  # type: ignore[attr-defined]
        self._known: dict[str, object] = {}

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "_known":
            raise AttributeError(name)
        # A name that is a word of Python is called with a `_` after it.
        wanted = name
        if name not in self._definitions and name[:-1] in self._definitions:
            if name.endswith("_") and keyword.iskeyword(name[:-1]):
                wanted = name[:-1]
        if wanted not in self._known:
            self._known[wanted] = self._found(wanted)
        return self._known[wanted]

    def _found(self, name: str) -> Any:
        if name in self._definitions:
            one = self._definitions[name]
            if one["params"] or "->" in one["type"]:
                return Function(self, name)
            return Function(self, rf"\() -> {name}", is_expression=True)(())
        if name in self._records:
            return record(name, tuple(self._records[name]))
        if name in self._sums:
            return self._sums[name]
        raise AttributeError(f"{self!r} has no definition `{name}`")

    def __dir__(self):
        return [*super().__dir__(), *self._definitions, *self._records, *self._sums]

    def __getitem__(self, name: str) -> Any:
        """A definition by its name, whatever that is."""
        try:
            return getattr(self, name)
        except AttributeError:
            raise KeyError(name) from None

    def __repr__(self) -> str:
        return f"<module {self.path}>"

    @property
    def path(self) -> str:
        """The path of the file, or the name of the text."""
        return self._native.path

    @property
    def definitions(self) -> list[dict]:
        """All definitions: name, type, documentation, place, parameters, result."""
        return self._native.definitions

    def fn(self, expression: str, names: list[str] | None = None) -> Function:
        r"""A function that is written as an expression in the scope of the text, as r"\x -> f x + 1"."""
        function = Function(self, expression, is_expression=True, names=names)
        function.signature
        return function

    def __reduce__(self):
        return _of_texts, (self.path, self._native.texts)


def _told(native) -> Module:
    for one in native.warnings:
        warnings.warn(one["rendered"].rstrip("\n"), stacklevel=3)
    return Module(native)


def _of_texts(path: str, texts: list[tuple[str, str]]) -> Module:
    return Module(_native.of_texts(path, texts))


def load(path: str | os.PathLike) -> Module:
    """Loads a file, and all that it imports."""
    return _told(_native.load(os.fspath(path)))


def compile(text: str, name: str | None = None) -> Module:
    """Loads a text. `name` is what messages call it; imports are sought beside it. Without a name they lead into the Python
    file that calls this, if the text stands there as it is."""
    if not isinstance(text, str):
        raise TypeError(f"`text` must be a str, not {type(text).__name__}")
    if name is None:
        name, text = placed(text, sys._getframe(1)) or ("<text>", text)
    return _told(_native.compile(name, text))
