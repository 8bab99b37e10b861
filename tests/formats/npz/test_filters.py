"""Filters of npz: what stands in the members, that it comes back to the bit, and which filter a sample chooses."""

import io
import os
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import colonnade as cn
from tests.helpers.each import each
from tests.helpers.filtered import filters, meta, undone

FILTERS = ["shuffle", "delta", "delta-shuffle", "dictionary", "auto"]
DTYPES = ["<i2", "<u4", "<i8", ">i4", ">u8", "<f2", "<f4", "<f8", ">f8", "<c8", "<c16", "<M8[us]", "<m8[s]"]
PART = 1 << 20


def deflated(data: Any, **options: Any) -> io.BytesIO:
    """An archive that every zipfile opens."""
    return io.BytesIO(cn.encode(data, "npz", compression="deflate", **options))


def same(ours: np.ndarray, theirs: np.ndarray) -> None:
    assert ours.dtype == theirs.dtype
    assert ours.tobytes() == theirs.tobytes()


def numbers(dtype: str, nrows: int) -> np.ndarray:
    """Few values, in runs: whatever is done to them, they shrink."""
    return (np.arange(nrows) // 7 % 50).astype("i2").astype(dtype)


@each("name", list(FILTERS))
@each("dtype", list(DTYPES))
def test_members_hold_what_the_page_says(dtype: str, name: str) -> None:
    column = numbers(dtype, 5000)
    packed = deflated({"x": column}, transform=name)
    same(undone(packed)["__blocks_0__.npy"], column)
    same(cn.decode(packed.getvalue()).to_numpy()["x"], column)
    cn.verify(packed.getvalue())


@each("name", list(FILTERS))
def test_long_columns_are_cut_into_parts(name: str) -> None:
    column = numbers("<f8", 300_000)
    packed = deflated({"x": column}, transform=name)
    (entry,) = meta(packed)["filters"]
    assert entry["shape"] == [300_000]
    assert entry["part_rows"] == PART // 8
    same(undone(packed)["__blocks_0__.npy"], column)
    frame = cn.decode(packed.getvalue())
    same(frame.to_numpy()["x"], column)
    for start, stop in [(0, 1), (131_071, 131_073), (262_144, 300_000), (5, 5), (100_000, 290_000)]:
        same(cn.decode(packed.getvalue(), rows=slice(start, stop)).to_numpy()["x"], column[start:stop])


def test_shapes_of_the_members_in_the_archive() -> None:
    few, many = numbers("<f8", 6000), (np.arange(6000) % 300).astype("<f8")
    packed = deflated({"a": few, "b": few, "c": few, "d": many, "e": few}, transform={
        "a": "shuffle", "b": "delta", "c": "dictionary", "d": "dictionary", "e": "none"
    })  # fmt: skip
    with np.load(packed) as archive:
        members = {name: (archive[name].dtype.str, archive[name].shape) for name in archive if "blocks" in name}
    assert members == {
        "__blocks_0__": ("|u1", (8, 6000)),
        "__blocks_1__": ("<i8", (6000,)),
        "__blocks_2_dictionary__": ("<f8", (50,)),
        "__blocks_2__": ("|u1", (6000,)),
        "__blocks_3_dictionary__": ("<f8", (300,)),
        "__blocks_3__": ("|u1", (2, 6000)),
        "__blocks_4__": ("<f8", (6000,)),
    }
    assert meta(packed)["version"] == 2


@pytest.mark.parametrize("name", ["shuffle", "delta", "delta-shuffle", "auto"])
def test_narrow_columns_share_members(name: str) -> None:
    table = np.asfortranarray(np.cumsum(np.arange(40 * 900).reshape(900, 40) % 11, axis=0).astype("<i8"))
    for order in "FC":
        frame = pd.DataFrame(np.array(table, order=order))  # type: ignore[call-overload]
        packed = deflated(frame, transform=name)
        (entry,) = meta(packed)["filters"]
        assert entry["shape"] == [900, 40]
        np.testing.assert_array_equal(undone(packed)["__blocks_0__.npy"], table)
        pd.testing.assert_frame_equal(cn.decode(packed.getvalue()).to_pandas(), frame)


def test_a_sample_chooses() -> None:
    rng = np.random.default_rng(0)
    nrows = 40_000
    columns = {
        "steps": np.cumsum(rng.integers(0, 5, nrows)) * 1_000_000 + 2**50,
        "few": rng.choice(np.round(rng.normal(size=700), 2), nrows),
        "one": np.full(nrows, 0.3),
        "noise": rng.integers(0, 2**63, nrows),
        "sensor": rng.normal(size=nrows).astype("f4").astype("f8"),
        "text": np.array(["north", "south"])[rng.integers(0, 2, nrows)],
        "flags": rng.random(nrows) < 0.01,
    }
    frame = pd.DataFrame(columns)
    packed = deflated(frame, transform="auto")
    chosen = {member: name for member, name in filters(packed).items() if "blocks" in member}
    assert chosen == {
        "__blocks_0__.npy": "delta",
        "__blocks_1__.npy": "dictionary",
        "__blocks_2__.npy": "dictionary",
        "__blocks_4__.npy": "shuffle",
    }
    assert filters(packed)["__column_5_offsets__.npy"] in ("delta", "delta-shuffle")
    methods = {member["name"]: member["method"] for member in cn.inspect(packed.getvalue()).members}
    assert methods["__blocks_3__.npy"] == "stored"
    pd.testing.assert_frame_equal(cn.decode(packed.getvalue()).to_pandas(), frame)


@given(
    array=st.sampled_from(["<i4", ">i8", "<u2", "<f4", "<f8", "<M8[ns]", "|i1", "|b1"]).flatmap(
        lambda dtype: hnp.arrays(dtype, st.sampled_from([0, 1, 2, 600, 5000]), fill=None)
    ),
    name=st.sampled_from(FILTERS),
    compression=st.sampled_from(["zstd", "deflate"]),
)
@settings(max_examples=60, deadline=None)
def test_any_bits_come_back(array: np.ndarray, name: str, compression: str) -> None:
    packed = cn.encode({"x": array, "y": array[::-1]}, "npz", compression=compression, transform=name)
    cn.verify(packed)
    back = cn.decode(packed).to_numpy()
    same(back["x"], array)
    same(back["y"], array[::-1])


def test_more_values_than_codes_are_no_dictionary() -> None:
    column = np.arange(70_000) * 3.5
    packed = deflated({"x": column}, transform="dictionary")
    assert filters(packed) == {}
    same(cn.decode(packed.getvalue()).to_numpy()["x"], column)
    most = np.arange(1 << 16).repeat(2) * 3.5
    packed = deflated({"x": most}, transform="dictionary")
    assert filters(packed) == {"__blocks_0__.npy": "dictionary"}
    same(cn.decode(packed.getvalue()).to_numpy()["x"], most)


def test_values_of_a_dictionary_are_told_apart_by_their_bits() -> None:
    bits = np.array([0x7FF8000000000001, 0x7FF8000000000002, 0, 1 << 63, 0x3FF0000000000000], "<u8")
    column = np.tile(bits, 2000).view("<f8")
    packed = deflated({"x": column}, transform="dictionary")
    same(cn.decode(packed.getvalue()).to_numpy()["x"], column)


@each("profile", ["fast", "balanced", "small"])
@each("library", ["pandas", "pyarrow", "polars"])
def test_every_kind_of_column_in_every_profile(profile: str, library: str, tmp_path: Path) -> None:
    pytest.importorskip(library)
    nrows = 20_000
    table = pa.table(
        {
            "id": np.arange(nrows),
            "text": pa.array([None if k % 7 == 0 else f"name {k % 90}" for k in range(nrows)]),
            "kind": pa.array([f"kind {k % 5}" for k in range(nrows)]).dictionary_encode(),
            "nullable": pa.array([None if k % 3 == 0 else k // 9 for k in range(nrows)], pa.int32()),
            "zoned": pa.array(np.arange(nrows) * 60_000_000, pa.timestamp("us", "Europe/Paris")),
            "flag": pa.array([k % 10 == 0 for k in range(nrows)]),
            "price": np.round(np.arange(nrows) % 1000 / 8, 2),
        }
    )
    path = tmp_path / "table.npz"
    data = {"pandas": table.to_pandas, "pyarrow": lambda: table, "polars": lambda: pl_from(table)}[library]()
    cn.write(data, path, profile=profile)
    frame = cn.read(path)
    back = frame.to_native()
    if library == "pandas":
        pd.testing.assert_frame_equal(back, data)
        pd.testing.assert_frame_equal(
            cn.read(path, columns=["price", "text"], rows=slice(9000, 9100)).to_pandas().reset_index(drop=True),
            data[["price", "text"]][9000:9100].reset_index(drop=True),
        )
    else:
        assert back.equals(data)
    cn.verify(path)


def pl_from(table: pa.Table) -> Any:
    import polars as pl

    return pl.from_arrow(table)


def test_nested_columns_and_labels_are_filtered_too() -> None:
    nrows = 9000
    lists = pa.array([[k, k + 1] * (k % 3) for k in range(nrows)], pa.list_(pa.int64()))
    structs = pa.StructArray.from_arrays([pa.array(np.arange(nrows) / 4), lists], ["a", "b"])
    table = pa.table({"lists": lists, "structs": structs})
    packed = deflated(table, transform="auto")
    assert {"__column_0_offsets__.npy", "__column_0_0_values__.npy", "__column_1_0_values__.npy"} <= set(
        filters(packed)
    )
    assert cn.decode(packed.getvalue()).to_arrow().equals(table)
    labelled = pd.DataFrame({"x": np.ones(nrows)}, index=pd.date_range("2020", periods=nrows, freq="min", name="t"))
    packed = deflated(labelled, transform="auto")
    assert filters(packed)["__values_index_0__.npy"] in ("delta", "delta-shuffle")
    pd.testing.assert_frame_equal(cn.decode(packed.getvalue()).to_pandas(), labelled)


def test_the_same_bytes_whatever_the_threads() -> None:
    rng = np.random.default_rng(1)
    frame = {"a": np.cumsum(rng.integers(0, 9, 300_000)), "b": rng.choice(np.arange(2000) / 8, 300_000)}
    packed = {cn.encode(frame, "npz", profile="balanced", threads=threads) for threads in (1, 2, 5)}
    assert len(packed) == 1


def test_files_streams_sinks_and_bundles(tmp_path: Path) -> None:
    frame = pd.DataFrame({"a": np.arange(200_000) // 3, "b": np.tile([0.5, 1.5, 2.5, 9.0], 50_000)})
    options = {"compression": "zstd", "transform": "auto"}
    path = tmp_path / "frame.npz"
    cn.write(frame, path, **options)
    for mmap in (True, False):
        pd.testing.assert_frame_equal(cn.read(path, mmap=mmap, verify=True).to_pandas(), frame)
    pd.testing.assert_frame_equal(cn.read(path, columns=["b"]).to_pandas(), frame[["b"]])
    reader, writer = os.pipe()
    thread = threading.Thread(target=lambda: (cn.write(frame, writer, format="npz", **options), os.close(writer)))
    thread.start()
    pd.testing.assert_frame_equal(cn.read(reader, format="npz").to_pandas(), frame)
    thread.join()
    os.close(reader)
    sink = cn.BufferSink()
    cn.write(frame, sink, format="npz", **options)
    pd.testing.assert_frame_equal(cn.read(sink).to_pandas(), frame)
    for layout in ("npz", "npy"):
        bundle = tmp_path / f"{layout}.zip"
        cn.write_bundle({"x": frame, "y": frame[:5]}, bundle, layout=layout, **options)
        found = cn.read_bundle(bundle)
        pd.testing.assert_frame_equal(found["x"].to_pandas(), frame)
        pd.testing.assert_frame_equal(found["y"].to_pandas(), frame[:5])


def test_inspect_names_the_filters() -> None:
    info = cn.inspect(cn.encode({"x": numbers("<f8", 300_000)}, "npz", compression="zstd", transform="dictionary"))
    found = {member["name"]: member["transform"] for member in info.members}
    assert found == {
        "__meta__.json": None,
        "__values_columns_0__.npy": None,
        "__blocks_0_dictionary__.npy": None,
        "__blocks_0__.npy": "dictionary",
        "__blocks_0_part_1__.npy": "dictionary",
        "__blocks_0_part_2__.npy": "dictionary",
    }
    assert info.version == 2
    assert info.nbytes is not None
    assert info.nbytes >= 2_400_000
    assert "3 dictionary" in repr(info)


def test_one_block_of_a_dtype_whatever_the_filters() -> None:
    few = numbers("<f8", 200_000)
    frame = pd.DataFrame({"a": few, "b": np.cumsum(few), "c": few, "d": few * 1.5})
    options = {"a": "dictionary", "b": "delta-shuffle", "c": "none", "d": "shuffle"}
    packed = cn.encode(frame, "npz", compression="zstd", transform=options)
    back = cn.decode(packed).to_pandas()
    pd.testing.assert_frame_equal(back, frame)
    assert len(back._mgr.blocks) == 1


def test_without_filters_nothing_changes() -> None:
    frame = {"x": numbers("<f8", 5000)}
    for options in ({}, {"compression": "zstd"}, {"compression": "deflate"}):
        data = cn.encode(frame, "npz", **options)
        assert data == cn.encode(frame, "npz", transform=None, profile=None, **options)
        assert cn.inspect(data).version == 1


@each(
    ("options", "words"),
    [
        ({"transform": "auto"}, "transform: expected None where nothing is compressed, found 'auto'"),
        ({"compression": "zstd", "transform": "shufle"}, "found 'shufle'; nearest: 'shuffle'"),
        ({"compression": "zstd", "transform": {"x": "xor"}}, "transform of 'x': expected None, 'auto'"),
        ({"profile": "tiny"}, "profile: expected None, 'fast', 'balanced', 'small', found 'tiny'"),
        ({"profile": "fast", "compat": "static-frame"}, "StaticFrame reads stored members only"),
        ({"profile": "fast", "compression_level": 40}, "compression_level: expected"),
    ],
)
def test_options_are_checked(options: dict[str, Any], words: str) -> None:
    with pytest.raises(cn.OptionError) as caught:
        cn.encode({"x": np.arange(3)}, "npz", **options)
    assert words.lower() in str(caught.value).lower()


def test_a_level_of_ones_own_in_a_profile() -> None:
    frame = {"x": np.random.default_rng(3).integers(0, 50, 200_000)}
    small = cn.encode(frame, "npz", profile="balanced", compression_level=19)
    assert len(small) < len(cn.encode(frame, "npz", profile="balanced"))
