"""The programs of this folder beside their twins: the same numbers, times, and their ratio.

    taskset -c 0 python3 benches/programs/measure.py [--side NAME] [--small] [ROW...]

Pullback runs as its users run it, through the Python package, as native code. The twins are JAX, jitted, blocked and in double
precision; NumPyro's No-U-Turn sampler; and SciPy's sparse matrices with a Jacobian by JAX. Both sides get the same numbers in
one process and take turns. Each one's time is the least time of the processor that a call takes: with one core for both sides,
that is how long it takes on a machine that does nothing else. Rows are named by their files. `--side Pullback` or another name
runs one side alone, so that the peak of memory is its own. `--small` takes small sizes.
"""

import argparse
import resource
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Callable

HERE = Path(__file__).parent
sys.path.append(str(HERE.parent / "jax"))

import jax
import jax.numpy as jnp
import numpy as np
import pullback as pb
import scipy.sparse
import scipy.sparse.linalg

from harness import shown

# How long turns go on, and how many there are at most.
SECONDS, TURNS = 20.0, 10


@dataclass
class Row:
    """A program on some input. Each side is a function without arguments that gives all its numbers."""

    what: str
    sides: dict[str, Callable]
    # Whether the numbers of the sides agree.
    agree: Callable


def close(scale):
    """Whether numbers agree, with the largest of each array as the scale of all its numbers."""

    def agree(ours, theirs):
        for one, other in zip(ours, theirs, strict=True):
            other = np.asarray(other)
            np.testing.assert_allclose(one, other, rtol=scale, atol=scale * np.max(np.abs(other), initial=0))

    return agree


def program(name):
    return pb.load(HERE / f"{name}.pull")


def leaves(tree, like):
    """The numbers of a record of Pullback, in the order of the dictionary that is like it."""
    if isinstance(like, dict):
        return [leaf for key in like for leaf in leaves(getattr(tree, key) if not isinstance(tree, dict) else tree[key], like[key])]
    return [np.asarray(tree)]


def blocked(function, *args):
    """A call of a function of JAX, jitted."""
    function = jax.jit(function)
    return lambda: [np.asarray(x) for x in jax.tree.leaves(jax.block_until_ready(function(*args)))]


# ---------------------------------------------------------------------------------------------------------------------
# Imaging


def imaging(small):
    n, steps, rate, weight = (32, 5, 0.5, 0.003) if small else (256, 50, 0.5, 0.003)
    m = program("imaging")
    scan = m.of_phantom(n)
    mask, re, im = (jnp.asarray(x) for x in (scan.mask, scan.re, scan.im))

    def objective(image):
        found = mask * jnp.fft.fft2(image) / n
        down = jnp.concatenate([image[1:], image[-1:]]) - image
        across = jnp.concatenate([image[:, 1:], image[:, -1:]], axis=1) - image
        misfit = 0.5 * jnp.sum((found.real - re) ** 2 + (found.imag - im) ** 2)
        return misfit + weight * jnp.sum(jnp.sqrt(down**2 + across**2 + 1e-4))

    def step(k, state):
        image, ahead = state
        following = ahead - rate * jax.grad(objective)(ahead)
        return following, following + (k / (k + 3)) * (following - image)

    start = jnp.zeros((n, n))
    ours = lambda: [m.reconstruct(steps, rate, weight, scan, engine="native")]  # noqa: E731
    theirs = blocked(lambda start: jax.lax.fori_loop(0, steps, step, (start, start))[0], start)
    yield Row(f"{n} × {n} pixels, {steps} steps", {"Pullback": ours, "JAX": theirs}, close(1e-8))


# ---------------------------------------------------------------------------------------------------------------------
# Language


