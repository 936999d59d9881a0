"""Every recipe that ships, in every precision and data parallel, in full: does each still reach its target?

    python -m paddlite.recipe.run_all [RECIPE ...] [--variants amp_o1,two_processes] [--jobs N] [-o KEY=VALUE]

As many runs at a time as the cores hold.  Prints a table; the exit code is 1 where a run fails or misses its target.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import NamedTuple

from paddlite.recipe import check, library
from paddlite.recipe.errors import RecipeError, suggestion
from paddlite.recipe.metrics import read_table
from paddlite.recipe.schema import Recipe

# A variant is made of fragments of configs/, laid over the recipe.
VARIANTS: dict[str, tuple[str, ...]] = {
    "as it is": (),
    "float32": ("amp_off", "one_process"),
    "amp_o1": ("amp_o1", "one_process"),
    "amp_o2": ("amp_o2", "one_process"),
    "amp_bf16": ("amp_bf16", "one_process"),
    "two_processes": ("amp_off", "two_processes"),
}
_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")


class Job(NamedTuple):
    """One run to be made."""

    recipe: Recipe
    variant: str
    run: Path


class Result(NamedTuple):
    """How a run went."""

    job: Job
    code: int
    found: float | None  # the target's metric at the end
    seconds: float

    @property
    def passed(self) -> bool:
        target = self.job.recipe.target
        return self.code == 0 and (target is None or (self.found is not None and target.reached(self.found)))


class Cores:
    """Cores to be taken by runs, the processes of a run all at once."""

    def __init__(self, count: int):
        self.count = self.free = count
        self.changed = threading.Condition()

    def take(self, wanted: int) -> int:
        """Wait until `wanted` cores (or all there are) are free, and take them; gives how many."""
        wanted = min(wanted, self.count)
        with self.changed:
            self.changed.wait_for(lambda: self.free >= wanted)
            self.free -= wanted
        return wanted

    def give(self, count: int) -> None:
        with self.changed:
            self.free += count
            self.changed.notify_all()


def jobs(names: Sequence[str], variants: Sequence[str], folder: Path, overrides: Sequence[str] = ()) -> list[Job]:
    """The runs to be made, those of several processes first.

    A variant that says of a recipe what it says itself is left out.
    """
    made = []
    for name in names:
        seen: list[Recipe] = []
        for variant in variants:
            recipe = check.load(library.find(name), overrides, fragments=VARIANTS[variant]).recipe
            if recipe not in seen:
                seen.append(recipe)
                made.append(Job(recipe, variant, folder / f"{recipe.name}.{variant.replace(' ', '_')}"))
    return sorted(made, key=lambda job: -job.recipe.launch.nproc)


def run(job: Job, name: str, cores: Cores, words: Sequence[str]) -> Result:
    """Make one run, in processes of its own; what they say goes to a file beside its folder."""
    fragments = VARIANTS[job.variant]
    chosen = [f"--with={','.join(fragments)}"] if fragments else []
    command = [sys.executable, "-m", "paddlite.launch", "--run-dir", str(job.run), name, *chosen, *words]
    taken = cores.take(job.recipe.launch.nproc)
    start = time.monotonic()
    try:
        with job.run.with_suffix(f"{job.run.suffix}.txt").open("w") as said:
            code = subprocess.run(
                command,
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=subprocess.STDOUT,
                env={**os.environ, **_ONE_THREAD},
            ).returncode
    finally:
        cores.give(taken)
    metric = job.recipe.target.metric if job.recipe.target is not None else ""
    measured = read_table(job.run / "eval.csv").get(metric)
    return Result(job, code, measured[-1] if measured else None, time.monotonic() - start)


def row(result: Result) -> tuple[str, ...]:
    """A line of the table."""
    target = result.job.recipe.target
    found = "-" if result.found is None else f"{result.found:.4f}"
    verdict = "pass" if result.passed else "MISSED" if result.code == 0 else f"FAILED, exit code {result.code}"
    return (
        result.job.recipe.name,
        result.job.variant,
        f"{target.metric} {found}" if target is not None else "-",
        target.text() if target is not None else "-",
        f"{result.seconds:.1f}",
        verdict,
    )


_HEAD = ("RECIPE", "VARIANT", "FOUND", "TARGET", "SECONDS", "")
_WIDTHS = (16, 14, 12, 13, 8, 0)


def _line(words: Sequence[str]) -> str:
    return " ".join(word.ljust(width) for word, width in zip(words, _WIDTHS)).rstrip()


def main(argv: Sequence[str] | None = None) -> int:
    """Run what the command line asks for; gives the exit code."""
    options = _parsed(argv)
    folder = options.folder or Path("runs") / "all" / time.strftime("%Y%m%d-%H%M%S")
    folder.mkdir(parents=True, exist_ok=True)
    words = [f"--steps={options.steps}"] if options.steps else []
    words += [word for override in options.override for word in ("-o", override)]
    try:
        wanted = jobs(options.recipes, options.variants, folder, options.override)
    except RecipeError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.exit_code
    names = {check.load(library.find(name)).recipe.name: name for name in options.recipes}
    cores, start = Cores(options.jobs), time.monotonic()
    print(f"{len(wanted)} runs in {folder}, {options.jobs} processes at a time", flush=True)
    print(_line(_HEAD), flush=True)
    results = []
    with ThreadPoolExecutor(options.jobs) as pool:
        for done in as_completed([pool.submit(run, job, names[job.recipe.name], cores, words) for job in wanted]):
            results.append(done.result())
            print(_line(row(results[-1])), flush=True)
    missed = [r for r in results if not r.passed]
    print(f"{len(results) - len(missed)} of {len(results)} reached, in {time.monotonic() - start:.0f} s")
    for result in missed:
        print(f"see {result.job.run}.txt")
    return 1 if missed else 0


def _parsed(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m paddlite.recipe.run_all",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("recipes", nargs="*", metavar="RECIPE", help="which recipes (all that ship)")
    parser.add_argument("--variants", default=",".join(VARIANTS), help=f"which of: {', '.join(VARIANTS)} (all)")
    parser.add_argument(
        "--jobs", type=int, default=os.cpu_count() or 1, metavar="N", help="processes at a time (cores)"
    )
    parser.add_argument("--steps", type=int, metavar="N", help="stop each run after N steps (a first look)")
    parser.add_argument("--folder", type=Path, metavar="DIR", help="where the runs go (runs/all/DATE-TIME)")
    parser.add_argument("-o", "--override", action="append", default=[], metavar="KEY=VALUE", help="for every recipe")
    options = parser.parse_args(argv)
    options.recipes = options.recipes or list(library.shipped())
    options.variants = options.variants.split(",")
    for variant in options.variants:
        if variant not in VARIANTS:
            parser.error(f"there is no variant '{variant}'{suggestion(variant, list(VARIANTS))}")
    if options.jobs < 1:
        parser.error(f"--jobs must be at least 1, got {options.jobs}")
    return options


if __name__ == "__main__":
    sys.exit(main())
