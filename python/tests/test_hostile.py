"""What is wrong is refused in words, and nothing that is given or kept does harm."""

import gc
import os
import pickle
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import pullback as pb


def test_wrong_arguments(m):
    for given, error, words in [
        ("x", TypeError, "`x` must be an array of Reals, not str"),
        (None, TypeError, "not NoneType"),
        (np.array([1j]), TypeError, "complex128"),
        (np.array(["a"]), TypeError, "`x`"),
        (np.array([1.0, None]), TypeError, "object"),
        (np.array([True]), TypeError, "bool"),
        ({"a": 1.0}, TypeError, "dict"),
        (1.0, ValueError, "must have 1 dimension, not 0"),
        (np.zeros((2, 2)), ValueError, "must have 1 dimension, not 2"),
        ([[1.0], [1.0, 2.0]], ValueError, "differing sizes"),
        (np.zeros(2, dtype=[("a", float)]), TypeError, "`x`"),
        (np.ma.array([1.0, 2.0], mask=[False, True]), ValueError, "`x` has masked elements"),
        (bytearray(b"ab"), TypeError, "not bytearray"),
    ]:
        with pytest.raises(error, match=words):
            m.norm2(given)
    with pytest.raises(TypeError, match="there is no parameter `y`"):
        m.norm2(x=[1.0], y=2.0)
    with pytest.raises(TypeError, match="`x` is given twice"):
        m.norm2([1.0], x=[1.0])
    with pytest.raises(TypeError, match="`x` is not given"):
        m.norm2()
    with pytest.raises(TypeError, match="2 arguments given"):
        m.norm2([1.0], [2.0])
    assert m.norm2(np.ma.array([1.0, 2.0])) == 5.0
    with pytest.raises(ValueError, match="masked"):
        m.cube(np.ma.masked)
    for given in (1.5, True, "1", None, np.float64(2)):
        with pytest.raises(TypeError, match="`n` must be an Int"):
            m.count(given)
    with pytest.raises(OverflowError):
        m.count(2**70)
    with pytest.raises(MemoryError):
        m.norm2(np.broadcast_to(1.0, (1 << 45,)))
    with pytest.raises(OverflowError):
        m.add(np.array([2**63], dtype=np.uint64), 1)
    with pytest.raises(TypeError, match="no field 'c'"):
        m.loss(np.zeros((1, 2)), [1.0], {"w": [0.0, 0.0], "b": 0.0, "c": 1})
    with pytest.raises(TypeError, match="a Model with a field `b`"):
        m.loss(np.zeros((1, 2)), [1.0], {"w": [0.0, 0.0]})
    with pytest.raises(TypeError, match="`p` must be a tuple"):
        m.pair(3.0)


def test_copies_can_be_refused(m):
    x = np.arange(6.0).reshape(2, 3)
    assert m.norm2(x[0], copy="error") == 5.0 and m.norm2([1.0], copy="allow") == 1.0
    for given, words in [(x[:, 0], "row by row"), (np.arange(3), "int64"), ([1.0], "list")]:
        with pytest.raises(TypeError, match="`x` would be copied") as told:
            m.norm2.using(copy="error")(given)
        assert words in str(told.value)
    with pytest.raises(ValueError, match="copy"):
        m.norm2(x[0], copy="never")


def test_wrong_sizes(m):
    with pytest.raises(pb.SizeError, match="size 2 where the size must be 1") as caught:
        m.loss(np.zeros((1, 2)), [1.0, 2.0], {"w": [0.0, 0.0], "b": 0.0})
    place = caught.value.span
    # The text stands in the file that has the fixture.
    assert caught.value.code == "E0804" and place["file"].endswith("conftest.py") and place["line"] == 15
    assert isinstance(caught.value, ValueError)
    assert "the sizes are declared here" in str(caught.value)
    with pytest.raises(pb.SizeError):
        m.loss(np.zeros((1, 3)), [1.0], {"w": [0.0, 0.0], "b": 0.0})
    with pytest.raises(pb.SizeError):
        m.squares.vjp([1.0, 2.0])[1]([1.0])
    with pytest.raises(pb.SizeError):
        m.squares.jvp(([1.0, 2.0],), ([1.0],))
    with pytest.raises(pb.EvalError):
        m.halves([1.0, 2.0, 3.0], [1.0])


