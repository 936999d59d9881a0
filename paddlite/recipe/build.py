"""From a checked recipe to the objects of a run."""

from __future__ import annotations

import contextlib
import random
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import paddlite as paddle
from paddlite.backend.world import WORLD
from paddlite.recipe import components, signature, weights
from paddlite.recipe.batches import GlobalBatches
from paddlite.recipe.check import accumulation
from paddlite.recipe.errors import RecipeError
from paddlite.recipe.schema import Component, Recipe
from paddlite.recipe.tasks import TASKS


class Parts(NamedTuple):
    """What a training run is made of."""

    task: Any
    model: Any  # the network itself
    network: Any  # the network as it is called: inside DataParallel where there are several ranks
    optimizer: Any
    scheduler: Any | None
    scaler: Any
    train_set: Any
    eval_set: Any | None
    batches: GlobalBatches


def choose_device(recipe: Recipe, devices: str | None) -> None:
    """Make the device of the recipe, or of the command line, the current one.

    Raises:
        ValueError: a GPU is asked for where there is none; the text gives the cure.
    """
    wanted = recipe.launch.device
    if devices is not None:
        wanted = "cpu" if devices == "cpu" else "gpu"
    if wanted == "gpu" or (wanted == "auto" and paddle.is_compiled_with_cuda()):
        paddle.set_device("gpu:0")  # the launcher shows each rank its own GPU as number 0
    else:
        paddle.set_device("cpu")


def seed_everything(seed: int, rank: int) -> None:
    """Start all random numbers: the same networks everywhere, different dropout on each rank."""
    paddle.seed(seed)
    np.random.seed((seed + rank) % 2**32)
    random.seed(seed + rank)


def build(recipe: Recipe) -> Parts:
    """The objects of a training run on this rank.

    Raises:
        RecipeError: a component does not take its arguments.
    """
    seed_everything(recipe.seed, WORLD.rank)
    train_set = dataset(recipe.data.train)
    eval_set = dataset(recipe.data.eval) if recipe.data.eval is not None else None
    model = components.build(components.MODEL, recipe.model.name, recipe.model.args)
    if recipe.model.pretrained is not None:
        weights.load_into(model, Path(recipe.model.pretrained), recipe.model.skip)
    weights.freeze(model, recipe.model.frozen)
    if WORLD.size > 1 and _norms_over_all(recipe):
        model = paddle.nn.SyncBatchNorm.convert_sync_batchnorm(model)
    batches = _batches(recipe, len(train_set))
    scheduler = _scheduler(recipe, recipe.train.steps or (recipe.train.epochs or 0) * batches.steps)
    optimizer = _optimizer(recipe, model, scheduler)
    if at_o2(recipe):
        a = recipe.amp
        model, optimizer = paddle.amp.decorate(
            model, optimizer, level="O2", dtype=a.dtype, save_dtype="float32", master_grad=a.master_grad
        )
    network = paddle.DataParallel(model) if WORLD.size > 1 else model
    return Parts(
        task(recipe), model, network, optimizer, scheduler, _scaler(recipe), train_set, eval_set, batches
    )  # fmt: skip


def dataset(part: Component) -> Any:
    """The data set that a part of a recipe names."""
    return components.build(components.DATASET, part.name, part.args)


def task(recipe: Recipe) -> Any:
    """What a batch is, its loss, and what is measured."""
    loss = recipe.loss
    return TASKS[recipe.recipe](None if loss is None else components.build(components.LOSS, loss.name, loss.args))


def at_o2(recipe: Recipe) -> bool:
    """True where parameters themselves are of a half type."""
    return recipe.amp.enable and recipe.amp.level == "O2"


def trained_model(recipe: Recipe, state: dict[str, Any]) -> Any:
    """The network of a recipe with trained parameters, ready to be used."""
    model = components.build(components.MODEL, recipe.model.name, recipe.model.args)
    if at_o2(recipe):
        model = paddle.amp.decorate(model, level="O2", dtype=recipe.amp.dtype)
    weights.set_state(model, state)
    model.eval()
    return model


