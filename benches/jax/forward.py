"""The examples whose loops end by their data in JAX, for forward.pull: JAX has forward mode only for them."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from harness import Row


def logistic_regression(ridge):
    temperatures = jnp.array(
        [66.0, 70, 69, 68, 67, 72, 73, 70, 57, 63, 70, 78, 67, 53, 67, 75, 70, 81, 76, 79, 75, 76, 58]
    )
    signs = jnp.full(23, -1.0).at[jnp.array([1, 8, 9, 10, 13, 20, 22])].set(1.0)

    def fit(ridge):
        def loss(w):
            odds = w[0] + w[1] * (temperatures - 70) / 10
            return -jnp.sum(jax.nn.log_sigmoid(signs * odds)) + 0.5 * ridge * w @ w

        def step(carried):
            w, g, k = carried
            w = w - jnp.linalg.solve(jax.hessian(loss)(w), g)
            return w, jax.grad(loss)(w), k + 1

        start = jnp.zeros(2)
        go_on = lambda carried: (carried[2] < 50) & (jnp.linalg.norm(carried[1]) > 1e-12)
        return jnp.sum(lax.while_loop(go_on, step, (start, jax.grad(loss)(start), 0))[0])

    return jax.jvp(fit, (ridge,), (1.0,))


HARES = np.array(
    [30, 47.2, 70.2, 77.4, 36.3, 20.6, 18.1, 21.4, 22, 25.4, 27.1]
    + [40.3, 57, 76.6, 52.3, 19.5, 11.2, 7.6, 14.6, 16.2, 24.7]
)
LYNXES = np.array(
    [4, 6.1, 9.8, 35.2, 59.4, 41.7, 19, 13, 8.3, 9.1, 7.4, 8, 12.3, 19.5, 45.7, 51.1, 29.7, 15.8, 9.7, 10.1, 8.6]
)


def dormand_prince(f, h, y):
    """The state after a step, its error, and the four parts of the polynomial between."""
    k1 = f(y)
    k2 = f(y + h / 5 * k1)
    k3 = f(y + h * (3 / 40 * k1 + 9 / 40 * k2))
    k4 = f(y + h * (44 / 45 * k1 - 56 / 15 * k2 + 32 / 9 * k3))
    k5 = f(y + h * (19372 / 6561 * k1 - 25360 / 2187 * k2 + 64448 / 6561 * k3 - 212 / 729 * k4))
    k6 = f(y + h * (9017 / 3168 * k1 - 355 / 33 * k2 + 46732 / 5247 * k3 + 49 / 176 * k4 - 5103 / 18656 * k5))
    move = h * (35 / 384 * k1 + 500 / 1113 * k3 + 125 / 192 * k4 - 2187 / 6784 * k5 + 11 / 84 * k6)
    k7 = f(y + move)
    error = h * (
        71 / 57600 * k1 - 71 / 16695 * k3 + 71 / 1920 * k4 - 17253 / 339200 * k5 + 22 / 525 * k6 - 1 / 40 * k7
    )
    bend = h * k1 - move
    last = h * (
        -12715105075 / 11282082432 * k1
        + 87487479700 / 32700410799 * k3
        - 10690763975 / 1880347072 * k4
        + 701980252875 / 199316789632 * k5
        - 1453857185 / 822651844 * k6
        + 69997945 / 29380423 * k7
    )
    return y + move, error, jnp.stack([move, bend, move - h * k7 - bend, last])


def adaptive_at(tolerance, f, ts, y):
    """The states at ascending times from 0 on: a loop for each time around one for the steps up to it."""
    end = ts[-1]

    def step(place):
        t, y, h, _, _, _ = place
        last = h >= end - t
        h = jnp.where(last, end - t, h)
        after, error, between = dormand_prince(f, h, y)
        size = lax.stop_gradient(jnp.linalg.norm(lax.stop_gradient(error)))
        factor = jnp.where(size == 0, 5.0, jnp.clip(0.9 * (tolerance / size) ** 0.2, 0.2, 5.0))
        accepted = (jnp.where(last, end, t + h), after, h * factor, t, y, between)
        return jax.tree.map(lambda a, b: jnp.where(size <= tolerance, a, b), accepted, (t, y, h * factor, *place[3:]))

    def at(place, t):
        place = lax.while_loop(lambda place: place[0] < t, step, place)
        now, y, _, since, before, (a, b, c, d) = place
        length = now - since
        theta = jnp.where(length == 0, 1.0, (t - since) / jnp.where(length == 0, 1.0, length))
        rest = 1 - theta
        inside = before + theta * (a + rest * (b + theta * (c + rest * d)))
        return place, jnp.where(length == 0, y, inside)

    start = (0.0, y, 0.01 * end, 0.0, y, jnp.zeros((4, *y.shape)))
    return lax.scan(at, start, ts)[1]


def lotka_volterra(p):
    def residuals(p):
        rates = jnp.exp(p[:4])
        change = lambda y: jnp.array([(rates[0] - rates[1] * y[1]) * y[0], (rates[3] * y[0] - rates[2]) * y[1]])
        course = adaptive_at(1e-8, change, jnp.arange(21.0), jnp.exp(p[4:]))
        return jnp.concatenate([jnp.log(course[:, 0] / HARES), jnp.log(course[:, 1] / LYNXES)])

    return jax.jacfwd(residuals)(p)


def training(right):
    def trained(right):
        loss = lambda w: (right - w * 2.0) ** 2
        step = lambda w: w - 0.05 * jax.grad(loss)(w)
        return lax.while_loop(lambda w: loss(w) >= 1e-24, step, 0.0)

    return jax.jvp(trained, (right,), (1.0,))


def training_many(rights):
    return jax.vmap(training)(rights)


def forward(f, x):
    """The value and the gradient by forward mode."""
    directions = [jax.jvp(f, (x,), (v,)) for v in jnp.eye(x.shape[0])]
    return directions[0][0], jnp.stack([slope for _, slope in directions])


def reverse(f, x):
    return jax.value_and_grad(f)(x)


def argmin_of(differentiate, f, start):
    """A point near `start` where `f` is least. Ten good steps double the step size, a bad one halves it."""

    def step(carried):
        x, fx, gx, eta, i, _ = carried
        eta, i = jnp.where(i == 10, 2 * eta, eta), jnp.where(i == 10, 0, i)
        after = x - eta * gx
        done = jnp.linalg.norm(lax.stop_gradient(x - after)) <= 1e-5
        f_after, g_after = differentiate(f, after)
        good = f_after < fx
        keep = lambda a, b: jnp.where(good & ~done, a, b)
        i = jnp.where(good, i + 1, 0)
        return keep(after, x), keep(f_after, fx), keep(g_after, gx), jnp.where(good | done, eta, eta / 2), i, done

    def go_on(carried):
        _, _, gx, _, _, done = carried
        return ~done & (jnp.linalg.norm(gx) > 1e-5)

    return lax.while_loop(go_on, step, (start, *differentiate(f, start), 1e-5, 0, False))[0]


def argmax_of(differentiate, f, start):
    return argmin_of(differentiate, lambda x: -f(x), start)


def flight(differentiate, w):
    charges = jnp.array([[10.0, 10.0], [10.0, 0.0]]) - jnp.array([[0.0, 1.0], [0.0, 0.0]]) * w
    potential = lambda x: jnp.sum(1 / jnp.linalg.norm(x - charges, axis=1))

    def step(carried):
        x, v = carried
        _, slope = differentiate(potential, x)
        return x + 0.1 * v, v - 0.1 * slope

    go_on = lambda carried: carried[0][1] + 0.1 * carried[1][1] > 0
    x, v = lax.while_loop(go_on, step, (jnp.array([0.0, 8.0]), jnp.array([0.75, 0.0])))
    return (x[0] - x[1] / v[1] * v[0]) ** 2


def landing(w):
    return jax.jvp(lambda w: flight(reverse, w), (w,), (1.0,))


def particle(outer, inner):
    return lambda w: argmin_of(outer, lambda p: flight(inner, p[0]), jnp.reshape(w, 1))[0]


def saddle(outer, inner):
    def height(x, y):
        return x @ x - y @ y

    def solve(start):
        highest = lambda x: argmax_of(inner, lambda y: height(x, y), start)
        x = argmin_of(outer, lambda x: height(x, highest(x)), start)
        return jnp.concatenate([x, highest(x)])

    return solve


START = np.array([1.0, 1.0])
FALL, CLIMB = "descent over flights", "descent over ascents"

ROWS = [
    Row(logistic_regression, "23 flights, forward", [0.1]),
    Row(lotka_volterra, "21 years, Jacobian, forward", [np.log([0.5, 0.025, 0.9, 0.025, 30.0, 4.0])]),
    Row(training, "a target, forward", [6.0]),
    Row(training_many, "10,000 targets, forward", [6.0 + np.linspace(0, 1, 10000)]),
    Row(landing, "a flight, forward", [0.1]),
    Row(particle(forward, forward), FALL, [0.0], name="particle_ff"),
    Row(particle(forward, reverse), FALL, [0.0], name="particle_fr"),
    Row(None, FALL, [0.0], name="particle_rf"),
    Row(None, FALL, [0.0], name="particle_rr"),
    Row(saddle(forward, forward), CLIMB, [START], name="saddle_ff"),
    Row(saddle(forward, reverse), CLIMB, [START], name="saddle_fr"),
    Row(None, CLIMB, [START], name="saddle_rf"),
    Row(None, CLIMB, [START], name="saddle_rr"),
]
