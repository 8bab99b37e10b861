"""The command line: ``colonnade info``, ``head``, ``convert`` and others; ``colonnade --help`` lists them.

Exit statuses: 0 done; 1 the data is bad or the system refused (one line on stderr gives the reason); 2 the command was
not understood; 130 interrupted by Ctrl-C; 141 the program that reads the output ended (as after a SIGPIPE).
"""

import argparse
import contextlib
import os
import sys
import warnings
from collections.abc import Callable, Sequence
from typing import Any

from .._io import log
from .standard_streams import fill_standard

OK, FAILED, USAGE, INTERRUPTED, BROKEN_PIPE = 0, 1, 2, 130, 141


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status."""
    fill_standard()
    arguments = list(sys.argv[1:] if argv is None else argv)
    debug = "--debug" in arguments
    try:
        status = _run(arguments)
        sys.stdout.flush()
        return status
    except KeyboardInterrupt:
        if debug:
            raise
        say("interrupted")
        return INTERRUPTED
    except BrokenPipeError:
        if debug:
            raise
        _forget_stdout()
        return BROKEN_PIPE
    except Exception as error:
        if debug:
            raise
        return _fail(error, arguments)


def _run(arguments: list[str]) -> int:
    if arguments[:1] in (["bench"], ["advise"]):
        return _other(arguments)
    from .parser import parser

    log.before_warning = _show_warnings
    if not arguments:
        parser().print_help()
        return OK
    options = parser(arguments[0] if arguments else None).parse_args(arguments)
    command: Callable[[argparse.Namespace], int] = options.command
    with warnings.catch_warnings():
        _say_losses(arguments)
        return command(options)


def _say_losses(arguments: list[str]) -> None:
    """Shows a `LossWarning` as one line, without the source line that raised it."""
    show = warnings.showwarning

    def shown(message: Warning | str, *rest: Any, **more: Any) -> None:
        from ..errors import LossWarning
        from .words import in_own_words

        if isinstance(message, LossWarning):
            say(f"warning: {in_own_words(str(message), arguments)}")
        else:
            show(message, *rest, **more)

    warnings.showwarning = shown


def _fail(error: Exception, arguments: list[str]) -> int:
    """Prints one line for an error of the data or the system. Any other error is called a fault of Colonnade."""
    from ..errors import ColonnadeError, OptionError
    from .words import in_own_words

    if isinstance(error, ColonnadeError | OSError | EOFError | MemoryError | ImportError):
        text = os_error_text(error) if isinstance(error, OSError) else str(error) or type(error).__name__
        say(in_own_words(text, arguments))
        return USAGE if isinstance(error, OptionError) else FAILED
    say(f"{type(error).__name__}: {error}. This is a fault of Colonnade; --debug shows where.")
    return FAILED


def _show_warnings() -> None:
    from .stderr_log import add_handler

    add_handler(say)


def os_error_text(error: OSError) -> str:
    """`No such file or directory: x.npz` rather than `[Errno 2] ...: 'x.npz'`."""
    name = error.filename
    if error.strerror is None:
        return str(error) or type(error).__name__
    return (
        error.strerror
        if name is None
        else f"{error.strerror}: {os.fsdecode(name) if isinstance(name, bytes) else name}"
    )


def status_of(error: Exception) -> int:
    """The exit status of an error. A command raises ValueError and KeyError for wrong arguments."""
    from ..errors import ColonnadeError, OptionError

    is_usage_error = not isinstance(error, OSError | ColonnadeError) or isinstance(error, OptionError)
    return USAGE if is_usage_error else FAILED


def say(text: str) -> None:
    """One line on stderr."""
    from .._values.terminal_text import clean

    with contextlib.suppress(BrokenPipeError):
        print(f"colonnade: {clean(text)}", file=sys.stderr)


def _forget_stdout() -> None:
    """Replaces stdout by the null device: Python would report the broken pipe again when it flushes at exit."""
    try:
        devnull = os.open(os.devnull, os.O_WRONLY)
        os.dup2(devnull, sys.stdout.fileno())
        os.close(devnull)
    except (OSError, ValueError, AttributeError):
        pass


def _other(arguments: list[str]) -> int:
    """Runs a command of another distribution. If it is absent or of another version, nothing starts."""
    from .._distributions import COMMANDS, load

    try:
        command = load(COMMANDS, arguments[0])
    except ImportError as error:
        if error.name != "colonnade_bench":
            raise
        say(str(error))
        return USAGE
    return int(command(arguments[1:]) or OK)


if __name__ == "__main__":
    sys.exit(main())
