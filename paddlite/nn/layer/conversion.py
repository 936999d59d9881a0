"""Moving a layer to another dtype or device."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from paddlite.backend import device as devices
from paddlite.backend.dtypes import FLOATING, as_dtype
from paddlite.backend.place import CUDAPlace, as_place
from paddlite.core.errors import DTypeMismatch
from paddlite.core.tensor import Tensor


class Conversion:
    """The part of `Layer` that changes dtypes and devices.  Tensors keep their identity: the memory is exchanged."""

    _dtype: str | None
    _keeps_float32 = False  # layers that `float16()` and `bfloat16()` leave as they are

    def to(
        self,
        device: Any = None,
        dtype: Any = None,
        blocking: bool | None = None,
        non_blocking: bool | None = None,
    ) -> Any:
        """Move parameters and buffers to a device and a dtype; gives the layer itself.

        Args:
            device: "cpu", "gpu:0", a `Place`, or None to leave them where they are.
            dtype: None leaves it.  A floating dtype is given to floating tensors only.
                Differs: the reference makes integer buffers floating too.
            blocking: not used; there for compatibility.
            non_blocking: likewise.

        Raises:
            ValueError: there is no such device.

        >>> import paddlite as paddle
        >>> paddle.nn.Linear(1, 1).to(dtype="float64").weight.dtype
        paddle.float64
        """
        place = None if device is None else devices.check_place(as_place(device))
        target = None if dtype is None else as_dtype(dtype)
        for layer in self.sublayers(include_self=True):  # type: ignore[attr-defined]
            if target is not None:
                layer._dtype = target.name
            _convert_own(layer, None if target is None else target.dtype, place)
        return self

    def astype(self, dtype: Any = None) -> Any:
        """`to(dtype=dtype)`.

        Raises:
            TypeError: `dtype` names no data type.
        """
        return self.to(dtype=as_dtype(dtype))

    def type(self, dst_type: Any) -> Any:
        """The same as `astype`."""
        return self.astype(dst_type)

    def float(self, excluded_layers: Any = None) -> Any:
        """Floating parameters and buffers become float32.

        Args:
            excluded_layers: a layer class, or several, whose own tensors stay as they are.
        """
        return self._cast("float32", _classes(excluded_layers))

    def double(self) -> Any:
        """Floating parameters and buffers become float64."""
        return self._cast("float64", ())

    def half(self) -> Any:
        """Floating parameters and buffers become float16, those of batch norms too."""
        return self._cast("float16", ())

    def float16(self, excluded_layers: Any = None) -> Any:
        """Floating parameters and buffers become float16, except those of batch norms.

        Args:
            excluded_layers: a layer class, or several, that stay as they are in place of batch norms.
        """
        return self._cast("float16", None if excluded_layers is None else _classes(excluded_layers))

    def bfloat16(self, excluded_layers: Any = None) -> Any:
        """Floating parameters and buffers become bfloat16, except those of batch norms; as `float16`."""
        return self._cast("bfloat16", None if excluded_layers is None else _classes(excluded_layers))

    def cpu(self) -> Any:
        """`to("cpu")`."""
        return self.to("cpu")

    def cuda(self, device: Any = None) -> Any:
        """`to` the GPU `device`: a number, a name, a place, or None for the first."""
        return self.to(CUDAPlace(device or 0) if device is None or isinstance(device, int) else device)

    def _cast(self, dtype: str, excluded: tuple | None) -> Any:
        target = as_dtype(dtype)
        for layer in self.sublayers(include_self=True):  # type: ignore[attr-defined]
            if layer._keeps_float32 if excluded is None else isinstance(layer, excluded):
                continue
            layer._dtype = target.name
            _convert_own(layer, target.dtype, None)
        return self

    def _apply(self, fn: Callable[[Tensor], Tensor]) -> Any:
        """Put the data of `fn(tensor)` into each parameter and buffer; gives the layer itself."""
        for layer in self.sublayers(include_self=True):  # type: ignore[attr-defined]
            for tensor in _own_tensors(layer):
                _exchange(tensor, fn(tensor)._data)
        return self


def _classes(excluded: Any) -> tuple:
    found = tuple(excluded) if isinstance(excluded, (list, tuple)) else () if excluded is None else (excluded,)
    for one in found:
        if not isinstance(one, type):
            raise DTypeMismatch(f"excluded_layers must be a layer class or a list of them, got {one!r:.60}")
    return found


def _own_tensors(layer: Any) -> Iterable[Tensor]:
    return [t for t in (*layer._parameters.values(), *layer._buffers.values()) if t is not None]


def _convert_own(layer: Any, dtype: np.dtype | None, place: Any) -> None:
    for tensor in _own_tensors(layer):
        for one in (tensor, tensor.grad):
            if one is not None:
                _exchange(one, _converted(one._data, dtype, place))


def _converted(array: Any, dtype: np.dtype | None, place: Any) -> Any:
    if dtype is not None and (array.dtype in FLOATING or dtype not in FLOATING):
        array = array.astype(dtype, copy=False)
    return array if place is None else devices.to_place(array, place)


def _exchange(tensor: Tensor, array: Any) -> None:
    """Let `tensor` hold `array`, which is another memory with the values that it had."""
    if array is tensor._data:
        return
    tensor._data = array
    tensor._version[0] += 1
