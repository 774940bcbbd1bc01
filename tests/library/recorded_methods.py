"""Prints the recorded lines of methods: krylov, lie, linalg, ode, optim, quadrature, sample, sde, signal, sparse and others.

    python3 -m venv /tmp/v && /tmp/v/bin/pip install mpmath
    /tmp/v/bin/python tests/library/recorded_methods.py

Paste what it prints below the line "-- Recorded by recorded_methods.py" in each file. Each method is written here again, in
numbers of sixty digits, and its derivative along a direction is a difference of these.
"""

import mpmath as mp

mp.mp.dps = 60
mpf = mp.mpf
matrix = mp.matrix


def text(x):
    """A number or a structure of numbers as the language writes it."""
    if isinstance(x, dict):
        return "{ " + ", ".join(f"{k} = {text(v)}" for k, v in x.items()) + " }"
    if isinstance(x, tuple):
        return "(" + ", ".join(text(v) for v in x) + ")"
    if isinstance(x, (list, matrix)):
        return "[" + ", ".join(text(v) for v in x) + "]"
    written = repr(float(x))
    return written if any(mark in written for mark in ".en") else written + ".0"


def argument(x):
    return text(x) if isinstance(x, (dict, tuple, list, matrix)) or x >= 0 else f"({text(x)})"


def combine(f, *xs):
    """A function of numbers on structures of the same form."""
    if isinstance(xs[0], dict):
        return {k: combine(f, *(x[k] for x in xs)) for k in xs[0]}
    if isinstance(xs[0], (list, tuple)):
        return type(xs[0])(combine(f, *parts) for parts in zip(*xs))
    return f(*(mpf(x) for x in xs))


def along(f, x, d):
    """The derivative of `f` at `x` along `d`, structures of numbers."""
    h = mpf("1e-25")
    up, down = (f(combine(lambda a, b, s=s: a + s * h * b, x, d)) for s in (1, -1))
    return combine(lambda a, b: 0 if abs(a - b) < mpf("1e-45") else (a - b) / (2 * h), up, down)


def line(expression, value, within="1e-13"):
    print(f"--@ {expression} ~= {text(value)} within {within}")


def pushed(call, f, x, d, within="1e-13"):
    """A line for a call at `x` and its derivative along `d`."""
    value = combine(mpf, f(combine(mpf, x)))
    line(f"jvp ({call}) {argument(x)} {argument(d)}", (value, along(f, x, d)), within)


def rows(a):
    return [list(a[i, :]) for i in range(a.rows)]


def solved(a, b):
    return list(mp.lu_solve(matrix(a), matrix(b)))


def dot(a, b):
    return mp.fsum(x * y for x, y in zip(a, b))


def times(a, x):
    return [dot(row, x) for row in a]


def krylov():
    print("of_krylov")
    held = [[4, 1, -0.5], [1, 3, 0.25], [-0.5, 0.25, 5]]
    held_way = [[0.5, -1, 0.25], [-1, 2, 0.75], [0.25, 0.75, -0.5]]
    general = [[4, 1, -0.5], [-2, 3, 0.25], [1, 0.5, -5]]
    general_way = [[0.5, -1, 0.25], [2, -0.5, 0.75], [0, 1.5, -0.5]]
    b, b_way = [1, -2, 0.5], [0.25, 1, -1]
    condition = "(\\r -> r / [4.0, 3.0, 5.0])"
    solve = lambda p: solved(*p)  # noqa: E731
    for call in [f"krylov.preconditioned_conjugate_gradients 1e-15 9 {condition} (\\a x -> a @ x) a b",
                 "from_some (krylov.try_conjugate_gradients 1e-15 9 (\\x -> a @ x) b)",
                 f"(krylov.iterate_conjugate_gradients 1e-15 9 {condition} (\\x -> a @ x) b).x"]:
        pushed(f"\\(a, b) -> {call}", solve, (held, b), (held_way, b_way))
    for call in [f"krylov.preconditioned_gmres 1e-15 9 {condition} (\\a x -> a @ x) a b",
                 "from_some (krylov.try_gmres 1e-15 9 (\\x -> a @ x) b)",
                 f"(krylov.iterate_gmres 1e-15 9 {condition} (\\x -> a @ x) b).x"]:
        pushed(f"\\(a, b) -> {call}", solve, (general, b), (general_way, b_way))
    print("-- At the right-hand side 0, and after one step, which is not enough.")
    for call in ["krylov.try_conjugate_gradients", "krylov.try_gmres"]:
        line(f"(jvp (\\(a, b) -> from_some ({call} 1e-15 9 (\\x -> a @ x) b)) ({text(held)}, [0.0, 0.0, 0.0]) ({text(held_way)}, {text(b_way)})).1", solved(held, b_way))

    def steepest(p):
        a, b = p
        share = dot(b, b) / dot(b, times(a, b))
        return [share * x for x in b]

    def minimal(p):
        a, b = p
        moved = times(a, b)
        share = dot(b, moved) / dot(moved, moved)
        return [share * x for x in b]

    pushed("\\(a, b) -> (krylov.iterate_conjugate_gradients 1e-15 1 id (\\x -> a @ x) b).x", steepest, (held, b), (held_way, b_way))
    pushed("\\(a, b) -> (krylov.iterate_gmres 1e-15 1 id (\\x -> a @ x) b).x", minimal, (general, b), (general_way, b_way))


