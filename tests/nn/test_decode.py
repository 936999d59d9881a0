"""Beam search against the search of all sequences, and decoders of one's own."""

import itertools

import numpy as np
import pytest

import paddlite as paddle
from paddlite import nn
from paddlite.nn.decode import Decoder

START, END, TOKENS, STEPS = 0, 1, 3, 4
RNG = np.random.default_rng(3)


class Chain(nn.Layer):
    """A cell whose scores depend on the last token and on how many steps there were."""

    def __init__(self):
        super().__init__()
        self.table = RNG.standard_normal((STEPS + 1, TOKENS, TOKENS)).astype("float32")

    def forward(self, tokens, step):
        at = step.numpy().astype(int).ravel(), tokens.numpy().ravel()
        return paddle.to_tensor(self.table[at]), step + 1.0


def log_softmax(x):
    return x - np.log(np.exp(x).sum(-1, keepdims=True))


def all_sequences(table, steps):
    """(log-probability, tokens) of every sequence, ended ones filled with END, best first."""
    found = {}
    for tokens in itertools.product(range(TOKENS), repeat=steps):
        score, last, row = 0.0, START, []
        for t, token in enumerate(tokens):
            score += log_softmax(table[t, last].astype("float64"))[token]
            row.append(token)
            last = token
            if token == END:
                break
        found[tuple(row + [END] * (steps - len(row)))] = score
    return sorted(((score, row) for row, score in found.items()), reverse=True)


def test_a_wide_beam_finds_the_best_sequences():
    cell = Chain()
    decoder = nn.BeamSearchDecoder(cell, START, END, beam_size=27)
    tokens, states = nn.dynamic_decode(decoder, paddle.zeros([1, 1]), max_step_num=STEPS - 1)
    want = all_sequences(cell.table, STEPS)[:5]
    np.testing.assert_allclose(states.log_probs.numpy()[0, :5], [score for score, _ in want], rtol=1e-4)
    assert tokens.shape == [1, STEPS, 27]
    assert [tuple(row) for row in tokens.numpy()[0].T[:5]] == [row for _, row in want]


def test_finished_beams_keep_their_score_and_length():
    cell = Chain()
    cell.table[:, :, END] = 50.0
    decoder = nn.BeamSearchDecoder(cell, START, END, beam_size=2)
    tokens, states, lengths = nn.dynamic_decode(decoder, paddle.zeros([2, 1]), return_length=True, max_step_num=5)
    assert tokens.numpy()[:, 0, 0].tolist() == [END, END]
    assert lengths.numpy()[:, 0].tolist() == [1, 1]
    np.testing.assert_allclose(states.log_probs.numpy()[:, 0], 0, atol=1e-5)


def test_with_embeddings_and_an_lstm():
    cell, embed, project = nn.LSTMCell(4, 5), nn.Embedding(7, 4), nn.Linear(5, 7)
    decoder = nn.BeamSearchDecoder(cell, 0, 1, 3, embed, project)
    start = paddle.ones([2, 5]), paddle.zeros([2, 5])
    tokens, states = nn.dynamic_decode(decoder, start, max_step_num=3, output_time_major=True)
    assert tokens.shape[1:] == [2, 3] and states.cell_states[1].shape == [2, 3, 5]
    scores = states.log_probs.numpy()
    assert (np.diff(scores, axis=1) <= 0).all()


def test_samples_are_repeated_for_each_beam():
    x = paddle.to_tensor([[1.0, 2.0], [3.0, 4.0]])
    tiled = nn.BeamSearchDecoder.tile_beam_merge_with_batch(x, 2)
    assert tiled.tolist() == [[1.0, 2.0], [1.0, 2.0], [3.0, 4.0], [3.0, 4.0]]


class Countdown(Decoder):
    """Counts down from given numbers; a sequence is finished at 0."""

    def initialize(self, inits):
        return inits, inits, inits == 0

    def step(self, time, inputs, states):
        left = states - 1
        return left * 10 + time, left, inputs, left == 0


def test_a_decoder_of_ones_own():
    outputs, states, lengths = nn.dynamic_decode(
        Countdown(), paddle.to_tensor([3, 1]), impute_finished=True, return_length=True
    )
    assert outputs.numpy().tolist() == [[20, 11, 2], [0, -9, -8]]
    assert states.tolist() == [0, 0] and lengths.tolist() == [3, 1]


def test_bad_calls_are_refused():
    with pytest.raises(ValueError, match="beam_size"):
        nn.BeamSearchDecoder(None, 0, 1, 0)
    with pytest.raises(ValueError, match="finished before"):
        nn.dynamic_decode(Countdown(), paddle.to_tensor([0, 0]))
    for call in (Decoder().initialize, lambda _: Decoder().step(0, None, None)):
        with pytest.raises(NotImplementedError, match="Decoder"):
            call(None)
