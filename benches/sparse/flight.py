"""The flight of a quadrotor over 400 nodes by cyipopt: sparse derivatives of models.pull by `pullback.ipopt`.

    pip install . cyipopt-wheels
    python3 benches/sparse/flight.py [NODES]
"""

import sys
import time
from pathlib import Path

from quadrotor import bounds, start

import pullback as pb


def main(nodes):
    guess = start(nodes).ravel()
    lower, upper = bounds(nodes)
    module = pb.load(Path(__file__).with_name("models.pull"))
    begun = time.perf_counter()
    effort, defects = (f.bind().flat(guess) for f in (module.effort, module.defects))
    found = pb.ipopt.minimize(effort, defects, bounds=(lower.ravel(), upper.ravel()))
    spent = time.perf_counter() - begun
    jacobian = defects.structure(found.x)
    entries = f"Jacobian {len(jacobian.rows)} entries, {jacobian.sweeps} sweeps"
    print(f"effort {found.value:.9f} after {found.iterations} steps in {spent:.2f} s, compiled and all; {entries}")
    assert found.is_solved, found.message


main(int(sys.argv[1]) if len(sys.argv) > 1 else 400)
