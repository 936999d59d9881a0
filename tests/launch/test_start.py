"""Runs that start here, among processes of another launcher, and what they leave in their folder."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from paddlite.launch import mpi, outcome, worker
from tests.distributed import ranks

ROOT = Path(__file__).resolve().parent.parent.parent
LIMIT = 60.0
needs_mpi = pytest.mark.skipif(ranks.mpiexec() is None, reason="mpiexec and mpi4py are not beside this Python")

SCRIPT = """
import os, sys
import paddlite as paddle
paddle.distributed.init_parallel_env()
rank = paddle.distributed.get_rank()
total = paddle.to_tensor([float(rank + 1)])
paddle.distributed.all_reduce(total)
print("rank", rank, "of", paddle.distributed.get_world_size(), "sum", float(total), sys.argv[1:], flush=True)
open(os.path.join(os.environ["PADDLITE_RUN_DIR"], f"saw{rank}"), "w").close()
if sys.argv[1:] == ["fail"] and rank == 1:
    raise ValueError("boom")
"""


def ran(tmp_path, *command, **env):
    """Exit code and output of a command in `tmp_path`, with paddlite on the path."""
    (tmp_path / "train.py").write_text(SCRIPT)
    variables = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", **env}
    done = subprocess.run(
        [str(c) for c in command], cwd=tmp_path, env=variables, capture_output=True, text=True, timeout=LIMIT
    )
    return done.returncode, done.stdout + done.stderr


def launch(tmp_path, *words, **env):
    return ran(tmp_path, sys.executable, "-m", "paddlite.launch", *words, **env)


def under_mpiexec(tmp_path, *words):
    return ran(tmp_path, ranks.mpiexec(), "-n", "2", sys.executable, "-m", "paddlite.launch", *words)


def read(path):
    return json.loads(path.read_text())


def test_one_process_runs_a_script_here(tmp_path):
    code, output = launch(tmp_path, "train.py", "a", "--nproc", "7")
    assert code == 0, output
    assert "rank 0 of 1 sum 1.0 ['a', '--nproc', '7']" in output
    run = tmp_path / "runs/train/0001"
    assert "rank 0 of 1" in (run / "logs/rank0000.log").read_text()
    assert (run / "saw0").exists()
    assert read(run / "status.json")["state"] == "complete"
    assert (tmp_path / "runs/train/latest").resolve() == run.resolve()


def test_a_failure_of_one_process_is_noted(tmp_path):
    (tmp_path / "bad.py").write_text("print('here')\nraise ValueError('boom')\n")
    code, output = launch(tmp_path, "bad.py")
    assert code == 1
    assert output.count("ValueError: boom") == 1
    run = tmp_path / "runs/bad/0001"
    told = read(run / "status.json")
    assert (told["state"], told["code"], told["message"]) == ("failed", 1, "ValueError: boom")
    assert "ValueError: boom" in (run / "logs/rank0000.log").read_text()


def test_every_run_has_a_folder_of_its_own(tmp_path):
    for number in ("0001", "0002"):
        assert launch(tmp_path, "train.py")[0] == 0
        assert (tmp_path / "runs/train" / number / "logs/rank0000.log").read_text().count("rank 0") == 1
    code, output = launch(tmp_path, "--run-dir", "runs/train/0001", "train.py")
    assert code == 64
    assert "holds a run already" in output


def test_a_bad_recipe_starts_nothing(tmp_path):
    code, output = launch(tmp_path, "--nproc", "2", "lenet_digits", "-o", "optimizer.lrr=1")
    assert code == 64
    assert output == "error: -o optimizer.lrr=1: unknown key 'optimizer.lrr'; did you mean 'optimizer.lr'?\n"
    assert not (tmp_path / "runs").exists()


@pytest.mark.mpi
@needs_mpi
class TestUnderMpiexec:
    def test_a_script(self, tmp_path):
        code, output = under_mpiexec(tmp_path, "train.py", "a")
        assert code == 0, output
        assert "rank 0 of 2 sum 3.0 ['a']" in output
        run = tmp_path / "runs/train/0001"
        assert "rank 1 of 2 sum 3.0" in (run / "logs/rank0001.log").read_text()
        assert (run / "saw1").exists()
        assert read(run / "status.json")["state"] == "complete"
        assert not (tmp_path / "runs/train/0002").exists()

    def test_a_recipe_does_what_the_launcher_s_own_ranks_do(self, tmp_path):
        words = ["lenet_digits", "--steps", "2", "-o", "train.log_every=1"]
        code, output = under_mpiexec(tmp_path, "--run-dir", "theirs", *words)
        assert code == 0, output
        assert output.count("global 64 = 2 ranks x 32 x accumulate 1") == 1
        code, output = launch(tmp_path, "--nproc", "2", "--run-dir", "ours", *words)
        assert code == 0, output
        assert (tmp_path / "ours/metrics.csv").read_text() == (tmp_path / "theirs/metrics.csv").read_text()

    def test_a_failing_rank_ends_the_others(self, tmp_path):
        code, _ = under_mpiexec(tmp_path, "--exit-grace", "60", "train.py", "fail")
        assert code != 0
        told = read(tmp_path / "runs/train/0001/status.json")
        assert (told["state"], told["first_failed_rank"]) == ("failed", 1)
        assert "ValueError: boom" in told["message"]

    @pytest.mark.parametrize(
        ("words", "message"),
        [
            (["lenet_digits", "-o", "x=1"], "error: -o x=1: unknown key 'x'"),
            (["--nproc", "4", "train.py"], "error: another launcher started 2 processes, but 4 are asked for"),
            (["--run-dir", ".", "train.py"], "error: . holds a run already"),
        ],
    )
    def test_a_mistake_is_told_once(self, tmp_path, words, message):
        (tmp_path / "logs").mkdir()
        code, output = under_mpiexec(tmp_path, *words)
        assert code == 64, output
        assert output.count(message) == 1

    def test_processes_that_mpi_does_not_see_are_told(self, tmp_path):
        code, output = launch(tmp_path, "train.py", SLURM_PROCID="0", SLURM_STEP_NUM_TASKS="2")
        assert code == 78
        assert "2 processes were started, but MPI sees 1" in output
        assert "srun --mpi=pmi2" in output


@pytest.mark.mpi
@needs_mpi
def test_a_batch_job_is_not_taken_for_one_of_its_ranks(tmp_path):
    code, output = launch(tmp_path, "--nproc", "2", "train.py", SLURM_PROCID="0", SLURM_NTASKS="2", SLURM_JOB_ID="7")
    assert code == 0, output
    assert "rank 0 of 2 sum 3.0" in output


@pytest.mark.mpi
@needs_mpi
class TestBrokenMpi:
    def test_no_mpiexec(self, tmp_path):
        code, output = launch(tmp_path, "--nproc", "2", "--mpi", "/nowhere/mpiexec", "train.py")
        assert (code, output) == (69, "error: --mpi /nowhere/mpiexec: there is no such program\n")
        assert not (tmp_path / "runs").exists()

    def test_no_mpi4py(self, tmp_path, monkeypatch):
        monkeypatch.setattr(mpi, "find_spec", lambda name: None)
        (tmp_path / "train.py").write_text("")
        monkeypatch.chdir(tmp_path)
        with pytest.raises(mpi.MpiMissing, match=r"pip install 'paddlite\[mpi\]'.*or run one process with --nproc 1"):
            mpi.find_mpiexec()

    def test_an_mpi_library_that_cannot_be_loaded(self, tmp_path):
        code, output = launch(tmp_path, "--nproc", "2", "train.py", MPI4PY_LIBMPI="/nowhere/libmpi.so")
        assert code == 69
        assert output.count("its MPI library cannot be loaded") == 1
        assert "pip install" in output
        assert output.splitlines()[-1] == "paddlite.launch: no process was started: see the error above"

    def test_an_mpiexec_of_another_library(self, tmp_path):
        """It starts the processes, but no MPI connects them."""
        other = tmp_path / "mpiexec"
        other.write_text(
            '#!/bin/bash\nif [ "$1" = --version ]; then echo HYDRA; exit; fi\nshift 2\n'
            'FOREIGN_RANK=0 "$@" & FOREIGN_RANK=1 "$@"; code=$?; wait; exit $code\n'
        )
        other.chmod(0o755)
        code, output = launch(tmp_path, "--nproc", "2", "--mpi", other, "train.py")
        assert code == 78
        assert "2 processes were started, but MPI sees 1" in output
        assert "use the one of the same MPI (--mpi PATH)" in output


def test_a_signal_of_a_rank_on_another_host_is_read_from_mpiexec_s_report():
    report = "= PID 129 RUNNING AT nodeb\n=   EXIT CODE: 9\n"
    starts = {0: {"pid": 5}, 1: {"pid": 129}}
    found = outcome._silent([0, 1], starts, 2, 255, report, Path("/nowhere"))
    assert (found.code, found.rank) == (137, 1)
    assert outcome._silent([0, 1], starts, 2, 9, report, Path("/nowhere")).code == 9  # os._exit(9)


@pytest.mark.parametrize(("value", "code"), [(None, 0), (3, 3), (256, 0), (-1, 255), ("text", 1), (True, 1)])
def test_exit_codes_are_cut_as_the_system_cuts_them(value, code):
    assert worker.code_of(value) == code
