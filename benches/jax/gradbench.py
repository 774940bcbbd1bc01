"""The examples of the folder `gradbench` in JAX: gradients for gradients.pull, Jacobians for forward.pull."""

import json
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from harness import Row
from steps import runge_kutta


def det(p, ell):
    """Expansion by minors, all of a row at once, from the last row to the first.

    A minor is what is left of the columns after some have been taken in an order; one row more takes one of these.
    """
    a = p.reshape(ell, ell)
    columns = [np.arange(ell)[None]]
    for size in range(ell, 1, -1):
        rest = [np.delete(columns[-1], k, axis=1) for k in range(size)]
        columns.append(np.stack(rest, axis=1).reshape(-1, size - 1))
    minors = jnp.ones(columns[-1].shape[0])
    for row in range(ell - 1, -1, -1):
        signs = (-1.0) ** np.arange(ell - row)
        minors = jnp.sum(signs * a[row][columns[row]] * minors.reshape(-1, ell - row), axis=1)
    return minors[0]


def hello(p):
    return p * p


def kmeans(p, points):
    # Which centroid is nearest has no derivative, so that a product of matrices may find it.
    held = lax.stop_gradient(p)
    nearest = jnp.argmin(jnp.sum(held**2, axis=1)[:, None] - 2 * held @ points.T, axis=0)
    return jnp.sum((points - p[nearest]) ** 2)


def kmeans_dir(points, centroids):
    slope = jax.grad(kmeans)
    g, h = jax.jvp(lambda c: slope(c, points), (centroids,), (jnp.ones_like(centroids),))
    return g / h


def llsq(p, n):
    t = jnp.linspace(-1.0, 1.0, n)
    return 0.5 * jnp.sum((jnp.sign(t) - jnp.polyval(p[::-1], t, unroll=8)) ** 2)


def lse(p):
    m = jnp.max(p)
    return m + jnp.log(jnp.sum(jnp.exp(p - m)))


def lstm(main, extra, state, sequence):
    h = extra.shape[1]
    # Layers lie one after the other, each with four gates of weights and of biases.
    layers = main.reshape(-1, 2, 4, h)

    def layer(x, parts):
        (w, b), (hidden, cell) = parts
        forget, outgate = jax.nn.sigmoid(x * w[0] + b[0]), jax.nn.sigmoid(x * w[2] + b[2])
        ingate, change = jax.nn.sigmoid(hidden * w[1] + b[1]), jnp.tanh(hidden * w[3] + b[3])
        cell = cell * forget + ingate * change
        hidden = outgate * jnp.tanh(cell)
        return hidden, jnp.stack([hidden, cell])

    def step(carried, pair):
        state, total = carried
        given, wanted = pair
        x, after = given * extra[0], []
        for j in range(layers.shape[0]):
            x, new = layer(x, (layers[j], state[j]))
            after.append(new)
        y = x * extra[1] + extra[2]
        total += jnp.sum(wanted * (y - jnp.log(jnp.sum(jnp.exp(y)) + 2)))
        return (jnp.stack(after), total), None

    start = (state.reshape(-1, 2, h), 0.0)
    (_, total), _ = lax.scan(step, start, (sequence[:-1], sequence[1:]))
    return -total / (h * (sequence.shape[0] - 1))


def ode(p, s):
    slope = lambda y: p * jnp.concatenate([jnp.ones(1), y[:-1]])
    return lax.scan(lambda y, _: (runge_kutta(slope, y, 2 / s), None), jnp.zeros_like(p), None, s)[0][-1]


def reprojection(cam, x, w, feat):
    def rotated(r, v):
        squared = r @ r
        still = squared == 0
        angle = jnp.sqrt(jnp.where(still, 1.0, squared))
        axis = r / angle
        turned = jnp.cos(angle) * v + jnp.sin(angle) * jnp.cross(axis, v) + (axis @ v * (1 - jnp.cos(angle))) * axis
        return jnp.where(still, v + jnp.cross(r, v), turned)

    seen = rotated(cam[:3], x - cam[3:6])
    flat = seen[:2] / seen[2]
    r2 = flat @ flat
    return w * (cam[6] * (1 + cam[9] * r2 + cam[10] * r2**2) * flat + cam[7:9] - feat)


def ba(cams, xs, ws, feats):
    i = np.arange(ws.shape[0])
    rows = jax.vmap(jax.jacrev(reprojection, (0, 1, 2)))
    by_cam, by_x, by_w = rows(cams[i % cams.shape[0]], xs[i % xs.shape[0]], ws, feats)
    reprojections = jnp.concatenate([by_cam, by_x, by_w[:, :, None]], axis=2)
    return jnp.concatenate([reprojections.ravel(), jax.vmap(jax.grad(lambda w: 1 - w * w))(ws)])


def euler(angles):
    (sx, sy, sz), (cx, cy, cz) = jnp.sin(angles).T, jnp.cos(angles).T
    zero, one = jnp.zeros_like(sx), jnp.ones_like(sx)
    rows = [
        [cy * cz, sx * sy * cz - cx * sz, sx * sz + cx * sy * cz, zero],
        [cy * sz, sx * sy * sz + cx * cz, cx * sy * sz - sx * cz, zero],
        [-sy, sx * cy, cx * cy, zero],
        [zero, zero, zero, one],
    ]
    return jnp.stack([jnp.stack(row, axis=-1) for row in rows], axis=-2)


