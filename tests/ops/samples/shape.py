"""Samples of `ops/shape.py` and `ops/index.py`."""

import numpy as np

from paddlite.core.errors import InvalidArgument, ShapeMismatch
from paddlite.ops.index import At
from tests.ops.sample import bools, exactly, normal, sample

ROWS = exactly([2, 0, 2])
MASK = exactly([True, False, True])


def put(x, value, *tensors, index):
    out = x.copy()
    out[tuple(tensors[i.k] if isinstance(i, At) else i for i in index)] = value
    return out


def get(x, *tensors, index):
    return x[tuple(tensors[i.k] if isinstance(i, At) else i for i in index)]


def add_at(x, like, *tensors, index):
    out = np.zeros(like.shape)
    np.add.at(out, tuple(tensors[i.k] if isinstance(i, At) else i for i in index), x)
    return out


def put_slice(x, like, index):
    out = np.zeros(like.shape)
    out[index] = x
    return out


S = slice

SAMPLES = [
    sample("reshape2", normal(3, 4), shape=(2, 6), reference=lambda x, shape: x.reshape(shape), batch=(),
           bad=(((normal(3, 4),), {"shape": (5, -1)}, ShapeMismatch), ((normal(3, 4),), {"shape": (-1, -1)}, InvalidArgument))),
    sample("reshape2", normal(3, 4, 2), shape=(0, -1), reference=lambda x, shape: x.reshape(3, 8), note="kept size"),
    sample("reshape2", normal(3, 4), shape=(-1, 2), reference=lambda x, shape: x.reshape(shape), note="worked out"),
    sample("transpose2", normal(2, 3, 4), perm=(2, 0, 1), reference=lambda x, perm: np.transpose(x, perm)),
    sample("squeeze2", normal(3, 1, 2, 1), reference=lambda x: x.squeeze(), batch=()),
    sample("squeeze2", normal(3, 1, 2, 1), axes=(1, 2), reference=lambda x, axes: x.squeeze(1), note="axes"),
    sample("unsqueeze2", normal(3, 2), axes=(0, -1), reference=lambda x, axes: x[None, :, :, None]),
    sample("reshape_by", normal(3, 4), exactly(6), shape=(At(0), -1), reference=lambda x, n, shape: x.reshape(6, 2), batch=()),
    sample("flatten_contiguous_range", normal(3, 4, 2), start_axis=1, reference=lambda x, start_axis: x.reshape(3, 8), bad=(((normal(3, 4),), {"stop_axis": 0}, InvalidArgument),)),
    sample("flatten_contiguous_range", normal(), reference=lambda x: x.reshape(1), note="0-D"),
    sample("unflatten", normal(3, 6), axis=1, shape=(2, -1), reference=lambda x, axis, shape: x.reshape(3, 2, 3),
           bad=(((normal(3, 5),), {}, ShapeMismatch), ((normal(3, 6),), {"shape": (-1, -1)}, InvalidArgument))),
    sample("view_put", normal(3, 4), normal(4), attrs={"op": "slice", "attrs": {"index": (1,)}}, batch=(),
           reference=lambda x, y, op, attrs: np.stack([x[0], y, x[2]])),
    sample("slice", normal(3, 4), index=(S(None), S(None, None, 2)), reference=lambda x, index: x[index]),
    sample("slice", normal(3, 4), index=(1,), reference=lambda x, index: x[index], note="int", batch=()),
    sample("slice", normal(3, 4), index=(Ellipsis, None, -1), reference=lambda x, index: x[index], note="ellipsis"),
    sample("slice", normal(5, 2), index=(S(None, None, -2),), reference=lambda x, index: x[index], note="backwards"),
    sample("slice", normal(3), index=(2,), reference=lambda x, index: x[index], note="to 0-D", batch=(),
           bad=(((normal(3),), {"index": (3,)}, IndexError), ((normal(3),), {"index": (0, 0)}, IndexError))),
    sample("slice_grad", normal(3, 2), normal(3, 4), index=(S(None), S(None, None, 2)), reference=put_slice, batch=(0, 1)),
    sample("index_get", normal(3, 4), ROWS, index=(At(0),), reference=get),
    sample("index_get", normal(3, 4), ROWS, exactly([1, 1, 3]), index=(At(0), At(1)), reference=get, note="pairs"),
    sample("index_get", normal(3, 4, 5), ROWS, index=(S(None), S(0, 2), At(0)), reference=get, note="after slices"),
    sample("index_get", normal(3, 4, 5), ROWS, index=(0, S(None), At(0)), reference=get, note="apart", batch=()),
    sample("index_get", normal(3, 4), MASK, index=(At(0),), reference=get, note="mask", batch=(0, 1)),
    sample("index_get", normal(3, 4), bools(3, 4), index=(At(0),), reference=get, note="full mask", batch=()),
    sample("index_get", normal(5, 4), exactly(1), exactly(4), index=(S(At(0), At(1)), S(None)), reference=lambda x, a, b, index: x[1:4], note="bounds", batch=(0,)),
    sample("index_get_grad", normal(2, 4), normal(5, 4), exactly(3), index=(S(At(0), None),), reference=lambda x, like, a, index: np.pad(x, ((3, 0), (0, 0))), note="bounds", batch=(0, 1)),
    sample("set_value", normal(5, 4), normal(4), exactly(3), index=(S(At(0), None),), reference=lambda x, v, a, index: np.concatenate([x[:3], [v, v]]), note="bounds", batch=(0,)),
    sample("index_get_grad", normal(3, 4), normal(3, 4), ROWS, index=(At(0),), reference=add_at, batch=(1,)),
    sample("index_put", normal(3, 4), normal(3, 1), ROWS, index=(At(0),), reference=lambda x, v, i, index: x + add_at(np.broadcast_to(v, (3, 4)), x, i, index=index), batch=(0,)),
    sample("set_value", normal(3, 4), normal(4), index=(1,), reference=put),
    sample("set_value", normal(3, 4), normal(3, 1), index=(S(None), S(1, 3)), reference=put, note="slice"),
    sample("set_value", normal(3, 4), normal(2, 4), exactly([2, 0]), index=(At(0),), reference=put, note="rows"),
    sample("set_value", normal(3, 4), normal(1), MASK, index=(At(0),), reference=put, note="mask",
           bad=(((normal(3, 4), normal(5)), {"index": (1,)}, ShapeMismatch),)),
]  # fmt: skip
