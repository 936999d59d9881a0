"""Making parameters: `ParamAttr` says how, `create_parameter` does it."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from paddlite.backend import device
from paddlite.backend.dtypes import INEXACT, numpy_dtype
from paddlite.backend.place import as_place
from paddlite.core.errors import DTypeMismatch, InvalidArgument
from paddlite.core.mode import current, switched
from paddlite.core.tensor import Parameter
from paddlite.nn.initializer.base import Initializer, default_for

__all__ = ["ParamAttr", "create_parameter"]


class ParamAttr:
    """How a parameter is named, initialised and trained; layers take it as `weight_attr` and `bias_attr`.

    In place of a `ParamAttr` a layer also takes a name, an initializer, a regularizer, None or True (the defaults), or
    False (no such parameter).

    Args:
        name: the parameter's name; left out, it is made from the layer's, such as `linear_0.w_0`.
        initializer: gives the first values; left out, the layer's own choice.
        learning_rate: multiplies the optimizer's learning rate for this parameter.
        regularizer: weight decay for this parameter in place of the optimizer's.
        trainable: False keeps it fixed.
        do_model_average: whether averaging of models covers it.
        need_clip: False leaves its gradient out of gradient clipping.

    >>> import paddlite as paddle
    >>> frozen = paddle.ParamAttr(initializer=paddle.nn.initializer.Constant(2.0), trainable=False)
    >>> paddle.nn.Linear(1, 1, weight_attr=frozen).weight.item()
    2.0
    """

    def __init__(
        self,
        name: str | None = None,
        initializer: Callable | None = None,
        learning_rate: float = 1.0,
        regularizer: Any = None,
        trainable: bool = True,
        do_model_average: bool = True,
        need_clip: bool = True,
    ):
        self.name = name
        self.initializer = initializer
        self.learning_rate = learning_rate
        self.regularizer = regularizer
        self.trainable = trainable
        self.do_model_average = do_model_average
        self.need_clip = need_clip

    @staticmethod
    def _to_attr(arg: Any) -> Any:
        """The `ParamAttr` that `arg` stands for; False where no parameter is wanted.

        Raises:
            TypeError: `arg` is nothing that describes a parameter.
        """
        if arg is None or arg is True:
            return ParamAttr()
        if arg is False or isinstance(arg, ParamAttr):
            return arg
        if isinstance(arg, (list, tuple)):
            return [ParamAttr._to_attr(one) for one in arg]
        if isinstance(arg, str):
            return ParamAttr(name=arg)
        if isinstance(arg, Initializer):
            return ParamAttr(initializer=arg)
        if hasattr(arg, "coeff") or type(arg).__name__.endswith("Decay"):
            return ParamAttr(regularizer=arg)
        if callable(arg):
            return ParamAttr(initializer=arg)
        raise DTypeMismatch(
            f"a parameter is described by a ParamAttr, a name, an initializer, a regularizer, True, False or None; "
            f"got {type(arg).__name__} {arg!r:.60}"
        )


def sizes_of(shape: Any) -> tuple[int, ...]:
    """`shape` as a tuple of ints.

    Raises:
        TypeError: it is no sequence of whole numbers.
        ValueError: a size is negative.
    """
    given = shape.tolist() if hasattr(shape, "tolist") else shape
    if not isinstance(given, (list, tuple)):
        raise DTypeMismatch(f"create_parameter: shape must be a list of whole numbers, got {shape!r:.60}")
    sizes = []
    for size in given:
        if hasattr(size, "item"):
            size = size.item()
        if not isinstance(size, (int, np.integer)) or isinstance(size, bool):
            raise DTypeMismatch(f"create_parameter: sizes must be whole numbers, got {size!r} in shape {list(given)}")
        if size < 0:
            raise InvalidArgument(f"create_parameter: sizes must be 0 or more, got {size} in shape {list(given)}")
        sizes.append(int(size))
    return tuple(sizes)


def make_parameter(
    shape: Sequence[int],
    attr: Any,
    dtype: Any,
    is_bias: bool,
    default_initializer: Callable | None,
    stem: str,
    place: Any = None,
) -> Parameter | None:
    """A new parameter, initialised; None where `attr` is False.

    Args:
        stem: what the name begins with where `attr` has none: the layer's full name.
    """
    attr = ParamAttr._to_attr(attr)
    if attr is False:
        return None
    mode = current()
    sizes, kind = sizes_of(shape), mode.default_dtype if dtype is None else numpy_dtype(dtype)
    initializer = attr.initializer or default_for(is_bias) or default_initializer
    if initializer is None:
        if kind not in INEXACT:
            raise DTypeMismatch(
                f"create_parameter: there are default first values for floating-point parameters only, not for {kind}; "
                "give default_initializer=, such as nn.initializer.Constant(0)"
            )
        from paddlite.nn.initializer import Constant, XavierUniform

        initializer = Constant(0.0) if is_bias else XavierUniform()
    where = mode.place if place is None else device.check_place(as_place(place))
    name = attr.name or mode.names.new(f"{stem}.{'b' if is_bias else 'w'}")
    parameter = Parameter(device.to_place(np.empty(sizes, kind), where), attr.trainable and kind in INEXACT, name)
    parameter.optimize_attr["learning_rate"] = attr.learning_rate
    parameter.regularizer, parameter.need_clip = attr.regularizer, attr.need_clip
    parameter.do_model_average = attr.do_model_average
    with switched(block=None, amp=None, grad=False):  # first values are no part of what is recorded
        initializer(parameter, None)
    return parameter


def create_parameter(
    shape: Sequence[int],
    dtype: Any,
    name: str | None = None,
    attr: Any = None,
    is_bias: bool = False,
    default_initializer: Callable | None = None,
) -> Parameter:
    """A new parameter that belongs to no layer yet.

    Args:
        shape: its sizes.
        dtype: element type.
        name: its name; the same as `attr.name`.
        attr: a `ParamAttr` or what stands for one.
        is_bias: zeros are the default first values, in place of `XavierUniform`.
        default_initializer: used where `attr` has none.

    >>> import paddlite as paddle
    >>> paddle.create_parameter([2], "float32", is_bias=True).tolist()
    [0.0, 0.0]
    """
    found = ParamAttr._to_attr(attr)
    if found is False:
        raise InvalidArgument("create_parameter: attr=False asks for no parameter")
    if name is not None:
        found = copy.copy(found)
        found.name = name
    stem = current().names.new("create_parameter")
    return make_parameter(shape, found, dtype, is_bias, default_initializer, stem)  # type: ignore[return-value]
