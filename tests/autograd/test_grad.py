"""`backward` and `paddle.grad`: what they deliver, to whom, and what they refuse."""

import numpy as np
import pytest

import paddlite as paddle
from paddlite.autograd.program import append_gradients
from paddlite.backend.random import Generator
from paddlite.core.errors import DTypeMismatch, GraphFreed, InvalidArgument, NoGradient, ShapeMismatch
from paddlite.core.program import Program, recording
from paddlite.static.executor import Plan


def leaf(*values, dtype="float64"):
    return paddle.to_tensor(list(values), dtype=dtype, stop_gradient=False)


class TestBackward:
    def test_gradients_of_several_roots_add_up(self):
        x = leaf(1.0, 2.0)
        paddle.autograd.backward([x * 2, x * x], [None, paddle.to_tensor([1.0, 10.0])])
        assert x.grad.tolist() == [2 + 2, 2 + 40]

    def test_they_add_up_over_calls_in_one_piece_of_memory(self):
        x = leaf(1.0, 2.0)
        (x * 2).backward()
        kept, copied = x.grad, x.grad.clone()
        (x * 3).backward()
        assert x.grad.tolist() == [5, 5]
        assert kept.tolist() == [5, 5], "as in the reference, a gradient that was taken goes on adding up"
        assert copied.tolist() == [2, 2]

    def test_accumulation_is_noticed_where_a_graph_needs_the_old_gradient(self):
        x, w = leaf(1.0), leaf(3.0)
        (x * 2).backward()
        y = x.grad.detach() * w
        (x * 2).backward()
        with pytest.raises(RuntimeError, match="changed in place"):
            y.backward()

    def test_leaves_never_share_memory(self):
        a, b, seed = leaf(1.0, 2.0), leaf(3.0, 4.0), paddle.to_tensor([1.0, 1.0], dtype="float64")
        (a + b).backward(seed)
        assert not np.shares_memory(a.grad._data, b.grad._data)
        assert not np.shares_memory(a.grad._data, seed._data)
        (a + b).backward(seed)
        assert seed.tolist() == [1, 1]

    def test_a_gradient_that_a_hook_keeps_is_not_changed_later(self):
        kept = []
        x = leaf(1.0)
        y = x * 1
        for t in (x, y):
            t.register_hook(lambda g: kept.append(g) or None)
        (y * 2).backward(retain_graph=True)
        (y * 2).backward()
        assert x.grad.item() == 4
        assert [k.item() for k in kept] == [2, 2, 2, 2]

    def test_a_gradient_that_was_set_is_copied(self):
        x, given = leaf(1.0), paddle.to_tensor([5.0], dtype="float64")
        x.grad = given
        (x * 2).backward()
        assert x.grad.item() == 7
        assert given.item() == 5
        x.grad = None
        assert x.grad is None

    @pytest.mark.parametrize(("value", "error"), [(3.0, TypeError), (np.ones(1), TypeError), ("wide", ValueError)])
    def test_a_gradient_must_fit(self, value, error):
        with pytest.raises(error, match="grad"):
            leaf(1.0).grad = leaf(1.0, 2.0) if value == "wide" else value

    def test_a_gradient_of_another_dtype_is_added_to(self):
        x = leaf(1.0, dtype="float32")
        x.grad = leaf(1.0, dtype="float64")
        (x * 2).backward()
        assert (x.grad.item(), x.grad.dtype) == (3, paddle.float64)

    def test_with_create_graph_the_gradient_can_be_differentiated(self):
        x = leaf(2.0)
        from paddlite.autograd.backward import backward

        backward(x**3, create_graph=True)
        slope = x.grad
        assert not slope.stop_gradient
        x.grad = None
        slope.backward()
        assert x.grad.item() == 12

    def test_numbers_and_empty_tensors(self):
        x = paddle.to_tensor(3.0, stop_gradient=False)
        (x * x).backward()
        assert x.grad.shape == []
        assert x.grad.item() == 6
        empty = paddle.to_tensor(np.zeros((0, 3)), stop_gradient=False)
        (empty * 2).sum().backward()
        assert empty.grad.shape == [0, 3]

    def test_gradients_come_in_the_dtype_of_the_leaf(self):
        x = leaf(1.0, dtype="float32")
        (x.astype("float64") * 2).backward()
        assert x.grad.dtype == "float32"
        (x * 2).backward(paddle.to_tensor([3]))
        assert x.grad.tolist() == [2 + 6]

    def test_it_says_where_it_does_nothing(self):
        with pytest.warns(RuntimeWarning, match="does nothing"):
            paddle.to_tensor([1.0]).backward()

    @pytest.mark.parametrize(
        ("call", "error", "text"),
        [
            (lambda y: y.backward(leaf(1.0, 2.0, 3.0)), ShapeMismatch, r"shape \[2\] has shape \[3\]"),
            (lambda y: y.backward(3.0), DTypeMismatch, "float"),
            (lambda y: paddle.autograd.backward([y, y], [None]), InvalidArgument, "2 tensors but 1"),
            (lambda y: paddle.autograd.backward([]), InvalidArgument, "empty"),
            (lambda y: paddle.autograd.backward("y"), DTypeMismatch, "str"),
        ],
    )
    def test_wrong_calls_are_refused(self, call, error, text):
        with pytest.raises(error, match=text):
            call(leaf(1.0, 2.0) * 2)

    def test_a_second_backward_needs_retain_graph(self):
        x = leaf(2.0)
        y = x * x
        y.backward(retain_graph=True)
        y.backward()
        assert x.grad.item() == 8
        with pytest.raises(GraphFreed, match="retain_graph=True"):
            y.backward()
        with pytest.raises(GraphFreed):
            paddle.grad(y * 2, x)

    def test_clear_gradient(self):
        x = leaf(1.0)
        (x * 2).backward()
        x.clear_gradient()
        assert x.grad.item() == 0
        x.clear_grad(set_to_zero=False)
        assert x.grad is None
        x.clear_gradient()


