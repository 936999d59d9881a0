"""Samples of `ops/conv.py`: the references are the definitions, one window at a time."""

import itertools

import numpy as np

from paddlite.core.errors import DTypeMismatch, InvalidArgument, ShapeMismatch
from tests.ops.sample import exactly, integers, normal, sample


def pads_of(padding, sizes, kernel, stride):
    if padding == "VALID":
        return [(0, 0)] * len(sizes)
    if padding == "SAME":
        needed = [max((-(-n // s) - 1) * s + k - n, 0) for n, k, s in zip(sizes, kernel, stride)]
        return [(n // 2, n - n // 2) for n in needed]
    return padding


def places(sizes, kernel, stride, padding, dilation):
    """(position in the result, indices into the padded input) for every window."""
    counts = [
        (n + lo + hi - d * (k - 1) - 1) // s + 1
        for n, (lo, hi), k, s, d in zip(sizes, padding, kernel, stride, dilation)
    ]
    for at in itertools.product(*map(range, counts)):
        yield at, tuple(slice(i * s, i * s + d * (k - 1) + 1, d) for i, s, k, d in zip(at, stride, kernel, dilation))


def first(array, data_format):
    return np.moveaxis(array, -1, 1) if data_format[-1] == "C" else array


def last(array, data_format):
    return np.moveaxis(array, 1, -1) if data_format[-1] == "C" else array


def conv(x, weight, bias, stride, padding, dilation, groups, data_format):
    x = first(x, data_format)
    sizes, kernel = x.shape[2:], weight.shape[2:]
    padding = pads_of(padding, sizes, kernel, stride)
    x = np.pad(x, [(0, 0), (0, 0), *padding])
    counts = [max(at[i] for at, _ in places(sizes, kernel, stride, padding, dilation)) + 1 for i in range(len(sizes))]
    out = np.zeros((x.shape[0], weight.shape[0], *counts))
    inner, outer = weight.shape[1], weight.shape[0] // groups
    for at, window in places(sizes, kernel, stride, padding, dilation):
        for o in range(weight.shape[0]):
            c = o // outer * inner
            patch = x[(slice(None), slice(c, c + inner), *window)]
            out[(slice(None), o, *at)] = np.tensordot(patch, weight[o], weight.ndim - 1)
    if bias is not None:
        out += bias.reshape(-1, *[1] * len(sizes))
    return last(out, data_format)


def scatter(y, weight, sizes, stride, padding, dilation, groups):
    """Every result's share of the input, added up: y [N, O, *counts] to [N, C, *sizes]."""
    kernel = weight.shape[2:]
    padding = pads_of(padding, sizes, kernel, stride)
    inner, outer = weight.shape[1], weight.shape[0] // groups
    x = np.zeros((len(y), inner * groups, *[n + lo + hi for n, (lo, hi) in zip(sizes, padding)]))
    for at, window in places(sizes, kernel, stride, padding, dilation):
        for o in range(weight.shape[0]):
            c = o // outer * inner
            value = y[(slice(None), o, *at)].reshape(-1, *[1] * (weight.ndim - 1))
            x[(slice(None), slice(c, c + inner), *window)] += value * weight[o]
    return x[(..., *[slice(lo, lo + n) for n, (lo, hi) in zip(sizes, padding)])]


def grad_x(y, weight, like, stride, padding, dilation, groups, data_format):
    sizes = first(like, data_format).shape[2:]
    return last(scatter(first(y, data_format), weight, sizes, stride, padding, dilation, groups), data_format)


def grad_weight(y, x, like, stride, padding, dilation, groups, data_format):
    """Against each unit weight: the sum of y times the convolution with it."""
    out = np.zeros(like.shape)
    for at in np.ndindex(*like.shape):
        unit = np.zeros(like.shape)
        unit[at] = 1
        out[at] = (y * conv(x, unit, None, stride, padding, dilation, groups, data_format)).sum()
    return out


def transposed(x, weight, bias, stride, padding, output_padding, output_size, dilation, groups, data_format):
    x = first(x, data_format)
    sizes = output_size or [
        (n - 1) * s - lo - hi + d * (k - 1) + 1 + extra
        for n, s, (lo, hi), d, k, extra in zip(x.shape[2:], stride, padding, dilation, weight.shape[2:], output_padding)
    ]
    out = scatter(x, weight, sizes, stride, padding, dilation, groups)
    if bias is not None:
        out += bias.reshape(-1, *[1] * len(sizes))
    return last(out, data_format)


def attrs(rank=2, stride=1, padding=0, dilation=1, groups=1, data_format=None, **more):
    def full(value):
        return value if isinstance(value, tuple) else (value,) * rank

    pads = padding if isinstance(padding, (str, tuple)) else ((padding, padding),) * rank
    return {
        "stride": full(stride), "padding": pads, "dilation": full(dilation), "groups": groups,
        "data_format": data_format or ("NCHW" if rank == 2 else "NCDHW"), **more,
    }  # fmt: skip


UNEVEN = ((1, 0), (0, 2))

# note, x, weight, attributes
CONVOLUTIONS = [
    ("plain", (2, 3, 5, 6), (4, 3, 3, 2), attrs()),
    ("padded", (2, 3, 5, 4), (2, 3, 3, 3), attrs(padding=1)),
    ("more out than in", (2, 2, 4, 5), (5, 2, 3, 3), attrs(padding=1)),
    ("wide padding", (2, 3, 3, 3), (2, 3, 2, 2), attrs(padding=2)),
    ("strided", (2, 3, 7, 6), (4, 3, 3, 3), attrs(stride=2, padding=1)),
    ("stride over kernel", (2, 2, 7, 8), (3, 2, 2, 2), attrs(stride=3)),
    ("uneven", (2, 3, 5, 6), (2, 3, 3, 2), attrs(stride=(2, 1), padding=UNEVEN, dilation=(1, 2))),
    ("dilated", (2, 2, 7, 7), (3, 2, 3, 3), attrs(padding=2, dilation=2)),
    ("same", (2, 2, 6, 7), (3, 2, 3, 3), attrs(stride=2, padding="SAME")),
    ("valid", (2, 2, 5, 5), (3, 2, 3, 3), attrs(padding="VALID")),
    ("pointwise", (2, 3, 4, 4), (5, 3, 1, 1), attrs()),
    ("pointwise strided", (2, 3, 4, 5), (5, 3, 1, 1), attrs(stride=2)),
    ("groups", (2, 4, 5, 5), (6, 2, 3, 3), attrs(padding=1, groups=2)),
    ("groups strided", (2, 4, 5, 5), (2, 2, 3, 3), attrs(stride=2, groups=2)),
    ("depthwise", (2, 3, 5, 4), (3, 1, 3, 3), attrs(padding=1, groups=3)),
    ("depthwise strided", (2, 3, 6, 5), (6, 1, 3, 3), attrs(stride=2, padding=1, groups=3)),
    ("pointwise groups", (2, 4, 3, 3), (6, 2, 1, 1), attrs(groups=2)),
    ("channels last", (2, 5, 6, 3), (4, 3, 3, 2), attrs(stride=(1, 2), padding=1, data_format="NHWC")),
    ("one window", (3, 2, 3, 3), (4, 2, 3, 3), attrs()),
    ("empty batch", (0, 2, 4, 4), (3, 2, 3, 3), attrs(padding=1)),
]  # fmt: skip

VOLUMES = [
    ("plain", (2, 2, 3, 4, 3), (3, 2, 2, 2, 2), attrs(3)),
    (
        "all options",
        (2, 4, 4, 4, 5),
        (2, 2, 2, 3, 2),
        attrs(3, stride=(1, 2, 1), padding=((1, 0), (0, 1), (1, 1)), dilation=(1, 1, 2), groups=2),
    ),
    ("channels last", (2, 3, 3, 4, 2), (3, 2, 2, 2, 2), attrs(3, padding=1, data_format="NDHWC")),
]

TRANSPOSED = [
    ("plain", (2, 3, 4, 3), (3, 2, 3, 3), attrs(output_padding=(0, 0), output_size=None)),
    ("more in than out", (2, 2, 4, 3), (2, 4, 3, 3), attrs(padding=1, output_padding=(0, 0), output_size=None)),
    ("strided", (2, 2, 3, 4), (2, 3, 3, 2), attrs(stride=2, padding=1, output_padding=(1, 0), output_size=None)),
    ("sized", (2, 2, 3, 4), (2, 3, 3, 2), attrs(stride=2, padding=UNEVEN, output_padding=(0, 0), output_size=(7, 6))),
    ("dilated", (2, 2, 3, 3), (2, 2, 2, 2), attrs(stride=(2, 1), dilation=2, output_padding=(1, 0), output_size=None)),
    ("groups", (2, 4, 3, 3), (4, 2, 2, 2), attrs(stride=2, groups=2, output_padding=(0, 0), output_size=None)),
    ("pointwise", (2, 3, 3, 3), (3, 2, 1, 1), attrs(output_padding=(0, 0), output_size=None)),
    (
        "channels last",
        (2, 3, 4, 3),
        (3, 2, 2, 3),
        attrs(stride=2, padding=1, data_format="NHWC", output_padding=(0, 1), output_size=None),
    ),
]


def result_shape(x, weight, options):
    return conv(np.zeros(x), np.zeros(weight), None, **options).shape


def samples_of(name, note, x, weight, options, reference, outs):
    second = note in ("plain", "strided", "uneven", "groups", "depthwise", "channels last", "all options", "sized")
    return sample(
        name,
        normal(*x),
        normal(*weight, scale=0.5),
        normal(outs),
        reference=reference,
        attrs=options,
        note=note,
        second=second,
    )


LIKE = (
    "plain",
    "padded",
    "strided",
    "uneven",
    "groups",
    "same",
    "channels last",
    "pointwise",
    "pointwise strided",
    "empty batch",
)
BAD = (
    ((normal(2, 4, 5, 6), normal(4, 3, 3, 2), None), {}, ShapeMismatch),
    ((normal(2, 3, 5), normal(4, 3, 3, 2), None), {}, ShapeMismatch),
    ((normal(2, 3, 5, 6), normal(4, 3, 3), None), {}, ShapeMismatch),
    ((normal(2, 3, 5, 6), normal(4, 3, 3, 2), normal(3)), {}, ShapeMismatch),
    ((normal(2, 3, 5, 6), normal(4, 3, 6, 2), None), {}, ShapeMismatch),
    ((normal(2, 4, 5, 6), normal(3, 2, 3, 2), None), {"groups": 2}, ShapeMismatch),
    ((normal(2, 3, 5, 6), normal(4, 3, 3, 2), None), {"groups": 0}, InvalidArgument),
    ((normal(2, 3, 5, 6), normal(4, 3, 3, 2), None), {"stride": (0, 1)}, InvalidArgument),
    ((normal(2, 3, 5, 6), normal(4, 3, 3, 2), None), {"dilation": (1, -1)}, InvalidArgument),
    ((integers(5, 2, 3, 5, 6), integers(5, 4, 3, 3, 2), None), {}, DTypeMismatch),
    ((normal(2, 3, 5, 6), exactly(np.zeros((4, 3, 3, 2)), "float32"), None), {}, DTypeMismatch),
)
BAD_TRANSPOSED = (
    ((normal(2, 2, 4, 3), normal(3, 2, 3, 3), None), {}, ShapeMismatch),
    ((normal(2, 3, 4, 3), normal(3, 2, 3, 3), None), {"groups": 2}, ShapeMismatch),
    ((normal(2, 3, 4, 3), normal(3, 2, 3, 3), normal(3)), {}, ShapeMismatch),
    ((normal(2, 3, 4, 3), normal(3, 2, 3, 3), None), {"output_padding": (1, 0)}, InvalidArgument),
    ((normal(2, 3, 4, 3), normal(3, 2, 3, 3), None), {"output_size": (6, 7)}, InvalidArgument),
    ((normal(2, 3, 2, 2), normal(3, 2, 1, 1), None), {"padding": ((1, 1), (0, 0))}, ShapeMismatch),
)

SAMPLES = [
    *[samples_of("conv2d", note, x, w, a, conv, w[0]) for note, x, w, a in CONVOLUTIONS],
    *[samples_of("conv3d", note, x, w, a, conv, w[0]) for note, x, w, a in VOLUMES],
    *[samples_of("conv2d_transpose", note, x, w, a, transposed, w[1] * a["groups"]) for note, x, w, a in TRANSPOSED],
    samples_of("conv3d_transpose", "all options", (2, 2, 2, 3, 2), (2, 3, 2, 2, 2),
               attrs(3, stride=(2, 1, 2), padding=((1, 0), (0, 0), (0, 1)), output_padding=(1, 0, 0), output_size=None), transposed, 3),
    sample("conv2d", normal(2, 3, 5, 6), normal(4, 3, 3, 2), None, reference=conv, attrs=attrs(), note="no bias", bad=BAD),
    sample("conv2d_transpose", normal(2, 3, 4, 3), normal(3, 2, 3, 3), None, reference=transposed, note="no bias",
           attrs=attrs(output_padding=(0, 0), output_size=None), bad=BAD_TRANSPOSED),
    *[
        sample("conv_grad_x", normal(*result_shape(x, w, a)), normal(*w), normal(*x), reference=grad_x, attrs=a,
               note=note, batch=(0, 2), second=note in ("uneven", "groups"))
        for note, x, w, a in CONVOLUTIONS if note in LIKE
    ],
    *[
        sample("conv_grad_weight", normal(*result_shape(x, w, a)), normal(*x), normal(*w), reference=grad_weight,
               attrs=a, note=note, batch=(0, 1), second=note in ("uneven", "groups"), tolerance=3)
        for note, x, w, a in CONVOLUTIONS if note in LIKE
    ],
    *[
        sample("channel_sum", normal(2, 3, 4, 3), normal(3), data_format=form,
               reference=lambda x, like, data_format: first(x, data_format).sum((0, 2, 3)), note=form)
        for form in ("NCHW", "NHWC")
    ],
    sample("channel_expand", normal(3), normal(2, 3, 4, 3), data_format="NCHW", batch=(1,),
           reference=lambda x, like, data_format: np.broadcast_to(x.reshape(1, 3, 1, 1), like.shape)),
    sample("channel_expand", normal(3), normal(2, 4, 5, 3), data_format="NHWC", batch=(1,), note="channels last",
           reference=lambda x, like, data_format: np.broadcast_to(x, like.shape)),
]  # fmt: skip
