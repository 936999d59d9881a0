"""Checking recipes: every mistake is told by place, with the cure, before anything is loaded."""

import subprocess
import sys

import pytest

from paddlite.launch.start import main
from paddlite.recipe import check, library
from paddlite.recipe.errors import RecipeError
from paddlite.recipe.schema import json_schema
from paddlite.recipe.yaml_loader import read_text


def loaded(*overrides, name="lenet_digits", nproc=None):
    return check.load(library.find(name), overrides, nproc)


def problems(*overrides, **options):
    with pytest.raises(RecipeError) as caught:
        loaded(*overrides, **options)
    return "\n".join(caught.value.problems)


@pytest.mark.parametrize("name", sorted(library.shipped()))
def test_every_shipped_recipe_is_valid_and_says_what_it_is_for(name):
    recipe = loaded(name=name).recipe
    assert recipe.name == name
    assert recipe.description
    assert recipe.target is not None


@pytest.mark.parametrize(
    ("override", "message"),
    [
        ("optimizer.lrr=0.1", "-o optimizer.lrr=0.1: unknown key 'optimizer.lrr'; did you mean 'optimizer.lr'?"),
        ("lr=1", "-o lr=1: unknown key 'lr'; 'lr' belongs at 'optimizer.lr'"),
        ("train.epoch=3", "unknown key 'train.epoch'; did you mean 'train.epochs'?"),
        ("trian.epochs=3", "unknown key 'trian'; did you mean 'train'?"),
        ("train.epochs=yes", "'train.epochs' must be a whole number, got 'yes'"),
        ("train.epochs=1.5", "'train.epochs' must be a whole number, got 1.5"),
        ("optimizer.lr=fast", "'optimizer.lr' must be a number, got 'fast'"),
        ("optimizer.lr=-1", "'optimizer.lr' is -1; input should be greater than 0"),
        ("seed='1'", "'seed' must be a whole number, got '1'"),
        ("amp.enable=yes", "'amp.enable' must be true or false, got 'yes'"),
        ("amp.level=o1", "'amp.level' is 'o1'; choose one of O0, OD, O1, O2; did you mean 'O1'?"),
        ("amp=O3", "-o amp=O3: amp is one of off, O0, OD, O1, O2"),
        ("model=LeNet", "'model' must be a section (a mapping), got 'LeNet'"),
        ("model.name=LeNett", "there is no model 'LeNett'; did you mean 'LeNet'?"),
        ("model.args.num_clases=3", "model LeNet has no argument 'num_clases'; did you mean 'num_classes'?"),
        ("optimizer.name=Adamm", "there is no optimizer 'Adamm'; did you mean 'Adam'?"),
        ("optimizer.args.beta3=0.1", "optimizer Adam has no argument 'beta3'; did you mean 'beta2'?"),
        ("optimizer.args.parameters=1", "'parameters' is set by the run itself"),
        ("data.train.args.split=null", ""),
        ("train.steps=5", "give either train.epochs or train.steps; both is set"),
        ("train.epochs=null", "give either train.epochs or train.steps; neither is set"),
        ("train.mode=static", "train.mode 'static' comes with a later version; recipes train in 'eager' so far"),
        ("train.mode=to_static", "-o train.mode=to_static: train.mode 'to_static' comes with a later version"),
        ("train.mode=lazy", "'train.mode' is 'lazy'; choose one of eager, to_static, static"),
        ("optimizer.lr=1=2", "'optimizer.lr' must be a number, got '1=2'"),
        ("data.global_batch_size=65", "65 cannot be split over 2 ranks x micro batches of 32; use 64 or 128"),
        ("train.accumulate_steps=3", "give either data.micro_batch_size or train.accumulate_steps"),
        ("data.eval=null", "checkpoint.best needs data.eval"),
        ("no-equals-sign", "expected key=value"),
        ("name.inner=1", "'name' is a value, not a section"),
        ("data.micro_batch_size=7", "64 cannot be split over 2 ranks x micro batches of 7; use 56 or 70"),
    ],
)
def test_mistakes_in_overrides_are_told(override, message):
    if not message:
        loaded(override)
    else:
        assert message in problems(override)


