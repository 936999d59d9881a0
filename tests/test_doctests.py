"""The examples in docstrings run and print what they say."""

import doctest
import importlib
import pkgutil

import pytest

import paddlite
from paddlite.core import mode

GATHERED = {"paddlite.linalg", "paddlite.nn.functional", "paddlite.tensor"}  # functions of other modules, once more
MODULES = sorted(
    m.name
    for m in pkgutil.walk_packages(paddlite.__path__, "paddlite.")
    if not m.name.endswith("__main__") and m.name not in GATHERED
)
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@pytest.mark.parametrize("name", MODULES)
def test_examples_print_what_they_say(name):
    module = importlib.import_module(name)
    with mode.fresh():
        result = doctest.testmod(module, optionflags=FLAGS)
    assert result.failed == 0
