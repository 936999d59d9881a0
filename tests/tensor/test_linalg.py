"""Products, norms, einsum and factorizations: forms of arguments, edge cases, gradients of functions made of ops."""

import numpy as np
import pytest

import paddlite as paddle
from paddlite.core.errors import InvalidArgument, ShapeMismatch
from paddlite.core.program import Program, recording
from paddlite.static.executor import Plan

L = paddle.linalg


def t(array, **options):
    return paddle.to_tensor(array, **options)


def draw(*shape):
    return np.random.default_rng(sum(shape) + len(shape)).standard_normal(shape)


EQUATIONS = [
    ("ij,jk->ik", (2, 3), (3, 4)), ("ij,jk", (2, 3), (3, 4)), ("ij,kj->ik", (2, 3), (4, 3)),
    ("bij,bjk->bik", (2, 3, 4), (2, 4, 5)), ("bhqd,bhkd->bhqk", (2, 3, 4, 5), (2, 3, 6, 5)),
    ("bqhd,bkhd->bhqk", (2, 4, 3, 5), (2, 6, 3, 5)), ("i,j->ij", (3,), (4,)), ("i,i->", (3,), (3,)),
    ("i,i", (3,), (3,)), ("ij,j->i", (2, 3), (3,)), ("ij->ji", (2, 3)), ("ij->", (2, 3)), ("ij->j", (2, 3)),
    ("ii->", (3, 3)), ("ii->i", (3, 3)), ("iij->j", (3, 3, 2)), ("...ij->...ji", (2, 3, 4)),
    ("...ij,...jk->...ik", (2, 3, 4), (4, 5)), ("b...,b...->b...", (2, 3, 4), (2, 3, 4)),
    ("i...,j...->ij...", (2, 3), (4, 3)), ("ij,jk,kl->il", (2, 3), (3, 4), (4, 5)), ("ij,ij->ij", (2, 3), (2, 3)),
    ("ij,ik,il->jkl", (4, 2), (4, 3), (4, 2)), ("ijk,ilm,njm->nkl", (2, 3, 4), (2, 5, 6), (7, 3, 6)),
    ("abcd,cd->ab", (2, 3, 4, 5), (4, 5)), ("ab,cd->abcd", (2, 3), (4, 5)), ("ij,kl->", (2, 3), (4, 5)),
    ("ba", (2, 3)), ("aB,Bc->ca", (2, 3), (3, 4)), (",ij->ij", (), (2, 3)),
    ("i j , j k -> i k", (2, 3), (3, 4)), ("ij,jk->ik", (1, 3), (3, 4)), ("bi,bi->b", (1, 3), (5, 3)),
    ("ij,j->ij", (2, 3), (1,)), ("...->...", (2, 3)), ("...,...", (2, 3), (3,)),
]  # fmt: skip


@pytest.mark.parametrize("case", EQUATIONS, ids=lambda c: f"{c[0]}{c[1:]}")
def test_einsum_is_that_of_numpy_with_gradients(case):
    equation, *shapes = case
    arrays = [draw(*shape) for shape in shapes]
    tensors = [t(a, stop_gradient=False) for a in arrays]
    out = paddle.einsum(equation, *tensors)
    want = np.einsum(equation, *arrays)
    assert out.shape == list(want.shape)
    np.testing.assert_allclose(out.numpy(), want, rtol=1e-10, atol=1e-10)
    weight = draw(*want.shape)
    (out * t(weight)).sum().backward()
    for k, (tensor, array) in enumerate(zip(tensors, arrays)):
        direction = draw(*array.shape)
        moved = [[a + e * direction if i == k else a for i, a in enumerate(arrays)] for e in (1e-6, -1e-6)]
        slope = sum(s * (np.einsum(equation, *m) * weight).sum() for s, m in zip((1, -1), moved)) / 2e-6
        assert (tensor.grad.numpy() * direction).sum() == pytest.approx(slope, rel=1e-6, abs=1e-6)


def test_einsum_sums_over_a_size_of_one_against_another():
    x, y = draw(2, 1), draw(5, 3)
    np.testing.assert_allclose(paddle.einsum("ij,jk->ik", t(x), t(y)).numpy(), x * y.sum(0), rtol=1e-12)


