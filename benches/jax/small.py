"""The examples of the folders `cookbook` and `papers` in JAX, for gradients.pull."""

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from harness import Row


def checking(p):
    return 0.5 * jnp.sum((p[1:] - p[:-1] - 1) ** 2) + 0.25 * jnp.sum(p**4)


def constraints(p):
    gains = jnp.array([0.08, 0.05, 0.03])
    risks = jnp.array([[0.10, 0.02, 0.00], [0.02, 0.05, 0.00], [0.00, 0.00, 0.01]])
    return 2 * p @ risks @ p - gains @ p


@jax.custom_jvp
def custom_rules(mean, ecc):
    step = lambda _, e: e - (e - ecc * jnp.sin(e) - mean) / (1 - ecc * jnp.cos(e))
    return lax.fori_loop(0, 20, step, mean)


@custom_rules.defjvp
def custom_rules_jvp(primals, tangents):
    (mean, ecc), (mean_dot, ecc_dot) = primals, tangents
    e = custom_rules(mean, ecc)
    return e, (mean_dot + jnp.sin(e) * ecc_dot) / (1 - ecc * jnp.cos(e))


def minibatch(weights, bias):
    xs = jnp.array([[5.1, 3.5, 1.4, 0.2], [7.0, 3.2, 4.7, 1.4], [6.3, 3.3, 6.0, 2.5]])
    said = jax.nn.log_softmax(xs @ weights.T + bias, axis=1)
    return -jnp.mean(jnp.diag(said))


def plotting(p):
    return jnp.exp(-0.5 * p) * jnp.sin(4 * p)


def resume(xs, noise):
    """The loss of a step, with what it draws, which the library tells: it has random numbers of its own."""

    def loss(a, b, c):
        return jnp.mean((a * jnp.sin(b * xs + c) - 2 * jnp.sin(1.5 * xs + 0.5) - noise) ** 2)

    return Row(loss, "20 points", [1.0, 1.0, 0.0], 3, name="resume")


def differentiable_curry(x, y):
    return (lambda b: x * x * b)(y)


def higher_order(p):
    return lax.fori_loop(0, 30, lambda _, y: y + y, p)


def notes(p):
    return lax.fori_loop(0, 30, lambda _, y: y * y, p)


def quaternion(qx, qy, qz, qw, vx, vy, vz):
    u, v = jnp.array([qx, qy, qz]), jnp.array([vx, vy, vz])
    return (2 * u @ v * u + (qw * qw - u @ u) * v + 2 * qw * jnp.cross(u, v))[0]


def working_notes(p):
    y = p * p
    return y * (p + y)


ROWS = [
    Row(checking, "3 points", [np.array([1.0, 2.0, 0.5])], 1),
    Row(constraints, "3 assets", [np.array([0.4, 0.3, 0.3])], 1),
    Row(custom_rules, "Kepler's equation", [1.0, 0.5], 2),
    Row(minibatch, "3 flowers", [np.full((3, 4), 0.1), np.zeros(3)], 2),
    Row(plotting, "a wave", [1.0], 1),
    Row(differentiable_curry, "x² y", [3.0, 5.0], 2),
    Row(higher_order, "30 doublings", [1.0], 1),
    Row(notes, "30 squarings", [1.0], 1),
    Row(quaternion, "a rotation", [1.1, 2.2, 3.3, 4.4, 5.5, 6.6, 7.7], 7),
    Row(working_notes, "x³ + x⁴", [1.5], 1),
]
