"""Sums over data in shards, with the same bits for any number of processes.

The data are cut into as many shards as you say, whoever computes them. Each process computes its shards, and all add up the
parts of all shards in the order of the shards. So a run with four processes gives what a run with one gives, to the last bit.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["cut", "total"]


def cut(count: int, shards: int) -> list[slice]:
    """The shards of so many rows: as equal as they can be, the longer ones first. The number of shards must not depend on that
    of the processes."""
    if shards < 1:
        raise ValueError(f"there must be a shard at least, not {shards}")
    size, more = divmod(count, shards)
    starts = [at * size + min(at, more) for at in range(shards + 1)]
    return [slice(a, b) for a, b in zip(starts, starts[1:])]


def total(part: Callable[[int], np.ndarray], shards: int, comm: Any = None) -> np.ndarray:
    """The sum of the parts of all shards, in their order. `part(at)` is that of one shard, an array of a size that all have.
    `comm` is a communicator of mpi4py; without one this process computes all. Every process gets the sum."""
    rank, size = (0, 1) if comm is None else (comm.Get_rank(), comm.Get_size())
    mine: dict[int, np.ndarray] = {}
    failure: Exception | None = None
    try:
        for at in range(rank, shards, size):
            mine[at] = np.asarray(part(at), dtype=np.float64)
    except Exception as error:
        # Nobody may wait for a process that has failed.
        failure = error
    gathered = [(mine, failure)] if comm is None else comm.allgather((mine, _told(failure)))
    for _, failed in gathered:
        if failed is not None:
            raise failure if failure is not None else RuntimeError(f"another process has failed: {failed}")
    parts = {at: one for found, _ in gathered for at, one in found.items()}
    result = parts[0].copy()
    for at in range(1, shards):
        result += parts[at]
    return result


def _told(failure: Exception | None) -> str | None:
    return None if failure is None else f"{type(failure).__name__}: {failure}"
