"""Sparse Jacobians and Hessians of problems of one vector: a plan that is kept, and a sweep for each colour."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Structure:
    """Which entries of a matrix can be other than zero: their rows and columns, by columns. `sweeps` says in how many sweeps
    they are computed, and `everywhere` whether that holds for all vectors."""

    shape: tuple[int, int]
    rows: np.ndarray
    columns: np.ndarray
    sweeps: int
    everywhere: bool


class Sparse:
    """The plan of a matrix of a problem: "jvp" is that of the Jacobian, and "hvp" that of the Hessian."""

    def __init__(self, problem, kind: str, x):
        from ._problem import _parted

        self._problem, self._kind = problem, kind
        numbers = _parted(problem._template, np.arange(1, problem.size + 1, dtype=np.float64))
        options = {name: value for name, value in problem._options.items() if name in ("engine", "fp", "threads")}
        code = problem._function._code(kind, problem._wrt, **options)
        directions = problem._function._directions(numbers, problem._wrt)
        starts, entries, self.everywhere, sweeps = code.plan(problem._arguments(x), directions)
        indptr, indices = _ints(starts), _ints(entries)
        self.shape = (indptr.size - 1, problem.size)
        rows = np.repeat(np.arange(self.shape[0]), np.diff(indptr))
        # Entries are told row by row, and kept column by column.
        self._order = np.lexsort((rows, indices))
        self.rows, self.columns = rows[self._order], indices[self._order]
        self._indptr = np.searchsorted(self.columns, np.arange(problem.size + 1))
        self.sweeps = [(forward, *map(_ints, parts)) for forward, *parts in sweeps]

    def values(self, x) -> np.ndarray:
        """The entries at a vector, column by column."""
        problem = self._problem
        data = np.zeros(self.rows.size)
        for forward, lines, entries, places in self.sweeps:
            seed = np.zeros(self.shape[1] if forward else self.shape[0])
            seed[lines] = 1.0
            if self._kind == "hvp":
                answer = problem.hvp(x, seed)
            else:
                answer = problem.jvp(x, seed) if forward else problem.vjp(x, seed)
            data[entries] = answer[places]
        return data[self._order]

    def matrix(self, x):
        """The matrix at a vector."""
        from scipy.sparse import csc_array

        return csc_array((self.values(x), self.rows, self._indptr), shape=self.shape)


def _ints(found: bytes) -> np.ndarray:
    return np.frombuffer(found, dtype=np.int64)
