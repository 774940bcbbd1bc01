"""Log-densities with the methods of BridgeStan's models."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._problem import Problem


class LogDensity:
    """A log-density of one vector, all of whose numbers are free. The names of the methods are those of BridgeStan."""

    def __init__(self, problem: Problem):
        if not isinstance(problem, Problem) or not problem._is_scalar:
            raise TypeError("`log_density` takes a problem whose value is a Real, as `m.f.bind(…).flat(…)` gives")
        self.problem = problem

    def __repr__(self) -> str:
        return f"<log-density of {self.problem.size} numbers>"

    def param_num(self) -> int:
        """How many numbers there are, which are all free."""
        return self.problem.size

    param_unc_num = param_num

    def log_density(self, x) -> float:
        """The value."""
        return self.problem.value(x)

    def log_density_gradient(self, x) -> tuple[float, np.ndarray]:
        """The value and the gradient."""
        return self.problem.value_and_grad(x)

    def log_density_hessian(self, x) -> tuple[float, np.ndarray, np.ndarray]:
        """The value, the gradient and the Hessian."""
        return *self.problem.value_and_grad(x), self.problem.hessian(x)

    def log_density_hessian_vector_product(self, x, v) -> tuple[float, np.ndarray]:
        """The value, and the Hessian times a vector."""
        return self.problem.value(x), self.problem.hvp(x, v)

    def c_callback(self) -> Any:
        """The value and its gradient as functions that C calls."""
        return self.problem.c_callback()


def log_density(problem: Problem) -> LogDensity:
    """The value of a problem as a log-density."""
    return LogDensity(problem)
