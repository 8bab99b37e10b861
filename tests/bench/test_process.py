"""A measuring process that fails: its reason is one line, and nothing of it reaches the terminal."""

import sys

import pytest

from colonnade_bench.process import EndError, Process


def ended_by(program):
    """The error of a process that runs `program` after its task."""
    command = [sys.executable, "-c", f"import sys\nsys.stdin.readline()\n{program}"]
    process = Process("writer", command, {})
    try:
        with pytest.raises(EndError) as caught:
            process.answer()
    finally:
        process.kill()
    return str(caught.value)


@pytest.mark.parametrize(
    ("program", "reason"),
    [
        ("raise ValueError('no lists')", "writer: the process ended with status 1: ValueError: no lists"),
        ("sys.exit(3)", "writer: the process ended with status 3"),
        ("sys.stderr.write('noise\\n' * 10_000); sys.exit(3)", "writer: the process ended with status 3: noise"),
        ("print('x', file=sys.stderr); import os; os.kill(os.getpid(), 9)", "writer: crashed (signal 9, SIGKILL)"),
    ],
)
def test_the_reason_is_one_line_and_the_terminal_stays_clean(program, reason, capfd):
    assert ended_by(program) == reason
    assert capfd.readouterr() == ("", "")
