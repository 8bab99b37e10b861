"""Defines the commands of the command line and their options, and suggests the nearest word for a typo."""

import argparse
from collections.abc import Callable
from typing import Any, NoReturn

from .option_specs import PACKING, READING, WRITING, Spec
from .security import add_security
from .values import COLLECTED, KINDS, count, rows, seconds, size


def parser(asked: str | None = None) -> argparse.ArgumentParser:
    """Returns the parser. `options.command` runs the parsed command.

    If `asked` is a command, the parser has only that command. Building all takes longer than reading a small file.
    """
    if asked not in _COMMANDS:
        asked = None
    parser = _Parser(
        prog="colonnade",
        description="Look at, check, convert and send DataFrame files (npz, arrow, parquet, msgpack, csv...).",
        epilog="Exit status: 0 done, 1 bad data or an error of the system, 2 wrong usage, 130 interrupted.",
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="show the version and exit")
    shared = _Parser(add_help=False)
    shared.add_argument("--debug", action="store_true", help="show the traceback of an error")
    shared.add_argument("--threads", type=int, metavar="N", help="threads to use (default: all available cores)")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True, parser_class=_Parser)

    def add(name: str, run: str, help: str) -> argparse.ArgumentParser:
        command = commands.add_parser(name, parents=[shared], help=help, description=help[0].upper() + help[1:] + ".")
        command.set_defaults(command=lambda options: _command(run)(options))
        return command

    for name, (run, help, add_options) in _COMMANDS.items():
        if asked in (None, name):
            command = add(name, run, help)
            add_options(command)
            # All options in the usage would be fifteen lines above every error.
            files = " ".join(str(action.metavar) for action in command._actions if not action.option_strings)
            command.usage = f"colonnade {name} [options] {files}{'...' if name == 'verify' else ''}".rstrip()
    if asked is None:
        commands.add_parser("bench", help="measure which format is fastest (see bench --help)", add_help=False)
        commands.add_parser("advise", help="name the fastest format for a file (see advise --help)", add_help=False)
    return parser


def _add_info(info: argparse.ArgumentParser) -> None:
    info.add_argument("file", metavar="FILE", help="a file or directory, or - for stdin")
    _add_reading(info, "FILE")
    info.add_argument("--json", action="store_true", help="print everything as one JSON object")


def _add_head(head: argparse.ArgumentParser) -> None:
    head.add_argument("file", metavar="FILE", help="a file or directory, or - for stdin")
    _add_reading(head, "FILE")
    head.add_argument("-n", "--rows", type=count, default=10, metavar="N", help="number of rows (default: 10)")
    head.add_argument("--columns", action="append", metavar="A,B", help=_COLUMNS_HELP)


def _add_verify(verify: argparse.ArgumentParser) -> None:
    verify.add_argument("files", metavar="FILE", nargs="+", help="files or directories, or - for stdin")
    _add_reading(verify, "each FILE")
    verify.add_argument("-q", "--quiet", action="store_true", help="print only errors")


def _add_ls(ls: argparse.ArgumentParser) -> None:
    ls.add_argument("source", metavar="DATASET", help="a folder, a pattern, or a prefix in a store")
    _add_reading(ls, "each part")


def _add_compact(compact: argparse.ArgumentParser) -> None:
    compact.add_argument("source", metavar="DATASET", help="the folder of a dataset, or its prefix in a store")
    compact.add_argument("--rows-per-part", type=count, default=1_000_000, metavar="N", help=_ROWS_PER_PART_HELP)
    _add_reading(compact, "each part")
    _add_specs(compact, WRITING, "writing the parts")


def _add_gc(gc: argparse.ArgumentParser) -> None:
    gc.add_argument("target", metavar="DATASET", help="the folder of a dataset, or its prefix in a store")
    gc.add_argument(
        "--days", type=seconds, default=7.0, metavar="N", help="keep what a reader of the last N days may need"
    )
    gc.add_argument("--dry-run", action="store_true", help="print the files, and remove none")
    _add_specs(gc, tuple(spec for spec in READING if spec.field == "storage_options"), "the store")


def _add_serve(serve: argparse.ArgumentParser) -> None:
    serve.add_argument("folder", metavar="DIR", help="the folder with files and datasets")
    serve.add_argument(
        "--host", default="127.0.0.1", metavar="ADDRESS", help="address to listen on (default: 127.0.0.1)"
    )
    serve.add_argument("--port", type=count, default=8000, metavar="N", help="port (default: 8000)")
    serve.add_argument("--token-file", metavar="PATH", help="the file with the token that requests must have")
    serve.add_argument("--cert", metavar="PATH", help="serve HTTPS: the certificate")
    serve.add_argument("--key", metavar="PATH", help="serve HTTPS: the private key")
    serve.add_argument("--cors", metavar="ORIGIN", help="the origin whose web pages may read the answers")


