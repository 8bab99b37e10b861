"""Bad CSV, byte by byte: each with the error it provokes and its place."""

import logging
from pathlib import Path

import numpy as np
import pytest

import colonnade as cn
from tests.helpers.each import each

D, T, L, U = cn.DecodeError, cn.TruncatedError, cn.LimitError, cn.UnsupportedError

CASES: dict[str, tuple[bytes, type[Exception], str]] = {
    "a field too many": (b"a,b\n1,2\n3,4,5\n", D, "line 3"),
    "a field too few": (b"a,b\n1,2\n3\n4,5\n", D, "line 3"),
    "a quote that is never closed": (b'a,b\n1,"x\n2,y\n', D, "line 2, column 3"),
    "characters behind a closing quote": (b'a,b\n1,"x"y\n', D, "line 2"),
    "NUL": (b"a,b\n1,x\x00y\n", D, "line 2"),
    "no UTF-8": (b"a,b\n1,\xff\n", D, "line 2, column 3"),
    "an overlong form": (b"a\n\xc0\xaf\n", D, "line 2, column 1"),
    "a surrogate as UTF-8": (b"a\n\xed\xa0\x80\n", D, "line 2, column 1"),
    "UTF-16 of odd length": (b"\xff\xfea\x00\n\x001", D, "csv"),
    "UTF-16 with a lone surrogate": ("\ufeffa\n".encode("utf-16-le") + b"\x00\xd8\n\x00", D, "line 2"),
}


@each("name", list(CASES))
def test_it_is_refused_with_its_place(name: str) -> None:
    content, error, place = CASES[name]
    with pytest.raises(error) as raised:
        cn.decode(content, "csv").to_arrow()
    message = str(raised.value)
    assert message.startswith("csv: ")
    assert place in message
    assert "byte" in message


@each(
    ("content", "options", "place"),
    [
        (b"a,b\n1,2\nx,3\n", {"dtype": {"a": "<i8"}}, "line 3, column 1"),
        (b"a\n1\n300\n", {"dtype": {"a": "|i1"}}, "line 3"),
        (b"a\n1\n2024-13-01\n", {"parse_dates": ["a"]}, "line 2"),
        (b"a\n1\n", {"dtype": {"b": "<i8"}}, "b"),
        (b"a\n1\n", {"index_col": ["b"]}, "b"),
        (b"a\n1\n", {"index_col": 2}, "index_col"),
        (b"a\n1\n", {"schema": "header"}, "header"),
        (b"a\n1\n", {"schema": "sidecar"}, "sidecar"),
    ],
)
def test_what_the_options_say_must_fit(content: bytes, options: dict[str, object], place: str) -> None:
    with pytest.raises((cn.DecodeError, cn.OptionError, cn.ColumnNotFound)) as raised:
        cn.decode(content, "csv", **options).to_arrow()
    assert place in str(raised.value)


def test_what_does_not_fit_is_left_out_or_null_and_counted(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "ragged.csv"
    path.write_bytes(b"a,b\n1,2\n3\n4,5,6\n7,8\n")
    with caplog.at_level(logging.WARNING, logger="colonnade"):
        assert cn.read(path, on_error="skip")["a"].to_numpy().tolist() == [1, 7]
    assert "2 records do not fit" in caplog.text
    info = cn.inspect(path, on_error="skip").text
    assert info is not None
    assert (info.dropped, info.nulled) == (2, 0)
    found = cn.read(path, on_error="null").to_arrow().to_pydict()
    assert found == {"a": [1, 3, 4, 7], "b": [2, None, 5, 8]}
    info = cn.inspect(path, on_error="null").text
    assert info is not None
    assert info.dropped == 0
    assert info.nulled == 2
    path.write_bytes(b"a\n1\nx\n")
    assert cn.read(path, on_error="null", dtype={"a": "int64"}).to_arrow().to_pydict() == {"a": [1, None]}


def test_mixed_and_bare_line_ends() -> None:
    for content in (b"a,b\r1,2\r3,4\r", b"a,b\r\n1,2\n3,4\r\n", b"a,b\n1,2\r\n3,4"):
        assert cn.decode(content, "csv").to_arrow().to_pydict() == {"a": [1, 3], "b": [2, 4]}
    assert cn.decode(b'a\n"x\r\ny"\n"z\rw"\n', "csv").to_arrow().to_pydict() == {"a": ["x\r\ny", "z\rw"]}


def test_a_line_of_many_bytes_is_read() -> None:
    long = b"x" * (8 << 20)
    content = b"a,b\n1," + long + b"\n2,y\n"
    assert cn.decode(content, "csv").to_arrow().column("b")[0].as_py() == long.decode()
    with pytest.raises(cn.LimitError):
        cn.decode(content, "csv", limits=cn.Limits(max_nbytes=1 << 20))


def test_columns_are_limited() -> None:
    content = b",".join(b"c%d" % i for i in range(1000)) + b"\n"
    assert cn.decode(content, "csv").shape == (0, 1000)
    with pytest.raises(cn.LimitError, match="max_columns"):
        cn.decode(content, "csv", limits=cn.Limits(max_columns=999))


def test_a_sidecar_that_does_not_fit(tmp_path: Path) -> None:
    path, beside = tmp_path / "x.csv", tmp_path / "x.csv.schema.json"
    cn.write({"a": np.array([1, 2], dtype="i2")}, path, schema="sidecar")
    assert cn.read(path)["a"].to_numpy().dtype == np.int16
    schema = beside.read_bytes()
    for content in (b"b\n1\n2\n", b"a\n1\n", b"a\n1\n2\n3\n", b"a,b\n1,2\n3,4\n", b"a\n1\n40000\n"):
        path.write_bytes(content)
        with pytest.raises(cn.DecodeError):
            cn.read(path)
        assert cn.read(path, schema="ignore").shape[0] >= 1
    path.write_bytes(b"a\n1\n2\n")
    for end in range(0, len(schema), 7):
        beside.write_bytes(schema[:end])
        with pytest.raises(cn.ColonnadeError):
            cn.read(path)


def test_a_sidecar_of_an_earlier_file_goes(tmp_path: Path) -> None:
    path, beside = tmp_path / "x.csv", tmp_path / "x.csv.schema.json"
    cn.write({"a": np.array([1, 2], dtype="i2")}, path, schema="sidecar")
    cn.write({"b": np.array([1, 2, 3])}, path)
    assert not beside.exists()
    assert cn.read(path).shape == (3, 1)
    beside.write_bytes(b"somebody else's notes")
    cn.write({"b": np.array([1, 2, 3])}, path)
    assert beside.read_bytes() == b"somebody else's notes"


def test_a_sidecar_of_an_earlier_file_goes_when_chunks_are_written(tmp_path: Path) -> None:
    path, beside = tmp_path / "x.csv", tmp_path / "x.csv.schema.json"
    cn.write({"a": np.array(["1", "2"])}, path, schema="sidecar")
    with cn.open_writer(path) as writer:
        writer.write({"a": np.array([7, 8, 9])})
    assert not beside.exists()
    assert cn.read(path)["a"].to_numpy().tolist() == [7, 8, 9]
    with pytest.raises(RuntimeError), cn.open_writer(path) as writer:
        raise RuntimeError
    assert cn.read(path).shape == (3, 1)
