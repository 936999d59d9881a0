"""Samples of `ops/memcpy.py`; between devices it is tested where there is one."""

from paddlite.backend.place import CPUPlace
from tests.ops.sample import normal, sample

SAMPLES = [
    sample(
        "memcpy", normal(3, 4), place=CPUPlace(), source=CPUPlace(), reference=lambda x, place, source: x,
        cupy="moves to the host; tests/cupy/test_placement.py",
    ),
]  # fmt: skip
