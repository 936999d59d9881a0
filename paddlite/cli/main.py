"""`paddlite COMMAND ...`: finding the command, its options, and what it says when something is wrong."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import NamedTuple

from paddlite.launch.parser import Parser, spread_overrides
from paddlite.recipe import codes
from paddlite.recipe.errors import RecipeError, suggestion


class Command(NamedTuple):
    """Where a command is implemented, what follows its name, and what it does."""

    module: str
    arguments: str
    help: str


COMMANDS = {
    "run": Command(
        "run", "RECIPE [-o KEY=VALUE ...]", "train, in one process or several (= python -m paddlite.launch)"
    ),
    "ls": Command("ls", "[KIND]", "list the recipes that ship, or the names that a recipe may use"),
    "show": Command("show", "RECIPE [-o KEY=VALUE ...] [--origin]", "print a recipe as it is resolved"),
    "cp": Command("cp", "RECIPE DEST", "copy a recipe, to change it"),
    "validate": Command("validate", "RECIPE ...", "check recipes; every mistake is told by file and line"),
    "eval": Command("evaluate", "RUN [-o KEY=VALUE ...]", "measure a trained run on its test data, or on others"),
    "infer": Command("infer", "RUN IMAGE ...", "classify image files with a trained run"),
    "plot": Command("plot", "RUN", "write report.html (and loss.png) of a run anew"),
    "slurm": Command("slurm", "RECIPE [--nodes N ...]", "print a batch script for Slurm"),
    "schema": Command("schema", "", "print the JSON Schema of recipes, for editors"),
    "doctor": Command("doctor", "", "examine this installation: versions, cores, MPI, GPU"),
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command line; gives the exit code (64 where it cannot be understood)."""
    words = list(sys.argv[1:] if argv is None else argv)
    try:
        code = _run(words)
        sys.stdout.flush()
        return code
    except RecipeError as error:
        for problem in error.problems:
            print(f"error: {problem}", file=sys.stderr)
        return error.exit_code
    except BrokenPipeError:  # `paddlite show X | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return codes.ERROR


def _run(words: list[str]) -> int:
    name = words[0] if words else "--help"
    if name in ("-h", "--help", "help"):
        print(overview())
        return codes.OK
    if name in ("-V", "--version"):
        from paddlite import __version__

        print(f"paddlite {__version__}")
        return codes.OK
    if name not in COMMANDS:
        what = "option" if name.startswith("-") else "command"
        raise RecipeError(f"there is no {what} '{name}'{suggestion(name, list(COMMANDS))} (paddlite --help lists all)")
    if name == "run":
        from paddlite.launch.start import main as launch

        return launch(words[1:])
    command = COMMANDS[name]
    module = import_module(f"paddlite.cli.{command.module}")
    parser = Parser(
        prog=f"paddlite {name}", usage=f"paddlite {name} {command.arguments}".rstrip(), description=module.__doc__
    )
    module.add_arguments(parser)
    given = spread_overrides([parser.known(word) for word in words[1:]])
    parser.check_flags(given)
    try:
        options = parser.parse_args(given)
    except RecipeError as error:
        raise RecipeError([*error.problems, f"usage: {parser.usage}"]) from None
    return module.run(options)


def overview() -> str:
    """What `paddlite --help` prints."""
    width = max(len(f"{name} {command.arguments}") for name, command in COMMANDS.items())
    width = min(width, 40)
    rows = [f"  {f'{name} {c.arguments}':{width}}  {c.help}" for name, c in COMMANDS.items()]
    return "\n".join(
        [
            "usage: paddlite COMMAND ...",
            "",
            *rows,
            "",
            "paddlite COMMAND --help tells the options of a command.",
            "To begin: paddlite run --nproc 2 lenet_digits",
        ]
    )
