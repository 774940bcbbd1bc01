"""Pullback beside JAX: calls of a library for C, times of both, and whether their numbers agree.

A row says what to call. Both run in this one process on the same numbers, in double precision; JAX is jitted and
blocked. They take turns, and each one's time is its least, so that what else the machine does counts little.
"""

import ctypes
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Sequence

import jax
import jax.numpy as jnp
import numpy as np

jax.config.update("jax_enable_x64", True)

TURNS = 10
SECONDS = 0.1


@dataclass
class Row:
    """A function of the library and the same in JAX."""

    # In JAX; None, where there is no way.
    function: Callable | None
    # What it is applied to, in words.
    what: str
    # Numbers, whole numbers, which are known when JAX compiles, and arrays.
    args: Sequence
    # By how many of the first arguments the gradient is; where it is 0, the function itself gives what is measured.
    moving: int = 0
    # What the library calls it, if not as in JAX.
    name: str = ""

    def __post_init__(self):
        self.name = self.name or self.function.__name__
        self.args = [flat(a) for a in self.args]


def flat(value):
    """An argument as both take it: a number, or an array whose rows lie one after the other."""
    return value if np.ndim(value) == 0 else np.ascontiguousarray(value)


def array_type(rank, element):
    class Array(ctypes.Structure):
        _fields_ = [("data", ctypes.POINTER(element)), ("size", ctypes.c_int64 * rank)]

    return Array


REALS = {rank: array_type(rank, ctypes.c_double) for rank in (1, 2, 3, 4)}
INTS = {rank: array_type(rank, ctypes.c_int64) for rank in (1, 2)}
BOOLS = {rank: array_type(rank, ctypes.c_bool) for rank in (1, 2)}
ARRAYS = {"f": (REALS, ctypes.c_double), "i": (INTS, ctypes.c_int64), "b": (BOOLS, ctypes.c_bool)}


def passed(value):
    """A number or an array as the library takes it."""
    if np.ndim(value) == 0:
        return ctypes.c_int64(value) if isinstance(value, int) else ctypes.c_double(value)
    types, element = ARRAYS[value.dtype.kind]
    pointer = value.ctypes.data_as(ctypes.POINTER(element))
    return types[value.ndim](pointer, (ctypes.c_int64 * value.ndim)(*value.shape))


def place(rank):
    """Where a result goes."""
    return ctypes.c_double() if rank == 0 else REALS[rank]()


def read(result):
    """A result as NumPy has it: a copy, since the next call of the library may take its place."""
    if isinstance(result, ctypes.c_double):
        return result.value
    return np.array(np.ctypeslib.as_array(result.data, tuple(result.size)))


class Library:
    """A shared object that `pullback build` made."""

    def __init__(self, path):
        self.name = Path(path).stem
        self.functions = ctypes.CDLL(path)
        self.function("open").restype = ctypes.c_void_p
        self.function("message").restype = ctypes.c_char_p
        self.context = ctypes.c_void_p(self.function("open")())

    def function(self, name):
        return getattr(self.functions, f"{self.name}_{name}")

    def call(self, name, args, ranks):
        """A call of a function, and what reads its results, which are of these ranks."""
        results = [place(rank) for rank in ranks]
        given = [passed(a) for a in args] + [ctypes.byref(result) for result in results]
        function = self.function(name)

        def run():
            if function(self.context, *given) != 0:
                raise SystemExit(self.function("message")(self.context).decode())

        return run, lambda: [read(result) for result in results]


def least(call):
    """The least time of a turn."""
    shortest, begin, now = float("inf"), time.perf_counter(), 0.0
    while now - begin < SECONDS:
        start = time.perf_counter()
        call()
        now = time.perf_counter()
        shortest = min(shortest, now - start)
    return shortest


def times(*calls):
    """The least time of each call."""
    for call in calls:
        call()
    turns = [[least(call) for call in calls] for _ in range(TURNS)]
    return [min(turn) for turn in zip(*turns)]


def same(found, wanted):
    """Whether results agree, with the largest of each as the scale of all its numbers."""
    for ours, theirs in zip(found, wanted, strict=True):
        theirs = np.asarray(theirs)
        np.testing.assert_allclose(ours, theirs, rtol=1e-8, atol=1e-8 * np.max(np.abs(theirs), initial=0))


def compare(library, row):
    """The times of a row for JAX, None where it has no way, and for the library."""
    if row.function is None:
        # What JAX has no way for is a search, which gives what it begins with.
        run, _ = library.call(row.name, row.args, [np.ndim(a) for a in row.args])
        return None, *times(run)
    fixed = tuple(i for i, a in enumerate(row.args) if isinstance(a, int))
    arrays = [a if i in fixed else jnp.asarray(a) for i, a in enumerate(row.args)]
    function, name = row.function, row.name
    if row.moving:
        function = jax.value_and_grad(function, argnums=tuple(range(row.moving)))
        name += "_grad"
    function = jax.jit(function, static_argnums=fixed)
    wanted = jax.tree.leaves(function(*arrays))
    run, results = library.call(name, row.args, [leaf.ndim for leaf in wanted])
    run()
    same(results(), wanted)
    return times(lambda: jax.block_until_ready(function(*arrays)), run)


def shown(seconds):
    """A time to three digits."""
    unit, scale = ("ms", 1e3) if seconds >= 1e-3 else ("µs", 1e6)
    number = seconds * scale
    return f"{number:.{2 if number < 10 else 1 if number < 100 else 0}f} {unit}"


def table(library, rows, only=()):
    """Prints a line for each row, or for those of these names; an error at the end, if numbers differ."""
    rows = [row for row in rows if not only or row.name in only]
    problems = []
    print(f"{'program':<26}{'input':<32}{'JAX':>10}{'Pullback':>10}{'ratio':>8}")
    for row in rows:
        try:
            theirs, own = compare(library, row)
        except AssertionError as problem:
            problems.append(f"{row.name}, {row.what}: {problem}")
            continue
        known = ["none", ""] if theirs is None else [shown(theirs), f"{own / theirs:.2f}"]
        print(f"{row.name:<26}{row.what:<32}{known[0]:>10}{shown(own):>10}{known[1]:>8}", flush=True)
    if problems:
        raise SystemExit("\n".join(problems))
