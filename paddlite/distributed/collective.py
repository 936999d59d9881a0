"""Collective operations on tensors, in place as in the reference.  With one process each gives back what it got."""

from __future__ import annotations

from typing import Any

import numpy as np

from paddlite.core.errors import InvalidArgument, ShapeMismatch
from paddlite.core.tensor import Tensor
from paddlite.distributed.environment import communicator, get_world_size
from paddlite.distributed.group import Group


class ReduceOp:
    """How values of several processes are made one."""

    SUM = "sum"
    MAX = "max"
    MIN = "min"
    PROD = "prod"
    AVG = "avg"


class Task:
    """What a collective gives back: it is done already."""

    def wait(self) -> bool:
        """True: the operation is done."""
        return True

    def is_completed(self) -> bool:
        return True


_DONE = Task()


def _put(tensor: Tensor, array: Any) -> None:
    tensor._data[...] = array
    tensor._version[0] += 1


def _outside(group: Group | None) -> bool:
    return group is not None and not group.is_member()


def _local(rank: int, group: Group | None, what: str) -> int:
    """The number within the group of the process that has number `rank` in the job."""
    found = rank if group is None else group.get_group_rank(rank)
    if not 0 <= found < get_world_size(group):
        raise InvalidArgument(f"{what}: there is no process {rank} in a group of {get_world_size(group)}")
    return found


def all_reduce(tensor: Tensor, op: str = ReduceOp.SUM, group: Group | None = None, sync_op: bool = True) -> Task:
    """Replace `tensor` by the reduction of it over all processes.

    Args:
        tensor: any dtype; halves are added up in float32.
        op: one of `ReduceOp`.
        group: the processes that take part; all where left out.

    >>> import paddlite as paddle
    >>> x = paddle.to_tensor([1.0, 2.0])
    >>> paddle.distributed.all_reduce(x).wait(), x.tolist()
    (True, [1.0, 2.0])
    """
    if not _outside(group):
        _put(tensor, communicator(group).all_reduce(tensor._data, op))
    return _DONE


def broadcast(tensor: Tensor, src: int, group: Group | None = None, sync_op: bool = True) -> Task:
    """Replace `tensor` by that of process `src`; shapes and dtypes must agree."""
    source = _local(src, group, "broadcast")
    if not _outside(group):
        _put(tensor, communicator(group).broadcast(tensor._data, source))
    return _DONE


def reduce(tensor: Tensor, dst: int, op: str = ReduceOp.SUM, group: Group | None = None, sync_op: bool = True) -> Task:
    """Replace `tensor` on process `dst` by the reduction over all; elsewhere it stays."""
    root = _local(dst, group, "reduce")
    if not _outside(group):
        _put(tensor, communicator(group).reduce(tensor._data, root, op))
    return _DONE


def all_gather(tensor_list: list, tensor: Tensor, group: Group | None = None, sync_op: bool = True) -> Task:
    """Append the tensors of all processes to `tensor_list`, in order of rank."""
    if not _outside(group):
        tensor_list.extend(Tensor(a) for a in communicator(group).all_gather(tensor._data))
    return _DONE


def scatter(
    tensor: Tensor, tensor_list: list | None = None, src: int = 0, group: Group | None = None, sync_op: bool = True
) -> Task:
    """Replace `tensor` by element `rank` of the `tensor_list` of process `src`."""
    source = _local(src, group, "scatter")
    if _outside(group):
        return _DONE
    comm = communicator(group)
    arrays = None
    if comm.rank == source:
        if tensor_list is None or len(tensor_list) != comm.size:
            raise InvalidArgument(f"scatter: process {src} must give a list of {comm.size} tensors")
        arrays = [t._data for t in tensor_list]
    _put(tensor, comm.scatter(arrays, tensor._data, source))
    return _DONE


def reduce_scatter(
    tensor: Tensor, tensor_list: list, op: str = ReduceOp.SUM, group: Group | None = None, sync_op: bool = True
) -> Task:
    """Replace `tensor` by the reduction over all processes of element `rank` of their lists."""
    if _outside(group):
        return _DONE
    comm = communicator(group)
    if len(tensor_list) != comm.size:
        raise InvalidArgument(f"reduce_scatter: give a list of {comm.size} tensors, got {len(tensor_list)}")
    reduced = comm.all_reduce(np.stack([t._data for t in tensor_list]), op)
    _put(tensor, reduced[comm.rank])
    return _DONE


def alltoall(out_tensor_list: list, in_tensor_list: list, group: Group | None = None, sync_op: bool = True) -> Task:
    """Append to `out_tensor_list` element `rank` of every process's `in_tensor_list`."""
    if _outside(group):
        return _DONE
    comm = communicator(group)
    if len(in_tensor_list) != comm.size:
        raise ShapeMismatch(f"alltoall: give a list of {comm.size} tensors, got {len(in_tensor_list)}")
    found = [Tensor(a) for a in comm.all_to_all([t._data for t in in_tensor_list])]
    if out_tensor_list:
        for into, tensor in zip(out_tensor_list, found, strict=True):
            _put(into, tensor._data)
    else:
        out_tensor_list.extend(found)
    return _DONE


def send(tensor: Tensor, dst: int = 0, group: Group | None = None, sync_op: bool = True) -> Task:
    """Send `tensor` to process `dst`, which must call `recv`."""
    communicator(group).send(tensor._data, _local(dst, group, "send"))
    return _DONE


def recv(tensor: Tensor, src: int = 0, group: Group | None = None, sync_op: bool = True) -> Task:
    """Replace `tensor` by what process `src` sends."""
    _put(tensor, communicator(group).receive(tensor._data, _local(src, group, "recv")))
    return _DONE


def barrier(group: Group | None = None) -> None:
    """Wait until all processes of the group are here."""
    if not _outside(group):
        communicator(group).barrier()


def all_gather_object(object_list: list, obj: Any, group: Group | None = None) -> None:
    """Append the picklable objects of all processes to `object_list`, in order of rank."""
    if not _outside(group):
        object_list.extend(communicator(group).all_gather_object(obj))


def broadcast_object_list(object_list: list, src: int, group: Group | None = None) -> None:
    """Replace the elements of `object_list` by those of process `src`."""
    source = _local(src, group, "broadcast_object_list")
    if not _outside(group):
        object_list[:] = communicator(group).broadcast_object(list(object_list), source)


def wait(tensor: Tensor, group: Group | None = None, use_calc_stream: bool = True) -> None:
    """Come back when `tensor` is ready; it always is."""
