"""Plug-in formats where they meet the built-in ones: the order of detection, options, targets, sources, chunks."""

import io
import os
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import colonnade as cn
from colonnade.plugins import FormatOptions, FormatPlugin, option, register, registered
from colonnade.testing.contracts import FormatContract

DATA = {"a": np.arange(3), "b": np.array([0.5, 1.5, 2.5])}


@dataclass(frozen=True, kw_only=True)
class ZippedOptions(FormatOptions, format="zipped"):
    level: int = option(1, side="write")
    strictly: bool = option(False, side="read")

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.level <= 9:
            raise ValueError(f"level: expected 0 to 9, found {self.level}.")


class Zipped(FormatPlugin):
    """A ZIP with one Arrow stream: first bytes of NPZ, as those of a spreadsheet."""

    name = "zipped"
    suffixes = (".zipped",)
    options = ZippedOptions
    capabilities = ("read", "write", "read_chunks", "open_writer")

    def read(self, source: Any, options: Any, columns: Any) -> Any:
        assert columns is None
        try:
            with zipfile.ZipFile(source.open()) as archive:
                data = archive.read("frame.arrows")
        except (KeyError, zipfile.BadZipFile) as error:
            raise ValueError(str(error)) from error
        except (NotImplementedError, RuntimeError, zipfile.zlib.error) as error:  # type: ignore[attr-defined]
            raise ValueError(str(error)) from error
        return cn.decode(data, "arrows")

    def read_chunks(self, source: Any, options: Any) -> Any:
        frame = self.read(source, options, None)
        for row in range(max(len(frame), 1)):
            yield frame.slice(row, row + 1)

    def write(self, frame: cn.Frame, file: Any, options: Any) -> None:
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=options.level) as archive:
            archive.writestr("frame.arrows", cn.encode(frame, "arrows"))

    def open_writer(self, file: Any, options: Any) -> Any:
        return Writer(self, file, options)


class Writer:
    def __init__(self, plugin: Zipped, file: Any, options: Any) -> None:
        self._sink = cn.BufferSink()
        self._writer = cn.open_writer(self._sink, format="arrows")
        self._where = plugin, file, options

    def write(self, frame: cn.Frame) -> None:
        self._writer.write(frame)

    def close(self) -> None:
        self._writer.close()
        plugin, file, options = self._where
        plugin.write(cn.decode(self._sink, "arrows"), file, options)


class TestZipped(FormatContract):
    is_installed = False

    def plugin(self) -> Zipped:
        return Zipped()


@pytest.fixture
def zipped() -> Any:
    with registered(Zipped()):
        yield


@pytest.mark.usefixtures("zipped")
def test_a_suffix_beats_the_first_bytes_of_a_built_in_format(tmp_path: Path) -> None:
    path = tmp_path / "x.zipped"
    cn.write(DATA, path)
    assert path.read_bytes()[:2] == b"PK"
    assert cn.inspect(path).format == "zipped"
    assert cn.read(path.read_bytes(), format="zipped").shape == (3, 2)
    cn.write(DATA, tmp_path / "y.zip", format="npz")
    assert cn.inspect(tmp_path / "y.zip").format == "npz"


@pytest.mark.usefixtures("zipped")
def test_options_are_those_of_their_side(tmp_path: Path) -> None:
    path = tmp_path / "x.zipped"
    cn.write(DATA, path, level=9, fsync=True)
    assert cn.read(path, strictly=True, verify=True, mmap=False, threads=1).shape == (3, 2)
    assert cn.read(path.read_bytes(), format="zipped", strictly=True).shape == (3, 2)
    for call, text in (
        (lambda: cn.write(DATA, path, strictly=True), "zipped: 'strictly' is an option of reading, not of writing."),
        (lambda: cn.read(path, strict=True), "zipped: unknown option 'strict'; nearest: 'strictly'."),
        (lambda: cn.write(DATA, path, level=10), "zipped (plug-in of this program): level: expected 0 to 9, found 10."),
        (lambda: cn.write(DATA, path, threads=0), "threads: expected"),
    ):
        with pytest.raises(cn.OptionError) as raised:
            call()
        assert str(raised.value).startswith(text)


