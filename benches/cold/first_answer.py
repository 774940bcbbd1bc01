"""How long the first value with its gradient takes, when nothing was compiled before: beside JAX, on the CPU, in double
precision. The programs are those of ../dense and ../jax/models.pull.

    pip install . jax==0.10.2
    taskset -c 0 python3 benches/cold/first_answer.py [ROW...]

JAX: trace, compile and first run of `jax.jit(jax.value_and_grad(f))`. Pullback: the same of native code with an empty
cache, from the text of the file on (`native`); and until the first answer as a call gives it by itself, which is the
evaluator's as long as C's compiler runs (`answer`). Each in a process of its own, with its imports done; the least of
three.
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

BENCHES = Path(__file__).parent.parent
RUNS = int(os.environ.get("RUNS", "3"))


def rows():
    """Every row, with the file of its program."""
    for folder in ("jax", "dense"):
        sys.path.append(str(BENCHES / folder))
    import compare
    import measure

    models, dense = BENCHES / "jax" / "models.pull", BENCHES / "dense" / "dense.pull"
    return [(models, row) for row in compare.ROWS] + [(dense, row) for row in measure.rows()]


def of_jax(_, row):
    import jax

    fixed = tuple(at for at, value in enumerate(row.args) if isinstance(value, int))
    wanted = jax.value_and_grad(row.function, argnums=tuple(range(row.moving)))
    start = time.perf_counter()
    jax.block_until_ready(jax.jit(wanted, static_argnums=fixed)(*row.args))
    return time.perf_counter() - start


def of_pullback(engine):
    def measured(file, row):
        import pullback

        start = time.perf_counter()
        function = getattr(pullback.load(file), row.name)
        names = function.parameters[: row.moving]
        function.using(**engine).value_and_grad(*row.args, wrt=names)
        return time.perf_counter() - start

    return measured


WAYS = {"JAX": of_jax, "native": of_pullback({"engine": "native"}), "answer": of_pullback({})}


def alone(way, at):
    """The time of a way for a row, in a process of its own with a cache of its own."""
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "XDG_CACHE_HOME": cache}
        command = [sys.executable, __file__, "--one", way, str(at)]
        ended = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return float(ended.stdout.split()[-1])


def main(only):
    print(f"{'program':<20}{'input':<32}" + "".join(f"{way:>9}" for way in WAYS) + f"{'native':>9}")
    totals = dict.fromkeys(WAYS, 0.0)
    for at, (_, row) in enumerate(rows()):
        if only and row.name not in only:
            continue
        times = {way: min(alone(way, at) for _ in range(RUNS)) for way in WAYS}
        for way, seconds in times.items():
            totals[way] += seconds
        told = "".join(f"{seconds:>8.2f}s" for seconds in times.values())
        print(f"{row.name:<20}{row.what:<32}{told}{times['native'] / times['JAX']:>9.2f}", flush=True)
    told = "".join(f"{seconds:>8.2f}s" for seconds in totals.values())
    print(f"{'all':<52}{told}{totals['native'] / totals['JAX']:>9.2f}")


if sys.argv[1:2] == ["--one"]:
    print(WAYS[sys.argv[2]](*rows()[int(sys.argv[3])]))
else:
    main(sys.argv[1:])
