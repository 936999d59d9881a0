"""Recording, gradients and running through the public static API."""

import numpy as np
import pytest

import paddlite as paddle
from paddlite.core.errors import InvalidArgument, NoGradient, ProgramError
from paddlite.core.verify import verify

static = paddle.static


def affine():
    """A Program that computes mean((x w)^2) with a captured weight, the weight, its loss and the Program."""
    w = paddle.to_tensor([[1.0], [2.0]], stop_gradient=False)
    main = static.Program()
    with static.program_guard(main):
        x = static.data("x", [None, 2])
        y = x @ w
        loss = (y * y).mean()
    return w, x, y, loss, main


def test_executor_gives_what_eager_gives():
    w, _, y, loss, main = affine()
    verify(main)
    feed = np.array([[1.0, 2.0], [3.0, -1.0]], "float32")
    got_y, got_loss = static.Executor().run(main, feed={"x": feed}, fetch_list=[y, loss])
    eager = paddle.to_tensor(feed) @ w
    np.testing.assert_array_equal(got_y, eager.numpy())
    np.testing.assert_array_equal(got_loss, (eager * eager).mean().numpy())


def test_append_backward_gives_pairs_of_parameter_and_gradient():
    w, _, _, loss, main = affine()
    with static.program_guard(main):
        [(parameter, gradient)] = static.append_backward(loss)
    assert parameter is w
    feed = np.array([[1.0, 2.0], [3.0, -1.0]], "float32")
    [got] = static.Executor().run(main, feed={"x": feed}, fetch_list=[gradient])
    np.testing.assert_allclose(got, 2 * feed.T @ (feed @ w.numpy()) / 2, rtol=1e-6)


def test_gradients_of_gradients_are_recorded():
    main = static.Program()
    with static.program_guard(main):
        x = static.data("x", [3])
        x.stop_gradient = False
        [first] = static.gradients([x * x * x], [x])
        [second] = static.gradients([first], [x])
    [got] = static.Executor().run(main, feed={"x": np.array([1.0, 2.0, 3.0], "f4")}, fetch_list=[second])
    np.testing.assert_allclose(got, [6.0, 12.0, 18.0])


def test_a_captured_weight_is_read_at_each_run():
    w, _, y, _, main = affine()
    exe, feed = static.Executor(), {"x": np.ones((1, 2), "f4")}
    assert exe.run(main, feed=feed, fetch_list=[y])[0].item() == 3.0
    w.set_value(np.array([[10.0], [20.0]], "f4"))
    assert exe.run(main, feed=feed, fetch_list=[y])[0].item() == 30.0


def test_in_place_changes_move_the_variable_and_leave_recorded_uses_alone():
    main = static.Program()
    with static.program_guard(main):
        x = static.data("x", [3])
        x.stop_gradient = False
        y = x * 1.0
        z = y * y
        y[0] = 5.0
        loss = z.sum() + y.sum()
        [gradient] = static.gradients([loss], [x])
    got = static.Executor().run(main, feed={"x": np.ones(3, "f4")}, fetch_list=[loss, y, gradient])
    assert [g.tolist() for g in got] == [10.0, [5.0, 1.0, 1.0], [2.0, 3.0, 3.0]]


def test_running_leaves_the_program_as_it_is():
    _, _, y, loss, main = affine()
    before = str(main)
    for fetches in ([y], [loss], ["x"]):
        static.Executor().run(main, feed={"x": np.ones((1, 2), "f4")}, fetch_list=fetches)
    assert str(main) == before


@pytest.mark.parametrize(
    ("feed", "fetch", "message"),
    [
        ({}, "y", "feed 'x' .* is missing"),
        ({"x": "text"}, "y", "feed 'x' holds no numbers"),
        ({"x": np.ones((1, 3), "f4")}, "y", r"feed 'x' has shape \[1, 3\]"),
        ({"x": np.ones((1, 2), "f8")}, "y", "feed 'x' has dtype float64"),
        ({"x": np.ones((1, 2), "f4")}, "nothing", "no variable named 'nothing'"),
    ],
)
def test_bad_feeds_and_fetches_are_refused(feed, fetch, message):
    _, _, y, _, main = affine()
    with pytest.raises(InvalidArgument, match=message):
        static.Executor().run(main, feed=feed, fetch_list=[y if fetch == "y" else fetch])


def test_data_needs_static_mode_and_a_free_name():
    with pytest.raises(ProgramError, match="no Program is being recorded"):
        static.data("x", [1])
    with static.program_guard(static.Program()):
        static.data("x", [1])
        with pytest.raises(ProgramError, match="already has a variable named 'x'"):
            static.data("x", [2])


def test_an_unknown_feed_is_left_out_with_a_warning():
    _, _, y, _, main = affine()
    with pytest.warns(UserWarning, match="feed 'z' is no input of this Program"):
        [got] = static.Executor().run(main, feed={"x": np.ones((1, 2), "f4"), "z": 1}, fetch_list=[y])
    assert got.item() == 3.0


def test_fetches_may_be_one_variable_or_lists_in_lists():
    _, x, y, _, main = affine()
    exe, feed = static.Executor(), {"x": np.ones((1, 2), "f4")}
    assert exe.run(main, feed=feed, fetch_list=y)[0].item() == 3.0
    assert [got.shape for got in exe.run(main, feed=feed, fetch_list=[y, [x, (y,)]])] == [(1, 1), (1, 2), (1, 1)]
    assert exe.run(main, feed=feed) == []


