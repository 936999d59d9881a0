"""The launcher's command line: what belongs to whom, flags of other launchers, hosts and GPUs."""

import os

import pytest

from paddlite.launch import devices, hosts, mpi, options
from paddlite.launch.start import main
from paddlite.recipe import check, library
from paddlite.recipe.errors import RecipeError


def parsed(line):
    return options.parse(line.split())


@pytest.mark.parametrize(
    ("line", "target", "arguments", "wanted"),
    [
        ("lenet_digits", "lenet_digits", [], {}),
        ("--nproc 2 lenet_digits", "lenet_digits", [], {"nproc": 2}),
        ("lenet_digits --nproc 2", "lenet_digits", [], {"nproc": 2}),
        ("--nproc=2 train.py --nproc 3 -x", "train.py", ["--nproc", "3", "-x"], {"nproc": 2}),
        ("--nproc_per_node 2 train.py", "train.py", [], {"nproc_per_node": 2}),
        ("--gpus 0,1 train.py", "train.py", [], {"devices": "0,1"}),
        ("--log_dir out train.py --log_dir x", "train.py", ["--log_dir", "x"], {"run_dir": "out"}),
        ("--run_dir=out lenet_digits", "lenet_digits", [], {"run_dir": "out"}),
        ("--run_mode collective --max_restart 2 train.py", "train.py", [], {"max_restarts": 2}),
        ("-o a=1 b=2 lenet_digits", "lenet_digits", [], {"override": ["a=1", "b=2"]}),
        ("lenet_digits -o a=1 b=2 -o c=3", "lenet_digits", [], {"override": ["a=1", "b=2", "c=3"]}),
        ("lenet_digits a=1", "lenet_digits", [], {"override": ["a=1"]}),
        ("-oa=1 lenet_digits", "lenet_digits", [], {"override": ["a=1"]}),
        ("-o a=b=c lenet_digits", "lenet_digits", [], {"override": ["a=b=c"]}),
        ("--with a,b lenet_digits --with c.yaml", "lenet_digits", [], {"fragments": ["a", "b", "c.yaml"]}),
        ("--resume lenet_digits", "lenet_digits", [], {"resume": "last"}),
        ("--resume lenet_digits -o a=1", "lenet_digits", [], {"resume": "last", "override": ["a=1"]}),
        ("--resume auto lenet_digits", "lenet_digits", [], {"resume": "auto"}),
        ("--resume runs/x/0001 lenet_digits", "lenet_digits", [], {"resume": "runs/x/0001"}),
        ("lenet_digits --resume", "lenet_digits", [], {"resume": "last"}),
        ("--resume a/b.yaml", "a/b.yaml", [], {"resume": "last"}),
        ("--stall-timeout 1e3 lenet_digits", "lenet_digits", [], {"stall_timeout": 1000.0}),
    ],
)
def test_words_go_where_they_belong(line, target, arguments, wanted):
    request = parsed(line)
    assert (request.target, request.arguments) == (target, arguments)
    assert {name: getattr(request.options, name) for name in wanted} == wanted
    assert request.words == line.split()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("", "give a recipe or a script"),
        ("--nproc 2", "give a recipe or a script"),
        ("--nprocs 2 x.py", "--nprocs: use --nproc N"),
        ("-np 2 x.py", "-np: use --nproc N"),
        ("-n 2 x.py", "-n: use --nproc N"),
        ("--nproc_per_nod 2 x.py", "unknown option --nproc_per_nod; did you mean '--nproc-per-node'?"),
        ("--master 1.2.3.4:80 x.py", "--master: MPI connects the processes"),
        ("--rdzv-backend c10d x.py", "--rdzv-backend: MPI connects the processes"),
        ("--ips 1.2.3.4 x.py", "--ips: give the hosts by --hosts"),
        ("--servers=a x.py", "--servers: parameter servers are not supported"),
        ("--elastic_level 1 x.py", "--elastic_level: use --max-restarts"),
        ("--xpus 0 x.py", "--xpus: only GPUs are supported"),
        ("--job_id a x.py", "--job_id: use --run-dir"),
        ("-c a.yml x", "-c: give the recipe itself"),
        ("--run_mode ps x.py", "invalid choice: 'ps'"),
        ("--nproc 0 x.py", "--nproc must be at least 1, got 0"),
        ("--nnodes 2:4 x.py", "the number is fixed while a run lasts; use --max-restarts"),
        ("--nproc two x.py", "invalid int value: 'two'"),
        ("--steps 0 lenet_digits", "--steps must be at least 1"),
        ("--nproc 2 --nproc-per-node 2 x.py", "give either --nproc (all processes) or --nproc-per-node"),
        ("--hosts a --hostfile b x.py", "give either --hosts or --hostfile"),
        ("--devices 0-3 x.py", "--devices: give numbers of GPUs"),
        ("--devices gpu x.py", "--devices: give numbers of GPUs"),
        ("--amp O3 lenet_digits", "invalid choice: 'O3'"),
        ("--amp off --bf16 lenet_digits", "--amp off and --bf16 contradict each other"),
        ("--amp O1 x.py", "--amp is for recipes"),
        ("--bf16 x.py", "--bf16 is for recipes"),
        ("--steps 3 x.py", "--steps is for recipes"),
        ("-o a=1 x.py", "--override is for recipes"),
        ("--with amp_o1 x.py", "--with is for recipes"),
        ("--profile 1:2 x.py", "--profile is for recipes"),
        ("--profile 5 lenet_digits", "--profile takes the first and the last step"),
        ("--profile 0:5 lenet_digits", "--profile takes the first and the last step"),
        ("--profile 5:4 lenet_digits", "--profile takes the first and the last step"),
        ("lenet_digits more", "'more' is no option; a recipe takes -o key=value"),
        ("lenet_digits --nprocs 2", "--nprocs: use --nproc N"),
    ],
)
def test_mistakes_are_told_with_the_cure(line, message):
    with pytest.raises(RecipeError) as caught:
        parsed(line)
    assert message in str(caught.value)


