"""A layer's state: the dictionary of its parameters and buffers, and loading one."""

from __future__ import annotations

import warnings
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from paddlite.backend import device
from paddlite.backend.dtypes import BF16, FLOATING
from paddlite.core.errors import DTypeMismatch
from paddlite.core.tensor import Tensor
from paddlite.nn.layer.hooks import HookRemoveHelper

_NAME_TABLE = "StructuredToParameterName@@"  # entry of old parameter files that is no tensor


class IncompatibleKeys(NamedTuple):
    """What `load_state_dict` did not find, and what it found no use for."""

    missing_keys: list[str]
    unexpected_keys: list[str]


class State:
    """The part of `Layer` that gives and takes state."""

    _parameters: dict[str, Any]
    _buffers: dict[str, Any]
    _sub_layers: dict[str, Any]
    _non_persistable_buffer_names_set: set[str]
    _state_dict_hooks: dict[int, Callable]

    def state_dict(
        self,
        destination: dict[str, Any] | None = None,
        include_sublayers: bool = True,
        structured_name_prefix: str = "",
        use_hook: bool = True,
        keep_vars: bool = True,
    ) -> dict[str, Any]:
        """Parameters and persistable buffers by name.

        The entries are the live tensors: they change when training goes on.  `copy.deepcopy` or `paddle.save` keeps
        the values of now.

        Args:
            destination: a dictionary to fill; left out, a new one.
            include_sublayers: False gives this layer's own only.
            structured_name_prefix: put before each name, as it is.
            use_hook: run the hooks of `register_state_dict_hook`.
            keep_vars: False gives tensors over the same memory that are cut off from the gradient graph.

        >>> import paddlite as paddle
        >>> list(paddle.nn.Linear(2, 3).state_dict())
        ['weight', 'bias']
        """
        return self._state(destination, include_sublayers, structured_name_prefix, use_hook, keep_vars, False)

    def to_static_state_dict(
        self,
        destination: dict[str, Any] | None = None,
        include_sublayers: bool = True,
        structured_name_prefix: str = "",
        use_hook: bool = True,
        keep_vars: bool = True,
    ) -> dict[str, Any]:
        """`state_dict` with the buffers that are not persistable."""
        return self._state(destination, include_sublayers, structured_name_prefix, use_hook, keep_vars, True)

    def _state(
        self, into: Any, below: bool, prefix: str, use_hook: bool, keep_vars: bool, all_buffers: bool
    ) -> dict[str, Any]:
        into = OrderedDict() if into is None else into
        for name, value in self._own_state(all_buffers):
            into[prefix + name] = value if keep_vars else value.detach()
        if below:
            for name, child in self._sub_layers.items():
                if child is not None:
                    child._state(into, True, f"{prefix}{name}.", use_hook, keep_vars, all_buffers)
        if use_hook:
            for hook in list(self._state_dict_hooks.values()):
                changed = hook(into)
                if changed is not None:
                    into = changed
        return into

    def _own_state(self, all_buffers: bool) -> Iterator[tuple[str, Any]]:
        for name, parameter in self._parameters.items():
            if parameter is not None:
                yield name, parameter
        for name, buffer in self._buffers.items():
            if buffer is not None and (all_buffers or name not in self._non_persistable_buffer_names_set):
                yield name, buffer

    def register_state_dict_hook(self, hook: Callable) -> HookRemoveHelper:
        """Call `hook(state)` at the end of `state_dict`; gives a handle whose `remove()` takes the hook away."""
        return HookRemoveHelper(self._state_dict_hooks, hook)

    def set_state_dict(
        self, state_dict: Mapping[str, Any], use_structured_name: bool = True
    ) -> tuple[list[str], list[str]]:
        """Copy the values of `state_dict` into the parameters and buffers of the same names.

        Entries that are missing or have another shape are left as they are, with a warning.

        Args:
            state_dict: arrays or tensors by name.  bfloat16 may be stored as the uint16 numbers of its bits.
            use_structured_name: True looks for names such as `0.weight`, False for those of the tensors
                themselves, such as `linear_0.w_0`.

        Returns:
            The names that got no value, and the entries that were not used.

        Raises:
            TypeError: an entry has another dtype or is no array; nothing has been copied then.

        >>> import paddlite as paddle
        >>> layer = paddle.nn.Linear(1, 1)
        >>> layer.set_state_dict({"weight": paddle.to_tensor([[5.0]]), "bias": paddle.to_tensor([0.5])})
        ([], [])
        >>> layer.weight.item()
        5.0
        """
        if not isinstance(state_dict, Mapping):
            raise DTypeMismatch(f"set_state_dict: want arrays or tensors by name, got {type(state_dict).__name__}")
        missing, copies, used = [], [], set()
        for structured, target in self.state_dict(use_hook=False).items():
            key = structured if use_structured_name else target.name
            if key not in state_dict:
                missing.append(key)
                warnings.warn(f"set_state_dict: '{key}' is left as it is, since the dictionary has no such entry")
                continue
            array = _array(key, state_dict[key], target)
            if array.shape != target._shape:
                missing.append(key)
                warnings.warn(
                    f"set_state_dict: '{key}' is left as it is, since the entry has shape {list(array.shape)} and the "
                    f"layer wants {list(target._shape)}"
                )
                continue
            used.add(key)
            copies.append((target, array))
        for target, array in copies:
            target._data[...] = array
            target._version[0] += 1
        return missing, [key for key in state_dict if key not in used and key != _NAME_TABLE]

    set_dict = set_state_dict
    load_dict = set_state_dict

    def load_state_dict(
        self, state_dict: Mapping[str, Any], strict: bool = True, assign: bool = False
    ) -> IncompatibleKeys:
        """`set_state_dict` that raises where anything does not fit.

        Args:
            strict: False gives the names that do not fit in place of raising.
            assign: not used; values are always copied.

        Raises:
            RuntimeError: with `strict`, a name is missing, unexpected or has another shape.
        """
        own = self.state_dict(use_hook=False)
        wrong = [
            f"'{key}' has shape {list(np.shape(state_dict[key]))} and the layer wants {list(target._shape)}"
            for key, target in own.items()
            if key in state_dict and tuple(np.shape(state_dict[key])) != target._shape
        ]
        missing = [key for key in own if key not in state_dict]
        unexpected = [key for key in state_dict if key not in own and key != _NAME_TABLE]
        faults = [f"missing: {missing}"] * bool(missing) + [f"unexpected: {unexpected}"] * bool(unexpected) + wrong
        if faults and (strict or wrong):
            raise RuntimeError(f"load_state_dict: the state does not fit {type(self).__name__}: {'; '.join(faults)}")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.set_state_dict(state_dict)
        return IncompatibleKeys(missing, unexpected)


def _array(key: str, value: Any, target: Tensor) -> Any:
    """`value` as an array that lies where `target` lies."""
    array = value._data if isinstance(value, Tensor) else np.asarray(value)
    wanted = target._dtype
    if not isinstance(value, (Tensor, np.ndarray, np.generic)):
        if array.dtype.kind not in "biufc":
            raise DTypeMismatch(f"set_state_dict: entry '{key}' must be an array or tensor, got {type(value).__name__}")
        array = array.astype(wanted)
    elif array.dtype == np.uint16 and wanted in FLOATING:
        array = array.view(BF16).astype(wanted, copy=False)
    if array.dtype != wanted:
        raise DTypeMismatch(
            f"set_state_dict: entry '{key}' has dtype {array.dtype} and the layer wants {wanted}; cast it first "
            f"(.astype('{wanted}')), or the layer (layer.astype('{array.dtype}'))"
        )
    if isinstance(array, np.ndarray) == isinstance(target._data, np.ndarray):
        return array
    return device.to_place(array, target.place)
