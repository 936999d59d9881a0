"""What each rank runs: MPI first, then the log, then the recipe or script, then a word on how it ended.

`python -m paddlite.launch.worker RUN_DIR recipe SPEC.json` or `... RUN_DIR script PATH ARGUMENTS...`
"""

from __future__ import annotations

import os
import runpy
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

from paddlite.backend.world import launched
from paddlite.launch import devices, mpi, processes, records, streams
from paddlite.recipe import codes, status, stop
from paddlite.recipe.errors import RecipeError, StorageError
from paddlite.recipe.watchdog import Watchdog


def run_script(path: str, arguments: list[str]) -> None:
    """Run a script as `python path arguments` would."""
    sys.argv = [path, *arguments]
    sys.path.insert(0, str(Path(path).resolve().parent))
    runpy.run_path(path, run_name="__main__")


def code_of(exit_value: Any) -> int:
    """The exit code that `sys.exit(exit_value)` means."""
    if exit_value is None:
        return codes.OK
    return exit_value & 0xFF if isinstance(exit_value, int) else codes.ERROR  # as the system cuts it


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
        streams.note(text)
        return type(error).__name__, error.exit_code, text
    except BaseException as error:
        trace = users_traceback(error)
        streams.note(trace)
        return f"{type(error).__name__}", getattr(error, "exit_code", codes.ERROR), trace


_OWN_FILES = (__file__, str(Path(__file__).with_name("call.py")), runpy.__file__, "<frozen runpy>")


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

        def script() -> None:
            rank, timeout = os.environ.get("PADDLITE_RANK", "0"), os.environ.get("PADDLITE_STALL_TIMEOUT", "0")
            with Watchdog(run, int(rank), float(timeout)):
                run_script(name, rest)

        return script

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
    world = _world()
    wanted = int(os.environ.get("PADDLITE_WORLD_SIZE", world.size))
    if world.size != wanted:
        _refuse(mpi.mismatch(wanted, world.size), codes.MISMATCH)
    processes.die_with_parent()
    os.environ["PADDLITE_RANK"] = str(world.rank)
    streams.redirect(logs, world.rank, os.environ.get("PADDLITE_SHOW") == "all")
    records.write_start(logs, world.rank)
    work = target(sys.argv[2:], run)

    def bound() -> Any:
        bind(world)
        return work()

    kind, code, trace = perform(bound)
    streams.finish()
    if kind != "ok" and code not in (codes.OK, codes.STOPPED):  # the ranks of a recipe end with "ok" all together
        records.write_exit(logs, world.rank, kind, code, trace)
        status.ended(run, code, world.rank, trace)
        world.Abort(code)
    _leave_together(world, logs, code)


def _world() -> Any:
    """MPI's world, joined before anything of the user's runs: a failed import there must be able to end the others."""
    try:
        from mpi4py import MPI
    except (ImportError, RuntimeError) as error:
        reason = " ".join(str(error).split())
        _refuse(f"mpi4py is installed, but its MPI library cannot be loaded: {reason}. {mpi.CURE}", codes.UNAVAILABLE)
    return MPI.COMM_WORLD


def _refuse(text: str, code: int) -> NoReturn:
    """End the run before it has begun; one rank tells why."""
    found = launched()
    if found is None or found[0] == 0:
        print(f"error: {text}", file=sys.stderr, flush=True)
    os._exit(code)


def bind(world: Any) -> None:
    """Give each rank of a host its share: one GPU, by its number on the host, and cores."""
    from mpi4py import MPI

    local = world.Split_type(MPI.COMM_TYPE_SHARED)
    os.environ["PADDLITE_LOCAL_RANK"] = str(local.rank)
    cores = set().union(*local.allgather(os.sched_getaffinity(0)))
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ.setdefault(name, os.environ.get("OMP_NUM_THREADS") or str(max(1, len(cores) // local.size)))
    if local.rank == 0:
        processes.unname_shared_memory()  # all ranks of this host are joined, and have mapped it
    given, visible = os.environ.get("PADDLITE_DEVICES"), os.environ.get("CUDA_VISIBLE_DEVICES")
    devices.require(given or None, devices.gpus_here())
    usable = devices.usable(given or None, visible, devices.gpus_here())
    chosen = devices.choose(usable, local.rank)
    if given == "cpu":
        os.environ["CUDA_VISIBLE_DEVICES"] = ""  # for scripts, which choose by what they see
    elif chosen is not None:
        os.environ["CUDA_VISIBLE_DEVICES"] = chosen
        if local.rank == 0 and local.size > len(usable):
            print(f"paddlite: {local.size} processes share {len(usable)} GPUs on this host", file=sys.stderr)
    local.Free()


def _leave_together(world: Any, logs: Path, code: int) -> NoReturn:
    """A rank that is done waits for the others; where they train on, the run is wrong and is ended."""
    grace = float(os.environ.get("PADDLITE_EXIT_GRACE", "10"))
    request, begun, pause = world.Ibarrier(), time.monotonic(), 0.001
    while not request.Test():
        if time.monotonic() - begun > grace:
            text = f"rank {world.rank} finished while others still run; all ranks must do the same steps"
            records.write_exit(logs, world.rank, "early end", codes.LOST, text)
            status.ended(logs.parent, codes.LOST, world.rank, text)
            world.Abort(codes.LOST)
        time.sleep(pause)
        pause = min(0.05, pause * 2)
    records.write_exit(logs, world.rank, "ok", code)
    if world.rank == 0:
        status.ended(logs.parent, code)
    from mpi4py import MPI

    MPI.Finalize()
    sys.exit(code)


if __name__ == "__main__":
    main()
