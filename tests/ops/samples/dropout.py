"""Samples of `ops/dropout.py`."""

import numpy as np

from tests.ops.sample import bools, exactly, normal, sample

ONES = exactly(np.ones((60, 80)))


def drops(p, scale, shape=(60, 80), rest=0.0):
    """A check: the share of dropped elements, what they became, and what the others were multiplied by."""

    def check(outputs, inputs):
        out, mask = outputs[0].astype("f8"), outputs[1]
        assert mask.shape == shape
        mask = np.broadcast_to(mask, out.shape)
        np.testing.assert_allclose(out[mask], scale, rtol=1e-2)
        np.testing.assert_allclose(out[~mask], rest, rtol=1e-2, atol=1e-2)
        dropped = 1 - mask.mean()
        assert abs(dropped - p) < 4 * np.sqrt(p * (1 - p) / np.prod(shape)) + 1e-9

    return check


def moments(outputs, inputs):
    out = outputs[0].astype("f8")
    assert abs(out.mean()) < 0.03
    assert abs(out.var() - 1) < 0.05


def kept(x, mask, scale):
    return x * scale * (1 if mask is None else mask)


SAMPLES = [
    sample("dropout", ONES, p=0.3, check=drops(0.3, 1 / 0.7)),
    sample("dropout", ONES, p=0.3, mode="downscale_in_infer", check=drops(0.3, 1), note="downscale"),
    sample("dropout", ONES, p=1.0, check=drops(1.0, 0), note="all"),
    sample("dropout", ONES, p=0.0, check=drops(0.0, 1), note="none"),
    sample("dropout", ONES, p=0.5, axis=(0,), check=drops(0.5, 2, (60, 1)), note="axis"),
    sample("dropout", normal(3, 4), p=0.3, training=False, reference=lambda x, p, training: x, note="evaluation",
           outputs=(0,)),
    sample("dropout", normal(3, 4), p=0.3, training=False, mode="downscale_in_infer", outputs=(0,),
           reference=lambda x, p, training, mode: (x * 0.7,), note="evaluation downscaled"),
    sample("dropout", exactly(0.5), p=0.5, check=lambda outputs, inputs: None, batch=(), note="0-D"),
    sample("masked_scale", normal(3, 4), bools(3, 4), scale=1.5, reference=kept, batch=(0, 1)),
    sample("masked_scale", normal(3, 4), bools(3, 1), scale=1.5, reference=kept, batch=(0, 1), note="broadcast"),
    sample("masked_scale", normal(3, 4), None, scale=0.5, reference=kept, note="no mask"),
    sample("alpha_dropout", normal(300, 400), p=0.3, check=moments, second=False),
    sample("alpha_dropout", normal(3, 4), p=0.3, training=False, reference=lambda x, p, training: x, note="evaluation",
           outputs=(0,)),
    sample("alpha_dropout", ONES, p=0.5, axis=(0,), note="axis",
           check=drops(0.5, 1.6655988, (60, 1), -0.7791939)),
]  # fmt: skip
