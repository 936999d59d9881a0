"""`Layer`: registration, walking, hooks, conversion, copies, printing."""

import copy
import gc
import pickle
import weakref

import numpy as np
import pytest

import paddlite as paddle
from paddlite import nn
from paddlite.core.errors import DTypeMismatch
from paddlite.core.program import Program, Variable, recording
from paddlite.nn.layer.layers import snake_case


def tensor(*values, dtype="float32"):
    return paddle.to_tensor(np.array(values, dtype))


class Net(nn.Layer):
    """Shares a layer, a parameter and a buffer."""

    def __init__(self):
        super().__init__()
        self.a = nn.Linear(2, 2)
        self.b = self.a
        self.c = nn.Sequential(self.a, nn.Identity())
        self.w = self.a.weight
        self.none = None
        self.register_buffer("kept", tensor(1.0))
        self.c.register_buffer("again", self.kept)
        self.register_buffer("lost", tensor(2.0), persistable=False)

    def forward(self, x):
        return self.c(x)


class Echo(nn.Layer):
    """Gives back its arguments."""

    def forward(self, x, y=None):
        return x, y


def names(pairs):
    return [name for name, _ in pairs]


@pytest.mark.parametrize(
    ("name", "want"),
    [
        ("Linear", "linear"),
        ("BatchNorm2D", "batch_norm2d"),
        ("PReLU", "p_re_lu"),
        ("LPPool1D", "lp_pool1d"),
        ("MaxUnPool2D", "max_un_pool2d"),
        ("SmoothL1Loss", "smooth_l1_loss"),
        ("LSTM", "lstm"),
        ("SimpleRNNCell", "simple_rnn_cell"),
    ],
)
def test_class_names_become_layer_names(name, want):
    assert snake_case(name) == want


def test_names_count_up():
    first, second = nn.Linear(1, 1), nn.Linear(1, 1)
    assert (first.weight.name, first.bias.name) == ("linear_0.w_0", "linear_0.b_0")
    assert (second.weight.name, second.full_name()) == ("linear_1.w_0", "linear_1")
    assert nn.Layer("my scope").full_name() == "my scope_0"
    net = Net()
    assert net.create_parameter([1]).name == "net_0.w_0"
    assert net.create_parameter([1], is_bias=True).name == "net_0.b_0"
    assert net.create_parameter([1], attr="mine").name == "mine"


def test_shared_things_are_listed_once_under_their_first_name():
    net = Net()
    assert names(net.named_parameters()) == ["w", "a.bias"]
    assert names(net.named_parameters("p", include_sublayers=False)) == ["p.w"]
    assert names(net.named_buffers()) == ["kept", "lost"]
    assert names(net.named_sublayers("p", include_self=True)) == ["p", "p.a", "p.c", "p.c.1"]
    assert names(net.named_children()) == ["a", "c"]
    assert names(net.named_modules()) == ["", "a", "c", "c.1"]
    assert [len(net.parameters()), len(net.buffers()), len(net.sublayers()), len(list(net.modules()))] == [2, 2, 3, 4]


def test_all_names_of_shared_things():
    net = Net()
    every = names(net.named_parameters(remove_duplicate=False))
    assert every == ["w", "a.weight", "a.bias", "b.weight", "b.bias", "c.0.weight", "c.0.bias"]
    assert names(net.named_sublayers(remove_duplicate=False)) == ["a", "b", "c", "c.0", "c.1"]
    assert names(net.named_buffers(remove_duplicate=False)) == ["kept", "lost", "c.again"]


def test_a_layer_that_holds_itself_is_walked_once():
    net = Net()
    net.loop = net
    assert len(net.sublayers(include_self=True)) == 4
    assert len(net.parameters()) == 2


def test_apply_visits_children_first():
    seen = []
    net = Net()
    assert net.apply(lambda layer: seen.append(type(layer).__name__)) is net
    assert seen == ["Linear", "Linear", "Identity", "Sequential", "Net"]


def test_train_and_eval_reach_all_layers():
    net = Net()
    assert net.eval() is net
    assert not any(layer.training for layer in net.sublayers(include_self=True))
    assert net.train().c.training
    assert not net.train(False).training


def test_plain_tensors_become_buffers_that_are_not_saved():
    net = Net()
    net.t = tensor(5.0)
    assert "t" in names(net.named_buffers())
    assert "t" not in net.state_dict()
    net.t = tensor(6.0)
    assert net.t.item() == 6.0


def test_reassignment_moves_between_registries():
    net = nn.Layer()
    net.x = 5
    net.x = nn.Identity()
    assert names(net.named_sublayers()) == ["x"]
    net.x = net.create_parameter([1])
    assert names(net.named_parameters()) == ["x"] and not net.sublayers()
    net.x = None
    assert net.x is None and not net.parameters() and not net.state_dict()
    del net.x
    assert not hasattr(net, "x")


