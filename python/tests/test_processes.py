"""Data and sweeps in several processes."""

import os
import pathlib
import shutil
import subprocess
import sys

import numpy as np
import pytest

import pullback as pb
from pullback.shards import cut, total

EXAMPLE = pathlib.Path(__file__).parents[2] / "examples" / "python" / "data_parallel.py"


def run(*command) -> str:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([*command, sys.executable, str(EXAMPLE)], env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_any_number_of_processes_gives_the_same_bits():
    pytest.importorskip("mpi4py")
    mpiexec = shutil.which("mpiexec", path=os.path.dirname(sys.executable)) or shutil.which("mpiexec")
    if mpiexec is None:
        pytest.skip("there is no mpiexec")
    one = run()
    assert len(one.split()) == 2
    for count in ("2", "4"):
        assert run(mpiexec, "-n", count) == one


def test_shards():
    assert [(one.start, one.stop) for one in cut(10, 4)] == [(0, 3), (3, 6), (6, 8), (8, 10)]
    assert [one.stop - one.start for one in cut(2, 3)] == [1, 1, 0]
    with pytest.raises(ValueError):
        cut(3, 0)
    np.testing.assert_array_equal(total(lambda at: np.array([at, 1.0]), 4), [6.0, 4.0])
    with pytest.raises(pb.EvalError):
        total(lambda at: pb.compile('def f (x: Real): Real = error "no"').f(1.0, engine="ir"), 2)


def sweep(function, start: float) -> float:
    """A few steps downhill from a point."""
    for _ in range(50):
        start -= 0.1 * function.grad(start)
    return start


def test_a_sweep_on_dask():
    distributed = pytest.importorskip("distributed")
    m = pb.compile("def f (x: Real): Real = (x - 2) ^ 2 + cos x")
    starts = [0.0, 1.0, 3.0, 4.0]
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        with distributed.Client(cluster) as client:
            futures = [client.submit(sweep, m.f, start) for start in starts]
            assert client.gather(futures) == [sweep(m.f, start) for start in starts]


def test_a_sweep_on_ray():
    ray = pytest.importorskip("ray")
    m = pb.compile("def f (x: Real): Real = (x - 2) ^ 2 + cos x")
    starts = [0.0, 1.0, 3.0, 4.0]
    # Workers find what this process imports.
    environment = {"env_vars": {"PYTHONPATH": os.pathsep.join([*sys.path, str(pathlib.Path(__file__).parent)])}}
    ray.init(num_cpus=2, include_dashboard=False, runtime_env=environment, log_to_driver=False)
    try:
        remote = ray.remote(sweep)
        function = ray.put(m.f)
        assert ray.get([remote.remote(function, start) for start in starts]) == [sweep(m.f, start) for start in starts]
    finally:
        ray.shutdown()
