"""Every benchmark in turn; `--save` keeps what they print, with date and machine, in benchmarks/results.

PEERS=/path/to/python python -m benchmarks.all [--save] [NAME ...]
"""

from __future__ import annotations

import argparse
import datetime
import os
import platform
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

from benchmarks.common import ROOT, peers_python

NAMES = ("startup", "dispatch", "steps", "loop", "launch")
RESULTS = Path(__file__).resolve().parent / "results"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(NAMES)}; all where none is given")
    parser.add_argument("--save", action="store_true", help="write the figures to benchmarks/results")
    options = parser.parse_args()
    unknown = set(options.names) - set(NAMES)
    if unknown:
        parser.error(f"no benchmark {', '.join(sorted(unknown))}; there are {', '.join(NAMES)}")
    text, failed = machine(), 0
    print(text, flush=True)
    for name in options.names or NAMES:
        done = subprocess.run([sys.executable, "-m", f"benchmarks.{name}"], cwd=ROOT, stdout=subprocess.PIPE, text=True)
        failed |= done.returncode
        text += f"\n## {name}\n```\n{done.stdout}```\n"
        print(f"# {name}\n{done.stdout}", flush=True)
    if options.save:
        RESULTS.mkdir(exist_ok=True)
        path = RESULTS / f"{datetime.date.today():%Y-%m-%d}.md"
        path.write_text(text)
        print(f"written to {path}")
    return failed


def machine() -> str:
    """Date, commit, processor and versions, as the head of a page of results."""
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True).stdout
    lines = [
        f"# Figures of {datetime.date.today()}, commit {commit.strip() or 'unknown'}",
        f"{processor()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}; Python {platform.python_version()}, "
        f"NumPy {version('numpy')}{peers()}",
    ]
    return "\n".join(lines) + "\n"


def processor() -> str:
    """The processor's name, by the system."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or platform.machine()


def peers() -> str:
    """The peers' versions."""
    python = peers_python()
    if python is None:
        return ""
    names = ("paddlepaddle", "torch")
    ask = f"from importlib.metadata import version; print(*['; ' + n + ' ' + version(n) for n in {names}], sep='')"
    return subprocess.run([python, "-c", ask], capture_output=True, text=True).stdout.strip()


if __name__ == "__main__":
    sys.exit(main())
