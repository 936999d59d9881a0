"""How long a start takes: to the first step of lenet_digits on two ranks, and to refuse a recipe with a mistake.

python -m benchmarks.launch [--rounds 5]

The first is by the clock, from the command to the first step that ends, so other work on the machine counts; the second
is CPU time of the whole command.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.common import ONE_THREAD, ROOT

COMMAND = [sys.executable, "-m", "paddlite.launch"]


def first_step(ranks: int) -> float:
    """Seconds from the command until the first step has ended; what it prints tells when."""
    with tempfile.TemporaryDirectory() as folder:
        words = [
            "--nproc",
            str(ranks),
            "--devices",
            "cpu",
            "--run-dir",
            f"{folder}/run",
            "--steps",
            "1",
            "lenet_digits",
        ]
        start = time.monotonic()
        with subprocess.Popen(
            [*COMMAND, *words, "-o", "train.log_every=1"], cwd=ROOT, text=True, env={**os.environ, **ONE_THREAD},
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        ) as process:  # fmt: skip
            said = []
            for line in process.stdout:  # type: ignore[union-attr]
                said.append(line)
                if line.startswith("step 1/"):
                    took = time.monotonic() - start
        if process.returncode:
            raise RuntimeError("".join(said))
        return took


def refusal() -> float:
    """CPU seconds of a command that is refused for a mistake in the recipe."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "mistake.yaml"
        path.write_text("base: lenet_digits\noptimizer: {lrr: 1e-3}\n")
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run([*COMMAND, "--nproc", "2", str(path)], cwd=ROOT, capture_output=True, text=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 64 or "did you mean 'optimizer.lr'?" not in done.stderr:
        raise RuntimeError(f"the mistake was not refused: exit code {done.returncode}\n{done.stderr}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    rounds = range(parser.parse_args().rounds)
    for name, figure, target in (
        ("first step of lenet_digits, 2 ranks", lambda: first_step(2), "<= 2.5 s"),
        ("first step of lenet_digits, 1 rank", lambda: first_step(1), ""),
        ("a mistake refused (CPU time)", refusal, "<= 0.3 s"),
    ):
        found = sorted(figure() for _ in rounds)
        told = f"   target {target}" if target else ""
        print(f"{name:38} {statistics.median(found):6.3f} s   fastest {found[0]:.3f}{told}", flush=True)


if __name__ == "__main__":
    main()
