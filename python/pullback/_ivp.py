"""Differential equations as SciPy's `solve_ivp` takes them."""

from __future__ import annotations

import numpy as np

from ._problem import Bound, Problem, _reals, _vector


class Ivp:
    """The right side `fun(t, y)` of a differential equation, its Jacobian `jac(t, y)`, and where it begins, `y0`.

    `unflatten(y)` gives a state as the program has it.
    """

    def __init__(self, bound: Bound, start, time: str | None, options: dict):
        if time is not None and time not in bound.parameters:
            known = ", ".join(f"`{one}`" for one in bound.parameters)
            raise TypeError(f"there is no parameter `{time}`: the parameters are {known}")
        states = [name for name in bound.parameters if name != time]
        if len(states) != 1:
            raise TypeError(f"one parameter must be left for the state, but there are {len(states)}")
        (self._state,), self._time = states, time
        given = (0.0 if name == time else start for name in bound.parameters)
        self._problem = Problem(bound, tuple(given), options, wrt=(self._state,))
        self.y0 = self._problem.x0
        found = _vector(_reals(self._problem._value)).size
        if found != self._problem.size:
            raise ValueError(f"the state has {self._problem.size} numbers, but its derivative has {found}")

    def _at(self, t) -> dict:
        return {} if self._time is None else {self._time: float(t)}

    def fun(self, t, y) -> np.ndarray:
        """The derivative of the state."""
        problem = self._problem
        arguments = problem._arguments(y, **self._at(t))
        return _vector(_reals(problem._function(*arguments, **problem._options)))

    def jac(self, t, y) -> np.ndarray:
        """The Jacobian of that derivative, a matrix."""
        problem = self._problem
        arguments = problem._arguments(y, **self._at(t))
        return problem._matrix(problem._function.jacobian(*arguments, wrt=problem._wrt, **problem._options))

    def unflatten(self, y):
        """A state as the program has it."""
        values = self._problem.unflatten(y)
        if self._time is None:
            return values
        return values[self._problem._bound.parameters.index(self._state)]
