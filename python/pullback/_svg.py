"""Plots as SVG: curves over an axis, with ticks at round numbers."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

_WIDTH, _HEIGHT, _LEFT, _BOTTOM, _ROOM = 480, 280, 56, 32, 12
_COLORS = ("#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e", "#17becf")


def _ticks(low: float, high: float) -> list[float]:
    """Some five round numbers."""
    raw = (high - low) / 5
    size = 10.0 ** math.floor(math.log10(raw))
    step = min((size * factor for factor in (1, 2, 5, 10)), key=lambda one: abs(one - raw))
    first = math.ceil(low / step)
    return [number * step for number in range(first, math.floor(high / step) + 1)]


def _range(values: np.ndarray) -> tuple[float, float]:
    finite = values[np.isfinite(values)]
    if not finite.size:
        return 0.0, 1.0
    low, high = float(finite.min()), float(finite.max())
    if high - low <= 1e-300 + 1e-12 * abs(high):
        room = abs(high) / 2 or 1.0
        return low - room, high + room
    return low, high


def plot(curves: Sequence[tuple[np.ndarray, np.ndarray]]) -> str:
    """An SVG of curves, each of as many numbers across as up. Where a number is not finite, a curve has a gap."""
    across = np.concatenate([np.asarray(x, dtype=float) for x, _ in curves] or [np.zeros(0)])
    up = np.concatenate([np.asarray(y, dtype=float) for _, y in curves] or [np.zeros(0)])
    (left, right), (low, high) = _range(across), _range(up)
    wide, tall = _WIDTH - _LEFT - _ROOM, _HEIGHT - _BOTTOM - _ROOM

    def at_x(x: float) -> float:
        return round(_LEFT + (x - left) / (right - left) * wide, 2)

    def at_y(y: float) -> float:
        return round(_ROOM + (high - y) / (high - low) * tall, 2)

    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{_HEIGHT}" '
        f'viewBox="0 0 {_WIDTH} {_HEIGHT}" font-family="sans-serif" font-size="11">',
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="white"/>',
    ]
    for x in _ticks(left, right):
        lines.append(f'<path d="M{at_x(x)} {_ROOM}V{_ROOM + tall}" stroke="#ddd"/>')
        lines.append(f'<text x="{at_x(x)}" y="{_HEIGHT - 12}" text-anchor="middle">{x:.6g}</text>')
    for y in _ticks(low, high):
        lines.append(f'<path d="M{_LEFT} {at_y(y)}H{_LEFT + wide}" stroke="#ddd"/>')
        lines.append(f'<text x="{_LEFT - 6}" y="{at_y(y) + 4}" text-anchor="end">{y:.6g}</text>')
    for number, (xs, ys) in enumerate(curves):
        path, is_open = [], False
        for x, y in zip(np.asarray(xs, dtype=float), np.asarray(ys, dtype=float)):
            is_finite = math.isfinite(x) and math.isfinite(y)
            if is_finite:
                path.append(f"{'L' if is_open else 'M'}{at_x(x)} {at_y(y)}")
            is_open = is_finite
        color = _COLORS[number % len(_COLORS)]
        lines.append(f'<path d="{"".join(path)}" fill="none" stroke="{color}" stroke-width="1.5"/>')
    return "\n".join([*lines, "</svg>"])
