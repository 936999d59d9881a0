"""The AMP guard: dtypes, lists, nesting, casts of parameters, and the rewrite of Programs."""

import numpy as np
import pytest

import paddlite as paddle
from paddlite.amp.policy import Casts
from paddlite.amp.rewrite import with_casts
from paddlite.backend.dtypes import BF16, F16, F32
from paddlite.core.mode import current
from paddlite.core.op import OPS
from paddlite.core.program import Program, recording
from paddlite.core.verify import verify
from paddlite.static.plan import Plan


def square(seed=0):
    return paddle.to_tensor(np.random.RandomState(seed).randn(4, 4).astype("f4"))


def test_classes_decide_the_dtype():
    x = square()
    with paddle.amp.auto_cast():
        low = x @ x
        high = paddle.exp(low)
        widest = low + high
        followed = low * 2.5
    assert [t.dtype.name for t in (low, high, widest, followed)] == ["float16", "float32", "float32", "float16"]


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_values_have_the_rounding_of_the_low_precision(dtype):
    x = square()
    with paddle.amp.auto_cast(dtype=dtype):
        y = x @ x
    low = F16 if dtype == "float16" else BF16
    rounded = x.numpy().astype(low).astype("f4")
    np.testing.assert_array_equal(y.numpy(), (rounded @ rounded).astype(low))


def test_float16_overflows_as_on_a_gpu():
    x = paddle.to_tensor([[300.0]])
    with paddle.amp.auto_cast():
        assert np.isinf((x @ x).item())
    with paddle.amp.auto_cast(dtype="bfloat16"):
        assert np.isfinite((x @ x).item())


def test_custom_lists_move_ops():
    x = square()
    with paddle.amp.auto_cast(custom_black_list={"matmul"}, custom_white_list=["exp"]):
        assert (x @ x).dtype == "float32"
        assert paddle.exp(x).dtype == "float16"


def test_an_op_in_both_lists_is_refused():
    with pytest.raises(ValueError, match="both custom lists"):
        paddle.amp.auto_cast(custom_white_list={"exp"}, custom_black_list={"exp"})


def test_an_unknown_op_in_a_list_is_told():
    with pytest.warns(UserWarning, match="'softmx' is no op; did you mean 'softmax'"):
        paddle.amp.auto_cast(custom_white_list={"softmx"})


@pytest.mark.parametrize(("argument", "value"), [("level", "O7"), ("dtype", "float64"), ("dtype", "int8")])
def test_bad_arguments_are_refused(argument, value):
    with pytest.raises((ValueError, TypeError), match=argument):
        paddle.amp.auto_cast(**{argument: value})


def test_nested_guards_and_exceptions_restore_the_state():
    x = square()
    with paddle.amp.auto_cast():
        with paddle.amp.auto_cast(enable=False):
            assert (x @ x).dtype == "float32"
        assert (x @ x).dtype == "float16"
        with pytest.raises(RuntimeError, match="stop"), paddle.amp.auto_cast(dtype="bfloat16"):
            raise RuntimeError("stop")
        assert (x @ x).dtype == "float16"
    assert (x @ x).dtype == "float32"
    assert not paddle.amp.is_autocast_enabled()


def test_guard_decorates_functions():
    @paddle.amp.auto_cast()
    def product(a):
        return a @ a

    assert product(square()).dtype == "float16"


def test_integers_bools_and_doubles_are_left_alone():
    ids, mask = paddle.to_tensor([1, 2]), paddle.to_tensor([True, False])
    double = paddle.to_tensor(np.ones((2, 2)))
    with paddle.amp.auto_cast(level="O2"):
        assert (ids + 1).dtype == "int64"
        assert (ids == 1).dtype == "bool"
        assert (mask & mask).dtype == "bool"
        assert (double @ double).dtype == "float64"


def test_casts_of_parameters_are_made_once_a_guard():
    w = paddle.nn.Linear(4, 4).weight
    with paddle.amp.auto_cast():
        guard = current().amp
        first = guard.cast(OPS["matmul_v2"], (w, w))
        second = guard.cast(OPS["matmul_v2"], (w, w))
    assert first[0] is second[0]
    assert first[0] is first[1]


