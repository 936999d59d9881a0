"""How a run ends: exit code, whose error is shown last, and that no process is left."""

import os
import signal
import subprocess
import sys
import time

import pytest

from paddlite.launch import processes
from tests.distributed import ranks
from tests.launch.runs import LIMIT, ROOT, TRAIN

pytestmark = [
    pytest.mark.mpi,
    pytest.mark.skipif(ranks.mpiexec() is None, reason="mpiexec and mpi4py are not beside this Python"),
]


@pytest.mark.parametrize(
    ("fault", "rank", "code", "last"),
    [
        ("ok", 0, 0, ""),
        ("raise", 1, 1, "rank 1 failed first (KeyError): exit code 1; its log is"),
        ("exit3", 1, 3, "rank 1 failed first (sys.exit): exit code 3; its log is"),
        ("text", 1, 1, "rank 1 failed first (sys.exit): exit code 1; its log is"),
        ("exit0", 1, 70, "rank 1 failed first (early end): lost or stalled; its log is"),
        ("_exit0", 1, 70, "ended without a word"),
        ("_exit7", 0, 7, "ended without a word"),
        ("kill", 0, 137, "rank 0 was killed by SIGKILL, often the system out of memory; its log is"),
        ("segv", 1, 139, "rank 1 was killed by SIGSEGV, a crash in native code; its log is"),
        ("child", 1, 137, "rank 1 was killed by SIGKILL"),
        ("daemon", 0, 137, "rank 0 was killed by SIGKILL"),  # it holds the pipes that mpiexec reads
        ("daemon", 1, 137, "rank 1 was killed by SIGKILL"),
    ],
)
def test_a_fault_of_one_rank_ends_the_run(launcher, fault, rank, code, last):
    run = launcher("--nproc", 2, "--exit-grace", 1, "train.py", fault, rank, "MARK")
    got, output = run.end()
    assert got == code, output
    lines = output.strip().splitlines()
    if last:
        assert last in lines[-1], output
    if fault == "raise":
        assert "KeyError: 'boom'" in lines[-2]
        assert "runpy" not in output
    if fault == "text":
        assert "no more" in lines[-2]
    if fault == "segv":
        assert any("Segmentation fault" in line for line in lines[:-1])
        assert any("train.py" in line for line in lines[:-1])
    assert "BAD TERMINATION" not in output


@pytest.mark.parametrize(
    ("before_mpi", "code", "last"),
    [
        ("import no_such_module", 1, "No module named 'no_such_module'"),
        ("import os; os._exit(0)", 70, "ended without a word"),
        ("import os; os.kill(os.getpid(), 9)", 137, "rank 1 was killed by SIGKILL"),
        ("def f(:", 1, "SyntaxError"),
    ],
)
def test_a_fault_before_the_script_joins_the_others(launcher, before_mpi, code, last):
    if before_mpi.startswith("def"):
        script = before_mpi
    else:
        script = f"import os\nif os.environ['PADDLITE_RANK'] == '1':\n    {before_mpi}\n" + TRAIN
    run = launcher("--nproc", 2, "train.py", "loop", 0, "MARK", script=script)
    got, output = run.end()
    assert got == code, output
    assert last in "\n".join(output.strip().splitlines()[-2:])


@pytest.mark.parametrize(
    ("number", "code"),
    [
        (signal.SIGINT, 130),
        (signal.SIGTERM, 143),
        (signal.SIGHUP, 129),
        (signal.SIGKILL, -signal.SIGKILL),
    ],
)
def test_a_signal_to_the_launcher_ends_all(launcher, number, code):
    run = launcher("--nproc", 2, "train.py", "loop", 0, "MARK")
    run.wait_until_stepping()
    run.send(number)
    got, output = run.end()
    assert got == code, output


def test_a_killed_launcher_takes_daemons_of_its_ranks_along(launcher):
    script = TRAIN.replace("FAULTS.get(fault, lambda: None)()", "subprocess.Popen(SLEEP, start_new_session=True)")
    run = launcher("--nproc", 2, "train.py", "loop", -1, "MARK", script=script)
    run.wait(lambda: len(run.left()) >= 8, "the daemons did not come up")  # launcher, guard, mpiexec, proxy, 2 + 2
    run.send(signal.SIGKILL)
    run.end()


def test_a_daemon_of_a_rank_does_not_outlive_a_good_end(launcher):
    script = TRAIN.replace("FAULTS.get(fault, lambda: None)()", "subprocess.Popen(SLEEP, start_new_session=True)")
    run = launcher("--nproc", 2, "train.py", "ok", 0, "MARK", script=script)
    code, output = run.end()
    assert code == 0, output


