"""What each rank runs: MPI first, then the log, then the recipe or script, then a word on how it ended.

`python -m paddlite.launch.worker RUN_DIR recipe SPEC.json` or `... RUN_DIR script PATH ARGUMENTS...`
"""

from __future__ import annotations

import contextlib
import faulthandler
import os
import runpy
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

from paddlite.launch import codes, devices, mpi, processes, records
from paddlite.recipe import status, stop
from paddlite.recipe.errors import RecipeError, StorageError


class Tee:
    """A text stream that writes to the console and to the rank's log."""

    def __init__(self, console: Any, log: Any):
        self._console, self._log = console, log

    def write(self, text: str) -> int:
        with contextlib.suppress(OSError):  # a full disk: the console still says it
            self._log.write(text)
        return self._console.write(text)

    def flush(self) -> None:
        with contextlib.suppress(OSError):
            self._log.flush()
        self._console.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._console, name)


def redirect(logs: Path, rank: int) -> None:
    """Rank 0 writes to the console and its log, the others to their logs alone."""
    log = records.log_path(logs, rank).open("a", buffering=1, errors="replace")
    if rank == 0:
        sys.stdout, sys.stderr = Tee(sys.stdout, log), Tee(sys.stderr, log)  # type: ignore[assignment]
    else:
        os.dup2(log.fileno(), 1)
        os.dup2(log.fileno(), 2)
    faulthandler.enable(log.fileno())
    faulthandler.register(signal.SIGUSR2, records.stacks_path(logs, rank).open("a"), all_threads=True)


@contextmanager
def logged(logs: Path) -> Iterator[None]:
    """While entered, what the one process of a run prints goes to its log too."""
    before = sys.stdout, sys.stderr
    with records.log_path(logs, 0).open("a", buffering=1, errors="replace") as log:
        sys.stdout, sys.stderr = Tee(sys.stdout, log), Tee(sys.stderr, log)  # type: ignore[assignment]
        try:
            yield
        except Exception as error:
            with contextlib.suppress(OSError):
                log.write(users_traceback(error))
            raise
        finally:
            sys.stdout, sys.stderr = before


def run_script(path: str, arguments: list[str]) -> None:
    """Run a script as `python path arguments` would."""
    sys.argv = [path, *arguments]
    sys.path.insert(0, str(Path(path).resolve().parent))
    runpy.run_path(path, run_name="__main__")


def code_of(exit_value: Any) -> int:
    """The exit code that `sys.exit(exit_value)` means."""
    if exit_value is None:
        return codes.OK
    return exit_value if isinstance(exit_value, int) else codes.ERROR


def perform(work: Callable[[], Any]) -> tuple[str, int, str]:
    """Run `work`: how it ended (in a word), the exit code, and the traceback."""
    try:
        result = work()
        return ("ok", result, "") if isinstance(result, int) and result else ("ok", codes.OK, "")
    except SystemExit as left:
        code = code_of(left.code)
        if code and isinstance(left.code, str):
            print(left.code, file=sys.stderr)
        return "sys.exit", code, users_traceback(left) if code else ""
    except KeyboardInterrupt:
        return "KeyboardInterrupt", codes.INTERRUPTED, ""
    except (RecipeError, StorageError) as error:  # of the user's making: no traceback helps
        text = "".join(f"error: {problem}\n" for problem in str(error).splitlines())
        print(text, end="", file=sys.stderr)
        return type(error).__name__, error.exit_code, text
    except BaseException as error:
        trace = users_traceback(error)
        print(trace, end="", file=sys.stderr)
        return f"{type(error).__name__}", getattr(error, "exit_code", codes.ERROR), trace


_OWN_FILES = (__file__, runpy.__file__, "<frozen runpy>")


def users_traceback(error: BaseException) -> str:
    """The traceback without the frames by which the launcher came to the user's code."""
    frames = error.__traceback__
    while frames is not None and frames.tb_frame.f_code.co_filename in _OWN_FILES:
        frames = frames.tb_next
    return "".join(traceback.format_exception(type(error), error, frames or error.__traceback__))


def target(arguments: list[str], run: Path) -> Callable[[], Any]:
    """The work that the command line names."""
    kind, name, *rest = arguments
    if kind == "script":
        return lambda: run_script(name, rest)

    def recipe() -> Any:
        from paddlite.recipe.run import run_from_file

        return run_from_file(Path(name), run)

    return recipe


def main() -> NoReturn:
    """The life of a rank that mpiexec started."""
    run = Path(sys.argv[1])
    logs = run / "logs"
    if sys.argv[2] == "recipe":
        stop.listen()  # a request to stop that comes while all is being loaded is not lost
    from mpi4py import MPI  # before anything of the user's: a failed import there must be able to end the others

    world = MPI.COMM_WORLD
    wanted = int(os.environ.get("PADDLITE_WORLD_SIZE", world.size))
    if world.size != wanted:
        print(f"error: {mpi.mismatch(wanted, world.size)}", file=sys.stderr, flush=True)
        os._exit(codes.MISMATCH)
    processes.die_with_parent()
    os.environ["PADDLITE_RANK"] = str(world.rank)
    redirect(logs, world.rank)
    records.write_start(logs, world.rank)
    work = target(sys.argv[2:], run)

    def bound() -> Any:
        bind_device(world)
        return work()

    kind, code, trace = perform(bound)
    sys.stdout.flush()
    sys.stderr.flush()
    if kind != "ok" and code not in (codes.OK, codes.STOPPED):  # the ranks of a recipe end with "ok" all together
        records.write_exit(logs, world.rank, kind, code, trace)
        status.ended(run, code, world.rank, trace)
        world.Abort(code)
    _leave_together(MPI, world, logs, code)


def bind_device(world: Any) -> None:
    """Show each rank of a host one GPU, by its number on the host."""
    from mpi4py import MPI

    local = world.Split_type(MPI.COMM_TYPE_SHARED)
    os.environ["PADDLITE_LOCAL_RANK"] = str(local.rank)
    given, visible = os.environ.get("PADDLITE_DEVICES"), os.environ.get("CUDA_VISIBLE_DEVICES")
    usable = devices.usable(given or None, visible, devices.gpus_here())
    chosen = devices.choose(usable, local.rank)
    if chosen is not None:
        os.environ["CUDA_VISIBLE_DEVICES"] = chosen
        if local.rank == 0 and local.size > len(usable):
            print(f"paddlite: {local.size} processes share {len(usable)} GPUs on this host", file=sys.stderr)
    local.Free()


def _leave_together(mpi: Any, world: Any, logs: Path, code: int) -> NoReturn:
    """A rank that is done waits for the others; where they train on, the run is wrong and is ended."""
    grace = float(os.environ.get("PADDLITE_EXIT_GRACE", "10"))
    request, begun, pause = world.Ibarrier(), time.monotonic(), 0.001
    while not request.Test():
        if time.monotonic() - begun > grace:
            text = f"rank {world.rank} finished while others still run; all ranks must do the same steps"
            records.write_exit(logs, world.rank, "early end", codes.LOST, text)
            world.Abort(codes.LOST)
        time.sleep(pause)
        pause = min(0.05, pause * 2)
    records.write_exit(logs, world.rank, "ok", code)
    if world.rank == 0:
        status.ended(logs.parent, code)
    mpi.Finalize()
    sys.exit(code)


if __name__ == "__main__":
    main()
