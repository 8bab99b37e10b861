"""What R has of the data frames that are handed over to it, and the words that its ends read and write."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from colonnade_bench.engines.r_hand_over import hand_over
from tests.helpers.programs import needs_program
from tests.helpers.r_ends import cell_of, checked, r, tables

pytestmark = needs_program("Rscript", package="r-base-core")

SHOW = """
Sys.setlocale("LC_CTYPE", "C.UTF-8")
tables <- read_handed(commandArgs(TRUE))
show <- function(x) {
  values <- if (is.character(x)) x else if (is.factor(x)) as.integer(x) else sprintf("%.17g", unclass(x))
  if (is.double(x)) values[is.na(x)] <- ifelse(is.nan(x[is.na(x)]), "NaN", "NA")
  list(class = as.list(class(x)), values = as.list(values), levels = as.list(levels(x)), zone = attr(x, "tzone"),
       units = attr(x, "units"))
}
out <- lapply(tables, function(table) {
  c(list(.nrow = nrow(table), .names = as.list(row.names(table))), lapply(table, show))
})
cat("\\n", to_json(out), sep = "")
"""


def seen_by_r(frames: Mapping[str, pd.DataFrame], folder: Path) -> dict[str, Any]:
    hand_over(frames, folder)
    found: dict[str, Any] = json.loads(r(SHOW, "words", "handed", argument=folder).splitlines()[-1])
    return found


def test_r_has_every_value_that_was_handed_over(tmp_path: Path) -> None:
    frame = pd.DataFrame(
        {
            "small": np.array([-(2**31) + 1, 0, 2**31 - 1], dtype="int64"),
            "large": np.array([-(2**53), 2**31, 5], dtype="int64"),
            "unsigned": np.array([1, 2, 255], dtype="uint8"),
            "nullable": pd.array([1, None, 3], dtype="Int64"),
            "real": [0.1, np.nan, -np.inf],
            "single": np.array([0.1, 1.5, np.nan], dtype="float32"),
            "maybe": pd.array([0.5, None, 2.0], dtype="Float64"),
            "flag": [True, False, True],
            "flags": pd.array([True, None, False], dtype="boolean"),
            "text": ["naïve ☃\n\t\"x\" \\ 'y'", None, ""],
            "string": pd.array(["a", None, "😀"], dtype="string"),
            "day": pd.to_datetime(["2013-01-01 00:00:00.25", None, "1900-01-01"], format="mixed"),
            "zone": pd.to_datetime(["2013-07-01 12:00", None, "2013-01-01 00:00"]).tz_localize("Europe/Berlin"),
            "span": pd.to_timedelta([1500, None, -1], unit="ms"),
            "kind": pd.Categorical(["b", None, "a"], categories=["b", "ü", "a"], ordered=True),
            "empty": pd.Series([None, None, None], dtype=object),
        }
    )
    found = seen_by_r({"a b": frame, "none": frame.iloc[:0]}, tmp_path)
    assert found["none"][".nrow"] == 0
    table = found["a b"]
    assert (table[".nrow"], table[".names"]) == (3, ["1", "2", "3"])

    def column(name: str) -> tuple[Any, ...]:
        return tuple(table[name]["class"]), table[name]["values"]

    assert column("small") == (("integer",), ["-2147483647", "0", "2147483647"])
    assert column("large") == (("numeric",), ["-9007199254740992", "2147483648", "5"])
    assert column("unsigned") == (("integer",), ["1", "2", "255"])
    assert column("nullable") == (("integer",), ["1", "NA", "3"])
    assert column("real") == (("numeric",), ["0.10000000000000001", "NaN", "-Inf"])
    assert column("single") == (("numeric",), [f"{float(np.float32(0.1)):.17g}", "1.5", "NaN"])
    assert column("maybe") == (("numeric",), ["0.5", "NA", "2"])
    assert column("flag") == (("logical",), ["1", "0", "1"])
    assert column("flags") == (("logical",), ["1", "NA", "0"])
    assert column("text") == (("character",), ["naïve ☃\n\t\"x\" \\ 'y'", None, ""])
    assert column("string") == (("character",), ["a", None, "😀"])
    assert column("day") == (("POSIXct", "POSIXt"), ["1356998400.25", "NA", "-2208988800"])
    assert column("zone") == (("POSIXct", "POSIXt"), ["1372672800", "NA", "1356994800"])
    assert (table["day"]["zone"], table["zone"]["zone"]) == ("UTC", "Europe/Berlin")
    assert column("span") == (("difftime",), ["1.5", "NA", "-0.001"])
    assert table["span"]["units"] == "secs"
    assert column("kind") == (("ordered", "factor"), [1, None, 3])
    assert table["kind"]["levels"] == ["b", "ü", "a"]
    assert column("empty") == (("character",), [None, None, None])


def test_columns_of_arrow_are_handed_over_too(tmp_path: Path) -> None:
    frame = tables()["second"].assign(n=[1, 2, None, 4, 5, 6]).convert_dtypes(dtype_backend="pyarrow")
    frame["at"] = pd.Series(pd.date_range("2013-01-01", periods=6)).astype("timestamp[us][pyarrow]")
    frame["date"] = pd.Series(pd.date_range("1970-01-02", periods=6)).astype("date32[pyarrow]")
    found = seen_by_r({"t": frame}, tmp_path)["t"]
    assert found["n"]["values"] == ["1", "2", "NA", "4", "5", "6"]
    assert found["word"]["values"] == ["a,b", 'say "x"', None, "two\nlines", "naïve ☃", ""]
    assert found["at"]["values"][1] == "1357084800"
    assert (found["date"]["class"], found["date"]["values"][0]) == (["Date"], "1")


def test_labels_of_rows_become_a_column(tmp_path: Path) -> None:
    frame = pd.DataFrame({"a": [1, 2]}, index=pd.Index(["x", "y"], name="key"))
    found = seen_by_r({"t": frame, "slice": pd.DataFrame({"a": [1, 2, 3]}).iloc[1:]}, tmp_path)
    assert found["t"]["key"]["values"] == ["x", "y"]
    assert [name for name in found["slice"] if not name.startswith(".")] == ["a"]


def test_what_r_has_no_type_for_is_named(tmp_path: Path) -> None:
    frame = pd.DataFrame(
        {
            "id": [2**53 + 1, 1],
            "at": pd.to_datetime(["2013-01-01 00:00:00.123456789", "2013-01-01"], format="mixed"),
            "k": pd.Categorical([1, 2]),
        }
    )
    hand_over({"t": frame}, tmp_path)
    cell = cell_of("R serialize", "serialize")
    assert checked(cell, tmp_path, tmp_path)["losses"] == [
        "id: integers beyond 2^53 are rounded (R has none of 64 bits)",
        "at: parts of a second are rounded (R keeps times as doubles)",
        "k: categories are text (R's levels are)",
    ]


@pytest.mark.parametrize(
    ("values", "error", "words"),
    [
        ([[1], [2]], TypeError, "no type for column c of list"),
        (["a\0b", "c"], ValueError, "column c has a NUL"),
        (pd.period_range("2013", periods=2, freq="M"), TypeError, "no type for column c of period"),
    ],
)
def test_a_column_r_cannot_hold_is_refused_by_name(
    values: Any, error: type[Exception], words: str, tmp_path: Path
) -> None:
    with pytest.raises(error, match=words):
        hand_over({"t": pd.DataFrame({"c": values})}, tmp_path)


def test_words_are_read_and_written_as_json() -> None:
    value = {
        "text": 'a "quoted" \\ \n\t 😀 ☃ \u0001',
        "none": None,
        "yes": True,
        "number": 1356998400.123457,
        "large": 2**53,
        "list": [1, [], ["x", {"y": {}}]],
        "empty": "",
    }
    program = f"cat(to_json(from_json({json.dumps(json.dumps(value))})))"
    found = json.loads(r('invisible(Sys.setlocale("LC_CTYPE", "C.UTF-8")); ' + program, "words"))
    assert found == {**value, "text": value["text"].replace("\u0001", " "), "list": [1, [], ["x", {"y": []}]]}  # type: ignore[union-attr]
