"""Every error under "Refused" in docs/formats/npz.md, provoked by literal bytes: its class, its member and its byte.

An archive is built field by field (`archives.py`), one field is wrong, and the error must name the member and point
into one of that member's records: its local header, its payload, or its entry in the central directory.
"""

import io
import json
import os
import re
import struct
import zipfile
import zlib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import colonnade as cn
from tests.helpers.archives import DEFLATE, ZSTD, Archive, Member, archive, deflated, npy, npy_with, zstd
from tests.helpers.each import each

INTS = npy(np.arange(4))
FLOATS = npy(np.arange(4) / 2)


def refused(data: bytes | Path, error: type[Exception], *, words: str = "", **options: object) -> str:
    """The text of the error with which every way to read refuses the source."""
    with pytest.raises(error) as caught:
        cn.read(data, **options).to_pandas()
    assert isinstance(caught.value, cn.ColonnadeError)
    with pytest.raises(error):
        cn.verify(data)
    if not options:
        with pytest.raises(error):
            cn.read_arrays(data)
    text = str(caught.value)
    assert re.search(words, text), text
    return text


def points_into(text: str, *spans: tuple[int, int]) -> None:
    """The message gives a byte, and it lies in one of these records."""
    found = re.search(r"at byte (\d+)", text)
    assert found, f"no byte offset: {text}"
    offset = int(found[1])
    assert any(start <= offset <= stop for start, stop in spans), f"byte {offset} is in none of {spans}: {text}"


def refused_member(built: Archive, name: str, error: type[Exception], words: str) -> None:
    text = refused(built.data, error, words=words)
    assert name in text, f"the member is not named: {text}"
    points_into(text, *built.anywhere(name))


# ---------------------------------------------------------------- what an array may be


class TestDtypes:
    def check(self, content: bytes, error: type[Exception], words: str) -> None:
        built = archive(Member("a.npy", INTS), Member("b.npy", content))
        refused_member(built, "b.npy", error, words)

    def test_object_dtype(self) -> None:
        self.check(
            npy_with("{'descr': '|O', 'fortran_order': False, 'shape': (4,), }", b"x" * 32), cn.ColonnadeError, "O"
        )

    def test_pickle_is_never_loaded(self, tmp_path: Path) -> None:
        mark = tmp_path / "executed"

        class Bait:
            def __reduce__(self):
                return (os.mkdir, (str(mark),))

        bait = np.empty(4, dtype=object)
        bait[0] = Bait()
        self.check(npy(bait), cn.ColonnadeError, "O")
        alone = tmp_path / "alone.npy"
        alone.write_bytes(npy(bait))
        with pytest.raises(cn.ColonnadeError):
            cn.read(alone)
        assert not mark.exists()

    def test_structured_with_an_object_field(self) -> None:
        header = "{'descr': [('x', '<i8'), ('y', '|O')], 'fortran_order': False, 'shape': (4,), }"
        self.check(npy_with(header, bytes(64)), cn.ColonnadeError, "O")

    def test_structured_with_an_object_field_inside_a_field(self) -> None:
        header = "{'descr': [('x', [('z', '|O')])], 'fortran_order': False, 'shape': (4,), }"
        self.check(npy_with(header, bytes(32)), cn.ColonnadeError, "O")

    @each(
        "descr",
        [
            "<i3",
            "<f7",
            "<c4",
            "<M8[xx]",
            "<M8[0s]",
            "<m8[ps/0]",
            "|S-1",
            "<U-2",
            "<q8",
            "i",
            "",
            "<f8 ",
            "|X4",
            "(2,)<f8",
        ],
    )
    def test_dtype_outside_the_list(self, descr: str) -> None:
        header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': (4,), }}"
        self.check(npy_with(header, bytes(32)), cn.ColonnadeError, "dtype|descr")

    def test_header_is_a_literal_never_an_expression(self, tmp_path: Path) -> None:
        mark = tmp_path / "executed"
        header = f"__import__('os').mkdir({str(mark)!r})"
        self.check(npy_with(header, bytes(32)), cn.DecodeError, "header")
        assert not mark.exists()

    @pytest.mark.parametrize("version", [(0, 0), (1, 1), (4, 0), (255, 0)])
    def test_unknown_npy_version(self, version: tuple[int, int]) -> None:
        content = bytearray(INTS)
        content[6:8] = bytes(version)
        self.check(bytes(content), cn.ColonnadeError, "version")

    def test_header_longer_than_the_member(self) -> None:
        content = INTS[:8] + struct.pack("<H", 60_000) + INTS[10:]
        self.check(content, cn.DecodeError, "header")

    def test_not_an_array_at_all(self) -> None:
        self.check(b"hello, world", cn.DecodeError, "NUMPY|NPY|magic")


