"""What a run meets that is worth a word, as the command tells it: arguments as files, and warnings."""

from __future__ import annotations

import io
import json
import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ._convert import array, scalar
from ._forms import elems, has_strings, has_sums, is_sum, names, taken


@dataclass(frozen=True)
class Notice:
    """A warning about a run."""

    code: str
    message: str
    span: dict[str, Any] | None
    notes: tuple[str, ...]
    rendered: str

    def __str__(self) -> str:
        return self.rendered.rstrip()


def noticed(function, args: tuple, kwargs: dict[str, Any], wrt, look: str) -> list[Notice]:
    """The warnings of a run of a function: for its gradient if its value is a Real, else for its value."""
    from ._function import _names

    files = argument_files(function, arguments(function, args, kwargs))
    has_gradient = function._definition_gives_real()
    names_of = list(_names(wrt)) if has_gradient else None
    found = function._module._native.noticed(function._what, names_of, files, look)
    return [_notice(one) for one in found if one["severity"] == "warning" and one["code"] != "W0801"]


def arguments(function, args: tuple, kwargs: dict[str, Any], absent=()) -> dict[str, Any]:
    """The arguments of a definition by the names of its parameters, of which some may be absent."""
    if function._is_expression:
        raise TypeError("definitions are watched, not expressions: give the expression a name in the text")
    given = dict(zip(function.parameters, args)) | kwargs
    for name in given:
        if name not in function.parameters:
            known = ", ".join(f"`{one}`" for one in function.parameters)
            raise TypeError(f"there is no parameter `{name}`: the parameters are {known}")
    for name in function._forms:
        if name not in given and name not in absent:
            raise TypeError(f"`{name}` is not given")
    return given


def argument_files(function, given: dict[str, Any]) -> list[tuple[str | None, bool, bytes]]:
    """Arguments as files that the command reads: the parameter, whether it is an archive, and its bytes."""
    files: list[tuple[str | None, bool, bytes]] = []
    arrays: dict[str, Any] = {}
    for name, form in function._forms.items():
        if name not in given:
            continue
        if has_sums(form) or has_strings(form):
            files.append((name, False, json.dumps(_plain(form, given[name], name)).encode()))
            continue
        for leaf, (elem, rank), called in zip(taken(form, given[name], name), elems(form), names(form, name)):
            arrays[called] = array(leaf, elem, rank, called) if rank else np.asarray(scalar(leaf, elem, rank, called))
    if arrays:
        archive = io.BytesIO()
        np.savez(archive, **arrays)
        files.append((None, True, archive.getvalue()))
    return files


def _notice(one: dict[str, Any]) -> Notice:
    span = one["labels"][0][0] if one["labels"] else None
    return Notice(one["code"], one["message"], span, tuple(one["notes"]), one["rendered"])


def _plain(form, value, name: str):
    """A value as JSON has it; arrays of records with sums inside are not yet."""
    if is_sum(form):
        return form["codec"].plain(value, name)
    if form is None:
        return []
    if isinstance(form, tuple):
        (leaf,) = taken(form, value, name)
        elem, rank = form
        if not rank and elem == "String":
            return scalar(leaf, elem, rank, name)
        return _numbers(array(leaf, elem, rank, name) if rank else np.asarray(scalar(leaf, elem, rank, name)))
    if isinstance(form, list):
        return [_plain(item, value[at], f"{name}.{at}") for at, item in enumerate(form)]
    fields = zip(form["class"]._fields, form["fields"])
    get = value.get if isinstance(value, dict) else lambda field: getattr(value, field)
    return {field: _plain(item, get(field), f"{name}.{field}") for field, item in fields}


def _numbers(value: np.ndarray):
    """Numbers as JSON has them."""

    def plain(one):
        if isinstance(one, list):
            return [plain(item) for item in one]
        if isinstance(one, float) and not math.isfinite(one):
            return "NaN" if math.isnan(one) else "Infinity" if one > 0 else "-Infinity"
        return one

    return plain(value.tolist())
