"""Random numbers: reproducible, the same eagerly and recorded, of the right kind."""

import numpy as np
import pytest

import paddlite as paddle
from paddlite.core.errors import InvalidArgument
from paddlite.core.program import Program, recording
from paddlite.static.executor import Plan

DRAWS = {
    "rand": lambda: paddle.rand([50]),
    "uniform": lambda: paddle.uniform([50], "float64", -1, 1),
    "randn": lambda: paddle.randn([50]),
    "normal": lambda: paddle.normal(1.0, 2.0, [50]),
    "normal of tensors": lambda: paddle.normal(paddle.zeros([50]), paddle.ones([1])),
    "log_normal": lambda: paddle.log_normal(0.0, 1.0, [50]),
    "randint": lambda: paddle.randint(-5, 5, [50]),
    "randperm": lambda: paddle.randperm(50),
    "bernoulli": lambda: paddle.bernoulli(paddle.full([50], 0.5)),
    "multinomial": lambda: paddle.multinomial(paddle.ones([50]), 20),
    "poisson": lambda: paddle.poisson(paddle.full([50], 3.0)),
    "binomial": lambda: paddle.binomial(paddle.full([50], 9, "int64"), paddle.full([50], 0.5)),
    "standard_gamma": lambda: paddle.standard_gamma(paddle.full([50], 2.0)),
    "randn_like": lambda: paddle.randn_like(paddle.zeros([50], "float64")),
    "rand_like": lambda: paddle.rand_like(paddle.zeros([50])),
    "randint_like": lambda: paddle.randint_like(paddle.zeros([50], "int32"), 9),
}
every = pytest.mark.parametrize("draw", DRAWS.values(), ids=DRAWS.keys())


@every
def test_a_seed_fixes_the_numbers_and_each_call_moves_on(draw):
    paddle.seed(5)
    first, second = draw().numpy(), draw().numpy()
    paddle.seed(5)
    np.testing.assert_array_equal(draw().numpy(), first)
    np.testing.assert_array_equal(draw().numpy(), second)
    assert (first != second).any()


@every
def test_a_recorded_call_draws_what_an_eager_one_does(draw):
    paddle.seed(5)
    draw()
    want = draw().numpy()
    program = Program()
    with recording(program):
        draw()
        variable = draw()
    generator = paddle.seed(5)
    # the eager calls took the same slots, one a random op, in the same order
    np.testing.assert_array_equal(Plan(program, [variable._value]).run({}, {}, generator)[0], want)


def test_a_seed_argument_gives_one_tensor_at_every_call():
    assert paddle.uniform([4], seed=7).tolist() == paddle.uniform([4], seed=7).tolist()


@pytest.mark.parametrize(
    ("change", "mean", "variance"),
    [
        (lambda x: x.uniform_(-1, 3), 1.0, 16 / 12),
        (lambda x: x.normal_(2.0, 3.0), 2.0, 9.0),
        (lambda x: x.exponential_(2.0), 0.5, 0.25),
        (lambda x: x.geometric_(0.25), 4.0, 12.0),
        (lambda x: x.bernoulli_(0.3), 0.3, 0.21),
        (lambda x: x.log_normal_(0.0, 0.5), np.exp(0.125), (np.exp(0.25) - 1) * np.exp(0.25)),
        (lambda x: x.random_(0, 5), 2.0, 2.0),
    ],
)
@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
def test_in_place_draws_have_their_mean_and_variance(change, mean, variance, dtype):
    x = paddle.zeros([100, 200], dtype)
    assert change(x) is x and x.dtype == dtype
    values = x.numpy().astype("f8")
    assert abs(values.mean() - mean) < 5 * (variance / values.size) ** 0.5
    assert values.var() == pytest.approx(variance, rel=0.1)


def test_cauchy_has_its_quartiles():
    values = paddle.zeros([20000]).cauchy_(1.0, 2.0).numpy()
    np.testing.assert_allclose(np.quantile(values, [0.25, 0.5, 0.75]), [-1.0, 1.0, 3.0], atol=0.15)


def test_gradients_flow_into_mean_and_deviation():
    mean, std = paddle.zeros([3]), paddle.ones([3])
    mean.stop_gradient = std.stop_gradient = False
    out = paddle.normal(mean, std)
    out.sum().backward()
    assert mean.grad.tolist() == [1.0] * 3
    np.testing.assert_allclose(std.grad.numpy(), out.numpy())


def test_dtypes_and_shapes():
    assert paddle.randint(3).shape == [1] and paddle.randint(0, 2, [2], "int32").dtype == "int32"
    assert paddle.randperm(3, "float32").dtype == "float32" and paddle.normal(0, 1, [2]).dtype == "float32"
    assert (
        paddle.randn([2], "float16").dtype == "float16"
        and paddle.standard_normal([2], "complex64").dtype == "complex64"
    )
    assert paddle.rand([0, 3]).shape == [0, 3] and paddle.rand([]).shape == []
    assert paddle.to_tensor([1, 2]).random_().dtype == "int64"


def test_half_numbers_stay_below_the_upper_bound():
    for dtype in ("float16", "bfloat16"):
        assert float(paddle.rand([50000], dtype).astype("float32").max()) < 1.0


@pytest.mark.parametrize(
    "call",
    [
        lambda: paddle.randint(3, 3),
        lambda: paddle.bernoulli(paddle.to_tensor([1.5])),
        lambda: paddle.multinomial(paddle.to_tensor([0.0, 1.0]), 2),
        lambda: paddle.multinomial(paddle.to_tensor([-1.0, 1.0]), 1),
        lambda: paddle.zeros([2]).exponential_(0.0),
        lambda: paddle.zeros([2]).random_(5, 5),
    ],
)
def test_what_cannot_be_drawn_is_refused(call):
    with pytest.raises(InvalidArgument):
        call()


def test_uniform_wants_a_floating_type():
    with pytest.raises(TypeError, match="floating"):
        paddle.uniform([2], "int32")
