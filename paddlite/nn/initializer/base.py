"""What all initializers have in common: how they are called, the fan rules, the defaults of the session."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from paddlite.backend import device
from paddlite.backend.dtypes import F32, F64, FLOATING
from paddlite.core.errors import DTypeMismatch, InvalidArgument, ShapeMismatch
from paddlite.core.mode import current, switch


class Initializer:
    """Gives a parameter its first values when it is called with it.

    The initializers here say in `values` what those are.  One of your own may override `forward(param, block)`
    instead, and set the values of `param` itself; or be any function of (param, block).

    >>> import paddlite as paddle
    >>> class Countdown(paddle.nn.initializer.Initializer):
    ...     def values(self, xp, shape, dtype):
    ...         return xp.arange(shape[0], 0, -1, dtype=dtype)
    >>> weight = paddle.create_parameter([3], "float32", default_initializer=Countdown())
    >>> weight.tolist()
    [3.0, 2.0, 1.0]
    """

    def __call__(self, param: Any, block: Any = None) -> Any:
        return self.forward(param, block)

    def forward(self, param: Any, block: Any = None) -> Any:
        """Overwrite the values of `param`; `block` is not used."""
        xp = device.module_of(param._data)
        fill(param, self.values(xp, param._shape, param._dtype), type(self).__name__)

    def values(self, xp: Any, shape: tuple[int, ...], dtype: np.dtype) -> Any:
        """The first values of a parameter of `shape` and `dtype`, as an array of NumPy or of `xp`."""
        raise NotImplementedError(f"{type(self).__name__} must override `values` or `forward`")

    @staticmethod
    def _compute_fans(param: Any) -> tuple[int, int]:
        return fans(tuple(param.shape))


def fill(param: Any, values: Any, name: str) -> None:
    """Overwrite the memory of `param`, also where others share it.

    Raises:
        ShapeMismatch: `values` has another shape.
    """
    if values.shape != param._shape:
        raise ShapeMismatch(
            f"{name}: the values have shape {list(values.shape)}, but the parameter has shape {list(param._shape)}"
        )
    values = values.astype(param._dtype, copy=False)
    param._data[...] = device.to_place(values, param.place) if isinstance(values, np.ndarray) else values
    param._version[0] += 1


def fans(shape: tuple[int, ...]) -> tuple[int, int]:
    """How many inputs each output of a weight has, and how many outputs each input.

    A matrix is [inputs, outputs], a filter [outputs, inputs, *kernel].
    """
    if not shape:
        return 1, 1
    if len(shape) == 1:
        return shape[0], shape[0]
    if len(shape) == 2:
        return shape[0], shape[1]
    taps = math.prod(shape[2:])
    return shape[1] * taps, shape[0] * taps


def drawn_dtype(name: str, dtype: np.dtype) -> np.dtype:
    """The dtype in which random values for a parameter of `dtype` are drawn.

    Raises:
        DTypeMismatch: `dtype` is not floating point.
    """
    if dtype not in FLOATING:
        raise DTypeMismatch(f"{name}: random values are for floating-point parameters, not for {dtype}")
    return F64 if dtype == F64 else F32


def calculate_gain(nonlinearity: str, param: bool | float | None = None) -> float:
    """By how much an initial weight is scaled up so that `nonlinearity` keeps the spread of its inputs.

    Args:
        nonlinearity: "linear", "sigmoid", "conv1d" and the like (1), "tanh" (5/3), "relu" (sqrt 2), "leaky_relu"
            (sqrt(2 / (1 + slope^2))) or "selu" (3/4).
        param: the negative slope of "leaky_relu", 0.01 where it is left out.

    Raises:
        ValueError: another name.

    >>> import paddlite as paddle
    >>> paddle.nn.initializer.calculate_gain("leaky_relu", 1.0)
    1.0
    """
    if nonlinearity == "leaky_relu":
        slope = 0.01 if param is None else float(param)
        return math.sqrt(2.0 / (1 + slope**2))
    if nonlinearity not in _GAINS:
        known = ", ".join(sorted([*_GAINS, "leaky_relu"]))
        raise InvalidArgument(f"calculate_gain: nonlinearity must be one of {known}; got {nonlinearity!r}")
    return _GAINS[nonlinearity]


_LINEAR = ("linear", "sigmoid") + tuple(f"conv{n}d{kind}" for n in (1, 2, 3) for kind in ("", "_transpose"))
_GAINS = dict.fromkeys(_LINEAR, 1) | {"tanh": 5.0 / 3, "relu": math.sqrt(2.0), "selu": 3.0 / 4}


def set_global_initializer(weight_init: Callable | None, bias_init: Callable | None = None) -> None:
    """Choose the initializers of all parameters made from now on whose `ParamAttr` names none.

    Args:
        weight_init: for weights; None goes back to each layer's own choice.
        bias_init: for biases, likewise.

    Raises:
        TypeError: an argument is neither None nor an initializer.

    >>> import paddlite as paddle
    >>> paddle.nn.initializer.set_global_initializer(paddle.nn.initializer.Constant(3.0))
    >>> paddle.nn.Linear(1, 1).weight.item()
    3.0
    >>> paddle.nn.initializer.set_global_initializer(None)
    """
    for name, given in (("weight_init", weight_init), ("bias_init", bias_init)):
        if given is not None and not callable(given):
            raise DTypeMismatch(f"set_global_initializer: {name} must be an initializer or None, got {given!r:.60}")
    switch(initializers=(weight_init, bias_init))


def default_for(is_bias: bool) -> Callable | None:
    """What `set_global_initializer` chose for weights or biases."""
    return current().initializers[1 if is_bias else 0]
