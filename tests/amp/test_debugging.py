"""Which op ran in which dtype, and which op gave the first number that is not finite."""

import csv

import numpy as np
import pytest

import paddlite as paddle

D = paddle.amp.debugging


@pytest.fixture
def checker():
    def enable(**config):
        D.enable_tensor_checker(D.TensorCheckerConfig(enable=True, **config))

    yield enable
    D.disable_tensor_checker()


def test_the_first_op_that_overflows_is_named_with_the_users_line(checker):
    checker()
    x = paddle.full([2], 300.0)
    with paddle.amp.auto_cast(custom_white_list=["elementwise_mul"], dtype="float16"):
        with pytest.raises(
            RuntimeError, match=r"elementwise_mul gave 0 NaN and 2 infinite .*float16.*test_debugging.py:"
        ):
            x * x


def test_a_gradient_is_named_by_its_op(checker):
    checker()
    x = paddle.to_tensor([0.0, 4.0], stop_gradient=False)
    y = paddle.sqrt(x).sum()
    with pytest.raises(RuntimeError, match="sqrt_grad gave 0 NaN and 1 infinite values among 2"):
        y.backward()


def test_in_place_changes_and_programs_are_looked_at(checker):
    checker()
    x = paddle.to_tensor([1.0])
    with pytest.raises(RuntimeError, match="infinite"):
        x.divide_(paddle.zeros([1]))
    D.disable_tensor_checker()
    program = paddle.static.Program()
    with paddle.static.program_guard(program):
        y = paddle.log(paddle.static.data("x", [2]))
    exe = paddle.static.Executor()
    feed = {"x": np.array([-1, 1], np.float32)}
    assert np.isnan(exe.run(program, feed, [y])[0][0])
    checker()
    with pytest.raises(RuntimeError, match="log gave 1 NaN"):
        exe.run(program, feed, [y])


def test_nothing_is_looked_at_afterwards():
    with paddle.no_grad():
        D.enable_tensor_checker(D.TensorCheckerConfig(enable=True))
        D.disable_tensor_checker()
        assert np.isinf(float(paddle.ones([]) / 0))


@pytest.mark.parametrize(
    ("mode", "ops"),
    [
        ("CHECK_NAN_INF", ["log"]),
        ("CHECK_ALL_FOR_OVERFLOW", ["elementwise_mul", "elementwise_sub", "log"]),
        ("CHECK_ALL", ["abs", "elementwise_mul", "elementwise_sub", "log"]),
    ],
)
def test_reports_by_mode(checker, capsys, mode, ops):
    x = paddle.to_tensor([1.0, 2.0])
    checker(debug_mode=D.DebugMode[mode])
    paddle.log(paddle.abs(x) * 1e6 - 1e6)
    D.disable_tensor_checker()
    lines = capsys.readouterr().out.splitlines()
    assert [part.split("op=")[1].split(",")[0] for part in lines] == ops
    assert "num_nan=0, num_inf=1, num_zero=0" in lines[-1]


def test_lists_and_steps_choose_what_is_checked(capsys):
    mode = D.DebugMode.CHECK_ALL
    x = paddle.ones([2])
    config = D.TensorCheckerConfig(
        True, mode, checked_op_list=["exp", "log"], skipped_op_list=["log"], debug_step=[2, 3]
    )
    printed = []
    for _ in range(3):
        D.enable_tensor_checker(config)
        paddle.log(paddle.exp(x) + 1)
        D.disable_tensor_checker()
        printed.append(capsys.readouterr().out.count("op="))
    assert printed == [0, 1, 0]


@pytest.mark.parametrize("bad", [{"debug_step": [3, 1]}, {"checked_op_list": "exp"}, {"debug_mode": 1}])
def test_configurations_that_make_no_sense_are_refused(bad):
    with pytest.raises(ValueError, match=next(iter(bad))):
        D.TensorCheckerConfig(True, **bad)


