"""Functions: definitions and expressions, called and differentiated."""

from __future__ import annotations

import functools
import re
import warnings
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np

from ._errors import PullbackError, with_hint
from ._forms import uncopied
from ._native import Quick
from ._problem import Bound, Problem
from ._progress import told
from ._records import record
from ._tree import stacked

if TYPE_CHECKING:
    from ._check import Checked
    from ._bounds import Box
    from ._clarke import Clarke
    from ._module import Module
    from ._noticed import Notice

# Names of parameters: one, several, or none for all that hold Reals.
Wrt = str | Sequence[str] | None

_UNITS = {"ms": 1e-3, "s": 1.0, "min": 60.0, "m": 60.0, "h": 3600.0}
# As many as the command takes.
_MOST_THREADS = 64
_BYTES = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


def _seconds(timeout) -> float | None:
    if timeout is None:
        return None
    if isinstance(timeout, (int, float)) and not isinstance(timeout, bool):
        if not timeout >= 0:
            raise ValueError(f"`timeout` must be no less than 0 seconds, not {timeout!r}")
        return timeout
    if isinstance(timeout, str):
        match = re.fullmatch(r"\s*(\d+(?:\.\d*)?)\s*(ms|s|min|m|h)\s*", timeout)
        if match:
            return float(match[1]) * _UNITS[match[2]]
    raise TypeError(f"`timeout` must be seconds, or a text such as '10s', not {timeout!r}")


def _amount(memory) -> int | None:
    if memory is None or isinstance(memory, int) and not isinstance(memory, bool) and memory >= 0:
        return memory
    if isinstance(memory, str):
        match = re.fullmatch(r"\s*(\d+)\s*([KMGT]?)(?:i?B)?\s*", memory)
        if match:
            return int(match[1]) * _BYTES[match[2]]
    raise TypeError(f"`max_memory` must be bytes, or a text such as '2G', not {memory!r}")


def _threads(threads) -> int:
    if isinstance(threads, bool) or not hasattr(threads, "__index__"):
        raise TypeError(f"`threads` must be a whole number, not {threads!r}")
    if not 1 <= threads <= _MOST_THREADS:
        raise ValueError(f"`threads` must be between 1 and {_MOST_THREADS}, not {threads}")
    return int(threads)


def _strict(fp) -> bool:
    if fp in (None, "fast"):
        return False
    if fp == "strict":
        return True
    raise ValueError(f"`fp` must be 'fast' or 'strict', not {fp!r}")


def _names(wrt: Wrt) -> tuple[str, ...]:
    if wrt is None:
        return ()
    names = (wrt,) if isinstance(wrt, str) else tuple(wrt)
    if not names or not all(isinstance(name, str) for name in names):
        raise TypeError(f"`wrt` must be the name of a parameter, or several, not {wrt!r}")
    if len(set(names)) < len(names):
        raise ValueError(f"`wrt` names a parameter twice: {', '.join(names)}")
    return names


