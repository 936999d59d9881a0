"""Tensors as Python numbers, text and copies."""

import copy
import math
import pickle

import numpy as np
import pytest

import paddlite as paddle
from paddlite.core.errors import InvalidArgument
from paddlite.core.program import Program
from paddlite.core.tensor import Parameter

tensor = paddle.to_tensor


class TestNumbers:
    @pytest.mark.parametrize("wrap", [lambda v: v, lambda v: [v], lambda v: [[v]]])
    def test_one_element_is_a_number(self, wrap):
        assert float(tensor(wrap(3.5))) == 3.5
        assert int(tensor(wrap(3.7))) == 3
        assert bool(tensor(wrap(0.5))) is True
        assert bool(tensor(wrap(0))) is False
        assert complex(tensor(wrap(1 + 2j))) == 1 + 2j
        assert [10, 20, 30][tensor(wrap(2))] == 30
        assert math.sqrt(tensor(wrap(4.0))) == 2

    @pytest.mark.parametrize("convert", [float, int, bool, complex, lambda t: [1][t], lambda t: t.item()])
    @pytest.mark.parametrize("value", [[1.0, 2.0], np.zeros(0)])
    def test_other_counts_are_no_number(self, convert, value):
        with pytest.raises(ValueError, match="one element"):
            convert(tensor(value))

    def test_an_index_is_whole(self):
        with pytest.raises(TypeError, match="integer"):
            [1, 2][tensor(1.0)]
        assert list(range(tensor(3))) == [0, 1, 2]

    def test_a_variable_has_no_value(self):
        with pytest.raises(InvalidArgument, match=r"float\(tensor\).*no value while a Program"):
            float(Program().data("x", [1], "float32"))

    @pytest.mark.parametrize(
        ("dtype", "kind"),
        [
            ("bool", bool), ("int8", int), ("int64", int), ("float16", float), ("bfloat16", float), ("float64", float),
            ("complex64", complex),
        ],
    )  # fmt: skip
    def test_items_are_pythons(self, dtype, kind):
        x = tensor([[0, 1], [2, 3]]).astype(dtype)
        assert type(x[1, 1].item()) is kind
        assert x.item(1) == x.item(0, 1) == kind(1)
        assert type(x.tolist()[1][0]) is kind

    def test_lengths_and_iteration(self):
        x = tensor([[1.0, 2.0], [3.0, 4.0]])
        assert len(x) == 2
        assert [row.tolist() for row in x] == [[1, 2], [3, 4]]
        for call in (len, iter):
            with pytest.raises(TypeError, match="0-D"):
                call(tensor(1.0))


class TestText:
    def test_numbers_are_formatted_as_numbers(self):
        assert f"{tensor(3.5)} {tensor(3)} {tensor(True)}" == "3.5 3 True"
        assert f"{tensor(3.14159):.2f} {tensor([2.5]):.1f} {tensor(7):03d}" == "3.14 2.5 007"
        assert "%d %.1f" % (tensor(3), tensor(2.5)) == "3 2.5"  # noqa: UP031

    def test_other_tensors_are_formatted_as_text(self):
        x = tensor([1.0, 2.0])
        assert f"{x}" == str(x)
        variable = Program().data("x", [1], "float32")
        assert f"{variable}" == str(variable)


class TestOperators:
    def test_bits(self):
        assert (~tensor([True, False])).tolist() == [False, True]
        assert (~tensor([1, -3])).tolist() == [-2, 2]
        assert (tensor([1, 3]) << 2).tolist() == [4, 12]
        assert (tensor([-8]) >> tensor([1])).tolist() == [-4]
        assert (1 << tensor([3])).tolist() == [8]

    def test_augmented_assignment_makes_a_new_tensor(self):
        x = tensor([1.0], stop_gradient=False)
        y = x
        y += 1
        assert (x.item(), y.item()) == (1, 2)

    def test_tensors_are_hashable_and_compare_by_element(self):
        x = tensor([1.0, 2.0])
        assert {x: 1}[x] == 1
        assert (x == x).tolist() == [True, True]
        assert (x == None) is False  # noqa: E711
        assert (x != None) is True  # noqa: E711


class TestCopies:
    def test_a_deep_copy_is_a_leaf_of_its_own(self):
        x = tensor([1.0, 2.0], stop_gradient=False)
        x.name = "weights"
        (x * 2).backward()
        for source in (x, x * 1):
            copied = copy.deepcopy(source)
            assert copied.is_leaf and not copied.stop_gradient
            assert copied.grad is None
            assert not np.shares_memory(copied._data, source._data)
            assert copied.name != source.name
        (copied * 5).backward()
        assert copied.grad.tolist() == [5, 5]
        assert x.grad.tolist() == [2, 2]

    def test_a_deep_copy_keeps_kind_and_attributes(self):
        p = Parameter(np.ones(2, "float32"), name="p")
        p.optimize_attr["learning_rate"] = 0.5
        copied = copy.deepcopy({"a": p, "b": p})
        assert copied["a"] is copied["b"]
        assert type(copied["a"]) is Parameter
        assert copied["a"].trainable and copied["a"].persistable
        assert copied["a"].optimize_attr == {"learning_rate": 0.5}
        copied["a"].optimize_attr["learning_rate"] = 1.0
        assert p.optimize_attr == {"learning_rate": 0.5}

    def test_a_shallow_copy_shares_memory(self):
        x = tensor([1.0, 2.0])
        copied = copy.copy(x)
        copied[0] = 5.0
        assert x.tolist() == [5, 2]
        assert x.inplace_version == 1

    @pytest.mark.parametrize("dtype", ["bool", "int32", "float16", "bfloat16", "float32", "complex64"])
    @pytest.mark.parametrize("protocol", range(2, 6))
    def test_pickles(self, dtype, protocol):
        x = tensor([[0.0, 1.0, 2.5]]).astype(dtype)
        x.name = "mine"
        back = pickle.loads(pickle.dumps(x, protocol))
        assert (back.dtype, back.tolist(), back.name, back.stop_gradient) == (x.dtype, x.tolist(), "mine", True)

    def test_pickles_of_parameters(self):
        p = Parameter(np.ones(2, "float32"), name="p")
        back = pickle.loads(pickle.dumps(p))
        assert (type(back), back.name, back.trainable, back.persistable) == (Parameter, "p", True, True)
        (back * 2).backward()
        assert back.grad.tolist() == [2, 2]

    def test_set_value(self):
        x = tensor([1.0, 2.0])
        for value in ([3.0, 4.0], np.array([3, 4]), tensor([3.0, 4.0]), (3, 4)):
            x.set_value(value)
            assert (x.tolist(), x.dtype) == ([3, 4], paddle.float32)
        with pytest.raises(InvalidArgument, match="shape"):
            x.set_value([1.0])
        assert x.inplace_version == 4

    def test_dir_names_what_there_is(self):
        x = tensor([1.0])
        for name in dir(x):
            if not name.startswith("_") and name != "mT":  # which wants two axes
                getattr(x, name)
