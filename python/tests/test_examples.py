"""The example programs called from Python, against what their own lines of expectation say."""

import json
import pathlib
import subprocess

import numpy as np
import pytest

import pullback as pb

ROOT = pathlib.Path(__file__).parents[2]
COMMAND = ROOT / "target" / "release" / "pullback"


@pytest.fixture(scope="module")
def load():
    return lambda name: pb.load(str(ROOT / "examples" / f"{name}.pull"))


def near(found, wanted, rel=1e-12):
    np.testing.assert_allclose(found, wanted, rtol=rel, atol=1e-12)


def test_arm(load):
    m = load("arm")
    near(m.hand([0.0, 0.0]), [1.8, 0.0])
    near(m.hand.jacobian([0.0, 0.0]), [[0.0, 0.0], [1.8, 0.8]])
    near(m.hand(m.reach([0.9, 0.9])), [0.9, 0.9], 1e-6)


def test_cart_pole(load):
    m = load("cart_pole")
    assert m.step({"x": 0.0, "v": 0.0, "angle": 0.0, "spin": 0.0}, 1.1).v == pytest.approx(0.021463414634146343)
    value, slope = m.cost.value_and_grad(m.first)
    step = 1e-4 * slope / np.linalg.norm(slope)
    assert m.cost(np.zeros(4)) > 100.0 and m.cost(m.first - step) < value


def test_gmm(load):
    m = load("gmm")
    value = m.objective(2, 3, 10, m.points, 0, 1.0, m.alpha, m.mu, m.q, m.l)
    near(value, -55.4860246309529)


def test_hmc(load):
    m = load("hmc")
    near(m.log_posterior.grad(m.xs, m.ys, [1.0, 2.0], wrt="w"), [0.39, 0.18])


def test_implicit_layer(load):
    m = load("implicit_layer")
    near(m.layer(m.params), m.unrolled(m.params), 1e-9)
    _, pull = m.layer.vjp(m.params)
    _, pull_unrolled = m.unrolled.vjp(m.params)
    near(pull([1.0, 1.0]).w, pull_unrolled([1.0, 1.0]).w, 1e-9)


def test_least_squares(load):
    m = load("least_squares")
    value, g = m.loss.value_and_grad(m.features, m.answers, m.zero, wrt="m")
    assert value == 31.5
    near(g.w, [-2.5, -3.0, -3.5])
    near(m.train(0.8, m.features, m.answers, 500).w, [1.0, 2.0, 3.0], 1e-6)


def test_logistic(load):
    m = load("logistic")
    value, g = m.loss.value_and_grad(m.flowers, [0, 0, 0], m.zero, wrt="m")
    near(g.bias, [-2.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0])


def test_lstm_text(load):
    m = load("lstm_text")
    value, g = m.loss.value_and_grad(m.toves, m.small, wrt="net")
    near(value, 2.3137603066715444)
    near(g.bias[1][0], 0.002911783275793958, 1e-10)


def test_neural_ode(load):
    m = load("neural_ode")
    assert m.loss(m.start) > 0.5 and m.loss(m.train(150)) < 0.01


def test_newton(load):
    m = load("newton")
    value, slope = m.square_root.value_and_grad(2.0)
    near([value, slope], [np.sqrt(2.0), 0.5 / np.sqrt(2.0)])
    near(m.rosenbrock.hessian([1.0, 1.0]), [[802.0, -400.0], [-400.0, 200.0]])


def test_rnn(load):
    m = load("rnn")
    near(m.run(m.params, m.start, m.inputs), [-0.067758736409842152, -0.43452251116031726])
    value, g = m.loss.value_and_grad(m.target, m.inputs, m.start, m.params, wrt=m.loss.parameters[-1])
    near(value, 1.4598735095639763)
    near(g.w[0], [0.50897447954506631, -1.0288431797163431])
    # A list is a sum, and a Python value of it nests.
    inputs = m.Nil()
    for row in m.inputs[::-1]:
        inputs = m.Cons(row, inputs)
    near(m.run_list(m.params, m.start, inputs), m.run(m.params, m.start, m.inputs))


def test_soft_tree(load):
    m = load("soft_tree")
    value, g = m.loss.value_and_grad(m.start)
    near(value, 0.3276920781822963)
    match g:
        case m.Split(branch, m.Leaf(left), _):
            assert branch.feature is None
            near([branch.cut, branch.slope, left], [0.3041311266991939, -0.017970160986534024, -0.07544927168478627])
    p = m.loss.bind().flat(m.start)
    assert p.value(p.x0 - 0.1 * p.grad(p.x0)) < value


def test_spring(load):
    m = load("spring")
    near(m.position.grad(4000, 2.0, 0.1, wrt="friction"), m.exact.grad(10.0, 2.0, 0.1, wrt="friction"), 2e-2)


def test_tree_network(load):
    m = load("tree_network")
    near(m.rate(m.start, m.Word(0)), 0.598687660112452)
    near(m.rate.grad(m.start, m.Word(0), wrt="net").words[0], [0.24026074574152914, -0.24026074574152914])


def test_tree_product(load):
    m = load("tree_product")
    tree = m.Node(m.Leaf(2.0), m.Node(m.Leaf(3.0), m.Leaf(4.0)))
    assert m.leaf_product.value_and_grad(tree) == (24.0, m.Node(m.Leaf(12.0), m.Node(m.Leaf(8.0), m.Leaf(6.0))))


@pytest.mark.skipif(not COMMAND.exists(), reason="the command is not built")
def test_the_command_says_the_same(load):
    m = load("gmm")
    data = ROOT / "examples" / "data" / "gmm.json"
    line = [str(COMMAND), "grad", str(ROOT / "examples" / "gmm.pull"), "objective", "--input", str(data), "--json"]
    told = json.loads(subprocess.run(line, capture_output=True, text=True, timeout=120, check=True).stdout)
    given = json.loads(data.read_text())
    names = [name for name in m.objective.parameters if name in told["gradient"]]
    value, parts = m.objective.value_and_grad(*(given[name] for name in m.objective.parameters), wrt=names, fp="strict")
    assert value == told["value"]
    # The command's default engine adds up cotangents in another order.
    for name, part in zip(names, parts):
        near(part, told["gradient"][name])
