"""Dropout, embedding, one-hot, distances, bilinear maps."""

import numpy as np
import pytest

import paddlite as paddle

F = paddle.nn.functional
RNG = np.random.default_rng(0)


def t(array, **options):
    return paddle.to_tensor(np.asarray(array, "float32"), **options)


ONES = t(np.ones((40, 50)))


def test_dropout_keeps_the_mean_and_repeats_with_the_seed():
    paddle.seed(5)
    first = F.dropout(ONES, 0.4)
    paddle.seed(5)
    np.testing.assert_array_equal(F.dropout(ONES, 0.4).numpy(), first.numpy())
    assert not np.array_equal(F.dropout(ONES, 0.4).numpy(), first.numpy())
    assert abs(first.numpy().mean() - 1) < 0.1
    np.testing.assert_allclose(np.unique(first.numpy()), [0, 1 / 0.6], rtol=1e-6)


@pytest.mark.parametrize(
    ("options", "want"),
    [
        ({"p": 0.0}, 1.0),
        ({"p": 1.0}, 0.0),
        ({"p": 0.3, "training": False}, 1.0),
        ({"p": 0.3, "training": False, "mode": "downscale_in_infer"}, 0.7),
        ({"p": 1.0, "mode": "downscale_in_infer"}, 0.0),
    ],
)
def test_dropout_where_nothing_is_random(options, want):
    np.testing.assert_allclose(F.dropout(ONES, **options).numpy(), np.full((40, 50), want), rtol=1e-6)


@pytest.mark.parametrize(("axis", "same_along"), [(0, 1), ([1], 0), ([0, 1], None)])
def test_dropout_along_an_axis_is_shared_by_the_others(axis, same_along):
    out = F.dropout(ONES, 0.5, axis=axis).numpy()
    spread = 0 if same_along is None else np.ptp(out, same_along).max()
    assert spread == 0
    assert len(np.unique(out)) == 2


def test_gradients_pass_where_dropout_lets_through():
    x = t(np.ones((40, 50)), stop_gradient=False)
    y = F.dropout(x, 0.25)
    (g,) = paddle.grad([y], [x])
    np.testing.assert_allclose(g.numpy(), y.numpy())


@pytest.mark.parametrize(
    ("call", "shape", "channel"),
    [
        (lambda x: F.dropout1d(x), (8, 6, 5), 1),
        (lambda x: F.dropout2d(x), (8, 6, 5, 4), 1),
        (lambda x: F.dropout2d(x, data_format="NHWC"), (8, 5, 4, 6), 3),
        (lambda x: F.dropout3d(x), (8, 6, 3, 2, 2), 1),
        (lambda x: F.feature_alpha_dropout(x), (8, 6, 5), 1),
    ],
)
def test_whole_channels_are_dropped(call, shape, channel):
    out = call(t(np.ones(shape))).numpy()
    inner = tuple(i for i in range(len(shape)) if i not in (0, channel))
    assert np.ptp(out, inner).max() == 0
    assert len(np.unique(out)) == 2


def test_dropout_in_place_and_of_a_row():
    x = t(np.ones(100))
    assert F.dropout(x, 0.5, inplace=True) is x
    assert len(np.unique(x.numpy())) == 2
    rows = F.dropout1d(t(np.ones((50, 7)))).numpy()
    assert np.ptp(rows, 1).max() == 0


def test_alpha_dropout_keeps_mean_and_variance():
    out = F.alpha_dropout(t(RNG.standard_normal((300, 300))), 0.4).numpy()
    assert abs(out.mean()) < 0.03
    assert abs(out.std() - 1) < 0.03
    np.testing.assert_array_equal(F.alpha_dropout(ONES, 1.0).numpy(), np.zeros((40, 50)))
    assert F.alpha_dropout(ONES, 0.5, training=False) is ONES


WEIGHT = RNG.standard_normal((6, 3)).astype("float32")


@pytest.mark.parametrize("dtype", ["int64", "int32", "uint8", "int16"])
def test_embedding_takes_whole_numbers_of_any_kind_and_sums_gradients(dtype):
    weight = t(WEIGHT, stop_gradient=False)
    ids = np.array([[1, 4], [4, 4]], dtype)
    out = F.embedding(paddle.to_tensor(ids), weight, padding_idx=1)
    want = WEIGHT[ids]
    want[0, 0] = 0
    np.testing.assert_array_equal(out.numpy(), want)
    (g,) = paddle.grad([out], [weight])
    np.testing.assert_array_equal(g.numpy(), np.array([0, 0, 0, 0, 3, 0])[:, None] * np.ones(3))


def test_embedding_gradients_may_be_divided_by_frequency():
    weight = t(WEIGHT, stop_gradient=False)
    out = F.embedding(paddle.to_tensor([1, 4, 4, 4]), weight, scale_grad_by_freq=True)
    (g,) = paddle.grad([out], [weight])
    np.testing.assert_allclose(g.numpy()[[1, 4]], np.ones((2, 3)), rtol=1e-6)


