"""The sizes of results by the type of a function: `[n]Real -> [n + 1]Real` gives 4 for 3.

Types are read from their text. What a type does not say is not known before a call.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass


class Unknown(Exception):
    """A size that the type does not say, or that depends on an Int that is not known yet."""


@dataclass(frozen=True)
class Leaf:
    """A number or an array: the expressions of its sizes, and the name of an Int that sizes may depend on."""

    elem: str
    sizes: tuple[str, ...] = ()
    name: str | None = None


def split(text: str, mark: str) -> list[str]:
    """The parts between marks that stand in no brackets."""
    items, depth, start, at = [], 0, 0, 0
    while at < len(text):
        if depth == 0 and text.startswith(mark, at):
            items.append(text[start:at])
            at += len(mark)
            start = at
            continue
        depth += text[at] in "([{"
        depth -= text[at] in ")]}"
        at += 1
    return [*items, text[start:]]


def leaves(text: str, sizes: tuple[str, ...] = ()) -> list[Leaf]:
    """The leaves of a type, in order."""
    text = text.strip()
    while text.startswith("["):
        end = _closing(text)
        sizes += (text[1:end],)
        text = text[end + 1 :].strip()
    if text in ("Real", "Int", "Bool"):
        return [Leaf(text, sizes)]
    if text.startswith("{") and text.endswith("}"):
        fields = [field for field in split(text[1:-1], ",") if field.strip()]
        return [leaf for field in fields for leaf in leaves(field.split(":", 1)[1], sizes)]
    if text.startswith("(") and text.endswith(")"):
        named = re.fullmatch(r"\(\s*([\w']+)\s*:\s*Int\s*\)", text)
        if named:
            return [Leaf("Int", sizes, named[1])]
        items = [item for item in split(text[1:-1], ",") if item.strip()]
        return [leaf for item in items for leaf in leaves(item, sizes)]
    raise Unknown(f"the type `{text}` has no sizes that are known before a call")


def _closing(text: str) -> int:
    depth = 0
    for at, letter in enumerate(text):
        depth += letter in "([{"
        depth -= letter in ")]}"
        if depth == 0:
            return at
    raise Unknown(f"the type `{text}` is cut off")


class Sizes:
    """The sizes that a type says, as a function of the sizes of arguments."""

    def __init__(self, signature: str, parameters: int):
        parts = split(signature, "->")
        if len(parts) <= parameters:
            raise Unknown(f"the type `{signature}` is no function of {parameters} parameters")
        self._takes = [leaf for part in parts[:parameters] for leaf in leaves(part)]
        self._gives = leaves("->".join(parts[parameters:]))

    def result(self, shapes: Sequence[tuple[int, ...]], ints: Sequence[int | None]) -> list[tuple[int, ...]]:
        """The sizes of the leaves of the result. `ints` has the values of Ints that are known."""
        known: dict[str, int] = {}
        rest: list[tuple[str, int]] = []
        for leaf, shape, value in zip(self._takes, shapes, ints):
            if leaf.name is not None and value is not None:
                known[leaf.name] = value
            rest += zip(leaf.sizes, shape)
        # A name alone says most; what is left are sums and multiples with one name that is not known yet.
        for _ in range(len(rest)):
            for text, size in rest:
                _learn(text, size, known)
        return [tuple(_value(text, known) for text in leaf.sizes) for leaf in self._gives]


def _tree(text: str) -> ast.expr:
    try:
        return ast.parse(text.strip().replace("'", "_prime_").replace("^", "**"), mode="eval").body
    except SyntaxError:
        raise Unknown(f"the size `{text}` is not known before a call") from None


def _names(text: str) -> set[str]:
    return {node.id for node in ast.walk(_tree(text)) if isinstance(node, ast.Name)}


def _learn(text: str, size: int, known: dict[str, int]) -> None:
    try:
        unknown = [name for name in _names(text) if name not in known]
        if len(unknown) != 1:
            return
        (name,) = unknown
        zero, one, two = (_value(text, {**known, name: at}) for at in range(3))
    except Unknown:
        return
    slope = one - zero
    if slope and two - one == slope and (size - zero) % slope == 0:
        known[name] = (size - zero) // slope


def _value(text: str, known: dict[str, int]) -> int:
    known = {name.replace("'", "_prime_"): value for name, value in known.items()}

    def value(node: ast.expr) -> int:
        if isinstance(node, ast.Constant) and isinstance(node.value, int):
            return node.value
        if isinstance(node, ast.Name) and node.id in known:
            return known[node.id]
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return -value(node.operand)
        if isinstance(node, ast.BinOp):
            left, right = value(node.left), value(node.right)
            if isinstance(node.op, ast.Add):
                return left + right
            if isinstance(node.op, ast.Sub):
                return left - right
            if isinstance(node.op, ast.Mult):
                return left * right
            if isinstance(node.op, ast.Pow) and 0 <= right < 8:
                return int(left**right)
        raise Unknown(f"the size `{text.strip()}` is not known before a call")

    return value(_tree(text))
