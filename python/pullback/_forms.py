"""Values taken apart along their forms: leaves in the order of compiled code, and values of leaves again.

A form is `(elem, rank)` of a number, a String or an array, None of nothing, a list of the forms of a tuple's items, the class of a
record with the forms of its fields, or the codec of a value with sums.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from ._tree import mapped

Form = Any


def is_sum(form: Form) -> bool:
    """Whether it is that of a value with sums."""
    return isinstance(form, dict) and "codec" in form


def has_sums(form: Form) -> bool:
    """Whether there are sums in it."""
    if form is None or isinstance(form, tuple):
        return False
    return is_sum(form) or any(map(has_sums, form if isinstance(form, list) else form["fields"]))


def has_strings(form: Form) -> bool:
    """Whether there are Strings in it."""
    return any(elem == "String" for elem, _ in elems(form))


def only_numbers(forms: Iterable[Form], by: str) -> None:
    """Refuses functions whose values have sums or Strings."""
    forms = list(forms)
    for has, what in ((has_sums, "values of sum types"), (has_strings, "Strings")):
        if any(map(has, forms)):
            raise TypeError(
                f"{by} takes and gives numbers, arrays and structures of these, but no {what}: wrap a function that makes and "
                r"takes apart such values itself, as by m.fn(r'\x y -> f (Circle x) y')"
            )


def elems(form: Form) -> list[tuple[str, int]]:
    """What the leaves hold, and how many dimensions they have."""
    if form is None:
        return []
    if isinstance(form, tuple):
        return [form]
    if is_sum(form):
        has = {"Int": True, "Real": form["has_reals"], "String": form["has_strings"]}
        return [(elem, 1) for elem, is_there in has.items() if is_there]
    items = form if isinstance(form, list) else form["fields"]
    return [leaf for item in items for leaf in elems(item)]


def _field(form: Form, value: Any, field: str, name: str) -> Any:
    """A field of a record: an item of a dictionary, a column of a data frame, or an attribute."""
    if isinstance(value, dict) or hasattr(value, "columns") and hasattr(value, "__getitem__"):
        if field in (value if isinstance(value, dict) else value.columns):
            return value[field]
    elif hasattr(value, field):
        return getattr(value, field)
    wanted = f"a {form['class'].__name__} with a field `{field}`"
    raise TypeError(f"`{name}` must be {wanted}, not {type(value).__name__}")


def taken(form: Form, value: Any, name: str) -> list[Any]:
    """The leaves of a value; `name` is what messages call it."""
    if form is None:
        return []
    if isinstance(form, tuple):
        return [value]
    if isinstance(form, list):
        if not isinstance(value, (tuple, list)) or len(value) != len(form):
            found = f"one of {len(value)}" if isinstance(value, (tuple, list)) else type(value).__name__
            raise TypeError(f"`{name}` must be a tuple of {len(form)}, not {found}")
        return [leaf for at, item in enumerate(form) for leaf in taken(item, value[at], f"{name}.{at}")]
    if is_sum(form):
        parts = dict(zip(("Int", "Real", "String"), form["codec"].encode(value, name)))
        return [parts[elem] for elem, _ in elems(form)]
    fields = form["class"]._fields
    if isinstance(value, dict):
        for key in value:
            if key not in fields:
                raise TypeError(f"`{name}` has no field {key!r}")
    leaves = []
    for field, item in zip(fields, form["fields"]):
        leaves += taken(item, _field(form, value, field, name), f"{name}.{field}")
    return leaves


def uncopied(form: Form, value: Any, name: str) -> None:
    """Refuses arrays that are not as compiled code takes them."""
    for leaf, (elem, rank), called in zip(taken(form, value, name), elems(form), names(form, name)):
        # Strings are always copied: there is nothing that they could be borrowed as.
        if not rank or has_sums(form) or elem == "String":
            continue
        if not isinstance(leaf, np.ndarray):
            raise TypeError(f"`{called}` would be copied: it is no array of NumPy, but {type(leaf).__name__}")
        wanted = {"Real": np.float64, "Int": np.int64, "Bool": np.bool_, "String": np.object_}[elem]
        if leaf.dtype != wanted:
            raise TypeError(f"`{called}` would be copied: its elements are {leaf.dtype}, not {np.dtype(wanted)}")
        if not leaf.flags.c_contiguous or not leaf.flags.aligned:
            raise TypeError(f"`{called}` would be copied: it does not lie row by row")


def made(form: Form, leaves: Iterator[Any]) -> Any:
    """The value of the leaves that come next."""
    if form is None:
        return None
    if isinstance(form, tuple):
        return next(leaves)
    if isinstance(form, list):
        return tuple([made(item, leaves) for item in form])
    if is_sum(form):
        parts = {elem: next(leaves) for elem, _ in elems(form)}
        return form["codec"].decode(parts["Int"], parts.get("Real", np.zeros(0)), parts.get("String", ()))
    return form["class"](*[made(item, leaves) for item in form["fields"]])


def names(form: Form, name: str) -> list[str]:
    """What messages call the leaves."""
    if form is None:
        return []
    if isinstance(form, tuple):
        return [name]
    if isinstance(form, list):
        return [one for at, item in enumerate(form) for one in names(item, f"{name}.{at}")]
    if is_sum(form):
        return [name] * len(elems(form))
    fields = zip(form["class"]._fields, form["fields"])
    return [one for field, item in fields for one in names(item, f"{name}.{field}")]


def ordered(form: Form, value: Any, name: str) -> Any:
    """The value with the fields of its dictionaries in the order of the program, and other objects as records."""
    if form is None or isinstance(form, tuple):
        return value
    if isinstance(form, list):
        taken(form, value, name)
        return tuple([ordered(item, value[at], f"{name}.{at}") for at, item in enumerate(form)])
    if is_sum(form):
        return form["codec"].decode(*form["codec"].encode(value, name))
    taken(form, value, name)
    fields = list(zip(form["class"]._fields, form["fields"]))
    if isinstance(value, dict):
        return {field: ordered(item, value[field], f"{name}.{field}") for field, item in fields}
    return form["class"](*[ordered(item, _field(form, value, field, name), f"{name}.{field}") for field, item in fields])


def reals(form: Form, value: Any) -> Any:
    """The same structure with arrays of Reals alone, and None where there are none."""
    if form is None:
        return None
    if isinstance(form, tuple):
        return np.array(value, dtype=np.float64) if form[0] == "Real" else None
    if isinstance(form, list):
        return tuple([reals(item, part) for item, part in zip(form, value)])
    if is_sum(form):
        found = form["codec"].decode_tangent(*form["codec"].encode(value, "")[:2])
        return mapped(lambda leaf: None if leaf is None else np.asarray(leaf, dtype=np.float64), found)
    fields = zip(form["class"]._fields, form["fields"])
    if isinstance(value, dict):
        return {field: reals(item, value[field]) for field, item in fields}
    return form["class"](*[reals(item, getattr(value, field)) for field, item in fields])