def test_wrong_requests(m):
    with pytest.raises(pb.CompileError) as caught:
        m.squares.grad([1.0])
    assert caught.value.code == "E0810"
    for call in (lambda: m.norm2.grad([1.0], wrt="y"), lambda: m.add.vjp([1], 1)[1](None)):
        with pytest.raises(pb.CompileError):
            call()
    with pytest.raises(AttributeError):
        m.nothing
    with pytest.raises(KeyError):
        m["nothing"]
    for options in ({"engine": "none"},):
        with pytest.raises(pb.CompileError, match="no engine"):
            m.cube(1.0, **options)
    for options, error in [
        ({"fp": "x"}, ValueError),
        ({"timeout": "soon"}, TypeError),
        ({"timeout": -1.0}, ValueError),
        ({"timeout": float("nan")}, ValueError),
        ({"threads": 0}, ValueError),
        ({"threads": 1.5}, TypeError),
        ({"max_memory": -1}, TypeError),
    ]:
        with pytest.raises(error):
            m.cube(1.0, **options)
    with pytest.raises(pb.CompileError) as caught:
        pb.compile("def f x = y\ndef g = ", name="a.pull")
    error = caught.value
    assert error.code.startswith("E") and len(error.diagnostics) == 2
    assert error.span["file"] == "a.pull" and error.hints
    assert pickle.loads(pickle.dumps(error)).code == error.code
    with pytest.raises(pb.CompileError):
        m.fn(r"\x -> x + unknown")
    with pytest.raises(TypeError, match="must be a str, not bytes"):
        pb.compile(b"def x = 1.0")


def test_arrays_of_every_kind(m):
    x = np.arange(6.0)
    want = float(np.sum(x**2))
    read_only = x.copy()
    read_only.flags.writeable = False
    unaligned = np.frombuffer(b"\0" + x.tobytes(), dtype=np.uint8)[1:].view(np.float64)
    for given in (
        x,
        read_only,
        unaligned,
        np.arange(12.0)[::2] / 2,
        x[::-1],
        x.astype(np.float32),
        x.astype(np.int8),
        x.astype(">f8"),
        list(range(6)),
        tuple(x),
        range(6),
        memoryview(x),
        np.ma.array(x),
        np.asmatrix(x).A1,
    ):
        assert m.norm2(given) == want
    f_order = np.asfortranarray(np.arange(6.0).reshape(2, 3))
    np.testing.assert_allclose(m.product(f_order, np.ones(3)), f_order.sum(axis=1))
    assert m.norm2([]) == 0.0 and m.norm2(np.zeros(0)) == 0.0
    assert m.norm2.grad(np.zeros(0)).shape == (0,)
    assert np.isnan(m.norm2([np.nan])) and m.norm2([np.inf]) == np.inf
    assert m.product(np.zeros((0, 3)), np.ones(3)).shape == (0,)
    assert m.cube(np.array(2.0)) == 8.0 and m.cube(np.float32(2)) == 8.0 and m.cube(2) == 8.0


def test_results_are_the_callers_own(m, source):
    x = np.arange(5.0)
    y = m.same(x)
    y[0] = 100.0
    assert x[0] == 0.0
    for n in (5, 100_000):
        first = m.count(n)
        second = m.count(n)
        first[:] = -1.0
        assert second[1] == 1.0 and first.flags.writeable and first.flags.c_contiguous
    other = pb.compile(source)
    kept = [other.count(100_000) for _ in range(3)]
    x = np.linspace(0.0, 1.0, 100_000)
    gradient = other.norm2.grad(x)
    del other
    gc.collect()
    assert [k[99_999] for k in kept] == [99_999.0] * 3
    np.testing.assert_array_equal(gradient, 2 * x)
    view = kept[0][10:20]
    del kept
    gc.collect()
    assert view[0] == 10.0


def test_many_results_do_not_grow_memory(m):
    import resource

    x = np.linspace(0.0, 1.0, 100_000)
    for _ in range(50):
        m.norm2.grad(x)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(500):
        m.norm2.grad(x)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 20_000


