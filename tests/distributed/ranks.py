"""Running the checks of a program on several ranks: `python -m tests.distributed.ranks PROGRAM` under mpiexec."""

import importlib
import os
import subprocess
import sys
import traceback
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


def mpiexec() -> str | None:
    """The mpiexec beside this Python, where mpi4py is installed too."""
    found = Path(sys.executable).parent / "mpiexec"
    return str(found) if found.exists() and importlib.util.find_spec("mpi4py") else None


def run(program: str, nproc: int = 2, timeout: float = 120) -> None:
    """Run every `check_*` function of `tests/distributed/programs/<program>.py` on `nproc` ranks.

    Raises:
        AssertionError: with what the ranks printed.
    """
    env = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    command = [mpiexec(), "-n", str(nproc), sys.executable, "-W", "error", "-m", "tests.distributed.ranks", program]
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=timeout)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    assert done.stdout.count("all checks done") == nproc, done.stdout + done.stderr


def main(program: str) -> None:
    from mpi4py import MPI

    module = importlib.import_module(f"tests.distributed.programs.{program}")
    for name, check in vars(module).items():
        if not name.startswith("check_"):
            continue
        try:
            check()
        except BaseException:
            print(f"rank {MPI.COMM_WORLD.rank}: {name}\n{traceback.format_exc()}", flush=True)
            MPI.COMM_WORLD.Abort(1)
    print("all checks done", flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
