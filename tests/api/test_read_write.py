"""`read`, `write` and their kin: formats, options, progress, bundles, plain arrays, inspection."""

import io
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import static_frame as sf

import colonnade as cn
from colonnade._io import detection
from colonnade._io import network_filesystems as _mounts
from colonnade._io import threads as _threads
from tests.helpers.each import each

DATA = {"a": np.arange(5), "b": np.linspace(0, 1, 5)}
TABLE = pd.DataFrame({"a": [1, 2, 3], "b": ["x", None, "z"]}, index=pd.Index(["i", "j", "k"], name="key"))


# ---------------------------------------------------------------------------- formats


@pytest.mark.parametrize("name", ["x.npz", "X.NPZ", "a.b.npz"])
def test_format_by_suffix(tmp_path: Path, name: str) -> None:
    cn.write(DATA, tmp_path / name)
    assert zipfile.is_zipfile(tmp_path / name)


@each(
    ("name", "format"),
    [
        ("x.csv", "csv"),
        ("x.csv.gz", "csv"),
        ("x.ndjson.zst", "ndjson"),
        ("x.parquet", "parquet"),
        ("x.feather", "arrow"),
        ("x.yml", "yaml"),
        ("x.npz.gz", None),
        ("x", None),
        ("folder.npz/x", None),
        ("folder.npy/", "npy"),
    ],
)
def test_what_a_suffix_says(name: str, format: str | None) -> None:
    assert detection.from_suffix(name) == format


def test_format_by_magic_before_suffix(tmp_path: Path) -> None:
    (tmp_path / "x.npy").write_bytes(cn.encode(DATA, "npz"))
    assert cn.read(tmp_path / "x.npy").equals(DATA)
    (tmp_path / "x.npz").write_bytes(b"PAR1" + bytes(100))
    with pytest.raises(cn.DecodeError, match=r"parquet: .*PAR1"):
        cn.read(tmp_path / "x.npz")


def test_unknown_formats_are_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(cn.OptionError, match=r"nearest: 'npz'.*Known: npz, npy, arrow"):
        cn.encode(DATA, "npzz")
    with pytest.raises(cn.OptionError, match=r"Known: \.npz \.npy"):
        cn.write(DATA, tmp_path / "x.xlsx")
    assert list(tmp_path.iterdir()) == []


def test_unknown_bytes(tmp_path: Path) -> None:
    (tmp_path / "x.bin").write_bytes(b"hello, world")
    with pytest.raises(cn.DecodeError, match=r"x\.bin.*b'hello, w'.*Known: npz"):
        cn.read(tmp_path / "x.bin")
    (tmp_path / "empty").write_bytes(b"")
    with pytest.raises(cn.DecodeError, match="no bytes"):
        cn.read(tmp_path / "empty")


def test_format_that_the_bytes_contradict() -> None:
    file = io.BytesIO()
    np.save(file, np.eye(2))
    with pytest.raises(cn.DecodeError, match="expected npz, found the first bytes of npy"):
        cn.read(file.getvalue(), format="npz")


def test_directories(tmp_path: Path) -> None:
    cn.write(TABLE, tmp_path / "plain", format="npy")
    cn.write(TABLE, tmp_path / "named.npy")
    for name in ("plain", "named.npy"):
        assert (tmp_path / name / "__meta__.json").is_file()
        pd.testing.assert_frame_equal(cn.read(tmp_path / name).to_native(), TABLE)
    cn.write(TABLE.head(2), tmp_path / "plain", format="npy")
    assert cn.read(tmp_path / "plain").shape == (2, 2)


def test_lone_arrays(tmp_path: Path) -> None:
    for data in (np.arange(5), np.eye(3), np.asfortranarray(np.eye(3)[:2])):
        cn.write(data, tmp_path / "x.npy")
        np.testing.assert_array_equal(np.load(tmp_path / "x.npy"), data)
        assert cn.read(tmp_path / "x.npy").equals(data)
    cn.write(np.eye(3), tmp_path / "folder", format="npy", directory=True)
    assert (tmp_path / "folder").is_dir()
    with pytest.raises(cn.EncodeError):
        cn.write(TABLE, tmp_path / "y.npy", directory=False)
    assert not (tmp_path / "y.npy").exists()
    with pytest.raises(cn.EncodeError, match="format='npz'"):
        cn.encode(TABLE, "npy")


