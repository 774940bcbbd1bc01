"""Pullback in notebooks: `%load_ext pullback`, and then cells that begin with `%%pullback`.

A cell has definitions, expressions and commands. Definitions stay; what is defined is a function of Python too. Expressions
may use arrays and numbers of Python by name. The value of each expression is shown, and `it` is that of the last one.
"""

from __future__ import annotations

import re
import sys
from typing import Any

import numpy as np
from IPython.core.magic import Magics, cell_magic, line_magic, magics_class
from IPython.display import SVG, display

from ._errors import CompileError, PullbackError
from ._function import Function
from ._html import shown
from ._session import Answer, Chunk, Session, chunks
from ._svg import plot
from ._tree import leaves

__all__ = ["Shown", "load"]

_COMMANDS = "`:type E`, `:plot E`, `:show F`, `:grad F`, `:doc NAME`, `:defs` and `:reset`"


class Shown:
    """A value as a notebook shows it."""

    def __init__(self, answer: Answer):
        self.value, self.type = answer.value, answer.type

    def __repr__(self) -> str:
        return f"{self.value!r} : {self.type}" if not isinstance(self.value, Function) else self.type

    def _repr_html_(self) -> str | None:
        if isinstance(self.value, Function) or not isinstance(self.value, (np.ndarray, tuple)) and not hasattr(self.value, "_fields"):
            return None
        return shown(self.value)


def _curves(value: Any) -> list[tuple[np.ndarray, np.ndarray]]:
    """What a value looks like as curves: an array over its places, rows of a matrix, or a pair of numbers across and up."""
    if isinstance(value, np.ndarray) and value.ndim in (1, 2) and value.size:
        rows = value.reshape(1, -1) if value.ndim == 1 else value
        return [(np.arange(rows.shape[1], dtype=float), row) for row in rows]
    if isinstance(value, tuple) and len(value) >= 2:
        across, *ups = value
        is_array = isinstance(across, np.ndarray) and across.ndim == 1 and across.size
        if is_array and all(np.shape(up) == across.shape for up in ups):
            return [(across, np.asarray(up)) for up in ups]
    raise CompileError("`:plot` takes an array, or a tuple of arrays of one size: the numbers across, and those up")


@magics_class
class PullbackMagics(Magics):
    """The magics of a notebook, which share a session."""

    shell: Any

    def __init__(self, shell: Any) -> None:
        super().__init__(shell)
        self.session = Session()
        self._exported: dict[str, Any] = {}
        self._cells = 0

    @line_magic("pullback")  # type: ignore[arg-type]
    def line(self, line: str):
        """Runs one line."""
        return self._run(line)

    @cell_magic("pullback")  # type: ignore[arg-type]
    def cell(self, line: str, cell: str):
        """Runs a cell."""
        if line.strip():
            print(f"`%%pullback` takes no options, but there is `{line.strip()}`", file=sys.stderr)
            return
        self._run(cell)

    def _run(self, text: str) -> None:
        self._cells += 1
        parts = chunks(text, f"cell {self._cells}")
        try:
            definitions = [part for part in parts if part.kind == "definition"]
            if definitions:
                self._export(self.session.define(definitions))
            for part in parts:
                if part.kind == "expression":
                    answer = self.session.evaluate(part, self._names())
                    self.shell.user_ns["it"] = answer.value
                    display(Shown(answer))
                elif part.kind == "command":
                    self._command(part)
        except PullbackError as error:
            # IPython shows what this gives instead of the lines of Python that led here.
            text = str(error)
            error._render_traceback_ = lambda: [text]  # type: ignore[attr-defined]
            raise

    def _names(self) -> dict[str, Any]:
        return {name: value for name, value in self.shell.user_ns.items() if _is_value(value)}

    def _export(self, names: list[str]) -> None:
        """Makes what is defined known to Python: functions as such, constants as their values."""
        module = self.session.module
        for name in module._definitions:
            is_function = module._definitions[name]["params"] or "->" in module._definitions[name]["type"]
            if not is_function and name not in names:
                continue
            try:
                value = module[name] if is_function else Function(module, rf"\() -> {name}", is_expression=True).using(engine="ir")(())
            except PullbackError:
                continue
            known = self.shell.user_ns.get(name)
            # What Python has by that name stays, unless it came from here.
            if known is None or name in names or self._exported.get(name) is known:
                self.shell.user_ns[name] = self._exported[name] = value
        for name in module._records:
            self.shell.user_ns[name] = getattr(module, name)

    def _command(self, part: Chunk) -> None:
        match = re.match(r":(\w+)[ \t]*(.*)", part.text.strip(), re.DOTALL)
        word, rest = (match[1], match[2].strip()) if match else ("", "")
        blanks = len(part.text) - len(rest) if rest else 0
        inner = Chunk("expression", None, " " * blanks + rest, part.cell, part.line)
        module = self.session.module
        if word == "plot" and rest:
            display(SVG(plot(_curves(self.session.evaluate(inner, self._names()).value))))
        elif word == "type" and rest:
            print(module._native.type_of(rest))
        elif word in ("show", "grad") and rest:
            print(module.fn(rest).show("value" if word == "show" else "grad"))
        elif word == "doc" and rest in module._definitions:
            one = module._definitions[rest]
            print(f"{rest}: {one['type']}\n{one['doc'] or ''}".rstrip())
        elif word == "defs":
            print("\n".join(f"{one['name']}: {one['type']}" for one in module.definitions))
        elif word == "reset":
            self.session = Session()
        else:
            raise CompileError(f"there is no command `{part.text.strip()}`: the commands are {_COMMANDS}")


def _is_value(value: Any) -> bool:
    """Whether an object of Python can be an argument."""
    if isinstance(value, (bool, int, float, np.ndarray, np.generic, dict, list, tuple)):
        return True
    if hasattr(value, "_fields") and not isinstance(value, type):
        return all(_is_value(leaf) for leaf in leaves(value))
    return not isinstance(value, type) and (hasattr(value, "__array__") or hasattr(value, "__dlpack__"))


def load(shell) -> None:
    """Registers the magics in an IPython shell."""
    shell.register_magics(PullbackMagics)
