"""Values with gradients of functions on matrices: by routines, by their texts, and by JAX if it is installed.

    python3 benches/routines/measure.py [PULLBACK]

PULLBACK is the command, `target/release/pullback` unless it is named. `pullback bench` calls routines. A library that
`pullback build` makes stands alone, so its functions are the texts. Both run on one core, and each time is the least of
several. `taskset -c 0` before the command keeps JAX to one core too.
"""

import argparse
import ctypes
import json
import os
import random
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).parent
ROWS = [
    ("solve", [(200, 200), (200,)]),
    ("solve", [(1000, 1000), (1000,)]),
    ("eigenvalues", [(100, 100)]),
    ("singular_values", [(100, 60)]),
    ("transform", [(1000,)]),
    ("transform", [(65536,)]),
    ("log_determinant", [(200, 200)]),
    ("least_squares", [(200, 50), (200,)]),
]


def numbers(shape):
    """Numbers between -1 and 1, as lists of lists."""
    if len(shape) == 1:
        return [random.uniform(-1.0, 1.0) for _ in range(shape[0])]
    return [numbers(shape[1:]) for _ in range(shape[0])]


def least(call, budget=2.0):
    """The least time of a call in seconds."""
    call()
    best, spent = float("inf"), 0.0
    while spent < budget:
        start = time.perf_counter()
        call()
        took = time.perf_counter() - start
        best, spent = min(best, took), spent + took
    return best


def by_routines(pullback, entry, args, folder):
    """`pullback bench`, in seconds."""
    names = {"solve": "ab", "least_squares": "ab", "transform": "x"}.get(entry, "a")
    path = Path(folder) / "input.json"
    path.write_text(json.dumps(dict(zip(names, args))))
    command = [pullback, "bench", str(HERE / "matrices.pull"), entry, "--input", str(path)]
    command += ["--json", "--runs", "5"]
    told = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return told["grad"]["least"] / 1e9


class Array(ctypes.Structure):
    """An array of Reals as a library takes and gives it; of one dimension the second size is not there."""

    _fields_ = [("data", ctypes.POINTER(ctypes.c_double)), ("size", ctypes.c_int64 * 2)]


class Vector(ctypes.Structure):
    """An array of one dimension."""

    _fields_ = [("data", ctypes.POINTER(ctypes.c_double)), ("size", ctypes.c_int64 * 1)]


def flat(arg):
    """The numbers of lists of lists."""
    return [x for part in arg for x in flat(part)] if isinstance(arg, list) else [arg]


def given(arg):
    """An array as a library takes it."""
    items = flat(arg)
    data = (ctypes.c_double * len(items))(*items)
    if isinstance(arg[0], list):
        return Array(data, (ctypes.c_int64 * 2)(len(arg), len(arg[0])))
    return Vector(data, (ctypes.c_int64 * 1)(len(arg)))


def by_texts(library, entry, args):
    """A function of the library, in seconds."""
    function = getattr(library, f"matrices_{entry}_grad")
    context = ctypes.c_void_p(library.matrices_open())
    values = [given(arg) for arg in args]
    results = [ctypes.c_double()] + [type(value)() for value in values]

    def call():
        status = function(context, *values, *(ctypes.byref(result) for result in results))
        if status != 0:
            raise RuntimeError(f"{entry}: status {status}")

    library.matrices_limit(context, ctypes.c_uint64(1 << 33), ctypes.c_uint64(4 << 20))
    took = least(call)
    library.matrices_close(context)
    return took


def by_jax(entry, args):
    """The same in JAX, in seconds; None if it is not installed."""
    try:
        import jax
        import jax.numpy as jnp
    except ImportError:
        return None
    jax.config.update("jax_enable_x64", True)

    def transform(x):
        y = jnp.fft.fft(x)
        return jnp.sum(y.real**3) + jnp.sum(y.imag**3)

    functions = {
        "solve": lambda a, b: b @ jnp.linalg.solve(a, b),
        "eigenvalues": lambda a: jnp.sum(jnp.linalg.eigvalsh(a) ** 2),
        "singular_values": lambda a: jnp.sum(jnp.linalg.svd(a, compute_uv=False) ** 3),
        "transform": transform,
        "log_determinant": lambda a: jnp.linalg.slogdet(a @ a.T + jnp.eye(a.shape[0]))[1],
        "least_squares": lambda a, b: jnp.sum(jnp.linalg.lstsq(a, b)[0] ** 2),
    }
    both = jax.jit(jax.value_and_grad(functions[entry], argnums=tuple(range(len(args)))))
    arrays = [jnp.array(arg) for arg in args]
    return least(lambda: jax.block_until_ready(both(*arrays)))


def main():
    """Prints a row for each function and size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pullback", nargs="?", default="target/release/pullback", help="the command to measure")
    pullback = parser.parse_args().pullback
    if shutil.which(pullback) is None:
        parser.error(f"`{pullback}` is no command: build it by `cargo build --release`, or name another")
    random.seed(1)
    with tempfile.TemporaryDirectory() as folder:
        build = [pullback, "build", str(HERE / "matrices.pull"), "--emit", "so", "--derivatives", "grad"]
        subprocess.run([*build, "-o", folder], check=True, capture_output=True)
        library = ctypes.CDLL(os.path.join(folder, "matrices.so"))
        library.matrices_open.restype = ctypes.c_void_p
        print(f"{'value and gradient, ms':32}{'routines':>10}{'texts':>10}{'JAX':>10}")
        for entry, shapes in ROWS:
            args = [numbers(shape) for shape in shapes]
            found = [by_routines(pullback, entry, args, folder), by_texts(library, entry, args)]
            found.append(by_jax(entry, args))
            times = [None if seconds is None else seconds * 1e3 for seconds in found]
            name = f"{entry} {'x'.join(str(size) for size in shapes[0])}"
            told = "".join(f"{'-' if x is None else format(x, '.3g'):>10}" for x in times)
            print(f"{name:32}{told}", flush=True)


if __name__ == "__main__":
    main()
