"""Scaled dot-product attention."""

import numpy as np
import pytest
from scipy import special

import paddlite as paddle

F = paddle.nn.functional
RNG = np.random.default_rng(0)
Q, K, V = (RNG.standard_normal((2, n, 4, 5)).astype("float32") for n in (3, 6, 6))


def t(array, **options):
    return paddle.to_tensor(array, **options)


def expected(q, k, v, scale=None, bias=0.0, allowed=True):
    scores = np.einsum("bqhd,bkhd->bhqk", q, k).astype("float64") * (scale or 1 / np.sqrt(q.shape[-1])) + bias
    weights = special.softmax(np.where(allowed, scores, -np.inf), -1)
    return np.einsum("bhqk,bkhd->bqhd", weights, v)


@pytest.mark.parametrize("large", [1.0, 100.0])  # with and without room for exponentials that are not shifted
@pytest.mark.parametrize(
    ("options", "reference"),
    [
        ({}, {}),
        ({"scale": 0.3}, {"scale": 0.3}),
        ({"is_causal": True}, {"allowed": np.tri(3, 6, dtype=bool)}),
        ({"attn_mask": (np.arange(6) < 4)}, {"allowed": np.arange(6) < 4}),
        ({"attn_mask": np.linspace(-3, 3, 18).reshape(3, 6)}, {"bias": np.linspace(-3, 3, 18).reshape(3, 6)}),
        ({"attn_mask": np.where(np.arange(6) < 4, 0, -1e9)}, {"allowed": np.arange(6) < 4}),
        (
            {"attn_mask": np.arange(6) < 2, "is_causal": True},
            {"allowed": np.tri(3, 6, dtype=bool) & (np.arange(6) < 2)},
        ),
    ],
)
def test_values(options, reference, large):
    mask = options.get("attn_mask")
    if mask is not None:
        options = {**options, "attn_mask": t(mask if mask.dtype == bool else mask.astype("float32"))}
    out = F.scaled_dot_product_attention(t(Q * large), t(K), t(V), **options)
    np.testing.assert_allclose(out.numpy(), expected(Q * large, K, V, **reference), rtol=1e-4, atol=1e-5)


def test_a_query_that_may_look_nowhere_gets_zeros_and_no_gradient():
    mask = np.array([[True] * 6, [False] * 6, [True] * 6])
    q, k, v = (t(a, stop_gradient=False) for a in (Q, K, V))
    out = F.scaled_dot_product_attention(q, k, v, t(mask))
    assert not out.numpy()[:, 1].any()
    gq, gk, gv = paddle.grad([out], [q, k, v])
    assert not gq.numpy()[:, 1].any()
    assert all(np.isfinite(g.numpy()).all() for g in (gq, gk, gv))


def test_heads_of_key_and_value_are_shared_by_neighbours():
    out = F.scaled_dot_product_attention(t(Q), t(K[:, :, :2]), t(V[:, :, :2]), is_causal=True)
    want = expected(Q, np.repeat(K[:, :, :2], 2, 2), np.repeat(V[:, :, :2], 2, 2), allowed=np.tri(3, 6, dtype=bool))
    np.testing.assert_allclose(out.numpy(), want, rtol=1e-4, atol=1e-5)


def test_without_a_batch_axis_and_across_pieces():
    one = F.scaled_dot_product_attention(t(Q[0]), t(K[0]), t(V[0]))
    np.testing.assert_allclose(one.numpy(), expected(Q, K, V)[0], rtol=1e-4, atol=1e-5)
    q, k, v = (RNG.standard_normal((3, 300, 5, 8)).astype("float32") for _ in range(3))
    x = [t(a, stop_gradient=False) for a in (q, k, v)]
    out = F.scaled_dot_product_attention(*x, is_causal=True)
    allowed = np.tri(300, dtype=bool)
    np.testing.assert_allclose(out.numpy(), expected(q, k, v, allowed=allowed), rtol=1e-3, atol=1e-4)
    grads = paddle.grad([out], x)
    for a in (0, 1, 2):  # one sample at a time gives the same
        y = [t(b[2:], stop_gradient=False) for b in (q, k, v)]
        alone = paddle.grad([F.scaled_dot_product_attention(*y, is_causal=True)], y)
        np.testing.assert_allclose(grads[a].numpy()[2:], alone[a].numpy(), rtol=1e-4, atol=1e-5)


