"""Lists and maps of older writers: the specification's backward-compatibility rules, with pyarrow as the oracle."""

import base64
import io
from typing import Any

import pytest

from tests.helpers.each import each

pytest.importorskip("pyarrow")

import pyarrow as pa
import pyarrow.parquet as pq

import colonnade as cn
from colonnade.errors import DecodeError, UnsupportedError
from tests.helpers.parquet_bytes import OPTIONAL, REPEATED
from tests.helpers.parquet_old_lists import (
    CASES,
    INT,
    INTS,
    OF_FIELD,
    Case,
    group,
    item,
    leaf,
    list_of,
    map_of,
    record,
)
from tests.helpers.parquet_records import LIST, MAP, MAP_KEY_VALUE, Node, file_of

RULE_3 = CASES["rule 3, list"]


def ours(data: bytes, **options: Any) -> pa.Table:
    found = cn.decode(data, "parquet", **options).to_arrow()
    found.validate(full=True)
    return found


def theirs(data: bytes, **options: Any) -> pa.Table:
    return pq.read_table(io.BytesIO(data), **options)


@each("name", list(CASES))
def test_types_and_values_are_those_of_the_specification(name: str) -> None:
    case = CASES[name]
    data = case.file()
    found = ours(data, verify=True)
    assert found.schema.field("x").type == case.type
    assert found.schema.field("x").nullable == case.nullable
    assert found["x"].to_pylist() == case.values
    if not case.by_pyarrow:
        with pytest.raises(pa.ArrowInvalid):
            theirs(data)
        return
    wanted = theirs(data)
    assert found.schema.equals(wanted.schema)
    assert found["x"].to_pylist() == wanted["x"].to_pylist()


@each("name", list(CASES))
def test_inspect_has_the_same_types(name: str) -> None:
    data = CASES[name].file()
    found = cn.inspect(data)
    assert found.shape == (len(CASES[name].records), 2)
    assert str(found.schema) == str(cn.decode(data, "parquet").schema)


def test_names_and_field_ids_are_those_of_pyarrow() -> None:
    """An item has the name and the field id of the repeated field that it is, or of the one that is wrapped."""

    def numbered(node: Node, start: int) -> tuple[Node, int]:
        children, n = [], start + 1
        for child in node.children:
            made, n = numbered(child, n)
            children.append(made)
        return Node(node.name, node.repetition, children, node.physical, node.converted, {"number": start}), n

    def told(field: pa.Field) -> Any:
        # pyarrow names the entries of a map and its items in its own way.
        inner = [field.type.field(k) for k in range(field.type.num_fields)]
        name = None if pa.types.is_map(field.type) else field.name
        inner = [] if pa.types.is_map(field.type) else inner
        # An unannotated repeated field is a list and its items. pyarrow repeats its id where it is a group.
        inner = [one.remove_metadata() if one.metadata == field.metadata else one for one in inner]
        return name, field.nullable, field.metadata, [told(one) for one in inner]

    for name, case in CASES.items():
        if case.by_pyarrow:
            data = file_of([numbered(case.column, 1)[0]], [{"x": row} for row in case.records])
            assert told(ours(data).schema.field("x")) == told(theirs(data).schema.field("x")), name


REFUSED: dict[str, Node] = {
    "a list of two fields": list_of(leaf("a", REPEATED), leaf("b", REPEATED)),
    "a list of an optional field": list_of(leaf("a", OPTIONAL)),
    # Rule 4 makes the group the item, so that it is a list without a repeated field.
    "array is a list of an optional field": list_of(group("array", REPEATED, leaf("s", OPTIONAL), word=LIST)),
    "array is a map of a leaf": list_of(group("array", REPEATED, leaf("s", OPTIONAL), word=MAP)),
    "array is a repeated map of a leaf": list_of(group("array", REPEATED, leaf("s", REPEATED), word=MAP)),
    "entries are a leaf": map_of(leaf("kv", REPEATED)),
    "entries of three fields": map_of(group("kv", REPEATED, leaf("k"), leaf("v"), leaf("w"))),
    "a repeated map": group("x", REPEATED, group("kv", REPEATED, leaf("k"), leaf("v")), word=MAP),
    "a repeated map in rule 3": list_of(
        group("list", REPEATED, group("m", REPEATED, group("kv", REPEATED, leaf("k"), leaf("v")), word=MAP))
    ),
}


@each("name", list(REFUSED))
def test_contradictions_are_refused_by_name(name: str) -> None:
    data = file_of([REFUSED[name]], [])
    with pytest.raises((pa.ArrowInvalid, NotImplementedError)):
        theirs(data)
    with pytest.raises((DecodeError, UnsupportedError), match="column x"):
        ours(data)


@each("word", [None, LIST, MAP, MAP_KEY_VALUE])
def test_the_annotation_of_a_group_that_wraps_one_field_says_nothing(word: int | None) -> None:
    """Rule 5; pyarrow refuses these."""
    column = list_of(group("bag", REPEATED, leaf("s", OPTIONAL), word=word))
    found = ours(file_of([column], [{"x": {"bag": [{"s": 1}, {"s": None}]}}, {"x": None}]))
    assert found["x"].to_pylist() == [[1, None], None]


def claimed(case: Case, kind: pa.DataType) -> bytes:
    """The file of a case with `kind` for `x` in ARROW:schema."""
    schema = pa.schema([pa.field("x", kind), pa.field("n", pa.int32(), nullable=False)])
    return case.file(metadata={"ARROW:schema": base64.b64encode(schema.serialize().to_pybytes()).decode()})


LARGE = pa.large_list(pa.field("item", record(("f", pa.large_list(INT), False)), nullable=False))
CLAIMS = {
    "the same": OF_FIELD,
    "large lists": LARGE,
    "views": pa.list_view(record(("f", pa.list_view(INT), False))),
    "lists of lists": item(INTS),
    "another field": item(record(("g", pa.large_list(INT), False))),
    "two fields": item(record(("f", INTS, False), ("g", INTS, False))),
    "a map": pa.map_(INT, INT),
    "a struct": record(("f", INTS, False)),
    "numbers": INT,
}


@each("name", list(CLAIMS))
def test_claims_of_the_writers_schema(name: str) -> None:
    data = claimed(RULE_3, CLAIMS[name])
    found = ours(data)
    assert found["x"].to_pylist() == RULE_3.values
    assert cn.decode(data, "parquet", columns=["x[].f"]).to_arrow()["x"].to_pylist() == RULE_3.values
    kind = found.schema.field("x").type
    if name in ("the same", "lists of lists", "a map", "a struct", "numbers", "two fields"):
        assert kind == (OF_FIELD if "map" not in name else kind)
    if name == "large lists":
        assert kind == theirs(data).schema.field("x").type
    if name == "views":
        assert pa.types.is_list_view(kind)
        assert pa.types.is_list_view(kind.value_type.field("f").type)