class Function:
    """A function of a module. It is compiled when it is first called, as is each of its derivatives.

    Arguments are given by position or by name. Each method also takes `engine` ("native" or "ir"), `fp` ("fast" or
    "strict"), `threads`, `timeout` (seconds, or "10s"), `max_memory` (bytes, or "2G"), `progress` (whether to
    tell how far a call is, or a function that is told), `copy` ("error" refuses arrays that would be copied). `using` gives a function that has
    such options as a rule; it is the way where a parameter has the name of an option.
    """

    def __init__(
        self,
        module: Module,
        what: str,
        *,
        is_expression: bool = False,
        names: Sequence[str] | None = None,
        options: dict[str, Any] | None = None,
    ) -> None:
        self._module = module
        self._what = what
        self._is_expression = is_expression
        self._given_names = list(names) if names is not None else None
        self._options = dict(options or {})
        self._codes: dict[Any, Any] = {}
        # What calls without options go to, once it is compiled.
        self._quick_value: Any = None
        self._quick_both: dict[Any, Any] = {}
        definition = None if is_expression else module._definitions.get(what)
        self.__name__ = "expression" if is_expression else what
        self.__doc__ = definition["doc"] if definition else None

    # What it is.

    @property
    def module(self):
        """The module that it is of."""
        return self._module

    @functools.cached_property
    def signature(self) -> str:
        """Its type."""
        if self._is_expression:
            return self._module._native.type_of(self._what)
        return self._module._definitions[self._what]["type"]

    @functools.cached_property
    def parameters(self) -> tuple[str, ...]:
        """The names of its parameters."""
        return tuple(self._code("value").params)

    @functools.cached_property
    def _reals(self) -> tuple[str, ...]:
        return tuple(self._code("value").reals)

    @functools.cached_property
    def _forms(self) -> dict:
        """The forms of the parameters, by name."""
        code = self._code("value")
        return dict(zip(code.params, code.forms[0]))

    def __repr__(self) -> str:
        if self._is_expression:
            return f"<function {self._what}, {self._module.path}>"
        one = self._module._definitions[self._what]
        line = f":{one['place']['line']}" if one["place"] else ""
        return f"<{self._what}: {one['type']}, {self._module.path}{line}>"

    def __reduce__(self):
        kept = (self._module, self._what, self._is_expression, self._given_names, self._options)
        return _function, kept

    def using(self, **options: Any) -> Function:
        """The same function with these options as a rule."""
        _check_options(options)
        return _function(
            self._module,
            self._what,
            self._is_expression,
            self._given_names,
            {**self._options, **options},
        )

    def _code(self, kind, wrt=(), engine=None, fp=None, threads=None):
        options = self._options
        engine = engine if engine is not None else options.get("engine")
        fp = fp if fp is not None else options.get("fp")
        threads = threads if threads is not None else options.get("threads", 1)
        threads = _threads(threads)
        key = (kind, wrt, engine, fp, threads)
        code = self._codes.get(key)
        if code is None:
            code = self._codes[key] = self._module._native.function(
                self._what,
                self._is_expression,
                kind,
                list(wrt),
                self._given_names,
                engine,
                _strict(fp),
                threads,
                record,
            )
            if engine is None and code.engine != "native":
                _warn_once()
        return code

    def _run(self, kind, wrt, args, kwargs, directions=()):
        options = {}
        timeout, memory = self._options.get("timeout"), self._options.get("max_memory")
        progress, copy = self._options.get("progress"), self._options.get("copy")
        if kwargs:
            for name in ("engine", "fp", "threads"):
                if name in kwargs:
                    options[name] = kwargs.pop(name)
            timeout = kwargs.pop("timeout", timeout)
            memory = kwargs.pop("max_memory", memory)
            progress = kwargs.pop("progress", progress)
            copy = kwargs.pop("copy", copy)
        code = self._code(kind, wrt, **options)
        if copy is not None:
            self._look_at_copies(copy, args, kwargs)
        if timeout is not None:
            timeout = _seconds(timeout)
        if memory is not None:
            memory = _amount(memory)
        if not progress:
            value, parts = code.call(args, kwargs or None, directions, timeout, memory)
        else:
            with told(progress, self.__name__) as tell:
                value, parts = code.call(args, kwargs or None, directions, timeout, memory, tell)
        return code, value, parts

    def _look_at_copies(self, copy: str, args, kwargs) -> None:
        """Refuses arrays that a call would copy, if that is wanted."""
        if copy not in ("allow", "error"):
            raise ValueError(f"`copy` must be 'allow' or 'error', not {copy!r}")
        forms = self._forms
        given = dict(zip(forms, args)) | {name: value for name, value in kwargs.items() if name in forms}
        for name in forms if copy == "error" else ():
            if name in given:
                uncopied(forms[name], given[name], name)

    def _parts(self, code, parts, wrt):
        """The parts of a derivative: a bare one if one is named, or there is only one."""
        if wrt is None:
            return parts[0] if len(parts) == 1 else parts
        if isinstance(wrt, str):
            return parts[0]
        order = code.wrt
        return tuple(parts[order.index(name)] for name in wrt)

    # What it computes.

    def __call__(self, *args: Any, out: Any = None, **kwargs: Any) -> Any:
        """The value."""
        if self._quick_value is not None and not kwargs:
            value = self._quick_value(*args)
            return value if out is None else _into(out, value)
        is_plain = not kwargs and not self._options
        code, value, _ = self._run("value", (), args, kwargs)
        if is_plain:
            self._quick_value = code.quick_value
        return value if out is None else _into(out, value)

    def value_and_grad(self, *args: Any, wrt: Wrt = None, out: Any = None, **kwargs: Any) -> tuple[Any, Any]:
        """The value, a Real, and its gradient with respect to the parameters that are named, or all that hold Reals. One
        name gives the gradient itself, several a tuple."""
        if not kwargs and not isinstance(wrt, list) and wrt in self._quick_both:
            value, gradient = self._quick_both[wrt](*args)
            return value, gradient if out is None else _into(out, gradient)
        is_plain = not kwargs and not self._options
        code, value, parts = self._run("grad", _names(wrt), args, kwargs)
        gradient = self._parts(code, parts, wrt)
        if is_plain and (wrt is None or isinstance(wrt, str)):
            self._quick_both[wrt] = code.quick_both
            if wrt is None and "value_and_grad" not in self.__dict__:
                # From now on it goes without the interpreter.
                self.__dict__["value_and_grad"] = Quick(code, self.value_and_grad)
        return value, gradient if out is None else _into(out, gradient)

    def grad(self, *args: Any, wrt: Wrt = None, out: Any = None, **kwargs: Any) -> Any:
        """The gradient of the value, a Real."""
        if wrt is None and out is None and not kwargs:
            return self.value_and_grad(*args)[1]
        return self.value_and_grad(*args, wrt=wrt, out=out, **kwargs)[1]

    def vjp(self, *args: Any, wrt: Wrt = None, **kwargs: Any) -> tuple[Any, Callable[[Any], Any]]:
        """The value, and a function from a cotangent of it to the cotangents of the parameters. That function computes the
        value once more."""
        options = {name: kwargs.pop(name) for name in _OPTIONS if name in kwargs}
        value = self(*args, **kwargs, **options)
        names = _names(wrt)

        def pullback(cotangent):
            code, _, parts = self._run("vjp", names, args, {**kwargs, **options}, (cotangent,))
            return self._parts(code, parts, wrt)

        return value, pullback

    def jvp(self, primals: Any, tangents: Any, *, wrt: Wrt = None, **options: Any) -> tuple[Any, Any]:
        """The value and its tangent, at these arguments along these tangents of the parameters that are named, or of all
        that hold Reals."""
        primals, tangents = _tuple(primals, "primals"), _tuple(tangents, "tangents")
        directions = self._directions(tangents, wrt)
        _, value, parts = self._run("jvp", _names(wrt), primals, options, directions)
        return value, parts[0]

    def hvp(self, *args: Any, wrt: Wrt = None, **kwargs: Any) -> Any:
        """The Hessian of the value, a Real, times a direction: the last arguments are tangents of the parameters that are
        named, or of all that hold Reals."""
        count = len(_names(wrt)) or len(self._reals)
        if len(args) < count:
            raise TypeError(f"`hvp` takes the arguments, and {count} tangents after them")
        args, tangents = args[: len(args) - count], args[len(args) - count :]
        directions = self._directions(tangents, wrt)
        code, _, parts = self._run("hvp", _names(wrt), args, kwargs, directions)
        return self._parts(code, parts, wrt)

    def _directions(self, tangents, wrt):
        names = _names(wrt) or self._reals
        if len(tangents) != len(names):
            raise TypeError(f"{len(names)} tangents must be given, not {len(tangents)}")
        given = dict(zip(names, tangents))
        # Code takes them in the order of the parameters; names that are unknown are told there.
        return tuple(given[name] for name in self._reals if name in given)

    def jacobian(self, *args: Any, wrt: Wrt = None, sparse: bool = False, **kwargs: Any) -> Any:
        """The Jacobian: the value with each Real replaced by its gradient. Of arrays the dimensions of the value come
        first. With `sparse` it is a sparse matrix of SciPy: a row for each Real of the value, a column for each Real of what
        it is with respect to."""
        if sparse:
            problem = self._problem(args, wrt, kwargs)
            return problem.jacobian(problem.x0, sparse=True)
        return self._matrix("jacobian", wrt, args, kwargs)

    def hessian(self, *args: Any, wrt: Wrt = None, sparse: bool = False, **kwargs: Any) -> Any:
        """The Hessian of the value, a Real. With `sparse` it is a sparse matrix of SciPy."""
        if sparse:
            problem = self._problem(args, wrt, kwargs)
            return problem.hessian(problem.x0, sparse=True)
        return self._matrix("hessian", wrt, args, kwargs)

    def _matrix(self, operator: str, wrt: Wrt, args: tuple, kwargs: dict[str, Any]) -> Any:
        try:
            return self._derived(operator, _names(wrt))(*args, **kwargs)
        except PullbackError as error:
            if error.code != "E0603":
                raise
            # A sum has no room for what would take the place of its Reals, but a matrix of them all has.
            hint = f"`{operator}(..., sparse=True)`, or `bind(...).flat(...).{operator}(x)`, is the matrix of all Reals"
            raise with_hint(error, hint) from None

    def _problem(self, args: tuple, wrt: Wrt, kwargs: dict[str, Any]) -> Problem:
        """The problem of one vector at these arguments."""
        options = {**self._options, **{name: kwargs.pop(name) for name in _OPTIONS if name in kwargs}}
        names, bound = _names(wrt), Bound(self, {})
        for name in names:
            if name not in self._reals:
                raise TypeError(f"there is no parameter `{name}` with Reals to differentiate with respect to")
        start = bound._args(args, kwargs)
        if kwargs:
            raise TypeError(f"there is no parameter `{next(iter(kwargs))}`")
        # Columns come in the order of the parameters.
        return Problem(bound, start, options, tuple(name for name in self._reals if name in names) or None)

    @functools.cached_property
    def _derivatives(self) -> dict:
        return {}

    def _derived(self, operator: str, wrt: tuple[str, ...]) -> Function:
        """The function that an operator of the language makes of this one."""
        key = (operator, wrt)
        if key not in self._derivatives:
            names, moving = self.parameters, wrt or self._reals
            for name in moving:
                if name not in names:
                    known = ", ".join(f"`{one}`" for one in names)
                    raise TypeError(f"there is no parameter `{name}`: the parameters are {known}")
            if not moving:
                raise TypeError("there is no parameter with Reals to differentiate with respect to")
            # Names that no program uses by accident.
            places = {name: f"param'{at}" for at, name in enumerate(names)}
            inner = dict(places)
            if len(moving) == 1:
                inner[moving[0]] = "moving'"
                point = places[moving[0]]
            else:
                inner.update({name: f"moving'.{at}" for at, name in enumerate(moving)})
                point = f"({', '.join(places[name] for name in moving)})"
            called = " ".join([f"({self._what})" if self._is_expression else self._what, *(inner[name] for name in names)])
            text = rf"\{' '.join(places[name] for name in names)} -> {operator} (\moving' -> {called}) {point}"
            self._derivatives[key] = Function(
                self._module, text, is_expression=True, names=names, options=self._options
            )
        return self._derivatives[key]

    def _derivative_of(self, kind: str, wrt: tuple[str, ...]) -> Function:
        """A derivative as a function of all that it takes, which has derivatives itself: of "jvp" and "vjp" that is the linear
        part, of "grad" the value and the gradient."""
        key = (f"{kind} as a function", wrt)
        if key not in self._derivatives:
            names = self.parameters
            places = {name: f"param'{at}" for at, name in enumerate(names)}
            one = len(wrt) == 1

            def together(items: list[str]) -> str:
                return items[0] if one else f"({', '.join(items)})"

            inner = {name: "moving'" if one else f"moving'.{at}" for at, name in enumerate(wrt)}
            called = f"({self._what})" if self._is_expression else self._what
            moved = rf"(\moving' -> {' '.join([called, *(inner.get(name, places[name]) for name in names)])})"
            point = together([places[name] for name in wrt])
            takes = [places[name] for name in names]
            # The numbers tell directions apart in derivatives of derivatives.
            extra: list[str] = []
            if kind == "grad":
                body = f"({' '.join([called, *takes])}, grad {moved} {point})"
            elif kind == "jvp":
                extra = [f"dot'{len(names) + at}" for at in range(len(wrt))]
                body = f"(jvp {moved} {point} {together(extra)}).1"
            else:
                extra = [f"bar'{len(names)}"]
                body = f"(vjp {moved} {point}).1 {extra[0]}"
            text = rf"\{' '.join([*takes, *extra])} -> {body}"
            self._derivatives[key] = Function(
                self._module, text, is_expression=True, names=[*names, *extra], options=self._options
            )
        return self._derivatives[key]

    def bind(self, **kwargs: Any) -> Bound:
        """The function of the parameters that are left when these have values."""
        return Bound(self, kwargs)

    def map(self, *args: Any, over: Wrt = None, threads: int = 1, **kwargs: Any) -> Any:
        """The values for each element of the leading axis of the arguments, or of those that `over` names, as arrays with
        that axis in front."""
        names = self.parameters
        if len(args) > len(names):
            raise TypeError(f"there are {len(names)} parameters, but {len(args)} arguments are given")
        options = {name: kwargs.pop(name) for name in _OPTIONS if name in kwargs and name not in names}
        given = dict(zip(names, args))
        for name, value in kwargs.items():
            if name in given:
                raise TypeError(f"`{name}` is given twice")
            given[name] = value
        mapped = _names(over) or tuple(given)
        for name in mapped:
            if name not in given:
                raise TypeError(f"`{name}` is not given, so there is nothing to map over")
        from ._tree import lengths, row

        sizes = {size for name in mapped for size in lengths(given[name])}
        if len(sizes) != 1:
            raise ValueError(f"the leading axes have the sizes {sorted(sizes)}, but must have one")
        (size,) = sizes

        def one(at: int):
            picked = {name: row(value, at) if name in mapped else value for name, value in given.items()}
            return self(**picked, **options) if not _clash(names) else self(*(picked[name] for name in names), **options)

        if threads <= 1:
            values = [one(at) for at in range(size)]
        else:
            with ThreadPoolExecutor(threads) as pool:
                values = list(pool.map(one, range(size)))
        return stacked(values)

    def show(self, what: str = "value") -> str:
        """The array code, optimised, that is compiled: of the "value", which is the stage "opt" of `pullback show`, or of
        "grad", "jvp", "vjp", "hvp"."""
        if what not in ("value", "opt", "grad", "jvp", "vjp", "hvp"):
            raise ValueError(f"`what` must be 'value', 'opt', 'grad', 'jvp', 'vjp' or 'hvp', not {what!r}")
        return self._code("value" if what == "opt" else what).text()

    def cost(self, *args: Any, wrt: Wrt = None, **kwargs: Any) -> dict[str, int]:
        """How many operations the value takes, and, if it is a Real, the value with its gradient. The evaluator counts
        them, so this takes longer than a call."""
        counted = {"value": self._code("value").cost(args, kwargs or None)}
        if self._definition_gives_real():
            counted["grad"] = self._code("grad", _names(wrt)).cost(args, kwargs or None)
        return counted

    def _definition_gives_real(self) -> bool:
        return self._code("value").gives_real and bool(self._reals)

    def check_grad(self, *args: Any, wrt: Wrt = None, seed: int = 0, **kwargs: Any) -> Checked:
        """The largest error of derivatives along a random direction, relative to their size: of the tangent against a
        difference quotient, and of the cotangent against the tangent."""
        from ._check import check_grad

        return check_grad(self, args, kwargs, wrt, seed)

    def clarke(self, *args: Any, wrt: Wrt = None, **kwargs: Any) -> Clarke:
        """The derivatives of all smooth pieces of the function that meet at a point, and their hull. The value must be a Real."""
        from ._clarke import clarke

        return clarke(self, args, kwargs, wrt)

    def bounds(
        self,
        *args: Any,
        intervals: dict[str, tuple[float, float]] | None = None,
        radius: float = 0.0,
        wrt: Wrt = None,
        **kwargs: Any,
    ) -> Box:
        """Between which numbers the value and its derivatives are on a box, by interval arithmetic. `intervals` are for all
        Reals of the parameters that they name, which need no argument if their types say how many Reals there are; all other
        Reals may be as far as `radius` from their arguments."""
        from ._bounds import bounds

        return bounds(self, args, kwargs, wrt, intervals or {}, radius)

    def kinks(self, *args: Any, wrt: Wrt = None, **kwargs: Any) -> list[Notice]:
        """Where a run for the gradient meets ties and edges of domains, and what the derivative is there. If the value is no
        Real, it is a run for the value."""
        from ._noticed import noticed

        return noticed(self, args, kwargs, wrt, "kinks")

    def trace_nan(self, *args: Any, wrt: Wrt = None, **kwargs: Any) -> list[Notice]:
        """Where the first NaN of such a run arises: nothing if there is none."""
        from ._noticed import noticed

        return noticed(self, args, kwargs, wrt, "nan")


