"""Samples of `ops/matrices.py`, `ops/factor.py` and `ops/norms.py`."""

import numpy as np
from scipy import linalg

from paddlite.core.errors import DTypeMismatch, InvalidArgument, ShapeMismatch
from tests.ops.sample import Spec, complexes, exactly, integers, normal, sample


def definite(*shape, kind="f"):
    """Hermitian matrices with eigenvalues from 1 up, well apart."""

    def make(rng):
        a = rng.standard_normal(shape) + (1j * rng.standard_normal(shape) if kind == "c" else 0)
        return a @ a.conj().swapaxes(-1, -2) + np.diag(np.arange(1.0, shape[-1] + 1))

    return Spec(make)


def regular(*shape, kind="f"):
    """Square matrices far from singular, with eigenvalues apart."""

    def make(rng):
        a = rng.standard_normal(shape) + (1j * rng.standard_normal(shape) if kind == "c" else 0)
        return a * 0.3 + np.diag(np.arange(1.0, shape[-1] + 1))

    return Spec(make)


def sizes_apart(*shape):
    """Numbers of either sign whose absolute values all differ."""

    def make(rng):
        count = int(np.prod(shape))
        return (rng.permutation(np.arange(1.0, count + 1)) * rng.choice([-0.3, 0.3], count)).reshape(shape)

    return Spec(make)


def triangular(x, y, upper=True, transpose=False, unitriangular=False):
    def one(a, b):
        return linalg.solve_triangular(a, b, trans=1 if transpose else 0, lower=not upper, unit_diagonal=unitriangular)

    batch = np.broadcast_shapes(x.shape[:-2], y.shape[:-2])
    x, y = np.broadcast_to(x, (*batch, *x.shape[-2:])), np.broadcast_to(y, (*batch, *y.shape[-2:]))
    return np.stack([one(a, b) for a, b in zip(x, y)]) if batch else one(x, y)


def norm(x, p=2.0, axis=None, keepdim=False):
    size = np.abs(x)
    how = {"axis": axis, "keepdims": keepdim}
    if p == 0:
        return (size != 0).sum(**how).astype("f8")
    if abs(p) == np.inf:
        return (size.max if p > 0 else size.min)(**how)
    return (size**p).sum(**how) ** (1 / p)


