"""Functions on tensors that layers are made of: `paddle.nn.functional`.

Each module names in `__all__` what is shown here, and in `INPLACE` those functions of which `name_` exists.
"""

from __future__ import annotations

from importlib import import_module

from paddlite.core.guard import guarded
from paddlite.tensor.attach import in_place_form

_MODULES = (
    "activation",
    "common",
    "conv",
    "distance",
    "extension",
    "flash_attention",
    "input",
    "loss",
    "norm",
    "padding",
    "pooling",
    "resampling",
    "sdpa",
    "unpooling",
    "vision",
)

__all__: list[str] = []


def _gather(module_name: str) -> None:
    module = import_module(f"paddlite.nn.functional.{module_name}")
    public = {name: guarded(getattr(module, name), __name__) for name in module.__all__}
    for name in getattr(module, "INPLACE", ()):
        changed = guarded(in_place_form(getattr(module, name)), __name__)
        setattr(module, f"{name}_", changed)
        public[f"{name}_"] = changed
    globals().update(public)
    __all__.extend(public)


for _name in _MODULES:
    _gather(_name)
