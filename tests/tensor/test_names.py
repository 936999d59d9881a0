"""The public names of the package."""

import collections
import importlib
import pkgutil

import paddlite.tensor


def test_a_name_comes_from_one_module():
    owners = collections.defaultdict(set)
    for found in pkgutil.iter_modules(paddlite.tensor.__path__):
        module = importlib.import_module(f"paddlite.tensor.{found.name}")
        for name in {*getattr(module, "__all__", ()), *getattr(module, "METHODS", ())}:
            owners[name].add(found.name)
    assert not {name: sorted(modules) for name, modules in owners.items() if len(modules) > 1}
