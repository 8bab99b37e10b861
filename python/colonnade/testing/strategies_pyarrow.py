"""Hypothesis strategies for random pyarrow types, arrays and tables. Needs ``hypothesis`` and ``pyarrow``.

Arrays are slices of longer ones, so that offsets, and bits that begin inside a byte, occur.
"""

import decimal
from typing import Any

import pyarrow as pa
from hypothesis import reject
from hypothesis import strategies as st

MAX_ROWS = 6
MAX_COLUMNS = 4

_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
_BYTES = st.binary(max_size=20)
_NAMES = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=4)
_UNITS = ("s", "ms", "us", "ns")
_ZONES = (None, "UTC", "Europe/Amsterdam", "+05:30")


def _ints(bits: int, signed: bool = True) -> st.SearchStrategy[int]:
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
    return st.integers(low, high) | st.sampled_from([low, high, 0])


_PLAIN: dict[Any, st.SearchStrategy[Any]] = {
    pa.null(): st.none(),
    pa.bool_(): st.booleans(),
    **{getattr(pa, f"int{bits}")(): _ints(bits) for bits in (8, 16, 32, 64)},
    **{getattr(pa, f"uint{bits}")(): _ints(bits, signed=False) for bits in (8, 16, 32, 64)},
    pa.float16(): st.floats(width=16),
    pa.float32(): st.floats(width=32),
    pa.float64(): st.floats(),
    **dict.fromkeys((pa.string(), pa.large_string(), pa.string_view()), _TEXT),
    **dict.fromkeys((pa.binary(), pa.large_binary(), pa.binary_view()), _BYTES),
    pa.binary(3): st.binary(min_size=3, max_size=3),
    pa.date32(): st.dates(),
    pa.date64(): st.dates(),
    pa.time32("s"): st.integers(0, 86_399),
    pa.time32("ms"): st.integers(0, 86_399_999),
    pa.time64("us"): st.integers(0, 86_399_999_999),
    pa.time64("ns"): st.integers(0, 86_399_999_999_999),
    **{pa.timestamp(unit, zone): _ints(64) for unit in _UNITS for zone in _ZONES},
    **{pa.duration(unit): _ints(64) for unit in _UNITS},
    pa.month_day_nano_interval(): st.tuples(_ints(32), _ints(32), _ints(64)),
    pa.decimal128(9, 2): st.integers(-(10**9) + 1, 10**9 - 1).map(lambda n: decimal.Decimal(n).scaleb(-2)),
    pa.decimal256(50, 4): st.integers(-(10**50) + 1, 10**50 - 1).map(lambda n: _scaled(n, -4)),
}
_KEYS = (pa.string(), pa.int64(), pa.large_string(), pa.date32())


def _scaled(number: int, exponent: int) -> decimal.Decimal:
    with decimal.localcontext(prec=80):
        return decimal.Decimal(number).scaleb(exponent)


@st.composite
def types(draw: st.DrawFn, depth: int = 2, outermost: bool = True, flat: int = 6) -> Any:
    """A type: primitive, dictionary or, `depth` levels deep, nested. No unions: pyarrow cannot build them from values.

    About `flat` of ten types on each level are not nested.
    """
    if depth == 0 or draw(st.integers(0, 9)) < flat:
        plain = draw(st.sampled_from(list(_PLAIN)))
        if draw(st.integers(0, 7)) or pa.types.is_null(plain) or pa.types.is_interval(plain):
            return plain
        if not outermost:  # the only value types of dictionaries that pyarrow builds within lists
            plain = draw(st.sampled_from([pa.string(), pa.int64(), pa.binary()]))
        codes = draw(st.sampled_from([pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint32()]))
        return pa.dictionary(codes, plain, ordered=draw(st.booleans()))
    inner = types(depth=depth - 1, outermost=False, flat=flat)
    child = _field("item", draw(inner), draw(st.booleans()))
    kind = draw(st.sampled_from(["list", "large_list", "fixed", "list_view", "large_list_view", "struct", "map"]))
    if kind == "fixed":
        return pa.list_(child, draw(st.integers(0, 3)))
    if kind == "struct":
        names = draw(st.lists(_NAMES, max_size=3, unique=True))
        return pa.struct([_field(name, draw(inner), draw(st.booleans())) for name in names])
    if kind == "map":
        return pa.map_(draw(st.sampled_from(_KEYS)), child.type)
    makers = {"list": pa.list_, "large_list": pa.large_list, "list_view": pa.list_view}
    return makers.get(kind, pa.large_list_view)(child)


