"""`paddle.save` and `paddle.load`: the format, both ways, and files that nobody should trust."""

import collections
import contextlib
import enum
import io
import os
import pickle
import pickletools
import stat
import struct
from pathlib import Path

import numpy as np
import pytest

import paddlite as paddle
from paddlite.core.errors import CheckpointError, InvalidArgument
from paddlite.core.program import Program
from paddlite.framework import io as checkpoints
from paddlite.framework.files import atomic_write

DATA = Path(__file__).parent / "data"  # written by PaddlePaddle 3.3.1
PROTOCOLS = pytest.mark.parametrize("protocol", [2, 3, 4, 5])


def round_trip(obj, protocol=4, **options):
    file = io.BytesIO()
    paddle.save(obj, file, protocol=protocol)
    file.seek(0)
    return paddle.load(file, **options)


def ramp(shape, start=0):
    return (np.arange(np.prod(shape), dtype="float32") / 4 + start).reshape(shape)


class TestFilesOfPaddle:
    @pytest.mark.parametrize("protocol", [2, 3, 4])
    def test_a_state_dict(self, protocol):
        path = DATA / f"state_protocol{protocol}.pdparams"
        state = paddle.load(path)
        shapes = {"0.weight": (2, 3), "0.bias": (3,), "1.weight": (3,), "1.bias": (3,), "1._mean": (3,)}
        shapes["1._variance"] = (3,)
        assert list(state) == list(shapes)
        for i, (name, shape) in enumerate(shapes.items()):
            np.testing.assert_array_equal(state[name].numpy(), ramp(shape, i))
            assert state[name].dtype == "float32"
            assert state[name].stop_gradient
        assert state["0.weight"].name == "linear_0.w_0"
        kept = paddle.load(path, keep_name_table=True, return_numpy=True)
        assert kept["StructuredToParameterName@@"]["1._mean"] == "batch_norm1d_0.w_1"
        assert type(kept["0.bias"]) is np.ndarray
        assert kept["0.bias"].flags.writeable

    def test_the_state_of_an_optimizer(self):
        state = paddle.load(DATA / "adam.pdopt")
        assert state["LR_Scheduler"] == {"last_epoch": 1, "last_lr": 0.5}
        np.testing.assert_allclose(state["linear_1.b_0_moment1_0"].numpy(), [0.1, 1, 10], rtol=1e-6)
        np.testing.assert_allclose(state["linear_1.w_0_beta1_pow_acc_0"].numpy(), [0.81], rtol=1e-6)

    def test_nested_containers(self):
        found = paddle.load(DATA / "nested.pd")
        model = found["model"]
        assert type(model) is collections.OrderedDict
        assert [(k, v.dtype.name, v.tolist()) for k, v in model.items()] == [
            ("w", "float32", [1.5, 2.5]),
            ("h", "float16", [0.5]),
            ("b", "bfloat16", [1.5, -2.0]),
            ("z", "complex64", [1 + 2j]),
        ]
        tensor, *rest, inner = found["list"]
        assert (tensor.dtype, tensor.tolist()) == (paddle.int64, [1, 2])
        assert rest == [3, "text", None, 2.5, True]
        assert (type(inner), inner[0].shape, inner[0].item()) == (tuple, [], 7)
        assert found["number"] == np.float32(0.25)
        assert type(found["array"]) is np.ndarray
        assert found["array"].tolist() == [[0, 1, 2], [3, 4, 5]]

    def test_one_tensor(self):
        assert paddle.load(DATA / "tensor.pd").tolist() == [[1, 2], [3, 4]]


