"""Handwritten digits: 1,797 images that ship with the package."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from importlib.resources import files

import numpy as np

from paddlite.io import Dataset
from paddlite.recipe.images import resize, square

TEST_SIZE = 360


@functools.cache
def _arrays() -> tuple[np.ndarray, np.ndarray]:
    with files("paddlite.vision.datasets").joinpath("data/digits.npz").open("rb") as file, np.load(file) as stored:
        return stored["images"], stored["labels"].astype(np.int64)


class Digits(Dataset):
    """Pairs of an image, float32 [1, size, size] in [0, 1], and the number of its class, an int64.

    1,437 images train and 360 test, drawn once at random and fixed.

    Args:
        split: "train" or "test".
        size: 8 for the images as they are; 28 for each pixel three times and a margin of two, the size of MNIST.
        digits: the digits that are taken, which are classes 0, 1, ... in this order; all ten where left out.

    Raises:
        ValueError: another split or size, or no such digits.

    >>> from paddlite.recipe.datasets.digits import Digits
    >>> image, digit = Digits("test")[0]
    >>> image.shape, len(Digits("train"))
    ((1, 8, 8), 1437)
    """

    deterministic = True  # nothing is drawn at random when a sample is taken

    def __init__(self, split: str = "train", size: int = 8, digits: Sequence[int] | None = None):
        if split not in ("train", "test"):
            raise ValueError(f"Digits: split must be 'train' or 'test', got {split!r}")
        if size not in (8, 28):
            raise ValueError(f"Digits: size must be 8 or 28, got {size!r}")
        taken = list(range(10)) if digits is None else list(digits)
        if not taken or len(set(taken)) < len(taken) or not set(taken) <= set(range(10)):
            raise ValueError(f"Digits: digits must be different numbers from 0 to 9, got {digits!r}")
        images, labels = _arrays()
        order = np.random.RandomState(0).permutation(len(images))  # this generator's numbers never change
        chosen = order[:TEST_SIZE] if split == "test" else order[TEST_SIZE:]
        chosen = chosen[np.isin(labels[chosen], taken)]
        self.size = size
        self.classes = [str(digit) for digit in taken]
        self.images = _sized(images[chosen].astype(np.float32) / np.float32(16), size)[:, None]
        self.labels = np.argsort(taken)[np.searchsorted(sorted(taken), labels[chosen])]

    def __getitem__(self, index: int) -> tuple[np.ndarray, np.int64]:
        return self.images[index], self.labels[index]

    def __len__(self) -> int:
        return len(self.labels)

    def prepare(self, image: np.ndarray) -> np.ndarray:
        """An image of your own, [height, width] with light strokes on dark ground, as a sample [1, size, size]."""
        return _sized(resize(square(image), 8, 8)[None], self.size)


def _sized(pixels: np.ndarray, size: int) -> np.ndarray:
    """Images of 8 by 8 in the size that is wanted."""
    return pixels if size == 8 else np.pad(pixels.repeat(3, 1).repeat(3, 2), ((0, 0), (2, 2), (2, 2)))
