"""Converts Awkward layouts to columns in Arrow's layout.

Each layout becomes the Arrow type that has the same buffers, over the same memory. Lists, records and strings are never
copied, and offsets that begin at 0 are not copied either. The copies are: bools and masks of bytes (Arrow packs both
into bits), the values that an IndexedArray selects, and unions whose parts are not in row order.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from .._core import ArrowColumn, EncodeError, assemble_column, column_with_validity

_TEXT = {"string": "utf8", "bytestring": "binary"}
_ARROW_KINDS = "biuf"


def column_from_content(content: Any, where: str) -> ArrowColumn:
    """Converts a layout to a column. `content_from_column` converts the column back by the layout's form.

    Parameters
    ----------
    content : awkward.contents.Content
        The layout, with its buffers in main memory.
    where : str
        The place of the layout, for messages: ``column 'muon'``.

    Raises
    ------
    EncodeError
        A value that Arrow cannot represent (text that is not UTF-8, more than 2^31 - 1 values in a union...), or an
        invalid layout. The message names the place within the layout.
    """
    writer = _WRITERS.get(type(content).__name__)
    if writer is None:
        raise _refused(
            where, "one of Awkward's layouts", f"a {type(content).__qualname__}", "Call ak.to_packed() first"
        )
    try:
        return writer(content, where)
    except EncodeError as error:
        if str(error).startswith("awkward: "):
            raise
        raise EncodeError(f"awkward: {where}: {error}") from error
    except (ValueError, IndexError) as error:
        # Awkward checks a layout only when code uses it.
        raise EncodeError(
            f"awkward: {where}: expected a layout that is valid, found {_first_line(error)} "
            "See what ak.validity_error() says of it."
        ) from error


def may_be_null(content: Any) -> bool:
    """Whether its column has nulls, or has Arrow's null type."""
    return bool(content.is_option or content.is_unknown)


def is_plain(content: Any) -> bool:
    """Whether the layout is only a one-dimensional NumPy array."""
    return type(content).__name__ == "NumpyArray" and content.data.ndim == 1 and not content.parameters


def _refused(where: str, expected: str, found: str, advice: str) -> EncodeError:
    return EncodeError(f"awkward: {where}: expected {expected}, found {found}. {advice}.")


def _first_line(error: Exception) -> str:
    line = str(error).strip().partition("\n")[0]
    return line if line.endswith(".") else line + "."


def _signed(values: np.ndarray, last: int) -> np.ndarray:
    """Arrow's signed form of unsigned 32-bit values: the same bits if no number changes, else 64-bit numbers."""
    if values.dtype != np.uint32:
        return values
    return values.view(np.int32) if last < 2**31 else values.astype(np.int64)


def _head(content: Any, nrows: int) -> Any:
    return content if content.length == nrows else content[:nrows]


# --------------------------------------------------------------------------- leaves


def _numpy(content: Any, where: str) -> ArrowColumn:
    values = content.data
    column = _leaf(values.reshape(-1))
    for axis in range(values.ndim - 1, 0, -1):
        nrows = int(np.prod(values.shape[:axis]))
        column = assemble_column("fixed_size_list", nrows, [], [("item", False, column)], values.shape[axis])
    return column


def _leaf(values: np.ndarray) -> ArrowColumn:
    kind, dtype = values.dtype.kind, values.dtype
    if kind == "c" and dtype.itemsize <= 16:
        parts = np.ascontiguousarray(values).view(f"f{dtype.itemsize // 2}")
        return assemble_column("fixed_size_list", len(values), [], [("item", False, _leaf(parts))], 2)
    if kind in "mM":
        unit, step = np.datetime_data(dtype)
        return ArrowColumn.from_masked(values if step == 1 and unit in ("s", "ms", "us", "ns") else values.view("i8"))
    if kind in _ARROW_KINDS and dtype.itemsize <= 8:
        return ArrowColumn.from_masked(values)
    return ArrowColumn.from_fixed(values)


def _empty(content: Any, where: str) -> ArrowColumn:
    return assemble_column("null", 0, [])


# --------------------------------------------------------------------------- lists


def _list_offset(content: Any, where: str) -> ArrowColumn:
    return _listed(content, content.offsets.data, content.content, where)


def _list(content: Any, where: str) -> ArrowColumn:
    starts, stops = content.starts.data, content.stops.data[: content.length]
    nrows = len(starts)
    if nrows and starts.flags.c_contiguous and stops.ctypes.data == starts.ctypes.data + starts.itemsize:
        # Starts and stops are views of one array of offsets, as in a layout that was read from a file.
        offsets = np.lib.stride_tricks.as_strided(starts, (nrows + 1,), writeable=False)
        if offsets[0] <= offsets[-1]:
            return _listed(content, offsets, content.content, where)
    packed = content.to_ListOffsetArray64(True)
    return _listed(content, packed.offsets.data, packed.content, where)


def _listed(content: Any, offsets: np.ndarray, values: Any, where: str) -> ArrowColumn:
    first, last = int(offsets[0]), int(offsets[-1])
    nrows = len(offsets) - 1
    if not 0 <= first <= last <= values.length:
        expected = f"offsets from 0 to {values.length}, the number of values"
        raise _refused(where, expected, f"{first} to {last}", "See what ak.validity_error() says of it")
    offsets = _signed(offsets, last)
    if first:
        offsets = offsets - offsets.dtype.type(first)
    if first or last < values.length:
        values = values[first:last]
    large = "large_" if offsets.itemsize == 8 else ""
    text = _text_kind(content, values)
    if text:
        return assemble_column(large + text, nrows, [offsets, values.data])
    column = column_from_content(values, f"{where}[]")
    return assemble_column(large + "list", nrows, [offsets], [("item", may_be_null(values), column)])


