"""Samples of `ops/gather.py`, `ops/scatter.py` and `ops/put_along.py`."""

import numpy as np

from paddlite.core.errors import DTypeMismatch, InvalidArgument, ShapeMismatch
from tests.ops.sample import apart, complexes, exactly, integers, normal, positive, sample

ROWS = exactly([2, 0, 2, -1])
GRID = exactly([[2, 0], [1, 2], [-1, 1]])
PLACES = exactly([[0, 1], [2, 3], [0, 1]])  # pairs, one of them twice
MANY = integers(4, 700)


def taken(x, index, axis=0):
    return np.take(x, index, axis)


def add_taken(x, like, index, axis=0):
    out = np.moveaxis(np.zeros(like.shape, x.dtype), axis, 0).copy()
    flat, lead = index.reshape(-1), axis % like.ndim
    rows = np.moveaxis(x.reshape(*like.shape[:lead], flat.size, *like.shape[lead + 1 :]), axis, 0)
    for i, row in zip(flat, rows):
        out[i] += row
    return np.moveaxis(out, 0, axis)


def nd(x, index):
    return x[tuple(np.moveaxis(index, -1, 0))]


def add_nd(x, index, updates):
    out = x.copy()
    np.add.at(out, tuple(np.moveaxis(index, -1, 0)), updates)
    return out


def scattered(x, index, updates, overwrite=True):
    out = x.copy()
    if overwrite:
        out[index] = updates
    else:
        out[index] = 0
        np.add.at(out, index, updates)
    return out


def loops(x, index, value, axis, reduce="assign", include_self=True, broadcast=True):
    """Element by element, as the definition says."""
    if broadcast:
        index = np.broadcast_to(index, [n if d == axis else m for d, (n, m) in enumerate(zip(index.shape, x.shape))])
    value = np.broadcast_to(value, index.shape)
    found = {}
    for place in np.ndindex(*index.shape):
        target = list(place)
        target[axis] = index[place] % x.shape[axis]
        found.setdefault(tuple(target), []).append(value[place])
    out = x.copy()
    for target, values in found.items():
        every = ([x[target]] if include_self else []) + values
        out[target] = {
            "assign": lambda v: v[-1], "add": np.sum, "mul": np.prod, "mean": np.mean, "amin": np.min, "amax": np.max,
        }[reduce](every)  # fmt: skip
    return out


ALONG = {"axis": 1}
REPEATED = exactly([[0, 0, 1], [3, 2, 3]])

