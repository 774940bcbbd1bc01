"""Fits a model to data that several processes share: `mpiexec -n 4 python data_parallel.py`.

Each process has a copy of the program and its own shards of the data. All take the same steps, since all have the same sum.
"""

import sys

import numpy as np
import scipy.optimize

import pullback as pb
from pullback.shards import cut, total

try:
    from mpi4py import MPI

    comm = MPI.COMM_WORLD
except ImportError:
    comm = None

SHARDS = 8
m = pb.compile("""
type Model = { w: [3]Real, b: Real }
def loss [n] (xs: [n][3]Real) (ys: [n]Real) (m: Model): Real =
  sum [ log (1 + exp (-ys[i] * (dot m.w xs[i] + m.b))) | i < n ]
""")
# The evaluator, which else answers while code is compiled, adds up in another order.
loss = m.loss.using(engine="native")

random = np.random.default_rng(1)
xs = random.standard_normal((10_000, 3))
ys = np.sign(xs @ [1.0, -2.0, 0.5] + 0.3 + 0.5 * random.standard_normal(10_000))
start = {"w": np.zeros(3), "b": 0.0}
# Each process needs the rows of its own shards alone: real programs read just these.
rank, size = (comm.Get_rank(), comm.Get_size()) if comm is not None else (0, 1)
problems = {
    at: loss.bind(xs=xs[rows], ys=ys[rows]).flat(start)
    for at, rows in enumerate(cut(len(xs), SHARDS))
    if at % size == rank
}


def both(x):
    def part(at):
        value, gradient = problems[at].value_and_grad(x)
        return np.append(gradient, value)

    found = total(part, SHARDS, comm)
    return found[-1], found[:-1]


r = scipy.optimize.minimize(both, np.zeros(4), jac=True, method="L-BFGS-B")
if rank == 0:
    print(r.x.tobytes().hex(), r.fun.hex(), file=sys.stdout)
