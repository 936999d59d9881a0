"""The reverse walk: the chain rule over recorded calls, the same for the tape and for a Program."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from heapq import heappop, heappush
from typing import Any

from paddlite.core.errors import DTypeMismatch, ShapeMismatch
from paddlite.core.mode import current, switched
from paddlite.core.node import Leaf, Node, Watch, freed
from paddlite.core.tensor import Tensor, TensorBase
from paddlite.ops.arithmetic import elementwise_add as add
from paddlite.ops.like import zeros_like

_NOBODY = Watch()


def reverse_walk(
    roots: Sequence[Any],
    seeds: Sequence[Any],
    deliver: Callable[[Any, Any], None],
    *,
    targets: Iterable[Any] | None = None,
    stop_at: Iterable[Any] = (),
    retain: bool = False,
    early: bool = False,
    watch: Callable[[str, list], None] | None = None,
) -> None:
    """Send `seeds` back from the edges `roots`; `deliver(edge, gradient)` is told of each leaf.

    Calls are visited newest first, so that a call is reached when all gradients of its outputs are known.

    Args:
        targets: edges (also inner ones) to deliver for; the walk is cut down to the calls that lead to them.
        stop_at: edges through which nothing flows (`no_grad_vars`).
        retain: keep what the calls saved, so that another walk may follow.
        early: deliver to a leaf as soon as its last use is done, not at the end; costs a pass over the graph before.
        watch: told the name of each call, with `_grad`, and the arrays of the gradients that its rules gave.
    """
    state = _Walk(deliver, retain)
    state.blocked = {_key(edge) for edge in stop_at}
    if targets is not None:
        state.targets = {_key(edge): edge for edge in targets}
        state.leading = _leading_to(roots, state.targets, state.blocked)
        made = {key[0] for key in state.targets if type(key) is tuple}
        state.wanted = state.leading | made
    elif early:
        state.uses = _leaf_uses(roots)
    for edge, seed in zip(roots, seeds, strict=True):
        state.receive(edge, seed)
    state.run(watch)


def _key(edge: Any) -> Any:
    """What makes two edges the same: the node and output index, else the edge object itself."""
    if type(edge) is Node:
        return (edge, 0)
    return edge if edge.node is None else (edge.node, edge.index)


class _Walk:
    __slots__ = ("blocked", "deliver", "heap", "leading", "leaves", "pending", "retain", "targets", "uses", "wanted")

    def __init__(self, deliver: Callable, retain: bool):
        self.deliver, self.retain = deliver, retain
        self.heap: list[tuple[int, Any]] = []
        self.pending: dict[Any, Any] = {}  # node -> gradient, or list of gradients of its outputs
        self.leaves: dict[Any, Any] = {}  # leaf edge -> gradient so far
        self.targets: dict[Any, Any] | None = None
        self.leading: set | None = None  # calls through which a gradient reaches a target
        self.wanted: set | None = None  # these, and the calls that made an inner target
        self.uses: dict[Any, int] | None = None
        self.blocked: set = set()

    def receive(self, edge: Any, gradient: Any) -> None:
        """Add `gradient` to what has come for `edge`."""
        if self.blocked and _key(edge) in self.blocked:
            return
        if type(edge) is Node:
            node, index = edge, 0
        else:
            node = edge.node
            if node is None:
                self._receive_leaf(edge, gradient)
                return
            index = edge.index
        if self.wanted is not None and node not in self.wanted:
            return
        count = node.output_count
        if count == 1:
            if node in self.pending:
                self.pending[node] = add(self.pending[node], gradient)
            else:
                self.pending[node] = gradient
                heappush(self.heap, (node.order, node))
            return
        sums = self.pending.get(node)
        if sums is None:
            sums = self.pending[node] = [None] * count
            heappush(self.heap, (node.order, node))
        sums[index] = gradient if sums[index] is None else add(sums[index], gradient)

    def _receive_leaf(self, leaf: Any, gradient: Any) -> None:
        if self.targets is not None and leaf not in self.targets:
            return
        self.leaves[leaf] = add(self.leaves[leaf], gradient) if leaf in self.leaves else gradient

    def run(self, watch: Callable | None = None) -> None:
        heap, pending, uses, retain = self.heap, self.pending, self.uses, self.retain
        noticing = self.targets is not None
        plain = self.wanted is None and not self.blocked
        while heap:
            node = heappop(heap)[1]
            gradient = pending.pop(node)
            grads = gradient if type(gradient) is list else [gradient]
            if noticing or node.watch is not None:
                self._notice(node, grads)
                if self.leading is not None and node not in self.leading:
                    continue
            if len(grads) > 1 and not node.plan.op.partial_grads:
                grads = [_zeros(node, i) if g is None else g for i, g in enumerate(grads)]
            found = node.flow(grads)
            if watch is not None:
                watch(f"{node.plan.op.name}_grad", [g._data for _, g in found if isinstance(g, Tensor)])
            if not retain:
                node.edges = node.saved = node.attrs = None
            for edge, g in found:
                if g is None:
                    pass
                elif plain and type(edge) is Node and edge.metas is None:
                    if edge in pending:
                        pending[edge] = add(pending[edge], g)
                    else:
                        pending[edge] = g
                        heappush(heap, (edge.order, edge))
                else:
                    self.receive(edge, g)
                if uses is not None and type(edge) is Leaf:
                    self._used(edge)
        for leaf, gradient in self.leaves.items():
            self.deliver(leaf, gradient)

    def _used(self, leaf: Leaf) -> None:
        self.uses[leaf] -= 1  # type: ignore[index]
        if self.uses[leaf] == 0 and leaf in self.leaves:  # type: ignore[index]
            self.deliver(leaf, self.leaves.pop(leaf))

    def _notice(self, node: Any, grads: list) -> None:
        """Hooks, retained gradients and inner targets of the outputs of `node`."""
        watch = node.watch or _NOBODY
        for index, hooks in watch.hooks.items():
            if grads[index] is not None and hooks:
                grads[index] = run_hooks(hooks, grads[index])
                if not current().grad:  # a hook may have kept it: the array of a view is copied before it is owned
                    grads[index] = Tensor(grads[index]._data.view())
        for index, reference in watch.retained.items():
            tensor = reference()
            if tensor is not None and grads[index] is not None:
                tensor._grad = grads[index] if current().grad else Tensor(grads[index]._data.copy(), False)
        if self.targets:
            for index, gradient in enumerate(grads):
                edge = self.targets.get((node, index))
                if edge is not None and gradient is not None:
                    self.deliver(edge, gradient)


def _zeros(node: Any, index: int) -> Any:
    """A gradient for output `index`, which got none."""
    like = node.output_like(index)
    return None if like is None else zeros_like(like)


def run_hooks(hooks: dict[int, Callable], gradient: Any) -> Any:
    """`gradient` as the hooks leave it, in the order in which they were registered.

    A hook runs with gradients on, so that it can compute and differentiate things of its own.

    Raises:
        DTypeMismatch, ShapeMismatch: a hook gave something that cannot take the gradient's place.
    """
    for hook in list(hooks.values()):
        with switched(grad=True):
            changed = hook(gradient)
        if changed is None:
            continue
        if not isinstance(changed, TensorBase):
            raise DTypeMismatch(f"a gradient hook must give a Tensor or None, got {type(changed).__name__}")
        if changed._shape != gradient._shape:
            raise ShapeMismatch(
                f"a gradient hook gave shape {list(changed._shape)} for a gradient of shape {list(gradient._shape)}"
            )
        gradient = changed
    return gradient


def _nodes_below(roots: Iterable[Any]) -> list[Any]:
    """Every call that `roots` depend on, newest first."""
    seen: set = set()
    stack = [edge if type(edge) is Node else edge.node for edge in roots]
    while stack:
        node = stack.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        if node.edges is None:
            raise freed(node.name)
        for edge in node.edges:
            if edge is not None:
                stack.append(edge if type(edge) is Node else edge.node)
    return sorted(seen, key=lambda node: node.order)


def _leaf_uses(roots: Iterable[Any]) -> dict[Any, int]:
    uses: dict[Any, int] = {}
    for node in _nodes_below(roots):
        for edge in node.edges:
            if type(edge) is Leaf:
                uses[edge] = uses.get(edge, 0) + 1
    return uses


def _leading_to(roots: Iterable[Any], targets: dict[Any, Any], blocked: set) -> set:
    """The calls through which a gradient reaches a target, and the calls that made inner targets."""
    leading: set = set()
    for node in reversed(_nodes_below(roots)):  # oldest first: inputs before their users
        for edge in node.edges:
            if edge is None:
                continue
            key = _key(edge)
            if key in blocked:
                continue
            if key in targets or (key[0] if type(key) is tuple else None) in leading:
                leading.add(node)
                break
    return leading
