"""Methods of plug-ins that fail or return what they should not: named errors, and no file is damaged."""

import os
from pathlib import Path

import pytest

import colonnade as cn
from tests.helpers.installed import BAD as WHO
from tests.helpers.installed import DATA, DO, format_class, install

FRAME = "expected a pyarrow Table or another object that colonnade.Frame takes"
BYTES = f"{WHO}: expected the bytes of bad, found what the plug-in refuses"
READING = {
    "return None": (cn.PluginError, f"{WHO}: read() returned NoneType: {FRAME}. {DO}"),
    "return 7": (cn.PluginError, f"{WHO}: read() returned int: {FRAME}. {DO}"),
    "return 'text'": (cn.PluginError, f"{WHO}: read() returned str: {FRAME}. {DO}"),
    "return ['text']": (cn.PluginError, f"{WHO}: read() returned list: {FRAME}. {DO}"),
    "raise RuntimeError('why')": (cn.PluginError, f"{WHO}: read() raised RuntimeError: why. {DO}"),
    "raise TypeError('why')": (cn.PluginError, f"{WHO}: read() raised TypeError: why. {DO}"),
    "raise ValueError('why\\nand how')": (cn.DecodeError, f"{BYTES} (ValueError: why)."),
    "raise OSError('why')": (cn.DecodeError, f"{BYTES} (OSError: why)."),
    "raise OSError(28, 'No space left')": (OSError, "[Errno 28] No space left"),
    "raise EOFError": (cn.TruncatedError, f"{WHO}: the bytes end too early (EOFError)."),
    "raise NotImplementedError('why')": (
        cn.UnsupportedError,
        f"{WHO}: the plug-in does not read this (NotImplementedError: why).",
    ),
    "raise cn.LimitError('why')": (cn.LimitError, "why"),
    "raise ImportError('why')": (ImportError, "why"),
}


@pytest.mark.parametrize("line", READING)
def test_reading_that_fails(line: str, site: Path) -> None:
    kind, expected = READING[line]
    install(site, format_class(methods=f"def read(self, source, options, columns):\n    {line}"))
    with pytest.raises(kind) as raised:
        cn.decode(b"bad", "bad")
    assert type(raised.value) is kind
    assert str(raised.value) == expected


WRITING = {
    "raise RuntimeError('why')": (cn.PluginError, f"{WHO}: write() raised RuntimeError: why. {DO}"),
    "raise OSError('why')": (cn.PluginError, f"{WHO}: write() raised OSError: why. {DO}"),
    "raise ValueError('why')": (
        cn.EncodeError,
        f"{WHO}: column 'a': expected data that bad holds, found what it refuses (ValueError: why). Leave the column "
        "out with select(), or choose another format.",
    ),
    "pass": (cn.PluginError, f"{WHO}: write() wrote no bytes: expected a file of bad. {DO}"),
    "raise SystemExit": (SystemExit, ""),
    "raise KeyboardInterrupt": (KeyboardInterrupt, ""),
}


@pytest.mark.parametrize("line", WRITING)
def test_writing_that_fails_leaves_the_old_file(line: str, site: Path, tmp_path: Path) -> None:
    kind, expected = WRITING[line]
    half = "" if line == "pass" else "file.write(b'half')\n    file.close()\n    "
    install(site, format_class(methods=f"def write(self, frame, file, options):\n    {half}{line}"))
    folder = tmp_path / "folder"
    folder.mkdir()
    target = folder / "x.bad"
    target.write_bytes(b"old")
    sink = cn.BufferSink()
    for where in (target, sink):
        with pytest.raises(kind) as raised:
            cn.write(DATA, where, format="bad")
        assert str(raised.value) == expected
    assert target.read_bytes() == b"old"
    assert os.listdir(folder) == ["x.bad"]
    assert len(sink) == 0


def test_what_only_reads_or_only_writes(site: Path, tmp_path: Path) -> None:
    install(site, format_class('capabilities = ("read",)'))
    with pytest.raises(cn.UnsupportedError) as raised:
        cn.write(DATA, tmp_path / "x.bad")
    assert str(raised.value) == f"{WHO}: the plug-in does not write files: expected the capability 'write'."
    assert not (tmp_path / "x.bad").exists()
    with pytest.raises(cn.UnsupportedError, match="bad: expected a format that is written chunk by chunk"):
        cn.open_writer(tmp_path / "x.bad")
    with pytest.raises(cn.UnsupportedError, match="bad: expected a format that goes over a connection"):
        cn.connect((None, cn.BufferSink())).send(DATA, format="bad")


def test_columns_that_were_not_asked_for(site: Path) -> None:
    body = format_class(
        'capabilities = ("read", "columns")',
        "def read(self, source, options, columns):\n    return {'a': [1], 'b': [2]} if columns is None else {'b': [2]}",
    )
    install(site, body)
    assert list(cn.decode(b"bad", "bad")) == ["a", "b"]
    assert list(cn.decode(b"bad", "bad", columns=["b"])) == ["b"]
    with pytest.raises(cn.PluginError) as raised:
        cn.decode(b"bad", "bad", columns=["a"])
    assert str(raised.value) == (
        f"{WHO}: read() was asked for the columns ['a'], and returned ['b']: expected those columns. {DO}"
    )
    with pytest.raises(cn.ColumnNotFound, match="column 'c' is not there"):
        cn.decode(b"bad", "bad", columns=["c"])


CHUNKS = {
    "return 7": f"read_chunks() returned int: expected an iterable of frames. {DO}",
    "return []": f"read_chunks() yielded no frame: expected at least one, without rows if need be. {DO}",
    "return [7]": f"read_chunks() returned int: {FRAME}. {DO}",
    "return [{'a': [1]}, {'b': [1]}]": (
        f"read_chunks() yielded the columns [('b', 'int64')]: expected those of the first chunk, [('a', 'int64')]. {DO}"
    ),
}


@pytest.mark.parametrize("line", CHUNKS)
def test_chunks_that_are_none(line: str, site: Path) -> None:
    methods = f"def read_chunks(self, source, options):\n    {line}"
    install(site, format_class('capabilities = ("read", "read_chunks")', methods))
    with pytest.raises(cn.PluginError) as raised, cn.open_reader(b"bad", format="bad") as reader:
        list(reader)
    assert str(raised.value) == f"{WHO}: {CHUNKS[line]}"


def test_a_writer_of_chunks_that_is_none(site: Path, tmp_path: Path) -> None:
    methods = "def open_writer(self, file, options):\n    return 7"
    install(site, format_class('capabilities = ("read", "open_writer")', methods))
    with pytest.raises(cn.PluginError) as raised, cn.open_writer(tmp_path / "x.bad") as writer:
        writer.write(DATA)
    assert str(raised.value) == f"{WHO}: open_writer() returned int: expected an object with write(). {DO}"
    with pytest.raises(cn.EncodeError, match="expected at least one chunk"), cn.open_writer(tmp_path / "x.bad"):
        pass
    assert not (tmp_path / "x.bad").exists()
