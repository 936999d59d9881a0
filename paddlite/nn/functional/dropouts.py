"""Dropout of elements and of whole channels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from paddlite.core.errors import DTypeMismatch, InvalidArgument, ShapeMismatch
from paddlite.core.inplace import replace
from paddlite.ops import dropout as ops
from paddlite.ops.arithmetic import elementwise_mul
from paddlite.tensor.convert import to_array

__all__ = ["alpha_dropout", "dropout", "dropout1d", "dropout2d", "dropout3d", "feature_alpha_dropout"]


def _probability(p: Any, name: str) -> float:
    array = None if isinstance(p, (int, float)) else to_array(p)
    if array is not None and array.shape:
        raise DTypeMismatch(f"{name}: p must be a number, got {p!r:.40}")
    value = float(p if array is None else array)
    if not 0 <= value <= 1:
        raise InvalidArgument(f"{name}: p must be in [0, 1], got {p}")
    return value


def dropout(
    x: Any,
    p: float = 0.5,
    axis: int | Sequence[int] | None = None,
    training: bool = True,
    inplace: bool = False,
    mode: str = "upscale_in_train",
    name: str | None = None,
) -> Any:
    """`x` with elements set to 0 at random in training, each with probability `p` (Srivastava et al., 2014).

    Args:
        x: a tensor.
        axis: the axes along which the choice varies; along others all elements share it.  None stands for all axes.
        training: False for evaluation.
        inplace: the result takes the place of `x`.
        mode: "upscale_in_train" divides what is kept by 1 - p in training; "downscale_in_infer" multiplies by 1 - p in
            evaluation.

    Raises:
        InvalidArgument: `p` is not in [0, 1], or `mode` or `axis` is unknown.

    >>> import paddlite as paddle
    >>> x = paddle.to_tensor([1.0, 1.0, 1.0])
    >>> set(paddle.nn.functional.dropout(x, 0.5).tolist()) <= {0.0, 2.0}
    True
    >>> paddle.nn.functional.dropout(x, 0.5, training=False).tolist()
    [1.0, 1.0, 1.0]
    """
    if mode not in ("upscale_in_train", "downscale_in_infer"):
        raise InvalidArgument(f"dropout: mode must be 'upscale_in_train' or 'downscale_in_infer', got {mode!r}")
    p = _probability(p, "dropout")
    if p == 0 or (not training and mode == "upscale_in_train"):
        return x
    varying = None if axis is None else (axis,) if isinstance(axis, int) else tuple(axis)
    attrs = {"p": p, "mode": mode, "axis": varying, "training": bool(training)}
    return replace(x, lambda: ops.dropout(x, **attrs)[0]) if inplace else ops.dropout(x, **attrs)[0]


def _channels(x: Any, p: float, training: bool, channel: int, rank: int, name: str, inplace: bool = False) -> Any:
    if x.ndim != rank:
        raise ShapeMismatch(f"{name}: x must have {rank} axes, got shape {list(x.shape)}")
    return dropout(x, p, [0, channel], training, inplace)


def dropout1d(input: Any, p: float = 0.5, training: bool = True, inplace: bool = False) -> Any:
    """`input` [N, C, L] or [C, L] with whole channels set to 0 at random; see `dropout`."""
    if input.ndim == 2:
        return dropout(input, p, 0, training, inplace)
    return _channels(input, p, training, 1, 3, "dropout1d", inplace)


def dropout2d(x: Any, p: float = 0.5, training: bool = True, data_format: str = "NCHW", name: str | None = None) -> Any:
    """`x` [N, C, H, W] (NHWC: [N, H, W, C]) with whole channels set to 0 at random; see `dropout`.

    Raises:
        ShapeMismatch: `x` does not have 4 axes.
        InvalidArgument: `data_format` is neither NCHW nor NHWC.
    """
    if data_format not in ("NCHW", "NHWC"):
        raise InvalidArgument(f"dropout2d: data_format must be NCHW or NHWC, got {data_format!r}")
    return _channels(x, p, training, 1 if data_format == "NCHW" else 3, 4, "dropout2d")


def dropout3d(
    x: Any, p: float = 0.5, training: bool = True, data_format: str = "NCDHW", name: str | None = None
) -> Any:
    """`x` [N, C, D, H, W] (NDHWC: [N, D, H, W, C]) with whole channels set to 0 at random; see `dropout`.

    Raises:
        ShapeMismatch: `x` does not have 5 axes.
        InvalidArgument: `data_format` is neither NCDHW nor NDHWC.
    """
    if data_format not in ("NCDHW", "NDHWC"):
        raise InvalidArgument(f"dropout3d: data_format must be NCDHW or NDHWC, got {data_format!r}")
    return _channels(x, p, training, 1 if data_format == "NCDHW" else 4, 5, "dropout3d")


def _alpha(x: Any, p: float, training: bool, axis: tuple[int, ...] | None, name: str) -> Any:
    p = _probability(p, name)
    if p == 0 or not training:
        return x
    return elementwise_mul(x, 0.0) if p == 1 else ops.alpha_dropout(x, p=p, axis=axis)[0]


def alpha_dropout(x: Any, p: float = 0.5, training: bool = True, name: str | None = None) -> Any:
    """Dropout to the saturation value of `selu`, which keeps mean 0 and variance 1 (Klambauer et al., 2017).

    Raises:
        InvalidArgument: `p` is not in [0, 1].

    >>> import paddlite as paddle
    >>> paddle.nn.functional.alpha_dropout(paddle.to_tensor([1.0]), 0.5, training=False).tolist()
    [1.0]
    """
    return _alpha(x, p, training, None, "alpha_dropout")


def feature_alpha_dropout(x: Any, p: float = 0.5, training: bool = True, name: str | None = None) -> Any:
    """`alpha_dropout` of whole channels of `x` [N, C, ...]."""
    if x.ndim < 2:
        raise ShapeMismatch(f"feature_alpha_dropout: x must have at least 2 axes, got shape {list(x.shape)}")
    return _alpha(x, p, training, (0, 1), "feature_alpha_dropout")
