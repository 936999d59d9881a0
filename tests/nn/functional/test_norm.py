"""Normalisation: statistics, layouts, dtypes, errors."""

import numpy as np
import pytest

import paddlite as paddle
from paddlite.static.executor import Executor

F = paddle.nn.functional
RNG = np.random.default_rng(0)
X = RNG.standard_normal((4, 3, 5, 6)).astype("float32")


def t(array, **options):
    return paddle.to_tensor(np.asarray(array, "float32"), **options)


def test_batch_norm_moves_the_running_statistics_in_training_alone():
    mean, var = t([1.0, 2.0, 3.0]), t([1.0, 1.0, 4.0])
    F.batch_norm(t(X), mean, var, training=True, momentum=0.75)
    want_mean = 0.75 * np.array([1, 2, 3]) + 0.25 * X.mean((0, 2, 3))
    want_var = 0.75 * np.array([1, 1, 4]) + 0.25 * X.var((0, 2, 3))
    np.testing.assert_allclose(mean.numpy(), want_mean, rtol=1e-5)
    np.testing.assert_allclose(var.numpy(), want_var, rtol=1e-5)
    for options in ({"training": False}, {"training": True, "use_global_stats": True}):
        out = F.batch_norm(t(X), mean, var, **options)
        shape = (1, 3, 1, 1)
        want = (X - want_mean.reshape(shape)) / np.sqrt(want_var.reshape(shape) + 1e-5)
        np.testing.assert_allclose(out.numpy(), want, rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(mean.numpy(), want_mean, rtol=1e-5)
    F.batch_norm(t(X), mean, var, training=False, use_global_stats=False)
    assert not np.allclose(mean.numpy(), want_mean)


def test_batch_norm_in_a_program_writes_its_statistics_at_each_run():
    mean, var = t([0.0, 0.0, 0.0]), t([1.0, 1.0, 1.0])
    program = paddle.static.Program()
    with paddle.static.program_guard(program):
        x = paddle.static.data("x", [-1, 3, 5, 6], "float32")
        out = F.batch_norm(x, mean, var, training=True)
    assert mean.tolist() == [0.0, 0.0, 0.0]
    eager_mean, eager_var = t([0.0, 0.0, 0.0]), t([1.0, 1.0, 1.0])
    for scale in (1, 2):
        (found,) = Executor().run(program, feed={"x": X * scale}, fetch_list=[out])
        want = F.batch_norm(t(X * scale), eager_mean, eager_var, training=True)
        np.testing.assert_array_equal(found, want.numpy())
        np.testing.assert_array_equal(mean.numpy(), eager_mean.numpy())
        np.testing.assert_array_equal(var.numpy(), eager_var.numpy())
    assert [n.role for n in program.global_block().ops if n.name == "assign_state"] == ["stat", "stat"]


@pytest.mark.parametrize("training", [True, False])
def test_channels_that_lie_together_in_memory_keep_lying_so(training):
    def run(x):
        mean, var, weight, bias = t([0.1, 0.2, 0.3]), t([1, 2, 3]), t([1, 2, 3]), t([3, 2, 1])
        x = paddle.to_tensor(x, stop_gradient=False)
        weight.stop_gradient = bias.stop_gradient = False
        y = F.batch_norm(x, mean, var, weight, bias, training=training)
        return y, paddle.grad([y], [x, weight, bias], [paddle.to_tensor(X[::-1].copy())])

    plain, grads = run(X)
    y, other_grads = run(np.ascontiguousarray(X.transpose(0, 2, 3, 1)).transpose(0, 3, 1, 2))
    assert y.transpose([0, 2, 3, 1]).is_contiguous()
    np.testing.assert_allclose(y.numpy(), plain.numpy(), rtol=1e-5, atol=1e-5)
    for a, b in zip(grads, other_grads):
        np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("name", ["batch_norm", "instance_norm", "group_norm", "layer_norm", "rms_norm"])
def test_half_inputs_keep_their_dtype_beside_float32_parameters(name):
    x = paddle.to_tensor((X * 1e4).astype("float16"), stop_gradient=False)
    weight, bias = t([1, 1, 1], stop_gradient=False), t([0, 0, 0])
    row = t(np.ones(6), stop_gradient=False)
    out = {
        "batch_norm": lambda: F.batch_norm(x, t([0, 0, 0]), t([1, 1, 1]), weight, bias, training=True),
        "instance_norm": lambda: F.instance_norm(x, weight=weight, bias=bias),
        "group_norm": lambda: F.group_norm(x, 3, 1e-5, weight, bias),
        "layer_norm": lambda: F.layer_norm(x, 6, row),
        "rms_norm": lambda: F.rms_norm(x, 6, row)[0],
    }[name]()
    assert out.dtype == paddle.float16
    assert np.isfinite(out.numpy().astype("float32")).all()
    parameter = row if name in ("layer_norm", "rms_norm") else weight
    gx, gw = paddle.grad([out], [x, parameter])
    assert gx.dtype == paddle.float16
    assert gw.dtype == paddle.float32


def test_layer_norm_of_large_halves_is_right():
    x = paddle.to_tensor(np.array([[5e4, 0.0], [0.0, 6e4]], "float16"))
    np.testing.assert_allclose(F.layer_norm(x, 2).numpy(), [[1, -1], [-1, 1]], atol=1e-2)


def test_large_layer_norms_are_worked_on_in_blocks():
    x = RNG.standard_normal((3000, 300)).astype("float32") + 5
    x, weight = paddle.to_tensor(x, stop_gradient=False), t(np.linspace(1, 2, 300), stop_gradient=False)
    y = F.layer_norm(x, 300, weight)
    wide = x.numpy().astype("float64")
    want = (wide - wide.mean(1, keepdims=True)) / np.sqrt(wide.var(1, keepdims=True) + 1e-5) * np.linspace(1, 2, 300)
    np.testing.assert_allclose(y.numpy(), want, atol=1e-4)
    gx, gw = paddle.grad([y], [x, weight], [y])
    u = want * np.linspace(1, 2, 300)
    hat = want / np.linspace(1, 2, 300)
    r = 1 / np.sqrt(wide.var(1, keepdims=True) + 1e-5)
    np.testing.assert_allclose(
        gx.numpy(), r * (u - u.mean(1, keepdims=True) - hat * (u * hat).mean(1, keepdims=True)), atol=1e-4
    )
    np.testing.assert_allclose(gw.numpy(), (want * hat).sum(0), rtol=1e-4)


def test_layer_norm_takes_parameters_of_the_normalised_shape():
    x, weight = X[0], RNG.standard_normal((5, 6)).astype("float32")
    flat = F.layer_norm(t(x), [5, 6], t(weight.reshape(-1)), t(weight.reshape(-1)))
    np.testing.assert_array_equal(F.layer_norm(t(x), (5, 6), t(weight), t(weight)).numpy(), flat.numpy())


@pytest.mark.parametrize(("size", "data_format"), [(3, "NCHW"), (2, "NCHW"), (9, "NHWC")])
def test_local_response_norm(size, data_format):
    x = X if data_format == "NCHW" else X.transpose(0, 2, 3, 1)
    squares = np.pad(X**2, ((0, 0), (size // 2, (size - 1) // 2), (0, 0), (0, 0)))
    total = np.stack([squares[:, i : i + size].sum(1) for i in range(3)], 1)
    want = X / (2.0 + 0.1 * total / size) ** 0.5
    out = F.local_response_norm(t(x), size, 0.1, 0.5, 2.0, data_format).numpy()
    np.testing.assert_allclose(out if data_format == "NCHW" else out.transpose(0, 3, 1, 2), want, rtol=1e-5)


@pytest.mark.parametrize("p", [0, 1, 2, 3, 1.5, float("inf"), float("-inf")])
def test_normalize_divides_by_the_norm(p):
    want = X / np.linalg.norm(X.astype("float64"), p, 1, keepdims=True) if p != 0 else X / 3
    np.testing.assert_allclose(F.normalize(t(X), p).numpy(), want, rtol=1e-4)


def test_normalize_of_zero_is_zero_with_zero_gradient():
    x = t([[0.0, 0.0]], stop_gradient=False)
    y = F.normalize(x)
    assert y.tolist() == [[0.0, 0.0]]
    (g,) = paddle.grad([y], [x])
    assert np.isfinite(g.numpy()).all()


THREE, TWO = t(X), t([1, 2])


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: F.batch_norm(THREE, TWO, TWO), "running_mean must have shape .3."),
        (lambda: F.batch_norm(TWO, TWO, TWO), "at least 2 axes"),
        (lambda: F.batch_norm(THREE, t([1, 2, 3]), t([1, 2, 3]), data_format="CHWN"), "data_format must be"),
        (lambda: F.layer_norm(THREE, [3, 6]), r"must end in the sizes normalized_shape \[3, 6\]"),
        (lambda: F.layer_norm(THREE, 6, TWO), "weight must have 6 elements"),
        (lambda: F.rms_norm(THREE, 5), "must end in the sizes"),
        (lambda: F.group_norm(THREE, 2), "3 channels do not divide into 2 groups"),
        (lambda: F.instance_norm(THREE, weight=TWO), "weight must have shape .3."),
        (lambda: F.local_response_norm(TWO, 2), "at least 3 axes"),
        (lambda: F.local_response_norm(THREE, 0), "size must be >= 1"),
    ],
)
def test_bad_arguments_are_refused(call, text):
    with pytest.raises(ValueError, match=text):
        call()


@pytest.mark.parametrize("order", [(0, 1, 2, 3), (0, 2, 3, 1), (1, 2, 3, 0)])
def test_batch_norm_keeps_the_layout_of_memory(order):
    laid = np.ascontiguousarray(X.transpose(order)).transpose(np.argsort(order))
    grads, outs = [], []
    for values in (X, laid):
        x = paddle.to_tensor(values, stop_gradient=False)
        x._data = values.view()  # as an op leaves it; to_tensor copies
        out = F.batch_norm(x, t([0.0] * 3), t([1.0] * 3), t([1.0, 2.0, 3.0]), t([0.0, 1.0, 2.0]), training=True)
        out.backward(paddle.to_tensor(np.cos(X)))
        outs.append(out)
        grads.append(x.grad.numpy())
    np.testing.assert_allclose(outs[1].numpy(), outs[0].numpy(), atol=1e-5)
    np.testing.assert_allclose(grads[1], grads[0], atol=1e-5)
    assert outs[1]._data.strides == laid.strides
