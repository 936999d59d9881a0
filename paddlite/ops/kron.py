"""The Kronecker product."""

from __future__ import annotations

from typing import Any

from paddlite.core.meta import Meta
from paddlite.core.op import defop
from paddlite.core.promote import promote_types
from paddlite.ops.infer import broadcast


def _aligned(shape: tuple[int, ...], rank: int) -> tuple[int, ...]:
    return (1,) * (rank - len(shape)) + tuple(shape)


def _kron_infer(x: Meta, y: Meta) -> Meta:
    rank = max(len(x.shape), len(y.shape))
    sizes = zip(_aligned(x.shape, rank), _aligned(y.shape, rank))
    return Meta(tuple([-1 if -1 in pair else pair[0] * pair[1] for pair in sizes]), promote_types(x.dtype, y.dtype))


@defop(
    "kron",
    infer=_kron_infer,
    promote=("x", "y"),
    vjp={
        "x": lambda g, y, like_x: kron_contract(g, y, like_x, first=True),
        "y": lambda g, x, like_y: kron_contract(g, x, like_y, first=False),
    },
)
def kron(xp: Any, x: Any, y: Any) -> Any:
    """Every element of `x` times the whole of `y`: a block matrix, for tensors of any rank."""
    rank = max(x.ndim, y.ndim)
    a, b = _aligned(x.shape, rank), _aligned(y.shape, rank)
    left = x.reshape([size for s in a for size in (s, 1)])
    right = y.reshape([size for s in b for size in (1, s)])
    return (left * right).reshape([p * q for p, q in zip(a, b)])


def _contract_infer(g: Meta, other: Meta, like: Meta, *, first: bool) -> Meta:
    return Meta(like.shape, broadcast(Meta((), g.dtype), Meta((), other.dtype)).dtype)


def _contract_g_rule(g: Any, other: Any, first: bool) -> Any:
    return kron(g, other) if first else kron(other, g)


@defop(
    "kron_contract",
    infer=_contract_infer,
    shape_only=("like",),
    vjp={
        "blocks": _contract_g_rule,
        "other": lambda g, blocks, like_other, first: kron_contract(blocks, g, like_other, first=not first),
    },
)
def kron_contract(xp: Any, blocks: Any, other: Any, like: Any, *, first: bool) -> Any:
    """The gradient of the first (or second) factor of a Kronecker product whose other factor is `other`."""
    rank = blocks.ndim
    mine, theirs = _aligned(like.shape, rank), _aligned(other.shape, rank)
    pairs = zip(mine, theirs) if first else zip(theirs, mine)
    split = blocks.reshape([size for pair in pairs for size in pair])
    factor = other.conj().reshape([size for s in theirs for size in ((1, s) if first else (s, 1))])
    summed = tuple(range(1, 2 * rank, 2)) if first else tuple(range(0, 2 * rank, 2))
    return (split * factor).sum(axis=summed).reshape(like.shape)
