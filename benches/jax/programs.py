"""The examples of the folder `programs` in JAX, for gradients.pull."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from harness import Row

FLOW = np.array(
    """1120 1160 963 1210 1160 1160 813 1230 1370 1140 995 935 1110 994 1020 960 1180 799 958 1140 1100 1210 1150 1250
    1260 1220 1030 1100 774 840 874 694 940 833 701 916 692 1020 1050 969 831 726 456 824 702 1120 1100 832 764 821 768
    845 864 862 698 845 744 796 1040 759 781 865 845 944 984 897 822 1010 771 676 649 846 812 742 801 1040 860 874 848
    890 744 749 838 1050 918 986 797 923 975 815 1020 906 901 1170 912 746 919 718 714 740""".split(),
    float,
)


def kalman(p):
    step, look = jnp.eye(1), jnp.ones(1)
    noise, drift = jnp.exp(p[0]), jnp.exp(p[1]) * jnp.eye(1)

    def filtered(carried, y):
        mean, cov, total = carried
        mean, cov = step @ mean, step @ cov @ step.T + drift
        across = cov @ look
        spread = look @ across + noise
        surprise = y - look @ mean
        total += jax.scipy.stats.norm.logpdf(surprise, 0.0, jnp.sqrt(spread))
        return (mean + surprise / spread * across, cov - jnp.outer(across, across) / spread, total), None

    start = (jnp.array(FLOW[:1]), noise * jnp.eye(1), 0.0)
    return -lax.scan(filtered, start, jnp.array(FLOW[1:]))[0][2]


def bars():
    """The twelve images of the example, and which of them stand."""
    i, j = np.indices((6, 6))
    images = []
    for k in range(12):
        along, across = (i, j) if k % 2 else (j, i)
        images.append(np.where(across == k // 2, 1 - 0.1 * along, 0))
    return np.array(images), np.arange(12) % 2


def convolution(kernels, shift, out, bias):
    images, labels = bars()
    seen = lax.conv_general_dilated(jnp.array(images)[:, None], kernels, (1, 1), "VALID")
    seen = jax.nn.relu(seen + shift[:, None, None])
    pooled = jnp.max(seen.reshape(12, 2, 2, 2, 2, 2), axis=(3, 5))
    said = jax.nn.log_softmax(pooled.reshape(12, -1) @ out.T + bias, axis=1)
    return -jnp.mean(said[jnp.arange(12), labels])


def pendulum(x, u):
    speed = x[1] + 0.05 * (u[0] - 9.81 * jnp.sin(x[0]) - 0.1 * x[1])
    return jnp.array([x[0] + 0.05 * speed, speed])


def on_the_way(x, u):
    return 0.005 * u @ u


def at_the_end(x):
    return 50 * (x[0] - jnp.pi) ** 2 + 5 * x[1] ** 2


def roll(start, us):
    def step(carried, u):
        x, total = carried
        return (pendulum(x, u), total + on_the_way(x, u)), x

    (end, total), xs = lax.scan(step, (start, 0.0), us)
    return xs, end, total + at_the_end(end)


def gains(damping, xs, end, us):
    # The linear and quadratic parts do not wait for each other.
    a, b = jax.vmap(jax.jacfwd(pendulum, (0, 1)))(xs, us)
    (gx, gu) = jax.vmap(jax.grad(on_the_way, (0, 1)))(xs, us)
    (hxx, _), (hux, huu) = jax.vmap(jax.hessian(on_the_way, (0, 1)))(xs, us)

    def back(carried, parts):
        v, w = carried
        a, b, gx, gu, hxx, hux, huu = parts
        qx, qu = gx + a.T @ v, gu + b.T @ v
        qxx, qux = hxx + a.T @ w @ a, hux + b.T @ w @ a
        quu = huu + b.T @ (w + damping * jnp.eye(2)) @ b
        change, gain = -jnp.linalg.solve(quu, qu), -jnp.linalg.solve(quu, qux)
        v = qx + gain.T @ (qu + quu @ change) + qux.T @ change
        return (v, qxx + gain.T @ quu @ gain + gain.T @ qux + qux.T @ gain), (change, gain)

    start = (jax.grad(at_the_end)(end), jax.hessian(at_the_end)(end))
    return lax.scan(back, start, (a, b, gx, gu, hxx, hux, huu), reverse=True)[1]


def follow(rate, plan, xs, us):
    def step(x, parts):
        (change, gain), seen, u = parts
        u = u + rate * change + gain @ (x - seen)
        return pendulum(x, u), u

    return lax.scan(step, xs[0], (plan, xs, us))[1]


def improve(start, us):
    xs, end, cost = roll(start, us)
    plan = gains(1e-3, xs, end, us)
    # The rate is a constant of the derivative, so the search may be a loop that ends by its data.
    held = lax.stop_gradient((start, us, xs, plan, cost))

    def worse(rate):
        start, us, xs, plan, cost = held
        return (rate > 1e-6) & ~(roll(start, follow(rate, plan, xs, us))[2] < cost)

    rate = lax.while_loop(worse, lambda rate: 0.5 * rate, 1.0)
    return jnp.where(rate > 1e-6, follow(rate, plan, xs, us), us)


def ilqr(p):
    us = jnp.where((jnp.arange(60) // 20 == 1)[:, None], -2.0, 2.0)
    us = lax.scan(lambda us, _: (improve(p, us), None), us, None, 3)[0]
    return roll(p, us)[2]


# Programs of the interpreter are data of Python: JAX goes through them when it traces.


def evaluated(e, variables):
    kind, *parts = e
    if kind == "Number":
        return parts[0]
    if kind == "Variable":
        return variables[parts[0]]
    if kind == "Plus":
        return evaluated(parts[0], variables) + evaluated(parts[1], variables)
    if kind == "Times":
        return evaluated(parts[0], variables) * evaluated(parts[1], variables)
    if kind == "Call":
        function = {"exp": jnp.exp, "sin": jnp.sin, "recip": lambda x: 1 / x}[parts[0]]
        return function(evaluated(parts[1], variables))
    if kind == "Repeat":
        count, body, start = parts
        step = lambda x, _: (evaluated(body, (x, *variables)), None)
        return lax.scan(step, jnp.asarray(evaluated(start, variables)), None, count)[0]
    raise ValueError(kind)


QUOTIENT = ("Times", ("Variable", 1), ("Call", "recip", ("Variable", 0)))
HERON = ("Repeat", 10, ("Times", ("Number", 0.5), ("Plus", ("Variable", 0), QUOTIENT)), ("Number", 1.0))


def interpreter(p):
    return evaluated(HERON, (p,))


def curve(a, b, c):
    power = ("Times", ("Number", b), ("Variable", 0))
    return ("Plus", ("Times", ("Number", a), ("Call", "exp", power)), ("Number", c))


def interpreted_curve(p):
    xs = (jnp.linspace(0.0, 1.0, 11),)
    return jnp.mean((evaluated(curve(*p), xs) - evaluated(curve(2.0, -1.0, 0.5), xs)) ** 2)


def learning_to_learn(rate, keep, goals):
    rate, keep = jnp.exp(rate), jax.nn.sigmoid(keep)

    def loss(goal, x):
        off = x - goal
        return 0.5 * jnp.array([8.0, 1.0]) @ (off * off) + 0.1 * jnp.sum(jnp.cos(3 * off))

    def step(carried, _):
        x, speed = carried
        speed = keep * speed - rate * jax.vmap(jax.grad(loss, 1))(goals, x)
        return (x + speed, speed), None

    x = lax.scan(step, (jnp.zeros_like(goals), jnp.zeros_like(goals)), None, 15)[0][0]
    return jnp.mean(jax.vmap(loss)(goals, x))


def learning(rate, keep):
    return learning_to_learn(rate, keep, jnp.array([[1.0, -1.0], [0.5, 2.0], [-1.5, 0.25]]))


def energy(places):
    i, j = np.tril_indices(places.shape[0], -1)
    d = places[i] - places[j]
    s = 1 / jnp.sum(d * d, axis=1) ** 3
    return jnp.sum(4 * (s * s - s))


def simulated(dt, steps, places):
    force = lambda places: -jax.grad(energy)(places)

    def step(carried, _):
        places, speeds, f = carried
        half = speeds + 0.5 * dt * f
        places = places + dt * half
        f = force(places)
        return (places, half + 0.5 * dt * f, f), None

    return lax.scan(step, (places, jnp.zeros_like(places), force(places)), None, steps)[0][:2]


def molecular_dynamics(p):
    places, _ = simulated(0.01, 200, jnp.zeros((2, 3)).at[1, 0].set(p))
    return jnp.linalg.norm(places[0] - places[1])


# Rays, many at a time: what misses is infinitely far away.


def met_sphere(start, way, centre, radius):
    off = start - centre
    along = jnp.sum(off * way, axis=1)
    inside = along**2 - jnp.sum(off * off, axis=1) + radius**2
    t = -along - jnp.sqrt(jnp.where(inside < 0, 1.0, inside))
    hits = (inside >= 0) & (t >= 1e-6)
    return jnp.where(hits, t, jnp.inf), (off + jnp.where(hits, t, 0.0)[:, None] * way) / radius


def met_floor(start, way, height):
    t = (height - start[:, 1]) / way[:, 1]
    normal = jnp.broadcast_to(jnp.array([0.0, 1.0, 0.0]), way.shape)
    return jnp.where(jnp.isfinite(t) & (t > 1e-6), t, jnp.inf), normal


def nearest(start, way):
    hits = [
        met_sphere(start, way, jnp.array([0.0, 0.0, 2.0]), 1.0),
        met_sphere(start, way, jnp.array([-1.0, -0.6, 1.0]), 0.4),
        met_floor(start, way, -1.0),
    ]
    distances = jnp.stack([distance for distance, _ in hits])
    first = jnp.argmin(distances, axis=0)
    normals = jnp.stack([normal for _, normal in hits])
    return jnp.min(distances, axis=0), jnp.take_along_axis(normals, first[None, :, None], axis=0)[0]


def picture(n, lamp):
    i, j = np.indices((n, n)).reshape(2, -1)
    way = np.stack([j + 0.5 - 0.5 * n, 0.5 * n - i - 0.5, np.full(n * n, float(n))], axis=1)
    way = jnp.array(way / np.linalg.norm(way, axis=1, keepdims=True))
    start = jnp.array([0.0, 0.0, -2.0])
    distance, normal = nearest(jnp.broadcast_to(start, way.shape), way)
    hits = jnp.isfinite(distance)
    spot = start + jnp.where(hits, distance, 1.0)[:, None] * way
    to_lamp = lamp - spot
    far = jnp.linalg.norm(to_lamp, axis=1)
    light = to_lamp / far[:, None]
    between, _ = nearest(spot + 1e-6 * normal, light)
    lit = 0.1 + 0.9 * jnp.maximum(0.0, jnp.sum(normal * light, axis=1))
    return jnp.where(hits, jnp.where(between < far, 0.1, lit), 0.0)


def ray_tracing(p, n=8):
    return jnp.sum((picture(n, p) - picture(n, jnp.array([2.0, 3.0, -1.0]))) ** 2)


def variational(mean, width, noise):
    effects = jnp.array([28.0, 8.0, -3.0, 7.0, -1.0, 1.0, 18.0, 12.0])
    errors = jnp.array([15.0, 10.0, 16.0, 11.0, 9.0, 11.0, 10.0, 18.0])
    density = jax.scipy.stats.norm.logpdf
    fixed_mean, fixed_width = lax.stop_gradient((mean, jnp.exp(width)))

    def gain(z):
        x = mean + jnp.exp(width) * z
        schools = jnp.sum(density(effects, x[0], jnp.hypot(errors, jnp.exp(x[1]))))
        joint = density(x[0], 0.0, 10.0) + density(x[1], 1.0, 1.0) + schools
        return joint - jnp.sum(density(x, fixed_mean, fixed_width))

    return jnp.mean(jax.vmap(gain)(noise))


random = np.random.default_rng(3)
normal = lambda *shape: random.normal(size=shape)

ROWS = [
    Row(kalman, "100 years", [np.array([9.6, 7.3])], 1),
    Row(convolution, "12 images", [0.5 * normal(2, 1, 3, 3), np.array([0.1, 0.2]), 0.5 * normal(2, 8), np.zeros(2)], 4),
    Row(variational, "10 draws", [np.array([5.0, 1.0]), np.array([1.0, -0.5]), normal(10, 2)], 2),
    Row(ilqr, "3 rounds of 60 steps, by the start", [np.zeros(2)], 1),
    Row(molecular_dynamics, "2 atoms, 200 steps", [1.3], 1),
    Row(ray_tracing, "64 pixels, by the lamp", [np.array([1.0, 4.0, -2.0])], 1),
    Row(interpreter, "10 of Heron's steps", [2.0], 1),
    Row(interpreted_curve, "11 points, by 3 constants", [np.array([1.0, -0.5, 0.0])], 1),
    Row(learning, "3 descents of 15 steps", [-4.0, -2.0], 2, name="learning_to_learn"),
]