class TestGrad:
    def test_leaves_and_inner_tensors(self):
        x = leaf(1.0, 2.0)
        y = x * 2
        z = y * y + y
        found = paddle.grad(z, [y, x])
        assert [g.tolist() for g in found] == [[5, 9], [10, 18]]
        assert all(g.stop_gradient for g in found)
        assert x.grad is None

    def test_an_output_is_its_own_input(self):
        x = leaf(1.0, 2.0)
        y = x * 2
        assert paddle.grad(y, y)[0].tolist() == [1, 1]
        assert paddle.grad(x, x)[0].tolist() == [1, 1]
        assert [g.tolist() for g in paddle.grad(y, [x, x])] == [[2, 2]] * 2

    def test_one_of_several_outputs(self):
        x = leaf(1.0, 2.0)
        parts = paddle.unbind(x * x)
        found = paddle.grad(parts[1] * 3, [parts[0], parts[1], x], allow_unused=True, retain_graph=True)
        assert found[0] is None
        assert found[1].item() == 3
        assert found[2].tolist() == [0, 12]

    def test_several_outputs_with_and_without_gradients(self):
        x = leaf(1.0, 2.0)
        assert paddle.grad([x * 2, x * 3], x, [None, leaf(1.0, 10.0)])[0].tolist() == [5, 32]

    @pytest.mark.parametrize("blocked", [list, tuple, set, lambda items: items[0]])
    def test_nothing_flows_through_no_grad_vars(self, blocked):
        x = leaf(1.0, 2.0)
        y = x * 2
        assert paddle.grad(y * y + x, x, no_grad_vars=blocked([y]))[0].tolist() == [1, 1]

    def test_unused_inputs(self):
        x, y = leaf(1.0), leaf(2.0)
        stopped = paddle.to_tensor([1.0])
        assert paddle.grad(x * 2, [y, stopped], allow_unused=True) == [None, None]
        for other in (y, stopped):
            with pytest.raises(NoGradient, match=r"input 1 .*allow_unused=True"):
                paddle.grad(x * 2, [x, other])
        with pytest.raises(ValueError, match="allow_unused"):
            paddle.grad(stopped * 2, x)

    def test_results_never_share_memory(self):
        a, b, seed = leaf(1.0, 2.0), leaf(1.0, 2.0), leaf(1.0, 1.0)
        for create_graph in (False, True):
            found = paddle.grad(a + b, [a, b], seed, create_graph=create_graph)
            assert not np.shares_memory(found[0]._data, found[1]._data)
            assert not any(np.shares_memory(g._data, seed._data) for g in found)

    def test_results_may_be_changed_in_place(self):
        x = leaf(1.0, 2.0)
        [g] = paddle.grad(x.sum(), x)
        g[0] = 5.0
        assert g.tolist() == [5, 1]

    def test_to_the_third_order(self):
        x = leaf(0.7, -1.3)
        value = x.numpy()
        y = x.sin() * x.exp()
        for expected in (
            np.exp(value) * (np.sin(value) + np.cos(value)),
            2 * np.exp(value) * np.cos(value),
            2 * np.exp(value) * (np.cos(value) - np.sin(value)),
        ):
            [y] = paddle.grad(y, x, create_graph=True)
            np.testing.assert_allclose(y.numpy(), expected)

    def test_mixed_derivatives_and_grad_outputs_that_want_gradients(self):
        x, v = leaf(2.0), leaf(5.0)
        [pulled] = paddle.grad(x**3, x, v, create_graph=True)
        assert pulled.item() == 60
        by_x, by_v = paddle.grad(pulled, [x, v])
        assert (by_x.item(), by_v.item()) == (5 * 12, 12)

    def test_a_graph_is_kept_as_asked(self):
        x = leaf(2.0)
        y = x * x
        paddle.grad(y, x, retain_graph=True)
        paddle.grad(y, x, create_graph=True)
        paddle.grad(y, x)
        with pytest.raises(GraphFreed):
            paddle.grad(y, x)

    def test_a_gradient_penalty_reaches_the_weights(self):
        w, x = leaf(3.0), leaf(2.0)
        [slope] = paddle.grad(w * x * x, x, create_graph=True)
        (slope * slope).backward()
        assert w.grad.item() == pytest.approx(2 * 3 * (2 * 2) ** 2)

    @pytest.mark.parametrize(
        ("call", "error", "text"),
        [
            (lambda x: paddle.grad(x * 2, x, only_inputs=False), InvalidArgument, "only_inputs"),
            (lambda x: paddle.grad([], x), InvalidArgument, "outputs is empty"),
            (lambda x: paddle.grad(x * 2, []), InvalidArgument, "inputs is empty"),
            (lambda x: paddle.grad(x * 2, "x"), DTypeMismatch, "inputs must be"),
            (lambda x: paddle.grad(x * 2, x, [x, x]), InvalidArgument, "1 tensors but 2 grad_outputs"),
            (lambda x: paddle.grad(x * 2, x, leaf(1.0)), ShapeMismatch, "grad"),
        ],
    )
    def test_wrong_calls_are_refused(self, call, error, text):
        with pytest.raises(error, match=text):
            call(leaf(1.0, 2.0))


