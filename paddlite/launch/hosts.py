"""The hosts of a run, and how many processes each takes."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

from paddlite.recipe.errors import RecipeError


def slots(hosts: str | None, hostfile: str | None) -> dict[str, int]:
    """Processes by host, as `--hosts` or `--hostfile` gives them; empty where the run stays here.

    A host is `name`, `name:4`, or in a file also `name slots=4`; one process where no number is given.

    Raises:
        RecipeError: the file cannot be read, or an entry cannot be understood.
    """
    if hosts is not None:
        entries, at = hosts.split(","), "--hosts"
    elif hostfile is not None:
        try:
            lines = Path(hostfile).read_text(encoding="utf-8").splitlines()
        except OSError as error:
            raise RecipeError(f"--hostfile {hostfile}: {error.strerror}") from None
        entries, at = [line.split("#")[0] for line in lines if line.split("#")[0].strip()], f"--hostfile {hostfile}"
    else:
        return {}
    found: dict[str, int] = {}
    for entry in entries:
        parts = re.fullmatch(r"\s*([\w.-]+)(?:\s*:\s*(\d+)|\s+slots\s*=\s*(\d+))?\s*", entry)
        if parts is None:
            raise RecipeError(f"{at}: {entry.strip()!r} is no host; write host or host:4")
        count = int(parts[2] or parts[3] or 1)
        if not count:
            raise RecipeError(f"{at}: {parts[1]} has no place for a process; leave it out")
        found[parts[1]] = found.get(parts[1], 0) + count
    if not found:
        raise RecipeError(f"{at}: there is no host in it")
    return found


def layout(options: argparse.Namespace) -> dict[str, int]:
    """Processes by host for this command line, in the order in which they are numbered; empty where all run here.

    Raises:
        RecipeError: the numbers contradict each other.
    """
    found = slots(options.hosts, options.hostfile)
    count = len(found) or 1
    if options.nnodes is not None and options.nnodes != count:
        given = f"{count} hosts are given" if found else "no hosts are given: use --hosts host1:4,host2:4 or --hostfile"
        raise RecipeError(f"--nnodes {options.nnodes}: {given}")
    if options.nproc_per_node is not None:
        return dict.fromkeys(found, options.nproc_per_node)
    if options.nproc is not None:
        return _filled(found, options.nproc) if found else {}
    if options.devices is not None and options.devices != "cpu":
        return dict.fromkeys(found, len(options.devices.split(",")))
    return found


def _filled(found: dict[str, int], wanted: int) -> dict[str, int]:
    places = sum(found.values())
    if wanted > places:
        hosts = ",".join(f"{name}:{count}" for name, count in found.items())
        raise RecipeError(
            f"--nproc {wanted}: the hosts have places for {places} ({hosts}); give more, or --nproc-per-node"
        )
    result = {}
    for name, count in found.items():
        if wanted:
            result[name] = min(count, wanted)
            wanted -= result[name]
    return result


def processes(options: argparse.Namespace, wanted: int) -> int:
    """Processes of the whole run, by the command line.

    Args:
        wanted: what the recipe says, used where the command line is silent.

    Raises:
        RecipeError: the numbers contradict each other.
    """
    found = layout(options)
    if found:
        return sum(found.values())
    if options.nproc is not None or options.nproc_per_node is not None:
        return options.nproc or options.nproc_per_node
    if options.devices is not None and options.devices != "cpu":
        return len(options.devices.split(","))
    return wanted
