"""Recurrent layers over whole sequences: one op runs all steps of one layer in one direction.

The product of the inputs with their weights is made beforehand, for all steps at once.  Gates lie in Paddle's order.
`lengths` says how many steps of each sequence count: beyond them the state stays and the output is 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NoReturn

import numpy as np

from paddlite.core.errors import NoGradient, ShapeMismatch
from paddlite.core.meta import Meta
from paddlite.core.op import defop, joint
from paddlite.ops.infer import merge_size, require_integer


def _check(name: str, gates: int, x: Meta, h: Meta, weight: Meta, lengths: Meta | None) -> tuple[int, int, int]:
    """Steps, batch size and hidden size."""
    if len(x.shape) != 3 or len(h.shape) != 2 or len(weight.shape) != 2:
        raise ShapeMismatch(
            f"{name}: inputs must be [steps, batch, {gates} * hidden], states [batch, hidden] and weight "
            f"[{gates} * hidden, hidden]; got {list(x.shape)}, {list(h.shape)} and {list(weight.shape)}"
        )
    hidden = merge_size(weight.shape[1], h.shape[1], name, "hidden sizes of weight and state")
    batch = merge_size(x.shape[1], h.shape[0], name, "batch sizes of inputs and states")
    for what, size in (("inputs", x.shape[2]), ("weight", weight.shape[0])):
        if size not in (-1, gates * hidden):
            raise ShapeMismatch(f"{name}: {what} must have {gates} * {hidden} gate values, got {size}")
    if lengths is not None:
        require_integer(name, lengths=lengths)
        merge_size(lengths.shape[0] if lengths.shape else 0, batch, name, "batch sizes of inputs and lengths")
    return x.shape[0], batch, hidden


def _order(steps: int, reverse: bool) -> Iterator[int]:
    return iter(range(steps - 1, -1, -1) if reverse else range(steps))


def _mask(xp: Any, lengths: Any, steps: int, dtype: np.dtype) -> Any:
    """[steps, batch, 1]: 1 where a step counts, else 0; None where all count."""
    if lengths is None:
        return None
    return (xp.arange(steps)[:, None] < lengths[None, :]).astype(dtype)[:, :, None]


def _sigmoid(xp: Any, x: Any, out: Any) -> None:
    one = x.dtype.type(1)
    xp.negative(x, out=out)
    xp.exp(out, out=out)
    xp.add(out, one, out=out)
    xp.divide(one, out, out=out)


def _counted(xp: Any, x: Any, mask: Any) -> Any:
    """`x` with zeros in the steps that do not count, whatever stood there."""
    return x if mask is None else xp.where(mask != 0, x, x.dtype.type(0))


def _blend(new: Any, old: Any, mask: Any) -> Any:
    return mask * new + (mask.dtype.type(1) - mask) * old


def _before(xp: Any, out: Any, h: Any, mask: Any, reverse: bool) -> Any:
    """The state before each step, [steps, batch, hidden]."""
    steps = len(out)
    found = xp.empty_like(out)
    if not steps:
        return found
    if not reverse:
        found[0], found[1:] = h, out[:-1]
        return found
    found[-1], found[:-1] = h, out[1:]
    if mask is not None:  # a shorter sequence begins, read backwards, at its own end
        found[:-1] += (mask.dtype.type(1) - mask[1:]) * h
    return found


def _no_second(name: str) -> joint:
    """A rule that refuses: silence would mean a wrong second gradient."""

    def rule(needs: Any) -> NoReturn:
        raise NoGradient(
            f"{name}: its gradient has no gradient; use paddle.nn.RNN with a cell, which runs step by step"
        )

    return joint(rule)


# LSTM: gates i, f, g, o; c' = f * c + i * g, h' = o * tanh(c')


def _lstm_infer(x, h, c, weight, lengths, *, reverse: bool = False) -> tuple:
    steps, batch, hidden = _check("lstm", 4, x, h, weight, lengths)
    _check("lstm", 4, x, c, weight, lengths)
    state = Meta((batch, hidden), x.dtype)
    return Meta((steps, batch, hidden), x.dtype), state, state, Meta((steps, batch, 5 * hidden), x.dtype)


@defop(
    "lstm",
    infer=_lstm_infer,
    check=True,
    promote=("x", "h", "c", "weight"),
    outputs=("out", "h_n", "c_n", "reserve"),
    no_grad_outputs=("reserve",),
    vjp=joint(
        lambda g_out, g_h_n, g_c_n, h, c, weight, lengths, out, reserve, reverse: [
            *lstm_grad(g_out, g_h_n, g_c_n, h, c, weight, lengths, out, reserve, reverse=reverse),
            None,
        ]
    ),
)
def lstm(xp: Any, x: Any, h: Any, c: Any, weight: Any, lengths: Any, *, reverse: bool = False) -> Any:
    """Outputs [steps, batch, hidden], last h and c, and what backward needs: the gates and each c.

    Args:
        x: gates' share of the inputs, biases included, [steps, batch, 4 * hidden].
        h: first state [batch, hidden].
        c: first cell [batch, hidden].
        weight: [4 * hidden, hidden].
        lengths: steps that count, [batch], or None.
        reverse: begin at the last step.
    """
    steps, batch, n = len(x), h.shape[0], h.shape[1]
    out = xp.empty((steps, batch, n), x.dtype)
    reserve = xp.empty((steps, batch, 5 * n), x.dtype)
    mask, turned = _mask(xp, lengths, steps, x.dtype), weight.T
    x = _counted(xp, x, mask)
    for t in _order(steps, reverse):
        gates, cell = reserve[t, :, : 4 * n], reserve[t, :, 4 * n :]
        xp.add(xp.matmul(h, turned), x[t], out=gates)
        _sigmoid(xp, gates[:, : 2 * n], gates[:, : 2 * n])
        xp.tanh(gates[:, 2 * n : 3 * n], out=gates[:, 2 * n : 3 * n])
        _sigmoid(xp, gates[:, 3 * n :], gates[:, 3 * n :])
        xp.multiply(gates[:, n : 2 * n], c, out=cell)
        cell += gates[:, :n] * gates[:, 2 * n : 3 * n]
        new = xp.tanh(cell) * gates[:, 3 * n :]
        if mask is None:
            h, c = new, cell
            out[t] = new
        else:
            h, c = _blend(new, h, mask[t]), _blend(cell, c, mask[t])
            out[t] = new * mask[t]
    return out, h.copy(), c.copy(), reserve


def _lstm_grad_infer(g_out, g_h, g_c, h, c, weight, lengths, out, reserve, *, reverse: bool = False) -> tuple:
    steps, batch, n = out.shape
    x = Meta((steps, batch, -1 if n < 0 else 4 * n), out.dtype)
    return x, Meta(h.shape, h.dtype), Meta(c.shape, c.dtype), Meta(weight.shape, weight.dtype)


@defop(
    "lstm_grad",
    infer=_lstm_grad_infer,
    outputs=("dx", "dh", "dc", "dweight"),
    vjp=_no_second("lstm"),
)
def lstm_grad(xp, g_out, g_h, g_c, h, c, weight, lengths, out, reserve, *, reverse: bool = False) -> Any:
    """The gradients of x, h, c and weight."""
    steps, batch, n = out.shape
    one = out.dtype.type(1)
    dx = xp.empty((steps, batch, 4 * n), out.dtype)
    mask = _mask(xp, lengths, steps, out.dtype)
    cells = _before(xp, reserve[:, :, 4 * n :] if mask is None else reserve[:, :, 4 * n :] * mask, c, mask, reverse)
    dh, dc = g_h, g_c
    for t in _order(steps, not reverse):
        i, f, g, o = (reserve[t, :, k * n : (k + 1) * n] for k in range(4))
        bent = xp.tanh(reserve[t, :, 4 * n :])
        if mask is None:
            new_h, new_c = dh + g_out[t], dc
        else:
            new_h, new_c = (dh + g_out[t]) * mask[t], dc * mask[t]
        new_c = new_c + new_h * o * (one - bent * bent)
        d = dx[t]
        xp.multiply(new_c * g, i * (one - i), out=d[:, :n])
        xp.multiply(new_c * cells[t], f * (one - f), out=d[:, n : 2 * n])
        xp.multiply(new_c * i, one - g * g, out=d[:, 2 * n : 3 * n])
        xp.multiply(new_h * bent, o * (one - o), out=d[:, 3 * n :])
        back_h, back_c = xp.matmul(d, weight), new_c * f
        dh = back_h if mask is None else back_h + dh * (one - mask[t])
        dc = back_c if mask is None else back_c + dc * (one - mask[t])
    before = _before(xp, out, h, mask, reverse)
    dweight = xp.matmul(dx.reshape(-1, 4 * n).T, before.reshape(-1, n))
    return dx, dh.copy() if dh is g_h else dh, dc.copy() if dc is g_c else dc, dweight


# GRU: gates r, z, and candidate = tanh(x + r * (h W + b)); h' = z * h + (1 - z) * candidate


def _gru_infer(x, h, weight, bias, lengths, *, reverse: bool = False) -> tuple:
    steps, batch, hidden = _check("gru", 3, x, h, weight, lengths)
    return (
        Meta((steps, batch, hidden), x.dtype),
        Meta((batch, hidden), x.dtype),
        Meta((steps, batch, 4 * hidden), x.dtype),
    )


@defop(
    "gru",
    infer=_gru_infer,
    check=True,
    promote=("x", "h", "weight", "bias"),
    outputs=("out", "h_n", "reserve"),
    no_grad_outputs=("reserve",),
    vjp=joint(
        lambda g_out, g_h_n, h, weight, bias, lengths, out, reserve, reverse: [
            *gru_grad(g_out, g_h_n, h, weight, bias, lengths, out, reserve, reverse=reverse),
            None,
        ]
    ),
)
def gru(xp: Any, x: Any, h: Any, weight: Any, bias: Any, lengths: Any, *, reverse: bool = False) -> Any:
    """Outputs [steps, batch, hidden], last h, and what backward needs: r, z, the candidates and h W + b of these.

    Args:
        x: gates' share of the inputs, their biases included, [steps, batch, 3 * hidden].
        h: first state [batch, hidden].
        weight: [3 * hidden, hidden].
        bias: of the hidden state's share, [3 * hidden].
        lengths: steps that count, [batch], or None.
        reverse: begin at the last step.
    """
    steps, batch, n = len(x), h.shape[0], h.shape[1]
    out, reserve = xp.empty((steps, batch, n), x.dtype), xp.empty((steps, batch, 4 * n), x.dtype)
    mask, turned = _mask(xp, lengths, steps, x.dtype), weight.T
    x = _counted(xp, x, mask)
    for t in _order(steps, reverse):
        share, kept = xp.matmul(h, turned), reserve[t]
        share += bias
        both, candidate = kept[:, : 2 * n], kept[:, 2 * n : 3 * n]
        xp.add(share[:, : 2 * n], x[t, :, : 2 * n], out=both)
        _sigmoid(xp, both, both)
        kept[:, 3 * n :] = share[:, 2 * n :]
        xp.multiply(both[:, :n], share[:, 2 * n :], out=candidate)
        candidate += x[t, :, 2 * n :]
        xp.tanh(candidate, out=candidate)
        new = candidate + both[:, n:] * (h - candidate)
        if mask is None:
            h = out[t] = new
        else:
            h = _blend(new, h, mask[t])
            out[t] = new * mask[t]
    return out, h.copy(), reserve


def _gru_grad_infer(g_out, g_h, h, weight, bias, lengths, out, reserve, *, reverse: bool = False) -> tuple:
    steps, batch, n = out.shape
    x = Meta((steps, batch, -1 if n < 0 else 3 * n), out.dtype)
    return x, Meta(h.shape, h.dtype), Meta(weight.shape, weight.dtype), Meta(bias.shape, bias.dtype)


@defop("gru_grad", infer=_gru_grad_infer, outputs=("dx", "dh", "dweight", "dbias"), vjp=_no_second("gru"))
def gru_grad(xp, g_out, g_h, h, weight, bias, lengths, out, reserve, *, reverse: bool = False) -> Any:
    """The gradients of x, h, weight and bias."""
    steps, batch, n = out.shape
    one = out.dtype.type(1)
    dx, shares = xp.empty((steps, batch, 3 * n), out.dtype), xp.empty((steps, batch, 3 * n), out.dtype)
    mask = _mask(xp, lengths, steps, out.dtype)
    before, dh = _before(xp, out, h, mask, reverse), g_h
    for t in _order(steps, not reverse):
        r, z, candidate, share = (reserve[t, :, k * n : (k + 1) * n] for k in range(4))
        new = dh + g_out[t] if mask is None else (dh + g_out[t]) * mask[t]
        d = dx[t]
        xp.multiply(new * (one - z), one - candidate * candidate, out=d[:, 2 * n :])
        xp.multiply(d[:, 2 * n :] * share, r * (one - r), out=d[:, :n])
        xp.multiply(new * (before[t] - candidate), z * (one - z), out=d[:, n : 2 * n])
        shares[t, :, : 2 * n] = d[:, : 2 * n]
        xp.multiply(d[:, 2 * n :], r, out=shares[t, :, 2 * n :])
        back = xp.matmul(shares[t], weight) + new * z
        dh = back if mask is None else back + dh * (one - mask[t])
    flat = shares.reshape(-1, 3 * n)
    dweight = xp.matmul(flat.T, before.reshape(-1, n))
    return dx, dh.copy() if dh is g_h else dh, dweight, flat.sum(axis=0)


# The plain layer: h' = tanh or relu of (x + h W)


def _plain_infer(x, h, weight, lengths, *, activation: str = "tanh", reverse: bool = False) -> tuple:
    steps, batch, hidden = _check("simple_rnn", 1, x, h, weight, lengths)
    return Meta((steps, batch, hidden), x.dtype), Meta((batch, hidden), x.dtype)


@defop(
    "simple_rnn",
    infer=_plain_infer,
    check=True,
    promote=("x", "h", "weight"),
    outputs=("out", "h_n"),
    vjp=joint(
        lambda g_out, g_h_n, h, weight, lengths, out, activation, reverse: [
            *simple_rnn_grad(g_out, g_h_n, h, weight, lengths, out, activation=activation, reverse=reverse),
            None,
        ]
    ),
)
def simple_rnn(
    xp: Any, x: Any, h: Any, weight: Any, lengths: Any, *, activation: str = "tanh", reverse: bool = False
) -> Any:
    """Outputs [steps, batch, hidden] and last h; arguments as for `lstm`, `activation` is "tanh" or "relu"."""
    steps, batch, n = len(x), h.shape[0], h.shape[1]
    out, turned = xp.empty((steps, batch, n), x.dtype), weight.T
    mask = _mask(xp, lengths, steps, x.dtype)
    x = _counted(xp, x, mask)
    for t in _order(steps, reverse):
        new = xp.matmul(h, turned)
        new += x[t]
        new = xp.tanh(new, out=new) if activation == "tanh" else xp.maximum(new, new.dtype.type(0), out=new)
        if mask is None:
            h = out[t] = new
        else:
            h = _blend(new, h, mask[t])
            out[t] = new * mask[t]
    return out, h.copy()


def _plain_grad_infer(g_out, g_h, h, weight, lengths, out, *, activation: str, reverse: bool) -> tuple:
    return Meta(out.shape, out.dtype), Meta(h.shape, h.dtype), Meta(weight.shape, weight.dtype)


@defop("simple_rnn_grad", infer=_plain_grad_infer, outputs=("dx", "dh", "dweight"), vjp=_no_second("simple_rnn"))
def simple_rnn_grad(xp, g_out, g_h, h, weight, lengths, out, *, activation: str, reverse: bool) -> Any:
    """The gradients of x, h and weight."""
    steps, n = len(out), out.shape[2]
    one = out.dtype.type(1)
    dx, dh = xp.empty_like(out), g_h
    mask = _mask(xp, lengths, steps, out.dtype)
    for t in _order(steps, not reverse):
        slope = one - out[t] * out[t] if activation == "tanh" else out[t] > 0
        new = dh + g_out[t] if mask is None else (dh + g_out[t]) * mask[t]
        xp.multiply(new, slope, out=dx[t])
        back = xp.matmul(dx[t], weight)
        dh = back if mask is None else back + dh * (one - mask[t])
    before = _before(xp, out, h, mask, reverse)
    dweight = xp.matmul(dx.reshape(-1, n).T, before.reshape(-1, n))
    return dx, dh.copy() if dh is g_h else dh, dweight
