"""The texts of errors about everyday mistakes: what was expected, what was found, and the next step."""

from pathlib import Path
from typing import Any

import pytest

import colonnade as cn
from tests.helpers.each import each

MEND = 'read with on_error="null" or "skip".'


@each(
    ("data", "options", "message"),
    [
        (
            b"a,b\n2024-01-01,2\n2024-13-01,3\n",
            {"parse_dates": ["a"]},
            'csv: "a": at byte 17: line 3, column 1: expected an instant of ISO 8601, found "2024-13-01". '
            f"Say the format with date_format=, leave the column out of parse_dates=, or {MEND}",
        ),
        (
            b"a,b\n2024-01-01,2\n2024-13-01,3\n",
            {"parse_dates": ["a"], "date_format": "%Y-%m-%d"},
            'csv: "a": at byte 17: line 3, column 1: expected an instant as date_format="%Y-%m-%d" says, found '
            f'"2024-13-01". Leave the column out of parse_dates=, or {MEND}',
        ),
        (
            b"a,b\n1,2\n300,3\n",
            {"dtype": {"a": "int8"}},
            'csv: "a": at byte 8: line 3, column 1: expected int8, from -128 to 127, found 300. '
            f"Change the column's dtype=, or {MEND}",
        ),
        (
            b"a,b\n1,2\n-1,3\n",
            {"dtype": {"a": "uint64"}},
            'csv: "a": at byte 8: line 3, column 1: expected uint64, from 0 to 18446744073709551615, found -1. '
            f"Change the column's dtype=, or {MEND}",
        ),
        (
            b"a,b\n1,2\nx,3\n",
            {"dtype": {"a": "int64"}},
            'csv: "a": at byte 8: line 3, column 1: expected int64, found the text "x". '
            f"Change the column's dtype=, or {MEND}",
        ),
        (
            b"price,name\n1,a\n",
            {"dtype": {"prise": "int8"}},
            'csv: dtype: column "prise" is not there; nearest: "price".',
        ),
        (
            b"price,name\n1,a\n",
            {"parse_dates": ["x"]},
            'csv: parse_dates: column "x" is not there; there are "price", "name".',
        ),
        (
            b"a,b\n1,2\n",
            {"header": 5},
            "csv: expected column labels in line 5, counted from 0, found fewer lines. "
            "Pass a lower header= or skiprows=.",
        ),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_text(data: bytes, options: dict[str, Any], message: str) -> None:
    with pytest.raises(cn.ColonnadeError) as error:
        cn.decode(data, "csv", **options)
    assert str(error.value) == message


def test_a_folder_is_no_csv_file(tmp_path: Path) -> None:
    folder = tmp_path / "x.csv"
    folder.mkdir()
    with pytest.raises(cn.DecodeError) as error:
        cn.read(folder)
    assert str(error.value) == (
        f'npy: "{folder}": expected .npy members, as a directory is read as a frame of NPY, found none. '
        "Name a file in it."
    )
