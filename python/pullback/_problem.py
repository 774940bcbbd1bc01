"""Functions with some arguments in place, and problems of one vector, as optimisers take them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ._convert import vector
from ._forms import has_sums, ordered, reals
from ._sparse import Sparse, Structure
from ._tree import is_real, leaves, mapped, parts

if TYPE_CHECKING:
    from ._ivp import Ivp


class Bound:
    """A function some of whose parameters have values. The others are given in order, or by name."""

    def __init__(self, function, given: dict):
        for name in given:
            if name not in function.parameters:
                known = ", ".join(f"`{one}`" for one in function.parameters)
                raise TypeError(f"there is no parameter `{name}`: the parameters are {known}")
        self._function = function
        # Arrays are made what the code takes once, not at each call.
        self._given = {name: mapped(_dense, value) for name, value in given.items()}
        self.parameters = tuple(name for name in function.parameters if name not in given)

    def __repr__(self) -> str:
        return f"<{self._function!r} with {', '.join(self._given)}>"

    def _args(self, args, kwargs) -> tuple:
        if len(args) > len(self.parameters):
            raise TypeError(f"there are {len(self.parameters)} parameters, but {len(args)} arguments are given")
        free = dict(zip(self.parameters, args))
        for name in self.parameters:
            if name in kwargs:
                if name in free:
                    raise TypeError(f"`{name}` is given twice")
                free[name] = kwargs.pop(name)
            elif name not in free:
                raise TypeError(f"`{name}` is not given")
        return tuple(self._given[name] if name in self._given else free[name] for name in self._function.parameters)

    @property
    def _wrt(self) -> tuple[str, ...]:
        return tuple(name for name in self.parameters if name in self._function._reals)

    def _one(self, wrt):
        if wrt is not None:
            return wrt
        names = self._wrt
        if not names:
            raise TypeError("no parameter that is left holds Reals")
        return names[0] if len(names) == 1 else names

    def __call__(self, *args, **kwargs):
        """The value."""
        return self._function(*self._args(args, kwargs), **kwargs)

    def value_and_grad(self, *args, wrt=None, **kwargs):
        """The value and the gradient, with respect to what is left."""
        return self._function.value_and_grad(*self._args(args, kwargs), wrt=self._one(wrt), **kwargs)

    def grad(self, *args, wrt=None, **kwargs):
        """The gradient."""
        return self.value_and_grad(*args, wrt=wrt, **kwargs)[1]

    def ivp(self, start, time: str | None = None, **options) -> Ivp:
        """The right side of a differential equation, for SciPy's `solve_ivp`: the value is the derivative of what is left.
        `time` names the parameter that is the time, if there is one."""
        from ._ivp import Ivp

        return Ivp(self, start, time, options)

    def flat(self, *start, **options) -> Problem:
        """The function of one vector: all Reals of what is left, which begin with these values."""
        return Problem(self, start, options)


def _dense(leaf):
    if isinstance(leaf, np.ndarray) and leaf.dtype.kind == "f":
        return np.require(leaf, dtype=np.float64, requirements=["C", "A"])
    if isinstance(leaf, list):
        return np.asarray(leaf)
    return leaf


class Problem:
    """A function of one vector. `x0` is where it begins; `unflatten(x)` gives arguments as they were."""

    def __init__(self, bound: Bound, start: tuple, options: dict, wrt: tuple[str, ...] | None = None):
        self._bound, self._options = bound, options
        function = bound._function
        self._wrt = bound._wrt if wrt is None else wrt
        if len(start) != len(bound.parameters):
            raise TypeError(f"there are {len(bound.parameters)} arguments to begin with, not {len(start)}")
        # The vector has the order of the gradient: that of the program, whatever the order of a dictionary is.
        forms = function._forms
        self._start = {name: ordered(forms[name], value, name) for name, value in zip(bound.parameters, start)}
        # The gradient at the start has the shapes of all that moves.
        at = tuple(self._start[name] for name in bound.parameters)
        value = bound(*at, **options)
        self._is_scalar = isinstance(value, float)
        self._value = value
        self._template = tuple(reals(forms[name], self._start[name]) for name in self._wrt)
        found = [leaf for leaf in leaves(self._template) if leaf is not None]
        self.size = int(sum(leaf.size for leaf in found))
        self.x0 = _vector(self._template, self.size)
        self._function = function
        self._plans: dict[str, Sparse] = {}
        self._has_sums = any(map(has_sums, [*(forms[name] for name in self._wrt), function._code("value").forms[2]]))

    def __repr__(self) -> str:
        return f"<problem of {self.size} numbers: {self._bound!r}>"

    def _arguments(self, x, **others) -> tuple:
        """All arguments of the function; `others` are values of parameters that do not move."""
        x = vector(x)
        if x.size != self.size:
            raise ValueError(f"the vector has {x.size} numbers, but the problem has {self.size}")
        moving = dict(zip(self._wrt, _parted(self._template, x)))
        start = {**self._start, **others}
        free = (moving.get(name, start[name]) for name in self._bound.parameters)
        merged = (_merged(start[name], value) for name, value in zip(self._bound.parameters, free))
        return self._bound._args(tuple(merged), {})

    def unflatten(self, x):
        """What the function is given for a vector: one argument itself, or a tuple of several."""
        x = vector(x)
        moving = dict(zip(self._wrt, _parted(self._template, x.copy())))
        values = tuple(
            _merged(self._start[name], moving.get(name, self._start[name])) for name in self._bound.parameters
        )
        return values[0] if len(values) == 1 else values

    def value(self, x):
        """The value."""
        return self._function(*self._arguments(x), **self._options)

    __call__ = value

    def residuals(self, x):
        """All Reals of the value, a vector: for `scipy.optimize.root` and `least_squares`."""
        return _vector(_reals(self.value(x)))

    def jacobian(self, x, sparse: bool = False):
        """The Jacobian of `residuals`, a matrix; with `sparse`, one of SciPy by columns (`csc_array`)."""
        if sparse:
            return self._sparse("jvp", x).matrix(x)
        if self._has_sums:
            return self._by_columns(x, self.jvp)
        return self._matrix(self._function.jacobian(*self._arguments(x), wrt=self._wrt, **self._options))

    def hessian(self, x, sparse: bool = False):
        """The Hessian of the value, a Real: a matrix; with `sparse`, one of SciPy by columns (`csc_array`)."""
        if sparse:
            return self._sparse("hvp", x).matrix(x)
        if self._has_sums:
            return self._by_columns(x, self.hvp)
        return self._matrix(self._function.hessian(*self._arguments(x), wrt=self._wrt, **self._options))

    def _by_columns(self, x, product) -> np.ndarray:
        """A matrix by its products with unit vectors: the language has none with a sum for each of its numbers."""
        columns = [product(x, unit) for unit in np.eye(self.size)]
        return np.stack(columns, axis=1) if columns else np.zeros((0, 0))

    def structure(self, x, of: str = "jacobian") -> Structure:
        """Which entries of the Jacobian or the Hessian can be other than zero, and in how many sweeps they are computed."""
        if of not in ("jacobian", "hessian"):
            raise ValueError(f"`of` must be 'jacobian' or 'hessian', not {of!r}")
        found = self._sparse("jvp" if of == "jacobian" else "hvp", x)
        return Structure(found.shape, found.rows, found.columns, len(found.sweeps), found.everywhere)

    def _sparse(self, kind: str, x) -> Sparse:
        """The plan of a sparse matrix, which is kept if it holds for all vectors."""
        kept = self._plans.get(kind)
        if kept is None:
            kept = Sparse(self, kind, x)
            if kept.everywhere:
                self._plans[kind] = kept
        return kept

    def _matrix(self, derivative) -> np.ndarray:
        """The rows of a Jacobian: an array for each part of the value and each part that moves."""
        sizes = [leaf.shape for leaf in leaves(self._template) if leaf is not None]
        blocks = [np.asarray(leaf) for leaf in leaves(derivative) if is_real(leaf)]
        rows = []
        for at in range(0, len(blocks), len(sizes)):
            row = zip(blocks[at : at + len(sizes)], sizes)
            rows.append(np.hstack([block.reshape(-1, int(np.prod(size))) for block, size in row]))
        return np.vstack(rows) if rows else np.zeros((0, self.size))

    def value_and_grad(self, x):
        """The value and the gradient, a vector."""
        value, gradient = self._function.value_and_grad(*self._arguments(x), wrt=self._wrt, **self._options)
        return value, _vector(gradient, self.size)

    def grad(self, x):
        """The gradient."""
        return self.value_and_grad(x)[1]

    def hvp(self, x, direction):
        """The Hessian times a direction."""
        tangents = _parted(self._template, _flat(direction, self.size))
        parts = self._function.hvp(*self._arguments(x), *tangents, wrt=self._wrt, **self._options)
        return _vector(parts, self.size)

    def jvp(self, x, direction):
        """The Jacobian times a direction, a vector of the Reals of the value."""
        tangents = _parted(self._template, _flat(direction, self.size))
        _, tangent = self._function.jvp(self._arguments(x), tangents, wrt=self._wrt, **self._options)
        return _vector(tangent)

    def vjp(self, x, cotangent):
        """The transposed Jacobian times a vector."""
        value, pullback = self._function.vjp(*self._arguments(x), wrt=self._wrt, **self._options)
        template = _reals(value)
        size = _vector(template).size
        return _vector(pullback(_parted(template, _flat(cotangent, size))), self.size)

    def linear_operator(self, x):
        """SciPy's operator at a point: the Hessian if the value is a Real, else the Jacobian and its transpose."""
        from scipy.sparse.linalg import LinearOperator

        x = np.array(x, dtype=np.float64)
        if self._is_scalar:
            times = lambda v: self.hvp(x, v)  # noqa: E731
            return LinearOperator((self.size, self.size), matvec=times, rmatvec=times, dtype=np.float64)
        rows = _vector(_reals(self._value)).size
        return LinearOperator(
            (rows, self.size),
            matvec=lambda v: self.jvp(x, v),
            rmatvec=lambda v: self.vjp(x, v),
            dtype=np.float64,
        )

    def c_callback(self):
        """The value, a Real, and its gradient as functions that C calls: for SciPy's `LowLevelCallable` and for samplers."""
        from ._callback import Callback

        return Callback(self)


