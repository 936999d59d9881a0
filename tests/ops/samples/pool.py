"""Samples of `ops/pool.py` and `ops/adaptive_pool.py`: the references take one window at a time."""

import itertools

import numpy as np

from paddlite.core.errors import DTypeMismatch, InvalidArgument, ShapeMismatch
from tests.ops.sample import apart, exactly, integers, normal, positive, sample
from tests.ops.samples.conv import first, last, pads_of


def windows(sizes, kernel, stride, padding, ceil_mode):
    """(position in the result, range on each axis cut to the image, range on each axis cut to its padding)."""
    pads = pads_of(padding, sizes, kernel, stride)
    counts = []
    for n, k, s, (lo, hi) in zip(sizes, kernel, stride, pads):
        steps = (n + lo + hi - k) / s
        counts.append(int(np.ceil(steps) if ceil_mode else max(np.floor(steps), 0)) + 1)
    for at in itertools.product(*map(range, counts)):
        inside, bordered = [], []
        for i, n, k, s, (lo, hi) in zip(at, sizes, kernel, stride, pads):
            begin = i * s - lo
            inside.append((max(begin, 0), min(begin + k, n)))
            bordered.append((begin, min(begin + k, n + hi)))
        yield at, inside, bordered


def counts_of(every):
    return tuple(np.max([at for at, *_ in every], axis=0) + 1)


def pooled(x, value, kernel_size, stride, padding, ceil_mode, data_format):
    x = first(x, data_format)
    every = list(windows(x.shape[2:], kernel_size, stride, padding, ceil_mode))
    out = np.zeros((*x.shape[:2], *counts_of(every)))
    for at, inside, bordered in every:
        box = x[(..., *[slice(*r) for r in inside])].reshape(*x.shape[:2], -1)
        out[(..., *at)] = value(box, inside, bordered)
    return last(out, data_format)


def max_pool(x, **attrs):
    return pooled(x, lambda box, *_: box.max(-1) if box.size else -np.inf, **attrs)


def avg_pool(x, exclusive, divisor_override, **attrs):
    def mean(box, inside, bordered):
        count = np.prod([b - a for a, b in (inside if exclusive else bordered)])
        return box.sum(-1) / (divisor_override or max(count, 1))

    return pooled(x, mean, **attrs)


def places_of_maxima(x, every):
    """For each window, the flat place of its first maximum: [N, C, *counts]."""
    numbers = np.arange(np.prod(x.shape[2:])).reshape(x.shape[2:])
    out = np.full((*x.shape[:2], *counts_of(every)), -1)
    for at, inside, _ in every:
        box = tuple(slice(*r) for r in inside)
        if numbers[box].size:
            out[(..., *at)] = numbers[box].reshape(-1)[x[(..., *box)].reshape(*x.shape[:2], -1).argmax(-1)]
    return out


def scattered(y, places, like):
    out = np.zeros((*like.shape[:2], int(np.prod(like.shape[2:]))))
    for n, c in np.ndindex(*like.shape[:2]):
        np.add.at(out[n, c], places[n, c].ravel(), y[n, c].ravel())
    return out.reshape(like.shape)


def picked(x, places):
    flat = x.reshape(*x.shape[:2], -1)
    return np.take_along_axis(flat, places.reshape(*x.shape[:2], -1), -1).reshape(places.shape)


def maxima_of(x, kernel_size, stride, padding, ceil_mode, data_format):
    return places_of_maxima(x, list(windows(x.shape[2:], kernel_size, stride, padding, ceil_mode)))


def max_pool_grad(y, x, data_format, **attrs):
    y, x = first(y, data_format), first(x, data_format)
    return last(scattered(y, maxima_of(x, data_format="NCHW", **attrs), x), data_format)


def max_pool_pick(v, x, data_format, **attrs):
    v, x = first(v, data_format), first(x, data_format)
    return last(picked(v, maxima_of(x, data_format="NCHW", **attrs)), data_format)


def with_index(x, **attrs):
    places = maxima_of(x, data_format="NCHW", **attrs)
    return max_pool(x, data_format="NCHW", **attrs), places.astype("int32")


def adjoint(function, y, like, **attrs):
    """The transpose of a linear function, one unit image at a time (all of the batch and channels at once)."""
    form = attrs["data_format"]
    y, like = first(y, form), first(like, form)
    out = np.zeros(like.shape)
    for at in np.ndindex(*like.shape[2:]):
        unit = np.zeros(like.shape)
        unit[(..., *at)] = 1
        response = first(function(last(unit, form), **attrs), form)
        out[(..., *at)] = (y * response).reshape(*y.shape[:2], -1).sum(-1)
    return last(out, form)


def bins(sizes, output_size):
    wanted = [n if w is None else w for n, w in zip(sizes, output_size)]
    ranges = [
        [(int(np.floor(i * n / w)), int(np.ceil((i + 1) * n / w))) for i in range(w)] for n, w in zip(sizes, wanted)
    ]
    return [(at, [r[i] for r, i in zip(ranges, at)], None) for at in np.ndindex(*wanted)]


