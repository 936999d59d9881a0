"""Normalising layers: values, statistics, parameters, first values."""

import numpy as np
import pytest

import paddlite as paddle
from paddlite import nn
from paddlite.backend.world import WORLD
from paddlite.core.program import Program, recording

RNG = np.random.default_rng(0)


def noise(*shape):
    return paddle.to_tensor((RNG.standard_normal(shape) * 2 + 1).astype("float32"))


def standard(x, axes, epsilon=1e-5):
    x = x.numpy().astype("float64")
    return (x - x.mean(axes, keepdims=True)) / np.sqrt(x.var(axes, keepdims=True) + epsilon)


def close(got, want):
    np.testing.assert_allclose(got.numpy(), want, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    ("kind", "shape", "data_format"),
    [
        (nn.BatchNorm1D, (6, 3), None),
        (nn.BatchNorm1D, (6, 3, 4), None),
        (nn.BatchNorm1D, (6, 4, 3), "NLC"),
        (nn.BatchNorm2D, (6, 3, 4, 2), None),
        (nn.BatchNorm2D, (6, 4, 2, 3), "NHWC"),
        (nn.BatchNorm3D, (6, 3, 4, 2, 2), None),
        (nn.BatchNorm, (6, 3, 4), None),
        (nn.SyncBatchNorm, (6, 3, 4, 2), None),
    ],
)
def test_batch_norm_of_the_batch_and_of_the_past(kind, shape, data_format):
    layer, x = kind(3) if data_format is None else kind(3, data_format=data_format), noise(*shape)
    channel = len(shape) - 1 if data_format else 1
    axes = tuple(a for a in range(len(shape)) if a != channel)
    close(layer(x), standard(x, axes))
    mean, count = x.numpy().mean(axes), x.numpy().size // 3
    close(layer._mean, 0.1 * mean)
    close(layer._variance, 0.9 + 0.1 * x.numpy().var(axes))
    assert count > 1
    layer.eval()
    side = [1] * len(shape)
    side[channel] = 3
    mean, variance = layer._mean.numpy().reshape(side), layer._variance.numpy().reshape(side)
    close(layer(x), (x.numpy() - mean) / np.sqrt(variance + 1e-5))


def test_batch_norm_parameters():
    layer = nn.BatchNorm2D(2)
    found = [(name, p.name, p.stop_gradient) for name, p in layer.named_parameters()]
    assert found == [
        ("weight", "batch_norm2d_0.w_0", False),
        ("bias", "batch_norm2d_0.b_0", False),
        ("_mean", "batch_norm2d_0.w_1", True),
        ("_variance", "batch_norm2d_0.w_2", True),
    ]
    assert list(nn.BatchNorm2D(2, weight_attr=False, bias_attr=False).state_dict()) == ["_mean", "_variance"]
    assert nn.BatchNorm2D(2, data_format="NHWC", name="z").extra_repr().endswith("data_format=NHWC, name=z")
    kept = nn.Sequential(nn.BatchNorm2D(2), nn.Linear(1, 1)).bfloat16()
    assert (kept[0].weight.dtype, kept[1].weight.dtype) == (paddle.float32, paddle.bfloat16)


def test_batch_norm_with_global_statistics():
    x = noise(6, 3)
    layer = nn.BatchNorm1D(3, use_global_stats=True)
    close(layer(x), x.numpy() / np.sqrt(1 + 1e-5))
    assert layer._mean.numpy().tolist() == [0.0] * 3


def test_batch_norm_trains():
    layer, x = nn.BatchNorm1D(3), noise(6, 3)
    x.stop_gradient = False
    out = layer(x)
    weights = noise(6, 3)
    (out * weights).backward(paddle.ones_like(out))
    close(layer.bias.grad, weights.numpy().sum(0))
    close(layer.weight.grad, (weights.numpy() * standard(x, 0)).sum(0))
    np.testing.assert_allclose(x.grad.numpy().sum(0), 0, atol=1e-4)


def test_older_batch_norm():
    layer = nn.BatchNorm(3, act="relu", moving_mean_name="mine", is_test=True)
    assert not layer.training and layer._mean.name == "mine" and repr(layer) == "BatchNorm()"
    assert layer(noise(6, 3)).numpy().min() >= 0
    statistics = nn.BatchNorm(3, trainable_statistics=True).eval()
    x = noise(6, 3)
    close(statistics(x), standard(x, 0))


def test_sync_batch_norm_takes_the_place_of_others():
    net = nn.Sequential(nn.Conv2D(3, 4, 1), nn.Sequential(nn.BatchNorm2D(4, momentum=0.7, data_format="NHWC")))
    old = net[1][0]
    changed = nn.SyncBatchNorm.convert_sync_batchnorm(net)
    new = changed[1][0]
    assert changed is net and type(new) is nn.SyncBatchNorm
    assert new.weight is old.weight and new._mean is old._mean
    assert (new._momentum, new._data_format, new.training) == (0.7, "NHWC", True)
    assert type(nn.SyncBatchNorm.convert_sync_batchnorm(nn.BatchNorm1D(2))) is nn.SyncBatchNorm


