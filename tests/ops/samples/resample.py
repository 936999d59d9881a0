"""Samples of `ops/resample.py`: the references go one element at a time, by the textbook formulas."""

import math

import numpy as np

from paddlite.core.errors import DTypeMismatch, InvalidArgument, ShapeMismatch
from tests.ops.sample import integers, normal, sample
from tests.ops.samples.conv import first, last


def keys(t, a):
    t = abs(t)
    if t <= 1:
        return (a + 2) * t**3 - (a + 3) * t**2 + 1
    return a * (t**3 - 5 * t**2 + 8 * t - 4) if t < 2 else 0.0


def line(values, count, mode, scale, align_corners, align_mode, antialias):
    """One axis, given as the first of `values`."""
    size, rows = len(values), []

    def value(i):
        return values[min(max(i, 0), size - 1)]

    for k in range(count):
        if align_corners:
            ratio = (size - 1) / (count - 1) if count > 1 else 0
            at = ratio * k
        else:
            ratio = (1 / scale if scale else size / count) if count > 1 or antialias else 0
            at = ratio * k if align_mode == 1 and mode != "bicubic" else ratio * (k + 0.5) - 0.5
        if mode == "nearest":
            rows.append(value(math.floor(ratio * k)))
        elif antialias:
            stretch, center = max(ratio, 1), ratio * (k + 0.5)
            support = stretch * (2 if mode == "bicubic" else 1)
            inside = range(max(0, math.floor(center - support + 0.5)), min(size, math.floor(center + support + 0.5)))
            shares = []
            for j in inside:
                t = (j + 0.5 - center) / stretch
                shares.append(keys(t, -0.5) if mode == "bicubic" else max(0, 1 - abs(t)))
            rows.append(sum(w * values[j] for w, j in zip(shares, inside)) / sum(shares))
        elif mode == "bicubic":
            low = math.floor(at)
            rows.append(sum(keys(at - j, -0.75) * value(j) for j in range(low - 1, low + 3)))
        else:
            at = max(at, 0)
            low = math.floor(at)
            rows.append((1 - at + low) * value(low) + (at - low) * value(low + 1))
    return np.stack(rows)


def interp(mode):
    def reference(x, size, scale, exact_scale, align_corners, align_mode, antialias, data_format):
        x = first(x, data_format)
        for axis in range(2, x.ndim):
            factor = scale[axis - 2] if scale else None
            count = size[axis - 2] if size else int(x.shape[axis] * factor)
            moved = np.moveaxis(x, axis, 0)
            done = line(moved, count, mode, factor if exact_scale else None, align_corners, align_mode, antialias)
            x = np.moveaxis(done, 0, axis)
        return last(x, data_format)

    return reference


def gradient(y, like, mode, **attrs):
    """The transpose, from the responses to unit images."""
    form = attrs["data_format"]
    y, like = first(y, form), first(like, form)
    out = np.zeros(like.shape)
    for at in np.ndindex(*like.shape[2:]):
        unit = np.zeros((1, 1, *like.shape[2:]))
        unit[(0, 0, *at)] = 1
        out[(..., *at)] = (y * first(interp(mode)(last(unit, form), **attrs), form)).reshape(*y.shape[:2], -1).sum(-1)
    return last(out, form)


def attrs(
    size=None, scale=None, exact_scale=True, align_corners=False, align_mode=0, antialias=False, data_format="NCHW"
):
    return {"size": size, "scale": scale, "exact_scale": exact_scale, "align_corners": align_corners,
            "align_mode": align_mode, "antialias": antialias, "data_format": data_format}  # fmt: skip


IMAGE, LINE, VOLUME = (2, 3, 4, 5), (2, 2, 5), (1, 2, 3, 2, 3)
CASES = [
    ("nearest", IMAGE, "up", attrs(size=(9, 7))),
    ("nearest", IMAGE, "down", attrs(size=(2, 3))),
    ("nearest", IMAGE, "scaled", attrs(scale=(2.0, 1.5))),
    ("nearest", (2, 4, 5, 3), "channels last", attrs(size=(6, 10), data_format="NHWC")),
    ("nearest", VOLUME, "volume", attrs(size=(6, 3, 2), data_format="NCDHW")),
    ("linear", LINE, "line", attrs(size=(8,), data_format="NCL")),
    ("linear", (2, 5, 2), "channels last", attrs(scale=(1.7,), align_corners=True, data_format="NLC")),
    ("bilinear", IMAGE, "up", attrs(size=(8, 7))),
    ("bilinear", IMAGE, "down", attrs(size=(2, 3))),
    ("bilinear", IMAGE, "corners", attrs(size=(7, 3), align_corners=True)),
    ("bilinear", IMAGE, "beginnings", attrs(size=(7, 3), align_mode=1)),
    ("bilinear", IMAGE, "scaled", attrs(scale=(1.7, 0.7))),
    ("bilinear", IMAGE, "rounded scale", attrs(scale=(1.7, 0.7), exact_scale=False)),
    ("bilinear", IMAGE, "one", attrs(size=(1, 1))),
    ("bilinear", IMAGE, "smoothed", attrs(size=(2, 3), antialias=True)),
    ("bilinear", (1, 2, 4, 5), "one image", attrs(size=(6, 3))),
    ("bilinear", (2, 4, 5, 3), "channels last", attrs(size=(6, 10), data_format="NHWC")),
    ("trilinear", VOLUME, "volume", attrs(size=(4, 3, 2), data_format="NCDHW")),
    ("bicubic", IMAGE, "up", attrs(size=(8, 7))),
    ("bicubic", IMAGE, "corners", attrs(size=(3, 9), align_corners=True)),
    ("bicubic", IMAGE, "smoothed", attrs(size=(2, 3), antialias=True)),
]
NAMES = {"nearest": "nearest_interp_v2", "linear": "linear_interp_v2", "bilinear": "bilinear_interp_v2",
         "trilinear": "trilinear_interp_v2", "bicubic": "bicubic_interp_v2"}  # fmt: skip
BAD = (
    ((normal(2, 3, 4),), {}, ShapeMismatch),
    ((normal(2, 3, 4, 5),), {"size": (0, 3)}, InvalidArgument),
    ((normal(2, 3, 4, 5),), {"size": None, "scale": (0.1, 1.0)}, InvalidArgument),
    ((integers(5, 2, 3, 4, 5),), {}, DTypeMismatch),
)

SAMPLES = [
    *[
        sample(NAMES[mode], normal(*shape), reference=interp(mode), attrs=options, note=note,
               bad=BAD if (mode, note) == ("bilinear", "up") else ())
        for mode, shape, note, options in CASES
    ],
    *[
        sample("interp_grad", normal(*interp(mode)(np.zeros(shape), **options).shape), normal(*shape), batch=(0, 1),
               reference=gradient, attrs={**options, "mode": mode}, note=f"{mode} {note}")
        for mode, shape, note, options in CASES if note in ("up", "down", "corners", "scaled", "channels last")
    ],
    sample("nearest_interp_v2", integers(9, 2, 1, 2, 3), reference=interp("nearest"), attrs=attrs(size=(4, 6)), note="whole numbers"),
]  # fmt: skip
