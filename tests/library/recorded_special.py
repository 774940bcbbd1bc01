"""Prints the recorded lines of of_special, of_math, of_stats, of_distributions, of_lie and of_linalg: values and derivatives by mpmath.

    python3 -m venv /tmp/v && /tmp/v/bin/pip install mpmath
    /tmp/v/bin/python tests/library/recorded_special.py

Paste what it prints below the line that begins with "-- Recorded" in each file. A row has a value and the derivatives by
each argument. A derivative is a difference in some hundred digits; a line tells by how much the largest number may be off,
relative to what is recorded.
"""

import mpmath as mp

gamma, log, exp, pi = mp.gamma, mp.log, mp.exp, mp.pi


def lg(x):
    return mp.re(mp.loggamma(x))


def real(x):
    text = mp.nstr(x, 17, strip_zeros=True)
    return text if any(mark in text for mark in ".en") else text + ".0"


def point(x):
    # The double that the program gets, as Python writes it.
    text = repr(float(x))
    return f"({text})" if x < 0 else text


def row(f, at):
    """The value and the derivatives of `f` at a point, to more digits than a double has."""
    lost = max((abs(mp.log10(abs(mp.mpf(x)))) if x else 0) for x in at)
    with mp.workdps(int(90 + 3 * lost)):
        at = [mp.mpf(float(x)) if isinstance(x, float) else mp.mpf(x) for x in at]
        found = [mp.re(f(*at))]
        for i, x in enumerate(at):
            step = (abs(x) if x else 1) * mp.mpf(10) ** -25
            up, down = list(at), list(at)
            up[i], down[i] = x + step, x - step
            found.append(mp.re(f(*up) - f(*down)) / (2 * step))
        return found


def line(name, f, points, within="1e-13", why=""):
    points = [p if isinstance(p, tuple) else (p,) for p in points]
    count = {1: "one", 2: "two", 3: "three"}[len(points[0])]
    at = [point(p[0]) if len(p) == 1 else "(" + ", ".join(point(x).strip("()") for x in p) + ")" for p in points]
    wanted = ["[" + ", ".join(real(x) for x in row(f, p)) + "]" for p in points]
    if why:
        print(f"-- {why}")
    at = [x.strip("()") if len(points[0]) == 1 else x for x in at]
    print(f"--@ gauge.off (gauge.by_{count} {name} [{', '.join(at)}]) [{', '.join(wanted)}] ~= 0.0 within {within}")


def normal_cdf(x):
    return mp.erfc(-x / mp.sqrt(2)) / 2


