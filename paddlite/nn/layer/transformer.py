"""Transformers: encoders, decoders, and both together.

Vaswani et al., "Attention is all you need" (2017).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from paddlite.backend import device
from paddlite.core.errors import InvalidArgument
from paddlite.core.mode import current
from paddlite.core.tensor import Tensor
from paddlite.nn import functional as F
from paddlite.nn.layer.attention import MultiHeadAttention, _convert_attention_mask
from paddlite.nn.layer.common import Linear
from paddlite.nn.layer.container import LayerList
from paddlite.nn.layer.dropout import Dropout
from paddlite.nn.layer.layers import Layer
from paddlite.nn.layer.norm import LayerNorm
from paddlite.nn.parameter import ParamAttr
from paddlite.ops.arithmetic import elementwise_add

__all__ = [
    "Transformer", "TransformerDecoder", "TransformerDecoderLayer", "TransformerEncoder", "TransformerEncoderLayer",
]  # fmt: skip


def _convert_param_attr_to_list(param_attr: Any, n: int) -> list:
    """One `ParamAttr` (or False) for each of `n` parameters.

    Args:
        param_attr: one for all, whose name gets numbers, or a list of `n`.

    Raises:
        ValueError: a list of another length.
    """
    if isinstance(param_attr, (list, tuple)):
        if len(param_attr) != n:
            raise InvalidArgument(f"a list of parameter attributes must have {n} entries here, got {len(param_attr)}")
        return [ParamAttr._to_attr(attr) for attr in param_attr]
    attr = ParamAttr._to_attr(param_attr)
    if attr is False or attr.name is None:
        return [attr] * n
    return [ParamAttr(**{**vars(attr), "name": f"{attr.name}_{i}"}) for i in range(n)]


class _Block(Layer):
    """What encoder and decoder layers have in common: the feed-forward part, and residuals around every part."""

    def __init__(self, config: dict[str, Any], parts: int):
        super().__init__()
        self._config = config  # from which encoders and decoders make their further layers
        name = type(self).__name__
        for size in ("d_model", "nhead", "dim_feedforward"):
            if config[size] <= 0:
                raise InvalidArgument(f"{name}: {size} must be positive, got {config[size]}")
        self.activation = getattr(F, config["activation"], None)
        if self.activation is None:
            raise InvalidArgument(
                f"{name}: activation must name a function of nn.functional, got {config['activation']!r}"
            )
        self.normalize_before = config["normalize_before"]
        self._weight_attrs = _convert_param_attr_to_list(config["weight_attr"], parts)
        self._bias_attrs = _convert_param_attr_to_list(config["bias_attr"], parts)

    def _attention(self, part: int) -> MultiHeadAttention:
        config = self._config
        drop = config["dropout"] if config["attn_dropout"] is None else config["attn_dropout"]
        return MultiHeadAttention(
            config["d_model"],
            config["nhead"],
            drop,
            weight_attr=self._weight_attrs[part],
            bias_attr=self._bias_attrs[part],
        )

    def _make_rest(self) -> None:
        config, parts = self._config, len(self._weight_attrs)
        size, wide, drop = config["d_model"], config["dim_feedforward"], config["dropout"]
        attrs = self._weight_attrs[-1], self._bias_attrs[-1]
        self.linear1 = Linear(size, wide, *attrs)
        self.dropout = Dropout(drop if config["act_dropout"] is None else config["act_dropout"])
        self.linear2 = Linear(wide, size, *attrs)
        for i in range(1, parts + 1):
            setattr(self, f"norm{i}", LayerNorm(size, config["layer_norm_eps"]))
        for i in range(1, parts + 1):
            setattr(self, f"dropout{i}", Dropout(drop))

    def _feed_forward(self, x: Any) -> Any:
        return self.linear2(self.dropout(self.activation(self.linear1(x))))

    def _around(self, number: int, x: Any, part: Any) -> tuple[Any, Any]:
        """x + dropout(part(x)), with norm `number` before or behind; and what else `part` gave."""
        norm = getattr(self, f"norm{number}")
        found = part(norm(x) if self.normalize_before else x)
        found, more = found if isinstance(found, tuple) else (found, None)
        x = elementwise_add(x, getattr(self, f"dropout{number}")(found))
        return x if self.normalize_before else norm(x), more


class TransformerEncoderLayer(_Block):
    """Self-attention and a feed-forward network, each with a residual, dropout and a layer norm.

    Args:
        d_model: size of inputs and outputs.
        nhead: heads of the attention.
        dim_feedforward: size in the middle of the feed-forward network.
        dropout: after attention and feed-forward network.
        activation: a function of `nn.functional`, by name.
        attn_dropout: of the attention weights; left out, `dropout`.
        act_dropout: after the activation; left out, `dropout`.
        normalize_before: the norm comes before each part, not behind the residual.
        weight_attr: for all weights, or a list for (attention, feed-forward network).
        bias_attr: for all biases, likewise; False for none.
        layer_norm_eps: added to the variance in norms.

    Raises:
        ValueError: a size is not positive, or the activation unknown.

    >>> import paddlite as paddle
    >>> layer = paddle.nn.TransformerEncoderLayer(8, 2, 16)
    >>> layer(paddle.ones([2, 5, 8])).shape
    paddle.Size([2, 5, 8])
    """

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int,
        dropout: float = 0.1,
        activation: str = "relu",
        attn_dropout: float | None = None,
        act_dropout: float | None = None,
        normalize_before: bool = False,
        weight_attr: Any = None,
        bias_attr: Any = None,
        layer_norm_eps: float = 1e-5,
    ):
        given = dict(locals())
        super().__init__({name: value for name, value in given.items() if name not in ("self", "__class__")}, 2)
        self.self_attn = self._attention(0)
        self._make_rest()

    def forward(self, src: Any, src_mask: Any = None, cache: Any = None) -> Any:
        """The result [batch, length, d_model]; with a cache, (result, new cache).

        Args:
            src: [batch, length, d_model].
            src_mask: see `MultiHeadAttention.forward`.
            cache: from `gen_cache`, for one position after the other.
        """
        src_mask = _convert_attention_mask(src_mask, src.dtype)
        src, cache = self._around(1, src, lambda x: self.self_attn(x, x, x, src_mask, cache))
        src, _ = self._around(2, src, self._feed_forward)
        return src if cache is None else (src, cache)

    def gen_cache(self, src: Any) -> Any:
        """An empty cache for the batch of `src`."""
        return self.self_attn.gen_cache(src, type=MultiHeadAttention.Cache)


class TransformerDecoderLayer(_Block):
    """Self-attention, attention on the encoder's output and a feed-forward network, each as in the encoder layer.

    Arguments as for `TransformerEncoderLayer`; lists of attributes are for (self-attention, attention on the memory,
    feed-forward network).
    """

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int,
        dropout: float = 0.1,
        activation: str = "relu",
        attn_dropout: float | None = None,
        act_dropout: float | None = None,
        normalize_before: bool = False,
        weight_attr: Any = None,
        bias_attr: Any = None,
        layer_norm_eps: float = 1e-5,
    ):
        given = dict(locals())
        super().__init__({name: value for name, value in given.items() if name not in ("self", "__class__")}, 3)
        self.self_attn = self._attention(0)
        self.cross_attn = self._attention(1)
        self._make_rest()

    def forward(self, tgt: Any, memory: Any, tgt_mask: Any = None, memory_mask: Any = None, cache: Any = None) -> Any:
        """The result [batch, length, d_model]; with a cache, (result, new cache).

        Args:
            tgt: [batch, length, d_model].
            memory: the encoder's output [batch, source length, d_model].
            tgt_mask: for self-attention: see `MultiHeadAttention.forward`.
            memory_mask: for the attention on the memory.
            cache: from `gen_cache`.
        """
        tgt_mask = _convert_attention_mask(tgt_mask, tgt.dtype)
        memory_mask = _convert_attention_mask(memory_mask, memory.dtype)
        own, fixed = (None, None) if cache is None else cache
        tgt, own = self._around(1, tgt, lambda x: self.self_attn(x, x, x, tgt_mask, own))
        tgt, fixed = self._around(2, tgt, lambda x: self.cross_attn(x, memory, memory, memory_mask, fixed))
        tgt, _ = self._around(3, tgt, self._feed_forward)
        return tgt if cache is None else (tgt, (own, fixed))

    def gen_cache(self, memory: Any) -> tuple[Any, Any]:
        """(an empty cache for self-attention, the keys and values of `memory`)."""
        return (
            self.self_attn.gen_cache(memory, type=MultiHeadAttention.Cache),
            self.cross_attn.gen_cache(memory, memory, type=MultiHeadAttention.StaticCache),
        )


class _Stack(Layer):
    """`num_layers` layers of one kind, the first of which is given, and a norm behind them."""

    def __init__(self, layer: Any, num_layers: int, norm: Layer | None):
        super().__init__()
        self.layers = LayerList([layer, *[type(layer)(**layer._config) for _ in range(num_layers - 1)]])
        self.num_layers, self.norm = num_layers, norm

    def _run(self, x: Any, caches: Any, *arguments: Any) -> Any:
        grown = []
        for i, layer in enumerate(self.layers):
            if caches is None:
                x = layer(x, *arguments)
            else:
                x, cache = layer(x, *arguments, cache=caches[i])
                grown.append(cache)
        if self.norm is not None:
            x = self.norm(x)
        return x if caches is None else (x, grown)


class TransformerEncoder(_Stack):
    """A stack of encoder layers.

    Args:
        encoder_layer: the first layer; the others are made anew with its settings.
        num_layers: how many there are.
        norm: a layer behind the last one, or None.
    """

    def __init__(self, encoder_layer: TransformerEncoderLayer, num_layers: int, norm: Layer | None = None):
        super().__init__(encoder_layer, num_layers, norm)

    def forward(self, src: Any, src_mask: Any = None, cache: Any = None) -> Any:
        """As `TransformerEncoderLayer.forward`, with a list of caches."""
        return self._run(src, cache, _convert_attention_mask(src_mask, src.dtype))

    def gen_cache(self, src: Any) -> list:
        """Empty caches for the batch of `src`, one a layer."""
        return [layer.gen_cache(src) for layer in self.layers]


class TransformerDecoder(_Stack):
    """A stack of decoder layers.

    Args:
        decoder_layer: the first layer; the others are made anew with its settings.
        num_layers: how many there are.
        norm: a layer behind the last one, or None.
    """

    def __init__(self, decoder_layer: TransformerDecoderLayer, num_layers: int, norm: Layer | None = None):
        super().__init__(decoder_layer, num_layers, norm)

    def forward(self, tgt: Any, memory: Any, tgt_mask: Any = None, memory_mask: Any = None, cache: Any = None) -> Any:
        """As `TransformerDecoderLayer.forward`, with a list of caches."""
        masks = _convert_attention_mask(tgt_mask, tgt.dtype), _convert_attention_mask(memory_mask, memory.dtype)
        return self._run(tgt, cache, memory, *masks)

    def gen_cache(self, memory: Any, do_zip: bool = False) -> list:
        """Caches, one pair a layer; with `do_zip` a list of all first ones and one of all second ones."""
        caches = [layer.gen_cache(memory) for layer in self.layers]
        return list(zip(*caches)) if do_zip else caches


class Transformer(Layer):
    """An encoder, and a decoder that looks at its output.

    Args:
        d_model: size of inputs and outputs.
        nhead: heads of each attention.
        num_encoder_layers: layers of the encoder.
        num_decoder_layers: layers of the decoder.
        dim_feedforward, dropout, activation, attn_dropout, act_dropout, normalize_before: see
            `TransformerEncoderLayer`.
        weight_attr: for all weights, or a list of one, of two (attentions, feed-forward networks), or of three
            (self-attention, attention on the memory, feed-forward networks).
        bias_attr: for all biases, likewise; False for none.
        custom_encoder: takes the place of the encoder.
        custom_decoder: takes the place of the decoder.

    Raises:
        ValueError: a list of attributes has another length.

    >>> import paddlite as paddle
    >>> net = paddle.nn.Transformer(8, 2, 1, 1, 16)
    >>> net(paddle.ones([2, 5, 8]), paddle.ones([2, 3, 8])).shape
    paddle.Size([2, 3, 8])
    """

    def __init__(
        self,
        d_model: int = 512,
        nhead: int = 8,
        num_encoder_layers: int = 6,
        num_decoder_layers: int = 6,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: str = "relu",
        attn_dropout: float | None = None,
        act_dropout: float | None = None,
        normalize_before: bool = False,
        weight_attr: Any = None,
        bias_attr: Any = None,
        custom_encoder: Layer | None = None,
        custom_decoder: Layer | None = None,
    ):
        super().__init__()
        self.d_model, self.nhead = d_model, nhead
        common = (d_model, nhead, dim_feedforward, dropout, activation, attn_dropout, act_dropout, normalize_before)
        encoder_attrs, decoder_attrs = zip(_shared_out(weight_attr), _shared_out(bias_attr))
        if custom_encoder is None:
            layer = TransformerEncoderLayer(*common, *encoder_attrs)
            custom_encoder = TransformerEncoder(layer, num_encoder_layers, LayerNorm(d_model))
        self.encoder = custom_encoder
        if custom_decoder is None:
            layer = TransformerDecoderLayer(*common, *decoder_attrs)
            custom_decoder = TransformerDecoder(layer, num_decoder_layers, LayerNorm(d_model))
        self.decoder = custom_decoder

    def forward(self, src: Any, tgt: Any, src_mask: Any = None, tgt_mask: Any = None, memory_mask: Any = None) -> Any:
        """The decoder's output [batch, target length, d_model].

        Args:
            src: [batch, source length, d_model].
            tgt: [batch, target length, d_model].
            src_mask: for the encoder: see `MultiHeadAttention.forward`.
            tgt_mask: for the decoder's self-attention; see `generate_square_subsequent_mask`.
            memory_mask: for the decoder's attention on the encoder's output.
        """
        memory = self.encoder(src, src_mask=src_mask)
        return self.decoder(tgt, memory, tgt_mask=tgt_mask, memory_mask=memory_mask)

    def generate_square_subsequent_mask(self, length: Any) -> Any:
        """A mask [length, length] that lets each position see itself and those before it: 0 there, else -inf."""
        size = int(length)
        mask = np.triu(np.full((size, size), -np.inf, current().default_dtype), 1)
        return Tensor(device.to_place(mask, current().place))


def _shared_out(attr: Any) -> tuple[Any, Any]:
    """What of `attr` encoder layers and decoder layers get."""
    if not isinstance(attr, (list, tuple)):
        return attr, attr
    if len(attr) == 1:
        return [attr[0]] * 2, [attr[0]] * 3
    if len(attr) == 2:
        return list(attr), [attr[0], attr[0], attr[1]]
    if len(attr) == 3:
        return [attr[0], attr[2]], list(attr)
    raise InvalidArgument(f"Transformer: a list of parameter attributes must have 1 to 3 entries, got {len(attr)}")