class TestFormat:
    """What a file holds, seen by plain pickle."""

    def raw(self, obj, protocol=4):
        file = io.BytesIO()
        paddle.save(obj, file, protocol=protocol)
        return pickle.loads(file.getvalue())

    @PROTOCOLS
    def test_a_state_dict_is_arrays_and_a_table_of_names(self, protocol):
        weight = paddle.to_tensor(ramp((2, 3)))
        weight.name = "linear_0.w_0"
        raw = self.raw({"fc.weight": weight, "LR_Scheduler": {"last_epoch": 3}}, protocol)
        assert type(raw["fc.weight"]) is np.ndarray
        np.testing.assert_array_equal(raw["fc.weight"], ramp((2, 3)))
        assert raw["LR_Scheduler"] == {"last_epoch": 3}
        assert raw["StructuredToParameterName@@"] == {"fc.weight": "linear_0.w_0"}

    def test_elsewhere_a_tensor_is_a_name_and_an_array(self):
        x = paddle.to_tensor([1.0])
        raw = self.raw({"model": {"x": x}, "epoch": 3})
        assert raw["model"]["x"] == (x.name, np.float32([1.0]))
        assert self.raw(x) == (x.name, np.float32([1.0]))

    def test_bfloat16_is_held_as_its_bits(self):
        x = paddle.to_tensor([1.0, 2.5]).astype("bfloat16")
        assert self.raw({"x": x})["x"].tolist() == [0x3F80, 0x4020]

    def test_files_use_no_names_but_those_of_arrays_and_containers(self):
        file = io.BytesIO()
        paddle.save([paddle.to_tensor([1.0]), np.float64(2.0), {1, 2}], file, protocol=4)
        operations = list(pickletools.genops(file.getvalue()))
        assert any(op.name == "STACK_GLOBAL" for op, _, _ in operations)
        texts = {arg for op, arg, _ in operations if op.name == "SHORT_BINUNICODE"}
        modules = {t for t in texts if "." in t}
        assert modules <= {"numpy._core.multiarray", "numpy.core.multiarray"}

    def test_a_tensor_met_twice_is_held_once(self):
        x = paddle.to_tensor(np.zeros(10000))
        file = io.BytesIO()
        paddle.save([x, x, {"again": x}], file)
        assert len(file.getvalue()) < 1.1 * x.numpy().nbytes


