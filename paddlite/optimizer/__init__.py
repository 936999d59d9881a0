"""Optimizers, and the schedules of their learning rate in `lr`."""

from paddlite.core.guard import guard_constructors
from paddlite.optimizer import lr
from paddlite.optimizer.adam import Adam, Adamax, AdamW, NAdam, RAdam
from paddlite.optimizer.adaptive import Adadelta, Adagrad, Lamb, RMSProp
from paddlite.optimizer.descent import ASGD, SGD, Momentum, Rprop
from paddlite.optimizer.lbfgs import LBFGS
from paddlite.optimizer.optimizer import Optimizer

__all__ = [
    "ASGD",
    "LBFGS",
    "SGD",
    "Adadelta",
    "Adagrad",
    "Adam",
    "AdamW",
    "Adamax",
    "Lamb",
    "Momentum",
    "NAdam",
    "Optimizer",
    "RAdam",
    "RMSProp",
    "Rprop",
]

guard_constructors(Optimizer, "paddlite.optimizer")
guard_constructors(lr.LRScheduler, "paddlite.optimizer")
