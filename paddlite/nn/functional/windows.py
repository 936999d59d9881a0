"""Reading the sizes, strides and paddings that convolutions and pools are given in many forms."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from paddlite.core.errors import InvalidArgument
from paddlite.core.tensor import Tensor
from paddlite.ops.window import CHANNEL_LAST

__all__: list[str] = []

FORMATS = {1: ("NCL", "NLC"), 2: ("NCHW", "NHWC"), 3: ("NCDHW", "NDHWC")}


def hashable(value: Any) -> Any:
    """`value` with its lists (and lists in lists) made tuples, so that what follows from it can be cached.

    Tensors and arrays of whole numbers count as lists of them.
    """
    if isinstance(value, (list, tuple)):
        return tuple([hashable(v) for v in value])
    if isinstance(value, (Tensor, np.ndarray)):
        return hashable(value.tolist())  # type: ignore[union-attr]
    return value


def check_format(name: str, data_format: str, rank: int) -> None:
    """Raise InvalidArgument where `data_format` is none of those for `rank` spatial axes."""
    if data_format not in FORMATS[rank]:
        raise InvalidArgument(f"{name}: data_format must be one of {FORMATS[rank]}, got {data_format!r}")


def _int(name: str, argument: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise InvalidArgument(f"{name}: {argument} must hold ints, got {value!r}")
    return int(value)


def numbers(name: str, argument: str, value: Any, rank: int) -> tuple[int, ...]:
    """One int an axis, from an int or a sequence of them.

    Raises:
        InvalidArgument: it has another length or holds no ints.
    """
    value = hashable(value)
    if not isinstance(value, tuple):
        return (_int(name, argument, value),) * rank
    if len(value) != rank and len(value) != 1:
        raise InvalidArgument(f"{name}: {argument} must be an int or {rank} ints, got {list(value)}")
    found = tuple([_int(name, argument, v) for v in value])
    return found * rank if len(found) == 1 else found


def paddings(name: str, value: Any, rank: int, data_format: str) -> Any:
    """(before, behind) for each spatial axis, or "SAME", or "VALID".

    Args:
        value: one of these words; an int; an int an axis; before and behind of each axis in one list; or a pair for
            each of all axes, where those of batch and channels must be 0.

    Raises:
        InvalidArgument: it is none of these, or negative.
    """
    if isinstance(value, str):
        if value.upper() not in ("SAME", "VALID"):
            raise InvalidArgument(f"{name}: padding must be 'SAME', 'VALID' or numbers, got {value!r}")
        return value.upper()
    pairs = _pairs(name, value, rank, data_format)
    if any(n < 0 for pair in pairs for n in pair):
        raise InvalidArgument(f"{name}: padding must not be negative, got {value}")
    return pairs


def _pairs(name: str, value: Any, rank: int, data_format: str) -> tuple[tuple[int, int], ...]:
    if not isinstance(value, (list, tuple)):
        return ((_int(name, "padding", value),) * 2,) * rank
    if len(value) == rank + 2 and all(isinstance(v, (list, tuple)) and len(v) == 2 for v in value):
        pairs = tuple([(_int(name, "padding", a), _int(name, "padding", b)) for a, b in value])
        last = data_format in CHANNEL_LAST
        if any(pairs[0]) or any(pairs[-1 if last else 1]):
            raise InvalidArgument(f"{name}: padding of the batch or channel axis must be 0, got {list(value)}")
        return pairs[1:-1] if last else pairs[2:]
    if len(value) not in (1, rank, 2 * rank):
        raise InvalidArgument(
            f"{name}: padding must be an int, {rank} ints, {2 * rank} ints or {rank + 2} pairs, got {list(value)}"
        )
    flat = [_int(name, "padding", v) for v in value]
    if len(flat) == 2 * rank:
        return tuple(zip(flat[::2], flat[1::2]))
    return tuple([(n, n) for n in (flat * rank if len(flat) == 1 else flat)])


@functools.lru_cache(maxsize=1024)
def lowered(name: str, padding: Any, data_format: str) -> Any:
    """Padding of one spatial axis (in "NCL" or "NLC") as one can give it for two, of which the first has size 1."""
    pads = paddings(name, padding, 1, data_format)
    return pads if isinstance(pads, str) else (0, 0, *pads[0])
