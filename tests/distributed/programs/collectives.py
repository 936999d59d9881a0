"""Collectives on two ranks."""

import numpy as np
import pytest

import paddlite as paddle

dist = paddle.distributed
dist.init_parallel_env()
RANK, SIZE = dist.get_rank(), dist.get_world_size()


def check_rank_and_size():
    env = dist.ParallelEnv()
    assert SIZE == 2
    assert RANK in (0, 1)
    assert (env.rank, env.world_size, env.nranks, env.local_rank) == (RANK, 2, 2, RANK)


def check_all_reduce_of_every_dtype():
    for dtype in ("float16", "bfloat16", "float32", "float64", "int32", "int64", "uint8"):
        x = paddle.to_tensor([1, 2, 3], dtype=dtype) * (RANK + 1)
        assert dist.all_reduce(x).wait()
        assert x.dtype == dtype
        assert x.astype("float64").tolist() == [3, 6, 9]
    for shape in ((), (0,), (2, 0, 3), (2, 3)):
        x = paddle.ones(shape)
        dist.all_reduce(x)
        np.testing.assert_array_equal(x.numpy(), np.full(shape, 2.0, "f4"))


def check_every_operation():
    for op, want in (("MAX", 2), ("MIN", 1), ("PROD", 2), ("SUM", 3), ("AVG", 1.5)):
        x = paddle.to_tensor([1.0 + RANK])
        dist.all_reduce(x, getattr(dist.ReduceOp, op))
        assert x.item() == want, op


def check_all_reduce_of_a_view_writes_through():
    x = paddle.zeros([2, 3])
    part = x[:, 1]
    part.add_(paddle.full([2], RANK + 1.0))
    dist.all_reduce(part)
    assert x.tolist() == [[0, 3, 0], [0, 3, 0]]


def check_broadcast_and_reduce():
    for dtype in ("float32", "bfloat16", "bool", "int64"):
        x = paddle.to_tensor([RANK, 1 - RANK]).astype(dtype)
        dist.broadcast(x, src=1)
        assert x.astype("int64").tolist() == [1, 0]
    x = paddle.to_tensor([1.0 + RANK])
    dist.reduce(x, dst=1)
    assert x.item() == (3.0 if RANK == 1 else 1.0)


def check_gather_scatter_exchange():
    found = []
    dist.all_gather(found, paddle.to_tensor([[RANK, 7]], dtype="int64"))
    assert [t.tolist() for t in found] == [[[0, 7]], [[1, 7]]]
    x = paddle.zeros([2])
    dist.scatter(x, [paddle.to_tensor([1.0, 2.0]), paddle.to_tensor([3.0, 4.0])] if RANK == 0 else None, src=0)
    assert x.tolist() == ([1, 2] if RANK == 0 else [3, 4])
    out = []
    dist.alltoall(out, [paddle.to_tensor([10 * RANK + i]) for i in range(2)])
    assert [t.item() for t in out] == [RANK, 10 + RANK]
    x = paddle.zeros([1])
    dist.reduce_scatter(x, [paddle.to_tensor([1.0 + RANK]), paddle.to_tensor([5.0])])
    assert x.item() == (3.0 if RANK == 0 else 10.0)


def check_send_and_receive():
    x = paddle.to_tensor([1.5, 2.5], dtype="bfloat16") if RANK == 0 else paddle.zeros([2], dtype="bfloat16")
    if RANK == 0:
        dist.send(x, dst=1)
    else:
        dist.recv(x, src=0)
    assert x.astype("float32").tolist() == [1.5, 2.5]


def check_objects():
    found = []
    dist.all_gather_object(found, {"rank": RANK})
    assert found == [{"rank": 0}, {"rank": 1}]
    items = [f"from {RANK}", RANK]
    dist.broadcast_object_list(items, src=1)
    assert items == ["from 1", 1]


def check_groups():
    alone = dist.new_group([1])
    assert alone.is_member() == (RANK == 1)
    x = paddle.to_tensor([5.0])
    dist.all_reduce(x, group=alone)
    assert x.item() == 5.0
    turned = dist.new_group([1, 0])
    assert turned.rank == 1 - RANK
    x = paddle.to_tensor([float(RANK)])
    dist.broadcast(x, src=1, group=turned)
    assert x.item() == 1.0
    dist.barrier(turned)


def check_bad_arguments_are_refused_before_anything_is_sent():
    with pytest.raises(ValueError, match="no process 2"):
        dist.broadcast(paddle.ones([1]), src=2)
    with pytest.raises(ValueError, match="operation must be one of"):
        dist.all_reduce(paddle.ones([1]), "median")
    with pytest.raises(ValueError, match="distinct"):
        dist.new_group([0, 0])
    with pytest.raises(ValueError, match="list of 2 tensors"):
        dist.alltoall([], [paddle.ones([1])])
