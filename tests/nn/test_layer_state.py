"""State dictionaries of layers."""

import ml_dtypes
import numpy as np
import pytest

import paddlite as paddle
from paddlite import nn
from tests.nn.test_layer import Net


def linear(weight=((1.0,),), bias=(2.0,)):
    layer = nn.Linear(len(weight), len(weight[0]))
    layer.set_state_dict({"weight": np.array(weight, "f4"), "bias": np.array(bias, "f4")})
    return layer


def test_every_name_of_shared_state_is_listed():
    want = ["w", "kept", "a.weight", "a.bias", "b.weight", "b.bias", "c.again", "c.0.weight", "c.0.bias"]
    assert list(Net().state_dict()) == want
    assert list(Net().state_dict(include_sublayers=False)) == ["w", "kept"]
    assert list(Net().state_dict(structured_name_prefix="p."))[:3] == ["p.w", "p.kept", "p.a.weight"]
    assert list(Net().to_static_state_dict())[:3] == ["w", "kept", "lost"]


def test_entries_are_the_live_tensors():
    layer, into = linear(), {}
    assert layer.state_dict(destination=into) is into
    assert into["weight"] is layer.weight
    cut = layer.state_dict(keep_vars=False)["weight"]
    assert cut.stop_gradient
    layer.weight.set_value(np.array([[7.0]], "f4"))
    assert cut.item() == 7.0


def test_state_goes_round():
    net, other = Net(), Net()
    assert other.set_state_dict(net.state_dict()) == ([], [])
    for (_, ours), (_, theirs) in zip(net.named_parameters(), other.named_parameters()):
        np.testing.assert_array_equal(ours.numpy(), theirs.numpy())
        assert ours is not theirs


def test_loading_bumps_the_version():
    layer = linear()
    before = layer.weight.inplace_version
    layer.set_dict({"weight": np.ones((1, 1), "f4"), "bias": np.ones(1, "f4")})
    assert layer.weight.inplace_version > before


def test_what_does_not_fit_is_said():
    layer = linear()
    with pytest.warns(UserWarning, match="set_state_dict") as caught:
        missing, unexpected = layer.load_dict({"weight": np.zeros((2, 2), "f4"), "extra": 1})
    assert (missing, unexpected) == (["weight", "bias"], ["weight", "extra"])
    assert "[2, 2]" in str(caught[0].message) and "'bias'" in str(caught[1].message)
    assert (layer.weight.item(), layer.bias.item()) == (1.0, 2.0)


def test_a_wrong_dtype_is_refused_before_anything_is_copied():
    layer = linear()
    with pytest.raises(TypeError, match="'bias' has dtype float64"):
        layer.set_state_dict({"weight": np.zeros((1, 1), "f4"), "bias": np.zeros(1)})
    assert layer.weight.item() == 1.0
    with pytest.raises(TypeError, match="'bias' must be an array"):
        layer.set_state_dict({"weight": np.zeros((1, 1), "f4"), "bias": "zero"})


def test_forms_of_entries():
    layer = linear()
    assert layer.set_state_dict(
        {"weight": [[3.0]], "bias": paddle.to_tensor([4.0]), "StructuredToParameterName@@": {"weight": "w"}}
    ) == ([], [])
    assert (layer.weight.item(), layer.bias.item()) == (3.0, 4.0)
    layer.set_state_dict({"linear_0.w_0": np.full((1, 1), 5, "f4"), "linear_0.b_0": layer.bias}, False)
    assert layer.weight.item() == 5.0


@pytest.mark.parametrize("dtype", ["bfloat16", "float32"])
def test_bfloat16_may_be_stored_as_its_bits(dtype):
    layer = nn.Linear(2, 1, bias_attr=False).to(dtype=dtype)
    bits = np.array([[1.5], [-2.0]], ml_dtypes.bfloat16).view(np.uint16)
    assert layer.set_state_dict({"weight": bits}) == ([], [])
    assert layer.weight.tolist() == [[1.5], [-2.0]]


def test_hooks_see_the_whole_state():
    net, seen = nn.Sequential(linear()), []
    handle = net.register_state_dict_hook(lambda state: seen.append(list(state)))
    net[0].register_state_dict_hook(lambda state: {**state, "more": 1})
    net.state_dict()
    assert seen == [["0.weight", "0.bias"]]
    net.state_dict(use_hook=False)
    handle.remove()
    net.state_dict()
    assert len(seen) == 1
    assert list(net[0].state_dict()) == ["weight", "bias", "more"]


def test_strict_loading():
    layer = linear()
    good = {"weight": np.zeros((1, 1), "f4"), "bias": np.zeros(1, "f4")}
    assert layer.load_state_dict(good) == ([], [])
    with pytest.raises(RuntimeError, match=r"missing: \['bias'\]; unexpected: \['x'\]"):
        layer.load_state_dict({"weight": good["weight"], "x": 1})
    with pytest.raises(RuntimeError, match=r"\[3\]"):
        layer.load_state_dict({**good, "bias": np.zeros(3, "f4")}, strict=False)
    found = layer.load_state_dict({"weight": good["weight"], "x": 1}, strict=False)
    assert (found.missing_keys, found.unexpected_keys) == (["bias"], ["x"])
