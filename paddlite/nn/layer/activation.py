"""Activations as layers.  What each computes is said at the function of the same name in `nn.functional`."""

from __future__ import annotations

from typing import Any

from paddlite.core.errors import ShapeMismatch
from paddlite.nn import functional as F
from paddlite.nn.initializer import Constant
from paddlite.nn.layer.layers import Layer
from paddlite.ops import power

__all__ = [
    "CELU", "ELU", "GELU", "GLU", "SELU", "Hardshrink", "Hardsigmoid", "Hardswish", "Hardtanh", "LeakyReLU",
    "LogSigmoid", "LogSoftmax", "Maxout", "Mish", "PReLU", "RReLU", "ReLU", "ReLU6", "Sigmoid", "Silu", "Softmax",
    "Softmax2D", "Softplus", "Softshrink", "Softsign", "Swish", "Tanh", "Tanhshrink", "ThresholdedReLU",
]  # fmt: skip


class _Activation(Layer):
    """Keeps the settings of an activation as attributes `_<name>` and prints them."""

    def __init__(self, name: str | None = None, **settings: Any):
        super().__init__()
        self._name = name
        self._settings = tuple(settings)
        for setting, value in settings.items():
            self.__dict__[f"_{setting}"] = value

    def extra_repr(self) -> str:
        shown = [f"{setting}={getattr(self, f'_{setting}')}" for setting in self._settings]
        return ", ".join([*shown, f"name={self._name}"] if self._name else shown)


class ReLU(_Activation):
    """max(x, 0).

    >>> import paddlite as paddle
    >>> paddle.nn.ReLU()(paddle.to_tensor([-1.0, 2.0])).tolist()
    [0.0, 2.0]
    """

    def __init__(self, name: str | None = None):
        super().__init__(name)

    def forward(self, x: Any) -> Any:
        return F.relu(x)


class ReLU6(_Activation):
    """min(max(x, 0), 6)."""

    def __init__(self, name: str | None = None):
        super().__init__(name)

    def forward(self, x: Any) -> Any:
        return F.relu6(x)


class LeakyReLU(_Activation):
    """x where it is positive, else negative_slope * x."""

    def __init__(self, negative_slope: float = 0.01, name: str | None = None):
        super().__init__(name, negative_slope=negative_slope)

    def forward(self, x: Any) -> Any:
        return F.leaky_relu(x, self._negative_slope)


class PReLU(_Activation):
    """x where it is positive, else a trained slope times x.

    Args:
        num_parameters: 1 for one slope, or the number of channels for one each.
        init: first value of the slopes.
        weight_attr: of the slopes `_weight` [num_parameters].
        data_format: where the channels are.

    >>> import paddlite as paddle
    >>> paddle.nn.PReLU()(paddle.to_tensor([-1.0, 2.0])).tolist()
    [-0.25, 2.0]
    """

    def __init__(
        self,
        num_parameters: int = 1,
        init: float = 0.25,
        weight_attr: Any = None,
        data_format: str = "NCHW",
        name: str | None = None,
    ):
        super().__init__(name, num_parameters=num_parameters, data_format=data_format, init=init)
        self._weight = self.create_parameter([num_parameters], weight_attr, default_initializer=Constant(init))
        self._dtype = self._weight.dtype.name
        self._settings += ("dtype",)

    def forward(self, x: Any) -> Any:
        return F.prelu(x, self._weight, self._data_format)


class RReLU(_Activation):
    """x where it is positive, else a slope of [lower, upper) times x, drawn anew in training for each element."""

    def __init__(self, lower: float = 1.0 / 8.0, upper: float = 1.0 / 3.0, name: str | None = None):
        super().__init__(name, lower=lower, upper=upper)

    def forward(self, x: Any) -> Any:
        return F.rrelu(x, self._lower, self._upper, self.training)

    def extra_repr(self) -> str:
        return f"{super().extra_repr()}, training={self.training}, dtype={self._dtype}"


class ELU(_Activation):
    """x where it is positive, else alpha * (e^x - 1)."""

    def __init__(self, alpha: float = 1.0, name: str | None = None):
        super().__init__(name, alpha=alpha)

    def forward(self, x: Any) -> Any:
        return F.elu(x, self._alpha)


class CELU(_Activation):
    """x where it is positive, else alpha * (e^(x / alpha) - 1)."""

    def __init__(self, alpha: float = 1.0, name: str | None = None):
        super().__init__(name, alpha=alpha)

    def forward(self, x: Any) -> Any:
        return F.celu(x, self._alpha)


class SELU(_Activation):
    """scale times ELU with `alpha`, chosen so that activations stay normalised."""

    def __init__(
        self,
        scale: float = 1.0507009873554804934193349852946,
        alpha: float = 1.6732632423543772848170429916717,
        name: str | None = None,
    ):
        super().__init__(name, scale=scale, alpha=alpha)

    def forward(self, x: Any) -> Any:
        return F.selu(x, self._scale, self._alpha)


class GELU(_Activation):
    """x times the normal distribution function of x; `approximate=True` takes a formula with tanh."""

    def __init__(self, approximate: bool | str = False, name: str | None = None):
        super().__init__(name, approximate=approximate)

    def forward(self, x: Any) -> Any:
        return F.gelu(x, self._approximate)


