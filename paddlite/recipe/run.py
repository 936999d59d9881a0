"""A recipe run on this rank, from its beginning (or a checkpoint) to its end."""

from __future__ import annotations

import contextlib
import json
import os
import signal
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from paddlite.recipe import codes
from paddlite.recipe.schema import Recipe


def run_from_file(spec_path: Path, run: Path) -> int:
    """Run what the launcher wrote down; gives the exit code."""
    spec: dict[str, Any] = json.loads(spec_path.read_text())
    recipe = Recipe.model_validate(spec["recipe"])
    if spec.get("steps") is not None:
        recipe = recipe.model_copy(update={"train": recipe.train.model_copy(update={"max_steps": spec["steps"]})})
    stall = spec.get("stall_timeout")
    return run_recipe(
        recipe, run, spec["resume"], stall if stall is not None else recipe.launch.stall_timeout, spec.get("devices"),
        spec.get("allow_change", ()),
    )  # fmt: skip


def run_recipe(
    recipe: Recipe,
    run: Path,
    resume: bool,
    stall_timeout: float,
    devices: str | None = None,
    allow_change: Sequence[str] = (),
) -> int:
    """Train; 0 where it is complete, 75 where a signal stopped it after a checkpoint, 130 after Ctrl-C."""
    import paddlite as paddle
    from paddlite.backend.world import WORLD
    from paddlite.recipe import check, lock, status
    from paddlite.recipe.build import build, choose_device
    from paddlite.recipe.describe import note_change
    from paddlite.recipe.loop import Loop
    from paddlite.recipe.report import write_report
    from paddlite.recipe.resume import newest
    from paddlite.recipe.stop import watching
    from paddlite.recipe.watchdog import Watchdog

    choose_device(recipe, devices)
    paddle.distributed.init_parallel_env()
    if WORLD.rank == 0:
        print(
            f"run {run}: {check.batch_line(recipe, WORLD.size)}, {check.precision(recipe)}, on {paddle.get_device()}",
            flush=True,
        )
    alone = lock.held(run) if WORLD.rank == 0 else contextlib.nullcontext()
    with alone, watching() as request, Watchdog(run, WORLD.rank, stall_timeout) as dog:
        loop = Loop(recipe, build(recipe), run, dog, request)
        found = newest(loop.store, WORLD.communicator) if resume else None
        if found is not None:
            loop.restore(found, allow_change)
        if WORLD.rank == 0 and resume:
            _say_from_where(loop, found)
        done_before = found is not None and loop.complete
        if WORLD.rank == 0 and found is not None and not done_before:
            note_change(run, recipe)
        stopped = 0 if done_before else loop.train()
        code = _code(recipe, stopped)
        if WORLD.rank == 0 and not (done_before and (run / "report.html").exists()):
            status.ended(run, code)
            try:
                write_report(run)
            except OSError as error:  # what was trained is saved
                print(f"warning: report.html cannot be written: {error.strerror}", flush=True)
            _say_result(recipe, loop.last_eval, loop.step)
            print(f"report: {os.path.relpath(run / 'report.html')}", flush=True)
        WORLD.communicator.barrier()  # the others do not leave while rank 0 still writes
    return code


def _code(recipe: Recipe, stopped: int) -> int:
    """The exit code where the signal `stopped` (0: none) ended the run."""
    if not stopped:
        return codes.OK
    if not recipe.checkpoint.on_signal:
        return codes.of_signal(stopped)
    return codes.INTERRUPTED if stopped == signal.SIGINT else codes.STOPPED


def _say_from_where(loop: Any, found: Any) -> None:
    if found is None:
        text = "there is no checkpoint yet: from the beginning"
    elif loop.complete:
        text = f"complete already, at step {loop.step}: nothing to do; larger train.epochs or train.steps go on"
    else:
        text = f"going on from step {loop.step} of {loop.total} ({found.path})"
    print(text, flush=True)


def _say_result(recipe: Recipe, found: dict[str, float], step: int) -> None:
    told = "  ".join(f"{k} {v:.4f}" for k, v in found.items() if k != "step")
    goal = ""
    if recipe.target is not None and recipe.target.metric in found:
        reached = recipe.target.reached(found[recipe.target.metric])
        goal = f"  (target {recipe.target.text()}: {'reached' if reached else 'not reached'})"
    print(f"done after {step} steps" + (f": test {told}{goal}" if told else ""), flush=True)
