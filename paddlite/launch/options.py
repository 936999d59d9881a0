"""The command line of the launcher: its flags, the target, and what belongs to the target."""

from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from paddlite.launch.parser import Parser, spread_overrides
from paddlite.recipe.errors import RecipeError

USAGE = """python -m paddlite.launch [options] RECIPE [-o key=value ...]
       python -m paddlite.launch [options] script.py [arguments of the script]"""

_HOSTS = "give the hosts by --hosts host1:4,host2:4 or --hostfile FILE; without them all processes run here"
_NO_PORTS = "MPI connects the processes: there is no address or port to give"
_ONE_WAY = "there is one way to run: collective, with the same program in every process"
_ELASTIC = "use --max-restarts N, which goes on from the last checkpoint"
# Flags of paddle.distributed.launch, torchrun, mpiexec and others that have another name here, or no meaning.
_REFUSED = {
    **dict.fromkeys(("ips", "host", "trainers", "trainer_num", "H", "hosts_file"), _HOSTS),
    **dict.fromkeys(
        ("master", "master_addr", "master_port", "start_port", "gloo_port", "with_gloo", "sort_ip", "rank",
         "node_rank", "rdzv_backend", "rdzv_endpoint", "rdzv_id", "rdzv_conf", "standalone", "local_addr"),
        _NO_PORTS,
    ),
    **dict.fromkeys(("servers", "server_num"), "parameter servers are not supported"),
    **dict.fromkeys(("auto_parallel_config", "auto_cluster_config", "auto_tuner_json", "legacy"), _ONE_WAY),
    **dict.fromkeys(("elastic_level", "elastic_timeout"), _ELASTIC),
    **dict.fromkeys(("n", "np", "nprocs", "num_processes", "ntasks"), "use --nproc N"),
    **dict.fromkeys(("npus", "xpus"), "only GPUs are supported: --devices 0,1"),
    **dict.fromkeys(("c", "config"), "give the recipe itself: python -m paddlite.launch RECIPE"),
    **dict.fromkeys(("m", "module"), "give the path of a script, or a recipe"),
    "gpu": "use --devices 0,1",
    "job_id": "use --run-dir DIR to name the run",
    "log_level": "use --verbose",
    "log_overwrite": "every run has a folder of its own; nothing is overwritten",
    "enable_gpu_log": "the speed of a run is in its speed.csv and report.html",
    "tee": "every rank is logged; --show all shows all of them",
    "redirects": "every rank is logged; --show all shows all of them",
}  # fmt: skip

# What only a recipe can obey, as attributes of the parsed options.
_RECIPE_ONLY = ("resume", "allow_change", "steps", "profile", "amp", "bf16", "override", "fragments")


def _hosts(text: str) -> int:
    if re.fullmatch(r"\d+:\d+", text):
        raise argparse.ArgumentTypeError(f"{text} hosts: the number is fixed while a run lasts; {_ELASTIC}")
    return int(text)


