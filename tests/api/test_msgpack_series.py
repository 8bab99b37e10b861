"""Consecutive MessagePack frames, with and without our header, in files, memory and pipes."""

import io
import os
import threading
from pathlib import Path
from typing import Any

import msgpack
import numpy as np
import pandas as pd
import pytest

import colonnade as cn
from tests.helpers.each import each
from tests.helpers.pipes import piped

PARTS = [
    pd.DataFrame({"n": np.arange(start, start + 3), "s": ["one", None, "x" * start]}, index=range(start, start + 3))
    for start in (0, 3, 6)
]


def series(**options: Any) -> bytes:
    sink = cn.BufferSink()
    with cn.open_writer(sink, format="msgpack", **options) as writer:
        for part in PARTS:
            writer.write(part)
        assert (writer.nbatches, writer.nrows) == (3, 9)
    with memoryview(sink) as view:
        return bytes(view)


@pytest.mark.parametrize("orient", ["columns", "records", "split"])
def test_chunks_of_ours_come_back(tmp_path: Path, orient: str) -> None:
    path = tmp_path / "parts.msgpack"
    with cn.open_writer(path, orient=orient) as writer:
        for part in PARTS:
            writer.write(part)
    with cn.open_reader(path) as reader:
        assert [field.label for field in reader.schema.fields] == ["n", "s"]
        for found, part in zip(reader, PARTS, strict=True):
            pd.testing.assert_frame_equal(found.to_pandas(), part)
    pd.testing.assert_frame_equal(cn.open_reader(path).read_all().to_pandas(), pd.concat(PARTS))
    values = list(msgpack.Unpacker(io.BytesIO(path.read_bytes())))
    assert [value["__colonnade__"]["chunk"] for value in values] == [0, 1, 2]
    assert path.read_bytes() == series(orient=orient)


def test_any_unpacker_reads_plain_chunks() -> None:
    plain = series(header=False, orient="records")
    unpacked = [row for value in msgpack.Unpacker(io.BytesIO(plain)) for row in value]
    assert [row["n"] for row in unpacked] == list(range(9))


def test_any_packer_may_write_them() -> None:
    packer = msgpack.Packer()
    data = packer.pack([{"a": 1, "b": "x"}, {"a": 2}]) + packer.pack({"b": ["y"], "a": [3]}) + packer.pack({"a": []})
    with cn.open_reader(data, format="msgpack", columns=["a"]) as reader:
        found = [frame["a"].to_numpy().tolist() for frame in reader]
    assert found == [[1, 2], [3], []]


def test_rows_are_counted_over_all() -> None:
    with cn.open_reader(series(), format="msgpack", rows=slice(2, 7), columns=["n"]) as reader:
        assert [frame["n"].to_numpy().tolist() for frame in reader] == [[2], [3, 4, 5], [6]]


def test_one_value_is_one_chunk() -> None:
    data = cn.encode(PARTS[0], "msgpack")
    with cn.open_reader(data, format="msgpack") as reader:
        assert len(reader) == 1  # type: ignore[arg-type]
        pd.testing.assert_frame_equal(reader[0].to_pandas(), PARTS[0])


def test_a_pipe_gives_each_before_the_next_was_written() -> None:
    read_fd, write_fd = os.pipe()
    seen = threading.Event()

    def write() -> None:
        with open(write_fd, "wb", buffering=0) as file, cn.open_writer(file, format="msgpack") as writer:
            writer.write(PARTS[0])
            assert seen.wait(30)
            writer.write(PARTS[1])

    thread = threading.Thread(target=write)
    thread.start()
    with open(read_fd, "rb", buffering=0) as file, cn.open_reader(file, format="msgpack") as reader:
        frames = iter(reader)
        pd.testing.assert_frame_equal(next(frames).to_pandas(), PARTS[0])
        seen.set()
        pd.testing.assert_frame_equal(next(frames).to_pandas(), PARTS[1])
        assert next(frames, None) is None
    thread.join()


def test_read_says_who_reads_several(tmp_path: Path) -> None:
    for data in (series(), msgpack.packb([{"a": 1}]) * 2):
        with pytest.raises(cn.DecodeError, match="open_reader"):
            cn.decode(data, "msgpack").to_pandas()


