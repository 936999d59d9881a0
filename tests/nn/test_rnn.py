"""Recurrent cells and layers: formulas, directions, lengths, states, names."""

import numpy as np
import pytest

import paddlite as paddle
from paddlite import nn
from paddlite.autograd.backward import grad
from paddlite.core.errors import NoGradient
from paddlite.core.program import Program, recording

RNG = np.random.default_rng(0)
X = RNG.standard_normal((2, 3, 4)).astype("float32")


def tensor(array):
    return paddle.to_tensor(np.asarray(array, "float32"))


def weights(cell):
    return [getattr(cell, name).numpy().astype("float64") for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")]


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def lstm_step(cell, x, states):
    (wi, wh, bi, bh), (h, c) = weights(cell), states
    i, f, g, o = np.split(x @ wi.T + bi + h @ wh.T + bh, 4, -1)
    c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
    h = sigmoid(o) * np.tanh(c)
    if cell.proj_size:
        h = h @ cell.weight_ho.numpy()
    return h, (h, c)


def gru_step(cell, x, h):
    wi, wh, bi, bh = weights(cell)
    (xr, xz, xc), (hr, hz, hc) = np.split(x @ wi.T + bi, 3, -1), np.split(h @ wh.T + bh, 3, -1)
    z = sigmoid(xz + hz)
    h = z * h + (1 - z) * np.tanh(xc + sigmoid(xr + hr) * hc)
    return h, h


def simple_step(cell, x, h):
    wi, wh, bi, bh = weights(cell)
    x = x @ wi.T + bi + h @ wh.T + bh
    h = np.tanh(x) if cell.activation == "tanh" else np.maximum(x, 0)
    return h, h


CELLS = [
    (nn.LSTMCell, {}, lstm_step, 2),
    (nn.LSTMCell, {"proj_size": 2}, lstm_step, 2),
    (nn.GRUCell, {}, gru_step, 1),
    (nn.SimpleRNNCell, {}, simple_step, 1),
    (nn.SimpleRNNCell, {"activation": "relu"}, simple_step, 1),
]
LAYERS = [
    (nn.LSTM, {}, lstm_step, 2),
    (nn.LSTM, {"proj_size": 2}, lstm_step, 2),
    (nn.GRU, {}, gru_step, 1),
    (nn.SimpleRNN, {}, simple_step, 1),
    (nn.SimpleRNN, {"activation": "relu"}, simple_step, 1),
]


def ids(cases):
    return ["-".join([kind.__name__, *map(str, settings.values())]) for kind, settings, _, _ in cases]


def zeros(cell, batch):
    shape = cell.state_shape
    if isinstance(shape[0], tuple):
        return tuple(np.zeros((batch, *one)) for one in shape)
    return np.zeros((batch, *shape))


def parts(states):
    return states if isinstance(states, tuple) else (states,)


def by_hand(cell, step, x, reverse, lengths=None):
    """Outputs (0 beyond the lengths) and last states, each sequence by itself."""
    outs, lasts = [], []
    for b in range(len(x)):
        states, count = zeros(cell, 1), x.shape[1] if lengths is None else lengths[b]
        row = np.zeros((x.shape[1], parts(states)[0].shape[1]))
        for t in reversed(range(count)) if reverse else range(count):
            row[t], states = step(cell, x[b : b + 1, t].astype("float64"), states)
        outs.append(row)
        lasts.append(parts(states))
    return np.stack(outs), [np.concatenate(one) for one in zip(*lasts)]


def same(got, want):
    np.testing.assert_allclose(got.numpy(), want, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(("kind", "settings", "step", "count"), CELLS, ids=ids(CELLS))
def test_cells_compute_their_formulas(kind, settings, step, count):
    cell = kind(4, 5, **settings)
    states = tuple(RNG.standard_normal(s.shape) for s in parts(zeros(cell, 2)))
    want, want_states = step(cell, X[:, 0], states if count > 1 else states[0])
    given = tuple(tensor(s) for s in states)
    got, got_states = cell(tensor(X[:, 0]), given if count > 1 else given[0])
    same(got, want)
    for ours, theirs in zip(parts(got_states), parts(want_states)):
        same(ours, theirs)
    same(cell(tensor(X[:, 0]))[0], step(cell, X[:, 0], zeros(cell, 2))[0])


@pytest.mark.parametrize("lengths", [None, [2, 3]])
@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize(("kind", "settings", "step", "count"), CELLS, ids=ids(CELLS))
def test_rnn_runs_a_cell(kind, settings, step, count, reverse, lengths):
    cell = kind(4, 5, **settings)
    steps = None if lengths is None else paddle.to_tensor(lengths)
    out, states = nn.RNN(cell, reverse)(tensor(X), sequence_length=steps)
    want, want_states = by_hand(cell, step, X, reverse, lengths)
    for b in range(2):
        n = 3 if lengths is None else lengths[b]
        np.testing.assert_allclose(out.numpy()[b, :n], want[b, :n], rtol=1e-4, atol=1e-5)
    for ours, theirs in zip(parts(states), want_states):
        same(ours, theirs)


@pytest.mark.parametrize("lengths", [None, [1, 3]])
@pytest.mark.parametrize(("kind", "settings", "step", "count"), LAYERS, ids=ids(LAYERS))
def test_stacks_in_both_directions(kind, settings, step, count, lengths):
    net = kind(4, 5, 2, "bidirect", **settings)
    steps = None if lengths is None else paddle.to_tensor(lengths)
    out, states = net(tensor(X), sequence_length=steps)
    want, ends = X, []
    for i in range(2):
        rows = []
        for cell, reverse in zip((net[i].cell_fw, net[i].cell_bw), (False, True)):
            row, last = by_hand(cell, step, want, reverse, lengths)
            rows.append(row)
            ends.append(last)
        want = np.concatenate(rows, -1)
    same(out, want)
    for ours, theirs in zip(parts(states), zip(*ends)):
        same(ours, np.stack(theirs))


@pytest.mark.parametrize(("kind", "settings", "step", "count"), LAYERS, ids=ids(LAYERS))
def test_the_whole_op_and_the_steps_have_the_same_gradients(kind, settings, step, count):
    net = kind(4, 5, **settings)
    ones = {}
    for stepwise in (False, True):
        if stepwise:  # a hook on the cell wants every step
            net[0].cell.register_forward_post_hook(lambda layer, inputs, outputs: None)
        x = tensor(X)
        x.stop_gradient = False
        out, _ = net(x, sequence_length=paddle.to_tensor([2, 3]))
        (out * out).backward(paddle.ones_like(out))
        ones[stepwise] = [x.grad.numpy(), *[p.grad.numpy() for p in net.parameters()]]
        net.clear_gradients()
    for whole, steps in zip(ones[False], ones[True]):
        np.testing.assert_allclose(whole, steps, rtol=1e-3, atol=1e-5)


def test_initial_states_and_time_first():
    net, x = nn.LSTM(4, 5, 2), tensor(X)
    _, (h, c) = net(x[:, :1])
    rest, (h2, c2) = net(x[:, 1:], (h, c))
    whole, (h3, c3) = net(x)
    same(rest, whole.numpy()[:, 1:])
    same(h2, h3.numpy())
    same(c2, c3.numpy())
    turned = nn.LSTM(4, 5, 2, time_major=True)
    turned.set_state_dict(net.state_dict())
    same(turned(x.transpose([1, 0, 2]))[0].transpose([1, 0, 2]), whole.numpy())


def test_dropout_lies_between_layers_in_training():
    net, x = nn.GRU(4, 5, 2, dropout=0.5), tensor(X)
    assert not np.allclose(net(x)[0].numpy(), net(x)[0].numpy())
    net.eval()
    same(net(x)[0], net(x)[0].numpy())


def test_parameters_are_named_by_layer_and_shared_with_the_cells():
    net = nn.LSTM(4, 5, 2, "bidirectional")
    found = [name for name, _ in net.named_parameters()]
    kinds = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
    assert found == [f"{kind}_l{i}{suffix}" for i in range(2) for suffix in ("", "_reverse") for kind in kinds]
    assert net.weight_ih_l1_reverse is net[1].cell_bw.weight_ih
    assert net.weight_hh_l0.name == "lstm_cell_0.w_1" and net.bias_ih_l0.name == "lstm_cell_0.b_0"
    assert {"weight_ih_l0", "0.cell_fw.weight_ih"} <= set(net.state_dict())
    assert "num_layers=2" in repr(net)


def test_first_values_and_fixed_ones():
    cell = nn.LSTMCell(4, 100, bias_ih_attr=False, weight_ih_attr=nn.initializer.Constant(2.0))
    assert abs(cell.weight_hh.numpy()).max() <= 0.1 and abs(cell.bias_hh.numpy()).max() > 0.05
    assert cell.bias_ih.stop_gradient and not cell.bias_ih.numpy().any()
    assert (cell.weight_ih.numpy() == 2.0).all()


def test_birnn_and_structures():
    class Pair(nn.RNNCellBase):
        state_shape = ((4,), (1,))

        def forward(self, inputs, states):
            a, b = inputs
            h, n = states
            return (a + h, b), (h + a, n + 1.0)

    outputs, (h, n) = nn.RNN(Pair())((tensor(X), tensor(X * 2)))
    same(outputs[0], np.cumsum(X, 1))
    same(outputs[1], X * 2)
    same(n, [[3.0], [3.0]])
    same(h, X.sum(1))
    net = nn.BiRNN(nn.GRUCell(4, 5), nn.GRUCell(4, 6))
    out, (fw, bw) = net(tensor(X), (paddle.zeros([2, 5]), paddle.zeros([2, 6])))
    assert (out.shape, fw.shape, bw.shape) == ([2, 3, 11], [2, 5], [2, 6])


def test_initial_states_of_other_shapes():
    cell = nn.GRUCell(4, 5)
    assert cell.get_initial_states((tensor(X),)).shape == [2, 5]
    assert cell.get_initial_states(tensor(X), shape=[7], dtype="float64", init_value=2.0).numpy().min() == 2.0
    with pytest.raises(NotImplementedError, match="state_shape"):
        nn.RNNCellBase().get_initial_states(tensor(X))


@pytest.mark.parametrize(
    "make",
    [
        lambda: nn.SimpleRNNCell(4, 5, activation="x"),
        lambda: nn.LSTMCell(4, 0),
        lambda: nn.LSTMCell(4, 5, proj_size=6),
        lambda: nn.GRU(4, 5, direction="backward"),
        lambda: nn.SimpleRNN(4, 5, activation="x"),
        lambda: nn.LSTM(4, 5)(tensor(X), (paddle.zeros([3, 2, 5]), paddle.zeros([3, 2, 5]))),
        lambda: nn.GRU(4, 5)(tensor(X[:, :, :3])),
    ],
)
def test_bad_settings_are_refused(make):
    with pytest.raises(ValueError):
        make()


def test_the_gradient_of_a_gradient_is_refused_not_wrong():
    x = tensor(X)
    x.stop_gradient = False
    out, _ = nn.GRU(4, 5)(x)
    (first,) = grad([out], [x], create_graph=True)
    with pytest.raises(NoGradient, match="RNN"):
        first.backward(paddle.ones_like(first))


def test_layers_record_with_unknown_batch_and_time():
    net, program = nn.LSTM(4, 5, direction="bidirect"), Program()
    with recording(program):
        x = program.data("x", [-1, -1, 4], "float32")
        zeros = paddle.zeros([2, 2, 5])
        out, _ = net(x, (zeros, zeros))
    assert out.shape == [2, -1, 10]