def hat(w):
    x, y, z = w
    return [[0, -z, y], [z, 0, -x], [-y, x, 0]]


def exponential(x):
    """The matrix of the motion of a twist."""
    w = hat(x["angular"])
    return mp.expm(matrix([w[i] + [x["linear"][i]] for i in range(3)] + [[0] * 4]), method="taylor")


def logarithm(a):
    a = mp.logm(a).apply(mp.re)
    return {"linear": [a[i, 3] for i in range(3)], "angular": [a[2, 1], a[0, 2], a[1, 0]]}


def lie():
    print("of_lie")
    x = {"linear": [1, -2, 0.5], "angular": [0.9, -1.5, 0.8]}
    y = {"linear": [0.1, 0.2, -0.3], "angular": [-0.7, 0.2, 0.4]}
    d = {"linear": [0.2, 0.1, -0.4], "angular": [0.3, -0.7, 0.2]}
    near = {"linear": [1, -2, 0.5], "angular": [0, 3.1415, 0.001]}
    tiny = {"linear": [1, -2, 0.5], "angular": [1e-9, -2e-9, 1e-9]}
    moved = lambda a: list((a * matrix([1, 2, 3, 1]))[:3])  # noqa: E731
    e, place, other = exponential, "[1.0, 2.0, 3.0]", f"(lie.se3_exp {text(y)})"
    for at in [x, tiny]:
        pushed(f"\\x -> lie.act (lie.after (lie.se3_exp x) {other}) {place}", lambda x: moved(e(x) * e(y)), at, d)
        pushed(f"\\x -> lie.act (lie.back (lie.se3_exp x)) {place}", lambda x: moved(e(x) ** -1), at, d)
        pushed(f"\\(x, t) -> lie.act (lie.between (lie.se3_exp x) {other} t) {place}", lambda p: moved(e(p[0]) * e(combine(lambda v: p[1] * v, logarithm(e(p[0]) ** -1 * e(y))))), (at, 0.3), (d, 0.5))
        pushed(f"\\x -> lie.twist_to (lie.Pose (lie.se3_exp x)) (lie.Pose {other})", lambda x: logarithm(e(x) ** -1 * e(y)), at, d)
        line(f"(jvp (\\p -> lie.twist_to p (lie.Pose {other})) (lie.Pose (lie.se3_exp {text(at)})) {text(d)}).1", along(lambda s: logarithm((e(at) * e(combine(lambda v: s * v, d))) ** -1 * e(y)), 0, 1))
        pushed(f"\\x -> let lie.Pose m = lie.carried (lie.Pose {other}) x in lie.act m {place}", lambda x: moved(e(y) * e(x)), at, d)
    for at in [tiny, near]:
        pushed(f"\\x -> lie.se3_log (lie.after {other} (lie.se3_exp x))", lambda x: logarithm(e(y) * e(x)), at, d)
    turn = lambda w: e({"linear": [0, 0, 0], "angular": w})  # noqa: E731
    for w in [x["angular"], tiny["angular"], near["angular"]]:
        pushed(f"\\w -> lie.turn_to (lie.Rotation (lie.so3_exp w)) (lie.Rotation (lie.so3_exp {text(y['angular'])}))", lambda w: logarithm(turn(w) ** -1 * turn(y["angular"]))["angular"], w, d["angular"])


def orthogonal(a):
    """The QR factorisation by Gram and Schmidt's method."""
    columns, q = list(zip(*a)), []
    for c in columns:
        for u in q:
            share = dot(u, c)
            c = [x - share * y for x, y in zip(c, u)]
        size = mp.sqrt(dot(c, c))
        q.append([x / size for x in c])
    return [list(row) for row in zip(*q)], [[dot(u, c) if i <= j else mpf(0) for j, c in enumerate(columns)] for i, u in enumerate(q)]


