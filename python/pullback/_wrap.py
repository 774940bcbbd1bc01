"""What the functions of other libraries that call one of Pullback have in common: names, documentation, and arguments."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from ._function import Function


def wrapped(function: Function, options: dict[str, Any], calls: Callable[[Function], Callable]) -> Callable:
    """What `calls` makes of the function with its options, named and documented as the function is."""
    if not isinstance(function, Function):
        raise TypeError(f"`wrap` takes a function of a module, not {type(function).__name__}")
    call = calls(function.using(**options) if options else function)
    functools.update_wrapper(call, function.__call__)
    call.__name__ = call.__qualname__ = function.__name__
    call.__doc__ = function.__doc__
    return call


def positional(names: tuple[str, ...], args: tuple, kwargs: dict[str, Any]) -> list[Any]:
    """The arguments in the order of the parameters."""
    if len(args) > len(names):
        raise TypeError(f"{len(args)} arguments given, but the function takes {len(names)}")
    given = dict(zip(names, args))
    for name, value in kwargs.items():
        if name not in names:
            raise TypeError(f"there is no parameter `{name}`: the parameters are {', '.join(names)}")
        if name in given:
            raise TypeError(f"`{name}` is given twice")
        given[name] = value
    for name in names:
        if name not in given:
            raise TypeError(f"`{name}` is not given")
    return [given[name] for name in names]
