"""Pooling layers call their functions with their settings."""

import numpy as np
import pytest

import paddlite as paddle
from paddlite import nn

F = nn.functional
SHAPES = {1: (2, 3, 8), 2: (2, 3, 8, 6), 3: (2, 3, 4, 6, 8)}


def noise(rank):
    return paddle.to_tensor(np.random.default_rng(0).standard_normal(SHAPES[rank]).astype("float32"))


@pytest.mark.parametrize("rank", [1, 2, 3])
def test_windows(rank):
    x = noise(rank)
    settings = {"stride": 2, "padding": 1, "ceil_mode": True}
    for kind, function in (("MaxPool", "max_pool"), ("AvgPool", "avg_pool")):
        got = getattr(nn, f"{kind}{rank}D")(3, **settings)(x)
        want = getattr(F, f"{function}{rank}d")(x, 3, **settings)
        np.testing.assert_array_equal(got.numpy(), want.numpy())
    included = getattr(nn, f"AvgPool{rank}D")(3, 2, 1, exclusive=False)(x)
    want = getattr(F, f"avg_pool{rank}d")(x, 3, 2, 1, exclusive=False)
    np.testing.assert_array_equal(included.numpy(), want.numpy())


@pytest.mark.parametrize("rank", [1, 2, 3])
def test_given_sizes(rank):
    x = noise(rank)
    mean = getattr(nn, f"AdaptiveAvgPool{rank}D")(2)(x)
    largest, mask = getattr(nn, f"AdaptiveMaxPool{rank}D")(2, return_mask=True)(x)
    np.testing.assert_array_equal(mean.numpy(), getattr(F, f"adaptive_avg_pool{rank}d")(x, 2).numpy())
    np.testing.assert_array_equal(largest.numpy(), getattr(F, f"adaptive_max_pool{rank}d")(x, 2).numpy())
    assert mask.shape == largest.shape


@pytest.mark.parametrize("rank", [1, 2, 3])
def test_unpooling_undoes_pooling(rank):
    x = noise(rank)
    largest, mask = getattr(nn, f"MaxPool{rank}D")(2, return_mask=True)(x)
    back = getattr(nn, f"MaxUnPool{rank}D")(2)(largest, mask)
    assert back.shape == x.shape
    kept = back.numpy() != 0
    np.testing.assert_array_equal(back.numpy()[kept], x.numpy()[kept])
    assert kept.sum() == largest.numpy().size


def test_layouts_and_divisors():
    x = noise(2)
    turned = paddle.to_tensor(np.moveaxis(x.numpy(), 1, -1))
    for layer in (
        lambda f: nn.MaxPool2D(2, data_format=f),
        lambda f: nn.AvgPool2D(2, divisor_override=3, data_format=f),
        lambda f: nn.AdaptiveAvgPool2D((2, 3), data_format=f),
    ):
        want = layer("NCHW")(x).numpy()
        np.testing.assert_allclose(np.moveaxis(layer("NHWC")(turned).numpy(), -1, 1), want, rtol=1e-6)
    np.testing.assert_allclose(
        nn.AvgPool2D(2, divisor_override=3)(x).numpy(), nn.AvgPool2D(2)(x).numpy() * 4 / 3, rtol=1e-5
    )


@pytest.mark.parametrize("rank", [1, 2])
def test_norms(rank):
    x = noise(rank)
    got = getattr(nn, f"LPPool{rank}D")(3, 2, 2, ceil_mode=True)(x)
    want = getattr(F, f"lp_pool{rank}d")(x, 3, 2, 2, ceil_mode=True)
    np.testing.assert_array_equal(got.numpy(), want.numpy())
    assert repr(nn.LPPool2D(2, 2)) == "LPPool2D(norm_type=2.0, kernel_size=2, stride=2, padding=0)"


@pytest.mark.parametrize("rank", [2, 3])
def test_fractional_windows(rank):
    x = noise(rank)
    layer = getattr(nn, f"FractionalMaxPool{rank}D")(3, random_u=0.3, return_mask=True)
    got, mask = layer(x)
    want, places = getattr(F, f"fractional_max_pool{rank}d")(x, 3, random_u=0.3, return_mask=True)
    np.testing.assert_array_equal(got.numpy(), want.numpy())
    np.testing.assert_array_equal(mask.numpy(), places.numpy())
