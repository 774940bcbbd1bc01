"""Prints recorded lines of of_ode, of_optim, of_constrained and of_root: values and derivatives of solvers, by closed forms and
by methods that are written here again. See recorded_methods.py.

    python3 -m venv /tmp/v && /tmp/v/bin/pip install mpmath
    /tmp/v/bin/python tests/library/recorded_solvers.py

Paste what it prints below the line "-- Recorded by recorded_solvers.py" in each file.
"""

import mpmath as mp
from recorded_methods import combine, dot, line, matrix, mpf, pushed


def growth(rate, start, time):
    """The solution of y' = rate y (1 - y)."""
    return 1 / (1 + (1 / start - 1) * mp.exp(-rate * time))


def relaxed(p):
    """The solution of y' = -k (y - cos t)."""
    k, y, t = p
    rest = lambda t: (k * k * mp.cos(t) + k * mp.sin(t)) / (k * k + 1)  # noqa: E731
    return rest(t) + (y - rest(0)) * mp.exp(-k * t)


def ode():
    print("of_ode")
    within = "{ relative = 1e-11, absolute = 1e-13 }"
    field, at, way = "(\\_ y -> r * y * (1.0 - y))", (1.5, 0.2, 2), (1, 0.5, -0.25)
    pushed(f"\\(r, y, t) -> (ode.adaptive_with {within} {field} 0.0 t y).0", lambda p: growth(*p), at, way, "1e-9")
    pushed(f"\\(r, y, t) -> ode.adaptive_at_with {within} {field} 0.0 [0.0, 0.5, t] y", lambda p: [growth(p[0], p[1], t) for t in (0, mpf("0.5"), p[2])], at, way, "1e-9")
    pushed(f"\\(r, y, t) -> let (time, state) = from_some (ode.first_event_with {within} (\\_ y -> t - y) {field} 0.0 9.0 y) in [time, state]", lambda p: [mp.log((1 / p[1] - 1) / (1 / p[2] - 1)) / p[0], p[2]], (1.5, 0.2, 0.875), way, "1e-9")
    print("-- At rest, and by a rate of 0.")
    pushed(f"\\(r, y, t) -> (ode.adaptive_with {within} {field} 0.0 t y).0", lambda p: growth(*p), (1.5, 1, 2), way, "1e-9")
    pushed(f"\\(r, y, t) -> (ode.stiff_with {within} {field} 0.0 t y).0", lambda p: growth(*p), (0, 0.2, 2), way, "1e-9")
    for k in [2, 200]:
        pushed("\\(k, y, t) -> (ode.stiff_with { relative = 1e-9, absolute = 1e-11 } (\\t y -> -k * (y - cos t)) 0.0 t y).0", relaxed, (k, 0.5, 1), way, "1e-8")
        pushed("\\(k, y, t) -> ode.stiff_at_with { relative = 1e-9, absolute = 1e-11 } (\\t y -> -k * (y - cos t)) 0.0 [0.0, 0.01, t] y", lambda p: [relaxed((p[0], p[1], t)) for t in (0, mpf("0.01"), p[2])], (k, 0.5, 1), way, "1e-8")

    def step(p):
        a, y, h = p
        return list(mp.expm(matrix(combine(lambda x: x * h, a)), method="taylor") * matrix(y))

    pushed("\\(a, y, h) -> (ode.rosenbrock_step (\\_ y -> a @ y) 0.0 h y).0", step, ([[-1, 2], [-0.5, -3]], [1, -2], 0.005), ([[0.5, 1], [1, -1]], [0.25, 1], 0.001), "1e-10")
    runge = lambda z: 1 + z + z**2 / 2 + z**3 / 6 + z**4 / 24  # noqa: E731
    pushed("\\(k, y, t) -> ode.rk4_checkpointed (\\_ y -> k * y) 0.0 t 3 y", lambda p: p[1] * runge(p[0] * p[2] / 3) ** 3, (-1.25, 2, 1.5), way)
    print("-- In closed form: what a tolerance, a beginning and one attempt hang on. Of an attempt the error and the probe are constants.")
    line("(jvp ode.both 0.5 1.0).1", {"relative": 0.1, "absolute": 0.001})
    pushed("\\(a, b, y) -> let p = ode.stiff_begun a b y in (p.t, p.h, p.state.0)", lambda p: (p[0], (p[1] - p[0]) / 1000, p[2]), (1, 3, 5), (1, 0.5, 0.25))
    pushed("\\(a, b, y) -> let p = ode.advanced 4.0 (\\_ h (y, v, l) -> ((y + h * a * y, v, l), 0.5, ())) b (ode.stiff_begun 0.0 b y) in (p.t, p.state.0)", lambda p: (p[1] / 1000, p[2] + p[1] / 1000 * p[0] * p[2]), (2, 1.5, 3), way)
    pushed("\\(a, h, y) -> let ((y, v, _), size, _) = ode.attempted (\\f t h y -> (y + h * f t y, 1e-3 * a * y, ())) (ode.both 0.5) (\\_ y -> a * y) 0.0 h (y, 1.0, 1.0) in [y, v - stop_gradient v, size - stop_gradient size]", lambda p: [p[2] + p[1] * p[0] * p[2], mpf(0), mpf(0)], (2, 0.5, 3), way)


