"""Linear maps, embeddings, dropout, distances."""

import numpy as np
import pytest

import paddlite as paddle
from paddlite import nn

F = nn.functional
RNG = np.random.default_rng(0)


def noise(*shape):
    return paddle.to_tensor(RNG.standard_normal(shape).astype("float32"))


def same(got, want):
    np.testing.assert_array_equal(got.numpy(), want.numpy() if hasattr(want, "numpy") else want)


def test_linear():
    layer, x = nn.Linear(4, 3), noise(2, 4)
    np.testing.assert_allclose(layer(x).numpy(), x.numpy() @ layer.weight.numpy() + layer.bias.numpy(), rtol=1e-5)
    assert nn.Linear(4, 3, bias_attr=False).bias is None
    assert nn.Linear(0, 3)(noise(2, 0)).shape == [2, 3]
    with pytest.raises(ValueError):
        layer(noise(2, 3))


def test_bilinear():
    layer, a, b = nn.Bilinear(3, 4, 5), noise(2, 3), noise(2, 4)
    want = np.einsum("bi,oij,bj->bo", a.numpy(), layer.weight.numpy(), b.numpy()) + layer.bias.numpy()
    np.testing.assert_allclose(layer(a, b).numpy(), want, rtol=1e-4, atol=1e-5)
    assert layer.bias.shape == [1, 5] and "in1_features=3" in repr(layer)


def test_flatten_and_unflatten():
    x = noise(2, 3, 4)
    assert nn.Flatten()(x).shape == [2, 12]
    assert nn.Flatten(0, 1)(x).shape == [6, 4]
    assert nn.Unflatten(-1, [2, -1])(x).shape == [2, 3, 2, 2]
    assert repr(nn.Unflatten(1, [2, 2])) == "Unflatten(axis=1, shape=[2, 2])"


def test_embedding():
    table, ids = nn.Embedding(6, 3, padding_idx=-1), paddle.to_tensor([[0, 5], [2, 0]])
    assert table.weight.numpy()[5].tolist() == [0.0] * 3
    out = table(ids)
    same(out, table.weight.numpy()[ids.numpy()])
    out.backward(paddle.ones_like(out))
    assert table.weight.grad.numpy()[:, 0].tolist() == [2.0, 0.0, 1.0, 0.0, 0.0, 0.0]
    assert repr(table) == "Embedding(6, 3, padding_idx=-1, sparse=False, scale_grad_by_freq=False)"


def test_embedding_options():
    given = nn.Embedding(3, 2, _weight=paddle.to_tensor([[1.0, 2.0]] * 3), _freeze=True)
    assert given.weight.stop_gradient and given.weight.numpy()[2].tolist() == [1.0, 2.0]
    older = nn.Embedding(3, 2, None, True, nn.initializer.Constant(2.0))
    assert older.weight.numpy().min() == 2.0 and "sparse=True" in repr(older)
    short = nn.Embedding(3, 2, max_norm=1.0, weight_attr=nn.initializer.Constant(3.0))
    short(paddle.to_tensor([0]))
    np.testing.assert_allclose(np.linalg.norm(short.weight.numpy(), axis=1), [1.0, 18**0.5, 18**0.5], rtol=1e-4)
    scaled = nn.Embedding(3, 2, scale_grad_by_freq=True)
    out = scaled(paddle.to_tensor([0, 0, 1]))
    out.backward(paddle.ones_like(out))
    assert scaled.weight.grad.numpy()[:, 0].tolist() == [1.0, 1.0, 0.0]


@pytest.mark.parametrize(
    "make", [lambda: nn.Embedding(0, 2), lambda: nn.Embedding(3, -1), lambda: nn.Embedding(3, 2, padding_idx=5)]
)
def test_bad_embeddings_are_refused(make):
    with pytest.raises(ValueError):
        make()


@pytest.mark.parametrize(
    ("layer", "together"),
    [(nn.Dropout(0.5), ()), (nn.Dropout(0.5, axis=[0, 1]), (2, 3)), (nn.Dropout2D(0.5), (2, 3))],
)
def test_dropout_drops_in_training_only(layer, together):
    x = paddle.ones([40, 30, 4, 5])
    kept = layer(x).numpy()
    assert set(np.unique(kept)) == {0.0, 2.0}
    assert 0.4 < (kept == 0).mean() < 0.6
    if together:
        assert (kept == kept[:, :, :1, :1]).all()
    same(layer.eval()(x), x)


def test_dropout_forms():
    x = noise(3, 4)
    downscaled = nn.Dropout(0.25, mode="downscale_in_infer").eval()
    np.testing.assert_allclose(downscaled(x).numpy(), 0.75 * x.numpy(), rtol=1e-6)
    older = nn.Dropout(0.5, [1], "downscale_in_infer")
    assert (older.axis, older.mode, older.inplace) == ([1], "downscale_in_infer", False)
    assert repr(nn.Dropout(0.3)) == "Dropout(p=0.3, axis=None, mode=upscale_in_train, inplace=False)"
    kept = nn.Dropout3D(0.5)(paddle.ones([20, 10, 2, 2, 2])).numpy()
    assert (kept == kept[:, :, :1, :1, :1]).all() and set(np.unique(kept)) == {0.0, 2.0}


@pytest.mark.parametrize("kind", [nn.AlphaDropout, nn.FeatureAlphaDropout])
def test_alpha_dropout_keeps_the_moments(kind):
    x = noise(400, 300)
    out = kind(0.3)(x).numpy()
    assert abs(out.mean()) < 0.05 and abs(out.std() - 1) < 0.05
    same(kind(0.3).eval()(x), x)


def test_distances():
    a, b = noise(3, 4), noise(3, 4)
    want = np.abs(a.numpy() - b.numpy() + 1e-6).sum(-1, keepdims=True)
    np.testing.assert_allclose(nn.PairwiseDistance(1.0, keepdim=True)(a, b).numpy(), want, rtol=1e-5)
    same(nn.CosineSimilarity(axis=0)(a, b), F.cosine_similarity(a, b, axis=0))
    assert (
        repr(nn.PairwiseDistance(1.0, 0.1, True, "q")) == "PairwiseDistance(p=1.0, epsilon=0.1, keepdim=True, name=q)"
    )
