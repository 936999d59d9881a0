"""Normalisation."""

from __future__ import annotations

from typing import Any

from paddlite.autograd.program import role
from paddlite.core.errors import InvalidArgument, ShapeMismatch
from paddlite.core.mode import switched
from paddlite.core.program import Variable
from paddlite.nn.functional.distance import norm_at_least
from paddlite.ops import batch_norm as batch_ops
from paddlite.ops import group_norm as group_ops
from paddlite.ops import layer_norm as layer_ops
from paddlite.ops import rms_norm as rms_ops
from paddlite.ops.arithmetic import elementwise_add, elementwise_div, elementwise_mul, square
from paddlite.ops.power import elementwise_pow
from paddlite.ops.state import assign_state
from paddlite.tensor.arguments import int_argument
from paddlite.tensor.creation import made

__all__ = [
    "batch_norm", "group_norm", "instance_norm", "layer_norm", "local_response_norm", "normalize", "rms_norm",
]  # fmt: skip


def update_state(state: Any, value: Any) -> None:
    """Write `value` into the buffer `state`: now, or at each run of the Program that is being recorded."""
    if isinstance(value, Variable):
        block = value.block
        with switched(grad=False, amp=None, block=block), role(block.program, "stat"):
            assign_state(state, value)
        return
    state._data[...] = value._data
    state._version[0] += 1


def batch_norm(
    x: Any,
    running_mean: Any,
    running_var: Any,
    weight: Any = None,
    bias: Any = None,
    training: bool = False,
    momentum: float = 0.9,
    epsilon: float = 1e-05,
    data_format: str = "NCHW",
    use_global_stats: bool | None = None,
    name: str | None = None,
) -> Any:
    """Each channel brought to mean 0 and variance 1, then scaled and shifted (Ioffe and Szegedy, 2015).

    In training the statistics are those of the batch, and the running ones become
    momentum * running + (1 - momentum) * batch; in evaluation the running ones are used.

    Args:
        x: [N, C, ...], or [N, ..., C] where `data_format` ends in C.
        running_mean, running_var: [C], changed in place in training.
        weight, bias: [C] or None.
        use_global_stats: True uses the running statistics in training too, False those of the batch always.

    Raises:
        ShapeMismatch: a parameter does not have one value a channel.
        InvalidArgument: `data_format` is unknown or `x` has no channels.

    >>> import paddlite as paddle
    >>> x = paddle.to_tensor([[1.0], [3.0]])
    >>> mean, var = paddle.to_tensor([0.0]), paddle.to_tensor([1.0])
    >>> paddle.nn.functional.batch_norm(x, mean, var, training=True, epsilon=0.0).tolist()
    [[-1.0], [1.0]]
    >>> round(mean.item(), 4)
    0.2
    """
    out, new_mean, new_variance, _, _ = batch_ops.batch_norm(
        x,
        weight,
        bias,
        running_mean,
        running_var,
        momentum=float(momentum),
        epsilon=float(epsilon),
        data_format=data_format,
        training=bool(training),
        use_global_stats=use_global_stats,
    )
    if not (not training if use_global_stats is None else use_global_stats):
        update_state(running_mean, new_mean)
        update_state(running_var, new_variance)
    return out


def layer_norm(
    x: Any,
    normalized_shape: int | list | tuple,
    weight: Any = None,
    bias: Any = None,
    epsilon: float = 1e-05,
    name: str | None = None,
) -> Any:
    """The last axes, of sizes `normalized_shape`, brought to mean 0 and variance 1, then scaled and shifted.

    Args:
        x: [..., *normalized_shape].
        weight, bias: as many elements as `normalized_shape` says, or None.

    Raises:
        ShapeMismatch: the last sizes of `x` differ from `normalized_shape`, or a parameter does not fit.

    >>> import paddlite as paddle
    >>> paddle.nn.functional.layer_norm(paddle.to_tensor([[1.0, 3.0]]), 2, epsilon=0.0).tolist()
    [[-1.0, 1.0]]
    """
    begin = _begin("layer_norm", x, normalized_shape)
    return layer_ops.layer_norm(x, weight, bias, begin_norm_axis=begin, epsilon=float(epsilon))[0]


def _begin(name: str, x: Any, normalized_shape: int | list | tuple) -> int:
    """The first axis that is normalised."""
    given = (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape)
    sizes = x._shape
    begin = len(sizes) - len(given)
    if not given or begin < 0 or any(a not in (b, -1) for a, b in zip(sizes[begin:], given)):
        raise ShapeMismatch(f"{name}: x must end in the sizes normalized_shape {list(given)}, got shape {list(sizes)}")
    return begin