def test_a_rank_that_does_not_stop_is_killed_when_asked_twice(launcher):
    script = TRAIN.replace("import os,", "import signal; signal.signal(2, signal.SIG_IGN)\nimport os,", 1)
    run = launcher("--nproc", 2, "train.py", "loop", 0, "MARK", script=script)
    run.wait_until_stepping()
    run.send(signal.SIGINT)
    time.sleep(0.3)
    run.send(signal.SIGINT)
    assert run.end()[0] == 130


def test_a_handler_of_the_script_is_honoured(launcher):
    handler = "import signal\nasked = []\nsignal.signal(signal.SIGTERM, lambda *_: asked.append(1))\n"
    leave = "    if exchange(len(asked)):\n        print('saved', flush=True)\n        sys.exit(75)\n"
    script = handler + TRAIN.replace("    WORLD.beats", leave + "    WORLD.beats")
    run = launcher("--nproc", 2, "train.py", "loop", 0, "MARK", script=script)
    run.wait_until_stepping()
    run.send(signal.SIGTERM)
    code, output = run.end()
    assert code == 75, output
    assert "saved" in output


def test_a_suspended_launcher_suspends_its_ranks(launcher):
    run = launcher("--nproc", 2, "train.py", "loop", 0, "MARK")
    run.wait_until_stepping()
    run.send(signal.SIGTSTP)
    run.wait(lambda: sum(processes.state(pid) == "T" for pid in run.left()) >= 3, "nothing was suspended")
    run.send(signal.SIGCONT)
    run.wait(lambda: all(processes.state(pid) != "T" for pid in run.left()), "it does not go on")
    run.send(signal.SIGTERM)
    assert run.end()[0] == 143


def test_ranks_that_do_not_come_up_are_named(launcher, tmp_path):
    site = tmp_path / "slow"
    site.mkdir()
    (site / "sitecustomize.py").write_text("import os, time\nif os.environ.get('PMI_RANK') == '1': time.sleep(60)\n")
    words = ["--nproc", 2, "--start-timeout", 2, "train.py", "ok", 0, "MARK"]
    run = launcher(*words, PYTHONPATH=f"{ROOT}:{site}")
    code, output = run.end()
    assert code == 70
    assert "did not come up within 2 s (--start-timeout)" in output


def test_arguments_reach_every_rank_as_they_are(launcher, tmp_path):
    words = ["--nproc", 2, "--run-dir", tmp_path / "out", "train.py", "--lr=0.1", "-x", "a b", "--nproc", "9"]
    code, output = launcher(*words, script="import sys\nprint('arguments', sys.argv[1:])\n").end()
    assert code == 0, output
    for rank in range(2):
        log = (tmp_path / f"out/logs/rank{rank:04d}.log").read_text()
        assert "arguments ['--lr=0.1', '-x', 'a b', '--nproc', '9']" in log
    assert output.count("arguments") == 1  # the console shows rank 0 alone


def test_all_ranks_are_shown_where_that_is_asked_for(launcher):
    script = "import sys\nprint('a', end=''); print('b'); print('c', file=sys.stderr); print('end', end='')\n"
    code, output = launcher("--nproc", 2, "--show", "all", "train.py", script=script).end()
    assert code == 0, output
    assert sorted(output.splitlines()) == sorted(f"[{rank}] {text}" for rank in (0, 1) for text in ("ab", "c", "end"))


def test_no_memory_that_is_shared_outlives_its_processes(launcher):
    """What MPICH shares has no name any more when the script begins, so that a kill leaves nothing in /dev/shm."""
    script = "import re\nprint(*re.findall(r'/dev/shm/.*', open('/proc/self/maps').read()), sep='\\n')\n"
    code, output = launcher("--nproc", 2, "train.py", script=script).end()
    assert code == 0, output
    assert [line for line in output.splitlines() if not line.endswith("(deleted)")] == []


def test_a_console_that_is_gone_changes_nothing(launcher):
    run = launcher("--nproc", 2, "train.py", "kill", 1, "MARK")
    run.process.stdout.close()
    assert run.process.wait(LIMIT) == 137


def test_descendants_are_found_through_generations():
    code = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'input()'])"
    child = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE)
    try:
        end = time.monotonic() + LIMIT
        while len(processes.descendants(os.getpid())) < 2 and time.monotonic() < end:
            time.sleep(0.01)
        assert len(processes.descendants(child.pid)) == 1
    finally:
        processes.kill_descendants(child.pid)
        child.kill()
        child.communicate()
