"""Decoding step by step, and beam search."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any, NamedTuple

from paddlite import tensor as T
from paddlite.core.errors import InvalidArgument
from paddlite.nn import functional as F
from paddlite.nn.layer.rnn import _each

__all__ = ["BeamSearchDecoder", "Decoder", "dynamic_decode"]

_NEVER = 1e9  # minus this stands for the log-probability of what must not be chosen


class Decoder:
    """What `dynamic_decode` drives: says how to begin, what a step does, and what becomes of the outputs."""

    @property
    def tracks_own_finished(self) -> bool:
        """True where `step` says of each sequence whether it is finished for good."""
        return False

    def initialize(self, inits: Any) -> tuple[Any, Any, Any]:
        """(first inputs, first states, which sequences are finished)."""
        raise NotImplementedError(f"{type(self).__name__} must say in initialize() how decoding begins")

    def step(self, time: Any, inputs: Any, states: Any, **kwargs: Any) -> tuple[Any, Any, Any, Any]:
        """(outputs, next states, next inputs, which sequences are finished) of step `time`, [1]."""
        raise NotImplementedError(f"{type(self).__name__} must say in step() what a step does")

    def finalize(self, outputs: Any, final_states: Any, sequence_lengths: Any) -> tuple[Any, Any]:
        """(final outputs, final states) from the outputs of all steps, time first."""
        raise NotImplementedError


class BeamOutput(NamedTuple):
    """Of each step: scores, chosen tokens and the beams that they go on from, [batch, beams]."""

    scores: Any
    predicted_ids: Any
    parent_ids: Any


class BeamState(NamedTuple):
    """States of the cell [batch, beams, ...]; log-probability, end and length of each beam [batch, beams]."""

    cell_states: Any
    log_probs: Any
    finished: Any
    lengths: Any


class BeamSearchDecoder(Decoder):
    """Keeps the `beam_size` most likely sequences so far.

    Args:
        cell: a recurrent cell, called with (inputs, states) of all beams.
        start_token: what each sequence begins with.
        end_token: what ends a sequence.
        beam_size: how many sequences are kept of each sample.
        embedding_fn: gives the inputs of the cell for tokens; left out, the tokens themselves.
        output_fn: gives the scores of all tokens for the cell's outputs; left out, these themselves.

    >>> import paddlite as paddle
    >>> nn = paddle.nn
    >>> decoder = nn.BeamSearchDecoder(nn.GRUCell(4, 5), 0, 1, 3, nn.Embedding(7, 4), nn.Linear(5, 7))
    >>> tokens, states = nn.dynamic_decode(decoder, paddle.zeros([2, 5]), max_step_num=5)
    >>> tokens.shape[0], tokens.shape[2], states.log_probs.shape
    (2, 3, paddle.Size([2, 3]))
    """

    OutputWrapper = BeamOutput
    StateWrapper = BeamState

    def __init__(
        self,
        cell: Any,
        start_token: int,
        end_token: int,
        beam_size: int,
        embedding_fn: Callable[[Any], Any] | None = None,
        output_fn: Callable[[Any], Any] | None = None,
    ):
        if beam_size < 1:
            raise InvalidArgument(f"BeamSearchDecoder: beam_size must be above 0, got {beam_size}")
        self.cell, self.embedding_fn, self.output_fn = cell, embedding_fn, output_fn
        self.start_token, self.end_token, self.beam_size = start_token, end_token, beam_size

    @property
    def tracks_own_finished(self) -> bool:
        return True

    @staticmethod
    def tile_beam_merge_with_batch(x: Any, beam_size: int) -> Any:
        """`x` [batch, ...] with each sample repeated for each beam, [batch * beams, ...]."""
        return T.reshape(_repeated(x, beam_size), [-1, *x.shape[1:]])

    def initialize(self, initial_cell_states: Any) -> tuple[Any, BeamState, Any]:
        """First inputs, states and ends; at first one beam of each sample counts, since all are alike."""
        states = _each(lambda x: _repeated(x, self.beam_size), initial_cell_states)
        first = states
        while isinstance(first, (list, tuple)):
            first = first[0]
        shape = [first.shape[0], self.beam_size]
        others = T.full([shape[0], self.beam_size - 1], -_NEVER, first.dtype)
        log_probs = T.concat([T.zeros([shape[0], 1], first.dtype), others], 1)
        state = BeamState(states, log_probs, T.zeros(shape, "bool"), T.zeros(shape, "int64"))
        return self._inputs(T.full(shape, self.start_token, "int64")), state, state.finished

    def _inputs(self, tokens: Any) -> Any:
        return tokens if self.embedding_fn is None else self.embedding_fn(tokens)

    def step(self, time: Any, inputs: Any, states: BeamState, **kwargs: Any) -> tuple:
        merged = _each(_merged, inputs), _each(_merged, states.cell_states)
        outputs, cell_states = self.cell(*merged, **kwargs)
        outputs, cell_states = (_each(self._parted, part) for part in (outputs, cell_states))
        scores = outputs if self.output_fn is None else self.output_fn(outputs)
        output, state = self._choose(scores, cell_states, states)
        return output, state, self._inputs(output.predicted_ids), state.finished

    def _parted(self, x: Any) -> Any:
        return T.reshape(x, [-1, self.beam_size, *x.shape[1:]])

    def _choose(self, scores: Any, cell_states: Any, old: BeamState) -> tuple[BeamOutput, BeamState]:
        log_probs = F.log_softmax(scores)
        tokens = log_probs.shape[-1]
        only_end = T.where(T.arange(tokens) == self.end_token, 0.0, -_NEVER).astype(log_probs.dtype)
        log_probs = T.where(T.unsqueeze(old.finished, [2]), only_end, log_probs) + T.unsqueeze(old.log_probs, [2])
        best, places = T.topk(T.reshape(log_probs, [-1, self.beam_size * tokens]), self.beam_size)
        beams, chosen = places // tokens, places % tokens

        def pick(x: Any) -> Any:
            index = T.reshape(beams, [*beams.shape, *[1] * (x.ndim - 2)])
            return T.take_along_axis(x, index, 1)

        finished = pick(old.finished)
        lengths = pick(old.lengths) + T.logical_not(finished).astype("int64")
        finished = T.logical_or(finished, chosen == self.end_token)
        state = BeamState(_each(pick, cell_states), best, finished, lengths)
        return BeamOutput(best, chosen, beams), state

    def finalize(self, outputs: BeamOutput, final_states: BeamState, sequence_lengths: Any) -> tuple[Any, BeamState]:
        """The tokens of each beam, traced back from its end, [time, batch, beams]; and the states."""
        return F.gather_tree(outputs.predicted_ids, outputs.parent_ids), final_states


def _repeated(x: Any, beams: int) -> Any:
    """[batch, ...] as [batch, beams, ...]."""
    return T.stack([x] * beams, 1)


def _merged(x: Any) -> Any:
    """[batch, beams, ...] as [batch * beams, ...]."""
    return T.reshape(x, [-1, *x.shape[2:]])


def dynamic_decode(
    decoder: Decoder,
    inits: Any = None,
    max_step_num: int | None = None,
    output_time_major: bool = False,
    impute_finished: bool = False,
    is_test: bool = False,
    return_length: bool = False,
    **kwargs: Any,
) -> tuple:
    """Run `decoder` until every sequence is finished: (outputs, states), with `return_length` also the lengths.

    Args:
        decoder: see `Decoder`.
        inits: handed to its `initialize`.
        max_step_num: the number of the last step, counted from 0; None for no limit.
        output_time_major: outputs are [time, batch, ...] in place of [batch, time, ...].
        impute_finished: keep the states of finished sequences, for a decoder that does not see to it itself.
        is_test: not used; there for compatibility.
        return_length: see above.
        kwargs: handed to each step.

    Raises:
        ValueError: all sequences are finished before the first step.
    """
    inputs, states, finished = decoder.initialize(inits)
    lengths = T.zeros_like(finished, dtype="int64")
    steps: list = []
    while not bool(T.all(finished)) and (max_step_num is None or len(steps) <= max_step_num):
        time = T.to_tensor([len(steps)], dtype="int64")
        output, new, inputs, ended = decoder.step(time, inputs, states, **kwargs)
        if decoder.tracks_own_finished:
            lengths = getattr(new, "lengths", lengths)
        else:
            lengths = lengths + T.logical_not(finished).astype("int64")
            if impute_finished:
                new = _each(lambda n, o, done=finished: _kept(done, o, n), new, states)
            ended = T.logical_or(ended, finished)
        steps.append(output)
        states, finished = new, ended
    if not steps:
        raise InvalidArgument("dynamic_decode: all sequences are finished before the first step")
    outputs = _each(lambda *all_steps: T.stack(all_steps, 0), *steps)
    with contextlib.suppress(NotImplementedError):  # a decoder may leave its outputs as they are
        outputs, states = decoder.finalize(outputs, states, lengths)
    if not output_time_major:
        outputs = _each(lambda x: T.transpose(x, [1, 0, *range(2, x.ndim)]), outputs)
    return (outputs, states, lengths) if return_length else (outputs, states)


def _kept(finished: Any, old: Any, new: Any) -> Any:
    return T.where(T.reshape(finished, [*finished.shape, *[1] * (new.ndim - finished.ndim)]), old, new)
