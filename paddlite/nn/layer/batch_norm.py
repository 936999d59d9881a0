"""Batch normalisation, alone and over all processes."""

from __future__ import annotations

from typing import Any

from paddlite.core.errors import InvalidArgument
from paddlite.core.mode import current
from paddlite.nn import functional as F
from paddlite.nn.initializer import Constant
from paddlite.nn.layer.layers import Layer
from paddlite.nn.parameter import ParamAttr

__all__ = ["BatchNorm", "BatchNorm1D", "BatchNorm2D", "BatchNorm3D"]


def check_rank(layer: Layer, input: Any, ranks: tuple[int, ...]) -> None:
    """Raise where `input` has not as many axes as `layer` wants.

    Raises:
        ValueError: see above.
    """
    if input.ndim not in ranks:
        wanted = " or ".join(map(str, ranks))
        raise InvalidArgument(
            f"{type(layer).__name__}: the input must have {wanted} axes, got shape {list(input.shape)}"
        )


class _BatchNormBase(Layer):
    """Scale, shift, and running mean and variance."""

    _keeps_float32 = True
    _ranks: tuple[int, ...] | None = None

    def __init__(
        self,
        num_features: int,
        momentum: float = 0.9,
        epsilon: float = 1e-5,
        weight_attr: Any = None,
        bias_attr: Any = None,
        data_format: str = "NCHW",
        use_global_stats: bool | None = None,
        name: str | None = None,
    ):
        super().__init__(dtype=current().default_dtype)
        if num_features < 1:
            raise InvalidArgument(f"{type(self).__name__}: num_features must be above 0, got {num_features}")
        self._num_features, self._momentum, self._epsilon = num_features, momentum, epsilon
        self._data_format, self._use_global_stats, self._name = data_format, use_global_stats, name
        self.weight = self.create_parameter([num_features], weight_attr, default_initializer=Constant(1.0))
        self.bias = self.create_parameter([num_features], bias_attr, is_bias=True)
        self._make_statistics(None, None)

    def _make_statistics(self, mean_name: str | None, variance_name: str | None) -> None:
        for attribute, name, value in (("_mean", mean_name, 0.0), ("_variance", variance_name, 1.0)):
            attr = ParamAttr(name, Constant(value), trainable=False, do_model_average=True)
            setattr(self, attribute, self.create_parameter([self._num_features], attr, self._dtype))

    def forward(self, input: Any) -> Any:
        if self._ranks is not None:
            check_rank(self, input, self._ranks)
        return F.batch_norm(
            input,
            self._mean,
            self._variance,
            self.weight,
            self.bias,
            self.training,
            self._momentum,
            self._epsilon,
            self._data_format,
            self._use_global_stats,
        )

    def extra_repr(self) -> str:
        text = f"num_features={self._num_features}, momentum={self._momentum}, epsilon={self._epsilon}"
        if self._data_format != "NCHW":
            text += f", data_format={self._data_format}"
        return text + (f", name={self._name}" if self._name else "")


class BatchNorm1D(_BatchNormBase):
    """Brings each channel of a batch [N, C] or [N, C, L] to mean 0 and variance 1, then scales and shifts it.

    In training with the statistics of the batch, which also move the running ones:
    running = momentum * running + (1 - momentum) * batch; in evaluation with those.  Ioffe and Szegedy, "Batch
    normalization" (2015).

    Args:
        num_features: how many channels.
        momentum: see above.
        epsilon: added to the variance.
        weight_attr: of the scale `weight` [num_features], ones; False for none.
        bias_attr: of the shift `bias` [num_features], zeros; False for none.
        data_format: "NC", "NCL" or "NLC".
        use_global_stats: True takes the running statistics in training too, False those of the batch always.

    Raises:
        ValueError: `num_features` is not positive.  When called: the input has other axes.

    >>> import paddlite as paddle
    >>> norm = paddle.nn.BatchNorm1D(1)
    >>> norm(paddle.to_tensor([[0.0], [2.0]])).tolist()
    [[-0.9999949932098389], [0.9999949932098389]]
    >>> round(norm._mean.item(), 4)
    0.1
    """

    _ranks = (2, 3)

    def __init__(
        self,
        num_features: int,
        momentum: float = 0.9,
        epsilon: float = 1e-5,
        weight_attr: Any = None,
        bias_attr: Any = None,
        data_format: str = "NCL",
        use_global_stats: bool | None = None,
        name: str | None = None,
    ):
        super().__init__(num_features, momentum, epsilon, weight_attr, bias_attr, data_format, use_global_stats, name)


class BatchNorm2D(_BatchNormBase):
    """`BatchNorm1D` for images, "NCHW" or "NHWC"."""

    _ranks = (4,)


class BatchNorm3D(_BatchNormBase):
    """`BatchNorm1D` for volumes, "NCDHW" or "NDHWC"."""

    _ranks = (5,)

    def __init__(
        self,
        num_features: int,
        momentum: float = 0.9,
        epsilon: float = 1e-5,
        weight_attr: Any = None,
        bias_attr: Any = None,
        data_format: str = "NCDHW",
        use_global_stats: bool | None = None,
        name: str | None = None,
    ):
        super().__init__(num_features, momentum, epsilon, weight_attr, bias_attr, data_format, use_global_stats, name)


class BatchNorm(_BatchNormBase):
    """`BatchNorm1D` for inputs of any rank, with the arguments of older code.

    Args:
        num_channels: how many channels.
        act: an activation of `nn.functional` behind it, by name, or None.
        is_test: start in evaluation.
        momentum, epsilon: see `BatchNorm1D`.
        param_attr: of the scale.
        bias_attr: of the shift.
        dtype: of the parameters.
        data_layout: where the channels are.
        in_place: not used; there for compatibility.
        moving_mean_name: name of the running mean.
        moving_variance_name: name of the running variance.
        do_model_average_for_mean_and_var: whether averaging of models covers them.
        use_global_stats: take the running statistics in training too.
        trainable_statistics: take the statistics of the batch in evaluation too.
    """

    def __init__(
        self,
        num_channels: int,
        act: str | None = None,
        is_test: bool = False,
        momentum: float = 0.9,
        epsilon: float = 1e-5,
        param_attr: Any = None,
        bias_attr: Any = None,
        dtype: Any = "float32",
        data_layout: str = "NCHW",
        in_place: bool = False,
        moving_mean_name: str | None = None,
        moving_variance_name: str | None = None,
        do_model_average_for_mean_and_var: bool = True,
        use_global_stats: bool = False,
        trainable_statistics: bool = False,
    ):
        Layer.__init__(self, dtype=dtype)
        self._num_features, self._momentum, self._epsilon = num_channels, momentum, epsilon
        self._data_format, self._use_global_stats, self._name = data_layout, use_global_stats or None, None
        self._act, self._trainable_statistics = act, trainable_statistics
        self.training = not is_test
        self.weight = self.create_parameter([num_channels], param_attr, dtype, default_initializer=Constant(1.0))
        self.bias = self.create_parameter([num_channels], bias_attr, dtype, is_bias=True)
        self._make_statistics(moving_mean_name, moving_variance_name)
        for statistic in (self._mean, self._variance):
            statistic.do_model_average = do_model_average_for_mean_and_var

    def forward(self, input: Any) -> Any:
        out = F.batch_norm(
            input,
            self._mean,
            self._variance,
            self.weight,
            self.bias,
            self.training or self._trainable_statistics,
            self._momentum,
            self._epsilon,
            self._data_format,
            self._use_global_stats,
        )
        return out if self._act is None else getattr(F, self._act)(out)

    def extra_repr(self) -> str:
        return ""