@pytest.mark.parametrize("name", ["w", "kept", "a"])
def test_a_registered_name_takes_its_own_kind_only(name):
    net = Net()
    with pytest.raises(TypeError, match=name):
        setattr(net, name, 5)
    assert getattr(net, name) is not None


def test_a_parameter_is_not_replaced_by_a_plain_tensor():
    net = Net()
    with pytest.raises(TypeError, match="set_value"):
        net.w = tensor(1.0)


def test_deleting():
    net = Net()
    del net.kept, net.w, net.c
    assert names(net.named_parameters()) == ["a.weight", "a.bias"]
    with pytest.raises(AttributeError, match="'Net' object has no attribute 'kept'"):
        net.kept
    with pytest.raises(AttributeError):
        del net.nothing


@pytest.mark.parametrize("make", [lambda: nn.Identity(), lambda: tensor(1.0), lambda: nn.Linear(1, 1).weight])
def test_registering_before_super_init_is_refused(make):
    class Early(nn.Layer):
        def __init__(self):
            self.x = make()

    with pytest.raises(ValueError, match=r"super\(\).__init__\(\)"):
        Early()


def test_properties_keep_their_setters():
    class Half(nn.Layer):
        @property
        def w(self):
            return self._w

        @w.setter
        def w(self, value):
            self._w = value

    layer = Half()
    layer.w = nn.Linear(1, 1).weight
    assert names(layer.named_parameters()) == ["_w"]
    assert layer.w is layer._w


def test_two_layers_for_parents():
    class Left(nn.Layer):
        def __init__(self):
            nn.Layer.__init__(self)
            self.left = nn.Linear(1, 1)

    class Right(nn.Layer):
        def __init__(self):
            nn.Layer.__init__(self)
            self.right = nn.Linear(1, 1)

    class Both(Left, Right):
        def __init__(self):
            Left.__init__(self)
            Right.__init__(self)

    assert names(Both().named_children()) == ["left", "right"]


def test_attributes_by_call():
    net = Net()
    net.__setattr__("more", nn.Identity())
    assert net.__getattr__("more") is net.more and net.__getattr__("w") is net.w and net.__getattr__("training")
    net.__delattr__("more")
    with pytest.raises(AttributeError, match="no attribute 'more'"):
        net.__getattr__("more")


def test_entries_named_like_methods_do_not_hide_them():
    layer = nn.LayerDict({"keys": nn.Identity(), "training": nn.Identity()})
    assert list(layer.keys()) == ["keys", "training"]
    assert layer.training is True


def test_registries_and_attributes_agree():
    layer = nn.Linear(1, 1)
    weight = layer._parameters.pop("weight")
    assert not hasattr(layer, "weight")
    layer._parameters.update(weight=weight)
    assert layer.weight is weight
    layer._parameters.clear()
    assert not hasattr(layer, "bias")
    assert layer._parameters.setdefault("bias", None) is None and layer.bias is None
    assert layer._parameters.popitem() == ("bias", None)
    with pytest.raises(KeyError):
        layer._parameters.popitem()
    with pytest.raises(KeyError):
        layer._parameters.pop("bias")
    assert "weight" in dir(nn.Linear(1, 1))


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda net: net.add_parameter("x", 5), TypeError),
        (lambda net: net.add_parameter(3, None), TypeError),
        (lambda net: net.add_parameter("", None), KeyError),
        (lambda net: net.add_parameter("x.y", None), KeyError),
        (lambda net: net.add_parameter("kept", None), KeyError),
        (lambda net: net.register_buffer("x", 3), TypeError),
        (lambda net: net.register_buffer("x.y", None), KeyError),
        (lambda net: net.register_buffer("forward", None), KeyError),
        (lambda net: net.add_sublayer("x", 5), TypeError),
        (lambda net: net.get_parameter("a.q"), AttributeError),
        (lambda net: net.get_buffer("c.q"), AttributeError),
        (lambda net: net.get_sublayer("c.9"), AttributeError),
        (lambda net: net.set_sublayer("", nn.Identity()), ValueError),
        (lambda net: net.set_sublayer("q", nn.Identity(), strict=True), AttributeError),
        (lambda net: net.create_parameter([2], attr=5), TypeError),
        (lambda net: net.create_parameter(3), TypeError),
        (lambda net: net.create_parameter([2.0]), TypeError),
        (lambda net: net.create_parameter([-1, 2]), ValueError),
        (lambda net: net.create_parameter([2], dtype="int32"), TypeError),
        (lambda net: net.to(dtype="no such"), TypeError),
        (lambda net: net.astype(None), TypeError),
        (lambda net: net.to("gpu:0"), ValueError),
        (lambda net: net.float16(excluded_layers=5), TypeError),
        (lambda net: nn.Layer()(1), NotImplementedError),
    ],
)
def test_bad_calls_are_refused(call, error):
    with pytest.raises(error):
        call(Net())


