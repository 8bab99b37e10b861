"""The contract of a format plug-in."""

import inspect
import io
import os
import threading
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import colonnade as cn

from ._plugin_base import PluginContract, assert_same_values, needs

_CUTS = 24  # places at which a file is cut or damaged


class FormatContract(PluginContract):
    """The cases of a format: written frames come back from every source, and errors are typed."""

    def frames(self) -> Mapping[str, Any]:
        """Return data that the format can hold, by name. Each value is anything that `colonnade.Frame` takes.

        Default: numbers, floats with NaN, text with nulls, no rows. Override it for a format that holds other types.
        The first value has at least 3 rows and 2 columns with text labels, which the cases of columns and rows select.
        """
        numbers = {"count": np.array([1, -2, 2**40, 0]), "price": np.array([0.5, np.nan, -0.0, 1e300])}
        return {
            "numbers": numbers,
            "text": [{"id": 1, "name": "é"}, {"id": 2, "name": None}, {"id": 3, "name": ""}],
            "no rows": {label: values[:0] for label, values in numbers.items()},
        }

    def assert_same(self, found: cn.Frame, data: Any) -> None:
        """Assert that a frame equals the written data. Default: the same labels and values (`assert_same_values`).

        Override it for a format that changes values, such as the unit of times.
        """
        assert_same_values(found, data)

    # ------------------------------------------------------------------ round trips

    @needs("read", "write")
    def test_frames_come_back_from_files(self, tmp_path: Path) -> None:
        """By suffix, where the format has one; the file may be removed once it is read."""
        for name, data in self.frames().items():
            for suffix in self._suffixes():
                path = tmp_path / f"{name}{suffix}"
                cn.write(data, path, **self._format_unless(suffix))
                frame = cn.read(path, **self._format_unless(suffix))
                os.unlink(path)
                self.assert_same(frame, data)

    @needs("read", "write")
    def test_frames_come_back_from_memory_file_objects_and_pipes(self) -> None:
        """The plug-in sees bytes; where they are from is Colonnade's part."""
        name = self._name()
        for data in self.frames().values():
            encoded = cn.encode(data, name)
            kept = bytes(encoded)
            self.assert_same(cn.decode(encoded, name), data)
            self.assert_same(cn.read(io.BytesIO(encoded), format=name), data)
            self.assert_same(_through_pipe(encoded, name), data)
            sink = cn.BufferSink()
            cn.write(data, sink, format=name)
            self.assert_same(cn.read(sink, format=name), data)
            assert encoded == kept, "reading changed the bytes of the source"

    @needs("read", "write")
    def test_a_file_without_suffix_is_detected(self, tmp_path: Path) -> None:
        """By `magic` or `detect`."""
        if not self.plugin().magic and "detect" not in vars(type(self.plugin())):
            pytest.skip("the format has neither magic nor detect()")
        path = tmp_path / "file"
        cn.write(self._first(), path, format=self._name())
        assert cn.inspect(path).format == self._name()

    @needs("read", "write")
    def test_it_is_described_verified_and_converted(self, tmp_path: Path) -> None:
        """`inspect`, `verify`, and `convert` in both directions."""
        name, first = self._name(), cn.Frame(self._first())
        source, between, target = (tmp_path / file for file in ("a", "b.arrow", "c"))
        cn.write(first, source, format=name)
        info = cn.inspect(source, format=name)
        assert (info.format, info.shape) == (name, first.shape)
        cn.verify(source, format=name)
        cn.convert(source, between, read_options={"format": name})
        cn.convert(between, target, write_options={"format": name})
        self.assert_same(cn.read(target, format=name), first)

    @needs("read", "write")
    def test_columns_and_rows_are_selected(self) -> None:
        """In the order asked; a missing column is named."""
        name, first = self._name(), cn.Frame(self._first())
        data, labels = cn.encode(first, name), list(first)
        wanted = [labels[-1], labels[0]]
        self.assert_same(cn.decode(data, name, columns=wanted), first.select(wanted))
        part = cn.decode(data, name, columns=labels[:1], rows=slice(1, 3))
        self.assert_same(part, first.select(labels[:1]).slice(1, 3))
        with pytest.raises(cn.ColumnNotFound, match="no such column"):
            cn.decode(data, name, columns=["no such column"])

    @needs("read", "write")
    def test_several_threads_read_at_once(self) -> None:
        """One plug-in object serves all threads."""
        name, first = self._name(), self._first()
        data = cn.encode(first, name)
        with ThreadPoolExecutor(4) as pool:
            for frame in pool.map(lambda _: cn.decode(data, name), range(8)):
                self.assert_same(frame, first)

    # ------------------------------------------------------------------ chunks

    @needs("read", "open_writer")
    def test_chunks_become_one_frame(self, tmp_path: Path) -> None:
        """`open_writer` is given one chunk after the other."""
        name, first = self._name(), cn.Frame(self._first())
        with cn.open_writer(tmp_path / "file", format=name) as writer:
            for row in range(len(first)):
                writer.write(first.slice(row, row + 1))
        self.assert_same(cn.read(tmp_path / "file", format=name), first)

    @needs("read_chunks", "write")
    def test_a_reader_gives_all_rows(self) -> None:
        """Chunk by chunk, of data with rows and without."""
        name = self._name()
        for data in self.frames().values():
            encoded = cn.encode(data, name)
            with cn.open_reader(encoded, format=name) as reader:
                assert [field.label for field in reader.schema.fields] == list(cn.Frame(data))
                self.assert_same(reader.read_all(), data)

    # ------------------------------------------------------------------ errors

    @needs("write")
    def test_a_failed_write_leaves_the_old_file(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Also if the plug-in has closed the file before it fails."""
        path = tmp_path / "file"
        cn.write(self._first(), path, format=self._name())
        before = path.read_bytes()
        cls = type(self.plugin())
        for method in {"write", "open_writer"} & set(self.plugin().capabilities):
            monkeypatch.setattr(cls, method, _failing)
        with pytest.raises(cn.PluginError, match="on purpose"):
            cn.write(self._first(), path, format=self._name())
        assert path.read_bytes() == before
        assert os.listdir(tmp_path) == ["file"]

    @needs("read", "write")
    def test_damaged_bytes_are_read_or_refused_by_a_typed_error(self) -> None:
        """A cut file, or one with a changed byte: a `ColonnadeError` that is no `PluginError`, if any error at all."""
        name = self._name()
        data = cn.encode(self._first(), name)
        places = sorted({len(data) * i // _CUTS for i in range(_CUTS)})
        damaged = [data[:place] for place in places]
        damaged += [data[:place] + bytes([data[place] ^ 0x55]) + data[place + 1 :] for place in places]
        for bytes_ in damaged:
            try:
                cn.decode(bytes_, name).to_arrow()
            except cn.PluginError as error:
                raise AssertionError(f"damaged bytes are no fault of the plug-in; raise ValueError: {error}") from error
            except (cn.ColonnadeError, MemoryError):
                pass

    @needs("write")
    def test_unknown_options_are_refused_by_name(self) -> None:
        """The options that the plug-in declares are the only ones."""
        with pytest.raises(cn.OptionError, match="no_such_option"):
            cn.encode(self._first(), self._name(), no_such_option=1)  # type: ignore[call-overload]

    # ------------------------------------------------------------------ within

    def _name(self) -> str:
        return str(self.plugin().name)

    def _first(self) -> Any:
        return next(iter(self.frames().values()))

    def _suffixes(self) -> tuple[str, ...]:
        return tuple(self.plugin().suffixes) or ("",)

    def _format_unless(self, suffix: str) -> dict[str, Any]:
        return {} if suffix else {"format": self._name()}


def _failing(self: Any, *arguments: Any) -> Any:
    [file] = [argument for argument in arguments if hasattr(argument, "write") and not inspect.isclass(argument)][:1]
    file.write(b"half a file")
    file.close()
    raise RuntimeError("on purpose")


def _through_pipe(data: bytes, format: str) -> cn.Frame:
    reading, writing = os.pipe()

    def send() -> Iterator[None]:
        with open(writing, "wb") as file:
            file.write(data)
        yield

    thread = threading.Thread(target=lambda: list(send()))
    thread.start()
    try:
        with open(reading, "rb", buffering=0) as file:
            return cn.read(file, format=format)
    finally:
        thread.join()
