"""Layers that hold other layers or parameters."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from paddlite.core.errors import DTypeMismatch, IndexOutOfRange, InvalidArgument
from paddlite.core.tensor import Parameter
from paddlite.nn.layer.layers import Layer

__all__ = ["LayerDict", "LayerList", "ParameterDict", "ParameterList", "Sequential"]


def _position(index: Any, count: int, owner: str) -> int:
    """`index` counted from the front.

    Raises:
        IndexOutOfRange: there is no such entry.
    """
    if not hasattr(index, "__index__"):
        raise DTypeMismatch(f"{owner}: an index must be a whole number or a slice, got {index!r:.60}")
    number = index.__index__()
    if not -count <= number < count:
        raise IndexOutOfRange(f"{owner}: index {number} is out of range for {count} entries; want [{-count}, {count})")
    return number % count


def _layer(value: Any, owner: str) -> Layer:
    if not isinstance(value, Layer):
        raise DTypeMismatch(f"{owner}: every entry must be a Layer, got {type(value).__name__} {value!r:.60}")
    return value


def _pairs(entries: Any, owner: str) -> list[tuple[str, Any]]:
    """`entries` as (key, value) pairs.

    Raises:
        TypeError, ValueError: they are no mapping and no pairs.
    """
    if hasattr(entries, "items"):
        return list(entries.items())
    if isinstance(entries, Layer) or not isinstance(entries, Iterable):
        raise DTypeMismatch(f"{owner}: entries must be a mapping or (key, value) pairs, got {type(entries).__name__}")
    found = []
    for i, pair in enumerate(entries):
        if not isinstance(pair, (tuple, list)):
            raise DTypeMismatch(f"{owner}: entry {i} must be a (key, value) pair, got {type(pair).__name__}")
        if len(pair) != 2:
            raise InvalidArgument(f"{owner}: entry {i} must be a (key, value) pair, got {len(pair)} values")
        found.append((pair[0], pair[1]))
    return found


class _Numbered(Layer):
    """A row of layers that `append`, `extend` and `insert` change; the keys of `LayerList` are always 0, 1, ..."""

    _kept_names = False

    def __len__(self) -> int:
        return len(self._sub_layers)

    def __iter__(self) -> Iterator[Any]:
        return iter(list(self._sub_layers.values()))

    def _key(self, index: Any) -> str:
        return list(self._sub_layers)[_position(index, len(self), type(self).__name__)]

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return self._part(list(self._sub_layers.items())[index])
        if type(index) is int and not self._kept_names and index >= 0:
            found = self._sub_layers.get(str(index))
            if found is not None:
                return found
        return self._sub_layers[self._key(index)]

    def _part(self, items: list) -> Any:
        raise NotImplementedError

    def __setitem__(self, index: Any, layer: Layer) -> None:
        self._sub_layers[self._key(index)] = _layer(layer, type(self).__name__)

    def __delitem__(self, index: Any) -> None:
        keys = list(self._sub_layers)[index] if isinstance(index, slice) else [self._key(index)]
        for key in keys:
            del self._sub_layers[key]
        self._renumber(list(self._sub_layers.items()))

    def _renumber(self, items: list) -> None:
        """Hold exactly `items`, with numbers for names."""
        self._sub_layers.clear()
        for i, (name, layer) in enumerate(items):
            self._sub_layers[name if self._kept_names and not name.isdigit() else str(i)] = layer

    def append(self, layer: Layer) -> Any:
        """Add `layer` at the end; gives the container itself."""
        number = len(self)
        while str(number) in self._sub_layers:
            number += 1
        self.add_sublayer(str(number), _layer(layer, type(self).__name__))
        return self

    def extend(self, layers: Iterable[Layer]) -> Any:
        """Add all of `layers` at the end; gives the container itself."""
        if isinstance(layers, Layer) and not hasattr(layers, "__iter__"):
            raise DTypeMismatch(f"{type(self).__name__}.extend wants several layers, got one; use append")
        for layer in layers:
            self.append(layer)
        return self

    def insert(self, index: int, layer: Layer) -> Any:
        """Put `layer` before entry `index`; gives the container itself.

        Raises:
            IndexError: `index` lies outside of [-n, n].
        """
        if not -len(self) <= index <= len(self):
            raise IndexOutOfRange(
                f"{type(self).__name__}.insert: index {index} is out of range; want [{-len(self)}, {len(self)}]"
            )
        items = list(self._sub_layers.items())
        items.insert(index, ("0", _layer(layer, type(self).__name__)))
        self._renumber(items)
        return self

    def pop(self, index: int = -1) -> Layer:
        """Take entry `index` out and give it."""
        layer = self[index]
        del self[index]
        return layer


class Sequential(_Numbered):
    """Layers that are called one after the other.

    Args:
        layers: layers, or (name, layer) pairs, or one mapping of names to layers.

    Raises:
        TypeError: an argument is something else.

    >>> import paddlite as paddle
    >>> net = paddle.nn.Sequential(paddle.nn.Linear(2, 3), paddle.nn.Flatten(0))
    >>> net(paddle.to_tensor([[1.0, 2.0]])).shape
    paddle.Size([3])
    >>> paddle.nn.Sequential(("last", net))
    Sequential(
      (last): Sequential(
        (0): Linear(in_features=2, out_features=3, dtype=float32)
        (1): Flatten()
      )
    )
    """

    _kept_names = True

    def __init__(self, *layers: Any):
        super().__init__()
        if len(layers) == 1 and isinstance(layers[0], Mapping):
            layers = tuple(layers[0].items())
        elif len(layers) == 1 and isinstance(layers[0], (list, tuple)) and _all_pairs(layers[0]):
            layers = tuple(layers[0])
        for i, entry in enumerate(layers):
            if isinstance(entry, (tuple, list)) and len(entry) == 2 and isinstance(entry[0], str):
                self.add_sublayer(entry[0], _layer(entry[1], "Sequential"))
            elif isinstance(entry, (tuple, list)):
                raise DTypeMismatch(
                    "Sequential: give the layers one by one, Sequential(*layers), or as (name, layer) pairs; got a "
                    f"{type(entry).__name__} of {len(entry)}"
                )
            else:
                self.add_sublayer(str(i), _layer(entry, "Sequential"))

    def _part(self, items: list) -> Sequential:
        return Sequential(*[layer if name.isdigit() else (name, layer) for name, layer in items])

    def _key(self, index: Any) -> str:
        if isinstance(index, str):
            if index not in self._sub_layers:
                raise KeyError(f"Sequential has no layer '{index}'; it has {list(self._sub_layers)}")
            return index
        return super()._key(index)

    def forward(self, input: Any) -> Any:
        for layer in self._sub_layers.values():
            input = layer(input)
        return input


def _all_pairs(entries: Sequence) -> bool:
    return bool(entries) and all(
        isinstance(e, (tuple, list)) and len(e) == 2 and isinstance(e[0], str) for e in entries
    )


class LayerList(_Numbered):
    """A list of layers.

    Args:
        sublayers: the first layers.

    >>> import paddlite as paddle
    >>> rows = paddle.nn.LayerList([paddle.nn.Linear(1, n) for n in range(1, 4)])
    >>> rows[-1]
    Linear(in_features=1, out_features=3, dtype=float32)
    >>> len(rows.append(paddle.nn.Flatten()))
    4
    """

    def __init__(self, sublayers: Iterable[Layer] | None = None):
        super().__init__()
        if sublayers is not None:
            self.extend(sublayers)

    def _part(self, items: list) -> LayerList:
        return LayerList([layer for _, layer in items])

    def __add__(self, other: Iterable[Layer]) -> LayerList:
        return LayerList([*self, *other])

    def __iadd__(self, other: Iterable[Layer]) -> LayerList:
        return self.extend(list(other))


class LayerDict(Layer):
    """A dictionary of layers.

    Args:
        sublayers: a mapping, or (key, layer) pairs.

    >>> import paddlite as paddle
    >>> heads = paddle.nn.LayerDict({"class": paddle.nn.Linear(4, 10), "box": paddle.nn.Linear(4, 4)})
    >>> list(heads.keys()), "box" in heads
    (['class', 'box'], True)
    """

    def __init__(self, sublayers: Any = None):
        super().__init__()
        if sublayers is not None:
            self.update(sublayers)

    def __getitem__(self, key: str) -> Any:
        return self._sub_layers[key]

    def __setitem__(self, key: str, layer: Layer) -> None:
        self.add_sublayer(key, _layer(layer, "LayerDict"))

    def __delitem__(self, key: str) -> None:
        del self._sub_layers[key]

    def __len__(self) -> int:
        return len(self._sub_layers)

    def __iter__(self) -> Iterator[str]:
        return iter(self._sub_layers)

    def __contains__(self, key: object) -> bool:
        return key in self._sub_layers

    def clear(self) -> None:
        """Take all layers out."""
        self._sub_layers.clear()

    def pop(self, key: str) -> Layer:
        """Take the layer `key` out and give it."""
        return self._sub_layers.pop(key)

    def keys(self) -> Iterable[str]:
        """The keys."""
        return self._sub_layers.keys()

    def items(self) -> Iterable[tuple[str, Layer]]:
        """The (key, layer) pairs."""
        return self._sub_layers.items()

    def values(self) -> Iterable[Layer]:
        """The layers."""
        return self._sub_layers.values()

    def update(self, sublayers: Any) -> None:
        """Add or replace layers: a mapping, or (key, layer) pairs."""
        for key, layer in _pairs(sublayers, "LayerDict"):
            self[key] = layer


class ParameterList(Layer):
    """A list of parameters.

    >>> import paddlite as paddle
    >>> rows = paddle.nn.ParameterList([paddle.create_parameter([n], "float32") for n in (1, 2)])
    >>> [parameter.shape[0] for parameter in rows], len(rows.state_dict())
    ([1, 2], 2)
    """

    def __init__(self, parameters: Iterable[Parameter] | None = None):
        super().__init__()
        for parameter in parameters or ():
            self.append(parameter)

    def __getitem__(self, index: int) -> Parameter:
        return self._parameters[str(_position(index, len(self), "ParameterList"))]

    def __setitem__(self, index: int, parameter: Parameter) -> None:
        self.add_parameter(str(_position(index, len(self), "ParameterList")), parameter)

    def __len__(self) -> int:
        return len(self._parameters)

    def __iter__(self) -> Iterator[Parameter]:
        return iter(list(self._parameters.values()))

    def append(self, parameter: Parameter) -> ParameterList:
        """Add `parameter` at the end; gives the list itself."""
        self.add_parameter(str(len(self)), parameter)
        return self

    def extend(self, parameters: Iterable[Parameter]) -> ParameterList:
        """Add all of `parameters` at the end; gives the list itself."""
        for parameter in parameters:
            self.append(parameter)
        return self


class ParameterDict(Layer):
    """A dictionary of parameters.

    Args:
        parameters: a mapping, or (key, parameter) pairs.
    """

    def __init__(self, parameters: Any = None):
        super().__init__()
        if parameters is not None:
            self.update(parameters)

    def __getitem__(self, key: str) -> Parameter:
        return self._parameters[key]

    def __setitem__(self, key: str, parameter: Parameter) -> None:
        self.add_parameter(key, parameter)

    def __delitem__(self, key: str) -> None:
        del self._parameters[key]

    def __len__(self) -> int:
        return len(self._parameters)

    def __iter__(self) -> Iterator[str]:
        return iter(self._parameters)

    def __contains__(self, key: object) -> bool:
        return key in self._parameters

    def keys(self) -> Iterable[str]:
        """The keys."""
        return self._parameters.keys()

    def items(self) -> Iterable[tuple[str, Parameter]]:
        """The (key, parameter) pairs."""
        return self._parameters.items()

    def values(self) -> Iterable[Parameter]:
        """The parameters."""
        return self._parameters.values()

    def update(self, parameters: Any) -> None:
        """Add or replace parameters: a mapping, or (key, parameter) pairs."""
        for key, parameter in _pairs(parameters, "ParameterDict"):
            self[key] = parameter
