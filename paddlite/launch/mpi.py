"""Finding mpiexec, and the command that starts the ranks."""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

CURE = "pip install 'paddlite[mpi]' installs mpi4py and MPICH into this environment; or run one process with --nproc 1"
_PASSED_ON = {"PYTHONPATH", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "CUDA_VISIBLE_DEVICES"}


class MpiMissing(RuntimeError):
    """There is no MPI to start processes with; the text gives the cure."""


def find_mpiexec(given: str | None = None) -> str:
    """The mpiexec to use: the one given, the one beside this Python, or the first on PATH.

    Raises:
        MpiMissing: there is none, or mpi4py is not installed.
    """
    if find_spec("mpi4py") is None:
        raise MpiMissing(f"several processes need mpi4py, which is not installed. {CURE}")
    if given is not None:
        found = shutil.which(given)
        if found is None:
            raise MpiMissing(f"--mpi {given}: there is no such program")
        return found
    beside = Path(sys.executable).parent / "mpiexec"
    if os.access(beside, os.X_OK):
        return str(beside)
    found = shutil.which("mpiexec")
    if found is None:
        raise MpiMissing(
            f"several processes need mpiexec, which is neither beside {sys.executable} nor on PATH. {CURE}"
        )
    return found


@functools.cache
def family(mpiexec: str) -> str:
    """ "mpich" (Hydra and its kin) or "openmpi"."""
    said = subprocess.run([mpiexec, "--version"], capture_output=True, text=True, timeout=20)
    return "openmpi" if "Open MPI" in said.stdout + said.stderr or "OpenRTE" in said.stdout else "mpich"


def command(mpiexec: str, nproc: int, worker: list[str], hosts: Mapping[str, int] | None = None) -> list[str]:
    """The command line that starts `nproc` ranks of `worker`.

    Args:
        hosts: processes by host; none where all run here.
    """
    openmpi = family(mpiexec) == "openmpi"
    line = [mpiexec]
    if openmpi:
        line += ["--oversubscribe", "--bind-to", "none", *(["--allow-run-as-root"] if os.geteuid() == 0 else [])]
    if hosts:
        line += ["--host" if openmpi else "-hosts", ",".join(f"{name}:{count}" for name, count in hosts.items())]
        if openmpi:  # it passes on nothing else to other hosts; MPICH passes on everything
            for name in sorted(os.environ.keys() & _PASSED_ON | {k for k in os.environ if k.startswith("PADDLITE_")}):
                line += ["-x", name]
    return [*line, "-n", str(nproc), *worker]


def mismatch(wanted: int, found: int) -> str:
    """What to say where a launcher started `wanted` processes and MPI sees `found` of them."""
    return (
        f"{wanted} processes were started, but MPI sees {found}: what started them does not belong to the MPI library "
        "that mpi4py uses. With mpiexec: use the one of the same MPI (--mpi PATH), or reinstall mpi4py. With srun: try "
        "srun --mpi=pmi2 or --mpi=pmix, or leave srun out and let paddlite.launch start the processes (--nproc N)"
    )
