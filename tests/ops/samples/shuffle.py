"""Samples of `ops/shuffle.py`: the references move one element at a time."""

import numpy as np

from paddlite.core.errors import ShapeMismatch
from tests.ops.sample import normal, sample
from tests.ops.samples.conv import first, last, places


def shuffled(x, upscale_factor, data_format):
    x, r = first(x, data_format), upscale_factor
    n, c, h, w = x.shape
    out = np.zeros((n, c // r**2, h * r, w * r))
    for k, i, j in np.ndindex(*out.shape[1:]):
        out[:, k, i, j] = x[:, k * r * r + i % r * r + j % r, i // r, j // r]
    return last(out, data_format)


def unshuffled(x, downscale_factor, data_format):
    x, r = first(x, data_format), downscale_factor
    n, c, h, w = x.shape
    out = np.zeros((n, c * r**2, h // r, w // r))
    for k, i, j in np.ndindex(c, h, w):
        out[:, k * r * r + i % r * r + j % r, i // r, j // r] = x[:, k, i, j]
    return last(out, data_format)


def channels(inverse):
    def reference(x, groups, data_format):
        x = first(x, data_format)
        order = [g * (x.shape[1] // groups) + k for k in range(x.shape[1] // groups) for g in range(groups)]
        return last(x[:, np.argsort(order) if inverse else order], data_format)

    return reference


def shift(x, seg_num, shift_ratio, data_format, backward):
    x = first(x, data_format)
    out = x.copy()
    low, high = int(x.shape[1] * shift_ratio), int(x.shape[1] * 2 * shift_ratio)
    for i in range(len(x)):
        for channel in range(high):
            step = -1 if (channel < low) != backward else 1
            inside = 0 <= i % seg_num + step < seg_num
            out[i, channel] = x[i + step, channel] if inside else 0
    return last(out, data_format)


def unfold(x, kernel_sizes, strides, paddings, dilations):
    sizes = x.shape[2:]
    x = np.pad(x, [(0, 0), (0, 0), *paddings])
    columns = [x[(..., *w)].reshape(len(x), -1) for _, w in places(sizes, kernel_sizes, strides, paddings, dilations)]
    return np.stack(columns, -1)


def fold(y, output_sizes, kernel_sizes, strides, paddings, dilations):
    c = y.shape[1] // np.prod(kernel_sizes)
    out = np.zeros((len(y), c, *[n + lo + hi for n, (lo, hi) in zip(output_sizes, paddings)]))
    for k, (_, window) in enumerate(places(output_sizes, kernel_sizes, strides, paddings, dilations)):
        out[(..., *window)] += y[:, :, k].reshape(len(y), c, *kernel_sizes)
    return out[(..., *[slice(lo, lo + n) for n, (lo, hi) in zip(output_sizes, paddings)])]


WINDOWS = [
    (
        "plain",
        (2, 3, 4, 5),
        {"kernel_sizes": (2, 3), "strides": (1, 1), "paddings": ((0, 0), (0, 0)), "dilations": (1, 1)},
    ),
    (
        "all options",
        (2, 2, 5, 6),
        {"kernel_sizes": (3, 2), "strides": (2, 1), "paddings": ((1, 0), (2, 1)), "dilations": (1, 2)},
    ),
    (
        "one element",
        (2, 2, 3, 3),
        {"kernel_sizes": (1, 1), "strides": (1, 1), "paddings": ((0, 0), (0, 0)), "dilations": (1, 1)},
    ),
]


def columns_of(x, options):
    return unfold(np.zeros(x), **options).shape


SAMPLES = [
    sample("pixel_shuffle", normal(2, 8, 2, 3), reference=shuffled, upscale_factor=2, data_format="NCHW",
           bad=(((normal(2, 7, 2, 3),), {}, ShapeMismatch), ((normal(8, 2, 3),), {}, ShapeMismatch))),
    sample("pixel_shuffle", normal(2, 2, 3, 9), reference=shuffled, upscale_factor=3, data_format="NHWC", note="channels last"),
    sample("pixel_shuffle", normal(2, 2, 2, 3), reference=shuffled, upscale_factor=1, data_format="NCHW", note="one"),
    sample("pixel_unshuffle", normal(2, 2, 4, 6), reference=unshuffled, downscale_factor=2, data_format="NCHW",
           bad=(((normal(2, 2, 5, 6),), {}, ShapeMismatch),)),
    sample("pixel_unshuffle", normal(2, 4, 6, 2), reference=unshuffled, downscale_factor=2, data_format="NHWC", note="channels last"),
    sample("channel_shuffle", normal(2, 6, 2, 3), reference=channels(False), groups=3, data_format="NCHW",
           bad=(((normal(2, 7, 2, 3),), {}, ShapeMismatch),)),
    sample("channel_shuffle", normal(2, 2, 3, 6), reference=channels(False), groups=2, data_format="NHWC", note="channels last"),
    sample("channel_unshuffle", normal(2, 6, 2, 3), reference=channels(True), groups=3, data_format="NCHW"),
    sample("channel_unshuffle", normal(2, 2, 3, 6), reference=channels(True), groups=2, data_format="NHWC", note="channels last"),
    sample("temporal_shift", normal(6, 5, 2, 2), reference=shift, seg_num=3, shift_ratio=0.3, data_format="NCHW", backward=False,
           bad=(((normal(5, 5, 2, 2),), {}, ShapeMismatch),)),
    sample("temporal_shift", normal(4, 2, 2, 8), reference=shift, seg_num=2, shift_ratio=0.25, data_format="NHWC", backward=True, note="channels last"),
    *[sample("unfold", normal(*x), reference=unfold, attrs=options, note=note, bad=(((normal(2, 3, 1, 5),), {}, ShapeMismatch),) if note == "plain" else ())
      for note, x, options in WINDOWS],
    *[sample("unfold_grad", normal(*columns_of(x, options)), normal(*x), batch=(0, 1), note=note, attrs=options,
             reference=lambda y, like, **attrs: fold(y, like.shape[2:], **attrs)) for note, x, options in WINDOWS],
    *[sample("fold", normal(*columns_of(x, options)), reference=fold, attrs={**options, "output_sizes": x[2:]}, note=note,
             bad=(((normal(2, 18, 7),), {}, ShapeMismatch), ((normal(2, 17, 9),), {}, ShapeMismatch), ((normal(18, 9),), {}, ShapeMismatch)) if note == "plain" else ())
      for note, x, options in WINDOWS],
]  # fmt: skip
