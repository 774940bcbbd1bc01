"""Programs of models.pull beside JAX, on the CPU, in double precision: README.md says how to run this.

Arguments: the library of models.pull, and perhaps the names of the rows to measure.
"""

import sys

import jax
import jax.numpy as jnp
import numpy as np

from harness import Library, Row, table
from steps import runge_kutta


def kalman(a, q, r, c, ys):
    eye = jnp.eye(a.shape[0])

    def step(state, y):
        total, x, p = state
        x = a @ x
        p = a @ p @ a.T + jnp.exp(q) * eye
        e = y - c @ x
        pc = p @ c.T
        s = c @ pc + jnp.exp(r) * jnp.eye(2)
        d = s[0, 0] * s[1, 1] - s[0, 1] * s[1, 0]
        inverse = jnp.array([[s[1, 1], -s[0, 1]], [-s[1, 0], s[0, 0]]]) / d
        gain = pc @ inverse
        return (total - 0.5 * (jnp.log(d) + e @ inverse @ e), x + gain @ e, p - gain @ pc.T), None

    return jax.lax.scan(step, (0.0, jnp.zeros(a.shape[0]), eye), ys)[0][0]


def attention(wq, wk, wv, wo, x, target):
    scores = (x @ wq) @ (x @ wk).T
    weights = jax.nn.softmax(scores / jnp.sqrt(x.shape[1]), axis=1)
    return jnp.sum(weights @ (x @ wv) @ wo * target)


def convolution(filters, image):
    out = jax.lax.conv_general_dilated(image[None, None], filters[:, None], (1, 1), "VALID")
    return jnp.sum(jax.nn.relu(out) ** 2)


def lennard_jones(x):
    i, j = np.tril_indices(x.shape[0], -1)
    d = x[i] - x[j]
    s = 1 / jnp.sum(d * d, axis=1)
    s6 = s * s * s
    return jnp.sum(4 * (s6 * s6 - s6))


def neural_ode(w1, b1, w2, b2, start, goal):
    field = lambda y: jnp.tanh(y @ w1.T + b1) @ w2.T + b2
    moved = jax.lax.scan(lambda y, _: (runge_kutta(field, y, 0.01), None), start, None, 100)[0]
    return jnp.sum((moved - goal) ** 2)


def logistic(weights, bias, xs, labels):
    said = jax.nn.log_softmax(xs @ weights.T + bias, axis=1)
    return -jnp.mean(said[jnp.arange(xs.shape[0]), labels])


def gaussian_process(height, width, noise, xs, ys):
    a, b = xs[:, None], xs[None, :]
    covariance = 4 * a * b + jnp.exp(2 * height - 0.5 * ((a - b) / jnp.exp(width)) ** 2)
    l = jnp.linalg.cholesky(covariance + jnp.exp(2 * noise) * jnp.eye(xs.shape[0]))
    z = jax.scipy.linalg.solve_triangular(l, ys, lower=True)
    n = xs.shape[0]
    return 0.5 * z @ z + jnp.sum(jnp.log(jnp.diag(l))) + 0.5 * n * jnp.log(2 * jnp.pi)


def hidden_markov(rates, stay, counts):
    steps = jax.nn.log_softmax(jnp.diag(stay), axis=1)
    k = counts[:, None]
    evidence = k * rates - jnp.exp(rates) - jax.scipy.special.gammaln(k + 1.0)
    balance = jax.nn.log_softmax(jnp.array([steps[1, 0], steps[0, 1]]))

    def go(a, e):
        return jax.scipy.special.logsumexp(a[:, None] + steps, axis=0) + e, None

    return -jax.scipy.special.logsumexp(jax.lax.scan(go, balance + evidence[0], evidence[1:])[0])


def lstm(letter, hidden, bias, out, score, text):
    def read(carried, pair):
        total, state, memory = carried
        a, b = pair
        gates = letter[:, :, a] + hidden @ state + bias
        keep, take, give = jax.nn.sigmoid(gates[0]), jax.nn.sigmoid(gates[1]), jax.nn.sigmoid(gates[2])
        memory = keep * memory + take * jnp.tanh(gates[3])
        state = give * jnp.tanh(memory)
        return (total + jax.nn.log_softmax(out @ state + score)[b], state, memory), None

    zero = jnp.zeros(hidden.shape[1])
    (total, _, _), _ = jax.lax.scan(read, (0.0, zero, zero), (text[:-1], text[1:]))
    return -total / (text.shape[0] - 1)