def test_the_same_input_may_be_asked_for_twice():
    with static.program_guard(static.Program()):
        assert static.data("x", [None, 2])._value is static.data("x", [-1, 2])._value


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda m, x: static.Executor().run("main"), TypeError, "program must be a Program, got str"),
        (lambda m, x: static.Executor().run(m, feed=[1]), TypeError, "feed must be a dict .*, got list"),
        (lambda m, x: static.Executor().run(m, fetch_list=[3]), TypeError, "fetch_list must hold .*, got int"),
        (lambda m, x: static.data(3, [1]), TypeError, "name must be a str, got int"),
        (lambda m, x: static.data("z", "ab"), TypeError, "shape must be a list of sizes, got 'ab'"),
        (lambda m, x: static.data("z", [1.5]), TypeError, "shape must be an int, got float"),
        (lambda m, x: static.data("z", [-2]), ValueError, r"got \[-2\]"),
        (lambda m, x: static.gradients(x, 3), TypeError, "want variables, tensors or names, got int"),
        (lambda m, x: static.gradients(3, x), TypeError, "targets must be variables of a Program, got int"),
        (lambda m, x: static.append_backward(3), TypeError, "loss must be a variable of a Program, got int"),
        (lambda m, x: bool(x), TypeError, "variable 'x' has no value"),
        (lambda m, x: len(x), TypeError, "first size of variable 'x'"),
        (lambda m, x: x.numpy(), ValueError, "variable 'x' has no value"),
    ],
)
def test_what_is_of_the_wrong_kind_is_refused_with_its_name(call, kind, message):
    main = static.Program()
    with static.program_guard(main):
        x = static.data("x", [None, 2])
        with pytest.raises(kind, match=message):
            call(main, x)


def test_a_tensor_with_a_history_cannot_enter_a_program():
    h = paddle.to_tensor([1.0], stop_gradient=False) * 2
    with static.program_guard(static.Program()), pytest.raises(ProgramError, match="detach"):
        static.data("x", [1]) * h


def test_gradients_of_what_is_not_trained_are_refused():
    with static.program_guard(static.Program()):
        x = static.data("x", [1])
        with pytest.raises(NoGradient):
            static.append_backward(x * 2)


def test_enable_static_switches_and_disable_switches_back():
    assert paddle.in_dynamic_mode()
    paddle.enable_static()
    try:
        assert not paddle.in_dynamic_mode()
        x = static.data("x", [2])
        assert isinstance(x + 1, static.Variable)
        assert static.default_main_program().global_block().ops[0].name == "elementwise_add"
    finally:
        paddle.disable_static()
    assert paddle.in_dynamic_mode()


def test_a_recorded_error_names_the_users_line():
    with static.program_guard(static.Program()):
        x = static.data("x", [2, 3])
        with pytest.raises(ValueError, match="matmul") as caught:
            x @ x
    notes = getattr(caught.value, "__notes__", [str(caught.value)])  # Python 3.10 has no notes
    assert any("test_static.py" in note for note in notes)


def test_fc_makes_its_parameters_and_flattens():
    main = static.Program()
    with static.program_guard(main):
        x = static.data("x", [None, 4, 5])
        y = static.nn.fc(x, 3, activation="relu")
        z = static.nn.fc(x, 2, num_flatten_dims=2, bias_attr=False)
    assert (y.shape, z.shape) == ([-1, 3], [-1, 4, 2])
    feed = np.random.RandomState(0).randn(2, 4, 5).astype("f4")
    got = static.Executor().run(main, feed={"x": feed}, fetch_list=[y, z])
    weight, bias, other = (slot.tensor.numpy() for slot in main.state.values())
    np.testing.assert_allclose(got[0], np.maximum(feed.reshape(2, 20) @ weight + bias, 0), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(got[1], feed @ other, rtol=1e-5, atol=1e-6)


def test_minimize_trains_in_a_program():
    main, rng = static.Program(), np.random.RandomState(0)
    x, truth = rng.randn(32, 4).astype("f4"), rng.randn(4, 1).astype("f4")
    with static.program_guard(main):
        inputs, labels = static.data("x", [None, 4]), static.data("y", [None, 1])
        loss = ((static.nn.fc(inputs, 1, bias_attr=False) - labels) ** 2).mean()
        paddle.optimizer.SGD(0.1).minimize(loss)
    exe = static.Executor()
    losses = [exe.run(main, feed={"x": x, "y": x @ truth}, fetch_list=[loss])[0].item() for _ in range(200)]
    assert losses[-1] < 1e-6 * losses[0]


def test_grad_of_a_captured_tensor_is_recorded():
    w, _, _, loss, main = affine()
    with static.program_guard(main):
        [gradient] = paddle.grad(loss, [w])
    feed = np.array([[1.0, 2.0], [3.0, -1.0]], "float32")
    [got] = static.Executor().run(main, feed={"x": feed}, fetch_list=[gradient])
    np.testing.assert_allclose(got, feed.T @ (feed @ w.numpy()), rtol=1e-6)
