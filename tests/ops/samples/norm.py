"""Samples of the normalising ops."""

import numpy as np

from paddlite.core.errors import InvalidArgument, ShapeMismatch
from tests.ops.sample import exactly, normal, positive, sample


def standardize(x, axis, epsilon):
    r = 1 / np.sqrt(x.var(axis, keepdims=True) + epsilon)
    return (x - x.mean(axis, keepdims=True)) * r


def jacobian(x, u, axis, epsilon):
    r = 1 / np.sqrt(x.var(axis, keepdims=True) + epsilon)
    xhat = standardize(x, axis, epsilon)
    return r * (u - u.mean(axis, keepdims=True) - xhat * (u * xhat).mean(axis, keepdims=True))


def layer_norm(x, scale, bias, begin_norm_axis=1, epsilon=1e-5):
    axis, kept = tuple(range(begin_norm_axis % x.ndim, x.ndim)), x.shape[begin_norm_axis % x.ndim :]
    out = standardize(x, axis, epsilon)
    if scale is not None:
        out = out * scale.reshape(kept)
    if bias is not None:
        out = out + bias.reshape(kept)
    return out, x.mean(axis), x.var(axis)


def layer_norm_grad(x, scale, mean, variance, dy, begin_norm_axis, epsilon):
    begin = begin_norm_axis % x.ndim
    axis, rest = tuple(range(begin, x.ndim)), tuple(range(begin))
    u = dy if scale is None else dy * scale.reshape(x.shape[begin:])
    return jacobian(x, u, axis, epsilon), (dy * standardize(x, axis, epsilon)).sum(rest), dy.sum(rest)


X = np.random.default_rng(5).standard_normal((4, 3, 5))


def of_x(begin):
    """Inputs (x, mean, variance) that belong together."""
    axis = tuple(range(begin % 3, 3))
    return [exactly(X), exactly(X.mean(axis)), exactly(X.var(axis))]


SAMPLES = [
    sample("standardize", normal(3, 4, 2), axis=(0, 2), epsilon=0.1, reference=standardize),
    sample("standardize_grad", normal(3, 4), normal(3, 4), axis=(1,), epsilon=0.1, reference=jacobian, batch=(0, 1)),
    sample("layer_norm", normal(6, 5), positive(5), normal(5), begin_norm_axis=-1, reference=layer_norm,
           bad=(((normal(3, 4), normal(3), None), {}, ShapeMismatch),)),
    sample("layer_norm", normal(4, 3, 5), positive(15), normal(15), reference=layer_norm, note="two axes"),
    sample("layer_norm", normal(4, 3, 5), positive(5), None, begin_norm_axis=2, reference=layer_norm, note="no bias"),
    sample("layer_norm", normal(4, 3, 5), None, normal(3, 5), reference=layer_norm, note="no scale"),
    sample("layer_norm", normal(4, 3, 5), None, None, begin_norm_axis=0, reference=layer_norm, note="whole", batch=()),
    sample("layer_norm", normal(0, 5), positive(5), normal(5), reference=layer_norm, note="no rows"),
]  # fmt: skip
for begin, scale in ((2, positive(5)), (1, positive(15)), (-1, None)):
    x, mean, variance = of_x(begin)
    SAMPLES.append(
        sample("layer_norm_grad", x, scale, mean, variance, normal(4, 3, 5), begin_norm_axis=begin, epsilon=1e-5,
               reference=layer_norm_grad, note=str(begin), batch=(0, 2, 3, 4), gradient=(1, 4) if scale else (4,))
    )  # fmt: skip


def channel_view(values, x, data_format):
    return values if data_format.endswith("C") and x.ndim > 2 else values.reshape(1, -1, *[1] * (x.ndim - 2))


def others(x, data_format):
    channel = x.ndim - 1 if data_format.endswith("C") and x.ndim > 2 else 1
    return tuple(i for i in range(x.ndim) if i != channel)


def batch_norm(
    x,
    scale,
    bias,
    mean,
    variance,
    momentum=0.9,
    epsilon=1e-5,
    data_format="NCHW",
    training=False,
    use_global_stats=None,
):
    given = not training if use_global_stats is None else use_global_stats
    m, v = (mean, variance) if given else (x.mean(others(x, data_format)), x.var(others(x, data_format)))
    out = (x - channel_view(m, x, data_format)) / np.sqrt(channel_view(v, x, data_format) + epsilon)
    out = out * (1 if scale is None else channel_view(scale, x, data_format))
    out = out + (0 if bias is None else channel_view(bias, x, data_format))
    if given:
        return out, mean, variance, m, v
    return out, momentum * mean + (1 - momentum) * m, momentum * variance + (1 - momentum) * v, m, v


