"""A run that is stopped or killed and goes on is the run that nobody stopped, bit for bit."""

import os
import random
import signal

import numpy as np
import pytest

from paddlite.backend.world import WORLD
from paddlite.recipe import check, checkpoint, randomness, stop
from paddlite.recipe.errors import RecipeError
from paddlite.recipe.resume import check_same_recipe, differences
from tests.distributed import ranks
from tests.recipe.kills import RECIPE, SCENARIOS, ends, fork, load_all, results, train, wait

needs_mpi = [
    pytest.mark.mpi,
    pytest.mark.skipif(ranks.mpiexec() is None, reason="mpiexec and mpi4py are not beside this Python"),
]


@pytest.fixture(scope="module", autouse=True)
def loaded(tmp_path_factory):
    load_all(tmp_path_factory.mktemp("load"))


@pytest.mark.parametrize(
    ("name", "kills"),
    [
        pytest.param(name, 4 if scenario.nproc == 1 else 1, marks=[] if scenario.nproc == 1 else needs_mpi)
        for name, scenario in SCENARIOS.items()
    ],
)
def test_killed_at_random_moments(tmp_path, name, kills):
    done = list(ends(tmp_path, name, kills))
    assert sum(len(end.kills) for end in done) == kills
    assert [end.problem for end in done] == [""] * len(done)


class Trained:
    """A run in a child of this process."""

    def __init__(self, run, *overrides, before=None, **options):
        self.run, log = run, run.with_suffix(".txt")
        start = log.stat().st_size if log.exists() else 0

        def work():
            if before is not None:
                before()
            return train(run, overrides, **options)

        self.code = wait(fork(work, log))
        self.text = log.read_text()[start:]


@pytest.fixture(scope="module")
def reference(loaded, tmp_path_factory):
    """What an uninterrupted run of the recipe as it is gives."""
    done = Trained(tmp_path_factory.mktemp("reference") / "run")
    assert done.code == 0, done.text
    return results(done.run)


# -- stopping on request -----------------------------------------------------------------------------------------------


def signalling(tmp_path, split, at, number=signal.SIGTERM):
    args = f"{{mark: {tmp_path}/mark, number: {int(number)}, split: {split}, size: {96 if split == 'train' else 40}"
    what = f"name: 'tests.recipe.data.parts:Signalling', args: {args}{'' if at is None else f', at: {at}'}}}"
    return f"data.{'train' if split == 'train' else 'eval'}={{{what}}}"


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGUSR1, signal.SIGHUP, signal.SIGINT])
@pytest.mark.parametrize(("split", "at"), [("train", None), ("train", 33), ("test", 20)])
def test_a_stop_is_followed_by_the_same_numbers(tmp_path, reference, number, split, at):
    change = signalling(tmp_path, split, at, number)
    first = Trained(tmp_path / "run", change)
    assert first.code == (130 if number == signal.SIGINT else 75), first.text
    if at is None:  # while it was built: before the first step
        assert (tmp_path / "run/checkpoints/step00000000").is_dir()
    if split == "test":  # while evaluating, which is given up
        assert "evaluation" not in first.text
    second = Trained(tmp_path / "run", change)
    assert second.code == 0, second.text
    assert "going on from step" in second.text or at is None
    assert results(tmp_path / "run") == reference


def test_a_stop_in_the_last_evaluation_leaves_something_to_do(tmp_path, reference):
    change = (signalling(tmp_path, "test", 20), "train.eval_every=1000")
    assert Trained(tmp_path / "run", *change).code == 75
    second = Trained(tmp_path / "run", *change)
    assert "going on from step 24 of 24" in second.text
    assert (tmp_path / "run/eval.csv").read_text().splitlines()[1:] == reference["eval.csv"].splitlines()[-1:]
    third = Trained(tmp_path / "run", *change)
    assert "complete already, at step 24" in third.text


