"""JSONTestSuite: every file, as a whole value and as a cell, against the standard library and the suite's verdicts."""

import json
from pathlib import Path
from typing import Any

import pytest

import colonnade as cn
from tests.helpers.corpora import CORPORA, needs_corpora
from tests.helpers.each import each

pytestmark = needs_corpora
SUITE = sorted((CORPORA / "json-nst").glob("test_*/*.json")) if CORPORA else []
ACCEPTED = [path for path in SUITE if path.name.startswith("y_")]
REFUSED = [path for path in SUITE if path.name.startswith("n_")]
OTHERS = [path for path in SUITE if path.name[:2] not in ("y_", "n_")]
# RFC 8259 leaves open what a key that stands twice means: a table has one cell there, so it is refused by name.
TWICE = ("y_object_duplicated_key.json", "y_object_duplicated_key_and_value.json")


def by_name(paths: list[Path]) -> Any:
    return each("path", {path.stem: path for path in paths}, per=50)


def as_cell(content: bytes) -> bytes:
    """The value as the one cell of a column, beside another: an object of objects alone would be a bundle."""
    return b'{"row": [0], "cell": [' + content + b"]}"


def as_python(cell: Any) -> Any:
    """Cells of arrays and structs as lists and dicts."""
    if hasattr(cell, "tolist"):
        return as_python(cell.tolist())
    if isinstance(cell, list):
        return [as_python(part) for part in cell]
    if isinstance(cell, dict):
        return {key: as_python(part) for key, part in cell.items()}
    return cell


def told(content: bytes, format: str) -> str:
    """What comes of it: a frame's rows, or the words of a typed error."""
    try:
        return f"frame {cn.decode(content, format).to_pandas().to_dict('list')!r}"
    except cn.ColonnadeError as error:
        return str(error)


def test_the_suite_is_there() -> None:
    assert (len(ACCEPTED), len(REFUSED)) == (95, 188)


@by_name([path for path in ACCEPTED if path.name not in TWICE])
def test_what_must_be_accepted_is(path: Path) -> None:
    content = path.read_bytes()
    frame = cn.decode(as_cell(content), "json")
    assert frame.shape == (1, 2)
    if path.stem == "y_object_escaped_null_in_key":
        return  # Arrow's C interface has no names with NUL
    (found,) = frame.to_arrow().column("cell").to_pylist()
    wanted = json.loads(content)
    if isinstance(found, bytes):  # cells of several types, each as MessagePack
        (found,) = frame.to_pandas()["cell"]
    assert as_python(found) == wanted or (wanted in ([], {}) and not found)


@by_name([path for path in ACCEPTED if path.name in TWICE])
def test_a_key_that_stands_twice_is_refused_by_name(path: Path) -> None:
    with pytest.raises(cn.DecodeError, match=r'"a".*twice'):
        cn.decode(as_cell(path.read_bytes()), "json")


@by_name(REFUSED)
def test_what_must_be_refused_is(path: Path) -> None:
    content = path.read_bytes()
    with pytest.raises((cn.DecodeError, cn.LimitError, cn.UnsupportedError)):
        cn.decode(content, "json")
    wrapped = as_cell(content)
    try:
        json.loads(wrapped)
    except (ValueError, RecursionError):
        with pytest.raises((cn.DecodeError, cn.LimitError), match="byte"):
            cn.decode(wrapped, "json")


@by_name(OTHERS)
def test_what_is_left_open_is_a_frame_or_a_typed_error(path: Path) -> None:
    for content in (path.read_bytes(), as_cell(path.read_bytes())):
        assert told(content, "json").startswith(("frame", "json: "))


@by_name([path for path in SUITE if b"\n" not in path.read_bytes() and path.stat().st_size < 1000])
def test_as_a_line_it_is_judged_the_same(path: Path) -> None:
    line = b'{"cell": ' + path.read_bytes() + b"}"
    whole, alone = told(b"[" + line + b"]", "json"), told(line + b"\n", "ndjson")
    assert whole == alone or (whole.startswith("json: ") and alone.startswith("ndjson: "))
