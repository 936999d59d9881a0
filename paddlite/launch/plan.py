"""What a command line would do, in words (`--dry-run`)."""

from __future__ import annotations

from pathlib import Path

from paddlite.launch import hosts, mpi
from paddlite.launch.options import Request
from paddlite.recipe import check
from paddlite.recipe.schema import Recipe


def needs_mpi(request: Request, nproc: int) -> bool:
    """True where processes are started by mpiexec: several of them, or one that is elsewhere or may be restarted."""
    o = request.options
    return nproc > 1 or o.hosts is not None or o.hostfile is not None or o.max_restarts > 0


def lines(request: Request, loaded: check.Loaded | None, nproc: int, devices: list[str]) -> list[str]:
    """The plan, a fact a line."""
    facts = {"processes": _processes(request, nproc)}
    if loaded is None:
        head = f"{request.target}: a script"
        folder = Path("runs") / Path(request.target).stem
    else:
        recipe = loaded.recipe
        head = f"{recipe.name}: {recipe.description}" if recipe.description else recipe.name
        folder = Path(recipe.output_dir) / recipe.name
        facts = {
            "model": f"{recipe.model.name} on {recipe.data.train.name}",
            "training": training(recipe, request.options.steps),
            "precision": check.precision(recipe),
            "batch": check.batch_line(recipe, nproc),
            **facts,
        }
    facts["devices"] = f"GPU {', '.join(devices)}" if devices else "CPU"
    facts["run folder"] = request.options.run_dir or f"a new one in {folder}"
    return [head, *(f"  {name:11} {text}" for name, text in facts.items())]


def _processes(request: Request, nproc: int) -> str:
    if not needs_mpi(request, nproc):
        return "1, this one"
    found = hosts.layout(request.options)
    where = ", ".join(f"{host} ({count})" for host, count in found.items()) if found else "this host"
    try:
        by = mpi.find_mpiexec(request.options.mpi)
    except mpi.MpiMissing as error:
        by = f"nothing: {error}"
    return f"{nproc} on {where}, started by {by}"


def training(recipe: Recipe, steps: int | None = None) -> str:
    """How long and with what a recipe trains."""
    train, o = recipe.train, recipe.optimizer
    length = f"{train.steps} steps" if train.steps else f"{train.epochs} epochs"
    if steps or train.max_steps:
        length = f"the first {steps or train.max_steps} steps of {length}"
    schedule = f" with {o.schedule.name}" if o.schedule is not None else ""
    return f"{length}, {o.name}, learning rate {o.lr:g}{schedule}"
