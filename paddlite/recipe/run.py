"""A recipe run on this rank, from its beginning (or a checkpoint) to its end."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from paddlite.recipe.schema import Recipe

STOPPED, INTERRUPTED = 75, 130


def run_from_file(spec_path: Path, run: Path) -> int:
    """Run what the launcher wrote down; gives the exit code."""
    spec: dict[str, Any] = json.loads(spec_path.read_text())
    recipe = Recipe.model_validate(spec["recipe"])
    if spec.get("steps") is not None:
        recipe = recipe.model_copy(
            update={"train": recipe.train.model_copy(update={"steps": spec["steps"], "epochs": None})}
        )
    stall = spec.get("stall_timeout")
    return run_recipe(
        recipe, run, spec["resume"], stall if stall is not None else recipe.launch.stall_timeout, spec.get("devices")
    )


def run_recipe(recipe: Recipe, run: Path, resume: bool, stall_timeout: float, devices: str | None = None) -> int:
    """Train; 0 where it is complete, 75 where a signal stopped it after a checkpoint, 130 after Ctrl-C."""
    import paddlite as paddle
    from paddlite.backend.world import WORLD
    from paddlite.recipe import check, status
    from paddlite.recipe.build import build, choose_device
    from paddlite.recipe.checkpoint import Store
    from paddlite.recipe.loop import Loop
    from paddlite.recipe.report import write_report
    from paddlite.recipe.stop import watching
    from paddlite.recipe.watchdog import Watchdog

    choose_device(recipe, devices)
    paddle.distributed.init_parallel_env()
    if WORLD.rank == 0:
        print(
            f"run {run}: {check.batch_line(recipe, WORLD.size)}, {check.precision(recipe)}, on {paddle.get_device()}",
            flush=True,
        )
    with watching() as request, Watchdog(run, WORLD.rank, stall_timeout) as dog:
        loop = Loop(recipe, build(recipe), run, dog, request)
        if resume:
            found = Store(run, recipe.checkpoint.keep).read_last()
            if found is not None:
                loop.restore(found)
                if WORLD.rank == 0:
                    print(f"going on from {found.path}", flush=True)
        stopped = loop.train()
    if WORLD.rank == 0:
        status.ended(run, _code(stopped))
        write_report(run)
        _say_result(recipe, loop.last_eval, loop.step)
    return _code(stopped)


def _code(stopped: int) -> int:
    """The exit code where the signal `stopped` (0: none) ended the run."""
    if stopped:
        return INTERRUPTED if stopped == 2 else STOPPED
    return 0


def _say_result(recipe: Recipe, found: dict[str, float], step: int) -> None:
    told = "  ".join(f"{k} {v:.4f}" for k, v in found.items() if k != "step")
    goal = ""
    if recipe.target is not None and recipe.target.metric in found:
        reached = recipe.target.reached(found[recipe.target.metric])
        goal = f"  (target {recipe.target.text()}: {'reached' if reached else 'not reached'})"
    print(f"done after {step} steps" + (f": test {told}{goal}" if told else ""), flush=True)
