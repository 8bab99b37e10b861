"""Legal Arrow bytes that few writers make: every way of reading gives the cells they hold."""

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
