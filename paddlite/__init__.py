"""paddlite: deep-learning training with PaddlePaddle's programming model on NumPy, CuPy and MPI.

    import paddlite as paddle

Names are resolved on first use, so that importing the package (to validate a recipe, to start a launcher) costs
nothing of NumPy's or CuPy's loading time.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

_SUBMODULES = frozenset(
    (
        "amp", "autograd", "device", "distributed", "framework", "incubate", "io", "linalg", "metric", "nn",
        "optimizer", "recipe", "regularizer", "static", "tensor", "utils", "vision",
    )
)  # fmt: skip


def __getattr__(name: str) -> Any:
    if name in _SUBMODULES:
        import_module("paddlite.api")
        return import_module(f"paddlite.{name}")
    if name.startswith("__"):
        raise AttributeError(f"module 'paddlite' has no attribute {name!r}")
    api = import_module("paddlite.api")
    try:
        value = globals()[name] = getattr(api, name)
    except AttributeError:
        raise AttributeError(_unknown(name, dir(api))) from None
    return value


def _unknown(name: str, known: list[str]) -> str:
    from difflib import get_close_matches

    near = get_close_matches(name, known, 1)
    hint = f"; did you mean '{near[0]}'?" if near else ""
    return f"module 'paddlite' has no attribute {name!r}{hint}"


def __dir__() -> list[str]:
    return sorted({*globals(), *_SUBMODULES, *import_module("paddlite.api").__all__})
