"""Layers as functions, whose parameters are made where they are called."""

from __future__ import annotations

from typing import Any

import paddlite.nn.functional as F
from paddlite.core.errors import InvalidArgument
from paddlite.core.mode import current
from paddlite.nn import Linear
from paddlite.tensor.manipulation import reshape
from paddlite.tensor.math import add_n

__all__ = ["fc"]


def fc(
    x: Any,
    size: int,
    num_flatten_dims: int = 1,
    weight_attr: Any = None,
    bias_attr: Any = None,
    activation: str | None = None,
    name: str | None = None,
) -> Any:
    """A fully connected layer: `x` times a new weight, plus a new bias.

    Args:
        x: a variable, or a list of them whose products are added up.
        size: how many outputs.
        num_flatten_dims: axes that are kept; the others are made one.
        weight_attr: a `ParamAttr` of the weight.
        bias_attr: a `ParamAttr` of the bias, or False for none.
        activation: the name of a function of `nn.functional`.

    Raises:
        InvalidArgument: the sizes that are made one are not known, or there is no such activation.
    """
    inputs = x if isinstance(x, (list, tuple)) else [x]
    products = [
        _product(one, size, num_flatten_dims, weight_attr, bias_attr if i == 0 else False, name)
        for i, one in enumerate(inputs)
    ]
    out = products[0] if len(products) == 1 else add_n(products)
    if activation is None:
        return out
    function = getattr(F, activation, None)
    if function is None:
        raise InvalidArgument(f"static.nn.fc: there is no activation {activation!r} in nn.functional")
    return function(out)


def _product(x: Any, size: int, kept: int, weight_attr: Any, bias_attr: Any, name: str | None) -> Any:
    kept = kept + len(x._shape) if kept < 0 else kept
    width = 1
    for length in x._shape[kept:]:
        if length < 0:
            raise InvalidArgument(f"static.nn.fc: the sizes from axis {kept} on must be known, got shape {x.shape}")
        width *= length
    layer = Linear(width, size, weight_attr, bias_attr, name or current().names.new("fc"))
    flat = x if len(x._shape) == kept + 1 else reshape(x, [*[0] * kept, width])
    return layer(flat)
