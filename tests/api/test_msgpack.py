"""MessagePack through the facade: detection, options, bundles, every kind of source and target."""

import gzip
import io
import json
import os
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import colonnade as cn
from colonnade import cli
from colonnade._io import detection
from tests.helpers.each import each

DATA = {"a": np.array([1, 2, 3]), "b": np.array([0.5, -0.0, np.nan])}
HEADS = [b"\x81", b"\x8f", b"\xde\x00\x03", b"\xdf\x00\x00\x00\x03"]
KEY = b"\xad__colonnade__"
ROWS = b"\x92\x81\xa1a\x01\x81\xa1a\x02"  # [{"a": 1}, {"a": 2}]


@pytest.mark.parametrize("head", HEADS)
def test_our_own_is_told_by_its_first_key(head: bytes) -> None:
    assert detection.from_magic((head + KEY)[: detection.MAGIC_NBYTES]) == "msgpack"
    assert (
        detection.from_magic((head + b"\xad__colonnades")[: detection.MAGIC_NBYTES]) == "msgpack"
    )  # as far as is seen
    assert detection.from_magic((head + b"\xa1a\x01\x02\x03\x04\x05")[: detection.MAGIC_NBYTES]) is None
    for length in range(len(head) + 2):
        assert detection.from_magic((head + KEY)[:length]) is None


@pytest.mark.parametrize("options", [{}, {"orient": "records"}, {"orient": "split"}, {"compat": "old-spec"}])
def test_ours_needs_no_name(options: dict[str, Any], tmp_path: Path) -> None:
    data = cn.encode(DATA, "msgpack", **options)
    assert cn.decode(data).identical(cn.Frame(DATA))
    (tmp_path / "x").write_bytes(data)
    assert cn.read(tmp_path / "x").identical(cn.Frame(DATA))


def test_what_others_wrote_is_told_by_suffix_or_format(tmp_path: Path) -> None:
    (tmp_path / "x.msgpack").write_bytes(ROWS)
    (tmp_path / "x.bin").write_bytes(ROWS)
    assert cn.read(tmp_path / "x.msgpack")["a"].to_numpy().tolist() == [1, 2]
    assert cn.read(tmp_path / "x.bin", format="msgpack")["a"].to_numpy().tolist() == [1, 2]
    with pytest.raises(cn.DecodeError, match=r"MessagePack has no magic: if it is that, pass format='msgpack'"):
        cn.read(tmp_path / "x.bin")
    (tmp_path / "y.msgpack").write_bytes(cn.encode(DATA, "npz"))
    assert cn.inspect(tmp_path / "y.msgpack").format == "npz"
    with pytest.raises(cn.DecodeError, match="expected msgpack, found the first bytes of npz"):
        cn.read(tmp_path / "y.msgpack", format="msgpack")
    with pytest.raises(cn.DecodeError, match="expected a file, found a directory"):
        cn.read(tmp_path, format="msgpack")
    (tmp_path / "z.msgpack").write_bytes(b"hello, world")
    with pytest.raises(cn.DecodeError, match="msgpack"):
        cn.read(tmp_path / "z.msgpack")


@each(
    ("options", "message"),
    [
        ({"orient": "rows"}, "orient: expected None, 'columns', 'records', 'split', found 'rows'"),
        ({"numbers": "packd"}, "numbers: expected 'plain' or 'packed', found 'packd'; nearest: 'packed'"),
        ({"numbers": None}, "numbers: expected 'plain' or 'packed', found None"),
        ({"header": None}, "header: expected True or False"),
        ({"compat": "old"}, "compat: expected None, 'old-spec', found 'old'"),
        ({"numbers": "packed", "header": False}, "numbers: expected header=True with 'packed'"),
        ({"numbers": "packed", "orient": "split"}, "numbers: expected orient='columns' with 'packed'"),
        ({"numbers": "packed", "compat": "old-spec"}, "numbers: expected compat=None with 'packed'"),
        ({"ext": "bytes"}, "'ext' is an option of reading"),
        ({"compression": "zstd"}, "unknown option 'compression'; it is an option of npz, arrow, arrows"),
    ],
)
def test_options_of_writing(options: dict[str, Any], message: str) -> None:
    with pytest.raises(cn.OptionError) as caught:
        cn.encode(DATA, "msgpack", **options)
    assert message in str(caught.value)


