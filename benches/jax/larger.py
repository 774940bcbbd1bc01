"""Examples on larger inputs in JAX, for gradients.pull.

The smallest ones are added up over many places: one tells little but what a call costs.
"""

import jax
import jax.numpy as jnp
import numpy as np

import gradbench
import programs
import small
import top
from harness import Row


def molecular_dynamics(p):
    places, speeds = programs.simulated(0.001, 100, p)
    return programs.energy(places) + 0.5 * jnp.sum(speeds**2)


def soft_tree(p, points):
    return jnp.sum(top.predicted(p, points))


def tree_network(words, left, right, score, phrase):
    # A complete phrase is an array: what its words mean, then what pairs of these do.
    meanings = words[phrase]
    while meanings.shape[0] > 1:
        meanings = jnp.tanh(meanings[0::2] @ left.T + meanings[1::2] @ right.T)
    return jax.nn.sigmoid(meanings[0] @ score)


def rotated(q, v):
    return small.quaternion(*q, *v)


def many(function, *args, name=None):
    """A row of the sum over what a function gives at each place."""
    total = lambda *p: jnp.sum(jax.vmap(function)(*p))
    name = f"{name or function.__name__}_many"
    return Row(total, f"{len(args[0]):,} places", args, len(args), name=name)


random = np.random.default_rng(5)
N = 10000
lattice = np.stack(np.meshgrid(*[np.arange(4.0)] * 3), -1).reshape(-1, 3) * 1.2
guess = [np.array([5.0, 1.0]), np.array([1.0, -0.5])]
tree = np.array([0.5, 4.0, 0.0, 0.5, 4.0, 0.5, 1.0])
net = [random.normal(size=shape) for shape in [(3, 2), (2, 2), (2, 2), (2,)]]
xs = random.uniform(0.5, 2.0, N)

ROWS = [
    Row(small.checking, f"{N:,} points", [xs], 1, name="checking_many"),
    many(small.custom_rules, xs, random.uniform(0.1, 0.6, N)),
    many(small.plotting, xs),
    many(small.differentiable_curry, xs, random.normal(size=N)),
    many(small.higher_order, xs),
    many(small.notes, 1 + 1e-10 * xs),
    many(rotated, random.normal(size=(N, 4)), random.normal(size=(N, 3)), name="quaternion"),
    many(small.working_notes, xs),
    many(programs.interpreter, xs),
    many(gradbench.hello, xs),
    Row(
        programs.learning_to_learn,
        "1000 descents of 15 steps",
        [-4.0, -2.0, random.normal(size=(1000, 2))],
        2,
        name="learning_to_learn_many",
    ),
    Row(molecular_dynamics, "64 atoms, 100 steps", [lattice], 1, name="molecular_dynamics_many"),
    Row(programs.ray_tracing, "64 by 64 pixels", [np.array([1.0, 4.0, -2.0]), 64], 1, name="ray_tracing_many"),
    Row(programs.variational, "1000 draws", [*guess, random.normal(size=(1000, 2))], 2),
    Row(soft_tree, f"{N:,} points", [tree, random.uniform(size=(N, 2))], 1, name="soft_tree_many"),
    Row(tree_network, "1024 words", [*net, random.integers(0, 3, 1024)], 4, name="tree_network_many"),
]
