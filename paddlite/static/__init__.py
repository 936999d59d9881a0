"""Row 5: Programs: recording, differentiating and running them."""

from __future__ import annotations

from paddlite.core.program import Program, Variable
from paddlite.static import nn
from paddlite.static.executor import Executor
from paddlite.static.gradients import append_backward, gradients
from paddlite.static.recording import (
    InputSpec,
    data,
    default_main_program,
    default_startup_program,
    global_scope,
    program_guard,
)

__all__ = [
    "Executor",
    "InputSpec",
    "Program",
    "Variable",
    "append_backward",
    "data",
    "default_main_program",
    "default_startup_program",
    "global_scope",
    "gradients",
    "nn",
    "program_guard",
]
