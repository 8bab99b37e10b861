"""Of nested columns the leaves that are asked for are read, and no others: counted over HTTP, and told by damage."""

import io
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from tests.helpers.each import each

pytest.importorskip("pyarrow")

import pyarrow as pa
import pyarrow.parquet as pq

import colonnade as cn
from tests.helpers.web import Site

NROWS = 20_000
WAYS: dict[str, dict[str, Any]] = {
    "npz": {"format": "npz"},
    "npz zstd": {"format": "npz", "compression": "zstd"},
    "arrow": {"format": "arrow"},
    "arrow zstd": {"format": "arrow", "compression": "zstd"},
    "parquet": {"format": "parquet"},
    "parquet zstd": {"format": "parquet", "compression": "zstd"},
}
# What an array is, the first block of a compressed member tells: these are nearly whole here.
SHARE = {"npz zstd": 1.0}


@pytest.fixture(scope="module")
def events() -> pa.Table:
    """Lists of structs of ten leaves that do not compress, a struct of ten, a map."""
    rng = np.random.default_rng(0)
    counts = rng.integers(0, 4, NROWS)
    offsets = pa.array(np.concatenate([[0], counts.cumsum()]).astype(np.int32))
    n = int(counts.sum())

    def structs(size: int) -> pa.Array:
        words = pa.array([f"{k * k:>40}" for k in range(size)])
        return pa.StructArray.from_arrays(
            [*(pa.array(rng.random(size)) for _ in range(9)), words], [*(f"f{k}" for k in range(9)), "word"]
        )

    return pa.table(
        {
            "muon": structs(NROWS),
            "jet": pa.ListArray.from_arrays(offsets, structs(n)),
            "m": pa.MapArray.from_arrays(offsets, pa.array([str(k) for k in range(n)]), structs(n)),
        }
    )


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    for name in ("http_proxy", "https_proxy", "all_proxy", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
    with Site() as made:
        yield made


def _leaf(table: pa.Table, name: str, leaf: str) -> list[Any]:
    column = table.column(name).combine_chunks()
    if name == "muon":
        return [{leaf: value} for value in column.field(leaf).to_pylist()]
    return [[{leaf: item[leaf]} for item in row] for row in column.to_pylist()]


@each("way", list(WAYS))
@each("leaf", ["f3", "word"])
def test_one_leaf_of_thirty_is_a_small_share(site: Site, events: pa.Table, way: str, leaf: str) -> None:
    data = cn.encode(events, **WAYS[way])
    url = site.put("/events." + WAYS[way]["format"], data)
    found = cn.read(url, columns=[f"muon.{leaf}"]).to_arrow()
    assert found.column(0).to_pylist() == _leaf(events, "muon", leaf)
    assert site.nbytes < len(data) * SHARE.get(way, 1 / 6)
    before = site.nbytes
    found = cn.read(url, columns=[f"jet[].{leaf}"]).to_arrow()
    assert found.column(0).to_pylist() == _leaf(events, "jet", leaf)
    assert site.nbytes - before < len(data) * SHARE.get(way, 1 / 6)


@each("way", list(WAYS))
def test_what_was_opened_whole_fetches_the_leaves_too(site: Site, events: pa.Table, way: str) -> None:
    data = cn.encode(events, **WAYS[way])
    frame = cn.read(site.put("/events." + WAYS[way]["format"], data))
    found = frame["jet[].f1"].to_arrow()
    assert found.column(0).to_pylist() == _leaf(events, "jet", "f1")
    assert site.nbytes < len(data) * SHARE.get(way, 1 / 6)


@pytest.mark.parametrize("way", ["arrow", "arrow zstd", "parquet"])
def test_batches_one_by_one(site: Site, events: pa.Table, way: str) -> None:
    small = {"row_group_size": 5_000} if way == "parquet" else {"batch_nbytes": 1 << 21}
    data = cn.encode(events, **WAYS[way], **small)
    with cn.open_reader(site.put("/events." + WAYS[way]["format"], data), columns=["jet[].f1"]) as reader:
        assert len(reader) > 2
        found = [value for frame in reader for value in frame.to_arrow().column(0).to_pylist()]
    assert found == _leaf(events, "jet", "f1")
    assert site.nbytes < len(data) * SHARE.get(way, 1 / 6)


@pytest.mark.parametrize("compression", [None, "zstd"])
def test_members_of_other_leaves_may_be_damaged(events: pa.Table, compression: str | None) -> None:
    data = bytearray(cn.encode(events, "npz", compression=compression))
    wanted = {"column_0_3_values", "column_1_offsets", "column_1_0_3_values"}
    for member in cn.inspect(bytes(data)).members:
        own = member["name"].removesuffix(".npy").strip("_")
        # Headers stay: what an array is, is looked at when the file is opened, and the first block decompressed for it.
        start, end = (
            member["offset"] + (135_000 if compression else 4_096),
            member["offset"] + member["compressed_nbytes"],
        )
        if own.startswith("column_") and own not in wanted and start < end:
            data[start:end] = b"\xff" * (end - start)
    found = cn.decode(bytes(data), "npz", columns=["jet[].f3", "muon.f3"]).to_arrow()
    assert found.column("jet").to_pylist() == _leaf(events, "jet", "f3")
    assert found.column("muon").to_pylist() == _leaf(events, "muon", "f3")


def test_bodies_of_other_leaves_may_be_damaged(events: pa.Table) -> None:
    """Compressed buffers of an Arrow file that nobody asked for are not looked at."""
    data = cn.encode(events.select(["muon"]), "arrow", compression="zstd")
    word = data.rindex(b"\x28\xb5\x2f\xfd")  # the last column's characters, the last buffer
    damaged = data[: word + 64] + b"\xff" * 20_000 + data[word + 64 + 20_000 :]
    assert cn.decode(damaged, columns=["muon.f8"]).to_arrow().column(0).to_pylist() == _leaf(events, "muon", "f8")
    with pytest.raises(cn.DecodeError):
        cn.decode(damaged, columns=["muon.word"]).to_arrow()


def test_row_groups_that_others_wrote(site: Site, events: pa.Table) -> None:
    sink = io.BytesIO()
    pq.write_table(events, sink, row_group_size=4_000, compression="zstd")
    data = sink.getvalue()
    url = site.put("/events.parquet", data)
    found = cn.read(url, columns=["jet[].f1", "muon.f2"], rows=slice(5_000, 6_000)).to_arrow()
    assert found.column("jet").to_pylist() == _leaf(events, "jet", "f1")[5_000:6_000]
    assert found.column("muon").to_pylist() == _leaf(events, "muon", "f2")[5_000:6_000]
    assert site.nbytes < len(data) / 20
