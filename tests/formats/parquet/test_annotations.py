"""What a Parquet schema says of its values: which of two words governs, what contradicts itself, and what is rare."""

import io
import struct
from typing import Any

import pytest

from tests.helpers.each import each

pytest.importorskip("pyarrow")

import pyarrow as pa
import pyarrow.parquet as pq

import colonnade as cn
from colonnade.errors import ColonnadeError, DecodeError, UnsupportedError
from colonnade.testing._arrow_cells import cells
from tests.helpers.parquet_bytes import (
    BOOLEAN,
    BYTE_ARRAY,
    DOUBLE,
    FIXED,
    FLOAT,
    INT32,
    INT64,
    INT96,
    OPTIONAL,
    REPEATED,
    REQUIRED,
    Column,
    Value,
    byte,
    data_page,
    element,
    file,
    flag,
    i32,
    items,
    levels,
    logical,
    plain,
    plain_bytes,
    run,
    unit,
)

PHYSICAL = [
    (BOOLEAN, None),
    (INT32, None),
    (INT64, None),
    (INT96, None),
    (FLOAT, None),
    (DOUBLE, None),
    (BYTE_ARRAY, None),
    *((FIXED, length) for length in (2, 4, 12, 16, 17)),
]
LOGICAL: dict[str, Value] = {
    "STRING": logical(1),
    "MAP": logical(2),
    "LIST": logical(3),
    "ENUM": logical(4),
    **{
        f"DECIMAL({p}, {s})": logical(5, i32(s), i32(p))
        for p, s in ((5, 2), (9, 0), (10, 2), (18, 18), (19, 2), (38, 2))
    },
    "DATE": logical(6),
    **{f"TIME({n})": logical(7, flag(True), unit(n)) for n in (1, 2, 3)},
    **{f"TIMESTAMP({n}, {utc})": logical(8, flag(utc), unit(n)) for n in (1, 2, 3) for utc in (True, False)},
    **{
        f"INT({bits}, {sign})": logical(10, byte(bits), flag(sign))
        for bits in (8, 16, 32, 64)
        for sign in (True, False)
    },
    "INT(24)": logical(10, byte(24), flag(True)),
    "UNKNOWN": logical(11),
    "JSON": logical(12),
    "BSON": logical(13),
    "UUID": logical(14),
    "FLOAT16": logical(15),
}
"""Every annotation of the specification that values may have, and those of groups."""

CONVERTED = range(22)


def of_nulls(physical: int, length: int | None, **kind: Any) -> bytes:
    """A file of one optional column whose one row is null."""
    page = data_page(levels(run(0, 1, 1)), 1)
    told = {**kind, "length": length}
    return file([Column("x", physical, [page], 1, OPTIONAL, kind=told)], 1)


def type_by_pyarrow(content: bytes) -> Any:
    """None where pyarrow refuses the file, or passes the LogicalType over as one that it does not know."""
    try:
        file = pq.ParquetFile(io.BytesIO(content))
    except (pa.ArrowException, OSError):
        return None
    undefined = file.schema.column(0).logical_type.type == "UNDEFINED"
    return None if undefined else file.schema_arrow.field("x").type


def assert_same_answer(content: bytes) -> None:
    wanted = type_by_pyarrow(content)
    if wanted is None:
        with pytest.raises((DecodeError, UnsupportedError), match=r"column x"):
            cn.read(content, format="parquet")
        with pytest.raises((DecodeError, UnsupportedError), match=r"column x"):
            cn.inspect(content)
    else:
        found = cn.read(content, format="parquet").to_arrow().schema.field("x").type
        wide = pa.types.is_decimal256(found) and pa.types.is_decimal128(wanted)
        assert found == (pa.decimal256(wanted.precision, wanted.scale) if wide else wanted)


VALUES = [word for word in LOGICAL if not word.startswith("DECIMAL")]


@each("word", list(VALUES))
def test_an_annotation_that_contradicts_its_physical_type_is_refused(word: str) -> None:
    for physical, length in PHYSICAL:
        if "TIMESTAMP" in word and length == 12:
            continue  # pyarrow reads these, of a specification to come
        assert_same_answer(of_nulls(physical, length, logical=LOGICAL[word]))


def test_timestamps_of_twelve_bytes_are_refused_by_name() -> None:
    content = of_nulls(FIXED, 12, logical=LOGICAL["TIMESTAMP(2, True)"])
    with pytest.raises(UnsupportedError, match=r"column x.*TIMESTAMP of 12 bytes"):
        cn.read(content, format="parquet")


