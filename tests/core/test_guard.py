"""Wrong arguments of public functions and layers: which one it is, what was wanted and what came, whatever broke."""

import inspect
import pickle

import numpy as np
import pytest

import paddlite as paddle
from paddlite.core.errors import DTypeMismatch, IndexOutOfRange, InvalidArgument

nn, F = paddle.nn, paddle.nn.functional
X = paddle.ones([2, 3])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: paddle.dot([1.0], X), r"dot: x must be a Tensor, got list \[1.0\]"),
        (lambda: paddle.gather(X, np.zeros(1, "int64")), r"gather: index must be a Tensor, got array \[1\] int64"),
        (lambda: paddle.block_diag([X, "a"]), "cannot make a tensor of str 'a'"),
        (lambda: paddle.reshape(None, [2]), "reshape: x must be a Tensor, got None"),
        (lambda: X.reshape_("a"), "reshape"),
        (lambda: F.pad("abc", [1, 1]), "pad: x must be a Tensor, got str 'abc'"),
        (lambda: paddle.allclose(X, X, rtol=[1]), r"allclose: rtol must be a float, got list \[1\]"),
        (lambda: F.dropout(X, p=[0.5]), r"dropout: p must be a number, got \[0.5\]"),
        (lambda: F.linear(X, None), "linear: input 'weight' must be a Tensor, got None"),
        (lambda: X @ None, "matmul_v2: input 'y' must be a Tensor, got None"),
        (lambda: paddle.heaviside(X, None), "elementwise_heaviside: input 'y' must be a Tensor, got None"),
        (lambda: paddle.linalg.cond("a"), "cond: x must be a Tensor"),
        (lambda: nn.Conv2D([3], 4, 3), r"Conv2D: in_channels must be an int, got list \[3\]"),
        (lambda: nn.Embedding("a", 3), "Embedding: num_embeddings must be an int, got str 'a'"),
        (lambda: nn.GRU(4, None), "hidden_size must be an int, got None"),
        (lambda: nn.Transformer("a"), "d_model must be an int, got str 'a'"),
        (lambda: nn.BatchNorm1D(3)([1.0]), "BatchNorm1D: .* must be a Tensor, got list"),
        (lambda: nn.Sequential(nn.Linear(3, 3))(None), "linear: input 'x' must be a Tensor, got None"),
        (lambda: F.batch_norm(X.astype("int64"), X[0], X[0]), "batch_norm: cannot be computed of x int64"),
        (lambda: paddle.optimizer.SGD(0.1, 3), "SGD: "),
        (
            lambda: paddle.amp.GradScaler(init_loss_scaling="a"),
            "init_loss_scaling.* must be a float, got str",
        ),
        (lambda: paddle.amp.GradScaler().step(3), "step: optimizer is of the wrong kind: int 3 has no"),
        (lambda: paddle.metric.Accuracy(topk=0), "Accuracy: .* topk=int 0"),
        (lambda: nn.Linear(1, 1).set_state_dict("a"), "set_state_dict: want arrays or tensors by name, got str"),
        (lambda: paddle.optimizer.SGD(0.1, [X]).set_state_dict(None), "want what state_dict.. gave, got NoneType"),
    ],
)
def test_the_argument_of_the_wrong_kind_is_named(call, message):
    with pytest.raises(TypeError, match=message) as caught:
        call()
    assert isinstance(caught.value, DTypeMismatch)


@pytest.mark.parametrize(
    ("call", "kind", "message"),
    [
        (lambda: F.glu(paddle.to_tensor(1.0)), IndexOutOfRange, r"glu: .* x=Tensor \[\] float32"),
        (lambda: paddle.full([2], 0, "int64").fill_(2**70), InvalidArgument, "too large"),
    ],
)
def test_other_raw_errors_show_the_arguments(call, kind, message):
    with pytest.raises(kind, match=message):
        call()


def test_errors_of_the_users_own_code_pass_unchanged():
    class Net(nn.Layer):
        def forward(self, x):
            return self.linear(x)

    with pytest.raises(AttributeError, match="no attribute 'linear'"):
        Net()(X)
    with pytest.raises(ZeroDivisionError):
        nn.Sequential(nn.ReLU()).apply(lambda layer: 1 / 0)
    with pytest.raises(IndexError, match="list index out of range"):
        F.triplet_margin_with_distance_loss(X, X, X, distance_function=lambda a, b: [][0])


def test_a_layer_made_by_inheritance_is_called_by_its_own_name():
    class Stem(nn.Conv2D):
        def __init__(self):
            super().__init__("a", 3, 3)

    with pytest.raises(DTypeMismatch, match="Stem: in_channels must be an int"):
        Stem()


def test_calls_that_do_not_fit_the_signature_are_pythons_own_errors():
    for call in (lambda: paddle.sum(X, bogus=1), lambda: nn.Linear(), lambda: nn.Linear(3, 3)(X, 5)):
        with pytest.raises(TypeError, match="argument") as caught:
            call()
        assert type(caught.value) is TypeError


def test_public_functions_can_be_pickled_and_looked_at():
    for function in (paddle.median, F.pad, paddle.linalg.cond, paddle.reshape_, paddle.add):
        assert pickle.loads(pickle.dumps(function)) is function
    assert list(inspect.signature(F.pad).parameters)[:2] == ["x", "pad"]
    assert list(inspect.signature(nn.Linear).parameters)[:2] == ["in_features", "out_features"]