def rotation_of(r):
    angle = jnp.linalg.norm(r)
    (x, y, z), s, c = r / angle, jnp.sin(angle), jnp.cos(angle)
    turn = [
        [x * x + (1 - x * x) * c, x * y * (1 - c) - z * s, x * z * (1 - c) + y * s],
        [x * y * (1 - c) + z * s, y * y + (1 - y * y) * c, y * z * (1 - c) - x * s],
        [x * z * (1 - c) - y * s, z * y * (1 - c) + x * s, z * z + (1 - z * z) * c],
    ]
    return jnp.where(angle < 0.0001, jnp.eye(3), jnp.array(turn))


# Which of theta each bone's angles are: each finger has three joints that bend, and the first also spreads.
FIRST = 6 + 4 * np.arange(5)
BENDS = np.stack([np.full(5, -1), FIRST, FIRST + 2, FIRST + 3], axis=1).ravel()
BENT, SPREAD = np.flatnonzero(BENDS >= 0) + 1, 2 + 4 * np.arange(5)


def skin(theta, parents, relatives, inverses, positions, weights):
    b = relatives.shape[0]
    angles = jnp.zeros((b, 3)).at[BENT, 0].set(theta[BENDS[BENDS >= 0]]).at[SPREAD, 2].set(theta[FIRST + 1])
    relatives = relatives @ euler(angles)

    def absolute(bones, i):
        parent = parents[i]
        bone = jnp.where(parent == -1, relatives[i], bones[parent] @ relatives[i])
        return bones.at[i].set(bone), None

    bones = lax.scan(absolute, relatives, np.arange(b))[0]
    transforms = (bones @ inverses)[:, :3]
    moved = jnp.einsum("pi,irc,pc->pr", weights, transforms, positions)
    return moved @ rotation_of(theta[:3]).T + theta[3:6]


def differences(theta, us, parents, relatives, inverses, positions, weights, triangles, seen, points):
    skinned = skin(theta, parents, relatives, inverses, positions, weights)
    if us.shape[0] == 0:
        return (points - skinned[seen]).ravel()
    u = jnp.concatenate([us, 1 - jnp.sum(us, axis=1, keepdims=True)], axis=1)
    return (points - jnp.sum(u[:, :, None] * skinned[triangles[seen]], axis=1)).ravel()


def ht(theta, parents, relatives, inverses, positions, weights, triangles, seen, points, us):
    rest = (parents, relatives, inverses, positions, weights, triangles, seen, points)
    along_theta = jax.jacfwd(differences)(theta, us, *rest)
    if us.shape[0] == 0:
        return along_theta
    # Every point depends on its own pair only, so that one direction serves all points.
    along = lambda j: jax.jvp(lambda us: differences(theta, us, *rest), (us,), (jnp.zeros_like(us).at[:, j].set(1),))[1]
    return jnp.concatenate([jnp.stack([along(0), along(1)], axis=1), along_theta], axis=1)


random = np.random.default_rng(4)
normal = lambda *shape: random.normal(size=shape)


def scene(n, m, p):
    """Cameras before points, which they see."""
    cams = np.array([0.1, 0.2, 0.3, 0.1, 0.2, -8.0, 400.0, 5.0, -8.0, 0.08, 0.002]) * (1 + 0.1 * normal(n, 11))
    return [cams, normal(m, 3), 0.5 + random.uniform(size=p), 100 * normal(p, 2)]


def hand(observed, triangular):
    """The recorded hand, with more observations of it."""
    recorded = Path(__file__).parents[2] / "tests/gradbench/ht.jsonl"
    data = json.loads(recorded.read_text().splitlines()[0])["input"]
    model = data["data"]["model"]
    names = ["base_relatives", "inverse_base_absolutes", "base_positions", "weights"]
    reals = [np.array(model[name], float) for name in names]
    triangles = np.array(model["triangles"], np.int64)
    seen = random.integers(0, len(triangles if triangular else reals[2]), observed)
    us = random.uniform(0, 0.5, (observed if triangular else 0, 2))
    theta, parents = np.array(data["theta"], float), np.array(model["parents"], np.int64)
    return [theta, parents, *reals, triangles, seen, normal(observed, 3), us]


def memory(l, c, h=14):
    rows = [random.uniform(size=s) for s in [(2 * l, 4 * h), (3, h), (2 * l, h)]]
    return rows + [random.integers(0, 2, (c, h)).astype(float)]


ROWS = [
    Row(hello, "a square", [3.0], 1),
    Row(llsq, "n 4096, m 128", [0.3 * random.uniform(size=128), 4096], 1),
    Row(lse, "n 160,000", [normal(160000)], 1),
    Row(det, "ℓ 8", [random.uniform(size=64), 8], 1),
    Row(ode, "n 1000, s 100", [1 + random.uniform(size=1000), 100], 1),
    Row(kmeans, "n 10,000, k 100, d 8", [random.uniform(size=(100, 8)), random.uniform(size=(10000, 8))], 1),
    Row(lstm, "4 layers, 1024 letters of 14", memory(4, 1024), 2),
]

JACOBIANS = [
    Row(kmeans_dir, "n 10,000, k 100, d 8", [random.uniform(size=(10000, 8)), random.uniform(size=(100, 8))]),
    Row(ba, "n 49, m 7776, p 31843", scene(49, 7776, 31843)),
    Row(ht, "100 points, simple", hand(100, False)),
    Row(ht, "100 points, inside triangles", hand(100, True)),
]