def linalg():
    print("of_linalg")
    held, held_way = [[4, 1, -0.5], [1, 3, 0.25], [-0.5, 0.25, 5]], [[0.5, -1, 0.25], [-1, 2, 0.75], [0.25, 0.75, -0.5]]
    b, b_way = [1, -2, 0.5], [0.25, 1, -1]
    tall, tall_way = [[1, 2], [0.5, -1], [3, 0.25]], [[0, 1], [1, -1], [0.5, 2]]
    pushed("\\(a, b) -> la.cholesky_solve a b", lambda p: solved(*p), (held, b), (held_way, b_way))
    tiny = combine(lambda x: x * mpf(2) ** -600, held)
    line(f"(jvp (\\a -> la.cholesky_solve a {text(b)}) {text(tiny)} {text(tiny)}).1", combine(lambda x: -x, solved(tiny, b)))
    pushed("\\a -> la.qr a", orthogonal, tall, tall_way)
    pushed("\\(a, b) -> from_some (la.try_least_squares a b)", lambda p: solved(rows(matrix(p[0]).T * matrix(p[0])), list(matrix(p[0]).T * matrix(p[1]))), (tall, b), (tall_way, b_way))
    wide = lambda p: list(matrix(p[0]).T * mp.lu_solve(matrix(p[0]) * matrix(p[0]).T, matrix(p[1])))  # noqa: E731
    flat, flat_way = [[1, 0.5, 3], [2, -1, 0.25]], [[0, 1, 0.5], [1, -1, 2]]
    pushed("\\(a, b) -> from_some (la.try_least_squares a b)", wide, (flat, [1, -2]), (flat_way, [0.5, 1]))


def distributions():
    print("of_distributions")
    log, lg = mp.log, mp.loggamma
    held, held_way = [[4, 1, -0.5], [1, 3, 0.25], [-0.5, 0.25, 5]], [[0.5, -1, 0.25], [-1, 2, 0.75], [0.25, 0.75, -0.5]]

    def normals(p):
        mean, covariance, x = p
        off = [a - b for a, b in zip(x, mean)]
        return -(dot(off, solved(covariance, off)) + log(mp.det(matrix(covariance))) + 3 * log(2 * mp.pi)) / 2

    pushed("\\(m, c, x) -> (d.multivariate_normal m c).log_prob x", normals, ([1, -2, 0.5], held, [0.5, 1, 2]), ([0.25, 1, -1], held_way, [1, 0.5, -0.25]))
    dirichlet = lambda p: lg(mp.fsum(p[0])) - mp.fsum(lg(a) for a in p[0]) + mp.fsum((a - 1) * log(x) for a, x in zip(*p))  # noqa: E731
    # Along a direction in which the sum stays 1.
    pushed("\\(a, x) -> (d.dirichlet a).log_prob x", dirichlet, ([1.5, 2, 1e-3], [0.25, 0.5, 0.25]), ([0.5, -1, 0.25], [0.125, -0.25, 0.125]))
    for name, f, at, way in [
        ("(d.gamma a b).log_prob x", lambda p: p[0] * log(p[1]) - lg(p[0]) + (p[0] - 1) * log(p[2]) - p[1] * p[2], (2.5, 1.5, 0.75), (1, 0.5, -0.25)),
        ("(d.beta a b).log_prob x", lambda p: lg(p[0] + p[1]) - lg(p[0]) - lg(p[1]) + (p[0] - 1) * log(p[2]) + (p[1] - 1) * log(1 - p[2]), (2.5, 1e-3, 0.75), (1, 0.5, -0.25)),
    ]:
        pushed(f"\\(a, b, x) -> {name}", f, at, way)
    for x in [-800, 0, 0.5, 40]:
        pushed("\\l -> (d.bernoulli l).log_prob true", lambda l: -mp.log1p(mp.exp(-l)), x, 1)
        pushed("\\l -> (d.bernoulli l).log_prob false", lambda l: -mp.log1p(mp.exp(l)), x, 1)
    for r in [1e-300, 2.5, 1e8]:
        pushed("\\r -> (d.poisson r).log_prob 7", lambda r: 7 * log(r) - r - lg(8), r, r)
    pushed("\\r -> (d.poisson r).log_prob 0", lambda r: -r, 0, 1)
    share = lambda l: l[1] - log(mp.fsum(mp.exp(x) for x in l))  # noqa: E731
    for at in [[0.5, -1, 2], [1000, -1000, 999], [3, 3, 3]]:
        pushed("\\l -> (d.categorical l).log_prob 1", share, at, [1, 0.5, -0.25])


for part in (krylov, lie, linalg, distributions):
    part()
