"""Row 2: the ops, one file a family.  Importing the package fills the registry."""

from importlib import import_module
from pkgutil import iter_modules

__all__ = sorted(module.name for module in iter_modules(__path__))
for _name in __all__:
    import_module(f"{__name__}.{_name}")
