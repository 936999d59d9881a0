"""Options that several commands share."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from paddlite.launch.parser import Parser
from paddlite.recipe.errors import RecipeError


def add_overrides(parser: Parser) -> None:
    """`-o key=value`."""
    parser.add_argument(
        "-o", "--override", action="append", default=[], metavar="KEY=VALUE", help="set a key of the recipe"
    )


def table(rows: Iterable[Sequence[str]]) -> str:
    """Rows of words in columns; the last column is as long as it likes."""
    rows = [list(row) for row in rows]
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]) - 1)] if rows else []
    return "\n".join(
        "  ".join([*(word.ljust(width) for word, width in zip(row, widths)), row[-1]]).rstrip() for row in rows
    )


def add_trained(parser: Parser) -> None:
    """What names a trained network."""
    parser.add_argument(
        "run", metavar="RUN", help="the folder of a run or of a checkpoint, or a .pdparams file with --recipe"
    )
    parser.add_argument(
        "--checkpoint", default="best", metavar="WHICH", help="best (the default), last, or the number of a step"
    )
    parser.add_argument("--recipe", metavar="RECIPE", help="the recipe of a .pdparams file")
    parser.add_argument("--devices", metavar="LIST", help="cpu, or the number of a GPU")


def trained(options: argparse.Namespace, overrides: Sequence[str] = ()) -> Any:
    """The trained network that the options name (see `recipe.trained.open_trained`)."""
    from paddlite.recipe.library import find
    from paddlite.recipe.trained import open_trained

    path = Path(options.run)
    if not path.exists():
        raise RecipeError(f"{path}: there is no such run, checkpoint or file")
    by = find(options.recipe) if options.recipe is not None else None
    return open_trained(path, options.checkpoint, overrides, options.devices, by)
