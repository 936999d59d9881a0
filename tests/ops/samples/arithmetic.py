"""Samples of `ops/arithmetic.py` and `ops/like.py`."""

import numpy as np

from paddlite.core.errors import ShapeMismatch
from tests.ops.sample import apart, complexes, exactly, integers, normal, positive, sample


def summed(x, like):
    """NumPy's own way to the sum over broadcast axes."""
    lead = x.ndim - like.ndim
    x = x.sum(tuple(range(lead)))
    return x.sum(tuple(i for i, s in enumerate(like.shape) if s == 1), keepdims=True)


SAMPLES = [
    sample(
        "elementwise_add", normal(3, 4), normal(4), reference=np.add, bad=(((normal(3), normal(4)), {}, ShapeMismatch),)
    ),
    sample("elementwise_add", normal(3, 1), normal(1, 4), reference=np.add, note="both broadcast", batch=(0,)),
    sample("elementwise_add", normal(3, 4), 2.5, reference=np.add, note="number"),
    sample("elementwise_add", normal(3, 4), normal(3, 4), reference=np.add, note="two unknown", batch=(0, 1)),
    sample("elementwise_add", complexes(3, 2), normal(3, 2), reference=np.add, note="complex", half=False),
    sample("elementwise_add", normal(0, 4), normal(4), reference=np.add, note="no elements"),
    sample("elementwise_sub", normal(3, 4), normal(3, 1), reference=np.subtract),
    sample("elementwise_sub", 1.5, normal(3), reference=np.subtract, note="from a number", batch=(1,)),
    sample("elementwise_mul", normal(2, 3, 4), normal(3, 1), reference=np.multiply),
    sample("elementwise_mul", normal(2, 3), 3, reference=np.multiply, note="number"),
    sample("elementwise_mul", complexes(2, 3), complexes(3), reference=np.multiply, note="complex", half=False),
    sample("elementwise_mul", integers(9, 4), integers(9, 4), reference=np.multiply, note="integers"),
    sample("elementwise_div", normal(3, 4), positive(4), reference=np.divide),
    sample(
        "elementwise_div",
        integers(9, 4),
        integers(9, 4, low=1),
        reference=lambda x, y: (x / y).astype("f4"),
        note="integers",
    ),
    sample("elementwise_div", complexes(2, 3), complexes(3), reference=np.divide, note="complex", half=False),
    sample("elementwise_div", 1.0, positive(3), reference=np.divide, note="reciprocal", batch=(1,)),
    sample("negative", normal(3, 4), reference=np.negative),
    sample("conj", complexes(3, 4), reference=np.conj, half=False),
    sample("square", normal(3, 4), reference=np.square),
    sample("square", complexes(3), reference=np.square, note="complex", half=False),
    sample("sign", apart(3, 4), reference=np.sign),
    sample("floor", apart(3, 4), reference=np.floor),
    sample("abs", apart(3, 4), reference=np.abs),
    sample("abs", complexes(3, 2), reference=np.abs, note="complex", half=False),
    sample("cast", normal(3, 4), dtype=np.dtype("float32"), reference=lambda x, dtype: x.astype(dtype), gradient=()),
    sample(
        "cast", normal(3), dtype=np.dtype("int64"), reference=lambda x, dtype: np.trunc(x).astype(dtype), note="to int"
    ),
    sample("assign", normal(3, 4), reference=np.copy),
    sample("real", complexes(3, 4), reference=np.real, half=False),
    sample(
        "expand_like", normal(3, 1), normal(2, 3, 4), reference=lambda x, like: np.broadcast_to(x, like.shape), batch=()
    ),
    sample("sum_like", normal(2, 3, 4), normal(3, 1), reference=summed, batch=(0,)),
    sample("sum_like", normal(3, 4), normal(3, 4), reference=lambda x, like: x, note="same shape", batch=(0, 1)),
    sample("reshape_like", normal(3, 4), normal(2, 6), reference=lambda x, like: x.reshape(2, 6), batch=()),
    sample("zeros_like", normal(3, 4), reference=np.zeros_like),
    sample("fill_any_like", normal(3, 4), value=2.0, reference=lambda x, value: np.full_like(x, value)),
    sample(
        "fill_any_like", exactly([1, 2]), value=7, reference=lambda x, value: np.full_like(x, value), note="integers"
    ),
]
