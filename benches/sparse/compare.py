"""Sparse Jacobians and Hessians of models.pull beside sparsejac (JAX) and CasADi, in one process.

    compare.py LIBRARY     all get the same numbers, must agree to 1e-9, and are timed in turns

Plans, patterns and compiled code are made before; what is measured are values at a point. Then Ipopt plans the flight of a
quadrotor over 400 nodes twice: with CasADi's derivatives, and with those of the library.
"""

import ctypes
import sys
import time
from pathlib import Path

import casadi as ca
import jax
import jax.numpy as jnp
import numpy as np
import scipy.sparse as sp
import quadrotor
import sparsejac
from jax.experimental import sparse as jsparse

sys.path.append(str(Path(__file__).parent.parent / "jax"))
from harness import BOOLS, INTS, REALS, passed, shown, times  # noqa: E402

# The fields of a plan as C sees them: numbers, and arrays of Ints, Bools and Reals.
PLAN = "iIIIIiiB"
TYPES = {"i": ctypes.c_int64, "I": INTS[1], "B": BOOLS[1], "R": REALS[1]}


class Library:
    """The shared object of models.pull."""

    def __init__(self, path):
        self.functions, self.name = ctypes.CDLL(path), Path(path).stem
        self.function("open").restype = ctypes.c_void_p
        self.function("message").restype = ctypes.c_char_p
        self.context = ctypes.c_void_p(self.function("open")())

    def function(self, name):
        return getattr(self.functions, f"{self.name}_{name}")

    def call(self, name, args, kinds):
        """The results of a call, copied out of the library."""
        results = [TYPES[kind]() for kind in kinds]
        given = [passed(a) if isinstance(a, np.ndarray) else a for a in args]
        function = self.function(name)
        if function(self.context, *given, *map(ctypes.byref, results)) != 0:
            raise SystemExit(self.function("message")(self.context).decode())
        arrays = (r if k == "i" else np.ctypeslib.as_array(r.data, tuple(r.size)).copy() for r, k in zip(results, kinds))
        return list(arrays)

    def plan(self, name, *args):
        return Plan(self, name, self.call(f"{name}_plan", args, PLAN))


class Plan:
    """A plan, and matrices by it. Rows become compressed columns, as CasADi has them."""

    def __init__(self, library, name, fields):
        self.library, self.name, self.fields = library, name, fields
        columns, starts, places = fields[:3]
        self.shape, self.starts, self.places = (len(starts) - 1, columns.value), starts, places
        self.sweeps = (fields[5].value, fields[6].value)
        order = sp.csr_array((np.arange(len(places)) + 1.0, places, starts), self.shape).tocsc()
        self.order, self.rows, self.column_starts = order.data.astype(int) - 1, order.indices, order.indptr

    def values(self, *args):
        return self.library.call(f"{self.name}_by", [*self.fields, *args], "R")[0]

    def matrix(self, *args):
        return sp.csr_array((self.values(*args), self.places, self.starts), self.shape)

    def sparsity(self):
        return ca.Sparsity(*self.shape, self.column_starts.tolist(), self.rows.tolist())


# The same functions in NumPy's words: `n` is jax.numpy or casadi.


def chain(n, x):
    zero = x[:1] * 0
    before, after = n.concatenate([zero, x[:-1]]), n.concatenate([x[1:], zero])
    return (3.0 - 2.0 * x) * x - before - 2.0 * after + 1.0


def bratu(n, x):
    side = round(x.shape[0] ** 0.5)
    u = jnp.pad(x.reshape(side, side), 1)
    middle = u[1:-1, 1:-1]
    around = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]
    return (4.0 * middle - around + 0.01 * jnp.exp(middle)).ravel()


def bratu_casadi(x):
    side = round(x.shape[0] ** 0.5)
    u = ca.reshape(x, side, side)
    row, column = type(x)(1, side), type(x)(side, 1)
    around = ca.vertcat(row, u[:-1, :]) + ca.vertcat(u[1:, :], row)
    around += ca.horzcat(column, u[:, :-1]) + ca.horzcat(u[:, 1:], column)
    return ca.vec(4.0 * u - around + 0.01 * ca.exp(u))


