"""Programs of dense.pull beside JAX, value with gradient, on the CPU in double precision.

    pullback build benches/dense/dense.pull --emit so --derivatives grad -o out \\
      --wrt a,b,x,w1,b1,w2,b2,wz,uz,wr,ur,wn,un,weight,ws,wt
    taskset -c 0 python3 benches/dense/measure.py out/dense.so [ROW...]

Arguments: the library, and perhaps the names of the rows to measure.
"""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent.parent / "jax"))

import jax
import jax.numpy as jnp
import numpy as np

from harness import Library, Row, table


def product_sum(a, b):
    return jnp.sum(a @ b)


def square_sum(a):
    return jnp.sum(a @ a)


def square_norm(a):
    return jnp.sum((a @ a) ** 2)


def gram_norm(x):
    return jnp.sum((x.T @ x) ** 2)


def network(w1, b1, w2, b2, x, y):
    said = jax.nn.log_softmax(jnp.tanh(x @ w1 + b1) @ w2 + b2, axis=1)
    return -jnp.mean(said[jnp.arange(y.shape[0]), y])


def gated(wz, uz, wr, ur, wn, un, xs):
    def step(s, x):
        z = jax.nn.sigmoid(x @ wz + s @ uz)
        r = jax.nn.sigmoid(x @ wr + s @ ur)
        n = jnp.tanh(x @ wn + (r * s) @ un)
        return z * s + (1 - z) * n, None

    last = jax.lax.scan(step, jnp.zeros((xs.shape[1], uz.shape[0])), xs)[0]
    return jnp.sum(last * last)


def messages(x, weight, origin, to):
    got = jnp.zeros_like(x).at[to].add(weight * jnp.tanh(x[origin]))
    return jnp.sum(got * got)


def graph(w1, w2, x, origin, to):
    def layer(w, x):
        return jnp.tanh((x + jnp.zeros_like(x).at[to].add(x[origin])) @ w)

    return jnp.sum(layer(w2, layer(w1, x)) ** 2)


def flow(w1, b1, ws, wt, first, second):
    def couple(state, layer):
        u, v, total = state
        w1, b1, ws, wt = layer
        hidden = jnp.tanh(u @ w1 + b1)
        scale = jnp.tanh(hidden @ ws)
        return (v * jnp.exp(scale) + hidden @ wt, u, total + jnp.sum(scale)), None

    u, v, total = jax.lax.scan(couple, (first, second, 0.0), (w1, b1, ws, wt))[0]
    return 0.5 * (jnp.sum(u * u) + jnp.sum(v * v)) - total


random = np.random.default_rng(1)


def reals(*shape, scale=1.0):
    return scale * random.uniform(-1.0, 1.0, shape)


def net(b, i, h, k):
    return [reals(i, h, scale=0.1), reals(h), reals(h, k, scale=0.1), reals(k), reals(b, i), random.integers(0, k, b)]


def gru(b, t, i, h):
    weights = [reals(n, h, scale=0.2) for n in (i, h, i, h, i, h)]
    return [*weights, reals(t, b, i)]


def edges(n, e):
    return [random.integers(0, n, e), random.integers(0, n, e)]


def couplings(l, b, d, h):
    sizes = ((l, d, h), (l, h), (l, h, d), (l, h, d), (b, d), (b, d))
    return [reals(*size, scale=0.3) for size in sizes]


def rows():
    square, other = reals(500, 500), reals(500, 500)
    return [
        Row(product_sum, "500 × 500", [square, other], 2),
        Row(square_sum, "500 × 500", [square], 1),
        Row(square_norm, "500 × 500", [square], 1),
        Row(gram_norm, "2000 × 100", [reals(2000, 100)], 1),
        Row(network, "256 inputs, 784, 256, 10", net(256, 784, 256, 10), 4),
        Row(network, "256 inputs, 784, 256, 10", net(256, 784, 256, 10), 4, "network_of_rows"),
        Row(network, "16 inputs, 8, 16, 4", net(16, 8, 16, 4), 4),
        Row(gated, "32 of 50, 32, 128", gru(32, 50, 32, 128), 6),
        Row(messages, "10⁴ nodes, 10⁵ edges", [reals(10_000), reals(100_000), *edges(10_000, 100_000)], 2),
        Row(graph, "5,000 nodes, 20,000 edges, 32", [reals(32, 32), reals(32, 32), reals(5000, 32), *edges(5000, 20_000)], 2),
        Row(flow, "8 couplings, 512 points, 32, 64", couplings(8, 512, 32, 64), 4),
    ]


def large():
    """What takes a while each time: these are no rows of the first answer."""
    return [
        Row(square_norm, "1024 × 1024", [reals(1024, 1024)], 1),
        Row(gram_norm, "1024 × 1024", [reals(1024, 1024)], 1),
        Row(product_sum, "2000 × 2000", [reals(2000, 2000), reals(2000, 2000)], 2),
    ]


if __name__ == "__main__":
    table(Library(sys.argv[1]), rows() + large(), sys.argv[2:])
