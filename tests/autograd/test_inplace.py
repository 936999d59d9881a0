"""Changing tensors in place: what is refused, what backward notices, and what it need not."""

import numpy as np
import pytest

import paddlite as paddle
from paddlite.core.errors import InplaceOnLeaf, InvalidArgument, NoGradient, ProgramError, SavedValueChanged
from paddlite.core.program import Program, recording
from paddlite.core.tensor import Tensor
from paddlite.ops.like import expand_like


def leaf(*values):
    return paddle.to_tensor(list(values), dtype="float64", stop_gradient=False)


def constant(*values):
    return paddle.to_tensor(list(values), dtype="float64")


def put(x):
    x[0] = 5.0


CHANGES = {
    "add_": lambda x: x.add_(constant(1.0)),
    "exp_": lambda x: x.exp_(),
    "setitem": put,
    "view": lambda x: x[0:1].add_(constant(1.0)),
    "view of a view": lambda x: x[0:1][None].add_(constant(1.0)),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
class TestLeaves:
    def test_a_leaf_is_protected_and_left_as_it_was(self, change):
        x = leaf(1.0, 2.0)
        with pytest.raises(InplaceOnLeaf, match="clone"):
            change(x)
        assert x.tolist() == [1, 2]
        assert x.inplace_version == 0

    def test_under_no_grad_it_may_be_changed(self, change):
        x = leaf(1.0, 2.0)
        with paddle.no_grad():
            change(x)
        assert x.tolist() != [1, 2]
        assert x.inplace_version == 1
        assert not x.stop_gradient
        (x * 2).backward()
        assert x.grad.tolist() == [2, 2]

    def test_a_variable_that_is_a_leaf_is_protected(self, change):
        program = Program()
        x = program.data("x", [2], "float64")
        x.stop_gradient = False
        with pytest.raises(InplaceOnLeaf), recording(program):
            change(x)

    def test_an_eager_tensor_cannot_be_changed_while_recording(self, change):
        x = constant(1.0, 2.0)
        with pytest.raises(ProgramError, match="while a Program is recorded"), recording(Program()):
            change(x)
        assert x.tolist() == [1, 2]


class TestRefused:
    """Whatever is refused leaves data, version and gradient path alone."""

    @pytest.mark.parametrize(
        "change",
        [
            lambda x: x.add_(constant(1.0, 2.0, 3.0)),
            lambda x: x[0].add_(constant(1.0, 2.0)),
            lambda x: x.__setitem__(7, 1.0),
            lambda x: x.__setitem__([0, 9], 1.0),
            lambda x: x.__setitem__(0, constant(1.0, 2.0)),
            lambda x: x.__setitem__("a", 1.0),
            lambda x: x.add_("text"),
        ],
    )
    def test_nothing_has_changed(self, change):
        base = leaf(1.0, 2.0)
        x = base * 1
        edge = x._edge
        with pytest.raises((ValueError, IndexError, TypeError)):
            change(x)
        assert x.tolist() == [1, 2]
        assert x.inplace_version == 0
        assert x._edge is edge

    def test_the_dtype_stays(self):
        x = paddle.to_tensor([1.0], dtype="float32")
        x.add_(paddle.to_tensor([1.5], dtype="float64"))
        assert (x.dtype, x.tolist()) == (paddle.float32, [2.5])

    def test_a_view_made_under_no_grad_takes_no_gradient(self):
        base, w = leaf(1.0, 2.0) * 1, leaf(3.0)
        with paddle.no_grad():
            view = base[0:1]
        with pytest.raises(NoGradient, match="made under no_grad"):
            view.add_(w)
        assert base.tolist() == [1, 2]
        view.add_(constant(1.0))
        assert base.tolist() == [2, 2]

    def test_memory_in_which_one_element_stands_for_several_is_not_written_through_a_view(self):
        x = paddle.to_tensor([1.0, 2.0, 3.0])
        windows = x.unfold(0, 2, 1)
        with pytest.raises(InvalidArgument, match="stands for several"):
            windows.add_(paddle.to_tensor(1.0))
        assert x.tolist() == [1, 2, 3]

    def test_read_only_memory_is_copied(self):
        wide = expand_like(constant(1.0), Tensor(np.zeros(3)))
        wide.add_(constant(1.0, 2.0, 3.0))
        assert wide.tolist() == [2, 3, 4]


class TestVersions:
    """Backward refuses a value that was changed since, and only then."""

    @pytest.mark.parametrize(
        "change",
        [
            lambda x: x.add_(constant(1.0)),
            lambda x: x[0:1].add_(constant(1.0)),
            lambda x: x.detach().add_(constant(1.0)),
            lambda x: x.set_value(np.zeros(2)),
            put,
        ],
    )
    @pytest.mark.parametrize("quiet", [False, True])
    def test_a_saved_input_that_was_changed(self, change, quiet):
        x = leaf(1.0, 2.0) * 1
        y = x * x
        with paddle.set_grad_enabled(not quiet):
            change(x)
        with pytest.raises(SavedValueChanged, match="elementwise_mul"):
            y.backward()

    def test_a_saved_input_whose_base_or_sibling_was_changed(self):
        for change in (lambda base: base.add_(constant(1.0)), lambda base: base[1:].add_(constant(1.0))):
            base = leaf(1.0, 2.0) * 1
            y = base[0:1] ** 2
            change(base)
            with pytest.raises(SavedValueChanged):
                y.backward()

    def test_a_saved_output_that_was_changed(self):
        y = leaf(1.0).exp()
        z = y * 1
        y.add_(constant(1.0))
        with pytest.raises(SavedValueChanged, match="exp"):
            z.backward()

    def test_what_no_rule_reads_may_be_changed(self):
        a = leaf(1.0, 2.0)
        x = a * 3
        y = x + 1
        z = x[0:1]
        x.add_(constant(5.0))
        (y.sum() + z.sum()).backward()
        assert a.grad.tolist() == [6, 3]

    def test_an_in_place_result_that_its_own_rule_reads_is_fine(self):
        a = leaf(0.5, 2.0)
        (a * 1).exp_().backward()
        np.testing.assert_allclose(a.grad.numpy(), np.exp([0.5, 2.0]))

    def test_a_change_before_the_use_is_fine(self):
        a = leaf(1.0, 2.0)
        x = a * 1
        x[0] = x[1] * 4
        (x * x).backward()
        assert a.grad.tolist() == [0, 2 * 8 * 4 + 2 * 2]

    def test_the_constant_factor_may_be_changed_where_it_is_not_needed(self):
        w, c = leaf(1.0), constant(2.0)
        y = w + c
        c.add_(constant(1.0))
        y.backward()
        assert w.grad.item() == 1

    def test_a_factor_multiplied_by_itself_in_place(self):
        x = leaf(2.0) * 1
        x.multiply_(x)
        assert x.item() == 4
        with pytest.raises(SavedValueChanged):
            x.backward()


class TestGradients:
    def test_a_write_cuts_the_gradient_of_what_it_covers(self):
        a, b = leaf(1.0, 2.0), leaf(3.0)
        x = a * 2
        x[0] = b
        (x * constant(10.0, 100.0)).backward()
        assert a.grad.tolist() == [0, 200]
        assert b.grad.tolist() == [10]

    def test_views_before_and_after_a_write_agree(self):
        a = leaf(1.0, 2.0)
        x = a * 2
        before = x[0:1]
        x.multiply_(constant(3.0, 3.0))
        after = x[0:1]
        assert before.tolist() == after.tolist() == [6]
        (before * 1 + after * 10).backward()
        assert a.grad.tolist() == [66, 0]

    def test_siblings_see_each_others_writes(self):
        a = leaf(1.0, 2.0, 3.0)
        x = a * 1
        left, right = x[0:2], x[1:3]
        left.multiply_(constant(10.0, 10.0))
        assert right.tolist() == [20, 3]
        right.sum().backward()
        assert a.grad.tolist() == [0, 10, 1]

    def test_a_base_that_stops_gradients_starts_to_want_them(self):
        base, w = constant(1.0, 2.0), leaf(5.0)
        view = base[1:]
        base[1] = w * 2
        assert not view.stop_gradient
        (view * 3).backward()
        assert w.grad.item() == 6

    def test_a_view_writes_gradients_into_a_base_that_stopped_them(self):
        base, w = constant(1.0, 2.0), leaf(5.0)
        base.reshape([2, 1])[0].add_(w)
        assert not base.stop_gradient
        base.sum().backward()
        assert w.grad.item() == 1

    def test_a_view_that_the_user_stopped_stays_so(self):
        a = leaf(1.0, 2.0)
        base = a * 1
        view = base[0:1]
        view.stop_gradient = True
        base.add_(constant(1.0))
        assert view.stop_gradient
        view.add_(constant(1.0))
        base.sum().backward()
        assert a.grad.tolist() == [0, 1], "what is written through it is a constant"

    def test_a_view_that_the_user_made_a_leaf_stays_one(self):
        base = constant(1.0, 2.0)
        view = base[0:1]
        view.stop_gradient = False
        base.add_(constant(1.0))
        assert view.is_leaf and not view.stop_gradient
        (view * 3).backward()
        assert view.grad.item() == 3

    @pytest.mark.parametrize("layout", ["shares", "copies"])
    def test_views_of_a_tensor_that_was_reshaped_in_place(self, layout):
        a = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]], dtype="float64", stop_gradient=False)
        base = a * 1 if layout == "shares" else (a * 1).transpose([1, 0])
        row, other = base[0], base[0]
        base.reshape_([-1])
        other.multiply_(constant(10.0, 100.0))
        second = 2.0 if layout == "shares" else 3.0
        assert row.tolist() == [10, second * 100]
        assert base.tolist() == ([10, 200, 3, 4] if layout == "shares" else [1, 3, 2, 4])
        row.sum().backward()
        assert a.grad.tolist() == ([[10, 100], [0, 0]] if layout == "shares" else [[10, 0], [100, 0]])

    def test_detach_shares_memory_and_version_but_no_gradient(self):
        a = leaf(1.0, 2.0)
        x = a * 1
        apart = x.detach()
        apart.add_(constant(1.0))
        assert x.tolist() == [2, 3]
        assert (x.inplace_version, apart.inplace_version) == (1, 1)
        x.sum().backward()
        assert a.grad.tolist() == [1, 1]

    def test_clone_has_memory_of_its_own(self):
        a = leaf(1.0)
        x = a.clone()
        x.add_(constant(1.0))
        assert (a.item(), x.item()) == (1, 2)
        x.backward()
        assert a.grad.item() == 1

    def test_a_cached_view_of_a_parameter_follows_its_updates(self):
        w = leaf(1.0, 2.0)
        row = w[None]
        with paddle.no_grad():
            w.add_(constant(1.0))
        row.sum().backward()
        assert row.tolist() == [[2, 3]]
        assert w.grad.tolist() == [1, 1]

    def test_gradients_of_gradients_through_writes(self):
        a = leaf(2.0, 3.0)
        x = a * a
        x[0] = a[1] ** 3
        [slope] = paddle.grad(x.sum(), a, create_graph=True)
        np.testing.assert_allclose(slope.numpy(), [0, 6 + 27])
        [bend] = paddle.grad(slope.sum(), a)
        np.testing.assert_allclose(bend.numpy(), [0, 2 + 18])

    def test_overlapping_source_and_target(self):
        x = constant(1.0, 2.0, 3.0, 4.0)
        x[1:] = x[:-1]
        assert x.tolist() == [1, 1, 2, 3]
        x[:] = x[::-1]
        assert x.tolist() == [3, 2, 1, 1]
        with paddle.no_grad():
            x[:3].add_(x[1:])
        assert x.tolist() == [5, 3, 2, 1]
