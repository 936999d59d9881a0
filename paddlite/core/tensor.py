"""The eager tensor: a handle on an array, its place in the gradient graph, and its version."""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np

from paddlite.backend import device
from paddlite.backend.dtypes import FROM_NUMPY, INEXACT, DType
from paddlite.backend.place import Place
from paddlite.core import node as tape
from paddlite.core.meta import Size
from paddlite.core.mode import current
from paddlite.core.op import Op


class TensorBase:
    """What eager tensors and static variables have in common.  `paddlite.tensor` adds methods and operators."""

    __slots__ = ()
    __array_priority__ = 100
    _shape: tuple[int, ...]
    _dtype: np.dtype

    @property
    def shape(self) -> Size:
        """Sizes of the axes, a `paddle.Size` (a list)."""
        return Size(self._shape)

    @property
    def dtype(self) -> DType:
        """The element type, such as `paddle.float32`."""
        return FROM_NUMPY[self._dtype]

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self._shape)


ZEROS: Any = object()  # in place of a gradient that was set to zeros: they are made when someone looks at it


class View:
    """How a tensor came from another whose memory it shares, so that in-place changes reach both.

    `data_only`: made under `no_grad` (or by `detach` in a Program), so that values are shared, but no gradient flows
    between the two.  An eager view of that kind has no parent.
    """

    __slots__ = ("above", "attrs", "cut", "data_only", "op", "parent", "version")

    def __init__(self, parent: Any, op: Op | None, attrs: dict[str, Any], version: list, data_only: bool = False):
        self.parent, self.op, self.attrs, self.version = parent, op, attrs, version[0]
        self.above = None if parent is None else parent._view  # tells whether the handle is still what it was then
        self.data_only = data_only
        self.cut = False  # the user set stop_gradient: nothing flows back to the parent from here
        if len(version) == 1:
            version.append(True)  # this memory has views


def parent_of(x: Any) -> Any:
    """The tensor or variable that `x` is a view of; None where it is none.

    A handle that was given another shape (`reshape_`) is itself a view of what it was before; that is the one meant.
    """
    view = x._view
    if view is None:
        return None
    parent = view.parent
    while parent is not None and parent._view is not view.above:
        parent = parent._view.parent if parent._view is not None else None
    return parent if parent is not None and parent._version is x._version else None


class Tensor(TensorBase):
    """A multi-dimensional array that records what is done to it, so that gradients can be computed.

    Make one with `paddle.to_tensor`.  `stop_gradient` is True where no gradient is wanted (the default).

    >>> import paddlite as paddle
    >>> x = paddle.to_tensor([3.0], stop_gradient=False)
    >>> (x * x).backward()
    >>> x.grad.item()
    6.0
    """

    __slots__ = (
        "__dict__",
        "__weakref__",
        "_data",
        "_edge",
        "_grad",
        "_name",
        "_persistable",
        "_stop",
        "_version",
        "_view",
    )

    def __init__(self, data: Any, stop_gradient: bool = True, edge: Any = None):
        self._data = data
        self._stop = stop_gradient
        self._edge = edge
        self._view: View | None = None
        self._version = [0]  # shared by all tensors over one memory
        if not stop_gradient and edge is None:
            self._edge = tape.Leaf(self)

    _block = None  # a static Variable has one

    @property
    def _shape(self) -> tuple[int, ...]:  # type: ignore[override]
        return self._data.shape

    @property
    def _dtype(self) -> np.dtype:  # type: ignore[override]
        return self._data.dtype

    @property
    def stop_gradient(self) -> bool:
        """False where gradients are computed for this tensor."""
        if self._view is not None:
            refresh(self)
        return self._stop

    @stop_gradient.setter
    def stop_gradient(self, stop: bool) -> None:
        if self._view is not None:
            refresh(self)
            self._view.cut = bool(stop)
        self._stop = bool(stop)
        if not stop and self._edge is None:
            self._edge = tape.Leaf(self)

    @property
    def is_leaf(self) -> bool:
        """True where no recorded op made this tensor, or where its gradient is not wanted."""
        return self.stop_gradient or type(self._edge) is tape.Leaf

    @property
    def grad(self) -> Tensor | None:
        """The gradient that `backward` has gathered here, or None."""
        try:
            gradient = self._grad
        except AttributeError:
            return None
        if gradient is ZEROS:
            xp = device.module_of(self._data)
            gradient = self._grad = Tensor(xp.zeros_like(self._data), False)
        return gradient

    @grad.setter
    def grad(self, value: Tensor | None) -> None:
        if value is None:
            self._grad = None
            return
        if not isinstance(value, Tensor):
            raise TypeError(f"grad must be a Tensor or None, got {type(value).__name__}")
        if value._shape != self._shape:
            raise ValueError(f"grad has shape {value.shape}, but the tensor has shape {self.shape}")
        # backward adds to gradients in place, so this one must have memory of its own
        self._grad = value if not value.is_leaf else Tensor(value._data.copy(), False)

    @property
    def inplace_version(self) -> int:
        """How often the memory of this tensor was changed in place."""
        return self._version[0]

    @property
    def name(self) -> str:
        """The tensor's unique name."""
        try:
            return self._name
        except AttributeError:
            self._name = current().names.new("generated_tensor")
            return self._name

    @name.setter
    def name(self, value: str) -> None:
        self._name = str(value)

    @property
    def persistable(self) -> bool:
        """True for parameters and buffers, which outlive a step."""
        try:
            return self._persistable
        except AttributeError:
            return False

    @persistable.setter
    def persistable(self, value: bool) -> None:
        self._persistable = bool(value)

    @property
    def place(self) -> Place:
        """Where the memory lies."""
        return device.place_of(self._data)


