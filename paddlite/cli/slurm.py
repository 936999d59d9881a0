"""Prints a batch script for Slurm that trains a recipe: it checkpoints before the time is up, is queued again, and goes
on where it was."""

from __future__ import annotations

import argparse
import re
import shlex
import sys

from paddlite.cli.common import add_overrides
from paddlite.launch.options import add_fragments
from paddlite.launch.parser import Parser
from paddlite.recipe import check, codes, library
from paddlite.recipe.errors import RecipeError


def add_arguments(parser: Parser) -> None:
    parser.add_argument("recipe", metavar="RECIPE", help="the name of a recipe that ships, or a .yaml file")
    parser.add_argument("--nodes", type=int, default=1, metavar="N", help="hosts (1)")
    parser.add_argument(
        "--ntasks-per-node",
        type=int,
        metavar="M",
        help="processes on each host (default: --gpus-per-node, or the recipe)",
    )
    parser.add_argument("--cpus-per-task", type=int, default=1, metavar="C", help="cores of each process (1)")
    parser.add_argument("--gpus-per-node", type=int, metavar="G", help="GPUs on each host, one a process")
    parser.add_argument("--time", default="04:00:00", metavar="T", help="limit, as Slurm writes it (04:00:00)")
    parser.add_argument("--partition", metavar="NAME")
    parser.add_argument("--account", metavar="NAME")
    parser.add_argument("--python", default=sys.executable, metavar="PATH", help="the Python to use (this one)")
    parser.add_argument(
        "--srun",
        nargs="?",
        const="pmi2",
        metavar="PMI",
        help="start the processes by srun --mpi=PMI (pmi2), for an MPI library that was built for Slurm",
    )
    add_fragments(parser)
    add_overrides(parser)


def run(options: argparse.Namespace) -> int:
    for name in ("nodes", "ntasks_per_node", "cpus_per_task", "gpus_per_node"):
        value = getattr(options, name)
        if value is not None and value < 1:
            raise RecipeError(f"--{name.replace('_', '-')} must be at least 1, got {value}")
    if not re.fullmatch(r"(\d+-)?\d+(:\d\d){0,2}", options.time):
        raise RecipeError(f"--time {options.time}: write minutes, HH:MM:SS or D-HH:MM:SS")
    path = library.find(options.recipe)
    each = options.ntasks_per_node or options.gpus_per_node
    if each is None:
        each = check.load(path, options.override, fragments=options.fragments).recipe.launch.nproc
    recipe = check.load(path, options.override, each * options.nodes, options.fragments).recipe
    print(script(options, recipe.name, each, check.batch_line(recipe, each * options.nodes)))
    return codes.OK


def script(options: argparse.Namespace, name: str, each: int, batch: str) -> str:
    """The batch script.

    Args:
        each: processes on each host.
        batch: how the batch is split, in words.
    """
    signal = "TERM@120" if options.srun else "B:TERM@120"
    wanted = {
        "job-name": name,
        "nodes": options.nodes,
        "ntasks-per-node": each,
        "cpus-per-task": options.cpus_per_task,
        "gpus-per-node": options.gpus_per_node,
        "time": options.time,
        "partition": options.partition,
        "account": options.account,
        "output": "%x-%j.log",
        "signal": signal,
        "requeue": "",
    }
    head = [f"#SBATCH --{k}={v}".rstrip("=") for k, v in wanted.items() if v is not None]
    overrides = "".join(f" --with {shlex.quote(name)}" for name in options.fragments)
    overrides += "".join(f" -o {shlex.quote(text)}" for text in options.override)
    target = f"{shlex.quote(options.recipe)}{overrides}"
    common = f'--run-dir "runs/{name}/slurm-$SLURM_JOB_ID" --resume auto'
    python = shlex.quote(options.python)
    if options.srun:
        hosts = []
        start = f"srun --mpi={options.srun} {python} -m paddlite.launch {common} {target} &"
    else:
        hosts = [f'hosts=$(scontrol show hostnames "$SLURM_JOB_NODELIST" | sed "s/$/:{each}/" | paste -sd, -)']
        start = f'{python} -m paddlite.launch --hosts "$hosts" {common} {target} &'
    return "\n".join(
        [
            "#!/bin/bash",
            *head,
            f"# {batch}",
            "",
            "export OMP_NUM_THREADS=$SLURM_CPUS_PER_TASK OPENBLAS_NUM_THREADS=$SLURM_CPUS_PER_TASK",
            *hosts,
            start,
            "run=$!",
            "",
            "# Two minutes before the limit Slurm sends SIGTERM: the run writes a checkpoint and leaves with code 75.",
            "trap 'kill -TERM $run' TERM",
            "wait $run; code=$?",
            'while [ "$code" -gt 128 ] && kill -0 $run 2>/dev/null; do wait $run; code=$?; done',
            'if [ "$code" -eq 75 ]; then scontrol requeue "$SLURM_JOB_ID"; fi',
            'exit "$code"',
        ]
    )
