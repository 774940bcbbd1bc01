"""Functions in PyTorch against closed forms, and against the same functions written in PyTorch."""

import numpy as np
import pytest

import pullback as pb

torch = pytest.importorskip("torch")

X = [0.5, -1.0, 2.0]


def real(values, **options):
    return torch.tensor(values, dtype=torch.float64, **options)


def rosenbrock(x):
    return torch.sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


def test_backward(m):
    f = pb.torch.wrap(m.rosenbrock)
    x = real(X, requires_grad=True)
    y = f(x)
    assert y.item() == pytest.approx(rosenbrock(x).item())
    (ours,), (theirs,) = torch.autograd.grad(3 * y, x), torch.autograd.grad(3 * rosenbrock(x), x)
    np.testing.assert_allclose(ours, theirs)
    squares = pb.torch.wrap(m.squares)
    torch.sum(squares(x) * real([1.0, 10.0, 100.0])).backward()
    np.testing.assert_allclose(x.grad, 2 * np.array(X) * [1.0, 10.0, 100.0])
    assert not f(real(X)).requires_grad


def test_derivatives_of_every_order(m):
    f, squares, product = (pb.torch.wrap(one) for one in (m.rosenbrock, m.squares, m.product))
    x = real(X, requires_grad=True)
    np.testing.assert_allclose(
        torch.autograd.functional.hessian(f, x), torch.autograd.functional.hessian(rosenbrock, x)
    )
    assert torch.autograd.gradcheck(f, (x,)) and torch.autograd.gradgradcheck(f, (x,))
    assert torch.autograd.gradcheck(squares, (x,)) and torch.autograd.gradgradcheck(squares, (x,))
    a = real(np.arange(6.0).reshape(2, 3), requires_grad=True)
    assert torch.autograd.gradcheck(product, (a, x)) and torch.autograd.gradgradcheck(product, (a, x))
    cube = pb.torch.wrap(m.cube)
    t = real(2.0, requires_grad=True)
    first = torch.autograd.grad(cube(t), t, create_graph=True)[0]
    second = torch.autograd.grad(first, t, create_graph=True)[0]
    assert (first.item(), second.item()) == (12.0, 12.0)
    assert torch.autograd.grad(second, t)[0].item() == 6.0
    # Each order names directions of its own.
    y = squares(x) * squares(x)
    for factor, power in ((4, 3), (12, 2), (24, 1), (24, 0)):
        y = torch.autograd.grad(y.sum(), x, create_graph=True)[0]
        np.testing.assert_allclose(y.detach(), factor * np.array(X) ** power)


def test_forward(m):
    import torch.autograd.forward_ad as forward

    for function, one in ((m.rosenbrock, rosenbrock), (m.squares, lambda x: x**2)):
        f = pb.torch.wrap(function)
        with forward.dual_level():
            x = forward.make_dual(real(X), real([1.0, 2.0, 3.0]))
            ours, theirs = forward.unpack_dual(f(x)), forward.unpack_dual(one(x))
            np.testing.assert_allclose(ours.tangent, theirs.tangent)


def test_records_and_other_types(m):
    loss = pb.torch.wrap(m.loss)
    xs, ys = real([[0.0, 1.0], [2.0, 3.0]]), real([1.0, 2.0])
    w, b = real([0.5, -1.0], requires_grad=True), real(2.0, requires_grad=True)
    for given in ({"b": b, "w": w}, m.Model(w, b)):
        w.grad = b.grad = None
        loss(xs, ys, given).backward()
        r = 2 * (xs @ w + b - ys).detach()
        np.testing.assert_allclose(w.grad, xs.T @ r)
        np.testing.assert_allclose(b.grad, r.sum())
    # Numbers and arrays may stand beside tensors.
    assert loss(xs.numpy(), [1.0, 2.0], {"w": w, "b": 2.0}).requires_grad
    value, parts = pb.torch.wrap(m.pair)((real(2.0), 3))
    assert value.item() == 4.0 and parts.tolist() == [2.0, 3.0]
    assert pb.torch.wrap(m.add)(torch.tensor([1, 2]), 3).tolist() == [4, 5]
    assert pb.torch.wrap(m.negate)(torch.tensor([True, False])).tolist() == [False, True]
    x = torch.tensor(X, requires_grad=True)
    y = pb.torch.wrap(m.squares)(x)
    y.sum().backward()
    assert y.dtype == torch.float32 and x.grad.dtype == torch.float32
    given = {"pos": real(np.ones((2, 3)), requires_grad=True), "id": torch.tensor([1, 2]), "on": [True, False]}
    pb.torch.wrap(m.cells)(given, 1).backward()
    np.testing.assert_allclose(given["pos"].grad, [[2.0] * 3, [3.0] * 3])


def test_training(m):
    """A layer among others finds the weights that the data were made with."""
    torch.manual_seed(0)
    xs = torch.randn(50, 2, dtype=torch.float64)
    ys = xs @ real([2.0, -1.0]) + 0.5
    w, b = torch.zeros(2, dtype=torch.float64, requires_grad=True), real(0.0, requires_grad=True)
    optimizer = torch.optim.LBFGS([w, b], line_search_fn="strong_wolfe")
    loss = pb.torch.wrap(m.loss)

    def closure():
        optimizer.zero_grad()
        value = loss(xs, ys, {"w": w, "b": b})
        value.backward()
        return value

    for _ in range(5):
        optimizer.step(closure)
    np.testing.assert_allclose(w.detach(), [2.0, -1.0], atol=1e-6)
    assert b.item() == pytest.approx(0.5, abs=1e-6)


@pytest.mark.skipif(not hasattr(torch, "compile"), reason="this PyTorch has no torch.compile")
def test_compile_is_not_broken(m):
    f = pb.torch.wrap(m.norm2)
    compiled = torch.compile(lambda x: f(x * 2) + 1, backend="eager")
    x = real(X, requires_grad=True)
    y = compiled(x)
    y.backward()
    np.testing.assert_allclose(x.grad, 8 * np.array(X))


def test_what_is_wrong_is_refused(m):
    f = pb.torch.wrap(m.norm2)
    for given, error in [
        (torch.tensor([1j]), TypeError),
        (torch.tensor([True]), TypeError),
        (torch.tensor(1.0), ValueError),
        (torch.ones(2).to_sparse(), TypeError),
        (torch.empty(2, device="meta"), TypeError),
        ("x", TypeError),
    ]:
        with pytest.raises(error, match="`x`"):
            f(given)
    with pytest.raises(TypeError, match="not given"):
        f()
    with pytest.raises(TypeError, match="takes a function"):
        pb.torch.wrap(len)
    with pytest.raises(pb.SizeError):
        pb.torch.wrap(m.product)(torch.ones(2, 3), torch.ones(2))
