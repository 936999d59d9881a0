"""What a recipe may say: a closed, typed schema.  Its JSON Schema completes and checks recipe files in editors."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema


class Section(BaseModel):
    """A part of a recipe; unknown keys are errors, and values keep their type (a text is no number)."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


# `args: null` takes back what a base gave.
Arguments = Annotated[
    dict[str, Any],
    BeforeValidator(lambda given: {} if given is None else given),
    WithJsonSchema({"type": ["object", "null"], "default": {}}),
]


class Component(Section):
    """Something made by name: a model, a loss, a data set, a schedule."""

    name: str = Field(description="A name that ships with paddlite, or 'package.module:Name' of your own.")
    args: Arguments = Field({}, description="Keyword arguments, checked against the signature; null: none.")


class Model(Component):
    """The network, and the parameters that it starts from."""

    pretrained: str | None = Field(
        None,
        description="Parameters to start from (not a resume): a .pdparams file, a run's folder, or a name that ships.",
    )
    skip: list[str] = Field([], description="Beginnings of names that `pretrained` leaves at their own first values.")
    frozen: list[str] = Field([], description="Beginnings of names of parameters that are not trained.")
    sync_batch_norm: bool | None = Field(
        None, description="Batch norm over all processes; left out: where data.micro_batch_size is not given."
    )


class Data(Section):
    """Batches.  Sizes count the samples of one optimizer step over all processes."""

    train: Component = Field(description="The data set to train on.")
    eval: Component | None = Field(None, description="The data set to measure on; nothing is measured without it.")
    global_batch_size: int = Field(64, gt=0, description="Samples a step, over all processes and accumulated parts.")
    micro_batch_size: int | None = Field(
        None, gt=0, description="Samples that one process puts through the model at once; sets the accumulation."
    )
    workers: int = Field(0, ge=0, description="Loader processes in each process; 0 loads in the process itself.")
    shuffle: bool = Field(True, description="Take the samples of each epoch in another order.")
    drop_last: bool = Field(False, description="Leave out the last batch of an epoch where it is smaller.")


class Train(Section):
    """How long, and how often something is told, measured or put together."""

    epochs: int | None = Field(None, gt=0, description="Passes over the training data; give either epochs or steps.")
    steps: int | None = Field(None, gt=0, description="Optimizer steps; give either epochs or steps.")
    mode: Literal["eager", "to_static", "static"] = Field("eager", description="How steps run; only eager so far.")
    accumulate_steps: int = Field(1, gt=0, description="Parts that each process's share of a batch is split into.")
    log_every: int = Field(10, gt=0, description="Steps between two lines of output.")
    eval_every: int | None = Field(None, gt=0, description="Steps between evaluations; once an epoch where left out.")
    max_seconds: float | None = Field(None, gt=0, description="Stop after the step that passes this time.")
    max_steps: int | None = Field(None, gt=0, description="Stop after this step (--steps); schedules stay as they are.")


class Optimizer(Section):
    """The optimizer and its learning rate."""

    name: str = Field("Adam", description="A class of paddle.optimizer, or 'package.module:Name' of your own.")
    lr: float = Field(1e-3, gt=0, description="The learning rate, or where its schedule begins.")
    weight_decay: float = Field(0.0, ge=0, description="As the optimizer takes it: L2 penalty, or decoupled (AdamW).")
    grad_clip_norm: float | None = Field(None, gt=0, description="Largest global norm of the gradients.")
    warmup_steps: int = Field(0, ge=0, description="Steps in which the learning rate rises from 0 to lr.")
    args: Arguments = Field({}, description="Further keyword arguments of the optimizer; null: none.")
    schedule: Component | None = Field(
        None,
        description="A schedule of paddle.optimizer.lr, stepped each step, from lr on and over the whole run.",
    )


class Amp(Section):
    """Mixed precision.  `amp: O1` and `amp: off` are short for a section."""

    enable: bool = Field(False, description="Switch it on.")
    level: Literal["O0", "OD", "O1", "O2"] = Field(
        "O1",
        description="O1: half precision where it is safe; OD: matmul, convolution; O2: nearly everywhere.",
    )
    dtype: Literal["float16", "bfloat16"] = Field("float16", description="The half type; float16 scales the loss.")
    init_loss_scaling: float = Field(65536.0, gt=0, description="The first loss scale.")
    incr_ratio: float = Field(2.0, gt=1, description="The loss scale grows by this factor,")
    incr_every_n_steps: int = Field(2000, gt=0, description="after so many steps without overflow.")
    decr_ratio: float = Field(0.5, gt=0, lt=1, description="The loss scale falls by this factor,")
    decr_every_n_nan_or_inf: int = Field(1, gt=0, description="after so many steps with overflow, which are skipped.")
    master_grad: bool = Field(False, description="At O2, gradients in float32 as soon as they are known.")
    custom_white_list: list[str] = Field([], description="Ops that run in half precision in addition.")
    custom_black_list: list[str] = Field([], description="Ops that stay in float32 in addition.")


