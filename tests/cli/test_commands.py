"""The commands that need no engine, and how mistakes on the command line are told."""

import json
import subprocess
import sys

import pytest
import yaml

from paddlite.cli import main
from paddlite.cli.main import COMMANDS
from paddlite.recipe import check, library
from paddlite.recipe.schema import schema_text
from paddlite.recipe.yaml_loader import read_text


def said(capsys, *words, code=0):
    assert main([str(w) for w in words]) == code
    captured = capsys.readouterr()
    return captured.out if code == 0 else captured.err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["shwo"], "there is no command 'shwo'; did you mean 'show'?"),
        (["zzz"], "there is no command 'zzz' (paddlite --help lists all)"),
        (["--versio"], "there is no option '--versio'"),
        (["show", "lenet_digits", "--orgin"], "unknown option --orgin; did you mean '--origin'?"),
        (["show"], "the following arguments are required: RECIPE"),
        (["show"], "usage: paddlite show RECIPE"),
        (["show", "lenet_digit"], "did you mean 'lenet_digits'?"),
        (["ls", "modells"], "invalid choice: 'modells'"),
        (["validate", "lenet_digits", "--nproc", "two"], "--nproc: invalid int value: 'two'"),
        (["run", "--nprocs", "2", "lenet_digits"], "--nprocs: use --nproc N"),
        (["infer", "nowhere", "x.png"], "x.png: there is no such file"),
        (["eval", "nowhere"], "nowhere: there is no such run, checkpoint or file"),
        (["plot", "nowhere"], "nowhere: there is no run in it"),
        (["slurm", "lenet_digits", "--nodes", "0"], "--nodes must be at least 1, got 0"),
        (["slurm", "lenet_digits", "--time", "soon"], "--time soon: write minutes"),
        (["slurm", "lenet_digits", "--nodes", "3"], "cannot be split over 6 ranks"),
    ],
)
def test_mistakes_are_told_with_the_cure(capsys, words, message):
    assert message in said(capsys, *words, code=64)


def test_help_names_every_command(capsys):
    for words in ([], ["--help"], ["help"]):
        text = said(capsys, *words)
        assert all(f"  {name} " in text for name in COMMANDS)


@pytest.mark.parametrize("name", [name for name in COMMANDS if name != "run"])
def test_every_command_has_help(capsys, name):
    with pytest.raises(SystemExit) as left:
        main([name, "--help"])
    assert left.value.code == 0
    text = capsys.readouterr().out
    assert text.startswith(f"usage: paddlite {name}")
    assert len(text.splitlines()) > 3


def test_recipes_are_listed(capsys):
    lines = said(capsys, "ls").splitlines()
    assert lines[0].split() == ["RECIPE", "TARGET", "PROCESSES", "PRECISION", "DESCRIPTION"]
    assert {line.split()[0] for line in lines[1:]} == set(library.shipped())
    assert any("acc >= " in line for line in lines)


@pytest.mark.parametrize(
    ("kind", "line"),
    [
        ("models", "LeNet num_classes"),
        ("losses", "CrossEntropyLoss weight,"),
        ("datasets", "Digits split, size"),
        ("optimizers", "Adam beta1, beta2,"),
        ("schedules", "CosineAnnealingDecay T_max (needed)"),
        ("configs", "_defaults What every recipe starts from."),
    ],
)
def test_names_are_listed_with_their_arguments(capsys, kind, line):
    lines = [" ".join(found.split()) for found in said(capsys, "ls", kind).splitlines()]
    assert any(found.startswith(line) for found in lines), lines
    assert not any(found.startswith(("_parsed", "Block", "Optimizer ")) for found in lines)


def test_a_recipe_is_shown_resolved(capsys):
    text = said(capsys, "show", "lenet_digits", "-o", "optimizer.lr=0.5", "amp=off")
    shown = yaml.safe_load(text)
    assert shown["optimizer"]["lr"] == 0.5
    assert shown["amp"]["enable"] is False
    assert shown["train"]["log_every"] == 10  # of configs/_defaults.yaml


def test_what_is_shown_is_a_recipe_itself(capsys, tmp_path):
    path = tmp_path / "all.yaml"
    path.write_text(said(capsys, "show", "lenet_digits", "--origin"))
    assert check.load(path).recipe == check.load(library.find("lenet_digits")).recipe


def test_each_value_tells_where_it_was_given(capsys):
    lines = said(capsys, "show", "lenet_digits", "--origin", "-o", "optimizer.lr=0.5", "seed=7").splitlines()
    origins = {line.split(":")[0].strip(): line.split("# ")[-1] for line in lines}
    assert origins["lr"] == "-o optimizer.lr=0.5"
    assert origins["seed"] == "-o seed=7"
    assert "configs/_defaults.yaml:" in origins["log_every"]
    assert "recipes/lenet_digits.yaml:" in origins["epochs"]
    assert origins["drop_last"] == origins["weight_decay"] == "default"


