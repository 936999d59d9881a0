"""Samples of `ops/compare.py` and `ops/select.py`."""

import numpy as np

from paddlite.core.errors import DTypeMismatch
from tests.ops.sample import bools, complexes, exactly, integers, normal, sample

TRICKY = exactly([1.0, np.nan, np.inf, -np.inf, 0.0])

SAMPLES = [
    *[
        sample(name, integers(4, 3, 5), integers(4, 5), reference=reference)
        for name, reference in {
            "equal": np.equal,
            "not_equal": np.not_equal,
            "less_than": np.less,
            "less_equal": np.less_equal,
            "greater_than": np.greater,
            "greater_equal": np.greater_equal,
        }.items()
    ],
    sample("greater_than", normal(3, 4), 0.0, reference=np.greater, note="number"),
    sample("logical_and", bools(3, 4), bools(4), reference=np.logical_and),
    sample("logical_or", bools(3, 4), bools(4), reference=np.logical_or),
    sample("logical_xor", bools(3, 4), bools(4), reference=np.logical_xor),
    sample("logical_not", bools(3, 4), reference=np.logical_not),
    sample("isfinite_v2", TRICKY, reference=np.isfinite),
    sample("isinf_v2", TRICKY, reference=np.isinf),
    sample("isnan_v2", TRICKY, reference=np.isnan),
    sample("isclose", normal(3, 4), normal(4), rtol=0.5, atol=0.1, reference=np.isclose),
    sample("isclose", TRICKY, TRICKY, reference=np.isclose, note="tricky"),
    sample("isclose", TRICKY, TRICKY, equal_nan=True, reference=np.isclose, note="nan"),
    sample("isclose", exactly([1.0, np.inf]), exactly([np.inf, 1.0]), reference=np.isclose, note="infinite"),
    sample("isclose", integers(4, 5), integers(4, 5), reference=np.isclose, note="integers"),
    sample("equal_all", exactly([1, 2]), exactly([1, 2]), reference=np.array_equal),
    sample("equal_all", exactly([1, 2]), exactly([1, 3]), reference=np.array_equal, note="other"),
    sample("equal_all", exactly([1, 2]), exactly([[1, 2]]), reference=np.array_equal, note="shape"),
    sample("isin", integers(5, 3, 4), exactly([1, 3]), reference=np.isin),
    sample("isin", integers(5, 3, 4), exactly([1, 3]), invert=True, reference=np.isin, note="invert"),
    sample(
        "where",
        bools(3, 4),
        normal(3, 4),
        normal(4),
        reference=np.where,
        bad=(((exactly([1, 0]), normal(2), normal(2)), {}, DTypeMismatch),),
    ),
    sample("where", bools(3, 1), normal(4), 0.5, reference=np.where, note="number"),
    *[
        sample("where", bools(60, 70), x, y, reference=np.where, note=f"many {note}", batch=(0,))
        for note, x, y in (
            ("rows", normal(70), normal(60, 70)),
            ("or 0", normal(60, 70), 0.0),
            ("0 or", 0.0, normal(60, 70)),
            ("or 1", normal(60, 70), 1.0),
        )
    ],
    sample(
        "where", bools(60, 70), complexes(60, 70), complexes(70), reference=np.where, note="many complex", half=False
    ),
    sample(
        "where",
        bools(60, 70),
        integers(9, 60, 70, dtype="int16"),
        integers(9, 60, 1, dtype="int16"),
        reference=np.where,
        note="many whole",
    ),
]
