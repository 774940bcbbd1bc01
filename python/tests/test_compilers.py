"""Which C compiler runs, and what happens where there is none."""

import importlib.util
import os
import subprocess
import sys

import pytest

PROGRAM = """
import sys, warnings
{before}
import pullback as pb
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    m = pb.compile("def f [n] (x: [n]Real): Real = sum [ exp t | t <- x ]\\ndef g (x: Real): Real = x + {number}")
    assert m.f([0.0, 0.0]) == 2.0 and m.f.grad([0.0, 0.0]).tolist() == [1.0, 1.0] and m.g(1.0) == {number} + 1
    print(m.f._code("value").engine, len([one for one in told if "C compiler" in str(one.message)]))
"""


def run(tmp_path, before: str = "", **environment) -> list[str]:
    kept = {name: value for name, value in os.environ.items() if name not in ("CC", "PATH")}
    kept |= {"PATH": os.environ["PATH"], "XDG_CACHE_HOME": str(tmp_path), "PYTHONPATH": os.pathsep.join(sys.path)} | environment
    program = PROGRAM.format(before=before, number=abs(hash(str(tmp_path))) % 1000)
    done = subprocess.run([sys.executable, "-c", program], env=kept, capture_output=True, text=True, timeout=150)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_a_compiler_with_arguments(tmp_path):
    assert run(tmp_path, CC="cc -O1 -g0") == ["native", "0"]


def test_the_compiler_of_a_package(tmp_path):
    if importlib.util.find_spec("ziglang") is None:
        pytest.skip("ziglang is not installed")
    assert run(tmp_path, PATH=str(tmp_path)) == ["native", "0"]


def test_no_compiler_is_one_warning(tmp_path):
    without = "import importlib.util as u; find = u.find_spec\nu.find_spec = lambda name, *rest: None if name == 'ziglang' else find(name, *rest)"
    assert run(tmp_path, without, PATH=str(tmp_path)) == ["ir", "1"]
    assert run(tmp_path, CC=str(tmp_path / "nothing")) == ["ir", "1"]
