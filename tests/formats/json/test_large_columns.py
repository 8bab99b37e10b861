"""Columns so long that several threads read them, and integers beyond 64 bits."""

import decimal
import json
from typing import Any

import pytest

import colonnade as cn
from tests.helpers.each import each

pd = pytest.importorskip("pandas")
pytest.importorskip("pyarrow")

COLUMNS: dict[str, list[Any]] = {
    "s": [chr(ord("a") + i) * 200_000 for i in range(5)],
    "i": [1, -2, 3, None, 5],
    "t": [f"{i}]}}" * 100_000 for i in range(5)],
    "m": [1, "x", None, [2], {"k": 3}],
    "f": [0.5, 1.5, 2.5, 3.5, 4.5],
}
LABELS = ["v", "w", "x", "y", "z"]


def found(text: str) -> dict[str, list[Any]]:
    frame = cn.decode(text.encode(), "json", threads=4).to_pandas()
    return {name: [None if cell is pd.NA else cell for cell in frame[name]] for name in frame}


def labelled(columns: dict[str, list[Any]], labels: list[str] = LABELS) -> str:
    return json.dumps({name: dict(zip(labels, cells, strict=False)) for name, cells in columns.items()})


def test_long_columns_are_read_whole() -> None:
    text = json.dumps(COLUMNS)
    assert len(text) > 2 << 20
    assert found(text) == COLUMNS
    assert found(labelled(COLUMNS)) == COLUMNS
    frame = cn.decode(labelled(COLUMNS).encode(), "json", threads=4).to_pandas()
    assert frame.index.tolist() == LABELS


@each("name", ["i", "t", "f"])
def test_a_long_column_that_is_shorter_is_refused_or_has_missing_cells(name: str) -> None:
    shorter = COLUMNS | {name: COLUMNS[name][:3]}
    with pytest.raises(cn.DecodeError, match=f'"{name}": .*expected columns of one length, found 5 cells in "s" and 3'):
        found(json.dumps(shorter))
    with pytest.raises(cn.DecodeError, match=f'"{name}": .*expected columns of one length, found 5 cells in "s" and 6'):
        found(json.dumps(COLUMNS | {name: [*COLUMNS[name], COLUMNS[name][0]]}))
    cells = found(labelled(shorter))
    assert [None if cell != cell else cell for cell in cells.pop(name)] == [*COLUMNS[name][:3], None, None]
    assert cells == {other: COLUMNS[other] for other in COLUMNS if other != name}


def test_a_wrong_end_of_a_long_column_is_refused() -> None:
    text = json.dumps(COLUMNS)
    for wrong in (text[:-1], text.replace("4.5]", "4.5}"), text.replace("4.5]", "4.5]]"), text + "]"):
        with pytest.raises(cn.DecodeError):
            found(wrong)
    with pytest.raises(cn.DecodeError, match="expected all columns as arrays, or all as objects"):
        found(text[:-1] + ', "l": {"a": 1}}')
    with pytest.raises(cn.LimitError, match="more than 4 columns"):
        cn.decode(text.encode(), "json", threads=4, limits=cn.Limits(max_columns=4))


BIG = [2**64, -(2**63) - 1, 10**37, 7, -1]


def decimals(rows: list[dict[str, Any]]) -> list[Any]:
    cells: list[Any] = cn.decode(json.dumps(rows).encode(), "json", big_ints="decimal").to_arrow()["n"].to_pylist()
    assert all(cell is None or isinstance(cell, decimal.Decimal) for cell in cells)
    return cells


def test_integers_beyond_64_bits_are_decimals_and_missing_ones_null() -> None:
    assert decimals([{"n": cell} for cell in BIG]) == BIG
    assert decimals([{"k": 1}, {"n": BIG[0]}, {"k": 2}, {"k": 3}, {"n": None}, {"n": 5}, {"k": 4}]) == [
        None,
        BIG[0],
        None,
        None,
        None,
        5,
        None,
    ]


@each("other", ["text", True, 1.5, [1], {"a": 1}])
def test_integers_beyond_64_bits_among_other_cells_are_refused(other: Any) -> None:
    rows = [{"n": 2**64}, {"n": other}]
    with pytest.raises(cn.ColonnadeError, match=str(2**64)):
        cn.decode(json.dumps(rows).encode(), "json", big_ints="decimal")


@each("orient", ["records", "columns", "index", "split", "values", "table"])
def test_fewer_rows_than_the_header_says_are_a_cut_and_more_are_not(orient: Any) -> None:
    content = cn.encode({"a": [1, 2, 3]}, "json", orient=orient, schema="header")
    assert content.count(b'"nrows":3') == 1
    with pytest.raises(cn.TruncatedError, match="expected 4 rows as the header says, found 3"):
        cn.decode(content.replace(b'"nrows":3', b'"nrows":4'), "json")
    with pytest.raises(cn.DecodeError, match="expected 2 rows as the header says, found 3") as caught:
        cn.decode(content.replace(b'"nrows":3', b'"nrows":2'), "json")
    assert not isinstance(caught.value, cn.TruncatedError)
