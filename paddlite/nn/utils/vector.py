"""All parameters as one vector, and back."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from paddlite.core.errors import InvalidArgument
from paddlite.core.tensor import Tensor
from paddlite.ops.join import concat
from paddlite.ops.shape import reshape


def parameters_to_vector(parameters: Iterable[Tensor], name: str | None = None) -> Any:
    """The elements of all `parameters`, one after the other, as one vector; gradients flow through it.

    Raises:
        ValueError: there are none.

    >>> import paddlite as paddle
    >>> layer = paddle.nn.Linear(2, 3)
    >>> paddle.nn.utils.parameters_to_vector(layer.parameters()).shape
    paddle.Size([9])
    """
    rows = [reshape(parameter, shape=(-1,)) for parameter in parameters]
    if not rows:
        raise InvalidArgument("parameters_to_vector: there are no parameters")
    return concat(*rows)


def vector_to_parameters(vec: Tensor, parameters: Iterable[Tensor], name: str | None = None) -> None:
    """Copy the elements of `vec` into `parameters`, in their order; what is left over is not used.

    Raises:
        ValueError: `vec` has fewer elements than they.
    """
    targets = list(parameters)
    wanted = sum(math.prod(parameter._shape) for parameter in targets)
    flat = vec._data.reshape(-1)
    if flat.size < wanted:
        raise InvalidArgument(f"vector_to_parameters: vec has {flat.size} elements, but the parameters have {wanted}")
    start = 0
    for parameter in targets:
        count = math.prod(parameter._shape)
        parameter._data[...] = flat[start : start + count].reshape(parameter._shape)
        parameter._version[0] += 1
        start += count
