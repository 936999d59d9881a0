"""From a command line to a run: check everything, make its folder, start it here or under mpiexec."""

from __future__ import annotations

import contextlib
import faulthandler
import json
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from paddlite.backend.world import launched
from paddlite.launch import devices, folder, hosts, mpi, options, plan, streams, worker
from paddlite.launch.console import say
from paddlite.launch.job import Job, Supervisor
from paddlite.launch.options import Request
from paddlite.recipe import check, codes, library, status
from paddlite.recipe.errors import RecipeError, StorageError, writing_to


def main(argv: Sequence[str]) -> int:
    """Run what the command line asks for; gives the exit code."""
    try:
        return start(options.parse(argv))
    except RecipeError as error:
        return _refused(error.problems, error.exit_code)
    except StorageError as error:
        return _refused([str(error)], error.exit_code)
    except (mpi.MpiMissing, devices.NoDevice) as error:
        return _refused([str(error)], codes.UNAVAILABLE)


def _refused(problems: list[str], code: int) -> int:
    """Say what is wrong, once: all ranks that mpiexec started find the same."""
    found = launched()
    if found is None or found[0] == 0:
        for problem in problems:
            print(f"error: {problem}", file=sys.stderr, flush=True)
    return code


def start(request: Request) -> int:
    """Check the request and run it."""
    among = _already_launched()
    given = hosts.processes(request.options, 0)
    if among and given not in (0, among):
        raise RecipeError(f"another launcher started {among} processes, but {given} are asked for; leave that out")
    loaded = None if request.is_script else _load(request, among or given or None)
    if request.is_script and not Path(request.target).is_file():
        raise RecipeError(f"{request.target}: there is no such script")
    nproc = among or given or (loaded.recipe.launch.nproc if loaded is not None else 1)
    usable = _usable_devices(request, loaded)
    if request.options.dry_run:
        if not among or launched()[0] == 0:  # type: ignore[index]
            print("\n".join(plan.lines(request, loaded, nproc, usable)), flush=True)
        return codes.OK
    if among:
        return _run_among_others(request, loaded, among)
    mpiexec = mpi.find_mpiexec(request.options.mpi) if plan.needs_mpi(request, nproc) else None
    run = _run_folder(request, loaded)
    arguments = _worker_arguments(request, loaded, run, nproc)
    if mpiexec is None:
        device = (devices.choose(usable, 0) or "") if request.options.devices else None
        return run_here(run, arguments, device, request.options.stall_timeout or 0.0)
    return _run_ranks(request, loaded, nproc, run, arguments, mpiexec)


def _load(request: Request, nproc: int | None) -> check.Loaded:
    return check.load(library.find(request.target), request.overrides(), nproc, request.options.fragments)


def _already_launched() -> int:
    """The number of processes where mpiexec, srun or another launcher has started this one among several; else 0."""
    found = launched()
    return found[1] if found is not None and found[1] > 1 else 0


def _usable_devices(request: Request, loaded: check.Loaded | None) -> list[str]:
    wanted = request.options.devices
    by_recipe = loaded.recipe.launch.device if loaded is not None else "auto"
    if request.options.hosts is None and request.options.hostfile is None:
        devices.require(wanted or ("gpu" if by_recipe == "gpu" else None), devices.gpus_here())
    if wanted is None and by_recipe == "cpu":
        wanted = "cpu"
    return devices.usable(wanted, os.environ.get("CUDA_VISIBLE_DEVICES"), devices.gpus_here())


def _run_folder(request: Request, loaded: check.Loaded | None) -> Path:
    resume = request.options.resume
    if request.options.run_dir is not None:
        return folder.given(Path(request.options.run_dir), resume is not None)
    if loaded is None:
        return folder.create(Path("runs"), Path(request.target).stem)
    output, name = Path(loaded.recipe.output_dir), loaded.recipe.name
    if resume is not None:
        found = _run_to_resume(resume, output, name)
        if found is not None:
            return folder.given(found, True)
    return folder.create(output, name)


def _run_to_resume(resume: str, output: Path, name: str) -> Path | None:
    if resume in ("last", "auto"):
        runs = [r for r in folder.numbered(output / name) if (r / "checkpoints").is_dir()]
        if runs:
            return runs[-1]
        if resume == "auto":
            return None
        raise RecipeError(f"--resume: no run in {output / name} has a checkpoint; leave --resume out to start anew")
    if not Path(resume).is_dir():
        raise RecipeError(f"--resume {resume}: there is no such run folder")
    return Path(resume)


def _worker_arguments(request: Request, loaded: check.Loaded | None, run: Path, nproc: int) -> list[str]:
    """What the worker is to do; writes it down in the folder of the run, with what describes the run."""
    from paddlite.recipe.describe import write_description

    write_description(run, loaded, request.words)
    status.begun(run, nproc)
    os.environ["PADDLITE_RUN_DIR"] = str(run.resolve())
    if loaded is None:
        return ["script", str(Path(request.target).resolve()), *request.arguments]
    spec: dict[str, Any] = {
        "recipe": loaded.recipe.model_dump(mode="json"),
        "path": str(loaded.path.resolve()),
        "resume": request.options.resume is not None,
        "allow_change": request.options.allow_change,
        "steps": request.options.steps,
        "profile": request.steps_to_profile(),
        "stall_timeout": request.options.stall_timeout,
        "devices": request.options.devices,
    }
    path = run / "logs" / "spec.json"
    with writing_to(run):
        path.write_text(json.dumps(spec))
    return ["recipe", str(path)]