@pytest.mark.parametrize("options", [{"ext": "x"}, {"invalid_utf8": "replace"}, {"orient": "x"}, {"header": False}])
def test_options_of_reading(options: dict[str, Any]) -> None:
    with pytest.raises(cn.OptionError, match=next(iter(options))):
        cn.decode(ROWS, "msgpack", **options)
    assert cn.decode(ROWS, "msgpack", orient="records", ext="bytes", invalid_utf8="bytes").shape == (2, 1)


def test_every_target_and_source(tmp_path: Path) -> None:
    wanted = cn.encode(DATA, "msgpack")
    cn.write(DATA, tmp_path / "x.msgpack")
    assert (tmp_path / "x.msgpack").read_bytes() == wanted
    sink, memory = cn.BufferSink(), io.BytesIO()
    cn.write(DATA, sink, format="msgpack")
    cn.write(DATA, memory, format="msgpack")
    with gzip.open(tmp_path / "x.gz", "wb") as packed:
        cn.write(DATA, packed, format="msgpack")
    assert bytes(memoryview(sink)) == memory.getvalue() == gzip.decompress((tmp_path / "x.gz").read_bytes()) == wanted
    readers, writers = os.pipe()
    thread = threading.Thread(target=lambda: (cn.write(DATA, writers, format="msgpack"), os.close(writers)))
    thread.start()
    piped = cn.read(readers)
    thread.join()
    os.close(readers)
    with gzip.open(tmp_path / "x.gz") as packed:
        unpacked = cn.read(packed)
    for found in (piped, unpacked, cn.read(sink), cn.read(tmp_path / "x.msgpack", mmap=False, verify=True)):
        assert found.identical(cn.Frame(DATA))
    cn.verify(sink)


def test_parts(tmp_path: Path) -> None:
    cn.write(DATA, tmp_path / "x.msgpack")
    part = cn.read(tmp_path / "x.msgpack", columns=["b"], rows=slice(1, 3))
    np.testing.assert_array_equal(part["b"].to_numpy(), DATA["b"][1:])
    with cn.open_reader(tmp_path / "x.msgpack") as reader:
        assert [frame.shape for frame in reader] == [(3, 2)]


@pytest.mark.parametrize("other", ["npz", "arrow", "arrows", "msgpack"])
def test_convert(other: str, tmp_path: Path) -> None:
    cn.write(DATA, tmp_path / f"x.{other}")
    told: list[tuple[int, int | None]] = []
    cn.convert(tmp_path / f"x.{other}", tmp_path / "y.msgpack", progress=lambda *seen: told.append(seen))
    cn.convert(tmp_path / "y.msgpack", tmp_path / f"z.{other}")
    assert told
    assert cn.read(tmp_path / "y.msgpack").identical(cn.Frame(DATA))
    assert cn.read(tmp_path / f"z.{other}").identical(cn.Frame(DATA))


@pytest.mark.parametrize("orient", ["columns", "records", "split"])
def test_inspect(orient: str, tmp_path: Path) -> None:
    cn.write(DATA, tmp_path / "x.msgpack", orient=orient)
    info = cn.inspect(tmp_path / "x.msgpack")
    assert (info.format, info.layout, info.kind, info.shape, info.version) == ("msgpack", orient, "frame", (3, 2), 1)
    assert info.file_nbytes == (tmp_path / "x.msgpack").stat().st_size
    assert info.arrow is None
    assert f"msgpack ({orient}, frame)" in repr(info)
    assert cn.inspect(ROWS, format="msgpack").version is None
    json.dumps(info.to_dict())


# ---------------------------------------------------------------------------- bundles


