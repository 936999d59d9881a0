"""Samples of `ops/update`: one step from a state that is not the first."""

import numpy as np

from paddlite.core.errors import ShapeMismatch
from tests.ops.sample import exactly, normal, positive, sample
from tests.optimizer import models

RATE = exactly(0.1)
LATER = 4  # the step that the samples take
STATE = normal(3, 4)
SQUARES = positive(3, 4)
BETAS = (exactly([0.9**LATER]), exactly([0.999**LATER]))


def step(model, *names, numbers=0, **renamed):
    """A reference of the op's inputs from the optimizer's model; `renamed`: the op's attributes as the model has them."""

    def reference(p, g, lr, *rest, **attrs):
        slots = {n: np.array(a) for n, a in zip(names, rest) if a is not None}
        options = {renamed.get(k, k): v for k, v in attrs.items()}
        return model(p, g, float(lr), slots, LATER, **options)

    return reference


def rule(name, model, *slots, numbers=(), names=(), note="", renamed=None, bad=True, **options):
    refused = tuple(((normal(3, 4), normal(4), RATE, *slots, *numbers, None), {}, ShapeMismatch) for _ in range(bad))
    return sample(
        name, normal(3, 4), normal(3, 4), RATE, *slots, *numbers, None,
        reference=step(model, *names, **(renamed or {})), note=note, half=False, batch=(), bad=refused, **options,
    )  # fmt: skip


MOMENTS = ("moment1", "moment2", "moment2_max")


def rectified(p, g, lr, m, v, b1, b2, rho, master, **attrs):
    """RAdam counts its powers from 1, and they stand at the step before."""
    return models.radam(p, g, float(lr), {"moment1": m, "moment2": v}, LATER, **attrs)


def averaged(p, g, lr, d, y, m, master, *, batch_num):
    row = int(m[0]) % batch_num
    return p - lr * (d - y[row] + g) / min(m[0] + 1, batch_num)


def by_sign(p, g, lr, before, rates, master, **attrs):
    found = {"prevs": before, "learning_rates": rates}
    names = {"lowest": "low", "highest": "high"}
    return models.rprop(p, g, float(lr), found, LATER, **{names.get(k, k): v for k, v in attrs.items()})


def ahead(p, g, lr, m, v, decay_pow, b2, product, master, **attrs):
    return models.nadam(p, g, float(lr), {"moment1": m, "moment2": v}, LATER)


MU = np.prod([0.9 * (1 - 0.5 * 0.96 ** (i * 0.004)) for i in range(1, LATER)])
BEFORE = (exactly([0.9 ** (LATER - 1)]), exactly([0.999 ** (LATER - 1)]))
RHO = exactly([(LATER - 1) * 0.999 ** (LATER - 1) / (1 - 0.999 ** (LATER - 1))])

SAMPLES = [
    rule("sgd", models.sgd),
    rule("momentum", models.momentum, STATE, names=("velocity",)),
    rule("momentum", models.momentum, STATE, names=("velocity",), note="nesterov", mu=0.8, use_nesterov=True, renamed={"use_nesterov": "nesterov"}),
    rule("adam", models.adam, STATE, SQUARES, None, numbers=BETAS, names=MOMENTS),
    rule("adam", lambda *a, **k: models.adam(*a, amsgrad=True, **k), STATE, SQUARES, SQUARES, numbers=BETAS, names=MOMENTS, note="amsgrad"),
    rule("adamw", models.adamw, STATE, SQUARES, None, numbers=BETAS, names=MOMENTS, coeff=0.2, renamed={"coeff": "decay"}),
    rule("adamax", models.adamax, STATE, SQUARES, numbers=BETAS[:1], names=("moment", "inf_norm")),
    rule("adagrad", models.adagrad, SQUARES, names=("moment",), epsilon=1e-2),
    rule("adadelta", models.adadelta, SQUARES, SQUARES, names=("_avg_squared_grad", "_avg_squared_update")),
    rule("rmsprop", models.rmsprop, STATE, SQUARES, STATE, names=("momentum", "mean_square", "mean_grad"), mu=0.5),
    rule("rmsprop", models.rmsprop, normal(3, 4), positive(3, 4), normal(3, 4, scale=0.1), names=("momentum", "mean_square", "mean_grad"), note="centered", centered=True),
    rule("lamb", models.lamb, STATE, SQUARES, numbers=BETAS, names=MOMENTS, weight_decay=0.1, renamed={"weight_decay": "decay"}, bad=False),
    sample("nadam", normal(3, 4), normal(3, 4), RATE, STATE, SQUARES, exactly([0.96 ** (LATER - 1)]), BEFORE[1], exactly([MU]), None, reference=ahead, half=False, batch=()),
    sample("radam", normal(3, 4), normal(3, 4), RATE, STATE, SQUARES, *BEFORE, RHO, None, reference=rectified, half=False, batch=()),
    sample("asgd", normal(3, 4), normal(3, 4), RATE, STATE, normal(2, 3, 4), exactly([5]), None, reference=averaged, batch_num=2, half=False, batch=()),
    sample("rprop", normal(3, 4), normal(3, 4), RATE, STATE, SQUARES, None, reference=by_sign, lowest=0.6, highest=1.8, half=False, batch=()),
]  # fmt: skip