def test_failures_of_calls(m):
    for engine in ("native", "ir"):
        with pytest.raises(pb.EvalError, match="out of range") as caught:
            m.at([1.0, 2.0], 5, engine=engine)
        assert caught.value.span["line"] > 1
        with pytest.raises(pb.EvalError, match="x must be positive"):
            m.refuses(-1.0, engine=engine)
        assert m.at([1.0, 2.0], 1, engine=engine) == 2.0
        with pytest.raises(MemoryError):
            m.large(10**7, max_memory="10M", engine=engine)
        started = time.monotonic()
        with pytest.raises(TimeoutError, match="0.2 s"):
            m.slow(10**12, 1.0, timeout="200ms", engine=engine)
        assert time.monotonic() - started < 5
        with pytest.raises(pb.EvalError):
            m.deep(10**9, max_memory="100M", engine=engine)
    assert m.deep(100_000) == 100_000
    quick = m.slow.using(timeout=0.1)
    with pytest.raises(TimeoutError):
        quick(10**12, 1.0)
    assert quick(1, 0.0) == 0.0


@pytest.mark.parametrize("engine", ["native", "ir"])
def test_interrupts(m, engine):
    m.slow(1, 1.0, engine=engine)
    before = signal.getsignal(signal.SIGINT)
    for _ in range(2):
        sent = []

        def interrupt():
            time.sleep(0.3)
            sent.append(time.monotonic())
            os.kill(os.getpid(), signal.SIGINT)

        thread = threading.Thread(target=interrupt)
        thread.start()
        with pytest.raises(KeyboardInterrupt):
            m.slow(10**12, 1.0, engine=engine)
        # Two processors that others use too may be late.
        assert time.monotonic() - sent[0] < 1.0
        thread.join()
    assert signal.getsignal(signal.SIGINT) is before
    with pytest.raises(KeyboardInterrupt):
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(1)


def test_threads(m):
    x = np.linspace(0.0, 1.0, 1000)
    want = m.rosenbrock.value_and_grad(x)
    wrong = []

    def work():
        for _ in range(200):
            value, gradient = m.rosenbrock.value_and_grad(x)
            if value != want[0] or not np.array_equal(gradient, want[1]):
                wrong.append(value)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_the_interpreter_runs_during_a_call(m):
    m.slow(1, 1.0)
    counted = 0
    thread = threading.Thread(target=lambda: pytest.raises(TimeoutError, m.slow, 10**12, 1.0, timeout=0.5))
    thread.start()
    while thread.is_alive():
        counted += 1
        time.sleep(0.001)
    assert counted > 20


def test_forks(m):
    m.slow(10, 1.0)
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            assert m.slow(10, 1.0) == m.slow(10, 1.0, engine="native")
            try:
                m.slow(10**12, 1.0, timeout=0.2)
            except TimeoutError:
                code = 0
        finally:
            os._exit(code)
    assert os.waitpid(pid, 0)[1] == 0


def test_pickles(m):
    for made in (pickle.loads(pickle.dumps(m)).cube, pickle.loads(pickle.dumps(m.cube))):
        assert made(2.0) == 8.0
    model = m.Model(np.zeros(2), 1.0)
    assert pickle.loads(pickle.dumps(model)) == model
    twice = pb.grad(pb.grad(m.cube))
    assert pickle.loads(pickle.dumps(twice))(2.0) == 12.0


def test_a_process_ends_in_order():
    text = (
        "import pullback as pb, numpy as np, threading\n"
        "m = pb.compile('def f (n: Int): [n]Real = [ real i | i < n ]')\n"
        "kept = m.f(100000)\n"
        "threading.Thread(target=m.f, args=(10,)).start()\n"
    )
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr


def test_stubs(tmp_path, source):
    path = tmp_path / "a.pull"
    path.write_text(source)
    command = [sys.executable, "-m", "pullback", "stubs", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    compile(done.stdout, "a.pyi", "exec")
    assert "def __call__(self, x: npt.ArrayLike, **options: Any) -> float: ..." in done.stdout
