"""Running a measurement in a process of its own, several rounds, next to the peers; one line a figure."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OURS = "paddlite"
PEERS = ("paddle", "torch")
ONE_THREAD = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "GLOG_minloglevel": "3",
    "PYTHONWARNINGS": "ignore",
}


def peers_python() -> str | None:
    """The Python in which paddlepaddle and torch are installed, from the variable PEERS; None without it."""
    return os.environ.get("PEERS")


def available() -> list[str]:
    """Ours, and the peers where PEERS names a Python that has them."""
    python = peers_python()
    if python is None:
        print(
            "# PEERS is not set: no ratios. PEERS=/path/to/python with paddlepaddle==3.3.1 and torch==2.13.0",
            file=sys.stderr,
        )
        return [OURS]
    return [
        OURS,
        *[p for p in PEERS if subprocess.run([python, "-c", f"import {p}"], capture_output=True).returncode == 0],
    ]


def measure(module: str, framework: str, *arguments: str, timeout: float = 300) -> dict:
    """What `python -m benchmarks.<module> worker FRAMEWORK ...` prints as its last line, a JSON object."""
    python = peers_python() or sys.executable if framework in PEERS else sys.executable
    command = [python, "-m", f"benchmarks.{module}", "worker", framework, *arguments]
    env = {**os.environ, **ONE_THREAD}
    env.pop("PYTHONDONTWRITEBYTECODE", None)  # nobody compiles a framework anew at every start
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=timeout)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)} failed:\n{done.stderr[-2000:]}")
    return json.loads(done.stdout.strip().splitlines()[-1])


def rounds(module: str, frameworks: Sequence[str], count: int, *arguments: str) -> dict[str, dict[str, float]]:
    """Medians over `count` rounds in which the frameworks take turns."""
    seen: dict[str, list[dict]] = {f: [] for f in frameworks}
    for _ in range(count):
        for framework in frameworks:
            seen[framework].append(measure(module, framework, *arguments))
    return {f: {k: statistics.median(r[k] for r in results) for k in results[0]} for f, results in seen.items()}


def show(name: str, figures: dict[str, float], unit: str, target: str = "") -> None:
    """One line: ours, each peer, and our ratio to it."""
    ours = figures[OURS]
    parts = [f"{name:34} {ours:9.3f} {unit}"]
    parts += [
        f"{peer} {value:9.3f} (ratio {ours / value:.2f})" for peer, value in figures.items() if peer != OURS and value
    ]
    print("   ".join([*parts, *([f"target {target}"] if target else [])]), flush=True)


def key(results: dict[str, dict[str, float]], name: str) -> dict[str, float]:
    return {framework: result[name] for framework, result in results.items() if name in result}
