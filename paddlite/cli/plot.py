"""Writes the page of a run anew from its files: report.html, and loss.png where matplotlib is installed."""

from __future__ import annotations

import argparse
from pathlib import Path

from paddlite.launch.parser import Parser
from paddlite.recipe.errors import RecipeError
from paddlite.recipe.report import write_report


def add_arguments(parser: Parser) -> None:
    parser.add_argument("run", metavar="RUN", help="the folder of a run")


def run(options: argparse.Namespace) -> int:
    folder = Path(options.run)
    if not (folder / "metrics.csv").is_file():
        raise RecipeError(f"{folder}: there is no run in it (no metrics.csv)")
    for path in write_report(folder):
        print(path)
    return 0
