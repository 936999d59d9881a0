"""Checks recipes without loading the engine; tells every mistake, and how the batch is split where there is none."""

from __future__ import annotations

import argparse
import sys

from paddlite.cli.common import add_overrides
from paddlite.launch.options import add_fragments
from paddlite.launch.parser import Parser
from paddlite.recipe import check, codes, library
from paddlite.recipe.errors import RecipeError


def add_arguments(parser: Parser) -> None:
    parser.add_argument("recipes", nargs="+", metavar="RECIPE", help="names of recipes that ship, or .yaml files")
    parser.add_argument("--nproc", type=int, metavar="N", help="processes (default: what each recipe says)")
    add_fragments(parser)
    add_overrides(parser)


def run(options: argparse.Namespace) -> int:
    code = codes.OK
    for name in options.recipes:
        try:
            recipe = check.load(library.find(name), options.override, options.nproc, options.fragments).recipe
        except RecipeError as error:
            code = codes.USAGE
            for problem in error.problems:
                print(f"error: {problem}", file=sys.stderr)
        else:
            print(f"{name}: ok; {check.batch_line(recipe, options.nproc or recipe.launch.nproc)}")
    return code
