"""CPU time of `import`, and of import plus a first op.

PEERS=/path/to/python python -m benchmarks.startup [--rounds 5]
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from importlib import import_module

from benchmarks.common import available, key, rounds, show


def worker(framework: str) -> None:
    start = time.process_time()
    module = import_module(framework)
    imported = time.process_time() - start
    module.nn  # noqa: B018 - a lazy package loads its engine here
    module.ones([4]) + 1
    print(json.dumps({"import": imported, "first op": time.process_time() - start}))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    results = rounds("startup", available(), options.rounds)
    show("import", key(results, "import"), "s", "<= 0.2 s")
    show("import, nn and a first op", key(results, "first op"), "s")


if __name__ == "__main__":
    worker(*sys.argv[2:]) if sys.argv[1:2] == ["worker"] else main()