@pytest.mark.parametrize(("sizes", "axes"), [(4, (2,)), ([3, 4], (1, 2))])
def test_layer_norm(sizes, axes):
    layer, x = nn.LayerNorm(sizes), noise(2, 3, 4)
    close(layer(x), standard(x, axes))
    assert layer.weight.shape == [int(np.prod(sizes))] and layer.bias.numpy().max() == 0
    plain = nn.LayerNorm(sizes, elementwise_affine=False)
    assert plain.weight is None and plain.bias is None
    close(plain(x), standard(x, axes))
    assert nn.LayerNorm(sizes, bias=False).bias is None
    assert nn.LayerNorm(4, 1e-3, False, False).extra_repr() == "normalized_shape=[4], epsilon=0.001"


def test_rms_norm():
    layer, x = nn.RMSNorm(4), noise(2, 3, 4)
    close(layer(x), x.numpy() / np.sqrt((x.numpy() ** 2).mean(-1, keepdims=True) + 1e-5))


def test_group_norm():
    layer, x = nn.GroupNorm(2, 4), noise(2, 4, 3, 3)
    want = standard(paddle.to_tensor(x.numpy().reshape(2, 2, 18)), (2,)).reshape(2, 4, 3, 3)
    close(layer(x), want)
    assert nn.GroupNorm(2, 4, affine=False).weight is None
    assert repr(layer) == "GroupNorm(num_groups=2, num_channels=4, epsilon=1e-05)"


@pytest.mark.parametrize(
    ("kind", "shape"),
    [(nn.InstanceNorm1D, (2, 3, 5)), (nn.InstanceNorm2D, (2, 3, 4, 4)), (nn.InstanceNorm3D, (2, 3, 2, 3, 4))],
)
def test_instance_norm(kind, shape):
    layer, x = kind(3), noise(*shape)
    close(layer(x), standard(x, tuple(range(2, len(shape)))))
    assert list(layer.state_dict()) == ["scale", "bias"]
    assert kind(3, weight_attr=False, bias_attr=False).scale is None


def test_local_response_norm():
    x = noise(2, 5, 3, 3)
    squares = np.pad(x.numpy() ** 2, [(0, 0), (1, 1), (0, 0), (0, 0)])
    near = (squares[:, :-2] + squares[:, 1:-1] + squares[:, 2:]) / 3
    close(nn.LocalResponseNorm(3, 0.1, 0.5, 2.0)(x), x.numpy() / np.sqrt(2 + 0.1 * near))


def test_spectral_norm():
    layer, weight = nn.SpectralNorm([2, 4, 3], dim=1, power_iters=300), noise(2, 4, 3)
    matrix = weight.numpy().transpose(1, 0, 2).reshape(4, 6)
    close(layer(weight), weight.numpy() / np.linalg.svd(matrix)[1][0])
    assert (layer.weight_u.shape, layer.weight_v.shape) == ([4], [6])
    assert layer.weight_u.stop_gradient


@pytest.mark.parametrize(
    "call",
    [
        lambda: nn.BatchNorm2D(2)(noise(2, 2)),
        lambda: nn.BatchNorm1D(2)(noise(2, 2, 2, 2)),
        lambda: nn.BatchNorm3D(2)(noise(2, 2)),
        lambda: nn.BatchNorm2D(2)(noise(2, 3, 1, 1)),
        lambda: nn.BatchNorm2D(0),
        lambda: nn.InstanceNorm2D(2)(noise(2, 2)),
        lambda: nn.InstanceNorm2D(2, weight_attr=False),
        lambda: nn.GroupNorm(3, 4),
        lambda: nn.SpectralNorm([0, 3]),
    ],
)
def test_bad_calls_are_refused(call):
    with pytest.raises(ValueError):
        call()


class Twins:
    """A communicator of two processes that always hold the same values."""

    rank, size = 0, 2

    def all_reduce(self, array, op):
        assert op == "sum"
        return array * array.dtype.type(2)


@pytest.fixture
def twins():
    WORLD.join(Twins(), 0)
    yield
    WORLD.leave()


@pytest.mark.usefixtures("twins")
@pytest.mark.parametrize("data_format", ["NCHW", "NHWC"])
def test_sync_batch_norm_takes_the_batches_of_all_processes(data_format):
    shape = (4, 3, 5, 2) if data_format == "NCHW" else (4, 5, 2, 3)
    together, alone = nn.SyncBatchNorm(3, data_format=data_format), nn.BatchNorm2D(3, data_format=data_format)
    x, up = noise(*shape), noise(*shape)
    found = []
    for layer in (together, alone):
        value = x.detach().clone()
        value.stop_gradient = False
        out = layer(value)
        out.backward(up)
        found.append((out, value.grad, layer.weight.grad, layer.bias.grad, layer._mean, layer._variance))
    for ours, theirs in zip(*found):  # statistics of twice the same batch are those of the batch
        close(ours, theirs.numpy())
    together.eval()
    close(together(x), alone.eval()(x).numpy())
    assert together.train()(x.astype("float16")).dtype == "float16"


@pytest.mark.usefixtures("twins")
def test_sync_batch_norm_records_with_an_unknown_batch():
    layer, program = nn.SyncBatchNorm(3), Program()
    with recording(program):
        out = layer(program.data("x", [-1, 3, 2, 2], "float32"))
    assert out.shape == [-1, 3, 2, 2]
    names = [node.name for node in program.global_block().ops]
    assert names.count("c_allreduce_sum") == 2 and names.count("assign_state") == 2
