"""Ipopt by cyipopt: `pullback.ipopt.minimize(f, constraints=g)`, with exact first and second derivatives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cyipopt
import numpy as np

from ._problem import Bound, Problem, _parted, _reals, _vector
from ._sparse import Structure

__all__ = ["Solution", "minimize"]

_FAR = 2e19
# Of fewer numbers a dense matrix takes less than to look for a plan.
_SMALL = 32


@dataclass(frozen=True)
class Solution:
    """What Ipopt found: the vector, the arguments as they are given, the value, and whether it is a solution."""

    x: np.ndarray
    arguments: Any
    value: float
    is_solved: bool
    message: str
    multipliers: np.ndarray
    iterations: int


def _structure(problem: Problem, of: str) -> Structure | None:
    """Where a matrix has entries, if that is the same for all vectors and saves most sweeps."""
    if problem.size < _SMALL:
        return None
    found = problem.structure(problem.x0, of)
    return found if found.everywhere and 4 * found.sweeps <= problem.size else None


def _dense(matrix) -> np.ndarray:
    return matrix if isinstance(matrix, np.ndarray) else matrix.toarray()


class _Curvature:
    """The second derivative of what constraints are with their multipliers: the Jacobian of a pullback."""

    def __init__(self, constraints: Problem):
        self._template = _reals(constraints._value)
        function = constraints._function._derivative_of("vjp", constraints._wrt)
        start = (*constraints._arguments(constraints.x0), self._weights(np.ones(_vector(self._template).size)))
        self._problem = Problem(Bound(function, {}), start, constraints._options, constraints._wrt)
        self.structure = _structure(self._problem, "jacobian")

    def _weights(self, multipliers):
        return _parted(self._template, np.array(multipliers, dtype=float))

    def at(self, x, multipliers):
        problem = self._problem
        problem._start = {**problem._start, problem._bound.parameters[-1]: self._weights(multipliers)}
        return problem.jacobian(x, sparse=self.structure is not None)


class _Callbacks:
    """What Ipopt asks for. It does not let exceptions through, so the first one is kept."""

    def __init__(self, problem: Problem, constraints: Problem | None):
        self._problem, self._constraints = problem, constraints
        self.iterations = 0
        self.raised: BaseException | None = None
        self._slopes = None if constraints is None else _structure(constraints, "jacobian")
        self._curvature = curvature = None if constraints is None else _Curvature(constraints)
        structures = [_structure(problem, "hessian"), *([] if curvature is None else [curvature.structure])]
        known = [one for one in structures if one is not None]
        self._is_sparse = len(known) == len(structures)
        if self._is_sparse:
            # Entries below the diagonal, each once; a part says which of its own these are, and where they go.
            lower = [one.rows >= one.columns for one in known]
            keys = [(one.columns * problem.size + one.rows)[below] for one, below in zip(known, lower)]
            all_keys = np.unique(np.concatenate(keys))
            self._rows, self._columns = all_keys % problem.size, all_keys // problem.size
            self._parts = [(below, np.searchsorted(all_keys, own)) for below, own in zip(lower, keys)]
        else:
            self._rows, self._columns = np.tril_indices(problem.size)

    def objective(self, x):
        return self._problem.value(x)

    def gradient(self, x):
        return self._problem.grad(x)

    def constraints(self, x):
        return self._constraints.residuals(x) if self._constraints is not None else np.zeros(0)

    def jacobianstructure(self):
        if self._slopes is not None:
            return self._slopes.rows, self._slopes.columns
        count = 0 if self._constraints is None else _vector(_reals(self._constraints._value)).size
        return np.divmod(np.arange(count * self._problem.size), self._problem.size)

    def jacobian(self, x):
        if self._constraints is None:
            return np.zeros(0)
        if self._slopes is not None:
            return self._constraints.jacobian(x, sparse=True).data
        return self._constraints.jacobian(x).ravel()

    def hessianstructure(self):
        return self._rows, self._columns

    def hessian(self, x, multipliers, factor):
        found = [factor * self._problem.hessian(x, sparse=self._is_sparse)]
        if self._curvature is not None:
            found.append(self._curvature.at(x, multipliers))
        if not self._is_sparse:
            return sum(map(_dense, found))[self._rows, self._columns]
        values = np.zeros(self._rows.size)
        for one, (below, places) in zip(found, self._parts):
            values[places] += one.data[below]
        return values

    def intermediate(self, *state):
        self.iterations = int(state[1])
        return True


def _caught(callbacks: _Callbacks, name: str):
    called = getattr(callbacks, name)

    def safe(*args):
        try:
            return called(*args)
        except cyipopt.CyIpoptEvaluationError:
            raise
        except Exception as error:
            # A point where the program has no value is one that Ipopt may step back from.
            callbacks.raised = callbacks.raised or error
            raise cyipopt.CyIpoptEvaluationError() from error

    return safe


class _Safe:
    def __init__(self, callbacks: _Callbacks):
        for name in ("objective", "gradient", "constraints", "jacobian", "hessian"):
            setattr(self, name, _caught(callbacks, name))
        self.jacobianstructure = callbacks.jacobianstructure
        self.hessianstructure = callbacks.hessianstructure
        self.intermediate = callbacks.intermediate


def _bounds(given, size: int, usual: tuple[float, float], name: str):
    low, high = usual if given is None else given
    try:
        sides = [np.broadcast_to(np.asarray(side, dtype=float), (size,)).copy() for side in (low, high)]
    except ValueError:
        raise ValueError(f"`{name}` must be two numbers, or two vectors of {size} numbers") from None
    return [np.clip(np.nan_to_num(side, nan=_FAR), -_FAR, _FAR) for side in sides]


def minimize(
    problem: Problem,
    constraints: Problem | None = None,
    *,
    x0=None,
    bounds=None,
    constraint_bounds=(0.0, 0.0),
    **options: Any,
) -> Solution:
    """The least value of a problem of one vector.

    `constraints` is a problem of the same vector whose value, all its Reals one after the other, must be within
    `constraint_bounds`: a lower and an upper one, numbers or vectors. Without them it must be 0. `bounds` are those of the vector.
    Other options go to Ipopt. Derivatives are sparse matrices where their entries are in the same places for all vectors and
    few sweeps give them.
    """
    if not isinstance(problem, Problem) or not problem._is_scalar:
        raise TypeError("`minimize` takes a problem whose value is a Real, as `m.f.bind(…).flat(…)` gives")
    if constraints is not None and (not isinstance(constraints, Problem) or constraints.size != problem.size):
        raise TypeError(f"`constraints` must be a problem of the same {problem.size} numbers")
    count = 0 if constraints is None else _vector(_reals(constraints._value)).size
    callbacks = _Callbacks(problem, constraints)
    lower, upper = _bounds(bounds, problem.size, (-_FAR, _FAR), "bounds")
    least, most = _bounds(constraint_bounds, count, (0.0, 0.0), "constraint_bounds")
    solver = cyipopt.Problem(
        n=problem.size, m=count, problem_obj=_Safe(callbacks), lb=lower, ub=upper, cl=least, cu=most
    )
    for name, value in {"print_level": 0, "sb": "yes", **options}.items():
        solver.add_option(name, value)
    x, told = solver.solve(np.array(problem.x0 if x0 is None else x0, dtype=float))
    is_solved = told["status"] in (0, 1)
    if not is_solved and callbacks.raised is not None:
        raise callbacks.raised
    message = told["status_msg"]
    message = message.decode() if isinstance(message, bytes) else str(message)
    return Solution(
        x, problem.unflatten(x), float(told["obj_val"]), is_solved, message, np.array(told["mult_g"]), callbacks.iterations
    )