def test_dropout_keeps_the_mean_repeats_with_the_seed_and_stops_in_evaluation():
    q, k = t(np.zeros((1, 64, 4, 8), "float32")), t(np.zeros((1, 64, 4, 8), "float32"))
    v = t(np.ones((1, 64, 4, 8), "float32"))
    paddle.seed(1)
    out = F.scaled_dot_product_attention(q, k, v, dropout_p=0.5)
    assert abs(out.numpy().mean() - 1) < 0.05
    assert out.numpy().std() > 0.05
    paddle.seed(1)
    np.testing.assert_array_equal(F.scaled_dot_product_attention(q, k, v, dropout_p=0.5).numpy(), out.numpy())
    np.testing.assert_allclose(
        F.scaled_dot_product_attention(q, k, v, dropout_p=0.5, training=False).numpy(), 1, rtol=1e-6
    )


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_half_inputs(dtype):
    q, k, v = (t(a).astype(dtype) for a in (Q * 30, K, V))
    out = F.scaled_dot_product_attention(q, k, v, is_causal=True)
    assert out.dtype == dtype
    wide = [a.astype("float32").numpy() for a in (q, k, v)]
    want = expected(*wide, allowed=np.tri(3, 6, dtype=bool))
    np.testing.assert_allclose(out.astype("float32").numpy(), want, rtol=2e-2, atol=2e-2)


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda f: f(t(Q), t(K[:, :5]), t(V)), ValueError, "lengths of key and value must agree"),
        (lambda f: f(t(Q), t(K[..., :3]), t(V)), ValueError, "widths of query and key"),
        (lambda f: f(t(Q), t(K[:, :, :3]), t(V[:, :, :3])), ValueError, "4 heads of query do not divide into 3"),
        (lambda f: f(t(Q), t(K[:, :, :2]), t(V[:, :, :2]), enable_gqa=False), ValueError, "as many heads each"),
        (lambda f: f(t(Q), t(K), t(V), t(np.ones(6, "int64"))), TypeError, "attn_mask must be bool or floating"),
        (lambda f: f(t(Q), t(K), t(V), t(np.ones((2, 6), bool))), ValueError, "does not broadcast to"),
        (lambda f: f(t(Q), t(K), t(V), dropout_p=2.0), ValueError, "dropout_p must be in"),
        (lambda f: f(t(Q[0, 0]), t(K[0, 0]), t(V[0, 0])), ValueError, "must be .batch, length"),
    ],
)
def test_bad_arguments_are_refused(call, error, text):
    with pytest.raises(error, match=text):
        call(F.scaled_dot_product_attention)


flash = F.flash_attention


def test_flash_attention_gives_weights_on_demand():
    out, weights = flash.flash_attention(t(Q), t(K[:, :, :2]), t(V[:, :, :2]), causal=True, return_softmax=True)
    values = np.repeat(V[:, :, :2], 2, 2)
    np.testing.assert_allclose(np.einsum("bhqk,bkhd->bqhd", weights.numpy(), values), out.numpy(), atol=1e-5)
    assert flash.flash_attention(t(Q), t(K), t(V))[1] is None


def test_packed_tensors_hold_shared_heads_last():
    qkv = RNG.standard_normal((2, 5, 4, 3, 8)).astype("float32")  # 6 heads of query share 3
    q = qkv[:, :, :2].transpose(0, 1, 3, 2, 4).reshape(2, 5, 6, 8)
    want = F.scaled_dot_product_attention(t(q), t(qkv[:, :, 2]), t(qkv[:, :, 3])).numpy()
    np.testing.assert_allclose(F.flash_attn_qkvpacked(t(qkv))[0].numpy(), want, atol=1e-6)
    ends = t(np.array([0, 2, 5]))
    out = F.flash_attn_varlen_qkvpacked(t(qkv[0]), ends, ends, 3, 3, 8**-0.5)[0].numpy()
    for part in (slice(0, 2), slice(2, 5)):
        alone = F.flash_attn_qkvpacked(t(qkv[:1, part]))[0].numpy()[0]
        np.testing.assert_allclose(out[part], alone, atol=1e-6)


