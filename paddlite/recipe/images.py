"""Image files as the networks for digits want them: grey, light strokes on dark ground, in the size they know."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from paddlite.recipe.errors import RecipeError


def read_grey(path: Path) -> np.ndarray:
    """The image at `path`: float32 [height, width] in [0, 1].

    What is transparent is as white as what is opaque is dark, and the other way round.

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
            if image.mode in ("I", "F") or image.mode.startswith("I;16"):  # deeper than 8 bits
                return _to_one(np.asarray(image, np.float32))
            pixels = np.asarray(image.convert("RGBA").convert("LA"), np.float32) / np.float32(255)
    except Image.DecompressionBombError as error:
        raise RecipeError(f"{path}: the image is too large: {error}") from None
    except (OSError, ValueError, SyntaxError) as error:
        told = getattr(error, "strerror", None) or "this is no image that Pillow can read"
        raise RecipeError(f"{path}: {told}") from None
    grey, opaque = pixels[..., 0], pixels[..., 1]
    ground = 1.0 if (grey * opaque).sum() <= 0.5 * opaque.sum() else 0.0
    return (grey * opaque + np.float32(ground) * (1 - opaque)).astype(np.float32)


def _to_one(numbers: np.ndarray) -> np.ndarray:
    """Numbers of any range, moved to [0, 1]."""
    low, high = numbers.min(), numbers.max()
    return (numbers - low) / max(high - low, np.float32(1e-12))


def light_on_dark(grey: np.ndarray) -> np.ndarray:
    """The image with its ground at 0 and its strokes up to 1, be they lighter or darker than the ground.

    The ground is what is seen along the edge, as a plane, so that light from one side does no harm; what differs from
    it no more than the edge does itself counts as ground.
    """
    ground, noise = _ground(grey)
    difference = grey - ground
    strokes = difference if difference.max() >= -difference.min() else -difference
    if strokes.max() < 1e-3:
        return np.zeros_like(grey)
    floor = min(5 * noise, 0.5 * strokes.max())
    return np.where(strokes > floor, strokes / strokes.max(), 0).astype(np.float32)


def _ground(grey: np.ndarray) -> tuple[np.ndarray, float]:
    """The plane that fits the pixels along the edge best, strokes that touch it left out; and how far they are off."""
    height, width = grey.shape
    rows, columns = (axis.ravel() for axis in np.indices((height, width), np.float64))
    edge = (rows == 0) | (rows == height - 1) | (columns == 0) | (columns == width - 1)
    facts = np.stack([np.ones(rows.size), rows / height, columns / width], 1)
    values = grey.ravel().astype(np.float64)
    off = values - np.median(values[edge])
    for _ in range(3):
        taken = edge & (np.abs(off) <= 0.25 * (grey.max() - grey.min()) + 1e-9)
        plane = facts @ np.linalg.lstsq(facts[taken], values[taken], rcond=1e-6)[0]
        off = values - plane
    return plane.reshape(grey.shape).astype(np.float32), float(np.std(off[taken]))


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


def shrunk(image: np.ndarray, side: int = 96) -> np.ndarray:
    """The image with no side longer than `side`."""
    factor = side / max(image.shape)
    if factor >= 1:
        return image
    height, width = (max(1, round(size * factor)) for size in image.shape)
    return resize(image, height, width)


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
        RecipeError: nothing is drawn on the image, or samples of `data` are no images of one channel.
    """
    image = light_on_dark(shrunk(read_grey(path)))
    if not image.any():
        raise RecipeError(f"{path}: nothing is drawn on it: all of it is of one shade")
    own: Callable | None = getattr(data, "prepare", None)
    if own is not None:
        return own(image)
    shape = np.shape(data[0][0])
    if len(shape) not in (2, 3) or (len(shape) == 3 and shape[0] != 1):
        raise RecipeError(f"the network takes inputs of shape {list(shape)}, which are no grey images")
    return resize(square(image), *shape[-2:]).reshape(shape)
