"""How far a long call is: a line on standard error, or whatever a function makes of it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

# Iterations of the outermost loop: done, and all if that is known.
Told = Callable[[int, "int | None"], Any]


@contextmanager
def told(progress: bool | Told, name: str) -> Iterator[Told]:
    """What a call tells, about ten times a second."""
    if callable(progress):
        yield progress
        return
    if progress is not True:
        raise TypeError(f"`progress` must be a bool or a function of two numbers, not {progress!r}")
    width = 0

    def line(done: int, of: int | None) -> None:
        nonlocal width
        text = f"{name}: {done}" if of is None else f"{name}: {done} of {of} ({done / max(of, 1):.0%})"
        sys.stderr.write("\r" + text.ljust(width))
        sys.stderr.flush()
        width = len(text)

    try:
        yield line
    finally:
        if width:
            sys.stderr.write("\r" + " " * width + "\r")
            sys.stderr.flush()