class TestShapes:
    def check(self, content: bytes, error: type[Exception], words: str) -> None:
        built = archive(Member("a.npy", INTS), Member("b.npy", content))
        refused_member(built, "b.npy", error, words)

    def test_fewer_bytes_than_the_shape(self) -> None:
        self.check(INTS[:-1], cn.DecodeError, "byte")

    def test_more_bytes_than_the_shape(self) -> None:
        self.check(INTS + b"\0", cn.DecodeError, "byte")

    @each("shape", ["(-1,)", "(2, -2)", "(1e3,)", "('4',)", "[4]", "None", "4", "(4,", "(4 5)"])
    def test_shape_that_is_no_tuple_of_counts(self, shape: str) -> None:
        header = f"{{'descr': '<i8', 'fortran_order': False, 'shape': {shape}, }}"
        self.check(npy_with(header, bytes(32)), cn.DecodeError, "shape|header")

    @each("shape", [f"({2**40},)", f"({2**62}, 4)", f"({2**63},)", f"({2**64 + 4},)", f"({2**32}, {2**32})"])
    def test_shape_over_what_the_bytes_hold(self, shape: str) -> None:
        header = f"{{'descr': '<i8', 'fortran_order': False, 'shape': {shape}, }}"
        self.check(npy_with(header, bytes(32)), cn.ColonnadeError, "byte|shape")


# ---------------------------------------------------------------- what an archive may be


class TestMembers:
    def test_members_overlap(self) -> None:
        inner = archive(Member("b.npy", FLOATS))
        start, stop = inner.local["b.npy"][0], inner.payload["b.npy"][1]
        carrier = npy(np.frombuffer(inner.data[start:stop], dtype=np.uint8))
        at = 30 + len("a.npy") + carrier.index(b"PK\x03\x04")
        built = archive(Member("a.npy", carrier), Member("b.npy", FLOATS, central={"offset": at}))
        text = refused(built.data, cn.DecodeError, words="overlap")
        assert "a.npy" in text or "b.npy" in text
        points_into(text, (0, built.end[0]))

    def test_one_member_listed_under_two_offsets_inside_the_directory(self) -> None:
        whole = archive(Member("a.npy", INTS))
        built = archive(
            Member("a.npy", INTS), Member("b.npy", FLOATS, central={"offset": whole.central["a.npy"][0] + 20})
        )
        refused(built.data, cn.DecodeError, words="b.npy")

    @pytest.mark.parametrize("offset", [10_000, 2**31, 2**32 - 2])
    def test_local_header_outside_the_file(self, offset: int) -> None:
        """The byte is the one that the directory claims, or that of the directory's own record."""
        built = archive(Member("a.npy", INTS), Member("b.npy", FLOATS, central={"offset": offset}))
        text = refused(built.data, cn.DecodeError, words="b.npy")
        points_into(text, built.central["b.npy"], (offset, offset))

    @pytest.mark.parametrize("nbytes", [5_000, 2**31, 2**32 - 2])
    def test_payload_outside_the_file(self, nbytes: int) -> None:
        sizes = {"csize": nbytes, "usize": nbytes}
        built = archive(Member("a.npy", INTS), Member("b.npy", FLOATS, local=sizes, central=sizes))
        refused_member(built, "b.npy", cn.ColonnadeError, "byte")

    def test_two_members_of_one_name(self) -> None:
        built = archive(Member("a.npy", INTS), Member("a.npy", FLOATS))
        text = refused(built.data, cn.DecodeError, words="twice|share|same name|duplicate")
        assert "a.npy" in text
        points_into(text, (0, built.end[0]))

    def test_a_long_name_is_shortened_in_the_text(self) -> None:
        name = "a" * 60_000 + ".npy"
        built = archive(Member(name, b"no array"), Member("b.npy", FLOATS))
        with pytest.raises(cn.DecodeError, match="expected the magic") as caught:
            cn.decode(built.data, format="npz")
        assert f'"{"a" * 300}...": at byte ' in str(caught.value)
        assert len(str(caught.value)) < 500

    @pytest.mark.parametrize("name", ["notes.txt", "data/x.csv"])
    def test_two_members_of_one_name_that_are_no_arrays(self, name: str) -> None:
        alone = archive(Member(name, b"one"), Member(name, b"two"))
        beside = archive(Member("a.npy", INTS), Member(name, b"one"), Member(name, b"two"))
        buffer = io.BytesIO()
        cn.write(pd.DataFrame({"a": [1, 2]}), buffer, format="npz")
        with zipfile.ZipFile(buffer, "a") as file:
            file.writestr(name, b"one")
            with pytest.warns(UserWarning, match="Duplicate"):
                file.writestr(name, b"two")
        for data in (alone.data, beside.data, buffer.getvalue()):
            with pytest.raises(cn.DecodeError, match="each name once") as caught:
                cn.verify(data)
            assert name in str(caught.value)

    @pytest.mark.parametrize("flag", [0x0001, 0x0040, 0x2000], ids=["traditional", "strong", "masked headers"])
    def test_encrypted(self, flag: int) -> None:
        built = archive(Member("a.npy", INTS), Member("b.npy", FLOATS, flags=flag))
        refused_member(built, "b.npy", cn.UnsupportedError, "encrypt")

    def test_patched(self) -> None:
        built = archive(Member("a.npy", INTS), Member("b.npy", FLOATS, flags=0x0020))
        refused_member(built, "b.npy", cn.UnsupportedError, "patch")

    @each("method", [1, 6, 9, 12, 14, 95, 97, 98, 99, 65535])
    def test_unknown_method(self, method: int) -> None:
        built = archive(Member("a.npy", INTS), Member("b.npy", FLOATS, method=method, stored=FLOATS))
        refused_member(built, "b.npy", cn.UnsupportedError, f"method.*{method}|{method}.*method")

    def test_member_on_another_disk(self) -> None:
        built = archive(Member("a.npy", INTS), Member("b.npy", FLOATS, central={"disk": 1}))
        refused_member(built, "b.npy", cn.UnsupportedError, "disk")

    @pytest.mark.parametrize("field", ["disk", "start_disk"])
    def test_archive_of_several_disks(self, field: str) -> None:
        built = archive(Member("a.npy", INTS), end={field: 1})
        text = refused(built.data, cn.UnsupportedError, words="disk")
        points_into(text, built.end)


