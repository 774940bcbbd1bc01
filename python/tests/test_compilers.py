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


def test_calls_do_not_wait_for_the_compiler(tmp_path):
    slow = tmp_path / "slow"
    slow.write_text("#!/bin/sh\ncase \"$*\" in *-lm*) sleep 3;; esac\nexec cc \"$@\"\n")
    slow.chmod(0o755)
    text = '''
import os, time
import pullback as pb
m = pb.compile("def f (x: Real): Real = x + %d\\ndef g (k: Int) (x: Real): Real = loop y = x for _ < k do 3.7 * y * (1.0 - y)\\ndef h (x: Real): Real = error \\"no\\"")
start = time.monotonic()
assert m.f(1.0) == %d + 1
code = m.f._code("value")
assert code.engine == "native" and not code.is_native, time.monotonic() - start
pid = os.fork()
if pid == 0:
    # The thread that compiles is the parent's.
    os._exit(0 if m.f(1.0) == %d + 1 and code.is_native else 1)
assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
# A long call begins again in native code; one that fails says so.
assert 0.0 < m.g(400_000_000, 0.3) < 1.0 and m.g._code("value").is_native
try:
    m.h(1.0)
except pb.EvalError as error:
    assert "no" in str(error)
while not code.is_native:
    time.sleep(0.1)
assert m.f(1.0) == %d + 1
assert m.f.using(engine="native").grad(1.0) == 1.0
''' % ((abs(hash(str(tmp_path))) % 1000,) * 4)
    kept = os.environ | {"CC": str(slow), "XDG_CACHE_HOME": str(tmp_path), "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", text], env=kept, capture_output=True, text=True, timeout=150)
    assert done.returncode == 0, done.stderr


def test_who_asks_for_parameters_compiles_nothing(tmp_path):
    noted = tmp_path / "noted"
    noting = tmp_path / "noting"
    noting.write_text(f"#!/bin/sh\ncase \"$*\" in *-lm*) echo once >> {noted};; esac\nexec cc \"$@\"\n")
    noting.chmod(0o755)
    text = f'''
import time
from pathlib import Path
import pullback as pb
noted = Path({str(noted)!r})
m = pb.compile("def f (x: Real) (k: Int): Real = x ^ k + {abs(hash(str(tmp_path))) % 1000}")
assert m.f.parameters == ("x", "k") and m.f._reals == ("x",)
time.sleep(1.0)
assert not noted.exists()
assert m.f.grad(3.0, 2, engine="native") == 6.0
assert noted.read_text() == "once\\n"
'''
    kept = os.environ | {"CC": str(noting), "XDG_CACHE_HOME": str(tmp_path), "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", text], env=kept, capture_output=True, text=True, timeout=150)
    assert done.returncode == 0, done.stderr


def test_a_later_process_finds_code_before_any_pass_runs(tmp_path):
    # A compiler with arguments leaves no note of its version, so that all memos are those of functions.
    kept = os.environ | {"CC": "cc -g0", "XDG_CACHE_HOME": str(tmp_path), "PYTHONPATH": os.pathsep.join(sys.path)}

    def slope(number: int) -> float:
        text = f'import pullback as pb; print(pb.compile("def f (x: Real): Real = {number} * x").f.grad(1.0, engine="native"))'
        done = subprocess.run([sys.executable, "-c", text], env=kept, capture_output=True, text=True, timeout=150)
        assert done.returncode == 0, done.stderr
        return float(done.stdout)

    assert (slope(2), slope(3)) == (2.0, 3.0)
    one, other = (tmp_path / "pullback").glob("*.memo")
    # Whoever finds what is kept for the other function, answers as that one.
    texts = one.read_bytes(), other.read_bytes()
    other.write_bytes(texts[0])
    one.write_bytes(texts[1])
    assert (slope(2), slope(3)) == (3.0, 2.0)
    one.write_bytes(texts[1][:-1])
    assert sorted((slope(2), slope(3))) in ([2.0, 2.0], [3.0, 3.0])
    assert one.read_bytes() == texts[0]
    other.unlink()
    assert (slope(2), slope(3)) == (2.0, 3.0)


def test_no_compiler_is_one_warning(tmp_path):
    without = "import importlib.util as u; find = u.find_spec\nu.find_spec = lambda name, *rest: None if name == 'ziglang' else find(name, *rest)"
    assert run(tmp_path, without, PATH=str(tmp_path)) == ["ir", "1"]
    assert run(tmp_path, CC=str(tmp_path / "nothing")) == ["ir", "1"]
