"""Files that say what a run is: the recipe as given and as resolved, the command, the source, the machine."""

from __future__ import annotations

import json
import os
import platform
import re
import shlex
import subprocess
import sys
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import yaml

from paddlite import __version__
from paddlite.recipe.check import Loaded
from paddlite.recipe.errors import writing_to
from paddlite.recipe.schema import Recipe

_PACKAGES = ("numpy", "ml_dtypes", "cupy-cuda13x", "cupy-cuda12x", "mpi4py", "mpich", "pydantic", "pyyaml")
# Everything else in the environment may be private.
_VARIABLES = (
    "PADDLITE_",
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "CUDA_VISIBLE_DEVICES",
    "SLURM_JOB_ID",
    "SLURM_NTASKS",
)


def write_description(run: Path, loaded: Loaded | None, words: Sequence[str]) -> None:
    """Write the files; what an earlier start of the same run wrote stays.

    Each start adds a line to command.txt.

    Args:
        loaded: the recipe; None where a script is run.
        words: the command line of the launcher.

    Raises:
        StorageError: the folder cannot be written to.
    """
    with writing_to(run):
        _write_description(run, loaded, words)


def _write_description(run: Path, loaded: Loaded | None, words: Sequence[str]) -> None:
    folder = loaded.path.resolve().parent if loaded is not None else Path.cwd()
    files = {
        "git.txt": _git(folder),
        "env.json": json.dumps(environment(), indent=1) + "\n",
    }
    if loaded is not None:
        files["recipe.yaml"] = loaded.path.read_text(encoding="utf-8")
        files["resolved.yaml"] = resolved_text(loaded.recipe)
    for name, text in files.items():
        if not (run / name).exists():
            (run / name).write_text(text, encoding="utf-8")
    with (run / "command.txt").open("a", encoding="utf-8") as file:
        file.write(shlex.join([sys.executable, "-m", "paddlite.launch", *words]) + "\n")


def note_change(run: Path, recipe: Recipe) -> None:
    """Write down that the run goes on by a recipe that differs (more epochs, `--allow-change`).

    The earlier one is kept as resolved.1.yaml, resolved.2.yaml and so on.
    """
    path, text = run / "resolved.yaml", resolved_text(recipe)
    with writing_to(run):
        if path.exists() and path.read_text(encoding="utf-8") != text:
            os.replace(path, run / f"resolved.{len(list(run.glob('resolved.*.yaml'))) + 1}.yaml")
            path.write_text(text, encoding="utf-8")


def resolved_text(recipe: Recipe) -> str:
    """The whole recipe, with every base and override in it and every default written out."""
    return yaml.safe_dump(recipe.model_dump(mode="json"), sort_keys=False, allow_unicode=True)


def environment() -> dict[str, Any]:
    """Versions, the machine, and the environment variables that matter."""
    found = {"paddlite": __version__}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return {
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "processor": processor(),
        "cores": os.cpu_count(),
        "packages": found,
        "variables": {k: v for k, v in sorted(os.environ.items()) if k.startswith(_VARIABLES)},
    }


def processor() -> str:
    """The name of the processor, where the system tells it."""
    try:
        text = Path("/proc/cpuinfo").read_text()
    except OSError:
        return platform.processor()
    found = re.search(r"^model name\s*:\s*(.*)$", text, re.MULTILINE)
    return found[1] if found else platform.processor()


def _git(folder: Path) -> str:
    """The commit of the folder that the recipe is in, and what was changed since."""
    try:
        run = [
            subprocess.run(["git", *words], cwd=folder, capture_output=True, text=True, timeout=5).stdout.strip()
            for words in (("rev-parse", "HEAD"), ("status", "--short"))
        ]
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return "\n".join(run).strip() + "\n"
