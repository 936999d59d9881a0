"""The commands that work on a run: eval, infer, plot."""

import csv
import json
import re
import sys

import numpy as np
import pytest

from paddlite.cli import main
from paddlite.recipe import status
from paddlite.recipe.datasets.digits import Digits


def said(capsys, *words, code=0):
    assert main([str(w) for w in words]) == code
    captured = capsys.readouterr()
    return captured.out if code == 0 else captured.err


def measured(run):
    with (run / "eval.csv").open() as file:
        return {
            int(row["step"]): {"loss": float(row["loss"]), "acc": float(row["acc"])} for row in csv.DictReader(file)
        }


def test_the_run_left_what_it_should(finished):
    for name in ("recipe.yaml", "resolved.yaml", "command.txt", "env.json", "metrics.csv", "eval.csv", "speed.csv"):
        assert (finished / name).stat().st_size, name
    told = status.read(finished)
    assert (told["state"], told["code"], told["processes"]) == ("complete", 0, 1)
    assert "-m paddlite.launch --nproc 1" in (finished / "command.txt").read_text()
    assert "done after 4 steps" in (finished / "logs/rank0000.log").read_text()


@pytest.mark.parametrize(("which", "step"), [("last", 4), ("4", 4)])
def test_eval_measures_what_the_run_measured(capsys, finished, which, step):
    found = json.loads(said(capsys, "eval", finished, "--checkpoint", which, "--json"))
    assert {k: found[k] for k in ("loss", "acc")} == measured(finished)[step]


def test_eval_takes_the_best_checkpoint_and_other_data(capsys, finished):
    best = max(measured(finished).values(), key=lambda m: m["acc"])
    assert json.loads(said(capsys, "eval", finished, "--json"))["acc"] == best["acc"]
    other = json.loads(said(capsys, "eval", finished, "--json", "-o", "data.eval.args.split=train"))
    assert other["acc"] not in [m["acc"] for m in measured(finished).values()]


def test_eval_takes_a_checkpoint_or_a_file_of_parameters(capsys, finished):
    folder = (finished / "checkpoints/last").resolve()
    wanted = said(capsys, "eval", finished, "--checkpoint", "last").split(": ")[1]
    assert said(capsys, "eval", folder).endswith(wanted)
    assert said(capsys, "eval", folder / "model.pdparams", "--recipe", "lenet_digits").endswith(wanted)
    assert "give --recipe" in said(capsys, "eval", folder / "model.pdparams", code=64)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--checkpoint", "99"], "there is no checkpoint of step 99; there are"),
        (["-o", "data.eval.args.splitt=x"], "did you mean 'split'?"),
        (["-o", "data.eval=null", "checkpoint.best=null"], "the recipe has no data.eval"),
    ],
)
def test_what_cannot_be_measured_is_told(capsys, finished, words, message):
    assert message in said(capsys, "eval", finished, *words, code=64)


def test_a_page_is_written_anew(capsys, finished):
    page = finished / "report.html"
    page.unlink()
    assert str(page) in said(capsys, "plot", finished)
    text = page.read_text()
    for part in ("lenet_digits", "complete", "Test acc", "Throughput", "Learning rate", "Loss scale", "target"):
        assert part in text
    last = measured(finished)[4]["acc"]
    assert f">{last:.4f}<" in text
    assert not re.search(r'(src|href)="?http', text)  # the page needs no other file
    losses = [float(y) for y in re.findall(r"\[\d+\.0, ([\d.]+), ", text.replace("&quot;", '"'))]
    with (finished / "metrics.csv").open() as file:
        assert {float(row["loss"]) for row in csv.DictReader(file)} <= set(losses)


def test_images_need_pillow_and_say_so(capsys, finished, tmp_path, monkeypatch):
    (tmp_path / "x.png").write_bytes(b"")
    monkeypatch.setitem(sys.modules, "PIL", None)
    assert "pip install 'paddlite[image]'" in said(capsys, "infer", finished, tmp_path / "x.png", code=64)


def test_a_file_that_is_no_image_is_told(capsys, finished, tmp_path):
    pytest.importorskip("PIL")
    (tmp_path / "x.png").write_bytes(b"no image")
    assert "no image that Pillow can read" in said(capsys, "infer", finished, tmp_path / "x.png", code=64)


def test_infer_prints_a_class_and_its_probability(capsys, finished, tmp_path):
    image_module = pytest.importorskip("PIL.Image")
    pixels = (255 * Digits("test", 28).images[0, 0]).astype(np.uint8)
    image_module.fromarray(pixels).save(tmp_path / "x.png")
    text = said(capsys, "infer", finished, tmp_path / "x.png", "--top", 10)
    found = re.findall(r"(\d) \(([\d.]+) %\)", text)
    assert sorted(int(label) for label, _ in found) == list(range(10))
    chances = [float(chance) for _, chance in found]
    assert chances == sorted(chances, reverse=True)
    assert sum(chances) == pytest.approx(100, abs=1)
