"""Masks of lengths, and beams followed back."""

from __future__ import annotations

from typing import Any

from paddlite.backend.dtypes import numpy_dtype
from paddlite.core.errors import InvalidArgument
from paddlite.nn.functional.vision import temporal_shift
from paddlite.ops import sequence
from paddlite.tensor.arguments import int_argument
from paddlite.tensor.diagonals import diag_embed

__all__ = ["diag_embed", "gather_tree", "sequence_mask", "temporal_shift"]


def sequence_mask(x: Any, maxlen: Any = None, dtype: Any = "int64", name: str | None = None) -> Any:
    """1 at the places below each length, 0 behind, along a new last axis.

    Args:
        x: whole numbers, the lengths.
        maxlen: how many places; None stands for the greatest length.
        dtype: of the result.

    Raises:
        InvalidArgument: `maxlen` is not positive.

    >>> import paddlite as paddle
    >>> paddle.nn.functional.sequence_mask(paddle.to_tensor([1, 3])).tolist()
    [[1, 0, 0], [1, 1, 1]]
    """
    size = None if maxlen is None else int_argument(maxlen, "sequence_mask", "maxlen")
    if size is not None and size < 1:
        raise InvalidArgument(f"sequence_mask: maxlen must be > 0, got {size}")
    return sequence.sequence_mask(x, maxlen=size, dtype=numpy_dtype(dtype))


def gather_tree(ids: Any, parents: Any) -> Any:
    """The sequences of a beam search, from the chosen tokens and the beams that they continue.

    Args:
        ids, parents: whole numbers [length, batch, beams].

    Raises:
        ShapeMismatch: the tensors do not have 3 axes.

    >>> import paddlite as paddle
    >>> ids, parents = paddle.to_tensor([[[1, 2]], [[3, 4]]]), paddle.to_tensor([[[0, 0]], [[1, 0]]])
    >>> paddle.nn.functional.gather_tree(ids, parents).tolist()
    [[[2, 1]], [[3, 4]]]
    """
    return sequence.gather_tree(ids, parents)
