"""Each pair of a column's type and a tag over it: the values are those of the type, or the tag is refused."""

import json
import warnings
from collections.abc import Callable
from typing import Any

import msgpack
import numpy as np
import pandas as pd
import pyarrow as pa

import colonnade as cn
from colonnade import _core
from tests.helpers.claims import COLUMNS, TAGS, cells
from tests.helpers.each import each
from tests.helpers.ways import exactly

FORMATS = ("npz", "arrow", "parquet", "msgpack", "json", "csv", "yaml")

WAYS: dict[str, Callable[[Any, str], Any]] = {
    "pandas": lambda frame, label: frame[[label]].to_pandas()[label],
    "numpy": lambda frame, label: frame[label].to_numpy(),
    "static_frame": lambda frame, label: frame[[label]].to_static_frame()[label].values,
}


def _frame(array: pa.Array, tags: dict[str, Any]) -> Any:
    """One column of the same values for each tag."""
    builder = _core.FrameBuilder(len(array), len(tags))
    for position, tag in enumerate(tags.values()):
        builder.add_arrow(position, _core.ArrowColumn.from_arrow(array, json.dumps(tag)))
    labels = _core.Axis.levels([np.array(list(tags))], ["Index"], "Index")
    core = builder.finish(_core.Axis.auto(0, len(array), 1), labels, origin='{"library":"pandas"}')
    return cn.Frame._make(core)


def _meanings(array: pa.Array, tag: Any) -> list[list[Any]]:
    """The cells of the array, and those that the tag says they spell where it stands on what it is for."""
    found = [cells(array.to_pylist())]
    if not isinstance(tag, dict) or (array.null_count and tag.get("kind") == "numpy"):
        return found
    if tag.get("kind") == "labels" and pa.types.is_large_string(array.type):
        found.append([json.loads(text) for text in array.to_pylist()])
    if tag.get("cells") == "msgpack" and pa.types.is_binary(array.type):
        found.append([None if cell is None else msgpack.unpackb(cell) for cell in array.to_pylist()])
    if tag.get("kind") == "numpy" and pa.types.is_fixed_size_binary(array.type):
        dtype = np.dtype(tag["descr"])
        if dtype.itemsize == array.type.byte_width and dtype.kind not in "OU":
            values = np.frombuffer(b"".join(array.to_pylist()), dtype)
            found.append(values.tolist())
            if dtype.kind not in "mM" or np.datetime_data(dtype) == ("ns", 1):
                found.append(cells(values))
    return found


@each("format", list(FORMATS))
@each("name", list(COLUMNS), per=20)
def test_a_tag_never_changes_values(name: str, format: str) -> None:
    array = COLUMNS[name]
    # Text formats write cells that are MessagePack as what they are: bytes of a fixed width are refused when read.
    tags = {told: tag for told, tag in TAGS.items() if told != "cells" or not pa.types.is_fixed_size_binary(array.type)}
    ways = WAYS if format == "npz" else {"pandas": WAYS["pandas"]}
    try:
        found = cn.decode(cn.encode(_frame(array, tags), format, **exactly(format)), format)
    except cn.EncodeError:
        return  # a type that this format does not write
    for told, tag in tags.items():
        meanings = _meanings(array, tag)
        for way, look in ways.items():
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    values = look(found, told)
            except cn.ColonnadeError:
                continue
            got = values.tolist() if isinstance(values, np.ndarray) and values.dtype.kind in "mM" else None
            if got is not None and got in meanings:
                continue
            assert cells(values) in meanings, f"{told} over {name} to {way}: {getattr(values, 'dtype', '')}"


def _labelled(labels: Any, meta: Any, cls: str = "Index") -> Any:
    builder = _core.FrameBuilder(len(labels), 1)
    builder.add_arrays([np.arange(len(labels))], 0)
    told = None if meta is None else json.dumps(meta)
    axis = _core.Axis.levels([labels], [cls], cls, "null", told)
    columns = _core.Axis.levels([np.array(["x"])], ["Index"], "Index")
    return cn.Frame._make(builder.finish(axis, columns, origin='{"library":"pandas"}'))


DAYS = np.array(["2020-01-31", "2020-02-29", "2020-03-31"], "M8[D]")
LABELS = {
    "int64": np.array([10, 20, 30]),
    "uint64": np.array([10, 20, 2**63], np.uint64),
    "float64": np.array([1.5, 2.5, 3.5]),
    "text": np.array(["a", "b", "c"]),
    "bytes": np.array([b"a", b"b", b"c"]),
    "complex": np.array([1j, 2j, 3j]),
    "big endian": np.array([1, 2, 3], ">i8"),
    **{f"times {unit}": DAYS.astype(f"M8[{unit}]") for unit in ("D", "s", "ns")},
    "months": DAYS.astype("M8[M]"),
    "big endian times": DAYS.astype(">M8[ns]"),
    "durations": np.array([1, 2, 4], "m8[ns]"),
    "arrow utc": _core.ArrowColumn.from_arrow(pa.array(DAYS.astype("M8[us]")).cast(pa.timestamp("us", "UTC"))),
    "arrow numbers": _core.ArrowColumn.from_arrow(pa.array([1, None, 3])),
}
METAS: dict[str, Any] = {
    **{f"period {freq}": {"kind": "period", "freq": freq} for freq in ("M", "D", "ns", "W-SUN", "?")},
    **{f"zone {zone}": {"kind": "time", "tz": zone} for zone in ("UTC", "Asia/Tokyo", "No/Where")},
    "string": {"kind": "string", "storage": "python", "na": "nan"},
    "object": {"kind": "object"},
    "time": {"kind": "time"},
    "freq D": {"kind": "time", "freq": "D"},
    "freq ME": {"kind": "time", "freq": "ME"},
    "freq MS": {"kind": "time", "freq": "MS"},
    "freq ?": {"kind": "time", "freq": "?"},
    "subtype": {"kind": "time", "subtype": "int64"},
    "unknown": {"kind": "?"},
    "no object": 7,
}


