"""What optimizers do to parameters: one rule each, in place, which is an op too."""

from paddlite.ops.update.adam import adam, adamax, adamw, nadam, radam
from paddlite.ops.update.adaptive import adadelta, adagrad, lamb, rmsprop
from paddlite.ops.update.descent import asgd, momentum, rprop, sgd

__all__ = [
    "adadelta", "adagrad", "adam", "adamax", "adamw", "asgd", "lamb", "momentum", "nadam", "radam", "rmsprop", "rprop",
    "sgd",
]  # fmt: skip