def flight(n, s, u):
    x, y, z, roll, pitch, yaw, vx, vy, vz, p, q, r = (s[i] for i in range(12))
    lift = (u[0] + u[1] + u[2] + u[3]) / 0.5
    tilt = q * n.sin(roll) + r * n.cos(roll)
    return [
        vx,
        vy,
        vz,
        p + tilt * n.tan(pitch),
        q * n.cos(roll) - r * n.sin(roll),
        tilt / n.cos(pitch),
        lift * (n.cos(roll) * n.sin(pitch) * n.cos(yaw) + n.sin(roll) * n.sin(yaw)),
        lift * (n.cos(roll) * n.sin(pitch) * n.sin(yaw) - n.sin(roll) * n.cos(yaw)),
        lift * n.cos(roll) * n.cos(pitch) - 9.81,
        (0.17 * (u[1] - u[3]) + (0.005 - 0.009) * q * r) / 0.005,
        (0.17 * (u[2] - u[0]) + (0.009 - 0.005) * p * r) / 0.005,
        0.016 * (u[0] - u[1] + u[2] - u[3]) / 0.009,
    ]


def defects(n, z):
    """Of all nodes at once: rows of `w` are numbers of a node."""
    if n is jnp:
        w = z.reshape(-1, 16).T
        slopes, nodes = jnp.stack(flight(n, w[:12], w[12:])), w.shape[1]
        return (w[:12, 1:] - w[:12, :-1] - (1.0 / (nodes - 1)) * (slopes[:, 1:] + slopes[:, :-1])).T.ravel()
    w = ca.reshape(z, 16, -1)
    nodes = w.shape[1]
    slopes = ca.horzcat(*(ca.vertcat(*flight(ca, w[:12, k], w[12:, k])) for k in range(nodes)))
    return ca.vec(w[:12, 1:] - w[:12, :-1] - (1.0 / (nodes - 1)) * (slopes[:, 1:] + slopes[:, :-1]))


def effort(n, z):
    w = z.reshape(-1, 16).T if n is jnp else ca.reshape(z, 16, -1)
    square = (w[12:, :] - 1.22625) ** 2
    return (jnp.sum(square) if n is jnp else ca.sum1(ca.vec(square))) * 2.0 / w.shape[1]


def dense_rows(n):
    """What `sparsejac` wants to know of a pattern."""
    return jsparse.BCOO.from_scipy_sparse(n)


def compare(what, plan, args, casadi, in_jax):
    """A line: times of all three, and that they agree."""
    wanted = plan.matrix(*args)
    theirs = casadi(*args).sparse()
    assert abs(theirs - wanted).max() <= 1e-9 * abs(wanted).max(), f"{what}: CasADi has other numbers"
    other = in_jax()
    found = sp.csr_array((np.asarray(other.data), np.asarray(other.indices).T), shape=plan.shape)
    assert abs(found - wanted).max() <= 1e-9 * abs(wanted).max(), f"{what}: JAX has other numbers"
    given = [ca.DM(a) for a in args]
    own, by_casadi, by_jax = times(
        lambda: plan.values(*args), lambda: casadi(*given), lambda: jax.block_until_ready(in_jax().data)
    )
    cells = [shown(by_jax), shown(by_casadi), shown(own), f"{own / by_jax:.2f}", f"{own / by_casadi:.2f}"]
    print(f"{what:<28}{'+'.join(map(str, plan.sweeps)):>7}" + "".join(f"{cell:>12}" for cell in cells))


def jacobian_line(library, name, what, x, in_casadi, in_jax):
    start = time.perf_counter()
    plan = library.plan(name, x)
    planned = time.perf_counter() - start
    symbol = ca.SX.sym("x", len(x))
    casadi = ca.Function("j", [symbol], [ca.jacobian(in_casadi(symbol), symbol)])
    pattern = jsparse.BCOO.from_scipy_sparse(sp.csr_array((np.ones(len(plan.places)), plan.places, plan.starts), plan.shape))
    sweep = jax.jit(sparsejac.jacfwd(in_jax, pattern))
    point = jnp.asarray(x)
    compare(f"{what}, n = {len(x)}", plan, [x], casadi, lambda: sweep(point))
    return plan, planned


