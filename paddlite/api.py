"""The names of `paddlite.*`, gathered from the rows."""

from __future__ import annotations

from importlib import import_module

# Packages whose `__all__` is shown at the top level, in order.
_SOURCES = ("paddlite.tensor", "paddlite.framework", "paddlite.framework.numbers", "paddlite.nn.parameter")

# Single names that lower rows give.
_NAMES = {
    "paddlite.static.recording": ("disable_static", "enable_static", "in_dynamic_mode"),
    "paddlite.distributed.parallel": ("DataParallel",),
}

__all__: list[str] = []
for _source in _SOURCES:
    _module = import_module(_source)
    for _name in _module.__all__:
        globals()[_name] = getattr(_module, _name)
        __all__.append(_name)
for _source, _names in _NAMES.items():
    for _name in _names:
        globals()[_name] = getattr(import_module(_source), _name)
        __all__.append(_name)