@each("digits", [(5, 2), (9, 9), (10, 2), (19, 0), (38, 2), (40, 2), (76, 2), (5, 6), (5, -1), (0, 0)])
def test_decimals_by_either_word_are_decimals_or_refused(digits: tuple[int, int]) -> None:
    precision, scale = digits
    for physical, length in PHYSICAL:
        older = of_nulls(physical, length, converted=5, scale=scale, precision=precision)
        newer = of_nulls(physical, length, logical=logical(5, i32(scale), i32(precision)))
        assert_same_answer(older)
        try:
            wanted = cn.read(older, format="parquet").to_arrow().schema
        except DecodeError:
            with pytest.raises(DecodeError, match=r"column x.*DECIMAL"):
                cn.read(newer, format="parquet")
        else:
            assert cn.read(newer, format="parquet").to_arrow().schema.field("x") == wanted.field("x")


@each("word", list(CONVERTED))
def test_so_is_an_older_annotation(word: int) -> None:
    for physical, length in PHYSICAL:
        assert_same_answer(of_nulls(physical, length, converted=word, scale=2, precision=5))


@pytest.mark.parametrize(("precision", "length"), [(77, 33), (77, 40), (20, 33)])
def test_decimals_wider_than_those_of_arrow_are_refused_by_name(precision: int, length: int) -> None:
    content = of_nulls(FIXED, length, converted=5, scale=2, precision=precision)
    with pytest.raises(UnsupportedError, match=rf"DECIMAL\({precision}, 2\)"):
        cn.read(content, format="parquet")


def test_decimals_of_76_digits_are_read() -> None:
    value = (10**75).to_bytes(32, "big", signed=True)
    kind = {"length": 32, "converted": 5, "scale": 2, "precision": 76}
    content = file([Column("x", FIXED, [data_page(value, 1)], 1, kind=kind)], 1)
    assert cn.read(content, format="parquet").to_arrow().column("x").to_pylist() == [10**73]


@each("word", list(LOGICAL))
def test_the_logical_type_governs(word: str) -> None:
    for physical, length in PHYSICAL:
        governed = of_nulls(physical, length, logical=LOGICAL[word])
        if type_by_pyarrow(governed) is None or ("TIMESTAMP" in word and length == 12):
            continue
        for other in CONVERTED:
            both = of_nulls(physical, length, logical=LOGICAL[word], converted=other, scale=1, precision=3)
            found = cn.read(both, format="parquet").to_arrow().schema.field("x").type
            assert found == cn.read(governed, format="parquet").to_arrow().schema.field("x").type, other


LIST, MAP = logical(3), logical(2)


def nested(schema: list[Value], *leaves: tuple[int, list[str], bytes, int]) -> bytes:
    """One row; a leaf is its physical type, its path, its page and the number of its values."""
    columns = [Column("x", physical, [page], n, path=path) for physical, path, page, n in leaves]
    return file(columns, 1, schema=items(12, [element("schema", children=1), *schema]))


def of_lists(**kind: Any) -> bytes:
    """`x`: a list of 1 and 2 in three levels, whose group has the annotations `kind`."""
    page = data_page(levels(run(0, 1, 1) + run(1, 1, 1)) + levels(run(3, 2, 2)) + plain("i", 1, 2), 2)
    schema = [
        element("x", None, OPTIONAL, children=1, **kind),
        element("list", None, REPEATED, children=1),
        element("element", INT32, OPTIONAL),
    ]
    return nested(schema, (INT32, ["x", "list", "element"], page, 2))


def of_maps(**kind: Any) -> bytes:
    """`x`: a map of 1 to 2, whose group has the annotations `kind`."""
    keys = data_page(levels(run(0, 1, 1)) + levels(run(2, 1, 2)) + plain("i", 1), 1)
    values = data_page(levels(run(0, 1, 1)) + levels(run(3, 1, 2)) + plain("i", 2), 1)
    schema = [
        element("x", None, OPTIONAL, children=1, **kind),
        element("key_value", None, REPEATED, children=2),
        element("key", INT32, REQUIRED),
        element("value", INT32, OPTIONAL),
    ]
    path = ["x", "key_value"]
    return nested(schema, (INT32, [*path, "key"], keys, 1), (INT32, [*path, "value"], values, 1))


@each("converted", [None, *CONVERTED])
def test_the_logical_type_of_groups_governs(converted: int | None) -> None:
    for content, value in (
        (of_lists(logical=LIST, converted=converted), [1, 2]),
        (of_maps(logical=MAP, converted=converted), [(1, 2)]),
    ):
        assert pq.read_table(io.BytesIO(content)).column("x").to_pylist() == [value]
        assert cn.read(content, format="parquet").to_arrow().column("x").to_pylist() == [value]


@each("converted", list(CONVERTED))
def test_groups_that_say_they_are_values_are_refused(converted: int) -> None:
    for content in (of_lists(converted=converted), of_maps(converted=converted)):
        if converted in {1, 2, 3}:
            # A map may leave its values out, and is a list of its keys then.
            found = cn.read(content, format="parquet").to_arrow().column("x").to_pylist()
            assert found in ([[1, 2]], [[(1, 2)]], [[{"key": 1, "value": 2}]])
        else:
            with pytest.raises(ColonnadeError, match=r"column x.*found a group"):
                cn.read(content, format="parquet")


