"""Samples of `ops/rearrange.py`, `ops/view.py`, `ops/pad.py`, `ops/complex.py` and `ops/mask.py`."""

import numpy as np

from paddlite.core.errors import DTypeMismatch, InvalidArgument, ShapeMismatch
from tests.ops.sample import bools, complexes, exactly, integers, normal, sample

MASK = exactly([[True, False], [True, True], [False, False]])


def strided(x, shape, stride, offset=0):
    return np.lib.stride_tricks.as_strided(x.ravel()[offset:].copy(), shape, [s * x.itemsize for s in stride])


def strided_sum(x, like, shape, stride, offset=0):
    places = strided(np.arange(like.size), shape, stride, offset)
    out = np.zeros(like.size)
    np.add.at(out, places, x)
    return out.reshape(like.shape)


def windows(x, axis, size, step):
    found = np.lib.stride_tricks.sliding_window_view(x, size, axis)
    return np.take(found, np.arange(0, found.shape[axis], step), axis)


def windows_sum(x, like, axis, size, step):
    out = np.zeros(like.shape)
    for k in range(x.shape[axis]):
        for j in range(size):
            out[:, k * step + j] += x[:, k, j]
    return out


def on_diagonal(x, offset=0, dim1=-2, dim2=-1):
    out = np.zeros((*x.shape[:-1], *[x.shape[-1] + abs(offset)] * 2))
    rows = np.arange(x.shape[-1])
    out[..., rows + max(0, -offset), rows + max(0, offset)] = x
    return np.moveaxis(out, (-2, -1), (dim1, dim2))


def padded(mode):
    return lambda x, paddings, **_: np.pad(x, paddings, mode)


def pad_sum(x, like, paddings, mode):
    """The transposed map, from the map applied to every unit vector."""
    name = {"reflect": "reflect", "replicate": "edge", "circular": "wrap"}[mode]
    out = np.zeros(like.shape)
    for place in np.ndindex(*like.shape):
        unit = np.zeros(like.shape)
        unit[place] = 1
        out[place] = (np.pad(unit, paddings, name) * x).sum()
    return out


def runs(x, axis=None):
    from itertools import groupby

    groups = [list(g) for _, g in groupby(x.tolist())]
    lengths = [len(g) for g in groups]
    return np.array([g[0] for g in groups]), np.repeat(np.arange(len(groups)), lengths), np.array(lengths)


def uniques(x, axis=None):
    values, index, inverse, counts = np.unique(x, True, True, True, axis=axis)
    return values, index, inverse.ravel(), counts