def rms_norm(
    input: Any, normalized_shape: int | list | tuple, weight: Any = None, eps: float = 1e-05, name: str | None = None
) -> tuple[Any, Any]:
    """(input * r * weight, r) with r = 1 / sqrt(mean(input**2) + eps) over the last axes (Zhang and Sennrich, 2019).

    Arguments and errors as for `layer_norm`.

    >>> import paddlite as paddle
    >>> out, inverse = paddle.nn.functional.rms_norm(paddle.to_tensor([[3.0, 3.0]]), 2, eps=0.0)
    >>> out.tolist()
    [[1.0, 1.0]]
    """
    begin = _begin("rms_norm", input, normalized_shape)
    return rms_ops.rms_norm(input, weight, begin_norm_axis=begin, epsilon=float(eps))


def instance_norm(
    x: Any,
    running_mean: Any = None,
    running_var: Any = None,
    weight: Any = None,
    bias: Any = None,
    use_input_stats: bool = True,
    momentum: float = 0.9,
    eps: float = 1e-05,
    data_format: str = "NCHW",
    name: str | None = None,
) -> Any:
    """Each channel of each sample brought to mean 0 and variance 1 (Ulyanov et al., 2016).

    As in Paddle, the statistics are always those of the input: `running_mean`, `running_var`, `use_input_stats` and
    `momentum` change nothing.  Other arguments and errors as for `batch_norm`.

    >>> import paddlite as paddle
    >>> paddle.nn.functional.instance_norm(paddle.to_tensor([[[1.0, 3.0]]]), eps=0.0).tolist()
    [[[-1.0, 1.0]]]
    """
    return group_ops.instance_norm(x, weight, bias, epsilon=float(eps), data_format=data_format)[0]


def group_norm(
    x: Any,
    num_groups: int,
    epsilon: float = 1e-05,
    weight: Any = None,
    bias: Any = None,
    data_format: str = "NCHW",
    name: str | None = None,
) -> Any:
    """Each of `num_groups` groups of channels of each sample brought to mean 0 and variance 1 (Wu and He, 2018).

    Args:
        x: [N, C, ...], or [N, ..., C] where `data_format` ends in C.
        weight, bias: [C] or None.

    Raises:
        InvalidArgument: the channels do not divide into the groups.
        ShapeMismatch: a parameter does not have one value a channel.

    >>> import paddlite as paddle
    >>> paddle.nn.functional.group_norm(paddle.to_tensor([[1.0, 3.0, 4.0, 8.0]]), 2, epsilon=0.0).tolist()
    [[-1.0, 1.0, -1.0, 1.0]]
    """
    return group_ops.group_norm(
        x,
        weight,
        bias,
        groups=int_argument(num_groups, "group_norm", "num_groups"),
        epsilon=float(epsilon),
        data_format=data_format,
    )[0]


def local_response_norm(
    x: Any,
    size: int,
    alpha: float = 1e-4,
    beta: float = 0.75,
    k: float = 1.0,
    data_format: str = "NCHW",
    name: str | None = None,
) -> Any:
    """x / (k + alpha * mean of squares over `size` neighbouring channels) ** beta (Krizhevsky et al., 2012).

    Args:
        x: 3 to 5 axes, channels where `data_format` says.

    Raises:
        InvalidArgument: `x` has fewer than 3 axes, `size` is not positive, or `data_format` is unknown.

    >>> import paddlite as paddle
    >>> x = paddle.to_tensor([[[3.0], [4.0]]])
    >>> paddle.nn.functional.local_response_norm(x, size=1, alpha=1.0, beta=0.5, k=0.0, data_format="NCL").tolist()
    [[[1.0], [1.0]]]
    """
    if x.ndim < 3:
        raise InvalidArgument(f"local_response_norm: x must have at least 3 axes, got shape {list(x.shape)}")
    if size < 1:
        raise InvalidArgument(f"local_response_norm: size must be >= 1, got {size}")
    axis = batch_ops.channel_axis("local_response_norm", data_format, x.ndim)
    total = rms_ops.window_sum(square(x), axis=axis, before=size // 2, after=(size - 1) // 2)
    base = elementwise_add(elementwise_mul(total, alpha / size), k)
    return elementwise_div(x, elementwise_pow(base, beta))


def normalize(
    x: Any, p: float = 2, axis: int = 1, epsilon: float = 1e-12, out: Any = None, name: str | None = None
) -> Any:
    """x divided by its p-norm along `axis`, or by `epsilon` where the norm is smaller.

    Raises:
        InvalidArgument: `axis` is out of range.

    >>> import paddlite as paddle
    >>> paddle.nn.functional.normalize(paddle.to_tensor([[2.0, 2.0]]), p=1).tolist()
    [[0.5, 0.5]]
    """
    result = elementwise_div(x, norm_at_least(x, float(p), axis, float(epsilon)))
    return result if out is None else made(result, out)
