"""Every test starts with nothing switched on, a new generator, new names, and alone."""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import pytest

from paddlite.backend.world import WORLD
from paddlite.core import mode


@pytest.fixture(autouse=True)
def fresh_mode():
    with mode.fresh() as fresh:
        fresh.generator.manual_seed(0)
        yield fresh
    WORLD.leave()
