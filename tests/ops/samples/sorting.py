"""Samples of `ops/sorting.py`."""

import numpy as np
from scipy import stats

from paddlite.core.errors import DTypeMismatch, InvalidArgument
from tests.ops.sample import Spec, apart, complexes, exactly, integers, sample

NAN = np.nan
TIES = exactly([[1.0, 3.0, 1.0, 2.0, 3.0], [2.0, 2.0, 0.0, 2.0, 0.0]])
ORDER = exactly([[1, 0, 2], [2, 1, 0], [0, 2, 1]])


def ranked(x, axis=-1, descending=False):
    """Values and indices by Python's own stable sort."""
    moved = np.moveaxis(x, axis, -1)
    rows = moved.reshape(-1, moved.shape[-1])
    index = np.array([sorted(range(len(r)), key=lambda i: -r[i] if descending else r[i]) for r in rows])
    index = np.moveaxis(index.reshape(moved.shape), -1, axis)
    return np.take_along_axis(x, index, axis), index


def ranked_by_numpy(x, axis=-1, descending=False):
    """The same by NumPy's stable sort; descending by the ranks of the distinct values."""
    _, rank = np.unique(x, return_inverse=True)
    index = np.argsort(-rank.reshape(x.shape) if descending else x, axis, kind="stable")
    return np.take_along_axis(x, index, axis), index


def crowded(rng, dtype):
    """Few values and many ties."""
    return rng.integers(0, 9, (40, 30)).astype(dtype)


def best(x, k, axis=-1, largest=True):
    return tuple(np.take(part, range(k), axis) for part in ranked(x, axis, largest))


def kth(x, k, axis=-1, keepdim=False):
    parts = [np.take(part, [k - 1], axis) for part in ranked(x, axis)]
    return tuple(parts if keepdim else [np.squeeze(p, axis) for p in parts])


def most_frequent(x, axis=-1, keepdim=False):
    value = stats.mode(x, axis=axis, keepdims=True).mode
    place = np.arange(x.shape[axis]).reshape([-1 if i == axis % x.ndim else 1 for i in range(x.ndim)])
    index = np.where(x == value, place, -1).max(axis, keepdims=True)
    return (value, index) if keepdim else (value.squeeze(axis), index.squeeze(axis))


def put(x, index, like, axis):
    out = np.zeros(like.shape)
    np.put_along_axis(out, index, x, axis)
    return out


SAMPLES = [
    sample("argsort", apart(3, 4, 2), axis=1, reference=ranked,
           bad=(((complexes(3),), {"axis": 0}, DTypeMismatch), ((apart(3, 4),), {"axis": 2}, InvalidArgument))),
    sample("argsort", apart(3, 4), descending=True, reference=ranked, note="down"),
    sample("argsort", TIES, reference=ranked, gradient=(), note="ties"),
    sample("argsort", TIES, descending=True, reference=ranked, gradient=(), note="ties down"),
    sample("argsort", exactly([1.0, 3.0, NAN, 2.0]), descending=True, gradient=(), note="nan",
           reference=lambda x, descending: (np.array([NAN, 3, 2, 1]), np.array([2, 1, 3, 0]))),
    sample("argsort", exactly(3.0), axis=-1, reference=lambda x, axis: (x, np.array(0)), note="0-D"),
    sample("argsort", exactly([3, 1, 2], "uint8"), axis=0, descending=True, note="unsigned",
           reference=lambda x, axis, descending: (np.array([3, 2, 1], "uint8"), np.array([0, 2, 1]))),
    *[
        sample("argsort", Spec(lambda rng, d=dtype: crowded(rng, d)), axis=axis, descending=down, reference=ranked_by_numpy, gradient=(),
               note=f"many {dtype} {axis} {down}", half=dtype == "float64")
        for dtype in ("float64", "int32", "int8", "uint16", "int64")
        for axis, down in ((0, True), (1, False))
    ],
    sample("argsort", exactly(np.array([0.0, -0.0, NAN, -NAN, -np.inf, np.inf] * 100)), axis=0, gradient=(), reference=ranked_by_numpy, note="many special"),
    sample("sort", apart(3, 4, 2), axis=1, reference=lambda x, axis: np.sort(x, axis), bad=(((complexes(3),), {"axis": 0}, DTypeMismatch),)),
    sample("sort", apart(3, 4), descending=True, reference=lambda x, descending: -np.sort(-x), note="down"),
    sample("sort", exactly(3.0), axis=-1, reference=lambda x, axis: x, note="0-D"),
    sample("top_k_v2", apart(3, 5), k=2, reference=best,
           bad=(((apart(3, 4),), {"k": 5}, InvalidArgument), ((apart(3, 4),), {"k": 0}, InvalidArgument))),
    sample("top_k_v2", apart(3, 5, 2), k=2, axis=1, largest=False, reference=best, note="smallest"),
    sample("top_k_v2", apart(2, 20), k=2, reference=best, note="few of many"),
    sample("top_k_v2", apart(20, 2), k=1, axis=0, largest=False, reference=best, note="smallest of many", batch=()),
    sample("top_k_v2", exactly(3.0), k=1, reference=lambda x, k: (x, np.array(0)), note="0-D"),
    sample("kthvalue", apart(3, 5), k=2, reference=kth, bad=(((apart(3, 4),), {"k": 5}, InvalidArgument),)),
    sample("kthvalue", apart(3, 5, 2), k=3, axis=1, keepdim=True, reference=kth, note="kept"),
    sample("kthvalue", TIES, k=4, reference=kth, gradient=(), note="ties"),
    sample("kthvalue", exactly(3.0), k=1, reference=lambda x, k: (x, np.array(0)), note="0-D"),
    sample("mode", TIES, reference=most_frequent, gradient=()),
    sample("mode", integers(3, 4, 7), axis=0, keepdim=True, reference=most_frequent, note="kept"),
    sample("mode", apart(3, 4), axis=1, reference=most_frequent, note="all different"),
    sample("mode", exactly(3.0), reference=lambda x: (x, np.array(0)), note="0-D"),
    sample("rank_take", apart(3, 3), ORDER, axis=0, reference=np.take_along_axis),
    sample("rank_put", apart(3, 3), ORDER, apart(3, 3), axis=0, reference=put, batch=(0, 2)),
    sample("rank_put", exactly(2.0), exactly(0), exactly(1.0), axis=0, reference=lambda x, index, like, axis: x, note="0-D"),
]  # fmt: skip
