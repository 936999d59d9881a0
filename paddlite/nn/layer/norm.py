"""Normalisation without running statistics, and of weights."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from paddlite.core.errors import InvalidArgument
from paddlite.core.mode import current
from paddlite.nn import functional as F
from paddlite.nn.initializer import Constant, Normal
from paddlite.nn.layer.batch_norm import BatchNorm, BatchNorm1D, BatchNorm2D, BatchNorm3D, _BatchNormBase, check_rank
from paddlite.nn.layer.layers import Layer
from paddlite.nn.layer.sync_batch_norm import SyncBatchNorm
from paddlite.nn.utils.spectral_norm import as_matrix, normalized, power_iteration
from paddlite.ops.infer import axis_in
from paddlite.tensor.arguments import int_argument

__all__ = [
    "BatchNorm", "BatchNorm1D", "BatchNorm2D", "BatchNorm3D", "GroupNorm", "InstanceNorm1D", "InstanceNorm2D",
    "InstanceNorm3D", "LayerNorm", "LocalResponseNorm", "RMSNorm", "SpectralNorm", "SyncBatchNorm", "_BatchNormBase",
]  # fmt: skip


def _sizes(normalized_shape: Any) -> list[int]:
    return [normalized_shape] if isinstance(normalized_shape, (int, np.integer)) else list(normalized_shape)


class LayerNorm(Layer):
    """Brings each sample to mean 0 and variance 1 over its last axes, then scales and shifts.

    Ba et al., "Layer normalization" (2016).

    Args:
        normalized_shape: sizes of the last axes, or the size of the last one.
        epsilon: added to the variance.
        weight_attr: of the scale `weight` [product of the sizes], ones; False for none.
        bias_attr: of the shift `bias`, zeros; False for none.
        elementwise_affine: False is the same as both attributes False.
        bias: False is the same as `bias_attr=False`.
        device: where the parameters lie.
        dtype: of the parameters; left out, the default dtype.

    >>> import paddlite as paddle
    >>> paddle.nn.LayerNorm(2)(paddle.to_tensor([[0.0, 2.0]])).tolist()
    [[-0.9999949932098389, 0.9999949932098389]]
    """

    def __init__(
        self,
        normalized_shape: int | Sequence[int],
        epsilon: float = 1e-5,
        weight_attr: Any = None,
        bias_attr: Any = None,
        name: str | None = None,
        *,
        elementwise_affine: bool = True,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ):
        super().__init__(dtype=dtype or current().default_dtype)
        self._normalized_shape, self._epsilon = _sizes(normalized_shape), epsilon
        count = [math.prod(self._normalized_shape)]
        weight_attr, bias_attr = (weight_attr, bias_attr) if elementwise_affine else (False, False)
        self.weight = self.create_parameter(count, weight_attr, dtype, False, Constant(1.0), device)
        self.bias = self.create_parameter(count, bias_attr if bias else False, dtype, True, device=device)

    def forward(self, input: Any) -> Any:
        return F.layer_norm(input, self._normalized_shape, self.weight, self.bias, self._epsilon)

    def extra_repr(self) -> str:
        return f"normalized_shape={self._normalized_shape}, epsilon={self._epsilon}"


class RMSNorm(Layer):
    """Divides each sample by the root of the mean of its squares over its last axes, then scales.

    Zhang and Sennrich, "Root mean square layer normalization" (2019).

    Args:
        normalized_shape: sizes of the last axes, or the size of the last one.
        epsilon: added to the mean of the squares.
        weight_attr: of the scale `weight` [product of the sizes], ones; False for none.
    """

    def __init__(
        self,
        normalized_shape: int | Sequence[int],
        epsilon: float = 1e-5,
        weight_attr: Any = None,
        name: str | None = None,
    ):
        super().__init__(dtype=current().default_dtype)
        self._normalized_shape, self._epsilon, self._name = _sizes(normalized_shape), epsilon, name
        count = [math.prod(self._normalized_shape)]
        self.weight = self.create_parameter(count, weight_attr, default_initializer=Constant(1.0))

    def forward(self, input: Any) -> Any:
        found = F.rms_norm(input, self._normalized_shape, self.weight, self._epsilon)
        return found[0] if isinstance(found, tuple) else found

    def extra_repr(self) -> str:
        return f"normalized_shape={self._normalized_shape}, epsilon={self._epsilon}"


class GroupNorm(Layer):
    """Brings each group of channels of each sample to mean 0 and variance 1, then scales and shifts each channel.

    Wu and He, "Group normalization" (2018).

    Args:
        num_groups: how many groups; they divide `num_channels`.
        num_channels: how many channels.
        epsilon: added to the variance.
        weight_attr: of the scale `weight` [num_channels], ones; False for none.
        bias_attr: of the shift `bias` [num_channels], zeros; False for none.
        data_format: where the channels are.
        affine: False is the same as both attributes False.
        device: where the parameters lie.
        dtype: of the parameters; left out, the default dtype.

    Raises:
        ValueError: `num_groups` does not divide `num_channels`.
    """

    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        epsilon: float = 1e-5,
        weight_attr: Any = None,
        bias_attr: Any = None,
        data_format: str = "NCHW",
        name: str | None = None,
        *,
        affine: bool = True,
        device: Any = None,
        dtype: Any = None,
    ):
        super().__init__(dtype=dtype or current().default_dtype)
        num_groups = int_argument(num_groups, "GroupNorm", "num_groups")
        if num_groups < 1 or num_channels % num_groups:
            raise InvalidArgument(f"GroupNorm: num_groups={num_groups} must divide num_channels={num_channels}")
        self._num_groups, self._num_channels, self._epsilon = num_groups, num_channels, epsilon
        self._data_format = data_format
        weight_attr, bias_attr = (weight_attr, bias_attr) if affine else (False, False)
        self.weight = self.create_parameter([num_channels], weight_attr, dtype, False, Constant(1.0), device)
        self.bias = self.create_parameter([num_channels], bias_attr, dtype, True, device=device)

    def forward(self, input: Any) -> Any:
        return F.group_norm(input, self._num_groups, self._epsilon, self.weight, self.bias, self._data_format)

    def extra_repr(self) -> str:
        return f"num_groups={self._num_groups}, num_channels={self._num_channels}, epsilon={self._epsilon}"


class _InstanceNorm(Layer):
    """Brings each channel of each sample to mean 0 and variance 1."""

    _ranks: tuple[int, ...]

    def __init__(
        self,
        num_features: int,
        epsilon: float,
        momentum: float,
        weight_attr: Any,
        bias_attr: Any,
        data_format: str,
    ):
        super().__init__()
        if (weight_attr is False) != (bias_attr is False):
            raise InvalidArgument(f"{type(self).__name__}: weight_attr and bias_attr must be False both or not at all")
        self._num_features, self._epsilon, self._momentum = num_features, epsilon, momentum
        self._data_format = data_format
        self.scale = self.create_parameter([num_features], weight_attr, default_initializer=Constant(1.0))
        self.bias = self.create_parameter([num_features], bias_attr, is_bias=True)

    def forward(self, input: Any) -> Any:
        check_rank(self, input, self._ranks)
        return F.instance_norm(
            input, weight=self.scale, bias=self.bias, eps=self._epsilon, data_format=self._data_format
        )

    def extra_repr(self) -> str:
        return f"num_features={self._num_features}, epsilon={self._epsilon}"


class InstanceNorm1D(_InstanceNorm):
    """Brings each channel of each sample [N, C] or [N, C, L] to mean 0 and variance 1, then scales and shifts.

    Ulyanov et al., "Instance normalization" (2016).

    Args:
        num_features: how many channels.
        epsilon: added to the variance.
        momentum: not used; there for compatibility.
        weight_attr: of `scale` [num_features], ones; False for none, with `bias_attr` False too.
        bias_attr: of `bias` [num_features], zeros; False for none.
        data_format: "NCL".
    """

    _ranks = (2, 3)

    def __init__(
        self,
        num_features: int,
        epsilon: float = 1e-5,
        momentum: float = 0.9,
        weight_attr: Any = None,
        bias_attr: Any = None,
        data_format: str = "NCL",
        name: str | None = None,
    ):
        super().__init__(num_features, epsilon, momentum, weight_attr, bias_attr, data_format)


class InstanceNorm2D(_InstanceNorm):
    """`InstanceNorm1D` for images [N, C, H, W]."""

    _ranks = (4,)

    def __init__(
        self,
        num_features: int,
        epsilon: float = 1e-5,
        momentum: float = 0.9,
        weight_attr: Any = None,
        bias_attr: Any = None,
        data_format: str = "NCHW",
        name: str | None = None,
    ):
        super().__init__(num_features, epsilon, momentum, weight_attr, bias_attr, data_format)


class InstanceNorm3D(_InstanceNorm):
    """`InstanceNorm1D` for volumes [N, C, D, H, W]."""

    _ranks = (5,)

    def __init__(
        self,
        num_features: int,
        epsilon: float = 1e-5,
        momentum: float = 0.9,
        weight_attr: Any = None,
        bias_attr: Any = None,
        data_format: str = "NCDHW",
        name: str | None = None,
    ):
        super().__init__(num_features, epsilon, momentum, weight_attr, bias_attr, data_format)


class LocalResponseNorm(Layer):
    """Divides each element by (k + alpha * mean of the squares of `size` channels around it)^beta."""

    def __init__(
        self,
        size: int,
        alpha: float = 0.0001,
        beta: float = 0.75,
        k: float = 1.0,
        data_format: str = "NCHW",
        name: str | None = None,
    ):
        super().__init__()
        self.size, self.alpha, self.beta, self.k = size, alpha, beta, k
        self.data_format, self.name = data_format, name

    def forward(self, input: Any) -> Any:
        return F.local_response_norm(input, self.size, self.alpha, self.beta, self.k, self.data_format)

    def extra_repr(self) -> str:
        text = f"size={self.size}, alpha={self.alpha}, beta={self.beta}, k={self.k}"
        if self.data_format != "NCHW":
            text += f", data_format={self.data_format}"
        return text + (f", name={self.name}" if self.name else "")


class SpectralNorm(Layer):
    """Divides the weight that it is called with by its largest singular value.

    See `nn.utils.spectral_norm`, which does so for the weight of a layer.

    Args:
        weight_shape: sizes of the weights.
        dim: the axis of the outputs, which becomes the rows.
        power_iters: steps of power iteration a call, from the fixed vectors `weight_u` and `weight_v`.
        eps: smallest length to divide by.
        dtype: of the vectors.

    >>> import paddlite as paddle
    >>> norm = paddle.nn.SpectralNorm([1, 2], power_iters=2)
    >>> [round(x, 4) for x in norm(paddle.to_tensor([[3.0, 4.0]])).tolist()[0]]
    [0.6, 0.8]
    """

    def __init__(
        self,
        weight_shape: Sequence[int],
        dim: int = 0,
        power_iters: int = 1,
        eps: float = 1e-12,
        dtype: Any = "float32",
    ):
        super().__init__(dtype=dtype)
        self._weight_shape = list(weight_shape)
        self._dim = axis_in(dim, len(self._weight_shape), "SpectralNorm", "dim")
        if power_iters < 0:
            raise InvalidArgument(f"SpectralNorm: power_iters must not be negative, got {power_iters}")
        self._power_iters, self._epsilon = power_iters, eps
        rows = self._weight_shape[self._dim]
        columns = math.prod(self._weight_shape) // rows if rows else 0
        if not rows or not columns:
            raise InvalidArgument(f"SpectralNorm: a weight of shape {self._weight_shape} has no elements")
        for name, size in (("weight_u", rows), ("weight_v", columns)):
            made = self.create_parameter([size], dtype=dtype, default_initializer=Normal(0.0, 1.0))
            made.stop_gradient = True  # type: ignore[union-attr]
            setattr(self, name, made)

    def forward(self, x: Any) -> Any:
        matrix = as_matrix(x, self._dim)
        u, v = power_iteration(matrix, self.weight_u, self.weight_v, self._power_iters, self._epsilon)
        return normalized(x, self._dim, u, v)
