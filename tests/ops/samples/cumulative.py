"""Samples of `ops/cumulative.py`."""

import numpy as np

from paddlite.core.errors import DTypeMismatch, InvalidArgument
from tests.ops.sample import apart, bools, complexes, exactly, integers, normal, positive, sample


def sums(x, axis, reverse=False):
    out = np.cumsum(np.flip(x, axis) if reverse else x, axis)
    return np.flip(out, axis) if reverse else out


def products(x, axis):
    return np.cumprod(x, axis)


def largest(x, axis, dtype="int64"):
    return _so_far(x, axis, lambda new, old: new >= old or np.isnan(new), dtype)


def smallest(x, axis, dtype="int64"):
    return _so_far(x, axis, lambda new, old: new <= old or np.isnan(new), dtype)


def _so_far(x, axis, better, dtype):
    out, index = np.moveaxis(x.copy(), axis, -1), np.zeros(np.moveaxis(x, axis, -1).shape, dtype)
    for row in np.ndindex(out.shape[:-1]):
        for i in range(1, out.shape[-1]):
            new = better(out[row][i], out[row][i - 1])
            out[row][i] = out[row][i] if new else out[row][i - 1]
            index[row][i] = i if new else index[row][i - 1]
    return np.moveaxis(out, -1, axis), np.moveaxis(index, -1, axis)


def log_sums(x, axis):
    return np.log(np.cumsum(np.exp(x), axis))


def faded(x, level, axis, reverse=False):
    x, level = np.moveaxis(x, axis, -1), np.moveaxis(level, axis, -1)
    size = x.shape[-1]
    weight = np.exp(level[..., None, :] - level[..., :, None])  # [to, from]
    weight = (
        np.swapaxes(weight, -1, -2) * np.triu(np.ones((size, size)))
        if reverse
        else weight * np.tril(np.ones((size, size)))
    )
    return np.moveaxis((weight @ x[..., None])[..., 0], -1, axis)


RISING = exactly(np.cumsum(np.linspace(0.1, 0.9, 12)).reshape(3, 4))
ZEROS = exactly([[2.0, 0.0, 3.0], [1.0, 2.0, 0.0], [0.0, 0.0, 4.0]])

SAMPLES = [
    sample("cumsum", normal(3, 4, 2), axis=1, reference=sums, bad=(((normal(3),), {"axis": 1}, InvalidArgument),)),
    sample("cumsum", normal(3, 4), axis=-1, reverse=True, reference=sums, note="reverse"),
    sample("cumsum", integers(9, 3, 4, dtype="int32"), axis=0, reference=sums, note="integers"),
    sample("cumsum", bools(5), axis=0, reference=sums, note="bools"),
    sample("cumsum", complexes(3, 2), axis=0, reference=sums, note="complex", half=False),
    sample("cumsum", normal(3, 4, 40), axis=1, reference=sums, note="wide slices"),
    sample("cumsum", normal(0, 40), axis=0, reference=sums, note="no elements"),
    sample("cumsum", exactly(3.0), axis=0, reference=lambda x, axis: x, note="0-D"),
    sample("cumprod", positive(3, 4, 2), axis=1, reference=products, bad=(((normal(3),), {"axis": 1}, InvalidArgument),)),
    sample("cumprod", ZEROS, axis=1, reference=products, second=False, note="zeros"),
    sample("cumprod", complexes(3, 2), axis=0, reference=products, note="complex", half=False),
    sample("cumprod", integers(4, 3, 2, low=1, dtype="int32"), axis=0, reference=lambda x, axis: np.cumprod(x, axis, dtype=x.dtype), note="integers"),
    sample("cumprod", exactly(3.0), axis=0, reference=lambda x, axis: x, note="0-D"),
    *[
        case
        for name, function in (("cummax", largest), ("cummin", smallest))
        for case in (
            sample(name, apart(3, 4, 2), axis=1, reference=function, bad=(((complexes(3),), {"axis": 0}, DTypeMismatch),)),
            sample(name, exactly([1.0, 3.0, 1.0, 3.0, np.nan, 5.0]), axis=0, reference=function, gradient=(), note="ties"),
            sample(name, integers(5, 3, 4), axis=-1, dtype=np.dtype("int32"), reference=function, note="int32"),
            sample(name, exactly(3.0), axis=0, reference=lambda x, axis: (x, np.array(0)), note="0-D"),
        )
    ],
    sample("logcumsumexp", normal(3, 4, 2), axis=1, reference=log_sums, bad=(((normal(3),), {"axis": 1}, InvalidArgument),)),
    sample("logcumsumexp", exactly([-np.inf, 700.0, 710.0]), axis=0, gradient=(), half=False, note="wide",
           reference=lambda x, axis: np.array([-np.inf, 700, 710 + np.log1p(np.exp(-10))])),
    sample("logcumsumexp", exactly(3.0), axis=0, reference=lambda x, axis: x, note="0-D"),
    sample("decayed_sum", normal(3, 4), RISING, axis=1, reference=faded, batch=(0, 1)),
    sample("decayed_sum", normal(3, 4), RISING, axis=0, reverse=True, reference=faded, note="reverse", batch=(0, 1)),
    sample("decayed_sum", exactly(3.0), exactly(1.0), axis=0, reference=lambda x, level, axis: x, note="0-D"),
]  # fmt: skip