def inverse(f, guess):
    """The inverse of an increasing or decreasing function by its last argument, from a guess at each point."""

    def g(*at):
        *rest, p = at
        x = guess(*at)
        return mp.findroot(lambda u: log(f(*rest, u)) - log(p), (x, x * (1 + mp.mpf("1e-3"))), tol=mp.mpf(10) ** (-mp.mp.dps * 3 // 2), maxsteps=100)

    return g


def lower(a, x):
    return mp.gammainc(a, 0, x, regularized=True)


def upper(a, x):
    return mp.gammainc(a, x, mp.inf, regularized=True)


def beta_cdf(a, b, x):
    return mp.betainc(a, b, 0, x, regularized=True)


def beta_survival(a, b, x):
    return mp.betainc(b, a, 0, 1 - x, regularized=True)


def hurwitz(s, q):
    # Euler's and Maclaurin's sum with 60 terms, as mpmath's own loses digits near s = 1.
    w = q + 60
    total = mp.fsum((q + k) ** -s for k in range(60)) + w ** (1 - s) / (s - 1) + w**-s / 2
    factor = s * w ** (-s - 1)
    for k in range(1, 40):
        total += mp.bernoulli(2 * k) / mp.factorial(2 * k) * factor
        factor *= (s + 2 * k - 1) * (s + 2 * k) / w**2
    return total


def bessel_k(n, x):
    if n < 500:
        return mp.besselk(n, x)
    # The derivative by a large order needs more digits than mpmath has: the integral by the trapezoidal rule.
    h = mp.mpf(1) / 1024
    return h * (exp(-x) / 2 + mp.fsum(exp(-x * mp.cosh(k * h)) * mp.cosh(n * k * h) for k in range(1, 3000)))


def special():
    print("of_special")
    s = "special."
    line(s + "erfinv", mp.erfinv, [0.49999, 0.5, -0.999999, 0.1])
    line(s + "erfcinv", inverse(lambda x: mp.erfc(x), lambda q: mp.sqrt(-log(q)) if q < 0.1 else mp.mpf(1) / 2), [1e-300, 1e-5, 0.499])
    line(s + "log_normal_quantile", lambda p: mp.findroot(lambda x: log(normal_cdf(x)) - p, -mp.sqrt(-2 * p) if p < -5 else mp.mpf(0)), [-800.0, -5.000001, -4.999999, -0.5000001, -0.1])
    cases = [(1e-3, 2.0, 1e-8), (0.3, 1e-3, 0.7), (9.99, 10.0, 0.5), (200.0, 3.0, 0.97), (2.0, 40.0, 0.2)]
    line(s + "beta_cdf", beta_cdf, cases, "4e-13")
    line(s + "beta_survival", beta_survival, cases + [(1e-8, 2.0, 0.3)], "4e-13")
    line(s + "log_beta_cdf", lambda *p: log(beta_cdf(*p)), cases, "4e-13")
    line(s + "log_beta_survival", lambda *p: log(beta_survival(*p)), cases + [(1e-8, 2.0, 0.3)], "4e-13")
    line(s + "beta_quantile", inverse(beta_cdf, lambda a, b, p: a / (a + b)), [(2.0, 3.0, 0.7), (12.0, 0.6, 0.2), (50.0, 60.0, 1e-3)], "1e-12")
    line(s + "beta_survival_quantile", inverse(beta_survival, lambda a, b, p: a / (a + b)), [(2.0, 3.0, 0.7), (12.0, 30.0, 1e-6)], "1e-12")
    line(s + "gamma_quantile", inverse(lower, lambda a, p: a if p > 0.5 else a / 2 if a > 1 else a * p), [(2.5, 0.7), (12.0, 0.01), (0.9, 0.3)], "1e-12")
    line(s + "gamma_survival_quantile", inverse(upper, lambda a, p: a * (1 - p) if p > 0.1 else 3 * a), [(2.5, 0.7), (12.0, 1e-6), (0.9, 0.3)], "1e-12")
    orders = [(0.5, 1e-8), (0.3, 2.01), (2.0, 2.4048255), (20.5, 20.6), (100.0, 99.0), (3.0, 1500.0)]
    line(s + "bessel_j", mp.besselj, orders, "1e-12")
    line(s + "bessel_y", mp.bessely, orders, "1e-12")
    print("-- With arguments and orders of which exp, or the other function of the product, is no number.")
    line(s + "bessel_i", mp.besseli, orders[:4] + [(100.0, 499.9), (2.0, 711.0), (1500.0, 1000.0)], "1e-12")
    line(s + "bessel_k", bessel_k, orders[:4] + [(1e-8, 0.5), (1e-8, 30.0), (2.0, 700.0), (1000.0, 1000.0), (1500.0, 1000.0)], "1e-12")
    line(s + "bessel_i_scaled", lambda n, x: exp(-x) * mp.besseli(n, x), [(0.5, 49.9), (0.5, 50.1), (50.0, 499.9), (20.0, 99.9)], "1e-12")
    line(s + "bessel_k_scaled", lambda n, x: exp(x) * mp.besselk(n, x), [(0.5, 49.9), (1e-3, 800.0), (30.0, 0.25)], "1e-12")
    line(s + "zeta", mp.zeta, [-20.5, -2.0000001, -0.2500001, -0.2499999, -1e-10, 1e-10, 0.999, 1.0000001, 30.0])
    line(s + "hurwitz_zeta", hurwitz, [(1.0000001, 0.3), (1.0000001, 100.0), (2.5, 1e-5), (30.0, 20.0)])


def scalars():
    print("of_math")
    m = "m."
    line(m + "log1mexp", lambda x: log(-mp.expm1(x)), [-1e-20, -0.1, -0.69314, -0.69315, -30.0])
    line(m + "logit", lambda p: log(p) - mp.log1p(-p), [1e-300, 0.2499, 0.2501, 0.51, 0.7501])
    line(m + "log_cosh", lambda x: log(mp.cosh(x)), [1e-8, 0.9999, 1.0001, -1.0001, 300.0])
    line(m + "log1pmx", lambda x: mp.log1p(x) - x, [1e-8, -0.3501, -0.3499, 0.4999, 0.5001, -0.999])
    line(m + "sinc", lambda x: mp.sin(x) / x, [1e-8, 1.9999, -2.0001, 100.0])
    line(m + "gamma", gamma, [1e-8, 2.5, -0.9999999, -2.5, -50.25, -100.5, 140.0], "2e-13", "As precise as the logarithm is, which is hundreds here.")
    line(m + "log_factorial", lambda x: lg(x + 1), [-0.999, 1e-8, 0.2499, 0.2501, 0.999999, 1.000001, 40.0])
    line(m + "stirling_error", lambda x: lg(x) - ((x - mp.mpf(1) / 2) * log(x) - x + log(2 * pi) / 2), [0.01, 1.9999, 2.0001, 7.5, 9.9999, 10.0001, 1e6])
    line(m + "log_rising", lambda b, a: lg(b + a) - lg(b), [(0.5, 1e-8), (3.0, -0.75), (9.9999, 2.0), (10.0001, 2.0), (1e8, 0.3)])
    line(m + "log_choose", lambda n, k: lg(n + 1) - lg(k + 1) - lg(n - k + 1), [(1.5, 1e-8), (7.5, 3.25), (30.0, 9.9999), (30.0, 10.0001), (1e8, 3.0)])
    line(m + "lbeta", lambda a, b: lg(a) + lg(b) - lg(a + b), [(1e-8, 3.0), (0.4999, 0.75), (0.5001, 9.9999), (10.0001, 10.0002), (3.0, 1e12)])
    line(m + "normal_cdf", normal_cdf, [-30.0, -1.0, 0.5], "4e-13", "At -30 a rounded argument makes a thousand times as much of the value.")
    line(m + "normal_quantile", lambda p: -mp.sqrt(2) * mp.erfinv(1 - 2 * p), [1e-8, 0.2499, 0.2501, 0.4999, 0.7501, 0.999999])
    line(m + "erfcx", lambda x: exp(x * x) * mp.erfc(x), [-5.0, 0.1, 3.4999, 3.5001, 1e4])
    line(m + "log_erfc", lambda x: log(mp.erfc(x)), [-5.0, -0.5001, -0.4999, 0.4999, 0.5001, 3.4999, 3.5001, 1e3])
    line(m + "log_normal_cdf", lambda x: log(normal_cdf(x)), [-1e3, -5.0001, -4.9999, -1e-3, 1e-3, 10.0])
    line(m + "log_normal_survival", lambda x: log(normal_cdf(-x)), [1e3, 5.0001, 4.9999, -10.0])
    line(m + "gelu", lambda x: x * normal_cdf(x), [-30.0, -1.0, 1e-8, 5.0], "4e-13")
    line(m + "silu", lambda x: x / (1 + exp(-x)), [-700.0, -1.0, 1e-8, 5.0])
    cases = [(1e-8, 0.5), (0.4999, 0.3), (0.5001, 0.3), (2.5, 3.4999), (2.5, 3.5001), (9.9999, 3.0), (10.0001, 30.0)]
    line(m + "gamma_cdf", lower, cases)
    line(m + "gamma_survival", upper, cases)
    line(m + "log_gamma_cdf", lambda *p: log(lower(*p)), cases + [(300.0, 1e-3)])
    line(m + "log_gamma_survival", lambda *p: log(upper(*p)), cases + [(2.0, 1e4)])
    line(m + "gamma_front", lambda a, x: a * log(x) - x - lg(a + 1), [(0.3, 1e-8), (9.9999, 8.0), (10.0001, 8.0), (1e8, 1.0001e8)])


def densities():
    print("of_stats")
    s = "stats."
    half = mp.mpf(1) / 2
    normal = lambda m, d, x: -(((x - m) / d) ** 2) / 2 - log(d) - log(2 * pi) / 2  # noqa: E731
    line(s + "normal", normal, [(1.0, 1e-100, 1.0), (0.5, 2.0, -3.0)])
    line(s + "log_normal", lambda m, d, x: normal(m, d, log(x)) - log(x), [(0.3, 0.7, 1e-300), (0.3, 0.7, 2.0)])
    line(s + "uniform", lambda a, b, x: -log(b - a) + 0 * x, [(0.25, 2.0, 1.0)])
    line(s + "exponential", lambda r, x: log(r) - r * x, [(0.25, 3.0)])
    line(s + "gamma", lambda a, r, x: a * log(r) - lg(a) + (a - 1) * log(x) - r * x, [(1e-8, 0.5, 2.0), (9.9999, 2.0, 3.0), (10.0001, 2.0, 3.0), (1e8, 1.0, 1.0001e8)])
    line(s + "beta", lambda a, b, x: (a - 1) * log(x) + (b - 1) * mp.log1p(-x) - lg(a) - lg(b) + lg(a + b), [(1e-8, 0.5, 0.3), (9.9999, 10.0, 0.4), (10.0001, 10.0, 0.7), (1e8, 1e8, 0.50001)])
    line(s + "student", lambda n, x: lg((n + 1) / 2) - lg(n / 2) - log(n * pi) / 2 - (n + 1) / 2 * mp.log1p(x * x / n), [(0.1, 1e6), (19.9999, 2.0), (20.0001, -2.0), (3.0, 1e11), (1e8, 0.3)], "1e-12")
    line(s + "cauchy", lambda c, d, x: -log(pi * d) - mp.log1p(((x - c) / d) ** 2), [(1.0, 2.0, -5.0), (0.5, 2.0, 1e11)])
    line(s + "laplace", lambda c, d, x: -log(2 * d) - abs(x - c) / d, [(1.0, 2.0, -5.0), (1.0, 0.25, 1.5)])
    line(s + "half_normal", lambda d, x: normal(0, d, x) + log(2), [(1.5, 2.0), (1e-140, 2e-140)])
    line(s + "inverse_gamma", lambda a, b, x: a * log(b) - lg(a) - (a + 1) * log(x) - b / x, [(0.5, 2.0, 1e-3), (9.9999, 2.0, 0.3), (10.0001, 2.0, 0.3)])
    line(s + "weibull", lambda k, d, x: log(k / d) + (k - 1) * log(x / d) - (x / d) ** k, [(0.5, 2.0, 1e-8), (1.7, 2.5, 1.3), (20.0, 2.0, 2.5)])
    # The last argument is a whole number.
    for name, f, at in [
        ("(\\r -> stats.poisson r K)", lambda k: lambda r: k * log(r) - r - lg(k + 1), [1e-8, 9.5, 120.0]),
        ("(\\p -> stats.binomial 100 p K)", lambda k: lambda p: lg(101) - lg(k + 1) - lg(101 - k) + k * log(p) + (100 - k) * mp.log1p(-p), [1e-8, 0.3, 0.999999]),
        ("(\\p -> stats.geometric p K)", lambda k: lambda p: k * mp.log1p(-p) + log(p), [1e-8, 0.3, 0.999999]),
        ("(\\mean r -> stats.negative_binomial mean r K)", lambda k: lambda m, r: lg(k + r) - lg(r) - lg(k + 1) - r * mp.log1p(m / r) - (k * mp.log1p(r / m) if k else 0), [(1e-8, 9.9999), (1e-8, 100.0), (50.0, 20.0), (1e8, 10.5)]),
    ]:
        for k in [9, 10] if "neg" in name else [0, 10]:
            line(name.replace("K", str(k)), f(k), at, "1e-12")


def drawn():
    print("of_distributions")
    student = lambda n, c, d, x: lg((n + 1) / 2) - lg(n / 2) - log(n * pi) / 2 - log(d) - (n + 1) / 2 * mp.log1p(((x - c) / d) ** 2 / n)  # noqa: E731
    line("(\\a b x -> (d.log_normal a b).log_prob x)", lambda a, b, x: -(((log(x) - a) / b) ** 2) / 2 - log(b * x) - log(2 * pi) / 2, [(0.3, 0.7, 2.0)])
    line("(\\a b x -> (d.uniform a b).log_prob x)", lambda a, b, x: -log(b - a) + 0 * x, [(0.25, 2.0, 1.0)])
    line("(\\r x -> (d.exponential r).log_prob x)", lambda r, x: log(r) - r * x, [(0.25, 3.0)])
    line("(\\a b x -> (d.inverse_gamma a b).log_prob x)", lambda a, b, x: a * log(b) - lg(a) - (a + 1) * log(x) - b / x, [(2.5, 1.5, 0.7)])
    line("(\\n x -> (d.chi_squared n).log_prob x)", lambda n, x: (n / 2 - 1) * log(x) - x / 2 - n / 2 * log(2) - lg(n / 2), [(3.5, 2.0)])
    line("(\\a b x -> (d.cauchy a b).log_prob x)", lambda a, b, x: -log(pi * b) - mp.log1p(((x - a) / b) ** 2), [(1.0, 2.0, -5.0)])
    line("(\\a b x -> (d.laplace a b).log_prob x)", lambda a, b, x: -log(2 * b) - abs(x - a) / b, [(1.0, 2.0, -5.0)])
    line("(\\a b x -> (d.weibull a b).log_prob x)", lambda a, b, x: log(a / b) + (a - 1) * log(x / b) - (x / b) ** a, [(1.75, 2.5, 1.25)])
    line("(\\n c x -> (d.student n c 2.0).log_prob x)", lambda n, c, x: student(n, c, 2, x), [(3.5, 1.0, -0.5)])
    line("(\\s -> (d.student 3.5 1.0 s).log_prob (-0.5))", lambda s: student(mp.mpf("3.5"), 1, s, mp.mpf("-0.5")), [2.0])
    line("(\\a b y -> (d.transformed (\\x -> x ^ 3) cbrt (\\x -> log (3.0 * x * x)) (d.normal a b)).log_prob y)", lambda a, b, y: -(((mp.cbrt(y) - a) / b) ** 2) / 2 - log(b) - log(2 * pi) / 2 - log(3 * mp.cbrt(y) ** 2), [(0.3, 0.7, 5.0)])


def hat(w):
    x, y, z = w
    return mp.matrix([[0, -z, y], [z, 0, -x], [-y, x, 0]])


def bracket(x):
    """The matrix of the Lie bracket with a twist, its linear part first."""
    linear, angular = hat(x[:3]), hat(x[3:])
    return mp.matrix([[(angular if i // 3 == j // 3 else linear if i < 3 else mp.zeros(3))[i % 3, j % 3] for j in range(6)] for i in range(6)])


def left(a):
    """The left Jacobian: the sum of a^k / (k + 1)!."""
    total, term = mp.zeros(a.rows), mp.eye(a.rows)
    for k in range(1, 120):
        total += term
        term = term * a / (k + 1)
    return total


def along(f, x, d):
    h = mp.mpf("1e-25")
    return (f([a + h * b for a, b in zip(x, d)]) - f([a - h * b for a, b in zip(x, d)])) / (2 * h)


def groups():
    print("of_lie")
    mp.mp.dps = 60
    vector = lambda w: "[" + ", ".join(repr(float(x)) for x in w) + "]"  # noqa: E731
    rows = lambda a: "[" + ", ".join(real(x) for x in a) + "]"  # noqa: E731
    way = [mp.mpf(x) for x in (0.3, -0.7, 0.2)]
    for name, f in [("so3_jacobian", lambda w: left(hat(w))), ("so3_jacobian_inverse", lambda w: left(hat(w)) ** -1)]:
        # Small, on both sides of the end of the series, and near a whole turn, where the inverse has a pole.
        for w in [(1e-5, 2e-5, -1e-5), (0.57, -0.57, 0.59), (0.58, -0.58, 0.58), (2.0, -4.0, 4.2)]:
            w = [mp.mpf(x) for x in w]
            found = "flatten j, flatten moved"
            print(f"--@ gauge.off (let (j, moved) = jvp lie.{name} {vector(w)} {vector(way)} in [{found}]) [{rows(f(w))}, {rows(along(f, w, way))}] ~= 0.0 within 1e-12")
    x = [mp.mpf(v) for v in (1.0, -2.0, 0.5, 0.9, -1.5, 0.8)]
    d = [mp.mpf(v) for v in (0.2, 0.1, -0.4, 0.3, -0.7, 0.2)]
    twist = lambda t: f"{{ linear = {vector(t[:3])}, angular = {vector(t[3:])} }}"  # noqa: E731
    parts = "[y.linear, y.angular, moved.linear, moved.angular]"
    for name, f in [
        ("lie.se3_jacobian y", lambda y: left(bracket(y)) * mp.matrix(d)),
        ("lie.se3_jacobian_inverse y", lambda y: left(bracket(y)) ** -1 * mp.matrix(d)),
        ("lie.adjoint (lie.se3_exp y)", lambda y: mp.expm(bracket(y), method="taylor") * mp.matrix(d)),
    ]:
        call = f"\\y -> {name} {twist(d)}"
        value, slope = f(x), along(f, x, d)
        print(f"--@ gauge.off (let (y, moved) = jvp ({call}) {twist(x)} {twist(d)} in {parts}) [{', '.join(rows(v[i : i + 3]) for v in (list(value), list(slope)) for i in (0, 3))}] ~= 0.0 within 1e-12")


def matrices():
    print("of_linalg")
    mp.mp.dps = 60
    at, way = [[4, 1, 0.5], [2, 5, 1], [-1, 0.5, 3]], [[0, 1, -1], [1, 0.5, 0], [2, 0, 1]]
    held, tall = [[4, 2, -1], [2, 5, 0.5], [-1, 0.5, 3]], [[1, 2], [0.5, -1], [3, 0.25]]
    tall_way, b = [[0, 1], [1, -1], [0.5, 2]], [[1, -2], [0.5, 3], [2, 0.25]]
    rows = lambda a: "[" + ", ".join(real(x) for x in a) + "]"  # noqa: E731
    text = lambda a: "[" + ", ".join("[" + ", ".join(repr(float(x)) for x in row) + "]" for row in a) + "]"  # noqa: E731
    lower = lambda a: mp.matrix([[a[i, j] if j <= i else 0 for j in range(3)] for i in range(3)])  # noqa: E731
    mirrored = lambda a: mp.matrix([[a[max(i, j), min(i, j)] for j in range(3)] for i in range(3)])  # noqa: E731
    right, vector = mp.matrix(b), mp.matrix([1, -2, 0.5])
    for call, f, a, d in [
        ("flatten (la.cholesky a)", lambda a: mp.cholesky(mirrored(a)), held, way),
        ("flatten (la.forward_solve_columns a b)", lambda a: lower(a) ** -1 * right, at, way),
        ("flatten (la.back_solve_columns a b)", lambda a: lower(a.T).T ** -1 * right, at, way),
        ("la.back_solve a [1.0, -2.0, 0.5]", lambda a: lower(a.T).T ** -1 * vector, at, way),
        ("flatten (la.solve_columns a b)", lambda a: a**-1 * right, at, way),
        ("la.lu_solve (la.lu a) [1.0, -2.0, 0.5]", lambda a: a**-1 * vector, at, way),
        ("flatten (with_default (identity 3) (la.try_inverse a))", lambda a: a**-1, at, way),
        ("flatten (la.cofactors a)", lambda a: mp.det(a) * (a**-1).T, at, way),
        ("[(la.sign_log_determinant a).1, la.trace (a @ a)]", lambda a: [log(abs(mp.det(a))), sum((a * a)[i, i] for i in range(3))], at, way),
        ("la.least_squares a [1.0, -2.0, 0.5]", lambda a: (a.T * a) ** -1 * a.T * vector, tall, tall_way),
        ("la.least_squares (transpose a) [1.0, -2.0]", lambda a: a * (a.T * a) ** -1 * mp.matrix([1, -2]), tall, tall_way),
    ]:
        h, m, e = mp.mpf("1e-25"), mp.matrix(a), mp.matrix(d)
        value, up, down = list(f(m)), list(f(m + h * e)), list(f(m - h * e))
        # What is 0 by its form has nothing to be relative to.
        kept = [0 if v == 0 else v for v in value]
        slope = [0 if abs(u - v) < mp.mpf("1e-40") else (u - v) / (2 * h) for u, v in zip(up, down)]
        call = call.replace(" b)", f" {text(b)})")
        print(f"--@ gauge.off (let (y, moved) = jvp (\\a -> {call}) {text(a)} {text(d)} in [y, moved]) [{rows(kept)}, {rows(slope)}] ~= 0.0 within 1e-13")


if __name__ == "__main__":
    for part in (special, scalars, densities, drawn, groups, matrices):
        part()
