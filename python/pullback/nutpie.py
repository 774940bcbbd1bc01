"""Sampling by nutpie: `pullback.nutpie.model(f)` is a model for `nutpie.sample`, with exact gradients."""

from __future__ import annotations

from typing import Any

import numpy as np
from nutpie.compiled_pyfunc import from_pyfunc

from ._problem import Problem
from ._tree import named

__all__ = ["model"]


def model(problem: Problem, *, jitter: float = 1.0, coords: dict[str, Any] | None = None, dims: dict[str, Any] | None = None):
    """A model whose log-density is the value of a problem of one vector.

    Each Real, and each array of them, that moves is a variable of the draws: of a record its fields, with dots between names
    within names. Chains begin at the problem's `x0`, to which each number has a uniform random one between `-jitter` and
    `jitter` added. `coords` and `dims` name the axes of variables, as ArviZ has them.
    """
    if not isinstance(problem, Problem) or not problem._is_scalar:
        raise TypeError("`model` takes a problem whose value is a Real, as `m.f.bind(…).flat(…)` gives")
    found = [one for name, part in zip(problem._wrt, problem._template) for one in named(name, part) if one[1] is not None]
    names, shapes = [name for name, _ in found], [np.shape(leaf) for _, leaf in found]
    sizes = [int(np.prod(shape, dtype=int)) for shape in shapes]
    ends = np.cumsum(sizes)[:-1]

    def make_value(*_):
        def value(x):
            value, gradient = problem.value_and_grad(x)
            return value, gradient

        return value

    def make_draw(*_):
        def draw(x):
            pieces = np.split(np.array(x, dtype=float), ends)
            return {name: piece.reshape(shape) for name, piece, shape in zip(names, pieces, shapes)}

        return draw

    def start(seed):
        return problem.x0 + np.random.default_rng(seed).uniform(-jitter, jitter, problem.size)

    dtypes = [np.dtype(np.float64)] * len(names)
    return from_pyfunc(
        problem.size,
        make_value,
        make_draw,
        dtypes,
        shapes,
        names,
        coords=coords,
        dims=dims,
        make_initial_point_fn=start,
    )
