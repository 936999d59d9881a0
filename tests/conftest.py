"""Every test starts with nothing switched on, a new generator, new names, and alone."""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import pytest

from paddlite.backend.world import WORLD
from paddlite.core import mode


def pytest_addoption(parser):
    parser.addoption("--cupy", action="store_true", help="run tests/cupy: real CuPy, emulated on the CPU")


@pytest.fixture(autouse=True)
def fresh_mode():
    with mode.fresh() as fresh:
        fresh.generator.manual_seed(0)
        yield fresh
    WORLD.leave()
