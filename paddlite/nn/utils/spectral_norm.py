"""Weights divided by their largest singular value."""

from __future__ import annotations

from typing import Any

from paddlite.backend import device
from paddlite.core.errors import InvalidArgument
from paddlite.core.mode import switched
from paddlite.core.tensor import Tensor
from paddlite.nn.functional.norm import update_state
from paddlite.nn.layer.layers import Layer
from paddlite.nn.utils.weight_norm import _find, parameter_of
from paddlite.ops.arithmetic import assign, elementwise_div, square
from paddlite.ops.matmul import matmul
from paddlite.ops.power import elementwise_max, sqrt
from paddlite.ops.reduce import reduce_sum
from paddlite.ops.shape import reshape, transpose


def as_matrix(weight: Any, dim: int) -> Any:
    """`weight` with axis `dim` first and all others made one."""
    if dim != 0:
        weight = transpose(weight, perm=(dim, *[axis for axis in range(weight.ndim) if axis != dim]))
    return reshape(weight, shape=(weight._shape[0], -1))


def _unit(x: Any, eps: float) -> Any:
    return elementwise_div(x, elementwise_max(sqrt(reduce_sum(square(x))), eps))


def power_iteration(matrix: Any, u: Any, v: Any, times: int, eps: float) -> tuple[Any, Any]:
    """Approximate first singular vectors of `matrix`, without gradients: `times` steps on from `u` and `v`."""
    with switched(grad=False):
        for _ in range(times):
            v = _unit(matmul(matrix, u, transpose_x=True), eps)
            u = _unit(matmul(matrix, v), eps)
    return u, v


def normalized(weight: Any, dim: int, u: Any, v: Any) -> Any:
    """`weight` divided by u' W v."""
    return elementwise_div(weight, matmul(u, matmul(as_matrix(weight, dim), v)))


class SpectralNormHook:
    """The pre-hook that divides the weight before each forward."""

    def __init__(self, name: str, dim: int, times: int, eps: float):
        self.name, self.dim, self.times, self.eps = name, dim, times, eps

    def __call__(self, layer: Layer, inputs: Any) -> None:
        weight, u, v = (getattr(layer, f"{self.name}_{part}") for part in ("orig", "u", "v"))
        if layer.training:
            found = power_iteration(as_matrix(weight, self.dim), u, v, self.times, self.eps)
            for old, new in zip((u, v), found):
                update_state(old, new)
            u, v = found
        setattr(layer, self.name, normalized(weight, self.dim, u, v))


def default_dim(layer: Layer) -> int:
    """The axis of the outputs: 1 for linear layers and transposed convolutions, else 0."""
    kinds = {kind.__name__ for kind in type(layer).__mro__}
    return 1 if kinds & {"Linear", "Conv1DTranspose", "Conv2DTranspose", "Conv3DTranspose"} else 0


def spectral_norm(
    layer: Layer, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12, dim: int | None = None
) -> Layer:
    """Divide the parameter `name` of `layer` by its largest singular value before each forward.

    The trained parameter becomes `name_orig`; the singular vectors `name_u` and `name_v` are buffers, brought forward
    by power iteration in each forward in training.  Miyato et al., "Spectral normalization for generative adversarial
    networks" (2018).

    Args:
        layer: any layer with that parameter.
        name: the parameter.
        n_power_iterations: steps a forward.
        eps: smallest length to divide by.
        dim: the axis of the outputs, which becomes the rows; left out, 1 for linear layers and transposed
            convolutions, else 0.

    Returns:
        `layer` itself.

    Raises:
        KeyError: there is no such parameter.
        ValueError: `n_power_iterations` is not positive.
        RuntimeError: it has spectral norm already.

    >>> import paddlite as paddle
    >>> layer = paddle.nn.utils.spectral_norm(paddle.nn.Linear(3, 2))
    >>> list(layer.state_dict())
    ['bias', 'weight_orig', 'weight_u', 'weight_v']
    """
    if _find(layer, SpectralNormHook, name) is not None:
        raise RuntimeError(f"spectral_norm: parameter '{name}' of {layer.full_name()} has spectral norm already")
    if n_power_iterations < 1:
        raise InvalidArgument(f"spectral_norm: n_power_iterations must be positive, got {n_power_iterations}")
    weight = parameter_of(layer, name, "spectral_norm")
    dim = default_dim(layer) if dim is None else dim % weight.ndim
    del layer._parameters[name]
    layer.add_parameter(f"{name}_orig", weight)
    setattr(layer, name, assign(weight))
    with switched(grad=False):
        rows, columns = as_matrix(weight, dim).shape
        for part, size in (("u", rows), ("v", columns)):
            layer.register_buffer(f"{name}_{part}", _unit(_drawn(size, weight), eps))
    layer.register_forward_pre_hook(SpectralNormHook(name, dim, n_power_iterations, eps))
    return layer


def _drawn(size: int, like: Tensor) -> Tensor:
    from paddlite.nn.initializer import Normal

    values = Normal().values(device.module_of(like._data), (size,), like._dtype)
    return Tensor(values.astype(like._dtype, copy=False))
