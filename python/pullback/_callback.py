"""Functions of one vector as function pointers."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from . import _native
from ._convert import vector
from ._forms import elems
from ._tree import leaves


class Callback:
    """A problem whose value is a Real, as two functions that C calls without Python:

    - `value`: `double f(int n, double *x, void *data)`
    - `value_and_grad`: `int f(size_t n, const double *x, double *gradient, double *value, void *data)`, which returns 0

    `data` is what they are given. If a call fails, the value is NaN, or the other one returns 1; `check()` then raises what was
    wrong. The addresses are good for as long as this object is there; the properties keep it.
    """

    def __init__(self, problem):
        if not problem._is_scalar:
            raise TypeError("the value must be a Real")
        self._problem = problem
        function, options = problem._function, problem._options
        taken = {name: options[name] for name in ("engine", "fp", "threads") if name in options}
        at, moves = 0, []
        sizes = iter([leaf.size for leaf in leaves(problem._template) if leaf is not None])
        for name, form in function._forms.items():
            for elem, _ in elems(form):
                does = elem == "Real" and name in problem._wrt
                moves.append(at if does else None)
                at += next(sizes) if does else 0
        places = [place for place in moves if place is not None]
        arguments = problem._arguments(problem.x0)
        made = [
            _native.Callback(function._code(kind, wrt, **taken), arguments, moves, places, problem.size)
            for kind, wrt in (("value", ()), ("grad", problem._wrt))
        ]
        self._value, self._gradient = made
        self.size = problem.size

    @property
    def value_address(self) -> int:
        """The address of `value`."""
        return self._value.value_address

    @property
    def value_and_grad_address(self) -> int:
        """The address of `value_and_grad`."""
        return self._gradient.gradient_address

    @property
    def value_data(self) -> int:
        """The address of the data of `value`."""
        return self._value.data_address

    @property
    def value_and_grad_data(self) -> int:
        """The address of the data of `value_and_grad`."""
        return self._gradient.data_address

    @property
    def value(self) -> Any:
        """`value` as a function of `ctypes`."""
        kind = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_int, ctypes.POINTER(ctypes.c_double), ctypes.c_void_p)
        return self._kept(kind(self.value_address))

    def _kept(self, pointer):
        """The pointer, which keeps what it points to."""
        pointer._callback = self
        return pointer

    @property
    def value_and_grad(self) -> Any:
        """`value_and_grad` as a function of `ctypes`."""
        numbers = ctypes.POINTER(ctypes.c_double)
        kind = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_size_t, numbers, numbers, numbers, ctypes.c_void_p)
        return self._kept(kind(self.value_and_grad_address))

    def low_level_callable(self):
        """SciPy's `LowLevelCallable` of `value`: for `scipy.integrate.quad` and `nquad`."""
        from scipy import LowLevelCallable

        return LowLevelCallable(self.value, user_data=ctypes.c_void_p(self.value_data))

    def __call__(self, x):
        """The value and the gradient, by the pointers."""
        x = vector(x)
        gradient, value = np.zeros(x.size), ctypes.c_double()
        numbers = ctypes.POINTER(ctypes.c_double)
        args = x.ctypes.data_as(numbers), gradient.ctypes.data_as(numbers), ctypes.byref(value)
        if self.value_and_grad(x.size, *args, ctypes.c_void_p(self.value_and_grad_data)):
            self.check()
        return value.value, gradient

    def check(self) -> None:
        """Raises the last failure of a call, if there was one since the last check."""
        self._value.check()
        self._gradient.check()