def _add_parts(command: argparse.ArgumentParser) -> None:
    group = command.add_argument_group("a dataset as DST (a folder/ or a prefix/ of a store)")
    group.add_argument("--partition-by", action="append", metavar="A,B", help="columns that become folders")
    group.add_argument("--rows-per-part", type=count, default=1_000_000, metavar="N", help=_ROWS_PER_PART_HELP)
    group.add_argument(
        "--mode", choices=("error", "append", "overwrite"), default="error", help="what to do with parts that are there"
    )


def _add_versions(versions: argparse.ArgumentParser) -> None:
    versions.add_argument("--json", action="store_true", help="print one JSON object")


def _add_convert(convert: argparse.ArgumentParser) -> None:
    convert.add_argument("source", metavar="SRC", help="a file, a dataset (folder, pattern, prefix/), or - for stdin")
    convert.add_argument("target", metavar="DST", help="a file, a folder/ for a dataset, or - for stdout")
    _add_reading(convert, "SRC")
    _add_part(convert)
    _add_writing(convert, "DST")
    _add_parts(convert)


def _add_cat(cat: argparse.ArgumentParser) -> None:
    cat.add_argument("source", metavar="FILE", help="a file or directory, or - for stdin")
    cat.set_defaults(target="-")
    _add_reading(cat, "FILE")
    _add_part(cat)
    _add_writing(cat, "the output", to="csv")


def _add_diff(diff: argparse.ArgumentParser) -> None:
    diff.add_argument("one", metavar="A", help="a file or directory, or - for stdin")
    diff.add_argument("other", metavar="B", help="the file to compare with")
    _add_reading(diff, "both")


def _add_schema(schema: argparse.ArgumentParser) -> None:
    schema.add_argument("file", metavar="FILE", help="a file or directory, or - for stdin")
    _add_reading(schema, "FILE")


def _add_completion(completion: argparse.ArgumentParser) -> None:
    completion.add_argument("shell", metavar="SHELL", choices=SHELLS, help=", ".join(SHELLS))


def _add_part(command: argparse.ArgumentParser) -> None:
    command.add_argument("--columns", action="append", metavar="A,B", help=_COLUMNS_HELP)
    command.add_argument(
        "--rows",
        type=rows,
        metavar="A:B",
        help="only these rows, by position: 0:100, 500:; --rows=-10: the last ten",
    )


def _add_send(send: argparse.ArgumentParser) -> None:
    send.add_argument("source", metavar="FILE", help="a file or directory, or - for stdin")
    send.add_argument("url", metavar="URL", help=_URLS)
    send.add_argument("--listen", action="store_true", help="listen at URL; the receiver connects")
    _add_reading(send, "FILE")
    send.add_argument(
        "--to",
        "--format",
        dest="target_format",
        default="arrows",
        metavar="FORMAT",
        help="format of the message: arrows (default), msgpack, csv or ndjson",
    )
    _add_compression(send)
    _add_specs(send, PACKING, "the message")
    _add_peer(send)


def _add_recv(recv: argparse.ArgumentParser) -> None:
    recv.add_argument("url", metavar="URL", help=_URLS)
    recv.add_argument("target", metavar="FILE", help="a file or directory, or - for stdout")
    recv.add_argument("--connect", action="store_true", help="connect to URL; the sender listens")
    _add_writing(recv, "FILE")
    recv.add_argument("--limit", type=size, metavar="BYTES", help="refuse larger messages (such as 2GiB)")
    _add_peer(recv)


def _add_from(command: argparse.ArgumentParser, file: str) -> None:
    command.add_argument(
        "--from", dest="source_format", metavar="FORMAT", help=f"format of {file} (default: detected by its bytes)"
    )


def _add_reading(command: argparse.ArgumentParser, file: str) -> None:
    _add_from(command, file)
    _add_specs(command, READING, f"reading {file}")


def _add_writing(command: argparse.ArgumentParser, file: str, to: str | None = None) -> None:
    default = "by its suffix" if to is None else to
    command.add_argument(
        "--to", dest="target_format", metavar="FORMAT", default=to, help=f"format of {file} (default: {default})"
    )
    _add_compression(command)
    _add_specs(command, WRITING, f"writing {file}")


def _add_compression(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--compression",
        metavar="CODEC",
        help="none; zstd, deflate (npz); lz4, zstd (arrow, arrows); gzip, zstd (text); "
        "auto, snappy, gzip, brotli, lz4, zstd (parquet)",
    )


