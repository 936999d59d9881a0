"""`decorate`: networks whose weights are in half precision, and optimizers that keep float32 copies."""

from __future__ import annotations

from typing import Any

from paddlite.backend.dtypes import BF16, F16, F32, FLOATING, HALF, as_dtype
from paddlite.core.errors import DTypeMismatch, InvalidArgument
from paddlite.core.node import Leaf
from paddlite.core.tensor import Tensor
from paddlite.ops.arithmetic import cast


def decorate(
    models: Any,
    optimizers: Any = None,
    level: str = "O1",
    dtype: str = "float16",
    master_weight: bool | None = None,
    save_dtype: str | None = None,
    master_grad: bool = False,
    excluded_layers: Any = None,
) -> Any:
    """The models (and optimizers) made ready for training at `level`, changed in place.

    At "O2" the floating parameters of the models become `dtype`, but for those of batch, instance and layer norms, and
    the optimizers keep float32 copies ("master weights"), in which small updates are not lost.  At "O1" nothing
    changes.

    Args:
        models: a layer or a list of layers.
        optimizers: an optimizer or a list of them.
        level: "O1" or "O2".
        dtype: "float16" or "bfloat16".
        master_weight: False keeps no float32 copies.
        save_dtype: the dtype of floating entries in `state_dict()`, such as "float32".
        master_grad: gradients become float32 as soon as they are known, so that unscaling does not lose small ones.
        excluded_layers: layers, or layer classes, whose parameters stay float32.

    Returns:
        `models`, or `(models, optimizers)` where optimizers were given.

    Raises:
        InvalidArgument: the level or dtype is unknown.
        TypeError: a model is no Layer.

    >>> import paddlite as paddle
    >>> net = paddle.amp.decorate(paddle.nn.Linear(2, 2), level="O2")
    >>> net.weight.dtype
    paddle.float16
    """
    if level not in ("O1", "O2"):
        raise InvalidArgument(f"decorate: level must be 'O1' or 'O2', got {level!r}")
    low = as_dtype(dtype).dtype
    if low not in (F16, BF16):
        raise InvalidArgument(f"decorate: dtype must be 'float16' or 'bfloat16', got {dtype!r}")
    layers = models if isinstance(models, (list, tuple)) else [models]
    for layer in layers:
        if not hasattr(layer, "sublayers"):
            raise DTypeMismatch(f"decorate: models must be Layers, got {type(layer).__name__}")
    if level == "O2":
        classes, instances = _excluded(excluded_layers)
        for layer in layers:
            _to_low_precision(layer, low, classes, instances)
            if save_dtype is not None:
                _save_as(layer, as_dtype(save_dtype).dtype)
            if master_grad:
                _make_gradients_float32(layer)
        for optimizer in optimizers if isinstance(optimizers, (list, tuple)) else [optimizers]:
            if optimizer is not None and master_weight is not False:
                optimizer._multi_precision = True
    return models if optimizers is None else (models, optimizers)


amp_decorate = decorate


def _excluded(given: Any) -> tuple[tuple[type, ...], list[Any]]:
    items = [] if given is None else list(given) if isinstance(given, (list, tuple)) else [given]
    classes = tuple(i for i in items if isinstance(i, type))
    instances = [i for i in items if not isinstance(i, type)]
    for item in instances:
        if not hasattr(item, "sublayers"):
            raise DTypeMismatch(f"decorate: excluded_layers must be Layers or Layer classes, got {item!r:.60}")
    return classes, instances


def _to_low_precision(model: Any, low: Any, classes: tuple[type, ...], instances: list[Any]) -> None:
    kept = {id(inner) for layer in instances for inner in layer.sublayers(include_self=True)}
    for layer in model.sublayers(include_self=True):
        if layer._keeps_float32 or isinstance(layer, classes) or id(layer) in kept:
            continue
        for tensor in (*layer._parameters.values(), *layer._buffers.values()):
            if tensor is not None and tensor._dtype in FLOATING and tensor._dtype not in HALF:
                tensor._data = tensor._data.astype(low)
                tensor._version[0] += 1


def _save_as(model: Any, dtype: Any) -> None:
    def converted(state: dict[str, Any]) -> None:
        for name, tensor in list(state.items()):
            if isinstance(tensor, Tensor) and tensor._dtype in FLOATING and tensor._dtype != dtype:
                saved = state[name] = Tensor(tensor._data.astype(dtype))
                saved.name = tensor.name

    model.register_state_dict_hook(converted)


def _make_gradients_float32(model: Any) -> None:
    for parameter in model.parameters():
        if parameter._dtype in HALF and not parameter._stop and type(parameter._edge) is Leaf:
            parameter.register_hook(lambda gradient: cast(gradient, dtype=F32))
