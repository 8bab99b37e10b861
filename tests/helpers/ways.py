"""Every way through a file that the round-trip matrix tries: format and options of writing."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import colonnade as cn
from colonnade._io.detection import FORMAT_NAMES
from tests.helpers.each import each


class Way(NamedTuple):
    """A format and how it is written."""

    format: str
    options: dict[str, Any]

    def write(self, data: Any, folder: Path) -> Path:
        """The path of the file, or of the directory."""
        path = folder / f"frame.{self.format}"
        cn.write(data, path, format=self.format, **self.options)
        return path

    def encode(self, data: Any) -> bytes:
        return cn.encode(data, self.format, **self.options)


def exactly(format: str) -> dict[str, Any]:
    """The options with which a file of this format brings back every frame."""
    return {"schema": "header"} if format in ("csv", "json", "ndjson", "yaml") else {}


# Small enough for a handful of rows to be cut into several batches.
_SMALL = {"batch_nbytes": 64}
_GROUPS = {"row_group_size": 2, "data_page_size": 16}

WAYS: dict[str, Way] = {
    "npz": Way("npz", {}),
    "npz zstd": Way("npz", {"compression": "zstd"}),
    "npz deflate": Way("npz", {"compression": "deflate"}),
    "npy directory": Way("npy", {"directory": True}),
} | {
    f"{format}{label}": Way(format, options)
    for format, label, options in (
        # Bodies are compressed by the same code in both: each codec stands for both formats.
        ("arrow", "", {}),
        ("arrow", " lz4", {"compression": "lz4"}),
        ("arrow", " of small batches", _SMALL),
        ("arrows", "", {}),
        ("arrows", " zstd", {"compression": "zstd"}),
        ("arrows", " of small batches", _SMALL),
        ("parquet", "", {}),
        ("parquet", " of small groups", _GROUPS),
        ("parquet", " plain", {"encoding": "plain", "use_dictionary": False, "compression": None, "statistics": False}),
        ("parquet", " version 2", _GROUPS | {"data_page_version": 2, "encoding": "dictionary", "compression": "lz4"}),
        ("parquet", " small", {"profile": "small", "compression": "zstd", "compression_level": 3, "crc": False}),
        ("msgpack", "", {}),
        ("msgpack", " packed", {"numbers": "packed"}),
        ("msgpack", " records", {"orient": "records"}),
        ("msgpack", " split compatible", {"orient": "split", "compat": "old-spec"}),
        ("json", "", {"schema": "header"}),
        ("json", " records", {"schema": "header", "orient": "records"}),
        ("json", " split indented", {"schema": "header", "orient": "split", "indent": 1}),
        ("ndjson", "", {"schema": "header"}),
        ("csv", " header", {"schema": "header"}),
        ("csv", " sidecar", {"schema": "sidecar", "sep": "\t", "quoting": "all"}),
        ("yaml", "", {"schema": "header"}),
        ("yaml", " columns", {"schema": "header", "orient": "columns"}),
    )
    if format in FORMAT_NAMES
}
# Formats that hold every frame in one piece of bytes.
WHOLE = [
    name for name in ("npz", "arrow", "arrows", "parquet", "msgpack", "json", "ndjson", "yaml") if name in FORMAT_NAMES
]

every_way = each("way", WAYS)
every_random_way = pytest.mark.parametrize(
    "way",
    [
        way
        for way in (
            "npz",
            "arrow",
            "arrows",
            "arrow of small batches",
            "arrows of small batches",
            "parquet",
            "parquet of small groups",
            "parquet version 2",
            "msgpack",
            "json",
            "ndjson",
        )
        if way in WAYS
    ],
)
arrow_ways = each("way", {name: way for name, way in WAYS.items() if way.format in ("arrow", "arrows")})
parquet_ways = each("way", {name: way for name, way in WAYS.items() if way.format == "parquet"})
every_whole_format = each("format", WHOLE)

# A directory has no bytes to encode, and bytes have no file beside them.
ways_of_bytes = each(
    "way",
    {name: way for name, way in WAYS.items() if way.format != "npy" and way.options.get("schema") != "sidecar"},
)

# Cases of a thousand columns and more. A directory holds a file a member, and a few of those are enough.
WIDE = ("all layouts side by side", "one hundred thousand columns", "one thousand columns", "one row of many columns")
# They took most of the time of a matrix. Line coverage in all is no lower with one way of each format.
LARGE = ("one hundred thousand columns", "long enough for many batches")
_first_of_format = {way.format: way for way in reversed(WAYS.values())}


def is_tried(name: str, way: Way) -> bool:
    """Whether a case goes this way: wide ones not to a directory, large ones one way of each format."""
    if name in WIDE and way.format == "npy":
        return False
    return name not in LARGE or way is _first_of_format[way.format]


def every_case_and_way(cases: Iterable[str]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Each of `cases` in each way that `is_tried`."""

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        looped = each("way", WAYS, is_tried)(test)
        return each("name", list(cases), per=20)(looped)

    return decorate


def check_comes_back(
    data: Any,
    way: Way,
    folder: Path,
    decoded: Callable[[cn.Frame], Any],
    identical: Callable[[Any, Any], None],
    identical_in_memory: Callable[[Any, Any], bool] = lambda first, further: False,
) -> Path:
    """Written and read again, mapped and not, `data` is what it was; the path it was written to.

    The first result is compared by `identical`, and the next as well unless `identical_in_memory` accepts it.
    """
    path = way.write(data, folder)
    first = decoded(cn.read(path))
    identical(data, first)
    further = cn.read(path, mmap=False, verify=True).to_native()
    if not identical_in_memory(first, further):
        identical(data, further)
    return path


def check_refused(case: tuple[Callable[[], Any], str], format: str, folder: Path) -> None:
    """What a format cannot hold is refused with the message of the case, and nothing is written."""
    make, message = case
    with pytest.raises((cn.EncodeError, cn.InputError)) as raised:
        cn.write(make(), folder / f"data.{format}")
    assert message in str(raised.value)
    assert list(folder.iterdir()) == []