def adaptive_avg(x, output_size, data_format):
    x = first(x, data_format)
    every = bins(x.shape[2:], output_size)
    out = np.zeros((*x.shape[:2], *counts_of(every)))
    for at, inside, _ in every:
        out[(..., *at)] = x[(..., *[slice(*r) for r in inside])].reshape(*x.shape[:2], -1).mean(-1)
    return last(out, data_format)


def adaptive_max(x, output_size):
    places = places_of_maxima(x, bins(x.shape[2:], output_size))
    return picked(x, places), places.astype("int32")


def unpool(x, places, output_size):
    return scattered(x, places, np.zeros((*x.shape[:2], *output_size)))


def lp(x, norm_type, **attrs):
    return avg_pool(x**norm_type, exclusive=False, divisor_override=1, **attrs) ** (1 / norm_type)


def fractional(x, output_size, kernel_size, u):
    """Graham's sequences: starts of windows by floor((i + u) * step)."""
    ranges = []
    for n, w, k in zip(x.shape[2:], output_size, kernel_size or (None, None)):
        step = n / w if k is None else (n - k) / (w - 1)
        starts = [int(np.floor((i + u) * step) - np.floor(u * step)) for i in range(w + 1)]
        ranges.append([(a, b if k is None else a + k) for a, b in itertools.pairwise(starts)])
    every = [(at, [r[i] for r, i in zip(ranges, at)], None) for at in np.ndindex(*output_size)]
    places = places_of_maxima(x, every)
    return picked(x, places), places.astype("int32")


def attrs(kernel, stride=None, padding=0, ceil_mode=False, data_format="NCHW", **more):
    rank = len(data_format) - 2
    kernel = kernel if isinstance(kernel, tuple) else (kernel,) * rank
    stride = kernel if stride is None else stride if isinstance(stride, tuple) else (stride,) * rank
    pads = padding if isinstance(padding, (str, tuple)) else ((padding, padding),) * rank
    return {
        "kernel_size": kernel,
        "stride": stride,
        "padding": pads,
        "ceil_mode": ceil_mode,
        "data_format": data_format,
        **more,
    }


CASES = [
    ("two", (2, 3, 4, 6), attrs(2)),
    ("two of odd", (2, 2, 5, 7), attrs(2)),
    ("overlapping", (2, 2, 6, 5), attrs(3, 1)),
    ("three by two padded", (2, 2, 6, 7), attrs(3, 2, 1)),
    ("uneven", (2, 2, 5, 6), attrs((3, 2), (1, 3), ((1, 0), (0, 1)))),
    ("gaps", (2, 2, 7, 7), attrs(2, 3)),
    ("ceil", (2, 2, 6, 6), attrs(3, 2, 1, ceil_mode=True)),
    ("ceil beyond", (2, 2, 7, 4), attrs(2, 3, 1, ceil_mode=True)),
    ("same", (2, 2, 5, 6), attrs(3, 2, "SAME")),
    ("valid", (2, 2, 5, 6), attrs(3, 2, "VALID")),
    ("whole image", (2, 3, 4, 4), attrs(4)),
    ("over the image", (2, 2, 4, 4), attrs(6)),
    ("one axis", (2, 2, 1, 7), attrs((1, 3), (1, 2))),
    ("one element", (2, 2, 3, 3), attrs(1)),
    ("channels last", (2, 5, 4, 3), attrs(2, 1, 1, data_format="NHWC")),
    ("volume", (2, 2, 4, 5, 4), attrs((2, 3, 2), (2, 1, 2), ((0, 0), (1, 1), (1, 0)), data_format="NCDHW")),
]  # fmt: skip
BORDERED = ("three by two padded", "uneven", "ceil", "ceil beyond", "volume")


def shape_of(x, options):
    return max_pool(np.zeros(x), **options).shape


def without_format(options):
    return {k: v for k, v in options.items() if k != "data_format"}


BAD = (
    ((normal(2, 3, 4),), {}, ShapeMismatch),
    ((integers(9, 2, 3, 4, 6),), {}, DTypeMismatch),
    ((normal(2, 3, 4, 6),), {"kernel_size": (9, 2)}, ShapeMismatch),
    ((normal(2, 3, 4, 6),), {"kernel_size": (0, 2)}, InvalidArgument),
    ((normal(2, 3, 4, 6),), {"stride": (2, 0)}, InvalidArgument),
)
UNIQUE = exactly([[[[7, 2], [0, 5]], [[1, 3], [8, 6]]]], "int32")

