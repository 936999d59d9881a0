"""The samples of all ops, one file a family as in `paddlite/ops`."""

from __future__ import annotations

import importlib
import pkgutil

SAMPLES = [
    sample
    for module in sorted(m.name for m in pkgutil.iter_modules(__path__))
    for sample in importlib.import_module(f"{__name__}.{module}").SAMPLES
]
