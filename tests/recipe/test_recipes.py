"""The recipes that ship, a few steps of each, in every precision and by two processes; the runner of all in full."""

import math

import pytest

from paddlite.backend.world import WORLD
from paddlite.core import mode
from paddlite.launch.start import main
from paddlite.recipe import library, run_all
from paddlite.recipe.metrics import read_table
from paddlite.recipe.schema import Target

STEPS = 3
RECIPES = sorted(library.shipped())
SHORT = {"gpt_text": ("data.eval=null", "checkpoint.best=null", "target=null")}  # its test text is long


def trained(folder, name, *fragments):
    """The losses of a few steps, and the folder of the run."""
    run = folder / "-".join((name, *fragments))
    words = [f"--with={','.join(fragments)}", "--devices", "cpu", "--run-dir", str(run), "--steps", str(STEPS), name]
    with mode.fresh():
        code = main([*words, "-o", "train.log_every=1", *SHORT.get(name, ())])
    WORLD.leave()
    assert code == 0
    return run


@pytest.fixture(scope="module", params=RECIPES)
def plain(request, tmp_path_factory):
    """A recipe's name, and its run in float32 in one process."""
    folder = tmp_path_factory.mktemp("plain")
    return request.param, trained(folder, request.param, "amp_off", "one_process")


def test_a_recipe_trains_in_float32(plain):
    name, run = plain
    table = read_table(run / "metrics.csv")
    assert table["step"] == [1, 2, 3]
    assert all(0 < loss < 8 for loss in table["loss"])
    assert table["loss_scale"] == [1, 1, 1]
    assert (run / "report.html").stat().st_size > 5000
    if name not in SHORT:
        assert read_table(run / "eval.csv")["step"] == [STEPS]


@pytest.mark.parametrize(("fragment", "scale"), [("amp_o1", 32768), ("amp_o2", 32768), ("amp_bf16", 1)])
def test_a_recipe_trains_in_mixed_precision(plain, tmp_path, fragment, scale):
    name, reference = plain
    table = read_table(trained(tmp_path, name, fragment, "one_process") / "metrics.csv")
    expected = read_table(reference / "metrics.csv")["loss"]
    assert table["loss"] != expected  # the fragment did change the precision
    assert table["loss"][0] == pytest.approx(expected[0], rel=0.02)
    assert table["loss"] == pytest.approx(expected, rel=0.1)
    assert table["loss_scale"] == [scale] * STEPS
    assert table["skipped_steps"][-1] == 0


@pytest.mark.mpi
def test_two_processes_train_as_one(plain, tmp_path):
    name, reference = plain
    run = trained(tmp_path, name, "amp_off", "two_processes")
    for table in ("metrics", "eval"):
        found, expected = (read_table(r / f"{table}.csv") for r in (run, reference))
        assert found.keys() == expected.keys()
        for column in found:
            assert found[column] == pytest.approx(expected[column], rel=1e-5), column


@pytest.mark.mpi
def test_the_runner_of_all_tells_what_reached_its_target(tmp_path, capfd):
    words = ["mlp_digits", "--variants", "float32,two_processes", "--steps", "3", "--jobs", "2"]
    words += ["-o", "train.eval_every=3", "-o", "target.value=0.2", "--folder", str(tmp_path)]
    code = run_all.main(words)
    lines = capfd.readouterr().out.splitlines()
    rows = [line.split() for line in lines if "acc >= 0.2" in line]
    assert {(row[0], row[1]) for row in rows} == {("mlp_digits", "float32"), ("mlp_digits", "two_processes")}
    reached = [read_table(path)["acc"][-1] >= 0.2 for path in tmp_path.glob("*/eval.csv")]
    assert len(reached) == 2
    assert sum(row[-1] == "pass" for row in rows) == sum(reached)
    assert code == (0 if all(reached) else 1)


@pytest.mark.parametrize(
    ("code", "found", "verdict"),
    [
        (0, 0.97, "pass"),
        (0, 0.95, "MISSED"),
        (0, math.nan, "MISSED"),
        (0, None, "MISSED"),
        (70, 0.97, "FAILED, exit code 70"),
    ],
)
def test_a_missed_target_is_no_pass(tmp_path, code, found, verdict):
    job = run_all.jobs(["lenet_digits"], ["amp_o1"], tmp_path)[0]
    result = run_all.Result(job, code, found, 1.0)
    assert run_all.row(result)[-1] == verdict
    assert result.passed == (verdict == "pass")
    assert job.recipe.target == Target(metric="acc", value=0.96)


def test_equal_variants_are_run_once(tmp_path):
    found = [
        (job.recipe.name, job.variant)
        for job in run_all.jobs(["lenet_digits", "mlp_digits"], list(run_all.VARIANTS), tmp_path)
    ]
    assert len(found) == len(set(found)) == 11
    assert ("mlp_digits", "float32") not in found  # as it is
    assert ("lenet_digits", "as it is") in found


def test_a_mistake_stops_the_runner_before_anything_is_started(tmp_path, capsys):
    assert run_all.main(["lenet_digit", "--folder", str(tmp_path)]) == 64
    assert "did you mean 'lenet_digits'" in capsys.readouterr().err
    with pytest.raises(SystemExit) as left:
        run_all.main(["--variants", "amp_o3"])
    assert left.value.code == 2
    assert "there is no variant 'amp_o3'; did you mean 'amp_o" in capsys.readouterr().err