def _field(name: str, kind: Any, nullable: bool, metadata: Any = None) -> Any:
    # pyarrow requires that a field of the null type is nullable.
    return pa.field(name, kind, nullable=nullable or pa.types.is_null(kind), metadata=metadata)


@st.composite
def arrays(draw: st.DrawFn, kind: Any, length: int, nullable: bool = True) -> Any:
    """An array of this type and length, most often a slice of a longer one."""
    before, after = draw(st.integers(0, 3)), draw(st.integers(0, 2))
    values = draw(st.lists(_cells(kind, nullable), min_size=before + length + after, max_size=before + length + after))
    return make_array(values, kind).slice(before, length)


def make_array(values: list[Any], kind: Any) -> Any:
    """As `pyarrow.array`, but also for types that it cannot build from values."""
    if pa.types.is_dictionary(kind):
        known = list(dict.fromkeys(map(_key, values)))
        cells = {_key(value): value for value in values}
        categories = make_array([cells[key] for key in known if cells[key] is not None], kind.value_type)
        places = {key: place for place, key in enumerate(key for key in known if cells[key] is not None)}
        codes = pa.array([places.get(_key(value)) for value in values], kind.index_type)
        return pa.DictionaryArray.from_arrays(codes, categories, ordered=kind.ordered)
    return pa.array(values, kind)


def _key(value: Any) -> Any:
    return repr(value)


def _cells(kind: Any, nullable: bool = True) -> st.SearchStrategy[Any]:
    if nullable and not pa.types.is_null(kind):
        return st.none() | _cells(kind, nullable=False)
    if kind in _PLAIN:
        return _PLAIN[kind]
    if pa.types.is_dictionary(kind):
        return _cells(kind.value_type, nullable=False)
    if pa.types.is_struct(kind):
        return st.fixed_dictionaries({field.name: _cells(field.type, field.nullable) for field in kind})
    if pa.types.is_map(kind):
        keys, items = _cells(kind.key_type, nullable=False), _cells(kind.item_type)
        return st.lists(st.tuples(keys, items), max_size=3, unique_by=lambda pair: pair[0])
    size = kind.list_size if pa.types.is_fixed_size_list(kind) else None
    return st.lists(
        _cells(kind.value_type, kind.value_field.nullable), min_size=size or 0, max_size=3 if size is None else size
    )


@st.composite
def _pieces(draw: st.DrawFn, field: Any, nrows: list[int]) -> list[Any]:
    """The column of each batch. All batches of ordered categories share one dictionary."""
    if "ordered=1" not in str(field.type):
        return [draw(arrays(field.type, n, field.nullable)) for n in nrows]
    whole = draw(arrays(field.type, sum(nrows), field.nullable))
    return [whole.slice(sum(nrows[:i]), n) for i, n in enumerate(nrows)]


@st.composite
def tables(draw: st.DrawFn, depth: int = 2, flat: int = 6) -> Any:
    """A Table of up to three batches, with metadata on the schema and the fields; labels may repeat.

    `depth` and `flat` are those of `types`.
    """
    nrows = draw(st.lists(st.integers(0, MAX_ROWS), min_size=1, max_size=3))
    metadata = st.none() | st.dictionaries(_NAMES, _TEXT, min_size=1, max_size=2)
    fields = [
        _field(draw(_NAMES), draw(types(depth=depth, flat=flat)), draw(st.booleans()), draw(metadata))
        for _ in range(draw(st.integers(1, MAX_COLUMNS)))
    ]
    schema = pa.schema(fields, metadata=draw(metadata))
    columns = [draw(_pieces(field, nrows)) for field in fields]
    batches = [pa.RecordBatch.from_arrays(list(pieces), schema=schema) for pieces in zip(*columns, strict=True)]
    table = pa.Table.from_batches(batches, schema=schema)
    try:
        table.validate(full=True)
    except pa.ArrowInvalid:
        # Under a null struct, pyarrow gives non-nullable dictionaries codes of missing categories.
        reject()
    return table