class TestRoundTrip:
    @PROTOCOLS
    @pytest.mark.parametrize(
        "dtype",
        [
            "bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64",
            "complex64", "complex128",
        ],
    )  # fmt: skip
    def test_every_dtype(self, protocol, dtype):
        x = paddle.to_tensor([[0.0, 1.0, 2.5]]).astype(dtype)
        back = round_trip({"x": x}, protocol)["x"]
        assert (back.dtype, back.shape) == (x.dtype, x.shape)
        assert back.tolist() == x.tolist()
        back[0] = back[0] * 1  # memory of its own

    @pytest.mark.parametrize("shape", [(), (0, 3), (1,), (2, 3, 4)])
    def test_shapes(self, shape):
        x = paddle.to_tensor(np.ones(shape))
        assert round_trip(x).shape == list(shape)

    def test_other_layouts_and_byte_orders(self):
        array = ramp((2, 3))
        assert round_trip({"x": paddle.to_tensor(array).transpose([1, 0]), "e": 1})["x"].tolist() == array.T.tolist()
        assert round_trip({"x": array.T, "e": 1})["x"].tolist() == array.T.tolist()
        file = io.BytesIO(pickle.dumps({"x": array.astype(">f4"), "y": np.asfortranarray(array)}))
        back = paddle.load(file, return_numpy=True)
        np.testing.assert_array_equal(back["x"], array)
        np.testing.assert_array_equal(back["y"], array)

    def test_containers_and_plain_things(self):
        obj = {
            "n": None,
            "b": True,
            "i": 1 << 70,
            "f": 2.5,
            "c": 1 + 2j,
            "s": "é",
            "y": b"\x00\xff",
            "t": (1, (2,)),
            "l": [[]],
        }
        obj.update(
            {"set": {1, 2}, "frozen": frozenset({3}), (1, "k"): {}, 5: collections.OrderedDict(a=1), "np": np.int8(3)}
        )
        back = round_trip({"all": obj})["all"]
        assert back == obj
        assert [type(v) for v in back.values()] == [type(v) for v in obj.values()]

    def test_kinds_of_their_own_become_plain(self):
        class Colour(enum.IntEnum):
            RED = 3

        Point = collections.namedtuple("Point", "x y")
        obj = {"colour": Colour.RED, "point": Point(1, 2), "default": collections.defaultdict(list, a=[1])}
        obj["shape"] = paddle.to_tensor([1.0]).shape
        assert round_trip(obj) == {"colour": 3, "point": (1, 2), "default": {"a": [1]}, "shape": [1]}

    def test_an_empty_state_dict(self):
        assert round_trip({}) == {}

    def test_arrays_become_tensors_where_there_are_none_beside_them(self):
        array, x = ramp((2,)), paddle.to_tensor([1.0])
        assert isinstance(round_trip([array])[0], paddle.Tensor)
        assert [type(v) for v in round_trip([array, x])] == [np.ndarray, paddle.Tensor]

    def test_return_numpy(self):
        back = round_trip([paddle.to_tensor([1.0]), (paddle.to_tensor(2),)], return_numpy=True)
        assert [type(back[0]), type(back[1][0])] == [np.ndarray] * 2

    def test_a_file_is_a_copy(self, tmp_path):
        x = paddle.to_tensor([1.0])
        paddle.save({"x": x}, tmp_path / "x.pdparams")
        x.set_value(np.float32([2.0]))
        assert paddle.load(tmp_path / "x.pdparams")["x"].item() == 1

    def test_bits_of_bfloat16_find_their_way_into_any_floating_parameter(self):
        x = paddle.to_tensor([1.0, 2.5]).astype("bfloat16")
        bits = round_trip({"x": x}, return_numpy=True)["x"]
        for dtype in ("bfloat16", "float32", "float16"):
            target = paddle.to_tensor([0.0, 0.0]).astype(dtype)
            target.set_value(bits)
            assert (target.tolist(), target.dtype.name) == ([1, 2.5], dtype)

    @pytest.mark.parametrize("protocol", [2, 3])
    def test_big_arrays_are_sliced_for_old_protocols(self, protocol, monkeypatch):
        monkeypatch.setattr(checkpoints, "_SLICE_ELEMENTS", 40)
        state = {"big": paddle.to_tensor(ramp((5, 5))), "small": paddle.to_tensor(ramp((10,)))}
        file = io.BytesIO()
        paddle.save(state, file, protocol=protocol)
        raw = pickle.loads(file.getvalue())
        assert sorted(k for k in raw if "@@." in k) == ["big@@.0", "big@@.1", "big@@.2"]
        assert raw["UnpackBigParamInfor@@"]["big"]["OriginShape"] == (5, 5)
        file.seek(0)
        back = paddle.load(file)
        assert sorted(back) == ["big", "small"]
        np.testing.assert_array_equal(back["big"].numpy(), ramp((5, 5)))
        del raw["big@@.1"]
        with pytest.raises(CheckpointError, match="slices of 'big'"):
            paddle.load(io.BytesIO(pickle.dumps(raw)))


