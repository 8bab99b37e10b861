"""`ParquetOptions` says what is wrong with a value before a file is touched."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

import colonnade as cn
from colonnade._formats.parquet import ParquetOptions
from colonnade._values.conditions import conjunctions
from tests.helpers.each import each

PAIR = [("x", "==", 1)]


@each(
    ("options", "message"),
    [
        (
            {"compression": "lzo"},
            "compression: expected None, 'auto', 'snappy', 'gzip', 'brotli', 'lz4', 'zstd', found 'lzo'",
        ),
        ({"compression": "zstdd"}, "found 'zstdd'; nearest: 'zstd'"),
        ({"compression_level": 3}, "compression_level: expected None with compression='auto', found 3"),
        (
            {"compression_level": 3, "compression": "snappy"},
            "compression_level: expected None with compression='snappy'",
        ),
        ({"compression_level": 3, "compression": "lz4"}, "compression_level: expected None with compression='lz4'"),
        ({"compression_level": 3, "compression": None}, "compression_level: expected None where nothing is compressed"),
        (
            {"compression_level": 12, "compression": "brotli"},
            "compression_level: expected 0 to 11 for brotli, found 12",
        ),
        ({"compression_level": 23, "compression": "zstd"}, "compression_level: expected 1 to 22 for zstd, found 23"),
        ({"compression_level": 10, "compression": "gzip"}, "compression_level: expected 1 to 9 for gzip, found 10"),
        ({"encoding": "rle"}, "encoding: expected 'auto' or 'plain'"),
        ({"encoding": {"x": "delta"}}, "encoding of 'x': expected 'auto' or 'plain'"),
        ({"encoding": {1: "plain"}}, "encoding: expected names of columns, found 1"),
        ({"encoding": {"x": "dictionary"}, "use_dictionary": False}, "use_dictionary: expected True with encoding"),
        ({"encoding": "dictionary", "use_dictionary": False}, "use_dictionary: expected True with encoding"),
        (
            {"encoding": "dictionary", "use_dictionary": ["x"]},
            "use_dictionary: expected True with encoding 'dictionary', found ['x']",
        ),
        (
            {"encoding": {"y": "dictionary"}, "use_dictionary": ["x"]},
            "use_dictionary: expected True with encoding of 'y' 'dictionary', found ['x']",
        ),
        ({"use_dictionary": "x"}, "use_dictionary: expected a sequence of text, found 'x'"),
        ({"profile": "tiny"}, "profile: expected 'fast' or 'balanced' or 'small', found 'tiny'"),
        ({"profile": None}, "profile: expected"),
        ({"row_group_size": 0}, "row_group_size: expected a whole number of at least 1 or None, found 0"),
        ({"data_page_size": 1.5}, "data_page_size: expected a whole number"),
        ({"data_page_version": 3}, "data_page_version: expected 1 or 2, found 3"),
        ({"data_page_version": True}, "data_page_version: expected 1 or 2, found True"),
        ({"data_page_version": "2.0"}, "data_page_version: expected 1 or 2, found '2.0'"),
        ({"statistics": 1}, "statistics: expected True or False, found 1"),
        ({"page_index": None}, "page_index: expected True or False"),
        ({"crc": "yes"}, "crc: expected True or False"),
        ({"categories": "x"}, "categories: expected a sequence of text, found 'x'"),
        ({"categories": [1]}, "categories: expected a sequence of text"),
        ({"int96_unit": "s"}, "int96_unit: expected 'ns' or 'us' or 'ms', found 's'"),
        ({"int96_unit": None}, "int96_unit: expected"),
        ({"footer_key": b"short"}, "footer_key: expected 16, 24, 32 bytes, found 5"),
        ({"footer_key": "0123456789abcdef"}, "footer_key: expected 16, 24, 32 bytes, found str"),
        ({"footer_key": bytes(16), "column_keys": {"x": bytes(7)}}, "column_keys of 'x': expected 16, 24, 32 bytes"),
        ({"footer_key": bytes(16), "column_keys": {"x": None}}, "column_keys of 'x': expected"),
        ({"footer_key": bytes(16), "column_keys": {1: bytes(16)}}, "column_keys: expected names of columns, found 1"),
        (
            {"footer_key": bytes(16), "column_keys": [b"x"]},
            "column_keys: expected a mapping of names to keys, found list",
        ),
        ({"column_keys": {"x": bytes(16)}}, "column_keys: expected footer_key too"),
        ({"aad_prefix": b"x"}, "aad_prefix: expected footer_key too"),
        ({"aad_prefix": "x"}, "aad_prefix: expected bytes or None, found str"),
        ({"filters": "x >"}, "filters: expected a value"),
        ({"filters": []}, "filters: expected conditions"),
        ({"filters": ("x", "==", 1)}, "filters: expected a list of conditions"),
        ({"filters": [("x", "~", 1)]}, "filters of 'x': expected '==' or '='"),
        ({"filters": [("x", "in", 1)]}, "filters of 'x': expected a list of values with 'in', found 1"),
        ({"filters": [("x", "in", "abc")]}, "filters of 'x': expected a list of values"),
        ({"filters": [("x", "<", [1])]}, "filters of 'x': expected one value with '<', found [1]"),
        ({"filters": [("x", "==", None)]}, "filters of 'x': expected one value"),
        ({"filters": [("x", "==")]}, "filters: expected a condition"),
        ({"filters": [[("x", "==", 1)], []]}, "filters: expected a list of conditions"),
        ({"filters": [[("x", "==", 1)], ("y", "==", 1)]}, "filters: expected a list of conditions"),
        ({"filters": [[(1, 2, 3)]]}, "filters: expected a condition"),
    ],
)
def test_a_wrong_value_is_named(options: dict[str, Any], message: str) -> None:
    with pytest.raises(cn.OptionError) as raised:
        ParquetOptions(**options)
    assert message in str(raised.value)


@each(
    "options",
    [
        {},
        {"compression": None},
        {"compression": "lz4"},
        {"compression": "brotli", "compression_level": 0},
        {"encoding": "plain", "use_dictionary": False},
        {"encoding": {"x": "byte_stream_split", "y": "auto"}},
        {"use_dictionary": ["x"]},
        {"data_page_version": 2, "page_index": False, "crc": False, "statistics": False},
        {"filters": [("x", "in", {1, 2})], "categories": ("x",)},
        {"footer_key": bytes(32), "column_keys": {"a.b": bytes(24)}, "aad_prefix": b"name"},
    ],
)
def test_a_right_value_is_kept(options: dict[str, Any]) -> None:
    made = ParquetOptions(**options)
    assert {name: getattr(made, name) for name in options} == options


def test_keys_stay_out_of_the_repr() -> None:
    text = repr(ParquetOptions(footer_key=b"0123456789abcdef", column_keys={"x": b"fedcba9876543210"}))
    assert "0123" not in text
    assert "fedc" not in text


def test_a_key_of_the_wrong_length_is_not_shown() -> None:
    with pytest.raises(cn.OptionError) as raised:
        ParquetOptions(footer_key=b"secret")
    assert "secret" not in str(raised.value)


@each(
    ("given", "expected"),
    [
        (PAIR, [PAIR]),
        ([PAIR], [PAIR]),
        ([["x", "=", 1]], [PAIR]),
        ([PAIR, [("y", ">", 2), ("z", "!=", "a")]], [PAIR, [("y", ">", 2), ("z", "!=", "a")]]),
        ([("x", "in", np.array([1, 2]))], [[("x", "in", [1, 2])]]),
        ([("x", "not in", frozenset({3}))], [[("x", "not in", [3])]]),
    ],
)
def test_conditions_are_lists_of_lists(given: Any, expected: Any) -> None:
    assert conjunctions(given) == expected


def test_an_encoding_that_a_column_cannot_have_is_refused_in_the_callers_words() -> None:
    frame = pd.DataFrame({"kind": pd.Categorical(["a", "b"]), "x": [1.5, 2.5]})
    with pytest.raises(cn.OptionError, match='"plain" is not for a column with categories'):
        cn.encode(frame, "parquet", encoding={"kind": "plain"})
    with pytest.raises(cn.OptionError, match='"delta_binary_packed" is not for values stored as DOUBLE'):
        cn.encode(frame, "parquet", encoding={"x": "delta_binary_packed"})


def test_an_encoding_by_label_reaches_every_column_of_that_label() -> None:
    frame = pd.DataFrame(np.arange(300.0).reshape(100, 3), columns=["a", "b", "a"])
    data = cn.encode(frame, "parquet", encoding={"a": "byte_stream_split"})
    group = pq.ParquetFile(io.BytesIO(data)).metadata.row_group(0)
    found = ["BYTE_STREAM_SPLIT" in group.column(k).encodings for k in range(3)]
    assert found == [True, False, True]
