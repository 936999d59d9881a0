"""Weights split into length and direction."""

from __future__ import annotations

from typing import Any

from paddlite.core.errors import InvalidArgument
from paddlite.core.tensor import Parameter
from paddlite.nn.layer.layers import Layer
from paddlite.ops.arithmetic import elementwise_div, elementwise_mul, square
from paddlite.ops.power import sqrt
from paddlite.ops.reduce import reduce_sum
from paddlite.ops.shape import reshape


class WeightNorm:
    """The pre-hook that makes the weight out of length and direction before each forward."""

    def __init__(self, name: str, dim: int | None):
        self.name, self.dim = name, dim

    def __call__(self, layer: Layer, inputs: Any) -> None:
        setattr(layer, self.name, self.weight(layer))

    def weight(self, layer: Layer) -> Any:
        direction, length = getattr(layer, f"{self.name}_v"), getattr(layer, f"{self.name}_g")
        return elementwise_mul(direction, elementwise_div(self._spread(length, direction), self.norm(direction, True)))

    def norm(self, direction: Any, keepdim: bool) -> Any:
        axes = tuple(axis for axis in range(direction.ndim) if axis != self.dim)
        return sqrt(reduce_sum(square(direction), axis=axes or None, keepdim=keepdim)) if axes else abs(direction)

    def _spread(self, length: Any, direction: Any) -> Any:
        if self.dim is None:
            return length
        return reshape(length, shape=tuple(-1 if axis == self.dim else 1 for axis in range(direction.ndim)))


def _find(layer: Layer, kind: type, name: str) -> int | None:
    for key, hook in layer._forward_pre_hooks.items():
        if isinstance(hook.function, kind) and hook.function.name == name:
            return key
    return None


def parameter_of(layer: Layer, name: str, asked: str) -> Parameter:
    """The layer's own parameter `name`.

    Raises:
        KeyError: there is none.
    """
    found = layer._parameters.get(name)
    if found is None:
        raise KeyError(f"{asked}: {type(layer).__name__} has no parameter '{name}'; it has {list(layer._parameters)}")
    return found


def _parameter_like(layer: Layer, old: Parameter, values: Any) -> Parameter:
    from paddlite.nn.initializer import Assign

    return layer.create_parameter(values.shape, Assign(values), values.dtype)  # type: ignore[return-value]


def weight_norm(layer: Layer, name: str = "weight", dim: int | None = 0) -> Layer:
    """Make the parameter `name` of `layer` the product of two: its length `name_g` and its direction `name_v`.

    weight = g * v / ||v||, worked out before each forward.  Salimans and Kingma, "Weight normalization" (2016).

    Args:
        layer: any layer with that parameter.
        name: the parameter.
        dim: the axis along which there is one length each; None or -1 for one length in all.

    Returns:
        `layer` itself.

    Raises:
        KeyError: there is no such parameter.
        ValueError: `dim` is out of range.
        RuntimeError: it is split already.

    >>> import paddlite as paddle
    >>> layer = paddle.nn.utils.weight_norm(paddle.nn.Linear(3, 2), dim=1)
    >>> [(name, parameter.shape) for name, parameter in layer.named_parameters()][1:]
    [('weight_v', paddle.Size([3, 2])), ('weight_g', paddle.Size([2]))]
    """
    if _find(layer, WeightNorm, name) is not None:
        raise RuntimeError(f"weight_norm: parameter '{name}' of {layer.full_name()} has weight norm already")
    weight = parameter_of(layer, name, "weight_norm")
    rank = weight.ndim
    if dim is not None and not -rank <= dim < rank:
        raise InvalidArgument(f"weight_norm: dim {dim} is out of range for a weight of {rank} axes")
    hook = WeightNorm(name, None if dim in (None, -1) else dim % rank)
    del layer._parameters[name]
    layer.add_parameter(f"{name}_v", _parameter_like(layer, weight, weight))
    layer.add_parameter(f"{name}_g", _parameter_like(layer, weight, hook.norm(weight, False).detach()))
    layer.register_forward_pre_hook(hook)
    hook(layer, ())
    return layer


def remove_weight_norm(layer: Layer, name: str = "weight") -> Layer:
    """Undo `weight_norm`: the parameter `name` is one again, with the values that it has now.

    Raises:
        ValueError: it has no weight norm.
    """
    key = _find(layer, WeightNorm, name)
    if key is None:
        raise InvalidArgument(f"remove_weight_norm: parameter '{name}' of {layer!r:.80} has no weight norm")
    hook = layer._forward_pre_hooks.pop(key).function
    values = hook.weight(layer).detach()
    old = layer._parameters.pop(f"{name}_v")
    del layer._parameters[f"{name}_g"]
    delattr(layer, name)
    layer.add_parameter(name, _parameter_like(layer, old, values))
    return layer
