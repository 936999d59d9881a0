"""Losses of sequences and of many classes; beams and masks.  Numbers without a formula are Paddle's."""

import numpy as np
import pytest
from scipy import special

import paddlite as paddle

F = paddle.nn.functional


def t(array, dtype=None, **options):
    return paddle.to_tensor(np.asarray(array, dtype), **options)


def close(got, want, tolerance=1e-5):
    np.testing.assert_allclose(got.numpy(), want, rtol=tolerance, atol=tolerance)


RNG = np.random.RandomState(0)
FRAMES = RNG.randn(5, 3, 4).astype("float32")
LABELS, STEPS, LENGTHS = t([[1, 2], [3, 3], [1, 1]], "int32"), t([5, 4, 2]), t([2, 2, 2])


@pytest.mark.parametrize(
    ("options", "loss", "sums"),
    [
        ({}, 1.2673373, [-0.1379, -0.0241, -0.0679, 0.23]),
        ({"reduction": "none"}, [4.4008512, 3.203173, 0.0], [-0.8273, -0.1448, -0.4077, 1.3798]),
        ({"reduction": "sum"}, 7.604024, [-0.8273, -0.1448, -0.4077, 1.3798]),
        ({"reduction": "sum", "norm_by_times": True}, 7.604024, [-0.1655, -0.029, -0.0815, 0.276]),
        ({"reduction": "none", "blank": 3}, [5.8720574, 5.8600764, 0.0], [1.9538, -0.2888, -0.6999, -0.9651]),
    ],
)
def test_ctc_loss(options, loss, sums):
    x = t(FRAMES, stop_gradient=False)
    out = F.ctc_loss(x, LABELS, STEPS, LENGTHS, **options)
    close(out, loss)
    (g,) = paddle.grad([out], [x])
    np.testing.assert_allclose(g.numpy()[:, 0].sum(0), sums, atol=2e-4)
    assert not g.numpy()[2:, 2].any()  # frames behind the end
    assert not g.numpy()[:, 2].any()  # too few frames for the label


def test_ctc_gradients_of_half_logits_and_of_the_gradient():
    x = t(FRAMES, "float16", stop_gradient=False)
    loss = F.ctc_loss(x, LABELS, STEPS, LENGTHS, reduction="sum")
    assert loss.dtype == paddle.float16
    (g,) = paddle.grad([loss], [x])
    assert g.dtype == paddle.float16
    y = t(FRAMES, stop_gradient=False)
    (g,) = paddle.grad([F.ctc_loss(y, LABELS, STEPS, LENGTHS)], [y], create_graph=True)
    with pytest.raises(ValueError, match="no second gradient"):
        paddle.grad([g], [y])


@pytest.mark.parametrize(
    ("share", "reduction", "loss", "first"),
    [
        (0.0, "none", [-6.0581923, -0.24137783], [-0.27463, -0.72537]),
        (0.5, "sum", -6.29957, [-0.27463, -1.08806]),
        (0.001, "mean", -3.149785, [-0.13731, -0.36305]),
    ],
)
def test_rnnt_loss(share, reduction, loss, first):
    state = np.random.RandomState(0)
    state.randn(5, 3, 4)
    x = t(state.randn(2, 4, 3, 5), "float32", stop_gradient=False)
    out = F.rnnt_loss(x, t([[1, 2], [3, 4]]), t([4, 3]), t([2, 1]), 0, share, reduction)
    close(out, loss)
    (g,) = paddle.grad([out], [x])
    np.testing.assert_allclose(g.numpy()[0, 0, 0, :2], first, atol=2e-5)


def test_hsigmoid_loss_is_the_negative_log_probability_of_a_tree():
    x, weight, bias = RNG.randn(6, 4), RNG.randn(5, 4), RNG.randn(5, 1)
    every = [F.hsigmoid_loss(t(x), t(np.full(6, c)), 6, t(weight), t(bias)).numpy() for c in range(6)]
    np.testing.assert_allclose(np.exp(-np.array(every)).sum(0), 1, rtol=1e-6)
    column = F.hsigmoid_loss(t(x), t(np.full((6, 1), 2)), 6, t(weight), t(bias))
    np.testing.assert_array_equal(column.numpy(), every[2])
    table, code = t(np.array([[0, 1, -1]] * 6)), t(np.array([[1, 0, -1]] * 6))
    scores = x @ weight.T + bias.T
    want = -special.log_expit(scores[:, 0]) - special.log_expit(-scores[:, 1])
    close(F.hsigmoid_loss(t(x), t(np.zeros(6, int)), 6, t(weight), t(bias), table, code), want[:, None])


