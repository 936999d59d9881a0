"""A trained network, taken from the folder of a run, of a checkpoint, or from a file of parameters."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import paddlite as paddle
from paddlite.recipe import build, check, checkpoint
from paddlite.recipe.compose import override
from paddlite.recipe.errors import RecipeError
from paddlite.recipe.schema import Recipe
from paddlite.recipe.yaml_loader import Document


class Trained(NamedTuple):
    """A network with its parameters, and the recipe that it was trained by."""

    recipe: Recipe
    model: Any
    path: Path  # of the checkpoint, or of the file


def open_trained(
    given: Path, which: str = "best", overrides: Sequence[str] = (), devices: str | None = None, by: Path | None = None
) -> Trained:
    """The network in `given`, on the device of its recipe, ready to be used.

    Args:
        given: the folder of a run, of a checkpoint, or a .pdparams file.
        which: "best" (or the last, where no best was kept), "last", or the number of a step.
        overrides: `key=value` for the recipe.
        devices: as `--devices` of the launcher.
        by: the recipe of a .pdparams file; folders know theirs.

    Raises:
        RecipeError: there is no such checkpoint, it is damaged, or the overrides are wrong.
    """
    if given.is_file():
        if by is None:
            raise RecipeError(f"{given}: a file of parameters does not know its network; give --recipe RECIPE")
        recipe = check.load(by, [*overrides, "model.pretrained=null"]).recipe
        state, path = paddle.load(str(given)), given
    else:
        path = _checkpoint(given, which)
        damage = checkpoint.damaged(path)
        if damage is not None:
            raise RecipeError(f"checkpoint {path} is damaged: {damage}")
        stored = checkpoint.read(path)
        recipe, state = _recipe(stored.state["recipe"], overrides), stored.model
    build.choose_device(recipe, devices)
    paddle.distributed.init_parallel_env()
    return Trained(recipe, build.trained_model(recipe, state), path)


def _recipe(data: dict[str, Any], overrides: Sequence[str]) -> Recipe:
    document = Document(json.loads(json.dumps(data)), {})
    override(document, [*overrides, "model.pretrained=null"])  # the checkpoint holds the parameters
    return check.checked(document)


def _checkpoint(given: Path, which: str) -> Path:
    if (given / "model.pdparams").is_file():
        return given.resolve()
    folder = given / "checkpoints"
    if not folder.is_dir():
        raise RecipeError(f"{given}: neither a run nor a checkpoint is there")
    store = checkpoint.Store(given, keep=1)
    steps = store.all()
    if not steps:
        raise RecipeError(f"{given}: the run has no checkpoint")
    if which.isdigit():
        found = next((p for p in steps if int(p.name.removeprefix("step")) == int(which)), None)
        if found is None:
            there = ", ".join(p.name.removeprefix("step").lstrip("0") for p in steps)
            raise RecipeError(f"{given}: there is no checkpoint of step {which}; there are {there}")
        return found
    best = store.best() if which == "best" else None
    return best if best is not None else steps[-1]