def test_mistakes_in_files_are_told_by_line(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text("recipe: classify\nmodel: {name: LeNet}\ndata:\n  trian: {name: Digits}\ntrain: {epochs: 1}\n")
    with pytest.raises(RecipeError) as caught:
        check.load(path)
    text = str(caught.value)
    assert "mine.yaml:4: unknown key 'data.trian'; did you mean 'data.train'?" in text
    assert "'data.train' is required" in text


# What a recipe file may get wrong: the line it stands on, and what is told.
MISTAKES = [
    ("  lrr: 1e-3", 9, "unknown key 'optimizer.lrr'; did you mean 'optimizer.lr'?"),
    ("  lr: '1e-3'", 9, "'optimizer.lr' must be a number, got '1e-3'"),
    ("  lr: 1e-3\n  lr: 1e-4", 10, "key 'optimizer.lr' is given twice (first on line 9)"),
    ("  lr: [1]", 9, "'optimizer.lr' must be a number, got [1]"),
    ("  lr: 0", 9, "'optimizer.lr' is 0; input should be greater than 0"),
    ("  warmup_steps: 1.5", 9, "'optimizer.warmup_steps' must be a whole number, got 1.5"),
    ("  warmup_steps: yes", 9, "'optimizer.warmup_steps' must be a whole number, got 'yes'"),
    ("  warmup_steps: 12:30", 9, "'optimizer.warmup_steps' must be a whole number, got '12:30'"),
    ("  name: Adamw2", 9, "there is no optimizer 'Adamw2'; did you mean 'AdamW'?"),
    ("  name: 3", 9, "'optimizer.name' must be text, got 3"),
    ("  args: {momentum: 0.9}", 9, "optimizer Adam has no argument 'momentum'; it takes beta1, beta2"),
    ("  args:\n    beta_1: 0.9", 10, "optimizer Adam has no argument 'beta_1'; did you mean 'beta1'?"),
    ("  args: {parameters: []}", 9, "optimizer Adam: 'parameters' is set by the run itself"),
    ("  args: 3", 9, "'optimizer.args' must be a mapping, got 3"),
    ("  schedule: CosineAnnealingDecay", 9, "'optimizer.schedule' must be a section (a mapping)"),
    ("  schedule: {name: StepDecay}", 9, "schedule StepDecay needs the argument 'step_size'"),
    ("  schedule: {name: StepDecay, args: {step_sise: 3}}", 9, "did you mean 'step_size'?"),
    ("amp: O3", 9, "'amp' is 'O3'; give a section, or one of off, O0, OD, O1, O2"),
    ("train: {epochs: 1}", 9, "key 'train' is given twice (first on line 6)"),
    ("checkpoint: {best: acc, modus: max}", 9, "unknown key 'checkpoint.modus'; did you mean 'checkpoint.mode'?"),
    ("launch: !!python/name:os.system", 9, "the tag tag:yaml.org,2002:python/name:os.system is not allowed"),
    ("metrics: {tensorboard: 1}", 9, "'metrics.tensorboard' must be true or false, got 1"),
    ("base: nowhere", 9, "base file 'nowhere' does not exist"),
    ("pretrained: x", 9, "unknown key 'pretrained'; 'pretrained' belongs at 'model.pretrained'"),
]


@pytest.mark.parametrize(("lines", "number", "message"), MISTAKES)
def test_each_mistake_in_a_file_is_told_with_its_line(tmp_path, capsys, lines, number, message):
    head = ["recipe: classify", "name: mine", "model: {name: MLP}", "data:", "  train: {name: Digits}"]
    head += ["train: {epochs: 1}", "", "optimizer:" if lines.startswith(" ") else ""]
    path = tmp_path / "mine.yaml"
    path.write_text("\n".join([*head, lines, ""]))
    assert main(["--nproc", "1", str(path)]) == 64
    told = capsys.readouterr().err
    assert f"mine.yaml:{number}: " in told
    assert message in told
    assert list(tmp_path.iterdir()) == [path]  # nothing was started


def test_all_mistakes_are_told_at_once():
    text = problems("optimizer.lrr=1", "train.epoch=2", "seed=x")
    assert len(text.splitlines()) == 3


@pytest.mark.parametrize(
    ("name", "message"),
    [("lenet_digit", "did you mean 'lenet_digits'"), ("nothing.yaml", "no such recipe file"), ("zzz", "known: ")],
)
def test_an_unknown_recipe_is_told(name, message):
    with pytest.raises(RecipeError, match=message):
        library.find(name)


@pytest.mark.parametrize(
    ("override", "enable", "level"), [("amp=off", False, "O1"), ("amp=O1", True, "O1"), ("amp=O2", True, "O2")]
)
def test_amp_in_one_word(override, enable, level):
    amp = loaded(override).recipe.amp
    assert (amp.enable, amp.level) == (enable, level)


def test_amp_in_one_word_in_a_file(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text(f"base: {library.find('lenet_digits')}\namp: off\n")
    assert not check.load(path).recipe.amp.enable


@pytest.mark.parametrize(
    ("overrides", "nproc", "line"),
    [
        ((), 2, "global 64 = 2 ranks x 32 x accumulate 1"),
        ((), 1, "global 64 = 1 rank x 32 x accumulate 2"),
        (("data.micro_batch_size=null",), 1, "global 64 = 1 rank x 64 x accumulate 1"),
        (("data.micro_batch_size=null", "train.accumulate_steps=4"), 2, "global 64 = 2 ranks x 8 x accumulate 4"),
        (("data.micro_batch_size=16",), 2, "global 64 = 2 ranks x 16 x accumulate 2"),
    ],
)
def test_the_batch_is_explained(overrides, nproc, line):
    assert check.batch_line(loaded(*overrides, nproc=nproc).recipe, nproc) == line


def with_fragments(*fragments, name="resnet_digits", overrides=()):
    return check.load(library.find(name), overrides, fragments=fragments)


def test_fragments_are_laid_over_the_recipe_and_under_the_overrides():
    found = with_fragments("opt_adamw_cosine", "amp_o2", overrides=["optimizer.lr=0.5"])
    o, amp = found.recipe.optimizer, found.recipe.amp
    assert (o.name, o.lr, o.args, o.schedule.args) == ("AdamW", 0.5, {}, {})  # nothing of the recipe's Momentum is left
    assert (amp.enable, amp.level, amp.dtype) == (True, "O2", "float16")
    assert str(check.place(found.document, "amp.level")).endswith("configs/amp_o2.yaml:3")
    assert with_fragments("amp_o2", "amp_off").recipe.amp.enable is False


@pytest.mark.parametrize("recipe", sorted(library.shipped()))
@pytest.mark.parametrize("fragment", [f for f in library.shipped("configs") if not f.startswith("data_")])
def test_every_fragment_fits_every_recipe(recipe, fragment):
    with_fragments(fragment, name=recipe)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("amp_o3", "--with amp_o3: there is no such fragment; did you mean 'amp_o"),
        ("zzz", "there is no such fragment; known: _defaults, amp_bf16"),
        ("mine.yaml", "--with mine.yaml: there is no such fragment (your own"),
    ],
)
def test_an_unknown_fragment_is_told(name, message):
    with pytest.raises(RecipeError) as caught:
        with_fragments(name)
    assert message in str(caught.value)


def test_a_word_for_amp_leaves_the_rest_of_the_section(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text("base: lenet_digits\namp: O2\n")
    found = check.load(path)
    assert (found.recipe.amp.level, found.recipe.amp.init_loss_scaling) == ("O2", 32768.0)
    assert check.place(found.document, "amp.level").line == 2


def test_a_component_of_ones_own_is_not_looked_into():
    loaded("model.name=my_package.nets:Net", "model.args.anything=1")


def test_checking_loads_neither_numpy_nor_the_engine():
    code = (
        "import sys; from paddlite.recipe import check, library; check.load(library.find('lenet_digits'));"
        "print([m for m in ('numpy', 'mpi4py', 'cupy', 'paddlite.core') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_json_schema_names_every_key():
    properties = json_schema()["properties"]
    assert {"recipe", "model", "data", "train", "base"} <= set(properties)


def test_documents_may_use_comments_and_flow_style():
    assert read_text("a: {b: 1}  # why\n", "f").data == {"a": {"b": 1}}