@pytest.mark.parametrize("inside", [False, True])
def test_a_group_without_fields_is_refused_by_name(inside: bool) -> None:
    page = data_page(levels(run(1, 1, 1)) + plain("i", 7), 1)
    schema = [element("x", None, OPTIONAL, children=2), element("a", INT32, REQUIRED)]
    schema = [*schema, element("empty", None, OPTIONAL, children=0)] if inside else []
    if not inside:
        schema = [element("empty", None, OPTIONAL, children=0)]
        content = file([], 1, schema=items(12, [element("schema", children=1), *schema]))
    else:
        content = nested(schema, (INT32, ["x", "a"], page, 1))
    with pytest.raises(DecodeError, match=r"column empty.*without fields"):
        cn.read(content, format="parquet")


# --------------------------------------------------------------------------- the oldest lists
@each("depth", [1, 2, 3, 4, 5])
def test_lists_of_lists_in_the_oldest_encoding(depth: int) -> None:
    value: Any = [1, 2]
    for _ in range(depth - 1):
        value = [value]
    # A level of definition a list, and one for the optional column.
    width = (depth + 1).bit_length()
    repeats = run(0, 1, depth.bit_length()) + run(depth, 1, depth.bit_length())
    page = data_page(levels(repeats) + levels(run(depth + 1, 2, width)) + plain("i", 1, 2), 2)
    schema = [element("x", None, OPTIONAL, children=1, converted=3)]
    schema += [element("array", None, REPEATED, children=1, converted=3)] * (depth - 1)
    schema += [element("array", INT32, REPEATED)]
    content = nested(schema, (INT32, ["x", *["array"] * depth], page, 2))
    assert pq.read_table(io.BytesIO(content)).column("x").to_pylist() == [value]
    found = cn.read(content, format="parquet", verify=True)
    assert found.to_arrow().column("x").to_pylist() == [value]


def test_maps_in_the_oldest_lists() -> None:
    keys = data_page(levels(run(0, 1, 2)) + levels(run(3, 1, 2)) + plain("i", 1), 1)
    values = data_page(levels(run(0, 1, 2)) + levels(run(4, 1, 3)) + plain("i", 2), 1)
    schema = [
        element("x", None, OPTIONAL, children=1, converted=3),
        element("array", None, REPEATED, children=1, converted=1),
        element("map", None, REPEATED, children=2, converted=2),
        element("key", INT32, REQUIRED),
        element("value", INT32, OPTIONAL),
    ]
    path = ["x", "array", "map"]
    content = nested(schema, (INT32, [*path, "key"], keys, 1), (INT32, [*path, "value"], values, 1))
    wanted = pq.read_table(io.BytesIO(content)).column("x").to_pylist()
    assert cn.read(content, format="parquet").to_arrow().column("x").to_pylist() == wanted


def test_the_null_type_of_the_first_parquet_cpp() -> None:
    found = cn.read(of_nulls(INT32, None, converted=25), format="parquet").to_arrow()
    assert found.schema.field("x").type == pa.null()
    assert found.column("x").to_pylist() == [None]


# --------------------------------------------------------------------------- instants of twelve bytes
DAY = 86_400 * 10**9
FIRST, LAST = -(1 << 63), (1 << 63) - 1


def of_int96(ticks: int, *, in_list: bool) -> bytes:
    """A file of one instant, in nanoseconds since 1970: INT96 has nanoseconds of the day, then the Julian day."""
    day, nanos = divmod(ticks, DAY)
    cell = struct.pack("<QI", nanos, 2_440_588 + day)
    if not in_list:
        return file([Column("x", INT96, [data_page(cell, 1)], 1)], 1)
    schema = [
        element("x", None, OPTIONAL, children=1, converted=3),
        element("list", None, REPEATED, children=1),
        element("element", INT96, REQUIRED),
    ]
    page = data_page(levels(run(0, 1, 1)) + levels(run(2, 1, 2)) + cell, 1)
    return nested(schema, (INT96, ["x", "list", "element"], page, 1))


