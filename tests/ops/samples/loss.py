"""Samples of `ops/loss.py`."""

import numpy as np
from scipy import special

from paddlite.core.errors import ShapeMismatch
from tests.ops.sample import exactly, integers, normal, positive, sample, uniform

BAD = (((normal(3, 4), normal(4)), {}, ShapeMismatch),)


def prob(*shape):
    return uniform(*shape, low=0.1, high=0.9)


def bce(x, label):
    return -label * np.log(x) - (1 - label) * np.log1p(-x)


def bce_logits(x, label, pos_weight=None):
    w = 1 if pos_weight is None else pos_weight
    return -w * label * special.log_expit(x) - (1 - label) * special.log_expit(-x)


def kl(x, target, log_target=False):
    return np.exp(target) * (target - x) if log_target else special.xlogy(target, target) - target * x


def huber(x, label, delta=1.0):
    return special.huber(delta, np.abs(x - label))


SAMPLES = [
    sample("bce_loss", prob(3, 4), prob(3, 4), reference=bce, batch=(0, 1), bad=BAD),
    sample("bce_loss", exactly([0.0, 1.0, 0.5]), exactly([1.0, 0.0, 1.0]), note="ends", gradient=(), second=False,
           reference=lambda x, label: np.array([100, 100, np.log(2)]), batch=(0, 1)),
    sample("sigmoid_cross_entropy_with_logits", normal(3, 4), prob(3, 4), None, reference=bce_logits, batch=(0, 1),
           bad=(((normal(3, 4), normal(4), None), {}, ShapeMismatch),
                ((normal(3, 4), normal(3, 4), normal(5)), {}, ShapeMismatch))),
    sample("sigmoid_cross_entropy_with_logits", normal(3, 4), prob(3, 4), positive(4), reference=bce_logits, batch=(0, 1),
           note="weight"),
    sample("sigmoid_cross_entropy_with_logits", exactly([1e4, -1e4]), exactly([0.0, 1.0]), None, reference=bce_logits,
           batch=(0, 1), note="extreme"),
    sample("sigmoid_cross_entropy_with_logits", exactly(0.3), exactly(1.0), exactly(2.0), reference=bce_logits, batch=(),
           note="0-D"),
    sample("kldiv_loss", normal(3, 4), prob(3, 4), reference=kl, batch=(0, 1)),
    sample("kldiv_loss", normal(3, 4), normal(3, 4), log_target=True, reference=kl, batch=(0, 1), note="log"),
    sample("kldiv_loss", normal(3), exactly([0.0, -1.0, 0.5]), batch=(0, 1), note="no mass", gradient=(0,),
           reference=lambda x, t: np.array([0, 0, 0.5 * (np.log(0.5) - x[2])])),
    sample("huber_loss", normal(3, 4, scale=2.0), normal(3, 4), reference=huber, batch=(0, 1)),
    sample("huber_loss", normal(3, 4, scale=2.0), normal(4), delta=0.3, reference=huber, note="delta"),
    sample("huber_loss", exactly(2.0), exactly(0.1), reference=huber, note="0-D", batch=()),
    sample("log_loss", prob(3, 1), prob(3, 1), reference=lambda x, z: -z * np.log(x + 1e-4) - (1 - z) * np.log(1 - x + 1e-4),
           batch=(0, 1), bad=BAD),
    sample("bce_loss", prob(3), integers(2, 3), reference=bce, note="whole labels", batch=(0, 1)),
]  # fmt: skip
