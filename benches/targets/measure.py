"""The gradient of a Gaussian mixture from shared objects for one machine, for every machine, and with levels.

    python3 benches/targets/measure.py [PULLBACK]

PULLBACK is the command, `target/release/pullback` unless it is named. The script builds `examples/gmm.pull` with
`--target native`, `--target portable` and `--target all`, and says how much time of processors each build takes and how
large each library is. Then all of them compute the gradient of a mixture of 25 Gaussians, given 1000 points of 64
numbers as in GradBench. They do so in turn, each round in another order, so that they meet the same moments of a busy
machine. Times are medians of the time that the thread had the processor. The library with levels is measured once with
its own choice, and at each level that `PULLBACK_TARGET` can ask for.
"""

import argparse
import ctypes
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[2]
POINTS, WIDTH, PARTS = 1000, 64, 25
BUILD = ["examples/gmm.pull", "objective", "--wrt", "alpha,mu,q,l", "--derivatives", "grad", "--emit", "so"]
LEVELS = ["portable", "x86-64-v3", "x86-64-v4"]


class Vector(ctypes.Structure):
    _fields_ = [("data", ctypes.POINTER(ctypes.c_double)), ("size", ctypes.c_int64 * 1)]


class Matrix(ctypes.Structure):
    _fields_ = [("data", ctypes.POINTER(ctypes.c_double)), ("size", ctypes.c_int64 * 2)]


def array(kind, *sizes):
    """Numbers between -1 and 1, row by row."""
    count = 1
    for size in sizes:
        count *= size
    data = (ctypes.c_double * count)(*(random.uniform(-1.0, 1.0) for _ in range(count)))
    return kind(data, (ctypes.c_int64 * len(sizes))(*sizes))


class Library:
    """A library in this process, which computes the gradient."""

    def __init__(self, name, path, wanted=None):
        os.environ.pop("PULLBACK_TARGET", None)
        if wanted:
            os.environ["PULLBACK_TARGET"] = wanted
        self.name = name
        self.own = ctypes.CDLL(str(path))
        self.own.gmm_open.restype = ctypes.c_void_p
        self.context = ctypes.c_void_p(self.own.gmm_open())
        self.used = None
        if hasattr(self.own, "gmm_target"):
            self.own.gmm_target.restype = ctypes.c_char_p
            self.used = self.own.gmm_target().decode()

    def seconds(self, given):
        """How long a gradient takes."""
        value, results = ctypes.c_double(), [Vector(), Matrix(), Matrix(), Matrix()]
        start = time.thread_time()
        status = self.own.gmm_objective_grad(self.context, *given, ctypes.byref(value), *map(ctypes.byref, results))
        took = time.thread_time() - start
        if status != 0:
            sys.exit(f"{self.name}: status {status}")
        self.value = value.value
        return took


def built(pullback, target, folder):
    """The library for a target, and how much time of processors its build took, the C compiler's with it."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [pullback, "build", *BUILD, "--target", target, "-o", str(folder)]
    subprocess.run(command, check=True, cwd=ROOT, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return folder / "gmm.so", after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime


def main():
    parser = argparse.ArgumentParser(description="The gradient of a mixture, by targets.")
    parser.add_argument("pullback", nargs="?", default=str(ROOT / "target/release/pullback"))
    parser.add_argument("--rounds", type=int, default=41, help="how often each library computes")
    asked = parser.parse_args()
    random.seed(1)
    given = [
        *(ctypes.c_int64(size) for size in (WIDTH, PARTS, POINTS)),
        array(Matrix, POINTS, WIDTH),
        ctypes.c_int64(0),
        ctypes.c_double(1.0),
        array(Vector, PARTS),
        array(Matrix, PARTS, WIDTH),
        array(Matrix, PARTS, WIDTH),
        array(Matrix, PARTS, WIDTH * (WIDTH - 1) // 2),
    ]
    with tempfile.TemporaryDirectory() as folder:
        libraries, folder = [], Path(folder)
        for target in ["portable", "native", "all"]:
            path, took = built(asked.pullback, target, folder / target)
            print(f"--target {target:10} built in {took:5.1f} s of processors, {path.stat().st_size / 1000:6.0f} kB")
            if target != "all":
                libraries.append(Library(target, path))
                continue
            for level in [None, *LEVELS]:
                # A loader takes two paths for two libraries, each of which chooses for itself.
                copy = folder / f"{level}.so"
                copy.write_bytes(path.read_bytes())
                libraries.append(Library("all" if level is None else f"all, {level}", copy, level))
        times = {library.name: [] for library in libraries}
        for _ in range(asked.rounds):
            for library in random.sample(libraries, len(libraries)):
                times[library.name].append(library.seconds(given))
    native = statistics.median(times["native"])
    for library in libraries:
        took = statistics.median(times[library.name])
        used = f"   used {library.used}" if library.used else ""
        print(f"{library.name:16} {1000 * took:8.2f} ms   {took / native:5.2f} times native{used}")


if __name__ == "__main__":
    main()
