"""Flips single bits of written files and verifies them: `python -m scripts.bit_flips`.

Prints docs/trust/reliability.md's table. Each flip is caught (`cn.verify` or the read raises a typed error), harmless
(the frame is the same) or silent (the frame differs). The regions of a file are counted apart: a checksum covers some
of them only.
"""

import argparse
import io
import random
import struct
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
from fastparquet.cencoding import NumpyIO, read_thrift

import colonnade as cn

Region = tuple[str, int, int]
COVERED = "under a checksum"


def main() -> None:
    """Flip bits of each file, and print one row of the table for each region."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--flips", type=int, default=10_000, help="for each format")
    options = parser.parse_args()
    print("| format | region | bytes | flips | caught | harmless | silent |\n|---|---|--:|--:|--:|--:|--:|")
    for name, (format, settings, regions_of) in FILES.items():
        content = cn.encode(frame(), format, **settings)
        regions = list(regions_of(content))
        counts = flip_all(content, format, regions, options.flips)
        for region in dict.fromkeys(name for name, _, _ in regions):
            nbytes = sum(stop - start for other, start, stop in regions if other == region)
            flips = sum(count for (other, _), count in counts.items() if other == region)
            numbers = [nbytes, flips, *(counts[region, ended] for ended in ("caught", "harmless", "silent"))]
            print(f"| {name} | {region} | {' | '.join(f'{number:,}' for number in numbers)} |", flush=True)


def frame() -> pd.DataFrame:
    """Each kind of column that has a layout of its own: numbers, text with nulls, times, categories."""
    numbers = np.random.default_rng(7).integers(0, 1 << 40, 400)
    text = pd.array([None if n % 7 == 0 else f"text {n % 1000}" for n in numbers], dtype="string")
    times = pd.to_datetime(numbers, unit="s")
    return pd.DataFrame(
        {"n": numbers, "x": numbers / 3, "text": text, "time": times, "kind": pd.Categorical(numbers % 5)}
    )


def flip_all(content: bytes, format: str, regions: list[Region], flips: int) -> Counter[tuple[str, str]]:
    """The outcomes of flips at random places, by region."""
    drawn = random.Random(7)
    whole = cn.encode(cn.decode(content, format=format), "arrows")
    counts: Counter[tuple[str, str]] = Counter()
    for _ in range(flips):
        place = drawn.randrange(len(content) * 8)
        changed = bytearray(content)
        changed[place // 8] ^= 1 << place % 8
        region = next(name for name, start, stop in regions if start <= place // 8 < stop)
        counts[region, outcome(bytes(changed), format, whole)] += 1
    return counts


def outcome(changed: bytes, format: str, whole: bytes) -> str:
    """What a reader makes of the changed file: `caught`, `harmless` or `silent`."""
    try:
        cn.verify(io.BytesIO(changed), format=format)
        return "harmless" if cn.encode(cn.decode(changed, format=format), "arrows") == whole else "silent"
    except cn.ColonnadeError:
        return "caught"


def one_region(name: str) -> Callable[[bytes], Iterator[Region]]:
    """All bytes of the file are one region."""

    def regions(content: bytes) -> Iterator[Region]:
        yield name, 0, len(content)

    return regions


def zip_regions(content: bytes) -> Iterator[Region]:
    """Members, which CRC-32 covers, their headers, and the directory behind them."""
    end = 0
    for entry in sorted(zipfile.ZipFile(io.BytesIO(content)).infolist(), key=lambda entry: entry.header_offset):
        names = struct.unpack_from("<HH", content, entry.header_offset + 26)
        start = entry.header_offset + 30 + sum(names)
        yield "member headers", end, start
        end = start + entry.compress_size
        yield COVERED, start, end
    yield "directory", end, len(content)


def parquet_regions(content: bytes) -> Iterator[Region]:
    """Pages, which CRC-32 covers, their headers, and what follows the last page."""
    metadata, end = pq.read_metadata(io.BytesIO(content)), 4
    yield "magic, indexes and footer", 0, 4
    chunks = [
        metadata.row_group(group).column(column)
        for group in range(metadata.num_row_groups)
        for column in range(metadata.num_columns)
    ]
    for chunk in chunks:
        start = min(filter(None, (chunk.dictionary_page_offset, chunk.data_page_offset)))
        yield "magic, indexes and footer", end, start
        end = start
        while end < start + chunk.total_compressed_size:
            source = NumpyIO(np.frombuffer(content[end:], np.uint8).copy())
            header: Any = read_thrift(source)
            data = end + source.tell()
            yield "page headers", end, data
            # Field 3 of PageHeader: the bytes of the page as it is stored.
            end = data + header[3]
            yield COVERED, data, end
    yield "magic, indexes and footer", end, len(content)


def gzip_regions(content: bytes) -> Iterator[Region]:
    """The compressed data and its CRC-32, behind a header of ten bytes without checksum."""
    assert zlib.decompressobj(31).decompress(content)
    yield "header", 0, 10
    yield COVERED, 10, len(content)


FILES: dict[str, tuple[str, dict[str, Any], Callable[[bytes], Iterator[Region]]]] = {
    "npz": ("npz", {}, zip_regions),
    "npz, zstd": ("npz", {"compression": "zstd"}, zip_regions),
    "parquet": ("parquet", {}, parquet_regions),
    "csv, gzip": ("csv", {"compression": "gzip", "schema": "header"}, gzip_regions),
    "arrow": ("arrow", {}, one_region("no checksum")),
    "arrows": ("arrows", {}, one_region("no checksum")),
    "msgpack": ("msgpack", {}, one_region("no checksum")),
    "csv": ("csv", {"schema": "header"}, one_region("no checksum")),
    "json": ("json", {"schema": "header"}, one_region("no checksum")),
    "ndjson": ("ndjson", {"schema": "header"}, one_region("no checksum")),
    "yaml": ("yaml", {"schema": "header"}, one_region("no checksum")),
}


if __name__ == "__main__":
    main()