def _text_kind(content: Any, values: Any) -> str | None:
    """The Arrow type of strings and bytestrings; None for other lists."""
    kind = _TEXT.get(content.parameter("__array__"))
    plain = kind and type(values).__name__ == "NumpyArray" and values.data.dtype == np.uint8 and values.data.ndim == 1
    return kind if plain else None


def _regular(content: Any, where: str) -> ArrowColumn:
    nrows, size = content.length, content.size
    values = _head(content.content, nrows * size)
    text = _text_kind(content, values)
    if text:
        kind: Any = np.int32 if nrows * size < 2**31 else np.int64
        offsets = np.arange(nrows + 1, dtype=kind) * kind(size)
        large = "large_" if kind is np.int64 else ""
        return assemble_column(large + text, nrows, [offsets, values.data])
    if size >= 2**31:
        raise _refused(
            where, "lists of 2^31 - 1 values at most, as Arrow's are", f"a size of {size}", "Use ak.from_regular()"
        )
    column = column_from_content(values, f"{where}[]")
    return assemble_column("fixed_size_list", nrows, [], [("item", may_be_null(values), column)], size)


# --------------------------------------------------------------------------- records and unions


def _record(content: Any, where: str) -> ArrowColumn:
    children = [
        (name, may_be_null(part), column_from_content(_head(part, content.length), f"{where}.{name}"))
        for name, part in zip(content.fields, content.contents, strict=True)
    ]
    return assemble_column("struct", content.length, [], children)


def _union(content: Any, where: str) -> ArrowColumn:
    tags = content.tags.data
    given = content.index.data[: len(tags)]
    index = np.zeros(len(tags), np.int32)
    if len(tags) and not 0 <= int(tags.min()) <= int(tags.max()) < len(content.contents):
        expected, found = f"tags from 0 to {len(content.contents) - 1}", f"{tags.min()} to {tags.max()}"
        raise _refused(where, expected, found, "See what ak.validity_error() says of it")
    children = []
    for tag, part in enumerate(content.contents):
        chosen = tags == tag
        places = given[chosen]
        count = len(places)
        if count >= 2**31:
            raise _refused(where, "2^31 - 1 values of a kind at most", f"{count}", "Split the array by rows")
        # Arrow requires the values of a part in row order.
        if not np.array_equal(places, np.arange(count)):
            part = part[places]
        index[chosen] = np.arange(count, dtype=np.int32)
        column = column_from_content(_head(part, count), f"{where}<{tag}>")
        children.append((str(tag), may_be_null(part), column))
    return assemble_column("dense_union", len(tags), [tags, index], children)


# --------------------------------------------------------------------------- indices and masks


def _indexed(content: Any, where: str) -> ArrowColumn:
    if content.parameter("__array__") == "categorical":
        return _categorical(content, where)
    return column_from_content(content.project(), where)


def _categorical(content: Any, where: str) -> ArrowColumn:
    column = column_from_content(content.content, where)
    return ArrowColumn.dictionary(_signed(content.index.data, content.content.length), column, False)


def _indexed_option(content: Any, where: str) -> ArrowColumn:
    if content.parameter("__array__") == "categorical":
        return _categorical(content, where)
    index, values = content.index.data, content.content
    if values.is_unknown:
        return assemble_column("null", len(index), [])
    valid = index >= 0
    whole = bool(valid.all())
    if not values.length and not whole:
        values = values.form.length_one_array(highlevel=False)
    places = index if whole else np.where(valid, index, 0)
    in_place = values.length >= len(index) and np.array_equal(index[valid], np.flatnonzero(valid))
    values = _head(values, len(index)) if in_place else values[places]
    return _masked(values, None if whole else np.packbits(valid, bitorder="little"), where)


def _byte_masked(content: Any, where: str) -> ArrowColumn:
    valid = content.mask.data != 0
    if not content.valid_when:
        np.logical_not(valid, out=valid)
    return _masked(_head(content.content, len(valid)), np.packbits(valid, bitorder="little"), where)


def _bit_masked(content: Any, where: str) -> ArrowColumn:
    bits = content.mask.data[: -(-content.length // 8)]
    if not content.lsb_order:
        bits = np.packbits(np.unpackbits(bits), bitorder="little")
    return _masked(_head(content.content, content.length), bits if content.valid_when else ~bits, where)


def _unmasked(content: Any, where: str) -> ArrowColumn:
    return column_from_content(content.content, where)


def _masked(values: Any, bits: np.ndarray | None, where: str) -> ArrowColumn:
    column = column_from_content(values, where)
    return column if bits is None or not len(column) else column_with_validity(column, bits)


_WRITERS: dict[str, Callable[[Any, str], ArrowColumn]] = {
    "NumpyArray": _numpy,
    "EmptyArray": _empty,
    "ListOffsetArray": _list_offset,
    "ListArray": _list,
    "RegularArray": _regular,
    "RecordArray": _record,
    "UnionArray": _union,
    "IndexedArray": _indexed,
    "IndexedOptionArray": _indexed_option,
    "ByteMaskedArray": _byte_masked,
    "BitMaskedArray": _bit_masked,
    "UnmaskedArray": _unmasked,
}