@pytest.mark.parametrize("given", ["off", "O1", "O2"])
@pytest.mark.parametrize(
    ("line", "amp"),
    [
        ("", "as given"),
        ("--amp off", (False, "float16")),
        ("--amp O1", ("O1", "float16")),
        ("--amp O2", ("O2", "float16")),
        ("--bf16", "as given, or O1, in bfloat16"),
        ("--amp O1 --bf16", ("O1", "bfloat16")),
        ("--amp O2 --bf16", ("O2", "bfloat16")),
        ("-o amp=O1 --amp O2", ("O2", "float16")),
    ],
)
def test_one_word_switches(tmp_path, given, line, amp):
    path = tmp_path / "mine.yaml"
    path.write_text(f"base: lenet_digits\namp: {given}\n")
    request = parsed(f"{line} {path}")
    found = check.load(path, request.overrides()).recipe.amp
    if isinstance(amp, str):
        enable = given != "off" or "or O1" in amp
        level = given if given != "off" else "O1"
        dtype = "bfloat16" if "bfloat16" in amp else "float16"
    else:
        enable, level, dtype = amp[0] is not False, amp[0], amp[1]
    assert found.enable is enable
    assert found.dtype == dtype
    if enable:
        assert found.level == level


@pytest.mark.parametrize(
    ("line", "count"),
    [
        ("", 0),
        ("--nproc 3", 3),
        ("--nproc-per-node 3", 3),
        ("--devices 0,1,5", 3),
        ("--devices cpu", 0),
        ("--nproc 1 --devices 0,1", 1),
        ("--hosts a:2,b:3", 5),
        ("--hosts a,b", 2),
        ("--hosts a:2,b:3 --nproc 4", 4),
        ("--hosts a:2,b:3 --devices cpu", 5),
        ("--hosts a:2,b:3 --nproc-per-node 4", 8),
        ("--hosts a,b --devices 0,1", 4),
        ("--hosts a,b --nnodes 2", 2),
        ("--nnodes 1", 0),
    ],
)
def test_the_number_of_processes(line, count):
    assert hosts.processes(parsed(f"{line} x.py").options, 0) == count


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("--nnodes 2", "no hosts are given: use --hosts"),
        ("--nnodes 3 --hosts a,b", "2 hosts are given"),
        ("--hosts a:x", "'a:x' is no host"),
        ("--hosts a:0,b", "a has no place for a process"),
        ("--hosts a:2,b:2 --nproc 5", "the hosts have places for 4"),
        ("--hostfile /nowhere", "--hostfile /nowhere: No such file"),
    ],
)
def test_hosts_that_make_no_sense(line, message):
    with pytest.raises(RecipeError, match=message):
        hosts.processes(parsed(f"{line} x.py").options, 0)


@pytest.mark.parametrize(
    ("line", "layout"),
    [
        ("--nproc 4", {}),
        ("--hosts a:2,b:3", {"a": 2, "b": 3}),
        ("--hosts a:2,b:3,c:1 --nproc 4", {"a": 2, "b": 2}),
        ("--hosts a:2,b:3 --nproc-per-node 4", {"a": 4, "b": 4}),
        ("--hosts a,b --devices 0,1", {"a": 2, "b": 2}),
        ("--hosts a,b,a", {"a": 2, "b": 1}),
    ],
)
def test_processes_are_laid_out_over_hosts(line, layout):
    assert hosts.layout(parsed(f"{line} x.py").options) == layout