def model_of(random, v, t, d, h):
    """Weights to begin with."""

    def dense(n, m):
        return {"w": random.normal(size=(n, m)) / np.sqrt(n), "b": np.zeros(m)}

    def norm():
        return {"gain": np.ones(d), "bias": np.zeros(d)}

    def block():
        attention = {name: random.normal(size=(d, d)) / np.sqrt(d) for name in ("q", "k", "v", "out")}
        return {"before": norm(), "attention": attention, "between": norm(), "widen": dense(d, h), "narrow": dense(h, d)}

    letters, places = 0.1 * random.normal(size=(v, d)), 0.1 * random.normal(size=(t, d))
    rest = {"first": block(), "second": block(), "last": norm(), "out": dense(d, v)}
    return {"letters": letters, "places": places, **rest}


def scores(heads, model, texts):
    """The scores of the next letter, of all texts at once."""

    def normed(p, x):
        centre, spread = x.mean(-1, keepdims=True), x.var(-1, keepdims=True)
        return (x - centre) / jnp.sqrt(spread + 1e-5) * p["gain"] + p["bias"]

    def attend(p, x):
        b, t, d = x.shape
        q, k, v = ((x @ p[name]).reshape(b, t, heads, d // heads) for name in ("q", "k", "v"))
        fits = jnp.einsum("bihd,bjhd->bhij", q, k) / np.sqrt(d // heads)
        weights = jax.nn.softmax(jnp.where(jnp.tril(jnp.ones((t, t), bool)), fits, -jnp.inf))
        return jnp.einsum("bhij,bjhd->bihd", weights, v).reshape(b, t, d) @ p["out"]

    def block(p, x):
        x = x + attend(p["attention"], normed(p["before"], x))
        hidden = jax.nn.gelu(normed(p["between"], x) @ p["widen"]["w"] + p["widen"]["b"], approximate=False)
        return x + hidden @ p["narrow"]["w"] + p["narrow"]["b"]

    x = model["letters"][texts] + model["places"]
    x = block(model["second"], block(model["first"], x))
    return normed(model["last"], x) @ model["out"]["w"] + model["out"]["b"]


def language(small):
    random = np.random.default_rng(1)
    v, t, d, h, heads, batch, steps = (7, 5, 8, 12, 2, 2, 3) if small else (64, 64, 64, 256, 4, 8, 5)
    m, model = program("language"), model_of(random, v, t, d, h)
    texts = random.integers(0, v, (batch, t + 1))
    texts, following = np.ascontiguousarray(texts[:, :-1]), np.ascontiguousarray(texts[:, 1:])

    def loss(model):
        said = jax.nn.log_softmax(scores(heads, model, texts))
        return -jnp.mean(jnp.take_along_axis(said, following[..., None], axis=-1))

    def step(k, state):
        model, mean, square = state
        gradient = jax.grad(loss)(model)
        mean = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, mean, gradient)
        square = jax.tree.map(lambda s, g: 0.999 * s + 0.001 * g * g, square, gradient)
        first, second = 1.0 - 0.9 ** (k + 1.0), 1.0 - 0.999 ** (k + 1.0)
        move = lambda x, m, s: x - 0.003 / first * m / (jnp.sqrt(s / second + 1e-30) + 1e-8)  # noqa: E731
        return jax.tree.map(move, model, mean, square), mean, square

    def train(model):
        zero = jax.tree.map(jnp.zeros_like, model)
        model = jax.lax.fori_loop(0, steps, step, (model, zero, zero))[0]
        return model, loss(model)

    def ours():
        trained = m.train(heads, steps, texts, following, model, engine="native")
        return [*leaves(trained, model), m.loss(heads, texts, following, trained, engine="native")]

    order = jax.tree.unflatten(jax.tree.structure(model), range(len(jax.tree.leaves(model))))
    places = [int(leaf) for leaf in leaves(order, model)]
    trained = blocked(train, jax.tree.map(jnp.asarray, model))

    def theirs():
        *found, value = trained()
        return [*(found[place] for place in places), value]

    what = f"{batch} texts of {t}, {v} letters, {d} wide, {steps} steps"
    yield Row(what, {"Pullback": ours, "JAX": theirs}, close(1e-6))


# ---------------------------------------------------------------------------------------------------------------------
# Hierarchy


def integrated(effects, deviations):
    """The means and deviations of mu, tau and the first effect, by sums over a grid of mu and the logarithm of tau."""
    mu, log_tau = np.linspace(-25.0, 30.0, 1601)[:, None], np.linspace(-14.0, 6.0, 2001)[None, :]
    tau = np.exp(log_tau)
    value = -0.5 * (mu / 5.0) ** 2 - np.log1p((tau / 5.0) ** 2) + log_tau
    for y, s in zip(effects, deviations):
        value = value - 0.5 * np.log(s**2 + tau**2) - 0.5 * (y - mu) ** 2 / (s**2 + tau**2)
    weight = np.exp(value - value.max())
    weight /= weight.sum()
    share = tau**2 / (tau**2 + deviations[0] ** 2)
    first, spread = mu + share * (effects[0] - mu), share * deviations[0] ** 2
    means = [np.sum(weight * x) for x in (mu, tau, first)]
    squares = [np.sum(weight * x) for x in (mu**2, tau**2, first**2 + spread)]
    return np.array(means), np.sqrt(np.array(squares) - np.square(means))


def hierarchy(small):
    import numpyro
    from numpyro.diagnostics import effective_sample_size

    random = np.random.default_rng(1)
    m = program("hierarchy")
    eight = (np.asarray(m.eight.effects), np.asarray(m.eight.deviations))
    deviations = random.uniform(8.0, 18.0, 200)
    many = (5.0 + 6.0 * random.normal(size=200) + deviations * random.normal(size=200), deviations)
    warmup, count = (50, 50) if small else (1000, 4000)
    for effects, deviations in (eight, many):
        schools = {"effects": effects, "deviations": deviations}
        means, spreads = integrated(effects, deviations)

        def potential(x, effects=effects, deviations=deviations):
            mu, tau, off = x[0], jnp.exp(x[1]), x[2:]
            prior = -0.5 * (mu / 5.0) ** 2 - jnp.log1p((tau / 5.0) ** 2) + x[1]
            return -prior + 0.5 * jnp.sum(((effects - mu - tau * off) / deviations) ** 2 + off**2)

        # The densities are the same, and so are their gradients.
        x = random.normal(size=effects.size + 2)
        one, other = m.log_density.value_and_grad(schools, x, wrt="x"), jax.value_and_grad(potential)(jnp.asarray(x))
        close(1e-10)([one[0], one[1]], [-other[0], -other[1]])

        kernel = numpyro.infer.NUTS(potential_fn=potential)

        def run(key, start, kernel=kernel):
            state = kernel.init(key, warmup, start, (), {})
            state = jax.lax.fori_loop(0, warmup, lambda _, state: kernel.sample(state, (), {}), state)

            def draw(state, _):
                state = kernel.sample(state, (), {})
                return state, (state.z, state.num_steps, state.diverging)

            return jax.lax.scan(draw, state, None, count)[1]

        sampled = blocked(run, jax.random.PRNGKey(1), jnp.zeros(effects.size + 2))

        def theirs(sampled=sampled):
            draws, steps, diverging = sampled()
            mu, tau = draws[:, 0], np.exp(draws[:, 1])
            all_three = (mu, tau, mu + tau * draws[:, 2])
            effective = [effective_sample_size(draws[None, :, k]) for k in (0, 1)]
            told = [np.mean(x) for x in all_three], [np.std(x, ddof=1) for x in all_three], effective
            return [*told, int(np.sum(steps)), int(np.sum(diverging))]

        def ours(schools=schools):
            s = m.posterior(schools, warmup, count, 1, engine="native")
            return [s.means, s.deviations, s.effective, s.leaps, s.divergent]

        def agree(ours, theirs, means=means, spreads=spreads):
            print(f"    integrated     means {np.round(means, 2)}, deviations {np.round(spreads, 2)}")
            for name, (found, width, effective, leaps, divergent) in (("Pullback", ours), ("twin", theirs)):
                print(
                    f"    {name:<14} means {np.round(found, 2)}, deviations {np.round(width, 2)}, "
                    f"effective {np.round(effective)}, {leaps} steps, {divergent} divergent"
                )
                # Five standard errors, of as many draws as the fewest that are independent.
                within = 5.0 / np.sqrt(np.min(effective))
                np.testing.assert_array_less(np.abs(found - means) / spreads, within)
                np.testing.assert_array_less(np.abs(np.asarray(width) / spreads - 1.0), 2.0 * within)

        yield Row(f"{effects.size} schools, {warmup} + {count} draws", {"Pullback": ours, "NumPyro": theirs}, agree)


# ---------------------------------------------------------------------------------------------------------------------
# Process


def process(small):
    random = np.random.default_rng(1)
    n, d = (60, 3) if small else (5000, 3)
    m = program("process")
    xs = random.uniform(-1.0, 1.0, (n, d))
    ys = np.sin(3.0 * xs[:, 0]) + xs[:, 1] * xs[:, 2] + 0.1 * random.normal(size=n)
    h = {"height": 0.1, "widths": np.array([-0.5, 0.2, 0.0]), "noise": -2.0}

    def surprise(h, xs, ys):
        scaled = xs * jnp.exp(-h["widths"])
        squares = jnp.sum((scaled[:, None] - scaled[None]) ** 2, axis=-1)
        covariance = jnp.exp(2.0 * h["height"] - 0.5 * squares) + jnp.exp(2.0 * h["noise"]) * jnp.eye(n)
        factor = jnp.linalg.cholesky(covariance)
        z = jax.scipy.linalg.solve_triangular(factor, ys, lower=True)
        return 0.5 * z @ z + jnp.sum(jnp.log(jnp.diag(factor))) + 0.5 * n * np.log(2.0 * np.pi)

    both = jax.jit(jax.value_and_grad(surprise))
    given = jax.tree.map(jnp.asarray, (h, xs, ys))

    def theirs():
        value, gradient = jax.block_until_ready(both(*given))
        return [value, *leaves(gradient, h)]

    def ours():
        value, gradient = m.surprise.value_and_grad(xs, ys, h, wrt="h", engine="native", max_memory="12G")
        return [value, *leaves(gradient, h)]

    yield Row(f"{n} points, likelihood and gradient", {"Pullback": ours, "JAX": theirs}, close(1e-7))


# ---------------------------------------------------------------------------------------------------------------------
# Bundle


def project(camera, point):
    """Where a camera sees a point, as in `examples/gradbench/ba.pull`."""
    turn, v = camera[:3], point - camera[3:6]
    angle = jnp.sqrt(turn @ turn)
    axis = turn / angle
    seen = jnp.cos(angle) * v + jnp.sin(angle) * jnp.cross(axis, v) + (axis @ v) * (1.0 - jnp.cos(angle)) * axis
    flat = seen[:2] / seen[2]
    square = flat @ flat
    return camera[6] * (1.0 + camera[9] * square + camera[10] * square**2) * flat + camera[7:9]


def scene(random, n, m, p):
    """Cameras on an arc that look at a cloud of points, what they see, and a start some way off."""
    angle = np.linspace(-0.8, 0.8, n)
    cameras = np.zeros((n, 11))
    cameras[:, 1], cameras[:, 0] = angle, 0.05 * random.normal(size=n)
    cameras[:, 3], cameras[:, 4], cameras[:, 5] = 6.0 * np.sin(angle), 0.3 * random.normal(size=n), -6.0 * np.cos(angle)
    cameras[:, 6], cameras[:, 9], cameras[:, 10] = 500.0, 0.02, -0.01
    points = random.uniform(-1.0, 1.0, (m, 3))
    # Each point is seen by some cameras side by side.
    point = np.sort(np.concatenate([np.repeat(np.arange(m), 2), random.integers(0, m, p - 2 * m)]))
    first = random.integers(0, n, m)
    place = np.arange(p) - np.searchsorted(point, point)
    camera = (first[point] + 3 * place) % n
    at = np.asarray(jax.vmap(project)(cameras[camera], points[point])) + 0.3 * random.normal(size=(p, 2))
    cameras[:, :6] += 0.01 * random.normal(size=(n, 6))
    cameras[:, 6] += 5.0 * random.normal(size=n)
    start = np.concatenate([cameras.ravel(), (points + 0.03 * random.normal(size=(m, 3))).ravel()])
    return {"cameras": n, "camera": camera, "point": point, "at": at}, start


def bundle(small):
    n, m, p, steps = (5, 30, 100, 4) if small else (49, 7776, 31843, 8)
    s, start = scene(np.random.default_rng(1), n, m, p)
    text = program("bundle")
    camera, point, at = s["camera"], s["point"], s["at"]

    def parted(x):
        return x[: 11 * n].reshape(n, 11)[camera], x[11 * n :].reshape(m, 3)[point]

    residual = jax.vmap(lambda c, q, at: project(c, q) - at)
    residuals = jax.jit(lambda x: residual(*parted(x), at).ravel())
    blocks = jax.vmap(jax.jacfwd(lambda c, q: project(c, q), argnums=(0, 1)))
    values = jax.jit(lambda x: jnp.concatenate(blocks(*parted(x)), axis=-1).ravel())
    places = np.concatenate([11 * camera[:, None] + np.arange(11), 11 * n + 3 * point[:, None] + np.arange(3)], axis=1)
    places, starts = np.repeat(places, 2, axis=0).ravel(), 14 * np.arange(2 * p + 1)

    def theirs():
        x, care = start, 1e-3
        r = np.asarray(residuals(x))
        for _ in range(steps):
            j = scipy.sparse.csr_array((np.asarray(values(x)), places, starts), shape=(2 * p, start.size))
            normal = (j.T @ j).tocsc()
            system = (normal + scipy.sparse.diags_array(care * normal.diagonal())).tocsc()
            factors = scipy.sparse.linalg.splu(
                system, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True}
            )
            following = x - factors.solve(j.T @ r)
            found = np.asarray(residuals(following))
            if found @ found < r @ r:
                x, r, care = following, found, 0.3 * care
            else:
                care = 4.0 * care
        return [x, 0.5 * r @ r]

    ours = lambda: list(text.adjust(s, steps, start, engine="native", max_memory="8G"))  # noqa: E731
    what = f"{n} cameras, {m} points, {p} observations, {steps} steps"
    yield Row(what, {"Pullback": ours, "SciPy": theirs}, close(1e-5))


# ---------------------------------------------------------------------------------------------------------------------


def least(calls):
    """The least processor time of each call, in turns."""
    times = {name: [] for name in calls}
    begin = time.perf_counter()
    for _ in range(TURNS):
        for name, call in calls.items():
            start = time.process_time()
            call()
            times[name].append(time.process_time() - start)
        if time.perf_counter() - begin > SECONDS:
            break
    return {name: min(found) for name, found in times.items()}


def main():
    rows = [imaging, language, hierarchy, process, bundle]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", nargs="*", metavar="ROW")
    parser.add_argument("--side", help="the side that runs alone")
    parser.add_argument("--small", action="store_true", help="small sizes")
    options = parser.parse_args()
    jax.config.update("jax_enable_x64", True)
    for row in (row for make in rows if not options.rows or make.__name__ in options.rows for row in make(options.small)):
        sides = {name: run for name, run in row.sides.items() if options.side in (None, name)}
        found, first = {}, {}
        for name, run in sides.items():
            start = time.process_time()
            found[name] = run()
            first[name] = time.process_time() - start
        if len(found) == 2:
            row.agree(*found.values())
        times = least(sides)
        told = ", ".join(f"{name} {shown(seconds)} (first {shown(first[name])})" for name, seconds in times.items())
        ratio = f", ratio {times['Pullback'] / min(t for name, t in times.items() if name != 'Pullback'):.2f}" if len(times) == 2 else ""
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"{row.what}: {told}{ratio}; peak {peak:.0f} MB", flush=True)


if __name__ == "__main__":
    main()
