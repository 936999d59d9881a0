"""CPU time of a training step (forward, backward, optimizer) and peak memory, one thread.

PEERS=/path/to/python python -m benchmarks.steps [--jobs mlp,lenet,transformer] [--rounds 3] [--seconds 2]
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
import time

from benchmarks.common import available, key, rounds, show
from benchmarks.jobs import BATCHES, training_step

TARGETS = {"mlp": "<= 0.85 of paddle", "lenet": "<= 0.85 of paddle", "transformer": "<= 0.5 of paddle"}


def worker(framework: str, job: str, seconds: str) -> None:
    step = training_step(framework, job)
    for _ in range(5):
        step()
    times = []
    end = time.perf_counter() + float(seconds)
    while time.perf_counter() < end or len(times) < 5:
        start = time.process_time()
        step()
        times.append(time.process_time() - start)
    times.sort()
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"ms": 1e3 * times[len(times) // 2], "memory": memory}))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jobs", default=",".join(BATCHES))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", default="2")
    options = parser.parse_args()
    frameworks = available()
    for job in options.jobs.split(","):
        results = rounds("steps", frameworks, options.rounds, job, options.seconds)
        show(f"step {job}", key(results, "ms"), "ms", TARGETS[job])
        show(f"peak memory {job}", key(results, "memory"), "MB", "<= 100 MB" if job == "mlp" else "")


if __name__ == "__main__":
    worker(*sys.argv[2:]) if sys.argv[1:2] == ["worker"] else main()