def parser() -> Parser:
    """The launcher's flags; the target and what follows it are split off before."""
    p = Parser(prog="python -m paddlite.launch", usage=USAGE, add_help=False, description="Start a training run.")
    p.add_argument("-h", "--help", action="help", help="show this text")
    where = p.add_argument_group("where it runs")
    where.add_argument(
        "--nproc",
        type=int,
        metavar="N",
        help="processes (default: one a device of --devices, or as --hosts says, or the recipe's)",
    )
    where.add_argument(
        "--nproc-per-node", type=int, metavar="N", help="processes on each host (Paddle's --nproc_per_node)"
    )
    where.add_argument(
        "--nnodes", type=_hosts, metavar="N", help="number of hosts; must agree with --hosts or --hostfile"
    )
    where.add_argument("--devices", "--gpus", metavar="LIST", help="GPUs, one process each (0,1,2), or cpu")
    where.add_argument("--hosts", metavar="H:N,...", help="hosts and the processes on each")
    where.add_argument("--hostfile", metavar="FILE", help="the same in a file, a host a line")
    where.add_argument("--mpi", metavar="PATH", help="the mpiexec to use (default: the one beside this Python)")
    what = p.add_argument_group("what it does (recipes)")
    what.add_argument(
        "-o", "--override", action="append", default=[], metavar="KEY=VALUE", help="set a key of the recipe"
    )
    add_fragments(what)
    what.add_argument("--amp", choices=("off", "O1", "O2"), help="mixed precision, in a word")
    what.add_argument("--bf16", action="store_true", help="mixed precision in bfloat16 in place of float16")
    what.add_argument("--steps", type=int, metavar="N", help="stop after N steps (a first look)")
    what.add_argument("--dry-run", action="store_true", help="check, print the plan, and stop")
    what.add_argument("--profile", metavar="A:B", help="write a Chrome trace of steps A to B, for each rank")
    what.add_argument(
        "--resume",
        nargs="?",
        const="last",
        metavar="RUN",
        help="go on from the last checkpoint of the newest run, of RUN, or 'auto' (start anew where there is none)",
    )
    what.add_argument(
        "--allow-change",
        action="append",
        default=[],
        metavar="KEY",
        help="with --resume: let this key of the recipe differ from the run's",
    )
    how = p.add_argument_group("how it is watched")
    how.add_argument("--run-dir", "--log-dir", metavar="DIR", help="folder of this run (default: runs/NAME/NUMBER)")
    how.add_argument(
        "--stall-timeout",
        type=float,
        metavar="S",
        help="seconds without a step until the run is stopped (default: the recipe's, for a script 0: never)",
    )
    how.add_argument(
        "--start-timeout", type=float, metavar="S", help="seconds for all processes to come up (0: no limit)"
    )
    how.add_argument(
        "--exit-grace",
        type=float,
        default=10.0,
        metavar="S",
        help="seconds that a finished rank waits for the others (10)",
    )
    how.add_argument(
        "--stop-grace", type=float, default=120.0, metavar="S", help="seconds for a checkpoint after SIGTERM (120)"
    )
    how.add_argument(
        "--max-restarts",
        "--max-restart",
        type=int,
        default=0,
        metavar="N",
        help="start again from the last checkpoint after a failure, at most N times",
    )
    how.add_argument(
        "--show", choices=("0", "all"), default="0", help="ranks whose output is shown (0); each has a log anyway"
    )
    how.add_argument("-v", "--verbose", action="store_true", help="print what is started")
    p.add_argument("--run-mode", choices=("collective",), help=argparse.SUPPRESS)  # Paddle's; there is no other
    return p


def add_fragments(parser: Any) -> None:
    """`--with FRAGMENT[,FRAGMENT]`."""
    parser.add_argument(
        "--with",
        dest="fragments",
        action="extend",
        type=lambda text: text.split(","),
        default=[],
        metavar="FRAGMENT",
        help="lay a fragment over the recipe: a name of `paddlite ls configs`, or a .yaml file; may be repeated",
    )


class Request(NamedTuple):
    """What the user asked for."""

    options: argparse.Namespace
    target: str
    arguments: list[str]
    words: list[str] = []

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

    def steps_to_profile(self) -> tuple[int, int] | None:
        """First and last step of `--profile A:B`."""
        return None if self.options.profile is None else _range(self.options.profile)


def parse(argv: Sequence[str]) -> Request:
    """Split and parse a command line.

    Raises:
        RecipeError: an unknown flag, with a suggestion; a flag that has no meaning here, with the cure; no target.
    """
    p = parser()
    own, target, rest = _split([p.known(word) for word in argv], p)
    if any(flag in own for flag in ("-h", "--help")):
        p.parse_args(["--help"])
    if target is None:
        raise RecipeError(f"give a recipe or a script\nusage: {USAGE}")
    if target.endswith(".py"):
        rest = list(argv)[len(argv) - len(rest) :]  # as the script is to get them
        request = Request(p.parse_args(own), target, rest, list(argv))
    else:
        own += rest
        p.check_flags(own, _REFUSED)
        request = Request(_with_overrides(p, own), target, [], list(argv))
    _check(request)
    return request


