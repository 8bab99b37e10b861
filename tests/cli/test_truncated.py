"""A source that was cut short: refused by the flag's name, or converted with a line about what was lost."""

import io
import logging
import os
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest

import colonnade as cn
from colonnade._io import log
from colonnade.cli import main
from tests.helpers.commands import finished

TABLE = pa.table({"a": list(range(10))})


@pytest.fixture(autouse=True)
def no_handlers_are_left() -> Iterator[None]:
    yield
    log.before_warning = None
    logging.getLogger("colonnade").handlers.clear()


def cut(*, file: bool, at_end: bool = False) -> bytes:
    """Five batches of two rows, without the end; or two (of a file three) and a part of the next."""
    out = io.BytesIO()
    with (pa.ipc.new_file if file else pa.ipc.new_stream)(out, TABLE.schema) as writer:
        writer.write_table(TABLE, max_chunksize=2)
    whole = out.getvalue()
    return whole[:-8] if at_end else whole[: len(whole) * 6 // 10]


@pytest.fixture(params=["npz", "parquet", "arrow", "arrows", "csv"])
def target(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return tmp_path / f"out.{request.param}"


def test_what_was_lost_of_a_stream(tmp_path: Path, target: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "cut.arrows"
    source.write_bytes(cut(file=False))
    assert main(["convert", str(source), str(target), "--allow-truncated"]) == 0
    assert capsys.readouterr().err == (
        f"colonnade: arrow: '{source}': the end is missing. 2 batches with 4 rows were read; the last 113 of 561 bytes "
        "are part of a batch and were left out.\n"
    )
    assert len(cn.read(target)) == 4


def test_what_was_lost_of_a_file(tmp_path: Path, target: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "cut.arrow"
    source.write_bytes(cut(file=True))
    assert main(["convert", str(source), str(target), "--allow-truncated"]) == 0
    assert capsys.readouterr().err == (
        f"colonnade: arrow: '{source}': the end is missing. 3 batches with 6 rows were read; the last 110 of 726 bytes "
        "are part of a batch and were left out.\n"
    )
    assert len(cn.read(target)) == 6


def test_a_cut_between_batches(tmp_path: Path, target: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "cut.arrows"
    source.write_bytes(cut(file=False, at_end=True))
    assert main(["convert", str(source), str(target), "--allow-truncated"]) == 0
    assert capsys.readouterr().err == (
        f"colonnade: arrow: '{source}': the end is missing. 5 batches with 10 rows were read; what came after them is "
        "lost.\n"
    )


@pytest.mark.parametrize("to", ["arrows", "parquet", "npz"])
def test_what_was_lost_of_a_pipe(to: str) -> None:
    done = finished("convert", "-", "-", "--to", to, "--allow-truncated", input=cut(file=False))
    assert done.returncode == 0
    first = b"colonnade: arrow: the stream ends without its end mark: 561 bytes are there, 592 at least are needed. "
    collected = b"colonnade: arrow: the end is missing. "
    assert done.stderr.startswith(collected if to == "npz" else first)
    assert b"2 batches with 4 rows were read; " in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert len(cn.read(done.stdout)) == 4


def test_a_pipe_that_ends_within_the_schema() -> None:
    done = finished("convert", "-", "-", "--to", "arrows", "--allow-truncated", input=cut(file=False)[:100])
    assert done.returncode == 1
    assert done.stdout == b""


@pytest.mark.parametrize("command", ["convert", "head", "schema", "cat"])
def test_without_the_option_it_is_refused(command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, target = tmp_path / "cut.arrows", tmp_path / "out.npz"
    source.write_bytes(cut(file=False))
    assert main([command, str(source), *([str(target)] if command == "convert" else [])]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err == (
        "colonnade: arrow: at byte 448: the stream ends without its end mark: 561 bytes are there, 592 at least are "
        "needed. 2 batches with 4 rows were received: pass --allow-truncated to have them.\n"
    )
    assert not target.exists()


def test_the_library_warns(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    source = tmp_path / "cut.arrows"
    source.write_bytes(cut(file=False))
    assert len(cn.read(source, allow_truncated=True)) == 4
    receiver, sender = os.pipe()
    os.write(sender, cut(file=False))
    os.close(sender)
    with open(receiver, "rb") as pipe, cn.open_reader(pipe, allow_truncated=True) as reader:
        assert [len(frame) for frame in reader] == [2, 2]
    assert [record.message.split(": ")[-1].split(". ")[-1] for record in caplog.records] == [
        "2 batches with 4 rows were read; the last 113 of 561 bytes are part of a batch and were left out.",
        "2 batches with 4 rows were read; the rest is lost.",
    ]


def test_nothing_is_said_of_a_whole_stream(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cn.write(TABLE, tmp_path / "whole.arrows")
    for to in ("npz", "arrows"):
        assert main(["convert", str(tmp_path / "whole.arrows"), str(tmp_path / f"x.{to}"), "--allow-truncated"]) == 0
    assert capsys.readouterr().err == ""


def test_records_that_are_skipped_are_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "x.csv").write_text("a,b\n1,2\n3\n5,6\n")
    assert main(["convert", str(tmp_path / "x.csv"), str(tmp_path / "x.npz"), "--on-error", "skip"]) == 0
    place = tmp_path / "x.csv"
    assert capsys.readouterr().err == f"colonnade: csv: '{place}': 1 records do not fit and were left out.\n"
