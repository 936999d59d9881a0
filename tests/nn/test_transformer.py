"""Attention and transformers against NumPy, masks, caches, settings."""

import numpy as np
import pytest

import paddlite as paddle
from paddlite import nn
from paddlite.nn.layer.transformer import _convert_attention_mask, _convert_param_attr_to_list

RNG = np.random.default_rng(0)


def noise(*shape):
    return paddle.to_tensor(RNG.standard_normal(shape).astype("float32"))


def close(got, want):
    want = want.numpy() if hasattr(want, "numpy") else want
    np.testing.assert_allclose(got.numpy(), want, rtol=1e-4, atol=1e-5)


def linear(layer, x):
    return x @ layer.weight.numpy().astype("float64") + layer.bias.numpy()


def norm(layer, x):
    x = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5)
    return x * layer.weight.numpy() + layer.bias.numpy()


def heads(x, n):
    return x.reshape(*x.shape[:2], n, -1).transpose(0, 2, 1, 3)


def attention(layer, q, k, v, mask=0.0):
    q, k, v = (
        heads(linear(p, x), layer.num_heads) for p, x in zip((layer.q_proj, layer.k_proj, layer.v_proj), (q, k, v))
    )
    scores = q @ k.transpose(0, 1, 3, 2) / np.sqrt(q.shape[-1]) + mask
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    weights /= weights.sum(-1, keepdims=True)
    mixed = (weights @ v).transpose(0, 2, 1, 3)
    return linear(layer.out_proj, mixed.reshape(*mixed.shape[:2], -1)), weights


def encoder_layer(layer, x, mask=0.0):
    before = layer.normalize_before
    y = norm(layer.norm1, x) if before else x
    x = x + attention(layer.self_attn, y, y, y, mask)[0]
    x = x if before else norm(layer.norm1, x)
    y = norm(layer.norm2, x) if before else x
    x = x + linear(layer.linear2, np.maximum(linear(layer.linear1, y), 0))
    return x if before else norm(layer.norm2, x)


CAUSAL = np.triu(np.full((3, 3), -np.inf), 1)


def test_attention_and_its_weights():
    layer = nn.MultiHeadAttention(4, 2, kdim=3, vdim=5, need_weights=True)
    q, k, v = noise(2, 3, 4), noise(2, 6, 3), noise(2, 6, 5)
    out, weights = layer(q, k, v)
    want, want_weights = attention(layer, q.numpy(), k.numpy(), v.numpy())
    close(out, want)
    close(weights, want_weights)


@pytest.mark.parametrize("kind", ["bool", "int64", "float32"])
def test_masks(kind):
    layer, x = nn.MultiHeadAttention(4, 2), noise(2, 3, 4)
    mask = CAUSAL.astype("float32") if kind == "float32" else (CAUSAL == 0).astype(kind)
    close(layer(x, attn_mask=paddle.to_tensor(mask)), attention(layer, *[x.numpy()] * 3, CAUSAL)[0])


def test_masks_become_what_is_added():
    for given in ([True, False], [1, 0]):
        assert _convert_attention_mask(paddle.to_tensor(given), paddle.float32).tolist() == [0.0, -1e9]
    floats = paddle.to_tensor([1.0, 0.0])
    assert _convert_attention_mask(floats, paddle.float32) is floats
    assert _convert_attention_mask(None, paddle.float32) is None


def test_a_growing_cache_gives_what_a_causal_mask_gives():
    layer, x = nn.MultiHeadAttention(4, 2), noise(2, 3, 4)
    want = layer(x, attn_mask=paddle.to_tensor(CAUSAL.astype("float32"))).numpy()
    cache = layer.gen_cache(x)
    assert cache.k.shape == [2, 2, 0, 2] and type(cache) is nn.MultiHeadAttention.Cache
    for t in range(3):
        out, cache = layer(x[:, t : t + 1], cache=cache)
        close(out, want[:, t : t + 1])
    assert cache.v.shape == [2, 2, 3, 2]


def test_a_fixed_cache_takes_the_place_of_keys_and_values():
    layer, x, memory = nn.MultiHeadAttention(4, 2), noise(2, 3, 4), noise(2, 5, 4)
    cache = layer.gen_cache(memory, memory, type=nn.MultiHeadAttention.StaticCache)
    out, same = layer(x, None, None, None, cache)
    close(out, layer(x, memory, memory))
    assert same is cache
    given = layer.gen_cache(cache.k, cache.v)
    assert given.k is cache.k and type(given) is nn.MultiHeadAttention.Cache


@pytest.mark.parametrize("before", [False, True])
def test_encoder_layer(before):
    layer, x = nn.TransformerEncoderLayer(4, 2, 8, dropout=0.0, normalize_before=before), noise(2, 3, 4)
    close(layer(x), encoder_layer(layer, x.numpy()))
    close(layer(x, paddle.to_tensor(CAUSAL.astype("float32"))), encoder_layer(layer, x.numpy(), CAUSAL))