def run_here(run: Path, arguments: list[str], device: str | None, stall_timeout: float = 0.0) -> int:
    """Run in this very process, so that pdb and breakpoints work."""
    if device is not None:
        os.environ["CUDA_VISIBLE_DEVICES"] = device
    os.environ["PADDLITE_STALL_TIMEOUT"] = str(stall_timeout)
    work = worker.target(arguments, run)
    if not faulthandler.is_enabled():
        faulthandler.enable()
    with streams.logged(run / "logs") as log:
        try:
            result = work()
        except KeyboardInterrupt:
            return status.ended(run, codes.INTERRUPTED, 0, "KeyboardInterrupt")
        except StorageError as error:
            status.ended(run, error.exit_code, 0, str(error))
            raise
        except BaseException as error:
            if not isinstance(error, SystemExit) or worker.code_of(error.code):
                code = worker.code_of(error.code) if isinstance(error, SystemExit) else codes.ERROR
                status.ended(run, getattr(error, "exit_code", code), 0, f"{type(error).__name__}: {error}")
            if isinstance(error, Exception):
                with contextlib.suppress(OSError):
                    log.write(worker.users_traceback(error))
            raise
    return status.ended(run, result if isinstance(result, int) else codes.OK)


def _run_among_others(request: Request, loaded: check.Loaded | None, size: int) -> int:
    """mpiexec or srun started this process: be one of its ranks, without starting others."""
    try:
        from mpi4py import MPI
    except ImportError as error:
        raise mpi.MpiMissing(f"several processes need mpi4py, which cannot be imported: {error}. {mpi.CURE}") from None
    world = MPI.COMM_WORLD
    if world.size != size:
        _refused([mpi.mismatch(size, world.size)], codes.MISMATCH)
        os._exit(codes.MISMATCH)

    def prepare() -> list[str]:
        run = _run_folder(request, loaded)
        return [str(run), *_worker_arguments(request, loaded, run, size)]

    words = _on_first_rank(world, prepare)
    os.environ["PADDLITE_WORLD_SIZE"] = str(size)
    os.environ["PADDLITE_RUN_DIR"] = str(Path(words[0]).resolve())
    if request.options.devices is not None:
        os.environ["PADDLITE_DEVICES"] = request.options.devices
    os.environ["PADDLITE_SHOW"] = request.options.show
    os.environ["PADDLITE_EXIT_GRACE"] = str(request.options.exit_grace)
    os.environ["PADDLITE_STALL_TIMEOUT"] = str(request.options.stall_timeout or 0.0)
    sys.argv = ["paddlite.launch.worker", *words]
    worker.main()


def _on_first_rank(world: Any, work: Callable[[], list[str]]) -> list[str]:
    """What `work` gives on rank 0; a mistake that it finds there is raised on all ranks."""
    said: tuple[list[str], list[str]] = ([], [])
    if world.rank == 0:
        try:
            said = (work(), [])
        except RecipeError as error:
            said = ([], error.problems)
    words, problems = world.bcast(said, root=0)
    if problems:
        raise RecipeError(problems)
    return words


def _run_ranks(
    request: Request, loaded: check.Loaded | None, nproc: int, run: Path, arguments: list[str], mpiexec: str
) -> int:
    o = request.options
    start = loaded.recipe.launch.start_timeout if loaded is not None else 60.0
    stall = loaded.recipe.launch.stall_timeout if loaded is not None else 0.0
    job = Job(
        nproc=nproc,
        run=run,
        worker=[str(run), *arguments],
        mpiexec=mpiexec,
        hosts=hosts.layout(o),
        devices=o.devices,
        start_timeout=o.start_timeout if o.start_timeout is not None else start,
        stall_timeout=o.stall_timeout if o.stall_timeout is not None else stall,
        exit_grace=o.exit_grace,
        stop_grace=o.stop_grace,
        show=o.show,
        verbose=o.verbose,
    )
    for attempt in range(o.max_restarts + 1):
        folder.clear_records(run)
        ended = Supervisor(job).run()
        if ended.code in codes.FINAL or attempt == o.max_restarts:
            break
        say(ended.message)
        say(f"start {attempt + 2} of {o.max_restarts + 1}")
        _set_resume(run)
    if ended.message:
        say(ended.message)
    return status.ended(run, ended.code, ended.rank, ended.message)


def _set_resume(run: Path) -> None:
    path = run / "logs" / "spec.json"
    if path.exists():
        spec = json.loads(path.read_text())
        spec["resume"] = True
        path.write_text(json.dumps(spec))


__all__ = ["main", "run_here", "start"]
