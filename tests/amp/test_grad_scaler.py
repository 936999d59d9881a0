"""Loss scaling: unscaling, skipping, adapting, several optimizers, state."""

import numpy as np
import pytest

import paddlite as paddle


def parameter(value):
    return paddle.to_tensor(np.asarray(value, "f4"), stop_gradient=False)


def give(tensor, gradient):
    """Let backward have left this gradient."""
    tensor.grad = paddle.to_tensor(np.asarray(gradient, "f4"))


def sgd(*tensors, rate=0.5, **options):
    return paddle.optimizer.SGD(rate, parameters=list(tensors), **options)


def test_a_good_step_is_that_of_the_unscaled_gradient():
    w = parameter([1.0, 2.0])
    optimizer, scaler = sgd(w), paddle.amp.GradScaler(init_loss_scaling=1024.0)
    scaler.scale((w * w).sum()).backward()
    np.testing.assert_array_equal(w.grad.numpy(), [2048.0, 4096.0])
    scaler.step(optimizer)
    scaler.update()
    np.testing.assert_array_equal(w.numpy(), [0.0, 0.0])
    assert scaler.get_loss_scaling() == 1024.0


@pytest.mark.parametrize("bad", [np.inf, -np.inf, np.nan])
def test_an_overflow_skips_the_step_and_halves_the_scale_once(bad):
    w, v = parameter([1.0, 2.0]), parameter([3.0])
    optimizer, scaler = sgd(w, v), paddle.amp.GradScaler(init_loss_scaling=1024.0)
    give(w, [1.0, bad])
    give(v, [1.0])
    scaler.step(optimizer)
    scaler.update()
    np.testing.assert_array_equal(w.numpy(), [1.0, 2.0])
    np.testing.assert_array_equal(v.numpy(), [3.0])
    assert scaler.get_loss_scaling() == 512.0
    assert scaler.last_step_skipped(optimizer)


def test_the_scale_grows_after_good_steps_in_a_row_and_never_sinks_below_one():
    w = parameter([1.0])
    optimizer = sgd(w)
    scaler = paddle.amp.GradScaler(init_loss_scaling=4.0, incr_every_n_steps=3)
    scales = []
    for gradient in (1, 1, np.inf, 1, 1, 1, *[np.inf] * 6):
        give(w, [gradient])
        scaler.step(optimizer)
        scaler.update()
        scales.append(scaler.get_loss_scaling())
    assert scales == [4, 4, 2, 2, 2, 4, 2, 1, 1, 1, 1, 1]


def test_several_bad_steps_may_be_asked_for():
    w = parameter([1.0])
    optimizer = sgd(w)
    scaler = paddle.amp.GradScaler(init_loss_scaling=8.0, decr_every_n_nan_or_inf=2, decr_ratio=0.25)
    scales = []
    for gradient in (np.inf, 1, np.inf, np.inf):
        give(w, [gradient])
        scaler.step(optimizer)
        scaler.update()
        scales.append(scaler.get_loss_scaling())
    assert scales == [8, 8, 8, 2]


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
@pytest.mark.parametrize("unscale_first", [False, True])
def test_each_optimizer_has_its_own_finding_and_any_of_them_lowers_the_scale(order, unscale_first):
    bad, good = parameter([1.0]), parameter([1.0])
    optimizers = [sgd(bad), sgd(good)]
    scaler = paddle.amp.GradScaler(init_loss_scaling=2.0)
    give(bad, [np.inf])
    give(good, [2.0])
    if unscale_first:
        for optimizer in optimizers:
            scaler.unscale_(optimizer)
    for i in order:
        scaler.step(optimizers[i])
    scaler.update()
    assert (bad.item(), good.item()) == (1.0, 0.5)
    assert scaler.get_loss_scaling() == 1.0


def test_unscaling_first_lets_a_clip_see_the_true_norm():
    w = parameter([0.0, 0.0])
    optimizer = sgd(w, rate=1.0, grad_clip=paddle.nn.ClipGradByGlobalNorm(1.0))
    scaler = paddle.amp.GradScaler(init_loss_scaling=256.0)
    give(w, np.array([3.0, 4.0]) * 256)
    scaler.unscale_(optimizer)
    np.testing.assert_array_equal(w.grad.numpy(), [3.0, 4.0])
    scaler.step(optimizer)
    np.testing.assert_allclose(w.numpy(), [-0.6, -0.8], rtol=1e-6)


def test_a_gradient_shared_by_two_parameters_is_unscaled_once():
    w, v = parameter([0.0]), parameter([0.0])
    w.grad = v.grad = paddle.to_tensor([8.0])
    scaler = paddle.amp.GradScaler(init_loss_scaling=8.0)
    scaler.unscale_(sgd(w, v))
    assert w.grad.item() == 1.0


def test_calls_in_the_wrong_order_are_refused():
    w = parameter([1.0])
    optimizer, scaler = sgd(w), paddle.amp.GradScaler()
    give(w, [1.0])
    scaler.unscale_(optimizer)
    with pytest.raises(RuntimeError, match="already been called"):
        scaler.unscale_(optimizer)
    scaler.step(optimizer)
    with pytest.raises(RuntimeError, match="already been called since the last update"):
        scaler.step(optimizer)
    with pytest.raises(RuntimeError, match="after step"):
        scaler.unscale_(optimizer)
    scaler.update()
    give(w, [1.0])
    scaler.step(optimizer)


