"""Layers that hold layers or parameters."""

from collections import OrderedDict

import pytest

import paddlite as paddle
from paddlite import nn


def kinds(layers):
    return [layer.tag for layer in layers]


class Tag(nn.Layer):
    """A layer that adds its tag to a list."""

    def __init__(self, tag):
        super().__init__()
        self.tag = tag

    def forward(self, seen):
        return [*seen, self.tag]


def tags(text):
    return [Tag(tag) for tag in text]


def parameter():
    return paddle.create_parameter([1], "float32")


@pytest.mark.parametrize(
    ("arguments", "keys"),
    [
        (tags("ab"), ["0", "1"]),
        ([("x", Tag("a")), ("y", Tag("b"))], ["x", "y"]),
        ([[("x", Tag("a")), ("y", Tag("b"))]], ["x", "y"]),
        ([OrderedDict(x=Tag("a"), y=Tag("b"))], ["x", "y"]),
        ([Tag("a"), ("y", Tag("b"))], ["0", "y"]),
    ],
)
def test_sequential_is_made_of(arguments, keys):
    net = nn.Sequential(*arguments)
    assert list(net._sub_layers) == keys
    assert net([]) == ["a", "b"]


@pytest.mark.parametrize("arguments", [[tags("ab")], [5], [None], [(Tag("a"), Tag("b"))]])
def test_sequential_refuses(arguments):
    with pytest.raises(TypeError):
        nn.Sequential(*arguments)


def test_sequential_is_a_row():
    net = nn.Sequential(("x", Tag("a")), ("y", Tag("b")))
    assert net["x"].tag == net[0].tag == net[-2].tag == "a"
    assert len(net) == 2 and kinds(net) == ["a", "b"]
    assert kinds(net[1:]) == ["b"] and type(net[1:]) is nn.Sequential
    net[1] = Tag("c")
    assert net["y"].tag == "c"
    assert list(net.append(Tag("d"))._sub_layers) == ["x", "y", "2"]
    assert net.extend(tags("ef")).insert(0, Tag("g"))([]) == list("gacdef")
    del net["x"]
    del net[-2:]
    assert net([]) == list("gcd")
    assert list(net._sub_layers) == ["0", "y", "2"]
    with pytest.raises(KeyError, match="'q'"):
        net["q"]
    with pytest.raises(IndexError):
        net[7]


def test_sequential_with_numbers_for_names_never_loses_a_layer():
    net = nn.Sequential(("1", Tag("a")))
    assert net.append(Tag("b"))([]) == ["a", "b"]


def test_layer_list():
    rows = nn.LayerList(tags("abc"))
    assert rows[-1].tag == "c" and kinds(rows[:2]) == ["a", "b"] and type(rows[:2]) is nn.LayerList
    rows[0] = Tag("x")
    rows[-1] = Tag("z")
    assert rows.append(Tag("d")) is rows
    rows.insert(0, Tag("first"))
    rows.insert(-1, Tag("last but one"))
    assert kinds(rows) == ["first", "x", "b", "z", "last but one", "d"]
    del rows[0]
    del rows[1:3]
    assert kinds(rows) == ["x", "last but one", "d"]
    assert list(rows._sub_layers) == ["0", "1", "2"]
    assert rows.pop().tag == "d" and rows.pop(0).tag == "x" and len(rows) == 1
    rows += tags("pq")
    assert kinds(rows + rows) == ["last but one", "p", "q"] * 2
    assert Tag("p") not in list(rows)


@pytest.mark.parametrize(
    ("change", "error"),
    [
        (lambda rows: rows[3], IndexError),
        (lambda rows: rows[-4], IndexError),
        (lambda rows: rows["0"], TypeError),
        (lambda rows: rows.__setitem__(7, Tag("x")), IndexError),
        (lambda rows: rows.__setitem__(0, 5), TypeError),
        (lambda rows: rows.insert(9, Tag("x")), IndexError),
        (lambda rows: rows.append(5), TypeError),
        (lambda rows: rows.extend(5), TypeError),
        (lambda rows: rows.extend(Tag("x")), TypeError),
        (lambda rows: rows([]), NotImplementedError),
    ],
)
def test_layer_list_refuses(change, error):
    rows = nn.LayerList(tags("abc"))
    with pytest.raises(error):
        change(rows)
    assert kinds(rows) == list("abc")


def test_layer_dict():
    heads = nn.LayerDict([("a", Tag("a"))])
    heads["b"] = Tag("b")
    heads.update({"a": Tag("A")})
    heads.update([("c", Tag("c"))])
    assert list(heads) == list(heads.keys()) == ["a", "b", "c"] and len(heads) == 3
    assert kinds(heads.values()) == ["A", "b", "c"] and dict(heads.items())["b"].tag == "b"
    assert heads.pop("a").tag == "A" and "a" not in heads
    del heads["b"]
    heads.clear()
    assert not len(heads)
    for call, error in (
        (lambda: heads["z"], KeyError),
        (lambda: heads.pop("z"), KeyError),
        (lambda: heads.update(5), TypeError),
        (lambda: heads.update([5]), TypeError),
        (lambda: heads.update([(1, 2, 3)]), ValueError),
        (lambda: heads.update({"a": 5}), TypeError),
    ):
        with pytest.raises(error):
            call()


def test_parameter_list():
    rows = nn.ParameterList([parameter(), parameter()])
    new = parameter()
    rows[-1] = new
    assert rows[1] is new and len(rows.append(parameter())) == 3
    assert list(rows.extend([parameter()]).state_dict()) == ["0", "1", "2", "3"]
    assert [p.shape for p in rows] == [[1]] * 4
    with pytest.raises(IndexError):
        rows[9]
    with pytest.raises(TypeError):
        rows.append(5)


def test_parameter_dict():
    table = nn.ParameterDict({"a": parameter()})
    table["b"] = parameter()
    table.update([("c", parameter())])
    assert list(table) == list(table.keys()) == list(table.state_dict()) == ["a", "b", "c"]
    assert "a" in table and len(table) == len(list(table.items())) == len(list(table.values())) == 3
    del table["a"]
    with pytest.raises(KeyError):
        table["a"]
    with pytest.raises(TypeError):
        nn.ParameterDict({"a": 3})
