"""Prints recorded lines of of_complex, of_distributions, of_krylov, of_lie, of_linalg, of_quadrature, of_random, of_sample,
of_sde, of_signal and of_sparse: values and derivatives of methods that are written here again.

    python3 -m venv /tmp/v && /tmp/v/bin/pip install mpmath
    /tmp/v/bin/python tests/library/recorded_methods.py

Paste what it prints below the line "-- Recorded by recorded_methods.py" in each file. A method is written
here in numbers of sixty digits, and its derivative along a direction is a difference of these.
"""

import mpmath as mp
from recorded_special import hat

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
    if isinstance(xs[0], mp.mpc):
        xs = [mp.re(x) for x in xs]
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


def exponential(x):
    """The matrix of the motion of a twist."""
    w = hat(x["angular"]).tolist()
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
    tiny = combine(lambda x: x * mpf(2) ** -300, held)
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


def quadrature():
    print("of_quadrature")
    limits = "{ relative = 1e-12, absolute = 0.0, pieces = 400 }"
    pushed(f"\\(c, a, b) -> (quadrature.integrate_with {limits} (\\x -> exp (c * x)) a b).value", lambda p: (mp.exp(p[0] * p[2]) - mp.exp(p[0] * p[1])) / p[0], (-1.5, 0.25, 2), (1, 0.5, -0.25), "1e-12")
    print("-- Back, to infinity, and with an infinite value at an end.")
    pushed(f"\\(c, a, b) -> (quadrature.integrate_with {limits} (\\x -> cos (c * x)) a b).value", lambda p: (mp.sin(p[0] * p[2]) - mp.sin(p[0] * p[1])) / p[0], (1.5, 2, -3), (1, 0.5, -0.25), "1e-12")
    pushed(f"\\(c, a) -> (quadrature.integrate_with {limits} (\\x -> exp (-c * x * x)) a inf).value", lambda p: mp.sqrt(mp.pi / p[0]) / 2 * mp.erfc(mp.sqrt(p[0]) * p[1]), (1e-4, 0.5), (1e-4, 1), "1e-10")
    pushed("\\c -> (quadrature.integrate_with { relative = 1e-9, absolute = 0.0, pieces = 400 } (\\x -> x ^ (c - 1.0)) 0.0 1.0).value", lambda c: 1 / c, 0.25, 1, "1e-7")


def drawn():
    print("of_random")
    z, g = mpf(-1.8620223818639472), mpf(0.4319950272818297)
    # The derivative of a gamma quantile by the shape, at the number that is drawn.
    moves = lambda a, x: -mp.diff(lambda a: mp.gammainc(a, 0, x, regularized=True), a) * mp.gamma(a) * mp.exp(x) * x ** (1 - a)  # noqa: E731
    print("-- A normal number times the root of ν / 2 over a gamma number; a share of two gamma numbers. How gamma numbers move is mpmath's.")
    student = z * mp.sqrt(mpf("1.75") / g)
    line("let (x, slope) = jvp (\\nu -> random.student 1 nu (random.key 7)) 3.5 1.0 in [x[0], slope[0]]", [student, student * (1 / mpf(7) - moves(mpf("1.75"), g) / 4 / g)])
    x, y = mpf(1.5308550099353646), mpf(0.17934799484590935)
    share = x / (x + y)
    line("let x = (random.beta 1 2.0 0.75 (random.key 7))[0] in (x, grad (\\(a, b) -> (random.beta 1 a b (random.key 7))[0]) (2.0, 0.75))", (share, (share * (1 - share) * moves(mpf(2), x) / x, -share * (1 - share) * moves(mpf("0.75"), y) / y)))
    print("-- The mean and the factor of Cholesky times normal numbers.")

    def factored(p, zs):
        (m, n), ((a, b), (_, c)) = p
        return [[m + mp.sqrt(a) * u, n + b / mp.sqrt(a) * u + mp.sqrt(c - b * b / a) * v] for u, v in zs]

    at, way = ([1, 2], [[4, 1], [1, 9]]), ([0.25, -1], [[1, 0.5], [0.5, -2]])
    pushed("\\(m, c) -> random.multivariate_normal m c (random.key 1)", lambda p: factored(p, [(mpf(-0.021721654794954796), mpf(-0.3449888937931067))])[0], at, way)
    pushed("\\(m, c) -> random.multivariate_normals 2 m c (random.key 1)", lambda p: factored(p, [(mpf(0.33187571091476176), mpf(1.6071199602258501)), (mpf(-0.09668339894958258), mpf(0.33354665425305663))]), at, way)