@pytest.mark.parametrize(
    ("equation", "shapes"),
    [
        ("ij,jk", [(2, 3)]),
        ("ijk", [(2, 3)]),
        ("i", [(2, 3)]),
        ("ij->ik", [(2, 3)]),
        ("ij->ii", [(2, 3)]),
        ("i1", [(2, 3)]),
        ("i..j", [(2, 3)]),
    ],
)
def test_einsum_refuses_equations_that_do_not_fit(equation, shapes):
    with pytest.raises(InvalidArgument, match="einsum"):
        paddle.einsum(equation, *[paddle.ones(s) for s in shapes])


def test_einsum_refuses_sizes_that_differ():
    for equation, shapes in (("ij,jk", [(2, 3), (4, 5)]), ("ii", [(2, 3)])):
        with pytest.raises(ShapeMismatch, match="has sizes"):
            paddle.einsum(equation, *[paddle.ones(s) for s in shapes])


def test_einsum_with_a_batch_that_only_a_run_knows():
    program = Program()
    x, y = program.data("x", [-1, 4, 3, 5], "float64"), program.data("y", [-1, 6, 3, 5], "float64")
    with recording(program):
        z = paddle.einsum("bqhd,bkhd->bhqk", x, y)
        w = paddle.einsum("bqhd->bdqh", x)
    assert z.shape == [-1, 3, 4, 6] and w.shape == [-1, 5, 4, 3]
    feeds = {"x": draw(2, 4, 3, 5), "y": draw(2, 6, 3, 5)}
    found = Plan(program, [z._value]).run(feeds, {}, paddle.seed(0))[0]
    np.testing.assert_allclose(found, np.einsum("bqhd,bkhd->bhqk", feeds["x"], feeds["y"]), rtol=1e-10)


A, B, V = draw(3, 3), draw(2, 3, 4), draw(3)
PRODUCTS = [
    ("matmul", lambda: paddle.matmul(t(B), t(B), transpose_y=True), B @ B.swapaxes(1, 2)),
    ("mm", lambda: paddle.mm(t(A), t(V)), A @ V),
    ("bmm", lambda: paddle.bmm(t(B), t(B).mT), B @ B.swapaxes(1, 2)),
    ("mv", lambda: paddle.mv(t(A), t(V)), A @ V),
    ("dot", lambda: paddle.dot(t(V), t(V)), V @ V),
    ("dot of rows", lambda: paddle.dot(t(A), t(A)), (A * A).sum(-1)),
    ("dot of integers", lambda: paddle.dot(t([1, 2]), t([3, 4])), np.array(11)),
    ("vecdot", lambda: L.vecdot(t(B), t(B), axis=1), (B * B).sum(1)),
    ("vecdot of complex numbers", lambda: L.vecdot(t(V + 1j), t(V - 2j)), np.vdot(V + 1j, V - 2j)),
    ("inner", lambda: paddle.inner(t(A), t(B.swapaxes(1, 2))), np.inner(A, B.swapaxes(1, 2))),
    ("inner of a number", lambda: paddle.inner(t(V), t(2.0, dtype="float64")), V * 2),
    ("outer", lambda: paddle.outer(t(A), t(V)), np.outer(A, V)),
    ("kron", lambda: paddle.kron(t(A), t(B)), np.kron(A, B)),
    ("kron of vectors", lambda: paddle.kron(t(V), t(V[:2])), np.kron(V, V[:2])),
    ("trace", lambda: paddle.trace(t(B), 1, 1, 2), np.trace(B, 1, 1, 2)),
    ("trace of integers", lambda: paddle.trace(t([[1, 2], [3, 4]], dtype="int32")), np.array(5, "i4")),
    ("addmm", lambda: paddle.addmm(t(A), t(A), t(A), beta=0.5, alpha=2.0), A * 0.5 + 2 * A @ A),
    ("baddbmm", lambda: paddle.baddbmm(t(B @ B.swapaxes(1, 2)), t(B), t(B).mT), 2 * B @ B.swapaxes(1, 2)),
    ("cross", lambda: paddle.cross(t(A[:, :2]), t(A[:, 1:])), np.cross(A[:, :2], A[:, 1:], axis=0)),
    ("tensordot", lambda: paddle.tensordot(t(B), t(A), [[1], [0]]), np.tensordot(B, A, [[1], [0]])),
    ("tensordot by a number", lambda: paddle.tensordot(t(A), t(B), 0), np.tensordot(A, B, 0)),
    ("tensordot of one list", lambda: paddle.tensordot(t(A), t(A), [1]), np.tensordot(A, A, [[1], [1]])),
    ("tensordot of everything", lambda: paddle.tensordot(t(B), t(B), 3), np.tensordot(B, B, 3)),
    ("multi_dot", lambda: L.multi_dot([t(V), t(A), t(B[0]), t(B[1].T)]), V @ A @ B[0] @ B[1].T),
    ("multi_dot of two", lambda: L.multi_dot([t(A), t(V)]), A @ V),
    ("matrix_power", lambda: L.matrix_power(t(A), 5), np.linalg.matrix_power(A, 5)),
    ("matrix_power 0", lambda: L.matrix_power(t(B[:, :, :3]), 0), np.stack([np.eye(3)] * 2)),
    ("matrix_power -2", lambda: L.matrix_power(t(A), -2), np.linalg.matrix_power(A, -2)),
    ("cdist", lambda: paddle.cdist(t(A), t(A[:2])), np.linalg.norm(A[:, None] - A[:2], axis=-1)),
    ("pdist", lambda: paddle.pdist(t(A), 1.0), np.abs(A[[0, 0, 1]] - A[[1, 2, 2]]).sum(-1)),
    ("dist", lambda: paddle.dist(t(A), t(V), 3), np.linalg.norm((A - V).ravel(), 3)),
]  # fmt: skip