class TestTwoTruths:
    """The local header must say what the central directory says."""

    @each(
        ("field", "value"),
        [
            ("name", b"c.npy"),
            ("name", b"longer.npy"),
            ("method", DEFLATE),
            ("crc", 0x12345678),
            ("csize", len(FLOATS) - 1),
            ("usize", len(FLOATS) - 1),
            ("flags", 0x0001),
        ],
    )
    def test_local_header_disagrees(self, field: str, value: object) -> None:
        built = archive(Member("a.npy", INTS), Member("b.npy", FLOATS, local={field: value}))
        refused_member(built, "b.npy", cn.ColonnadeError, "")

    def test_stored_sizes_disagree(self) -> None:
        sizes = {"usize": len(FLOATS) + 8}
        built = archive(Member("a.npy", INTS), Member("b.npy", FLOATS, local=sizes, central=sizes))
        refused_member(built, "b.npy", cn.DecodeError, "")

    def test_no_local_header_there(self) -> None:
        built = archive(Member("a.npy", INTS), Member("b.npy", FLOATS))
        start = built.local["b.npy"][0]
        refused_data = built.data[:start] + b"XXXX" + built.data[start + 4 :]
        text = refused(refused_data, cn.DecodeError)
        assert "b.npy" in text
        points_into(text, *built.anywhere("b.npy"))

    @pytest.mark.parametrize("end", [{"count": 1, "here": 1}, {"count": 3, "here": 3}, {"count": 2, "here": 1}])
    def test_directory_of_another_count(self, end: dict[str, int]) -> None:
        built = archive(Member("a.npy", INTS), Member("b.npy", FLOATS), end=end)
        text = refused(built.data, cn.DecodeError)
        points_into(text, (built.central["a.npy"][0], built.end[1]))

    @pytest.mark.parametrize("end", [{"offset": 1}, {"size": 4}, {"size": 2**31}, {"offset": 2**32 - 2}])
    def test_directory_that_is_elsewhere(self, end: dict[str, int]) -> None:
        built = archive(Member("a.npy", INTS), Member("b.npy", FLOATS), end=end)
        refused(built.data, cn.DecodeError)

    def test_front_to_back_the_directory_is_compared_too(self) -> None:
        """From a pipe the members are seen before the directory that contradicts them."""
        built = archive(Member("a.npy", INTS), Member("b.npy", FLOATS, central={"name": b"c.npy"}))
        source, sink = os.pipe()
        os.write(sink, built.data)
        os.close(sink)
        try:
            with pytest.raises(cn.DecodeError):
                cn.read(source)
        finally:
            os.close(source)


