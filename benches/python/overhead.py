"""What a call from Python costs beyond its kernel: value and gradient of Rosenbrock's function.

    python benches/python/overhead.py

The kernel's own time is that of the same function in a library for C (`pullback build`), called by `ctypes` with arguments in
place. An empty call of Python is taken off the others. The command is that of `PULLBACK`, else `target/release/pullback`.
Rounds of all that is measured take turns, so that what else the machine does hits all alike; figures are medians. The script ends
with code 1 where an aim is missed: under 1 µs for ten numbers, and at most 1.1 times the kernel for 100,000.
"""

import ctypes
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import pullback as pb

ROOT = Path(__file__).resolve().parents[2]
COMMAND = os.environ.get("PULLBACK", ROOT / "target" / "release" / "pullback")
SOURCE = """\
def rosenbrock [n] (x: [n]Real): Real =
  sum [ 100.0 * (x[i + 1] - x[i] ^ 2) ^ 2 + (1.0 - x[i]) ^ 2 | i < n - 1 ]
"""
ROUNDS = 25


class Reals(ctypes.Structure):
    """An array as a library for C has it."""

    _fields_ = [("data", ctypes.POINTER(ctypes.c_double)), ("size", ctypes.c_int64 * 1)]


class Kernel:
    """The gradient in a library for C."""

    def __init__(self, folder):
        (folder / "curve.pull").write_text(SOURCE)
        options = ["--derivatives", "grad", "--emit", "so", "-o", folder]
        subprocess.run([COMMAND, "build", folder / "curve.pull", *options], check=True)
        library = ctypes.CDLL(folder / "curve.so")
        library.curve_open.restype = ctypes.c_void_p
        self._context = ctypes.c_void_p(library.curve_open())
        self._gradient = library.curve_rosenbrock_grad
        self._gradient.argtypes = [ctypes.c_void_p, Reals, ctypes.c_void_p, ctypes.c_void_p]
        self.value, self.bar = ctypes.c_double(), Reals()

    def at(self, x):
        """A function without arguments that computes the gradient at `x`."""
        given = Reals(x.ctypes.data_as(ctypes.POINTER(ctypes.c_double)), (ctypes.c_int64 * 1)(x.size))
        arguments = (self._context, given, ctypes.byref(self.value), ctypes.byref(self.bar))
        gradient = self._gradient

        def call():
            return gradient(*arguments)

        return call


def median_times(calls, repeats):
    """The median times of some calls, in microseconds: of rounds that take turns."""
    times = {name: [] for name in calls}
    for _ in range(ROUNDS):
        for name, call in calls.items():
            start = time.perf_counter()
            for _ in range(repeats):
                call()
            times[name].append((time.perf_counter() - start) / repeats * 1e6)
    return {name: statistics.median(found) for name, found in times.items()}


def main():
    f = pb.compile(SOURCE).rosenbrock
    f.value_and_grad(np.zeros(3), engine="native")
    missed = []
    with tempfile.TemporaryDirectory() as folder:
        kernel = Kernel(Path(folder))
        for size, repeats in ((10, 40_000), (1_000, 20_000), (100_000, 300)):
            x = np.linspace(-1.0, 1.0, size)
            call, both, buffer = kernel.at(x), f.value_and_grad, np.empty(size)
            value, gradient = both(x)
            assert call() == 0 and np.isclose(kernel.value.value, value)
            np.testing.assert_allclose(np.ctypeslib.as_array(kernel.bar.data, (size,)), gradient)
            # The method that the first call has left.
            both = f.value_and_grad
            calls = {"kernel": call, "call": lambda: both(x), "out": lambda: both(x, out=buffer), "empty": lambda: None}
            times = median_times(calls, repeats)
            own, kernel_time = times["call"] - times["empty"], times["kernel"]
            print(f"{size:7}: value_and_grad(x) {own:8.2f} µs, with out= {times['out'] - times['empty']:8.2f} µs")
            if size == 10 and own >= 1.0:
                missed.append(f"{own:.2f} µs for ten numbers")
            if size == 100_000:
                print(f"         the kernel {kernel_time:.2f} µs: {own / kernel_time:.3f}")
                if own / kernel_time > 1.1:
                    missed.append(f"{own / kernel_time:.3f} times the kernel for 100,000 numbers")
    if missed:
        sys.exit("missed: " + ", ".join(missed))


if __name__ == "__main__":
    main()
