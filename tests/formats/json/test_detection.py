"""JSON and NDJSON told by their first line, of every kind of source; and what is one frame, or several."""

import gzip
import io
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import colonnade as cn
from tests.helpers.each import each

FRAME = {"a": np.array([1, 2])}
LONG = b"x" * 300_000
TOLD: dict[str, tuple[bytes, str, tuple[int, int]]] = {
    "two records": (b'{"a":1}\n{"a":2}\n', "ndjson", (2, 1)),
    "CR LF, and blank lines": (b'\r\n{"a":1}\r\n \r\n{"a":2}', "ndjson", (2, 1)),
    "a mark": (b'\xef\xbb\xbf{"a":1}\n{"a":2}\n', "ndjson", (2, 1)),
    "a long line": (b'{"a":"' + LONG + b'"}\n{"a":"y"}', "ndjson", (2, 1)),
    "our lines": (cn.encode(FRAME, "ndjson"), "ndjson", (2, 1)),
    "our lines with a header": (cn.encode(FRAME, "ndjson", schema="header"), "ndjson", (2, 1)),
    "our lines without rows": (cn.encode({"a": np.array([], dtype="i8")}, "ndjson", schema="header"), "ndjson", (0, 1)),
    "one record alone": (b'{"a":1}\n', "json", (1, 1)),
    "an array": (b' [\n{"a":1},\n{"a":2}]', "json", (2, 1)),
    "an object over lines": (b'{\n"a": [1, 2]\n}\n', "json", (2, 1)),
    "an object on one line": (b'{"a": [1, 2]}', "json", (2, 1)),
    "a long array": (b'[{"a":"' + LONG + b'"}]', "json", (1, 1)),
    "ours": (cn.encode(FRAME, "json"), "json", (2, 1)),
    "ours with a header": (cn.encode(FRAME, "json", schema="header"), "json", (2, 1)),
    "our records": (cn.encode(FRAME, "json", orient="records"), "json", (2, 1)),
    "our records over lines": (cn.encode(FRAME, "json", orient="records", indent=1), "json", (2, 1)),
}
UNTOLD = [b"", b"  \n", b"[1, 2]", b"{a: 1}\n{b: 2}\n", b"{x},y\n1,2\n", b"a,b\n1,2\n", b'"a"', b"{"]


def piped(content: bytes) -> int:
    reader, writer = os.pipe()

    def fill() -> None:
        with open(writer, "wb", buffering=0) as file:
            for at in range(0, len(content), 4000):
                file.write(content[at : at + 4000])

    threading.Thread(target=fill, daemon=True).start()
    return reader


def filed(content: bytes, folder: Path) -> Path:
    path = folder / "told"
    path.write_bytes(content)
    return path


SOURCES: dict[str, Callable[[bytes, Path], Any]] = {
    "bytes": lambda content, _: content,
    "file": filed,
    "pipe": lambda content, _: piped(content),
    "file object": lambda content, _: io.BufferedReader(io.BytesIO(content)),
    "decompressing": lambda content, _: gzip.GzipFile(fileobj=io.BytesIO(gzip.compress(content))),
}
every_source = each("source", list(SOURCES))


@every_source
@each("name", list(TOLD), per=50)
def test_the_first_line_tells(source: str, name: str, tmp_path: Path) -> None:
    content, format, shape = TOLD[name]
    opened = SOURCES[source](content, tmp_path)
    found = cn.inspect(opened)
    assert (found.format, found.shape) == (format, shape)
    if isinstance(opened, int):
        os.close(opened)
    assert cn.read(SOURCES[source](content, tmp_path)).shape == shape


@every_source
@each("content", list(UNTOLD))
def test_what_could_be_anything_is_asked_for(source: str, content: bytes, tmp_path: Path) -> None:
    with pytest.raises(cn.DecodeError, match=r"pass format= where you know it"):
        cn.read(SOURCES[source](content, tmp_path))


def test_no_more_of_a_stream_is_taken_than_tells_it() -> None:
    reader, writer = os.pipe()
    os.write(writer, b'{"a":1}\n{"a":2}\n')
    with cn.open_reader(reader, chunk_rows=2) as chunks:
        assert next(iter(chunks)).shape == (2, 1)
        os.write(writer, b'{"a":3}\n')
        os.close(writer)
        assert [len(part) for part in chunks] == [1]
    os.close(reader)


def test_lines_in_a_file_named_json_are_said_to_be_lines(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_bytes(b'{"a":1}\n{"a":2}\n')
    with pytest.raises(cn.DecodeError, match=r'line 2, column 1.*pass format="ndjson"'):
        cn.read(path)
    assert cn.read(path, format="ndjson").shape == (2, 1)


def test_records_under_one_key_are_a_bundle_of_one() -> None:
    content = b'{"data": [{"a": 1}, {"a": 2}]}'
    with pytest.raises(cn.DecodeError, match=r'read_bundle\(source\)\["data"\], or say orient="columns"'):
        cn.decode(content, "json")
    assert cn.read_bundle(content, format="json")["data"].to_arrow().to_pydict() == {"a": [1, 2]}
    assert cn.read_bundle(content, format="json", orient="records")["data"].shape == (2, 1)
    assert cn.decode(content, "json", orient="columns").to_arrow().to_pydict() == {"data": [{"a": 1}, {"a": 2}]}
    info = str(cn.inspect(content, format="json"))
    assert "bundle" in info
    assert "1: data" in info


@pytest.mark.parametrize("format", ["json", "yaml", "msgpack"])
def test_a_bundle_is_no_frame_of_nothing(format: str, tmp_path: Path) -> None:
    path = tmp_path / f"two.{format}"
    cn.write_bundle({"p": FRAME, "q": FRAME}, path)
    with pytest.raises(cn.ColonnadeError, match=r"2 frames: p, q\..*read_bundle"):
        cn.read(path)


ORIENTS = ("columns", "index", "records", "split", "values", "table")


@each("written", list(ORIENTS))
@each("asked", list(ORIENTS))
def test_orient_holds_for_our_own_too(written: str, asked: str, tmp_path: Path) -> None:
    content = cn.encode(FRAME, "json", orient=written, schema="header")
    path = tmp_path / "b.json"
    cn.write_bundle({"p": FRAME}, path, orient=written, schema="header")
    if asked == written:
        assert cn.decode(content, "json", orient=asked).shape == (2, 1)
        assert cn.read_bundle(path, orient=asked)["p"].shape == (2, 1)
        return
    with pytest.raises(cn.DecodeError, match=f'line 1, column .*orient="{asked}".*header that says "{written}"'):
        cn.decode(content, "json", orient=asked)
    with pytest.raises(cn.DecodeError, match=f'header that says "{written}"'):
        cn.read_bundle(path, orient=asked)["p"].to_arrow()
