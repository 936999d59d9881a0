"""Text, character by character: technical English that ships with the package, or a file."""

from __future__ import annotations

import functools
import lzma
from importlib.resources import files
from pathlib import Path

import numpy as np

from paddlite.io import Dataset

TEST_SHARE = 0.1


@functools.cache
def _read(file: str) -> tuple[np.ndarray, str]:
    """The text as numbers of its symbols, and the symbols in order."""
    if file == "builtin":
        packed = files("paddlite.vision.datasets").joinpath("data/topics.txt.xz").read_bytes()
        text = lzma.decompress(packed).decode()
    else:
        path = Path(file)
        if not path.is_file():
            raise FileNotFoundError(f"Text: there is no file {file!r}")
        text = path.read_text(encoding="utf-8")
    symbols = "".join(sorted(set(text)))
    table = {symbol: i for i, symbol in enumerate(symbols)}
    return np.fromiter((table[c] for c in text), np.int64, len(text)), symbols


class Text(Dataset):
    """Pairs of `context` symbols and the `context` symbols that come one later, both int64 [context].

    The last tenth of the text tests.  Test windows follow one another; training windows begin every `stride` symbols.

    Args:
        file: "builtin", or the path of a UTF-8 file.
        split: "train" or "test".
        context: symbols in a sample.
        stride: symbols between the beginnings of two training samples; a quarter of `context` where left out.

    Raises:
        ValueError: another split, or the text is shorter than one sample.
        FileNotFoundError: there is no such file.
    """

    deterministic = True  # nothing is drawn at random when a sample is taken

    def __init__(self, file: str = "builtin", split: str = "train", context: int = 64, stride: int | None = None):
        if split not in ("train", "test"):
            raise ValueError(f"Text: split must be 'train' or 'test', got {split!r}")
        numbers, self.symbols = _read(file)
        border = int(len(numbers) * (1 - TEST_SHARE))
        self.numbers = numbers[:border] if split == "train" else numbers[border:]
        self.context = context
        self.stride = context if split == "test" else stride or max(1, context // 4)
        if len(self.numbers) <= context:
            raise ValueError(f"Text: {len(self.numbers)} symbols are too few for a context of {context}")

    def __getitem__(self, index: int) -> tuple[np.ndarray, np.ndarray]:
        start = index * self.stride
        window = self.numbers[start : start + self.context + 1]
        return window[:-1], window[1:]

    def __len__(self) -> int:
        return (len(self.numbers) - self.context - 1) // self.stride + 1
