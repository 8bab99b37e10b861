"""The ZIP corpora: what Python's zipfile lists we list, what is broken we refuse by a typed error, nothing crashes."""

import contextlib
import zipfile
from pathlib import Path

import pytest

import colonnade as cn
from tests.helpers.corpora import CORPORA, Verdict, needs_corpora, verdicts
from tests.helpers.each import each
from tests.sweep import mutants as sweep

pytestmark = needs_corpora

# Files made to break ZIP readers by mutation: their verdicts are advice, only the sweep below looks at them.
ZIP = [row for row in verdicts("zip") if "/fuzz/" not in row.name]

# zipfile reads these; NPZ.md refuses them, because two answers to one question are a hole.
STRICTER = {
    "zip-libzip/data/filename_duplicate.zip": "two members share a name",
    "zip-libzip/data/filename_duplicate_empty.zip": "two members share a name",
}

# The comment holds an archive: zipfile reads that one, we the one around it, as libzip's .test files expect.
IN_COMMENT = {
    "zip-libzip/data/zip-in-archive-comment.zip": "test",
    "zip-libzip/data/zip64-in-archive-comment.zip": "testfile.txt",
}


@pytest.fixture
def named(tmp_path: Path):
    """The file under a name that says npz: some begin with other bytes than an archive's."""

    def link(row: Verdict) -> Path:
        path = tmp_path / "archive.npz"
        path.unlink(missing_ok=True)
        path.symlink_to(row.path)
        return path

    return link


def rows(verdict: str) -> list:
    return [pytest.param(row, id=row.name) for row in ZIP if row.verdict == verdict and row.name not in STRICTER]


@pytest.mark.parametrize("name", IN_COMMENT)
def test_an_archive_inside_a_comment_is_a_comment(name: str) -> None:
    assert CORPORA is not None
    assert [member["name"] for member in cn.inspect(CORPORA / name).members] == [IN_COMMENT[name]]


@each("row", [row for row in rows("ACCEPT") if row.id not in IN_COMMENT], per=50)
def test_lists_what_zipfile_lists(row: Verdict, named) -> None:
    with zipfile.ZipFile(row.path) as archive:
        entries = archive.infolist()
    members = cn.inspect(named(row)).members
    assert [member["name"] for member in members] == [entry.orig_filename for entry in entries]
    assert [member["nbytes"] for member in members] == [entry.file_size for entry in entries]
    assert [member["compressed_nbytes"] for member in members] == [entry.compress_size for entry in entries]


@each("row", rows("ACCEPT"), per=50)
def test_verifies_or_names_the_method_it_lacks(row: Verdict, named) -> None:
    with zipfile.ZipFile(row.path) as archive:
        methods = {entry.compress_type for entry in archive.infolist()}
    if methods <= {0, 8, 93}:
        cn.verify(named(row))
    else:
        with pytest.raises(cn.UnsupportedError, match="method"):
            cn.verify(named(row))


@each("row", rows("ACCEPT"), per=50)
def test_holds_no_arrays(row: Verdict, named) -> None:
    """None of these archives holds an NPY member: reading one says so, by a typed error."""
    with pytest.raises(cn.ColonnadeError):
        cn.read(named(row))


@pytest.mark.parametrize("name", STRICTER)
def test_stricter_than_zipfile(name: str) -> None:
    assert CORPORA is not None
    with pytest.raises(cn.DecodeError, match=r"twice|share|same name|duplicate"):
        cn.read_arrays(CORPORA / name)


@each("row", rows("REJECT"))
def test_is_refused(row: Verdict, named) -> None:
    path = named(row)

    def look() -> None:
        cn.inspect(path)
        cn.verify(path)

    with pytest.raises(cn.ColonnadeError):
        look()


@each("row", rows("EITHER"), per=50)
def test_either_is_data_or_a_typed_error(row: Verdict, named) -> None:
    path = named(row)
    for look in (cn.inspect, cn.verify, cn.read_arrays):
        with contextlib.suppress(cn.ColonnadeError):
            look(path)


def test_fuzzed_archives_never_crash_hang_or_allocate() -> None:
    assert CORPORA is not None
    paths = sorted(str(path) for path in (CORPORA / "zip-rs" / "fuzz" / "read" / "in").iterdir() if path.is_file())
    assert paths
    results = sweep.run({"paths": paths})
    assert len(results) == len(paths)


def test_hostile_arrays_never_crash_hang_or_allocate() -> None:
    """The same child, over every small NPY and NPZ of the corpora, read from memory."""
    paths = [str(row.path) for row in verdicts("npy", "npz") if "bomb" not in row.name]
    assert paths
    results = sweep.run({"paths": paths})
    assert len(results) == len(paths)
