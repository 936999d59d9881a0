"""Prints the JSON Schema of recipes: editors complete and check recipe files by it."""

from __future__ import annotations

import argparse

from paddlite.launch.parser import Parser
from paddlite.recipe.schema import schema_text


def add_arguments(parser: Parser) -> None:
    parser.add_argument(
        "--no-names", action="store_true", help="leave out the names of models, losses, data sets, optimizers"
    )
    parser.add_argument("--table", action="store_true", help="print every key as a table in Markdown instead")


def run(options: argparse.Namespace) -> int:
    if options.table:
        from paddlite.recipe.keys import table

        print(table(), end="")
        return 0
    from paddlite.cli.ls import KINDS
    from paddlite.recipe.components import names

    known = {} if options.no_names else {kind: names(kind_of) for kind, kind_of in KINDS.items()}
    print(schema_text(known), end="")
    return 0