@pytest.mark.parametrize("name", sorted(library.shipped()))
@pytest.mark.parametrize("flat", [False, True])
def test_a_copy_says_the_same(capsys, tmp_path, name, flat):
    target = tmp_path / "mine" / "copy.yaml"
    said(capsys, "cp", name, target, *(["--flat"] if flat else []))
    assert check.load(target).recipe == check.load(library.find(name)).recipe
    if flat:
        assert "base:" not in target.read_text()


def test_a_copy_keeps_comments_and_finds_bases_of_ones_own(capsys, tmp_path):
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts/own.yaml").write_text("optimizer: {lr: 0.25}\n")
    source = tmp_path / "mine.yaml"
    source.write_text("# mine\nbase:\n  - lenet_digits  # the whole of it\n  - parts/own.yaml\nseed: 3  # three\n")
    said(capsys, "cp", source, tmp_path / "deep" / "down.yaml" if (tmp_path / "deep").mkdir() is None else "")
    text = (tmp_path / "deep/down.yaml").read_text()
    assert "# mine" in text
    assert "# three" in text
    assert read_text(text, "f").data["base"] == ["lenet_digits", "../parts/own.yaml"]
    recipe = check.load(tmp_path / "deep/down.yaml").recipe
    assert (recipe.seed, recipe.optimizer.lr, recipe.model.name) == (3, 0.25, "LeNet")


def test_a_copy_overwrites_nothing_unasked(capsys, tmp_path):
    target = tmp_path / "lenet_digits.yaml"
    said(capsys, "cp", "lenet_digits", tmp_path)
    assert "exists; --force overwrites it" in said(capsys, "cp", "lenet_digits", target, code=64)
    said(capsys, "cp", "lenet_digits", target, "--force")
    assert "ends in .yaml" in said(capsys, "cp", "lenet_digits", tmp_path / "x.txt", code=64)


@pytest.mark.parametrize("words", [["show"], ["validate"], ["slurm"], ["run", "--dry-run"]])
def test_fragments_are_taken_by_every_command(capsys, words):
    text = said(capsys, *words, "mlp_digits", "--with", "amp_o2,two_processes")
    assert any(part in text for part in ("level: O2", "2 ranks x 32", "--with amp_o2 --with two_processes"))
    assert "did you mean 'two_processes'" in said(capsys, *words, "mlp_digits", "--with", "two_proceses", code=64)


def test_recipes_are_validated_one_by_one(capsys, tmp_path):
    bad = tmp_path / "bad.yaml"
    bad.write_text("base: lenet_digits\nopt: 1\ntrain: {epoch: 1}\n")
    assert main(["validate", "lenet_digits", str(bad)]) == 64
    captured = capsys.readouterr()
    assert captured.out == "lenet_digits: ok; global 64 = 2 ranks x 32 x accumulate 1\n"
    assert len(captured.err.splitlines()) == 2
    assert "global 64 = 1 rank x 32 x accumulate 2" in said(capsys, "validate", "lenet_digits", "--nproc", 1)


def test_a_base_may_be_named_or_is_suggested(capsys, tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text("base: lenet_digitz\n")
    assert "base file 'lenet_digitz' does not exist; did you mean 'lenet_digits'?" in said(
        capsys, "validate", path, code=64
    )


def test_the_committed_schema_is_up_to_date():
    path = library.folder("configs") / "recipe.schema.json"
    assert path.read_text() == schema_text(), "run: paddlite schema --no-names > configs/recipe.schema.json"


def test_the_schema_completes_names(capsys):
    schema = json.loads(said(capsys, "schema"))
    names = schema["properties"]["model"]["properties"]["name"]["anyOf"][0]["enum"]
    assert "LeNet" in names
    assert "Adam" in schema["$defs"]["Optimizer"]["properties"]["name"]["anyOf"][0]["enum"]


@pytest.mark.parametrize("path", [*library.shipped().values(), *library.shipped("configs").values()], ids=str)
def test_what_ships_names_its_schema(path):
    first = path.read_text().splitlines()[0]
    assert first.startswith("# yaml-language-server: $schema=")
    assert (path.parent / first.partition("=")[2]).is_file()


def test_the_engine_is_not_loaded_without_need(tmp_path):
    code = f"""
import sys
from paddlite.cli import main
for words in (["ls"], ["ls", "models"], ["show", "lenet_digits"], ["validate", "lenet_digits"], ["schema"],
              ["cp", "lenet_digits", {str(tmp_path / "c.yaml")!r}], ["slurm", "lenet_digits"],
              ["run", "--dry-run", "--nproc", "1", "lenet_digits"], ["run", "lenet_digits", "-o", "x=1"], ["nothing"]):
    main(words)
print([m for m in ("numpy", "mpi4py", "cupy", "paddlite.core") if m in sys.modules], file=sys.stderr)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip().splitlines()[-1] == "[]"