def _label_cells(labels: Any) -> list[Any]:
    if isinstance(labels, _core.ArrowColumn):
        return cells(pa.Array._import_from_c_capsule(*labels.__arrow_c_array__()).to_pylist())
    return cells(labels)


@each("format", ["npz", "arrow", "msgpack", "json", "csv", "yaml"])
@each("name", list(LABELS))
def test_the_meta_data_of_labels_never_changes_them(name: str, format: str) -> None:
    labels = LABELS[name]
    wanted = _label_cells(labels)
    for told, meta in METAS.items():
        try:
            frame = cn.decode(cn.encode(_labelled(labels, {"pandas": [meta]}), format, **exactly(format)), format)
            index = frame.to_pandas().index
        except cn.ColonnadeError:
            continue
        if told.startswith("period"):
            unit = {"M": "M", "D": "D", "ns": "ns"}.get(meta["freq"])
            assert labels.dtype == (np.int64 if unit is None else f"M8[{unit}]")
            assert [period.ordinal for period in index] == labels.astype(np.int64).tolist()
            continue
        if told.startswith("zone"):  # NumPy's times have no zone: the claim adds it
            assert index.tz is not None and labels.dtype.kind == "M" if isinstance(labels, np.ndarray) else True
            index = index.tz_convert("UTC").tz_localize(None)
            found = [(kind, value) for kind, value in cells(index)]
            assert found == [("time", value) for _, value in wanted]
            continue
        assert cells(index) == wanted, f"{told} over {name}: {index!r}"
        if isinstance(index, pd.DatetimeIndex) and index.freq is not None:
            assert pd.DatetimeIndex(list(index), freq=index.freq).equals(index)


@each("name", list(LABELS))
@each("cls", ["Index", "IndexGO", "IndexDate", "IndexYearMonth", "IndexNanosecondGO", "IndexYear"])
def test_a_class_of_labels_never_changes_them(name: str, cls: str) -> None:
    labels = LABELS[name]
    frame = cn.decode(cn.encode(_labelled(labels, None, cls), "npz"), "npz")
    try:
        found = frame.to_static_frame().index.values
    except cn.ColonnadeError:
        return
    assert cells(found) == _label_cells(labels)
    assert not isinstance(labels, np.ndarray) or found.dtype.newbyteorder("=") == labels.dtype.newbyteorder("=")


@each(
    ("ticks", "freq"),
    [
        (["2020-01-01", "2020-01-03", "2020-01-03"], "D"),
        (["2020-01-01", "2020-01-01", "2020-01-03"], "D"),
        (["2020-01-31", "2020-02-28", "2020-03-31"], "ME"),
        (["2020-01-31", "2020-01-31", "2020-03-31"], "ME"),
        (["2020-01-06", "2020-01-09", "2020-01-08"], "B"),
        (["2020-01-05", "2020-01-13", "2020-01-19"], "W-SUN"),
        (["2020-01-01T00", "2020-01-01T02", "2020-01-01T02"], "h"),
    ],
)
def test_a_frequency_with_the_right_ends_that_the_labels_do_not_follow_is_left_out(ticks: list[str], freq: str) -> None:
    labels = np.array(ticks, "M8[ns]")
    numbers = labels.astype(np.int64).tolist()
    meta = {"kind": "time", "freq": freq, "ends": [len(labels), numbers[0], numbers[-1]]}
    index = cn.decode(cn.encode(_labelled(labels, {"pandas": [meta]}), "npz"), "npz").to_pandas().index
    assert index.freq is None
    assert cells(index) == cells(labels)


@each("zone", [None, "UTC", "Europe/Berlin"])
@each("freq", ["D", "2D", "h", "B", "ME", "QS", "W-SUN", "BME", "WOM-2MON", "bh", "-1D"])
def test_a_frequency_that_the_labels_follow_stays(freq: str, zone: str | None) -> None:
    index = pd.date_range("2020-03-01", periods=20, freq=freq, tz=zone)
    frame = pd.DataFrame({"x": range(20)}, index=index)
    found = cn.decode(cn.encode(frame, "npz"), "npz").to_pandas()
    assert found.index.freq == index.freq
    pd.testing.assert_frame_equal(found, frame)