@pytest.mark.parametrize(
    ("said", "wanted"),
    [
        ("HYDRA build details", ["-hosts", "a:2,b:1", "-n", "3", "work"]),
        ("mpirun (Open MPI) 5.0", ["--host", "a:2,b:1", "-x", "PADDLITE_X", "-x", "PYTHONPATH", "-n", "3", "work"]),
    ],
)
def test_the_command_of_either_mpi(tmp_path, monkeypatch, said, wanted):
    mpiexec = tmp_path / "mpiexec"
    mpiexec.write_text(f"#!/bin/sh\necho '{said}'\n")
    mpiexec.chmod(0o755)
    for name in [n for n in os.environ if n.startswith(("PADDLITE_", "OMP_", "OPENBLAS_", "MKL_", "CUDA_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PYTHONPATH", "/x")
    monkeypatch.setenv("PADDLITE_X", "1")
    line = mpi.command(str(mpiexec), 3, ["work"], {"a": 2, "b": 1})
    assert line[0] == str(mpiexec)
    assert line[-len(wanted) :] == wanted


def test_a_hostfile_of_either_mpi(tmp_path):
    path = tmp_path / "hosts"
    path.write_text("# comment\nnode1:4\nnode2 slots=2  # more\n\nnode3\n")
    assert hosts.slots(None, str(path)) == {"node1": 4, "node2": 2, "node3": 1}
    path.write_text("# nothing\n")
    with pytest.raises(RecipeError, match="there is no host in it"):
        hosts.slots(None, str(path))


@pytest.mark.parametrize(
    ("given", "visible", "present", "by_local_rank"),
    [
        (None, None, 0, [None, None]),
        (None, None, 2, ["0", "1", "0"]),
        ("cpu", None, 2, [None]),
        ("cpu", "0,1", 2, [None]),
        ("1,3", None, 4, ["1", "3", "1"]),
        (None, "2,3", 4, ["2", "3"]),
        ("3", "2,3", 4, ["3", "3"]),
        (None, "GPU-1,GPU-2", 2, ["GPU-1", "GPU-2"]),
        (None, "", 2, [None]),
        (None, "-1", 2, [None]),
    ],
)
def test_each_rank_of_a_host_gets_a_gpu(given, visible, present, by_local_rank):
    usable = devices.usable(given, visible, present)
    assert [devices.choose(usable, rank) for rank in range(len(by_local_rank))] == by_local_rank


def test_a_hidden_gpu_is_told():
    with pytest.raises(RecipeError, match="GPU 0 is not in CUDA_VISIBLE_DEVICES=2,3"):
        devices.usable("0,2", "2,3", 4)


@pytest.mark.parametrize(
    ("wanted", "present", "message"),
    [
        ("0", 0, "--devices 0: there is no GPU here"),
        ("gpu", 0, "launch.device: gpu: there is no GPU here"),
        ("0,2", 2, "there is no GPU 2; this host has 2, numbered from 0"),
    ],
)
def test_a_gpu_that_is_not_there_is_told_with_the_cure(wanted, present, message):
    with pytest.raises(devices.NoDevice, match=message):
        devices.require(wanted, present, lambda: 0)


def test_what_needs_no_gpu_asks_for_none():
    def ask():
        raise AssertionError

    devices.require(None, 0, ask)
    devices.require("cpu", 0, ask)


def test_cupy_is_needed_for_a_gpu(monkeypatch):
    monkeypatch.setattr(devices, "find_spec", lambda name: None)
    with pytest.raises(devices.NoDevice, match=r"pip install 'paddlite\[gpu\]'"):
        devices.require("0", 0, lambda: 1)


@pytest.mark.skipif(devices.gpus_here() > 0, reason="there is a GPU here")
@pytest.mark.parametrize("words", [["--devices", "0", "lenet_digits"], ["lenet_digits", "-o", "launch.device=gpu"]])
def test_a_missing_gpu_starts_nothing(capsys, tmp_path, monkeypatch, words):
    monkeypatch.chdir(tmp_path)
    assert main(words) == 69
    assert "there is no GPU here" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_gpus_are_counted_by_the_driver(tmp_path):
    assert devices.gpus_here(tmp_path / "nothing") == 0
    (tmp_path / "0000:01:00.0").mkdir()
    assert devices.gpus_here(tmp_path) == 1


def test_a_dry_run_tells_the_plan_and_makes_nothing(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    words = ["--dry-run", "--nproc", "1", "lenet_digits", "--steps", "3", "--amp", "O2", "--bf16"]
    assert main(words) == 0
    text = capsys.readouterr().out
    for part in (
        "LeNet on Digits",
        "the first 3 steps of 20 epochs, Adam",
        "AMP O2 bfloat16",
        "global 64 = 1 rank x 32 x accumulate 2",
    ):
        assert part in text
    assert list(tmp_path.iterdir()) == []


def test_a_script_that_does_not_exist(capsys):
    assert main(["nowhere.py"]) == 64
    assert "error: nowhere.py: there is no such script" in capsys.readouterr().err


def test_a_shipped_recipe_is_found_from_anywhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert library.find("lenet_digits").is_file()