def test_a_disabled_scaler_changes_nothing():
    w = parameter([1.0])
    optimizer, scaler = sgd(w), paddle.amp.GradScaler(enable=False)
    loss = (w * w).sum()
    assert scaler.scale(loss) is loss
    loss.backward()
    scaler.unscale_(optimizer)
    scaler.step(optimizer)
    scaler.update()
    assert w.item() == 0.0
    assert scaler.state_dict() == {}
    assert not scaler.is_enable()


def test_minimize_is_step_and_update():
    results = []
    for one_call in (True, False):
        w = parameter([1.0])
        optimizer, scaler = sgd(w), paddle.amp.GradScaler(init_loss_scaling=2.0, incr_every_n_steps=1)
        scaler.scale((w * w).sum()).backward()
        if one_call:
            assert scaler.minimize(optimizer)[1][0][0] is w
        else:
            scaler.step(optimizer)
            scaler.update()
        results.append((w.item(), scaler.get_loss_scaling()))
    assert results == [(0.0, 4.0)] * 2


def test_state_round_trip_goes_on_alike():
    def advance(scaler, gradients):
        w = parameter([1.0])
        optimizer = sgd(w)
        for gradient in gradients:
            give(w, [gradient])
            scaler.step(optimizer)
            scaler.update()

    first = paddle.amp.GradScaler(init_loss_scaling=64.0, incr_every_n_steps=4)
    advance(first, [np.inf, 1, 1, 1])
    second = paddle.amp.GradScaler(init_loss_scaling=7.0)
    second.load_state_dict(first.state_dict())
    for scaler in (first, second):
        advance(scaler, [1, np.inf])
    assert first.state_dict() == second.state_dict()
    with pytest.raises(RuntimeError, match="enable=False"):
        second.load_state_dict({})


@pytest.mark.parametrize(
    "bad",
    [
        {"init_loss_scaling": 0},
        {"incr_ratio": 1.0},
        {"decr_ratio": 1.0},
        {"incr_every_n_steps": 0},
        {"decr_every_n_nan_or_inf": 1.5},
    ],
)
def test_senseless_settings_are_refused(bad):
    with pytest.raises(ValueError, match=next(iter(bad))):
        paddle.amp.GradScaler(**bad)


def test_o2_keeps_norms_in_float32_and_small_updates_in_master_weights():
    net = paddle.nn.Sequential(paddle.nn.Linear(2, 2), paddle.nn.BatchNorm1D(2))
    optimizer = sgd(*net.parameters(), rate=1e-5)
    net, optimizer = paddle.amp.decorate(net, optimizer, level="O2")
    weight, scale = net[0].weight, net[1].weight
    assert (weight.dtype, scale.dtype) == ("float16", "float32")
    weight.set_value(np.ones((2, 2), "f4"))
    for _ in range(1000):
        weight.grad = paddle.ones([2, 2], "float16")
        optimizer.step()
    np.testing.assert_allclose(weight.numpy().astype("f4"), 0.99, atol=1e-3)


def test_master_grad_keeps_gradients_that_float16_would_lose():
    net = paddle.nn.Linear(1, 1, bias_attr=False)
    optimizer = sgd(*net.parameters())
    net, optimizer = paddle.amp.decorate(net, optimizer, level="O2", master_grad=True)
    scaler = paddle.amp.GradScaler(init_loss_scaling=1024.0)
    with paddle.amp.auto_cast(level="O2"):
        loss = (net(paddle.ones([1, 1])) * 1e-6).sum()
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    assert net.weight.grad.dtype == "float32"
    np.testing.assert_allclose(net.weight.grad.numpy(), [[1e-6]], rtol=0.05)


def test_save_dtype_gives_float32_entries():
    net = paddle.amp.decorate(paddle.nn.Linear(2, 2), level="O2", save_dtype="float32")
    assert {t.dtype.name for t in net.state_dict().values()} == {"float32"}
    assert net.weight.dtype == "float16"


def test_excluded_layers_stay_float32():
    net = paddle.nn.Sequential(paddle.nn.Linear(2, 2), paddle.nn.Linear(2, 2))
    paddle.amp.decorate(net, level="O2", excluded_layers=[net[1]])
    assert [layer.weight.dtype.name for layer in net] == ["float16", "float32"]
    net = paddle.amp.decorate(
        paddle.nn.Sequential(paddle.nn.Linear(2, 2)), level="O2", excluded_layers=paddle.nn.Linear
    )
    assert net[0].weight.dtype == "float32"


def test_a_loss_scaled_network_learns_what_a_float32_one_learns():
    rng = np.random.RandomState(0)
    x, truth = rng.randn(64, 4).astype("f4"), rng.randn(4, 2).astype("f4")
    y = paddle.to_tensor(x @ truth)
    for enabled in (False, True):
        net = paddle.nn.Linear(4, 2)
        optimizer, scaler = sgd(*net.parameters(), rate=0.2), paddle.amp.GradScaler(enable=enabled)
        for _ in range(100):
            with paddle.amp.auto_cast(enable=enabled):
                loss = ((net(paddle.to_tensor(x)) - y) ** 2).mean()
            scaler.scale(loss).backward()
            scaler.step(optimizer)
            scaler.update()
            optimizer.clear_grad()
        np.testing.assert_allclose(net.weight.numpy(), truth, atol=5e-3 if enabled else 1e-4)