def test_embedding_shortens_the_rows_it_takes():
    weight = t(WEIGHT, stop_gradient=False)
    F.embedding(paddle.to_tensor([1, 2]), weight, max_norm=0.5)
    lengths = np.linalg.norm(WEIGHT, axis=1)
    want = np.where(np.isin(np.arange(6), [1, 2]), np.minimum(lengths, 0.5), lengths)
    np.testing.assert_allclose(np.linalg.norm(weight.numpy(), axis=1), want, rtol=1e-5)
    assert weight.is_leaf


def test_one_hot():
    assert F.one_hot(paddle.to_tensor([0, 2]), -1).tolist() == [[1, 0, 0], [0, 0, 1]]
    assert F.one_hot(paddle.to_tensor(1), paddle.to_tensor(3)).tolist() == [0, 1, 0]
    assert F.one_hot(paddle.to_tensor([[1]]), 2).dtype == paddle.float32


A, B = RNG.standard_normal((4, 5)), RNG.standard_normal((4, 5))


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_cosine_similarity(axis):
    want = (A * B).sum(axis) / np.linalg.norm(A, axis=axis) / np.linalg.norm(B, axis=axis)
    np.testing.assert_allclose(F.cosine_similarity(t(A), t(B), axis).numpy(), want, rtol=1e-5)
    np.testing.assert_array_equal(F.cosine_similarity(t(A * 0), t(B)).numpy(), np.zeros(4))


@pytest.mark.parametrize("p", [0, 1, 2, 3.5, float("inf")])
def test_distances(p):
    want = np.linalg.norm(A - B, p, axis=1)
    np.testing.assert_allclose(F.pairwise_distance(t(A), t(B), p, 0.0).numpy(), want, rtol=1e-5)
    assert F.pairwise_distance(t(A), t(B), p, keepdim=True).shape == [4, 1]
    pairs = [np.linalg.norm(A[i] - A[j], p) for i in range(4) for j in range(i + 1, 4)]
    np.testing.assert_allclose(F.pdist(t(A), p).numpy(), pairs, rtol=1e-5)


def test_bilinear_and_label_smooth():
    weight, bias = RNG.standard_normal((2, 5, 3)), RNG.standard_normal((1, 2))
    want = np.einsum("ni,kij,nj->nk", A, weight, B[:, :3]) + bias
    np.testing.assert_allclose(F.bilinear(t(A), t(B[:, :3]), t(weight), t(bias)).numpy(), want, rtol=1e-4)
    prior = np.array([[0.1, 0.2, 0.7]])
    label = np.eye(3)[[0, 2]]
    np.testing.assert_allclose(F.label_smooth(t(label), t(prior), 0.3).numpy(), 0.7 * label + 0.3 * prior, rtol=1e-6)


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: F.dropout(ONES, 1.5), ValueError, "p must be in"),
        (lambda: F.dropout(ONES, 0.5, mode="up"), ValueError, "mode must be"),
        (lambda: F.dropout(ONES, 0.5, axis=2), ValueError, "axis 2 is out of range"),
        (lambda: F.dropout2d(ONES), ValueError, "must have 4 axes"),
        (lambda: F.dropout2d(ONES, data_format="CHW"), ValueError, "data_format must be"),
        (lambda: F.dropout3d(ONES, data_format="CHW"), ValueError, "data_format must be"),
        (lambda: F.feature_alpha_dropout(t([1.0])), ValueError, "at least 2 axes"),
        (lambda: F.embedding(paddle.to_tensor([6]), t(WEIGHT)), IndexError, "id 6 is out of range"),
        (lambda: F.embedding(paddle.to_tensor([-1]), t(WEIGHT)), IndexError, "id -1 is out of range"),
        (lambda: F.embedding(t([1.0]), t(WEIGHT)), TypeError, "must be an integer"),
        (lambda: F.embedding(paddle.to_tensor([1]), t(WEIGHT), padding_idx=6), ValueError, "padding_idx must be in"),
        (lambda: F.one_hot(paddle.to_tensor([3]), 3), ValueError, "id 3 is out of range"),
        (lambda: F.one_hot(paddle.to_tensor([0]), 0), ValueError, "num_classes must be positive"),
        (lambda: F.bilinear(ONES, ONES, ONES), ValueError, "must fit"),
        (lambda: F.linear(ONES, ONES), ValueError, "in_features"),
    ],
)
def test_bad_arguments_are_refused(call, error, text):
    with pytest.raises(error, match=text):
        call()


@pytest.mark.parametrize("rows", [50, 70_000])  # numbers of up to 16 bits and of more
def test_gradients_of_many_repeated_numbers(rows):
    ids = RNG.integers(0, rows, 2000)
    ids[:500] = rows - 1
    weight = t(np.zeros((rows, 40)), stop_gradient=False)
    out = F.embedding(paddle.to_tensor(ids), weight)
    up = RNG.standard_normal((2000, 40))
    (g,) = paddle.grad([out], [weight], [t(up)])
    want = np.zeros((rows, 40))
    np.add.at(want, ids, up)
    np.testing.assert_allclose(g.numpy(), want, atol=1e-4)
