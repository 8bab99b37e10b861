"""The bounds of a column chunk, as `members` lists them, where a writer left one out."""

import pytest

from colonnade import _core
from tests.helpers import parquet_bytes as pb
from tests.helpers.parquet_hints import written

LEAST, LARGEST = pb.plain("q", 1), pb.plain("q", 9)
OLD = {1: pb.binary(pb.plain("q", 8)), 2: pb.binary(pb.plain("q", 2))}
"""The deprecated fields, whose order of values is not defined."""


@pytest.mark.parametrize(
    ("stored", "least", "largest"),
    [
        ({6: pb.binary(LEAST)}, 1, None),
        ({5: pb.binary(LARGEST)}, None, 9),
        ({**OLD, 6: pb.binary(LEAST)}, 1, None),
        ({**OLD, 5: pb.binary(LARGEST)}, None, 9),
        (OLD, 2, 8),
    ],
)
def test_old_bounds_are_taken_only_without_any_new_bound(
    stored: dict[int, pb.Value], least: int | None, largest: int | None
) -> None:
    content = written(pb.INT64, [LEAST + LARGEST], 2, statistics=stored)
    file = _core.File.open_buffer(content, options=_core.ParquetReadOptions(limits=_core.Limits()))
    found = file.members()[0]["statistics"]
    assert (found["min"], found["max"]) == (least, largest)
