"""The big list of naughty strings as cells, column names, row labels, index names and attrs, in every format."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import colonnade as cn
from tests.helpers.corpora import CORPORA, needs_corpora
from tests.helpers.each import each

pd = pytest.importorskip("pandas")
pytestmark = needs_corpora

# What hurts text formats most, beside the list's own.
MORE = [
    "NA",
    "null",
    "~",
    "yes",
    "1e5",
    ".nan",
    "- a",
    "a: b",
    "#",
    "a\rb",
    "a\r\nb",
    '"',
    "a,b;c\td|e",
    " x ",
    "\x7f",
    "\x85",
]
LIST = json.loads((CORPORA / "text-blns" / "blns.json").read_text(encoding="utf-8")) if CORPORA else []
NAUGHTY: list[str] = [*LIST, *MORE]
UNIQUE = list(dict.fromkeys(NAUGHTY))
FORMATS: dict[str, dict[str, Any]] = {
    "csv": {"schema": "header"},
    "json": {"schema": "header"},
    "ndjson": {"schema": "header"},
    "yaml": {"schema": "header"},
    "npz": {},
    "arrow": {},
    "arrows": {},
    "parquet": {},
    "msgpack": {},
}
every = each("format", list(FORMATS))


def there_and_back(frame: Any, format: str) -> Any:
    content = cn.encode(frame, format, **FORMATS[format])
    back = cn.decode(content, format)
    # What was read is written to the same bytes; as Parquet it comes in other pieces, which are encoded by their looks.
    assert format == "parquet" or bytes(cn.encode(back, format, **FORMATS[format])) == bytes(content)
    return back.to_pandas()


def cells() -> Any:
    return pd.DataFrame({"cell": NAUGHTY, "row": range(len(NAUGHTY))})


def names() -> Any:
    return pd.DataFrame(np.arange(2 * len(UNIQUE)).reshape(2, -1), columns=UNIQUE)


def test_the_list_is_there() -> None:
    assert len(LIST) > 500


@every
def test_cells(format: str) -> None:
    frame = cells()
    frame["object"] = frame["cell"].astype(object)
    frame["category"] = frame["cell"].astype("category")
    frame["null"] = frame["cell"].where(frame["row"] % 3 > 0, None)
    pd.testing.assert_frame_equal(there_and_back(frame, format), frame)


@every
def test_column_names(format: str) -> None:
    pd.testing.assert_frame_equal(there_and_back(names(), format), names())


@every
def test_column_names_in_levels(format: str) -> None:
    frame = names()
    frame.columns = pd.MultiIndex.from_arrays([UNIQUE, UNIQUE[::-1]], names=[UNIQUE[1], UNIQUE[2]])
    pd.testing.assert_frame_equal(there_and_back(frame, format), frame)


@every
def test_row_labels(format: str) -> None:
    frame = cells().set_index("cell")
    pd.testing.assert_frame_equal(there_and_back(frame, format), frame)
    frame = cells().set_index([pd.Index(NAUGHTY, name=NAUGHTY[3]), pd.Index(NAUGHTY[::-1], name=NAUGHTY[4])])
    pd.testing.assert_frame_equal(there_and_back(frame, format), frame)


@every
def test_names_of_axes(format: str) -> None:
    for start in range(0, len(UNIQUE), 20):
        part = UNIQUE[start : start + 20]
        rows = pd.MultiIndex.from_arrays([["a", "b"]] * len(part), names=part)
        columns = pd.MultiIndex.from_arrays([["x"]] * len(part), names=part[::-1])
        frame = pd.DataFrame([[1], [2]], index=rows, columns=columns)
        pd.testing.assert_frame_equal(there_and_back(frame, format), frame)
    for name in MORE:
        frame = pd.DataFrame({"x": [1]}, index=pd.Index(["a"], name=name)).rename_axis(columns=name)
        pd.testing.assert_frame_equal(there_and_back(frame, format), frame)


@every
def test_attrs(format: str) -> None:
    frame = pd.DataFrame({"x": [1]})
    frame.attrs = {key: {"nested": [value], value: key} for key, value in zip(UNIQUE, UNIQUE[::-1], strict=True)}
    back = there_and_back(frame, format)
    assert back.attrs == frame.attrs
    assert list(back.attrs) == list(frame.attrs)


@pytest.mark.parametrize("format", ["json", "yaml", "msgpack"])
def test_labels_of_bundles(format: str, tmp_path: Path) -> None:
    frames = {label: pd.DataFrame({label: [label]}) for label in UNIQUE}
    path = tmp_path / f"x.{format}"
    cn.write_bundle(frames, path)
    found = cn.read_bundle(path)
    assert list(found) == UNIQUE
    for label in UNIQUE:
        pd.testing.assert_frame_equal(found[label].to_pandas(), frames[label])


def test_labels_of_archives_are_held_or_refused(tmp_path: Path) -> None:
    """A label is a folder's name there: what leads out of it, or is none, is refused by name."""
    held, refused = 0, []
    for i, label in enumerate(UNIQUE):
        path = tmp_path / f"{i}.zip"
        frame = pd.DataFrame({label: [label]})
        try:
            cn.write_bundle({label: frame}, path)
        except cn.ColonnadeError as error:
            refused.append(str(error))
            assert not path.exists()
            continue
        held += 1
        found = cn.read_bundle(path)
        assert list(found) == [label]
        pd.testing.assert_frame_equal(found[label].to_pandas(), frame)
    assert held > 300
    assert all("expected a label that stays inside" in message for message in refused)


