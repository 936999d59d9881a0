"""`paddle.linalg`: products, norms and factorizations of matrices."""

from __future__ import annotations

from paddlite.core.guard import guarded
from paddlite.tensor.decomposition import (
    cholesky,
    cholesky_inverse,
    cholesky_solve,
    cond,
    det,
    eig,
    eigh,
    eigvals,
    eigvalsh,
    inv,
    lstsq,
    matrix_exp,
    matrix_rank,
    pinv,
    qr,
    slogdet,
    solve,
    svd,
    svdvals,
    triangular_solve,
)
from paddlite.tensor.factors import (
    householder_product,
    lu,
    lu_solve,
    lu_unpack,
    ormqr,
    pca_lowrank,
    svd_lowrank,
)
from paddlite.tensor.manipulation import diagonal, matrix_transpose
from paddlite.tensor.matrix import cross, matmul, matrix_power, multi_dot, vecdot
from paddlite.tensor.norms import matrix_norm, norm, vector_norm
from paddlite.tensor.stat import corrcoef, cov

__all__ = [
    "cholesky", "cholesky_inverse", "cholesky_solve", "cond", "corrcoef", "cov", "cross", "det", "diagonal", "eig",
    "eigh", "eigvals", "eigvalsh", "householder_product", "inv", "lstsq", "lu", "lu_solve", "lu_unpack", "matmul",
    "matrix_exp", "matrix_norm", "matrix_power", "matrix_rank", "matrix_transpose", "multi_dot", "norm", "ormqr",
    "pca_lowrank", "pinv", "qr", "slogdet", "solve", "svd", "svd_lowrank", "svdvals", "triangular_solve", "vecdot",
    "vector_norm",
]  # fmt: skip

for _name in __all__:
    globals()[_name] = guarded(globals()[_name], __name__)
