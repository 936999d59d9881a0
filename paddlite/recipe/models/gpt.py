"""A character-level GPT: a stack of causal attention blocks (Radford et al., 2018, with norms first)."""

from __future__ import annotations

from typing import Any

import paddlite as paddle
from paddlite import nn
from paddlite.nn import functional as F

__all__ = ["GPT"]


class Block(nn.Layer):
    """Attention over what came before, then a two-layer perceptron, each added to its input."""

    def __init__(self, width: int, heads: int, dropout: float):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.project = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.widen, self.narrow = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Any) -> Any:
        batch, length, width = x.shape
        qkv = self.qkv(self.norm1(x)).reshape([batch, length, 3, self.heads, width // self.heads])
        q, k, v = qkv.unbind(2)
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True).reshape([batch, length, width])
        x = x + self.dropout(self.project(mixed))
        return x + self.dropout(self.narrow(F.gelu(self.widen(self.norm2(x)))))


class GPT(nn.Layer):
    """Scores for the next symbol at every position: [batch, length] whole numbers to [batch, length, vocab_size].

    Args:
        vocab_size: number of symbols.
        context: the longest input.
        width: numbers a position is represented by.
        layers: blocks.
        heads: attention heads; must divide `width`.
        dropout: share of numbers dropped in training.
    """

    def __init__(
        self,
        vocab_size: int = 128,
        context: int = 64,
        width: int = 64,
        layers: int = 2,
        heads: int = 4,
        dropout: float = 0.0,
    ):
        super().__init__()
        if width % heads:
            raise ValueError(f"GPT: width {width} is not divisible by {heads} heads")
        normal = paddle.ParamAttr(initializer=nn.initializer.Normal(0.0, 0.02))
        self.tokens = nn.Embedding(vocab_size, width, weight_attr=normal)
        self.positions = nn.Embedding(context, width, weight_attr=normal)
        self.blocks = nn.LayerList([Block(width, heads, dropout) for _ in range(layers)])
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, vocab_size, weight_attr=normal, bias_attr=False)

    def forward(self, ids: Any) -> Any:
        x = self.tokens(ids) + self.positions(paddle.arange(ids.shape[1]))
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))
