"""`spawn`: a function in several processes, and how their failures are told."""

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

import paddlite as paddle
from paddlite.launch import processes
from tests.distributed import ranks

pytestmark = [
    pytest.mark.mpi,
    pytest.mark.skipif(ranks.mpiexec() is None, reason="mpiexec and mpi4py are not beside this Python"),
]
ROOT = Path(__file__).resolve().parent.parent.parent


def work(folder, fault):
    """What the processes do."""
    from mpi4py import MPI

    rank, ranks_ = paddle.distributed.get_rank(), paddle.distributed.get_world_size()
    Path(folder, f"{rank}").write_text(f"{MPI.COMM_WORLD.allreduce(rank + 1)} of {ranks_}")
    if rank == ranks_ - 1:
        if fault == "raise":
            raise ValueError("boom")
        if fault == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        if fault == "exit":
            sys.exit(5)


@pytest.fixture(autouse=True)
def temporary(tmp_path_factory, monkeypatch):
    """A folder for temporary files of each test's own, in which nothing may be left."""
    folder = tmp_path_factory.mktemp("temporary")
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    yield
    assert not list(folder.iterdir())


def test_a_function_runs_in_every_process(tmp_path, capfd):
    paddle.distributed.spawn(work, args=(str(tmp_path), ""), nprocs=2)
    assert {p.name: p.read_text() for p in tmp_path.iterdir()} == {"0": "3 of 2", "1": "3 of 2"}


@pytest.mark.parametrize(
    ("fault", "nprocs", "code", "text"),
    [
        ("raise", 2, 1, "ValueError: boom"),
        ("kill", 2, 137, "rank 1 was killed by SIGKILL"),
        ("exit", 2, 5, "rank 1 failed first (sys.exit): exit code 5"),
        ("raise", 1, 1, "ValueError: boom"),
    ],
)
def test_a_failure_is_raised(tmp_path, capfd, fault, nprocs, code, text):
    with pytest.raises(paddle.distributed.SpawnError) as caught:
        paddle.distributed.spawn(work, args=(str(tmp_path), fault), nprocs=nprocs)
    assert text in str(caught.value)
    assert (caught.value.exit_code, caught.value.rank) == (code, nprocs - 1)


def test_not_waiting(tmp_path, capfd):
    context = paddle.distributed.spawn(work, args=(str(tmp_path), ""), nprocs=1, join=False)
    assert not context.join(timeout=0)
    assert context.join()
    assert (tmp_path / "0").read_text() == "1 of 1"


def test_mistakes_are_told_with_the_cure(monkeypatch):
    with pytest.raises(TypeError, match="Define the function at the top of a module or script"):
        paddle.distributed.spawn(lambda: None, nprocs=2)
    with pytest.raises(ValueError, match="start_method can be 'spawn' only"):
        paddle.distributed.spawn(work, nprocs=2, start_method="fork")
    with pytest.raises(ValueError, match="unknown option 'ips'"):
        paddle.distributed.spawn(work, nprocs=2, ips="a")
    monkeypatch.setenv("PADDLITE_RANK", "0")
    monkeypatch.setenv("PADDLITE_WORLD_SIZE", "1")
    with pytest.raises(RuntimeError, match='if __name__ == "__main__"'):
        paddle.distributed.spawn(work, nprocs=2)


def test_processes_end_with_the_one_that_called(tmp_path):
    (tmp_path / "main.py").write_text(
        "import pathlib, sys, time\nimport paddlite as paddle\n"
        "def wait(folder):\n    pathlib.Path(folder, str(paddle.distributed.get_rank())).touch()\n    time.sleep(600)\n"
        "if __name__ == '__main__':\n    paddle.distributed.spawn(wait, args=(sys.argv[1],), nprocs=2)\n"
    )
    env = {**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(tmp_path)}
    (tmp_path / "up").mkdir()
    caller = subprocess.Popen([sys.executable, tmp_path / "main.py", tmp_path / "up"], env=env)
    end = time.monotonic() + 40
    while len(list((tmp_path / "up").iterdir())) < 2 and time.monotonic() < end:
        time.sleep(0.02)
    below = processes.descendants(caller.pid)
    assert len(below) >= 5  # launcher, guard, mpiexec, proxy, ranks
    caller.kill()
    caller.wait()
    while any(map(processes.alive, below)) and time.monotonic() < end:
        time.sleep(0.02)
    assert not [pid for pid in below if processes.alive(pid)]
