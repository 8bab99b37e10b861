"""Every option of reading and writing that the library has is one of the commands that read and write."""

import dataclasses
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import colonnade as cn
from colonnade._formats.options import CLASSES
from colonnade.cli import main
from colonnade.cli.option_specs import READING, WRITING, Spec
from colonnade.cli.parser import long_options, parser
from colonnade.cli.words import in_own_words

READERS = ("info", "schema", "head", "cat", "verify", "diff", "convert", "send")
WRITERS = ("cat", "convert", "recv")

NO_OPTION = {
    "threads": "--threads is an option of every command",
    "progress": "a terminal gets a bar",
    "filesystem": "an open object of Python",
    "timeout_s": "Ctrl-C; send and recv have --timeout",
    "mmap": "a command does not keep the file open",
    "batch_rows": "rows of iterables in Python",
    "densify_sparse": "sparse columns of pandas",
    "chunk_rows": "for open_reader",
    "compression": "--compression, whose word `none` depends on the format",
}


def fields(side: str) -> set[str]:
    return {
        item.name
        for format in CLASSES
        for item in dataclasses.fields(CLASSES[format])
        if item.metadata["side"] in (side, "both")
    }


def test_every_field_has_an_option() -> None:
    assert {spec.field for spec in READING} == fields("read") - NO_OPTION.keys()
    assert {spec.field for spec in WRITING} == fields("write") - NO_OPTION.keys()


@pytest.mark.parametrize("command", READERS)
def test_commands_that_read(command: str) -> None:
    assert {spec.flag for spec in READING} <= long_options(command)


@pytest.mark.parametrize("command", WRITERS)
def test_commands_that_write(command: str) -> None:
    assert {spec.flag for spec in WRITING} | {"--compression", "--to"} <= long_options(command)


def arguments_of(command: str) -> list[str]:
    names = {"diff": ["a", "b"], "convert": ["a", "b"], "send": ["a", "tcp://:1"], "recv": ["tcp://:1", "a"]}
    return [command, *names.get(command, ["a"])]


@pytest.fixture
def value_of(tmp_path: Path) -> dict[str, str]:
    """A value of each kind of option."""
    (tmp_path / "key").write_bytes(bytes(16))
    key = str(tmp_path / "key")
    return {
        "count": "1", "header rows": "1", "integer": "1", "limits": "max_nbytes=1", "key": key,
        "keys": f"a={key}", "pairs": "a=b"
    }  # fmt: skip


@pytest.mark.parametrize(
    ("side", "commands", "specs"), [("read", READERS, READING), ("write", WRITERS, WRITING)], ids=["read", "write"]
)
def test_what_an_error_recommends_is_accepted(
    side: str, commands: tuple[str, ...], specs: tuple[Spec, ...], value_of: dict[str, str]
) -> None:
    """Each option, in the form in which errors write its keyword, becomes an option that the command takes."""
    verb = "Write" if side == "write" else "Read it with"
    for command in commands:
        for spec in specs:
            is_flag = spec.kind in ("on", "off")
            value = str(spec.kind == "on") if is_flag else '"x"'
            said = in_own_words(f"x: expected this. {verb} {spec.field}={value}.", [command])
            assert f"{spec.field}=" not in said, (command, spec)
            [flag] = re.findall(r"--[a-z][a-z0-9-]*", said)
            assert flag in {other.flag for other in specs if other.field == spec.field}
            rest = [] if is_flag else [value_of.get(spec.kind, "x")]
            parser(command).parse_args([*arguments_of(command), spec.flag, *rest])


@pytest.mark.parametrize(
    ("command", "text", "said"),
    [
        ("convert", 'Write schema="header", or on_loss="ignore".', "Write --schema header, or --on-loss ignore."),
        ("head", 'read it with schema="ignore".', "read it with --from-schema ignore."),
        ("convert", "or pass quotechar=None where it is no quote.", "or pass --quotechar none where it is no quote."),
        ("convert", "or escapechar= (or", "or --escapechar (or"),
        ("convert", "Raise Limits(max_depth=...) to read them.", "Raise --limits max_depth=... to read them."),
        ("head", "or pass limits=Limits(max_nbytes=5).", "or pass --limits max_nbytes=5."),
        ("head", "pass format='msgpack'.", "pass --from msgpack."),
        ("convert", "the suffix of 'x.y' is unknown. Pass format=.", "the suffix of 'x.y' is unknown. Pass --to."),
        ("convert", "Rename the columns, or write header=True.", "Rename the columns, or write without --no-header."),
        ("convert", 'Write orient="records", or reset the index.', "Write --orient records, or reset the index."),
        ("head", 'Read with dtype={"a": "utf8"}, or', "Read with --dtype a=utf8, or"),
        ("recv", "compression_level: expected 1 to 9 for gzip", "--compression-level: expected 1 to 9 for gzip"),
        ("versions", "pass format='msgpack'.", "pass format='msgpack'."),
    ],
)  # fmt: skip
def test_words(command: str, text: str, said: str) -> None:
    assert in_own_words(text, [command]) == said


def test_of_two_options_the_one_that_was_given_is_meant() -> None:
    text = "sep: expected one ASCII character or None, found 'ab'."
    assert in_own_words(text, ["convert", "--to-sep", "ab"]).startswith("--to-sep: expected")
    assert in_own_words(text, ["convert", "--sep=ab"]).startswith("--sep: expected")


