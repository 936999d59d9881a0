"""Loss layers call their functions with their settings."""

import numpy as np
import pytest

import paddlite as paddle
from paddlite import nn

F = nn.functional
RNG = np.random.default_rng(0)


def tensor(array, dtype="float32"):
    return paddle.to_tensor(np.asarray(array, dtype))


X, Y, Z = (tensor(RNG.standard_normal((4, 5))) for _ in range(3))
P, Q = (tensor(RNG.uniform(0.1, 0.9, (4, 5))) for _ in range(2))
CLASSES, SIGNS = tensor([0, 4, 2, 2], "int64"), tensor([1, -1, -1, 1])
WEIGHT = tensor([1.0, 2.0, 0.5, 1.0, 3.0])

CASES = [
    (nn.CrossEntropyLoss, {"weight": WEIGHT, "ignore_index": 2, "label_smoothing": 0.1}, (X, CLASSES), F.cross_entropy),
    (nn.CrossEntropyLoss, {"soft_label": True, "axis": 1, "use_softmax": False}, (P, Q), F.cross_entropy),
    (nn.MSELoss, {}, (X, Y), F.mse_loss),
    (nn.L1Loss, {}, (X, Y), F.l1_loss),
    (nn.SmoothL1Loss, {"delta": 0.5}, (X, Y), F.smooth_l1_loss),
    (nn.BCELoss, {"weight": WEIGHT}, (P, Q), F.binary_cross_entropy),
    (nn.BCEWithLogitsLoss, {"weight": WEIGHT, "pos_weight": WEIGHT}, (X, Q), F.binary_cross_entropy_with_logits),
    (nn.NLLLoss, {"weight": WEIGHT, "ignore_index": 2}, (X, CLASSES), F.nll_loss),
    (nn.KLDivLoss, {"log_target": True}, (X, Y), F.kl_div),
    (nn.PoissonNLLLoss, {"log_input": False, "full": True}, (P, Q), F.poisson_nll_loss),
    (nn.GaussianNLLLoss, {"full": True, "epsilon": 0.5}, (X, Y, P), F.gaussian_nll_loss),
    (nn.MarginRankingLoss, {"margin": 0.3}, (X[:, 0], Y[:, 0], SIGNS), F.margin_ranking_loss),
    (nn.HingeEmbeddingLoss, {"margin": 0.3}, (X[:, 0], SIGNS), F.hinge_embedding_loss),
    (nn.CosineEmbeddingLoss, {"margin": 0.3}, (X, Y, SIGNS), F.cosine_embedding_loss),
    (nn.SoftMarginLoss, {}, (X[:, 0], SIGNS), F.soft_margin_loss),
    (nn.MultiLabelSoftMarginLoss, {"weight": WEIGHT}, (X, Q), F.multi_label_soft_margin_loss),
    (nn.MultiMarginLoss, {"p": 2, "margin": 0.7, "weight": WEIGHT}, (X, CLASSES), F.multi_margin_loss),
    (nn.TripletMarginLoss, {"margin": 0.5, "p": 1.0, "swap": True}, (X, Y, Z), F.triplet_margin_loss),
    (
        nn.TripletMarginWithDistanceLoss,
        {"distance_function": lambda a, b: (a - b).abs().sum(-1), "margin": 0.5, "swap": True},
        (X, Y, Z),
        F.triplet_margin_with_distance_loss,
    ),
]


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
@pytest.mark.parametrize(("kind", "settings", "inputs", "function"), CASES, ids=[kind.__name__ for kind, *_ in CASES])
def test_losses_call_their_functions(kind, settings, inputs, function, reduction):
    got = kind(**settings, reduction=reduction)(*inputs)
    np.testing.assert_array_equal(got.numpy(), function(*inputs, **settings, reduction=reduction).numpy())
    assert (got.ndim == 0) == (reduction != "none")


def test_multi_label_margin_loss():
    label = tensor([[0, 3, -1, -1, -1]] * 4, "int64")
    got = nn.MultiLabelMarginLoss("sum")(X, label)
    np.testing.assert_array_equal(got.numpy(), F.multi_label_margin_loss(X, label, "sum").numpy())


def test_ctc_loss():
    scores = tensor(RNG.standard_normal((6, 2, 5)))
    lengths = tensor([6, 4], "int64"), tensor([3, 2], "int64")
    labels = tensor([[1, 2, 3], [4, 1, 0]], "int32")
    got = nn.CTCLoss(blank=0, reduction="sum")(scores, labels, *lengths)
    want = F.ctc_loss(scores, labels, *lengths, 0, "sum")
    np.testing.assert_array_equal(got.numpy(), want.numpy())


def test_rnnt_loss():
    scores = tensor(RNG.standard_normal((2, 4, 3, 5)))
    inputs = scores, tensor([[1, 2], [3, 0]], "int32"), tensor([4, 3], "int32"), tensor([2, 1], "int32")
    got = nn.RNNTLoss(blank=0, fastemit_lambda=0.1, reduction="none")(*inputs)
    np.testing.assert_array_equal(got.numpy(), F.rnnt_loss(*inputs, 0, 0.1, "none").numpy())


def test_hierarchical_sigmoid():
    layer = nn.HSigmoidLoss(5, 6)
    assert (layer.weight.shape, layer.bias.shape) == ([5, 5], [5, 1])
    got, want = layer(X, CLASSES), F.hsigmoid_loss(X, CLASSES, 6, layer.weight, layer.bias)
    np.testing.assert_array_equal(got.numpy(), want.numpy())
    assert nn.HSigmoidLoss(5, 6, is_custom=True, bias_attr=False).weight.shape == [6, 5]


def test_adaptive_log_softmax():
    layer = nn.AdaptiveLogSoftmaxWithLoss(5, 10, [3, 6], div_value=2.0, head_bias=True)
    assert [(name, p.shape) for name, p in layer.named_parameters()] == [
        ("head_weight", [5, 5]),
        ("head_bias", [5]),
        ("tail_weight_0_0", [5, 2]),
        ("tail_weight_0_1", [2, 3]),
        ("tail_weight_1_0", [5, 1]),
        ("tail_weight_1_1", [1, 4]),
    ]
    every = layer.log_prob(X).numpy()
    np.testing.assert_allclose(np.exp(every).sum(1), 1, rtol=1e-5)
    label = tensor([0, 4, 8, 9], "int64")
    out, loss = layer(X, label)
    np.testing.assert_allclose(out.numpy(), every[np.arange(4), label.numpy()], rtol=1e-4)
    assert loss.item() == pytest.approx(-out.numpy().mean(), rel=1e-5)
    assert layer.predict(X).tolist() == every.argmax(1).tolist()


@pytest.mark.parametrize(
    "make",
    [*[lambda kind=kind: kind(reduction="x") for kind, *_ in CASES], lambda: nn.CosineEmbeddingLoss(margin=2)]
    + [lambda: nn.CrossEntropyLoss(label_smoothing=2.0), lambda: nn.PoissonNLLLoss(epsilon=0)]
    + [lambda: nn.HSigmoidLoss(5, 1), lambda: nn.AdaptiveLogSoftmaxWithLoss(5, 10, [6, 3])],
)
def test_bad_settings_are_refused(make):
    with pytest.raises(ValueError):
        make()


def test_losses_are_found_where_older_code_looks():
    assert nn.loss.MSELoss is nn.MSELoss is nn.layer.loss.MSELoss
