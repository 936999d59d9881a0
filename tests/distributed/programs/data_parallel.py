"""DataParallel on two ranks: gradients are those of one process on all samples."""

import numpy as np
import pytest

import paddlite as paddle
from paddlite.distributed.parallel import DataParallel

dist = paddle.distributed
dist.init_parallel_env()
RANK = dist.get_rank()
X = np.random.RandomState(0).randn(8, 4).astype("f4")
Y = np.random.RandomState(1).randn(8, 2).astype("f4")


def network(seed=0):
    paddle.seed(seed)
    return paddle.nn.Sequential(paddle.nn.Linear(4, 16), paddle.nn.Tanh(), paddle.nn.Linear(16, 2))


def half(array):
    return paddle.to_tensor(array[RANK * 4 : RANK * 4 + 4])


def loss_of(net, x, y):
    return ((net(x) - y) ** 2).mean()


def whole_gradients():
    net = network()
    loss_of(net, paddle.to_tensor(X), paddle.to_tensor(Y)).backward()
    return [p.grad.numpy() for p in net.parameters()]


def agree(net, wanted, rtol=1e-5):
    for p, want in zip(net.parameters(), wanted, strict=True):
        np.testing.assert_allclose(p.grad.numpy(), want, rtol=rtol, atol=1e-7)


def check_gradients_are_those_of_all_samples():
    for megabytes in (25, 1e-4):  # one bucket, and one a parameter
        net = DataParallel(network(), comm_buffer_size=megabytes, last_comm_buffer_size=megabytes)
        loss_of(net, half(X), half(Y)).backward()
        agree(net, whole_gradients())


def check_parameters_are_those_of_rank_0():
    net = network(seed=RANK)
    DataParallel(net)
    for p, q in zip(net.parameters(), network(seed=0).parameters()):
        np.testing.assert_array_equal(p.numpy(), q.numpy())


def check_training_equals_one_process():
    net, alone = DataParallel(network()), network()
    pairs = [(net, half(X), half(Y)), (alone, paddle.to_tensor(X), paddle.to_tensor(Y))]
    for model, x, y in pairs:
        optimizer = paddle.optimizer.Adam(0.01, parameters=model.parameters())
        for _ in range(20):
            loss_of(model, x, y).backward()
            optimizer.step()
            optimizer.clear_grad()
    for p, q in zip(net.parameters(), alone.parameters()):
        np.testing.assert_allclose(p.numpy(), q.numpy(), rtol=1e-5, atol=1e-6)


def check_backwards_add_up_and_no_sync_waits():
    net = DataParallel(network())
    for _ in range(3):
        loss_of(net, half(X), half(Y)).backward()
    agree(net, [3 * g for g in whole_gradients()])
    net.clear_gradients()
    with net.no_sync():
        loss_of(net, half(X), half(Y)).backward()
        local = net.parameters()[0].grad.numpy().copy()
    found = []
    dist.all_gather_object(found, local)
    assert not np.array_equal(*found)
    loss_of(net, half(X), half(Y)).backward()
    agree(net, [2 * g for g in whole_gradients()])


class Branches(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        paddle.seed(0)
        self.shared, self.left, self.right, self.never = (paddle.nn.Linear(2, 2) for _ in range(4))

    def forward(self, x, left):
        x = self.shared(x)
        return (self.left if left else self.right)(x)


def check_absent_gradients_count_as_zero_and_unused_ones_stay_none():
    net = DataParallel(Branches())
    net(paddle.ones([1, 2]), left=RANK == 0).sum().backward()
    inner = net._layers
    np.testing.assert_allclose(inner.left.bias.grad.numpy(), [0.5, 0.5])
    np.testing.assert_allclose(inner.right.bias.grad.numpy(), [0.5, 0.5])
    assert inner.never.weight.grad is None


def check_no_sync_parts_with_other_branches_are_not_lost():
    net = DataParallel(Branches())
    with net.no_sync():
        net(paddle.ones([1, 2]), left=True).sum().backward()
    net(paddle.ones([1, 2]), left=False).sum().backward()
    np.testing.assert_allclose(net._layers.left.bias.grad.numpy(), [1.0, 1.0])
    np.testing.assert_allclose(net._layers.right.bias.grad.numpy(), [1.0, 1.0])


def check_a_tied_weight_is_reduced_once():
    weight = paddle.nn.Linear(2, 2, bias_attr=False)
    net = DataParallel(paddle.nn.Sequential(weight, weight))
    x = paddle.ones([1, 2]) * (RANK + 1)
    net(x).sum().backward()
    alone = paddle.nn.Linear(2, 2, bias_attr=False)
    alone.weight.set_value(weight.weight)
    total = 0
    for rank in range(2):
        alone.clear_gradients()
        alone(alone(paddle.ones([1, 2]) * (rank + 1))).sum().backward()
        total = total + alone.weight.grad.numpy()
    np.testing.assert_allclose(weight.weight.grad.numpy(), total / 2, rtol=1e-6)


def check_half_gradients_are_averaged_in_float32():
    net = paddle.amp.decorate(network(), level="O2")
    net = DataParallel(net)
    with paddle.amp.auto_cast(level="O2"):
        loss = loss_of(net, half(X), half(Y))
    loss.backward()
    for p, want in zip(net.parameters(), whole_gradients()):
        assert p.grad.dtype == "float16"
        np.testing.assert_allclose(p.grad.numpy().astype("f4"), want, rtol=0.05, atol=5e-3)


def check_state_dict_has_no_prefix():
    plain = network()
    net = DataParallel(plain)
    assert list(net.state_dict()) == list(plain.state_dict())
    assert net.set_state_dict(plain.state_dict()) == ([], [])


def check_an_overflow_on_one_rank_is_skipped_on_all():
    net = DataParallel(network())
    before = [p.numpy().copy() for p in net.parameters()]
    optimizer = paddle.optimizer.SGD(0.1, parameters=net.parameters())
    scaler = paddle.amp.GradScaler(init_loss_scaling=1024.0)
    bad = half(X) * (float("inf") if RANK == 1 else 1.0)
    scaler.scale(loss_of(net, bad, half(Y))).backward()
    scaler.step(optimizer)
    scaler.update()
    assert scaler.get_loss_scaling() == 512.0
    for p, old in zip(net.parameters(), before):
        np.testing.assert_array_equal(p.numpy(), old)


def check_networks_that_differ_are_told():
    net = paddle.nn.Linear(2, 2 + RANK)
    with pytest.raises(
        RuntimeError, match=r"parameter 0 is weight float32 \[2, 2\] on rank 0, weight float32 \[2, 3\] on rank 1"
    ):
        DataParallel(net)
