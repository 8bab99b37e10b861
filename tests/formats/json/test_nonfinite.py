"""The option `nonfinite`, also for NaN and infinities inside of cells of several kinds and of nested cells."""

import datetime as dt
import math
from typing import Any

import numpy as np
import pytest

pytest.importorskip("pandas")

import pandas as pd

import colonnade as cn
from tests.helpers.each import each

INF, NAN = math.inf, math.nan
NEXT = 'Write nonfinite="null" or "literal", or schema="header".'


def encoded(cells: list[Any], format: str = "ndjson", **options: Any) -> bytes:
    frame = pd.DataFrame({"a": pd.Series(cells, dtype=object)})
    return bytes(cn.encode(frame, format, on_loss="ignore", **options))


MIXED = [1, "a", NAN, INF, -INF, None, [1.5, [NAN]], {"x": INF}, np.float32(INF), np.float64(NAN), np.float16(INF)]


@each(
    ("nonfinite", "expected"),
    [
        ("null", b'1|"a"|null|null|null|null|[1.5,[null]]|{"x":null}|null|null|null'),
        ("literal", b'1|"a"|NaN|Infinity|-Infinity|null|[1.5,[NaN]]|{"x":Infinity}|Infinity|NaN|Infinity'),
    ],
)
def test_cells_of_several_kinds_follow_the_option(nonfinite: str, expected: bytes) -> None:
    cells = expected.split(b"|")
    assert encoded(MIXED, nonfinite=nonfinite) == b"".join(b'{"a":%b}\n' % cell for cell in cells)
    rows = b"],[".join(cells)
    assert encoded(MIXED, "json", orient="values", nonfinite=nonfinite) == b"[[" + rows + b"]]"


def test_yaml_has_words_for_them() -> None:
    written = encoded([1, "a", NAN, INF, [-INF], {"x": NAN}], "yaml")
    assert written == b'- a: 1\n- a: "a"\n- a: .nan\n- a: .inf\n- a: [-.inf]\n- a: {"x":.nan}\n'
    assert cn.decode(written, "yaml").to_pandas()["a"].tolist()[3:5] == [INF, [-INF]]


def test_csv_has_null_as_in_its_nested_cells() -> None:
    assert encoded([1, "a", NAN, [INF]], "csv") == b'a\n1\n"""a"""\nnull\n[null]\n'


@each("format", ["json", "ndjson"])
@each(
    ("cell", "word"),
    [
        (NAN, "NaN"),
        (INF, "infinity"),
        (-INF, "-infinity"),
        ([1, [NAN]], "NaN"),
        ({"x": {"y": INF}}, "infinity"),
        ({INF: 1}, "infinity"),
        ((1.5, INF), "infinity"),
        (complex(1, NAN), "NaN"),
        (np.float16(NAN), "NaN"),
        (np.float32(INF), "infinity"),
        (np.float64(-INF), "-infinity"),
        (np.complex64(complex(INF, 1)), "infinity"),
        # JSON has no dates, so that the whole list is written as bytes.
        ([dt.date(2020, 1, 1), NAN], "NaN"),
    ],
    ids=repr,
)
def test_the_error_names_row_and_column(format: str, cell: Any, word: str) -> None:
    with pytest.raises(cn.EncodeError) as error:
        encoded([1, "a", cell], format, nonfinite="error")
    assert str(error.value) == f'{format}: "a": row 2: expected a finite number, found {word}. {NEXT}'
    assert error.value.column == "a"


@each("orient", ["columns", "index", "records", "split", "values", "table"])
def test_every_layout_refuses_them(orient: str) -> None:
    with pytest.raises(cn.EncodeError, match='json: "a": row 1: expected a finite number, found NaN'):
        encoded(["a", NAN, 1], "json", orient=orient, nonfinite="error")


@each(
    "column",
    [[1.5, NAN], [[1.5], [NAN]], [{"x": 1.5}, {"x": INF}], pd.Categorical([1.5, INF]), [1j, complex(NAN, 0)]],
    ids=repr,
)
def test_typed_columns_name_the_row_too(column: Any) -> None:
    frame = pd.DataFrame({"a": column})
    with pytest.raises(cn.EncodeError, match=r'^ndjson: "a": row 1: expected a finite number, found (NaN|infinity)'):
        cn.encode(frame, "ndjson", nonfinite="error", on_loss="ignore")


def test_a_category_without_cells_is_no_cell() -> None:
    cells = pd.Categorical([1.5, 2.5], categories=[INF, 1.5, 2.5])
    written = cn.encode(pd.DataFrame({"a": cells}), "ndjson", nonfinite="error", on_loss="ignore")
    assert bytes(written) == b'{"a":1.5}\n{"a":2.5}\n'


def test_column_labels_are_refused_by_their_position() -> None:
    frame = pd.DataFrame([[1, 2]], columns=[1.5, INF])
    with pytest.raises(cn.EncodeError, match=r'^json: "columns": row 1: expected a finite number, found infinity'):
        cn.encode(frame, "json", orient="split", nonfinite="error", on_loss="ignore")


def test_missing_text_is_null_for_every_value_of_the_option() -> None:
    """pandas' NaN among text is a missing value and no number."""
    for nonfinite in ("null", "literal", "error"):
        assert encoded(["x", NAN], nonfinite=nonfinite) == b'{"a":"x"}\n{"a":null}\n'


def test_numbers_of_numpy_are_numbers_in_plain_text() -> None:
    cells = [np.int8(-3), np.uint64(2**64 - 1), np.float64(0.1), np.float32(0.1), np.bool_(True), "a"]
    expected = b'{"a":-3}\n{"a":18446744073709551615}\n{"a":0.1}\n{"a":0.1}\n{"a":true}\n{"a":"a"}\n'
    assert encoded(cells) == expected


def test_a_header_brings_all_of_them_back() -> None:
    found = cn.decode(encoded(MIXED, schema="header", nonfinite="error"), "ndjson").to_pandas()["a"].tolist()
    assert repr(found) == repr(MIXED)
