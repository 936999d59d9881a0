"""Two runs beside each other, op by op, from the lines that a tensor checker wrote."""

from __future__ import annotations

import csv
import re
from collections import Counter
from pathlib import Path

from paddlite.core.errors import InvalidArgument

_LINE = re.compile(r"\[PRECISION\] (?:\[ERROR\] )?in \[device=\S+, op=(\S+), tensor=\S*, dtype=(\w+)\], (.*)")
_COLUMNS = (
    "file", "op", "call", "dtype 1", "dtype 2", "max 1", "max 2", "min 1", "min 2", "mean 1", "mean 2",
    "nan 1", "nan 2", "inf 1", "inf 2", "difference of means", "remark",
)  # fmt: skip
_TOLERANCE = 0.1  # a larger relative difference of the means is remarked on


def compare_accuracy(
    dump_path: str, another_dump_path: str, output_filename: str, loss_scale: float = 1, dump_all_tensors: bool = False
) -> None:
    """Write a table that sets the outputs of two runs side by side: float32 and float16, most often.

    Both runs wrote with `TensorCheckerConfig(debug_mode=DebugMode.CHECK_ALL, output_dir=...)`. The k-th call of an op
    in one is set beside the k-th in the other; a remark says where numbers are no longer finite in one alone, or where
    the means differ by more than a tenth.

    Args:
        dump_path: the folder of the first run.
        another_dump_path: the folder of the second run.
        output_filename: `.csv`, or `.xlsx` where the package xlsxwriter is installed.
        loss_scale: what the second run's loss was multiplied by; its gradients are divided by it.
        dump_all_tensors: not supported, as in Paddle.

    Raises:
        ValueError: a folder without reports, or a kind of file that cannot be written.
    """
    if dump_all_tensors:
        raise InvalidArgument("compare_accuracy: dump_all_tensors is not supported")
    first, second = _reports(dump_path), _reports(another_dump_path)
    rows = []
    for name in sorted(first.keys() & second.keys()):
        others = dict(second[name])
        for key, one in first[name]:
            if key in others:
                rows.append([name, *key, *_side_by_side(key[0], one, others[key], loss_scale)])
    _write(Path(output_filename), rows)


def _reports(folder: str) -> dict[str, list]:
    """By file name: ((op, number of the call), (dtype, values)) in order."""
    result = {}
    for path in sorted(Path(folder).glob("worker_*")):
        calls: Counter = Counter()
        found = result[path.name] = []
        for line in path.read_text().splitlines():
            match = _LINE.match(line)
            if match:
                op, dtype, values = match.groups()
                calls[op] += 1
                pairs = (item.split("=") for item in values.split(", "))
                found.append(((op, calls[op]), (dtype, {k: float(v) for k, v in pairs})))
    if not result:
        raise InvalidArgument(f"compare_accuracy: {folder!r} holds no reports (files worker_*) of a tensor checker")
    return result


def _side_by_side(op: str, one: tuple, two: tuple, loss_scale: float) -> list:
    (dtype, a), (other, b) = one, two
    scale = loss_scale if op.endswith("_grad") else 1
    b = {k: v / scale if k in ("max", "min", "mean") else v for k, v in b.items()}
    size = max(abs(a["mean"]), abs(b["mean"]))
    difference = abs(a["mean"] - b["mean"]) / size if size else 0.0
    remarks = []
    for what in ("nan", "inf"):
        if bool(a.get(f"num_{what}")) != bool(b.get(f"num_{what}")):
            remarks.append(f"{what} in one alone")
    if difference > _TOLERANCE:
        remarks.append("means differ")
    values = [x[k] for k in ("max", "min", "mean") for x in (a, b)]
    counts = [int(x.get(k, 0)) for k in ("num_nan", "num_inf") for x in (a, b)]
    return [dtype, other, *values, *counts, difference, "; ".join(remarks)]


def _write(path: Path, rows: list) -> None:
    if path.suffix == ".csv":
        with path.open("w", newline="") as file:
            csv.writer(file).writerows([_COLUMNS, *rows])
        return
    if path.suffix != ".xlsx":
        raise InvalidArgument(f"compare_accuracy: want a file name that ends in .csv or .xlsx, got {path.name!r}")
    try:
        import xlsxwriter
    except ImportError:
        raise InvalidArgument("compare_accuracy: .xlsx needs `pip install xlsxwriter`; .csv needs nothing") from None
    with xlsxwriter.Workbook(str(path), {"nan_inf_to_errors": True}) as book:
        sheet = book.add_worksheet("accuracy")
        for i, row in enumerate([_COLUMNS, *rows]):
            sheet.write_row(i, 0, row)