def test_paths():
    net = Net()
    assert net.get_parameter("a.weight") is net.w
    assert net.get_buffer("c.again") is net.kept
    assert net.get_sublayer("c.0") is net.a and net.get_sublayer("") is net
    net.set_sublayer("c.1", nn.Flatten())
    assert type(net.c[1]) is nn.Flatten


def test_create_parameter_follows_its_attr():
    attr = paddle.ParamAttr("mine", nn.initializer.Constant(3.0), learning_rate=0.5, trainable=False, need_clip=False)
    made = nn.Layer().create_parameter([2], attr)
    assert (made.name, made.tolist(), made.need_clip) == ("mine", [3.0, 3.0], False)
    assert made.stop_gradient and not made.trainable and made.persistable
    assert made.optimize_attr == {"learning_rate": 0.5}
    assert nn.Layer().create_parameter([2], attr=False) is None
    assert nn.Layer().create_parameter([], attr=nn.initializer.Constant(1.0)).item() == 1.0
    whole = nn.Layer().create_parameter([2], dtype="int64", default_initializer=nn.initializer.Constant(2))
    assert whole.tolist() == [2, 2] and whole.stop_gradient


def test_parameters_take_the_default_dtype():
    paddle.set_default_dtype("float64")
    assert nn.Linear(1, 1).weight.dtype == "float64"
    assert nn.Layer().create_parameter([1], dtype="float16").dtype == "float16"


def test_free_parameters():
    assert paddle.create_parameter([1], "float32").name == "create_parameter_0.w_0"
    made = paddle.create_parameter([1], "float32", "mine", attr=nn.initializer.Constant(1.0))
    assert (made.name, made.item()) == ("mine", 1.0)
    with pytest.raises(ValueError):
        paddle.create_parameter([1], "float32", attr=False)
    x = tensor(1.0)
    shared = nn.Parameter(x, requires_grad=False)
    x.set_value(tensor(2.0))
    assert shared.tolist() == [2.0] and shared.stop_gradient
    assert nn.Parameter().shape == [0]


def test_create_tensor():
    made = Net().create_tensor("state", persistable=True, dtype="float64")
    assert (made.name, made.shape, made.dtype, made.persistable) == ("net_0.state", [0], paddle.float64, True)


def test_hooks_see_and_change():
    echo, seen = Echo(), []
    echo.register_forward_pre_hook(lambda layer, inputs: seen.append(inputs))
    first = echo.register_forward_pre_hook(lambda layer, inputs: inputs[0] * 2)
    echo.register_forward_post_hook(lambda layer, inputs, out: seen.append((inputs, out)))
    last = echo.register_forward_post_hook(lambda layer, inputs, out: (*out, "more"))
    assert echo(3, y=4) == (6, 4, "more")
    assert seen == [(3,), ((6,), (6, 4))]
    first.remove()
    first.remove()
    last.remove()
    assert echo(3) == (3, None)


def test_prepended_hooks_run_first():
    echo = Echo()
    echo.register_forward_pre_hook(lambda layer, inputs: inputs[0] + 1)
    echo.register_forward_pre_hook(lambda layer, inputs: inputs[0] * 10, prepend=True)
    assert echo(1) == (11, None)


def test_hooks_with_kwargs():
    echo = Echo()
    handle = echo.register_forward_pre_hook(lambda layer, inputs, kwargs: (inputs, {"y": 9}), with_kwargs=True)
    echo.register_forward_post_hook(lambda layer, inputs, kwargs, out: (out, kwargs), with_kwargs=True)
    assert echo(1) == ((1, 9), {"y": 9})
    handle.remove()
    echo.register_forward_pre_hook(lambda layer, inputs, kwargs: None, with_kwargs=True)
    echo.register_forward_pre_hook(lambda layer, inputs, kwargs: 5, with_kwargs=True)
    with pytest.raises(RuntimeError, match=r"\(inputs, kwargs\)"):
        echo(1)


def test_hooks_after_an_error():
    class Fails(nn.Layer):
        def forward(self, x):
            raise KeyError(x)

    layer, seen = Fails(), []
    layer.register_forward_post_hook(lambda *call: seen.append("not"))
    layer.register_forward_post_hook(lambda layer, inputs, out: seen.append((inputs, out)), always_call=True)
    with pytest.raises(KeyError):
        layer(1)
    assert seen == [((1,), None)]


