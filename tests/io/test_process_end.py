"""However a training process ends, its workers end with it.

Each script runs in a process group of its own, whose output all of its processes hold open: the end of the output is
the end of them all.
"""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LIMIT = 60  # seconds: far more than a busy machine needs

SETUP = """
import os, signal, sys
import numpy as np
from paddlite import io

never, _mine = os.pipe()  # nothing is ever written to it

class Data(io.Dataset):
    def __init__(self, stuck_at=None):
        self.stuck_at = stuck_at

    def __len__(self):
        return 10**9

    def __getitem__(self, index):
        if index == self.stuck_at:
            os.read(never, 1)
        return np.array(index)

def ready():
    print("READY", flush=True)
"""


def start(script):
    return subprocess.Popen(
        [sys.executable, "-c", SETUP + script],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def end_of(process):
    """Exit code, output and errors, once no process that could write is left."""
    try:
        out, errors = process.communicate(timeout=LIMIT)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        raise
    return process.returncode, out, errors


def signalled(script, number, to_all=True):
    """`end_of` the script, which gets the signal after it has printed READY."""
    process = start(script)
    assert process.stdout.readline() == "READY\n", process.stderr.read()
    (os.killpg if to_all else os.kill)(process.pid, number)
    return end_of(process)


LOOP = """
for i, batch in enumerate(io.DataLoader(Data(), batch_size=2, num_workers=2, persistent_workers={persistent})):
    if i == 3:
        ready()
"""
STUCK = """
loader = iter(io.DataLoader(Data(stuck_at=1), num_workers=2))
next(loader)
ready()
next(loader)
"""


@pytest.mark.parametrize("script", [LOOP.format(persistent=True), STUCK], ids=["busy", "stuck"])
def test_ctrl_c_ends_everything(script):
    code, _, errors = signalled(script, signal.SIGINT)
    assert code == -signal.SIGINT
    assert errors.count("Traceback") == 1  # the workers keep quiet
    assert errors.rstrip().endswith("KeyboardInterrupt")


def test_ctrl_c_can_be_caught():
    script = """
import multiprocessing
try:
    for batch in io.DataLoader(Data(stuck_at=1), num_workers=2):
        ready()
except KeyboardInterrupt:
    print("children:", multiprocessing.active_children())
print([batch.tolist() for batch in io.DataLoader([1, 2], num_workers=2)])
"""
    assert signalled(script, signal.SIGINT) == (0, "children: []\n[[1], [2]]\n", "")


@pytest.mark.parametrize(
    ("script", "number"),
    [(LOOP.format(persistent=False), signal.SIGKILL), (STUCK, signal.SIGKILL), (STUCK, signal.SIGTERM)],
    ids=["busy-KILL", "stuck-KILL", "stuck-TERM"],
)
def test_workers_die_with_their_parent(script, number):
    code, _, _ = signalled(script, number, to_all=False)
    assert code == -number


def test_workers_of_a_thread_die_with_their_parent():
    script = """
import threading
passes = []
thread = threading.Thread(target=lambda: passes.append(iter(io.DataLoader(Data(), num_workers=2))))
thread.start()
thread.join()
next(passes[0])
ready()
signal.pause()
"""
    assert signalled(script, signal.SIGKILL, to_all=False)[0] == -signal.SIGKILL


@pytest.mark.parametrize(
    ("end", "code"),
    [("raise ValueError('in the loop')", 1), ("sys.exit(3)", 3), ("os._exit(4)", 4), ("break", 0)],
)
def test_the_end_of_the_script_is_the_end_of_the_workers(end, code):
    script = f"""
loader = io.DataLoader(Data(stuck_at=5), num_workers=2, persistent_workers=True)
one = iter(loader)
next(one)
for batch in loader:
    {end}
"""
    assert end_of(start(script))[0] == code


def test_output_of_workers_is_not_lost():
    script = """
class Talking(Data):
    def __len__(self):
        return 2

    def __getitem__(self, index):
        print("sample", index)
        return np.array(index)

print("begin")
list(io.DataLoader(Talking(), num_workers=1))
print("end")
"""
    code, out, errors = end_of(start(script))
    assert (code, errors) == (0, "")
    assert sorted(out.splitlines()) == ["begin", "end", "sample 0", "sample 1"]
