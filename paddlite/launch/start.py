"""From a command line to a run: check everything, make its folder, start it here or under mpiexec."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from paddlite.launch import codes, folder, mpi, options, worker
from paddlite.launch.job import Job, Supervisor
from paddlite.launch.options import Request
from paddlite.recipe import check, library
from paddlite.recipe.errors import RecipeError


def main(argv: Sequence[str]) -> int:
    """Run what the command line asks for; gives the exit code."""
    try:
        return start(options.parse(argv))
    except RecipeError as error:
        for problem in error.problems:
            print(f"error: {problem}", file=sys.stderr)
        return error.exit_code
    except mpi.MpiMissing as error:
        print(f"error: {error}", file=sys.stderr)
        return codes.UNAVAILABLE


def start(request: Request) -> int:
    """Check the request and run it."""
    loaded = None if request.is_script else _load(request)
    nproc = _nproc(request, loaded)
    if request.is_script and not Path(request.target).is_file():
        raise RecipeError(f"{request.target}: there is no such script")
    already = _already_launched()
    if loaded is not None and (request.options.dry_run or already is None):
        print(f"{loaded.recipe.name}: {check.batch_line(loaded.recipe, nproc)}", flush=True)
    if request.options.dry_run:
        return codes.OK
    if already is not None:
        return _run_under_other_launcher(request, loaded)
    mpiexec = mpi.find_mpiexec(request.options.mpi) if nproc > 1 or request.options.hosts else None
    run = _run_folder(request, loaded)
    arguments = _worker_arguments(request, loaded, run)
    if mpiexec is None:
        return run_here(run, arguments, request.options.devices)
    return _run_ranks(request, loaded, nproc, run, arguments, mpiexec)


def _load(request: Request) -> check.Loaded:
    from paddlite.recipe.library import find

    return check.load(find(request.target), request.overrides(), request.options.nproc)


def _nproc(request: Request, loaded: check.Loaded | None) -> int:
    given, devices = request.options.nproc, request.options.devices
    if given is not None:
        if given < 1:
            raise RecipeError(f"--nproc must be at least 1, got {given}")
        return given
    if devices is not None and devices != "cpu":
        return len(devices.split(","))
    return loaded.recipe.launch.nproc if loaded is not None else 1


def _already_launched() -> int | None:
    """The number of processes where mpiexec, srun or another launcher has started this one among several."""
    from paddlite.backend.world import launched

    found = launched()
    return found[1] if found is not None and found[1] > 1 else None


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


def _worker_arguments(request: Request, loaded: check.Loaded | None, run: Path) -> list[str]:
    if loaded is None:
        return ["script", str(Path(request.target).resolve()), *request.arguments]
    spec: dict[str, Any] = {
        "recipe": loaded.recipe.model_dump(mode="json"),
        "path": str(loaded.path.resolve()),
        "resume": request.options.resume is not None,
        "steps": request.options.steps,
        "stall_timeout": request.options.stall_timeout,
        "devices": request.options.devices,
    }
    path = run / "logs" / "spec.json"
    path.write_text(json.dumps(spec))
    _describe_run(run, loaded)
    return ["recipe", str(path)]


def _describe_run(run: Path, loaded: check.Loaded) -> None:
    from paddlite.recipe.describe import write_description

    write_description(run, loaded)


def run_here(run: Path, arguments: list[str], devices: str | None) -> int:
    """Run in this very process, so that pdb and breakpoints work."""
    if devices is not None and devices != "cpu":
        os.environ["CUDA_VISIBLE_DEVICES"] = devices
    work = worker.target(arguments, run)
    try:
        result = work()
    except KeyboardInterrupt:
        return codes.INTERRUPTED
    return result if isinstance(result, int) else codes.OK


def _run_under_other_launcher(request: Request, loaded: check.Loaded | None) -> int:
    """mpiexec or srun started this process: be one of its ranks, without starting others."""
    from mpi4py import MPI

    world = MPI.COMM_WORLD
    run = _run_folder(request, loaded) if world.rank == 0 else None
    run = Path(world.bcast(str(run) if run is not None else None, root=0))
    arguments = _worker_arguments(request, loaded, run) if world.rank == 0 else None
    arguments = world.bcast(arguments, root=0)
    os.environ.setdefault("PADDLITE_WORLD_SIZE", str(world.size))
    sys.argv = ["paddlite.launch.worker", str(run), *arguments]
    worker.main()


def _run_ranks(
    request: Request, loaded: check.Loaded | None, nproc: int, run: Path, arguments: list[str], mpiexec: str
) -> int:
    o = request.options
    recipe_timeout = loaded.recipe.launch.start_timeout if loaded is not None else 60.0
    job = Job(
        nproc=nproc,
        run=run,
        worker=[str(run), *arguments],
        mpiexec=mpiexec,
        hosts=o.hosts,
        hostfile=o.hostfile,
        devices=o.devices,
        start_timeout=o.start_timeout if o.start_timeout is not None else recipe_timeout,
        exit_grace=o.exit_grace,
        stop_grace=o.stop_grace,
        verbose=o.verbose,
    )
    for attempt in range(o.max_restarts + 1):
        folder.clear_records(run)
        ended = Supervisor(job).run()
        if ended.code in (codes.OK, codes.STOPPED, codes.USAGE, codes.INTERRUPTED) or attempt == o.max_restarts:
            break
        print(
            f"paddlite.launch: {ended.message}\npaddlite.launch: start {attempt + 2} of {o.max_restarts + 1}",
            file=sys.stderr,
        )
        _set_resume(run)
    if ended.message:
        lines = ended.message.splitlines()
        print("\n".join([*lines[:-1], f"paddlite.launch: {lines[-1]}"]), file=sys.stderr, flush=True)
    return ended.code


def _set_resume(run: Path) -> None:
    path = run / "logs" / "spec.json"
    if path.exists():
        spec = json.loads(path.read_text())
        spec["resume"] = True
        path.write_text(json.dumps(spec))


__all__ = ["library", "main", "run_here", "start"]
