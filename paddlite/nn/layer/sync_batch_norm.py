"""Batch normalisation over the batches of all processes."""

from __future__ import annotations

import math
from typing import Any

from paddlite.backend.dtypes import F32, HALF
from paddlite.backend.world import WORLD
from paddlite.core.mode import switched
from paddlite.nn.functional.norm import update_state
from paddlite.nn.layer.batch_norm import _BatchNormBase
from paddlite.ops.arithmetic import cast, elementwise_add, elementwise_div, elementwise_mul, elementwise_sub, square
from paddlite.ops.batch_norm import channel_axis, per_channel
from paddlite.ops.collective import all_reduce_sum
from paddlite.ops.join import stack, unbind
from paddlite.ops.like import full_like
from paddlite.ops.power import sqrt
from paddlite.ops.reduce import reduce_sum

__all__ = ["SyncBatchNorm"]


class SyncBatchNorm(_BatchNormBase):
    """Batch norm whose statistics in training are those of the batches of all processes together.

    In one process it is `BatchNorm2D` for inputs of any rank.  Arguments as for `BatchNorm1D`.

    >>> import paddlite as paddle
    >>> net = paddle.nn.Sequential(paddle.nn.Conv2D(3, 4, 1), paddle.nn.BatchNorm2D(4))
    >>> paddle.nn.SyncBatchNorm.convert_sync_batchnorm(net)[1]
    SyncBatchNorm(num_features=4, momentum=0.9, epsilon=1e-05)
    """

    def __init__(
        self,
        num_features: int,
        momentum: float = 0.9,
        epsilon: float = 1e-5,
        weight_attr: Any = None,
        bias_attr: Any = None,
        data_format: str = "NCHW",
        name: str | None = None,
    ):
        super().__init__(num_features, momentum, epsilon, weight_attr, bias_attr, data_format, None, name)

    def forward(self, input: Any) -> Any:
        together = WORLD.size > 1 and self.training and not self._use_global_stats
        return self._over_all(input) if together else super().forward(input)

    def _over_all(self, x: Any) -> Any:
        rank = x.ndim
        axis = channel_axis("SyncBatchNorm", self._data_format, rank)
        others = tuple(a for a in range(rank) if a != axis)
        with switched(amp=None):
            wide = cast(x, dtype=F32) if x._dtype in HALF else x
            sums, counts = self._sums(wide, others), self._counts(wide, others)
            total, count = unbind(all_reduce_sum(stack(sums, counts, axis=0)), axis=0)
            mean = elementwise_div(total, count)
            centred = elementwise_sub(wide, per_channel(mean, rank, axis))
            variance = elementwise_div(all_reduce_sum(self._sums(square(centred), others)), count)
            factor = elementwise_div(1.0, sqrt(elementwise_add(variance, self._epsilon)))
            if self.weight is not None:
                factor = elementwise_mul(factor, self.weight)
            out = elementwise_mul(centred, per_channel(factor, rank, axis))
            if self.bias is not None:
                out = elementwise_add(out, per_channel(self.bias, rank, axis))
            with switched(grad=False):
                for running, new in ((self._mean, mean), (self._variance, variance)):
                    kept, added = elementwise_mul(running, self._momentum), elementwise_mul(new, 1 - self._momentum)
                    update_state(running, elementwise_add(kept, added))
            return out if out._dtype == x._dtype else cast(out, dtype=x._dtype)

    @staticmethod
    def _sums(x: Any, others: tuple[int, ...]) -> Any:
        return reduce_sum(x, axis=others)

    def _counts(self, x: Any, others: tuple[int, ...]) -> Any:
        """How many elements of each channel there are here."""
        sizes = [x._shape[a] for a in others]
        if -1 in sizes:
            return reduce_sum(full_like(x, value=1.0), axis=others)
        return full_like(self._mean, value=float(math.prod(sizes)), dtype=x._dtype)

    @classmethod
    def convert_sync_batchnorm(cls, layer: Any) -> Any:
        """`layer` with every batch norm in it exchanged for one over all processes, with the same parameters.

        Gives `layer` itself, or the new layer where it is a batch norm.
        """
        if isinstance(layer, _BatchNormBase) and not isinstance(layer, SyncBatchNorm):
            return cls._from(layer)
        for name, child in layer.named_children():
            changed = cls.convert_sync_batchnorm(child)
            if changed is not child:
                for other, found in list(layer._sub_layers.items()):
                    if found is child or other == name:
                        layer._sub_layers[other] = changed
        return layer

    @classmethod
    def _from(cls, old: _BatchNormBase) -> SyncBatchNorm:
        new = cls(old._num_features, old._momentum, old._epsilon, False, False, old._data_format, old._name)
        new._use_global_stats, new.training = old._use_global_stats, old.training
        new.weight, new.bias = old.weight, old.bias
        new._mean, new._variance = old._mean, old._variance
        return new
