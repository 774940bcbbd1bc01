"""The types of a module as text that type checkers read."""

from __future__ import annotations

import keyword
import re

from ._sums import Constructors, is_option

Sums = dict[str, Constructors]


def _type(text: str, records: dict[str, list[str]], sums: Sums) -> str:
    """What a type of the language is for Python."""
    text = text.strip()
    head = _head(text)
    if head in sums:
        return "Some | None" if is_option(head, sums[head]) else head
    if text.startswith("["):
        inner = re.sub(r"^(\[[^\]]*\])+", "", text).strip()
        if inner.startswith("{"):
            return _type(inner, records, sums)
        if inner.startswith("("):
            found = _type(inner, records, sums)
            return f"tuple[{found}, ...]" if _head(inner.strip("()")) in sums and "," not in inner else found
        if _head(inner) in sums:
            return f"tuple[{_type(inner, records, sums)}, ...]"
        dtype = {"Real": "np.float64", "Int": "np.int64", "Bool": "np.bool_", "String": "np.object_"}.get(inner)
        return f"npt.NDArray[{dtype}]" if dtype else "Any"
    if text in ("Real", "Int", "Bool", "String"):
        return {"Real": "float", "Int": "int", "Bool": "bool", "String": "str"}[text]
    if text.startswith("{") and text.endswith("}"):
        fields = sorted(_names(text))
        named = [name for name, known in records.items() if sorted(known) == fields]
        return named[0] if named else "Any"
    if text.startswith("(") and text.endswith(")"):
        items = _split(text[1:-1], ",")
        if len(items) == 1 and not text.endswith(",)"):
            return _type(items[0], records, sums)
        return f"tuple[{', '.join(_type(item, records, sums) for item in items)}]" if items else "tuple[()]"
    return "Any"


def _head(text: str) -> str:
    """The type that is applied to others."""
    return text.split(" ", 1)[0]


def _split(text: str, mark: str) -> list[str]:
    """The parts between marks that stand in no brackets."""
    items, depth, start = [], 0, 0
    for at, letter in enumerate(text):
        depth += letter in "([{"
        depth -= letter in ")]}"
        if letter == mark and depth == 0:
            items.append(text[start:at])
            start = at + 1
    rest = text[start:]
    return [*items, rest] if rest.strip() else items


def _names(text: str) -> list[str]:
    return [field.split(":")[0].strip() for field in _split(text.strip()[1:-1], ",")]


def stubs(module) -> str:
    """The text of a `.pyi` file."""
    records = dict(module._native.records)
    lines = [
        "from collections.abc import Sequence",
        "from typing import Any",
        "",
        "import numpy as np",
        "import numpy.typing as npt",
        "from pullback import Function",
        "",
    ]
    types = " ".join(one["type"] for one in module.definitions)
    sums = {name: tuple(constructors) for name, constructors in module._native.sums}
    for name, constructors in sums.items():
        if not re.search(rf"\b{name}\b", types):
            continue
        lines += [f"class {name}: ...", ""]
        for one, count in constructors:
            if is_option(name, constructors) and one == "None":
                continue
            items = [f"_{at}" for at in range(count)]
            takes = "".join(f", {item}: Any" for item in items)
            lines += [
                f"class {one + '_' if keyword.iskeyword(one) else one}({name}):",
                f"    __match_args__ = ({''.join(repr(item) + ', ' for item in items)})",
                *(f"    {item}: Any" for item in items),
                f"    def __init__(self{takes}) -> None: ...",
                "",
            ]
    for name, fields in records.items():
        lines += [f"class {name}:", *(f"    {field}: Any" for field in fields), ""]
    for one in module.definitions:
        name = one["name"]
        if not name.isidentifier():
            continue
        if not one["params"] and "->" not in one["type"]:
            lines += [f"{name}: {_type(one['type'], records, sums)}", ""]
            continue
        params = [
            f"{called or f'argument_{at + 1}'}: {_argument(_type(ty, records, sums), records)}"
            for at, (called, ty) in enumerate(one["params"])
        ]
        result = _type(one["result"], records, sums)
        lines += [
            f"class _{name}(Function):",
            f"    \"\"\"{one['type']}\"\"\"",
            f"    def __call__(self, {', '.join(params + ['**options: Any'])}) -> {result}: ...  # type: ignore[override]",
            "",
            f"{name}: _{name}",
            "",
        ]
    return "\n".join(lines).rstrip("\n") + "\n"


def _argument(ty: str, records: dict[str, list[str]]) -> str:
    """What may be given for a parameter: lists and dictionaries too."""
    if ty.startswith("npt."):
        return "npt.ArrayLike"
    if ty.startswith("tuple[") and ty.endswith(", ...]"):
        return f"Sequence[{ty.removeprefix('tuple[').removesuffix(', ...]')}]"
    if ty.isidentifier() and ty not in ("float", "int", "bool", "str", "Any") and ty not in records or ty == "Some | None":
        return ty
    return ty if ty in ("float", "int", "bool", "str", "Any") or ty.startswith("tuple") else f"{ty} | dict[str, Any]"
