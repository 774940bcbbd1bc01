"""Programs of models.pull beside JAX, on the CPU, in double precision: README.md says how to run this.

Each is measured in this one process: value and gradient, JAX jitted and blocked, Pullback by its library for C.
"""

import ctypes
import sys
import time

import jax
import jax.numpy as jnp
import numpy as np

jax.config.update("jax_enable_x64", True)
library = ctypes.CDLL(sys.argv[1])
library.models_open.restype = ctypes.c_void_p
library.models_message.restype = ctypes.c_char_p
context = ctypes.c_void_p(library.models_open())


def array_type(rank, element):
    class Array(ctypes.Structure):
        _fields_ = [("data", ctypes.POINTER(element)), ("size", ctypes.c_int64 * rank)]

    return Array


TYPES = {rank: array_type(rank, ctypes.c_double) for rank in (1, 2, 3)}
INTS = array_type(1, ctypes.c_int64)


def passed(value):
    """A number or an array as the library takes it."""
    if np.ndim(value) == 0:
        return ctypes.c_double(float(value))
    if value.dtype == np.int64:
        return INTS(value.ctypes.data_as(ctypes.POINTER(ctypes.c_int64)), (ctypes.c_int64 * 1)(len(value)))
    pointer = value.ctypes.data_as(ctypes.POINTER(ctypes.c_double))
    return TYPES[value.ndim](pointer, (ctypes.c_int64 * value.ndim)(*value.shape))


def ours(name, args, moving):
    """A call of value and gradient, and what reads its results."""
    value = ctypes.c_double()
    bars = [ctypes.c_double() if np.ndim(a) == 0 else TYPES[np.ndim(a)]() for a in args[:moving]]
    given = [passed(a) for a in args] + [ctypes.byref(value)] + [ctypes.byref(bar) for bar in bars]
    function = getattr(library, f"models_{name}_grad")

    def call():
        if function(context, *given) != 0:
            raise SystemExit(library.models_message(context).decode())

    def results():
        read = [
            bar.value if isinstance(bar, ctypes.c_double) else np.ctypeslib.as_array(bar.data, tuple(bar.size))
            for bar in bars
        ]
        return value.value, read

    return call, results


def median(call):
    call()
    times, begin = [], time.perf_counter()
    while len(times) < 10 or time.perf_counter() - begin < 0.5:
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return sorted(times)[len(times) // 2]


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
    step = 0.01

    def moved(y, _):
        k1 = field(y)
        k2 = field(y + 0.5 * step * k1)
        k3 = field(y + 0.5 * step * k2)
        k4 = field(y + step * k3)
        return y + step / 6 * (k1 + 2 * k2 + 2 * k3 + k4), None

    return jnp.sum((jax.lax.scan(moved, start, None, 100)[0] - goal) ** 2)


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
PROGRAMS = [
    (kalman, "4 states, 200 steps", 3, [0.5 * np.eye(4) + 0.1 * normal(4, 4), -1.0, -1.0, normal(2, 4), normal(200, 2)]),
    (attention, "128 tokens of 64", 4, [0.1 * normal(64, 64) for _ in range(4)] + [normal(128, 64), normal(128, 64)]),
    (convolution, "8 filters, 128 by 128", 2, [normal(8, 5, 5), normal(128, 128)]),
    (lennard_jones, "216 atoms", 1, [grid + 0.05 * normal(*grid.shape)]),
    (neural_ode, "32 points, 50 units", 4, [normal(50, 2), normal(50), 0.1 * normal(2, 50), normal(2), normal(32, 2), normal(32, 2)]),
    (logistic, "150 flowers", 2, [normal(3, 4), normal(3), normal(150, 4), random.integers(0, 3, 150)]),
    (gaussian_process, "19 readings", 3, [0.1, 0.2, -2.0, np.linspace(-1, 1, 19), normal(19)]),
    (hidden_markov, "107 years", 2, [np.array([2.7, 3.2]), np.array([2.0, 2.0]), random.poisson(19, 107)]),
    (lstm, "128 letters, 16 units", 5, [0.3 * normal(*s) for s in [(4, 16, 27), (4, 16, 16), (4, 16), (27, 16), (27,)]] + [random.integers(0, 27, 128)]),
    (asian, "10,000 courses", 4, [100.0, 0.2, 0.05, 0.5, normal(10000, 12)]),
    (transformer, "13 letters", 6, [0.6 * normal(*s) for s in [(5, 4), (4, 4), (4, 4), (4, 4), (8, 4), (4, 8)]] + [random.integers(0, 5, 13)]),
]

print(f"{'program':<16}{'input':<24}{'JAX':>12}{'Pullback':>12}{'ratio':>8}")
for function, what, moving, args in PROGRAMS:
    name = function.__name__
    args = [a if np.ndim(a) == 0 else np.ascontiguousarray(a) for a in args]
    derivative = jax.jit(jax.value_and_grad(function, argnums=tuple(range(moving))))
    there = [jnp.asarray(a) for a in args]
    theirs = median(lambda: jax.block_until_ready(derivative(*there)))
    call, results = ours(name, args, moving)
    own = median(call)
    value, bars = results()
    expected, expected_bars = derivative(*there)
    for found, wanted in zip([value] + bars, [expected] + list(expected_bars)):
        np.testing.assert_allclose(found, wanted, rtol=1e-8, atol=1e-8 * np.abs(wanted).max())
    print(f"{name:<16}{what:<24}{1e6 * theirs:>9.1f} µs{1e6 * own:>9.1f} µs{own / theirs:>8.2f}", flush=True)