SAMPLES = [
    *[sample("max_pool", apart(*x), reference=max_pool, attrs=a, note=note, bad=BAD if note == "two" else ()) for note, x, a in CASES if note != "ceil beyond"],
    *[sample("max_pool_grad", normal(*shape_of(x, a)), apart(*x), reference=max_pool_grad, attrs=a, note=note, gradient=(0,), batch=(0, 1))
      for note, x, a in CASES if note not in ("ceil beyond", "over the image")],
    *[sample("max_pool_pick", normal(*x), apart(*x), reference=max_pool_pick, attrs=a, note=note, gradient=(0,), batch=(0, 1))
      for note, x, a in CASES if note not in ("ceil beyond", "over the image")],
    *[sample("avg_pool", normal(*x), reference=avg_pool, note=note, attrs={**a, "exclusive": True, "divisor_override": None}) for note, x, a in CASES],
    *[sample("avg_pool", normal(*x), reference=avg_pool, note=f"{note} inclusive", attrs={**a, "exclusive": False, "divisor_override": None})
      for note, x, a in CASES if note in BORDERED],
    *[sample("avg_pool_grad", normal(*shape_of(x, a)), normal(*x), batch=(0, 1), note=note, attrs={**a, "exclusive": True, "divisor_override": None},
             reference=lambda y, like, **attrs: adjoint(avg_pool, y, like, **attrs)) for note, x, a in CASES if note not in ("volume",)],
    sample("avg_pool", normal(2, 2, 5, 5), reference=avg_pool, note="divisor", attrs=attrs(3, 2, 1, exclusive=True, divisor_override=2.0),
           bad=(((normal(2, 2, 5, 5),), {"divisor_override": 0}, InvalidArgument),)),
    *[sample(f"max_pool{len(x) - 2}d_with_index", apart(*x), reference=with_index, attrs=without_format(a), note=note)
      for note, x, a in CASES if a["data_format"] != "NHWC" and note != "ceil beyond"],
    *[sample("adaptive_avg_pool", normal(*x), reference=adaptive_avg, note=note, attrs={"output_size": size, "data_format": form})
      for note, x, size, form in [("even", (2, 3, 4, 6), (2, 3), "NCHW"), ("uneven", (2, 2, 5, 7), (3, 4), "NCHW"), ("global", (2, 3, 4, 5), (1, 1), "NCHW"),
                                  ("up", (2, 2, 2, 3), (4, 5), "NCHW"), ("one kept", (2, 5, 4, 3), (None, 3), "NHWC"), ("volume", (2, 2, 3, 4, 5), (2, 2, 3), "NCDHW")]],
    *[sample("adaptive_avg_pool_grad", normal(2, 2, *size), normal(2, 2, *x), note=note, batch=(0, 1), attrs={"output_size": size, "data_format": "NCHW"},
             reference=lambda y, like, **attrs: adjoint(adaptive_avg, y, like, **attrs))
      for note, x, size in [("even", (4, 6), (2, 3)), ("uneven", (5, 7), (3, 4)), ("global", (4, 5), (1, 1))]],
    *[sample("adaptive_max_pool_with_index", apart(*x), reference=adaptive_max, note=note, output_size=size)
      for note, x, size in [("uneven", (2, 2, 5, 7), (3, 4)), ("kept", (2, 2, 4, 3), (2, None)), ("volume", (2, 2, 3, 4, 5), (2, 2, 3))]],
    *[sample("lp_pool2d", positive(*x), reference=lp, attrs={**a, "norm_type": p}, note=f"{note} {p}",
             bad=(((normal(2, 3, 4, 6),), {"norm_type": 0}, InvalidArgument),) if note == "two" else ())
      for p in (2.0, 3.0, 0.7) for note, x, a in CASES if note in ("two", "overlapping", "three by two padded", "channels last")],
    *[sample("fractional_max_pool_with_index", apart(2, 2, 7, 8), reference=fractional, output_size=(4, 5), kernel_size=k, u=u, note=f"{k} {u}",
             bad=(((normal(2, 2, 3, 8),), {}, ShapeMismatch),) if k is None else ()) for k, u in ((None, 0.3), ((2, 3), 0.7))],
    sample("pick_places", normal(1, 2, 3, 3), UNIQUE, reference=picked, batch=(0, 1)),
    sample("add_at_places", normal(1, 2, 2, 2), UNIQUE, normal(1, 2, 3, 3), reference=scattered, batch=(0, 1, 2)),
    sample("add_at_places", normal(2, 2, 2), exactly([[[1, 1], [0, 2]], [[2, 1], [1, 1]]], "int32"), normal(2, 2, 3), reference=scattered, batch=(0, 1, 2), note="shared"),
    sample("max_unpool", normal(1, 2, 2, 2), UNIQUE, reference=unpool, output_size=(3, 3), batch=(0, 1),
           bad=(((normal(1, 2, 2, 2), exactly(np.zeros((1, 2, 2, 3)), "int32")), {}, ShapeMismatch),
                ((normal(1, 2, 2, 2), normal(1, 2, 2, 2)), {}, DTypeMismatch))),
]  # fmt: skip
