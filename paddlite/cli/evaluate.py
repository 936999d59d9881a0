"""Measures a trained run on its test data, or on other data given by -o data.eval..."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from paddlite.cli.common import add_overrides, add_trained, trained
from paddlite.launch.parser import Parser
from paddlite.recipe.errors import RecipeError


def add_arguments(parser: Parser) -> None:
    add_trained(parser)
    parser.add_argument("--json", action="store_true", help="print the numbers as JSON")
    add_overrides(parser)


def run(options: argparse.Namespace) -> int:
    from paddlite.recipe.build import dataset, task
    from paddlite.recipe.evaluate import evaluate

    found = trained(options, options.override)
    if found.recipe.data.eval is None:
        raise RecipeError("the recipe has no data.eval; give one: -o data.eval.name=...")
    measured = evaluate(found.recipe, task(found.recipe), found.model, dataset(found.recipe.data.eval))
    if options.json:
        print(json.dumps({"checkpoint": str(found.path), **measured}))
    else:
        print(f"{_short(found.path)}: " + "  ".join(f"{name} {value:.4f}" for name, value in measured.items()))
    return 0


def _short(path: Path) -> str:
    try:
        return str(path.relative_to(Path.cwd()))
    except ValueError:
        return str(path)
