"""What a network keeps besides trained parameters, each rank its own: running statistics, queues, counters.

A model's own file holds those of rank 0.  Training may read buffers, so for a run to go on exactly those of the other
ranks are kept beside it.  Statistics of norms (parameters that are not trained) are read by evaluations alone, which
use those of rank 0.
"""

from __future__ import annotations

import contextlib
import zlib
from collections.abc import Iterator
from typing import Any

import numpy as np

import paddlite as paddle


def gather(model: Any, communicator: Any) -> list[dict[str, np.ndarray]]:
    """For each rank its buffers that the `state_dict` of rank 0 does not hold; empty where there are none.

    All ranks must call it.
    """
    mine = {name: tensor for name, tensor in model.named_buffers() if tensor is not None}
    if not mine:
        return []
    saved = model.state_dict()
    differing = _differing(mine, communicator)
    wanted = {name: _array(tensor) for name, tensor in mine.items() if name not in saved or name in differing}
    if not wanted:
        return []
    first, *others = communicator.all_gather_object(wanted)
    found = [{name: array for name, array in first.items() if name not in saved}, *others]
    return found if any(found) else []


def restore(model: Any, own: dict[str, Any]) -> None:
    """Give `model` the buffers of one rank that `gather` found."""
    buffers = dict(model.named_buffers())
    for name, value in own.items():
        if name in buffers:
            buffers[name].set_value(value.astype(buffers[name].dtype))


@contextlib.contextmanager
def of_first_rank(model: Any, communicator: Any) -> Iterator[None]:
    """While entered, every rank's model is the one that a checkpoint holds, rank 0's; then it is its own again."""
    named = [*model.named_parameters(), *model.named_buffers()]
    state = {name: tensor for name, tensor in named if tensor is not None and tensor.stop_gradient}
    own = {name: state[name]._data.copy() for name in _differing(state, communicator)}
    for name in own:
        _fill(state[name], communicator.broadcast(state[name]._data, 0))
    try:
        yield
    finally:
        for name, array in own.items():
            _fill(state[name], array)


def _differing(tensors: dict[str, Any], communicator: Any) -> list[str]:
    """Names of tensors that are not the same on all ranks."""
    if communicator.size == 1:
        return []
    sums = {name: zlib.crc32(_array(tensor).tobytes()) for name, tensor in tensors.items()}
    first, *others = communicator.all_gather_object(sums)
    return [name for name in sums if any(other[name] != first[name] for other in others)]


def _fill(tensor: Any, array: Any) -> None:
    tensor._data[...] = array
    tensor._version[0] += 1


def _array(tensor: Any) -> np.ndarray:
    half = tensor.dtype in (paddle.float16, paddle.bfloat16)
    return (tensor.astype("float32") if half else tensor).numpy()
