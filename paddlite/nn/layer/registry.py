"""The dictionaries in which a layer keeps its parameters, buffers and sub-layers.

Each entry is shown as an attribute of the layer too, so that `self.weight` is a plain attribute lookup; a fall-back
through `__getattr__` would cost half a microsecond each time.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Mapping
from typing import Any

REGISTRIES = ("_parameters", "_buffers", "_sub_layers")
_NOTHING = object()
_STATE = frozenset(
    (
        *REGISTRIES, "training", "_full_name", "_dtype", "_non_persistable_buffer_names_set", "_forward_pre_hooks",
        "_forward_post_hooks", "_state_dict_hooks",
    )
)  # fmt: skip


class Registry(dict):
    """A dictionary whose entries are attributes of `owner` as well, except those named like a method of its class."""

    __slots__ = ("_owner",)

    def __init__(self, owner: Any, entries: Mapping[str, Any] | Iterable = ()):
        super().__init__()
        self._owner = weakref.ref(owner)  # weak, so that a layer is freed as soon as its last user lets go of it
        self.update(entries)

    def __setitem__(self, key: str, value: Any) -> None:
        dict.__setitem__(self, key, value)
        owner = self._owner()
        if getattr(type(owner), key, None) is None and key not in _STATE:
            owner.__dict__[key] = value

    def __delitem__(self, key: str) -> None:
        value, shown = self[key], self._owner().__dict__
        dict.__delitem__(self, key)
        if key in shown and shown[key] is value:
            del shown[key]

    def pop(self, key: str, default: Any = _NOTHING) -> Any:
        if key not in self:
            if default is _NOTHING:
                raise KeyError(key)
            return default
        value = self[key]
        del self[key]
        return value

    def popitem(self) -> tuple[str, Any]:
        key = next(reversed(self), _NOTHING)
        if key is _NOTHING:
            raise KeyError("popitem(): the dictionary is empty")
        return key, self.pop(key)

    def clear(self) -> None:
        for key in list(self):
            del self[key]

    def update(self, entries: Mapping[str, Any] | Iterable = (), **more: Any) -> None:
        for key, value in dict(entries, **more).items():
            self[key] = value

    def setdefault(self, key: str, default: Any = None) -> Any:
        if key not in self:
            self[key] = default
        return self[key]

    def __ior__(self, entries: Any) -> Registry:
        self.update(entries)
        return self

    def __reduce__(self) -> tuple:
        return (dict, (dict(self),))  # a copy belongs to no layer
