"""Differentiable programs, compiled: NumPy in, NumPy out.

    import pullback as pb
    m = pb.compile("def f [n] (x: [n]Real): Real = sum [ x[i] ^ 2 | i < n ]")
    value, gradient = m.f.value_and_grad([1.0, 2.0])
"""

import os as _os
import sys as _sys
import threading as _threading
from importlib.util import find_spec as _find_spec

from . import _native
from ._density import LogDensity, log_density
from ._errors import (
    CompileError,
    EvalError,
    EvalMemoryError,
    EvalTimeoutError,
    PullbackError,
    SizeError,
)
from ._function import Function, grad, hessian, jacobian
from ._module import Module, compile, load
from ._problem import Bound, Problem

__all__ = [
    "Bound",
    "CompileError",
    "EvalError",
    "EvalMemoryError",
    "EvalTimeoutError",
    "Function",
    "LogDensity",
    "Module",
    "Problem",
    "PullbackError",
    "SizeError",
    "compile",
    "grad",
    "hessian",
    "jacobian",
    "load",
    "log_density",
]

# Bridges to other libraries, each imported when it is asked for.
_BRIDGES = ("ipopt", "jax", "notebook", "nutpie", "torch")


def __getattr__(name: str):
    if name in _BRIDGES:
        import importlib

        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def load_ipython_extension(shell) -> None:
    """What `%load_ext pullback` calls."""
    from .notebook import load

    load(shell)


# Where there is no C compiler, that of `pip install 'pullback[compiler]'` is one.
if _find_spec("ziglang") is not None:
    _native.spare_compiler(_sys.executable, ["-m", "ziglang", "cc", "-fno-sanitize=undefined"])
_native.main_thread(_threading.main_thread().ident or 0)
if hasattr(_os, "register_at_fork"):
    _os.register_at_fork(after_in_child=lambda: _native.after_fork(_threading.get_ident()))
