"""Samples of `ops/attention.py`."""

import numpy as np
from scipy import special

from paddlite.core.errors import DTypeMismatch, ShapeMismatch
from tests.ops.sample import bools, exactly, normal, sample


def parts(q, k, v, mask, scale, causal):
    """(weights, q, k, v) as [batch, heads, length, ...]."""
    group = q.shape[2] // k.shape[2]
    q, k, v = (np.swapaxes(t, 1, 2) for t in (q, np.repeat(k, group, 2), np.repeat(v, group, 2)))
    scores = q @ k.swapaxes(-1, -2) * scale
    allowed = np.ones(scores.shape, bool)
    if mask is not None and mask.dtype == bool:
        allowed &= mask
    elif mask is not None:
        scores = scores + mask
    if causal:
        allowed &= np.tril(allowed)
    scores = np.where(allowed, scores, -np.inf)
    most = scores.max(-1, keepdims=True)
    e = np.exp(scores - np.where(np.isfinite(most), most, 0))
    total = e.sum(-1, keepdims=True)
    return e / np.where(total == 0, 1, total), q, k, v


def attention(q, k, v, mask, scale, causal=False, p=0.0, stream=None):
    weights, _, _, v = parts(q, k, v, mask, scale, causal)
    return (weights @ v).swapaxes(1, 2)


def attention_grad(q, k, v, mask, out, weights, total, keep, dy, scale, causal, p):
    kept = 1 if keep is None else keep / (1 - p)
    shared = k.shape[2]
    weights, q, k, v = parts(q, k, v, mask, scale, causal)
    g = dy.swapaxes(1, 2)
    dp = g @ v.swapaxes(-1, -2) * kept
    ds = weights * (dp - (dp * weights).sum(-1, keepdims=True)) * scale
    dq, dk, dv = ds @ k, ds.swapaxes(-1, -2) @ q, (weights * kept).swapaxes(-1, -2) @ g
    dk, dv = (t.reshape(len(t), shared, -1, *t.shape[2:]).sum(2) for t in (dk, dv))
    return tuple(t.swapaxes(1, 2) for t in (dq, dk, dv))


RNG = np.random.default_rng(9)
Q, K, V = RNG.standard_normal((2, 3, 4, 5)), RNG.standard_normal((2, 6, 4, 5)), RNG.standard_normal((2, 6, 4, 7))
BIAS, SEEN = RNG.standard_normal((2, 1, 3, 6)), RNG.integers(0, 2, (1, 4, 3, 6)).astype(bool)
KEEP, UP = RNG.integers(0, 2, (2, 4, 3, 6)).astype(bool), RNG.standard_normal((2, 3, 4, 7))


def grad_sample(note, mask, causal, p, shared=4):
    """A sample of the gradient op, with what the forward op would hand to it."""
    k, v = K[:, :, :shared], V[:, :, :shared]
    kept = KEEP / (1 - p) if p else 1
    weights, _, _, spread = parts(Q, k, v, mask, 0.4, causal)
    out = ((weights * kept) @ spread).swapaxes(1, 2)
    inputs = [Q, k, v, mask, out, weights, np.ones((2, 4, 3, 1)), KEEP if p else None, UP]
    return sample(
        "scaled_dot_product_attention_grad", *[None if t is None else exactly(t) for t in inputs],
        attrs={"scale": 0.4, "causal": causal, "p": p}, reference=attention_grad, note=note, gradient=(8,),
        batch=(0, 1, 2, 4, 5, 6, 7, 8),
    )  # fmt: skip


SAMPLES = [
    *[
        sample("scaled_dot_product_attention", normal(2, 3, 4, 5), normal(2, 6, shared, 5), normal(2, 6, shared, 7), mask,
               attrs={"scale": 0.4, "causal": causal, "stream": None}, reference=attention, outputs=(0,), note=note,
               batch=(0, 1, 2), bad=bad)
        for note, shared, mask, causal, bad in (
            ("plain", 4, None, False, (
                ((normal(2, 3, 4), normal(2, 3, 4), normal(2, 3, 4), None), {}, ShapeMismatch),
                ((normal(2, 3, 4, 5), normal(2, 6, 3, 5), normal(2, 6, 3, 5), None), {}, ShapeMismatch),
                ((normal(2, 3, 4, 5), normal(2, 6, 4, 5), normal(2, 5, 4, 5), None), {}, ShapeMismatch),
                ((normal(2, 3, 4, 5), normal(2, 6, 4, 5), normal(2, 6, 4, 5), normal(2, 5)), {}, ShapeMismatch),
                ((normal(2, 3, 4, 5), normal(2, 6, 4, 5), normal(2, 6, 4, 5), exactly([1, 0, 0, 1, 1, 1])), {}, DTypeMismatch),
            )),
            ("causal", 4, None, True, ()),
            ("bias", 4, normal(2, 1, 3, 6), False, ()),
            ("bias of keys", 2, normal(6), True, ()),
            ("bias of heads", 2, normal(4, 3, 6), False, ()),
            ("mask", 2, bools(2, 4, 3, 6), True, ()),
            ("blind rows", 1, exactly(np.array([[True] * 6, [False] * 6, [True] * 6])), False, ()),
        )
    ],
    grad_sample("plain", None, False, 0.0),
    grad_sample("dropout", BIAS, True, 0.25),
    grad_sample("shared", SEEN, False, 0.25, shared=2),
    sample("causal_mask", normal(2, 3, 4), batch=(0,), reference=lambda like: np.tri(3, 4, dtype=bool)),
]  # fmt: skip


def drops(outputs, inputs):
    out, weights, total, keep = outputs
    q, k, v = (t.astype("f8") for t in inputs[:3])
    share = 1 - keep.mean()
    assert abs(share - 0.25) < 0.1
    scores = np.einsum("bqhd,bkhd->bhqk", q, k) * 0.4
    want = np.einsum("bhqk,bkhd->bqhd", special.softmax(scores, -1) * keep / 0.75, v)
    np.testing.assert_allclose(out.astype("f8"), want, rtol=0, atol=3e-2 * np.abs(want).max())
    np.testing.assert_allclose((weights / total).sum(-1), 1, rtol=1e-5)


SAMPLES.append(
    sample("scaled_dot_product_attention", normal(2, 9, 4, 5), normal(2, 8, 4, 5), normal(2, 8, 4, 7), None, check=drops,
           attrs={"scale": 0.4, "p": 0.25}, note="dropout", batch=(0, 1, 2), outputs=(0, 3))
)  # fmt: skip
