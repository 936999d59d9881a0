"""The scripts for clusters say what the code understands, and the one for Slurm does what it says."""

import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from paddlite.cli import main
from paddlite.launch import hosts, options
from paddlite.recipe import library
from tests.distributed import ranks
from tests.launch.runs import ROOT

FOLDER = ROOT / "launch"
SCRIPTS = sorted(FOLDER.glob("*.sh"))


def commands(script):
    """What follows `paddlite.launch` in each command of a shell script, its variables replaced by words."""
    text = re.sub(r"#.*", "", script.replace("\\\n", " "))
    text = text.replace('"$recipe"', "lenet_digits").replace('"${@:2}"', "").replace('"$hosts"', "a:2,b:2")
    text = text.replace('train.max_seconds="${SECONDS_TO_TRAIN:-14000}"', "train.max_seconds=14000")
    for line in text.splitlines():
        if "-m paddlite.launch" in line:
            yield [w for w in shlex.split(line.partition("-m paddlite.launch")[2]) if w != "&"]


def check_command(words):
    request = options.parse(words)
    assert not request.is_script
    assert request.target in library.shipped()
    assert request.options.resume == "auto"
    assert request.options.run_dir


def check_bash(script):
    done = subprocess.run(["bash", "-n"], input=script, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


def test_there_are_scripts():
    assert {p.name for p in SCRIPTS} == {"pbs.sh", "slurm.sh", "slurm_srun.sh"}
    assert not list(FOLDER.glob("*.py"))


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda p: p.name)
def test_a_shipped_script_is_sound(path):
    script = path.read_text()
    check_bash(script)
    found = list(commands(script))
    assert len(found) == 1
    check_command(found[0])
    assert path.stat().st_mode & 0o111


def test_the_kubernetes_job_is_sound():
    job = yaml.safe_load((FOLDER / "mpijob.yaml").read_text())
    assert (job["apiVersion"], job["kind"]) == ("kubeflow.org/v2beta1", "MPIJob")
    specs = job["spec"]["mpiReplicaSpecs"]
    container = specs["Launcher"]["template"]["spec"]["containers"][0]
    assert container["command"] == ["python", "-m", "paddlite.launch"]
    check_command(container["args"])
    assert specs["Worker"]["replicas"] == 2


def test_the_hostfile_is_understood():
    assert hosts.slots(None, str(FOLDER / "hostfile")) == {"node1": 2, "node2": 2, "node3": 2}


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["--nodes", "2", "--ntasks-per-node", "2", "--cpus-per-task", "4", "--time", "1-00:00:00"],
        ["--nodes", "4", "--gpus-per-node", "2", "--partition", "gpu", "--account", "me"],
        ["--srun"],
        ["--nodes", "2", "--srun", "pmix", "-o", "optimizer.lr=0.01", "-o", "description=it's mine"],
    ],
    ids=lambda words: " ".join(words) or "plain",
)
def test_printed_slurm_scripts_are_sound(capsys, words):
    assert main(["slurm", "lenet_digits", "-o", "data.global_batch_size=256", *words]) == 0
    script = capsys.readouterr().out
    check_bash(script)
    found = list(commands(script))
    assert len(found) == 1
    check_command(found[0])
    assert script.startswith("#!/bin/bash\n#SBATCH ")


SBATCH = {
    "job-name", "nodes", "ntasks-per-node", "cpus-per-task", "gpus-per-node", "time", "partition", "account",
    "output", "signal", "requeue",
}  # fmt: skip


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda p: p.name)
def test_slurm_options_are_those_that_paddlite_prints(path):
    found = re.findall(r"^#+SBATCH --([\w-]+)", path.read_text(), re.MULTILINE)
    assert set(found) <= SBATCH
    assert ("slurm" in path.name) == bool(found)


@pytest.mark.mpi
@pytest.mark.skipif(ranks.mpiexec() is None, reason="mpiexec and mpi4py are not beside this Python")
@pytest.mark.parametrize("asked", [False, True])
def test_the_slurm_script_trains_and_queues_itself_again_when_it_is_stopped(launcher, tmp_path, asked):
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "scontrol").write_text(
        f'#!/bin/bash\nif [ "$1" = show ]; then echo nodea; echo nodeb; else echo "$@" > {tmp_path}/requeued; fi\n'
    )
    (tools / "scontrol").chmod(0o755)
    steps = "100000" if asked else "2"
    run = launcher(
        "lenet_digits", "-o", f"train.steps={steps}", "train.epochs=null", "train.log_every=1",
        command=["bash", FOLDER / "slurm.sh"], PATH=f"{tools}:{Path(sys.executable).parent}:/usr/bin:/bin",
        PYTHON=sys.executable, SLURM_JOB_NODELIST="node[a-b]", SLURM_JOB_ID="7", SLURM_NTASKS_PER_NODE="1",
        HYDRA_LAUNCHER="fork", HYDRA_RMK="user",
    )  # fmt: skip
    folder = tmp_path / "runs/lenet_digits/slurm-7"
    if asked:
        run.wait(lambda: (folder / "metrics.csv").exists(), "no step was logged")
        run.send(signal.SIGTERM)
    code, output = run.end(60)
    assert code == (75 if asked else 0), output
    assert "2 ranks" in output
    assert (tmp_path / "requeued").exists() == asked
    if asked:
        assert (tmp_path / "requeued").read_text() == "requeue 7\n"
        assert (folder / "checkpoints/last").exists()
