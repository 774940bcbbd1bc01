"""The flight of collocation.pull by Ipopt in CasADi: with CasADi's own functions, and with those of a library.

    external.py LIBRARY NODES     the library was made with --abi casadi and the sizes of so many nodes

Both must reach the same effort. What is measured is one Jacobian, one Hessian of the Lagrangian, and the whole solution.
"""

import sys
import time

import casadi as ca
import numpy as np
import quadrotor
from compare import flight

path, nodes = sys.argv[1], int(sys.argv[2])
s, u = ca.MX.sym("s", nodes, 12), ca.MX.sym("u", nodes, 4)


def own_defects(s, u):
    slopes = ca.horzcat(*flight(ca, [s[:, k] for k in range(12)], [u[:, k] for k in range(4)]))
    return s[1:, :] - s[:-1, :] - (1.0 / (nodes - 1)) * (slopes[1:, :] + slopes[:-1, :])


def own_effort(u):
    return ca.sum1(ca.vec((u - 1.22625) ** 2)) * 2.0 / nodes


def median(work):
    times = []
    for _ in range(5):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return 1e3 * sorted(times)[2]


def solve(what, defects, effort):
    z = ca.vertcat(ca.vec(s), ca.vec(u))
    g = ca.vec(defects(s, u))
    low, high = quadrotor.bounds(nodes)
    options = {"print_time": False, "ipopt": {"print_level": 0, "sb": "yes"}}
    start = time.perf_counter()
    solver = ca.nlpsol("solver", "ipopt", {"x": z, "f": effort(u), "g": g}, options)
    made = time.perf_counter() - start
    start = time.perf_counter()
    # States and thrusts come column by column.
    found = solver(x0=quadrotor.start(nodes).ravel("F"), lbx=low.ravel("F"), ubx=high.ravel("F"), lbg=0, ubg=0)
    spent = time.perf_counter() - start
    stats = solver.stats()
    assert stats["success"], stats["return_status"]
    point = found["x"]
    jacobian, hessian = solver.get_function("nlp_jac_g"), solver.get_function("nlp_hess_l")
    multipliers = np.linspace(-1.0, 1.0, 12 * (nodes - 1))
    one_jacobian = median(lambda: jacobian(point, []))
    one_hessian = median(lambda: hessian(point, [], 1.0, multipliers))
    entries = (jacobian.nnz_out(1), hessian.nnz_out(0))
    print(
        f"{what:<10} effort {float(found['f']):.9f} after {stats['iter_count']} steps in {spent:.2f} s, made in {made:.2f} s; "
        f"Jacobian {entries[0]} entries, {one_jacobian:.2f} ms; Hessian {entries[1]} entries, {one_hessian:.2f} ms",
        flush=True,
    )
    return float(found["f"]), jacobian(point, [])[1], hessian(point, [], 1.0, multipliers)


theirs = solve("CasADi", own_defects, own_effort)
ours = solve("Pullback", ca.external("collocation_defects", path), ca.external("collocation_effort", path))
assert abs(theirs[0] - ours[0]) <= 1e-7 * abs(theirs[0])
for one, other in zip(theirs[1:], ours[1:]):
    # At two points that are the same within Ipopt's tolerance.
    assert float(ca.norm_inf(ca.vec(ca.DM(one) - ca.DM(other)))) <= 1e-4 * float(ca.norm_inf(ca.vec(one)))