SAMPLES = [
    sample("gather", normal(3, 4), ROWS, reference=taken, bad=(
        ((normal(3, 4), exactly([True])), {}, DTypeMismatch), ((normal(3, 4), exactly([1])), {"axis": 2}, InvalidArgument))),
    sample("gather", normal(3, 4), GRID, axis=1, reference=taken, note="grid on axis 1", batch=(0, 1)),
    sample("gather", normal(3, 4), exactly(1), axis=-1, reference=taken, note="0-D", batch=()),
    sample("gather", complexes(3, 2), ROWS, reference=taken, note="complex", half=False),
    sample("gather", normal(3, 0), exactly([0, 1]), reference=taken, note="no elements"),
    sample("gather", normal(4, 3), MANY, reference=taken, note="narrow rows"),
    sample("gather", normal(4, 40), MANY, reference=taken, note="wide rows", batch=(1,)),
    sample("gather", normal(50, 40), integers(50, 90), reference=taken, note="few repetitions"),
    sample("gather_grad", normal(4, 4), normal(3, 4), ROWS, reference=add_taken, batch=(0, 1, 2)),
    sample("gather_grad", normal(2, 4, 3), normal(2, 5, 3), ROWS, axis=1, reference=add_taken, note="middle axis", batch=(0, 1)),
    sample("index_add", normal(3, 4), ROWS, normal(4, 4), reference=lambda x, i, v: x + add_taken(v, x, i), batch=(0, 1, 2),
           bad=(((normal(3, 4), exactly([0]), normal(2, 4)), {}, ShapeMismatch), ((normal(3, 4), exactly([0]), normal(1, 4)), {"axis": 2}, InvalidArgument))),
    sample("index_add", normal(3, 4), exactly([1, 1]), normal(3, 2), axis=1, note="axis 1", batch=(0,),
           reference=lambda x, i, v, axis: x + add_taken(v, x, i, axis)),
    sample("gather_nd", normal(3, 4, 2), PLACES, reference=nd, batch=(0, 1),
           bad=(((normal(3), exactly([[0, 0]])), {}, ShapeMismatch),)),
    sample("gather_nd", normal(3, 4), exactly([1]), reference=nd, note="one row", batch=(0,)),
    sample("gather_nd", normal(3, 2), exactly(np.zeros((2, 0), "i8")), reference=lambda x, i: np.stack([x, x]), note="whole"),
    sample("gather_nd_grad", normal(3, 2), normal(3, 4, 2), PLACES, reference=lambda x, like, i: add_nd(np.zeros(like.shape), i, x), batch=(0, 1, 2)),
    sample("scatter_nd_add", normal(3, 4, 2), PLACES, normal(3, 2), reference=add_nd, batch=(0, 1, 2),
           bad=(((normal(3, 4), PLACES, normal(2)), {}, ShapeMismatch),)),
    sample("scatter_nd_add", integers(9, 4), exactly([[1], [1]]), integers(9, 2), reference=add_nd, note="integers"),
    sample("take_along_axis", normal(3, 4), exactly([[0, 3], [1, 1], [2, -1]]), reference=np.take_along_axis, batch=(0, 1), **ALONG,
           bad=(((normal(3, 4), exactly([0])), {}, ShapeMismatch), ((normal(3, 4), exactly([[0]] * 4)), {}, ShapeMismatch))),
    sample("take_along_axis", normal(3, 4), exactly([[0, 3]]), reference=lambda x, i, axis: x[:, [0, 3]], note="spread", **ALONG),
    sample("take_along_axis", normal(3, 4), exactly([[0, 3]]), broadcast=False, note="as it is",
           reference=lambda x, i, axis, broadcast: x[:1, [0, 3]], **ALONG),
    sample("take_along_axis_grad", normal(2, 3), normal(2, 4), REPEATED, batch=(0, 1, 2), **ALONG,
           reference=lambda x, like, i, axis: loops(np.zeros(like.shape), i, x, axis, "add")),
    sample("scatter", normal(4, 2), exactly([2, 0, -1]), normal(3, 2), reference=scattered, batch=(0, 1, 2),
           bad=(((normal(4, 2), exactly([[1]]), normal(1, 2)), {}, ShapeMismatch), ((normal(4, 2), exactly([1]), normal(2, 2)), {}, ShapeMismatch))),
    sample("scatter", normal(4, 2), exactly([2, 0, 2]), normal(3, 2), overwrite=False, reference=scattered, note="add", batch=(0, 1, 2)),
    sample("scatter", normal(4, 2), exactly(1), normal(2), reference=scattered, note="one row"),
    *[
        sample("put_along_axis", normal(2, 4), REPEATED, normal(2, 3), reduce=reduce, include_self=own, reference=loops, batch=(0, 1, 2),
               note=f"{reduce} {own}", **ALONG)
        for reduce in ("assign", "add", "mean")
        for own in (True, False)
    ],
    sample("put_along_axis", normal(3, 4), exactly([[0, 3]]), normal(1, 1), reference=loops, note="spread", **ALONG),
    sample("put_along_axis", normal(3, 4), exactly([[0, 3]]), normal(1, 2), broadcast=False, reference=loops, note="as it is", **ALONG),
    sample("put_along_axis", integers(9, 2, 4), REPEATED, integers(9, 2, 3), reduce="mean", note="integers", **ALONG,
           reference=loops, bad=(((normal(2, 4), REPEATED, normal(2, 4)), {}, ShapeMismatch), ((normal(2, 4), REPEATED, normal(2, 3)), {"reduce": "mul"}, InvalidArgument))),
    sample("put_winners", normal(2, 4), REPEATED, axis=1, batch=(0, 1), reference=lambda x, i, axis: np.array([[False, True, True], [False, True, True]])),
    *[
        sample("put_along_axis_reduce", target, REPEATED, value, reduce=reduce, include_self=own, reference=loops, batch=(0, 1, 2),
               note=f"{reduce} {own}", second=reduce != "mul", half=False, **ALONG)
        for reduce, target, value in (
            ("mul", positive(2, 4), positive(2, 3)),
            ("amin", apart(2, 4), apart(2, 3, step=0.3)),
            ("amax", apart(2, 4), apart(2, 3, step=0.3)),
        )
        for own in (True, False)
    ],
]  # fmt: skip