def descended(step):
    """What some steps make of the numbers of a loss, with a state."""

    def go(p):
        c, rate, x = p
        state = None
        for k in range(3):
            x, state = step(k, x, slope(c, x), state, rate)
        return x

    return go


def loss(c, x):
    return (x[0] - c) ** 4 + x[0] * x[1] + 2 * x[1] ** 2


def slope(c, x):
    return [4 * (x[0] - c) ** 3 + x[1], x[0] + 4 * x[1]]


LOSS = "(\\x -> (x[0] - c) ^ 4 + x[0] * x[1] + 2.0 * x[1] ^ 2)"


def root_mean(keep, add):
    """RMSprop, and with `add` of them Adam's means."""

    def step(k, x, g, state, rate):
        s = state or [mpf(0)] * 2
        s = [keep * a + (1 - keep) * b * b for a, b in zip(s, g)]
        return [a - rate / (k + 1) * b / (mp.sqrt(e + mpf("1e-30")) + mpf("1e-8")) for a, b, e in zip(x, g, s)], s

    def adam(k, x, g, state, rate):
        m, s = state or ([mpf(0)] * 2, [mpf(0)] * 2)
        m = [(9 * a + b) / 10 for a, b in zip(m, g)]
        s = [(999 * a + b * b) / 1000 for a, b in zip(s, g)]
        rate = rate / (k + 1)
        far = [a / (1 - mpf("0.9") ** (k + 1)) / (mp.sqrt(b / (1 - mpf("0.999") ** (k + 1)) + mpf("1e-30")) + mpf("1e-8")) for a, b in zip(m, s)]
        return [a - rate * add * a - rate * b for a, b in zip(x, far)], (m, s)

    return step if add is None else adam


def quasi(pairs, g):
    """The approximate inverse Hessian of BFGS as a matrix, times `g`; a pair is a step and a change of the gradient."""
    n = len(g)
    s, y = pairs[-1]
    h = mp.eye(n) * (dot(s, y) / dot(y, y))
    for s, y in pairs:
        s, y = matrix(s), matrix(y)
        rho = 1 / (s.T * y)[0]
        v = mp.eye(n) - rho * y * s.T
        h = v.T * h * v + rho * s * s.T
    return list(h * matrix(g))