# ---------------------------------------------------------------- sizes


class TestSizes:
    BOMB = npy(np.zeros(6 << 20, dtype=np.int8))

    def bomb(self, **fields: int) -> Archive:
        return archive(Member("a.npy", INTS), Member("b.npy", self.BOMB, method=DEFLATE, local=fields, central=fields))

    def test_declared_size_over_the_limit(self) -> None:
        built = self.bomb()
        for limits in (cn.Limits(max_nbytes=1 << 20), cn.Limits(max_member_nbytes=1 << 20)):
            text = refused_by_limit(built, limits)
            assert "b.npy" in text or "max_nbytes" in text
        assert cn.read_arrays(built.data)["b"].nbytes == 6 << 20

    @pytest.mark.parametrize("nbytes", [2**32 - 2, 1 << 30])
    @pytest.mark.parametrize("method", [DEFLATE, ZSTD])
    def test_declared_size_that_the_stream_cannot_reach(self, nbytes: int, method: int) -> None:
        """At most 1032 bytes come from one byte of deflate, and 128 KiB from a block of zstd: more is refused."""
        header = f"{{'descr': '|i1', 'fortran_order': False, 'shape': ({nbytes - 128},), }}"
        content = npy_with(header, bytes(100))
        sizes = {"usize": nbytes}
        stored = None if method == DEFLATE else zstd(content)
        built = archive(Member("b.npy", content, method=method, stored=stored, local=sizes, central=sizes))
        refused_member(built, "b.npy", cn.ColonnadeError, "byte")

    def test_stream_yields_more_than_declared(self) -> None:
        refused_member(self.bomb(usize=len(INTS)), "b.npy", cn.DecodeError, "byte")

    def test_stream_yields_less_than_declared(self) -> None:
        header = "{'descr': '|i1', 'fortran_order': False, 'shape': (1000,), }"
        content = npy_with(header, bytes(900))
        sizes = {"usize": len(content) + 100}
        built = archive(Member("b.npy", content, method=DEFLATE, local=sizes, central=sizes))
        refused_member(built, "b.npy", cn.DecodeError, "byte")

    @pytest.mark.parametrize("method", [DEFLATE, ZSTD])
    def test_stream_that_is_no_stream(self, method: int) -> None:
        built = archive(Member("a.npy", INTS), Member("b.npy", FLOATS, method=method, stored=b"\xff" * 60))
        refused_member(built, "b.npy", cn.DecodeError, "")

    def test_stream_that_ends_early(self) -> None:
        built = archive(Member("b.npy", FLOATS, method=DEFLATE, stored=deflated(FLOATS)[:-5]))
        refused_member(built, "b.npy", cn.DecodeError, "")

    def test_bytes_after_the_stream(self) -> None:
        built = archive(Member("b.npy", FLOATS, method=DEFLATE, stored=deflated(FLOATS) + b"tail"))
        refused_member(built, "b.npy", cn.DecodeError, "")

    def test_checksum_of_a_compressed_member(self) -> None:
        crc = {"crc": zlib.crc32(FLOATS) ^ 1}
        built = archive(Member("b.npy", FLOATS, method=DEFLATE, local=crc, central=crc))
        refused_member(built, "b.npy", cn.DecodeError, "(?i)crc|checksum")

    def test_checksum_of_a_stored_member_on_verify(self) -> None:
        crc = {"crc": zlib.crc32(FLOATS) ^ 1}
        built = archive(Member("a.npy", INTS), Member("b.npy", FLOATS, local=crc, central=crc))
        assert cn.read(built.data).to_pandas().shape == (4, 2)
        for look in (cn.verify, lambda data: cn.read(data, verify=True)):
            with pytest.raises(cn.DecodeError, match=r"(?i)crc|checksum") as caught:
                look(built.data)
            assert "b.npy" in str(caught.value)
            points_into(str(caught.value), *built.anywhere("b.npy"))

    def test_too_many_members(self) -> None:
        built = archive(*(Member(f"a{i}.npy", INTS) for i in range(50)))
        refused_by_limit(built, cn.Limits(max_members=49))
        assert cn.read(built.data, limits=cn.Limits(max_members=50)).shape == (4, 50)

    def test_meta_over_its_limit(self) -> None:
        built = frame_archive(meta={"padding": "x" * 5000})
        text = refused_by_limit(built, cn.Limits(max_meta_nbytes=1000))
        assert "__meta__.json" in text


