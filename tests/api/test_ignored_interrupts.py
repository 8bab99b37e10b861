"""Ctrl-C when a shell makes this process ignore it, as `nohup make test &` does."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
WITHOUT_SIGINT = ["sh", "-c", 'trap "" INT; exec "$@"', "sh", sys.executable]


def test_processes_of_tests_take_it() -> None:
    """A process that tests start has Python's handler, even if the shell ignores SIGINT."""
    script = "import signal, sys; sys.exit(signal.getsignal(signal.SIGINT) is not signal.default_int_handler)"
    child = f"subprocess.run([sys.executable, '-c', {script!r}]).returncode"
    for restore, status in (
        ("", 1),
        ("from tests.helpers.interrupts import restore_interrupts; restore_interrupts(); ", 0),
    ):
        code = f"import subprocess, sys; {restore}sys.exit({child})"
        done = subprocess.run([*WITHOUT_SIGINT, "-c", code], cwd=ROOT, check=False, timeout=60)
        assert done.returncode == status


def test_the_process_itself_goes_on() -> None:
    code = (
        "import os, signal; from tests.helpers.interrupts import restore_interrupts; restore_interrupts(); "
        "os.kill(os.getpid(), signal.SIGINT); print('on')"
    )
    done = subprocess.run([*WITHOUT_SIGINT, "-c", code], cwd=ROOT, capture_output=True, check=False, timeout=60)
    assert done.stdout == b"on\n"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_command_line_in_the_background(number: signal.Signals, tmp_path: Path) -> None:
    """A shell makes background commands ignore Ctrl-C; they end by SIGTERM, or when their work is done."""
    source, target = os.pipe()
    command = [*WITHOUT_SIGINT, "-m", "colonnade", "convert", "-", tmp_path / "x.npz", "--from", "csv"]
    with subprocess.Popen(command, stdin=source, stderr=subprocess.PIPE) as process:
        os.close(source)
        with open(target, "wb") as pipe:
            # Both parts fill the pipe: the process is inside the read when the second one is taken.
            pipe.write(b"a\n" + b"1\n" * 100_000)
            pipe.flush()
            pipe.write(b"2\n" * 100_000)
            pipe.flush()
            process.send_signal(number)
        _, said = process.communicate(timeout=60)
    if number == signal.SIGINT:
        assert (process.returncode, said) == (0, b"")
        assert (tmp_path / "x.npz").exists()
    else:
        assert process.returncode == -signal.SIGTERM
        assert not (tmp_path / "x.npz").exists()
