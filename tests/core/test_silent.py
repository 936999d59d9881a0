"""Values that NumPy or plain Python would take without a word, and whose result would be wrong."""

import numpy as np
import pytest

import paddlite as paddle
from paddlite.core.errors import InvalidArgument

nn, F, t = paddle.nn, paddle.nn.functional, paddle.to_tensor
COLUMN, ROW = paddle.ones([2, 1]), paddle.ones([2])


def ctc(frames, lengths=(2, 2)):
    label = t([[1, 2], [1, 1]], "int32")
    return F.ctc_loss(paddle.ones([5, 2, 3]), label, t(list(frames)), t(list(lengths)))


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda: F.smooth_l1_loss(COLUMN, ROW), ValueError, r"input and label must have one shape, got \[2, 1\] and"),
        (lambda: F.kl_div(COLUMN, ROW), ValueError, "kl_div: input and label must have one shape"),
        (lambda: F.poisson_nll_loss(COLUMN, ROW), ValueError, "poisson_nll_loss: .* one shape"),
        (lambda: F.triplet_margin_loss(COLUMN, ROW, ROW), ValueError, "input and positive and negative must have one"),
        (lambda: F.group_norm(paddle.ones([1, 4, 2]), 1.5), TypeError, "num_groups must be an int, got float 1.5"),
        (lambda: nn.GroupNorm(1.5, 3), TypeError, "num_groups must be an int"),
        (lambda: nn.LSTM(2, 3, num_layers=-1), ValueError, "LSTM: num_layers must be at least 1, got -1"),
        (lambda: nn.SpectralNorm([2, 3], dim=5), ValueError, "dim 5 is out of range"),
        (lambda: nn.SpectralNorm([2, 3], power_iters=-1), ValueError, "power_iters must not be negative"),
        (lambda: F.layer_norm(paddle.ones([2, 3]), -1), ValueError, r"normalized_shape \[-1\]"),
        (lambda: F.label_smooth(ROW, epsilon=2.0), ValueError, r"epsilon must lie in \[0, 1\], got 2.0"),
        (lambda: ctc((-5, 5)), ValueError, "input length is -5, but there are 5 frames"),
        (lambda: ctc((50, 5)), ValueError, "input length is 50"),
        (lambda: ctc((5, 5), (-1, 2)), ValueError, "label length is -1"),
        (lambda: paddle.shard_index(t([[1]]), -1, 2, 0), ValueError, "index_num must be at least 1, got -1"),
        (lambda: paddle.histogram_bin_edges(ROW, bins=-3), ValueError, "bins must be at least 1, got -3"),
        (lambda: paddle.tensordot(ROW, ROW, -1), ValueError, "must not be negative, got -1"),
        (lambda: paddle.full([2], None), TypeError, "fill_value must be a number or a tensor, got None"),
        (lambda: paddle.full([2], [1, 2]), TypeError, "fill_value must be a number"),
        (lambda: paddle.full_like(ROW, None), TypeError, "full_like: fill_value must be a number"),
        (lambda: paddle.ones([2]).fill_(None), TypeError, "fill_: value must be a number"),
        (lambda: t([1, 2]) // 2**70, InvalidArgument, "does not fit into int64"),
        (lambda: paddle.tril(paddle.ones([2, 2]), 1.5), TypeError, "tril: diagonal must be an int, got float 1.5"),
        (lambda: paddle.diag(ROW, offset=1.5), TypeError, "diag: offset must be an int, got float 1.5"),
        (lambda: paddle.triu_indices(2, 2, 1.5), TypeError, "triu_indices: offset must be an int"),
    ],
)
def test_it_is_refused_with_the_name_and_the_value(call, kind, message):
    with pytest.raises(kind, match=message):
        call()


def test_renorm_of_a_vector_takes_each_element_as_a_slice():
    x = t([3.0, 0.5, -4.0])
    np.testing.assert_allclose(paddle.renorm(x, 2.0, 0, 1.0).numpy(), [1.0, 0.5, -1.0], rtol=1e-6)


def test_linear_promotes_like_matmul():
    x, whole = paddle.ones([2, 3]), paddle.ones([3, 2], "int64")
    assert F.linear(x, whole).dtype == paddle.matmul(x, whole).dtype == paddle.float32


@pytest.mark.parametrize(("factor", "dtype"), [(1.0, "int64"), (2, "int64"), (2.5, "float32")])
def test_scale_keeps_whole_numbers_whole(factor, dtype):
    out = paddle.scale(t([1, 2]), factor, bias=1.0)
    assert out.dtype == getattr(paddle, dtype)
    np.testing.assert_allclose(out.numpy(), np.array([1, 2]) * factor + 1)


def test_quantiles_over_one_axis_of_no_elements_elsewhere():
    assert paddle.quantile(paddle.ones([3, 0]), 0.5, axis=0).shape == [0]
    assert paddle.isnan(paddle.quantile(paddle.ones([0, 3]), 0.5, axis=0)).all()


def test_diagonals_may_be_given_as_tensors():
    x = paddle.ones([2, 2])
    assert paddle.tril(x, t(-1)).tolist() == [[0.0, 0.0], [1.0, 0.0]]
    assert paddle.trace(x, offset=t(1)).item() == 1.0


def test_hardswish_leaves_what_is_above_3_as_it_is():
    x = np.random.default_rng(0).uniform(3, 1e3, 1000).astype("float32")
    np.testing.assert_array_equal(F.hardswish(t(x)).numpy(), x)
    assert F.hardswish(t([3e38])).item() == np.float32(3e38)


@pytest.mark.parametrize("size", [t([2, 2]), [t(2), 2], t(2), (2, np.int64(2))])
def test_sizes_of_pools_may_be_tensors(size):
    assert F.adaptive_avg_pool2d(paddle.ones([1, 1, 4, 4]), size).shape == [1, 1, 2, 2]


@pytest.mark.parametrize("use", ["retain_grads", "register_hook"])
def test_variables_of_a_program_keep_no_gradients(use):
    with paddle.static.program_guard(paddle.static.Program()):
        x = paddle.static.data("x", [2])
        x.stop_gradient = False
        y = x * 2
        with pytest.raises(InvalidArgument, match=f"{use}: variables of a Program have no .grad"):
            getattr(y, use)(*([] if use == "retain_grads" else [lambda g: g]))


def test_one_pair_of_vectors_may_have_a_label_with_an_axis():
    a, b = t([1.0, 0.0]), t([0.0, 2.0])
    assert F.cosine_embedding_loss(a, b, t([1])).item() == F.cosine_embedding_loss(a, b, t(1)).item() == 1.0