def _reals(value):
    """The same structure with nothing where there are no Reals."""

    def kept(leaf):
        if isinstance(leaf, list) or isinstance(leaf, int) and not isinstance(leaf, bool):
            return np.asarray(leaf, dtype=float)
        return leaf if is_real(leaf) else None

    return mapped(kept, value)


def _flat(given, size: int) -> np.ndarray:
    """A vector; SciPy gives columns too."""
    found = vector(given)
    if found.size != size:
        raise ValueError(f"the vector has {found.size} numbers where there must be {size}")
    return found


def _vector(value, size: int | None = None) -> np.ndarray:
    """All Reals, one after the other."""
    found = [np.ravel(leaf) for leaf in leaves(value) if leaf is not None]
    if len(found) == 1:
        return np.ascontiguousarray(found[0], dtype=np.float64)
    return np.concatenate(found).astype(np.float64, copy=False) if found else np.zeros(0)


def _parted(template, vector: np.ndarray):
    """A structure like the template of the numbers of a vector, which is not copied."""
    at = 0

    def part(leaf):
        nonlocal at
        if leaf is None:
            return None
        size, shape = np.size(leaf), np.shape(leaf)
        taken = vector[at : at + size].reshape(shape)
        at += size
        return taken if shape else float(taken)

    return mapped(part, template)


def _merged(start, moving):
    """What moves, with all else as it was."""
    found = parts(start)
    if found is None:
        return start if moving is None else moving
    items, make = found
    inner = parts(moving)
    return start if inner is None else make([_merged(item, part) for item, part in zip(items, inner[0])])