def _norms_over_all(recipe: Recipe) -> bool:
    """True where batch norm is to see the batches of all ranks, as one process would.

    A micro batch is the same on any number of ranks, so it is what batch norm sees where its size is given.
    """
    wanted = recipe.model.sync_batch_norm
    return recipe.data.micro_batch_size is None if wanted is None else wanted


def _batches(recipe: Recipe, samples: int) -> GlobalBatches:
    data = recipe.data
    if samples < data.global_batch_size and data.drop_last:
        raise RecipeError(
            f"data.drop_last leaves nothing: the training set has {samples} samples, data.global_batch_size is "
            f"{data.global_batch_size}"
        )
    return GlobalBatches(
        samples,
        data.global_batch_size,
        rank=WORLD.rank,
        ranks=WORLD.size,
        parts=accumulation(recipe, WORLD.size),
        seed=recipe.seed,
        shuffle=data.shuffle,
        drop_last=data.drop_last,
    )


def _scheduler(recipe: Recipe, steps: int) -> Any | None:
    """The schedule, for a run of so many steps."""
    o = recipe.optimizer
    rate: Any = o.lr
    if o.schedule is not None:
        supplied = _schedule_arguments(o.schedule, o.lr, max(1, steps - o.warmup_steps))
        rate = components.build(components.SCHEDULE, o.schedule.name, o.schedule.args, **supplied)
    if o.warmup_steps:
        rate = paddle.optimizer.lr.LinearWarmup(rate, o.warmup_steps, 0.0, o.lr)
    return None if rate is o.lr else rate


def _schedule_arguments(schedule: Component, lr: float, steps: int) -> dict[str, Any]:
    """What a schedule is given besides `args`: `lr`, by the name that it has there, and its length."""
    found = signature.find(schedule.name, *components.SCHEDULE.folders)
    if found is None:  # the user's own
        return {"learning_rate": lr}
    rates = ("learning_rate", "max_learning_rate", "base_learning_rate")
    named = next((n for n in rates if n in found.names), None)
    supplied: dict[str, Any] = dict.fromkeys(
        components.open_lengths(components.SCHEDULE, schedule.name, schedule.args), steps
    )
    return supplied | ({named: lr} if named is not None and named not in schedule.args else {})


def _optimizer(recipe: Recipe, model: Any, scheduler: Any | None) -> Any:
    o = recipe.optimizer
    supplied: dict[str, Any] = {"learning_rate": scheduler or o.lr, "parameters": model.parameters()}
    if o.weight_decay:
        supplied["weight_decay"] = o.weight_decay
    if o.grad_clip_norm is not None:
        supplied["grad_clip"] = paddle.nn.ClipGradByGlobalNorm(o.grad_clip_norm)
    return components.build(components.OPTIMIZER, o.name, o.args, **supplied)


def _scaler(recipe: Recipe) -> Any:
    a = recipe.amp
    return paddle.amp.GradScaler(
        enable=a.enable and a.dtype == "float16" and a.level != "O0",
        init_loss_scaling=a.init_loss_scaling,
        incr_ratio=a.incr_ratio,
        decr_ratio=a.decr_ratio,
        incr_every_n_steps=a.incr_every_n_steps,
        decr_every_n_nan_or_inf=a.decr_every_n_nan_or_inf,
    )


def auto_cast(recipe: Recipe) -> Any:
    """The AMP guard of the recipe, to be entered around each forward pass."""
    a = recipe.amp
    if not a.enable:
        return contextlib.nullcontext()
    return paddle.amp.auto_cast(
        enable=a.enable,
        level=a.level,
        dtype=a.dtype,
        custom_white_list=set(a.custom_white_list) or None,
        custom_black_list=set(a.custom_black_list) or None,
    )