class TestPaths:
    def test_missing_folders_are_made(self, tmp_path):
        paddle.save({"a": 1}, str(tmp_path / "new" / "deep" / "x.pd"))
        assert paddle.load(str(tmp_path / "new" / "deep" / "x.pd")) == {"a": 1}

    @pytest.mark.parametrize("name", ["", "/"])
    def test_a_folder_is_refused(self, tmp_path, name):
        with pytest.raises(InvalidArgument, match="is a folder"):
            paddle.save({"a": 1}, f"{tmp_path}{name}")
        with pytest.raises(CheckpointError, match="is a folder"):
            paddle.load(tmp_path)

    def test_a_missing_file_is_named_with_its_likely_neighbour(self, tmp_path):
        with pytest.raises(CheckpointError, match=r"no file '.*none\.pdparams'$"):
            paddle.load(tmp_path / "none.pdparams")
        with pytest.raises(CheckpointError, match="nor a folder"):
            paddle.load(tmp_path / "nowhere" / "x")
        paddle.save({}, tmp_path / "net.pdparams")
        with pytest.raises(CheckpointError, match=r"did you mean '.*net\.pdparams'"):
            paddle.load(tmp_path / "net")

    @pytest.mark.parametrize("call", [lambda p: paddle.save({}, p), paddle.load])
    def test_a_path_must_be_one(self, call):
        with pytest.raises(InvalidArgument, match="path"):
            call(3)

    @pytest.mark.parametrize(
        ("options", "text"),
        [
            ({"protocol": 1}, "2 to 5"),
            ({"protocol": 6}, "got 6"),
            ({"protocol": "4"}, "'4'"),
            ({"colour": 1}, "colour"),
        ],
    )
    def test_options_are_checked(self, options, text):
        with pytest.raises(InvalidArgument, match=text):
            paddle.save({}, io.BytesIO(), **options)
        with pytest.raises(InvalidArgument, match="unknown option colour"):
            paddle.load(io.BytesIO(), colour=1)

    def test_a_failed_save_leaves_the_old_file_and_nothing_else(self, tmp_path):
        path = tmp_path / "x.pd"
        paddle.save({"a": 1}, path)
        with pytest.raises(InvalidArgument):
            paddle.save({"a": object()}, path)
        with pytest.raises(ZeroDivisionError), atomic_write(path) as file:
            file.write(b"half")
            1 / 0
        assert paddle.load(path) == {"a": 1}
        assert os.listdir(tmp_path) == ["x.pd"]

    def test_permissions_and_links_stay(self, tmp_path):
        real, link = tmp_path / "real.pd", tmp_path / "link.pd"
        paddle.save({"a": 1}, real)
        assert stat.S_IMODE(real.stat().st_mode) & stat.S_IRUSR
        real.chmod(0o640)
        link.symlink_to(real)
        paddle.save({"a": 2}, link)
        assert link.is_symlink()
        assert stat.S_IMODE(real.stat().st_mode) == 0o640
        assert paddle.load(real) == {"a": 2}

    def test_a_device_can_be_written_to(self):
        paddle.save({"a": 1}, os.devnull)


class Layer:
    def state_dict(self):
        return {}


def cycle():
    items = []
    items.append(items)
    return items


@pytest.mark.parametrize(
    ("obj", "text"),
    [
        ({"a": [1, object()]}, r"obj\['a'\]\[1\] is a object"),
        (Layer(), r"save its state_dict\(\) instead"),
        ({"net": Layer()}, r"obj\['net'\] is a Layer"),
        (print, "builtin_function"),
        (np.array([object()]), "dtype object"),
        (cycle(), "contains itself"),
        (Program().data("x", [1], "float32"), "paddle.static.save"),
    ],
)
def test_what_cannot_be_read_safely_is_not_written(obj, text):
    with pytest.raises(InvalidArgument, match=text):
        paddle.save(obj, io.BytesIO())


class Runs:
    """Unpickling this calls a function."""

    def __init__(self, function, *args):
        self.call = (function, args)

    def __reduce__(self):
        return self.call


def pickled(obj, protocol=4):
    return pickle.dumps(obj, protocol=protocol)


def state_of_an_array(dtype_state):
    """A pickle whose dtype is given a state that the file has chosen."""
    dtype = Runs(np.dtype, "f8", False, True)
    dtype.__class__.__reduce__ = lambda self: (*self.call, dtype_state) if self is dtype else self.call
    try:
        return pickled({"x": dtype})
    finally:
        dtype.__class__.__reduce__ = lambda self: self.call


