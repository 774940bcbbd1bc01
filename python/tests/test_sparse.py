"""Sparse Jacobians and Hessians: against the dense ones and closed forms."""

import numpy as np
import pytest

import pullback as pb

sparse = pytest.importorskip("scipy.sparse")

TEXT = """
def chain [n] (x: [n]Real): [n]Real = [ if i > 0 then x[i] * x[i - 1] else x[i] | i < n ]
def energy [n] (x: [n]Real) (k: Real): Real = k * sum [ (x[i + 1] - x[i] ^ 2) ^ 2 | i < n - 1 ]
def arrow [n] (x: [n]Real): Real = sum [ x[0] * x[i] ^ 2 | i < n ]
def frame [n] (x: [n]Real): [n]Real = [ if i == 0 then sum (map exp x) else x[0] | i < n ]
def rows (p: { a: Real, u: [3]{ v: Real, k: Int } }) (c: [2]Real): ({ s: Real }, [3]Real) =
  ({ s = p.a * c[0] }, [ e.v * real e.k + c[1] | e <- p.u ])
def sorted [n] (x: [n]Real): [n]Real = sort x
def fails [n] (x: [n]Real): [n]Real = [ x[i + 1] | i < n ]
"""


@pytest.fixture(scope="module")
def module():
    return pb.compile(TEXT)


def test_a_jacobian_has_the_values_of_the_dense_one(module):
    x = np.linspace(1.0, 2.0, 7)
    found = module.chain.jacobian(x, sparse=True)
    assert sparse.issparse(found) and found.format == "csc" and found.nnz == 13
    np.testing.assert_allclose(found.toarray(), module.chain.jacobian(x))
    found = module.frame.jacobian(x, sparse=True)
    assert found.nnz == 13
    np.testing.assert_allclose(found.toarray(), module.frame.jacobian(x))


def test_a_hessian_has_the_values_of_the_dense_one(module):
    x = np.linspace(1.0, 2.0, 7)
    found = module.energy.hessian(x, 0.5, wrt="x", sparse=True)
    assert found.nnz == 19
    np.testing.assert_allclose(found.toarray(), module.energy.hessian(x, 0.5, wrt="x"))
    problem = module.energy.bind().flat(x, 0.5)
    np.testing.assert_allclose(problem.hessian(problem.x0, sparse=True).toarray(), problem.hessian(problem.x0))


def test_structures_of_several_parameters_are_flat(module):
    u = {"v": np.array([1.0, 2.0, 3.0]), "k": np.array([3, 4, 5])}
    problem = module.rows.bind().flat({"a": 2.0, "u": u}, np.array([7.0, 8.0]))
    found = problem.jacobian(problem.x0, sparse=True)
    np.testing.assert_allclose(found.toarray(), problem.jacobian(problem.x0))
    assert found.shape == (4, 6) and found.nnz == 8


def test_the_pattern_is_kept_and_told(module):
    problem = module.arrow.bind().flat(np.ones(50))
    structure = problem.structure(problem.x0, of="hessian")
    assert (structure.shape, structure.sweeps, structure.everywhere) == ((50, 50), 2, True)
    assert structure.rows.size == 148
    assert problem._sparse("hvp", problem.x0) is problem._sparse("hvp", 2 * problem.x0)
    found = problem.hessian(2 * problem.x0, sparse=True)
    np.testing.assert_allclose(found.toarray(), problem.hessian(2 * problem.x0))
    problem = module.chain.bind().flat(np.ones(50))
    assert problem.structure(problem.x0).sweeps == 2


def test_a_pattern_of_a_point_is_found_anew(module):
    problem = module.sorted.bind().flat(np.array([3.0, 1.0, 2.0]))
    for x in ([3.0, 1.0, 2.0], [1.0, 3.0, 2.0]):
        found = problem.jacobian(np.array(x), sparse=True)
        assert found.nnz == 3
        np.testing.assert_allclose(found.toarray(), problem.jacobian(np.array(x)))
    assert not problem.structure(problem.x0).everywhere


def test_what_is_wrong_is_an_error(module):
    with pytest.raises(pb.PullbackError):
        module.fails.jacobian(np.ones(3), sparse=True)
    with pytest.raises(TypeError, match="no parameter `y`"):
        module.chain.jacobian(np.ones(3), wrt="y", sparse=True)
    with pytest.raises(pb.PullbackError):
        module.chain.hessian(np.ones(3), sparse=True)
    empty = module.chain.jacobian(np.ones(0), sparse=True)
    assert empty.shape == (0, 0)