@each("suffix", ["npz", "json", "yaml", "csv", "ndjson", "msgpack", "arrow", "parquet"])
def test_convert_takes_all_of_them(suffix: str, tmp_path: Path) -> None:
    path, out = tmp_path / "parts.msgpack", tmp_path / f"out.{suffix}"
    path.write_bytes(series())
    options = {"schema": "header"} if suffix == "csv" else {}
    for source in (path, path.read_bytes(), io.BytesIO(path.read_bytes()), piped(path.read_bytes())):
        cn.convert(source, out, read_options={"format": "msgpack"}, write_options=options)
        pd.testing.assert_frame_equal(cn.read_pandas(out), pd.concat(PARTS))
        if isinstance(source, int):
            os.close(source)
    cn.convert(path, out, read_options={"rows": slice(2, 7), "columns": ["n"]}, write_options=options)
    assert cn.read(out)["n"].to_numpy().tolist() == [2, 3, 4, 5, 6]


def test_inspect_tells_of_the_first_and_counts_all(tmp_path: Path) -> None:
    path = tmp_path / "parts.msgpack"
    path.write_bytes(series())
    for source in (path, path.read_bytes(), io.BytesIO(path.read_bytes())):
        info = cn.inspect(source)
        assert (info.format, info.layout, info.shape, info.version) == ("msgpack", "series", (9, 2), 1)
        assert info.file_nbytes == path.stat().st_size
        assert [member["shape"] for member in info.members] == [(3, 2)] * 3
        assert info.schema is not None
        assert [field.label for field in info.schema.fields] == ["n", "s"]
        assert info.index is not None
        assert info.index.length == 9
        assert info.to_dict()["shape"] == [9, 2]
        assert "9 rows x 2 columns" in repr(info)
    assert cn.inspect(msgpack.packb([{"a": 1}]) * 2, format="msgpack").version is None
    one = cn.inspect(cn.encode(PARTS[0], "msgpack"))
    assert (one.layout, one.shape) == ("columns", (3, 2))


def test_verify_reads_all_of_them(tmp_path: Path) -> None:
    path = tmp_path / "parts.msgpack"
    path.write_bytes(series())
    told: list[int] = []
    for source in (path, path.read_bytes(), io.BytesIO(path.read_bytes())):
        told.clear()
        cn.verify(source, progress=lambda done, total: told.append(done))
        assert told == sorted(told)
        assert told
    path.write_bytes(series()[:-1])
    with pytest.raises(cn.TruncatedError, match="It is behind 2 frames"):
        cn.verify(path)
    with pytest.raises(cn.DecodeError, match=r"It is behind 1 frame\."):
        cn.verify(cn.encode(PARTS[0], "msgpack") + b"\xc1")


def test_what_is_cut_or_missing_is_told() -> None:
    data = series()
    starts = [0]
    unpacker = msgpack.Unpacker(io.BytesIO(data))
    for _ in PARTS:
        unpacker.skip()
        starts.append(unpacker.tell())
    for cut in (1, 40, starts[1] + 1, starts[2] + 300, len(data) - 1):
        with pytest.raises(cn.TruncatedError):
            list(cn.open_reader(data[:cut], format="msgpack"))
    without = data[: starts[1]] + data[starts[2] :]
    with cn.open_reader(without, format="msgpack") as reader, pytest.raises(cn.DecodeError, match="chunk 1, found 2"):
        list(reader)
    # Two concatenated files.
    assert len(list(cn.open_reader(data * 2, format="msgpack"))) == 6
    wrong = data[: starts[2]] + b"\xc1"
    with cn.open_reader(wrong, format="msgpack") as reader, pytest.raises(cn.DecodeError, match=str(starts[2])):
        list(reader)
    assert list(cn.open_reader(io.BytesIO(data[: starts[2]]), format="msgpack"))[1].shape == (3, 2)


def test_another_schema_is_refused_and_nothing_lost(tmp_path: Path) -> None:
    path = tmp_path / "parts.msgpack"
    with cn.open_writer(path) as writer:
        writer.write(PARTS[0])
        with pytest.raises(cn.EncodeError, match="msgpack"):
            writer.write(pd.DataFrame({"n": ["text"], "s": ["x"]}))
        writer.write(PARTS[1])
    assert cn.open_reader(path).read_all().shape == (6, 2)
    with pytest.raises(cn.EncodeError, match="nothing was written"), cn.open_writer(tmp_path / "none.msgpack"):
        pass
    assert not (tmp_path / "none.msgpack").exists()


def test_connections_send_them_one_by_one() -> None:
    with pytest.raises(cn.UnsupportedError, match="send"):
        cn.open_writer("tcp://127.0.0.1:1", format="msgpack")