def test_encoder_stacks_layers_and_a_norm():
    layer = nn.TransformerEncoderLayer(4, 2, 8, dropout=0.0)
    net, x = nn.TransformerEncoder(layer, 2, nn.LayerNorm(4)), noise(2, 3, 4)
    assert net.layers[0] is layer and net.layers[1].linear1.weight is not layer.linear1.weight
    want = norm(net.norm, encoder_layer(net.layers[1], encoder_layer(layer, x.numpy())))
    close(net(x), want)
    whole = net(x, paddle.to_tensor(CAUSAL == 0)).numpy()
    caches = net.gen_cache(x)
    for t in range(3):
        out, caches = net(x[:, t : t + 1], cache=caches)
        close(out, whole[:, t : t + 1])


@pytest.mark.parametrize("before", [False, True])
def test_decoder_step_by_step(before):
    layer = nn.TransformerDecoderLayer(4, 2, 8, dropout=0.0, normalize_before=before)
    net, x, memory = nn.TransformerDecoder(layer, 2), noise(2, 3, 4), noise(2, 5, 4)
    whole = net(x, memory, paddle.to_tensor(CAUSAL.astype("float32"))).numpy()
    caches = net.gen_cache(memory)
    for t in range(3):
        out, caches = net(x[:, t : t + 1], memory, cache=caches)
        close(out, whole[:, t : t + 1])
    grown, fixed = net.gen_cache(memory, do_zip=True)
    assert [type(c).__name__ for c in (*grown, *fixed)] == ["Cache"] * 2 + ["StaticCache"] * 2


def test_decoder_layer_looks_at_the_memory():
    layer, x, memory = nn.TransformerDecoderLayer(4, 2, 8, dropout=0.0), noise(2, 3, 4), noise(2, 5, 4)
    want = norm(layer.norm1, x.numpy() + attention(layer.self_attn, *[x.numpy()] * 3)[0])
    want = norm(layer.norm2, want + attention(layer.cross_attn, want, memory.numpy(), memory.numpy())[0])
    want = norm(layer.norm3, want + linear(layer.linear2, np.maximum(linear(layer.linear1, want), 0)))
    close(layer(x, memory), want)


def test_transformer():
    net = nn.Transformer(4, 2, 1, 2, 8, dropout=0.0)
    mask = net.generate_square_subsequent_mask(3)
    np.testing.assert_array_equal(mask.numpy(), CAUSAL)
    src, tgt = noise(2, 5, 4), noise(2, 3, 4)
    close(net(src, tgt, tgt_mask=mask), net.decoder(tgt, net.encoder(src), mask))
    found = [name for name, _ in net.named_parameters()]
    assert found[0] == "encoder.layers.0.self_attn.q_proj.weight" and found[-1] == "decoder.norm.bias"
    assert len(found) == 16 + 2 + 2 * 26 + 2


def test_custom_parts():
    class Double(nn.Layer):
        def forward(self, x, *args, **kwargs):
            return x * 2.0

    x = noise(2, 3, 4)
    close(nn.Transformer(4, 2, custom_encoder=Double(), custom_decoder=Double())(x, x), 2 * x.numpy())


def test_dropout_in_training_only():
    layer, x = nn.TransformerEncoderLayer(4, 2, 8, dropout=0.5), noise(2, 3, 4)
    assert not np.allclose(layer(x).numpy(), layer(x).numpy())
    layer.eval()
    close(layer(x), encoder_layer(layer, x.numpy()))


def test_parameter_attributes_are_shared_out():
    constant = [nn.initializer.Constant(v) for v in (1.0, 2.0, 3.0)]
    net = nn.Transformer(4, 2, 1, 1, 8, weight_attr=constant, bias_attr=False)
    encoder, decoder = net.encoder.layers[0], net.decoder.layers[0]
    assert [p.weight.numpy().max() for p in (encoder.self_attn.q_proj, encoder.linear1)] == [1.0, 3.0]
    parts = (decoder.self_attn.q_proj, decoder.cross_attn.q_proj, decoder.linear2)
    assert [p.weight.numpy().max() for p in parts] == [1.0, 2.0, 3.0]
    assert decoder.linear1.bias is None
    assert [a.name for a in _convert_param_attr_to_list("x", 2)] == ["x_0", "x_1"]
    assert _convert_param_attr_to_list(False, 2) == [False, False]


@pytest.mark.parametrize(
    "make",
    [
        lambda: nn.MultiHeadAttention(5, 2),
        lambda: nn.MultiHeadAttention(0, 2),
        lambda: nn.TransformerEncoderLayer(4, 0, 3),
        lambda: nn.TransformerEncoderLayer(4, 2, 0),
        lambda: nn.TransformerDecoderLayer(4, 2, 8, activation="no such"),
        lambda: nn.Transformer(4, 2, 1, 1, 8, weight_attr=[None] * 4),
        lambda: nn.TransformerEncoderLayer(4, 2, 8, weight_attr=[None] * 3),
    ],
)
def test_bad_settings_are_refused(make):
    with pytest.raises(ValueError):
        make()
