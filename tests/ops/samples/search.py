"""Samples of `ops/search.py`."""

import numpy as np

from paddlite.core.errors import DTypeMismatch, InvalidArgument, ShapeMismatch
from tests.ops.sample import apart, complexes, exactly, integers, normal, sample

EDGES = exactly([[1.0, 3.0, 5.0, 7.0], [2.0, 4.0, 6.0, 8.0]])
WANTED = exactly([[3.0, 6.0, 9.0], [3.0, 6.0, 9.0]])


def place(function):
    def reference(x, axis=None, keepdim=False, dtype="int64"):
        return function(x, axis=axis, keepdims=keepdim).astype(dtype)

    return reference


def inserted(x, values, out_int32=False, right=False):
    side = "right" if right else "left"
    if x.ndim == 1:
        return np.searchsorted(x, values, side).astype("int32" if out_int32 else "int64")
    return np.stack([np.searchsorted(a, b, side) for a, b in zip(x, values)])


SAMPLES = [
    *[
        sample(name, apart(3, 4, 2), reference=place(function), note=str(i), half=False, **attrs)
        for name, function in (("arg_max", np.argmax), ("arg_min", np.argmin))
        for i, attrs in enumerate(({}, {"axis": 1}, {"axis": -1, "keepdim": True}, {"keepdim": True}, {"axis": 0, "dtype": np.dtype("int32")}))
    ],
    sample("arg_max", exactly([1.0, 3.0, 3.0, np.nan]), reference=place(np.argmax), note="nan",
           bad=(((complexes(3),), {}, DTypeMismatch), ((normal(0, 3),), {}, InvalidArgument), ((normal(3),), {"axis": 1}, InvalidArgument))),
    sample("arg_max", exactly(2.0), axis=0, keepdim=True, reference=lambda x, **_: np.array(0), note="0-D"),
    sample("where_index", integers(2, 3, 4), reference=np.argwhere),
    sample("where_index", exactly([0.0, 0.0]), reference=np.argwhere, note="none"),
    sample("searchsorted", EDGES, WANTED, reference=inserted, batch=(0, 1),
           bad=(((normal(2, 3), normal(3)), {}, ShapeMismatch), ((normal(2, 3), normal(3, 3)), {}, ShapeMismatch),
                ((normal(), normal(3)), {}, ShapeMismatch))),
    sample("searchsorted", EDGES, WANTED, right=True, reference=inserted, note="right"),
    sample("searchsorted", exactly([1.0, 2.0, 2.0, 5.0]), exactly([[2.0, np.nan], [0.0, 5.0]]), out_int32=True, reference=inserted, note="int32"),
    sample("searchsorted", exactly([1, 3, 5]), exactly([2.5, 3.0]), reference=inserted, note="mixed dtypes"),
]  # fmt: skip
