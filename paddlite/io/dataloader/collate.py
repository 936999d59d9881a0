"""From samples to batches, and from batches of arrays to batches of tensors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from numbers import Number
from typing import Any

import numpy as np

from paddlite.backend import device
from paddlite.backend.dtypes import FROM_NUMPY
from paddlite.backend.place import Place
from paddlite.core.errors import DTypeMismatch, InvalidArgument, ShapeMismatch
from paddlite.core.tensor import Tensor

New = Callable[[tuple[int, ...], np.dtype], np.ndarray]  # makes the array that a field is gathered in


def default_collate_fn(batch: Sequence[Any]) -> Any:
    """A batch made of samples: each field of all samples stacked along a new first axis.

    Arrays, tensors and numbers are stacked (Python ints as int64, floats as float64); text stays a list; dicts and
    lists are gone through field by field, tuples becoming lists.

    Raises:
        TypeError: a sample holds something that cannot be stacked.
        ValueError: samples differ in shape or in the number of their fields, or there are none.
        KeyError: a field of the first sample is missing in another one.

    Differs: named tuples stay what they are.

    >>> import numpy as np, paddlite as paddle
    >>> paddle.io.dataloader.default_collate_fn([(np.zeros(3), 1), (np.ones(3), 2)])
    [array([[0., 0., 0.],
           [1., 1., 1.]]), array([1, 2])]
    """
    return collate(batch, np.empty)


def collate(batch: Sequence[Any], new: New) -> Any:
    """`default_collate_fn` into arrays that `new` makes."""
    if not len(batch):
        raise InvalidArgument("default_collate_fn: want at least one sample, got none")
    first = batch[0]
    if isinstance(first, np.ndarray):
        return _stack(batch, new)
    if isinstance(first, Tensor):
        return _stack_tensors(batch, new)
    if isinstance(first, (Number, np.generic)) and not isinstance(first, (np.str_, np.bytes_)):
        return _numbers(batch)
    if isinstance(first, (str, bytes)):
        return list(batch)
    if isinstance(first, Mapping):
        return {key: collate(_column(batch, key), new) for key in first}
    if isinstance(first, Sequence):
        return _sequence(batch, first, new)
    raise DTypeMismatch(
        f"default_collate_fn: cannot stack {type(first).__name__} {first!r:.60}; samples may hold arrays, tensors, "
        "numbers, text, dicts and lists. Give DataLoader a collate_fn that makes batches of other things."
    )


def _stack(arrays: Sequence[Any], new: New) -> np.ndarray:
    """`np.stack`, by one concatenation, which does not prepare every array."""
    shape, dtype = arrays[0].shape, arrays[0].dtype
    try:
        alike = all(array.shape == shape and array.dtype == dtype for array in arrays)
    except AttributeError:
        alike = False
    if not alike:
        return _stack_unlike(arrays, shape)
    if not shape:
        return np.array(arrays, dtype)
    out = new((len(arrays) * shape[0], *shape[1:]), dtype)
    np.concatenate(arrays, out=out)
    return out.reshape((len(arrays), *shape))


def _stack_unlike(arrays: Sequence[Any], shape: tuple[int, ...]) -> np.ndarray:
    for i, array in enumerate(arrays):
        if np.shape(array) != shape:
            raise ShapeMismatch(
                f"default_collate_fn: all samples of a batch must have one shape; sample 0 has {list(shape)}, sample "
                f"{i} has {list(np.shape(array))}. Resize or pad them in the data set, or give DataLoader a collate_fn."
            )
    return np.stack(arrays)


def _stack_tensors(tensors: Sequence[Any], new: New) -> Tensor:
    for i, tensor in enumerate(tensors):
        if not isinstance(tensor, Tensor):
            raise DTypeMismatch(
                f"default_collate_fn: sample 0 is a Tensor, sample {i} is of type {type(tensor).__name__}"
            )
    arrays = [tensor._data for tensor in tensors]
    if all(isinstance(array, np.ndarray) for array in arrays):
        return Tensor(_stack(arrays, new))
    return Tensor(device.module_of(arrays[0]).stack(arrays))


def _numbers(batch: Sequence[Any]) -> np.ndarray:
    stacked = np.array(batch)
    if stacked.dtype == object:
        raise DTypeMismatch(f"default_collate_fn: not all samples are numbers that fit an array: {list(batch)!r:.80}")
    return stacked


def _column(batch: Sequence[Any], key: Any) -> list:
    try:
        return [sample[key] for sample in batch]
    except KeyError:
        i = next(i for i, sample in enumerate(batch) if key not in sample)
        raise KeyError(f"default_collate_fn: sample 0 has a field {key!r}, sample {i} has not") from None


def _sequence(batch: Sequence[Any], first: Sequence[Any], new: New) -> Any:
    count = len(first)
    for i, sample in enumerate(batch):
        if len(sample) != count:
            raise ShapeMismatch(
                f"default_collate_fn: all samples of a batch must have the same number of fields; sample 0 "
                f"has {count}, sample {i} has {len(sample)}"
            )
    return _like(first, [collate(column, new) for column in zip(*batch)])


def _like(original: Any, items: list) -> Any:
    """`items` as a named tuple where `original` is one, else as they are."""
    return type(original)(*items) if hasattr(original, "_fields") else items


def default_convert_fn(batch: Any) -> Any:
    """A single sample as it is given out where `batch_size=None`: tuples become lists, all else stays.

    >>> import paddlite as paddle
    >>> paddle.io.dataloader.default_convert_fn((1, "a"))
    [1, 'a']
    """
    if isinstance(batch, (str, bytes, np.ndarray, Tensor)):
        return batch
    if isinstance(batch, Mapping):
        return {key: default_convert_fn(value) for key, value in batch.items()}
    if isinstance(batch, Sequence):
        return _like(batch, [default_convert_fn(value) for value in batch])
    return batch


def to_tensors(batch: Any, place: Place, fresh: bool) -> Any:
    """`batch` with its arrays as tensors at `place`; arrays of text and objects stay.

    Args:
        fresh: the arrays belong to the batch alone, so that tensors may take them over.
    """
    return _to_tensors(batch, place, set() if fresh else None)


def _to_tensors(batch: Any, place: Place, taken: set[int] | None) -> Any:
    """`taken` holds the ids of the arrays that became tensors, or is None where none may."""
    if isinstance(batch, np.ndarray):
        return _to_tensor(batch, place, taken)
    if isinstance(batch, Tensor):
        moves = place.kind == "gpu" and isinstance(batch._data, np.ndarray)
        return Tensor(device.to_place(batch._data, place)) if moves else batch
    if isinstance(batch, dict):
        return {key: _to_tensors(value, place, taken) for key, value in batch.items()}
    if isinstance(batch, (list, tuple)):
        return _like(batch, [_to_tensors(value, place, taken) for value in batch])
    return batch


def _to_tensor(array: np.ndarray, place: Place, taken: set[int] | None) -> Any:
    if array.dtype not in FROM_NUMPY:
        native = array.dtype.newbyteorder("=")
        return _to_tensor(array.astype(native), place, set()) if native in FROM_NUMPY else array
    if place.kind == "gpu":
        return Tensor(device.to_place(array, place))
    if taken is None or id(array) in taken or not array.flags.writeable:
        return Tensor(array.copy())
    taken.add(id(array))
    return Tensor(array)
