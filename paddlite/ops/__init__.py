"""Row 2: the ops, one file a family.  Importing the package fills the registry."""

from paddlite.ops import activation, arithmetic, compare, conv, index, like, matmul, power, reduce, select, shape

__all__ = [
    "activation",
    "arithmetic",
    "compare",
    "conv",
    "index",
    "like",
    "matmul",
    "power",
    "reduce",
    "select",
    "shape",
]
