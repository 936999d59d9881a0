"""Conversions between float16 and float32 have NumPy's bits, with a C compiler and without."""

from __future__ import annotations

import numpy as np
import pytest

from paddlite.backend import half

EVERY_HALF = np.arange(1 << 16, dtype=np.uint16).view(np.float16)


@pytest.fixture(params=["as it is", "without a compiler"])
def conversions(request, monkeypatch):
    if request.param == "without a compiler":
        monkeypatch.setattr(half, "_loops", lambda: None)


def same_bits(got, want):
    assert got.dtype == want.dtype
    assert got.strides == want.strides
    nan = np.isnan(want)
    np.testing.assert_array_equal(np.isnan(got), nan)
    integers = np.uint16 if want.dtype == np.float16 else np.uint32
    np.testing.assert_array_equal(got[~nan].view(integers), want[~nan].view(integers))


@pytest.mark.usefixtures("conversions")
def test_every_half_is_widened_exactly():
    same_bits(half.widened(EVERY_HALF), EVERY_HALF.astype(np.float32))


@pytest.mark.usefixtures("conversions")
def test_rounding_is_to_the_nearest_even_with_overflow_and_denormals():
    halves = EVERY_HALF[np.isfinite(EVERY_HALF)].astype(np.float32)
    between = (np.sort(halves)[:-1] + np.sort(halves)[1:]) / 2  # ties
    edges = np.array([65504, 65519.99, 65520, 1e10, np.inf, -np.inf, np.nan, 6e-8, 2.9e-8, 2.98e-8, -0.0], np.float32)
    random = np.random.default_rng(0).standard_normal(5000).astype(np.float32) * 100
    values = np.concatenate([halves, between, np.nextafter(between, np.float32(np.inf)), np.tile(edges, 200), random])
    with np.errstate(over="ignore"):
        same_bits(half.narrowed(values), values.astype(np.float16))


@pytest.mark.usefixtures("conversions")
@pytest.mark.parametrize(
    "view",
    [
        lambda a: a,
        lambda a: a.transpose(0, 3, 1, 2),
        lambda a: a.transpose(3, 2, 1, 0),
        lambda a: a[:, ::2],
        lambda a: a[::-1],
        lambda a: a[:, :, :1],
        lambda a: a[:0],
        lambda a: np.broadcast_to(a[:1], a.shape),
    ],
    ids=["plain", "NHWC", "turned", "every other", "backwards", "one wide", "empty", "broadcast"],
)
def test_memory_order_is_kept(view):
    array = view(np.random.default_rng(1).standard_normal((8, 6, 6, 10)).astype(np.float32))
    low = half.narrowed(array)
    same_bits(low, array.astype(np.float16))
    same_bits(half.widened(low), low.astype(np.float32))


def test_other_dtypes_are_cast_as_usual():
    assert half.cast(np.ones(3), np.dtype("f2")).dtype == np.float16
    assert half.cast(np.ones(3, "f2"), np.dtype("f8")).dtype == np.float64
