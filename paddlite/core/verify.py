"""Checking that a Program is well formed; passes are followed by this in tests."""

from __future__ import annotations

from paddlite.core.dispatch import input_metas
from paddlite.core.errors import ProgramError
from paddlite.core.op import OPS
from paddlite.core.program import Call, Program, Value


def verify(program: Program) -> None:
    """Raise where `program` breaks a rule: values made once and before use, names unique, metas as `infer` says.

    Raises:
        ProgramError: the text names the call and what is wrong with it.
    """
    known: set[Value] = set(program.feeds.values()) | {slot.value for slot in program.state.values()}
    names = [v.name for v in known]
    for block in program.blocks:
        for node in block.nodes:
            if OPS.get(node.op.name) is not node.op:
                raise ProgramError(f"{node!r}: the op is not in the registry")
            for value in node.inputs:
                if isinstance(value, Value) and value not in known:
                    raise ProgramError(f"{node!r}: input '{value.name}' is used before it is made")
            for i, value in enumerate(node.outputs):
                if value in known:
                    raise ProgramError(f"{node!r}: value '{value.name}' is made twice")
                if value.maker is not node or value.index != i:
                    raise ProgramError(f"{node!r}: value '{value.name}' does not point back to this call")
                known.add(value)
                names.append(value.name)
            _check_metas(node)
    if len(names) != len(set(names)):
        twice = sorted({n for n in names if names.count(n) > 1})
        raise ProgramError(f"names used twice: {', '.join(twice)}")


def _check_metas(node: Call) -> None:
    found = node.op.infer(*input_metas(node.op, node.inputs), **node.attrs)
    found = found if isinstance(found, tuple) else (found,)
    made = tuple([v.meta for v in node.outputs])
    if found != made:
        raise ProgramError(f"{node!r}: infer gives {found}, but the outputs say {made}")
