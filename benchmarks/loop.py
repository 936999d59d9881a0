"""CPU time of a step in the recipe loop against the same steps in a bare training script, and what it adds.

python -m benchmarks.loop [--rounds 21] [--epochs 20] [-o KEY=VALUE]

The job: a multi-layer perceptron of 784, 256, 128 and 10 on digits of 28 by 28, 64 a step, Adam.  Both read through
`paddle.io.DataLoader`, note the loss every 10 steps and save parameters and optimizer at the end; the recipe loop also
writes its tables, agrees on stopping, feeds the watchdog and starts the random numbers of each step.  They take turns
in one process; what is told is the median of the ratios of neighbours.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import statistics
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.common import OURS, measure

RECIPE = """
recipe: classify
name: loop
model: {name: MLP, args: {in_features: 784, hidden: [256, 128], num_classes: 10}}
data: {global_batch_size: 64, train: {name: Digits, args: {split: train, size: 28}}}
optimizer: {name: Adam, lr: 1e-3}
metrics: {plot: false}
"""


def bare(epochs: int, folder: Path) -> float:
    """Seconds of CPU time for the steps of a script such as a user would write."""
    import paddlite as paddle
    from paddlite.recipe.datasets.digits import Digits
    from paddlite.recipe.models.mlp import MLP

    paddle.seed(42)
    model = MLP(784, (256, 128), 10)
    optimizer = paddle.optimizer.Adam(1e-3, parameters=model.parameters())
    loader = paddle.io.DataLoader(Digits("train", 28), batch_size=64, shuffle=True)
    losses = []
    step = 0
    start = time.process_time()
    for _ in range(epochs):
        for images, labels in loader:
            loss = paddle.nn.functional.cross_entropy(model(images), labels)
            loss.backward()
            optimizer.step()
            optimizer.clear_grad()
            step += 1
            if step % 10 == 0:
                losses.append(float(loss))
    paddle.save(model.state_dict(), str(folder / "model.pdparams"))
    paddle.save(optimizer.state_dict(), str(folder / "optimizer.pdopt"))
    return (time.process_time() - start) / step


def recipe(epochs: int, folder: Path, overrides: list[str]) -> float:
    """The same by the recipe loop."""
    import paddlite as paddle
    from paddlite.recipe import check
    from paddlite.recipe.build import build
    from paddlite.recipe.loop import Loop
    from paddlite.recipe.stop import watching
    from paddlite.recipe.watchdog import Watchdog

    path = folder / "loop.yaml"
    path.write_text(RECIPE + f"train: {{epochs: {epochs}}}\n")
    (folder / "logs").mkdir()
    loaded = check.load(path, overrides).recipe
    paddle.distributed.init_parallel_env()
    with watching() as request, Watchdog(folder, 0, 300.0) as dog:
        loop = Loop(loaded, build(loaded), folder, dog, request)
        start = time.process_time()
        loop.train()
        return (time.process_time() - start) / loop.step


def pair(epochs: int, overrides: list[str], first: str) -> tuple[float, float]:
    """Milliseconds a step of both, one right after the other."""
    found = {}
    for kind in (first, "bare" if first == "recipe" else "recipe"):
        with tempfile.TemporaryDirectory() as name, contextlib.redirect_stdout(io.StringIO()):
            seconds = bare(epochs, Path(name)) if kind == "bare" else recipe(epochs, Path(name), overrides)
        found[kind] = 1e3 * seconds
    return found["bare"], found["recipe"]


def worker(kind: str, rounds: str, epochs: str, *overrides: str) -> None:
    pair(2, list(overrides), "bare")
    pairs = [pair(int(epochs), list(overrides), ("bare", "recipe")[i % 2]) for i in range(int(rounds))]
    print(json.dumps({"pairs": pairs}))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=21)
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("-o", "--override", action="append", default=[])
    options = parser.parse_args()
    words = [str(options.rounds), str(options.epochs), *options.override]
    pairs = measure("loop", OURS, *words)["pairs"]
    ratio = statistics.median(ours / plain for plain, ours in pairs)
    plain, ours = (statistics.median(column) for column in zip(*pairs))
    print(
        f"step, bare script {plain:.3f} ms   recipe loop {ours:.3f} ms   adds {100 * (ratio - 1):.1f} %   target <= 3 %"
    )


if __name__ == "__main__":
    worker(*sys.argv[2:]) if sys.argv[1:2] == ["worker"] else main()
