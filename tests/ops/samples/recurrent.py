"""Samples of `ops/recurrent.py`: the references run step by step and sequence by sequence."""

import numpy as np

from paddlite.core.errors import ShapeMismatch
from paddlite.core.op import OPS
from paddlite.ops import recurrent  # noqa: F401 - fills the registry
from tests.ops.sample import exactly, normal, sample

T, B, H = 4, 3, 2
LENGTHS = exactly([4, 1, 2], "int64")


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def run(step, x, states, lengths, reverse):
    """Outputs and last states of `step(x, *states) -> states`, for each sequence by itself."""
    kind = np.result_type(x, *states)
    out = np.zeros((T, B, H), kind)
    last = [np.array(s, kind) for s in states]
    for b in range(B):
        count = T if lengths is None else lengths[b]
        for t in range(count - 1, -1, -1) if reverse else range(count):
            for s, new in zip(last, step(x[t, b], *[s[b] for s in last])):
                s[b] = new
            out[t, b] = last[0][b]
    return (out, *last)


def lstm(x, h, c, weight, lengths, reverse=False):
    def step(x, h, c):
        i, f, g, o = np.split(x + weight @ h, 4)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        return sigmoid(o) * np.tanh(c), c

    return run(step, x, (h, c), lengths, reverse)


def gru(x, h, weight, bias, lengths, reverse=False):
    def step(x, h):
        (xr, xz, xc), (hr, hz, hc) = np.split(x, 3), np.split(weight @ h + bias, 3)
        z = sigmoid(xz + hz)
        return (z * h + (1 - z) * np.tanh(xc + sigmoid(xr + hr) * hc),)

    return run(step, x, (h,), lengths, reverse)


def simple(x, h, weight, lengths, activation="tanh", reverse=False):
    act = np.tanh if activation == "tanh" else lambda v: np.maximum(v, 0)
    return run(lambda x, h: (act(x + weight @ h),), x, (h,), lengths, reverse)


def state():
    return normal(B, H)


CASES = [
    (f"{'reverse' if reverse else 'forward'}{' lengths' if lengths else ''}", lengths, reverse)
    for lengths in (None, LENGTHS)
    for reverse in (False, True)
]


def slopes(function, inputs, grads, **attrs):
    """The gradients of `inputs`, exact to rounding: derivatives along a tiny imaginary step."""
    found = []
    for k, value in enumerate(inputs):
        gradient = np.zeros(value.shape)
        for place in np.ndindex(value.shape):
            moved = [np.array(v, complex) for v in inputs]
            moved[k][place] += 1e-30j
            outputs = function(*moved, **attrs)
            gradient[place] = sum(np.sum(o.imag * g) for o, g in zip(outputs, grads)) / 1e-30
        found.append(gradient)
    return tuple(found)


def saved_by(op, inputs, lengths, reverse):
    """Arrays of the forward call, as the record's kernel gives them."""
    return OPS[op].kernel(np, *inputs, lengths, reverse=reverse)


def gradient_sample(op, function, shapes, states, lengths, reverse, note):
    """A sample of the gradient op of `op`, whose saved values come from one forward call."""
    rng = np.random.default_rng(1)
    inputs = [rng.standard_normal(shape) for shape in shapes]
    count = None if lengths is None else lengths.make(rng)
    outputs = saved_by(op, inputs, count, reverse)
    saved = [outputs[0]] if op == "simple_rnn" else [outputs[0], outputs[-1]]
    grads = [rng.standard_normal(o.shape) for o in outputs[: 1 + states]]

    def reference(*given, reverse, **_):
        return slopes(lambda *a: function(*a, count, reverse=reverse), inputs, given[: 1 + states])

    extra = {"activation": "tanh"} if op == "simple_rnn" else {}
    values = [*grads, *inputs[1:]]
    return sample(
        f"{op}_grad", *[exactly(v) for v in values], lengths, *[exactly(v) for v in saved],
        reference=reference, reverse=reverse, note=note, second=False, gradient=(), half=False, **extra,
    )  # fmt: skip


SHAPES = {
    "lstm": (lstm, [(T, B, 4 * H), (B, H), (B, H), (4 * H, H)], 2),
    "gru": (gru, [(T, B, 3 * H), (B, H), (3 * H, H), (3 * H,)], 1),
    "simple_rnn": (simple, [(T, B, H), (B, H), (H, H)], 1),
}

SAMPLES = [
    one
    for note, lengths, reverse in CASES
    for one in (
        sample(
            "lstm", normal(T, B, 4 * H), state(), state(), normal(4 * H, H), lengths,
            reference=lstm, reverse=reverse, note=note, second=False, outputs=(0, 1, 2), gradient=(0, 1, 2, 3),
            bad=(((normal(T, B, 3 * H), state(), state(), normal(4 * H, H), None), {}, ShapeMismatch),),
        ),
        sample(
            "gru", normal(T, B, 3 * H), state(), normal(3 * H, H), normal(3 * H), lengths,
            reference=gru, reverse=reverse, note=note, second=False, outputs=(0, 1), gradient=(0, 1, 2, 3),
        ),
        sample(
            "simple_rnn", normal(T, B, H), state(), normal(H, H), lengths,
            reference=simple, reverse=reverse, note=note, second=False, gradient=(0, 1, 2),
        ),
    )
]  # fmt: skip
SAMPLES += [
    gradient_sample(op, function, shapes, states, lengths, reverse, note)
    for op, (function, shapes, states) in SHAPES.items()
    for note, lengths, reverse in CASES
]
SAMPLES.append(
    sample(
        "simple_rnn", normal(T, B, H), state(), normal(H, H), None,
        reference=simple, activation="relu", note="relu", second=False, gradient=(0, 1, 2),
    )
)  # fmt: skip
