"""Each pair of a column's members in an NPZ and a type that `__meta__.json` claims for them.

`numpy.load` reads the members: what is read as the claimed type has their values, or a typed error says why not.
"""

import io
import json
import zipfile
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import colonnade as cn
from tests.formats.every.test_header_claims import TYPES
from tests.helpers.each import each

META = "__meta__.json"


def _parts(array: pa.Array) -> tuple[Any, dict[str, bytes]]:
    """The meta data, and the members."""
    with zipfile.ZipFile(io.BytesIO(cn.encode(pa.table({"x": array}), "npz"))) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    return json.loads(members.pop(META)), members


def _zip(meta: Any, members: dict[str, bytes]) -> bytes:
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w") as archive:
        archive.writestr(META, json.dumps(meta))
        for name, content in members.items():
            archive.writestr(name, content)
    return sink.getvalue()


def _member(members: dict[str, bytes], name: str) -> np.ndarray:
    return np.load(io.BytesIO(members[name]))


NULLS = {name: array for name, array in TYPES.items() if array.null_count and name != "null"}


@each("held", list(NULLS))
def test_a_claimed_type_never_changes_the_numbers_of_members(held: str) -> None:
    meta, members = _parts(NULLS[held])
    entry = meta["__colonnade__"]["arrow"][0]
    for claimed, array in NULLS.items():
        told = _parts(array)[0]["__colonnade__"]["arrow"][0]
        changed = {**meta, "__colonnade__": {**meta["__colonnade__"], "arrow": [{**entry, **told}]}}
        content = _zip(changed, members)
        try:
            found = cn.decode(content, "npz").to_arrow()["x"].combine_chunks()
        except cn.ColonnadeError:
            continue
        try:
            found.validate(full=True)
        except pa.ArrowInvalid:
            with pytest.raises(cn.DecodeError, match="row"):
                cn.verify(content)
            continue
        where = f"the members of {held} as {claimed}"
        assert found.null_count == NULLS[held].null_count, where
        if "__column_0_values__.npy" not in members or pa.types.is_dictionary(found.type):
            continue
        values = _member(members, "__column_0_values__.npy")
        if values.dtype.kind in "mM":
            assert pa.types.is_temporal(found.type) or pa.types.is_duration(found.type), where
            unit = np.datetime_data(values.dtype)[0]
            assert {"D": "date32[day]"}.get(unit, f"[{unit}") in str(found.type), where
        if not (pa.types.is_temporal(found.type) or pa.types.is_primitive(found.type)):
            continue
        width = found.type.bit_width // 8
        if width and values.dtype.itemsize == width:
            raw = np.frombuffer(found.buffers()[1], np.uint8, len(found) * width)
            there = np.repeat(found.is_valid().to_numpy(zero_copy_only=False), width)
            assert (raw == values.view(np.uint8))[there].all(), where


def _changed(content: bytes, meta: dict[str, Any], ours: dict[str, Any], drop: str = " ") -> bytes:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        members = {name: archive.read(name) for name in archive.namelist() if drop not in name}
    told = json.loads(members.pop(META))
    told = {**told, **meta, "__colonnade__": {**told["__colonnade__"], **ours}}
    return _zip(told, members)


LABELLED = pd.DataFrame({"a": [1, 2, 3], "b": [1.5, 2.0, 3.0]}, index=[7, 8, 10])


@each("auto", [[0, 3, 1, 3], [7, 10, 1, 3], [7, 13, 2, 3], [0, 4, 1, 4], [0, 0, 0, 3], [10, 7, -1, 3]])
def test_a_range_never_overrules_stored_labels(auto: list[int]) -> None:
    content = _changed(cn.encode(LABELLED, "npz"), {}, {"index": {"auto": auto}})
    with pytest.raises(cn.DecodeError):
        cn.read(content).to_pandas()


@pytest.mark.parametrize(
    "labels", [pd.RangeIndex(5, 11, 2), pd.RangeIndex(2, -1, -1), pd.RangeIndex(3), pd.RangeIndex(0)]
)
def test_a_range_that_the_stored_labels_are_is_a_range(labels: pd.RangeIndex) -> None:
    frame = pd.DataFrame({"a": np.arange(len(labels))}, index=labels)
    found = cn.decode(cn.encode(frame, "npz"), "npz").to_pandas()
    pd.testing.assert_frame_equal(found, frame, check_index_type="exact")


@each("depths", [[3, 1, 1], [1, 1, 1], [2, 0, 1], [2, 2, 1], [2, 1, 2], [2, 1, 0]])
def test_counts_that_the_members_do_not_have_are_refused(depths: list[int]) -> None:
    with pytest.raises(cn.ColonnadeError):
        cn.read(_changed(cn.encode(LABELLED, "npz"), {"__depths__": depths}, {})).to_pandas()


@each("length", [0, 1, 2, 4, 2**40])
def test_a_length_that_members_do_not_have_is_refused(length: int) -> None:
    content = cn.encode(pa.table({"x": pa.array([1, None, 3])}), "npz")
    entry = {"position": 0, "type": "int64", "length": length}
    ours = {"arrow": [entry], "index": {"auto": [0, length, 1, length]}}
    with pytest.raises(cn.ColonnadeError):
        cn.read(_changed(content, {}, ours)).to_arrow()