def shard(x, index_num, nshards, shard_id, ignore_value=-1):
    size = -(-index_num // nshards)
    return np.array([v % size if v // size == shard_id else ignore_value for v in x])


SAMPLES = [
    sample("flip", normal(3, 4), axis=(0, -1), reference=lambda x, axis: np.flip(x, axis), bad=(((normal(3),), {"axis": (1,)}, InvalidArgument),)),
    sample("flip", normal(3), axis=(), reference=lambda x, axis: x, note="no axis"),
    sample("roll", normal(3, 4), shifts=(1,), reference=lambda x, shifts: np.roll(x, 1), bad=(((normal(3),), {"axis": (0, 0)}, InvalidArgument),)),
    sample("roll", normal(3, 4), shifts=(1, -2), axis=(0, 1), reference=lambda x, shifts, axis: np.roll(x, shifts, axis), note="axes"),
    sample("tril_triu", normal(3, 4), reference=lambda x: np.tril(x), bad=(((normal(3),), {}, ShapeMismatch),)),
    sample("tril_triu", normal(2, 3, 4), diagonal=1, lower=False, reference=lambda x, diagonal, lower: np.triu(x, 1), note="upper"),
    sample("diagonal", normal(3, 4), reference=lambda x: np.diagonal(x), bad=(((normal(3),), {}, ShapeMismatch), ((normal(3, 3),), {"axis2": 0}, InvalidArgument))),
    sample("diagonal", normal(2, 3, 4), offset=-1, axis1=2, axis2=1, reference=lambda x, offset, axis1, axis2: np.diagonal(x, offset, axis1, axis2), note="axes"),
    sample("diagonal_grad", normal(3), normal(3, 4), offset=1, reference=lambda x, like, offset: np.eye(3, 4, 1) * np.append(x, 0)[:, None][:3], batch=(0, 1)),
    sample("diag_embed", normal(2, 3), reference=on_diagonal),
    sample("diag_embed", normal(2, 3), offset=-2, dim1=0, dim2=2, reference=on_diagonal, note="axes",
           bad=(((normal(),), {}, ShapeMismatch), ((normal(2, 3),), {"dim2": 0}, InvalidArgument))),
    sample("diag_v2", normal(3), reference=np.diag),
    sample("diag_v2", normal(3), offset=1, padding_value=7.0, reference=lambda x, offset, padding_value: np.where(np.eye(4, k=1) > 0, np.diag(x, 1), 7.0), note="padded"),
    sample("diag_v2", normal(3, 4), offset=-1, reference=lambda x, offset: np.diag(x, -1), note="of a matrix", bad=(((normal(2, 2, 2),), {}, ShapeMismatch),)),
    sample("shard_index", exactly([16, 1, 9, 19]), index_num=20, nshards=2, shard_id=1, reference=shard),
    sample("as_strided", normal(3, 4), shape=(2, 3), stride=(4, 1), offset=2, reference=strided, batch=(),
           bad=(((normal(3, 4),), {"offset": 6}, InvalidArgument), ((normal(3, 4),), {"stride": (1,)}, InvalidArgument), ((normal(3, 4),), {"stride": (-1, 1)}, InvalidArgument))),
    sample("as_strided", normal(3, 4), shape=(5, 4), stride=(2, 1), reference=strided, note="overlapping", batch=()),
    sample("as_strided_grad", normal(5, 4), normal(3, 4), shape=(5, 4), stride=(2, 1), reference=strided_sum, batch=()),
    sample("as_strided_grad", normal(2, 3), normal(3, 4), shape=(2, 3), stride=(4, 1), offset=2, reference=strided_sum, note="apart", batch=()),
    sample("tensor_unfold", normal(3, 5), axis=1, size=3, step=2, reference=windows, bad=(((normal(3, 2),), {}, InvalidArgument), ((normal(3, 5),), {"step": 0}, InvalidArgument))),
    sample("tensor_unfold", normal(5, 2), axis=-2, size=2, step=1, reference=windows, note="overlapping"),
    sample("tensor_unfold_grad", normal(3, 2, 3), normal(3, 5), axis=1, size=3, step=2, reference=windows_sum, batch=(0, 1)),
    sample("view_dtype", exactly([[0x3F800000, 0x40000000]], "int32"), dtype=np.dtype("float32"), reference=lambda x, dtype: np.array([[1.0, 2.0]], "f4")),
    sample("view_dtype", exactly([[1, 2]]), dtype=np.dtype("int16"), reference=lambda x, dtype: x.view(dtype), note="narrower",
           bad=(((exactly([1, 2, 3], "uint8"),), {}, InvalidArgument), ((exactly(1),), {}, InvalidArgument))),
    sample("pad", normal(3, 4), paddings=((1, 0), (2, 1)), value=2.5, reference=lambda x, paddings, value: np.pad(x, paddings, constant_values=value),
           bad=(((normal(3),), {}, ShapeMismatch), ((normal(3, 4),), {"paddings": ((-2, -2), (0, 0))}, InvalidArgument))),
    sample("pad", normal(3, 4), paddings=((-1, 0), (2, -1)), reference=lambda x, paddings: np.pad(x[1:, :3], ((0, 0), (2, 0))), note="cut"),
    sample("pad", normal(3, 4), paddings=((0, 0), (0, 0)), reference=lambda x, paddings: x, note="nothing"),
    sample("pad_border", normal(3, 4), paddings=((2, 1), (0, 3)), mode="reflect", reference=padded("reflect"), batch=(), note="reflect",
           bad=(((normal(2, 4),), {}, InvalidArgument),)),
    sample("pad_border", normal(3, 4), paddings=((0, 0), (5, 1)), mode="replicate", reference=padded("edge"), note="replicate"),
    sample("pad_border", normal(3, 4), paddings=((1, 3), (1, 0)), mode="circular", reference=padded("wrap"), note="circular", batch=()),
    *[
        sample("pad_border_grad", normal(6, 6), normal(3, 3), paddings=((2, 1), (1, 2)), mode=mode, reference=pad_sum, note=mode, batch=(0, 1))
        for mode in ("reflect", "replicate", "circular")
    ],
    sample("imag", complexes(3, 4), reference=np.imag, half=False, bad=(((normal(2),), {}, DTypeMismatch),)),
    sample("complex", normal(3, 1), normal(4), reference=lambda x, y: x + 1j * y, half=False, bad=(((integers(3, 2), normal(2)), {}, DTypeMismatch), ((complexes(2), normal(2)), {}, DTypeMismatch))),
    sample("as_complex", normal(3, 2), reference=lambda x: x[:, 0] + 1j * x[:, 1], half=False, bad=(((normal(3),), {}, ShapeMismatch),)),
    sample("as_real", complexes(3, 2), reference=lambda x: np.stack([x.real, x.imag], -1), half=False, bad=(((normal(3),), {}, DTypeMismatch),)),
    sample("masked_select", normal(3, 2), MASK, reference=lambda x, m: x[m], bad=(((normal(3), exactly([1, 0, 1])), {}, DTypeMismatch),)),
    sample("masked_select", normal(3, 1), MASK, reference=lambda x, m: np.broadcast_to(x, m.shape)[m], note="spread"),
    sample("masked_select_grad", normal(3), MASK, normal(3, 2), reference=lambda x, m, like: np.array([[x[0], 0], [x[1], x[2]], [0, 0]]), batch=(0, 1, 2)),
    sample("masked_scatter", normal(3, 2), MASK, normal(2, 2), reference=lambda x, m, v: np.array([[v[0, 0], x[0, 1]], [v[0, 1], v[1, 0]], x[2]]),
           bad=(((normal(3, 2), bools(3, 2), exactly([1])), {}, DTypeMismatch),)),
    sample("masked_scatter_grad", normal(3, 2), MASK, normal(2, 2), reference=lambda x, m, like: np.array([[x[0, 0], x[1, 0]], [x[1, 1], 0]]), batch=(0, 1, 2)),
    sample("masked_scatter_put", normal(2, 2), MASK, normal(3, 2), reference=lambda x, m, like: np.array([[x[0, 0], 0], [x[0, 1], x[1, 0]], [0, 0]]), batch=(0, 1, 2)),
    sample("unique", integers(4, 9), reference=uniques),
    sample("unique", exactly([[3, 1], [3, 1], [2, 5]]), axis=0, reference=uniques, note="rows", bad=(((normal(2),), {"axis": 1}, InvalidArgument),)),
    sample("unique_consecutive", exactly([1, 1, 2, 2, 2, 1]), reference=runs),
    sample("unique_consecutive", exactly([[1, 2], [1, 2], [2, 2]]), axis=0, note="rows", reference=lambda x, axis: (x[[0, 2]], np.array([0, 0, 1]), np.array([2, 1]))),
    sample("unique_consecutive", exactly(np.zeros(0)), note="nothing", reference=lambda x: (x, np.zeros(0, "i8"), np.zeros(0, "i8"))),
]  # fmt: skip