class GLU(_Activation):
    """The first half of x along `axis` times the sigmoid of the second half."""

    def __init__(self, axis: int = -1, name: str | None = None):
        super().__init__(name, axis=axis)

    def forward(self, x: Any) -> Any:
        return F.glu(x, self._axis)


class Sigmoid(_Activation):
    """1 / (1 + e^-x)."""

    def __init__(self, name: str | None = None):
        super().__init__(name)

    def forward(self, x: Any) -> Any:
        return F.sigmoid(x)


class LogSigmoid(_Activation):
    """log(1 / (1 + e^-x))."""

    def __init__(self, name: str | None = None):
        super().__init__(name)

    def forward(self, x: Any) -> Any:
        return F.log_sigmoid(x)


class Hardsigmoid(_Activation):
    """x / 6 + 1/2, cut off at 0 and 1."""

    def __init__(self, name: str | None = None):
        super().__init__(name)

    def forward(self, x: Any) -> Any:
        return F.hardsigmoid(x)


class Tanh(_Activation):
    """The hyperbolic tangent."""

    def __init__(self, name: str | None = None):
        super().__init__(name)

    def forward(self, x: Any) -> Any:
        return power.tanh(x)


class Hardtanh(_Activation):
    """x, cut off at `min` and `max`."""

    def __init__(self, min: float = -1.0, max: float = 1.0, name: str | None = None):
        super().__init__(name, min=min, max=max)

    def forward(self, x: Any) -> Any:
        return F.hardtanh(x, self._min, self._max)


class Tanhshrink(_Activation):
    """x - tanh(x)."""

    def __init__(self, name: str | None = None):
        super().__init__(name)

    def forward(self, x: Any) -> Any:
        return F.tanhshrink(x)


class Hardshrink(_Activation):
    """x where its size is above `threshold`, else 0."""

    def __init__(self, threshold: float = 0.5, name: str | None = None):
        super().__init__(name, threshold=threshold)

    def forward(self, x: Any) -> Any:
        return F.hardshrink(x, self._threshold)


class Softshrink(_Activation):
    """x brought nearer to 0 by `threshold`."""

    def __init__(self, threshold: float = 0.5, name: str | None = None):
        super().__init__(name, threshold=threshold)

    def forward(self, x: Any) -> Any:
        return F.softshrink(x, self._threshold)


class Softplus(_Activation):
    """log(1 + e^(beta * x)) / beta; x itself where beta * x is above `threshold`."""

    def __init__(self, beta: float = 1, threshold: float = 20, name: str | None = None):
        super().__init__(name, beta=beta, threshold=threshold)

    def forward(self, x: Any) -> Any:
        return F.softplus(x, self._beta, self._threshold)


class Softsign(_Activation):
    """x / (1 + |x|)."""

    def __init__(self, name: str | None = None):
        super().__init__(name)

    def forward(self, x: Any) -> Any:
        return F.softsign(x)


class Silu(_Activation):
    """x * sigmoid(x)."""

    def __init__(self, inplace: bool = False, name: str | None = None):
        super().__init__(name, inplace=inplace)

    def forward(self, x: Any) -> Any:
        return F.silu(x, self._inplace)


class Swish(_Activation):
    """x * sigmoid(x); another name of `Silu`."""

    def __init__(self, name: str | None = None):
        super().__init__(name)

    def forward(self, x: Any) -> Any:
        return F.swish(x)


class Hardswish(_Activation):
    """x * min(max(x + 3, 0), 6) / 6."""

    def __init__(self, name: str | None = None):
        super().__init__(name)

    def forward(self, x: Any) -> Any:
        return F.hardswish(x)


class Mish(_Activation):
    """x * tanh(softplus(x))."""

    def __init__(self, name: str | None = None):
        super().__init__(name)

    def forward(self, x: Any) -> Any:
        return F.mish(x)


class ThresholdedReLU(_Activation):
    """x where it is above `threshold`, else `value`."""

    def __init__(self, threshold: float = 1.0, value: float = 0.0, name: str | None = None):
        super().__init__(name, threshold=threshold, value=value)

    def forward(self, x: Any) -> Any:
        return F.thresholded_relu(x, self._threshold, self._value)


class Maxout(_Activation):
    """The largest of `groups` values in a row along `axis`."""

    def __init__(self, groups: int, axis: int = 1, name: str | None = None):
        super().__init__(name, groups=groups, axis=axis)

    def forward(self, x: Any) -> Any:
        return F.maxout(x, self._groups, self._axis)


class Softmax(_Activation):
    """e^x divided by its sum along `axis`."""

    def __init__(self, axis: int = -1, name: str | None = None):
        super().__init__(name, axis=axis)

    def forward(self, x: Any) -> Any:
        return F.softmax(x, self._axis)


class LogSoftmax(_Activation):
    """The logarithm of softmax along `axis`."""

    def __init__(self, axis: int = -1, name: str | None = None):
        super().__init__(name, axis=axis)

    def forward(self, x: Any) -> Any:
        return F.log_softmax(x, self._axis)


class Softmax2D(_Activation):
    """Softmax over the channels of an image [N, C, H, W] or [C, H, W].

    Raises:
        ShapeMismatch: the input has neither 3 nor 4 axes.
    """

    def __init__(self, name: str | None = None):
        super().__init__(name)

    def forward(self, x: Any) -> Any:
        if x.ndim not in (3, 4):
            raise ShapeMismatch(f"Softmax2D: the input must have 3 or 4 axes, got shape {list(x.shape)}")
        return F.softmax(x, -3)
