"""Samples of `ops/reduce.py`."""

import numpy as np
from scipy import special

from paddlite.core.errors import InvalidArgument
from tests.ops.sample import apart, bools, complexes, exactly, integers, normal, positive, sample


def over(function):
    """`function` of NumPy with our attribute names."""

    def reference(x, axis=None, keepdim=False):
        axis = tuple(axis) if isinstance(axis, list) else axis
        return function(x, axis=axis, keepdims=keepdim)

    return reference


def spread(x, like, axis=None, keepdim=False):
    if not keepdim and axis is not None:
        x = np.expand_dims(x, axis)
    return np.broadcast_to(x, like.shape)


def shares(x, y, axis=None, keepdim=False):
    chosen = x == spread(y, x, axis, keepdim)
    return chosen / np.maximum(chosen.sum(axis, keepdims=True), 1)


TIED = exactly([[1.0, 3.0, 3.0, 2.0], [0.0, -1.0, 0.0, 0.0]])
ONE_ZERO = exactly([[1.5, 0.0, 3.0, 2.0], [0.5, -1.0, 2.0, 1.0]])

FORMS = ({}, {"axis": 1}, {"axis": (0, 2), "keepdim": True}, {"axis": -1, "keepdim": True})

SAMPLES = [
    *[
        sample(name, normal(3, 4, 2), reference=over(function), note=str(i), batch=(0,), **attrs)
        for name, function in (("reduce_sum", np.sum), ("reduce_mean", np.mean))
        for i, attrs in enumerate(FORMS)
    ],
    *[
        sample(name, apart(3, 4, 2), reference=over(function), note=str(i), half=False, **attrs)
        for name, function in (
            ("reduce_max", np.max),
            ("reduce_min", np.min),
            ("reduce_amax", np.max),
            ("reduce_amin", np.min),
        )
        for i, attrs in enumerate(FORMS)
    ],
    *[
        sample(name, positive(), axis=axis, reference=lambda x, axis: x, note=f"0-D {axis}")
        for name in ("reduce_sum", "reduce_mean", "reduce_max", "reduce_prod", "logsumexp", "p_norm")
        for axis in (0, -1)
    ],
    sample("reduce_any", exactly(True), axis=-1, reference=lambda x, axis: x, note="0-D"),
    sample(
        "reduce_sum",
        complexes(3, 2),
        axis=0,
        reference=over(np.sum),
        note="complex",
        half=False,
        bad=(((normal(2, 3),), {"axis": 2}, InvalidArgument), ((normal(2, 3),), {"axis": (0, 0)}, InvalidArgument)),
    ),
    sample("reduce_sum", integers(9, 3, 4, dtype="int32"), axis=0, reference=over(np.sum), note="integers"),
    sample("reduce_sum", normal(0, 3), axis=0, reference=over(np.sum), note="no elements"),
    sample(
        "reduce_mean", integers(9, 3, 4), axis=0, reference=lambda x, axis: x.mean(axis).astype("f4"), note="integers"
    ),
    *[
        sample("reduce_prod", positive(3, 4, 2), reference=over(np.prod), note=str(i), **attrs)
        for i, attrs in enumerate(FORMS)
    ],
    *[
        sample(
            name,
            normal(30, 25, 6),
            axis=axis,
            keepdim=keepdim,
            reference=over(function),
            note=f"rows {axis} {keepdim}",
            half=False,
        )
        for name, function in (
            ("reduce_sum", np.sum),
            ("reduce_mean", np.mean),
            ("reduce_max", np.max),
            ("reduce_min", np.min),
        )
        for axis, keepdim in ((-1, False), (2, True))
    ],
    sample("reduce_any", bools(1500, 3), axis=1, reference=over(np.any), note="rows"),
    sample("reduce_prod", ONE_ZERO, axis=1, reference=over(np.prod), note="one zero", second=False),
    sample("reduce_prod", exactly([0.0, 0.0, 2.0]), reference=over(np.prod), note="two zeros", second=False, batch=()),
    sample("reduce_prod", complexes(3, 2), axis=0, reference=over(np.prod), note="complex", half=False),
    sample("reduce_prod", integers(4, 3, 2, low=1, dtype="int32"), axis=0, reference=over(np.prod), note="integers"),
    *[
        sample("logsumexp", normal(3, 4, 2), reference=over(special.logsumexp), note=str(i), **attrs)
        for i, attrs in enumerate(FORMS)
    ],
    sample(
        "logsumexp",
        exactly([[-np.inf, -np.inf], [np.inf, 1.0]]),
        axis=1,
        note="infinite",
        gradient=(),
        reference=lambda x, axis: np.array([-np.inf, np.inf]),
    ),
    sample(
        "logsumexp",
        normal(0, 3),
        axis=0,
        reference=lambda x, axis: np.full(3, -np.inf),
        note="no elements",
        gradient=(),
    ),
    sample("tie_shares", TIED, exactly([3.0, 0.0]), axis=1, reference=shares, batch=(0, 1)),
    sample("tie_shares", TIED, exactly([[np.nan, 0.0, 3.0, 2.0]]), axis=0, keepdim=True, reference=shares, note="none"),
    sample("reduce_all", bools(3, 4), axis=1, reference=over(np.all)),
    sample("reduce_any", bools(3, 4), axis=1, reference=over(np.any)),
    sample("reduce_expand", normal(3, 2), normal(3, 4, 2), axis=1, reference=spread, batch=(0, 1)),
    sample(
        "mean_grad", normal(3, 2), normal(3, 4, 2), axis=1, reference=lambda *a, **k: spread(*a, **k) / 4, batch=(0, 1)
    ),
]