def test_a_stop_while_a_checkpoint_is_written_waits_for_it(tmp_path, reference):
    def before():
        write = checkpoint._written

        def written(path, content):
            if "step00000006" in str(path):
                os.kill(os.getpid(), signal.SIGTERM)
            return write(path, content)

        checkpoint._written = written

    assert Trained(tmp_path / "run", before=before).code == 75
    assert checkpoint.Store(tmp_path / "run", 2).newest().name == "step00000006"
    assert Trained(tmp_path / "run").code == 0
    assert results(tmp_path / "run") == reference


def test_the_second_interrupt_ends_at_once(tmp_path):
    def before():
        def kill_twice(path, content):
            os.kill(os.getpid(), signal.SIGINT)
            os.kill(os.getpid(), signal.SIGINT)
            raise AssertionError("not reached")

        checkpoint._written = kill_twice

    def work():
        before()
        try:
            train(tmp_path / "run")
        except KeyboardInterrupt:
            return 130

    assert wait(fork(work, tmp_path / "log")) == 130
    assert Trained(tmp_path / "run").code == 0
    assert not list((tmp_path / "run/checkpoints").glob(".*"))


def test_a_request_that_comes_while_all_is_loaded_is_not_lost(tmp_path):
    def work():
        stop.listen()
        os.kill(os.getpid(), signal.SIGTERM)
        with stop.watching() as request:
            return request.number

    assert wait(fork(work, tmp_path / "log")) == signal.SIGTERM


def test_without_checkpoints_on_signals_the_exit_code_is_the_signals(tmp_path):
    change = (signalling(tmp_path, "train", 33), "checkpoint={on_signal: false, every: null, best: null}")
    assert Trained(tmp_path / "run", *change).code == 128 + signal.SIGTERM
    assert not (tmp_path / "run/checkpoints").exists()


def test_loader_workers_leave_signals_to_the_loop(tmp_path, reference):
    """A signal to all processes of the job, as Slurm sends it."""

    def stopped():
        os.setsid()
        write = checkpoint._written

        def written(path, content):
            if "step00000010" in str(path):
                os.killpg(0, signal.SIGUSR1)
            return write(path, content)

        checkpoint._written = written
        return train(tmp_path / "run", ("data.workers=2",))

    assert wait(fork(stopped, tmp_path / "log")) == 75, (tmp_path / "log").read_text()
    assert Trained(tmp_path / "run").code == 0  # and without workers
    assert results(tmp_path / "run") == reference


# -- what may change ---------------------------------------------------------------------------------------------------


def test_a_complete_run_says_so_and_a_longer_one_goes_on(tmp_path, reference):
    run = tmp_path / "run"
    assert Trained(run, "train.epochs=2").code == 0
    before = {p: p.stat().st_mtime_ns for p in run.rglob("[!.]*") if p.is_file()}
    again = Trained(run, "train.epochs=2")
    assert again.code == 0
    assert "complete already, at step 12: nothing to do; larger train.epochs" in again.text
    assert "step 1" not in again.text.replace("at step 12", "")
    assert {p: p.stat().st_mtime_ns for p in run.rglob("[!.]*") if p.is_file()} == before
    assert Trained(run).code == 0
    assert (run / "metrics.csv").read_text() == reference["metrics.csv"]


def test_another_recipe_is_refused_unless_allowed(tmp_path):
    run = tmp_path / "run"
    assert Trained(run, "train.epochs=1").code == 0
    changed = ("optimizer.lr=0.02", "model.args.width=8", "checkpoint.keep=5", "data.workers=0")
    with pytest.raises(RecipeError) as caught:
        train(run, changed)
    assert caught.value.problems[1:-1] == [
        "model.args.width: None then, 8 now",
        "optimizer.lr: 0.01 then, 0.02 now",
    ]
    assert "--allow-change KEY" in caught.value.problems[-1]
    done = Trained(run, "optimizer.lr=0.02", allow_change=("optimizer",))
    assert done.code == 0, done.text
    assert ",0.02,1.0,0" in (run / "metrics.csv").read_text()