def sample():
    print("of_sample")
    print("-- Leapfrog steps in a normal density are Chebyshev polynomials: after k steps of length h the place is T(c) x + h U(c) p.")
    h, w, start = mpf("0.125"), mpf(100), mpf("0.7")
    t = lambda k, w: mp.chebyt(k, 1 - h * h * w / 2)  # noqa: E731
    u = lambda k, w: mp.chebyu(k - 1, 1 - h * h * w / 2)  # noqa: E731
    first, second = mpf(-0.41922666958031035), mpf(0.24262061818006384)

    def places(steps, ends):
        """Where draws are, as functions of the density and the start, given where they are at one of these."""
        starts = [start] + ends
        momenta = [(b - t(k, w) * a) / (h * u(k, w)) for k, a, b in zip(steps, starts, ends)]

        def go(p):
            w, m, x = p
            found = []
            for k, momentum in zip(steps, momenta):
                x = m + t(k, w) * (x - m) + h * u(k, w) * momentum
                found.append(x)
            return found

        return go

    density = "(\\x -> -0.5 * w * (x[0] - m) ^ 2)"
    way = (2, 0.5, -0.25)
    pushed(f"\\(w, m, x) -> flatten (sample.hmc {density} 3 0 2 [x] (random.key 1)).draws", places([3, 3], [first, second]), (100, 0, 0.7), way, "1e-12")
    ends = [mpf(x) for x in (0.18040690606477194, -0.24608142241258157, -0.019403708330318792)]
    pushed(f"\\(w, m, x) -> flatten (sample.nuts {density} 0 3 [x] (random.key 1)).draws", places([1, 2, 3], ends), (100, 0, 0.7), way, "1e-12")
    chains = [[1, 1.5, 2, 1.75, 3, 3.5, 2.5, 3, 2, 1.5, 1, 0.5], [2, 3, 3.25, 2, 1, 1.5, 1.25, 2, 3, 4, 3.5, 3]]
    way = [[0.5, -1, 0.25, 1, 0, -0.5, 1, 0.25, -0.75, 0.5, 1, -1], [1, 0.25, -0.75, 0.5, 1, -1, 0, 0.5, 0.25, 2, -1, 1]]
    mean = lambda x: mp.fsum(x) / len(x)  # noqa: E731
    spread = lambda x: mp.fsum((a - mean(x)) ** 2 for a in x) / (len(x) - 1)  # noqa: E731
    halves = lambda chains: [c[:6] for c in chains] + [c[6:] for c in chains]  # noqa: E731

    def r_hat(chains):
        parts = halves(chains)
        return mp.sqrt(mpf(5) / 6 + spread([mean(x) for x in parts]) / mean([spread(x) for x in parts]))

    def effective(chains):
        """The size over the sum of autocorrelations, of pairs that fall until one is negative."""
        parts, n = halves(chains), 6
        autocovariance = lambda x, lag: mp.fsum((x[i] - mean(x)) * (x[i + lag] - mean(x)) for i in range(n - lag)) / n  # noqa: E731
        within = mean([spread(x) for x in parts])
        total = within * (n - 1) / n + spread([mean(x) for x in parts])
        correlations = [1 - (within - mean([autocovariance(x, lag) for x in parts])) / total for lag in range(n)]
        correlations[0] = mpf(1)
        pairs = []
        for lag in range(0, n - 1, 2):
            pair = correlations[lag] + correlations[lag + 1]
            if pair <= 0:
                # The first of the pair that ends the sum counts if it is positive.
                pairs.append(max(correlations[lag], 0) / 2)
                break
            pairs.append(min(pair, pairs[-1]) if pairs else pair)
        return len(parts) * n / (2 * mp.fsum(pairs) - 1)

    pushed("sample.split_r_hat", r_hat, chains, way)
    pushed("sample.effective_size", effective, chains, way)


def solutions(f, g, dw, milstein):
    """The states of Euler and Maruyama's method, or Milstein's, between the times 0 and 1."""

    def go(p):
        b, y = p
        h, path = mpf(1) / len(dw), [y]
        for i, w in enumerate(dw):
            t, w = i * h, mpf(w)
            by_state = mp.diff(lambda y: g(b, t, y), y) if milstein else 0
            y = y + h * f(t, y) + g(b, t, y) * w + g(b, t, y) * by_state * (w * w - h) / 2
            path.append(y)
        return path

    return go


