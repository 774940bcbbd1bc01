"""With `fp="strict"` a call gives what the command gives with `--fp strict`, to the last bit: values and gradients of the
example programs, by native code and by the evaluator."""

import json
import pathlib
import subprocess

import numpy as np
import pytest

import pullback as pb

ROOT = pathlib.Path(__file__).parents[2]
COMMAND = ROOT / "target" / "release" / "pullback"

pytestmark = pytest.mark.skipif(not COMMAND.exists(), reason="the command is not built")

# An example, a definition that gives a Real, its arguments as expressions of the language, and what its gradient is with
# respect to.
CASES = [
    ("gmm", "objective", ["2", "3", "10", "points", "0", "1.0", "alpha", "mu", "q", "l"], ["alpha", "mu", "q", "l"]),
    ("hmc", "log_posterior", ["xs", "ys", "[1.1, 2.3]"], ["w"]),
    ("least_squares", "loss", ["features", "answers", "zero"], ["m"]),
    ("logistic", "loss", ["flowers", "[0, 2, 1]", "zero"], ["m"]),
    ("lstm_text", "loss", ["toves", "small"], ["net"]),
    ("neural_ode", "loss", ["start"], None),
    ("newton", "rosenbrock", ["[0.3, 1.7]"], None),
    ("rnn", "loss", ["target", "inputs", "start", "params"], None),
    ("cart_pole", "cost", ["first"], None),
    ("spring", "position", ["400", "2.0", "0.1"], None),
    ("soft_tree", "loss", ["start"], None),
    ("tree_network", "rate", ["start", "Word 0"], ["net"]),
    ("tree_product", "leaf_product", ["Node (Leaf 2.1) (Node (Leaf 3.3) (Leaf 4.7))"], None),
]


def reals(value):
    """All Reals of a value, in order; of JSON those have a point or are words."""
    if isinstance(value, np.ndarray):
        return value.ravel().tolist() if value.dtype.kind == "f" else []
    if isinstance(value, float):
        return [value]
    if hasattr(value, "_fields"):
        value = {name: getattr(value, name) for name in value._fields}
    if isinstance(value, dict):
        return [real for name in sorted(value) for real in reals(value[name])]
    if isinstance(value, (list, tuple)):
        return [real for item in value for real in reals(item)]
    return []


def argument(m, text):
    """The value of an expression: a definition, a number, a list, or a term of constructors."""
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return getattr(m, text) if text.isidentifier() else m.fn(rf"\() -> {text}").using(engine="ir")(())


def told(command, name, args, *options):
    line = [str(COMMAND), command, str(ROOT / "examples" / f"{name}.pull"), *args, "--json", *options]
    return json.loads(subprocess.run(line, capture_output=True, text=True, timeout=120, check=True).stdout)


def hexes(numbers):
    return [float(number).hex() for number in numbers]


@pytest.mark.parametrize("name, entry, args, wrt", CASES, ids=[case[0] for case in CASES])
def test_strict_calls_have_the_bits_of_the_command(name, entry, args, wrt):
    m = pb.load(str(ROOT / "examples" / f"{name}.pull"))
    given = [argument(m, arg) for arg in args]
    options = ["--wrt", ",".join(wrt)] if wrt else []
    by_command = told("grad", name, [entry, *args], "--fp", "strict", *options)
    assert told("grad", name, [entry, *args], "--engine", "ir", *options) == by_command
    for how in ({"fp": "strict", "engine": "native"}, {"engine": "ir"}, {"fp": "strict"}):
        value, gradient = getattr(m, entry).value_and_grad(*given, wrt=wrt, **how)
        assert value.hex() == by_command["value"].hex()
        wanted = by_command["gradient"]
        wanted = [wanted[one] for one in wrt or wanted]
        assert hexes(reals(gradient)) == hexes(reals(wanted)), how