HOSTILE = {
    "os.system": pickled(Runs(os.system, "touch {}")),
    "eval": pickled({"w": Runs(eval, "open('{}', 'w')")}),
    "getattr": pickled(Runs(getattr, "text", "upper")),
    "open": pickled([Runs(open, "{}", "w")]),
    "numpy's loader": pickled(Runs(np.load, "{}")),
    "a class of the framework": pickled(paddle.float32),
    "a class": pickled(Layer),
    "an object array": pickled(np.array([Runs(os.system, "touch {}")], dtype=object)),
    "an array of objects": pickled(np.array([1, None], dtype=object)),
    "a structured array": pickled(np.zeros(2, [("a", "f4")])),
    "a dtype": pickled(np.dtype("f4")),
    "a dtype with flags of its own": state_of_an_array((3, "<", None, None, None, 8, 8, 0x3F)),
    "the name of a type": pickled(np.ndarray),
    "old style": b"cos\nsystem\n(S'touch {}'\ntR.",
    "an extension": b"\x80\x02\x82\x01.",
    "a persistent id": b"\x80\x02X\x01\x00\x00\x00aQ.",
    "protocol 2": pickled(Runs(os.system, "touch {}"), 2),
    "protocol 5": pickled(Runs(os.system, "touch {}"), 5),
}


@pytest.mark.parametrize("content", HOSTILE.values(), ids=HOSTILE)
def test_nothing_in_a_file_is_ever_run(content, tmp_path):
    path, witness = tmp_path / "hostile.pdparams", str(tmp_path / "w")
    path.write_bytes(content.replace(b"{}", witness.encode()) if len(witness) < 3 else content)
    with pytest.raises(CheckpointError, match=r"hostile\.pdparams"):
        paddle.load(path)
    assert os.listdir(tmp_path) == ["hostile.pdparams"]


def test_attributes_set_on_a_container_do_not_reach_us():
    content = b"\x80\x04ccollections\nOrderedDict\n)R}(X\x05\x00\x00\x00itemsX\x01\x00\x00\x00xub."
    assert paddle.load(io.BytesIO(content)) == {}


def good():
    file = io.BytesIO()
    paddle.save({"w": paddle.to_tensor(ramp((4, 5))), "b": paddle.to_tensor(ramp((5,)))}, file)
    return file.getvalue()


def test_a_file_cut_anywhere_is_refused(tmp_path):
    path, content = tmp_path / "cut.pdparams", good()
    for length in range(len(content)):
        path.write_bytes(content[:length])
        with pytest.raises(CheckpointError, match=r"cut\.pdparams"):
            paddle.load(path)


def test_a_file_with_any_byte_changed_gives_data_or_a_clear_error():
    content = good()
    for at in range(len(content)):
        for flip in (0xFF, 0x01):
            damaged = bytearray(content)
            damaged[at] ^= flip
            with contextlib.suppress(CheckpointError):  # and nothing else
                paddle.load(io.BytesIO(bytes(damaged)))


@pytest.mark.parametrize(
    "content",
    [
        b"", b"hello", b"\x80", b"\x80\x04.", b"\x80\x04K\x01", b"PK\x03\x04", b"(" * 100000 + b".",
        b"\x80\x04]" + b"]" * 5000 + b"a" * 5000 + b".",
    ],
)  # fmt: skip
def test_what_is_no_checkpoint_is_refused(content):
    with pytest.raises(CheckpointError, match="no checkpoint"):
        paddle.load(io.BytesIO(content))


def test_a_huge_size_in_a_small_file_is_refused():
    with pytest.raises(CheckpointError):
        paddle.load(io.BytesIO(b"\x80\x04\x8e" + struct.pack("<Q", 1 << 60) + b"x."))


@pytest.mark.parametrize("put", [b"r\xff\xff\xff\xff", b"p4294967295\n"])
def test_a_file_cannot_make_the_reader_take_memory_without_end(put):
    with pytest.raises(CheckpointError, match="memo"):
        paddle.load(io.BytesIO(b"\x80\x02]" + put + b"."))


@pytest.mark.parametrize("protocol", range(6))
def test_every_pickle_protocol_is_read(protocol):
    held = {
        "x": np.arange(300.0),
        "long": list(range(300)),
        "text": "é" * 300,
        "bytes": b"\n" * 3,
        "big": 2**80,
        1: None,
    }
    got = paddle.load(io.BytesIO(pickle.dumps(held, protocol)), return_numpy=True)
    np.testing.assert_array_equal(got.pop("x"), held.pop("x"))
    assert got == held
