"""Shape and dtype of a value, without its data."""

from __future__ import annotations

from typing import Any

import numpy as np


class Size(list):
    """The shape of a tensor: a list of ints that prints as `paddle.Size([2, 3])`."""

    __slots__ = ()

    def numel(self) -> int:
        """How many elements a tensor of this shape has."""
        count = 1
        for size in self:
            count *= size
        return count

    def __getitem__(self, key: Any) -> Any:
        found = list.__getitem__(self, key)
        return Size(found) if isinstance(key, slice) else found

    def __add__(self, other: Any) -> Size:
        return Size(list.__add__(self, list(other)))

    def __radd__(self, other: Any) -> Size:
        return Size(list(other) + list(self))

    def __mul__(self, times: Any) -> Size:
        return Size(list.__mul__(self, times))

    __rmul__ = __mul__

    def __eq__(self, other: object) -> bool:
        return list.__eq__(self, list(other) if isinstance(other, tuple) else other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"paddle.Size({list(self)})"

    __str__ = __repr__

    def __reduce__(self) -> tuple:
        return (Size, (list(self),))


class Meta:
    """Shape (-1 for a size known only at run time) and NumPy dtype.  What `infer` takes and gives."""

    __slots__ = ("dtype", "shape")

    def __init__(self, shape: tuple[int, ...], dtype: np.dtype):
        self.shape = shape
        self.dtype = dtype

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def known(self) -> bool:
        return -1 not in self.shape

    @property
    def size(self) -> int:
        """The number of elements; -1 where a size is unknown."""
        count = 1
        for size in self.shape:
            if size < 0:
                return -1
            count *= size
        return count

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Meta) and self.shape == other.shape and self.dtype == other.dtype

    def __hash__(self) -> int:
        return hash((self.shape, self.dtype))

    def __repr__(self) -> str:
        return f"{self.dtype}{list(self.shape)}"


class Like(Meta):
    """Stands in a shape-only position of an eager call for a value whose data may be gone.

    It has the few attributes that dispatch reads of a tensor, so that a gradient rule hands it to an op as it would
    hand the tensor itself.
    """

    __slots__ = ()
    _stop = True
    _view = None

    @property
    def _data(self) -> Like:
        return self

    @property
    def _shape(self) -> tuple[int, ...]:
        return self.shape

    @property
    def _dtype(self) -> np.dtype:
        return self.dtype


def same_sizes(a: tuple[int, ...], b: tuple[int, ...]) -> bool:
    """True where both shapes are surely equal; two unknown sizes prove nothing."""
    return a == b and -1 not in a