def test_a_changed_parameter_is_cast_anew():
    net = paddle.nn.Linear(2, 2, bias_attr=False)
    x = paddle.ones([1, 2])
    with paddle.amp.auto_cast():
        before = net(x)
        with paddle.no_grad():
            net.weight.set_value(net.weight * 2)
        after = net(x)
    np.testing.assert_allclose(after.numpy(), 2 * before.numpy().astype("f4"), rtol=1e-3)


def test_a_cast_made_without_gradients_is_not_used_with_them():
    net = paddle.nn.Linear(2, 1)
    x = paddle.ones([1, 2])
    with paddle.amp.auto_cast():
        with paddle.no_grad():
            net(x)
        net(x).backward()
    assert net.weight.grad is not None
    assert net.weight.grad.dtype == "float32"


def test_backward_inside_the_guard_does_not_cast():
    w = square()
    w.stop_gradient = False
    with paddle.amp.auto_cast():
        y = (w @ w).sum()
        y.backward()
    outside = square()
    outside.stop_gradient = False
    with paddle.amp.auto_cast():
        z = (outside @ outside).sum()
    z.backward()
    np.testing.assert_array_equal(w.grad.numpy(), outside.grad.numpy())


def test_lists_are_those_of_the_records():
    white, black = paddle.amp.amp_lists.white_list(), paddle.amp.amp_lists.black_list()
    assert {"matmul_v2", "linear", "conv2d", "relu"} <= white["float16"]["O1"]
    assert {"exp", "softmax", "reduce_mean"} <= black["float16"]["O1"]
    assert not white["float16"]["O1"] & black["float16"]["O1"]
    assert black["bfloat16"]["O2"] <= black["bfloat16"]["O1"]


class Network(paddle.nn.Layer):
    def __init__(self):
        super().__init__()
        self.first, self.second = paddle.nn.Linear(4, 8), paddle.nn.Linear(8, 3)

    def forward(self, x):
        hidden = paddle.nn.functional.relu(self.first(x))
        scores = self.second(hidden) * 0.5 + paddle.to_tensor([1, 2, 3])
        return (paddle.exp(paddle.nn.functional.softmax(scores)) * scores).mean() + self.first.weight.sum()


@pytest.mark.parametrize("level", ["O1", "O2", "OD"])
def test_the_program_rewrite_makes_the_casts_of_the_eager_guard(level):
    net, feed = Network(), np.random.RandomState(1).randn(5, 4).astype("f4")
    program = Program()
    with recording(program):
        loss = net(paddle.static.data("x", [None, 4]))
    copy, moved = with_casts(program, Casts(level, F16))
    verify(copy)
    [static] = Plan(copy, [moved[loss._value]._value]).run({"x": feed}, {}, paddle.seed(0))
    with paddle.amp.auto_cast(level=level):
        eager = net(paddle.to_tensor(feed))
    assert eager._data.dtype == static.dtype
    np.testing.assert_array_equal(eager.numpy(), static)
    inside = Program()
    with recording(inside), paddle.amp.auto_cast(level=level):
        net(paddle.static.data("x", [None, 4]))
    names = [[n.name, *[v.dtype for v in n.outputs]] for n in copy.global_block().nodes]
    assert names == [[n.name, *[v.dtype for v in n.outputs]] for n in inside.global_block().nodes]


def test_the_rewritten_program_has_the_gradients_of_the_eager_guard():
    net, feed = Network(), np.random.RandomState(1).randn(5, 4).astype("f4")
    program = Program()
    with recording(program):
        loss = net(paddle.static.data("x", [None, 4]))
    copy, moved = with_casts(program, Casts("O1", F16))
    with recording(copy):
        pairs = paddle.static.append_backward(moved[loss._value])
    got = paddle.static.Executor().run(copy, feed={"x": feed}, fetch_list=[g for _, g in pairs])
    with paddle.amp.auto_cast():
        eager = net(paddle.to_tensor(feed))
    eager.backward()
    for (parameter, _), gradient in zip(pairs, got):
        assert gradient.dtype == F32
        np.testing.assert_array_equal(parameter.grad.numpy(), gradient)
