"""A run that stands still: where each rank is, is shown and written down, and the run ends with exit code 70."""

import io
import pdb
import signal
import sys
import time

import pytest

from paddlite.launch import processes
from paddlite.recipe import stacks, watchdog
from paddlite.recipe.watchdog import Watchdog, alive_path
from tests.distributed import ranks

needs_mpi = pytest.mark.skipif(ranks.mpiexec() is None, reason="mpiexec and mpi4py are not beside this Python")
TIMEOUT = 1.5
DUMP = """Thread 0x1 (most recent call first):
  File "/x/threading.py", line 3 in wait

Current thread 0x2 (most recent call first):
  File "/x/paddlite/distributed/mpi.py", line 5 in all_reduce
  File "train.py", line 9 in step
  File "/x/paddlite/launch/worker.py", line 9 in main
"""


@pytest.mark.mpi
@needs_mpi
@pytest.mark.parametrize(
    ("fault", "rank", "blamed", "shown"),
    [
        ("mpi", 1, 0, "in <lambda>"),
        ("native", 1, 0, "in match"),
        ("native", -1, 0, "in match"),
        ("stop", 1, 1, "in <lambda>"),
    ],
)
def test_the_launcher_ends_a_run_that_stands_still(launcher, fault, rank, blamed, shown):
    run = launcher("--nproc", 2, "--stall-timeout", TIMEOUT, "train.py", fault, rank, "MARK")
    code, output = run.end()
    assert code == 70, output
    lines = output.strip().splitlines()
    assert f"at {TIMEOUT} s the run is stopped" in output
    assert f"rank {blamed} stalled: no step ended for {TIMEOUT} s" in lines[-1]
    heads = [i for i, line in enumerate(lines) if line.startswith(("  rank 0", "  rank 1"))]
    assert len(heads) == 2
    assert all("train.py" in "".join(lines[i + 1 : i + 5]) for i in heads), output
    assert shown in output
    assert ("whose process was stopped" in output) == (fault == "stop")
    for number in range(2):
        assert "train.py" in stacks.path_of(run.logs(), number).read_text()


@pytest.mark.mpi
@needs_mpi
def test_the_rank_that_others_wait_for_is_named(launcher):
    script = """
import os, time
import paddlite as paddle
from paddlite.backend.world import WORLD
paddle.distributed.init_parallel_env()
for step in range(10**6):
    paddle.distributed.barrier()
    WORLD.beats += 1
    if step == 5 and paddle.distributed.get_rank() == 1:
        time.sleep(600)
"""
    run = launcher("--nproc", 2, "--stall-timeout", 4, "train.py", script=script)
    code, output = run.end()
    assert code == 70, output
    assert "rank 0, which waits for the others" in output
    assert "rank 1, most recent call first" in output
    assert "rank 1 stalled" in output.strip().splitlines()[-1]


@pytest.mark.parametrize("fault", ["sleep", "native"])
def test_one_process_ends_itself(launcher, fault):
    run = launcher("--stall-timeout", TIMEOUT, "train.py", fault, 0, "MARK")
    code, output = run.end()
    assert code == 70, output
    assert "train.py" in output
    assert "train.py" in stacks.path_of(run.logs(), 0).read_text()


@pytest.mark.mpi
@needs_mpi
@pytest.mark.parametrize("fault", ["sleep", "native"])
def test_ranks_of_another_launcher_end_themselves(launcher, fault):
    command = [ranks.mpiexec(), "-n", "2", sys.executable, "-m", "paddlite.launch"]
    run = launcher("--stall-timeout", TIMEOUT, "train.py", fault, 1, "MARK", command=command)
    code, output = run.end()
    assert code in (70, 9), output  # of mpiexec: 9 where it first sees the end of the rank that it killed itself
    for number in range(2):
        assert f"  rank {number}, most recent call first" in output
        assert "train.py" in stacks.path_of(run.logs(), number).read_text()
    assert " stalled: no step ended for" in output


def test_a_suspended_process_is_not_taken_for_a_stall(launcher):
    run = launcher("--stall-timeout", 1, "train.py", "loop", 0, "MARK")
    run.wait_until_stepping()
    run.send(signal.SIGTSTP)
    run.wait(lambda: processes.state(run.process.pid) == "T", "it was not suspended")
    time.sleep(2.5)  # longer than all timers
    run.send(signal.SIGCONT)
    time.sleep(0.5)
    assert run.process.poll() is None, run.process.communicate()[0]
    run.send(signal.SIGINT)
    assert run.end()[0] == 130


def test_a_script_may_take_its_time_unless_it_is_told_otherwise(launcher, tmp_path):
    code, output = launcher("train.py", script="import time; time.sleep(1)").end()
    assert code == 0, output
    assert not list(tmp_path.rglob("*.alive"))
    assert not list(tmp_path.rglob("*.stacks.txt"))


def test_nothing_is_left_of_a_watchdog(tmp_path):
    (tmp_path / "logs").mkdir()
    before = signal.getsignal(signal.SIGTSTP)
    with Watchdog(tmp_path, 0, 60.0) as dog:
        dog.beat()
        assert alive_path(tmp_path / "logs", 0).exists()
    assert signal.getsignal(signal.SIGTSTP) is before
    assert not alive_path(tmp_path / "logs", 0).exists()


def test_a_debugger_that_waits_for_its_user_is_no_stall():
    found = []

    class Input:
        def readline(self):
            found.append(watchdog._debugged())
            return "c\n"

    pdb.Pdb(stdin=Input(), stdout=io.StringIO()).set_trace()
    found.append(watchdog._debugged())
    assert found == [True, False]


def test_stacks_are_told_without_the_launcher_s_frames(tmp_path):
    stacks.path_of(tmp_path, 0).write_text("old\n" + DUMP)
    stacks.path_of(tmp_path, 1).write_text(DUMP.replace("distributed", "nn"))
    lines, to_blame = stacks.told(tmp_path, 3, frozenset())
    assert to_blame == [1, 2]
    assert lines == [
        "  rank 0, which waits for the others, most recent call first:",
        '    File "/x/paddlite/distributed/mpi.py", line 5 in all_reduce',
        '    File "train.py", line 9 in step',
        "  rank 1, most recent call first:",
        '    File "/x/paddlite/nn/mpi.py", line 5 in all_reduce',
        '    File "train.py", line 9 in step',
        "  rank 2: no stack could be had",
    ]
    assert stacks.told(tmp_path, 3, frozenset({0}))[1] == [0, 1, 2]
