"""Dropout: a random mask, and what it lets through."""

from __future__ import annotations

from typing import Any

from paddlite.backend.dtypes import BOOL, HALF
from paddlite.backend.random import Stream, keep_mask
from paddlite.core.meta import Meta
from paddlite.core.op import defop
from paddlite.ops.infer import axes_in, floating_same, same


def _mask_shape(shape: tuple[int, ...], axis: tuple[int, ...] | None) -> tuple[int, ...]:
    """The shape of a mask that varies along the axes in `axis` alone; None stands for all."""
    if axis is None:
        return shape
    varying = axes_in(list(axis), len(shape), "dropout")
    return tuple([s if i in varying else 1 for i, s in enumerate(shape)])


def _dropout_infer(
    x: Meta, *, p: float, mode: str = "upscale_in_train", axis: tuple | None = None, training: bool = True, stream: Any
) -> tuple[Meta, Meta]:
    return floating_same(x), Meta(_mask_shape(x.shape, axis), BOOL)


def _scale(p: float, mode: str, training: bool) -> float:
    """What an element that is let through is multiplied by."""
    if mode == "downscale_in_infer":
        return 1.0 if training else 1.0 - p
    return 1.0 / (1.0 - p) if training and p < 1 else 1.0


def _scaled(xp: Any, x: Any, mask: Any, scale: float) -> Any:
    """x * mask * scale; `mask` may be None or broadcast."""
    if mask is None:
        return x * x.dtype.type(scale)
    if mask.shape != x.shape or x.dtype in HALF:
        return x * (mask * x.dtype.type(scale))
    out = mask.astype(x.dtype)
    if scale != 1:
        out *= x.dtype.type(scale)
    out *= x
    return out


def _dropout_rule(g_out: Any, mask: Any, p: float, mode: str, training: bool) -> Any:
    return masked_scale(g_out, mask if training else None, scale=_scale(p, mode, training))


@defop(
    "dropout",
    infer=_dropout_infer,
    outputs=("out", "mask"),
    partial_grads=True,
    floats=True,
    random=True,
    vjp={"x": _dropout_rule},
)
def dropout(
    xp: Any,
    x: Any,
    *,
    p: float,
    mode: str = "upscale_in_train",
    axis: tuple[int, ...] | None = None,
    training: bool = True,
    stream: Stream,
) -> tuple[Any, Any]:
    """(x with elements set to 0 with probability `p`, where the others are), or (x, None) in evaluation."""
    if not training:
        return _scaled(xp, x, None, _scale(p, mode, training)), None
    mask = keep_mask(xp, stream, _mask_shape(x.shape, axis), p)
    return _scaled(xp, x, mask, _scale(p, mode, training)), mask


def _masked_infer(x: Meta, mask: Meta | None, *, scale: float) -> Meta:
    return same(x)


@defop("masked_scale", infer=_masked_infer, vjp={"x": lambda g, mask, scale: masked_scale(g, mask, scale=scale)})
def masked_scale(xp: Any, x: Any, mask: Any, *, scale: float) -> Any:
    """x * mask * scale, without the mask where there is none."""
    return _scaled(xp, x, mask, scale)


_SATURATION = -1.7580993408473766  # selu far below 0


def _alpha_infer(
    x: Meta, *, p: float, axis: tuple | None = None, training: bool = True, stream: Any
) -> tuple[Meta, Meta]:
    return floating_same(x), Meta(_mask_shape(x.shape, axis), BOOL)


def _alpha_slope(p: float) -> float:
    """The factor that keeps the variance 1 where a share `p` is set to the saturation value."""
    return float(((1 - p) * (1 + p * _SATURATION**2)) ** -0.5) if p < 1 else 0.0


@defop(
    "alpha_dropout",
    infer=_alpha_infer,
    outputs=("out", "mask"),
    partial_grads=True,
    floats=True,
    random=True,
    wide=True,
    vjp={
        "x": lambda g_out, mask, p, training: masked_scale(
            g_out, mask if training else None, scale=_alpha_slope(p) if training else 1.0
        )
    },
)
def alpha_dropout(
    xp: Any, x: Any, *, p: float, axis: tuple[int, ...] | None = None, training: bool = True, stream: Stream
) -> tuple[Any, Any]:
    """Dropout to the saturation value of selu that keeps mean 0 and variance 1 (Klambauer et al., 2017)."""
    if not training:
        return x.copy(), None
    mask = keep_mask(xp, stream, _mask_shape(x.shape, axis), p)
    slope = _alpha_slope(p)
    out = _scaled(xp, x, mask, slope)
    out += ~mask * x.dtype.type(slope * _SATURATION) - slope * p * _SATURATION
    return out, mask
