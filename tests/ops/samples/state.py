"""Samples of `ops/state.py`."""

from paddlite.core.errors import ShapeMismatch
from tests.ops.sample import normal, sample

SAMPLES = [
    sample("assign_state", normal(3, 4), normal(3, 4), reference=lambda state, value: value, batch=(1,),
           bad=(((normal(3), normal(2)), {}, ShapeMismatch),)),
]  # fmt: skip
