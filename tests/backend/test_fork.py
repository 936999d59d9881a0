"""What a forked child may not touch."""

import os
import sys
import warnings
from types import SimpleNamespace

import pytest

from paddlite.backend import device, fork
from paddlite.backend.world import WORLD


def in_child(allowed):
    """What `allowed()` gives in a forked child."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of forks beside threads, since Python 3.12
        child = os.fork()
    if child == 0:
        code = 2
        try:
            code = int(allowed())
        finally:
            os._exit(code)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert code < 2
    return bool(code)


def may_use_mpi():
    try:
        fork.refuse("MPI")
    except RuntimeError as error:
        return "num_workers=0" not in str(error)
    return True


def may_use_gpu():
    try:
        device.cupy()
    except RuntimeError:
        return False
    return True


def test_mpi_stays_with_the_process_that_joined(monkeypatch):
    assert in_child(may_use_mpi)
    monkeypatch.setattr(WORLD, "communicator", object())
    assert not in_child(may_use_mpi)
    assert may_use_mpi()


@pytest.fixture
def stand_in_for_cupy(monkeypatch):
    loaded = sys.modules.get("cupy")
    monkeypatch.setitem(sys.modules, "cupy", loaded or SimpleNamespace())
    device.cupy.cache_clear()
    yield
    device.cupy.cache_clear()


@pytest.mark.usefixtures("stand_in_for_cupy")
def test_the_gpu_stays_with_the_process_that_uses_it():
    assert in_child(may_use_gpu)
    assert may_use_gpu()
    assert not in_child(may_use_gpu)


def test_leaving_a_job_keeps_what_the_process_is(monkeypatch):
    monkeypatch.setattr(WORLD, "worker", "worker")
    WORLD.leave()
    assert (WORLD.rank, WORLD.size, WORLD.worker) == (0, 1, "worker")