def sde():
    print("of_sde")
    dw = [0.3, -0.2, 0.1, 0.25, -0.4]
    field, noise = "(\\t y -> t - y * y) (\\t y -> b * sin y + t)", lambda b, t, y: b * mp.sin(y) + t
    for name, milstein, within in [("euler_path", False, "1e-13"), ("milstein_path", True, "1e-12")]:
        pushed(f"\\(b, y) -> sde.{name} {field} 0.0 1.0 {text(dw)} y", solutions(lambda t, y: t - y * y, noise, dw, milstein), (0.7, 1), (1, 0.5), within)
        line(f"jvp (\\y -> sde.{name} {field.replace('b *', '0.7 *')} 0.0 1.0 [] y) 2.0 3.0", ([2], [3]))


def signal():
    print("of_signal")
    images = [[[((7 * c + 5 * i + 3 * j) % 11) - 4 for j in range(4)] for i in range(3)] for c in range(2)]
    kernels = [[[[((5 * o + 3 * c + 2 * k + l) % 7) - 2 for l in range(2)] for k in range(2)] for c in range(2)] for o in range(2)]  # noqa: E741
    turned = lambda x: combine(lambda a: (a * 3 + 1) % 5 - 2, x)  # noqa: E731

    def layer(stride):
        def go(p):
            images, kernels = p
            return [[[mp.fsum(images[c][i + k][j + l] * kernel[c][k][l] for c in range(2) for k in range(2) for l in range(2)) for j in range(0, 3, stride)] for i in range(0, 2, stride)] for kernel in kernels]  # noqa: E741

        return go

    for stride in [1, 2]:
        pushed(f"\\(x, k) -> signal.convolution_layer {stride} x k", layer(stride), (images, kernels), (turned(images), turned(kernels)))

    def inverse(p):
        n = len(p[0])
        sums = [mp.fsum((a + b * 1j) * mp.expjpi(mpf(2 * j * k) / n) for j, (a, b) in enumerate(zip(*p))) / n for k in range(n)]
        return [z.real for z in sums], [z.imag for z in sums]

    for n in [1, 4, 5]:
        at, way = ([[mpf((7 * i + 3 * k) % 5 - 2) for i in range(n)] for k in range(2)] for _ in range(2))
        pushed("signal.ifft", inverse, tuple(at), tuple(turned(way)), "1e-13")


def dense(rows_of, places, values, n, m):
    a = [[mpf(0)] * m for _ in range(n)]
    for i, j, v in zip(rows_of, places, values):
        a[i][j] += v
    return a


def incomplete(a, x):
    """The incomplete LU factorisation without new places, and what it solves."""
    n = len(a)
    there, f = [[v != 0 for v in row] for row in a], [[mpf(v) for v in row] for row in a]
    for i in range(n):
        for k in range(i):
            if there[i][k]:
                f[i][k] /= f[k][k]
                for j in range(k + 1, n):
                    if there[i][j]:
                        f[i][j] -= f[i][k] * f[k][j]
    lower = [[f[i][j] if j < i else int(i == j) for j in range(n)] for i in range(n)]
    upper = [[f[i][j] if j >= i else 0 for j in range(n)] for i in range(n)]
    return solved(upper, solved(lower, x))


