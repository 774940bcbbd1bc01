"""Where a text stands in the Python file that gives it, so that messages lead there."""

from __future__ import annotations

import ast
import linecache
import os
from types import FrameType


def placed(text: str, frame: FrameType) -> tuple[str, str] | None:
    """The path of the Python file that a frame runs, and the text behind as many blank lines and blanks as make its lines and
    columns those of the file; none if the text does not stand there once, as it is. So escapes have no place."""
    path = frame.f_code.co_filename
    if not os.path.isfile(path):
        return None
    lines = linecache.getlines(path, frame.f_globals)
    try:
        tree = ast.parse("".join(lines))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    found = {
        place
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and node.value == text
        if (place := _start(node, text, lines)) is not None
    }
    if len(found) != 1:
        return None
    ((line, column),) = found
    return path, "\n" * line + " " * column + text


def _start(node: ast.Constant, text: str, lines: list[str]) -> tuple[int, int] | None:
    """The line and the column, from 0, at which the text of a literal begins that is written as it is."""
    line = node.lineno - 1
    # Places in the tree count bytes.
    before = lines[line].encode()[: node.col_offset].decode()
    written = lines[line][len(before) :] + "".join(lines[line + 1 : node.end_lineno])
    prefix = written[: len(written) - len(written.lstrip("rRuU"))]
    quote = written[len(prefix) : len(prefix) + 3]
    if quote not in ('"""', "'''"):
        quote = quote[:1]
    opening = prefix + quote
    if not quote or not written.startswith(opening + text + quote):
        return None
    return line, len(before) + len(opening)