def restores(*names):
    """The factors multiply to the input; `names` says which of the other facts hold."""

    def check(outputs, inputs):
        x = np.asarray(inputs[0]).astype("c16" if inputs[0].dtype.kind == "c" else "f8")
        close = {"atol": 2e-4 if outputs[0].dtype.itemsize // (2 if outputs[0].dtype.kind == "c" else 1) < 8 else 1e-10}
        parts = [np.asarray(o) for o in outputs]
        if "lu" in names:
            packed, pivots, info = parts
            k = min(x.shape[-2:])
            product = (np.tril(packed[..., :k], -1) + np.eye(x.shape[-2], k)) @ np.triu(packed[..., :k, :])
            moved = x.copy().reshape(-1, *x.shape[-2:])
            for matrix, exchanges in zip(moved, pivots.reshape(-1, k)):
                for row, other in enumerate(exchanges - 1):
                    matrix[[row, other]] = matrix[[other, row]]
            np.testing.assert_allclose(product, moved.reshape(x.shape), **close)
            assert (np.abs(np.tril(packed, -1)) <= 1 + 1e-6).all() and not info.any()
        elif "svd" in names:
            u, s, vh = parts
            k = s.shape[-1]
            np.testing.assert_allclose((u[..., :k] * s[..., None, :]) @ vh[..., :k, :], x, **close)
            np.testing.assert_allclose(s, np.linalg.svd(x, compute_uv=False), **close)
            for q in (u, vh.conj().swapaxes(-1, -2)):
                np.testing.assert_allclose(
                    q.conj().swapaxes(-1, -2) @ q,
                    np.broadcast_to(np.eye(q.shape[-1]), (*q.shape[:-2], *[q.shape[-1]] * 2)),
                    **close,
                )
        elif "qr" in names:
            q, r = parts
            np.testing.assert_allclose(q @ r, x, **close)
            np.testing.assert_allclose(r, np.triu(r), **close)
            np.testing.assert_allclose(
                q.conj().swapaxes(-1, -2) @ q,
                np.broadcast_to(np.eye(q.shape[-1]), (*q.shape[:-2], *[q.shape[-1]] * 2)),
                **close,
            )
        else:  # eigenvalues and eigenvectors
            values, vectors = parts
            np.testing.assert_allclose(x @ vectors, vectors * values[..., None, :], **close)
            np.testing.assert_allclose(np.abs(vectors**2).sum(-2), 1, **close)

    return check


LINALG = {"half": False, "tolerance": 20.0}

SAMPLES = [
    sample("inverse", regular(2, 3, 3), reference=np.linalg.inv, **LINALG, bad=(((normal(2, 3),), {}, ShapeMismatch), ((integers(3, 2, 2),), {}, DTypeMismatch))),
    sample("inverse", regular(3, 3, kind="c"), reference=np.linalg.inv, note="complex", batch=(), **LINALG),
    sample("determinant", regular(2, 3, 3), reference=np.linalg.det, **LINALG),
    sample("determinant", regular(3, 3, kind="c"), reference=lambda x: np.array(np.linalg.det(x)), note="complex", batch=(), **LINALG),
    sample("slogdeterminant", regular(2, 3, 3), reference=lambda x: tuple(np.linalg.slogdet(x)), **LINALG),
    sample("solve", regular(2, 3, 3), normal(3, 2), reference=np.linalg.solve, **LINALG, bad=(((normal(2, 2), normal(3, 1)), {}, ShapeMismatch), ((normal(2, 2), normal(2)), {}, ShapeMismatch))),
    sample("solve", regular(3, 3, kind="c"), complexes(2, 3, 2), reference=np.linalg.solve, note="complex", batch=(1,), **LINALG),
    *[
        sample("triangular_solve", regular(2, 3, 3, kind=kind), normal(3, 2) if kind == "f" else complexes(2, 3, 1), reference=triangular,
               note=f"{kind} {upper} {turned} {unit}", upper=upper, transpose=turned, unitriangular=unit, **LINALG)
        for kind, upper, turned, unit in (("f", True, False, False), ("f", False, True, True), ("c", True, True, False), ("c", False, False, True))
    ],
    sample("pinv", normal(2, 4, 3), reference=np.linalg.pinv, **LINALG, bad=(((normal(3),), {}, ShapeMismatch),)),
    sample("pinv", complexes(2, 3), reference=np.linalg.pinv, note="wide complex", batch=(), **LINALG),
    sample("matrix_exp", normal(2, 3, 3), reference=lambda x: np.stack([linalg.expm(a) for a in x]), **LINALG),
    sample("matrix_exp", complexes(3, 3), reference=linalg.expm, note="complex", batch=(), **LINALG),
    sample("matrix_exp", normal(2, 2, scale=20.0), reference=linalg.expm, note="large", gradient=(), batch=(), half=False, tolerance=1e3),
    sample("upper_right", normal(6, 6), normal(3, 3), reference=lambda x, like: x[:3, 3:], batch=()),
    sample("upper_right_grad", normal(3, 3), normal(6, 6), reference=lambda x, like: np.block([[np.zeros((3, 3)), x], [np.zeros((3, 6))]]), batch=()),
    sample("hermitian_of", normal(3, 3), reference=lambda x: np.tril(x) + np.tril(x, -1).T, gradient=(), batch=()),
    sample("hermitian_of", complexes(2, 3, 3), upper=True, note="upper complex", gradient=(), half=False,
           reference=lambda x, upper: np.triu(x, 1) + np.triu(x, 1).conj().swapaxes(1, 2) + np.eye(3) * x.real),
    sample("cholesky", definite(2, 3, 3), reference=np.linalg.cholesky, **LINALG),
    sample("cholesky", definite(3, 3, kind="c"), upper=True, reference=lambda x, upper: np.linalg.cholesky(x).conj().T, note="upper complex", batch=(), **LINALG),
    *[
        sample("lu", normal(*shape), check=restores("lu"), note=str(shape), batch=(), **LINALG)
        for shape in ((2, 3, 3), (4, 2), (2, 4))
    ],
    sample("lu", complexes(3, 3), check=restores("lu"), note="complex", batch=(), **LINALG, bad=(((normal(3),), {}, ShapeMismatch),)),
    sample("unit_lower", normal(2, 3, 2), reference=lambda x: np.tril(x, -1) + np.eye(3, 2)),
    sample("pivot_order", exactly([[3, 3, 3]], "int32"), normal(1, 4, 3), reference=lambda p, like: np.array([[2, 0, 1, 3]]), batch=(0, 1)),
    sample("pivot_order", exactly([3, 3], "int32"), normal(4, 2), inverse=True, reference=lambda p, like, inverse: np.array([1, 2, 0, 3]), note="inverse", batch=()),
    *[
        sample("qr", make(*shape), check=restores("qr"), note=note, mode=mode, batch=(), second="complex" not in note, **LINALG)
        for note, make, shape, mode in (
            ("tall", normal, (2, 4, 3), "reduced"), ("wide", normal, (2, 4), "reduced"), ("square", normal, (3, 3), "complete"),
            ("complex", complexes, (4, 3), "reduced"),
        )
    ],
    sample("qr", normal(4, 2), mode="complete", check=restores("qr"), note="complete", gradient=(), batch=(), half=False,
           bad=(((normal(3),), {}, ShapeMismatch), ((normal(2, 2),), {"mode": "full"}, InvalidArgument))),
    *[
        sample("svd", normal(*shape), check=restores("svd"), note=note, batch=(), **LINALG)
        for note, shape in (("tall", (2, 4, 3)), ("wide", (2, 4)), ("square", (3, 3)))
    ],
    sample("svd", normal(4, 2), full_matrices=True, check=restores("svd"), note="full", gradient=(), batch=(), half=False, bad=(((normal(3),), {}, ShapeMismatch),)),
    sample("svd", complexes(3, 2), check=restores("svd"), note="complex", gradient=(), batch=(), half=False),
    sample("svdvals", normal(2, 3, 4), reference=lambda x: np.linalg.svd(x, compute_uv=False), **LINALG),
    sample("svdvals", complexes(3, 2), reference=lambda x: np.linalg.svd(x, compute_uv=False), note="complex", batch=(), **LINALG),
    sample("eigh", definite(2, 3, 3), check=restores("eig"), **LINALG),
    sample("eigh", definite(3, 3, kind="c"), check=restores("eig"), note="complex", gradient=(), batch=(), half=False),
    sample("eig", regular(2, 3, 3), check=restores("eig"), gradient=(), **LINALG),
    sample("eigvals", regular(2, 3, 3), reference=lambda x: np.linalg.eigvals(x).astype("c16"), **LINALG),
    sample("eigvals", regular(3, 3, kind="c"), reference=np.linalg.eigvals, note="complex", batch=(), **LINALG),
    *[
        sample("p_norm", sizes_apart(3, 4, 2), p=p, axis=axis, keepdim=keepdim, reference=norm, note=str(p), half=p == 2.0)
        for p, axis, keepdim in ((2.0, 1, False), (1.0, (0, 2), True), (3.0, None, False), (0.5, -1, False), (np.inf, 1, True), (-np.inf, None, False), (0.0, 1, False))
    ],
    sample("p_norm", complexes(3, 2), axis=0, reference=norm, note="complex", half=False, bad=(((integers(3, 2),), {}, DTypeMismatch), ((normal(0, 2),), {"p": np.inf}, InvalidArgument))),
    sample("p_norm", complexes(3, 2), p=3.0, reference=norm, note="complex cubes", half=False),
    sample("cross", normal(2, 3), normal(2, 3), reference=lambda x, y: np.cross(x, y), bad=(((normal(2), normal(2)), {}, ShapeMismatch),)),
    sample("cross", complexes(3, 2), normal(3, 1), axis=0, reference=lambda x, y, axis: np.cross(x, np.broadcast_to(y, (3, 2)), axis=0), note="first axis", batch=(), half=False),
]  # fmt: skip
