"""Defines the commands of the command line and their options, and suggests the nearest word for a typo."""

import argparse
from collections.abc import Callable
from typing import Any, NoReturn

from .security import add_security


def parser(asked: str | None = None) -> argparse.ArgumentParser:
    """Returns the parser. `options.command` runs the parsed command.

    If `asked` is a command, the parser has only that one: building all takes longer than reading a small file.
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
    shared.add_argument("--threads", type=int, metavar="N", help="threads to use (default: the cores there are)")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True, parser_class=_Parser)

    def add(name: str, run: str, help: str) -> argparse.ArgumentParser:
        command = commands.add_parser(name, parents=[shared], help=help, description=help[0].upper() + help[1:] + ".")
        command.set_defaults(command=lambda options: _command(run)(options))
        return command

    for name, (run, help, add_options) in _COMMANDS.items():
        if asked in (None, name):
            add_options(add(name, run, help))
    if asked is None:
        commands.add_parser("bench", help="which format is fastest, measured (bench --help says more)", add_help=False)
        commands.add_parser("advise", help="which format for this file over this link (advise --help)", add_help=False)
    return parser


def _add_info(info: argparse.ArgumentParser) -> None:
    info.add_argument("file", metavar="FILE", help="a file or directory, or - for stdin")
    _add_from(info, "FILE")
    info.add_argument("--json", action="store_true", help="everything as one JSON object")


def _add_head(head: argparse.ArgumentParser) -> None:
    head.add_argument("file", metavar="FILE", help="a file or directory, or - for stdin")
    _add_reading(head, "FILE")
    head.add_argument("-n", "--rows", type=_count, default=10, metavar="N", help="number of rows (default: 10)")
    head.add_argument("--columns", action="append", metavar="A,B", help=_COLUMNS_HELP)


def _add_verify(verify: argparse.ArgumentParser) -> None:
    verify.add_argument("files", metavar="FILE", nargs="+", help="files or directories, or - for stdin")
    _add_from(verify, "each FILE")
    verify.add_argument("-q", "--quiet", action="store_true", help="say nothing of files that are whole")


def _add_versions(versions: argparse.ArgumentParser) -> None:
    versions.add_argument("--json", action="store_true", help="as one JSON object")


def _add_convert(convert: argparse.ArgumentParser) -> None:
    convert.add_argument("source", metavar="SRC", help="a file or directory, or - for stdin")
    convert.add_argument("target", metavar="DST", help="a file or directory, or - for stdout")
    _add_reading(convert, "SRC")
    _add_part(convert)
    _add_writing(convert, "DST")


def _add_cat(cat: argparse.ArgumentParser) -> None:
    cat.add_argument("source", metavar="FILE", help="a file or directory, or - for stdin")
    cat.set_defaults(target="-")
    _add_reading(cat, "FILE")
    _add_part(cat)
    _add_writing(cat, "the output", to="csv")


def _add_diff(diff: argparse.ArgumentParser) -> None:
    diff.add_argument("one", metavar="A", help="a file or directory, or - for stdin")
    diff.add_argument("other", metavar="B", help="the file to compare with")


def _add_schema(schema: argparse.ArgumentParser) -> None:
    schema.add_argument("file", metavar="FILE", help="a file or directory, or - for stdin")
    _add_reading(schema, "FILE")


def _add_part(command: argparse.ArgumentParser) -> None:
    command.add_argument("--columns", action="append", metavar="A,B", help=_COLUMNS_HELP)
    command.add_argument(
        "--rows",
        type=_rows,
        metavar="A:B",
        help="these rows alone, by position: 0:100, 500:; --rows=-10: the last ten",
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
        help="of the message: arrows, msgpack, csv or ndjson",
    )
    _add_packing(send)
    _add_peer(send)


def _add_recv(recv: argparse.ArgumentParser) -> None:
    recv.add_argument("url", metavar="URL", help=_URLS)
    recv.add_argument("target", metavar="FILE", help="a file or directory, or - for stdout")
    recv.add_argument("--connect", action="store_true", help="connect to URL; the sender listens")
    _add_writing(recv, "FILE")
    recv.add_argument("--limit", type=_size, metavar="BYTES", help="refuse a message that asks for more (such as 2GiB)")
    _add_peer(recv)


def _add_from(command: argparse.ArgumentParser, file: str) -> None:
    command.add_argument(
        "--from", dest="source_format", metavar="FORMAT", help=f"format of {file} (default: detected by its bytes)"
    )


def _add_reading(command: argparse.ArgumentParser, file: str) -> None:
    _add_from(command, file)
    command.add_argument(
        "--allow-truncated", action="store_true", help="take what came of a stream that breaks off (arrow, arrows)"
    )
    for name, what in (("ext", "an unknown extension"), ("invalid-utf8", "text that is no UTF-8")):
        command.add_argument(f"--{name}", metavar="WORD", help=f"bytes: keep {what} as bytes (msgpack)")
    text = command.add_argument_group(f"text of {file}", "csv, json, ndjson, yaml")
    text.add_argument("--delimiter", metavar="CHAR", help="between fields (csv; default: detected)")
    text.add_argument(
        "--encoding", metavar="NAME", help="utf-8, utf-16, latin-1... (default: utf-8, or what a mark says)"
    )
    text.add_argument(
        "--header-rows", type=_count, metavar="N", help="records that hold column names (csv; default: 1)"
    )
    text.add_argument("--index-columns", type=_count, metavar="N", help="columns that are row labels (csv)")
    text.add_argument("--skip-rows", type=_count, metavar="N", help="lines to skip at the beginning (csv)")
    text.add_argument("--decimal", metavar="CHAR", help="the decimal mark, . or , (csv)")
    text.add_argument("--dates", action="store_true", help="columns of ISO 8601 dates are dates (csv)")
    text.add_argument("--on-error", metavar="WORD", help="raise, null or skip: records that do not fit (csv)")
    text.add_argument("--big-ints", metavar="WORD", help="integers over 64 bits: error, decimal; text (csv)")
    text.add_argument("--allow-nonfinite", action="store_true", help="take NaN and Infinity (json, ndjson)")


def _add_writing(command: argparse.ArgumentParser, file: str, to: str | None = None) -> None:
    default = "by its suffix" if to is None else to
    command.add_argument(
        "--to", dest="target_format", metavar="FORMAT", default=to, help=f"format of {file} (default: {default})"
    )
    _add_packing(command)
    command.add_argument(
        "--filter", metavar="WORD", help="auto, shuffle, delta, delta-shuffle or dictionary, before compression (npz)"
    )
    command.add_argument("--profile", metavar="WORD", help="fast, balanced or small (npz, parquet)")
    command.add_argument("--row-group-rows", type=_count, metavar="N", help="rows of a row group (parquet)")
    command.add_argument("--orient", metavar="WORD", help="columns, records, split... (msgpack, json, yaml)")
    command.add_argument(
        "--no-header",
        action="store_true",
        help="the data alone, for other programs (msgpack; csv: no names)",
    )
    command.add_argument("--numbers", metavar="WORD", help="plain or packed (msgpack)")
    command.add_argument("--compatible", action="store_true", help="for readers from before 2013 (msgpack)")
    command.add_argument(
        "--schema", metavar="WORD", help="header or sidecar (csv): store data types and labels (csv, json, ndjson, yaml)"
    )
    command.add_argument(
        "--on-loss",
        metavar="WORD",
        help="warn, raise or ignore: what plain text does not bring back (csv, json, ndjson, yaml; default: warn)",
    )
    command.add_argument("--to-delimiter", metavar="CHAR", help="between fields written (csv)")
    command.add_argument(
        "--nonfinite", metavar="WORD", help="null, literal or error: NaN without a schema (json, ndjson)"
    )
    command.add_argument("--indent", type=_count, metavar="N", help="spaces for each level (json)")
    command.add_argument("--compat", metavar="LIBRARY", help="static-frame: write only what it reads in full")
    command.add_argument("--fsync", action="store_true", help="wait until the disk has the bytes")
    command.add_argument("--mkdir", action="store_true", help="make the folder of the target")


def _add_packing(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--compression",
        metavar="CODEC",
        help="none; zstd, deflate (npz); lz4, zstd (arrow, arrows); gzip, zstd (text); "
        "auto, snappy, gzip, brotli, lz4, zstd (parquet)",
    )
    command.add_argument("--level", type=int, metavar="N", help="level of compression")
    command.add_argument("--batch-nbytes", type=int, metavar="N", help="data in a record batch (arrow, arrows)")


def _add_peer(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--timeout",
        type=_seconds,
        metavar="S",
        help="how long the peer may be absent or silent (default: 30 s until somebody listens, else forever)",
    )
    add_security(command).add_argument(
        "--server-name", metavar="NAME", help="connecting: the name in the peer's certificate"
    )


_COMMANDS: dict[str, tuple[str, str, Callable[[argparse.ArgumentParser], None]]] = {
    "info": ("show:info", "what is inside a file: a table, or --json", _add_info),
    "head": ("show:head", "the first rows of a file", _add_head),
    "verify": ("work:verify", "check checksums and structure; status 1 and the reason where it fails", _add_verify),
    "schema": ("show:schema", "labels and types of a file's columns", _add_schema),
    "cat": ("work:cat", "write a file, or a part of it, to stdout as text or in another format", _add_cat),
    "diff": ("diff:diff", "compare two files of any formats; status 1 and what differs first", _add_diff),
    "convert": ("work:convert", "convert one file into another format or form", _add_convert),
    "send": ("connections:send", "send a file to a peer, as one message", _add_send),
    "recv": ("connections:recv", "receive one message of a peer, and write it to a file", _add_recv),
    "versions": ("show:versions", "versions of Colonnade and of the libraries around it", _add_versions),
}


class _Parser(argparse.ArgumentParser):
    """Names the near commands and options, as the library does for its keywords."""

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


def _all_parsers(parser: argparse.ArgumentParser) -> list[argparse.ArgumentParser]:
    found = [parser]
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            found += action.choices.values()
    return found


class _Version(argparse.Action):
    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> NoReturn:
        from .._core import __version__

        print(f"colonnade {__version__}")
        parser.exit(0)


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


def _rows(text: str) -> slice:
    start, colon, stop = text.partition(":")
    try:
        if not colon:
            raise ValueError
        return slice(int(start) if start else None, int(stop) if stop else None)
    except ValueError:
        raise argparse.ArgumentTypeError(f"expected rows such as 0:100 or 500:, found {text!r}") from None


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds < 1e9:  # NaN is not, either
        raise argparse.ArgumentTypeError(f"expected a number of seconds, found {text!r}")
    return seconds


def _size(text: str) -> int:
    number = text.rstrip("KMGTiB")
    power = _UNITS.get(text[len(number) :])
    if power is None or not number.isascii() or not number.isdigit():
        raise argparse.ArgumentTypeError(f"expected a number of bytes such as 65536, 64MiB or 2GB, found {text!r}")
    return int(number) * power


_COLUMNS_HELP = "these columns alone; the levels of a hierarchical label are joined by / (may be given several times)"
_UNITS: dict[str, int] = {"": 1, "B": 1} | {
    unit: base**power
    for power, letter in enumerate("KMGT", 1)
    for unit, base in ((f"{letter}iB", 1024), (f"{letter}B", 1000))
}
_URLS = "tcp://host:port (this machine), tls://host:port, unix:/path, or the path of a FIFO"
