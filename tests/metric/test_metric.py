"""Accuracy, precision, recall and areas, against scikit-learn's definitions and by hand."""

import numpy as np
import pytest

import paddlite as paddle
from paddlite.core.program import Program, recording
from paddlite.metric import Accuracy, Auc, Metric, Precision, Recall, accuracy

SCORES = [[0.1, 0.7, 0.2], [0.5, 0.3, 0.2], [0.3, 0.3, 0.4]]
LABELS = [[1], [2], [2]]
CHANCES, TRUTH = np.array([0.1, 0.5, 0.6, 0.7]), np.array([0, 1, 1, 0])


def scores():
    return paddle.to_tensor(SCORES)


@pytest.mark.parametrize(
    "label",
    [LABELS, [1, 2, 2], [[0.0, 1, 0], [0, 0, 1], [0, 0, 1]]],
    ids=["column", "row", "one-hot"],
)
def test_accuracy_of_batches(label):
    metric = Accuracy((1, 2))
    correct = metric.compute(scores(), paddle.to_tensor(label))
    assert correct.tolist() == [[1.0, 0.0], [0.0, 0.0], [1.0, 0.0]]
    assert metric.update(correct) == [2 / 3, 2 / 3]
    assert metric.update(correct.numpy()[:1]) == [1.0, 1.0]
    assert metric.accumulate() == [0.75, 0.75]
    metric.reset()
    assert metric.accumulate() == [0.0, 0.0]


def test_accuracy_of_one_k_is_a_number():
    metric = Accuracy()
    assert metric.update(metric.compute(scores(), paddle.to_tensor(LABELS))) == 2 / 3
    assert metric.accumulate() == 2 / 3
    assert metric.update(np.zeros((0, 1))) == 0.0


def test_accuracy_names():
    assert Accuracy().name() == ["acc"]
    assert Accuracy((1, 2)).name() == ["acc_top1", "acc_top2"]
    assert Accuracy((1,), "x").name() == ["x"]


def test_accuracy_of_more_than_two_axes_and_of_few_classes():
    rows = np.array([SCORES, SCORES[::-1]], "f4")
    correct = Accuracy((5,)).compute(paddle.to_tensor(rows), paddle.to_tensor([LABELS, LABELS]))
    order = np.argsort(-rows, axis=-1, kind="stable")
    np.testing.assert_array_equal(correct.numpy(), order == np.array([LABELS, LABELS]))


def test_accuracy_records():
    program = Program()
    with recording(program):
        x, label = program.data("x", [-1, 3], "float32"), program.data("label", [-1, 1], "int64")
        assert Accuracy((1, 2)).compute(x, label).shape == [-1, 2]
        assert accuracy(x, label).shape == []


@pytest.mark.parametrize(("k", "want"), [(1, 2 / 3), (2, 2 / 3), (3, 1.0)])
@pytest.mark.parametrize("dtype", ["int64", "int32"])
def test_accuracy_function(k, want, dtype):
    label = paddle.to_tensor(LABELS, dtype=dtype)
    correct, total = paddle.to_tensor([0], dtype="int32"), paddle.to_tensor(0, dtype="int32")
    share = accuracy(scores(), label, k, correct, total)
    assert share.shape == [] and share.item() == pytest.approx(want)
    assert (correct.item(), total.item()) == (round(3 * want), 3)
    assert accuracy(scores(), paddle.to_tensor([1, 2, 2]), k).item() == pytest.approx(want)


@pytest.mark.parametrize(
    ("label", "k", "error"),
    [(LABELS, 4, ValueError), (LABELS[:2], 1, ValueError), ([[1.0], [2.0], [2.0]], 1, TypeError)],
)
def test_accuracy_function_refuses(label, k, error):
    with pytest.raises(error):
        accuracy(scores(), paddle.to_tensor(label), k)


@pytest.mark.parametrize("column", [False, True])
def test_precision_and_recall(column):
    x, y = (a.reshape(-1, 1) if column else a for a in (CHANCES, TRUTH))
    precision, recall = Precision(), Recall()
    assert (precision.accumulate(), recall.accumulate()) == (0.0, 0.0)
    for metric in (precision, recall):
        assert metric.compute(x, y) == (x, y)
        metric.update(paddle.to_tensor(x), paddle.to_tensor(y))
    assert (precision.accumulate(), precision.tp, precision.fp) == (2 / 3, 2, 1)
    assert (recall.accumulate(), recall.tp, recall.fn) == (1 / 2, 1, 1)
    precision.reset()
    assert precision.accumulate() == 0.0
    assert (precision.name(), recall.name(), Auc().name()) == ("precision", "recall", "auc")


def test_areas_agree_with_scikit_learn():
    metrics = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(0)
    chances = rng.random(2000)
    truth = (rng.random(2000) < chances).astype(int)
    for curve, want in (
        ("ROC", metrics.roc_auc_score(truth, chances)),
        ("PR", metrics.average_precision_score(truth, chances)),
    ):
        metric = Auc(curve)
        for part in (slice(0, 700), slice(700, None)):
            metric.update(np.stack([1 - chances, chances], 1)[part], truth[part, None])
        assert metric.accumulate() == pytest.approx(want, abs=2e-3)
        metric.reset()
        assert metric.accumulate() == 0.0


def test_area_of_ties_is_a_half():
    metric = Auc()
    metric.update(paddle.to_tensor([0.5, 0.5]), paddle.to_tensor([1, 0]))
    assert metric.accumulate() == 0.5


@pytest.mark.parametrize(
    "call",
    [
        lambda: Auc("X"),
        lambda: Auc().update(np.array([[0.0, 2.0]]), np.array([1])),
        lambda: Precision().update([1], np.array([1])),
        lambda: Recall().update(np.array([1.0]), [1]),
        lambda: Accuracy().update([1]),
    ],
)
def test_bad_calls_are_refused(call):
    with pytest.raises(ValueError):
        call()


def test_the_base_says_what_is_missing():
    class Half(Metric):
        def reset(self):
            super().reset()

        def update(self, *args):
            super().update()

        def accumulate(self):
            super().accumulate()

        def name(self):
            super().name()

    metric = Half()
    for call in (metric.reset, metric.update, metric.accumulate, metric.name):
        with pytest.raises(NotImplementedError, match="Half"):
            call()
    assert metric.compute(1, 2) == (1, 2)
    with pytest.raises(TypeError):
        type("Less", (Metric,), {})()
