"""The command line: ``colonnade info | head | verify | convert | versions | bench``.

Exit statuses: 0 done; 1 the data is bad or the system refused (one line on stderr says why); 2 the command was not
understood; 130 interrupted by Ctrl-C; 141 the reader of our output went away (as a SIGPIPE would).
"""

import argparse
import contextlib
import os
import sys
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

OK, FAILED, USAGE, INTERRUPTED, BROKEN_PIPE = 0, 1, 2, 130, 141


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    debug = "--debug" in arguments
    try:
        status = _run(arguments)
        sys.stdout.flush()
        return status
    except KeyboardInterrupt:
        if debug:
            raise
        _say("interrupted")
        return INTERRUPTED
    except BrokenPipeError:
        if debug:
            raise
        _forget_stdout()
        return BROKEN_PIPE
    except Exception as error:
        if debug:
            raise
        return _fail(error)


def _run(arguments: list[str]) -> int:
    if arguments[:1] == ["bench"]:
        return _bench(arguments[1:])
    options = _parser().parse_args(arguments)
    command: Callable[[argparse.Namespace], int] = options.command
    return command(options)


def _fail(error: Exception) -> int:
    """One line for what is the data's or the system's fault; anything else is ours, and asks to be reported."""
    from .errors import ColonnadeError, OptionError

    if isinstance(error, ColonnadeError | OSError | MemoryError | ImportError):
        text = os_error_text(error) if isinstance(error, OSError) else str(error) or type(error).__name__
        _say(text)
        return USAGE if isinstance(error, OptionError) else FAILED
    _say(f"{type(error).__name__}: {error}. This is a fault of Colonnade; --debug shows where.")
    return FAILED


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


def _say(text: str) -> None:
    from ._text import clean

    with contextlib.suppress(BrokenPipeError):
        print(f"colonnade: {clean(text)}", file=sys.stderr)


def _forget_stdout() -> None:
    """Nobody reads stdout any more: without this Python would complain again when it flushes at its end."""
    try:
        devnull = os.open(os.devnull, os.O_WRONLY)
        os.dup2(devnull, sys.stdout.fileno())
        os.close(devnull)
    except (OSError, ValueError, AttributeError):
        pass


class _Parser(argparse.ArgumentParser):
    """Names the near commands and options, as the library does for its keywords."""

    def error(self, message: str) -> NoReturn:
        from ._nearest import nearest_hint

        word = message.rpartition("unrecognized arguments: ")[2].split(" ")[0].split("=")[0]
        if message.startswith("unrecognized") and word.startswith("-"):
            known = [
                name for command in _all_parsers(self) for action in command._actions for name in action.option_strings
            ]
            message += nearest_hint(word, known)
        elif "invalid choice: '" in message:
            word = message.split("invalid choice: '")[1].split("'")[0]
            commands = [name for action in self._actions for name in (action.choices or ())]
            message += nearest_hint(word, [str(name) for name in commands])
        super().error(message)


def _all_parsers(parser: argparse.ArgumentParser) -> list[argparse.ArgumentParser]:
    found = [parser]
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            found += action.choices.values()
    return found


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="colonnade",
        description="Look at, check and convert DataFrame files (npz, npy, arrow, arrows).",
        epilog="Exit status: 0 done, 1 bad data or an error of the system, 2 wrong usage, 130 interrupted.",
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="show the version and exit")
    shared = _Parser(add_help=False)
    shared.add_argument("--debug", action="store_true", help="show the traceback of an error")
    shared.add_argument("--threads", type=int, metavar="N", help="threads to use (default: the cores there are)")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True, parser_class=_Parser)

    def add(name: str, run: str, help: str, **more: Any) -> argparse.ArgumentParser:
        command = commands.add_parser(
            name, parents=[shared], help=help, description=help[0].upper() + help[1:] + ".", **more
        )
        command.set_defaults(command=lambda options: _command(run)(options))
        return command

    info = add("info", "_cli_show:info", "what is inside a file: a table, or --json")
    info.add_argument("file", metavar="FILE", help="a file or directory, or - for stdin")
    info.add_argument("--json", action="store_true", help="everything as one JSON object")

    head = add("head", "_cli_show:head", "the first rows of a file")
    head.add_argument("file", metavar="FILE", help="a file or directory, or - for stdin")
    head.add_argument("-n", "--rows", type=_count, default=10, metavar="N", help="number of rows (default: 10)")
    head.add_argument(
        "--columns",
        action="append",
        metavar="A,B",
        help="these columns alone; the levels of a hierarchical label are joined by / (may be given several times)",
    )

    verify = add("verify", "_cli_work:verify", "check checksums and structure; status 1 and the reason where it fails")
    verify.add_argument("files", metavar="FILE", nargs="+", help="files or directories, or - for stdin")
    verify.add_argument("-q", "--quiet", action="store_true", help="say nothing of files that are whole")

    convert = add("convert", "_cli_work:convert", "convert one file into another format or form")
    convert.add_argument("source", metavar="SRC", help="a file or directory, or - for stdin")
    convert.add_argument("target", metavar="DST", help="a file or directory, or - for stdout")
    convert.add_argument(
        "--from", dest="source_format", metavar="FORMAT", help="format of SRC (default: told by its bytes)"
    )
    convert.add_argument(
        "--to", dest="target_format", metavar="FORMAT", help="format of DST (default: told by its suffix)"
    )
    convert.add_argument("--compression", metavar="CODEC", help="none; zstd, deflate (npz); lz4, zstd (arrow, arrows)")
    convert.add_argument("--level", type=int, metavar="N", help="level of compression")
    convert.add_argument("--compat", metavar="LIBRARY", help="static-frame: write only what it reads in full")
    convert.add_argument("--batch-nbytes", type=int, metavar="N", help="data in a record batch (arrow, arrows)")
    convert.add_argument(
        "--allow-truncated", action="store_true", help="take what came of a stream that breaks off (arrow, arrows)"
    )
    convert.add_argument("--fsync", action="store_true", help="wait until the disk has the bytes")

    versions = add("versions", "_cli_show:versions", "versions of Colonnade and of the libraries around it")
    versions.add_argument("--json", action="store_true", help="as one JSON object")

    commands.add_parser("bench", help="which format is fastest, measured (bench --help says more)", add_help=False)
    return parser


class _Version(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> NoReturn:
        from ._core import __version__

        print(f"colonnade {__version__}")
        parser.exit(OK)


def _command(name: str) -> Callable[[argparse.Namespace], int]:
    """A command's function; its module is loaded when it is run, so that --help need not wait for the core."""
    import importlib

    module, _, function = name.partition(":")
    found: Callable[[argparse.Namespace], int] = getattr(importlib.import_module(f".{module}", __package__), function)
    return found


def _count(text: str) -> int:
    try:
        count = int(text)
    except ValueError:
        count = -1
    if count < 0:
        raise argparse.ArgumentTypeError(f"expected a whole number of at least 0, found {text!r}")
    return count


def _bench(arguments: list[str]) -> int:
    try:
        from .bench.__main__ import main as bench_main
    except ModuleNotFoundError as error:
        if error.name and error.name.startswith("colonnade.bench"):
            _say("bench is not built into this installation.")
            return FAILED
        raise
    return int(bench_main(arguments) or OK)


if __name__ == "__main__":
    sys.exit(main())
