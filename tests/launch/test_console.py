"""What is passed on to the console: all that ranks print, and nothing of mpiexec's own."""

import io
import os

import pytest

from paddlite.launch.console import Forward, say

MPICH = """
===================================================================================
=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES
=   PID 129 RUNNING AT nodeb
=   EXIT CODE: 9
=   CLEANING UP REMAINING PROCESSES
=   YOU CAN IGNORE THE BELOW CLEANUP MESSAGES
===================================================================================
YOUR APPLICATION TERMINATED WITH THE EXIT STRING: Killed (signal 9)
This typically refers to a problem with your application.
Please see the FAQ page for debugging suggestions
"""
OPEN_MPI = """--------------------------------------------------------------------------
prterun noticed that process rank 1 with PID 29547 on node vm exited on
signal 9 (Killed).
--------------------------------------------------------------------------
"""
OPEN_MPI_ABORT = """--------------------------------------------------------------------------
MPI_ABORT was invoked on rank 1 in communicator MPI_COMM_WORLD
  Proc: [[58489,1],1]

You may or may not see output from other processes, depending on
exactly when Open MPI kills them.
--------------------------------------------------------------------------
--------------------------------------------------------------------------
prterun has exited due to process rank 1 with PID 0 on node vm calling
"abort".
--------------------------------------------------------------------------
"""
TABLE = f"{'-' * 74}\n Layer (type)\n{'=' * 83}\nLinear-1\n{'=' * 83}\n\nTotal: 3\n{'-' * 74}\n\nend\n"


def forwarded(*chunks):
    """What comes out where the chunks go in, one read each, and what is kept as mpiexec's."""
    source, into = os.pipe()
    sink, log = io.BytesIO(), io.BytesIO()
    forward = Forward(source, sink, log)
    pending = list(chunks)
    original = os.read

    def read(number, size):
        if pending:
            os.write(into, pending.pop(0).encode())
            return original(number, size)
        return b""

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("paddlite.launch.console.os.read", read)
        forward.run()
    os.close(into)
    assert log.getvalue().decode() == forward.text()
    return sink.getvalue().decode(), forward.text()


@pytest.mark.parametrize("complaint", [MPICH, OPEN_MPI, OPEN_MPI_ABORT, OPEN_MPI_ABORT + "\0\n"])
@pytest.mark.parametrize("whole", [True, False])
def test_complaints_of_mpiexec_are_kept_from_the_console(complaint, whole):
    text = f"a\n\nb\n{complaint}"
    shown, kept = forwarded(*([text] if whole else text.splitlines(keepends=True)))
    assert shown.rstrip("\n") == "a\n\nb"
    assert kept.replace("\n", "") == complaint.replace("\n", "")


@pytest.mark.parametrize("text", [TABLE, "\n\nx\n\n", f"{'=' * 83}\n", "no end", f"a\n{'-' * 74}\n{'-' * 74}\nb\n"])
@pytest.mark.parametrize("whole", [True, False])
def test_what_ranks_print_is_passed_on_as_it_is(text, whole):
    shown, kept = forwarded(*([text] if whole else list(text)))
    assert shown == text
    assert kept == ""


def test_a_table_before_a_complaint_stays_whole():
    shown, kept = forwarded(TABLE + MPICH)
    assert shown.rstrip("\n") == TABLE.rstrip("\n")
    assert "BAD TERMINATION" in kept


def test_a_line_that_is_not_finished_is_shown_at_once():
    source, into = os.pipe()
    sink = io.BytesIO()
    forward = Forward(source, sink, io.BytesIO())
    forward.start()
    os.write(into, b"\r 5/10 steps")
    while not sink.getvalue():
        pass
    os.close(into)
    forward.join()
    assert sink.getvalue() == b"\r 5/10 steps"


def test_details_are_indented_and_facts_are_marked(capsys):
    say("  Traceback\n  ValueError\nrank 1 failed")
    assert capsys.readouterr().err == "  Traceback\n  ValueError\npaddlite.launch: rank 1 failed\n"
