"""Samples of `ops/join.py` and `ops/expand.py`."""

import numpy as np

from paddlite.core.errors import InvalidArgument, ShapeMismatch
from paddlite.ops.dynamic import At
from tests.ops.sample import complexes, exactly, integers, normal, sample


def joined(*xs, axis=0):
    return np.concatenate(xs, axis)


def cut(x, sections, axis=0):
    """NumPy's split, which takes the places of the cuts."""
    if isinstance(sections, int):
        return tuple(np.split(x, sections, axis))
    sizes = [x.shape[axis] - sum(s for s in sections if s >= 0) if s < 0 else s for s in sections]
    return tuple(np.split(x, np.cumsum(sizes)[:-1], axis))


def apart(x, axis=0):
    return tuple(np.take(x, k, axis) for k in range(x.shape[axis]))


def repeated(x, like, repeats, axis):
    """The sum over the repetitions of each slice."""
    starts = np.arange(0, like.shape[axis] * repeats, repeats)
    return np.add.reduceat(x, starts, axis)


def tiled(x, repeat_times):
    return np.tile(x, repeat_times)


SAMPLES = [
    sample("concat", normal(3, 4), normal(2, 4), normal(1, 4), reference=joined, batch=(0, 1),
           bad=(((), {}, InvalidArgument), ((normal(3), normal(2, 3)), {}, ShapeMismatch), ((normal(2, 3), normal(2, 4)), {}, ShapeMismatch),
                ((normal(3), integers(3, 3)), {}, InvalidArgument), ((normal(), normal()), {}, InvalidArgument))),
    sample("concat", normal(3, 4), normal(3, 1), axis=-1, reference=joined, note="last axis", batch=(0, 1)),
    sample("concat", normal(3, 2), normal(0, 2), reference=joined, note="with an empty one"),
    sample("concat", complexes(3, 2), complexes(1, 2), reference=joined, note="complex", half=False),
    sample("concat", normal(3, 2), reference=lambda x: x, note="one"),
    sample("concat_grad", normal(3, 5), normal(3, 4), normal(3, 1), axis=1, reference=lambda x, *likes, axis: tuple(np.split(x, [4], 1)), gradient=(0,), batch=(0, 1, 2)),
    sample("split", normal(6, 2), sections=3, reference=cut,
           bad=(((normal(4, 2),), {}, InvalidArgument), ((normal(6, 2),), {"sections": (2, 3)}, InvalidArgument), ((normal(6, 2),), {"sections": (-1, -1)}, InvalidArgument),
                ((normal(),), {}, InvalidArgument))),
    sample("split", normal(3, 6), sections=(1, -1, 2), axis=1, reference=cut, note="sizes"),
    sample("split", normal(4, 2), sections=(1, -1), axis=-2, reference=cut, note="unknown"),
    sample("stack", normal(3, 2), normal(3, 2), reference=lambda *xs: np.stack(xs), batch=(0, 1),
           bad=(((normal(3), normal(2)), {}, ShapeMismatch), ((normal(3), integers(3, 3)), {}, InvalidArgument), ((), {}, InvalidArgument))),
    sample("stack", normal(3, 2), normal(3, 2), normal(3, 2), axis=-1, reference=lambda *xs, axis: np.stack(xs, axis), note="last axis", batch=(0, 2)),
    sample("stack", normal(), normal(), reference=lambda *xs: np.stack(xs), note="0-D"),
    sample("unbind", normal(3, 2), reference=apart, batch=()),
    sample("unbind", normal(3, 2, 4), axis=-2, reference=apart, note="middle", bad=(((normal(),), {}, InvalidArgument),)),
    sample("unbind", normal(2), reference=apart, note="to 0-D", batch=()),
    sample("unstack", normal(3, 2), axis=1, reference=apart),
    sample("expand_v2", normal(3, 1), shape=(2, -1, 4), reference=lambda x, shape: np.broadcast_to(x, (2, 3, 4)),
           bad=(((normal(3),), {"shape": (2,)}, ShapeMismatch), ((normal(3),), {"shape": ()}, ShapeMismatch), ((normal(3),), {"shape": (-1, 3)}, InvalidArgument))),
    sample("expand_v2", normal(1, 4), exactly(3), shape=(At(0), 4), reference=lambda x, n, shape: np.broadcast_to(x, (3, 4)), note="by a tensor", batch=()),
    sample("expand_as_v2", normal(3, 1), normal(2, 3, 4), reference=lambda x, like: np.broadcast_to(x, like.shape), batch=(0,),
           bad=(((normal(3), normal(2)), {}, ShapeMismatch), ((normal(2, 3), normal(3)), {}, ShapeMismatch))),
    sample("expand_as_v2", normal(4), normal(2, 4), reference=lambda x, like: np.broadcast_to(x, like.shape), note="unknown", batch=(1,)),
    sample("tile", normal(3, 4), repeat_times=(2, 1, 3), reference=tiled, batch=(0,), bad=(((normal(3),), {"repeat_times": (-1,)}, InvalidArgument),)),
    sample("tile", normal(3, 4), repeat_times=(2,), reference=tiled, note="fewer"),
    sample("tile", normal(3), repeat_times=(1,), reference=tiled, note="once"),
    sample("tile", normal(3), exactly(2), repeat_times=(At(0),), reference=lambda x, n, repeat_times: np.tile(x, 2), note="by a tensor"),
    sample("tile_grad", normal(6, 4), normal(3, 4), repeat_times=(2, 1), reference=lambda x, like, repeat_times: x[:3] + x[3:], batch=(0, 1)),
    sample("repeat_interleave", normal(3, 4), repeats=2, axis=0, reference=lambda x, repeats, axis: np.repeat(x, repeats, axis)),
    sample("repeat_interleave_grad", normal(3, 8), normal(3, 4), repeats=2, axis=1, reference=repeated, batch=(0, 1)),
    sample("repeat_numbers", exactly([2, 0, 3]), reference=lambda r: np.array([0, 0, 2, 2, 2])),
    sample("meshgrid", normal(3), normal(2), normal(), reference=lambda *xs: tuple(np.meshgrid(*xs, indexing="ij")), batch=(0, 1),
           bad=(((normal(2, 2),), {}, ShapeMismatch),)),
]  # fmt: skip
