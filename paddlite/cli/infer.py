"""Classifies image files with a trained run: prints each file's class and how sure the network is.

Images are made grey, inverted where their ground is light, and brought to the size that the network knows.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from paddlite.cli.common import add_trained, trained
from paddlite.launch.parser import Parser
from paddlite.recipe.errors import RecipeError


def add_arguments(parser: Parser) -> None:
    add_trained(parser)
    parser.add_argument("images", nargs="+", metavar="IMAGE", help="image files, such as digit.png")
    parser.add_argument("--top", type=int, default=1, metavar="N", help="show the N most probable classes (1)")


def run(options: argparse.Namespace) -> int:
    for name in options.images:
        if not Path(name).is_file():
            raise RecipeError(f"{name}: there is no such file")
    from paddlite.recipe.build import dataset
    from paddlite.recipe.images import prepared

    found = trained(options)
    if found.recipe.recipe != "classify":
        raise RecipeError(f"{options.run}: a recipe of kind '{found.recipe.recipe}' classifies no images")
    data = dataset(found.recipe.data.eval or found.recipe.data.train)
    for name in options.images:
        chances = _chances(found, prepared(Path(name), data))
        best = chances.argsort()[::-1][: max(1, options.top)]
        print(f"{name}: " + "  ".join(f"{_label(data, i)} ({100 * chances[i]:.1f} %)" for i in best))
    return 0


def _chances(found: Any, image: Any) -> Any:
    import paddlite as paddle
    from paddlite.recipe.build import auto_cast

    with paddle.no_grad(), auto_cast(found.recipe):
        scores = found.model(paddle.to_tensor(image[None]))
    return paddle.nn.functional.softmax(scores.astype("float32"), -1).numpy()[0]


def _label(data: Any, index: Any) -> str:
    """The name of a class: of the data set's `classes`, where it has them, else its number."""
    classes = getattr(data, "classes", None)
    return str(classes[index] if classes is not None else index)