class Checkpoint(Section):
    """When the run is saved, so that it can go on (see docs/resume.md) and be used."""

    every: int | None = Field(None, gt=0, description="Steps between checkpoints; none but the last where left out.")
    keep: int = Field(3, gt=0, description="How many are kept besides the best.")
    best: str | None = Field(None, description="The evaluation metric that chooses the best: acc, loss.")
    mode: Literal["max", "min"] = Field("max", description="Whether more or less is better.")
    on_signal: bool = Field(True, description="Write one on SIGTERM and SIGUSR1 and leave with exit code 75.")


class Metrics(Section):
    """metrics.csv and report.html are always written."""

    tensorboard: bool = Field(False, description="Event files for TensorBoard, where tensorboardX is installed.")
    visualdl: bool = Field(False, description="Event files for VisualDL, where visualdl is installed.")
    plot: bool = Field(True, description="loss.png, where matplotlib is installed.")


class Target(Section):
    """What the recipe is known to reach; checked by `make recipes`."""

    metric: str = Field(description="What is measured: acc, loss, perplexity.")
    value: float = Field(description="What it reaches at the end.")
    mode: Literal["max", "min"] = Field("max", description="Whether more or less is better.")

    def reached(self, found: float) -> bool:
        """True where `found` is as good as the target."""
        return found >= self.value if self.mode == "max" else found <= self.value

    def text(self) -> str:
        """The target in words, such as "acc >= 0.96"."""
        return f"{self.metric} {'>=' if self.mode == 'max' else '<='} {self.value:g}"


class Launch(Section):
    """Where it runs, and how it is watched."""

    nproc: int = Field(1, gt=0, description="Processes on this host, unless --nproc says otherwise.")
    device: Literal["auto", "gpu", "cpu"] = Field("auto", description="auto: the GPU where there is one.")
    stall_timeout: float = Field(300.0, ge=0, description="Seconds without a step until the run is stopped; 0: never.")
    start_timeout: float = Field(60.0, ge=0, description="Seconds for all processes to come up; 0: no limit.")


class Recipe(Section):
    """A training run."""

    recipe: Literal["classify", "lm"] = Field(description="The kind of task: its loss, metrics and batches.")
    name: str = Field("run", pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*$", description="Names the folder of its runs.")
    description: str = Field("", description="What `paddlite ls` says of it.")
    seed: int = Field(42, ge=0, description="Of parameters, of the order of samples, and of all that is random.")
    output_dir: str = Field("runs", description="Runs go to output_dir/name/number.")
    model: Model
    loss: Component | None = Field(None, description="A loss of paddle.nn; cross entropy where left out.")
    data: Data
    train: Train
    optimizer: Optimizer = Optimizer()
    amp: Amp = Amp()
    checkpoint: Checkpoint = Checkpoint()
    metrics: Metrics = Metrics()
    launch: Launch = Launch()
    target: Target | None = None


# Where a recipe names a component: section, key, and the kind of component.
_NAMED = (
    ("Recipe", "model", "models"),
    ("Recipe", "loss", "losses"),
    ("Data", "train", "datasets"),
    ("Data", "eval", "datasets"),
    ("Optimizer", "schedule", "schedules"),
)


def json_schema(names: Mapping[str, list[str]] | None = None) -> dict[str, Any]:
    """The JSON Schema of recipe files, for editors.

    Args:
        names: what is known by name, by kind (models, losses, datasets, optimizers, schedules), for completion.
    """
    schema = Recipe.model_json_schema()
    schema["title"] = "paddlite recipe"
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    files = {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}
    schema["properties"]["base"] = {
        **files,
        "description": "What this file is laid over: .yaml files, relative to it, or names that ship with paddlite.",
    }
    section = schema["properties"]["amp"]
    schema["properties"]["amp"] = {"anyOf": [section, {"enum": ["off", "O0", "OD", "O1", "O2", False]}]}
    for part in (schema, *schema["$defs"].values()):
        part.pop("required", None)  # a base may give what the file leaves out
    _complete_names(schema, names or {})
    return schema


def _complete_names(schema: dict[str, Any], names: Mapping[str, list[str]]) -> None:
    for section, key, kind in _NAMED:
        properties = (schema if section == "Recipe" else schema["$defs"][section])["properties"]
        if kind in names:
            properties[key] = {"allOf": [properties[key]], "properties": {"name": _one_of(names[kind])}}
    if "optimizers" in names:
        name = schema["$defs"]["Optimizer"]["properties"]["name"]
        name.update(_one_of(names["optimizers"]))


def _one_of(names: list[str]) -> dict[str, Any]:
    return {"anyOf": [{"enum": names}, {"pattern": ".:."}], "description": "A name, or 'package.module:Name'."}


def schema_text(names: Mapping[str, list[str]] | None = None) -> str:
    """The JSON Schema as it is written to a file."""
    return json.dumps(json_schema(names), indent=1, ensure_ascii=False) + "\n"
