"""Lists of older writers in every way to read: rows, row groups, filters, a part of the columns, ranges, layouts."""

import io
from typing import Any

import pytest

from tests.helpers.each import each

pytest.importorskip("pyarrow")

import pyarrow as pa
import pyarrow.parquet as pq

import colonnade as cn
from tests.helpers.parquet_bytes import OPTIONAL, REPEATED
from tests.helpers.parquet_old_lists import (
    A_B,
    CASES,
    INT,
    INTS,
    Case,
    group,
    item,
    leaf,
    list_of,
    map_of,
    record,
    under,
)
from tests.helpers.web import Site

NAMES = list(CASES)
TIMES = 5


def table(case: Case) -> pa.Table:
    """What a file of the records, TIMES times, holds."""
    values = [*case.values] * TIMES
    field = pa.field("x", case.type, nullable=case.nullable)
    n = pa.field("n", pa.int32(), nullable=False)
    return pa.table([pa.array(values, case.type), pa.array(range(len(values)), INT)], schema=pa.schema([field, n]))


def same(found: Any, wanted: pa.Table) -> None:
    arrow = found.to_arrow()
    arrow.validate(full=True)
    assert [field.type for field in arrow.schema] == [field.type for field in wanted.schema]
    assert arrow.to_pydict() == wanted.to_pydict()


@each("name", NAMES)
@each("group_rows", [2, 3, 100])
def test_rows_and_row_groups(name: str, group_rows: int) -> None:
    case = CASES[name]
    data, whole = case.file(TIMES, group_rows=group_rows), table(case)
    for threads in (1, 2):
        same(cn.decode(data, "parquet", threads=threads), whole)
    for rows in (slice(0, 1), slice(1, 4), slice(2, 3), slice(3, len(whole)), slice(1, 1)):
        wanted = whole.slice(rows.start, rows.stop - rows.start)
        same(cn.decode(data, "parquet", rows=rows), wanted)
    with cn.open_reader(data) as reader:
        start = 0
        for frame in reader:
            same(frame, whole.slice(start, len(frame.to_arrow())))
            start += len(frame.to_arrow())
        assert start == len(whole)


@each("name", NAMES)
def test_filters(name: str) -> None:
    case = CASES[name]
    data, whole = case.file(TIMES, group_rows=3), table(case)
    for filters, kept in (([("n", ">=", 4)], range(4, len(whole))), ([("n", "in", [0, 5])], [0, 5])):
        same(cn.decode(data, "parquet", filters=filters), whole.take(pa.array(kept, pa.int64())))
        only = cn.decode(data, "parquet", filters=filters, columns=["x"])
        same(only, whole.select(["x"]).take(pa.array(kept, pa.int64())))


@each("name", NAMES)
def test_ranges_of_a_server(site: Site, name: str) -> None:
    case = CASES[name]
    url = site.put("/x.parquet", case.file(TIMES, group_rows=2))
    same(cn.read(url), table(case))
    same(cn.read(url, rows=slice(1, 4), columns=["x"]), table(case).select(["x"]).slice(1, 3))


@each("name", NAMES)
def test_layouts(name: str) -> None:
    case = CASES[name]
    frame, whole = cn.decode(case.file(TIMES), "parquet"), table(case)
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars.testing")
    wanted = cn.Frame(whole)
    pandas.testing.assert_frame_equal(frame.to_pandas(), wanted.to_pandas())
    polars.assert_frame_equal(frame.to_polars(), wanted.to_polars())
    same(cn.decode(cn.encode(frame, "parquet"), "parquet"), whole)


# --------------------------------------------------------------------------- a part of a column
C = group("c", OPTIONAL, leaf("d"), leaf("e"))
FIVE = [[{"f": [{"a": 1, "b": 2}, {"a": 3, "b": None}]}, {"f": []}], None, [], [{"f": [{"a": 4, "b": 5}]}]]
TWO = [[{"a": 1, "c": {"d": 2, "e": 3}}, {"a": 4, "c": None}], None, [], [{"a": 5, "c": {"d": 6, "e": 7}}]]
STRUCT = record(("d", INT, False), ("e", INT, False))

