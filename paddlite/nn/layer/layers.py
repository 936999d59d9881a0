"""`Layer`: the base of all layers."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from paddlite.backend.dtypes import as_dtype, numpy_dtype
from paddlite.core.errors import DTypeMismatch
from paddlite.core.guard import RAW, explained_call
from paddlite.core.mode import current
from paddlite.core.tensor import Parameter, Tensor, TensorBase
from paddlite.nn.layer.conversion import Conversion
from paddlite.nn.layer.hooks import Hook, HookRemoveHelper, call_with_hooks
from paddlite.nn.layer.registry import REGISTRIES, Registry
from paddlite.nn.layer.state import State
from paddlite.nn.layer.traversal import Traversal
from paddlite.nn.parameter import make_parameter


def snake_case(name: str) -> str:
    """A class name as layer names begin with it: `BatchNorm2D` gives `batch_norm2d`."""
    name = re.sub(r"(.)([A-Z][a-z]+)", r"\1_\2", name)
    return re.sub(r"([a-z])([A-Z])", r"\1_\2", name).lower()


class Layer(Traversal, State, Conversion):
    """A part of a network: holds parameters, buffers and other layers, and computes in `forward`.

    Parameters, layers and tensors that are assigned to attributes are registered: parameters are trained and saved,
    layers are searched for more of them, tensors are buffers.

    Args:
        name_scope: what the layer's name begins with; left out, the class's name in lower case.
        dtype: the dtype that the layer reports; parameters take the default dtype where they are given none.

    >>> import paddlite as paddle
    >>> class Scale(paddle.nn.Layer):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.weight = self.create_parameter([2], default_initializer=paddle.nn.initializer.Constant(3.0))
    ...     def forward(self, x):
    ...         return x * self.weight
    >>> scale = Scale()
    >>> scale(paddle.to_tensor([1.0, 2.0])).tolist()
    [3.0, 6.0]
    >>> [name for name, _ in scale.named_parameters()]
    ['weight']
    """

    def __init__(self, name_scope: str | None = None, dtype: Any = "float32"):
        own = self.__dict__
        for name in REGISTRIES:
            own.setdefault(name, Registry(self))  # a class with two layers for parents comes here twice
        own["training"] = True
        own["_full_name"] = current().names.new(name_scope or snake_case(type(self).__name__))
        own["_dtype"] = None if dtype is None else as_dtype(dtype).name
        own.setdefault("_non_persistable_buffer_names_set", set())
        own["_forward_pre_hooks"] = {}
        own["_forward_post_hooks"] = {}
        own["_state_dict_hooks"] = {}

    def forward(self, *inputs: Any, **kwargs: Any) -> Any:
        """What the layer computes; each layer says it."""
        raise NotImplementedError(f"{type(self).__name__} does not say what it computes: it needs a method forward()")

    def __call__(self, *inputs: Any, **kwargs: Any) -> Any:
        try:
            if self._forward_pre_hooks or self._forward_post_hooks:
                return call_with_hooks(self, inputs, kwargs)
            return self.forward(*inputs, **kwargs)
        except RAW as error:
            told = explained_call(type(self).__name__, type(self).forward, (self, *inputs), kwargs, error)
            if told is error:
                raise
            raise told from error

    def train(self, mode: bool = True) -> Any:
        """Switch this layer and all below to training (dropout drops, batch norm gathers statistics); gives itself."""
        for layer in self.sublayers(include_self=True):
            layer.training = bool(mode)
        return self

    def eval(self) -> Any:
        """Switch this layer and all below to evaluation; gives itself."""
        return self.train(False)

    def full_name(self) -> str:
        """The layer's unique name, such as `linear_0`."""
        return self._full_name

    # Making and registering

    def create_parameter(
        self,
        shape: Sequence[int],
        attr: Any = None,
        dtype: Any = None,
        is_bias: bool = False,
        default_initializer: Callable | None = None,
        device: Any = None,
    ) -> Parameter | None:
        """A new parameter, named after this layer; it is registered where it is assigned to an attribute.

        Args:
            shape: its sizes.
            attr: a `ParamAttr`, a name, an initializer, None for the defaults, or False for no parameter.
            dtype: element type; left out, the default dtype.
            is_bias: named `.b_0`, and zeros unless `attr` says otherwise.
            default_initializer: used where `attr` has none; left out, `XavierUniform`, or zeros for a bias.
            device: where it lies; left out, on the current device.
        """
        return make_parameter(shape, attr, dtype, is_bias, default_initializer, self._full_name, device)

    def create_tensor(self, name: str | None = None, persistable: bool | None = None, dtype: Any = None) -> Tensor:
        """A tensor without elements, to be assigned to later."""
        tensor = Tensor(np.empty(0, numpy_dtype(dtype or self._dtype or current().default_dtype)))
        stem = f"{self._full_name}.{name or '_generated_var'}"
        tensor.name = stem if name else current().names.new(stem)
        tensor.persistable = bool(persistable)
        return tensor

    create_variable = create_tensor

    def add_parameter(self, name: str, parameter: Parameter | None) -> Parameter | None:
        """Register `parameter` (or None) under `name` and give it back.

        Raises:
            TypeError: it is no `Parameter`, or `name` no text.
            KeyError: `name` is empty, has a dot, or is taken by something else.
        """
        self._check_name(name, "parameter", self._parameters)
        if parameter is not None and not isinstance(parameter, Parameter):
            raise DTypeMismatch(
                f"add_parameter: '{name}' must be a Parameter or None, got {type(parameter).__name__}; make one with "
                "self.create_parameter(...)"
            )
        self._parameters[name] = parameter
        return parameter

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """The same as `add_parameter`."""
        self.add_parameter(name, param)

    def add_sublayer(self, name: str, sublayer: Layer | None) -> Layer | None:
        """Register the layer `sublayer` (or None) under `name` and give it back.

        Raises:
            TypeError: it is no `Layer`.
        """
        if sublayer is not None and not isinstance(sublayer, Layer):
            raise DTypeMismatch(f"add_sublayer: '{name}' must be a Layer, got {type(sublayer).__name__}")
        self._sub_layers[str(name)] = sublayer
        return sublayer

    def add_module(self, name: str, module: Layer | None) -> None:
        """The same as `add_sublayer`."""
        self.add_sublayer(name, module)

    register_module = add_module

    def register_buffer(self, name: str, tensor: Tensor | None, persistable: bool = True) -> None:
        """Register a tensor that is no parameter, such as a running mean.

        Args:
            name: the attribute.
            tensor: the tensor, or None.
            persistable: whether `state_dict` holds it.

        Raises:
            TypeError: it is no tensor.
            KeyError: `name` is empty, has a dot, or is taken by something else.
        """
        self._check_name(name, "buffer", self._buffers)
        if tensor is not None and not isinstance(tensor, TensorBase):
            raise DTypeMismatch(f"register_buffer: '{name}' must be a Tensor or None, got {type(tensor).__name__}")
        self._buffers[name] = tensor
        (self._non_persistable_buffer_names_set.discard if persistable else self._non_persistable_buffer_names_set.add)(
            name
        )

    def _check_name(self, name: Any, what: str, into: Registry) -> None:
        if not isinstance(name, str):
            raise DTypeMismatch(f"the name of a {what} must be text, got {type(name).__name__} {name!r:.40}")
        if not name or "." in name:
            raise KeyError(f"the name of a {what} must not be empty nor have a dot in it, got {name!r}")
        if name not in into and hasattr(self, name):
            raise KeyError(f"{type(self).__name__} has an attribute '{name}' already; choose another name")

    # Attributes

    def __setattr__(self, name: str, value: Any) -> None:
        own = self.__dict__
        if isinstance(getattr(type(self), name, None), property):
            object.__setattr__(self, name, value)
        elif isinstance(value, Parameter):
            self._enter("_parameters", name, value)
        elif isinstance(value, Layer):
            self._enter("_sub_layers", name, value)
        elif isinstance(value, Tensor):
            self._set_tensor(name, value)
        elif "_parameters" in own and (
            name in own["_parameters"] or name in own["_sub_layers"] or name in own["_buffers"]
        ):
            self._replace(name, value)
        else:
            own[name] = value

    def _enter(self, registry: str, name: str, value: Any) -> None:
        own = self.__dict__
        if "_parameters" not in own:
            raise ValueError(
                f"{type(self).__name__}.__init__ must call super().__init__() before it assigns '{name}': layers, "
                "parameters and tensors cannot be registered until then"
            )
        for other in REGISTRIES:
            if other != registry:
                own[other].pop(name, None)
        own[registry][name] = value

    def _set_tensor(self, name: str, value: Tensor) -> None:
        own = self.__dict__
        if own.get("_parameters", {}).get(name) is not None:
            raise DTypeMismatch(
                f"{type(self).__name__}.{name} is a parameter and can be set to a Parameter or None, not to a plain "
                "tensor. Copy values with .set_value(...)"
            )
        if "_buffers" in own and name not in own["_buffers"]:
            self._non_persistable_buffer_names_set.add(name)
        self._enter("_buffers", name, value)

    def _replace(self, name: str, value: Any) -> None:
        """Set a registered name to None, to a Variable that stands for a buffer, or raise."""
        own = self.__dict__
        for registry, kind in zip(REGISTRIES, ("Parameter", "Tensor", "Layer")):
            if name in own[registry]:
                if value is None or (kind == "Tensor" and isinstance(value, TensorBase)):
                    own[registry][name] = value
                    return
                raise DTypeMismatch(
                    f"{type(self).__name__}.{name} is registered and can be set to a {kind} or None, got "
                    f"{type(value).__name__}; use another name, or del it first"
                )

    def __getattr__(self, name: str) -> Any:
        own = object.__getattribute__(self, "__dict__")  # code that calls this by name gets entries too
        for registry in REGISTRIES:
            if name in own.get(registry, ()):
                return own[registry][name]
        return object.__getattribute__(self, name)

    def __delattr__(self, name: str) -> None:
        for registry in REGISTRIES:
            if name in self.__dict__.get(registry, ()):
                del self.__dict__[registry][name]
                self._non_persistable_buffer_names_set.discard(name)
                return
        object.__delattr__(self, name)

    def __getstate__(self) -> dict[str, Any]:
        own = dict(self.__dict__)
        for registry in REGISTRIES:
            entries = own[registry] = dict(own.get(registry, ()))
            for name, value in entries.items():
                if name in own and own[name] is value:
                    del own[name]  # shown again by __setstate__
        return own

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        for registry in REGISTRIES:
            self.__dict__[registry] = Registry(self, state[registry])

    # Hooks

    def register_forward_pre_hook(
        self, hook: Callable, *, prepend: bool = False, with_kwargs: bool = False
    ) -> HookRemoveHelper:
        """Call `hook(layer, inputs)` before each `forward`; what it gives (not None) takes the place of the inputs.

        Args:
            hook: gets the tuple of positional inputs; with `with_kwargs` also the dictionary of keyword inputs, and
                then gives None or (inputs, kwargs).
            prepend: run it before the hooks that are there.
            with_kwargs: see `hook`.

        Returns:
            A handle whose `remove()` takes the hook away.
        """
        return HookRemoveHelper(self._forward_pre_hooks, Hook(hook, with_kwargs), prepend)

    def register_forward_post_hook(
        self, hook: Callable, *, prepend: bool = False, with_kwargs: bool = False, always_call: bool = False
    ) -> HookRemoveHelper:
        """Call `hook(layer, inputs, outputs)` after each `forward`; what it gives (not None) replaces the outputs.

        With `with_kwargs` it is called as `hook(layer, inputs, kwargs, outputs)`; with `always_call` also where
        `forward` raised, with None for the outputs.  Gives a handle whose `remove()` takes the hook away.
        """
        return HookRemoveHelper(self._forward_post_hooks, Hook(hook, with_kwargs, always_call), prepend)

    register_forward_hook = register_forward_post_hook

    # Printing

    def extra_repr(self) -> str:
        """What the layer's own line says between the brackets when it is printed."""
        return ""

    def __repr__(self) -> str:
        extra = self.extra_repr()
        lines = extra.split("\n") if extra else []
        children = [f"({name}): " + repr(child).replace("\n", "\n  ") for name, child in self._sub_layers.items()]
        head = f"{type(self).__name__}("
        if not children and len(lines) < 2:
            return f"{head}{extra})"
        if len(lines) == 1:
            head += lines.pop()
        return head + "".join(f"\n  {line}" for line in lines + children) + "\n)"