class Parameter(Tensor):
    """A tensor that an optimizer trains; `nn.Layer` registers it where it is assigned to an attribute.

    Args:
        data: an array, or a tensor whose memory is shared; left out, no elements.
        trainable: False keeps it fixed.
        name: its name; left out, a new one.
        requires_grad: another name for `trainable`.
    """

    __slots__ = ()

    def __init__(
        self, data: Any = None, trainable: bool = True, name: str | None = None, requires_grad: bool | None = None
    ):
        data = np.empty(0, current().default_dtype) if data is None else data
        data = data._data if isinstance(data, Tensor) else data
        super().__init__(data, not (trainable if requires_grad is None else requires_grad))
        self._name = name if name is not None else current().names.new("param")
        self._persistable = True
        self.optimize_attr = {"learning_rate": 1.0}
        self.regularizer = None
        self.need_clip = True
        self.is_distributed = False

    @property
    def trainable(self) -> bool:
        """True where the parameter takes part in training; the opposite of `stop_gradient`."""
        return not self._stop

    @trainable.setter
    def trainable(self, value: bool) -> None:
        self.stop_gradient = not value


tape._tensor_class = Tensor


def link_view(out: Tensor, parent: Tensor, op: Op, attrs: dict[str, Any], tracked: bool) -> None:
    """Make `out` a view of `parent`, where both share memory."""
    if not np_shares(out._data, parent._data):
        return
    out._version = version = parent._version
    if tracked or current().grad:
        out._view = View(parent, op, attrs, version)
    else:
        out._view = View(None, op, attrs, version, True)


def np_shares(a: Any, b: Any) -> bool:
    """True where the arrays' memory overlaps."""
    if type(a) is np.ndarray:
        owner = b if b.base is None else b.base
        return a.base is owner or a is b or np.may_share_memory(a, b)
    return device.cupy().may_share_memory(a, b)


def refresh(tensor: Tensor) -> None:
    """Bring the edge of a view up to date after an in-place change of the memory it shares."""
    view = tensor._view
    if view is None or view.version == tensor._version[0]:
        return
    view.version = tensor._version[0]
    parent = None if view.cut else parent_of(tensor)
    if parent is None:
        return
    refresh(parent)
    if parent._stop:
        if type(tensor._edge) is not tape.Leaf:
            tensor._edge, tensor._stop = None, True
        return
    plan = view.op.plan(1) if view.op is not None else None
    if plan is not None and tensor._data.dtype in INEXACT:
        stand_in = Tensor(tensor._data)
        tape.make_node(plan, view.attrs, (parent,), (stand_in,))
        tensor._edge, tensor._stop = stand_in._edge, False


def proxy(leaf: tape.Leaf) -> Tensor | None:
    """The tensor that `leaf` delivers to, or None where it is gone."""
    found: weakref.ref = leaf.tensor
    return found()
