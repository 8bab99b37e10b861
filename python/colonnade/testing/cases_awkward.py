"""Awkward Arrays that must be restored unchanged: every layout, at the top, nested, and with parameters.

``CASES`` maps a name to a function without arguments that makes an Array. ``REFUSED`` does the same for arrays that
must be refused, each with a piece of the message. ``assert_identical`` compares two arrays: type with all parameters,
layouts, and values to the bit.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import awkward as ak
import numpy as np
from awkward import contents as c
from awkward import index as i

__all__ = ["CASES", "REFUSED", "assert_identical"]

CASES: dict[str, Callable[[], Any]] = {}


def assert_identical(left: Any, right: Any) -> None:
    """Asserts the same type with all parameters, classes of layouts, attributes, validity, and values to the bit.

    An IndexedArray without categories may be missing, because it is not part of the type. The comparison ignores values
    under missing values, between lists and outside all records, and categories that no row uses.
    """
    assert isinstance(right, ak.Array), type(right)
    assert left.type == right.type, (left.type, right.type)
    assert _form(left.layout) == _form(right.layout), (_form(left.layout), _form(right.layout))
    assert _attrs(left) == _attrs(right)
    ours, theirs = values_of(left.layout), values_of(right.layout)
    assert ours == theirs, f"{ours!r:.300} is not {theirs!r:.300}"
    # Awkward 2.6 calls arrays of categories invalid, and those that were written as well.
    broken = ak.validity_error(right)
    assert not broken or broken == ak.validity_error(left), broken


def _attrs(array: Any) -> dict[str, Any]:
    """The attributes, without those that Awkward itself never stores."""
    return {key: value for key, value in array.attrs.items() if not key.startswith("@")}


def _form(layout: Any) -> Any:
    """The form as JSON. An IndexedArray without categories is replaced by its content, with its parameters added."""

    def without_indices(form: Any) -> Any:
        if isinstance(form, str):
            return {"class": "NumpyArray", "primitive": form}
        node = dict(form)
        if "content" in node:
            node["content"] = without_indices(node["content"])
        if "contents" in node:
            node["contents"] = [without_indices(part) for part in node["contents"]]
        categorical = node.get("parameters", {}).get("__array__") == "categorical"
        if node["class"] != "IndexedArray" or categorical:
            return node
        inner = node["content"]
        if "parameters" not in node:
            return inner
        return inner | {"parameters": node["parameters"] | inner.get("parameters", {})}

    return without_indices(layout.form.to_dict(verbose=False))


def values_of(layout: Any) -> Any:
    """The values of a layout, independent of its structure, as nested tuples that can be compared."""
    if layout.is_option:
        return layout.mask_as_bool(valid_when=False).tolist(), values_of(layout.project())
    if layout.is_indexed:
        return values_of(layout.project())
    if layout.is_union:
        return layout.tags.data.tolist(), [values_of(layout.project(tag)) for tag in range(len(layout.contents))]
    if layout.is_record:
        return layout.length, [values_of(part[: layout.length]) for part in layout.contents]
    if layout.is_regular:
        if layout.is_numpy:
            return values_of(layout.to_RegularArray())
        return layout.length, layout.size, values_of(layout.content[: layout.length * layout.size])
    if layout.is_list:
        packed = layout.to_ListOffsetArray64(True)
        offsets = packed.offsets.data
        return offsets.tolist(), values_of(packed.content[: offsets[-1]])
    if layout.is_unknown:
        return layout.length
    values = np.ascontiguousarray(layout.data)
    if values.dtype.char in "gG":  # six of sixteen bytes are padding
        values = values.view(np.uint8).reshape(-1, 16)[:, :10]
    return layout.data.dtype.str, layout.data.shape, values.tobytes()


# --------------------------------------------------------------------------- leaves
_FLOATS = {"float16": (2, 0x7E01), "float32": (4, 0x7FC00123), "float64": (8, 0x7FF8000000000123)}


def _leaf(primitive: str) -> np.ndarray:
    if primitive in _FLOATS:
        width, nan = _FLOATS[primitive]
        return np.array([0, 1 << (8 * width - 1), nan, 7, 1, 2], dtype=f"u{width}").view(primitive)
    if primitive == "bool":
        return np.array([True, False, False, True, True, False])
    if primitive.startswith(("datetime64", "timedelta64")):
        return np.array([0, 1, np.iinfo("i8").min, -1, 10**9, 3], "i8").view(primitive)
    if primitive.startswith(("int", "uint")):
        limits = np.iinfo(primitive)
        return np.array([limits.min, limits.max, 0, 1, 2, 3], primitive)
    return np.array([0, 1.5, -0.0, np.nan, np.inf, 3], primitive)


_PRIMITIVES = [
    "bool",
    *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)),
    *_FLOATS,
    "complex64",
    "complex128",
    *(f"{kind}64[{unit}]" for kind in ("datetime", "timedelta") for unit in ("s", "ms", "us", "ns", "D", "15us")),
]
_WIDE = [name for name in ("float128", "complex256") if hasattr(np, name)]


def _numbers(count: int = 6) -> Any:
    return c.NumpyArray(np.arange(count) * 1.5)


def _string(*texts: str, kind: str = "string", offsets: str = "i8") -> Any:
    values = [text.encode() for text in texts]
    ends = np.cumsum([0, *map(len, values)]).astype(offsets)
    chars = c.NumpyArray(
        np.frombuffer(b"".join(values), np.uint8), parameters={"__array__": "char" if kind == "string" else "byte"}
    )
    return c.ListOffsetArray(i.Index(ends), chars, parameters={"__array__": kind})


def _texts() -> Any:
    return _string("", "é\0ü", "a text that is too long for a view to hold", "x", "yy", "zzz")


def _listed(content: Any, offsets: Any = (0, 2, 2, 3, 6), kind: Any = np.int64, **more: Any) -> Any:
    return c.ListOffsetArray(i.Index(np.array(offsets, kind)), content, **more)


def _records(**more: Any) -> Any:
    return c.RecordArray([_numbers(), _texts(), _listed(_numbers(), (0, 1, 1, 2, 4, 5, 6))], ["x", "s", "l"], **more)


_MASK = np.array([0, 1, 0, 1, 1, 0], np.int8)
_BITS = np.array([0b101101], np.uint8)


def _bit_masked(content: Any, valid_when: bool, lsb_order: bool, **more: Any) -> Any:
    return c.BitMaskedArray(i.IndexU8(_BITS << (0 if lsb_order else 2)), content, valid_when, 6, lsb_order, **more)


def _options(content: Any) -> dict[str, Any]:
    picked = i.Index64(np.array([5, -1, 0, 0, -1, 2]))
    return {
        "indexed": c.IndexedOptionArray(picked, content),
        "indexed, 32 bits": c.IndexedOptionArray(i.Index32(picked.data.astype(np.int32)), content),
        "indexed, nothing": c.IndexedOptionArray(i.Index64(np.full(3, -1)), content),
        "indexed, all": c.IndexedOptionArray(i.Index64(np.arange(6)), content),
        "of bytes": c.ByteMaskedArray(i.Index8(_MASK), content, True),
        "of bytes, the other way": c.ByteMaskedArray(i.Index8(_MASK), content, False),
        **{
            f"of bits, {when}, {order}": _bit_masked(content, when == "valid", order == "lsb")
            for when in ("valid", "missing")
            for order in ("lsb", "msb")
        },
        "unmasked": c.UnmaskedArray(content),
        "with parameters": c.UnmaskedArray(content, parameters={"__doc__": "may be missing", "n": [1, None]}),
    }


def _union(index: Any = (0, 0, 1, 1, 2, 2), kind: Any = np.int64, contents: Any = None) -> Any:
    tags = i.Index8(np.array([0, 1, 0, 1, 1, 0], np.int8))
    contents = [_numbers(), _texts()] if contents is None else contents
    return c.UnionArray(tags, i.Index(np.array(index, kind)), contents)


def _categories(content: Any, index: Any = (2, 0, 1, 1, 5, 0), kind: Any = np.int64) -> Any:
    layout = c.IndexedOptionArray if min(index) < 0 else c.IndexedArray
    return layout(i.Index(np.array(index, kind)), content, parameters={"__array__": "categorical"})


def _flat(primitive: str) -> Any:
    return c.NumpyArray(_leaf(primitive))


def _in_lists(primitive: str) -> Any:
    return _listed(_flat(primitive))


def _offsets_of(kind: str) -> Any:
    return _listed(_numbers(), kind=kind)


def _option(make: Callable[[], Any], name: str) -> Any:
    return _options(make())[name]


def _array(make: Callable[[], Any]) -> Any:
    return ak.Array(make())


LAYOUTS: dict[str, Callable[[], Any]] = {
    **{f"numpy {name}": partial(_flat, name) for name in [*_PRIMITIVES, *_WIDE]},
    **{f"list of {name}": partial(_in_lists, name) for name in [*_PRIMITIVES, *_WIDE]},
    "numpy, 3 dimensions": lambda: c.NumpyArray(np.arange(24.0).reshape(4, 3, 2)),
    "numpy, 3 dimensions, columns first": lambda: c.NumpyArray(np.asfortranarray(np.arange(24).reshape(4, 3, 2))),
    "numpy, a dimension of nothing": lambda: c.NumpyArray(np.zeros((3, 0, 2))),
    "numpy, complex of 2 dimensions": lambda: c.NumpyArray(np.arange(6).reshape(3, 2) * 1j),
    "numpy, strided": lambda: c.NumpyArray(np.arange(12)[::2]),
    "numpy, backwards": lambda: c.NumpyArray(np.arange(6, dtype=np.int16)[::-1]),
    "numpy with parameters": lambda: c.NumpyArray(np.arange(3), parameters={"__doc__": "é", "units": {"m": 1}}),
    "chars": lambda: c.NumpyArray(np.arange(65, 70, dtype=np.uint8), parameters={"__array__": "char"}),
    "empty": c.EmptyArray,
    "lists of nothing": lambda: _listed(c.EmptyArray(), (0, 0, 0)),
    "missing, of no type": lambda: c.IndexedOptionArray(i.Index64(np.full(3, -1)), c.EmptyArray()),
    "strings": _texts,
    "strings, 32 bits": lambda: _string("a", "", "bc", offsets="i4"),
    "strings, 32 bits without a sign": lambda: _string("a", "", "bc", offsets="u4"),
    "bytestrings": lambda: _string("a", "", "bc", kind="bytestring"),
    "strings of one length": lambda: c.RegularArray(_string("abcdef").content, 2, parameters={"__array__": "string"}),
    "bytestrings of one length": lambda: c.RegularArray(
        _string("abcdef", kind="bytestring").content, 3, parameters={"__array__": "bytestring"}
    ),
    "strings of one length, missing": lambda: c.ByteMaskedArray(
        i.Index8(np.array([1, 0, 1], np.int8)),
        c.RegularArray(_string("abcdef").content, 2, parameters={"__array__": "string"}),
        True,
    ),
    "strings with parameters": lambda: c.ListOffsetArray(
        _texts().offsets, _texts().content, parameters={"__array__": "string", "__doc__": "names"}
    ),
    **{f"lists, offsets {kind}": partial(_offsets_of, kind) for kind in ("int32", "uint32", "int64")},
    "lists from the middle": lambda: _listed(_numbers(9), (2, 4, 4, 7)),
    "lists with parameters": lambda: _listed(_numbers(), parameters={"__list__": "Path", "__doc__": ""}),
    "lists of starts and stops": lambda: c.ListArray(
        i.Index64(np.array([4, 0, 1, 3])), i.Index64(np.array([6, 2, 1, 4])), _numbers()
    ),
    "lists of starts and stops, 32 bits, in order": lambda: c.ListArray(
        i.Index32(np.array([0, 2, 2], np.int32)), i.Index32(np.array([2, 2, 6], np.int32)), _numbers()
    ),
    "lists of starts and stops of records": lambda: c.ListArray(
        i.IndexU32(np.array([4, 0, 1], np.uint32)), i.IndexU32(np.array([6, 2, 1], np.uint32)), _records()
    ),
    "lists of lists of records": lambda: _listed(_listed(_records(), (0, 2, 2, 3, 6)), (0, 1, 1, 4)),
    "regular": lambda: c.RegularArray(_numbers(), 3),
    "regular, longer than it says": lambda: c.RegularArray(_numbers(), 4),
    "regular of nothing": lambda: c.RegularArray(c.EmptyArray(), 0, zeros_length=3),
    "regular of size 0": lambda: c.RegularArray(_numbers(0), 0, zeros_length=3),
    "regular of regular": lambda: c.RegularArray(c.RegularArray(_texts(), 1), 3, parameters={"a": True}),
    "records": _records,
    "records with a name": lambda: _records(parameters={"__record__": "Point", "__doc__": "where", "$tuple": [1]}),
    "records of records": lambda: c.RecordArray([_records(), _numbers()], ["r", "a.b"]),
    "records, longer than they say": lambda: c.RecordArray([_numbers(), _records()], ["a", "b"], 4),
    "records without fields": lambda: c.RecordArray([], [], 3),
    "fields of odd names": lambda: c.RecordArray([_numbers()] * 4, ["", "é", "$tuple", "x[].y"]),
    "tuples": lambda: c.RecordArray([_numbers(), _texts()], None),
    "tuples without slots": lambda: c.RecordArray([], None, 3),
    "tuples within": lambda: _listed(c.RecordArray([_numbers(), _texts()], None, parameters={"__record__": "Pair"})),
    "records, indexed": lambda: c.IndexedArray(i.Index64(np.array([3, 0, 0, 5])), _records()),
    "records, indexed within": lambda: _listed(
        c.IndexedArray(i.Index32(np.array([3, 0, 0, 5, 1, 1], np.int32)), _records(), parameters={"__doc__": "picked"})
    ),
    **{f"missing numbers, {name}": partial(_option, _numbers, name) for name in _options(_numbers())},
    **{f"missing records, {name}": partial(_option, _records, name) for name in _options(_numbers())},
    **{f"missing strings, {name}": partial(_option, _texts, name) for name in _options(_numbers())},
    "missing bools": lambda: c.ByteMaskedArray(i.Index8(_MASK), c.NumpyArray(_leaf("bool")), True),
    "missing lists of missing numbers": lambda: c.ByteMaskedArray(
        i.Index8(_MASK), _listed(_options(_numbers())["indexed"], (0, 2, 2, 3, 4, 5, 6)), False
    ),
    "missing regular of missing": lambda: c.ByteMaskedArray(
        i.Index8(_MASK[:3]), c.RegularArray(_options(_numbers())["of bytes"], 2), True
    ),
    "missing numpy of 2 dimensions": lambda: c.ByteMaskedArray(
        i.Index8(_MASK[:3]), c.NumpyArray(np.arange(6).reshape(3, 2)), True
    ),
    "missing records of regular of records": lambda: c.ByteMaskedArray(
        i.Index8(_MASK[:3]), c.RecordArray([c.RegularArray(c.RecordArray([_numbers()], ["y"]), 2)], ["r"]), True
    ),
    "missing, of no type, within records": lambda: c.RecordArray(
        [c.IndexedOptionArray(i.Index64(np.full(6, -1)), c.EmptyArray()), _numbers()], ["n", "x"]
    ),
    "union": _union,
    "union, 32 bits": lambda: _union(kind=np.int32),
    "union, 32 bits without a sign": lambda: _union(kind=np.uint32),
    "union, out of order": lambda: _union((5, 0, 3, 3, 1, 0)),
    "union of missing": lambda: _union(contents=[_options(_numbers())["of bytes"], c.UnmaskedArray(_texts())]),
    "union of records": lambda: _union((5, 0, 3, 3, 1, 0), contents=[_records(), _listed(_records())]),
    "lists of unions": lambda: _listed(_union()),
    "union with parameters": lambda: c.UnionArray(
        _union().tags, _union().index, _union().contents, parameters={"__doc__": "either"}
    ),
    "categories": lambda: _categories(_texts()),
    "categories, 32 bits": lambda: _categories(_texts(), kind=np.int32),
    "categories, 32 bits without a sign": lambda: _categories(_texts(), kind=np.uint32),
    "categories of numbers": lambda: _categories(c.NumpyArray(np.arange(6))),
    "categories, missing": lambda: _categories(_texts(), (2, -1, 1, 1, 5, -1)),
    "lists of categories": lambda: _listed(_categories(_texts(), (2, -1, 1, 1, 5, -1))),
}

CASES.update({name: partial(_array, make) for name, make in LAYOUTS.items()})
# A field that is a NumPy array becomes a block. Any other field becomes a column in Arrow's layout.
CASES["all layouts side by side"] = lambda: ak.Array(
    c.RecordArray([make() for make in LAYOUTS.values() if make().length >= 3], list(_long_enough()), 3)
)
CASES["complex numbers that are picked"] = lambda: ak.Array(
    c.RecordArray([c.IndexedArray(i.Index64(np.array([5, 0, 0])), _flat("complex64"))], ["z"])
)
CASES["sliced"] = lambda: ak.Array(_records())[2:5]
CASES["sliced of missing"] = lambda: ak.Array(_bit_masked(_records(), True, True))[3:6]
CASES["as deep as it goes"] = lambda: ak.Array(_nested(48))
CASES["no rows"] = lambda: ak.Array(_records())[:0]
CASES["no rows of lists of unions"] = lambda: ak.Array(_listed(_union()))[:0]
CASES["attributes"] = lambda: ak.Array(
    _records(), attrs={"k": [1, {"a": None}], "@gone": 1}, behavior={"Point": ak.Array}
)
CASES["long enough for many batches"] = lambda: ak.Array(
    c.RecordArray(
        [
            c.NumpyArray(np.arange(100)),
            _listed(c.NumpyArray(np.arange(300.0)), np.arange(0, 303, 3)),
            c.ByteMaskedArray(
                i.Index8((np.arange(100) % 3 == 0).astype(np.int8)), _string(*map(str, range(100))), True
            ),
        ],
        ["i", "c", "s"],
    )
)


def _long_enough() -> list[str]:
    return [name for name, make in LAYOUTS.items() if make().length >= 3]


def _nested(levels: int) -> Any:
    content = _numbers(1)
    for _ in range(levels):
        content = c.RegularArray(content, 1)
    return content


REFUSED: dict[str, tuple[Callable[[], Any], str]] = {
    "text that is not UTF-8": (
        lambda: ak.Array(
            c.RecordArray(
                [
                    c.ListOffsetArray(
                        i.Index64(np.array([0, 1, 2])),
                        c.NumpyArray(np.array([65, 255], np.uint8), parameters={"__array__": "char"}),
                        parameters={"__array__": "string"},
                    )
                ],
                ["column a"],
            )
        ),
        "column 'column a': large_utf8",
    ),
    "offsets that decrease": (
        lambda: ak.Array(c.RecordArray([_listed(_listed(_numbers(), (0, 4, 2, 6)), (0, 1, 3))], ["x"])),
        "column 'x'[]: large_list",
    ),
    "offsets past the end": (lambda: ak.Array(_listed(_numbers(), (0, 2, 7))), "column '': "),
    "tags out of range": (
        lambda: ak.Array(c.UnionArray(i.Index8(np.array([0, 2])), i.Index64(np.array([0, 0])), [_numbers(), _texts()])),
        "tags from 0 to 1",
    ),
    "an index past the end": (
        lambda: ak.Array(c.RecordArray([c.IndexedOptionArray(i.Index64(np.array([0, 9, -1])), _numbers())], ["x"])),
        "column 'x'",
    ),
    "a field with NUL in its name": (
        lambda: ak.Array(_listed(c.RecordArray([_numbers()], ["a\0b"]))),
        "without NUL",
    ),
    "nested too deeply": (lambda: ak.Array(_nested(49)), "column '': expected at most 48 levels"),
    "nested far too deeply": (lambda: ak.Array(_nested(450)), "expected at most 48 levels"),
    "a parameter that is no JSON": (lambda: ak.with_parameter(ak.Array([[1]]), "a", {1, 2}), "parameters"),
    "an attribute that is no JSON": (lambda: ak.Array([1], attrs={"a": object()}), "attrs"),
}
