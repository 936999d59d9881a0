"""Files that say what a run is: the recipe as given and as resolved, the command, the source, the machine."""

from __future__ import annotations

import json
import os
import platform
import shlex
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import yaml

from paddlite.recipe.check import Loaded

_PACKAGES = ("paddlite", "numpy", "ml_dtypes", "cupy-cuda13x", "cupy-cuda12x", "mpi4py", "mpich", "pydantic", "pyyaml")
# Everything else in the environment may be private.
_VARIABLES = (
    "PADDLITE_",
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "CUDA_VISIBLE_DEVICES",
    "SLURM_JOB_ID",
    "SLURM_NTASKS",
)


def write_description(run: Path, loaded: Loaded) -> None:
    """Write the files; what an earlier start of the same run wrote stays."""
    files = {
        "recipe.yaml": loaded.path.read_text(encoding="utf-8"),
        "resolved.yaml": resolved_text(loaded),
        "command.txt": shlex.join([sys.executable, "-m", "paddlite.launch", *sys.argv[1:]]) + "\n",
        "git.txt": _git(loaded.path.parent),
        "env.json": json.dumps(environment(), indent=1) + "\n",
    }
    for name, text in files.items():
        if not (run / name).exists():
            (run / name).write_text(text, encoding="utf-8")


def resolved_text(loaded: Loaded) -> str:
    """The whole recipe, with every base and override in it and every default written out."""
    return yaml.safe_dump(loaded.recipe.model_dump(mode="json"), sort_keys=False, allow_unicode=True)


def environment() -> dict[str, Any]:
    """Versions, the machine, and the environment variables that matter."""
    found = {}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return {
        "python": platform.python_version(),
        "machine": f"{platform.system()} {platform.release()} {platform.machine()}",
        "cores": os.cpu_count(),
        "packages": found,
        "variables": {k: v for k, v in sorted(os.environ.items()) if k.startswith(_VARIABLES)},
    }


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
