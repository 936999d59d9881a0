"""Lists the recipes that ship with the package, or the names of models, losses, datasets, optimizers, schedules and
configs that a recipe may use."""

from __future__ import annotations

import argparse

from paddlite.cli.common import table
from paddlite.launch.parser import Parser
from paddlite.recipe import components, library, signature

KINDS = {
    "models": components.MODEL,
    "losses": components.LOSS,
    "datasets": components.DATASET,
    "optimizers": components.OPTIMIZER,
    "schedules": components.SCHEDULE,
}


def add_arguments(parser: Parser) -> None:
    parser.add_argument("kind", nargs="?", default="recipes", choices=("recipes", "configs", *KINDS), metavar="KIND")


def run(options: argparse.Namespace) -> int:
    if options.kind == "recipes":
        print(table([("RECIPE", "TARGET", "PROCESSES", "PRECISION", "DESCRIPTION"), *map(_recipe, library.shipped())]))
    elif options.kind == "configs":
        print(table((name, first_comment(name)) for name in library.shipped("configs")))
    else:
        kind = KINDS[options.kind]
        print(table((name, _arguments(kind, name)) for name in components.names(kind)))
    return 0


def _recipe(name: str) -> tuple[str, ...]:
    from paddlite.recipe import check

    recipe = check.load(library.find(name)).recipe
    target = recipe.target.text() if recipe.target else ""
    return name, target, str(recipe.launch.nproc), check.precision(recipe), recipe.description


def first_comment(name: str) -> str:
    """The first comment of a fragment that ships: what it is for."""
    lines = library.shipped("configs")[name].read_text(encoding="utf-8").splitlines()
    return next((line.lstrip("# ") for line in lines if line.startswith("# ") and "$schema" not in line), "")


def _arguments(kind: components.Kind, name: str) -> str:
    found = signature.find(name, *kind.folders)
    assert found is not None
    free = [n for n in found.names if n not in kind.supplied and n != "name"]
    return ", ".join(f"{n} (needed)" if n in found.required else n for n in free)
