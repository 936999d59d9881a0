"""Image files as the networks for digits want them: grey, light strokes on dark ground, in the size they know."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from paddlite.recipe.errors import RecipeError


def read_grey(path: Path) -> np.ndarray:
    """The image at `path`: float32 [height, width] in [0, 1]; what is transparent counts as white.

    Raises:
        RecipeError: Pillow is missing (the text gives the cure), or the file is no image.
    """
    try:
        from PIL import Image
    except ImportError:
        raise RecipeError(
            "reading images needs Pillow, which is not installed: pip install 'paddlite[image]'"
        ) from None
    try:
        with Image.open(path) as image:
            image = image.convert("RGBA")
            ground = Image.new("RGBA", image.size, "white")
            grey = Image.alpha_composite(ground, image).convert("L")
    except OSError as error:
        raise RecipeError(f"{path}: {error.strerror or 'this is no image that Pillow can read'}") from None
    return np.asarray(grey, np.float32) / np.float32(255)


def light_on_dark(grey: np.ndarray) -> np.ndarray:
    """The image with its ground at 0 and its strokes at 1; inverted where its edge is light."""
    edge = np.concatenate([grey[0], grey[-1], grey[:, 0], grey[:, -1]])
    low, high = grey.min(), grey.max()
    if high - low < 1e-3:
        return np.zeros_like(grey)
    if np.median(edge) > (low + high) / 2:
        return (high - grey) / (high - low)
    return (grey - low) / (high - low)


def square(image: np.ndarray, threshold: float = 0.2) -> np.ndarray:
    """What is drawn, cut out and centred in a square."""
    rows, columns = (np.flatnonzero((image > threshold).any(axis)) for axis in (1, 0))
    if rows.size == 0:
        return image
    drawn = image[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    height, width = drawn.shape
    side = max(height, width)
    result = np.zeros((side, side), np.float32)
    top, left = (side - height) // 2, (side - width) // 2
    result[top : top + height, left : left + width] = drawn
    return result


def resize(image: np.ndarray, height: int, width: int) -> np.ndarray:
    """The image in another size; each new pixel is the mean over the area that it covers."""
    return (_shares(image.shape[0], height) @ image @ _shares(image.shape[1], width).T).astype(np.float32)


def _shares(before: int, after: int) -> np.ndarray:
    """Row `i`: the share of each old pixel in new pixel `i`."""
    step = before / after
    start = np.arange(after)[:, None] * step
    old = np.arange(before)[None]
    cover = np.minimum(start + step, old + 1) - np.maximum(start, old)
    return np.maximum(cover, 0) / step


def prepared(path: Path, data: Any) -> np.ndarray:
    """The image file at `path` as a sample of the data set `data`: the same size and the same way of looking.

    A data set with a method `prepare(image)`, for an image [height, width] of light strokes on dark ground, makes the
    sample itself; for others the image is fitted to the size of their samples.

    Raises:
        RecipeError: samples of `data` are no images of one channel.
    """
    image = light_on_dark(read_grey(path))
    own: Callable | None = getattr(data, "prepare", None)
    if own is not None:
        return own(image)
    shape = np.shape(data[0][0])
    if len(shape) not in (2, 3) or (len(shape) == 3 and shape[0] != 1):
        raise RecipeError(f"the network takes inputs of shape {list(shape)}, which are no grey images")
    return resize(square(image), *shape[-2:]).reshape(shape)
