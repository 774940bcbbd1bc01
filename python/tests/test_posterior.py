"""Samples from a posterior that is known in closed form, and ArviZ's diagnostics of them."""

import numpy as np
import pytest

import pullback as pb


@pytest.fixture(scope="module")
def draws(examples):
    """Four chains: the posterior of a line's intercept and slope."""
    m = pb.load(examples / "hmc.pull")
    chain = m.fn(r"\xs ys start seed -> sample (log_posterior xs ys) 500 start (random.key seed)")
    starts = np.array([[0.0, 0.0], [2.0, 1.0], [1.0, 3.0], [0.0, 2.5]])
    return np.stack([chain(m.xs, m.ys, start, seed) for seed, start in enumerate(starts)])[:, 50:]


def test_the_posterior(draws, examples):
    m = pb.load(examples / "hmc.pull")
    x = np.stack([np.ones(6), m.xs], axis=1)
    # A normal prior of deviation 10 and noise of deviation 0.5.
    covariance = np.linalg.inv(x.T @ x / 0.25 + np.eye(2) / 100)
    mean = covariance @ x.T @ m.ys / 0.25
    flat = draws.reshape(-1, 2)
    np.testing.assert_allclose(flat.mean(axis=0), mean, atol=0.05)
    np.testing.assert_allclose(np.cov(flat.T), covariance, atol=0.03)


def test_arviz(draws):
    arviz = pytest.importorskip("arviz")
    posterior = {"intercept": draws[:, :, 0], "slope": draws[:, :, 1]}
    # Version 1 takes groups in one dictionary.
    is_new = int(arviz.__version__.split(".")[0]) >= 1
    data = arviz.from_dict({"posterior": posterior}) if is_new else arviz.from_dict(posterior=posterior)
    summary = arviz.summary(data)
    assert list(summary.index) == ["intercept", "slope"]
    assert all(float(one) < 1.05 for one in summary["r_hat"])
