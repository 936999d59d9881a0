"""Training on CuPy: the losses, parameters and random masks of NumPy, and no needless wait."""

import numpy as np
import pytest

import paddlite as paddle
from paddlite import nn

GPU = paddle.CUDAPlace(0)

# Relative.  float32: sums are ordered differently.  float16: the host rounds the float32 result of a whole op to half,
# the GPU each result of a kernel, so that single values differ in their last bit, 5e-4.
LOSS = {"O0": 1e-5, "O1": 1e-2, "O2": 1e-2}
OPTIMIZERS = {
    "momentum": lambda net: paddle.optimizer.Momentum(0.01, parameters=net.parameters(), weight_decay=1e-4),
    "adam": lambda net: paddle.optimizer.Adam(1e-3, parameters=net.parameters()),
    "adamw": lambda net: paddle.optimizer.AdamW(
        1e-3, parameters=net.parameters(), grad_clip=nn.ClipGradByGlobalNorm(1.0)
    ),
}


class Digits(paddle.io.Dataset):
    """Random images with labels; NumPy arrays, as data sets give them."""

    def __init__(self, count):
        rng = np.random.default_rng(3)
        self.images = rng.standard_normal((count, 1, 28, 28)).astype("float32")

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        return self.images[index], np.array([index % 10])


def train(level, optimizer_of, emulator=None):
    """Five steps of LeNet at the current place: losses, parameters, and what each step moved."""
    paddle.seed(5)
    net = paddle.vision.models.LeNet()
    optimizer = optimizer_of(net)
    if level == "O2":
        net, optimizer = paddle.amp.decorate(net, optimizer, level="O2")
    scaler = paddle.amp.GradScaler(enable=level != "O0", init_loss_scaling=1024.0)
    losses, moved = [], []
    for images, labels in paddle.io.DataLoader(Digits(40), batch_size=8):
        before = emulator and emulator.transfers
        with paddle.amp.auto_cast(enable=level != "O0", level="O1" if level == "O0" else level, dtype="float16"):
            loss = nn.functional.cross_entropy(net(images), labels)
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        optimizer.clear_grad()
        if emulator:
            moved.append(emulator.transfers.since(before))
            assert images.place == labels.place == loss.place == GPU
        losses.append(float(loss))
    return losses, net, moved


@pytest.mark.parametrize("name", OPTIMIZERS)
@pytest.mark.parametrize("level", LOSS)
def test_lenet_has_the_losses_of_numpy(level, name, cupy_emulator):
    want, on_host, _ = train(level, OPTIMIZERS[name])
    paddle.set_device("gpu:0")
    got, on_gpu, moved = train(level, OPTIMIZERS[name], cupy_emulator)
    np.testing.assert_allclose(got, want, rtol=LOSS[level])
    if level == "O0":
        for (key, a), b in zip(on_gpu.state_dict().items(), on_host.state_dict().values()):
            # Adam divides by the size of the gradient, so that tiny gradients show their rounding
            np.testing.assert_allclose(a.numpy(), b.numpy(), atol=1e-4, rtol=0, err_msg=key)
    # CuPy puts the norms that are clipped together by a table of their addresses; a scaler reads whether all is finite
    to_device, to_host = int(name == "adamw"), int(level != "O0")
    assert set(moved) == {(to_device, to_host, to_host)}


def test_a_scaler_skips_steps_with_infinite_gradients():
    paddle.set_device("gpu")
    net = nn.Linear(2, 2)
    optimizer = paddle.optimizer.Adam(parameters=net.parameters())
    scaler = paddle.amp.GradScaler(init_loss_scaling=8.0, decr_every_n_nan_or_inf=1)
    before = net.weight.numpy()
    scaler.scale((net(paddle.ones([1, 2])) * float("inf")).sum()).backward()
    scaler.step(optimizer)
    scaler.update()
    np.testing.assert_array_equal(net.weight.numpy(), before)
    assert float(scaler._scale) == 4.0


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
def test_dropout_has_one_mask_everywhere(dtype):
    masks = []
    for device in ("cpu", "gpu:0"):
        paddle.set_device(device)
        paddle.seed(11)
        x = paddle.ones([37, 5]).astype(dtype)
        masks.append(nn.functional.dropout(x, 0.3).astype("float32").numpy())
    np.testing.assert_array_equal(masks[0], masks[1])
    assert 0 < (masks[0] == 0).mean() < 1


@pytest.mark.parametrize(
    "draw",
    [
        lambda: paddle.rand([5, 3]),
        lambda: paddle.rand([5, 3], dtype="float64"),
        lambda: paddle.randint(0, 1000, [17]),
        lambda: paddle.randperm(31),
        lambda: paddle.bernoulli(paddle.full([40], 0.4)),
    ],
    ids=["rand", "rand64", "randint", "randperm", "bernoulli"],
)
def test_a_seed_gives_one_sequence_everywhere(draw):
    drawn = []
    for device in ("cpu", "gpu:0"):
        paddle.set_device(device)
        paddle.seed(2024)
        made = draw()
        assert str(made.place) == f"Place({device})"
        drawn.append(made.numpy())
    np.testing.assert_array_equal(drawn[0], drawn[1])


def test_normal_numbers_differ_in_rounding_only():
    drawn = []
    for device in ("cpu", "gpu:0"):
        paddle.set_device(device)
        paddle.seed(2024)
        drawn.append(paddle.randn([101]).numpy())
    np.testing.assert_allclose(drawn[0], drawn[1], rtol=1e-5, atol=1e-6)


def test_workers_give_batches_that_are_moved_to_the_gpu():
    paddle.set_device("gpu")
    batches = list(paddle.io.DataLoader(Digits(6), batch_size=3, num_workers=1))
    assert [images.place for images, _ in batches] == [GPU, GPU]
    np.testing.assert_array_equal(batches[1][0].numpy(), Digits(6).images[3:])


def test_a_program_runs_on_the_gpu():
    paddle.set_device("gpu")
    paddle.enable_static()
    program, startup = paddle.static.Program(), paddle.static.Program()
    with paddle.static.program_guard(program, startup):
        x = paddle.static.data("x", [None, 3])
        loss = paddle.mean(nn.functional.relu(paddle.static.nn.fc(x, 4)))
        paddle.optimizer.SGD(0.1).minimize(loss)
    executor = paddle.static.Executor(GPU)
    executor.run(startup)
    feed = {"x": np.ones((2, 3), "float32")}
    losses = [float(executor.run(program, feed=feed, fetch_list=[loss])[0]) for _ in range(3)]
    assert losses[2] < losses[0]
