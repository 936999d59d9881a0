"""How a run ends: exit code, whose error is shown last, and that no process is left."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from paddlite.launch import processes
from tests.distributed import ranks

pytestmark = [
    pytest.mark.mpi,
    pytest.mark.skipif(ranks.mpiexec() is None, reason="mpiexec and mpi4py are not beside this Python"),
]

ROOT = Path(__file__).resolve().parent.parent.parent
LIMIT = 20.0  # seconds; a hang is what is looked for, not slowness

SCRIPT = """
import os, signal, subprocess, sys, time
from mpi4py import MPI
comm, fault = MPI.COMM_WORLD, sys.argv[1]
print("rank", comm.rank, "is up", flush=True)
if fault == "args":
    print("arguments", sys.argv[1:], flush=True)
    sys.exit(0)
for step in range(10**6):
    comm.allreduce(step)
    time.sleep(0.01)
    if step == 3 and comm.rank == 0:
        open(sys.argv[2], "w").close()
    if fault == "ok" and step == 5:
        break
    if step == 5 and comm.rank == 1:
        if fault == "raise":
            raise ValueError("boom")
        if fault == "exit3":
            sys.exit(3)
        if fault == "exit0":
            sys.exit(0)
        if fault == "_exit0":
            os._exit(0)
        if fault == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        if fault == "segv":
            os.kill(os.getpid(), signal.SIGSEGV)
        if fault == "child":
            subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], start_new_session=True)
            os.kill(os.getpid(), signal.SIGKILL)
