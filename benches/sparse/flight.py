"""The flight of a quadrotor over 400 nodes by cyipopt: sparse derivatives of models.pull by `pullback.ipopt`.

    pip install . cyipopt-wheels
    python3 benches/sparse/flight.py [NODES]
"""

import sys
import time
from pathlib import Path

import numpy as np

import pullback as pb


def bounds(nodes):
    """Thrusts and tilts are limited, and the flight begins and ends at rest."""
    lower, upper = np.full((nodes, 16), -np.inf), np.full((nodes, 16), np.inf)
    lower[:, 12:], upper[:, 12:] = 0.0, 4.0
    lower[:, 3:5], upper[:, 3:5] = -1.2, 1.2
    lower[0, :12] = upper[0, :12] = 0.0
    lower[-1, :12] = upper[-1, :12] = [2.0, 1.0, 1.5] + 9 * [0.0]
    return lower.ravel(), upper.ravel()


def main(nodes):
    guess = np.zeros((nodes, 16))
    guess[:, :3] = np.outer(np.arange(nodes) / (nodes - 1), [2.0, 1.0, 1.5])
    guess[:, 12:] = 1.22625
    module = pb.load(Path(__file__).with_name("models.pull"))
    start = time.perf_counter()
    effort, defects = (f.bind().flat(guess.ravel()) for f in (module.effort, module.defects))
    found = pb.ipopt.minimize(effort, defects, bounds=bounds(nodes))
    spent = time.perf_counter() - start
    jacobian = defects.structure(found.x)
    entries = f"Jacobian {len(jacobian.rows)} entries, {jacobian.sweeps} sweeps"
    print(f"effort {found.value:.9f} after {found.iterations} steps in {spent:.2f} s, compiled and all; {entries}")
    assert found.is_solved, found.message


main(int(sys.argv[1]) if len(sys.argv) > 1 else 400)
