"""`paddlite doctor`: what works is told to work, what does not with the cure."""

import sys

import pytest

from paddlite.cli import doctor, main
from tests.distributed import ranks

pytestmark = [
    pytest.mark.mpi,
    pytest.mark.skipif(ranks.mpiexec() is None, reason="mpiexec and mpi4py are not beside this Python"),
]


def test_a_sound_installation(capfd):
    assert main(["doctor"]) == 0
    lines = {line[:16].strip(): line[17:] for line in capfd.readouterr().out.splitlines()}
    assert sys.executable in lines["Python"]
    assert "BLAS" in lines["NumPy"]
    assert "mpi4py" in lines["MPI"]
    assert lines["exchange"].startswith("two processes added 1 + 2 = 3")
    assert lines["GPU"]
    assert lines["verdict"].startswith("ready on ")
    assert lines["verdict"].endswith("To begin: paddlite run --nproc 2 lenet_digits")


def test_an_mpiexec_that_is_not_there(capfd):
    assert main(["doctor", "--mpi", "/nowhere/mpiexec"]) == 69
    assert "/nowhere/mpiexec: there is no such program" in capfd.readouterr().out


def test_an_mpiexec_of_another_library(tmp_path):
    other = tmp_path / "mpiexec"
    other.write_text('#!/bin/sh\nif [ "$1" = --version ]; then echo "mpiexec (OpenRTE) 5.0"; exit; fi\nexit 1\n')
    other.chmod(0o755)
    code, rows = doctor.examine_mpi(str(other), 60.0)
    assert code == 78
    assert "belong to different MPI libraries" in rows[-1][1]


def test_a_needed_package_that_is_missing(monkeypatch, capsys):
    monkeypatch.setattr(doctor, "_version", lambda name: None if name == "ml_dtypes" else "1.0")
    assert main(["doctor"]) == 69
    lines = capsys.readouterr().out.splitlines()
    assert "ml_dtypes missing" in "".join(lines)
    assert lines[-1].split(maxsplit=1) == [
        "verdict",
        "nothing runs yet: pip install ml_dtypes, or pip install paddlite anew",
    ]


@pytest.mark.parametrize(
    ("code", "rows", "graphics", "said"),
    [
        (0, [("MPI", "x"), ("exchange", "x")], "none", "ready on the CPU, with several processes. "),
        (
            0,
            [("MPI", "x")],
            "2: A, B",
            "ready on GPUs and CPUs, one process at a time. To begin: ",
        ),
        (69, [("MPI", "x"), ("exchange", "x")], "none", "one process works on the CPU (paddlite run --nproc 1"),
    ],
)
def test_the_verdict(code, rows, graphics, said):
    assert doctor.verdict(code, rows, graphics).startswith(said)


def test_little_shared_memory_is_told(tmp_path):
    assert "docker run --shm-size=1g" in doctor.shared_memory(str(tmp_path), 1 << 60)
    assert "docker" not in doctor.shared_memory(str(tmp_path), 0)
    assert "there is no /nowhere" in doctor.shared_memory("/nowhere")


def test_one_process_is_enough_without_mpi(monkeypatch):
    monkeypatch.setattr(doctor, "find_spec", lambda name: None)
    code, rows = doctor.examine_mpi(None, 60.0)
    assert code == 0
    assert "pip install 'paddlite[mpi]'" in rows[0][1]
    assert "pip install 'paddlite[gpu]'" in doctor.gpu()