@pytest.mark.parametrize(("args", "free"), [("{T_max: 9}", True), ("{}", False)])
def test_the_length_may_grow_unless_the_schedule_is_as_long(args, free):
    schedule = ["optimizer.schedule.name=CosineAnnealingDecay", f"optimizer.schedule.args={args}"]
    saved = check.load(RECIPE, schedule).recipe.model_dump(mode="json")
    longer = check.load(RECIPE, [*schedule, "train.epochs=9", "train.max_steps=7"]).recipe
    if free:
        check_same_recipe(saved, longer)
    else:
        with pytest.raises(RecipeError, match=r"train\.epochs: 4 then, 9 now"):
            check_same_recipe(saved, longer)


@pytest.mark.parametrize(
    ("allowed", "refused"), [((), ["seed", "optimizer.lr"]), (("optimizer",), ["seed"]), (("seed", "optimizer.lr"), [])]
)
def test_allowed_keys_are_whole_words(allowed, refused):
    recipe = check.load(RECIPE).recipe
    saved = {**recipe.model_dump(mode="json"), "seed": 1}
    saved["optimizer"]["lr"] = 0.5
    if refused:
        with pytest.raises(RecipeError) as caught:
            check_same_recipe(saved, recipe, allowed)
        assert sorted(p.split(":")[0] for p in caught.value.problems[1:-1]) == sorted(refused)
    else:
        check_same_recipe(saved, recipe, allowed)


def test_differences_are_told_by_key():
    was, now = {"a": {"b": 1, "c": [1]}, "d": 2}, {"a": {"b": 1, "c": [2]}, "e": {"f": 1}}
    assert differences(was, now) == [("a.c", [1], [2]), ("d", 2, None), ("e", None, {"f": 1})]


def test_rows_behind_the_checkpoint_are_written_again(tmp_path, reference):
    run = tmp_path / "run"
    assert Trained(run, "train.epochs=2").code == 0
    for name in ("metrics.csv", "eval.csv"):
        with (run / name).open("a") as file:
            file.write("13,nonsense\n14,half a ro")
    assert Trained(run).code == 0
    assert (run / "metrics.csv").read_text() == reference["metrics.csv"]


def test_the_best_is_remembered(tmp_path):
    run = tmp_path / "run"
    assert Trained(run, "train.epochs=2").code == 0
    store = checkpoint.Store(run, 2)
    best = store.best()
    (store.folder / "best").unlink()  # as if killed before it was pointed to
    again = Trained(run, "train.epochs=2")
    assert again.code == 0
    assert store.best() == best


def test_a_damaged_checkpoint_costs_the_steps_since_the_one_before(tmp_path, reference):
    run = tmp_path / "run"
    assert Trained(run, "train.epochs=2").code == 0
    newest = checkpoint.Store(run, 2).newest()
    (newest / "model.pdparams").write_bytes(b"")
    done = Trained(run)
    assert done.code == 0
    assert "step00000012 is damaged (model.pdparams is not what was written)" in done.text
    assert "going on from step 10 of 24" in done.text
    assert results(run) == reference


# -- random numbers ----------------------------------------------------------------------------------------------------


def test_mixed_numbers_differ():
    seen = {randomness.mixed(*numbers) for numbers in [(1, 2), (2, 1), (1, 2, 0), (0, 1, 2), (3,), (1,), (2,)]}
    assert len(seen) == 7


def test_evaluation_leaves_random_numbers_alone():
    randomness.start(5)
    wanted = random.random(), np.random.rand()
    randomness.start(5)
    with randomness.kept(7):
        random.random(), np.random.rand(3)
    assert (random.random(), np.random.rand()) == wanted


def test_the_process_is_left_as_it_was():
    assert WORLD.communicator is None
    assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL
