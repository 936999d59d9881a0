"""Each schedule follows its formula, from any step, after a checkpoint too."""

from __future__ import annotations

import copy
import math

import numpy as np
import pytest

import paddlite as paddle
from paddlite.optimizer import lr

COS = lambda x: (1 + math.cos(math.pi * x)) / 2


def restarts(t, length, times):
    while t >= length:
        t, length = t - length, length * times
    return t / length


def cycle(t, up, down):
    at = t % (up + down)
    return at / up if at <= up else 1 - (at - up) / down


def one_cycle(t):  # 20 steps, the highest rate at step 5
    return 1 / 25 + (1 - 1 / 25) * (1 - COS(t / 5)) if t <= 5 else 1e-4 + (1 - 1e-4) * COS((t - 5) / 14)


def three_phases(t):  # up to step 7, down to 14, on to 19
    if t <= 14:
        return 1 / 25 + (1 - 1 / 25) * (t / 7 if t <= 7 else 2 - t / 7)
    return 1 / 25 + (1e-4 - 1 / 25) * (t - 14) / 5


def warm_piece(t):
    return 0.1 + 0.4 * t / 5 if t < 5 else 0.5 * 0.1 ** ((t - 5) // 2)


def cyclic_poly(t):
    period = 5 * max(1, math.ceil(t / 5))
    return 0.49 * (1 - t / period) + 0.01


CASES = {
    "NoamDecay": (lambda: lr.NoamDecay(64, 5, 2.0), lambda t: 2 / 8 * (min(t**-0.5, t * 5**-1.5) if t else 0.0)),
    "PiecewiseDecay": (
        lambda: lr.PiecewiseDecay([3, 6], [1.0, 0.5, 0.1]),
        lambda t: (1.0, 0.5, 0.1)[(t >= 3) + (t >= 6)],
    ),
    "NaturalExpDecay": (lambda: lr.NaturalExpDecay(0.5, 0.1), lambda t: 0.5 * math.exp(-0.1 * t)),
    "InverseTimeDecay": (lambda: lr.InverseTimeDecay(0.5, 0.1), lambda t: 0.5 / (1 + 0.1 * t)),
    "PolynomialDecay": (
        lambda: lr.PolynomialDecay(0.5, 10, 0.01, 2.0),
        lambda t: 0.49 * (1 - min(t, 10) / 10) ** 2 + 0.01,
    ),
    "PolynomialDecay cycle": (lambda: lr.PolynomialDecay(0.5, 5, 0.01, cycle=True), cyclic_poly),
    "LinearWarmup": (lambda: lr.LinearWarmup(0.5, 5, 0.1, 0.5), lambda t: 0.1 + 0.4 * min(t, 5) / 5),
    "LinearWarmup of a schedule": (lambda: lr.LinearWarmup(lr.StepDecay(0.5, 2), 5, 0.1, 0.5), warm_piece),
    "ExponentialDecay": (lambda: lr.ExponentialDecay(0.5, 0.9), lambda t: 0.5 * 0.9**t),
    "MultiStepDecay": (lambda: lr.MultiStepDecay(0.5, [3, 6], 0.1), lambda t: 0.5 * 0.1 ** ((t >= 3) + (t >= 6))),
    "StepDecay": (lambda: lr.StepDecay(0.5, 3, 0.2), lambda t: 0.5 * 0.2 ** (t // 3)),
    "LambdaDecay": (lambda: lr.LambdaDecay(0.5, lambda t: 1 / (1 + t)), lambda t: 0.5 / (1 + t)),
    "MultiplicativeDecay": (lambda: lr.MultiplicativeDecay(0.5, lambda t: t / (t + 1)), lambda t: 0.5 / (1 + t)),
    "CosineAnnealingDecay": (lambda: lr.CosineAnnealingDecay(0.5, 5, 0.1), lambda t: 0.1 + 0.4 * COS(t / 5)),
    "OneCycleLR": (lambda: lr.OneCycleLR(1.0, 20), one_cycle),
    "OneCycleLR three phases": (
        lambda: lr.OneCycleLR(1.0, 20, phase_pct=0.4, anneal_strategy="linear", three_phase=True),
        three_phases,
    ),
    "CyclicLR": (lambda: lr.CyclicLR(0.5, 1.0, 3, 4), lambda t: 0.5 + 0.5 * cycle(t, 3, 4)),
    "CyclicLR halving": (
        lambda: lr.CyclicLR(0.5, 1.0, 3, mode="triangular2"),
        lambda t: 0.5 + 0.5 * cycle(t, 3, 3) * 0.5 ** (t // 6),
    ),
    "CyclicLR falling": (
        lambda: lr.CyclicLR(0.5, 1.0, 3, mode="exp_range", exp_gamma=0.9),
        lambda t: 0.5 + 0.5 * cycle(t, 3, 3) * 0.9**t,
    ),
    "CyclicLR by a function": (
        lambda: lr.CyclicLR(0.5, 1.0, 3, scale_fn=lambda n: 1 / n),
        lambda t: 0.5 + 0.5 * cycle(t, 3, 3) / (1 + t // 6),
    ),
    "LinearLR": (lambda: lr.LinearLR(0.5, 5, 0.2, 0.9), lambda t: 0.5 * (0.2 + 0.7 * min(t, 5) / 5)),
    "CosineAnnealingWarmRestarts": (
        lambda: lr.CosineAnnealingWarmRestarts(0.5, 3, 2, 0.1),
        lambda t: 0.1 + 0.4 * COS(restarts(t, 3, 2)),
    ),
}
LAST = {"OneCycleLR": 19, "OneCycleLR three phases": 19}


@pytest.mark.parametrize("name", CASES)
def test_rates_follow_the_formula_over_30_steps(name):
    make, formula = CASES[name]
    scheduler, last = make(), LAST.get(name, 30)
    for t in range(last + 1):
        assert scheduler.last_epoch == t
        assert scheduler() == scheduler.last_lr == pytest.approx(formula(t), rel=1e-11, abs=1e-15)
        if t < last:
            scheduler.step()


@pytest.mark.parametrize("name", CASES)
def test_any_step_can_be_gone_to(name):
    make, formula = CASES[name]
    scheduler = make()
    for t in (7, 2, 15, 0, 16, 15):
        scheduler.step(t)
        assert scheduler() == pytest.approx(formula(t), rel=1e-11, abs=1e-15)


@pytest.mark.parametrize("name", CASES)
def test_reading_the_rate_changes_nothing(name):
    make, _ = CASES[name]
    watched, plain = make(), make()
    for _ in range(12):
        assert watched.get_lr() == watched.get_lr() == watched() == plain()
        watched.step()
        plain.step()


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("taken", [3, 8])
def test_a_restored_schedule_goes_on_the_same(name, taken):
    make, _ = CASES[name]
    scheduler = make()
    for _ in range(taken):
        scheduler.step()
    state = copy.deepcopy(scheduler.state_dict())
    again = make()
    again.set_state_dict(state)
    for _ in range(10):
        assert again() == scheduler() and again.last_epoch == scheduler.last_epoch
        again.step()
        scheduler.step()


def test_a_schedule_may_begin_later():
    assert lr.StepDecay(0.5, 3, last_epoch=4)() == pytest.approx(0.05)
    assert lr.LinearLR(0.5, 10, last_epoch=4)() == pytest.approx(0.5 * (1 / 3 + 2 / 3 * 0.5))


def test_a_fraction_of_a_step():
    scheduler = lr.CosineAnnealingWarmRestarts(1.0, 4)
    scheduler.step(5.5)
    assert scheduler() == pytest.approx(COS(1.5 / 4)) and scheduler.last_epoch == 5
    with pytest.raises(ValueError, match="must not be negative"):
        scheduler.step(-1)


def test_verbose_says_what_is_set(capsys):
    scheduler = lr.StepDecay(0.5, 1, 0.5, verbose=True)
    scheduler.step()
    scheduler.step(4)
    assert capsys.readouterr().out == (
        "Epoch 0: StepDecay set learning rate to 0.5.\n"
        "Epoch 1: StepDecay set learning rate to 0.25.\n"
        "Epoch 4: StepDecay set learning rate to 0.03125.\n"
    )


def test_reduce_on_plateau(capsys):
    scheduler = lr.ReduceOnPlateau(1.0, patience=1, cooldown=1, verbose=True)
    rates = []
    for loss in (5, 4, 4, 4, 4, 4, 4, 3, 3, 3, 3):
        scheduler.step(loss)
        rates.append(scheduler())
    assert rates == pytest.approx([1.0] * 3 + [0.1] * 3 + [0.01] * 4 + [0.001])  # the reference's
    assert scheduler.state_dict() == {
        "cooldown_counter": 1,
        "best": 3,
        "num_bad_epochs": 0,
        "last_epoch": 11,
        "last_lr": pytest.approx(0.001),
    }
    assert capsys.readouterr().out.splitlines()[0] == "Epoch 4: ReduceOnPlateau set learning rate to 0.1."
    again = lr.ReduceOnPlateau(1.0, patience=1, cooldown=1)
    again.set_state_dict(scheduler.state_dict())
    assert again() == scheduler() and again.best == 3


@pytest.mark.parametrize(
    ("options", "metrics", "reduced"),
    [
        ({"mode": "max"}, (1.0, 2.0, 1.5), True),
        ({"mode": "max"}, (1.0, 2.0, 3.0), False),
        ({"threshold": 0.5, "threshold_mode": "abs"}, (3.0, 2.6), True),
        ({"threshold": 0.1, "threshold_mode": "rel"}, (3.0, 2.6), False),
        ({"min_lr": 1.0}, (1.0, 1.0), False),
    ],
)
def test_what_counts_as_improvement(options, metrics, reduced):
    scheduler = lr.ReduceOnPlateau(1.0, patience=0, **options)
    for metric in metrics:
        scheduler.step(metric)
    assert (scheduler() < 1.0) is reduced


def test_metrics_may_be_numbers_tensors_and_arrays_of_one_element():
    scheduler = lr.ReduceOnPlateau(1.0, patience=2)
    for metric in (paddle.to_tensor(3.0), np.float32(2.0), np.array([2.0]), 2):
        scheduler.step(metric)
    scheduler.step(1.0, epoch=20)
    assert (scheduler.best, scheduler.last_epoch) == (1.0, 20)
    with pytest.raises(ValueError, match="one element, got 2"):
        scheduler.step(paddle.to_tensor([1.0, 2.0]))
    with pytest.raises(TypeError, match="got str"):
        scheduler.step("1.0")


def test_a_schedule_of_ones_own():
    class Halving(lr.LRScheduler):
        def __init__(self, factor):
            self.factor = factor
            super().__init__(1.0)

        def get_lr(self):
            return self.base_lr * self.factor**self.last_epoch

        def state_keys(self):
            self.keys = ["last_epoch", "last_lr", "factor"]

    scheduler = Halving(0.5)
    scheduler.step()
    assert scheduler.state_dict() == {"last_epoch": 1, "last_lr": 0.5, "factor": 0.5}
    again = Halving(0.1)
    again.set_dict(scheduler.state_dict())
    again.step()
    assert again() == 0.25
    with pytest.raises(RuntimeError, match=r"\['factor'\] is missing"):
        again.set_state_dict({"last_epoch": 1, "last_lr": 1.0})
    with pytest.warns(UserWarning, match="nothing was done with"):
        again.set_state_dict({**scheduler.state_dict(), "best": 3})
    with pytest.raises(NotImplementedError, match="get_lr"):
        lr.LRScheduler()


def test_a_schedule_can_be_pickled_while_an_optimizer_follows_it():
    scheduler = lr.StepDecay(0.5, 2)
    scheduler._add_follower(paddle.optimizer.SGD(scheduler, parameters=[]))
    assert copy.deepcopy(scheduler)() == 0.5


BAD = [
    (ValueError, "d_model", lambda: lr.NoamDecay(0, 1)),
    (ValueError, "one element more", lambda: lr.PiecewiseDecay([1, 2], [1.0, 2.0])),
    (ValueError, "boundaries must not be empty", lambda: lr.PiecewiseDecay([], [1.0])),
    (ValueError, "must not be negative", lambda: lr.StepDecay(-1.0, 2)),
    (TypeError, "learning_rate must be a number", lambda: lr.StepDecay("a", 2)),
    (TypeError, "step_size must be an int", lambda: lr.StepDecay(0.1, "a")),
    (ValueError, "gamma must be less than 1.0", lambda: lr.StepDecay(0.1, 2, 1.5)),
    (TypeError, "milestones must be a list", lambda: lr.MultiStepDecay(0.1, 3)),
    (ValueError, "milestones must rise", lambda: lr.MultiStepDecay(0.1, [3, 1])),
    (ValueError, "gamma", lambda: lr.MultiStepDecay(0.1, [1], 1.1)),
    (ValueError, "decay_steps must be at least 1", lambda: lr.PolynomialDecay(0.1, 0)),
    (TypeError, "decay_steps must be an int", lambda: lr.PolynomialDecay(0.1, 1.5)),
    (ValueError, "power", lambda: lr.PolynomialDecay(0.1, 5, power=-1)),
    (TypeError, "number or an LRScheduler", lambda: lr.LinearWarmup("a", 1, 0.1, 0.2)),
    (ValueError, "must be greater than start_lr", lambda: lr.LinearWarmup(0.1, 1, 0.3, 0.2)),
    (ValueError, "warmup_steps", lambda: lr.LinearWarmup(0.1, -1, 0.1, 0.2)),
    (ValueError, "T_max", lambda: lr.CosineAnnealingDecay(0.1, 0)),
    (TypeError, "T_max", lambda: lr.CosineAnnealingDecay(0.1, 2.5)),
    (TypeError, "eta_min", lambda: lr.CosineAnnealingDecay(0.1, 2, "a")),
    (TypeError, "lr_lambda must be a function", lambda: lr.LambdaDecay(0.1, 3)),
    (TypeError, "lr_lambda must be a function", lambda: lr.MultiplicativeDecay(0.1, 3)),
    (ValueError, "mode must be one of", lambda: lr.ReduceOnPlateau(0.1, "x")),
    (ValueError, "threshold_mode", lambda: lr.ReduceOnPlateau(0.1, threshold_mode="x")),
    (ValueError, "factor must be less", lambda: lr.ReduceOnPlateau(0.1, factor=1.0)),
    (TypeError, "learning_rate", lambda: lr.ReduceOnPlateau("a")),
    (TypeError, "max_learning_rate", lambda: lr.OneCycleLR("a", 3)),
    (ValueError, "max_learning_rate", lambda: lr.OneCycleLR(-1.0, 10)),
    (ValueError, "end_learning_rate", lambda: lr.OneCycleLR(1.0, 10, end_learning_rate=-1.0)),
    (ValueError, "total_steps", lambda: lr.OneCycleLR(1.0, 0)),
    (TypeError, "total_steps", lambda: lr.OneCycleLR(1.0, 3.5)),
    (ValueError, "phase_pct must lie", lambda: lr.OneCycleLR(1.0, 10, phase_pct=2.0)),
    (ValueError, "below 0.5", lambda: lr.OneCycleLR(1.0, 10, three_phase=True, phase_pct=0.6)),
    (ValueError, "anneal_strategy", lambda: lr.OneCycleLR(1.0, 10, anneal_strategy="x")),
    (ValueError, "step 4 was taken, but total_steps is 3", lambda: lr.OneCycleLR(1.0, 3).step(4)),
    (ValueError, "step_size_up", lambda: lr.CyclicLR(0.1, 1.0, 0)),
    (TypeError, "step_size_up", lambda: lr.CyclicLR(0.1, 1.0, 2.5)),
    (ValueError, "step_size_down", lambda: lr.CyclicLR(0.1, 1.0, 2, 0)),
    (ValueError, "mode must be", lambda: lr.CyclicLR(0.1, 1.0, 2, mode="x")),
    (ValueError, "scale_mode", lambda: lr.CyclicLR(0.1, 1.0, 2, scale_mode="x")),
    (ValueError, "total_steps", lambda: lr.LinearLR(0.1, 0)),
    (ValueError, "start_factor", lambda: lr.LinearLR(0.1, 3, start_factor=0.0)),
    (ValueError, "end_factor", lambda: lr.LinearLR(0.1, 3, end_factor=-1.0)),
    (ValueError, "T_0", lambda: lr.CosineAnnealingWarmRestarts(0.1, 1.5)),
    (ValueError, "T_mult", lambda: lr.CosineAnnealingWarmRestarts(0.1, 1, 0)),
    (ValueError, "gamma", lambda: lr.NaturalExpDecay(0.1, -0.1)),
    (ValueError, "gamma", lambda: lr.ExponentialDecay(0.1, 1.5)),
]


@pytest.mark.parametrize(("error", "text", "call"), BAD, ids=[f"{i}-{b[1]}" for i, b in enumerate(BAD)])
def test_bad_arguments_are_refused(error, text, call):
    with pytest.raises(error, match=text):
        call()


def test_no_steps_of_warmup_leave_the_schedule_as_it_is():
    inner = lr.StepDecay(0.5, 2)
    schedule = lr.LinearWarmup(inner, warmup_steps=0, start_lr=0.0, end_lr=0.1)
    got = []
    for _ in range(4):
        got.append(schedule())
        schedule.step()
    assert got == pytest.approx([0.5, 0.5, 0.05, 0.05])