@pytest.mark.parametrize(("call", "want"), [p[1:] for p in PRODUCTS], ids=[p[0] for p in PRODUCTS])
def test_products_are_those_of_numpy(call, want):
    got = call()
    assert got.shape == list(np.shape(want)) and got.numpy().dtype == np.asarray(want).dtype
    np.testing.assert_allclose(got.numpy(), want, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("p", [None, "fro", "nuc", 1, 2, -1, -2, np.inf, -np.inf])
@pytest.mark.parametrize("keepdim", [False, True])
def test_matrix_norms_are_those_of_numpy(p, keepdim):
    got = paddle.norm(t(B), p, axis=[2, 0], keepdim=keepdim).numpy()
    np.testing.assert_allclose(got, np.linalg.norm(B, p, axis=(2, 0), keepdims=keepdim), rtol=1e-10)


@pytest.mark.parametrize("p", [None, "fro", 0, 1, 2, 3, 0.5, -1, np.inf, -np.inf])
@pytest.mark.parametrize("axis", [None, 1, [-1]])
def test_vector_norms_are_those_of_numpy(p, axis):
    q = 2 if p in (None, "fro") else p
    plain = axis[0] if isinstance(axis, list) else axis
    want = np.linalg.norm(B.ravel() if axis is None else B, q, axis=plain)
    np.testing.assert_allclose(paddle.norm(t(B), p, axis).numpy(), want, rtol=1e-10)


@pytest.mark.parametrize(
    ("p", "want"), [(2, [0.0, 0.0]), (1, [0.0, 0.0]), (3, [0.0, 0.0]), (np.inf, [0.0, 0.0]), (0, [0.0, 0.0])]
)
def test_the_gradient_of_a_norm_at_zero_is_zero(p, want):
    x = paddle.zeros([2])
    x.stop_gradient = False
    paddle.norm(x, p).backward()
    assert x.grad.tolist() == want


def hermitian(n):
    a = draw(n, n)
    return a @ a.T + np.diag(np.arange(1.0, n + 1))


def test_factorizations_take_either_triangle():
    full = hermitian(3)
    for upper, part in ((False, np.tril(full)), (True, np.triu(full))):
        np.testing.assert_allclose(
            L.cholesky(t(part), upper).numpy(), np.linalg.cholesky(full).T if upper else np.linalg.cholesky(full)
        )
        np.testing.assert_allclose(L.eigvalsh(t(part), "U" if upper else "L").numpy(), np.linalg.eigvalsh(full))


def test_gradients_of_hermitian_functions_are_hermitian():
    x = t(hermitian(3), stop_gradient=False)
    (L.eigh(x)[1] ** 3).sum().backward()
    np.testing.assert_allclose(x.grad.numpy(), x.grad.numpy().T)


@pytest.mark.parametrize(
    "function",
    [
        lambda x: (L.eigh(x)[1].abs() ** 3).sum() + (L.eigh(x)[0] ** 2).sum(),
        lambda x: (L.svd(x)[0] @ L.svd(x)[2]).abs().sum(),
        lambda x: (L.svd(x)[0].abs() ** 3).sum(),
        lambda x: (L.eig(x)[1].abs() ** 3).sum() + L.eig(x)[0].abs().sum(),
        lambda x: L.cond(x, 1),
        lambda x: (L.qr(x)[1] ** 2)[0].abs().sum(),
    ],
    ids=["eigh", "svd", "left vectors", "eig", "cond", "qr"],
)
@pytest.mark.parametrize("kind", ["float64", "complex128"])
def test_gradients_do_not_depend_on_how_factors_are_chosen(function, kind):
    """Functions of the factors that no choice of signs or phases changes have slopes that the rules must give."""
    base = draw(3, 3) + (1j * draw(3, 4)[:, :3] if kind == "complex128" else 0) + np.diag([1.0, 3.0, 6.0])
    direction = draw(4, 3)[:3] + (1j * draw(5, 3)[:3] if kind == "complex128" else 0)
    if "eigh" in function.__code__.co_names:
        base, direction = base + base.conj().T, direction + direction.conj().T
    x = t(base, stop_gradient=False)
    function(x).backward()
    ends = [function(t(base + e * direction)).item() for e in (1e-6, -1e-6)]
    slope = (ends[0] - ends[1]) / 2e-6
    assert np.real(np.sum(x.grad.numpy().conj() * direction)) == pytest.approx(slope, rel=1e-5, abs=1e-7)


def test_systems_with_factors():
    a, b = hermitian(3), draw(3, 2)
    want = np.linalg.solve(a, b)
    lower = L.cholesky(t(a))
    np.testing.assert_allclose(L.cholesky_solve(t(b), lower).numpy(), want)
    np.testing.assert_allclose(L.cholesky_solve(t(b), lower.mT, upper=True).numpy(), want)
    np.testing.assert_allclose(L.cholesky_inverse(lower).numpy(), np.linalg.inv(a), atol=1e-12)
    np.testing.assert_allclose(L.solve(t(A), t(b)).numpy(), np.linalg.solve(A, b))
    np.testing.assert_allclose(L.solve(t(A), t(b.T), left=False).numpy(), np.linalg.solve(A.T, b).T)
    np.testing.assert_allclose(L.solve(t(A), t(V)).numpy(), np.linalg.solve(A, V))
    factors, pivots = L.lu(t(A))
    for trans, matrix in (("N", A), ("T", A.T), ("C", A.T)):
        np.testing.assert_allclose(L.lu_solve(t(b), factors, pivots, trans).numpy(), np.linalg.solve(matrix, b))


@pytest.mark.parametrize("shape", [(3, 3), (4, 2), (2, 4), (2, 3, 3)])
def test_lu_factors_multiply_to_the_matrix(shape):
    x = draw(*shape)
    p, lower, upper = L.lu_unpack(*L.lu(t(x)))
    np.testing.assert_allclose((p @ lower @ upper).numpy(), x, atol=1e-12)
    assert L.lu_unpack(*L.lu(t(x)), unpack_ludata=False)[1:] == (None, None)
    assert L.lu(paddle.zeros([2, 2]), get_infos=True)[2].item() == 1


def test_householder_products_are_those_of_lapack():
    from scipy.linalg import lapack

    x = draw(4, 3)
    packed, tau = (t(np.ascontiguousarray(part)) for part in lapack.dgeqrf(x)[:2])
    q = L.householder_product(packed, tau).numpy()
    np.testing.assert_allclose(q @ np.triu(packed.numpy()[:3]), x, atol=1e-12)
    y = draw(4, 2)
    full = L.ormqr(packed, tau, paddle.eye(4, dtype="float64")).numpy()
    np.testing.assert_allclose(full[:, :3], q, atol=1e-12)
    np.testing.assert_allclose(L.ormqr(packed, tau, t(y), transpose=True).numpy(), full.T @ y, atol=1e-12)
    np.testing.assert_allclose(L.ormqr(packed, tau, t(y.T), left=False).numpy(), y.T @ full, atol=1e-12)


def test_ranks_conditions_and_least_squares():
    low = draw(4, 2) @ draw(2, 3)
    assert L.matrix_rank(t(low)).item() == 2 and L.matrix_rank(t(low), tol=1e3).item() == 0
    assert L.matrix_rank(t(low @ low.T), hermitian=True).item() == 2 and L.matrix_rank(t(B)).tolist() == [3, 3]
    assert (
        L.matrix_rank(t(np.diag([1.0, 0.1])), rtol=0.5).item()
        == 1
        == L.matrix_rank(t(np.diag([1.0, 0.1])), atol=0.5).item()
    )
    for p in (None, 2, -2, "fro", "nuc", 1, np.inf):
        np.testing.assert_allclose(L.cond(t(A), p).item(), np.linalg.cond(A, p))
    x, y = draw(5, 3), draw(5, 2)
    want = np.linalg.lstsq(x, y)
    for driver in (None, "gels", "gelsd", "gelss", "gelsy"):
        solution, residuals, rank, values = L.lstsq(t(x), t(y), driver=driver)
        np.testing.assert_allclose(solution.numpy(), want[0])
        if driver in ("gelsd", "gelss"):
            np.testing.assert_allclose(residuals.numpy(), want[1])
            np.testing.assert_allclose(values.numpy(), want[3])
            assert rank.item() == 3
    assert L.svdvals(t(x)).shape == [3] and L.qr(t(x), "r").shape == [3, 3] and L.svd(t(x), True)[0].shape == [5, 5]


def test_low_rank_factors_find_the_large_singular_values():
    x = draw(20, 3) @ draw(3, 15)
    u, s, v = L.svd_lowrank(t(x), q=4)
    np.testing.assert_allclose(s.numpy()[:3], np.linalg.svd(x, compute_uv=False)[:3])
    np.testing.assert_allclose((u * s @ v.mT).numpy(), x, atol=1e-9)
    u, s, v = L.pca_lowrank(t(x.T), q=3)
    np.testing.assert_allclose(s.numpy(), np.linalg.svd(x.T - x.T.mean(0), compute_uv=False)[:3])


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: paddle.bmm(t(A), t(A)), ShapeMismatch),
        (lambda: paddle.mv(t(A), t(A)), ShapeMismatch),
        (lambda: paddle.dot(t(V), t(A)), ShapeMismatch),
        (lambda: paddle.cross(paddle.ones([2]), paddle.ones([2])), ShapeMismatch),
        (lambda: paddle.tensordot(t(A), t(B), 1), ShapeMismatch),
        (lambda: L.multi_dot([t(A)]), InvalidArgument),
        (lambda: L.multi_dot([t(A), t(V), t(A)]), ShapeMismatch),
        (lambda: L.matrix_power(t(B), 2), ShapeMismatch),
        (lambda: paddle.norm(t(A), 3, axis=[0, 1]), InvalidArgument),
        (lambda: paddle.norm(t(B), "nuc"), InvalidArgument),
        (lambda: paddle.norm(t(B), axis=[0, 1, 2]), InvalidArgument),
        (lambda: L.matrix_norm(t(B), axis=[1, 1]), InvalidArgument),
        (lambda: L.inv(paddle.zeros([2, 2])), InvalidArgument),
        (lambda: L.cholesky(t(-hermitian(2))), InvalidArgument),
        (lambda: L.qr(t(A), "full"), InvalidArgument),
        (lambda: L.eigh(t(A), "X"), InvalidArgument),
        (lambda: L.lstsq(t(A), t(A), driver="x"), InvalidArgument),
        (lambda: L.lu(t(A), pivot=False), InvalidArgument),
        (lambda: L.svd_lowrank(t(A), q=4), InvalidArgument),
        (lambda: L.cond(t(V)), ShapeMismatch),
        (lambda: paddle.cdist(t(A), t(A), p=-1), InvalidArgument),
        (lambda: paddle.matmul(t(A), paddle.ones([2, 2])), ShapeMismatch),
        (lambda: L.det(t(B)), ShapeMismatch),
        (lambda: paddle.norm(t([1, 2])), TypeError),
    ],
)
def test_what_does_not_fit_is_refused(call, error):
    with pytest.raises(error):
        call()