def limited(k, x, g, state, rate):
    """L-BFGS without a line search."""
    pairs, last = state or ([], None)
    if last:
        pairs = pairs + [([a - b for a, b in zip(x, last[0])], [a - b for a, b in zip(g, last[1])])]
        step = quasi(pairs, g)
    else:
        length = mp.sqrt(dot(g, g))
        step = [a / max(1, length) for a in g]
    return [a - rate / (k + 1) * b for a, b in zip(x, step)], (pairs, (x, g))


def halved(f, x, g, way):
    """A step length by Armijo's rule."""
    t = mpf(1)
    while f([a + t * b for a, b in zip(x, way)]) > f(x) + t * dot(g, way) / 10000:
        t /= 2
    return t


def searched(steps):
    """L-BFGS with a line search."""

    def go(p):
        c, x = p
        pairs = []
        for _ in range(steps):
            g = slope(c, x)
            way = [-a for a in (quasi(pairs, g) if pairs else g)]
            t = halved(lambda x: loss(c, x), x, g, way)
            after = [a + t * b for a, b in zip(x, way)]
            pairs.append(([a - b for a, b in zip(after, x)], [a - b for a, b in zip(slope(c, after), g)]))
            x = after
        return x

    return go


def residuals(c, x):
    return [10 * (x[1] - x[0] ** 2), 1 - x[0], c * x[0] * x[1]]


def squares(damped, steps):
    """Gauss and Newton's method, or Levenberg and Marquardt's, for `residuals`."""

    def go(p):
        c, x = p
        damping = mpf(1) / 1000
        half = lambda x: dot(residuals(c, x), residuals(c, x)) / 2  # noqa: E731
        for _ in range(steps):
            y, j = matrix(residuals(c, x)), matrix([[-20 * x[0], 10], [-1, 0], [c * x[1], c * x[0]]])
            normal, g = j.T * j, j.T * y
            held = normal + damped * damping * mp.diag([normal[i, i] for i in range(2)])
            way = list(-(held**-1 * g))
            t = mpf(1) if damped else halved(half, x, list(g), way)
            after = [a + t * b for a, b in zip(x, way)]
            fell = half(after) < half(x)
            x, damping = (after, damping / 5) if fell or not damped else (x, damping * 4)
        return x

    return go


def boxed(x, top):
    return [min(max(x[0], 0), top), min(max(x[1], 0), 9)]


def spectral(steps):
    """The spectral projected gradient method in a box."""

    def go(p):
        c, top, x = p
        x, rate = boxed(x, top), mpf(1)
        for _ in range(steps):
            g = slope(c, x)
            way = [a - b for a, b in zip(boxed([a - rate * b for a, b in zip(x, g)], top), x)]
            t = halved(lambda x: loss(c, x), x, g, way)
            after = [a + t * b for a, b in zip(x, way)]
            s, y = [a - b for a, b in zip(after, x)], [a - b for a, b in zip(slope(c, after), g)]
            x, rate = after, dot(s, s) / dot(s, y)
        return x

    return go


