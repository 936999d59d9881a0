"""The names of `paddlite.*`, gathered from the rows."""

from __future__ import annotations

from importlib import import_module

# Packages whose `__all__` is shown at the top level, in order.
_SOURCES = ("paddlite.tensor", "paddlite.framework", "paddlite.nn.parameter")

__all__: list[str] = []
for _source in _SOURCES:
    _module = import_module(_source)
    for _name in _module.__all__:
        globals()[_name] = getattr(_module, _name)
        __all__.append(_name)
