"""Small text files with every byte cut off and every byte changed: a frame or a typed error, and soon."""

from pathlib import Path
from typing import Any

import pytest

import colonnade as cn
from tests.helpers.each import each

pa = pytest.importorskip("pyarrow")

TABLE = pa.table(
    {
        "n": pa.array([1, None, 345], "int32"),
        "f": [0.5, float("inf"), -1e300],
        "t": pa.array(["x", 'é"\n,', None]),
        "c": pa.array(["u", "v", "u"]).dictionary_encode(),
        "when": pa.array([0, 1, None], pa.timestamp("us", "UTC")),
        "last": [10, 20, 3456],
    }
)
NESTED = TABLE.append_column("l", [[[1, 2], None, [345]]])
# The way it is written, and whether a header says what it is.
OWN: dict[str, tuple[str, Any, dict[str, Any]]] = {
    "csv": ("csv", TABLE, {"schema": "header"}),
    "csv, nested": ("csv", NESTED, {"schema": "header"}),
    "csv, text at the end": ("csv", TABLE.select(["n", "t", "c"]), {"schema": "header", "lineterminator": "\r\n"}),
    "json, columns": ("json", NESTED, {"schema": "header"}),
    "json, records": ("json", NESTED, {"schema": "header", "orient": "records"}),
    "json, split": ("json", NESTED, {"schema": "header", "orient": "split"}),
    "ndjson": ("ndjson", NESTED, {"schema": "header"}),
    "yaml, records": ("yaml", TABLE, {"schema": "header"}),
    "yaml, columns": ("yaml", TABLE, {"schema": "header", "orient": "columns"}),
}
PLAIN: dict[str, tuple[str, bytes]] = {
    "csv": ("csv", b'a,b,c\r\n1,"x ""y""",2.5\r\n2,\xc3\xa9,nan\r\n'),
    "json": ("json", b'[{"a": 1, "b": ["x", {"y": null}]}, {"a": -2.5e3, "b": "\\u00e9\\ud83d\\ude00"}]'),
    "ndjson": ("ndjson", b'{"a": 1, "b": [true, "\\n"]}\n{"a": 2.5, "b": {}}\n'),
    "yaml": ("yaml", b"- &x {a: 1, b: [x, !!str 2]}\n- a: .inf\n  b: |\n    two\n    lines\n- *x\n# end\n"),
    "yaml, columns": ("yaml", b"%YAML 1.2\n---\na: [1, 0x2]\n? b\n: - 'it''s'\n  - \"\\x41\"\n...\n"),
}


def read(content: bytes, format: str, **options: Any) -> Any:
    """The table, or None where it is refused by an error of ours, which names the format."""
    try:
        return cn.decode(content, format, **options).to_arrow()
    except cn.ColonnadeError as error:
        return None if str(error).startswith(f"{format}: ") else pytest.fail(str(error))
    except pa.ArrowInvalid:
        return None  # a header that was changed into types that pyarrow does not take


@each("name", list(OWN))
def test_a_cut_of_our_own_is_an_error(name: str) -> None:
    format, table, options = OWN[name]
    whole = bytes(cn.encode(table, format, **options))
    assert read(whole, format).equals(table)
    for end in range(whole.index(b"\n") + 1 if format != "json" else 20, len(whole)):
        found = read(whole[:end], format)
        assert found is None or (found.equals(table) and not whole[end:].strip()), whole[:end][-30:]


@each("name", list(OWN))
def test_every_byte_of_our_own_changed(name: str) -> None:
    format, table, options = OWN[name]
    whole = bytearray(cn.encode(table, format, **options))
    for at in range(len(whole)):
        for mask in (0x01, 0x15, 0x80):
            whole[at] ^= mask
            read(bytes(whole), format)
            whole[at] ^= mask


@each("name", list(PLAIN))
def test_every_byte_of_anybody(name: str) -> None:
    format, whole = PLAIN[name]
    assert read(whole, format).num_rows > 1
    for at in range(len(whole)):
        read(whole[:at], format)
        for byte in (0x00, 0x09, 0x0A, 0x0D, 0x22, 0x2A, 0x30, 0x3A, 0x5B, 0x7D, 0x80, 0xFF):
            read(whole[:at] + bytes([byte]) + whole[at + 1 :], format)
            read(whole[:at] + bytes([byte]) + whole[at:], format)


@each("encoding", ["utf-16", "latin-1"])
@each("name", list(PLAIN))
def test_cuts_of_other_encodings(name: str, encoding: str) -> None:
    format, whole = PLAIN[name]
    content = whole.decode().encode(encoding)
    for end in range(len(content)):
        read(content[:end], format, encoding=encoding)


def test_a_last_line_that_was_cut_is_told_from_a_whole_one(tmp_path: Path) -> None:
    """Of `345` the front `34` is a number too: the missing line end is all that tells."""
    data = pa.table({"t": ["a", "b"], "n": [1, 345]})
    whole = bytes(cn.encode(data, "csv", schema="header"))
    for cut in (1, 2, 3, 4):
        for read in (lambda path: cn.read(path).to_arrow(), lambda path: [*cn.open_reader(path)]):
            (tmp_path / "x.csv").write_bytes(whole[:-cut])
            with pytest.raises(cn.TruncatedError, match=rf"at byte {len(whole) - cut}: line 4, column {7 - cut}: "):
                read(tmp_path / "x.csv")
    cn.write(data, tmp_path / "y.csv", schema="sidecar")
    (tmp_path / "y.csv").write_bytes((tmp_path / "y.csv").read_bytes()[:-2])
    with pytest.raises(cn.TruncatedError, match="line 3, column 5: expected a line end"):
        cn.read(tmp_path / "y.csv")
    assert cn.read(tmp_path / "y.csv", schema="ignore")["n"].to_numpy().tolist() == [1, 34]
    whole = bytes(cn.encode(data, "yaml", schema="header"))
    with pytest.raises(cn.TruncatedError, match=rf"at byte {len(whole) - 2}: line 6, column 10: expected a line end"):
        cn.decode(whole[:-2], "yaml")
    # What nobody promised an end of is read as it stands.
    assert cn.decode(b"n\n34", "csv")["n"].to_numpy().tolist() == [34]
    assert cn.decode(b"- n: 34", "yaml")["n"].to_numpy().tolist() == [34]
    cn.write_bundle({"a": data, "b": data}, tmp_path / "z.yaml", schema="header")
    content = (tmp_path / "z.yaml").read_bytes()
    (tmp_path / "z.yaml").write_bytes(content[:-2])
    with pytest.raises(cn.TruncatedError, match="expected a line end"):
        cn.read_bundle(tmp_path / "z.yaml")
