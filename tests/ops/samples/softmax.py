"""Samples of `ops/softmax.py`."""

import numpy as np
from scipy import special

from paddlite.core.errors import InvalidArgument
from tests.ops.sample import apart, exactly, normal, sample


def softmax_slope(y, dy, axis):
    return y * (dy - (y * dy).sum(axis, keepdims=True))


def log_softmax_slope(y, dy, axis):
    return dy - np.exp(y) * dy.sum(axis, keepdims=True)


FORMS = (((3, 4), -1), ((2, 3, 5), 1), ((3, 4), 0), ((3,), -1))
EXTREME = exactly([[1e4, -1e4, 0.0], [0.0, -np.inf, 0.0], [-3e4, -3e4, -3e4]])

SAMPLES = [
    *[
        sample(name, normal(*shape), axis=axis, reference=lambda x, axis, f=f: f(x, axis), note=f"{len(shape)}-D, {axis}",
               batch=(0,) if len(shape) > 1 else (), bad=(((normal(*shape),), {"axis": len(shape)}, InvalidArgument),))
        for name, f in (("softmax", special.softmax), ("log_softmax", special.log_softmax))
        for shape, axis in FORMS
    ],
    *[
        sample(name, EXTREME, reference=lambda x, f=f: f(x, -1), note="extreme", gradient=(), second=False)
        for name, f in (("softmax", special.softmax), ("log_softmax", special.log_softmax))
    ],
    sample("softmax", normal(5, 40, scale=30.0), reference=lambda x: special.softmax(x, -1), note="long rows",
           tolerance=3.0, half=False),
    sample("softmax", exactly(3.0), reference=lambda x: np.ones_like(x), note="0-D", batch=()),
    sample("log_softmax", exactly(3.0), reference=lambda x: np.zeros_like(x), note="0-D", batch=()),
    sample("softmax", normal(0, 3), reference=lambda x: x, note="no rows"),
    sample("softmax", normal(3, 0), reference=lambda x: x, note="empty rows"),
    *[
        sample(name, normal(3, 4), normal(3, 4), axis=axis, batch=(0, 1), reference=f, note=str(axis))
        for name, f in (("softmax_grad", softmax_slope), ("log_softmax_grad", log_softmax_slope))
        for axis in (-1, 0)
    ],
    sample("straight_through_max", apart(3, 4), reference=lambda x: np.eye(4)[x.argmax(-1)], gradient=(), second=False),
    sample("straight_through_max", apart(3, 4), axis=0, note="axis", gradient=(), second=False,
           reference=lambda x, axis: np.eye(3)[x.argmax(0)].T),
]  # fmt: skip


def gumbel(outputs, inputs):
    noise = outputs[0].astype("f8")
    assert noise.shape == (100, 400)
    assert abs(noise.mean() - np.euler_gamma) < 0.03  # the mean of the distribution
    assert abs(noise.var() - np.pi**2 / 6) < 0.06


SAMPLES.append(sample("gumbel_noise", normal(100, 400), check=gumbel))
