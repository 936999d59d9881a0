"""Connectionist temporal classification (Graves et al., 2006) and the RNN transducer (Graves, 2012).

Both sum the probabilities of all ways to align a label sequence with the frames, by dynamic programming over frames,
for all samples of a batch at once, in logarithms and float64.  The gradient comes with the loss.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from paddlite.core.errors import IndexOutOfRange, InvalidArgument, ShapeMismatch
from paddlite.core.meta import Meta
from paddlite.core.op import defop
from paddlite.ops.arithmetic import elementwise_mul
from paddlite.ops.infer import require_integer
from paddlite.ops.like import unbroadcast
from paddlite.ops.shape import reshape

_NEVER = -np.inf


def _logsum(xp: Any, *terms: Any) -> Any:
    """log(sum of exp(terms)), elementwise; -inf stands for probability 0."""
    most = terms[0]
    for term in terms[1:]:
        most = xp.maximum(most, term)
    safe = xp.where(xp.isneginf(most), 0.0, most)
    total = sum(xp.exp(term - safe) for term in terms)
    return safe + xp.log(total)


def _shifted(xp: Any, x: Any, steps: int) -> Any:
    """`x` moved along its last axis by `steps` places, filled with -inf."""
    out = xp.full_like(x, _NEVER)
    if steps > 0:
        out[..., steps:] = x[..., :-steps]
    else:
        out[..., :steps] = x[..., -steps:]
    return out


def _log_softmax(xp: Any, x: Any) -> Any:
    x = x - x.max(axis=-1, keepdims=True)
    return x - xp.log(xp.exp(x).sum(axis=-1, keepdims=True))


def _check_labels(xp: Any, name: str, label: Any, frames: Any, steps: int, lengths: Any, classes: int) -> None:
    if xp is not np or not label.size:
        return
    for count in (int(frames.min()), int(frames.max())):
        if not 0 <= count <= steps:
            raise InvalidArgument(f"{name}: an input length is {count}, but there are {steps} frames")
    if int(lengths.min()) < 0:
        raise InvalidArgument(f"{name}: a label length is {int(lengths.min())}, which is below 0")
    used = np.arange(label.shape[1]) < lengths[:, None]
    bad = used & ((label < 0) | (label >= classes))
    if bad.any():
        raise IndexOutOfRange(f"{name}: label {int(label[bad][0])} is out of range; want [0, {classes})")
    if int(lengths.max()) > label.shape[1]:
        raise InvalidArgument(f"{name}: a label length is {int(lengths.max())}, but label has {label.shape[1]} places")


def _ctc_infer(
    logits: Meta, label: Meta, frames: Meta, lengths: Meta, *, blank: int = 0, norm_by_times: bool = False
) -> tuple[Meta, Meta]:
    require_integer("ctc_loss", labels=label, input_lengths=frames, label_lengths=lengths)
    batch = logits.shape[1] if len(logits.shape) == 3 else None
    shapes = [m.shape[:1] for m in (label, frames, lengths)]
    if batch is None or len(label.shape) != 2 or any(s != (batch,) and -1 not in (batch, *s) for s in shapes):
        raise ShapeMismatch(
            "ctc_loss: want logits [frames, batch, classes], labels [batch, length] and lengths [batch], got "
            f"{', '.join(str(list(m.shape)) for m in (logits, label, frames, lengths))}"
        )
    if not 0 <= blank < logits.shape[2] and logits.shape[2] != -1:
        raise InvalidArgument(f"ctc_loss: blank must be a class of [0, {logits.shape[2]}), got {blank}")
    return Meta((batch,), logits.dtype), Meta(logits.shape, logits.dtype)


@defop(
    "warpctc",
    infer=_ctc_infer,
    outputs=("loss", "gradient"),
    amp="keep32_o1",
    amp_inputs=("logits",),
    wide=True,
    check=True,
    partial_grads=True,
    no_grad_outputs=("gradient",),
    vjp={
        "logits": lambda g_loss, gradient, logits: alignment_grad(reshape(g_loss, shape=(1, -1, 1)), gradient, logits)
    },
)
def warpctc(
    xp: Any, logits: Any, label: Any, frames: Any, lengths: Any, *, blank: int = 0, norm_by_times: bool = False
) -> tuple[Any, Any]:
    """The negative log-probability of each label sequence under softmax(logits), and its gradient.

    A sequence that the frames are too few for gives 0 and no gradient, as in Paddle; `norm_by_times` divides the
    gradients by the number of frames.
    """
    steps, batch, classes = logits.shape
    frames, lengths, label = (a.astype(np.int64) for a in (frames, lengths, label))
    _check_labels(xp, "ctc_loss", label, frames, steps, lengths, classes)
    states = 2 * label.shape[1] + 1
    path = xp.full((batch, states), blank, np.int64)  # blank, label, blank, label, ..., blank
    path[:, 1::2] = xp.where(xp.arange(label.shape[1]) < lengths[:, None], label, blank)
    jump = xp.zeros((batch, states), np.bool_)  # where the blank between two labels may be left out
    jump[:, 3::2] = path[:, 3::2] != path[:, 1:-2:2]
    scores = _log_softmax(xp, logits.astype(np.float64))
    emitted = xp.take_along_axis(scores, xp.broadcast_to(path, (steps, batch, states)), -1)
    last = 2 * lengths[:, None]
    place = xp.arange(states)
    ends = xp.where((place == last) | (place == last - 1), 0.0, _NEVER)
    before = xp.full((steps, batch, states), _NEVER)  # log-probability of the frames up to t, in state s at t
    state = xp.where(place < 2, 0.0, _NEVER) + xp.zeros((batch, 1))
    for t in range(steps):
        if t:
            moves = (state, _shifted(xp, state, 1), xp.where(jump, _shifted(xp, state, 2), _NEVER))
            state = _logsum(xp, *moves)
        state = state + emitted[t]
        before[t] = state
    after = xp.full((steps, batch, states), _NEVER)  # log-probability of the frames after t, from state s at t
    state = xp.full((batch, states), _NEVER)
    for t in range(steps - 1, -1, -1):
        if t + 1 < steps:
            given = state + emitted[t + 1]
            skipped = xp.where(jump, given, _NEVER)
            state = _logsum(xp, given, _shifted(xp, given, -1), _shifted(xp, skipped, -2))
        state = xp.where((frames == t + 1)[:, None], ends, xp.where((frames <= t)[:, None], _NEVER, state))
        after[t] = state
    total = _logsum(xp, *(before[0] + after[0])[:, : min(2, states)].T)
    possible = ~xp.isneginf(total)
    loss = xp.where(possible, -total, 0.0)
    shares = xp.exp(before + after - xp.where(possible, total, 0.0)[:, None])
    one_hot = (path[..., None] == xp.arange(classes)).astype(np.float64)
    expected = xp.matmul(shares.swapaxes(0, 1), one_hot).swapaxes(0, 1)
    inside = (xp.arange(steps)[:, None] < frames) & possible
    gradient = xp.where(inside[..., None], xp.exp(scores) - expected, 0.0)
    if norm_by_times:
        gradient /= frames[:, None]
    return loss.astype(logits.dtype), gradient.astype(logits.dtype)


def _grad_infer(g: Meta, gradient: Meta, logits: Meta) -> Meta:
    return Meta(gradient.shape, g.dtype)


def _no_second(like_g: Any) -> Any:
    raise InvalidArgument("ctc_loss and rnnt_loss have no second gradient here; use create_graph=False")


@defop(
    "alignment_grad",
    infer=_grad_infer,
    wide=True,
    shape_only=("logits",),
    vjp={
        "g": lambda g, gradient, like_g: unbroadcast(elementwise_mul(g, gradient), like_g),
        "logits": _no_second,
    },
)
def alignment_grad(xp: Any, g: Any, gradient: Any, logits: Any) -> Any:
    """g * gradient; `logits` is there to know of what the gradient is one."""
    return g * gradient


def _rnnt_infer(
    log_probs: Meta, label: Meta, frames: Meta, lengths: Meta, *, blank: int = 0, fastemit_lambda: float = 0.0
) -> tuple[Meta, Meta]:
    require_integer("rnnt_loss", label=label, input_lengths=frames, label_lengths=lengths)
    if (
        len(log_probs.shape) != 4
        or len(label.shape) != 2
        or (-1 not in (log_probs.shape[2], label.shape[1]) and (log_probs.shape[2] != label.shape[1] + 1))
    ):
        raise ShapeMismatch(
            "rnnt_loss: want input [batch, frames, length + 1, classes] and label [batch, length], got "
            f"{list(log_probs.shape)} and {list(label.shape)}"
        )
    return Meta(log_probs.shape[:1], log_probs.dtype), Meta(log_probs.shape, log_probs.dtype)


def _skewed(xp: Any, x: Any) -> Any:
    """out[d, b, u] = x[b, d - u, u], -inf outside: the anti-diagonals, on which all states are independent."""
    batch, steps, width = x.shape
    out = xp.full((steps + width, batch, width), _NEVER)
    for u in range(width):
        out[u : u + steps, :, u] = x[:, :, u].T
    return out


@defop(
    "warprnnt",
    infer=_rnnt_infer,
    outputs=("loss", "gradient"),
    amp="keep32_o1",
    amp_inputs=("log_probs",),
    wide=True,
    check=True,
    partial_grads=True,
    no_grad_outputs=("gradient",),
    vjp={
        "log_probs": lambda g_loss, gradient, log_probs: alignment_grad(
            reshape(g_loss, shape=(-1, 1, 1, 1)), gradient, log_probs
        )
    },
)
def warprnnt(
    xp: Any, log_probs: Any, label: Any, frames: Any, lengths: Any, *, blank: int = 0, fastemit_lambda: float = 0.0
) -> tuple[Any, Any]:
    """The negative log-probability of each label sequence under a transducer, and its gradient for `log_probs`.

    `fastemit_lambda` adds that share to the gradients of emitting labels (Yu et al., 2021).
    """
    batch, steps, width, classes = log_probs.shape
    frames, lengths, label = (a.astype(np.int64) for a in (frames, lengths, label))
    _check_labels(xp, "rnnt_loss", label, frames, steps, lengths, classes)
    scores = log_probs.astype(np.float64)
    time, place = xp.arange(steps)[:, None], xp.arange(width)
    live = (time < frames[:, None, None]) & (place <= lengths[:, None, None])
    stay = xp.where(live, scores[..., blank], _NEVER)  # a blank: on to the next frame
    padded = xp.concatenate([label, xp.zeros((batch, 1), np.int64)], axis=1)
    chosen = xp.take_along_axis(scores, xp.broadcast_to(padded[:, None, :, None], (batch, steps, width, 1)), -1)[..., 0]
    emit = xp.where(live & (place < lengths[:, None, None]), chosen, _NEVER)
    stays, emits = _skewed(xp, stay), _skewed(xp, emit)
    ends = frames - 1 + lengths  # the anti-diagonal of the last state
    end = place == lengths[:, None]
    before = xp.full((steps + width, batch, width), _NEVER)
    state = xp.where(place == 0, 0.0, _NEVER) + xp.zeros((batch, 1))
    for d in range(steps + width - 1):
        if d:
            state = _logsum(xp, state + stays[d - 1], _shifted(xp, state + emits[d - 1], 1))
        before[d] = state
    onwards_stay, onwards_emit = xp.full_like(before, _NEVER), xp.full_like(before, _NEVER)  # each with what follows
    state = xp.full((batch, width), _NEVER)
    for d in range(steps + width - 2, -1, -1):
        following = xp.where((ends == d)[:, None] & end, 0.0, state)
        onwards_stay[d] = stays[d] + following
        onwards_emit[d] = emits[d] + _shifted(xp, state, -1)
        state = _logsum(xp, onwards_stay[d], onwards_emit[d])
    total = state[:, 0]
    possible = ~xp.isneginf(total)
    level = xp.where(possible, total, 0.0)[:, None]
    gradient = xp.zeros(log_probs.shape)
    for onwards, factor, classes_of in ((onwards_stay, 1.0, None), (onwards_emit, 1.0 + fastemit_lambda, label)):
        share = -factor * xp.exp(before + onwards - level)
        for u in range(width if classes_of is None else width - 1):
            taken = share[u : u + steps, :, u].T
            if classes_of is None:
                gradient[:, :, u, blank] += taken
            else:
                gradient[xp.arange(batch)[:, None], xp.arange(steps), u, classes_of[:, u, None]] += taken
    return xp.where(possible, -total, 0.0).astype(log_probs.dtype), gradient.astype(log_probs.dtype)
