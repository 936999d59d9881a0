"""Samples of `ops/bitwise.py`."""

import numpy as np

from paddlite.core.errors import DTypeMismatch
from tests.ops.sample import bools, exactly, integers, normal, sample

SIGNED = integers(100, 3, 4, low=-100)
PLACES = integers(6, 4)


def logical_shift(x, y, is_arithmetic):
    return np.array([[(int(a) % 2**64) >> int(b) for a, b in zip(row, y)] for row in x], "uint64").astype("int64")


SAMPLES = [
    *[
        sample(name, SIGNED, integers(100, 4, low=-100), reference=function, bad=(((normal(3, 4), PLACES), {}, DTypeMismatch),))
        for name, function in (
            ("bitwise_and", np.bitwise_and),
            ("bitwise_or", np.bitwise_or),
            ("bitwise_xor", np.bitwise_xor),
            ("gcd", np.gcd),
            ("lcm", np.lcm),
        )
    ],
    sample("bitwise_and", bools(3, 4), bools(4), reference=np.logical_and, note="bools"),
    sample("bitwise_not", SIGNED, reference=np.invert, bad=(((normal(3),), {}, DTypeMismatch),)),
    sample("bitwise_not", bools(3, 4), reference=np.logical_not, note="bools"),
    sample("bitwise_left_shift", SIGNED, PLACES, reference=np.left_shift, bad=(((bools(3), bools(3)), {}, DTypeMismatch),)),
    sample("bitwise_right_shift", SIGNED, PLACES, reference=np.right_shift),
    sample("bitwise_right_shift", SIGNED, PLACES, is_arithmetic=False, reference=logical_shift, note="logical",
           bad=(((normal(3), PLACES), {}, DTypeMismatch),)),
    sample("bitwise_right_shift", exactly([200, 7], "uint8"), 1, reference=np.right_shift, note="number"),
]  # fmt: skip
