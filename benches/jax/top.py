"""The examples of the first folder in JAX, for gradients.pull."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from harness import Row
from steps import runge_kutta


def arm(p):
    hand = lambda q: jnp.array([jnp.cos(q[0]) + 0.8 * jnp.cos(q[0] + q[1]), jnp.sin(q[0]) + 0.8 * jnp.sin(q[0] + q[1])])

    def step(q, _):
        j = jax.jacfwd(hand)(q)
        return q + jnp.linalg.solve(j.T @ j + 1e-6 * jnp.eye(2), j.T @ (p - hand(q))), None

    return jnp.sum(lax.scan(step, jnp.array([0.3, 0.5]), None, 50)[0])


def cart_pole(p):
    def step(carried, _):
        (x, v, angle, spin), total = carried
        sine, cosine = jnp.sin(angle), jnp.cos(angle)
        force = p @ jnp.array([x, v, angle, spin])
        push = (force + 0.05 * spin**2 * sine) / 1.1
        twist = (9.8 * sine - cosine * push) / (0.5 * (4.0 / 3.0 - 0.1 * cosine**2 / 1.1))
        slide = push - 0.05 * twist * cosine / 1.1
        x, v, angle, spin = x + 0.02 * v, v + 0.02 * slide, angle + 0.02 * spin, spin + 0.02 * twist
        return ((x, v, angle, spin), total + angle**2 + 0.1 * x**2), None

    return lax.scan(step, ((0.0, 0.0, 0.1, 0.0), 0.0), None, 200)[0][1]


def chain(p):
    return jnp.sum(0.5 * (p[:-1] + p[1:]))


def gmm(alpha, mu, q, l, x):
    (k, d), n, m, gamma = mu.shape, x.shape[0], 0, 1.0
    # The entries below the diagonals, column by column.
    columns, rows = np.triu_indices(d, 1)
    factors = jnp.zeros((k, d, d)).at[:, rows, columns].set(l) + jax.vmap(jnp.diag)(jnp.exp(q))
    log_scales = jnp.sum(q, axis=1)
    # All points and all factors are one product of matrices.
    seen = (x @ factors.reshape(k * d, d).T).reshape(-1, k, d) - jnp.einsum("kij,kj->ki", factors, mu)
    likelihood = jax.scipy.special.logsumexp(alpha + log_scales - 0.5 * jnp.sum(seen**2, axis=2), axis=1)
    normaliser = n * (0.5 * d * jnp.log(2 * jnp.pi) + jax.scipy.special.logsumexp(alpha))
    nu = d + m + 1
    gamma_multi = jax.scipy.special.multigammaln(0.5 * nu, d)
    prior = k * (nu * d * jnp.log(gamma / jnp.sqrt(2)) - gamma_multi)
    frobenius = jnp.sum(jnp.exp(2 * q)) + jnp.sum(l**2)
    return jnp.sum(likelihood) - normaliser + prior - 0.5 * gamma**2 * frobenius + m * jnp.sum(log_scales)


def log_normal(mean, deviation, x):
    return jax.scipy.stats.norm.logpdf(x, mean, deviation)


def hmc(p):
    xs, ys = jnp.array([0.0, 0.5, 1.0, 1.5, 2.0, 2.5]), jnp.array([1.1, 1.9, 3.2, 3.8, 5.1, 6.0])
    slope = jax.grad(lambda w: jnp.sum(log_normal(w[0] + w[1] * xs, 0.5, ys)) + jnp.sum(log_normal(0.0, 10.0, w)))

    def step(carried, _):
        q, p = carried
        half = p + 0.05 * slope(q)
        q = q + 0.1 * half
        return (q, half + 0.05 * slope(q)), None

    return jnp.sum(lax.scan(step, (p, jnp.array([0.3, -0.2])), None, 50)[0][0])


@jax.custom_vjp
def fixed_point(w, x):
    step = lambda z: jnp.tanh(w @ z + x)
    go_on = lambda pair: jnp.linalg.norm(pair[1] - pair[0]) > 1e-15
    zero = jnp.zeros_like(x)
    return lax.while_loop(go_on, lambda pair: (pair[1], step(pair[1])), (zero, step(zero)))[1]


def fixed_point_forward(w, x):
    z = fixed_point(w, x)
    return z, (w, x, z)


def fixed_point_backward(saved, z_bar):
    w, x, z = saved
    apply = lambda w, x, z: jnp.tanh(w @ z + x)
    by_z = jax.jacfwd(apply, 2)(w, x, z)
    adjoint = jnp.linalg.solve(jnp.eye(z.shape[0]) - by_z.T, z_bar)
    return jax.vjp(lambda w, x: apply(w, x, z), w, x)[1](adjoint)


fixed_point.defvjp(fixed_point_forward, fixed_point_backward)


def implicit_layer(w, x):
    return jnp.sum(fixed_point(w, x))


def least_squares(p):
    xs = jnp.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    ys = jnp.array([4.0, 5, 6, 7])
    loss = lambda w, b: jnp.mean((xs @ w + b - ys) ** 2)

    def step(model, _):
        by_w, by_b = jax.grad(loss, (0, 1))(*model)
        return (model[0] - p * by_w, model[1] - p * by_b), None

    return loss(*lax.scan(step, (jnp.zeros(3), 0.0), None, 100)[0])


def neural_ode(inner, outer):
    field = lambda y: outer @ jnp.tanh(inner @ y)
    end = lax.scan(lambda y, _: (runge_kutta(field, y, 0.1), None), jnp.array([1.0, 0.0]), None, 10)[0]
    return jnp.sum((end - jnp.array([0.0, 1.0])) ** 2)


def newton(p):
    rosenbrock = lambda x: 100 * (x[1] - x[0] ** 2) ** 2 + (1 - x[0]) ** 2

    def step(x, _):
        g, h = jax.grad(rosenbrock)(x), jax.hessian(rosenbrock)(x)
        det = h[0, 0] * h[1, 1] - h[0, 1] * h[1, 0]
        return x - jnp.array([h[1, 1] * g[0] - h[0, 1] * g[1], h[0, 0] * g[1] - h[1, 0] * g[0]]) / det, None

    return jnp.sum(lax.scan(step, p, None, 5)[0])


def rnn(w, u, b):
    inputs = jnp.array([[0.5], [-1.0], [0.25]])
    hidden = lax.scan(lambda h, x: (jnp.tanh(w @ h + u @ x + b), None), jnp.zeros(2), inputs)[0]
    return jnp.sum((hidden - jnp.array([1.0, -1.0])) ** 2)


POINTS = jnp.array([[i, j] for j in (0.0, 0.5, 1.0) for i in (0.0, 0.5, 1.0)])
VALUES = jnp.array([0.1, 0.2, 0.9, 0.0, 0.6, 1.4, -0.2, 1.1, 2.0])


def predicted(p, points):
    # The tree is data of Python, which tracing goes through.
    def predict(tree):
        if not isinstance(tree, tuple):
            return tree
        (feature, cut, slope), below, above = tree
        right = jax.nn.sigmoid(slope * (points[:, feature] - cut))
        return (1 - right) * predict(below) + right * predict(above)

    return predict(((0, p[0], p[1]), p[2], ((1, p[3], p[4]), p[5], p[6])))


def soft_tree(p):
    return jnp.mean((predicted(p, POINTS) - VALUES) ** 2) + 1e-3 * p @ p


def spring(stiffness, friction):
    n = 10000
    dt = 10 / n

    def step(carried, _):
        x, v = carried
        v = v - dt * (stiffness * x + friction * v)
        return (x + dt * v, v), None

    return 0.5 * (lax.scan(step, (1.0, 0.0), None, n)[0][0] - 0.4) ** 2


def tree_network(words, left, right, score):
    def meaning(phrase):
        if isinstance(phrase, int):
            return words[phrase]
        return jnp.tanh(left @ meaning(phrase[0]) + right @ meaning(phrase[1]))

    rate = lambda phrase: jax.nn.sigmoid(score @ meaning(phrase))
    return -jnp.log(rate((0, (1, 2)))) - jnp.log(1 - rate(((2, 1), 0)))


def tree_product(p):
    # A complete tree is an array: the leaves, then what is above them.
    while p.shape[0] > 1:
        p = p[0::2] * p[1::2]
    return p[0]


random = np.random.default_rng(2)
normal = lambda *shape: random.normal(size=shape)


def mixture(d, k, n):
    return [normal(k), normal(k, d), 0.3 * normal(k, d), 0.3 * normal(k, d * (d - 1) // 2), normal(n, d)]


ROWS = [
    Row(least_squares, "the loss after 100 steps, by rate", [0.5], 1),
    Row(rnn, "3 steps", [np.array([[0.5, -0.3], [0.2, 0.1]]), np.array([[1.0], [-1.0]]), np.array([0.1, -0.2])], 3),
    Row(neural_ode, "10 steps", [0.5 * normal(4, 2), 0.5 * normal(2, 4)], 2),
    Row(tree_network, "2 phrases", [normal(3, 2), normal(2, 2), normal(2, 2), normal(2)], 4),
    Row(tree_product, "1024 leaves", [1 + 0.01 * normal(1024)], 1),
    Row(soft_tree, "9 points", [np.array([0.5, 4.0, 0.0, 0.5, 4.0, 0.5, 1.0])], 1),
    Row(hmc, "50 leapfrog steps", [np.array([1.0, 2.0])], 1),
    Row(cart_pole, "200 steps", [np.array([0.0, 0.5, 20.0, 2.0])], 1),
    Row(spring, "10,000 steps", [2.0, 0.1], 2),
    Row(arm, "50 Gauss–Newton steps", [np.array([0.9, 0.9])], 1),
    Row(implicit_layer, "2 units", [np.array([[0.3, -0.2], [0.1, 0.4]]), np.array([0.5, -0.1])], 2),
    Row(chain, "1001 points", [normal(1001)], 1),
    Row(newton, "5 Newton steps", [np.array([-1.2, 1.0])], 1),
    Row(gmm, "d 2, k 5, n 1000", mixture(2, 5, 1000), 4),
    Row(gmm, "d 10, k 25, n 1000", mixture(10, 25, 1000), 4),
    Row(gmm, "d 32, k 50, n 1000", mixture(32, 50, 1000), 4),
]
