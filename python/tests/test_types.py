"""Type checkers: the package is clean, and the stubs of a module say what may be given."""

import pathlib
import subprocess
import sys

import pytest

import pullback as pb
from pullback._stubs import stubs

pytest.importorskip("mypy")
ROOT = pathlib.Path(__file__).parents[2]

USE = """
import fit
value: float = fit.cube(2.0)
count: int = fit.seven
norm: float = fit.norm2([1.0, 2.0])
loss = fit.loss([[1.0, 2.0]], [1.0], {"w": [1.0, 2.0], "b": 0.0})
gradient = fit.norm2.grad([1.0])
area: float = fit.areas([fit.Circle(2.0), fit.Dot()])
found: fit.Some | None = fit.first([fit.Circle(2.0)], 1.0)
match found:
    case fit.Some(fit.Circle(r)):
        print(r)
"""
SUMS = """
type Shape = Circle Real | Dot
def areas [n] (shapes: [n]Shape): Real = real n
def first [n] (shapes: [n]Shape) (x: Real): Option Shape = Some shapes[0]
"""
WRONG = """
import fit
value: str = fit.cube(2.0)
fit.cube("two")
fit.cube()
fit.areas([2.0])
"""


def mypy(*arguments, folder) -> str:
    command = [sys.executable, "-m", "mypy", "--cache-dir", str(folder / "cache"), *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300).stdout


def test_the_package_is_clean(tmp_path):
    told = mypy("--config-file", str(ROOT / "pyproject.toml"), str(ROOT / "python" / "pullback"), folder=tmp_path)
    assert "Success" in told, told


def test_stubs(m, tmp_path, source):
    (tmp_path / "fit.pyi").write_text(stubs(pb.compile(source + SUMS)))
    (tmp_path / "use.py").write_text(USE)
    (tmp_path / "wrong.py").write_text(WRONG)
    told = mypy("--strict", "fit.pyi", "use.py", folder=tmp_path)
    assert "Success" in told, told
    told = mypy("wrong.py", folder=tmp_path)
    assert [line.split(":")[1] for line in told.splitlines() if ": error:" in line] == ["3", "4", "5", "6"], told
