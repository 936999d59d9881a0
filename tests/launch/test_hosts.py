"""Two hosts, simulated: each `ssh` puts what it starts into a name space with a host name of its own."""

import shutil
import signal
import subprocess

import pytest

from paddlite.recipe import stacks
from tests.distributed import ranks
from tests.launch.runs import TRAIN


def can_rename_hosts():
    if shutil.which("unshare") is None:
        return False
    return subprocess.run(["unshare", "--uts", "hostname", "nodea"], capture_output=True).returncode == 0


pytestmark = [
    pytest.mark.mpi,
    pytest.mark.skipif(ranks.mpiexec() is None, reason="mpiexec and mpi4py are not beside this Python"),
    pytest.mark.skipif(not can_rename_hosts(), reason="host names of its own need the right to make name spaces"),
]

SSH = """#!/bin/bash
while [[ $1 == -* ]]; do shift; done
host=$1; shift
exec unshare --uts sh -c 'hostname "$0"; exec sh -c "$*"' "$host" "$@"
"""
WHERE = """
import os
from mpi4py import MPI
print(MPI.COMM_WORLD.rank, os.uname().nodename, os.environ["PADDLITE_LOCAL_RANK"], flush=True)
"""


@pytest.fixture
def on_two_hosts(launcher, tmp_path):
    ssh = tmp_path / "ssh"
    ssh.write_text(SSH)
    ssh.chmod(0o755)

    def start(*words, hosts=("--hosts", "nodea:1,nodeb:1"), **options):
        return launcher(*hosts, *words, HYDRA_LAUNCHER="ssh", HYDRA_LAUNCHER_EXEC=str(ssh), **options)

    return start


def test_ranks_are_numbered_within_each_host(on_two_hosts, tmp_path):
    (tmp_path / "hosts").write_text("nodea:2\nnodeb slots=1\n")
    code, output = on_two_hosts("--show", "all", "train.py", script=WHERE, hosts=("--hostfile", "hosts")).end()
    assert code == 0, output
    assert sorted(output.splitlines()) == ["[0] 0 nodea 0", "[1] 1 nodea 1", "[2] 2 nodeb 0"]


@pytest.mark.parametrize(
    ("fault", "code", "last"),
    [("raise", 1, "rank 1 failed first (KeyError): exit code 1"), ("kill", 137, "rank 1 was killed by SIGKILL")],
)
def test_a_fault_on_another_host_ends_the_run(on_two_hosts, fault, code, last):
    got, output = on_two_hosts("train.py", fault, 1, "MARK").end()
    assert got == code, output
    assert last in output.strip().splitlines()[-1]


def test_a_signal_reaches_all_hosts(on_two_hosts):
    run = on_two_hosts("train.py", "loop", 0, "MARK")
    run.wait_until_stepping()
    run.send(signal.SIGTERM)
    code, output = run.end()
    assert code == 143, output


def test_ranks_of_another_host_write_their_stacks_themselves(on_two_hosts):
    run = on_two_hosts("--stall-timeout", 2, "train.py", "native", 1, "MARK", script=TRAIN)
    code, output = run.end()
    assert code == 70, output
    assert "in match" in output
    for rank in range(2):
        assert "train.py" in stacks.path_of(run.logs(), rank).read_text()