@pytest.mark.parametrize("margins", [(1.0, 0.5, 0.0), (1.0, 0.0, 0.35), (1.35, 0.2, 0.1)])
def test_margin_cross_entropy(margins):
    cosines, label = np.clip(RNG.randn(5, 4) * 0.4, -0.9, 0.9), np.array([0, 1, 3, 2, 2])
    angle = np.arccos(cosines[np.arange(5), label])
    changed = cosines.copy()
    changed[np.arange(5), label] = np.cos(margins[0] * angle + margins[1]) - margins[2]
    want = -special.log_softmax(8 * changed, 1)[np.arange(5), label]
    loss, found = F.margin_cross_entropy(t(cosines), t(label), *margins, 8.0, None, True, None)
    close(loss, want[:, None])
    close(found, special.softmax(8 * changed, 1))
    close(F.margin_cross_entropy(t(cosines), t(label[:, None]), *margins, 8.0), want.mean())


def test_adaptive_log_softmax_is_a_distribution_over_all_classes():
    x, head, bias = RNG.randn(5, 4), RNG.randn(4, 4), RNG.randn(4)
    tails = [[t(RNG.randn(4, 2)), t(RNG.randn(2, 2))], [t(RNG.randn(4, 1)), t(RNG.randn(1, 3))]]
    weights = (t(head, stop_gradient=False), tails, [2, 4, 7], t(bias))
    rows = np.repeat(x, 7, 0)
    out, loss = F.adaptive_log_softmax_with_loss(t(rows), t(np.tile(np.arange(7), 5)), *weights)
    np.testing.assert_allclose(np.exp(out.numpy()).reshape(5, 7).sum(1), 1, rtol=1e-6)
    close(loss, -out.numpy().mean())
    one = F.adaptive_log_softmax_with_loss(t(x[0]), t(3), *weights)
    close(one[0], out.numpy()[3])
    (g,) = paddle.grad([loss], [weights[0]])
    assert np.abs(g.numpy()).min() > 0


def test_class_center_sample_keeps_what_occurs():
    label = t([1, 5, 5, 9])
    remapped, centers = F.class_center_sample(label, 20, 6)
    np.testing.assert_array_equal(centers.numpy()[remapped.numpy()], label.numpy())
    assert centers.tolist()[:3] == [1, 5, 9]
    assert len(set(centers.tolist())) == 6


def test_gather_tree_and_sequence_mask():
    ids = t([[[2, 2], [6, 1]], [[3, 9], [6, 1]], [[0, 1], [9, 0]]])
    parents = t([[[0, 0], [1, 1]], [[1, 0], [1, 0]], [[0, 0], [0, 1]]])
    assert F.gather_tree(ids, parents).tolist() == [[[2, 2], [1, 6]], [[3, 3], [6, 1]], [[0, 1], [9, 0]]]
    assert F.sequence_mask(t([1, 3]), 4, "bool").tolist() == [[True, False, False, False], [True, True, True, False]]
    assert F.sequence_mask(t([0, 2])).tolist() == [[0, 0], [1, 1]]
    assert F.sequence_mask(t([[1], [2]]), paddle.to_tensor(2), "float32").shape == [2, 1, 2]


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: F.ctc_loss(t(FRAMES), LABELS, STEPS, LENGTHS, 4), ValueError, "blank must be a class"),
        (lambda: F.ctc_loss(t(FRAMES), t([[9, 1]] * 3), STEPS, LENGTHS), IndexError, "label 9 is out of range"),
        (lambda: F.ctc_loss(t(FRAMES), LABELS, STEPS, t([3, 1, 1])), ValueError, "label length is 3"),
        (lambda: F.ctc_loss(t(FRAMES), LABELS, t([5]), LENGTHS), ValueError, "want logits"),
        (lambda: F.hsigmoid_loss(t(FRAMES[0]), t([0, 1, 2]), 1, t(FRAMES[0])), ValueError, "num_classes must be >= 2"),
        (lambda: F.hsigmoid_loss(t(FRAMES[0]), t([0, 1, 5]), 5, t(FRAMES[0])), IndexError, "id 5 is out of range"),
        (lambda: F.margin_cross_entropy(t(FRAMES[0]), t([0, 1, 2]), group=3), ValueError, "use group=False"),
        (lambda: F.class_center_sample(t([1, 2]), 4, 5), ValueError, "num_samples must be in"),
        (lambda: F.sequence_mask(t([1, 2]), 0), ValueError, "maxlen must be > 0"),
        (lambda: F.gather_tree(t([1]), t([1])), ValueError, "want ids and parents"),
        (
            lambda: F.adaptive_log_softmax_with_loss(t(FRAMES[0]), t([0, 1, 9]), t(FRAMES[0]), [], [9]),
            IndexError,
            "labels must be in",
        ),
    ],
)
def test_bad_arguments_are_refused(call, error, text):
    with pytest.raises(error, match=text):
        call()
