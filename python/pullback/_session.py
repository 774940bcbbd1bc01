"""A session of definitions and expressions, as notebooks have: definitions stay, and later ones take the place of earlier ones.

Input: cells of text. Output: values, or errors whose places are in the cell.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ._errors import EvalTimeoutError, PullbackError
from ._function import Function
from ._module import Module, compile
from ._sizes import split

_DEFINITION = re.compile(r"(def|type|import)\b\s*(\"[^\"]*\"|[\w']+)?")
# How long the evaluator may take before native code is made.
_SOON = 0.3


@dataclass(frozen=True)
class Chunk:
    """A definition, an expression or a command of a cell, with the line of the cell that it begins at."""

    kind: str
    name: str | None
    text: str
    cell: str
    line: int


@dataclass(frozen=True)
class Answer:
    """The value of an expression, with its type. A function is its own value."""

    value: Any
    type: str


def chunks(text: str, cell: str) -> list[Chunk]:
    """The parts of a cell: each begins at a line that does not begin with a blank."""
    found: list[Chunk] = []
    lines: list[str] = []
    start = 1

    def end() -> None:
        words = "\n".join(lines).rstrip()
        body = re.sub(r"^(\s*--[^\n]*(\n|$))+", "", words).strip()
        if body:
            definition = _DEFINITION.match(body)
            kind = "definition" if definition else "command" if body.startswith(":") else "expression"
            name = f"{definition[1]} {definition[2]}" if definition else None
            if definition and definition[1] != "import":
                # A name is either a type or a value.
                name = definition[2]
            found.append(Chunk(kind, name, words, cell, start))

    only_comments = True
    for at, line in enumerate(text.split("\n"), 1):
        begins = bool(line.strip()) and not line[0].isspace() and line[0] not in ")]}"
        if begins and not only_comments:
            end()
            lines, start, only_comments = [], at, True
        if not lines and not line.strip():
            start = at + 1
            continue
        lines.append(line)
        only_comments = only_comments and (not line.strip() or line.startswith("--"))
    end()
    return found


def _text(parts: list[Chunk]) -> str:
    return "".join(f"{part.text}\n" for part in parts)


class Session:
    """The definitions so far, and what they mean together."""

    def __init__(self) -> None:
        self._chunks: list[Chunk] = []
        self.module: Module = compile("")

    def define(self, new: list[Chunk]) -> list[str]:
        """Adds definitions, which are checked with all that are there. If anything is wrong, the session stays as it was. Gives
        the names that are new."""
        names = {chunk.name for chunk in new}
        kept = [chunk for chunk in self._chunks if chunk.name not in names]
        # Of two in one cell the later one counts.
        last = {chunk.name or "": chunk for chunk in new}
        together = [*kept, *last.values()]
        try:
            module = compile(_text(together), name="notebook")
        except PullbackError as error:
            raise placed(error, together) from None
        self._chunks, self.module = together, module
        return [name for name in last if name in self.module._definitions]

    def evaluate(self, chunk: Chunk, names: Mapping[str, Any]) -> Answer:
        """The value of an expression. Names that the session has not are those of Python."""
        text = "\n".join(f"  {line}" for line in chunk.text.split("\n"))
        outer: list[str] = []
        while True:
            head = self._head(outer, names, with_ints=False)
            try:
                type_ = self.module._native.type_of(f"{head}\n{text}" if outer else text)
                break
            except PullbackError as error:
                missing = [_unknown(problem) for problem in error.diagnostics]
                new = [name for name in dict.fromkeys(missing) if name is not None and name in names]
                if not new or len(new) < len(set(missing)) or set(new) & set(outer):
                    raise placed(error, [chunk], shift=1 if outer else 0) from None
                outer += new
        type_, ascribed = _closed(type_, len(outer))
        if not outer and len(split(type_, "->")) > 1:
            return Answer(Function(self.module, chunk.text.strip(), is_expression=True), type_)
        # Alone an expression has Ints where behind parameters it has numbers of any kind.
        if not outer and "Int" in type_ and not re.search(r"\[[^\]]*[a-z_]", type_):
            ascribed = type_
        text = f"((\n{text}\n  ) : {ascribed})" if ascribed else f"\n{text}"
        given = [names[name] for name in outer] or [()]
        try:
            function = self._function(outer, names, text)
            try:
                return Answer(function(*given, engine="ir", timeout=_SOON), type_)
            except EvalTimeoutError:
                return Answer(function(*given), type_)
        except PullbackError as error:
            raise placed(error, [*self._chunks, chunk], shift=1) from None

    def _head(self, outer: list[str], names: Mapping[str, Any], with_ints: bool) -> str:
        if not outer:
            return r"\() ->"
        return rf"\{' '.join(self._annotated(name, names[name], with_ints) for name in outer)} ->"

    def _annotated(self, name: str, value: Any, with_ints: bool) -> str:
        """A parameter, with its type where the value says that. Whole numbers may stand for Reals, so they say little."""
        if hasattr(value, "_fields"):
            called = type(value).__name__
            return f"({name}: {called})" if called in self.module._records else name
        if isinstance(value, (dict, tuple)):
            return name
        found = np.asarray(value)
        elem = {"f": "Real", "b": "Bool"}.get(found.dtype.kind)
        if elem is None and (not with_ints or found.dtype.kind not in "iu"):
            return name
        return f"({name}: {''.join(f'[{size}]' for size in found.shape)}{elem or 'Int'})"

    def _function(self, outer: list[str], names: Mapping[str, Any], text: str) -> Function:
        """The expression as a function of the names of Python. If its type is open, whole numbers are Ints."""
        for with_ints in (False, True):
            head = self._head(outer, names, with_ints)
            function = Function(self.module, f"{head} {text}", is_expression=True, names=outer or None)
            try:
                function._code("value", engine="ir")
                break
            except PullbackError as error:
                if error.code != "E0822" or with_ints or "open" not in error.message:
                    raise
        return function


def _closed(type_: str, parameters: int) -> tuple[str, str | None]:
    """The type of the result; and what it is to be declared as, if it has numbers that are Ints or Reals."""
    *constraints, rest = split(type_, "=>")
    result = "->".join(split(rest, "->")[parameters:]).strip()
    numbers = re.findall(r"\bNum (\w+)", " ".join(constraints))
    for name in numbers:
        result = re.sub(rf"\b{name}\b", "Int", result)
    return result, result if numbers else None


def _unknown(problem: dict) -> str | None:
    match = re.fullmatch(r"unknown name `(.+)`", problem["message"]) if problem["code"] == "E0201" else None
    return match[1] if match else None


def placed(error: PullbackError, parts: list[Chunk], shift: int = 0) -> PullbackError:
    """The error with places and lines of the cells that the parts are of."""
    lines: list[tuple[Chunk, int, str]] = []
    expression: list[tuple[Chunk, int, str]] = []
    for chunk in parts:
        for at, line in enumerate(chunk.text.split("\n")):
            (lines if chunk.kind == "definition" else expression).append((chunk, chunk.line + at, line))

    def found(place: dict) -> tuple[Chunk, int, str, int] | None:
        if place["file"] == "<expression>":
            # An expression stands two columns and a line further than in its cell.
            index, source, columns = place["line"] - 1 - shift, expression, 2
        else:
            index, source, columns = place["line"] - 1, lines, 0
        if not 0 <= index < len(source):
            return None
        return (*source[index], columns)

    problems = []
    for problem in error.diagnostics:
        labels, shown = [], [f"{problem['severity']}[{problem['code']}]: {problem['message']}"]
        for place, words in problem["labels"]:
            where = found(place)
            if where is None:
                labels.append((place, words))
                shown.append(f"  --> {place['file']}:{place['line']}:{place['column']} {words}".rstrip())
                continue
            chunk, number, line, columns = where
            column = place["column"] - columns
            end = place["end_column"] - columns if place["end_line"] == place["line"] else len(line) + 1
            moved = {"file": chunk.cell, "line": number, "column": column}
            moved |= {"end_line": number + place["end_line"] - place["line"], "end_column": end}
            labels.append((moved, words))
            gutter = " " * len(str(number))
            blanks = "".join(letter if letter == "\t" else " " for letter in line[: column - 1])
            marks = "^" * max(end - column, 1)
            shown += [f"{gutter}--> {chunk.cell}:{number}:{column}", f"{gutter} |", f"{number} | {line}"]
            shown += [f"{gutter} | {blanks}{marks} {words}".rstrip()]
        shown += [f"  = note: {note}" for note in problem["notes"]]
        shown += [f"  = help: {hint}" for hint in problem["hints"]]
        problems.append({**problem, "labels": labels, "rendered": "\n".join(shown) + "\n"})
    return type(error)("\n".join(problem["rendered"] for problem in problems), problems)
