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


def array_type(rank):
    class Reals(ctypes.Structure):
        _fields_ = [("data", ctypes.POINTER(ctypes.c_double)), ("size", ctypes.c_int64 * rank)]

    return Reals


TYPES = {rank: array_type(rank) for rank in (1, 2, 3)}


def passed(value):
    """A number or an array as the library takes it."""
    if np.ndim(value) == 0:
        return ctypes.c_double(float(value))
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


random = np.random.default_rng(1)
normal = lambda *shape: random.normal(size=shape)
grid = np.stack(np.meshgrid(*[np.arange(6.0)] * 3), -1).reshape(-1, 3) * 1.2
PROGRAMS = [
    (kalman, "4 states, 200 steps", 3, [0.5 * np.eye(4) + 0.1 * normal(4, 4), -1.0, -1.0, normal(2, 4), normal(200, 2)]),
    (attention, "128 tokens of 64", 4, [0.1 * normal(64, 64) for _ in range(4)] + [normal(128, 64), normal(128, 64)]),
    (convolution, "8 filters, 128 by 128", 2, [normal(8, 5, 5), normal(128, 128)]),
    (lennard_jones, "216 atoms", 1, [grid + 0.05 * normal(*grid.shape)]),
    (neural_ode, "32 points, 50 units", 4, [normal(50, 2), normal(50), 0.1 * normal(2, 50), normal(2), normal(32, 2), normal(32, 2)]),
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