def _add_specs(command: argparse.ArgumentParser, specs: tuple[Spec, ...], what: str) -> None:
    """Adds options of reading or writing. Options that are not given are absent from the parsed options."""
    groups: dict[str, Any] = {"": command}
    for spec in specs:
        if spec.group not in groups:
            kind = "csv, json, ndjson, yaml" if spec.group == "text" else ""
            groups[spec.group] = command.add_argument_group(f"{what}: {spec.group}", kind or None)
        common: dict[str, Any] = {"dest": spec.dest, "default": argparse.SUPPRESS, "help": spec.help}
        if spec.kind in ("on", "off"):
            groups[spec.group].add_argument(spec.flag, action="store_const", const=spec.kind == "on", **common)
        else:
            action = _Collect if spec.kind in COLLECTED else "store"
            groups[spec.group].add_argument(
                spec.flag, type=KINDS[spec.kind], metavar=spec.metavar, action=action, **common
            )


def _add_peer(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--timeout",
        type=seconds,
        metavar="S",
        help="seconds that the peer may be absent or silent (default: 30 s until it listens, then no limit)",
    )
    add_security(command).add_argument(
        "--server-name", metavar="NAME", help="when connecting: the name in the peer's certificate"
    )


_COMMANDS: dict[str, tuple[str, str, Callable[[argparse.ArgumentParser], None]]] = {
    "info": ("show:info", "show the shape, columns, types, sizes and members of a file", _add_info),
    "head": ("show:head", "show the first rows of a file", _add_head),
    "verify": ("work:verify", "check the checksums and structure of files; status 1 if one is invalid", _add_verify),
    "schema": ("show:schema", "show the label and type of each column", _add_schema),
    "cat": ("work:cat", "write a file, or a part of it, to stdout as CSV or in another format", _add_cat),
    "diff": ("diff:diff", "compare two files of any formats; status 1 and the first differences", _add_diff),
    "convert": ("work:convert", "convert a file into another format", _add_convert),
    "ls": ("datasets:ls", "list the parts of a dataset", _add_ls),
    "compact": ("datasets:compact", "write the many parts of a dataset as few", _add_compact),
    "gc": ("datasets:gc", "remove the files of a dataset that no reader needs", _add_gc),
    "serve": ("serving:serve", "serve a folder over HTTP", _add_serve),
    "send": ("connections:send", "send a file to another process, as one message", _add_send),
    "recv": ("connections:recv", "receive one message and write it to a file", _add_recv),
    "completion": ("completion:completion", "print a script that completes commands and options", _add_completion),
    "versions": ("show:versions", "show the versions of Colonnade and related libraries", _add_versions),
}


class _Parser(argparse.ArgumentParser):
    """Suggests the nearest commands and options, as the library does for its keywords."""

    def error(self, message: str) -> NoReturn:
        from .._io.nearest import nearest_hint

        word = message.rpartition("unrecognized arguments: ")[2].split(" ")[0].split("=")[0]
        if message.startswith("unrecognized") and word.startswith("-"):
            # Where a command was asked for, the parser has that command alone.
            known = [
                name for command in _all_parsers(self) for action in command._actions for name in action.option_strings
            ]
            message += nearest_hint(word, known)
        elif "invalid choice: '" in message:
            word = message.split("invalid choice: '")[1].split("'")[0]
            commands = [name for action in self._actions for name in (action.choices or ())]
            message += nearest_hint(word, [str(name) for name in commands])
        super().error(message)


def long_options(command: str) -> set[str]:
    """The options of a command that begin with two dashes."""
    if command not in _COMMANDS:
        return set()
    found = [action for each in _all_parsers(parser(command)) for action in each._actions]
    return {name for action in found for name in action.option_strings if name.startswith("--")}


def subparsers(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    """The parsers of the commands by name."""
    found: dict[str, argparse.ArgumentParser] = {}
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            found |= action.choices
    return found


def _all_parsers(parser: argparse.ArgumentParser) -> list[argparse.ArgumentParser]:
    return [parser, *subparsers(parser).values()]


class _Collect(argparse.Action):
    """An option that may be given several times: its lists are joined, its pairs merged."""

    def __call__(self, parser: argparse.ArgumentParser, options: argparse.Namespace, values: Any, *_: Any) -> None:
        before = getattr(options, self.dest, None)
        if isinstance(values, dict):
            values = {**(before or {}), **values}
        elif isinstance(values, list):
            values = [*(before or []), *values]
        setattr(options, self.dest, values)


class _Version(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> NoReturn:
        from .._core import __version__

        print(f"colonnade {__version__}")
        parser.exit(0)


def _command(name: str) -> Callable[[argparse.Namespace], int]:
    """Returns a command's function. Its module is loaded when it runs, so that --help does not wait for the core."""
    import importlib

    module, _, function = name.partition(":")
    found: Callable[[argparse.Namespace], int] = getattr(importlib.import_module(f".{module}", __package__), function)
    return found


_COLUMNS_HELP = "only these columns, in this order; levels of a hierarchical label are joined by / (repeatable)"
_ROWS_PER_PART_HELP = "the most rows of a part (default: 1,000,000)"
SHELLS = ("bash", "zsh", "fish")
_URLS = "tcp://host:port (this machine), tls://host:port, unix:/path, or the path of a FIFO"
