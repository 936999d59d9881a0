"""Statistics and running sums through the public functions."""

import numpy as np
import pytest

import paddlite as paddle
from paddlite.core.errors import DTypeMismatch, InvalidArgument, ShapeMismatch

NAN = float("nan")
X = np.random.default_rng(5).standard_normal((3, 4, 2)).astype("float32")


def tensor(values, dtype=None, grad=False):
    return paddle.to_tensor(values, dtype=dtype, stop_gradient=not grad)


@pytest.mark.parametrize(("axis", "plain"), [(None, None), (1, 1), ([0, -1], (0, 2)), ("tensor", 0)])
@pytest.mark.parametrize("unbiased", [True, False])
def test_var_and_std(axis, plain, unbiased):
    axis = tensor(0) if isinstance(axis, str) else axis
    for name in ("var", "std"):
        want = getattr(np, name)(X, axis=plain, ddof=int(unbiased), keepdims=True)
        out = getattr(paddle, name)(tensor(X), axis, unbiased, True)
        np.testing.assert_allclose(out.numpy(), want, rtol=1e-5)


def test_var_takes_a_correction():
    assert paddle.var(tensor([1.0, 3.0]), correction=0).item() == 1.0
    assert np.isnan(paddle.var(tensor([1.0])).item())
    assert np.isnan(paddle.std(tensor(np.zeros((0, 3), "float32"))).item())
    assert paddle.var(tensor([1, 3])).dtype == paddle.float32


@pytest.mark.parametrize(
    ("values", "mode", "middle"),
    [([1.0, 3.0, 2.0], "avg", 2.0), ([1.0, 3.0, 2.0, 4.0], "avg", 2.5), ([1.0, 3.0, 2.0, 4.0], "min", 2.0),
     ([1.0, NAN, 3.0], "avg", NAN), ([], "avg", NAN)],
)  # fmt: skip
def test_median(values, mode, middle):
    np.testing.assert_array_equal(paddle.median(tensor(values), mode=mode).item(), middle)


def test_median_keeps_integers_only_where_it_picks_one():
    x = tensor([[2**40 + 1, 5, 2**40]])
    assert paddle.median(x).dtype == paddle.float32
    value, index = paddle.median(x, axis=1, mode="min")
    assert (value.tolist(), index.tolist(), value.dtype) == ([2**40], [2], paddle.int64)


def test_nanmedian_leaves_nan_out():
    x = tensor([[1.0, 3.0, NAN, 4.0], [NAN, NAN, NAN, NAN]])
    assert paddle.nanmedian(x, axis=1).numpy()[0] == 3.0
    assert np.isnan(paddle.nanmedian(x, axis=1).numpy()[1])
    assert [p.tolist()[0] for p in paddle.nanmedian(x, axis=1, mode="min")] == [3.0, 1]
    assert paddle.nanmedian(x, axis=[0, 1], keepdim=True).shape == [1, 1]


def test_gradient_of_the_median():
    x = tensor([1.0, 3.0, 2.0, 4.0], grad=True)
    paddle.median(x).backward()
    assert x.grad.tolist() == [0.0, 0.5, 0.5, 0.0]


@pytest.mark.parametrize("way", ["linear", "lower", "higher", "midpoint", "nearest"])
@pytest.mark.parametrize("axis", [None, 1, [0, 2]])
def test_quantile_agrees_with_numpy(way, axis):
    plain = tuple(axis) if isinstance(axis, list) else axis
    want = np.quantile(X.astype("f8"), [0.1, 0.6], axis=plain, method=way, keepdims=True)
    out = paddle.quantile(tensor(X, "float64"), [0.1, 0.6], axis=axis, keepdim=True, interpolation=way)
    np.testing.assert_allclose(out.numpy(), want)


def test_quantile_forms():
    x = tensor([1.0, 3.0, 2.0, 4.0])
    assert paddle.quantile(x, 0.5).shape == []
    assert paddle.quantile(x, tensor([0.5])).shape == []
    assert paddle.quantile(x, [0.5]).shape == [1]
    assert paddle.nanquantile(tensor([1.0, NAN, 3.0]), 0.5).item() == 2.0
    with pytest.raises(DTypeMismatch, match="floating point"):
        paddle.quantile(tensor([1, 2]), 0.5)
    with pytest.raises(InvalidArgument, match=r"numbers in \[0, 1\]"):
        paddle.quantile(x, 2.0)


def test_histogram_finds_its_own_bounds():
    assert paddle.histogram(tensor([1.0, 2.0, 1.0]), bins=4).tolist() == [2, 0, 0, 1]
    assert paddle.histogram(tensor([2.0, 2.0]), bins=4).tolist() == [0, 0, 2, 0]
    assert paddle.histogram_bin_edges(tensor([2.0, 2.0]), bins=2).tolist() == [1.5, 2.0, 2.5]
    assert paddle.histogram(tensor([1, 2, 1]), 4, 0, 3, weight=tensor([1.0, 2.0, 3.0])).tolist() == [0.0, 4.0, 2.0, 0.0]
    with pytest.raises(InvalidArgument, match="must not be above max"):
        paddle.histogram(tensor([1.0]), min=3, max=1)