def test_check_numerics_counts():
    x = paddle.to_tensor([np.nan, np.inf, -np.inf, 0.0, 0.0, 2.0])
    counts, values = D.check_numerics(x, "op", "x", D.DebugMode.CHECK_NAN_INF)
    assert counts.tolist() == [1, 2, 2]
    assert counts.dtype == paddle.int64
    assert values.tolist()[:2] == [np.inf, -np.inf]
    with pytest.raises(RuntimeError, match="of 'x'"):
        D.check_numerics(x, "op", "x")
    with pytest.raises(TypeError, match="floating"):
        D.check_numerics(paddle.ones([1], "int64"), "op", "x")


def test_a_layer_is_checked_in_both_directions():
    class Reciprocal(paddle.nn.Layer):
        @D.check_layer_numerics
        def forward(self, x):
            return 1 / x

    layer = Reciprocal()
    layer(paddle.ones([2]))
    with pytest.raises(RuntimeError, match="elementwise_div"):
        layer(paddle.zeros([2]))
    with pytest.raises(RuntimeError, match="input 0"):
        layer(paddle.full([2], np.nan))
    with pytest.raises(RuntimeError, match="no input"):
        layer()
    y = layer(paddle.ones([2]).detach() * paddle.create_parameter([2], "float32").exp())
    with pytest.raises(RuntimeError, match="gradient of output 0"):
        (y * np.inf).sum().backward()


def test_a_checked_layer_takes_complex_numbers():
    class Rotated(paddle.nn.Layer):
        @D.check_layer_numerics
        def forward(self, x):
            return x * 1j

    x = paddle.to_tensor([1 + 2j], stop_gradient=False)
    y = Rotated()(x)
    assert y.tolist() == [-2 + 1j]
    paddle.real(y).sum().backward()
    assert x.grad.tolist() == [-1j]


def test_statistics_count_ops_by_dtype(capsys):
    a = paddle.ones([2, 2])
    a.stop_gradient = False
    with D.collect_operator_stats(), paddle.amp.auto_cast(dtype="float16"):
        paddle.nn.functional.softmax(a @ a).sum().backward()
    table = {}
    for row in capsys.readouterr().out.splitlines():
        if row.startswith("  "):
            name, *counts = (cell.strip() for cell in row.split("|"))
            table[name] = [int(c) for c in counts]
    assert table == {
        "cast": [2, 0, 1, 0],
        "matmul_v2": [1, 0, 0, 0],
        "reduce_sum": [0, 0, 1, 0],
        "softmax": [0, 0, 1, 0],
    }


def test_two_runs_are_set_side_by_side(tmp_path):
    for name, dtype in (("one", "float32"), ("two", "float16")):
        x = paddle.to_tensor([300.0, 2.0], dtype)
        D.enable_tensor_checker(D.TensorCheckerConfig(True, D.DebugMode.CHECK_ALL, output_dir=str(tmp_path / name)))
        paddle.tanh(x * x)
        D.disable_tensor_checker()
    D.compare_accuracy(str(tmp_path / "one"), str(tmp_path / "two"), str(tmp_path / "out.csv"))
    with (tmp_path / "out.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [(r["op"], r["dtype 1"], r["dtype 2"], r["inf 1"], r["inf 2"]) for r in rows] == [
        ("elementwise_mul", "fp32", "fp16", "0", "1"),
        ("tanh", "fp32", "fp16", "0", "0"),
    ]
    assert "inf in one alone" in rows[0]["remark"]
    assert rows[1]["remark"] == ""
    with pytest.raises(ValueError, match="no reports"):
        D.compare_accuracy(str(tmp_path), str(tmp_path), "out.csv")


def test_the_global_flag_does_the_same():
    paddle.set_flags({"FLAGS_check_nan_inf": 1})
    assert paddle.get_flags(["FLAGS_check_nan_inf", "FLAGS_check_nan_inf_level"]) == {
        "FLAGS_check_nan_inf": True,
        "FLAGS_check_nan_inf_level": 0,
    }
    with pytest.raises(RuntimeError, match="elementwise_div"):
        paddle.ones([1]) / 0
    paddle.set_flags({"FLAGS_check_nan_inf": False})
    assert np.isinf(float(paddle.ones([]) / 0))
    with pytest.raises(ValueError, match="FLAGS_nope"):
        paddle.set_flags({"FLAGS_nope": 1})
