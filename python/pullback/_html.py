"""Values as HTML tables."""

from __future__ import annotations

import html
from typing import Any

import numpy as np

_MOST = 10


def _number(value: Any) -> str:
    if isinstance(value, (float, np.floating)):
        return f"{value:.6g}"
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    return html.escape(str(value))


def _picked(count: int) -> list[int | None]:
    """The places that are shown; none stands for those that are not."""
    if count <= _MOST:
        return list(range(count))
    return [*range(_MOST // 2), None, *range(count - _MOST // 2, count)]


def _array(value: np.ndarray) -> str:
    sizes = " × ".join(map(str, value.shape))
    if value.ndim > 2:
        shown = "".join(
            f"<tr><th>{at}</th><td>{_array(value[at])}</td></tr>" if at is not None else "<tr><td>⋮</td></tr>"
            for at in _picked(value.shape[0])
        )
        return f"<table>{shown}</table><small>{sizes}</small>"
    rows = value.reshape(1, -1) if value.ndim < 2 else value
    columns = _picked(rows.shape[1])
    lines = []
    for at in _picked(rows.shape[0]):
        if at is None:
            lines.append(f"<tr>{'<td>⋮</td>' * len(columns)}</tr>")
            continue
        cells = (_number(rows[at, column]) if column is not None else "…" for column in columns)
        lines.append(f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>")
    return f"<table>{''.join(lines)}</table><small>{sizes}</small>"


def shown(value: Any) -> str:
    """A value as HTML."""
    if isinstance(value, np.ndarray):
        return _array(value)
    if hasattr(value, "_fields"):
        parts = [(name, getattr(value, name)) for name in value._fields]
    elif isinstance(value, tuple):
        parts = list(enumerate(value))
    else:
        return f"<code>{_number(value)}</code>"
    rows = (f"<tr><th>{html.escape(str(name))}</th><td>{shown(part)}</td></tr>" for name, part in parts)
    return f"<table>{''.join(rows)}</table>"