def refused_by_limit(built: Archive, limits: cn.Limits) -> str:
    with pytest.raises(cn.LimitError) as caught:
        cn.read(built.data, limits=limits).to_pandas()
    return str(caught.value)


# ---------------------------------------------------------------- a frame's own rules


def frame_archive(*, meta: dict | bytes | None = None, **members: np.ndarray) -> Archive:
    """A StaticFrame file of 4 rows: two columns, labels on both sides, unless said otherwise."""
    parts = {
        "__values_index_0__": np.array(["p", "q", "r", "s"]),
        "__values_columns_0__": np.array(["x", "y"]),
        "__blocks_0__": np.arange(4),
        "__blocks_1__": np.array([True, False, True, False]),
    } | members
    text = {
        "__names__": [None, None, None],
        "__types__": ["Index", "Index"],
        "__depths__": [sum(name.startswith("__blocks") for name in parts), 1, 1],
    }
    content = meta if isinstance(meta, bytes) else json.dumps(text | (meta or {})).encode()
    arrays = [Member(f"{name}.npy", npy(array)) for name, array in parts.items()]
    return archive(Member("__meta__.json", content), *arrays)


def test_the_frame_that_the_tests_below_break_is_sound() -> None:
    frame = cn.read(frame_archive().data)
    assert frame.shape == (4, 2)
    cn.verify(frame_archive().data)


class TestFrames:
    @pytest.mark.parametrize("count", [0, 3, 5])
    def test_row_labels_of_another_length(self, count: int) -> None:
        built = frame_archive(__values_index_0__=np.arange(count))
        refused_member(built, "__values_index_0__.npy", cn.DecodeError, f"{count}")

    @pytest.mark.parametrize("count", [0, 1, 3])
    def test_column_labels_of_another_length(self, count: int) -> None:
        built = frame_archive(__values_columns_0__=np.arange(count))
        refused_member(built, "__values_columns_0__.npy", cn.DecodeError, f"{count}")

    def test_blocks_of_different_lengths(self) -> None:
        built = frame_archive(__blocks_1__=np.zeros(5, dtype=bool))
        refused_member(built, "__blocks_1__.npy", cn.DecodeError, "5")

    def test_labels_of_two_dimensions(self) -> None:
        built = frame_archive(__values_index_0__=np.zeros((4, 2)))
        refused_member(built, "__values_index_0__.npy", cn.DecodeError, "1-D|one dimension|dimension")

    @pytest.mark.parametrize("ndim", [0, 3])
    def test_block_of_other_dimensions(self, ndim: int) -> None:
        built = frame_archive(__blocks_1__=np.zeros((4,) * ndim))
        refused_member(built, "__blocks_1__.npy", cn.ColonnadeError, "dimension|ndim|-D")

    def test_block_missing_from_the_count(self) -> None:
        built = frame_archive(meta={"__depths__": [3, 1, 1]})
        text = refused(built.data, cn.DecodeError, words="__blocks_2__")
        points_into(text, (0, len(built.data)))

    def test_second_level_missing(self) -> None:
        built = frame_archive(meta={"__depths__": [2, 2, 1], "__types__": ["IndexHierarchy", "Index"]})
        refused(built.data, cn.DecodeError, words="__values_index_1__|__types_index__|level")

    @pytest.mark.parametrize("stray", [2, 255])
    def test_bool_bytes_other_than_0_and_1_on_verify(self, stray: int) -> None:
        column = np.array([1, 0, stray, 1], dtype=np.uint8).view(bool)
        built = frame_archive(__blocks_1__=column)
        assert cn.read(built.data).shape == (4, 2)
        with pytest.raises(cn.DecodeError, match=r"__blocks_1__") as caught:
            cn.verify(built.data)
        found = re.search(r"at byte (\d+)", str(caught.value))
        assert found, str(caught.value)
        assert int(found[1]) == built.payload["__blocks_1__.npy"][1] - 2

    @each(
        "meta",
        [
            b"",
            b"{",
            b"[]",
            b"null",
            b'{"__names__": 3}',
            b"\xff\xfe{}",
            b'{"__names__": [null, null, null], "__types__": ["Index"], "__depths__": [2, 1, 1]}',
            b'{"__names__": [null, null, null], "__types__": ["Index", "Index"], "__depths__": [2, -1, 1]}',
            b'{"__names__": [null, null, null], "__types__": ["Index", "Index"], "__depths__": [1e99, 1, 1]}',
            b"[" * 100_000,
        ],
        ids=["empty", "open", "list", "null", "names", "utf-16", "types", "negative", "huge", "deep"],
    )
    def test_meta_that_is_no_meta(self, meta: bytes) -> None:
        built = frame_archive(meta=meta)
        text = refused(built.data, cn.DecodeError, words="__meta__.json")
        points_into(text, *built.anywhere("__meta__.json"))

    def test_unknown_index_class(self) -> None:
        """A class is a word of a known list, never a name to import."""
        built = frame_archive(meta={"__types__": ["os.system", "Index"]})
        refused_member(built, "__meta__.json", cn.UnsupportedError, r"os\.system")


