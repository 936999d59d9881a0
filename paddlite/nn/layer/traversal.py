"""Walking through a layer and those below it: parameters, buffers, sub-layers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from paddlite.core.errors import InvalidArgument
from paddlite.core.tensor import Parameter, Tensor

if TYPE_CHECKING:
    from paddlite.nn.layer.layers import Layer


class Traversal:
    """The part of `Layer` that finds things in it.  What is shared is listed once, under its first name."""

    _parameters: dict[str, Any]
    _buffers: dict[str, Any]
    _sub_layers: dict[str, Any]

    def named_sublayers(
        self,
        prefix: str = "",
        include_self: bool = False,
        layers_set: set | None = None,
        remove_duplicate: bool = True,
    ) -> Iterator[tuple[str, Layer]]:
        """All layers below this one with their names, parents before children.

        Args:
            prefix: put before each name, with a dot.
            include_self: begin with this layer itself, under the name `prefix`.
            layers_set: layers to leave out; those found are added to it.
            remove_duplicate: False lists a layer under each of its names.
        """
        seen = set() if layers_set is None else layers_set
        if include_self and not (remove_duplicate and self in seen):
            seen.add(self)
            yield prefix, self  # type: ignore[misc]
        for name, child in self._sub_layers.items():
            if child is not None and not (remove_duplicate and child in seen):
                yield from child.named_sublayers(_joined(prefix, name), True, seen, remove_duplicate)

    def sublayers(self, include_self: bool = False) -> list[Layer]:
        """All layers below this one."""
        return [layer for _, layer in self.named_sublayers(include_self=include_self)]

    def named_modules(
        self, memo: set | None = None, prefix: str = "", remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Layer]]:
        """`named_sublayers` that begins with this layer itself."""
        return self.named_sublayers(prefix, True, memo, remove_duplicate)

    def modules(self) -> Iterator[Layer]:
        """This layer and all below it."""
        return (layer for _, layer in self.named_modules())

    def named_children(self) -> Iterator[tuple[str, Layer]]:
        """The layers directly below this one with their names."""
        seen = set()
        for name, child in self._sub_layers.items():
            if child is not None and child not in seen:
                seen.add(child)
                yield name, child

    def children(self) -> Iterator[Layer]:
        """The layers directly below this one."""
        return (child for _, child in self.named_children())

    def named_parameters(
        self, prefix: str = "", include_sublayers: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Parameter]]:
        """The parameters with their names, such as `encoder.0.weight`.

        Args:
            prefix: put before each name, with a dot.
            include_sublayers: False gives this layer's own only.
            remove_duplicate: False lists a shared parameter under each of its names.

        >>> import paddlite as paddle
        >>> net = paddle.nn.Sequential(paddle.nn.Linear(2, 3), paddle.nn.Linear(3, 1, bias_attr=False))
        >>> [name for name, _ in net.named_parameters()]
        ['0.weight', '0.bias', '1.weight']
        """
        return self._named("_parameters", prefix, include_sublayers, remove_duplicate)

    def parameters(self, include_sublayers: bool = True) -> list[Parameter]:
        """The parameters, each once."""
        return [parameter for _, parameter in self.named_parameters(include_sublayers=include_sublayers)]

    def named_buffers(
        self, prefix: str = "", include_sublayers: bool = True, remove_duplicate: bool = True
    ) -> Iterator[tuple[str, Tensor]]:
        """The buffers with their names; arguments as for `named_parameters`."""
        return self._named("_buffers", prefix, include_sublayers, remove_duplicate)

    def buffers(self, include_sublayers: bool = True) -> list[Tensor]:
        """The buffers, each once."""
        return [buffer for _, buffer in self.named_buffers(include_sublayers=include_sublayers)]

    def _named(self, registry: str, prefix: str, below: bool, once: bool) -> Iterator[tuple[str, Any]]:
        layers = self.named_sublayers(prefix, True, remove_duplicate=once) if below else [(prefix, self)]
        seen = set()
        for path, layer in layers:
            for name, value in getattr(layer, registry).items():
                if value is None or (once and id(value) in seen):
                    continue
                seen.add(id(value))
                yield _joined(path, name), value

    def apply(self, fn: Callable[[Any], Any]) -> Any:
        """Call `fn` with each layer below and then with this one; gives the layer itself.

        >>> import paddlite as paddle
        >>> net = paddle.nn.Sequential(paddle.nn.Linear(1, 1))
        >>> _ = net.apply(lambda layer: print(type(layer).__name__))
        Linear
        Sequential
        """
        for child in self.children():
            child.apply(fn)
        fn(self)
        return self

    def clear_gradients(self, set_to_zero: bool = True) -> None:
        """Set the gradients of all trained parameters to zeros, or remove them where `set_to_zero` is False."""
        for parameter in self.parameters():
            if not parameter.stop_gradient:
                parameter.clear_gradient(set_to_zero)  # type: ignore[attr-defined]

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Remove the gradients of all trained parameters, or set them to zeros where `set_to_none` is False."""
        self.clear_gradients(not set_to_none)

    def requires_grad_(self, requires_grad: bool = True) -> Any:
        """Choose whether the parameters are trained; gives the layer itself."""
        for parameter in self.parameters():
            parameter.stop_gradient = not requires_grad
        return self

    def get_sublayer(self, target: str) -> Any:
        """The layer below this one at the path `target`, such as "encoder.0"; this layer itself for "".

        Raises:
            AttributeError: there is none.
        """
        layer: Any = self
        for name in target.split(".") if target else ():
            found = getattr(layer, "_sub_layers", {}).get(name)
            if found is None:
                raise AttributeError(f"{type(layer).__name__} has no layer '{name}' (looking for '{target}')")
            layer = found
        return layer

    get_submodule = get_sublayer

    def set_sublayer(self, target: str, layer: Any, strict: bool = False) -> None:
        """Put `layer` at the path `target`; with `strict` only where there is a layer already.

        Raises:
            ValueError: `target` is empty.
            AttributeError: the path does not lead anywhere.
        """
        if not target:
            raise InvalidArgument("set_sublayer: target must name the place of the layer, got ''")
        path, _, name = target.rpartition(".")
        parent = self.get_sublayer(path)
        if strict and parent._sub_layers.get(name) is None:
            raise AttributeError(f"{type(parent).__name__} has no layer '{name}' (looking for '{target}')")
        parent.add_sublayer(name, layer)

    set_submodule = set_sublayer

    def get_parameter(self, target: str) -> Parameter:
        """The parameter at the path `target`, such as "encoder.0.weight".

        Raises:
            AttributeError: there is none.
        """
        return self._at(target, "_parameters", "parameter")

    def get_buffer(self, target: str) -> Tensor:
        """The buffer at the path `target`.

        Raises:
            AttributeError: there is none.
        """
        return self._at(target, "_buffers", "buffer")

    def _at(self, target: str, registry: str, kind: str) -> Any:
        path, _, name = target.rpartition(".")
        layer = self.get_sublayer(path)
        found = getattr(layer, registry).get(name)
        if found is None:
            raise AttributeError(f"{type(layer).__name__} has no {kind} '{name}' (looking for '{target}')")
        return found


def _joined(prefix: str, name: str) -> str:
    return f"{prefix}.{name}" if prefix else name
