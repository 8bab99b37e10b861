"""The registry of writers: one entry for each format, which agrees with the rest of the package."""

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import colonnade as cn
from colonnade import _core
from colonnade._formats.options import CLASSES, format_of
from colonnade._formats.registry import FORMATS
from colonnade._formats.writers import WRITE_FORMATS, Request, core_options
from colonnade._frame.frame import frame_from
from colonnade._io.detection import BUNDLED, CONNECTED, FORMAT_NAMES, STREAMED
from tests.helpers.each import each
from tests.helpers.ways import exactly

FRAME = frame_from(np.arange(6.0).reshape(3, 2))


def options_of(name: str, **keywords: Any) -> _core.WriteOptions:
    return core_options(CLASSES[name](**keywords), Request(is_message=True))


def test_every_format_has_an_entry_with_its_own_options() -> None:
    assert tuple(WRITE_FORMATS) == tuple(FORMATS) == FORMAT_NAMES
    assert tuple(CLASSES) == FORMAT_NAMES
    assert {name: format_of(options()) for name, options in CLASSES.items()} == dict(zip(CLASSES, CLASSES, strict=True))


@each("name", list(FORMAT_NAMES))
def test_the_options_of_the_core_are_those_of_the_format(name: str) -> None:
    options = options_of(name)
    assert isinstance(options, _core.WriteOptions)
    assert options.format == name


def test_bundles_are_checked_where_a_file_holds_several_frames() -> None:
    assert {name for name, entry in WRITE_FORMATS.items() if entry.check_bundle} == set(BUNDLED)
    core = FRAME._load()
    for name in FORMATS:
        if name not in BUNDLED:
            with pytest.raises(cn.UnsupportedError, match=f"{name}: it holds one frame"):
                _core.encode_bundle([("a", core)], options_of(name))


def test_only_some_formats_are_written_chunk_by_chunk(tmp_path: Path) -> None:
    for name in FORMATS:
        sink = _core.BufferSink()
        if name in STREAMED:
            assert _core.Writer.to_sink(sink, options_of(name)).nbatches == 0
        else:
            with pytest.raises(cn.UnsupportedError, match=f"{name}: it is written whole"):
                _core.Writer.to_path(str(tmp_path / "file"), options_of(name))
    assert not list(tmp_path.iterdir())


def test_a_writer_that_was_closed_takes_no_more() -> None:
    for name in STREAMED:
        writer = _core.Writer.to_sink(_core.BufferSink(), options_of(name))
        writer.write(FRAME._load())
        writer.close()
        with pytest.raises(cn.EncodeError, match=f"{name}: the writer was closed"):
            writer.write(FRAME._load())


@each("name", [name for name in FORMATS if name not in CONNECTED])
def test_a_format_without_messages_is_refused_by_the_connection_itself(name: str) -> None:
    connection = _core.Connection.over_callables(
        None, lambda view: None, "peer", _core.ConnectOptions(limits=cn.Limits())
    )
    with pytest.raises(cn.OptionError, match='format: expected "arrows"'):
        connection.send(FRAME._load(), options_of(name))
    with pytest.raises(cn.OptionError, match='format: expected "arrows"'):
        _core.Writer.to_connection(connection, options_of(name))
    assert connection.messages_sent == 0


@pytest.mark.parametrize("name", ["npz", "npy"])
def test_a_file_object_gets_a_format_that_goes_back_in_one_piece(name: str) -> None:
    class Counting(io.BytesIO):
        calls = 0

        def write(self, data: Any) -> int:
            self.calls += 1
            return super().write(data)

    file = Counting()
    cn.write(FRAME, file, format=name)
    assert file.calls == 1
    assert file.getvalue() == cn.encode(FRAME, name)


def test_a_directory_is_not_replaced_by_a_format_that_has_none(tmp_path: Path) -> None:
    with pytest.raises(cn.UnsupportedError, match="it is one file"):
        _core.write_directory(FRAME._load(), str(tmp_path / "directory"), options_of("npz"))
    assert not list(tmp_path.iterdir())


@each("name", list(FORMAT_NAMES))
@each("nrows", [3, 100_000])
@each("options", [exactly, lambda name: {}], ids=["exact", "plain"])
def test_bytes_are_those_of_a_sink(name: str, nrows: int, options: Callable[[str], dict[str, Any]]) -> None:
    frame = frame_from(np.arange(2.0 * nrows).reshape(nrows, 2))
    for _ in range(2):  # the layouts of small frames are cached
        sink = _core.BufferSink()
        _core.write_sink(frame._load(), sink, core_options(CLASSES[name](**options(name)), Request()))
        is_same = bytes(cn.encode(frame, name, **options(name))) == bytes(memoryview(sink))
        assert is_same  # a comparison of megabytes is shown for minutes