_OPTIONS = ("engine", "fp", "threads", "timeout", "max_memory", "progress", "copy")


_HAS_WARNED = False


def _warn_once() -> None:
    global _HAS_WARNED
    if not _HAS_WARNED:
        _HAS_WARNED = True
        hint = "install one, as by pip install 'pullback[compiler]'"
        warnings.warn(f"there is no C compiler, so the evaluator runs, which is slower: {hint}", stacklevel=5)


def _clash(names) -> bool:
    return any(name in _OPTIONS or name == "out" for name in names)


def _check_options(options):
    for name in options:
        if name not in _OPTIONS:
            raise TypeError(f"there is no option `{name}`: the options are {', '.join(_OPTIONS)}")


def _function(module, what, is_expression, names, options) -> Function:
    return Function(module, what, is_expression=is_expression, names=names, options=options)


def _tuple(values, name: str) -> tuple:
    if not isinstance(values, (tuple, list)):
        raise TypeError(f"`{name}` must be a tuple, as in jvp((x,), (x_dot,)), not {type(values).__name__}")
    return tuple(values)


def _into(out, value):
    """Copies arrays to where they are wanted."""
    if isinstance(value, np.ndarray):
        if not isinstance(out, np.ndarray):
            raise TypeError(f"`out` must be an array, not {type(out).__name__}")
        if out.shape != value.shape:
            raise ValueError(f"`out` has the shape {out.shape}, but the result has {value.shape}")
        np.copyto(out, value, casting="same_kind")
        return out
    if isinstance(value, tuple):
        if not isinstance(out, tuple) or len(out) != len(value):
            raise TypeError(f"`out` must be a tuple of {len(value)}")
        return tuple(map(_into, out, value))
    if hasattr(value, "_fields"):
        return type(value)(*(_into(getattr(out, name), getattr(value, name)) for name in value._fields))
    return value


def grad(function: Function, wrt: Wrt = None) -> Function:
    """The gradient of a function as a function, which has gradients too."""
    return function._derived("grad", _names(wrt))


def jacobian(function: Function, wrt: Wrt = None) -> Function:
    """The Jacobian of a function as a function."""
    return function._derived("jacobian", _names(wrt))


def hessian(function: Function, wrt: Wrt = None) -> Function:
    """The Hessian of a function as a function."""
    return function._derived("hessian", _names(wrt))