def _with_overrides(p: Parser, words: list[str]) -> argparse.Namespace:
    options, extra = p.parse_known_args(spread_overrides(words))
    loose = [word for word in extra if "=" in word and not word.startswith("-")]
    unknown = [word for word in extra if word not in loose]
    if unknown:
        raise RecipeError(f"{unknown[0]!r} is no option; a recipe takes -o key=value")
    options.override += loose  # `RECIPE a=1`
    return options


def _check(request: Request) -> None:
    o = request.options
    if request.is_script:
        for name in _RECIPE_ONLY:
            if getattr(o, name) not in (None, False, []):
                flag = "with" if name == "fragments" else name.replace("_", "-")
                raise RecipeError(f"--{flag} is for recipes; a script takes its own arguments")
    if o.allow_change and o.resume is None:
        raise RecipeError("--allow-change is for --resume: a new run may have any recipe")
    if o.bf16 and o.amp == "off":
        raise RecipeError("--amp off and --bf16 contradict each other; leave one out")
    for name in ("nproc", "nproc_per_node", "nnodes", "steps"):
        value = getattr(o, name)
        if value is not None and value < 1:
            raise RecipeError(f"--{name.replace('_', '-')} must be at least 1, got {value}")
    if o.nproc is not None and o.nproc_per_node is not None:
        raise RecipeError("give either --nproc (all processes) or --nproc-per-node (those on each host)")
    if o.hosts is not None and o.hostfile is not None:
        raise RecipeError("give either --hosts or --hostfile")
    if o.devices is not None and o.devices != "cpu":
        for part in o.devices.split(","):
            if not part.isdigit() and not part.startswith(("GPU-", "MIG-")):
                raise RecipeError(f"--devices: give numbers of GPUs, such as 0,1, or cpu; got {o.devices!r}")
    request.steps_to_profile()


def _range(text: str) -> tuple[int, int]:
    first, colon, last = text.partition(":")
    if not colon or not first.isdigit() or not last.isdigit() or not 0 < int(first) <= int(last):
        raise RecipeError(f"--profile takes the first and the last step, such as 20:25; got {text!r}")
    return int(first), int(last)


def _split(argv: list[str], p: Parser) -> tuple[list[str], str | None, list[str]]:
    """The words before the target, the target, and the words after it."""
    flags = p.flags()
    i = 0
    while i < len(argv):
        word = argv[i]
        if not word.startswith("-"):
            if i and "=" in word and _follows_override(argv[:i]):
                i += 1
                continue
            return argv[:i], word, argv[i + 1 :]
        p.check_flags([word], _REFUSED)
        action = flags.get(word.partition("=")[0])
        takes_value = action is not None and action.nargs != 0 and "=" not in word
        if takes_value and action.nargs == "?":  # type: ignore[union-attr]
            takes_value = _names_a_run(argv[i + 1 : i + 2])
            argv[i : i + 1 + takes_value] = [f"{word}={argv[i + 1] if takes_value else action.const}"]  # type: ignore[union-attr]
            takes_value = False
        i += 2 if takes_value else 1
    return argv, None, []


def _follows_override(before: list[str]) -> bool:
    """True where the words before end in `-o a=1 b=2`."""
    while before and "=" in before[-1] and not before[-1].startswith("-"):
        before = before[:-1]
    return bool(before) and before[-1] in ("-o", "--override")


def _names_a_run(following: list[str]) -> bool:
    """True where the word behind `--resume` is its value, and not the recipe."""
    if not following or following[0].startswith("-"):
        return False
    word = following[0]
    return (
        word in ("last", "auto") or Path(word).is_dir() or ("/" in word and not word.endswith((".yaml", ".yml", ".py")))
    )
