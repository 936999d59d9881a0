"""Losses.  Numbers without a formula are PyTorch's, in float64."""

import numpy as np
import pytest
from scipy import special

import paddlite as paddle

F = paddle.nn.functional
RNG = np.random.default_rng(0)
X, Y, W = RNG.standard_normal((4, 3)), np.array([2, 0, 1, 0]), np.array([1.0, 2.0, 0.5])
A, B = RNG.standard_normal((4, 3)), RNG.standard_normal((4, 3))
SIGN = np.array([1, -1, 1, -1])
MANY = RNG.integers(0, 2, (4, 3)).astype("float64")
LOG_P = special.log_softmax(X, 1)
ALL = np.arange(4)


def t(array, **options):
    return paddle.to_tensor(np.asarray(array), **options)


def close(got, want, tolerance=1e-6):
    got = got.numpy()
    assert got.shape == np.shape(want)
    np.testing.assert_allclose(got, want, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("dtype", ["int64", "int32", "uint8", "float32"])
@pytest.mark.parametrize("column", [False, True])
def test_cross_entropy_of_hard_labels(dtype, column):
    label = t(Y.astype(dtype).reshape((4, 1) if column else (4,)))
    want = -LOG_P[ALL, Y]
    close(F.cross_entropy(t(X), label, reduction="none"), want.reshape((4, 1) if column else (4,)))
    close(F.cross_entropy(t(X), label), want.mean())
    close(F.cross_entropy(t(X), label, reduction="sum"), want.sum())
    close(F.cross_entropy(t(X), label, weight=t(W)), (want * W[Y]).sum() / W[Y].sum())
    close(F.cross_entropy(t(special.softmax(X, 1)), label, use_softmax=False), want.mean())


@pytest.mark.parametrize("ignored", [-100, 0, 255])
def test_ignored_labels_take_no_part_in_the_mean(ignored):
    label = np.where(Y == 0, ignored, Y)
    x = t(X, stop_gradient=False)
    kept = [0, 2]
    loss = F.cross_entropy(x, t(label), ignore_index=ignored)
    close(loss, -LOG_P[kept, Y[kept]].mean())
    (g,) = paddle.grad([loss], [x])
    want = (special.softmax(X, 1) - np.eye(3)[Y]) / 2 * (Y != 0)[:, None]
    close(g, want)
    close(F.cross_entropy(x, t(label), weight=t(W), ignore_index=ignored), 0.915283)
    close(F.nll_loss(t(LOG_P), t(label), t(W), ignore_index=ignored), 0.915283)
    close(F.cross_entropy(x, t(label), ignore_index=ignored, label_smoothing=0.1), 0.886)


@pytest.mark.parametrize("weight", [None, W])
def test_where_all_labels_are_ignored_the_loss_and_its_gradient_are_0(weight):
    x = t(X, stop_gradient=False)
    loss = F.cross_entropy(x, t(np.full(4, -100)), weight=None if weight is None else t(weight))
    assert loss.item() == 0
    (g,) = paddle.grad([loss], [x])
    assert not g.numpy().any()


def test_cross_entropy_over_another_axis():
    x, label = RNG.standard_normal((2, 5, 3, 4)), RNG.integers(0, 5, (2, 3, 4))
    want = -np.take_along_axis(special.log_softmax(x, 1), label[:, None], 1)
    close(F.cross_entropy(t(x), t(label), axis=1, reduction="none"), want[:, 0])
    close(F.cross_entropy(t(x), t(label[:, None]), axis=1, reduction="none"), want)
    soft = special.softmax(RNG.standard_normal(x.shape), 1)
    want = -(soft * special.log_softmax(x, 1)).sum(1, keepdims=True)
    close(F.cross_entropy(t(x), t(soft), axis=1, soft_label=True, reduction="none"), want)
    loss, found = F.softmax_with_cross_entropy(t(x), t(soft), soft_label=True, axis=1, return_softmax=True)
    close(loss, want)
    close(found, special.softmax(x, 1))


def test_smoothed_and_weighted_soft_labels():
    close(F.cross_entropy(t(X), t(Y), label_smoothing=0.1), 1.160677)
    smooth = 0.9 * np.eye(3)[Y] + 0.1 / 3
    want = -(smooth * LOG_P).sum(1)
    close(F.cross_entropy(t(X), t(Y), label_smoothing=0.1, reduction="none"), want[:, None])
    close(F.cross_entropy(t(X), t(np.eye(3)[Y]), soft_label=True, label_smoothing=0.1), want.mean())
    close(F.cross_entropy(t(X), t(np.eye(3)[Y]), label_smoothing=0.1), want.mean())
    weights = smooth @ W
    close(F.cross_entropy(t(X), t(smooth), t(W), soft_label=True), (want * weights).sum() / weights.sum())
    close(F.cross_entropy(t(X), t(Y), t(W), label_smoothing=0.1), (want * weights).sum() / weights.sum())
    p = t(special.softmax(X, 1))
    close(F.cross_entropy(p, t(smooth), soft_label=True, use_softmax=False), want.mean())


def test_cross_entropy_of_extreme_logits():
    x = t(np.array([[1e4, -1e4, 0], [0, -np.inf, 0]], "float32"), stop_gradient=False)
    loss = F.cross_entropy(x, t([1, 2]), reduction="none")
    close(loss, [2e4, np.log(2)])
    (g,) = paddle.grad([loss], [x])
    close(g, [[1, -1, 0], [0.5, 0, -0.5]])
    half = t(np.array([[5e4, 0], [0, 6e4]], "float16"))
    close(F.cross_entropy(half, t([1, 0])), 5.5e4, 1e-2)


def test_second_gradients_of_cross_entropy():
    x = t(X, stop_gradient=False)
    (g,) = paddle.grad([F.cross_entropy(x, t(Y), reduction="sum")], [x], create_graph=True)
    (h,) = paddle.grad([g], [x], [t(A)])
    p = special.softmax(X, 1)
    close(h, p * (A - (p * A).sum(1, keepdims=True)))


def test_nll_loss_with_more_axes():
    x, label = RNG.standard_normal((2, 5, 3, 4)), RNG.integers(0, 5, (2, 3, 4))
    want = -np.take_along_axis(x, label[:, None], 1)[:, 0]
    close(F.nll_loss(t(x), t(label), reduction="none"), want)
    close(F.nll_loss(t(x), t(label)), want.mean())


P = special.expit(X)
BCE = -MANY * np.log(P) - (1 - MANY) * np.log1p(-P)


@pytest.mark.parametrize(
    ("loss", "want"),
    [
        (lambda: F.binary_cross_entropy(t(P), t(MANY)), BCE.mean()),
        (lambda: F.binary_cross_entropy(t(P), t(MANY), t(W), "sum"), (BCE * W).sum()),
        (lambda: F.binary_cross_entropy_with_logits(t(X), t(MANY), reduction="none"), BCE),
        (lambda: F.binary_cross_entropy_with_logits(t(X), t(MANY), t(W)), (BCE * W).mean()),
        (
            lambda: F.binary_cross_entropy_with_logits(t(X), t(MANY), pos_weight=t(W), reduction="none"),
            BCE * np.where(MANY == 1, W, 1),
        ),
        (lambda: F.mse_loss(t(X), t(A[0])), ((X - A[0]) ** 2).mean()),
        (lambda: F.square_error_cost(t(X), t(A)), (X - A) ** 2),
        (lambda: F.l1_loss(t(X), t(A), "sum"), np.abs(X - A).sum()),
        (lambda: F.smooth_l1_loss(t(X), t(A), "none", 0.5), special.huber(0.5, X - A)),
        (lambda: F.smooth_l1_loss(t(X), t(A), "none", 0.5, False), special.huber(0.5, X - A) / 0.5),
        (lambda: F.log_loss(t(P[:, :1]), t(MANY[:, :1]), 0.0), BCE[:, :1]),
        (lambda: F.kl_div(t(LOG_P), t(special.softmax(A, 1)), "batchmean"), 0.340968),
        (lambda: F.kl_div(t(LOG_P), t(special.softmax(A, 1)), "sum"), 4 * 0.340968),
        (lambda: F.kl_div(t(LOG_P), t(special.log_softmax(A, 1)), "batchmean", True), 0.340968),
        (
            lambda: F.poisson_nll_loss(t(X), t(4 * MANY + np.abs(A)), full=True, reduction="none"),
            [
                [1.81913, 0.905153, 3.734264],
                [4.933915, 0.87682, 3.520854],
                [1.728605, 1.531475, 6.753437],
                [12.482084, 0.950785, 1.027665],
            ],
        ),
        (lambda: F.poisson_nll_loss(t(P), t(MANY), False), (P - MANY * np.log(P + 1e-8)).mean()),
        (
            lambda: F.gaussian_nll_loss(t(X), t(A), t(np.abs(B)), full=True, reduction="none"),
            [
                [4.19216, -0.22326, 3.163655],
                [1.258368, 0.528277, 1.205806],
                [1.318093, 0.158417, 1.039177],
                [7.015321, 0.15368, 0.537015],
            ],
        ),
        (
            lambda: F.gaussian_nll_loss(t(X), t(A), t(np.abs(B[:, 0])), reduction="sum"),
            ((np.log(np.abs(B[:, :1])) + (X - A) ** 2 / np.abs(B[:, :1])) / 2).sum(),
        ),
        (lambda: F.margin_ranking_loss(t(X[:, 0]), t(A[:, 0]), t(SIGN), 0.2, "none"), [0, 1.037167, 0, 0]),
        (lambda: F.hinge_embedding_loss(t(X[:, 0]), t(SIGN), reduction="none"), [0.12573, 0.8951, 1.304, 2.265421]),
        (lambda: F.cosine_embedding_loss(t(X), t(A), t(SIGN), 0.1, "none"), [1.602172, 0.058725, 0.186209, 0]),
        (lambda: F.triplet_margin_loss(t(X), t(A), t(B), reduction="none"), [2.490355, 1.038005, 0, 1.634655]),
        (
            lambda: F.triplet_margin_loss(t(X), t(A), t(B), p=1, swap=True, reduction="none"),
            [3.036006, 1.71117, 0, 2.274655],
        ),
        (
            lambda: F.triplet_margin_with_distance_loss(t(X), t(A), t(B), reduction="none"),
            [2.490355, 1.038005, 0, 1.634655],
        ),
        (lambda: F.multi_margin_loss(t(X), t(Y), reduction="none"), [0.237593, 0.538708, 0.452306, 1.316298]),
        (
            lambda: F.multi_margin_loss(t(X), t(Y), 2, 0.5, t(W), "none"),
            [0, 0.190862, 0.48954, 1.522945],
        ),
        (
            lambda: F.multi_label_margin_loss(
                t(X), t([[0, 2, -1], [1, -1, 0], [2, 1, 0], [-1, 0, 1]]), reduction="none"
            ),
            [0.323212, 1.179278, 0, 0],
        ),
        (
            lambda: F.multi_label_soft_margin_loss(t(X), t(MANY), t(W), "none"),
            [0.742737, 0.609298, 1.114233, 0.909851],
        ),
        (lambda: F.soft_margin_loss(t(X), t(2 * MANY - 1)), 0.726667),
        (
            lambda: F.sigmoid_focal_loss(t(X), t(MANY), reduction="none"),
            BCE * np.where(MANY == 1, 0.25 * (1 - P) ** 2, 0.75 * P**2),
        ),
        (
            lambda: F.sigmoid_focal_loss(t(X), t(MANY), t([4.0]), 0.5, 1.0, "mean"),
            (BCE * 0.5 * np.where(MANY == 1, 1 - P, P)).mean() / 4,
        ),
        (
            lambda: F.dice_loss(t(special.softmax(X, 1)), t(Y[:, None])),
            (1 - 2 * special.softmax(X, 1)[ALL, Y] / 2).mean(),
        ),
    ],
)
def test_values(loss, want):
    close(loss(), want, 2e-5)


def test_npair_loss():
    labels = np.array([0, 1, 0, 1])
    q = (labels[:, None] == labels).astype(float)
    q /= q.sum(1, keepdims=True)
    entropy = -(q * special.log_softmax(X @ A.T, 1)).sum(1, keepdims=True)
    want = (q * entropy).sum(0).mean() + 0.25 * 0.01 * ((X**2).sum(1).mean() + (A**2).sum(1).mean())
    close(F.npair_loss(t(X), t(A), t(labels), 0.01), want)


def test_losses_of_logits_are_finite_far_out():
    x, label = t(np.array([1e4, -1e4], "float32"), stop_gradient=False), t(np.array([0.0, 1.0], "float32"))
    for name in ("binary_cross_entropy_with_logits", "sigmoid_focal_loss"):
        (g,) = paddle.grad([getattr(F, name)(x, label, reduction="sum")], [x])
        assert np.isfinite(g.numpy()).all(), name
    close(F.binary_cross_entropy_with_logits(x, label, reduction="none"), [1e4, 1e4])


ROWS = t(X)


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: F.cross_entropy(ROWS, t(Y), reduction="avg"), ValueError, "cross_entropy: reduction must be"),
        (lambda: F.cross_entropy(ROWS, t([0, 1])), ValueError, "label must have the shape of input without axis"),
        (lambda: F.cross_entropy(ROWS, t([0, 1, 2, 3])), IndexError, "label 3 is out of range"),
        (lambda: F.cross_entropy(ROWS, t([0, 1, 2, -1])), IndexError, "label -1 is out of range"),
        (lambda: F.cross_entropy(ROWS, ROWS, soft_label=True, ignore_index=1), ValueError, "know no ignore_index"),
        (lambda: F.cross_entropy(ROWS, t(Y), label_smoothing=1.0), ValueError, "label_smoothing must be in"),
        (lambda: F.cross_entropy(ROWS, t(Y), t([1.0])), ValueError, "weight must have shape .3."),
        (lambda: F.cross_entropy(ROWS, t(Y), axis=2), ValueError, "axis 2 is out of range"),
        (lambda: F.nll_loss(ROWS, t([0, 1])), ValueError, "label must have the shape"),
        (lambda: F.binary_cross_entropy(ROWS, ROWS), ValueError, "must hold probabilities"),
        (lambda: F.binary_cross_entropy_with_logits(ROWS, ROWS[0]), ValueError, "logit and label must have one shape"),
        (lambda: F.mse_loss(ROWS, ROWS, "x"), ValueError, "mse_loss: reduction"),
        (lambda: F.kl_div(ROWS, ROWS, "x"), ValueError, "kl_div: reduction"),
        (lambda: F.poisson_nll_loss(ROWS, ROWS, epsilon=0), ValueError, "epsilon must be > 0"),
        (lambda: F.gaussian_nll_loss(ROWS, ROWS, t(-P)), ValueError, "variance must not be negative"),
        (lambda: F.cosine_embedding_loss(ROWS, ROWS, t(SIGN), 2.0), ValueError, "margin must be in"),
        (lambda: F.cosine_embedding_loss(ROWS, ROWS, ROWS), ValueError, "want input1 and input2"),
        (lambda: F.triplet_margin_loss(ROWS, ROWS, ROWS, -1.0), ValueError, "margin must be >= 0"),
        (lambda: F.multi_margin_loss(ROWS, t(Y), p=3), ValueError, "p must be 1 or 2"),
        (lambda: F.multi_label_margin_loss(ROWS, t(Y)), ValueError, "want input and label"),
        (lambda: F.sigmoid_focal_loss(ROWS, ROWS, ROWS), ValueError, "normalizer must be one number"),
        (lambda: F.dice_loss(ROWS, t(Y)), ValueError, "size 1 at the end"),
        (lambda: F.soft_margin_loss(ROWS, ROWS[0]), ValueError, "want one shape"),
    ],
)
def test_bad_arguments_are_refused(call, error, text):
    with pytest.raises(error, match=text):
        call()
