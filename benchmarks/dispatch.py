"""CPU time of one eager op: a chain of 1,000 additions of 4 elements, with and without gradients.

PEERS=/path/to/python python -m benchmarks.dispatch [--rounds 5]
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from importlib import import_module

from benchmarks.common import available, key, rounds, show

LENGTH = 1000


def worker(framework: str) -> None:
    module = import_module(framework)
    a, b = module.ones([4]), module.ones([4])
    if framework == "torch":
        module.set_num_threads(1)
        a.requires_grad_()
    else:
        a.stop_gradient = False
    clock = time.thread_time
    forward, backward, plain = [], [], []
    for _ in range(30):
        start, y = clock(), a
        for _ in range(LENGTH):
            y = y + b
        forward.append(clock() - start)
        total = y.sum()
        start = clock()
        total.backward()
        backward.append(clock() - start)
        with module.no_grad():
            start, y = clock(), b
            for _ in range(LENGTH):
                y = y + b
            plain.append(clock() - start)
    seen = {"forward": forward, "backward": backward, "no_grad": plain}
    print(json.dumps({name: 1e6 / LENGTH * statistics.median(times) for name, times in seen.items()}))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    results = rounds("dispatch", available(), options.rounds)
    for name, target in (("forward", "<= 3 us"), ("backward", "<= 1.5 us"), ("no_grad", "")):
        show(f"add of 4 elements, {name}", key(results, name), "us", target)


if __name__ == "__main__":
    worker(*sys.argv[2:]) if sys.argv[1:2] == ["worker"] else main()