@each(
    "dtype",
    [
        np.dtype([(("a title", "x"), "<f8"), ("y", "<i4")]),
        np.dtype([("x", "<i4"), ("y", "<f8")], align=True),
        np.dtype({"names": ["x", "y"], "formats": ["<i4", "<f8"], "offsets": [0, 4], "itemsize": 16}),
    ],
)
def test_a_single_file_refuses_a_structured_dtype_that_it_would_change(dtype: np.dtype, tmp_path: Path) -> None:
    data = np.zeros(3, dtype)
    message = "npy: a single file holds a structured dtype without titles, alignment and padding"
    for write in (
        lambda: cn.write(data, tmp_path / "x.npy", directory=False),
        lambda: cn.encode(data, "npy", directory=False),
    ):
        with pytest.raises(cn.EncodeError, match=message):
            write()
    assert not (tmp_path / "x.npy").exists()
    cn.write(data, tmp_path / "x.npy")
    assert cn.read(tmp_path / "x.npy").to_numpy().dtype == dtype


# ---------------------------------------------------------------------------- options


@each(
    ("call", "message"),
    [
        (lambda: cn.encode(DATA, "npz", compresion="zstd"), "unknown option 'compresion'; nearest: 'compression'"),
        (lambda: cn.read(b"", mmp=False), "unknown option 'mmp'; nearest: 'mmap'"),
        (lambda: cn.encode(DATA, "npz", mmap=True), "'mmap' is an option of reading, not of writing"),
        (lambda: cn.read(b"", alow_truncated=True), "nearest: 'allow_truncated'."),
        (lambda: cn.read("none.arrow", mmp=False), "arrow: unknown option 'mmp'; nearest: 'mmap'"),
        (lambda: cn.read(Path("none.arrows"), mmp=False), "arrows: unknown option 'mmp'; nearest: 'mmap'"),
        (lambda: cn.read("none.npz", allow_truncate=True), "npz: unknown option 'allow_truncate'. Options here: "),
        (lambda: cn.read("none.parquet", mmp=False), "parquet: unknown option 'mmp'; nearest: 'mmap'"),
        (lambda: cn.read("none.arrow", fsync=True), "arrow: 'fsync' is an option of writing, not of reading"),
        (lambda: cn.read(b"", fsync=True), "'fsync' is an option of writing, not of reading"),
        (lambda: cn.encode(DATA, "npz", directory=True), "it is an option of npy"),
        (lambda: cn.encode(DATA, "npz", compression="gzip"), "expected None, 'zstd', 'deflate', found 'gzip'"),
        (lambda: cn.NpzOptions(compression_level=3), "compression_level: expected None where nothing is compressed"),
        (lambda: cn.NpzOptions(compression="zstd", compression_level=23), "expected 1 to 22 for zstd, found 23"),
        (
            lambda: cn.NpzOptions(compression="deflate", compression_level=True),
            "expected 1 to 9 for deflate, found True",
        ),
        (lambda: cn.NpzOptions(compat="pandas"), "expected None, 'static-frame', found 'pandas'"),
        (lambda: cn.NpzOptions(compat="static-frame", compression="zstd"), "StaticFrame reads stored members only"),
        (lambda: cn.NpzOptions(fsync=1), "fsync: expected True or False, found 1"),
        (lambda: cn.NpzOptions(mmap="yes"), "mmap: expected True, False or None"),
        (lambda: cn.NpzOptions(threads=0), "threads: expected an int of at least 1"),
        (lambda: cn.NpzOptions(threads=2.0), "threads: expected an int of at least 1"),
        (lambda: cn.NpzOptions(limits=5), "limits: expected colonnade.Limits"),
        (lambda: cn.NpzOptions(progress=5), "progress: expected None, True or a function"),
        (lambda: cn.NpyOptions(directory="yes"), "directory: expected True, False or None"),
        (lambda: cn.read(cn.encode(DATA, "npz"), rows=slice(0, 4, 2)), "rows: expected a step of 1, found 2"),
    ],
)
def test_options_are_checked(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(cn.OptionError) as caught:
        call()
    assert message in str(caught.value)


@pytest.mark.parametrize("rows", [3, (0, 2), [0, 1], slice("a", "b")], ids=str)
def test_rows_are_a_slice(rows: Any) -> None:
    with pytest.raises(TypeError, match="rows: expected a slice of positions"):
        cn.read(cn.encode(DATA, "npz"), rows=rows)


def test_options_are_checked_before_a_stream_is_touched() -> None:
    stream = io.BytesIO(cn.encode(DATA, "npz"))
    with pytest.raises(cn.OptionError):
        cn.read(stream, colums=["a"])
    assert cn.read(stream).equals(DATA)


def test_options_are_values() -> None:
    assert cn.NpzOptions(compression="zstd") == cn.NpzOptions(compression="zstd")
    with pytest.raises(AttributeError):
        cn.NpzOptions().level = 3  # type: ignore[misc]


def test_compression_by_label() -> None:
    data = {"a": np.zeros(10_000), "b": np.zeros(10_000)}
    members = {m["name"]: m["method"] for m in cn.inspect(cn.encode(data, "npz", compression={"b": "deflate"})).members}
    assert members["__blocks_0__.npy"] == "stored"
    assert members["__blocks_1__.npy"] == "deflate"
    with pytest.raises(cn.ColumnNotFound, match="'c'"):
        cn.encode(data, "npz", compression={"c": "zstd"})


def test_columns_and_rows() -> None:
    frame = cn.read(cn.encode(DATA, "npz"), columns=["b", "a"], rows=slice(1, -1))
    assert frame.shape == (3, 2)
    assert frame.equals(cn.Frame(DATA).select(["b", "a"]).slice(1, 4))


def test_mmap_or_not(tmp_path: Path) -> None:
    data = {"x": np.arange(1 << 18)}
    cn.write(data, tmp_path / "x.npz")
    for mmap in (None, True, False):
        assert cn.read(tmp_path / "x.npz", mmap=mmap, verify=True).equals(data)


def test_limits() -> None:
    data = cn.encode({"x": np.zeros(1 << 16)}, "npz")
    assert cn.read(data, limits=cn.Limits(max_nbytes=1 << 22)).shape == (1 << 16, 1)
    with pytest.raises(cn.LimitError):
        cn.read(data, limits=cn.Limits(max_nbytes=1 << 10)).to_numpy()


# ---------------------------------------------------------------------------- threads


def test_threads_are_asked_told_or_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLONNADE_THREADS", raising=False)
    assert _threads.resolve_threads(3) == 3
    assert 1 <= _threads.resolve_threads(None) <= 4096
    monkeypatch.setenv("COLONNADE_THREADS", "7")
    assert _threads.resolve_threads(None) == 7
    assert _threads.resolve_threads(2) == 2
    for wrong in ("0", "many"):
        monkeypatch.setenv("COLONNADE_THREADS", wrong)
        with pytest.raises(cn.OptionError, match="COLONNADE_THREADS"):
            _threads.resolve_threads(None)


def test_one_thread_inside_a_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys
    import types

    monkeypatch.delenv("COLONNADE_THREADS", raising=False)
    worker = types.ModuleType("distributed.worker")
    worker.get_worker = object  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "distributed.worker", worker)
    assert _threads.resolve_threads(None) == 1


