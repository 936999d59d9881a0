"""Row 4: Paddle's tensor functions, and the methods of tensors.

Each module names in `__all__` what `paddle.*` shows, in `METHODS` the functions that are methods too, and in `INPLACE`
those of which `name_` exists, as a function and a method; `RESHAPED` likewise, where the shape or dtype may change.
The lists are gathered here.
"""

from __future__ import annotations

from importlib import import_module

from paddlite.core.guard import guarded
from paddlite.core.tensor import TensorBase
from paddlite.tensor.attach import in_place_form, reshaping_form

# These only attach methods and operators.
for _name in ("operators", "indexing", "gradient"):
    import_module(f"paddlite.tensor.{_name}")

_MODULES = (
    "convert",
    "interchange",
    "to_string",
    "math",
    "elementary",
    "reduction",
    "logic",
    "cumulative",
    "search",
    "stat",
    "product",
    "special",
    "activation",
    "creation",
    "ranges",
    "assigning",
    "manipulation",
    "joining",
    "repeating",
    "gathering",
    "slicing",
    "diagonals",
    "matrix",
    "norms",
    "einsum",
    "decomposition",
    "factors",
    "attribute",
    "placement",
    "random",
    "typed",
)

__all__: list[str] = []


def _gather(module_name: str) -> None:
    module = import_module(f"paddlite.tensor.{module_name}")
    public = {name: guarded(getattr(module, name), __name__) for name in module.__all__}
    for name in getattr(module, "METHODS", ()):
        setattr(TensorBase, name, public.get(name) or getattr(module, name))
    for names, form in (("INPLACE", in_place_form), ("RESHAPED", reshaping_form)):
        for name in getattr(module, names, ()):
            changed = public[f"{name}_"] = guarded(form(getattr(module, name)), __name__)
            setattr(TensorBase, f"{name}_", changed)
    globals().update(public)
    __all__.extend(public)


for _name in _MODULES:
    _gather(_name)
