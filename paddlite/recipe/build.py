"""From a checked recipe to the objects of a run."""

from __future__ import annotations

import random
from typing import Any, NamedTuple

import numpy as np

import paddlite as paddle
from paddlite.backend.world import WORLD
from paddlite.recipe import components
from paddlite.recipe.batches import GlobalBatches
from paddlite.recipe.check import accumulation
from paddlite.recipe.errors import RecipeError
from paddlite.recipe.schema import Recipe
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
    train_set = components.build(components.DATASET, recipe.data.train.name, recipe.data.train.args)
    eval_set = None
    if recipe.data.eval is not None:
        eval_set = components.build(components.DATASET, recipe.data.eval.name, recipe.data.eval.args)
    model = components.build(components.MODEL, recipe.model.name, recipe.model.args)
    if recipe.model.pretrained is not None:
        _load_pretrained(model, recipe.model.pretrained)
    loss = None
    if recipe.loss is not None:
        loss = components.build(components.LOSS, recipe.loss.name, recipe.loss.args)
    scheduler = _scheduler(recipe)
    optimizer = _optimizer(recipe, model, scheduler)
    if recipe.amp.enable and recipe.amp.level == "O2":
        model, optimizer = paddle.amp.decorate(model, optimizer, level="O2", dtype=recipe.amp.dtype)
    network = paddle.DataParallel(model) if WORLD.size > 1 else model
    return Parts(
        TASKS[recipe.recipe](loss), model, network, optimizer, scheduler, _scaler(recipe), train_set, eval_set,
        _batches(recipe, len(train_set)),
    )  # fmt: skip


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


def _load_pretrained(model: Any, path: str) -> None:
    missing, unexpected = model.set_state_dict(paddle.load(path))
    if missing or unexpected:
        what = f"missing {missing or 'nothing'}, unexpected {unexpected or 'nothing'}"
        raise RecipeError(f"model.pretrained {path} does not fit the model: {what}")


def _scheduler(recipe: Recipe) -> Any | None:
    schedule = recipe.optimizer.schedule
    if schedule is None:
        return None
    return components.build(components.SCHEDULE, schedule.name, schedule.args, learning_rate=recipe.optimizer.lr)


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
    """The AMP guard of the recipe, to be entered around a forward pass."""
    a = recipe.amp
    return paddle.amp.auto_cast(
        enable=a.enable,
        level=a.level,
        dtype=a.dtype,
        custom_white_list=set(a.custom_white_list) or None,
        custom_black_list=set(a.custom_black_list) or None,
    )