def test_network_file_systems(monkeypatch: pytest.MonkeyPatch) -> None:
    table = "36 35 98:0 / /a rw shared:1 - ext4 /dev/x rw\n"
    table += "37 35 0:50 / /b rw - nfs4 host:/b rw\n38 35 0:51 / /c rw - fuse.sshfs x rw\n"
    monkeypatch.setattr("builtins.open", lambda *_, **__: io.StringIO(table))
    _mounts._tables.cache_clear()
    every, network = _mounts._tables()
    _mounts._tables.cache_clear()
    import os

    assert network == {os.makedev(0, 50), os.makedev(0, 51)}
    assert os.makedev(98, 0) in every


# ---------------------------------------------------------------------------- progress


def test_progress_is_told(tmp_path: Path) -> None:
    calls: list[tuple[int, int | None]] = []
    data = {"x": np.arange(1 << 20)}
    cn.write(data, tmp_path / "x.npz", compression="deflate", progress=lambda done, total: calls.append((done, total)))
    assert calls
    assert [done for done, _ in calls] == sorted(done for done, _ in calls)
    assert calls[-1][1] in (None, calls[-1][0])  # the sum of compressed bytes is not known before
    calls.clear()
    cn.read(tmp_path / "x.npz", progress=lambda done, total: calls.append((done, total))).to_numpy()
    assert calls
    calls.clear()
    cn.convert(tmp_path / "x.npz", tmp_path / "y.npz", progress=lambda done, total: calls.append((done, total)))
    assert [done for done, _ in calls] == sorted(done for done, _ in calls)
    assert calls[-1][0] == calls[-1][1]


def test_exception_in_progress_stops_the_write(tmp_path: Path) -> None:
    def stop(done: int, total: int | None) -> None:
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        cn.write({"x": np.arange(1 << 20)}, tmp_path / "x.npz", progress=stop)
    assert list(tmp_path.iterdir()) == []