def asian(spot, volatility, rate, time, shocks):
    dt = time / 12
    logs = jnp.cumsum((rate - 0.5 * volatility**2) * dt + volatility * jnp.sqrt(dt) * shocks, axis=1)
    pay = jnp.maximum(0, jnp.mean(spot * jnp.exp(logs), axis=1) - 105)
    return jnp.exp(-rate * time) * jnp.mean(pay)


def transformer(letters, query, key, value, widen, narrow, text):
    t, d = text.shape[0], query.shape[0]

    def normalised(x):
        centred = x - jnp.mean(x, axis=1, keepdims=True)
        return centred / jnp.sqrt(jnp.mean(centred**2, axis=1, keepdims=True) + 1e-5)

    i, k = jnp.arange(t)[:, None], jnp.arange(d)[None, :]
    xs = letters[text] + jnp.sin(i / 10 ** (k / d) + k)
    seen = normalised(xs)
    scores = (seen @ query.T) @ (seen @ key.T).T / jnp.sqrt(d)
    weights = jax.nn.softmax(jnp.where(jnp.tril(jnp.ones((t, t), bool)), scores, -jnp.inf), axis=1)
    xs = xs + weights @ (seen @ value.T)
    xs = xs + jnp.tanh(normalised(xs) @ widen.T) @ narrow.T
    said = jax.nn.log_softmax(normalised(xs) @ letters.T, axis=1)
    return -jnp.mean(said[jnp.arange(t - 1), text[1:]])


random = np.random.default_rng(1)
normal = lambda *shape: random.normal(size=shape)
grid = np.stack(np.meshgrid(*[np.arange(6.0)] * 3), -1).reshape(-1, 3) * 1.2


def shaped(scale, *shapes):
    """Random weights."""
    return [scale * normal(*shape) for shape in shapes]


FLIGHT = [0.5 * np.eye(4) + 0.1 * normal(4, 4), -1.0, -1.0, normal(2, 4), normal(200, 2)]
HEADS = shaped(0.1, *[(64, 64)] * 4) + [normal(128, 64), normal(128, 64)]
FIELD = [normal(50, 2), normal(50), 0.1 * normal(2, 50), normal(2), normal(32, 2), normal(32, 2)]
FLOWERS = [normal(3, 4), normal(3), normal(150, 4), random.integers(0, 3, 150)]
READINGS = [[0.1, 0.2, -2.0, np.linspace(-1, 1, n), np.cos(9.0 * np.arange(n) ** 2)] for n in (19, 200, 500)]
QUAKES = [np.array([2.7, 3.2]), np.array([2.0, 2.0]), random.poisson(19, 107)]
TEXT = shaped(0.3, (4, 16, 27), (4, 16, 16), (4, 16), (27, 16), (27,)) + [random.integers(0, 27, 128)]
PHRASE = shaped(0.6, (5, 4), (4, 4), (4, 4), (4, 4), (8, 4), (4, 8)) + [random.integers(0, 5, 13)]

ROWS = [
    Row(kalman, "4 states, 200 steps", FLIGHT, 3),
    Row(attention, "128 tokens of 64", HEADS, 4),
    Row(convolution, "8 filters, 128 by 128", [normal(8, 5, 5), normal(128, 128)], 2),
    Row(lennard_jones, "216 atoms", [grid + 0.05 * normal(*grid.shape)], 1),
    Row(neural_ode, "32 points, 50 units", FIELD, 4),
    Row(logistic, "150 flowers", FLOWERS, 2),
    *[Row(gaussian_process, f"{len(r[3])} readings", r, 3) for r in READINGS],
    Row(hidden_markov, "107 years", QUAKES, 2),
    Row(lstm, "128 letters, 16 units", TEXT, 5),
    Row(asian, "10,000 courses", [100.0, 0.2, 0.05, 0.5, normal(10000, 12)], 4),
    Row(transformer, "13 letters", PHRASE, 6),
]

if __name__ == "__main__":
    table(Library(sys.argv[1]), ROWS, sys.argv[2:])
