"""A launcher in a process of its own, for tests of how runs end."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
LIMIT = 20.0  # seconds; a hang is what is looked for, not slowness

# `train.py FAULT RANK MARK`: steps with an exchange; at the sixth, the rank (-1: all) does what FAULT says.
# It leaves NumPy alone, so that it starts fast.
TRAIN = """
import os, re, signal, subprocess, sys, time
from paddlite.backend.world import WORLD
rank = int(os.environ.get("PADDLITE_RANK", 0))
if int(os.environ.get("PADDLITE_WORLD_SIZE", 1)) > 1:
    from mpi4py import MPI
    exchange = MPI.COMM_WORLD.allreduce
else:
    exchange = abs
print("rank", rank, "is up", flush=True)
fault, who = sys.argv[1], int(sys.argv[2])
SLEEP = [sys.executable, "-c", "import time; time.sleep(600)"]

def child(own_session):
    subprocess.Popen(SLEEP, start_new_session=own_session)
    os.kill(os.getpid(), signal.SIGKILL)

FAULTS = {
    "raise": lambda: {}["boom"],
    "exit3": lambda: sys.exit(3),
    "exit0": lambda: sys.exit(0),
    "text": lambda: sys.exit("no more"),
    "_exit0": lambda: os._exit(0),
    "_exit7": lambda: os._exit(7),
    "kill": lambda: os.kill(os.getpid(), signal.SIGKILL),
    "segv": lambda: os.kill(os.getpid(), signal.SIGSEGV),
    "child": lambda: child(False),
    "daemon": lambda: child(True),
    "sleep": lambda: time.sleep(600),
    "native": lambda: re.match("(a+)+b", "a" * 60),  # holds the interpreter and does not come back
    "mpi": lambda: MPI.COMM_WORLD.recv(source=who, tag=9),
    "stop": lambda: os.kill(os.getpid(), signal.SIGSTOP),
}
for step in range(1, 10**6):
    exchange(step)
    WORLD.beats += 1
    time.sleep(0.005)
    if step == 3 and rank == 0 or step == 6 and who in (rank, -1):
        open(sys.argv[3], "w").write(str(time.time()))
    if step == 6 and who in (rank, -1):
        FAULTS.get(fault, lambda: None)()
    if step == 8 and fault == "ok":
        break
"""


class Run:
    """`python -m paddlite.launch` in `folder`; its descendants can be looked for when it has ended.

    In the words, `MARK` is the path of the file that the script writes once it takes steps.
    """

    def __init__(self, folder, *words, script=TRAIN, command=(sys.executable, "-m", "paddlite.launch"), **env):
        self.folder = folder
        (folder / "train.py").write_text(script)
        self.mark = folder / "stepping"
        variables = {
            **os.environ,
            "PYTHONPATH": str(ROOT),
            "PADDLITE_TEST_RUN": str(folder),
            "OMP_NUM_THREADS": "1",
            "OPENBLAS_NUM_THREADS": "1",
            **env,
        }
        words = [str(self.mark) if word == "MARK" else str(word) for word in words]
        self.process = subprocess.Popen(
            [*map(str, command), *words],
            cwd=folder,
            env=variables,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def wait_until_stepping(self):
        self.wait(self.mark.exists, "the run did not come up")

    def wait(self, ready, what):
        """Wait until `ready()` while the launcher lives."""
        end = time.monotonic() + 2 * LIMIT
        while not ready():
            assert time.monotonic() < end, what
            assert self.process.poll() is None, self.process.communicate()[0]
            time.sleep(0.01)

    def send(self, number):
        self.process.send_signal(number)

    def end(self, limit=LIMIT):
        """Exit code and output."""
        output, _ = self.process.communicate(timeout=limit)
        return self.process.returncode, output

    def clean(self):
        """Kill what is left."""
        for pid in self.left():
            os.kill(pid, signal.SIGKILL)
        self.process.stdout.close()
        self.process.wait()

    def logs(self):
        return next(self.folder.glob("runs/train/0001/logs"))

    def left(self):
        """Processes of this run that still live, found by an environment variable that all of them inherit."""
        found, wanted = [], f"PADDLITE_TEST_RUN={self.folder}".encode()
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit() and int(entry.name) != os.getpid():
                try:
                    if wanted in (entry / "environ").read_bytes().split(b"\0") and state(entry) != "Z":
                        found.append(int(entry.name))
                except OSError:
                    continue
        return found

    def gone(self):
        """True once no process of the run is left; it is to have ended."""
        end = time.monotonic() + LIMIT / 4
        while self.left():
            if time.monotonic() > end:
                return False
            time.sleep(0.01)
        return True


def state(entry):
    return (entry / "stat").read_text().rsplit(")", 1)[1].split()[0]