def test_bundles(tmp_path: Path) -> None:
    frames = {"one": DATA, "two": {"c": np.array([True])}, "": {"d": np.arange(0)}}
    cn.write_bundle(frames, tmp_path / "x.msgpack")
    sink = cn.BufferSink()
    cn.write_bundle(frames.items(), sink, format="msgpack")
    assert bytes(memoryview(sink)) == (tmp_path / "x.msgpack").read_bytes()
    for bundle in (cn.read_bundle(tmp_path / "x.msgpack"), cn.read_bundle(sink, format="msgpack")):
        assert list(bundle) == list(frames)
        for label, data in frames.items():
            assert bundle[label].identical(cn.Frame(data))
    info = cn.inspect(tmp_path / "x.msgpack")
    assert (info.format, info.kind, info.labels, info.shape) == ("msgpack", "bundle", list(frames), None)
    cn.verify(tmp_path / "x.msgpack")
    with pytest.raises(cn.DecodeError, match="msgpack"):
        cn.read(tmp_path / "x.msgpack").to_numpy()


def test_bundles_of_others() -> None:
    told = b"\x82\xa3one" + ROWS + b"\xa3two\x81\xa1b\x91\xc3"  # {"one": [...], "two": {"b": [true]}}
    bundle = cn.read_bundle(told, format="msgpack")
    assert {label: frame.shape for label, frame in bundle.items()} == {"one": (2, 1), "two": (1, 1)}
    assert bundle["two"]["b"].to_numpy().tolist() == [True]


def test_what_is_no_bundle(tmp_path: Path) -> None:
    cn.write(DATA, tmp_path / "x.msgpack")
    with pytest.raises(cn.DecodeError, match=r"msgpack: expected a bundle of frames.*cn\.read\(source\)"):
        cn.read_bundle(tmp_path / "x.msgpack")
    with pytest.raises(cn.DecodeError, match="expected NPY members, found MessagePack"):
        cn.read_arrays(tmp_path / "x.msgpack")
    with pytest.raises(cn.OptionError, match="layout and outer are of ZIP bundles"):
        cn.write_bundle({"a": DATA}, tmp_path / "y.msgpack", layout="npy")
    with pytest.raises(cn.UnsupportedError, match="arrow: expected a format that holds several frames"):
        cn.write_bundle({"a": DATA}, tmp_path / "y.arrow", format="arrow")
    with pytest.raises(cn.OptionError, match="'a' twice"):
        cn.write_bundle([("a", DATA), ("a", DATA)], tmp_path / "y.msgpack")
    assert [path.name for path in tmp_path.iterdir()] == ["x.msgpack"]


# ---------------------------------------------------------------------------- command line


def test_the_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, target = str(tmp_path / "x.npz"), str(tmp_path / "y.msgpack")
    cn.write(DATA, source)
    assert cli.main(["convert", source, target, "--orient", "records", "--no-header"]) == 0
    assert Path(target).read_bytes()[:5] == b"\x93\x82\xa1a\x01"
    assert cli.main(["info", target]) == 0
    assert "format      msgpack (records, frame)" in capsys.readouterr().out
    assert cli.main(["head", target, "-n", "1", "--columns", "b"]) == 0
    assert "0.5" in capsys.readouterr().out
    bare = str(tmp_path / "bare")
    Path(bare).write_bytes(ROWS)
    assert cli.main(["verify", bare]) == 1
    assert cli.main(["verify", bare, "--from", "msgpack"]) == 0
    assert cli.main(["info", bare, "--from", "msgpack", "--json"]) == 0
    capsys.readouterr()
    assert cli.main(["convert", bare, str(tmp_path / "z.npz"), "--from", "msgpack", "--ext", "bytes"]) == 0
    assert cn.read(tmp_path / "z.npz").shape == (2, 1)
    assert cli.main(["convert", source, target, "--numbers", "packed", "--compat", "old-spec"]) == 2
    assert "--numbers: expected without --compat" in capsys.readouterr().err
