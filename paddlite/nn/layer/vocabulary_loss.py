"""Losses over many classes, as layers that hold the weights of the classes."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

from paddlite.core.errors import InvalidArgument
from paddlite.nn import functional as F
from paddlite.nn.layer.layers import Layer
from paddlite.ops.arithmetic import elementwise_add
from paddlite.ops.join import concat, split
from paddlite.ops.matmul import linear, matmul
from paddlite.ops.search import argmax

__all__ = ["AdaptiveLogSoftmaxWithLoss", "HSigmoidLoss"]


class HSigmoidLoss(Layer):
    """Cross entropies on the way to each label in a tree of classes; see `nn.functional.hsigmoid_loss`.

    Args:
        feature_size: size of the inputs.
        num_classes: how many classes; of inner nodes with a tree of your own.
        weight_attr: of `weight` [num_classes - 1, feature_size], one row an inner node.
        bias_attr: of `bias` [num_classes - 1, 1], zeros; False for none.
        is_custom: the tree is given with each call; weights then have `num_classes` rows.
        is_sparse: accepted; gradients are dense.

    Raises:
        ValueError: fewer than two classes.
    """

    def __init__(
        self,
        feature_size: int,
        num_classes: int,
        weight_attr: Any = None,
        bias_attr: Any = None,
        is_custom: bool = False,
        is_sparse: bool = False,
        name: str | None = None,
    ):
        super().__init__()
        if num_classes < 2 and not is_custom:
            raise InvalidArgument(f"HSigmoidLoss: num_classes must be 2 or more, got {num_classes}")
        self._feature_size, self._num_classes, self._name = feature_size, num_classes, name
        self._is_custom, self._is_sparse = is_custom, is_sparse
        nodes = num_classes if is_custom else num_classes - 1
        self.weight = self.create_parameter([nodes, feature_size], weight_attr)
        self.bias = self.create_parameter([nodes, 1], bias_attr, is_bias=True)

    def forward(self, input: Any, label: Any, path_table: Any = None, path_code: Any = None) -> Any:
        return F.hsigmoid_loss(
            input, label, self._num_classes, self.weight, self.bias, path_table, path_code, self._is_sparse
        )


class AdaptiveLogSoftmaxWithLoss(Layer):
    """Softmax over many classes, rare ones in clusters with smaller weights (Grave et al., 2016).

    Args:
        in_features: size of the inputs.
        n_classes: how many classes, the most frequent first.
        cutoffs: where each cluster begins.
        weight_attr: of all weights.
        bias_attr: of the bias of the head.
        div_value: by how much the inner size of each cluster is smaller than that of the one before.
        head_bias: whether the head has a bias.

    Raises:
        ValueError: the cutoffs do not rise, or reach `n_classes`.

    >>> import paddlite as paddle
    >>> layer = paddle.nn.AdaptiveLogSoftmaxWithLoss(4, 10, [3, 6], div_value=2.0)
    >>> [weight.shape for weight in layer.tail_weights[1]]
    [paddle.Size([4, 1]), paddle.Size([1, 4])]
    """

    def __init__(
        self,
        in_features: int,
        n_classes: int,
        cutoffs: Sequence[int],
        weight_attr: Any = None,
        bias_attr: Any = None,
        div_value: float = 4.0,
        head_bias: bool = False,
        name: str | None = None,
    ):
        super().__init__()
        ends = [*cutoffs, n_classes]
        if not cutoffs or any(low >= high or low < 1 or int(low) != low for low, high in itertools.pairwise(ends)):
            raise InvalidArgument(
                f"AdaptiveLogSoftmaxWithLoss: cutoffs must be whole numbers that rise from 1 to below "
                f"n_classes={n_classes}, got {list(cutoffs)}"
            )
        self.in_features, self.n_classes, self.div_value = in_features, n_classes, div_value
        self.cutoffs, self.is_head_bias = ends, head_bias
        self.shortlist_size, self.n_clusters = ends[0], len(cutoffs)
        self.head_size = self.shortlist_size + self.n_clusters
        self.head_weight = self.create_parameter([in_features, self.head_size], weight_attr)
        self.head_bias = self.create_parameter([self.head_size], bias_attr, is_bias=True) if head_bias else None
        for i in range(self.n_clusters):
            inner = int(in_features // div_value ** (i + 1))
            for j, shape in enumerate(([in_features, inner], [inner, ends[i + 1] - ends[i]])):
                self.add_parameter(f"tail_weight_{i}_{j}", self.create_parameter(shape, weight_attr))

    @property
    def tail_weights(self) -> list[list]:
        """For each cluster two matrices, [in_features, inner] and [inner, classes of the cluster]."""
        return [[self._parameters[f"tail_weight_{i}_{j}"] for j in range(2)] for i in range(self.n_clusters)]

    def forward(self, input: Any, label: Any) -> tuple[Any, Any]:
        """(log-probability of each label [N], minus their mean) for inputs [N, in_features] and labels [N]."""
        return F.adaptive_log_softmax_with_loss(
            input, label, self.head_weight, self.tail_weights, self.cutoffs, self.head_bias
        )

    def log_prob(self, input: Any) -> Any:
        """The log-probability of every class, [N, n_classes]."""
        head = F.log_softmax(linear(input, self.head_weight, self.head_bias), 1)
        parts = list(split(head, sections=(self.shortlist_size, *[1] * self.n_clusters), axis=1))
        for i, (into, onto) in enumerate(self.tail_weights):
            scores = F.log_softmax(matmul(matmul(input, into), onto), 1)
            parts[i + 1] = elementwise_add(scores, parts[i + 1])
        return concat(*parts, axis=1)

    def predict(self, input: Any) -> Any:
        """The most likely class of each input, [N], int64."""
        return argmax(self.log_prob(input), axis=1)
