"""Layers are found where public code looks for them."""

import importlib

import pytest

from paddlite import nn

PLACES = {
    "activation": ("ReLU", "Sigmoid", "Softmax", "PReLU"),
    "common": ("Linear", "Embedding", "Flatten", "Identity"),
    "container": ("LayerList", "Sequential", "ParameterList"),
    "conv": ("Conv1D", "Conv2D", "Conv2DTranspose"),
    "layers": ("Layer",),
    "loss": ("CrossEntropyLoss", "MSELoss", "TripletMarginLoss"),
    "norm": ("BatchNorm2D", "LayerNorm", "SyncBatchNorm", "GroupNorm"),
    "pooling": ("MaxPool2D", "AdaptiveAvgPool2D", "LPPool2D"),
    "rnn": ("LSTM", "GRU", "RNN"),
    "transformer": ("MultiHeadAttention", "Transformer", "TransformerEncoderLayer"),
    "vision": ("PixelShuffle",),
}


@pytest.mark.parametrize(("module", "names"), PLACES.items())
def test_layers_are_found_in_their_module_and_above(module, names):
    found = importlib.import_module(f"paddlite.nn.layer.{module}")
    for name in names:
        assert getattr(found, name) is getattr(nn.layer, name) is getattr(nn, name)


def test_helpers_that_public_code_uses():
    from paddlite.nn.layer.norm import _BatchNormBase
    from paddlite.nn.layer.transformer import _convert_attention_mask

    assert issubclass(nn.BatchNorm2D, _BatchNormBase) and issubclass(nn.SyncBatchNorm, _BatchNormBase)
    assert callable(_convert_attention_mask)


def test_other_names():
    assert (nn.Module, nn.ModuleList, nn.ModuleDict, nn.SiLU) == (nn.Layer, nn.LayerList, nn.LayerDict, nn.Silu)
    assert (nn.Conv2d, nn.ReflectionPad1d, nn.LPPool2d) == (nn.Conv2D, nn.ReflectionPad1D, nn.LPPool2D)


def test_every_name_is_there():
    assert len(nn.__all__) == len(set(nn.__all__))
    assert all(hasattr(nn, name) for name in nn.__all__)