@pytest.mark.usefixtures("zipped")
def test_a_write_follows_links_keeps_the_mode_and_makes_folders(tmp_path: Path) -> None:
    target, link = tmp_path / "x.zipped", tmp_path / "link.zipped"
    target.write_bytes(b"old")
    target.chmod(0o640)
    link.symlink_to(target)
    cn.write(DATA, link)
    assert link.is_symlink()
    assert target.stat().st_mode & 0o777 == 0o640
    assert cn.read(target).shape == (3, 2)
    cn.write(DATA, tmp_path / "new" / "x.zipped", mkdir=True)
    with pytest.raises(FileNotFoundError, match="No such folder"):
        cn.write(DATA, tmp_path / "no" / "x.zipped")
    (tmp_path / "folder.zipped").mkdir()
    with pytest.raises(IsADirectoryError):
        cn.write(DATA, tmp_path / "folder.zipped")
    assert sorted(os.listdir(tmp_path)) == ["folder.zipped", "link.zipped", "new", "x.zipped"]


@pytest.mark.usefixtures("zipped")
def test_the_file_of_a_killed_writer_is_removed(tmp_path: Path) -> None:
    left, other = tmp_path / ".x.zipped.7.0.tmp", tmp_path / ".y.zipped.7.0.tmp"
    for path in (left, other):
        path.write_bytes(b"half")
    cn.write(DATA, tmp_path / "x.zipped")
    assert not left.exists()
    assert other.exists()


@pytest.mark.usefixtures("zipped")
def test_chunks_are_read_ahead_by_one(tmp_path: Path) -> None:
    data = cn.encode(DATA, "zipped")
    with cn.open_reader(data, format="zipped", columns=["b"], rows=slice(1, None)) as reader:
        assert [frame.to_numpy()["b"].tolist() for frame in reader] == [[1.5], [2.5]]
        with pytest.raises(cn.UnsupportedError, match="its chunks come one after the other"):
            reader[0]
    with cn.open_reader(data, format="zipped") as reader:
        next(iter(reader))
        assert reader.read_all().index[:] == [1, 2]
    cn.convert(data, tmp_path / "x.arrow", read_options={"format": "zipped"})
    assert cn.read(tmp_path / "x.arrow").equals(cn.decode(data, "zipped"))


@pytest.mark.usefixtures("zipped")
def test_a_failed_chunk_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "x.zipped"
    path.write_bytes(b"old")
    with pytest.raises(cn.EncodeError, match="expected a chunk like the first"), cn.open_writer(path) as writer:
        writer.write({"a": np.arange(3)})
        writer.write({"b": np.arange(3)})
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["x.zipped"]


@pytest.mark.usefixtures("zipped")
def test_sources_and_targets_that_plug_ins_do_not_have(tmp_path: Path) -> None:
    with pytest.raises(cn.DecodeError, match=r"zipped: .*: expected a file, found a directory"):
        cn.read(tmp_path, format="zipped")
    with pytest.raises(cn.UnsupportedError, match="zipped: expected a format that holds several frames"):
        cn.write_bundle({"x": DATA}, tmp_path / "x.zipped")
    data = cn.encode(DATA, "zipped")
    with pytest.raises(cn.DecodeError, match=r"expected a bundle of frames, found one of kind 'frame'"):
        cn.read_bundle(data, format="zipped")
    with pytest.raises(cn.LimitError, match="expected at most max_nbytes = 10 bytes"):
        cn.decode(data, "zipped", limits=cn.Limits(max_nbytes=10))
    with pytest.raises(cn.LimitError):
        cn.read(io.BufferedReader(Slow(data)), format="zipped", limits=cn.Limits(max_stream_nbytes=10))
    with pytest.raises(FileNotFoundError):
        cn.read(tmp_path / "none.zipped")


class Slow(io.RawIOBase):
    def __init__(self, data: bytes) -> None:
        self._data = io.BytesIO(data)

    def readable(self) -> bool:
        return True

    def readinto(self, room: Any) -> int:
        return self._data.readinto(room[:7])


def test_what_is_registered_is_an_object_of_a_plug_in() -> None:
    for plugin, found in ((Zipped, "Zipped"), (7, "int")):
        with pytest.raises(
            cn.PluginError, match=f"expected an object of a FormatPlugin or AdapterPlugin, found {found}"
        ):
            register(plugin)


def test_progress_is_reported(zipped: None) -> None:
    seen: list[tuple[int, int | None]] = []
    data = cn.encode(DATA, "zipped", progress=lambda done, total: seen.append((done, total)))
    assert seen
    seen.clear()
    cn.decode(data, "zipped", progress=lambda done, total: seen.append((done, total)))
    assert seen == [(len(data), len(data))]
