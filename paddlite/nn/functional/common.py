"""Linear maps and other functions of common use."""

from __future__ import annotations

from typing import Any

from paddlite.core.errors import InvalidArgument, ShapeMismatch
from paddlite.nn.functional.distance import cosine_similarity
from paddlite.nn.functional.dropouts import (
    alpha_dropout,
    dropout,
    dropout1d,
    dropout2d,
    dropout3d,
    feature_alpha_dropout,
)
from paddlite.ops import matmul, sequence
from paddlite.ops.arithmetic import elementwise_add, elementwise_mul
from paddlite.ops.reduce import reduce_sum
from paddlite.ops.shape import transpose, unsqueeze

__all__ = [
    "alpha_dropout", "bilinear", "class_center_sample", "cosine_similarity", "dropout", "dropout1d", "dropout2d",
    "dropout3d", "feature_alpha_dropout", "label_smooth", "linear",
]  # fmt: skip


def linear(x: Any, weight: Any, bias: Any = None, name: str | None = None) -> Any:
    """x @ weight + bias, as one op.

    Args:
        x: [..., in_features].
        weight: [in_features, out_features].
        bias: [out_features] or None.

    Raises:
        ShapeMismatch: the shapes do not fit; the text says how.

    >>> import paddlite as paddle
    >>> x, weight = paddle.to_tensor([[1.0, 2.0]]), paddle.to_tensor([[1.0], [10.0]])
    >>> paddle.nn.functional.linear(x, weight, paddle.to_tensor([0.5])).tolist()
    [[21.5]]
    """
    return matmul.linear(x, weight, bias)


def bilinear(x1: Any, x2: Any, weight: Any, bias: Any = None, name: str | None = None) -> Any:
    """out[n, k] = sum of x1[n, i] * weight[k, i, j] * x2[n, j], plus bias[0, k].

    Args:
        x1: [N, I].
        x2: [N, J].
        weight: [K, I, J].
        bias: [1, K] or None.

    Raises:
        ShapeMismatch: the shapes do not fit.

    >>> import paddlite as paddle
    >>> x1, x2 = paddle.to_tensor([[2.0]]), paddle.to_tensor([[3.0]])
    >>> paddle.nn.functional.bilinear(x1, x2, paddle.to_tensor([[[10.0]]])).tolist()
    [[60.0]]
    """
    sizes = [t._shape for t in (x1, x2, weight)]
    if [len(s) for s in sizes] != [2, 2, 3] or sizes[0][1] != sizes[2][1] or sizes[1][1] != sizes[2][2]:
        raise ShapeMismatch(
            f"bilinear: x1 [N, I], x2 [N, J] and weight [K, I, J] must fit, got {', '.join(map(str, map(list, sizes)))}"
        )
    rows = matmul.matmul(x1, weight)  # [K, N, J]
    out = transpose(reduce_sum(elementwise_mul(rows, unsqueeze(x2, axes=(0,))), axis=-1), perm=(1, 0))
    return out if bias is None else elementwise_add(out, bias)


def label_smooth(label: Any, prior_dist: Any = None, epsilon: float = 0.1, name: str | None = None) -> Any:
    """(1 - epsilon) * label + epsilon * prior (Szegedy et al., 2015).

    Args:
        label: distributions over classes, which are the last axis.
        prior_dist: [1, classes]; None stands for the even distribution.

    >>> import paddlite as paddle
    >>> paddle.nn.functional.label_smooth(paddle.to_tensor([[0.0, 1.0]]), epsilon=0.5).tolist()
    [[0.25, 0.75]]
    """
    if not 0 <= epsilon <= 1:
        raise InvalidArgument(f"label_smooth: epsilon must lie in [0, 1], got {epsilon}")
    share = epsilon / label._shape[-1] if prior_dist is None else elementwise_mul(prior_dist, epsilon)
    return elementwise_add(elementwise_mul(label, 1.0 - epsilon), share)


def class_center_sample(label: Any, num_classes: int, num_samples: int, group: Any = None) -> tuple[Any, Any]:
    """(labels counted among the sampled classes, the sampled classes), to train part of a large classifier at a time.

    All classes that occur are among them, then others at random until there are `num_samples` (An et al., 2020).

    Args:
        label: [N], whole numbers of [0, num_classes).
        group: False or None; classes divided among processes are not supported.

    Raises:
        InvalidArgument: `num_samples` is not in [1, num_classes], or `group` is a group.
        IndexOutOfRange: a label is out of range.

    >>> import paddlite as paddle
    >>> places, classes = paddle.nn.functional.class_center_sample(paddle.to_tensor([7, 2, 7]), 10, 2)
    >>> places.tolist(), classes.tolist()
    ([1, 0, 1], [2, 7])
    """
    if group not in (None, False):
        raise InvalidArgument("class_center_sample: classes divided among processes are not supported; use group=False")
    return sequence.class_center_sample(label, classes=int(num_classes), count=int(num_samples))
