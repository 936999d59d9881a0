"""What needs several ranks; and what one process does without any."""

import numpy as np
import pytest

import paddlite as paddle
from paddlite.distributed.reducer import plan_buckets
from tests.distributed import ranks

needs_mpi = pytest.mark.skipif(ranks.mpiexec() is None, reason="mpiexec and mpi4py are not beside this Python")


@needs_mpi
@pytest.mark.mpi
@pytest.mark.parametrize("program", ["collectives", "data_parallel"])
def test_on_two_ranks(program):
    ranks.run(program, 2)


def test_one_process_is_a_job_of_one():
    dist = paddle.distributed
    dist.init_parallel_env()
    assert (dist.get_rank(), dist.get_world_size()) == (0, 1)
    x = paddle.to_tensor([1.0, 2.0])
    for call in (dist.all_reduce, lambda t: dist.broadcast(t, 0), lambda t: dist.reduce(t, 0)):
        call(x)
    found = []
    dist.all_gather(found, x)
    assert x.tolist() == [1, 2]
    assert found[0].tolist() == [1, 2]
    dist.barrier()


def test_data_parallel_in_one_process_is_the_network():
    net = paddle.DataParallel(paddle.nn.Linear(2, 1))
    with net.no_sync():
        net(paddle.ones([1, 2])).sum().backward()
    np.testing.assert_array_equal(net._layers.weight.grad.numpy(), [[1.0], [1.0]])
    assert list(net.state_dict()) == ["weight", "bias"]


F4, F2 = np.dtype("f4"), np.dtype("f2")


@pytest.mark.parametrize(
    ("sizes", "dtypes", "limit", "first", "buckets"),
    [
        ([10, 10, 10], [F4] * 3, 80, 40, [[2], [1, 0]]),
        ([10, 10, 10], [F4] * 3, 1000, 1000, [[2, 1, 0]]),
        ([10, 100, 10], [F4] * 3, 80, 80, [[2], [1], [0]]),
        ([10, 10, 10], [F4, F2, F4], 1000, 1000, [[2], [1], [0]]),
        ([], [], 10, 10, []),
    ],
)
def test_buckets_go_from_the_last_parameter_to_the_first(sizes, dtypes, limit, first, buckets):
    assert plan_buckets(sizes, dtypes, limit, first) == buckets
