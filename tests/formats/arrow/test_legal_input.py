"""Legal Arrow bytes that few writers make: every way of reading gives the cells they hold."""

import struct
from typing import Any

import pytest

pytest.importorskip("pyarrow")

import pyarrow as pa

import colonnade as cn
from colonnade.testing._arrow_cells import columns_of
from tests.helpers import arrow_bytes as ab
from tests.helpers.arrow_bad_cases import EITHER
from tests.helpers.arrow_good_cases import GOOD, STREAM_ONLY
from tests.helpers.arrow_look import batches_of, frame_cells, joined_cells, open_ipc, open_reader

_FORMATS = {"arrows": ab.stream, "arrow": ab.file}
both = pytest.mark.parametrize("format", _FORMATS)
every = pytest.mark.parametrize("name", GOOD)
# A file has no order in which a dictionary is replaced.
each = pytest.mark.parametrize(
    ("format", "name"),
    [(format, name) for format in _FORMATS for name in GOOD if format == "arrows" or name not in STREAM_ONLY],
)


def _content(name: str, format: str) -> bytes:
    head, messages, _ = GOOD[name]
    return _FORMATS[format](head, *messages)


@each
def test_landed(name: str, format: str) -> None:
    cells: Any = GOOD[name][2]
    opened = open_ipc(_content(name, format), format)
    opened.verify()
    for threads in (1, 2):
        assert frame_cells(opened.load(threads=threads)) == cells
        assert frame_cells(opened.load(private=True, threads=threads)) == cells


@each
def test_batch_by_batch(name: str, format: str) -> None:
    cells: Any = GOOD[name][2]
    opened = open_ipc(_content(name, format), format)
    assert joined_cells(opened.load_arrow(), opened.ncols) == cells
    assert joined_cells(map(opened.batch, range(opened.facts()["nbatches"])), opened.ncols) == cells
    if format == "arrows":
        assert joined_cells(batches_of(open_reader(_content(name, format))), opened.ncols) == cells


@each
def test_each_slice(name: str, format: str) -> None:
    cells: Any = GOOD[name][2]
    opened = open_ipc(_content(name, format), format)
    for start in range(opened.nrows + 1):
        for stop in range(start, opened.nrows + 1):
            wanted = [column[start:stop] for column in cells]
            assert frame_cells(opened.load(None, (start, stop))) == wanted
            assert joined_cells(opened.load_arrow(None, (start, stop)), opened.ncols) == wanted


@both
@pytest.mark.parametrize("name", EITHER)
def test_what_may_be_refused_is_read_as_pyarrow_reads_it_where_it_is_read(name: str, format: str) -> None:
    content = EITHER[name].stream() if format == "arrows" else EITHER[name].file()
    try:
        found = frame_cells(open_ipc(content, format).load())
    except cn.ColonnadeError:
        return
    try:
        table = (pa.ipc.open_stream if format == "arrows" else pa.ipc.open_file)(content).read_all()
        table.validate(full=True)
    except (pa.ArrowException, OSError):
        return
    assert found == columns_of(table)


def test_validity_without_nulls_is_not_read_and_verified() -> None:
    """A damaged validity buffer of a column without nulls: every way to read gives the same, `verify` refuses it."""
    table = pa.table({"a": pa.array([1, 2, 3])})
    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    content = sink.getvalue().to_pybytes()
    entries = struct.pack("<4q", 0, 0, 0, 24)  # offsets and lengths: validity, values
    assert content.count(entries) == 1
    for validity, is_damage in ((struct.pack("<2q", 65_535, 0), False), (struct.pack("<2q", 65_535, 8), True)):
        changed = content.replace(entries, validity + entries[16:])
        assert cn.read(changed, format="arrow").to_arrow().equals(table)
        assert cn.read(changed, format="arrow", rows=slice(1, 3)).to_arrow().equals(table.slice(1))
        assert cn.read(changed, format="arrow").to_pandas()["a"].tolist() == [1, 2, 3]
        if is_damage:
            expected = "buffer 0: expected a range within the body of 24 bytes, found 8 bytes at 65535"
            with pytest.raises(cn.DecodeError, match=expected):
                cn.verify(changed, format="arrow")
        else:
            cn.verify(changed, format="arrow")