def test_conversion_keeps_tensors_and_integers():
    layer = nn.Linear(2, 2)
    weight = layer.weight
    layer.register_buffer("index", tensor(1, dtype="int64"))
    layer(tensor([1.0, 2.0])).backward(tensor([1.0, 1.0]))
    assert layer.to(dtype="float64") is layer
    assert layer.weight is weight and weight.dtype == "float64" and weight.grad.dtype == "float64"
    assert layer.index.dtype == "int64"
    assert repr(layer) == "Linear(in_features=2, out_features=2, dtype=float64)"
    assert layer.astype("int8").index.dtype == "int8"


@pytest.mark.parametrize(
    ("method", "dtype"),
    [
        ("half", "float16"),
        ("float16", "float16"),
        ("bfloat16", "bfloat16"),
        ("double", "float64"),
        ("float", "float32"),
    ],
)
def test_conversion_by_name(method, dtype):
    net = nn.Sequential(nn.Linear(1, 1))
    assert getattr(net, method)() is net
    assert net[0].weight.dtype == dtype
    assert net[0]._dtype == dtype


def test_excluded_layers_stay():
    net = nn.Sequential(nn.Linear(1, 1), nn.Layer())
    net[1].w = net[1].create_parameter([1])
    net.float16(excluded_layers=[nn.Linear])
    assert (net[0].weight.dtype, net[1].w.dtype) == (paddle.float32, paddle.float16)
    assert net.cpu().to("cpu") is net


def test_gradients_are_cleared():
    net = nn.Linear(1, 1)
    net(tensor([1.0])).backward()
    net.clear_gradients()
    assert net.weight.grad.tolist() == [[0.0]]
    net.zero_grad()
    assert net.weight.grad is None
    assert net.requires_grad_(False).bias.stop_gradient


def test_deepcopy_keeps_sharing_and_gives_new_names():
    net = Net()
    twin = copy.deepcopy(net)
    assert twin.a is twin.b is twin.c[0] and twin.w is twin.a.weight
    assert twin.w is not net.w and twin.w.name != net.w.name
    np.testing.assert_array_equal(twin.w.numpy(), net.w.numpy())
    twin.a.weight.set_value(np.zeros((2, 2), "float32"))
    assert twin(tensor([1.0, 1.0])).tolist() == [twin.a.bias.tolist()]
    assert net.w.numpy().any()
    assert copy.copy(net).a is net.a


def test_pickle_keeps_all():
    net = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))
    net[1].weight = net[0].weight
    twin = pickle.loads(pickle.dumps(net))
    assert twin[1].weight is twin[0].weight and twin[0].weight.name == net[0].weight.name
    x = tensor([1.0, 2.0])
    np.testing.assert_array_equal(twin(x).numpy(), net(x).numpy())


def test_a_dropped_layer_is_freed_at_once():
    gc.disable()
    try:
        layer = nn.Linear(1, 1)
        gone = weakref.ref(layer.weight)
        del layer
        assert gone() is None
    finally:
        gc.enable()


def test_printing():
    class Wordy(nn.Layer):
        def extra_repr(self):
            return "one\ntwo"

    net = nn.Sequential(("a", nn.Sequential(nn.Identity())), ("b", Wordy()))
    assert repr(net) == (
        "Sequential(\n  (a): Sequential(\n    (0): Identity()\n  )\n  (b): Wordy(\n    one\n    two\n  )\n)"
    )
    assert repr(nn.Sequential()) == "Sequential()"


def test_layers_record():
    layer, program = nn.Linear(2, 1), Program()
    with recording(program):
        x = program.data("x", [-1, 2], "float32")
        out = layer(x)
        inner = nn.Linear(1, 1)
    assert isinstance(out, Variable) and out.shape == [-1, 1]
    assert sorted(program.state) == ["linear_0.b_0", "linear_0.w_0"]
    assert program.state["linear_0.w_0"].tensor is layer.weight
    assert inner.weight.numpy().any()
    assert [node.name for node in program.global_block().ops] == ["linear"]


def test_param_attr_reads_short_forms():
    to_attr = paddle.ParamAttr._to_attr
    constant = nn.initializer.Constant(1.0)
    assert to_attr(False) is False
    assert to_attr("name").name == "name"
    assert to_attr(constant).initializer is constant
    assert to_attr(None).trainable and to_attr(True).name is None
    assert [a.name for a in to_attr(["a", "b"])] == ["a", "b"]
    with pytest.raises(DTypeMismatch):
        to_attr(5)