def test_histogramdd_agrees_with_numpy():
    x = X[..., :2].astype("f8")
    weights = np.linspace(0.5, 1.5, 12).reshape(3, 4)
    for options in ({}, {"density": True}, {"weights": weights}):
        given = {k: tensor(v) if k == "weights" else v for k, v in options.items()}
        counts, edges = paddle.histogramdd(tensor(x), bins=[3, 4], ranges=[-1.0, 1.0, -2.0, 2.0], **given)
        options = {**options, **({"weights": weights.reshape(-1)} if "weights" in options else {})}
        want, bounds = np.histogramdd(x.reshape(-1, 2), [3, 4], [(-1, 1), (-2, 2)], **options)
        np.testing.assert_allclose(counts.numpy(), want)
        for edge, bound in zip(edges, bounds, strict=True):
            np.testing.assert_allclose(edge.numpy(), bound)
    counts, edges = paddle.histogramdd(tensor(x), bins=[edges[0], 2])
    assert counts.shape == [3, 2]
    with pytest.raises(InvalidArgument, match="2 entries of bins"):
        paddle.histogramdd(tensor(x), bins=[3])


def test_bincount_refuses_negative_numbers():
    assert paddle.bincount(tensor([1, 1]), minlength=tensor(4)).tolist() == [0, 2, 0, 0]
    with pytest.raises(InvalidArgument, match="must not be negative"):
        paddle.bincount(tensor([-1, 2]))


@pytest.mark.parametrize("rowvar", [True, False])
@pytest.mark.parametrize("ddof", [True, False])
@pytest.mark.parametrize("weighted", [(), ("f",), ("a",), ("f", "a")])
def test_cov_agrees_with_numpy(rowvar, ddof, weighted):
    x = X[..., 0].astype("f8")
    size = x.shape[1] if rowvar else x.shape[0]
    f = np.arange(1, size + 1) if "f" in weighted else None
    a = np.linspace(0.5, 1.5, size) if "a" in weighted else None
    want = np.cov(x, rowvar=rowvar, ddof=int(ddof), fweights=f, aweights=a)
    out = tensor(x).cov(rowvar, ddof, None if f is None else tensor(f), None if a is None else tensor(a))
    np.testing.assert_allclose(out.numpy(), want, rtol=1e-9)


def test_correlations():
    np.testing.assert_allclose(tensor(X[..., 0]).corrcoef().numpy(), np.corrcoef(X[..., 0]), rtol=1e-4, atol=1e-6)
    assert tensor([1.0, 2.0]).cov().shape == []
    assert tensor([1.0, 2.0]).corrcoef().item() == 1.0
    with pytest.raises(ShapeMismatch, match="1 or 2 axes"):
        tensor(X).cov()


@pytest.mark.parametrize("name", ["cumsum", "cumprod", "logcumsumexp", "cummax", "cummin"])
def test_running_functions_lay_the_tensor_flat(name):
    out = getattr(paddle, name)(tensor([[1.0, 2.0], [3.0, 4.0]]))
    assert (out[0] if isinstance(out, tuple) else out).shape == [4]
    out = getattr(paddle, name)(tensor(2.0))
    assert (out[0] if isinstance(out, tuple) else out).shape == [1]


def test_dtypes_of_running_functions():
    assert paddle.cumsum(tensor([1, 2], "int32")).dtype == paddle.int64
    assert paddle.cumsum(tensor([1.5, 2.0]), dtype="int32").tolist() == [1, 3]
    assert paddle.cumprod(tensor([1.0, 2.0]), 0, dtype="float64").dtype == paddle.float64
    assert paddle.cummax(tensor([1.0, 2.0]), dtype="int32")[1].dtype == paddle.int32
    with pytest.raises(InvalidArgument, match="must be int32 or int64"):
        paddle.cummax(tensor([1.0]), dtype="float32")


def test_gradient_of_cumprod_with_zeros():
    x = tensor([2.0, 0.0, 3.0], grad=True)
    paddle.cumprod(x, 0).sum().backward()
    assert x.grad.tolist() == [1.0, 8.0, 0.0]


def test_gradient_of_logcumsumexp_does_not_overflow():
    x = tensor([-np.inf, -1000.0, 0.0, 1000.0], grad=True)
    paddle.logcumsumexp(x).sum().backward()
    assert x.grad.tolist() == [0.0, 1.0, 1.0, 1.0]


def test_diff():
    assert paddle.diff(tensor([True, False, True])).tolist() == [True, True]
    x = tensor([1.0, 4.0, 9.0, 16.0])
    assert paddle.diff(x, n=2, prepend=tensor([0.0]), append=tensor([2.0])).tolist() == [2.0, 2.0, 2.0, -21.0]
    assert paddle.diff(tensor([[1], [4]]), axis=0).tolist() == [[3]]
    with pytest.raises(InvalidArgument, match="must not be negative"):
        paddle.diff(x, n=-1)


def test_trapezoid():
    y = tensor([[1.0, 3.0, 2.0, 4.0], [5.0, 6.0, 7.0, 8.0]])
    assert paddle.trapezoid(y).tolist() == [7.5, 19.5]
    assert paddle.trapezoid(y, x=tensor([1.0, 2.0, 4.0, 7.0])).tolist() == [16.0, 41.0]
    assert paddle.cumulative_trapezoid(y, dx=2.0, axis=0).tolist() == [[6.0, 9.0, 9.0, 12.0]]
    assert paddle.trapezoid(y, x=tensor([0.0, 2.0]), axis=0).tolist() == [6.0, 9.0, 9.0, 12.0]
    with pytest.raises(InvalidArgument, match="not both"):
        paddle.trapezoid(y, x=y, dx=1.0)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_histogramdd_counts_the_greatest_points_too(dtype):
    rng = np.random.default_rng(0)
    for _ in range(50):
        x = rng.standard_normal((8, 2)).astype(dtype)
        counts, _ = paddle.histogramdd(paddle.to_tensor(x), bins=[3, 4])
        np.testing.assert_array_equal(counts.numpy(), np.histogramdd(x, bins=[3, 4])[0])