@pytest.mark.parametrize("in_list", [False, True])
def test_int96_that_nanoseconds_do_not_reach_is_refused(in_list: bool) -> None:
    for ticks in (FIRST, -1, 0, DAY + 1, LAST):
        found = cn.read(of_int96(ticks, in_list=in_list), format="parquet").to_arrow().column("x")
        assert cells(found) == ([[ticks]] if in_list else [ticks])
    refused = r'row group 0.*column x.*INT96 is outside the years 1677 to 2262.* Pass int96_unit="us"'
    year_9999 = 253_402_225_200 * 10**9
    for ticks in (FIRST - 1, LAST + 1, year_9999, -2_440_588 * DAY):
        content = of_int96(ticks, in_list=in_list)
        assert cn.inspect(content).shape == (1, 1)
        for options in ({}, {"verify": True}):
            with pytest.raises(UnsupportedError, match=refused):
                cn.read(content, format="parquet", **options).to_pandas()
        for name, per in (("us", 1_000), ("ms", 1_000_000)):
            found = cn.read(content, format="parquet", int96_unit=name, verify=True).to_arrow().column("x")
            assert name in str(found.type)
            assert cells(found) == ([[ticks // per]] if in_list else [ticks // per])


@pytest.mark.parametrize("in_list", [False, True])
def test_int96_in_other_units_is_what_pyarrow_reads(in_list: bool) -> None:
    for ticks in (-1, 1_999, 253_402_225_200 * 10**9):
        content = of_int96(ticks, in_list=in_list)
        for name in ("us", "ms"):
            wanted = pq.read_table(io.BytesIO(content), coerce_int96_timestamp_unit=name).column("x")
            found = cn.read(content, format="parquet", int96_unit=name).to_arrow().column("x")
            assert found.type == wanted.type
            assert cells(found) == cells(wanted), (ticks, name)


# --------------------------------------------------------------------------- JSON, UUID, field ids
def json_and_uuid(*, older: bool) -> bytes:
    """A list of structs of JSON and UUID, JSON by its older word."""
    word = {"converted": 19} if older else {"logical": LOGICAL["JSON"]}
    texts = data_page(levels(run(0, 1, 1)) + levels(run(2, 1, 2)) + plain_bytes(b"{}"), 1)
    ids = data_page(levels(run(0, 1, 1)) + levels(run(2, 1, 2)) + b"0123456789abcdef", 1)
    schema = [
        element("x", None, OPTIONAL, children=1, converted=3),
        element("list", None, REPEATED, children=1),
        element("element", None, REQUIRED, children=2),
        element("j", BYTE_ARRAY, REQUIRED, **word),
        element("u", FIXED, REQUIRED, length=16, logical=LOGICAL["UUID"]),
    ]
    path = ["x", "list", "element"]
    return nested(schema, (BYTE_ARRAY, [*path, "j"], texts, 1), (FIXED, [*path, "u"], ids, 1))


@pytest.mark.parametrize("older", [False, True])
def test_json_and_uuid_are_extension_types_wherever_they_stand(older: bool) -> None:
    content = json_and_uuid(older=older)
    wanted = pq.read_table(io.BytesIO(content))
    found = cn.read(content, format="parquet").to_arrow()
    assert found.schema.field("x").type == wanted.schema.field("x").type
    assert found.column("x").to_pylist() == wanted.column("x").to_pylist()
    flat = of_nulls(BYTE_ARRAY, None, **({"converted": 19} if older else {"logical": LOGICAL["JSON"]}))
    assert cn.read(flat, format="parquet").to_arrow().schema.field("x").type == pa.json_()


def test_field_ids_are_kept_and_written_again() -> None:
    ids = {"PARQUET:field_id": "7"}
    items_of = pa.field("element", pa.int32(), metadata={"PARQUET:field_id": "9"})
    schema = pa.schema(
        [
            pa.field("n", pa.int32(), metadata=ids),
            pa.field("s", pa.string(), metadata={"PARQUET:field_id": "8"}),
            pa.field("l", pa.list_(items_of), metadata={"PARQUET:field_id": "10"}),
            pa.field("none", pa.float64()),
        ]
    )
    table = pa.table([[1, 2], ["a", "b"], [[1], []], [0.5, 1.5]], schema=schema)
    out = io.BytesIO()
    pq.write_table(table, out, store_schema=False)
    wanted = pq.read_table(io.BytesIO(out.getvalue())).schema
    frame = cn.read(out.getvalue(), format="parquet")
    assert cn.read(out.getvalue(), format="parquet", columns=["n"]).to_numpy().dtype == "int32"
    again = cn.encode(frame, "parquet")
    for found in (frame.to_arrow().schema, cn.read(again, format="parquet").to_arrow().schema):
        for name in wanted.names:
            own = (wanted.field(name).metadata or {}).get(b"PARQUET:field_id")
            assert (found.field(name).metadata or {}).get(b"PARQUET:field_id") == own, name
    by_pyarrow = pq.read_table(io.BytesIO(again)).schema
    assert by_pyarrow.field("n").metadata[b"PARQUET:field_id"] == b"7"
    assert by_pyarrow.field("s").metadata[b"PARQUET:field_id"] == b"8"
    assert by_pyarrow.field("l").type.value_field.metadata[b"PARQUET:field_id"] == b"9"