class Derivative(ca.Callback):
    """A function for Ipopt that the library computes."""

    def __init__(self, name, inputs, output, compute):
        super().__init__()
        self.inputs, self.output, self.compute = inputs, output, compute
        self.construct(name, {})

    def get_n_in(self):
        return len(self.inputs)

    def get_n_out(self):
        return len(self.output)

    def get_sparsity_in(self, i):
        return self.inputs[i]

    def get_sparsity_out(self, i):
        return self.output[i]

    def eval(self, arg):
        return self.compute([np.ascontiguousarray(a.full().ravel()) for a in arg])


def plan_of_flight(library, nodes):
    """The same problem with CasADi's derivatives and with the library's."""
    size = 16 * nodes
    rng = np.random.default_rng(1)
    guess, (lower, upper) = quadrotor.start(nodes).ravel(), (side.ravel() for side in quadrotor.bounds(nodes))
    z = guess + 0.01 * rng.standard_normal(size)
    jacobian = library.plan("defects", z)
    rows = jacobian.shape[0]
    curvature = library.plan("curvature", rng.standard_normal(rows), z)
    symbol, scale, multipliers = ca.SX.sym("z", size), ca.SX.sym("s"), ca.SX.sym("l", rows)
    f, g = effort(ca, symbol), defects(ca, symbol)
    nothing = ca.Sparsity(0, 1)
    column, high = ca.Sparsity.dense(size), ca.Sparsity.dense(rows)
    upper_half = ca.triu(ca.DM(curvature.sparsity(), np.arange(len(curvature.places)) + 1.0))
    chosen = np.array(upper_half.nonzeros()).astype(int) - 1

    def slopes(a):
        values = jacobian.values(a[0])[jacobian.order]
        return [ca.DM(library.call("defects", [a[0]], "R")[0]), ca.DM(jacobian.sparsity(), values)]

    def curvatures(a):
        values = curvature.values(ctypes.c_double(a[2][0]), a[3], a[0])[curvature.order]
        return [ca.DM(upper_half.sparsity(), values[chosen])]

    one = ca.Sparsity.dense(1)
    own = {
        "jac_g": Derivative("jac_g", [column, nothing], [high, jacobian.sparsity()], slopes),
        "hess_lag": Derivative("hess_lag", [column, nothing, one, high], [upper_half.sparsity()], curvatures),
    }
    answers = []
    for name, options in (("CasADi", {}), ("Pullback", own)):
        solver = ca.nlpsol("s", "ipopt", {"x": symbol, "f": f, "g": g}, {"ipopt.print_level": 0, "print_time": False, **options})
        start = time.perf_counter()
        found = solver(x0=guess, lbx=lower, ubx=upper, lbg=0, ubg=0)
        spent = time.perf_counter() - start
        status = solver.stats()
        assert status["success"], status["return_status"]
        steps = status["iter_count"]
        in_hessian, in_jacobian = status["t_wall_nlp_hess_l"], status["t_wall_nlp_jac_g"]
        answers.append(float(found["f"]))
        print(
            f"{name:<10} effort {answers[-1]:.9f} after {steps} steps in {shown(spent)};"
            f" Hessians {shown(in_hessian)}, Jacobians {shown(in_jacobian)}"
        )
    assert abs(answers[0] - answers[1]) <= 1e-7 * abs(answers[0]), answers


def main(path):
    jax.config.update("jax_enable_x64", True)
    library = Library(path)
    rng = np.random.default_rng(0)
    print(f"{'matrix':<28}{'sweeps':>7}" + "".join(f"{c:>12}" for c in ("sparsejac", "CasADi", "Pullback", "to JAX", "to CasADi")))
    in_casadi = {"chain": lambda x: chain_casadi(x), "bratu": bratu_casadi, "defects": lambda z: defects(ca, z)}
    for name, what, size in (("chain", "tridiagonal", 100_000), ("bratu", "five points", 150 * 150), ("defects", "collocation", 6400)):
        function = {"chain": chain, "bratu": bratu, "defects": defects}[name]
        x = rng.uniform(-0.5, 0.5, size)
        _, planned = jacobian_line(library, name, what, x, in_casadi[name], lambda x, f=function: f(jnp, x))
        print(f"  the plan took {shown(planned)}")
    plan_of_flight(library, 400)


def chain_casadi(x):
    zero = type(x)(1, 1)
    return (3.0 - 2.0 * x) * x - ca.vertcat(zero, x[:-1]) - 2.0 * ca.vertcat(x[1:], zero) + 1.0


if __name__ == "__main__":
    main(sys.argv[1])