# ------------------------------------------------------------------------ what others read of what we wrote


def test_csv_as_the_standard_library_reads_it() -> None:
    told = cn.encode(cells(), "csv", schema="header").decode()
    assert told.startswith("# colonnade: ")
    _, rest = told.split("\n", 1)
    rows = list(csv.reader(io.StringIO(rest, newline="")))
    assert rows == [["cell", "row"], *([text, str(i)] for i, text in enumerate(NAUGHTY))]
    told = cn.encode(names(), "csv", on_loss="ignore").decode()
    assert next(csv.reader(io.StringIO(told, newline=""))) == UNIQUE


def test_csv_as_pandas_reads_it() -> None:
    content = cn.encode(cells(), "csv", schema="header")
    found = pd.read_csv(io.BytesIO(content), skiprows=1, keep_default_na=False, na_filter=False, lineterminator="\n")
    pd.testing.assert_frame_equal(found, cells())


def test_json_as_others_read_it() -> None:
    orjson = pytest.importorskip("orjson")
    for load in (json.loads, orjson.loads):
        for orient in ("columns", "records"):
            content = cn.encode(cells(), "json", orient=orient)
            found = load(content)
            wanted = cells().rename(index=str).to_dict("dict" if orient == "columns" else orient)
            assert found == wanted
        assert load(cn.encode(names(), "json", orient="records")) == names().to_dict("records")
        lines = cn.encode(cells(), "ndjson").split(b"\n")
        assert [load(line)["cell"] for line in lines if line] == NAUGHTY


def test_yaml_as_pyyaml_reads_it() -> None:
    yaml = pytest.importorskip("yaml")
    for orient in ("columns", "records"):
        content = cn.encode(cells(), "yaml", orient=orient)
        wanted = cells().to_dict("list" if orient == "columns" else orient)
        assert yaml.safe_load(content) == wanted
        own = yaml.safe_load(cn.encode(cells(), "yaml", orient=orient, schema="header"))
        del own["__colonnade__"]
        assert (own if orient == "columns" else own["records"]) == wanted
    assert yaml.safe_load(cn.encode(names(), "yaml")) == names().to_dict("records")


def test_arrow_as_pyarrow_reads_it() -> None:
    pa = pytest.importorskip("pyarrow")
    for format, open in (("arrow", pa.ipc.open_file), ("arrows", pa.ipc.open_stream)):
        table = open(cn.encode(cells(), format)).read_all()
        assert table.column("cell").to_pylist() == NAUGHTY
        table = open(cn.encode(names(), format)).read_all()
        assert table.column_names == UNIQUE


def test_msgpack_as_msgpack_reads_it() -> None:
    msgpack = pytest.importorskip("msgpack")
    found = msgpack.unpackb(cn.encode(cells(), "msgpack", header=False))
    assert found["cell"] == NAUGHTY
    found = msgpack.unpackb(cn.encode(names(), "msgpack", header=False))
    assert list(found) == UNIQUE


def test_npz_as_numpy_reads_it() -> None:
    frame = {"cell": np.array(NAUGHTY, dtype=object).astype(str)}
    with np.load(io.BytesIO(cn.encode(frame, "npz")), allow_pickle=False) as members:
        found = [members[name] for name in members.files if "block" in name]
    assert found[0].ravel().tolist() == frame["cell"].tolist()