CSV = "id;when;price;text\n001;01.02.2024;1.234,5;'a;b'\n# no data\n002;03.02.2024;n/a;c\n"
READ_CSV = [
    "--sep", ";", "--decimal", ",", "--thousands", ".", "--quotechar", "'", "--comment", "#",
    "--na-values", "n/a",
    "--dtype", "id=large_utf8,price=float64", "--parse-dates", "when", "--date-format", "%d.%m.%Y",
]  # fmt: skip


def test_options_of_reading_csv(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "x.csv").write_text(CSV)
    assert main(["convert", str(tmp_path / "x.csv"), str(tmp_path / "x.npz"), *READ_CSV]) == 0
    data = cn.read(tmp_path / "x.npz").to_pandas()
    assert data["id"].tolist() == ["001", "002"]
    assert data["when"].astype(str).tolist() == ["2024-02-01", "2024-02-03"]
    assert data["price"].fillna(-1).tolist() == [1234.5, -1]
    assert data["text"].tolist() == ["a;b", "c"]
    assert capsys.readouterr().err == ""


def test_options_that_join(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "x.csv").write_text("a,b\n-,?\n1,2\n")
    assert main(["cat", str(tmp_path / "x.csv"), "--na-values", "-", "--na-values=?", "--na-rep", "none"]) == 0
    assert capfd.readouterr().out == "a,b\nnone,none\n1,2\n"


@pytest.mark.parametrize(
    ("options", "lines"),
    [
        (["--to-sep", ";", "--to-decimal", ",", "--quoting", "all"], ['"a";"b"', '"1,5";"x"']),
        (["--lineterminator", "\\r\\n", "--no-header"], ["1.5,x\r"]),
        (["--index", "--quoting", "nonnumeric", "--to-quotechar", "'"], ["'index','a','b'", "0,1.5,'x'"]),
    ],
)
def test_options_of_writing_csv(
    options: list[str], lines: list[str], tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    cn.write({"a": np.array([1.5]), "b": np.array(["x"])}, tmp_path / "x.npz")
    assert main(["cat", str(tmp_path / "x.npz"), *options]) == 0
    assert capfdbinary.readouterr().out.decode().split("\n") == [*lines, ""]


def test_options_of_writing_parquet(tmp_path: Path) -> None:
    cn.write({"a": np.arange(10)}, tmp_path / "x.npz")
    options = ["--to-encoding", "plain", "--no-statistics", "--no-page-index", "--no-crc", "--data-page-version", "2"]
    assert main(["convert", str(tmp_path / "x.npz"), str(tmp_path / "x.parquet"), *options]) == 0
    [chunk] = cn.inspect(tmp_path / "x.parquet").members
    assert "PLAIN" in chunk["encodings"]
    assert (chunk["statistics"] or {}).get("min") is None
    assert not chunk["page_index"]


def test_keys_of_parquet_are_read_from_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "key").write_bytes(b"0123456789abcdef")
    cn.write({"a": np.arange(3)}, tmp_path / "x.parquet")
    path = str(tmp_path / "x.parquet")
    assert main(["head", path, "--footer-key-file", str(tmp_path / "key")]) == 0
    assert main(["head", path, "--footer-key-file", str(tmp_path / "none")]) == 1
    assert f"No such file or directory: {tmp_path / 'none'}" in capsys.readouterr().err


def test_limits(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cn.write({f"c{i}": np.arange(3) for i in range(5)}, tmp_path / "x.arrow")
    path = str(tmp_path / "x.arrow")
    assert main(["head", path, "--limits", "max_columns=4"]) == 1
    assert "4" in capsys.readouterr().err
    assert main(["head", path, "--limits", "max_columns=5,max_nbytes=2GB"]) == 0
    assert main(["head", path, "--limits", "max_colums=5"]) == 2
    assert "--limits: 'max_colums' is no limit; nearest: 'max_columns'." in capsys.readouterr().err


def test_diff_reads_each_file_with_the_options_of_its_format(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_bytes("ä;b\n1;2\n".encode("latin-1"))
    cn.write(pd.DataFrame({"ä": [1], "b": [2]}), tmp_path / "x.npz")
    options = ["--encoding", "latin-1", "--sep", ";"]
    assert main(["diff", str(tmp_path / "x.csv"), str(tmp_path / "x.npz"), *options]) == 0
    assert main(["info", str(tmp_path / "x.csv"), *options]) == 0
    assert main(["verify", str(tmp_path / "x.csv"), *options]) == 0


def test_an_option_of_another_format(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cn.write({"a": np.arange(3)}, tmp_path / "x.npz")
    assert main(["head", str(tmp_path / "x.npz"), "--sep", ";"]) == 2
    assert capsys.readouterr().err == "colonnade: npz: unknown option --sep; it is an option of csv.\n"


def test_info_of_a_stream_that_breaks_off(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    whole: Any = cn.encode(pa.table({"a": [1]}), "arrows")
    (tmp_path / "cut.arrows").write_bytes(whole[:-8])
    assert main(["info", str(tmp_path / "cut.arrows")]) == 1
    assert "pass --allow-truncated to have them" in capsys.readouterr().err
    assert main(["info", str(tmp_path / "cut.arrows"), "--allow-truncated"]) == 0
    assert "the end is missing" in capsys.readouterr().out
