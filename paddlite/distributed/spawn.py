"""`spawn`: a function in several processes, from a script that one command starts."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from paddlite.backend.world import launched
from paddlite.core.errors import InvalidArgument


class SpawnError(RuntimeError):
    """A process that `spawn` started has failed; `exit_code` is its own, `rank` its number."""

    def __init__(self, message: str, exit_code: int, rank: int | None):
        self.exit_code, self.rank = exit_code, rank
        super().__init__(message)


class SpawnContext:
    """The processes that `spawn` has started."""

    def __init__(self, launcher: subprocess.Popen, run: Path):
        self._launcher, self._run = launcher, run

    def join(self, timeout: float | None = None) -> bool:
        """Wait until all processes have ended; False where `timeout` seconds passed before.

        Raises:
            SpawnError: one of them has failed; the others have been ended then.
        """
        try:
            code = self._launcher.wait(timeout)
        except subprocess.TimeoutExpired:
            return False
        except KeyboardInterrupt:  # Ctrl-C has reached the launcher too
            with contextlib.suppress(KeyboardInterrupt):
                self._launcher.wait()
            shutil.rmtree(self._run, ignore_errors=True)
            raise
        from paddlite.recipe import status

        told = status.read(self._run)
        if code:
            from paddlite.launch import records
            from paddlite.recipe import codes

            found = records.read(self._run / "logs", "exit").get(told.get("first_failed_rank") or 0, {})
            message = told.get("message") or codes.describe(code)
            trace = f"\n\n{found['trace']}" if found.get("trace") else ""
            shutil.rmtree(self._run, ignore_errors=True)
            raise SpawnError(f"spawn: {message}{trace}", code, told.get("first_failed_rank"))
        shutil.rmtree(self._run, ignore_errors=True)
        return True


def spawn(
    func: Callable[..., Any],
    args: tuple = (),
    nprocs: int = -1,
    join: bool = True,
    daemon: bool = False,
    **options: Any,
) -> SpawnContext:
    """Call `func(*args)` in `nprocs` processes, which `init_parallel_env` joins to one job; gives their context.

    The processes are started by the launcher (`python -m paddlite.launch`), with its guarantees: where one fails, all
    end, and the error is told; none outlives this process.  What they print appears with the rank in front.

    Args:
        func: a function at the top of a module or script.  As with `multiprocessing`, a script that calls `spawn` does
            so under `if __name__ == "__main__":`.
        nprocs: processes; -1 for one a GPU, or without GPUs one a core.
        join: wait for the end.  Else the context that is given back has `join`.
        daemon: has no effect: no process outlives this one.
        options: `gpus` or `devices` ("0,1"): the GPUs to use; `start_method`, which can be "spawn" only.

    Raises:
        SpawnError: a process has failed (where `join`).
        TypeError: the function cannot be sent to another process.
        RuntimeError: this is one of the processes of a job already.

    Differs: the processes are MPI's, so there are no ports and no `backend`.
    """
    if launched() is not None:
        raise RuntimeError(
            "spawn was called in a process that a launcher or spawn has started. A script that calls it is read again "
            'by each of its processes: put the call under `if __name__ == "__main__":`'
        )
    method = options.pop("start_method", None)
    if method not in (None, "spawn"):
        raise InvalidArgument(
            f"spawn: start_method can be 'spawn' only, got {method!r}: neither MPI nor CUDA is forked"
        )
    gpus = options.pop("gpus", None) or options.pop("devices", None) or options.pop("selected_devices", None)
    if options:
        raise InvalidArgument(f"spawn: unknown option {next(iter(options))!r}; there are gpus, devices, start_method")
    from paddlite.launch import call, devices, job

    run = Path(tempfile.mkdtemp(prefix="paddlite-spawn-"))
    try:
        call.write(run / "call.pickle", func, tuple(args))
    except BaseException:
        shutil.rmtree(run, ignore_errors=True)
        raise
    if nprocs == -1:
        nprocs = len(str(gpus).split(",")) if gpus else devices.gpus_here() or len(os.sched_getaffinity(0))
    words = ["--nproc", str(nprocs), "--run-dir", str(run), "--show", "all"]
    words += ["--devices", str(gpus)] if gpus else []
    env = {**os.environ, "PADDLITE_PARENT": str(os.getpid())}
    env["PYTHONPATH"] = os.pathsep.join([str(job.TREE), *filter(None, [env.get("PYTHONPATH")])])
    command = [sys.executable, "-m", "paddlite.launch", *words, call.__file__, str(run / "call.pickle")]
    sys.stdout.flush()
    sys.stderr.flush()
    context = SpawnContext(subprocess.Popen(command, env=env), run)
    if join:
        context.join()
    return context
