"""Samples of `ops/ctc.py`; the references add up every alignment."""

import itertools

import numpy as np
from scipy import special

from paddlite.core.errors import DTypeMismatch, ShapeMismatch
from tests.ops.sample import exactly, normal, sample

LABEL, FRAMES, LENGTHS = exactly([[1, 2], [3, 3], [1, 0]], "int32"), exactly([4, 3, 2]), exactly([2, 2, 1])


def collapsed(path, blank):
    return tuple(k for k, _ in itertools.groupby(path) if k != blank)


def ctc(logits, label, frames, lengths, blank=0, norm_by_times=False):
    logp = special.log_softmax(logits, -1)
    losses = []
    for b, steps in enumerate(frames):
        want = tuple(label[b, : lengths[b]])
        ways = [w for w in itertools.product(range(logits.shape[2]), repeat=steps) if collapsed(w, blank) == want]
        total = [sum(logp[t, b, k] for t, k in enumerate(w)) for w in ways]
        losses.append(-special.logsumexp(total) if ways else 0.0)
    return np.array(losses)


def rnnt(log_probs, label, frames, lengths, blank=0, fastemit_lambda=0.0):
    losses = []
    for b, steps in enumerate(frames):
        ways = []
        # when each label is emitted: a frame for each, in order
        for times in itertools.combinations_with_replacement(range(steps), lengths[b]):
            score, u = 0.0, 0
            for t in range(steps):
                while u < lengths[b] and times[u] == t:
                    score += log_probs[b, t, u, label[b, u]]
                    u += 1
                score += log_probs[b, t, u, blank]
            ways.append(score)
        losses.append(-special.logsumexp(ways))
    return np.array(losses)


SAMPLES = [
    sample("warpctc", normal(4, 3, 4), LABEL, FRAMES, LENGTHS, reference=ctc, outputs=(0,), batch=(), second=False,
           bad=(((normal(4, 3), LABEL, FRAMES, LENGTHS), {}, ShapeMismatch),
                ((normal(4, 3, 4), normal(3, 2), FRAMES, LENGTHS), {}, DTypeMismatch))),
    sample("warpctc", normal(4, 3, 4), exactly([[1, 2], [3, 3], [1, 1]]), exactly([4, 3, 2]), exactly([2, 2, 2]),
           reference=ctc, outputs=(0,), batch=(), second=False, note="too few frames"),
    sample("warpctc", normal(4, 3, 4), exactly([[1, 2], [0, 0], [1, 0]]), FRAMES, exactly([2, 0, 2]), blank=3,
           reference=ctc, outputs=(0,), batch=(), second=False, note="blank and empty"),
    sample("warprnnt", normal(2, 4, 3, 5), exactly([[1, 2], [3, 4]]), exactly([4, 3]), exactly([2, 1]), reference=rnnt,
           outputs=(0,), batch=(0, 1, 2, 3), second=False, bad=(((normal(2, 4, 2, 5), LABEL, FRAMES, LENGTHS), {}, ShapeMismatch),)),
    sample("alignment_grad", normal(1, 3, 1), normal(4, 3, 2), normal(4, 3, 2), batch=(), gradient=(0,),
           reference=lambda g, gradient, logits: g * gradient),
]  # fmt: skip