def sparse():
    print("of_sparse")
    wide = lambda v: dense([2, 0, 2, 1, 2], [1, 3, 1, 0, 2], v, 3, 4)  # noqa: E731
    at, way = [1, 2, 3, 4, 5], [0.5, -1, 0.25, 1, -2]
    turned = lambda a: [list(c) for c in zip(*a)]  # noqa: E731
    pushed("\\(v, y) -> sparse.multiply_transposed (matrix v) y", lambda p: times(turned(wide(p[0])), p[1]), (at, [1, -1, 0.5]), (way, [0.25, 1, -1]))
    pushed("\\v -> sparse.to_dense (sparse.transposed (matrix v))", lambda v: turned(wide(v)), at, way)
    pushed("\\v -> sparse.to_dense (sparse.add (matrix v) (matrix (v * v)))", lambda v: wide([x + x * x for x in v]), at, way)
    pushed("\\v -> sparse.diagonal_of (matrix v)", lambda v: [wide(v)[i][i] for i in range(3)], at, way)
    pushed("\\v -> sparse.to_dense (sparse.diagonal_matrix v)", lambda v: [[v[i] if i == j else mpf(0) for j in range(2)] for i in range(2)], [0, 3], [1, -2])
    square = lambda v: dense([0, 0, 1, 1, 1, 2, 2], [0, 2, 0, 1, 2, 1, 2], v, 3, 3)  # noqa: E731
    at, way = [0.5, -2, 3, 1, 0.25, -1.5, 4], [0.25, 1, -0.5, 2, -1, 0.5, 1]
    bs, b_ways = [[1, -2, 0.5], [0.25, 1, 2]], [[0.5, 1, -1], [2, -0.25, 1]]
    pushed("\\(v, bs) -> sparse.solve_rows (square v) bs", lambda p: [solved(square(p[0]), b) for b in p[1]], (at, bs), (way, b_ways))

    def held(v):
        a = square([x + y for x, y in zip(v, [9, 0, 0, 9, 0, 0, 9])])
        return [[a[max(i, j)][min(i, j)] for j in range(3)] for i in range(3)]

    pushed("\\(v, b) -> sparse.cholesky_solve (heavy v) b", lambda p: solved(held(p[0]), p[1]), (at, bs[0]), (way, b_ways[0]))
    pushed("\\(v, bs) -> sparse.cholesky_solve_rows (heavy v) bs", lambda p: [solved(held(p[0]), b) for b in p[1]], (at, bs), (way, b_ways))
    print("-- A preconditioner is a constant matrix.")
    pushed("\\(v, r) -> sparse.jacobi (square v) r", lambda p: [p[1][0] / 0.5, p[1][1], p[1][2] / 4], (at, bs[0]), (way, b_ways[0]))
    cross = [[4, 1, 0, 2], [1, 3, 1, 0], [0, -1, 5, 1], [2, 0, 1, 6]]
    pushed(f"\\r -> sparse.incomplete_lu (sparse.from_dense {text(cross)}) r", lambda r: incomplete(cross, r), [1, -2, 0.5, 3], [0.5, 1, -1, 2])

    def three(p):
        lower, diagonal, upper, b = p
        n = len(b)
        return solved([[diagonal[i] if i == j else lower[i] if j == i - 1 else upper[i] if j == i + 1 else 0 for j in range(n)] for i in range(n)], b)

    pushed("\\(l, d, u, b) -> sparse.tridiagonal_solve l d u b", three, ([9, 1, -0.5], [4, 3, 5], [1, 0.5, 9], [1, 2, 3]), ([1, 0.5, -1], [0.25, 1, 2], [1, -1, 0.5], [2, -0.5, 1]))
    pushed("\\(l, d, u, b) -> sparse.tridiagonal_solve l d u b", three, ([9], [4], [9], [1]), ([1], [0.25], [1], [2]))

    def bent(p):
        c, (x, y, _) = p
        return [[2 * c[0] * y, 2 * c[0] * x, 0], [2 * c[0] * x, -c[1] * mp.sin(y), 0], [0, 0, 0]]

    pushed("\\(c, x) -> let f = (\\x -> c[0] * x[0] ^ 2 * x[1] + c[1] * sin x[1] + c[2] * x[2]) in sparse.to_dense (sparse.hessian_by (stop_gradient (sparse.hessian_plan f x)) f x)", bent, ([1, 2, 3], [0.5, -0.25, 2]), ([0.5, -1, 0.25], [1, -2, 0.5]))


def complexes():
    print("of_complex")
    at, way = [0.5, -1.5, 2], [1, 0.25, -0.5]
    z = mp.mpc
    parts = lambda x: {"re": mp.re(x), "im": mp.im(x)}  # noqa: E731
    numbers = "[ c.complex x[i] (x[i] * x[i]) | i < 3 ]"
    of = lambda x: [z(a, a * a) for a in x]  # noqa: E731
    pushed(f"\\x -> c.to_parts {numbers}", lambda x: ([a for a in x], [a * a for a in x]), at, way)
    pushed(f"\\x -> c.total {numbers}", lambda x: parts(mp.fsum(of(x))), at, way)
    pushed(f"\\x -> c.inner {numbers} [c.complex 1.0 2.0, c.complex x[0] x[2], c.i]", lambda x: parts(mp.fsum(mp.conj(a) * b for a, b in zip(of(x), [z(1, 2), z(x[0], x[2]), z(0, 1)]))), at, way)
    pushed(f"\\x -> c.polynomial {numbers} (c.complex x[1] x[2])", lambda x: parts(mp.fsum(a * z(x[1], x[2]) ** k for k, a in enumerate(of(x)))), at, way)
    line("jvp (\\x -> (c.total [], c.inner [] [], c.polynomial [] (c.complex x x))) 2.0 3.0", ((parts(0),) * 3,) * 2)


if __name__ == "__main__":
    for part in (krylov, lie, linalg, distributions, quadrature, drawn, sample, sde, signal, sparse, complexes):
        part()