# ---------------------------------------------------------------- bundles


OUTSIDE = ["../x", "/x", "a/../../x", "..", ".", "", "a//b", "C:\\x", "..\\x", "a\0b"]


class TestBundles:
    @each("label", list(OUTSIDE))
    def test_label_that_leaves_the_directory_on_write(self, label: str, tmp_path: Path) -> None:
        folder = tmp_path / "a" / "b"
        folder.parent.mkdir()
        frame = cn.Frame({"x": np.arange(3)})
        with pytest.raises(cn.ColonnadeError):
            cn.write_bundle(
                {"fine": frame, label: frame}, folder.with_name("bundle.npy.zip") if label == "" else folder
            )
        assert [path for path in tmp_path.rglob("*") if path.is_file()] == []

    @pytest.mark.parametrize("label", ["../x", "/x", "a/../../x", "..\\x"])
    def test_label_that_leaves_the_directory_on_read(self, label: str) -> None:
        built = archive(Member("fine.npz", frame_archive().data), Member(f"{label}.npz", frame_archive().data))
        with pytest.raises(cn.DecodeError) as caught:
            cn.read_bundle(built.data)
        assert label.replace("\\", "\\\\") in str(caught.value) or label in str(caught.value)
        points_into(str(caught.value), *built.anywhere(f"{label}.npz"))

    def test_label_that_is_not_there(self) -> None:
        built = archive(Member("fine.npz", frame_archive().data))
        bundle = cn.read_bundle(built.data)
        with pytest.raises(KeyError, match="fine"):
            bundle["fin"]

    def test_bad_frame_inside_a_bundle_names_its_label(self) -> None:
        bad = frame_archive(__values_index_0__=np.arange(3)).data
        bundle = cn.read_bundle(archive(Member("fine.npz", frame_archive().data), Member("bad.npz", bad)).data)
        assert bundle["fine"].shape == (4, 2)
        with pytest.raises(cn.DecodeError, match="__values_index_0__"):
            bundle["bad"]


def test_a_label_too_long_for_a_zip_is_refused_and_what_was_there_stays(tmp_path: Path) -> None:
    path = tmp_path / "b.npz"
    cn.write_bundle({"a": {"x": np.arange(3)}}, path)
    before = path.read_bytes()
    for label in ("x" * 70_000, "é" * 33_000):
        with pytest.raises(cn.EncodeError, match="labels of at most"):
            cn.write_bundle({label: {"x": np.arange(3)}}, path)
        assert path.read_bytes() == before
    label = "x" * 65_000
    for layout in (None, "npy"):
        cn.write_bundle({label: {"x": np.arange(3)}}, path, **({} if layout is None else {"layout": layout}))
        assert cn.read_bundle(path)[label]["x"].to_numpy().tolist() == [0, 1, 2]
        assert zipfile.ZipFile(path).testzip() is None