def optim():
    print("of_optim")
    at, way = (0.5, 0.125, [1.5, -0.75]), (0.25, 0.0625, [1, -0.5])
    for stepper, step in [("rmsprop_stepper R 0.75", root_mean(mpf("0.75"), None)), ("adam_stepper R", root_mean(0, 0)), ("adamw_stepper R 0.5", root_mean(0, mpf("0.5"))), ("lbfgs_stepper R", limited)]:
        stepper = stepper.replace("R", "(\\k -> r / real (k + 1))")
        pushed(f"\\(c, r, x) -> (optim.train (optim.{stepper}) 3 optim.never (\\_ -> {LOSS}) x).x", descended(step), at, way)
    print("-- Where the gradient is 0, a step goes by the gradient over 1e-8.")
    for stepper in ["rmsprop_stepper (optim.constant 0.125) 0.75", "adam_stepper (optim.constant 0.125)"]:
        line(f"grad (\\g -> let o = optim.{stepper} in (o.update (o.init 1.0) g 1.0).0) 0.0", -mpf("0.125") / (mpf("1e-8") + mpf("1e-15")))
    pushed("\\(r, xs, m) -> (optim.train_batches (optim.sgd_stepper (optim.constant r) 0.0) 3 4 (random.key 1) (\\xs m -> mean [ (x - m) ^ 2 | x <- xs ]) xs m).x", lambda p: mp.fsum(p[1]) / 4 + (p[2] - mp.fsum(p[1]) / 4) * (1 - 2 * p[0]) ** 3, (0.125, [1, 2, 4, 8], 0.5), (1, [0.25, 1, 0, -1], 0.5))
    line("jvp (\\c -> optim.backtrack (\\x -> c * x * x) 1.0 c (-4.0 * c) (-2.0)) 1.5 1.0", (0.5, 0))
    pairs, g = [([1, 0.5], [2, 0.25]), ([0.25, -1], [-0.5, -3])], [4, 6]
    pair_ways, g_way = [([0.5, 1], [0.25, -0.5]), ([1, 0.25], [0.75, 0.5])], [1, -0.5]
    two = "\\(pairs, g) -> optim.two_loop [0.0, 0.0] [ (s, y, 1.0 / dot s y) | (s, y) <- pairs ] 2 g"
    pushed(two, lambda p: quasi(p[0], p[1]), (pairs, g), (pair_ways, g_way))
    at, way = (0.5, [1.5, -0.75]), (0.25, [1, -0.5])
    for steps in [1, 3]:
        pushed(f"\\(c, x) -> (optim.lbfgs_unrolled 1e-9 {steps} {LOSS} x).x", searched(steps), at, way, "1e-12")
        sums = "1e-9 K (\\x -> [10.0 * (x[1] - x[0] ^ 2), 1.0 - x[0], c * x[0] * x[1]]) x).x".replace("K", str(steps))
        pushed(f"\\(c, x) -> (optim.gauss_newton_unrolled {sums}", squares(0, steps), at, way, "1e-11")
        pushed(f"\\(c, x) -> (optim.levenberg_marquardt_unrolled {sums}", squares(1, steps), at, way, "1e-11")
        pushed(f"\\(c, top, x) -> (optim.minimise_within_unrolled 1e-9 {steps} (optim.in_box [0.0, 0.0] [top, 9.0]) {LOSS} x).x", spectral(steps), (0.5, 0.75, [0.25, 0.5]), (0.25, 1, [1, -0.5]), "1e-11")

    def project(p):
        c, top, x = p
        for _ in range(3):
            x = boxed([a - b / 8 for a, b in zip(x, slope(c, x))], top)
        return x

    for top in [0.0625, 5]:
        pushed(f"\\(c, top, x) -> optim.projected_gradient 0.125 3 (optim.in_box [0.0, 0.0] [top, 9.0]) {LOSS} x", project, (0.5, top, [0.25, 0.5]), (0.25, 1, [1, -0.5]))


def bounds():
    print("of_constrained")
    corner = "(\\x -> (x[0] - 3.0) ^ 2 + (x[1] - c * x[0]) ^ 2)"
    for top in [1, 5]:
        pushed(f"\\(c, top) -> (constrained.box_unrolled 1e-10 99 [0.0, 0.0] [top, 99.0] {corner} [0.0, 0.0]).x", lambda p: [min(p[1], 3), p[0] * min(p[1], 3)], (2, top), (0.5, 0.25), "1e-8")


def roots():
    print("of_root")
    pushed("\\(a, b) -> (root.newton_system_unrolled 1e-14 (\\x -> [x[0] + x[1] - a, x[0] * x[1] - b]) [0.5, 3.0]).0", lambda p: [(p[0] + s * mp.sqrt(p[0] ** 2 - 4 * p[1])) / 2 for s in (-1, 1)], (3, 2), (1, -0.5), "1e-12")


for part in (ode, optim, bounds, roots):
    part()