def test_progress_bar_goes_to_stderr(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cn.write({"x": np.arange(1 << 18)}, tmp_path / "x.npz", progress=True)
    assert capsys.readouterr().out == ""


# ---------------------------------------------------------------------------- whole journeys


def test_pandas_round_trip(tmp_path: Path) -> None:
    cn.write(TABLE, tmp_path / "x.npz")
    pd.testing.assert_frame_equal(cn.read_pandas(tmp_path / "x.npz"), TABLE)
    pd.testing.assert_frame_equal(
        cn.read_pandas(tmp_path / "x.npz", columns=["b"], rows=slice(1, 3)), TABLE[["b"]].iloc[1:3]
    )


def test_convert_takes_keywords_and_objects(tmp_path: Path) -> None:
    cn.write(DATA, tmp_path / "x.npz")
    cn.convert(
        tmp_path / "x.npz",
        tmp_path / "y.npz",
        read_options={"columns": ["b"], "rows": slice(0, 2), "mmap": False},
        write_options=cn.NpzOptions(compression="deflate"),
    )
    assert cn.read(tmp_path / "y.npz").equals({"b": DATA["b"][:2]})
    sink = cn.BufferSink()
    cn.convert(tmp_path / "x.npz", sink, write_options=cn.NpzOptions())
    assert cn.read(sink).equals(DATA)
    with pytest.raises(cn.OptionError, match="unknown option"):
        cn.convert(tmp_path / "x.npz", tmp_path / "z.npz", write_options={"levle": 3})
    with pytest.raises(TypeError, match="read_options: expected a mapping"):
        cn.convert(tmp_path / "x.npz", tmp_path / "z.npz", read_options="npz")  # type: ignore[arg-type]
    assert not (tmp_path / "z.npz").exists()


def test_sparse_columns_are_densified_only_if_asked() -> None:
    data = pd.DataFrame({"x": pd.arrays.SparseArray([0, 0, 1])})
    pd.testing.assert_frame_equal(cn.decode(cn.encode(data, "npz")).to_pandas(), data)
    back = cn.decode(cn.encode(data, "npz", densify_sparse=True)).to_pandas()
    pd.testing.assert_frame_equal(back, data.sparse.to_dense())
    assert cn.Frame(data, densify_sparse=True).equals(back)


def test_same_bytes_every_time() -> None:
    assert cn.encode(TABLE, "npz") == cn.encode(TABLE.copy(), "npz")


def test_decode_wants_bytes() -> None:
    with pytest.raises(TypeError, match=r"Use cn\.read"):
        cn.decode("x.npz")


# ---------------------------------------------------------------------------- inspect


def test_inspect(tmp_path: Path) -> None:
    cn.write(TABLE, tmp_path / "x.npz")
    info = cn.inspect(tmp_path / "x.npz")
    assert (info.format, info.layout, info.kind, info.shape) == ("npz", "zip", "frame", (3, 2))
    assert info.origin["library"] == "pandas"
    assert info.version is not None
    assert info.file_nbytes == (tmp_path / "x.npz").stat().st_size
    assert info.schema is not None
    assert [field.label for field in info.schema.fields] == ["a", "b"]
    assert info.index is not None
    assert info.index.names == ("key",)
    with zipfile.ZipFile(tmp_path / "x.npz") as archive:
        assert [member["name"] for member in info.members] == archive.namelist()
        assert [member["crc32"] for member in info.members] == [item.CRC for item in archive.infolist()]
    assert "key" in repr(info)


def test_inspect_foreign_files(tmp_path: Path) -> None:
    np.savez(tmp_path / "x.npz", a=np.arange(3), b=np.arange(3.0))
    info = cn.inspect(tmp_path / "x.npz")
    assert (info.kind, info.shape, info.version) == ("savez", (3, 2), None)
    np.savez(tmp_path / "y.npz", a=np.arange(3), b=np.eye(2))
    info = cn.inspect(tmp_path / "y.npz")
    assert info.shape is None
    assert "read_arrays" in (info.problem or "")
    with zipfile.ZipFile(tmp_path / "z.zip", "w") as archive:
        archive.writestr("hello.txt", "hello")
    info = cn.inspect(tmp_path / "z.zip")
    assert (info.kind, info.shape) == ("zip", None)
    assert [member["name"] for member in info.members] == ["hello.txt"]
    assert "hello.txt" in repr(info)


# ---------------------------------------------------------------------------- bundles and arrays


@pytest.mark.parametrize("layout", ["npz", "npy"])
@pytest.mark.parametrize("outer", [None, "deflate"])
def test_bundle(tmp_path: Path, layout: str, outer: str | None) -> None:
    path = tmp_path / "x.zip"
    cn.write_bundle({"one": TABLE, "two": DATA}, path, layout=layout, outer=outer)
    bundle = cn.read_bundle(path)
    assert list(bundle) == ["one", "two"]
    assert len(bundle) == 2
    pd.testing.assert_frame_equal(bundle["one"].to_pandas(), TABLE)
    assert bundle["two"].equals(DATA)
    with pytest.raises(cn.ColumnNotFound) as caught:
        bundle["tow"]
    assert str(caught.value) == "frame 'tow' is not there; nearest: 'two'"
    assert bundle.get("three") is None
    assert cn.inspect(path).labels == ["one", "two"]
    with pytest.raises(cn.UnsupportedError, match="read_bundle"):
        cn.read(path)


@each("label", ["a", "ab", "abc", "abcd", "a longer label/of two parts"])
def test_arrays_of_a_bundle_stand_on_lines(tmp_path: Path, label: str) -> None:
    path = tmp_path / "x.zip"
    columns = {f"c{i}": np.arange(9) + i / 2 for i in range(11)}
    cn.write_bundle({label: columns}, path, layout="npy")
    for name, values in columns.items():
        assert cn.read_bundle(path)[label][name].to_numpy().tolist() == values.tolist()
    raw = path.read_bytes()
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        for info in archive.infolist():
            name_nbytes, extra_nbytes = struct.unpack_from("<HH", raw, info.header_offset + 26)
            start = info.header_offset + 30 + name_nbytes + extra_nbytes
            if info.filename.endswith(".npy"):
                assert raw[start : start + 6] == b"\x93NUMPY"
                assert (start + 10 + struct.unpack_from("<H", raw, start + 8)[0]) % 64 == 0, info.filename


@pytest.mark.parametrize("method", ["zip_npz", "zip_npy"])
def test_bundles_of_static_frame(tmp_path: Path, method: str) -> None:
    frames = [sf.Frame(np.arange(4).reshape(2, 2), columns=("a", "b"), name=name) for name in ("one", "two")]
    path = tmp_path / "x.zip"
    getattr(sf.Batch.from_frames(frames), f"to_{method}")(path)
    bundle = cn.read_bundle(path)
    assert list(bundle) == ["one", "two"]
    for frame in frames:
        assert bundle[frame.name].to_static_frame().equals(frame, compare_name=True)
    cn.write_bundle(bundle, tmp_path / "back.zip", layout=method[4:])
    back = getattr(sf.Batch, f"from_{method}")(tmp_path / "back.zip")
    for (label, frame), expected in zip(back.items(), frames, strict=True):
        assert label == expected.name
        assert frame.equals(expected, compare_name=True)


def test_bundle_errors(tmp_path: Path) -> None:
    path = tmp_path / "x.zip"
    for frames, error in (({1: DATA}, TypeError), ([("a", DATA), ("a", DATA)], cn.OptionError)):
        with pytest.raises(error, match="frames: expected"):
            cn.write_bundle(frames, path)  # type: ignore[arg-type]
    with pytest.raises(cn.OptionError, match="layout"):
        cn.write_bundle({}, path, layout="zip")
    with pytest.raises(cn.UnsupportedError, match="path"):
        cn.write_bundle({"a": DATA}, io.BytesIO())
    with pytest.raises(cn.ColonnadeError):
        cn.write_bundle({"../up": DATA}, path)
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(cn.DecodeError, match=r"cn\.read\(source\)"):
        cn.read_bundle(cn.encode(DATA, "npz"))


def test_arrays(tmp_path: Path) -> None:
    arrays = {"a": np.arange(3), "b": np.eye(2), "c": np.array("x"), "d": np.zeros((2, 3, 4), "c8")}
    np.savez_compressed(tmp_path / "x.npz", **arrays)
    found = cn.read_arrays(tmp_path / "x.npz")
    assert list(found) == list(arrays)
    for name, array in arrays.items():
        np.testing.assert_array_equal(found[name], array, strict=True)
    with pytest.raises(cn.UnsupportedError, match="read_arrays"):
        cn.read(tmp_path / "x.npz")


def test_pickled_arrays_are_refused(tmp_path: Path) -> None:
    np.savez(tmp_path / "x.npz", a=np.array([object()]))
    with pytest.raises(cn.ColonnadeError):
        cn.read_arrays(tmp_path / "x.npz")