"""


class Run:
    """A launcher in a process of its own, whose descendants are looked for when it has ended."""

    def __init__(self, tmp_path, *arguments, script=SCRIPT):
        self.folder = tmp_path
        (tmp_path / "train.py").write_text(script)
        self.mark = tmp_path / "stepping"
        env = {**os.environ, "PYTHONPATH": str(ROOT), "PADDLITE_TEST_RUN": str(tmp_path), "OMP_NUM_THREADS": "1"}
        words = [str(a) if a != "MARK" else str(self.mark) for a in arguments]
        command = [sys.executable, "-m", "paddlite.launch", *words]
        self.process = subprocess.Popen(
            command, cwd=tmp_path, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )

    def wait_until_stepping(self):
        end = time.monotonic() + LIMIT
        while not self.mark.exists():
            assert time.monotonic() < end, "the run did not come up"
            assert self.process.poll() is None, self.process.communicate()[0]
            time.sleep(0.01)

    def end(self):
        try:
            output, _ = self.process.communicate(timeout=LIMIT)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise
        return self.process.returncode, output

    def left(self):
        """Processes of this run that still live, found by an environment variable that all of them inherit."""
        return [pid for pid in descendants_of_run(self.folder) if pid != os.getpid()]


def descendants_of_run(folder):
    found, wanted = [], f"PADDLITE_TEST_RUN={folder}".encode()
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                if wanted in (entry / "environ").read_bytes().split(b"\0") and state(entry) != "Z":
                    found.append(int(entry.name))
            except OSError:
                continue
    return found


def state(entry):
    return (entry / "stat").read_text().rsplit(")", 1)[1].split()[0]


def gone(run):
    """True once no process of the run is left."""
    end = time.monotonic() + LIMIT
    while time.monotonic() < end:
        if not run.left():
            return True
        time.sleep(0.02)
    return False


@pytest.mark.parametrize(
    ("fault", "code", "last"),
    [
        ("ok", 0, ""),
        ("raise", 1, "rank 1 failed first (ValueError): exit code 1; its log is"),
        ("exit3", 3, "rank 1 failed first (sys.exit): exit code 3; its log is"),
        ("exit0", 70, "rank 1 failed first (early end): lost or stalled; its log is"),
        ("_exit0", 70, "ended without a word"),
        ("kill", 137, "rank 1 was killed by SIGKILL, often the system out of memory; see"),
        ("segv", 139, "rank 1 was killed by SIGSEGV, a crash in native code; see"),
        ("child", 137, "rank 1 was killed by SIGKILL"),
    ],
)
def test_a_fault_of_one_rank_ends_the_run(tmp_path, fault, code, last):
    run = Run(tmp_path, "--nproc", 2, "--exit-grace", 1, "train.py", fault, "MARK")
    got, output = run.end()
    assert got == code, output
    if last:
        assert last in output.strip().splitlines()[-1], output
    if fault == "raise":
        assert "ValueError: boom" in output.strip().splitlines()[-2]
        assert "runpy" not in output
    assert "BAD TERMINATION" not in output
    assert gone(run)


def test_an_import_error_before_anything_else_is_shown(tmp_path):
    run = Run(tmp_path, "--nproc", 2, "train.py", script="import no_such_module\n")
    code, output = run.end()
    assert code == 1
    assert "No module named 'no_such_module'" in output.strip().splitlines()[-2]
    assert gone(run)


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGKILL, -signal.SIGKILL)]
)
def test_a_signal_to_the_launcher_ends_all(tmp_path, number, code):
    run = Run(tmp_path, "--nproc", 2, "train.py", "loop", "MARK")
    run.wait_until_stepping()
    run.process.send_signal(number)
    got, output = run.end()
    assert got == code, output
    assert gone(run)


def test_a_rank_that_does_not_stop_is_killed_when_asked_twice(tmp_path):
    script = SCRIPT.replace("import os,", "import signal; signal.signal(2, signal.SIG_IGN)\nimport os,", 1)
    run = Run(tmp_path, "--nproc", 2, "train.py", "loop", "MARK", script=script)
    run.wait_until_stepping()
    run.process.send_signal(signal.SIGINT)
    time.sleep(0.3)
    run.process.send_signal(signal.SIGINT)
    assert run.end()[0] == 130
    assert gone(run)


def test_a_handler_of_the_script_is_honoured(tmp_path):
    handler = (
        "import signal, sys\nsignal.signal(signal.SIGTERM, lambda *_: (print('saved', flush=True), sys.exit(75)))\n"
    )
    run = Run(tmp_path, "--nproc", 2, "train.py", "loop", "MARK", script=handler + SCRIPT)
    run.wait_until_stepping()
    run.process.send_signal(signal.SIGTERM)
    code, output = run.end()
    assert code == 75, output
    assert "saved" in output


def test_ranks_that_do_not_come_up_are_named(tmp_path):
    site = tmp_path / "slow"
    site.mkdir()
    (site / "sitecustomize.py").write_text("import os, time\nif os.environ.get('PMI_RANK') == '1': time.sleep(60)\n")
    os.environ["PYTHONPATH"] = ""
    run_env = {**os.environ, "PYTHONPATH": f"{ROOT}:{site}", "PADDLITE_TEST_RUN": str(tmp_path)}
    (tmp_path / "train.py").write_text("pass\n")
    command = [sys.executable, "-m", "paddlite.launch", "--nproc", "2", "--start-timeout", "3", "train.py"]
    done = subprocess.run(command, cwd=tmp_path, env=run_env, capture_output=True, text=True, timeout=LIMIT)
    assert done.returncode == 70
    assert "did not come up within 3 s" in done.stderr
    assert not descendants_of_run(tmp_path)


def test_arguments_reach_every_rank_as_they_are(tmp_path):
    run = Run(
        tmp_path,
        "--nproc",
        2,
        "--run-dir",
        tmp_path / "out",
        "train.py",
        "args",
        "--lr=0.1",
        "-x",
        "a b",
        "--nproc",
        "9",
    )
    code, output = run.end()
    assert code == 0, output
    for rank in range(2):
        log = (tmp_path / f"out/logs/rank{rank:04d}.log").read_text()
        assert "arguments ['args', '--lr=0.1', '-x', 'a b', '--nproc', '9']" in log
    assert output.count("arguments") == 1  # the console shows rank 0 alone


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
