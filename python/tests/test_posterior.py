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


LIBRARY = r"""
import "random" as random
import "sample" as sample
import "stats" as stats

-- Eight schools (Rubin 1981), with the effects in units of their deviation.
def y: [8]Real = [28.0, 8.0, -3.0, 7.0, -1.0, 1.0, 18.0, 12.0]
def sigma: [8]Real = [15.0, 10.0, 16.0, 11.0, 9.0, 11.0, 10.0, 18.0]

def schools (x: [10]Real): Real =
  let (mu, tau) = (x[0], exp x[1]) in
  stats.normal 0.0 5.0 mu + stats.cauchy 0.0 5.0 tau + x[1]
    + sum [ stats.normal 0.0 1.0 x[i + 2] + stats.normal (mu + tau * x[i + 2]) sigma[i] y[i] | i < 8 ]

-- An autoregressive chain: all variances are 1, neighbours have covariance 0.9.
def chain (x: [5]Real): Real =
  stats.normal 0.0 1.0 x[0] + sum [ stats.normal (0.9 * x[i]) (sqrt 0.19) x[i + 1] | i < 4 ]

def draws [n] (f: [n]Real -> Real) (start: [n]Real) (seed: Int): [4]sample.Found =
  [ sample.nuts f 500 1000 start k | k <- random.split 4 (random.key seed) ]

def schools_draws: [4][1000][2]Real =
  [ [ [x[0], exp x[1]] | x <- c.draws ] | c <- draws schools (replicate 10 0.1) 5 ]

def chain_draws: [4][1000][5]Real = [ [ [ x[j] | j < 5 ] | x <- c.draws ] | c <- draws chain (replicate 5 1.0) 6 ]

def diagnostics [c] [n] (x: [c][n]Real): (Real, Real) = (sample.effective_size x, sample.split_r_hat x)
"""


@pytest.fixture(scope="module")
def library():
    return pb.compile(LIBRARY)


def test_the_samplers_of_the_library(library):
    chain = np.asarray(library.chain_draws).reshape(-1, 5)
    np.testing.assert_allclose(chain.mean(axis=0), np.zeros(5), atol=0.15)
    exact = 0.9 ** np.abs(np.subtract.outer(np.arange(5), np.arange(5)))
    np.testing.assert_allclose(np.cov(chain.T), exact, atol=0.15)
    # The means of mu and tau in posteriordb, from ten long chains of Stan.
    mu, tau = np.asarray(library.schools_draws).reshape(-1, 2).mean(axis=0)
    assert abs(mu - 4.36) < 0.3 and abs(tau - 3.6) < 0.35


def test_diagnostics_are_those_of_arviz(library):
    arviz = pytest.importorskip("arviz")
    if int(arviz.__version__.split(".")[0]) >= 1:
        pytest.skip("version 1 has them in other places")
    x = np.asarray(library.chain_draws)
    for j in range(5):
        one = np.ascontiguousarray(x[:, :, j])
        size, r_hat = library.diagnostics(one)
        # The two differ in where noise ends the autocorrelations, by a lag or two.
        np.testing.assert_allclose(size, arviz.ess(one, method="mean"), rtol=0.02)
        np.testing.assert_allclose(r_hat, arviz.rhat(one, method="split"), rtol=1e-12)


def test_nutpie(examples):
    nutpie = pytest.importorskip("nutpie")
    import pullback.nutpie

    m = pb.compile(r"""
    import "stats" as stats
    type Line = { at_zero: Real, slopes: [2]Real }
    def log_posterior [n] (xs: [n][2]Real) (ys: [n]Real) (line: Line): Real =
      sum [ stats.normal (line.at_zero + dot line.slopes x) 0.5 y | (x, y) <- zip xs ys ]
        + sum [ stats.normal 0.0 10.0 w | w <- [line.at_zero, line.slopes[0], line.slopes[1]] ]
    """)
    xs = np.column_stack([np.arange(6.0), [1.0, 0.0, 1.0, 1.0, 0.0, 0.0]])
    ys = np.array([1.1, 1.9, 3.2, 3.8, 5.1, 6.0])
    start = {"at_zero": 0.0, "slopes": np.zeros(2)}
    problem = m.log_posterior.bind(xs=xs, ys=ys).flat(start)
    model = pullback.nutpie.model(problem, coords={"which": ["x", "group"]}, dims={"line.slopes": ["which"]})
    trace = nutpie.sample(model, draws=1000, tune=500, chains=2, seed=1, progress_bar=False)
    flat = np.column_stack(
        [np.asarray(trace.posterior["line.at_zero"]).reshape(-1, 1), np.asarray(trace.posterior["line.slopes"]).reshape(-1, 2)]
    )
    x = np.column_stack([np.ones(6), xs])
    covariance = np.linalg.inv(x.T @ x / 0.25 + np.eye(3) / 100)
    np.testing.assert_allclose(flat.mean(axis=0), covariance @ x.T @ ys / 0.25, atol=0.05)
    np.testing.assert_allclose(np.cov(flat.T), covariance, atol=0.04)
    with pytest.raises(TypeError, match="takes a problem whose value is a Real"):
        pullback.nutpie.model(m.log_posterior)