class TestRecorded:
    def run(self, program, variables, **feeds):
        return Plan(program, [v._value for v in variables]).run(feeds, {}, Generator(0))

    def test_grad_records_in_a_program(self):
        program = Program()
        x = program.data("x", [-1], "float64")
        x.stop_gradient = False
        with recording(program):
            [slope] = paddle.grad(x**3, x, create_graph=True)
            [bend] = paddle.grad(slope, x)
            other = program.data("y", [1], "float64")
            assert paddle.grad(x * 2, other, allow_unused=True) == [None]
        assert bend.stop_gradient
        slope_array, bend_array = self.run(program, [slope, bend], x=np.array([2.0, 3.0]))
        np.testing.assert_allclose(slope_array, [12, 27])
        np.testing.assert_allclose(bend_array, [12, 18])

    def test_variables_have_no_backward(self):
        program = Program()
        x = program.data("x", [1], "float64")
        x.stop_gradient = False
        with pytest.raises(InvalidArgument, match="append_backward"):
            (x * 2).backward()

    def test_a_result_becomes_a_leaf_where_the_user_asks(self):
        program = Program()
        with recording(program):
            x = paddle.to_tensor([2.0]) * 1.5
            x.stop_gradient = False
            assert x.is_leaf
            [slope] = paddle.grad(x * x, x)
        assert self.run(program, [slope])[0].tolist() == [6]

    def test_stopping_a_variable_leaves_what_was_computed_from_it_before(self):
        program = Program()
        x = program.data("x", [1], "float64")
        x.stop_gradient = False
        y = x * 2
        early = y * 3
        y.stop_gradient = True
        found = append_gradients([early + y * 5], [x])
        assert self.run(program, [found[x._value]], x=np.ones(1))[0].tolist() == [6]


def test_gradients_that_overflow_add_up_in_silence():
    x = paddle.to_tensor([1.0, 1.0], stop_gradient=False)
    for factor in ([float("inf"), 3e38], [float("-inf"), 3e38]):
        (x * paddle.to_tensor(factor)).sum().backward()
    assert x.grad.isnan().tolist() == [True, False]
    assert x.grad[1].isinf()