def batch_norm_grad(x, scale, mean, variance, dy, epsilon, data_format, given):
    axis = others(x, data_format)
    xhat = (x - channel_view(mean, x, data_format)) / np.sqrt(channel_view(variance, x, data_format) + epsilon)
    u = dy if scale is None else dy * channel_view(scale, x, data_format)
    dx = u / np.sqrt(channel_view(variance, x, data_format) + epsilon) if given else jacobian(x, u, axis, epsilon)
    return dx, (dy * xhat).sum(axis), dy.sum(axis)


def running(channels):
    return normal(channels), positive(channels)


SAMPLES += [
    sample("batch_norm", normal(6, 3, 4, 5), positive(3), normal(3), *running(3), training=True, reference=batch_norm,
           batch=(0,), bad=(((normal(2, 4), normal(3), None, normal(4), normal(4)), {}, ShapeMismatch),
                            ((normal(4), None, None, normal(4), normal(4)), {}, InvalidArgument))),
    sample("batch_norm", normal(6, 4, 5, 3), positive(3), normal(3), *running(3), training=True, data_format="NHWC",
           momentum=0.3, reference=batch_norm, batch=(0,), note="channels last"),
    sample("batch_norm", normal(8, 3), None, normal(3), *running(3), training=True, reference=batch_norm, batch=(0,),
           note="rows"),
    sample("batch_norm", normal(6, 3, 4), positive(3), None, *running(3), training=True, reference=batch_norm, batch=(0,),
           note="3-D"),
    sample("batch_norm", normal(6, 3, 4), positive(3), normal(3), *running(3), reference=batch_norm, batch=(0,),
           note="evaluation", gradient=(0, 1, 2)),
    sample("batch_norm", normal(6, 3, 4), None, None, *running(3), training=True, use_global_stats=True,
           reference=batch_norm, batch=(0,), note="given", gradient=(0,)),
    sample("batch_norm", exactly(X + 1e3), positive(3), normal(3), *running(3), training=True, reference=batch_norm,
           batch=(0,), note="far mean", half=False, tolerance=30),
    sample("batch_norm", normal(0, 3, 4), positive(3), normal(3), *running(3), training=True, batch=(0,), note="no samples",
           gradient=(), second=False,
           reference=lambda x, scale, bias, mean, variance, training: (x, mean, variance, mean, variance)),
    sample("batch_norm", exactly(np.full((4, 3, 5), 7.0)), None, normal(3), *running(3), training=True,
           reference=batch_norm, batch=(0,), note="constant", gradient=(2,)),
]  # fmt: skip
for name, data_format, shift, axis in (("first", "NCHW", 0, 1), ("last", "NLC", 0, 2), ("far mean", "NCHW", 100, 1)):
    x = X + shift
    rest = tuple(i for i in range(3) if i != axis)
    channels = x.shape[axis]
    for given in (False, True):
        stats = running(channels) if given else (exactly(x.mean(rest)), exactly(x.var(rest)))
        SAMPLES.append(
            sample("batch_norm_grad", exactly(x), positive(channels), *stats, normal(*x.shape), epsilon=1e-5,
                   data_format=data_format, given=given, reference=batch_norm_grad, batch=(0, 4), tolerance=10,
                   note=f"channels {name}{' given' if given else ''}", half=not shift,
                   gradient=(0, 1, 4) if given else (1, 4))
        )  # fmt: skip