PARTS: dict[str, tuple[Case, dict[str, str]]] = {
    "rule 2": (
        Case(
            list_of(group("bag", REPEATED, leaf("a"), C)),
            under("bag", TWO),
            item(record(("a", INT, False), ("c", STRUCT, True))),
            TWO,
        ),
        {"x[].a": "x.bag.a", "x[].c": "x.bag.c", "x[].c.e": "x.bag.c.e"},
    ),
    "rule 2, a repeated field is left": (
        Case(
            list_of(group("bag", REPEATED, leaf("a"), leaf("f", REPEATED))),
            under("bag", [[{"a": 1, "f": [2, 3]}, {"a": 4, "f": []}], None, [], [{"a": 5, "f": [6]}]]),
            item(record(("a", INT, False), ("f", INTS, False))),
            [[{"a": 1, "f": [2, 3]}, {"a": 4, "f": []}], None, [], [{"a": 5, "f": [6]}]],
        ),
        {"x[].a": "x.bag.a", "x[].f": "x.bag.f"},
    ),
    "rule 3": (
        Case(
            list_of(group("list", REPEATED, group("f", REPEATED, *A_B))),
            under("list", FIVE),
            item(record(("f", item(record(("a", INT, False), ("b", INT, True))), False))),
            FIVE,
        ),
        {"x[].f": "x.list.f", "x[].f[].a": "x.list.f.a", "x[].f[].b": "x.list.f.b"},
    ),
    "rule 4": (
        Case(
            list_of(group("array", REPEATED, C)),
            under("array", [[{"c": {"d": 1, "e": 2}}, {"c": None}], None, []]),
            item(record(("c", STRUCT, True))),
            [[{"c": {"d": 1, "e": 2}}, {"c": None}], None, []],
        ),
        {"x[].c": "x.array.c", "x[].c.d": "x.array.c.d", "x[].c.e": "x.array.c.e"},
    ),
    "rule 2 in a map": (
        Case(
            map_of(group("kv", REPEATED, leaf("k"), list_of(group("bag", REPEATED, leaf("a"), leaf("b")), name="v"))),
            under("kv", [[{"k": 1, "v": {"bag": [{"a": 2, "b": 3}]}}, {"k": 4, "v": None}], None, []]),
            pa.map_(INT, item(record(("a", INT, False), ("b", INT, False)))),
            [[(1, [{"a": 2, "b": 3}]), (4, None)], None, []],
        ),
        {},
    ),
}


@each("name", list(PARTS))
@each("filtered", [False, True])
def test_a_part_has_the_type_that_the_whole_has(name: str, filtered: bool) -> None:
    """Which field a list wraps follows from its whole schema, whichever leaves are read."""
    case, paths = PARTS[name]
    data, whole = case.file(TIMES, group_rows=3), table(case)
    options = {"filters": [("n", ">", 3)]} if filtered else {}
    same(cn.decode(data, "parquet", **options), whole.slice(4) if filtered else whole)
    for path, spelling in paths.items():
        # The same leaves, selected after the whole was read. pyarrow loses "not null" of items when it selects.
        wanted = cn.Frame(whole).select([path, "n"]).to_arrow()
        by_pyarrow = pq.ParquetFile(io.BytesIO(data)).read([spelling, "n"])
        assert wanted.to_pydict() == by_pyarrow.to_pydict()
        for asked in (path, spelling):
            same(cn.decode(data, "parquet", columns=[asked, "n"], **options), wanted.slice(4) if filtered else wanted)
        if not filtered:
            with cn.open_reader(data, columns=[path, "n"]) as reader:
                cells = [cell for frame in reader for cell in frame.to_arrow()["x"].to_pylist()]
            assert cells == wanted["x"].to_pylist()


def test_a_part_of_an_old_list_fetches_only_its_leaves(site: Site) -> None:
    column = list_of(group("bag", REPEATED, leaf("a"), leaf("b")))
    records = [{"bag": [{"a": k + i, "b": i} for i in range(300)]} for k in range(200)]
    case = Case(column, records, item(record(("a", INT, False), ("b", INT, False))), [])
    url = site.put("/x.parquet", case.file())
    found = cn.read(url, columns=["x[].a"]).to_arrow()
    part = site.nbytes
    assert found["x"][1].as_py() == [{"a": 1 + i} for i in range(300)]
    cn.read(url).to_arrow()
    assert part < 0.7 * (site.nbytes - part)
