"""Runs on two ranks through the launcher: stopped, killed, started again, and with files that cannot be written."""

import os
import signal
import subprocess
import sys

import numpy as np
import pytest

from paddlite.recipe import status
from tests.distributed import ranks
from tests.recipe.kills import RECIPE, ROOT, results

pytestmark = [
    pytest.mark.mpi,
    pytest.mark.skipif(ranks.mpiexec() is None, reason="mpiexec and mpi4py are not beside this Python"),
]


class Launched:
    """A run through the launcher, to its end."""

    def __init__(self, folder, *overrides, nproc=2, words=(), run="run"):
        self.run = folder / run
        resume = ["--resume", str(self.run)] if self.run.exists() else []
        command = [sys.executable, "-m", "paddlite.launch", "--nproc", str(nproc), "--run-dir", str(self.run)]
        env = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}
        process = subprocess.Popen(
            [*command, *resume, *words, str(RECIPE), "-o", "seed=42", *overrides],
            cwd=ROOT, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip
        (folder / "launcher").write_text(str(process.pid))
        self.text = process.communicate(timeout=120)[0]
        self.code = process.returncode

    @property
    def state(self):
        return status.read(self.run)["state"]


def data(folder, split="train", **args):
    """The data set of `split`, which sends a signal."""
    size, part = (96, "train") if split == "train" else (40, "eval")
    given = ", ".join(f"{k}: {v}" for k, v in {"mark": folder / "mark", "split": split, "size": size, **args}.items())
    return f"data.{part}={{name: 'tests.recipe.data.parts:Signalling', args: {{{given}}}}}"


@pytest.fixture(scope="module")
def reference(tmp_path_factory):
    """What a run that nobody stops gives on two ranks."""
    done = Launched(tmp_path_factory.mktemp("reference"))
    assert done.code == 0, done.text
    return results(done.run)


@pytest.mark.parametrize(
    ("number", "code", "whom", "split", "at"),
    [
        (signal.SIGTERM, 75, "the launcher", "train", 33),
        (signal.SIGINT, 130, "the launcher", "train", 33),
        (signal.SIGUSR1, 75, "a rank", "test", 20),
    ],
)
def test_all_ranks_stop_together_after_a_checkpoint(tmp_path, reference, number, code, whom, split, at):
    to = {"to": tmp_path / "launcher"} if whom == "the launcher" else {}
    change = data(tmp_path, split, at=at, number=int(number), **to)
    first = Launched(tmp_path, change)
    assert first.code == code, first.text
    assert first.state == "stopped"
    assert "--resume" in first.text.splitlines()[-1]
    if split == "test":
        assert "evaluation" not in first.text
    second = Launched(tmp_path, change)
    assert second.code == 0, second.text
    assert "going on from step" in second.text
    assert second.state == "complete"
    assert results(second.run) == reference


@pytest.mark.parametrize("nproc", [1, 2])
def test_a_killed_rank_is_started_again(tmp_path, reference, nproc):
    change = data(tmp_path, at=33, number=9)
    done = Launched(tmp_path, change, nproc=nproc, words=["--max-restarts", "1"])
    assert done.code == 0, done.text
    assert "was killed by SIGKILL" in done.text
    assert "start 2 of 2" in done.text
    if nproc == 2:
        assert results(done.run) == reference


def test_what_cannot_be_written_is_told_and_not_tried_again(tmp_path):
    done = Launched(tmp_path, "data.train={name: 'tests.recipe.data.parts:Cramped'}", words=["--max-restarts", "1"])
    assert done.code == 74, done.text
    assert "Traceback" not in done.text
    assert "error: the checkpoint of step 2 cannot be written to" in done.text
    assert "File too large. Earlier checkpoints are intact; free some space" in done.text
    assert "start 2 of 2" not in done.text
    last = done.text.splitlines()[-1]
    assert "failed first (StorageError): cannot write or read a file of the run" in last
    assert os.listdir(done.run / "checkpoints") == []


def test_another_recipe_is_refused_on_all_ranks(tmp_path):
    assert Launched(tmp_path, "train.epochs=1").code == 0
    refused = Launched(tmp_path, "optimizer.lr=0.02")
    assert refused.code == 64, refused.text
    assert "Traceback" not in refused.text
    assert "error: optimizer.lr: 0.01 then, 0.02 now" in refused.text
    allowed = Launched(tmp_path, "optimizer.lr=0.02", words=["--allow-change", "optimizer.lr"])
    assert allowed.code == 0, allowed.text
    assert "lr: 0.02" in (allowed.run / "resolved.yaml").read_text()
    assert "lr: 0.01" in (allowed.run / "resolved.1.yaml").read_text()
    commands = (allowed.run / "command.txt").read_text().splitlines()
    assert len(commands) == 3
    assert "--allow-change optimizer.lr" in commands[2]


def test_another_number_of_ranks_goes_on_with_the_same_batches(tmp_path):
    parts = "data.micro_batch_size=8"
    Launched(tmp_path, parts, "train.epochs=2", run="two")
    assert "warning" not in Launched(tmp_path, parts, nproc=1, run="two").text
    one = Launched(tmp_path, parts, nproc=1, run="one")
    assert (tmp_path / "two/metrics.csv").read_text() == (one.run / "metrics.csv").read_text()
    alone = ("checkpoint.best=null", "model.sync_batch_norm=false")
    Launched(tmp_path, "train.epochs=2", *alone, run="other")
    other = Launched(tmp_path, *alone, nproc=1, run="other")
    assert (
        "warning: the checkpoint was written with batches in 2 parts and the run goes on with 1: the same samples"
    ) in other.text
    losses = [np.loadtxt(run / "metrics.csv", delimiter=",", skiprows=1)[:, 2] for run in (other.run, one.run)]
    assert len(losses[0]) == 24
    np.testing.assert_allclose(losses[0][:12], losses[1][:12])