@pytest.mark.parametrize(
    ("causal", "bounds", "hidden"),
    [
        (True, [[4], [3], [2], [6], [6], [6]], lambda r, c, b: (r >= b[..., 0]) | (r < c)),
        (True, [[1, 3], [2, 3], [6, 6], [4, 5], [6, 6], [6, 6]],
         lambda r, c, b: ((r >= b[..., 0]) & (r < b[..., 1])) | (r < c)),
        (False, [[4, 0], [6, 1], [5, 2], [6, 0], [6, 3], [6, 0]], lambda r, c, b: (r >= b[..., 0]) | (r < b[..., 1])),
        (False, [[4, 5, 0, 1], [6, 6, 0, 0], [5, 6, 0, 2], [6, 6, 1, 2], [5, 6, 2, 3], [6, 6, 0, 4]],
         lambda r, c, b: ((r >= b[..., 0]) & (r < b[..., 1])) | ((r >= b[..., 2]) & (r < b[..., 3]))),
    ],
)  # fmt: skip
def test_flashmask(causal, bounds, hidden):
    bounds = np.array(bounds, "int32")[None, None]
    q = RNG.standard_normal((1, 6, 4, 5)).astype("float32")
    blocked = hidden(np.arange(6)[:, None], np.arange(6), bounds[:, :, None])
    out = F.flashmask_attention(t(q), t(K[:1]), t(V[:1]), t(bounds), causal=causal)
    np.testing.assert_allclose(out.numpy(), expected(q, K[:1], V[:1], allowed=~blocked), rtol=1e-4, atol=1e-5)
    per_head = np.repeat(bounds, 2, 1)
    shared = F.flashmask_attention(t(q), t(K[:1, :, :2]), t(V[:1, :, :2]), t(per_head), causal=causal)
    want = expected(q, np.repeat(K[:1, :, :2], 2, 2), np.repeat(V[:1, :, :2], 2, 2), allowed=~blocked)
    np.testing.assert_allclose(shared.numpy(), want, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(("causal", "window", "low", "high"), [(True, 2, 2, 0), (False, (1, 3), 1, 3)])
def test_windows(causal, window, low, high):
    distance = np.arange(6)[:, None] - np.arange(6)
    q = RNG.standard_normal((2, 6, 4, 5)).astype("float32")
    out = F.flashmask_attention(t(q), t(K), t(V), causal=causal, window_size=window)
    want = expected(q, K, V, allowed=(distance <= low) & (distance >= -high))
    np.testing.assert_allclose(out.numpy(), want, rtol=1e-4, atol=1e-5)


def test_sparse_attention_looks_where_the_matrix_says():
    q, k, v = (RNG.standard_normal((1, 2, 3, 4)).astype("float32") for _ in range(3))
    offset = np.array([[[0, 2, 3, 5], [0, 1, 3, 5]]], "int32")
    columns = np.array([[[0, 1, 1, 0, 2], [2, 0, 1, 1, 2]]], "int32")
    allowed = np.array([[[[1, 1, 0], [0, 1, 0], [1, 0, 1]], [[0, 0, 1], [1, 1, 0], [0, 1, 1]]]], bool)
    seen = np.array([[1.0, 1.0, 0.0]])
    out = F.sparse_attention(t(q), t(k), t(v), t(offset), t(columns), t(seen), t(np.ones((3, 3))))
    turned = [a.transpose(0, 2, 1, 3) for a in (q, k, v)]
    allowed = allowed & (seen[:, None, None] > 0)
    blind = ~allowed.any(-1)
    want = expected(*turned, allowed=allowed | blind[..., None]).transpose(0, 2, 1, 3)
    np.testing.assert_allclose(out.numpy(), np.where(blind[..., None], 0, want), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: F.flash_attn_qkvpacked(t(Q)), "qkv must have 5 axes"),
        (
            lambda: flash.flash_attn_unpadded(t(Q[0]), t(K[0]), t(V[0]), [0, 2], [0, 6], 2, 6, 1.0),
            "must have one length",
        ),
        (lambda: F.flashmask_attention(t(Q), t(K), t(V), t(np.zeros((2, 1, 6, 3), "int32"))), "2 or 4 without causal"),
        (lambda: F.flashmask_attention(t(Q), t(K), t(V), return_softmax_lse=True), "not supported"),
    ],
)
def test_bad_arguments_of_flash_attention_are_refused(call, text):
    with pytest.raises(ValueError, match=text):
        call()
