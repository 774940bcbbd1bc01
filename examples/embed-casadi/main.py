"""The chain of chain.pull at rest, by CasADi's Ipopt: README.md says how to run this.

The same problem is solved twice: with the functions and derivatives of the library, and with CasADi's own.
"""

import sys

import casadi as ca

N, LENGTH = 20, 1.5
library = sys.argv[1]
height = ca.external("chain_height", library)
lengths = ca.external("chain_lengths", library)


def own_height(y):
    return ca.sum1(0.5 * (y[:-1] + y[1:]))


def own_lengths(x, y):
    return (x[1:] - x[:-1]) ** 2 + (y[1:] - y[:-1]) ** 2


def at_rest(height, lengths):
    x, y = ca.MX.sym("x", N + 1), ca.MX.sym("y", N + 1)
    ends = ca.vertcat(x[0], y[0], x[N], y[N])
    problem = {"x": ca.vertcat(x, y), "f": height(y), "g": ca.vertcat(lengths(x, y), ends)}
    options = {"print_time": False, "ipopt": {"print_level": 0, "sb": "yes", "tol": 1e-10}}
    solver = ca.nlpsol("solver", "ipopt", problem, options)
    limits = [(LENGTH / N) ** 2] * N + [0.0, 0.0, 1.0, 0.2]
    guess = [i / N for i in range(N + 1)] + [0.2 * i / N - 0.5 * (i % N > 0) for i in range(N + 1)]
    solution = solver(x0=guess, lbg=limits, ubg=limits)
    entries = solver.get_function("nlp_jac_g").nnz_out(1), solver.get_function("nlp_hess_l").nnz_out(0)
    return solver.stats(), float(solution["f"]), solution["x"], entries


stats, value, points, entries = at_rest(height, lengths)
own_stats, own_value, own_points, own_entries = at_rest(own_height, own_lengths)
print(f"{stats['return_status']}: height {value:.9f} after {stats['iter_count']} iterations")
print(f"CasADi's own functions: height {own_value:.9f} after {own_stats['iter_count']} iterations")
difference = float(ca.norm_inf(points - own_points))
print("the chains agree" if difference < 1e-7 else f"the chains differ by {difference}")
print(f"entries of the Jacobian and the Hessian: {entries}, by CasADi {own_entries}")
