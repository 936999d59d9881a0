"""Gradient clipping: what optimizers take as `grad_clip`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from paddlite.core.errors import InvalidArgument
from paddlite.core.inplace import in_place
from paddlite.core.mode import switched
from paddlite.core.op import OPS
from paddlite.core.tensor import Tensor
from paddlite.ops import gradient_clip
from paddlite.ops.scaling import clip

__all__ = ["ClipGradByGlobalNorm", "ClipGradByNorm", "ClipGradByValue"]

Pairs = Sequence[tuple[Any, Any]]


class ClipGradBase:
    """Base of the clipping rules: called with (parameter, gradient) pairs, it gives pairs with clipped gradients.

    Pairs of parameters with `need_clip=False` are given back as they are, those whose gradient is None are left out.
    """

    def __call__(self, params_grads: Pairs) -> list[tuple[Any, Any]]:
        pairs = [(p, g) for p, g in params_grads if g is not None]
        chosen = [i for i, (p, _) in enumerate(pairs) if getattr(p, "need_clip", True)]
        if chosen:
            with switched(grad=False, amp=None):
                clipped = self._clip([pairs[i][0] for i in chosen], [pairs[i][1] for i in chosen])
            for i, gradient in zip(chosen, clipped, strict=True):
                pairs[i] = (pairs[i][0], gradient)
        return pairs

    def _clip(self, parameters: list, gradients: list) -> list:
        raise NotImplementedError(f"{type(self).__name__} must say in `_clip` how it clips")


class ClipGradByValue(ClipGradBase):
    """Each element of a gradient is brought into [min, max].

    Args:
        max: the largest value.
        min: the smallest; left out, -max, and then `max` must be positive.

    Raises:
        ValueError: `min` is above `max`.

    >>> import paddlite as paddle
    >>> weight = paddle.create_parameter([3], "float32")
    >>> clip = paddle.nn.ClipGradByValue(1.0)
    >>> clip([(weight, paddle.to_tensor([3.0, -0.5, -4.0]))])[0][1].tolist()
    [1.0, -0.5, -1.0]
    """

    def __init__(self, max: float, min: float | None = None):
        self.max = float(max)
        self.min = -self.max if min is None else float(min)
        if self.min > self.max:
            raise InvalidArgument(f"ClipGradByValue: min must not be above max, got min={self.min} and max={self.max}")

    def _clip(self, parameters: list, gradients: list) -> list:
        return [clip(g, self.min, self.max) for g in gradients]

    def __str__(self) -> str:
        return f"Clip Gradient By Value, min = {self.min:f}, max={self.max:f}"


class ClipGradByNorm(ClipGradBase):
    """Each gradient by itself is shortened to a Euclidean length of at most `clip_norm`.

    Raises:
        ValueError: `clip_norm` is not positive.

    >>> import paddlite as paddle
    >>> weight = paddle.create_parameter([2], "float32")
    >>> clip = paddle.nn.ClipGradByNorm(1.0)
    >>> [round(g, 4) for g in clip([(weight, paddle.to_tensor([3.0, 4.0]))])[0][1].tolist()]
    [0.6, 0.8]
    """

    def __init__(self, clip_norm: float):
        self.clip_norm = _positive("ClipGradByNorm", clip_norm)

    def _clip(self, parameters: list, gradients: list) -> list:
        return [gradient_clip.clip_by_norm(g, max_norm=self.clip_norm) for g in gradients]

    def __str__(self) -> str:
        return f"Gradient Clip By Norm, clip_norm={self.clip_norm:f}"


class ClipGradByGlobalNorm(ClipGradBase):
    """All gradients together, read as one vector, are shortened to a Euclidean length of at most `clip_norm`.

    Eager gradients are changed in place.  Norms are computed in float32 (float64 where a gradient is), also for half
    types; infinite gradients give NaN.  Pascanu et al., "On the difficulty of training recurrent neural networks"
    (2013).

    Args:
        clip_norm: the largest length.
        group_name: not used; there for compatibility.
        auto_skip_clip: not used, since short gradients are multiplied by exactly 1.

    Attributes:
        reduce: None, or a function of the squared length (0-D) of this process's gradients that gives the one of all
            processes.  Optimizers that hold only a part of the gradients set it.

    Raises:
        ValueError: `clip_norm` is not positive.

    >>> import paddlite as paddle
    >>> pairs = [(paddle.create_parameter([1], "float32"), paddle.to_tensor([size])) for size in (3.0, 4.0)]
    >>> [round(g.item(), 4) for _, g in paddle.nn.ClipGradByGlobalNorm(1.0)(pairs)]
    [0.6, 0.8]
    """

    reduce: Callable[[Any], Any] | None = None

    def __init__(self, clip_norm: float, group_name: str = "default_group", auto_skip_clip: bool = False):
        self.clip_norm = _positive("ClipGradByGlobalNorm", clip_norm)
        self.group_name, self.auto_skip_clip = group_name, auto_skip_clip

    def factor(self, gradients: Sequence[Any]) -> Any:
        """What the gradients are multiplied with, 0-D."""
        squared = gradient_clip.global_squared_norm(*gradients)
        if self.reduce is not None:
            squared = self.reduce(squared)
        return gradient_clip.clip_factor(squared, max_norm=self.clip_norm)

    def _clip(self, parameters: list, gradients: list) -> list:
        factor = self.factor(gradients)
        return [_scaled(g, factor) for g in gradients]

    def __str__(self) -> str:
        return f"Gradient Clip By GlobalNorm, global_norm={self.clip_norm:f}"


def _scaled(gradient: Any, factor: Any) -> Any:
    if isinstance(gradient, Tensor):
        return in_place(OPS["scale_gradient"], (gradient, factor), {})
    return gradient_clip.scale_gradient(gradient, factor)


def _positive(owner: str, clip_norm: float) -> float:
    found = float(clip_norm)
    if not found > 0:
        raise InvalidArgument(f"{owner}: clip_norm must be above 0, got {clip_norm}")
    return found
