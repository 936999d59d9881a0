"""Lengths as masks, beams as sequences, and class centres to train."""

from __future__ import annotations

from typing import Any

import numpy as np

from paddlite.backend.random import Stream, permutation
from paddlite.core.errors import InvalidArgument, ShapeMismatch
from paddlite.core.meta import Meta
from paddlite.core.op import defop
from paddlite.ops.embedding import checked_rows
from paddlite.ops.infer import require_integer


def _mask_infer(x: Meta, *, maxlen: int | None, dtype: np.dtype) -> Meta:
    return Meta((*x.shape, -1 if maxlen is None else maxlen), dtype)


@defop("sequence_mask", infer=_mask_infer, amp="never", native_half=True)
def sequence_mask(xp: Any, x: Any, *, maxlen: int | None, dtype: np.dtype) -> Any:
    """1 at places below each length along a new last axis, 0 elsewhere; as many places as the longest or `maxlen`."""
    size = maxlen if maxlen is not None else int(x.max()) if x.size else 0
    return (xp.arange(size) < x[..., None]).astype(dtype)


def _tree_infer(ids: Meta, parents: Meta) -> Meta:
    require_integer("gather_tree", ids=ids, parents=parents)
    if len(ids.shape) != 3 or len(parents.shape) != 3:
        raise ShapeMismatch(
            f"gather_tree: want ids and parents [length, batch, beams], got {list(ids.shape)} and {list(parents.shape)}"
        )
    return Meta(ids.shape, ids.dtype)


@defop("gather_tree", infer=_tree_infer, amp="never", check=True)
def gather_tree(xp: Any, ids: Any, parents: Any) -> Any:
    """The sequence that ends in each beam of the last step, followed back through the beams it came from."""
    out = xp.empty_like(ids)
    steps, batch, beams = ids.shape
    rows, beam = xp.arange(batch)[:, None], xp.broadcast_to(xp.arange(beams), (batch, beams))
    for step in range(steps - 1, -1, -1):
        out[step] = ids[step][rows, beam]
        beam = parents[step][rows, beam]
    return out


def _sample_infer(label: Meta, *, classes: int, count: int, stream: Any) -> tuple[Meta, Meta]:
    require_integer("class_center_sample", label=label)
    if len(label.shape) != 1:
        raise ShapeMismatch(f"class_center_sample: label must have shape [N], got {list(label.shape)}")
    if not 0 < count <= classes:
        raise InvalidArgument(f"class_center_sample: num_samples must be in [1, num_classes = {classes}], got {count}")
    return Meta(label.shape, label.dtype), Meta((-1,), label.dtype)


@defop(
    "class_center_sample", infer=_sample_infer, outputs=("remapped", "centers"), amp="never", check=True, random=True
)
def class_center_sample(xp: Any, label: Any, *, classes: int, count: int, stream: Stream) -> tuple[Any, Any]:
    """(labels counted among the centres, the centres): all classes that occur, then others at random up to `count`."""
    present, places = xp.unique(checked_rows(xp, "class_center_sample", label, classes), return_inverse=True)
    missing = count - len(present)
    if missing > 0:
        others = xp.ones(classes, np.bool_)
        others[present] = False
        order = permutation(xp, stream, classes)
        present = xp.concatenate([present, order[others[order]][:missing]])
    return places.reshape(label.shape).astype(label.dtype), present.astype(label.dtype)