def grouped(x, groups, data_format):
    """[samples, groups, channels of a group, inner]."""
    x = np.moveaxis(x, -1, 1) if data_format.endswith("C") and x.ndim > 2 else x
    return x.reshape(len(x), groups, x.shape[1] // groups, int(np.prod(x.shape[2:])))


def ungrouped(t, x, data_format):
    if data_format.endswith("C") and x.ndim > 2:
        return np.moveaxis(t.reshape(len(x), x.shape[-1], *x.shape[1:-1]), 1, -1)
    return t.reshape(x.shape)


def group_norm(x, scale, bias, groups=None, epsilon=1e-5, data_format="NCHW"):
    groups = groups or x.shape[-1 if data_format.endswith("C") and x.ndim > 2 else 1]
    parted = grouped(x, groups, data_format)
    out = ungrouped(standardize(parted, (2, 3), epsilon), x, data_format)
    out = out * (1 if scale is None else channel_view(scale, x, data_format))
    out = out + (0 if bias is None else channel_view(bias, x, data_format))
    return out, parted.mean((2, 3)), parted.var((2, 3))


def group_norm_grad(x, scale, mean, variance, dy, groups, epsilon, data_format):
    u = dy if scale is None else dy * channel_view(scale, x, data_format)
    parted = grouped(x, groups, data_format)
    dx = ungrouped(jacobian(parted, grouped(u, groups, data_format), (2, 3), epsilon), x, data_format)
    xhat, axis = ungrouped(standardize(parted, (2, 3), epsilon), x, data_format), others(x, data_format)
    return dx, (dy * xhat).sum(axis), dy.sum(axis)


SAMPLES += [
    sample("group_norm", normal(3, 6, 4, 5), positive(6), normal(6), groups=2, reference=group_norm,
           bad=(((normal(3, 5, 4), None, None), {}, InvalidArgument), ((normal(3, 6, 4), normal(5), None), {}, ShapeMismatch))),
    sample("group_norm", normal(3, 4, 5, 6), positive(6), None, groups=3, data_format="NHWC", reference=group_norm,
           note="channels last"),
    sample("group_norm", normal(3, 6), None, normal(6), groups=2, reference=group_norm, note="rows"),
    sample("group_norm", exactly(np.tile(X, (1, 2, 1)) + 100), None, None, groups=3, reference=group_norm, note="far mean",
           half=False, tolerance=30),
    sample("group_norm", normal(0, 6, 4), positive(6), normal(6), groups=2, reference=group_norm, note="no samples",
           gradient=(), second=False),
    sample("instance_norm", normal(3, 4, 5), positive(4), normal(4), reference=group_norm,
           bad=(((normal(3),  None, None), {}, InvalidArgument),)),
    sample("instance_norm", normal(2, 4, 5, 3), positive(3), normal(3), data_format="NHWC", reference=group_norm,
           note="channels last"),
]  # fmt: skip
for note, data_format, groups, shift in (("first", "NCL", 1, 0), ("last", "NLC", 5, 0), ("far mean", "NCL", 3, 100)):
    x = X + shift
    parted, channels = grouped(x, groups, data_format), 5 if data_format == "NLC" else 3
    SAMPLES.append(
        sample("group_norm_grad", exactly(x), positive(channels), exactly(parted.mean((2, 3))), exactly(parted.var((2, 3))),
               normal(*x.shape), groups=groups, epsilon=1e-5, data_format=data_format, reference=group_norm_grad,
               batch=(0, 2, 3, 4), gradient=(1, 4), note=note, tolerance=10, half=not shift)
    )  # fmt: skip


def rms_norm(x, scale, begin_norm_axis=-1, epsilon=1e-5):
    axis = tuple(range(begin_norm_axis % x.ndim, x.ndim))
    r = 1 / np.sqrt((x * x).mean(axis, keepdims=True) + epsilon)
    return x * r * (1 if scale is None else scale.reshape(x.shape[begin_norm_axis % x.ndim :])), r.squeeze(axis)


def rms_norm_grad(x, scale, inverse, dy, begin_norm_axis, epsilon):
    begin = begin_norm_axis % x.ndim
    axis = tuple(range(begin, x.ndim))
    r = np.expand_dims(inverse, axis)
    u = dy * (1 if scale is None else scale.reshape(x.shape[begin:]))
    dx = r * (u - x * r * (u * x * r).mean(axis, keepdims=True))
    return dx, (dy * x * r).sum(tuple(range(begin)))


def window_sum(x, axis, before, after):
    out = np.zeros_like(x)
    size = x.shape[axis]
    for i in range(size):
        part = np.take(x, range(max(0, i - before), min(size, i + after + 1)), axis)
        np.moveaxis(out, axis, 0)[i] = part.sum(axis)
    return out


SAMPLES += [
    sample("standardize", normal(3, 4), axis=(1,), epsilon=0.1, centre=False, note="not centred",
           reference=lambda x, axis, epsilon, centre: x / np.sqrt((x * x).mean(axis, keepdims=True) + epsilon)),
    sample("rms_norm", normal(6, 5), positive(5), reference=rms_norm,
           bad=(((normal(3, 4), normal(3)), {}, ShapeMismatch),)),
    sample("rms_norm", normal(4, 3, 5), positive(15), begin_norm_axis=1, reference=rms_norm, note="two axes"),
    sample("rms_norm", normal(4, 3, 5), None, reference=rms_norm, note="no scale"),
    *[
        sample("rms_norm_grad", exactly(X), scale, exactly(1 / np.sqrt((X * X).mean(tuple(range(begin % 3, 3))) + 1e-5)),
               normal(4, 3, 5), begin_norm_axis=begin, epsilon=1e-5, reference=rms_norm_grad, note=str(begin),
               batch=(0, 2, 3), gradient=(1, 3) if scale else (3,))
        for begin, scale in ((2, positive(5)), (1, positive(15)), (-1, None))
    ],
    *[
        sample("window_sum", normal(3, 5, 2), axis=axis, before=2, after=1, reference=window_sum, note=f"{axis}")
        for axis in (1, 2)
    ],
]  # fmt: skip
