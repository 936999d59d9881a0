"""The command line of the launcher: its flags, the target, and what belongs to the target."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import NamedTuple, NoReturn

from paddlite.recipe.errors import RecipeError, suggestion

USAGE = """python -m paddlite.launch [options] RECIPE [-o key=value ...]
       python -m paddlite.launch [options] script.py [arguments of the script]"""

# Flags of paddle.distributed.launch (and of other launchers) that cannot mean here what they mean there.
_REFUSED = {
    "--master": "MPI finds the other hosts itself: give them by --hosts host1:4,host2:4 or --hostfile",
    "--rank": "MPI numbers the processes itself",
    "--ips": "give the hosts by --hosts host1:4,host2:4 or --hostfile",
    "--nnodes": "give the hosts by --hosts host1:4,host2:4 or --hostfile; without them all processes run here",
    "--nprocs": "use --nproc",
    "--run_mode": "there is one mode: collective",
    "--servers": "parameter servers are not supported",
    "--trainers": "give the hosts by --hosts host1:4,host2:4 or --hostfile",
    "--elastic_level": "use --max-restarts, which goes on from the last checkpoint",
    "--start_port": "no ports are used",
    "--job_id": "use --run-dir to name the run",
}


class Parser(argparse.ArgumentParser):
    """Without abbreviations, and with a suggestion for a flag that does not exist."""

    def error(self, message: str) -> NoReturn:
        raise RecipeError(message)


def parser() -> Parser:
    """The launcher's flags; the target and what follows it are split off before."""
    p = Parser(prog="python -m paddlite.launch", usage=USAGE, allow_abbrev=False, description="Start a training run.")
    p.add_argument(
        "--nproc",
        "--nproc_per_node",
        type=int,
        metavar="N",
        help="processes (default: the recipe's; with --devices: one each)",
    )
    p.add_argument("--devices", "--gpus", metavar="LIST", help="GPUs, one process each (0,1,2), or cpu")
    p.add_argument("--hosts", metavar="H:N,...", help="hosts and processes on each, for mpiexec")
    p.add_argument("--hostfile", metavar="FILE", help="the same, in a file for mpiexec")
    p.add_argument("--run-dir", "--log_dir", metavar="DIR", help="folder of this run (default: runs/NAME/NUMBER)")
    p.add_argument(
        "--resume",
        nargs="?",
        const="last",
        metavar="RUN",
        help="go on from the last checkpoint of the newest run, of RUN, or 'auto' (start anew where there is none)",
    )
    p.add_argument("--steps", type=int, metavar="N", help="stop after N steps (a first look)")
    p.add_argument("--dry-run", action="store_true", help="check, print the plan, and stop")
    p.add_argument(
        "--stall-timeout", type=float, metavar="S", help="seconds without a step until the run is stopped (0: never)"
    )
    p.add_argument(
        "--start-timeout", type=float, metavar="S", help="seconds for all processes to come up (0: no limit)"
    )
    p.add_argument(
        "--exit-grace",
        type=float,
        default=10.0,
        metavar="S",
        help="seconds that a finished rank waits for the others (10)",
    )
    p.add_argument(
        "--stop-grace", type=float, default=120.0, metavar="S", help="seconds for a checkpoint after SIGTERM (120)"
    )
    p.add_argument(
        "--max-restarts",
        type=int,
        default=0,
        metavar="N",
        help="start again from the last checkpoint after a failure, at most N times",
    )
    p.add_argument("--mpi", metavar="PATH", help="the mpiexec to use")
    p.add_argument("--amp", choices=("off", "O1", "O2"), help="mixed precision of a recipe, in a word")
    p.add_argument("--bf16", action="store_true", help="bfloat16 in place of float16")
    p.add_argument("-o", "--override", action="append", default=[], metavar="KEY=VALUE", help="set a key of the recipe")
    p.add_argument("-v", "--verbose", action="store_true", help="print what is started")
    return p


class Request(NamedTuple):
    """What the user asked for."""

    options: argparse.Namespace
    target: str
    arguments: list[str]

    @property
    def is_script(self) -> bool:
        return self.target.endswith(".py")

    def overrides(self) -> list[str]:
        """All overrides of the recipe, the one-word switches too."""
        words = list(self.options.override)
        if self.options.amp is not None:
            words.append(f"amp={self.options.amp}")
        if self.options.bf16:
            words += ["amp.dtype=bfloat16", *([] if self.options.amp is not None else ["amp.enable=true"])]
        return words


def parse(argv: Sequence[str]) -> Request:
    """Split and parse a command line.

    Raises:
        RecipeError: an unknown flag, with a suggestion; a flag that has no meaning here, with the cure; no target.
    """
    p = parser()
    own, target, rest = _split(list(argv), p)
    if target is None:
        if any(flag in own for flag in ("-h", "--help")):
            p.parse_args(["--help"])
        raise RecipeError(f"give a recipe or a script\nusage: {USAGE}")
    if target.endswith(".py"):
        return Request(p.parse_args(own), target, rest)
    own += rest
    _check_flags(own, p)
    options, extra = p.parse_known_args(own)
    loose = [word for word in extra if "=" in word and not word.startswith("-")]
    unknown = [word for word in extra if word not in loose]
    if unknown:
        raise RecipeError(f"{unknown[0]!r} is no option; a recipe takes -o key=value")
    options.override += loose  # `-o a=1 b=2`
    return Request(options, target, [])


def _flags(p: argparse.ArgumentParser) -> dict[str, argparse.Action]:
    return {flag: action for action in p._actions for flag in action.option_strings}


def _split(argv: list[str], p: Parser) -> tuple[list[str], str | None, list[str]]:
    """The words before the target, the target, and the words after it."""
    flags = _flags(p)
    i = 0
    while i < len(argv):
        word = argv[i]
        if not word.startswith("-"):
            return argv[:i], word, argv[i + 1 :]
        _check_flags([word], p)
        action = flags.get(word.partition("=")[0])
        takes_value = action is not None and action.nargs != 0 and "=" not in word
        if takes_value and action.nargs == "?":  # type: ignore[union-attr]
            following = argv[i + 1 : i + 2]
            takes_value = bool(following) and not following[0].startswith("-") and len(argv) > i + 2
        i += 2 if takes_value else 1
    return argv, None, []


def _check_flags(words: Sequence[str], p: Parser) -> None:
    flags = _flags(p)
    for word in words:
        name = word.partition("=")[0]
        if not name.startswith("--") or name in flags:
            continue
        if name in _REFUSED:
            raise RecipeError(f"{name}: {_REFUSED[name]}")
        raise RecipeError(f"unknown option {name}{suggestion(name, [f for f in flags if f.startswith('--')])}")
