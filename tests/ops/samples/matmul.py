"""Samples of `ops/matmul.py`."""

import numpy as np

from paddlite.core.errors import ShapeMismatch
from tests.ops.sample import complexes, normal, sample


def product(x, y, transpose_x=False, transpose_y=False):
    x = np.swapaxes(x, -1, -2) if transpose_x and x.ndim > 1 else x
    y = np.swapaxes(y, -1, -2) if transpose_y and y.ndim > 1 else y
    return np.matmul(x, y)


def affine(x, weight, bias=None):
    return np.matmul(x, weight) + (0 if bias is None else bias)


CASES = [
    ("plain", (3, 4), (4, 2), {}),
    ("left turned", (4, 3), (4, 2), {"transpose_x": True}),
    ("right turned", (3, 4), (2, 4), {"transpose_y": True}),
    ("both turned", (4, 3), (2, 4), {"transpose_x": True, "transpose_y": True}),
    ("batch", (2, 3, 4), (2, 4, 5), {}),
    ("batch turned", (2, 4, 3), (2, 5, 4), {"transpose_x": True, "transpose_y": True}),
    ("rows by matrix", (2, 3, 4), (4, 5), {}),
    ("rows by turned matrix", (2, 3, 4), (5, 4), {"transpose_y": True}),
    ("matrix by batch", (3, 4), (2, 4, 5), {}),
    ("broadcast batch", (2, 1, 3, 4), (5, 4, 2), {}),
    ("vectors", (4,), (4,), {}),
    ("vector by matrix", (4,), (4, 3), {}),
    ("vector by turned matrix", (4,), (3, 4), {"transpose_y": True}),
    ("vector by batch", (4,), (2, 4, 3), {}),
    ("matrix by vector", (3, 4), (4,), {}),
    ("turned matrix by vector", (4, 3), (4,), {"transpose_x": True}),
    ("batch by vector", (2, 3, 4), (4,), {}),
]

SAMPLES = [
    *[
        sample("matmul_v2", normal(*x), normal(*y), reference=product, note=note, batch=(0,) if len(x) > 1 else (), **attrs)
        for note, x, y, attrs in CASES
    ],
    sample(
        "matmul_v2",
        complexes(3, 4),
        complexes(4, 2),
        reference=product,
        note="complex",
        half=False,
        bad=(((normal(3, 4), normal(3, 2)), {}, ShapeMismatch),),
    ),
    sample("matmul_to", normal(2, 4, 3), normal(2, 4, 5), normal(3, 5), transpose_x=True, note="rows",
           reference=lambda x, y, like, transpose_x: np.einsum("bki,bkj->ij", x, y)),
    sample("matmul_to", normal(2, 3, 4), normal(4, 5), normal(2, 3, 5), reference=lambda x, y, like: x @ y, batch=(0, 2)),
    sample("matmul_to", normal(2, 3, 4), normal(2, 5, 4), normal(1, 3, 5), transpose_y=True, note="to one",
           reference=lambda x, y, like, transpose_y: np.einsum("bik,bjk->ij", x, y)[None]),
    sample("linear", normal(3, 4), normal(4, 2), normal(2), reference=affine,
           bad=(((normal(3, 5), normal(4, 2), None), {}, ShapeMismatch), ((normal(3, 4), normal(4, 2), normal(3)), {}, ShapeMismatch))),
    sample("linear", normal(2, 3, 4), normal(4, 5), normal(5), reference=affine, note="rows"),
    sample("linear", normal(3, 4), normal(4, 2), None, reference=affine, note="no bias"),
]  # fmt: skip
