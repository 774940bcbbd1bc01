"""The types of a module as text that type checkers read."""

from __future__ import annotations

import re


def _type(text: str, records: dict[str, list[str]]) -> str:
    """What a type of the language is for Python."""
    text = text.strip()
    if text.startswith("["):
        inner = re.sub(r"^(\[[^\]]*\])+", "", text).strip()
        if inner.startswith(("{", "(")):
            return _type(inner, records)
        dtype = {"Real": "np.float64", "Int": "np.int64", "Bool": "np.bool_"}.get(inner)
        return f"npt.NDArray[{dtype}]" if dtype else "Any"
    if text in ("Real", "Int", "Bool", "String"):
        return {"Real": "float", "Int": "int", "Bool": "bool", "String": "str"}[text]
    if text.startswith("{") and text.endswith("}"):
        fields = sorted(_names(text))
        found = [name for name, known in records.items() if sorted(known) == fields]
        return found[0] if found else "Any"
    if text.startswith("(") and text.endswith(")"):
        items = _split(text[1:-1], ",")
        return f"tuple[{', '.join(_type(item, records) for item in items)}]" if items else "tuple[()]"
    return "Any"


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
        "from typing import Any",
        "",
        "import numpy as np",
        "import numpy.typing as npt",
        "from pullback import Function",
        "",
    ]
    for name, fields in records.items():
        lines += [f"class {name}:", *(f"    {field}: Any" for field in fields), ""]
    for one in module.definitions:
        name = one["name"]
        if not name.isidentifier():
            continue
        if not one["params"] and "->" not in one["type"]:
            lines += [f"{name}: {_type(one['type'], records)}", ""]
            continue
        params = [
            f"{called or f'argument_{at + 1}'}: {_argument(_type(ty, records))}"
            for at, (called, ty) in enumerate(one["params"])
        ]
        result = _type(one["result"], records)
        lines += [
            f"class _{name}(Function):",
            f"    \"\"\"{one['type']}\"\"\"",
            f"    def __call__(self, {', '.join(params + ['**options: Any'])}) -> {result}: ...  # type: ignore[override]",
            "",
            f"{name}: _{name}",
            "",
        ]
    return "\n".join(lines).rstrip("\n") + "\n"


def _argument(ty: str) -> str:
    """What may be given for a parameter: lists and dictionaries too."""
    if ty.startswith("npt."):
        return "npt.ArrayLike"
    return ty if ty in ("float", "int", "bool", "str", "Any") or ty.startswith("tuple") else f"{ty} | dict[str, Any]"
